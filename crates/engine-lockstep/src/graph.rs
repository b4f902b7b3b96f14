//! The graph of combinations of points that a schedule leads along.

use crate::Stop;
use crate::lanes::Lanes;
use crate::precedence::{Facts, First, Oracle};
use rustc_hash::FxHashMap;
use threadwise_ir::{EdgeId, Instance, Point};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::SolverCommand;
use threadwise_symbolic::{End, Population, Way, World, by_constants, initial_store, named_shared, starts};

/// Graphs with more nodes than this are not treated.
const MAX_NODES: usize = 1500;

/// Where all threads are, whose turn it is, and what flags and the like are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) points: Vec<Point>,
    pub(crate) facts: Facts,
    turn: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) first: First,
    /// A thread, the edges of its step, and where it leads.
    pub(crate) moves: Vec<(usize, Vec<EdgeId>, usize)>,
    /// Whether a cycle of the graph begins here.
    pub(crate) is_cut: bool,
}

#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) starts: Vec<usize>,
    pub(crate) nodes: Vec<Node>,
}

impl Graph {
    pub(crate) fn build(
        instance: &Instance,
        population: &Population,
        lanes: &Lanes,
        command: &SolverCommand,
        is_hopeful: bool,
        budget: &Budget,
    ) -> Result<Graph, Stop> {
        let oracle = Oracle::new(population, command, is_hopeful, budget)?;
        let graph = Graph { starts: Vec::new(), nodes: Vec::new() };
        let mut builder = Builder { oracle, lanes, graph, known: FxHashMap::default() };
        builder.start(instance)?;
        let mut next = 0;
        while next < builder.graph.nodes.len() {
            budget.check()?;
            if builder.graph.nodes.len() > MAX_NODES {
                return Err(Stop::TooLarge);
            }
            builder.go_on(next)?;
            next += 1;
        }
        builder.graph.mark_cuts();
        Ok(builder.graph)
    }

    pub(crate) fn cuts(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(|&node| self.nodes[node].is_cut)
    }

    /// Whether another schedule led along the same graph.
    pub(crate) fn is_same_as(&self, other: &Graph) -> bool {
        self.nodes.len() == other.nodes.len()
            && self
                .nodes
                .iter()
                .zip(&other.nodes)
                .all(|(a, b)| a.place.points == b.place.points && a.moves == b.moves && a.first.hopes == b.first.hopes)
    }

    /// Whether a reason for who goes first takes something for granted.
    pub(crate) fn is_hopeful(&self) -> bool {
        self.nodes.iter().any(|node| !node.first.hopes.is_empty())
    }

    /// Nodes that are the ends of edges that lead back.
    fn mark_cuts(&mut self) {
        let (mut done, mut open) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for start in self.starts.clone() {
            let mut stack = vec![(start, false)];
            while let Some((node, closes)) = stack.pop() {
                if closes {
                    open[node] = false;
                    continue;
                }
                if std::mem::replace(&mut done[node], true) {
                    continue;
                }
                open[node] = true;
                stack.push((node, true));
                for at in 0..self.nodes[node].moves.len() {
                    let to = self.nodes[node].moves[at].2;
                    if open[to] {
                        self.nodes[to].is_cut = true;
                    } else {
                        stack.push((to, false));
                    }
                }
            }
        }
    }
}

struct Builder<'a> {
    oracle: Oracle<'a>,
    lanes: &'a Lanes,
    graph: Graph,
    known: FxHashMap<Place, usize>,
}

