use std::fmt;
use std::str::FromStr;

/// The engines, in the order in which they are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EngineName {
    Explicit,
    Contracts,
    Conformance,
    Modular,
    Cartesian,
    Predicates,
    Locks,
    Intervals,
    Coverability,
    Lockstep,
    Relations,
    Hunt,
}

impl EngineName {
    /// All of them.
    pub const ALL: [EngineName; 12] = [
        EngineName::Explicit,
        EngineName::Contracts,
        EngineName::Conformance,
        EngineName::Modular,
        EngineName::Cartesian,
        EngineName::Predicates,
        EngineName::Locks,
        EngineName::Intervals,
        EngineName::Coverability,
        EngineName::Lockstep,
        EngineName::Relations,
        EngineName::Hunt,
    ];

    /// The name that users give to `--engine`.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineName::Explicit => "explicit",
            EngineName::Contracts => "contracts",
            EngineName::Conformance => "conformance",
            EngineName::Modular => "modular",
            EngineName::Cartesian => "cartesian",
            EngineName::Predicates => "predicates",
            EngineName::Locks => "locks",
            EngineName::Intervals => "intervals",
            EngineName::Coverability => "coverability",
            EngineName::Lockstep => "lockstep",
            EngineName::Relations => "relations",
            EngineName::Hunt => "hunt",
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which engine to use, or which one answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// Let Threadwise pick; no single one answered.
    #[default]
    Auto,
    /// This one.
    Only(EngineName),
}

impl EngineChoice {
    /// `auto`, or the engine's name.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineChoice::Auto => "auto",
            EngineChoice::Only(engine) => engine.as_str(),
        }
    }

    /// All names that can be parsed, `auto` first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EngineChoice::all().map(EngineChoice::as_str)
    }

    fn all() -> impl Iterator<Item = EngineChoice> {
        std::iter::once(EngineChoice::Auto).chain(EngineName::ALL.map(EngineChoice::Only))
    }
}

impl From<EngineName> for EngineChoice {
    fn from(engine: EngineName) -> EngineChoice {
        EngineChoice::Only(engine)
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for EngineChoice {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<EngineChoice, UnknownEngine> {
        let found = EngineChoice::all().find(|choice| choice.as_str() == name);
        found.ok_or_else(|| UnknownEngine { asked: name.to_string() })
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
