//! Sets, and the types of literals in them.
//!
//! A literal takes its type from what it is assigned to or compared with; where it stands alone, its type spans its own
//! elements. An element outside of the type is an error, whatever becomes of the set.

use crate::ErrorKind;
use crate::eval::{Env, arithmetic, variable_key};
use crate::functions::unmarked;
use crate::value::{Fault, Ty, Value, with};
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{BinaryOp, Expr, ExprKind, Machine, UnaryOp};

impl Env<'_> {
    /// The value of an expression that is stored where values of this type are.
    pub(crate) fn eval_for(&mut self, e: &Expr, ty: &Ty) -> Result<Value, Fault> {
        match ty {
            Ty::Set(element) => Ok(Value::Set(self.set_of(e, Some(element))?)),
            Ty::Array(..) => self.array_for(e, ty),
            Ty::Record(_) => self.record_for(e, ty),
            _ => Ok(self.eval(e)?.adapted(ty)),
        }
    }

    /// The value of an expression that is stored in this place.
    pub(crate) fn eval_like(&mut self, e: &Expr, place: &Expr) -> Result<Value, Fault> {
        match self.type_of(place) {
            Some(ty) => self.eval_for(e, &ty),
            None => self.eval(e),
        }
    }

    /// A set whose elements are of the given type, if one is given.
    pub(crate) fn set_of(&mut self, e: &Expr, element: Option<&Ty>) -> Result<BTreeSet<Value>, Fault> {
        match &e.kind {
            ExprKind::SetLiteral(elements) => {
                let machine = elements.iter().find_map(|e| self.machine_type(e)).map(Ty::Machine);
                let element = element.or(machine.as_ref());
                elements.iter().map(|e| self.element(e, element)).collect()
            }
            ExprKind::Binary(op @ (BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus), left, right) => {
                let (left, right) = self.two_sets(left, right, element)?;
                Ok(match op {
                    BinaryOp::Union => left.iter().fold(right, |all, e| with(&all, e)),
                    BinaryOp::Inter => left.intersection(&right).cloned().collect(),
                    _ => left.difference(&right).cloned().collect(),
                })
            }
            ExprKind::Conditional(condition, yes, no) => {
                let element = element.cloned().or_else(|| self.common_type(yes, no));
                let chosen = if self.holds(condition)? { yes } else { no };
                self.set_of(chosen, element.as_ref())
            }
            _ => Ok(self.eval(e)?.as_set()?.clone()),
        }
    }

    fn element(&mut self, e: &Expr, ty: Option<&Ty>) -> Result<Value, Fault> {
        let value = self.eval(e)?;
        let value = ty.map_or(value.clone(), |ty| value.adapted(ty));
        match ty {
            Some(ty) if !ty.contains(&value) => Err(Fault::Error(ErrorKind::Range)),
            _ => Ok(value),
        }
    }

    /// Two sets of the same type: the given one, or what they tell each other.
    pub(crate) fn two_sets(
        &mut self,
        left: &Expr,
        right: &Expr,
        element: Option<&Ty>,
    ) -> Result<(BTreeSet<Value>, BTreeSet<Value>), Fault> {
        let element = element.cloned().or_else(|| self.common_type(left, right));
        Ok((self.set_of(left, element.as_ref())?, self.set_of(right, element.as_ref())?))
    }

    /// `x in s`. Literals that do not tell their own type are of the type of `x`.
    pub(crate) fn is_in(&mut self, element: &Expr, set: &Expr) -> Result<bool, Fault> {
        let tells_itself = match &set.kind {
            ExprKind::SetLiteral(elements) => elements.iter().all(|e| self.bounds(e).is_some()),
            _ => self.declared_element(set).is_some(),
        };
        let machine = self.machine_type(element).map(Ty::Machine);
        let ty = self.type_of(element).filter(|ty| !tells_itself && matches!(ty, Ty::Range(..)));
        let value = self.eval(element)?;
        let set = self.set_of(set, machine.or(ty).as_ref())?;
        let value = set.iter().next().map_or(value.clone(), |element| value.like(element));
        Ok(set.contains(&value))
    }

    /// Whether the expression is a set.
    pub(crate) fn is_set(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::SetLiteral(_) => true,
            ExprKind::Binary(op, ..) => matches!(op, BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus),
            ExprKind::Conditional(_, yes, no) => self.is_set(yes) || self.is_set(no),
            _ => matches!(self.type_of(e), Some(Ty::Set(_))),
        }
    }

    /// The element type of two sets that stand beside each other.
    fn common_type(&self, left: &Expr, right: &Expr) -> Option<Ty> {
        let declared = self.declared_element(left).or_else(|| self.declared_element(right));
        if declared.is_some() {
            return declared;
        }
        if let Some(machine) = self.machine_element(left).or_else(|| self.machine_element(right)) {
            return Some(Ty::Machine(machine));
        }
        if let (Some((a, b)), Some((c, d))) = (numbers(left), numbers(right)) {
            return Some(Ty::Range(a.min(c), b.max(d)));
        }
        // Of two literals, the first one that has elements tells the other.
        let first = if has_elements(left) || !has_elements(right) { left } else { right };
        match &first.kind {
            ExprKind::SetLiteral(elements) => {
                let bounds = elements.iter().map(|e| self.bounds(e)).collect::<Option<Vec<_>>>()?;
                bounds.into_iter().reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).map(|(lo, hi)| Ty::Range(lo, hi))
            }
            ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => self.common_type(left, right),
            _ => None,
        }
    }

    /// The type of the elements of literals, if some of them say that they are machine integers.
    fn machine_element(&self, e: &Expr) -> Option<Machine> {
        match &e.kind {
            ExprKind::SetLiteral(elements) => elements.iter().find_map(|e| self.machine_type(e)),
            ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => {
                self.machine_element(left).or_else(|| self.machine_element(right))
            }
            _ => None,
        }
    }

    /// The element type of a set that does not depend on what stands around it.
    fn declared_element(&self, e: &Expr) -> Option<Ty> {
        match &e.kind {
            ExprKind::SetLiteral(_) => None,
            ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => {
                self.declared_element(left).or_else(|| self.declared_element(right))
            }
            _ => match self.type_of(e)? {
                Ty::Set(element) => Some(*element),
                _ => None,
            },
        }
    }

    /// The type of a variable, an element or a field; nothing for what is computed.
    pub(crate) fn type_of(&self, e: &Expr) -> Option<Ty> {
        match &e.kind {
            ExprKind::Name(name) => {
                if let Some((_, ty, _)) = self.bound.iter().rev().find(|(bound, ..)| **bound == **name) {
                    return Some(ty.clone());
                }
                let frame = self.thread.and_then(|thread| self.state.frame(thread));
                if let Some(frame) = frame.filter(|frame| frame.local(self.program, name).is_some()) {
                    return frame.local_type(self.program, name).cloned();
                }
                self.program.shared.get(unmarked(name)).cloned()
            }
            ExprKind::Prime(variable) => self.type_of(variable),
            ExprKind::Index(array, _) => match self.type_of(array)? {
                Ty::Array(_, element) => Some(*element),
                _ => None,
            },
            ExprKind::Field(owner, field) => {
                let of_lock = variable_key(e).ok().and_then(|key| self.program.shared.get(&key).cloned());
                if let Some(Ty::Record(fields)) = self.type_of(owner) {
                    let found = fields.into_iter().find(|(name, _)| **name == *field.text);
                    return found.map(|(_, ty)| ty);
                }
                of_lock.or_else(|| {
                    let thread = self.clone().eval(owner).ok()?.as_thread().ok()?;
                    self.program.routines[self.state.threads.get(thread.checked_sub(1)?)?.first()?.routine]
                        .local_type(&field.text)
                })
            }
            ExprKind::Conditional(_, yes, no) => self.type_of(yes).filter(|ty| self.type_of(no).as_ref() == Some(ty)),
            _ => None,
        }
    }

    /// Numbers between which an element of a literal lies; nothing for what is computed and no constant.
    fn bounds(&self, e: &Expr) -> Option<(i64, i64)> {
        match self.type_of(e) {
            Some(Ty::Range(lo, hi)) => Some((lo, hi)),
            Some(_) => None,
            None => self.constant(e).map(|value| (value, value)),
        }
    }

    fn constant(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Name(_) if self.type_of(e).is_none() => self.clone().eval(e).ok()?.as_int().ok(),
            ExprKind::Unary(UnaryOp::Neg, e) => self.constant(e)?.checked_neg(),
            ExprKind::Binary(op, left, right) => arithmetic(*op, self.constant(left)?, self.constant(right)?).ok(),
            _ => None,
        }
    }
}

/// The least and the greatest number in literals whose elements are all written out.
fn numbers(e: &Expr) -> Option<(i64, i64)> {
    let join = |a: Option<(i64, i64)>, b: Option<(i64, i64)>| {
        let ((a, b), (c, d)) = (a?, b?);
        Some((a.min(c), b.max(d)))
    };
    match &e.kind {
        ExprKind::SetLiteral(elements) => elements.iter().map(|e| number(e).map(|n| (n, n))).reduce(join).flatten(),
        ExprKind::Binary(BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus, left, right)
        | ExprKind::Conditional(_, left, right) => join(numbers(left), numbers(right)),
        _ => None,
    }
}

fn number(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Neg, e) => number(e)?.checked_neg(),
        _ => None,
    }
}

fn has_elements(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::SetLiteral(elements) => !elements.is_empty(),
        ExprKind::Binary(_, left, right) | ExprKind::Conditional(_, left, right) => {
            has_elements(left) || has_elements(right)
        }
        _ => false,
    }
}
