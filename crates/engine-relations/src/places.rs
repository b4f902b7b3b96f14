//! The places of a program: the points of each template's code where others can see it, and the steps between them, as terms.

use crate::Stop;
use std::collections::BTreeMap;
use threadwise_ir::{Copies, EdgeId, Point, TemplateId};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_symbolic::{
    End, Named, Population, ThreadState, Value, Way, by_constants, initial_store, named_frames, named_shared, starts,
    ways,
};

/// Programs with more places are not treated.
const MAX_PLACES: usize = 600;

/// A point of any copy of a template.
pub(crate) struct Place {
    pub(crate) template: TemplateId,
    pub(crate) point: Point,
    /// The locals of whoever takes a step here.
    own: Named<Vec<Vec<Value>>>,
    /// The locals of somebody who is here while another one takes a step.
    others: Named<Vec<Vec<Value>>>,
}

/// A step from one place to another, or from no place at all: the start of a thread.
pub(crate) struct Step {
    pub(crate) from: Option<usize>,
    pub(crate) to: usize,
    pub(crate) when: Term,
    pub(crate) after: ThreadState,
    /// Whether it can change shared variables.
    pub(crate) writes: bool,
}

/// An error of a step.
pub(crate) struct Wrong {
    pub(crate) template: TemplateId,
    pub(crate) from: Option<usize>,
    pub(crate) when: Term,
    pub(crate) edge: Option<EdgeId>,
}

/// All places and steps, over terms that stand for the shared variables and for who takes the step.
pub(crate) struct Map<'a> {
    pub(crate) population: &'a Population,
    pub(crate) me: Term,
    pub(crate) you: Term,
    pub(crate) shared: Named<Vec<Value>>,
    /// That the shared variables have initial values.
    pub(crate) initial: Term,
    /// That initial values are in error.
    pub(crate) initial_error: Term,
    pub(crate) places: Vec<Place>,
    pub(crate) steps: Vec<Step>,
    pub(crate) wrong: Vec<Wrong>,
    /// All constants that there are.
    pub(crate) constants: Vec<Term>,
}

impl<'a> Map<'a> {
    pub(crate) fn new(population: &'a Population, budget: &Budget) -> Result<Map<'a>, Stop> {
        let shared = named_shared(population, "x");
        let (me, you) = (Term::constant("me", SmtSort::Int), Term::constant("you", SmtSort::Int));
        let initial = initial_store(population, &shared.values)?;
        let constants = [&[me.clone(), you.clone()][..], &shared.constants].concat();
        let mut map = Map {
            population,
            me,
            you,
            shared,
            initial_error: initial.goes_wrong(),
            initial: initial.so_far,
            places: Vec::new(),
            steps: Vec::new(),
            wrong: Vec::new(),
            constants,
        };
        map.explore(budget)?;
        Ok(map)
    }

    fn explore(&mut self, budget: &Budget) -> Result<(), Stop> {
        let population = self.population;
        let mut known = BTreeMap::new();
        for index in 0..population.program.templates.len() {
            let template = TemplateId(index as u32);
            if population.program.template(template).copies == Copies::Exactly(0) {
                continue;
            }
            let mut choose = by_constants(population, format!("start{index}"));
            let all = starts(population, &self.me, template, &self.shared.values, &mut choose)?;
            self.add_ways(&mut known, template, None, all);
        }
        let mut done = 0;
        while done < self.places.len() {
            budget.check()?;
            if self.places.len() > MAX_PLACES {
                return Err(Stop::TooLarge);
            }
            let place = &self.places[done];
            let (template, frames) = (place.template, place.own.values.clone());
            let state = ThreadState { point: place.point.clone(), shared: self.shared.values.clone(), frames };
            let mut choose = by_constants(population, format!("c{done}"));
            let all = ways(population, &self.me, state, &mut choose)?;
            self.add_ways(&mut known, template, Some(done), all);
            done += 1;
        }
        self.constants.sort();
        self.constants.dedup();
        Ok(())
    }

    fn add_ways(
        &mut self,
        known: &mut BTreeMap<(TemplateId, Point), usize>,
        template: TemplateId,
        from: Option<usize>,
        all: Vec<Way>,
    ) {
        for way in all {
            self.constants.extend(way.chosen());
            let Way { path, when, end, .. } = way;
            match end {
                End::Error => self.wrong.push(Wrong { template, from, when, edge: path.last().copied() }),
                End::Rest(after) => {
                    let to = *known.entry((template, after.point.clone())).or_insert_with(|| {
                        let (number, point) = (self.places.len(), after.point.clone());
                        let own = named_frames(self.population, &point, &format!("l{number}."));
                        let others = named_frames(self.population, &point, &format!("m{number}."));
                        self.constants.extend(own.constants.iter().chain(&others.constants).cloned());
                        self.places.push(Place { template, point, own, others });
                        number
                    });
                    let writes = after.shared != self.shared.values;
                    self.steps.push(Step { from, to, when, after, writes });
                }
            }
        }
    }

    /// That the one who takes a step is at a place, as far as sorts tell.
    pub(crate) fn is_at(&self, template: TemplateId, place: Option<usize>) -> Term {
        let formed = place.map_or(Term::bool(true), |place| self.places[place].own.well_formed.clone());
        Term::all([self.shared.well_formed.clone(), self.population.is_copy(&self.me, template), formed])
    }

    /// That somebody else is at a place.
    pub(crate) fn other_is_at(&self, place: usize) -> Term {
        let Place { template, others, .. } = &self.places[place];
        let is_other = self.me.equals(&self.you).not();
        Term::all([self.population.is_copy(&self.you, *template), is_other, others.well_formed.clone()])
    }

    /// Whether somebody can be at one place while somebody else takes a step from another one.
    pub(crate) fn can_meet(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.places[a].template, self.places[b].template);
        let copies = self.population.program.template(a).copies;
        a != b || !matches!(copies, Copies::Single | Copies::Exactly(0 | 1))
    }

    /// What is said of a place, before a step from there.
    pub(crate) fn own(&self, place: usize) -> Vec<Term> {
        leaves(&self.me, &self.shared.values, &self.places[place].own.values)
    }

    /// What is said of a place after a step that leads there.
    pub(crate) fn arrival(&self, step: &Step) -> Vec<Term> {
        leaves(&self.me, &step.after.shared, &step.after.frames)
    }

    /// What is said of a place where somebody else is, with these shared variables.
    pub(crate) fn theirs(&self, place: usize, shared: &[Value]) -> Vec<Term> {
        leaves(&self.you, shared, &self.places[place].others.values)
    }
}

/// The terms of a shared store.
pub(crate) fn store(shared: &[Value]) -> Vec<Term> {
    shared.iter().flat_map(|value| value.0.iter().cloned()).collect()
}

fn leaves(me: &Term, shared: &[Value], frames: &[Vec<Value>]) -> Vec<Term> {
    let locals = frames.iter().flatten().flat_map(|value| value.0.iter().cloned());
    [me.clone()].into_iter().chain(store(shared)).chain(locals).collect()
}
