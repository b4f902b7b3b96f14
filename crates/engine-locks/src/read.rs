//! What the text of a command says, read once.

use threadwise_evidence::{Element, Key};
use threadwise_ir::{
    BinaryOp, Command, Domain, Edge, Expr, ExprKind, Initial, Op, Place, Program, Quantifier, SharedId, Sort,
    TemplateId, UnaryOp, Update, Value, VarRef,
};

/// A value that can be told from the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    Number(i64),
    Me,
    Thread(TemplateId),
    Of(Element),
}

/// Something that is known where a command goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    /// It is zero: `none`, `false` or 0.
    Zero(Element),
    Mine(Element),
    /// The set has the thread.
    HasMe(Element),
    Empty(Element),
    /// A thread has this value in an array over threads.
    Status(SharedId, Term, i64),
    Copy(Term, TemplateId),
    /// No copy of the template has this value in an array over threads.
    NoCopy(SharedId, TemplateId, i64),
    /// It has not its initial value.
    Other(SharedId),
}

/// What is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    Value(Term),
    /// The set with the thread.
    Joins,
    /// The set without it.
    Leaves,
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub var: VarRef,
    /// The element, if its keys can be told.
    pub element: Option<Element>,
    /// The first index, if it can be told.
    pub index: Option<Term>,
    pub what: Written,
}

impl Write {
    pub(crate) fn is(&self, number: i64) -> bool {
        self.what == Written::Value(Term::Number(number))
    }

    /// Whether it may change an element.
    pub(crate) fn may_be(&self, other: &Element) -> bool {
        let differ = |(a, b): (&Key, &Key)| match (a, b) {
            (Key::Number(a), Key::Number(b)) => a != b,
            (Key::Thread(a), Key::Thread(b)) => a != b,
            _ => false,
        };
        self.var == other.var && !self.element.iter().any(|own| own.keys.iter().zip(&other.keys).any(differ))
    }
}

/// What an edge says and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub said: Vec<Said>,
    pub writes: Vec<Write>,
}

impl Reading {
    /// Of a command; of other edges there is nothing to say.
    pub(crate) fn of(program: &Program, edge: &Edge) -> Reading {
        let Op::Command(command) = &edge.op else { return Reading::default() };
        let mut said = Vec::new();
        let conditions = command.assertions.iter().map(|assertion| &assertion.condition);
        conditions.chain(command.guard.as_deref()).for_each(|e| read(program, e, &mut said));
        Reading { said, writes: writes(command) }
    }

    pub(crate) fn says(&self, said: &Said) -> bool {
        self.said.contains(said)
    }

    /// The one write to the variable of an element, if it is of just this element.
    pub(crate) fn only_write(&self, element: &Element) -> Option<&Write> {
        let mut all = self.writes.iter().filter(|write| write.var == element.var);
        let first = all.next()?;
        (all.next().is_none() && first.element.as_ref() == Some(element)).then_some(first)
    }
}

fn read(program: &Program, e: &Expr, out: &mut Vec<Said>) {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            read(program, a, out);
            read(program, b, out);
        }
        ExprKind::Binary(BinaryOp::Eq, a, b) => {
            equation(program, a, b, out);
            equation(program, b, a, out);
        }
        ExprKind::Binary(BinaryOp::Ne, a, b) => {
            differs(program, a, b, out);
            differs(program, b, a, out);
        }
        ExprKind::Binary(BinaryOp::In, a, b) if matches!(a.kind, ExprKind::SelfThread) => {
            out.extend(element_of(b).map(Said::HasMe));
        }
        ExprKind::Unary(UnaryOp::Not, inner) => {
            out.extend(element_of(inner).map(Said::Zero));
            out.extend(variable(inner).filter(|&var| initial(program, var) == Some(1)).map(Said::Other));
        }
        ExprKind::Read(_) => out.extend(variable(e).filter(|&var| initial(program, var) == Some(0)).map(Said::Other)),
        ExprKind::Quantified(Quantifier::Exists, binder, body) => {
            if let Domain::Copies(template) = binder.domain {
                out.extend(copy(body).map(|thread| Said::Copy(thread, template)));
            }
        }
        ExprKind::Quantified(Quantifier::Forall, binder, body) => {
            if let (Domain::Copies(template), Some((array, word))) = (&binder.domain, other_status(body)) {
                out.push(Said::NoCopy(array, *template, word));
            }
        }
        _ => {}
    }
}

/// `array[bound] != word`
fn other_status(body: &Expr) -> Option<(SharedId, i64)> {
    let ExprKind::Binary(BinaryOp::Ne, now, word) = &body.kind else { return None };
    let (ExprKind::Index(array, thread), ExprKind::Const(word)) = (&now.kind, &word.kind) else { return None };
    matches!(thread.kind, ExprKind::Bound(0)).then_some((variable(array)?, *word))
}

