//! Smaller programs: what is left of a program when one thing in it is simplified.
//!
//! Reductions keep programs correct in their types as long as all names in them are different,
//! which they are in random programs. They do not keep what a program does.

use super::build::{boolean, int};
use super::uses::used_names;
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{
    AbstractThread, BinaryOp, Block, Cond, Copies, Expr, ExprKind, ItemKind, Module, Name, Rhs, Stmt, StmtKind,
};

/// All programs that are one simplification away, large simplifications first.
pub fn reductions(module: &Module) -> impl Iterator<Item = Module> + '_ {
    (0..).map_while(|number| reduction(module, number))
}

/// The smallest program found by reducing as long as `keeps` says that the result will do.
pub fn reduce_while(module: &Module, mut keeps: impl FnMut(&Module) -> bool) -> Module {
    let mut smallest = module.clone();
    let mut number = 0;
    let mut progress = true;
    while progress {
        progress = false;
        while let Some(candidate) = reduction(&smallest, number) {
            if keeps(&candidate) {
                smallest = candidate;
                progress = true;
            } else {
                number += 1;
            }
        }
        number = 0;
    }
    smallest
}

/// The `number`-th reduction of a program.
pub(super) fn reduction(module: &Module, number: usize) -> Option<Module> {
    let mut reducer = Reducer { skip: number, done: false, used: used_names(module) };
    let mut module = module.clone();
    reducer.module(&mut module);
    reducer.done.then_some(module)
}

/// Walks through a program and does one of the possible simplifications.
struct Reducer {
    /// How many to pass over.
    skip: usize,
    done: bool,
    used: BTreeSet<String>,
}

impl Reducer {
    /// Whether the simplification at hand is the one to do.
    fn now(&mut self) -> bool {
        match self.skip.checked_sub(1) {
            _ if self.done => return false,
            Some(rest) => self.skip = rest,
            None => self.done = true,
        }
        self.done
    }

    fn is_used(&self, names: &[Name]) -> bool {
        names.iter().any(|name| self.used.contains(&name.text))
    }

    fn module(&mut self, module: &mut Module) {
        for index in 0..module.items.len() {
            if self.is_removable(&module.items[index].kind) && self.now() {
                module.items.remove(index);
                return;
            }
        }
        for item in &mut module.items {
            match &mut item.kind {
                ItemKind::Thread(thread) => {
                    self.copies(&mut thread.copies);
                    self.block(&mut thread.body);
                }
                ItemKind::Proc(proc) => self.block(&mut proc.body),
                ItemKind::Invariant(_, e) | ItemKind::Never(_, e) | ItemKind::Exceptions(e) | ItemKind::Init(e) => {
                    self.condition(e);
                }
                ItemKind::Shared(decl) => self.initial_value(&mut decl.init),
                ItemKind::Rely(contract) | ItemKind::Guarantee(contract) => self.condition(&mut contract.formula),
                ItemKind::Abstract(specification) => self.abstract_thread(specification),
                _ => {}
            }
        }
    }

    fn abstract_thread(&mut self, specification: &mut AbstractThread) {
        for index in 0..specification.edges.len() {
            if self.now() {
                specification.edges.remove(index);
                return;
            }
        }
        for node in &mut specification.nodes {
            if node.assertion.is_some() && self.now() {
                node.assertion = None;
            }
        }
        for edge in &mut specification.edges {
            if edge.formula.is_some() && self.now() {
                edge.formula = None;
            }
        }
    }

    fn is_removable(&self, item: &ItemKind) -> bool {
        match item {
            ItemKind::Const(name, _) => !self.is_used(std::slice::from_ref(name)),
            ItemKind::Thread(thread) => !self.is_used(std::slice::from_ref(&thread.name)),
            ItemKind::Proc(proc) => !self.is_used(std::slice::from_ref(&proc.name)),
            ItemKind::Enum(name, members) => !self.is_used(std::slice::from_ref(name)) && !self.is_used(members),
            ItemKind::Shared(decl) => !self.is_used(&decl.names),
            _ => true,
        }
    }

    fn copies(&mut self, copies: &mut Copies) {
        if let Copies::Exactly(number) = copies
            && let ExprKind::Int(value @ 2..) = number.kind
            && self.now()
        {
            *number = int(value - 1);
        }
        if matches!(copies, Copies::Any) && self.now() {
            *copies = Copies::Exactly(int(2));
        }
    }

    fn initial_value(&mut self, init: &mut Option<Rhs>) {
        if init.is_some() && self.now() {
            *init = None;
        }
    }

