//! Exit codes, and errors that end the program early.

use std::sync::Arc;
use threadwise_frontends::Refusal;
use threadwise_limits::Limit;
use threadwise_source::{Diagnostic, SourceMap};

/// How the process ends (CBMC's scheme).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// SAFE, or evidence confirmed.
    Safe = 0,
    /// UNSAFE, or evidence refuted.
    Unsafe = 10,
    /// Bad usage or bad input.
    BadInput = 2,
    /// UNKNOWN.
    Unknown = 5,
    /// Threadwise is at fault.
    Internal = 6,
}

impl Exit {
    /// What a run of this program means that ended with this code.
    pub fn from_code(code: i32) -> Option<Exit> {
        [Exit::Safe, Exit::Unsafe, Exit::BadInput, Exit::Unknown, Exit::Internal]
            .into_iter()
            .find(|e| *e as i32 == code)
    }
}

/// What is wrong with what the user gave us: data, until [`crate::complaint`] puts it into words.
#[derive(Debug)]
pub enum InputError {
    /// A message, and what to do about it.
    Message { message: String, hint: Option<String> },
    /// The program is wrong, at places of its text.
    Program { source: Arc<SourceMap>, diagnostics: Vec<Diagnostic> },
    /// A limit was met before the program was read.
    Limit(Limit),
}

impl InputError {
    /// An error with a message alone.
    pub fn new(message: impl Into<String>) -> InputError {
        InputError::Message { message: message.into(), hint: None }
    }

    /// The same with advice; what is said of a program has its own.
    pub fn hint(self, text: impl Into<String>) -> InputError {
        match self {
            InputError::Message { message, .. } => InputError::Message { message, hint: Some(text.into()) },
            InputError::Program { .. } | InputError::Limit(_) => self,
        }
    }

    /// One thing is wrong with the program.
    pub fn of_program(source: &Arc<SourceMap>, diagnostic: Diagnostic) -> InputError {
        InputError::Program { source: source.clone(), diagnostics: vec![diagnostic] }
    }
}

impl From<Refusal> for InputError {
    fn from(refusal: Refusal) -> InputError {
        InputError::new(refusal.message).hint(refusal.hint)
    }
}

/// The result of a job.
pub type Job = Result<Exit, InputError>;
