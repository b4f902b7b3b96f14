//! Proofs that nothing races, from which locks are held and from who runs.
//!
//! # The idea
//!
//! The proof has a set of facts for each point of each thread's code. A fact is about the shared store, the thread and its
//! locals; the judge knows what each kind means:
//!
//! - `Holds(l)`: the thread is the owner of the lock `l`. Where `l` is a `tid`, its owner is its value. Otherwise the owner
//!   is a variable that nobody wrote down: whoever takes the lock becomes the owner, and who gives it back is not any more.
//!   While there is an owner, `l` is not zero.
//! - `Reads(r)`: the thread is in the set `r`. `Free(l)`: `l` is zero.
//! - `Runs`: the thread's status is `RUNS`. `Running(T, x…)`: each copy of `T` with that status is the value of one of
//!   the variables. `Started(T, n)`: at most `n` copies of `T` have a status other than the first.
//!   `Names(x, T)`: the value of `x` is a copy of `T`.
//! - `Untouched(x)`: `x` has its initial value, a constant, and has had it in all states before. `Touched(x)`: in this state
//!   or one before it had another value.
//!
//! Suppose that
//!
//! 1. *initially*: what is said of the point where a thread begins holds in all initial states,
//! 2. *own steps*: each edge leads from where the facts before it hold to where those after it hold,
//! 3. *discipline*: every edge that writes a lock takes it where it is free, and nobody reads, or gives it back where the
//!    thread has it; every edge that writes a set of readers adds the thread where nobody has the lock, or takes it out;
//!    every edge that writes a status starts somebody, or ends the thread itself where that runs,
//! 4. *others*: no edge of another thread makes a fact false.
//!
//! Then at all times each thread's facts hold where it is; inside of its own step a thread is at the points in between.
//! By the discipline nobody else makes `Holds`, `Reads`, `Runs` false: others take a lock only where it is zero, so
//! where there is no owner, and give back only their own; and start and end nobody but those who do not run, or themselves. While a
//! lock for readers and writers is not zero, nobody reads: that holds at first, and whoever takes it, or joins the
//! readers, sees to it. `Free` is said inside of steps only. `Touched` is about the past. The rest is looked at for
//! each edge that starts somebody or writes a variable that such a fact is about.
//!
//! Two threads *exclude* each other at two points where facts cannot hold of both: they are owners of the same lock; one is the owner and the
//! other one reads, or finds the lock free; no copy of `T` runs, and the other one is a copy of `T` that does; a variable is untouched, and was touched.
//! So in point 4 an edge does no harm to whom its thread excludes. And a pattern is not met if for some two of its signs, whoever
//! can show the one and whoever can show the other exclude each other, or show them of different elements. What a thread
//! can show, it shows by an edge of the step that begins where it is. That edge may come later in the step. While the thread
//! goes there alone, others stay where they are, and their facts hold: so it is asked whether what holds *at* the edge of the one
//! excludes what held *since* the step began of the other. Two threads that each own the lock with the same key as the element that they
//! access, in an array of locks, access different elements.
//!
//! A call pushes a frame and a return pops it. The code of a routine is listed once for each set of facts with which it
//! is called; it knows only facts without locals of its callers. These know after the return what the callee says then, and
//! of what they knew before the call those facts about their own locals whose variables the callee does not write. In
//! point 4 nothing excludes the others while it runs.
//!
//! 5. *errors*: assertions follow from the facts before them, and no expression can fail, whatever the values.
//!
//! A proof may be about the program's outline, which does at least what the program does: then everything is looked at there.
//!
//! There is no solver, and no number of copies matters but whether it is one, and for `Started`.

mod discipline;
mod errors;
mod shown;
mod step;
mod text;

use crate::{CheckError, refuted};
use rustc_hash::FxHashMap;
use shown::{Shown, differ_between};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use step::{Started, Step};
use text::Write;
use threadwise_evidence::{CodeFacts, Element, Fact, Key, ProtectionProof};
use threadwise_ir::{
    Copies, Edge, EdgeId, ExprKind, Initial, LocationId, Op, Program, SharedId, Sort, TemplateId, VarRef,
};
use threadwise_limits::Budget;

