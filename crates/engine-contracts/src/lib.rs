//! The engine `contracts`: the user says what each thread may expect of the others, and an SMT solver
//! checks one thread at a time that this is enough, and that every thread keeps to it (CALVIN).
//!
//! [`analyse`] is CALVIN's checker: the relies A_i are reflexive and transitive; the guarantees G_i imply
//! the others' relies; initial stores satisfy the invariant I; and the i-abstraction of each thread,
//! with B_i for the environment's steps, does not go wrong. One check for each template, whatever
//! the number of its copies: the thread's identity is an unknown of the solver.

mod candidates;
mod contract;
mod encode;
mod explain;
mod graph;
mod infer;
mod laws;
mod located;
mod model;
mod notation;
mod points;
mod waiting;

use contract::Contracts;
use encode::{Encoder, LoopInvariant, Obligation};
use explain::Explainer;
use graph::{Graph, NoGraph};
use points::{Place, PointAssertion, ThreadContract};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::{FormulaProof, Proof, Scope};
use threadwise_ir::{Expr, Point, Program, TemplateId};
use threadwise_limits::Budget;
use threadwise_solver::{Answer, Session, Settings, SolverError, find};
use threadwise_source::Diagnostic;
use threadwise_symbolic::{Population, Unsupported};

/// How to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Go round loops at most so many times, and look for errors only.
    pub unroll: Option<u32>,
}

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    let has_invariant = program.formulas().any(|(_, _, wrong)| !wrong);
    let has_loop_invariant = program.locations.iter().any(|location| !location.invariants.is_empty());
    if program.relies.is_empty() && program.guarantees.is_empty() && !has_invariant && !has_loop_invariant {
        return Err("it has no `rely`, `guarantee` or `invariant`".to_string());
    }
    Ok(())
}

/// Why the check ended without a proof.
pub(crate) enum Stop {
    /// This is what to tell the user.
    Unknown(Unknown),
    /// The solver gave no answer.
    Solver(SolverError),
    /// Something has no translation.
    Unsupported(Unsupported),
    /// A contract is wrong in itself.
    Rejected(Box<Diagnostic>),
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Stop {
        Stop::Solver(error)
    }
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Stop {
        Stop::Unsupported(what)
    }
}

/// Checks a program against its contracts.
pub fn analyse(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    let session = find(None).and_then(|command| Session::start(&command, Settings::default(), budget));
    let mut session = match session {
        Ok(session) => session,
        Err(error) => return (Claim::Unknown(explain::stopped(program, Stop::Solver(error))), Stats::default()),
    };
    let result = check(program, options, &mut session, budget);
    let effort = session.effort();
    let stats = Stats::of(vec![("queries", effort.queries), ("solver_milliseconds", effort.time.as_millis() as u64)]);
    match result {
        Ok(proof) => (Claim::Proved(Proof::Formulas(proof)), stats),
        Err(Stop::Rejected(error)) => (Claim::Rejected(*error), stats),
        Err(stop) => (Claim::Unknown(explain::stopped(program, stop)), stats),
    }
}

fn check(
    program: &Arc<Program>,
    options: &Options,
    session: &mut Session,
    budget: &Budget,
) -> Result<FormulaProof, Stop> {
    let population = Population::any(program);
    population.declare(session);
    let contracts = Contracts::new(&population);
    laws::reflexive(&contracts, session)?;
    laws::guarantees_imply_relies(&contracts, session)?;
    initial_stores_satisfy_invariants(&contracts, session)?;
    let mut threads: Vec<ThreadContract> = Vec::new();
    let mut places = Vec::new();
    for (index, template) in program.templates.iter().enumerate() {
        budget.report(|| format!("checking {}", template.name));
        let template = TemplateId(index as u32);
        let depth = session.depth();
        session.push();
        let closure = laws::closure(&contracts, template, session)?;
        session.pop_to(depth);
        session.push();
        let (contract, found) = check_thread(&contracts, template, closure, options, session)?;
        threads.push(contract);
        places.push(found);
        session.pop_to(depth);
    }
    if let Some(rounds) = options.unroll {
        return Err(Stop::Unknown(explain::nothing_found(rounds)));
    }
    if located::has_some(program) {
        budget.report(|| "looking at where threads can be together".to_string());
        let points = located::prove(&contracts, &places, budget)?;
        threads.iter_mut().zip(points).for_each(|(thread, points)| thread.points = points);
    }
    let mut proof = FormulaProof { scope: Scope::Templates, parts: Vec::new() };
    for (index, mut thread) in threads.into_iter().enumerate() {
        let resting: Vec<Point> = places[index].iter().map(|place| place.point.clone()).collect();
        notation::remember_callers(&contracts, &mut thread, &resting);
        proof.parts.push(notation::formulas(&contracts, TemplateId(index as u32), &thread)?);
    }
    Ok(proof)
}

