//! From the instructions of a method to those of the program.

use crate::body::{Body, Value, int, null};
use crate::classes::{Method, MethodKey, Name};
use crate::objects::{array_name, array_of, descriptor, primitive};
use crate::program::{Fallible, FunctionKey, Program};
use crate::types::{JavaType, LONG, bits, spoken};
use crate::webs::{Webs, branch_offset, index_at, webs};
use cafebabe::bytecode::Opcode;
use std::collections::BTreeMap;
use threadwise_memory::code::{
    BinaryOp, End, Expr, ExprKind, FunctionId, INT, InstructionKind, Library, LocalId, Type, UnaryOp,
};

/// What is known of the variables of a method that are set once.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) lengths: BTreeMap<usize, i64>,
    pub(crate) not_null: BTreeMap<usize, bool>,
    pub(crate) classes: BTreeMap<usize, Name>,
    pub(crate) exact: BTreeMap<usize, bool>,
}

/// The body of a method.
pub(crate) struct Lowering<'b, 'p, 'a> {
    pub(crate) body: Body<'b, 'p, 'a>,
    pub(crate) method: MethodKey,
    pub(crate) webs: Webs,
    pub(crate) variables: Vec<LocalId>,
    pub(crate) known: Known,
    pub(crate) index: usize,
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
    body.is_static_part = &*key.1 == "<clinit>";
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
            Opcode::IfAcmpeq(offset) => {
                self.refuse_unknown_identity()?;
                self.branch_compared(BinaryOp::Eq, *offset)?;
            }
            Opcode::IfAcmpne(offset) => {
                self.refuse_unknown_identity()?;
                self.branch_compared(BinaryOp::Ne, *offset)?;
            }
            Opcode::IfIcmpeq(offset) => self.branch_compared(BinaryOp::Eq, *offset)?,
            Opcode::IfIcmpne(offset) => self.branch_compared(BinaryOp::Ne, *offset)?,
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
            Opcode::Newarray(element) => self.new_array(primitive(*element), descriptor(*element).into())?,
            Opcode::Anewarray(element) => self.new_array(Type::Pointer, array_of(element))?,
            Opcode::Multianewarray(of, dimensions) => self.new_arrays(&array_name(of), usize::from(*dimensions))?,
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
            Opcode::Aastore => {
                self.refuse_other_stores()?;
                self.array_store(Type::Pointer)?;
            }
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
                    "floating-point numbers can be stored and printed, but not compared or made integers",
                );
            }
        }
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
