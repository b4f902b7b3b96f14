//! Random statements.

use super::build::{Sort, any, assign, binary, block, conditional, eq, expr, field, if_then, int, name, prime, stmt};
use super::build::{var, var_decl};
use super::dice::Dice;
use super::expressions::{Expressions, Scope, Var};
use super::machine::TYPES;
use threadwise_front_tw::ast::{BinaryOp, Block, Cond, Expr, ExprKind, LockOp, Rhs, Stmt, StmtKind};

/// A procedure that can be called.
#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) params: Vec<Sort>,
    pub(crate) result: Option<Sort>,
}

/// Blocks are not nested deeper than this.
const DEEPEST: usize = 3;

/// Writes the code of one thread or procedure.
pub(crate) struct Coder<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) scope: Scope,
    pub(crate) procs: &'a [Signature],
    /// Makes names different from each other.
    pub(crate) names: &'a mut usize,
    /// How many statements may still be written.
    pub(crate) budget: usize,
    /// All labels so far.
    pub(crate) labels: Vec<String>,
    /// The labels that stand between acquiring and releasing a lock.
    pub(crate) critical: Vec<String>,
    /// The labels of this block and those around it.
    targets: Vec<String>,
    depth: usize,
    loops: usize,
    pub(super) in_atomic: bool,
    in_for: bool,
    /// In a procedure: the type of its result.
    pub(crate) returns: Option<Option<Sort>>,
}

impl<'a> Coder<'a> {
    pub(crate) fn new(dice: &'a mut Dice, scope: Scope, procs: &'a [Signature], names: &'a mut usize) -> Coder<'a> {
        Coder {
            dice,
            scope,
            procs,
            names,
            budget: 0,
            labels: Vec::new(),
            critical: Vec::new(),
            targets: Vec::new(),
            depth: 0,
            loops: 0,
            in_atomic: false,
            in_for: false,
            returns: None,
        }
    }

    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        *self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub(super) fn expressions(&mut self) -> Expressions<'_> {
        Expressions { dice: self.dice, scope: &self.scope }
    }

    fn condition(&mut self) -> Expr {
        self.expressions().bool(2)
    }

    /// A block of about so many statements.
    fn nested(&mut self, length: usize) -> Block {
        self.depth += 1;
        let (vars, targets) = (self.scope.vars.len(), self.targets.len());
        let stmts = self.sequence(length);
        self.scope.vars.truncate(vars);
        self.targets.truncate(targets);
        self.depth -= 1;
        block(stmts)
    }

    /// About so many statements in the present block.
    pub(crate) fn sequence(&mut self, length: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..length {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let mut group = self.statement();
            if self.dice.chance(15) {
                self.label(&mut group[0]);
            }
            stmts.extend(group);
        }
        if stmts.is_empty() {
            stmts.push(stmt(StmtKind::Skip));
        }
        stmts
    }

    /// One more statement in the present block.
    pub(super) fn sequence_of_one(&mut self) -> Vec<Stmt> {
        self.nested(1).stmts
    }

    /// Gives a statement a label, if it is a step that other threads can see.
    fn label(&mut self, stmt: &mut Stmt) -> Option<String> {
        use StmtKind::*;
        let is_no_step = matches!(
            stmt.kind,
            Empty | Var(_) | Block(_) | Loop(..) | Break | Continue | For(..) | ForCopies(..) | Goto(_) | Return(_)
        );
        if self.in_atomic || self.returns.is_some() || is_no_step {
            return None;
        }
        let is_end = self.scope.waiting && self.dice.chance(20);
        let label = self.fresh(if is_end { "end" } else { "L" });
        stmt.labels.push(name(&label));
        self.labels.push(label.clone());
        if !self.in_for {
            self.targets.push(label.clone());
        }
        Some(label)
    }

