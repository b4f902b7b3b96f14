//! What is to be seen of a state: the values of all variables, where every thread is, and who waits for which lock.

use crate::waiting::held;
use threadwise_evidence::{for_each_shown, show_typed, shown_local, shown_shared};
use threadwise_ir::{Control, Frame, Instance, LocalId, SharedId, SharedVar, Sort, State, ThreadId, VarRef};
use threadwise_source::Span;
use threadwise_spawn::tells_of_starts;

/// More values of one state than this are not listed.
const MAX_VALUES: usize = 4000;

/// Longer values are cut.
const MAX_TEXT: usize = 240;

/// A state in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Shared variables first, then the threads' own.
    pub variables: Vec<SeenVariable>,
    /// Where each thread is; nothing for one that has ended.
    pub places: Vec<Option<Span>>,
    /// The threads that cannot move before somebody gives a lock back.
    pub waits: Vec<SeenWait>,
}

/// A variable, or an element of an array, and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenVariable {
    pub name: String,
    /// Whose it is; nobody's if it is shared.
    pub thread: Option<ThreadId>,
    pub value: String,
    /// Its value is the thread that holds it.
    pub is_lock: bool,
}

/// A thread that waits for a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenWait {
    pub thread: ThreadId,
    pub lock: String,
    pub holder: String,
}

/// Looks at states of one instance.
pub struct Looker<'a> {
    instance: &'a Instance,
    /// For each shared variable whether somebody takes it as a lock.
    is_taken: Vec<bool>,
}

impl<'a> Looker<'a> {
    pub fn new(instance: &'a Instance) -> Looker<'a> {
        let mut is_taken = vec![false; instance.program.shared.len()];
        for edge in instance.program.edges.iter() {
            if let Some((place, _)) = edge.taken()
                && let VarRef::Shared(var) = place.var
            {
                is_taken[var.index()] = true;
            }
        }
        Looker { instance, is_taken }
    }

    /// All that is to be seen.
    pub fn look(&self, state: &State) -> Seen {
        let threads = || (0..self.instance.threads.len() as u32).map(ThreadId);
        let mut variables = Vec::new();
        self.shared(state, &mut variables);
        threads().for_each(|thread| self.locals(thread, &state.locals[thread.index()], &mut variables));
        Seen {
            variables,
            places: threads().map(|thread| self.place(&state.locals[thread.index()])).collect(),
            waits: threads().filter_map(|thread| self.wait(state, thread)).collect(),
        }
    }

    fn shared(&self, state: &State, out: &mut Vec<SeenVariable>) {
        let program = &self.instance.program;
        let is_shown = |id: SharedId, var: &SharedVar| match shown_shared(self.instance, id) {
            Some(shown) => !shown.is_hidden && !shown.is_status,
            None => !tells_of_starts(program, var),
        };
        for (id, var) in (0..).map(SharedId).zip(&program.shared).filter(|(id, var)| is_shown(*id, var)) {
            let shown = shown_shared(self.instance, id);
            let words = &state.shared[self.instance.shared_range(id)];
            for_each_shown(self.instance, (&var.name, shown), &var.sort, words, &mut |name, sort, words| {
                let value = show_typed(self.instance, shown, sort, words);
                let is_lock = self.is_taken[id.index()] && *sort == Sort::Tid;
                add(out, SeenVariable { name: name.to_string(), thread: None, value, is_lock });
            });
        }
    }

    /// The locals in scope, those of callers with the name of their procedure.
    fn locals(&self, thread: ThreadId, local: &[i64], out: &mut Vec<SeenVariable>) {
        let mut frames: Vec<Frame> = self.instance.frames(local).collect();
        frames.reverse();
        for (depth, frame) in frames.iter().enumerate() {
            let routine = self.instance.program.routine(frame.routine);
            let prefix = if depth > 0 { format!("{}.", routine.name) } else { String::new() };
            let dead = &self.instance.program.location(self.location(frame)).dead;
            for (id, var) in (0..).map(LocalId).zip(&routine.locals) {
                let shown = shown_local(self.instance, frame.routine, id);
                if dead.contains(&id) || shown.is_some_and(|shown| shown.is_hidden) {
                    continue;
                }
                let words = &frame.words[self.instance.local_range(frame.routine, id)];
                for_each_shown(self.instance, (&var.name, shown), &var.sort, words, &mut |name, sort, words| {
                    let value = show_typed(self.instance, shown, sort, words);
                    let name = format!("{prefix}{name}");
                    add(out, SeenVariable { name, thread: Some(thread), value, is_lock: false });
                });
            }
        }
    }

    fn location(&self, frame: &Frame) -> threadwise_ir::LocationId {
        match frame.control {
            Control::At(location) => location,
            Control::Calling(edge) => self.instance.program.edge(edge).from,
        }
    }

    /// The statement that is next.
    fn place(&self, local: &[i64]) -> Option<Span> {
        let program = &self.instance.program;
        if self.instance.has_ended(local) {
            return None;
        }
        let has_text = |span: &Span| span.start < span.end;
        let location = program.location(self.instance.location_of(local));
        let edges = location.edges.iter().map(|&edge| program.edge(edge).span);
        edges.chain([location.span]).find(has_text)
    }

    fn wait(&self, state: &State, thread: ThreadId) -> Option<SeenWait> {
        let (held, _) = held(self.instance, state, thread)?;
        Some(SeenWait { thread, lock: held.lock, holder: held.holder })
    }
}

fn add(out: &mut Vec<SeenVariable>, mut variable: SeenVariable) {
    if let Some((cut, _)) = variable.value.char_indices().nth(MAX_TEXT) {
        variable.value.truncate(cut);
        variable.value.push('…');
    }
    if out.len() < MAX_VALUES {
        out.push(variable);
    }
}
