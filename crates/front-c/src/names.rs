//! Types as text, for messages.

use crate::elaborate::Elaborator;
use crate::types::{FloatKind, IntKind, Kind, Ty};

impl Elaborator<'_> {
    pub fn name_of(&self, ty: &Ty) -> String {
        let mut text = self.name_of_kind(&ty.kind);
        for (is_there, word) in
            [(ty.quals.constant, "const"), (ty.quals.volatile, "volatile"), (ty.quals.atomic, "_Atomic")]
        {
            if is_there {
                text = format!("{word} {text}");
            }
        }
        text
    }

    fn name_of_kind(&self, kind: &Kind) -> String {
        match kind {
            Kind::Void => "void".to_string(),
            Kind::Int(kind) => name_of_int(*kind).to_string(),
            Kind::Float(kind) => match kind {
                FloatKind::Float => "float",
                FloatKind::Double => "double",
                FloatKind::LongDouble => "long double",
                FloatKind::Float128 => "__float128",
            }
            .to_string(),
            Kind::Pointer(to) => format!("{} *", self.name_of(to)),
            Kind::Array(element, Some(count)) => format!("{}[{count}]", self.name_of(element)),
            Kind::Array(element, None) => format!("{}[]", self.name_of(element)),
            Kind::Function(signature) => {
                let params: Vec<String> = signature.params.iter().map(|param| self.name_of(param)).collect();
                format!("{} ({})", self.name_of(&signature.result), params.join(", "))
            }
            Kind::Struct(id) => {
                let definition = self.structs.get(*id);
                let word = if definition.is_union { "union" } else { "struct" };
                let name = if definition.name.is_empty() { "{…}" } else { &definition.name };
                format!("{word} {name}")
            }
            Kind::Library(object, ..) => format!("{object:?} of the thread library"),
            Kind::VaList => "va_list".to_string(),
        }
    }
}

fn name_of_int(kind: IntKind) -> &'static str {
    match kind {
        IntKind::Bool => "_Bool",
        IntKind::Char => "char",
        IntKind::SignedChar => "signed char",
        IntKind::UnsignedChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UnsignedShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UnsignedInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::UnsignedLong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::UnsignedLongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UnsignedInt128 => "unsigned __int128",
    }
}
