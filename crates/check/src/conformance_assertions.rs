//! Proofs of conformance by assertions.
//!
//! The proof gives for each point of the thread a formula over the thread's locals there and a set F
//! of nodes, one truth value a node. It stands for the sets of candidates of [`crate::conformance`]:
//! F is a listed set for a local state if the formula holds of both. The three points then are
//! questions to a solver:
//!
//! 1. the formula at a start holds of the first locals and exactly the initial nodes;
//! 2. where the formula at a point holds, and no node of F is wrong, then no way through a step ends in an
//!    error, no property of the thread alone is violated, and where a way comes to rest the
//!    formula there holds of the locals after it and **all** nodes that F leads to;
//! 3. where the formula at a point holds, F has a node that agrees with the point's labels.
//!
//! Nodes lead where the formula of their edge is sure to hold, and are wrong where their assertion is
//! sure to fail: where the translation is not sure, both make the questions harder.

use crate::predicate::Predicate;
use crate::questions::{must_follow, start, unsupported};
use crate::{CheckError, refuted};
use std::collections::BTreeMap;
use threadwise_evidence::PointFormula;
use threadwise_ir::{
    AbstractThread, Abstraction, Instance, LocalId, LocalProperty, LocationId, Point, TemplateId, ThreadId,
};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Session, Settings};
use threadwise_symbolic::{
    End, Named, Others, Parameters, Population, ThreadState, Value, View, Way, by_constants, named_frames,
    named_shared, starts, ways,
};

/// Checks the three points for a thread.
pub(crate) fn check(
    instance: &Instance,
    abstraction: &Abstraction,
    thread: ThreadId,
    points: &[PointFormula],
    budget: &Budget,
) -> Result<(), CheckError> {
    let population = if instance.program.has_any_copies() {
        Population::any(&instance.program)
    } else {
        Population::fixed(instance)
    };
    let mut judge = Judge::new(&population, instance, abstraction, thread, points, budget)?;
    judge.starts()?;
    for point in points {
        budget.check()?;
        judge.point(&point.point)?;
    }
    Ok(())
}

struct Judge<'a> {
    population: &'a Population,
    abstraction: &'a Abstraction,
    specification: &'a AbstractThread,
    name: String,
    me: Term,
    shared: Named<Vec<Value>>,
    /// F.
    set: Vec<Term>,
    formulas: BTreeMap<Point, Predicate>,
    session: Session,
}

