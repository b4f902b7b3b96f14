//! The engine `locks`: proves that nothing races, thread by thread and without values, from which locks threads hold and
//! from who has been started and joined. For large programs: its time grows with the number of edges.
//!
//! [`analyse`] supposes the best of the program: that what looks like a lock is one, and that nobody makes false what a
//! thread knows about the others. From this follows what holds at each point, and from that whether the suppositions
//! were right. What was not is given up, until nothing is left to give up. What is then known may be enough to
//! exclude each race, and each other error; then it is a proof.
//!
//! Errors other than races that depend on values are beyond it; it says which one it could not exclude.
//!
//! [`order`] looks for an order of the locks in which everybody takes them: then nobody waits for ever.

mod errors;
mod facts;
mod flow;
mod hierarchy;
mod model;
mod races;
mod read;
mod stable;
mod transfer;

pub use hierarchy::{Order, is_about_waiting, order};

use facts::{SetId, Sets};
use flow::{Banned, Code, Flow};
use model::Model;
use races::{Since, inside, race, shows, since};
use stable::{Misused, is_unsteady, unstable};
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::{CodeFacts, Fact, Proof, ProtectionProof};
use threadwise_ir::{AssertionKind, Copies, Op, Program, TemplateId, Update};
use threadwise_limits::{Budget, Limit};

/// For each template its code.
pub(crate) type Threads = Vec<Vec<Code>>;

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    if is_about_waiting(program) {
        return Ok(());
    }
    if program.formulas().next().is_some() {
        return Err("it has properties other than `norace`".to_string());
    }
    // Whoever says SAFE says whether there are initial states at all.
    if !program.init.is_empty() {
        return Err("values decide whether its `init` leaves an initial state".to_string());
    }
    let depends_on_values = program.edges.iter().find(|edge| match &edge.op {
        Op::Command(command) => {
            let asserts = command.assertions.iter().any(|assertion| assertion.kind == AssertionKind::Assert);
            asserts || matches!(command.update, Update::Action { assertion: Some(_), .. })
        }
        Op::Call { .. } | Op::Return(_) => false,
    });
    match depends_on_values {
        Some(edge) => Err(format!("values decide whether the assertion at {} holds", program.source.locate(edge.span))),
        None => Ok(()),
    }
}

/// Whether it is worth asking: where races are asked about, and of programs with memory, whose accesses mostly go well
/// whatever the values.
pub fn is_candidate(program: &Program) -> bool {
    let is_asked = program.patterns().next().is_some() || program.outline.is_some() || program.telling.is_some();
    is_asked && applicable(program).is_ok()
}

/// Looks for a proof that nothing races, in the program itself and then in its outline, where less has to be excluded.
pub fn analyse(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    let (claim, stats) = analyse_alone(program, budget);
    let (Some(outline), Claim::Unknown(_)) = (&program.outline, &claim) else { return (claim, stats) };
    let (claim, stats) = analyse_alone(outline, budget);
    let claim = match claim {
        Claim::Proved(Proof::Protection(proof)) => {
            Claim::Proved(Proof::Protection(ProtectionProof { is_of_outline: true, ..proof }))
        }
        claim => claim,
    };
    (claim, stats)
}

fn analyse_alone(program: &Program, budget: &Budget) -> (Claim, Stats) {
    let mut model = Model::new(program);
    let mut sets = Sets::new();
    let mut rounds = 0;
    let found = knowledge(&mut model, &mut sets, &mut rounds, budget);
    let threads = match found {
        Ok(threads) => threads,
        Err(limit) => return (Claim::Unknown(Unknown::at_limit(limit)), Stats::default()),
    };
    let points = threads.iter().flatten().map(|code| code.at.iter().flatten().count() as u64).sum();
    let stats = Stats::of(vec![("points", points), ("rounds", rounds)]);
    if let Some(reason) = errors::initial_value(program).or_else(|| error(&model, &sets, &threads)) {
        return (Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] }), stats);
    }
    let sinces: Vec<Vec<Since>> = threads.iter().map(|codes| sinces(&model, &mut sets, codes)).collect();
    let shows = shows(&model, &threads, &sinces);
    if let Some(reason) = race(&model, &mut sets, &shows) {
        let advice = vec![Advice::ProtectByMutex, Advice::UseAuto];
        return (Claim::Unknown(Unknown { reason, advice }), stats);
    }
    (Claim::Proved(Proof::Protection(proof(&model, &sets, &threads, &sinces))), stats)
}

