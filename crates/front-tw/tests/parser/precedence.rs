//! How expressions group. `shape` puts parentheses around everything.

use crate::common::parse_clean;
use threadwise_front_tw::ast::{Expr, ExprKind, ItemKind, UnaryOp};
use threadwise_source::SourceFile;

fn shape_of(source: &str) -> String {
    let module = parse_clean(&SourceFile::new("test.tw", format!("invariant {source};")));
    let ItemKind::Invariant(None, formula) = &module.items[0].kind else { panic!("no invariant") };
    shape(formula)
}

fn shape(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::None => "none".to_string(),
        ExprKind::Prime(base) => format!("(prime {})", shape(base)),
        ExprKind::Index(base, index) => format!("(index {} {})", shape(base), shape(index)),
        ExprKind::Field(base, name) => format!("(field {} {})", shape(base), name.text),
        ExprKind::At(base, label) => format!("(at {} {})", shape(base), label.text),
        ExprKind::Unary(UnaryOp::Not, operand) => format!("(! {})", shape(operand)),
        ExprKind::Unary(UnaryOp::Neg, operand) => format!("(- {})", shape(operand)),
        ExprKind::Unary(UnaryOp::BitNot, operand) => format!("(~ {})", shape(operand)),
        ExprKind::Binary(operator, left, right) => {
            format!("({operator:?} {} {})", shape(left), shape(right))
        }
        ExprKind::Conditional(c, yes, no) => {
            format!("(? {} {} {})", shape(c), shape(yes), shape(no))
        }
        ExprKind::Quantified(quantifier, binders, body) => {
            format!("({quantifier:?} {} {})", binders.len(), shape(body))
        }
        ExprKind::SetLiteral(members) => format!("(set {})", members.len()),
        other => panic!("not expected here: {other:?}"),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(shape_of(source), *expected, "{source}");
    }
}

#[test]
fn from_loosest_to_tightest() {
    check(&[
        ("a ==> b ? c : d", "(? (Implies a b) c d)"),
        ("a <==> b ==> c", "(Implies (Iff a b) c)"),
        ("a || b <==> c", "(Iff (Or a b) c)"),
        ("a || b && c", "(Or a (And b c))"),
        ("!a && b", "(And (! a) b)"),
        ("!m == none", "(! (Eq m none))"),
        ("!a == b && c", "(And (! (Eq a b)) c)"),
        ("a union b == c", "(Eq (Union a b) c)"),
        ("a in b minus c", "(In a (Minus b c))"),
        ("a inter b + c", "(Inter a (Add b c))"),
        ("a + b * c - d", "(Sub (Add a (Mul b c)) d)"),
        ("-a * b", "(Mul (- a) b)"),
        ("a union b | c", "(Union a (BitOr b c))"),
        ("a | b ^ c & d << e + f", "(BitOr a (BitXor b (BitAnd c (Shl d (Add e f)))))"),
        ("a + b >> c & d ^ e | f == g", "(Eq (BitOr (BitXor (BitAnd (Shr (Add a b) c) d) e) f) g)"),
        ("~a * -~b", "(Mul (~ a) (- (~ b)))"),
        ("a - -b", "(Sub a (- b))"),
        ("-a[i]", "(- (index a i))"),
    ]);
}

#[test]
fn associativity() {
    check(&[
        ("a ==> b ==> c", "(Implies a (Implies b c))"),
        ("a <==> b <==> c", "(Iff (Iff a b) c)"),
        ("a - b - c", "(Sub (Sub a b) c)"),
        ("a / b % c", "(Mod (Div a b) c)"),
        ("a << b >> c", "(Shr (Shl a b) c)"),
        ("a & b & c", "(BitAnd (BitAnd a b) c)"),
        ("a minus b union c", "(Union (Minus a b) c)"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("a ? b ? c : d : e", "(? a (? b c d) e)"),
        ("(a < b) == c", "(Eq (Lt a b) c)"),
    ]);
}

#[test]
fn postfixes() {
    check(&[
        ("a'[i]", "(index (prime a) i)"),
        ("l.w'", "(prime (field l w))"),
        ("a[i].r == {}", "(Eq (field (index a i) r) (set 0))"),
        ("t@L && t.x > 0", "(And (at t L) (Gt (field t x) 0))"),
        ("a[i + 1][j]", "(index (index a (Add i 1)) j)"),
    ]);
}

#[test]
fn quantifiers_reach_far_to_the_right() {
    check(&[
        ("forall i: T :: a && b ==> c", "(Forall 1 (Implies (And a b) c))"),
        ("a && exists i: T, j: 0..n - 1 :: b || c", "(And a (Exists 2 (Or b c)))"),
        ("count(i: T :: a || b) <= 1", "(Le (Count 1 (Or a b)) 1)"),
        ("(forall i: T :: a) && b", "(And (Forall 1 a) b)"),
        ("!forall i: T :: a && b", "(! (Forall 1 (And a b)))"),
    ]);
}
