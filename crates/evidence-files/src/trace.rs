//! Trace files: what `check --trace` writes and `replay` reads.
//!
//! A step says everything twice: once for people (`line`, `text`, `locals`) and once exactly
//! (`path`, `frames`). Reading compares the two, so that what people read in a file is what is
//! replayed.

use crate::file::{
    CopiesInFile, Header, any_copies_json, array, check_format, elements, expected, field, object, small_number,
    string, unreadable,
};
use crate::stores::{decode_local, decode_shared, local_json};
use crate::trace_json::{PublicStep, initial_json, public_step, violation_json};
use crate::value::{is_replicated, tid_of_copy, tid_of_name};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use threadwise_evidence::{FileError, Trace, TraceStep, Violation, error_kind, fault_kind};
use threadwise_ir::{EdgeId, Fault, Instance, Path, Program, PropertyId, State, StepError, Store, ThreadId};
use threadwise_source::Span;

const FORMAT: &str = "threadwise-trace";

#[derive(Serialize)]
struct TraceOut<'a> {
    format: &'a str,
    version: u32,
    program: &'a str,
    defines: &'a BTreeMap<String, i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deadlock: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    properties: &'a [&'static str],
    any_copies: Value,
    initial: Value,
    steps: Vec<StepOut>,
    violation: Value,
}

#[derive(Serialize)]
struct StepOut {
    #[serde(flatten)]
    public: PublicStep,
    path: Vec<u32>,
    frames: Value,
}

/// Writes a trace. `defines` are the constants that were overridden, as with `-D`.
pub fn write_trace(
    mut out: impl Write,
    instance: &Instance,
    trace: &Trace,
    defines: &BTreeMap<String, i64>,
) -> io::Result<()> {
    let step = |step: &TraceStep| StepOut {
        public: public_step(instance, step),
        path: step.path.iter().map(|edge| edge.0).collect(),
        frames: local_json(instance, &step.local),
    };
    let file = TraceOut {
        format: FORMAT,
        version: 1,
        program: instance.program.source.name(),
        defines,
        deadlock: instance.program.forbids_deadlocks(),
        properties: instance.program.telling.as_ref().map_or(&[], |telling| &telling.asked),
        any_copies: any_copies_json(&instance.program, &trace.any_copies),
        initial: initial_json(instance, trace),
        steps: trace.steps.iter().map(step).collect(),
        violation: exact_violation(instance, &trace.violation),
    };
    serde_json::to_writer_pretty(&mut out, &file)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A violation with what is needed to read it back: `where` says which variant it is.
fn exact_violation(instance: &Instance, violation: &Violation) -> Value {
    let mut value = violation_json(instance, violation);
    let bytes = |span: &Span| json!([span.start, span.end]);
    match violation {
        Violation::Step { path, span, .. } => {
            value["where"] = json!("step");
            value["path"] = path.iter().map(|edge| edge.0).collect();
            value["span"] = bytes(span);
        }
        Violation::Property(id) => {
            value["where"] = json!("state");
            value["property_index"] = json!(id.0);
        }
        Violation::PropertyFault(id, _, span) => {
            value["where"] = json!("property");
            value["property_index"] = json!(id.0);
            value["span"] = bytes(span);
        }
        Violation::Initial(_, span) => {
            value["where"] = json!("initial");
            value["span"] = bytes(span);
        }
        Violation::Start { span, .. } => {
            value["where"] = json!("start");
            value["span"] = bytes(span);
        }
    }
    value
}

/// A trace file that has been read but not yet been fitted to a program: the program cannot be
/// loaded before the header is known, since it says which constants were overridden.
#[derive(Clone, Debug)]
pub struct TraceFile {
    header: Header,
    body: Map<String, Value>,
}

impl TraceFile {
    /// Reads a file as far as that goes without the program.
    pub fn read(input: impl Read) -> Result<TraceFile, FileError> {
        let whole: Value = serde_json::from_reader(io::BufReader::new(input)).map_err(unreadable)?;
        let Value::Object(body) = whole else {
            return Err(expected("an object", &whole));
        };
        let version = |value: &Value| value.as_u64().ok_or_else(|| expected("a version number", value));
        check_format(field(&body, "format", string)?, field(&body, "version", version)?, (FORMAT, 1))?;
        let header = Header {
            program: field(&body, "program", string)?.to_string(),
            defines: field(&body, "defines", defines)?,
            deadlock: match body.get("deadlock") {
                Some(value) => {
                    value.as_bool().ok_or_else(|| expected("`true` or `false`", value).within("deadlock"))?
                }
                None => false,
            },
            properties: match body.get("properties") {
                Some(value) => {
                    elements(value, |name| string(name).map(str::to_string)).map_err(|e| e.within("properties"))?
                }
                None => Vec::new(),
            },
            any_copies: field(&body, "any_copies", CopiesInFile::read)?,
        };
        Ok(TraceFile { header, body })
    }

    /// What the file says about its program.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The trace, and the instance of the program that it runs on.
    pub fn trace(&self, program: &Arc<Program>) -> Result<(Instance, Trace), FileError> {
        let any_copies = self.header.any_copies.of(program)?;
        let instance = Instance::new(program.clone(), any_copies.clone());
        let reader = Reader { instance: &instance };
        let trace = Trace {
            any_copies,
            initial: field(&self.body, "initial", |value| reader.initial(value))?,
            steps: field(&self.body, "steps", |value| elements(value, |step| reader.step(step)))?,
            violation: field(&self.body, "violation", |value| reader.violation(value))?,
        };
        Ok((instance, trace))
    }
}

fn defines(value: &Value) -> Result<BTreeMap<String, i64>, FileError> {
    let number = |(name, value): (&String, &Value)| match value.as_i64() {
        Some(number) => Ok((name.clone(), number)),
        None => Err(expected("a whole number of at most 64 bits", value).within(name)),
    };
    object(value)?.iter().map(number).collect()
}

/// Reads the parts of a trace that speak of the program.
struct Reader<'a> {
    instance: &'a Instance,
}