    /// One statement, or a few that belong together.
    fn statement(&mut self) -> Vec<Stmt> {
        let compound = if self.depth < DEEPEST { 1 } else { 0 };
        let weights = [
            22,                                       // an assignment
            2,                                        // skip
            if self.scope.waiting { 1 } else { 5 },   // assert
            5,                                        // await
            if self.scope.waiting { 25 } else { 10 }, // a critical section
            1,                                        // a single operation on a lock
            9 * compound,
            6 * compound,
            4 * compound,
            if self.in_atomic { 0 } else { 7 * compound },
            4, // an action
            if self.procs.is_empty() { 0 } else { 8 },
            2 * compound,
            4 * compound,
            if self.targets.is_empty() { 0 } else { 3 },
            if self.loops == 0 { 0 } else { 5 },
            if self.returns.is_none() { 0 } else { 4 },
            4, // a declaration
            4, // an assignment to two places
            if self.can_start() { 5 } else { 0 },
            if self.scope.starts.is_empty() || self.scope.anonymous { 0 } else { 6 },
            if self.scope.rich { 40 } else { 0 },
        ];
        match self.dice.weighted(&weights) {
            1 => vec![stmt(StmtKind::Skip)],
            2 => vec![stmt(StmtKind::Assert(self.condition(), None))],
            3 => vec![stmt(StmtKind::Assume(self.condition()))],
            4 => self.critical_section(),
            5 => self.lone_lock_operation(),
            6 => vec![self.branch()],
            7 => vec![self.repetition()],
            8 => vec![self.choice()],
            9 => vec![self.atomic()],
            10 => vec![self.action()],
            11 => vec![self.call()],
            12 => vec![self.unrolled()],
            13 => vec![self.block_with_local()],
            14 => vec![self.jump()],
            15 => vec![self.leave_loop()],
            16 => vec![self.early_return()],
            17 => vec![self.declaration()],
            18 => vec![self.double_assignment()],
            19 => vec![self.start()],
            20 => vec![self.join()],
            21 => self.rich_statement(),
            _ => vec![self.assignment()],
        }
    }

    fn is_assignable(sort: &Sort) -> bool {
        let is_compound = matches!(sort, Sort::Array(..) | Sort::Record | Sort::Cond | Sort::Chan(..));
        !is_compound && !matches!(sort, Sort::Lock | Sort::Mutex | Sort::RwLock)
    }

    /// Whether there are few enough values to try all. Several choices of a machine integer in one step would be too many.
    fn is_chosen_from(&self, sort: &Sort) -> bool {
        match sort {
            Sort::Int => false,
            Sort::Machine(ty) => ty.width == 8 && !self.in_atomic && self.returns.is_none(),
            _ => true,
        }
    }

    fn assignment(&mut self) -> Stmt {
        let shared_only = self.dice.chance(60);
        let Some((place, sort)) = self.expressions().place(&Self::is_assignable, shared_only) else {
            return stmt(StmtKind::Skip);
        };
        if self.is_chosen_from(&sort) && self.dice.chance(8) {
            return stmt(StmtKind::Assign(vec![place], vec![any()]));
        }
        if sort == Sort::Int && self.dice.chance(50) {
            let more = binary(BinaryOp::Add, place.clone(), int(1));
            let counted = conditional(binary(BinaryOp::Lt, place.clone(), int(3)), more, int(0));
            return assign(place, counted);
        }
        let value = self.expressions().value(&sort, 2);
        assign(place, value)
    }

    fn double_assignment(&mut self) -> Stmt {
        let is_simple =
            |sort: &Sort| matches!(sort, Sort::Bool | Sort::Range(..) | Sort::Machine(_) | Sort::Tid | Sort::Phase);
        let (first, second) =
            (self.expressions().place(&is_simple, false), self.expressions().place(&is_simple, false));
        let (Some((x, x_sort)), Some((y, y_sort))) = (first, second) else { return self.assignment() };
        if root(&x) == root(&y) {
            return self.assignment();
        }
        let values = [x_sort, y_sort].map(|sort| Rhs::Expr(self.expressions().value(&sort, 1)));
        stmt(StmtKind::Assign(vec![x, y], values.to_vec()))
    }

    fn lock(&mut self) -> Option<(Expr, Sort)> {
        self.expressions().place(&|sort| matches!(sort, Sort::Lock | Sort::Mutex | Sort::RwLock), false)
    }

    fn lock_operations(&mut self, sort: &Sort) -> (LockOp, LockOp) {
        match sort {
            Sort::RwLock if self.dice.chance(60) => (LockOp::AcquireRead, LockOp::ReleaseRead),
            Sort::RwLock => (LockOp::AcquireWrite, LockOp::ReleaseWrite),
            _ => (LockOp::Acquire, LockOp::Release),
        }
    }

