//! What holds at each point of a thread's code: the facts that hold on every way there.
//!
//! The code of a routine is looked at once for each set of facts that its callers have, so that a procedure which is called
//! with a lock and without it says something useful in both cases. Where there are very many such sets, what they have in
//! common is taken for all of them.

use crate::facts::{SetId, Sets};
use crate::model::Model;
use crate::read::{Written, write};
use crate::transfer::after;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use threadwise_evidence::Fact;
use threadwise_ir::{EdgeId, LocationId, Op, Place, RoutineId, SharedId, TemplateId, VarRef};
use threadwise_limits::{Budget, Limit};

/// For more sets of facts than these a routine is not looked at one by one.
const MOST_CODES: usize = 24;

/// Facts that turned out not to be stable, by thread and location.
pub(crate) type Banned = FxHashSet<(TemplateId, LocationId, Subject)>;

/// What a fact that others may make false is about.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Subject {
    Running(TemplateId),
    Started(TemplateId),
    Names(threadwise_evidence::Element),
    Untouched(SharedId),
}

impl Subject {
    pub(crate) fn of(fact: &Fact) -> Option<Subject> {
        match fact {
            Fact::Running(template, _) => Some(Subject::Running(*template)),
            Fact::Started(template, _) => Some(Subject::Started(*template)),
            Fact::Names(element, _) => Some(Subject::Names(element.clone())),
            Fact::Untouched(var) => Some(Subject::Untouched(*var)),
            Fact::Holds(_) | Fact::Reads(_) | Fact::Free(_) | Fact::Runs | Fact::Touched(_) => None,
        }
    }
}

/// The code of a routine, for callers with the same facts.
pub(crate) struct Code {
    pub routine: RoutineId,
    /// For each location what holds there; nothing where control does not come.
    pub at: Vec<Option<SetId>>,
    pub calls: BTreeMap<EdgeId, usize>,
    pub returns: Option<SetId>,
    callers: Vec<(usize, EdgeId)>,
}

/// All code of a thread.
pub(crate) struct Flow<'a> {
    model: &'a Model<'a>,
    thread: TemplateId,
    banned: &'a Banned,
    /// The facts that others may make false while a procedure runs that does not know of them.
    unsteady: &'a dyn Fn(&Fact) -> bool,
    pub codes: Vec<Code>,
    by_facts: FxHashMap<(RoutineId, SetId), usize>,
    by_routine: FxHashMap<RoutineId, Vec<usize>>,
    open: Vec<(usize, LocationId)>,
}

impl<'a> Flow<'a> {
    /// The facts at all points of a thread.
    pub(crate) fn of(
        model: &'a Model<'a>,
        sets: &mut Sets,
        thread: TemplateId,
        banned: &'a Banned,
        unsteady: &'a dyn Fn(&Fact) -> bool,
        budget: &Budget,
    ) -> Result<Vec<Code>, Limit> {
        let (by_facts, by_routine) = (FxHashMap::default(), FxHashMap::default());
        let mut flow =
            Flow { model, thread, banned, unsteady, codes: Vec::new(), by_facts, by_routine, open: Vec::new() };
        let initial = sets.number(initial(model));
        flow.code(sets, model.program.template(thread).body, initial);
        let mut steps = 0u32;
        while let Some((code, location)) = flow.open.pop() {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(4096) {
                budget.check()?;
            }
            for &edge in &model.program.location(location).edges {
                flow.edge(sets, code, edge);
            }
        }
        Ok(flow.reached())
    }

    fn number(&self, code: usize, location: LocationId) -> usize {
        location.index() - self.model.program.routine(self.codes[code].routine).locations.start as usize
    }

    /// The code of a routine for callers with these facts.
    fn code(&mut self, sets: &mut Sets, routine: RoutineId, facts: SetId) -> usize {
        let entry = self.model.program.routine(routine).entry;
        if let Some(&known) = self.by_facts.get(&(routine, facts)) {
            self.arrive(sets, known, entry, facts);
            return known;
        }
        let known = self.by_routine.entry(routine).or_default();
        let number = match &known[..] {
            [first, ..] if known.len() >= MOST_CODES => *first,
            _ => {
                known.push(self.codes.len());
                let at = vec![None; self.model.program.routine(routine).locations.len()];
                self.codes.push(Code { routine, at, calls: BTreeMap::new(), returns: None, callers: Vec::new() });
                self.codes.len() - 1
            }
        };
        self.by_facts.insert((routine, facts), number);
        self.arrive(sets, number, entry, facts);
        number
    }

    /// These facts hold on one more way to a location.
    fn arrive(&mut self, sets: &mut Sets, code: usize, location: LocationId, facts: SetId) {
        let number = self.number(code, location);
        let is_transient = self.model.program.location(location).transient;
        let may_be_said = |fact: &Fact| {
            let is_banned = |subject| self.banned.contains(&(self.thread, location, subject));
            (is_transient || !matches!(fact, Fact::Free(_))) && !Subject::of(fact).is_some_and(is_banned)
        };
        let facts = sets.filter(facts, may_be_said);
        let before = self.codes[code].at[number];
        let now = before.map_or(facts, |before| sets.meet(before, facts));
        if before != Some(now) {
            self.codes[code].at[number] = Some(now);
            self.open.push((code, location));
        }
    }

