//! Initialisers: which part of an object gets which expression (C11 6.7.9).

use crate::elaborate::{Elaborator, Fallible};
use crate::types::{IntKind, Kind, Ty};
use crate::values::Object;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;
use threadwise_memory::code::{Expr, INT};
use threadwise_source::Span;

/// A part of an object and what it starts with.
pub struct Leaf<'a> {
    pub path: Vec<Part>,
    pub value: Initial<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Field(u32),
    Index(u64),
}

pub enum Initial<'a> {
    Expression(&'a Node<Expression>),
    /// One character of a string.
    Byte(u8, Span),
    /// An object of a library.
    Library(Initializing<'a>),
}

/// An initialiser, with or without a declaration around it.
#[derive(Clone, Copy)]
pub struct Initializing<'a> {
    pub kind: InitializingKind<'a>,
    pub span: Span,
}

#[derive(Clone, Copy)]
pub enum InitializingKind<'a> {
    Expression(&'a Node<Expression>),
    List(&'a [Node<InitializerListItem>]),
}

/// A list of initialisers, and how far it has been used.
struct Items<'a> {
    all: &'a [Node<InitializerListItem>],
    next: usize,
}

impl<'a> Elaborator<'a> {
    pub fn initializing(&self, node: &'a Node<Initializer>) -> Initializing<'a> {
        let kind = match &node.node {
            Initializer::Expression(expression) => InitializingKind::Expression(expression),
            Initializer::List(all) => InitializingKind::List(all),
        };
        Initializing { kind, span: self.span(node.span) }
    }

    /// An array without a size gets it from its initialiser.
    pub fn completed(&mut self, ty: Ty, initializer: Initializing<'a>) -> Fallible<Ty> {
        let Kind::Array(element, None) = &ty.kind else { return Ok(ty) };
        let element = (**element).clone();
        let leaves = self.leaves(&ty, initializer)?;
        let lengths = leaves.iter().filter_map(|leaf| match leaf.path.first() {
            Some(Part::Index(index)) => Some(index + 1),
            _ => None,
        });
        let mut length = lengths.max().unwrap_or(0);
        if let Some(bytes) = self.string_initializer(initializer) {
            length = bytes?.len() as u64 + 1;
        }
        Ok(element.array_of(Some(length)).with(ty.quals))
    }

    /// What the parts of an object start with, in the order of the text.
    pub fn leaves(&mut self, ty: &Ty, initializer: Initializing<'a>) -> Fallible<Vec<Leaf<'a>>> {
        let mut leaves = Vec::new();
        self.whole(ty, initializer, &mut Vec::new(), &mut leaves)?;
        Ok(leaves)
    }

    fn whole(
        &mut self,
        ty: &Ty,
        initializer: Initializing<'a>,
        path: &mut Vec<Part>,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> Fallible<()> {
        let span = initializer.span;
        if matches!(ty.kind, Kind::Library(..)) && !ty.is_scalar() {
            leaves.push(Leaf { path: path.clone(), value: Initial::Library(initializer) });
            return Ok(());
        }
        if is_characters(ty)
            && let Some(bytes) = self.string_initializer(initializer)
        {
            characters(ty, &bytes?, span, path, leaves);
            return Ok(());
        }
        match initializer.kind {
            InitializingKind::Expression(expression) => {
                leaves.push(Leaf { path: path.clone(), value: Initial::Expression(expression) });
                Ok(())
            }
            InitializingKind::List(all) if matches!(ty.kind, Kind::Array(..) | Kind::Struct(_)) => {
                let mut items = Items { all, next: 0 };
                self.list(ty, &mut items, path, leaves)
            }
            InitializingKind::List(all) => match all.first() {
                Some(first) => self.whole(ty, self.initializing(&first.node.initializer), path, leaves),
                None => Ok(()),
            },
        }
    }

    /// The items of a list in braces for an array, a struct or a union.
    fn list(
        &mut self,
        ty: &Ty,
        items: &mut Items<'a>,
        path: &mut Vec<Part>,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> Fallible<()> {
        let mut index = 0;
        while let Some(item) = items.all.get(items.next) {
            match item.node.designation.split_first() {
                Some((first, rest)) => {
                    let (numbers, inner) = self.designated(ty, first)?;
                    let start = items.next;
                    index = numbers.end() + 1;
                    for number in numbers {
                        items.next = start;
                        let depth = path.len();
                        let mut part = self.descend(ty, number, path, self.span(first.span))?;
                        for number in &inner {
                            part = self.descend(&part, *number, path, self.span(first.span))?;
                        }
                        for designator in rest {
                            let (numbers, inner) = self.designated(&part, designator)?;
                            for number in std::iter::once(*numbers.start()).chain(inner) {
                                part = self.descend(&part, number, path, self.span(designator.span))?;
                            }
                        }
                        self.part(&part, items, path, leaves)?;
                        path.truncate(depth);
                    }
                }
                None => {
                    let depth = path.len();
                    let part = self.descend(ty, index, path, self.span(item.span))?;
                    self.part(&part, items, path, leaves)?;
                    path.truncate(depth);
                    index += 1;
                }
            }
        }
        Ok(())
    }

    /// The next item, or as many as there are parts if braces were left out.
    fn part(
        &mut self,
        ty: &Ty,
        items: &mut Items<'a>,
        path: &mut Vec<Part>,
        leaves: &mut Vec<Leaf<'a>>,
    ) -> Fallible<()> {
        let item = &items.all[items.next];
        let initializer = &item.node.initializer;
        let elided = match &initializer.node {
            Initializer::List(_) => false,
            Initializer::Expression(expression) => self.is_elided(ty, expression),
        };
        if !elided {
            items.next += 1;
            return self.whole(ty, self.initializing(initializer), path, leaves);
        }
        let count = self.parts(ty);
        for index in 0..count {
            let has_more = items.all.get(items.next).is_some_and(|item| item.node.designation.is_empty());
            if index > 0 && !has_more {
                break;
            }
            let depth = path.len();
            let part = self.descend(ty, index, path, self.span(item.span))?;
            self.part(&part, items, path, leaves)?;
            path.truncate(depth);
        }
        Ok(())
    }

    /// Whether an expression is for the first part of an aggregate and not for all of it.
    fn is_elided(&mut self, ty: &Ty, expression: &'a Node<Expression>) -> bool {
        match ty.kind {
            Kind::Array(..) => !(is_characters(ty) && matches!(expression.node, Expression::StringLiteral(_))),
            Kind::Struct(id) => {
                let found = self.unevaluated(|this| this.expression(expression));
                !found.is_ok_and(|value| value.ty().struct_id() == Some(id))
            }
            _ => false,
        }
    }

    /// How many parts an aggregate has, as far as initialisers are concerned.
    fn parts(&self, ty: &Ty) -> u64 {
        match &ty.kind {
            Kind::Array(_, count) => count.unwrap_or(u64::MAX),
            Kind::Struct(id) => {
                let definition = self.structs.get(*id);
                let count = definition.fields.as_ref().map_or(0, Vec::len) as u64;
                if definition.is_union { count.min(1) } else { count }
            }
            _ => 1,
        }
    }

    /// The parts that a designator names, and the way on from there through structs without names.
    fn designated(
        &mut self,
        ty: &Ty,
        designator: &'a Node<Designator>,
    ) -> Fallible<(std::ops::RangeInclusive<u64>, Vec<u64>)> {
        match &designator.node {
            Designator::Index(index) => {
                let index = self.constant(index)? as u64;
                Ok((index..=index, Vec::new()))
            }
            Designator::Range(range) => {
                let (from, to) = (self.constant(&range.node.from)? as u64, self.constant(&range.node.to)? as u64);
                Ok((from..=to, Vec::new()))
            }
            Designator::Member(name) => {
                let path = ty.struct_id().and_then(|id| self.structs.find(id, &name.node.name));
                let Some((first, rest)) = path.as_deref().and_then(<[u32]>::split_first) else {
                    let message = format!("`{}` has no member `{}`", self.name_of(ty), name.node.name);
                    return Err(self.error(self.span(designator.span), message));
                };
                let first = u64::from(*first);
                Ok((first..=first, rest.iter().map(|index| u64::from(*index)).collect()))
            }
        }
    }

    /// A part of an aggregate by its number.
    fn descend(&self, ty: &Ty, index: u64, path: &mut Vec<Part>, span: Span) -> Fallible<Ty> {
        match &ty.kind {
            Kind::Array(element, count) if count.is_none_or(|count| index < count) => {
                path.push(Part::Index(index));
                Ok((**element).clone())
            }
            Kind::Struct(id) => {
                match self.structs.get(*id).fields.as_ref().and_then(|fields| fields.get(index as usize)) {
                    Some(field) => {
                        path.push(Part::Field(index as u32));
                        Ok(field.ty.clone())
                    }
                    None => Err(self.error(span, "there are more initialisers than members")),
                }
            }
            _ => Err(self.error(span, "there are more initialisers than parts of the object")),
        }
    }

    /// The string, if an initialiser is one.
    fn string_initializer(&self, initializer: Initializing<'a>) -> Option<Fallible<Vec<u8>>> {
        match initializer.kind {
            InitializingKind::Expression(expression) => match &expression.node {
                Expression::StringLiteral(literal) => {
                    Some(self.string_bytes(&literal.node, self.span(expression.span)))
                }
                _ => None,
            },
            InitializingKind::List(all) => match all {
                [only] if only.node.designation.is_empty() => {
                    self.string_initializer(self.initializing(&only.node.initializer))
                }
                _ => None,
            },
        }
    }

    /// The part of an object at the end of a path.
    pub fn part_of(&self, object: &Object, path: &[Part], span: Span) -> Object {
        path.iter().fold(object.clone(), |object, part| match part {
            Part::Field(index) => self.field_at(object, *index),
            Part::Index(index) => {
                let Kind::Array(element, _) = &object.ty.kind else { return object };
                let index = Expr::constant(*index as i64, INT, span);
                self.element(object.place.clone(), index, element, span)
            }
        })
    }

    /// How many scalars an object has; `None` if that does not say whether all of it is set.
    pub fn scalars(&self, ty: &Ty) -> Option<u64> {
        match &ty.kind {
            Kind::Array(element, count) => self.scalars(element)?.checked_mul((*count)?),
            Kind::Struct(id) => {
                let definition = self.structs.get(*id);
                let fields = definition.fields.as_ref().filter(|_| !definition.is_union)?;
                fields.iter().map(|field| self.scalars(&field.ty)).sum()
            }
            _ => Some(1),
        }
    }
}

fn is_characters(ty: &Ty) -> bool {
    let Kind::Array(element, _) = &ty.kind else { return false };
    matches!(element.kind, Kind::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar))
}

fn characters<'a>(ty: &Ty, bytes: &[u8], span: Span, path: &[Part], leaves: &mut Vec<Leaf<'a>>) {
    let Kind::Array(_, count) = &ty.kind else { return };
    let most = count.map_or(bytes.len(), |count| count as usize);
    for (index, byte) in bytes.iter().take(most).enumerate() {
        let path = path.iter().copied().chain([Part::Index(index as u64)]).collect();
        leaves.push(Leaf { path, value: Initial::Byte(*byte, span) });
    }
}
