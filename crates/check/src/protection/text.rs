//! What the text of a command says: what it knows when it goes on, and what it writes.

use threadwise_evidence::{Element, Key};
use threadwise_ir::{
    BinaryOp, Command, Domain, Expr, ExprKind, Place, Quantifier, SharedId, TemplateId, UnaryOp, Update, Value, VarRef,
};

/// A value that can be told from the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Number(i64),
    Me,
    Thread(TemplateId),
    /// What a variable has before the step.
    Of(Element),
}

impl Term {
    pub(super) fn of(e: &Expr) -> Option<Term> {
        match &e.kind {
            ExprKind::Const(word) => Some(Term::Number(*word)),
            ExprKind::SelfThread => Some(Term::Me),
            ExprKind::Thread(template) => Some(Term::Thread(*template)),
            _ => element(e).map(Term::Of),
        }
    }
}

/// The variable or element that an expression reads, if its keys can be told.
pub(super) fn element(e: &Expr) -> Option<Element> {
    let (mut root, mut keys) = (e, Vec::new());
    while let ExprKind::Index(array, index) = &root.kind {
        keys.insert(0, key(index)?);
        root = array;
    }
    match root.kind {
        ExprKind::Read(var) => Some(Element { var, keys }),
        _ => None,
    }
}

/// A key that can be told.
pub(super) fn key(e: &Expr) -> Option<Key> {
    match e.kind {
        ExprKind::Const(word) => Some(Key::Number(word)),
        ExprKind::Read(VarRef::Local(local)) => Some(Key::Local(local)),
        ExprKind::SelfThread => Some(Key::Me),
        ExprKind::Thread(template) => Some(Key::Thread(template)),
        _ => None,
    }
}

/// Whether two keys of the same thread at the same time surely differ.
pub(super) fn differ(a: Key, b: Key) -> bool {
    match (a, b) {
        (Key::Number(a), Key::Number(b)) => a != b,
        (Key::Thread(a), Key::Thread(b)) => a != b,
        _ => false,
    }
}

/// The conditions of a conjunction.
fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
    }
}

/// What holds before a command that goes on: its assertions and its guard.
pub(super) struct Known<'e>(Vec<&'e Expr>);

impl<'e> Known<'e> {
    pub(super) fn by(command: &'e Command) -> Known<'e> {
        let mut all = Vec::new();
        command.assertions.iter().for_each(|assertion| conjuncts(&assertion.condition, &mut all));
        command.guard.iter().for_each(|guard| conjuncts(guard, &mut all));
        Known(all)
    }

    pub(super) fn in_condition(e: &'e Expr) -> Known<'e> {
        let mut all = Vec::new();
        conjuncts(e, &mut all);
        Known(all)
    }

    pub(super) fn conditions(&self) -> &[&'e Expr] {
        &self.0
    }

    fn equations(&self) -> impl Iterator<Item = (&'e Expr, &'e Expr)> + '_ {
        self.0.iter().flat_map(|e| match &e.kind {
            ExprKind::Binary(BinaryOp::Eq, a, b) => vec![(&**a, &**b), (&**b, &**a)],
            _ => Vec::new(),
        })
    }

    fn says(&self, what: &Element, value: &Term) -> bool {
        self.equations().any(|(a, b)| Term::of(b).as_ref() == Some(value) && element(a).as_ref() == Some(what))
    }

    /// `x == none`, `x == 0`, `!x`.
    pub(super) fn is_zero(&self, what: &Element) -> bool {
        let is_negated = |e: &&Expr| match &e.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => element(inner).as_ref() == Some(what),
            _ => false,
        };
        self.says(what, &Term::Number(0)) || self.0.iter().any(is_negated)
    }

    /// `x == self`.
    pub(super) fn is_me(&self, what: &Element) -> bool {
        self.says(what, &Term::Me)
    }

    /// `self in x`.
    pub(super) fn has_me(&self, what: &Element) -> bool {
        self.0.iter().any(|e| match &e.kind {
            ExprKind::Binary(BinaryOp::In, a, b) => {
                matches!(a.kind, ExprKind::SelfThread) && element(b).as_ref() == Some(what)
            }
            _ => false,
        })
    }

    /// `x == {}`.
    pub(super) fn is_empty(&self, what: &Element) -> bool {
        let is_empty = |e: &Expr| matches!(&e.kind, ExprKind::SetLiteral(elements) if elements.is_empty());
        self.equations().any(|(a, b)| is_empty(b) && element(a).as_ref() == Some(what))
    }

    /// The threads whose status is this value.
    pub(super) fn with_status(&self, status: SharedId, value: i64) -> Vec<Term> {
        let of = |(a, b): (&Expr, &Expr)| match (&a.kind, &b.kind) {
            (ExprKind::Index(array, thread), ExprKind::Const(word)) if *word == value => match array.kind {
                ExprKind::Read(VarRef::Shared(var)) if var == status => Term::of(thread),
                _ => None,
            },
            _ => None,
        };
        self.equations().filter_map(of).collect()
    }

