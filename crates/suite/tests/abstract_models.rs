//! The benchmark models with abstract workers are the compositions of the examples: what is measured
//! beside SPIN is what the engine `conformance` hands to the others.

use std::sync::Arc;
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineOptions, Request, verify};
use threadwise_source::SourceFile;

fn text(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("readable model")
}

fn program(text: String, n: i64) -> Arc<Program> {
    let options = Options { defines: vec![("N".to_string(), n)], ..Options::default() };
    Arc::new(load(SourceFile::new("model.tw", text), &options).program.expect("a correct model"))
}

fn states(program: &Arc<Program>) -> u64 {
    let engine = "explicit".parse().expect("exists");
    let options = EngineOptions::default().with_symmetry(false).with_folding(false).with_reduction(false);
    let request = Request { engine, options, ..Request::default() };
    let outcome = verify(program, &request, &Budget::unlimited());
    assert_eq!(outcome.verdict.word(), "safe");
    outcome.stats.numbers.iter().find(|(name, _)| *name == "states").expect("counted").1
}

#[test]
fn the_bluetooth_model_is_the_composition() {
    for n in 1..=4 {
        let composition = program(text("examples/bluetooth.tw"), n).abstraction().expect("expressible").composition;
        assert_eq!(states(&composition), states(&program(text("bench/models/bluetooth-abstract.tw"), n)), "n = {n}");
    }
}

/// The benchmark has another dispatch thread, so the abstract worker goes to the benchmark's program.
#[test]
fn the_battery_model_is_the_composition() {
    let example = text("examples/battery.tw");
    let worker = &example[example.find("abstract Worker").expect("an abstract worker")..];
    // There `InUseCount` ends at 3, here at N + 3.
    let worker = worker.replace("InUseCount <= N + 2", "InUseCount <= 2");
    for n in 1..=3 {
        let concrete = program(text("bench/models/battery.tw") + &worker, n);
        let composition = concrete.abstraction().expect("expressible").composition;
        assert_eq!(states(&composition), states(&program(text("bench/models/battery-abstract.tw"), n)), "n = {n}");
    }
}
