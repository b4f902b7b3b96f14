//! Failures in the program's own terms.

use crate::Stop;
use crate::contract::Contracts;
use crate::encode::{Obligation, What};
use crate::model::read_values;
use crate::points::Place;
use threadwise_claims::{Advice, Unknown};
use threadwise_evidence::show_shared;
use threadwise_ir::{
    BinaryOp, Contract, Copies, Domain, EdgeId, Expr, ExprKind, Fault, Instance, Program, Property, Sort, StepError,
    TemplateId, Wording,
};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, HOW_TO_GET, Session, SolverError};
use threadwise_source::{Diagnostic, Span};
use threadwise_symbolic::Value;

/// Models with at most so many threads are asked for first, so that they are easy to read.
const FEW_THREADS: i64 = 4;

/// More threads than this are not shown by name.
const MANY_THREADS: i64 = 64;

/// The check ended without a proof.
pub(crate) fn stopped(program: &Program, stop: Stop) -> Unknown {
    match stop {
        Stop::Unknown(unknown) => unknown,
        Stop::Rejected(error) => {
            Unknown { reason: error.message, advice: error.hint.map(Advice::Hint).into_iter().collect() }
        }
        Stop::Solver(SolverError::Missing(why)) if why == HOW_TO_GET => Unknown {
            reason: "engine `contracts` needs an SMT solver, and there is none".to_string(),
            advice: vec![Advice::GetSolver { how: HOW_TO_GET }],
        },
        Stop::Solver(error) => Unknown { reason: error.to_string(), advice: vec![what_to_do(&error)] },
        Stop::Unsupported(what) => Unknown {
            reason: format!("{} at {} cannot be put to the solver", what.what, program.source.locate(what.span)),
            advice: vec![Advice::SayInAnotherWay],
        },
    }
}

/// What to do about a solver that gave no answer.
fn what_to_do(error: &SolverError) -> Advice {
    match error {
        SolverError::Missing(_) => Advice::NameSolver,
        SolverError::Died(_) | SolverError::Protocol(_) => Advice::SeeWhetherSolverWorks,
        SolverError::Timeout(_) | SolverError::Memory(_) => Advice::SimplifyAnnotations,
        SolverError::Limit(_) => Advice::RaiseLimits,
    }
}

/// Loops were unrolled and no error was found.
pub(crate) fn nothing_found(rounds: u32) -> Unknown {
    Unknown {
        reason: format!("no error within {rounds} iterations of loops; more were not looked at"),
        advice: vec![Advice::WithoutUnrolling],
    }
}

/// What is known of where threads are does not exclude that a property is violated.
pub(crate) fn not_excluded(
    contracts: &Contracts<'_>,
    session: &mut Session,
    property: &Property,
    places: &[Vec<Place>],
    cast: &[(Term, Term, TemplateId)],
    shared: &[Value],
    answer: &Answer,
) -> Unknown {
    let model = Model::find(contracts, session, answer);
    let program = contracts.program();
    let what = match &property.wording {
        Wording::NoRace(name) => format!("a race on `{name}`"),
        Wording::Invariant(_) | Wording::Never(_) | Wording::NoDeadlock | Wording::NoLockCycle => {
            format!("a violation of `{}`", program.source.snippet(property.span, 80))
        }
    };
    let mut reason =
        format!("all contracts hold, but they do not exclude {what} ({})", program.source.locate(property.span));
    if *answer == Answer::Sat {
        let mut shown: Vec<String> = Vec::new();
        for (thread, place, template) in cast {
            let at = session.values(std::slice::from_ref(place)).ok().and_then(|values| values[0].scalar());
            let place = at.and_then(|at| places[template.index()].get(at as usize));
            if let (Some(name), Some(place)) = (model.thread(session, thread), place) {
                let at = program.source.locate(program.location(place.point.location).span);
                shown.push(format!("{name} at {at}"));
            }
        }
        shown.dedup();
        reason.push_str(&format!("\nthreads: {}\nin the store: {}", shown.join(", "), model.store(session, shared)));
    }
    Unknown { reason, advice: vec![Advice::ExcludeByInvariant, Advice::SearchInterleavings] }
}

