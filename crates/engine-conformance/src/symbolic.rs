//! The conformance checker C(T, T#) for threads with infinitely many states, as Horn clauses.
//!
//! ABSTHR, section 3.1, adds the set F to the program text as a map from nodes to truth values, and
//! leaves the invariants of loops to the user. Here each point of the thread gets an unknown
//! predicate over the thread's locals and F, and a solver for Horn clauses finds it.

use crate::horn::{Horn, Solved, Unknown as Predicate, Work};
use std::collections::{BTreeMap, VecDeque};
use threadwise_evidence::{PointFormula, Simulation};
use threadwise_ir::{AbstractThread, Abstraction, Copies, Instance, LocalProperty, Point, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{SolverCommand, SolverError};
use threadwise_symbolic::{
    End, Named, Parameters, Population, ThreadState, Unsupported, Value, View, Way, by_constants, named_frames,
    named_shared, starts, ways,
};

/// Why there is no proof.
pub(crate) enum Stop {
    Unsupported(Unsupported),
    Solver(SolverError),
    /// There are no invariants: the thread does not conform.
    Impossible,
    NotSolved(String),
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Stop {
        Stop::Unsupported(unsupported)
    }
}

/// Finds assertions for each point of the thread that show its conformance.
pub(crate) fn conform(
    instance: &Instance,
    abstraction: &Abstraction,
    thread: ThreadId,
    solver: &SolverCommand,
    budget: &Budget,
) -> Result<(Simulation, Work), Stop> {
    let population = population(instance);
    let mut clauses = Clauses::new(instance, &population, abstraction, thread);
    clauses.start()?;
    while let Some(point) = clauses.queue.pop_front() {
        budget.check().map_err(|limit| Stop::Solver(limit.into()))?;
        clauses.point(&point)?;
    }
    let size = clauses.horn.len();
    budget.report(|| format!("conformance: solving {size} Horn clauses"));
    let (solved, work) = clauses.horn.solve(solver, budget).map_err(Stop::Solver)?;
    match solved {
        Solved::Predicates(formulas) => {
            let assertion = |(point, formula): (Point, String)| PointFormula::new(point, formula);
            let mut points: Vec<(Point, Predicate)> = clauses.points.into_iter().collect();
            points.sort_by_key(|(_, predicate)| predicate.index());
            let points = points.into_iter().map(|(point, _)| point);
            Ok((Simulation::Assertions(points.zip(formulas).map(assertion).collect()), work))
        }
        Solved::Impossible => Err(Stop::Impossible),
        Solved::Open(why) => Err(Stop::NotSolved(why)),
    }
}

/// The threads: in unknown numbers, where the program leaves them open.
pub(crate) fn population(instance: &Instance) -> Population {
    let open = instance.program.templates.iter().any(|template| template.copies == Copies::Any);
    if open { Population::any(&instance.program) } else { Population::fixed(instance) }
}

struct Clauses<'a> {
    population: &'a Population,
    abstraction: &'a Abstraction,
    specification: &'a AbstractThread,
    /// The thread, and what holds of it.
    me: Term,
    is_me: Term,
    /// What every clause may speak of: unknown numbers of copies, and the thread.
    constants: Vec<Term>,
    shared: Named<Vec<Value>>,
    /// F: a truth value for each node.
    nodes: Vec<Term>,
    horn: Horn,
    points: BTreeMap<Point, Predicate>,
    queue: VecDeque<Point>,
}

