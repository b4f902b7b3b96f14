//! The program as a tree in which every `for` is unrolled and every type worked out.
//!
//! A place in the code of a routine is a [`Path`] from the root: nothing here is numbered or
//! linked, so that two places are the same exactly if their paths are.

use crate::value::{Name, Ty, Value};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_front_tw::ast::{Cond, Expr, LockOp, Rhs};

/// A whole program.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) consts: BTreeMap<Name, i64>,
    pub(crate) enums: BTreeMap<Name, Vec<Name>>,
    pub(crate) records: BTreeMap<Name, Ty>,
    /// The shared variables; an `rwlock` named `l` is the two variables `l.w` and `l.r`.
    pub(crate) shared: BTreeMap<Name, Ty>,
    /// The same variables in order of declaration, with their initial values.
    pub(crate) initial: Vec<(Name, Option<Rhs>)>,
    pub(crate) init: Vec<Expr>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) routines: Vec<Routine>,
    pub(crate) invariants: Vec<Expr>,
    pub(crate) nevers: Vec<Expr>,
    pub(crate) noraces: BTreeSet<Name>,
    /// Arrays no element of which may have a race, and how many keys tell elements apart.
    pub(crate) element_noraces: BTreeSet<(Name, usize)>,
    pub(crate) nodeadlock: bool,
    /// The shared variables that something else than `acquire` and `release` writes.
    pub(crate) assigned: BTreeSet<Name>,
}

/// A thread as declared: perhaps several copies.
pub(crate) struct Thread {
    pub(crate) name: Name,
    /// The numbers of its copies; the first thread of a program has number 1.
    pub(crate) numbers: std::ops::Range<usize>,
    /// It was declared without brackets, so that its name is a thread.
    pub(crate) single: bool,
    /// It has a parameter list, so that its copies wait to be started.
    pub(crate) waits: bool,
    /// Its copies stand for any number.
    pub(crate) any_number: bool,
}

/// The code of a thread or of a procedure. The threads come first, in order of declaration.
pub(crate) struct Routine {
    pub(crate) name: Name,
    pub(crate) is_thread: bool,
    pub(crate) params: Vec<(Name, Ty)>,
    pub(crate) result: Option<(Name, Ty)>,
    pub(crate) body: Block,
    /// The places that carry each label.
    pub(crate) labels: BTreeMap<Name, Vec<Path>>,
    /// The points where a thread rests that each label names.
    pub(crate) label_points: BTreeMap<Name, BTreeSet<Path>>,
    /// Declarations that are steps although they observe nothing.
    pub(crate) seen_declarations: BTreeSet<Path>,
}

/// Statements and the variables they share.
#[derive(Default)]
pub(crate) struct Block {
    /// Everything declared in this block itself. In the body of a routine that includes its
    /// parameters and its result.
    pub(crate) locals: BTreeMap<Name, Ty>,
    /// Which statement declares each of them; parameters and results are declared by none.
    pub(crate) declared_by: BTreeMap<Name, usize>,
    /// In a copy of the body of a `for`: the loop's variable and its value.
    pub(crate) constant: Option<(Name, i64)>,
    pub(crate) stmts: Vec<Stmt>,
}

impl Block {
    /// Whether the statement with this index sees a name of the block: those before the declaration see what is outside,
    /// and so does the declaration itself.
    pub(crate) fn shows(&self, name: &str, index: usize) -> bool {
        let is_there = self.locals.contains_key(name) || self.constant.iter().any(|(constant, _)| **constant == *name);
        is_there && self.declared_by.get(name).is_none_or(|declaration| *declaration < index)
    }

    /// What its variables hold when control enters it.
    pub(crate) fn fresh_scope(&self) -> Result<BTreeMap<Name, Value>, crate::value::Fault> {
        let mut scope = BTreeMap::new();
        for (name, ty) in &self.locals {
            scope.insert(name.clone(), ty.default_value()?);
        }
        if let Some((name, value)) = &self.constant {
            scope.insert(name.clone(), Value::Int(*value));
        }
        Ok(scope)
    }
}

/// A statement with its labels.
pub(crate) struct Stmt {
    pub(crate) labels: Vec<Name>,
    pub(crate) kind: Kind,
}

