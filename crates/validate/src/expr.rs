//! Expressions: that sorts agree, and that they mention only what has a meaning where they stand.

use crate::{Validator, is_finite_scalar};
use threadwise_ir::{
    BinaryOp, Expr, ExprKind, LocalId, LocationId, Quantifier, RoutineId, Sort, ThreadRef, UnaryOp, VarRef,
};

/// What an expression may mention.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    /// The locals of this routine.
    pub(crate) routine: Option<RoutineId>,
    /// The running thread.
    pub(crate) own: bool,
    /// Values after the step.
    pub(crate) after: bool,
    /// Where other threads are, and their locals.
    pub(crate) threads: bool,
    /// The sorts of the bound variables, the outermost first.
    pub(crate) bound: Vec<Sort>,
}

impl Scope {
    pub(crate) fn property() -> Scope {
        Scope { threads: true, ..Scope::default() }
    }

    pub(crate) fn code(routine: RoutineId) -> Scope {
        Scope { routine: Some(routine), own: true, ..Scope::default() }
    }
}

/// Whether a value of one sort may go where the other is expected; that an integer is in its range is checked when it gets there.
pub(crate) fn may_become(value: &Sort, place: &Sort) -> bool {
    value == place || value.is_numeric() && place.is_numeric()
}

impl Validator<'_> {
    /// An expression that is true or false.
    pub(crate) fn condition(&mut self, e: &Expr, scope: &Scope, what: &str) {
        self.require(e.sort == Sort::Bool, || format!("{what} is of sort {:?}, not bool", e.sort));
        self.expr(e, scope, what);
    }

    /// An expression whose value goes where a sort is expected.
    pub(crate) fn fits(&mut self, e: &Expr, sort: &Sort, scope: &Scope, what: &str) {
        self.require(may_become(&e.sort, sort), || format!("{what} is of sort {:?}, not {sort:?}", e.sort));
        self.expr(e, scope, what);
    }

    pub(crate) fn sort(&mut self, sort: &Sort, what: &str) {
        let is_right = match sort {
            Sort::Bool | Sort::Int | Sort::Tid => true,
            Sort::Range(lo, hi) => lo <= hi,
            Sort::Bits(bits) => (1..=64).contains(&bits.width),
            Sort::Enum(id) => self.program.enums.get(id.index()).is_some_and(|def| !def.members.is_empty()),
            Sort::Set(element) => {
                self.sort(element, what);
                is_finite_scalar(element)
            }
            Sort::Array(key, element) => {
                self.sort(key, what);
                self.sort(element, what);
                is_finite_scalar(key) || **key == Sort::Int
            }
        };
        self.require(is_right, || format!("{what} is of sort {sort:?}, which does not exist"));
    }

    /// An expression and all that is inside it.
    pub(crate) fn expr(&mut self, e: &Expr, scope: &Scope, what: &str) {
        self.sort(&e.sort, what);
        let before = self.wrong.len();
        self.parts(e, scope, what);
        // Where parts are wrong, the whole cannot be right.
        if self.wrong.len() == before {
            self.require(self.is_well_sorted(e), || {
                format!("{what} has a part whose sorts do not agree: {:?}", e.kind)
            });
            self.require(self.has_meaning(e, scope), || format!("{what} mentions what it may not: {:?}", e.kind));
        }
    }

    fn parts(&mut self, e: &Expr, scope: &Scope, what: &str) {
        match &e.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => {}
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => self.expr(&thread.thread, scope, what),
            ExprKind::Unary(_, a) => self.expr(a, scope, what),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                self.expr(a, scope, what);
                self.expr(b, scope, what);
            }
            ExprKind::Conditional(parts) => parts.iter().for_each(|part| self.expr(part, scope, what)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|element| self.expr(element, scope, what));
            }
            ExprKind::Quantified(_, binder, body) => {
                self.domain(&binder.domain, what);
                let mut inside = scope.clone();
                inside.bound.push(binder.domain.sort());
                self.expr(body, &inside, what);
            }
        }
    }

    /// Whether everything that the node itself names is there and may be named here.
    fn has_meaning(&self, e: &Expr, scope: &Scope) -> bool {
        match &e.kind {
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => true,
            ExprKind::Thread(template) => self.is_single(*template),
            ExprKind::SelfThread => scope.own,
            ExprKind::Read(var) => self.sort_of(*var, scope.routine) == Some(&e.sort),
            ExprKind::ReadAfter(var) => scope.after && self.sort_of(*var, scope.routine) == Some(&e.sort),
            ExprKind::LocalOf(thread, local) => scope.threads && self.local_of(thread, *local) == Some(&e.sort),
            ExprKind::At(thread, locations) => scope.threads && self.are_points_of(thread, locations),
            ExprKind::Bound(depth) => scope.bound.get(*depth as usize).is_some_and(|sort| e.sort == *sort),
        }
    }

    /// The sort of a variable, if there is one.
    pub(crate) fn sort_of(&self, var: VarRef, routine: Option<RoutineId>) -> Option<&Sort> {
        match var {
            VarRef::Shared(id) => self.program.shared.get(id.index()).map(|var| &var.sort),
            VarRef::Local(id) => self.program.routine(routine?).locals.get(id.index()).map(|var| &var.sort),
        }
    }

    fn local_of(&self, thread: &ThreadRef, local: LocalId) -> Option<&Sort> {
        let template = self.program.templates.get(thread.template.index())?;
        self.sort_of(VarRef::Local(local), Some(template.body))
    }

    /// Whether a thread can be at these locations, which are sorted.
    fn are_points_of(&self, thread: &ThreadRef, locations: &[LocationId]) -> bool {
        if !self.has_template(thread.template) {
            return false;
        }
        // A procedure may be one that the thread never comes to call.
        let is_location = |location: &LocationId| location.index() < self.program.locations.len();
        locations.is_sorted_by(|a, b| a < b) && locations.iter().all(is_location)
    }

    /// Whether the sort of the node follows from the sorts of its parts.
    fn is_well_sorted(&self, e: &Expr) -> bool {
        let sort: &Sort = &e.sort;
        match &e.kind {
            ExprKind::Const(value) => self.is_value(*value, sort),
            ExprKind::Thread(_) | ExprKind::SelfThread => *sort == Sort::Tid,
            // These have the sort of what they name, see `has_meaning`.
            ExprKind::Read(_) | ExprKind::ReadAfter(_) | ExprKind::Bound(_) => true,
            ExprKind::LocalOf(thread, _) => thread.thread.sort == Sort::Tid,
            ExprKind::At(thread, _) => thread.thread.sort == Sort::Tid && *sort == Sort::Bool,
            ExprKind::Unary(UnaryOp::Convert, a) => {
                a.sort.is_integer() && (*sort == Sort::Int || sort.bits().is_some())
            }
            ExprKind::Unary(op, a) => unary(*op, &a.sort).is_some_and(|result| result == *sort),
            ExprKind::Binary(op, a, b) => binary(*op, &a.sort, &b.sort).is_some_and(|result| result == *sort),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                let same = a.sort == b.sort && e.sort == a.sort;
                c.sort == Sort::Bool && (same || a.sort.is_numeric() && b.sort.is_numeric() && *sort == Sort::Int)
            }
            ExprKind::Index(array, key) => match &*array.sort {
                Sort::Array(keys, element) => may_become(&key.sort, keys) && e.sort == *element,
                Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                    false
                }
            },
            ExprKind::SetLiteral(elements) => match sort {
                Sort::Set(of) => elements.iter().all(|element| may_become(&element.sort, of)),
                Sort::Bool
                | Sort::Int
                | Sort::Range(..)
                | Sort::Bits(_)
                | Sort::Enum(_)
                | Sort::Tid
                | Sort::Array(..) => false,
            },
            ExprKind::ArrayLiteral(elements) => match sort {
                Sort::Array(key, of) => {
                    let is_element = |element: &Expr| may_become(&element.sort, of);
                    (elements.len() == 1 || self.number_of(key) == Some(elements.len()))
                        && elements.iter().all(is_element)
                }
                Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                    false
                }
            },
            ExprKind::Quantified(quantifier, _, body) => match quantifier {
                Quantifier::Forall | Quantifier::Exists => body.sort == Sort::Bool && *sort == Sort::Bool,
                Quantifier::Count => (body.sort == Sort::Bool || body.sort.is_numeric()) && *sort == Sort::Int,
            },
        }
    }

    /// How many values a scalar sort has; none where that depends on the number of threads.
    fn number_of(&self, sort: &Sort) -> Option<usize> {
        match sort {
            Sort::Bool => Some(2),
            Sort::Range(lo, hi) => usize::try_from(hi.abs_diff(*lo)).ok()?.checked_add(1),
            Sort::Bits(bits) => 1usize.checked_shl(u32::from(bits.width)),
            Sort::Enum(id) => Some(self.program.enums[id.index()].members.len()),
            Sort::Int | Sort::Tid | Sort::Set(_) | Sort::Array(..) => None,
        }
    }

    /// Whether a constant is a value of its sort.
    fn is_value(&self, value: i64, sort: &Sort) -> bool {
        match sort {
            Sort::Bool => value == 0 || value == 1,
            Sort::Int => true,
            Sort::Range(lo, hi) => (*lo..=*hi).contains(&value),
            Sort::Bits(bits) => bits.contains(value),
            Sort::Enum(id) => usize::try_from(value).is_ok_and(|i| i < self.program.enums[id.index()].members.len()),
            // Threads have no numbers in programs.
            Sort::Tid => value == 0,
            Sort::Set(_) | Sort::Array(..) => false,
        }
    }
}

