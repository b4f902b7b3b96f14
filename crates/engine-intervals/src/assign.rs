//! Assignments: what cells become, which of them are related afterwards, and what the others will hear of it.

use crate::assume::Reader;
use crate::number::{LEAST, MOST, Numbers};
use crate::state::Distance;
use crate::state::{At, State};
use crate::step::{Inner, Walker, Written};
use threadwise_ir::{BinaryOp, Expr, ExprKind, Place, Sort, Value, VarRef};

impl Walker<'_> {
    /// A variable gets any value.
    pub(crate) fn forget(&self, reader: &Reader<'_>, next: &mut Inner, var: VarRef) {
        for at in reader.eyes.range(&next.state, var) {
            let (cell, is_shared) = self.cell(reader, &next.state, at);
            if is_shared {
                note(next, at, (false, false));
            }
            next.state.set(at, self.cells.anything_in(&cell));
        }
    }

    fn cell(&self, reader: &Reader<'_>, state: &State, at: At) -> (crate::cells::Cell, bool) {
        match self.cells.shared.get(at) {
            Some(cell) => (cell.clone(), true),
            None => (self.cells.frame(reader.eyes.routine)[at - state.frame()].clone(), false),
        }
    }

    pub(crate) fn assign(
        &self,
        reader: &Reader<'_>,
        inner: &Inner,
        states: Vec<State>,
        assignments: &[(Place, Value)],
    ) -> Vec<Inner> {
        let conditions = assignments.iter().filter_map(|(_, value)| match value {
            Value::Of(e) => condition_in(e),
            Value::Any => None,
        });
        let states = conditions.fold(states, |states, condition| {
            let split = |state: State| {
                let yes = reader.assume(state.clone(), condition, true, &[]);
                [yes, reader.assume(state, condition, false, &[])].concat()
            };
            states.into_iter().flat_map(split).collect()
        });
        let stored = |state: State| {
            let right = |(place, value): &(Place, Value)| match value {
                Value::Of(e) => self.right_side(reader, &state, e, &place.sort),
                Value::Any => is_scalar(&place.sort).then(|| (self.cells.all(&place.sort), None)),
            };
            let values: Vec<_> = assignments.iter().map(right).collect();
            let mut next = Inner { state, ..inner.clone() };
            let mut stores = Vec::new();
            for ((place, _), value) in assignments.iter().zip(values) {
                match value {
                    Some((value, source)) => stores.push((place, value, source)),
                    None => stores.push((place, Numbers::anything(), None)),
                }
            }
            self.store(reader, &mut next, stores);
            next
        };
        states.into_iter().map(stored).collect()
    }

    /// The value of a scalar right-hand side, and which cell it is the value of.
    pub(crate) fn right_side(
        &self,
        reader: &Reader<'_>,
        state: &State,
        e: &Expr,
        sort: &Sort,
    ) -> Option<(Numbers, Distance)> {
        let value = reader.eyes.value(state, e, &[]);
        if !is_scalar(sort) {
            return None;
        }
        let all = self.cells.all(sort);
        if matches!(sort, Sort::Range(..)) && !value.is_within(&all) {
            reader.eyes.fault.set(true);
        }
        let chosen = branch(reader, state, e);
        Some((value.meet(&all), reader.eyes.linear(state, chosen, &[])))
    }

    /// Stores values, whose sources are cells as they are now.
    pub(crate) fn store(&self, reader: &Reader<'_>, next: &mut Inner, stores: Vec<(&Place, Numbers, Distance)>) {
        let mut strong: Vec<(At, Numbers, Distance)> = Vec::new();
        let mut weak = Vec::new();
        for (place, value, source) in stores {
            let located = reader.eyes.element(&next.state, place.var, place.indices.iter(), &[]);
            let width = self.cells.width(&place.sort);
            match located.single() {
                Some(at) if is_scalar(&place.sort) => {
                    strong.retain(|(other, ..)| *other != at);
                    strong.push((at, value, source));
                }
                _ => weak.extend(
                    located.starts.iter().flat_map(|start| *start..start + width).map(|at| (at, value.clone())),
                ),
            }
        }
        let stronger = strong.iter().map(|(at, value, source)| (*at, direction(&next.state, *at, value, *source)));
        let targets = stronger.chain(weak.iter().map(|(at, _)| (*at, (false, false))));
        for (at, way) in targets.filter(|(at, _)| *at < self.cells.shared.len()).collect::<Vec<_>>() {
            note(next, at, way);
        }
        next.state.assign(&strong);
        for (at, value) in weak {
            let (cell, _) = self.cell(reader, &next.state, at);
            let all = self.cells.anything_in(&cell);
            let joined = next.state.cells[at].join(&value.meet(&all));
            next.state.set(at, if cell.known { joined } else { all });
        }
    }
}

/// The step writes a shared cell, so that it becomes no less, or no more.
fn note(next: &mut Inner, at: At, (up, down): (bool, bool)) {
    match next.written.iter_mut().find(|written| written.at == at) {
        Some(written) => (written.up, written.down) = (written.up && up, written.down && down),
        None => next.written.push(Written { at, before: next.state.cells[at].clone(), up, down }),
    }
}

/// Whether a cell becomes no less, and whether it becomes no more, by being assigned a value.
fn direction(state: &State, at: At, value: &Numbers, source: Distance) -> (bool, bool) {
    let (low, high) = (state.cells[at].low(), state.cells[at].high());
    let within = value.low() != LEAST && value.high() != MOST && low != LEAST && high != MOST;
    let (mut up, mut down) = (within && value.low() >= high, within && value.high() <= low);
    if let Some((source, offset)) = source {
        up |= state.bound(at, source) <= offset;
        down |= state.bound(source, at) <= offset.saturating_neg();
    }
    (up, down)
}

pub(crate) fn is_scalar(sort: &Sort) -> bool {
    match sort {
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => true,
        Sort::Set(_) | Sort::Array(..) => false,
    }
}

/// The condition that decides what a right-hand side is.
fn condition_in(e: &Expr) -> Option<&Expr> {
    let compares = |op: &BinaryOp| {
        matches!(
            op,
            BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Implies
                | BinaryOp::Iff
        )
    };
    match &e.kind {
        ExprKind::Conditional(parts) => Some(&parts[0]),
        ExprKind::Binary(op, ..) if compares(op) => Some(e),
        ExprKind::Unary(threadwise_ir::UnaryOp::Convert | threadwise_ir::UnaryOp::Not, a) => condition_in(a),
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::LocalOf(..)
        | ExprKind::At(..)
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => None,
    }
}

/// The branch of a conditional that is taken, where that is known.
fn branch<'e>(reader: &Reader<'_>, state: &State, e: &'e Expr) -> &'e Expr {
    let ExprKind::Conditional(parts) = &e.kind else { return e };
    match reader.eyes.value(state, &parts[0], &[]).single() {
        Some(1) => branch(reader, state, &parts[1]),
        Some(0) => branch(reader, state, &parts[2]),
        _ => e,
    }
}