    /// Whether it is said that the status of each copy of a template is another value: `forall c: T :: status[c] != value`.
    pub(super) fn says_that_no_copy_has(&self, template: TemplateId, status: SharedId, value: i64) -> bool {
        self.0.iter().any(|e| {
            let ExprKind::Quantified(Quantifier::Forall, binder, body) = &e.kind else { return false };
            let ExprKind::Binary(BinaryOp::Ne, now, other) = &body.kind else { return false };
            let ExprKind::Index(array, thread) = &now.kind else { return false };
            let is_of_template = matches!(&binder.domain, Domain::Copies(of) if *of == template);
            let is_status = matches!(array.kind, ExprKind::Read(VarRef::Shared(var)) if var == status);
            let is_each = matches!(thread.kind, ExprKind::Bound(0));
            let is_value = matches!(other.kind, ExprKind::Const(word) if word == value);
            is_of_template && is_status && is_each && is_value
        })
    }

    /// Whether it is said that a value is a copy of a template.
    pub(super) fn is_copy(&self, value: &Term, template: TemplateId) -> bool {
        self.0.iter().any(|e| copy_said(e).is_some_and(|(of, said)| of == template && said == *value))
    }

    /// Whether a variable is said to have another value than this one.
    pub(super) fn is_other(&self, var: SharedId, value: i64) -> bool {
        let is_it = |e: &Expr| matches!(e.kind, ExprKind::Read(VarRef::Shared(read)) if read == var);
        let constant = |e: &Expr| match e.kind {
            ExprKind::Const(word) => Some(word),
            _ => None,
        };
        self.0.iter().any(|e| match &e.kind {
            ExprKind::Read(_) => is_it(e) && value == 0,
            ExprKind::Unary(UnaryOp::Not, inner) => is_it(inner) && value == 1,
            ExprKind::Binary(BinaryOp::Ne, a, b) => {
                is_it(a) && constant(b) == Some(value) || is_it(b) && constant(a) == Some(value)
            }
            ExprKind::Binary(BinaryOp::Eq, a, b) => {
                let differs = |e: &Expr| constant(e).is_some_and(|word| word != value);
                is_it(a) && differs(b) || is_it(b) && differs(a)
            }
            _ => false,
        })
    }
}

/// `exists c: T :: c == value`, perhaps with more conditions.
pub(super) fn copy_said(e: &Expr) -> Option<(TemplateId, Term)> {
    let ExprKind::Quantified(Quantifier::Exists, binder, body) = &e.kind else { return None };
    let Domain::Copies(template) = binder.domain else { return None };
    let inner = Known::in_condition(body);
    let mut equations = inner.equations().filter(|(a, _)| matches!(a.kind, ExprKind::Bound(0)));
    equations.find_map(|(_, value)| Term::of(value)).map(|value| (template, value))
}

/// Something that a step writes.
#[derive(Clone, Debug)]
pub(super) struct Write<'e> {
    pub(super) var: VarRef,
    /// The element, if its keys can be told.
    pub(super) element: Option<Element>,
    /// The first index, if there is one.
    pub(super) index: Option<&'e Expr>,
    /// What is written, where it is said.
    pub(super) value: Option<&'e Expr>,
}

impl<'e> Write<'e> {
    pub(super) fn to_place(place: &'e Place, value: Option<&'e Expr>) -> Write<'e> {
        let keys = place.indices.iter().map(key).collect::<Option<Vec<Key>>>();
        let element = keys.map(|keys| Element { var: place.var, keys });
        Write { var: place.var, element, index: place.indices.first(), value }
    }

    pub(super) fn constant(&self) -> Option<i64> {
        match self.value?.kind {
            ExprKind::Const(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is_me(&self) -> bool {
        self.value.is_some_and(|e| matches!(e.kind, ExprKind::SelfThread))
    }

    /// Whether it may change an element, by the same thread.
    pub(super) fn may_be(&self, other: &Element) -> bool {
        let differs = |own: &Element| own.keys.iter().zip(&other.keys).any(|(a, b)| differ(*a, *b));
        self.var == other.var && !self.element.as_ref().is_some_and(differs)
    }
}

/// Everything that a command writes.
pub(super) fn writes(command: &Command) -> Vec<Write<'_>> {
    match &command.update {
        Update::Assign(assignments) => {
            assignments.iter().map(|(place, value)| Write::to_place(place, expression(value))).collect()
        }
        Update::Action { frame, .. } => {
            frame.iter().map(|&var| Write { var, element: None, index: None, value: None }).collect()
        }
    }
}

fn expression(value: &Value) -> Option<&Expr> {
    match value {
        Value::Of(e) => Some(e),
        Value::Any => None,
    }
}
