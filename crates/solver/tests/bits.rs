//! Operations on bit-vectors, and division of integers, mean to the solver what they mean here.

use threadwise_limits::Budget;
use threadwise_logic::{Bits, BitsOp, Constant, SmtSort, Term, read_sexp};
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;

const WIDTHS: [u32; 4] = [1, 5, 8, 64];

/// Numbers around 0, around the least and the greatest, and some between.
fn values(width: u32) -> Vec<u128> {
    let half = 1u128 << (width - 1);
    let mut all: Vec<u128> =
        [0, 1, 2, 3, 5, 7, half.wrapping_sub(1), half, half + 1, u128::MAX, u128::MAX - 1, u128::MAX - 4, 0x5a5a_1234]
            .iter()
            .map(|value| Bits::new(width, *value).unsigned())
            .collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn session() -> Session {
    Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("the solver starts")
}

/// The values of terms where constants have these values.
fn values_where(session: &mut Session, known: &[Term], terms: &[Term]) -> Vec<Term> {
    session.push();
    known.iter().for_each(|equation| session.assert(equation));
    assert_eq!(session.check(), Ok(Answer::Sat));
    let values = session.values(terms).expect("a model");
    session.pop();
    values.iter().map(|value| read_sexp(value, &|_: &str| None).expect("a value")).collect()
}

#[test]
fn operations_on_bit_vectors_mean_the_same() {
    use BitsOp::*;
    let mut session = session();
    for width in WIDTHS {
        session.push();
        let [x, y] = ["x", "y"].map(|name| session.declare(name, &SmtSort::Bits(width)));
        let of_one =
            [Not, Neg, ToInt, Extract(width - 1, width / 2), Extract(width / 2, 0), ZeroExtend(3), SignExtend(3)];
        let of_two = [And, Or, Xor, Add, Sub, Mul, Udiv, Urem, Sdiv, Srem, Shl, Lshr, Ashr, Ult, Ule, Slt, Sle, Concat];
        for a in values(width) {
            for b in values(width) {
                let [one, two] = [a, b].map(|value| Constant::Bits(Bits::new(width, value)));
                let mut terms = Vec::new();
                let mut expected = Vec::new();
                for (op, operands) in of_one.map(|op| (op, 1)).into_iter().chain(of_two.map(|op| (op, 2))) {
                    // A number of 64 bits without a sign may be none that a term can be.
                    if let Some(result) = op.value(&[one, two][..operands]).and_then(Constant::term) {
                        terms.push(Term::operation(op, [&x, &y].into_iter().take(operands)));
                        expected.push(result);
                    }
                }
                let known = [x.equals(Term::bits(width, a)), y.equals(Term::bits(width, b))];
                assert_eq!(values_where(&mut session, &known, &terms), expected, "{terms:?} where {known:?}");
            }
        }
        session.pop();
    }
}

#[test]
fn integers_become_bit_vectors_as_here() {
    let mut session = session();
    let x = session.declare("x", &SmtSort::Int);
    for number in [0, 1, -1, 2, 300, -300, i64::MIN, i64::MAX] {
        let value = |op: BitsOp| op.value(&[Constant::Int(i128::from(number))]).and_then(Constant::term);
        let expected: Vec<Term> = WIDTHS.map(|width| value(BitsOp::FromInt(width)).expect("it has a value")).to_vec();
        let terms = WIDTHS.map(|width| Term::operation(BitsOp::FromInt(width), [&x]));
        assert_eq!(values_where(&mut session, &[x.equals(Term::int(number))], &terms), expected, "bits of {number}");
    }
}

#[test]
fn division_of_integers_means_the_same() {
    let mut session = session();
    let (x, y) = (session.declare("x", &SmtSort::Int), session.declare("y", &SmtSort::Int));
    let mut claims = Vec::new();
    for a in [0, 1, -1, 7, -7, 8, i64::MAX, i64::MIN, i64::MIN + 1] {
        for b in [1, -1, 2, -2, 3, -3, i64::MAX, i64::MIN] {
            let both = x.equals(Term::int(a)).and(y.equals(Term::int(b)));
            let (quotient, rest) = (i128::from(a).div_euclid(b.into()), i128::from(a).rem_euclid(b.into()));
            for (term, value) in [(x.div(&y), quotient), (x.modulo(&y), rest)] {
                if let Some(value) = Constant::Int(value).term() {
                    claims.push(both.implies(term.equals(value)));
                }
            }
        }
    }
    assert_eq!(session.refute(&Term::all(&claims)), Ok(Answer::Unsat));
}
