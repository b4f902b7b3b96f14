//! From the instructions of a method to those of the program.

use crate::body::{Body, Value, both, compare, int, negated, null};
use crate::classes::{Method, MethodKey, Name};
use crate::models::Implicit;
use crate::program::{Fallible, FunctionKey, Program};
use crate::types::{JavaType, LONG, spoken};
use crate::webs::{Webs, branch_offset, index_at, webs};
use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{LiteralConstant, Loadable, MemberRef, ObjectArrayType};
use std::collections::BTreeMap;
use threadwise_ir::Bits;
use threadwise_memory::code::{
    Base, BinaryOp, End, Expr, ExprKind, FunctionId, INT, InstructionKind, Library, LocalId, Place, Type, UnaryOp,
};
use threadwise_source::Span;

/// What is known of the variables of a method that are set once.
#[derive(Default)]
struct Known {
    lengths: BTreeMap<usize, i64>,
    not_null: BTreeMap<usize, bool>,
    classes: BTreeMap<usize, Name>,
}

/// The body of a method.
pub(crate) struct Lowering<'b, 'p, 'a> {
    pub(crate) body: Body<'b, 'p, 'a>,
    pub(crate) method: MethodKey,
    webs: Webs,
    variables: Vec<LocalId>,
    known: Known,
    index: usize,
}

/// Lowers the method of a function.
pub(crate) fn lower_method(program: &mut Program<'_, '_>, key: &MethodKey, id: FunctionId) -> Fallible<()> {
    let class = &program.classes()[&key.0];
    let method = class.method(&key.1, &key.2).expect("it was found");
    let Some(code) = &method.code else {
        let span = program.sources.line(class, crate::program::first_line(class));
        let what = if method.is_native { "native" } else { "abstract" };
        let message = format!("`{}.{}` is {what}", spoken(&key.0), key.1);
        return Err(Box::new(
            threadwise_source::Diagnostic::error(span, message).hint("only methods with code can be followed"),
        ));
    };
    let declared = program.functions[id.index()].clone();
    let slots = slots(method);
    let webs = webs(code, &slots);
    let mut locals = declared.locals.clone();
    for (number, &web) in webs.of_parameter.iter().enumerate() {
        if !webs.all[web].name.starts_with('$') {
            locals[number].name = webs.all[web].name.clone();
        }
    }
    let first = program.sources.line(class, code.line_at(0));
    let mut body = Body::new(program, locals, declared.result.clone(), first);
    let mut variables = Vec::new();
    for (number, web) in webs.all.iter().enumerate() {
        let parameter = webs.of_parameter.iter().position(|&of| of == number);
        let of = match parameter {
            Some(parameter) => LocalId(parameter as u32),
            None => body.local(&web.name, web.ty.clone()),
        };
        variables.push(of);
    }
    body.handlers = code.handlers.clone();
    let mut lowering = Lowering { body, method: key.clone(), webs, variables, known: Known::default(), index: 0 };
    lowering.run(method)?;
    let body = lowering.body;
    let (blocks, locals) = (body.blocks, body.locals);
    let last = code.lines.iter().map(|(_, line)| *line).max();
    let end = program.sources.line(&program.classes()[&key.0], last);
    let function = &mut program.functions[id.index()];
    (function.body, function.locals, function.end) = (Some(blocks), locals, end);
    Ok(())
}

/// The parameters with their slots.
fn slots(method: &Method<'_>) -> Vec<(u16, Type)> {
    let mut next = u16::from(!method.is_static);
    let mut all: Vec<(u16, Type)> = (!method.is_static).then_some((0, Type::Pointer)).into_iter().collect();
    for param in &method.signature.params {
        all.push((next, param.computed()));
        next += param.slots();
    }
    all
}

impl<'b, 'p, 'a> Lowering<'b, 'p, 'a> {
    /// Of a function that is no method.
    pub(crate) fn of_body(body: Body<'b, 'p, 'a>) -> Self {
        let method = ("".into(), "".into(), "".into());
        Lowering { body, method, webs: Webs::default(), variables: Vec::new(), known: Known::default(), index: 0 }
    }

