//! The code of one thread in one piece: calls are replaced by the bodies of what they call, so that a place in the code
//! is a place in one calling context.

use crate::code::{
    Base, Block, BlockId, Callee, Code, End, Expr, ExprKind, Function, FunctionId, Instruction, InstructionKind,
    Language, Library, LocalId, Place, Step, Type, Variable,
};
use crate::known::{self, Known};
use crate::walk::{Visitor, for_each_expr, targets};
use std::collections::BTreeSet;
use threadwise_source::{Diagnostic, Span};

/// More instructions than this in one thread are not laid out.
const MAX_INSTRUCTIONS: usize = 400_000;

/// Functions that call themselves are laid out less often where it would be more instructions than this.
const MANY_INSTRUCTIONS: usize = 8_000;

/// More calls of one function are never open at the same time, even where constants seem to say how many.
const MANY_CALLS: u32 = 250;

/// The code of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Flat {
    pub(crate) root: FunctionId,
    pub(crate) locals: Vec<FlatLocal>,
    pub(crate) blocks: Vec<Block>,
    /// The calls that led to the code, each with the one that it is inside of. The first is the root itself.
    pub(crate) calls: Vec<Call>,
    /// For each block the call that it belongs to.
    pub(crate) call_of: Vec<usize>,
    /// Where what the thread returns is kept.
    pub(crate) result: Option<LocalId>,
    /// The first parameter of the root.
    pub(crate) first_param: LocalId,
    /// Calls that were not laid out because too many calls of the function are open there already.
    pub(crate) cut: Vec<Span>,
}

/// A local variable of some call.
#[derive(Clone, Debug)]
pub(crate) struct FlatLocal {
    pub(crate) variable: Variable,
    pub(crate) call: usize,
}

/// A call whose body stands in the code.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) parent: Option<usize>,
    /// Where it is called.
    pub(crate) site: Span,
    pub(crate) function: FunctionId,
    /// The parameters that constants were given for, by their numbers.
    given: Known,
}

impl Flat {
    /// Whether a place in a call is in the block that a local lives in: by the text, and by where calls are made.
    pub(crate) fn is_in_scope(&self, local: LocalId, call: usize, place: Span) -> bool {
        let of = &self.locals[local.index()];
        let (mut now, mut at) = (call, place);
        while now != of.call {
            let Some(parent) = self.calls[now].parent else { return false };
            (now, at) = (parent, self.calls[now].site);
        }
        of.variable.block.is_none_or(|block| block.start <= at.start && at.end <= block.end)
    }

    /// The calls, and the inner blocks of calls by their texts, that control can come into more than once.
    pub(crate) fn entered_again(&self) -> BTreeSet<(usize, Option<Span>)> {
        let cycles = self.on_cycles();
        let mut found = BTreeSet::new();
        for (index, block) in self.blocks.iter().enumerate().filter(|(index, _)| cycles[*index].is_some()) {
            let calls = targets(&block.end).into_iter().map(|to| self.call_of[to.index()]);
            let called = calls.filter(|&call| self.calls[call].parent == Some(self.call_of[index]));
            found.extend(called.map(|call| (call, None)));
            for instruction in &block.instructions {
                if let InstructionKind::Enter(text) = instruction.kind {
                    found.insert((self.call_of[index], Some(text)));
                }
            }
        }
        found
    }

    /// For each block whether it can be come back to from itself.
    pub(crate) fn on_cycles(&self) -> Vec<Option<usize>> {
        components(self.blocks.len(), &|block| targets(&self.blocks[block].end).iter().map(|to| to.index()).collect())
    }
}

/// Lays out a thread that starts with a function. So many calls of one function can be open at the same time; where that
/// is a lot of code, it is fewer.
pub(crate) fn flatten(code: &Code, root: FunctionId, taken: &[FunctionId], recursion: u32) -> Result<Flat, Diagnostic> {
    let mut recursion = recursion.max(1);
    loop {
        let laid_out = flatten_once(code, root, taken, recursion)?;
        if laid_out.0.cut.is_empty() || laid_out.1 <= MANY_INSTRUCTIONS || recursion == 1 {
            return Ok(laid_out.0);
        }
        recursion /= 2;
    }
}

