//! Operators and quantifiers of formulas.

use super::formula::{Formula, Kind};
use super::meaning::{Context, Meant, Sort, THREAD, logic, said_of};
use crate::program::Fallible;
use crate::types::LONG;
use threadwise_memory::code::{self, BinaryOp, Expr, ExprKind, INT, UnaryOp};

impl Context<'_, '_, '_> {
    pub(super) fn unary(&mut self, formula: &Formula, sign: char, inner: &Formula) -> Fallible<Meant> {
        let span = self.span(formula);
        if sign == '!' {
            let truth = self.truth(inner)?;
            return Ok(self.settled(logic(ExprKind::Unary(UnaryOp::Not, Box::new(truth)), span), Sort::Truth));
        }
        let meant = self.meant(inner)?;
        if meant.sort != Sort::Number {
            return self.wrong(inner, "a number is expected here");
        }
        let value = widened(self.value(meant));
        if let ExprKind::Const(number) = value.kind {
            let number = if sign == '-' { number.wrapping_neg() } else { !number };
            return Ok(self.settled(Expr::constant(number, value.ty.clone(), span), Sort::Number));
        }
        let (op, ty) = (if sign == '-' { UnaryOp::Neg } else { UnaryOp::BitNot }, value.ty.clone());
        Ok(self.settled(Expr::new(ExprKind::Unary(op, Box::new(value)), ty, span), Sort::Number))
    }

    pub(super) fn binary(&mut self, formula: &Formula, sign: &str, a: &Formula, b: &Formula) -> Fallible<Meant> {
        let span = self.span(formula);
        if matches!(sign, "&&" | "||" | "==>" | "<==>") {
            let (a, b) = (self.truth(a)?, self.truth(b)?);
            let expr = match sign {
                "&&" => logic(ExprKind::And(Box::new(a), Box::new(b)), span),
                "||" => logic(ExprKind::Or(Box::new(a), Box::new(b)), span),
                "==>" => said_of(code::Said::Implies(a, b), INT, span),
                _ => said_of(code::Said::Iff(a, b), INT, span),
            };
            return Ok(self.settled(expr, Sort::Truth));
        }
        let (left, right) = (self.meant(a)?, self.meant(b)?);
        if self.is_final_reference(&left.expr) || self.is_final_reference(&right.expr) {
            return self
                .wrong(formula, "a final static reference means its object from the beginning, and is not compared");
        }
        let sorts = (left.sort.clone(), right.sort.clone());
        let (x, y) = (self.value(left), self.value(right));
        if matches!(sign, "==" | "!=") {
            return self.equality(formula, sign == "==", (x, y), sorts);
        }
        if sorts != (Sort::Number, Sort::Number) {
            return self.wrong(formula, format!("`{sign}` is for numbers"));
        }
        let op = match sign {
            "<" => BinaryOp::Lt,
            "<=" => BinaryOp::Le,
            ">" => BinaryOp::Gt,
            ">=" => BinaryOp::Ge,
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "&" => BinaryOp::BitAnd,
            "|" => BinaryOp::BitOr,
            "^" => BinaryOp::BitXor,
            _ => return self.wrong(formula, format!("`{sign}` cannot be said in contracts: it may fail")),
        };
        let (x, y) = self.alike(x, y);
        let ty = x.ty.clone();
        Ok(match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.settled(Expr::binary(op, x, y, INT), Sort::Truth)
            }
            _ => self.settled(Expr::binary(op, x, y, ty), Sort::Number),
        })
    }

    fn equality(
        &mut self,
        formula: &Formula,
        is_equal: bool,
        (x, y): (Expr, Expr),
        sorts: (Sort, Sort),
    ) -> Fallible<Meant> {
        let span = self.span(formula);
        let op = if is_equal { BinaryOp::Eq } else { BinaryOp::Ne };
        let nobody = || Expr::constant(0, THREAD, span);
        let (x, y) = match sorts {
            (Sort::Truth, Sort::Truth) if x.ty != y.ty || x.ty == INT => {
                let iff = said_of(code::Said::Iff(x, y), INT, span);
                let whole = match is_equal {
                    true => iff,
                    false => logic(ExprKind::Unary(UnaryOp::Not, Box::new(iff)), span),
                };
                return Ok(self.settled(whole, Sort::Truth));
            }
            (Sort::Truth, Sort::Truth) | (Sort::Thread, Sort::Thread) => (x, y),
            (Sort::Number, Sort::Number) if x.ty == y.ty => (x, y),
            (Sort::Number, Sort::Number) => self.alike(x, y),
            (Sort::Thread, Sort::Null) => (x, nobody()),
            (Sort::Null, Sort::Thread) => (nobody(), y),
            (Sort::Reference(_) | Sort::Null, Sort::Reference(_) | Sort::Null) => (x, y),
            _ => return self.wrong(formula, "these are of different types"),
        };
        Ok(self.settled(Expr::binary(op, x, y, INT), Sort::Truth))
    }

    /// Two numbers as ones of the same kind.
    pub(super) fn alike(&self, x: Expr, y: Expr) -> (Expr, Expr) {
        if x.ty.bits().is_none() || y.ty.bits().is_none() {
            return (x, y);
        }
        let (x, y) = (widened(x), widened(y));
        if x.ty == y.ty {
            return (x, y);
        }
        let long = |e: Expr| if e.ty == LONG { e } else { e.converted(LONG) };
        (long(x), long(y))
    }

    pub(super) fn for_all(
        &mut self,
        formula: &Formula,
        ty: &str,
        name: &str,
        range: Option<&Formula>,
        body: &Formula,
    ) -> Fallible<Meant> {
        let span = self.span(formula);
        let body_of = |context: &mut Self| -> Fallible<Expr> {
            let range = range.map(|range| context.truth(range)).transpose()?;
            let body = context.truth(body)?;
            Ok(match range {
                Some(range) => said_of(code::Said::Implies(range, body), INT, span),
                None => body,
            })
        };
        match ty {
            "Thread" => {
                self.threads.push(name.to_string());
                let body = body_of(self);
                self.threads.pop();
                let all = code::Said::ForAllThreads(name.into(), body?);
                Ok(self.settled(said_of(all, INT, span), Sort::Truth))
            }
            "int" => {
                let Some((first, last)) = range.and_then(|range| bounds(range, name)) else {
                    return self.wrong(
                        formula,
                        format!("`\\forall int {name}` has a range of constants: `\\forall int {name}; 0 <= {name} && {name} < 4; …`"),
                    );
                };
                if last.saturating_sub(first) >= 64 {
                    return self.wrong(formula, "the range has more than 64 numbers");
                }
                let mut all = Expr::constant(1, INT, span);
                for value in first..=last {
                    self.numbers.push((name.to_string(), value));
                    let one = self.truth(body);
                    self.numbers.pop();
                    all = logic(ExprKind::And(Box::new(all), Box::new(one?)), span);
                }
                Ok(self.settled(all, Sort::Truth))
            }
            _ => self.wrong(formula, "`\\forall` is for `Thread` and for `int`"),
        }
    }
}

/// A number as one that is computed with.
fn widened(e: Expr) -> Expr {
    match e.ty.bits() {
        Some(bits) if bits.width < 32 => e.converted(INT),
        _ => e,
    }
}

/// The first and the last number of a range `a <= x && x < b`.
fn bounds(range: &Formula, name: &str) -> Option<(i64, i64)> {
    let Kind::Binary("&&", low, high) = &range.kind else { return None };
    let number = |formula: &Formula| match formula.kind {
        Kind::Number(value, _) => Some(value),
        _ => None,
    };
    let is_it = |formula: &Formula| matches!(&formula.kind, Kind::Name(known) if known == name);
    let (Kind::Binary(below, first, x), Kind::Binary(above, y, last)) = (&low.kind, &high.kind) else { return None };
    if !is_it(x) || !is_it(y) {
        return None;
    }
    let first = number(first)? + i64::from(*below == "<");
    let last = number(last)? - i64::from(*above == "<");
    (matches!(*below, "<" | "<=") && matches!(*above, "<" | "<=")).then_some((first, last))
}
