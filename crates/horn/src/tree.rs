//! Horn clauses as a tree (figures 15 and 16).

use crate::{Application, HornClause, Linear, Rational};
use std::collections::BTreeMap;
use threadwise_logic::Var;

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The unknown relation it stands for; `None` for the root, and for leaves.
    pub application: Option<Application>,
    /// The inequalities of a leaf.
    pub atoms: Vec<Linear>,
    /// The children: of an inner node first its leaf, then the unknown relations of the clause.
    pub children: Vec<usize>,
}

/// A set of clauses as a tree. The root is the first node.
#[derive(Clone, Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    next: u32,
}

/// MKTREE, figure 15, from the clause without a head on. `fresh` is a number from which on variables are
/// free. `None` if there is no such clause, or no clause for a relation that is needed.
pub fn mk_tree(clauses: &[HornClause], fresh: u32) -> Option<Tree> {
    let mut tree = Tree { nodes: Vec::new(), next: fresh };
    tree.grow(clauses, None)?;
    Some(tree)
}

impl Tree {
    /// Adds the node for a relation, or the root, and everything below it; returns its number.
    fn grow(&mut self, clauses: &[HornClause], goal: Option<Application>) -> Option<usize> {
        let symbol = goal.as_ref().map(|goal| goal.symbol);
        let clause = clauses.iter().find(|clause| clause.head.as_ref().map(|head| head.symbol) == symbol)?;
        // σ: the arguments of the head are those of the goal, all other variables are fresh.
        let mut sigma: BTreeMap<Var, Var> = BTreeMap::new();
        if let (Some(head), Some(goal)) = (&clause.head, &goal) {
            sigma.extend(head.args.iter().copied().zip(goal.args.iter().copied()));
        }
        let q = self.nodes.len();
        self.nodes.push(Node { application: goal, atoms: Vec::new(), children: Vec::new() });
        let p = self.nodes.len();
        let atoms = clause.constraint.iter().map(|atom| {
            let vars: BTreeMap<Var, Var> =
                atom.coefficients.keys().map(|var| (*var, self.renamed(*var, &mut sigma))).collect();
            atom.rename(&|var| vars[&var])
        });
        let atoms = atoms.collect();
        self.nodes.push(Node { application: None, atoms, children: Vec::new() });
        let mut children = vec![p];
        for application in &clause.body {
            let args = application.args.iter().map(|var| self.renamed(*var, &mut sigma)).collect();
            children.push(self.grow(clauses, Some(Application { symbol: application.symbol, args }))?);
        }
        self.nodes[q].children = children;
        Some(q)
    }

    fn renamed(&mut self, var: Var, sigma: &mut BTreeMap<Var, Var>) -> Var {
        *sigma.entry(var).or_insert_with(|| {
            self.next += 1;
            Var(self.next - 1)
        })
    }

    /// All inequalities of the leaves, in the order of the nodes.
    pub fn atoms(&self) -> Vec<Linear> {
        self.nodes.iter().flat_map(|node| node.atoms.iter().cloned()).collect()
    }
}

/// ANNOTPRED, figure 16: for each node the weighted sum of the inequalities below it. `proof` has the
/// weights in the order of [`Tree::atoms`].
pub fn annot_pred(tree: &Tree, proof: &[Rational]) -> Vec<Linear> {
    let mut pred = vec![Linear::zero(); tree.nodes.len()];
    let mut weights = proof.iter();
    for (node, sum) in tree.nodes.iter().zip(&mut pred) {
        for (atom, weight) in node.atoms.iter().zip(&mut weights) {
            sum.add(weight, atom);
        }
    }
    // Children come after their parents, so that this order has them before.
    for index in (0..tree.nodes.len()).rev() {
        for child in &tree.nodes[index].children {
            let below = pred[*child].clone();
            pred[index].add(&num_traits::One::one(), &below);
        }
    }
    pred
}
