//! The explicit engine and the naive interpreter agree on random programs: verdict, number of
//! states, length of the shortest error; with and without symmetry and folding; with proofs and
//! traces judged.

use proptest::prelude::*;
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, explore, program_strategy};
use threadwise_suite::{disagreement, try_program};

const MAX_STATES: usize = 3_000;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn engine_and_oracle_agree(module in program_strategy(GeneratorOptions::small())) {
        agree(&module)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn they_agree_on_machine_integers(module in program_strategy(GeneratorOptions::machine())) {
        agree(&module)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn they_agree_on_threads_that_are_started(module in program_strategy(GeneratorOptions::dynamic())) {
        agree(&module)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn they_agree_on_threads_that_wait(module in program_strategy(GeneratorOptions::waiting())) {
        agree(&module)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn they_agree_on_what_makes_models_short(module in program_strategy(GeneratorOptions::rich())) {
        agree(&module)?;
    }
}

fn agree(module: &Module) -> Result<(), TestCaseError> {
    let explored = explore(module, &[], MAX_STATES);
    prop_assume!(explored.complete && !matches!(explored.verdict, OracleVerdict::Unknown(_)));
    // A program that was made smaller may be none any more; that all of the generator's load is a test of its own.
    prop_assume!(try_program("random.tw", &print(module)).is_ok());
    let disagreement = disagreement(module, &explored, &["explicit", "modular", "cartesian"]);
    prop_assert!(disagreement.is_none(), "{}\nin\n{}", disagreement.unwrap_or_default(), print(module));
    Ok(())
}
