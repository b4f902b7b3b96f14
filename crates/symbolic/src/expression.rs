//! Expressions as terms, with the condition under which they have a value.

use crate::layout::Keys;
use crate::machine;
use crate::{Population, Unsupported, Value};
use threadwise_ir::{BinaryOp, Expr, ExprKind, LocalId, LocationId, Sort, TemplateId, ThreadRef, UnaryOp, VarRef};
use threadwise_logic::Term;
use threadwise_source::Span;

pub(crate) const SO_LARGE: &str = "an expression that is so large when it is written out";

/// An expression as terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translated {
    /// Its value, where it has one.
    pub value: Value,
    /// Where it has one: evaluation meets no division by zero and no key or element out of range. Where
    /// a quantifier is not taken apart this may be false though evaluation would have stopped before
    /// the error; it is never true where evaluation meets one.
    pub defined: Term,
}

impl Translated {
    /// That a boolean expression has a value and is true.
    pub fn holds(&self) -> Term {
        self.defined.and(self.value.term())
    }
}

/// Other threads, as properties see them.
pub trait Others {
    /// The local variable of a copy of a thread.
    fn local(&self, template: TemplateId, thread: &Term, local: LocalId) -> Option<Value>;
    /// Whether a copy of a thread is at one of these locations.
    fn at(&self, template: TemplateId, thread: &Term, locations: &[LocationId]) -> Option<Term>;
}

/// What an expression's names stand for.
#[derive(Clone)]
pub struct View<'a> {
    /// The threads.
    pub population: &'a Population,
    /// The running thread.
    pub me: Term,
    pub shared: &'a [Value],
    /// The running routine's locals.
    pub locals: &'a [Value],
    /// The shared variables after the step.
    pub shared_after: &'a [Value],
    /// The locals after the step.
    pub locals_after: &'a [Value],
    /// The other threads, in properties.
    pub others: Option<&'a dyn Others>,
    /// The bound variables, the outermost first.
    pub bound: Vec<Term>,
}

impl<'a> View<'a> {
    /// What a thread's own expressions see.
    pub fn of_thread(population: &'a Population, me: &Term, shared: &'a [Value], locals: &'a [Value]) -> View<'a> {
        View {
            population,
            me: me.clone(),
            shared,
            locals,
            shared_after: shared,
            locals_after: locals,
            others: None,
            bound: Vec::new(),
        }
    }

    /// What properties and initial values see.
    pub fn of_store(population: &'a Population, shared: &'a [Value]) -> View<'a> {
        View::of_thread(population, &Term::int(0), shared, &[])
    }