/// The code, and how many instructions it has at least.
fn flatten_once(
    code: &Code,
    root: FunctionId,
    taken: &[FunctionId],
    recursion: u32,
) -> Result<(Flat, usize), Diagnostic> {
    let flat = Flat {
        root,
        locals: Vec::new(),
        blocks: Vec::new(),
        calls: Vec::new(),
        call_of: Vec::new(),
        result: None,
        first_param: LocalId(0),
        cut: Vec::new(),
    };
    let (known, is_main) = (Known::new(), code.entries[..] == [root]);
    let mut inliner = Inliner { code, taken, flat, instructions: 0, recursion, known, is_main };
    let function = code.function(root);
    if let Some(ty) = kept_result(function, is_main) {
        inliner.flat.result = Some(inliner.add_local("result", ty, function.span, 0));
    }
    inliner.flat.first_param = LocalId(inliner.flat.locals.len() as u32);
    let call = inliner.add_call(None, root, function.span, Known::new());
    inliner.body(call, None)?;
    Ok((inliner.flat, inliner.instructions))
}

struct Inliner<'a> {
    code: &'a Code,
    /// The functions whose addresses somebody takes.
    taken: &'a [FunctionId],
    flat: Flat,
    instructions: usize,
    /// How many calls of one function can be open at the same time.
    recursion: u32,
    /// Parameters that constants were given for.
    known: Known,
    /// The return of the root ends the process.
    is_main: bool,
}

/// Where a call goes on, and where its result goes.
struct Continuation {
    block: BlockId,
    result: Option<Place>,
}

