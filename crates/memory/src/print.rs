//! Programs as text, with the names of the source: for tests and for those who look for a mistake.

use crate::code::{
    Base, BinaryOp, Block, Callee, Code, End, Expr, ExprKind, Function, Instruction, InstructionKind, Library, Place,
    Step, Type, UnaryOp, Variable,
};
use std::fmt::Write;

/// The whole program.
pub fn program(code: &Code) -> String {
    let mut text = String::new();
    for (index, global) in code.globals.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", variable(code, global, index));
    }
    for function in &code.functions {
        text.push_str(&self::function(code, function));
    }
    text
}

fn variable(code: &Code, variable: &Variable, index: usize) -> String {
    let word = if variable.thread_local { "thread_local" } else { "global" };
    let mut line = format!("{word} {}: {}", variable.name, ty(code, &variable.ty));
    let printer = Printer { code, function: None };
    let base = Base::Global(crate::code::GlobalId(index as u32));
    for (path, kind) in &variable.mutex_kinds {
        let (path, span) = (path.clone(), variable.span);
        let place = Place { base: base.clone(), path, ty: Type::Void, atomic: false, span };
        let _ = write!(line, "; {} = {kind:?}", printer.place_as(&place, &variable.ty));
    }
    for (path, value) in &variable.init {
        let ty = Type::Void;
        let place = Place { base: base.clone(), path: path.clone(), ty, atomic: false, span: value.span };
        let _ = write!(line, "; {} = {}", printer.place_as(&place, &variable.ty), printer.expr(value));
    }
    line
}

/// One function, block by block.
pub fn function(code: &Code, function: &Function) -> String {
    let printer = Printer { code, function: Some(function) };
    let params = function.locals.iter().take(function.params);
    let params: Vec<String> = params.map(|param| format!("{}: {}", param.name, ty(code, &param.ty))).collect();
    let word = if function.is_atomic { "atomic fn" } else { "fn" };
    let mut text = format!("{word} {}({}) -> {}\n", function.name, params.join(", "), ty(code, &function.result));
    for (index, block) in function.body.iter().flatten().enumerate() {
        text.push_str(&printer.block(index, block));
    }
    text
}

/// A type as a few letters.
pub fn ty(code: &Code, ty: &Type) -> String {
    match ty {
        Type::Void => "void".to_string(),
        Type::Int(bits) => format!("{}{}", if bits.signed { 'i' } else { 'u' }, bits.width),
        Type::Pointer => "ptr".to_string(),
        Type::Float(bytes) => format!("f{}", u32::from(*bytes) * 8),
        Type::Struct(id) => match code.structs.get(id.index()) {
            Some(definition) if !definition.name.is_empty() => definition.name.to_string(),
            _ => "struct".to_string(),
        },
        Type::Array(element, count) => format!("[{count}]{}", self::ty(code, element)),
        Type::Library(object, _) => format!("{object:?}"),
    }
}

struct Printer<'a> {
    code: &'a Code,
    function: Option<&'a Function>,
}

