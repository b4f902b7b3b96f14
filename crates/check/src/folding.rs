//! Foldings: points that are passed within a step, and locals that are forgotten.
//!
//! # The idea
//!
//! A proof may speak of the program with some points *folded*: control runs on from there within the same step,
//! so that no state stands there. It may also have locals *forgotten* at a location: they hold their defaults
//! there. The folded program has fewer states. If nothing is wrong with it, nothing is wrong with the program
//! itself, provided that what follows holds, and that is what is checked here.
//!
//! ## Forgotten locals
//!
//! Where a local is forgotten, its value must not matter any more: the edges from there do not read it, and
//! after each of them it is forgotten again or has got a new value. No property looks at it. Then two states
//! that differ in such locals only have the same errors, violate the same properties, and have successors that
//! differ in such locals only.
//!
//! ## Folded points
//!
//! Every edge from a folded point
//!
//! - reads and writes nothing but the thread's own locals, and nothing in it can go wrong;
//! - ends where control may rest, or at another folded point, and no way leads from a folded point back to it;
//! - leads to a state that violates every property that the state before it violates: locals that properties look
//!   at keep their values, also by going out of scope, and every `t@L` keeps its truth, or becomes true where that
//!   can only help to violate the property ([`Harm`]) and its evaluation never goes wrong.
//!
//! And in each of its states one of its edges can be taken: there is one without a guard, or two whose guards are
//! a condition and its negation.
//!
//! Take a reachable state of the program in which some threads stand at folded points. Each of them can go on, by
//! itself, to a point that is not folded; call the state after that the *settled* one. It has the same shared
//! store, the others stand where they stood, and it violates what the first state violates. What the threads that
//! did not move can do wrong, and what they access, is the same in both. Those that moved could do nothing wrong
//! and access nothing shared before they moved. So if something is wrong with the state, something is wrong with
//! the settled one. Where no thread can take a step, none is at a folded point, and the state is its own settled one; a
//! thread that waits for a mutex is not at a folded point either. In the folded program it can take no step there: a
//! step of the folded program starts with one of the program.
//!
//! The settled state is reachable in the folded program: a step from a folded point commutes with the steps of the
//! other threads, since it touches only what they cannot see; so all of these steps can be moved forward until
//! each follows the step by which its thread came to the folded point. That is an execution of the folded program.

use crate::order::{is_of, never_fails};
use crate::{CheckError, refuted};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::Folding;
use threadwise_ir::{
    BinaryOp, Command, Edge, Expr, ExprKind, LocalId, LocationId, Op, Program, Quantifier, RoutineId, Sort, UnaryOp,
    Update, Value, VarRef,
};

/// Checks that the program is safe if the folded one is.
pub(crate) fn is_admitted(program: &Program, folding: &Folding) -> Result<(), CheckError> {
    let points = folding.points.iter().copied().collect();
    let judge = Judge { program, seen: Seen::by_properties(program), points };
    for &point in &judge.points {
        judge.point_can_be_folded(point).map_err(|why| judge.refusal(point, why))?;
    }
    judge.control_comes_to_rest()?;
    let folded = folding.apply(program);
    for edge in program.edges.iter() {
        let [before, after] = [edge.from, edge.to].map(|at| &folded.location(at).dead[..]);
        judge.forgotten_stays_forgotten(edge, before, after)?;
    }
    Ok(())
}

/// Which truth of a part of a property can help to violate it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Harm {
    True,
    False,
    Either,
}

impl Harm {
    fn negated(self) -> Harm {
        match self {
            Harm::True => Harm::False,
            Harm::False => Harm::True,
            Harm::Either => Harm::Either,
        }
    }
}

/// What properties look at: sets of locations, and locals.
#[derive(Default)]
struct Seen<'a> {
    places: Vec<(&'a [LocationId], Harm)>,
    locals: BTreeSet<(RoutineId, LocalId)>,
}