    fn block(&mut self, block: &mut Block) {
        for index in 0..block.stmts.len() {
            let stmt = &block.stmts[index];
            let labelled = self.is_used(&stmt.labels);
            let declares_used = matches!(&stmt.kind, StmtKind::Var(decl) if self.is_used(&decl.names));
            if !labelled && !declares_used && self.now() {
                block.stmts.remove(index);
                return;
            }
            self.unwrap(block, index, labelled);
            if self.done {
                return;
            }
            self.stmt(&mut block.stmts[index], labelled);
        }
    }

    /// Replaces a compound statement by what is inside.
    fn unwrap(&mut self, block: &mut Block, index: usize, labelled: bool) {
        if labelled {
            return;
        }
        let insides: Vec<Block> = match &block.stmts[index].kind {
            StmtKind::Block(body) | StmtKind::Atomic(body) => vec![body.clone()],
            StmtKind::While(_, _, body) | StmtKind::Loop(_, body) if !leaves_loop(body) => vec![body.clone()],
            StmtKind::If(_, yes, no) => [yes].into_iter().chain(no).cloned().collect(),
            StmtKind::Choose(branches) => branches.clone(),
            _ => Vec::new(),
        };
        for inside in insides {
            if self.now() {
                block.stmts.splice(index..=index, inside.stmts);
                return;
            }
        }
    }

    fn stmt(&mut self, statement: &mut Stmt, labelled: bool) {
        let is_simplest = matches!(statement.kind, StmtKind::Skip | StmtKind::Empty | StmtKind::Var(_));
        if labelled && !is_simplest && self.now() {
            statement.kind = StmtKind::Skip;
        }
        match &mut statement.kind {
            StmtKind::Var(decl) => self.initial_value(&mut decl.init),
            StmtKind::Assign(_, values) => values.iter_mut().for_each(|value| self.value(value)),
            StmtKind::Assert(e, _) | StmtKind::Assume(e) => self.condition(e),
            StmtKind::Action { formula, assertion, .. } => {
                if assertion.is_some() && self.now() {
                    *assertion = None;
                }
                self.operand(formula, &[BinaryOp::And]);
            }
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::Loop(_, body) => self.block(body),
            StmtKind::For(_, _, _, body) | StmtKind::ForCopies(_, _, body) => self.block(body),
            StmtKind::Select(branches) => branches.iter_mut().for_each(|branch| self.block(branch)),
            StmtKind::If(condition, yes, no) => {
                self.test(condition);
                self.block(yes);
                no.iter_mut().for_each(|no| self.block(no));
            }
            StmtKind::While(condition, _, body) => {
                self.test(condition);
                self.block(body);
            }
            StmtKind::Choose(branches) => branches.iter_mut().for_each(|branch| self.block(branch)),
            _ => {}
        }
    }

    fn test(&mut self, condition: &mut Cond) {
        if let Cond::Expr(e) = condition {
            self.condition(e);
        }
    }

    fn condition(&mut self, e: &mut Expr) {
        if let ExprKind::Bool(_) = e.kind {
            return;
        }
        for value in [true, false] {
            if self.now() {
                *e = boolean(value);
                return;
            }
        }
        self.operand(e, &[BinaryOp::And, BinaryOp::Or, BinaryOp::Implies, BinaryOp::Iff]);
    }

    /// Replaces an operation by one of its operands.
    fn operand(&mut self, e: &mut Expr, operators: &[BinaryOp]) {
        let operands: Vec<Expr> = match &e.kind {
            ExprKind::Binary(op, left, right) if operators.contains(op) => vec![(**left).clone(), (**right).clone()],
            ExprKind::Conditional(_, yes, no) => vec![(**yes).clone(), (**no).clone()],
            ExprKind::Unary(_, operand) => vec![(**operand).clone()],
            _ => Vec::new(),
        };
        for operand in operands {
            if self.now() {
                *e = operand;
                return;
            }
        }
        if let ExprKind::Binary(op, left, right) = &mut e.kind
            && operators.contains(op)
        {
            self.operand(left, operators);
            self.operand(right, operators);
        }
    }

    fn value(&mut self, value: &mut Rhs) {
        use BinaryOp::{Add, And, Div, Iff, Implies, Inter, Minus, Mod, Mul, Or, Sub, Union};
        if let Rhs::Expr(e) = value {
            self.operand(e, &[Add, Sub, Mul, Div, Mod, And, Or, Implies, Iff, Union, Inter, Minus]);
        }
    }
}

/// Whether a `break` or `continue` would be left without its loop.
fn leaves_loop(body: &Block) -> bool {
    body.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::For(_, _, _, body) => leaves_loop(body),
        StmtKind::If(_, yes, no) => leaves_loop(yes) || no.as_ref().is_some_and(leaves_loop),
        StmtKind::Choose(branches) | StmtKind::Select(branches) => branches.iter().any(leaves_loop),
        _ => false,
    })
}
