//! Proofs by a set of states.
//!
//! # The idea
//!
//! Suppose a set of states
//!
//! 1. contains every initial state,
//! 2. contains every state to which a step leads from one of its states,
//! 3. contains no state that is an error.
//!
//! Then, by induction on the number of steps, every reachable state is in the set, and so no
//! reachable state is an error. Whether the set contains states that cannot be reached is beside
//! the point.
//!
//! An error of a state is a step that can go wrong in it or a property that it violates. Where the
//! semantics leaves a *gap*, that is, where it cannot list all successors or tell the truth of a
//! property, points 2 and 3 cannot be checked, and the proof is refused.
//!
//! # Symmetry
//!
//! A proof may name threads whose copies are interchangeable. It then means, with each state, also
//! the states that differ from it by a permutation of these copies. Permutations map initial
//! states to initial states, steps to steps, and errors to errors; that is what `ir` promises of
//! the threads that [`Program::symmetry`] returns, and the checker asks it, not the proof. So it is
//! enough to check the three points for one state of each kind, and "contains" may be read as
//! "contains up to a permutation".
//!
//! To compare up to a permutation, every state is brought into a canonical form first
//! ([`Space::canonical`]): those of the proof, whatever representatives it chose, the initial ones
//! and the successors. The canonical form of a state is some permutation of it, whatever the
//! canonical form does beyond that. So if it failed to bring two equivalent states together, a
//! proof could be refused wrongly, but never accepted wrongly.
//!
//! Symmetry also saves work inside a state: where swapping two copies leaves the state as it is,
//! the steps of one of them are enough ([`Space::first_like`]).
//!
//! # Folding
//!
//! A proof may leave out points that no property and no other thread can tell from where control goes on. Whether
//! it may is checked first ([`folding`]); the three points are then about the folded program.
//!
//! # What it does not cover
//!
//! A set of states is about a fixed number of threads. It proves nothing about `thread W[*]`.

use crate::glance::Sights;
use crate::patterns::tells_elements_apart;
use crate::space::{Moves, Space, Tuple};
use crate::{CheckError, folding, refuted};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{ReachableSet, show_state};
use threadwise_ir::{Env, Instance, NoValue, Observations, Program, PropertyId, Symmetry, TemplateId, ThreadId};
use threadwise_limits::Budget;

/// States between two questions to the budget.
const PATIENCE: u64 = 1024;

/// Checks the three points; gives the number of states in the set.
pub(crate) fn check(program: &Arc<Program>, set: &ReachableSet, budget: &Budget) -> Result<u64, CheckError> {
    number_of_threads_is_fixed(program)?;
    symmetry_is_admitted(program, &set.symmetric)?;
    let instance = Instance::new(program.clone(), 0);
    set.validate(&instance).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    folding::is_admitted(program, &set.folding)?;
    let instance = Instance::new(Arc::new(set.folding.apply(program)), 0);

    let mut judge = Judge::new(&instance, set, budget);
    let states = judge.canonical_states(set)?;
    judge.contains_all_initial_states(&states)?;
    let by_elements = tells_elements_apart(program);
    for state in &states {
        judge.ask_budget(states.len())?;
        let first_like = judge.space.first_like(state);
        // A thread that is like another one does the same, up to a permutation, but shows it of other elements.
        let whose = |thread: usize| if by_elements { thread } else { first_like[thread] };
        let moves: Vec<_> = (0..first_like.len()).map(|thread| judge.space.moves(state, whose(thread))).collect();
        judge.is_no_error(state, &moves)?;
        judge.contains_all_successors(&states, state, &first_like, &moves)?;
    }
    Ok(states.len() as u64)
}

fn number_of_threads_is_fixed(program: &Program) -> Result<(), CheckError> {
    if program.has_any_copies() {
        return Err(refuted("a set of states covers only a fixed number of copies, not `[*]`"));
    }
    Ok(())
}

pub(crate) fn symmetry_is_admitted(program: &Program, claimed: &[TemplateId]) -> Result<(), CheckError> {
    let admitted = match program.symmetry() {
        Symmetry::Among(templates) => templates,
        Symmetry::Broken(_) if claimed.is_empty() => return Ok(()),
        Symmetry::Broken(why) => {
            return Err(refuted(format!("copies of threads are not interchangeable: {why}")));
        }
    };
    for (index, template) in claimed.iter().enumerate() {
        if !admitted.contains(template) || claimed[..index].contains(template) {
            let name = program.templates.get(template.index()).map_or("?", |template| &*template.name);
            return Err(refuted(format!("the proof permutes copies of `{name}`, which are not interchangeable")));
        }
    }
    Ok(())
}

type States = FxHashSet<Tuple>;

