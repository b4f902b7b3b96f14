//! What those who get a program rely on: ids that are there, paths that lead somewhere, types that agree. A front end that
//! breaks a rule has a fault, and says so in builds with debug assertions.

use crate::code::{
    Base, BinaryOp, Block, Callee, Code, End, Expr, ExprKind, Function, InstructionKind, Library, Place, Step, Type,
};

/// The first rule that is broken, if there is one.
pub fn fault(code: &Code) -> Option<String> {
    for function in &code.functions {
        let checker = Checker { code, function };
        for block in function.body.iter().flatten() {
            if let Err(fault) = checker.block(block) {
                return Some(format!("{} in {}: {fault}", code.source.locate(block.span), function.name));
            }
        }
    }
    None
}

struct Checker<'a> {
    code: &'a Code,
    function: &'a Function,
}

type Checked = Result<(), String>;

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(message()) }
}

impl Checker<'_> {
    fn block(&self, block: &Block) -> Checked {
        for instruction in &block.instructions {
            self.instruction(&instruction.kind)?;
        }
        let blocks = self.function.body.as_ref().map_or(0, Vec::len);
        let is_there = |id: crate::code::BlockId| ensure(id.index() < blocks, || format!("no block {id:?}"));
        match &block.end {
            End::Goto(to) => is_there(*to),
            End::Branch(condition, yes, no) => {
                self.integer(condition)?;
                is_there(*yes)?;
                is_there(*no)
            }
            End::Switch(value, cases, default) => {
                self.integer(value)?;
                is_there(*default)?;
                cases.iter().try_for_each(|(_, to)| is_there(*to))
            }
            End::Return(Some(value)) => {
                self.expr(value)?;
                ensure(value.ty == self.function.result, || format!("{:?} is returned", value.ty))
            }
            End::Return(None) => ensure(self.function.result == Type::Void, || "nothing is returned".to_string()),
            End::Exit | End::Unreachable => Ok(()),
        }
    }

    fn instruction(&self, instruction: &InstructionKind) -> Checked {
        match instruction {
            InstructionKind::Declare(local) => {
                ensure(local.index() < self.function.locals.len(), || format!("no local {local:?}"))
            }
            InstructionKind::Assign { to, value } => {
                self.place(to)?;
                self.expr(value)?;
                ensure(to.ty == value.ty && to.ty.is_scalar(), || format!("{:?} = {:?}", to.ty, value.ty))
            }
            InstructionKind::Copy { to, from } => {
                self.place(to)?;
                self.place(from)?;
                ensure(to.ty == from.ty, || format!("copy {:?} = {:?}", to.ty, from.ty))
            }
            InstructionKind::Clear(place) => self.place(place),
            InstructionKind::Call { callee, args, result } => self.call(callee, args, result.as_ref()),
            InstructionKind::Assert(condition, _)
            | InstructionKind::Assume(condition)
            | InstructionKind::AtomicWhen(condition)
            | InstructionKind::LoopInvariant(condition) => self.integer(condition),
            InstructionKind::Enter(_) | InstructionKind::AtomicBegin | InstructionKind::AtomicEnd => Ok(()),
            InstructionKind::Library(operation) => self.library(operation),
        }
    }

    fn call(&self, callee: &Callee, args: &[Expr], result: Option<&Place>) -> Checked {
        args.iter().try_for_each(|arg| self.expr(arg))?;
        result.map_or(Ok(()), |place| self.place(place))?;
        let id = match callee {
            Callee::Function(id) => id,
            Callee::Pointer(pointer) => return self.expr(pointer),
        };
        let Some(function) = self.code.functions.get(id.index()) else { return Err(format!("no function {id:?}")) };
        let is_counted = function.body.is_none() || args.len() == function.params;
        ensure(is_counted, || format!("{} arguments for {}", args.len(), function.name))?;
        for (param, arg) in function.locals[..function.params].iter().zip(args) {
            ensure(param.ty == arg.ty, || format!("{:?} for {} of {}", arg.ty, param.name, function.name))?;
        }
        let fits = result.is_none_or(|place| place.ty == function.result);
        ensure(fits, || format!("the result of {} is {:?}", function.name, function.result))
    }

    fn library(&self, operation: &Library) -> Checked {
        match operation {
            Library::Create { handle, function, argument } => {
                handle.as_ref().map_or(Ok(()), |place| self.place(place))?;
                self.expr(function)?;
                argument.as_ref().map_or(Ok(()), |argument| self.expr(argument))
            }
            Library::Join { thread, value } => {
                self.expr(thread)?;
                value.as_ref().map_or(Ok(()), |place| self.place(place))
            }
            Library::MutexLock(place) | Library::MutexUnlock(place) => {
                self.place(place)?;
                ensure(matches!(place.ty, Type::Library(..)), || format!("{:?} is locked", place.ty))
            }
            Library::Allocate { result, count, .. } => {
                self.place(result)?;
                ensure(result.ty == Type::Pointer, || format!("memory for {:?}", result.ty))?;
                self.integer(count)
            }
            Library::Free(pointer) => self.expr(pointer),
            _ => Ok(()),
        }
    }

    fn place(&self, place: &Place) -> Checked {
        let mut ty = match &place.base {
            Base::Local(id) => self.function.locals.get(id.index()).map(|local| local.ty.clone()),
            Base::Global(id) => self.code.globals.get(id.index()).map(|global| global.ty.clone()),
            Base::Deref(pointer, ty) => {
                self.expr(pointer)?;
                ensure(pointer.ty == Type::Pointer, || format!("{:?} is followed", pointer.ty))?;
                Some(ty.clone())
            }
        }
        .ok_or_else(|| format!("no variable {:?}", place.base))?;
        for step in &place.path {
            ty = match (step, &ty) {
                (Step::Field(index), Type::Struct(id)) => {
                    let field = self.code.structs.get(id.index()).and_then(|s| s.fields.get(*index as usize));
                    field.map(|field| field.ty.clone()).ok_or_else(|| format!("no field {index}"))?
                }
                (Step::Index(index), Type::Array(element, _)) => {
                    self.integer(index)?;
                    (**element).clone()
                }
                (step, ty) => return Err(format!("{step:?} of {ty:?}")),
            };
        }
        ensure(ty == place.ty, || format!("a place of {ty:?} is said to be {:?}", place.ty))
    }

    fn integer(&self, expr: &Expr) -> Checked {
        self.expr(expr)?;
        ensure(expr.ty.bits().is_some(), || format!("{:?} is no integer", expr.ty))
    }

    fn expr(&self, expr: &Expr) -> Checked {
        match &expr.kind {
            ExprKind::Const(value) => {
                let fits = expr.ty.bits().is_none_or(|bits| bits.contains(*value));
                ensure(fits && expr.ty.is_scalar(), || format!("{value} of {:?}", expr.ty))
            }
            // What annotations say is checked where formulas are made of it.
            ExprKind::Said(_) => Ok(()),
            ExprKind::Any => ensure(expr.ty.is_scalar(), || format!("any {:?}", expr.ty)),
            ExprKind::Function(id) => ensure(id.index() < self.code.functions.len(), || format!("no function {id:?}")),
            ExprKind::Load(place) => {
                self.place(place)?;
                ensure(place.ty == expr.ty && expr.ty.is_scalar(), || format!("{:?} is loaded", place.ty))
            }
            ExprKind::Address(place) => self.place(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => {
                self.expr(operand)?;
                ensure(expr.ty.is_scalar(), || format!("{:?} is computed", expr.ty))
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(left)?;
                self.expr(right)?;
                let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                ensure(is_shift || left.ty == right.ty, || format!("{op:?} of {:?} and {:?}", left.ty, right.ty))
            }
            ExprKind::Offset(pointer, count, _) => {
                self.expr(pointer)?;
                ensure(pointer.ty == Type::Pointer, || format!("{:?} is moved", pointer.ty))?;
                self.integer(count)
            }
            ExprKind::Difference(left, right, unit) => {
                self.expr(left)?;
                self.expr(right)?;
                ensure(*unit > 0, || "a difference in units of nothing".to_string())
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.integer(left)?;
                self.integer(right)
            }
            ExprKind::Conditional(parts) => {
                self.integer(&parts[0])?;
                self.expr(&parts[1])?;
                self.expr(&parts[2])?;
                ensure(parts[1].ty == parts[2].ty && parts[1].ty == expr.ty, || "a choice of two types".to_string())
            }
        }
    }
}
