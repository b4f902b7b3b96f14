//! The graph that comes of it: locations, edges, checks, ends of executions, and temporaries.

use super::{Emitter, guarded};
use crate::code::Language;
use crate::terms::{is_false, is_true, not};
use threadwise_ir::{
    AssertionKind, Command, Edge, EdgeId, Expr, LocalId, LocalVar, Location, LocationId, Op, Sort, Wait,
};
use threadwise_source::Span;

impl Emitter<'_> {
    pub(crate) fn fresh(&mut self, span: Span) -> LocationId {
        let id = LocationId(self.program.locations.len() as u32);
        let mut location = Location::new(self.routine, span);
        location.transient = true;
        // Who waits for whom is looked at where deadlocks are errors, and only then is the end of the process known for one.
        location.wait = if self.checks.deadlock { Wait::Counts } else { Wait::IsMeant };
        self.program.locations.push(location);
        id
    }

    pub(super) fn location(&mut self, id: LocationId) -> &mut Location {
        &mut self.program.locations[id.index()]
    }

    /// Other threads can see that this one is here.
    pub(crate) fn seen(&mut self) {
        if self.atomic == 0 {
            let here = self.here;
            self.location(here).transient = false;
        }
    }

    pub(crate) fn edge(
        &mut self,
        from: LocationId,
        to: LocationId,
        command: Command,
        span: Span,
        branch: Option<bool>,
    ) {
        if command.assertions.is_empty() && command.guard.as_deref().is_some_and(is_false) {
            return;
        }
        let guard = command.guard.filter(|guard| !is_true(guard));
        let id = EdgeId(self.edges.len() as u32);
        let op = Op::Command(Command { guard, ..command });
        self.edges.push(Edge { from, to, op, span, branch, atomic: false });
        self.told.push(self.saying.clone());
        self.told_functions.push(self.function.clone());
        self.places.push(self.at);
        self.location(from).edges.push(id);
    }

    /// One step, after which the code goes on.
    pub(crate) fn step(&mut self, command: Command, span: Span) {
        let to = self.fresh(span);
        self.edge(self.here, to, command, span, None);
        self.here = to;
    }

    /// Goes on elsewhere, which is nothing that the user wrote.
    pub(crate) fn skip_to(&mut self, to: LocationId) {
        self.edge(self.here, to, Command::default(), Span::default(), None);
    }

    /// Fails where a condition does not hold, if that is looked for; else the execution ends there.
    pub(crate) fn check(&mut self, condition: Expr, kind: AssertionKind, span: Span) {
        // In Java there are exceptions in place of these errors: the front end has asked before.
        let is_asked =
            self.code.language == Language::Java && matches!(kind, AssertionKind::Memory | AssertionKind::Arithmetic);
        if is_true(&condition) || is_asked {
            return;
        }
        if !self.looks_for(kind) {
            return self.assume(condition, span);
        }
        let command = Command { assertions: self.assertions(condition.clone(), kind, span), ..guarded(condition) };
        self.step(command, span);
    }

    pub(crate) fn looks_for(&self, kind: AssertionKind) -> bool {
        match kind {
            AssertionKind::Assert => self.checks.assertions,
            AssertionKind::Memory => self.checks.memory,
            AssertionKind::Arithmetic => self.checks.overflow,
            AssertionKind::Release | AssertionKind::Lock => self.checks.locks,
            AssertionKind::Exception => self.checks.exceptions,
            AssertionKind::Start | AssertionKind::Join | AssertionKind::Beyond => true,
        }
    }

    /// A thread that is here does not wait, as far as deadlocks are looked for.
    pub(super) fn goes_on_for_ever(&mut self, at: LocationId) {
        if self.checks.deadlock {
            self.edge(at, at, Command::default(), Span::default(), None);
        }
    }

    /// Something that may wait. Inside of an atomic region it is not known who waits then.
    pub(crate) fn may_wait(&mut self, span: Span) {
        if self.checks.deadlock && self.atomic > 0 {
            self.check(Expr::bool(false, span), AssertionKind::Beyond, span);
        }
    }

    /// A start of one of any number of copies waits here until one has taken notice of the start before.
    pub(crate) fn waits_for_copies(&mut self) {
        let here = self.here;
        self.location(here).wait = Wait::IsForCopies;
    }

    /// Whether the thread is the one whose return ends the process.
    pub(super) fn is_main(&self) -> bool {
        self.thread.index() == 0 && self.code.entries.len() == 1
    }

    /// The execution ends where a condition does not hold.
    pub(crate) fn assume(&mut self, condition: Expr, span: Span) {
        if is_true(&condition) {
            return;
        }
        // Where it ends in any case, nothing that the user wrote is done.
        let of = if is_false(&condition) { Span::default() } else { span };
        self.stop_when(self.here, not(condition.clone()), of);
        self.step(guarded(condition), span);
    }

    /// The execution ends, without an error, where a condition holds. In the middle of an atomic region there is no state
    /// that others could see: what the region did so far happened in no execution that goes on.
    pub(crate) fn stop_when(&mut self, from: LocationId, condition: Expr, span: Span) {
        if self.atomic == 0 {
            self.edge(from, self.stopped, guarded(condition), span, None);
        }
    }

    // Temporaries.

    pub(crate) fn temporary(&mut self, sort: &Sort, span: Span) -> LocalId {
        let position = self.free_temporaries.iter().position(|id| self.locals[id.index()].sort == *sort);
        let id = match position {
            Some(position) => self.free_temporaries.swap_remove(position),
            None => self.temporary_of_its_own(sort, span),
        };
        self.used_temporaries.push(id);
        id
    }

    /// A temporary that is used for nothing else: it can be seen what becomes of its value.
    pub(crate) fn temporary_of_its_own(&mut self, sort: &Sort, span: Span) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let name = format!("tmp{}", self.locals.len()).into();
        self.locals.push(LocalVar { name, sort: sort.clone(), span });
        id
    }

    pub(super) fn statement_ends(&mut self) {
        self.free_temporaries.append(&mut self.used_temporaries);
        self.free_temporaries.sort_unstable();
    }
}
