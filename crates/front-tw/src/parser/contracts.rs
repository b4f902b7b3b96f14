//! Contracts (`rely`, `guarantee`) and abstract threads.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::ast::{AbstractEdge, AbstractNode, AbstractThread, Contract, ContractSubject};
use crate::ast::{Binder, Expr, ExprKind, Quantifier};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `rely forall i: tid :: F;` or `rely P :: F;`
    pub(super) fn contract(&mut self) -> Attempt<Contract> {
        self.bump();
        let contract = match self.kind() {
            TokenKind::Forall => self.contract_of_every()?,
            _ => self.contract_of_one()?,
        };
        self.semicolon()?;
        Ok(contract)
    }

    fn contract_of_one(&mut self) -> Attempt<Contract> {
        if !self.at(TokenKind::Identifier) || self.peek(1) != TokenKind::ColonColon {
            return Err(self.no_contract_subject());
        }
        let subject = ContractSubject::Thread(self.name("the name of a thread")?);
        self.expect(TokenKind::ColonColon)?;
        Ok(Contract { subject, formula: self.expression()? })
    }

    /// The first binder is the subject; further ones stay quantifiers of the formula.
    fn contract_of_every(&mut self) -> Attempt<Contract> {
        let start = self.bump();
        let quantified = self.quantifier_body(Quantifier::Forall, start)?.expr;
        let ExprKind::Quantified(_, mut binders, formula) = quantified.kind else {
            return Err(Abandoned);
        };
        let subject = ContractSubject::Every(binders.remove(0));
        let formula = with_binders(binders, *formula, quantified.span);
        Ok(Contract { subject, formula })
    }

    /// `abstract W { … }`
    pub(super) fn abstract_thread(&mut self) -> Attempt<AbstractThread> {
        self.bump();
        let name = self.name("the name of a thread")?;
        let opening = self.expect(TokenKind::LeftBrace)?;
        let mut thread = AbstractThread { name, init: vec![], idle: false, nodes: vec![], edges: vec![] };
        while !self.at(TokenKind::RightBrace) && !self.at(TokenKind::EndOfFile) {
            let is_item = self.at_item() && !self.at(TokenKind::Init);
            if is_item && self.block_seems_over() {
                break;
            }
            let start = self.position;
            if self.abstract_part(&mut thread).is_err() {
                self.skip_statement(start);
            }
        }
        self.closing_brace(opening);
        Ok(thread)
    }

    fn abstract_part(&mut self, thread: &mut AbstractThread) -> Attempt<()> {
        match (self.kind(), self.peek(1)) {
            (TokenKind::Init, _) => {
                self.bump();
                thread.init.extend(self.names("the name of an initial node")?);
                self.semicolon()
            }
            (TokenKind::Identifier, TokenKind::Colon) => {
                thread.nodes.push(self.abstract_node()?);
                Ok(())
            }
            (TokenKind::Identifier, TokenKind::Arrow) => {
                thread.edges.push(self.abstract_edge()?);
                Ok(())
            }
            (TokenKind::Identifier, _) if self.text() == "idle" => {
                self.bump();
                thread.idle = true;
                self.semicolon()
            }
            _ => Err(self.no_abstract_part()),
        }
    }

    /// `X1: assert e;` or `X2:;`
    fn abstract_node(&mut self) -> Attempt<AbstractNode> {
        let name = self.name("the name of a node")?;
        self.expect(TokenKind::Colon)?;
        let assertion = match self.kind() {
            TokenKind::Assert => {
                self.bump();
                Some(self.expression()?)
            }
            TokenKind::Semicolon => None,
            _ => {
                let hint = format!("write `{}: assert e;`, or `{}:;` for `true`", name.text, name.text);
                return Err(self.expected_with("`assert` or `;`", Some(hint)));
            }
        };
        self.semicolon()?;
        Ok(AbstractNode { name, assertion })
    }

    /// At a semicolon, or where one is missing before the next part?
    fn at_end_of_edge(&self) -> bool {
        let starts_part = matches!(self.peek(1), TokenKind::Colon | TokenKind::Arrow);
        matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightBrace)
            || (self.at(TokenKind::Identifier) && starts_part)
    }

    /// `X1 -> X2 [g] F;`
    fn abstract_edge(&mut self) -> Attempt<AbstractEdge> {
        let from = self.name("the name of a node")?;
        self.expect(TokenKind::Arrow)?;
        let to = self.name("the name of a node")?;
        let frame = if self.at(TokenKind::LeftBracket) { Some(self.frame()?) } else { None };
        let formula = if self.at_end_of_edge() { None } else { Some(self.expression()?) };
        self.semicolon()?;
        let span = self.since(from.span);
        Ok(AbstractEdge { from, to, frame, formula, span })
    }
}

fn with_binders(binders: Vec<Binder>, formula: Expr, span: threadwise_source::Span) -> Expr {
    if binders.is_empty() {
        return formula;
    }
    let kind = ExprKind::Quantified(Quantifier::Forall, binders, Box::new(formula));
    Expr { kind, span }
}
