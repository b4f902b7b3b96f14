//! Expressions in files. A file may come from anywhere, so reading one checks names and sorts: what
//! comes out is as well-sorted as what front ends produce.
//!
//! | expression | JSON |
//! |---|---|
//! | `true`, `3`, `self` | `true`, `3`, `"self"` |
//! | 3 of a machine integer's type | `["bits", "u8", 3]` |
//! | `none`, a member, a thread | `["none"]`, `["member", "Color", "red"]`, `["thread", "P"]` |
//! | shared variables | `["shared", "x"]`, `["shared'", "x"]` |
//! | locals, which may have one name several times | `["local", 2]`, `["local'", 2]` |
//! | bound variables | `["bound", 0]` |
//! | operators | `["!", a]`, `["&&", a, b]`, `["?:", c, a, b]`, `["[]", a, i]`, … |
//! | `u8(a)` | `["convert", SORT, a]` |
//! | `{a, b}` | `["set", SORT, a, b]` |
//! | quantifiers | `["forall", "i", DOMAIN, e]` |
//!
//! A sort is `"bool"`, `"int"`, `"u8"` or another machine integer, `"tid"`, `["range", 0, 3]`, `["enum", "Color"]`, `["set", SORT]` or
//! `["array", SORT, SORT]`; a domain is a sort or `["copies", "W"]`.

use crate::value::{decode_machine, machine_json};
use serde_json::{Value, json};
use std::sync::Arc;
use threadwise_evidence::FileError;
use threadwise_ir::{
    BinaryOp, Binder, Bits, Domain, EnumId, Expr, ExprKind, LocalId, Program, Quantifier, RoutineId, SharedId, Sort,
    SortRef, TemplateId, UnaryOp, VarRef,
};
use threadwise_source::Span;

const UNARY: [(UnaryOp, &str); 6] = [
    (UnaryOp::Not, "!"),
    (UnaryOp::Neg, "neg"),
    (UnaryOp::Size, "size"),
    (UnaryOp::Ord, "ord"),
    (UnaryOp::BitNot, "~"),
    (UnaryOp::Convert, CONVERT),
];

const CONVERT: &str = "convert";

const BINARY: [(BinaryOp, &str); 25] = [
    (BinaryOp::Implies, "==>"),
    (BinaryOp::Iff, "<==>"),
    (BinaryOp::Or, "||"),
    (BinaryOp::And, "&&"),
    (BinaryOp::Eq, "=="),
    (BinaryOp::Ne, "!="),
    (BinaryOp::Lt, "<"),
    (BinaryOp::Le, "<="),
    (BinaryOp::Gt, ">"),
    (BinaryOp::Ge, ">="),
    (BinaryOp::In, "in"),
    (BinaryOp::Subset, "subset"),
    (BinaryOp::Union, "union"),
    (BinaryOp::Inter, "inter"),
    (BinaryOp::Minus, "minus"),
    (BinaryOp::Add, "+"),
    (BinaryOp::Sub, "-"),
    (BinaryOp::Mul, "*"),
    (BinaryOp::Div, "/"),
    (BinaryOp::Mod, "%"),
    (BinaryOp::BitAnd, "&"),
    (BinaryOp::BitOr, "|"),
    (BinaryOp::BitXor, "^"),
    (BinaryOp::Shl, "<<"),
    (BinaryOp::Shr, ">>"),
];

const QUANTIFIERS: [(Quantifier, &str); 3] =
    [(Quantifier::Forall, "forall"), (Quantifier::Exists, "exists"), (Quantifier::Count, "count")];

