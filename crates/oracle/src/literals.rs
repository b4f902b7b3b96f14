//! Array literals, fills and records: values whose type decides what their parts are.

use crate::ErrorKind;
use crate::eval::Env;
use crate::value::{Fault, Name, Ty, Value, unsupported};
use std::collections::BTreeMap;
use threadwise_front_tw::ast::{Expr, ExprKind};

impl Env<'_> {
    /// The value of an expression where an array of this type is wanted. An element that is none of the type is an error
    /// by itself.
    pub(crate) fn array_for(&mut self, e: &Expr, ty: &Ty) -> Result<Value, Fault> {
        let Ty::Array(keys, element) = ty else { return unsupported("no type of arrays") };
        let keys = keys.values()?;
        let values = match &e.kind {
            ExprKind::ArrayLiteral(elements) => {
                elements.iter().map(|e| self.array_element(e, element)).collect::<Result<Vec<_>, _>>()?
            }
            ExprKind::ArrayFill(one) => vec![self.array_element(one, element)?; keys.len()],
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.holds(condition)? { yes } else { no };
                return self.array_for(chosen, ty);
            }
            _ => return self.eval(e),
        };
        Ok(Value::Array(keys.into_iter().zip(values).collect()))
    }

    fn array_element(&mut self, e: &Expr, ty: &Ty) -> Result<Value, Fault> {
        let value = self.eval_for(e, ty)?;
        if ty.contains(&value) { Ok(value) } else { Err(Fault::Error(ErrorKind::Range)) }
    }

    /// The value of an expression where a record of this type is wanted.
    pub(crate) fn record_for(&mut self, e: &Expr, ty: &Ty) -> Result<Value, Fault> {
        let Ty::Record(fields) = ty else { return unsupported("no type of records") };
        let mut values: BTreeMap<Name, Value> = BTreeMap::new();
        for (name, ty) in fields {
            values.insert(name.clone(), self.field_for(e, name, ty)?);
        }
        Ok(Value::Record(values))
    }

    /// One field of a record: the others are not looked at.
    fn field_for(&mut self, e: &Expr, name: &Name, ty: &Ty) -> Result<Value, Fault> {
        match &e.kind {
            ExprKind::RecordLiteral(_, fields) => match fields.iter().find(|(field, _)| *field.text == **name) {
                Some((_, value)) => self.eval_for(value, ty),
                None => unsupported("a record literal without a field"),
            },
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.holds(condition)? { yes } else { no };
                self.field_for(chosen, name, ty)
            }
            _ => Ok(self.eval(e)?.element(&Value::Member(name.clone()))?.clone()),
        }
    }

    /// Whether two records are equal: field by field, in the order of declaration, and only as far as needed.
    pub(crate) fn records_equal(&mut self, left: &Expr, right: &Expr, ty: &Ty) -> Result<bool, Fault> {
        self.parts_equal(left, right, ty, &mut Vec::new())
    }

    fn parts_equal(&mut self, left: &Expr, right: &Expr, ty: &Ty, path: &mut Vec<Name>) -> Result<bool, Fault> {
        if let Ty::Record(fields) = ty {
            for (name, ty) in fields {
                path.push(name.clone());
                let equal = self.parts_equal(left, right, ty, path)?;
                path.pop();
                if !equal {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(self.part(left, path, ty)? == self.part(right, path, ty)?)
    }

    /// Whether two arrays are equal.
    pub(crate) fn arrays_equal(&mut self, left: &Expr, right: &Expr, ty: &Ty) -> Result<bool, Fault> {
        let (left, right) = (self.array_for(left, ty)?, self.array_for(right, ty)?);
        Ok(left == right)
    }

    /// What is found in a record along a path of fields.
    fn part(&mut self, e: &Expr, path: &[Name], ty: &Ty) -> Result<Value, Fault> {
        let Some((first, rest)) = path.split_first() else { return self.eval_for(e, ty) };
        match &e.kind {
            ExprKind::RecordLiteral(_, fields) => match fields.iter().find(|(field, _)| *field.text == **first) {
                Some((_, value)) => self.part(value, rest, ty),
                None => unsupported("a record literal without a field"),
            },
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.holds(condition)? { yes } else { no };
                self.part(chosen, path, ty)
            }
            _ => {
                let mut value = self.eval(e)?;
                for name in path {
                    value = value.element(&Value::Member(name.clone()))?.clone();
                }
                Ok(value)
            }
        }
    }

    /// The type of an expression that is an array or a record, as far as it tells.
    pub(crate) fn compound_type(&self, e: &Expr) -> Option<Ty> {
        match &e.kind {
            ExprKind::RecordLiteral(name, _) => self.program.records.get(name.text.as_str()).cloned(),
            ExprKind::Conditional(_, yes, no) => self.compound_type(yes).or_else(|| self.compound_type(no)),
            _ => self.type_of(e).filter(|ty| matches!(ty, Ty::Array(..) | Ty::Record(_))),
        }
    }
}
