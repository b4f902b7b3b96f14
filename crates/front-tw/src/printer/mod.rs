//! Syntax tree → canonical, indented source text.
//!
//! Parsing what was printed gives the same tree up to spans, for every tree the parser can build.
//! Trees built by hand may hold what no text stands for: [`ExprKind::Error`](crate::ast::ExprKind)
//! (printed as `<error>`), or negative literals (printed as a negation).

mod expressions;

use crate::ast::*;
use expressions::{expression, expressions, ty};
use std::fmt::Write;

/// The source text of a module.
pub fn print(module: &Module) -> String {
    let mut printer = Printer { text: String::new(), indentation: 0 };
    for item in &module.items {
        printer.item(&item.kind);
    }
    printer.text
}

/// The text so far and how far the next line is indented.
struct Printer {
    text: String,
    indentation: usize,
}

impl Printer {
    /// One line; `parts` are joined without anything between them.
    fn line(&mut self, parts: &[&str]) {
        let width = 2 * self.indentation;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:width$}{}", "", parts.concat());
    }

    fn item(&mut self, item: &ItemKind) {
        match item {
            ItemKind::Const(name, value) => {
                self.line(&["const ", &name.text, " = ", &expression(value), ";"]);
            }
            ItemKind::Enum(name, members) => {
                self.line(&["type ", &name.text, " = enum { ", &names(members), " };"]);
            }
            ItemKind::Record(name, fields) => {
                self.line(&["type ", &name.text, " = record { ", &parameters(fields), " };"]);
            }
            ItemKind::Function(function) => self.function(function),
            ItemKind::Shared(variables) => self.line(&["shared ", &variable_list(variables), ";"]),
            ItemKind::Init(formula) => self.line(&["init ", &expression(formula), ";"]),
            ItemKind::Thread(thread) => self.thread(thread),
            ItemKind::Proc(procedure) => self.procedure(procedure),
            ItemKind::Invariant(name, formula) => self.named_property("invariant ", name.as_ref(), formula),
            ItemKind::Never(name, formula) => self.named_property("never ", name.as_ref(), formula),
            ItemKind::Exceptions(formula) => self.line(&["exceptions ", &expression(formula), ";"]),
            ItemKind::NoRace(watched) => {
                let shown = |watched: &Watched| format!("{}{}", watched.name.text, "[*]".repeat(watched.depth));
                let all: Vec<String> = watched.iter().map(shown).collect();
                self.line(&["norace ", &all.join(", "), ";"]);
            }
            ItemKind::NoDeadlock => self.line(&["nodeadlock;"]),
            ItemKind::Rely(contract) => self.contract("rely ", contract),
            ItemKind::Guarantee(contract) => self.contract("guarantee ", contract),
            ItemKind::Abstract(thread) => self.abstract_thread(thread),
        }
    }

    fn named_property(&mut self, word: &str, name: Option<&Name>, formula: &Expr) {
        let name = name.map_or(String::new(), |name| format!("{}: ", name.text));
        self.line(&[word, &name, &expression(formula), ";"]);
    }

    fn thread(&mut self, thread: &Thread) {
        let copies = match &thread.copies {
            Copies::Single => String::new(),
            Copies::Exactly(number) => format!("[{}]", expression(number)),
            Copies::Any => "[*]".to_string(),
        };
        let params = thread.params.as_ref().map_or(String::new(), |params| format!("({})", parameters(params)));
        self.with_block(&["thread ", &thread.name.text, &copies, &params, " "], &thread.body);
    }

    fn procedure(&mut self, procedure: &Proc) {
        let result = procedure.result.as_ref();
        let result = result.map_or(String::new(), |r| format!("returns ({}) ", parameter(r)));
        let params = parameters(&procedure.params);
        let head = ["proc ", &procedure.name.text, "(", &params, ") ", &result];
        self.with_block(&head, &procedure.body);
    }

    fn function(&mut self, function: &Function) {
        let (name, params) = (&function.name.text, parameters(&function.params));
        self.line(&["fun ", name, "(", &params, "): ", &ty(&function.result), " = ", &expression(&function.body), ";"]);
    }

    fn contract(&mut self, keyword: &str, contract: &Contract) {
        let subject = match &contract.subject {
            ContractSubject::Every(binder) => {
                format!("forall {}: {}", binder.name.text, ty(&binder.ty))
            }
            ContractSubject::Thread(name) => name.text.clone(),
        };
        self.line(&[keyword, &subject, " :: ", &expression(&contract.formula), ";"]);
    }

    fn abstract_thread(&mut self, thread: &AbstractThread) {
        self.line(&["abstract ", &thread.name.text, " {"]);
        self.indentation += 1;
        if !thread.init.is_empty() {
            self.line(&["init ", &names(&thread.init), ";"]);
        }
        if thread.idle {
            self.line(&["idle;"]);
        }
        for node in &thread.nodes {
            let assertion = node.assertion.as_ref();
            let assertion = assertion.map_or(String::new(), |e| format!(" assert {}", expression(e)));
            self.line(&[&node.name.text, ":", &assertion, ";"]);
        }
        for edge in &thread.edges {
            let frame = edge.frame.as_ref();
            let frame = frame.map_or(String::new(), |f| format!(" [{}]", expressions(f)));
            let formula = edge.formula.as_ref();
            let formula = formula.map_or(String::new(), |e| format!(" {}", expression(e)));
            self.line(&[&edge.from.text, " -> ", &edge.to.text, &frame, &formula, ";"]);
        }
        self.indentation -= 1;
        self.line(&["}"]);
    }

    /// A head, ending with a space, and its block.
    fn with_block(&mut self, head: &[&str], block: &Block) {
        self.line(&[&head.concat(), "{"]);
        self.inside(block);
        self.line(&["}"]);
    }

    fn inside(&mut self, block: &Block) {
        self.indentation += 1;
        for stmt in &block.stmts {
            self.statement(stmt);
        }
        self.indentation -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        let labels: String = stmt.labels.iter().map(|label| format!("{}: ", label.text)).collect();
        match &stmt.kind {
            StmtKind::Empty if labels.is_empty() => {}
            StmtKind::Empty => self.line(&[labels.trim_end()]),
            StmtKind::Block(block) => self.with_block(&[&labels], block),
            StmtKind::Atomic(block) => self.with_block(&[&labels, "atomic "], block),
            StmtKind::If(condition, yes, no) => self.if_statement(labels, condition, yes, no.as_ref()),
            StmtKind::While(condition, invariants, body) => {
                let head = format!("{labels}while ({})", condition_text(condition));
                self.loop_statement(&head, invariants, body);
            }
            StmtKind::Loop(invariants, body) => {
                self.loop_statement(&format!("{labels}loop"), invariants, body);
            }
            StmtKind::Choose(branches) => self.branches(&format!("{labels}choose"), branches),
            StmtKind::Select(branches) => self.branches(&format!("{labels}select"), branches),
            StmtKind::ForCopies(name, thread, body) => {
                self.with_block(&[&labels, "for ", &name.text, " in ", &thread.text, " "], body);
            }
            StmtKind::For(name, low, high, body) => {
                let range = format!("{}..{} ", expressions::bound(low), expressions::bound(high));
                self.with_block(&[&labels, "for ", &name.text, " in ", &range], body);
            }
            simple => self.line(&[&labels, &simple_statement(simple), ";"]),
        }
    }

    /// An `else` block that is just an `if` goes on as `else if`.
    fn if_statement(&mut self, labels: String, condition: &Cond, yes: &Block, no: Option<&Block>) {
        self.line(&[&labels, "if (", &condition_text(condition), ") {"]);
        self.inside(yes);
        let mut rest = no;
        while let Some(block) = rest {
            rest = match &block.stmts[..] {
                [Stmt { labels, kind: StmtKind::If(condition, yes, no), .. }] if labels.is_empty() => {
                    self.line(&["} else if (", &condition_text(condition), ") {"]);
                    self.inside(yes);
                    no.as_ref()
                }
                _ => {
                    self.line(&["} else {"]);
                    self.inside(block);
                    None
                }
            };
        }
        self.line(&["}"]);
    }

    fn loop_statement(&mut self, head: &str, invariants: &[Expr], body: &Block) {
        if invariants.is_empty() {
            return self.with_block(&[head, " "], body);
        }
        self.line(&[head]);
        self.indentation += 1;
        for invariant in invariants {
            self.line(&["invariant ", &expression(invariant)]);
        }
        self.indentation -= 1;
        self.with_block(&[], body);
    }

    fn branches(&mut self, head: &str, branches: &[Block]) {
        let mut head = format!("{head} {{");
        for branch in branches {
            self.line(&[&head]);
            self.inside(branch);
            head = "} or {".to_string();
        }
        self.line(&["}"]);
    }
}

