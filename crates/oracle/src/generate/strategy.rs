//! Random programs for property tests.

use super::program::{GeneratorOptions, random_module};
use super::reduce::reduction;
use proptest::prelude::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use threadwise_front_tw::ast::Module;

/// Random programs that shrink by [`reductions`](super::reductions).
pub fn program_strategy(options: GeneratorOptions) -> ProgramStrategy {
    ProgramStrategy { options }
}

/// What [`program_strategy`] makes.
#[derive(Clone, Debug)]
pub struct ProgramStrategy {
    options: GeneratorOptions,
}

impl Strategy for ProgramStrategy {
    type Tree = ProgramTree;
    type Value = Module;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<ProgramStrategy> {
        let seed = any::<u64>().new_tree(runner)?.current();
        let module = random_module(seed, &self.options);
        Ok(ProgramTree { simplest: module.clone(), current: module, number: 0, progress: false })
    }
}

/// A random program on its way to a smaller one.
#[derive(Clone, Debug)]
pub struct ProgramTree {
    /// The smallest program so far with which the test fails.
    simplest: Module,
    /// The one that is being tried.
    current: Module,
    /// Which reduction of the simplest program that is.
    number: usize,
    /// Some reduction has succeeded since the last time all were tried.
    progress: bool,
}

impl ProgramTree {
    /// Tries the next reduction, or starts over if that is worth while.
    fn try_reduction(&mut self) -> bool {
        if reduction(&self.simplest, self.number).is_none() && std::mem::take(&mut self.progress) {
            self.number = 0;
        }
        match reduction(&self.simplest, self.number) {
            Some(smaller) => {
                self.current = smaller;
                true
            }
            None => {
                self.current = self.simplest.clone();
                false
            }
        }
    }
}

impl ValueTree for ProgramTree {
    type Value = Module;

    fn current(&self) -> Module {
        self.current.clone()
    }

    /// The test failed with the current program: go on from there.
    fn simplify(&mut self) -> bool {
        self.progress |= self.number > 0;
        self.simplest = self.current.clone();
        self.try_reduction()
    }

    /// The test passed with the current program: try another one.
    fn complicate(&mut self) -> bool {
        self.number += 1;
        self.try_reduction()
    }
}
