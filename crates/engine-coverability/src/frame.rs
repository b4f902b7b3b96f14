//! Names for the few copies that a shared store refers to.
//!
//! An instance with some copies of each thread gives these their names: those that the store refers to first have the
//! first names. So states that differ only by a permutation of copies have the same core.

use crate::theory::{MAX_PLACES, is_counted, places};
use std::sync::Arc;
use threadwise_ir::{Copies, Instance, Program, TemplateId};

pub(crate) struct Frame {
    pub(crate) instance: Instance,
    /// For how many copies of each template there are names.
    pub(crate) copies: Vec<u32>,
    /// For each template whether it may have any number of copies.
    pub(crate) counted: Vec<bool>,
    /// Whether the shared store can refer to threads.
    refers: bool,
}

/// A shared store in which copies have the names that are theirs, and for each of them its name before and after.
pub(crate) type Naming = (Vec<i64>, Vec<(usize, usize)>);

impl Frame {
    pub(crate) fn new(program: &Arc<Program>) -> Result<Frame, String> {
        let places = places(&Instance::new(program.clone(), 0));
        if places > MAX_PLACES {
            return Err(format!("the shared variables can refer to {places} threads at once"));
        }
        // One more for who takes a step, and one to whom nobody can refer.
        let copies = program.templates.iter().map(|template| match template.copies {
            Copies::Single => 1,
            Copies::Exactly(n) => n,
            Copies::Any => places as u32 + 2,
        });
        let copies: Vec<u32> = copies.collect();
        let templates = (0..program.templates.len() as u32).map(TemplateId);
        Ok(Frame {
            instance: Instance::with_copies(program.clone(), &copies),
            copies,
            counted: templates.map(|template| is_counted(program, template)).collect(),
            refers: places > 0,
        })
    }

    pub(crate) fn is_counted(&self, thread: usize) -> bool {
        self.counted[self.instance.threads[thread].template.index()]
    }

    /// Gives copies new names, in the order in which a store of this or another instance refers to them.
    pub(crate) fn naming(&self, of: &Instance, shared: &[i64]) -> Naming {
        if !self.refers {
            return (shared.to_vec(), Vec::new());
        }
        let mut names: Vec<(usize, usize)> = Vec::new();
        let mut named = vec![0; self.copies.len()];
        for tid in of.identities(shared) {
            let old = tid as usize - 1;
            let template = of.threads[old].template;
            if self.counted[template.index()] && names.iter().all(|(known, _)| *known != old) {
                let new = self.instance.copies_of(template).start + named[template.index()];
                named[template.index()] += 1;
                names.push((old, new));
            }
        }
        let image = |tid: i64| match usize::try_from(tid - 1) {
            Ok(old) => 1 + self.image(of, &names, old) as i64,
            Err(_) => 0,
        };
        (of.rename(shared, &image), names)
    }

    fn image(&self, of: &Instance, names: &[(usize, usize)], old: usize) -> usize {
        let known = names.iter().find(|(known, _)| *known == old);
        known.map_or_else(|| same_thread(of, old, &self.instance), |&(_, new)| new)
    }
}

/// The thread of another instance that is the same copy of the same template.
pub(crate) fn same_thread(of: &Instance, thread: usize, other: &Instance) -> usize {
    let thread = of.threads[thread];
    other.copies_of(thread.template).start + thread.copy as usize - 1
}
