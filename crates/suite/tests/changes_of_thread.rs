//! Among the shortest traces the one that is shown has the fewest changes of thread: compared with a count over all states.

use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{Trace, Violation};
use threadwise_ir::{Instance, Program, State, ThreadId};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineOptions, Request, verify};
use threadwise_suite::{examples_in, program};
use threadwise_verdict::Verdict;

/// More states at one distance than this are not looked at.
const MAX_LEVEL: usize = 4000;

/// The trace of engine `explicit`.
fn trace(program: &Arc<Program>, symmetry: bool) -> Option<Trace> {
    let options = EngineOptions::default().with_symmetry(symmetry);
    let request = Request { engine: "explicit".parse().expect("an engine"), options, ..Request::default() };
    match verify(program, &request, &Budget::unlimited()).verdict {
        Verdict::Unsafe(found) => Some(found.trace().trace().clone()),
        _ => None,
    }
}

fn changes(trace: &Trace) -> usize {
    let mut threads: Vec<ThreadId> = trace.steps.iter().map(|step| step.thread).collect();
    if let Violation::Step { thread, .. } = trace.violation {
        threads.push(thread);
    }
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The length of a shortest trace, and the fewest changes in one of these; nothing if that takes too long to find.
fn fewest(program: &Arc<Program>) -> Option<(usize, usize)> {
    let instance = Instance::new(program.clone(), 0);
    let mut level: BTreeMap<(State, Option<ThreadId>), usize> = BTreeMap::new();
    for state in threadwise_testing::initial_states(&instance) {
        level.insert((state, None), 0);
    }
    for length in 0.. {
        let ends = level.iter().filter_map(|((state, last), &changes)| {
            let wrong = threadwise_claims::violation_in(&instance, state)?;
            let one_more = matches!(wrong, Violation::Step { thread, .. } if last.is_some_and(|last| last != thread));
            Some(changes + usize::from(one_more))
        });
        if let Some(fewest) = ends.min() {
            return Some((length, fewest));
        }
        let mut next: BTreeMap<(State, Option<ThreadId>), usize> = BTreeMap::new();
        for ((state, last), changes) in &level {
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                for step in state.steps(&instance, thread).successors {
                    let mut after = State { shared: step.shared, locals: state.locals.clone() };
                    after.locals[thread.index()] = step.local;
                    let more = changes + usize::from(last.is_some_and(|last| last != thread));
                    let known = next.entry((after, Some(thread))).or_insert(more);
                    *known = more.min(*known);
                }
            }
        }
        if next.is_empty() || next.len() > MAX_LEVEL {
            return None;
        }
        level = next;
    }
    None
}

#[test]
fn shortest_traces_have_the_fewest_changes() {
    let mut compared = 0;
    for folder in ["tests/corpus/deadlock", "tests/corpus/sync", "tests/corpus/mutex", "tests/corpus/data"] {
        for example in examples_in(folder).into_iter().filter(|example| !example.safe) {
            let (program, name) = (example.program(), example.path.display().to_string());
            let Some(expected) = Some(&program).filter(|program| !program.has_any_copies()).and_then(fewest) else {
                continue;
            };
            for symmetry in [true, false] {
                let trace = trace(&program, symmetry).expect("there is an error");
                assert_eq!((trace.steps.len(), changes(&trace)), expected, "{name}, symmetry {symmetry}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared}");
}

#[test]
fn who_begins_goes_on_as_long_as_that_is_no_detour() {
    let text = "shared x: 0..3; thread W[2] { var y: 0..3; y = x; x = y + 1; assert x == y + 1; }";
    let trace = trace(&program("test.tw", text), true).expect("an update is lost");
    let threads: Vec<u32> = trace.steps.iter().map(|step| step.thread.0).collect();
    assert_eq!((threads, changes(&trace)), (vec![0, 0, 1, 1], 2));
}
