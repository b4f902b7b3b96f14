//! Programs as text, with as few parentheses as the reference's table of operators allows, or with
//! parentheses around every operator; both mean the same program.

use crate::tree::{Block, Copies, Edge, Expr, Item, Kind, Stmt, Type, Wild};

/// How many parentheses to print.
#[derive(Clone, Copy, PartialEq)]
enum Parentheses {
    Few,
    All,
}

/// How tightly an expression binds; the numbers go down the reference's table.
const CONDITIONAL: u8 = 0;
const NOT: u8 = 5;
const SUM: u8 = 12;
const UNARY: u8 = 14;
const TIGHTEST: u8 = 15;

fn level_of(op: &str) -> u8 {
    match op {
        "==>" => 1,
        "<==>" => 2,
        "||" => 3,
        "&&" => 4,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "subset" => 6,
        "union" | "inter" | "minus" => 7,
        "|" => 8,
        "^" => 9,
        "&" => 10,
        "<<" | ">>" => 11,
        "+" | "-" => SUM,
        "*" | "/" | "%" => 13,
        other => unreachable!("{other} is no operator"),
    }
}

impl Wild {
    /// The program with few parentheses.
    pub fn to_text(&self) -> String {
        self.print(Parentheses::Few)
    }

    /// The same program with parentheses around every operator.
    pub fn to_text_with_parentheses(&self) -> String {
        self.print(Parentheses::All)
    }

    fn print(&self, parentheses: Parentheses) -> String {
        let mut printer = Printer { text: String::new(), indent: 0, parentheses };
        for item in &self.items {
            printer.item(item);
        }
        printer.text
    }
}

