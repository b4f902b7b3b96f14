//! Formulas survive being written as SMT-LIB and read back, and simplification does not change their meaning.

use proptest::prelude::*;
use threadwise_logic::{Formula, Term, Value, Var, parse_sexps, read_formula, smt_formula};

/// Variables 0 to 2 are integers, 3 and 4 booleans.
const NAMES: [&str; 5] = ["x", "W[1].y", "z'", "1 in s", "b"];

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![(-5i64..=5).prop_map(Term::Const), (0u32..3).prop_map(|v| Term::Var(Var(v)))];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.plus(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.minus(b)),
            (inner.clone(), -3i64..=3).prop_map(|(a, k)| a.times(k)),
            (inner.clone(), 1i64..=3).prop_map(|(a, k)| a.divided_by(k)),
            (inner.clone(), 1i64..=3).prop_map(|(a, k)| a.modulo(k)),
            (inner.clone(), inner).prop_map(|(a, b)| Term::ite(Formula::Var(Var(3)), a, b)),
        ]
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Formula::Const),
        (3u32..5).prop_map(|v| Formula::Var(Var(v))),
        (term(), term()).prop_map(|(a, b)| Formula::le(a, b)),
        (term(), term()).prop_map(|(a, b)| Formula::eq(a, b)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Formula::negated),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Formula::all),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Formula::any),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.iff(b)),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| Formula::ite(c, a, b)),
        ]
    })
}

fn scope(name: &str) -> Option<Value> {
    let at = NAMES.iter().position(|known| *known == name)? as u32;
    Some(if at < 3 { Value::Int(Term::Var(Var(at))) } else { Value::Bool(Formula::Var(Var(at))) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formulas_survive_smt_lib(formula in formula(), values in prop::array::uniform5(-4i64..=4)) {
        let text = smt_formula(&formula, &|var: Var| format!("|{}|", NAMES[var.index()]));
        let read = read_formula(&text, &scope).expect("what is written can be read");
        let valuation = |var: Var| if var.0 < 3 { values[var.index()] } else { values[var.index()].rem_euclid(2) };
        prop_assert_eq!(read.holds(&valuation), formula.holds(&valuation));
        // Negation and substitution of a variable by itself keep the meaning too.
        prop_assert_eq!(formula.clone().negated().holds(&valuation), formula.holds(&valuation).map(|truth| !truth));
        prop_assert_eq!(formula.substitute(&|_| None).holds(&valuation), formula.holds(&valuation));
    }
}

#[test]
fn what_is_not_a_formula_is_refused() {
    for text in
        ["", "(and", ")", "(<= 1)", "3", "(= 1 true)", "unknown", "(div x 0)", "(f x)", "99999999999999999999", "x x"]
    {
        assert!(read_formula(text, &scope).is_err(), "{text}");
    }
    assert_eq!(read_formula("(let ((a (<= x 1))) (and a (not a)))", &scope), Ok(Formula::FALSE));
    assert!(parse_sexps(&"(".repeat(100_000)).is_err(), "deep nesting is refused, not a crash");
}