impl Inliner<'_> {
    fn add_call(&mut self, parent: Option<usize>, function: FunctionId, site: Span, given: Known) -> usize {
        self.flat.calls.push(Call { parent, site, function, given });
        self.flat.calls.len() - 1
    }

    fn add_local(&mut self, name: &str, ty: Type, span: Span, call: usize) -> LocalId {
        let variable = Variable::new(name.into(), ty, span);
        self.flat.locals.push(FlatLocal { variable, call });
        LocalId(self.flat.locals.len() as u32 - 1)
    }

    fn add_block(&mut self, call: usize, end: End, span: Span) -> BlockId {
        self.flat.blocks.push(Block { instructions: Vec::new(), end, span, label: None });
        self.flat.call_of.push(call);
        BlockId(self.flat.blocks.len() as u32 - 1)
    }

    fn block(&mut self, id: BlockId) -> &mut Block {
        &mut self.flat.blocks[id.index()]
    }

    /// Adds the body of a function; its locals are the last ones from `offset` on. The first block is the entry.
    fn body(&mut self, call: usize, then: Option<&Continuation>) -> Result<BlockId, Diagnostic> {
        let function = self.code.function(self.flat.calls[call].function);
        let offset = self.flat.locals.len() as u32;
        let locals = function.locals.iter().map(|local| FlatLocal { variable: local.clone(), call });
        self.flat.locals.extend(locals);
        let Some(blocks) = &function.body else { unreachable!("only what has a body is laid out") };
        let blocks: Vec<Block> = blocks.iter().map(|block| self.own_copy(block, offset)).collect();
        let reached = reached(&blocks);
        let mut places: Vec<Option<BlockId>> = vec![None; blocks.len()];
        for (index, block) in blocks.iter().enumerate().filter(|(index, _)| reached[*index]) {
            places[index] = Some(self.add_block(call, End::Unreachable, block.span));
        }
        let entry = places[0].expect("the entry is reached");
        for (index, block) in blocks.into_iter().enumerate().filter(|(index, _)| reached[*index]) {
            let mut at = places[index].expect("it is reached");
            self.block(at).label = block.label.clone();
            for instruction in block.instructions {
                at = self.instruction(at, instruction, call)?;
            }
            let to = |id: BlockId| places[id.index()].expect("its source is reached");
            let end = match block.end {
                End::Goto(id) => End::Goto(to(id)),
                End::Branch(e, yes, no) => End::Branch(e, to(yes), to(no)),
                End::Switch(e, cases, rest) => {
                    End::Switch(e, cases.into_iter().map(|(value, id)| (value, to(id))).collect(), to(rest))
                }
                End::Return(value) => {
                    let end = self.return_from(at, value, function, then, call);
                    if then.is_none() && !self.is_main {
                        at = self.end_thread(at, block.span, call)?;
                    }
                    end
                }
                end @ (End::Exit | End::Unreachable) => end,
            };
            self.block(at).end = end;
            self.block(at).span = block.span;
        }
        Ok(entry)
    }

    /// A block of a function with the locals of a call, whose first is this one.
    fn own_copy(&self, block: &Block, offset: u32) -> Block {
        let mut block = block.clone();
        Shift(offset).block(&mut block);
        known::Replace(&self.known).block(&mut block);
        Block { end: simplified(block.end), ..block }
    }

    fn return_from(
        &mut self,
        at: BlockId,
        value: Option<Expr>,
        of: &Function,
        then: Option<&Continuation>,
        call: usize,
    ) -> End {
        let (result, end) = match then {
            Some(then) => (then.result.clone(), End::Goto(then.block)),
            None => (self.thread_result(of.span), End::Return(None)),
        };
        if let (Some(to), Some(value)) = (result, value) {
            let span = value.span;
            let kind = match (value.kind, to.ty.is_scalar()) {
                (ExprKind::Load(from), false) => {
                    let (to, from) = (self.settled(at, to, call), self.settled(at, *from, call));
                    InstructionKind::Copy { to, from }
                }
                (kind, _) => {
                    let value = as_type(Expr { kind, ..value_of(value.ty, span) }, &to.ty);
                    InstructionKind::Assign { to, value }
                }
            };
            self.block(at).instructions.push(Instruction { kind, span });
        }
        end
    }

    /// Where what the thread gives is kept for those who join it.
    fn thread_result(&self, span: Span) -> Option<Place> {
        let id = self.flat.result?;
        Some(Place::local(id, self.flat.locals[id.index()].variable.ty.clone(), span))
    }

    /// A place that is accessed part by part: where it is, is found out once, before.
    fn settled(&mut self, at: BlockId, mut place: Place, call: usize) -> Place {
        if let Base::Deref(pointer, _) = &mut place.base {
            self.settle(at, pointer, call);
        }
        for step in &mut place.path {
            if let Step::Index(index) = step {
                self.settle(at, index, call);
            }
        }
        place
    }

    fn settle(&mut self, at: BlockId, e: &mut Expr, call: usize) {
        let is_variable = |place: &Place| matches!(place.base, Base::Local(_)) && place.path.is_empty();
        if crate::layout::loads_of_expr(e).iter().all(is_variable) {
            return;
        }
        let (span, ty) = (e.span, e.ty.clone());
        let kept = Place::local(self.add_local("place", ty.clone(), span, call), ty, span);
        let value = std::mem::replace(e, Expr::load(kept.clone()));
        let kind = InstructionKind::Assign { to: kept, value };
        self.block(at).instructions.push(Instruction { kind, span });
    }

    /// Adds an instruction, and gives the block in which the code goes on.
    fn instruction(&mut self, at: BlockId, instruction: Instruction, call: usize) -> Result<BlockId, Diagnostic> {
        self.instructions += 1;
        let span = instruction.span;
        if self.instructions > MAX_INSTRUCTIONS {
            let root = &self.code.function(self.flat.root).name;
            return Err(Diagnostic::error(span, format!("thread `{root}` is too large when its calls are laid out"))
                .hint("divide the program, or leave out what the question does not depend on"));
        }
        match instruction.kind {
            InstructionKind::Call { callee, args, result } => self.call(at, callee, args, result, span, call),
            InstructionKind::Library(library) if matches!(*library, Library::Once { .. }) => {
                let Library::Once { once, function } = *library else { unreachable!("it was one") };
                self.once(at, once, function, span, call)
            }
            InstructionKind::Library(library) if matches!(*library, Library::ThreadExit(Some(_))) => {
                let Library::ThreadExit(value) = *library else { unreachable!("it was one") };
                let result = self.thread_result(span).filter(|place| place.ty == Type::Pointer);
                if let (Some(value), Some(to)) = (value, result) {
                    let kind = InstructionKind::Assign { to, value: as_type(value, &Type::Pointer) };
                    self.block(at).instructions.push(Instruction { kind, span });
                }
                let at = self.end_thread(at, span, call)?;
                let kind = InstructionKind::Library(Box::new(Library::ThreadExit(None)));
                self.block(at).instructions.push(Instruction { kind, span });
                Ok(at)
            }
            kind => {
                let kind = match kind {
                    InstructionKind::Copy { to, from } => {
                        let (to, from) = (self.settled(at, to, call), self.settled(at, from, call));
                        InstructionKind::Copy { to, from }
                    }
                    InstructionKind::Clear(place) => InstructionKind::Clear(self.settled(at, place, call)),
                    kind => kind,
                };
                self.block(at).instructions.push(Instruction { kind, span });
                Ok(at)
            }
        }
    }

    /// What is done before a thread ends, unless that is what ends it.
    fn end_thread(&mut self, at: BlockId, span: Span, call: usize) -> Result<BlockId, Diagnostic> {
        match self.code.at_thread_end {
            Some(function) if self.open_calls(call, function, &Known::new()).0 == 0 => {
                self.call_function(at, function, Vec::new(), None, span, call)
            }
            Some(_) | None => Ok(at),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        at: BlockId,
        callee: Callee,
        args: Vec<Expr>,
        result: Option<Place>,
        span: Span,
        call: usize,
    ) -> Result<BlockId, Diagnostic> {
        match callee {
            Callee::Function(function) => self.call_function(at, function, args, result, span, call),
            Callee::Pointer(e) => match plain_function(&e) {
                Some(function) => self.call_function(at, function, args, result, span, call),
                None => self.call_pointer(at, e, args, result, span, call),
            },
        }
    }

    /// Compares the pointer with each function that it may be.
    #[allow(clippy::too_many_arguments)]
    fn call_pointer(
        &mut self,
        at: BlockId,
        pointer: Expr,
        args: Vec<Expr>,
        result: Option<Place>,
        span: Span,
        call: usize,
    ) -> Result<BlockId, Diagnostic> {
        let kept = self.add_local("callee", Type::Pointer, span, call);
        let place = || Place::local(kept, Type::Pointer, span);
        let store = InstructionKind::Assign { to: place(), value: pointer };
        self.block(at).instructions.push(Instruction { kind: store, span });
        let then = self.add_block(call, End::Unreachable, span);
        let wants = |id: &&FunctionId| {
            let function = self.code.function(**id);
            // In C, what is called as a function without a result is one.
            let gives = match &result {
                Some(place) => place.ty == function.result,
                None => self.code.language != Language::C || function.result == Type::Void,
            };
            function.params == args.len() && gives
        };
        let candidates: Vec<FunctionId> = self.taken.iter().filter(wants).copied().collect();
        let mut at = at;
        let mut is_one = Expr::constant(0, crate::code::INT, span);
        for function in candidates {
            let target = Expr::new(ExprKind::Function(function), Type::Pointer, span);
            let is_it = Expr::binary(crate::code::BinaryOp::Eq, Expr::load(place()), target, crate::code::INT);
            is_one = Expr::new(ExprKind::Or(Box::new(is_one), Box::new(is_it.clone())), crate::code::INT, span);
            let yes = self.add_block(call, End::Unreachable, span);
            let no = self.add_block(call, End::Unreachable, span);
            self.block(at).end = End::Branch(is_it, yes, no);
            let end = self.call_function(yes, function, args.clone(), result.clone(), span, call)?;
            self.block(end).end = End::Goto(then);
            at = no;
        }
        let null = Expr::constant(0, Type::Pointer, span);
        let is_there = Expr::binary(crate::code::BinaryOp::Ne, Expr::load(place()), null, crate::code::INT);
        let kind = InstructionKind::Assert(is_there, crate::code::Failure::Memory);
        self.block(at).instructions.push(Instruction { kind, span });
        // No function that was seen to be meant: one that is called as something else.
        self.beyond(at, is_one, span, call);
        Ok(then)
    }

    /// The parameters that a call gives constants for, which are theirs as long as the call is open.
    fn given_constants(&self, function: &Function, args: &[Expr]) -> Known {
        let constant = known::constant_params(function);
        let value = |(number, arg): (u32, &Expr)| {
            let word = known::value(arg, &self.known)?;
            let fits = function.locals[number as usize].ty == arg.ty;
            (fits && constant.contains(&LocalId(number))).then_some((LocalId(number), word))
        };
        (0..).zip(args).take(function.params).filter_map(value).collect()
    }

    /// How many calls of a function are open inside of a call, and how many with the same constants: where these change from
    /// call to call they mostly say how deep it goes.
    fn open_calls(&self, call: usize, function: FunctionId, given: &Known) -> (u32, u32) {
        let (mut outer, mut open, mut alike) = (Some(call), 0, 0);
        while let Some(now) = outer {
            let of = &self.flat.calls[now];
            open += u32::from(of.function == function);
            alike += u32::from(of.function == function && of.given == *given);
            outer = of.parent;
        }
        (open, alike)
    }

    /// What is not followed any further; nothing leads to the block that it gives.
    fn beyond(&mut self, at: BlockId, is_known: Expr, span: Span, call: usize) -> BlockId {
        let wrong = InstructionKind::Assert(is_known, crate::code::Failure::Beyond);
        self.block(at).instructions.push(Instruction { kind: wrong, span });
        self.block(at).end = End::Exit;
        self.add_block(call, End::Unreachable, span)
    }

    #[allow(clippy::too_many_arguments)]
    fn call_function(
        &mut self,
        at: BlockId,
        id: FunctionId,
        args: Vec<Expr>,
        result: Option<Place>,
        span: Span,
        call: usize,
    ) -> Result<BlockId, Diagnostic> {
        let function = self.code.function(id);
        if function.body.is_none() {
            let kind = InstructionKind::Call { callee: Callee::Function(id), args, result };
            self.block(at).instructions.push(Instruction { kind, span });
            return Ok(at);
        }
        let given = self.given_constants(function, &args);
        let (open, alike) = self.open_calls(call, id, &given);
        // Where it is too much code already it will be laid out again, with fewer calls.
        let is_too_much = open > 0 && self.instructions > MANY_INSTRUCTIONS;
        if alike >= self.recursion || open >= MANY_CALLS || is_too_much {
            self.flat.cut.push(span);
            return Ok(self.beyond(at, Expr::constant(0, crate::code::INT, span), span, call));
        }
        let inner = self.add_call(Some(call), id, span, given.clone());
        let atomic = |kind| Instruction { kind, span };
        if function.is_atomic {
            self.block(at).instructions.push(atomic(InstructionKind::AtomicBegin));
        }
        let args: Vec<Expr> = args.into_iter().map(|arg| self.settled_argument(at, arg, call)).collect();
        // The arguments are evaluated before the parameters are there, so that a function may be called by itself.
        let first = self.flat.locals.len() as u32;
        self.known.extend(given.into_iter().map(|(LocalId(number), word)| (LocalId(first + number), word)));
        for (number, arg) in args.into_iter().enumerate().take(function.params) {
            let parameter = &function.locals[number];
            let to = Place::local(LocalId(first + number as u32), parameter.ty.clone(), arg.span);
            let kind = match (arg.kind, parameter.ty.is_scalar()) {
                (ExprKind::Load(from), false) => InstructionKind::Copy { to, from: *from },
                (kind, _) => InstructionKind::Assign { to, value: Expr { kind, ..value_of(arg.ty, arg.span) } },
            };
            self.block(at).instructions.push(Instruction { kind, span });
        }
        let then = self.add_block(call, End::Unreachable, span);
        let continuation = Continuation { block: then, result };
        let entry = self.body(inner, Some(&continuation))?;
        self.block(at).end = End::Goto(entry);
        if function.is_atomic {
            self.block(then).instructions.push(atomic(InstructionKind::AtomicEnd));
        }
        Ok(then)
    }

    /// An argument that is copied part by part.
    fn settled_argument(&mut self, at: BlockId, arg: Expr, call: usize) -> Expr {
        match arg.kind {
            ExprKind::Load(from) if !arg.ty.is_scalar() => {
                let from = self.settled(at, *from, call);
                Expr { kind: ExprKind::Load(Box::new(from)), ..value_of(arg.ty, arg.span) }
            }
            kind => Expr { kind, ..value_of(arg.ty, arg.span) },
        }
    }

    /// Who comes first calls the function, and the others wait: `Once` with a constant in the place of the function says
    /// which part of that it is.
    fn once(
        &mut self,
        at: BlockId,
        once: Place,
        function: Expr,
        span: Span,
        call: usize,
    ) -> Result<BlockId, Diagnostic> {
        let is_first = self.add_local("first", crate::code::INT, span, call);
        let place = || Place::local(is_first, crate::code::INT, span);
        let part = |place: Place, function: Expr| Instruction {
            kind: InstructionKind::Library(Box::new(Library::Once { once: place, function })),
            span,
        };
        // The first part stores into the local whether the function is to be called.
        self.block(at).instructions.push(part(once.clone(), Expr::load(place())));
        let yes = self.add_block(call, End::Unreachable, span);
        let then = self.add_block(call, End::Unreachable, span);
        self.block(at).end = End::Branch(Expr::load(place()), yes, then);
        let end = self.call(yes, Callee::Pointer(function), Vec::new(), None, span, call)?;
        self.block(end).instructions.push(part(once, Expr::constant(0, crate::code::INT, span)));
        self.block(end).end = End::Goto(then);
        Ok(then)
    }
}

