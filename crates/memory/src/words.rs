//! Places and conditions in words that people would use for them: `p->next`, `a[i]`, `*p`, `x >= 50`. The text itself
//! would say it as well, but for macros, which hide it.

use crate::code::{Base, BinaryOp, Code, Expr, ExprKind, Language, Place, Step, Type, UnaryOp};
use crate::flat::Flat;
use std::fmt::Write as _;

/// Longer texts are cut.
const MAX_LENGTH: usize = 60;

/// What names stand for.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) code: &'a Code,
    pub(crate) flat: &'a Flat,
}

impl Words<'_> {
    pub(crate) fn place(self, place: &Place) -> String {
        cut(self.place_text(place))
    }

    pub(crate) fn condition(self, e: &Expr) -> String {
        cut(self.expr(e, 0))
    }

    fn place_text(self, place: &Place) -> String {
        let (mut text, mut ty, mut path) = match &place.base {
            Base::Local(id) => {
                let variable = &self.flat.locals[id.index()].variable;
                (variable.name.to_string(), variable.ty.clone(), &place.path[..])
            }
            Base::Global(id) => {
                let variable = &self.code.globals[id.index()];
                (variable.name.to_string(), variable.ty.clone(), &place.path[..])
            }
            Base::Deref(pointer, pointee) => self.dereferenced(pointer, pointee, &place.path),
        };
        while let Some((step, rest)) = path.split_first() {
            ty = self.step(&mut text, &ty, step);
            path = rest;
        }
        text
    }

    fn arrow(self) -> &'static str {
        match self.code.language {
            Language::C => "->",
            Language::Java => ".",
        }
    }

    /// What a pointer points to, and what is left of the path.
    fn dereferenced<'p>(self, pointer: &Expr, pointee: &Type, path: &'p [Step]) -> (String, Type, &'p [Step]) {
        let pointer = without_conversions(pointer);
        match &pointer.kind {
            ExprKind::Address(place) => (self.place_text(place), pointee.clone(), path),
            ExprKind::Offset(inner, by, _) => {
                let text = format!("{}[{}]", self.expr(inner, 9), self.expr(by, 0));
                (text, pointee.clone(), path)
            }
            _ => {
                let text = self.expr(pointer, 9);
                match (path.split_first(), pointee) {
                    (Some((Step::Field(index), rest)), Type::Struct(id)) => {
                        let field = &self.code.structs[id.index()].fields[*index as usize];
                        (format!("{text}{}{}", self.arrow(), field.name), field.ty.clone(), rest)
                    }
                    (Some((Step::Index(index), rest)), Type::Array(element, _)) => {
                        (format!("(*{text})[{}]", self.expr(index, 0)), (**element).clone(), rest)
                    }
                    (None, _) => (format!("*{text}"), pointee.clone(), path),
                    (Some(_), _) => (format!("(*{text})"), pointee.clone(), path),
                }
            }
        }
    }

    fn step(self, text: &mut String, ty: &Type, step: &Step) -> Type {
        match (step, ty) {
            (Step::Field(index), Type::Struct(id)) => {
                let field = &self.code.structs[id.index()].fields[*index as usize];
                if !field.name.is_empty() {
                    let _ = write!(text, ".{}", field.name);
                }
                field.ty.clone()
            }
            (Step::Field(_), _) => Type::Void,
            (Step::Index(index), ty) => {
                let _ = write!(text, "[{}]", self.expr(index, 0));
                if let Type::Array(element, _) = ty { (**element).clone() } else { Type::Void }
            }
        }
    }

    /// An expression inside of one that binds so strongly.
    fn expr(self, e: &Expr, around: u8) -> String {
        let binary = |op: &str, strength: u8, a: &Expr, b: &Expr| {
            let text = format!("{} {op} {}", self.expr(a, strength), self.expr(b, strength + 1));
            if strength < around { format!("({text})") } else { text }
        };
        match &e.kind {
            ExprKind::Const(0) if e.ty == Type::Pointer => match self.code.language {
                Language::C => "NULL".to_string(),
                Language::Java => "null".to_string(),
            },
            ExprKind::Const(value) => e.ty.bits().map_or(value.to_string(), |bits| bits.number(*value).to_string()),
            ExprKind::Load(place) => self.place_text(place),
            ExprKind::Address(place) => match &place.base {
                // An array is the address of its first element.
                _ if matches!(place.ty, Type::Array(..)) => self.place_text(place),
                Base::Deref(pointer, _) if place.path.is_empty() => self.expr(pointer, around),
                Base::Deref(..) | Base::Local(_) | Base::Global(_) => format!("&{}", self.place_text(place)),
            },
            ExprKind::Function(id) => self.code.function(*id).name.to_string(),
            ExprKind::Unary(op, a) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("{sign}{}", self.expr(a, 9))
            }
            ExprKind::Binary(op, a, b) => {
                let (sign, strength) = operator(*op);
                binary(sign, strength, a, b)
            }
            ExprKind::Offset(pointer, by, _) => binary("+", 7, pointer, by),
            ExprKind::Difference(a, b, _) => binary("-", 7, a, b),
            ExprKind::And(a, b) => binary("&&", 1, a, b),
            ExprKind::Or(a, b) => binary("||", 0, a, b),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                format!("({} ? {} : {})", self.expr(c, 1), self.expr(a, 1), self.expr(b, 1))
            }
            // Most conversions nobody wrote.
            ExprKind::Convert(inner) => self.expr(inner, around),
            ExprKind::Any => "any value".to_string(),
            ExprKind::Said(_) => "what annotations say".to_string(),
        }
    }
}

fn without_conversions(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => without_conversions(inner),
        _ => e,
    }
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::BitOr => ("|", 2),
        BinaryOp::BitXor => ("^", 3),
        BinaryOp::BitAnd => ("&", 3),
        BinaryOp::Eq => ("==", 4),
        BinaryOp::Ne => ("!=", 4),
        BinaryOp::Lt => ("<", 5),
        BinaryOp::Le => ("<=", 5),
        BinaryOp::Gt => (">", 5),
        BinaryOp::Ge => (">=", 5),
        BinaryOp::Shl => ("<<", 6),
        BinaryOp::Shr => (">>", 6),
        BinaryOp::Add => ("+", 7),
        BinaryOp::Sub => ("-", 7),
        BinaryOp::Mul => ("*", 8),
        BinaryOp::Div => ("/", 8),
        BinaryOp::Rem => ("%", 8),
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
