//! Engine `coverability`: any number of interchangeable copies, decided exactly.
//!
//! Of a state it is enough to know its *core* (the shared store, the threads whose number is fixed, and the copies to which
//! the store refers, like the holder of a mutex) and how many of the other copies, its *crowd*, have which local state.
//! More copies take no step away from anybody, and no error: that makes it a well-structured transition system, for which
//! it can be decided whether an error can be reached, by going back from the smallest errors. What no crowd can have at
//! all is found by going forward first, and is not looked at.
//!
//! The engine knows nothing of other engines, of solvers or of files.

mod backward;
mod bounds;
mod exact;
mod forward;
mod frame;
mod members;
mod proof;
mod targets;
#[cfg(test)]
mod tests;
mod theory;
mod trace;

pub use theory::applicable;

use backward::Backward;
use forward::{Forward, Start, Stop, starts};
use frame::Frame;
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::{Proof, Trace, Violation};
use threadwise_ir::{Instance, Program, ThreadId};
use threadwise_limits::Budget;
use trace::{NoTrace, trace};

/// Programs with unbounded data are given up when there are more cores and local states than this.
const MAX_STATES_IF_INFINITE: usize = 50_000;

/// Decides whether an error can be reached with some number of copies.
pub fn analyse(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    let frame = match applicable(program).and_then(|()| Frame::new(program)) {
        Ok(frame) => frame,
        Err(reason) => return (unknown(reason, vec![Advice::UseAuto]), Stats::default()),
    };
    let max_states = if program.has_unbounded_data() { MAX_STATES_IF_INFINITE } else { usize::MAX };
    let mut forward = Forward::new(&frame, max_states);
    match begin(program, &mut forward) {
        Ok(()) => {}
        Err(Begin::Wrong(trace)) => return (Claim::Refuted(*trace), Stats::default()),
        Err(Begin::Stop(stop)) => return (stopped(program, stop), Stats::default()),
    }
    let mut elements = 0;
    let claim = decide(program, &mut forward, &mut elements, budget).unwrap_or_else(|stop| stopped(program, stop));
    let numbers = vec![
        ("cores", forward.core_count() as u64),
        ("crowd_states", forward.members.len() as u64),
        ("steps", forward.transitions.len() as u64),
        ("backward_elements", elements),
    ];
    let taken = matches!(claim, Claim::Proved(_)).then(|| forward.tables.taken.counts());
    (claim, Stats { taken, ..Stats::of(numbers) })
}

/// Why the analysis does not begin.
enum Begin {
    Wrong(Box<Trace>),
    Stop(Stop),
}

fn begin(program: &Arc<Program>, forward: &mut Forward<'_>) -> Result<(), Begin> {
    let wrong = |any_copies: u32, violation: Violation| {
        let any_copies = any_copies.into();
        Begin::Wrong(Box::new(Trace { any_copies, initial: None, steps: Vec::new(), violation }))
    };
    let stores = forward.frame.instance.initial_stores();
    if let Some(&(fault, span)) = stores.faults.first() {
        return Err(wrong(0, Violation::Initial(fault, span)));
    }
    if let Some(gap) = stores.gap {
        return Err(Begin::Stop(Stop::Gap(gap)));
    }
    for store in &stores.stores {
        let starts = starts(forward, store).map_err(|start| match start {
            Start::Stop(stop) => Begin::Stop(stop),
            Start::Fails(template, error, span) => {
                let thread = ThreadId(Instance::new(program.clone(), 1).copies_of(template).start as u32);
                wrong(1, Violation::Start { thread, error, span })
            }
        })?;
        let shared = forward.tables.shared.intern(store);
        forward.start(shared, &starts).map_err(Begin::Stop)?;
    }
    Ok(())
}

/// Forward to all that may be, and back from what is an error.
fn decide(
    program: &Arc<Program>,
    forward: &mut Forward<'_>,
    elements: &mut u64,
    budget: &Budget,
) -> Result<Claim, Stop> {
    forward.run(budget)?;
    let targets = targets::targets(forward, budget)?;
    let bounds = bounds::bounds(forward, &targets.errors, budget)?;
    let mut backward = Backward::new(forward, bounds);
    let mut found = backward.run(forward, &targets.errors, budget)?;
    if found.is_none() {
        found = backward.run(forward, &targets.deadlocks, budget)?;
    }
    *elements = backward.elements.len() as u64;
    let Some(start) = found else {
        return Ok(Claim::Proved(Proof::Coverability(proof::proof(forward, &backward, budget)?)));
    };
    match trace(program, forward, &backward, start, budget) {
        Ok(trace) => Ok(Claim::Refuted(trace)),
        Err(NoTrace::Stop(stop)) => Err(stop),
        Err(NoTrace::TooManyCopies(copies)) => {
            Ok(unknown(format!("there is an error that takes {copies} copies"), Vec::new()))
        }
        Err(NoTrace::EndsWell) => Ok(unknown(
            "some threads can wait for ever, unless a further copy wakes them up: that more copies may end a deadlock \
             is outside of this theory"
                .into(),
            vec![Advice::UseAuto],
        )),
    }
}

fn unknown(reason: String, advice: Vec<Advice>) -> Claim {
    Claim::Unknown(Unknown { reason, advice })
}

fn stopped(program: &Program, stop: Stop) -> Claim {
    Claim::Unknown(match stop {
        Stop::Limit(limit) => Unknown::at_limit(limit),
        Stop::Gap(gap) => Unknown::from_gap(program, gap),
        Stop::TooMany => Unknown {
            reason: "with unbounded data a thread has too many states".to_string(),
            advice: vec![Advice::UseAuto],
        },
        Stop::FromNothing => Unknown {
            reason: "a variable may get any thread as its value".to_string(),
            advice: vec![Advice::FixedNumberOfCopies],
        },
    })
}
