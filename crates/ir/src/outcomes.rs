//! The values of open words for which a formula holds.
//!
//! The formula is evaluated from left to right, and only as far as needed, for every combination of values; if that
//! runs into an error for one of them, the error is the outcome. Most combinations need not be looked at one
//! by one: a word gets a value when the formula needs it, and from an equation it gets the only one there is.
//! A conjunct that needs a word and cannot run into an error is put off, since one behind it may determine
//! the word; it has been forgotten by nobody when an error is reported, or a combination accepted.

use crate::choices::{FreeWord, MAX_CHOICES};
use crate::eval::Env;
use crate::instance::Instance;
use crate::patience::may_go_on;
use crate::{BinaryOp, Expr, ExprKind, Gap, NoValue, Quantifier, UnaryOp};
use smallvec::SmallVec;
use std::rc::Rc;
use threadwise_source::Span;

/// The combinations for which a formula holds.
pub(crate) struct Outcomes {
    /// Each of them; the first free word varies slowest.
    pub(crate) accepted: Vec<Accepted>,
    /// Why there may be more.
    pub(crate) gap: Option<Gap>,
    /// The first combination for which the evaluation goes wrong, and how.
    pub(crate) wrong: Option<(Vec<i64>, NoValue)>,
}

/// A combination for which a formula holds, or several.
pub(crate) struct Accepted {
    pub(crate) words: Vec<i64>,
    /// The words that are still open, since the formula holds whatever they are.
    pub(crate) is_open: Vec<bool>,
}

/// Whether words that the formula does not need get all their values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    Open,
    Chosen,
}

/// Makes what a formula sees of the words, some of which are open.
pub(crate) trait Scene {
    /// What it sees.
    fn env<'s>(&'s self, words: &'s [i64], is_open: &'s [bool]) -> Env<'s>;
}

/// Finds the combinations of values of the free words for which the formula holds. The other words are given.
pub(crate) fn outcomes(
    instance: &Instance,
    scene: &dyn Scene,
    formula: &Expr,
    free: &[FreeWord],
    words: Vec<i64>,
    rest: Rest,
    span: Span,
) -> Outcomes {
    let mut free_at = vec![None; words.len()];
    let mut is_open = vec![false; words.len()];
    for (position, word) in free.iter().enumerate() {
        (free_at[word.index], is_open[word.index]) = (Some(position), true);
    }
    let found = Outcomes { accepted: Vec::new(), gap: None, wrong: None };
    let trail = Vec::new();
    let mut search = Search { instance, scene, free, free_at, words, is_open, rest, trail, ends: 0, span, found };
    let whole = Goal { formula, bound: SmallVec::new(), next: None };
    search.pursue(Goals::default().and(whole), Goals::default());
    let mut found = search.found;
    found.accepted.sort_unstable_by(|a, b| in_order(free, &a.words, &b.words));
    found
}

/// The order in which combinations would be tried one by one.
pub(crate) fn in_order(free: &[FreeWord], a: &[i64], b: &[i64]) -> std::cmp::Ordering {
    let rank = |word: &FreeWord, words: &[i64]| (word.rank(words[word.index]), words[word.index]);
    free.iter().map(|word| rank(word, a).cmp(&rank(word, b))).find(|order| order.is_ne()).unwrap_or(a.cmp(b))
}

/// A formula that has to hold, inside binders that have values.
#[derive(Clone)]
struct Goal<'e> {
    formula: &'e Expr,
    bound: SmallVec<[i64; 4]>,
    /// Of a `forall`: the first value of its variable that has not been looked at.
    next: Option<i64>,
}

/// Goals, the next one first. Copies share what they have in common.
#[derive(Clone, Default)]
struct Goals<'e>(Option<Rc<(Goal<'e>, Goals<'e>)>>);

impl<'e> Goals<'e> {
    fn and(self, goal: Goal<'e>) -> Goals<'e> {
        Goals(Some(Rc::new((goal, self))))
    }

    fn split(&self) -> Option<(Goal<'e>, Goals<'e>)> {
        self.0.as_ref().map(|node| (node.0.clone(), node.1.clone()))
    }
}

/// One by one: there may be more goals than the stack has room for.
impl Drop for Goals<'_> {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.1.0.take();
        }
    }
}

/// What became of a goal.
enum Met<'e> {
    Holds,
    Fails,
    /// It holds if these do, the last one first.
    If(SmallVec<[Goal<'e>; 2]>),
    /// It holds just for these values of open words.
    Determines(Vec<(usize, i64)>),
    /// It depends on this open word.
    Needs(usize),
    Wrong(NoValue),
}

/// What to do when everything that was put off holds.
#[derive(Clone)]
enum Then<'e> {
    Accept,
    Report(NoValue),
    /// Go on with these goals, whose first one needs this word.
    Choose(usize, Goals<'e>),
}

struct Search<'a> {
    instance: &'a Instance,
    scene: &'a dyn Scene,
    free: &'a [FreeWord],
    /// For each word, which of the free ones it is.
    free_at: Vec<Option<usize>>,
    words: Vec<i64>,
    is_open: Vec<bool>,
    rest: Rest,
    /// The words that have been given values, in that order.
    trail: Vec<usize>,
    /// How many combinations, or sets of them, have been looked at.
    ends: u64,
    span: Span,
    found: Outcomes,
}

