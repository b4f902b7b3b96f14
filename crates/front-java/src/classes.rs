//! Classes, as class files tell them.

use crate::types::{JavaType, Signature, field_type, signature};
use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{BootstrapArgument, LiteralConstant, MethodHandle};
use cafebabe::{ClassFile, FieldAccessFlags, MethodAccessFlags};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) type Name = Arc<str>;

/// A method by its class, its name and its descriptor.
pub(crate) type MethodKey = (Name, Name, Name);

#[derive(Clone, Debug)]
pub(crate) struct Class<'a> {
    pub(crate) name: Name,
    pub(crate) parent: Option<Name>,
    pub(crate) interfaces: Vec<Name>,
    pub(crate) fields: Vec<Field>,
    pub(crate) methods: Vec<Method<'a>>,
    pub(crate) source: Option<String>,
    pub(crate) lambdas: Vec<Option<Lambda>>,
    /// Which bootstrap methods concatenate strings.
    pub(crate) concatenates: Vec<bool>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) ty: JavaType,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
    pub(crate) is_volatile: bool,
    /// Of a static field: the constant that it starts with.
    pub(crate) constant: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Method<'a> {
    pub(crate) name: Name,
    pub(crate) descriptor: Name,
    pub(crate) signature: Signature,
    pub(crate) is_static: bool,
    pub(crate) is_private: bool,
    pub(crate) is_synchronized: bool,
    pub(crate) is_abstract: bool,
    pub(crate) is_native: bool,
    pub(crate) code: Option<MethodCode<'a>>,
}

#[derive(Clone, Debug)]
pub(crate) struct MethodCode<'a> {
    pub(crate) opcodes: Vec<(u32, Opcode<'a>)>,
    pub(crate) handlers: Vec<Handler>,
    /// From which offset on the code is of which line.
    pub(crate) lines: Vec<(u32, u32)>,
    pub(crate) variables: Vec<NamedVariable>,
}

/// Where control goes when an exception is thrown between two offsets.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) to: u32,
    pub(crate) catches: Option<Name>,
}

#[derive(Clone, Debug)]
pub(crate) struct NamedVariable {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) slot: u16,
    pub(crate) name: Name,
    /// Of a reference: the class that it is declared with.
    pub(crate) class: Option<Name>,
}

/// What an object of a lambda expression calls.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) kind: cafebabe::constant_pool::ReferenceKind,
    pub(crate) target: MethodKey,
    /// The descriptor of the interface's method.
    pub(crate) erased: Name,
}

impl MethodCode<'_> {
    pub(crate) fn line_at(&self, pc: u32) -> Option<u32> {
        self.lines.iter().filter(|(start, _)| *start <= pc).max_by_key(|(start, _)| *start).map(|(_, line)| *line)
    }
}

impl<'a> Class<'a> {
    /// Whether it is an enum: its constants are objects that it makes itself.
    pub(crate) fn is_enum(&self) -> bool {
        self.parent.as_deref() == Some("java/lang/Enum")
    }

    pub(crate) fn method(&self, name: &str, descriptor: &str) -> Option<&Method<'a>> {
        self.methods.iter().find(|method| *method.name == *name && *method.descriptor == *descriptor)
    }
}

/// All classes of a program, by their names.
pub(crate) type Classes<'a> = BTreeMap<Name, Class<'a>>;

/// Reads a class file.
pub(crate) fn read(bytes: &[u8]) -> Result<Class<'_>, String> {
    let file = cafebabe::parse_class(bytes).map_err(|error| error.to_string())?;
    class(file).ok_or_else(|| "a descriptor is malformed".to_string())
}

