//! Expressions as terms and formulas, with the condition under which they have a value.

use crate::space::{PointId, Space, Unsupported};
use crate::sym::Sym;
use threadwise_ir::{
    BinaryOp, Binder, Expr, ExprKind, LocalId, LocationId, Point, Quantifier, RoutineId, Sort, ThreadId, ThreadRef,
    UnaryOp, VarRef,
};
use threadwise_logic::{SmtSort, Term};

/// Expressions that become larger than this are not treated.
const MAX_SIZE: usize = 2000;

/// A value, and when there is one: evaluation can run into a range, an index or a division by zero.
#[derive(Clone, Debug)]
pub(crate) struct Valued {
    pub(crate) value: Sym,
    pub(crate) defined: Term,
}

impl Valued {
    fn always(value: Sym) -> Valued {
        Valued { value, defined: Term::bool(true) }
    }
}

/// Where an expression finds its names.
pub(crate) struct Env<'a> {
    pub(crate) space: &'a Space,
    pub(crate) routine: RoutineId,
    pub(crate) self_tid: i64,
    pub(crate) shared: &'a [Sym],
    pub(crate) frame: &'a [Sym],
    pub(crate) shared_after: &'a [Sym],
    pub(crate) frame_after: &'a [Sym],
    bound: Vec<i64>,
}

type Result<T> = std::result::Result<T, Unsupported>;

