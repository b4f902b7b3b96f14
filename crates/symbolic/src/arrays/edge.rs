//! Edges as relations between stores.

use super::shape::Keys;
use super::{Population, Unsupported, Value, View};
use threadwise_ir::{
    AssertionKind, Command, Expr, Fault, LocationId, Place, RoutineId, Sort, StepError, Update, VarRef,
};
use threadwise_logic::Term;
use threadwise_source::Span;

/// What can go wrong, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// It goes wrong where this holds of the store before and the choices. It says of itself that
    /// nothing went wrong before it.
    pub when: Term,
    /// What goes wrong.
    pub error: StepError,
    pub span: Span,
}

/// A step along an edge, as terms over the store before it and the choices.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What it chooses freely: constants to declare.
    pub choices: Vec<Value>,
    /// What can go wrong, in order.
    pub hazards: Vec<Hazard>,
    /// That it is taken: nothing goes wrong, the guard holds and the choices are possible.
    pub taken: Term,
    /// The shared store after it.
    pub shared: Vec<Value>,
    /// The locals after it.
    pub locals: Vec<Value>,
}

/// Collects what can go wrong on the way of a step.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// What can go wrong.
    pub hazards: Vec<Hazard>,
    /// That the step has come so far without an error.
    pub so_far: Term,
}

impl Default for Wrong {
    fn default() -> Wrong {
        Wrong { hazards: Vec::new(), so_far: Term::bool(true) }
    }
}

impl Wrong {
    /// From here on the condition holds; where it does not, that is this error.
    pub fn must(&mut self, condition: &Term, error: StepError, span: Span) {
        if condition.is_true() {
            return;
        }
        self.hazards.push(Hazard { when: self.so_far.and(condition.not()), error, span });
        self.so_far = self.so_far.and(condition);
    }

    /// From here on the condition holds; where it does not, the step is not taken.
    pub fn only_if(&mut self, condition: &Term) {
        self.so_far = self.so_far.and(condition);
    }

    /// Evaluates an expression; what it runs into is an error.
    fn value(&mut self, view: &View<'_>, e: &Expr) -> Result<Value, Unsupported> {
        let translated = view.translate(e)?;
        self.must(&translated.defined, fault_of(e), e.span);
        Ok(translated.value)
    }

    /// Evaluates an expression whose value is stored in a place of this sort.
    fn stored(&mut self, view: &View<'_>, e: &Expr, sort: &Sort) -> Result<Value, Unsupported> {
        let value = self.value(view, e)?;
        self.fits(view.population, sort, &value, e.span);
        Ok(value)
    }

    fn fits(&mut self, population: &Population, sort: &Sort, value: &Value, span: Span) {
        self.must(&population.in_range(sort, value), StepError::Fault(Fault::Range), span);
    }
}

/// The likeliest fault in an expression; which one it is, the semantics will tell.
fn fault_of(e: &Expr) -> StepError {
    let divides = e.any(&|e| {
        use threadwise_ir::{
            BinaryOp::{Div, Mod},
            ExprKind::Binary,
        };
        matches!(e.kind, Binary(Div | Mod, ..))
    });
    StepError::Fault(if divides { Fault::Division } else { Fault::Index })
}

/// A command on an edge to `to`. The view is that of the running thread before the step; `fresh` starts
/// the names of the constants that are chosen.
pub fn transition(
    view: &View<'_>,
    command: &Command,
    routine: RoutineId,
    to: LocationId,
    span: Span,
    fresh: &str,
) -> Result<Transition, Unsupported> {
    let mut wrong = Wrong::default();
    for assertion in &command.assertions {
        let condition = wrong.value(view, &assertion.condition)?;
        let error = match assertion.kind {
            AssertionKind::Assert => StepError::Assertion,
            AssertionKind::Release => StepError::Release,
        };
        wrong.must(condition.term(), error, span);
    }
    if let Some(guard) = &command.guard {
        let guard = wrong.value(view, guard)?;
        wrong.only_if(guard.term());
    }
    let mut step = Step {
        view,
        wrong,
        routine,
        fresh,
        choices: Vec::new(),
        shared: view.shared.to_vec(),
        locals: view.locals.to_vec(),
    };
    match &command.update {
        Update::Assign(assignments) => step.assign(assignments)?,
        Update::Action { frame, formula, assertion } => step.act(frame, formula, assertion.as_deref(), span)?,
    }
    clear_dead(view.population, to, &mut step.locals);
    Ok(Transition {
        choices: step.choices,
        hazards: step.wrong.hazards,
        taken: step.wrong.so_far,
        shared: step.shared,
        locals: step.locals,
    })
}

