//! Proofs by annotations of threads in files: for each case the numbers of copies, a table of local
//! states, and for each thread its contexts, each with its callers and with its states grouped by
//! shared store.

use crate::rows::{Depth, StatesRow, Table, decode_tables, entry, key, list, rows, template_named, write_tables};
use crate::stores::{decode_frame, frame_json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use threadwise_evidence::{
    Annotation, Context, FileError, ModularProof, ThreadAnnotation, instance_of_case, shared_layout,
};
use threadwise_ir::{Instance, Program, Sort, Store, TemplateId};

/// Writes the fields of the proof, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Arc<Program>, proof: &ModularProof) -> io::Result<()> {
    write!(out, "\"cases\": ")?;
    list(out, "[", "]", proof.cases.iter(), |out, case| write_case(out, program, case))
}

fn write_case(out: &mut impl Write, program: &Arc<Program>, case: &Annotation) -> io::Result<()> {
    let instance = Instance::with_copies(program.clone(), &case.copies);
    let layout = shared_layout(&instance);
    let names = program.templates.iter().map(|template| &*template.name);
    write!(out, "{{")?;
    let copies: BTreeMap<&str, u32> = names.clone().zip(case.copies.iter().copied()).collect();
    entry(out, "copies", copies)?;
    let mut tables = Vec::new();
    let mut threads = Vec::new();
    for (name, thread) in names.zip(&case.threads) {
        let mut table = Table::default();
        let contexts = thread.contexts.iter().map(|context| encode_context(&instance, &layout, context, &mut table));
        let contexts: Vec<ContextFile> = contexts.collect();
        tables.push(table.locals);
        if !contexts.is_empty() {
            threads.push((name, contexts));
        }
    }
    write!(out, "\"locals\": ")?;
    write_tables(out, &instance, tables.iter().map(Vec::as_slice))?;
    write!(out, ",\n\"threads\": ")?;
    list(out, "{", "}", threads.iter(), |out, (name, contexts)| {
        key(out, name)?;
        list(out, "[", "]", contexts.iter(), write_context)
    })?;
    write!(out, "}}")
}

fn write_context(out: &mut impl Write, context: &ContextFile) -> io::Result<()> {
    write!(out, "{{")?;
    entry(out, "callers", &context.callers)?;
    write!(out, "\"states\": ")?;
    rows(out, context.states.iter())?;
    write!(out, "}}")
}

fn encode_context<'a>(
    instance: &Instance,
    layout: &[(String, &Sort)],
    context: &'a Context,
    table: &mut Table<'a>,
) -> ContextFile {
    let caller = |(context, frame): &(u32, Store)| {
        let frame = instance.frames(frame).next().map_or(Value::Null, |frame| frame_json(instance, &frame));
        CallerFile { context: *context, frame }
    };
    ContextFile {
        callers: context.callers.iter().map(caller).collect(),
        states: context.states.iter().map(|states| StatesRow::encode(instance, layout, states, table)).collect(),
    }
}

/// A case as it stands in the file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CaseIn {
    copies: BTreeMap<String, u32>,
    locals: BTreeMap<String, Vec<Value>>,
    threads: BTreeMap<String, Vec<ContextFile>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ContextFile {
    callers: Vec<CallerFile>,
    states: Vec<StatesRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct CallerFile {
    context: u32,
    frame: Value,
}

/// The proof with these cases, fitted to the program.
pub(crate) fn decode(program: &Arc<Program>, cases: &[CaseIn]) -> Result<ModularProof, FileError> {
    let case = |(at, case): (usize, &CaseIn)| case.decode(program).map_err(|e| e.at(at).within("cases"));
    Ok(ModularProof { cases: cases.iter().enumerate().map(case).collect::<Result<_, _>>()? })
}

impl CaseIn {
    fn decode(&self, program: &Arc<Program>) -> Result<Annotation, FileError> {
        let copies = decode_copies(program, &self.copies).map_err(|e| e.within("copies"))?;
        let instance = instance_of_case(program, &copies)?;
        let depth = if program.is_recursive() { Depth::RunningFrame } else { Depth::Whole };
        let tables = decode_tables(&instance, depth, &self.locals).map_err(|e| e.within("locals"))?;
        let mut threads = vec![ThreadAnnotation::default(); program.templates.len()];
        for (name, contexts) in &self.threads {
            let decoded = template_named(&instance, name).and_then(|template: TemplateId| {
                threads[template.index()].contexts = decode_contexts(&instance, contexts, &tables[template.index()])?;
                Ok(())
            });
            decoded.map_err(|e| e.within(name).within("threads"))?;
        }
        let annotation = Annotation { copies, threads };
        annotation.validate(&instance)?;
        Ok(annotation)
    }
}

/// The numbers of copies of all threads, by their names.
pub(crate) fn decode_copies(program: &Program, given: &BTreeMap<String, u32>) -> Result<Vec<u32>, FileError> {
    let known = |name: &String| program.templates.iter().any(|template| *template.name == **name);
    if let Some(unknown) = given.keys().find(|name| !known(name)) {
        return Err(FileError::new(format!("the program has no thread `{unknown}`")));
    }
    let missing = |name: &str| FileError::new(format!("the thread `{name}` is missing"));
    let copies = program.templates.iter().map(|template| {
        let copies = given.get(&*template.name).copied();
        copies.ok_or_else(|| missing(&template.name))
    });
    copies.collect()
}

fn decode_contexts(instance: &Instance, contexts: &[ContextFile], table: &[Store]) -> Result<Vec<Context>, FileError> {
    let decode = |(at, context): (usize, &ContextFile)| {
        let callers = context.callers.iter().enumerate().map(|(at, caller)| {
            let mut words = Vec::new();
            decode_frame(instance, &caller.frame, &mut words).map_err(|e| e.within("frame").at(at))?;
            Ok((caller.context, words.into()))
        });
        let callers = callers.collect::<Result<_, FileError>>().map_err(|e| e.within("callers").at(at))?;
        let states = StatesRow::decode_all(&context.states, instance, table);
        Ok(Context { callers, states: states.map_err(|e| e.within("states").at(at))? })
    };
    contexts.iter().enumerate().map(decode).collect()
}
