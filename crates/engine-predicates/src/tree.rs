//! ABSTREACHENV (THREADER, figure 7): abstract states of each thread, and environment transitions.
//!
//! An abstract state is a control point of the thread and a set of literals: predicates that hold, or do
//! not hold, of all its states. Control is native: a thread's own point is never abstracted, and the
//! points of other threads are either not known at all or, once refinement asks for it, tracked exactly.
//!
//! DIVERGENCE: an environment transition is the step itself, as far as its reader may know it (which
//! needs fewer refinements than abstracting it). In the modular form that is its effect on shared
//! variables, strengthened by what the abstract state before it says of these and, where the effect
//! depends on locals, by transition predicates. In the general form it is the whole step.

use crate::aret::Work;
use crate::chc::fix_control;
use crate::proof::{Assertions, is_shared, is_silent, nothing_shared_changes, visible};
use crate::split::cubes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use threadwise_ir::ThreadId;
use threadwise_logic::{Term, Var};
use threadwise_solver::SolverError;
use threadwise_space::{Owner, PointId, Space, Step};

/// An abstract state of a thread.
#[derive(Clone, Debug)]
pub(crate) struct AbstractState {
    pub(crate) thread: usize,
    pub(crate) point: PointId,
    /// Where the threads are whose control is tracked.
    others: Others,
    /// Predicates by number, and whether they hold.
    literals: BTreeSet<(usize, bool)>,
    /// The literals and the tracked control as a formula.
    pub(crate) formula: Term,
    pub(crate) parent: Parent,
}

/// The points of other threads, by their numbers.
type Others = BTreeMap<usize, PointId>;

/// Where an abstract state comes from: *Parent* of the paper.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parent {
    /// The initial states, by the number of the thread's start.
    Initial(usize),
    /// A state and a step of the thread itself.
    Own(usize, usize),
    /// A state and an environment transition.
    Environment(usize, usize),
}

/// An environment transition.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// Whose step.
    pub(crate) by: usize,
    /// The abstract state before it, and the number of the step: *Parent* of the paper.
    pub(crate) state: usize,
    pub(crate) step: usize,
    /// The relation, in full.
    formula: Term,
    /// The relation without what does not change.
    short: Term,
    /// The variables that change.
    updated: BTreeSet<Var>,
}

/// Abstract states that meet in an error.
pub(crate) struct ErrorTuple {
    /// The states, one for each thread that the error speaks of.
    pub(crate) states: Vec<usize>,
    /// The error, a conjunction, with the control of these threads fixed.
    pub(crate) formula: Term,
}

/// How the computation ends.
pub(crate) enum Outcome {
    /// There is nothing new, and no error.
    Closed,
    /// The abstract states admit an error.
    Error(ErrorTuple),
}

/// The trees of all threads.
pub(crate) struct Forest {
    pub(crate) states: Vec<AbstractState>,
    pub(crate) environments: Vec<Environment>,
    of_thread: Vec<Vec<usize>>,
    environment_of: Vec<Vec<usize>>,
    processed: BTreeSet<usize>,
    queue: VecDeque<Item>,
    /// The errors with control fixed, by case and points.
    errors: BTreeMap<(usize, Vec<PointId>), Vec<Term>>,
    /// The variables of each thread's predicates.
    variables: Vec<Vec<BTreeSet<Var>>>,
}

/// Limits are looked at after so many steps of the computation.
const STEPS_BETWEEN_CHECKS: usize = 64;

enum Item {
    State(usize),
    Apply(usize, usize),
}

impl Forest {
    pub(crate) fn new(work: &Work<'_>) -> Forest {
        let count = work.space.threads.len();
        Forest {
            states: Vec::new(),
            environments: Vec::new(),
            of_thread: vec![Vec::new(); count],
            environment_of: vec![Vec::new(); count],
            processed: BTreeSet::new(),
            queue: VecDeque::new(),
            errors: BTreeMap::new(),
            variables: work.predicates.states.iter().map(|set| set.iter().map(Term::variables).collect()).collect(),
        }
    }