/// What holds at each point of each thread, after what was supposed wrongly has been given up.
fn knowledge(model: &mut Model<'_>, sets: &mut Sets, rounds: &mut u64, budget: &Budget) -> Result<Threads, Limit> {
    let mut banned = Banned::default();
    loop {
        *rounds += 1;
        budget.report(|| format!("round {rounds}"));
        let threads = flows(model, sets, &banned, budget)?;
        let misused = Misused::found(model, sets, &threads).leave_out(model);
        if misused {
            // What excluded threads from each other may be gone.
            *sets = Sets::new();
            continue;
        }
        let before = banned.len();
        banned.extend(unstable(model, sets, &threads));
        if banned.len() == before {
            return Ok(threads);
        }
    }
}

fn flows(model: &Model<'_>, sets: &mut Sets, banned: &Banned, budget: &Budget) -> Result<Threads, Limit> {
    let mut threads = Vec::new();
    for (template, thread) in model.program.templates.iter().zip((0..).map(TemplateId)) {
        budget.check()?;
        threads.push(match template.copies {
            Copies::Exactly(0) => Vec::new(),
            _ => {
                let unsteady = |fact: &Fact| is_unsteady(model, thread, fact);
                Flow::of(model, sets, thread, banned, &unsteady, budget)?
            }
        });
    }
    Ok(threads)
}

fn sinces(model: &Model<'_>, sets: &mut Sets, codes: &[Code]) -> Vec<Since> {
    let inside = inside(model.program, codes);
    codes.iter().zip(inside).map(|(code, is_inside)| since(model, sets, code, is_inside)).collect()
}

/// Something other than a race that may go wrong.
fn error(model: &Model<'_>, sets: &Sets, threads: &Threads) -> Option<String> {
    threads.iter().zip((0..).map(TemplateId)).find_map(|(codes, thread)| {
        codes.iter().find_map(|code| {
            let first = model.program.routine(code.routine).locations.start as usize;
            model
                .program
                .edges_of(code.routine)
                .find_map(|(_, edge)| errors::error(model, sets, thread, code.at[edge.from.index() - first]?, edge))
        })
    })
}

/// The proof, with only those sets of facts that occur in it.
fn proof(model: &Model<'_>, sets: &Sets, threads: &Threads, sinces: &[Vec<Since>]) -> ProtectionProof {
    let mut proof = ProtectionProof { locks: model.locks.clone(), status: model.status, ..ProtectionProof::default() };
    let mut numbers = rustc_hash::FxHashMap::default();
    let mut kept = Vec::new();
    let mut number = |set: SetId| {
        *numbers.entry(set).or_insert_with(|| {
            kept.push(sets.get(set).to_vec());
            kept.len() as u32 - 1
        })
    };
    for (codes, sinces) in threads.iter().zip(sinces) {
        let mut of_thread = Vec::new();
        for (code, since) in codes.iter().zip(sinces) {
            of_thread.push(CodeFacts {
                routine: code.routine,
                at: code.at.iter().map(|set| set.map(&mut number)).collect(),
                since: since.iter().map(|set| set.filter(|set| *set != SetId::EMPTY).map(&mut number)).collect(),
                calls: code.calls.iter().map(|(edge, callee)| (*edge, *callee as u32)).collect(),
                returns: code.returns.map(&mut number),
            });
        }
        proof.threads.push(of_thread);
    }
    proof.sets = kept;
    proof
}
