//! Expressions over the variables of a program. They are well-sorted by construction of the front
//! ends: evaluation relies on it.

use crate::{EnumId, LocalId, LocationId, SharedId, Sort, SortRef, TemplateId};
use std::sync::Arc;
use threadwise_source::Span;

/// An expression, its sort, and where it stands in the source: 40 bytes, since there may be millions. What is rare is
/// boxed.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The sort of its values.
    pub sort: SortRef,
    /// Where it stands.
    pub span: Span,
}

/// A variable of the running thread's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum VarRef {
    /// A shared variable.
    Shared(SharedId),
    /// A local variable of the current routine.
    Local(LocalId),
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A scalar constant: an integer, the word of a machine integer, a boolean as 0 or 1, an enum member's index,
    /// `none` as 0.
    Const(i64),
    /// The identity of a thread that is not replicated.
    Thread(TemplateId),
    /// The running thread.
    SelfThread,
    /// A variable before the step.
    Read(VarRef),
    /// A variable after the step; in actions and contracts only.
    ReadAfter(VarRef),
    /// `t.x`: a local of another thread; in properties only.
    LocalOf(Box<ThreadRef>, LocalId),
    /// `t@L`: thread `t` is at one of these locations (sorted); in properties only.
    At(Box<ThreadRef>, Box<Vec<LocationId>>),
    /// A bound variable, by its depth: the outermost binder of an expression is 0.
    Bound(u32),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands; `&&`, `||` and `==>` evaluate the second only where it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<[Expr; 3]>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `{a, b}`
    SetLiteral(Box<[Expr]>),
    /// `[a, b]`, in the order of the keys; a single element stands for all keys, whose number may depend on that of the
    /// threads.
    ArrayLiteral(Box<[Expr]>),
    /// `forall`, `exists` and `count` over one bound variable.
    Quantified(Quantifier, Box<Binder>, Box<Expr>),
}

/// A thread in `t@L` and `t.x`: its template, and which copy.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadRef {
    pub template: TemplateId,
    /// An expression of sort `tid` that always denotes a copy of the template.
    pub thread: Expr,
}

/// The unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `size(s)`
    Size,
    /// `ord(t)`
    Ord,
    /// `~`; an integer that is none of the machine's has infinitely many bits, as in two's complement
    BitNot,
    /// `u8(e)`, `int(e)` and their like: the integer as one of the sort of the whole. What does not fit a machine
    /// integer wraps around.
    Convert,
}

/// The binary operators.
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
    /// Rounds toward negative infinity; of machine integers, toward zero.
    Div,
    /// Has the sign of the divisor; of machine integers, that of the dividend.
    Mod,
    /// `&` of the bits, as the next ones; see [`UnaryOp::BitNot`].
    BitAnd,
    BitOr,
    BitXor,
    /// `<<`, by any integer that is not negative.
    Shl,
    Shr,
}

impl BinaryOp {
    /// The value of the first operand with which the second one is evaluated; `None` if it always is.
    pub fn needs_second_where(self) -> Option<bool> {
        match self {
            BinaryOp::And | BinaryOp::Implies => Some(true),
            BinaryOp::Or => Some(false),
            BinaryOp::Iff
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::In
            | BinaryOp::Subset
            | BinaryOp::Union
            | BinaryOp::Inter
            | BinaryOp::Minus
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Quantifier {
    Forall,
    Exists,
    /// Of a boolean body: for how many values it holds. Of an integer body: the sum of its values,
    /// which is how `count` over several bound variables nests.
    Count,
}

/// A bound variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    /// Its name, for printing.
    pub name: Arc<str>,
    /// What it ranges over.
    pub domain: Domain,
}

/// What a bound variable ranges over.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    /// All values of a finite sort.
    Sort(Sort),
    /// The copies of a thread.
    Copies(TemplateId),
}

impl Domain {
    /// The sort of the bound variable.
    pub fn sort(&self) -> Sort {
        match self {
            Domain::Sort(sort) => sort.clone(),
            Domain::Copies(_) => Sort::Tid,
        }
    }
}

impl Expr {
    /// An expression of any kind.
    pub fn new(kind: ExprKind, sort: impl Into<SortRef>, span: Span) -> Expr {
        let sort = sort.into();
        Expr { kind, sort, span }
    }