/// The initial stores satisfy the invariant I. There may be no thread, so this is no part of any thread's check.
fn initial_stores_satisfy_invariants(contracts: &Contracts<'_>, session: &mut Session) -> Result<(), Stop> {
    session.push();
    let store = laws::store(contracts, session, "init");
    let obligations = encode::initial_obligations(contracts, store)?;
    meet(&obligations, &Explainer { contracts, runner: None }, session)?;
    session.pop();
    Ok(())
}

/// Nothing of what would be bad is possible.
fn meet(obligations: &[Obligation], explainer: &Explainer<'_>, session: &mut Session) -> Result<(), Stop> {
    for obligation in obligations {
        session.push();
        session.assert(&obligation.bad);
        let answer = session.check()?;
        if answer != Answer::Unsat {
            return Err(Stop::Unknown(explainer.explain(session, obligation, &answer)));
        }
        session.pop();
    }
    Ok(())
}

/// The i-abstraction of a thread does not go wrong. Also returns what holds where the thread can be, if some
/// property asks for that.
fn check_thread(
    contracts: &Contracts<'_>,
    template: TemplateId,
    closure: u32,
    options: &Options,
    session: &mut Session,
) -> Result<(ThreadContract, Vec<Place>), Stop> {
    let program = &contracts.population.program;
    let graph = match options.unroll {
        Some(rounds) => Graph::unrolled(program, template, rounds as usize),
        None => Graph::new(program, template),
    };
    let graph = graph.map_err(|error| Stop::Unknown(no_graph(program, error)))?;
    let loops = loop_invariants(contracts, template, &graph);
    let invariant = |node: usize| loops[&node].clone();
    let mut encoder = Encoder::new(contracts, session, &graph, template, closure, &invariant);
    encoder.encode()?;
    let kept = infer::keep_inductive(&mut encoder)?;
    let obligations = std::mem::take(&mut encoder.obligations);
    let me = encoder.me.clone();
    meet(&obligations, &Explainer { contracts, runner: Some((template, &me)) }, encoder.session)?;
    let unreached = infer::unreached_loops(&mut encoder)?;
    // Whoever looks at the code behind a loop by itself has to be told that nobody comes there.
    let inferred = |node: usize, said: &LoopInvariant| -> Vec<Expr> {
        if unreached.contains(&node) {
            let span = program.location(graph.nodes[node].point.location).span;
            return vec![Expr::bool(false, span)];
        }
        kept[&node].iter().map(|&index| said.candidates[index].clone()).collect()
    };
    let point = |(node, said): (&usize, &LoopInvariant)| {
        let point = &graph.nodes[*node].point;
        let inferred = inferred(*node, said);
        let assertion = |holds: Vec<Expr>, inferred: bool| PointAssertion {
            point: point.clone(),
            holds,
            inferred,
            of_caller: Vec::new(),
        };
        [assertion(said.given.clone(), false), assertion(inferred, true)]
    };
    let places = if options.unroll.is_none() && located::has_some(program) {
        points::places(&mut encoder, &|node| {
            let Some(said) = loops.get(&node) else { return Vec::new() };
            said.given.iter().cloned().chain(inferred(node, said)).collect()
        })?
    } else {
        Vec::new()
    };
    let mut assertions: Vec<PointAssertion> = loops.iter().flat_map(point).collect();
    // A loop of which nothing is known is still one.
    assertions.retain(|assertion| !assertion.inferred || !assertion.holds.is_empty());
    Ok((ThreadContract { closure, loops: assertions, points: Vec::new() }, places))
}

/// What is said of each loop. Where the user says something, nothing is guessed but what may hold
/// of variables that the loop does not touch.
fn loop_invariants(contracts: &Contracts<'_>, template: TemplateId, graph: &Graph) -> BTreeMap<usize, LoopInvariant> {
    let mut said = BTreeMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        let Some(changed) = &node.head else { continue };
        let given = &contracts.program().location(node.point.location).invariants;
        let mut candidates = candidates::candidates(contracts, template, &node.point, node.inside_step);
        if !given.is_empty() {
            candidates.retain(|e| candidates::is_untouched(e, changed));
        }
        said.insert(number, LoopInvariant { given: given.iter().flat_map(contract::conjuncts).collect(), candidates });
    }
    said
}

fn no_graph(program: &Program, error: NoGraph) -> Unknown {
    match error {
        NoGraph::Recursive(edge) => Unknown {
            reason: format!(
                "the procedure called at {} calls itself, and calls are inlined",
                program.source.locate(program.edge(edge).span)
            ),
            advice: vec![Advice::ModularTreatsRecursion],
        },
        NoGraph::TooLarge => Unknown {
            reason: "the code is too large once calls are inlined and loops unrolled".to_string(),
            advice: vec![Advice::FewerCalls],
        },
    }
}
