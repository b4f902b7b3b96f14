//! What trace files and proof files have in common.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// Files that want more copies of a `[*]` thread than this are refused: a small file should not
/// make its reader lay out huge stores.
pub const MAX_ANY_COPIES: u32 = 1000;

/// What a file says about the program that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The name of the program's file when the evidence was written.
    pub program: String,
    /// The constants that were overridden then, as with `-D`.
    pub defines: BTreeMap<String, i64>,
    /// How many copies each thread declared with `[*]` has.
    pub any_copies: u32,
}

/// What is wrong with a file of evidence, and where in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    path: String,
    message: String,
}

impl FileError {
    /// An error in the value at hand; callers add where that value is with [`FileError::within`].
    pub fn new(message: impl Into<String>) -> FileError {
        FileError { path: String::new(), message: message.into() }
    }

    /// The same error seen from the object that has the value in this field.
    pub fn within(mut self, field: &str) -> FileError {
        self.path = match self.path.as_str() {
            "" => field.to_string(),
            path if path.starts_with('[') => format!("{field}{path}"),
            path => format!("{field}.{path}"),
        };
        self
    }

    /// The same error seen from the array that has the value at this index.
    pub fn at(self, index: usize) -> FileError {
        self.within(&format!("[{index}]"))
    }

    /// Where in the file, like `steps[3].shared.x`; empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "at `{path}`: {}", self.message),
        }
    }
}

impl std::error::Error for FileError {}

impl From<serde_json::Error> for FileError {
    fn from(error: serde_json::Error) -> FileError {
        if error.is_io() {
            FileError::new(format!("the file cannot be read: {error}"))
        } else {
            FileError::new(format!("the file is not as it should be: {error}"))
        }
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

/// Refuses files of another format or version.
pub(crate) fn check_format(format: &str, version: u64, expected: &str) -> Result<(), FileError> {
    if format != expected {
        let message = format!("this is a `{format}` file, not a `{expected}` file");
        return Err(FileError::new(message).within("format"));
    }
    if version != 1 {
        let message = format!("version {version} of the format is not known to this program, only version 1 is");
        return Err(FileError::new(message).within("version"));
    }
    Ok(())
}

pub(crate) fn check_any_copies(any_copies: u32) -> Result<u32, FileError> {
    if any_copies > MAX_ANY_COPIES {
        return Err(FileError::new(format!("at most {MAX_ANY_COPIES} copies are supported")));
    }
    Ok(any_copies)
}
