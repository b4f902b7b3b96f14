//! ABSTHR's own examples, and what is said where a thread does not conform.

use std::path::Path;
use std::sync::Arc;
use threadwise_claims::Unknown;
use threadwise_diagnostics::render;
use threadwise_engine_conformance::{Conformed, conform, prove_together};
use threadwise_evidence::Simulation;
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_print::show_property;
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;

fn program(text: &str) -> Arc<Program> {
    let file = SourceFile::new("test.tw", text);
    let lowered = load(file.clone(), &Options::default());
    Arc::new(lowered.program.unwrap_or_else(|| panic!("{}", render(&file.clone().into(), &lowered.diagnostics, false))))
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("readable example")
}

fn conformed(text: &str) -> Result<Conformed, Unknown> {
    let solver = solver_for_tests();
    conform(&program(text), Ok(&solver), &Budget::unlimited())
}

/// The reason why threads do not conform.
fn refusal(text: &str) -> String {
    match conformed(text) {
        Ok(_) => panic!("the threads conform"),
        Err(unknown) => unknown.reason,
    }
}

fn without_solver(text: &str) -> Result<Conformed, Unknown> {
    conform(&program(text), Err("there is no solver"), &Budget::unlimited())
}

/// For each thread whether assertions were needed.
fn needed_assertions(conformed: &Conformed) -> Vec<bool> {
    conformed.threads.iter().map(|thread| matches!(thread.simulation, Simulation::Assertions(_))).collect()
}

#[test]
fn figure_3_abstracts_figure_2() {
    let conformed = conformed(&example("abstract-threads.tw")).expect("both conform");
    assert_eq!(needed_assertions(&conformed), [true, true]);
    let solver = solver_for_tests();
    let together = prove_together(&conformed.abstraction.composition, Ok(&solver), &Budget::unlimited());
    assert!(together.is_ok(), "{together:?}");
}

#[test]
fn the_variant_with_a_negative_number_is_refused() {
    let reason = refusal(&example("abstract-threads-negative-buggy.tw"));
    let first = "`A` does not conform to its abstract thread: no edge simulates `g = x;` (21:3)";
    assert!(reason.starts_with(first), "{reason}");
    // The number that is stored was there from the start, and the assertion of X1 holds before.
    assert!(reason.contains("before: g = 1; A at 21:3 with x = -1"), "{reason}");
    assert!(reason.contains("after: g = -1; A at its end with x = -1"), "{reason}");
    // Steps that leave `g` alone are also steps from X1 to X2, because `g` is positive.
    assert!(reason.contains("the abstract thread may be in {X1, X2}"), "{reason}");
}

/// Without the assertion in X1 the thread could store what it has read (ABSTHR, section 2.1).
#[test]
fn the_assertion_of_x1_is_needed() {
    let text = example("abstract-threads.tw").replace("X1: assert g > 0;", "X1:;");
    let reason = refusal(&text);
    assert!(reason.contains("no edge simulates `g = x;`"), "{reason}");
}

/// The check is a matter of states for the drivers with ranges, and of a solver without.
#[test]
fn the_drivers_conform() {
    for (name, infinite) in
        [("bluetooth", false), ("battery", false), ("bluetooth-unbounded", true), ("battery-unbounded", true)]
    {
        let conformed = conformed(&example(&format!("{name}.tw"))).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(needed_assertions(&conformed), [infinite], "{name}");
    }
}

#[test]
fn finite_threads_need_no_solver() {
    assert!(without_solver(&example("bluetooth.tw")).is_ok());
    let Err(unknown) = without_solver(&example("bluetooth-unbounded.tw")) else { panic!("a solver is needed") };
    assert!(unknown.reason.contains("cannot be checked state by state, and there is no solver"), "{}", unknown.reason);
}

#[test]
fn errors_must_be_errors_of_a_node() {
    let text =
        example("bluetooth.tw").replace("inside: assert pendingIO > 0 && !stopped;", "inside: assert pendingIO > 0;");
    let reason = refusal(&text);
    assert!(reason.contains("a failing assertion at test.tw:50:5 is no error of a node"), "{reason}");
    assert!(reason.contains("stopped = true"), "{reason}");
    assert!(reason.contains("{counted, inside}"), "{reason}");
    let text = example("bluetooth.tw").replace("outside: assert pendingIO <= N;", "outside:;");
    let reason = refusal(&text);
    assert!(reason.contains("a value out of range at test.tw:42:3 is no error of a node"), "{reason}");
    assert!(reason.contains("pendingIO = 4"), "{reason}");
}

#[test]
fn a_property_of_one_thread_becomes_its_error() {
    let text = example("battery.tw");
    assert!(without_solver(&text).is_ok());
    let weaker = text
        .replace("    && !stopped && WorkerActive > 0 && 0 < InUseCount", "    && WorkerActive > 0 && 0 < InUseCount");
    assert_ne!(text, weaker);
    let reason = refusal(&weaker);
    assert!(
        reason.contains("a violation of `never stopped && (exists w: Worker :: w@access)` is no error"),
        "{reason}"
    );
}

const LOCK: &str = "
shared held: bool;
thread W[2] {
  loop {
    atomic { await !held; held = true; }
    critical: skip;
    held = false;
  }
}
never exists i: W, j: W :: i != j && i@critical && j@critical;
";

