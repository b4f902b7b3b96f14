//! The i-abstraction of a thread (CALVIN, section 4) as one formula: a constant for each point and
//! each arc of the code says whether the run goes there, and each point has constants for the store
//! there. The formula grows with the code, not with the number of its paths.
//!
//! Where control is between two steps the environment may move: the store is any that B* admits. A step
//! from one such point to the next must satisfy the guarantee, which relates the stores at both ends;
//! points inside a step carry the store at its start along.

use crate::contract::{Contracts, conjuncts};
use crate::graph::{Graph, Node};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{EdgeId, Expr, LocationId, PropertyId, Sort, StepError, TemplateId};
use threadwise_logic::{Kind, SmtSort, Term};
use threadwise_solver::Session;
use threadwise_source::Span;
use threadwise_symbolic::{Taken, ThreadState, Unsupported, Value, View, by_constants, initial_store, take_edge};

/// Something that must not happen.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    /// When it happens.
    pub(crate) bad: Term,
    /// What happens.
    pub(crate) what: What,
    /// The step, if it is one.
    pub(crate) edge: Option<EdgeId>,
    /// The shared stores before the environment's last step, after it, and after the thread's own step.
    pub(crate) stores: Vec<Vec<Value>>,
}

/// What can happen.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The initial values are in error.
    InitialValue(Span),
    /// An invariant does not hold at the start.
    Initially(PropertyId, Expr),
    /// A step goes wrong.
    Step(StepError, Span),
    /// A step breaks a conjunct of the rely with this number.
    Rely(usize, Expr),
    /// A step breaks a conjunct of the guarantee with this number.
    Guarantee(usize, Expr),
    /// A step breaks a conjunct of an invariant.
    Invariant(PropertyId, Expr),
    /// A loop's invariant does not hold when the loop is entered.
    Entering(LocationId, Expr),
    /// A loop's invariant is not kept by an iteration.
    Iterating(LocationId, Expr),
}

/// What a run is like at a point.
#[derive(Clone)]
pub(crate) struct State {
    /// That the run comes here.
    pub(crate) at: Term,
    pub(crate) shared: Vec<Value>,
    /// The shared store at the start of the step that is under way.
    pub(crate) old: Vec<Value>,
    /// The shared store before the environment's last step.
    pub(crate) before: Vec<Value>,
    /// The locals of each frame.
    pub(crate) frames: Vec<Vec<Value>>,
}

/// Where a candidate for a loop's invariant is assumed and must hold.
pub(crate) struct Trial {
    /// Which loop: a number of a node.
    pub(crate) node: usize,
    pub(crate) candidate: usize,
    /// The constant that turns it on.
    pub(crate) on: Term,
    /// When it is violated.
    pub(crate) violated: Term,
}

pub(crate) struct Encoder<'a> {
    pub(crate) contracts: &'a Contracts<'a>,
    pub(crate) session: &'a mut Session,
    pub(crate) graph: &'a Graph,
    pub(crate) template: TemplateId,
    pub(crate) me: Term,
    pub(crate) other: Term,
    pub(crate) closure: u32,
    /// For each loop head what holds there: given, or candidates.
    pub(crate) loops: &'a dyn Fn(usize) -> LoopInvariant,
    pub(crate) obligations: Vec<Obligation>,
    pub(crate) states: Vec<State>,
    pub(crate) trials: Vec<Trial>,
    declared: usize,
}

