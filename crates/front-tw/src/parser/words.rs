//! Words that are keywords only where nothing else could be meant, and the statements and expressions that they start:
//! programs that use them as names keep their meaning.

use super::cursor::Parser;
use super::expressions::Tall;
use super::{Abandoned, Attempt};
use crate::ast::{Expr, ExprKind, Function, ItemKind, Name, StmtKind};
use crate::lexer::{Token, TokenKind};
use rustc_hash::FxHashSet;
use threadwise_source::{Diagnostic, SourceFile, Span};

/// What a program declares, as far as it decides how its text is read. A look at the tokens is enough: no name follows a
/// name elsewhere.
#[derive(Default)]
pub(super) struct DeclaredWords<'a> {
    functions: FxHashSet<&'a str>,
    records: FxHashSet<&'a str>,
    procedures: FxHashSet<&'a str>,
    types: FxHashSet<&'a str>,
}

impl<'a> DeclaredWords<'a> {
    pub(super) fn of(file: &'a SourceFile, tokens: &[Token]) -> DeclaredWords<'a> {
        let mut words = DeclaredWords::default();
        for window in tokens.windows(4) {
            let [first, name, third, fourth] = window else { continue };
            if name.kind != TokenKind::Identifier {
                continue;
            }
            let text = file.slice(name.span);
            match first.kind {
                TokenKind::Proc => _ = words.procedures.insert(text),
                TokenKind::Type => {
                    words.types.insert(text);
                    if third.kind == TokenKind::Assign && file.slice(fourth.span) == "record" {
                        words.records.insert(text);
                    }
                }
                TokenKind::Identifier if file.slice(first.span) == "fun" && third.kind == TokenKind::LeftParen => {
                    words.functions.insert(text);
                }
                _ => {}
            }
        }
        words
    }

    pub(super) fn has_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    pub(super) fn has_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }
}

