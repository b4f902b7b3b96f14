//! Expressions and types, with parentheses where the parser needs them.

use crate::ast::{Binder, Conversion, Expr, ExprKind, Quantifier, Type, TypeKind, UnaryOp};
use crate::parser::operators::{left_operand_level, right_operand_level};
use crate::parser::operators::{level, level_of, spelling};

pub(super) fn expression(e: &Expr) -> String {
    at_level(e, level::CONDITIONAL)
}

/// An expression where only sums and what binds tighter may stand.
pub(super) fn bound(e: &Expr) -> String {
    at_level(e, level::SUM)
}

pub(super) fn expressions(list: &[Expr]) -> String {
    list.iter().map(expression).collect::<Vec<_>>().join(", ")
}

pub(super) fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Bool => "bool".to_string(),
        TypeKind::Int => "int".to_string(),
        TypeKind::Range(low, high) => format!("{}..{}", bound(low), bound(high)),
        TypeKind::Machine(machine) => machine.to_string(),
        TypeKind::Named(name) => name.clone(),
        TypeKind::Tid => "tid".to_string(),
        TypeKind::Set(member) => format!("set<{}>", ty(member)),
        TypeKind::Array(key, value) => format!("[{}]{}", ty(key), ty(value)),
        TypeKind::Lock => "lock".to_string(),
        TypeKind::Mutex => "mutex".to_string(),
        TypeKind::RwLock => "rwlock".to_string(),
        TypeKind::Cond => "cond".to_string(),
        TypeKind::Chan(element, capacity) => format!("chan<{}, {}>", ty(element), bound(capacity)),
    }
}

/// The text of an expression, in parentheses if it binds looser than its place allows.
fn at_level(e: &Expr, loosest: u8) -> String {
    let text = bare(e);
    if binding_level(e) < loosest { format!("({text})") } else { text }
}

fn bare(e: &Expr) -> String {
    match &e.kind {
        // There is no literal for the smallest integer: its digits alone are too large.
        ExprKind::Int(i64::MIN) => format!("({} - 1)", -i64::MAX),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::LargeInt(value) => value.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::SelfThread => "self".to_string(),
        ExprKind::None => "none".to_string(),
        ExprKind::Prime(base) => format!("{}'", at_level(base, level::POSTFIX)),
        ExprKind::Index(base, index) => {
            format!("{}[{}]", at_level(base, level::POSTFIX), expression(index))
        }
        ExprKind::Field(base, name) => format!("{}.{}", at_level(base, level::POSTFIX), name.text),
        ExprKind::At(base, label) => format!("{}@{}", at_level(base, level::POSTFIX), label.text),
        ExprKind::Unary(operator, operand) => unary(*operator, operand),
        ExprKind::Binary(operator, left, right) => {
            let left = at_level(left, left_operand_level(*operator));
            let right = at_level(right, right_operand_level(*operator));
            format!("{left} {} {right}", spelling(*operator))
        }
        ExprKind::Conditional(condition, yes, no) => {
            let condition = at_level(condition, level::IMPLIES);
            format!("{condition} ? {} : {}", expression(yes), expression(no))
        }
        ExprKind::SetLiteral(members) => format!("{{{}}}", expressions(members)),
        ExprKind::ArrayLiteral(elements) => format!("[{}]", expressions(elements)),
        ExprKind::ArrayFill(element) => format!("[{}; all]", expression(element)),
        ExprKind::RecordLiteral(name, fields) => {
            let fields = fields.iter().map(|(field, e)| format!("{}: {}", field.text, expression(e)));
            format!("{}({})", name.text, fields.collect::<Vec<_>>().join(", "))
        }
        ExprKind::Call(name, args) => format!("{}({})", name.text, expressions(args)),
        ExprKind::Size(set) => format!("size({})", expression(set)),
        ExprKind::Ord(thread) => format!("ord({})", expression(thread)),
        ExprKind::Convert(Conversion::Int, e) => format!("int({})", expression(e)),
        ExprKind::Convert(Conversion::Machine(machine), e) => format!("{machine}({})", expression(e)),
        ExprKind::Quantified(quantifier, binders, body) => quantified(*quantifier, binders, body),
        ExprKind::Error => "<error>".to_string(),
    }
}

/// `!` binds looser than comparisons; parentheses spare the reader from knowing.
fn unary(operator: UnaryOp, operand: &Expr) -> String {
    match operator {
        UnaryOp::Not if binding_level(operand) == level::NOT => format!("!{}", bare(operand)),
        UnaryOp::Not => format!("!{}", at_level(operand, level::POSTFIX)),
        UnaryOp::Neg => format!("-{}", at_level(operand, level::NEGATION)),
        UnaryOp::BitNot => format!("~{}", at_level(operand, level::NEGATION)),
    }
}

fn quantified(quantifier: Quantifier, binders: &[Binder], body: &Expr) -> String {
    let binder = |b: &Binder| format!("{}: {}", b.name.text, ty(&b.ty));
    let binders = binders.iter().map(binder).collect::<Vec<_>>().join(", ");
    let body = expression(body);
    match quantifier {
        Quantifier::Forall => format!("forall {binders} :: {body}"),
        Quantifier::Exists => format!("exists {binders} :: {body}"),
        Quantifier::Count => format!("count({binders} :: {body})"),
    }
}

fn binding_level(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Conditional(..) => level::CONDITIONAL,
        ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists, ..) => level::CONDITIONAL,
        ExprKind::Binary(operator, ..) => level_of(*operator),
        ExprKind::Unary(UnaryOp::Not, _) => level::NOT,
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, _) => level::NEGATION,
        ExprKind::Int(value) if *value < 0 && *value != i64::MIN => level::NEGATION,
        _ => level::POSTFIX,
    }
}
