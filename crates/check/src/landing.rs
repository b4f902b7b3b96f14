//! Where a step of a thread lands when only the running frame of its stack is known.
//!
//! A step is computed on a stack of the caller's frame, if there is one, and the running frame. Of
//! what lies further below it knows nothing, and needs nothing: a step returns at most once. So it
//! stays in the running frame, or pushes one more, or returns to the caller. The edges it took tell
//! which; comparing stacks would not always, since a procedure may be called again right away.

use crate::desk::Spot;
use crate::interner::Interner;
use threadwise_ir::{Frame, Instance, Op, Store, Successor};

/// The thread after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Landing {
    /// In the same context, or in the caller's.
    At(Spot),
    /// In a call: `caller` is the suspended frame and its context, `entered` the new frame.
    Call { caller: Spot, entered: u32 },
}

/// The landing of a step from a context; `None` if it is of no known kind.
pub(crate) fn landing(
    instance: &Instance,
    locals: &mut Interner,
    context: u32,
    caller: Option<&(u32, Store)>,
    successor: &Successor,
) -> Option<Landing> {
    let (depth, lowest) = depths(instance, successor);
    let frames: Vec<Frame<'_>> = instance.frames(&successor.local).collect();
    let caller_stays = match caller {
        Some((_, frame)) => frames.last().is_some_and(|bottom| bottom.words == &**frame),
        None => true,
    };
    let below = usize::from(caller.is_some());
    match (depth, lowest, frames.as_slice()) {
        (0, 0, [running, rest @ ..]) if rest.len() == below && caller_stays => {
            Some(Landing::At(Spot { context, local: locals.number(running.words) }))
        }
        (1, 0, [entered, suspended, rest @ ..]) if rest.len() == below && caller_stays => Some(Landing::Call {
            caller: Spot { context, local: locals.number(suspended.words) },
            entered: locals.number(entered.words),
        }),
        (-1, -1, [resumed]) => {
            let &(context, _) = caller?;
            Some(Landing::At(Spot { context, local: locals.number(resumed.words) }))
        }
        _ => None,
    }
}

/// How many frames the step leaves above the one it started in, and how far down it went meanwhile.
fn depths(instance: &Instance, successor: &Successor) -> (i64, i64) {
    let (mut depth, mut lowest) = (0, 0);
    for edge in &successor.path {
        match instance.program.edge(*edge).op {
            Op::Command(_) => {}
            Op::Call { .. } => depth += 1,
            Op::Return(_) => depth -= 1,
        }
        lowest = lowest.min(depth);
    }
    (depth, lowest)
}

impl Landing {
    /// The local state that runs after the step.
    pub(crate) fn running(self) -> u32 {
        match self {
            Landing::At(spot) => spot.local,
            Landing::Call { entered, .. } => entered,
        }
    }
}
