//! Proofs by assertions at the points of threads, for a solver to check.
//!
//! # The idea
//!
//! For each point of each thread, at which other threads can see it, the proof has a formula over the
//! thread's identity, the shared variables and the thread's locals. Suppose that
//!
//! 1. in every initial store the formula at each thread's start holds, and nothing goes wrong there;
//! 2. where the formula at a point holds, no way through the next step ends in an error, and where
//!    one comes to rest the formula there holds;
//! 3. where the formulas at points of two different threads hold together, a step of one of them
//!    leaves the formula of the other true;
//! 4. no store violates a property that is initial, or for which some formula holds.
//!
//! Then, by induction on the number of steps, the formulas hold at the points where the threads are,
//! so no step goes wrong (Owicki and Gries). A store that is not initial was left by some thread at
//! a point where its formula holds, so no property is violated.
//!
//! Where there may be any number of copies of a thread, their number is unknown to the solver, and
//! two copies of one thread are two numbers. Properties that speak of where threads are, of their
//! locals or of races have no part in this and are refused.

use crate::predicate::Predicate;
use crate::questions::{must_follow, start, unsupported};
use crate::{CheckError, refuted};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{AssertionProof, PointFormula};
use threadwise_ir::{Copies, Instance, Point, Program, TemplateId, Violated};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Session, Settings};
use threadwise_symbolic::{
    End, Named, Parameters, Population, ThreadState, Value, View, Way, by_constants, initial_store, named_frames,
    named_shared, starts, ways,
};

/// Checks the four points; gives the number of formulas.
pub(crate) fn check(program: &Arc<Program>, proof: &AssertionProof, budget: &Budget) -> Result<u64, CheckError> {
    proof.validate(program).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let population = match program.has_any_copies() {
        true => Population::any(program),
        false => Population::fixed(&Instance::new(program.clone(), 0)),
    };
    let mut judge = Judge::new(&population, proof, budget)?;
    judge.initial_stores()?;
    for place in judge.places.clone() {
        budget.check()?;
        judge.steps(&place)?;
    }
    Ok(judge.places.len() as u64)
}

type Place = (TemplateId, Point);

struct Judge<'a> {
    population: &'a Population,
    places: Vec<Place>,
    formulas: BTreeMap<Place, Predicate>,
    shared: Named<Vec<Value>>,
    session: Session,
}

/// A thread at a point, as constants.
struct Someone {
    place: Place,
    me: Term,
    constants: Vec<Term>,
    frames: Vec<Vec<Value>>,
    /// It is a copy of its thread, and its locals are of their sorts.
    exists: Term,
}

