//! REFINE (THREADER, figure 9): predicates that exclude an error tuple, or a trace to the error.

use crate::aret::Work;
use crate::chc::Chc;
use crate::clauses::{HornClauses, NodeId, Scope, mk_horn_clauses};
use crate::spacer::solve_recursion_free;
use crate::tree::{ErrorTuple, Forest, Parent};
use crate::{Counters, Found, trace};
use std::collections::BTreeMap;
use threadwise_horn::{HornClause, Symbol, linear_atoms, solve_linear_hc};
use threadwise_ir::ThreadId;
use threadwise_logic::{Kind, SmtSort, Term, Var};
use threadwise_solver::SolverError;
use threadwise_space::{Space, Step, VarSort};

/// What came of a refinement.
pub(crate) enum Refined {
    /// There are new predicates.
    Again,
    /// There is an answer.
    Found(Found),
}

/// For each node of the trees that takes part, predicates that its solution is made of.
type NodePredicates = Vec<(NodeId, Vec<Term>)>;

/// REFINE, figure 9, with modular clauses first if these are wanted.
pub(crate) fn refine(
    work: &mut Work<'_>,
    forest: &Forest,
    error: &ErrorTuple,
    counters: &mut Counters,
) -> Result<Refined, SolverError> {
    if !work.raw {
        let clauses = mk_horn_clauses(work, forest, error, Scope::Modular);
        if let Some(solution) = solve_hc(work, &clauses, counters)?
            && add(work, forest, &solution, Scope::Modular)
        {
            return Ok(Refined::Again);
        }
        // No modular predicates exclude this tuple, so other threads' locals must be seen.
        work.raw = true;
    }
    let clauses = mk_horn_clauses(work, forest, error, Scope::General);
    let solution = solve_hc(work, &clauses, counters)?;
    if let Some(solution) = solution
        && add(work, forest, &solution, Scope::General)
    {
        return Ok(Refined::Again);
    }
    if track(work, forest, error) {
        return Ok(Refined::Again);
    }
    for state in &error.states {
        let path = mk_path(work, forest, *state);
        let steps: Vec<&Step> = path.iter().map(|(thread, step)| &work.steps[*thread][*step]).collect();
        if let Some(found) = trace::along(work.space, &steps, work.command, work.budget, counters)? {
            return Ok(Refined::Found(found));
        }
    }
    Ok(Refined::Found(Found::Nothing("refinement finds no new predicates".to_string())))
}

/// Refines what is known of control: the threads of the tuple, and whoever takes steps on the way to it,
/// are tracked from now on. Tells whether any of this is new.
fn track(work: &mut Work<'_>, forest: &Forest, error: &ErrorTuple) -> bool {
    let mut is_new = false;
    let together: Vec<usize> = error.states.iter().map(|state| forest.states[*state].thread).collect();
    for state in &error.states {
        let thread = forest.states[*state].thread;
        let movers = mk_path(work, forest, *state).into_iter().map(|(mover, _)| mover);
        for other in movers.chain(together.iter().copied()).filter(|other| *other != thread) {
            is_new |= work.tracked[thread].insert(other);
        }
    }
    is_new
}

/// MKPATH, figure 8: the steps that lead to an abstract state, each as its thread and number.
fn mk_path(work: &Work<'_>, forest: &Forest, state: usize) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut at = state;
    loop {
        match forest.states[at].parent {
            Parent::Initial(_) => break,
            Parent::Own(before, step) => {
                path.push((forest.states[at].thread, step));
                at = before;
            }
            Parent::Environment(before, environment) => {
                let transition = &forest.environments[environment];
                path.push((transition.by, transition.step));
                at = before;
            }
        }
    }
    debug_assert!(path.iter().all(|(thread, step)| *step < work.steps[*thread].len()));
    path.reverse();
    path
}