/// What is said of a loop.
#[derive(Clone, Default)]
pub(crate) struct LoopInvariant {
    /// This holds, and must be shown.
    pub(crate) given: Vec<Expr>,
    /// Some of this may hold.
    pub(crate) candidates: Vec<Expr>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        contracts: &'a Contracts<'a>,
        session: &'a mut Session,
        graph: &'a Graph,
        template: TemplateId,
        closure: u32,
        loops: &'a dyn Fn(usize) -> LoopInvariant,
    ) -> Encoder<'a> {
        let me = session.declare("me", &SmtSort::Int);
        let other = session.declare("other", &SmtSort::Int);
        session.assert(&contracts.population.is_copy(&me, template));
        Encoder {
            contracts,
            session,
            graph,
            template,
            me,
            other,
            closure,
            loops,
            obligations: Vec::new(),
            states: Vec::new(),
            trials: Vec::new(),
            declared: 0,
        }
    }

    /// Tells the solver the whole formula, and collects the obligations.
    pub(crate) fn encode(&mut self) -> Result<(), Unsupported> {
        let mut incoming: Vec<Vec<State>> = vec![Vec::new(); self.graph.nodes.len()];
        incoming[0].push(self.start()?);
        for number in 0..self.graph.nodes.len() {
            let node = &self.graph.nodes[number];
            let mut state = self.arrive(node, &incoming[number])?;
            if node.head.is_some() {
                state = self.enter_loop(number, &state)?;
            }
            for &arc in &node.arcs {
                let after = self.step(number, &state, arc)?;
                let arc = &self.graph.arcs[arc];
                if arc.closes_loop {
                    self.close_loop(arc.to, after)?;
                } else {
                    incoming[arc.to].push(after);
                }
            }
            self.states.push(state);
        }
        Ok(())
    }

    /// Any initial store, with the thread at its entry.
    fn start(&mut self) -> Result<State, Unsupported> {
        let shared = self.fresh_store("init");
        let initial = initial_store(self.contracts.population, &shared)?;
        let at = self.fresh("start", &SmtSort::Bool);
        self.session.assert(&at.implies(&initial.so_far));
        let body = self.contracts.program().template(self.template).body;
        let frames = ThreadState::first(self.contracts.population, body, Vec::new()).frames;
        Ok(State { at, old: shared.clone(), before: shared.clone(), shared, frames })
    }

    /// A point that some arcs lead to. Between steps the environment moves.
    fn arrive(&mut self, node: &Node, incoming: &[State]) -> Result<State, Unsupported> {
        let at = match incoming {
            [only] => only.at.clone(),
            _ => {
                let at = self.fresh("at", &SmtSort::Bool);
                let comes = Term::any(incoming.iter().map(|state| &state.at));
                self.session.assert(&at.implies(&comes));
                at
            }
        };
        let program = self.contracts.program();
        let sorts: Vec<Sort> = program.shared.iter().map(|var| var.sort.clone()).collect();
        let shared = self.merge(&sorts, incoming, &|state| state.shared.clone());
        let old = if node.inside_step { self.merge(&sorts, incoming, &|state| state.old.clone()) } else { Vec::new() };
        let mut frames = Vec::new();
        for (depth, routine) in node.routines.iter().enumerate() {
            let locals = &self.contracts.population.program.routine(*routine).locals;
            let sorts: Vec<Sort> = locals.iter().map(|local| local.sort.clone()).collect();
            frames.push(self.merge(&sorts, incoming, &|state| state.frames[depth].clone()));
        }
        let before = if node.inside_step { old.clone() } else { shared.clone() };
        let state = State { at, before, old, shared, frames };
        if node.inside_step { Ok(state) } else { self.interfere(state) }
    }

    /// One value for what several states have; which one, depends on where the run comes from.
    fn merge(&mut self, sorts: &[Sort], states: &[State], part: &dyn Fn(&State) -> Vec<Value>) -> Vec<Value> {
        let parts: Vec<Vec<Value>> = states.iter().map(part).collect();
        let mut merged = Vec::new();
        for (index, sort) in sorts.iter().enumerate() {
            let first = parts.first().map(|values| values[index].clone());
            if let Some(first) = &first
                && parts.iter().all(|values| values[index] == *first)
            {
                merged.push(first.clone());
                continue;
            }
            let value = self.fresh_value("m", sort);
            for (state, values) in states.iter().zip(&parts) {
                let same = value.same(&values[index]);
                self.session.assert(&state.at.implies(&same));
            }
            merged.push(value);
        }
        merged
    }

    /// B*: any number of steps of other threads, each of which satisfies the rely and keeps I.
    fn interfere(&mut self, state: State) -> Result<State, Unsupported> {
        let mut last = state.shared.clone();
        let mut steps = Vec::new();
        let alone = self.contracts.left_alone(self.template);
        for _ in 0..self.closure {
            // Values that cannot change keep their terms, so that branches meet in few constants.
            let mut next = self.fresh_store("s");
            let kept = next.iter_mut().zip(&last).zip(&alone).filter(|(_, alone)| **alone);
            kept.for_each(|((next, last), _)| next.clone_from(last));
            let next = settled(&next, &self.contracts.rely(self.template, &self.me, &last, &next)?);
            steps.push(self.contracts.rely(self.template, &self.me, &last, &next)?);
            steps.push(self.contracts.possible(&next)?);
            last = next;
        }
        let at = self.fresh("at", &SmtSort::Bool);
        self.session.assert(&at.implies(&state.at));
        self.session.assert(&at.implies(Term::all(&steps)));
        Ok(State { at, old: last.clone(), before: state.shared, shared: last, frames: state.frames })
    }

    /// The state at the head of a loop after any number of iterations: any that the loop's invariants
    /// admit. What held before the loop is forgotten.
    fn enter_loop(&mut self, number: usize, entry: &State) -> Result<State, Unsupported> {
        let node = &self.graph.nodes[number];
        let population = self.contracts.population;
        let at = self.fresh("loop", &SmtSort::Bool);
        self.session.assert(&at.implies(&entry.at));
        let shared = self.fresh_store("h");
        let mut formed = Vec::new();
        for (var, value) in population.program.shared.iter().zip(&shared) {
            formed.push(population.well_formed(&var.sort, value));
        }
        let mut frames = Vec::new();
        for routine in &node.routines {
            let mut locals = Vec::new();
            for local in &population.program.routine(*routine).locals {
                let value = self.fresh_value("h", &local.sort);
                formed.push(population.well_formed(&local.sort, &value));
                locals.push(value);
            }
            frames.push(locals);
        }
        let old = if node.inside_step { self.fresh_store("o") } else { shared.clone() };
        formed.push(self.contracts.possible(&old)?);
        self.session.assert(&at.implies(Term::all(&formed)));
        let state = State { at, before: old.clone(), old, shared, frames };
        let said = (self.loops)(number);
        for e in &said.given {
            let bad = entry.at.and(self.holds(entry, e)?.not());
            let assumed = self.holds(&state, e)?;
            self.session.assert(&state.at.implies(&assumed));
            self.oblige(bad, What::Entering(node.point.location, e.clone()), None, entry, None);
        }
        for (candidate, e) in said.candidates.iter().enumerate() {
            // What cannot be said to the solver is no candidate.
            let (Ok(assumed), Ok(initially)) = (self.holds(&state, e), self.holds(entry, e)) else { continue };
            let on = self.fresh("try", &SmtSort::Bool);
            self.session.assert(&state.at.and(&on).implies(&assumed));
            let violated = entry.at.and(initially.not());
            self.trials.push(Trial { node: number, candidate, on, violated });
        }
        Ok(state)
    }

    /// The end of an iteration.
    fn close_loop(&mut self, head: usize, after: State) -> Result<(), Unsupported> {
        let node = &self.graph.nodes[head];
        let state = if node.inside_step { after } else { self.interfere(after)? };
        let said = (self.loops)(head);
        for e in &said.given {
            let bad = state.at.and(self.holds(&state, e)?.not());
            self.oblige(bad, What::Iterating(node.point.location, e.clone()), None, &state, None);
        }
        for index in 0..self.trials.len() {
            if self.trials[index].node == head {
                let kept = self.holds(&state, &said.candidates[self.trials[index].candidate])?;
                let violated = state.at.and(kept.not());
                self.trials[index].violated = self.trials[index].violated.or(&violated);
            }
        }
        Ok(())
    }

    /// An assertion at a point, over the shared variables and the innermost frame. Inside a step primed
    /// variables stand for the values at the start of the step.
    pub(crate) fn holds(&self, state: &State, e: &Expr) -> Result<Term, Unsupported> {
        let locals = state.frames.last().expect("there is the thread's own frame");
        View::of_thread(self.contracts.population, &self.me, &state.shared, locals)
            .with_after(&state.old, locals)
            .holds(e)
    }

    /// The state after an arc, with what can go wrong on it and what it must guarantee.
    fn step(&mut self, number: usize, state: &State, arc: usize) -> Result<State, Unsupported> {
        let (node, arc) = (&self.graph.nodes[number], &self.graph.arcs[arc]);
        let target = &self.graph.nodes[arc.to];
        let Taken { hazards, after, .. } = self.take(node, state, arc.edge, target)?;
        for hazard in &hazards.all {
            let what = What::Step(hazard.error, hazard.span);
            self.oblige(state.at.and(hazard.when()), what, Some(arc.edge), state, None);
        }
        let at = self.fresh("arc", &SmtSort::Bool);
        self.session.assert(&at.implies(state.at.and(&hazards.so_far)));
        let shared = self.named_store(&after.shared, &state.shared);
        let after = State { at, old: state.old.clone(), before: state.before.clone(), shared, frames: after.frames };
        if !target.inside_step && after.shared != after.old {
            self.guarantee(arc.edge, &after)?;
        }
        Ok(after)
    }

    /// What an edge does. New values of the running routine's locals get names.
    fn take(&mut self, node: &Node, state: &State, id: EdgeId, target: &Node) -> Result<Taken, Unsupported> {
        let population = self.contracts.population;
        self.declared += 1;
        let mut choose = by_constants(population, format!("c{}", self.declared));
        let (shared, frames) = (state.shared.clone(), state.frames.clone());
        let before = ThreadState { point: node.point.clone(), shared, frames };
        let mut taken = take_edge(population, &self.me, &before, id, &mut choose)?;
        self.session.declare_all(taken.choices.iter().flat_map(|choice| &choice.0));
        let routine = *target.routines.last().expect("there is the thread's own routine");
        let old = before.frames.get(taken.after.frames.len() - 1).map_or(&[][..], Vec::as_slice);
        let named = self.named_locals(routine, taken.after.locals(), old);
        *taken.after.frames.last_mut().expect("there is the thread's own frame") = named;
        Ok(taken)
    }

    /// G: the step satisfies the guarantee that is given, or else the relies of all other threads, and
    /// keeps I.
    fn guarantee(&mut self, edge: EdgeId, after: &State) -> Result<(), Unsupported> {
        let contracts = self.contracts;
        let given: Vec<usize> = contracts.guarantees(self.template).map(|(index, _)| index).collect();
        for &index in &given {
            for part in conjuncts(&contracts.program().guarantees[index].formula) {
                let holds = contracts.formula(&part, &self.me, &after.old, &after.shared)?;
                let bad = after.at.and(holds.not());
                self.oblige(bad, What::Guarantee(index, part), Some(edge), after, Some(&after.shared));
            }
        }
        if given.is_empty() {
            for (index, contract) in contracts.program().relies.iter().enumerate() {
                let someone_else = contracts.is_subject(contract, &self.other).and(self.other.equals(&self.me).not());
                for part in conjuncts(&contract.formula) {
                    let holds = contracts.formula(&part, &self.other, &after.old, &after.shared)?;
                    let bad = Term::all([&after.at, &someone_else, &holds.not()]);
                    self.oblige(bad, What::Rely(index, part), Some(edge), after, Some(&after.shared));
                }
            }
        }
        for invariant in &contracts.invariants {
            let view = View::of_store(contracts.population, &after.shared);
            let bad = after.at.and(view.holds(&invariant.part)?.not());
            let what = What::Invariant(invariant.property, invariant.part.clone());
            self.oblige(bad, what, Some(edge), after, Some(&after.shared));
        }
        Ok(())
    }

    fn oblige(&mut self, bad: Term, what: What, edge: Option<EdgeId>, at: &State, after: Option<&[Value]>) {
        if !bad.is_false() {
            let mut stores = vec![at.before.clone(), at.old.clone()];
            if after.is_none() && at.shared != at.old {
                stores.push(at.shared.clone());
            }
            stores.extend(after.map(<[Value]>::to_vec));
            self.obligations.push(Obligation { bad, what, edge, stores });
        }
    }

    fn fresh(&mut self, prefix: &str, sort: &SmtSort) -> Term {
        self.declared += 1;
        self.session.declare(&format!("{prefix}.{}", self.declared), sort)
    }

    fn fresh_value(&mut self, prefix: &str, sort: &Sort) -> Value {
        self.declared += 1;
        self.contracts.population.declare_value(self.session, &format!("{prefix}.{}", self.declared), sort)
    }

    fn fresh_store(&mut self, prefix: &str) -> Vec<Value> {
        let sorts: Vec<Sort> = self.contracts.program().shared.iter().map(|var| var.sort.clone()).collect();
        sorts.iter().map(|sort| self.fresh_value(prefix, sort)).collect()
    }

    fn named_store(&mut self, values: &[Value], before: &[Value]) -> Vec<Value> {
        let sorts: Vec<Sort> = self.contracts.program().shared.iter().map(|var| var.sort.clone()).collect();
        self.named(&sorts, values, before)
    }

    fn named_locals(&mut self, routine: threadwise_ir::RoutineId, values: &[Value], before: &[Value]) -> Vec<Value> {
        let locals = &self.contracts.population.program.routine(routine).locals;
        let sorts: Vec<Sort> = locals.iter().map(|local| local.sort.clone()).collect();
        self.named(&sorts, values, before)
    }

    /// The same values under names, where they are new: so terms do not grow from step to step.
    fn named(&mut self, sorts: &[Sort], values: &[Value], before: &[Value]) -> Vec<Value> {
        let mut named = Vec::new();
        for (index, (sort, value)) in sorts.iter().zip(values).enumerate() {
            let is_short = value.0.iter().all(is_short);
            if before.get(index) == Some(value) || is_short {
                named.push(value.clone());
            } else {
                self.declared += 1;
                let name = format!("d.{}", self.declared);
                named.push(self.contracts.population.define_value(self.session, &name, sort, value));
            }
        }
        named
    }
}

