use std::fmt;
use threadwise_ir::Instance;
use threadwise_source::Span;

/// Where a trace and the program part ways.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    step: Option<usize>,
    place: Option<(Span, String)>,
    message: String,
}

impl ReplayError {
    pub(crate) fn new(message: impl Into<String>) -> ReplayError {
        ReplayError { step: None, place: None, message: message.into() }
    }

    /// The same at a step, counted from 0.
    pub(crate) fn at_step(mut self, step: usize) -> ReplayError {
        self.step = Some(step);
        self
    }

    /// The same at a place in the source.
    pub(crate) fn at_place(mut self, instance: &Instance, span: Option<Span>) -> ReplayError {
        self.place = span.map(|span| (span, instance.program.source.locate(span)));
        self
    }

    /// The step that does not match, counted from 1 as people count; `None` if it is the start or
    /// the error at the end.
    pub fn step(&self) -> Option<usize> {
        self.step.map(|index| index + 1)
    }

    /// Where in the source, if there is such a place.
    pub fn span(&self) -> Option<Span> {
        self.place.as_ref().map(|(span, _)| *span)
    }

    /// What does not match.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = self.step() {
            write!(f, "step {step}")?;
            if let Some((_, place)) = &self.place {
                write!(f, " ({place})")?;
            }
            f.write_str(": ")?;
        } else if let Some((_, place)) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReplayError {}
