//! Engine `hunt`: looks for errors, and for nothing else. It answers UNSAFE or UNKNOWN.
//!
//! Concrete states are searched, one execution after the other, those first that are likely to show an error however many
//! steps it takes: with few preemptions (`bounded`), then at random (`walk`), then towards extremes (`climb`). In rounds, each with more work than the
//! one before, so that no way to search and no number of copies keeps the others waiting for long. What is found is made
//! small (`shrink`). The seeds are fixed: runs repeat.
//!
//! The engine knows nothing of other engines, of solvers or of files.

mod bounded;
mod climb;
mod copies;
mod dice;
mod execution;
mod facts;
mod machine;
mod places;
mod shrink;
mod starts;
mod walk;

use bounded::{Bounded, Bounds, Searched};
use climb::{Reach, climb, goals};
use dice::Dice;
use execution::Execution;
use facts::Facts;
use machine::{FEW_THREADS, Machine};
use places::Places;
use starts::{Starts, wrong_start};
use std::rc::Rc;
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::Trace;
use threadwise_ir::{AnyCopies, Instance, Program};
use threadwise_limits::{Budget, Limit};
use walk::{Policy, Walk};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// So many rounds are made, each with twice the work of the one before.
    pub max_rounds: u32,
    /// So many where somebody has set a limit of time, and would rather wait for it.
    pub max_rounds_under_limit: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_rounds: 6, max_rounds_under_limit: 10 }
    }
}

/// The work of the first round for one number of copies: as many questions of what a thread can do.
const FIRST_WORK: u64 = 1 << 15;

/// How long the executions of the first round may be.
const FIRST_DEPTH: u32 = 1 << 8;

/// The shortest random executions end after so many steps, if they do not end by themselves.
const SHORTEST: usize = 1 << 6;

/// Once in so many steps another thread gets its turn.
const TURNS: [usize; 4] = [2, 8, 3, 40];

/// So many outcomes of a step are looked at, before all are.
const FEW_OUTCOMES: usize = 2;

/// So many outcomes in random executions, by turns.
const OUTCOMES: [usize; 3] = [FEW_OUTCOMES, 4, usize::MAX];

/// So many states are kept after each step on the way to an extreme, in the first round.
const FIRST_WIDTH: usize = 4;

/// How long the executions of a round may be.
fn depth(round: u32) -> u32 {
    FIRST_DEPTH << (2 * round).min(18)
}

/// Looks for an execution that ends in an error.
pub fn hunt(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    let mut hunter = Hunter { facts: Rc::new(Facts::of(program)), numbers: Numbers::default(), finished: Vec::new() };
    let claim = match hunter.all_rounds(program, options, budget) {
        Ok(Some(trace)) => Claim::Refuted(trace),
        Ok(None) => Claim::Unknown(nothing_found()),
        Err(limit) => Claim::Unknown(Unknown::at_limit(limit)),
    };
    (claim, hunter.numbers.stats())
}

fn nothing_found() -> Unknown {
    let reason = "no error found, and this engine proves nothing".to_string();
    Unknown { reason, advice: vec![Advice::UseAuto] }
}

/// What is counted.
#[derive(Clone, Copy, Default)]
struct Numbers {
    states: u64,
    executions: u64,
    steps: u64,
    preemptions: Option<u32>,
}

impl Numbers {
    fn stats(&self) -> Stats {
        let mut numbers = vec![("states", self.states), ("executions", self.executions), ("steps", self.steps)];
        numbers.extend(self.preemptions.map(|preemptions| ("preemptions", u64::from(preemptions))));
        Stats::of(numbers)
    }
}

struct Hunter {
    facts: Rc<Facts>,
    numbers: Numbers,
    /// The numbers of copies with which there is nothing more to be found.
    finished: Vec<AnyCopies>,
}