fn class(file: ClassFile<'_>) -> Option<Class<'_>> {
    let mut source = None;
    let (mut lambdas, mut concatenates) = (Vec::new(), Vec::new());
    for attribute in &file.attributes {
        match &attribute.data {
            AttributeData::SourceFile(name) => source = Some(name.to_string()),
            AttributeData::BootstrapMethods(all) => {
                for entry in all {
                    lambdas.push(lambda(&entry.method, &entry.arguments));
                    concatenates.push(entry.method.class_name == "java/lang/invoke/StringConcatFactory");
                }
            }
            _ => {}
        }
    }
    let fields = file.fields.into_iter().map(field).collect::<Option<_>>()?;
    let methods = file.methods.into_iter().map(method).collect::<Option<_>>()?;
    Some(Class {
        name: file.this_class.to_string().into(),
        parent: file.super_class.map(|name| name.to_string().into()),
        interfaces: file.interfaces.iter().map(|name| name.to_string().into()).collect(),
        fields,
        methods,
        source,
        lambdas,
        concatenates,
    })
}

fn lambda(factory: &MethodHandle<'_>, arguments: &[BootstrapArgument<'_>]) -> Option<Lambda> {
    if factory.class_name != "java/lang/invoke/LambdaMetafactory" || factory.member_ref.name != "metafactory" {
        return None;
    }
    let [BootstrapArgument::MethodType(erased), BootstrapArgument::MethodHandle(target), _] = arguments else {
        return None;
    };
    let member = &target.member_ref;
    Some(Lambda {
        kind: target.kind,
        target: (
            target.class_name.to_string().into(),
            member.name.to_string().into(),
            member.descriptor.to_string().into(),
        ),
        erased: erased.to_string().into(),
    })
}

fn field(info: cafebabe::FieldInfo<'_>) -> Option<Field> {
    let constant = info.attributes.iter().find_map(|attribute| match &attribute.data {
        AttributeData::ConstantValue(LiteralConstant::Integer(value)) => Some(i64::from(*value)),
        AttributeData::ConstantValue(LiteralConstant::Long(value)) => Some(*value),
        _ => None,
    });
    Some(Field {
        name: info.name.to_string().into(),
        ty: field_type(&info.descriptor.to_string())?.0,
        is_static: info.access_flags.contains(FieldAccessFlags::STATIC),
        is_final: info.access_flags.contains(FieldAccessFlags::FINAL),
        is_volatile: info.access_flags.contains(FieldAccessFlags::VOLATILE),
        constant,
    })
}

fn method(info: cafebabe::MethodInfo<'_>) -> Option<Method<'_>> {
    let descriptor = info.descriptor.to_string();
    let flags = info.access_flags;
    let code = info.attributes.into_iter().find_map(|attribute| match attribute.data {
        AttributeData::Code(data) => Some(data),
        _ => None,
    });
    Some(Method {
        name: info.name.to_string().into(),
        signature: signature(&descriptor)?,
        descriptor: descriptor.into(),
        is_static: flags.contains(MethodAccessFlags::STATIC),
        is_private: flags.contains(MethodAccessFlags::PRIVATE),
        is_synchronized: flags.contains(MethodAccessFlags::SYNCHRONIZED),
        is_abstract: flags.contains(MethodAccessFlags::ABSTRACT),
        is_native: flags.contains(MethodAccessFlags::NATIVE),
        code: code.map(method_code),
    })
}

fn method_code(data: cafebabe::attributes::CodeData<'_>) -> MethodCode<'_> {
    let (mut lines, mut variables) = (Vec::new(), Vec::new());
    for AttributeInfo { data, .. } in &data.attributes {
        match data {
            AttributeData::LineNumberTable(entries) => {
                lines.extend(entries.iter().map(|entry| (u32::from(entry.start_pc), u32::from(entry.line_number))));
            }
            AttributeData::LocalVariableTable(entries) => {
                variables.extend(entries.iter().map(|entry| NamedVariable {
                    start: u32::from(entry.start_pc),
                    end: u32::from(entry.start_pc) + u32::from(entry.length),
                    slot: entry.index,
                    name: entry.name.to_string().into(),
                    class: field_type(&entry.descriptor.to_string()).and_then(|(ty, _)| ty.class()),
                }));
            }
            _ => {}
        }
    }
    let handlers = data.exception_table.iter().map(|entry| Handler {
        start: u32::from(entry.start_pc),
        end: u32::from(entry.end_pc),
        to: u32::from(entry.handler_pc),
        catches: entry.catch_type.as_ref().map(|name| name.to_string().into()),
    });
    let handlers = handlers.collect();
    let opcodes = data.bytecode.map_or(Vec::new(), |code| code.opcodes);
    MethodCode {
        opcodes: opcodes.into_iter().map(|(pc, opcode)| (pc as u32, opcode)).collect(),
        handlers,
        lines,
        variables,
    }
}
