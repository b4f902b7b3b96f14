//! A graph as a proof.

use crate::graph::{Graph, Node};
use crate::invariant::What;
use crate::precedence::{Facts, constant};
use rustc_hash::FxHashMap;
use threadwise_evidence::{Precedence, ScheduleNode, ScheduleProof, ScheduledMove};
use threadwise_ir::ThreadId;
use threadwise_logic::Term;
use threadwise_symbolic::{Parameters, Population, named_shared};

pub(crate) fn proof(population: &Population, graph: &Graph, what: &What) -> ScheduleProof {
    let mut reasons = Reasons { population, all: Vec::new(), known: FxHashMap::default() };
    let nodes = graph.nodes.iter().enumerate().map(|(number, node)| ScheduleNode {
        points: node.place.points.clone(),
        formula: node.is_cut.then(|| what.formula(number, names(population, node).constants()).to_string()),
        first: node.first.threads.iter().map(|&thread| ThreadId(thread as u32)).collect(),
        moves: node.moves.iter().map(step).collect(),
        reason: (!node.first.others.is_empty()).then(|| reasons.number(node)),
    });
    let nodes = nodes.collect();
    ScheduleProof { starts: graph.starts.iter().map(|&node| node as u32).collect(), nodes, reasons: reasons.all }
}

fn step((thread, path, to): &(usize, Vec<threadwise_ir::EdgeId>, usize)) -> ScheduledMove {
    ScheduledMove { thread: ThreadId(*thread as u32), path: path.clone(), to: *to as u32 }
}

/// What formulas at a node speak of.
fn names(population: &Population, node: &Node) -> Parameters {
    let shared = Parameters::default().with_shared(population);
    node.place.points.iter().fold(shared, |all, point| all.with_locals(population, point))
}

/// Facts as a formula over terms.
pub(crate) fn said(facts: &Facts, leaves: &[Term]) -> Term {
    Term::all(facts.iter().map(|(&leaf, &value)| leaves[leaf].equals(constant(&leaves[leaf], value))))
}

struct Reasons<'a> {
    population: &'a Population,
    all: Vec<Precedence>,
    known: FxHashMap<Precedence, u32>,
}

impl Reasons<'_> {
    fn number(&mut self, node: &Node) -> u32 {
        let shared = Parameters::default().with_shared(self.population);
        let names = named_shared(self.population, "x").constants;
        let own = |leaf: &Term| names.iter().position(|name| name == leaf).map(|at| shared.constants()[at].clone());
        let hopes = node.first.hopes.iter().map(|hope| hope.replace(&own));
        let formula = Term::all([said(&node.first.facts, shared.constants())].into_iter().chain(hopes)).to_string();
        let others = node.first.others.iter().map(|(thread, points)| (ThreadId(*thread as u32), points.clone()));
        let reason = Precedence { others: others.collect(), formula };
        let next = self.all.len() as u32;
        *self.known.entry(reason.clone()).or_insert_with(|| {
            self.all.push(reason);
            next
        })
    }
}
