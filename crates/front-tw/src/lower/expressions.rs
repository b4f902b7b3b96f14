//! Expressions: what they mean and of which sort they are.

use super::budget::NODE;
use super::fold::folded;
use super::machine::large_constant;
use super::records::Found;
use super::{Lowerer, Mode};
use crate::ast;
use threadwise_ir::{Expr, ExprKind, Sort, UnaryOp};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// The meaning of an expression; none after something wrong in it has been reported.
    /// `expected` tells set literals what their elements are.
    pub(super) fn expr(&mut self, e: &'a ast::Expr, expected: Option<&Sort>) -> Option<Expr> {
        let lowered = self.unchecked_expr(e, expected);
        debug_assert!(lowered.is_some() || self.reporter.has_errors(), "what does not lower has been reported");
        lowered
    }

    fn unchecked_expr(&mut self, e: &'a ast::Expr, expected: Option<&Sort>) -> Option<Expr> {
        let span = e.span;
        if !self.spend(NODE, span) {
            return None;
        }
        if let Found::Access(access) = self.path_or_wrong(e)? {
            return self.path_value(&access, e);
        }
        match &e.kind {
            ast::ExprKind::Int(value) => Some(Expr::constant(*value, Sort::Int, span)),
            ast::ExprKind::LargeInt(value) => Some(large_constant(*value, span)),
            ast::ExprKind::Bool(value) => Some(Expr::bool(*value, span)),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::SelfThread => self.self_thread(span),
            ast::ExprKind::None => Some(none(span)),
            ast::ExprKind::Prime(inner) => self.primed(inner, span),
            ast::ExprKind::Index(array, key) => {
                let array = self.expr(array, None);
                self.index(array, key, span)
            }
            ast::ExprKind::Field(base, field) => self.field(base, field, span),
            ast::ExprKind::At(thread, label) => self.at(thread, label, span),
            ast::ExprKind::Unary(ast::UnaryOp::Not, a) => self.condition(a).map(|a| Expr { span, ..a.negated() }),
            ast::ExprKind::Unary(ast::UnaryOp::Neg, a) => self.negation(a, span),
            ast::ExprKind::Unary(ast::UnaryOp::BitNot, a) => self.complement(a, span),
            ast::ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expected, span),
            ast::ExprKind::Conditional(c, a, b) => self.conditional(c, [a, b], expected, span),
            ast::ExprKind::SetLiteral(elements) => self.set_literal(elements, expected, None, span),
            ast::ExprKind::ArrayLiteral(elements) => self.array_literal(elements, expected, span),
            ast::ExprKind::ArrayFill(element) => self.array_fill(element, expected, span),
            ast::ExprKind::RecordLiteral(name, _) => self.misplaced_record(name, span),
            ast::ExprKind::Call(name, args) => self.call_value(name, args, span),
            ast::ExprKind::Size(set) => {
                if let Some(size) = self.channel_size(set) {
                    return size.map(|size| Expr { span, ..size });
                }
                let set = self.set(set)?;
                Some(unary(UnaryOp::Size, set, span))
            }
            ast::ExprKind::Ord(thread) => {
                let thread = self.value_of(thread, &Sort::Tid)?;
                Some(unary(UnaryOp::Ord, thread, span))
            }
            ast::ExprKind::Convert(to, e) => self.conversion(*to, e, span),
            ast::ExprKind::Quantified(quantifier, binders, body) => self.quantified(*quantifier, binders, body, span),
            ast::ExprKind::Error => {
                self.reporter.note_error();
                None
            }
        }
    }

    /// A path into a record; none after one that leads nowhere has been reported.
    fn path_or_wrong(&mut self, e: &'a ast::Expr) -> Option<Found<'a>> {
        use ast::ExprKind::{Field, Index, Name, Prime};
        if !matches!(e.kind, Name(_) | Index(..) | Field(..) | Prime(_)) {
            return Some(Found::Nothing);
        }
        match self.path(e) {
            Found::Wrong => None,
            other => Some(other),
        }
    }

    fn misplaced_record(&mut self, name: &ast::Name, span: Span) -> Option<Expr> {
        self.resolve_record(name)?;
        let error = Diagnostic::error(span, format!("a record of type `{}` cannot stand here", name.text));
        self.report(error.label("expected a value that is no record"));
        None
    }

    fn self_thread(&mut self, span: Span) -> Option<Expr> {
        let place = match self.mode {
            Mode::Code | Mode::Action | Mode::AbstractNode | Mode::AbstractEdge | Mode::Function => {
                return Some(Expr::new(ExprKind::SelfThread, Sort::Tid, span));
            }
            Mode::InitialValue(_) | Mode::Init => "the initial state",
            Mode::Property => "a property",
            Mode::Contract => "a contract",
        };
        let error = Diagnostic::error(span, format!("`self` has no meaning in {place}"));
        let error = error.label("no thread is running here");
        self.report(match self.mode {
            Mode::Property | Mode::Contract => {
                error.hint("bind a thread with a quantifier, as in `forall i: tid :: …`")
            }
            _ => error,
        });
        None
    }

    /// An expression that must be boolean.
    pub(super) fn condition(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        self.value_of(e, &Sort::Bool)
    }

    /// An expression that must be an integer of any kind.
    pub(super) fn integer(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        let value = self.expr(e, None)?;
        if value.sort.is_integer() {
            return Some(value);
        }
        self.mismatch(e.span, &Sort::Int, &value.sort);
        None
    }

    fn negation(&mut self, e: &'a ast::Expr, span: Span) -> Option<Expr> {
        let value = self.integer(e)?;
        let sort = value.sort.bits().map_or(Sort::Int, Sort::Bits);
        Some(folded(Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(value)), sort, span)))
    }

    /// An expression whose value goes to a place of the given sort. Integers go everywhere where
    /// integers go: whether they fit is seen when the program runs.
    pub(super) fn value_of(&mut self, e: &'a ast::Expr, sort: &Sort) -> Option<Expr> {
        let value = self.expr(e, Some(sort))?;
        let value = self.adapted(value, sort)?;
        if !fits(&value.sort, sort) {
            self.mismatch(e.span, sort, &value.sort);
            return None;
        }
        self.warn_outside(&value, sort);
        Some(value)
    }

    /// Warns of a constant that is not a value of the sort.
    pub(super) fn warn_outside(&mut self, value: &Expr, sort: &Sort) {
        let (ExprKind::Const(constant), Sort::Range(lo, hi)) = (&value.kind, sort) else { return };
        if !(*lo..=*hi).contains(constant) {
            let warning = Diagnostic::warning(value.span, format!("{constant} is outside the range {lo}..{hi}"));
            self.report(warning.label("storing it is an error of the program"));
        }
    }

    /// Reports a value of the wrong sort.
    pub(super) fn mismatch(&mut self, span: Span, expected: &Sort, found: &Sort) {
        let (wanted, got) = (self.show(expected), self.show(found));
        let error = Diagnostic::error(span, format!("expected a value of type `{wanted}`, found `{got}`"));
        let error = error.label(format!("this is of type `{got}`"));
        let text = self.program.source.snippet(span, 40);
        let error = match (expected, found) {
            (Sort::Bool, sort) if sort.is_integer() => error.hint(match text.as_str() {
                "0" => "write `false`".to_string(),
                "1" => "write `true`".to_string(),
                _ if text.contains('?') => format!("write `({text}) != 0`"),
                _ => format!("integers are not conditions; write `{text} != 0`"),
            }),
            (sort, Sort::Bool) if sort.is_integer() => error.hint(format!("for a number write `{text} ? 1 : 0`")),
            (wanted, found) if wanted.is_integer() && found.is_integer() => {
                error.hint(self.how_to_convert(wanted, found, &text))
            }
            (Sort::Set(_), Sort::Set(_)) => {
                error.hint("sets of different types do not mix; declare both with the same type")
            }
            (Sort::Array(..), _) if fits_element(expected, found) => {
                error.hint(format!("write `[{text}; all]` for an array with this value everywhere"))
            }
            _ => error,
        };
        self.report(error);
    }

    /// An element of an array.
    pub(super) fn index(&mut self, array: Option<Expr>, key: &'a ast::Expr, span: Span) -> Option<Expr> {
        let Some(array) = array else {
            self.expr(key, None);
            return None;
        };
        let (key, sort) = self.key_of(&array.sort, array.span, key)?;
        let kind = ExprKind::Index(Box::new(array), Box::new(key));
        Some(Expr::new(kind, sort, span))
    }

    /// The key of an element and the element's sort, given the sort of what is indexed.
    pub(super) fn key_of(&mut self, array: &Sort, array_span: Span, key: &'a ast::Expr) -> Option<(Expr, Sort)> {
        let Sort::Array(key_sort, element) = array else {
            let error = Diagnostic::error(array_span, format!("only arrays have elements, not `{}`", self.show(array)));
            let error = error.label(format!("this is of type `{}`", self.show(array)));
            self.report(match array {
                Sort::Set(_) => error.hint("write `x in s` to ask whether `x` is in the set `s`"),
                _ => error,
            });
            self.expr(key, None);
            return None;
        };
        let value = self.expr(key, None)?;
        let value = self.adapted(value, key_sort)?;
        if fits(&value.sort, key_sort) {
            return Some((value, (**element).clone()));
        }
        let (wanted, got) = (self.show(key_sort), self.show(&value.sort));
        let error = Diagnostic::error(key.span, format!("this array's key is of type `{wanted}`, not `{got}`"));
        self.report(error.label(format!("expected `{wanted}`")));
        None
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        branches: [&'a ast::Expr; 2],
        expected: Option<&Sort>,
        span: Span,
    ) -> Option<Expr> {
        let condition = self.condition(condition);
        let (a, b) = self.pair(branches[0], branches[1], expected);
        let (condition, a, b) = (condition?, a?, b?);
        let (a, b) = self.alike(a, b)?;
        let sort = if a.sort == b.sort {
            a.sort
        } else if a.sort.is_numeric() && b.sort.is_numeric() {
            Sort::Int.into()
        } else {
            let (x, y) = (self.show(&a.sort), self.show(&b.sort));
            let error = Diagnostic::error(b.span, format!("the branches are of different types, `{x}` and `{y}`"));
            self.report(
                error.label(format!("this is of type `{y}`")).related(a.span, format!("this is of type `{x}`")),
            );
            return None;
        };
        Some(folded(Expr::conditional(condition, a, b, sort, span)))
    }
}

/// `none`
pub(super) fn none(span: Span) -> Expr {
    Expr::constant(0, Sort::Tid, span)
}

/// Whether a value of one sort may go where the other is expected.
pub(super) fn fits(value: &Sort, place: &Sort) -> bool {
    value == place || (value.is_numeric() && place.is_numeric())
}

fn fits_element(array: &Sort, value: &Sort) -> bool {
    matches!(array, Sort::Array(_, element) if fits(value, element) || fits_element(element, value))
}

/// An operation on one operand whose result is an integer.
fn unary(op: UnaryOp, a: Expr, span: Span) -> Expr {
    Expr::new(ExprKind::Unary(op, Box::new(a)), Sort::Int, span)
}
