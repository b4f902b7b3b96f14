//! The linear programming: a proof is found exactly where there is no rational solution.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::convert::Infallible;
use threadwise_horn::{Linear, Rational, find_proof};
use threadwise_logic::Var;

fn linear((coefficients, constant): (Vec<i64>, i64)) -> Linear {
    let rational = |value: i64| Rational::from_integer(BigInt::from(value));
    let coefficients = coefficients.iter().enumerate().filter(|(_, c)| **c != 0);
    let coefficients: BTreeMap<Var, Rational> = coefficients.map(|(v, c)| (Var(v as u32), rational(*c))).collect();
    Linear { coefficients, constant: rational(constant) }
}

/// Fourier-Motzkin elimination: slow and obvious.
fn is_satisfiable(mut atoms: Vec<Linear>, vars: u32) -> bool {
    for var in (0..vars).map(Var) {
        let factor = |atom: &Linear| atom.coefficients.get(&var).cloned().unwrap_or_else(Rational::zero);
        let (with, mut rest): (Vec<Linear>, Vec<Linear>) = atoms.into_iter().partition(|atom| !factor(atom).is_zero());
        for upper in with.iter().filter(|atom| factor(atom).is_positive()) {
            for lower in with.iter().filter(|atom| factor(atom).is_negative()) {
                let mut sum = Linear::zero();
                sum.add(&-factor(lower), upper);
                sum.add(&factor(upper), lower);
                rest.push(sum);
            }
        }
        atoms = rest;
    }
    atoms.iter().all(|atom| !atom.constant.is_positive())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_proof_exists_where_no_solution_does(
        rows in prop::collection::vec((prop::collection::vec(-3i64..=3, 3), -4i64..=4), 1..7)
    ) {
        let atoms: Vec<Linear> = rows.into_iter().map(linear).collect();
        match find_proof(&atoms, &|| Ok::<(), Infallible>(())).expect("nothing ends it") {
            Some(weights) => {
                prop_assert!(weights.iter().all(|weight| !weight.is_negative()));
                let mut sum = Linear::zero();
                weights.iter().zip(&atoms).for_each(|(weight, atom)| sum.add(weight, atom));
                prop_assert_eq!(sum, Linear::contradiction());
            }
            None => prop_assert!(is_satisfiable(atoms, 3)),
        }
    }
}

#[test]
fn the_search_for_a_proof_can_be_ended() {
    let atoms = [linear((vec![1], 1)), linear((vec![-1], 0))];
    assert!(matches!(find_proof(&atoms, &|| Ok::<(), &str>(())), Ok(Some(_))));
    assert_eq!(find_proof(&atoms, &|| Err("no time")), Err("no time"));
}