impl<'a> Seen<'a> {
    fn by_properties(program: &'a Program) -> Seen<'a> {
        let mut seen = Seen::default();
        for (_, e, wrong) in program.formulas() {
            let harm = if wrong { Harm::True } else { Harm::False };
            // What goes wrong does so whatever the truth would be.
            seen.look(program, e, if never_fails(e) { harm } else { Harm::Either });
        }
        seen
    }

    fn look(&mut self, program: &Program, e: &'a Expr, harm: Harm) {
        let mut look = |part: &'a Expr, harm: Harm| self.look(program, part, harm);
        match &e.kind {
            ExprKind::At(thread, locations) => {
                look(&thread.thread, Harm::Either);
                self.places.push((locations, harm));
            }
            ExprKind::LocalOf(thread, local) => {
                look(&thread.thread, Harm::Either);
                self.locals.insert((program.template(thread.template).body, *local));
            }
            ExprKind::Unary(UnaryOp::Not, a) => look(a, harm.negated()),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Size | UnaryOp::Ord | UnaryOp::BitNot | UnaryOp::Convert, a) => {
                look(a, Harm::Either);
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = match op {
                    BinaryOp::And | BinaryOp::Or => (harm, harm),
                    BinaryOp::Implies => (harm.negated(), harm),
                    BinaryOp::Iff | BinaryOp::Eq | BinaryOp::Ne => (Harm::Either, Harm::Either),
                    BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (Harm::Either, Harm::Either),
                    BinaryOp::In | BinaryOp::Subset | BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => {
                        (Harm::Either, Harm::Either)
                    }
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                        (Harm::Either, Harm::Either)
                    }
                    BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
                        (Harm::Either, Harm::Either)
                    }
                };
                look(a, left);
                look(b, right);
            }
            ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, _, body) => look(body, harm),
            ExprKind::Quantified(Quantifier::Count, _, body) => look(body, Harm::Either),
            ExprKind::Conditional(parts) => {
                let [condition, a, b] = &**parts;
                look(condition, Harm::Either);
                look(a, harm);
                look(b, harm);
            }
            ExprKind::Index(a, b) => {
                look(a, Harm::Either);
                look(b, Harm::Either);
            }
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|element| look(element, Harm::Either));
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => {}
        }
    }

    fn looks_at(&self, routine: RoutineId, local: LocalId) -> bool {
        self.locals.contains(&(routine, local))
    }
}

struct Judge<'a> {
    program: &'a Program,
    seen: Seen<'a>,
    points: BTreeSet<LocationId>,
}

impl Judge<'_> {
    fn refusal(&self, point: LocationId, why: &str) -> CheckError {
        let place = self.program.source.locate(self.program.location(point).span);
        refuted(format!("the point at {place} cannot be folded: {why}"))
    }

    fn edges(&self, point: LocationId) -> impl Iterator<Item = &Edge> {
        self.program.location(point).edges.iter().map(|&edge| self.program.edge(edge))
    }

    fn point_can_be_folded(&self, point: LocationId) -> Result<(), &'static str> {
        if self.program.location(point).transient {
            return Err("no state stands there in the first place");
        }
        if !self.can_always_go_on(point) {
            return Err("a thread may have to wait there");
        }
        for edge in self.edges(point) {
            if self.program.location(edge.to).transient {
                return Err("an atomic step begins behind it");
            }
            self.is_private(edge)?;
            if !self.shows_as_much_behind(edge) {
                return Err("a property may be violated there and not behind it");
            }
        }
        Ok(())
    }

    /// Whether there is an edge without a guard, or two with a condition and its negation.
    fn can_always_go_on(&self, point: LocationId) -> bool {
        let guards: Option<Vec<&Expr>> = self
            .edges(point)
            .map(|edge| match &edge.op {
                Op::Command(command) => command.guard.as_deref(),
                Op::Call { .. } | Op::Return(_) => None,
            })
            .collect();
        match guards.as_deref() {
            None => true,
            Some([a, b]) => is_negation(a, b) || is_negation(b, a),
            Some(_) => false,
        }
    }

    fn is_private(&self, edge: &Edge) -> Result<(), &'static str> {
        let Op::Command(Command { assertions, update: Update::Assign(assignments), .. }) = &edge.op else {
            return Err("its step is more than a test or an assignment");
        };
        if !assertions.is_empty() {
            return Err("its step has an assertion");
        }
        let mut private = true;
        edge.op.walk_expressions(&mut |e| private &= !matches!(e.kind, ExprKind::Read(VarRef::Shared(_))));
        if !private {
            return Err("its step reads a shared variable");
        }
        if let Op::Command(Command { guard: Some(guard), .. }) = &edge.op
            && !never_fails(guard)
        {
            return Err("its test may go wrong");
        }
        let routine = self.program.location(edge.from).routine;
        for (place, value) in assignments {
            let VarRef::Local(local) = place.var else { return Err("its step writes a shared variable") };
            if self.seen.looks_at(routine, local) {
                return Err("its step writes a variable that a property looks at");
            }
            if !place.indices.is_empty() || !fits(value, &place.sort) {
                return Err("its step may go wrong");
            }
        }
        Ok(())
    }

    /// Whether what a property sees before the edge that is harmful it also sees after it.
    fn shows_as_much_behind(&self, edge: &Edge) -> bool {
        let [before, after] = [edge.from, edge.to].map(|at| self.program.location(at));
        let goes_out_of_scope =
            |&local: &LocalId| self.seen.looks_at(before.routine, local) && !before.dead.contains(&local);
        let keeps_harm = |(place, harm): &(&[LocationId], Harm)| {
            let [before, after] = [edge.from, edge.to].map(|at| place.contains(&at));
            before == after || after && *harm == Harm::True || before && *harm == Harm::False
        };
        self.seen.places.iter().all(keeps_harm) && !after.dead.iter().any(goes_out_of_scope)
    }

    /// No way leads through folded points for ever: taking away points from which none leads on, one after the other,
    /// leaves none.
    fn control_comes_to_rest(&self) -> Result<(), CheckError> {
        let mut ways_on: BTreeMap<LocationId, usize> = self.points.iter().map(|&point| (point, 0)).collect();
        let mut led_to_by: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        for &point in &self.points {
            for edge in self.edges(point).filter(|edge| self.points.contains(&edge.to)) {
                *ways_on.entry(point).or_default() += 1;
                led_to_by.entry(edge.to).or_default().push(point);
            }
        }
        let mut resting: Vec<LocationId> = self.points.iter().copied().filter(|point| ways_on[point] == 0).collect();
        while let Some(point) = resting.pop() {
            ways_on.remove(&point);
            for from in led_to_by.remove(&point).unwrap_or_default() {
                let ways = ways_on.entry(from).or_default();
                *ways -= 1;
                resting.extend((*ways == 0).then_some(from));
            }
        }
        match ways_on.first_key_value() {
            Some((&point, _)) => Err(self.refusal(point, "folded points lie on a cycle")),
            None => Ok(()),
        }
    }

    /// What is forgotten before an edge is not read by it, and is forgotten or new after it.
    fn forgotten_stays_forgotten(&self, edge: &Edge, before: &[LocalId], after: &[LocalId]) -> Result<(), CheckError> {
        let routine = self.program.location(edge.from).routine;
        let own = &self.program.location(edge.from).dead;
        let forgotten = before.iter().filter(|local| !own.contains(local));
        let read = reads(self.program, edge);
        for &local in forgotten {
            let kept = !matches!(edge.op, Op::Return(_)) && !after.contains(&local) && !assigns(edge, local);
            if kept || read.contains(&local) || self.seen.looks_at(routine, local) {
                let place = self.program.source.locate(self.program.location(edge.from).span);
                let name = &self.program.routine(routine).locals[local.index()].name;
                return Err(refuted(format!("`{name}` is forgotten at {place}, but its value matters")));
            }
        }
        Ok(())
    }
}

