//! Terms as SMT-LIB 2 text.

use crate::{Connective, Kind, Quantifier, SmtSort, Term, Var};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// What variables are called in SMT-LIB, bars included where they are needed.
pub trait Names {
    /// The name of a variable.
    fn name(&self, var: Var) -> String;
}

impl<F: Fn(Var) -> String> Names for F {
    fn name(&self, var: Var) -> String {
        self(var)
    }
}

/// Variables are called by their numbers.
pub struct Numbered;

impl Names for Numbered {
    fn name(&self, var: Var) -> String {
        format!("v{}", var.0)
    }
}

/// In terms with more nodes than this, parts that occur several times are written once.
const SMALL: usize = 1000;

/// The term as SMT-LIB.
pub fn write_term(term: &Term, names: &dyn Names) -> String {
    let mut writer = Writer { out: String::new(), names, shared: FxHashMap::default(), count: 0 };
    writer.whole(term);
    writer.out
}

/// A name as SMT-LIB: with bars around it if it needs them.
pub fn symbol(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let starts_well = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if starts_well && name.chars().all(is_plain) { name.to_string() } else { format!("|{name}|") }
}

struct Writer<'a> {
    out: String,
    names: &'a dyn Names,
    /// The numbers of parts that have been written before.
    shared: FxHashMap<Term, usize>,
    count: usize,
}

impl Writer<'_> {
    /// A whole term, or the body of a quantifier: only there parts may be named that speak of what is bound.
    fn whole(&mut self, term: &Term) {
        if term.size(SMALL + 1) <= SMALL {
            return self.term(term);
        }
        let outer = std::mem::take(&mut self.shared);
        let (mut counts, mut order) = (FxHashMap::default(), Vec::new());
        count(term, &mut counts, &mut order);
        let mut open = 0;
        for part in order.into_iter().filter(|part| counts[part] > 1) {
            self.count += 1;
            let _ = write!(self.out, "(let ((s!{} ", self.count);
            let number = self.count;
            self.term(&part);
            self.out.push_str(")) ");
            self.shared.insert(part, number);
            open += 1;
        }
        self.term(term);
        self.out.push_str(&")".repeat(open));
        self.shared = outer;
    }

    fn term(&mut self, term: &Term) {
        if let Some(number) = self.shared.get(term) {
            let _ = write!(self.out, "s!{number}");
            return;
        }
        match term.kind() {
            Kind::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Kind::Int(value) => self.number(*value),
            Kind::Bits(bits) => {
                let _ = write!(self.out, "(_ bv{} {})", bits.unsigned(), bits.width());
            }
            Kind::Var(var, _) => self.out.push_str(&self.names.name(*var)),
            Kind::Apply(name, args, _) if args.is_empty() => self.out.push_str(&symbol(name)),
            Kind::Apply(name, args, _) => self.list(&symbol(name), args),
            Kind::Sum(parts) => self.list("+", parts),
            Kind::Scale(-1, a) => self.list("-", [a]),
            Kind::Scale(factor, a) => {
                self.out.push_str("(* ");
                self.number(*factor);
                self.out.push(' ');
                self.term(a);
                self.out.push(')');
            }
            Kind::Product(a, b) => self.list("*", [a, b]),
            Kind::Div(a, b) => self.list("div", [a, b]),
            Kind::Mod(a, b) => self.list("mod", [a, b]),
            Kind::Ite(c, a, b) => self.list("ite", [c, a, b]),
            Kind::Le(a, b) => self.list("<=", [a, b]),
            Kind::Eq(a, b) | Kind::Iff(a, b) => self.list("=", [a, b]),
            Kind::Not(a) => self.list("not", [a]),
            Kind::And(parts) => self.list("and", parts),
            Kind::Or(parts) => self.list("or", parts),
            Kind::Select(a, key) => self.list("select", [a, key]),
            Kind::Store(a, key, value) => self.list("store", [a, key, value]),
            Kind::Filled(_, element) => {
                let sort = term.sort();
                self.list(&format!("(as const {sort})"), [element]);
            }
            Kind::Map(connective, arrays) => {
                let operator = match connective {
                    Connective::And => "(_ map and)",
                    Connective::Or => "(_ map or)",
                    Connective::Not => "(_ map not)",
                };
                self.list(operator, arrays);
            }
            Kind::Quantified(quantifier, bound, body, patterns) => self.quantified(*quantifier, bound, body, patterns),
            Kind::Operation(op, operands) => self.list(&op.symbol(), operands),
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        bound: &[(std::rc::Rc<str>, SmtSort)],
        body: &Term,
        patterns: &[Term],
    ) {
        let word = match quantifier {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
        };
        let bound: Vec<String> = bound.iter().map(|(name, sort)| format!("({} {sort})", symbol(name))).collect();
        let _ = write!(self.out, "({word} ({}) ", bound.join(" "));
        let outer = std::mem::take(&mut self.shared);
        if !patterns.is_empty() {
            self.out.push_str("(! ");
        }
        self.whole(body);
        for pattern in patterns {
            self.out.push_str(" :pattern (");
            self.whole(pattern);
            self.out.push(')');
        }
        self.out.push_str(if patterns.is_empty() { ")" } else { "))" });
        self.shared = outer;
    }

    fn list<'t>(&mut self, operator: &str, parts: impl IntoIterator<Item = &'t Term>) {
        let _ = write!(self.out, "({operator}");
        for part in parts {
            self.out.push(' ');
            self.term(part);
        }
        self.out.push(')');
    }

    fn number(&mut self, value: i64) {
        let _ = if value < 0 { write!(self.out, "(- {})", value.unsigned_abs()) } else { write!(self.out, "{value}") };
    }
}

/// How often each part occurs, up to where quantifiers begin; parts come after what they are made of.
fn count(term: &Term, counts: &mut FxHashMap<Term, usize>, order: &mut Vec<Term>) {
    if term.size(2) < 2 {
        return;
    }
    let times = counts.entry(term.clone()).or_insert(0);
    *times += 1;
    if *times == 1 {
        if !matches!(term.kind(), Kind::Quantified(..)) {
            term.kind().for_each_child(&mut |part| count(part, counts, order));
        }
        order.push(term.clone());
    }
}
