//! Which threads of a program were edited: what is known of the others stays true of the new program.
//!
//! What a thread can do at a shared store depends on its code and that of the procedures it calls, on the shared variables,
//! on how many threads there are and in which order, and, for what it shows, on the patterns of properties. Where a thread's code is
//! the same but for its place in the text, and the rest is the same too, the thread has the same steps. Only the numbers of locations and
//! edges are others, since those of the threads before it may be more or fewer; [`Edits::moved`] brings local states to the new ones.

use crate::{
    Assertion, Command, Control, Edge, Expr, ExprKind, Initial, Instance, Op, Place, Program, Routine, RoutineId,
    TemplateId, Update, Value,
};
use std::sync::Arc;
use threadwise_source::Span;

/// How a program differs from an earlier one.
#[derive(Clone, Debug)]
pub struct Edits {
    /// For each template whether its code, or what it calls, is another.
    edited: Vec<bool>,
    /// For each routine by how much the numbers of its locations and of its edges are more.
    shifts: Vec<(i64, i64)>,
}

impl Program {
    /// Which threads are others than those of an earlier program. Nothing where more than their code and the formulas of properties may
    /// differ; formulas may, since no step depends on them.
    pub fn edits_since(&self, earlier: &Program) -> Option<Edits> {
        if !has_the_same_frame(self, earlier) {
            return None;
        }
        let ids = || (0..self.routines.len() as u32).map(RoutineId);
        let differs: Vec<bool> = ids().map(|id| !has_the_same_code(self, earlier, id)).collect();
        // What is called is looked for in the new code: where that is the old one, it calls what it did.
        let is_edited = |id| self.routines_of(id).into_iter().any(|routine| differs[routine.index()]);
        let edited = (0..self.templates.len() as u32).map(|id| is_edited(TemplateId(id))).collect();
        let shift = |new: u32, old: u32| i64::from(new) - i64::from(old);
        let shifts = self.routines.iter().zip(&earlier.routines).map(|(new, old)| {
            (shift(new.locations.start, old.locations.start), shift(new.edges.start, old.edges.start))
        });
        Some(Edits { edited, shifts: shifts.collect() })
    }
}

impl Edits {
    /// Whether the thread is another one.
    pub fn is_edited(&self, template: TemplateId) -> bool {
        self.edited[template.index()]
    }

    /// How many threads are.
    pub fn count(&self) -> usize {
        self.edited.iter().filter(|&&edited| edited).count()
    }

    /// A local state of a thread that was not edited, a whole stack of the earlier instance, in the numbers of the new program.
    pub fn moved(&self, earlier: &Instance, local: &[i64]) -> Vec<i64> {
        let mut words = local.to_vec();
        let mut end = words.len();
        for frame in earlier.frames(local) {
            let (locations, edges) = self.shifts[frame.routine.index()];
            let shifted = |id: u32, by: i64| (i64::from(id) + by) as u32;
            let control = match frame.control {
                Control::At(at) => Control::At(crate::LocationId(shifted(at.0, locations))),
                Control::Calling(edge) => Control::Calling(crate::EdgeId(shifted(edge.0, edges))),
            };
            words[end - 1] = control.word();
            end -= frame.words.len();
        }
        words
    }
}

/// Whether all is the same that steps of several threads may depend on.
fn has_the_same_frame(new: &Program, old: &Program) -> bool {
    let enums = |program: &Program| program.enums.iter().map(|e| e.members.clone()).collect::<Vec<_>>();
    let shared = |program: &Program| {
        let plain = |var: &crate::SharedVar| (var.name.clone(), var.sort.clone(), initial(&var.init));
        program.shared.iter().map(plain).collect::<Vec<_>>()
    };
    let init = |program: &Program| program.init.iter().map(without_places).collect::<Vec<Expr>>();
    let templates =
        |program: &Program| program.templates.iter().map(|t| (t.name.clone(), t.copies, t.body)).collect::<Vec<_>>();
    let names = |program: &Program| program.routines.iter().map(|r| r.name.clone()).collect::<Vec<Arc<str>>>();
    // What shows that a thread waits depends on what the program does with its mutexes.
    let waiting = |program: &Program| match program.patterns().any(|(_, pattern)| pattern.is_of_all_threads()) {
        true => Some((program.mutexes(), program.permits())),
        false => None,
    };
    let looks_at_others = |program: &Program| {
        let mut found = false;
        program
            .edges
            .iter()
            .for_each(|edge| edge.op.walk_expressions(&mut |e| found |= e.thread_looked_at().is_some()));
        found
    };
    enums(new) == enums(old)
        && shared(new) == shared(old)
        && init(new) == init(old)
        && templates(new) == templates(old)
        && names(new) == names(old)
        && new.kept_elements == old.kept_elements
        && patterns(new) == patterns(old)
        && waiting(new) == waiting(old)
        && !looks_at_others(new)
}

fn initial(init: &Initial) -> Option<Option<Expr>> {
    match init {
        Initial::Default => None,
        Initial::Any => Some(None),
        Initial::Value(e) => Some(Some(without_places(e))),
    }
}

