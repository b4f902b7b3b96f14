//! What comments that begin with `@` say about the program: `/*@ … */` and `//@ …`. Each has clauses, whose expressions are C.

use crate::elaborate::{Elaborator, EntityKind, Fallible, FileId, Symbol};
use lang_c::ast::{Expression, ExternalDeclaration, Initializer, TranslationUnit};
use lang_c::driver::{Config, parse_preprocessed};
use lang_c::span::Node;
use threadwise_memory::code::{self, Expr, ExprKind, FunctionId, GlobalId, InstructionKind};
use threadwise_source::{Diagnostic, Span};

/// What a clause says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClauseKind {
    Invariant,
    Init,
    NoRace,
    /// Of the threads that run this function.
    Rely(String),
    Guarantee(String),
    LoopInvariant,
    Atomic,
}

/// One clause of a comment. Places count from the first byte of its file.
#[derive(Debug)]
pub struct Clause {
    pub kind: ClauseKind,
    pub start: usize,
    pub end: usize,
    /// Where the code behind the comment begins.
    pub code: usize,
    /// A declaration of a variable that the expression initialises, at its place.
    unit: Option<TranslationUnit>,
    /// Names that mean what is there after a step.
    primed: Vec<usize>,
}

impl Clause {
    fn expression(&self) -> Option<&Node<Expression>> {
        let ExternalDeclaration::Declaration(declaration) = &self.unit.as_ref()?.0.first()?.node else { return None };
        match &declaration.node.declarators.first()?.node.initializer.as_ref()?.node {
            Initializer::Expression(expression) => Some(&**expression),
            Initializer::List(_) => None,
        }
    }
}

/// Whether a text may have annotations.
pub fn may_have(text: &str) -> bool {
    text.contains("/*@") || text.contains("//@")
}

/// The clauses of a file, and what is wrong with them.
pub fn clauses(text: &str, start: u32) -> (Vec<Clause>, Vec<Diagnostic>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    if !may_have(text) {
        return (found, wrong);
    }
    let clean = crate::clean::cleaned(text).unwrap_or_default();
    for (from, to) in comments(text) {
        let code = to + clean.get(to..).map_or(0, |rest| rest.len() - rest.trim_start().len());
        let mut at = from;
        for part in text[from..to].trim_end_matches("*/").split_inclusive(';') {
            let clause = part.trim_end().trim_end_matches(';');
            let begin = at + (clause.len() - clause.trim_start().len());
            at += part.len();
            if clause.trim().is_empty() {
                continue;
            }
            match self::clause(clause.trim(), begin, code) {
                Ok(clause) => found.push(clause),
                Err(message) => {
                    let span = Span::new(start as usize + begin, start as usize + begin + clause.trim().len());
                    wrong.push(Diagnostic::error(span, message).hint(CLAUSES));
                }
            }
        }
    }
    (found, wrong)
}

const CLAUSES: &str = "there are `invariant e;`, `norace x;`, `init e;`, `rely f :: e;`, `guarantee f :: e;`, `loop invariant e;` \
                       before a loop, and `atomic` before a block";