impl Reader<'_> {
    fn initial(&self, value: &Value) -> Result<Option<State>, FileError> {
        if value.is_null() {
            return Ok(None);
        }
        let initial = object(value)?;
        let shared = field(initial, "shared", |value| decode_shared(self.instance, value))?;
        let locals = field(initial, "locals", |value| self.initial_locals(value))?;
        Ok(Some(State { shared, locals }))
    }

    fn initial_locals(&self, value: &Value) -> Result<Vec<Store>, FileError> {
        let (given, threads) = (array(value)?.len(), self.instance.threads.len());
        if given != threads {
            return Err(FileError::new(format!("the program has {threads} threads, but {given} are given")));
        }
        let local = |(index, value): (usize, &Value)| self.initial_local(index, value).map_err(|e| e.at(index));
        array(value)?.iter().enumerate().map(local).collect()
    }

    fn initial_local(&self, index: usize, value: &Value) -> Result<Store, FileError> {
        let entry = object(value)?;
        field(entry, "thread", |value| match tid_of_name(self.instance, string(value)?) {
            Some(tid) if tid == index as i64 + 1 => Ok(()),
            _ => Err(expected(&format!("\"{}\"", self.instance.tid_name(index as i64 + 1)), value)),
        })?;
        let template = self.instance.threads[index].template;
        field(entry, "frames", |value| decode_local(self.instance, template, value))
    }

    fn step(&self, value: &Value) -> Result<TraceStep, FileError> {
        let entry = object(value)?;
        let thread = self.thread(entry)?;
        let template = self.instance.threads[thread.index()].template;
        let step = TraceStep {
            thread,
            path: field(entry, "path", |value| self.path(value))?,
            shared: field(entry, "shared", |value| decode_shared(self.instance, value))?,
            local: field(entry, "frames", |value| decode_local(self.instance, template, value))?,
        };
        let shown = json!(public_step(self.instance, &step));
        ["line", "column", "text", "locals"].iter().try_for_each(|name| agrees(entry, &shown, name))?;
        Ok(step)
    }

    fn thread(&self, entry: &Map<String, Value>) -> Result<ThreadId, FileError> {
        let name = field(entry, "thread", string)?;
        let copy = field(entry, "copy", |value| match value {
            Value::Null => Ok(None),
            number => small_number(number).map(Some),
        })?;
        let no_such =
            || FileError::new(format!("the program has no thread `{name}` with this `copy`")).within("thread");
        let tid = tid_of_copy(self.instance, name, copy.unwrap_or(1)).ok_or_else(no_such)?;
        let thread = ThreadId(tid as u32 - 1);
        let template = self.instance.threads[thread.index()].template;
        if is_replicated(self.instance.program.template(template).copies) != copy.is_some() {
            return Err(no_such());
        }
        Ok(thread)
    }

    fn path(&self, value: &Value) -> Result<Path, FileError> {
        let edges = elements(value, |value| {
            let edge = EdgeId(small_number(value)?);
            let known = edge.index() < self.instance.program.edges.len();
            if known { Ok(edge) } else { Err(FileError::new("the program has no such edge")) }
        })?;
        if edges.is_empty() {
            return Err(FileError::new("a step takes at least one edge"));
        }
        Ok(edges.into_iter().collect())
    }

    fn violation(&self, value: &Value) -> Result<Violation, FileError> {
        let entry = object(value)?;
        let kind = field(entry, "kind", string)?;
        let violation = match field(entry, "where", string)? {
            "step" => Violation::Step {
                thread: self.thread(entry)?,
                path: field(entry, "path", |value| self.path(value))?,
                error: error_of_kind(kind)?,
                span: field(entry, "span", span)?,
            },
            "state" => Violation::Property(field(entry, "property_index", |value| self.property(value))?),
            "property" => Violation::PropertyFault(
                field(entry, "property_index", |value| self.property(value))?,
                fault_of_kind(kind)?,
                field(entry, "span", span)?,
            ),
            "initial" => Violation::Initial(fault_of_kind(kind)?, field(entry, "span", span)?),
            "start" => Violation::Start {
                thread: self.thread(entry)?,
                error: error_of_kind(kind)?,
                span: field(entry, "span", span)?,
            },
            other => {
                return Err(FileError::new(format!("`{other}` is no place for a violation")).within("where"));
            }
        };
        let shown = violation_json(self.instance, &violation);
        ["kind", "property", "line", "column"].iter().try_for_each(|name| agrees(entry, &shown, name))?;
        Ok(violation)
    }

    fn property(&self, value: &Value) -> Result<PropertyId, FileError> {
        let id = PropertyId(small_number(value)?);
        let known = id.index() < self.instance.program.properties.len();
        if known { Ok(id) } else { Err(FileError::new("the program has no such property")) }
    }
}