    fn edge(&mut self, sets: &mut Sets, code: usize, id: EdgeId) {
        let edge = self.model.program.edge(id);
        let Some(before) = self.codes[code].at[self.number(code, edge.from)] else { return };
        match &edge.op {
            Op::Command(_) => {
                let facts = after(self.model, sets, before, id);
                self.arrive(sets, code, edge.to, facts);
            }
            Op::Call { routine, .. } => {
                let handed_over = sets.filter(before, |fact| fact.locals().next().is_none());
                let callee = self.code(sets, *routine, handed_over);
                self.codes[code].calls.insert(id, callee);
                if !self.codes[callee].callers.contains(&(code, id)) {
                    self.codes[callee].callers.push((code, id));
                }
                self.come_back(sets, code, id);
            }
            Op::Return(_) => {
                let facts =
                    sets.filter(before, |fact| fact.locals().next().is_none() && !matches!(fact, Fact::Free(_)));
                let known = self.codes[code].returns;
                let now = known.map_or(facts, |known| sets.meet(known, facts));
                if known != Some(now) {
                    self.codes[code].returns = Some(now);
                    for (caller, call) in self.codes[code].callers.clone() {
                        self.come_back(sets, caller, call);
                    }
                }
            }
        }
    }

    /// What a caller knows after a call.
    fn come_back(&mut self, sets: &mut Sets, code: usize, id: EdgeId) {
        let edge = self.model.program.edge(id);
        let Op::Call { routine, result, .. } = &edge.op else { return };
        let callee = &self.codes[self.codes[code].calls[&id]];
        let (Some(returns), Some(before)) = (callee.returns, self.codes[code].at[self.number(code, edge.from)]) else {
            return;
        };
        let own = sets.get(before).iter().filter(|fact| self.is_left_alone(*routine, fact));
        let mut facts: Vec<Fact> = own.chain(sets.get(returns)).cloned().collect();
        let to = self.model.program.location(edge.to);
        facts.retain(|fact| {
            let is_dead = fact.locals().any(|local| to.dead.contains(&local));
            !is_dead && !result.as_deref().is_some_and(|place| may_store(place, fact))
        });
        let facts = sets.number(facts);
        self.arrive(sets, code, edge.to, facts);
    }

    /// Whether a fact about the caller's own locals still holds after a call.
    fn is_left_alone(&self, routine: RoutineId, fact: &Fact) -> bool {
        let written = &self.model.written[routine.index()];
        let is_written = |var: VarRef| matches!(var, VarRef::Shared(id) if written.contains(&id));
        let of_status = matches!(fact, Fact::Running(..)) && self.model.status.is_none_or(|s| written.contains(&s));
        let has_locals = fact.locals().next().is_some();
        let is_free = matches!(fact, Fact::Free(_));
        let of_elements = fact.elements().iter().any(|element| is_written(element.var));
        has_locals && !is_free && !of_status && !of_elements && !(self.unsteady)(fact)
    }

    /// The code that the thread runs, the callees after the first of their callers.
    fn reached(mut self) -> Vec<Code> {
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut order = vec![0];
        numbers.insert(0, 0);
        let mut next = 0;
        while let Some(&code) = order.get(next) {
            next += 1;
            let Code { calls, .. } = &self.codes[code];
            for &callee in calls.values() {
                numbers.entry(callee).or_insert_with(|| {
                    order.push(callee);
                    order.len() - 1
                });
            }
        }
        let mut codes: Vec<Option<Code>> = self.codes.drain(..).map(Some).collect();
        let mut take = |code: usize| {
            let mut code = codes[code].take().expect("each is taken once");
            code.calls.values_mut().for_each(|callee| *callee = numbers[callee]);
            code
        };
        order.into_iter().map(&mut take).collect()
    }
}

fn may_store(place: &Place, fact: &Fact) -> bool {
    let write = write(place, Written::Unknown);
    let moves = |local| write.var == VarRef::Local(local);
    let touches = matches!(fact, Fact::Untouched(var) if write.var == VarRef::Shared(*var));
    touches || fact.locals().any(moves) || fact.elements().iter().any(|element| write.may_be(element))
}

/// What holds where a thread begins.
fn initial(model: &Model<'_>) -> Vec<Fact> {
    let startable = model.startable.iter().filter(|_| model.status.is_some());
    let of_threads = startable.flat_map(|&template| [Fact::Running(template, Vec::new()), Fact::Started(template, 0)]);
    of_threads.chain(model.flags.iter().map(|&var| Fact::Untouched(var))).collect()
}
