//! The engine `cartesian` on random programs: in all its variants it says what exhaustive search says,
//! its proofs are judged and its traces replayed.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::Arc;
use threadwise_front_tw::printer::print;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, explore, program_strategy, random_case};
use threadwise_suite::soundness::{Case, Says, engines_as_witnesses, question};
use threadwise_suite::{disagreement, is_infinite};

/// Larger programs are left out.
const MAX_STATES: usize = 600;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        max_shrink_iters: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2010),
        ..ProptestConfig::default()
    })]

    #[test]
    fn engine_and_oracle_agree(module in program_strategy(GeneratorOptions::small())) {
        let explored = explore(&module, &[], MAX_STATES);
        prop_assume!(explored.complete && !matches!(explored.verdict, OracleVerdict::Unknown(_)));
        let disagreement = disagreement(&module, &explored, &["cartesian"]);
        prop_assert!(disagreement.is_none(), "{}\nin\n{}", disagreement.unwrap_or_default(), print(&module));
    }
}

/// How many tiny programs there are.
const TINY: u64 = 3_000;

/// Finite programs are always decided, each in the usual way and, in turns, in the others.
#[test]
fn thousands_of_tiny_programs_are_decided() {
    let witnesses = engines_as_witnesses();
    let (mut safe, mut dangerous) = (0, 0);
    for seed in 0..TINY {
        let (module, explored) = random_case(seed, &GeneratorOptions::tiny());
        let case = Arc::new(Case::explored(module, explored).expect("it loads"));
        let wanted =
            |index: usize| witnesses[index].engine == "cartesian" && seed.is_multiple_of(witnesses[index].every);
        let hearing = question(&case, &witnesses, wanted);
        let show = || format!("seed {seed}:\n{}", print(&case.module));
        assert!(hearing.contradiction.is_none(), "{:?}\n{}", hearing.contradiction, show());
        let says = hearing.engines["cartesian"];
        assert!(says != Says::Unknown || is_infinite(&case.program), "{}", show());
        safe += u32::from(says == Says::Safe);
        dangerous += u32::from(says == Says::Unsafe);
    }
    assert!(safe >= 500 && dangerous >= 500, "{safe} safe, {dangerous} unsafe: these programs test too little");
}