    pub fn constant(value: i64, sort: impl Into<SortRef>, span: Span) -> Expr {
        Expr::new(ExprKind::Const(value), sort, span)
    }

    /// `true` or `false`.
    pub fn bool(value: bool, span: Span) -> Expr {
        Expr::constant(value as i64, Sort::Bool, span)
    }

    /// A member of an enumeration.
    pub fn member(of: EnumId, index: usize, span: Span) -> Expr {
        Expr::constant(index as i64, Sort::Enum(of), span)
    }

    /// The default value of a sort; none for arrays, which have no literals.
    pub fn default_of(sort: &Sort, span: Span) -> Option<Expr> {
        match sort {
            Sort::Bool | Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => Some(Expr::constant(0, sort, span)),
            Sort::Range(lo, _) => Some(Expr::constant(*lo, sort, span)),
            Sort::Set(_) => Some(Expr::new(ExprKind::SetLiteral(Box::default()), sort, span)),
            Sort::Array(..) => None,
        }
    }

    /// A binary operation with the given sort.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr, sort: impl Into<SortRef>) -> Expr {
        let span = left.span.to(right.span);
        Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), sort, span)
    }

    /// `condition ? yes : no` with the given sort.
    pub fn conditional(condition: Expr, yes: Expr, no: Expr, sort: impl Into<SortRef>, span: Span) -> Expr {
        Expr::new(ExprKind::Conditional(Box::new([condition, yes, no])), sort, span)
    }

    /// A quantifier over one bound variable.
    pub fn quantified(
        quantifier: Quantifier,
        binder: Binder,
        body: Expr,
        sort: impl Into<SortRef>,
        span: Span,
    ) -> Expr {
        Expr::new(ExprKind::Quantified(quantifier, Box::new(binder), Box::new(body)), sort, span)
    }

    /// An integer as one of another sort.
    pub fn converted(self, sort: impl Into<SortRef>, span: Span) -> Expr {
        Expr::new(ExprKind::Unary(UnaryOp::Convert, Box::new(self)), sort, span)
    }

    /// The negation of a boolean expression.
    pub fn negated(self) -> Expr {
        let span = self.span;
        Expr::new(ExprKind::Unary(UnaryOp::Not, Box::new(self)), Sort::Bool, span)
    }

    /// The thread whose state this expression looks at: where it is, or a local of it. What its parts look at is theirs.
    pub fn thread_looked_at(&self) -> Option<&ThreadRef> {
        match &self.kind {
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => Some(thread),
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => None,
        }
    }

    /// Whether it, or a part of it, looks at the state of a thread.
    pub fn looks_at_threads(&self) -> bool {
        self.any(&|e| e.thread_looked_at().is_some())
    }

    /// Calls `visit` on this expression and everything inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.visit(&mut |e| visit(e));
    }

    /// The same, where what is seen may be kept.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => {}
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => thread.thread.visit(visit),
            ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => a.visit(visit),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
            ExprKind::Conditional(parts) => parts.iter().for_each(|e| e.visit(visit)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|e| e.visit(visit));
            }
        }
    }

    /// The expression with parts replaced: where `replace` gives a kind, it stands instead of what is
    /// there, and nothing inside it is looked at.
    pub fn map(&self, replace: &mut dyn FnMut(&Expr) -> Option<ExprKind>) -> Expr {
        if let Some(kind) = replace(self) {
            return Expr { kind, ..self.clone() };
        }
        let mut result = self.clone();
        match &mut result.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => {}
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => thread.thread = thread.thread.map(replace),
            ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => **a = a.map(replace),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => {
                **a = a.map(replace);
                **b = b.map(replace);
            }
            ExprKind::Conditional(parts) => parts.iter_mut().for_each(|e| *e = e.map(replace)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter_mut().for_each(|e| *e = e.map(replace));
            }
        }
        result
    }

    /// Whether some part of the expression satisfies `test`.
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }

    /// Whether values after the step occur.
    pub fn is_primed(&self) -> bool {
        self.any(&|e| matches!(e.kind, ExprKind::ReadAfter(_)))
    }
}
