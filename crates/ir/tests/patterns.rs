//! What threads show, and whether they meet a pattern.

use std::sync::Arc;
use threadwise_ir::deadlock::{ENDED, STILL, STUCK, WAITS};
use threadwise_ir::{Observation, Observations, Program, Property, PropertyId, Region, SharedId};
use threadwise_source::{SourceMap, Span};

const WRITES: u32 = 0;
const ACCESSES: u32 = 1;

fn program_with_races(count: usize) -> Program {
    let mut program = Program::empty(Arc::new(SourceMap::default()));
    for index in 0..count as u32 {
        let region = Region { vars: vec![SharedId(index)], depth: 1, plain: false };
        program.properties.push(Property::norace("x".into(), region, Span::default()));
    }
    program
}

fn shown(parts: &[(u32, u32, u32, u32)]) -> Observations {
    let mut shown = Observations::default();
    for &(property, sign, first, last) in parts {
        shown.add(Observation { property: PropertyId(property), sign, first, last });
    }
    shown
}

#[test]
fn elements_that_overlap_or_adjoin_become_one_range() {
    let together =
        shown(&[(0, WRITES, 5, 6), (0, WRITES, 1, 2), (0, WRITES, 3, 4), (0, ACCESSES, 7, 7), (1, WRITES, 0, 0)]);
    assert_eq!(together, shown(&[(0, WRITES, 1, 6), (0, ACCESSES, 7, 7), (1, WRITES, 0, 0)]));
    assert!((1..=6).all(|element| together.show(PropertyId(0), WRITES, element)));
    assert!(!together.show(PropertyId(0), WRITES, 0) && !together.show(PropertyId(0), WRITES, 7));
    let apart = shown(&[(0, WRITES, 1, 1), (0, WRITES, 3, 3)]);
    assert!(!apart.show(PropertyId(0), WRITES, 2));
    assert_eq!(apart.of(PropertyId(0)).len(), 2);
}

#[test]
fn one_thread_alone_meets_nothing() {
    let program = program_with_races(1);
    let writer = shown(&[(0, WRITES, 0, 9), (0, ACCESSES, 0, 9)]);
    assert!(program.patterns_met(&[&writer]).is_empty());
    assert!(program.patterns_met(&[&writer, Observations::none()]).is_empty());
    let met = program.patterns_met(&[Observations::none(), &writer, &writer]);
    assert_eq!(met[0].threads, [1, 2]);
}

#[test]
fn threads_meet_in_an_element_that_all_of_them_show() {
    let program = program_with_races(80);
    let reader = shown(&[(79, ACCESSES, 4, 8)]);
    let writer = |first, last| shown(&[(79, WRITES, first, last), (79, ACCESSES, first, last), (3, WRITES, 4, 4)]);
    assert!(program.patterns_met(&[&reader, &writer(0, 3)]).is_empty());
    assert!(program.patterns_met(&[&reader, &reader]).is_empty());
    for (range, element) in [(writer(0, 4), 4), (writer(8, 9), 8), (writer(6, 6), 6)] {
        let met = program.patterns_met(&[&reader, &range]);
        assert_eq!((met.len(), met[0].property, met[0].element), (1, PropertyId(79), element));
        assert_eq!(met[0].threads, [1, 0], "the writer comes first, as in the pattern");
    }
}

fn program_without_deadlocks() -> Program {
    let mut program = Program::empty(Arc::new(SourceMap::default()));
    program.properties.push(Property::nodeadlock(Span::default()));
    program.properties.push(Property::nolockcycle(Span::default()));
    program
}

#[test]
fn a_deadlock_is_met_by_all_threads_or_not_at_all() {
    let program = program_without_deadlocks();
    let (still, stuck) = (shown(&[(0, STILL, 0, 0)]), shown(&[(0, STILL, 0, 0), (0, STUCK, 0, 0)]));
    assert!(program.patterns_met(&[]).is_empty());
    assert!(program.patterns_met(&[&still, &still]).is_empty(), "all may rest");
    assert!(program.patterns_met(&[&stuck, Observations::none()]).is_empty(), "one can go on");
    let met = &program.patterns_met(&[&still, &stuck, &stuck])[0];
    assert_eq!((met.property, &met.threads[..]), (PropertyId(0), &[1, 0, 2][..]));
    assert_eq!(met.shown, [(STUCK, 0), (STILL, 0), (STILL, 0)]);
}

#[test]
fn a_cycle_of_locks_is_met_by_those_on_it() {
    let program = program_without_deadlocks();
    let waits = |holder: u32| shown(&[(1, WAITS, holder, holder)]);
    let nothing = Observations::none();
    // Threads are numbered from 1. The first one waits for the others, and nobody for it.
    assert!(program.patterns_met(&[&waits(2), &waits(3), nothing]).is_empty());
    let met = &program.patterns_met(&[&waits(2), &waits(3), &waits(2)])[0];
    assert_eq!((&met.threads[..], &met.shown[..]), (&[1, 2][..], &[(WAITS, 3), (WAITS, 2)][..]));
    let met = &program.patterns_met(&[nothing, &waits(2)])[0];
    assert_eq!((&met.threads[..], &met.shown[..]), (&[1][..], &[(WAITS, 2)][..]));
    // A thread that may wait for several others closes a cycle with one of them.
    let met = &program.patterns_met(&[&shown(&[(1, WAITS, 2, 3)]), nothing, &waits(1)])[0];
    assert_eq!((&met.threads[..], &met.shown[..]), (&[0, 2][..], &[(WAITS, 3), (WAITS, 1)][..]));
    // Whoever has ended gives nothing back, and waits for nobody.
    let ended = shown(&[(1, ENDED, 0, 0)]);
    assert!(program.patterns_met(&[&ended, &ended]).is_empty());
    let met = &program.patterns_met(&[&ended, &waits(1)])[0];
    assert_eq!((&met.threads[..], &met.shown[..]), (&[1, 0][..], &[(WAITS, 1), (ENDED, 0)][..]));
}
