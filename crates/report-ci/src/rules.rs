//! What can be wrong with a program, with a word on what to do about it.

/// A kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The `kind` of a violation in JSON, or what else is found.
    pub id: &'static str,
    /// In a few words.
    pub short: &'static str,
    /// What it means, and what to do.
    pub help: &'static str,
}

/// All kinds of findings.
pub const RULES: &[Rule] = &[
    rule(
        "assertion",
        "An assertion fails",
        "Some interleaving of the threads leads to an assertion that does not hold. Follow the steps: between the last \
         time that it held and the assertion, another thread changed something that it speaks of. A lock that both hold, or an \
         atomic step, keeps them apart.",
    ),
    rule(
        "invariant",
        "An invariant is violated",
        "The last step leads to a state in which the invariant does not hold. Do what has to happen together in one atomic \
         step, or say in the invariant when it holds.",
    ),
    rule(
        "never",
        "A forbidden state is reached",
        "The steps lead to a state that must never be. Two threads in their critical sections, for example, passed a test that one of \
         them should not have passed.",
    ),
    rule(
        "race",
        "Two threads race",
        "Two threads can access the same data at the same time, at least one of them writes, and nothing orders the accesses. Protect both \
         by the same lock, or make them atomic.",
    ),
    rule(
        "deadlock",
        "Threads wait for ever",
        "No thread can take a step, and some of them have not ended. Take locks in one order everywhere; wake whoever waits for a \
         condition after it has changed.",
    ),
    rule(
        "lock-cycle",
        "Threads wait for each other's locks",
        "Each of these threads holds a lock that the next one waits for, so that none of them moves again. Take locks in \
         one order everywhere.",
    ),
    rule(
        "range",
        "A value is out of range",
        "A variable gets a value that its type does not have. Test before the assignment, or widen the type.",
    ),
    rule(
        "index",
        "An index is out of range",
        "An array has no element with this index. Test the index before it is used.",
    ),
    rule("division", "Division by zero", "A divisor is zero. Another thread may have changed it since it was tested."),
    rule("shift", "A shift is out of range", "A number is shifted by a negative number or by too much."),
    rule(
        "release",
        "A lock is released by a thread that does not hold it",
        "Only the thread that holds a lock may release it. Look for a path that releases twice, or without having acquired it.",
    ),
    rule(
        "start",
        "More threads are started than there are",
        "A thread is started although all of its copies run. Declare more copies, or join before the start.",
    ),
    rule("join", "What is joined is no thread that can be started", "Join what a start has returned."),
    rule(
        "memory",
        "Invalid access of memory",
        "Memory is accessed or freed that was freed before, never allocated, or has ended. Another thread may have freed it.",
    ),
    rule(
        "arithmetic",
        "Arithmetic goes wrong",
        "A signed number overflows, a divisor is zero or a shift is too wide, which C leaves undefined.",
    ),
    rule(
        "lock",
        "A lock is misused",
        "A lock is used in a way that its library does not allow: unlocked by a thread that does not hold it, destroyed while it is held.",
    ),
    rule(
        "exception",
        "An exception is not caught",
        "An exception is thrown that nobody catches: a null reference, an index out of bounds, a division by zero, or one of the program's own.",
    ),
    rule("action", "The assertion of an action fails", "An action takes a step for which its assertion does not hold."),
    rule(
        "beyond",
        "The program leaves what is covered",
        "The program does something that Threadwise does not model; nothing is known from there on.",
    ),
    rule(
        "unknown",
        "Threadwise could not decide",
        "Neither a proof nor an error was found within the limits. The message says why; `threadwise check` says what to try.",
    ),
    rule(
        "unreached",
        "No execution gets here",
        "The proof holds because nobody gets past this statement, which may not be as meant.",
    ),
    rule(
        "input",
        "The program cannot be read",
        "Threadwise reads `.tw`, `.ts` and C files; the message says what is wrong with this one.",
    ),
];

const fn rule(id: &'static str, short: &'static str, help: &'static str) -> Rule {
    Rule { id, short, help }
}

/// The number of a rule; kinds that are not listed count as assertions.
pub(crate) fn number(id: &str) -> usize {
    RULES.iter().position(|rule| rule.id == id).unwrap_or(0)
}