/// Checks the five points; gives the number of points that the proof speaks of.
pub(crate) fn check(program: &Arc<Program>, proof: &ProtectionProof, budget: &Budget) -> Result<u64, CheckError> {
    proof.validate(program).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let subject = proof.subject(program).ok_or_else(|| refuted("the program has no outline"))?;
    let judge = Judge::new(subject, proof)?;
    errors::initial_values(subject)?;
    let shown = Shown::new(&judge)?;
    let mut found = Found { shown, breakers: BTreeSet::new(), resting: BTreeSet::new(), kept: BTreeSet::new() };
    for (index, codes) in proof.threads.iter().enumerate() {
        let thread = TemplateId(index as u32);
        judge.begins(thread, codes)?;
        let inside = judge.inside_of_steps(codes);
        for (number, code) in codes.iter().enumerate() {
            budget.check()?;
            judge.code(thread, codes, code, inside[number], &mut found)?;
        }
    }
    judge.others_do_no_harm(&found, budget)?;
    found.shown.none_is_met(&judge, budget)?;
    Ok(proof.points())
}

struct Judge<'a> {
    program: &'a Program,
    proof: &'a ProtectionProof,
    /// For each routine the shared variables that it and those that it calls may write.
    written: Vec<BTreeSet<SharedId>>,
    /// Whether two sets of facts exclude each other, of these threads.
    excluded: RefCell<FxHashMap<(u32, TemplateId, u32, TemplateId), bool>>,
}

/// A point of a thread.
struct Place<'a> {
    thread: TemplateId,
    facts: &'a [Fact],
    /// The numbers of the facts there, and of those where the step began.
    at: u32,
    since: u32,
    /// A step begins there.
    at_once: bool,
}

/// Stands for no facts.
const NOTHING: u32 = u32::MAX;

/// What a step does that may make facts of others false.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Harm {
    /// Starts a copy of the template, or of any.
    Starts(Option<TemplateId>),
    /// Writes this element of a variable, or any of it.
    Writes(SharedId, Option<Vec<Key>>),
    /// The same, with another value than the initial one.
    Touches(SharedId),
}

/// What has been seen of all threads.
struct Found {
    shown: Shown,
    /// Who may do harm, where these facts hold, and by which edge.
    breakers: BTreeSet<(TemplateId, u32, Harm, EdgeId)>,
    /// The facts that hold where threads rest.
    resting: BTreeSet<(TemplateId, u32)>,
    /// Those that hold while procedures run that do not know of them.
    kept: BTreeSet<(TemplateId, Fact)>,
}