/// Explains obligations of one thread's check, or of the start of the program.
pub(crate) struct Explainer<'a> {
    pub(crate) contracts: &'a Contracts<'a>,
    /// The thread whose check it is, and which copy.
    pub(crate) runner: Option<(TemplateId, &'a Term)>,
}

impl Explainer<'_> {
    /// What the solver's model says about an obligation that could not be shown.
    pub(crate) fn explain(&self, session: &mut Session, obligation: &Obligation, answer: &Answer) -> Unknown {
        let model = Model::find(self.contracts, session, answer);
        let program = self.contracts.program();
        let me = self.runner.map(|(template, me)| {
            model.thread(session, me).unwrap_or_else(|| program.template(template).name.to_string())
        });
        let me = me.unwrap_or_else(|| "the program".to_string());
        let place = |span: Span| program.source.locate(span);
        let step = obligation.edge.map(|edge| {
            let span = written(program, edge);
            match program.source.snippet(span, 60).as_str() {
                "}" => format!("the atomic step of {me} that ends at {}", place(span)),
                text => format!("the step `{text}` of {me} at {}", place(span)),
            }
        });
        let step = step.unwrap_or_else(|| "the program".to_string());
        let may = if *answer == Answer::Sat { "may" } else { "could not be shown not to" };
        let text = |e: &Expr| quoted(program, e);
        let property = |id: &threadwise_ir::PropertyId| place(program.property(*id).span);
        let (headline, advice) = match &obligation.what {
            What::InitialValue(span) => (format!("the initial value at {} {may} be in error", place(*span)), None),
            What::Initially(id, e) => (
                format!("the initial state {may} violate `{}` of the property at {}", text(e), property(id)),
                Some(Advice::StrengthenInit),
            ),
            What::Step(error, span) => (
                format!("{step} {may} go wrong: {} at {}", wrong(*error), place(*span)),
                Some(Advice::StrengthenBeforeError),
            ),
            What::Rely(index, e) => {
                let rely = &program.relies[*index];
                let other = model
                    .thread(session, &Term::constant("other", SmtSort::Int))
                    .unwrap_or_else(|| subject(program, rely));
                (
                    format!("{step} {may} break `{}`, on which {other} relies at {}", text(e), place(rely.span)),
                    Some(Advice::WeakenBrokenRely),
                )
            }
            What::Guarantee(index, e) => {
                let guarantee = &program.guarantees[*index];
                (
                    format!("{step} {may} break `{}` of its guarantee at {}", text(e), place(guarantee.span)),
                    Some(Advice::WeakenGuarantee),
                )
            }
            What::Invariant(id, e) => (
                format!("{step} {may} break `{}` of the property at {}", text(e), property(id)),
                Some(Advice::StrengthenInvariant),
            ),
            What::Entering(location, e) => (
                format!(
                    "`{}` {may} be false when the loop at {} is entered",
                    text(e),
                    place(program.location(*location).span)
                ),
                Some(Advice::WeakenLoopInvariant),
            ),
            What::Iterating(location, e) => (
                format!(
                    "`{}` {may} be false after an iteration of the loop at {}",
                    text(e),
                    place(program.location(*location).span)
                ),
                Some(Advice::StrengthenLoopInvariants),
            ),
        };
        let labels: &[&str] = match obligation.stores.len() {
            1 => &["in the store"],
            2 => &["before the environment's last step", "then"],
            _ => &["before the environment's last step", "before the step", "after the step"],
        };
        let mut lines = vec![headline];
        let shown: Vec<String> = obligation.stores.iter().map(|store| model.store(session, store)).collect();
        for (index, (label, store)) in labels.iter().zip(&shown).enumerate() {
            // The environment need not have moved.
            if !(index == 0 && shown.get(1) == Some(store) && shown.len() > 1) {
                lines.push(format!("{label}: {store}"));
            }
        }
        if let Answer::Unknown(reason) = answer {
            lines.push(format!("the solver does not know: {reason}"));
        }
        let advice = advice.into_iter().chain([Advice::SearchInterleavings]).collect();
        Unknown { reason: lines.join("\n"), advice }
    }
}

