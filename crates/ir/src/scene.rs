//! What guards and actions see of the words of a state.

use crate::VarRef;
use crate::eval::{Env, OpenWords};
use crate::inner::{Inner, Origin};
use crate::instance::Instance;
use crate::outcomes::Scene;

/// What an action sees: the words are those after the step.
pub(crate) struct After<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) self_tid: i64,
    pub(crate) state: &'a Inner,
}

impl Scene for After<'_> {
    fn env<'s>(&'s self, words: &'s [i64], is_open: &'s [bool]) -> Env<'s> {
        let (shared, frame) = words.split_at(self.state.shared.len());
        let (routine, start) = self.instance.top_frame(&self.state.local);
        let before = &self.state.local[start..];
        let env = Env::of_thread(self.instance, routine, self.self_tid, &self.state.shared, before);
        let env = env.with_after(shared, frame);
        if is_open.is_empty() { env } else { env.with_open(OpenWords { is_open, between: 0, after: true }) }
    }
}

/// What a guard sees: the words are those of the state, the frames below the running one included.
pub(crate) struct Before<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) self_tid: i64,
    pub(crate) state: Origin<'a>,
}

impl Scene for Before<'_> {
    fn env<'s>(&'s self, words: &'s [i64], is_open: &'s [bool]) -> Env<'s> {
        let (shared, local) = words.split_at(self.state.shared.len());
        let (routine, start) = self.instance.top_frame(self.state.local);
        let env = Env::of_thread(self.instance, routine, self.self_tid, shared, &local[start..]);
        env.with_open(OpenWords { is_open, between: start, after: false })
    }
}

/// The shared store and the topmost frame as one run of words, to choose values in both at once.
pub(crate) struct Joined {
    shared: usize,
    frame: usize,
}

impl Joined {
    pub(crate) fn new(instance: &Instance, state: &Inner) -> Joined {
        Joined { shared: state.shared.len(), frame: instance.top_frame(&state.local).1 }
    }

    pub(crate) fn index(&self, var: VarRef, offset: usize) -> usize {
        match var {
            VarRef::Shared(_) => offset,
            VarRef::Local(_) => self.shared + offset,
        }
    }

    pub(crate) fn words(&self, state: &Inner) -> Vec<i64> {
        [&state.shared[..], &state.local[self.frame..]].concat()
    }

    pub(crate) fn split(&self, words: &[i64], state: &Inner) -> Inner {
        let mut next = state.clone();
        next.shared.copy_from_slice(&words[..self.shared]);
        next.local[self.frame..].copy_from_slice(&words[self.shared..]);
        next
    }
}