    /// Trees that a test draws: states as thread, point and parent, environment transitions as thread, state and step.
    #[cfg(test)]
    pub(crate) fn grown(
        work: &Work<'_>,
        states: &[(usize, PointId, Parent)],
        environments: &[(usize, usize, usize)],
    ) -> Forest {
        let mut forest = Forest::new(work);
        forest.states.extend(states.iter().map(|(thread, point, parent)| AbstractState {
            thread: *thread,
            point: *point,
            others: Others::new(),
            literals: BTreeSet::new(),
            formula: Term::bool(true),
            parent: *parent,
        }));
        forest.environments.extend(environments.iter().map(|(by, state, step)| Environment {
            by: *by,
            state: *state,
            step: *step,
            formula: Term::bool(true),
            short: Term::bool(true),
            updated: BTreeSet::new(),
        }));
        forest
    }

    /// ABSTREACHENV, figure 7, up to the first error.
    pub(crate) fn abst_reach_env(&mut self, work: &mut Work<'_>) -> Result<Outcome, SolverError> {
        for thread in 0..work.space.threads.len() {
            for number in 0..work.space.threads[thread].starts.len() {
                if let Some(error) = self.start(work, thread, number)? {
                    return Ok(Outcome::Error(error));
                }
            }
        }
        let mut steps = 0;
        while let Some(item) = self.queue.pop_front() {
            if steps % STEPS_BETWEEN_CHECKS == 0 {
                work.budget.check()?;
            }
            steps += 1;
            let error = match item {
                Item::State(state) => self.process(work, state)?,
                Item::Apply(environment, state) => self.apply(work, environment, state)?,
            };
            if let Some(error) = error {
                return Ok(Outcome::Error(error));
            }
        }
        Ok(Outcome::Closed)
    }

