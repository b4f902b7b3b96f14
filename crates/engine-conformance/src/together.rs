//! The abstract threads together, where shared variables have infinitely many values: assertions at
//! the points of each thread that the steps of the others do not break, found as Horn clauses.
//!
//! ABSTHR leaves the composition to other verifiers. Those that list states cannot treat unbounded
//! integers; this treats programs whose safety can be seen one thread at a time.

use crate::horn::{Horn, Solved, Unknown as Predicate, Work};
use crate::symbolic::{Stop, population};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use threadwise_evidence::{FormulaProof, PointFormula, Scope, ThreadFormulas};
use threadwise_ir::{Copies, Instance, Point, Program, TemplateId, Violated};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::SolverCommand;
use threadwise_symbolic::{
    End, Hazards, Named, Parameters, Population, ThreadState, Unsupported, Value, View, Way, by_constants,
    initial_store, named_frames, named_shared, starts, ways,
};

/// Finds assertions at the points of each thread.
pub(crate) fn prove(
    program: &Arc<Program>,
    solver: &SolverCommand,
    budget: &Budget,
) -> Result<(FormulaProof, Work), Stop> {
    let population = population(&Instance::new(program.clone(), 0));
    let mut clauses = Clauses::new(&population)?;
    let templates: Vec<TemplateId> = (0..program.templates.len() as u32).map(TemplateId).collect();
    clauses.initial_store_is_right()?;
    for &template in templates.iter().filter(|&&t| program.template(t).copies != Copies::Exactly(0)) {
        clauses.start(template)?;
    }
    while let Some(place) = clauses.queue.pop_front() {
        budget.check().map_err(|limit| Stop::Solver(limit.into()))?;
        clauses.own_steps(&place)?;
    }
    clauses.steps_of_others()?;
    let size = clauses.horn.len();
    budget.report(|| format!("abstract threads together: solving {size} Horn clauses"));
    let (solved, work) = clauses.horn.solve(solver, budget).map_err(Stop::Solver)?;
    match solved {
        Solved::Predicates(formulas) => {
            let mut parts = vec![ThreadFormulas::default(); templates.len()];
            for ((template, point), predicate) in clauses.places {
                let formula = formulas[predicate.index()].clone();
                parts[template.index()].points.push(PointFormula::new(point, formula));
            }
            Ok((FormulaProof { scope: Scope::Templates, parts }, work))
        }
        Solved::Impossible => Err(Stop::Impossible),
        Solved::Open(why) => Err(Stop::NotSolved(why)),
    }
}

/// A point of a thread.
type Place = (TemplateId, Point);

/// The names that a thread's state has in a clause.
struct Names {
    me: Term,
    frames: Named<Vec<Vec<Value>>>,
    constants: Vec<Term>,
    /// That the values are of their sorts, and that the thread is a copy.
    proper: Term,
}

struct Clauses<'a> {
    population: &'a Population,
    initial: Hazards,
    shared: Named<Vec<Value>>,
    horn: Horn,
    places: BTreeMap<Place, Predicate>,
    queue: VecDeque<Place>,
}

