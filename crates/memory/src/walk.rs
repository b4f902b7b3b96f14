//! Going through code: places and expressions inside of instructions, with room for replacing locals.

use crate::code::{Base, Block, Callee, End, Expr, ExprKind, InstructionKind, Library, LocalId, Place, Said, Step};

/// What is done to the parts of code, from the outside in.
pub(crate) trait Visitor {
    fn local(&mut self, _: &mut LocalId) {}
    fn expr(&mut self, e: &mut Expr) {
        self.expr_parts(e);
    }
    fn place(&mut self, place: &mut Place) {
        self.place_parts(place);
    }

    fn expr_parts(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Const(_) | ExprKind::Function(_) | ExprKind::Any => {}
            ExprKind::Load(place) | ExprKind::Address(place) => self.place(place),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.expr(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Offset(a, b, _)
            | ExprKind::Difference(a, b, _)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(parts) => parts.iter_mut().for_each(|part| self.expr(part)),
            ExprKind::Said(said) => match &mut **said {
                Said::Subject | Said::Thread(_) | Said::Object => {}
                Said::After(a) | Said::ForAllThreads(_, a) | Said::ForAllObjects(_, a) => self.expr(a),
                Said::Implies(a, b) | Said::Iff(a, b) => {
                    self.expr(a);
                    self.expr(b);
                }
                Said::In(a, place) => {
                    self.expr(a);
                    self.place(place);
                }
                Said::IsEmpty(place) | Said::Holder(place) => self.place(place),
            },
        }
    }

    fn place_parts(&mut self, place: &mut Place) {
        match &mut place.base {
            Base::Local(id) => self.local(id),
            Base::Global(_) => {}
            Base::Deref(pointer, _) => self.expr(pointer),
        }
        for step in &mut place.path {
            match step {
                Step::Field(_) => {}
                Step::Index(index) => self.expr(index),
            }
        }
    }

    fn instruction(&mut self, kind: &mut InstructionKind) {
        match kind {
            InstructionKind::Declare(id) => self.local(id),
            InstructionKind::Assign { to, value } => {
                self.place(to);
                self.expr(value);
            }
            InstructionKind::Copy { to, from } => {
                self.place(to);
                self.place(from);
            }
            InstructionKind::Clear(place) => self.place(place),
            InstructionKind::Call { callee, args, result } => {
                if let Callee::Pointer(e) = callee {
                    self.expr(e);
                }
                args.iter_mut().for_each(|arg| self.expr(arg));
                result.iter_mut().for_each(|place| self.place(place));
            }
            InstructionKind::Assert(e, _)
            | InstructionKind::Assume(e)
            | InstructionKind::AtomicWhen(e)
            | InstructionKind::LoopInvariant(e) => self.expr(e),
            InstructionKind::Enter(_) | InstructionKind::AtomicBegin | InstructionKind::AtomicEnd => {}
            InstructionKind::Library(library) => self.library(library),
        }
    }