/// A conjunct in the user's words; one of several in the conclusion of an implication keeps the premise.
fn quoted(program: &Program, e: &Expr) -> String {
    let text = |e: &Expr| program.source.snippet(e.span, 80);
    match &e.kind {
        ExprKind::Binary(BinaryOp::Implies, premise, conclusion) => {
            format!("{} ==> {}", text(premise), text(conclusion))
        }
        _ => text(e),
    }
}

fn wrong(error: StepError) -> &'static str {
    match error {
        StepError::Assertion | StepError::ActionAssertion => "the assertion may fail",
        StepError::Release => "the lock may be released by a thread that does not hold it",
        StepError::Start => "more threads may be started than there are copies",
        StepError::Join => "what is joined may be no thread that can be started",
        StepError::Memory => "the access of memory may be invalid",
        StepError::Arithmetic => "the arithmetic may go wrong",
        StepError::Lock => "the lock may be misused",
        StepError::Exception => "an exception may be thrown that nobody catches",
        StepError::Beyond => "the program may leave what its front end covers",
        StepError::Fault(Fault::Range) => "the value may be out of range",
        StepError::Fault(Fault::Index) => "an index may be out of range",
        StepError::Fault(Fault::Division) => "a divisor may be zero",
        StepError::Fault(Fault::Shift) => "a shift may be by a negative number",
    }
}

fn subject(program: &Program, contract: &Contract) -> String {
    match &contract.subject {
        Domain::Copies(template) => program.template(*template).name.to_string(),
        Domain::Sort(_) => "another thread".to_string(),
    }
}

fn placed(program: &Program, contract: &Contract) -> String {
    format!("`{}` at {}", program.source.snippet(contract.span, 100), program.source.locate(contract.span))
}

/// A rely or a guarantee does not admit a step that changes nothing: an error of the program's author.
pub(crate) fn not_reflexive(
    contracts: &Contracts<'_>,
    session: &mut Session,
    word: &str,
    contract: &Contract,
    shared: &[Value],
    answer: &Answer,
) -> Stop {
    let program = contracts.program();
    let advice = Advice::AdmitStandingStill;
    if *answer != Answer::Sat {
        let reason = format!("the {word} {} could not be shown to be reflexive", placed(program, contract));
        return Stop::Unknown(Unknown { reason, advice: vec![advice] });
    }
    let model = Model::find(contracts, session, answer);
    let thread =
        model.thread(session, &Term::constant("i", SmtSort::Int)).unwrap_or_else(|| subject(program, contract));
    let store = model.store(session, shared);
    let message = format!("the {word} is not reflexive: it excludes a step that changes nothing");
    let error = Diagnostic::error(contract.span, message)
        .label(format!("for {thread} this is false if nothing changes in: {store}"))
        .hint(advice.to_string());
    Stop::Rejected(Box::new(error))
}

/// Two steps that a rely admits one after the other, but not together.
pub(crate) fn not_transitive(
    contracts: &Contracts<'_>,
    session: &mut Session,
    culprit: Option<&Contract>,
    stores: &[&[Value]],
    answer: &Answer,
) -> Unknown {
    let model = Model::find(contracts, session, answer);
    let program = contracts.program();
    let name = culprit.map_or_else(|| "the rely".to_string(), |rely| format!("the rely {}", placed(program, rely)));
    let verb = if *answer == Answer::Sat { "is not" } else { "could not be shown to be" };
    let shown: Vec<String> = stores.iter().map(|store| model.store(session, store)).collect();
    Unknown {
        reason: format!(
            "{name} {verb} transitive\nit admits the step\n  from {}\n  to {}\nand then the step\n  to {}\nbut not both together",
            shown[0], shown[1], shown[2]
        ),
        advice: vec![Advice::SayAfterAnySteps],
    }
}

