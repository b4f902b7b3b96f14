//! Modular proofs as people read them.

use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_evidence::{Annotation, Context, FrontierProof, ModularProof, Proof, ThreadAnnotation};
use threadwise_front_tw::Options;
use threadwise_ir::{Copies, Instance, Program, Store, TemplateId, ThreadId};
use threadwise_report::{Layout, render_proof};
use threadwise_source::SourceFile;

type ThreadStates = BTreeSet<(Store, Store)>;

fn program(text: &str) -> Arc<Program> {
    let loaded = threadwise_front_tw::load(SourceFile::new("test.tw", text), &Options::default());
    Arc::new(loaded.program.expect("the program should be correct"))
}

/// The rules of FQ, section 2.2, applied to all threads until nothing is new: slow and obvious.
fn fixpoint(instance: &Instance) -> Vec<ThreadStates> {
    let mut states = vec![ThreadStates::new(); instance.threads.len()];
    let mut guarantees: BTreeSet<(usize, Store, Store)> = BTreeSet::new();
    for shared in instance.initial_stores().stores {
        for (thread, states) in states.iter_mut().enumerate() {
            for start in instance.starts(ThreadId(thread as u32), &shared).successors {
                states.insert((shared.clone(), start.local));
            }
        }
    }
    loop {
        let before = (states.clone(), guarantees.len());
        for (thread, states) in states.iter_mut().enumerate() {
            for (shared, local) in &before.0[thread] {
                for next in instance.steps(ThreadId(thread as u32), shared, local).successors {
                    states.insert((next.shared.clone(), next.local));
                    guarantees.insert((thread, shared.clone(), next.shared));
                }
                for (other, from, to) in &guarantees {
                    if *other != thread && from == shared {
                        states.insert((to.clone(), local.clone()));
                    }
                }
            }
        }
        if before == (states.clone(), guarantees.len()) {
            return states;
        }
    }
}

fn by_store(states: &ThreadStates) -> Vec<(Store, Vec<Store>)> {
    states.iter().map(|(shared, local)| (shared.clone(), vec![local.clone()])).collect()
}

fn annotation(program: &Arc<Program>, copies: &[u32]) -> Annotation {
    let instance = Instance::with_copies(program.clone(), copies);
    let states = fixpoint(&instance);
    let thread = |index: usize| {
        let first = instance.copies_of(TemplateId(index as u32)).next();
        let context = |first: usize| Context { callers: Vec::new(), states: by_store(&states[first]) };
        ThreadAnnotation { contexts: first.map(context).into_iter().collect() }
    };
    Annotation { copies: copies.to_vec(), threads: (0..copies.len()).map(thread).collect() }
}

/// The text of a proof with at most so many copies of each thread.
fn text(source: &str, most: u32) -> String {
    shown(source, most, &PLAIN)
}

const PLAIN: Layout = Layout { width: None, color: false, whole: false };

fn shown(source: &str, most: u32, layout: &Layout) -> String {
    let program = program(source);
    let copies = program.templates.iter().map(|template| match template.copies {
        Copies::Single => 1,
        Copies::Exactly(n) => n.min(most),
        Copies::Any => most,
    });
    let copies: Vec<u32> = copies.collect();
    let none = vec![0; copies.len()];
    let cases = vec![annotation(&program, &copies), annotation(&program, &none)];
    let proof = Proof::Modular(ModularProof { cases });
    render_proof(&program, &proof, layout).expect("the proof is modular")
}

#[test]
fn simple_of_fq() {
    insta::assert_snapshot!(text(SIMPLE, 4));
}

#[test]
fn some_copies_stand_for_all() {
    assert!(text(&SIMPLE.replace("[3]", "[64]"), 4).contains("thread Worker[64]: 64 copies (4 stand for them all)\n"));
}

#[test]
fn any_number_of_copies() {
    insta::assert_snapshot!(text(&SIMPLE.replace("[3]", "[*]"), 4));
}

#[test]
fn mutual_exclusion_with_two_flags() {
    insta::assert_snapshot!(text(PETERSON, 1));
}

#[test]
fn several_threads_with_copies() {
    insta::assert_snapshot!(text(HANDOVER, 3));
}

#[test]
fn a_place_for_every_copy() {
    insta::assert_snapshot!(text(BARRIER, 3));
}

#[test]
fn calls_and_sets() {
    insta::assert_snapshot!(text(CALLS, 1));
}

