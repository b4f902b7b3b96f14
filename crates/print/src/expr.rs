//! Expressions with the parentheses they need.

use crate::{location_numbers, show_domain, show_sort};
use std::sync::Arc;
use threadwise_ir::{
    BinaryOp, Binder, Expr, ExprKind, LocationId, Program, Quantifier, RoutineId, Sort, ThreadRef, UnaryOp, VarRef,
};

/// How tightly each kind of expression binds, loosest first, as in the language's grammar.
mod level {
    pub(super) const CONDITIONAL: u8 = 0;
    pub(super) const IMPLIES: u8 = 1;
    pub(super) const IFF: u8 = 2;
    pub(super) const OR: u8 = 3;
    pub(super) const AND: u8 = 4;
    pub(super) const NOT: u8 = 5;
    pub(super) const COMPARISON: u8 = 6;
    pub(super) const SETS: u8 = 7;
    pub(super) const BIT_OR: u8 = 8;
    pub(super) const BIT_XOR: u8 = 9;
    pub(super) const BIT_AND: u8 = 10;
    pub(super) const SHIFT: u8 = 11;
    pub(super) const SUM: u8 = 12;
    pub(super) const PRODUCT: u8 = 13;
    pub(super) const NEGATION: u8 = 14;
    pub(super) const POSTFIX: u8 = 15;
}

/// Prints expressions of one routine, or of properties.
pub(crate) struct ExprPrinter<'a> {
    program: &'a Program,
    routine: Option<RoutineId>,
    bound: Vec<Arc<str>>,
}

