//! Programs and evidence from files.

use crate::complaint::tell;
use crate::exit::InputError;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_frontends::{Frontend, Loaded, Options, frontend_for};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_source::{Diagnostic, Severity, SourceFile, Span};

/// No program that people write is larger; what is larger is probably not a program.
const MAX_PROGRAM_BYTES: u64 = 64 << 20;

/// Whether the user means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A program that was read.
#[derive(Clone)]
pub struct Bounded {
    pub program: Arc<Program>,
    /// Where bounds that the front end chose can be raised.
    pub bounded: Vec<Span>,
}

/// Reads and lowers a program; its name tells the language. Warnings go to standard error.
pub fn load_program(
    paths: &[PathBuf],
    options: &Options,
    budget: &Budget,
    quiet: bool,
) -> Result<Arc<Program>, InputError> {
    load_bounded(paths, options, budget, quiet).map(|read| read.program)
}

/// The same, and where more of it could be looked at. Where bounds have been raised, warnings were told before.
pub fn load_bounded(paths: &[PathBuf], options: &Options, budget: &Budget, quiet: bool) -> Result<Bounded, InputError> {
    let frontend = frontend_for(&paths[0]);
    let files =
        paths.iter().map(|path| read_source(path, frontend)).collect::<Result<Vec<SourceFile>, InputError>>()?;
    frontend.check_options(options)?;
    let loaded = frontend.load_within(files, options, budget).map_err(InputError::Limit)?;
    program_of(loaded, quiet || options.level() > 0)
}

/// The program that was loaded, or what is wrong with it. Warnings go to standard error.
pub fn program_of(loaded: Loaded, quiet: bool) -> Result<Bounded, InputError> {
    let Loaded { program, source, diagnostics, bounded } = loaded;
    let is_shown = |d: &Diagnostic| !quiet || d.severity == Severity::Error;
    let diagnostics: Vec<Diagnostic> = diagnostics.into_iter().filter(is_shown).collect();
    let Some(program) = program else { return Err(InputError::Program { source, diagnostics }) };
    tell(&source, &diagnostics);
    Ok(Bounded { program, bounded })
}

/// Reads the text of a program.
pub fn read_source(path: &Path, frontend: &dyn Frontend) -> Result<SourceFile, InputError> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if frontend.binary_extensions().contains(&extension) {
        // The front end reads it by itself; that it is there is said here as it is for texts.
        open(path)?;
        return Ok(SourceFile::new(path.display().to_string(), ""));
    }
    read_text(path, frontend.least())
}

/// Reads a text that should not be empty, or says what is the least that it has.
pub fn read_text(path: &Path, least: &str) -> Result<SourceFile, InputError> {
    let name = if is_stdin(path) { "<stdin>".to_string() } else { path.display().to_string() };
    let bytes = read_program_bytes(path, &name)?;
    match String::from_utf8(bytes) {
        Ok(text) if text.trim().is_empty() => {
            let error = Diagnostic::error(Span::default(), "the file is empty").hint(least);
            Err(InputError::of_program(&Arc::new(SourceFile::new(name, text).into()), error))
        }
        Ok(text) => Ok(SourceFile::new(name, text)),
        Err(error) => Err(not_text(&name, error.utf8_error().valid_up_to(), error.as_bytes())),
    }
}

/// Everything before the bad byte is text, so it can be shown with the place marked.
fn not_text(name: &str, offset: usize, bytes: &[u8]) -> InputError {
    let file = SourceFile::new(name, String::from_utf8_lossy(bytes));
    let position = file.position(offset as u32);
    let message =
        format!("the file is not UTF-8 text: byte 0x{:02x} at offset {offset}, line {}", bytes[offset], position.line);
    let error = Diagnostic::error(Span::new(offset, offset + 1), message)
        .hint("save the file as UTF-8, or check that it is a program at all");
    InputError::of_program(&Arc::new(file.into()), error)
}

fn read_program_bytes(path: &Path, name: &str) -> Result<Vec<u8>, InputError> {
    let bytes = if is_stdin(path) {
        read_at_most(std::io::stdin().lock(), MAX_PROGRAM_BYTES)
    } else {
        read_at_most(open(path)?, MAX_PROGRAM_BYTES)
    };
    let bytes = bytes.map_err(|error| InputError::new(format!("cannot read `{name}`: {error}")))?;
    if bytes.len() as u64 > MAX_PROGRAM_BYTES {
        let message = format!("`{name}` is larger than {} MiB", MAX_PROGRAM_BYTES >> 20);
        return Err(InputError::new(message).hint("give a program; this looks like something else"));
    }
    Ok(bytes)
}

/// One byte more than the limit tells that there is more.
fn read_at_most(input: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file for reading, with errors that say what to do.
pub fn open(path: &Path) -> Result<File, InputError> {
    let name = path.display();
    if path.is_dir() {
        let error = InputError::new(format!("`{name}` is a directory"));
        return Err(error.hint("give a file inside it"));
    }
    File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            InputError::new(format!("there is no file `{name}`")).hint("check the name and the directory")
        }
        ErrorKind::PermissionDenied => InputError::new(format!("no permission to read `{name}`"))
            .hint("check who owns the file and its mode (ls -l)"),
        _ => InputError::new(format!("cannot read `{name}`: {error}")),
    })
}
