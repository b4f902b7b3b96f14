//! Where C does not say which of two operands comes first, and it matters: a warning. What is looked at are names, of
//! variables that are assigned and of variables that are mentioned, in operands and in the functions that they call; what
//! is behind pointers is not seen.

use crate::effects::{has_effects, is_assignment, variable};
use crate::elaborate::{Elaborator, EntityId, EntityKind, Symbol};
use lang_c::ast::{BinaryOperatorExpression, CallExpression, Expression, Identifier, SizeOfVal, UnaryOperator};
use lang_c::ast::{TypeOf, UnaryOperatorExpression};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::BTreeSet;
use threadwise_source::Diagnostic;

/// The names that matter for the order of evaluation.
#[derive(Clone, Default)]
pub struct Mentions {
    written: BTreeSet<String>,
    /// Those that are written are among them.
    named: BTreeSet<String>,
    called: BTreeSet<String>,
}

impl Mentions {
    fn conflict(&self, other: &Mentions) -> Option<String> {
        let of = |a: &Mentions, b: &Mentions| a.written.intersection(&b.named).next().cloned();
        of(self, other).or_else(|| of(other, self))
    }

    fn write(&mut self, target: &Expression) {
        if let Some(name) = variable(target) {
            self.written.insert(name.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_identifier(&mut self, name: &'ast Identifier, _: &'ast Span) {
        self.named.insert(name.name.clone());
    }

    fn visit_unary_operator_expression(&mut self, unary: &'ast UnaryOperatorExpression, span: &'ast Span) {
        use UnaryOperator::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
        if matches!(unary.operator.node, PostIncrement | PostDecrement | PreIncrement | PreDecrement) {
            self.write(&unary.operand.node);
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }

    fn visit_binary_operator_expression(&mut self, binary: &'ast BinaryOperatorExpression, span: &'ast Span) {
        if is_assignment(&binary.operator.node) {
            self.write(&binary.lhs.node);
        }
        visit::visit_binary_operator_expression(self, binary, span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast Span) {
        if let Expression::Identifier(name) = &call.callee.node {
            self.called.insert(name.node.name.clone());
        }
        visit::visit_call_expression(self, call, span);
    }

    /// Nothing is evaluated there.
    fn visit_sizeofval(&mut self, _: &'ast SizeOfVal, _: &'ast Span) {}

    fn visit_type_of(&mut self, _: &'ast TypeOf, _: &'ast Span) {}
}

impl<'a> Elaborator<'a> {
    /// Warns if operands disturb each other, of which C says no order.
    pub fn check_order<'n>(&mut self, operands: impl Iterator<Item = &'n Node<Expression>> + Clone) {
        if self.unevaluated > 0 || !operands.clone().any(|operand| has_effects(&operand.node)) {
            return;
        }
        let mentions: Vec<(Mentions, threadwise_source::Span)> =
            operands.map(|operand| (self.mentions(operand), self.span(operand.span))).collect();
        for (index, (first, first_span)) in mentions.iter().enumerate() {
            for (second, second_span) in &mentions[index + 1..] {
                if let Some(name) = first.conflict(second) {
                    let message = format!(
                        "C does not say which comes first, and both concern `{name}`: left to right is assumed"
                    );
                    let warning =
                        Diagnostic::warning(*second_span, message).related(*first_span, "this is taken to come first");
                    self.diagnostics.push(warning.hint("write two statements"));
                    return;
                }
            }
        }
    }

    /// What an operand mentions, itself and through the functions that it calls.
    fn mentions(&mut self, operand: &Node<Expression>) -> Mentions {
        let mut mentions = Mentions::default();
        mentions.visit_expression(&operand.node, &operand.span);
        let mut waiting: Vec<String> = mentions.called.iter().cloned().collect();
        let mut seen: BTreeSet<EntityId> = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            let Some(Symbol::Entity(entity)) = self.files[self.file.0 as usize].names.get(&name) else { continue };
            let entity = *entity;
            if seen.insert(entity) {
                let summary = self.summary(entity);
                mentions.written.extend(summary.written);
                mentions.named.extend(summary.named);
                waiting.extend(summary.called);
            }
        }
        mentions
    }

    /// What the body of a function mentions of variables of the program.
    fn summary(&mut self, entity: EntityId) -> Mentions {
        if let Some(known) = self.summaries.get(&entity) {
            return known.clone();
        }
        let mut mentions = Mentions::default();
        if let EntityKind::Function { definition: Some((file, node)), .. } = self.entity(entity).kind {
            mentions.visit_statement(&node.node.statement.node, &node.node.statement.span);
            let names = &self.files[file.0 as usize].names;
            let is_variable = |name: &String| match names.get(name) {
                Some(Symbol::Entity(entity)) => !self.entity(*entity).ty.is_function(),
                _ => false,
            };
            mentions.written.retain(is_variable);
            mentions.named.retain(is_variable);
        }
        self.summaries.insert(entity, mentions.clone());
        mentions
    }
}