impl<'a> Clauses<'a> {
    fn new(
        instance: &'a Instance,
        population: &'a Population,
        abstraction: &'a Abstraction,
        thread: ThreadId,
    ) -> Clauses<'a> {
        let template = instance.threads[thread.index()].template;
        let specification = instance.program.abstract_thread(template).expect("the thread is specified");
        let mut constants: Vec<Term> = population.unknowns().map(|(name, _)| name.clone()).collect();
        let (me, is_me) = match constants.is_empty() {
            true => (Term::int(i64::from(thread.0) + 1), Term::bool(true)),
            false => {
                let me = Term::constant("me", SmtSort::Int);
                constants.push(me.clone());
                let is_me = population.is_copy(&me, template).and(population.constraint());
                (me, is_me)
            }
        };
        Clauses {
            population,
            abstraction,
            specification,
            me,
            is_me,
            constants,
            shared: named_shared(population, "g"),
            nodes: (0..specification.nodes.len())
                .map(|node| Term::constant(&format!("n{node}"), SmtSort::Bool))
                .collect(),
            horn: Horn::default(),
            points: BTreeMap::new(),
            queue: VecDeque::new(),
        }
    }

    /// Start = Init × {Init#}.
    fn start(&mut self) -> Result<(), Stop> {
        let init = (0..self.nodes.len()).map(|node| Term::bool(self.specification.init.contains(&node)));
        let init: Vec<Term> = init.collect();
        let shared = self.shared.values.clone();
        let mut choose = by_constants(self.population, "c");
        for way in starts(self.population, &self.me, self.specification.template, &shared, &mut choose)? {
            let body = [self.is_me.clone(), self.shared.well_formed.clone()];
            self.add(&way, &body, &[], &init);
        }
        Ok(())
    }

    /// The clauses of a point: what must hold there, and where its steps lead.
    fn point(&mut self, point: &Point) -> Result<(), Stop> {
        let frames = named_frames(self.population, point, "l");
        let shared = self.shared.values.clone();
        let state = ThreadState { point: point.clone(), shared: shared.clone(), frames: frames.values.clone() };
        let args: Vec<Term> = frames.constants.iter().chain(&self.nodes).cloned().collect();
        let here = self.horn.of(self.points[point], &args);
        let constants = frames.constants.clone();

        // Error = (Local × {∅}) ∪ …: some candidate must be left, and one that agrees on labels.
        let agrees = |&node: &usize| self.abstraction.agrees(self.specification.template, point.location, node);
        let agreeing = (0..self.nodes.len()).filter(agrees).map(|node| &self.nodes[node]);
        let none_left = Term::any(agreeing).not();
        self.clause(&constants, &[here.clone(), none_left], &Term::bool(false));

        let right = self.no_candidate_wrong(&shared)?;
        let body = [here, self.is_me.clone(), self.shared.well_formed.clone(), frames.well_formed.clone(), right];
        for property in &self.abstraction.local {
            if property.template == self.specification.template {
                let violated = self.violated(property, &state)?;
                self.clause(&constants, &[&body[..], &[violated]].concat(), &Term::bool(false));
            }
        }
        for way in ways(self.population, &self.me, state, &mut by_constants(self.population, "c"))? {
            let nodes = match &way.end {
                End::Rest(after) => self.candidates_after(&shared, &after.shared)?,
                End::Error => Vec::new(),
            };
            self.add(&way, &body, &constants, &nodes);
        }
        Ok(())
    }

    /// A clause for a way: it must not end in an error, and where it rests the predicate holds.
    fn add(&mut self, way: &Way, body: &[Term], constants: &[Term], nodes: &[Term]) {
        let head = match &way.end {
            End::Error => Term::bool(false),
            End::Rest(after) => {
                let predicate = self.predicate(&after.point);
                let leaves = after.frames.iter().flatten().flat_map(|value| &value.0);
                let args: Vec<Term> = leaves.chain(nodes).cloned().collect();
                self.horn.of(predicate, &args)
            }
        };
        let constants = [constants, &way.chosen()].concat();
        self.clause(&constants, &[body, std::slice::from_ref(&way.when)].concat(), &head);
    }

    fn clause(&mut self, constants: &[Term], body: &[Term], head: &Term) {
        let constants = [&self.constants, &self.shared.constants, &self.nodes, constants].concat();
        self.horn.clause(&constants, body, head);
    }

    fn predicate(&mut self, point: &Point) -> Predicate {
        if let Some(&known) = self.points.get(point) {
            return known;
        }
        let locals = Parameters::default().with_locals(self.population, point);
        let nodes = self.specification.nodes.iter();
        let params = nodes.fold(locals, |params, node| params.with(&node.name, &SmtSort::Bool));
        let predicate = self.horn.predicate(params);
        self.points.insert(point.clone(), predicate);
        self.queue.push_back(point.clone());
        predicate
    }

    /// g ∉ W#(F). An assertion that cannot be evaluated counts as right: that admits more stores.
    fn no_candidate_wrong(&self, shared: &[Value]) -> Result<Term, Unsupported> {
        let view = View::of_thread(self.population, &self.me, shared, &[]);
        let mut right = Vec::new();
        for (node, name) in self.specification.nodes.iter().zip(&self.nodes) {
            if let Some(assertion) = &node.assertion {
                let assertion = view.translate(assertion)?;
                right.push(name.implies(assertion.defined.implies(assertion.value.term())));
            }
        }
        Ok(Term::all(&right))
    }

    /// F' = { m' | ∃ m ∈ F: (g, m) →# (g', m') }.
    fn candidates_after(&self, before: &[Value], after: &[Value]) -> Result<Vec<Term>, Unsupported> {
        let view = View::of_thread(self.population, &self.me, before, &[]).with_after(after, &[]);
        let program = &self.population.program;
        let keeps = |var: usize| self.population.equal(&program.shared[var].sort, &before[var], &after[var]);
        let all_kept: Vec<Term> = (0..before.len()).map(keeps).collect();
        let mut reached: Vec<Vec<Term>> = vec![Vec::new(); self.nodes.len()];
        if self.specification.idle {
            let same = Term::all(&all_kept);
            for (node, name) in self.nodes.iter().enumerate() {
                reached[node].push(name.and(&same));
            }
        }
        for edge in &self.specification.edges {
            let framed = |var: &usize| !edge.frame.iter().any(|id| id.index() == *var);
            let kept = Term::all((0..before.len()).filter(framed).map(|var| &all_kept[var]));
            let formula = edge.formula.as_ref().map_or(Ok(Term::bool(true)), |formula| view.holds(formula))?;
            reached[edge.to].push(Term::all([&self.nodes[edge.from], &kept, &formula]));
        }
        Ok(reached.iter().map(Term::any).collect())
    }

    /// That the state violates a property of the thread, or the property cannot be evaluated.
    fn violated(&self, property: &LocalProperty, state: &ThreadState) -> Result<Term, Unsupported> {
        let alone = Alone(state);
        let mut violated = Term::bool(true);
        for (condition, of_each) in property.conditions().rev() {
            let view = View::of_store(self.population, &state.shared);
            let bound = if of_each { vec![self.me.clone()] } else { Vec::new() };
            let condition = View { others: Some(&alone), bound, ..view }.translate(condition)?;
            violated = condition.defined.not().or(condition.value.term().and(&violated));
        }
        Ok(violated)
    }
}

/// The thread of which alone a property speaks.
struct Alone<'a>(&'a ThreadState);

impl threadwise_symbolic::Others for Alone<'_> {
    fn local(&self, _: threadwise_ir::TemplateId, _: &Term, local: threadwise_ir::LocalId) -> Option<Value> {
        self.0.frames.first()?.get(local.index()).cloned()
    }

    fn at(&self, _: threadwise_ir::TemplateId, _: &Term, locations: &[threadwise_ir::LocationId]) -> Option<Term> {
        Some(Term::bool(locations.contains(&self.0.point.location)))
    }
}
