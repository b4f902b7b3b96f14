//! Why some threads may go first: what the others do meanwhile can as well be done after it.

use super::read_fact;
use crate::predicate::Predicate;
use crate::{CheckError, refuted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use threadwise_evidence::{ScheduleNode, ScheduleProof};
use threadwise_ir::{Instance, Point, ThreadId};
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session};
use threadwise_symbolic::{End, Footprint, Population, Unsupported, Way, World, by_constants, ways};

/// A thread at a point.
type Place = (ThreadId, Point);

pub(super) struct Exchanges<'a> {
    population: &'a Population,
    proof: &'a ScheduleProof,
    facts: Vec<Predicate>,
    session: &'a mut Session,
    /// Reasons of which has been seen that the others keep to them.
    kept: FxHashSet<u32>,
    /// Who may go before whom: because of this reason, or always.
    exchanged: FxHashSet<(Option<u32>, Place, Place)>,
    /// What the next step of a thread at a point reads and writes.
    footprints: FxHashMap<Place, Rc<Footprint>>,
}

impl<'a> Exchanges<'a> {
    pub(super) fn new(
        population: &'a Population,
        proof: &'a ScheduleProof,
        session: &'a mut Session,
    ) -> Result<Exchanges<'a>, CheckError> {
        let facts =
            proof.reasons.iter().map(|reason| read_fact(population, &reason.formula)).collect::<Result<_, _>>()?;
        let (kept, exchanged, footprints) = Default::default();
        Ok(Exchanges { population, proof, facts, session, kept, exchanged, footprints })
    }

    /// Whether those that are said to go first at a node may do so. That the formula of the reason holds at the node is
    /// looked at elsewhere.
    pub(super) fn may_go_first(&mut self, instance: &Instance, node: &ScheduleNode) -> Result<(), CheckError> {
        let all = (0..instance.threads.len() as u32).map(ThreadId);
        let others: Vec<ThreadId> = all.filter(|thread| !node.first.contains(thread)).collect();
        if others.is_empty() {
            return Ok(());
        }
        let number = node.reason.ok_or_else(|| refuted("it does not say why threads need not go first"))?;
        let reason = &self.proof.reasons[number as usize];
        for thread in others {
            let points = reason.others.iter().find(|(other, _)| *other == thread).map(|(_, points)| points);
            if !points.is_some_and(|points| points.contains(&node.points[thread.index()])) {
                return Err(refuted("a reason for who goes first does not say where the others are"));
            }
        }
        if self.kept.insert(number) {
            self.others_keep_to(number)?;
        }
        for first in &node.first {
            let first = (*first, node.points[first.index()].clone());
            for (other, points) in &reason.others {
                for point in points {
                    self.exchange(number, &first, &(*other, point.clone()))?;
                }
            }
        }
        Ok(())
    }

    /// The others stay at their points, keep the formula true, and do not go wrong.
    fn others_keep_to(&mut self, number: u32) -> Result<(), CheckError> {
        let fact = self.facts[number as usize].clone();
        for (thread, points) in &self.proof.reasons[number as usize].others {
            for point in points {
                let scene = Scene::new(self.population, &[(*thread, point.clone())]);
                let mut bad = Vec::new();
                for way in scene.ways(0, &scene.world)? {
                    let broken = match &way.end {
                        End::Rest(state) if points.contains(&state.point) => {
                            fact.of(&scene.world.after(0, state).leaves()).not()
                        }
                        End::Rest(_) | End::Error => Term::bool(true),
                    };
                    bad.push(way.when.and(broken));
                }
                let given = scene.well_formed.and(fact.of(&scene.world.leaves()));
                if !self.is_impossible(&scene, &given, &bad)? {
                    return Err(refuted("others do not keep to the reason for who goes first"));
                }
            }
        }
        Ok(())
    }

    /// Whatever the other does before the first one moves could come after it.
    fn exchange(&mut self, number: u32, first: &Place, other: &Place) -> Result<(), CheckError> {
        let places = |reason: Option<u32>| (reason, first.clone(), other.clone());
        if first.0 == other.0
            || self.exchanged.contains(&places(None))
            || self.exchanged.contains(&places(Some(number)))
        {
            return Ok(());
        }
        if self.footprint(first)?.is_apart_from(&*self.footprint(other)?) {
            self.exchanged.insert(places(None));
            return Ok(());
        }
        let scene = Scene::new(self.population, &[first.clone(), other.clone()]);
        let bad = scene.exchanges()?;
        if self.is_impossible(&scene, &scene.well_formed, &bad)? {
            self.exchanged.insert(places(None));
            return Ok(());
        }
        let given = scene.well_formed.and(self.facts[number as usize].of(&scene.world.leaves()));
        if self.is_impossible(&scene, &given, &bad)? {
            self.exchanged.insert(places(Some(number)));
            return Ok(());
        }
        let name = |place: &Place| self.population.thread_name(i64::from(place.0.0) + 1);
        Err(refuted(format!("a step of {} cannot always come before one of {}", name(first), name(other))))
    }

    fn footprint(&mut self, place: &Place) -> Result<Rc<Footprint>, CheckError> {
        if let Some(known) = self.footprints.get(place) {
            return Ok(known.clone());
        }
        let scene = Scene::new(self.population, std::slice::from_ref(place));
        let footprint = Rc::new(Footprint::of(&scene.world, &scene.ways(0, &scene.world)?));
        self.footprints.insert(place.clone(), footprint.clone());
        Ok(footprint)
    }

    fn is_impossible(&mut self, scene: &Scene<'_>, given: &Term, bad: &[Term]) -> Result<bool, CheckError> {
        let any = Term::any(bad);
        if any.is_false() {
            return Ok(true);
        }
        self.session.push();
        self.session.declare_all(&scene.constants);
        let mut chosen = Vec::new();
        any.for_each_leaf(&mut |leaf| {
            if leaf.name().is_some() && !scene.constants.contains(leaf) && !chosen.contains(leaf) {
                chosen.push(leaf.clone());
            }
        });
        self.session.declare_all(&chosen);
        self.session.assert(given);
        self.session.assert(&any);
        let answer = self.session.check()?;
        self.session.pop();
        match answer {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(why) => Err(CheckError::Undecided(format!("the solver does not know ({why})"))),
        }
    }
}

