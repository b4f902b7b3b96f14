//! What went wrong at the end of a trace, and the values that show it.

use crate::facts::Facts;
use crate::race::{Racer, element, race};
use crate::statement::{Statement, statement};
use crate::waiting::{Standstill, standstill};
use threadwise_evidence::{Trace, Violation, position, step_words, with_names_of_threads};
use threadwise_ir::{
    Command, EdgeId, Env, Expr, ExprKind, Failure, Fault, Instance, Op, Path, Program, Property, State, StepError,
    ThreadId, Update, Wording,
};
use threadwise_print::show_property;
use threadwise_source::Span;

/// A violation in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// `assertion fails`, `invariant clean is violated`.
    pub what: String,
    /// The statement or the property that is violated, on one line.
    pub text: String,
    /// The thread whose step goes wrong; properties have none.
    pub thread: Option<String>,
    /// What that step does, the part that goes wrong last.
    pub statements: Vec<Statement>,
    /// Values that show why: `x == 0`, `P1@critical`.
    pub facts: Vec<String>,
    /// The two sides of a race.
    pub race: Option<[Racer; 2]>,
    /// The threads that wait for ever.
    pub standstill: Option<Standstill>,
    /// What the user has to say about the assertion that fails.
    pub message: Option<String>,
    pub span: Span,
}

/// Explains the violation at the end of a trace.
pub fn explain(instance: &Instance, trace: &Trace) -> Explanation {
    explain_named(&with_names_of_threads(instance, trace), trace)
}

/// The same, where the threads have the names already that they have in the trace.
pub(crate) fn explain_named(instance: &Instance, trace: &Trace) -> Explanation {
    let program = &instance.program;
    let state = last_state(trace);
    match &trace.violation {
        Violation::Step { thread, path, error, span } => {
            explain_step(instance, state.as_ref(), *thread, path, *error, *span)
        }
        Violation::Property(id) => {
            let property = program.property(*id);
            let standstill = state.as_ref().and_then(|state| standstill(instance, state, *id));
            let span = standstill.as_ref().and_then(|standstill| standstill.waiters.first()).map(|waiter| waiter.span);
            Explanation {
                what: match &standstill {
                    Some(standstill) => standstill.what().to_string(),
                    None => {
                        let element = state.as_ref().and_then(|state| element(instance, state, *id));
                        property_fails(&property.wording, element)
                    }
                },
                text: show_property(program, property),
                facts: property_facts(instance, state.as_ref(), property),
                race: property
                    .pattern()
                    .zip(state.as_ref())
                    .and_then(|(pattern, state)| race(instance, state, *id, pattern)),
                standstill,
                ..Explanation::at(span.unwrap_or(property.span))
            }
        }
        Violation::PropertyFault(id, fault, span) => {
            let property = program.property(*id);
            Explanation {
                what: format!("{} in a property", fault_name(*fault)),
                text: show_property(program, property),
                facts: property_facts(instance, state.as_ref(), property),
                ..Explanation::at(*span)
            }
        }
        Violation::Initial(fault, span) => Explanation {
            what: format!("{} in the initial values", fault_name(*fault)),
            text: program.source.snippet(*span, 72),
            ..Explanation::at(*span)
        },
        Violation::Start { thread, error, span } => Explanation {
            what: error_name(*error).to_string(),
            text: program.source.snippet(*span, 72),
            thread: Some(thread_name(instance, *thread)),
            ..Explanation::at(*span)
        },
    }
}

impl Explanation {
    fn at(span: Span) -> Explanation {
        Explanation {
            what: String::new(),
            text: String::new(),
            thread: None,
            statements: Vec::new(),
            facts: Vec::new(),
            race: None,
            standstill: None,
            message: None,
            span,
        }
    }
}

/// The state in which a trace ends.
pub(crate) fn last_state(trace: &Trace) -> Option<State> {
    let mut state = trace.initial.clone()?;
    for step in &trace.steps {
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
    }
    Some(state)
}

fn explain_step(
    instance: &Instance,
    state: Option<&State>,
    thread: ThreadId,
    path: &Path,
    error: StepError,
    span: Span,
) -> Explanation {
    let told = step_words(instance, state, thread, path, None);
    let text = told.as_ref().map(|_| instance.program.source.snippet(span, 72));
    let statements: Vec<Statement> = match told {
        Some(words) => vec![Statement { text: words.text, position: position(instance, words.span), span: words.span }],
        None => path.iter().map(|&id| statement(instance, id)).collect(),
    };
    let failure = state.and_then(|state| {
        let failures = state.steps(instance, thread).failures;
        let same = |f: &Failure| f.path == *path && f.error == error && f.span == span;
        failures.into_iter().find(same)
    });
    Explanation {
        what: error_name(error).to_string(),
        text: text.or_else(|| statements.last().map(|s| s.text.clone())).unwrap_or_default(),
        thread: Some(thread_name(instance, thread)),
        statements,
        facts: failure.map_or_else(Vec::new, |f| step_facts(instance, thread, &f)),
        message: path
            .last()
            .filter(|_| error == StepError::Assertion)
            .and_then(|&edge| message(&instance.program, edge)),
        ..Explanation::at(span)
    }
}