/// The kinds of statements.
pub(crate) enum Kind {
    Empty,
    Skip,
    Var {
        names: Vec<Name>,
        init: Option<Rhs>,
        /// No step of its own: it happens when control arrives at it.
        silent: bool,
    },
    Assign(Vec<Expr>, Vec<Rhs>),
    Assert(Expr),
    Assume(Expr),
    Lock(LockOp, Expr),
    /// The two halves of `wait(c, m);`
    BeginWait(Expr, Expr),
    EndWait(Expr, Expr),
    Signal(Expr),
    Broadcast(Expr),
    Send(Expr, Expr),
    Receive {
        result: Option<Expr>,
        channel: Expr,
    },
    Action {
        frame: Vec<Expr>,
        formula: Expr,
        assertion: Option<Expr>,
    },
    Block(Vec<Block>),
    /// The copies of an unrolled loop, each a statement of its own: what `break` leaves.
    Unrolled(Vec<Block>),
    /// One copy of an unrolled loop: what `continue` leaves.
    Copy(Vec<Block>),
    Atomic(Block),
    If(Cond, Block, Block),
    While(Cond, Block),
    Loop {
        body: Block,
        /// A loop invariant stands at its start.
        annotated: bool,
    },
    Break,
    Continue,
    Choose(Vec<Block>),
    /// A branch is taken by its first statement.
    Select(Vec<Block>),
    Goto(Name),
    Call {
        result: Option<Expr>,
        routine: Name,
        args: Vec<Expr>,
    },
    Start {
        result: Option<Expr>,
        thread: Name,
        args: Vec<Expr>,
    },
    Join(Expr),
    Return(Option<Expr>),
}

impl Kind {
    /// The blocks inside the statement.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        match self {
            Kind::Block(blocks) | Kind::Unrolled(blocks) | Kind::Copy(blocks) => blocks.iter().collect(),
            Kind::Choose(blocks) | Kind::Select(blocks) => blocks.iter().collect(),
            Kind::Atomic(body) | Kind::While(_, body) | Kind::Loop { body, .. } => vec![body],
            Kind::If(_, yes, no) => vec![yes, no],
            _ => Vec::new(),
        }
    }
}

/// One stage of a path: into the `block`-th block of the statement before, to its `index`-th
/// statement. An index one past the last statement is the end of the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Turn {
    pub(crate) block: usize,
    pub(crate) index: usize,
}

/// The way from the body of a routine to one of its statements.
pub(crate) type Path = Vec<Turn>;

/// The start of a routine.
pub(crate) fn start_of_routine() -> Path {
    vec![Turn { block: 0, index: 0 }]
}

impl Routine {
    /// The block that the path leads into.
    pub(crate) fn block(&self, path: &[Turn]) -> &Block {
        let mut block = &self.body;
        for (turn, next) in path.iter().zip(&path[1..]) {
            block = block.stmts[turn.index].kind.blocks()[next.block];
        }
        block
    }

    /// Whether the path leads into an atomic block.
    pub(crate) fn is_in_atomic(&self, path: &[Turn]) -> bool {
        let outer = (1..path.len()).filter_map(|depth| self.statement(&path[..depth]));
        outer.into_iter().any(|stmt| matches!(stmt.kind, Kind::Atomic(_)))
    }

    /// The statement that the path leads to; nothing at the end of a block.
    pub(crate) fn statement(&self, path: &[Turn]) -> Option<&Stmt> {
        let last = path.last()?;
        self.block(path).stmts.get(last.index)
    }

    /// The type of a local, wherever it is declared.
    pub(crate) fn local_type(&self, name: &str) -> Option<Ty> {
        self.all_locals().remove(name)
    }

    /// All locals, wherever they are declared; of several with the same name the first.
    pub(crate) fn all_locals(&self) -> BTreeMap<Name, Ty> {
        let mut all = self.body.locals.clone();
        self.walk(&mut |_, stmt| {
            for (name, ty) in stmt.kind.blocks().into_iter().flat_map(|block| &block.locals) {
                all.entry(name.clone()).or_insert_with(|| ty.clone());
            }
        });
        all
    }

    /// Calls `visit` with every statement and the path to it.
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(&Path, &Stmt)) {
        walk_block(&self.body, &mut start_of_routine(), visit);
    }
}

fn walk_block(block: &Block, path: &mut Path, visit: &mut dyn FnMut(&Path, &Stmt)) {
    for (index, stmt) in block.stmts.iter().enumerate() {
        let depth = path.len() - 1;
        path[depth].index = index;
        visit(path, stmt);
        for (number, inner) in stmt.kind.blocks().into_iter().enumerate() {
            path.push(Turn { block: number, index: 0 });
            walk_block(inner, path, visit);
            path.pop();
        }
    }
}