    fn library(&mut self, library: &mut Library) {
        let (places, exprs) = parts_of(library);
        places.into_iter().for_each(|place| self.place(place));
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    fn end(&mut self, end: &mut End) {
        match end {
            End::Branch(e, ..) | End::Switch(e, ..) | End::Return(Some(e)) => self.expr(e),
            End::Goto(_) | End::Return(None) | End::Exit | End::Unreachable => {}
        }
    }

    fn block(&mut self, block: &mut Block) {
        block.instructions.iter_mut().for_each(|instruction| self.instruction(&mut instruction.kind));
        self.end(&mut block.end);
    }
}

/// The places and the expressions of an operation, those that are evaluated first in front.
pub(crate) fn parts_of(library: &mut Library) -> (Vec<&mut Place>, Vec<&mut Expr>) {
    match library {
        Library::Create { handle, function, argument } => {
            (handle.iter_mut().collect(), [Some(function), argument.as_mut()].into_iter().flatten().collect())
        }
        Library::Join { thread, value } => (value.iter_mut().collect(), vec![thread]),
        Library::ThreadExit(e) => (Vec::new(), e.iter_mut().collect()),
        Library::MutexInit { mutex, attributes, .. } => {
            ([Some(mutex), attributes.as_mut()].into_iter().flatten().collect(), Vec::new())
        }
        Library::ThreadSelf(place)
        | Library::MutexKind { attributes: place, .. }
        | Library::MutexLock(place)
        | Library::MutexUnlock(place)
        | Library::MutexDestroy(place)
        | Library::RwInit(place)
        | Library::RwRead(place)
        | Library::RwWrite(place)
        | Library::RwUnlock(place)
        | Library::RwDestroy(place)
        | Library::ConditionInit(place)
        | Library::ConditionSignal(place)
        | Library::ConditionBroadcast(place)
        | Library::ConditionDestroy(place)
        | Library::SemaphoreWait(place)
        | Library::SemaphorePost(place) => (vec![place], Vec::new()),
        Library::MutexTryLock { mutex: a, result: b, .. }
        | Library::MutexRefuses { mutex: a, result: b, .. }
        | Library::RwTry { lock: a, result: b, .. }
        | Library::SemaphoreTryWait { semaphore: a, result: b, .. }
        | Library::SemaphoreValue { semaphore: a, result: b } => (vec![a, b], Vec::new()),
        Library::ConditionWait { condition, mutex, timed } => {
            let result = timed.as_mut().map(|(_, place)| place);
            ([Some(condition), Some(mutex), result].into_iter().flatten().collect(), Vec::new())
        }
        Library::MonitorEnter { monitor: a, unless: b } | Library::MonitorWait { monitor: a, waiting: b } => {
            ([Some(a), b.as_mut()].into_iter().flatten().collect(), Vec::new())
        }
        Library::MonitorTry { monitor, unless, result } => {
            ([Some(monitor), unless.as_mut(), Some(result)].into_iter().flatten().collect(), Vec::new())
        }
        Library::MonitorExit(place) | Library::SetExit(place) | Library::Notify { waiting: place, .. } => {
            (vec![place], Vec::new())
        }
        Library::MonitorHeld { monitor: a, result: b }
        | Library::SetHeld { set: a, result: b }
        | Library::SetEnter { monitor: a, set: b } => (vec![a, b], Vec::new()),
        Library::SetTry { monitor, set, result } => (vec![monitor, set, result], Vec::new()),
        Library::SemaphoreInit(place, e) | Library::BarrierInit(place, e) => (vec![place], vec![e]),
        Library::BarrierWait { barrier, result, .. } => {
            ([Some(barrier), result.as_mut()].into_iter().flatten().collect(), Vec::new())
        }
        Library::Once { once, function } => (vec![once], vec![function]),
        Library::ProcessEnds => (Vec::new(), Vec::new()),
        Library::Allocate { result, count, .. } => (vec![result], vec![count]),
        Library::Extent { pointer, result, .. } | Library::StructOf { pointer, result } => {
            (vec![result], vec![pointer])
        }
        Library::Free(e) => (Vec::new(), vec![e]),
    }
}

/// Calls something for every expression of a block, also for those inside of others.
pub(crate) fn for_each_expr(block: &Block, act: &mut dyn FnMut(&Expr)) {
    struct Each<'a>(&'a mut dyn FnMut(&Expr));
    impl Visitor for Each<'_> {
        fn expr(&mut self, e: &mut Expr) {
            (self.0)(e);
            self.expr_parts(e);
        }
    }
    Each(act).block(&mut block.clone());
}

/// Where control can go from the end of a block.
pub(crate) fn targets(end: &End) -> Vec<crate::code::BlockId> {
    match end {
        End::Goto(to) => vec![*to],
        End::Branch(_, yes, no) => vec![*yes, *no],
        End::Switch(_, cases, rest) => cases.iter().map(|(_, to)| *to).chain([*rest]).collect(),
        End::Return(_) | End::Exit | End::Unreachable => Vec::new(),
    }
}

struct Parts<'f>(&'f mut dyn FnMut(&Expr));

impl Visitor for Parts<'_> {
    fn expr(&mut self, e: &mut Expr) {
        (self.0)(e);
        self.expr_parts(e);
    }
}

/// Looks at an expression and everything in it.
pub(crate) fn for_each_part(e: &Expr, look: &mut dyn FnMut(&Expr)) {
    Parts(look).expr(&mut e.clone());
}
