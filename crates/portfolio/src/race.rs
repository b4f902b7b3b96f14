//! `auto`: engines side by side, until one has an answer.
//!
//! Where everything is about races, engine `locks` comes first, because it takes but a moment.
//! The search of all interleavings starts alone, because it decides small programs at once. Then the
//! engines that prove join it, one after the other, in the order that suits the program. On fewer cores
//! than engines they take turns. The search gets one large share, the first of the provers that is
//! still at work another, the hunt for errors half of one, and the rest small ones. So whichever of those would be fastest
//! alone takes about twice as long at most.

use crate::conformance::Conformance;
use crate::engine::{
    Cartesian, Contracts, Coverability, Engine, Explicit, Hunt, Intervals, Locks, Lockstep, Modular, Predicates,
    Relations,
};
use crate::name::EngineName;
use crate::notes::{Note, Story};
use crate::plan::{Ended, plan};
use crate::verify::{Outcome, Request, run_and_judge, run_if_applicable, without_answer};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use threadwise_claims::{Attempt, Unknown};
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_verdict::Verdict;
use threadwise_workers::{Turns, Worker, on_large_stack};

/// Programs whose data is bounded are usually decided by the search, if they are small.
const HEAD_START: Duration = Duration::from_millis(150);

/// The search is less often the right way where data is unbounded.
const SHORT_HEAD_START: Duration = Duration::from_millis(50);

/// Engines that are not likely to be the fastest wait this long, or until another one has given up.
const LATER: Duration = Duration::from_millis(400);

/// Those that are likely not to be the fastest wait this long.
const LAST: Duration = Duration::from_secs(1);

const LARGE_SHARE: u32 = 100;
/// The share of the hunt for errors: what it finds it mostly finds early.
const HALF_SHARE: u32 = 50;
const SMALL_SHARE: u32 = 1;

/// Even an engine with a small share works for a moment first, undisturbed where there is but one core.
const WELCOME: Duration = Duration::from_millis(30);

/// With a solver, everything takes longer.
const WELCOME_WITH_SOLVER: Duration = Duration::from_millis(100);

/// So many engines work at once where the time of the cores is limited.
const AT_ONCE_ON_LIMITED_CORES: usize = 2;

/// How often the limits are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// How long engines have to say what they know once a limit is met. What is made of it must be ready before whoever
/// waits for all of them goes away.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// How long to wait for engines that have been told to stop.
const FAREWELL: Duration = Duration::from_millis(250);

/// Engine `locks` takes but a moment for all but very large programs, and is alone for so long.
const ALONE: Duration = Duration::from_millis(500);