    /// The same with values after the step.
    pub fn with_after(mut self, shared_after: &'a [Value], locals_after: &'a [Value]) -> View<'a> {
        self.shared_after = shared_after;
        self.locals_after = locals_after;
        self
    }

    /// The same with bound variables, as in the formula of a contract.
    pub fn with_bound(mut self, bound: Vec<Term>) -> View<'a> {
        self.bound = bound;
        self
    }

    /// That a boolean expression has a value and is true.
    pub fn holds(&self, e: &Expr) -> Result<Term, Unsupported> {
        Ok(self.translate(e)?.holds())
    }

    /// The expression as terms.
    pub fn translate(&self, e: &Expr) -> Result<Translated, Unsupported> {
        let translated = self.translate_any(e)?;
        let size = |most| translated.defined.size(most) + translated.value.size(most);
        if self.population.layout.is_too_large(size) {
            return Err(Unsupported::new(SO_LARGE, e.span));
        }
        Ok(translated)
    }

    fn translate_any(&self, e: &Expr) -> Result<Translated, Unsupported> {
        let always = |value| Ok(Translated { value, defined: Term::bool(true) });
        match &e.kind {
            ExprKind::Const(value) => always(Value::scalar(constant(&e.sort, *value))),
            ExprKind::Thread(template) => always(Value::scalar(self.population.first(*template).clone())),
            ExprKind::SelfThread => always(Value::scalar(self.me.clone())),
            ExprKind::Bound(depth) => always(Value::scalar(self.bound_term(*depth, &e.sort))),
            ExprKind::Read(var) => always(read(*var, self.shared, self.locals)),
            ExprKind::ReadAfter(var) => always(read(*var, self.shared_after, self.locals_after)),
            ExprKind::LocalOf(thread, local) => {
                let of = |others: &dyn Others, tid: &Term| others.local(thread.template, tid, *local);
                self.of_other(thread, &of, Unsupported::new("a local variable of another thread", e.span))
            }
            ExprKind::At(thread, locations) => {
                let at =
                    |others: &dyn Others, tid: &Term| others.at(thread.template, tid, locations).map(Value::scalar);
                self.of_other(thread, &at, Unsupported::new("where another thread is", e.span))
            }
            ExprKind::Unary(op, a) => self.unary(*op, a, e),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e.span),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                let (c, a, b) = (self.translate(c)?, self.translate(a)?, self.translate(b)?);
                let condition = c.value.term();
                let defined = c.defined.and(condition.ite(&a.defined, &b.defined));
                Ok(Translated { value: Value::choose(condition, &a.value, &b.value), defined })
            }
            ExprKind::Index(array, key) => self.index(array, key),
            ExprKind::SetLiteral(elements) => self.set_literal(&e.sort, elements, e.span),
            ExprKind::ArrayLiteral(elements) => self.array_literal(&e.sort, elements, e.span),
            ExprKind::Quantified(quantifier, binder, body) => self.quantified(*quantifier, binder, body, e.span),
        }
    }

    /// Bound variables are numbers; of a boolean one, the truth value is that the number is 1.
    fn bound_term(&self, depth: u32, sort: &Sort) -> Term {
        let number = &self.bound[depth as usize];
        if *sort == Sort::Bool { number.equals(Term::int(1)) } else { number.clone() }
    }

    /// Something of another thread, which properties may ask for.
    fn of_other(
        &self,
        thread: &ThreadRef,
        what: &dyn Fn(&dyn Others, &Term) -> Option<Value>,
        unsupported: Unsupported,
    ) -> Result<Translated, Unsupported> {
        let Some(others) = self.others else { return Err(unsupported) };
        let tid = self.translate(&thread.thread)?;
        let value = what(others, tid.value.term()).ok_or(unsupported)?;
        Ok(Translated { value, defined: tid.defined })
    }

    fn index(&self, array: &Expr, key: &Expr) -> Result<Translated, Unsupported> {
        let Sort::Array(key_sort, element) = &*array.sort else { unreachable!("only arrays are indexed") };
        let (array, key) = (self.translate(array)?, self.translate(key)?);
        let keys = self.population.keys(key_sort);
        let within = keys.contains(key.value.term());
        let value = match keys {
            Keys::Few(_, 0) => self.population.default_value(element),
            keys => self.population.element(&keys, &array.value, key.value.term()),
        };
        Ok(Translated { value, defined: Term::all([&array.defined, &key.defined, &within]) })
    }

    fn set_literal(&self, sort: &Sort, elements: &[Expr], span: Span) -> Result<Translated, Unsupported> {
        let Sort::Set(element) = sort else { unreachable!("a set literal is a set") };
        if let Keys::Few(_, count) = self.population.keys(element)
            && self.population.layout.is_too_large(|_| count as usize)
        {
            return Err(Unsupported::new("so large a set", span));
        }
        let mut set = Translated { value: self.population.default_value(sort), defined: Term::bool(true) };
        self.put(sort, &mut set, elements, true)?;
        Ok(set)
    }

    /// Elements one after the other; where the solver has the whole as one array, each is stored at its key.
    fn array_literal(&self, sort: &Sort, elements: &[Expr], span: Span) -> Result<Translated, Unsupported> {
        let Sort::Array(key, element_sort) = sort else { unreachable!("an array literal is an array") };
        let mut parts = Vec::new();
        let mut defined = Term::bool(true);
        for element in elements {
            let part = self.translate(element)?;
            let fits = self.population.well_formed(element_sort, &part.value);
            defined = Term::all([&defined, &part.defined, &fits]);
            parts.push(part.value);
        }
        let value = match (self.population.keys(key), &parts[..]) {
            (keys, [one]) => repeated(&keys, one),
            (Keys::Few(..), parts) => Value(parts.iter().flat_map(|part| part.0.iter().cloned()).collect()),
            (Keys::Many(..) | Keys::All, _) => return Err(Unsupported::new("so large an array literal", span)),
        };
        Ok(Translated { value, defined })
    }

    fn unary(&self, op: UnaryOp, a: &Expr, whole: &Expr) -> Result<Translated, Unsupported> {
        let operand = self.translate(a)?;
        let value = match op {
            UnaryOp::Not => operand.value.term().not(),
            UnaryOp::Neg => match a.sort.bits() {
                Some(bits) => machine::wrapped_once(bits, &operand.value.term().negate()),
                None => operand.value.term().negate(),
            },
            UnaryOp::Ord => operand.value.term().clone(),
            UnaryOp::BitNot => match a.sort.bits() {
                Some(bits) => machine::complement(bits, operand.value.term()),
                None => Term::int(-1).minus(operand.value.term()),
            },
            UnaryOp::Convert => machine::converted(operand.value.term(), &a.sort, &whole.sort),
            UnaryOp::Size => {
                let Sort::Set(element) = &*a.sort else { unreachable!("only sets have a size") };
                match self.population.keys(element) {
                    Keys::Few(..) => Term::sum(operand.value.0.iter().map(truth_as_number)),
                    Keys::Many(..) | Keys::All => return Err(Unsupported::new("the size of a large set", whole.span)),
                }
            }
        };
        Ok(Translated { value: Value::scalar(value), defined: operand.defined })
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Result<Translated, Unsupported> {
        if let Some(changed) = self.with_few_elements(op, a, b)? {
            return Ok(changed);
        }
        let (left, right) = (self.translate(a)?, self.translate(b)?);
        let wanted = match op {
            // The second operand of these is looked at only where it matters.
            BinaryOp::And | BinaryOp::Implies => left.value.term().implies(&right.defined),
            BinaryOp::Or => left.value.term().not().implies(&right.defined),
            BinaryOp::Div | BinaryOp::Mod => right.defined.and(right.value.term().equals(Term::int(0)).not()),
            BinaryOp::Iff
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::In
            | BinaryOp::Subset
            | BinaryOp::Union
            | BinaryOp::Inter
            | BinaryOp::Minus
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => right.defined.clone(),
            BinaryOp::Shl | BinaryOp::Shr => right.defined.and(Term::int(0).le(right.value.term())),
        };
        let value = match (op, a.sort.bits()) {
            (BinaryOp::In, _) => self.population.operate(op, &b.sort, &left.value, &right.value),
            (_, Some(bits)) => {
                let value = self.population.machine_operation(op, bits, left.value.term(), right.value.term());
                value.map(Value::scalar)
            }
            (_, None) => self.population.operate(op, &a.sort, &left.value, &right.value),
        };
        let value = value.ok_or(match op {
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                Unsupported::new("a bit operation without a constant", span)
            }
            BinaryOp::Shl | BinaryOp::Shr => Unsupported::new("a shift by what is not a small constant", span),
            _ => Unsupported::new("division by what is not a constant", span),
        })?;
        Ok(Translated { value, defined: left.defined.and(&wanted) })
    }

    /// A large set with a few elements more or less: plain arrays can say that.
    fn with_few_elements(&self, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Option<Translated>, Unsupported> {
        let present = match op {
            BinaryOp::Union => true,
            BinaryOp::Minus => false,
            _ => return Ok(None),
        };
        let (set, elements) = match (&a.kind, &b.kind) {
            (_, ExprKind::SetLiteral(elements)) => (a, elements),
            (ExprKind::SetLiteral(elements), _) if present => (b, elements),
            _ => return Ok(None),
        };
        let mut set = self.translate(set)?;
        self.put(&a.sort, &mut set, elements, present)?;
        Ok(Some(set))
    }

    /// Puts elements into a set, or takes them out.
    fn put(&self, sort: &Sort, set: &mut Translated, elements: &[Expr], present: bool) -> Result<(), Unsupported> {
        let Sort::Set(element_sort) = sort else { unreachable!("only sets have elements") };
        let keys = self.population.keys(element_sort);
        for element in elements {
            let element = self.translate(element)?;
            let key = element.value.term();
            set.defined = Term::all([&set.defined, &element.defined, &keys.contains(key)]);
            set.value = self.population.with_member(&keys, &set.value, key, present);
        }
        Ok(())
    }
}

/// The same element for all keys.
fn repeated(keys: &Keys, element: &Value) -> Value {
    match keys {
        Keys::Few(_, count) => Value((0..*count).flat_map(|_| element.0.clone()).collect()),
        Keys::Many(..) | Keys::All => Value(element.0.iter().map(Term::filled).collect()),
    }
}

fn read(var: VarRef, shared: &[Value], locals: &[Value]) -> Value {
    match var {
        VarRef::Shared(id) => shared[id.index()].clone(),
        VarRef::Local(id) => locals[id.index()].clone(),
    }
}

/// A constant; booleans are written as truth values.
fn constant(sort: &Sort, value: i64) -> Term {
    match sort {
        Sort::Bool => Term::bool(value != 0),
        Sort::Bits(bits) => machine::constant(*bits, value),
        Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => Term::int(value),
    }
}

pub(crate) fn truth_as_number(truth: &Term) -> Term {
    truth.ite(Term::int(1), Term::int(0))
}
