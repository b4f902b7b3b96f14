//! Follows the graph of a proof from a cut, or from the start, up to the next cuts. Where several ways lead to a node, they become one:
//! what differs gets new names, of which it is said that one of the ways gave them.

use super::{Judge, read_fact};
use crate::{CheckError, refuted};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use threadwise_evidence::{ScheduleNode, ScheduleProof};
use threadwise_logic::{SmtSort, Term};
use threadwise_symbolic::{End, World, by_constants, ways};

/// Terms with more nodes than this get names.
const LARGE: usize = 12;

/// For each node its place in an order in which all moves lead forward but for those to cuts.
pub(super) fn order(proof: &ScheduleProof) -> Result<Vec<usize>, CheckError> {
    let count = proof.nodes.len();
    let forward = |node: usize| {
        let to = proof.nodes[node].moves.iter().map(|step| step.to as usize);
        to.filter(|&to| proof.nodes[to].formula.is_none()).collect::<FxHashSet<usize>>()
    };
    let mut before = vec![0usize; count];
    (0..count).flat_map(forward).for_each(|to| before[to] += 1);
    let mut ready: Vec<usize> = (0..count).filter(|&node| before[node] == 0).collect();
    let (mut order, mut next) = (vec![0; count], 0);
    while let Some(node) = ready.pop() {
        order[node] = next;
        next += 1;
        for to in forward(node) {
            before[to] -= 1;
            if before[to] == 0 {
                ready.push(to);
            }
        }
    }
    if next == count { Ok(order) } else { Err(refuted("there is a cycle of which nothing is said")) }
}

/// What can happen that must not, with words for it.
pub(super) type Bad = Vec<(Term, String)>;

type Arrivals = BTreeMap<(usize, usize), Vec<(Term, World)>>;

impl Judge<'_> {
    /// Follows the graph from these nodes.
    pub(super) fn follow(&mut self, from: Vec<(usize, Term, World)>, mut bad: Bad) -> Result<(), CheckError> {
        let mut arrivals = Arrivals::new();
        from.into_iter().for_each(|(node, when, world)| self.arrive(node, when, world, &mut arrivals, &mut bad));
        self.run(arrivals, bad)
    }

    /// Follows it from a cut.
    pub(super) fn leave(&mut self, node: usize, world: World) -> Result<(), CheckError> {
        let (mut arrivals, mut bad) = (Arrivals::new(), Bad::new());
        self.steps(node, &Term::bool(true), &world, &mut arrivals, &mut bad)?;
        self.run(arrivals, bad)
    }

    fn run(&mut self, mut arrivals: Arrivals, mut bad: Bad) -> Result<(), CheckError> {
        while let Some(((_, node), all)) = arrivals.pop_first() {
            let (when, world) = self.joined(node, all);
            self.steps(node, &when, &world, &mut arrivals, &mut bad)?;
        }
        self.all_are_impossible(&bad)
    }

    fn arrive(&mut self, node: usize, when: Term, world: World, arrivals: &mut Arrivals, bad: &mut Bad) {
        match &self.cuts[node] {
            Some(cut) => {
                let broken = when.and(cut.of(&world.leaves()).not());
                bad.push((broken, format!("what is said of node {node} does not hold there")));
            }
            None => arrivals.entry((self.order[node], node)).or_default().push((when, world)),
        }
    }

    /// One state for all ways that lead to a node.
    fn joined(&mut self, node: usize, mut all: Vec<(Term, World)>) -> (Term, World) {
        if all.len() == 1 {
            let (when, world) = all.remove(0);
            let name = |judge: &mut Self, (index, term): (usize, &Term)| match term.size(LARGE) < LARGE {
                true => term.clone(),
                false => judge.session.define(&format!("n{node}.{index}"), term),
            };
            let leaves = world.leaves().iter().enumerate().map(|leaf| name(self, leaf)).collect();
            return (self.session.define(&format!("n{node}"), &when), world.with_leaves(leaves));
        }
        let reached = self.session.declare(&format!("n{node}"), &SmtSort::Bool);
        let worlds: Vec<Vec<Term>> = all.iter().map(|(_, world)| world.leaves()).collect();
        let mut leaves = worlds[0].clone();
        for (index, leaf) in leaves.iter_mut().enumerate() {
            if worlds.iter().any(|other| other[index] != *leaf) {
                *leaf = self.session.declare(&format!("n{node}.{index}"), leaf.sort());
            }
        }
        let as_in = |world: &Vec<Term>| Term::all(leaves.iter().zip(world).map(|(a, b)| a.equals(b)));
        let ways = all.iter().zip(&worlds).map(|((when, _), world)| when.and(as_in(world)));
        self.session.assert(&reached.implies(Term::any(ways.collect::<Vec<Term>>())));
        (reached, all[0].1.with_leaves(leaves))
    }

    fn steps(
        &mut self,
        number: usize,
        when: &Term,
        world: &World,
        arrivals: &mut Arrivals,
        bad: &mut Bad,
    ) -> Result<(), CheckError> {
        let node: &ScheduleNode = &self.proof.nodes[number];
        if let Some(reason) = node.reason {
            let fact = read_fact(self.population, &self.proof.reasons[reason as usize].formula)?;
            let broken = when.and(fact.of(&world.leaves()).not());
            bad.push((broken, format!("the reason for who goes first at node {number} does not hold there")));
        }
        for thread in &node.first {
            let (index, me) = (thread.index(), Term::int(i64::from(thread.0) + 1));
            let mut choose = by_constants(self.population, format!("c{number}.{index}"));
            let ways = ways(self.population, &me, world.thread(index), &mut choose)?;
            let mut declared = FxHashSet::default();
            for way in ways {
                let new: Vec<Term> = way.chosen().into_iter().filter(|term| declared.insert(term.clone())).collect();
                self.session.declare_all(&new);
                let taken = when.and(&way.when);
                let End::Rest(state) = &way.end else {
                    let name = self.population.thread_name(i64::from(thread.0) + 1);
                    bad.push((taken, format!("{name} goes wrong at node {number}")));
                    continue;
                };
                let after = world.after(index, state);
                let listed = node.moves.iter().find(|step| step.thread == *thread && step.path[..] == way.path[..]);
                match listed.map(|step| step.to as usize) {
                    Some(to) if self.proof.nodes[to].points == after.points() => {
                        self.arrive(to, taken, after, arrivals, bad)
                    }
                    _ => bad.push((taken, format!("a step from node {number} leads to no node"))),
                }
            }
        }
        Ok(())
    }
}
