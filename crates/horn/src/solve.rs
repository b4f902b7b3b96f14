//! SOLVELINEARHC, figure 14.

use crate::{HornClause, Linear, Rational, Symbol, Tree, annot_pred, find_proof, mk_tree};
use std::collections::BTreeMap;
use threadwise_logic::Var;

/// For each relation its solution: a conjunction of inequalities over its formal arguments.
pub type Solution = BTreeMap<Symbol, Vec<Linear>>;

/// SOLVELINEARHC, figure 14: a solution of the clauses; `None` if the inequalities have a rational solution,
/// so that there is none by this way. `formals` names the arguments of each relation; `fresh` is a number
/// from which on variables are free. It may take long: `go_on` can end it.
///
/// The solutions are tightened to the integers: what holds of an inequality holds of its tightening.
pub fn solve_linear_hc<E>(
    clauses: &[HornClause],
    formals: &BTreeMap<Symbol, Vec<Var>>,
    fresh: u32,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Option<Solution>, E> {
    let Some(tree) = mk_tree(clauses, fresh) else { return Ok(None) };
    let Some(proof) = find_proof(&tree.atoms(), go_on)? else { return Ok(None) };
    Ok(solution(&tree, &proof, formals))
}

fn solution(tree: &Tree, proof: &[Rational], formals: &BTreeMap<Symbol, Vec<Var>>) -> Option<Solution> {
    let pred = annot_pred(tree, proof);
    let mut solution = Solution::new();
    for (node, pred) in tree.nodes.iter().zip(&pred) {
        let Some(application) = &node.application else { continue };
        let back: BTreeMap<_, _> = application.args.iter().zip(formals.get(&application.symbol)?).collect();
        let own = pred.rename(&|var| back.get(&var).map_or(var, |own| **own)).tightened();
        let known = solution.entry(application.symbol).or_default();
        if own != Linear::zero() && !known.contains(&own) {
            known.push(own);
        }
    }
    Some(solution)
}
