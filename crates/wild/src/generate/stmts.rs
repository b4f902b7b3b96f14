//! Statements.

use super::sorts::Sort;
use super::{Generator, Variable, boolean};
use crate::tree::{Block, Expr, Kind, Stmt, binary, name, visit_block};

impl Generator {
    /// A block of about so many statements.
    pub(super) fn block(&mut self, statements: usize, depth: usize) -> Block {
        let outside = self.scope.len();
        let mut block = Block::new();
        for _ in 0..statements {
            let kind = self.statement(depth);
            let labels = self.some_labels();
            block.push(Stmt { labels, kind });
        }
        if self.random.percent(20) {
            let label = self.label();
            block.push(Stmt { labels: vec![label], kind: Kind::Nothing });
        }
        self.scope.truncate(outside);
        block
    }

    fn some_labels(&mut self) -> Vec<String> {
        match self.random.weighted(&[72, 24, 4]) {
            0 => Vec::new(),
            1 => vec![self.label()],
            _ => {
                let (first, second) = (self.label(), self.label());
                if first == second { vec![first] } else { vec![first, second] }
            }
        }
    }

    /// A label, sometimes one that names another point already.
    fn label(&mut self) -> String {
        if !self.labels.is_empty() && self.random.percent(15) {
            let labels = self.labels.clone();
            return self.random.pick(&labels);
        }
        let prefix = if self.random.percent(12) { "end" } else { "L" };
        let label = self.fresh_name(prefix);
        self.labels.push(label.clone());
        label
    }

    fn statement(&mut self, depth: usize) -> Kind {
        if depth > 0 && self.random.percent(30) {
            return self.compound(depth);
        }
        if self.config.starts && self.random.percent(25) {
            return if self.random.percent(55) { self.start() } else { self.join() };
        }
        match self.random.weighted(&[34, 9, 8, 8, 12, 12, 9, 4, 8, 3, 2]) {
            0 => self.assignment(),
            1 => Kind::Skip,
            2 => Kind::Simple("assert", self.weak_condition(2)),
            3 => Kind::Simple(if self.random.percent(80) { "await" } else { "assume" }, self.expr(&Sort::Bool, 2)),
            4 => self.declaration(),
            5 => self.lock_operation(),
            6 => self.action(),
            7 => Kind::Goto(String::new()),
            8 => self.call(),
            9 if self.loops > 0 => Kind::Leave(self.random.pick(&["break", "continue"])),
            10 => self.return_statement(),
            _ => self.assignment(),
        }
    }

    fn compound(&mut self, depth: usize) -> Kind {
        let some = 1 + self.random.below(2);
        match self.random.weighted(&[10, 25, 20, 14, 12, 12, 8]) {
            0 => Kind::Plain(self.block(some, depth - 1)),
            1 => Kind::Atomic(self.block(some + 1, depth - 1)),
            2 => {
                let test = self.test();
                let yes = self.block(some, depth - 1);
                let no = self.random.percent(50).then(|| self.block(1, depth - 1));
                Kind::If(test, yes, no)
            }
            3 => {
                let (test, invariants) = (self.test(), self.loop_invariants());
                Kind::While(test, invariants, self.loop_body(some, depth))
            }
            4 => {
                let invariants = self.loop_invariants();
                Kind::Loop(invariants, self.loop_body(some, depth))
            }
            5 => {
                let branches = 1 + self.random.weighted(&[1, 8, 2]);
                Kind::Choose((0..branches).map(|_| self.block(1, depth - 1)).collect())
            }
            _ => self.for_loop(depth),
        }
    }

    fn test(&mut self) -> Expr {
        if self.random.percent(25) { Expr::Star } else { self.expr(&Sort::Bool, 2) }
    }

    fn loop_invariants(&mut self) -> Vec<Expr> {
        let some = self.config.annotations && self.random.percent(10);
        if some { vec![self.weak_condition(1)] } else { Vec::new() }
    }

    fn loop_body(&mut self, statements: usize, depth: usize) -> Block {
        self.loops += 1;
        let body = self.block(statements, depth - 1);
        self.loops -= 1;
        body
    }

    fn for_loop(&mut self, depth: usize) -> Kind {
        let (lo, copies) = (self.random.between(-1, 1), self.random.between(0, 2));
        let variable = self.fresh_name("k");
        let (lo_expr, hi_expr) = (self.constant_expr(lo), self.constant_expr(lo + copies - 1));
        let outside = self.scope.len();
        let sort = Sort::Range(lo, lo + copies.max(1) - 1);
        self.scope.push(Variable { name: variable.clone(), sort, writable: false, shared: false });
        let declared = self.declared.len();
        let mut body = self.loop_body(1, depth);
        self.scope.truncate(outside);
        if copies == 0 {
            // What stands in no copy of the body is not there for properties.
            self.declared.truncate(declared);
            visit_block(&mut body, &mut |block| block.iter_mut().for_each(hide_from_properties));
        }
        Kind::For(variable, lo_expr, hi_expr, body)
    }

