//! Which elements of arrays a step reads and writes, as terms: what `ir`'s `elements.rs` says, for all states at once.

use crate::layout::Keys;
use crate::{Unsupported, View};
use threadwise_ir::{Expr, ExprKind, Op, Place, SharedId, Sign, Sort, Update, Value, VarRef};
use threadwise_logic::Term;

/// An array, or the part of it with these first keys, is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touch {
    pub var: SharedId,
    /// The keys, over the variables before the step and the step's free choices.
    pub keys: Vec<Term>,
    pub writes: bool,
    /// When it is touched, given that the step is taken.
    pub when: Term,
}

impl Touch {
    /// Whether it shows a sign: of which keys, as far as they tell elements apart.
    pub fn shows(&self, sign: &Sign) -> Option<&[Term]> {
        let region = sign.region();
        let counts = region.vars.contains(&self.var)
            && match sign {
                Sign::Accesses(_) => true,
                Sign::Writes(_) => self.writes,
            };
        counts.then(|| &self.keys[..self.keys.len().min(region.depth)])
    }
}

type Touches = Result<(), Unsupported>;

impl View<'_> {
    /// What an edge touches, but for the result of a call.
    pub(crate) fn touched_by(&self, op: &Op, out: &mut Vec<Touch>) -> Touches {
        let yes = Term::bool(true);
        match op {
            Op::Command(command) => {
                let conditions = command.assertions.iter().map(|assertion| &assertion.condition);
                for e in conditions.chain(command.guard.as_deref()) {
                    self.touch(e, &yes, out)?;
                }
                self.touch_update(&command.update, out)
            }
            Op::Call { args, .. } => args.iter().try_for_each(|arg| self.touch(arg, &yes, out)),
            Op::Return(value) => value.iter().try_for_each(|e| self.touch(e, &yes, out)),
        }
    }

    /// What is touched when something is stored in a place.
    pub(crate) fn touch_place(&self, place: &Place, out: &mut Vec<Touch>) -> Touches {
        let yes = Term::bool(true);
        place.indices.iter().try_for_each(|index| self.touch(index, &yes, out))?;
        if let VarRef::Shared(var) = place.var {
            let keys: Vec<&Expr> = place.indices.iter().collect();
            self.touch_element(var, &keys, true, &yes, out)?;
        }
        Ok(())
    }

    fn touch_update(&self, update: &Update, out: &mut Vec<Touch>) -> Touches {
        match update {
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    self.touch_place(place, out)?;
                    if let Value::Of(e) = value {
                        self.touch(e, &Term::bool(true), out)?;
                    }
                }
            }
            Update::Action { frame, formula, assertion } => {
                let whole = |var: &VarRef, writes| match var {
                    VarRef::Shared(var) => Some(Touch { var: *var, keys: Vec::new(), writes, when: Term::bool(true) }),
                    VarRef::Local(_) => None,
                };
                out.extend(frame.iter().filter_map(|var| whole(var, true)));
                for e in [Some(formula), assertion.as_ref()].into_iter().flatten() {
                    e.walk(&mut |e| {
                        if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = &e.kind {
                            out.extend(whole(var, false));
                        }
                    });
                }
            }
        }
        Ok(())
    }

    /// What an expression touches where it is evaluated, which is where `reached` holds.
    fn touch(&self, e: &Expr, reached: &Term, out: &mut Vec<Touch>) -> Touches {
        match &e.kind {
            ExprKind::Read(_) | ExprKind::Index(..) => self.touch_part(e, reached, out),
            ExprKind::Binary(op, a, b) => {
                self.touch(a, reached, out)?;
                let goes_on = match op.needs_second_where() {
                    Some(first) => self.truth(a, first)?,
                    None => Term::bool(true),
                };
                self.touch(b, &reached.and(goes_on), out)
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.touch(condition, reached, out)?;
                let (is_true, is_false) = (self.truth(condition, true)?, self.truth(condition, false)?);
                self.touch(yes, &reached.and(is_true), out)?;
                self.touch(no, &reached.and(is_false), out)
            }
            ExprKind::Quantified(_, binder, body) => {
                let Keys::Few(first, count) = self.population.domain(&binder.domain) else {
                    return Err(Unsupported::new("elements below a quantifier over so many values", e.span));
                };
                let mut inner = self.clone();
                for number in (0..count).map(|offset| first + offset) {
                    self.population.layout.go_on(e.span)?;
                    inner.bound.push(Term::int(number));
                    inner.touch(body, reached, out)?;
                    inner.bound.pop();
                }
                Ok(())
            }
            ExprKind::Unary(_, a) => self.touch(a, reached, out),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().try_for_each(|e| self.touch(e, reached, out))
            }
            // The last three are in actions and properties only.
            ExprKind::Const(_) | ExprKind::Thread(_) | ExprKind::SelfThread | ExprKind::Bound(_) => Ok(()),
            ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => Ok(()),
        }
    }

    fn touch_part(&self, e: &Expr, reached: &Term, out: &mut Vec<Touch>) -> Touches {
        let (mut root, mut keys) = (e, Vec::new());
        while let ExprKind::Index(array, key) = &root.kind {
            keys.insert(0, &**key);
            root = array;
        }
        keys.iter().try_for_each(|key| self.touch(key, reached, out))?;
        match &root.kind {
            ExprKind::Read(VarRef::Shared(var)) => self.touch_element(*var, &keys, false, reached, out),
            ExprKind::Read(VarRef::Local(_)) => Ok(()),
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => self.touch(root, reached, out),
        }
    }

    fn touch_element(
        &self,
        var: SharedId,
        keys: &[&Expr],
        writes: bool,
        reached: &Term,
        out: &mut Vec<Touch>,
    ) -> Touches {
        let mut sort = &self.population.program.shared[var.index()].sort;
        let mut touch = Touch { var, keys: Vec::new(), writes, when: reached.clone() };
        for key in keys {
            let Sort::Array(of, element) = sort else { unreachable!("only arrays are indexed") };
            let key = self.translate(key)?;
            let within = self.population.keys(of).contains(key.value.term());
            touch.when = Term::all([&touch.when, &key.defined, &within]);
            touch.keys.push(key.value.term().clone());
            sort = element;
        }
        if !touch.when.is_false() && !out.contains(&touch) {
            out.push(touch);
        }
        Ok(())
    }

    /// That an expression has this truth value.
    fn truth(&self, e: &Expr, value: bool) -> Result<Term, Unsupported> {
        let translated = self.translate(e)?;
        let truth = translated.value.term();
        Ok(translated.defined.and(if value { truth.clone() } else { truth.not() }))
    }
}
