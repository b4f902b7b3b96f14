//! Engine `modular`: infer every thread's guarantee, one thread at a time.
//!
//! FQ, sections 2.2 and 3.1, and CART, chapter 1. Each thread is explored on its own against what
//! the others can do to the shared store, which is inferred along the way. The states found are an
//! Owicki-Gries annotation of each thread; if no combination of them is an error, the program is
//! safe. Otherwise the error may be one of the abstraction only, and the engine says which thread
//! states it cannot tell to exclude each other.
//!
//! The engine knows nothing of other engines, of solvers or of files.

mod again;
mod bits;
mod blame;
mod by_store;
mod fixpoint;
mod frontier;
mod meeting;
mod perspective;
mod safety;

pub use again::{Kept, Update, analyse_again, analyse_and_keep};
pub use fixpoint::{Fixpoint, Stop, fixpoint};
pub use frontier::{Iterate, frontier, relaxed};

use fixpoint::{Goal, solve};
use safety::{Candidates, Sights, suspect, suspect_among};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::{FrontierProof, ModularProof, Proof};
use threadwise_ir::{Copies, Cutoff, ExprKind, Instance, Observations, Program, Store, Symmetry, ThreadId};
use threadwise_limits::Budget;
use threadwise_tables::Taken;

/// More combinations of numbers of copies than this are not looked at.
const MAX_CASES: usize = 4096;

/// Programs with unbounded data are given up when a thread has more states than this.
const MAX_STATES_IF_INFINITE: u64 = 200_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// The least fixpoint: all discovered states are abstracted together.
    #[default]
    Fixpoint,
    /// Only the latest states are abstracted: more precise, exponential at worst.
    Frontier,
    /// Something between: more precise than the fixpoint, and polynomial.
    Relaxed,
}

impl Search {
    /// The ways to search by the names that users give, each with what it means.
    pub const CHOICES: [(Search, &'static str, &'static str); 3] = [
        (Search::Fixpoint, "fixpoint", "All states that each thread can have, at once"),
        (Search::Frontier, "frontier", "Only the latest states together; proves more, may take exponentially long"),
        (Search::Relaxed, "relaxed", "Between the two: proves more than fixpoint, in polynomial time"),
    ];
}

/// How to analyse.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub search: Search,
}

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    let replicated = |copies: &Copies| match copies {
        Copies::Single => false,
        Copies::Exactly(n) => *n >= 2,
        Copies::Any => true,
    };
    if let Symmetry::Broken(reason) = program.symmetry()
        && program.templates.iter().any(|t| replicated(&t.copies))
    {
        return Err(format!("the copies of a thread are not interchangeable: {reason}"));
    }
    if program.has_any_copies()
        && let Cutoff::None(reason) = program.cutoff()
    {
        return Err(format!("no number of copies stands for all others: {reason}"));
    }
    let looks_at_locals = |e: &threadwise_ir::Expr| e.any(&|e| matches!(e.kind, ExprKind::LocalOf(..)));
    if program.formulas().any(|(_, e, _)| looks_at_locals(e)) && program.is_recursive() {
        return Err("a property names a thread's local variable, which summaries of recursive calls do not keep".into());
    }
    Ok(())
}

/// Analyses a program thread by thread.
pub fn analyse(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    if let Err(reason) = applicable(program) {
        let advice = vec![Advice::UseExplicit];
        return (Claim::Unknown(Unknown { reason, advice }), Stats::default());
    }
    match options.search {
        Search::Fixpoint => analyse_cases(program, budget),
        Search::Frontier | Search::Relaxed => analyse_frontier(program, options.search, budget),
    }
}

/// One fixpoint for each number of copies that must be looked at.
fn analyse_cases(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    let Some(cases) = cases(program) else {
        let reason = "too many combinations of numbers of copies".to_string();
        return (Claim::Unknown(Unknown { reason, advice: Vec::new() }), Stats::default());
    };
    let mut proof = ModularProof::default();
    let mut totals = (0, 0, 0);
    let mut taken = Taken::none(program);
    let max_states = if program.has_unbounded_data() { MAX_STATES_IF_INFINITE } else { u64::MAX };
    for copies in cases {
        let instance = Instance::with_copies(program.clone(), &copies);
        let result = solve(&instance, Goal { until_failure: true, max_states }, budget).and_then(|mut fixpoint| {
            let counts = fixpoint.counts();
            totals = (totals.0 + counts.0, totals.1 + counts.1, totals.2 + counts.2);
            Ok((suspect(&mut fixpoint, budget)?, fixpoint))
        });
        match result {
            Ok((None, fixpoint)) => {
                taken.add_all(&fixpoint.taken);
                match fixpoint.annotation(budget) {
                    Ok(case) => proof.cases.push(case),
                    Err(limit) => return (Claim::Unknown(blame::stopped(&instance, limit.into())), stats(totals)),
                }
            }
            Ok((Some(suspect), _)) => {
                return (Claim::Unknown(blame::unknown(&instance, &suspect, budget)), stats(totals));
            }
            Err(stop) => return (Claim::Unknown(blame::stopped(&instance, stop)), stats(totals)),
        }
    }
    (Claim::Proved(Proof::Modular(proof)), Stats { taken: Some(taken.counts()), ..stats(totals) })
}