/// Gives the locals that are out of scope at a location their defaults.
fn clear_dead(population: &Population, to: LocationId, locals: &mut [Value]) {
    let location = population.program.location(to);
    let routine = population.program.routine(location.routine);
    for dead in location.dead.iter() {
        locals[dead.index()] = population.default_value(&routine.locals[dead.index()].sort);
    }
}

/// The update of a command under way.
struct Step<'a> {
    view: &'a View<'a>,
    wrong: Wrong,
    routine: RoutineId,
    fresh: &'a str,
    choices: Vec<Value>,
    shared: Vec<Value>,
    locals: Vec<Value>,
}

impl Step<'_> {
    fn assign(&mut self, assignments: &[(Place, threadwise_ir::Value)]) -> Result<(), Unsupported> {
        // As in the semantics: all is evaluated first, then stored in order, the free choices last.
        let mut stores = Vec::new();
        let mut choices = Vec::new();
        for (place, value) in assignments {
            match value {
                threadwise_ir::Value::Of(e) => {
                    let value = self.wrong.value(self.view, e)?;
                    let keys = self.keys(place)?;
                    self.wrong.fits(self.view.population, &place.sort, &value, e.span);
                    stores.push((place, keys, value));
                }
                threadwise_ir::Value::Any => {
                    choices.push((place, self.keys(place)?));
                }
            }
        }
        for (place, keys) in choices {
            let value = self.choose(&place.sort);
            stores.push((place, keys, value));
        }
        for (place, keys, value) in stores {
            self.store(place, &keys, &value);
        }
        Ok(())
    }

    fn keys(&mut self, place: &Place) -> Result<Vec<Term>, Unsupported> {
        place_keys(self.view, place, &self.sort_of(place.var), &mut self.wrong)
    }

    fn choose(&mut self, sort: &Sort) -> Value {
        let population = self.view.population;
        let value = population.named(&format!("{}.{}", self.fresh, self.choices.len()), sort);
        self.wrong.only_if(&population.well_formed(sort, &value));
        self.choices.push(value.clone());
        value
    }

    fn store(&mut self, place: &Place, keys: &[Term], value: &Value) {
        let sort = self.sort_of(place.var);
        let variable = match place.var {
            VarRef::Shared(id) => &mut self.shared[id.index()],
            VarRef::Local(id) => &mut self.locals[id.index()],
        };
        *variable = updated(self.view.population, &sort, variable, keys, value);
    }

    fn sort_of(&self, var: VarRef) -> Sort {
        let program = &self.view.population.program;
        match var {
            VarRef::Shared(id) => program.shared[id.index()].sort.clone(),
            VarRef::Local(id) => program.routine(self.routine).locals[id.index()].sort.clone(),
        }
    }

    fn act(
        &mut self,
        frame: &[VarRef],
        formula: &Expr,
        assertion: Option<&Expr>,
        span: Span,
    ) -> Result<(), Unsupported> {
        for &var in frame {
            let value = self.choose(&self.sort_of(var));
            match var {
                VarRef::Shared(id) => self.shared[id.index()] = value,
                VarRef::Local(id) => self.locals[id.index()] = value,
            }
        }
        let view = self.view.clone().with_after(&self.shared, &self.locals);
        let formula = self.wrong.value(&view, formula)?;
        self.wrong.only_if(formula.term());
        if let Some(assertion) = assertion {
            let assertion = self.wrong.value(&view, assertion)?;
            self.wrong.must(assertion.term(), StepError::ActionAssertion, span);
        }
        Ok(())
    }
}

