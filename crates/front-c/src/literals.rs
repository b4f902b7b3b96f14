//! Numbers, characters and strings as they are written.

use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{FloatKind, IntKind, Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{Constant, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize};
use threadwise_memory::code::{Expr, ExprKind, GlobalId, INT, Place, Step, Variable};
use threadwise_source::Span;

impl Elaborator<'_> {
    pub fn literal(&mut self, constant: &Constant, span: Span) -> Fallible<Value> {
        match constant {
            Constant::Integer(integer) => self.integer_literal(integer, span),
            Constant::Float(float) => {
                let kind = match float.suffix.format {
                    FloatFormat::Float => FloatKind::Float,
                    FloatFormat::Double => FloatKind::Double,
                    FloatFormat::LongDouble => FloatKind::LongDouble,
                    FloatFormat::TS18661Format(_) => FloatKind::Float128,
                };
                let ty = Ty::of(Kind::Float(kind));
                let lowered = self.lower(&ty);
                let value: Option<f64> = float.number.parse().ok().filter(|_| float.base == FloatBase::Decimal);
                // Whole numbers are known, so that they can become integers.
                let expr = match value {
                    Some(value) if value.fract() == 0.0 && value.abs() < 1e6 => {
                        fold::float(value as i64, lowered, span)
                    }
                    _ => Expr::new(ExprKind::Any, lowered, span),
                };
                Ok(Value::Scalar(expr, ty))
            }
            Constant::Character(text) => {
                let (bytes, is_wide) = unquoted(text);
                // A character is an `int` with the value of a `char`, which has a sign.
                let value = match (is_wide, bytes.as_slice()) {
                    (false, [byte]) => i64::from(*byte as i8),
                    (false, bytes) => bytes.iter().fold(0i32, |all, byte| all << 8 | i32::from(*byte)).into(),
                    (true, bytes) => {
                        String::from_utf8_lossy(bytes).chars().next().map_or(0, |c| i64::from(u32::from(c)))
                    }
                };
                Ok(self.integer(value, IntKind::Int, span))
            }
        }
    }

    /// The first type of the list of C11 6.4.4.1 that has the number.
    fn integer_literal(&mut self, integer: &Integer, span: Span) -> Fallible<Value> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let Ok(value) = u64::from_str_radix(if integer.number.is_empty() { "0" } else { &integer.number }, radix)
        else {
            return Err(self.error(span, "this number needs more than 64 bits"));
        };
        let signed = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        let least = match integer.suffix.size {
            IntegerSize::Int => 0,
            IntegerSize::Long => 1,
            IntegerSize::LongLong => 2,
        };
        let candidates = signed[least..].iter().flat_map(|kind| {
            let is_signed_only = radix == 10 && !integer.suffix.unsigned;
            let both = [(!integer.suffix.unsigned).then_some(*kind), (!is_signed_only).then_some(kind.unsigned())];
            both.into_iter().flatten()
        });
        let mut candidates = candidates;
        let fits = |kind: &IntKind| kind.bits(self.model).word(i128::from(value)).is_some();
        let kind = candidates.find(fits).unwrap_or(IntKind::UnsignedLongLong);
        Ok(self.integer(value as i64, kind, span))
    }

    pub fn string(&mut self, parts: &[String], span: Span) -> Fallible<Value> {
        let bytes = self.string_bytes(parts, span)?;
        self.string_object(&bytes, span)
    }

    /// The bytes of a string without the zero at its end.
    pub fn string_bytes(&self, parts: &[String], span: Span) -> Fallible<Vec<u8>> {
        let mut bytes = Vec::new();
        for part in parts {
            let (more, is_wide) = unquoted(part);
            if is_wide {
                return Err(self.unsupported(span, "a string of wide characters", "use an array of numbers"));
            }
            bytes.extend(more);
        }
        Ok(bytes)
    }

    /// Equal strings are one object, as compilers may have it.
    pub fn string_object(&mut self, bytes: &[u8], span: Span) -> Fallible<Value> {
        let ty = Ty::int(IntKind::Char).array_of(Some(bytes.len() as u64 + 1));
        let id = match self.strings.get(bytes) {
            Some(id) => *id,
            None if self.unevaluated > 0 => GlobalId(0),
            None => self.new_string(bytes, &ty, span),
        };
        let place = Place::global(id, self.lower(&ty), span);
        Ok(Value::Object(Object { place, ty, bits: None }))
    }

    fn new_string(&mut self, bytes: &[u8], ty: &Ty, span: Span) -> GlobalId {
        let id = GlobalId(self.globals.len() as u32);
        let char_ty = self.lower(&Ty::int(IntKind::Char));
        let nonzero = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let init = nonzero.map(|(index, byte)| {
            let step = Step::Index(Expr::constant(index as i64, INT, span));
            (vec![step], Expr::constant(i64::from(*byte as i8), char_ty.clone(), span))
        });
        let init = init.collect();
        let name = format!("\"{}\"", bytes.escape_ascii());
        self.globals.push(Variable { init, is_read_only: true, ..Variable::new(name.into(), self.lower(ty), span) });
        self.strings.insert(bytes.to_vec(), id);
        id
    }
}

/// What is between quotes, escapes replaced, and whether the characters are wide.
fn unquoted(text: &str) -> (Vec<u8>, bool) {
    let is_wide = text.starts_with(['L', 'u', 'U']) && !text.starts_with("u8");
    let start = text.find(['"', '\'']).map_or(0, |at| at + 1);
    let inner = text.get(start..text.len().saturating_sub(1)).unwrap_or("").as_bytes();
    let mut bytes = Vec::with_capacity(inner.len());
    let mut at = 0;
    while at < inner.len() {
        if inner[at] != b'\\' {
            bytes.push(inner[at]);
            at += 1;
            continue;
        }
        let (byte, used) = escape(&inner[at + 1..]);
        bytes.push(byte);
        at += 1 + used;
    }
    (bytes, is_wide)
}

/// The byte of an escape, and how many characters it takes behind the backslash.
fn escape(rest: &[u8]) -> (u8, usize) {
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = rest[from.min(rest.len())..].iter().take(most).take_while(|c| char::from(**c).is_digit(radix));
        let value = digits
            .clone()
            .fold(0u32, |all, c| all.wrapping_mul(radix).wrapping_add(char::from(*c).to_digit(radix).unwrap_or(0)));
        (value as u8, from + digits.count())
    };
    match rest.first() {
        Some(b'0'..=b'7') => digits(0, 3, 8),
        Some(b'x') => digits(1, usize::MAX, 16),
        Some(b'n') => (b'\n', 1),
        Some(b't') => (b'\t', 1),
        Some(b'r') => (b'\r', 1),
        Some(b'a') => (7, 1),
        Some(b'b') => (8, 1),
        Some(b'f') => (12, 1),
        Some(b'v') => (11, 1),
        Some(b'e') => (27, 1),
        Some(other) => (*other, 1),
        None => (b'\\', 0),
    }
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn escapes_are_bytes() {
        assert_eq!(unquoted(r#""a\n\0\x41\101\"""#), (vec![b'a', b'\n', 0, b'A', b'A', b'"'], false));
        assert_eq!(unquoted(r"'\''"), (vec![b'\''], false));
        assert_eq!(unquoted("L'x'"), (vec![b'x'], true));
    }
}
