//! Terms survive being written as SMT-LIB and read back, and simplification does not change their meaning.

use proptest::prelude::*;
use threadwise_logic::{BitsOp, Constant, Kind, SmtSort, Term, Var, parse_sexps, read_term, write_term};

/// Variables 0 to 2 are integers, 3 and 4 booleans, 5 and 6 bytes.
const NAMES: [&str; 7] = ["x", "W[1].y", "z'", "1 in s", "b", "u", "v"];

fn variable(number: u32) -> Term {
    let sort = match number {
        0..3 => SmtSort::Int,
        3..5 => SmtSort::Bool,
        _ => SmtSort::Bits(8),
    };
    Term::var(Var(number), sort)
}

fn number() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        (-5i64..=5).prop_map(Term::int),
        prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX]).prop_map(Term::int),
        (0u32..3).prop_map(variable)
    ];
    let divisors = prop::sample::select(vec![1i64, 2, 3, -1, -2, i64::MIN]);
    leaf.prop_recursive(3, 12, 2, move |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.plus(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.minus(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.product(b)),
            (inner.clone(), -3i64..=3).prop_map(|(a, k)| a.times(k)),
            (inner.clone(), divisors.clone()).prop_map(|(a, k)| a.div(Term::int(k))),
            (inner.clone(), divisors.clone()).prop_map(|(a, k)| a.modulo(Term::int(k))),
            (inner.clone(), inner).prop_map(|(a, b)| variable(3).ite(a, b)),
        ]
    })
}

fn byte() -> impl Strategy<Value = Term> {
    use BitsOp::*;
    let leaf = prop_oneof![any::<u8>().prop_map(|v| Term::bits(8, v.into())), (5u32..7).prop_map(variable)];
    let of_two = [And, Or, Xor, Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, Shl, Lshr, Ashr];
    leaf.prop_recursive(3, 12, 2, move |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec![Not, Neg])).prop_map(|(a, op)| Term::operation(op, [a])),
            (inner.clone(), inner.clone(), prop::sample::select(of_two.to_vec()))
                .prop_map(|(a, b, op)| Term::operation(op, [a, b])),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Term::operation(Extract(11, 4), [Term::operation(Concat, [a, b])])),
            (inner.clone(), 0u32..8).prop_map(|(a, low)| {
                let wide = Term::operation(SignExtend(8), [a]);
                Term::operation(Extract(low + 7, low), [wide])
            }),
            (inner.clone(), 1u32..8).prop_map(|(a, low)| {
                let part = Term::operation(Extract(low, 0), [a]);
                Term::operation(ZeroExtend(7 - low), [part])
            }),
            inner.clone().prop_map(|a| {
                let number = Term::operation(ToInt, [a]).plus(Term::int(300));
                Term::operation(FromInt(8), [number])
            }),
            (inner.clone(), inner).prop_map(|(a, b)| variable(4).ite(a, b)),
        ]
    })
}

fn formula() -> impl Strategy<Value = Term> {
    let comparison = prop::sample::select(vec![BitsOp::Ult, BitsOp::Ule, BitsOp::Slt, BitsOp::Sle]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Term::bool),
        (3u32..5).prop_map(variable),
        (number(), number()).prop_map(|(a, b)| a.le(b)),
        (number(), number()).prop_map(|(a, b)| a.lt(b)),
        (number(), number()).prop_map(|(a, b)| a.equals(b)),
        (byte(), byte()).prop_map(|(a, b)| a.equals(b)),
        (byte(), byte(), comparison).prop_map(|(a, b, op)| Term::operation(op, [a, b])),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| a.not()),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Term::all),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Term::any),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.equals(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.implies(b)),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| c.ite(a, b)),
        ]
    })
}

fn scope(name: &str) -> Option<Term> {
    NAMES.iter().position(|known| *known == name).map(|at| variable(at as u32))
}

