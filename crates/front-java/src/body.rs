//! The body of a function on its way: blocks, instructions, and the values on the stack of the method.

use crate::classes::{Handler, Name};
use crate::models::Implicit;
use crate::program::{Fallible, Program};
use crate::types::LONG;
use std::collections::BTreeMap;
use threadwise_memory::code::{
    BinaryOp, Block, BlockId, End, Expr, ExprKind, Failure, INT, Instruction, InstructionKind, Library, LocalId, Place,
    Type, UnaryOp, Variable,
};
use threadwise_source::{Diagnostic, Span};

/// A value on the stack. Its expression reads nothing but local variables.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) expr: Expr,
    /// The class of what it refers to, or one above it, where that is known.
    pub(crate) class: Option<Name>,
    /// The object was made here, so that its class is known exactly.
    pub(crate) is_exact: bool,
    pub(crate) is_not_null: bool,
    /// Of an array: how many elements it has, if that is a constant.
    pub(crate) length: Option<i64>,
    /// It is how the first compares with the second: -1, 0 or 1.
    pub(crate) compared: Option<Box<(Expr, Expr)>>,
    /// A text, or something that takes texts.
    pub(crate) is_opaque: bool,
    /// The table of a switch over an enum: the numbers of cases, by the numbers of constants.
    pub(crate) cases: Option<Vec<(i64, i64)>>,
}

impl Value {
    pub(crate) fn new(expr: Expr) -> Value {
        Value {
            expr,
            class: None,
            is_exact: false,
            is_not_null: false,
            length: None,
            compared: None,
            is_opaque: false,
            cases: None,
        }
    }

    pub(crate) fn of_class(expr: Expr, class: Option<Name>) -> Value {
        Value { class, ..Value::new(expr) }
    }

    /// A text of which nothing is known.
    pub(crate) fn text(span: Span) -> Value {
        Value { class: Some("java/lang/String".into()), ..Value::opaque(span) }
    }

    pub(crate) fn opaque(span: Span) -> Value {
        Value { is_opaque: true, is_not_null: true, ..Value::new(Expr::constant(0, Type::Pointer, span)) }
    }
}

/// Whose body it is.
pub(crate) struct Body<'b, 'p, 'a> {
    pub(crate) program: &'b mut Program<'p, 'a>,
    pub(crate) locals: Vec<Variable>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) here: usize,
    /// The block has its end: what comes now is not reached.
    pub(crate) is_over: bool,
    pub(crate) stack: Vec<Value>,
    pub(crate) span: Span,
    pub(crate) pc: u32,
    pub(crate) handlers: Vec<Handler>,
    /// The blocks that instructions start, by offset.
    pub(crate) block_at: BTreeMap<u32, BlockId>,
    /// The types of what is on the stack where a block starts.
    pub(crate) stack_at: BTreeMap<u32, Vec<Value>>,
    /// What to give back when the function is left.
    pub(crate) held: Option<Expr>,
    pub(crate) result: Type,
    /// It sets up the static part of a class: it runs once, and what its variables refer to is kept apart.
    pub(crate) is_static_part: bool,
    /// Nobody called the function: an exception that leaves it is caught by nobody.
    pub(crate) is_outermost: bool,
    /// What exceptions that leave calls here set to one: a barrier is broken then.
    pub(crate) breaks: Option<Place>,
    temporaries: Vec<(LocalId, Type, bool)>,
    spilled: BTreeMap<(usize, String), LocalId>,
}

pub(crate) fn int(value: i64, span: Span) -> Expr {
    Expr::constant(value, INT, span)
}

pub(crate) fn null(span: Span) -> Expr {
    Expr::constant(0, Type::Pointer, span)
}

pub(crate) fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, a, b, INT)
}

pub(crate) fn negated(e: Expr) -> Expr {
    let span = e.span;
    Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(e)), INT, span)
}

pub(crate) fn both(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::And(Box::new(a), Box::new(b)), INT, span)
}