impl Builder<'_> {
    fn node(&mut self, place: Place) -> usize {
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let first = First { threads: Vec::new(), others: Vec::new(), facts: Facts::new(), hopes: Vec::new() };
        self.graph.nodes.push(Node { place: place.clone(), first, moves: Vec::new(), is_cut: false });
        self.known.insert(place, self.graph.nodes.len() - 1);
        self.graph.nodes.len() - 1
    }

    fn start(&mut self, instance: &Instance) -> Result<(), Stop> {
        let population = self.oracle.population;
        let shared = named_shared(population, "x").values;
        let initial = initial_store(population, &shared)?.so_far;
        let mut all = vec![(initial, World { shared: shared.clone(), threads: Vec::new() })];
        for (number, thread) in instance.threads.iter().enumerate() {
            let me = Term::int(number as i64 + 1);
            let mut choose = by_constants(population, format!("start.{number}"));
            let ways = starts(population, &me, thread.template, &shared, &mut choose)?;
            let mut longer = Vec::new();
            for way in &ways {
                if let End::Rest(state) = &way.end {
                    longer.extend(all.iter().map(|(when, world)| (when.and(&way.when), world.joined_by(state))));
                }
            }
            all = longer;
        }
        for (when, world) in all {
            let facts = self.facts(&when, &world.leaves())?;
            let node = self.node(Place { points: world.points(), facts, turn: 0 });
            if !self.graph.starts.contains(&node) {
                self.graph.starts.push(node);
            }
        }
        Ok(())
    }

    /// What flags and the like are.
    fn facts(&mut self, when: &Term, leaves: &[Term]) -> Result<Facts, Stop> {
        let mut facts = Facts::new();
        for leaf in self.oracle.followed.clone() {
            if let Some(value) = self.oracle.only_value(when, &leaves[leaf])? {
                facts.insert(leaf, value);
            }
        }
        Ok(facts)
    }

    fn go_on(&mut self, node: usize) -> Result<(), Stop> {
        let place = self.graph.nodes[node].place.clone();
        let first = self.oracle.first(&place.points, &place.facts, &self.lanes.preferred(place.turn))?;
        let (world, well_formed) = self.oracle.world(&place.points, &place.facts);
        let mut moves = Vec::new();
        for &thread in &first.threads {
            for (after, ways) in self.outcomes(thread, &world)? {
                let when = well_formed.and(Term::any(ways.iter().map(|way| &way.when)));
                if !self.oracle.is_possible(&when)? {
                    continue;
                }
                let facts = self.facts_after(&place.facts, &when, &world, &after)?;
                let (program, points) = (&self.oracle.population.program, after.points());
                let turn = self.lanes.turn_after(place.turn, thread, program, points[thread].location);
                let to = self.node(Place { points, facts, turn });
                moves.extend(ways.iter().map(|way| (thread, way.path.to_vec(), to)));
            }
        }
        (self.graph.nodes[node].first, self.graph.nodes[node].moves) = (first, moves);
        Ok(())
    }

    /// The ways of a thread's next step, those together that lead to the same points and do the same to what is followed; with
    /// what the first of them leads to.
    fn outcomes(&self, thread: usize, world: &World) -> Result<Vec<(World, Vec<Way>)>, Stop> {
        let mut all: Vec<(World, Vec<Way>)> = Vec::new();
        let followed = |world: &World| -> Vec<Term> {
            let leaves = world.leaves();
            self.oracle.followed.iter().map(|&leaf| leaves[leaf].clone()).collect()
        };
        for way in self.oracle.ways(thread, thread, world)? {
            let End::Rest(state) = &way.end else { continue };
            let after = world.after(thread, state);
            match all
                .iter_mut()
                .find(|(known, _)| known.points() == after.points() && followed(known) == followed(&after))
            {
                Some((_, ways)) => ways.push(way),
                None => all.push((after, vec![way])),
            }
        }
        Ok(all)
    }

    /// What is the same as before needs no question.
    fn facts_after(&mut self, facts: &Facts, when: &Term, before: &World, after: &World) -> Result<Facts, Stop> {
        let (before, after) = (before.leaves(), after.leaves());
        let mut new = Facts::new();
        for leaf in self.oracle.followed.clone() {
            let value = match before[leaf] == after[leaf] {
                true => facts.get(&leaf).copied(),
                false => self.oracle.only_value(when, &after[leaf])?,
            };
            new.extend(value.map(|value| (leaf, value)));
        }
        Ok(new)
    }
}
