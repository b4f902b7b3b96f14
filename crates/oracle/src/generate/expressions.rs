//! Random expressions of a wanted type.

use super::build::{
    PHASES, Sort, binary, boolean, conditional, eq, expr, field, index, int, not, quantified, type_kind, var,
};
use super::dice::Dice;
use super::rich::fields;
use threadwise_front_tw::ast::{BinaryOp, Expr, ExprKind, Quantifier, TypeKind};

/// A variable that can be named.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    pub(crate) shared: bool,
}

/// What an expression may mention.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) vars: Vec<Var>,
    /// There is a running thread.
    pub(crate) has_self: bool,
    /// Threads whose names are thread identities.
    pub(crate) single_threads: Vec<String>,
    /// All threads, whose names are types of binders.
    pub(crate) threads: Vec<String>,
    /// The threads that can be started, with the sorts of their parameters.
    pub(crate) starts: Vec<(String, Vec<Sort>)>,
    /// Nobody knows which thread was started.
    pub(crate) anonymous: bool,
    /// Threads wait a lot.
    pub(crate) waiting: bool,
    /// `ord` may be used.
    pub(crate) ord: bool,
    /// There may be what engines were once wrong about.
    pub(crate) odd: bool,
    /// There are machine integers.
    pub(crate) machine: bool,
    /// There is what makes models short.
    pub(crate) rich: bool,
    /// The functions and what they give.
    pub(crate) functions: Vec<(String, Sort)>,
}

/// Makes expressions over a scope.
pub(crate) struct Expressions<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) scope: &'a Scope,
}