    fn critical_section(&mut self) -> Vec<Stmt> {
        let Some((lock, sort)) = self.lock() else { return vec![self.assignment()] };
        let (acquire, release) = self.lock_operations(&sort);
        let mut stmts = vec![stmt(StmtKind::Lock(acquire, lock.clone()))];
        let length = 1 + self.dice.below(2);
        let mut body = self.sequence(length);
        if self.dice.chance(60)
            && let Some(label) = self.label(&mut body[0])
        {
            self.critical.push(label);
        }
        stmts.extend(body);
        stmts.push(stmt(StmtKind::Lock(release, lock)));
        stmts
    }

    fn lone_lock_operation(&mut self) -> Vec<Stmt> {
        let Some((lock, sort)) = self.lock() else { return vec![self.assignment()] };
        if self.scope.waiting && sort == Sort::Mutex && self.dice.chance(30) {
            return vec![assign(lock, expr(ExprKind::None))];
        }
        let (acquire, release) = self.lock_operations(&sort);
        let op = if self.dice.chance(50) { acquire } else { release };
        vec![stmt(StmtKind::Lock(op, lock))]
    }

    fn test(&mut self) -> Cond {
        if self.dice.chance(15) { Cond::Any } else { Cond::Expr(self.condition()) }
    }

    fn branch(&mut self) -> Stmt {
        let condition = self.test();
        let yes = self.nested(2);
        let no = if self.dice.chance(40) { Some(self.nested(2)) } else { None };
        stmt(StmtKind::If(condition, yes, no))
    }

    fn repetition(&mut self) -> Stmt {
        self.loops += 1;
        let kind = if self.dice.chance(50) {
            StmtKind::While(self.test(), Vec::new(), self.nested(2))
        } else {
            let mut body = self.nested(2);
            let exit = if_then(self.condition(), vec![stmt(StmtKind::Break)]);
            let position = self.dice.below(body.stmts.len() + 1);
            body.stmts.insert(position, exit);
            StmtKind::Loop(Vec::new(), body)
        };
        self.loops -= 1;
        stmt(kind)
    }

    fn choice(&mut self) -> Stmt {
        let branches = (0..2 + self.dice.below(2)).map(|_| self.nested(1)).collect();
        stmt(StmtKind::Choose(branches))
    }

    fn atomic(&mut self) -> Stmt {
        self.in_atomic = true;
        let mut body = self.nested(3);
        self.in_atomic = false;
        if self.dice.chance(40) {
            let guard = stmt(StmtKind::Assume(self.condition()));
            body.stmts.insert(0, guard);
        }
        stmt(StmtKind::Atomic(body))
    }

    /// A `for` whose counter is stored somewhere in each copy.
    fn unrolled(&mut self) -> Stmt {
        let outer = std::mem::replace(&mut self.in_for, true);
        let counter = self.fresh("k");
        let last = self.dice.between(0, 2);
        let mut body = self.nested(1);
        let in_range = |sort: &Sort| matches!(sort, Sort::Range(lo, hi) if *lo <= 0 && last <= *hi);
        if let Some((place, _)) = self.expressions().place(&in_range, false) {
            body.stmts.push(assign(place, var(&counter)));
        }
        self.in_for = outer;
        stmt(StmtKind::For(name(&counter), int(0), int(last), body))
    }

    fn local_sort(&mut self) -> Sort {
        if self.scope.machine && self.dice.chance(60) {
            return Sort::Machine(*self.dice.pick(&TYPES));
        }
        self.dice.pick(&[Sort::Bool, Sort::Range(0, 1), Sort::Range(0, 2), Sort::Tid, Sort::Phase]).clone()
    }

    /// A declaration in the present block.
    pub(crate) fn declaration(&mut self) -> Stmt {
        if self.scope.rich && self.dice.chance(40) {
            return self.record_declaration();
        }
        let sort = self.local_sort();
        let init = match self.dice.below(5) {
            0 | 1 => None,
            2 if !matches!(sort, Sort::Machine(_)) => Some(any()),
            _ => Some(Rhs::Expr(self.expressions().value(&sort, 1))),
        };
        let local = self.fresh("v");
        self.scope.vars.push(Var { name: local.clone(), sort: sort.clone(), shared: false });
        stmt(StmtKind::Var(var_decl(&local, &sort, init)))
    }

