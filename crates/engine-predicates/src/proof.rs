//! Puts proofs together, and the parts of steps that other threads see.

use crate::tidy::tidy;
use std::collections::BTreeMap;
use threadwise_evidence::{EnvironmentTransition, FormulaProof, PointFormula, Scope, ThreadFormulas};
use threadwise_ir::ThreadId;
use threadwise_logic::{Term, Var};
use threadwise_space::{Owner, PointId, Space, Step, VarSort};

/// R_i and E_i of all threads.
#[derive(Clone, Default, Debug)]
pub(crate) struct Assertions {
    /// For each thread what holds at its points.
    pub(crate) reach: Vec<BTreeMap<PointId, Term>>,
    /// For each thread what the others do.
    pub(crate) environment: Vec<Vec<(ThreadId, Term)>>,
}

impl Assertions {
    /// The proof with these assertions.
    pub(crate) fn proof(&self, space: &Space) -> FormulaProof {
        let mut parts = Vec::new();
        let of_type = |var: Var| match space.sort(var) {
            VarSort::Int(Some((least, greatest))) => (Some(least), Some(greatest)),
            _ => (None, None),
        };
        for (index, (reach, environment)) in self.reach.iter().zip(&self.environment).enumerate() {
            // Control is known by the numbers of points, so all of them are listed, in order.
            let points = space.threads[index].points.iter().enumerate().map(|(number, point)| {
                let formula = reach.get(&PointId(number as u32)).cloned().unwrap_or(Term::bool(false));
                PointFormula::new(point.clone(), space.smt(&tidy(&formula, &of_type)))
            });
            let mut transitions: Vec<EnvironmentTransition> = Vec::new();
            for (by, formula) in environment {
                let transition = EnvironmentTransition { by: Some(*by), formula: space.smt(&tidy(formula, &of_type)) };
                if !transitions.contains(&transition) {
                    transitions.push(transition);
                }
            }
            let (points, environment) = (points.collect(), Some(transitions));
            parts.push(ThreadFormulas { points, environment, ..ThreadFormulas::default() });
        }
        let scope = if self.is_modular(space) { Scope::ThreadsAlone } else { Scope::Threads };
        FormulaProof { scope, parts }
    }

    fn is_modular(&self, space: &Space) -> bool {
        let of = |formula: &Term, owners: &[Owner]| {
            formula.variables().iter().all(|var| space.info(*var).is_some_and(|info| owners.contains(&info.owner)))
        };
        let reach_is = |(index, reach): (usize, &BTreeMap<PointId, Term>)| {
            let owners = [Owner::Shared, Owner::Thread(ThreadId(index as u32))];
            reach.values().all(|formula| of(formula, &owners))
        };
        let shared_only = |(_, formula): &(ThreadId, Term)| of(formula, &[Owner::Shared]);
        self.reach.iter().enumerate().all(reach_is) && self.environment.iter().flatten().all(shared_only)
    }
}

/// The conjuncts of a step's relation that speak only of variables that `keep` admits. A free choice that
/// is stored in a variable is that variable after the step; what else is said of choices is left out,
/// which makes the relation larger.
pub(crate) fn visible(space: &Space, step: &Step, keep: &dyn Fn(Var) -> bool) -> Term {
    let stored = |choice: Var| {
        let holds = |(_, value): &&(Var, Term)| *value == space.value(choice);
        let updated = step.updates.iter().find(holds);
        updated.map(|(var, _)| space.value(space.primed(*var)))
    };
    let resolve = |var: Var| if step.choices.contains(&var) { stored(var) } else { None };
    let mut parts: Vec<Term> = step.guard.conjuncts().to_vec();
    for var in space.variables() {
        if let Some(value) = step.after(space, var) {
            parts.push(space.equation(space.primed(var), &value));
        }
    }
    parts.push(space.at(step.thread, step.from));
    let admitted = |formula: &Term| formula.variables().iter().all(|var| space.info(*var).is_some() && keep(*var));
    Term::all(parts.iter().map(|part| part.substitute(&resolve)).filter(admitted))
}

/// Whether a variable, before or after the step, is shared.
pub(crate) fn is_shared(space: &Space, var: Var) -> bool {
    space.info(var).is_some_and(|info| info.owner == Owner::Shared)
}

/// Whether the step leaves all shared variables alone.
pub(crate) fn is_silent(space: &Space, step: &Step) -> bool {
    !step.updates.iter().any(|(var, _)| is_shared(space, *var))
}

/// That no shared variable changes.
pub(crate) fn nothing_shared_changes(space: &Space) -> Term {
    let same = |var: Var| space.equation(space.primed(var), &space.value(var));
    Term::all(space.owned(Owner::Shared).map(same))
}
