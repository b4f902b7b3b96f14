use std::fmt;
use std::time::Duration;
use threadwise_limits::Limit;

/// More characters of what a solver said are not shown.
const LONGEST_SHOWN: usize = 400;

/// Why a solver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// There is no solver.
    Missing(String),
    /// It did not answer in time and was killed.
    Timeout(Duration),
    /// It took more memory (in bytes) than it may and was killed.
    Memory(u64),
    /// The budget of the whole run is used up, or the user interrupted.
    Limit(Limit),
    /// It ended by itself.
    Died(String),
    /// It did not understand, or answered something that was not expected.
    Protocol(String),
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::Missing(how) => f.write_str(how),
            SolverError::Timeout(limit) => {
                write!(f, "the solver did not answer a query within {} s", limit.as_secs_f64())
            }
            SolverError::Memory(bytes) => {
                write!(f, "the solver took more than {} MiB of memory for a query", bytes >> 20)
            }
            SolverError::Limit(limit) => limit.fmt(f),
            SolverError::Died(last) if last.is_empty() => f.write_str("the solver ended unexpectedly"),
            SolverError::Died(last) => write!(f, "the solver ended unexpectedly: {}", cut(last)),
            SolverError::Protocol(what) => write!(f, "the solver did not understand: {}", cut(what)),
        }
    }
}

/// What a solver said may be long; its beginning tells what went wrong.
fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_string(),
    }
}

impl std::error::Error for SolverError {}

impl From<Limit> for SolverError {
    fn from(limit: Limit) -> SolverError {
        SolverError::Limit(limit)
    }
}