/// A statement that ends with a semicolon, without it.
fn simple_statement(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Skip => "skip".to_string(),
        StmtKind::Break => "break".to_string(),
        StmtKind::Continue => "continue".to_string(),
        StmtKind::Var(variables) => format!("var {}", variable_list(variables)),
        StmtKind::Assign(targets, values) => {
            let values: Vec<String> = values.iter().map(right_hand_side).collect();
            format!("{} = {}", expressions(targets), values.join(", "))
        }
        StmtKind::Assert(formula, None) => format!("assert {}", expression(formula)),
        StmtKind::Assert(formula, Some(message)) => format!("assert {}, \"{message}\"", expression(formula)),
        StmtKind::Wait(condition, mutex) => format!("wait({}, {})", expression(condition), expression(mutex)),
        StmtKind::Signal(condition) => format!("signal({})", expression(condition)),
        StmtKind::Broadcast(condition) => format!("broadcast({})", expression(condition)),
        StmtKind::Send(channel, value) => format!("send({}, {})", expression(channel), expression(value)),
        StmtKind::Receive { result, channel } => {
            let result = result.as_ref().map_or(String::new(), |place| format!("{} = ", expression(place)));
            format!("{result}receive({})", expression(channel))
        }
        StmtKind::Assume(formula) => format!("await {}", expression(formula)),
        StmtKind::Lock(operation, lock) => {
            format!("{}({})", lock_word(*operation), expression(lock))
        }
        StmtKind::Action { frame, formula, assertion } => {
            let assertion = assertion.as_ref();
            let assertion = assertion.map_or(String::new(), |e| format!(" assert {}", expression(e)));
            format!("action [{}] {}{assertion}", expressions(frame), expression(formula))
        }
        StmtKind::Goto(label) => format!("goto {}", label.text),
        StmtKind::Call { result, proc, args } => {
            let result = result.as_ref().map_or(String::new(), |r| format!("{} = ", expression(r)));
            format!("{result}{}({})", proc.text, expressions(args))
        }
        StmtKind::Start { result, thread, args } => {
            let result = result.as_ref().map_or(String::new(), |r| format!("{} = ", expression(r)));
            format!("{result}start {}({})", thread.text, expressions(args))
        }
        StmtKind::Join(thread) => format!("join {}", expression(thread)),
        StmtKind::Return(None) => "return".to_string(),
        StmtKind::Return(Some(value)) => format!("return {}", expression(value)),
        _ => unreachable!("compound statements are printed elsewhere"),
    }
}

fn lock_word(operation: LockOp) -> &'static str {
    match operation {
        LockOp::Acquire => "acquire",
        LockOp::Release => "release",
        LockOp::AcquireRead => "acquire_read",
        LockOp::AcquireWrite => "acquire_write",
        LockOp::ReleaseRead => "release_read",
        LockOp::ReleaseWrite => "release_write",
    }
}

fn condition_text(condition: &Cond) -> String {
    match condition {
        Cond::Expr(e) => expression(e),
        Cond::Any => "*".to_string(),
    }
}

fn right_hand_side(value: &Rhs) -> String {
    match value {
        Rhs::Expr(e) => expression(e),
        Rhs::Any(_) => "*".to_string(),
    }
}

fn variable_list(variables: &VarDecl) -> String {
    let init = variables.init.as_ref();
    let init = init.map_or(String::new(), |value| format!(" = {}", right_hand_side(value)));
    format!("{}: {}{init}", names(&variables.names), ty(&variables.ty))
}

fn parameters(params: &[Param]) -> String {
    params.iter().map(parameter).collect::<Vec<_>>().join(", ")
}

fn parameter(param: &Param) -> String {
    format!("{}: {}", param.name.text, ty(&param.ty))
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}