    /// α̇_i(φ_init)
    fn start(&mut self, work: &mut Work<'_>, thread: usize, number: usize) -> Result<Option<ErrorTuple>, SolverError> {
        let to = work.space.threads[thread].starts[number].to;
        let mut tuples = vec![Others::new()];
        for other in work.tracked[thread].iter().filter(|other| **other != thread) {
            let points: BTreeSet<PointId> = work.space.threads[*other].starts.iter().map(|start| start.to).collect();
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    points.iter().map(|point| {
                        let mut longer = tuple.clone();
                        longer.insert(*other, *point);
                        longer
                    })
                })
                .collect();
        }
        for others in tuples {
            let here =
                work.space.init().and(work.space.at(ThreadId(thread as u32), to)).and(at_all(work.space, &others));
            let nothing = BTreeSet::new();
            let Some(literals) = self.literals_after(work, thread, &[&here], &nothing, &BTreeSet::new())? else {
                continue;
            };
            if let Some(error) = self.add(work, thread, to, others, literals, Parent::Initial(number))? {
                return Ok(Some(error));
            }
        }
        Ok(None)
    }

    /// Lines 7 to 26 of the figure for one state.
    fn process(&mut self, work: &mut Work<'_>, state: usize) -> Result<Option<ErrorTuple>, SolverError> {
        self.processed.insert(state);
        let (thread, point) = (self.states[state].thread, self.states[state].point);
        for number in 0..work.steps[thread].len() {
            if work.steps[thread][number].from != point {
                continue;
            }
            if let Some(error) = self.own_step(work, state, number)? {
                return Ok(Some(error));
            }
        }
        for environment in self.environment_of[thread].clone() {
            if let Some(error) = self.apply(work, environment, state)? {
                return Ok(Some(error));
            }
        }
        Ok(None)
    }

    /// α̇_i(post(ρ, S)), and α̈(S ∧ ρ) for the others.
    fn own_step(
        &mut self,
        work: &mut Work<'_>,
        state: usize,
        number: usize,
    ) -> Result<Option<ErrorTuple>, SolverError> {
        let AbstractState { thread, formula, others, literals, .. } = self.states[state].clone();
        let step = work.steps[thread][number].clone();
        let updated = updated(work.space, &step);
        let (here, effect) = (work.space.at(step.thread, step.from), effect(work.space, &step));
        let before = [&here, &formula, &effect];
        let Some(after) = self.literals_after(work, thread, &before, &updated, &literals)? else { return Ok(None) };
        if let Some(error) = self.add(work, thread, step.to, others, after, Parent::Own(state, number))? {
            return Ok(Some(error));
        }
        self.add_environment(work, state, number, &step, &before)?;
        Ok(None)
    }

    fn add_environment(
        &mut self,
        work: &mut Work<'_>,
        state: usize,
        number: usize,
        step: &Step,
        before: &[&Term],
    ) -> Result<(), SolverError> {
        let space = work.space;
        if !work.raw && is_silent(space, step) {
            return Ok(());
        }
        let raw = work.raw;
        let keep = |var: Var| raw || is_shared(space, var);
        let mut known = Term::bool(true);
        if !raw {
            let literals = self.states[state].formula.conjuncts().iter();
            let shared = literals.filter(|literal| literal.variables().iter().all(|var| keep(*var))).cloned();
            known = Term::all(shared.collect::<Vec<_>>());
            for predicate in work.predicates.transitions[step.thread.index()].clone() {
                let updated = updated(space, step);
                let here = unprime_unchanged(space, &predicate, &updated);
                if holds(work, before, &here)? {
                    known = known.and(predicate);
                }
            }
        }
        let updated: BTreeSet<Var> = updated(space, step).into_iter().filter(|var| keep(*var)).collect();
        let full = visible(space, step, &keep);
        let formula = known.clone().and(full.clone());
        let by = step.thread.index();
        if self.environments.iter().any(|e| e.by == by && e.step == number && subsumed(&formula, &e.formula)) {
            return Ok(());
        }
        let changes = |part: &&Term| !is_frame(space, part, &updated);
        let short = known.and(Term::all(full.conjuncts().iter().filter(changes).cloned()));
        self.environments.push(Environment { by, state, step: number, formula, short, updated });
        let new = self.environments.len() - 1;
        for other in (0..space.threads.len()).filter(|other| *other != by) {
            self.environment_of[other].push(new);
            for seen in &self.of_thread[other] {
                if self.processed.contains(seen) {
                    self.queue.push_back(Item::Apply(new, *seen));
                }
            }
        }
        Ok(())
    }

    /// α̇_i(post(ρ ∧ ρ_i^=, S)) for an environment transition ρ.
    fn apply(&mut self, work: &mut Work<'_>, number: usize, state: usize) -> Result<Option<ErrorTuple>, SolverError> {
        let AbstractState { thread, point, formula, mut others, literals, .. } = self.states[state].clone();
        let environment = &self.environments[number];
        let step = &work.steps[environment.by][environment.step];
        let tracked = others.get(&environment.by).copied();
        if tracked.is_some_and(|at| at != step.from) {
            return Ok(None);
        }
        let touches = |predicate: usize| !self.variables[thread][predicate].is_disjoint(&environment.updated);
        if tracked.is_none() && !literals.iter().any(|(predicate, _)| touches(*predicate)) {
            // Nothing that is known of the state can change.
            return Ok(None);
        }
        let here = work.space.at(ThreadId(thread as u32), point);
        let before = [&here, &formula, &environment.short];
        let Some(after) = self.literals_after(work, thread, &before, &environment.updated, &literals)? else {
            return Ok(None);
        };
        if tracked.is_some() {
            let environment = &self.environments[number];
            others.insert(environment.by, work.steps[environment.by][environment.step].to);
        }
        self.add(work, thread, point, others, after, Parent::Environment(state, number))
    }

    /// Adds a state unless a known one has it, and looks for errors that it takes part in.
    fn add(
        &mut self,
        work: &mut Work<'_>,
        thread: usize,
        point: PointId,
        others: Others,
        literals: BTreeSet<(usize, bool)>,
        parent: Parent,
    ) -> Result<Option<ErrorTuple>, SolverError> {
        let known = |state: &&usize| {
            let state = &self.states[**state];
            state.point == point && state.others == others && state.literals.is_subset(&literals)
        };
        if self.of_thread[thread].iter().find(known).is_some() {
            return Ok(None);
        }
        let literal = |(predicate, truth): &(usize, bool)| {
            let predicate = work.predicates.states[thread][*predicate].clone();
            if *truth { predicate } else { predicate.not() }
        };
        let formula = Term::all(literals.iter().map(literal)).and(at_all(work.space, &others));
        self.states.push(AbstractState { thread, point, others, literals, formula, parent });
        let new = self.states.len() - 1;
        self.of_thread[thread].push(new);
        self.queue.push_back(Item::State(new));
        self.error_with(work, new)
    }

    /// An error in which the state takes part, with states of the other threads that it speaks of.
    fn error_with(&mut self, work: &mut Work<'_>, state: usize) -> Result<Option<ErrorTuple>, SolverError> {
        for case in 0..work.space.errors.len() {
            let mut threads: Vec<usize> = work.space.errors[case].threads.iter().map(|t| t.index()).collect();
            if threads.is_empty() {
                threads.push(0);
            }
            if !threads.contains(&self.states[state].thread) {
                continue;
            }
            let mut tuples = vec![Vec::new()];
            for thread in &threads {
                let candidates = match *thread == self.states[state].thread {
                    true => vec![state],
                    false => self.of_thread[*thread].clone(),
                };
                tuples = tuples
                    .into_iter()
                    .flat_map(|tuple: Vec<usize>| candidates.iter().map(move |c| [&tuple[..], &[*c]].concat()))
                    .collect();
            }
            for tuple in tuples {
                if let Some(formula) = self.error_at(work, case, &threads, &tuple)? {
                    return Ok(Some(ErrorTuple { states: tuple, formula }));
                }
            }
        }
        Ok(None)
    }

    fn error_at(
        &mut self,
        work: &mut Work<'_>,
        case: usize,
        threads: &[usize],
        tuple: &[usize],
    ) -> Result<Option<Term>, SolverError> {
        let points: Vec<PointId> = tuple.iter().map(|state| self.states[*state].point).collect();
        let fixed = self.errors.entry((case, points.clone())).or_insert_with(|| {
            let points: Vec<(usize, PointId)> = threads.iter().copied().zip(points).collect();
            let formula = fix_control(work.space, &work.space.errors[case].formula, &points);
            if formula.is_false() { Vec::new() } else { cubes(work.space, &formula) }
        });
        for formula in fixed.clone() {
            let states = tuple.iter().map(|state| &self.states[*state]);
            let at = |state: &AbstractState| work.space.at(ThreadId(state.thread as u32), state.point);
            let points: Vec<Term> = states.clone().map(at).collect();
            let parts: Vec<&Term> =
                [&formula].into_iter().chain(states.map(|state| &state.formula)).chain(&points).collect();
            if agree(&self.states, tuple) && can_hold(work, &parts)? {
                return Ok(Some(formula));
            }
        }
        Ok(None)
    }

    /// The literals that hold after a step: `before` is what is known of the states before it and of the step.
    /// `None` if there is no such step.
    fn literals_after(
        &self,
        work: &mut Work<'_>,
        thread: usize,
        before: &[&Term],
        updated: &BTreeSet<Var>,
        known: &BTreeSet<(usize, bool)>,
    ) -> Result<Option<BTreeSet<(usize, bool)>>, SolverError> {
        let space = work.space;
        let mut literals = BTreeSet::new();
        let mut asked = Vec::new();
        for (number, predicate) in work.predicates.states[thread].iter().enumerate() {
            let same = [true, false].into_iter().find(|truth| known.contains(&(number, *truth)));
            match same.filter(|_| self.variables[thread][number].is_disjoint(updated)) {
                Some(truth) => {
                    literals.insert((number, truth));
                }
                None => {
                    let after = predicate.rename(&|var| if updated.contains(&var) { space.primed(var) } else { var });
                    asked.push((number, after));
                }
            }
        }
        let formulas: Vec<Term> = asked.iter().map(|(_, after)| after.clone()).collect();
        let Work { session, memory, .. } = work;
        let Some(truths) = memory.implied(space, session, before, &formulas)? else { return Ok(None) };
        literals.extend(asked.iter().zip(truths).filter_map(|((number, _), truth)| Some((*number, truth?))));
        Ok(Some(literals))
    }

    /// The proof that the trees are: ⋁ℛ_i and ⋁ℰ_i.
    pub(crate) fn assertions(&self, work: &Work<'_>) -> Assertions {
        let count = work.space.threads.len();
        let mut assertions = Assertions { reach: vec![BTreeMap::new(); count], environment: vec![Vec::new(); count] };
        for state in &self.states {
            let entry = assertions.reach[state.thread].entry(state.point).or_insert(Term::bool(false));
            *entry = entry.or(&state.formula);
        }
        for (thread, environment) in assertions.environment.iter_mut().enumerate() {
            for number in &self.environment_of[thread] {
                let transition = &self.environments[*number];
                environment.push((ThreadId(transition.by as u32), transition.formula.clone()));
            }
            let silent = |other: &usize| work.steps[*other].iter().any(|step| is_silent(work.space, step));
            for other in (0..count).filter(|other| *other != thread && !work.raw).filter(silent) {
                environment.push((ThreadId(other as u32), nothing_shared_changes(work.space)));
            }
        }
        assertions
    }
}