impl Hunter {
    fn all_rounds(
        &mut self,
        program: &Arc<Program>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Option<Trace>, Limit> {
        let is_limited = budget.time_left().is_some();
        let rounds = if is_limited { options.max_rounds_under_limit } else { options.max_rounds };
        for round in 0..rounds {
            for copies in copies::of_round(program, round) {
                if self.finished.contains(&copies) {
                    continue;
                }
                let instance = Instance::new(program.clone(), copies);
                if let Some(trace) = self.one_round(&instance, round, budget)? {
                    return Ok(Some(trace));
                }
            }
            if copies::of_round(program, round + 1).iter().all(|copies| self.finished.contains(copies)) {
                break;
            }
        }
        Ok(None)
    }

    /// A round with one number of copies.
    fn one_round(&mut self, instance: &Instance, round: u32, budget: &Budget) -> Result<Option<Trace>, Limit> {
        if round == 0
            && let Some(trace) = wrong_start(instance)
        {
            return Ok(Some(trace));
        }
        let facts = self.facts.clone();
        let mut machine = Machine::new(instance, &facts);
        let found = self.search(&mut machine, round, budget);
        let found = match found {
            Ok(Some(execution)) => Some(shrink::shrink(&mut machine, execution, budget)),
            Ok(None) => None,
            Err(limit) => {
                self.numbers.steps += machine.work;
                return Err(limit);
            }
        };
        self.numbers.steps += machine.work;
        let Some(execution) = found else { return Ok(None) };
        self.numbers.preemptions = Some(execution.preemptions);
        Ok(execution::trace(&mut machine, &execution))
    }

    fn search(&mut self, machine: &mut Machine<'_>, round: u32, budget: &Budget) -> Result<Option<Execution>, Limit> {
        let starts = Starts::new(machine, budget)?;
        let work = FIRST_WORK << round;
        let mut dice = Dice::new(u64::from(round) + 1);
        if round == 0
            && machine.threads() > FEW_THREADS
            && let Some(execution) = self.in_step(machine, &starts, &mut dice, budget)?
        {
            return Ok(Some(execution));
        }
        // Inputs have very many values, and most errors show with the simplest ones.
        for most_outcomes in [FEW_OUTCOMES, usize::MAX] {
            (machine.most_outcomes, machine.left_out) = (most_outcomes, false);
            let bounds = Bounds { work: machine.work + work, depth: depth(round) };
            let mut bounded = Bounded::new(machine, bounds);
            let searched = bounded.search(&starts, &mut dice, budget);
            self.numbers.states += bounded.nodes();
            match searched? {
                Searched::Error(execution) => return Ok(Some(execution)),
                Searched::All if !machine.left_out => {
                    self.finished.push(machine.instance.any_copies());
                    return Ok(None);
                }
                Searched::All | Searched::Some => {}
            }
            if !machine.left_out {
                break;
            }
        }
        let found = self.walk(machine, &starts, round, &mut dice, budget)?;
        machine.most_outcomes = usize::MAX;
        if found.is_some() { Ok(found) } else { self.climb(machine, &starts, round, &mut dice, budget) }
    }

    /// One execution in which all threads go in step, where there are so many that few preemptions say little.
    fn in_step(
        &mut self,
        machine: &mut Machine<'_>,
        starts: &Starts,
        dice: &mut Dice,
        budget: &Budget,
    ) -> Result<Option<Execution>, Limit> {
        let Some(start) = starts.rows.first() else { return Ok(None) };
        self.numbers.executions += 1;
        let mut places = Places::default();
        Walk::new(machine, &mut places, None, start).run(Policy::InStep(0), depth(0) as usize, dice, budget)
    }

    /// Towards the extremes of shared numbers.
    fn climb(
        &mut self,
        machine: &mut Machine<'_>,
        starts: &Starts,
        round: u32,
        dice: &mut Dice,
        budget: &Budget,
    ) -> Result<Option<Execution>, Limit> {
        let goals = goals(machine);
        for goal in &goals {
            let work = machine.work + (FIRST_WORK << round) / goals.len() as u64;
            let reach = Reach { width: FIRST_WIDTH << round, steps: depth(round) as usize, work };
            if let Some(found) = climb(machine, starts, goal, reach, dice, budget)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Random executions, by turns with priorities and without.
    fn walk(
        &mut self,
        machine: &mut Machine<'_>,
        starts: &Starts,
        round: u32,
        dice: &mut Dice,
        budget: &Budget,
    ) -> Result<Option<Execution>, Limit> {
        if starts.rows.is_empty() {
            return Ok(None);
        }
        let end = machine.work + (FIRST_WORK << round);
        let longest_allowed = depth(round) as usize;
        let mut most_steps = SHORTEST;
        let (mut longest, threads) = (0, machine.threads());
        let mut number = 0;
        let mut places = Places::default();
        while machine.work < end {
            let start = &starts.rows[dice.below(starts.rows.len())];
            let policy = match number % 2 {
                0 => Policy::priorities(threads, longest, dice),
                _ => Policy::Turns(TURNS[number / 2 % TURNS.len()]),
            };
            machine.most_outcomes = OUTCOMES[number % OUTCOMES.len()];
            let before = places.choose(dice);
            let mut walk = Walk::new(machine, &mut places, before, start);
            let found = walk.run(policy, most_steps, dice, budget)?;
            longest = longest.max(walk.len());
            number += 1;
            // Programs that never end would spend all the work on few executions, if all of them were long.
            most_steps = if most_steps * 2 > longest_allowed { SHORTEST } else { most_steps * 2 };
            self.numbers.executions += 1;
            // A program in which nothing happens would be walked through for ever.
            walk.machine.work += 1;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}
