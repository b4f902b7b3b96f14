//! A core with some members of its crowd as a state of an instance with just these threads.

use crate::forward::{Forward, Spot};
use crate::frame::same_thread;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use threadwise_ir::{Instance, State, Store};

/// Instances by their numbers of copies.
#[derive(Default)]
pub(crate) struct Instances(FxHashMap<Vec<u32>, Rc<Instance>>);

impl Instances {
    /// The state, and the instance that it is a state of.
    pub(crate) fn state(&mut self, forward: &Forward<'_>, spot: &Spot, crowd: &[u32]) -> (Rc<Instance>, State) {
        let frame = &forward.frame.instance;
        let mut copies = vec![0; forward.frame.copies.len()];
        spot.threads.iter().for_each(|&thread| copies[frame.threads[thread].template.index()] += 1);
        let first: Vec<u32> = copies.clone();
        crowd.iter().for_each(|&member| copies[forward.members[member as usize].0.index()] += 1);
        let instance = self
            .0
            .entry(copies)
            .or_insert_with_key(|copies| Rc::new(Instance::with_copies(frame.program.clone(), copies)));
        let image = |tid: i64| match usize::try_from(tid - 1) {
            Ok(thread) => 1 + same_thread(frame, thread, instance) as i64,
            Err(_) => 0,
        };
        let shared = frame.rename(forward.tables.shared.get(spot.shared), &image).into();
        let mut locals: Vec<Store> = vec![Store::default(); instance.threads.len()];
        for (&thread, &local) in spot.threads.iter().zip(&spot.locals) {
            let template = frame.threads[thread].template.index();
            locals[same_thread(frame, thread, instance)] = forward.tables.locals[template].get(local).into();
        }
        let mut next = first;
        for &member in crowd {
            let (template, local) = forward.members[member as usize];
            let place = instance.copies_of(template).start + next[template.index()] as usize;
            locals[place] = forward.tables.locals[template.index()].get(local).into();
            next[template.index()] += 1;
        }
        (instance.clone(), State { shared, locals })
    }
}
