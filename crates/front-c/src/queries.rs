//! What programs ask about types: sizes, offsets, choices by type.

use crate::elaborate::{Elaborator, Fallible};
use crate::types::{Kind, Ty};
use crate::values::Value;
use lang_c::ast::{Expression, GenericAssociation, GenericSelection, OffsetMember, OffsetOfExpression};
use lang_c::span::Node;
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn size_value(&mut self, ty: &Ty, span: Span) -> Fallible<Value> {
        match self.structs.size_of(ty, self.model) {
            Some(size) => Ok(self.integer(size as i64, self.model.size_kind(), span)),
            None => Err(self.error(span, format!("the size of `{}` is not known here", self.name_of(ty)))),
        }
    }

    pub fn generic(&mut self, generic: &'a GenericSelection, span: Span) -> Fallible<Value> {
        let value = self.unevaluated(|this| -> Fallible<Ty> {
            let value = this.expression(&generic.expression)?;
            match value {
                Value::Object(object) if object.ty.struct_id().is_some() => Ok(object.ty.unqualified()),
                value => Ok(this.scalar(value)?.1),
            }
        })?;
        let mut otherwise = None;
        for association in &generic.associations {
            match &association.node {
                GenericAssociation::Default(expression) => otherwise = Some(expression),
                GenericAssociation::Type(of) => {
                    if self.type_name(&of.node.type_name)? == value {
                        return self.expression(&of.node.expression);
                    }
                }
            }
        }
        match otherwise {
            Some(expression) => self.expression(expression),
            None => Err(self.error(span, format!("no association is for `{}`", self.name_of(&value)))),
        }
    }

    /// Whether two types, each written as an argument of `sizeof`, are compatible, qualifiers of the whole left aside.
    pub fn are_compatible(&mut self, first: &'a Node<Expression>, second: &'a Node<Expression>) -> Fallible<bool> {
        let (first, second) = (self.type_in_size(first)?, self.type_in_size(second)?);
        Ok(match (&first.kind, &second.kind) {
            // An array without a size goes with all sizes.
            (Kind::Array(a, n), Kind::Array(b, m)) => {
                (n == m || n.is_none() || m.is_none()) && self.structs.is_same_type(a, b)
            }
            _ => self.structs.is_same_type(&first.unqualified(), &second.unqualified()),
        })
    }

    fn type_in_size(&mut self, node: &'a Node<Expression>) -> Fallible<Ty> {
        match &node.node {
            Expression::SizeOfTy(of) => self.type_name(&of.node.0),
            _ => Err(self.error(self.span(node.span), "a type is expected here")),
        }
    }

    pub fn offset_of(&mut self, of: &'a OffsetOfExpression, span: Span) -> Fallible<Value> {
        let mut ty = self.type_name(&of.type_name)?;
        let mut offset = 0;
        let base = OffsetMember::Member(of.designator.node.base.clone());
        let members =
            std::iter::once((&base, None)).chain(of.designator.node.members.iter().map(|m| (&m.node, Some(m))));
        for (member, node) in members {
            match member {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    let name_span = self.span(name.span);
                    let path = ty.struct_id().and_then(|id| self.structs.find(id, &name.node.name));
                    let missing = || format!("`{}` has no member `{}`", self.name_of(&ty), name.node.name);
                    for index in path.ok_or_else(|| self.error(name_span, missing()))? {
                        let id = ty.struct_id().expect("the path goes through structs");
                        let field = &self.structs.get(id).fields.as_ref().expect("it is complete")[index as usize];
                        offset += field.offset;
                        ty = field.ty.clone();
                    }
                }
                OffsetMember::Index(_) => {
                    let Some(Node { node: OffsetMember::Index(index), .. }) = node else { continue };
                    let count = self.constant(index)?;
                    let Kind::Array(element, _) = ty.kind.clone() else {
                        return Err(self.error(span, "only elements of arrays have an offset"));
                    };
                    offset += self.structs.size_of(&element, self.model).unwrap_or(0) * count as u64;
                    ty = (*element).clone();
                }
            }
        }
        Ok(self.integer(offset as i64, self.model.size_kind(), span))
    }
}