impl<'a> Judge<'a> {
    fn new(program: &'a Program, proof: &'a ProtectionProof) -> Result<Judge<'a>, CheckError> {
        let locks = proof.locks.iter().all(|lock| discipline::locks_are_locks(program, lock));
        let status = proof.status.is_none_or(|status| discipline::status_is_status(program, status));
        if !locks || !status {
            return Err(refuted("a variable that is no lock or no status is taken for one"));
        }
        Ok(Judge { program, proof, written: written(program), excluded: RefCell::default() })
    }

    fn wrong(&self, edge: &Edge, what: &str) -> CheckError {
        let source = &self.program.source;
        refuted(format!("{what}: `{}` at {}", source.snippet(edge.span, 80), source.locate(edge.span)))
    }

    fn set(&self, number: u32) -> &'a [Fact] {
        if number == NOTHING { &[] } else { &self.proof.sets[number as usize] }
    }

    /// The number of a location in its routine.
    fn number(&self, code: &CodeFacts, location: LocationId) -> usize {
        location.index() - self.program.routine(code.routine).locations.start as usize
    }

    /// The facts at a location that control comes to.
    fn at(&self, code: &CodeFacts, location: LocationId) -> Result<&'a [Fact], CheckError> {
        let set = code.at[self.number(code, location)];
        let place = || self.program.source.locate(self.program.location(location).span);
        set.map(|set| self.set(set)).ok_or_else(|| refuted(format!("nothing is said about {}", place())))
    }

    /// The value that a variable has at first, if that is a constant.
    fn initial(&self, var: SharedId) -> Option<i64> {
        let var = &self.program.shared[var.index()];
        match (&var.init, &var.sort) {
            (_, Sort::Set(_) | Sort::Array(..)) | (Initial::Any, _) => None,
            (Initial::Default, Sort::Range(lo, _)) => Some(*lo),
            (Initial::Default, _) => Some(0),
            (Initial::Value(e), _) => match e.kind {
                ExprKind::Const(word) => Some(word),
                _ => None,
            },
        }
    }

    /// Point 1.
    fn begins(&self, thread: TemplateId, codes: &[CodeFacts]) -> Result<(), CheckError> {
        let template = self.program.template(thread);
        let Some(code) = codes.first() else {
            let is_nobody = template.copies == Copies::Exactly(0);
            return if is_nobody { Ok(()) } else { Err(refuted(format!("nothing is said about `{}`", template.name))) };
        };
        let entry = self.program.routine(template.body).entry;
        let holds = |fact: &Fact| match fact {
            Fact::Running(..) | Fact::Started(..) => self.proof.status.is_some(),
            Fact::Untouched(var) => self.initial(*var).is_some(),
            Fact::Holds(_) | Fact::Reads(_) | Fact::Free(_) | Fact::Runs | Fact::Names(..) | Fact::Touched(_) => false,
        };
        match self.at(code, entry)?.iter().all(holds) && code.since[self.number(code, entry)].is_none() {
            true => Ok(()),
            false => Err(refuted(format!("what is said of the beginning of `{}` need not hold", template.name))),
        }
    }

    /// Which of the codes run inside of steps of their callers.
    fn inside_of_steps(&self, codes: &[CodeFacts]) -> Vec<bool> {
        let mut inside = vec![false; codes.len()];
        loop {
            let before = inside.clone();
            for (number, code) in codes.iter().enumerate() {
                for (edge, callee) in &code.calls {
                    let from = self.program.location(self.program.edge(*edge).from);
                    inside[*callee as usize] |= inside[number] || from.transient;
                }
            }
            if inside == before {
                return inside;
            }
        }
    }

    /// Points 2, 3 and 5 for the code of a routine; notes what the other points need.
    fn code(
        &self,
        thread: TemplateId,
        codes: &[CodeFacts],
        code: &'a CodeFacts,
        inside: bool,
        found: &mut Found,
    ) -> Result<(), CheckError> {
        for (id, location) in self.program.locations_of(code.routine) {
            let number = self.number(code, id);
            let Some(at) = code.at[number] else { continue };
            let facts = self.set(at);
            if !location.transient {
                found.resting.insert((thread, at));
                if facts.iter().any(|fact| matches!(fact, Fact::Free(_))) {
                    return Err(refuted("that a lock is free is said where others can take it"));
                }
            }
            let since = match (inside, location.transient) {
                (true, _) => NOTHING,
                (false, true) => code.since[number].unwrap_or(NOTHING),
                (false, false) => at,
            };
            let place = Place { thread, facts, at, since, at_once: !inside && !location.transient };
            for &id in &location.edges {
                self.edge(&place, codes, code, inside, id, found)?;
            }
        }
        Ok(())
    }

    fn edge(
        &self,
        place: &Place<'a>,
        codes: &[CodeFacts],
        code: &'a CodeFacts,
        inside: bool,
        id: EdgeId,
        found: &mut Found,
    ) -> Result<(), CheckError> {
        let edge = self.program.edge(id);
        self.goes_well(place.thread, place.facts, edge)?;
        found.shown.note(self, place, id.0, edge);
        match &edge.op {
            Op::Command(command) => {
                let step = Step::new(self, place.facts, command, self.program.location(edge.to));
                self.keeps_discipline(&step, place.facts, edge)?;
                if !self.at(code, edge.to)?.iter().all(|fact| step.holds_after(fact)) {
                    return Err(self.wrong(edge, "what is said after a step need not hold"));
                }
                self.began(place, code, edge)?;
                let starts = step.started().map(|started| match started {
                    Started::Copy(template) => Harm::Starts(Some(template)),
                    Started::Somebody => Harm::Starts(None),
                });
                let writes = step.writes.iter().flat_map(|write| self.harm(write));
                found.breakers.extend(starts.into_iter().chain(writes).map(|harm| (place.thread, place.at, harm, id)));
                Ok(())
            }
            Op::Call { .. } => self.call(place, codes, code, inside, id, found),
            Op::Return(_) => {
                let returns = code.returns.map(|set| self.set(set));
                let holds = |fact: &Fact| fact.locals().next().is_none() && follows(place.facts, fact);
                match returns.is_some_and(|facts| facts.iter().all(holds)) {
                    true => Ok(()),
                    false => Err(self.wrong(edge, "what is said after a return need not hold")),
                }
            }
        }
    }

    /// What is said of where the step began holds there, too, if the step goes on.
    fn began(&self, place: &Place<'a>, code: &CodeFacts, edge: &Edge) -> Result<(), CheckError> {
        let Some(since) = code.since[self.number(code, edge.to)] else { return Ok(()) };
        let known = self.set(place.since);
        match self.set(since).iter().all(|fact| follows(known, fact)) {
            true => Ok(()),
            false => Err(self.wrong(edge, "what is said of the beginning of a step need not hold")),
        }
    }

    /// What a write may do to facts of others.
    fn harm(&self, write: &Write<'_>) -> Vec<Harm> {
        let VarRef::Shared(var) = write.var else { return Vec::new() };
        let keys = write.element.as_ref().map(|element| element.keys.clone());
        let touches = self.initial(var).is_none_or(|initial| write.constant() != Some(initial));
        let touches = touches.then_some(Harm::Touches(var));
        [Harm::Writes(var, keys)].into_iter().chain(touches).collect()
    }

    fn call(
        &self,
        place: &Place<'a>,
        codes: &[CodeFacts],
        code: &'a CodeFacts,
        inside: bool,
        id: EdgeId,
        found: &mut Found,
    ) -> Result<(), CheckError> {
        let edge = self.program.edge(id);
        let Op::Call { routine, result, .. } = &edge.op else { unreachable!("this is a call") };
        let called = code.calls.binary_search_by_key(&id, |call| call.0);
        let Ok(called) = called else { return Err(self.wrong(edge, "nothing is said about a call")) };
        let callee = &codes[code.calls[called].1 as usize];
        let entry = self.program.routine(*routine).entry;
        let enters = |fact: &Fact| fact.locals().next().is_none() && follows(place.facts, fact);
        let begins = callee.since[self.number(callee, entry)].is_none();
        if !begins || !self.at(callee, entry)?.iter().all(enters) {
            return Err(self.wrong(edge, "what is said of the beginning of a procedure need not hold"));
        }
        let Some(returns) = callee.returns else { return Ok(()) };
        let to = self.program.location(edge.to);
        let stores = result.as_deref().map(|place| Write::to_place(place, None));
        let is_kept = |fact: &Fact| self.is_kept(place.facts, returns, &self.written[routine.index()], fact);
        let is_stored = |fact: &Fact| stores.as_ref().is_some_and(|write| self.may_store(write, fact));
        let is_dead = |fact: &Fact| fact.locals().any(|local| to.dead.contains(&local));
        let is_free = |fact: &Fact| matches!(fact, Fact::Free(_));
        let holds = |fact: &Fact| is_kept(fact) && !is_stored(fact) && !is_dead(fact) && !is_free(fact);
        let after = self.at(code, edge.to)?;
        let over_the_call = after.iter().filter(|fact| fact.locals().next().is_some());
        found.kept.extend(over_the_call.map(|fact| (place.thread, fact.clone())));
        if !after.iter().all(holds) || code.since[self.number(code, edge.to)].is_some() {
            return Err(self.wrong(edge, "what is said after a call need not hold"));
        }
        let inside = inside || self.program.location(edge.from).transient;
        self.result(place.thread, callee, inside, id, returns, found)
    }

    /// Facts without locals hold if the callee says so. Others hold if they did before, and the callee leaves alone what they
    /// are about.
    fn is_kept(&self, before: &[Fact], returns: u32, written: &BTreeSet<SharedId>, fact: &Fact) -> bool {
        if fact.locals().next().is_none() {
            return follows(self.set(returns), fact);
        }
        let is_left = |var: VarRef| !matches!(var, VarRef::Shared(id) if written.contains(&id));
        let of_status = match fact {
            Fact::Running(..) => self.proof.status.is_some_and(|status| !written.contains(&status)),
            _ => true,
        };
        let elements_left = fact.elements().iter().all(|element| is_left(element.var));
        of_status && elements_left && follows(before, fact)
    }

    /// Whether storing a result may make a fact false. Locks and statuses get no results.
    fn may_store(&self, write: &Write<'_>, fact: &Fact) -> bool {
        let by_key = |element: &Element| element.locals().any(|local| write.var == VarRef::Local(local));
        let of_element = |element: &Element| write.may_be(element) || by_key(element);
        let touched = matches!(fact, Fact::Untouched(var) if write.var == VarRef::Shared(*var));
        touched || fact.elements().iter().any(of_element)
    }

    /// The return from a call stores its result.
    fn result(
        &self,
        thread: TemplateId,
        callee: &'a CodeFacts,
        inside: bool,
        call: EdgeId,
        returns: u32,
        found: &mut Found,
    ) -> Result<(), CheckError> {
        let edge = self.program.edge(call);
        let Op::Call { result: Some(result), .. } = &edge.op else { return Ok(()) };
        let write = Write::to_place(result, None);
        let is_lock = |id: SharedId| {
            let of_lock = self.proof.locks.iter().any(|lock| lock.owner == id || lock.readers == Some(id));
            of_lock || self.proof.status == Some(id)
        };
        if matches!(write.var, VarRef::Shared(id) if is_lock(id)) {
            return Err(self.wrong(edge, "a lock or a status gets the result of a call"));
        }
        let harm = self.harm(&write).into_iter().map(|harm| (thread, returns, harm, call));
        found.breakers.extend(harm);
        for (id, location) in self.program.locations_of(callee.routine) {
            let Some(at) = callee.at[self.number(callee, id)] else { continue };
            let returns_here = location.edges.iter().any(|&e| matches!(self.program.edge(e).op, Op::Return(_)));
            if returns_here {
                let at_once = !inside && !location.transient;
                let since = if at_once { at } else { NOTHING };
                let place = Place { thread, facts: self.set(at), at, since, at_once };
                found.shown.note_result(self, &place, call.0, edge);
            }
        }
        Ok(())
    }

    /// Whether there may be two different threads, a copy of each.
    fn may_both_be(&self, a: TemplateId, b: TemplateId) -> bool {
        a != b || !matches!(self.program.template(a).copies, Copies::Single | Copies::Exactly(0 | 1))
    }

    /// Whether different threads cannot be where these facts hold of the one and those of the other.
    fn exclude(&self, a: u32, of_a: TemplateId, b: u32, of_b: TemplateId) -> bool {
        *self.excluded.borrow_mut().entry((a, of_a, b, of_b)).or_insert_with(|| {
            let (facts, others) = (self.set(a), self.set(b));
            self.excludes(facts, others, of_b) || self.excludes(others, facts, of_a)
        })
    }

    fn excludes(&self, facts: &[Fact], others: &[Fact], of_others: TemplateId) -> bool {
        let has = |fact: &Fact| others.binary_search(fact).is_ok();
        facts.iter().any(|fact| match fact {
            Fact::Holds(lock) => {
                let reads = |readers| Fact::Reads(Element { var: VarRef::Shared(readers), keys: lock.keys.clone() });
                let of_lock = self.proof.locks.iter().filter(|known| VarRef::Shared(known.owner) == lock.var);
                let mut readers = of_lock.filter_map(|known| known.readers);
                is_fixed(lock) && (has(fact) || readers.any(|readers| has(&reads(readers))))
            }
            Fact::Running(template, among) => among.is_empty() && *template == of_others && has(&Fact::Runs),
            Fact::Untouched(var) => has(&Fact::Touched(*var)),
            Fact::Free(lock) => is_fixed(lock) && has(&Fact::Holds(lock.clone())),
            Fact::Reads(_) | Fact::Runs | Fact::Started(..) | Fact::Names(..) | Fact::Touched(_) => false,
        })
    }

    /// Point 4.
    fn others_do_no_harm(&self, found: &Found, budget: &Budget) -> Result<(), CheckError> {
        let mut by_fact: FxHashMap<About, Vec<(TemplateId, u32, &Harm, EdgeId)>> = FxHashMap::default();
        for (thread, at, harm, edge) in &found.breakers {
            by_fact.entry(About::of(harm)).or_default().push((*thread, *at, harm, *edge));
        }
        let resting = found.resting.iter().flat_map(|&(thread, at)| self.set(at).iter().map(move |f| (thread, at, f)));
        // Whoever runs a procedure may be anywhere in it.
        let kept = found.kept.iter().map(|(thread, fact)| (*thread, NOTHING, fact));
        for (count, (thread, at, fact)) in resting.chain(kept).enumerate() {
            if count % 4096 == 0 {
                budget.check()?;
            }
            let breakers = about(fact).into_iter().flat_map(|about| by_fact.get(&about).into_iter().flatten());
            for &(other, there, harm, edge) in breakers {
                let apart = !self.may_both_be(thread, other) || self.exclude(at, thread, there, other);
                if !apart && breaks(harm, fact) {
                    let name = &self.program.template(thread).name;
                    let what = format!("a step may make false what is said of `{name}`");
                    return Err(self.wrong(self.program.edge(edge), &what));
                }
            }
        }
        Ok(())
    }
}

