//! The values of expressions.

use crate::ErrorKind;
use crate::functions::unmarked;
use crate::load::THREAD;
use crate::machine::{integer_bits, integer_shift, machine_operation, machine_shift, machine_unary};
use crate::state::{Life, State};
use crate::tree::Program;
use crate::value::{Fault, Name, Ty, Value, unsupported};
use std::collections::BTreeMap;
use threadwise_front_tw::ast::{BinaryOp, Binder, Expr, ExprKind, Machine, Quantifier, UnaryOp};

/// The values after a step of the variables that it may change; nothing while a value has not
/// been determined.
pub(crate) type After = BTreeMap<Name, Option<Value>>;

/// What an expression is evaluated in.
#[derive(Clone)]
pub(crate) struct Env<'a> {
    pub(crate) program: &'a Program,
    pub(crate) state: &'a State,
    /// The running thread; nobody in a property.
    pub(crate) thread: Option<usize>,
    /// The variables after the step, in an action.
    pub(crate) after: Option<&'a After>,
    /// The bound variables with their types, the innermost last.
    pub(crate) bound: Vec<(Name, Ty, Value)>,
}

impl<'a> Env<'a> {
    pub(crate) fn of_thread(program: &'a Program, state: &'a State, thread: usize) -> Env<'a> {
        Env { program, state, thread: Some(thread), after: None, bound: Vec::new() }
    }

    pub(crate) fn of_property(program: &'a Program, state: &'a State) -> Env<'a> {
        Env { program, state, thread: None, after: None, bound: Vec::new() }
    }

    pub(crate) fn holds(&mut self, e: &Expr) -> Result<bool, Fault> {
        self.eval(e)?.as_bool()
    }

    fn int(&mut self, e: &Expr) -> Result<i64, Fault> {
        self.eval(e)?.as_int()
    }

    pub(crate) fn eval(&mut self, e: &Expr) -> Result<Value, Fault> {
        Ok(match &e.kind {
            ExprKind::Int(i) => Value::Int(*i),
            ExprKind::LargeInt(i) => Value::Machine(Machine { width: 64, signed: false }, i128::from(*i)),
            ExprKind::Bool(b) => Value::Bool(*b),
            ExprKind::Name(name) => self.lookup(name)?,
            ExprKind::SelfThread => match self.thread {
                Some(thread) => Value::Thread(thread),
                None => return unsupported("`self` outside a thread"),
            },
            ExprKind::None => Value::Thread(0),
            ExprKind::Prime(variable) => self.value_after(variable)?,
            ExprKind::Index(array, index) => {
                let array = self.eval(array)?;
                array.element(&self.eval(index)?)?.clone()
            }
            ExprKind::Field(owner, field) => self.field(owner, &field.text)?,
            ExprKind::At(thread, label) => {
                let thread = self.eval(thread)?.as_thread()?;
                Value::Bool(self.is_at(thread, &label.text))
            }
            ExprKind::Unary(UnaryOp::Not, e) => Value::Bool(!self.holds(e)?),
            ExprKind::Unary(op @ (UnaryOp::Neg | UnaryOp::BitNot), e) => match (op, self.eval(e)?) {
                (UnaryOp::BitNot, Value::Int(number)) => Value::Int(arithmetic(BinaryOp::Sub, -1, number)?),
                (UnaryOp::Neg, Value::Int(number)) => Value::Int(arithmetic(BinaryOp::Sub, 0, number)?),
                (op, value) => machine_unary(*op, &value)?,
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e)?,
            ExprKind::Conditional(..) if self.is_set(e) => Value::Set(self.set_of(e, None)?),
            ExprKind::Conditional(..) if self.compound_type(e).is_some() => {
                let ty = self.compound_type(e).expect("it is one");
                self.eval_for(e, &ty)?
            }
            ExprKind::Conditional(condition, yes, no) => {
                let value = self.conditional(condition, yes, no)?;
                self.machine_type(e).map_or(value.clone(), |ty| value.adapted(&Ty::Machine(ty)))
            }
            ExprKind::SetLiteral(_) => Value::Set(self.set_of(e, None)?),
            ExprKind::ArrayLiteral(_) | ExprKind::ArrayFill(_) => return unsupported("an array of unknown type"),
            ExprKind::RecordLiteral(name, _) => match self.program.records.get(name.text.as_str()) {
                Some(ty) => self.record_for(e, ty)?,
                None => return unsupported("an unknown record"),
            },
            ExprKind::Call(name, _) => return unsupported(format!("unknown function `{}`", name.text)),
            ExprKind::Size(channel) if matches!(self.type_of(channel), Some(Ty::Chan(..))) => {
                match self.eval(channel)? {
                    Value::Queue(values) => Value::Int(values.len() as i64),
                    other => return unsupported(format!("{other:?} is no channel")),
                }
            }
            ExprKind::Size(set) => Value::Int(self.set_of(set, None)?.len() as i64),
            ExprKind::Ord(thread) => Value::Int(self.eval(thread)?.as_thread()? as i64),
            ExprKind::Convert(to, e) => self.converted(*to, e)?,
            ExprKind::Quantified(quantifier, binders, body) => self.quantified(*quantifier, binders, body)?,
            ExprKind::Error => return unsupported("a syntax error"),
        })
    }

    /// Names are looked up from the inside out.
    fn lookup(&self, name: &str) -> Result<Value, Fault> {
        if let Some(number) = name.strip_prefix(THREAD) {
            return Ok(Value::Thread(number.parse().unwrap_or(0)));
        }
        if let Some((_, _, value)) = self.bound.iter().rev().find(|(bound, ..)| &**bound == name) {
            return Ok(value.clone());
        }
        let local = self.thread.and_then(|thread| self.state.frame(thread)?.local(self.program, name));
        let name = unmarked(name);
        if let Some(value) = local.or_else(|| self.state.shared.get(name)) {
            return Ok(value.clone());
        }
        if let Some(value) = self.program.consts.get(name) {
            return Ok(Value::Int(*value));
        }
        if let Some(member) = self.program.enums.values().flatten().find(|member| &***member == name) {
            return Ok(Value::Member(member.clone()));
        }
        match self.program.threads.iter().find(|thread| thread.single && &*thread.name == name) {
            Some(thread) => Ok(Value::Thread(thread.numbers.start)),
            None => unsupported(format!("unknown name `{name}`")),
        }
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Result<Value, Fault> {
        if self.holds(condition)? { self.eval(yes) } else { self.eval(no) }
    }

    /// The value after the step; what the step does not change is as before.
    fn value_after(&mut self, variable: &Expr) -> Result<Value, Fault> {
        if let ExprKind::Field(owner, field) = &variable.kind
            && let Some(Ty::Record(_)) = self.type_of(owner)
        {
            let whole = self.eval(&Expr { kind: ExprKind::Prime(owner.clone()), span: variable.span })?;
            return Ok(whole.element(&Value::Member(field.text.as_str().into()))?.clone());
        }
        let key = variable_key(variable)?;
        match self.after.and_then(|after| after.get(&*key)) {
            Some(Some(value)) => Ok(value.clone()),
            Some(None) => unsupported("an action that does not say what an integer becomes"),
            None => self.eval(variable),
        }
    }

    /// `l.w`, `l.r`, `l'.w`, `t.x`
    fn field(&mut self, owner: &Expr, field: &str) -> Result<Value, Fault> {
        let (owner_name, primed) = match &owner.kind {
            ExprKind::Prime(inner) => (inner.as_ref(), true),
            _ => (owner, false),
        };
        if let ExprKind::Name(name) = &owner_name.kind {
            let key = format!("{name}.{field}");
            let after = self.after.filter(|_| primed).and_then(|after| after.get(key.as_str()));
            if let Some(Some(value)) = after {
                return Ok(value.clone());
            }
            if let Some(value) = self.state.shared.get(key.as_str()) {
                return Ok(value.clone());
            }
        }
        let owner = self.eval(owner)?;
        if let Value::Record(_) = owner {
            return Ok(owner.element(&Value::Member(field.into()))?.clone());
        }
        self.local_of(owner.as_thread()?, field)
    }

    /// A local of some thread; its default while its block has not been entered.
    fn local_of(&self, thread: usize, name: &str) -> Result<Value, Fault> {
        let Some(frame) = thread.checked_sub(1).and_then(|index| self.state.threads[index].first()) else {
            return unsupported("a local of `none`");
        };
        if let Some(value) = frame.local_from_outside(name) {
            return Ok(value.clone());
        }
        match self.program.routines[frame.routine].local_type(name) {
            Some(ty) => ty.default_value(),
            None => unsupported(format!("unknown local `{name}`")),
        }
    }

    fn is_at(&self, thread: usize, label: &str) -> bool {
        let Some(frame) = self.state.frame(thread) else { return false };
        if self.state.lives[thread - 1] != Life::Running {
            return false;
        }
        let points = self.program.routines[frame.routine].label_points.get(label);
        points.is_some_and(|points| points.contains(&frame.path))
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, whole: &Expr) -> Result<Value, Fault> {
        use BinaryOp::*;
        Ok(match op {
            Implies => Value::Bool(!self.holds(left)? || self.holds(right)?),
            Or => Value::Bool(self.holds(left)? || self.holds(right)?),
            And => Value::Bool(self.holds(left)? && self.holds(right)?),
            Iff => Value::Bool(self.holds(left)? == self.holds(right)?),
            Eq => Value::Bool(self.equal(left, right)?),
            Ne => Value::Bool(!self.equal(left, right)?),
            Lt | Le | Gt | Ge => {
                let (left, right) = self.two_numbers(left, right)?;
                Value::Bool(match op {
                    Lt => left < right,
                    Le => left <= right,
                    Gt => left > right,
                    _ => left >= right,
                })
            }
            In => Value::Bool(self.is_in(left, right)?),
            Subset => {
                let (left, right) = self.two_sets(left, right, None)?;
                Value::Bool(left.is_subset(&right))
            }
            Union | Inter | Minus => Value::Set(self.set_of(whole, None)?),
            Add | Sub | Mul | Div | Mod => match self.operands(left, right)? {
                (Value::Int(left), Value::Int(right)) => Value::Int(arithmetic(op, left, right)?),
                (left, right) => machine_operation(op, &left, &right)?,
            },
            BitAnd | BitOr | BitXor => match self.operands(left, right)? {
                (Value::Int(left), Value::Int(right)) => Value::Int(integer_bits(op, left, right)),
                (left, right) => machine_operation(op, &left, &right)?,
            },
            Shl | Shr => match (self.eval(left)?, self.eval(right)?) {
                (Value::Int(number), count) => Value::Int(integer_shift(op, number, count.as_number()?)?),
                (number, count) => machine_shift(op, &number, &count)?,
            },
        })
    }

    fn equal(&mut self, left: &Expr, right: &Expr) -> Result<bool, Fault> {
        match self.compound_type(left).or_else(|| self.compound_type(right)) {
            Some(ty @ Ty::Record(_)) => return self.records_equal(left, right, &ty),
            Some(ty @ Ty::Array(..)) => return self.arrays_equal(left, right, &ty),
            _ => {}
        }
        if self.is_set(left) || self.is_set(right) {
            let (left, right) = self.two_sets(left, right, None)?;
            return Ok(left == right);
        }
        let (left, right) = self.operands(left, right)?;
        Ok(left == right)
    }

    fn quantified(&mut self, quantifier: Quantifier, binders: &[Binder], body: &Expr) -> Result<Value, Fault> {
        let mut number = 0;
        let outer = self.bound.len();
        let stopped = self.for_each_binding(binders, &mut |env| {
            let holds = env.holds(body)?;
            number += i64::from(holds);
            Ok(match quantifier {
                Quantifier::Forall => !holds,
                Quantifier::Exists => holds,
                Quantifier::Count => false,
            })
        });
        self.bound.truncate(outer);
        let stopped = stopped?;
        Ok(match quantifier {
            Quantifier::Forall => Value::Bool(!stopped),
            Quantifier::Exists => Value::Bool(stopped),
            Quantifier::Count => Value::Int(number),
        })
    }

    /// Calls `visit` for all values of the binders in order, until it returns true.
    pub(crate) fn for_each_binding(
        &mut self,
        binders: &[Binder],
        visit: &mut dyn FnMut(&mut Env) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let Some((binder, rest)) = binders.split_first() else { return visit(self) };
        let program = self.program;
        let ty = program.resolve(&binder.ty, &mut |e| self.int(e))?;
        for value in ty.values()? {
            self.bound.push((binder.name.text.as_str().into(), ty.clone(), value));
            let stopped = self.for_each_binding(rest, visit)?;
            self.bound.pop();
            if stopped {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The name that a variable or a field of a lock has in the state.
pub(crate) fn variable_key(variable: &Expr) -> Result<Name, Fault> {
    match &variable.kind {
        ExprKind::Name(name) => Ok(name.as_str().into()),
        ExprKind::Field(owner, field) => match &owner.kind {
            ExprKind::Name(name) => Ok(format!("{name}.{}", field.text).into()),
            _ => unsupported("a field of something that is no lock"),
        },
        other => unsupported(format!("{other:?} is no variable")),
    }
}

/// Arithmetic on integers. `/` rounds toward negative infinity and `%` has the sign of the divisor.
pub(crate) fn arithmetic(op: BinaryOp, a: i64, b: i64) -> Result<i64, Fault> {
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div | BinaryOp::Mod if b == 0 => return Err(Fault::Error(ErrorKind::Division)),
        BinaryOp::Div => a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }),
        BinaryOp::Mod => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => Some(integer_bits(op, a, b)),
        BinaryOp::Shl | BinaryOp::Shr => Some(integer_shift(op, a, i128::from(b))?),
        other => return unsupported(format!("{other:?} on constants")),
    };
    result.map_or_else(|| unsupported("a number outgrew 64 bits"), Ok)
}