#[test]
fn labels_that_are_names_of_nodes_must_agree() {
    let agreeing = "abstract W { init away; away:; critical:; leaving:;
      away -> critical [held] !held && held'; critical -> leaving [] true; leaving -> away [held] !held'; }";
    let conformed = without_solver(&format!("{LOCK}{agreeing}")).expect("it conforms");
    assert_eq!(conformed.abstraction.composition.properties.len(), 1);
    // Here the abstract thread may still be at `critical` when the thread is not.
    let lagging = "abstract W { init away; idle; away:; critical:;
      away -> critical [held] !held && held'; critical -> away [held] !held'; }";
    let reason = refusal(&format!("{LOCK}{lagging}"));
    assert!(reason.contains("the labels differ after `skip;` (6:15)"), "{reason}");
    assert!(reason.contains("{critical}"), "{reason}");
}

#[test]
fn properties_that_cannot_be_asked_are_named() {
    let other = "abstract W { init X; X:; X -> X; }";
    let reason = refusal(&format!("{LOCK}{other}"));
    assert!(reason.starts_with("the abstract threads cannot answer for `never exists i: W, j: W"), "{reason}");
    assert!(reason.contains("labels that are not names of nodes"), "{reason}");
    let race = LOCK.replace("never exists i: W, j: W :: i != j && i@critical && j@critical;", "norace held;");
    let reason = refusal(&format!("{race}{other}"));
    assert!(reason.contains("`W` accesses `held`, and its abstract thread does not say when"), "{reason}");
}

/// Copies that `ord` tells apart are checked one by one.
#[test]
fn copies_that_differ_are_all_checked() {
    let text = |bound: i64| {
        format!(
            "shared x: 0..3; thread W[3] {{ x = ord(self); }}
             abstract W {{ init A; idle; A:; B:; A -> B [x] x' <= {bound}; }}"
        )
    };
    assert_eq!(without_solver(&text(3)).expect("all conform").threads.len(), 3);
    let reason = refusal(&text(2));
    assert!(reason.contains("after: x = 3"), "{reason}");
}

/// With any number of threads, threads that speak of each other are a matter for the solver.
#[test]
fn any_number_of_copies() {
    let text = "shared m: mutex; shared x: 0..1;
        thread W[*] { acquire(m); x = 1; x = 0; release(m); }
        abstract W {
          init out; out:; inside: assert m == self; changed: assert m == self; restored: assert m == self; gone:;
          out -> inside [m] m == none && m' == self;
          inside -> changed [x] x' == 1;
          changed -> restored [x] x' == 0;
          restored -> gone [m] m' == none;
        }";
    let conformed = conformed(text).expect("it conforms");
    assert_eq!(needed_assertions(&conformed), [true]);
    let independent =
        text.replace("m: mutex", "m: bool").replace("acquire(m)", "await !m").replace("release(m)", "m = false");
    let independent = independent
        .replace("m == self", "true")
        .replace("m == none && m' == self", "!m")
        .replace("[m] !m", "[] !m")
        .replace("m' == none", "!m'");
    assert_eq!(needed_assertions(&without_solver(&independent).expect("it conforms")), [false]);
}

#[test]
fn procedures_are_followed_into() {
    let text = "shared x: 0..3;
        proc add(n: 0..3) returns (r: 0..3) { x = n; return n; }
        thread P { var y: 0..3; y = add(2); x = y; }
        abstract P { init A; idle; A:; A -> A [x] x' == 2; }";
    assert!(without_solver(text).is_ok());
    // A return of another number is a step that the abstract thread does not have.
    let reason = refusal(&text.replace("return n;", "return n + 1;"));
    assert!(reason.contains("no edge simulates `x = y;`"), "{reason}");
    let unbounded = text.replace("0..3", "int");
    assert_eq!(needed_assertions(&conformed(&unbounded).expect("it conforms")), [true]);
}

/// What only specified threads did is not in the way of the engines for the composition.
#[test]
fn the_composition_has_no_code_that_nobody_runs() {
    let text = "shared x: 0..3; shared y: 0..1;
        proc down(n: 0..3) { if (n > 0) { down(n - 1); } }
        proc flip() { y = 1 - y; }
        thread W[2] { var who: tid; who = self; down(ord(who)); flip(); x = 0; }
        thread Q { flip(); here: skip; }
        never Q@here && y > 1;
        abstract W { init A, B; idle; A:; B: assert x < 3; A -> B [x, y]; }";
    let program = program(text);
    assert!(program.is_recursive() && program.uses_ord());
    let composition = program.abstraction().expect("expressible").composition;
    assert!(!composition.is_recursive() && !composition.uses_ord());
    let names: Vec<&str> = composition.routines.iter().map(|routine| &*routine.name).collect();
    assert_eq!(names, ["flip", "Q", "W"]);
    // Two copies with a choice of two initial nodes each; what Q did is still there.
    let instance = threadwise_ir::Instance::new(composition.clone(), 0);
    assert_eq!(instance.starts(threadwise_ir::ThreadId(0), &[0, 0]).successors.len(), 2);
    assert!(show_property(&composition, &composition.properties[0]).contains("Q@here"));
}
