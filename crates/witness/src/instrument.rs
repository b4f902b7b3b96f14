//! A program that checks the invariants of a witness: its text, with an assertion wherever an invariant is said to hold, and with
//! the ghost variables and their changes.
//!
//! An invariant is evaluated at once, so what it reads is read in an atomic region. A ghost changes together with the statement at
//! its place; that is said with an atomic region too, which must not make one step of several: so there is a list of statements
//! that are one step anyway, and others are refused.

use crate::format::{GhostUpdate, Ghosts, Invariant, Location};
use crate::places::Places;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_front_c::landmarks::{Kind, Landmarks, Statement};
use threadwise_ir::{Assertion, AssertionKind, Op, Program};
use threadwise_source::{SourceFile, Span};

/// A program with checks.
#[derive(Debug)]
pub struct Instrumented {
    pub files: Vec<SourceFile>,
    /// Where the checks of invariants stand in the space of positions of these files.
    checks: Vec<(usize, Span)>,
}

impl Instrumented {
    /// The invariant whose check is at a position.
    pub fn invariant_at(&self, position: u32) -> Option<usize> {
        let found = self.checks.iter().find(|(_, span)| span.start <= position && position < span.end);
        found.map(|(invariant, _)| *invariant)
    }
}

impl Instrumented {
    /// The program in which only the checks can fail: what asserts something else ends silently.
    pub fn only_checks(&self, program: &Program) -> Program {
        let mut program = program.clone();
        for edge in Arc::make_mut(&mut program.edges) {
            let is_check = self.invariant_at(edge.span.start).is_some();
            if let Op::Command(command) = &mut edge.op
                && !is_check
            {
                let is_other = |assertion: &&Assertion| assertion.kind != AssertionKind::Assert;
                command.assertions = command.assertions.iter().filter(is_other).cloned().collect();
            }
        }
        program
    }
}

/// What is inserted at a position, in this order: what closes, inner statements first, what checks, what opens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Piece {
    Close { start: Reverse<u32>, is_outer: bool, text: String },
    Check { invariant: usize, text: String },
    Open(String),
}

/// Pieces by the positions where they are inserted.
type Pieces = BTreeMap<u32, Vec<Piece>>;

const BEGIN: &str = "__VERIFIER_atomic_begin();";
const END: &str = "__VERIFIER_atomic_end();";

/// Names that checks use. To declare them once more does no harm.
const DECLARED: &str = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); \
                        extern void __VERIFIER_error(void); ";

/// Functions that take one step, if their arguments take none.
const ONE_STEP: [&str; 16] = [
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_spin_lock",
    "pthread_spin_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_unlock",
    "mtx_lock",
    "mtx_unlock",
    "sem_wait",
    "sem_post",
    "pthread_create",
    "pthread_join",
    "thrd_create",
    "thrd_join",
    "pthread_mutex_init",
];

/// The program with the checks, or what cannot be said so.
pub fn instrumented(
    landmarks: &Landmarks,
    invariants: &[Invariant],
    ghosts: &[&Ghosts],
) -> Result<Instrumented, String> {
    let places = Places::new(landmarks);
    let mut pieces = Pieces::new();
    for (invariant, number) in invariants.iter().zip(0..) {
        match invariant.is_loop {
            true => check_in_loop(&places, invariant, number, &mut pieces)?,
            false => check_before_statement(&places, invariant, number, &mut pieces)?,
        }
    }
    let updates = ghosts.iter().flat_map(|ghosts| &ghosts.updates);
    for (span, text) in together(&places, updates)? {
        add(&mut pieces, span.start, Piece::Open(format!("{{ {BEGIN} ")));
        close(&mut pieces, span, false, format!(" {text}{END} }}"));
    }
    declare(landmarks, ghosts, &mut pieces)?;
    Ok(assembled(landmarks, pieces))
}

fn add(pieces: &mut Pieces, position: u32, piece: Piece) {
    pieces.entry(position).or_default().push(piece);
}

fn close(pieces: &mut Pieces, span: Span, is_outer: bool, text: String) {
    add(pieces, span.end, Piece::Close { start: Reverse(span.start), is_outer, text });
}

fn check(value: &str) -> String {
    format!("{BEGIN} if (!({value})) __VERIFIER_error(); {END}")
}

fn nothing_at(location: &Location, what: &str) -> String {
    let column = location.column.map_or_else(String::new, |column| format!(", column {column}"));
    format!("there is no {what} at line {}{column}", location.line)
}

/// A loop is checked each time before its condition is.
fn check_in_loop(places: &Places<'_>, invariant: &Invariant, number: usize, pieces: &mut Pieces) -> Result<(), String> {
    let found = places.statements(&invariant.location).into_iter().find_map(|index| {
        let statement = &places.landmarks.statements[index];
        let is_loop = matches!(statement.kind, Kind::Loop { .. } | Kind::DoWhile { .. });
        statement.condition().filter(|_| is_loop)
    });
    let condition = found.ok_or_else(|| nothing_at(&invariant.location, "loop"))?;
    let text = format!("({{ {} 1; }})", check(&invariant.value));
    if condition.start == condition.end {
        add(pieces, condition.start, Piece::Check { invariant: number, text });
    } else {
        add(pieces, condition.start, Piece::Check { invariant: number, text: format!("{text} && (") });
        close(pieces, condition, true, ")".to_string());
    }
    Ok(())
}

