//! Whether the properties hold in all states that threads' states can be combined to.
//!
//! Any states of the threads with the same shared store are combined, so there may be very many
//! combinations. But an `invariant` or a `never` sees little of a thread: whether it is at certain
//! locations, and the values of certain variables. Of local states that look the same to a property
//! one is enough. And where two copies of a thread can be swapped, one order of their local states is
//! enough. For patterns all that is needed is what each thread may show.

use crate::desk::Desk;
use crate::glance::Glance;
use crate::interner::Interner;
use crate::patterns::meeting;
use crate::{CheckError, refuted};
use threadwise_evidence::show_state;
use threadwise_ir::{Env, Expr, Locals, NoValue, Observations, Program, PropertyId, State};

/// What the threads can be doing with a shared store.
pub(crate) struct Candidates {
    shared: u32,
    /// The possible local states, thread by thread.
    locals: Vec<u32>,
    /// For each thread where its local states end.
    ends: Vec<usize>,
    /// For each thread whether it can be swapped with the one before it.
    like_before: Vec<bool>,
    /// For each thread what it may show.
    shown: Vec<Observations>,
}

impl Candidates {
    /// No threads as yet.
    pub(crate) fn new(shared: u32, like_before: Vec<bool>) -> Candidates {
        Candidates { shared, locals: Vec::new(), ends: Vec::new(), like_before, shown: Vec::new() }
    }

    /// Adds the next thread: its possible local states, and what it shows in some of them.
    pub(crate) fn add_thread(&mut self, locals: impl Iterator<Item = u32>, shown: Observations) {
        let start = self.locals.len();
        self.locals.extend(locals);
        self.locals[start..].sort_unstable();
        self.ends.push(self.locals.len());
        self.shown.push(shown);
    }

    /// The possible local states of a thread, in order; the same may occur several times.
    fn of(&self, thread: usize) -> &[u32] {
        let start = thread.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.locals[start..self.ends[thread]]
    }
}

/// The properties of a program.
pub(crate) struct Properties<'a> {
    program: &'a Program,
    formulas: Vec<Formula<'a>>,
}

struct Formula<'a> {
    id: PropertyId,
    formula: &'a Expr,
    must_be: bool,
    /// For each template what the formula sees of its copies.
    sees: Vec<Glance<'a>>,
}

impl<'a> Properties<'a> {
    pub(crate) fn new(program: &'a Program) -> Properties<'a> {
        let formula = |(id, formula, wrong): (PropertyId, &'a Expr, bool)| Formula {
            id,
            formula,
            must_be: !wrong,
            sees: Glance::of_formulas(program, [formula]),
        };
        Properties { program, formulas: program.formulas().map(formula).collect() }
    }

    /// A property that reads local variables of threads.
    pub(crate) fn reading_locals(&self) -> Option<PropertyId> {
        let reads = |formula: &&Formula<'_>| formula.sees.iter().any(Glance::sees_variables);
        self.formulas.iter().find(reads).map(|formula| formula.id)
    }

    /// Whether all properties hold in all combinations of the candidates.
    pub(crate) fn hold(&self, desk: &mut Desk<'_>, candidates: &Candidates) -> Result<(), CheckError> {
        if (0..candidates.ends.len()).any(|thread| candidates.of(thread).is_empty()) {
            return Ok(());
        }
        self.no_pattern_is_met(desk, candidates)?;
        self.formulas.iter().try_for_each(|formula| self.holds(desk, formula, candidates))
    }

    /// The formulas that must hold or must not hold.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = (&'a Expr, bool)> {
        self.formulas.iter().map(|formula| (formula.formula, formula.must_be))
    }

    /// Whether the formula with this number is as it must be in all combinations of the candidates.
    pub(crate) fn formula_holds(
        &self,
        desk: &mut Desk<'_>,
        number: usize,
        candidates: &Candidates,
    ) -> Result<(), CheckError> {
        self.holds(desk, &self.formulas[number], candidates)
    }

