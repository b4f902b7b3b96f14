//! Where random executions have been, and the first executions that came there, to go on from: what lies behind many
//! conditions is come to step by step.

use crate::dice::Dice;
use crate::execution::Move;
use rustc_hash::FxHashSet;
use threadwise_ir::LocationId;

/// More executions than these are not kept.
const MOST_KEPT: usize = 512;

/// The latest ones are gone on from as often as all.
const LATEST: usize = 8;

/// An execution that came somewhere first.
pub(crate) struct Kept {
    /// The one that it went on from.
    before: Option<usize>,
    /// What it did from there.
    moves: Vec<Move>,
    pub(crate) row: Vec<u32>,
    /// The state that it started in.
    start: Vec<u32>,
}

#[derive(Default)]
pub(crate) struct Places {
    /// Locations, each with how many times an execution has been there, as a power of two.
    been: FxHashSet<(LocationId, u32)>,
    kept: Vec<Kept>,
}

impl Places {
    /// Whether no execution has been at a location so often.
    pub(crate) fn is_new(&mut self, location: LocationId, times: u32) -> bool {
        times.is_power_of_two() && self.been.insert((location, times))
    }

    pub(crate) fn keep(&mut self, before: Option<usize>, moves: &[Move], row: &[u32], start: &[u32]) {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(Kept { before, moves: moves.to_vec(), row: row.to_vec(), start: start.to_vec() });
        }
    }

    /// An execution to go on from; now and then none, to start anew.
    pub(crate) fn choose(&self, dice: &mut Dice) -> Option<usize> {
        if self.kept.is_empty() || dice.once_in(2) {
            return None;
        }
        let among = if dice.once_in(2) { self.kept.len().min(LATEST) } else { self.kept.len() };
        Some(self.kept.len() - 1 - dice.below(among))
    }

    pub(crate) fn get(&self, kept: usize) -> &Kept {
        &self.kept[kept]
    }

    /// All that an execution did up to where it was kept, and where it started.
    pub(crate) fn whole(&self, kept: usize) -> (Vec<u32>, Vec<Move>) {
        let mut parts = Vec::new();
        let mut at = Some(kept);
        while let Some(kept) = at {
            parts.push(&self.kept[kept].moves[..]);
            at = self.kept[kept].before;
        }
        parts.reverse();
        (self.kept[kept].start.clone(), parts.concat())
    }
}

impl Kept {
    pub(crate) fn start(&self) -> &[u32] {
        &self.start
    }
}