impl<'b, 'p, 'a> Body<'b, 'p, 'a> {
    pub(crate) fn new(program: &'b mut Program<'p, 'a>, locals: Vec<Variable>, result: Type, span: Span) -> Self {
        let mut body = Body {
            program,
            locals,
            blocks: Vec::new(),
            here: 0,
            is_over: false,
            stack: Vec::new(),
            span,
            pc: 0,
            handlers: Vec::new(),
            block_at: BTreeMap::new(),
            stack_at: BTreeMap::new(),
            held: None,
            result,
            is_static_part: false,
            is_outermost: false,
            breaks: None,
            temporaries: Vec::new(),
            spilled: BTreeMap::new(),
        };
        body.new_block();
        body
    }

    pub(crate) fn refuse<T>(&self, message: impl Into<String>, hint: &str) -> Fallible<T> {
        Err(Box::new(Diagnostic::error(self.span, message).hint(hint)))
    }

    // Blocks.

    pub(crate) fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { instructions: Vec::new(), end: End::Unreachable, span: self.span, label: None });
        id
    }

    pub(crate) fn go_on_in(&mut self, block: BlockId) {
        self.here = block.index();
        self.is_over = false;
    }

    pub(crate) fn finish(&mut self, end: End) {
        if self.is_over {
            return;
        }
        self.blocks[self.here].end = end;
        self.blocks[self.here].span = self.span;
        self.is_over = true;
    }

    pub(crate) fn emit(&mut self, kind: InstructionKind) {
        if !self.is_over {
            let span = self.span;
            self.blocks[self.here].instructions.push(Instruction { kind, span });
        }
    }

    pub(crate) fn library(&mut self, operation: Library) {
        self.emit(InstructionKind::Library(Box::new(operation)));
    }

    pub(crate) fn assign(&mut self, to: Place, value: Expr) {
        let value = if value.ty == to.ty { value } else { value.converted(to.ty.clone()) };
        self.emit(InstructionKind::Assign { to, value });
    }

    /// Goes on where a condition holds, and elsewhere to another block, which is given.
    pub(crate) fn unless(&mut self, condition: Expr) -> BlockId {
        let (yes, no) = (self.new_block(), self.new_block());
        self.finish(End::Branch(condition, yes, no));
        self.go_on_in(yes);
        no
    }

    // Variables.

    pub(crate) fn local(&mut self, name: &str, ty: Type) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Variable::new(name.into(), ty, self.span));
        id
    }

    pub(crate) fn place(&self, id: LocalId) -> Place {
        Place::local(id, self.locals[id.index()].ty.clone(), self.span)
    }

    pub(crate) fn load(&self, id: LocalId) -> Expr {
        Expr::load(self.place(id))
    }

    /// A variable that nobody uses now; it is free again when the stack is empty.
    pub(crate) fn temporary(&mut self, ty: &Type) -> LocalId {
        let mut free = self.temporaries.iter_mut().filter(|_| !self.is_static_part);
        if let Some(free) = free.find(|(_, known, is_used)| known == ty && !is_used) {
            free.2 = true;
            return free.0;
        }
        let name = format!("$t{}", self.temporaries.len());
        let id = self.local(&name, ty.clone());
        self.temporaries.push((id, ty.clone(), true));
        id
    }

    pub(crate) fn statement_ends(&mut self) {
        if self.stack.is_empty() {
            self.temporaries.iter_mut().for_each(|(_, _, is_used)| *is_used = false);
        }
    }

    /// The value in a variable of its own, so that it stays what it is.
    pub(crate) fn kept(&mut self, value: Expr) -> Expr {
        let id = self.temporary(&value.ty);
        self.assign(self.place(id), value);
        self.load(id)
    }

    /// Reads memory, once.
    pub(crate) fn read(&mut self, place: Place) -> Expr {
        self.kept(Expr::load(place))
    }

    /// Nothing on the stack depends on a local variable that is about to change.
    pub(crate) fn settle(&mut self, local: LocalId) {
        for index in 0..self.stack.len() {
            let value = self.stack[index].clone();
            let depends = mentions(&value.expr, local)
                || value.compared.as_ref().is_some_and(|pair| mentions(&pair.0, local) || mentions(&pair.1, local));
            if depends {
                let settled = self.plain(value.clone());
                let expr = self.kept(settled);
                self.stack[index] = Value { expr, compared: None, ..value };
            }
        }
    }

    // The stack.

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(crate) fn push_expr(&mut self, expr: Expr) {
        self.stack.push(Value::new(expr));
    }

    pub(crate) fn pop_value(&mut self) -> Fallible<Value> {
        match self.stack.pop() {
            Some(value) => Ok(value),
            None => self.refuse("the class file takes from an empty stack", "compile the program again"),
        }
    }

    pub(crate) fn pop(&mut self) -> Fallible<Expr> {
        let value = self.pop_value()?;
        Ok(self.plain(value))
    }

    /// The value as an expression.
    pub(crate) fn plain(&mut self, value: Value) -> Expr {
        if let Some(pair) = value.compared {
            let (a, b) = *pair;
            let span = self.span;
            let equal = compare(BinaryOp::Eq, a.clone(), b.clone());
            let less = compare(BinaryOp::Lt, a, b);
            let rest = Expr::new(ExprKind::Conditional(Box::new([equal, int(0, span), int(1, span)])), INT, span);
            return Expr::new(ExprKind::Conditional(Box::new([less, int(-1, span), rest])), INT, span);
        }
        if value.is_opaque {
            return self.allocated("java/lang/String");
        }
        value.expr
    }

    /// A new object of a class.
    pub(crate) fn allocated(&mut self, class: &str) -> Expr {
        let ty = Type::Struct(self.program.struct_of(class));
        let id = self.temporary(&Type::Pointer);
        let result = self.place(id);
        self.library(Library::Allocate { result, ty, count: Expr::constant(1, LONG, self.span), zeroed: true });
        self.load(id)
    }

    // Control between instructions of the method.

    /// What is on the stack in variables, where others can find it.
    fn spill(&mut self) -> Vec<Value> {
        let values = std::mem::take(&mut self.stack);
        let mut exprs = Vec::new();
        for value in &values {
            exprs.push(self.plain(value.clone()));
        }
        // What is kept in one of these variables and goes to another is taken out before it is overwritten.
        let known: Vec<LocalId> = self.spilled.values().copied().collect();
        for expr in &mut exprs {
            let is_plain = matches!(expr.kind, ExprKind::Load(_));
            let is_kept = known.iter().any(|&id| mentions(expr, id));
            if is_kept && (!is_plain || known.len() > 1) {
                *expr = self.kept(expr.clone());
            }
        }
        let mut kept = Vec::new();
        for (depth, (value, expr)) in values.into_iter().zip(exprs).enumerate() {
            let key = (depth, format!("{:?}", expr.ty));
            let id = match self.spilled.get(&key) {
                Some(&id) => id,
                None => {
                    let id = self.local(&format!("$s{depth}"), expr.ty.clone());
                    self.spilled.insert(key, id);
                    id
                }
            };
            if !matches!(&expr.kind, ExprKind::Load(place) if matches!(place.base, threadwise_memory::code::Base::Local(of) if of == id))
            {
                self.assign(self.place(id), expr);
            }
            let class = value.class.clone();
            kept.push(Value::of_class(self.load(id), class));
        }
        kept
    }

    /// The block of an instruction, entered with what is on the stack.
    pub(crate) fn enter(&mut self, pc: u32) -> Fallible<BlockId> {
        let kept = self.spill();
        // What is on the stack is in these variables from here on: they may have been part of what it was.
        self.stack = kept.clone();
        let Some(&block) = self.block_at.get(&pc) else {
            return self.refuse("the class file jumps to where no instruction is", "compile the program again");
        };
        match self.stack_at.get_mut(&pc) {
            None => drop(self.stack_at.insert(pc, kept)),
            Some(known) => {
                for (known, value) in known.iter_mut().zip(&kept) {
                    if known.class != value.class {
                        known.class = None;
                    }
                }
            }
        }
        Ok(block)
    }

    // Exceptions.

    /// Throws an exception of an operation where a condition does not hold.
    pub(crate) fn check(&mut self, condition: Expr, exception: Implicit) -> Fallible<()> {
        if let ExprKind::Const(1..) = condition.kind {
            return Ok(());
        }
        if !self.program.is_catchable(exception.class()) {
            self.emit(InstructionKind::Assert(condition, Failure::Exception));
            return Ok(());
        }
        let otherwise = self.unless(condition);
        let (then, stack) = (self.here, self.stack.clone());
        self.go_on_in(otherwise);
        let object = self.program.single(&format!("a {}", crate::types::spoken(exception.class())), exception.class());
        self.throw(Value { is_exact: true, ..Value::of_class(object, Some(exception.class().into())) })?;
        self.stack = stack;
        self.go_on_in(BlockId(then as u32));
        Ok(())
    }

    pub(crate) fn check_not_null(&mut self, value: &Value) -> Fallible<()> {
        if value.is_not_null || value.is_opaque {
            return Ok(());
        }
        let is_there = compare(BinaryOp::Ne, value.expr.clone(), null(self.span));
        self.check(is_there, Implicit::Null)
    }

    /// Throws an exception: to the handler that catches it, or out of the function.
    pub(crate) fn throw(&mut self, exception: Value) -> Fallible<()> {
        let class: Name = exception.class.clone().unwrap_or_else(|| "java/lang/Throwable".into());
        let object = self.plain(exception.clone());
        if !self.program.is_catchable(&class) {
            return self.uncaught(object, &class, exception.is_exact);
        }
        let object = self.kept(object);
        let pc = self.pc;
        let covering: Vec<Handler> =
            self.handlers.iter().filter(|handler| handler.start <= pc && pc < handler.end).cloned().collect();
        for handler in covering {
            let caught = handler.catches.clone().unwrap_or_else(|| "java/lang/Throwable".into());
            let is_caught = self.program.reached.is_subtype(&class, &caught);
            if !is_caught && (exception.is_exact || !self.program.reached.is_subtype(&caught, &class)) {
                continue;
            }
            let otherwise = match is_caught {
                true => None,
                false => {
                    let is_it = self.is_instance(object.clone(), &caught);
                    Some(self.unless(is_it))
                }
            };
            self.stack = vec![Value { is_not_null: true, ..Value::of_class(object.clone(), Some(caught)) }];
            let to = self.enter(handler.to)?;
            self.stack.clear();
            self.finish(End::Goto(to));
            match otherwise {
                Some(block) => self.go_on_in(block),
                None => return Ok(()),
            }
        }
        self.leave_exceptionally(object)
    }

    /// The error of an exception that nobody catches.
    pub(crate) fn uncaught(&mut self, object: Expr, class: &str, is_exact: bool) -> Fallible<()> {
        let error = "java/lang/AssertionError";
        let never = int(0, self.span);
        let is_assertion = self.program.reached.is_subtype(class, error);
        let may_be = !is_exact
            && self.program.reached.is_subtype(error, class)
            && self.program.reached.instantiated.iter().any(|made| self.program.reached.is_subtype(made, error));
        if may_be && !is_assertion {
            let is_it = self.is_instance(object, error);
            let otherwise = self.unless(is_it);
            self.emit(InstructionKind::Assert(never.clone(), Failure::Assertion));
            self.finish(End::Unreachable);
            self.go_on_in(otherwise);
        }
        let failure = if is_assertion { Failure::Assertion } else { Failure::Exception };
        self.emit(InstructionKind::Assert(never, failure));
        self.finish(End::Unreachable);
        Ok(())
    }

    /// Leaves the function with an exception on the way.
    fn leave_exceptionally(&mut self, object: Expr) -> Fallible<()> {
        if self.is_outermost {
            return self.uncaught(object, "java/lang/Throwable", false);
        }
        let span = self.span;
        let pending = self.program.own_pointer("$pending", span);
        self.assign(pending, object);
        self.give_back();
        let value = match &self.result {
            Type::Void => None,
            ty => Some(Expr::constant(0, ty.clone(), span)),
        };
        self.finish(End::Return(value));
        Ok(())
    }

    /// Gives back what the function holds.
    pub(crate) fn give_back(&mut self) {
        if let Some(object) = self.held.clone() {
            let monitor = self.monitor_of(object);
            self.library(Library::MonitorExit(monitor));
        }
    }

    /// After a call: an exception may be on its way.
    pub(crate) fn after_call(&mut self) -> Fallible<()> {
        if !self.program.has_catchable() {
            return Ok(());
        }
        let span = self.span;
        let pending = self.program.own_pointer("$pending", span);
        let none = compare(BinaryOp::Eq, Expr::load(pending.clone()), null(span));
        let otherwise = self.unless(none);
        let (then, stack) = (self.here, self.stack.clone());
        self.go_on_in(otherwise);
        let exception = self.kept(Expr::load(pending.clone()));
        self.assign(pending, null(span));
        if let Some(broken) = self.breaks.clone() {
            self.assign(broken, int(1, span));
        }
        self.throw(Value { is_not_null: true, ..Value::new(exception) })?;
        self.stack = stack;
        self.go_on_in(BlockId(then as u32));
        Ok(())
    }

    /// Whether an object, which is not null, is of a class.
    pub(crate) fn is_instance(&mut self, object: Expr, class: &str) -> Expr {
        let span = self.span;
        let made: Vec<Name> = self.program.reached.instantiated.iter().cloned().collect();
        let implicit = Implicit::ALL.into_iter().map(|exception| Name::from(exception.class()));
        let mut of: Vec<Name> = made.into_iter().chain(implicit).collect();
        of.push("java/lang/String".into());
        of.sort();
        of.dedup();
        of.retain(|known| self.program.reached.is_subtype(known, class));
        let number = self.struct_number(object);
        let mut is_one = int(0, span);
        for known in of {
            let id = self.program.struct_of(&known);
            let is_it = compare(BinaryOp::Eq, number.clone(), int(i64::from(id.0), span));
            is_one = match is_one.kind {
                ExprKind::Const(0) => is_it,
                _ => Expr::new(ExprKind::Or(Box::new(is_one), Box::new(is_it)), INT, span),
            };
        }
        is_one
    }

    /// The number of the struct of an object.
    pub(crate) fn struct_number(&mut self, object: Expr) -> Expr {
        let id = self.temporary(&INT);
        let result = self.place(id);
        self.library(Library::StructOf { pointer: object, result });
        self.load(id)
    }

    pub(crate) fn monitor_of(&mut self, object: Expr) -> Place {
        self.field(object, "java/lang/Object", "monitor", false)
    }

    /// A field of an object of a known class.
    pub(crate) fn field(&mut self, object: Expr, class: &str, name: &str, atomic: bool) -> Place {
        let (of, number) = self.program.field_number(class, name).expect("classes of the library have these fields");
        let ty = self.program.structs[of.index()].fields[number as usize].ty.clone();
        crate::program::field_place(object, of, number, ty, atomic, self.span)
    }
}

/// Whether an expression reads a local variable.
pub(crate) fn mentions(e: &Expr, local: LocalId) -> bool {
    match &e.kind {
        ExprKind::Load(place) | ExprKind::Address(place) => {
            matches!(place.base, threadwise_memory::code::Base::Local(id) if id == local)
        }
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => mentions(a, local),
        ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Offset(a, b, _) => {
            mentions(a, local) || mentions(b, local)
        }
        ExprKind::Conditional(parts) => parts.iter().any(|part| mentions(part, local)),
        ExprKind::Said(_) => false,
        ExprKind::Const(_) | ExprKind::Function(_) | ExprKind::Any | ExprKind::Difference(..) => false,
    }
}
