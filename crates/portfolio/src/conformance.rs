use crate::engine::Engine;
use crate::name::EngineName;
use crate::registry::engines;
use crate::verify::Request;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_engine_conformance::{Conformed, Solver, applicable, conform, prove_together};
use threadwise_engine_explicit as explicit;
use threadwise_evidence::{ConformanceProof, Proof, violation_info};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_print::show_edge;
use threadwise_solver::find;

/// Engine `conformance`: threads against abstract threads, then the abstract threads together.
pub(crate) struct Conformance;

/// How long each engine may look at the abstract threads in its first turn.
const FIRST_TURN: Duration = Duration::from_secs(4);

impl Engine for Conformance {
    fn name(&self) -> EngineName {
        EngineName::Conformance
    }

    fn summary(&self) -> &'static str {
        "checks each thread against its abstract thread, then the abstract threads together"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        applicable(program)
    }

    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        let found = find(None).map_err(|missing| missing.to_string());
        let solver = found.as_ref().map_err(String::as_str);
        let (unknown, stats) = match conform(program, solver, budget) {
            Ok(conformed) => match compose(&conformed, solver, request, budget) {
                Ok((composition, more)) => {
                    let stats = joined(conformed.stats, more);
                    let proof = ConformanceProof { threads: conformed.threads, composition: Box::new(composition) };
                    return (Claim::Proved(Proof::Conformance(proof)), stats);
                }
                Err(unknown) => (unknown, conformed.stats),
            },
            Err(unknown) => (unknown, Stats::default()),
        };
        if request.in_company {
            return (Claim::Unknown(unknown), stats);
        }
        // A refusal is about the abstract threads; the program itself may be wrong or right.
        let (searched, _) = explicit::explore(program, &request.short_search(program), budget);
        match searched {
            Claim::Refuted(_) => (searched, stats),
            _ => (Claim::Unknown(unknown), stats),
        }
    }
}

/// The numbers of both parts; those of the same name are added up.
fn joined(first: Stats, second: Stats) -> Stats {
    let mut all = first;
    for (name, number) in second.numbers {
        match all.numbers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += number,
            None => all.numbers.push((name, number)),
        }
    }
    all
}

/// Has the abstract threads proved safe together: by a solver where there is unbounded data, else by
/// the other engines in turns.
fn compose(
    conformed: &Conformed,
    solver: Solver<'_>,
    request: &Request,
    budget: &Budget,
) -> Result<(Proof, Stats), Unknown> {
    let program = &conformed.abstraction.composition;
    let mut solved = None;
    if program.has_unbounded_data() {
        match prove_together(program, solver, budget) {
            Ok(proved) => return Ok(proved),
            Err(why) => solved = Some(format!("assertions at each node: {why}")),
        }
    }
    let request = Request { want_proof: true, in_company: true, ..request.clone() };
    let others: Vec<&dyn Engine> = engines().filter(|e| e.applicable(program).is_ok()).collect();
    let mut reasons: Vec<String> = solved.into_iter().collect();
    for engine in &others {
        match engine.run(program, &request, &budget.slice(FIRST_TURN)) {
            (Claim::Proved(proof), stats) => return Ok((proof, stats)),
            (Claim::Refuted(trace), _) => return Err(goes_wrong(program, &trace)),
            (Claim::Unknown(unknown), _) => reasons.push(format!("{}: {}", engine.name(), unknown.reason)),
            (Claim::Rejected(error), _) => reasons.push(format!("{}: {}", engine.name(), error.message)),
            (Claim::Exhausted(_), _) => {}
        }
    }
    Err(no_engine(reasons))
}

fn no_engine(reasons: Vec<String>) -> Unknown {
    let first = "the threads conform, but no engine proves the abstract threads safe together:".to_string();
    let lines: Vec<String> = std::iter::once(first).chain(reasons).collect();
    let advice = vec![Advice::SimplerAbstractThreads];
    Unknown { reason: lines.join("\n"), advice }
}

/// The abstract threads together have an error: they admit too much, or the program has it too.
fn goes_wrong(program: &Arc<Program>, trace: &threadwise_evidence::Trace) -> Unknown {
    let instance = Instance::new(program.clone(), trace.any_copies.clone());
    let info = violation_info(&instance, &trace.violation);
    let mut lines = vec![format!(
        "the threads conform, but the abstract threads together go wrong at {}: `{}`",
        program.source.locate(info.span),
        program.source.snippet(info.span, 80)
    )];
    for step in &trace.steps {
        let name = instance.tid_name(i64::from(step.thread.0) + 1);
        let edge = step.path.first().map_or_else(String::new, |&edge| show_edge(program, edge));
        let from = step.path.first().map(|&edge| program.edge(edge));
        let node = |id| program.location(id).labels.first().map_or(String::new(), |label| format!("{label}"));
        let ends = from.map_or_else(String::new, |edge| match (node(edge.from), node(edge.to)) {
            (from, to) if from.is_empty() || to.is_empty() => String::new(),
            (from, to) => format!("{from} -> {to}: "),
        });
        lines.push(format!("{name}: {ends}{edge}"));
    }
    let advice = vec![Advice::StrengthenAbstractThreads, Advice::ExplicitIgnoresAbstractThreads];
    Unknown { reason: lines.join("\n"), advice }
}