impl<'a> ExprPrinter<'a> {
    pub(crate) fn new(program: &'a Program, routine: Option<RoutineId>) -> ExprPrinter<'a> {
        ExprPrinter { program, routine, bound: Vec::new() }
    }

    /// Gives the next bound variable a name.
    pub(crate) fn bind(&mut self, name: Arc<str>) {
        self.bound.push(name);
    }

    pub(crate) fn print(&mut self, e: &Expr) -> String {
        self.at_least(e, level::CONDITIONAL)
    }

    /// The expression, in parentheses if it binds looser than `loosest`.
    fn at_least(&mut self, e: &Expr, loosest: u8) -> String {
        let (text, level) = self.parts(e);
        if level < loosest { format!("({text})") } else { text }
    }

    /// The expression without parentheses, and how tightly it binds.
    fn parts(&mut self, e: &Expr) -> (String, u8) {
        match &e.kind {
            ExprKind::Const(value) => self.constant(*value, &e.sort),
            ExprKind::Thread(id) => {
                let name = self.program.template(*id).name.to_string();
                (name, level::POSTFIX)
            }
            ExprKind::SelfThread => ("self".to_string(), level::POSTFIX),
            ExprKind::Read(var) => (self.var(*var, ""), level::POSTFIX),
            ExprKind::ReadAfter(var) => (self.var(*var, "'"), level::POSTFIX),
            ExprKind::LocalOf(thread, local) => {
                let body = self.program.template(thread.template).body;
                let name = self.program.routine(body).locals[local.index()].name.clone();
                (format!("{}.{name}", self.thread(thread)), level::POSTFIX)
            }
            ExprKind::At(thread, locations) => {
                let label = self.label(locations);
                (format!("{}@{label}", self.thread(thread)), level::POSTFIX)
            }
            ExprKind::Bound(depth) => (self.bound_name(*depth), level::POSTFIX),
            ExprKind::Unary(op, a) => self.unary(*op, a, &e.sort),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                let condition = self.at_least(c, level::IMPLIES);
                let (yes, no) = (self.print(a), self.print(b));
                (format!("{condition} ? {yes} : {no}"), level::CONDITIONAL)
            }
            ExprKind::Index(array, key) => {
                let array = self.at_least(array, level::POSTFIX);
                (format!("{array}[{}]", self.print(key)), level::POSTFIX)
            }
            ExprKind::SetLiteral(elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.print(e)).collect();
                (format!("{{{}}}", elements.join(", ")), level::POSTFIX)
            }
            ExprKind::ArrayLiteral(elements) => (self.array_literal(elements), level::POSTFIX),
            ExprKind::Quantified(quantifier, binder, body) => self.quantified(*quantifier, binder, body),
        }
    }

    fn array_literal(&mut self, elements: &[Expr]) -> String {
        let shown: Vec<String> = elements.iter().map(|e| self.print(e)).collect();
        match &shown[..] {
            [one] => format!("[{one}; all]"),
            all => format!("[{}]", all.join(", ")),
        }
    }

    fn constant(&self, value: i64, sort: &Sort) -> (String, u8) {
        let text = match sort {
            Sort::Bool => (if value == 0 { "false" } else { "true" }).to_string(),
            Sort::Tid if value == 0 => "none".to_string(),
            Sort::Bits(bits) if value < 0 && !bits.signed => bits.number(value).to_string(),
            Sort::Enum(id) => match self.program.enums[id.index()].members.get(value as usize) {
                Some(member) => member.to_string(),
                None => value.to_string(),
            },
            _ if value < 0 => return (value.to_string(), level::NEGATION),
            _ => value.to_string(),
        };
        (text, level::POSTFIX)
    }

    /// The name of a variable with a prime, if any: `x'`, `l.w'`.
    pub(crate) fn var(&self, var: VarRef, prime: &str) -> String {
        let name = match (var, self.routine) {
            (VarRef::Shared(id), _) => &self.program.shared[id.index()].name,
            (VarRef::Local(id), Some(routine)) => &self.program.routine(routine).locals[id.index()].name,
            // Front ends keep locals out of properties; a listing should survive if one does not.
            (VarRef::Local(id), None) => return format!("local{}{prime}", id.0),
        };
        format!("{name}{prime}")
    }

    fn thread(&mut self, thread: &ThreadRef) -> String {
        self.at_least(&thread.thread, level::POSTFIX)
    }

    /// A label that all the locations bear.
    fn label(&self, locations: &[LocationId]) -> String {
        let Some((first, rest)) = locations.split_first() else {
            return "nowhere".to_string();
        };
        let borne_by_all = |l: &&Arc<str>| rest.iter().all(|&o| self.program.location(o).labels.contains(l));
        let labels = &self.program.location(*first).labels;
        match labels.iter().find(borne_by_all) {
            Some(label) => label.to_string(),
            None => location_numbers(self.program)[first.index()].to_string(),
        }
    }

    fn bound_name(&self, depth: u32) -> String {
        match self.bound.get(depth as usize) {
            Some(name) => name.to_string(),
            None => format!("bound{depth}"),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, sort: &Sort) -> (String, u8) {
        match op {
            UnaryOp::Not => (format!("!{}", self.negand(a)), level::NOT),
            UnaryOp::Neg => (format!("-{}", self.at_least(a, level::POSTFIX)), level::NEGATION),
            UnaryOp::Size => (format!("size({})", self.print(a)), level::POSTFIX),
            UnaryOp::Ord => (format!("ord({})", self.print(a)), level::POSTFIX),
            UnaryOp::BitNot => (format!("~{}", self.at_least(a, level::POSTFIX)), level::NEGATION),
            UnaryOp::Convert => (format!("{}({})", show_sort(self.program, sort), self.print(a)), level::POSTFIX),
        }
    }

    /// `!x == y` would be right, but reads wrong to anyone who knows C.
    fn negand(&mut self, a: &Expr) -> String {
        if matches!(a.kind, ExprKind::Unary(UnaryOp::Not, _)) {
            self.print(a)
        } else {
            self.at_least(a, level::POSTFIX)
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (String, u8) {
        let (spelling, own) = operator(op);
        let groups_right = op == BinaryOp::Implies;
        let groups_left = !groups_right && own != level::COMPARISON;
        let left = self.at_least(a, own + u8::from(!groups_left));
        let right = self.at_least(b, own + u8::from(!groups_right));
        (format!("{left} {spelling} {right}"), own)
    }

    /// Binders of the same quantifier share it: `exists i: W, j: W :: e`.
    fn quantified(&mut self, quantifier: Quantifier, binder: &Binder, body: &Expr) -> (String, u8) {
        let depth = self.bound.len();
        let (mut binder, mut body) = (binder, body);
        let mut binders = Vec::new();
        loop {
            let domain = show_domain(self.program, &binder.domain);
            binders.push(format!("{}: {domain}", binder.name));
            self.bind(binder.name.clone());
            match &body.kind {
                ExprKind::Quantified(q, inner, inner_body) if *q == quantifier => {
                    (binder, body) = (inner, inner_body);
                }
                _ => break,
            }
        }
        let inside = format!("{} :: {}", binders.join(", "), self.print(body));
        self.bound.truncate(depth);
        match quantifier {
            Quantifier::Forall => (format!("forall {inside}"), level::CONDITIONAL),
            Quantifier::Exists => (format!("exists {inside}"), level::CONDITIONAL),
            Quantifier::Count => (format!("count({inside})"), level::POSTFIX),
        }
    }
}

/// How an operator is written, and how tightly it binds.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Implies => ("==>", level::IMPLIES),
        BinaryOp::Iff => ("<==>", level::IFF),
        BinaryOp::Or => ("||", level::OR),
        BinaryOp::And => ("&&", level::AND),
        BinaryOp::Eq => ("==", level::COMPARISON),
        BinaryOp::Ne => ("!=", level::COMPARISON),
        BinaryOp::Lt => ("<", level::COMPARISON),
        BinaryOp::Le => ("<=", level::COMPARISON),
        BinaryOp::Gt => (">", level::COMPARISON),
        BinaryOp::Ge => (">=", level::COMPARISON),
        BinaryOp::In => ("in", level::COMPARISON),
        BinaryOp::Subset => ("subset", level::COMPARISON),
        BinaryOp::Union => ("union", level::SETS),
        BinaryOp::Inter => ("inter", level::SETS),
        BinaryOp::Minus => ("minus", level::SETS),
        BinaryOp::Add => ("+", level::SUM),
        BinaryOp::Sub => ("-", level::SUM),
        BinaryOp::Mul => ("*", level::PRODUCT),
        BinaryOp::Div => ("/", level::PRODUCT),
        BinaryOp::Mod => ("%", level::PRODUCT),
        BinaryOp::BitAnd => ("&", level::BIT_AND),
        BinaryOp::BitOr => ("|", level::BIT_OR),
        BinaryOp::BitXor => ("^", level::BIT_XOR),
        BinaryOp::Shl => ("<<", level::SHIFT),
        BinaryOp::Shr => (">>", level::SHIFT),
    }
}
