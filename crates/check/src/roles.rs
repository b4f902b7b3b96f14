//! Whether a product has a state that violates a property, without going through its states.
//!
//! An alternative of the violating condition ([`crate::clauses`]) is met if its roles can be cast: each
//! with a different thread that has, in its component, a local state of which the role's literals hold.
//! As the components of a product are independent of each other, so are the roles. A role that many
//! threads could play is no problem: as many candidates as there are roles are enough, for then there
//! is always one left for it.

use crate::CheckError;
use crate::block::{Actor, Block, Roster};
use crate::clauses::{Alternative, Literal, Role, alternatives};
use crate::desk::Desk;
use crate::sets::Sets;
use rustc_hash::FxHashMap;
use threadwise_evidence::show_local;
use threadwise_ir::{Env, Expr, Instance, Locals, NoValue};

/// A property that can be decided by casting roles.
pub(crate) struct Casting<'a> {
    alternatives: Vec<Alternative<'a>>,
    /// For a role at a shared store, and a thread and its set: a local state that fits.
    known: FxHashMap<Question, Option<u32>>,
}

/// The alternative, values, way and role in one number; the shared store; the thread; the set.
type Question = (u64, u32, usize, u32);

/// A candidate for a role, and the local state with which it can play it.
type Candidate = (Actor, u32);

/// What is known of a property in a product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    Holds,
    /// This state violates it.
    Violated(String),
    CannotTell,
}

/// Where a role is looked for.
pub(crate) struct Stage<'s> {
    pub(crate) roster: &'s Roster,
    pub(crate) sets: &'s Sets,
    pub(crate) shared: u32,
    pub(crate) block: &'s Block,
}

impl<'a> Casting<'a> {
    /// `None` if the property is not of the kind.
    pub(crate) fn new(instance: &Instance, formula: &'a Expr, must_be: bool) -> Option<Casting<'a>> {
        Some(Casting { alternatives: alternatives(instance, formula, must_be)?, known: FxHashMap::default() })
    }

    /// Says what violates the property, if something does. Where a literal has no value, it cannot tell.
    pub(crate) fn violation(&mut self, desk: &mut Desk<'_>, stage: &Stage<'_>) -> Result<Finding, CheckError> {
        for (index, alternative) in self.alternatives.iter().enumerate() {
            for (number, values) in alternative.values.iter().enumerate() {
                desk.ask_budget()?;
                let question = ((index as u64) << 16 | number as u64) << 16;
                let mut search = Search { desk, stage, alternative, values, known: &mut self.known };
                match search.cast_some_way(question) {
                    Ok(None) => {}
                    Ok(Some(cast)) => return Ok(Finding::Violated(shown(desk, stage, &cast))),
                    Err(_) => return Ok(Finding::CannotTell),
                }
            }
        }
        Ok(Finding::Holds)
    }
}

struct Search<'s, 'a> {
    desk: &'s Desk<'s>,
    stage: &'s Stage<'s>,
    alternative: &'s Alternative<'a>,
    values: &'s [i64],
    known: &'s mut FxHashMap<Question, Option<u32>>,
}

impl Search<'_, '_> {
    /// A different thread for each role of one of the ways.
    fn cast_some_way(&mut self, question: u64) -> Result<Option<Vec<Candidate>>, NoValue> {
        if !plain_literals_hold(self.desk, self.stage.shared, self.alternative, self.values)? {
            return Ok(None);
        }
        for (at, way) in self.alternative.ways.iter().enumerate() {
            if let Some(cast) = self.cast(way, question | (at as u64) << 8)? {
                return Ok(Some(cast));
            }
        }
        Ok(None)
    }

    /// A different thread for each role.
    fn cast(&mut self, way: &[Role], question: u64) -> Result<Option<Vec<Candidate>>, NoValue> {
        let mut candidates = Vec::new();
        for (index, role) in way.iter().enumerate() {
            let found = self.candidates(role, way.len(), question | index as u64)?;
            if found.is_empty() {
                return Ok(None);
            }
            candidates.push(found);
        }
        Ok(chosen(&candidates, &mut Vec::new()))
    }

    /// Threads that can play the role; as many as there are, or at least so many.
    fn candidates(&mut self, role: &Role, enough: usize, question: u64) -> Result<Vec<Candidate>, NoValue> {
        let mut candidates = Vec::new();
        let mut found = 0;
        for actor in self.stage.roster.actors(self.stage.block) {
            let is_copy = self.desk.instance.threads[actor.thread].template == role.template;
            if is_copy && let Some(local) = self.fitting(role, question, &actor)? {
                candidates.push((actor, local));
                found += actor.count as usize;
                if found >= enough {
                    return Ok(candidates);
                }
            }
        }
        Ok(candidates)
    }

