//! What is left of a state where a condition is known to have a value.

use crate::cells::OTHER;
use crate::expression::Eyes;
use crate::known::Known;
use crate::number::{LEAST, MOST, Numbers};
use crate::state::{At, State};
use threadwise_ir::{BinaryOp, Expr, ExprKind, Quantifier, Sort, UnaryOp};

/// More alternatives than this are joined.
const MANY: usize = 24;

/// Somebody who looks at states, and knows what always holds between steps. In the middle of a step that is still known of
/// what the step has not written.
pub(crate) struct Reader<'a> {
    pub(crate) eyes: Eyes<'a>,
    pub(crate) known: Option<&'a Known>,
    pub(crate) written: Vec<At>,
}

impl Reader<'_> {
    /// The parts of a state in which an expression is true, or false.
    pub(crate) fn assume(&self, state: State, e: &Expr, truth: bool, bound: &[i64]) -> Vec<State> {
        let value = self.eyes.value(&state, e, bound);
        if !value.contains(i64::from(truth)) {
            return Vec::new();
        }
        if value.single().is_some() {
            return vec![state];
        }
        let parts = match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.assume(state, a, !truth, bound),
            ExprKind::Binary(op, a, b) => self.assume_binary(state, *op, (a, b), truth, bound),
            ExprKind::Read(_) | ExprKind::Index(..) => self.assume_cell(state, e, truth, bound),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let first = self.assume_all(self.assume(state.clone(), condition, true, bound), yes, truth, bound);
                let second = self.assume_all(self.assume(state, condition, false, bound), no, truth, bound);
                [first, second].concat()
            }
            ExprKind::Quantified(quantifier @ (Quantifier::Forall | Quantifier::Exists), binder, body) => {
                let Some(domain) = self.eyes.cells.domain(self.eyes.me, &binder.domain) else { return vec![state] };
                let one_of = (*quantifier == Quantifier::Exists) == truth;
                let of = |value: &i64| [bound, &[*value]].concat();
                match one_of {
                    true => domain.iter().flat_map(|v| self.assume(state.clone(), body, truth, &of(v))).collect(),
                    false => domain.iter().fold(vec![state], |states, v| self.assume_all(states, body, truth, &of(v))),
                }
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Bound(_)
            | ExprKind::Unary(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => vec![state],
        };
        fewer(parts)
    }

    pub(crate) fn assume_all(&self, states: Vec<State>, e: &Expr, truth: bool, bound: &[i64]) -> Vec<State> {
        fewer(states.into_iter().flat_map(|state| self.assume(state, e, truth, bound)).collect())
    }

    fn assume_cell(&self, mut state: State, e: &Expr, truth: bool, bound: &[i64]) -> Vec<State> {
        let Some(at) = self.eyes.locate(&state, e, bound).and_then(|located| located.single()) else {
            return vec![state];
        };
        let is_possible = self.restrict(&mut state, at, &Numbers::exactly(i64::from(truth)));
        is_possible.then_some(state).into_iter().collect()
    }

    /// A cell is in a set, and with it what always holds then.
    fn restrict(&self, state: &mut State, at: At, set: &Numbers) -> bool {
        let before = state.cells[at].single();
        if !state.restrict(at, set) {
            return false;
        }
        match (self.known, state.cells[at].single()) {
            (Some(known), Some(value)) if before.is_none() && !self.written.contains(&at) => {
                known.meet_where(self.eyes.cells, self.eyes.me, state, (at, value), &self.written)
            }
            _ => true,
        }
    }

    fn assume_binary(
        &self,
        state: State,
        op: BinaryOp,
        (a, b): (&Expr, &Expr),
        truth: bool,
        bound: &[i64],
    ) -> Vec<State> {
        let both =
            |first: bool, second: bool| self.assume_all(self.assume(state.clone(), a, first, bound), b, second, bound);
        match (op, truth) {
            (BinaryOp::And, true) => both(true, true),
            (BinaryOp::And, false) => [self.assume(state.clone(), a, false, bound), both(true, false)].concat(),
            (BinaryOp::Or, true) => [self.assume(state.clone(), a, true, bound), both(false, true)].concat(),
            (BinaryOp::Or, false) => both(false, false),
            (BinaryOp::Implies, true) => [self.assume(state.clone(), a, false, bound), both(true, true)].concat(),
            (BinaryOp::Implies, false) => both(true, false),
            (BinaryOp::Iff, _) => [both(true, truth), both(false, !truth)].concat(),
            (BinaryOp::Eq | BinaryOp::Ne, _) if *a.sort == Sort::Bool => {
                let equal = (op == BinaryOp::Eq) == truth;
                [both(true, equal), both(false, !equal)].concat()
            }
            (BinaryOp::Eq, _) => self.assume_equal(state, a, b, truth, bound),
            (BinaryOp::Ne, _) => self.assume_equal(state, a, b, !truth, bound),
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => self.assume_less(state, a, b, -1, bound),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => self.assume_less(state, a, b, 0, bound),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => self.assume_less(state, b, a, -1, bound),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => self.assume_less(state, b, a, 0, bound),
            (
                BinaryOp::In
                | BinaryOp::Subset
                | BinaryOp::Union
                | BinaryOp::Inter
                | BinaryOp::Minus
                | BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Shl
                | BinaryOp::Shr,
                _,
            ) => vec![state],
        }
    }

    /// The only cell that an expression of any scalar sort is, with an offset.
    fn cell(&self, state: &State, e: &Expr, bound: &[i64]) -> Option<(At, i64)> {
        if e.sort.is_integer() {
            return self.eyes.linear(state, e, bound);
        }
        let scalar = e.sort.array_depth() == 0 && !matches!(*e.sort, Sort::Set(_));
        self.eyes.locate(state, e, bound).filter(|_| scalar)?.single().map(|at| (at, 0))
    }

    fn assume_equal(&self, mut state: State, a: &Expr, b: &Expr, equal: bool, bound: &[i64]) -> Vec<State> {
        let (left, right) = (self.cell(&state, a, bound), self.cell(&state, b, bound));
        if !equal && a.sort.is_integer() && left.is_some() && right.is_some() {
            let less = self.assume_less(state.clone(), a, b, -1, bound);
            return [less, self.assume_less(state, b, a, -1, bound)].concat();
        }
        let values = (self.eyes.value(&state, a, bound), self.eyes.value(&state, b, bound));
        let mut is_possible = true;
        for (cell, value) in [(left, &values.1), (right, &values.0)] {
            let Some((at, offset)) = cell else { continue };
            let Some(back) = offset.checked_neg() else { continue };
            let set = match (equal, value.single()) {
                (true, _) => value.plus(back),
                (false, Some(number)) if number != OTHER || *a.sort != Sort::Tid => {
                    state.cells[at].without(number.saturating_add(back))
                }
                (false, _) => continue,
            };
            is_possible = is_possible && self.restrict(&mut state, at, &set);
        }
        if let (true, true, Some((x, c)), Some((y, d))) = (equal, is_possible && a.sort.is_integer(), left, right) {
            is_possible = self.relate(&mut state, (x, c), (y, d), 0) && self.relate(&mut state, (y, d), (x, c), 0);
        }
        is_possible.then_some(state).into_iter().collect()
    }

    fn assume_less(&self, mut state: State, a: &Expr, b: &Expr, offset: i64, bound: &[i64]) -> Vec<State> {
        let (left, right) = (self.cell(&state, a, bound), self.cell(&state, b, bound));
        let values = (self.eyes.value(&state, a, bound), self.eyes.value(&state, b, bound));
        let mut is_possible = true;
        if let Some((at, c)) = left
            && values.1.high() != MOST
        {
            let most = i128::from(values.1.high()) + i128::from(offset) - i128::from(c);
            is_possible = self.restrict(&mut state, at, &Numbers::between_wide(i128::from(LEAST), most));
        }
        if let Some((at, d)) = right
            && values.0.low() != LEAST
        {
            let least = i128::from(values.0.low()) - i128::from(offset) - i128::from(d);
            is_possible = is_possible && self.restrict(&mut state, at, &Numbers::between_wide(least, i128::from(MOST)));
        }
        if let (true, Some(x), Some(y)) = (is_possible, left, right) {
            is_possible = self.relate(&mut state, x, y, offset);
        }
        is_possible.then_some(state).into_iter().collect()
    }

    /// One sum is at most another one plus an offset.
    fn relate(&self, state: &mut State, (x, c): (At, i64), (y, d): (At, i64), offset: i64) -> bool {
        let bound = i128::from(d) - i128::from(c) + i128::from(offset);
        i64::try_from(bound).map_or(true, |bound| state.relate(x, y, bound))
    }
}

/// The same states, some of them joined where they are many.
fn fewer(mut states: Vec<State>) -> Vec<State> {
    while states.len() > MANY {
        let (last, before) = (states.pop(), states.pop());
        states.extend(last.zip(before).map(|(a, b)| a.join(&b, &[])));
    }
    states
}
