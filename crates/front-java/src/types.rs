//! Types of Java as descriptors tell them.

use std::sync::Arc;
use threadwise_ir::Bits;
use threadwise_memory::code::{INT, Type};

/// A type of a field, a parameter or an element.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum JavaType {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// A class, by its name with slashes, or an array, by its descriptor.
    Reference(Arc<str>),
}

pub(crate) const LONG: Type = Type::Int(Bits { width: 64, signed: true });

pub(crate) fn bits(width: u8, signed: bool) -> Type {
    Type::Int(Bits { width, signed })
}

impl JavaType {
    /// How it is kept in a field.
    pub(crate) fn stored(&self) -> Type {
        match self {
            JavaType::Boolean => bits(1, false),
            JavaType::Byte => bits(8, true),
            JavaType::Char => bits(16, false),
            JavaType::Short => bits(16, true),
            JavaType::Int => INT,
            JavaType::Long => LONG,
            JavaType::Float => Type::Float(4),
            JavaType::Double => Type::Float(8),
            JavaType::Reference(_) => Type::Pointer,
        }
    }

    /// How it is computed with: on the stack, and in local variables.
    pub(crate) fn computed(&self) -> Type {
        match self {
            JavaType::Boolean | JavaType::Byte | JavaType::Char | JavaType::Short | JavaType::Int => INT,
            _ => self.stored(),
        }
    }

    /// How many slots of local variables it takes.
    pub(crate) fn slots(&self) -> u16 {
        if matches!(self, JavaType::Long | JavaType::Double) { 2 } else { 1 }
    }

    pub(crate) fn class(&self) -> Option<Arc<str>> {
        match self {
            JavaType::Reference(name) => Some(name.clone()),
            _ => None,
        }
    }
}

/// The types of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<JavaType>,
    pub(crate) result: Option<JavaType>,
}

/// Reads one type, and gives what is left of the text.
pub(crate) fn field_type(text: &str) -> Option<(JavaType, &str)> {
    let rest = text.get(1..)?;
    Some(match text.as_bytes()[0] {
        b'Z' => (JavaType::Boolean, rest),
        b'B' => (JavaType::Byte, rest),
        b'C' => (JavaType::Char, rest),
        b'S' => (JavaType::Short, rest),
        b'I' => (JavaType::Int, rest),
        b'J' => (JavaType::Long, rest),
        b'F' => (JavaType::Float, rest),
        b'D' => (JavaType::Double, rest),
        b'L' => {
            let (name, rest) = rest.split_once(';')?;
            (JavaType::Reference(name.into()), rest)
        }
        b'[' => {
            let (_, after) = field_type(rest)?;
            (JavaType::Reference(text[..text.len() - after.len()].into()), after)
        }
        _ => return None,
    })
}

/// Reads the descriptor of a method.
pub(crate) fn signature(text: &str) -> Option<Signature> {
    let mut rest = text.strip_prefix('(')?;
    let mut params = Vec::new();
    while !rest.starts_with(')') {
        let (param, after) = field_type(rest)?;
        params.push(param);
        rest = after;
    }
    let result = match &rest[1..] {
        "V" => None,
        text => Some(field_type(text)?.0),
    };
    Some(Signature { params, result })
}

/// The name of a class as people write it: without its package, and inner classes with dots.
pub(crate) fn spoken(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    match field_type(name) {
        Some((JavaType::Reference(_), "")) if name.starts_with('[') => {
            let (element, _) = field_type(&name[1..]).unwrap_or((JavaType::Int, ""));
            format!("{}[]", spoken_type(&element))
        }
        _ => last.replace('$', "."),
    }
}

pub(crate) fn spoken_type(ty: &JavaType) -> String {
    match ty {
        JavaType::Boolean => "boolean".into(),
        JavaType::Byte => "byte".into(),
        JavaType::Char => "char".into(),
        JavaType::Short => "short".into(),
        JavaType::Int => "int".into(),
        JavaType::Long => "long".into(),
        JavaType::Float => "float".into(),
        JavaType::Double => "double".into(),
        JavaType::Reference(name) => spoken(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_read() {
        let read = signature("(I[[JLjava/lang/String;Z)V").expect("it is one");
        let names: Vec<String> = read.params.iter().map(spoken_type).collect();
        assert_eq!(names, ["int", "long[][]", "String", "boolean"]);
        assert_eq!(read.result, None);
        assert_eq!(signature("()[I").and_then(|read| read.result), Some(JavaType::Reference("[I".into())));
        for broken in ["", "(", "(I", "(L;)", "(Q)V", "()", "()Lx", "I"] {
            assert!(std::panic::catch_unwind(|| signature(broken)).is_ok(), "{broken}");
        }
    }
}
