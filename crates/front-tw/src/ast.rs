//! The syntax tree of a `.tw` program: what the parser builds, and nothing that needs names resolved.

use std::fmt;
use threadwise_source::Span;

/// An identifier and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The declarations in order.
    pub items: Vec<Item>,
}

/// A declaration and where it stands.
#[derive(Clone, Debug)]
pub struct Item {
    /// What is declared.
    pub kind: ItemKind,
    /// The whole declaration.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `const N = e;`
    Const(Name, Expr),
    /// `type T = enum { a, b };`
    Enum(Name, Vec<Name>),
    /// `type R = record { a: T, b: U };`
    Record(Name, Vec<Param>),
    /// `fun f(x: T): U = e;`
    Function(Function),
    /// `shared a, b: T;`, `shared a: T = e;`, `shared a: T = *;`
    Shared(VarDecl),
    /// `init e;`
    Init(Expr),
    /// `thread P { … }`, `thread W[e] { … }`, `thread W[*] { … }`, `thread W(x: T) { … }`
    Thread(Thread),
    /// `proc p(a: T) returns (r: U) { … }`
    Proc(Proc),
    /// `invariant name: e;` or `invariant e;`
    Invariant(Option<Name>, Expr),
    /// `never name: e;` or `never e;`
    Never(Option<Name>, Expr),
    /// `exceptions e;`
    Exceptions(Expr),
    /// `norace x, a[*], b[*][*];`
    NoRace(Vec<Watched>),
    /// `nodeadlock;`
    NoDeadlock,
    /// `rely … :: F;`
    Rely(Contract),
    /// `guarantee … :: F;`
    Guarantee(Contract),
    /// `abstract W { … }`
    Abstract(AbstractThread),
}

/// A variable under `norace`, as a whole or by its elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watched {
    pub name: Name,
    /// How many `[*]` there are behind the name.
    pub depth: usize,
}

/// Variables declared together.
#[derive(Clone, Debug)]
pub struct VarDecl {
    pub names: Vec<Name>,
    pub ty: Type,
    /// Their initial value; the type's default where there is none.
    pub init: Option<Rhs>,
}

/// A thread, replicated or not.
#[derive(Clone, Debug)]
pub struct Thread {
    pub name: Name,
    /// How many copies there are.
    pub copies: Copies,
    /// It waits to be started, with these parameters; a thread without a parameter list runs from the start.
    pub params: Option<Vec<Param>>,
    /// Everything before the body.
    pub head: Span,
    pub body: Block,
}

/// The number in a thread's brackets.
#[derive(Clone, Debug)]
pub enum Copies {
    /// No brackets: one thread, whose name is its identity.
    Single,
    /// `[e]`
    Exactly(Expr),
    /// `[*]`
    Any,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    pub name: Name,
    pub params: Vec<Param>,
    pub result: Option<Param>,
    pub body: Block,
}

/// A pure function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Name,
    pub params: Vec<Param>,
    pub result: Type,
    pub body: Expr,
}

/// A parameter, a result or a field of a record.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub ty: Type,
}

/// What `rely` and `guarantee` say.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Whom it is about.
    pub subject: ContractSubject,
    /// The formula over shared variables and their primes.
    pub formula: Expr,
}

/// The part of a contract before `::`.
#[derive(Clone, Debug)]
pub enum ContractSubject {
    /// `forall i: tid :: F`: every thread, or every copy of the thread that the binder names.
    Every(Binder),
    /// `P :: F`
    Thread(Name),
}

/// `abstract W { … }`
#[derive(Clone, Debug)]
pub struct AbstractThread {
    /// The thread it specifies.
    pub name: Name,
    /// `init X1, X2;`
    pub init: Vec<Name>,
    /// `idle;`
    pub idle: bool,
    /// The nodes, `X1: assert g > 0;` or `X2:;`
    pub nodes: Vec<AbstractNode>,
    /// The edges, `X1 -> X2 [g] g' > 0;`
    pub edges: Vec<AbstractEdge>,
}

/// A node of an abstract thread.
#[derive(Clone, Debug)]
pub struct AbstractNode {
    pub name: Name,
    /// Its assertion; `true` where there is none.
    pub assertion: Option<Expr>,
}

/// An edge of an abstract thread.
#[derive(Clone, Debug)]
pub struct AbstractEdge {
    /// Source node.
    pub from: Name,
    /// Target node.
    pub to: Name,
    /// The variables that may change; every variable where there are no brackets.
    pub frame: Option<Vec<Expr>>,
    /// The formula; `true` where there is none.
    pub formula: Option<Expr>,
    /// The whole edge.
    pub span: Span,
}

/// A type and where it stands.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `lo..hi`
    Range(Box<Expr>, Box<Expr>),
    /// `u8`, `i64` and their like
    Machine(Machine),
    /// A name: an enum's, or in a binder a thread's.
    Named(String),
    /// `tid`
    Tid,
    /// `set<T>`
    Set(Box<Type>),
    /// `[K]T`
    Array(Box<Type>, Box<Type>),
    /// `lock`
    Lock,
    /// `mutex`
    Mutex,
    /// `rwlock`
    RwLock,
    /// `cond`
    Cond,
    /// `chan<T, N>`
    Chan(Box<Type>, Box<Expr>),
}

/// The type of a machine integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Machine {
    /// 8, 16, 32 or 64 bits.
    pub width: u8,
    /// Whether it has a sign.
    pub signed: bool,
}

