//! Instructions that go elsewhere: branches and switches.

use crate::body::{compare, int, negated, null};
use crate::instructions::Lowering;
use crate::program::Fallible;
use threadwise_memory::code::{BinaryOp, End, Expr, ExprKind};

impl Lowering<'_, '_, '_> {
    // Control.

    pub(crate) fn target(&self, offset: i32) -> u32 {
        (i64::from(self.body.pc) + i64::from(offset)) as u32
    }

    pub(crate) fn next_pc(&self) -> Fallible<u32> {
        let class = &self.body.program.classes()[&self.method.0];
        let code = class.method(&self.method.1, &self.method.2).and_then(|method| method.code.as_ref());
        match code.and_then(|code| code.opcodes.get(self.index + 1)) {
            Some((pc, _)) => Ok(*pc),
            None => self.body.refuse("the code of the method has no end", "compile the program again"),
        }
    }

    pub(crate) fn branch_zero(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let condition = match value.compared {
            Some(pair) => compare(op, pair.0, pair.1),
            None => compare(op, value.expr, int(0, self.body.span)),
        };
        self.branch(condition, offset)
    }

    pub(crate) fn branch_compared(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let (b, a) = (self.body.pop()?, self.body.pop()?);
        self.branch(compare(op, a, b), offset)
    }

    pub(crate) fn branch_null(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let value = self.body.pop_value()?;
        if value.is_not_null {
            return self.branch(int(i64::from(op == BinaryOp::Ne), self.body.span), offset);
        }
        let condition = compare(op, value.expr, null(self.body.span));
        self.branch(condition, offset)
    }

    pub(crate) fn branch(&mut self, condition: Expr, offset: i32) -> Fallible<()> {
        let condition = constant_comparison(condition);
        let (to, next) = (self.target(offset), self.next_pc()?);
        if let ExprKind::Const(value) = condition.kind {
            let block = self.body.enter(if value != 0 { to } else { next })?;
            self.body.finish(End::Goto(block));
            return Ok(());
        }
        let condition = if self.body.stack.is_empty() { condition } else { self.body.kept(condition) };
        let (there, here) = (self.body.enter(to)?, self.body.enter(next)?);
        // A loop goes on where its condition holds: what counts loops looks for that.
        match offset <= 0 {
            true => self.body.finish(End::Branch(condition, there, here)),
            false => self.body.finish(End::Branch(opposite(condition), here, there)),
        }
        self.body.stack.clear();
        Ok(())
    }

    pub(crate) fn switch(&mut self, cases: Vec<(i32, i32)>, default: i32) -> Fallible<()> {
        let value = self.body.pop()?;
        let value = if self.body.stack.is_empty() { value } else { self.body.kept(value) };
        let mut all = Vec::new();
        for (case, offset) in cases {
            let to = self.target(offset);
            all.push((i64::from(case), self.body.enter(to)?));
        }
        let to = self.target(default);
        let rest = self.body.enter(to)?;
        self.body.finish(End::Switch(value, all, rest));
        self.body.stack.clear();
        Ok(())
    }
}

/// A comparison whose outcome is known is a constant.
pub(crate) fn constant_comparison(e: Expr) -> Expr {
    let ExprKind::Binary(op, a, b) = &e.kind else { return e };
    let (ExprKind::Const(x), ExprKind::Const(y)) = (&a.kind, &b.kind) else { return e };
    let holds = match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => return e,
    };
    int(i64::from(holds), e.span)
}

fn opposite(e: Expr) -> Expr {
    let ExprKind::Binary(op, a, b) = e.kind else { return negated(e) };
    let other = match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        op => return negated(Expr { kind: ExprKind::Binary(op, a, b), ty: e.ty, span: e.span }),
    };
    Expr { kind: ExprKind::Binary(other, a, b), ty: e.ty, span: e.span }
}