fn is_negation(condition: &Expr, negated: &Expr) -> bool {
    match (&condition.kind, &negated.kind) {
        (_, ExprKind::Unary(UnaryOp::Not, inner)) => **inner == *condition,
        (ExprKind::Binary(op, a, b), ExprKind::Binary(opposite, c, d)) => {
            (a, b) == (c, d)
                && matches!(
                    (op, opposite),
                    (BinaryOp::Lt, BinaryOp::Ge) | (BinaryOp::Gt, BinaryOp::Le) | (BinaryOp::Eq, BinaryOp::Ne)
                )
        }
        _ => false,
    }
}

/// Whether storing the value never goes wrong.
fn fits(value: &Value, sort: &Sort) -> bool {
    match value {
        Value::Of(e) => never_fails(e) && is_of(e, sort),
        Value::Any => true,
    }
}

/// The locals that an edge reads.
fn reads(program: &Program, edge: &Edge) -> BTreeSet<LocalId> {
    let mut read = BTreeSet::new();
    edge.op.walk_expressions(&mut |e| {
        if let ExprKind::Read(VarRef::Local(local)) | ExprKind::ReadAfter(VarRef::Local(local)) = e.kind {
            read.insert(local);
        }
    });
    if let Op::Return(None) = edge.op {
        read.extend(program.routine(program.location(edge.from).routine).result);
    }
    read
}

/// Whether an edge gives a local a new value.
fn assigns(edge: &Edge, local: LocalId) -> bool {
    let is_it = |place: &threadwise_ir::Place| place.var == VarRef::Local(local) && place.indices.is_empty();
    match &edge.op {
        Op::Command(Command { update: Update::Assign(assignments), .. }) => {
            assignments.iter().any(|(place, _)| is_it(place))
        }
        Op::Command(Command { update: Update::Action { .. }, .. }) => false,
        Op::Call { result, .. } => result.as_deref().is_some_and(is_it),
        Op::Return(_) => false,
    }
}
