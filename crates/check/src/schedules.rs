//! Judges proofs by schedules that stand for all executions.
//!
//! The proof is a graph. Its nodes say where all threads are, who goes first from there, and where their steps lead; some
//! of the nodes, the cuts, say what holds. The judge believes it if all of this holds:
//!
//! 1. The program has no properties but what can go wrong in a step, so that it matters only whether a step can go wrong.
//! 2. Initial values are not in error, no thread goes wrong at its start, and from there executions are at a start node.
//! 3. Without the cuts the graph has no cycles. Followed from the start, and from each cut where what is said of it holds: no
//!    step of those who go first goes wrong, each leads to the node that is listed for it, or is impossible, and what is said of a
//!    cut holds when it is reached.
//! 4. At each node all threads are among the first; or there is a reason: a formula over the shared variables that holds at the
//!    node, and for each other thread points, where it is now. As long as the first ones do not move, the others
//!    stay at these points, keep the formula true, and cannot go wrong. And where one of them takes a step and then one of the
//!    first takes its next step, the latter could have come before it: with the same choices both are possible the other way
//!    round, and lead to the same state; and if it goes wrong, it would have gone wrong before, too.
//!
//! Then no execution goes wrong. Suppose that one does, from a state at a node, and take the shortest. If no thread that goes first
//! moves in it, it is one of the others alone, which cannot go wrong (4). So one of the first moves; its
//! first step can be exchanged with the one before it, and again, until it is the first of all (4). The node's
//! list has it (3): it does not go wrong itself, and from the node that it leads to, a shorter execution goes
//! wrong. That cannot be, since it was the shortest one from any state at any node.

mod follow;
mod precedence;

use crate::predicate::Predicate;
use crate::questions::{must_be_impossible, start};
use crate::{CheckError, refuted};
use precedence::Exchanges;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Duration;
use threadwise_evidence::{ScheduleNode, ScheduleProof};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Session, Settings};
use threadwise_symbolic::{End, Parameters, Population, World, by_constants, initial_store, named_shared, starts};

/// The most time that a question may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Checks the four points; returns how many nodes there are.
pub(crate) fn check(program: &Arc<Program>, proof: &ScheduleProof, budget: &Budget) -> Result<u64, CheckError> {
    if !program.properties.is_empty() {
        return Err(refuted("schedules stand for others only where nothing but a step can go wrong"));
    }
    let instance = Instance::new(program.clone(), 0);
    proof.validate(&instance).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let population = Population::fixed(&instance);
    let cuts = proof.nodes.iter().map(|node| read_cut(&population, node)).collect::<Result<_, _>>()?;
    let order = follow::order(proof)?;
    let mut session = start(Settings { timeout: PATIENCE, ..Settings::default() }, budget)?;
    let mut judge = Judge { instance: &instance, population: &population, proof, cuts, order, session: &mut session };
    judge.starts_are_good()?;
    for node in 0..proof.nodes.len() {
        budget.check()?;
        budget.report(|| format!("checking the proof: node {node} of {}", proof.nodes.len()));
        judge.cut_is_good(node)?;
    }
    let mut exchanges = Exchanges::new(&population, proof, judge.session)?;
    for node in &proof.nodes {
        budget.check()?;
        exchanges.may_go_first(&instance, node)?;
    }
    Ok(proof.nodes.len() as u64)
}

fn read_cut(population: &Population, node: &ScheduleNode) -> Result<Option<Predicate>, CheckError> {
    let shared = Parameters::default().with_shared(population);
    let parameters = node.points.iter().fold(shared, |all, point| all.with_locals(population, point));
    let read = |formula: &String| Predicate::parse(&parameters, formula, true).map_err(refuted);
    node.formula.as_ref().map(read).transpose()
}

/// What holds of the shared variables.
fn read_fact(population: &Population, formula: &str) -> Result<Predicate, CheckError> {
    Predicate::parse(&Parameters::default().with_shared(population), formula, false).map_err(refuted)
}

struct Judge<'a> {
    instance: &'a Instance,
    population: &'a Population,
    proof: &'a ScheduleProof,
    /// What is said of each node, if it is a cut.
    cuts: Vec<Option<Predicate>>,
    /// For each node its place in an order in which steps lead forward, but for those to cuts.
    order: Vec<usize>,
    session: &'a mut Session,
}

impl Judge<'_> {
    fn starts_are_good(&mut self) -> Result<(), CheckError> {
        self.session.push();
        let named = named_shared(self.population, "x");
        self.session.declare_all(&named.constants);
        let initial = initial_store(self.population, &named.values)?;
        let mut bad = vec![(initial.goes_wrong(), "initial values are in error".to_string())];
        let mut declared = FxHashSet::default();
        let mut worlds = vec![(initial.so_far.clone(), World { shared: named.values.clone(), threads: Vec::new() })];
        for (number, thread) in self.instance.threads.iter().enumerate() {
            let me = Term::int(number as i64 + 1);
            let mut choose = by_constants(self.population, format!("start.{number}"));
            let ways = starts(self.population, &me, thread.template, &named.values, &mut choose)?;
            let new: Vec<Term> =
                ways.iter().flat_map(|way| way.chosen()).filter(|term| declared.insert(term.clone())).collect();
            self.session.declare_all(&new);
            let mut longer = Vec::new();
            for way in ways {
                match way.end {
                    End::Error => bad.push((initial.so_far.and(&way.when), "a thread goes wrong at its start".into())),
                    End::Rest(state) => {
                        let joined = |(when, world): &(Term, World)| (when.and(&way.when), world.joined_by(&state));
                        longer.extend(worlds.iter().map(joined));
                    }
                }
            }
            worlds = longer;
        }
        let mut arrivals = Vec::new();
        for (when, world) in worlds {
            let is_there = |node: &&u32| self.proof.nodes[**node as usize].points == world.points();
            match self.proof.starts.iter().find(is_there) {
                Some(&node) => arrivals.push((node as usize, when, world)),
                None => bad.push((when, "threads start where there is no node".to_string())),
            }
        }
        self.follow(arrivals, bad)?;
        self.session.pop();
        Ok(())
    }

    fn cut_is_good(&mut self, node: usize) -> Result<(), CheckError> {
        let Some(cut) = &self.cuts[node] else { return Ok(()) };
        self.session.push();
        let (world, well_formed, constants) = World::named(self.population, &self.proof.nodes[node].points);
        let when = well_formed.and(cut.of(&world.leaves()));
        self.session.declare_all(&constants);
        self.session.assert(&when);
        self.leave(node, world)?;
        self.session.pop();
        Ok(())
    }

    /// None of it can happen.
    fn all_are_impossible(&mut self, bad: &[(Term, String)]) -> Result<(), CheckError> {
        let any = Term::any(bad.iter().map(|(term, _)| term));
        if any.is_false() {
            return Ok(());
        }
        let terms: Vec<Term> = bad.iter().map(|(term, _)| term.clone()).collect();
        self.session.push();
        self.session.assert(&any);
        match must_be_impossible(self.session, String::new) {
            Err(CheckError::Refuted(_)) => {
                let values = self.session.values(&terms).unwrap_or_default();
                let first = values.iter().zip(bad).find(|(value, _)| value.scalar() == Some(1));
                let what = first.map_or("something", |(_, (_, what))| what);
                return Err(refuted(format!("it does not exclude that {what}")));
            }
            answer => answer?,
        }
        self.session.pop();
        Ok(())
    }
}