#[test]
fn recursive_procedures_by_routine() {
    let program = program(RECURSIVE);
    let instance = Instance::with_copies(program.clone(), &[1]);
    // Up to two calls of `down` inside each other, put into contexts as summaries would: local
    // states without what is below the running frame.
    let mut contexts = vec![Context::default(), Context::default()];
    for (shared, local) in &fixpoint(&instance)[0] {
        let frames: Vec<Store> = instance.frames(local).map(|frame| frame.words.into()).collect();
        let context = &mut contexts[usize::from(frames.len() > 1)];
        context.states.push((shared.clone(), vec![frames[0].clone()]));
        context.callers.extend(frames.get(1).map(|caller| (0, caller.clone())));
    }
    let case = Annotation { copies: vec![1], threads: vec![ThreadAnnotation { contexts }] };
    let proof = Proof::Modular(ModularProof { cases: vec![case] });
    insta::assert_snapshot!(render_proof(&program, &proof, &PLAIN).expect("the proof is modular"));
}

#[test]
fn sequences_of_sets() {
    let program = program(WAITS);
    let instance = Instance::new(program.clone(), 0);
    // Any sequence will do here: the sets of a fixpoint, one thread state each.
    let states = fixpoint(&instance);
    let longest = states.iter().map(BTreeSet::len).max().unwrap_or(0);
    let iterate = |step: usize| {
        let nth = |states: &ThreadStates| states.iter().nth(step).cloned();
        states.iter().map(|s| nth(s).map(|(shared, local)| (shared, vec![local])).into_iter().collect()).collect()
    };
    let proof = Proof::Frontier(FrontierProof { iterates: (0..longest).map(iterate).collect() });
    insta::assert_snapshot!(render_proof(&program, &proof, &PLAIN).expect("the proof is modular"));
}

#[test]
fn narrow_terminals_break_formulas() {
    insta::assert_snapshot!(shown(SIMPLE, 3, &Layout { width: Some(50), ..PLAIN }));
}

#[test]
fn long_proofs_are_cut() {
    let body: String = (0..100).map(|n| format!("  {}x = 1 - x;\n", if n == 90 { "late: " } else { "" })).collect();
    let source = format!("shared x: 0..1;\nthread P {{\n{body}}}\n");
    let short = text(&source, 1);
    assert!(short.lines().count() <= 60 + 5, "{short}");
    assert!(short.contains("late: x = 1 - x;"), "labels are what readers look for: {short}");
    assert!(short.contains("61 more locations; -v shows all"), "{short}");
    let whole = shown(&source, 1, &Layout { whole: true, ..PLAIN });
    assert_eq!(whole.lines().filter(|line| line.contains("1 - x")).count(), 100);
    assert!(!whole.contains("more locations"));
}

/// Each thread has three places where it waits or works, and one where it has ended; only so many are looked at.
#[test]
fn of_many_threads_the_rest_is_counted() {
    let thread = |n: usize| format!("thread T{n} {{ skip; skip; skip; }}\n");
    let source: String = std::iter::once("shared x: 0..1;\n".to_string()).chain((1..=60).map(thread)).collect();
    let short = text(&source, 1);
    // With 120 places looked at, which are four of each thread, 30 threads are not.
    let shown = (1..=30).filter(|n| short.contains(&format!("thread T{n}\n"))).count();
    assert!(shown > 0 && !short.contains("thread T31\n"), "{short}");
    assert!(short.contains(&format!("{} more threads", 60 - shown)), "{shown}: {short}");
    let whole = self::shown(&source, 1, &Layout { whole: true, ..PLAIN });
    assert!((1..=60).all(|n| whole.contains(&format!("thread T{n}\n"))));
}

/// The outer ones of many calls under way are only counted.
#[test]
fn long_chains_of_calls_are_told_in_brief() {
    let procedure = |n: usize| format!("proc f{n}() {{ f{}(); x = 0; }}\n", n - 1);
    let first = "shared x: 0..1;\nproc f0() { x = 1; }\n".to_string();
    let source: String =
        std::iter::once(first).chain((1..=20).map(procedure)).collect::<String>() + "thread P { f20(); }\n";
    let whole = shown(&source, 1, &Layout { whole: true, ..PLAIN });
    // f0 has been called by f1 in line 3, that by f2 in line 4, and so on; 21 calls are open.
    let chain =
        "in f0, called at 3:13 from 4:13 from 5:13 from 6:13 from 7:13 from 8:13 from 9:13 from 10:13 and 13 more\n";
    assert!(whole.contains(chain), "{whole}");
    assert!(whole.contains("in f18, called at 21:14 from 22:14 from 23:12\n"), "{whole}");
}