/// That all these threads are at their points.
fn at_all(space: &Space, others: &Others) -> Term {
    Term::all(others.iter().map(|(other, point)| space.at(ThreadId(*other as u32), *point)))
}

/// Whether no state of the tuple knows another one's thread elsewhere.
fn agree(states: &[AbstractState], tuple: &[usize]) -> bool {
    tuple.iter().all(|one| {
        tuple.iter().all(|two| {
            let known = states[*one].others.get(&states[*two].thread);
            known.is_none_or(|point| *point == states[*two].point)
        })
    })
}

/// What a step changes, its thread's control included.
pub(crate) fn updated(space: &Space, step: &Step) -> BTreeSet<Var> {
    let pc = space.threads[step.thread.index()].pc;
    step.updates.iter().map(|(var, _)| *var).chain(step.forgotten.iter().copied()).chain([pc]).collect()
}

/// The guard of a step and the new values of what it changes.
pub(crate) fn effect(space: &Space, step: &Step) -> Term {
    let pc = space.threads[step.thread.index()].pc;
    let mut parts = vec![step.guard.clone(), step.choices_typed(space)];
    for var in updated(space, step).into_iter().filter(|var| *var != pc) {
        if let Some(value) = step.after(space, var) {
            parts.push(space.equation(space.primed(var), &value));
        }
    }
    Term::all(parts)
}