/// Some threads in any state.
struct Scene<'a> {
    population: &'a Population,
    threads: Vec<ThreadId>,
    world: World,
    well_formed: Term,
    constants: Vec<Term>,
}

impl<'a> Scene<'a> {
    fn new(population: &'a Population, places: &[Place]) -> Scene<'a> {
        let points: Vec<Point> = places.iter().map(|(_, point)| point.clone()).collect();
        let (world, well_formed, constants) = World::named(population, &points);
        Scene { population, threads: places.iter().map(|(thread, _)| *thread).collect(), world, well_formed, constants }
    }

    /// The ways of the next step of one of them. Its choices have the same names wherever it is taken.
    fn ways(&self, who: usize, world: &World) -> Result<Vec<Way>, Unsupported> {
        let me = Term::int(i64::from(self.threads[who].0) + 1);
        let mut choose = by_constants(self.population, format!("c{who}"));
        ways(self.population, &me, world.thread(who), &mut choose)
    }

    /// When a step of the second thread and then one of the first is possible, but not the other way round with the same
    /// outcome.
    fn exchanges(&self) -> Result<Vec<Term>, Unsupported> {
        let (first, other) = (0, 1);
        let at_once = self.ways(first, &self.world)?;
        let wrong_at_once = at_once.iter().filter(|way| matches!(way.end, End::Error)).map(|way| &way.when);
        let wrong_at_once = Term::any(wrong_at_once);
        let mut bad = Vec::new();
        for before in self.ways(other, &self.world)? {
            // That others go wrong is excluded elsewhere.
            let End::Rest(state) = &before.end else { continue };
            let between = self.world.after(other, state);
            for late in self.ways(first, &between)? {
                let good = match &late.end {
                    End::Error => wrong_at_once.clone(),
                    End::Rest(state) => self.other_way_round(&at_once, &late, &before, &between.after(first, state))?,
                };
                let happens = before.when.and(&late.when);
                // What is the same both ways need not be asked.
                let left = good.conjuncts().iter().filter(|part| !happens.conjuncts().contains(part));
                bad.push(happens.and(Term::all(left).not()));
            }
        }
        Ok(bad)
    }

    /// That the first thread's step and then the other's, along the same edges, are possible and lead to the same world.
    fn other_way_round(&self, at_once: &[Way], late: &Way, before: &Way, end: &World) -> Result<Term, Unsupported> {
        let along = |ways: &[Way], path: &Way| {
            let found = ways.iter().find(|way| way.path == path.path && matches!(way.end, End::Rest(_)));
            found.cloned()
        };
        let Some((soon, End::Rest(state))) = along(at_once, late).map(|way| (way.clone(), way.end)) else {
            return Ok(Term::bool(false));
        };
        let between = self.world.after(0, &state);
        let after = self.ways(1, &between)?;
        let Some((then, End::Rest(state))) = along(&after, before).map(|way| (way.clone(), way.end)) else {
            return Ok(Term::bool(false));
        };
        Ok(Term::all([&soon.when, &then.when, &between.after(1, &state).same(end)]))
    }
}
