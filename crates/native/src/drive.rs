//! Leads the threads of the process through the steps of a trace.

use crate::Trouble;
use crate::build::Binary;
use crate::event::{Event, Kind};
use crate::heap::Heap;
use crate::places::Places;
use crate::plan::{Deed, DeedKind};
use crate::process::Process;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use threadwise_ir::{Instance, ThreadId};
use threadwise_source::{SourceMap, Span};

/// So far ahead is looked for a load that the compiler does earlier.
const AHEAD: usize = 12;

/// How many bytes a scalar has at most.
const LARGEST_SCALAR: u64 = 8;

/// A thread of the process.
#[derive(Debug, Default)]
pub(crate) struct Real {
    /// What it is about to do; nothing before it was started.
    pub(crate) pending: Option<Event>,
    /// Loads that it did before the trace does.
    early: Vec<u64>,
    /// What it accessed at once, and the trace part by part.
    covered: Vec<Covered>,
}

/// Bytes that were accessed at once.
#[derive(Debug)]
struct Covered {
    from: u64,
    to: u64,
    stored: bool,
    /// The parts of which the trace has told that they were accessed.
    told: BTreeSet<u64>,
}

pub(crate) struct Driver<'a> {
    pub(crate) process: Process,
    pub(crate) places: Places<'a>,
    pub(crate) threads: Vec<Real>,
    /// Which thread of the process a thread of the trace is.
    pub(crate) of_trace: BTreeMap<ThreadId, usize>,
    /// Threads that were created, but nobody knows which ones of the trace they are.
    nameless: VecDeque<usize>,
    /// How often a thread went on.
    moves: u64,
    /// What each thread still does in the trace.
    upcoming: BTreeMap<ThreadId, VecDeque<Deed>>,
    /// Where the process did not do exactly what the trace says, and it was made to fit.
    pub(crate) liberties: Vec<String>,
    pub(crate) source: Arc<SourceMap>,
    /// The names of the threads of the trace.
    pub(crate) names: Vec<String>,
    pub(crate) binary: &'a Path,
    lines: BTreeMap<u64, Option<u32>>,
    /// What is or was on the heap.
    pub(crate) heap: Heap,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(
        mut process: Process,
        places: Places<'a>,
        binary: &'a Binary,
        instance: &Instance,
        upcoming: BTreeMap<ThreadId, VecDeque<Deed>>,
    ) -> Result<Driver<'a>, Trouble> {
        let first = process.next()?.map(|(event, _)| event);
        let main = Real { pending: Some(first.ok_or_else(ended)?), ..Real::default() };
        Ok(Driver {
            process,
            places,
            threads: vec![main],
            of_trace: [(ThreadId(0), 0)].into(),
            nameless: VecDeque::new(),
            moves: 0,
            upcoming,
            liberties: Vec::new(),
            source: instance.program.source.clone(),
            names: (1..=instance.threads.len() as i64).map(|tid| instance.tid_name(tid)).collect(),
            binary: &binary.path,
            lines: BTreeMap::new(),
            heap: Heap::new(&binary.symbols),
        })
    }

    /// The thread of the process that a thread of the trace is.
    pub(crate) fn real_of(&self, thread: ThreadId) -> Option<usize> {
        self.of_trace.get(&thread).copied()
    }

    pub(crate) fn pending(&self, real: usize) -> Option<Event> {
        self.threads.get(real)?.pending
    }

    pub(crate) fn go(&mut self, real: usize, value: u64) -> Result<(), Trouble> {
        let event = self.process.go(real, value)?.ok_or_else(ended)?;
        if event.thread != real {
            return Err(Trouble::Differs("another thread went on than was told to".to_string()));
        }
        self.threads[real].pending = Some(event);
        self.moves += 1;
        Ok(())
    }

    /// How much a thread still does in the trace.
    pub(crate) fn left(&self, thread: ThreadId) -> usize {
        self.upcoming.get(&thread).map_or(0, VecDeque::len)
    }

    /// Whether no thread is further than the trace in what others can see.
    pub(crate) fn is_in_step(&self) -> bool {
        self.threads.iter().all(|thread| thread.covered.is_empty())
    }

    /// A thread does what it does next in the trace.
    pub(crate) fn perform(&mut self, thread: ThreadId) -> Result<(), Trouble> {
        let Some(deed) = self.upcoming.get_mut(&thread).and_then(VecDeque::pop_front) else { return Ok(()) };
        if deed.kind == DeedKind::Start {
            return self.start(thread);
        }
        let Some(real) = self.real_of(thread) else {
            return Err(Trouble::Differs("a thread runs in the trace that was not created".to_string()));
        };
        if !matches!(deed.kind, DeedKind::Access { .. }) {
            self.threads[real].covered.clear();
        }
        loop {
            let before = self.moves;
            let Some(event) = self.pending(real) else {
                return Err(Trouble::Differs("a thread runs in the trace that was not started".to_string()));
            };
            if self.is_done(real, &deed) || self.fulfil(thread, real, &event, &deed)? {
                return Ok(());
            }
            if self.moves > before {
                continue;
            }
            if self.is_unseen(&event, Some(&deed)) {
                self.go(real, 0)?;
            } else if !self.make_fit(thread, real, &event, &deed)? {
                return Ok(());
            }
        }
    }

    fn start(&mut self, thread: ThreadId) -> Result<(), Trouble> {
        let named = self.real_of(thread);
        let real = named.or_else(|| self.nameless.pop_front());
        let Some(real) = real else {
            return Err(Trouble::Differs("a thread runs in the trace that was not created".to_string()));
        };
        self.of_trace.insert(thread, real);
        self.go(real, 0)
    }

    /// A thread goes on to what others can see next.
    pub(crate) fn settle(&mut self, thread: ThreadId) -> Result<(), Trouble> {
        let Some(real) = self.real_of(thread) else { return Ok(()) };
        while let Some(event) = self.pending(real) {
            let next = self.upcoming.get(&thread).and_then(VecDeque::front).cloned();
            if !self.is_unseen(&event, next.as_ref()) {
                break;
            }
            self.go(real, 0)?;
        }
        Ok(())
    }

    /// Whether an event is none that the trace has: something is accessed that no other thread reaches.
    fn is_unseen(&mut self, event: &Event, next: Option<&Deed>) -> bool {
        if !event.is_access() && !event.is_of_library() {
            return false;
        }
        if self.places.is_visible(event.address, event.size) || self.heap.fault(event).is_some() {
            return false;
        }
        !next.is_some_and(|deed| self.may_be_first_of(event, deed))
    }

    /// Whether an event may be a deed to an object of which nobody knows yet where it is.
    fn may_be_first_of(&mut self, event: &Event, deed: &Deed) -> bool {
        let DeedKind::Access { address, size, writes, of_library, .. } = deed.kind else { return false };
        let Some((key, _)) = self.places.key_of(address) else { return false };
        if self.places.is_bound(key) || self.places.object_at(event.address).is_some() {
            return false;
        }
        // A scalar of another size is something else; what is larger than any scalar is copied at once.
        let is_alike = event.size == size || event.size > LARGEST_SCALAR;
        let fits =
            if of_library { event.is_of_library() } else { is_alike && fits(event, event.address, size, writes) };
        fits && self.is_on_line(event.place, deed.span)
    }

    /// Whether the machine is where the trace is in the text, as far as is known.
    fn is_on_line(&mut self, place: u64, span: Span) -> bool {
        let binary = self.binary;
        let line = *self.lines.entry(place).or_insert_with(|| line_of(binary, place));
        line.is_none_or(|line| line as usize == self.source.position(span.start).line as usize)
    }

    /// Whether a deed was done before, together with another one.
    fn is_done(&mut self, real: usize, deed: &Deed) -> bool {
        let DeedKind::Access { address, size, writes, of_library: false, .. } = deed.kind else { return false };
        let Some(at) = self.places.real(address) else { return false };
        let thread = &mut self.threads[real];
        if let Some(index) = thread.early.iter().position(|&early| early == at).filter(|_| !writes) {
            thread.early.remove(index);
            return true;
        }
        let is_in = |covered: &Covered| covered.from <= at && at + size <= covered.to && covered.stored == writes;
        thread.covered.iter_mut().any(|covered| is_in(covered) && covered.told.insert(at))
    }

    /// Lets a thread do what the trace says, if that is what it is about to do.
    fn fulfil(&mut self, thread: ThreadId, real: usize, event: &Event, deed: &Deed) -> Result<bool, Trouble> {
        match deed.kind {
            DeedKind::Access { address, size, writes, of_library, .. } => {
                if self.may_be_first_of(event, deed)
                    && let Some((key, offset)) = self.places.key_of(address)
                {
                    self.places.bind(key, event.address - offset);
                }
                let Some(at) = self.places.real(address) else { return Ok(false) };
                if of_library {
                    let is_it = event.is_of_library() && event.address == at;
                    if is_it {
                        self.go(real, u64::from(event.kind == Kind::Try && !writes))?;
                    }
                    return Ok(is_it);
                }
                self.access(thread, real, event, (at, size, writes), deed.step)
            }
            DeedKind::Allocate(address) => self.allocate(real, event, address),
            DeedKind::Free(_) if event.kind == Kind::Free => {
                self.heap.freed(event.address);
                self.go(real, 0).map(|()| true)
            }
            DeedKind::Create(created) if event.kind == Kind::Create => {
                let new = self.threads.len();
                self.threads.push(Real::default());
                match created {
                    Some(created) => drop(self.of_trace.insert(created, new)),
                    None => self.nameless.push_back(new),
                }
                self.go(real, 0).map(|()| true)
            }
            DeedKind::End if event.kind == Kind::End => Ok(true),
            DeedKind::Join if event.kind == Kind::Join => self.go(real, 0).map(|()| true),
            DeedKind::Any(value) if event.kind == Kind::Any => self.go(real, value.unwrap_or(0) as u64).map(|()| true),
            DeedKind::Start
            | DeedKind::Free(_)
            | DeedKind::Create(_)
            | DeedKind::End
            | DeedKind::Join
            | DeedKind::Any(_) => Ok(false),
        }
    }

    fn access(
        &mut self,
        thread: ThreadId,
        real: usize,
        event: &Event,
        (at, size, writes): (u64, u64, bool),
        step: usize,
    ) -> Result<bool, Trouble> {
        let is_range = event.size > size && event.kind != Kind::Atomic;
        let inside = event.address <= at && at + size <= event.address + event.size;
        if is_range && event.is_access() && (inside && event.writes() == writes || self.is_copied_to(thread, event)) {
            // What is copied at once is several steps of the trace.
            let (from, to, stored) = (event.address, event.address + event.size, event.writes());
            self.threads[real].covered.push(Covered { from, to, stored, told: BTreeSet::new() });
            self.go(real, 0)?;
            return Ok(false);
        }
        if !fits(event, at, size, writes) {
            return Ok(false);
        }
        self.threads[real].covered.clear();
        self.go(real, 0)?;
        // A load and a store that are one operation for the machine are two for the trace, in one step. An exchange that
        // fails stores nothing: a store in a later step is another operation.
        if event.kind == Kind::Atomic && !writes && event.writes() {
            let next = self.upcoming.get(&thread).and_then(VecDeque::front).filter(|deed| deed.step == step);
            if let Some(DeedKind::Access { address, writes: true, of_library: false, .. }) = next.map(|deed| &deed.kind)
                && self.places.real(*address) == Some(at)
            {
                self.upcoming.get_mut(&thread).and_then(VecDeque::pop_front);
            }
        }
        Ok(true)
    }

    /// Whether an event stores all at once what the trace stores part by part.
    fn is_copied_to(&self, thread: ThreadId, event: &Event) -> bool {
        let deeds = self.upcoming.get(&thread);
        deeds.into_iter().flatten().take(AHEAD).any(|deed| match deed.kind {
            DeedKind::Access { address, size, writes, of_library: false, .. } => {
                let at = self.places.real(address);
                writes == event.writes()
                    && size < event.size
                    && at.is_some_and(|at| event.address <= at && at + size <= event.address + event.size)
            }
            _ => false,
        })
    }

    fn allocate(&mut self, real: usize, event: &Event, address: i64) -> Result<bool, Trouble> {
        if event.kind != Kind::Allocate {
            return Ok(false);
        }
        let Some((key, _)) = self.places.key_of(address) else { return Ok(false) };
        let old = self.places.begin_of(key).unwrap_or(0);
        self.go(real, old)?;
        if let Some(Event { kind: Kind::Allocate, value: 1, address, size, .. }) = self.pending(real) {
            self.places.bind(key, address);
            self.heap.allocated(address, size);
            self.go(real, 0)?;
        }
        Ok(true)
    }

    /// The process is about to do something else. Loads may be done in another order, or left out; what the trace does not
    /// know of is let pass. Tells whether the deed is still to be done.
    fn make_fit(&mut self, thread: ThreadId, real: usize, event: &Event, deed: &Deed) -> Result<bool, Trouble> {
        let is_load = event.is_access() && !event.writes();
        let is_optional = match deed.kind {
            DeedKind::Access { writes, of_library, .. } => !writes && !of_library,
            DeedKind::Any(_) | DeedKind::Allocate(_) => true,
            DeedKind::Free(_) | DeedKind::Create(_) | DeedKind::Start | DeedKind::End | DeedKind::Join => false,
        };
        let text = format!("{} at {}", self.said(event), self.source.locate(deed.span));
        if is_load && (!is_optional || self.is_ahead(thread, event)) {
            self.liberties.push(text);
            self.threads[real].early.push(event.address);
            self.go(real, 0)?;
            return Ok(true);
        }
        let is_kept = is_optional && event.kind == Kind::Allocate && self.allocates_soon(thread);
        let may_pass = matches!(event.kind, Kind::Any | Kind::Touch | Kind::Allocate) && !is_kept;
        if !matches!(deed.kind, DeedKind::Allocate(_)) && may_pass {
            if (event.kind, event.value) == (Kind::Allocate, 1) {
                self.heap.allocated(event.address, event.size);
            }
            self.go(real, 0)?;
            return Ok(true);
        }
        if is_optional {
            // What lives on a stack is not asked for.
            self.liberties.extend((!matches!(deed.kind, DeedKind::Allocate(_))).then_some(text));
            return Ok(false);
        }
        Err(self.differs(event, deed))
    }

    /// Whether the trace is about to ask for memory, too.
    fn allocates_soon(&self, thread: ThreadId) -> bool {
        let deeds = self.upcoming.get(&thread);
        deeds.into_iter().flatten().take(AHEAD).any(|deed| matches!(deed.kind, DeedKind::Allocate(_)))
    }

    fn is_ahead(&self, thread: ThreadId, event: &Event) -> bool {
        let deeds = self.upcoming.get(&thread);
        deeds.into_iter().flatten().take(AHEAD).any(|deed| match deed.kind {
            DeedKind::Access { address, writes: false, .. } => self.places.real(address) == Some(event.address),
            _ => false,
        })
    }
}

fn ended() -> Trouble {
    Trouble::Differs("the compiled program ended before the trace does".to_string())
}

/// Whether an event is an access of these bytes.
fn fits(event: &Event, at: u64, size: u64, writes: bool) -> bool {
    let covers = event.address <= at && at + size <= event.address + event.size;
    match event.kind {
        Kind::Read => covers && !writes,
        Kind::Write => covers && writes,
        Kind::Atomic => covers,
        _ => false,
    }
}

/// The line of the text that a place in the code comes from, as `addr2line` says.
pub(crate) fn line_of(binary: &Path, place: u64) -> Option<u32> {
    let output = Command::new("addr2line").arg("-e").arg(binary).arg(format!("{:#x}", place.checked_sub(1)?)).output();
    let text = String::from_utf8_lossy(&output.ok()?.stdout).into_owned();
    let line = text.trim().rsplit_once(':')?.1;
    line.split_whitespace().next()?.parse().ok()
}
