//! Assertions and contracts as the formulas of a proof.

use crate::contract::{Contracts, concerns};
use crate::points::{PointAssertion, ThreadContract, is_local};
use threadwise_evidence::{EnvironmentTransition, PointFormula, ThreadFormulas};
use threadwise_ir::{Expr, Point, Sort, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_print::show_expr;
use threadwise_symbolic::{Parameters, Unsupported, Value, View};

/// What the proof says of a template.
pub(crate) fn formulas(
    contracts: &Contracts<'_>,
    template: TemplateId,
    contract: &ThreadContract,
) -> Result<ThreadFormulas, Unsupported> {
    let all = |assertions: &[PointAssertion]| -> Result<Vec<PointFormula>, Unsupported> {
        assertions.iter().map(|assertion| at_point(contracts, assertion)).collect()
    };
    let (points, remarks) = (all(&contract.loops)?, all(&contract.points)?);
    let environment = vec![EnvironmentTransition { by: None, formula: rely(contracts, template)? }];
    let given: Vec<&Expr> = contracts.guarantees(template).map(|(_, guarantee)| &guarantee.formula).collect();
    let guarantee = if given.is_empty() { None } else { Some(step(contracts, &given, &[])?) };
    Ok(ThreadFormulas { points, remarks, environment: Some(environment), guarantee, closure: contract.closure })
}

/// Constants that no formula of the program has, with the names that they have in the proof.
struct Stand<'a> {
    contracts: &'a Contracts<'a>,
    parameters: Parameters,
    constants: Vec<Term>,
}

impl Stand<'_> {
    fn values<'s>(&mut self, name: &str, sorts: impl Iterator<Item = &'s Sort>) -> Vec<Value> {
        let population = self.contracts.population;
        let named = |(index, sort): (usize, &Sort)| population.named(&format!("{name}.{index}"), sort);
        let values: Vec<Value> = sorts.enumerate().map(named).collect();
        self.constants.extend(values.iter().flat_map(|value| value.0.iter().cloned()));
        values
    }

    fn shared(&mut self, name: &str) -> Vec<Value> {
        self.values(name, self.contracts.population.program.shared.iter().map(|var| &var.sort))
    }

    fn me(&mut self) -> Term {
        let me = Term::constant("me.0", SmtSort::Int);
        self.constants.push(me.clone());
        me
    }

    /// The formula with the names of the proof.
    fn text(&self, formula: &Term) -> String {
        let named = self.parameters.constants();
        debug_assert_eq!(named.len(), self.constants.len(), "there is a name for each constant");
        let place = |leaf: &Term| self.constants.iter().position(|constant| constant == leaf);
        formula.replace(&|leaf| place(leaf).map(|place| named[place].clone())).to_string()
    }
}

fn at_point(contracts: &Contracts<'_>, assertion: &PointAssertion) -> Result<PointFormula, Unsupported> {
    let program = contracts.program();
    let point = &assertion.point;
    let formula = formula_at(contracts, point, &assertion.holds, &assertion.of_caller)?;
    let routine = program.location(point.location).routine;
    let words: Vec<String> = assertion.holds.iter().map(|e| show_expr(program, e, Some(routine))).collect();
    Ok(PointFormula { point: point.clone(), formula, words: words.join(", "), inferred: assertion.inferred })
}

/// What holds at a point, of the locals of the routine that runs, and of those of the thread's own code.
fn formula_at(
    contracts: &Contracts<'_>,
    point: &Point,
    holds: &[Expr],
    of_caller: &[Expr],
) -> Result<String, Unsupported> {
    let (population, program) = (contracts.population, contracts.program());
    let inside = point.is_inside_step(program);
    let parameters = Parameters::default().with_shared(population);
    let parameters = if inside { parameters.with_primes() } else { parameters };
    let parameters = parameters.with_locals(population, point).with("self", &SmtSort::Int);
    let mut stand = Stand { contracts, parameters, constants: Vec::new() };
    let shared = stand.shared("x");
    let start = if inside { stand.shared("y") } else { shared.clone() };
    let mut frames = Vec::new();
    for (depth, routine) in point.routines(program).into_iter().enumerate() {
        frames
            .push(stand.values(&format!("z{depth}"), program.routine(routine).locals.iter().map(|local| &local.sort)));
    }
    let me = stand.me();
    let mut parts = Vec::new();
    for (locals, said) in [(frames.last(), holds), (frames.first(), of_caller)] {
        let locals = locals.expect("there is the thread's own frame");
        let view = View::of_thread(population, &me, &shared, locals).with_after(&start, locals);
        for e in said {
            parts.push(view.holds(e)?);
        }
    }
    Ok(stand.text(&Term::all(parts)))
}

/// What a copy of the template relies on.
fn rely(contracts: &Contracts<'_>, template: TemplateId) -> Result<String, Unsupported> {
    let relies = contracts.program().relies.iter().filter(|contract| concerns(contract, template));
    let relies: Vec<&Expr> = relies.map(|contract| &contract.formula).collect();
    step(contracts, &relies, &contracts.left_alone(template))
}

/// Formulas about a step of or around a thread. What is left alone is said to be the same as a whole.
fn step(contracts: &Contracts<'_>, formulas: &[&Expr], alone: &[bool]) -> Result<String, Unsupported> {
    let parameters = Parameters::default().with_shared(contracts.population).with_primes();
    let parameters = parameters.with("self", &SmtSort::Int);
    let mut stand = Stand { contracts, parameters, constants: Vec::new() };
    let (before, mut after) = (stand.shared("x"), stand.shared("y"));
    let me = stand.me();
    let mut parts = Vec::new();
    for (var, _) in alone.iter().enumerate().filter(|(_, alone)| **alone) {
        parts.push(after[var].same(&before[var]));
        after[var] = before[var].clone();
    }
    for formula in formulas {
        parts.push(contracts.formula(formula, &me, &before, &after)?);
    }
    Ok(stand.text(&Term::all(parts)))
}

/// While a procedure runs, the thread's own locals are as they were when it was called: adds to each point in a
/// procedure what is said of them there.
pub(crate) fn remember_callers(contracts: &Contracts<'_>, contract: &mut ThreadContract, resting: &[Point]) {
    let program = contracts.program();
    let said: Vec<PointAssertion> = contract.loops.iter().chain(&contract.points).cloned().collect();
    let of_caller = |point: &Point| -> Vec<Expr> {
        let Some(&call) = point.calls.first() else { return Vec::new() };
        let caller = Point::at(program.edge(call).from);
        let there = said.iter().filter(|assertion| assertion.point == caller);
        there.flat_map(|assertion| &assertion.holds).filter(|e| is_local(e)).cloned().collect()
    };
    for assertion in &mut contract.loops {
        assertion.of_caller = of_caller(&assertion.point);
    }
    for point in resting {
        let of_caller = of_caller(point);
        if !of_caller.is_empty() {
            let (point, holds, inferred) = (point.clone(), Vec::new(), true);
            contract.points.push(PointAssertion { point, holds, inferred, of_caller });
        }
    }
}
