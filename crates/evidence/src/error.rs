//! What is wrong with evidence that does not fit a program.

use std::fmt;

/// Files that want more copies of a `[*]` thread than this are refused: a small file should not
/// make its reader lay out huge stores.
pub const MAX_ANY_COPIES: u32 = 1000;

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
