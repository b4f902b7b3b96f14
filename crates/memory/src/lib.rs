//! Objects, pointers, machine integers, dynamic threads and lock kinds: what front ends for languages with memory share.
//! A program in [`code`] becomes one that the engines understand. This crate knows no syntax and no engine.
//!
//! The way there: `threads` finds the threads and lays out the code of each with its calls replaced by what they call;
//! `objects` divides memory into leaves; `points` says what pointers may point to; `layout` says what is shared, and
//! `emit` makes the steps. What the analyses leave out no execution does, and where a bound was chosen the program
//! asserts that it is kept: a failure of that kind says nothing about the user's program.

mod apart;
mod atlas;
pub mod code;
mod emit;
mod flat;
mod fresh;
mod joins;
mod known;
mod layout;
mod objects;
mod own;
mod points;
pub mod print;
mod runs;
mod terms;
mod threads;
mod unknown;
mod walk;
pub mod well_formed;
mod words;

pub use atlas::{Atlas, Operation, Part, Region, RegionKind};

use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_source::{Diagnostic, Span};

/// What is looked for. Where something that is not looked for goes wrong, the execution ends silently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    pub assertions: bool,
    pub races: bool,
    pub memory: bool,
    pub overflow: bool,
    pub locks: bool,
    /// An exception that nobody catches.
    pub exceptions: bool,
    /// No thread can go on, and one has not ended.
    pub deadlock: bool,
    /// Memory is lost: not freed, and nobody points to it.
    pub memtrack: bool,
}

impl Checks {
    /// What is looked for, by the names that users have for it.
    pub fn names(self) -> Vec<&'static str> {
        let all = [
            ("assertions", self.assertions),
            ("races", self.races),
            ("memory", self.memory),
            ("overflow", self.overflow),
            ("locks", self.locks),
            ("exceptions", self.exceptions),
            ("deadlock", self.deadlock),
            ("memtrack", self.memtrack),
        ];
        all.into_iter().filter(|(_, is_asked)| *is_asked).map(|(name, _)| name).collect()
    }

    pub fn none() -> Checks {
        Checks {
            assertions: false,
            races: false,
            memory: false,
            overflow: false,
            locks: false,
            exceptions: false,
            deadlock: false,
            memtrack: false,
        }
    }
}

impl Default for Checks {
    fn default() -> Checks {
        Checks { assertions: true, races: true, memory: true, locks: true, deadlock: true, ..Checks::none() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    pub checks: Checks,
    /// How many objects of one allocation are kept apart where it is not known how many there are.
    pub objects: u32,
    /// How many calls of one function can be open at the same time in one thread.
    pub recursion: u32,
    /// To have an outline, too, for proofs that nothing races: where nothing else is looked for.
    pub outline: bool,
    /// Steps that commute with what other threads do are merged, where nothing that is looked for lies in between.
    pub movers: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { checks: Checks::default(), objects: 4, recursion: 8, outline: true, movers: true }
    }
}

/// A program for the engines, and what there is to say about it.
#[derive(Debug)]
pub struct Lowered {
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
    /// Allocations for which there may have to be more objects.
    pub few_objects: Vec<Span>,
    /// Calls that are not followed because too many of their function are open there.
    pub open_calls: Vec<Span>,
}

/// Lowers a program.
pub fn lower(code: &code::Code, options: &Options) -> Lowered {
    lowered(code, options, false).0
}

/// The same, with a map of the memory that the program talks about.
pub fn lower_with_atlas(code: &code::Code, options: &Options) -> (Lowered, Atlas) {
    lowered(code, options, true)
}

fn lowered(code: &code::Code, options: &Options, draws: bool) -> (Lowered, Atlas) {
    let only_races = Checks { races: true, ..Checks::none() };
    let is_wanted = options.outline && options.checks == only_races;
    let exact = Options { outline: false, ..*options };
    match emit::lower_whole_or_torn(code, &exact, draws) {
        Ok((mut lowered, atlas)) => {
            if is_wanted
                && let Some(program) = &mut lowered.program
                && let Ok((outline, ..)) = emit::lower(code, options, &BTreeSet::new(), &BTreeSet::new(), false)
            {
                program.outline = outline.program.map(Arc::new);
            }
            (lowered, atlas)
        }
        Err(error) => {
            let diagnostics = vec![*error];
            let nothing = Lowered { program: None, diagnostics, few_objects: Vec::new(), open_calls: Vec::new() };
            (nothing, Atlas::default())
        }
    }
}