/// What the program's initial values, which are these, must satisfy.
pub(crate) fn initial_obligations(
    contracts: &Contracts<'_>,
    shared: Vec<Value>,
) -> Result<Vec<Obligation>, Unsupported> {
    let mut obligations = Vec::new();
    let initial = initial_store(contracts.population, &shared)?;
    let stores = vec![shared.clone()];
    for hazard in &initial.all {
        let what = What::InitialValue(hazard.span);
        obligations.push(Obligation { bad: hazard.when(), what, edge: None, stores: stores.clone() });
    }
    for invariant in &contracts.invariants {
        let holds = View::of_store(contracts.population, &shared).holds(&invariant.part)?;
        let what = What::Initially(invariant.property, invariant.part.clone());
        let bad = initial.so_far.and(holds.not());
        obligations.push(Obligation { bad, what, edge: None, stores: stores.clone() });
    }
    Ok(obligations)
}

/// Terms with a longer text than this are not written in the place of a constant.
const SHORT: usize = 24;

fn is_short(term: &Term) -> bool {
    term.size(SHORT) < SHORT && term.to_string().len() < SHORT
}

/// The values after a step that satisfies the rely, with a short term for each that the rely determines: where it has
/// `next == e`, `next` is `e`. With the lock in this thread's hands that is most of what the lock protects.
fn settled(next: &[Value], rely: &Term) -> Vec<Value> {
    let open: BTreeSet<&Term> = next.iter().flat_map(|value| &value.0).collect();
    let mut values: BTreeMap<&Term, &Term> = BTreeMap::new();
    for part in rely.conjuncts().iter().rev() {
        if let Kind::Eq(a, b) | Kind::Iff(a, b) = part.kind() {
            for (name, value) in [(a, b), (b, a)] {
                if open.contains(name) && !open.iter().any(|name| value.mentions(name)) && is_short(value) {
                    values.insert(name, value);
                }
            }
        }
    }
    let settle = |term: &Term| values.get(term).copied().unwrap_or(term).clone();
    next.iter().map(|value| Value(value.0.iter().map(settle).collect())).collect()
}