    fn block_with_local(&mut self) -> Stmt {
        self.depth += 1;
        let (vars, targets) = (self.scope.vars.len(), self.targets.len());
        let mut stmts = if self.dice.chance(30) { self.sequence(1) } else { Vec::new() };
        stmts.push(self.declaration());
        stmts.extend(self.sequence(2));
        self.scope.vars.truncate(vars);
        self.targets.truncate(targets);
        self.depth -= 1;
        stmt(StmtKind::Block(block(stmts)))
    }

    fn jump(&mut self) -> Stmt {
        let target = self.dice.pick(&self.targets).clone();
        if_then(self.condition(), vec![stmt(StmtKind::Goto(name(target)))])
    }

    fn leave_loop(&mut self) -> Stmt {
        let kind = if self.dice.chance(70) { StmtKind::Break } else { StmtKind::Continue };
        if_then(self.condition(), vec![stmt(kind)])
    }

    fn early_return(&mut self) -> Stmt {
        let result = self.return_statement();
        if_then(self.condition(), vec![result])
    }

    pub(crate) fn return_statement(&mut self) -> Stmt {
        let value = match self.returns.clone().flatten() {
            Some(sort) if self.dice.chance(80) => Some(self.expressions().value(&sort, 1)),
            _ => None,
        };
        stmt(StmtKind::Return(value))
    }

    fn call(&mut self) -> Stmt {
        let callee = self.dice.pick(self.procs).clone();
        let args = callee.params.iter().map(|sort| self.expressions().value(sort, 1)).collect();
        let result = callee.result.and_then(|sort| self.expressions().place(&|s| *s == sort, false));
        // The index of an element would be evaluated again when the procedure returns.
        let result = result.map(|(place, _)| place).filter(|place| matches!(place.kind, ExprKind::Name(_)));
        stmt(StmtKind::Call { result, proc: name(callee.name), args })
    }

    /// An action on one variable; sometimes guarded, sometimes with an assertion.
    fn action(&mut self) -> Stmt {
        let in_frame = |sort: &Sort| Self::is_assignable(sort) || *sort == Sort::RwLock;
        let chosen = self.expressions().place(&in_frame, true);
        let Some((variable, sort)) = chosen.filter(|(place, _)| matches!(place.kind, ExprKind::Name(_))) else {
            return self.assignment();
        };
        let (variable, sort) = match sort {
            Sort::RwLock => (field(variable, "w"), Sort::Tid),
            sort => (variable, sort),
        };
        let after = prime(variable.clone());
        let change = match (&sort, self.dice.below(3)) {
            (Sort::Int, _) => eq(after.clone(), self.expressions().value(&sort, 1)),
            (Sort::Machine(_), _) if !self.is_chosen_from(&sort) => {
                eq(after.clone(), self.expressions().value(&sort, 1))
            }
            (Sort::Machine(_), 1) => binary(BinaryOp::Gt, after.clone(), variable.clone()),
            (Sort::Range(..), _) if self.scope.odd => self.expressions().failing_condition(after.clone()),
            (_, 0) => eq(after.clone(), self.expressions().value(&sort, 1)),
            (Sort::Range(..), 1) => binary(BinaryOp::Gt, after.clone(), variable.clone()),
            _ => binary(BinaryOp::Ne, after.clone(), variable.clone()),
        };
        let formula =
            if self.dice.chance(40) { binary(BinaryOp::And, self.expressions().bool(1), change) } else { change };
        let assertion = self.dice.chance(15).then(|| self.action_assertion(after, &sort));
        stmt(StmtKind::Action { frame: vec![variable], formula, assertion })
    }

    fn action_assertion(&mut self, after: Expr, sort: &Sort) -> Expr {
        let forbidden = match sort {
            Sort::Set(_) => expr(ExprKind::SetLiteral(Vec::new())),
            sort => self.expressions().value(sort, 0),
        };
        binary(BinaryOp::Ne, after, forbidden)
    }
}

/// The variable that a place is in.
fn root(place: &Expr) -> &str {
    match &place.kind {
        ExprKind::Name(name) => name,
        ExprKind::Index(array, _) | ExprKind::Field(array, _) => root(array),
        _ => "",
    }
}
