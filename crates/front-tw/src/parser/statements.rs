//! Blocks and statements.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::ast::{Block, Cond, Expr, ExprKind, LockOp, Name, Rhs, Stmt, StmtKind, VarDecl};
use crate::lexer::TokenKind;
use threadwise_source::Span;

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Attempt<Block> {
        let opening = self.expect(TokenKind::LeftBrace)?;
        let mut stmts = Vec::new();
        while !self.at(TokenKind::RightBrace) && !self.at(TokenKind::EndOfFile) {
            // A keyword before a colon is meant as a label; `labels` says that it cannot be one.
            if self.at_item() && self.peek(1) != TokenKind::Colon {
                if self.block_seems_over() {
                    break;
                }
                self.misplaced_item();
                continue;
            }
            let start = self.position;
            match self.statement() {
                Ok(stmt) => stmts.push(stmt),
                Err(Abandoned) => self.skip_statement(start),
            }
        }
        self.closing_brace(opening);
        Ok(Block { stmts, span: self.since(opening) })
    }

    /// A block after a head; one statement without braces is reported and understood.
    pub(super) fn body(&mut self) -> Attempt<Block> {
        if self.at(TokenKind::LeftBrace) {
            return self.block();
        }
        self.body_without_braces();
        if !self.starts_statement() {
            return Err(Abandoned);
        }
        let stmt = self.statement()?;
        Ok(Block { span: stmt.span, stmts: vec![stmt] })
    }

    /// A statement with its labels.
    pub(super) fn statement(&mut self) -> Attempt<Stmt> {
        self.deeper(|p| {
            let labels = p.labels();
            if !labels.is_empty() && p.at(TokenKind::RightBrace) {
                let start = p.span().start;
                let span = Span { start, end: start };
                return Ok(Stmt { labels, kind: StmtKind::Empty, span });
            }
            p.read_slip_as_statement()?;
            let (kind, span) = p.statement_kind()?;
            Ok(Stmt { labels, kind, span })
        })
    }

    fn labels(&mut self) -> Vec<Name> {
        let mut labels = Vec::new();
        while self.peek(1) == TokenKind::Colon && (self.at(TokenKind::Identifier) || self.kind().is_keyword()) {
            match self.name("a label") {
                Ok(label) => labels.push(label),
                Err(Abandoned) => break,
            }
            self.bump();
        }
        labels
    }

    /// What a statement does, and its span: the head of a compound one, the whole of a simple one.
    fn statement_kind(&mut self) -> Attempt<(StmtKind, Span)> {
        let start = self.span();
        match self.kind() {
            TokenKind::LeftBrace => Ok((StmtKind::Block(self.block()?), start)),
            TokenKind::Atomic => {
                self.bump();
                Ok((StmtKind::Atomic(self.body()?), start))
            }
            TokenKind::If => self.if_statement(),
            TokenKind::While => self.while_statement(),
            TokenKind::Loop => {
                self.bump();
                let invariants = self.loop_invariants()?;
                Ok((StmtKind::Loop(invariants, self.body()?), start))
            }
            TokenKind::Choose => self.branches(StmtKind::Choose),
            TokenKind::Identifier if self.at_select() => self.branches(StmtKind::Select),
            TokenKind::For => self.for_statement(),
            _ => {
                let kind = self.simple_statement()?;
                Ok((kind, self.since(start)))
            }
        }
    }

    /// A statement that ends with a semicolon.
    fn simple_statement(&mut self) -> Attempt<StmtKind> {
        if let Some(operation) = lock_operation(self.kind()) {
            return self.lock_statement(operation);
        }
        match self.kind() {
            TokenKind::Identifier => self.named_statement(),
            TokenKind::Var => {
                self.bump();
                Ok(StmtKind::Var(self.variables("var")?))
            }
            TokenKind::Skip => self.keyword_statement(StmtKind::Skip),
            TokenKind::Break => self.keyword_statement(StmtKind::Break),
            TokenKind::Continue => self.keyword_statement(StmtKind::Continue),
            TokenKind::Assert => self.assert_statement(),
            TokenKind::Assume | TokenKind::Await => self.expression_statement(StmtKind::Assume),
            TokenKind::Action => self.action(),
            TokenKind::Goto => self.goto(),
            TokenKind::Return => self.return_statement(),
            _ => Err(self.no_statement()),
        }
    }

    fn keyword_statement(&mut self, kind: StmtKind) -> Attempt<StmtKind> {
        self.bump();
        self.semicolon()?;
        Ok(kind)
    }

    fn expression_statement(&mut self, make: fn(Expr) -> StmtKind) -> Attempt<StmtKind> {
        self.bump();
        let expr = self.expression()?;
        self.semicolon()?;
        Ok(make(expr))
    }

    fn goto(&mut self) -> Attempt<StmtKind> {
        self.bump();
        let label = self.name("a label")?;
        self.semicolon()?;
        Ok(StmtKind::Goto(label))
    }

    fn return_statement(&mut self) -> Attempt<StmtKind> {
        self.bump();
        let ends_here =
            matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightBrace) || self.at_statement_keyword();
        let result = if ends_here { None } else { Some(self.expression()?) };
        self.semicolon()?;
        Ok(StmtKind::Return(result))
    }

    fn lock_statement(&mut self, operation: LockOp) -> Attempt<StmtKind> {
        let keyword = self.text();
        self.bump();
        if !self.at(TokenKind::LeftParen) {
            let hint = format!("write `{keyword}(m);`, where `m` is the lock");
            return Err(self.expected_with("`(`", Some(hint)));
        }
        let opening = self.bump();
        let lock = self.expression()?;
        self.closing(TokenKind::RightParen, opening)?;
        self.semicolon()?;
        Ok(StmtKind::Lock(operation, lock))
    }

    /// `action [x, y] F assert G;`
    fn action(&mut self) -> Attempt<StmtKind> {
        self.bump();
        if !self.at(TokenKind::LeftBracket) {
            let hint = "name the variables that may change: `action [x] x' > x;`".to_string();
            return Err(self.expected_with("`[`", Some(hint)));
        }
        let frame = self.frame()?;
        let formula = self.expression()?;
        let assertion = if self.eat(TokenKind::Assert) { Some(self.expression()?) } else { None };
        self.semicolon()?;
        Ok(StmtKind::Action { frame, formula, assertion })
    }

    /// `[x, l.w]`; it may be empty.
    pub(super) fn frame(&mut self) -> Attempt<Vec<Expr>> {
        let opening = self.expect(TokenKind::LeftBracket)?;
        let mut variables = Vec::new();
        while !self.at(TokenKind::RightBracket) {
            variables.push(self.postfix()?.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightBracket, opening)?;
        Ok(variables)
    }

    fn if_statement(&mut self) -> Attempt<(StmtKind, Span)> {
        let start = self.bump();
        let condition = self.condition("if");
        let span = self.since(start);
        let yes = self.body()?;
        let no = if self.eat(TokenKind::Else) { Some(self.else_body()?) } else { None };
        Ok((StmtKind::If(condition, yes, no), span))
    }

    /// What follows `else`; an `if` there is a block with one statement.
    fn else_body(&mut self) -> Attempt<Block> {
        if !self.at(TokenKind::If) {
            return self.body();
        }
        let start = self.span();
        let first = self.position;
        let stmts = match self.statement() {
            Ok(stmt) => vec![stmt],
            Err(Abandoned) => {
                self.skip_statement(first);
                vec![]
            }
        };
        Ok(Block { stmts, span: self.since(start) })
    }

    /// `(e)` or `(*)`; a broken one becomes [`ExprKind::Error`], so that the body is still read.
    fn condition(&mut self, keyword: &str) -> Cond {
        let start = self.span();
        match self.try_condition(keyword) {
            Ok(condition) => condition,
            Err(Abandoned) => {
                self.skip_condition();
                Cond::Expr(Expr { kind: ExprKind::Error, span: self.since(start) })
            }
        }
    }

    fn try_condition(&mut self, keyword: &str) -> Attempt<Cond> {
        if !self.at(TokenKind::LeftParen) {
            return self.condition_without_parentheses(keyword);
        }
        let opening = self.bump();
        let condition = self.free_or_expression()?;
        self.closing(TokenKind::RightParen, opening)?;
        Ok(condition)
    }

    /// `*` or an expression.
    pub(super) fn free_or_expression(&mut self) -> Attempt<Cond> {
        if self.eat(TokenKind::Star) {
            return Ok(Cond::Any);
        }
        Ok(Cond::Expr(self.expression()?))
    }

    fn while_statement(&mut self) -> Attempt<(StmtKind, Span)> {
        let start = self.bump();
        let condition = self.condition("while");
        let span = self.since(start);
        let invariants = self.loop_invariants()?;
        Ok((StmtKind::While(condition, invariants, self.body()?), span))
    }

    /// `invariant i invariant name: j;` before a loop's body.
    fn loop_invariants(&mut self) -> Attempt<Vec<Expr>> {
        let mut invariants = Vec::new();
        while self.eat(TokenKind::Invariant) {
            if self.at(TokenKind::Identifier) && self.peek(1) == TokenKind::Colon {
                self.bump();
                self.bump();
            }
            invariants.push(self.expression()?);
            self.eat(TokenKind::Semicolon);
        }
        Ok(invariants)
    }

    /// `choose { … } or { … }`, and the same with `select`.
    fn branches(&mut self, make: fn(Vec<Block>) -> StmtKind) -> Attempt<(StmtKind, Span)> {
        let span = self.bump();
        let mut branches = vec![self.body()?];
        while self.eat(TokenKind::Or) {
            branches.push(self.body()?);
        }
        Ok((make(branches), span))
    }

    fn for_statement(&mut self) -> Attempt<(StmtKind, Span)> {
        let start = self.bump();
        self.check_no_parentheses_after_for()?;
        let name = self.name("the name of the loop's constant")?;
        self.expect(TokenKind::In)?;
        if let Some(thread) = self.thread_of_for() {
            let span = self.since(start);
            return Ok((StmtKind::ForCopies(name, thread, self.body()?), span));
        }
        let low = self.bound()?.expr;
        self.expect(TokenKind::DotDot)?;
        let high = self.bound()?.expr;
        let span = self.since(start);
        Ok((StmtKind::For(name, low, high, self.body()?), span))
    }

    /// `x, y: T = e;` after `var` or `shared`.
    pub(super) fn variables(&mut self, keyword: &str) -> Attempt<VarDecl> {
        let names = self.names("the name of a variable")?;
        if !self.at(TokenKind::Colon) {
            return Err(self.no_type(keyword, &names));
        }
        self.bump();
        let ty = self.ty()?;
        let init = if self.eat(TokenKind::Assign) { Some(self.initial_value()) } else { None };
        self.semicolon()?;
        Ok(VarDecl { names, ty, init })
    }

    /// A broken initial value does not lose the declaration, whose names would then be unknown.
    fn initial_value(&mut self) -> Rhs {
        let start = self.span();
        self.right_hand_side().unwrap_or_else(|Abandoned| {
            self.skip_to_semicolon();
            Rhs::Expr(Expr { kind: ExprKind::Error, span: self.since(start) })
        })
    }

    /// `x, y, z`
    pub(super) fn names(&mut self, what: &str) -> Attempt<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }
}

fn lock_operation(kind: TokenKind) -> Option<LockOp> {
    Some(match kind {
        TokenKind::Acquire => LockOp::Acquire,
        TokenKind::Release => LockOp::Release,
        TokenKind::AcquireRead => LockOp::AcquireRead,
        TokenKind::AcquireWrite => LockOp::AcquireWrite,
        TokenKind::ReleaseRead => LockOp::ReleaseRead,
        TokenKind::ReleaseWrite => LockOp::ReleaseWrite,
        _ => return None,
    })
}
