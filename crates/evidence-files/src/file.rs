//! What trace files and proof files have in common.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use threadwise_evidence::{FileError, MAX_ANY_COPIES};
use threadwise_ir::{AnyCopies, Copies, Program};

/// What a file says about the program that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The name of the program's file when the evidence was written.
    pub program: String,
    /// The constants that were overridden then, as with `-D`.
    pub defines: BTreeMap<String, i64>,
    /// Whether deadlocks are errors, because the program says so or somebody else did, as with `--deadlock`.
    pub deadlock: bool,
    /// What was asked about the program, where that can be chosen, as with `--property`.
    pub properties: Vec<String>,
    /// How many copies the threads declared with `[*]` have.
    pub any_copies: CopiesInFile,
}

/// What is wrong with a file that cannot even be read.
pub(crate) fn unreadable(error: serde_json::Error) -> FileError {
    match error.is_io() {
        true => FileError::new(format!("the file cannot be read: {error}")),
        false => FileError::new(format!("the file is not as it should be: {error}")),
    }
}

/// The error that something else was expected than the value found.
pub(crate) fn expected(what: &str, found: &Value) -> FileError {
    let text = found.to_string();
    let short = match text.char_indices().nth(40) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    };
    FileError::new(format!("expected {what}, found {short}"))
}

pub(crate) fn object(value: &Value) -> Result<&Map<String, Value>, FileError> {
    value.as_object().ok_or_else(|| expected("an object", value))
}

pub(crate) fn array(value: &Value) -> Result<&[Value], FileError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| expected("an array", value))
}

pub(crate) fn string(value: &Value) -> Result<&str, FileError> {
    value.as_str().ok_or_else(|| expected("a string", value))
}

pub(crate) fn small_number(value: &Value) -> Result<u32, FileError> {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| expected("a small whole number", value))
}

/// Reads a field of an object; errors say which field.
pub(crate) fn field<'a, T>(
    of: &'a Map<String, Value>,
    name: &str,
    read: impl FnOnce(&'a Value) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let value = of.get(name).ok_or_else(|| FileError::new(format!("the field `{name}` is missing")))?;
    read(value).map_err(|e| e.within(name))
}

/// Reads all elements of an array; errors say which element.
pub(crate) fn elements<'a, T>(
    value: &'a Value,
    read: impl Fn(&'a Value) -> Result<T, FileError>,
) -> Result<Vec<T>, FileError> {
    array(value)?.iter().enumerate().map(|(i, element)| read(element).map_err(|e| e.at(i))).collect()
}

/// Refuses files of another format or version than expected.
pub(crate) fn check_format(format: &str, version: u64, (expected, known): (&str, u64)) -> Result<(), FileError> {
    if format != expected {
        let message = format!("this is a `{format}` file, not a `{expected}` file");
        return Err(FileError::new(message).within("format"));
    }
    if version != known {
        let message = format!("version {version} of the format is not known to this program, only version {known} is");
        return Err(FileError::new(message).within("version"));
    }
    Ok(())
}

/// How many copies there are of threads declared with `[*]`, as files say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CopiesInFile {
    /// As many of each.
    Each(u32),
    /// So many of those with these names.
    Named(BTreeMap<String, u32>),
}

impl CopiesInFile {
    pub(crate) fn read(value: &Value) -> Result<CopiesInFile, FileError> {
        let number = |value: &Value| check_any_copies(small_number(value)?);
        let Value::Object(named) = value else { return Ok(CopiesInFile::Each(number(value)?)) };
        let copies = named.iter().map(|(name, value)| Ok((name.clone(), number(value).map_err(|e| e.within(name))?)));
        Ok(CopiesInFile::Named(copies.collect::<Result<_, FileError>>()?))
    }

    /// How many there are of the threads of a program, which must be those that are named.
    pub(crate) fn of(&self, program: &Program) -> Result<AnyCopies, FileError> {
        let named = match self {
            CopiesInFile::Each(copies) => return Ok(AnyCopies::from(*copies)),
            CopiesInFile::Named(named) => named,
        };
        let threads: Vec<&str> = any_number(program).collect();
        if let Some(unknown) = named.keys().find(|name| !threads.contains(&name.as_str())) {
            return Err(FileError::new(format!("the program has no thread `{unknown}[*]`")).within("any_copies"));
        }
        let number = |name: &&str| {
            let missing = || FileError::new(format!("the thread `{name}` is missing")).within("any_copies");
            named.get(*name).copied().ok_or_else(missing)
        };
        Ok(AnyCopies::separate(&threads.iter().map(number).collect::<Result<Vec<u32>, FileError>>()?))
    }
}

/// How many copies there are, for a file.
pub(crate) fn any_copies_json(program: &Program, copies: &AnyCopies) -> Value {
    match copies.same() {
        Some(copies) => copies.into(),
        None => any_number(program).enumerate().map(|(which, name)| (name, copies.of(which))).collect(),
    }
}

/// The names of the threads that are declared with `[*]`, in order.
fn any_number(program: &Program) -> impl Iterator<Item = &str> {
    program.templates.iter().filter(|template| template.copies == Copies::Any).map(|template| &*template.name)
}

pub(crate) fn check_any_copies(any_copies: u32) -> Result<u32, FileError> {
    if any_copies > MAX_ANY_COPIES {
        return Err(FileError::new(format!("at most {MAX_ANY_COPIES} copies are supported")));
    }
    Ok(any_copies)
}
