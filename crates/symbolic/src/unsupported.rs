//! What cannot be expressed.

use std::fmt;
use threadwise_ir::patience::may_do;
use threadwise_source::Span;

/// Something that has no translation, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// What.
    pub what: &'static str,
    pub span: Span,
}

impl Unsupported {
    pub fn new(what: &'static str, span: Span) -> Unsupported {
        Unsupported { what, span }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no formula for {}", self.what)
    }
}

/// Building terms and comparing them takes far longer than evaluating an expression.
const UNITS: u32 = 256;

/// Whether it is still worth going on; if not, nothing that has been found counts.
pub fn go_on(span: Span) -> Result<(), Unsupported> {
    if may_do(UNITS) { Ok(()) } else { Err(Unsupported::new("what is left, since it was interrupted", span)) }
}
