//! Why there is no proof, in the words of the program.

use crate::checker::{Refusal, Wrong};
use crate::symbolic::Stop;
use threadwise_claims::{Advice, Unknown};
use threadwise_evidence::{show_local, show_shared};
use threadwise_ir::{EdgeId, Fault, Inexpressible, Instance, Path, Program, StepError, TemplateId, ThreadId};
use threadwise_limits::Limit;
use threadwise_print::{show_edge, show_property};
use threadwise_solver::SolverError;
use threadwise_symbolic::Unsupported;

/// So many steps on the way to a refusal are shown.
const MAX_TRAIL: usize = 12;

/// A property cannot be asked of the abstract threads.
pub(crate) fn inexpressible(program: &Program, found: &Inexpressible) -> Unknown {
    let property = program.property(found.property);
    let (text, place) = (show_property(program, property), program.source.locate(property.span));
    let reason = format!("the abstract threads cannot answer for `{text}`:\nat {place}: {}", found.why);
    let advice =
        vec![Advice::NameNodesLikeLabels, Advice::RemoveAbstractThread, Advice::ExplicitIgnoresAbstractThreads];
    Unknown { reason, advice }
}

pub(crate) fn out_of_budget(limit: Limit) -> Unknown {
    Unknown { reason: format!("{limit} while checking conformance"), ..Unknown::at_limit(limit) }
}

/// The states of the thread cannot be listed, and there is no solver.
pub(crate) fn no_solver(program: &Program, template: TemplateId, how_to_get: &str) -> Unknown {
    let name = &program.template(template).name;
    let reason = format!("whether `{name}` conforms cannot be checked state by state, and {how_to_get}");
    Unknown { reason, advice: Vec::new() }
}

/// The solver did not find invariants.
pub(crate) fn not_solved(program: &Program, template: TemplateId, stop: Stop) -> Unknown {
    let name = &program.template(template).name;
    if let Stop::Solver(SolverError::Limit(limit)) = stop {
        return out_of_budget(limit);
    }
    let reason = format!("no proof that `{name}` conforms was found: {}", stop_text(program, &stop));
    Unknown { reason, advice: vec![Advice::StrongerNodes] }
}

/// Why there are no invariants.
pub(crate) fn stop_text(program: &Program, stop: &Stop) -> String {
    match stop {
        Stop::Unsupported(Unsupported { what, span }) => {
            format!("{what} at {} cannot be told to a solver", program.source.locate(*span))
        }
        Stop::Solver(error) => error.to_string(),
        Stop::Impossible => "the solver says that there is none".to_string(),
        Stop::NotSolved(why) => why.clone(),
    }
}

/// The thread does something that its abstract thread does not admit.
pub(crate) fn refused(instance: &Instance, thread: ThreadId, refusal: &Refusal) -> Unknown {
    let program = &instance.program;
    let template = instance.threads[thread.index()].template;
    let name = &program.template(template).name;
    let candidates = |nodes: u64| names(program, template, nodes);
    let before = show_local(instance, &refusal.local);
    let mut lines = Vec::new();
    let mut advice = vec![Advice::AddEdge];
    match &refusal.wrong {
        Wrong::Step { before: store, after, local, path } => {
            lines.push(format!(
                "`{name}` does not conform to its abstract thread: no edge simulates {}",
                step(program, path)
            ));
            lines.push(format!("before: {}; {name} {before}", show_shared(instance, store)));
            lines.push(format!("after: {}; {name} {}", show_shared(instance, after), show_local(instance, local)));
            lines.push(format!("the abstract thread may be in {}", candidates(refusal.candidates)));
            advice.push(Advice::NodesExcludeStores);
        }
        Wrong::Labels { candidates: reached, local, path } => {
            let step = if path.is_empty() { "its start".to_string() } else { step(program, path) };
            lines.push(format!("`{name}` does not conform to its abstract thread: the labels differ after {step}"));
            lines.push(format!("{name} is {}", show_local(instance, local)));
            lines.push(format!("the abstract thread may be in {}", candidates(*reached)));
            lines.push(
                "a property asks for a label that is also the name of a node: both must be there together".into(),
            );
        }
        Wrong::Error { shared, error, path } => {
            lines.push(format!(
                "`{name}` does not conform to its abstract thread: {} at {} is no error of a node",
                error_text(*error),
                place(program, path)
            ));
            lines.push(format!("in: {}; {name} {before}", show_shared(instance, shared)));
            lines.push(format!("the abstract thread may be in {}", candidates(refusal.candidates)));
            advice[0] = Advice::AddAssertion;
        }
        Wrong::Property { shared, property } => {
            let text = show_property(program, program.property(*property));
            lines.push(format!(
                "`{name}` does not conform to its abstract thread: a violation of `{text}` is no error of a node"
            ));
            lines.push(format!("in: {}; {name} {before}", show_shared(instance, shared)));
            lines.push(format!("the abstract thread may be in {}", candidates(refusal.candidates)));
            advice[0] = Advice::AddAssertion;
        }
        Wrong::Start(error) => {
            lines.push(format!("`{name}` goes wrong before its first step: {}", error_text(*error)));
            advice = vec![Advice::MendDeclaration];
        }
    }
    lines.extend(trail(program, &refusal.trail));
    Unknown { reason: lines.join("\n"), advice }
}

/// The names of the nodes in a set.
fn names(program: &Program, template: TemplateId, nodes: u64) -> String {
    let all = program.abstract_thread(template).into_iter().flat_map(|thread| thread.nodes.iter().enumerate());
    let names = all.filter(|(node, _)| nodes >> node & 1 == 1).map(|(_, node)| &*node.name);
    format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
}

/// How the thread got there.
fn trail(program: &Program, trail: &[Path]) -> Option<String> {
    let steps = trail.iter().rev().take(MAX_TRAIL).rev().map(|path| step(program, path));
    let steps = steps.collect::<Vec<_>>().join(", ");
    let dots = if trail.len() > MAX_TRAIL { "…, " } else { "" };
    (!trail.is_empty()).then(|| format!("steps of the thread before: {dots}{steps}"))
}

/// The first statement of a step.
fn step(program: &Program, path: &Path) -> String {
    let Some(&edge) = path.first() else { return "its start".to_string() };
    format!("`{}` ({})", show_edge(program, edge), program.source.locate_briefly(program.edge(edge).span))
}

fn place(program: &Program, path: &Path) -> String {
    let edge: Option<&EdgeId> = path.last();
    edge.map_or_else(String::new, |&edge| program.source.locate(program.edge(edge).span).to_string())
}

fn error_text(error: StepError) -> &'static str {
    match error {
        StepError::Assertion | StepError::ActionAssertion => "a failing assertion",
        StepError::Release => "the release of a lock that is not held",
        StepError::Start => "the start of more threads than there are copies",
        StepError::Join => "the join of what cannot be started",
        StepError::Memory => "an invalid access of memory",
        StepError::Arithmetic => "arithmetic that goes wrong",
        StepError::Lock => "a misused lock",
        StepError::Exception => "an exception that nobody catches",
        StepError::Beyond => "leaving what the front end covers",
        StepError::Fault(Fault::Range) => "a value out of range",
        StepError::Fault(Fault::Index) => "an index out of range",
        StepError::Fault(Fault::Division) => "a division by zero",
        StepError::Fault(Fault::Shift) => "a shift by a negative number",
    }
}
