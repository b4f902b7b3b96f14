use crate::FileError;
use crate::ReachableSet;
use crate::stores::{validate_local, validate_shared};
use threadwise_ir::{Instance, TemplateId};

impl ReachableSet {
    /// The states, each as the index of its shared store and of each thread's local state.
    pub fn rows(&self, instance: &Instance) -> impl Iterator<Item = &[u32]> {
        self.states.chunks(1 + instance.threads.len())
    }

    /// Whether the set fits the instance: every store is one, and every index points at one.
    /// It says nothing about whether the set proves anything.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        let templates = instance.program.templates.len();
        if let Some(at) = self.symmetric.iter().position(|template| template.index() >= templates) {
            return Err(FileError::new("the program has no such thread").at(at).within("symmetric"));
        }
        self.folding.validate(&instance.program).map_err(|e| e.within("folding"))?;
        for (index, shared) in self.shared.iter().enumerate() {
            validate_shared(instance, shared).map_err(|e| e.at(index).within("shared"))?;
        }
        if self.locals.len() != templates {
            let message = format!("the program has {templates} threads, not {}", self.locals.len());
            return Err(FileError::new(message).within("locals"));
        }
        for (template, locals) in self.locals.iter().enumerate() {
            let name = &instance.program.templates[template].name;
            for (index, local) in locals.iter().enumerate() {
                validate_local(instance, TemplateId(template as u32), local)
                    .map_err(|e| e.at(index).within(name).within("locals"))?;
            }
        }
        self.validate_states(instance)
    }

    fn validate_states(&self, instance: &Instance) -> Result<(), FileError> {
        let sizes: Vec<usize> = std::iter::once(self.shared.len())
            .chain(instance.threads.iter().map(|thread| self.locals[thread.template.index()].len()))
            .collect();
        for (index, row) in self.rows(instance).enumerate() {
            if row.len() != sizes.len() {
                let message = format!("a state has {} numbers, not {}", sizes.len(), row.len());
                return Err(FileError::new(message).at(index).within("states"));
            }
            if let Some(at) = row.iter().zip(&sizes).position(|(&word, &size)| word as usize >= size) {
                return Err(FileError::new("the index is out of range").at(at).at(index).within("states"));
            }
        }
        Ok(())
    }
}