/// What facts and harm are about, to find the ones for the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    Starts,
    Variable(SharedId),
}

impl About {
    fn of(harm: &Harm) -> About {
        match harm {
            Harm::Starts(_) => About::Starts,
            Harm::Writes(var, _) | Harm::Touches(var) => About::Variable(*var),
        }
    }
}

fn about(fact: &Fact) -> Vec<About> {
    let variables = fact.elements().iter().filter_map(|element| match element.var {
        VarRef::Shared(var) => Some(About::Variable(var)),
        VarRef::Local(_) => None,
    });
    match fact {
        Fact::Running(..) => variables.chain([About::Starts]).collect(),
        Fact::Started(..) => vec![About::Starts],
        Fact::Names(..) => variables.collect(),
        Fact::Untouched(var) => vec![About::Variable(*var)],
        Fact::Holds(_) | Fact::Reads(_) | Fact::Free(_) | Fact::Runs | Fact::Touched(_) => Vec::new(),
    }
}

/// Whether what another thread does may make a fact false.
fn breaks(harm: &Harm, fact: &Fact) -> bool {
    let is_written = |elements: &[Element], var: SharedId, keys: &Option<Vec<Key>>| {
        let differs = |element: &Element| {
            keys.as_ref().is_some_and(|keys| keys.iter().zip(&element.keys).any(|(a, b)| differ_between(*a, *b)))
        };
        elements.iter().any(|element| element.var == VarRef::Shared(var) && !differs(element))
    };
    match (harm, fact) {
        (Harm::Starts(started), Fact::Running(template, _) | Fact::Started(template, _)) => {
            started.is_none_or(|started| started == *template)
        }
        (Harm::Writes(var, keys), Fact::Running(..) | Fact::Names(..)) => is_written(fact.elements(), *var, keys),
        (Harm::Touches(var), Fact::Untouched(about)) => var == about,
        _ => false,
    }
}

