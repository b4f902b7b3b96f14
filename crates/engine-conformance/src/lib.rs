//! Engine `conformance`: each thread against its abstract thread (ABSTHR).
//!
//! The user describes what a thread does to the shared variables by another, simpler thread. This
//! crate checks that the description is right: that every step of the thread is one of its abstract
//! thread, and every error of it too, unless the abstract thread has gone wrong before. If so, the
//! program is safe if the abstract threads together are (theorem 1), and any engine may say that.
//!
//! The engine knows nothing of other engines or of files.

mod checker;
mod explain;
mod horn;
mod symbolic;
mod together;

pub use checker::{Refusal, Wrong};

use checker::{Checker, Stop};
use horn::Work;
use std::sync::Arc;
use threadwise_claims::{Stats, Unknown};
use threadwise_evidence::{Conformance, Proof, Simulation, conformance_instance};
use threadwise_ir::{Abstraction, Instance, Program, TemplateId, ThreadId};
use threadwise_limits::Budget;
use threadwise_solver::SolverCommand;

/// A solver, or how to get one.
pub type Solver<'a> = Result<&'a SolverCommand, &'a str>;

/// Of a thread with infinitely many states so many are looked at one by one.
const FEW_PAIRS: usize = 2_000;

/// An abstract thread may have this many nodes: sets of nodes are words.
const MAX_NODES: usize = 64;

/// Each specified thread conforms to its abstract thread.
#[derive(Clone, Debug)]
pub struct Conformed {
    /// What is left to prove.
    pub abstraction: Abstraction,
    /// Why each thread conforms.
    pub threads: Vec<Conformance>,
    /// Numbers about the search.
    pub stats: Stats,
}

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    if program.abstract_threads.is_empty() {
        return Err("it has no `abstract` thread".to_string());
    }
    let large = program.abstract_threads.iter().find(|thread| thread.nodes.len() > MAX_NODES);
    if let Some(thread) = large {
        let name = &program.template(thread.template).name;
        return Err(format!("the abstract thread `{name}` has more than {MAX_NODES} nodes"));
    }
    Ok(())
}

/// Checks each specified thread against its abstract thread.
pub fn conform(program: &Arc<Program>, solver: Solver<'_>, budget: &Budget) -> Result<Conformed, Unknown> {
    let abstraction = program.abstraction().map_err(|inexpressible| explain::inexpressible(program, &inexpressible))?;
    let instance = conformance_instance(program);
    let mut threads = Vec::new();
    let (mut sets, mut work) = (0, Work::default());
    for thread in instance.specified_threads() {
        let (simulation, solved) = conform_thread(&instance, &abstraction, thread, solver, budget)?;
        sets += simulation.size();
        work = work.plus(solved);
        threads.push(Conformance { thread, simulation });
    }
    let mut stats = vec![("conforming_threads", threads.len() as u64), ("candidate_sets", sets)];
    stats.extend(work.stats());
    Ok(Conformed { abstraction, threads, stats: Stats::of(stats) })
}

/// State by state where that is possible, and else with a solver. A few states are looked at in any
/// case: they show best what is wrong.
fn conform_thread(
    instance: &Instance,
    abstraction: &Abstraction,
    thread: ThreadId,
    solver: Solver<'_>,
    budget: &Budget,
) -> Result<(Simulation, Work), Unknown> {
    let program = &instance.program;
    let template = instance.threads[thread.index()].template;
    let listed = if program.has_any_copies() && instance.depends_on_copies(template, &abstraction.local) {
        Err(Stop::Incomplete)
    } else {
        let max_pairs = if is_infinite(program, template) { FEW_PAIRS } else { usize::MAX };
        Checker::new(instance, abstraction, thread, max_pairs).and_then(|mut checker| checker.run(budget))
    };
    match listed {
        Ok(states) => Ok((Simulation::Candidates(states), Work::default())),
        Err(Stop::Limit(limit)) => Err(explain::out_of_budget(limit)),
        Err(Stop::Refused(refusal)) => Err(explain::refused(instance, thread, &refusal)),
        Err(Stop::Incomplete) => {
            let solver = solver.map_err(|how_to_get| explain::no_solver(program, template, how_to_get))?;
            symbolic::conform(instance, abstraction, thread, solver, budget)
                .map_err(|stop| explain::not_solved(program, template, stop))
        }
    }
}

/// The same with the solver alone, also where the states could be listed; or why it does not find a
/// proof. For tests that compare the two.
pub fn conform_by_solver(
    program: &Arc<Program>,
    solver: &SolverCommand,
    budget: &Budget,
) -> Result<Vec<Conformance>, String> {
    let abstraction = program.abstraction().map_err(|inexpressible| inexpressible.why)?;
    let instance = conformance_instance(program);
    let conform = |thread| match symbolic::conform(&instance, &abstraction, thread, solver, budget) {
        Ok((simulation, _)) => Ok(Conformance { thread, simulation }),
        Err(stop) => Err(explain::stop_text(program, &stop)),
    };
    instance.specified_threads().into_iter().map(conform).collect()
}

/// Whether a thread may have infinitely many local states.
fn is_infinite(program: &Program, template: TemplateId) -> bool {
    let routines = program.routines_of(template);
    let locals = routines.iter().flat_map(|&routine| &program.routine(routine).locals);
    program.is_recursive() || locals.into_iter().any(|var| var.sort.is_infinite())
}

/// Proves a program with unbounded data safe, if that can be seen one thread at a time. Meant for
/// abstract threads together.
pub fn prove_together(program: &Arc<Program>, solver: Solver<'_>, budget: &Budget) -> Result<(Proof, Stats), String> {
    let solver = solver.map_err(str::to_string)?;
    match together::prove(program, solver, budget) {
        Ok((proof, work)) => {
            let points = proof.parts.iter().map(|part| part.points.len() as u64).sum();
            Ok((Proof::Formulas(proof), Stats::of([vec![("assertions", points)], work.stats()].concat())))
        }
        Err(stop) => Err(explain::stop_text(program, &stop)),
    }
}
