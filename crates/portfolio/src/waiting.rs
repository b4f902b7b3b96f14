//! Programs that forbid deadlocks: an order of the locks excludes these thread by thread, and another proof is about
//! everything else.

use crate::engine::Engine;
use crate::notes::Note;
use crate::verify::Request;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::check;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_engine_locks::{Order, is_about_waiting, order};
use threadwise_evidence::{HierarchyProof, Proof, Trace, Violation};
use threadwise_ir::{Instance, Pattern, Program};
use threadwise_limits::Budget;
use threadwise_replay::replay;
use threadwise_source::Span;

/// The order takes but a moment where there is one.
const FOR_THE_ORDER: Duration = Duration::from_secs(5);

/// As long as it may take to say whether an engine can treat a program.
const A_MOMENT: Duration = Duration::from_millis(500);

/// How long one of several provers has for everything else.
const FOR_THE_REST: Duration = Duration::from_secs(20);

/// An order of the locks; what it leaves open is proved by the first of these provers that can.
pub(crate) fn by_order(
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
    provers: &[&'static dyn Engine],
) -> (Claim, Stats) {
    let unknown =
        |reason: String| (Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] }), Stats::default());
    let (proof, open) = match order(program, &budget.slice(FOR_THE_ORDER)) {
        Err(limit) => return (Claim::Unknown(Unknown::at_limit(limit)), Stats::default()),
        Ok(Order::Unknown(why)) => return unknown(why),
        Ok(Order::Refutes(trace)) => return (Claim::Refuted(*trace), Stats::default()),
        Ok(Order::Excludes { proof, open }) => (proof, open),
    };
    let stats = Stats::of(vec![("locks", proof.order.len() as u64)]);
    let Some(open) = open else { return (Claim::Proved(Proof::Hierarchy(proof)), stats) };
    let remainder = Arc::new(HierarchyProof::remainder(program));
    let request = Request { in_company: true, want_proof: true, ..request.clone() };
    for prover in provers {
        if prover.applicable(&remainder).is_err() {
            continue;
        }
        let slice = match provers.len() {
            1 => budget.clone(),
            _ => budget.slice(FOR_THE_REST),
        };
        // What its judge refuses is no proof; the next prover may have one.
        if let (Claim::Proved(rest), stats) = prover.run(&remainder, &request, &slice)
            && check(&remainder, &rest, &slice).is_ok()
        {
            let proof = HierarchyProof { rest: Some(Box::new(rest)), ..proof };
            return (Claim::Proved(Proof::Hierarchy(proof)), stats);
        }
    }
    unknown(format!("nobody waits for ever, by the order in which locks are taken, but {open} is left open"))
}

/// The same, where an order is found at all and one of the provers knows about everything else.
pub(crate) fn proved_by_order(
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
    prover: &'static dyn Engine,
) -> Option<(Claim, Stats)> {
    // In company engine `locks` has been asked already.
    if request.in_company || !is_about_waiting(program) {
        return None;
    }
    let said = by_order(program, request, budget, &[prover]);
    matches!(said.0, Claim::Proved(_)).then_some(said)
}

/// Whether an order of locks is all that it takes to exclude deadlocks.
pub(crate) fn has_order(program: &Program) -> bool {
    let program = Arc::new(program.clone());
    let moment = Budget::unlimited().slice(A_MOMENT);
    is_about_waiting(&program) && matches!(order(&program, &moment), Ok(Order::Excludes { .. }))
}

/// Larger programs are not looked at where nobody asked.
const MOST_EDGES: usize = 20_000;

/// That threads take locks around a cycle and so may wait for ever, in a program that does not forbid it. A look that
/// takes but a moment; what it finds has been replayed.
pub(crate) fn note_on_waiting(program: &Arc<Program>, budget: &Budget) -> Option<Note> {
    let is_asked = is_about_waiting(program) || program.telling.is_some();
    if is_asked || program.edges.len() > MOST_EDGES || budget.check().is_err() {
        return None;
    }
    let mut forbidding = (**program).clone();
    forbidding.forbid_deadlocks(Span::default());
    let forbidding = Arc::new(forbidding);
    let Ok(Order::Refutes(trace)) = order(&forbidding, &budget.slice(A_MOMENT)) else { return None };
    let instance = Instance::new(forbidding.clone(), trace.any_copies.clone());
    replay(&instance, &trace).ok()?;
    let (place, name) = (waits_at(&instance, &trace)?, program.source.name().to_string());
    let Violation::Property(property) = trace.violation else { return None };
    match forbidding.property(property).pattern()? {
        Pattern::Deadlock => Some(Note::Deadlock { place, program: name }),
        Pattern::LockCycle => Some(Note::LockCycle { place, program: name }),
        Pattern::Signs(_) => None,
    }
}

/// Where the thread waits that moves first.
fn waits_at(instance: &Instance, trace: &Trace) -> Option<String> {
    let first = trace.steps.first()?.thread;
    let last = trace.steps.iter().rfind(|step| step.thread == first)?;
    let location = instance.program.location(instance.location_of(&last.local));
    Some(instance.program.source.locate(location.span))
}
