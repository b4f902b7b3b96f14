//! What happens along a graph from one of its cuts, or from the start, up to the next cuts, as formulas.

use crate::Stop;
use crate::graph::Graph;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use threadwise_ir::Instance;
use threadwise_logic::{SmtSort, Term};
use threadwise_symbolic::{End, Population, World, by_constants, initial_store, named_shared, starts, ways};

/// Terms with more nodes than this get names.
const LARGE: usize = 12;

/// A cut is reached.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) node: usize,
    pub(crate) when: Term,
    pub(crate) leaves: Vec<Term>,
}

/// A part of the graph, from a cut or from the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    pub(crate) declared: Vec<Term>,
    pub(crate) asserted: Vec<Term>,
    /// The terms of the state that it begins with; none at the start.
    pub(crate) before: Vec<Term>,
    pub(crate) arrivals: Vec<Arrival>,
    pub(crate) wrong: Vec<Term>,
}

/// Follows the graph from the start.
pub(crate) fn from_start(instance: &Instance, population: &Population, graph: &Graph) -> Result<Piece, Stop> {
    let mut follower = Follower::new(population, graph);
    let named = named_shared(population, "x");
    follower.piece.declared.extend(named.constants);
    let initial = initial_store(population, &named.values)?;
    follower.piece.wrong.push(initial.goes_wrong());
    let mut all = vec![(initial.so_far.clone(), World { shared: named.values.clone(), threads: Vec::new() })];
    for (number, thread) in instance.threads.iter().enumerate() {
        let me = Term::int(number as i64 + 1);
        let mut choose = by_constants(population, format!("start.{number}"));
        let mut longer = Vec::new();
        for way in starts(population, &me, thread.template, &named.values, &mut choose)? {
            follower.declare(way.chosen());
            match &way.end {
                End::Error => follower.piece.wrong.push(initial.so_far.and(&way.when)),
                End::Rest(state) => {
                    longer.extend(all.iter().map(|(when, world)| (when.and(&way.when), world.joined_by(state))));
                }
            }
        }
        all = longer;
    }
    for (when, world) in all {
        let points = world.points();
        if let Some(&node) = graph.starts.iter().find(|&&node| graph.nodes[node].place.points == points) {
            follower.arrive(node, when, world);
        }
    }
    follower.run()
}

/// Follows it from a cut.
pub(crate) fn from_cut(population: &Population, graph: &Graph, node: usize) -> Result<Piece, Stop> {
    let mut follower = Follower::new(population, graph);
    let (world, well_formed, constants) = World::named(population, &graph.nodes[node].place.points);
    follower.piece.declared.extend(constants);
    follower.piece.asserted.push(well_formed);
    follower.piece.before = world.leaves();
    follower.steps(node, &Term::bool(true), &world)?;
    follower.run()
}

struct Follower<'a> {
    population: &'a Population,
    graph: &'a Graph,
    /// For each node its place in an order in which moves lead forward but for those to cuts.
    order: Vec<usize>,
    /// The shared terms as they are named.
    names: Vec<Term>,
    piece: Piece,
    declared: FxHashSet<Term>,
    arrivals: BTreeMap<(usize, usize), Vec<(Term, World)>>,
}

impl<'a> Follower<'a> {
    fn new(population: &'a Population, graph: &'a Graph) -> Follower<'a> {
        let (piece, declared, arrivals) = Default::default();
        let names = named_shared(population, "x").constants;
        Follower { population, graph, order: order(graph), names, piece, declared, arrivals }
    }

    fn run(mut self) -> Result<Piece, Stop> {
        while let Some(((_, node), all)) = self.arrivals.pop_first() {
            let (when, world) = self.joined(node, all);
            self.steps(node, &when, &world)?;
        }
        Ok(self.piece)
    }

    fn declare(&mut self, constants: Vec<Term>) {
        for constant in constants {
            if self.declared.insert(constant.clone()) {
                self.piece.declared.push(constant);
            }
        }
    }

    fn name(&mut self, name: &str, term: &Term) -> Term {
        if term.size(LARGE) < LARGE {
            return term.clone();
        }
        let constant = Term::constant(name, term.sort().clone());
        self.piece.declared.push(constant.clone());
        self.piece.asserted.push(constant.equals(term));
        constant
    }

    fn arrive(&mut self, node: usize, when: Term, world: World) {
        match self.graph.nodes[node].is_cut {
            true => self.piece.arrivals.push(Arrival { node, when, leaves: world.leaves() }),
            false => self.arrivals.entry((self.order[node], node)).or_default().push((when, world)),
        }
    }

    /// One state for all ways that lead to a node.
    fn joined(&mut self, node: usize, all: Vec<(Term, World)>) -> (Term, World) {
        let worlds: Vec<Vec<Term>> = all.iter().map(|(_, world)| world.leaves()).collect();
        let mut leaves = worlds[0].clone();
        if let [(when, world)] = &all[..] {
            let numbered = leaves.iter().enumerate();
            let leaves = numbered.map(|(index, leaf)| self.name(&format!("n{node}.{index}"), leaf)).collect();
            return (self.name(&format!("n{node}"), when), world.with_leaves(leaves));
        }
        for (index, leaf) in leaves.iter_mut().enumerate() {
            if worlds.iter().any(|other| other[index] != *leaf) {
                *leaf = Term::constant(&format!("n{node}.{index}"), leaf.sort().clone());
                self.piece.declared.push(leaf.clone());
            }
        }
        let reached = Term::constant(&format!("n{node}"), SmtSort::Bool);
        self.piece.declared.push(reached.clone());
        let as_in = |world: &Vec<Term>| Term::all(leaves.iter().zip(world).map(|(a, b)| a.equals(b)));
        let ways: Vec<Term> = all.iter().zip(&worlds).map(|((when, _), world)| when.and(as_in(world))).collect();
        self.piece.asserted.push(reached.implies(Term::any(ways)));
        (reached, all[0].1.with_leaves(leaves))
    }

    fn steps(&mut self, number: usize, when: &Term, world: &World) -> Result<(), Stop> {
        let node = &self.graph.nodes[number];
        let leaves = world.leaves();
        let own = |leaf: &Term| self.names.iter().position(|name| name == leaf).map(|at| leaves[at].clone());
        self.piece.wrong.extend(node.first.hopes.iter().map(|hope| when.and(hope.replace(&own).not())));
        for &thread in &node.first.threads {
            let me = Term::int(thread as i64 + 1);
            let mut choose = by_constants(self.population, format!("c{number}.{thread}"));
            for way in ways(self.population, &me, world.thread(thread), &mut choose)? {
                self.declare(way.chosen());
                let taken = when.and(&way.when);
                match &way.end {
                    End::Error => self.piece.wrong.push(taken),
                    End::Rest(state) => {
                        let to = node.moves.iter().find(|(who, path, _)| *who == thread && path[..] == way.path[..]);
                        if let Some((_, _, to)) = to {
                            self.arrive(*to, taken, world.after(thread, state));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn order(graph: &Graph) -> Vec<usize> {
    let count = graph.nodes.len();
    let forward = |node: usize| {
        let to = graph.nodes[node].moves.iter().map(|(_, _, to)| *to);
        to.filter(|&to| !graph.nodes[to].is_cut).collect::<FxHashSet<usize>>()
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
    order
}
