//! Proofs about any number of copies, by what a few threads are doing and how many others do what beside them.

use crate::stores::{validate_local, validate_shared};
use crate::{FileError, instance_of_case};
use std::sync::Arc;
use threadwise_ir::{Copies, Instance, Program, Store, TemplateId};

/// A set of states of a program with any number of copies of some threads.
///
/// Of a state we see its *core*: the shared store, the local states of the threads whose number is fixed, and those of the
/// copies that the store refers to. All other copies are its *crowd*, in which only how many have which local state
/// counts. With each core it is said which local states its crowd may have, and which of them cannot occur together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoverabilityProof {
    /// For how many copies of each template there are names in the stores here.
    pub copies: Vec<u32>,
    /// The shared stores that occur. Of each template that may have any number of copies, they refer to the first ones, in
    /// the order in which they are referred to.
    pub shared: Vec<Store>,
    /// For each template the local states that occur.
    pub locals: Vec<Vec<Store>>,
    pub cores: Vec<Core>,
    /// How many of certain members there are at a time.
    pub bounded: Vec<Bounded>,
}

/// In no crowd are there more of these than is said of its core.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounded {
    /// What they are: a template, and the index of a local state. Sorted.
    pub members: Vec<(TemplateId, u32)>,
    /// For each core how many there are at most; nothing where any number may be.
    pub most: Vec<Option<u32>>,
}

/// A core, and what is said of its crowd.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Core {
    /// The index of its shared store.
    pub shared: u32,
    /// The indices of the local states of its threads, in the order of the threads.
    pub threads: Vec<u32>,
    /// What a thread in the crowd may be: a template, and the index of a local state. Sorted.
    pub crowd: Vec<(TemplateId, u32)>,
    /// What no crowd contains: indices of the list above, sorted, each as often as there are threads of that kind.
    pub excluded: Vec<Vec<u32>>,
}

impl CoverabilityProof {
    /// How much it lists: cores, and what may be or must not be in their crowds.
    pub fn states(&self) -> u64 {
        self.cores.iter().map(|core| 1 + core.crowd.len() as u64 + core.excluded.len() as u64).sum()
    }

    /// The threads of a core with this shared store: those whose number is fixed, and the copies that it refers to. None if
    /// it does not refer to copies in their order.
    pub fn threads_of_core(instance: &Instance, shared: &[i64]) -> Option<Vec<usize>> {
        let mut named = vec![0; instance.program.templates.len()];
        for tid in instance.identities(shared) {
            let thread = instance.threads.get(usize::try_from(tid).ok()?.checked_sub(1)?)?;
            let named = &mut named[thread.template.index()];
            if instance.program.template(thread.template).copies == Copies::Any && thread.copy > *named + 1 {
                return None;
            }
            *named = thread.copy.max(*named);
        }
        let is_in_core = |thread: &usize| {
            let thread = instance.threads[*thread];
            match instance.program.template(thread.template).copies {
                Copies::Any => thread.copy <= named[thread.template.index()],
                Copies::Single | Copies::Exactly(_) => true,
            }
        };
        Some((0..instance.threads.len()).filter(is_in_core).collect())
    }

    /// Whether the proof fits the program: every store is one, and every index points at something.
    pub fn validate(&self, program: &Arc<Program>) -> Result<Instance, FileError> {
        let instance = instance_of_case(program, &self.copies)?;
        for (template, &copies) in program.templates.iter().zip(&self.copies) {
            let should = match template.copies {
                Copies::Single => 1,
                Copies::Exactly(n) => n,
                Copies::Any => copies,
            };
            if copies != should {
                let message = format!("`{}` has {should} copies, not {copies}", template.name);
                return Err(FileError::new(message).within("copies"));
            }
        }
        for (index, shared) in self.shared.iter().enumerate() {
            validate_shared(&instance, shared).map_err(|e| e.at(index).within("shared"))?;
        }
        if self.locals.len() != program.templates.len() {
            let message = format!("the program has {} threads, not {}", program.templates.len(), self.locals.len());
            return Err(FileError::new(message).within("locals"));
        }
        for (template, locals) in self.locals.iter().enumerate() {
            for (index, local) in locals.iter().enumerate() {
                let name = &program.templates[template].name;
                let valid = validate_local(&instance, TemplateId(template as u32), local);
                valid.map_err(|e| e.at(index).within(name).within("locals"))?;
            }
        }
        for (index, core) in self.cores.iter().enumerate() {
            self.validate_core(&instance, core).map_err(|e| e.at(index).within("cores"))?;
        }
        for (index, bounded) in self.bounded.iter().enumerate() {
            self.validate_bounded(program, bounded).map_err(|e| e.at(index).within("bounded"))?;
        }
        Ok(instance)
    }

    fn validate_bounded(&self, program: &Program, bounded: &Bounded) -> Result<(), FileError> {
        let is_member = |&(template, local): &(TemplateId, u32)| {
            let locals = self.locals.get(template.index());
            locals.is_some_and(|locals| (local as usize) < locals.len())
                && program.template(template).copies == Copies::Any
        };
        if !bounded.members.is_sorted_by(|a, b| a < b) || !bounded.members.iter().all(is_member) {
            return Err(FileError::new("expected a sorted list of members").within("members"));
        }
        if bounded.most.len() != self.cores.len() {
            return Err(FileError::new("expected a number for each core").within("most"));
        }
        Ok(())
    }

    fn validate_core(&self, instance: &Instance, core: &Core) -> Result<(), FileError> {
        let out_of_range = || FileError::new("the index is out of range");
        let shared = self.shared.get(core.shared as usize).ok_or_else(|| out_of_range().within("shared"))?;
        let threads = CoverabilityProof::threads_of_core(instance, shared);
        let threads = threads.ok_or_else(|| FileError::new("copies are not referred to in order").within("shared"))?;
        if threads.len() != core.threads.len() {
            let message =
                format!("with this shared store it has {} threads, not {}", threads.len(), core.threads.len());
            return Err(FileError::new(message).within("threads"));
        }
        let is_local = |template: TemplateId, local: u32| {
            self.locals.get(template.index()).is_some_and(|locals| (local as usize) < locals.len())
        };
        for (at, (&thread, &local)) in threads.iter().zip(&core.threads).enumerate() {
            if !is_local(instance.threads[thread].template, local) {
                return Err(out_of_range().at(at).within("threads"));
            }
        }
        for (at, &(template, local)) in core.crowd.iter().enumerate() {
            let is_of_any_number =
                |t: TemplateId| instance.program.templates.get(t.index()).is_some_and(|t| t.copies == Copies::Any);
            if !is_of_any_number(template) || !is_local(template, local) {
                return Err(out_of_range().at(at).within("crowd"));
            }
        }
        if !core.crowd.is_sorted_by(|a, b| a < b) {
            return Err(FileError::new("the list is not sorted").within("crowd"));
        }
        for (at, excluded) in core.excluded.iter().enumerate() {
            if !excluded.is_sorted() || excluded.iter().any(|&member| member as usize >= core.crowd.len()) {
                return Err(FileError::new("expected sorted indices of the crowd").at(at).within("excluded"));
            }
        }
        Ok(())
    }
}
