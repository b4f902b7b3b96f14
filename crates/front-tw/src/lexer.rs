//! Text → tokens. Comments and white space vanish here; whatever is no token is reported once per
//! run and leaves a [`TokenKind::Error`], so that the parser knows that somebody has complained.

use crate::parser::MAX_DIAGNOSTICS;
use threadwise_source::{Diagnostic, SourceFile, Span};

/// A token: what it is and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// Why a piece of text is no token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LexError {
    /// A character that the language does not use.
    UnknownCharacter,
    /// `/*` without `*/`.
    UnterminatedComment,
    /// `"` without another one on the line.
    UnterminatedText,
}

/// Declares the kinds of tokens together with their spelling.
macro_rules! token_kinds {
    (keywords { $($keyword:ident $word:tt)* } symbols { $($symbol:ident $sign:tt)* }) => {
        /// The kinds of tokens.
        ///
        /// Words that only matter in one place (`int`, `set`, `lock`, `size`, `count`, `idle`, `exceptions`, …)
        /// are plain identifiers, so that programs may use them as names.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum TokenKind {
            $($keyword,)*
            $($symbol,)*
            Identifier,
            /// Text between double quotes, on one line.
            Text,
            /// Digits and whatever letters are glued to them; only numbers get past the lexer.
            Integer,
            /// White space and comments; they do not get past the lexer.
            Blank,
            /// `exceptions` where it starts a declaration. The lexer knows only a name; the parser reads
            /// it so, because programs may have variables of that name.
            Exceptions,
            /// `fun` where it starts a declaration; programs may have variables of that name.
            Function,
            /// Text that is no token; already reported.
            Error,
            EndOfFile,
        }

        impl TokenKind {
            /// The one spelling of a keyword or a symbol; empty for the other kinds.
            pub fn spelling(self) -> &'static str {
                match self {
                    $(TokenKind::$keyword => $word,)*
                    $(TokenKind::$symbol => $sign,)*
                    TokenKind::Exceptions => "exceptions",
                    TokenKind::Function => "fun",
                    _ => "",
                }
            }

            /// The keyword with this spelling, or a name.
            fn of_word(word: &str) -> TokenKind {
                match word {
                    $($word => TokenKind::$keyword,)*
                    _ => TokenKind::Identifier,
                }
            }

            /// The symbol with this spelling.
            fn of_sign(sign: &str) -> Option<TokenKind> {
                match sign {
                    $($sign => Some(TokenKind::$symbol),)*
                    _ => None,
                }
            }

            /// Bytes in the longest symbol.
            const LONGEST_SIGN: usize = {
                let mut longest = 0;
                $(if $sign.len() > longest { longest = $sign.len(); })*
                longest
            };

            /// Is it a word that cannot be a name?
            pub fn is_keyword(self) -> bool {
                matches!(self, $(TokenKind::$keyword)|*)
            }
        }
    };
}

token_kinds! {
    keywords {
        Const "const"  Type "type"  Enum "enum"  Shared "shared"  Init "init"  Thread "thread"
        Proc "proc"  Returns "returns"  Invariant "invariant"  Never "never"  NoRace "norace"
        NoDeadlock "nodeadlock"
        Rely "rely"  Guarantee "guarantee"  Abstract "abstract"
        Var "var"  Skip "skip"  Assert "assert"  Assume "assume"  Await "await"
        Acquire "acquire"  Release "release"  AcquireRead "acquire_read"
        AcquireWrite "acquire_write"  ReleaseRead "release_read"  ReleaseWrite "release_write"
        Action "action"  Atomic "atomic"  If "if"  Else "else"  While "while"  Loop "loop"
        Break "break"  Continue "continue"  Choose "choose"  Or "or"  For "for"  Goto "goto"
        Return "return"
        True "true"  False "false"  SelfThread "self"  None "none"  Forall "forall"
        Exists "exists"  In "in"  Subset "subset"  Union "union"  Inter "inter"  Minus "minus"
    }
    symbols {
        LeftBrace "{"  RightBrace "}"  LeftParen "("  RightParen ")"  LeftBracket "["
        RightBracket "]"  Semicolon ";"  Comma ","  Colon ":"  ColonColon "::"  Dot "."
        DotDot ".."  At "@"  Prime "'"  Question "?"  Arrow "->"
        Assign "="  ImpliesSign "==>"  IffSign "<==>"  OrSign "||"  AndSign "&&"  NotSign "!"
        EqualSign "=="  NotEqualSign "!="  LessSign "<"  LessEqualSign "<="  GreaterSign ">"
        GreaterEqualSign ">="  PlusSign "+"  MinusSign "-"  Star "*"  Slash "/"  Percent "%"
        Ampersand "&"  Pipe "|"  Caret "^"  Tilde "~"  ShiftLeft "<<"  ShiftRight ">>"
        // No operators of the language, but typical slips that deserve an answer of their own.
        ColonAssign ":="  FatArrow "=>"  SpaceshipSign "<=>"
    }
}

