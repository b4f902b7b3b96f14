//! Array literals and fills.

use super::Lowerer;
use super::statements::counted;
use crate::ast;
use threadwise_ir::{Expr, ExprKind, Sort};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// `[a, b]`: one value for each key, in their order. What is expected says what the keys are.
    pub(super) fn array_literal(
        &mut self,
        elements: &'a [ast::Expr],
        expected: Option<&Sort>,
        span: Span,
    ) -> Option<Expr> {
        let (key, element) = self.expected_array(expected, span)?;
        self.check_count(elements.len(), &key, span)?;
        let values: Vec<Option<Expr>> = elements.iter().map(|e| self.value_of(e, &element)).collect();
        let values = values.into_iter().collect::<Option<Vec<Expr>>>()?;
        Some(Expr::new(ExprKind::ArrayLiteral(values.into()), Sort::array(key, element), span))
    }

    /// `[e; all]`: the same value for all keys.
    pub(super) fn array_fill(&mut self, e: &'a ast::Expr, expected: Option<&Sort>, span: Span) -> Option<Expr> {
        let (key, element) = self.expected_array(expected, span)?;
        let value = self.value_of(e, &element)?;
        Some(Expr::new(ExprKind::ArrayLiteral([value].into()), Sort::array(key, element), span))
    }

    fn expected_array(&mut self, expected: Option<&Sort>, span: Span) -> Option<(Sort, Sort)> {
        match expected {
            Some(Sort::Array(key, element)) => Some((Sort::clone(key), Sort::clone(element))),
            Some(other) => {
                let wanted = self.show(other);
                let error = Diagnostic::error(span, format!("expected a value of type `{wanted}`, found an array"));
                let error = error.label("this is an array");
                self.report(match other {
                    Sort::Set(_) => error.hint("a set is written `{a, b}`"),
                    _ => error,
                });
                None
            }
            None => {
                let error = Diagnostic::error(span, "the type of this array is not known");
                let error = error.label("nothing here says which keys it has");
                self.report(error.hint("assign it to a variable, or compare it with one"));
                None
            }
        }
    }

    /// That there are as many elements as keys.
    pub(super) fn check_count(&mut self, count: usize, key: &Sort, span: Span) -> Option<()> {
        let shown = self.show(key);
        match self.values(key) {
            Some(keys) if keys == count as u128 => Some(()),
            Some(keys) => {
                let message = format!("{} for {keys} keys", counted(count, "element"));
                let error = Diagnostic::error(span, message).label(format!("there is one for each value of `{shown}`"));
                self.report(error.hint("write `[e; all]` for the same element everywhere"));
                None
            }
            None => {
                let error = Diagnostic::error(span, "the elements of an array over threads cannot be listed");
                let error = error.label(format!("its keys are of type `{shown}`"));
                self.report(error.hint("write `[e; all]` for the same element everywhere"));
                None
            }
        }
    }
}
