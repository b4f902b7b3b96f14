//! What an abstract thread can do, asked step by step. The composition says the same of whole
//! programs; here a step is given, and the question is whether it is one.

use crate::abstraction::LocalProperty;
use crate::choices::{for_each_choice, free_words, too_many};
use crate::{
    AbstractEdge, AbstractNode, AbstractThread, Env, Expr, ExprKind, Gap, Instance, NoValue, Op, RoutineId, SharedId,
    Sort, Store, TemplateId, ThreadId, UnaryOp, Update, VarRef,
};
use std::collections::BTreeSet;
use threadwise_source::Span;

impl Instance {
    /// Whether an abstract thread that is in the node goes wrong: its assertion does not hold, or
    /// cannot be evaluated.
    pub fn goes_wrong_in(&self, node: &AbstractNode, thread: ThreadId, shared: &[i64]) -> Result<bool, Gap> {
        let Some(assertion) = &node.assertion else { return Ok(false) };
        let mut env = Env::of_thread(self, RoutineId(0), i64::from(thread.0) + 1, shared, &[]);
        Ok(!truth(env.holds(assertion))?.unwrap_or(false))
    }

    /// Whether a step along the edge can lead from one shared store to the other. Where the formula
    /// cannot be evaluated it does not lead anywhere.
    pub fn leads(&self, edge: &AbstractEdge, thread: ThreadId, before: &[i64], after: &[i64]) -> Result<bool, Gap> {
        let keeps = |var: SharedId| {
            let range = self.shared_range(var);
            edge.frame.contains(&var) || before[range.clone()] == after[range]
        };
        if !(0..self.program.shared.len() as u32).map(SharedId).all(keeps) {
            return Ok(false);
        }
        let Some(formula) = &edge.formula else { return Ok(true) };
        let env = Env::of_thread(self, RoutineId(0), i64::from(thread.0) + 1, before, &[]);
        Ok(truth(env.with_after(after, &[]).holds(formula))?.unwrap_or(false))
    }

    /// Whether a state of a thread violates a property of that thread, or the property cannot be
    /// evaluated in it.
    pub fn violates(
        &self,
        property: &LocalProperty,
        thread: ThreadId,
        shared: &[i64],
        local: &[i64],
    ) -> Result<bool, Gap> {
        let alone = Alone(local);
        for part in &property.parts {
            let mut env = Env::of_state(self, shared, &alone);
            if part.of_each {
                env.bind(i64::from(thread.0) + 1);
            }
            match truth(env.holds(&part.condition))? {
                Some(true) => {}
                Some(false) => return Ok(false),
                None => return Ok(true),
            }
        }
        Ok(true)
    }

    /// The threads whose conformance has to be checked: the first copy of each specified template, or
    /// all of them if `ord` tells them apart. Permuting the copies of a thread maps the steps of the
    /// thread and of its abstract thread to those of the other copy, and all shared stores to all
    /// shared stores.
    pub fn specified_threads(&self) -> Vec<ThreadId> {
        let mut ordered = self.program.uses_ord();
        for thread in &self.program.abstract_threads {
            thread.walk_expressions(&mut |e| ordered |= matches!(e.kind, ExprKind::Unary(UnaryOp::Ord, _)));
        }
        let mut threads = Vec::new();
        for template in (0..self.program.templates.len() as u32).map(TemplateId) {
            if self.program.abstract_thread(template).is_some() {
                let copies = self.copies_of(template);
                threads.extend(copies.take(if ordered { usize::MAX } else { 1 }).map(|index| ThreadId(index as u32)));
            }
        }
        threads
    }

    /// Whether what a thread or its abstract thread does, or what a property asks of the thread,
    /// can depend on how many threads there are.
    pub fn depends_on_copies(&self, template: TemplateId, local: &[LocalProperty]) -> bool {
        let program = &self.program;
        let routines = program.routines_of(template);
        let speaks_of_threads = |e: &Expr| {
            let binds = matches!(&e.kind, ExprKind::Quantified(_, binder, _) if binder.domain.sort() == Sort::Tid);
            binds || e.sort.mentions_tid() || matches!(e.kind, ExprKind::Unary(UnaryOp::Ord, _))
        };
        let mut found = false;
        program.edges_of_thread(template).for_each(|(_, edge)| {
            edge.op.walk_expressions(&mut |e| found |= speaks_of_threads(e));
        });
        if let Some(thread) = program.abstract_thread(template) {
            thread.walk_expressions(&mut |e| found |= speaks_of_threads(e));
        }
        for property in local.iter().filter(|property| property.template == template) {
            // The thread itself, in `t@L` and `t.x`, is always there.
            let is_itself = |e: &Expr| matches!(e.kind, ExprKind::Bound(0) | ExprKind::Thread(_));
            let conditions = property.parts.iter().map(|part| &part.condition);
            conditions.for_each(|e| e.walk(&mut |e| found |= !is_itself(e) && speaks_of_threads(e)));
        }
        let locals = routines.iter().flat_map(|&routine| &program.routine(routine).locals);
        let shared = self.shared_of(template, local);
        found
            || locals.into_iter().any(|var| var.sort.mentions_tid())
            || shared.iter().any(|var| program.shared[var.index()].sort.mentions_tid())
    }

