//! The front end of Java: `.java`, `.class` and `.jar` → programs with memory.
//!
//! `compile` gets class files, by the compiler of a JDK where there are texts; `classes` reads them; `reach` finds the classes
//! of which there are objects and the methods that run. `program` lays out structs for classes and keeps what the program
//! is made of; `instructions` goes through the code of a method with a stack of expressions (`body`, `arithmetic`, `branches`, `objects`), `calls` follows calls,
//! `contracts` reads what comments say, `enums` knows tables of switches, `library` knows classes of the library by their names, `initial` puts the static parts of classes in order, and `roots`
//! makes what nobody wrote: the start of the program, of a thread, of a lambda.

mod arithmetic;
mod body;
mod branches;
mod calls;
mod classes;
mod compile;
mod contracts;
mod enums;
mod initial;
mod instructions;
mod library;
mod models;
mod objects;
mod program;
mod reach;
mod roots;
mod sources;
mod types;
mod webs;

pub use compile::{TemporaryFolder, class_files, compile_together, has_jdk, javac, javac_command, jdk_program};

use classes::{Class, Classes};
use program::{FunctionKey, Program};
use sources::Sources;
use std::sync::Arc;
use threadwise_memory::code::{Code, Language};
use threadwise_source::{Diagnostic, SourceFile, SourceMap, Span};

/// How to read a program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The class whose `main` runs, where several have one.
    pub entry: Option<String>,
    /// Whoever waits goes on only when notified.
    pub no_spurious: bool,
}

/// What became of the files.
#[derive(Debug)]
pub struct Loaded {
    /// The program, if there are no errors.
    pub code: Option<Code>,
    pub source: Arc<SourceMap>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the files of one program.
pub fn load(files: Vec<SourceFile>, options: &Options) -> Loaded {
    let options = options.clone();
    // Expressions nest, and all that walks them recurses.
    let thread = threadwise_workers::on_large_stack("front-java", move || load_here(&files, &options));
    match thread.map(std::thread::JoinHandle::join) {
        Some(Ok(loaded)) => loaded,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => {
            let error = Diagnostic::error(Span::default(), "there is no memory to read the program with");
            Loaded { code: None, source: Arc::default(), diagnostics: vec![error] }
        }
    }
}

fn load_here(files: &[SourceFile], options: &Options) -> Loaded {
    let given = files.len();
    let files = &library::with_library(files)[..];
    let added: Vec<Arc<str>> = files[given..].iter().map(|file| file.name().into()).collect();
    let mut texts = SourceMap::default();
    for file in files.iter().filter(|file| file.name().ends_with(".java")) {
        let _ = texts.add(file.clone());
    }
    let failed = |source: Arc<SourceMap>, error: Diagnostic| Loaded { code: None, source, diagnostics: vec![error] };
    let bytes = match compile::class_bytes(files) {
        Ok(bytes) => bytes,
        Err(error) => return failed(Arc::new(texts), error),
    };
    let mut all = Classes::new();
    for (name, bytes) in &bytes {
        match classes::read(bytes) {
            Ok(class) => drop(all.insert(class.name.clone(), class)),
            Err(error) => {
                let error = Diagnostic::error(Span::default(), format!("`{name}` is no class file: {error}"));
                return failed(Arc::new(texts), error);
            }
        }
    }
    let listed: Vec<&Class<'_>> = all.values().collect();
    let Some(sources) = Sources::of(files, &listed) else {
        return failed(Arc::new(texts), Diagnostic::error(Span::default(), "the files are too large"));
    };
    match lowered(&all, &sources, options) {
        Ok(code) => {
            let code = Code { added_files: added, ..code };
            let fault = Some(&code).filter(|_| cfg!(debug_assertions)).and_then(threadwise_memory::well_formed::fault);
            assert_eq!(fault, None, "the front end breaks a rule");
            Loaded { code: Some(code), source: sources.map.clone(), diagnostics: Vec::new() }
        }
        Err(error) => failed(sources.map.clone(), *error),
    }
}

fn lowered(classes: &Classes<'_>, sources: &Sources, options: &Options) -> program::Fallible<Code> {
    let said = said(sources)?;
    let main = roots::main_method(classes, options.entry.as_deref())?;
    let reached = reach::Reached::from(classes, &main);
    let mut program = Program::new(reached, sources, options, &said);
    contracts::ghosts(&mut program, &said)?;
    let entry = program.function(FunctionKey::Main);
    while let Some((key, id)) = program.work.pop() {
        match &key {
            FunctionKey::Method(method) => instructions::lower_method(&mut program, method, id)?,
            other => roots::lower_root(&mut program, other, id, &main)?,
        }
    }
    let annotations = contracts::annotations(&mut program, &said)?;
    let waits = options.no_spurious && program.reached.waits();
    let assumed = waits.then(|| "waiting ends by a notification only (--no-spurious)".into()).into_iter().collect();
    Ok(Code {
        source: sources.map.clone(),
        structs: program.structs,
        globals: program.globals,
        functions: program.functions,
        entries: vec![entry],
        // No integer of Java can hold an address.
        pointer_bytes: 16,
        weak_orders: Vec::new(),
        at_thread_end: None,
        annotations,
        assumed,
        added_files: Vec::new(),
        language: Language::Java,
    })
}

/// What the comments of all texts say.
fn said(sources: &Sources) -> program::Fallible<contracts::Said> {
    let mut said = contracts::Said::default();
    if let Some((name, start)) = &sources.twice {
        let span = Span::new(*start as usize, *start as usize);
        let error =
            Diagnostic::error(span, format!("there are two files named `{name}`, and one of them has contracts"));
        return Err(Box::new(error.hint("give one of them another name: clauses are found by the name of their file")));
    }
    for (name, start, text) in sources.texts() {
        let (clauses, wrong) = contracts::clauses(text, start);
        if let Some(wrong) = wrong.into_iter().next() {
            return Err(Box::new(wrong));
        }
        said.files.push((name.to_string(), start, clauses));
    }
    Ok(said)
}