/// For each property its pattern; nothing for a formula.
fn patterns(program: &Program) -> Vec<Option<&crate::Pattern>> {
    program.properties.iter().map(crate::Property::pattern).collect()
}

/// Whether a routine is the same but for its place in the text and the numbers of its locations and edges.
fn has_the_same_code(new: &Program, old: &Program, id: RoutineId) -> bool {
    let (ours, theirs) = (new.routine(id), old.routine(id));
    let locals = |routine: &Routine| {
        routine.locals.iter().map(|local| (local.name.clone(), local.sort.clone())).collect::<Vec<_>>()
    };
    let outline = |routine: &Routine| {
        let inside = |location: crate::LocationId| i64::from(location.0) - i64::from(routine.locations.start);
        (routine.params, routine.result, inside(routine.entry), inside(routine.exit))
    };
    if locals(ours) != locals(theirs)
        || outline(ours) != outline(theirs)
        || ours.locations.len() != theirs.locations.len()
        || ours.edges.len() != theirs.edges.len()
    {
        return false;
    }
    let locations = new.locations_of(id).zip(old.locations_of(id));
    let edges = new.edges_of(id).zip(old.edges_of(id));
    let from = |edge: crate::EdgeId, routine: &Routine| i64::from(edge.0) - i64::from(routine.edges.start);
    let at =
        |location: crate::LocationId, routine: &Routine| i64::from(location.0) - i64::from(routine.locations.start);
    let mut locations = locations.map(|((_, a), (_, b))| {
        let leaving = |l: &crate::Location, r: &Routine| l.edges.iter().map(|&edge| from(edge, r)).collect::<Vec<_>>();
        (&a.labels, a.transient, a.wait, &a.dead) == (&b.labels, b.transient, b.wait, &b.dead)
            && leaving(a, ours) == leaving(b, theirs)
    });
    let mut edges = edges.map(|((_, a), (_, b))| {
        (at(a.from, ours), at(a.to, ours), a.branch, a.atomic)
            == (at(b.from, theirs), at(b.to, theirs), b.branch, b.atomic)
            && operation(a) == operation(b)
    });
    locations.all(|same| same) && edges.all(|same| same)
}

/// What an edge does, wherever it stands.
fn operation(edge: &Edge) -> Op {
    let all = |list: &[Expr]| list.iter().map(without_places).collect::<Box<[Expr]>>();
    let boxed = |e: &Expr| Box::new(without_places(e));
    match &edge.op {
        Op::Command(Command { assertions, guard, update }) => {
            let assertion = |a: &Assertion| Assertion { condition: without_places(&a.condition), ..a.clone() };
            let update = match update {
                Update::Assign(assignments) => {
                    let value = |value: &Value| match value {
                        Value::Of(e) => Value::Of(without_places(e)),
                        Value::Any => Value::Any,
                    };
                    Update::Assign(assignments.iter().map(|(to, what)| (place(to), value(what))).collect())
                }
                Update::Action { frame, formula, assertion } => Update::Action {
                    frame: frame.clone(),
                    formula: boxed(formula),
                    assertion: assertion.as_deref().map(boxed),
                },
            };
            let assertions = assertions.iter().map(assertion).collect();
            Op::Command(Command { assertions, guard: guard.as_deref().map(boxed), update })
        }
        Op::Call { routine, args, result } => {
            Op::Call { routine: *routine, args: all(args), result: result.as_deref().map(|to| Box::new(place(to))) }
        }
        Op::Return(value) => Op::Return(value.as_deref().map(boxed)),
    }
}

fn place(of: &Place) -> Place {
    let indices = of.indices.iter().map(without_places).collect();
    Place { indices, span: Span::default(), ..of.clone() }
}

/// An expression, wherever it stands.
fn without_places(e: &Expr) -> Expr {
    let all = |list: &[Expr]| list.iter().map(without_places).collect::<Box<[Expr]>>();
    let boxed = |e: &Expr| Box::new(without_places(e));
    let kind = match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::Bound(_)
        // No step looks at other threads, or nothing is the same.
        | ExprKind::LocalOf(..)
        | ExprKind::At(..) => e.kind.clone(),
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, boxed(a)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, boxed(a), boxed(b)),
        ExprKind::Conditional(parts) => {
            let [a, b, c] = &**parts;
            ExprKind::Conditional(Box::new([without_places(a), without_places(b), without_places(c)]))
        }
        ExprKind::Index(a, b) => ExprKind::Index(boxed(a), boxed(b)),
        ExprKind::SetLiteral(elements) => ExprKind::SetLiteral(all(elements)),
        ExprKind::ArrayLiteral(elements) => ExprKind::ArrayLiteral(all(elements)),
        ExprKind::Quantified(quantifier, binder, body) => {
            ExprKind::Quantified(*quantifier, binder.clone(), boxed(body))
        }
    };
    Expr { kind, sort: e.sort, span: Span::default() }
}
