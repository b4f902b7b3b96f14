//! Programs whose bounds a front end chose by itself: they are raised as long as executions come to them.

use crate::exit::InputError;
use crate::input::Bounded;
use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{Outcome, Request, verify};

/// What came of a program, and how often its bounds were raised for that.
pub struct Grown {
    pub program: Arc<Program>,
    pub outcome: Outcome,
    pub level: u32,
}

/// Verifies a program, and reads it again with larger bounds while it goes beyond them.
pub fn verify_and_grow(
    first: Bounded,
    request: &Request,
    budget: &Budget,
    again: impl Fn(u32) -> Result<Bounded, InputError>,
) -> Grown {
    let (mut read, mut level) = (first, 0);
    loop {
        let request = Request { bounded: read.bounded.clone().into(), ..request.clone() };
        let outcome = verify(&read.program, &request, budget);
        if outcome.goes_beyond(&read.program, &read.bounded) && budget.check().is_ok()
            // Where the larger program cannot be made, what was found out about the smaller one stays.
            && let Ok(larger) = again(level + 1)
        {
            (read, level) = (larger, level + 1);
            continue;
        }
        return Grown { program: read.program, outcome, level };
    }
}
