//! From a trace of a Java program to what a virtual machine says about it.

use crate::Trouble;
use crate::jvm::event::{Kind, Real};
use crate::jvm::lead::Leader;
use crate::jvm::machine::Classes;
use crate::jvm::wanted::Wanted;
use crate::outcome::{Course, Outcome, passages, states};
use crate::plan::Plan;
use std::time::Duration;
use threadwise_evidence::{Trace, Violation, violation_info};
use threadwise_ir::{Instance, StepError, ThreadId, Wording};
use threadwise_memory::Atlas;

/// A thread goes on alone so far, until it ends with an exception.
const MOST_ALONE: usize = 2000;

/// So many accesses belong to one step, at most, that is looked into for a race.
const MOST_ACCESSES: usize = 16;

/// A deadlock stays so long, in looks.
const LOOKS: usize = 20;

/// What is looked for at the end of a trace.
enum Sought<'a> {
    Exception(ThreadId, bool),
    /// The name of the variable.
    Race(&'a str),
    Deadlock,
}

/// Leads a program through a trace on a virtual machine, and looks for the error at its end.
pub fn replay(
    instance: &Instance,
    trace: &Trace,
    atlas: &Atlas,
    classes: &Classes,
    limit: Duration,
) -> Result<Outcome, Trouble> {
    let Some(sought) = sought(instance, &trace.violation) else {
        let kind = violation_info(instance, &trace.violation).kind;
        return Ok(Outcome::Undecided(format!("errors of the kind `{kind}` are not looked for on virtual machines")));
    };
    let Some(initial) = &trace.initial else {
        return Ok(Outcome::Undecided("the trace has no initial state".to_string()));
    };
    let course = Course { instance, initial, steps: &trace.steps };
    let plan = Plan::new(instance, atlas);
    let mut all = match passages(&plan, course) {
        Ok(all) => all,
        Err(reason) => return Ok(Outcome::Undecided(reason)),
    };
    if let Violation::Step { thread, path, .. } = &trace.violation {
        let state = states(course).pop().unwrap_or_else(|| initial.clone());
        match plan.failing(instance, &state, *thread, path) {
            Some(passage) => all.push((*thread, passage)),
            None => return Ok(Outcome::Undecided("the step that goes wrong cannot be looked into".to_string())),
        }
    }
    let names = (1..=instance.threads.len() as i64).map(|tid| instance.tid_name(tid)).collect();
    let mut leader = Leader::new(classes.start(&["led".to_string()], limit)?, names)?;
    for (step, (thread, passage)) in all.iter().enumerate() {
        let wanted = passage.deeds.iter().filter_map(|deed| Wanted::of_deed(deed, step, instance, atlas));
        leader.expect(*thread, wanted);
    }
    let led = all.iter().enumerate().try_for_each(|(step, (thread, _))| leader.take_step(*thread, step));
    match led.and_then(|()| leader.find(&sought)) {
        Ok(Ok(found)) => Ok(Outcome::Confirmed(found)),
        Ok(Err(_)) | Err(Trouble::Differs(_)) if atlas.has_halves => {
            let reason = "threads access a plain `long` at the same time, which the trace does in two halves, this machine at once";
            Ok(Outcome::Undecided(reason.to_string()))
        }
        Ok(Err(reason)) | Err(Trouble::Differs(reason)) => Ok(Outcome::Refuted(reason)),
        Err(trouble @ (Trouble::Time | Trouble::Beyond(_))) => Ok(Outcome::Undecided(trouble.to_string())),
        Err(trouble) => Err(trouble),
    }
}

