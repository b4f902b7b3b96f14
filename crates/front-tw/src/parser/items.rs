//! Declarations.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::ast::{Copies, Expr, Item, ItemKind, Module, Name, Param, Proc, Thread, Watched};
use crate::lexer::TokenKind;
use threadwise_source::Diagnostic;

impl Parser<'_> {
    /// The whole file.
    pub(super) fn module(&mut self) -> Module {
        let mut items = Vec::new();
        while !self.at(TokenKind::EndOfFile) {
            let start = self.position;
            self.item_indentation = self.indentation().unwrap_or(0);
            self.suspicious_braces = None;
            match self.item() {
                Ok(item) => items.push(item),
                Err(Abandoned) => self.skip_item(start),
            }
            items.append(&mut self.misplaced_items);
        }
        Module { items }
    }

    /// One declaration.
    pub(super) fn item(&mut self) -> Attempt<Item> {
        if self.at_word_exceptions() {
            self.read_as(TokenKind::Exceptions);
        }
        if self.at_function_declaration() {
            self.read_as(TokenKind::Function);
        }
        self.read_slip_as_item();
        let start = self.span();
        let kind = self.item_kind()?;
        Ok(Item { kind, span: self.since(start) })
    }

    fn item_kind(&mut self) -> Attempt<ItemKind> {
        match self.kind() {
            TokenKind::Const => self.constant(),
            TokenKind::Type => self.type_declaration(),
            TokenKind::Function => self.function_declaration(),
            TokenKind::Shared => {
                self.bump();
                Ok(ItemKind::Shared(self.variables("shared")?))
            }
            TokenKind::Init => self.property(ItemKind::Init),
            TokenKind::Never => self.named_property("the name of what must never be", ItemKind::Never),
            TokenKind::Exceptions => self.property(ItemKind::Exceptions),
            TokenKind::Invariant => self.named_property("the name of an invariant", ItemKind::Invariant),
            TokenKind::NoRace => self.norace(),
            TokenKind::NoDeadlock => {
                self.bump();
                self.semicolon()?;
                Ok(ItemKind::NoDeadlock)
            }
            TokenKind::Thread => Ok(ItemKind::Thread(self.thread()?)),
            TokenKind::Proc => Ok(ItemKind::Proc(self.procedure()?)),
            TokenKind::Rely => Ok(ItemKind::Rely(self.contract()?)),
            TokenKind::Guarantee => Ok(ItemKind::Guarantee(self.contract()?)),
            TokenKind::Abstract => Ok(ItemKind::Abstract(self.abstract_thread()?)),
            _ => Err(self.no_item()),
        }
    }

    fn constant(&mut self) -> Attempt<ItemKind> {
        self.bump();
        let name = self.name("the name of a constant")?;
        self.expect(TokenKind::Assign)?;
        let value = self.expression()?;
        self.semicolon()?;
        Ok(ItemKind::Const(name, value))
    }

    /// `type T = enum { a, b };`, `type R = record { a: T, b: U };`
    fn type_declaration(&mut self) -> Attempt<ItemKind> {
        self.bump();
        let name = self.name("the name of a type")?;
        self.check_not_built_in(&name, super::types::TYPE_WORDS.contains(&name.text.as_str()), "type");
        self.expect(TokenKind::Assign)?;
        if self.at(TokenKind::Identifier) && self.text() == "record" {
            return self.record_declaration(name);
        }
        if !self.at(TokenKind::Enum) {
            let hint = "write `type Phase = enum { idle, busy };` or `type Point = record { x: int, y: int };`";
            return Err(self.expected_with("`enum` or `record`", Some(hint.to_string())));
        }
        self.bump();
        let opening = self.expect(TokenKind::LeftBrace)?;
        let mut members = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            members.push(self.name("the name of a member")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightBrace, opening)?;
        self.semicolon()?;
        Ok(ItemKind::Enum(name, members))
    }

    /// What follows `type R =`.
    fn record_declaration(&mut self, name: Name) -> Attempt<ItemKind> {
        self.bump();
        let opening = self.expect(TokenKind::LeftBrace)?;
        let mut fields = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            let field = self.name("the name of a field")?;
            self.expect(TokenKind::Colon)?;
            fields.push(Param { name: field, ty: self.ty()? });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightBrace, opening)?;
        self.semicolon()?;
        Ok(ItemKind::Record(name, fields))
    }

    fn property(&mut self, make: fn(Expr) -> ItemKind) -> Attempt<ItemKind> {
        self.bump();
        let formula = self.expression()?;
        self.semicolon()?;
        Ok(make(formula))
    }

    /// `invariant name: e;` or `invariant e;`, and the same with `never`.
    fn named_property(&mut self, what: &str, make: fn(Option<Name>, Expr) -> ItemKind) -> Attempt<ItemKind> {
        self.bump();
        let mut name = None;
        if self.at(TokenKind::Identifier) && self.peek(1) == TokenKind::Colon {
            name = Some(self.name(what)?);
            self.bump();
        }
        let formula = self.expression()?;
        self.semicolon()?;
        Ok(make(name, formula))
    }

    fn norace(&mut self) -> Attempt<ItemKind> {
        self.bump();
        let mut watched = vec![self.watched()?];
        while self.eat(TokenKind::Comma) {
            watched.push(self.watched()?);
        }
        self.semicolon()?;
        Ok(ItemKind::NoRace(watched))
    }

    /// `x`, `a[*]`, `a[*][*]`
    fn watched(&mut self) -> Attempt<Watched> {
        let name = self.name("the name of a shared variable")?;
        let mut depth = 0;
        while self.at(TokenKind::LeftBracket) {
            let opening = self.bump();
            if !self.eat(TokenKind::Star) {
                let error = Diagnostic::error(self.span(), "`norace` is about all elements of an array, or about none");
                self.report(error.label("expected `*`").hint(format!("write `{}[*]`", name.text)));
                return Err(Abandoned);
            }
            self.closing(TokenKind::RightBracket, opening)?;
            depth += 1;
        }
        Ok(Watched { name, depth })
    }

    fn thread(&mut self) -> Attempt<Thread> {
        let start = self.bump();
        let name = self.name("the name of a thread")?;
        let copies = self.copies(&name)?;
        let params = if self.at(TokenKind::LeftParen) { Some(self.parameters()?) } else { None };
        let head = self.since(start);
        Ok(Thread { name, copies, params, head, body: self.block()? })
    }

    /// `[e]`, `[*]` or nothing; `(e)` is reported and understood.
    fn copies(&mut self, name: &Name) -> Attempt<Copies> {
        let closing = match self.kind() {
            TokenKind::LeftBracket => TokenKind::RightBracket,
            TokenKind::LeftParen if !self.at_parameters() => TokenKind::RightParen,
            _ => return Ok(Copies::Single),
        };
        if closing == TokenKind::RightParen {
            self.copies_in_parentheses(name);
        }
        let opening = self.bump();
        let copies = match self.eat(TokenKind::Star) {
            true => Copies::Any,
            false => Copies::Exactly(self.expression()?),
        };
        self.closing(closing, opening)?;
        Ok(copies)
    }

    /// Is it `()` or `(x: …`, and not a number of copies in the wrong parentheses?
    fn at_parameters(&self) -> bool {
        let (first, second) = (self.peek(1), self.peek(2));
        first == TokenKind::RightParen || first == TokenKind::Identifier && second == TokenKind::Colon
    }

    /// `proc p(a: T) returns (r: U) { … }`
    fn procedure(&mut self) -> Attempt<Proc> {
        self.bump();
        let name = self.name("the name of a procedure")?;
        self.check_not_built_in(&name, super::primaries::is_function(&name.text), "function");
        let params = self.parameters()?;
        let result = if self.eat(TokenKind::Returns) { self.result()? } else { None };
        Ok(Proc { name, params, result, body: self.block()? })
    }

    pub(super) fn parameters(&mut self) -> Attempt<Vec<Param>> {
        let opening = self.expect(TokenKind::LeftParen)?;
        let mut params = Vec::new();
        while !self.at(TokenKind::RightParen) {
            let name = self.name("the name of a parameter")?;
            if !self.eat(TokenKind::Colon) {
                let hint = "give each parameter's type behind its name: `x: int`".to_string();
                return Err(self.expected_with("`:`", Some(hint)));
            }
            params.push(Param { name, ty: self.ty()? });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightParen, opening)?;
        Ok(params)
    }

    /// `(r: U)`; a procedure has one result at most.
    fn result(&mut self) -> Attempt<Option<Param>> {
        let opening = self.span();
        let mut results = self.parameters()?;
        if results.len() != 1 {
            let span = self.since(opening);
            let message = format!("a procedure has one result, not {}", results.len());
            let hint = "leave `returns` out, or pass the others through shared variables";
            self.report(Diagnostic::error(span, message).label("one name and its type").hint(hint));
        }
        Ok(if results.is_empty() { None } else { Some(results.swap_remove(0)) })
    }
}