impl Expressions<'_> {
    /// A variable or an element of an array whose type is wanted; with its type.
    pub(crate) fn place(&mut self, wanted: &dyn Fn(&Sort) -> bool, shared_only: bool) -> Option<(Expr, Sort)> {
        let scope = self.scope;
        let fits = |var: &&Var| {
            let element_fits = match &var.sort {
                Sort::Array(_, element) => wanted(element) || **element == Sort::Record && has_field(wanted),
                Sort::Record => has_field(wanted),
                _ => false,
            };
            (var.shared || !shared_only) && (wanted(&var.sort) || element_fits)
        };
        let candidates: Vec<&Var> = scope.vars.iter().filter(fits).collect();
        if candidates.is_empty() {
            return None;
        }
        let chosen = *self.dice.pick(&candidates);
        let (place, sort) = match &chosen.sort {
            Sort::Array(key, element) if !wanted(&chosen.sort) => {
                let key = self.key(key);
                (index(var(&chosen.name), key), (**element).clone())
            }
            sort => (var(&chosen.name), sort.clone()),
        };
        if wanted(&sort) {
            return Some((place, sort));
        }
        let (text, sort) = fields().into_iter().find(|(_, sort)| wanted(sort))?;
        Some((field(place, text), sort))
    }

    /// An index, almost always inside the array.
    fn key(&mut self, sort: &Sort) -> Expr {
        if let Sort::Range(..) = sort
            && self.dice.chance(8)
        {
            return self.int(1);
        }
        self.value(sort, 1)
    }

    /// A value of the type, in range but for rare mistakes.
    pub(crate) fn value(&mut self, sort: &Sort, depth: usize) -> Expr {
        match sort {
            Sort::Bool => self.bool(depth),
            Sort::Int => self.value_in_range(-1, 3, depth),
            Sort::Range(..) if depth > 1 && self.dice.chance(8) => self.int(depth),
            Sort::Range(lo, hi) => self.value_in_range(*lo, *hi, depth),
            Sort::Machine(ty) => self.machine(*ty, depth),
            Sort::Phase => self.read_or(Sort::Phase, |this| var(this.dice.pick::<&str>(&PHASES))),
            Sort::Tid => self.thread(),
            Sort::Set(element) => self.set(element, depth),
            Sort::Record => self.record(depth),
            Sort::Array(key, element) => self.array(key, element, depth),
            Sort::Lock | Sort::Mutex | Sort::RwLock | Sort::Cond | Sort::Chan(..) => {
                unreachable!("not written as a value")
            }
        }
    }

    fn value_in_range(&mut self, lo: i64, hi: i64, depth: usize) -> Expr {
        if self.scope.rich
            && (lo, hi) == (0, 2)
            && depth > 0
            && self.dice.chance(20)
            && let Some(call) = self.function_call(&Sort::Range(0, 2))
        {
            return call;
        }
        let inside = |sort: &Sort| matches!(sort, Sort::Range(l, h) if lo <= *l && *h <= hi);
        match self.dice.below(if depth == 0 { 2 } else { 5 }) {
            1 => match self.place(&inside, false) {
                Some((place, _)) => place,
                None => int(self.dice.between(lo, hi)),
            },
            2 => match self.place(&inside, false) {
                Some((place, _)) => {
                    let more = binary(BinaryOp::Add, place.clone(), int(1));
                    conditional(binary(BinaryOp::Lt, place, int(hi)), more, int(lo))
                }
                None => int(self.dice.between(lo, hi)),
            },
            3 => {
                let rest = binary(BinaryOp::Mod, self.int(depth - 1), int(hi - lo + 1));
                if lo == 0 { rest } else { binary(BinaryOp::Add, rest, int(lo)) }
            }
            4 if self.dice.chance(40) => {
                let (yes, no) = (self.dice.between(lo, hi), self.dice.between(lo, hi));
                conditional(self.bool(depth - 1), int(yes), int(no))
            }
            _ => int(self.dice.between(lo, hi)),
        }
    }

    /// A variable of the type, or else something simpler.
    fn read_or(&mut self, sort: Sort, otherwise: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.dice.chance(50)
            && let Some((place, _)) = self.place(&|s| *s == sort, false)
        {
            return place;
        }
        otherwise(self)
    }

    /// An integer, not very large.
    pub(crate) fn int(&mut self, depth: usize) -> Expr {
        if self.scope.odd && depth > 0 && self.dice.chance(8) {
            return self.divided_by_extreme(depth);
        }
        if self.scope.machine && depth > 0 && self.dice.chance(15) {
            return self.machine_number(depth - 1);
        }
        if self.scope.rich && depth > 0 && self.dice.chance(30) {
            return self.bits(depth);
        }
        let is_int = |sort: &Sort| matches!(sort, Sort::Int | Sort::Range(..));
        let choice = if depth == 0 { self.dice.below(2) } else { self.dice.weighted(&[4, 8, 4, 2, 1, 1, 1, 1]) };
        match choice {
            0 => int(self.dice.between(-1, 3)),
            2 => {
                let op = *self.dice.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
                binary(op, self.int(depth - 1), self.int(depth - 1))
            }
            3 => {
                let op = *self.dice.pick(&[BinaryOp::Div, BinaryOp::Mod]);
                let divisor = int(*self.dice.pick(&[-2, 2, 3]));
                binary(op, self.int(depth - 1), divisor)
            }
            4 if self.dice.chance(60) => binary(BinaryOp::Div, self.int(depth - 1), self.int(0)),
            5 => conditional(self.bool(depth - 1), self.int(depth - 1), self.int(depth - 1)),
            6 => self.count(depth),
            7 if self.scope.ord => expr(ExprKind::Ord(Box::new(self.thread()))),
            _ => match self.place(&is_int, false) {
                Some((place, _)) => place,
                None => int(self.dice.between(0, 2)),
            },
        }
    }

    /// `size(s)` or a count over a small range.
    fn count(&mut self, depth: usize) -> Expr {
        match self.place(&|sort| matches!(sort, Sort::Set(_)), false) {
            Some((set, _)) => expr(ExprKind::Size(Box::new(set))),
            None => {
                let body = binary(BinaryOp::Le, var("k"), self.int(depth - 1));
                quantified(Quantifier::Count, &[("k", type_kind(&Sort::Range(0, 2)))], body)
            }
        }
    }

    pub(crate) fn thread(&mut self) -> Expr {
        let me = expr(ExprKind::SelfThread);
        let nobody = expr(ExprKind::None);
        match self.dice.below(6) {
            0 | 1 if self.scope.has_self => me,
            2 if !self.scope.single_threads.is_empty() => var(self.dice.pick::<String>(&self.scope.single_threads)),
            3 | 4 => match self.place(&|sort| matches!(sort, Sort::Tid | Sort::Mutex), false) {
                Some((place, _)) => place,
                None => nobody,
            },
            _ => nobody,
        }
    }

    fn set(&mut self, element: &Sort, depth: usize) -> Expr {
        let wanted = Sort::Set(Box::new(element.clone()));
        let choice = if depth == 0 { self.dice.below(2) } else { self.dice.below(4) };
        match choice {
            0 | 2 | 3 => match self.place(&|sort| *sort == wanted, false) {
                Some((place, _)) if choice == 0 => place,
                Some((place, _)) => {
                    let op = *self.dice.pick(&[BinaryOp::Union, BinaryOp::Union, BinaryOp::Inter, BinaryOp::Minus]);
                    binary(op, place, self.singleton(element))
                }
                None => self.singleton(element),
            },
            _ => self.singleton(element),
        }
    }

    fn singleton(&mut self, element: &Sort) -> Expr {
        let element = self.value(element, 0);
        expr(ExprKind::SetLiteral(vec![element]))
    }

    /// A condition.
    pub(crate) fn bool(&mut self, depth: usize) -> Expr {
        if self.scope.odd && depth > 0 && self.dice.chance(12) {
            return self.failing_quantifier();
        }
        if self.scope.machine && self.dice.chance(40) {
            return self.machine_condition(depth);
        }
        if self.scope.rich && depth > 0 && self.dice.chance(30) {
            return self.rich_condition(depth - 1);
        }
        let weights: &[usize] = if depth == 0 { &[1, 8, 10] } else { &[1, 8, 10, 6, 3, 3, 6, 3] };
        match self.dice.weighted(weights) {
            0 => boolean(self.dice.chance(60)),
            1 => match self.place(&|sort| matches!(sort, Sort::Bool | Sort::Lock), false) {
                Some((place, _)) if self.dice.chance(60) => place,
                Some((place, _)) => not(place),
                None => self.comparison(0),
            },
            3 => {
                use BinaryOp::{And, Iff, Implies, Or};
                let op = *self.dice.pick(&[And, And, Or, Or, Implies, Iff]);
                binary(op, self.bool(depth - 1), self.bool(depth - 1))
            }
            4 => not(self.bool(depth - 1)),
            5 => self.set_condition(),
            6 => self.equality(depth),
            7 => self.quantifier(depth),
            _ => self.comparison(depth.saturating_sub(1)),
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = *self.dice.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
        let is_int = |sort: &Sort| matches!(sort, Sort::Int | Sort::Range(..));
        let left = match self.place(&is_int, false) {
            Some((place, _)) => place,
            None => self.int(depth),
        };
        let right = match self.int(depth) {
            right if same_variable(&left, &right) => int(self.dice.between(0, 2)),
            right => right,
        };
        binary(op, left, right)
    }

    fn set_condition(&mut self) -> Expr {
        let Some((set, Sort::Set(element))) = self.place(&|sort| matches!(sort, Sort::Set(_)), false) else {
            return self.equality(1);
        };
        match self.dice.below(4) {
            0 => eq(set, expr(ExprKind::SetLiteral(Vec::new()))),
            1 => binary(BinaryOp::Subset, set, self.set(&element, 0)),
            _ => binary(BinaryOp::In, self.value(&element, 0), set),
        }
    }

    /// An equation between threads, phases or the fields of a lock.
    fn equality(&mut self, depth: usize) -> Expr {
        let op = if self.dice.chance(65) { BinaryOp::Eq } else { BinaryOp::Ne };
        let comparable = |sort: &Sort| matches!(sort, Sort::Tid | Sort::Mutex | Sort::Phase | Sort::RwLock);
        match self.place(&comparable, false) {
            Some((place, Sort::Phase)) => binary(op, place, var(self.dice.pick::<&str>(&PHASES))),
            Some((lock, Sort::RwLock)) if self.dice.chance(50) => binary(op, field(lock, "w"), self.thread()),
            Some((lock, Sort::RwLock)) => binary(BinaryOp::In, self.thread(), field(lock, "r")),
            Some((place, _)) => match self.thread() {
                other if same_variable(&place, &other) => binary(op, place, expr(ExprKind::None)),
                other => binary(op, place, other),
            },
            None => self.comparison(depth.saturating_sub(1)),
        }
    }

    /// A quantifier over an array's keys or over a small range.
    fn quantifier(&mut self, depth: usize) -> Expr {
        let quantifier = *self.dice.pick(&[Quantifier::Forall, Quantifier::Exists]);
        let array = self.place(&|sort| matches!(sort, Sort::Array(_, element) if **element == Sort::Bool), false);
        let Some((array, Sort::Array(key, _))) = array else {
            let body = binary(BinaryOp::Ne, var("k"), self.int(depth - 1));
            return quantified(quantifier, &[("k", type_kind(&Sort::Range(0, 1)))], body);
        };
        let element = index(array, var("k"));
        let body = if self.dice.chance(60) { element } else { binary(BinaryOp::Or, self.bool(0), element) };
        let domain = match *key {
            Sort::Tid if self.dice.chance(50) => TypeKind::Named(self.dice.pick(&self.scope.threads).clone()),
            ref key => type_kind(key),
        };
        quantified(quantifier, &[("k", domain)], body)
    }
}

/// Whether the one record has a field whose type is wanted.
fn has_field(wanted: &dyn Fn(&Sort) -> bool) -> bool {
    fields().iter().any(|(_, sort)| wanted(sort))
}

/// Whether both are the same variable, so that comparing them would be idle.
fn same_variable(left: &Expr, right: &Expr) -> bool {
    matches!((&left.kind, &right.kind), (ExprKind::Name(left), ExprKind::Name(right)) if left == right)
}
