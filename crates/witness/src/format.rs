//! What a witness file says: a list of entries, as data.

/// A file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Witness {
    pub entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub metadata: Metadata,
    pub content: Content,
}

/// Who wrote an entry, and about what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    pub format_version: String,
    pub uuid: String,
    pub creation_time: String,
    pub producer: String,
    pub producer_version: String,
    pub task: Task,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Task {
    /// The program's files, each with its SHA-256.
    pub files: Vec<(String, String)>,
    pub specification: String,
    pub data_model: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    Invariants(Vec<Invariant>),
    Ghosts(Ghosts),
    /// Segments of waypoints.
    Violation(Vec<Vec<Waypoint>>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Location {
    pub file_name: String,
    pub line: u32,
    /// Counted from 1; without it, whatever fits and stands leftmost.
    pub column: Option<u32>,
    pub function: Option<String>,
}

/// An expression of C that holds whenever control is at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Of a loop, each time that its condition is about to be evaluated; otherwise of the statement that begins there.
    pub is_loop: bool,
    pub location: Location,
    pub value: String,
}

impl Invariant {
    /// Whether it says nothing: a number that is not zero always holds.
    pub fn is_trivial(&self) -> bool {
        self.value.trim().parse::<u64>().is_ok_and(|number| number != 0)
    }
}

/// Variables that the program does not have, and when they change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ghosts {
    pub variables: Vec<GhostVariable>,
    pub updates: Vec<GhostUpdate>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostVariable {
    pub name: String,
    pub ty: String,
    pub initial: String,
}

/// What changes together with, and after, the statement at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostUpdate {
    pub location: Location,
    /// Variables and their new values.
    pub updates: Vec<(String, String)>,
}

/// Something that an execution comes by, or must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    pub kind: WaypointKind,
    /// `follow`; otherwise `avoid`.
    pub is_followed: bool,
    /// Who comes by: 0 is `main`, others are counted as they are created. Anybody, where nothing is said.
    pub thread: Option<u32>,
    pub location: Location,
    /// The value of a constraint, where there is one.
    pub constraint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    Assumption,
    Target,
    FunctionEnter,
    FunctionReturn,
    Branching,
}

impl WaypointKind {
    pub const ALL: [WaypointKind; 5] = [
        WaypointKind::Assumption,
        WaypointKind::Target,
        WaypointKind::FunctionEnter,
        WaypointKind::FunctionReturn,
        WaypointKind::Branching,
    ];

    pub fn name(self) -> &'static str {
        match self {
            WaypointKind::Assumption => "assumption",
            WaypointKind::Target => "target",
            WaypointKind::FunctionEnter => "function_enter",
            WaypointKind::FunctionReturn => "function_return",
            WaypointKind::Branching => "branching",
        }
    }

    /// Whether it makes no sense without a constraint.
    pub fn needs_constraint(self) -> bool {
        matches!(self, WaypointKind::Assumption | WaypointKind::Branching)
    }
}

impl Entry {
    pub fn invariants(&self) -> &[Invariant] {
        match &self.content {
            Content::Invariants(all) => all,
            Content::Ghosts(_) | Content::Violation(_) => &[],
        }
    }

    pub fn ghosts(&self) -> Option<&Ghosts> {
        match &self.content {
            Content::Ghosts(ghosts) => Some(ghosts),
            Content::Invariants(_) | Content::Violation(_) => None,
        }
    }
}

impl Content {
    pub fn entry_type(&self) -> &'static str {
        match self {
            Content::Invariants(_) => "invariant_set",
            Content::Ghosts(_) => "ghost_instrumentation",
            Content::Violation(_) => "violation_sequence",
        }
    }
}
