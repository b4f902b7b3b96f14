//! The engine `predicates`: the programs of THREADER's table 1 with the verdict and the modularity of each row,
//! programs with unbounded data, and random programs.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::time::Duration;
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, explore, program_strategy};
use threadwise_portfolio::{Bias, EngineOptions, Horn, Outcome, PredicatesOptions, Request, verify};
use threadwise_solver_setup::solver_for_tests;
use threadwise_suite::{examples, program, try_program};
use threadwise_verdict::Verdict;

fn run(text: &str, bias: Bias, horn: Horn, seconds: u64) -> Outcome {
    solver_for_tests();
    let engine = "predicates".parse().expect("there is such an engine");
    let options = EngineOptions { predicates: PredicatesOptions { bias, horn }, ..EngineOptions::default() };
    let request = Request { engine, options, want_proof: true, ..Request::default() };
    let budget = Budget::new(Some(Duration::from_secs(seconds)), Some(4 << 30));
    verify(&program("test.tw", text), &request, &budget)
}

/// What an outcome is in the words of the examples.
fn word(outcome: &Outcome) -> String {
    match (&outcome.verdict, outcome.modular) {
        (Verdict::Safe(_), Some(true)) => "modular".to_string(),
        (Verdict::Safe(_), _) => "general".to_string(),
        (Verdict::Unsafe(_), _) => "trace".to_string(),
        (Verdict::Unknown(unknown), _) => format!("unknown: {}", unknown.reason()),
    }
}

#[test]
fn examples_have_the_verdict_and_the_modularity_that_they_say() {
    for example in examples() {
        let Some(expected) = &example.predicates else { continue };
        let outcome = run(&example.text, Bias::Modular, Horn::Aret, 120);
        assert_eq!(word(&outcome), *expected, "{}", example.path.display());
        assert_eq!(example.safe, matches!(outcome.verdict, Verdict::Safe(_)), "{}", example.path.display());
    }
}

/// The two rows of table 1 that take longest. The others say in their headers what they need.
#[test]
#[ignore = "takes half a minute"]
fn the_longest_rows_of_table_1_have_modular_proofs() {
    for name in ["qrcu", "scull"] {
        let example = examples().into_iter().find(|e| e.path.ends_with(format!("threader/{name}.tw"))).expect("exists");
        assert_eq!(word(&run(&example.text, Bias::Modular, Horn::Aret, 300)), "modular", "{name}");
    }
}

/// Without bias nothing says what is found. Here no predicate needs another thread's locals, as in the paper's row.
#[test]
fn a_modular_proof_may_be_found_without_bias() {
    let example = examples().into_iter().find(|e| e.path.ends_with("fig2-fixed.tw")).expect("exists");
    assert_eq!(word(&run(&example.text, Bias::None, Horn::Aret, 60)), "modular");
}

/// Refinement is at its end where numbers are multiplied, but the error is near.
#[test]
fn a_short_trace_is_found_where_refinement_is_stuck() {
    let example = examples().into_iter().find(|e| e.path.ends_with("simple-lock-buggy.tw")).expect("exists");
    assert_eq!(word(&run(&example.text, Bias::Modular, Horn::Aret, 60)), "trace");
}

#[test]
fn both_ways_of_solving_find_the_worked_examples() {
    for name in ["lock-bit", "lock-id", "lock-bit-cnt"] {
        let example = examples().into_iter().find(|e| e.path.ends_with(format!("{name}.tw"))).expect("exists");
        let expected = example.predicates.clone().expect("says so");
        assert_eq!(word(&run(&example.text, Bias::Modular, Horn::Spacer, 60)), expected, "{name}");
        // Without bias nothing says what is found, but it is a proof.
        assert!(matches!(run(&example.text, Bias::None, Horn::Aret, 60).verdict, Verdict::Safe(_)), "{name}");
    }
}

