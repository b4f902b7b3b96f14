//! Pieces of syntax, built by hand.

use threadwise_front_tw::ast::{
    BinaryOp, Binder, Block, Cond, Expr, ExprKind, Item, ItemKind, Machine, Name, Quantifier, Rhs, Stmt, StmtKind,
    Type, TypeKind, UnaryOp, VarDecl,
};
use threadwise_source::Span;

/// A type as the generator sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Bool,
    Int,
    Range(i64, i64),
    Machine(Machine),
    /// The one enumeration of a generated program.
    Phase,
    Tid,
    Set(Box<Sort>),
    Array(Box<Sort>, Box<Sort>),
    Lock,
    Mutex,
    RwLock,
    /// The one record of a generated program.
    Record,
    Cond,
    Chan(Box<Sort>, i64),
}

/// The members of the one enumeration.
pub(crate) const PHASES: [&str; 3] = ["idle", "trying", "busy"];

pub(crate) fn name(text: impl Into<String>) -> Name {
    Name { text: text.into(), span: Span::default() }
}

pub(crate) fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

pub(crate) fn var(text: &str) -> Expr {
    expr(ExprKind::Name(text.to_string()))
}

/// A number; negative ones are written with a minus sign.
pub(crate) fn int(value: i64) -> Expr {
    match value {
        0.. => expr(ExprKind::Int(value)),
        _ => expr(ExprKind::Unary(UnaryOp::Neg, Box::new(expr(ExprKind::Int(-value))))),
    }
}

pub(crate) fn boolean(value: bool) -> Expr {
    expr(ExprKind::Bool(value))
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub(crate) fn eq(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Eq, left, right)
}

pub(crate) fn not(e: Expr) -> Expr {
    expr(ExprKind::Unary(UnaryOp::Not, Box::new(e)))
}

pub(crate) fn prime(variable: Expr) -> Expr {
    expr(ExprKind::Prime(Box::new(variable)))
}

pub(crate) fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    expr(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)))
}

pub(crate) fn index(array: Expr, key: Expr) -> Expr {
    expr(ExprKind::Index(Box::new(array), Box::new(key)))
}

pub(crate) fn field(owner: Expr, text: &str) -> Expr {
    expr(ExprKind::Field(Box::new(owner), name(text)))
}

pub(crate) fn at(thread: Expr, label: &str) -> Expr {
    expr(ExprKind::At(Box::new(thread), name(label)))
}

/// A quantifier over types or, by name, over the copies of threads.
pub(crate) fn quantified(quantifier: Quantifier, binders: &[(&str, TypeKind)], body: Expr) -> Expr {
    let binder = |(text, kind): &(&str, TypeKind)| Binder { name: name(*text), ty: type_of_kind(kind.clone()) };
    expr(ExprKind::Quantified(quantifier, binders.iter().map(binder).collect(), Box::new(body)))
}

fn type_of_kind(kind: TypeKind) -> Type {
    Type { kind, span: Span::default() }
}

pub(crate) fn type_kind(sort: &Sort) -> TypeKind {
    match sort {
        Sort::Bool => TypeKind::Bool,
        Sort::Int => TypeKind::Int,
        Sort::Range(lo, hi) => TypeKind::Range(Box::new(int(*lo)), Box::new(int(*hi))),
        Sort::Machine(machine) => TypeKind::Machine(*machine),
        Sort::Phase => TypeKind::Named("Phase".to_string()),
        Sort::Tid => TypeKind::Tid,
        Sort::Set(element) => TypeKind::Set(Box::new(ty(element))),
        Sort::Array(key, element) => TypeKind::Array(Box::new(ty(key)), Box::new(ty(element))),
        Sort::Lock => TypeKind::Lock,
        Sort::Mutex => TypeKind::Mutex,
        Sort::RwLock => TypeKind::RwLock,
        Sort::Record => TypeKind::Named("Triple".to_string()),
        Sort::Cond => TypeKind::Cond,
        Sort::Chan(element, capacity) => TypeKind::Chan(Box::new(ty(element)), Box::new(int(*capacity))),
    }
}

pub(crate) fn ty(sort: &Sort) -> Type {
    type_of_kind(type_kind(sort))
}

pub(crate) fn var_decl(text: &str, sort: &Sort, init: Option<Rhs>) -> VarDecl {
    VarDecl { names: vec![name(text)], ty: ty(sort), init }
}

pub(crate) fn any() -> Rhs {
    Rhs::Any(Span::default())
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { labels: Vec::new(), kind, span: Span::default() }
}

pub(crate) fn assign(place: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign(vec![place], vec![Rhs::Expr(value)]))
}

pub(crate) fn if_then(condition: Expr, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If(Cond::Expr(condition), block(body), None))
}

pub(crate) fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, span: Span::default() }
}

pub(crate) fn item(kind: ItemKind) -> Item {
    Item { kind, span: Span::default() }
}
