//! That no pattern is met: whoever shows its signs cannot be there at the same time.

use super::discipline::keys_of;
use super::text::key;
use super::{Judge, Place};
use crate::{CheckError, refuted};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::{Element, Fact, Key};
use threadwise_ir::{
    Edge, Expr, ExprKind, Op, Pattern, PropertyId, Region, SharedId, Sign, TemplateId, Update, VarRef,
};
use threadwise_limits::Budget;

/// A thread that may show a sign: what holds where the step began, and where it shows it; and of which elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Show {
    thread: TemplateId,
    since: u32,
    at: u32,
    /// The step begins where it is shown.
    at_once: bool,
    /// The first keys, as far as they can be told.
    keys: Vec<Key>,
}

/// For each sign of each pattern who shows it.
pub(super) struct Shown {
    by_sign: BTreeMap<(PropertyId, usize), BTreeMap<Show, u32>>,
    /// The patterns that ask about a variable.
    patterns: BTreeMap<SharedId, BTreeSet<PropertyId>>,
}

impl Shown {
    pub(super) fn new(judge: &Judge<'_>) -> Result<Shown, CheckError> {
        if judge.program.formulas().next().is_some() {
            return Err(refuted("locks say nothing about the values that an `invariant` or a `never` speaks of"));
        }
        let mut patterns: BTreeMap<SharedId, BTreeSet<PropertyId>> = BTreeMap::new();
        for (id, pattern) in judge.program.patterns() {
            for var in pattern.signs().iter().flat_map(|sign| &region(sign).vars) {
                patterns.entry(*var).or_default().insert(id);
            }
        }
        Ok(Shown { by_sign: BTreeMap::new(), patterns })
    }

    /// Notes what an edge shows that is taken there.
    pub(super) fn note(&mut self, judge: &Judge<'_>, place: &Place<'_>, number: u32, edge: &Edge) {
        for (id, sign, which) in self.asked(judge, edge) {
            if sign.is_shown_by(edge) {
                for keys in keys_shown(sign, edge) {
                    self.add(id, which, place, keys, number);
                }
            }
        }
    }

    /// Notes what a return shows that stores the result of a call.
    pub(super) fn note_result(&mut self, judge: &Judge<'_>, place: &Place<'_>, number: u32, call: &Edge) {
        for (id, sign, which) in self.asked(judge, call) {
            if sign.is_shown_by_result(call) {
                self.add(id, which, place, Vec::new(), number);
            }
        }
    }

    fn add(&mut self, id: PropertyId, sign: usize, place: &Place<'_>, keys: Vec<Key>, edge: u32) {
        let shows = self.by_sign.entry((id, sign)).or_default();
        let Place { thread, since, at, at_once, .. } = *place;
        shows.entry(Show { thread, since, at, at_once, keys }).or_insert(edge);
    }