impl<'a> Judge<'a> {
    fn new(population: &'a Population, proof: &AssertionProof, budget: &Budget) -> Result<Judge<'a>, CheckError> {
        let shared = named_shared(population, "store");
        let mut session = start(Settings::default(), budget)?;
        population.declare(&mut session);
        let (mut formulas, mut places) = (BTreeMap::new(), Vec::new());
        for (template, points) in proof.threads.iter().enumerate() {
            for PointFormula { point, formula } in points {
                let params = Parameters::default().with("self", &SmtSort::Int).with_shared(population);
                let params = params.with_locals(population, point);
                let name = format!("holds{}", places.len());
                let predicate = Predicate::parse(&name, &params, formula).map_err(refuted)?;
                predicate.define(&mut session);
                places.push((TemplateId(template as u32), point.clone()));
                formulas.insert((TemplateId(template as u32), point.clone()), predicate);
            }
        }
        Ok(Judge { population, places, formulas, shared, session })
    }

    fn someone(&self, place: &Place, prefix: &str) -> Someone {
        let frames = named_frames(self.population, &place.1, &format!("{prefix}local"));
        let mut constants = frames.constants;
        let me = Term::constant(&format!("{prefix}me"), SmtSort::Int);
        constants.push(me.clone());
        let exists = frames.well_formed.and(self.population.is_copy(&me, place.0));
        Someone { place: place.clone(), me, constants, frames: frames.values, exists }
    }

    fn formula(&self, place: &Place, me: &Term, shared: &[Value], frames: &[Vec<Value>]) -> Result<Term, CheckError> {
        let program = &self.population.program;
        let Some(predicate) = self.formulas.get(place) else {
            let at = program.source.locate(program.location(place.1.location).span);
            return Err(refuted(format!("nothing is said about `{}` at {at}", program.template(place.0).name)));
        };
        let leaves = shared.iter().chain(frames.iter().flatten()).flat_map(|value| &value.0);
        Ok(predicate.of(&[me].into_iter().chain(leaves).cloned().collect::<Vec<Term>>()))
    }

    /// Point 1, and point 4 for initial stores.
    fn initial_stores(&mut self) -> Result<(), CheckError> {
        let initial = initial_store(self.population, &self.shared.values).map_err(unsupported)?;
        let (stores, proper) = (self.shared.constants.clone(), self.shared.well_formed.clone());
        let what = || "the initial values may be in error".to_string();
        must_follow(&mut self.session, &[&stores], &[&initial.goes_wrong()], &Term::bool(false), what)?;
        let right = self.properties()?;
        let what = || "an initial store may violate a property".to_string();
        must_follow(&mut self.session, &[&stores], &[&initial.so_far, &proper], &right, what)?;
        let program = self.population.program.clone();
        for (index, template) in program.templates.iter().enumerate() {
            if template.copies == Copies::Exactly(0) {
                continue;
            }
            let id = TemplateId(index as u32);
            let me = Term::constant("me", SmtSort::Int);
            let is_copy = self.population.is_copy(&me, id);
            let mut choose = by_constants(self.population, "choice");
            let ways = starts(self.population, &me, id, &self.shared.values, &mut choose).map_err(unsupported)?;
            for way in ways {
                let constants = [me.clone()];
                self.goes_well(id, &me, &constants, &[&initial.so_far, &is_copy], &way)?;
            }
        }
        Ok(())
    }

    /// That no property is violated by the shared store.
    fn properties(&self) -> Result<Term, CheckError> {
        let view = View::of_store(self.population, &self.shared.values);
        let mut all = Vec::new();
        for property in &self.population.program.properties {
            let Violated::When(e, wrong) = &property.violated else {
                return Err(refuted("races are not judged by assertions"));
            };
            let truth = view.translate(e).map_err(unsupported)?;
            all.push(truth.defined.and(truth.value.term().equals(Term::bool(!wrong))));
        }
        Ok(Term::all(&all))
    }

    /// Points 2, 3 and 4 for the steps from one point.
    fn steps(&mut self, place: &Place) -> Result<(), CheckError> {
        let mover = self.someone(place, "");
        let shared = self.shared.values.clone();
        let holds = self.formula(place, &mover.me, &shared, &mover.frames)?;
        let (stores, proper, right) =
            (self.shared.constants.clone(), self.shared.well_formed.clone(), self.properties()?);
        let what = || "where a thread's formula holds a property may be violated".to_string();
        let premises = [&holds, &mover.exists, &proper];
        must_follow(&mut self.session, &[&stores, &mover.constants], &premises, &right, what)?;
        let state = ThreadState { point: place.1.clone(), shared, frames: mover.frames.clone() };
        let mut choose = by_constants(self.population, "choice");
        let ways = ways(self.population, &mover.me, state, &mut choose).map_err(unsupported)?;
        for way in &ways {
            self.goes_well(place.0, &mover.me, &mover.constants, &[&holds, &mover.exists], way)?;
            if matches!(&way.end, End::Rest(after) if after.shared != self.shared.values) {
                self.others_stay(&mover, &holds, way)?;
            }
        }
        Ok(())
    }

    fn goes_well(
        &mut self,
        template: TemplateId,
        me: &Term,
        constants: &[Term],
        premises: &[&Term],
        way: &Way,
    ) -> Result<(), CheckError> {
        let conclusion = match &way.end {
            End::Rest(after) => self.formula(&(template, after.point.clone()), me, &after.shared, &after.frames)?,
            End::Error => Term::bool(false),
        };
        let (stores, chosen) = (self.shared.constants.clone(), way.chosen());
        let proper = self.shared.well_formed.clone();
        let step = self.step_text(way);
        let what = || match way.end {
            End::Rest(_) => format!("the formula after {step} need not hold"),
            End::Error => format!("{step} may go wrong"),
        };
        let premises = [premises, &[&proper, &way.when]].concat();
        must_follow(&mut self.session, &[&stores, constants, &chosen], &premises, &conclusion, what)
    }

    /// Point 3.
    fn others_stay(&mut self, mover: &Someone, holds: &Term, way: &Way) -> Result<(), CheckError> {
        let End::Rest(after) = &way.end else { return Ok(()) };
        for place in self.places.clone() {
            let single = self.population.program.template(place.0).copies == Copies::Single;
            if single && place.0 == mover.place.0 {
                continue;
            }
            let other = self.someone(&place, "other.");
            let before = self.formula(&place, &other.me, &self.shared.values, &other.frames)?;
            let later = self.formula(&place, &other.me, &after.shared, &other.frames)?;
            let different = other.me.equals(&mover.me).not();
            let step = self.step_text(way);
            let program = self.population.program.clone();
            let what = || {
                let at = program.source.locate(program.location(place.1.location).span);
                format!("{step} may break the formula of `{}` at {at}", program.template(place.0).name)
            };
            let (stores, proper) = (self.shared.constants.clone(), self.shared.well_formed.clone());
            let chosen = way.chosen();
            let constants = [&stores[..], &mover.constants, &other.constants, &chosen];
            let premises = [holds, &mover.exists, &before, &other.exists, &different, &proper, &way.when];
            must_follow(&mut self.session, &constants, &premises, &later, what)?;
        }
        Ok(())
    }

    fn step_text(&self, way: &Way) -> String {
        let program = &self.population.program;
        way.path.first().map_or("a start".to_string(), |&edge| {
            let span = program.edge(edge).span;
            format!("`{}` at {}", program.source.snippet(span, 80), program.source.locate(span))
        })
    }
}
