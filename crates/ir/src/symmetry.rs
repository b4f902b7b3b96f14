//! Copies of a thread that cannot be told apart.
//!
//! Permuting the copies of a thread maps executions to executions, unless the program looks at
//! their numbers with `ord`: nothing else in the language names a single copy. So a state stands
//! for all states that differ from it by such a permutation.
//!
//! What makes canonical states easy to find: as long as thread identities occur only directly in
//! shared variables (in a `tid`, a `set<tid>`, an array of these, or as the keys of an array of
//! something else), a state is determined by what does not speak of copies, and by each copy's
//! local state and *profile*: how the shared variables refer to it. Copies with the same local
//! state and profile can be swapped without changing the state. Identities in local variables, or
//! identities reached through identities, would need a search for graph isomorphisms instead;
//! programs that have them are not reduced.

use crate::{Copies, Instance, Program, SharedId, Sort, TemplateId};

/// What copies of threads can be permuted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Copies of these threads, each thread's among themselves.
    Among(Vec<TemplateId>),
    /// None, for this reason.
    Broken(&'static str),
}

impl Program {
    /// Which threads have copies that can be permuted.
    pub fn symmetry(&self) -> Symmetry {
        if self.uses_ord() {
            return Symmetry::Broken("`ord` tells copies apart");
        }
        if self.routines.iter().flat_map(|r| &r.locals).any(|v| v.sort.mentions_tid()) {
            return Symmetry::Broken("local variables hold thread identities");
        }
        if !self.shared.iter().all(|v| refers_directly(&v.sort)) {
            return Symmetry::Broken("shared variables hold thread identities inside thread-indexed data");
        }
        let replicated = |t: &Copies| match t {
            Copies::Single => false,
            Copies::Exactly(n) => *n >= 2,
            Copies::Any => true,
        };
        let all = self.templates.iter().enumerate();
        Symmetry::Among(all.filter(|(_, t)| replicated(&t.copies)).map(|(i, _)| TemplateId(i as u32)).collect())
    }
}

fn refers_directly(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => **element == Sort::Tid || !element.mentions_tid(),
        Sort::Array(key, element) if key.mentions_tid() => !element.mentions_tid(),
        Sort::Array(_, element) => refers_directly(element),
        _ => true,
    }
}

impl Instance {
    /// How a shared store refers to a thread. Copies with equal profiles are referred to alike.
    pub fn profile(&self, shared: &[i64], tid: i64) -> Vec<i64> {
        let mut profile = Vec::new();
        for (index, var) in self.program.shared.iter().enumerate() {
            if var.sort.mentions_tid() {
                self.profile_of(&var.sort, &shared[self.shared_range(SharedId(index as u32))], tid, &mut profile);
            }
        }
        profile
    }

    fn profile_of(&self, sort: &Sort, words: &[i64], tid: i64, out: &mut Vec<i64>) {
        match sort {
            Sort::Tid => out.push((words[0] == tid) as i64),
            Sort::Set(element) if **element == Sort::Tid => {
                let bit = tid as usize;
                out.push(words[bit / 64] >> (bit % 64) & 1);
            }
            Sort::Array(key, element) if **key == Sort::Tid => {
                let size = self.words(element);
                out.extend_from_slice(&words[tid as usize * size..(tid as usize + 1) * size]);
            }
            Sort::Array(_, element) if element.mentions_tid() => {
                let size = self.words(element).max(1);
                words.chunks(size).for_each(|chunk| self.profile_of(element, chunk, tid, out));
            }
            _ => {}
        }
    }

    /// The shared store with every thread identity replaced by its image. The image of a thread
    /// must be a copy of the same thread, and no two threads may have the same image.
    pub fn rename(&self, shared: &[i64], image: &dyn Fn(i64) -> i64) -> Vec<i64> {
        let mut renamed = shared.to_vec();
        for (index, var) in self.program.shared.iter().enumerate() {
            if var.sort.mentions_tid() {
                let range = self.shared_range(SharedId(index as u32));
                self.rename_words(&var.sort, &shared[range.clone()], &mut renamed[range], image);
            }
        }
        renamed
    }

    fn rename_words(&self, sort: &Sort, from: &[i64], to: &mut [i64], image: &dyn Fn(i64) -> i64) {
        match sort {
            Sort::Tid => to[0] = image(from[0]),
            Sort::Set(element) if **element == Sort::Tid => {
                to.fill(0);
                for tid in 0..=self.threads.len() {
                    let target = image(tid as i64) as usize;
                    to[target / 64] |= (from[tid / 64] >> (tid % 64) & 1) << (target % 64);
                }
            }
            Sort::Array(key, element) => {
                let size = self.words(element);
                for rank in 0..from.len() / size.max(1) {
                    let target = if **key == Sort::Tid { image(rank as i64) as usize } else { rank };
                    let (a, b) = (rank * size..(rank + 1) * size, target * size..(target + 1) * size);
                    if element.mentions_tid() {
                        self.rename_words(element, &from[a], &mut to[b], image);
                    } else {
                        to[b].copy_from_slice(&from[a]);
                    }
                }
            }
            _ => {}
        }
    }
}