fn sought<'a>(instance: &'a Instance, violation: &Violation) -> Option<Sought<'a>> {
    match violation {
        Violation::Step { thread, error, .. } => match error {
            StepError::Assertion => Some(Sought::Exception(*thread, true)),
            StepError::Exception | StepError::Lock | StepError::Release => Some(Sought::Exception(*thread, false)),
            _ => None,
        },
        Violation::Property(id) => match &instance.program.properties[id.index()].wording {
            Wording::NoRace(name) => Some(Sought::Race(name)),
            Wording::NoDeadlock | Wording::NoLockCycle => Some(Sought::Deadlock),
            Wording::Invariant(_) | Wording::Never(_) => None,
        },
        Violation::PropertyFault(..) | Violation::Initial(..) | Violation::Start { .. } => None,
    }
}

type Found = Result<Result<String, String>, Trouble>;

impl Leader {
    fn find(&mut self, sought: &Sought<'_>) -> Found {
        match sought {
            Sought::Exception(thread, is_assertion) => self.find_exception(*thread, *is_assertion),
            Sought::Race(name) => self.find_race(name),
            Sought::Deadlock => self.find_deadlock(),
        }
    }

    /// The thread goes on alone until it has ended.
    fn find_exception(&mut self, thread: ThreadId, wants_assertion: bool) -> Found {
        let Some(real) = self.real_of(thread) else {
            return Ok(Err("the thread that goes wrong was not started on the virtual machine".to_string()));
        };
        for _ in 0..MOST_ALONE {
            match &self.reals[real] {
                Real::Pending(_) => self.go(real)?,
                Real::Blocked | Real::Waiting(_) | Real::Ended | Real::Failed { .. } => break,
            }
        }
        let said = format!("on the virtual machine {}", self.said(real));
        let is_it = matches!(&self.reals[real], Real::Failed { is_assertion, .. } if *is_assertion == wants_assertion);
        Ok(if is_it { Ok(said) } else { Err(said) })
    }

    /// What is one step for the trace may be several accesses: each thread goes on to the one that is meant.
    fn find_race(&mut self, name: &str) -> Found {
        let meant = crate::jvm::event::field_of(name).to_string();
        // Monitors that nobody else takes belong to such a step, too.
        let count = self.reals.len();
        let enters = [false, true].into_iter().flat_map(|enters| (0..count).map(move |real| (enters, real)));
        for (enters, real) in enters {
            for _ in 0..MOST_ACCESSES {
                if let Some(found) = self.race() {
                    return Ok(Ok(found));
                }
                let is_before = |event: &&crate::jvm::event::Event| {
                    event.is_access() && event.field() != meant || enters && event.kind == Kind::Enter
                };
                if self.reals[real].pending().filter(is_before).is_none() {
                    break;
                }
                self.go(real)?;
            }
        }
        let all: Vec<String> = (0..self.reals.len()).map(|real| self.said(real)).collect();
        Ok(Err(format!("on the virtual machine no two threads race: {}", all.join(", "))))
    }

    fn race(&self) -> Option<String> {
        let pending = |real: usize| self.reals[real].pending();
        let count = self.reals.len();
        let mut pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        let races = |(one, other): &(usize, usize)| {
            pending(*one).is_some_and(|a| pending(*other).is_some_and(|b| a.races_with(b)))
        };
        let (one, other) = pairs.find(races)?;
        Some(format!("on the virtual machine {} while {}", self.said(one), self.said(other)))
    }

    /// Whoever can go on does so, until nobody can any more.
    fn find_deadlock(&mut self) -> Found {
        let mut looks = 0;
        for _ in 0..MOST_ALONE {
            match self.reals.iter().position(|real| real.pending().is_some()) {
                Some(real) => {
                    looks = 0;
                    self.go(real)?;
                }
                None if looks < LOOKS => {
                    looks += 1;
                    self.look()?;
                }
                None => break,
            }
        }
        let stuck = self.reals.iter().any(|real| !real.has_ended()) && looks == LOOKS;
        let all: Vec<String> = (0..self.reals.len()).map(|real| self.said(real)).collect();
        let said = format!("on the virtual machine {}", all.join(", "));
        Ok(if stuck { Ok(said) } else { Err(said) })
    }
}