struct Judge<'a> {
    instance: &'a Instance,
    space: Space<'a>,
    symmetric: &'a [TemplateId],
    has_formulas: bool,
    has_patterns: bool,
    sights: Sights<'a>,
    budget: &'a Budget,
    work: u64,
}

impl<'a> Judge<'a> {
    fn new(instance: &'a Instance, set: &'a ReachableSet, budget: &'a Budget) -> Judge<'a> {
        let program = &*instance.program;
        Judge {
            instance,
            space: Space::new(instance, &set.symmetric),
            symmetric: &set.symmetric,
            has_formulas: program.formulas().next().is_some(),
            has_patterns: program.patterns().next().is_some(),
            sights: Sights::new(program),
            budget,
            work: 0,
        }
    }

    /// Counts a piece of work, and now and then asks whether it may go on.
    fn ask_budget(&mut self, total: usize) -> Result<(), CheckError> {
        self.work += 1;
        if self.work.is_multiple_of(PATIENCE) {
            self.budget.check()?;
            self.budget.report(|| format!("checking the proof: {total} states"));
        }
        Ok(())
    }

    /// The states of the proof in the checker's own numbers and canonical form.
    fn canonical_states(&mut self, set: &ReachableSet) -> Result<States, CheckError> {
        let shared: Vec<u32> = set.shared.iter().map(|store| self.space.shared_number(store)).collect();
        let mut locals: Vec<Vec<u32>> = Vec::new();
        for states in &set.locals {
            locals.push(states.iter().map(|local| self.space.local_number(local)).collect());
        }
        let mut states = States::default();
        for row in set.rows(self.instance) {
            self.ask_budget(states.len())?;
            let local =
                |(&index, thread): (&u32, &threadwise_ir::Thread)| locals[thread.template.index()][index as usize];
            let mut tuple = vec![shared[row[0] as usize]];
            tuple.extend(row[1..].iter().zip(&self.instance.threads).map(local));
            self.space.canonical(&mut tuple);
            states.insert(tuple.into());
        }
        Ok(states)
    }

    /// Point 1.
    fn contains_all_initial_states(&mut self, states: &States) -> Result<(), CheckError> {
        let initial = self.instance.initial_stores();
        if let Some((fault, span)) = initial.faults.first() {
            let place = self.instance.program.source.locate(*span);
            return Err(refuted(format!("the initial values are in error at {place}: {fault:?}")));
        }
        if let Some(gap) = initial.gap {
            return Err(refuted(self.gap_text("the initial values", gap)));
        }
        for shared in &initial.stores {
            let starts = self.starts(shared)?;
            let shared = self.space.shared_number(shared);
            self.contains_all_starts(states, shared, &starts)?;
        }
        Ok(())
    }

    /// The local states in which each thread can start, sorted.
    fn starts(&mut self, shared: &[i64]) -> Result<Vec<Vec<u32>>, CheckError> {
        let mut all = Vec::new();
        for thread in 0..self.instance.threads.len() {
            let steps = self.instance.starts(ThreadId(thread as u32), shared);
            let name = self.instance.tid_name(thread as i64 + 1);
            if let Some(failure) = steps.failures.first() {
                let place = self.instance.program.source.locate(failure.span);
                return Err(refuted(format!("{name} goes wrong at its start, at {place}")));
            }
            if let Some(gap) = steps.gap {
                return Err(refuted(self.gap_text(&format!("the start of {name}"), gap)));
            }
            let numbers = steps.successors.iter().map(|start| self.space.local_number(&start.local));
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.sort_unstable();
            numbers.dedup();
            all.push(numbers);
        }
        Ok(all)
    }

    /// Goes through the combinations of starts like an odometer. Copies of a symmetric thread start
    /// alike, and permuting them permutes the initial stores among themselves; so combinations in
    /// which their starts ascend are enough.
    fn contains_all_starts(&mut self, states: &States, shared: u32, starts: &[Vec<u32>]) -> Result<(), CheckError> {
        if starts.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let mut wheels = vec![0; starts.len()];
        loop {
            self.ask_budget(states.len())?;
            let mut tuple = vec![shared];
            tuple.extend(wheels.iter().zip(starts).map(|(&wheel, starts)| starts[wheel]));
            let initial = tuple.clone();
            self.space.canonical(&mut tuple);
            if !states.contains(tuple.as_slice()) {
                return Err(refuted(format!("the initial state\n  {}\nis not in the set", self.shown(&initial))));
            }
            let Some(turned) = (0..wheels.len()).rev().find(|&i| wheels[i] + 1 < starts[i].len()) else {
                return Ok(());
            };
            wheels[turned] += 1;
            for index in turned + 1..wheels.len() {
                wheels[index] = if self.follows_its_like(index) && starts[index] == starts[index - 1] {
                    wheels[index - 1]
                } else {
                    0
                };
            }
        }
    }

    /// Whether the thread is a copy of the same symmetric thread as the one before it.
    fn follows_its_like(&self, thread: usize) -> bool {
        let template = self.instance.threads[thread].template;
        self.symmetric.contains(&template) && self.instance.copies_of(template).start < thread
    }

    /// Point 2. Threads that are like an earlier one have the same successors, up to a permutation.
    fn contains_all_successors(
        &mut self,
        states: &States,
        state: &[u32],
        first_like: &[usize],
        moves: &[Rc<Moves>],
    ) -> Result<(), CheckError> {
        let mut successor = state.to_vec();
        for thread in (0..first_like.len()).filter(|&thread| first_like[thread] == thread) {
            for &(shared, local) in &moves[thread].successors {
                successor.copy_from_slice(state);
                (successor[0], successor[1 + thread]) = (shared, local);
                self.space.canonical(&mut successor);
                if !states.contains(successor.as_slice()) {
                    successor.copy_from_slice(state);
                    (successor[0], successor[1 + thread]) = (shared, local);
                    return Err(self.not_closed(state, thread, &successor));
                }
            }
        }
        Ok(())
    }

    /// Point 3. The moves are those of each thread, or of the one that it is like.
    fn is_no_error(&mut self, state: &[u32], moves: &[Rc<Moves>]) -> Result<(), CheckError> {
        if let Some(thread) = moves.iter().position(|moves| moves.is_bad) {
            return Err(self.bad_step(state, thread));
        }
        if self.has_patterns {
            let shown: Vec<&Observations> = moves.iter().map(|moves| &moves.shown).collect();
            if let Some(met) = self.instance.program.patterns_met(&shown).first() {
                return Err(self.violates(state, met.property));
            }
        }
        // The formulas have the same values in states that look the same to them.
        if !self.has_formulas || !self.sights.is_new(self.instance, self.space.locals(), state) {
            return Ok(());
        }
        self.instance.program.formulas().try_for_each(|(id, formula, wrong)| {
            let view = self.space.view(state);
            match Env::of_state(self.instance, self.space.shared_words(state[0]), &view).holds(formula) {
                Ok(truth) if truth != wrong => Ok(()),
                Ok(_) | Err(NoValue::Fault(..)) => Err(self.violates(state, id)),
                Err(NoValue::Gap(gap)) => Err(refuted(self.gap_text("a property", gap))),
            }
        })
    }

    fn violates(&self, state: &[u32], property: PropertyId) -> CheckError {
        let program = &self.instance.program;
        let text = program.source.snippet(program.property(property).span, 80);
        refuted(format!("the state\n  {}\nviolates `{text}`", self.shown(state)))
    }

    fn shown(&self, tuple: &[u32]) -> String {
        show_state(self.instance, &self.space.state(tuple))
    }

    fn gap_text(&self, what: &str, gap: threadwise_ir::Gap) -> String {
        let place = self.instance.program.source.locate(gap.span());
        format!("{what} cannot be judged: {}, at {place}", gap.describe())
    }

    fn bad_step(&self, tuple: &[u32], thread: usize) -> CheckError {
        let name = self.instance.tid_name(thread as i64 + 1);
        let steps = self.space.state(tuple).steps(self.instance, ThreadId(thread as u32));
        match (steps.failures.first(), steps.gap) {
            (Some(failure), _) => {
                let source = &self.instance.program.source;
                let (place, text) = (source.locate(failure.span), source.snippet(failure.span, 80));
                refuted(format!("in the state\n  {}\n{name} goes wrong at {place}: `{text}`", self.shown(tuple)))
            }
            (None, Some(gap)) => refuted(self.gap_text(&format!("a step of {name}"), gap)),
            (None, None) => refuted(format!("in the state\n  {}\n{name} goes wrong", self.shown(tuple))),
        }
    }

    fn not_closed(&self, tuple: &[u32], thread: usize, successor: &[u32]) -> CheckError {
        let name = self.instance.tid_name(thread as i64 + 1);
        let (from, to) = (self.space.state(tuple), self.space.state(successor));
        let steps = from.steps(self.instance, ThreadId(thread as u32));
        let step = steps.successors.iter().find(|s| s.shared == to.shared && s.local == to.locals[thread]);
        let edge = step.and_then(|step| step.path.first()).map(|edge| self.instance.program.edge(*edge).span);
        let source = &self.instance.program.source;
        let what = edge.map_or_else(String::new, |span| {
            format!(", by `{}` at {},", source.snippet(span, 80), source.locate(span))
        });
        let (from, to) = (self.shown(tuple), self.shown(successor));
        refuted(format!(
            "the set is not closed: from the state\n  {from}\n{name}{what} reaches\n  {to}\nwhich is not in it"
        ))
    }
}
