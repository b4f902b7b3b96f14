//! Imperative programs with memory, as front ends give them: functions as graphs of blocks, typed objects, pointers with
//! byte offsets, machine integers, threads and locks by what the library calls for them do.
//!
//! Expressions have no effects but may load; they are evaluated from left to right. What has an effect is an instruction.
//! All conversions are explicit, sizes and offsets are bytes as the source language lays things out, and indices and
//! pointer offsets are scaled by what is said here, not by types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_ir::Bits;
use threadwise_source::{SourceMap, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A struct or union type.
    StructId,
    /// A variable that lives as long as the program or, if it is thread-local, as its thread.
    GlobalId,
    /// A parameter or local variable of a function.
    LocalId,
    FunctionId,
    /// A block of a function.
    BlockId,
}

/// Whose words are used for what is told of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    #[default]
    C,
    Java,
}

/// A whole program: all files linked.
#[derive(Clone, Debug)]
pub struct Code {
    pub source: Arc<SourceMap>,
    pub structs: Vec<Struct>,
    pub globals: Vec<Variable>,
    pub functions: Vec<Function>,
    /// What runs. One thread for each; the first one is the main thread, whose return ends the process.
    pub entries: Vec<FunctionId>,
    /// How many bytes a pointer has.
    pub pointer_bytes: u64,
    /// Where memory orders weaker than sequential consistency are asked for, or something may fail without keeping any
    /// order; they are treated as sequentially consistent.
    pub weak_orders: Vec<Span>,
    /// A function without parameters that every thread calls before it ends, unless its end is that of the process.
    pub at_thread_end: Option<FunctionId>,
    pub annotations: Annotations,
    /// The files that the front end has added to those of the user.
    pub added_files: Vec<Arc<str>>,
    /// What was taken for granted in making it, because the user asked for that.
    pub assumed: Vec<Arc<str>>,
    pub language: Language,
}

/// What is said about the program besides its code. Formulas are over globals, and do nothing.
#[derive(Clone, Debug, Default)]
pub struct Annotations {
    /// They hold in every state.
    pub invariants: Vec<Expr>,
    /// The program starts with any values of the variables in these that satisfy them.
    pub init: Vec<Expr>,
    /// Nothing races on these.
    pub noraces: Vec<(Place, Span)>,
    /// What threads that run a function, or all threads, may expect of the steps of others, and what they promise of their own.
    pub relies: Vec<(Option<FunctionId>, Expr, Span)>,
    pub guarantees: Vec<(Option<FunctionId>, Expr, Span)>,
    /// Allocations, by their places, of what is freed by itself.
    pub automatic: BTreeSet<Span>,
    /// Globals that stand for other globals after a step.
    pub after: BTreeMap<GlobalId, GlobalId>,
}

/// The type of an object or a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    /// A machine integer; enumerations are among them. `_Bool` has one bit: conversions to it are comparisons with zero.
    Int(Bits),
    /// A pointer to objects or functions of any kind.
    Pointer,
    /// A floating-point number of this many bytes, whose value nobody knows.
    Float(u8),
    Struct(StructId),
    Array(Arc<Type>, u64),
    /// An object of a library: only the library's operations access it. The second is its size in bytes.
    Library(Object, u64),
}

/// What libraries keep in objects of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Object {
    /// The handle of a thread; a scalar that can be copied and compared.
    Thread,
    Mutex,
    /// Attributes of a mutex: its kind.
    MutexAttributes,
    RwLock,
    Condition,
    Semaphore,
    Barrier,
    Once,
    /// A lock that its holder can take again, and that knows how often it was taken.
    Monitor,
    /// A set of threads: those that wait for something, or that hold something together.
    ThreadSet,
    /// Attributes of anything else; nothing in them matters.
    Attributes,
}

/// A struct, or a union if all its fields are at the same offset by being one.
#[derive(Clone, Debug)]
pub struct Struct {
    pub name: Arc<str>,
    pub fields: Vec<Field>,
    pub size: u64,
    pub is_union: bool,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Arc<str>,
    /// In bytes; of a bit-field, that of its storage unit.
    pub offset: u64,
    /// Of a bit-field, an integer of its width.
    pub ty: Type,
    /// Neighbouring bit-fields of one storage unit are one memory location; this numbers the units of the struct.
    pub bit_unit: Option<u32>,
}

