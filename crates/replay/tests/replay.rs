//! Good traces replay; traces with anything changed do not, and the reason says where.

use threadwise_evidence::{Trace, Violation};
use threadwise_ir::{Fault, Instance, PropertyId, StepError, ThreadId};
use threadwise_replay::replay;
use threadwise_testing::{KITCHEN_SINK, LOST_UPDATE, program, trace};

fn instance(text: &str) -> Instance {
    Instance::new(program(text), 2)
}

/// Why the trace is refused.
fn refused(instance: &Instance, trace: &Trace) -> String {
    replay(instance, trace).map(|_| ()).expect_err("the trace is wrong").to_string()
}

/// The trace of the lost update with one change.
fn changed(change: impl FnOnce(&mut Trace)) -> String {
    let instance = instance(LOST_UPDATE);
    let mut trace = trace(&instance);
    change(&mut trace);
    refused(&instance, &trace)
}

#[test]
fn good_traces_replay() {
    for text in [
        KITCHEN_SINK,
        LOST_UPDATE,
        "shared x: 0..1; thread W[*] { x = 1; } never x == 1;",
        "shared x: 0..1; thread W[2] { x = 1; } norace x;",
        "shared x: 0..1; thread P { x = 1; } invariant 1 / (1 - x) == 1;",
        "shared x: 0..1; thread P { atomic { x = 1; assert x == 0; } }",
    ] {
        let instance = instance(text);
        let trace = trace(&instance);
        let replayed = replay(&instance, &trace).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(replayed.trace(), &trace);
        assert!(replayed.last_state().is_some());
    }
}

#[test]
fn a_changed_value_is_refused() {
    let error = changed(|trace| trace.steps[1].shared[0] = 3);
    assert_eq!(
        error,
        "step 2 (test.tw:3:39): this step of W[1] leads to the values x = 1, but the trace says the values x = 3"
    );
    let error = changed(|trace| trace.steps[0].local[0] = 4);
    assert!(error.starts_with("step 1 (test.tw:3:32): after this step W[1] is at 3:39 with t = 0"), "{error}");
}

#[test]
fn a_skipped_step_is_refused() {
    let error = changed(|trace| drop(trace.steps.remove(0)));
    assert!(error.starts_with("step 1"), "{error}");
    let error = changed(|trace| drop(trace.steps.pop()));
    assert!(error.contains("there is no assertion error `assert x == 2;` after the last step"), "{error}");
}

#[test]
fn a_wrong_thread_is_refused() {
    let error = changed(|trace| trace.steps[1].thread = ThreadId(1));
    assert!(error.contains("W[2] cannot take this step here"), "{error}");
    let error = changed(|trace| trace.steps[1].thread = ThreadId(77));
    assert!(error.contains("no such thread"), "{error}");
}

#[test]
fn swapped_steps_are_refused() {
    let error = changed(|trace| trace.steps.swap(0, 1));
    assert!(error.starts_with("step 1"), "{error}");
}

#[test]
fn a_wrong_path_is_refused() {
    let error = changed(|trace| trace.steps[0].path = trace.steps[1].path.clone());
    assert!(error.contains("cannot take this step"), "{error}");
}

#[test]
fn a_wrong_violation_is_refused() {
    let instance = instance(LOST_UPDATE);
    let good = trace(&instance);
    let Violation::Step { thread, path, error, span } = good.violation.clone() else { panic!("an assertion") };
    let step =
        |thread, path: &threadwise_ir::Path, error, span| Violation::Step { thread, path: path.clone(), error, span };
    let elsewhere = program("thread P { skip; }").templates[0].span;
    for violation in [
        step(ThreadId(0), &path, error, span),
        step(ThreadId(99), &path, error, span),
        step(thread, &good.steps[0].path, error, span),
        step(thread, &path, StepError::Release, span),
        step(thread, &path, error, elsewhere),
        Violation::Property(PropertyId(0)),
        Violation::PropertyFault(PropertyId(3), Fault::Index, span),
        Violation::Initial(Fault::Range, span),
        Violation::Start { thread, error, span },
    ] {
        let text = refused(&instance, &Trace { violation, ..good.clone() });
        assert!(text.contains("there is no"), "{text}");
    }
}

#[test]
fn a_wrong_start_is_refused() {
    let error = changed(|trace| trace.initial.as_mut().expect("a state").shared[0] = 1);
    assert!(error.contains("does not start with the values x = 1"), "{error}");
    let error = changed(|trace| trace.initial.as_mut().expect("a state").locals[0][0] = 1);
    assert!(error.contains("W[1] does not start in the local state"), "{error}");
    let error = changed(|trace| drop(trace.initial.as_mut().expect("a state").locals.pop()));
    assert!(error.contains("2 threads, the program 3"), "{error}");
    let error = changed(|trace| trace.initial = None);
    assert!(error.contains("does not say where it starts"), "{error}");
    let error = changed(|trace| trace.initial.as_mut().expect("a state").shared = [].into());
    assert!(error.contains("0 words"), "{error}");
}

#[test]
fn a_wrong_number_of_copies_is_refused() {
    let instance = instance("shared x: 0..1; thread W[*] { x = 1; } never x == 1;");
    let error = refused(&instance, &Trace { any_copies: 5.into(), ..trace(&instance) });
    assert!(error.contains("about 5 copies of each `[*]` thread, not 2"), "{error}");
}

#[test]
fn errors_in_the_initial_values_are_confirmed() {
    let instance = instance("shared z: 0..1; shared x: int = 1 / z; thread P { skip; }");
    let (fault, span) = instance.initial_stores().faults[0];
    let trace = |fault| Trace {
        any_copies: 0.into(),
        initial: None,
        steps: Vec::new(),
        violation: Violation::Initial(fault, span),
    };
    replay(&instance, &trace(fault)).expect("it is there");
    refused(&instance, &trace(Fault::Index));
}

#[test]
fn errors_at_the_start_of_a_thread_are_confirmed() {
    let instance = instance("shared x: 0..1; thread P { var y: 0..1 = 2 - 0; x = y; }");
    let failures = instance.starts(ThreadId(0), &instance.initial_stores().stores[0]).failures;
    let failure = failures.first().expect("the declaration goes wrong");
    let (thread, error, span) = (ThreadId(0), failure.error, failure.span);
    let violation = Violation::Start { thread, error, span };
    let trace = Trace { any_copies: 0.into(), initial: None, steps: Vec::new(), violation };
    replay(&instance, &trace).expect("it is there");
}
