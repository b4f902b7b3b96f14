//! Types as declarations spell them: specifiers, structs, enumerations.

use crate::clean::AUTO_TYPE;
use crate::elaborate::{Elaborator, Fallible, Symbol};
use crate::types::{FloatKind, IntKind, Kind, Quals, Ty};
use lang_c::ast::{
    DeclarationSpecifier, Extension, SpecifierQualifier, StorageClassSpecifier, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;
use threadwise_source::Span;

/// What the specifiers of a declaration say.
pub struct Specified {
    pub ty: Ty,
    pub storage: Storage,
    /// `__auto_type`: the type is that of the initialiser.
    pub is_auto: bool,
}

#[derive(Clone, Copy, Default)]
pub struct Storage {
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_thread_local: bool,
    pub is_register: bool,
    pub is_inline: bool,
}

/// Attributes that change sizes.
#[derive(Clone, Copy, Default)]
pub struct Attributes {
    pub packed: bool,
    pub align: Option<u64>,
    /// The bytes of `mode`.
    pub mode: Option<u64>,
}

/// The words of a type, counted.
#[derive(Default)]
struct Words<'a> {
    long: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    base: Option<&'a Node<TypeSpecifier>>,
    int: bool,
    complex: bool,
}

impl<'a> Elaborator<'a> {
    pub fn declaration_specifiers(&mut self, all: &'a [Node<DeclarationSpecifier>], span: Span) -> Fallible<Specified> {
        let (mut types, mut quals, mut storage) = (Vec::new(), Quals::default(), Storage::default());
        let mut attributes = Attributes::default();
        for specifier in all {
            match &specifier.node {
                DeclarationSpecifier::TypeSpecifier(specifier) => types.push(specifier),
                DeclarationSpecifier::TypeQualifier(qualifier) => qualify(&mut quals, &qualifier.node),
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => storage.is_typedef = true,
                    StorageClassSpecifier::Extern => storage.is_extern = true,
                    StorageClassSpecifier::Static => storage.is_static = true,
                    StorageClassSpecifier::ThreadLocal => storage.is_thread_local = true,
                    StorageClassSpecifier::Register => storage.is_register = true,
                    StorageClassSpecifier::Auto => {}
                },
                DeclarationSpecifier::Function(function) => {
                    storage.is_inline |= function.node == lang_c::ast::FunctionSpecifier::Inline;
                }
                // Where a variable is does not matter; only members of structs are placed.
                DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, is_auto) = self.specified(&types, attributes, span)?;
        Ok(Specified { ty: ty.with(quals), storage, is_auto })
    }

