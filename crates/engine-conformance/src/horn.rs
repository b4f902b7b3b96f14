//! Constrained Horn clauses, and Z3's engine that solves them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use threadwise_limits::Budget;
use threadwise_logic::{Sexp, SmtSort, Term, parse_sexps, read_formula};
use threadwise_solver::{SolverCommand, SolverError, run_script};
use threadwise_symbolic::Parameters;

/// Without a limit of the user's own, solving may take this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// What it took to have clauses solved.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work {
    clauses: u64,
    queries: u64,
    time: Duration,
}

impl Work {
    pub(crate) fn plus(self, other: Work) -> Work {
        Work {
            clauses: self.clauses + other.clauses,
            queries: self.queries + other.queries,
            time: self.time + other.time,
        }
    }

    /// As statistics; none if the solver was not asked.
    pub(crate) fn stats(self) -> Vec<(&'static str, u64)> {
        if self.queries == 0 {
            return Vec::new();
        }
        let milliseconds = self.time.as_millis() as u64;
        vec![("horn_clauses", self.clauses), ("queries", self.queries), ("solver_milliseconds", milliseconds)]
    }
}

/// What is told to the solver first: no transformations that put quantifiers into the answer.
const PRELUDE: &str = "(set-option :fp.engine spacer)
(set-option :fp.xform.slice false)
(set-option :fp.xform.inline_linear false)
(set-option :fp.xform.inline_eager false)
(set-option :fp.spacer.random_seed 0)
(set-logic HORN)
";

/// The number of a predicate to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unknown(usize);

impl Unknown {
    /// Its place among the predicates.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// Clauses over unknown predicates.
#[derive(Default)]
pub(crate) struct Horn {
    params: Vec<Parameters>,
    clauses: Vec<Clause>,
}

/// Whatever the constants are: where the body holds, so does the head.
struct Clause {
    constants: Vec<Term>,
    body: Term,
    head: Term,
}

/// What a solver says about clauses.
pub(crate) enum Solved {
    /// Predicates for which they hold, as formulas over their parameters.
    Predicates(Vec<String>),
    /// There are none.
    Impossible,
    /// It cannot say.
    Open(String),
}

impl Horn {
    /// A new unknown predicate with these parameters.
    pub(crate) fn predicate(&mut self, params: Parameters) -> Unknown {
        self.params.push(params);
        Unknown(self.params.len() - 1)
    }

    /// An unknown predicate of these terms.
    pub(crate) fn of(&self, predicate: Unknown, args: &[Term]) -> Term {
        Term::apply(&format!("p{}", predicate.0), args, SmtSort::Bool)
    }

    /// Whatever the constants are: where the body holds, so does the head.
    pub(crate) fn clause(&mut self, constants: &[Term], body: &[Term], head: &Term) {
        let body = Term::all(body);
        if !body.is_false() {
            self.clauses.push(Clause { constants: constants.to_vec(), body, head: head.clone() });
        }
    }

    /// How many clauses there are.
    pub(crate) fn len(&self) -> usize {
        self.clauses.len()
    }

    fn script(&self) -> String {
        let mut script = PRELUDE.to_string();
        for (index, params) in self.params.iter().enumerate() {
            let params =
                params.constants().iter().map(|param| param.sort().to_string()).collect::<Vec<String>>().join(" ");
            let _ = writeln!(script, "(declare-fun p{index} ({params}) Bool)");
        }
        for Clause { constants, body, head } in &self.clauses {
            let bound = constants.iter().map(|name| format!("({name} {})", name.sort())).collect::<Vec<String>>();
            let _ = match bound.is_empty() {
                true => writeln!(script, "(assert (=> {body} {head}))"),
                false => writeln!(script, "(assert (forall ({}) (=> {body} {head})))", bound.join(" ")),
            };
        }
        script + "(check-sat)\n(get-model)\n"
    }

    /// Has the clauses solved; also returns what that took.
    pub(crate) fn solve(&self, solver: &SolverCommand, budget: &Budget) -> Result<(Solved, Work), SolverError> {
        let started = Instant::now();
        let solved = self.ask(solver, budget)?;
        Ok((solved, Work { clauses: self.len() as u64, queries: 1, time: started.elapsed() }))
    }

    fn ask(&self, solver: &SolverCommand, budget: &Budget) -> Result<Solved, SolverError> {
        if solver.is_cvc5() {
            return Ok(Solved::Open("cvc5 does not solve Horn clauses, Z3 does".to_string()));
        }
        let answer = run_script(solver, &self.script(), PATIENCE, budget.memory(), budget)?;
        let parsed = parse_sexps(&answer).unwrap_or_default();
        match parsed.first().and_then(Sexp::atom) {
            Some("sat") => Ok(self.predicates(&parsed[1..]).map_or_else(Solved::Open, Solved::Predicates)),
            Some("unsat") => Ok(Solved::Impossible),
            _ => {
                let first = answer.lines().next().unwrap_or("nothing");
                Ok(Solved::Open(format!("the solver cannot say; its answer was `{first}`")))
            }
        }
    }

    /// The bodies of the model's definitions. A predicate that the model leaves out may be anything.
    fn predicates(&self, model: &[Sexp]) -> Result<Vec<String>, String> {
        let mut definitions: BTreeMap<&str, (&[Sexp], &Sexp)> = BTreeMap::new();
        for definition in model.iter().filter_map(Sexp::list).flatten().filter_map(Sexp::list) {
            if let [Sexp::Atom(keyword), Sexp::Atom(name), Sexp::List(params), _, body] = definition
                && keyword == "define-fun"
            {
                definitions.insert(name, (params, body));
            }
        }
        let formula = |(index, parameters): (usize, &Parameters)| {
            let Some((params, body)) = definitions.get(format!("p{index}").as_str()) else {
                return Ok("true".to_string());
            };
            let names: Vec<&str> = params.iter().filter_map(|param| param.list()?.first()?.atom()).collect();
            let meaning = |name: &str| {
                let at = names.iter().position(|param| *param == name)?;
                parameters.constants().get(at).cloned()
            };
            let term = read_formula(body, &meaning).map_err(|e| format!("the solver's answer cannot be read: {e}"))?;
            Ok(term.to_string())
        };
        self.params.iter().enumerate().map(formula).collect()
    }
}
