//! Proofs by locks in files: the locks, a table of sets of facts, and for each thread its code with the numbers of the
//! sets that hold there. Variables and threads go by their names, locals by their numbers in their routine.

use crate::rows::{entry, key, list, rows};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use threadwise_evidence::{CodeFacts, Element, Fact, FileError, Key, Lock, ProtectionProof};
use threadwise_ir::{EdgeId, LocalId, Program, RoutineId, SharedId, TemplateId, VarRef};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LockFile {
    owner: String,
    readers: Option<String>,
}

/// The code of a routine as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CodeFile {
    routine: u32,
    at: Vec<Option<u32>>,
    since: Vec<Option<u32>>,
    calls: Vec<(u32, u32)>,
    returns: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FactFile {
    Holds(ElementFile),
    Reads(ElementFile),
    Free(ElementFile),
    Runs,
    Running(String, Vec<ElementFile>),
    Started(String, u32),
    Names(ElementFile, String),
    Untouched(String),
    Touched(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ElementFile {
    Shared(String, Vec<KeyFile>),
    Local(u32, Vec<KeyFile>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyFile {
    Number(i64),
    Local(u32),
    Me,
    Thread(String),
}

/// The fields of the proof as they stand in the file.
pub(crate) struct ProtectionIn<'a> {
    pub(crate) locks: &'a [LockFile],
    pub(crate) is_of_outline: bool,
    pub(crate) status: Option<&'a str>,
    pub(crate) facts: &'a [Vec<FactFile>],
    pub(crate) protection: &'a BTreeMap<String, Vec<CodeFile>>,
}

/// Writes the fields of the proof, which must fit the program.
pub(crate) fn write(out: &mut impl Write, program: &Program, proof: &ProtectionProof) -> io::Result<()> {
    let program = proof.subject(program).unwrap_or(program);
    let names = Names { program };
    if proof.is_of_outline {
        entry(out, "outline", true)?;
    }
    let lock =
        |lock: &Lock| LockFile { owner: names.shared(lock.owner), readers: lock.readers.map(|id| names.shared(id)) };
    entry(out, "locks", proof.locks.iter().map(lock).collect::<Vec<LockFile>>())?;
    if let Some(status) = proof.status {
        entry(out, "status", names.shared(status))?;
    }
    write!(out, "\"facts\": ")?;
    rows(out, proof.sets.iter().map(|set| set.iter().map(|fact| names.fact(fact)).collect::<Vec<FactFile>>()))?;
    write!(out, ",\n\"protection\": ")?;
    list(out, "{", "}", program.templates.iter().zip(&proof.threads), |out, (template, codes)| {
        key(out, &template.name)?;
        rows(out, codes.iter().map(code_file))
    })
}

fn code_file(code: &CodeFacts) -> CodeFile {
    CodeFile {
        routine: code.routine.0,
        at: code.at.clone(),
        since: code.since.clone(),
        calls: code.calls.iter().map(|(edge, callee)| (edge.0, *callee)).collect(),
        returns: code.returns,
    }
}

struct Names<'a> {
    program: &'a Program,
}

impl Names<'_> {
    fn shared(&self, id: SharedId) -> String {
        self.program.shared[id.index()].name.to_string()
    }

    fn template(&self, id: TemplateId) -> String {
        self.program.template(id).name.to_string()
    }

    fn element(&self, element: &Element) -> ElementFile {
        let keys = element.keys.iter().map(|key| match key {
            Key::Number(word) => KeyFile::Number(*word),
            Key::Local(local) => KeyFile::Local(local.0),
            Key::Me => KeyFile::Me,
            Key::Thread(template) => KeyFile::Thread(self.template(*template)),
        });
        match element.var {
            VarRef::Shared(id) => ElementFile::Shared(self.shared(id), keys.collect()),
            VarRef::Local(id) => ElementFile::Local(id.0, keys.collect()),
        }
    }

    fn fact(&self, fact: &Fact) -> FactFile {
        match fact {
            Fact::Holds(element) => FactFile::Holds(self.element(element)),
            Fact::Reads(element) => FactFile::Reads(self.element(element)),
            Fact::Free(element) => FactFile::Free(self.element(element)),
            Fact::Runs => FactFile::Runs,
            Fact::Running(template, among) => {
                FactFile::Running(self.template(*template), among.iter().map(|element| self.element(element)).collect())
            }
            Fact::Started(template, most) => FactFile::Started(self.template(*template), *most),
            Fact::Names(element, template) => FactFile::Names(self.element(element), self.template(*template)),
            Fact::Untouched(var) => FactFile::Untouched(self.shared(*var)),
            Fact::Touched(var) => FactFile::Touched(self.shared(*var)),
        }
    }

    fn find_shared(&self, name: &str) -> Result<SharedId, FileError> {
        let index = self.program.shared.iter().position(|var| *var.name == *name);
        let known = index.map(|index| SharedId(index as u32));
        known.ok_or_else(|| FileError::new(format!("the program has no variable `{name}`")))
    }

    fn find_template(&self, name: &str) -> Result<TemplateId, FileError> {
        let index = self.program.templates.iter().position(|template| *template.name == *name);
        let known = index.map(|index| TemplateId(index as u32));
        known.ok_or_else(|| FileError::new(format!("the program has no thread `{name}`")))
    }

    fn read_element(&self, element: &ElementFile) -> Result<Element, FileError> {
        let (var, keys) = match element {
            ElementFile::Shared(name, keys) => (VarRef::Shared(self.find_shared(name)?), keys),
            ElementFile::Local(local, keys) => (VarRef::Local(LocalId(*local)), keys),
        };
        let key = |key: &KeyFile| {
            Ok(match key {
                KeyFile::Number(word) => Key::Number(*word),
                KeyFile::Local(local) => Key::Local(LocalId(*local)),
                KeyFile::Me => Key::Me,
                KeyFile::Thread(name) => Key::Thread(self.find_template(name)?),
            })
        };
        Ok(Element { var, keys: keys.iter().map(key).collect::<Result<_, FileError>>()? })
    }

    fn read_fact(&self, fact: &FactFile) -> Result<Fact, FileError> {
        Ok(match fact {
            FactFile::Holds(element) => Fact::Holds(self.read_element(element)?),
            FactFile::Reads(element) => Fact::Reads(self.read_element(element)?),
            FactFile::Free(element) => Fact::Free(self.read_element(element)?),
            FactFile::Runs => Fact::Runs,
            FactFile::Running(name, among) => {
                let among = among.iter().map(|element| self.read_element(element)).collect::<Result<_, FileError>>()?;
                Fact::Running(self.find_template(name)?, among)
            }
            FactFile::Started(name, most) => Fact::Started(self.find_template(name)?, *most),
            FactFile::Names(element, name) => Fact::Names(self.read_element(element)?, self.find_template(name)?),
            FactFile::Untouched(name) => Fact::Untouched(self.find_shared(name)?),
            FactFile::Touched(name) => Fact::Touched(self.find_shared(name)?),
        })
    }
}

/// The proof, fitted to the program.
pub(crate) fn decode(program: &Program, file: &ProtectionIn<'_>) -> Result<ProtectionProof, FileError> {
    let subject = if file.is_of_outline { program.outline.as_deref() } else { Some(program) };
    let Some(subject) = subject else { return Err(FileError::new("the program has no outline").within("outline")) };
    let names = Names { program: subject };
    let lock = |(at, lock): (usize, &LockFile)| {
        let read = || {
            let readers = lock.readers.as_deref().map(|name| names.find_shared(name)).transpose()?;
            Ok(Lock { owner: names.find_shared(&lock.owner)?, readers })
        };
        read().map_err(|e: FileError| e.at(at).within("locks"))
    };
    let locks = file.locks.iter().enumerate().map(lock).collect::<Result<_, FileError>>()?;
    let status = file.status.map(|name| names.find_shared(name)).transpose().map_err(|e| e.within("status"))?;
    let set = |(at, set): (usize, &Vec<FactFile>)| {
        let facts = set.iter().map(|fact| names.read_fact(fact)).collect::<Result<Vec<Fact>, FileError>>();
        facts.map_err(|e| e.at(at).within("facts"))
    };
    let sets = file.facts.iter().enumerate().map(set).collect::<Result<_, FileError>>()?;
    if let Some(unknown) = file.protection.keys().find(|name| names.find_template(name).is_err()) {
        return Err(FileError::new(format!("the program has no thread `{unknown}`")).within("protection"));
    }
    let threads = subject.templates.iter().map(|template| {
        let codes = file.protection.get(&*template.name).into_iter().flatten();
        codes.map(read_code).collect()
    });
    let proof = ProtectionProof { is_of_outline: file.is_of_outline, locks, status, sets, threads: threads.collect() };
    proof.validate(program)?;
    Ok(proof)
}

fn read_code(code: &CodeFile) -> CodeFacts {
    CodeFacts {
        routine: RoutineId(code.routine),
        at: code.at.clone(),
        since: code.since.clone(),
        calls: code.calls.iter().map(|(edge, callee)| (EdgeId(*edge), *callee)).collect(),
        returns: code.returns,
    }
}