struct Printer {
    text: String,
    indent: usize,
    parentheses: Parentheses,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(name, value) => self.line(&format!("const {name} = {};", self.top(value))),
            Item::Enum(name, members) => self.line(&format!("type {name} = enum {{ {} }};", members.join(", "))),
            Item::Shared(names, ty, init) => {
                self.line(&format!("shared {}: {}{};", names.join(", "), self.ty(ty), self.init(init)));
            }
            Item::Formula(words, e) => self.line(&format!("{words} {};", self.top(e))),
            Item::NoDeadlock => self.line("nodeadlock;"),
            Item::NoRace(names) => self.line(&format!("norace {};", names.join(", "))),
            Item::Thread(name, copies, params, body) => {
                let copies = match copies {
                    Copies::Single => String::new(),
                    Copies::Exactly(count) => format!("[{}]", self.top(count)),
                    Copies::Any => "[*]".to_string(),
                };
                let params: String = params.iter().map(|params| format!("({})", self.params(params))).collect();
                self.block(&format!("thread {name}{copies}{params}"), body);
            }
            Item::Procedure { name, params, result, body } => {
                let declared = |(name, ty): &(String, Type)| format!("{name}: {}", self.ty(ty));
                let result = result.iter().map(|result| format!(" returns ({})", declared(result)));
                let head = format!("proc {name}({}){}", self.params(params), result.collect::<String>());
                self.block(&head, body);
            }
            Item::Contract(word, whose, e) => self.line(&format!("{word} {whose} :: {};", self.top(e))),
            Item::Abstract { thread, idle, nodes, edges } => self.abstract_thread(thread, *idle, nodes, edges),
        }
    }

    fn params(&self, params: &[(String, Type)]) -> String {
        let params: Vec<String> = params.iter().map(|(name, ty)| format!("{name}: {}", self.ty(ty))).collect();
        params.join(", ")
    }

    fn abstract_thread(&mut self, thread: &str, idle: bool, nodes: &[(String, Option<Expr>)], edges: &[Edge]) {
        self.line(&format!("abstract {thread} {{"));
        self.line(&format!("  init {};", nodes[0].0));
        if idle {
            self.line("  idle;");
        }
        for (node, assertion) in nodes {
            match assertion {
                Some(e) => self.line(&format!("  {node}: assert {};", self.top(e))),
                None => self.line(&format!("  {node}:;")),
            }
        }
        for Edge { from, to, frame, formula } in edges {
            let frame: String = frame.iter().map(|names| format!(" [{}]", names.join(", "))).collect();
            let formula: String = formula.iter().map(|e| format!(" {}", self.top(e))).collect();
            self.line(&format!("  {from} -> {to}{frame}{formula};"));
        }
        self.line("}");
    }

    fn init(&self, init: &Option<Expr>) -> String {
        init.iter().map(|e| format!(" = {}", self.top(e))).collect()
    }

    fn block(&mut self, head: &str, body: &Block) {
        self.line(format!("{head} {{").trim_start());
        self.indent += 1;
        for stmt in body {
            self.stmt(stmt);
        }
        self.indent -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let labels: String = stmt.labels.iter().map(|label| format!("{label}: ")).collect();
        match &stmt.kind {
            Kind::Plain(body) => self.block(labels.trim_end(), body),
            Kind::Atomic(body) => self.block(&format!("{labels}atomic"), body),
            Kind::If(test, yes, no) => {
                self.block(&format!("{labels}if ({})", self.top(test)), yes);
                if let Some(no) = no {
                    self.block("else", no);
                }
            }
            Kind::While(test, invariants, body) => {
                self.block(&format!("{labels}while ({}){}", self.top(test), self.invariants(invariants)), body);
            }
            Kind::Loop(invariants, body) => {
                self.block(&format!("{labels}loop{}", self.invariants(invariants)), body);
            }
            Kind::For(name, lo, hi, body) => {
                self.block(&format!("{labels}for {name} in {}..{}", self.sum(lo), self.sum(hi)), body);
            }
            Kind::Choose(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    let head = if index == 0 { format!("{labels}choose") } else { "or".to_string() };
                    self.block(&head, branch);
                }
            }
            _ => self.line(format!("{labels}{}", self.simple(&stmt.kind)).trim_end()),
        }
    }

    fn invariants(&self, invariants: &[Expr]) -> String {
        invariants.iter().map(|e| format!(" invariant {}", self.top(e))).collect()
    }

    /// A statement without blocks; the others are printed by `stmt`.
    fn simple(&self, kind: &Kind) -> String {
        match kind {
            Kind::Skip => "skip;".to_string(),
            Kind::Var(names, ty, init) => format!("var {}: {}{};", names.join(", "), self.ty(ty), self.init(init)),
            Kind::Assign(places, values) => format!("{} = {};", self.list(places), self.list(values)),
            Kind::Simple(word @ ("assert" | "assume" | "await" | "join"), e) => format!("{word} {};", self.top(e)),
            Kind::Simple(word, e) => format!("{word}({});", self.top(e)),
            Kind::Action(frame, formula, assertion) => {
                let assertion: String = assertion.iter().map(|e| format!(" assert {}", self.top(e))).collect();
                format!("action [{}] {}{assertion};", frame.join(", "), self.top(formula))
            }
            Kind::Leave(word) => format!("{word};"),
            Kind::Goto(label) => format!("goto {label};"),
            Kind::Start(result, name, args) => {
                let result: String = result.iter().map(|place| format!("{} = ", self.top(place))).collect();
                format!("{result}start {name}({});", self.list(args))
            }
            Kind::Call(result, name, args) => {
                let result: String = result.iter().map(|place| format!("{} = ", self.top(place))).collect();
                format!("{result}{name}({});", self.list(args))
            }
            Kind::Return(None) => "return;".to_string(),
            Kind::Return(Some(e)) => format!("return {};", self.top(e)),
            Kind::Nothing | Kind::Plain(_) | Kind::Atomic(_) | Kind::If(..) | Kind::While(..) => String::new(),
            Kind::Loop(..) | Kind::Choose(_) | Kind::For(..) => String::new(),
        }
    }

    fn ty(&self, ty: &Type) -> String {
        match ty {
            Type::Word(word) => word.clone(),
            Type::Range(lo, hi) => format!("{}..{}", self.sum(lo), self.sum(hi)),
            Type::Set(element) => format!("set<{}>", self.ty(element)),
            Type::Array(key, element) => format!("[{}]{}", self.ty(key), self.ty(element)),
        }
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.top(e)).collect::<Vec<_>>().join(", ")
    }

    fn top(&self, e: &Expr) -> String {
        self.expr(e, CONDITIONAL)
    }

    /// The bounds of ranges: whatever is looser than a sum is put into parentheses.
    fn sum(&self, e: &Expr) -> String {
        self.expr(e, SUM)
    }

    /// The expression where only what binds at least as tightly as `least` may stand without
    /// parentheses.
    fn expr(&self, e: &Expr, least: u8) -> String {
        let (text, level) = self.with_level(e);
        let bare = level == TIGHTEST || (self.parentheses == Parentheses::Few && level >= least);
        if bare { text } else { format!("({text})") }
    }

    fn with_level(&self, e: &Expr) -> (String, u8) {
        match e {
            Expr::Int(i64::MIN) => (format!("-{} - 1", i64::MAX), SUM),
            Expr::Int(i) => (i.to_string(), if *i < 0 { UNARY } else { TIGHTEST }),
            Expr::Literal { value, hexadecimal: true } => (format!("{value:#x}"), TIGHTEST),
            Expr::Literal { value, hexadecimal: false } => (value.to_string(), TIGHTEST),
            Expr::Name(name) => (name.clone(), TIGHTEST),
            Expr::Star => ("*".to_string(), TIGHTEST),
            Expr::Not(e) => (format!("!{}", self.expr(e, NOT)), NOT),
            Expr::Unary(op, e) => (format!("{op}{}", self.expr(e, TIGHTEST)), UNARY),
            Expr::Binary(op, left, right) => {
                let level = level_of(op);
                let (least_left, least_right) = match *op {
                    "==>" => (level + 1, level),
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "subset" => (level + 1, level + 1),
                    _ => (level, level + 1),
                };
                (format!("{} {op} {}", self.expr(left, least_left), self.expr(right, least_right)), level)
            }
            Expr::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                let text = format!("{} ? {} : {}", self.expr(test, 1), self.expr(yes, 1), self.expr(no, CONDITIONAL));
                (text, CONDITIONAL)
            }
            Expr::Index(array, index) => (format!("{}[{}]", self.expr(array, TIGHTEST), self.top(index)), TIGHTEST),
            Expr::Field(of, field) => (format!("{}.{field}", self.expr(of, TIGHTEST)), TIGHTEST),
            Expr::At(thread, label) => (format!("{}@{label}", self.expr(thread, TIGHTEST)), TIGHTEST),
            Expr::Prime(e) => (format!("{}'", self.expr(e, TIGHTEST)), TIGHTEST),
            Expr::SetLiteral(elements) => (format!("{{{}}}", self.list(elements)), TIGHTEST),
            Expr::Function(function, e) => (format!("{function}({})", self.top(e)), TIGHTEST),
            Expr::Quantified(word, binders, body) => self.quantified(word, binders, body),
        }
    }

    fn quantified(&self, word: &str, binders: &[(String, Type)], body: &Expr) -> (String, u8) {
        let binders: Vec<String> = binders.iter().map(|(name, ty)| format!("{name}: {}", self.ty(ty))).collect();
        let inside = format!("{} :: {}", binders.join(", "), self.top(body));
        match word {
            "count" => (format!("count({inside})"), TIGHTEST),
            _ => (format!("{word} {inside}"), CONDITIONAL),
        }
    }
}
