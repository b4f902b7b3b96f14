//! What makes models short: records, functions, array literals, bits of integers, condition variables, channels, `select`,
//! loops over the copies of a thread, any thread at a label.

use super::build::{Sort, any, assign, at, binary, block, conditional, eq, expr, field, index, int, item, name, not};
use super::build::{quantified, stmt, ty, var, var_decl};
use super::dice::Dice;
use super::expressions::{Expressions, Scope, Var};
use super::properties::Properties;
use super::statements::Coder;
use threadwise_front_tw::ast::{
    BinaryOp, Block, Expr, ExprKind, Function, Item, ItemKind, LockOp, Param, Quantifier, Rhs, Stmt, StmtKind,
    TypeKind, UnaryOp,
};

/// The fields of the one record.
pub(crate) fn fields() -> [(&'static str, Sort); 3] {
    [("a", Sort::Bool), ("b", Sort::Range(0, 2)), ("c", Sort::Tid)]
}

/// The sorts that only these programs have.
pub(crate) fn rich_sort(dice: &mut Dice) -> Sort {
    let keys = Box::new(Sort::Range(0, 1));
    match dice.below(8) {
        0 | 1 => Sort::Record,
        2 => Sort::Array(keys, Box::new(Sort::Record)),
        3 => Sort::Cond,
        4 => Sort::Chan(Box::new(Sort::Range(0, 2)), dice.between(1, 2)),
        5 => Sort::Chan(Box::new(Sort::Record), 1),
        6 => Sort::Array(keys, Box::new(Sort::Chan(Box::new(Sort::Bool), 1))),
        _ => Sort::Array(keys, Box::new(Sort::Range(0, 2))),
    }
}

/// The declarations of the record, and of functions over the shared variables.
pub(crate) fn record_declaration() -> Item {
    let fields = fields().map(|(field, sort)| Param { name: name(field), ty: ty(&sort) });
    item(ItemKind::Record(name("Triple"), fields.into()))
}

/// A function with parameters `x` and `y`, and what it gives.
pub(crate) fn function(dice: &mut Dice, scope: &Scope, number: usize) -> (Item, Sort) {
    let result = dice.pick(&[Sort::Bool, Sort::Range(0, 2), Sort::Record]).clone();
    let mut inside = scope.clone();
    for (text, sort) in parameters() {
        inside.vars.push(Var { name: text.to_string(), sort, shared: false });
    }
    inside.has_self = false;
    let body = Expressions { dice, scope: &inside }.value(&result, 2);
    let params = parameters().map(|(text, sort)| Param { name: name(text), ty: ty(&sort) }).into();
    let function = Function { name: name(format!("f{number}")), params, result: ty(&result), body };
    (item(ItemKind::Function(function)), result)
}

/// The parameters of every function.
fn parameters() -> [(&'static str, Sort); 2] {
    [("x", Sort::Bool), ("y", Sort::Range(0, 2))]
}

impl Expressions<'_> {
    /// A call of a function that gives a value of the sort, if there is one.
    pub(crate) fn function_call(&mut self, wanted: &Sort) -> Option<Expr> {
        let known = self.scope.functions.iter().filter(|(_, sort)| sort == wanted);
        let known: Vec<&(String, Sort)> = known.collect();
        if known.is_empty() {
            return None;
        }
        let function = self.dice.pick(&known).0.clone();
        let args = parameters().map(|(_, sort)| self.value(&sort, 0));
        Some(expr(ExprKind::Call(name(function), args.into())))
    }

    /// A record.
    pub(crate) fn record(&mut self, depth: usize) -> Expr {
        match self.dice.below(if depth == 0 { 3 } else { 5 }) {
            0 | 1 => match self.place(&|sort| *sort == Sort::Record, false) {
                Some((place, _)) => place,
                None => self.record_literal(),
            },
            3 => conditional(self.bool(depth - 1), self.record(depth - 1), self.record(depth - 1)),
            4 => self.function_call(&Sort::Record).unwrap_or_else(|| self.record_literal()),
            _ => self.record_literal(),
        }
    }

    fn record_literal(&mut self) -> Expr {
        let values = fields().map(|(field, sort)| (name(field), self.value(&sort, 0)));
        expr(ExprKind::RecordLiteral(name("Triple"), values.into()))
    }

    /// An array, as a literal or otherwise.
    pub(crate) fn array(&mut self, key: &Sort, element: &Sort, depth: usize) -> Expr {
        let whole = Sort::Array(Box::new(key.clone()), Box::new(element.clone()));
        match (self.dice.below(5), key) {
            (0, _) => match self.place(&|sort| *sort == whole, false) {
                Some((place, _)) => place,
                None => expr(ExprKind::ArrayFill(Box::new(self.value(element, depth.min(1))))),
            },
            (1, _) if depth > 0 => {
                let (yes, no) = (self.array(key, element, depth - 1), self.array(key, element, depth - 1));
                conditional(self.bool(0), yes, no)
            }
            (2 | 3, Sort::Range(lo, hi)) => {
                let elements = (*lo..=*hi).map(|_| self.value(element, depth.min(1))).collect();
                expr(ExprKind::ArrayLiteral(elements))
            }
            _ => expr(ExprKind::ArrayFill(Box::new(self.value(element, depth.min(1))))),
        }
    }

    /// An integer by its bits.
    pub(crate) fn bits(&mut self, depth: usize) -> Expr {
        use BinaryOp::{BitAnd, BitOr, BitXor, Shl, Shr};
        match self.dice.below(6) {
            0 => expr(ExprKind::Unary(UnaryOp::BitNot, Box::new(self.int(depth - 1)))),
            1 | 2 => {
                let op = *self.dice.pick(&[Shl, Shr]);
                let count = if self.dice.chance(80) { int(self.dice.between(0, 3)) } else { self.int(0) };
                binary(op, self.int(depth - 1), count)
            }
            _ => {
                let op = *self.dice.pick(&[BitAnd, BitOr, BitXor]);
                let mask = if self.dice.chance(50) { int(self.dice.between(-3, 6)) } else { self.int(depth - 1) };
                binary(op, self.int(depth - 1), mask)
            }
        }
    }

    /// A condition on records, arrays and channels.
    pub(crate) fn rich_condition(&mut self, depth: usize) -> Expr {
        let op = if self.dice.chance(60) { BinaryOp::Eq } else { BinaryOp::Ne };
        let is_record = |sort: &Sort| *sort == Sort::Record;
        let is_channel = |sort: &Sort| matches!(sort, Sort::Chan(..));
        let is_array = |sort: &Sort| matches!(sort, Sort::Array(_, e) if is_written(e));
        match self.dice.below(4) {
            0 => match self.place(&is_record, false) {
                Some((place, _)) => binary(op, place, self.record(depth)),
                None => self.bool(0),
            },
            1 => match self.place(&is_channel, true) {
                Some((channel, _)) => {
                    let size = expr(ExprKind::Size(Box::new(channel)));
                    binary(BinaryOp::Lt, size, int(self.dice.between(0, 2)))
                }
                None => self.bool(0),
            },
            2 => match self.place(&is_array, false) {
                Some((place, Sort::Array(key, element))) => binary(op, place, self.array(&key, &element, depth.min(1))),
                _ => self.bool(0),
            },
            _ => self.function_call(&Sort::Bool).unwrap_or_else(|| self.bool(0)),
        }
    }
}

/// Whether values of the sort are written in the text.
pub(crate) fn is_written(sort: &Sort) -> bool {
    match sort {
        Sort::Array(_, element) => is_written(element),
        Sort::Cond | Sort::Chan(..) | Sort::Lock | Sort::Mutex | Sort::RwLock => false,
        _ => true,
    }
}

impl Coder<'_> {
    /// One of the statements that only these programs have, or a few that belong together.
    pub(crate) fn rich_statement(&mut self) -> Vec<Stmt> {
        match self.dice.below(9) {
            0 | 1 => vec![self.channel_operation()],
            2 | 3 if !self.in_atomic && self.returns.is_none() => self.wait_section(),
            2..=4 => vec![self.signal()],
            5 | 6 => vec![self.select()],
            7 => vec![self.for_copies()],
            _ => vec![self.compound_assignment()],
        }
    }

    fn channel_operation(&mut self) -> Stmt {
        let channel = self.expressions().place(&|sort| matches!(sort, Sort::Chan(..)), true);
        let Some((channel, Sort::Chan(element, _))) = channel else { return self.compound_assignment() };
        if self.dice.chance(50) {
            let value = self.expressions().value(&element, 1);
            return stmt(StmtKind::Send(channel, value));
        }
        let result = if self.dice.chance(70) { self.expressions().place(&|s| *s == *element, false) } else { None };
        stmt(StmtKind::Receive { result: result.map(|(place, _)| place), channel })
    }

    fn condition_variable(&mut self) -> Option<Expr> {
        self.expressions().place(&|sort| *sort == Sort::Cond, true).map(|(place, _)| place)
    }

    fn signal(&mut self) -> Stmt {
        let Some(condition) = self.condition_variable() else { return self.compound_assignment() };
        stmt(if self.dice.chance(60) { StmtKind::Signal(condition) } else { StmtKind::Broadcast(condition) })
    }

    /// A critical section in which the thread waits, perhaps in a loop.
    fn wait_section(&mut self) -> Vec<Stmt> {
        let lock = self.expressions().place(&|sort| matches!(sort, Sort::Lock | Sort::Mutex), true);
        let (Some(condition), Some((lock, _))) = (self.condition_variable(), lock) else {
            return vec![self.compound_assignment()];
        };
        let wait = stmt(StmtKind::Wait(condition, lock.clone()));
        let test = self.expressions().bool(1);
        let wait = match self.dice.below(3) {
            0 => wait,
            1 => stmt(StmtKind::While(threadwise_front_tw::ast::Cond::Expr(test), Vec::new(), block(vec![wait]))),
            _ => super::build::if_then(test, vec![wait]),
        };
        let mut stmts = vec![stmt(StmtKind::Lock(LockOp::Acquire, lock.clone())), wait];
        if self.dice.chance(60) {
            stmts.push(self.compound_assignment());
        }
        stmts.push(stmt(StmtKind::Lock(LockOp::Release, lock)));
        stmts
    }

    fn select(&mut self) -> Stmt {
        let branches = (0..2 + self.dice.below(2)).map(|_| self.select_branch()).collect();
        stmt(StmtKind::Select(branches))
    }

    fn select_branch(&mut self) -> Block {
        let first = match self.dice.below(5) {
            0 | 1 => self.channel_operation(),
            2 => match self.expressions().place(&|sort| matches!(sort, Sort::Lock | Sort::Mutex), true) {
                Some((lock, _)) => stmt(StmtKind::Lock(LockOp::Acquire, lock)),
                None => self.guard(),
            },
            3 if !self.in_atomic => {
                let guard = self.guard();
                let change = self.compound_assignment();
                stmt(StmtKind::Atomic(block(vec![guard, change])))
            }
            _ => self.guard(),
        };
        let mut stmts = vec![first];
        if self.dice.chance(50) && self.budget > 0 {
            stmts.extend(self.sequence_of_one());
        }
        block(stmts)
    }

    fn guard(&mut self) -> Stmt {
        stmt(StmtKind::Assume(self.expressions().bool(1)))
    }

    /// A step for each copy of a thread.
    fn for_copies(&mut self) -> Stmt {
        let thread = self.dice.pick(&self.scope.threads).clone();
        let bound = self.fresh("t");
        let me = expr(ExprKind::SelfThread);
        let by_thread =
            |sort: &Sort| matches!(sort, Sort::Array(key, element) if **key == Sort::Tid && **element == Sort::Bool);
        let step = match self.expressions().place(&by_thread, true) {
            Some((array, _)) if self.dice.chance(50) => assign(index(array, var(&bound)), super::build::boolean(true)),
            Some((array, _)) => {
                stmt(StmtKind::Assume(binary(BinaryOp::Or, index(array, var(&bound)), eq(var(&bound), me))))
            }
            None => match self.expressions().place(&|sort| *sort == Sort::Tid, false) {
                Some((place, _)) => assign(place, var(&bound)),
                None => stmt(StmtKind::Assert(binary(BinaryOp::Ne, var(&bound), expr(ExprKind::None)), None)),
            },
        };
        stmt(StmtKind::ForCopies(name(bound), name(thread), block(vec![step])))
    }

    /// An assignment of a record, a part of one, or an array.
    pub(crate) fn compound_assignment(&mut self) -> Stmt {
        let is_compound = |sort: &Sort| match sort {
            Sort::Record => true,
            Sort::Array(_, element) => is_written(element),
            _ => false,
        };
        match self.expressions().place(&is_compound, false) {
            Some((place, Sort::Record)) if self.dice.chance(10) => stmt(StmtKind::Assign(vec![place], vec![any()])),
            Some((place, Sort::Record)) if self.dice.chance(40) => {
                let all = fields();
                let (text, sort) = self.dice.pick(&all);
                let value = self.expressions().value(sort, 1);
                assign(field(place, text), value)
            }
            Some((place, sort)) => {
                let value = self.expressions().value(&sort, 1);
                assign(place, value)
            }
            None => stmt(StmtKind::Assert(self.expressions().bool(1), Some("as it should be".to_string()))),
        }
    }

    /// A local that is a record.
    pub(crate) fn record_declaration(&mut self) -> Stmt {
        let init = match self.dice.below(4) {
            0 => None,
            1 => Some(any()),
            _ => Some(Rhs::Expr(self.expressions().record(1))),
        };
        let local = self.fresh("r");
        self.scope.vars.push(Var { name: local.clone(), sort: Sort::Record, shared: false });
        stmt(StmtKind::Var(var_decl(&local, &Sort::Record, init)))
    }
}