/// A variable of any kind.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub ty: Type,
    /// Its name in the declaration.
    pub span: Span,
    /// Of a global: each thread has its own.
    pub thread_local: bool,
    /// Of a global: scalar parts that do not start as zero, by their place in it. Values are constants, addresses of
    /// globals with constant offsets, functions, or any value where the variable is defined elsewhere.
    pub init: Vec<(Vec<Step>, Expr)>,
    /// Of a global: mutexes in it whose initialisers give them another kind than the normal one, by their places in it.
    pub mutex_kinds: Vec<(Vec<Step>, MutexKind)>,
    /// Of a local that lives in an inner block of its function: the text of that block.
    pub block: Option<Span>,
    /// Of a global: only annotations know it, and what is stored to it belongs to the step before.
    pub is_ghost: bool,
    /// Of a global: nobody may store to it, as to a text in the program.
    pub is_read_only: bool,
    /// Of a global pointer: the first thread stores to it once, before others run.
    pub is_set_once: bool,
}

impl Variable {
    /// A variable that starts as its kind does.
    pub fn new(name: Arc<str>, ty: Type, span: Span) -> Variable {
        Variable {
            name,
            ty,
            span,
            thread_local: false,
            init: Vec::new(),
            mutex_kinds: Vec::new(),
            block: None,
            is_ghost: false,
            is_read_only: false,
            is_set_once: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexKind {
    Normal,
    Recursive,
    ErrorCheck,
}

/// A function. One without a body gives any value, and changes nothing.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Arc<str>,
    /// The parameters come first.
    pub locals: Vec<Variable>,
    pub params: usize,
    pub result: Type,
    /// The blocks of its body; it starts with the first.
    pub body: Option<Vec<Block>>,
    /// Its name in the declaration.
    pub span: Span,
    /// The end of its body.
    pub end: Span,
    /// Everything that it does is one step.
    pub is_atomic: bool,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub instructions: Vec<Instruction>,
    pub end: End,
    /// Where its end is.
    pub span: Span,
    /// The label before it, if the user wrote one.
    pub label: Option<Arc<str>>,
}

/// Where control goes from a block.
#[derive(Clone, Debug)]
pub enum End {
    Goto(BlockId),
    /// To the first if the value is not zero, to the second if it is.
    Branch(Expr, BlockId, BlockId),
    /// By the value: a case each, and the rest.
    Switch(Expr, Vec<(i64, BlockId)>, BlockId),
    Return(Option<Expr>),
    /// The process ends, without an error.
    Exit,
    /// Control cannot come here, by what the source language says.
    Unreachable,
}

#[derive(Clone, Debug)]
pub struct Instruction {
    pub kind: InstructionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum InstructionKind {
    /// The declaration of a local is come to: it has any value.
    Declare(LocalId),
    /// Control comes into an inner block from outside, by its text: the lives of its locals begin, and pointers to what they
    /// were before point nowhere.
    Enter(Span),
    /// Stores a scalar: an integer, a pointer, a float, a handle.
    Assign {
        to: Place,
        value: Expr,
    },
    /// Copies an object, one scalar after the other.
    Copy {
        to: Place,
        from: Place,
    },
    /// Sets all bytes of an object to zero.
    Clear(Place),
    Call {
        callee: Callee,
        args: Vec<Expr>,
        result: Option<Place>,
    },
    /// Fails where the value is zero.
    Assert(Expr, Failure),
    /// The execution ends, without an error, where the value is zero.
    Assume(Expr),
    /// From here to the matching end everything is one step. These nest, and may be in different blocks.
    AtomicBegin,
    /// The same, and the step waits until the value, which is evaluated in it, is not zero.
    AtomicWhen(Expr),
    AtomicEnd,
    /// The loop that begins behind this has the invariant; an annotation, which nobody has to believe.
    LoopInvariant(Expr),
    Library(Box<Library>),
}

/// What an assertion of the program is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Failure {
    /// A failing `assert`, a call of `reach_error`.
    Assertion,
    /// Signed overflow and the like.
    Overflow,
    /// An invalid access or free.
    Memory,
    /// Something is done to a lock that must not be done.
    Lock,
    /// An exception is thrown that nobody catches.
    Exception,
    /// The program goes beyond what is supported; to get there says nothing about it.
    Beyond,
}

#[derive(Clone, Debug)]
pub enum Callee {
    Function(FunctionId),
    Pointer(Expr),
}

/// Operations of libraries for threads, locks and memory. Where an operation has a result, that is its error number or
/// zero; results of operations that cannot fail are constants that front ends put in their places.
#[derive(Clone, Debug)]
pub enum Library {
    /// The handle, if there is one, is stored before the thread runs.
    Create {
        handle: Option<Place>,
        function: Expr,
        argument: Option<Expr>,
    },
    /// Waits for a thread's end; what it returned, a pointer, is stored.
    Join {
        thread: Expr,
        value: Option<Place>,
    },
    /// The running thread ends with this pointer.
    ThreadExit(Option<Expr>),
    ThreadSelf(Place),

    MutexInit {
        mutex: Place,
        kind: MutexKind,
        attributes: Option<Place>,
    },
    MutexKind {
        attributes: Place,
        kind: MutexKind,
    },
    MutexLock(Place),
    /// `timed` may fail at any time, as far as anybody knows.
    MutexTryLock {
        mutex: Place,
        timed: bool,
        busy: i64,
        result: Place,
    },
    MutexUnlock(Place),
    /// Whether a mutex that checks for errors refuses to be taken, or to be given back, by the running thread: the number
    /// of the error or zero. What comes of it does not change as long as the thread does nothing to the mutex.
    MutexRefuses {
        mutex: Place,
        takes: bool,
        error: i64,
        result: Place,
    },
    MutexDestroy(Place),

    RwInit(Place),
    RwRead(Place),
    RwWrite(Place),
    RwTry {
        lock: Place,
        write: bool,
        busy: i64,
        result: Place,
    },
    RwUnlock(Place),
    RwDestroy(Place),

    ConditionInit(Place),
    /// Releases the mutex, waits, takes it again. It may wake up without a signal. Where there is a result it may end by
    /// time, and then gets this number.
    ConditionWait {
        condition: Place,
        mutex: Place,
        timed: Option<(i64, Place)>,
    },
    ConditionSignal(Place),
    ConditionBroadcast(Place),
    ConditionDestroy(Place),

    SemaphoreInit(Place, Expr),
    SemaphoreWait(Place),
    /// The result is -1 where the semaphore is zero, or where time is up.
    SemaphoreTryWait {
        semaphore: Place,
        timed: bool,
        result: Place,
    },
    SemaphorePost(Place),
    SemaphoreValue {
        semaphore: Place,
        result: Place,
    },

    BarrierInit(Place, Expr),
    /// One of the threads that come through gets the number, the others zero.
    BarrierWait {
        barrier: Place,
        serial: i64,
        result: Option<Place>,
    },

    /// Takes a monitor, also one that the thread holds already. Where there is a set it must be empty, unless the thread
    /// holds the monitor.
    MonitorEnter {
        monitor: Place,
        unless: Option<Place>,
    },
    /// The same without waiting; the result is 1 where it was taken, and 0 elsewhere.
    MonitorTry {
        monitor: Place,
        unless: Option<Place>,
        result: Place,
    },
    MonitorExit(Place),
    /// Whether the running thread holds the monitor.
    MonitorHeld {
        monitor: Place,
        result: Place,
    },
    /// Gives the monitor back, however often it was taken, waits, and takes it as often again. Where there is no set of those
    /// who wait, it may go on at any time; where there is one, when the thread is not in it any more.
    MonitorWait {
        monitor: Place,
        waiting: Option<Place>,
    },
    /// Takes one thread out of the set, whichever, or all.
    Notify {
        waiting: Place,
        all: bool,
    },
    /// Joins a set when nobody else holds the monitor; once.
    SetEnter {
        monitor: Place,
        set: Place,
    },
    /// The same without waiting; the result is 1 where it was joined, and 0 elsewhere.
    SetTry {
        monitor: Place,
        set: Place,
        result: Place,
    },
    /// Whether the running thread is in the set.
    SetHeld {
        set: Place,
        result: Place,
    },
    SetExit(Place),

    /// Calls the function if nobody has, and waits until somebody's call has ended.
    Once {
        once: Place,
        function: Expr,
    },

    /// An object of `count` elements of a type. `zeroed` as `calloc` does it, else any values.
    Allocate {
        result: Place,
        ty: Type,
        count: Expr,
        zeroed: bool,
    },
    /// The number of the struct that the object is of which a pointer points to the start of; -1 if it is none.
    StructOf {
        pointer: Expr,
        result: Place,
    },
    /// How many units of so many bytes there are in the object on the heap that a pointer points to the start of; in units of
    /// no bytes, how many elements.
    Extent {
        pointer: Expr,
        unit: u64,
        result: Place,
    },
    Free(Expr),
    /// The process is about to be ended in the middle of the program, without an error.
    ProcessEnds,
}

/// An object or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    pub base: Base,
    pub path: Vec<Step>,
    /// The type of what is there.
    pub ty: Type,
    /// Accesses are atomic: no race with other atomic ones.
    pub atomic: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Base {
    Local(LocalId),
    Global(GlobalId),
    /// What a pointer points to, seen as this type.
    Deref(Box<Expr>, Type),
}

#[derive(Clone, Debug)]
pub enum Step {
    Field(u32),
    Index(Expr),
}

/// A scalar value.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// The word of an integer; of a pointer, zero is null.
    Const(i64),
    Load(Box<Place>),
    /// The address of a place; of an array, that of its first element.
    Address(Box<Place>),
    Function(FunctionId),
    Unary(UnaryOp, Box<Expr>),
    /// The operands have the same type, but for shifts. Comparisons give an `int`, 0 or 1.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A pointer, moved by a number of units of so many bytes.
    Offset(Box<Expr>, Box<Expr>, i64),
    /// How many units of so many bytes there are from the second pointer to the first.
    Difference(Box<Expr>, Box<Expr>, u64),
    /// The second is evaluated only if the first is not zero; the value is 0 or 1.
    And(Box<Expr>, Box<Expr>),
    /// The second is evaluated only if the first is zero; the value is 0 or 1.
    Or(Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    /// An integer as one of another kind, or as a pointer and back. Of a float, any value.
    Convert(Box<Expr>),
    /// Any value of the type.
    Any,
    /// What only annotations say.
    Said(Box<Said>),
}

/// What only formulas about a program can say, and what is stored to variables that only they know.
#[derive(Clone, Debug)]
pub enum Said {
    /// The thread that a contract is about; elsewhere, the running thread.
    Subject,
    /// The thread of a quantifier around, the outermost one being 0.
    Thread(u32),
    /// What a value is after the step.
    After(Expr),
    Implies(Expr, Expr),
    Iff(Expr, Expr),
    /// It holds for all threads, whose name in the text is this.
    ForAllThreads(Arc<str>, Expr),
    /// It holds for each object of these structs. One that was not made yet is all zero.
    ForAllObjects(Vec<StructId>, Expr),
    /// The address of the object that the quantifier around is about.
    Object,
    /// A thread is in a set of threads.
    In(Expr, Place),
    /// Nobody is in a set of threads after the step, or before it.
    IsEmpty(Place),
    /// Who holds a monitor.
    Holder(Place),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Neg,
    BitNot,
    /// 1 for zero, 0 for the rest.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What C calls `int`.
pub const INT: Type = Type::Int(Bits { width: 32, signed: true });

impl Type {
    pub fn is_scalar(&self) -> bool {
        match self {
            Type::Int(_) | Type::Pointer | Type::Float(_) => true,
            Type::Library(object, _) => matches!(object, Object::Thread),
            Type::Void | Type::Struct(_) | Type::Array(..) => false,
        }
    }

    pub fn bits(&self) -> Option<Bits> {
        match self {
            Type::Int(bits) => Some(*bits),
            Type::Void | Type::Pointer | Type::Float(_) | Type::Struct(_) | Type::Array(..) | Type::Library(..) => None,
        }
    }
}

impl Code {
    pub fn size_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Void => 1,
            Type::Int(bits) => u64::from(bits.width).div_ceil(8).next_power_of_two(),
            Type::Pointer => self.pointer_bytes,
            Type::Float(bytes) => u64::from(*bytes),
            Type::Struct(id) => self.structs[id.index()].size,
            Type::Array(element, count) => self.size_of(element) * count,
            Type::Library(_, bytes) => *bytes,
        }
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }
}

impl Expr {
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    pub fn constant(value: i64, ty: Type, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, span }
    }

    pub fn load(place: Place) -> Expr {
        let (ty, span) = (place.ty.clone(), place.span);
        Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
    }

    pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
        let span = left.span.to(right.span);
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
    }

    pub fn converted(self, ty: Type) -> Expr {
        let span = self.span;
        Expr { kind: ExprKind::Convert(Box::new(self)), ty, span }
    }
}

impl Place {
    pub fn local(id: LocalId, ty: Type, span: Span) -> Place {
        Place { base: Base::Local(id), path: Vec::new(), ty, atomic: false, span }
    }

    pub fn global(id: GlobalId, ty: Type, span: Span) -> Place {
        Place { base: Base::Global(id), path: Vec::new(), ty, atomic: false, span }
    }
}