impl Parser<'_> {
    /// Is it `fun f`, which starts a declaration?
    pub(super) fn at_function_declaration(&self) -> bool {
        self.at(TokenKind::Identifier) && self.text() == "fun" && self.peek(1) == TokenKind::Identifier
    }

    /// Is it `select {`?
    pub(super) fn at_select(&self) -> bool {
        self.at(TokenKind::Identifier) && self.text() == "select" && self.peek(1) == TokenKind::LeftBrace
    }

    /// `fun f(x: T): U = e;`
    pub(super) fn function_declaration(&mut self) -> Attempt<ItemKind> {
        self.bump();
        let name = self.name("the name of a function")?;
        self.check_not_built_in(&name, super::primaries::is_function(&name.text), "function");
        let params = self.parameters()?;
        if !self.at(TokenKind::Colon) {
            let hint = format!("a function is written `fun {}(x: int): int = x + 1;`", name.text);
            return Err(self.expected_with("`:` and the type of the result", Some(hint)));
        }
        self.bump();
        let result = self.ty()?;
        if !self.at(TokenKind::Assign) {
            let hint = "a function is one expression, `= e;`; what takes steps is a `proc`".to_string();
            return Err(self.expected_with("`=`", Some(hint)));
        }
        self.bump();
        let body = self.expression()?;
        self.semicolon()?;
        Ok(ItemKind::Function(Function { name, params, result, body }))
    }

    /// Is it the call of a function or a record literal, which are parts of expressions?
    pub(super) fn at_value_with_parentheses(&self) -> bool {
        self.words.functions.contains(self.text()) || self.at_record_literal()
    }

    /// Is it `R(` of a record, or `r(a: `, which nothing else could be?
    pub(super) fn at_record_literal(&self) -> bool {
        let names_field = self.peek(2) == TokenKind::Identifier && self.peek(3) == TokenKind::Colon;
        self.words.records.contains(self.text()) || names_field
    }

    /// `f(e, f)`
    pub(super) fn function_call(&mut self) -> Attempt<Tall> {
        let start = self.span();
        let name = self.name("the name of a function")?;
        let opening = self.expect(TokenKind::LeftParen)?;
        let (mut args, mut height) = (Vec::new(), 0);
        while !self.at(TokenKind::RightParen) {
            let argument = self.tall_expression()?;
            height = height.max(argument.height);
            args.push(argument.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightParen, opening)?;
        self.grow(ExprKind::Call(name, args), self.since(start), height)
    }

    /// `R(a: e, b: f)`
    pub(super) fn record_literal(&mut self) -> Attempt<Tall> {
        let start = self.span();
        let name = self.name("the name of a record")?;
        let opening = self.expect(TokenKind::LeftParen)?;
        let (mut fields, mut height) = (Vec::new(), 0);
        while !self.at(TokenKind::RightParen) {
            let is_named = self.at(TokenKind::Identifier) && self.peek(1) == TokenKind::Colon;
            if !is_named {
                let hint = format!("name the fields: `{}(a: e, b: f)`", name.text);
                return Err(self.expected_with("the name of a field and `:`", Some(hint)));
            }
            let field = self.name("the name of a field")?;
            self.bump();
            let value = self.tall_expression()?;
            height = height.max(value.height);
            fields.push((field, value.expr));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightParen, opening)?;
        self.grow(ExprKind::RecordLiteral(name, fields), self.since(start), height)
    }

    /// `[a, b]` and `[e; all]`
    pub(super) fn array_literal(&mut self) -> Attempt<Tall> {
        let start = self.bump();
        let (mut elements, mut height) = (Vec::new(), 0);
        while !self.at(TokenKind::RightBracket) {
            let element = self.tall_expression()?;
            height = height.max(element.height);
            elements.push(element.expr);
            if self.at(TokenKind::Semicolon) && elements.len() == 1 {
                self.fill_sign(start)?;
                let kind = ExprKind::ArrayFill(Box::new(elements.remove(0)));
                return self.grow(kind, self.since(start), height);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightBracket, start)?;
        self.grow(ExprKind::ArrayLiteral(elements), self.since(start), height)
    }

    /// `; all]`; a number instead of `all` is reported, and understood.
    fn fill_sign(&mut self, opening: Span) -> Attempt<()> {
        self.bump();
        if !(self.at(TokenKind::Identifier) && self.text() == "all") {
            let error = Diagnostic::error(self.span(), format!("expected `all`, found {}", self.found()));
            self.report(error.label("the type says how many elements there are").hint("write `[e; all]`"));
            self.expression()?;
        } else {
            self.bump();
        }
        self.closing(TokenKind::RightBracket, opening)?;
        Ok(())
    }

    /// Is it a statement on a condition variable or a channel? A procedure of that name comes first.
    pub(super) fn at_operation(&self) -> bool {
        let is_word = matches!(self.text(), "wait" | "signal" | "broadcast" | "send" | "receive");
        is_word
            && self.at(TokenKind::Identifier)
            && self.peek(1) == TokenKind::LeftParen
            && !self.words.procedures.contains(self.text())
    }

    /// Is it `receive(c)` behind `x =`?
    pub(super) fn at_receive(&self) -> bool {
        self.at_operation() && self.text() == "receive"
    }

    /// `wait(c, m);` and its like
    pub(super) fn operation(&mut self, result: Option<Expr>) -> Attempt<StmtKind> {
        let (word, span) = (self.text(), self.bump());
        let mut args = self.arguments()?;
        self.semicolon()?;
        let (wanted, example) = match word {
            "wait" => (2, "wait(c, m);"),
            "send" => (2, "send(c, e);"),
            "signal" => (1, "signal(c);"),
            "broadcast" => (1, "broadcast(c);"),
            _ => (1, "x = receive(c);"),
        };
        if args.len() != wanted {
            let error = Diagnostic::error(span, format!("`{word}` takes {wanted} operands, not {}", args.len()));
            self.report(error.label("wrong number of operands").hint(format!("write `{example}`")));
            return Err(Abandoned);
        }
        let last = args.pop();
        Ok(match (word, args.pop(), last) {
            ("wait", Some(condition), Some(mutex)) => StmtKind::Wait(condition, mutex),
            ("send", Some(channel), Some(value)) => StmtKind::Send(channel, value),
            ("signal", _, Some(condition)) => StmtKind::Signal(condition),
            ("broadcast", _, Some(condition)) => StmtKind::Broadcast(condition),
            (_, _, Some(channel)) => StmtKind::Receive { result, channel },
            (_, _, None) => return Err(Abandoned),
        })
    }

    /// `assert e;` and `assert e, "text";`
    pub(super) fn assert_statement(&mut self) -> Attempt<StmtKind> {
        self.bump();
        let condition = self.expression()?;
        let message = if self.eat(TokenKind::Comma) { Some(self.message()?) } else { None };
        self.semicolon()?;
        Ok(StmtKind::Assert(condition, message))
    }

    fn message(&mut self) -> Attempt<String> {
        if !self.at(TokenKind::Text) {
            let hint = "a message stands in double quotes: `assert x > 0, \"nothing is left\";`".to_string();
            return Err(self.expected_with("a message", Some(hint)));
        }
        let text = self.text();
        self.bump();
        Ok(text[1..text.len() - 1].to_string())
    }

    /// The thread in `for t in W {`, if it is that.
    pub(super) fn thread_of_for(&mut self) -> Option<Name> {
        let is_thread = self.at(TokenKind::Identifier) && self.peek(1) == TokenKind::LeftBrace;
        is_thread.then(|| self.name("the name of a thread").ok()).flatten()
    }
}
