//! Helpers for tests that need several rooms: loading programs, and reading the expectations that
//! stand in the comments of the examples.

mod agreement;
mod cartesian;
mod damage;
mod generated;

pub use agreement::disagreement;
pub use cartesian::{ThreadStates, cartesian_fixpoint, cartesian_proves};
pub use damage::damaged_program;
pub use generated::{simple_different, simple_different_promela, simple_different_states};

use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_source::{SourceFile, render};

/// A program with expectations in its leading comment:
///
/// - `// expect: SAFE` or `// expect: UNSAFE`, the truth about the program;
/// - `// explicit: UNKNOWN`, where exhaustive search cannot find out;
/// - `// modular: UNKNOWN`, a known imprecision: the program is safe, but not thread by thread;
/// - `// states: 15`, the number of reachable states;
/// - `// predicates: modular`, `general` or `trace`: what engine `predicates` must find within seconds.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Whether it is safe.
    pub safe: bool,
    /// Whether exhaustive search cannot tell.
    pub too_large_for_explicit: bool,
    /// Whether it is safe, but cannot be proved thread by thread.
    pub not_modular: bool,
    /// The number of reachable states, where it was worked out.
    pub states: Option<u64>,
    /// What engine `predicates` must find: a `modular` proof, a `general` one, a `trace`.
    pub predicates: Option<String>,
}

impl Example {
    /// The example as a program, with its constants as they are in the file.
    pub fn program(&self) -> Arc<Program> {
        program(&self.path.display().to_string(), &self.text)
    }
}

/// A program from its text; panics with the diagnostics if it is not one.
pub fn program(name: &str, text: &str) -> Arc<Program> {
    try_program(name, text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

/// A program from its text, or the diagnostics if it is not one.
pub fn try_program(name: &str, text: &str) -> Result<Arc<Program>, String> {
    let file = SourceFile::new(name, text);
    let lowered = load(file.clone(), &Options::default());
    lowered.program.map(Arc::new).ok_or_else(|| render(&file, &lowered.diagnostics, false))
}

/// All examples below `examples/`, sorted by path.
pub fn examples() -> Vec<Example> {
    let mut paths = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    paths.sort();
    paths.into_iter().map(example).collect()
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "tw") {
            out.push(path);
        }
    }
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
    let too_large_for_explicit = value("explicit").as_deref() == Some("UNKNOWN");
    let not_modular = value("modular").as_deref() == Some("UNKNOWN");
    let predicates = value("predicates");
    Example { safe, too_large_for_explicit, not_modular, states, predicates, path, text }
}