impl Properties<'_> {
    /// About any thread at a label, or what a function or a record says.
    pub(crate) fn rich_property(&mut self) -> Item {
        let labels: Vec<&String> = self.threads.iter().flat_map(|thread| &thread.labels).collect();
        if labels.is_empty() || self.dice.chance(40) {
            let condition = Expressions { dice: self.dice, scope: self.scope }.rich_condition(1);
            return item(ItemKind::Never(None, binary(BinaryOp::And, condition, self.condition(1))));
        }
        let label = (*self.dice.pick(&labels)).clone();
        // The label of one thread is none of another one that is named.
        let holder = Expressions { dice: self.dice, scope: self.scope }.place(&|sort| *sort == Sort::Tid, false);
        let holder = holder.map_or(expr(ExprKind::None), |(place, _)| place);
        item(match self.dice.below(3) {
            0 => ItemKind::Never(None, binary(BinaryOp::And, at(holder, &label), self.condition(1))),
            1 => {
                let body = binary(BinaryOp::Implies, at(var("i"), &label), self.condition(1));
                ItemKind::Invariant(None, quantified(Quantifier::Forall, &[("i", TypeKind::Tid)], body))
            }
            _ => {
                let body = binary(BinaryOp::And, at(var("i"), &label), not(self.condition(0)));
                let number = quantified(Quantifier::Count, &[("i", TypeKind::Tid)], body);
                ItemKind::Invariant(None, binary(BinaryOp::Le, number, int(1)))
            }
        })
    }
}