    /// The signs that an edge might show.
    fn asked<'p>(&self, judge: &Judge<'p>, edge: &Edge) -> Vec<(PropertyId, &'p Sign, usize)> {
        let mut ids = BTreeSet::new();
        let mut mention = |var: VarRef| {
            if let VarRef::Shared(var) = var {
                ids.extend(self.patterns.get(&var).into_iter().flatten().copied());
            }
        };
        edge.op.walk_expressions(&mut |e| {
            if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = e.kind {
                mention(var);
            }
        });
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments.iter().for_each(|(place, _)| mention(place.var)),
                Update::Action { frame, .. } => frame.iter().for_each(|&var| mention(var)),
            },
            Op::Call { result, .. } => result.iter().for_each(|place| mention(place.var)),
            Op::Return(_) => {}
        }
        let program = judge.program;
        let pattern = |id: PropertyId| program.property(id).pattern().expect("patterns are what was asked for");
        let signs = |id| pattern(id).signs().iter().enumerate().map(move |(which, sign)| (id, sign, which));
        ids.into_iter().flat_map(signs).collect()
    }

    /// For some two signs of each pattern, nobody can show the one while somebody else shows the other.
    pub(super) fn none_is_met(&self, judge: &Judge<'_>, budget: &Budget) -> Result<(), CheckError> {
        for (id, pattern) in judge.program.patterns() {
            budget.check()?;
            self.is_not_met(judge, id, pattern)?;
        }
        Ok(())
    }

    fn is_not_met(&self, judge: &Judge<'_>, id: PropertyId, pattern: &Pattern) -> Result<(), CheckError> {
        if pattern.is_of_all_threads() {
            return Err(refuted("locks say nothing about what all threads do together"));
        }
        let count = pattern.signs().len();
        if (0..count).any(|sign| self.shows(id, sign).next().is_none()) {
            return Ok(());
        }
        let mut first = None;
        for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
            match self.meeting(judge, id, [&pattern.signs()[a], &pattern.signs()[b]], (a, b)) {
                None => return Ok(()),
                Some(meeting) => first = first.or(Some(meeting)),
            }
        }
        let name = judge.program.property(id).wording.name().unwrap_or("a pattern").to_string();
        let place = |edge: u32| judge.program.source.locate(judge.program.edges[edge as usize].span).to_string();
        Err(refuted(match first {
            Some((a, b)) => format!("`{name}` may race: {} and {} are not kept apart", place(a), place(b)),
            None => format!("`{name}` may be met by one thread"),
        }))
    }

    fn shows(&self, id: PropertyId, sign: usize) -> impl Iterator<Item = (&Show, u32)> + Clone {
        let shows = self.by_sign.get(&(id, sign)).into_iter().flatten();
        shows.map(|(show, edge)| (show, *edge))
    }

    /// Two edges with which different threads may show two signs of the same element at the same time.
    fn meeting(
        &self,
        judge: &Judge<'_>,
        id: PropertyId,
        signs: [&Sign; 2],
        (a, b): (usize, usize),
    ) -> Option<(u32, u32)> {
        // Elements are told apart where both signs are about the same variables.
        let [one_region, other_region] = signs.map(region);
        let var = one_region.vars.first().copied().filter(|_| one_region.vars == other_region.vars);
        for (one, edge) in self.shows(id, a) {
            for (other, of_other) in self.shows(id, b) {
                let differ = one.keys.iter().zip(&other.keys).any(|(x, y)| differ_between(*x, *y));
                let together = judge.may_both_be(one.thread, other.thread)
                    && !judge.exclude(one.at, one.thread, other.since, other.thread)
                    && !judge.exclude(one.since, one.thread, other.at, other.thread);
                let by_element = |var| differ || lock_elements(judge, var, one, other);
                if together && !var.is_some_and(by_element) {
                    return Some((edge, of_other));
                }
            }
        }
        None
    }
}

/// Whether each of the two has the lock that belongs to the element which it accesses: then these are different elements.
/// One of them shows it where its step begins, so that the other one, however far it is in its own, finds it there.
fn lock_elements(judge: &Judge<'_>, var: SharedId, one: &Show, other: &Show) -> bool {
    let of_var = keys_of(judge.program, var).0;
    let keys = one.keys.iter().zip(&other.keys).zip(of_var);
    (one.at_once || other.at_once)
        && keys.into_iter().any(|((own, of_other), sort)| {
            judge.proof.locks.iter().any(|lock| {
                let holds = |set: u32, key: Key| {
                    let element = Element { var: VarRef::Shared(lock.owner), keys: vec![key] };
                    judge.set(set).binary_search(&Fact::Holds(element)).is_ok()
                };
                keys_of(judge.program, lock.owner).0 == [sort] && holds(one.at, *own) && holds(other.at, *of_other)
            })
        })
}

/// What a sign is about. A new kind of sign has to be considered here.
fn region(sign: &Sign) -> &Region {
    match sign {
        Sign::Accesses(region) | Sign::Writes(region) => region,
    }
}

/// The keys of what an edge accesses, each list as far as it can be told; without any where it may be the whole.
fn keys_shown(sign: &Sign, edge: &Edge) -> Vec<Vec<Key>> {
    let (region, writes_only) = match sign {
        Sign::Accesses(region) => (region, false),
        Sign::Writes(region) => (region, true),
    };
    let Op::Command(command) = &edge.op else { return vec![Vec::new()] };
    if region.depth == 0 {
        return vec![Vec::new()];
    }
    let told = |keys: Vec<&Expr>| keys.into_iter().map_while(key).collect();
    region.parts_of(command, writes_only).into_iter().map(told).collect()
}

/// Whether keys of different threads surely differ.
pub(super) fn differ_between(a: Key, b: Key) -> bool {
    match (a, b) {
        (Key::Number(a), Key::Number(b)) => a != b,
        (Key::Thread(a), Key::Thread(b)) => a != b,
        (Key::Me, Key::Me) => true,
        _ => false,
    }
}