/// Whether the formula only says that some variable does not change.
fn is_frame(space: &Space, part: &Term, updated: &BTreeSet<Var>) -> bool {
    space
        .owned(Owner::Shared)
        .chain(space.variables())
        .any(|var| !updated.contains(&var) && *part == space.equation(space.primed(var), &space.value(var)))
}

/// Whether the first conjunction has all conjuncts of the second.
fn subsumed(strong: &Term, weak: &Term) -> bool {
    weak.conjuncts().iter().all(|part| strong.conjuncts().contains(part))
}

/// The predicate with variables that do not change as they were before.
fn unprime_unchanged(space: &Space, predicate: &Term, updated: &BTreeSet<Var>) -> Term {
    let count = space.count() as u32;
    predicate.rename(&|var| {
        if space.is_primed(var) && !updated.contains(&Var(var.0 - count)) { Var(var.0 - count) } else { var }
    })
}

/// Whether the formulas can hold together; what the solver does not know can.
fn can_hold(work: &mut Work<'_>, formulas: &[&Term]) -> Result<bool, SolverError> {
    let Work { session, memory, space, .. } = work;
    Ok(memory.implied(space, session, formulas, &[])?.is_some())
}

/// Whether the last follows from the others.
fn holds(work: &mut Work<'_>, given: &[&Term], wanted: &Term) -> Result<bool, SolverError> {
    let Work { session, memory, space, .. } = work;
    let truths = memory.implied(space, session, given, std::slice::from_ref(wanted))?;
    Ok(truths.is_none_or(|truths| truths == [Some(true)]))
}