    fn assignment(&mut self) -> Kind {
        let number = self.random.weighted(&[0, 10, 2]);
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for _ in 0..number {
            let Some((place, value)) = self.place_and_value() else { continue };
            // `x, x = 1, 2;` is refused, and `a, a[0] = b, 1;` as well.
            if places.iter().all(|other| may_stand_together(other, &place)) {
                places.push(place);
                values.push(value);
            }
        }
        if places.is_empty() { Kind::Skip } else { Kind::Assign(places, values) }
    }

    /// Something to write to, and what to write.
    fn place_and_value(&mut self) -> Option<(Expr, Expr)> {
        let sorts: Vec<Sort> = self.writable_sorts();
        if sorts.is_empty() {
            return None;
        }
        let sort = self.random.pick(&sorts);
        let place = self.place(&|of| *of == sort, 1, true)?;
        let few = sort.values(self.threads.len()) <= 8;
        let value = if few && self.random.percent(12) { Expr::Star } else { self.fitting(&sort, 2) };
        Some((place, value))
    }

    fn writable_sorts(&self) -> Vec<Sort> {
        let mut sorts = Vec::new();
        for variable in self.scope.iter().filter(|v| v.writable) {
            match &variable.sort {
                Sort::RwLock => sorts.extend([Sort::Tid, Sort::Set(Box::new(Sort::Tid))]),
                Sort::Array(_, element) => {
                    sorts.extend([(**element).clone(), (**element).clone(), variable.sort.clone()])
                }
                other => sorts.push(other.clone()),
            }
        }
        sorts
    }

    fn declaration(&mut self) -> Kind {
        let sort = self.local_sort();
        let ty = self.type_of(&sort);
        let few = sort.values(self.threads.len()) <= 8;
        let init = match self.random.below(4) {
            0 if few => Some(Expr::Star),
            1 | 2 => Some(self.fitting(&sort, 1)).filter(|value| few || *value != Expr::Star),
            _ => None,
        };
        let hides = self.random.percent(5) && self.scope.iter().all(|v| v.shared || v.name != "a");
        let local = if hides { "a".to_string() } else { self.fresh_name("x") };
        let mut names = vec![local];
        if init.is_none() && self.random.percent(10) {
            names.push(self.fresh_name("x"));
        }
        for name in &names {
            self.declared.retain(|(declared, _)| declared != name);
            self.declared.push((name.clone(), sort.clone()));
            self.scope.push(Variable { name: name.clone(), sort: sort.clone(), writable: true, shared: false });
        }
        Kind::Var(names, ty, init)
    }

    fn lock_operation(&mut self) -> Kind {
        let rw_locks: Vec<String> =
            self.scope.iter().filter(|v| v.sort == Sort::RwLock).map(|v| v.name.clone()).collect();
        if !rw_locks.is_empty() && self.random.percent(60) {
            let lock = name(&self.random.pick(&rw_locks));
            let words = ["acquire_read", "acquire_write", "release_read", "release_write"];
            let kinds = if self.risk == 0 { &words[..2] } else { &words[..] };
            return Kind::Simple(self.random.pick(kinds), lock);
        }
        let Some(lock) = self.place(&|sort| matches!(sort, Sort::Lock | Sort::Mutex), 1, true) else {
            return self.assignment();
        };
        match self.random.below(4) {
            0 | 1 => Kind::Simple("acquire", lock),
            // A section of code under the lock, so that releasing is right more often than not.
            2 => {
                let inside = self.assignment();
                let acquire = Stmt::plain(Kind::Simple("acquire", lock.clone()));
                let release = Stmt::plain(Kind::Simple("release", lock));
                Kind::Plain(vec![acquire, Stmt::plain(inside), release])
            }
            _ if self.risk == 0 => Kind::Skip,
            _ => Kind::Simple("release", lock),
        }
    }