/// What the text starts with, which is not empty, and how long that is in bytes. The longest token wins.
fn first_token(text: &str) -> (Result<TokenKind, LexError>, usize) {
    let run = |is_part: fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
    let first = text.chars().next().unwrap_or_default();
    match first {
        _ if is_blank(first) => (Ok(TokenKind::Blank), run(is_blank)),
        '/' if text.starts_with("//") => (Ok(TokenKind::Blank), run(|c| c != '\n')),
        '/' if text.starts_with("/*") => block_comment(text),
        '"' => text_literal(text),
        '0'..='9' => (Ok(TokenKind::Integer), run(is_word)),
        _ if is_word(first) => (Ok(TokenKind::of_word(&text[..run(is_word)])), run(is_word)),
        _ => {
            let sign = |length| Some((Ok(TokenKind::of_sign(text.get(..length)?)?), length));
            let unknown = (Err(LexError::UnknownCharacter), first.len_utf8());
            (1..=TokenKind::LONGEST_SIGN).rev().find_map(sign).unwrap_or(unknown)
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}')
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Text ends on its line. There are no escapes: no text in a message needs a double quote.
fn text_literal(text: &str) -> (Result<TokenKind, LexError>, usize) {
    match text[1..].find(['"', '\n']) {
        Some(length) if text[1 + length..].starts_with('"') => (Ok(TokenKind::Text), length + 2),
        _ => (Err(LexError::UnterminatedText), 1),
    }
}

/// Comments do not nest. One that is not closed is as long as its start, which is where the complaint points.
fn block_comment(text: &str) -> (Result<TokenKind, LexError>, usize) {
    match text[2..].find("*/") {
        Some(length) => (Ok(TokenKind::Blank), length + 4),
        None => (Err(LexError::UnterminatedComment), 2),
    }
}

/// The tokens of a file, always with an [`TokenKind::EndOfFile`] at the end, and the complaints.
pub fn tokenize(file: &SourceFile) -> (Vec<Token>, Vec<Diagnostic>) {
    let text = file.text();
    let mut output = Output { file, tokens: Vec::with_capacity(text.len() / 4), diagnostics: vec![] };
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        let (found, length) = first_token(&text[at..]);
        let span = Span::new(at, at + length);
        at += length;
        match found {
            Ok(TokenKind::Blank) => {}
            Ok(TokenKind::Integer) => output.integer(span),
            Ok(kind) => output.tokens.push(Token { kind, span }),
            Err(LexError::UnknownCharacter) => output.unknown(span),
            Err(LexError::UnterminatedText) => output.unterminated_text(span),
            Err(LexError::UnterminatedComment) => {
                output.unterminated_comment(span);
                break;
            }
        }
    }
    output.finish(text.len())
}

/// What the lexer has found so far.
struct Output<'a> {
    file: &'a SourceFile,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Output<'_> {
    fn integer(&mut self, span: Span) {
        let text = self.file.slice(span);
        let is_number = is_number(text);
        if !is_number {
            let shown = self.file.snippet(span, 40);
            let diagnostic = Diagnostic::error(span, format!("`{shown}` is neither a number nor a name"));
            self.report(diagnostic.label(if text.starts_with("0x") {
                "a hexadecimal number has the digits 0 to 9 and a to f"
            } else {
                "a number has only digits, and a name does not start with one"
            }));
        } else if integer_value(text).is_none() {
            let diagnostic = Diagnostic::error(span, "this integer is too large")
                .label(format!("literals go up to {}", u64::MAX))
                .hint("values may grow beyond this, only literals may not");
            self.report(diagnostic);
        }
        let kind = if is_number { TokenKind::Integer } else { TokenKind::Error };
        self.tokens.push(Token { kind, span });
    }

    /// Extends the run of unknown characters that ends where this one starts, or starts one.
    fn unknown(&mut self, span: Span) {
        match self.tokens.last_mut() {
            Some(last) if last.kind == TokenKind::Error && last.span.end == span.start => {
                last.span.end = span.end;
                let run = last.span;
                self.extend_last_complaint(run);
            }
            _ => {
                self.tokens.push(Token { kind: TokenKind::Error, span });
                self.report(unknown_character(self.file.slice(span), span));
            }
        }
    }

    fn extend_last_complaint(&mut self, run: Span) {
        let last = self.diagnostics.last_mut();
        if let Some(diagnostic) = last.filter(|diagnostic| diagnostic.span.start == run.start) {
            diagnostic.span = run;
            diagnostic.message = "unknown characters".to_string();
        }
    }

    /// Keeps what can be shown; a binary file would have millions.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() <= MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn unterminated_text(&mut self, span: Span) {
        self.tokens.push(Token { kind: TokenKind::Error, span });
        let diagnostic = Diagnostic::error(span, "this text is never closed")
            .label("the text starts here")
            .hint("close it with `\"` on the same line; only messages of assertions are text");
        self.report(diagnostic);
    }

    fn unterminated_comment(&mut self, span: Span) {
        self.tokens.push(Token { kind: TokenKind::Error, span });
        let diagnostic = Diagnostic::error(span, "this comment is never closed")
            .label("the comment starts here and swallows the rest of the file")
            .hint("close it with `*/`; comments do not nest");
        self.report(diagnostic);
    }

    fn finish(mut self, length: usize) -> (Vec<Token>, Vec<Diagnostic>) {
        let span = Span::new(length, length);
        self.tokens.push(Token { kind: TokenKind::EndOfFile, span });
        (self.tokens, self.diagnostics)
    }
}

