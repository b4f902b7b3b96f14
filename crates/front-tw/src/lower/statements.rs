//! Simple statements: one step each.

use super::graph::PointId;
use super::places::Targets;
use super::records::{Leaf, RecordType};
use super::{Lowerer, Mode};
use crate::ast::{self, Rhs, Stmt, StmtKind, VarDecl};
use threadwise_ir::{Assertion, AssertionKind, Command, Expr, ExprKind, Op, Place, Sort, Update, Value, VarRef};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// A statement with its labels.
    pub(super) fn stmt(&mut self, stmt: &'a Stmt) {
        if !self.spend(1, stmt.span) {
            return;
        }
        let current = self.body.current;
        for label in &stmt.labels {
            self.body.graph.point(current).labels.push(label.text.as_str().into());
            let points = self.body.labels.entry(&label.text).or_default();
            if points.last().is_none_or(|(point, _)| *point != current) {
                points.push((current, label.span));
            }
        }
        if self.starts_with_a_step(&stmt.kind) {
            self.touch(current, stmt.span);
        }
        self.unlabelled(stmt, current);
        if !matches!(stmt.kind, StmtKind::Empty) {
            self.touch(current, stmt.span);
        }
    }

    /// Whether the first step is the statement's own; if not, the point in front of it belongs to
    /// a statement inside.
    fn starts_with_a_step(&self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Empty | StmtKind::Block(_) | StmtKind::Loop(..) => false,
            StmtKind::For(..) | StmtKind::ForCopies(..) => false,
            StmtKind::Atomic(_) => self.body.atomic.is_none(),
            _ => true,
        }
    }

    fn unlabelled(&mut self, stmt: &'a Stmt, current: PointId) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Skip => self.command(Command::default(), span),
            StmtKind::Var(decl) => self.var(decl, current, span),
            StmtKind::Assign(targets, values) => self.assign(targets, values, span),
            StmtKind::Assert(e, message) => self.assert(e, message.as_deref(), span),
            StmtKind::Assume(e) => {
                let guard = self.condition(e).map(Box::new);
                self.command(Command { guard, ..Command::default() }, span);
            }
            StmtKind::Lock(op, e) => self.lock(*op, e, span),
            StmtKind::Wait(condition, mutex) => self.wait_for(condition, mutex, span),
            StmtKind::Signal(condition) => self.signal(condition, span),
            StmtKind::Broadcast(condition) => self.broadcast(condition, span),
            StmtKind::Send(channel, value) => self.send(channel, value, span),
            StmtKind::Receive { result, channel } => self.receive(result.as_ref(), channel, span),
            StmtKind::Action { frame, formula, assertion } => {
                self.action(frame, formula, assertion.as_ref(), span);
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Atomic(block) => self.atomic(block, span),
            StmtKind::If(condition, then, otherwise) => {
                self.if_else(condition, then, otherwise.as_ref(), span);
            }
            StmtKind::While(condition, invariants, body) => self.while_loop(condition, invariants, body, span),
            StmtKind::Loop(invariants, body) => self.endless_loop(invariants, body),
            StmtKind::Break => self.leave_loop("break", |targets| targets.break_to, span),
            StmtKind::Continue => self.leave_loop("continue", |targets| targets.continue_to, span),
            StmtKind::Choose(branches) => self.choose(branches, span),
            StmtKind::Select(branches) => self.select(branches, span),
            StmtKind::ForCopies(name, thread, body) => self.for_threads(name, thread, body, span),
            StmtKind::For(name, lo, hi, body) => self.for_loop(name, [lo, hi], body, span),
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Call { result, proc, args } => self.call(result.as_ref(), proc, args, span),
            StmtKind::Start { result, thread, args } => self.start_thread(result.as_ref(), thread, args, span),
            StmtKind::Join(thread) => self.join_thread(thread, span),
            StmtKind::Return(value) => self.return_from(value.as_ref(), span),
        }
    }

    /// `var x, y: T = e;`. The initial value does not see the new names.
    fn var(&mut self, decl: &'a VarDecl, before: PointId, span: Span) {
        let declared = self.declared(&decl.ty);
        if let Some(ty) = declared.and_then(|declared| declared.record_type()) {
            return self.record_var(decl, &ty, before, span);
        }
        let sort = self.sort(&decl.ty, "a local variable");
        self.body.names_shared = false;
        let value = match (&decl.init, &sort) {
            (None, Some(sort)) => Expr::default_of(sort, span).map(Value::Of),
            (None, None) => None,
            (Some(Rhs::Any(_)), _) => Some(Value::Any),
            (Some(Rhs::Expr(e)), Some(sort)) => self.value_of(e, sort).map(Value::Of),
            (Some(Rhs::Expr(e)), None) => self.expr(e, None).map(Value::Of),
        };
        let mut assignments = Vec::new();
        for name in &decl.names {
            let (Some(id), Some(sort)) = (self.declare_local(name, sort.as_ref()), &sort) else { continue };
            let place = Place { var: VarRef::Local(id), indices: Box::default(), sort: sort.into(), span: name.span };
            match &value {
                Some(value) => assignments.push((place, value.clone())),
                None => self.body.graph.point(before).undeclared.push(id),
            }
        }
        let reads = matches!(&value, Some(Value::Of(e)) if reads_shared(e)) || self.body.names_shared;
        self.body.graph.point(before).quiet = !reads;
        self.command(Command { update: Update::Assign(assignments.into()), ..Command::default() }, span);
    }

    /// `var r: R = e;`: a local for each leaf.
    fn record_var(&mut self, decl: &'a VarDecl, ty: &RecordType, before: PointId, span: Span) {
        let leaves = self.leaves(ty);
        if leaves.iter().any(|leaf| leaf.lock.is_some()) {
            let error = Diagnostic::error(decl.ty.span, "a local variable cannot be a record with locks");
            self.report(error.label("locks are shared variables"));
        }
        let default = |leaf: &Leaf| Expr::default_of(&leaf.sort, span).map(Value::Of);
        self.body.names_shared = false;
        let values: Vec<Option<Value>> = match &decl.init {
            None => leaves.iter().map(default).collect(),
            Some(Rhs::Any(_)) => leaves.iter().map(|_| Some(Value::Any)).collect(),
            Some(Rhs::Expr(e)) => {
                self.record_value(e, ty).into_iter().flatten().map(|value| Some(Value::Of(value))).collect()
            }
        };
        let mut assignments = Vec::new();
        for name in &decl.names {
            let locals = self.declare_record(name, ty);
            for ((id, leaf), value) in locals.into_iter().zip(&leaves).zip(&values) {
                let (var, sort) = (VarRef::Local(id), leaf.sort.clone().into());
                let place = Place { var, indices: Box::default(), sort, span: name.span };
                match value {
                    Some(value) => assignments.push((place, value.clone())),
                    None => self.body.graph.point(before).undeclared.push(id),
                }
            }
        }
        let reads = |value: &Option<Value>| matches!(value, Some(Value::Of(e)) if reads_shared(e));
        self.body.graph.point(before).quiet = !values.iter().any(reads) && !self.body.names_shared;
        self.command(Command { update: Update::Assign(assignments.into()), ..Command::default() }, span);
    }

    /// `x, a[i] = e, *;`. Where two elements of one array turn out to be the same, the later
    /// assignment counts.
    fn assign(&mut self, targets: &'a [ast::Expr], values: &'a [Rhs], span: Span) {
        if targets.len() != values.len() {
            let message = format!("{} for {}", counted(values.len(), "value"), counted(targets.len(), "target"));
            let error = Diagnostic::error(span, message);
            self.report(error.label("each target of an assignment gets one value"));
        }
        let mut assignments: Vec<(Place, Value)> = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            for (place, value) in self.assignment(target, value) {
                self.check_assigned_once(&assignments, &place);
                assignments.push((place, value));
            }
        }
        self.command(Command { update: Update::Assign(assignments.into()), ..Command::default() }, span);
    }

    /// One target and its value: of a record, the leaves.
    fn assignment(&mut self, target: &'a ast::Expr, value: &'a Rhs) -> Vec<(Place, Value)> {
        let targets = self.places(target);
        let (record, places) = match targets {
            Some(Targets { record, places }) => (record, places),
            None => {
                self.assigned_value(value, None);
                return Vec::new();
            }
        };
        let values = match (&record, value) {
            (Some(ty), Rhs::Expr(e)) => {
                self.record_value(e, ty).map(|leaves| leaves.into_iter().map(Value::Of).collect())
            }
            (Some(_), Rhs::Any(_)) => Some(vec![Value::Any; places.len()]),
            (None, _) => self.assigned_value(value, Some(&places[0].sort)).map(|value| vec![value]),
        };
        places.into_iter().zip(values.unwrap_or_default()).collect()
    }

    fn assigned_value(&mut self, value: &'a Rhs, sort: Option<&Sort>) -> Option<Value> {
        match (value, sort) {
            (Rhs::Any(_), _) => Some(Value::Any),
            (Rhs::Expr(e), Some(sort)) => self.value_of(e, sort).map(Value::Of),
            (Rhs::Expr(e), None) => {
                // The target is wrong already, so nothing tells what a set literal holds.
                if super::sets::need(e) == super::sets::Need::Nothing {
                    self.expr(e, None);
                }
                None
            }
        }
    }

    fn check_assigned_once(&mut self, earlier: &[(Place, Value)], place: &Place) {
        let clash = |(other, _): &&(Place, Value)| {
            other.var == place.var && (other.indices.is_empty() || place.indices.is_empty())
        };
        if let Some((other, _)) = earlier.iter().find(clash) {
            let text = self.program.source.snippet(place.span, 40);
            let error = Diagnostic::error(place.span, format!("`{text}` is assigned twice in one step"));
            self.report(error.label("assigned again").related(other.span, "assigned here first"));
        }
    }

    fn assert(&mut self, e: &'a ast::Expr, message: Option<&str>, span: Span) {
        let condition = self.condition(e);
        let message = message.map(Into::into);
        let assertion = |condition| Assertion { condition, kind: AssertionKind::Assert, message };
        let assertions = condition.map(assertion).into_iter().collect();
        self.command(Command { assertions, ..Command::default() }, span);
    }

    fn action(&mut self, frame: &'a [ast::Expr], formula: &'a ast::Expr, assertion: Option<&'a ast::Expr>, span: Span) {
        let frame = self.frame(frame);
        let (formula, assertion) = self.in_mode(Mode::Action, |l| {
            let formula = l.condition(formula);
            (formula, assertion.and_then(|e| l.condition(e)))
        });
        let update = match (frame, formula) {
            (Some(frame), Some(formula)) => {
                Update::Action { frame: frame.into(), formula: Box::new(formula), assertion: assertion.map(Box::new) }
            }
            _ => Update::default(),
        };
        self.command(Command { update, ..Command::default() }, span);
    }

    fn return_from(&mut self, value: Option<&'a ast::Expr>, span: Span) {
        if self.body.is_thread {
            if let Some(e) = value {
                let error = Diagnostic::error(e.span, "a thread returns no value");
                self.report(error.label("nobody receives it").hint("write `return;`"));
            }
            let end = self.body.end;
            return self.jump(end);
        }
        let value = value.and_then(|e| self.returned_value(e));
        let (from, exit) = (self.body.current, self.body.exit);
        self.emit(from, exit, Op::Return(value.map(Box::new)), span, None);
        self.body.current = self.fresh();
    }

    fn returned_value(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        match self.body.result.clone() {
            Some((_, Some(sort))) => self.value_of(e, &sort),
            Some((_, None)) => None,
            None => {
                let name = self.program.routines[self.body.routine.index()].name.clone();
                let error = Diagnostic::error(e.span, format!("the procedure `{name}` has no result"));
                let error = error.label("nothing can be returned");
                self.report(error.hint(format!("declare one, as in `proc {name}(…) returns (r: int)`")));
                None
            }
        }
    }
}

/// Whether other threads can influence the value.
fn reads_shared(e: &Expr) -> bool {
    e.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Shared(_))))
}

/// `1 value`, `2 values`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
