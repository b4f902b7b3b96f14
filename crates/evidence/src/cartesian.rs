use crate::FileError;
use crate::stores::{validate_local, validate_shared};
use crate::{CartesianProof, Lemma};
use threadwise_ir::{Instance, TemplateId};

impl CartesianProof {
    /// Whether the proof fits the instance: every store and local state is one, every index points at
    /// one, and every product has a component for each thread. It says nothing about whether the proof
    /// proves anything.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        let templates = instance.program.templates.len();
        if let Some(at) = self.symmetric.iter().position(|template| template.index() >= templates) {
            return Err(FileError::new("the program has no such thread").at(at).within("symmetric"));
        }
        self.validate_locals(instance)?;
        if let Some(at) = self.sets.iter().position(|set| !set.is_sorted_by(|a, b| a < b)) {
            return Err(FileError::new("the elements of a set are in ascending order").at(at).within("sets"));
        }
        for (index, (shared, products)) in self.unions.iter().enumerate() {
            let within = |e: FileError| e.at(index).within("unions");
            validate_shared(instance, shared).map_err(|e| within(e.within("shared")))?;
            if index > 0 && self.unions[index - 1].0 >= *shared {
                return Err(within(FileError::new("the shared stores are in ascending order").within("shared")));
            }
            for (at, product) in products.iter().enumerate() {
                let fits = self.validate_components(instance, &product.components).map_err(|e| e.within("components"));
                fits.map_err(|e| within(e.at(at).within("products")))?;
            }
        }
        for (at, lemma) in self.coverings.lemmas.iter().enumerate() {
            self.validate_lemma(instance, lemma).map_err(|e| e.at(at).within("lemmas"))?;
        }
        Ok(())
    }

    fn validate_locals(&self, instance: &Instance) -> Result<(), FileError> {
        let templates = instance.program.templates.len();
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
        Ok(())
    }

    fn validate_lemma(&self, instance: &Instance, lemma: &Lemma) -> Result<(), FileError> {
        self.validate_components(instance, &lemma.components).map_err(|e| e.within("components"))?;
        let thread = instance.threads.get(lemma.thread as usize);
        let thread = thread.ok_or_else(|| FileError::new("the program has no such thread").within("thread"))?;
        self.validate_set(instance, thread.template, lemma.set).map_err(|e| e.within("set"))
    }

    fn validate_set(&self, instance: &Instance, template: TemplateId, set: u32) -> Result<(), FileError> {
        let name = &instance.program.template(template).name;
        let elements = self.sets.get(set as usize).ok_or_else(|| FileError::new(format!("there is no set {set}")))?;
        // The elements ascend, so the last one speaks for all.
        match elements.last().is_some_and(|&last| last as usize >= self.locals[template.index()].len()) {
            true => Err(FileError::new(format!("the set {set} has an element that is no local state of `{name}`"))),
            false => Ok(()),
        }
    }

    /// Goes through the runs along with the threads whose components they are.
    fn validate_components(&self, instance: &Instance, components: &[(u32, u32)]) -> Result<(), FileError> {
        let threads = instance.threads.len();
        let mut first = 0;
        for (at, &(count, set)) in components.iter().enumerate() {
            let wrong = |message: String| Err(FileError::new(message).at(at));
            let Some(thread) = instance.threads.get(first) else {
                return wrong(format!("there are components for more than the {threads} threads"));
            };
            let copies = instance.copies_of(thread.template);
            let name = &instance.program.template(thread.template).name;
            if count == 0 {
                return wrong("a run has at least one thread".to_string());
            }
            if count as usize > copies.end - first {
                return wrong(format!("only {} copies of `{name}` are left for the run", copies.end - first));
            }
            self.validate_set(instance, thread.template, set).map_err(|e| e.at(at))?;
            first += count as usize;
        }
        if first < threads {
            return Err(FileError::new(format!("there are components for {first} of {threads} threads")));
        }
        Ok(())
    }

    /// How many products the proof lists.
    pub fn products(&self) -> u64 {
        self.unions.iter().map(|(_, products)| products.len() as u64).sum()
    }

    /// How many of them were kept apart from the abstraction.
    pub fn exceptions(&self) -> u64 {
        self.unions.iter().flat_map(|(_, products)| products).filter(|product| product.exception).count() as u64
    }
}