fn unary(op: UnaryOp, a: &Sort) -> Option<Sort> {
    match op {
        UnaryOp::Not => (*a == Sort::Bool).then_some(Sort::Bool),
        UnaryOp::Neg => arithmetic(a, a),
        UnaryOp::BitNot => arithmetic(a, a),
        // The sort of the whole says to what.
        UnaryOp::Convert => None,
        UnaryOp::Size => matches!(a, Sort::Set(_)).then_some(Sort::Int),
        UnaryOp::Ord => (*a == Sort::Tid).then_some(Sort::Int),
    }
}

/// The sort of a sum, a product and their like.
fn arithmetic(a: &Sort, b: &Sort) -> Option<Sort> {
    if a.is_numeric() && b.is_numeric() { Some(Sort::Int) } else { a.bits().filter(|_| a == b).map(Sort::Bits) }
}

fn binary(op: BinaryOp, a: &Sort, b: &Sort) -> Option<Sort> {
    let (fits, sort) = match op {
        BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Or | BinaryOp::And => {
            (*a == Sort::Bool && *b == Sort::Bool, Sort::Bool)
        }
        // States do not have all elements of arrays over all integers, so nobody could tell.
        BinaryOp::Eq | BinaryOp::Ne => (may_become(a, b) && !a.has_any_length(), Sort::Bool),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (arithmetic(a, b).is_some(), Sort::Bool),
        BinaryOp::In => (matches!(b, Sort::Set(element) if may_become(a, element)), Sort::Bool),
        BinaryOp::Subset => (matches!(a, Sort::Set(_)) && a == b, Sort::Bool),
        BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => (matches!(a, Sort::Set(_)) && a == b, a.clone()),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => return arithmetic(a, b),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => return arithmetic(a, b),
        BinaryOp::Shl | BinaryOp::Shr => return arithmetic(a, a).filter(|_| b.is_integer()),
    };
    fits.then_some(sort)
}