    pub fn specifier_qualifiers(
        &mut self,
        all: &'a [Node<SpecifierQualifier>],
        span: Span,
    ) -> Fallible<(Ty, Attributes)> {
        let (mut types, mut quals, mut attributes) = (Vec::new(), Quals::default(), Attributes::default());
        for specifier in all {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(specifier) => types.push(specifier),
                SpecifierQualifier::TypeQualifier(qualifier) => qualify(&mut quals, &qualifier.node),
                SpecifierQualifier::Extension(extensions) => self.attributes(extensions, &mut attributes)?,
            }
        }
        let (ty, _) = self.specified(&types, attributes, span)?;
        Ok((ty.with(quals), attributes))
    }

    pub fn attributes(&mut self, extensions: &'a [Node<Extension>], found: &mut Attributes) -> Fallible<()> {
        for extension in extensions {
            let Extension::Attribute(attribute) = &extension.node else { continue };
            match attribute.name.node.trim_matches('_') {
                "packed" => found.packed = true,
                "aligned" => {
                    let align = match attribute.arguments.first() {
                        Some(argument) => self.constant(argument)?.max(1) as u64,
                        // The most that any type needs.
                        None => 16,
                    };
                    found.align = found.align.max(Some(align));
                }
                "mode" => {
                    let text = attribute.arguments.first().map(|argument| self.span(argument.span));
                    let text = text.map_or("", |span| self.source.slice(span));
                    found.mode = match text.trim().trim_matches('_') {
                        "QI" | "byte" => Some(1),
                        "HI" => Some(2),
                        "SI" => Some(4),
                        "DI" => Some(8),
                        "word" | "pointer" => Some(self.model.pointer_bytes()),
                        _ => None,
                    };
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The integer of as many bytes as a `mode` says, with the sign of another.
    pub fn with_mode(&self, ty: Ty, attributes: Attributes) -> Ty {
        let (Some(kind), Some(bytes)) = (ty.int_kind(), attributes.mode) else { return ty };
        let wide = match bytes {
            1 => IntKind::SignedChar,
            2 => IntKind::Short,
            4 => IntKind::Int,
            _ if self.model.pointer_bytes() == 8 => IntKind::Long,
            _ => IntKind::LongLong,
        };
        Ty { kind: Kind::Int(if kind.is_signed() { wide } else { wide.unsigned() }), ..ty }
    }

    fn specified(
        &mut self,
        types: &[&'a Node<TypeSpecifier>],
        attributes: Attributes,
        span: Span,
    ) -> Fallible<(Ty, bool)> {
        let mut words = Words::default();
        for specifier in types {
            match specifier.node {
                TypeSpecifier::Long => words.long += 1,
                TypeSpecifier::Short => words.short = true,
                TypeSpecifier::Signed => words.signed = true,
                TypeSpecifier::Unsigned => words.unsigned = true,
                TypeSpecifier::Int => words.int = true,
                TypeSpecifier::Complex => words.complex = true,
                _ if words.base.is_some() => {
                    return Err(self.error(self.span(specifier.span), "two types in one declaration"));
                }
                _ => words.base = Some(specifier),
            }
        }
        let Some(base) = words.base else { return Ok((Ty::int(self.integer_kind(&words)), false)) };
        let base_span = self.span(base.span);
        let kind = match &base.node {
            TypeSpecifier::Void => Kind::Void,
            TypeSpecifier::Bool => Kind::Int(IntKind::Bool),
            TypeSpecifier::Char if words.unsigned => Kind::Int(IntKind::UnsignedChar),
            TypeSpecifier::Char if words.signed => Kind::Int(IntKind::SignedChar),
            TypeSpecifier::Char => Kind::Int(IntKind::Char),
            _ if words.complex => return Err(self.unsupported(base_span, "a complex number", "use two variables")),
            TypeSpecifier::Float => Kind::Float(FloatKind::Float),
            TypeSpecifier::Double if words.long > 0 => Kind::Float(FloatKind::LongDouble),
            TypeSpecifier::Double => Kind::Float(FloatKind::Double),
            TypeSpecifier::TS18661Float(float) => Kind::Float(match float.width {
                16 | 32 => FloatKind::Float,
                64 => FloatKind::Double,
                _ => FloatKind::Float128,
            }),
            TypeSpecifier::Struct(node) => return Ok((self.struct_type(node, attributes)?, false)),
            TypeSpecifier::Enum(node) => return Ok((self.enum_type(node)?, false)),
            TypeSpecifier::TypedefName(name) => match self.lookup(&name.node.name) {
                Some(Symbol::Typedef(ty)) => return Ok((ty.clone(), false)),
                _ if name.node.name == "__builtin_va_list" => Kind::VaList,
                _ => return Err(self.error(base_span, format!("`{}` is no type", name.node.name))),
            },
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name)?;
                return Ok((ty.with(Quals { atomic: true, ..Quals::default() }), false));
            }
            TypeSpecifier::TypeOf(of) => {
                let text = self.source.slice(Span { end: base_span.start + AUTO_TYPE.len() as u32, ..base_span });
                if text == AUTO_TYPE {
                    return Ok((crate::types::INT, true));
                }
                return Ok((self.type_of(&of.node)?, false));
            }
            _ => return Err(self.error(span, "this type is not known")),
        };
        Ok((Ty::of(kind), false))
    }

    fn integer_kind(&self, words: &Words) -> IntKind {
        let signed = match words {
            Words { complex: true, .. } => IntKind::Int128,
            Words { short: true, .. } => IntKind::Short,
            Words { long: 0, .. } => IntKind::Int,
            Words { long: 1, .. } => IntKind::Long,
            _ => IntKind::LongLong,
        };
        if words.unsigned { signed.unsigned() } else { signed }
    }

    fn type_of(&mut self, of: &'a TypeOf) -> Fallible<Ty> {
        match of {
            TypeOf::Type(name) => self.type_name(name),
            TypeOf::Expression(expression) => {
                let ty = self.unevaluated(|this| this.expression(expression))?.ty();
                // A `typeof` behind a comma is how headers drop qualifiers.
                Ok(ty)
            }
        }
    }
}

pub fn qualify(quals: &mut Quals, qualifier: &TypeQualifier) {
    match qualifier {
        TypeQualifier::Const => quals.constant = true,
        TypeQualifier::Volatile => quals.volatile = true,
        TypeQualifier::Atomic => quals.atomic = true,
        TypeQualifier::Restrict | TypeQualifier::Nonnull | TypeQualifier::NullUnspecified | TypeQualifier::Nullable => {
        }
    }
}