/// Adds the predicates of a solution; tells whether any is new.
fn add(work: &mut Work<'_>, forest: &Forest, solution: &NodePredicates, scope: Scope) -> bool {
    let mut is_new = false;
    for (node, predicates) in solution {
        for predicate in predicates {
            is_new |= match node {
                NodeId::State(state) => {
                    let thread = ThreadId(forest.states[*state].thread as u32);
                    work.predicates.add_state(work.space, thread, predicate.clone())
                }
                // The steps themselves say all that a solution can say, where nothing is hidden of them.
                NodeId::Environment(_) if scope != Scope::Modular => false,
                NodeId::Environment(environment) => {
                    let thread = ThreadId(forest.environments[*environment].by as u32);
                    work.predicates.add_transition(work.space, thread, predicate.clone())
                }
            };
        }
    }
    is_new
}

/// SOLVEHC: by linear programming where the clauses are linear, and else by the SMT solver.
fn solve_hc(
    work: &mut Work<'_>,
    clauses: &HornClauses,
    counters: &mut Counters,
) -> Result<Option<NodePredicates>, SolverError> {
    let space = work.space;
    let is_bool = |var: Var| space.sort(var) == VarSort::Bool;
    let formals: BTreeMap<Symbol, Vec<Var>> =
        (0u32..).map(Symbol).zip(clauses.chc.relations.iter().map(|relation| relation.args.clone())).collect();
    let linear = linear_clauses(space, &clauses.chc);
    if let Some(solution) = solve_linear_hc(&linear, &formals, space.end(), &|| work.budget.check())? {
        let formulas = |symbol: &Symbol| {
            let atoms = solution.get(symbol).map(Vec::as_slice).unwrap_or_default();
            atoms.iter().filter_map(|atom| atom.formula(&is_bool)).collect::<Vec<_>>()
        };
        return Ok(Some((0u32..).map(Symbol).zip(&clauses.nodes).map(|(s, node)| (*node, formulas(&s))).collect()));
    }
    let solution = solve_recursion_free(space, &clauses.chc, work.command, work.budget, counters)?;
    Ok(solution.map(|formulas| {
        let preds_of = |formula: &Term| {
            let mut atoms = Vec::new();
            atoms_of(formula, &mut atoms);
            atoms
        };
        clauses.nodes.iter().copied().zip(formulas.iter().map(preds_of)).collect()
    }))
}

/// *PredsOf*: the atoms of a formula.
fn atoms_of(formula: &Term, out: &mut Vec<Term>) {
    match formula.kind() {
        Kind::Bool(_) => {}
        Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Iff(..) => {
            formula.kind().for_each_child(&mut |part| atoms_of(part, out));
        }
        _ => {
            if !out.contains(formula) {
                out.push(formula.clone());
            }
        }
    }
}

/// The clauses with inequalities for constraints, and bounds of the variables that occur in them. What is
/// not linear is left out: a solution of the weaker clauses is one of the whole.
fn linear_clauses(space: &Space, chc: &Chc) -> Vec<HornClause> {
    let bounds = |var: Var| match space.sort(var) {
        VarSort::Bool => Some((0, 1)),
        VarSort::Int(bounds) => bounds,
    };
    let application = |application: &crate::chc::Application| threadwise_horn::Application {
        symbol: Symbol(application.relation as u32),
        args: application.args.iter().filter_map(Term::as_var).collect(),
    };
    let clause = |clause: &crate::chc::Clause| {
        let mut parts = clause.constraint.conjuncts().to_vec();
        for var in clause.constraint.variables() {
            if let Some((lo, hi)) = bounds(var) {
                // Booleans too are numbers here.
                let value = Term::var(var, SmtSort::Int);
                parts.push(Term::int(lo).le(&value));
                parts.push(value.le(Term::int(hi)));
            }
        }
        let mut constraint = Vec::new();
        for part in &parts {
            let mut atoms = Vec::new();
            if linear_atoms(part, &bounds, &mut atoms).is_ok() {
                constraint.append(&mut atoms);
            }
        }
        let body = clause.body.iter().map(application).collect();
        HornClause { body, constraint, head: clause.head.as_ref().map(application) }
    };
    chc.clauses.iter().map(clause).collect()
}