fn check_before_statement(
    places: &Places<'_>,
    invariant: &Invariant,
    number: usize,
    pieces: &mut Pieces,
) -> Result<(), String> {
    let index = places.statements(&invariant.location).into_iter().next();
    let index = index.ok_or_else(|| nothing_at(&invariant.location, "statement"))?;
    let statement = &places.landmarks.statements[unlabelled(places.landmarks, index)];
    let text = format!("{} ", check(&invariant.value));
    if statement.is_item {
        add(pieces, statement.span.start, Piece::Check { invariant: number, text });
    } else {
        add(pieces, statement.span.start, Piece::Check { invariant: number, text: format!("{{ {text}") });
        close(pieces, statement.span, true, " }".to_string());
    }
    Ok(())
}

/// What a label stands before: those who jump to the label come there too.
fn unlabelled(landmarks: &Landmarks, index: usize) -> usize {
    let outer = &landmarks.statements[index];
    if outer.kind != Kind::Labeled {
        return index;
    }
    let is_inner = |inner: &Statement| inner.span.start > outer.span.start && inner.span.end <= outer.span.end;
    let found = (index + 1..landmarks.statements.len()).find(|&other| is_inner(&landmarks.statements[other]));
    found.map_or(index, |inner| unlabelled(landmarks, inner))
}

/// The changes at each statement, in their order.
fn together<'u>(
    places: &Places<'_>,
    updates: impl Iterator<Item = &'u GhostUpdate>,
) -> Result<Vec<(Span, String)>, String> {
    let mut all: Vec<(Span, String)> = Vec::new();
    for update in updates {
        let index = places.statements(&update.location).into_iter().next();
        let index = index.ok_or_else(|| nothing_at(&update.location, "statement"))?;
        let statement = &places.landmarks.statements[unlabelled(places.landmarks, index)];
        if !is_one_step(places.landmarks, statement) {
            let line = update.location.line;
            return Err(format!("a ghost changes with the statement in line {line}, which may be several steps"));
        }
        let text: String = update.updates.iter().map(|(name, value)| format!("{name} = {value}; ")).collect();
        match all.iter_mut().find(|(span, _)| *span == statement.span) {
            Some((_, before)) => before.push_str(&text),
            None => all.push((statement.span, text)),
        }
    }
    Ok(all)
}

/// Whether a statement is surely one step: a call of a library with constant arguments, or a constant that is stored.
pub(crate) fn is_one_step(landmarks: &Landmarks, statement: &Statement) -> bool {
    if statement.kind != Kind::Effect {
        return false;
    }
    let text = landmarks.text(statement.span).trim().trim_end_matches(';').trim();
    let is_name =
        |word: &str| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(is_of_name);
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    if let Some((left, right)) = text.split_once('=') {
        return is_name(left.trim()) && is_number(right.trim());
    }
    let Some((callee, rest)) = text.split_once('(') else { return false };
    let Some(arguments) = rest.trim_end().strip_suffix(')') else { return false };
    let is_function = |word: &str| landmarks.functions.iter().any(|function| &*function.name == word);
    let is_constant = |word: &str| {
        let address = word.strip_prefix('&').map(str::trim);
        let place = |text: &str| text.split('.').all(|part| is_name(part.trim()));
        address.is_some_and(place) || is_number(word) || word == "NULL" || word == "((void *)0)" || is_function(word)
    };
    // A handle that is joined is a local variable mostly; what others do to it meanwhile no join depends on.
    let is_join = callee.trim().ends_with("_join");
    let is_fine = |word: &str| is_constant(word) || is_join && is_name(word);
    ONE_STEP.contains(&callee.trim()) && arguments.split(',').all(|argument| is_fine(argument.trim()))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Ghosts and the names that checks use are declared before the first function of each file.
fn declare(landmarks: &Landmarks, ghosts: &[&Ghosts], pieces: &mut Pieces) -> Result<(), String> {
    let mut is_defined = false;
    for (start, text) in landmarks.texts() {
        let end = start + text.len() as u32;
        let here =
            landmarks.functions.iter().map(|function| function.span.start).filter(|at| (start..end).contains(at));
        let Some(first) = here.min() else { continue };
        let mut declared = DECLARED.to_string();
        for variable in ghosts.iter().flat_map(|ghosts| &ghosts.variables) {
            let (ty, name, initial) = (&variable.ty, &variable.name, &variable.initial);
            if !name.chars().all(is_of_name) || ty.contains([';', '{', '(']) {
                return Err(format!("`{ty} {name}` cannot be declared"));
            }
            declared +=
                &if is_defined { format!("extern {ty} {name}; ") } else { format!("{ty} {name} = {initial}; ") };
        }
        is_defined = true;
        close(pieces, Span { start: first, end: first }, true, declared);
    }
    Ok(())
}

/// The texts with all pieces in them.
fn assembled(landmarks: &Landmarks, mut pieces: Pieces) -> Instrumented {
    let mut made = Instrumented { files: Vec::new(), checks: Vec::new() };
    let mut begin = 0;
    for ((start, text), number) in landmarks.texts().zip(1..) {
        let (mut out, mut done) = (String::with_capacity(text.len() * 2), 0);
        for (position, here) in pieces.range_mut(start..=start + text.len() as u32) {
            let at = (position - start) as usize;
            out.push_str(&text[done..at]);
            done = at;
            here.sort();
            for piece in here {
                match piece {
                    Piece::Close { text, .. } | Piece::Open(text) => out.push_str(text),
                    Piece::Check { invariant, text } => {
                        let from = begin + out.len();
                        out.push_str(text);
                        made.checks.push((*invariant, Span::new(from, begin + out.len())));
                    }
                }
            }
        }
        out.push_str(&text[done..]);
        begin += out.len() + 1;
        made.files.push(SourceFile::new(format!("checked-{number}.i"), out));
    }
    made
}