    /// An action over variables with few values.
    fn action(&mut self) -> Kind {
        let threads = self.threads.len();
        let few = |v: &&Variable| v.writable && (v.sort.values(threads) <= 32 || is_open(&v.sort));
        let candidates: Vec<(String, Sort)> =
            self.scope.iter().filter(few).map(|v| (v.name.clone(), v.sort.clone())).collect();
        let mut frame: Vec<(String, Sort)> = Vec::new();
        for _ in 0..if candidates.is_empty() { 0 } else { self.random.weighted(&[1, 8, 3]) } {
            let candidate = self.random.pick(&candidates);
            if !frame.contains(&candidate) && !self.is_hidden(&candidate.0) {
                frame.push(candidate);
            }
        }
        self.frame = frame.iter().map(|(variable, _)| variable.clone()).collect();
        let mut formula = self.conjunction();
        for (variable, sort) in &frame {
            if is_open(sort) || self.random.percent(30) {
                self.frame.clear();
                let value = self.fitting(sort, 1);
                let primed = Expr::Prime(Box::new(name(variable)));
                let value = if value == Expr::Star { name(variable) } else { value };
                let given = binary("==", primed, value);
                let first = self.random.percent(50);
                formula = if first { binary("&&", given, formula) } else { binary("&&", formula, given) };
                self.frame = frame.iter().map(|(variable, _)| variable.clone()).collect();
            }
        }
        let assertion = self.random.percent(20).then(|| self.weak_condition(1));
        let frame = std::mem::take(&mut self.frame);
        Kind::Action(frame, formula, assertion)
    }

    /// Conjuncts of which the later ones guard the earlier ones as often as the other way round.
    fn conjunction(&mut self) -> Expr {
        let mut formula = self.expr(&Sort::Bool, 2);
        for _ in 0..self.random.below(3) {
            formula = binary("&&", formula, self.expr(&Sort::Bool, 1));
        }
        formula
    }

    fn call(&mut self) -> Kind {
        let known = match self.in_procedure {
            true => self.procedures.len() - 1 + usize::from(self.recursive.is_some()),
            false => self.procedures.len(),
        };
        if known == 0 {
            return self.assignment();
        }
        let procedure = self.procedures[self.random.below(known)].clone();
        let args = procedure.params.iter().map(|sort| self.fitting(sort, 1)).collect();
        let result = match &procedure.result {
            Some(sort) if self.random.percent(75) => self.place(&|of| of == sort, 1, true),
            _ => None,
        };
        Kind::Call(result, procedure.name, args)
    }

    fn return_statement(&mut self) -> Kind {
        match self.result.clone() {
            Some(sort) if self.in_procedure => Kind::Return(Some(self.fitting(&sort, 2))),
            _ => Kind::Return(None),
        }
    }

    /// A condition that is probably true.
    pub(super) fn weak_condition(&mut self, depth: usize) -> Expr {
        match self.random.below(10) {
            0 => self.expr(&Sort::Bool, depth),
            1 => boolean(true),
            2 | 3 => binary("||", self.expr(&Sort::Bool, depth), self.expr(&Sort::Bool, depth)),
            4 | 5 => self.within_bounds().unwrap_or(boolean(true)),
            _ => binary("==>", self.rare_condition(depth), self.expr(&Sort::Bool, depth)),
        }
    }

    /// A condition that is probably false.
    pub(super) fn rare_condition(&mut self, depth: usize) -> Expr {
        let mut rare = self.expr(&Sort::Bool, depth);
        for _ in 0..1 + self.random.below(3) {
            rare = binary("&&", rare, self.expr(&Sort::Bool, depth));
        }
        rare
    }

    /// That a number is in its range, which is always so.
    fn within_bounds(&mut self) -> Option<Expr> {
        let (place, sort) = self.place_of_any(1)?;
        let (least, most) = match sort {
            Sort::Range(lo, hi) => (Expr::Int(lo), Expr::Int(hi)),
            Sort::Machine(ty) => (ty.literal(ty.least()), ty.literal(ty.greatest())),
            _ => return None,
        };
        Some(binary("&&", binary("<=", least, place.clone()), binary("<=", place, most)))
    }
}

/// Whether an action has to say what a variable of this type becomes: nobody tries all values.
fn is_open(sort: &Sort) -> bool {
    matches!(sort, Sort::Int | Sort::Machine(_))
}

/// Whether two places may be assigned in one step: different variables, or elements of one array.
fn may_stand_together(left: &Expr, right: &Expr) -> bool {
    match (left, right) {
        (Expr::Index(of_left, i), Expr::Index(of_right, j)) => {
            i != j && (of_left == of_right || may_stand_together(of_left, of_right))
        }
        (Expr::Index(of_left, _), _) => may_stand_together(of_left, right),
        (_, Expr::Index(of_right, _)) => may_stand_together(left, of_right),
        _ => left != right,
    }
}

/// Takes out what a property could name: labels, also those of a procedure that is called.
fn hide_from_properties(stmt: &mut Stmt) {
    stmt.labels.clear();
    if matches!(stmt.kind, Kind::Call(..)) {
        stmt.kind = Kind::Skip;
    }
}