/// Whether all threads mean the same element.
fn is_fixed(element: &Element) -> bool {
    element.keys.iter().all(|key| matches!(key, Key::Number(_) | Key::Thread(_)))
}

/// Whether a fact is among others, or weaker than one of them.
fn follows(facts: &[Fact], fact: &Fact) -> bool {
    match fact {
        Fact::Running(template, among) => {
            find_running(facts, *template).is_some_and(|known| known.iter().all(|element| among.contains(element)))
        }
        Fact::Started(template, most) => find_started(facts, *template).is_some_and(|known| known <= *most),
        _ => facts.binary_search(fact).is_ok(),
    }
}

/// The variables of the running copies of a template, if something is said about them.
fn find_running(facts: &[Fact], template: TemplateId) -> Option<&[Element]> {
    facts.iter().find_map(|fact| match fact {
        Fact::Running(of, among) if *of == template => Some(&among[..]),
        _ => None,
    })
}

/// How many copies of a template have been started at most, if that is said.
fn find_started(facts: &[Fact], template: TemplateId) -> Option<u32> {
    facts.iter().find_map(|fact| match fact {
        Fact::Started(of, most) if *of == template => Some(*most),
        _ => None,
    })
}

/// For each routine the shared variables that it and those that it calls may write.
fn written(program: &Program) -> Vec<BTreeSet<SharedId>> {
    let mut written = vec![BTreeSet::new(); program.routines.len()];
    let mut calls = Vec::new();
    for edge in program.edges.iter() {
        let routine = program.location(edge.from).routine.index();
        let vars: Vec<VarRef> = match &edge.op {
            Op::Command(command) => text::writes(command).iter().map(|write| write.var).collect(),
            Op::Call { routine: callee, result, .. } => {
                calls.push((routine, callee.index()));
                result.iter().map(|place| place.var).collect()
            }
            Op::Return(_) => Vec::new(),
        };
        written[routine].extend(vars.into_iter().filter_map(|var| match var {
            VarRef::Shared(id) => Some(id),
            VarRef::Local(_) => None,
        }));
    }
    loop {
        let mut changed = false;
        for &(caller, callee) in &calls {
            let new: Vec<SharedId> = written[callee].difference(&written[caller]).copied().collect();
            changed |= !new.is_empty();
            written[caller].extend(new);
        }
        if !changed {
            return written;
        }
    }
}
