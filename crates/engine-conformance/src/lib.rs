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

pub use checker::{Refusal, Wrong};

use checker::{Checker, Stop};
use std::sync::Arc;
use threadwise_evidence::{Conformance, Simulation, Stats, Unknown, conformance_instance};
use threadwise_ir::{Abstraction, Copies, Instance, Program, ThreadId};
use threadwise_limits::Budget;

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
pub fn conform(program: &Arc<Program>, budget: &Budget) -> Result<Conformed, Unknown> {
    let abstraction = program.abstraction().map_err(|inexpressible| explain::inexpressible(program, &inexpressible))?;
    let instance = conformance_instance(program);
    let mut threads = Vec::new();
    let mut pairs = 0;
    for thread in instance.specified_threads() {
        let simulation = conform_thread(&instance, &abstraction, thread, budget)?;
        pairs += simulation.size();
        threads.push(Conformance { thread, simulation });
    }
    let stats = Stats(vec![("conforming_threads", threads.len() as u64), ("candidate_sets", pairs)]);
    Ok(Conformed { abstraction, threads, stats })
}

fn conform_thread(
    instance: &Instance,
    abstraction: &Abstraction,
    thread: ThreadId,
    budget: &Budget,
) -> Result<Simulation, Unknown> {
    let template = instance.threads[thread.index()].template;
    let any = instance.program.templates.iter().any(|template| template.copies == Copies::Any);
    if any && instance.depends_on_copies(template, &abstraction.local) {
        return Err(explain::depends_on_copies(&instance.program, template));
    }
    let result = Checker::new(instance, abstraction, thread).and_then(|mut checker| checker.run(budget));
    result.map(Simulation::Candidates).map_err(|stop| match stop {
        Stop::Limit(limit) => explain::out_of_budget(limit),
        Stop::Gap(gap) => explain::not_finite(&instance.program, template, gap),
        Stop::Refused(refusal) => explain::refused(instance, thread, &refusal),
    })
}
