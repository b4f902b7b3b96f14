//! The code of one thread, block by block and instruction by instruction.

use super::{Emitter, Fallible, guarded, inputs, live, unfold};
use crate::code::{BlockId, Callee, End, Failure, Instruction, InstructionKind, Language};
use crate::fresh::Fresh;
use crate::objects::ThreadIndex;
use crate::terms::{not, or};
use crate::threads::{At, loop_heads};
use threadwise_ir::{AssertionKind, Expr, LocationId, RoutineId, TemplateId, Told, Wait};
use threadwise_source::Span;

impl Emitter<'_> {
    pub(super) fn thread(&mut self, thread: ThreadIndex) -> Fallible<()> {
        let of = self.threads.get(thread);
        let function = self.code.function(of.flat.root);
        self.thread = thread;
        self.routine = RoutineId(thread.0);
        self.locals = self.declare_locals(thread);
        self.free_temporaries.clear();
        self.atomic = 0;
        self.fresh = if self.is_outline { Fresh::of(self.threads, thread) } else { Fresh::default() };
        self.at = None;
        let first_location = self.program.locations.len();
        let first_edge = self.edges.len();
        let entry = self.fresh(function.span);
        self.location(entry).transient = false;
        // A thread that nobody starts is not stuck.
        if !of.is_entry {
            self.location(entry).wait = Wait::IsMeant;
        }
        let exit = self.fresh(function.end);
        self.location(exit).transient = false;
        self.exit = exit;
        self.stopped = self.fresh(function.end);
        self.location(self.stopped).transient = false;
        // Where the process has ended, nobody waits.
        self.goes_on_for_ever(self.stopped);
        self.all_stopped.push(self.stopped);
        self.fixed.extend([entry, exit, self.stopped]);
        let heads = loop_heads(&of.flat);
        self.blocks = Vec::new();
        for (index, block) in of.flat.blocks.iter().enumerate() {
            let span = block.instructions.first().map_or(block.span, |first| first.span);
            let at = self.fresh(span);
            self.blocks.push(at);
            if heads[index] && self.depths[thread.index()][index] == 0 {
                self.location(at).transient = false;
                self.fixed.insert(at);
            }
            if let Some(label) = &block.label {
                self.location(at).labels = Box::new([label.clone()]);
            }
        }
        self.here = entry;
        self.saying = Told::Start;
        self.function = function.name.clone();
        self.first_steps(thread, function.span)?;
        self.live(Some(0), true, function.span);
        let first = self.blocks[0];
        self.skip_to(first);
        for (index, block) in of.flat.blocks.iter().enumerate() {
            self.block = index;
            self.function = self.code.function(of.flat.calls[of.flat.call_of[index]].function).name.clone();
            self.here = self.blocks[index];
            self.atomic = self.depths[thread.index()][index];
            for (instruction, number) in block.instructions.iter().zip(0..) {
                let at = At { thread, block: index as u32, instruction: number };
                self.at = Some(at);
                self.saying = match &instruction.kind {
                    InstructionKind::Library(_) | InstructionKind::Call { .. } => Told::Text,
                    InstructionKind::Assert(e, _) | InstructionKind::Assume(e) | InstructionKind::AtomicWhen(e) => {
                        self.words_of_condition(e)
                    }
                    InstructionKind::Declare(_)
                    | InstructionKind::Enter(_)
                    | InstructionKind::Assign { .. }
                    | InstructionKind::Copy { .. }
                    | InstructionKind::Clear(_)
                    | InstructionKind::LoopInvariant(_)
                    | InstructionKind::AtomicBegin
                    | InstructionKind::AtomicEnd => Told::Private,
                };
                self.instruction(at, instruction)?;
                self.statement_ends();
            }
            self.at = Some(At { thread, block: index as u32, instruction: block.instructions.len() as u32 });
            self.saying = match &block.end {
                End::Branch(e, ..) | End::Switch(e, ..) => self.words_of_condition(e),
                End::Return(_) => Told::End,
                End::Goto(_) | End::Exit | End::Unreachable => Told::Private,
            };
            let invariants = std::mem::take(&mut self.loop_invariants);
            if let (End::Goto(to), false) = (&block.end, invariants.is_empty()) {
                self.location(self.blocks[to.index()]).invariants = invariants.into();
            }
            self.end(&block.end, block.span, exit)?;
            self.statement_ends();
        }
        let routine = &mut self.program.routines[thread.index()];
        (routine.entry, routine.exit) = (entry, exit);
        routine.locals = std::mem::take(&mut self.locals);
        for copied in inputs::narrow(&mut self.program, &mut self.edges, self.routine, first_edge) {
            self.told.push(self.told[copied].clone());
            self.told_functions.push(self.told_functions[copied].clone());
            self.places.push(self.places[copied]);
            self.does_the_same(copied, self.told.len() - 1);
        }
        live::tidy(&mut self.program, &mut self.edges, self.routine, first_location, first_edge);
        if self.is_outline {
            unfold::unfold(&mut self.program, &mut self.edges, self.routine, first_location, first_edge);
            // Nobody is told of outlines; there is something for each edge all the same.
            self.told.resize(self.edges.len(), Told::Private);
            self.told_functions.resize(self.edges.len(), self.function.clone());
            self.places.resize(self.edges.len(), None);
        }
        Ok(())
    }

    pub(super) fn instruction(&mut self, at: At, instruction: &Instruction) -> Fallible<()> {
        let span = instruction.span;
        match &instruction.kind {
            InstructionKind::Declare(local) => self.declare_local(*local, span),
            InstructionKind::Enter(text) => {
                self.live_again(self.threads.get(at.thread).flat.call_of[self.block], Some(*text), span)
            }
            InstructionKind::Assign { to, value } => self.assign(to, value, span)?,
            InstructionKind::Copy { to, from } => self.copy(to, from, span)?,
            InstructionKind::Clear(place) => self.clear(place, span)?,
            InstructionKind::Call { callee, args, result } => {
                debug_assert!(matches!(callee, Callee::Function(_)), "pointers were replaced by functions");
                self.unknown_function(args, result.as_ref(), span)?;
            }
            InstructionKind::Assert(e, failure) => {
                let condition = self.condition(e)?;
                match self.is_outline && *failure == Failure::Beyond && self.calls_one_of(e) {
                    true => self.assume(condition, span),
                    false => self.check(condition, kind_of(*failure), span),
                }
            }
            InstructionKind::Assume(e) => {
                let condition = self.condition(e)?;
                self.assume(condition, span);
            }
            InstructionKind::AtomicBegin => {
                self.seen();
                // The region runs to its end, or the execution ends in it: nobody waits here.
                if self.atomic == 0 {
                    self.goes_on_for_ever(self.here);
                }
                self.atomic += 1;
            }
            InstructionKind::AtomicWhen(e) => {
                self.may_wait(span);
                self.seen();
                self.atomic += 1;
                let condition = self.condition(e)?;
                self.step(guarded(condition), span);
            }
            InstructionKind::AtomicEnd => self.atomic = self.atomic.saturating_sub(1),
            InstructionKind::LoopInvariant(_) if self.is_outline => {}
            InstructionKind::LoopInvariant(e) => self.expect_loop(e)?,
            InstructionKind::Library(library) => self.library(at, library, span)?,
        }
        Ok(())
    }

    pub(super) fn end(&mut self, end: &End, span: Span, exit: LocationId) -> Fallible<()> {
        match end {
            End::Goto(to) => {
                self.goes_to(to.index(), span);
                let to = self.blocks[to.index()];
                self.skip_to(to);
            }
            End::Branch(e, yes, no) => {
                let (yes, no) = (self.blocks[yes.index()], self.blocks[no.index()]);
                let ended = self.joined_all.get(&(self.thread, self.block)).cloned();
                let (Some(lives), Some(ended)) = (self.lives.clone(), ended) else {
                    return self.branch(e, yes, no, span);
                };
                let joined = self.fresh(span);
                self.branch(e, yes, joined, span)?;
                self.here = joined;
                for kind in ended {
                    self.step(guarded(lives.nobody_runs(TemplateId(kind.0), span)), span);
                }
                self.skip_to(no);
            }
            End::Switch(e, cases, rest) => self.switch(e, cases, *rest, span)?,
            // Where main returns, the process ends.
            End::Return(_) if self.checks.memtrack && self.is_main() => {
                self.look_for_leaks(false, span);
                self.end_thread(exit, span);
            }
            End::Return(_) if self.checks.deadlock && self.is_main() && self.code.language == Language::C => {
                self.skip_to(self.stopped)
            }
            End::Return(_) => {
                // Where main returns, everybody ends: nobody sees that its variables do.
                if !self.is_main() {
                    self.live(None, false, span);
                }
                self.end_thread(exit, span);
            }
            End::Exit | End::Unreachable => self.stop_when(self.here, Expr::bool(true, span), Span::default()),
        }
        Ok(())
    }

    pub(super) fn switch(
        &mut self,
        e: &crate::code::Expr,
        cases: &[(i64, BlockId)],
        rest: BlockId,
        span: Span,
    ) -> Fallible<()> {
        let value = self.value(e)?;
        let value = self.simple(value, span);
        let mut none = Expr::bool(false, span);
        for (case, to) in cases {
            let is_it = crate::terms::equal(value.clone(), Expr::constant(*case, value.sort, span));
            none = or(none, is_it.clone());
            self.edge(self.here, self.blocks[to.index()], guarded(is_it), span, None);
        }
        self.edge(self.here, self.blocks[rest.index()], guarded(not(none)), span, None);
        Ok(())
    }
}

fn kind_of(failure: Failure) -> AssertionKind {
    match failure {
        Failure::Assertion => AssertionKind::Assert,
        Failure::Overflow => AssertionKind::Arithmetic,
        Failure::Memory => AssertionKind::Memory,
        Failure::Lock => AssertionKind::Lock,
        Failure::Exception => AssertionKind::Exception,
        Failure::Beyond => AssertionKind::Beyond,
    }
}
