//! Whether proofs by thread states fit a program. It says nothing about whether they prove anything.

use crate::stores::{called_routine, validate_caller, validate_local, validate_running, validate_shared};
use crate::{Annotation, Context, FrontierProof, ModularProof, ThreadAnnotation};
use crate::{FileError, MAX_ANY_COPIES};
use std::sync::Arc;
use threadwise_ir::{Copies, Instance, Program, RoutineId, Store, TemplateId};

impl ModularProof {
    /// Whether the proof fits the program: every store and frame is one.
    pub fn validate(&self, program: &Arc<Program>) -> Result<(), FileError> {
        for (index, case) in self.cases.iter().enumerate() {
            let within = |e: FileError| e.at(index).within("cases");
            let instance = instance_of_case(program, &case.copies).map_err(within)?;
            case.validate(&instance).map_err(within)?;
        }
        Ok(())
    }

    /// How many thread states the proof lists.
    pub fn states(&self) -> u64 {
        let threads = self.cases.iter().flat_map(|case| &case.threads);
        threads.flat_map(|thread| &thread.contexts).map(|context| count(&context.states)).sum()
    }
}

/// The program with the numbers of copies of a case. Absurd numbers are refused: a small file should
/// not make its reader lay out huge stores.
pub fn instance_of_case(program: &Arc<Program>, copies: &[u32]) -> Result<Instance, FileError> {
    if copies.len() != program.templates.len() {
        let (are, should) = (copies.len(), program.templates.len());
        return Err(FileError::new(format!("the program has {should} threads, not {are}")).within("copies"));
    }
    for (template, &copies) in program.templates.iter().zip(copies) {
        let most = match template.copies {
            Copies::Single => 1,
            Copies::Exactly(n) => n,
            Copies::Any => MAX_ANY_COPIES,
        };
        if copies > most {
            let message = format!("at most {most} copies of `{}` are supported", template.name);
            return Err(FileError::new(message).within("copies"));
        }
    }
    Ok(Instance::with_copies(program.clone(), copies))
}

impl Annotation {
    /// Whether the annotation fits the instance with its numbers of copies.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        let templates = instance.program.templates.len();
        if self.threads.len() != templates {
            let message = format!("the program has {templates} threads, not {}", self.threads.len());
            return Err(FileError::new(message).within("threads"));
        }
        let recursive = instance.program.is_recursive();
        for (index, thread) in self.threads.iter().enumerate() {
            let template = TemplateId(index as u32);
            let name = &instance.program.template(template).name;
            thread.validate(instance, template, recursive).map_err(|e| e.within(name).within("threads"))?;
        }
        Ok(())
    }
}

impl ThreadAnnotation {
    fn validate(&self, instance: &Instance, template: TemplateId, recursive: bool) -> Result<(), FileError> {
        if instance.copies_of(template).is_empty() {
            return match self.contexts.is_empty() {
                true => Ok(()),
                false => Err(FileError::new("a thread without copies has no states")),
            };
        }
        if recursive {
            return self.validate_frames(instance, template);
        }
        let [Context { callers, states }] = self.contexts.as_slice() else {
            let found = self.contexts.len();
            return Err(FileError::new(format!("without recursion there is one context, not {found}")));
        };
        if !callers.is_empty() {
            return Err(FileError::new("without recursion contexts have no callers").within("callers").at(0));
        }
        validate_states(instance, states, &|local| validate_local(instance, template, local)).map_err(|e| e.at(0))
    }

    /// Each context belongs to a routine: the first to the thread's own code, the others to the
    /// procedure that their callers call. The running frames are frames of it, and so are the
    /// frames with which it is a caller of other contexts.
    fn validate_frames(&self, instance: &Instance, template: TemplateId) -> Result<(), FileError> {
        let mut routines = Vec::new();
        for (index, context) in self.contexts.iter().enumerate() {
            let body = instance.program.template(template).body;
            routines.push(context.routine(instance, index, body).map_err(|e| e.within("callers").at(index))?);
        }
        if routines.is_empty() {
            return Err(FileError::new("the context of the thread's own code is missing"));
        }
        for (index, context) in self.contexts.iter().enumerate() {
            for (at, (caller, frame)) in context.callers.iter().enumerate() {
                let routine = routines.get(*caller as usize).copied();
                let routine = routine.ok_or_else(|| FileError::new(format!("there is no context {caller}")));
                let fits = routine.and_then(|routine| validate_caller(instance, routine, frame));
                fits.map_err(|e| e.at(at).within("callers").at(index))?;
            }
            let routine = routines[index];
            validate_states(instance, &context.states, &|local| validate_running(instance, routine, local))
                .map_err(|e| e.at(index))?;
        }
        Ok(())
    }
}

impl Context {
    /// The routine that runs in this context.
    fn routine(&self, instance: &Instance, index: usize, body: RoutineId) -> Result<RoutineId, FileError> {
        if index == 0 {
            return match self.callers.is_empty() {
                true => Ok(body),
                false => Err(FileError::new("the thread's own code, which is the first context, is not called")),
            };
        }
        let mut called = None;
        for (at, (_, frame)) in self.callers.iter().enumerate() {
            let routine = called_routine(instance, frame).map_err(|e| e.at(at))?;
            if *called.get_or_insert(routine) != routine {
                return Err(FileError::new("the callers call different procedures").at(at));
            }
        }
        called.ok_or_else(|| FileError::new("a context other than the first has a caller"))
    }
}

impl FrontierProof {
    /// Whether the proof fits the instance: every store and local state is one.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        for (index, iterate) in self.iterates.iter().enumerate() {
            let within = |e: FileError| e.at(index).within("iterates");
            if iterate.len() != instance.threads.len() {
                let (are, should) = (iterate.len(), instance.threads.len());
                return Err(within(FileError::new(format!("the program has {should} threads, not {are}"))));
            }
            for (at, (states, thread)) in iterate.iter().zip(&instance.threads).enumerate() {
                let valid = |local: &[i64]| validate_local(instance, thread.template, local);
                let name = instance.tid_name(at as i64 + 1);
                validate_states(instance, states, &valid).map_err(|e| within(e.within(&name)))?;
            }
        }
        Ok(())
    }

    /// How many thread states the proof lists.
    pub fn states(&self) -> u64 {
        self.iterates.iter().flatten().map(|states| count(states)).sum()
    }
}

fn count(states: &[(Store, Vec<Store>)]) -> u64 {
    states.iter().map(|(_, locals)| locals.len() as u64).sum()
}

fn validate_states(
    instance: &Instance,
    states: &[(Store, Vec<Store>)],
    valid: &dyn Fn(&[i64]) -> Result<(), FileError>,
) -> Result<(), FileError> {
    for (index, (shared, locals)) in states.iter().enumerate() {
        let within = |e: FileError| e.at(index).within("states");
        validate_shared(instance, shared).map_err(|e| within(e.within("shared")))?;
        for (at, local) in locals.iter().enumerate() {
            valid(local).map_err(|e| within(e.at(at).within("locals")))?;
        }
    }
    Ok(())
}
