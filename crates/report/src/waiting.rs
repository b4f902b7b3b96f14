//! Who waits for what.

use crate::facts::Facts;
use crate::statement::{Statement, statement};
use threadwise_evidence::{position, show_value};
use threadwise_ir::{EdgeId, Env, Instance, Location, Op, Pattern, Program, PropertyId, Sort, State, ThreadId, VarRef};
use threadwise_source::Span;

/// More threads that wait than this are not listed.
const MAX_WAITERS: usize = 16;

/// Statements are cut to this many characters.
const MAX_STATEMENT: usize = 72;

/// A thread that waits for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiter {
    /// Its name.
    pub thread: String,
    /// Which one it is.
    pub id: ThreadId,
    /// Where it is.
    pub span: Span,
    /// The statement that it cannot get past.
    pub statement: Statement,
    /// The mutex that it waits for, and who holds it.
    pub lock: Option<Held>,
    /// Values that show why it waits: `full == true`.
    pub facts: Vec<String>,
}

/// A mutex that somebody holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    pub lock: String,
    pub holder: String,
    /// The holder has ended.
    pub ended: bool,
}

/// Threads that wait for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standstill {
    /// All threads stand still.
    pub whole: bool,
    pub waiters: Vec<Waiter>,
    /// How many more wait.
    pub more: usize,
    /// Those that wait for each other's mutexes, each with the mutex that the next one holds; the last one waits for the first
    /// one's, or for one of a thread that has ended. Empty where there are none.
    pub cycle: Vec<(String, Held)>,
}

/// The threads that have a part in a deadlock or in a cycle of locks.
pub(crate) fn standstill(instance: &Instance, state: &State, property: PropertyId) -> Option<Standstill> {
    let threads = (0..instance.threads.len() as u32).map(ThreadId);
    let shown: Vec<_> = threads.clone().map(|thread| state.steps(instance, thread).shown).collect();
    let met = instance.program.patterns_met(&shown.iter().collect::<Vec<_>>());
    let waits = |thread: &ThreadId| !instance.may_rest(&state.locals[thread.index()]);
    let pattern = instance.program.property(property).pattern()?;
    let mut waiting: Vec<ThreadId> = match pattern {
        Pattern::Signs(_) => return None,
        Pattern::Deadlock => threads.filter(waits).collect(),
        Pattern::LockCycle => {
            let met = met.into_iter().find(|met| met.property == property)?;
            met.threads.into_iter().map(|thread| ThreadId(thread as u32)).filter(waits).collect()
        }
    };
    let cycle = cycle(instance, state, &waiting);
    let more = waiting.len().saturating_sub(MAX_WAITERS);
    waiting.truncate(MAX_WAITERS);
    let waiters = waiting.into_iter().map(|thread| waiter(instance, state, thread)).collect();
    let whole = matches!(pattern, Pattern::Deadlock);
    Some(Standstill { whole, waiters, more, cycle })
}

fn waiter(instance: &Instance, state: &State, thread: ThreadId) -> Waiter {
    let local = &state.locals[thread.index()];
    let program = &instance.program;
    let location = program.location(instance.location_of(local));
    let only = program.only_way(instance.location_of(local)).filter(|&edge| {
        let edge = program.edge(edge);
        edge.taken().is_some() || !program.location(edge.to).transient
    });
    let here = span_of_next(program, location);
    let statement_here =
        Statement { text: program.source.snippet(here, MAX_STATEMENT), position: position(instance, here), span: here };
    // What the user has not written himself stands where he has it done.
    let callers = program.telling.as_ref().map(|telling| &telling.callers).filter(|callers| !callers.is_empty());
    let called = callers.and_then(|callers| location.edges.iter().find_map(|edge| callers.get(edge)));
    let called = called.map(|&span| Statement {
        text: program.source.snippet(span, MAX_STATEMENT),
        position: position(instance, span),
        span,
    });
    Waiter {
        thread: name(instance, thread),
        id: thread,
        span: called.as_ref().map(|called| called.span).or(only.map(|edge| program.edge(edge).span)).unwrap_or(here),
        statement: called.or(only.map(|edge| statement(instance, edge))).unwrap_or(statement_here),
        lock: held(instance, state, thread).map(|(held, _)| held),
        facts: only.map_or_else(Vec::new, |edge| facts(instance, state, thread, edge)),
    }
}

/// The statement that is next. In languages whose statements are many steps, a point between two of them belongs to the one
/// that its edges come from.
fn span_of_next(program: &Program, location: &Location) -> Span {
    let edges = location.edges.iter().filter(|_| program.telling.is_some()).map(|&edge| program.edge(edge).span);
    edges.into_iter().find(|span| span.start < span.end).unwrap_or(location.span)
}

/// The values that a guard looks at.
fn facts(instance: &Instance, state: &State, thread: ThreadId, edge: EdgeId) -> Vec<String> {
    let Op::Command(command) = &instance.program.edge(edge).op else { return Vec::new() };
    let local = &state.locals[thread.index()];
    let (routine, start) = instance.top_frame(local);
    let env = Env::of_thread(instance, routine, i64::from(thread.0) + 1, &state.shared, &local[start..]);
    let mut facts = Facts::of_thread(env, routine);
    command.guard.iter().for_each(|guard| facts.about(guard));
    facts.finish()
}

