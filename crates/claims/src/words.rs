use crate::Advice;
use std::fmt;

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Advice::MoreTime { seconds: Some(seconds) } => {
                return write!(f, "give it more time: `--timeout {seconds}`");
            }
            Advice::MoreTime { seconds: None } => "give it more time with `--timeout`",
            Advice::MoreCpuTime { seconds: Some(seconds) } => {
                return write!(f, "give it more time: `--cpu-time {seconds}`");
            }
            Advice::MoreCpuTime { seconds: None } => "give it more time with `--cpu-time`",
            Advice::MoreMemory { mib: Some(mib) } => return write!(f, "give it more memory: `--memory {mib}`"),
            Advice::MoreMemory { mib: None } => "give it more memory with `--memory`",
            Advice::MachineWithMoreMemory => "use a machine with more memory",
            Advice::RaiseTimeout => "raise `--timeout`",
            Advice::RaiseMemory => "raise `--memory`",
            Advice::RaiseLimits => "raise `--timeout` or `--memory`, or let it finish",
            Advice::LetItFinish => "let it finish",
            Advice::RunAgain => "run it again and let it finish",
            Advice::WithoutProof => "without `--proof` the search alone may fit the limit",
            Advice::SmallerProgram => "make the program smaller (fewer copies, smaller ranges) or raise the limits",

            Advice::UseAuto => "use `--engine auto`",
            Advice::UseExplicit => "use `--engine explicit`",
            Advice::UseExplicitIfFewStates => "for a program with few states, try `--engine explicit`",
            Advice::SearchInterleavings => "`--engine explicit` searches all interleavings, if they are not too many",
            Advice::ExplicitIgnoresAbstractThreads => "`--engine explicit` takes no notice of abstract threads",
            Advice::ModularTreatsRecursion => "`--engine modular` treats recursive procedures",
            Advice::UseFixpoint => "use `--search fixpoint`",
            Advice::LeaveLocksOut => "leave `--exceptions locks` out: then exceptions are searched for",
            Advice::OtherWaysToSolveHornClauses => "try `--horn aret`, `--horn spacer` or `--bias none`",
            Advice::WithoutUnrolling => {
                "without `--unroll` loops are checked with their invariants, for all iterations"
            }
            Advice::LookFurther { copies } => return write!(f, "look further with `--any-copies {copies}`"),
            Advice::FixedNumberOfCopies => "replace `[*]` by a number to have just that many copies verified",
            Advice::FewerCopies => "try fewer copies of a thread with `-D`",

            Advice::GetSolver { how } => how,
            Advice::SolverOrAnotherEngine => "see docs/SOLVER.md on how to get a solver, or try another engine",
            Advice::NameSolver => "name one that is there, or none: then z3 is looked for",
            Advice::SeeWhetherSolverWorks => "see whether the solver works by itself, or name another with `--solver`",

            Advice::BoundVariables { names } => {
                let names = names.join(", ");
                let end = "in place of `int`, which they keep: then all interleavings can be searched";
                return write!(f, "give {names} {end}");
            }
            Advice::SmallerSteps => "split the step or the property, or give variables smaller types",
            Advice::MoreObjects => {
                "allow more objects with `--objects N`, if these are too few; else leave out what is not supported"
            }
            Advice::FewerCalls => "call fewer procedures from procedures, or unroll less",

            Advice::ShareLocation { thread } => {
                return write!(
                    f,
                    "share where {thread} is: a shared variable that {thread} sets with every step, in one `atomic` with \
                     it, makes the proof go through"
                );
            }
            Advice::ShareMover => {
                "share who moved last: a shared `tid` that every step sets to `self`, in one `atomic` with it, makes \
                 the proof go through"
            }
            Advice::ProtectByMutex => "protect the variable by a `mutex`, whose value tells who holds it",

            Advice::StateReliesAndInvariants => {
                "state what the other threads may do, as a `rely` for each thread, and what always holds, as an \
                 `invariant`: docs/CONTRACTS.md shows how"
            }
            Advice::SayInAnotherWay => "say it in another way, or use `--engine explicit`",
            Advice::SimplifyAnnotations => {
                "simplify the annotations, or split long code by an `assert` of what holds in between"
            }
            Advice::ExcludeByInvariant => {
                "if this cannot be, add an `invariant` over shared variables that excludes it, or strengthen the rely"
            }
            Advice::StrengthenInit => "strengthen `init`, or weaken the invariant",
            Advice::StrengthenBeforeError => {
                "strengthen the rely of this thread, an invariant, or the invariant of the loop before it"
            }
            Advice::WeakenBrokenRely => "weaken that rely, or strengthen what this thread may rely on before the step",
            Advice::WeakenGuarantee => {
                "weaken the guarantee, or strengthen what this thread may rely on before the step"
            }
            Advice::StrengthenInvariant => {
                "strengthen the invariant or the rely by what is missing in the state before the step"
            }
            Advice::WeakenLoopInvariant => "weaken this invariant of the loop, or strengthen what holds before it",
            Advice::StrengthenLoopInvariants => "strengthen the invariants of this loop",
            Advice::AdmitStandingStill => "every thread takes steps that change nothing; let the formula admit them",
            Advice::SayAfterAnySteps => {
                "say what holds after any number of steps of the others, such as `x' >= x` for `x' == x + 1`"
            }
            Advice::StrengthenGuarantee => {
                "strengthen the guarantee, weaken the rely, or leave the guarantee out: then it is derived"
            }

            Advice::NameNodesLikeLabels => {
                "name nodes like the labels that the property asks for, or make it an `assert` in the thread"
            }
            Advice::RemoveAbstractThread => {
                "remove the `abstract` declaration of the thread: it then stands for itself"
            }
            Advice::StrongerNodes => "make the assertions of the nodes stronger, or the thread simpler",
            Advice::AddEdge => "add the missing edge or assertion to the abstract thread, or mend the thread",
            Advice::NodesExcludeStores => "an assertion in a node excludes the shared stores for which it is false",
            Advice::AddAssertion => "add an assertion to a node that is false there, or mend the thread",
            Advice::MendDeclaration => "mend the declaration",
            Advice::SimplerAbstractThreads => "make the abstract threads simpler, or give variables smaller types",
            Advice::StrengthenAbstractThreads => {
                "strengthen the edges of the abstract threads, or split nodes, so that this execution is excluded"
            }

            Advice::Hint(text) => text,
            Advice::ReportBug => "this is a bug in Threadwise: please report it, with the program and the command line",
        };
        f.write_str(text)
    }
}
