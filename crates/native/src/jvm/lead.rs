//! Leads the threads on the virtual machine through the steps of a trace.

use crate::Trouble;
use crate::jvm::event::{Event, Kind, Real};
use crate::jvm::machine::Machine;
use crate::jvm::wanted::{Wanted, WantedKind};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use threadwise_ir::ThreadId;

/// So much of what the trace does not know is let pass at one place.
const MOST_UNKNOWN: usize = 500;

/// So often is looked whether a thread that seems to be blocked goes on.
const LOOKS: usize = 20;

const LOOK_PAUSE: Duration = Duration::from_millis(10);

pub(crate) struct Leader {
    machine: Machine,
    pub(crate) reals: Vec<Real>,
    /// Which thread of the machine a thread of the trace is.
    of_trace: BTreeMap<ThreadId, usize>,
    /// What each thread still does in the trace.
    upcoming: BTreeMap<ThreadId, VecDeque<Wanted>>,
    /// The call of the library that a thread did last.
    last_call: BTreeMap<ThreadId, Wanted>,
    pub(crate) names: Vec<String>,
}

impl Leader {
    pub(crate) fn new(machine: Machine, names: Vec<String>) -> Result<Leader, Trouble> {
        let of_trace = [(ThreadId(0), 0)].into();
        let (upcoming, last_call) = (BTreeMap::new(), BTreeMap::new());
        let mut leader = Leader { machine, reals: Vec::new(), of_trace, upcoming, last_call, names };
        leader.listen()?;
        Ok(leader)
    }

    pub(crate) fn expect(&mut self, thread: ThreadId, wanted: impl Iterator<Item = Wanted>) {
        self.upcoming.entry(thread).or_default().extend(wanted);
    }

    fn listen(&mut self) -> Result<(), Trouble> {
        let lines = self.machine.paragraph()?;
        let reals: Option<Vec<Real>> = lines.iter().map(|line| Real::of_line(line)).collect();
        self.reals = reals.ok_or_else(|| Trouble::Differs("the virtual machine does not say what it does".into()))?;
        Ok(())
    }

    pub(crate) fn real_of(&self, thread: ThreadId) -> Option<usize> {
        self.of_trace.get(&thread).copied()
    }

    pub(crate) fn go(&mut self, real: usize) -> Result<(), Trouble> {
        self.machine.order(real as i64);
        self.listen()
    }

    /// Looks again.
    pub(crate) fn look(&mut self) -> Result<(), Trouble> {
        std::thread::sleep(LOOK_PAUSE);
        self.machine.order(-1);
        self.listen()
    }

    /// What a thread is about to do, as soon as it is not blocked.
    fn pending(&mut self, real: usize) -> Result<Option<Event>, Trouble> {
        for _ in 0..LOOKS {
            match &self.reals[real] {
                Real::Pending(event) => return Ok(Some(event.clone())),
                Real::Blocked => self.look()?,
                Real::Waiting(_) | Real::Ended | Real::Failed { .. } => break,
            }
        }
        Ok(None)
    }

    /// A thread does a step, and goes on to what others can see next.
    pub(crate) fn take_step(&mut self, thread: ThreadId, step: usize) -> Result<(), Trouble> {
        while let Some(wanted) = self.next_of(thread, step) {
            self.perform(thread, &wanted)?;
        }
        self.settle(thread)
    }

    fn next_of(&mut self, thread: ThreadId, step: usize) -> Option<Wanted> {
        let all = self.upcoming.get_mut(&thread)?;
        let is_its = all.front().is_some_and(|wanted| wanted.step <= step);
        if is_its { all.pop_front() } else { None }
    }

    fn perform(&mut self, thread: ThreadId, wanted: &Wanted) -> Result<(), Trouble> {
        let Some(real) = self.real_of(thread) else {
            return Err(Trouble::Differs("a thread runs in the trace that was not started".to_string()));
        };
        if self.last_call.get(&thread).is_some_and(|call| wanted.goes_with(call)) {
            return Ok(());
        }
        for _ in 0..MOST_UNKNOWN {
            let Some(event) = self.pending(real)? else { return self.without_event(thread, real, wanted) };
            if wanted.is(&event) {
                return self.fulfil(thread, real, wanted, &event);
            }
            if wanted.is_own() || self.is_upcoming(thread, &event) {
                return Ok(());
            }
            self.go(real)?;
        }
        Err(self.differs(thread, wanted))
    }

    fn fulfil(&mut self, thread: ThreadId, real: usize, wanted: &Wanted, event: &Event) -> Result<(), Trouble> {
        if let WantedKind::Create(created) = wanted.kind {
            let new = self.reals.len();
            self.of_trace.extend(created.map(|created| (created, new)));
        }
        self.last_call.remove(&thread);
        if event.kind == Kind::Call {
            self.last_call.insert(thread, wanted.clone());
        }
        self.go(real)
    }

    /// A thread that has ended, or is blocked, does not do what the trace says.
    fn without_event(&self, thread: ThreadId, real: usize, wanted: &Wanted) -> Result<(), Trouble> {
        let has_ended = self.reals[real].has_ended();
        match wanted.kind {
            WantedKind::End if has_ended => Ok(()),
            WantedKind::Access { is_monitor: false, .. } => Ok(()),
            _ => Err(self.differs(thread, wanted)),
        }
    }

    fn is_upcoming(&self, thread: ThreadId, event: &Event) -> bool {
        self.upcoming.get(&thread).is_some_and(|all| all.iter().any(|wanted| wanted.is(event)))
    }

    fn settle(&mut self, thread: ThreadId) -> Result<(), Trouble> {
        let Some(real) = self.real_of(thread) else { return Ok(()) };
        for _ in 0..MOST_UNKNOWN {
            let is_over = self.upcoming.get(&thread).is_none_or(|all| all.iter().all(Wanted::is_own));
            let Some(event) = self.reals.get(real).and_then(Real::pending).cloned() else { return Ok(()) };
            if is_over || self.is_upcoming(thread, &event) {
                return Ok(());
            }
            self.go(real)?;
        }
        Ok(())
    }

    pub(crate) fn name(&self, real: usize) -> String {
        let known = self.of_trace.iter().find(|(_, other)| **other == real);
        let name = known.and_then(|(thread, _)| self.names.get(thread.index()));
        name.map_or_else(|| format!("thread {}", real + 1), |name| format!("`{name}`"))
    }

    pub(crate) fn said(&self, real: usize) -> String {
        let what = match &self.reals[real] {
            Real::Pending(event) => format!("is {}", event.said()),
            Real::Waiting(_) => "waits and was not notified".to_string(),
            Real::Blocked => "is blocked".to_string(),
            Real::Ended => "has ended".to_string(),
            Real::Failed { class, .. } => format!("ended with {class}"),
        };
        format!("{} {what}", self.name(real))
    }

    fn differs(&self, thread: ThreadId, wanted: &Wanted) -> Trouble {
        let said = self.real_of(thread).map_or_else(|| "nobody runs".to_string(), |real| self.said(real));
        Trouble::Differs(format!("on the virtual machine {said}, while in the trace {}", wanted.said()))
    }
}