impl<'a> Env<'a> {
    /// What a thread's own expressions see.
    pub(crate) fn of_thread(
        space: &'a Space,
        routine: RoutineId,
        self_tid: i64,
        shared: &'a [Sym],
        frame: &'a [Sym],
    ) -> Env<'a> {
        Env { space, routine, self_tid, shared, frame, shared_after: shared, frame_after: frame, bound: Vec::new() }
    }

    /// What properties see.
    pub(crate) fn of_state(space: &'a Space) -> Env<'a> {
        Env::of_thread(space, RoutineId(0), 0, &space.shared, &[])
    }

    /// The truth of a formula, and when it has one.
    pub(crate) fn formula(&mut self, e: &Expr) -> Result<(Term, Term)> {
        let valued = self.eval(e)?;
        Ok((valued.value.formula(), valued.defined))
    }

    /// The value of an expression.
    pub(crate) fn eval(&mut self, e: &Expr) -> Result<Valued> {
        let valued = self.eval_any(e)?;
        if valued.defined.size(MAX_SIZE) + valued.value.size(MAX_SIZE) >= MAX_SIZE {
            return Err(Unsupported::new("an expression is too large when it is written out", e.span));
        }
        Ok(valued)
    }

    fn eval_any(&mut self, e: &Expr) -> Result<Valued> {
        Ok(match &e.kind {
            ExprKind::Const(value) => Valued::always(Sym::scalar(&e.sort, *value)),
            ExprKind::Thread(template) => {
                Valued::always(Sym::Scalar(Term::int(self.space.instance.copies_of(*template).start as i64 + 1)))
            }
            ExprKind::SelfThread => Valued::always(Sym::Scalar(Term::int(self.self_tid))),
            ExprKind::Bound(depth) => Valued::always(Sym::scalar(&e.sort, self.bound[*depth as usize])),
            ExprKind::Read(VarRef::Shared(id)) => Valued::always(self.shared[id.index()].clone()),
            ExprKind::Read(VarRef::Local(id)) => Valued::always(self.frame[id.index()].clone()),
            ExprKind::ReadAfter(VarRef::Shared(id)) => Valued::always(self.shared_after[id.index()].clone()),
            ExprKind::ReadAfter(VarRef::Local(id)) => Valued::always(self.frame_after[id.index()].clone()),
            ExprKind::LocalOf(thread, local) => Valued::always(self.local_of(thread, *local)?),
            ExprKind::At(thread, locations) => Valued::always(Sym::Scalar(self.is_at(thread, locations)?)),
            ExprKind::Unary(op, a) => self.unary(*op, a)?,
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e)?,
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                let (c, a, b) = (self.eval(c)?, self.eval(a)?, self.eval(b)?);
                let condition = c.value.formula();
                let defined = c.defined.and(condition.ite(a.defined, b.defined));
                Valued { value: Sym::ite(&condition, a.value, b.value), defined }
            }
            ExprKind::Index(array, key) => self.index(array, key)?,
            ExprKind::SetLiteral(elements) => self.set_literal(&e.sort, elements)?,
            ExprKind::Quantified(quantifier, binder, body) => self.quantified(*quantifier, binder, body)?,
        })
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> Result<Valued> {
        let Valued { value, defined } = self.eval(a)?;
        let value = match op {
            UnaryOp::Not => Sym::Scalar(value.formula().not()),
            UnaryOp::Neg => Sym::Scalar(value.number().negate()),
            UnaryOp::Size => Sym::Scalar(count(value.members())),
            UnaryOp::Ord => value,
        };
        Ok(Valued { value, defined })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, e: &Expr) -> Result<Valued> {
        let (Valued { value: x, defined: dx }, Valued { value: y, defined: dy }) = (self.eval(a)?, self.eval(b)?);
        // The second operand of these is looked at only where it matters.
        let matters = match op {
            BinaryOp::And | BinaryOp::Implies => x.clone().formula(),
            BinaryOp::Or => x.clone().formula().not(),
            BinaryOp::Iff
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::In
            | BinaryOp::Subset
            | BinaryOp::Union
            | BinaryOp::Inter
            | BinaryOp::Minus
            | BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod => Term::bool(true),
        };
        let defined = dx.and(matters.implies(dy));
        let truth = match op {
            BinaryOp::And => x.formula().and(y.formula()),
            BinaryOp::Or => x.formula().or(y.formula()),
            BinaryOp::Implies => x.formula().implies(y.formula()),
            BinaryOp::Iff => x.formula().equals(y.formula()),
            BinaryOp::Eq => x.equal(y),
            BinaryOp::Ne => x.equal(y).not(),
            BinaryOp::Lt => x.number().lt(y.number()),
            BinaryOp::Le => x.number().le(y.number()),
            BinaryOp::Gt => y.number().lt(x.number()),
            BinaryOp::Ge => y.number().le(x.number()),
            BinaryOp::In => {
                let Sort::Set(element) = &*b.sort else { unreachable!("membership is in a set") };
                self.member(element, x, y.members())
            }
            BinaryOp::Subset => Term::all(x.members().into_iter().zip(y.members()).map(|(x, y)| x.implies(y))),
            BinaryOp::Union => return Ok(Valued { value: combined(x, y, &|x, y| x.or(y)), defined }),
            BinaryOp::Inter => return Ok(Valued { value: combined(x, y, &|x, y| x.and(y)), defined }),
            BinaryOp::Minus => return Ok(Valued { value: combined(x, y, &|x, y| x.and(y.not())), defined }),
            BinaryOp::Add => return Ok(Valued { value: Sym::Scalar(x.number().plus(y.number())), defined }),
            BinaryOp::Sub => return Ok(Valued { value: Sym::Scalar(x.number().minus(y.number())), defined }),
            BinaryOp::Mul => return Ok(Valued { value: Sym::Scalar(x.number().product(y.number())), defined }),
            BinaryOp::Div => return Ok(divided(x, y, defined, e)?.0),
            BinaryOp::Mod => return Ok(divided(x, y, defined, e)?.1),
        };
        Ok(Valued { value: Sym::Scalar(truth), defined })
    }

    fn member(&self, element: &Sort, x: Sym, members: Vec<Term>) -> Term {
        let instance = &self.space.instance;
        Term::any(members.into_iter().enumerate().map(|(rank, member)| {
            let value = Sym::scalar(element, instance.unrank(element, rank));
            x.clone().equal(value).and(member)
        }))
    }

    fn index(&mut self, array: &Expr, key: &Expr) -> Result<Valued> {
        let Sort::Array(key_sort, _) = &*array.sort else { unreachable!("only arrays are indexed") };
        let (whole, at) = (self.eval(array)?, self.eval(key)?);
        let Sym::Array(elements) = whole.value else { unreachable!("only arrays are indexed") };
        let (defined, conditions) = self.keys(key_sort, at.value, elements.len());
        let defined = whole.defined.and(at.defined).and(defined);
        // The last element stands for all that is left: outside of the keys there is no value anyway.
        let mut choices: Vec<(Term, Sym)> =
            conditions.into_iter().zip(elements).filter(|(condition, _)| !condition.is_false()).collect();
        let Some((_, mut value)) = choices.pop() else {
            let Sort::Array(_, element) = &*array.sort else { unreachable!("only arrays are indexed") };
            return Ok(Valued { value: Sym::default(&self.space.instance, element), defined: Term::bool(false) });
        };
        while let Some((condition, element)) = choices.pop() {
            value = Sym::ite(&condition, element, value);
        }
        Ok(Valued { value, defined })
    }

    /// When the key is one of an array's, and for each key whether it is that one.
    pub(crate) fn keys(&self, key_sort: &Sort, key: Sym, count: usize) -> (Term, Vec<Term>) {
        let instance = &self.space.instance;
        let is = |rank| key.clone().equal(Sym::scalar(key_sort, instance.unrank(key_sort, rank)));
        let conditions: Vec<Term> = (0..count).map(is).collect();
        let defined = match &key {
            Sym::Scalar(term) if *term.sort() == SmtSort::Bool => Term::bool(true),
            Sym::Scalar(term) if count > 0 => {
                let first = Term::int(instance.unrank(key_sort, 0));
                let last = Term::int(instance.unrank(key_sort, count - 1));
                term.between(first, last)
            }
            Sym::Scalar(_) => Term::bool(false),
            Sym::Set(_) | Sym::Array(_) => unreachable!("keys are scalars"),
        };
        (defined, conditions)
    }

    fn set_literal(&mut self, sort: &Sort, elements: &[Expr]) -> Result<Valued> {
        let Sort::Set(element_sort) = sort else { unreachable!("a set literal is a set") };
        let count = self.space.instance.count(element_sort);
        let mut members = vec![Term::bool(false); count];
        let mut defined = Term::bool(true);
        for element in elements {
            let valued = self.eval(element)?;
            let (fits, conditions) = self.keys(element_sort, valued.value, count);
            defined = defined.and(valued.defined).and(fits);
            for (member, condition) in members.iter_mut().zip(conditions) {
                *member = member.or(condition);
            }
        }
        Ok(Valued { value: Sym::Set(members), defined })
    }

    /// The values of the body are asked for in order, and only as far as needed.
    fn quantified(&mut self, quantifier: Quantifier, binder: &Binder, body: &Expr) -> Result<Valued> {
        let mut defined = Term::bool(true);
        let mut parts: Vec<Term> = Vec::new();
        let mut sum = Term::int(0);
        for value in self.space.instance.domain(&binder.domain) {
            self.bound.push(value);
            let valued = self.eval(body);
            self.bound.pop();
            let valued = valued?;
            let reached = match quantifier {
                Quantifier::Forall => Term::all(&parts),
                Quantifier::Exists => Term::any(&parts).not(),
                Quantifier::Count => Term::bool(true),
            };
            defined = defined.and(reached.implies(valued.defined));
            match (quantifier, valued.value) {
                (Quantifier::Count, value) => sum = sum.plus(value.number()),
                (_, value) => parts.push(value.formula()),
            }
        }
        let value = match quantifier {
            Quantifier::Forall => Sym::Scalar(Term::all(parts)),
            Quantifier::Exists => Sym::Scalar(Term::any(parts)),
            Quantifier::Count => Sym::Scalar(sum),
        };
        Ok(Valued { value, defined })
    }

    fn thread_index(&mut self, thread: &ThreadRef) -> Result<usize> {
        let value = self.eval(&thread.thread)?.value.number();
        let tid = value.as_int().and_then(|tid| usize::try_from(tid - 1).ok());
        tid.ok_or_else(|| Unsupported::new("a property refers to a thread that is not fixed", thread.thread.span))
    }

    fn local_of(&mut self, thread: &ThreadRef, local: LocalId) -> Result<Sym> {
        let index = self.thread_index(thread)?;
        Ok(self.space.threads[index].frames[&Vec::new()][local.index()].clone())
    }

    fn is_at(&mut self, thread: &ThreadRef, locations: &[LocationId]) -> Result<Term> {
        let index = self.thread_index(thread)?;
        let space = &self.space.threads[index];
        let there = |(_, point): &(usize, &Point)| locations.binary_search(&point.location).is_ok();
        let at = |(number, _): (usize, _)| self.space.at(ThreadId(index as u32), PointId(number as u32));
        Ok(Term::any(space.points.iter().enumerate().filter(there).map(at)))
    }
}