/// The mutex that the thread waits for, if it is one and that is all it waits for.
pub(crate) fn held(instance: &Instance, state: &State, thread: ThreadId) -> Option<(Held, ThreadId)> {
    let local = &state.locals[thread.index()];
    let edge = instance.program.only_way(instance.location_of(local))?;
    let tid = instance.holder(thread, &state.shared, local, edge)?;
    let holder = ThreadId(u32::try_from(tid - 1).ok()?);
    let ended = instance.has_ended(&state.locals[holder.index()]);
    let (place, _) = instance.program.edge(edge).taken()?;
    let (routine, start) = instance.top_frame(local);
    let mut env = Env::of_thread(instance, routine, i64::from(thread.0) + 1, &state.shared, &local[start..]);
    let mut sort = instance.sort_of(routine, place.var);
    let mut lock = match place.var {
        VarRef::Shared(var) => instance.program.shared[var.index()].name.to_string(),
        VarRef::Local(_) => return None,
    };
    for index in &place.indices {
        let Sort::Array(key, element) = sort else { return None };
        lock.push_str(&format!("[{}]", show_value(instance, key, &[env.scalar(index).ok()?])));
        sort = element;
    }
    Some((Held { lock, holder: instance.tid_name(tid), ended }, holder))
}

/// The first threads that wait for each other's mutexes around a cycle, or for one that has ended.
fn cycle(instance: &Instance, state: &State, waiting: &[ThreadId]) -> Vec<(String, Held)> {
    for &first in waiting {
        let mut way: Vec<(ThreadId, Held)> = Vec::new();
        let mut thread = first;
        while let Some((held, holder)) = held(instance, state, thread) {
            if way.iter().any(|(earlier, _)| *earlier == thread) {
                break;
            }
            let is_last = holder == first || held.ended;
            way.push((thread, held));
            if is_last {
                return way.into_iter().map(|(thread, held)| (name(instance, thread), held)).collect();
            }
            thread = holder;
        }
    }
    Vec::new()
}

fn link(thread: &str, held: &Held) -> String {
    let Held { lock, holder, ended } = held;
    match (holder == thread, ended) {
        (true, _) => format!("{thread} waits for {lock}, which it holds itself"),
        (false, true) => format!("{thread} waits for {lock}, held by {holder}, which has ended"),
        (false, false) => format!("{thread} waits for {lock}, held by {holder}"),
    }
}

impl Waiter {
    /// What it waits for, in a few words.
    pub fn why(&self) -> String {
        match &self.lock {
            Some(held) => link(&self.thread, held).split_off(self.thread.len() + 1),
            None if self.facts.is_empty() => "waits".to_string(),
            None => format!("waits, with {}", self.facts.join(", ")),
        }
    }
}

fn name(instance: &Instance, thread: ThreadId) -> String {
    instance.tid_name(i64::from(thread.0) + 1)
}

impl Standstill {
    /// The cycle, drawn: a line for each thread, and an arrow from the last one back to the first. Of a long one the
    /// beginning and the end. Nothing where one thread waits alone: its own line says all.
    ///
    /// ```text
    /// ┌─► P waits for b, held by
    /// │   Q waits for a, held by
    /// └── P
    /// ```
    pub fn drawing(&self) -> Vec<String> {
        let Some((_, last)) = self.cycle.last().filter(|_| self.cycle.len() > 1) else { return Vec::new() };
        let links = self.cycle.iter().map(|(thread, held)| format!("{thread} waits for {}, held by", held.lock));
        let mut links: Vec<String> = links.collect();
        if links.len() > MAX_WAITERS {
            let left_out = links.len() + 1 - MAX_WAITERS;
            links.splice(MAX_WAITERS / 2..MAX_WAITERS / 2 + left_out, [format!("… and so on, {left_out} more …")]);
        }
        if last.ended {
            return links.into_iter().chain([format!("{}, which has ended", last.holder)]).collect();
        }
        let sides = ["┌─►"].into_iter().chain(std::iter::repeat("│  "));
        let lines = sides.zip(&links).map(|(side, link)| format!("{side} {link}"));
        lines.chain([format!("└── {}", last.holder)]).collect()
    }

    /// What has happened, in a few words.
    pub(crate) fn what(&self) -> &'static str {
        let is_kept = |waiter: &Waiter| waiter.lock.as_ref().is_some_and(|held| held.ended);
        match self.whole {
            true => "deadlock",
            false if self.waiters.iter().any(is_kept) => "a lock is never given back",
            false => "cycle of locks",
        }
    }

    /// What has come to a standstill.
    pub(crate) fn text(&self) -> &'static str {
        match self.whole {
            true => "no thread can take a step",
            false if self.waiters.len() == 1 => "this thread never takes a step again, whatever the others do",
            false => "these threads never take a step again, whatever the others do",
        }
    }
}