    fn run(&mut self, method: &Method<'a>) -> Fallible<()> {
        let code = method.code.as_ref().expect("it has code");
        if code.opcodes.is_empty() {
            return self.body.refuse("the method has no instructions", "compile the program again");
        }
        let class = self.body.program.classes()[&self.method.0].clone();
        let mut starts = vec![0];
        for (index, (_, opcode)) in code.opcodes.iter().enumerate() {
            let next = crate::webs::successors(code, index);
            let is_jump = branch_offset(opcode).is_some()
                || matches!(opcode, Opcode::Goto(_) | Opcode::Lookupswitch(_) | Opcode::Tableswitch(_));
            starts.extend(next.into_iter().filter(|_| is_jump));
        }
        starts.extend(code.handlers.iter().filter_map(|handler| index_at(code, handler.to)));
        for index in starts {
            let pc = code.opcodes[index].0;
            if !self.body.block_at.contains_key(&pc) {
                let block = self.body.new_block();
                self.body.block_at.insert(pc, block);
            }
        }
        self.begin(method)?;
        for (index, (pc, opcode)) in code.opcodes.iter().enumerate() {
            self.index = index;
            self.body.pc = *pc;
            if let Some(&block) = self.body.block_at.get(pc) {
                if !self.body.is_over {
                    let block = self.body.enter(*pc)?;
                    self.body.finish(End::Goto(block));
                }
                self.body.go_on_in(block);
                match self.body.stack_at.get(pc) {
                    Some(stack) => self.body.stack = stack.clone(),
                    // Nothing leads here that was looked at: a handler of what is never thrown, or code behind a loop.
                    None if self.is_entered_later(code, index) => self.body.stack.clear(),
                    None => self.body.is_over = true,
                }
            }
            if self.body.is_over {
                continue;
            }
            self.body.statement_ends();
            self.body.span = self.body.program.sources.line(&class, code.line_at(*pc));
            self.instruction(opcode)?;
        }
        if !self.body.is_over {
            return self.body.refuse("the code of the method has no end", "compile the program again");
        }
        Ok(())
    }

    /// Whether a jump from behind leads to an instruction; there is nothing on the stack then.
    fn is_entered_later(&self, code: &crate::classes::MethodCode<'_>, index: usize) -> bool {
        let is_handler = code.handlers.iter().any(|handler| index_at(code, handler.to) == Some(index));
        !is_handler && (index..code.opcodes.len()).any(|from| crate::webs::successors(code, from).contains(&index))
    }

    /// What comes before the first instruction: a synchronized method takes its monitor.
    fn begin(&mut self, method: &Method<'_>) -> Fallible<()> {
        if method.is_synchronized {
            let object = match method.is_static {
                true => self.body.program.single(&format!("{}.class", spoken(&self.method.0)), "java/lang/Class"),
                false => self.body.load(LocalId(0)),
            };
            let monitor = self.body.monitor_of(object.clone());
            self.body.library(Library::MonitorEnter { monitor, unless: None });
            self.body.held = Some(object);
        }
        if !method.is_static && self.webs.all[self.webs.of_parameter[0]].is_set_once {
            self.known.not_null.insert(self.webs.of_parameter[0], true);
            self.known.classes.insert(self.webs.of_parameter[0], self.method.0.clone());
        }
        Ok(())
    }

