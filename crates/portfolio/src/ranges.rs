//! Ranges that fit unbounded variables: advice to bound a variable is given only where the bound is known to be kept.

use std::collections::BTreeMap;
use threadwise_ir::{
    BinaryOp, Expr, ExprKind, Initial, LocalId, Op, Place, Program, RoutineId, SharedId, Sort, UnaryOp, Update, Value,
    VarRef,
};
use threadwise_source::Span;

/// So often it is looked whether the values of some variable can be more than was thought; then they count as unbounded.
const MAX_ROUNDS: usize = 8;

/// A variable: shared, or a local of a routine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Variable {
    Shared(SharedId),
    Local(RoutineId, LocalId),
}

type Interval = (i64, i64);

/// The unbounded variables with a range each that they never leave; nothing if there is one of which none is known.
pub(crate) fn fitting_ranges(program: &Program) -> Option<Vec<(&str, Span, Interval)>> {
    let unbounded = unbounded(program);
    let is_number = |(.., sort): &(Variable, &str, Span, &Sort)| **sort == Sort::Int;
    if unbounded.is_empty() || !unbounded.iter().all(is_number) {
        return None;
    }
    let mut known: BTreeMap<Variable, Interval> = BTreeMap::new();
    for (variable, ..) in &unbounded {
        known.insert(*variable, initial(program, *variable)?);
    }
    for _ in 0..MAX_ROUNDS {
        let before = known.clone();
        for location in &program.locations {
            for &edge in &location.edges {
                widen(location.routine, &program.edge(edge).op, &mut known)?;
            }
        }
        if known == before {
            return Some(unbounded.iter().map(|(variable, name, span, _)| (*name, *span, known[variable])).collect());
        }
    }
    None
}

fn unbounded(program: &Program) -> Vec<(Variable, &str, Span, &Sort)> {
    let shared = program.shared.iter().zip((0..).map(SharedId));
    let shared = shared.map(|(var, id)| (Variable::Shared(id), &*var.name, var.span, &var.sort));
    let routines = program.routines.iter().zip((0..).map(RoutineId));
    let locals = routines.flat_map(|(routine, of)| {
        let ids = (0..).map(LocalId);
        routine.locals.iter().zip(ids).map(move |(var, id)| (Variable::Local(of, id), &*var.name, var.span, &var.sort))
    });
    shared.chain(locals).filter(|(.., sort)| sort.is_infinite()).collect()
}

/// What a variable starts with. Parameters start with what callers give them, which is not looked at here.
fn initial(program: &Program, variable: Variable) -> Option<Interval> {
    match variable {
        Variable::Local(routine, id) => (id.index() >= program.routine(routine).params).then_some((0, 0)),
        Variable::Shared(id) => match &program.shared[id.index()].init {
            Initial::Default => Some((0, 0)),
            Initial::Value(Expr { kind: ExprKind::Const(value), .. }) => Some((*value, *value)),
            Initial::Value(_) | Initial::Any => None,
        },
    }
}

/// Adds what an operation assigns to what is known; nothing if that may be any number.
fn widen(routine: RoutineId, op: &Op, known: &mut BTreeMap<Variable, Interval>) -> Option<()> {
    let variable = |place: &Place| match place.var {
        VarRef::Shared(id) => Variable::Shared(id),
        VarRef::Local(id) => Variable::Local(routine, id),
    };
    match op {
        Op::Command(command) => match &command.update {
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    if !known.contains_key(&variable(place)) {
                        continue;
                    }
                    let Value::Of(e) = value else { return None };
                    let new = interval(routine, e, known)?;
                    let old = known.get_mut(&variable(place))?;
                    *old = (old.0.min(new.0), old.1.max(new.1));
                }
                Some(())
            }
            Update::Action { .. } => None,
        },
        Op::Call { result, .. } => {
            let is_unknown = result.as_ref().is_some_and(|place| known.contains_key(&variable(place)));
            (!is_unknown).then_some(())
        }
        Op::Return(_) => Some(()),
    }
}

/// The least and the greatest value that an expression can have.
fn interval(routine: RoutineId, e: &Expr, known: &BTreeMap<Variable, Interval>) -> Option<Interval> {
    let of = |e: &Expr| interval(routine, e, known);
    match &e.kind {
        ExprKind::Const(value) => Some((*value, *value)),
        ExprKind::Read(VarRef::Shared(id)) if *e.sort == Sort::Int => known.get(&Variable::Shared(*id)).copied(),
        ExprKind::Read(VarRef::Local(id)) if *e.sort == Sort::Int => known.get(&Variable::Local(routine, *id)).copied(),
        ExprKind::Read(_) | ExprKind::Index(..) => match *e.sort {
            Sort::Range(low, high) => Some((low, high)),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Neg, a) => {
            let (low, high) = of(a)?;
            Some((high.checked_neg()?, low.checked_neg()?))
        }
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
        }
        ExprKind::Binary(BinaryOp::Sub, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?))
        }
        // A remainder by a positive constant, whatever the number is.
        ExprKind::Binary(BinaryOp::Mod, _, b) => match of(b)? {
            (low, high) if low > 0 => Some((0, high - 1)),
            _ => None,
        },
        ExprKind::Conditional(parts) => {
            let (a, b) = (of(&parts[1])?, of(&parts[2])?);
            Some((a.0.min(b.0), a.1.max(b.1)))
        }
        ExprKind::Thread(_)
        | ExprKind::Bound(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::SelfThread
        | ExprKind::At(..)
        | ExprKind::LocalOf(..)
        | ExprKind::Unary(..)
        | ExprKind::Quantified(..)
        | ExprKind::Binary(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(text: &str) -> Option<Vec<(String, i64, i64)>> {
        let program = threadwise_testing::program(text);
        let found = fitting_ranges(&program)?;
        Some(found.into_iter().map(|(name, _, (low, high))| (name.to_string(), low, high)).collect())
    }

    #[test]
    fn constants_and_sums_of_what_is_bounded_fit() {
        let text = "shared x: int = 12; shared y: int; shared r: 0..3;\n\
                    thread P { x = 40; y = x - r; y = 0 - 2; }";
        assert_eq!(ranges(text), Some(vec![("x".into(), 12, 40), ("y".into(), -2, 40)]));
    }

    #[test]
    fn what_grows_has_no_bound_to_offer() {
        assert_eq!(ranges("shared x: int; thread P { while (true) { x = x + 1; } }"), None);
    }

    #[test]
    fn remainders_are_bounded() {
        let text = "shared x: int; thread P { while (true) { x = (x + 1) % 20; } }";
        assert_eq!(ranges(text), Some(vec![("x".into(), 0, 19)]));
    }
}