impl Printer<'_> {
    fn block(&self, index: usize, block: &Block) -> String {
        let label = block.label.as_ref().map_or(String::new(), |label| format!(" {label}"));
        let mut text = format!("  b{index}{label}:\n");
        for instruction in &block.instructions {
            let _ = writeln!(text, "    {}", self.instruction(instruction));
        }
        let _ = writeln!(text, "    {}", self.end(&block.end));
        text
    }

    fn end(&self, end: &End) -> String {
        match end {
            End::Goto(to) => format!("goto b{}", to.0),
            End::Branch(condition, yes, no) => {
                format!("if {} goto b{} else b{}", self.expr(condition), yes.0, no.0)
            }
            End::Switch(value, cases, default) => {
                let cases: Vec<String> = cases.iter().map(|(case, to)| format!("{case}: b{}", to.0)).collect();
                format!("switch {} {{ {} }} else b{}", self.expr(value), cases.join(", "), default.0)
            }
            End::Return(None) => "return".to_string(),
            End::Return(Some(value)) => format!("return {}", self.expr(value)),
            End::Exit => "exit".to_string(),
            End::Unreachable => "unreachable".to_string(),
        }
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        match &instruction.kind {
            InstructionKind::Declare(local) => format!("declare {}", self.local(local.index())),
            InstructionKind::Assign { to, value } => format!("{} = {}", self.place(to), self.expr(value)),
            InstructionKind::Copy { to, from } => format!("copy {} = {}", self.place(to), self.place(from)),
            InstructionKind::Clear(place) => format!("clear {}", self.place(place)),
            InstructionKind::Call { callee, args, result } => {
                let args: Vec<String> = args.iter().map(|arg| self.expr(arg)).collect();
                let callee = match callee {
                    Callee::Function(id) => self.code.function(*id).name.to_string(),
                    Callee::Pointer(pointer) => format!("(*{})", self.expr(pointer)),
                };
                let result = result.as_ref().map_or(String::new(), |place| format!("{} = ", self.place(place)));
                format!("{result}{callee}({})", args.join(", "))
            }
            InstructionKind::Assert(condition, failure) => format!("assert {} {failure:?}", self.expr(condition)),
            InstructionKind::Assume(condition) => format!("assume {}", self.expr(condition)),
            InstructionKind::Enter(_) => "enter block".to_string(),
            InstructionKind::AtomicBegin => "atomic {".to_string(),
            InstructionKind::AtomicWhen(condition) => format!("atomic when {} {{", self.expr(condition)),
            InstructionKind::LoopInvariant(formula) => format!("loop invariant {}", self.expr(formula)),
            InstructionKind::AtomicEnd => "} atomic".to_string(),
            InstructionKind::Library(operation) => self.library(operation),
        }
    }

    fn library(&self, operation: &Library) -> String {
        let p = |place: &Place| self.place(place);
        let e = |expr: &Expr| self.expr(expr);
        let to = |place: &Option<Place>| place.as_ref().map_or(String::new(), |place| format!("{} = ", p(place)));
        match operation {
            Library::Create { handle, function, argument } => {
                let argument = argument.as_ref().map_or(String::new(), e);
                format!("{}create {}({argument})", to(handle), e(function))
            }
            Library::Join { thread, value } => format!("{}join {}", to(value), e(thread)),
            Library::ThreadExit(value) => format!("thread exit {}", value.as_ref().map_or(String::new(), e)),
            Library::ThreadSelf(place) => format!("{} = self", p(place)),
            Library::MutexInit { mutex, kind, attributes } => {
                let attributes = attributes.as_ref().map_or(String::new(), |place| format!(" by {}", p(place)));
                format!("init {} {kind:?}{attributes}", p(mutex))
            }
            Library::MutexKind { attributes, kind } => format!("kind of {} is {kind:?}", p(attributes)),
            Library::MutexLock(place) => format!("lock {}", p(place)),
            Library::MutexTryLock { mutex, timed, busy, result } => {
                let word = if *timed { "timed lock" } else { "try lock" };
                format!("{} = {word} {} else {busy}", p(result), p(mutex))
            }
            Library::MutexUnlock(place) => format!("unlock {}", p(place)),
            Library::MutexRefuses { mutex, takes, error, result } => {
                let word = if *takes { "to be locked" } else { "to be unlocked" };
                format!("{} = {error} if {} refuses {word}", p(result), p(mutex))
            }
            Library::MutexDestroy(place) => format!("destroy {}", p(place)),
            Library::RwInit(place) => format!("init {}", p(place)),
            Library::RwRead(place) => format!("read lock {}", p(place)),
            Library::RwWrite(place) => format!("write lock {}", p(place)),
            Library::RwTry { lock, write, busy, result } => {
                let word = if *write { "write" } else { "read" };
                format!("{} = try {word} lock {} else {busy}", p(result), p(lock))
            }
            Library::RwUnlock(place) => format!("rw unlock {}", p(place)),
            Library::RwDestroy(place) => format!("destroy {}", p(place)),
            Library::ConditionInit(place) => format!("init {}", p(place)),
            Library::ConditionWait { condition, mutex, timed } => {
                let timed =
                    timed.as_ref().map_or(String::new(), |(number, result)| format!(", {} = 0 or {number}", p(result)));
                format!("wait {} with {}{timed}", p(condition), p(mutex))
            }
            Library::ConditionSignal(place) => format!("signal {}", p(place)),
            Library::ConditionBroadcast(place) => format!("broadcast {}", p(place)),
            Library::ConditionDestroy(place) => format!("destroy {}", p(place)),
            Library::SemaphoreInit(place, value) => format!("init {} = {}", p(place), e(value)),
            Library::SemaphoreWait(place) => format!("down {}", p(place)),
            Library::SemaphoreTryWait { semaphore, timed, result } => {
                let word = if *timed { "timed down" } else { "try down" };
                format!("{} = {word} {}", p(result), p(semaphore))
            }
            Library::SemaphorePost(place) => format!("up {}", p(place)),
            Library::SemaphoreValue { semaphore, result } => format!("{} = value of {}", p(result), p(semaphore)),
            Library::BarrierInit(place, count) => format!("init {} for {}", p(place), e(count)),
            Library::BarrierWait { barrier, serial, result } => {
                format!("{}wait at {} or {serial}", to(result), p(barrier))
            }
            Library::MonitorEnter { monitor, unless } => {
                let unless = unless.as_ref().map_or(String::new(), |set| format!(" unless {}", p(set)));
                format!("enter {}{unless}", p(monitor))
            }
            Library::MonitorTry { monitor, result, .. } => format!("{} = try enter {}", p(result), p(monitor)),
            Library::MonitorExit(monitor) => format!("exit {}", p(monitor)),
            Library::MonitorHeld { monitor, result } => format!("{} = holds {}", p(result), p(monitor)),
            Library::MonitorWait { monitor, waiting } => {
                let waiting = waiting.as_ref().map_or(String::new(), |set| format!(" in {}", p(set)));
                format!("wait {}{waiting}", p(monitor))
            }
            Library::Notify { waiting, all } => format!("notify {} {}", if *all { "all" } else { "one" }, p(waiting)),
            Library::SetEnter { monitor, set } => format!("join {} beside {}", p(set), p(monitor)),
            Library::SetTry { monitor, set, result } => {
                format!("{} = try join {} beside {}", p(result), p(set), p(monitor))
            }
            Library::SetHeld { set, result } => format!("{} = in {}", p(result), p(set)),
            Library::SetExit(set) => format!("leave {}", p(set)),
            Library::Once { once, function } => format!("once {} {}", p(once), e(function)),
            Library::Allocate { result, ty, count, zeroed } => {
                let word = if *zeroed { "allocate zeroed" } else { "allocate" };
                format!("{} = {word} {} of {}", p(result), e(count), self::ty(self.code, ty))
            }
            Library::StructOf { pointer, result } => format!("{} = struct of {}", p(result), e(pointer)),
            Library::Extent { pointer, unit, result } => format!("{} = extent {} / {unit}", p(result), e(pointer)),
            Library::ProcessEnds => "the process ends".to_string(),
            Library::Free(pointer) => format!("free {}", e(pointer)),
        }
    }

    fn local(&self, index: usize) -> String {
        let local = self.function.and_then(|function| function.locals.get(index));
        local.map_or_else(|| format!("local {index}"), |local| local.name.to_string())
    }

    fn place(&self, place: &Place) -> String {
        let ty = match &place.base {
            Base::Local(local) => {
                let local = self.function.and_then(|function| function.locals.get(local.index()));
                local.map_or(Type::Void, |local| local.ty.clone())
            }
            Base::Global(global) => self.code.globals[global.index()].ty.clone(),
            Base::Deref(_, ty) => ty.clone(),
        };
        self.place_as(place, &ty)
    }

    /// A place whose base has this type.
    fn place_as(&self, place: &Place, ty: &Type) -> String {
        let mut text = match &place.base {
            Base::Local(local) => self.local(local.index()),
            Base::Global(global) => self.code.globals[global.index()].name.to_string(),
            Base::Deref(pointer, ty) => format!("(*{}: {})", self.expr(pointer), self::ty(self.code, ty)),
        };
        let mut ty = ty.clone();
        for step in &place.path {
            ty = match (step, &ty) {
                (Step::Field(index), Type::Struct(id)) => {
                    let field = self.code.structs[id.index()].fields.get(*index as usize);
                    let name = field.map_or("?", |field| &field.name);
                    let _ = write!(text, ".{}", if name.is_empty() { "_" } else { name });
                    field.map_or(Type::Void, |field| field.ty.clone())
                }
                (Step::Field(index), _) => {
                    let _ = write!(text, ".{index}");
                    Type::Void
                }
                (Step::Index(index), ty) => {
                    let _ = write!(text, "[{}]", self.expr(index));
                    if let Type::Array(element, _) = ty { (**element).clone() } else { Type::Void }
                }
            };
        }
        if place.atomic { format!("atomic {text}") } else { text }
    }

    fn expr(&self, expr: &Expr) -> String {
        let e = |expr: &Expr| self.expr(expr);
        match &expr.kind {
            ExprKind::Const(0) if expr.ty == Type::Pointer => "null".to_string(),
            ExprKind::Const(value) => match expr.ty {
                Type::Int(bits) => bits.number(*value).to_string(),
                _ => value.to_string(),
            },
            ExprKind::Load(place) => self.place(place),
            ExprKind::Address(place) => format!("&{}", self.place(place)),
            ExprKind::Function(id) => self.code.function(*id).name.to_string(),
            ExprKind::Unary(op, operand) => format!("{}{}", unary(*op), e(operand)),
            ExprKind::Binary(op, left, right) => format!("({} {} {})", e(left), binary(*op), e(right)),
            ExprKind::Offset(pointer, count, unit) => format!("({} + {} * {unit})", e(pointer), e(count)),
            ExprKind::Difference(left, right, unit) => format!("(({} - {}) / {unit})", e(left), e(right)),
            ExprKind::And(left, right) => format!("({} && {})", e(left), e(right)),
            ExprKind::Or(left, right) => format!("({} || {})", e(left), e(right)),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                format!("({} ? {} : {})", e(condition), e(yes), e(no))
            }
            ExprKind::Convert(operand) => format!("{}({})", ty(self.code, &expr.ty), e(operand)),
            ExprKind::Said(said) => format!("{said:?}"),
            ExprKind::Any => format!("any {}", ty(self.code, &expr.ty)),
        }
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}
