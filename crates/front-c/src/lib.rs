//! The front end of C: `.c` and `.i` text → programs with memory.
//!
//! `preprocess` runs the preprocessor, `clean` makes its text digestible (`room` before it, where that takes longer words), `parse` hands it to the parser. `link` reads the
//! declarations of all files (`specifiers`, `declarators`, `types`, `layout`); `functions` then elaborates what the
//! entries need: `statements`, `expressions`, `operators`, `assignments`, `calls`, `initial`, and `library` for functions
//! that are known by their names. Values are computed where they are constant (`fold`), and constant expressions are
//! those of which nothing but a constant remains.

mod aggregates;
mod annotations;
mod assignments;
mod body;
mod calls;
mod clean;
mod conditionals;
mod declarators;
mod effects;
mod elaborate;
mod expressions;
mod fold;
mod functions;
mod globals;
mod initial;
pub mod landmarks;
mod layout;
mod library;
mod link;
mod literals;
mod names;
mod operators;
mod order;
mod parse;
mod preprocess;
mod queries;
mod room;
mod specifiers;
mod statements;
mod types;
mod values;
mod variables;

pub use types::DataModel;

use elaborate::{Elaborator, FileId};
use std::sync::Arc;
use threadwise_memory::code::Code;
use threadwise_source::{Diagnostic, Severity, SourceFile, SourceMap, Span};

/// How many diagnostics a program gets before the rest is left out.
const MAX_DIAGNOSTICS: usize = 20;

/// How to read a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub model: DataModel,
    pub preprocessing: preprocess::Preprocessing,
    /// The functions that run, each in a thread; `main` if there are none.
    pub entries: Vec<String>,
}

pub use preprocess::Preprocessing;

/// What became of the files.
#[derive(Debug)]
pub struct Loaded {
    /// The program, if there are no errors.
    pub code: Option<Code>,
    pub source: Arc<SourceMap>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the files of one program.
pub fn load(files: Vec<SourceFile>, options: &Options) -> Loaded {
    let options = options.clone();
    // Programs nest deeply, and all that walks them recurses.
    let thread = threadwise_workers::on_large_stack("front-c", move || load_here(files, &options));
    match thread.map(std::thread::JoinHandle::join) {
        Some(Ok(loaded)) => loaded,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => {
            let error = Diagnostic::error(Span::default(), "there is no memory to read the program with");
            Loaded { code: None, source: Arc::default(), diagnostics: vec![error] }
        }
    }
}

fn load_here(files: Vec<SourceFile>, options: &Options) -> Loaded {
    let (source, starts, mut diagnostics) = read(files, options);
    let source = Arc::new(source);
    let mut code = None;
    if !diagnostics.iter().any(is_error) {
        code = elaborated(&source, starts, options, &mut diagnostics);
    }
    if diagnostics.iter().any(is_error) {
        code = None;
    }
    let fault = code.as_ref().filter(|_| cfg!(debug_assertions)).and_then(threadwise_memory::well_formed::fault);
    assert_eq!(fault, None, "the front end breaks a rule");
    cut_short(&mut diagnostics);
    Loaded { code, source, diagnostics }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// The texts of all files, preprocessed where they have to be, and where each starts.
fn read(files: Vec<SourceFile>, options: &Options) -> (SourceMap, Vec<(u32, String)>, Vec<Diagnostic>) {
    let (mut source, mut starts, mut diagnostics) = (SourceMap::default(), Vec::new(), Vec::new());
    for file in files {
        let is_original = preprocess::is_wanted(file.name());
        let preprocessed = if is_original {
            match preprocess::preprocess(&file, &options.preprocessing, options.model == DataModel::Ilp32) {
                Ok(text) => {
                    let preprocessed = SourceFile::new(file.name(), room::in_known_words(text));
                    source.add_original(file);
                    preprocessed
                }
                Err(error) => {
                    diagnostics.push(*error);
                    continue;
                }
            }
        } else {
            SourceFile::new(file.name(), room::in_known_words(file.text().to_string()))
        };
        let text = preprocessed.text().to_string();
        match source.add_preprocessed(preprocessed) {
            Some(start) => starts.push((start, text)),
            None => diagnostics.push(Diagnostic::error(Span::default(), "the files are too large")),
        }
        if is_original {
            preprocess::headers(source.marked_names()).into_iter().for_each(|header| source.add_original(header));
        }
    }
    // The last files: whatever the program defines itself goes before them.
    let uses = |is_used: fn(&str) -> bool| starts.iter().any(|(_, text)| is_used(text));
    let made = [
        (uses(library::uses_strings), library::STRINGS_NAME, library::STRINGS),
        (uses(library::uses_handlers), library::HANDLERS_NAME, library::HANDLERS),
    ];
    for (_, name, text) in made.into_iter().filter(|(is_used, ..)| *is_used) {
        let start = source.add_preprocessed(SourceFile::new(name, text));
        starts.extend(start.map(|start| (start, text.to_string())));
    }
    (source, starts, diagnostics)
}

fn elaborated(
    source: &Arc<SourceMap>,
    texts: Vec<(u32, String)>,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Code> {
    let (mut units, mut clauses) = (Vec::new(), Vec::new());
    for ((start, text), file) in texts.iter().zip(0..) {
        let (found, mut wrong) = annotations::clauses(text, *start);
        clauses.push((FileId(file), found));
        diagnostics.append(&mut wrong);
        match parse::parse(text, *start) {
            Ok(unit) => units.push(unit),
            Err(error) => diagnostics.push(*error),
        }
    }
    if !diagnostics.is_empty() {
        return None;
    }
    let starts = texts.iter().map(|(start, _)| *start).collect();
    let mut elaborator = Elaborator::new(source, options.model, starts);
    elaborator.clauses = &clauses;
    let has_handlers = |text: &str| library::uses_handlers(text) || library::pushes_handlers(text);
    elaborator.has_handlers = texts.iter().any(|(_, text)| has_handlers(text));
    elaborator.checks_mutexes = texts.iter().any(|(_, text)| may_check_mutexes(text));
    for (index, unit) in units.iter().enumerate() {
        elaborator.read_file(FileId(index as u32), unit);
    }
    let main = ["main".to_string()];
    let entries = elaborator.run(if options.entries.is_empty() { &main } else { &options.entries });
    elaborator.annotate(&clauses);
    elaborator.warn_about_unknown();
    diagnostics.append(&mut elaborator.diagnostics);
    Some(Code {
        assumed: Vec::new(),
        added_files: Vec::new(),
        source: source.clone(),
        structs: elaborator.structs.lowered(options.model),
        globals: elaborator.globals,
        functions: elaborator.functions,
        entries,
        pointer_bytes: options.model.pointer_bytes(),
        weak_orders: elaborator.weak_orders,
        annotations: elaborator.said,
        at_thread_end: elaborator.keys.and_then(|keys| keys.at_end),
        language: threadwise_memory::code::Language::C,
    })
}

/// Whether a program has mutexes that check for errors, as far as names tell. Headers have the name three times; where
/// somebody writes the number in its place, what such a mutex says is not followed.
fn may_check_mutexes(text: &str) -> bool {
    text.matches("PTHREAD_MUTEX_ERRORCHECK").nth(3).is_some()
}

/// Keeps the first diagnostics, errors before warnings where there are too many.
fn cut_short(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
    // What is looked at twice, for its type and for its value, is told once.
    diagnostics.dedup();
    diagnostics.truncate(MAX_DIAGNOSTICS);
    diagnostics.sort_by_key(|d| d.span);
}