/// The keys of a place; those out of range are errors.
fn place_keys(view: &View<'_>, place: &Place, sort: &Sort, wrong: &mut Wrong) -> Result<Vec<Term>, Unsupported> {
    let mut keys = Vec::new();
    let mut sort = sort;
    for index in &place.indices {
        let Sort::Array(key_sort, element) = sort else { unreachable!("only arrays are indexed") };
        let key = view.translate_key(index)?;
        wrong.must(&key.defined, fault_of(index), index.span);
        let key = key.value.term().clone();
        wrong.must(&view.population.keys(key_sort).contains(&key), StepError::Fault(Fault::Index), index.span);
        keys.push(key);
        sort = element;
    }
    Ok(keys)
}

/// A value with the element at some keys, outermost first, changed.
fn updated(population: &Population, sort: &Sort, whole: &Value, keys: &[Term], value: &Value) -> Value {
    let Some((key, rest)) = keys.split_first() else { return value.clone() };
    let Sort::Array(key_sort, element) = sort else { unreachable!("only arrays are indexed") };
    let key_range = population.keys(key_sort);
    if matches!(key_range, Keys::Few(_, 0)) {
        return whole.clone();
    }
    let old = population.element(&key_range, whole, key);
    let new = updated(population, element, &old, rest, value);
    population.with_element(&key_range, whole, key, &new)
}

/// The locals of a procedure that is called with these arguments.
pub fn call(view: &View<'_>, routine: RoutineId, args: &[Expr], wrong: &mut Wrong) -> Result<Vec<Value>, Unsupported> {
    let population = view.population;
    let callee = population.program.routine(routine);
    let mut locals: Vec<Value> = callee.locals.iter().map(|local| population.default_value(&local.sort)).collect();
    for (index, arg) in args.iter().enumerate() {
        locals[index] = wrong.stored(view, arg, &callee.locals[index].sort)?;
    }
    clear_dead(population, callee.entry, &mut locals);
    Ok(locals)
}

/// The result of a procedure that returns; the view is the procedure's.
pub fn return_value(
    view: &View<'_>,
    routine: RoutineId,
    value: Option<&Expr>,
    wrong: &mut Wrong,
) -> Result<Option<Value>, Unsupported> {
    let callee = view.population.program.routine(routine);
    let Some(result) = callee.result else { return Ok(None) };
    match value {
        Some(e) => Ok(Some(wrong.stored(view, e, &callee.locals[result.index()].sort)?)),
        None => Ok(Some(view.locals[result.index()].clone())),
    }
}

/// Stores the result of a call where the caller wants it; the view is the caller's, `to` is where it
/// goes on. Returns the shared store and the locals after that.
pub fn store_result(
    view: &View<'_>,
    routine: RoutineId,
    place: Option<&Place>,
    result: Option<&Value>,
    to: LocationId,
    span: Span,
    wrong: &mut Wrong,
) -> Result<(Vec<Value>, Vec<Value>), Unsupported> {
    let mut step = Step {
        view,
        wrong: std::mem::take(wrong),
        routine,
        fresh: "",
        choices: Vec::new(),
        shared: view.shared.to_vec(),
        locals: view.locals.to_vec(),
    };
    if let (Some(place), Some(value)) = (place, result) {
        let keys = step.keys(place)?;
        step.wrong.fits(view.population, &place.sort, value, span);
        step.store(place, &keys, value);
    }
    clear_dead(view.population, to, &mut step.locals);
    *wrong = step.wrong;
    Ok((step.shared, step.locals))
}

/// The locals of a thread's body before its first step.
pub fn first_locals(population: &Population, routine: RoutineId) -> Vec<Value> {
    let routine = population.program.routine(routine);
    let mut locals: Vec<Value> = routine.locals.iter().map(|local| population.default_value(&local.sort)).collect();
    clear_dead(population, routine.entry, &mut locals);
    locals
}