/// The engines for a program, each with the time after which it starts at the latest.
fn entrants(program: &Program) -> VecDeque<(&'static dyn Engine, Duration)> {
    let unbounded = program.has_unbounded_data();
    let soon = if unbounded { SHORT_HEAD_START } else { HEAD_START };
    let annotated = !program.relies.is_empty() || !program.guarantees.is_empty();
    let mut order: Vec<(&'static dyn Engine, Duration)> = vec![(&Explicit, Duration::ZERO)];
    // What the user wrote for an engine is probably good for that engine.
    order.extend((!program.abstract_threads.is_empty()).then_some((&Conformance as &dyn Engine, soon)));
    order.extend(annotated.then_some((&Contracts as &dyn Engine, soon)));
    // It takes but a moment, and a judge that asks a solver takes over where it succeeds.
    order.push((&Intervals, soon));
    // Where threads choose among very many values, those that list states give up at once.
    order.push((&Lockstep, soon));
    // It asks a solver a lot, and knows more than `intervals` does.
    order.push((&Relations, if unbounded { soon } else { LATER }));
    // Without exceptions, engine `cartesian` finds what engine `modular` finds, but takes longer.
    order.extend(match unbounded {
        true => [(&Predicates as &dyn Engine, soon), (&Modular, soon), (&Cartesian, LAST)],
        false => [(&Modular as &dyn Engine, soon), (&Cartesian, LATER), (&Predicates, LAST)],
    });
    // It decides where the thread-by-thread analysis cannot say, which takes less where it can.
    let after_modular =
        order.iter().position(|(engine, _)| engine.name() == EngineName::Modular).map_or(0, |at| at + 1);
    order.insert(after_modular, (&Coverability, if unbounded { LATER } else { soon }));
    order.extend((!annotated).then_some((&Contracts as &dyn Engine, LAST)));
    order.retain(|(engine, _)| engine.is_candidate(program));
    // The first of those that are left need not wait for those that are not.
    order.iter_mut().skip(1).take(1).for_each(|(_, due)| *due = soon);
    // Small errors are left to the search, whose traces are shortest; deep ones are hunted for from the start.
    order.insert(1, (&Hunt, soon));
    if Locks.is_candidate(program) {
        order.iter_mut().for_each(|(_, due)| *due = (*due).max(ALONE));
        order.insert(0, (&Locks, Duration::ZERO));
    }
    order.into()
}

/// An engine at work.
struct Runner {
    engine: &'static dyn Engine,
    budget: Budget,
    worker: Arc<Worker>,
    cancelled: Arc<AtomicBool>,
    started: Instant,
}

/// What comes from an engine; nothing if it cannot treat the program.
type Word = (EngineName, Option<Outcome>);

struct Race<'a> {
    program: &'a Arc<Program>,
    request: Request,
    budget: &'a Budget,
    turns: Arc<Turns>,
    sender: Sender<Word>,
    receiver: Receiver<Word>,
    waiting: VecDeque<(&'static dyn Engine, Duration)>,
    running: Vec<Runner>,
    ended: Vec<Ended>,
    /// When the time was over.
    over: Option<Instant>,
}

/// Runs engines side by side until one has an answer.
pub(crate) fn race(program: &Arc<Program>, request: &Request, budget: &Budget) -> Outcome {
    let cores = cores(budget);
    let (sender, receiver) = channel();
    let mut race = Race {
        program,
        request: Request { in_company: true, ..request.clone() },
        budget,
        turns: Turns::new(cores),
        sender,
        receiver,
        waiting: entrants(program),
        running: Vec::new(),
        ended: Vec::new(),
        over: None,
    };
    if let Some(mut outcome) = race.run().or_else(|| race.run_again_alone()) {
        outcome.chosen = Some(race.story(&outcome));
        outcome.attempts = race.attempts(&outcome);
        outcome.notes.extend(race.breakdowns());
        return outcome;
    }
    plan(program, race.ended, budget)
}

/// How many engines work at once. Where the time of the cores is what is limited, more of them at once would only mean that
/// those with small shares use up what the others need.
fn cores(budget: &Budget) -> usize {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    if budget.limits_cpu_time() { all.min(AT_ONCE_ON_LIMITED_CORES) } else { all }
}

/// What came of an engine that had nothing to say before a limit was met.
fn at_work_until(runner: &Runner, limit: Limit) -> Outcome {
    let outcome = without_answer(runner.engine.name().into(), Unknown::at_limit(limit));
    let seconds = runner.started.elapsed().as_secs_f64();
    let attempts = outcome.attempts.into_iter().map(|attempt| Attempt { seconds, ..attempt }).collect();
    Outcome { attempts, ..outcome }
}

impl Race<'_> {
    fn run(&mut self) -> Option<Outcome> {
        let started = Instant::now();
        loop {
            while self.running.is_empty() || self.waiting.front().is_some_and(|(_, due)| started.elapsed() >= *due) {
                let Some((engine, _)) = self.waiting.pop_front() else { break };
                self.start(engine);
            }
            if self.running.is_empty() {
                return None;
            }
            if self.time_is_over() {
                self.give_up();
                return None;
            }
            self.weigh();
            let due = self.waiting.front().map_or(Duration::MAX, |(_, due)| due.saturating_sub(started.elapsed()));
            let (name, outcome) = match self.receiver.recv_timeout(due.min(GLANCE)) {
                Ok(word) => word,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => continue,
            };
            let runner = self.take(name);
            if let Some(outcome) = outcome {
                // A program that says something wrong about itself has to be mended first.
                if !matches!(outcome.verdict, Verdict::Unknown(_)) || outcome.rejected.is_some() {
                    self.dismiss();
                    return Some(outcome);
                }
                let is_beyond = outcome.goes_beyond(self.program, &self.request.bounded);
                self.ended.push(Ended { engine: name, limit: runner.budget.limit_met(), outcome });
                // Nobody can prove it, and there will be a larger program to look at.
                if is_beyond {
                    self.dismiss();
                    return None;
                }
            }
            // Its place goes to the next one.
            if let Some((engine, _)) = self.waiting.pop_front() {
                self.start(engine);
            }
        }
    }

    /// Whether the time is over, and those at work have had a moment to say what they know. Memory may come back when
    /// one of them ends.
    fn time_is_over(&mut self) -> bool {
        match self.budget.look() {
            Err(Limit::Time(_) | Limit::CpuTime(_) | Limit::Interrupted) => {
                self.over.get_or_insert_with(Instant::now).elapsed() >= LAST_WORDS
            }
            Err(Limit::Turn | Limit::Memory(_) | Limit::OutOfMemory) | Ok(()) => false,
        }
    }

    /// Those still at work have come to nothing: the limit is what they met.
    fn give_up(&mut self) {
        let Err(limit) = self.budget.look() else { return };
        for runner in self.running.drain(..) {
            runner.cancelled.store(true, Ordering::Relaxed);
            let outcome = at_work_until(&runner, limit);
            self.ended.push(Ended { engine: runner.engine.name(), limit: Some(limit), outcome });
        }
    }

    fn start(&mut self, engine: &'static dyn Engine) {
        let welcome = if engine.uses_solver() { WELCOME_WITH_SOLVER } else { WELCOME };
        let worker = Arc::new(self.turns.join(SMALL_SHARE, welcome));
        // A search that fills the memory must not take it from the others.
        let (part, of) = match engine.name() {
            EngineName::Explicit | EngineName::Hunt => (1, 2),
            EngineName::Contracts
            | EngineName::Conformance
            | EngineName::Modular
            | EngineName::Cartesian
            | EngineName::Predicates
            | EngineName::Locks
            | EngineName::Intervals
            | EngineName::Coverability
            | EngineName::Lockstep
            | EngineName::Relations => (3, 4),
        };
        let (budget, cancelled) =
            self.budget.with_share_of_memory(part, of).part(engine.name().as_str(), worker.clone());
        let (program, request, sender, own) =
            (self.program.clone(), self.request.clone(), self.sender.clone(), budget.clone());
        let work = move || {
            let outcome = run_if_applicable(engine, &program, &request, &own);
            own.report_end();
            // Where nobody listens any more, somebody else has answered.
            let _ = sender.send((engine.name(), outcome));
        };
        if on_large_stack(engine.name().as_str(), work).is_some() {
            self.running.push(Runner { engine, budget, worker, cancelled, started: Instant::now() });
        }
    }

    fn take(&mut self, name: EngineName) -> Runner {
        let index = self.running.iter().position(|runner| runner.engine.name() == name);
        self.running.remove(index.expect("only those who run say something"))
    }

    /// Large shares for the search and for the first prover; and for engine `lockstep`, which is only asked where it is likely
    /// to be the only one that can say.
    fn weigh(&self) {
        let mut of_next_prover = LARGE_SHARE;
        for runner in &self.running {
            let share = match runner.engine.name() {
                EngineName::Explicit => LARGE_SHARE,
                EngineName::Hunt => HALF_SHARE,
                EngineName::Lockstep => LARGE_SHARE,
                EngineName::Contracts
                | EngineName::Conformance
                | EngineName::Modular
                | EngineName::Cartesian
                | EngineName::Predicates
                | EngineName::Locks
                | EngineName::Intervals
                | EngineName::Coverability
                | EngineName::Relations => std::mem::replace(&mut of_next_prover, SMALL_SHARE),
            };
            runner.worker.set_weight(share);
        }
    }

    /// Stops those who are still at work. They leave nothing behind but memory, so one that does not listen
    /// does no harm.
    fn dismiss(&self) {
        self.running.iter().for_each(|runner| runner.cancelled.store(true, Ordering::Relaxed));
        let end = Instant::now() + FAREWELL;
        for _ in &self.running {
            let _ = self.receiver.recv_timeout(end.saturating_duration_since(Instant::now()));
        }
    }

    /// Engines that ran into their share of the memory get all of it, one after the other.
    fn run_again_alone(&mut self) -> Option<Outcome> {
        for index in 0..self.ended.len() {
            let attempt = &self.ended[index];
            if !matches!(attempt.limit, Some(Limit::Memory(_))) || self.budget.check().is_err() {
                continue;
            }
            let engine = attempt.engine.engine();
            let (budget, _) =
                self.budget.part(engine.name().as_str(), Arc::new(self.turns.join(LARGE_SHARE, Duration::ZERO)));
            let outcome = run_and_judge(engine, self.program, &self.request, &budget);
            if !matches!(outcome.verdict, Verdict::Unknown(_)) {
                return Some(outcome);
            }
            self.ended[index] = Ended { engine: engine.name(), limit: budget.limit_met(), outcome };
        }
        None
    }

    /// What was done, and why the answer came from where it came.
    fn story(&self, outcome: &Outcome) -> Story {
        let gave_up = self.ended.iter().map(|attempt| attempt.engine);
        Story {
            gave_up: gave_up.filter(|&name| outcome.engine != name.into()).collect(),
            at_work: self.running.iter().map(|runner| runner.engine.name()).collect(),
        }
    }

    /// What came of the engines: those that had no answer, the one that had, and those that were still at work.
    fn attempts(&self, outcome: &Outcome) -> Vec<Attempt> {
        let others = self.ended.iter().filter(|ended| outcome.engine != ended.engine.into());
        let at_work = self.running.iter().map(|runner| Attempt {
            engine: runner.engine.name().as_str(),
            verdict: "unknown",
            reason: Some("stopped: another engine had the answer".to_string()),
            seconds: runner.started.elapsed().as_secs_f64(),
        });
        let had_no_answer = others.flat_map(|ended| ended.outcome.attempts.clone());
        had_no_answer.chain(outcome.attempts.clone()).chain(at_work).collect()
    }

    /// A broken engine is to be heard of, even where another one has the answer.
    fn breakdowns(&self) -> Vec<Note> {
        let unknown = self.ended.iter().filter_map(|attempt| match &attempt.outcome.verdict {
            Verdict::Unknown(unknown) => Some(unknown),
            Verdict::Safe(_) | Verdict::Unsafe(_) => None,
        });
        let broken = unknown.filter(|unknown| unknown.is_internal_error());
        broken.map(|unknown| Note::Breakdown { reason: unknown.reason().to_string() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_front_tw::{Options, load};
    use threadwise_source::SourceFile;

    fn order(text: &str) -> Vec<&'static str> {
        let program = load(SourceFile::new("test.tw", text), &Options::default()).program.expect("a correct program");
        // Whether there is a solver depends on the machine.
        let with_solver = [EngineName::Predicates, EngineName::Intervals, EngineName::Lockstep, EngineName::Relations];
        let names = entrants(&program).into_iter().map(|(engine, _)| engine.name());
        names.filter(|&name| !with_solver.contains(&name)).map(EngineName::as_str).collect()
    }

    #[test]
    fn the_program_says_which_engines_come_first() {
        let plain = "shared x: 0..1; thread P { x = 1; } thread Q { x = 0; }";
        assert_eq!(order(plain), ["explicit", "hunt", "modular", "cartesian"]);
        let invariant = "shared x: 0..1; thread P { x = 1; } invariant x <= 1;";
        assert_eq!(order(invariant), ["explicit", "hunt", "modular", "cartesian", "contracts"]);
        let any_number = "shared x: 0..1; thread W[*] { x = 1; }";
        assert_eq!(order(any_number), ["explicit", "hunt", "modular", "coverability"]);
        let annotated = "shared x: int = 0; thread P { x = x + 1; } rely P :: x' >= x; invariant x >= 0;";
        assert_eq!(order(annotated), ["explicit", "hunt", "contracts", "modular", "cartesian"]);
        let races = "shared x: 0..1; thread P { x = 1; } norace x;";
        assert_eq!(order(races), ["locks", "explicit", "hunt", "modular", "cartesian"]);
        let values = "shared x: 0..1; thread P { x = 1; assert x == 1; } norace x;";
        assert_eq!(order(values), ["explicit", "hunt", "modular", "cartesian"]);
    }
}