/// The message of the assertion that an edge has, if it has one.
fn message(program: &Program, edge: EdgeId) -> Option<String> {
    let Op::Command(command) = &program.edge(edge).op else { return None };
    command.assertions.iter().find_map(|assertion| assertion.message.as_ref().map(|text| text.to_string()))
}

/// The values that the failing edge looks at, in the state in which it fails.
fn step_facts(instance: &Instance, thread: ThreadId, failure: &Failure) -> Vec<String> {
    let Some(&edge) = failure.path.last() else {
        return Vec::new();
    };
    let (routine, start) = instance.top_frame(&failure.local);
    let tid = i64::from(thread.0) + 1;
    let frame = &failure.local[start..];
    let env = || Env::of_thread(instance, routine, tid, &failure.shared, frame);
    let mut facts = Facts::of_thread(env(), routine);
    match (&instance.program.edge(edge).op, failure.error) {
        (
            Op::Command(command),
            StepError::Assertion
            | StepError::Release
            | StepError::Start
            | StepError::Join
            | StepError::Memory
            | StepError::Arithmetic
            | StepError::Lock
            | StepError::Exception
            | StepError::Beyond,
        ) => {
            failing_assertions(command, &mut env()).for_each(|e| facts.about(e));
        }
        (Op::Command(command), StepError::ActionAssertion) => {
            if let Update::Action { assertion, .. } = &command.update {
                assertion.iter().for_each(|e| facts.about(e));
            }
        }
        (op, _) => {
            if let Some((e, binders)) = part_at(op, failure.span) {
                facts.below_binders(binders);
                facts.result_of(&e);
                facts.about(&e);
            }
        }
    }
    facts.finish()
}

/// The expression of an operation that stands at the span, and how many binders are around it.
fn part_at(op: &Op, span: Span) -> Option<(Expr, usize)> {
    let mut found = None;
    op.walk_expressions(&mut |e| {
        if e.span == span && found.is_none() {
            found = Some((e.clone(), std::ptr::from_ref(e)));
        }
    });
    let (part, place) = found?;
    let mut binders = 0;
    op.walk_expressions(&mut |e| {
        if let ExprKind::Quantified(_, _, body) = &e.kind {
            binders += usize::from(body.any(&|inner| std::ptr::eq(inner, place)));
        }
    });
    Some((part, binders))
}

/// The assertions that do not hold.
fn failing_assertions<'c>(command: &'c Command, env: &mut Env<'_>) -> impl Iterator<Item = &'c Expr> {
    let conditions = command.assertions.iter().map(|a| &a.condition);
    conditions.filter(move |e| !matches!(env.holds(e), Ok(true)))
}

fn property_facts(instance: &Instance, state: Option<&State>, property: &Property) -> Vec<String> {
    let (Some(state), Some((e, _))) = (state, property.formula()) else { return Vec::new() };
    let mut facts = Facts::of_state(instance, &state.shared, &state.locals);
    facts.about(e);
    facts.finish()
}

fn property_fails(wording: &Wording, element: Option<String>) -> String {
    match wording {
        Wording::Invariant(Some(name)) => format!("invariant {name} is violated"),
        Wording::Invariant(None) => "invariant is violated".to_string(),
        Wording::Never(Some(name)) => format!("forbidden state {name} is reached"),
        Wording::Never(None) => "forbidden state is reached".to_string(),
        Wording::NoRace(name) => format!("race on {}", element.as_deref().unwrap_or(name)),
        Wording::NoDeadlock => "deadlock".to_string(),
        Wording::NoLockCycle => "cycle of locks".to_string(),
    }
}

/// What a step did wrong, in a few words.
pub(crate) fn error_name(error: StepError) -> &'static str {
    match error {
        StepError::Assertion => "assertion fails",
        StepError::Release => "a lock is released by a thread that does not hold it",
        StepError::Start => "more threads are started than there are copies",
        StepError::Join => "what is joined is no thread that can be started",
        StepError::Memory => "invalid access of memory",
        StepError::Arithmetic => "arithmetic goes wrong",
        StepError::Lock => "a lock is misused",
        StepError::Exception => "an exception is not caught",
        StepError::Beyond => "the program leaves what its front end covers",
        StepError::ActionAssertion => "assertion of an action fails",
        StepError::Fault(fault) => fault_name(fault),
    }
}

fn fault_name(fault: Fault) -> &'static str {
    match fault {
        Fault::Range => "value out of range",
        Fault::Index => "index out of range",
        Fault::Division => "division by zero",
        Fault::Shift => "shift by a negative number",
    }
}

fn thread_name(instance: &Instance, thread: ThreadId) -> String {
    instance.tid_name(i64::from(thread.0) + 1)
}