fn count(members: Vec<Term>) -> Term {
    Term::sum(members.into_iter().map(|member| member.ite(Term::int(1), Term::int(0))))
}

/// Two sets combined member by member.
fn combined(x: Sym, y: Sym, each: &dyn Fn(&Term, &Term) -> Term) -> Sym {
    Sym::Set(x.members().iter().zip(&y.members()).map(|(x, y)| each(x, y)).collect())
}

/// The quotient and the remainder, given where the operands have values. The language rounds toward negative
/// infinity, and the remainder has the sign of the divisor.
fn divided(x: Sym, y: Sym, defined: Term, e: &Expr) -> Result<(Valued, Valued)> {
    let Some(divisor) = y.number().as_int() else {
        return Err(Unsupported::new("something is divided by what is not a constant", e.span));
    };
    if divisor == 0 {
        let nothing = Valued { value: Sym::Scalar(Term::int(0)), defined: Term::bool(false) };
        return Ok((nothing.clone(), nothing));
    }
    let (quotient, remainder) = divided_by_size(&x.number().times(divisor.signum()), divisor.unsigned_abs());
    let valued = |term| Valued { value: Sym::Scalar(term), defined: defined.clone() };
    Ok((valued(quotient), valued(remainder.times(divisor.signum()))))
}