impl<'a> Judge<'a> {
    fn new(
        population: &'a Population,
        instance: &'a Instance,
        abstraction: &'a Abstraction,
        thread: ThreadId,
        points: &[PointFormula],
        budget: &Budget,
    ) -> Result<Judge<'a>, CheckError> {
        let template = instance.threads[thread.index()].template;
        let specification = instance.program.abstract_thread(template).expect("the thread is specified");
        let mut judge = Judge {
            population,
            abstraction,
            specification,
            name: instance.tid_name(i64::from(thread.0) + 1),
            me: Term::int(i64::from(thread.0) + 1),
            shared: named_shared(population, "store"),
            set: (0..specification.nodes.len())
                .map(|node| Term::constant(&format!("in{node}"), SmtSort::Bool))
                .collect(),
            formulas: BTreeMap::new(),
            session: start(Settings::default(), budget)?,
        };
        population.declare(&mut judge.session);
        if instance.program.has_any_copies() {
            // With any number of threads it may be any copy.
            judge.me = judge.session.declare("thread", &SmtSort::Int);
            let is_copy = population.is_copy(&judge.me, template);
            judge.session.assert(&is_copy);
        }
        for formula in points {
            let locals = Parameters::default().with_locals(population, &formula.point);
            let nodes = judge.specification.nodes.iter();
            let params = nodes.fold(locals, |params, node| params.with(&node.name, &SmtSort::Bool));
            let predicate = Predicate::parse(&params, &formula.formula, false).map_err(refuted)?;
            judge.formulas.insert(formula.point.clone(), predicate);
        }
        Ok(judge)
    }

    fn formula(&self, state: &ThreadState, set: &[Term]) -> Result<Term, CheckError> {
        let Some(predicate) = self.formulas.get(&state.point) else {
            let place = self.place(&state.point);
            return Err(refuted(format!("nothing is said about {} at {place}", self.name)));
        };
        let leaves = state.frames.iter().flatten().flat_map(|value| &value.0);
        Ok(predicate.of(&leaves.chain(set).cloned().collect::<Vec<Term>>()))
    }

    fn place(&self, point: &Point) -> String {
        let program = &self.population.program;
        program.source.locate(program.location(point.location).span).to_string()
    }

    /// Point 1.
    fn starts(&mut self) -> Result<(), CheckError> {
        let initial = (0..self.set.len()).map(|node| Term::bool(self.specification.init.contains(&node)));
        let initial: Vec<Term> = initial.collect();
        let template = self.specification.template;
        let mut choose = by_constants(self.population, "choice");
        let ways =
            starts(self.population, &self.me, template, &self.shared.values, &mut choose).map_err(unsupported)?;
        for way in ways {
            self.goes_well(&way, &[], &[], &initial)?;
        }
        Ok(())
    }

    fn point(&mut self, point: &Point) -> Result<(), CheckError> {
        let frames = named_frames(self.population, point, "local");
        let state =
            ThreadState { point: point.clone(), shared: self.shared.values.clone(), frames: frames.values.clone() };
        let constants = [&frames.constants[..], &self.set].concat();
        let holds = self.formula(&state, &self.set)?;
        self.labels_agree(&constants, &holds, point)?;
        let right = self.no_node_is_wrong()?;
        let premises = [holds, frames.well_formed.clone(), right];
        self.properties_hold(&constants, &premises, &state)?;
        let mut choose = by_constants(self.population, "choice");
        let after = ways(self.population, &self.me, state, &mut choose).map_err(unsupported)?;
        for way in after {
            let reached = match &way.end {
                End::Rest(after) => self.reached(&after.shared)?,
                End::Error => Vec::new(),
            };
            self.goes_well(&way, &constants, &premises, &reached)?;
        }
        Ok(())
    }

    /// Point 3.
    fn labels_agree(&mut self, constants: &[Term], holds: &Term, point: &Point) -> Result<(), CheckError> {
        let agrees = |&node: &usize| self.abstraction.agrees(self.specification.template, point.location, node);
        let agreeing = Term::any((0..self.set.len()).filter(agrees).map(|node| &self.set[node]));
        let (name, place) = (self.name.clone(), self.place(point));
        let what = || format!("the formula for {name} at {place} admits a set without a node that may stand for it");
        must_follow(&mut self.session, &[constants], &[holds], &agreeing, what)
    }

    /// A part of point 2: a way does not end in an error, and where it rests the formula holds.
    fn goes_well(
        &mut self,
        way: &Way,
        constants: &[Term],
        premises: &[Term],
        reached: &[Term],
    ) -> Result<(), CheckError> {
        let conclusion = match &way.end {
            End::Rest(after) => self.formula(after, reached)?,
            End::Error => Term::bool(false),
        };
        let program = self.population.program.clone();
        let name = self.name.clone();
        let what = || {
            let edge = way.path.first().map(|&edge| program.edge(edge).span);
            let step = edge.map_or("its start".to_string(), |span| {
                format!("`{}` at {}", program.source.snippet(span, 80), program.source.locate(span))
            });
            match way.end {
                End::Rest(_) => format!("the formula after {step} of {name} need not hold"),
                End::Error => format!("{step} of {name} may go wrong where no candidate does"),
            }
        };
        let chosen = way.chosen();
        let constants = [&self.shared.constants[..], constants, &chosen];
        let all: Vec<&Term> = premises.iter().chain([&self.shared.well_formed, &way.when]).collect();
        must_follow(&mut self.session, &constants, &all, &conclusion, what)
    }

    /// No node of F is sure to be wrong.
    fn no_node_is_wrong(&self) -> Result<Term, CheckError> {
        let view = View::of_thread(self.population, &self.me, &self.shared.values, &[]);
        let mut conditions = Vec::new();
        for (node, in_set) in self.specification.nodes.iter().zip(&self.set) {
            if let Some(assertion) = &node.assertion {
                let truth = view.translate(assertion).map_err(unsupported)?;
                let sure_to_fail = truth.defined.and(truth.value.term().not());
                conditions.push(in_set.and(&sure_to_fail).not());
            }
        }
        Ok(Term::all(&conditions))
    }

    /// For each node whether F leads to it while the shared store changes.
    fn reached(&self, after: &[Value]) -> Result<Vec<Term>, CheckError> {
        let before = &self.shared.values;
        let view = View::of_thread(self.population, &self.me, before, &[]).with_after(after, &[]);
        let sorts = self.population.program.shared.iter().map(|var| &var.sort);
        let unchanged: Vec<Term> =
            sorts.zip(before.iter().zip(after)).map(|(sort, (a, b))| self.population.equal(sort, a, b)).collect();
        let mut reached = vec![Term::bool(false); self.set.len()];
        for edge in &self.specification.edges {
            let mut leads = self.set[edge.from].clone();
            for (var, unchanged) in unchanged.iter().enumerate() {
                if edge.frame.iter().all(|id| id.index() != var) {
                    leads = leads.and(unchanged);
                }
            }
            if let Some(formula) = &edge.formula {
                leads = leads.and(&view.holds(formula).map_err(unsupported)?);
            }
            reached[edge.to] = reached[edge.to].or(&leads);
        }
        if self.specification.idle {
            let same = Term::all(&unchanged);
            for (node, reached) in reached.iter_mut().enumerate() {
                *reached = reached.or(self.set[node].and(&same));
            }
        }
        Ok(reached)
    }

    /// A part of point 2: the properties of this thread alone.
    fn properties_hold(
        &mut self,
        constants: &[Term],
        premises: &[Term],
        state: &ThreadState,
    ) -> Result<(), CheckError> {
        for property in self.abstraction.local.iter().filter(|p| p.template == self.specification.template) {
            let violated = self.violated(property, state)?;
            let program = self.population.program.clone();
            let (name, place) = (self.name.clone(), self.place(&state.point));
            let what = || {
                let text = program.source.snippet(program.property(property.property).span, 80);
                format!("{name} at {place} may violate `{text}` where no candidate is wrong")
            };
            let premises: Vec<&Term> = premises.iter().chain([&self.shared.well_formed]).collect();
            let constants = [&self.shared.constants[..], constants];
            must_follow(&mut self.session, &constants, &premises, &violated.not(), what)?;
        }
        Ok(())
    }

    /// That all conditions of a violation hold, one after the other, or one of them is in error.
    fn violated(&self, property: &LocalProperty, state: &ThreadState) -> Result<Term, CheckError> {
        let own = Own(state);
        let (mut so_far, mut fails) = (Term::bool(true), Term::bool(false));
        for (condition, of_each) in property.conditions() {
            let bound = if of_each { vec![self.me.clone()] } else { Vec::new() };
            let view = View { others: Some(&own), bound, ..View::of_store(self.population, &state.shared) };
            let truth = view.translate(condition).map_err(unsupported)?;
            fails = fails.or(so_far.and(truth.defined.not()));
            so_far = so_far.and(truth.holds());
        }
        Ok(fails.or(&so_far))
    }
}

/// The thread's own state, the only one that its properties speak of.
struct Own<'a>(&'a ThreadState);

impl Others for Own<'_> {
    fn local(&self, _: TemplateId, _: &Term, local: LocalId) -> Option<Value> {
        self.0.frames.first()?.get(local.index()).cloned()
    }

    fn at(&self, _: TemplateId, _: &Term, locations: &[LocationId]) -> Option<Term> {
        Some(Term::bool(locations.contains(&self.0.point.location)))
    }
}