fn stats((states, guarantees, contexts): (u64, u64, u64)) -> Stats {
    Stats::of(vec![("thread_states", states), ("guarantee_pairs", guarantees), ("contexts", contexts)])
}

/// The numbers of copies to look at: a thread with more copies than the cutoff is represented by
/// that many, and one with any number by all numbers up to it.
fn cases(program: &Program) -> Option<Vec<Vec<u32>>> {
    let cutoff = match program.cutoff() {
        Cutoff::At(copies) => copies,
        Cutoff::None(_) => u32::MAX,
    };
    let mut cases = vec![Vec::new()];
    for template in &program.templates {
        let choices = match template.copies {
            Copies::Single => 1..=1,
            Copies::Exactly(n) => n.min(cutoff)..=n.min(cutoff),
            Copies::Any => 0..=cutoff,
        };
        let extend = |case: &Vec<u32>| -> Vec<Vec<u32>> {
            choices.clone().map(|copies| [&case[..], &[copies]].concat()).collect()
        };
        cases = cases.iter().flat_map(extend).collect();
        if cases.len() > MAX_CASES {
            return None;
        }
    }
    Some(cases)
}

fn analyse_frontier(program: &Arc<Program>, search: Search, budget: &Budget) -> (Claim, Stats) {
    let instance = Instance::new(program.clone(), 0);
    if program.has_any_copies() || program.is_recursive() {
        let reason = "frontier searches need a fixed number of threads and no recursion".to_string();
        let advice = vec![Advice::UseFixpoint];
        return (Claim::Unknown(Unknown { reason, advice }), Stats::default());
    }
    if instance.threads.is_empty() {
        // Stores are known by the threads that see them; here nobody does.
        return analyse_cases(program, budget);
    }
    let sequence = match search {
        Search::Frontier => frontier(&instance, budget),
        Search::Fixpoint | Search::Relaxed => relaxed(&instance, budget),
    };
    let iterates = match sequence {
        Ok(iterates) => iterates,
        Err(stop) => return (Claim::Unknown(blame::stopped(&instance, stop)), Stats::default()),
    };
    let states = iterates.iter().flat_map(|i| &i.0).map(|s| s.len() as u64).sum();
    let stats = Stats::of(vec![("iterates", iterates.len() as u64), ("thread_states", states)]);
    for iterate in &iterates {
        match suspect_in(&instance, iterate) {
            Ok(None) => {}
            Ok(Some(suspect)) => return (Claim::Unknown(blame::unknown(&instance, &suspect, budget)), stats),
            Err(stop) => return (Claim::Unknown(blame::stopped(&instance, stop)), stats),
        }
    }
    let iterates = iterates.iter().map(|iterate| iterate.0.iter().map(|set| by_store(set)).collect()).collect();
    (Claim::Proved(Proof::Frontier(FrontierProof { iterates })), stats)
}

fn by_store(states: &[(Store, Store)]) -> Vec<(Store, Vec<Store>)> {
    let mut stores: BTreeMap<Store, Vec<Store>> = BTreeMap::new();
    for (store, local) in states {
        stores.entry(store.clone()).or_default().push(local.clone());
    }
    stores.into_iter().collect()
}

/// The first combination of an iterate's thread states that is an error.
fn suspect_in(instance: &Instance, iterate: &Iterate) -> Result<Option<safety::Suspect>, Stop> {
    let sets: Vec<Vec<(Store, Vec<Store>)>> = iterate.0.iter().map(|set| by_store(set)).collect();
    let Some(first) = sets.first() else { return Ok(None) };
    let sights = Sights::new(instance);
    for (store, _) in first {
        let mut candidates = Candidates { store, threads: Vec::new() };
        for (thread, set) in sets.iter().enumerate() {
            let mut states: Vec<(&[i64], Observations)> = Vec::new();
            for local in set.iter().filter(|(s, _)| s == store).flat_map(|(_, locals)| locals) {
                let steps = instance.steps(ThreadId(thread as u32), store, local);
                if let Some(failure) = steps.failures.first() {
                    let threads = vec![(thread, local.clone())];
                    let error = safety::Error::Step(failure.error, failure.span);
                    return Ok(Some(safety::Suspect { store: store.clone(), threads, error }));
                }
                states.push((local, steps.shown));
            }
            candidates.threads.push(states);
        }
        if let Some(suspect) = suspect_among(instance, &sights, &candidates)? {
            return Ok(Some(suspect));
        }
    }
    Ok(None)
}