/// Whether what the file shows to people is what the program says.
fn agrees(entry: &Map<String, Value>, shown: &Value, name: &str) -> Result<(), FileError> {
    field(entry, name, |value| {
        if *value == shown[name] {
            return Ok(());
        }
        Err(expected(&format!("{} as the program says", shown[name]), value))
    })
}

fn span(value: &Value) -> Result<Span, FileError> {
    match elements(value, small_number)?.as_slice() {
        [start, end] if start <= end => Ok(Span { start: *start, end: *end }),
        _ => Err(expected("the bytes where a span starts and ends", value)),
    }
}

const FAULTS: [Fault; 4] = [Fault::Range, Fault::Index, Fault::Division, Fault::Shift];

fn fault_of_kind(kind: &str) -> Result<Fault, FileError> {
    let fault = FAULTS.into_iter().find(|fault| fault_kind(*fault) == kind);
    fault.ok_or_else(|| FileError::new(format!("`{kind}` is no error of evaluation")).within("kind"))
}

fn error_of_kind(kind: &str) -> Result<StepError, FileError> {
    let own = [
        StepError::Assertion,
        StepError::Release,
        StepError::Start,
        StepError::Join,
        StepError::Memory,
        StepError::Arithmetic,
        StepError::Lock,
        StepError::Exception,
        StepError::Beyond,
        StepError::ActionAssertion,
    ];
    let error = own.into_iter().chain(FAULTS.map(StepError::Fault)).find(|error| error_kind(*error) == kind);
    error.ok_or_else(|| FileError::new(format!("`{kind}` is no error of a step")).within("kind"))
}
