//! The engine `cartesian` on random programs: in all its variants it says what exhaustive search says,
//! its proofs are judged and its traces replayed.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use threadwise_front_tw::printer::print;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, explore, program_strategy};
use threadwise_suite::disagreement;

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
