use crate::conformance::Conformance;
use crate::engine::{Cartesian, Contracts, Engine, Explicit, Modular, Predicates};
use std::fmt;
use std::str::FromStr;
use threadwise_ir::Program;

/// All engines, in the order in which `auto` prefers them. A new engine is one more line here.
static ENGINES: &[&dyn Engine] = &[&Explicit, &Contracts, &Conformance, &Modular, &Cartesian, &Predicates];

/// All engines, in the order in which `auto` prefers them.
pub fn engines() -> &'static [&'static dyn Engine] {
    ENGINES
}

/// Which engine to use: `auto`, or one that exists. Made by parsing its name.
#[derive(Clone, Copy, Default)]
pub struct EngineChoice(Option<&'static dyn Engine>);

impl EngineChoice {
    /// Let Threadwise pick.
    pub const AUTO: EngineChoice = EngineChoice(None);

    /// The name of the choice: `auto` or an engine's.
    pub fn name(&self) -> &'static str {
        self.0.map_or("auto", Engine::name)
    }

    /// All names that can be parsed, `auto` first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("auto").chain(ENGINES.iter().map(|engine| engine.name()))
    }

    /// The engine to run, and what to say about the choice; or why no engine will do.
    pub(crate) fn pick(&self, program: &Program) -> Result<(&'static dyn Engine, Option<String>), String> {
        let Some(engine) = self.0 else {
            return pick_automatically(program);
        };
        match engine.applicable(program) {
            Ok(()) => Ok((engine, None)),
            Err(why) => Err(format!("engine `{}` cannot treat this program: {why}", engine.name())),
        }
    }
}

impl EngineChoice {
    /// Another engine for `auto` to try, where the first one depends on what the user wrote.
    pub(crate) fn second(&self, program: &Program, first: &dyn Engine) -> Option<(&'static dyn Engine, String)> {
        if self.0.is_some() || first.name() != "contracts" {
            return None;
        }
        let is_other = |engine: &&&dyn Engine| engine.name() != first.name() && engine.applicable(program).is_ok();
        // Exhaustive search comes first where it can come to an end.
        let endless = program.has_any_copies() || program.is_recursive();
        let engine = ENGINES.iter().filter(is_other).find(|engine| engine.is_modular() == endless)?;
        Some((*engine, format!("auto: engine `{}` could not say; then picked `{}`", first.name(), engine.name())))
    }
}

fn pick_automatically(program: &Program) -> Result<(&'static dyn Engine, Option<String>), String> {
    let applicable = || ENGINES.iter().filter(|engine| engine.applicable(program).is_ok());
    match applicable().find(|engine| engine.suits(program)).or_else(|| applicable().next()) {
        Some(engine) => Ok((*engine, Some(format!("auto: picked engine `{}`: {}", engine.name(), engine.summary())))),
        None => Err("no engine can treat this program".to_string()),
    }
}

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineChoice({})", self.name())
    }
}

impl PartialEq for EngineChoice {
    fn eq(&self, other: &EngineChoice) -> bool {
        self.name() == other.name()
    }
}

impl FromStr for EngineChoice {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<EngineChoice, UnknownEngine> {
        if name == "auto" {
            return Ok(EngineChoice::AUTO);
        }
        match ENGINES.iter().find(|engine| engine.name() == name) {
            Some(engine) => Ok(EngineChoice(Some(*engine))),
            None => Err(UnknownEngine { asked: name.to_string() }),
        }
    }
}

/// There is no engine of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEngine {
    /// The name that was asked for.
    pub asked: String,
}

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = EngineChoice::names().map(|name| format!("`{name}`")).collect();
        write!(f, "there is no engine `{}`; available: {}", self.asked, names.join(", "))
    }
}

impl std::error::Error for UnknownEngine {}