/// Eight truth values that may become anything: 256 states with as many steps each, which nobody wants to read, nor to wait for.
#[test]
fn a_guarantee_of_very_many_steps_is_not_told() {
    let text = text("shared a: [0..7]bool;\nthread P { loop { a = *; } }\n", 1);
    assert!(text.contains("guarantee: too long to show"), "{text}");
}

/// A buffer of three slots: what is known of each slot makes long formulas.
const RING: &str = "\
shared slot: [0..2]0..3;
shared head, tail: 0..2;
shared taken: 0..3;
thread Producer {
  var item: 0..3 = 1;
  while (true) {
    await (tail + 1) % 3 != head;
    slot[tail] = item;
    tail = (tail + 1) % 3;
    item = item % 3 + 1;
  }
}
thread Consumer {
  var got: 0..3;
  while (true) {
    await head != tail;
    got = slot[head];
    assert got == taken % 3 + 1;
    taken = got;
    head = (head + 1) % 3;
  }
}
";

#[test]
fn long_proofs_fit_a_screen_or_two() {
    for width in [80, 100, 140] {
        let layout = Layout { width: Some(width), ..PLAIN };
        let short = shown(RING, 1, &layout);
        assert!(short.lines().count() <= 70, "{} lines at {width}: {short}", short.lines().count());
        assert!(short.lines().all(|line| line.chars().count() <= width), "{short}");
        // What holds at all places is said once, and what a reader looks for is there.
        assert_eq!(short.matches("slot[1] in {0, 2} && slot[2] in {0, 3}").count(), 2, "{short}");
        assert_eq!(short.matches("guarantee:").count(), 2, "{short}");
        assert!(short.contains("assert got == taken % 3 + 1;"), "{short}");
        assert!(short.trim_end().ends_with("-v shows all"), "{short}");
        let whole = shown(RING, 1, &Layout { whole: true, ..layout });
        assert!(whole.lines().count() > 100 && !whole.contains('…'), "{whole}");
    }
}

#[test]
fn a_reachable_set_is_not_modular() {
    let program = program(SIMPLE);
    assert_eq!(render_proof(&program, &Proof::Reachable(Default::default()), &PLAIN), None);
}

const SIMPLE: &str = "\
shared x: 0..1 = 1;
shared m: mutex;
thread Worker[3] {
  acquire(m);
  x = 0;
  x = x + 1;
  assert x > 0;
  release(m);
}
";

const PETERSON: &str = "\
shared x, y: bool;
shared turn: 0..1;
thread P1 {
  loop {
    x = true;
    turn = 1;
    await !(y && turn == 1);
    critical: x = false;
  }
}
thread P2 {
  loop {
    y = true;
    turn = 0;
    await !(x && turn == 0);
    critical: y = false;
  }
}
";

const HANDOVER: &str = "\
shared owner, last: tid;
thread Boss {
  atomic { await owner == none; owner = self; }
  owner = none;
}
thread V[2] {
  atomic { await owner == none; owner = self; }
  last = owner;
  owner = none;
}
thread W[3] {
  atomic { await owner == none; owner = self; }
  owner = none;
}
";

const BARRIER: &str = "\
shared arrived: [tid]bool;
thread W[3] {
  arrived[self] = true;
  await forall t: W :: arrived[t];
  passed: skip;
}
";

const CALLS: &str = "\
type Light = enum { red, yellow, green };
shared light: Light;
shared seen: set<0..2>;
shared count: 0..9;
proc note(n: 0..2) {
  seen = seen union {n};
}
thread P {
  var i: 0..2;
  light = green;
  while (i < 2) {
    note(i);
    count = count + 1;
    i = i + 1;
  }
  light = red;
}
";

const RECURSIVE: &str = "\
shared depth: 0..2;
proc down(n: 0..2) {
  if (n > 0) {
    depth = depth + 1;
    down(n - 1);
    depth = depth - 1;
  }
}
thread P {
  down(2);
  assert depth == 0;
}
";

const WAITS: &str = "\
shared g: 0..1;
thread T1 {
  await g == 1;
  await g == 0;
}
thread T2 {
  g = 1;
  g = 0;
}
";
