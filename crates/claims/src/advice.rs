//! What to do about an answer that is not there. Engines say what they mean, as data, and others can ask what is meant;
//! the words for people are in `words.rs` and nowhere else.

/// A piece of advice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advice {
    // Limits.
    /// More time; how much, if somebody knows.
    MoreTime {
        seconds: Option<u64>,
    },
    /// More time of the cores; how much, if somebody knows.
    MoreCpuTime {
        seconds: Option<u64>,
    },
    /// More memory; how much, if somebody knows.
    MoreMemory {
        mib: Option<u64>,
    },
    MachineWithMoreMemory,
    RaiseTimeout,
    RaiseMemory,
    RaiseLimits,
    LetItFinish,
    RunAgain,
    WithoutProof,
    SmallerProgram,

    // Other engines and other ways to ask them.
    UseAuto,
    UseExplicit,
    UseExplicitIfFewStates,
    SearchInterleavings,
    ExplicitIgnoresAbstractThreads,
    ModularTreatsRecursion,
    UseFixpoint,
    LeaveLocksOut,
    OtherWaysToSolveHornClauses,
    WithoutUnrolling,
    LookFurther {
        copies: u32,
    },
    FixedNumberOfCopies,
    FewerCopies,

    // Solvers.
    /// There is none; how to get one.
    GetSolver {
        how: &'static str,
    },
    SolverOrAnotherEngine,
    NameSolver,
    SeeWhetherSolverWorks,

    // The program's data and steps.
    /// The variables that have no bounds, each with its place and with a range that it keeps.
    BoundVariables {
        names: Vec<String>,
    },
    SmallerSteps,
    MoreObjects,
    FewerCalls,

    // What one thread knows of another.
    /// That has been tried, and it makes the proof go through.
    ShareLocation {
        thread: String,
    },
    /// That has been tried, and it makes the proof go through.
    ShareMover,
    ProtectByMutex,

    // Contracts.
    StateReliesAndInvariants,
    SayInAnotherWay,
    SimplifyAnnotations,
    ExcludeByInvariant,
    StrengthenInit,
    StrengthenBeforeError,
    WeakenBrokenRely,
    WeakenGuarantee,
    StrengthenInvariant,
    WeakenLoopInvariant,
    StrengthenLoopInvariants,
    AdmitStandingStill,
    SayAfterAnySteps,
    StrengthenGuarantee,

    // Abstract threads.
    NameNodesLikeLabels,
    RemoveAbstractThread,
    StrongerNodes,
    AddEdge,
    NodesExcludeStores,
    AddAssertion,
    MendDeclaration,
    SimplerAbstractThreads,
    StrengthenAbstractThreads,

    /// What the hint of a diagnostic says.
    Hint(String),
    ReportBug,
}

impl Advice {
    /// Whether it is to ask another engine, which `auto` does by itself.
    pub fn is_other_engine(&self) -> bool {
        matches!(
            self,
            Advice::UseAuto
                | Advice::UseExplicit
                | Advice::UseExplicitIfFewStates
                | Advice::SearchInterleavings
                | Advice::ExplicitIgnoresAbstractThreads
                | Advice::ModularTreatsRecursion
                | Advice::SayInAnotherWay
        )
    }

    /// Whether it leaves less to search.
    pub fn is_smaller_search(&self) -> bool {
        matches!(self, Advice::FixedNumberOfCopies | Advice::FewerCopies)
    }

    /// Whether it has been tried, and makes a proof go through.
    pub fn is_tried(&self) -> bool {
        matches!(self, Advice::ShareLocation { .. } | Advice::ShareMover)
    }
}
