//! Exit codes, and errors that end the program early.

use std::fmt;

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

/// What is wrong with what the user gave us.
#[derive(Debug)]
pub enum InputError {
    /// A message, and what to do about it.
    Message { message: String, hint: Option<String> },
    /// The user has already been told.
    Told,
}

impl InputError {
    /// An error with a message alone.
    pub fn new(message: impl Into<String>) -> InputError {
        InputError::Message { message: message.into(), hint: None }
    }

    /// The same with advice.
    pub fn hint(self, text: impl Into<String>) -> InputError {
        match self {
            InputError::Message { message, .. } => InputError::Message { message, hint: Some(text.into()) },
            InputError::Told => InputError::Told,
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Message { message, hint: None } => f.write_str(message),
            InputError::Message { message, hint: Some(hint) } => write!(f, "{message}\n  help: {hint}"),
            InputError::Told => Ok(()),
        }
    }
}

/// The result of a job.
pub type Job = Result<Exit, InputError>;
