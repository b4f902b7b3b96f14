//! Code.

use super::{Kind, Walk};
use threadwise_front_tw::ast::*;

impl Walk {
    /// The body of a thread or a procedure: labels can be seen from all of it.
    pub(super) fn body(&mut self, body: &Block) {
        self.labels(body);
        self.block(body);
    }

    fn labels(&mut self, block: &Block) {
        for statement in &block.stmts {
            for label in &statement.labels {
                match self.home.and_then(|home| self.member(home, &label.text, Kind::Label)) {
                    Some(first) => self.note(label.span, first),
                    None => drop(self.add(label, Kind::Label, label.span, None)),
                }
            }
            blocks(&statement.kind).for_each(|inner| self.labels(inner));
        }
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|walk| block.stmts.iter().for_each(|statement| walk.statement(statement)));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Empty | StmtKind::Skip | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Var(variables) => {
                self.types_and_values(variables);
                for name in &variables.names {
                    self.declare(name, Kind::Local, statement.span, Some(&variables.ty));
                }
            }
            StmtKind::Assign(targets, values) => {
                self.exprs(targets);
                values.iter().for_each(|value| match value {
                    Rhs::Expr(value) => self.expr(value),
                    Rhs::Any(_) => {}
                });
            }
            StmtKind::Assert(e, _) | StmtKind::Assume(e) | StmtKind::Lock(_, e) | StmtKind::Signal(e) => self.expr(e),
            StmtKind::Broadcast(e) | StmtKind::Join(e) => self.expr(e),
            StmtKind::Wait(a, b) | StmtKind::Send(a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            StmtKind::Receive { result, channel } => {
                self.exprs(result.as_slice());
                self.expr(channel);
            }
            StmtKind::Action { frame, formula, assertion } => {
                self.exprs(frame);
                self.expr(formula);
                self.exprs(assertion.as_slice());
            }
            StmtKind::Block(block) | StmtKind::Atomic(block) => self.block(block),
            StmtKind::If(condition, then, otherwise) => {
                self.condition(condition);
                self.block(then);
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::While(condition, invariants, body) => {
                self.condition(condition);
                self.exprs(invariants);
                self.block(body);
            }
            StmtKind::Loop(invariants, body) => {
                self.exprs(invariants);
                self.block(body);
            }
            StmtKind::Choose(blocks) | StmtKind::Select(blocks) => blocks.iter().for_each(|block| self.block(block)),
            StmtKind::For(name, low, high, body) => {
                self.expr(low);
                self.expr(high);
                self.with_bound(name, None, body);
            }
            StmtKind::ForCopies(name, thread, body) => {
                self.use_of(thread);
                let ty = Type { kind: TypeKind::Named(thread.text.clone()), span: thread.span };
                self.with_bound(name, Some(&ty), body);
            }
            StmtKind::Goto(label) => {
                if let Some(symbol) = self.home.and_then(|home| self.member(home, &label.text, Kind::Label)) {
                    self.note(label.span, symbol);
                }
            }
            StmtKind::Call { result, proc: name, args } | StmtKind::Start { result, thread: name, args } => {
                self.exprs(result.as_slice());
                self.use_of(name);
                self.exprs(args);
            }
            StmtKind::Return(value) => self.exprs(value.as_slice()),
        }
    }

    fn with_bound(&mut self, name: &Name, ty: Option<&Type>, body: &Block) {
        self.scoped(|walk| {
            walk.declare(name, Kind::Bound, name.span.to(body.span), ty);
            walk.block(body);
        });
    }

    fn condition(&mut self, condition: &Cond) {
        match condition {
            Cond::Expr(e) => self.expr(e),
            Cond::Any => {}
        }
    }
}

/// The blocks inside of a statement.
fn blocks(statement: &StmtKind) -> impl Iterator<Item = &Block> {
    let (some, more): (&[Block], Option<&Block>) = match statement {
        StmtKind::Block(b) | StmtKind::Atomic(b) | StmtKind::While(_, _, b) | StmtKind::Loop(_, b) => {
            (std::slice::from_ref(b), None)
        }
        StmtKind::For(.., b) | StmtKind::ForCopies(.., b) => (std::slice::from_ref(b), None),
        StmtKind::If(_, then, otherwise) => (std::slice::from_ref(then), otherwise.as_ref()),
        StmtKind::Choose(blocks) | StmtKind::Select(blocks) => (blocks, None),
        StmtKind::Empty | StmtKind::Skip | StmtKind::Var(_) | StmtKind::Assign(..) | StmtKind::Assert(..) => {
            (&[], None)
        }
        StmtKind::Assume(_) | StmtKind::Lock(..) | StmtKind::Wait(..) | StmtKind::Signal(_) => (&[], None),
        StmtKind::Broadcast(_) | StmtKind::Send(..) | StmtKind::Receive { .. } | StmtKind::Action { .. } => (&[], None),
        StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Call { .. } => (&[], None),
        StmtKind::Start { .. } | StmtKind::Join(_) | StmtKind::Return(_) => (&[], None),
    };
    some.iter().chain(more)
}
