//! Operators with two operands.

use super::Lowerer;
use super::expressions::fits;
use super::fold::folded;
use super::sets::{Need, need};
use crate::ast::{self, BinaryOp};
use threadwise_ir::{Expr, ExprKind, Sort};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        expected: Option<&Sort>,
        span: Span,
    ) -> Option<Expr> {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let Some(equal) = self.records_equal(a, b, span)
        {
            let equal = equal?;
            return Some(if op == BinaryOp::Eq { equal } else { Expr { span, ..equal.negated() } });
        }
        let (a, b, sort) = match op {
            BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Or | BinaryOp::And => {
                let (a, b) = (self.condition(a), self.condition(b));
                (a?, b?, Sort::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let (a, b) = self.ordered(a, b)?;
                (a, b, Sort::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                let (a, b) = (self.operand(op, a), self.operand(op, b));
                let (a, b) = self.of_one_type(op, a?, b?)?;
                let sort = a.sort.bits().map_or(Sort::Int, Sort::Bits);
                (a, b, sort)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let (a, b) = (self.expr(a, None), self.expr(b, None));
                let (a, b) = self.alike(a?, b?)?;
                self.check_bits(op, &a)?;
                self.check_bits(op, &b)?;
                let (a, b) = self.of_one_type(op, a, b)?;
                let sort = a.sort.bits().map_or(Sort::Int, Sort::Bits);
                (a, b, sort)
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let (a, b) = (self.expr(a, None), self.integer(b));
                let (a, b) = (a?, b?);
                self.check_bits(op, &a)?;
                let sort = a.sort.bits().map_or(Sort::Int, Sort::Bits);
                (a, b, sort)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (a, b) = self.comparable(a, b)?;
                (a, b, Sort::Bool)
            }
            BinaryOp::In => {
                let (a, b) = self.membership(a, b)?;
                (a, b, Sort::Bool)
            }
            BinaryOp::Subset => {
                let (a, b) = self.two_sets(a, b, None)?;
                (a, b, Sort::Bool)
            }
            BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => {
                let (a, b) = self.two_sets(a, b, expected)?;
                let sort = Sort::clone(&a.sort);
                (a, b, sort)
            }
        };
        let kind = ExprKind::Binary(ir_op(op), Box::new(a), Box::new(b));
        Some(folded(Expr::new(kind, sort, span)))
    }

    /// An operand of arithmetic; whoever writes `s - t` for sets gets told what to write.
    fn operand(&mut self, op: BinaryOp, e: &'a ast::Expr) -> Option<Expr> {
        let value = self.expr(e, None)?;
        if let Sort::Set(_) = *value.sort {
            let instead = match op {
                BinaryOp::Add => Some("union"),
                BinaryOp::Sub => Some("minus"),
                BinaryOp::Mul => Some("inter"),
                _ => None,
            };
            let error = Diagnostic::error(e.span, "arithmetic is for integers, not for sets");
            let error = error.label(format!("this is of type `{}`", self.show(&value.sort)));
            self.report(match instead {
                Some(word) => error.hint(format!("write `{word}` for sets")),
                None => error,
            });
            return None;
        }
        if value.sort.is_integer() {
            return Some(value);
        }
        self.mismatch(e.span, &Sort::Int, &value.sort);
        None
    }

    /// The operands of `<` and its like.
    fn ordered(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> Option<(Expr, Expr)> {
        let (a, b) = (self.expr(a, None), self.expr(b, None));
        let (a, b) = self.alike(a?, b?)?;
        let Some(value) = [&a, &b].into_iter().find(|e| !e.sort.is_integer()) else {
            return self.comparable_integers(a, b);
        };
        let found = self.show(&value.sort);
        let error = Diagnostic::error(value.span, format!("only integers are ordered, not values of type `{found}`"));
        let error = error.label(format!("this is of type `{found}`"));
        self.report(match *value.sort {
            Sort::Set(_) => error.hint("write `a subset b` for sets"),
            Sort::Tid => error.hint("write `ord(t)` for the number of a thread; it gives up symmetry"),
            _ => error,
        });
        None
    }

    /// The operands of `==` and `!=`.
    fn comparable(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> Option<(Expr, Expr)> {
        let (a, b) = self.pair(a, b, None);
        let (a, b) = self.alike(a?, b?)?;
        if fits(&a.sort, &b.sort) {
            return Some((a, b));
        }
        if a.sort.is_integer() && b.sort.is_integer() {
            return self.comparable_integers(a, b);
        }
        let (x, y) = (self.show(&a.sort), self.show(&b.sort));
        let error = Diagnostic::error(b.span, format!("values of type `{x}` and `{y}` cannot be compared"));
        let error = error.label(format!("this is of type `{y}`")).related(a.span, format!("this is of type `{x}`"));
        self.report(match (&*a.sort, &*b.sort) {
            (Sort::Set(_), Sort::Set(_)) => error.hint("declare both sets with the same element type"),
            (Sort::Bool, other) | (other, Sort::Bool) if other.is_integer() => {
                error.hint("booleans are `true` and `false`, not numbers")
            }
            (_, Sort::Set(_)) => error.hint("write `x in s` to ask whether `x` is in the set `s`"),
            _ => error,
        });
        None
    }

    /// The operands of `in`. A literal on the right says itself what its elements are, so that
    /// `x in {1, 5}` is fine where `x` cannot be 5.
    fn membership(&mut self, a: &'a ast::Expr, b: &'a ast::Expr) -> Option<(Expr, Expr)> {
        let element = self.expr(a, None);
        let element_sort = element.as_ref().map(|e| e.sort);
        let set = match &b.kind {
            ast::ExprKind::SetLiteral(elements) => {
                // Machine integers mix with nothing else, so there is no other type that the elements could have.
                let expected = element_sort.filter(|sort| sort.bits().is_some()).map(Sort::Set);
                self.set_literal(elements, expected.as_ref(), element_sort.as_deref(), b.span)
            }
            _ if need(b) == Need::Nothing => self.set(b),
            _ => {
                let expected = element_sort.map(Sort::Set);
                let usable = expected.filter(|sort| *sort != Sort::set(Sort::Int));
                let set = self.expr(b, usable.as_ref());
                set.and_then(|set| self.checked_set(set))
            }
        };
        let (element, set) = (element?, set?);
        let Sort::Set(of) = &*set.sort else { return None };
        let element = self.adapted(element, of)?;
        if fits(&element.sort, of) {
            return Some((element, set));
        }
        let (wanted, got) = (self.show(of), self.show(&element.sort));
        let error = Diagnostic::error(a.span, format!("this set holds values of type `{wanted}`, not `{got}`"));
        let error = error.label(format!("this is of type `{got}`")).related(b.span, format!("of type `set<{wanted}>`"));
        self.report(match *element.sort {
            Sort::Set(_) => error.hint("write `a subset b` for sets"),
            _ => error,
        });
        None
    }
}

/// The operator of the program that an operator of the text stands for.
pub(super) fn ir_op(op: BinaryOp) -> threadwise_ir::BinaryOp {
    use threadwise_ir::BinaryOp as Ir;
    match op {
        BinaryOp::Implies => Ir::Implies,
        BinaryOp::Iff => Ir::Iff,
        BinaryOp::Or => Ir::Or,
        BinaryOp::And => Ir::And,
        BinaryOp::Eq => Ir::Eq,
        BinaryOp::Ne => Ir::Ne,
        BinaryOp::Lt => Ir::Lt,
        BinaryOp::Le => Ir::Le,
        BinaryOp::Gt => Ir::Gt,
        BinaryOp::Ge => Ir::Ge,
        BinaryOp::In => Ir::In,
        BinaryOp::Subset => Ir::Subset,
        BinaryOp::Union => Ir::Union,
        BinaryOp::Inter => Ir::Inter,
        BinaryOp::Minus => Ir::Minus,
        BinaryOp::Add => Ir::Add,
        BinaryOp::Sub => Ir::Sub,
        BinaryOp::Mul => Ir::Mul,
        BinaryOp::Div => Ir::Div,
        BinaryOp::Mod => Ir::Mod,
        BinaryOp::BitAnd => Ir::BitAnd,
        BinaryOp::BitOr => Ir::BitOr,
        BinaryOp::BitXor => Ir::BitXor,
        BinaryOp::Shl => Ir::Shl,
        BinaryOp::Shr => Ir::Shr,
    }
}