impl Machine {
    /// The type with this name.
    pub fn named(name: &str) -> Option<Machine> {
        let width = match name.get(1..)? {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        match &name[..1] {
            "u" => Some(Machine { width, signed: false }),
            "i" => Some(Machine { width, signed: true }),
            _ => None,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

/// `{ … }`
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements in order.
    pub stmts: Vec<Stmt>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels before it.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels and, for compound ones, only the head: for `if (e) { … }`
    /// it is `if (e)`, for `while (e) invariant i { … }` it is `while (e)`, for `choose` the
    /// keyword; for simple statements it is everything up to and with the semicolon.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Nothing, not even a step: what a label at the end of a block stands before.
    Empty,
    /// `skip;`
    Skip,
    /// `var x, y: T = e;`
    Var(VarDecl),
    /// `x, a[i] = e, *;`
    Assign(Vec<Expr>, Vec<Rhs>),
    /// `assert e;` and `assert e, "text";`
    Assert(Expr, Option<String>),
    /// `assume e;` and `await e;`
    Assume(Expr),
    /// `acquire(m);` and its like
    Lock(LockOp, Expr),
    /// `wait(c, m);`
    Wait(Expr, Expr),
    /// `signal(c);`
    Signal(Expr),
    /// `broadcast(c);`
    Broadcast(Expr),
    /// `send(c, e);`
    Send(Expr, Expr),
    /// `receive(c);` and `x = receive(c);`
    Receive {
        /// Where the value goes.
        result: Option<Expr>,
        channel: Expr,
    },
    /// `action [x, y] F assert G;`
    Action {
        /// The variables that may change.
        frame: Vec<Expr>,
        /// What must hold of the step.
        formula: Expr,
        /// What goes wrong where it does not hold.
        assertion: Option<Expr>,
    },
    /// `{ … }`
    Block(Block),
    /// `atomic { … }`
    Atomic(Block),
    /// `if (e) { … } else { … }`; an `else if` is a block with one statement.
    If(Cond, Block, Option<Block>),
    /// `while (e) invariant i { … }`
    While(Cond, Vec<Expr>, Block),
    /// `loop invariant i { … }`
    Loop(Vec<Expr>, Block),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `choose { … } or { … }`
    Choose(Vec<Block>),
    /// `select { … } or { … }`
    Select(Vec<Block>),
    /// `for k in lo..hi { … }`
    For(Name, Expr, Expr, Block),
    /// `for t in W { … }`: the bound name and the thread
    ForCopies(Name, Name, Block),
    /// `goto L;`
    Goto(Name),
    /// `p(e);` and `x = p(e);`
    Call {
        /// Where the result goes.
        result: Option<Expr>,
        /// The procedure.
        proc: Name,
        args: Vec<Expr>,
    },
    /// `start W(e);` and `t = start W(e);`
    Start {
        /// Where the identity of the thread goes.
        result: Option<Expr>,
        thread: Name,
        args: Vec<Expr>,
    },
    /// `join t;`, where `t` is a variable, an element of an array, a thread's name, `self` or `none`
    Join(Expr),
    /// `return;` and `return e;`
    Return(Option<Expr>),
}

/// The right-hand side of an assignment, or an initial value.
#[derive(Clone, Debug)]
pub enum Rhs {
    Expr(Expr),
    /// `*`: any value of the type.
    Any(Span),
}

/// The condition of an `if` or a `while`.
#[derive(Clone, Debug)]
pub enum Cond {
    Expr(Expr),
    /// `*`: either way.
    Any,
}

/// The statements on locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockOp {
    /// `acquire`
    Acquire,
    /// `release`
    Release,
    /// `acquire_read`
    AcquireRead,
    /// `acquire_write`
    AcquireWrite,
    /// `release_read`
    ReleaseRead,
    /// `release_write`
    ReleaseWrite,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `42`
    Int(i64),
    /// A literal above the largest number of 64 bits with a sign: it is a `u64`.
    LargeInt(u64),
    /// `true`, `false`
    Bool(bool),
    Name(String),
    /// `self`
    SelfThread,
    /// `none`
    None,
    /// `e'`: the value after the step; legal on a variable and on a lock's field.
    Prime(Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `l.w`, `l.r`, `t.x`
    Field(Box<Expr>, Name),
    /// `t@L`
    At(Box<Expr>, Name),
    /// `!e`, `-e`, `~e`
    Unary(UnaryOp, Box<Expr>),
    /// `e + f` and its like
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `{a, b}`
    SetLiteral(Vec<Expr>),
    /// `[a, b]`
    ArrayLiteral(Vec<Expr>),
    /// `[e; all]`
    ArrayFill(Box<Expr>),
    /// `R(a: e, b: f)`
    RecordLiteral(Name, Vec<(Name, Expr)>),
    /// `f(e)`, of a function
    Call(Name, Vec<Expr>),
    /// `size(s)`
    Size(Box<Expr>),
    /// `ord(t)`
    Ord(Box<Expr>),
    /// `u8(e)`, `int(e)` and their like
    Convert(Conversion, Box<Expr>),
    /// `forall i: T, j: U :: e` and its like; `count(i: T :: e)`
    Quantified(Quantifier, Vec<Binder>, Box<Expr>),
    /// What stands where the parser found no expression; a diagnostic has been given.
    Error,
}

/// What an integer is converted to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// `int`
    Int,
    /// `u8`, `i64` and their like
    Machine(Machine),
}

/// A bound variable and its type or thread.
#[derive(Clone, Debug)]
pub struct Binder {
    pub name: Name,
    /// A finite type, or a thread's name for its copies.
    pub ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `count`
    Count,
}

/// The unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `~`
    BitNot,
}

/// The binary operators, from loosest to tightest: `==>` (right), `<==>`, `||`, `&&`, the
/// comparisons with `in` and `subset`, `union` `inter` `minus`, `|`, `^`, `&`, `<< >>`, `+ -`, `* / %`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Implies,
    Iff,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Subset,
    Union,
    Inter,
    Minus,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}
