//! Compound statements and jumps.

use super::Lowerer;
use super::body::{LoopTargets, closing_brace};
use super::graph::{AtomicId, DraftUnrolled, PointId};
use super::names::Binding;
use crate::ast::{self, Block, Cond, Name, StmtKind};
use std::ops::RangeInclusive;
use threadwise_ir::{BinaryOp, Command, Copies, Expr, ExprKind, Op, Sort, UnaryOp, Update, VarRef};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// `atomic { … }`: a step into the block, whose inside no other thread sees, and one out of it.
    /// A nested atomic block is just a block.
    pub(super) fn atomic(&mut self, block: &'a Block, span: Span) {
        if self.body.atomic.is_some() {
            return self.block(block);
        }
        self.body.atomic = Some(AtomicId(self.body.atomics));
        self.body.atomics += 1;
        self.command(Command::default(), span);
        self.block(block);
        self.body.atomic = None;
        let (current, end) = (self.body.current, closing_brace(block));
        self.touch(current, end);
        self.command(Command::default(), end);
    }

    pub(super) fn if_else(&mut self, condition: &'a Cond, then: &'a Block, otherwise: Option<&'a Block>, span: Span) {
        let [yes, no] = self.test(condition);
        let (head, join) = (self.body.current, self.fresh());
        self.branch(head, yes, then, join, span, Some(true));
        match otherwise {
            Some(block) => self.branch(head, no, block, join, span, Some(false)),
            None => self.emit(head, join, guarded(no), span, Some(false)),
        }
        self.body.current = join;
    }

    /// The guards of the two outcomes of a test.
    fn test(&mut self, condition: &'a Cond) -> [Option<Expr>; 2] {
        match condition {
            Cond::Any => [None, None],
            Cond::Expr(e) => {
                let yes = self.condition(e);
                let no = yes.clone().map(Expr::negated);
                [yes, no]
            }
        }
    }

    /// A step from `head` into a block from which control goes on to `join`.
    fn branch(
        &mut self,
        head: PointId,
        guard: Option<Expr>,
        block: &'a Block,
        join: PointId,
        span: Span,
        outcome: Option<bool>,
    ) {
        self.in_block(|l| {
            let start = l.fresh();
            l.emit(head, start, guarded(guard), span, outcome);
            l.body.current = start;
            block.stmts.iter().for_each(|stmt| l.stmt(stmt));
        });
        self.flow_to(join);
    }

    pub(super) fn while_loop(&mut self, condition: &'a Cond, invariants: &'a [ast::Expr], body: &'a Block, span: Span) {
        let (head, after) = (self.body.current, self.fresh());
        self.loop_invariants(invariants);
        let [yes, no] = self.test(condition);
        self.body.loops.push(LoopTargets { break_to: after, continue_to: head });
        self.branch(head, yes, body, head, span, Some(true));
        self.body.loops.pop();
        self.emit(head, after, guarded(no), span, Some(false));
        self.body.current = after;
    }

    pub(super) fn endless_loop(&mut self, invariants: &'a [ast::Expr], body: &'a Block) {
        let (head, after) = (self.body.current, self.fresh());
        self.loop_invariants(invariants);
        self.body.loops.push(LoopTargets { break_to: after, continue_to: head });
        self.block(body);
        self.flow_to(head);
        self.body.loops.pop();
        self.body.current = after;
    }

    fn loop_invariants(&mut self, invariants: &'a [ast::Expr]) {
        let head = self.body.current;
        for e in invariants {
            let invariant = self.condition(e);
            self.body.graph.point(head).invariants.extend(invariant);
        }
    }

    /// `break;` and `continue;`
    pub(super) fn leave_loop(&mut self, word: &str, target: impl Fn(&LoopTargets) -> PointId, span: Span) {
        match self.body.loops.last().map(target) {
            Some(to) => self.jump(to),
            None => {
                let error = Diagnostic::error(span, format!("`{word}` outside of a loop"));
                self.report(error.label("no `while`, `loop` or `for` is around it"));
            }
        }
    }

    pub(super) fn choose(&mut self, branches: &'a [Block], span: Span) {
        let (head, join) = (self.body.current, self.fresh());
        for block in branches {
            self.branch(head, None, block, join, span, None);
        }
        self.body.current = join;
    }

    /// `select { … } or { … }`: the first statement of each branch leaves the same point.
    pub(super) fn select(&mut self, branches: &'a [Block], span: Span) {
        let (head, join) = (self.body.current, self.fresh());
        for block in branches {
            self.check_first_statement(block, span);
            self.in_block(|l| {
                l.body.current = head;
                block.stmts.iter().for_each(|stmt| l.stmt(stmt));
            });
            self.flow_to(join);
        }
        self.body.current = join;
    }

    /// A branch is taken by its first statement, so that has to be one that takes a step from here.
    fn check_first_statement(&mut self, block: &'a Block, select: Span) {
        let hint = "start it with what it waits for: `await e;`, `x = receive(c);`, `acquire(m);`, `atomic { … }`";
        let Some(first) = block.stmts.first() else {
            let error = Diagnostic::error(block.span, "a branch of `select` starts with a statement");
            return self.report(error.label("there is none").related(select, "of this `select`").hint(hint));
        };
        if let Some(label) = first.labels.first() {
            let error = Diagnostic::error(label.span, "the first statement of a branch of `select` has no label");
            self.report(error.label("this is the point before the `select`").hint("put the label before `select`"));
        }
        let is_step = match &first.kind {
            StmtKind::Skip | StmtKind::Assign(..) | StmtKind::Assert(..) | StmtKind::Assume(_) => true,
            StmtKind::Lock(..) | StmtKind::Wait(..) | StmtKind::Signal(_) | StmtKind::Broadcast(_) => true,
            StmtKind::Send(..) | StmtKind::Receive { .. } | StmtKind::Action { .. } => true,
            StmtKind::Join(_) | StmtKind::Call { .. } => true,
            StmtKind::Atomic(_) => self.body.atomic.is_none(),
            StmtKind::Empty | StmtKind::Var(_) | StmtKind::Block(_) | StmtKind::If(..) => false,
            StmtKind::While(..) | StmtKind::Loop(..) | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::Choose(_) | StmtKind::Select(_) | StmtKind::For(..) | StmtKind::ForCopies(..) => false,
            StmtKind::Goto(_) | StmtKind::Start { .. } | StmtKind::Return(_) => false,
        };
        if !is_step {
            let error = Diagnostic::error(first.span, "a branch of `select` cannot start with this");
            self.report(error.label("expected a simple statement").related(select, "of this `select`").hint(hint));
        }
    }

    /// `for t in W { … }`: one copy of the body for each copy of the thread. Copies have no names, so the identity is kept in
    /// a local, which is set as one that is declared.
    pub(super) fn for_threads(&mut self, name: &'a Name, thread: &'a Name, body: &'a Block, span: Span) {
        let after = self.fresh();
        let outermost = self.budget.unrolling.is_none();
        self.budget.unrolling.get_or_insert(span);
        let numbers = self.numbers_of_copies(thread);
        let first = numbers.as_ref().map_or(0, |numbers| *numbers.start());
        let mut starts = Vec::new();
        for number in numbers.into_iter().flatten() {
            if !self.spend(1, span) {
                break;
            }
            starts.push(self.body.graph.edges.len());
            let next = self.fresh();
            self.body.loops.push(LoopTargets { break_to: after, continue_to: next });
            self.in_block(|l| {
                l.bind_thread(name, number, span);
                l.block(body);
            });
            self.body.loops.pop();
            self.flow_to(next);
        }
        self.note_copies(name, first, true, starts);
        if outermost {
            self.budget.unrolling = None;
        }
        self.flow_to(after);
    }

    fn bind_thread(&mut self, name: &'a Name, number: i64, span: Span) {
        let before = self.body.current;
        self.body.graph.point(before).quiet = true;
        let Some(local) = self.declare_local(name, Some(&Sort::Tid)) else { return };
        let var = VarRef::Local(local);
        let thread = Expr::new(ExprKind::ReadAfter(var), Sort::Tid, span);
        let number_of = Expr::new(ExprKind::Unary(UnaryOp::Ord, Box::new(thread)), Sort::Int, span);
        let number = Expr::constant(number, Sort::Int, span);
        let formula = Box::new(Expr { span, ..Expr::binary(BinaryOp::Eq, number_of, number, Sort::Bool) });
        let update = Update::Action { frame: [var].into(), formula, assertion: None };
        self.touch(before, span);
        self.command(Command { update, ..Command::default() }, span);
    }

    /// The numbers of the copies of a thread, which must be known.
    fn numbers_of_copies(&mut self, name: &'a Name) -> Option<RangeInclusive<i64>> {
        let template = self.resolve_thread(name)?;
        let mut first = 1;
        for (index, thread) in self.program.templates.iter().enumerate().take(template.index() + 1) {
            let count = match thread.copies {
                Copies::Single => 1,
                Copies::Exactly(count) => i64::from(count),
                Copies::Any => {
                    let error = Diagnostic::error(name.span, format!("the copies of `{}` cannot be listed", name.text));
                    let error = error.label("a loop over them cannot be unrolled");
                    let span = thread.span;
                    self.report(error.related(span, "there is any number of these"));
                    return None;
                }
            };
            if index == template.index() {
                return Some(first..=first + count - 1);
            }
            first += count;
        }
        None
    }

    /// `for k in lo..hi { … }`: one copy after the other. `break` leaves the remaining copies out,
    /// `continue` goes on with the next one.
    pub(super) fn for_loop(&mut self, name: &'a Name, bounds: [&'a ast::Expr; 2], body: &'a Block, span: Span) {
        let after = self.fresh();
        let outermost = self.budget.unrolling.is_none();
        self.budget.unrolling.get_or_insert(span);
        match bounds.map(|e| self.constant(e)) {
            [Some(lo), Some(hi)] => self.for_copies(name, lo..=hi, body, after, span),
            // One copy, to find what else is wrong.
            _ => self.for_copy(name, Binding::Broken, body, after),
        }
        if outermost {
            self.budget.unrolling = None;
        }
        self.flow_to(after);
    }

    fn for_copies(&mut self, name: &'a Name, values: RangeInclusive<i64>, body: &'a Block, after: PointId, span: Span) {
        let before = self.budget.spent();
        let (first, copies) = (*values.start(), u128::from(values.end().abs_diff(*values.start())) + 1);
        let mut starts = Vec::new();
        for value in values {
            if !self.spend(1, span) {
                break;
            }
            starts.push(self.body.graph.edges.len());
            self.for_copy(name, Binding::Constant(value), body, after);
            if value == first {
                self.judge_by_first_copy(self.budget.spent() - before, copies, span);
            }
        }
        self.note_copies(name, first, false, starts);
    }

    /// Keeps in mind which edges belong to which copy.
    fn note_copies(&mut self, name: &Name, first: i64, is_thread: bool, mut starts: Vec<usize>) {
        starts.push(self.body.graph.edges.len());
        self.body.unrolled.push(DraftUnrolled { name: name.text.as_str().into(), first, is_thread, starts });
    }

    fn for_copy(&mut self, name: &'a Name, value: Binding, body: &'a Block, after: PointId) {
        let next = self.fresh();
        self.body.loops.push(LoopTargets { break_to: after, continue_to: next });
        self.in_scope(|l| {
            l.declare(name, value);
            l.block(body);
        });
        self.body.loops.pop();
        self.flow_to(next);
    }

    /// `goto L;`. The label may stand further down, so the jump is completed at the routine's end.
    pub(super) fn goto(&mut self, label: &'a Name) {
        let from = self.body.current;
        self.body.gotos.push((from, label));
        self.body.current = self.fresh();
    }
}

/// A step that only waits for its guard.
fn guarded(guard: Option<Expr>) -> Op {
    Op::Command(Command { guard: guard.map(Box::new), ..Command::default() })
}