impl Search<'_> {
    /// Looks at all combinations that agree with the values given so far: the goals from left to right, and
    /// those that were put off, which come before them and cannot go wrong.
    fn pursue<'e>(&mut self, mut goals: Goals<'e>, mut put_off: Goals<'e>) {
        let mark = self.trail.len();
        while self.may_go_on() {
            let Some((goal, rest)) = goals.split() else {
                self.settle(put_off, Then::Accept);
                break;
            };
            match self.meet(&goal) {
                Met::Holds => goals = rest,
                Met::Fails => {
                    self.ends += 1;
                    break;
                }
                Met::If(parts) => goals = parts.into_iter().fold(rest, Goals::and),
                Met::Determines(values) => {
                    if !self.assign(values) {
                        self.ends += 1;
                        break;
                    }
                    goals = rest;
                }
                Met::Needs(_) if !goal.formula.can_fail() => {
                    put_off = put_off.and(goal);
                    goals = rest;
                }
                Met::Needs(word) => {
                    self.settle(put_off, Then::Choose(word, goals));
                    break;
                }
                Met::Wrong(no_value) => {
                    self.settle(put_off, Then::Report(no_value));
                    break;
                }
            }
        }
        self.undo(mark);
    }

    /// Goes on where everything that was put off holds.
    fn settle<'e>(&mut self, mut put_off: Goals<'e>, then: Then<'e>) {
        let mark = self.trail.len();
        let mut waiting = Goals::default();
        let mut needed = None;
        while let Some((goal, rest)) = put_off.split() {
            if !self.may_go_on() {
                return self.undo(mark);
            }
            put_off = rest;
            match self.meet(&goal) {
                Met::Holds => {}
                Met::Fails => {
                    self.ends += 1;
                    return self.undo(mark);
                }
                Met::If(parts) => put_off = parts.into_iter().fold(put_off, Goals::and),
                Met::Determines(values) => {
                    if !self.assign(values) {
                        self.ends += 1;
                        return self.undo(mark);
                    }
                    // Others that wait may depend on these words.
                    while let Some((goal, rest)) = waiting.split() {
                        put_off = put_off.and(goal);
                        waiting = rest;
                    }
                    needed = None;
                }
                Met::Needs(word) => {
                    needed.get_or_insert(word);
                    waiting = waiting.and(goal);
                }
                Met::Wrong(no_value) => {
                    // It cannot run into an error, but a number may outgrow what is computed with.
                    self.report(no_value);
                    return self.undo(mark);
                }
            }
        }
        match (needed, then) {
            (Some(word), then) => self.choose(word, &mut |search| search.settle(waiting.clone(), then.clone())),
            (None, Then::Accept) => self.accept(),
            (None, Then::Report(no_value)) => self.report(no_value),
            (None, Then::Choose(word, goals)) if self.is_open[word] => {
                self.choose(word, &mut |search| search.pursue(goals.clone(), Goals::default()));
            }
            (None, Then::Choose(_, goals)) => self.pursue(goals, Goals::default()),
        }
        self.undo(mark);
    }

    fn may_go_on(&mut self) -> bool {
        let may_go_on = may_go_on();
        if !may_go_on {
            self.found.gap = Some(Gap::Interrupted(self.span));
        }
        may_go_on
    }

    /// Gives an open word every value it may have.
    fn choose(&mut self, word: usize, go_on: &mut dyn FnMut(&mut Self)) {
        let free = &self.free[self.free_at[word].expect("only free words are open")];
        self.found.gap = self.found.gap.or(free.gap(self.span));
        for n in 0..free.count() {
            if self.ends >= MAX_CHOICES {
                self.found.gap.get_or_insert(Gap::TooMany(self.span));
                return;
            }
            if !self.may_go_on() {
                return;
            }
            let mark = self.trail.len();
            self.set(word, free.nth(n));
            go_on(self);
            self.undo(mark);
        }
    }

    /// Accepts the values given so far, with any values for the words that are still open.
    fn accept(&mut self) {
        match self.free.iter().find(|word| self.is_open[word.index]) {
            Some(word) if self.rest == Rest::Chosen => self.choose(word.index, &mut |search| search.accept()),
            still_open => {
                self.ends += 1;
                let is_open = still_open.map_or_else(Vec::new, |_| self.is_open.clone());
                self.found.accepted.push(Accepted { words: self.with_first_values(), is_open });
            }
        }
    }

    /// The words, with the first value for those that are open.
    fn with_first_values(&self) -> Vec<i64> {
        let mut words = self.words.clone();
        for free in self.free.iter().filter(|free| self.is_open[free.index]) {
            words[free.index] = free.first();
        }
        words
    }

    /// The values given so far make the evaluation go wrong, whatever those of the other words are.
    fn report(&mut self, no_value: NoValue) {
        self.ends += 1;
        let words = self.with_first_values();
        match (&no_value, &self.found.wrong) {
            (NoValue::Gap(gap), _) => {
                self.found.gap.get_or_insert(*gap);
            }
            (NoValue::Fault(..), Some((first, _))) if in_order(self.free, first, &words).is_le() => {}
            (NoValue::Fault(..), _) => self.found.wrong = Some((words, no_value)),
        }
    }

    fn set(&mut self, word: usize, value: i64) {
        self.words[word] = value;
        self.is_open[word] = false;
        self.trail.push(word);
    }

    /// Gives words the values that an equation leaves them; tells whether they can have them.
    fn assign(&mut self, values: Vec<(usize, i64)>) -> bool {
        values.into_iter().all(|(word, value)| match self.free_at[word] {
            Some(free) if self.is_open[word] => {
                let admitted = self.free[free].admits(value);
                self.set(word, value);
                admitted
            }
            _ => self.words[word] == value,
        })
    }

    fn undo(&mut self, mark: usize) {
        for word in self.trail.drain(mark..) {
            self.is_open[word] = true;
        }
    }

    fn meet<'e>(&self, goal: &Goal<'e>) -> Met<'e> {
        match &goal.formula.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => Met::If([goal.part(b), goal.part(a)].into_iter().collect()),
            ExprKind::Binary(BinaryOp::Implies, a, b) => match self.truth(&goal.part(a)) {
                Met::Holds => Met::If([goal.part(b)].into_iter().collect()),
                Met::Fails => Met::Holds,
                other => other,
            },
            ExprKind::Quantified(Quantifier::Forall, ..) => self.meet_forall(goal),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => match self.truth(goal) {
                Met::Needs(word) => {
                    self.equation(goal, a, b).or_else(|| self.equation(goal, b, a)).unwrap_or(Met::Needs(word))
                }
                other => other,
            },
            ExprKind::Unary(UnaryOp::Not, a) => self.truth_of_place(goal, a, 0),
            ExprKind::ReadAfter(_) | ExprKind::Read(_) | ExprKind::Index(..) => {
                self.truth_of_place(goal, goal.formula, 1)
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Bound(_)
            | ExprKind::Unary(UnaryOp::Neg | UnaryOp::Size | UnaryOp::Ord | UnaryOp::BitNot | UnaryOp::Convert, _)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(Quantifier::Exists | Quantifier::Count, ..) => self.truth(goal),
        }
    }

    /// The next instance of a `forall`, and what remains of it.
    fn meet_forall<'e>(&self, goal: &Goal<'e>) -> Met<'e> {
        let ExprKind::Quantified(_, binder, body) = &goal.formula.kind else { unreachable!("a forall is asked for") };
        let domain = self.instance.domain(&binder.domain);
        let value = goal.next.unwrap_or(*domain.start());
        if value > *domain.end() {
            return Met::Holds;
        }
        let mut instance = goal.part(body);
        instance.bound.push(value);
        let rest = (value < *domain.end()).then(|| Goal { next: Some(value + 1), ..goal.clone() });
        Met::If(rest.into_iter().chain([instance]).collect())
    }

    fn env<'e>(&self, goal: &Goal<'e>) -> Env<'_> {
        self.scene.env(&self.words, &self.is_open).with_bound(&goal.bound)
    }

    fn truth<'e>(&self, goal: &Goal<'e>) -> Met<'e> {
        let mut env = self.env(goal);
        match env.holds(goal.formula) {
            Ok(true) => Met::Holds,
            Ok(false) => Met::Fails,
            Err(no_value) => env.needed().map_or(Met::Wrong(no_value), Met::Needs),
        }
    }

    /// A boolean place has to be true, or false.
    fn truth_of_place<'e>(&self, goal: &Goal<'e>, place: &'e Expr, value: i64) -> Met<'e> {
        match self.truth(goal) {
            Met::Needs(word) => match self.env(goal).locate_open(place) {
                Ok(Some(range)) => Met::Determines(range.map(|word| (word, value)).collect()),
                Ok(None) | Err(_) => Met::Needs(word),
            },
            other => other,
        }
    }

    /// A place with open words has to have this value. Nothing, if the one is no such place or the other is not known.
    fn equation<'e>(&self, goal: &Goal<'e>, place: &'e Expr, value: &'e Expr) -> Option<Met<'e>> {
        let mut env = self.env(goal);
        let range = match env.locate_open(place) {
            Ok(range) => range?,
            Err(no_value) => return env.needed().is_none().then_some(Met::Wrong(no_value)),
        };
        match env.words(value) {
            Ok(words) => Some(Met::Determines(range.zip(words).collect())),
            Err(no_value) => env.needed().is_none().then_some(Met::Wrong(no_value)),
        }
    }
}

impl<'e> Goal<'e> {
    /// A part of the formula, inside the same binders.
    fn part(&self, formula: &'e Expr) -> Goal<'e> {
        Goal { formula, bound: self.bound.clone(), next: None }
    }
}
