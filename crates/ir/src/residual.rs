//! Expressions of which some names have known values.

use crate::{BinaryOp, Domain, Env, Expr, ExprKind, Instance, NoValue, Quantifier, RoutineId, Sort, UnaryOp};

impl Instance {
    /// The expression with what is known put in and computed: it has the same value, and fails where the expression does.
    /// Where it surely fails, that is said instead. `known` is asked for values of scalar names, of `self` and of elements
    /// of arrays; the keys of these are computed before it is asked.
    ///
    /// What depends on how many threads there are is left as it is where that may be any number.
    pub fn residual(&self, e: &Expr, known: &dyn Fn(&Expr) -> Option<i64>) -> Result<Expr, NoValue> {
        self.rest_of(e, known, 0)
    }

    fn rest_of(&self, e: &Expr, known: &dyn Fn(&Expr) -> Option<i64>, binders: u32) -> Result<Expr, NoValue> {
        let part = |e: &Expr| self.rest_of(e, known, binders);
        // What need not be evaluated need not have a value.
        let perhaps = |e: &Expr| self.rest_of(e, known, binders).unwrap_or_else(|_| e.clone());
        let with = |kind: ExprKind| Expr { kind, ..e.clone() };
        let rest = match &e.kind {
            ExprKind::Const(_) | ExprKind::Bound(_) | ExprKind::ReadAfter(_) => return Ok(e.clone()),
            ExprKind::LocalOf(..) | ExprKind::At(..) => return Ok(e.clone()),
            ExprKind::SelfThread | ExprKind::Thread(_) | ExprKind::Read(_) => {
                return Ok(known(e).map_or_else(|| e.clone(), |word| with(ExprKind::Const(word))));
            }
            ExprKind::Index(array, key) => {
                let whole = with(ExprKind::Index(Box::new(part(array)?), Box::new(part(key)?)));
                return Ok(known(&whole).map_or_else(|| whole.clone(), |word| with(ExprKind::Const(word))));
            }
            ExprKind::Unary(op, a) => with(ExprKind::Unary(*op, Box::new(part(a)?))),
            ExprKind::Binary(op, a, b) => {
                let a = part(a)?;
                match (op.needs_second_where(), &a.kind) {
                    (Some(needs), ExprKind::Const(word)) if (*word != 0) != needs => {
                        // `false ==> …` is the one that is true.
                        let value = *op == BinaryOp::Or || *op == BinaryOp::Implies;
                        return Ok(with(ExprKind::Const(i64::from(value))));
                    }
                    (Some(_), ExprKind::Const(_)) => return part(b),
                    (Some(_), _) => with(ExprKind::Binary(*op, Box::new(a), Box::new(perhaps(b)))),
                    (None, _) => with(ExprKind::Binary(*op, Box::new(a), Box::new(part(b)?))),
                }
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = part(condition)?;
                match condition.kind {
                    ExprKind::Const(word) => return part(if word != 0 { yes } else { no }),
                    _ => with(ExprKind::Conditional(Box::new([condition, perhaps(yes), perhaps(no)]))),
                }
            }
            ExprKind::SetLiteral(all) => {
                with(ExprKind::SetLiteral(all.iter().map(part).collect::<Result<Box<[Expr]>, NoValue>>()?))
            }
            ExprKind::ArrayLiteral(all) => with(ExprKind::ArrayLiteral(all.iter().map(perhaps).collect())),
            ExprKind::Quantified(quantifier, binder, body) => {
                let body = self.rest_of(body, known, binders + 1).unwrap_or_else(|_| (**body).clone());
                with(ExprKind::Quantified(*quantifier, binder.clone(), Box::new(body)))
            }
        };
        self.computed(rest, binders)
    }

    /// A constant, if nothing is left to be known.
    fn computed(&self, e: Expr, binders: u32) -> Result<Expr, NoValue> {
        let is_scalar = !matches!(&*e.sort, Sort::Set(_) | Sort::Array(..));
        let quantifies = matches!(e.kind, ExprKind::Quantified(..));
        if !is_scalar || quantifies && binders > 0 || e.any(&|part| self.is_open(part, binders, quantifies)) {
            return Ok(e);
        }
        let mut env = Env::of_thread(self, RoutineId(0), 0, &[], &[]);
        match env.scalar(&e) {
            Ok(word) => Ok(Expr { kind: ExprKind::Const(word), ..e }),
            // Whatever outgrows what is computed with is left to whoever comes there.
            Err(NoValue::Gap(_)) => Ok(e),
            Err(fault) => Err(fault),
        }
    }

    /// Whether a part of an expression has a value that is not known here.
    fn is_open(&self, e: &Expr, binders: u32, quantifies: bool) -> bool {
        let any_number = self.program.has_any_copies();
        match &e.kind {
            ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::SelfThread
            | ExprKind::Thread(_) => true,
            ExprKind::Bound(_) => binders > 0 || !quantifies,
            ExprKind::Quantified(Quantifier::Forall | Quantifier::Exists | Quantifier::Count, binder, _) => {
                any_number
                    && match &binder.domain {
                        Domain::Copies(_) => true,
                        Domain::Sort(sort) => sort.mentions_tid(),
                    }
            }
            ExprKind::Unary(UnaryOp::Ord, _) | ExprKind::SetLiteral(_) | ExprKind::ArrayLiteral(_) => any_number,
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..) => false,
        }
    }
}