impl<'a> Clauses<'a> {
    fn new(population: &'a Population) -> Result<Clauses<'a>, Stop> {
        let shared = named_shared(population, "g");
        let initial = initial_store(population, &shared.values)?;
        let (horn, places, queue) = (Horn::default(), BTreeMap::new(), VecDeque::new());
        Ok(Clauses { population, initial, shared, horn, places, queue })
    }

    /// The names of a thread at a point, made with a prefix. A thread that is not replicated is known.
    fn names(&self, template: TemplateId, point: &Point, prefix: &str) -> Names {
        let frames = named_frames(self.population, point, prefix);
        let mut constants = frames.constants.clone();
        let me = match self.population.program.template(template).copies {
            Copies::Single => self.population.first(template).clone(),
            Copies::Exactly(_) | Copies::Any => {
                let me = Term::constant(&format!("{prefix}me"), SmtSort::Int);
                constants.push(me.clone());
                me
            }
        };
        let proper = frames.well_formed.and(self.population.is_copy(&me, template));
        Names { me, frames, constants, proper }
    }

    fn args(me: &Term, shared: &[Value], frames: &[Vec<Value>]) -> Vec<Term> {
        let leaves = shared.iter().chain(frames.iter().flatten()).flat_map(|value| &value.0);
        [me].into_iter().chain(leaves).cloned().collect()
    }

    fn clause(&mut self, constants: &[&[Term]], body: &[&Term], head: &Term) {
        let unknowns = self.population.unknowns().map(|(name, _)| name.clone());
        let shared = self.shared.constants.iter().cloned();
        let constants: Vec<Term> =
            unknowns.chain(shared).chain(constants.iter().flat_map(|list| list.iter().cloned())).collect();
        let constraint = self.population.constraint();
        let body: Vec<Term> =
            [&constraint, &self.shared.well_formed].into_iter().chain(body.iter().copied()).cloned().collect();
        self.horn.clause(&constants, &body, head);
    }

    fn initial_store_is_right(&mut self) -> Result<(), Stop> {
        let no = Term::bool(false);
        for wrong in self.initial.of_parts().collect::<Vec<Term>>() {
            self.clause(&[], &[&wrong], &no);
        }
        let (holds, violated) = (self.initial.so_far.clone(), self.violated()?);
        self.clause(&[], &[&holds, &violated], &no);
        Ok(())
    }

    /// That the shared store violates a property.
    fn violated(&self) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, &self.shared.values);
        let mut violated = Vec::new();
        for property in &self.population.program.properties {
            let (e, wrong) = match &property.violated {
                Violated::When(e, wrong) => (e, wrong),
                Violated::By(pattern) => {
                    let what = if pattern.is_of_all_threads() { "`nodeadlock`" } else { "`norace`" };
                    return Err(Unsupported { what, span: property.span });
                }
            };
            let truth = view.translate(e)?;
            violated.push(truth.defined.not().or(truth.value.term().equals(Term::bool(*wrong))));
        }
        Ok(Term::any(&violated))
    }

    fn start(&mut self, template: TemplateId) -> Result<(), Stop> {
        let entry = self.population.program.routine(self.population.program.template(template).body).entry;
        let names = self.names(template, &Point::at(entry), "l");
        let shared = self.shared.values.clone();
        let mut choose = by_constants(self.population, "c");
        for way in starts(self.population, &names.me, template, &shared, &mut choose)? {
            let (initial, copy) = (self.initial.so_far.clone(), self.population.is_copy(&names.me, template));
            self.add(template, &names, &way, &[&initial, &copy]);
        }
        Ok(())
    }

    fn own_steps(&mut self, place: &Place) -> Result<(), Stop> {
        let (template, point) = place;
        let names = self.names(*template, point, "l");
        let here = self.holds_at(place, &names, &self.shared.values);
        let violated = self.violated()?;
        self.clause(&[&names.constants], &[&here, &names.proper, &violated], &Term::bool(false));
        for way in self.ways(place, &names, "c")? {
            self.add(*template, &names, &way, &[&here, &names.proper]);
        }
        Ok(())
    }

    fn holds_at(&self, place: &Place, names: &Names, shared: &[Value]) -> Term {
        self.horn.of(self.places[place], &Self::args(&names.me, shared, &names.frames.values))
    }

    fn ways(&self, (_, point): &Place, names: &Names, fresh: &str) -> Result<Vec<Way>, Unsupported> {
        let (shared, frames) = (self.shared.values.clone(), names.frames.values.clone());
        let state = ThreadState { point: point.clone(), shared, frames };
        ways(self.population, &names.me, state, &mut by_constants(self.population, fresh))
    }

    fn add(&mut self, template: TemplateId, names: &Names, way: &Way, body: &[&Term]) {
        let head = match &way.end {
            End::Error => Term::bool(false),
            End::Rest(after) => {
                let predicate = self.predicate((template, after.point.clone()));
                self.horn.of(predicate, &Self::args(&names.me, &after.shared, &after.frames))
            }
        };
        let chosen = way.chosen();
        self.clause(&[&names.constants, &chosen], &[body, &[&way.when]].concat(), &head);
    }

    fn predicate(&mut self, place: Place) -> Predicate {
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let params = Parameters::default().with("self", &SmtSort::Int).with_shared(self.population);
        let predicate = self.horn.predicate(params.with_locals(self.population, &place.1));
        self.places.insert(place.clone(), predicate);
        self.queue.push_back(place);
        predicate
    }

    /// What holds at a point still holds after a step of another thread.
    fn steps_of_others(&mut self) -> Result<(), Stop> {
        let places: Vec<Place> = self.places.keys().cloned().collect();
        for mover in &places {
            let moving = self.names(mover.0, &mover.1, "k");
            let holds = self.holds_at(mover, &moving, &self.shared.values);
            for way in self.ways(mover, &moving, "d")? {
                let End::Rest(after) = &way.end else { continue };
                if after.shared == self.shared.values {
                    continue;
                }
                for place in &places {
                    let names = self.names(place.0, &place.1, "l");
                    let here = self.holds_at(place, &names, &self.shared.values);
                    let different = names.me.equals(&moving.me).not();
                    let head = self.holds_at(place, &names, &after.shared);
                    let chosen = way.chosen();
                    let body = [&here, &holds, &names.proper, &moving.proper, &different, &way.when];
                    self.clause(&[&names.constants, &moving.constants, &chosen], &body, &head);
                }
            }
        }
        Ok(())
    }
}
