//! Instructions that compute: constants, local variables, the stack, arithmetic.

use crate::body::{Value, compare, int};
use crate::classes::Name;
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::program::Fallible;
use crate::types::{LONG, bits, spoken};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{LiteralConstant, Loadable};
use std::collections::BTreeMap;
use threadwise_ir::Bits;
use threadwise_memory::code::{BinaryOp, Expr, ExprKind, INT, LocalId, Type};
use threadwise_source::Span;

impl Lowering<'_, '_, '_> {
    // Constants and variables.

    pub(crate) fn push_float(&mut self, bytes: u8) {
        self.body.push_expr(Expr::constant(0, Type::Float(bytes), self.body.span));
    }

    pub(crate) fn float_binary(&mut self, bytes: u8) -> Fallible<()> {
        self.body.pop()?;
        self.body.pop()?;
        self.push_float(bytes);
        Ok(())
    }

    pub(crate) fn made_float(&mut self, bytes: u8) -> Fallible<()> {
        self.body.pop()?;
        self.push_float(bytes);
        Ok(())
    }

    pub(crate) fn constant(&mut self, constant: &Loadable<'_>) -> Fallible<()> {
        let span = self.body.span;
        match constant {
            Loadable::LiteralConstant(LiteralConstant::Integer(value)) => {
                self.body.push_expr(int(i64::from(*value), span));
            }
            Loadable::LiteralConstant(LiteralConstant::Long(value)) => {
                self.body.push_expr(Expr::constant(*value, LONG, span));
            }
            Loadable::LiteralConstant(LiteralConstant::Float(_)) => self.push_float(4),
            Loadable::LiteralConstant(LiteralConstant::Double(_)) => self.push_float(8),
            Loadable::LiteralConstant(LiteralConstant::String(text)) => {
                let object = self.body.program.single(&format!("{text:?}"), "java/lang/String");
                let value = Value::of_class(object, Some("java/lang/String".into()));
                self.body.push(Value { is_not_null: true, ..value });
            }
            Loadable::ClassInfo(class) => {
                let object = self.body.program.single(&format!("{}.class", spoken(class)), "java/lang/Class");
                let value = Value::of_class(object, Some("java/lang/Class".into()));
                self.body.push(Value { is_not_null: true, ..value });
            }
            _ => return self.body.refuse("this constant is not supported", "use numbers, texts and classes"),
        }
        Ok(())
    }

    pub(crate) fn variable(&mut self) -> Fallible<LocalId> {
        match self.webs.of_instruction.get(&self.index) {
            Some(&web) => Ok(self.variables[web]),
            None => self.body.refuse("the class file uses a variable that was never set", "compile the program again"),
        }
    }

    /// The local variables that have names here, with the classes of what they refer to.
    pub(crate) fn locals_here(&self) -> BTreeMap<String, (Expr, Option<Name>)> {
        let class = &self.body.program.classes()[&self.method.0];
        let method = class.method(&self.method.1, &self.method.2);
        let Some(code) = method.and_then(|method| method.code.as_ref()) else { return BTreeMap::new() };
        let mut found = BTreeMap::new();
        let pc = self.body.pc;
        for known in code.variables.iter().filter(|known| known.start <= pc && pc < known.end) {
            // The store that a variable begins with stands before it has its name.
            let is_inside = |index: usize| {
                let next = code.opcodes.get(index + 1).map_or(u32::MAX, |(pc, _)| *pc);
                known.start <= next && code.opcodes[index].0 < known.end
            };
            let is_web = |web: usize| self.webs.all[web].name == known.name;
            let used = self.webs.of_instruction.iter().find(|(index, web)| is_web(**web) && is_inside(**index));
            let parameter = || self.webs.of_parameter.iter().copied().find(|web| is_web(*web));
            if let Some(web) = used.map(|(_, web)| *web).or_else(parameter) {
                let value = (self.body.load(self.variables[web]), self.known.classes.get(&web).cloned());
                found.insert(known.name.to_string(), value);
            }
        }
        found
    }

    pub(crate) fn load(&mut self) -> Fallible<()> {
        let id = self.variable()?;
        let web = self.webs.of_instruction[&self.index];
        let declared = || self.webs.all[web].class.clone();
        let value = Value::of_class(self.body.load(id), self.known.classes.get(&web).cloned().or_else(declared));
        self.body.push(Value {
            is_not_null: self.known.not_null.get(&web).copied().unwrap_or(false),
            is_exact: self.known.exact.get(&web).copied().unwrap_or(false),
            length: self.known.lengths.get(&web).copied(),
            ..value
        });
        Ok(())
    }

    pub(crate) fn store(&mut self) -> Fallible<()> {
        let id = self.variable()?;
        let web = self.webs.of_instruction[&self.index];
        let value = self.body.pop_value()?;
        if self.webs.all[web].is_set_once {
            self.known.not_null.insert(web, value.is_not_null);
            self.known.exact.insert(web, value.is_exact);
            self.known.lengths.extend(value.length.map(|length| (web, length)));
            self.known.classes.extend(value.class.clone().map(|class| (web, class)));
        }
        let expr = self.body.plain(value);
        self.body.settle(id);
        self.body.assign(self.body.place(id), expr);
        Ok(())
    }

    pub(crate) fn shuffle(&mut self, opcode: &Opcode<'_>) -> Fallible<()> {
        let is_wide = |value: &Value| value.expr.ty == LONG || value.expr.ty == Type::Float(8);
        // A value that takes two places is one value here.
        let mut top = Vec::new();
        let take = |lowering: &mut Self, places: usize| -> Fallible<Vec<Value>> {
            let (mut taken, mut left) = (Vec::new(), places);
            while left > 0 {
                let value = lowering.body.pop_value()?;
                left = left.saturating_sub(if is_wide(&value) { 2 } else { 1 });
                taken.push(value);
            }
            taken.reverse();
            Ok(taken)
        };
        let (above, below) = match opcode {
            Opcode::Pop | Opcode::Dup => (1, 0),
            Opcode::Pop2 | Opcode::Dup2 => (2, 0),
            Opcode::DupX1 | Opcode::Swap => (1, 1),
            Opcode::DupX2 => (1, 2),
            Opcode::Dup2X1 => (2, 1),
            _ => (2, 2),
        };
        top.extend(take(self, above)?);
        let under = take(self, below)?;
        if matches!(opcode, Opcode::Pop | Opcode::Pop2) {
            return Ok(());
        }
        self.body.stack.extend(top.iter().cloned());
        self.body.stack.extend(under);
        if !matches!(opcode, Opcode::Swap) {
            self.body.stack.extend(top);
        }
        Ok(())
    }

    // Arithmetic.

    pub(crate) fn binary(&mut self, op: BinaryOp, ty: Type) -> Fallible<()> {
        let (b, a) = (self.body.pop()?, self.body.pop()?);
        let e = folded(op, a, b, ty, self.body.span);
        self.body.push_expr(e);
        Ok(())
    }

    pub(crate) fn divide(&mut self, op: BinaryOp, ty: Type) -> Fallible<()> {
        let (b, a) = (self.body.pop()?, self.body.pop()?);
        let zero = Expr::constant(0, ty.clone(), self.body.span);
        match &b.kind {
            ExprKind::Const(value) if *value != 0 => {}
            _ => self.body.check(compare(BinaryOp::Ne, b.clone(), zero), Implicit::Division)?,
        }
        self.body.push_expr(Expr::binary(op, a, b, ty));
        Ok(())
    }

    /// By the low bits of the number.
    pub(crate) fn shift(&mut self, op: BinaryOp, ty: Type, signed: bool) -> Fallible<()> {
        let span = self.body.span;
        let (by, a) = (self.body.pop()?, self.body.pop()?);
        let width = ty.bits().map_or(32, |bits| bits.width);
        let by = folded(BinaryOp::BitAnd, by, int(i64::from(width) - 1, span), INT, span);
        let kind = Type::Int(Bits { width, signed });
        let a = if signed { a } else { a.converted(kind.clone()) };
        let shifted = Expr::binary(op, a, by, kind);
        let shifted = if signed { shifted } else { shifted.converted(ty) };
        self.body.push_expr(shifted);
        Ok(())
    }

    pub(crate) fn narrow(&mut self, width: u8, signed: bool) -> Fallible<()> {
        let e = self.body.pop()?;
        self.body.push_expr(e.converted(bits(width, signed)).converted(INT));
        Ok(())
    }

    pub(crate) fn convert(&mut self, ty: Type) -> Fallible<()> {
        let span = self.body.span;
        let e = self.body.pop()?;
        self.body.push_expr(match (&e.kind, ty.bits()) {
            (ExprKind::Const(value), Some(bits)) => Expr::constant(bits.wrap(*value), ty, span),
            _ => e.converted(ty),
        });
        Ok(())
    }
}

fn folded(op: BinaryOp, a: Expr, b: Expr, ty: Type, span: Span) -> Expr {
    let (ExprKind::Const(x), ExprKind::Const(y), Some(bits)) = (&a.kind, &b.kind, ty.bits()) else {
        return Expr::binary(op, a, b, ty);
    };
    let value = match op {
        BinaryOp::Add => x.wrapping_add(*y),
        BinaryOp::Sub => x.wrapping_sub(*y),
        BinaryOp::Mul => x.wrapping_mul(*y),
        BinaryOp::BitAnd => x & y,
        _ => return Expr::binary(op, a, b, ty),
    };
    Expr::constant(bits.wrap(value), ty, span)
}
