//! Structs, unions and enumerations as they are declared, and which of several files are the same.

use crate::elaborate::{Elaborator, Fallible, Symbol, Tag};
use crate::layout::Declared;
use crate::specifiers::Attributes;
use crate::types::{IntKind, Kind, Ty};
use lang_c::ast::{EnumType, StructDeclaration, StructField, StructKind, StructType};
use lang_c::span::Node;
use std::sync::Arc;
use threadwise_memory::code::StructId;
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn struct_type(&mut self, node: &'a Node<StructType>, attributes: Attributes) -> Fallible<Ty> {
        let is_union = node.node.kind.node == StructKind::Union;
        let name = node.node.identifier.as_ref().map_or("", |name| &name.node.name);
        let known = match node.node.declarations {
            // A definition is one of the scope that it is in.
            Some(_) => self.scope().tags.get(name).cloned(),
            None => self.lookup_tag(name).cloned(),
        };
        let id = match known {
            Some(Tag::Struct(id)) if !name.is_empty() => id,
            _ => self.declare_struct(name, is_union),
        };
        match &node.node.declarations {
            Some(declarations) => {
                let attributes = self.leading_attributes(self.span(node.span), attributes);
                self.define_struct(id, declarations, attributes, self.span(node.span))
            }
            None => Ok(Ty::of(Kind::Struct(id))),
        }
    }

    /// A tag that is new in its scope. Of a file, it is what the same tag of another file is.
    fn declare_struct(&mut self, name: &str, is_union: bool) -> StructId {
        let others = self.files[..self.file.0 as usize].iter();
        let shared = others.filter_map(|scope| scope.tags.get(name)).find_map(|tag| match tag {
            Tag::Struct(id) if self.structs.get(*id).is_union == is_union => Some(*id),
            _ => None,
        });
        let id = match shared {
            Some(id) if self.scopes.is_empty() && !name.is_empty() => id,
            _ => self.structs.declare(name.into(), is_union),
        };
        if !name.is_empty() {
            self.scope().tags.insert(name.to_string(), Tag::Struct(id));
        }
        id
    }

    fn define_struct(
        &mut self,
        id: StructId,
        declarations: &'a [Node<StructDeclaration>],
        attributes: Attributes,
        span: Span,
    ) -> Fallible<Ty> {
        let mut fields = Vec::new();
        for declaration in declarations {
            if let StructDeclaration::Field(field) = &declaration.node {
                self.struct_field(field, &mut fields)?;
            }
        }
        let name = self.structs.get(id).name.clone();
        if self.structs.get(id).fields.is_none() {
            self.structs.complete(id, fields, attributes.packed, attributes.align, self.model);
            return Ok(Ty::of(Kind::Struct(id)));
        }
        // Another file, or the same header, has defined it.
        let is_union = self.structs.get(id).is_union;
        let again = self.structs.declare(name.clone(), is_union);
        self.structs.complete(again, fields, attributes.packed, attributes.align, self.model);
        let is_same = self.structs.is_same(id, again);
        self.structs.all.pop();
        let is_of_other_file = self.files[..self.file.0 as usize]
            .iter()
            .any(|scope| matches!(scope.tags.get(&*name), Some(Tag::Struct(other)) if *other == id));
        match (is_of_other_file, is_same) {
            (true, true) => Ok(Ty::of(Kind::Struct(id))),
            (true, false) => Err(self.error(span, format!("`{name}` is defined differently in another file"))),
            (false, _) => Err(self.error(span, format!("`{name}` is defined twice"))),
        }
    }

    /// A struct without a tag is the same in all files that give it the same name.
    pub fn shared_typedef(&self, name: &str, ty: Ty) -> Ty {
        let Some(id) = ty.struct_id().filter(|id| self.structs.get(*id).name.is_empty() && self.scopes.is_empty())
        else {
            return ty;
        };
        let others = self.files[..self.file.0 as usize].iter().filter_map(|scope| scope.names.get(name));
        let shared = others.filter_map(|symbol| match symbol {
            Symbol::Typedef(other) => other.struct_id(),
            _ => None,
        });
        let is_same = |other: &StructId| self.structs.is_same(*other, id);
        match shared.into_iter().find(is_same) {
            Some(other) => Ty { kind: Kind::Struct(other), ..ty },
            None => ty,
        }
    }

    /// Attributes between `struct` and its tag, which the parser does not see.
    fn leading_attributes(&self, span: Span, mut attributes: Attributes) -> Attributes {
        let text = self.source.slice(span);
        let head = &text[..text.find('{').unwrap_or(0)];
        attributes.packed |= head.contains("packed");
        if let Some((_, rest)) = head.split_once("aligned") {
            let digits: String =
                rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
            attributes.align = attributes.align.max(digits.parse().ok().or(Some(16)));
        }
        attributes
    }

    fn struct_field(&mut self, field: &'a Node<StructField>, fields: &mut Vec<Declared>) -> Fallible<()> {
        let span = self.span(field.span);
        let (base, outer) = self.specifier_qualifiers(&field.node.specifiers, span)?;
        if field.node.declarators.is_empty() && base.struct_id().is_some() {
            let align = None;
            fields.push(Declared { name: "".into(), ty: base, width: None, align, packed: false });
            return Ok(());
        }
        for declarator in &field.node.declarators {
            let mut attributes = outer;
            let (name, ty) = match &declarator.node.declarator {
                Some(node) => {
                    self.attributes(&node.node.extensions, &mut attributes)?;
                    let (name, ty) = self.declarator(node, base.clone())?;
                    (name.map_or("", |name| &name.node.name), ty)
                }
                None => ("", base.clone()),
            };
            let width = match &declarator.node.bit_width {
                Some(width) => Some(self.constant(width)?.clamp(0, 64) as u8),
                None => None,
            };
            let name: Arc<str> = name.into();
            let (align, packed) = (attributes.align, attributes.packed);
            fields.push(Declared { name, ty, width, align, packed });
        }
        Ok(())
    }

    pub fn enum_type(&mut self, node: &'a Node<EnumType>) -> Fallible<Ty> {
        let name = node.node.identifier.as_ref().map_or("", |name| &name.node.name);
        if node.node.enumerators.is_empty() {
            return match self.lookup_tag(name) {
                Some(Tag::Enum(ty)) => Ok(ty.clone()),
                _ => Ok(Ty::int(IntKind::UnsignedInt)),
            };
        }
        let (mut next, mut least, mut most): (i128, i128, i128) = (0, 0, 0);
        for enumerator in &node.node.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant(expression)?;
            }
            (least, most) = (least.min(next), most.max(next));
            let fits = i32::try_from(next).is_ok();
            let kind = if fits { IntKind::Int } else { self.enum_kind(least, most) };
            let symbol = Symbol::Enumerator(next as i64, Ty::int(kind));
            self.declare(&enumerator.node.identifier.node.name, symbol);
            next += 1;
        }
        let ty = Ty::int(self.enum_kind(least, most));
        if !name.is_empty() {
            self.scope().tags.insert(name.to_string(), Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }

    /// The integer that compilers choose for an enumeration with these bounds.
    fn enum_kind(&self, least: i128, most: i128) -> IntKind {
        let fits = |kind: IntKind| {
            let (low, high) = kind.bits(self.model).bounds();
            low <= least && most <= high
        };
        let kinds = if least < 0 {
            [IntKind::Int, IntKind::Long, IntKind::LongLong]
        } else {
            [IntKind::UnsignedInt, IntKind::UnsignedLong, IntKind::UnsignedLongLong]
        };
        kinds.into_iter().find(|kind| fits(*kind)).unwrap_or(kinds[2])
    }
}