/// What of a thread's result is kept: whoever joins a thread gets a word, also where its function gives an integer, or
/// nothing at all and the thread ends by a call.
fn kept_result(function: &Function, is_main: bool) -> Option<Type> {
    match &function.result {
        Type::Void if is_main => None,
        Type::Void | Type::Int(_) if !is_main => Some(Type::Pointer),
        ty => Some(ty.clone()),
    }
}

/// A scalar as one of a type; those that cannot be converted stay as they are.
fn as_type(value: Expr, ty: &Type) -> Expr {
    match (&value.ty, ty) {
        (Type::Int(_), Type::Pointer) => {
            let span = value.span;
            Expr::new(ExprKind::Convert(Box::new(value)), Type::Pointer, span)
        }
        _ => value,
    }
}

fn value_of(ty: Type, span: Span) -> Expr {
    Expr::constant(0, ty, span)
}

/// A function that is named where a pointer to one is wanted.
pub(crate) fn plain_function(e: &Expr) -> Option<FunctionId> {
    match &e.kind {
        ExprKind::Function(id) => Some(*id),
        ExprKind::Convert(inner) => plain_function(inner),
        _ => None,
    }
}

/// Moves the locals of a function to their places among those of the thread.
struct Shift(u32);

impl Visitor for Shift {
    fn local(&mut self, id: &mut LocalId) {
        id.0 += self.0;
    }
}