/// The insides of the comments that begin with `@`, behind that.
fn comments(text: &str) -> Vec<(usize, usize)> {
    let (bytes, mut at, mut found) = (text.as_bytes(), 0, Vec::new());
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let end_of = |mark: &str| text[at..].find(mark).map_or(bytes.len(), |found| at + found);
        match rest {
            [b'/', b'/', ..] => {
                let end = end_of("\n");
                found.extend((rest.get(2) == Some(&b'@')).then_some((at + 3, end)));
                at = end;
            }
            [b'/', b'*', ..] => {
                let end = text[at + 2..].find("*/").map_or(bytes.len(), |found| at + 2 + found + 2);
                found.extend((rest.get(2) == Some(&b'@')).then_some((at + 3, end)));
                at = end;
            }
            [quote @ (b'"' | b'\''), ..] => {
                at += 1;
                while at < bytes.len() && bytes[at] != *quote && bytes[at] != b'\n' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    found
}

fn clause(text: &str, start: usize, code: usize) -> Result<Clause, String> {
    let end = start + text.len();
    if text == "atomic" {
        return Ok(Clause { kind: ClauseKind::Atomic, start, end, code, unit: None, primed: Vec::new() });
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let of_function = |rest: &str| {
        let (name, formula) = rest.split_once("::").ok_or("`::` is expected behind the function")?;
        Ok::<_, String>((name.trim().to_string(), formula.trim().to_string()))
    };
    let (kind, formula) = match word {
        "invariant" => (ClauseKind::Invariant, rest.to_string()),
        "init" => (ClauseKind::Init, rest.to_string()),
        "norace" => (ClauseKind::NoRace, rest.to_string()),
        "rely" => {
            let (name, formula) = of_function(rest)?;
            (ClauseKind::Rely(name), formula)
        }
        "guarantee" => {
            let (name, formula) = of_function(rest)?;
            (ClauseKind::Guarantee(name), formula)
        }
        "loop" => match rest.trim_start().strip_prefix("invariant") {
            Some(formula) => (ClauseKind::LoopInvariant, formula.to_string()),
            None => return Err("`invariant` is expected behind `loop`".to_string()),
        },
        _ => return Err(format!("`{word}` begins no annotation that is known here")),
    };
    let formula = formula.trim();
    let at = end - formula.len();
    let is_step = matches!(kind, ClauseKind::Rely(_) | ClauseKind::Guarantee(_));
    let primed = if is_step { primes(formula).into_iter().map(|name| at + name).collect() } else { Vec::new() };
    let formula = if is_step { formula.replace('\'', " ") } else { formula.to_string() };
    // The parser reads whole files: a declaration around the expression, which stays where it is.
    const AROUND: &str = "int w=";
    let padded = format!("{}{AROUND}{formula};", " ".repeat(at.saturating_sub(AROUND.len())));
    let unit = parse_preprocessed(&Config::with_gcc(), padded).map_err(|_| "this is no expression of C".to_string())?;
    Ok(Clause { kind, start, end, code, unit: Some(unit.unit), primed })
}

/// Where the variables begin that a prime follows: `x'`, `s.field'`, `a[1]'`.
fn primes(formula: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let start = |(at, _): (usize, &str)| formula[..at].trim_end_matches(is_part).len();
    formula.match_indices('\'').map(start).collect()
}

impl<'a> Elaborator<'a> {
    /// Elaborates what is said of the whole program, when everything else has been.
    pub fn annotate(&mut self, clauses: &'a [(FileId, Vec<Clause>)]) {
        for (file, clauses) in clauses {
            (self.file, self.scopes) = (*file, Vec::new());
            for clause in clauses {
                self.body = crate::body::Body::new(Default::default());
                let result = self.annotation(clause);
                self.report(result);
            }
        }
        self.elaborate_waiting();
    }

    fn clause_span(&self, clause: &Clause) -> Span {
        let start = self.starts[self.file.0 as usize] as usize;
        Span::new(start + clause.start, start + clause.end)
    }

    fn annotation(&mut self, clause: &'a Clause) -> Fallible<()> {
        let span = self.clause_span(clause);
        match &clause.kind {
            ClauseKind::Invariant => {
                let formula = self.formula(clause)?;
                self.said.invariants.push(formula);
            }
            ClauseKind::Init => {
                let formula = self.formula(clause)?;
                self.said.init.push(formula);
            }
            ClauseKind::NoRace => {
                let formula = self.formula(clause)?;
                match formula.kind {
                    ExprKind::Load(place) if matches!(place.base, code::Base::Global(_)) => {
                        self.said.noraces.push((*place, span));
                    }
                    _ => return Err(self.error(span, "a variable is expected behind `norace`")),
                }
            }
            ClauseKind::Rely(name) => {
                let contract = self.contract(name, clause)?;
                self.said.relies.push(contract);
            }
            ClauseKind::Guarantee(name) => {
                let contract = self.contract(name, clause)?;
                self.said.guarantees.push(contract);
            }
            ClauseKind::LoopInvariant | ClauseKind::Atomic => {
                if !self.used_clauses.contains(&(self.file, clause.start)) {
                    let what = if clause.kind == ClauseKind::Atomic { "a block" } else { "a loop" };
                    let message = format!("{what} is expected behind this, in a function that can be reached");
                    self.diagnostics.push(Diagnostic::warning(span, message).hint("it is ignored here"));
                }
            }
        }
        Ok(())
    }

    fn contract(&mut self, name: &str, clause: &'a Clause) -> Fallible<(Option<FunctionId>, Expr, Span)> {
        let span = self.clause_span(clause);
        let entity = match self.lookup(name) {
            Some(Symbol::Entity(entity)) => Some(*entity),
            _ => None,
        };
        let id = entity.and_then(|entity| match self.entity(entity).kind {
            EntityKind::Function { id, .. } => id,
            EntityKind::Variable { .. } => None,
        });
        let Some(id) = id else {
            return Err(self.error(span, format!("there is no function `{name}` that threads run")));
        };
        Ok((Some(id), self.formula(clause)?, span))
    }

    /// The expression of a clause, which does nothing.
    fn formula(&mut self, clause: &'a Clause) -> Fallible<Expr> {
        let span = self.clause_span(clause);
        let Some(node) = clause.expression() else { return Err(self.error(span, "an expression is expected here")) };
        self.primed = clause.primed.clone();
        let before = self.body.emitted;
        let formula = self.rvalue(node);
        self.primed.clear();
        if self.body.emitted != before {
            return Err(self.error(span, "an annotation must not do anything"));
        }
        formula.map(|(formula, _)| formula)
    }

    /// The loop invariants that stand before a statement.
    pub fn loop_invariants(&mut self, place: usize) {
        let (clauses, here) = (self.clauses, self.file);
        let here = clauses.iter().filter(|(file, _)| *file == here).flat_map(|(_, clauses)| clauses);
        for clause in here.filter(|clause| clause.code == place && clause.kind == ClauseKind::LoopInvariant) {
            self.used_clauses.insert((self.file, clause.start));
            let formula = self.formula(clause);
            if let Some(formula) = self.report(formula) {
                let span = self.clause_span(clause);
                self.body.emit(InstructionKind::LoopInvariant(formula), span);
            }
        }
    }

    /// Whether a block is said to be atomic.
    pub fn is_said_atomic(&mut self, place: usize) -> bool {
        let clauses = self.clauses;
        let here = clauses.iter().filter(|(file, _)| *file == self.file).flat_map(|(_, clauses)| clauses);
        let mut here = here.filter(|clause| clause.code == place && clause.kind == ClauseKind::Atomic);
        let found = here.next().map(|clause| clause.start);
        self.used_clauses.extend(found.map(|start| (self.file, start)));
        found.is_some()
    }

    /// What stands for a variable after a step.
    pub fn after_step(&mut self, id: GlobalId) -> GlobalId {
        if let Some((after, _)) = self.said.after.iter().find(|(_, before)| **before == id) {
            return *after;
        }
        let mut variable = self.globals[id.index()].clone();
        variable.name = format!("{}'", variable.name).into();
        variable.init.clear();
        self.globals.push(variable);
        let after = GlobalId(self.globals.len() as u32 - 1);
        self.said.after.insert(after, id);
        after
    }
}