    fn instruction(&mut self, opcode: &Opcode<'a>) -> Fallible<()> {
        let span = self.body.span;
        match opcode {
            Opcode::Nop => {}
            Opcode::AconstNull => self.body.push_expr(null(span)),
            Opcode::IconstM1 => self.body.push_expr(int(-1, span)),
            Opcode::Iconst0 => self.body.push_expr(int(0, span)),
            Opcode::Iconst1 => self.body.push_expr(int(1, span)),
            Opcode::Iconst2 => self.body.push_expr(int(2, span)),
            Opcode::Iconst3 => self.body.push_expr(int(3, span)),
            Opcode::Iconst4 => self.body.push_expr(int(4, span)),
            Opcode::Iconst5 => self.body.push_expr(int(5, span)),
            Opcode::Bipush(value) => self.body.push_expr(int(i64::from(*value), span)),
            Opcode::Sipush(value) => self.body.push_expr(int(i64::from(*value), span)),
            Opcode::Lconst0 => self.body.push_expr(Expr::constant(0, LONG, span)),
            Opcode::Lconst1 => self.body.push_expr(Expr::constant(1, LONG, span)),
            Opcode::Fconst0 | Opcode::Fconst1 | Opcode::Fconst2 => self.push_float(4),
            Opcode::Dconst0 | Opcode::Dconst1 => self.push_float(8),
            Opcode::Ldc(constant) | Opcode::LdcW(constant) | Opcode::Ldc2W(constant) => self.constant(constant)?,
            Opcode::Iload(_) | Opcode::Lload(_) | Opcode::Fload(_) | Opcode::Dload(_) | Opcode::Aload(_) => {
                self.load()?;
            }
            Opcode::Istore(_) | Opcode::Lstore(_) | Opcode::Fstore(_) | Opcode::Dstore(_) | Opcode::Astore(_) => {
                self.store()?;
            }
            Opcode::Iinc(_, by) => {
                let id = self.variable()?;
                self.body.settle(id);
                let sum = Expr::binary(BinaryOp::Add, self.body.load(id), int(i64::from(*by), span), INT);
                self.body.assign(self.body.place(id), sum);
            }
            Opcode::Pop
            | Opcode::Pop2
            | Opcode::Dup
            | Opcode::DupX1
            | Opcode::DupX2
            | Opcode::Dup2
            | Opcode::Dup2X1
            | Opcode::Dup2X2
            | Opcode::Swap => self.shuffle(opcode)?,
            Opcode::Iadd => self.binary(BinaryOp::Add, INT)?,
            Opcode::Isub => self.binary(BinaryOp::Sub, INT)?,
            Opcode::Imul => self.binary(BinaryOp::Mul, INT)?,
            Opcode::Iand => self.binary(BinaryOp::BitAnd, INT)?,
            Opcode::Ior => self.binary(BinaryOp::BitOr, INT)?,
            Opcode::Ixor => self.binary(BinaryOp::BitXor, INT)?,
            Opcode::Ladd => self.binary(BinaryOp::Add, LONG)?,
            Opcode::Lsub => self.binary(BinaryOp::Sub, LONG)?,
            Opcode::Lmul => self.binary(BinaryOp::Mul, LONG)?,
            Opcode::Land => self.binary(BinaryOp::BitAnd, LONG)?,
            Opcode::Lor => self.binary(BinaryOp::BitOr, LONG)?,
            Opcode::Lxor => self.binary(BinaryOp::BitXor, LONG)?,
            Opcode::Idiv => self.divide(BinaryOp::Div, INT)?,
            Opcode::Irem => self.divide(BinaryOp::Rem, INT)?,
            Opcode::Ldiv => self.divide(BinaryOp::Div, LONG)?,
            Opcode::Lrem => self.divide(BinaryOp::Rem, LONG)?,
            Opcode::Ishl => self.shift(BinaryOp::Shl, INT, true)?,
            Opcode::Ishr => self.shift(BinaryOp::Shr, INT, true)?,
            Opcode::Iushr => self.shift(BinaryOp::Shr, INT, false)?,
            Opcode::Lshl => self.shift(BinaryOp::Shl, LONG, true)?,
            Opcode::Lshr => self.shift(BinaryOp::Shr, LONG, true)?,
            Opcode::Lushr => self.shift(BinaryOp::Shr, LONG, false)?,
            Opcode::Ineg | Opcode::Lneg => {
                let e = self.body.pop()?;
                let ty = e.ty.clone();
                self.body.push_expr(Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(e)), ty, span));
            }
            Opcode::I2b => self.narrow(8, true)?,
            Opcode::I2s => self.narrow(16, true)?,
            Opcode::I2c => self.narrow(16, false)?,
            Opcode::I2l => self.convert(LONG)?,
            Opcode::L2i => self.convert(INT)?,
            Opcode::Lcmp => {
                let (b, a) = (self.body.pop()?, self.body.pop()?);
                self.body.push(Value { compared: Some(Box::new((a, b))), ..Value::new(int(0, span)) });
            }
            Opcode::Goto(offset) => {
                let to = self.target(*offset);
                let block = self.body.enter(to)?;
                self.body.finish(End::Goto(block));
            }
            Opcode::Ifeq(offset) => self.branch_zero(BinaryOp::Eq, *offset)?,
            Opcode::Ifne(offset) => self.branch_zero(BinaryOp::Ne, *offset)?,
            Opcode::Iflt(offset) => self.branch_zero(BinaryOp::Lt, *offset)?,
            Opcode::Ifge(offset) => self.branch_zero(BinaryOp::Ge, *offset)?,
            Opcode::Ifgt(offset) => self.branch_zero(BinaryOp::Gt, *offset)?,
            Opcode::Ifle(offset) => self.branch_zero(BinaryOp::Le, *offset)?,
            Opcode::IfIcmpeq(offset) | Opcode::IfAcmpeq(offset) => self.branch_compared(BinaryOp::Eq, *offset)?,
            Opcode::IfIcmpne(offset) | Opcode::IfAcmpne(offset) => self.branch_compared(BinaryOp::Ne, *offset)?,
            Opcode::IfIcmplt(offset) => self.branch_compared(BinaryOp::Lt, *offset)?,
            Opcode::IfIcmpge(offset) => self.branch_compared(BinaryOp::Ge, *offset)?,
            Opcode::IfIcmpgt(offset) => self.branch_compared(BinaryOp::Gt, *offset)?,
            Opcode::IfIcmple(offset) => self.branch_compared(BinaryOp::Le, *offset)?,
            Opcode::Ifnull(offset) => self.branch_null(BinaryOp::Eq, *offset)?,
            Opcode::Ifnonnull(offset) => self.branch_null(BinaryOp::Ne, *offset)?,
            Opcode::Lookupswitch(table) => self.switch(table.match_offsets.clone(), table.default)?,
            Opcode::Tableswitch(table) => {
                let cases = table.jumps.iter().zip(table.low..).map(|(offset, value)| (value, *offset)).collect();
                self.switch(cases, table.default)?;
            }
            Opcode::Ireturn | Opcode::Lreturn | Opcode::Areturn | Opcode::Freturn | Opcode::Dreturn => {
                let value = self.body.pop()?;
                self.body.give_back();
                self.body.finish(End::Return(Some(value)));
            }
            Opcode::Return => {
                self.body.give_back();
                self.body.finish(End::Return(None));
            }
            Opcode::Getstatic(member) => self.get_static(member)?,
            Opcode::Putstatic(member) => self.put_static(member)?,
            Opcode::Getfield(member) => self.get_field(member)?,
            Opcode::Putfield(member) => self.put_field(member)?,
            Opcode::New(class) => self.new_object(class)?,
            Opcode::Newarray(element) => self.new_array(primitive(*element))?,
            Opcode::Anewarray(_) => self.new_array(Type::Pointer)?,
            Opcode::Arraylength => self.array_length()?,
            Opcode::Iaload => self.array_load(INT)?,
            Opcode::Laload => self.array_load(LONG)?,
            Opcode::Aaload => self.array_load(Type::Pointer)?,
            Opcode::Baload => self.array_load(bits(8, true))?,
            Opcode::Caload => self.array_load(bits(16, false))?,
            Opcode::Saload => self.array_load(bits(16, true))?,
            Opcode::Faload => self.array_load(Type::Float(4))?,
            Opcode::Daload => self.array_load(Type::Float(8))?,
            Opcode::Iastore => self.array_store(INT)?,
            Opcode::Lastore => self.array_store(LONG)?,
            Opcode::Aastore => self.array_store(Type::Pointer)?,
            Opcode::Bastore => self.array_store(bits(8, true))?,
            Opcode::Castore => self.array_store(bits(16, false))?,
            Opcode::Sastore => self.array_store(bits(16, true))?,
            Opcode::Fastore => self.array_store(Type::Float(4))?,
            Opcode::Dastore => self.array_store(Type::Float(8))?,
            Opcode::Athrow => {
                let value = self.body.pop_value()?;
                self.body.check_not_null(&value)?;
                self.body.throw(value)?;
                self.body.stack.clear();
            }
            Opcode::Monitorenter => {
                let object = self.body.pop_value()?;
                self.body.check_not_null(&object)?;
                let object = self.body.plain(object);
                let monitor = self.body.monitor_of(object);
                self.body.library(Library::MonitorEnter { monitor, unless: None });
            }
            Opcode::Monitorexit => {
                let object = self.body.pop()?;
                let monitor = self.body.monitor_of(object);
                self.body.library(Library::MonitorExit(monitor));
            }
            Opcode::Checkcast(class) => self.cast(class)?,
            Opcode::Instanceof(class) => self.instance_of(class)?,
            Opcode::Invokestatic(member) => self.invoke_static(member)?,
            Opcode::Invokespecial(member) => self.invoke_special(member)?,
            Opcode::Invokevirtual(member) | Opcode::Invokeinterface(member, _) => self.invoke_virtual(member)?,
            Opcode::Invokedynamic(dynamic) => self.invoke_dynamic(dynamic)?,
            Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv | Opcode::Frem => self.float_binary(4)?,
            Opcode::Dadd | Opcode::Dsub | Opcode::Dmul | Opcode::Ddiv | Opcode::Drem => self.float_binary(8)?,
            Opcode::Fneg | Opcode::Dneg => {}
            Opcode::I2f | Opcode::L2f | Opcode::D2f => self.made_float(4)?,
            Opcode::I2d | Opcode::L2d | Opcode::F2d => self.made_float(8)?,
            other => {
                let name = format!("{other:?}");
                let name = name.split(['(', ' ', '{']).next().unwrap_or_default().to_lowercase();
                return self.body.refuse(
                    format!("the instruction `{name}` is not supported"),
                    "floating-point numbers can be stored and printed, but not compared or made integers; arrays of arrays are made in loops",
                );
            }
        }
        Ok(())
    }

    // Constants and variables.

    fn push_float(&mut self, bytes: u8) {
        self.body.push_expr(Expr::constant(0, Type::Float(bytes), self.body.span));
    }

    fn float_binary(&mut self, bytes: u8) -> Fallible<()> {
        self.body.pop()?;
        self.body.pop()?;
        self.push_float(bytes);
        Ok(())
    }

    fn made_float(&mut self, bytes: u8) -> Fallible<()> {
        self.body.pop()?;
        self.push_float(bytes);
        Ok(())
    }

    fn constant(&mut self, constant: &Loadable<'_>) -> Fallible<()> {
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

    fn variable(&mut self) -> Fallible<LocalId> {
        match self.webs.of_instruction.get(&self.index) {
            Some(&web) => Ok(self.variables[web]),
            None => self.body.refuse("the class file uses a variable that was never set", "compile the program again"),
        }
    }

    fn load(&mut self) -> Fallible<()> {
        let id = self.variable()?;
        let web = self.webs.of_instruction[&self.index];
        let value = Value::of_class(self.body.load(id), self.known.classes.get(&web).cloned());
        self.body.push(Value {
            is_not_null: self.known.not_null.get(&web).copied().unwrap_or(false),
            length: self.known.lengths.get(&web).copied(),
            ..value
        });
        Ok(())
    }

    fn store(&mut self) -> Fallible<()> {
        let id = self.variable()?;
        let web = self.webs.of_instruction[&self.index];
        let value = self.body.pop_value()?;
        if self.webs.all[web].is_set_once {
            self.known.not_null.insert(web, value.is_not_null);
            self.known.lengths.extend(value.length.map(|length| (web, length)));
            self.known.classes.extend(value.class.clone().map(|class| (web, class)));
        }
        let expr = self.body.plain(value);
        self.body.settle(id);
        self.body.assign(self.body.place(id), expr);
        Ok(())
    }

    fn shuffle(&mut self, opcode: &Opcode<'_>) -> Fallible<()> {
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

    fn binary(&mut self, op: BinaryOp, ty: Type) -> Fallible<()> {
        let (b, a) = (self.body.pop()?, self.body.pop()?);
        let e = folded(op, a, b, ty, self.body.span);
        self.body.push_expr(e);
        Ok(())
    }

    fn divide(&mut self, op: BinaryOp, ty: Type) -> Fallible<()> {
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
    fn shift(&mut self, op: BinaryOp, ty: Type, signed: bool) -> Fallible<()> {
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

    fn narrow(&mut self, width: u8, signed: bool) -> Fallible<()> {
        let e = self.body.pop()?;
        self.body.push_expr(e.converted(bits(width, signed)).converted(INT));
        Ok(())
    }

    fn convert(&mut self, ty: Type) -> Fallible<()> {
        let span = self.body.span;
        let e = self.body.pop()?;
        self.body.push_expr(match (&e.kind, ty.bits()) {
            (ExprKind::Const(value), Some(bits)) => Expr::constant(bits.wrap(*value), ty, span),
            _ => e.converted(ty),
        });
        Ok(())
    }

    // Control.

    fn target(&self, offset: i32) -> u32 {
        (i64::from(self.body.pc) + i64::from(offset)) as u32
    }

    fn next_pc(&self) -> Fallible<u32> {
        let class = &self.body.program.classes()[&self.method.0];
        let code = class.method(&self.method.1, &self.method.2).and_then(|method| method.code.as_ref());
        match code.and_then(|code| code.opcodes.get(self.index + 1)) {
            Some((pc, _)) => Ok(*pc),
            None => self.body.refuse("the code of the method has no end", "compile the program again"),
        }
    }

    fn branch_zero(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let condition = match value.compared {
            Some(pair) => compare(op, pair.0, pair.1),
            None => compare(op, value.expr, int(0, self.body.span)),
        };
        self.branch(condition, offset)
    }

    fn branch_compared(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let (b, a) = (self.body.pop()?, self.body.pop()?);
        self.branch(compare(op, a, b), offset)
    }

    fn branch_null(&mut self, op: BinaryOp, offset: i32) -> Fallible<()> {
        let value = self.body.pop_value()?;
        if value.is_not_null {
            return self.branch(int(i64::from(op == BinaryOp::Ne), self.body.span), offset);
        }
        let condition = compare(op, value.expr, null(self.body.span));
        self.branch(condition, offset)
    }

    fn branch(&mut self, condition: Expr, offset: i32) -> Fallible<()> {
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

    fn switch(&mut self, cases: Vec<(i32, i32)>, default: i32) -> Fallible<()> {
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

    // Fields.

    fn get_static(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        let span = self.body.span;
        if name == "$assertionsDisabled" {
            self.body.push_expr(int(0, span));
            return Ok(());
        }
        if class == "java/lang/System" && matches!(name, "out" | "err") {
            self.body.push(Value::opaque(span));
            return Ok(());
        }
        let Some((id, field)) = self.body.program.static_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let ty = field.ty.stored();
        let place = Place { atomic: field.is_volatile, ..Place::global(id, ty, span) };
        let value = match (field.is_final, field.constant) {
            (true, Some(constant)) => Expr::constant(constant, field.ty.computed(), span),
            _ => self.body.read(place),
        };
        let value = widened(value, &field.ty);
        self.body.push(Value::of_class(value, field.ty.class()));
        Ok(())
    }

    fn unknown_field<T>(&self, class: &str, name: &str) -> Fallible<T> {
        self.body.refuse(
            format!("the field `{}.{name}` is not known", spoken(class)),
            "fields of the program's own classes, `System.out` and `System.err` are known",
        )
    }

    fn put_static(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        let value = self.body.pop()?;
        if name == "$assertionsDisabled" {
            return Ok(());
        }
        let Some((id, field)) = self.body.program.static_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let place = Place { atomic: field.is_volatile, ..Place::global(id, field.ty.stored(), self.body.span) };
        self.body.assign(place, value);
        Ok(())
    }

    fn instance_place(&mut self, object: Value, member: &MemberRef<'_>) -> Fallible<(Place, JavaType)> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        self.body.check_not_null(&object)?;
        let object = self.body.plain(object);
        let Some((of, number, field)) = self.body.program.instance_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let ty = field.ty.stored();
        let place = crate::program::field_place(object, of, number, ty, field.is_volatile, self.body.span);
        Ok((place, field.ty))
    }

    fn get_field(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let object = self.body.pop_value()?;
        let (place, ty) = self.instance_place(object, member)?;
        let value = self.body.read(place);
        let value = widened(value, &ty);
        self.body.push(Value::of_class(value, ty.class()));
        Ok(())
    }

    fn put_field(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let object = self.body.pop_value()?;
        let value = self.body.plain(value);
        let (place, _) = self.instance_place(object, member)?;
        self.body.assign(place, value);
        Ok(())
    }

    // Objects and arrays.

    fn new_object(&mut self, class: &str) -> Fallible<()> {
        if crate::models::is_opaque(class) {
            self.body.push(Value::opaque(self.body.span));
            return Ok(());
        }
        let is_known = self.body.program.classes().contains_key(class) || crate::models::find(class).is_some();
        if !is_known {
            return self.body.refuse(
                format!("objects of class `{}` are not supported", spoken(class)),
                "docs/JAVA.md lists the classes of the library that are known",
            );
        }
        let object = self.body.allocated(class);
        let value = Value::of_class(object, Some(class.into()));
        self.body.push(Value { is_exact: true, is_not_null: true, ..value });
        Ok(())
    }

    fn new_array(&mut self, element: Type) -> Fallible<()> {
        let span = self.body.span;
        let count = self.body.pop()?;
        let length = match count.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        };
        if length.is_none_or(|length| length < 0) {
            let fits = compare(BinaryOp::Ge, count.clone(), int(0, span));
            self.body.check(constant_comparison(fits), Implicit::NegativeSize)?;
        }
        let id = self.body.temporary(&Type::Pointer);
        let result = self.body.place(id);
        let count = match length {
            Some(length) => Expr::constant(length.max(0), LONG, span),
            None => count.converted(LONG),
        };
        self.body.library(Library::Allocate { result, ty: element, count, zeroed: true });
        let value = Value::new(self.body.load(id));
        self.body.push(Value { is_not_null: true, length, ..value });
        Ok(())
    }

    fn array_length(&mut self) -> Fallible<()> {
        let array = self.body.pop_value()?;
        self.body.check_not_null(&array)?;
        let length = self.length_of(&array);
        self.body.push_expr(length);
        Ok(())
    }

    fn length_of(&mut self, array: &Value) -> Expr {
        let span = self.body.span;
        if let Some(length) = array.length {
            return int(length, span);
        }
        let id = self.body.temporary(&INT);
        let result = self.body.place(id);
        self.body.library(Library::Extent { pointer: array.expr.clone(), unit: 0, result });
        self.body.load(id)
    }

    /// The element of an array that the stack names, which is there.
    fn element(&mut self, ty: &Type) -> Fallible<Place> {
        let span = self.body.span;
        let index = self.body.pop()?;
        let array = self.body.pop_value()?;
        self.body.check_not_null(&array)?;
        let length = self.length_of(&array);
        let known = match (&index.kind, &length.kind) {
            (ExprKind::Const(index), ExprKind::Const(length)) => Some(0 <= *index && index < length),
            _ => None,
        };
        if known != Some(true) {
            let at_least = compare(BinaryOp::Ge, index.clone(), int(0, span));
            let below = compare(BinaryOp::Lt, index.clone(), length);
            let is_there = if known == Some(false) { int(0, span) } else { both(at_least, below) };
            self.body.check(is_there, Implicit::Bounds)?;
        }
        let size = match ty {
            Type::Int(bits) => i64::from(bits.width).div_euclid(8),
            Type::Float(bytes) => i64::from(*bytes),
            _ => 16,
        };
        let pointer = ExprKind::Offset(Box::new(array.expr), Box::new(index.converted(LONG)), size);
        let pointer = Expr::new(pointer, Type::Pointer, span);
        Ok(Place {
            base: Base::Deref(Box::new(pointer), ty.clone()),
            path: Vec::new(),
            ty: ty.clone(),
            atomic: false,
            span,
        })
    }

    fn array_load(&mut self, ty: Type) -> Fallible<()> {
        let place = self.element(&ty)?;
        let value = self.body.read(place);
        let value = match ty.bits() {
            Some(bits) if bits.width < 32 => value.converted(INT),
            _ => value,
        };
        self.body.push_expr(value);
        Ok(())
    }

    fn array_store(&mut self, ty: Type) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let value = self.body.plain(value);
        let place = self.element(&ty)?;
        self.body.assign(place, value);
        Ok(())
    }

    fn cast(&mut self, class: &ObjectArrayType<'_>) -> Fallible<()> {
        let ObjectArrayType::BinaryName(class) = class else { return Ok(()) };
        let value = self.body.pop_value()?;
        let is_known = value.is_opaque
            || value.class.as_ref().is_some_and(|known| self.body.program.reached.is_subtype(known, class));
        let value = match is_known {
            true => value,
            false => {
                let object = self.body.kept(value.expr.clone());
                let is_null = compare(BinaryOp::Eq, object.clone(), null(self.body.span));
                let is_it = self.body.is_instance(object.clone(), class);
                let fits = Expr::new(ExprKind::Or(Box::new(is_null), Box::new(is_it)), INT, self.body.span);
                self.body.check(fits, Implicit::Cast)?;
                Value { expr: object, class: Some(class.to_string().into()), ..value }
            }
        };
        self.body.push(value);
        Ok(())
    }

    fn instance_of(&mut self, class: &ObjectArrayType<'_>) -> Fallible<()> {
        let ObjectArrayType::BinaryName(class) = class else {
            return self.body.refuse("`instanceof` with an array is not supported", "ask for a class");
        };
        let span = self.body.span;
        let value = self.body.pop()?;
        let object = self.body.kept(value);
        let is_there = compare(BinaryOp::Ne, object.clone(), null(span));
        let is_it = self.body.is_instance(object, class);
        self.body.push_expr(both(is_there, is_it));
        Ok(())
    }

    // Calls.

    pub(crate) fn arguments(&mut self, descriptor: &str) -> Fallible<(Vec<Value>, Option<JavaType>)> {
        let Some(signature) = crate::types::signature(descriptor) else {
            return self.body.refuse("the class file has a malformed descriptor", "compile the program again");
        };
        let mut args = Vec::new();
        for _ in &signature.params {
            args.push(self.body.pop_value()?);
        }
        args.reverse();
        Ok((args, signature.result))
    }

    pub(crate) fn call_method(&mut self, key: &MethodKey, args: Vec<Value>) -> Fallible<Option<Value>> {
        let id = self.body.program.function(FunctionKey::Method(key.clone()));
        let class = crate::types::signature(&key.2).and_then(|signature| signature.result).and_then(|ty| ty.class());
        self.call_function(id, args, class)
    }

    pub(crate) fn call_function(
        &mut self,
        id: FunctionId,
        args: Vec<Value>,
        class: Option<Name>,
    ) -> Fallible<Option<Value>> {
        let args: Vec<Expr> = args.into_iter().map(|arg| self.body.plain(arg)).collect();
        let result = match self.body.program.functions[id.index()].result.clone() {
            Type::Void => None,
            ty => Some(self.body.temporary(&ty)),
        };
        let place = result.map(|id| self.body.place(id));
        let callee = threadwise_memory::code::Callee::Function(id);
        self.body.emit(InstructionKind::Call { callee, args, result: place });
        let value = result.map(|id| Value::of_class(self.body.load(id), class));
        // The result is on the stack while it is looked at whether there is one.
        self.body.after_call()?;
        Ok(value)
    }

    pub(crate) fn push_result(&mut self, value: Option<Value>) {
        self.body.stack.extend(value);
    }
}

/// A value from a field as it is computed with.
pub(crate) fn widened(value: Expr, ty: &JavaType) -> Expr {
    let wanted = ty.computed();
    if value.ty == wanted { value } else { value.converted(wanted) }
}

fn bits(width: u8, signed: bool) -> Type {
    Type::Int(Bits { width, signed })
}

fn primitive(element: PrimitiveArrayType) -> Type {
    match element {
        PrimitiveArrayType::Boolean | PrimitiveArrayType::Byte => bits(8, true),
        PrimitiveArrayType::Char => bits(16, false),
        PrimitiveArrayType::Short => bits(16, true),
        PrimitiveArrayType::Int => INT,
        PrimitiveArrayType::Long => LONG,
        PrimitiveArrayType::Float => Type::Float(4),
        PrimitiveArrayType::Double => Type::Float(8),
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

/// A comparison whose outcome is known is a constant.
fn constant_comparison(e: Expr) -> Expr {
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