/// A branch on a constant is none.
fn simplified(end: End) -> End {
    let constant = |e: &Expr| match e.kind {
        ExprKind::Const(value) => Some(value),
        _ => known::value(e, &Known::new()),
    };
    match end {
        End::Branch(e, yes, no) => match constant(&e) {
            Some(value) => End::Goto(if value != 0 { yes } else { no }),
            None => End::Branch(e, yes, no),
        },
        End::Switch(e, cases, rest) => match constant(&e) {
            Some(value) => End::Goto(cases.iter().find(|(case, _)| *case == value).map_or(rest, |(_, to)| *to)),
            None => End::Switch(e, cases, rest),
        },
        end @ (End::Goto(_) | End::Return(_) | End::Exit | End::Unreachable) => end,
    }
}

/// The blocks that control can reach.
fn reached(blocks: &[Block]) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            work.extend(targets(&blocks[block].end).into_iter().map(BlockId::index));
        }
    }
    reached
}

/// The functions whose addresses are taken by code or by initial values.
pub(crate) fn taken_functions(code: &Code) -> Vec<FunctionId> {
    let mut taken = std::collections::BTreeSet::new();
    let mut note = |e: &Expr| {
        if let ExprKind::Function(id) = e.kind {
            taken.insert(id);
        }
    };
    for block in code.functions.iter().flat_map(|function| function.body.iter().flatten()) {
        for_each_expr(block, &mut note);
    }
    for (_, e) in code.globals.iter().flat_map(|global| &global.init) {
        let mut e = e.clone();
        loop {
            note(&e);
            match e.kind {
                ExprKind::Convert(inner) => e = *inner,
                _ => break,
            }
        }
    }
    taken.into_iter().filter(|id| code.function(*id).body.is_some()).collect()
}

