use std::sync::Arc;
use threadwise_engine_explicit as explicit;
use threadwise_evidence::{Claim, Stats};
use threadwise_ir::Program;
use threadwise_limits::Budget;

/// An engine, as the portfolio sees it.
pub trait Engine: Sync {
    /// The name that users give to `--engine`.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Whether a SAFE verdict of this engine rests on a modular proof.
    fn is_modular(&self) -> bool;

    /// Whether the engine can treat the program, or why it cannot.
    fn applicable(&self, program: &Program) -> Result<(), String>;

    /// Looks for a proof or an error.
    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats);
}

/// What engines are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineOptions {
    /// Keep what a proof needs.
    pub proof: bool,
    /// Use the symmetry of interchangeable copies where that is sound.
    pub symmetry: bool,
    /// Fold steps that no other thread can observe, where no proof is wanted.
    pub fold: bool,
    /// Engines that fix the number of copies of `[*]` threads try up to this many.
    pub max_any_copies: u32,
}

/// Engine `explicit`: all interleavings.
pub(crate) struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn summary(&self) -> &'static str {
        "searches all interleavings"
    }

    fn is_modular(&self) -> bool {
        false
    }

    fn applicable(&self, _: &Program) -> Result<(), String> {
        // It searches every program, and says UNKNOWN where the search cannot be complete.
        Ok(())
    }

    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        let options = explicit::Options {
            symmetry: options.symmetry,
            fold: options.fold,
            proof: options.proof,
            max_any_copies: options.max_any_copies,
        };
        explicit::explore(program, &options, budget)
    }
}