    /// Says that a state may violate the formula with this number.
    pub(crate) fn violated(&self, number: usize, state: &str) -> CheckError {
        let text = self.text(self.formulas[number].id);
        refuted(format!("the properties do not follow: the state\n  {state}\nmay violate `{text}`"))
    }

    /// Says that threads may meet the pattern of a property with this shared store.
    pub(crate) fn met(&self, property: PropertyId, who: &str, shared: &str) -> CheckError {
        let text = self.text(property);
        refuted(format!("the properties do not follow: with\n  {shared}\n{who} may violate `{text}`"))
    }

    fn no_pattern_is_met(&self, desk: &Desk<'_>, candidates: &Candidates) -> Result<(), CheckError> {
        let Some((property, threads)) = meeting(self.program, &candidates.shown) else { return Ok(()) };
        let names: Vec<String> = threads.into_iter().map(|thread| desk.name(thread)).collect();
        let shared = threadwise_evidence::show_shared(desk.instance, desk.stores.words(candidates.shared));
        Err(self.met(property, &names.join(" and "), &shared))
    }

    /// Goes through the combinations like an odometer.
    fn holds(&self, desk: &mut Desk<'_>, formula: &Formula<'_>, candidates: &Candidates) -> Result<(), CheckError> {
        let mut locals = Vec::new();
        // The threads that the formula looks at, each with its local states.
        let mut wheels: Vec<(usize, Vec<u32>)> = Vec::new();
        for thread in 0..candidates.ends.len() {
            locals.push(candidates.of(thread)[0]);
            let template = desk.instance.threads[thread].template;
            let glance = &formula.sees[template.index()];
            if !glance.is_blind() {
                wheels.push((thread, glance.different(desk.instance, &desk.locals, template, candidates.of(thread))));
            }
        }
        let mut at = vec![0; wheels.len()];
        loop {
            desk.ask_budget()?;
            for ((thread, wheel), &at) in wheels.iter().zip(&at) {
                locals[*thread] = wheel[at];
            }
            self.holds_with(desk, formula, candidates.shared, &locals)?;
            let Some(turned) = (0..wheels.len()).rev().find(|&i| at[i] + 1 < wheels[i].1.len()) else {
                return Ok(());
            };
            at[turned] += 1;
            for index in turned + 1..wheels.len() {
                // Threads that can be swapped are of one template, so the formula looks at both.
                let ascending = candidates.like_before[wheels[index].0] && wheels[index].1 == wheels[index - 1].1;
                at[index] = if ascending { at[index - 1] } else { 0 };
            }
        }
    }

    fn holds_with(
        &self,
        desk: &Desk<'_>,
        formula: &Formula<'_>,
        shared: u32,
        locals: &[u32],
    ) -> Result<(), CheckError> {
        let view = View { interner: &desk.locals, locals };
        match Env::of_state(desk.instance, desk.stores.words(shared), &view).holds(formula.formula) {
            Ok(truth) if truth == formula.must_be => Ok(()),
            Err(NoValue::Gap(gap)) => Err(desk.gap("a property", gap)),
            Ok(_) | Err(NoValue::Fault(..)) => {
                let state = State {
                    shared: desk.stores.words(shared).into(),
                    locals: locals.iter().map(|&local| desk.locals.words(local).into()).collect(),
                };
                let (state, text) = (show_state(desk.instance, &state), self.text(formula.id));
                Err(refuted(format!("the properties do not follow: the state\n  {state}\nmay violate `{text}`")))
            }
        }
    }

    /// The property as it stands in the program.
    pub(crate) fn text(&self, id: PropertyId) -> String {
        self.program.source.snippet(self.program.property(id).span, 80)
    }
}

/// A combination of local states, for properties to read.
struct View<'a> {
    interner: &'a Interner,
    locals: &'a [u32],
}

impl Locals for View<'_> {
    fn local(&self, thread: usize) -> &[i64] {
        self.interner.words(self.locals[thread])
    }
}