/// For each node of a graph the number of the cycle that it is on, if it is on one: strongly connected components by
/// Tarjan's algorithm, without recursion.
pub(crate) fn components(count: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Vec<Option<usize>> {
    const NEW: usize = usize::MAX;
    let (mut index, mut low) = (vec![NEW; count], vec![0; count]);
    let (mut on_stack, mut stack) = (vec![false; count], Vec::new());
    let mut result = vec![None; count];
    let (mut clock, mut cycles) = (0, 0);
    for start in 0..count {
        if index[start] != NEW {
            continue;
        }
        let mut work = vec![(start, next(start), 0)];
        (index[start], low[start]) = (clock, clock);
        clock += 1;
        stack.push(start);
        on_stack[start] = true;
        while let Some((node, targets, at)) = work.last_mut() {
            let node = *node;
            if let Some(&to) = targets.get(*at) {
                *at += 1;
                if index[to] == NEW {
                    (index[to], low[to]) = (clock, clock);
                    clock += 1;
                    stack.push(to);
                    on_stack[to] = true;
                    work.push((to, next(to), 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            let loops = targets.contains(&node);
            work.pop();
            if let Some((parent, ..)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    members.push(member);
                    if member == node {
                        break;
                    }
                }
                if members.len() > 1 || loops {
                    members.iter().for_each(|&member| result[member] = Some(cycles));
                    cycles += 1;
                }
            }
        }
    }
    result
}