fn name_of<T: PartialEq + Copy>(table: &[(T, &'static str)], wanted: T) -> &'static str {
    table.iter().find(|(op, _)| *op == wanted).map_or("", |(_, name)| name)
}

/// An expression as JSON. What speaks of other threads' locals and locations becomes `null`.
pub fn expr_json(program: &Program, e: &Expr) -> Value {
    let sub = |e: &Expr| expr_json(program, e);
    match &e.kind {
        ExprKind::Const(value) => match &*e.sort {
            Sort::Bool => json!(*value != 0),
            Sort::Tid => json!(["none"]),
            Sort::Enum(id) => {
                let def = &program.enums[id.index()];
                json!(["member", *def.name, *def.members[*value as usize]])
            }
            Sort::Bits(bits) => json!(["bits", bits.to_string(), machine_json(*bits, *value)]),
            _ => json!(value),
        },
        ExprKind::Thread(template) => json!(["thread", *program.template(*template).name]),
        ExprKind::SelfThread => json!("self"),
        ExprKind::Read(VarRef::Shared(id)) => json!(["shared", *program.shared[id.index()].name]),
        ExprKind::ReadAfter(VarRef::Shared(id)) => json!(["shared'", *program.shared[id.index()].name]),
        ExprKind::Read(VarRef::Local(id)) => json!(["local", id.0]),
        ExprKind::ReadAfter(VarRef::Local(id)) => json!(["local'", id.0]),
        ExprKind::Bound(depth) => json!(["bound", depth]),
        ExprKind::Unary(UnaryOp::Convert, a) => json!([CONVERT, sort_json(program, &e.sort), sub(a)]),
        ExprKind::Unary(op, a) => json!([name_of(&UNARY, *op), sub(a)]),
        ExprKind::Binary(op, a, b) => json!([name_of(&BINARY, *op), sub(a), sub(b)]),
        ExprKind::Conditional(parts) => {
            let [c, a, b] = &**parts;
            json!(["?:", sub(c), sub(a), sub(b)])
        }
        ExprKind::Index(a, i) => json!(["[]", sub(a), sub(i)]),
        ExprKind::SetLiteral(elements) => {
            let head = [json!("set"), sort_json(program, &e.sort)];
            Value::Array(head.into_iter().chain(elements.iter().map(sub)).collect())
        }
        ExprKind::Quantified(q, binder, body) => {
            let domain = match &binder.domain {
                Domain::Sort(sort) => sort_json(program, sort),
                Domain::Copies(template) => json!(["copies", *program.template(*template).name]),
            };
            json!([name_of(&QUANTIFIERS, *q), *binder.name, domain, sub(body)])
        }
        ExprKind::LocalOf(..) | ExprKind::At(..) => Value::Null,
    }
}

fn sort_json(program: &Program, sort: &Sort) -> Value {
    match sort {
        Sort::Bool => json!("bool"),
        Sort::Int => json!("int"),
        Sort::Tid => json!("tid"),
        Sort::Range(low, high) => json!(["range", low, high]),
        Sort::Bits(bits) => json!(bits.to_string()),
        Sort::Enum(id) => json!(["enum", *program.enums[id.index()].name]),
        Sort::Set(element) => json!(["set", sort_json(program, element)]),
        Sort::Array(key, element) => json!(["array", sort_json(program, key), sort_json(program, element)]),
    }
}

/// An expression from JSON, over the shared variables and the locals of a routine, if one is given.
pub fn decode_expr(program: &Program, routine: Option<RoutineId>, value: &Value) -> Result<Expr, FileError> {
    Decoder { program, routine, bound: Vec::new() }.expr(value)
}

struct Decoder<'a> {
    program: &'a Program,
    routine: Option<RoutineId>,
    bound: Vec<Sort>,
}

type Decoded<T> = Result<T, FileError>;

fn wrong<T>(what: &str, value: &Value) -> Decoded<T> {
    Err(FileError::new(format!("`{value}` is not {what}")))
}

fn made(kind: ExprKind, sort: impl Into<SortRef>) -> Expr {
    Expr::new(kind, sort, Span::new(0, 0))
}

impl Decoder<'_> {
    fn expr(&mut self, value: &Value) -> Decoded<Expr> {
        match value {
            Value::Bool(truth) => Ok(Expr::bool(*truth, Span::new(0, 0))),
            Value::Number(n) => match n.as_i64() {
                Some(n) => Ok(made(ExprKind::Const(n), Sort::Int)),
                None => wrong("a number of 64 bits", value),
            },
            Value::String(word) if word == "self" => Ok(made(ExprKind::SelfThread, Sort::Tid)),
            Value::Array(parts) => match parts.split_first() {
                Some((Value::String(head), rest)) => self.form(head, rest, value),
                _ => wrong("an expression", value),
            },
            _ => wrong("an expression", value),
        }
    }

    fn form(&mut self, head: &str, rest: &[Value], whole: &Value) -> Decoded<Expr> {
        match (head, rest) {
            ("none", []) => Ok(made(ExprKind::Const(0), Sort::Tid)),
            ("member", [Value::String(of), Value::String(member)]) => self.member(of, member, whole),
            ("bits", [Value::String(kind), number]) => match machine(kind) {
                Some(bits) => Ok(made(ExprKind::Const(decode_machine(bits, number)?), Sort::Bits(bits))),
                None => wrong("a machine integer", whole),
            },
            (CONVERT, [sort, a]) => self.convert(sort, a, whole),
            ("thread", [name]) => Ok(made(ExprKind::Thread(self.template(name)?), Sort::Tid)),
            ("shared" | "shared'", [Value::String(name)]) => {
                let found = self.program.shared.iter().position(|var| &*var.name == name);
                let Some(index) = found else { return wrong("a shared variable", whole) };
                let var = VarRef::Shared(SharedId(index as u32));
                Ok(made(read(head, var), self.program.shared[index].sort.clone()))
            }
            ("local" | "local'", [Value::Number(n)]) => {
                let locals = self.routine.map_or(&[][..], |routine| &self.program.routine(routine).locals);
                let found = n.as_u64().and_then(|n| Some((n as u32, locals.get(usize::try_from(n).ok()?)?)));
                let Some((index, local)) = found else { return wrong("a local variable", whole) };
                Ok(made(read(head, VarRef::Local(LocalId(index))), local.sort.clone()))
            }
            ("bound", [Value::Number(n)]) => {
                let found = n.as_u64().and_then(|n| Some((n as u32, self.bound.get(usize::try_from(n).ok()?)?)));
                let Some((depth, sort)) = found else { return wrong("a bound variable", whole) };
                Ok(made(ExprKind::Bound(depth), sort.clone()))
            }
            ("?:", [c, a, b]) => self.conditional(c, a, b, whole),
            ("[]", [array, key]) => self.index(array, key, whole),
            ("set", [sort, elements @ ..]) => self.set(sort, elements, whole),
            (_, [name, domain, body]) => self.quantified(head, name, domain, body, whole),
            (_, [a]) => self.unary(head, a, whole),
            (_, [a, b]) => self.binary(head, a, b, whole),
            _ => wrong("an expression", whole),
        }
    }

    fn member(&self, of: &str, member: &str, whole: &Value) -> Decoded<Expr> {
        let position = self.program.enums.iter().position(|def| &*def.name == of);
        let found = position.and_then(|id| {
            let index = self.program.enums[id].members.iter().position(|name| &**name == member)?;
            Some(Expr::member(EnumId(id as u32), index, Span::new(0, 0)))
        });
        found.map_or_else(|| wrong("a member of an enumeration", whole), Ok)
    }

    fn template(&self, name: &Value) -> Decoded<TemplateId> {
        let found = self.program.templates.iter().position(|t| name.as_str() == Some(&t.name));
        found.map_or_else(|| wrong("a thread", name), |index| Ok(TemplateId(index as u32)))
    }

    fn conditional(&mut self, c: &Value, a: &Value, b: &Value, whole: &Value) -> Decoded<Expr> {
        let (c, a, b) = (self.of_sort(&Sort::Bool, c)?, self.expr(a)?, self.expr(b)?);
        if !comparable(&a.sort, &b.sort) {
            return wrong("well-sorted", whole);
        }
        let sort = if a.sort == b.sort { a.sort } else { Sort::Int.into() };
        Ok(made(ExprKind::Conditional(Box::new([c, a, b])), sort))
    }

    fn index(&mut self, array: &Value, key: &Value, whole: &Value) -> Decoded<Expr> {
        let (array, key) = (self.expr(array)?, self.expr(key)?);
        match *array.sort {
            Sort::Array(keys, element) if comparable(&keys, &key.sort) => {
                Ok(made(ExprKind::Index(Box::new(array), Box::new(key)), element))
            }
            _ => wrong("well-sorted", whole),
        }
    }

    fn set(&mut self, sort: &Value, elements: &[Value], whole: &Value) -> Decoded<Expr> {
        let sort = self.sort(sort)?;
        let Sort::Set(element) = &sort else { return wrong("well-sorted", whole) };
        let elements = elements.iter().map(|e| self.of_sort(element, e)).collect::<Decoded<Vec<Expr>>>()?;
        Ok(made(ExprKind::SetLiteral(elements.into()), sort))
    }

    fn quantified(&mut self, head: &str, name: &Value, domain: &Value, body: &Value, whole: &Value) -> Decoded<Expr> {
        let found = QUANTIFIERS.iter().find(|(_, name)| *name == head);
        let (Some((q, _)), Value::String(name)) = (found, name) else { return wrong("an expression", whole) };
        let domain = match domain.as_array().map(Vec::as_slice) {
            Some([Value::String(copies), template]) if copies == "copies" => Domain::Copies(self.template(template)?),
            _ => Domain::Sort(self.sort(domain)?),
        };
        if matches!(domain.sort(), Sort::Int | Sort::Set(_) | Sort::Array(..)) {
            return wrong("a domain", whole);
        }
        self.bound.push(domain.sort());
        let body = self.expr(body);
        self.bound.pop();
        let body = body?;
        let fits = body.sort == Sort::Bool || (*q == Quantifier::Count && body.sort.is_numeric());
        if !fits {
            return wrong("well-sorted", whole);
        }
        let sort = if *q == Quantifier::Count { Sort::Int } else { Sort::Bool };
        let binder = Binder { name: Arc::from(name.as_str()), domain };
        Ok(made(ExprKind::Quantified(*q, Box::new(binder), Box::new(body)), sort))
    }

    fn unary(&mut self, head: &str, a: &Value, whole: &Value) -> Decoded<Expr> {
        let Some((op, _)) = UNARY.iter().find(|(_, name)| *name == head) else { return wrong("an expression", whole) };
        let a = self.expr(a)?;
        let (fits, sort) = match op {
            UnaryOp::Not => (a.sort == Sort::Bool, Sort::Bool),
            UnaryOp::Neg => (a.sort.is_integer(), arithmetic_sort(&a)),
            UnaryOp::BitNot => (a.sort.bits().is_some(), Sort::clone(&a.sort)),
            // It has its sort beside it.
            UnaryOp::Convert => (false, Sort::Int),
            UnaryOp::Size => (matches!(*a.sort, Sort::Set(_)), Sort::Int),
            UnaryOp::Ord => (a.sort == Sort::Tid, Sort::Int),
        };
        if fits { Ok(made(ExprKind::Unary(*op, Box::new(a)), sort)) } else { wrong("well-sorted", whole) }
    }

    fn binary(&mut self, head: &str, a: &Value, b: &Value, whole: &Value) -> Decoded<Expr> {
        use BinaryOp::*;
        let Some((op, _)) = BINARY.iter().find(|(_, name)| *name == head) else { return wrong("an expression", whole) };
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        let (fits, sort) = match op {
            Implies | Iff | Or | And => (a.sort == Sort::Bool && b.sort == Sort::Bool, Sort::Bool),
            Eq | Ne => (comparable(&a.sort, &b.sort), Sort::Bool),
            Lt | Le | Gt | Ge => (a.sort.is_integer() && comparable(&a.sort, &b.sort), Sort::Bool),
            In => (matches!(&*b.sort, Sort::Set(element) if comparable(element, &a.sort)), Sort::Bool),
            Subset => (matches!(*a.sort, Sort::Set(_)) && a.sort == b.sort, Sort::Bool),
            Union | Inter | Minus => (matches!(*a.sort, Sort::Set(_)) && a.sort == b.sort, Sort::clone(&a.sort)),
            Add | Sub | Mul | Div | Mod => (a.sort.is_integer() && comparable(&a.sort, &b.sort), arithmetic_sort(&a)),
            BitAnd | BitOr | BitXor => (a.sort.bits().is_some() && a.sort == b.sort, Sort::clone(&a.sort)),
            Shl | Shr => (a.sort.bits().is_some() && b.sort.is_integer(), Sort::clone(&a.sort)),
        };
        if fits { Ok(Expr::binary(*op, a, b, sort)) } else { wrong("well-sorted", whole) }
    }

    fn convert(&mut self, sort: &Value, a: &Value, whole: &Value) -> Decoded<Expr> {
        let (sort, a) = (self.sort(sort)?, self.expr(a)?);
        let fits = a.sort.is_integer() && (sort == Sort::Int || sort.bits().is_some());
        if fits { Ok(a.converted(sort, Span::new(0, 0))) } else { wrong("well-sorted", whole) }
    }

    fn of_sort(&mut self, sort: &Sort, value: &Value) -> Decoded<Expr> {
        let e = self.expr(value)?;
        if comparable(sort, &e.sort) { Ok(e) } else { wrong("well-sorted", value) }
    }

    fn sort(&self, value: &Value) -> Decoded<Sort> {
        if let Some(word) = value.as_str() {
            return match word {
                "bool" => Ok(Sort::Bool),
                "int" => Ok(Sort::Int),
                "tid" => Ok(Sort::Tid),
                _ => machine(word).map(Sort::Bits).map_or_else(|| wrong("a sort", value), Ok),
            };
        }
        match value.as_array().map(Vec::as_slice) {
            Some([Value::String(head), rest @ ..]) => match (head.as_str(), rest) {
                ("range", [low, high]) => match (low.as_i64(), high.as_i64()) {
                    (Some(low), Some(high)) if low <= high => Ok(Sort::Range(low, high)),
                    _ => wrong("a sort", value),
                },
                ("enum", [name]) => {
                    let found = self.program.enums.iter().position(|def| name.as_str() == Some(&def.name));
                    found.map_or_else(|| wrong("a sort", value), |id| Ok(Sort::Enum(EnumId(id as u32))))
                }
                ("set", [element]) => Ok(Sort::set(self.key_sort(element)?)),
                ("array", [key, element]) => Ok(Sort::array(self.key_sort(key)?, self.sort(element)?)),
                _ => wrong("a sort", value),
            },
            _ => wrong("a sort", value),
        }
    }

    fn key_sort(&self, value: &Value) -> Decoded<Sort> {
        match self.sort(value)? {
            Sort::Int | Sort::Set(_) | Sort::Array(..) => wrong("a finite scalar sort", value),
            sort => Ok(sort),
        }
    }
}

fn read(head: &str, var: VarRef) -> ExprKind {
    if head.ends_with('\'') { ExprKind::ReadAfter(var) } else { ExprKind::Read(var) }
}

/// The kind of machine integer with this name: `u8`, `i64`.
fn machine(name: &str) -> Option<Bits> {
    let signed = name.starts_with('i');
    let width =
        name.strip_prefix(if signed { 'i' } else { 'u' })?.parse().ok().filter(|width| (1..=64).contains(width))?;
    let bits = Bits { width, signed };
    (bits.to_string() == name).then_some(bits)
}

/// The sort of a sum, a product and their like.
fn arithmetic_sort(operand: &Expr) -> Sort {
    operand.sort.bits().map_or(Sort::Int, Sort::Bits)
}

/// Whether values of the two sorts can be compared.
fn comparable(a: &Sort, b: &Sort) -> bool {
    a == b || (a.is_numeric() && b.is_numeric())
}
