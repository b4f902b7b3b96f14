//! Helpers for tests that need several rooms: loading programs, and reading the expectations that
//! stand in the comments of the examples.

mod annotated;
mod cartesian;
mod conformance;
mod damage;
pub mod dice;
mod expensive;
mod generated;
mod locked;
mod random_c;
mod random_threads;
pub mod soundness;

pub use annotated::random_annotated;
pub use cartesian::{ThreadStates, cartesian_fixpoint, cartesian_proves};
pub use conformance::{conforms, random_abstraction};
pub use damage::damaged_program;
pub use expensive::expensive_program;
pub use generated::{lock_class_different, simple_different, simple_different_promela, simple_different_states};
pub use locked::{locked_program, random_locked};
pub use random_c::random_c;
pub use random_threads::{COPY, random_threads};

pub use soundness::disagreement;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_diagnostics::render;
use threadwise_frontends::{Options, frontend_for, frontends};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_source::SourceFile;

/// A program with expectations in its leading comment:
///
/// - `// expect: SAFE` or `// expect: UNSAFE`, the truth about the program;
/// - `// explicit: UNKNOWN`, and the same with other engines: a known limit of the engine. Exhaustive search
///   cannot find out, or the program is safe, but not thread by thread;
/// - `// contracts: SAFE`, `UNSAFE` or `UNKNOWN`, what engine `contracts` says; without it, nothing false;
/// - `// states: 15`, the number of reachable states;
/// - `// predicates: modular`, `general` or `trace`: what engine `predicates` must find within seconds;
/// - `// engine: cartesian`, and the same with other engines: who decides it, where `auto` does not do so quickly;
/// - `// slow: …`, that even this takes long: left out of the tests.
#[derive(Clone, Debug)]
pub struct Example {
    pub path: PathBuf,
    pub text: String,
    pub safe: bool,
    /// What engine `contracts` says.
    pub contracts: Option<String>,
    /// The number of reachable states, where it was worked out.
    pub states: Option<u64>,
    /// What engine `predicates` must find: a `modular` proof, a `general` one, a `trace`.
    pub predicates: Option<String>,
    /// An engine that decides it, where `auto` does not do so quickly.
    pub engine: Option<String>,
    /// Whether no engine decides it quickly.
    pub slow: bool,
}

impl Example {
    /// Whether it is a transition system and no program of the language.
    pub fn is_transition_system(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "ts")
    }

    /// Whether the engine is known not to tell.
    pub fn is_unknown_to(&self, engine: &str) -> bool {
        let line = format!("// {engine}: UNKNOWN");
        self.text.lines().any(|text| text.trim_end() == line)
    }

    /// Whether it was written for engine `contracts`: others are not asked where they would only run on.
    pub fn is_for_contracts(&self) -> bool {
        self.path.components().any(|part| part.as_os_str() == "contracts")
    }

    /// The example as a program, with its constants as they are in the file.
    pub fn program(&self) -> Arc<Program> {
        program(&self.path.display().to_string(), &self.text)
    }
}

/// A program from its text; panics with the diagnostics if it is not one.
pub fn program(name: &str, text: &str) -> Arc<Program> {
    try_program(name, text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// A program from its text, or the diagnostics if it is not one. The name tells the language.
pub fn try_program(name: &str, text: &str) -> Result<Arc<Program>, String> {
    let file = SourceFile::new(name, text);
    let loaded = frontend_for(Path::new(name)).load(vec![file], &Options::default(), &Budget::unlimited());
    loaded.program.ok_or_else(|| render(&loaded.source, &loaded.diagnostics, false))
}

/// Whether some variable or the recursion is unbounded.
pub fn is_infinite(program: &Program) -> bool {
    program.has_unbounded_data() || program.is_recursive()
}

/// Programs in C are asked about by tests of their own: the naive interpreter does not know them.
fn is_c(path: &Path) -> bool {
    frontend_for(path).links()
}

/// All C programs below `examples/c/`, sorted by path.
pub fn c_examples() -> Vec<PathBuf> {
    c_programs_in("examples/c")
}

/// All C programs below `tests/corpus/c/`, sorted by path.
pub fn c_corpus() -> Vec<PathBuf> {
    c_programs_in("tests/corpus/c")
}

fn c_programs_in(folder: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut paths);
    paths.retain(|path| is_c(path));
    paths.sort();
    paths
}

/// All examples below `examples/`, sorted by path.
pub fn examples() -> Vec<Example> {
    examples_in("examples")
}

/// All programs below `tests/corpus/`, sorted by path.
pub fn corpus() -> Vec<Example> {
    examples_in("tests/corpus")
}

/// All examples below a folder of the project, sorted by path; none if there is no such folder.
pub fn examples_in(folder: &str) -> Vec<Example> {
    let mut paths = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    if folder.is_dir() {
        collect(&folder, &mut paths);
    }
    paths.retain(|path| !is_c(path) && !is_java(path));
    paths.sort();
    paths.into_iter().map(example).collect()
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            collect(&path, out);
        } else if is_program(&path) {
            out.push(path);
        }
    }
}

/// All Java programs of the project, sorted by path: what they say is about properties, as with those in C.
pub fn java_programs() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for folder in ["examples/java", "tests/corpus/java"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), &mut paths);
    }
    paths.sort();
    paths
}

fn is_java(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "java")
}

fn is_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|e| frontends().iter().any(|frontend| frontend.extensions().contains(&e)))
}

fn example(path: PathBuf) -> Example {
    let text = std::fs::read_to_string(&path).expect("readable example");
    let value = |key: &str| {
        let prefix = format!("// {key}: ");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(|value| value.trim().to_string())
    };
    let safe = match value("expect").as_deref() {
        Some("SAFE") => true,
        Some("UNSAFE") => false,
        other => panic!("{}: no line `// expect: SAFE` or `// expect: UNSAFE`, but {other:?}", path.display()),
    };
    let states = value("states").map(|n| n.parse().expect("a number of states"));
    let contracts = value("contracts");
    let (predicates, engine) = (value("predicates"), value("engine"));
    let slow = value("slow").is_some();
    Example { safe, contracts, states, predicates, engine, slow, path, text }
}