    /// A local state in the set with which the thread can play the role.
    fn fitting(&mut self, role: &Role, question: u64, actor: &Actor) -> Result<Option<u32>, NoValue> {
        let key = (question, self.stage.shared, actor.like, actor.set);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let mut fitting = None;
        for &local in self.stage.sets.elements(actor.set).iter() {
            if self.fits(role, actor.like, local)? {
                fitting = Some(local);
                break;
            }
        }
        self.known.insert(key, fitting);
        Ok(fitting)
    }

    fn fits(&self, role: &Role, thread: usize, local: u32) -> Result<bool, NoValue> {
        let locals = Only { thread, words: self.desk.locals.words(local) };
        let mut values = self.values.to_vec();
        role.variables.iter().for_each(|&variable| values[variable] = thread as i64 + 1);
        for &at in &role.literals {
            if !holds(self.desk, self.stage.shared, &locals, &self.alternative.literals[at], &values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn plain_literals_hold(
    desk: &Desk<'_>,
    shared: u32,
    alternative: &Alternative<'_>,
    values: &[i64],
) -> Result<bool, NoValue> {
    let nobody = Only { thread: usize::MAX, words: &[] };
    for &at in &alternative.plain {
        if !holds(desk, shared, &nobody, &alternative.literals[at], values)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn holds(
    desk: &Desk<'_>,
    shared: u32,
    locals: &Only<'_>,
    literal: &Literal<'_>,
    values: &[i64],
) -> Result<bool, NoValue> {
    let bound: Vec<i64> = literal.scope.iter().map(|&variable| values[variable]).collect();
    let mut env = Env::of_state(desk.instance, desk.stores.words(shared), locals).with_bound(&bound);
    Ok(env.holds(literal.formula)? == literal.must_be)
}

/// The one thread that a literal looks at.
struct Only<'a> {
    thread: usize,
    words: &'a [i64],
}

impl Locals for Only<'_> {
    fn local(&self, thread: usize) -> &[i64] {
        assert_eq!(thread, self.thread, "a literal looks at its own thread only");
        self.words
    }
}

/// One candidate for each role, none more often than there are such threads.
fn chosen(roles: &[Vec<Candidate>], earlier: &mut Vec<Candidate>) -> Option<Vec<Candidate>> {
    let Some(role) = roles.get(earlier.len()) else { return Some(earlier.clone()) };
    for &candidate in role {
        let actor = candidate.0;
        let taken = earlier.iter().filter(|(other, _)| other.thread == actor.thread).count();
        if taken < actor.count as usize {
            earlier.push(candidate);
            if let Some(all) = chosen(roles, earlier) {
                return Some(all);
            }
            earlier.pop();
        }
    }
    None
}

/// `x = 1; W[1] at 3:5; W[2] at 3:5`
fn shown(desk: &Desk<'_>, stage: &Stage<'_>, cast: &[Candidate]) -> String {
    let mut parts = vec![threadwise_evidence::show_shared(desk.instance, desk.stores.words(stage.shared))];
    for (at, &(actor, local)) in cast.iter().enumerate() {
        let earlier = cast[..at].iter().filter(|(other, _)| other.thread == actor.thread).count();
        let name = desk.name(actor.thread + earlier);
        parts.push(format!("{name} {}", show_local(desk.instance, desk.locals.words(local))));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::properties::{Candidates, Properties};
    use std::sync::Arc;
    use threadwise_front_tw::{Options, load};
    use threadwise_ir::{Program, TemplateId};
    use threadwise_limits::Budget;
    use threadwise_source::SourceFile;

    const PROGRAM: &str = "shared x: 0..2; shared f: [0..2]bool;
        thread W[3] { var v: 0..2; a: v = x; b: x = v; c: skip; }
        thread P { var u: 0..2; a: u = x; b: skip; }
        thread Q { a: skip; b: skip; }\n";

    /// Properties that can be decided by casting roles; those after them cannot.
    const BY_ROLES: [&str; 19] = [
        "never exists i: W, j: W :: i != j && i@b && j@b;",
        "never exists i: W, j: W, k: W :: i != j && j != k && i@a && j@b && k@c;",
        "never exists i: W, j: W :: i@a && j@c && j.v == 1;",
        "invariant forall i: W, j: W :: i@b && j@b ==> i == j;",
        "invariant forall i: W :: i@b ==> x == 1 || i.v == x;",
        "never P@b && Q@b;",
        "never P@b && (exists i: W :: i@c) && (Q@a || (exists j: W :: j@a && j.v > 0));",
        "never exists i: W, k: 0..2 :: i.v == k && f[k] && P.u == k;",
        "never (exists i: W :: true) && x == 0;",
        "invariant !(P@a && P.u == 2) || !(exists i: W :: !i@a);",
        "never exists i: W, j: W :: i == j && i@a && j.v == 2;",
        "never exists i: W, j: W :: i@a && j@b && !(i@b);",
        "invariant x != 2;",
        "never exists i: W :: (i@a ? i.v == 0 : i.v == x + 1);",
        "invariant count(i: W :: i@b) <= 1;",
        "never count(i: W :: i@b && i.v == x) >= 2 && P@a;",
        "invariant P@a ==> count(i: W :: i@a || i.v == 1) < 3;",
        "never exists k: 0..2 :: count(i: W :: i.v == k) > 1 && f[k];",
        "invariant count(i: W :: i@c && P@b) == 0;",
    ];
    const OTHERS: [&str; 5] = [
        "never exists i: W, j: W :: i != j && i.v == j.v;",
        "invariant count(i: W :: i@b) == 1;",
        "invariant count(i: W :: i@b) >= 1;",
        "never forall i: W :: i@c;",
        "never exists i: W :: i@b && i.v / x == 1;",
    ];

    fn program(properties: &str) -> Arc<Program> {
        let loaded = load(SourceFile::new("test.tw", format!("{PROGRAM}{properties}")), &Options::default());
        Arc::new(loaded.program.unwrap_or_else(|| panic!("{properties} {:?}", loaded.diagnostics)))
    }

    #[test]
    fn which_properties_are_decided_by_casting_roles() {
        for (texts, expected) in [(&BY_ROLES[..], true), (&OTHERS[..], false)] {
            for text in texts {
                let program = program(text);
                let instance = Instance::new(program.clone(), 0);
                let (formula, must_be) = Properties::new(&program).formulas().next().expect("one");
                assert_eq!(Casting::new(&instance, formula, must_be).is_some(), expected, "{text}");
            }
        }
    }

    #[test]
    fn casting_roles_finds_what_trying_all_finds() {
        let program = program(&BY_ROLES.join("\n"));
        let instance = Instance::new(program.clone(), 0);
        let (properties, budget) = (Properties::new(&program), Budget::unlimited());
        let mut desk = Desk::new(&instance, false, &budget);
        let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut roll = move |sides: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % sides
        };
        let castings = properties.formulas().map(|(formula, must_be)| Casting::new(&instance, formula, must_be));
        let mut castings: Vec<Casting<'_>> = castings.map(|casting| casting.expect("by roles")).collect();
        let (mut violated, mut held) = (vec![0; castings.len()], vec![0; castings.len()]);
        let entry = |thread: usize| program.template(instance.threads[thread].template).body;
        let locations = |thread: usize| {
            let own = program.locations.iter().enumerate().filter(move |(_, l)| l.routine == entry(thread));
            own.filter(|(_, l)| !l.labels.is_empty()).map(|(index, _)| index as i64).collect::<Vec<_>>()
        };
        for _ in 0..400 {
            let shared = desk.stores.number(&[roll(3) as i64, roll(2) as i64, roll(2) as i64, roll(2) as i64]);
            let mut components = Vec::new();
            let mut sets = Sets::default();
            for thread in 0..instance.threads.len() {
                let locations = locations(thread);
                let mut elements = Vec::new();
                for _ in 0..1 + roll(2) {
                    let location = locations[roll(locations.len() as u64) as usize];
                    let local = if thread < 4 { vec![roll(3) as i64, location] } else { vec![location] };
                    elements.push(desk.locals.number(&local));
                }
                components.push(sets.number(elements));
            }
            let crowd = [TemplateId(0)];
            for symmetric in [&[][..], &crowd] {
                let roster = Roster::new(&instance, symmetric);
                let block = Block::of(&components);
                let mut candidates = Candidates::new(shared, vec![false; components.len()]);
                for &set in &components {
                    candidates.add_thread(sets.elements(set).iter().copied(), threadwise_ir::Observations::default());
                }
                for (index, casting) in castings.iter_mut().enumerate() {
                    // Sets have other numbers each time.
                    casting.known.clear();
                    let stage = Stage { roster: &roster, sets: &sets, shared, block: &block };
                    let found = casting.violation(&mut desk, &stage).expect("no limit");
                    let expected = properties.formula_holds(&mut desk, index, &candidates);
                    assert_ne!(found, Finding::CannotTell);
                    let holds = found == Finding::Holds;
                    assert_eq!(holds, expected.is_ok(), "{}: {found:?} {expected:?}", BY_ROLES[index]);
                    *(if holds { &mut held[index] } else { &mut violated[index] }) += 1;
                }
            }
        }
        assert!(violated.iter().chain(&held).all(|&count| count > 10), "{violated:?} {held:?}");
    }
}