/// Whether digits and what is glued to them are a number, decimal or hexadecimal.
fn is_number(text: &str) -> bool {
    match text.strip_prefix("0x") {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => text.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// The value of a number, unless it is too large.
pub(crate) fn integer_value(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn unknown_character(text: &str, span: Span) -> Diagnostic {
    let Some(character) = text.chars().next() else {
        return Diagnostic::error(span, "unknown character");
    };
    let code = character as u32;
    let message = if character.is_control() || character.is_whitespace() {
        format!("unknown character U+{code:04X}")
    } else {
        format!("unknown character `{character}`")
    };
    let diagnostic = Diagnostic::error(span, message).label("the language does not use this");
    match ascii_spelling(character) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// How to write what the character probably stands for.
fn ascii_spelling(character: char) -> Option<String> {
    let spelling = match character {
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '⇒' | '→' => "==>",
        '⇔' | '↔' => "<==>",
        '≠' => "!=",
        '≤' => "<=",
        '≥' => ">=",
        '∈' => "in",
        '⊆' => "subset",
        '∪' => "union",
        '∩' => "inter",
        '∖' => "minus",
        '∅' => "{}",
        '∀' => "forall",
        '∃' => "exists",
        '′' | '’' | '‘' => "'",
        '–' | '−' | '—' => "-",
        '…' => "..",
        '#' => return Some("a comment starts with `//`".to_string()),
        c if c.is_whitespace() => return Some("use ordinary spaces".to_string()),
        _ => return None,
    };
    Some(format!("write `{spelling}`"))
}