    /// The shared variables that a thread or its abstract thread, or a property of the thread, reads
    /// or writes. The others do not matter to what the two can do.
    pub fn shared_of(&self, template: TemplateId, local: &[LocalProperty]) -> BTreeSet<SharedId> {
        let program = &self.program;
        let mut vars = BTreeSet::new();
        let mut reads = |e: &Expr| {
            if let ExprKind::Read(VarRef::Shared(id)) | ExprKind::ReadAfter(VarRef::Shared(id)) = e.kind {
                vars.insert(id);
            }
        };
        let edges = program.edges_of_thread(template).map(|(_, edge)| edge);
        edges.clone().for_each(|edge| edge.op.walk_expressions(&mut reads));
        if let Some(thread) = program.abstract_thread(template) {
            thread.walk_expressions(&mut reads);
        }
        for property in local.iter().filter(|property| property.template == template) {
            property.parts.iter().for_each(|part| part.condition.walk(&mut reads));
        }
        let mut writes = |var: &VarRef| {
            if let VarRef::Shared(id) = var {
                vars.insert(*id);
            }
        };
        for edge in edges {
            match &edge.op {
                Op::Command(command) => match &command.update {
                    Update::Assign(assignments) => assignments.iter().for_each(|(place, _)| writes(&place.var)),
                    Update::Action { frame, .. } => frame.iter().for_each(&mut writes),
                },
                Op::Call { result, .. } => result.iter().for_each(|place| writes(&place.var)),
                Op::Return(_) => {}
            }
        }
        vars
    }

    /// Every shared store in which the given variables have any values of their sorts, and the
    /// others their defaults; and why there are more, if so: of integers only a few are tried, and
    /// of far too many stores none.
    pub fn stores_over(&self, vars: &BTreeSet<SharedId>) -> (Vec<Store>, Option<Gap>) {
        let mut words = vec![0; self.shared_words()];
        let mut free = Vec::new();
        let mut span = Span::default();
        for (index, var) in self.program.shared.iter().enumerate() {
            let range = self.shared_range(SharedId(index as u32));
            if !vars.contains(&SharedId(index as u32)) {
                self.write_default(&var.sort, &mut words[range]);
                continue;
            }
            free_words(self, &var.sort, range.start, &[], &mut free);
            if span == Span::default() || var.sort.is_infinite() {
                span = var.span;
            }
        }
        if too_many(&free) {
            return (Vec::new(), Some(Gap::TooMany(span)));
        }
        let mut stores = Vec::new();
        let listed = for_each_choice(&free, &mut words, span, &mut |words| {
            stores.push(words.into());
            Ok(())
        });
        (stores, listed.unwrap_or_default())
    }
}

/// The truth of a formula; `None` if its evaluation runs into an error.
fn truth(value: Result<bool, NoValue>) -> Result<Option<bool>, Gap> {
    match value {
        Ok(truth) => Ok(Some(truth)),
        Err(NoValue::Fault(..)) => Ok(None),
        Err(NoValue::Gap(gap)) => Err(gap),
    }
}

/// The local state of one thread, of whom alone the formulas speak.
struct Alone<'a>(&'a [i64]);

impl crate::Locals for Alone<'_> {
    fn local(&self, _: usize) -> &[i64] {
        self.0
    }
}

impl AbstractThread {
    /// Calls `visit` on every expression in the assertions and edges.
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        self.nodes.iter().filter_map(|node| node.assertion.as_ref()).for_each(|e| e.walk(visit));
        self.edges.iter().filter_map(|edge| edge.formula.as_ref()).for_each(|e| e.walk(visit));
    }
}