/// A guarantee that is given does not imply a rely.
pub(crate) fn guarantee_too_weak(
    contracts: &Contracts<'_>,
    session: &mut Session,
    guarantee: &Contract,
    rely: &Contract,
    stores: &[&[Value]],
    answer: &Answer,
) -> Unknown {
    let model = Model::find(contracts, session, answer);
    let program = contracts.program();
    let shown: Vec<String> = stores.iter().map(|store| model.store(session, store)).collect();
    let verb = if *answer == Answer::Sat { "does not imply" } else { "could not be shown to imply" };
    Unknown {
        reason: format!(
            "the guarantee {} {verb} the rely {} of other threads\nit admits the step\n  from {}\n  to {}",
            placed(program, guarantee),
            placed(program, rely),
            shown[0],
            shown[1]
        ),
        advice: vec![Advice::StrengthenGuarantee],
    }
}

/// A model of the solver with names for its threads, where there is one.
struct Model<'a> {
    contracts: &'a Contracts<'a>,
    instance: Option<Instance>,
}

impl<'a> Model<'a> {
    /// The solver has just found a model; one with few threads is easier to read.
    fn find(contracts: &'a Contracts<'a>, session: &mut Session, answer: &Answer) -> Model<'a> {
        if *answer != Answer::Sat {
            return Model { contracts, instance: None };
        }
        session.push();
        session.assert(&contracts.population.total().le(Term::int(FEW_THREADS)));
        if session.check() != Ok(Answer::Sat) {
            session.pop();
            if session.check() != Ok(Answer::Sat) {
                return Model { contracts, instance: None };
            }
        }
        Model { contracts, instance: instance_of(contracts, session) }
    }

    fn thread(&self, session: &mut Session, thread: &Term) -> Option<String> {
        let values = session.values(std::slice::from_ref(thread)).ok()?;
        self.instance.as_ref().map(|instance| instance.tid_name(values[0].scalar().unwrap_or(0)))
    }

    fn store(&self, session: &mut Session, store: &[Value]) -> String {
        let Some(instance) = &self.instance else { return "a store that cannot be shown".to_string() };
        let sorts = instance.program.shared.iter().map(|var| &var.sort);
        let values: Vec<(&Sort, &Value)> = sorts.zip(store).collect();
        match read_values(session, self.contracts.population, instance, &values) {
            Ok(words) => show_shared(instance, &words.concat()),
            Err(_) => "a store that cannot be shown".to_string(),
        }
    }
}

/// The instance with as many copies as the model has.
fn instance_of(contracts: &Contracts<'_>, session: &mut Session) -> Option<Instance> {
    let program = &contracts.population.program;
    let unknown: Vec<Term> = contracts.population.unknowns().map(|(term, _)| term.clone()).collect();
    let read = session.values(&unknown).ok()?;
    let mut read = read.iter().map(|value| value.scalar().unwrap_or(i64::MAX));
    let mut copies = Vec::new();
    for template in &program.templates {
        copies.push(match template.copies {
            Copies::Single => 1,
            Copies::Exactly(n) => i64::from(n),
            Copies::Any => read.next()?,
        });
    }
    if copies.iter().any(|&n| n > MANY_THREADS) {
        return None;
    }
    Some(Instance::with_copies(program.clone(), &copies.iter().map(|&n| n as u32).collect::<Vec<u32>>()))
}

/// What the user wrote of a step: of its last part, or of the one before where nobody wrote that.
fn written(program: &Program, mut edge: EdgeId) -> Span {
    for _ in 0..64 {
        let here = program.edge(edge);
        let before = program.edges.iter().position(|other| other.to == here.from);
        match before {
            Some(before) if here.span.start == here.span.end => edge = EdgeId(before as u32),
            _ => break,
        }
    }
    program.edge(edge).span
}