fn written(term: &Term) -> String {
    write_term(term, &|var: Var| format!("|{}|", NAMES[var.index()]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formulas_survive_smt_lib(formula in formula(), values in prop::array::uniform7(-4i64..=4)) {
        let read = read_term(&written(&formula), &scope).expect("what is written can be read");
        let valuation = |var: Var| values[var.index()].rem_euclid(if (3..5).contains(&var.0) { 2 } else { 1 << 20 });
        let truth = formula.holds(&valuation);
        prop_assert_eq!(read.holds(&valuation), truth);
        // Negation, and replacing variables by what they are, keep the meaning too.
        prop_assert_eq!(formula.not().holds(&valuation), truth.map(|truth| !truth));
        prop_assert_eq!(formula.substitute(&|_| None).holds(&valuation), truth);
        let constant = |var: Var| match variable(var.0).sort() {
            SmtSort::Int => Term::int(valuation(var)),
            SmtSort::Bool => Term::bool(valuation(var) != 0),
            SmtSort::Bits(width) => Term::bits(*width, valuation(var) as u128),
            SmtSort::Array(..) => unreachable!("there are no arrays"),
        };
        let replaced = formula.substitute(&|var| Some(constant(var)));
        if let (Some(truth), Some(known)) = (truth, replaced.as_bool()) {
            prop_assert_eq!(known, truth);
        }
    }
}

#[test]
fn what_is_not_a_formula_is_refused() {
    for text in [
        "",
        "(and",
        ")",
        "(<= 1)",
        "(= 1 true)",
        "unknown",
        "(div x 0)",
        "(f x)",
        "99999999999999999999",
        "x x",
        "()",
        "(bvadd u #x001)",
        "(select x 1)",
        "(+ x b)",
        "(ite b x b)",
        "((_ extract 8 0) u)",
        "#x",
        "(= x)",
        "((_ zero_extend 121) u)",
        "(_ bv1 0)",
        "(forall ((k Int)) k)",
        "(forall ((k Real)) true)",
        "((as const Int) 1)",
    ] {
        assert!(read_term(text, &scope).is_err(), "{text}");
    }
    // What a quotient by zero is the solver leaves open; a formula may speak of it all the same.
    assert!(read_term("(= (div x x) 1)", &scope).is_ok());
    assert_eq!(read_term("(let ((a (<= x 1))) (and a (not a)))", &scope), Ok(Term::bool(false)));
    assert!(parse_sexps(&"(".repeat(100_000)).is_err(), "deep nesting is refused, not a crash");
}

#[test]
fn expressions_are_read_and_printed() {
    let text = "(define-fun x () Int (- 3)) true (a (b c))";
    let all = parse_sexps(text).expect("well-formed");
    let printed = all.iter().map(ToString::to_string).collect::<Vec<String>>().join(" ");
    assert_eq!(printed, text);
    assert_eq!(all[0].list().expect("a list")[4].scalar(), Some(-3));
    assert_eq!(all[1].scalar(), Some(1));
}

/// A term that doubles with each step is written in a text that only grows by a little, and is read as what it was.
#[test]
fn shared_parts_are_written_once() {
    let (x, y) = (variable(0), variable(1));
    let mut term = x.clone();
    for number in 0..40 {
        term = x.le(Term::int(number)).ite(term.product(&term), term.plus(&y));
    }
    let text = written(&term);
    assert!(text.len() < 10_000, "{} characters", text.len());
    assert_eq!(read_term(&text, &scope), Ok(term.clone()));
    // Walking and replacing look at shared parts once as well.
    assert_eq!(term.variables().len(), 2);
    assert!(term.rename(&|var| Var(1 - var.0)).mentions(&x));
}

#[test]
fn arrays_and_quantifiers_survive_smt_lib() {
    let names = |name: &str| match name {
        "a" => Some(Term::constant("a", SmtSort::array_of(SmtSort::Bool))),
        other => scope(other),
    };
    let array = names("a").expect("known");
    let key = Term::constant("k", SmtSort::Int);
    let inside = key.between(Term::int(0), variable(0));
    let set = Term::map(threadwise_logic::Connective::Or, [array.clone(), Term::filled(Term::bool(false))]);
    let formula = Term::forall([&key], inside.implies(set.store(&key, variable(3)).select(key.plus(Term::int(1)))));
    assert_eq!(read_term(&written(&formula), &names), Ok(formula.clone()));
    assert_eq!(formula.variables().len(), 2, "what is bound is not free");
    assert!(!formula.mentions(&key) && formula.mentions(&array));
}

/// What is put in the place of a variable is not bound by a quantifier above it.
#[test]
fn quantifiers_capture_nothing() {
    let (x, k) = (variable(0), Term::constant("k", SmtSort::Int));
    let above = Term::exists([&k], x.lt(&k));
    let replaced = above.substitute(&|_| Some(k.clone()));
    assert!(replaced.mentions(&k), "the constant is still free in {replaced}");
    let Kind::Quantified(_, bound, ..) = replaced.kind() else { panic!("{replaced} has a quantifier") };
    assert_ne!(&*bound[0].0, "k");
    assert_eq!(above.replace(&|leaf| (*leaf == k).then(|| Term::int(0))), above, "bound constants are not replaced");
}

#[test]
fn numbers_that_are_too_large_stay_as_they_are() {
    let most = Term::int(i64::MAX);
    assert_eq!(most.plus(Term::int(1)).value(&|_| 0), Some(i128::from(i64::MAX) + 1));
    let far = most.plus(variable(0)).plus(Term::int(7));
    assert_eq!(far, Term::int(7).plus(most.plus(variable(0))), "a sum does not depend on which number came first");
    assert_eq!(far.minus(Term::int(8)), most.plus(variable(0)).minus(Term::int(1)));
    assert_eq!(Term::int(i64::MIN).negate().value(&|_| 0), Some(-i128::from(i64::MIN)));
    assert_eq!(Term::int(i64::MIN).div(Term::int(-1)).value(&|_| 0), Some(-i128::from(i64::MIN)));
    assert_eq!(Term::int(1).div(Term::int(0)).value(&|_| 0), None, "nothing is known of it");
    assert_eq!(Term::int(i64::MIN).modulo(Term::int(-1)), Term::int(0));
}

#[test]
fn bytes_wrap_around() {
    let byte = |value: i64| Term::bits(8, value as u128);
    let of = |op, a, b| Constant::of(&Term::operation(op, [byte(a), byte(b)]));
    let is = |value: i64| Constant::of(&byte(value));
    assert_eq!(of(BitsOp::Add, 200, 100), is(44));
    assert_eq!(of(BitsOp::Sdiv, -7, 2), is(-3));
    assert_eq!(of(BitsOp::Srem, -7, 2), is(-1));
    assert_eq!(of(BitsOp::Sdiv, -128, -1), is(-128));
    assert_eq!(of(BitsOp::Sdiv, -5, 0), is(1));
    assert_eq!(of(BitsOp::Udiv, 5, 0), is(255));
    assert_eq!(of(BitsOp::Urem, 5, 0), is(5));
    assert_eq!(of(BitsOp::Shl, 1, 8), is(0));
    assert_eq!(of(BitsOp::Ashr, -128, 200), is(-1));
    assert_eq!(of(BitsOp::Slt, -1, 0), Some(Constant::Bool(true)));
    assert_eq!(of(BitsOp::Ult, -1, 0), Some(Constant::Bool(false)));
}
