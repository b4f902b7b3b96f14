//! Whether there is a blank between two tokens of a line.

use threadwise_front_tw::lexer::TokenKind as T;

/// What has been laid out so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct Before {
    /// The token before the last one.
    pub token: Option<T>,
    /// Whether the last one was set apart from it.
    pub is_apart: bool,
}

/// Whether `next` is set apart from `last`. Where one token has several uses (`<` compares, and encloses the members of a
/// set), and in arithmetic (`0..N+1`), the user's own choice counts.
pub fn is_set_apart(before: Before, last: T, next: T, was_apart: bool) -> bool {
    match (last, next) {
        (T::LeftBrace, T::RightBrace) => false,
        (_, T::Semicolon | T::Comma | T::RightParen | T::RightBracket | T::Prime) => false,
        (T::LeftParen | T::LeftBracket | T::NotSign | T::Tilde, _) => false,
        (T::Dot | T::DotDot | T::At, _) | (_, T::Dot | T::DotDot | T::At) => false,
        (T::MinusSign, _) if !before.token.is_some_and(ends_operand) => false,
        (T::PlusSign | T::MinusSign | T::Star | T::Slash | T::Percent, _) => before.is_apart,
        (_, T::PlusSign | T::MinusSign | T::Star | T::Slash | T::Percent) if ends_operand(last) => was_apart,
        (_, T::LeftParen) if is_called(last) => false,
        (T::Comma | T::Semicolon | T::Colon, _) => true,
        (_, T::LeftBrace) => true,
        (T::LeftBrace, _) if before.token.is_some_and(opens_block) => true,
        (T::RightBrace, T::Else | T::Or) => true,
        (T::LeftBrace | T::RightBrace | T::RightBracket | T::RightParen, _) if !is_operator(next) => was_apart,
        (_, T::LeftBracket) if last == T::Identifier || last == T::Prime => was_apart,
        (_, T::Colon | T::LessSign | T::GreaterSign) | (T::LessSign | T::GreaterSign, _) => was_apart,
        (T::Prime, _) if !is_operator(next) => was_apart,
        _ => true,
    }
}

/// Whether a brace behind it holds statements or members, and not the elements of a set.
fn opens_block(token: T) -> bool {
    matches!(
        token,
        T::Identifier | T::RightParen | T::RightBracket | T::Enum | T::Atomic | T::Choose | T::Else | T::Loop | T::Or
    )
}

/// What stands directly before the parenthesis of its arguments.
fn is_called(token: T) -> bool {
    matches!(
        token,
        T::Identifier | T::Acquire | T::Release | T::AcquireRead | T::AcquireWrite | T::ReleaseRead | T::ReleaseWrite
    )
}

/// Whether a `-` behind it subtracts.
fn ends_operand(token: T) -> bool {
    matches!(
        token,
        T::Identifier
            | T::Integer
            | T::RightParen
            | T::RightBracket
            | T::RightBrace
            | T::Prime
            | T::True
            | T::False
            | T::SelfThread
            | T::None
    )
}

/// Operators that stand between their operands with a blank on both sides, wherever they occur.
fn is_operator(token: T) -> bool {
    matches!(
        token,
        T::Assign
            | T::ImpliesSign
            | T::IffSign
            | T::OrSign
            | T::AndSign
            | T::EqualSign
            | T::NotEqualSign
            | T::LessEqualSign
            | T::GreaterEqualSign
            | T::Ampersand
            | T::Pipe
            | T::Caret
            | T::ShiftLeft
            | T::ShiftRight
            | T::ColonColon
            | T::Arrow
            | T::Question
            | T::In
            | T::Subset
            | T::Union
            | T::Inter
            | T::Minus
    )
}
