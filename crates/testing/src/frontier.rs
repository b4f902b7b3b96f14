//! The proof of the frontier search, from whole states.

use crate::annotation::by_store;
use crate::search::{after, initial_states};
use std::collections::BTreeSet;
use threadwise_evidence::{FrontierProof, StatesByStore, TraceStep};
use threadwise_ir::{Instance, State, Store, ThreadId};

/// The sets of the plain frontier search, computed from whole states.
pub fn frontier(instance: &Instance) -> FrontierProof {
    let projected = |states: &[State]| -> Vec<StatesByStore> {
        let of_thread = |thread: usize| {
            let pairs: BTreeSet<(Store, Store)> =
                states.iter().map(|state| (state.shared.clone(), state.locals[thread].clone())).collect();
            by_store(pairs.into_iter())
        };
        (0..instance.threads.len()).map(of_thread).collect()
    };
    let mut iterates = vec![projected(&initial_states(instance))];
    loop {
        let last = iterates.last().expect("there is a first");
        let mut reached = Vec::new();
        for state in combined(last) {
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                for s in state.steps(instance, thread).successors {
                    let step = TraceStep { thread, path: s.path, shared: s.shared, local: s.local };
                    reached.push(after(&state, &step));
                }
            }
        }
        let next = projected(&reached);
        if iterates.contains(&next) {
            return FrontierProof { iterates };
        }
        iterates.push(next);
    }
}

/// All states that thread states can be combined to.
fn combined(threads: &[StatesByStore]) -> Vec<State> {
    let mut states = Vec::new();
    for (shared, _) in &threads[0] {
        let mut all: Vec<Vec<Store>> = vec![Vec::new()];
        for thread in threads {
            let here = thread.iter().filter(|(store, _)| store == shared).flat_map(|(_, locals)| locals);
            let here: Vec<Store> = here.cloned().collect();
            let extend = |locals: &Vec<Store>| -> Vec<Vec<Store>> {
                here.iter().map(|local| [locals.as_slice(), std::slice::from_ref(local)].concat()).collect()
            };
            all = all.iter().flat_map(extend).collect();
        }
        states.extend(all.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    states
}
