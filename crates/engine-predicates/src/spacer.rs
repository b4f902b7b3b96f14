//! Asks the SMT solver's engine for recursive Horn clauses, and turns its model into a proof.

use crate::chc::{Chc, Encoding, Meaning};
use crate::modular::modular_clauses;
use crate::product::product_clauses;
use crate::proof::{Assertions, is_shared, is_silent, nothing_shared_changes, visible};
use crate::{Bias, Counters, Found, unroll};
use std::collections::BTreeMap;
use std::time::Duration;
use threadwise_ir::ThreadId;
use threadwise_limits::Budget;
use threadwise_logic::{Sexp, Term, parse_sexps, read_formula};
use threadwise_solver::{SolverCommand, SolverError, run_script};
use threadwise_space::{PointId, Space};

/// The most memory that the solver may hold.
const MEMORY: u64 = 4 << 30;

/// The longest that a query may take where nobody set a limit.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How long a modular proof is looked for before any proof will do.
const MODULAR_PATIENCE: Duration = Duration::from_secs(20);

/// What the engine answers.
enum Solved {
    Safe(Vec<Term>),
    Unsafe,
    Unknown(String),
}

/// Looks for a modular proof if wanted, then for any, then for a trace.
pub(crate) fn search(
    space: &Space,
    bias: Bias,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Found, SolverError> {
    if !command.is_z3() {
        return Ok(Found::Nothing("`--horn spacer` needs Z3".to_string()));
    }
    if bias == Bias::Modular {
        budget.report(|| "solving modular Horn clauses".to_string());
        let chc = modular_clauses(space);
        if let Solved::Safe(relations) = solve(space, &chc, command, MODULAR_PATIENCE, budget, counters)? {
            return Ok(Found::Proof(modular_assertions(space, &chc, &relations).proof(space)));
        }
    }
    budget.report(|| "solving Horn clauses".to_string());
    let Some(chc) = product_clauses(space) else {
        return Ok(Found::Nothing("there are too many combinations of control points".to_string()));
    };
    match solve(space, &chc, command, PATIENCE, budget, counters)? {
        Solved::Safe(relations) => Ok(Found::Proof(product_assertions(space, &chc, &relations).proof(space))),
        Solved::Unsafe => unroll::search(space, command, budget, counters),
        Solved::Unknown(reason) => Ok(Found::Nothing(format!("the Horn solver gave up: {reason}"))),
    }
}

fn solve(
    space: &Space,
    chc: &Chc,
    command: &SolverCommand,
    patience: Duration,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Solved, SolverError> {
    counters.solver_calls += 1;
    let mut script = String::from(
        "(set-option :fp.engine spacer)\n(set-option :fp.xform.slice false)\n\
         (set-option :fp.xform.inline_linear false)\n(set-option :fp.xform.inline_eager false)\n\
         (set-option :fp.spacer.random_seed 0)\n",
    );
    script.push_str(&chc.smt(space));
    script.push_str("(check-sat)\n(get-model)\n(exit)\n");
    let text = match run_script(command, &script, patience, Some(MEMORY), budget) {
        Ok(text) => text,
        Err(error @ (SolverError::Timeout(_) | SolverError::Memory(_))) => {
            return Ok(Solved::Unknown(error.to_string()));
        }
        Err(error) => return Err(error),
    };
    let (answer, rest) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    Ok(match answer.trim() {
        "unsat" => Solved::Unsafe,
        "sat" => match read_model(space, chc, rest) {
            Ok(relations) => Solved::Safe(relations),
            Err(why) => Solved::Unknown(format!("its model cannot be read: {why}")),
        },
        other => Solved::Unknown(other.chars().take(200).collect()),
    })
}

/// The formula of each relation in the model that the solver printed.
fn read_model(space: &Space, chc: &Chc, text: &str) -> Result<Vec<Term>, String> {
    let sexps = parse_sexps(text).map_err(|e| e.to_string())?;
    let mut definitions: BTreeMap<&str, (&[Sexp], &Sexp)> = BTreeMap::new();
    for definition in sexps.iter().filter_map(Sexp::list).flatten().filter_map(Sexp::list) {
        if let [Sexp::Atom(keyword), Sexp::Atom(name), Sexp::List(params), _, body] = definition
            && keyword == "define-fun"
        {
            definitions.insert(name, (params, body));
        }
    }
    let read = |relation: &crate::chc::Relation| {
        let Some((params, body)) = definitions.get(relation.name.as_str()) else {
            return Ok(Term::bool(true));
        };
        let params: Vec<&str> = params.iter().filter_map(|param| param.list()?.first()?.atom()).collect();
        let meaning = |name: &str| {
            let at = params.iter().position(|param| *param == name)?;
            Some(space.value(*relation.args.get(at)?))
        };
        read_formula(body, &meaning).map_err(|e| e.to_string())
    };
    chc.relations.iter().map(read).collect()
}

fn modular_assertions(space: &Space, chc: &Chc, relations: &[Term]) -> Assertions {
    debug_assert_eq!(chc.encoding, Encoding::Modular);
    let count = space.threads.len();
    let mut assertions = Assertions { reach: vec![BTreeMap::new(); count], environment: vec![Vec::new(); count] };
    let mut environment: BTreeMap<(usize, usize), Term> = BTreeMap::new();
    for (relation, formula) in chc.relations.iter().zip(relations) {
        match &relation.meaning {
            Meaning::Reach(thread, point) => drop(assertions.reach[*thread].insert(*point, formula.clone())),
            Meaning::Environment(thread, step) => drop(environment.insert((*thread, *step), formula.clone())),
            Meaning::Product(_) => {}
        }
    }
    for reach in &mut assertions.reach {
        reach.retain(|_, formula| !formula.is_false());
    }
    for (thread, own) in space.threads.iter().enumerate() {
        for (number, step) in own.steps.iter().enumerate() {
            let transition = if is_silent(space, step) {
                nothing_shared_changes(space)
            } else {
                let known = environment.get(&(thread, number)).cloned().unwrap_or(Term::bool(true));
                known.and(visible(space, step, &|var| is_shared(space, var)))
            };
            for other in (0..count).filter(|other| *other != thread && !transition.is_false()) {
                assertions.environment[other].push((ThreadId(thread as u32), transition.clone()));
            }
        }
    }
    assertions
}

/// All R_i are the same, and the environment takes the steps as they are.
fn product_assertions(space: &Space, chc: &Chc, relations: &[Term]) -> Assertions {
    debug_assert_eq!(chc.encoding, Encoding::Product);
    let count = space.threads.len();
    let mut reach: Vec<BTreeMap<PointId, Term>> = vec![BTreeMap::new(); count];
    for (relation, formula) in chc.relations.iter().zip(relations) {
        let Meaning::Product(points) = &relation.meaning else { continue };
        for (thread, reach) in reach.iter_mut().enumerate() {
            let others = points.iter().enumerate().filter(|(other, _)| *other != thread);
            let at = |(other, point): (usize, &PointId)| space.at(ThreadId(other as u32), *point);
            let here = Term::all(others.map(at)).and(formula);
            let entry = reach.entry(points[thread]).or_insert(Term::bool(false));
            *entry = entry.or(here);
        }
    }
    let environment = raw_environment(space);
    Assertions { reach, environment }
}

/// For each thread the steps of all others, as they are.
pub(crate) fn raw_environment(space: &Space) -> Vec<Vec<(ThreadId, Term)>> {
    let count = space.threads.len();
    let mut environment = vec![Vec::new(); count];
    for (thread, own) in space.threads.iter().enumerate() {
        for step in &own.steps {
            let relation = visible(space, step, &|_| true);
            for other in (0..count).filter(|other| *other != thread) {
                environment[other].push((ThreadId(thread as u32), relation.clone()));
            }
        }
    }
    environment
}

/// The most time that recursion-free clauses may take.
const REFINEMENT_PATIENCE: Duration = Duration::from_secs(20);

/// A solution of recursion-free clauses: a formula for each relation. `None` if there is none, or none was
/// found.
pub(crate) fn solve_recursion_free(
    space: &Space,
    chc: &Chc,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Vec<Term>>, SolverError> {
    if !command.is_z3() {
        return Ok(None);
    }
    Ok(match solve(space, chc, command, REFINEMENT_PATIENCE, budget, counters)? {
        Solved::Safe(relations) => Some(relations),
        Solved::Unsafe | Solved::Unknown(_) => None,
    })
}
