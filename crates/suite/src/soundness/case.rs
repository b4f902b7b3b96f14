//! A program, and what the naive interpreter knows about it.

use super::origin::Origin;
use super::witness::Answer;
use crate::try_program;
use std::sync::Arc;
use threadwise_front_tw::ast::{Copies, ItemKind, Module};
use threadwise_front_tw::printer::print;
use threadwise_ir::{AnyCopies, Program};
use threadwise_oracle::{Explored, OracleVerdict, explore, explore_copies, explore_separate_copies};

/// What somebody says about a program. What is more definite is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Says {
    /// Nothing.
    Unknown,
    /// That it is safe.
    Safe,
    /// That it is not.
    Unsafe,
}

/// The interpreter visits about so many states of programs that were not made to be searched.
const MAX_STATES: usize = 3_000;

/// Programs with any number of copies are interpreted with up to so many.
const MAX_COPIES: usize = 3;

/// A program, and what the naive interpreter knows about it.
pub struct Case {
    /// Its syntax tree.
    pub module: Module,
    pub program: Arc<Program>,
    /// What the interpreter found where it visited every state.
    pub explored: Option<Explored>,
    /// The truth, as far as the interpreter knows.
    pub truth: Says,
    /// With any number of copies: the truth about 0, 1, … copies of each.
    by_copies: Vec<Says>,
}

impl Case {
    /// A random program.
    pub fn random(origin: Origin) -> Result<Case, String> {
        let (module, explored) = origin.program();
        Case::made(module, explored)
    }

    /// A program that may have been interpreted when it was made.
    pub(super) fn made(module: Module, explored: Option<Explored>) -> Result<Case, String> {
        match explored {
            Some(explored) => Case::explored(module, explored),
            None => Case::new(module),
        }
    }

    /// A program, which is interpreted as far as that goes quickly.
    pub fn new(module: Module) -> Result<Case, String> {
        if !has_any_copies(&module) {
            let explored = explore(&module, &[], MAX_STATES);
            return Case::explored(module, explored);
        }
        let of = |copies| says(&explore_copies(&module, copies, MAX_STATES));
        let by_copies: Vec<Says> = (0..=MAX_COPIES).map(of).collect();
        // That it is safe with a few copies proves nothing about more.
        let truth = if by_copies.contains(&Says::Unsafe) { Says::Unsafe } else { Says::Unknown };
        Ok(Case { program: load(&module)?, module, explored: None, truth, by_copies })
    }

    /// A program that has been interpreted.
    pub fn explored(module: Module, explored: Explored) -> Result<Case, String> {
        let truth = says(&explored);
        let program = load(&module)?;
        let explored = (explored.complete && truth != Says::Unknown).then_some(explored);
        Ok(Case { program, module, explored, truth, by_copies: Vec::new() })
    }

    /// Why an answer cannot be right, for all that the interpreter knows.
    pub fn objection(&self, answer: &Answer) -> Option<String> {
        let wrong = answer.says != Says::Unknown && self.truth != Says::Unknown && answer.says != self.truth;
        let wrong_copies = answer.says == Says::Unsafe
            && answer.copies.as_ref().is_some_and(|copies| self.with_copies(copies) == Some(Says::Safe));
        let truth = if wrong_copies { Says::Safe } else { self.truth };
        (wrong || wrong_copies).then(|| format!("{}\ninterpreter: {truth:?} {:?}", answer.text, self.explored))
    }
}

impl Case {
    /// The truth about so many copies.
    fn with_copies(&self, copies: &AnyCopies) -> Option<Says> {
        if let Some(same) = copies.same() {
            return self.by_copies.get(same as usize).copied();
        }
        let numbers: Vec<usize> =
            (0..self.program.declared_with_any_copies()).map(|which| copies.of(which) as usize).collect();
        let is_small = numbers.iter().all(|copies| *copies <= MAX_COPIES);
        is_small.then(|| says(&explore_separate_copies(&self.module, &numbers, MAX_STATES)))
    }
}

fn load(module: &Module) -> Result<Arc<Program>, String> {
    try_program("random.tw", &print(module)).map_err(|errors| format!("the program does not load:\n{errors}"))
}

/// An error that was found is one, also where not everything was visited.
fn says(explored: &Explored) -> Says {
    match explored.verdict {
        OracleVerdict::Unsafe { .. } => Says::Unsafe,
        OracleVerdict::Safe if explored.complete => Says::Safe,
        _ => Says::Unknown,
    }
}

fn has_any_copies(module: &Module) -> bool {
    module.items.iter().any(|item| matches!(&item.kind, ItemKind::Thread(t) if matches!(t.copies, Copies::Any)))
}