fn equation(program: &Program, a: &Expr, b: &Expr, out: &mut Vec<Said>) {
    let element = element_of(a);
    match &b.kind {
        ExprKind::Const(word) => {
            out.extend(element.filter(|_| *word == 0).map(Said::Zero));
            out.extend(status(a).map(|(array, thread)| Said::Status(array, thread, *word)));
            let is_other = |var: &SharedId| initial(program, *var).is_some_and(|initial| initial != *word);
            out.extend(variable(a).filter(is_other).map(Said::Other));
        }
        ExprKind::SelfThread => out.extend(element.map(Said::Mine)),
        ExprKind::SetLiteral(elements) if elements.is_empty() => out.extend(element.map(Said::Empty)),
        _ => {}
    }
}

fn differs(program: &Program, a: &Expr, b: &Expr, out: &mut Vec<Said>) {
    if let ExprKind::Const(word) = b.kind {
        out.extend(variable(a).filter(|&var| initial(program, var) == Some(word)).map(Said::Other));
    }
}

/// The value that a bound variable is said to have.
fn copy(body: &Expr) -> Option<Term> {
    match &body.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => copy(a).or_else(|| copy(b)),
        ExprKind::Binary(BinaryOp::Eq, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Bound(0), _) => term(b),
            (_, ExprKind::Bound(0)) => term(a),
            _ => None,
        },
        _ => None,
    }
}

/// `array[thread]`
fn status(e: &Expr) -> Option<(SharedId, Term)> {
    let ExprKind::Index(array, thread) = &e.kind else { return None };
    Some((variable(array)?, term(thread)?))
}

fn variable(e: &Expr) -> Option<SharedId> {
    match e.kind {
        ExprKind::Read(VarRef::Shared(var)) => Some(var),
        _ => None,
    }
}

pub(crate) fn term(e: &Expr) -> Option<Term> {
    match e.kind {
        ExprKind::Const(word) => Some(Term::Number(word)),
        ExprKind::SelfThread => Some(Term::Me),
        ExprKind::Thread(template) => Some(Term::Thread(template)),
        _ => element_of(e).map(Term::Of),
    }
}

fn element_of(e: &Expr) -> Option<Element> {
    match &e.kind {
        ExprKind::Read(var) => Some(Element { var: *var, keys: Vec::new() }),
        ExprKind::Index(array, index) => {
            let mut element = element_of(array)?;
            element.keys.push(key(index)?);
            Some(element)
        }
        _ => None,
    }
}

pub(crate) fn key(e: &Expr) -> Option<Key> {
    match e.kind {
        ExprKind::Const(word) => Some(Key::Number(word)),
        ExprKind::Read(VarRef::Local(local)) => Some(Key::Local(local)),
        ExprKind::SelfThread => Some(Key::Me),
        ExprKind::Thread(template) => Some(Key::Thread(template)),
        _ => None,
    }
}

fn writes(command: &Command) -> Vec<Write> {
    match &command.update {
        Update::Assign(assignments) => {
            assignments.iter().map(|(place, value)| write(place, written(place, value))).collect()
        }
        Update::Action { frame, .. } => {
            frame.iter().map(|&var| Write { var, element: None, index: None, what: Written::Unknown }).collect()
        }
    }
}

/// What storing something in a place writes.
pub(crate) fn write(place: &Place, what: Written) -> Write {
    let keys = place.indices.iter().map(key).collect::<Option<Vec<Key>>>();
    let element = keys.map(|keys| Element { var: place.var, keys });
    Write { var: place.var, element, index: place.indices.first().and_then(term), what }
}

fn written(place: &Place, value: &Value) -> Written {
    let Value::Of(e) = value else { return Written::Unknown };
    if let Some(term) = term(e) {
        return Written::Value(term);
    }
    let ExprKind::Binary(op, a, b) = &e.kind else { return Written::Unknown };
    let is_same = element_of(a).is_some() && element_of(a) == write(place, Written::Unknown).element;
    match (op, &b.kind) {
        (BinaryOp::Union | BinaryOp::Minus, ExprKind::SetLiteral(own)) if is_same && is_me(own) => match op {
            BinaryOp::Union => Written::Joins,
            _ => Written::Leaves,
        },
        _ => Written::Unknown,
    }
}

fn is_me(elements: &[Expr]) -> bool {
    matches!(elements, [one] if matches!(one.kind, ExprKind::SelfThread))
}

/// The value that a variable has at first, if that is a constant.
pub(crate) fn initial(program: &Program, var: SharedId) -> Option<i64> {
    let var = &program.shared[var.index()];
    match (&var.sort, &var.init) {
        (Sort::Set(_) | Sort::Array(..), _) | (_, Initial::Any) => None,
        (Sort::Range(lo, _), Initial::Default) => Some(*lo),
        (_, Initial::Default) => Some(0),
        (_, Initial::Value(e)) => match e.kind {
            ExprKind::Const(word) => Some(word),
            _ => None,
        },
    }
}
