use crate::conformance::Conformance;
use crate::engine::{Cartesian, Contracts, Engine, Explicit, Modular, Predicates};
use std::fmt;
use std::str::FromStr;

/// All engines, in the order in which they are listed. A new engine is one more line here.
static ENGINES: &[&dyn Engine] = &[&Explicit, &Contracts, &Conformance, &Modular, &Cartesian, &Predicates];

/// All engines.
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

    /// The engine that was named, if one was.
    pub(crate) fn engine(&self) -> Option<&'static dyn Engine> {
        self.0
    }
}

/// The engine of that name.
pub(crate) fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == name)
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
        match engine_named(name) {
            Some(engine) => Ok(EngineChoice(Some(engine))),
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