/// A declaration that always goes wrong leaves its thread without a point to be at.
#[test]
fn a_thread_that_cannot_start_is_an_error() {
    for declaration in ["var me: 0..1 = 2;", "var me: 0..1 = x + 1;", "var me: 1..1 = 1 / 0;"] {
        let text = format!("shared x: 0..1 = *; thread P {{ {declaration} x = 0; }} thread Q {{ x = 1; }}");
        assert_eq!(word(&run(&text, Bias::Modular, Horn::Aret, 20)), "trace", "{text}");
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 20,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2011),
        ..ProptestConfig::default()
    }
}

/// Whether the engine may say this, given what exhaustive search says.
fn agrees(module: &Module) -> Result<(), String> {
    let text = print(module);
    if try_program("random.tw", &text).is_err() {
        return Ok(());
    }
    let explored = explore(module, &[], 4000);
    for horn in [Horn::Aret, Horn::Spacer] {
        let outcome = run(&text, Bias::Modular, horn, 2);
        let fine = match (&outcome.verdict, &explored.verdict) {
            (Verdict::Safe(_), OracleVerdict::Safe) | (Verdict::Unsafe(_), OracleVerdict::Unsafe { .. }) => true,
            (Verdict::Safe(_), _) => !explored.complete && !matches!(explored.verdict, OracleVerdict::Unsafe { .. }),
            (Verdict::Unsafe(_), _) => !explored.complete,
            (Verdict::Unknown(unknown), _) => !unknown.is_internal_error(),
        };
        if !fine {
            return Err(format!("{text}\n{horn:?}: {:?}\ninterpreter: {:?}", outcome.verdict, explored.verdict));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(25))]

    #[test]
    fn finite_programs_are_as_exhaustive_search_says(module in program_strategy(GeneratorOptions::small())) {
        prop_assert_eq!(agrees(&module), Ok(()));
    }
}

/// A statement over two unbounded shared integers and a local one.
fn statement() -> impl Strategy<Value = String> {
    let variable = prop::sample::select(vec!["x", "y", "t"]);
    let number = -2i64..=2;
    prop_oneof![
        (variable.clone(), variable.clone(), number.clone()).prop_map(|(a, b, n)| format!("{a} = {b} + {n};")),
        (variable.clone(), variable.clone(), number.clone()).prop_map(|(a, b, n)| format!("await {a} <= {b} + {n};")),
        (variable.clone(), variable, number).prop_map(|(a, b, n)| format!("if ({a} > {b} + {n}) {{ {a} = {b}; }}")),
        Just("t = *;".to_string()),
    ]
}

fn linear_program() -> impl Strategy<Value = String> {
    let body = || prop::collection::vec(statement(), 1..4);
    (body(), body(), -2i64..=2, any::<bool>()).prop_map(|(a, b, n, looping)| {
        let code = |body: Vec<String>| match looping {
            true => format!("var t: int; while (*) {{ {} }}", body.join(" ")),
            false => format!("var t: int; {}", body.join(" ")),
        };
        let (a, b) = (code(a), code(b));
        format!("shared x, y: int; thread A {{ {a} }} thread B {{ {b} }} invariant x <= y + {n} || y < 3;")
    })
}

proptest! {
    #![proptest_config(config(25))]

    /// Every SAFE has been judged and every UNSAFE replayed on the way; what the two ways find must not differ.
    #[test]
    fn programs_over_integers_are_judged_and_replayed(text in linear_program()) {
        let outcomes = [Horn::Aret, Horn::Spacer].map(|horn| run(&text, Bias::Modular, horn, 2));
        for outcome in &outcomes {
            prop_assert!(!outcome.verdict.is_internal_error(), "{}\n{:?}", text, outcome.verdict);
        }
        let says = |wanted: &str| outcomes.iter().any(|outcome| outcome.verdict.word() == wanted);
        prop_assert!(!(says("safe") && says("unsafe")), "{}", text);
    }
}
