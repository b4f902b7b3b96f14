//! The binary operators: which token is which, and how tightly each binds.

use crate::ast::BinaryOp;
use crate::lexer::TokenKind;

/// Binding strengths, loosest first; the parser and the printer share them.
pub(crate) mod level {
    pub(crate) const CONDITIONAL: u8 = 0;
    pub(crate) const IMPLIES: u8 = 1;
    pub(crate) const IFF: u8 = 2;
    pub(crate) const OR: u8 = 3;
    pub(crate) const AND: u8 = 4;
    pub(crate) const NOT: u8 = 5;
    pub(crate) const COMPARISON: u8 = 6;
    pub(crate) const SETS: u8 = 7;
    pub(crate) const BIT_OR: u8 = 8;
    pub(crate) const BIT_XOR: u8 = 9;
    pub(crate) const BIT_AND: u8 = 10;
    pub(crate) const SHIFT: u8 = 11;
    pub(crate) const SUM: u8 = 12;
    pub(crate) const PRODUCT: u8 = 13;
    pub(crate) const NEGATION: u8 = 14;
    pub(crate) const POSTFIX: u8 = 15;
}

/// The operator a token stands for between two operands.
pub(crate) fn binary_operator(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::ImpliesSign => BinaryOp::Implies,
        TokenKind::IffSign => BinaryOp::Iff,
        TokenKind::OrSign => BinaryOp::Or,
        TokenKind::AndSign => BinaryOp::And,
        TokenKind::EqualSign => BinaryOp::Eq,
        TokenKind::NotEqualSign => BinaryOp::Ne,
        TokenKind::LessSign => BinaryOp::Lt,
        TokenKind::LessEqualSign => BinaryOp::Le,
        TokenKind::GreaterSign => BinaryOp::Gt,
        TokenKind::GreaterEqualSign => BinaryOp::Ge,
        TokenKind::In => BinaryOp::In,
        TokenKind::Subset => BinaryOp::Subset,
        TokenKind::Union => BinaryOp::Union,
        TokenKind::Inter => BinaryOp::Inter,
        TokenKind::Minus => BinaryOp::Minus,
        TokenKind::PlusSign => BinaryOp::Add,
        TokenKind::MinusSign => BinaryOp::Sub,
        TokenKind::Star => BinaryOp::Mul,
        TokenKind::Slash => BinaryOp::Div,
        TokenKind::Percent => BinaryOp::Mod,
        TokenKind::Ampersand => BinaryOp::BitAnd,
        TokenKind::Pipe => BinaryOp::BitOr,
        TokenKind::Caret => BinaryOp::BitXor,
        TokenKind::ShiftLeft => BinaryOp::Shl,
        TokenKind::ShiftRight => BinaryOp::Shr,
        _ => return None,
    })
}

/// How an operator is written.
pub(crate) fn spelling(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Implies => "==>",
        BinaryOp::Iff => "<==>",
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "in",
        BinaryOp::Subset => "subset",
        BinaryOp::Union => "union",
        BinaryOp::Inter => "inter",
        BinaryOp::Minus => "minus",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Mod => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}

/// How tightly an operator binds.
pub(crate) fn level_of(operator: BinaryOp) -> u8 {
    match operator {
        BinaryOp::Implies => level::IMPLIES,
        BinaryOp::Iff => level::IFF,
        BinaryOp::Or => level::OR,
        BinaryOp::And => level::AND,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => level::COMPARISON,
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::In | BinaryOp::Subset => level::COMPARISON,
        BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => level::SETS,
        BinaryOp::Add | BinaryOp::Sub => level::SUM,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => level::PRODUCT,
        BinaryOp::BitAnd => level::BIT_AND,
        BinaryOp::BitOr => level::BIT_OR,
        BinaryOp::BitXor => level::BIT_XOR,
        BinaryOp::Shl | BinaryOp::Shr => level::SHIFT,
    }
}

/// The loosest level an operand to the left may have without parentheses.
pub(crate) fn left_operand_level(operator: BinaryOp) -> u8 {
    let is_left_associative = !matches!(level_of(operator), level::IMPLIES | level::COMPARISON);
    level_of(operator) + u8::from(!is_left_associative)
}

/// The loosest level an operand to the right may have without parentheses.
pub(crate) fn right_operand_level(operator: BinaryOp) -> u8 {
    level_of(operator) + u8::from(operator != BinaryOp::Implies)
}