/// The quotient and the remainder by a number that is at most 2^63.
fn divided_by_size(x: &Term, divisor: u64) -> (Term, Term) {
    match i64::try_from(divisor) {
        Ok(divisor) => (x.div(Term::int(divisor)), x.modulo(Term::int(divisor))),
        // 2^63 is no number of 64 bits with a sign, but its half is: rounding down twice is rounding down once.
        Err(_) => {
            let half = 1 << 62;
            let quotient = x.div(Term::int(half)).div(Term::int(2));
            let remainder = x.minus(quotient.times(half).times(2));
            (quotient, remainder)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quotients are rounded down, and remainders are what is left, up to the largest divisor that there is.
    #[test]
    fn division_by_large_numbers() {
        let numbers = [0, 1, -1, 7, -7, 1 << 62, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1];
        for divisor in [1u64, 2, 7, 1 << 62, i64::MAX as u64, 1 << 63] {
            for x in numbers {
                let dividend = Term::var(threadwise_logic::Var(0), SmtSort::Int);
                let (quotient, remainder) = divided_by_size(&dividend, divisor);
                let value = |term: Term| term.value(&|_| x).expect("128 bits are enough");
                let wide = i128::from(divisor);
                assert_eq!(value(quotient), i128::from(x).div_euclid(wide), "{x} / {divisor}");
                assert_eq!(value(remainder), i128::from(x).rem_euclid(wide), "{x} % {divisor}");
            }
        }
    }
}
