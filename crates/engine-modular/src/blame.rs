//! Why there is no proof, and what would help.

use crate::fixpoint::{Goal, Stop, solve};
use crate::safety::{Error, Suspect, suspect};
use std::sync::Arc;
use threadwise_claims::{Advice, Unknown};
use threadwise_evidence::show_shared;
use threadwise_ir::{
    Broken, Expr, ExprKind, Fault, Initial, Instance, Op, Place, Program, SharedId, SharedVar, Sort, StepError,
    TemplateId, Update, Value, VarRef, Wording,
};
use threadwise_limits::Budget;
use threadwise_source::Span;

/// The analysis stopped.
pub(crate) fn stopped(instance: &Instance, stop: Stop) -> Unknown {
    match stop {
        Stop::Limit(limit) => Unknown::at_limit(limit),
        Stop::TooMany => Unknown {
            reason: "with unbounded data a thread has too many states".to_string(),
            advice: vec![Advice::UseAuto],
        },
        Stop::Start(span) => {
            let place = instance.program.source.locate(span);
            Unknown { reason: format!("the value at {place} is in error at the very start"), advice: Vec::new() }
        }
        Stop::Gap(gap) => Unknown::from_gap(&instance.program, gap),
    }
}

/// The abstraction admits an error. The reason names the thread states whose combination is to
/// blame, the advice says what local information would separate them if it were shared: each
/// suggestion has been tried and makes the proof go through (FQ, section 4; CART, section 1.13.1).
pub(crate) fn unknown(instance: &Instance, suspect: &Suspect, budget: &Budget) -> Unknown {
    let program = &instance.program;
    let threads: Vec<String> =
        suspect.threads.iter().map(|(thread, local)| describe(instance, *thread, local)).collect();
    let combination = match &threads[..] {
        [] => "this shared state".to_string(),
        [one] => one.clone(),
        several => format!("the combination of {}", several.join(" and ")),
    };
    let what = match &suspect.error {
        Error::Step(error, span) => format!("{} at {}", step_error(*error), program.source.locate(*span)),
        Error::Property(Broken::Property(id) | Broken::Fault(id, ..)) => {
            let property = program.property(*id);
            format!("`{}`", program.source.snippet(property.span, 80))
        }
    };
    let shared = show_shared(instance, &suspect.store);
    let reason = format!("one thread at a time cannot exclude that {combination} breaks {what}, with {shared}");
    let mut advice: Vec<Advice> = exposures(program, suspect, instance)
        .into_iter()
        .filter(|exposure| proves(&exposure.program, budget))
        .map(|exposure| exposure.advice)
        .take(2)
        .collect();
    if let (Error::Property(Broken::Property(id)), true) = (&suspect.error, advice.is_empty())
        && matches!(program.property(*id).wording, Wording::NoRace(_))
    {
        advice.push(Advice::ProtectByMutex);
    }
    advice.push(Advice::SearchInterleavings);
    Unknown { reason, advice }
}

fn describe(instance: &Instance, thread: usize, local: &[i64]) -> String {
    let location = instance.program.location(instance.location_of(local));
    let place = instance.program.source.locate(location.span);
    let name = instance.tid_name(thread as i64 + 1);
    match location.labels.first() {
        Some(label) => format!("{name} at {label} ({place})"),
        None => format!("{name} at {place}"),
    }
}

fn step_error(error: StepError) -> &'static str {
    match error {
        StepError::Assertion | StepError::ActionAssertion => "the assertion",
        StepError::Release => "the release of a lock",
        StepError::Start => "the number of threads that are started",
        StepError::Join => "the join of a thread",
        StepError::Memory => "the validity of an access of memory",
        StepError::Arithmetic => "the rules of arithmetic",
        StepError::Lock => "the use of a lock",
        StepError::Exception => "what is said of exceptions",
        StepError::Beyond => "staying within what the front end covers",
        StepError::Fault(Fault::Range) => "the range of a variable",
        StepError::Fault(Fault::Index) => "the bounds of an array",
        StepError::Fault(Fault::Division) => "the rule against dividing by zero",
        StepError::Fault(Fault::Shift) => "the rule against shifting by a negative number",
    }
}

/// The program with some local information made shared.
struct Exposure {
    program: Program,
    advice: Advice,
}

/// What could be made shared: who moved last, and where the threads to blame are.
fn exposures(program: &Program, suspect: &Suspect, instance: &Instance) -> Vec<Exposure> {
    let mut exposures = Vec::new();
    for (thread, _) in &suspect.threads {
        let template = instance.threads[*thread].template;
        let name = &program.template(template).name;
        if instance.copies_of(template).len() == 1
            && let Some(program) = expose_location(program, template)
        {
            let advice = Advice::ShareLocation { thread: name.to_string() };
            exposures.push(Exposure { program, advice });
        }
    }
    if let Some(program) = expose_mover(program) {
        exposures.push(Exposure { program, advice: Advice::ShareMover });
    }
    exposures
}

/// A suggestion is tried on at most this many thread states.
const TRIAL_STATES: u64 = 20_000;

/// Whether the fixpoint proves the program, in a moment.
fn proves(program: &Program, budget: &Budget) -> bool {
    let program = Arc::new(program.clone());
    let goal = Goal { until_failure: true, max_states: TRIAL_STATES };
    crate::applicable(&program).is_ok()
        && crate::cases(&program).is_some_and(|cases| {
            cases.iter().all(|copies| {
                let instance = Instance::with_copies(program.clone(), copies);
                let found = solve(&instance, goal, budget).and_then(|mut f| suspect(&mut f, budget));
                matches!(found, Ok(None))
            })
        })
}

fn expose_location(program: &Program, template: TemplateId) -> Option<Program> {
    let body = program.template(template).body;
    let last = program.locations.len() as i64 - 1;
    expose(program, Sort::Range(0, last), |edge| {
        let here = program.location(edge.from).routine == body;
        here.then(|| ExprKind::Const(i64::from(edge.to.0)))
    })
}

fn expose_mover(program: &Program) -> Option<Program> {
    expose(program, Sort::Tid, |_| Some(ExprKind::SelfThread))
}

/// Adds a shared variable that some edges set. `None` if such an edge is a call or a return, or an
/// action, which cannot set a variable on the side.
fn expose(program: &Program, sort: Sort, value: impl Fn(&threadwise_ir::Edge) -> Option<ExprKind>) -> Option<Program> {
    let mut exposed = program.clone();
    let id = SharedId(program.shared.len() as u32);
    let span = Span::default();
    exposed.shared.push(SharedVar { name: "exposed".into(), sort: sort.clone(), init: Initial::Default, span });
    for edge in Arc::make_mut(&mut exposed.edges) {
        let Some(kind) = value(edge) else { continue };
        let Op::Command(command) = &mut edge.op else { return None };
        let Update::Assign(assignments) = &mut command.update else { return None };
        let place = Place { var: VarRef::Shared(id), indices: Box::default(), sort: (&sort).into(), span };
        let exposing = (place, Value::Of(Expr::new(kind, &sort, span)));
        *assignments = std::mem::take(assignments).into_iter().chain([exposing]).collect();
    }
    Some(exposed)
}
