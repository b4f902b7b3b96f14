//! Which states violate a property, found once for all states that look alike to the properties.
//!
//! A property sees of a local state only whether it is at certain labels, and certain variables.
//! Local states that agree on these have the same *view*; whether a state is good depends on its
//! shared store and its threads' views only.

use crate::{Entry, Interner, StepTables};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use threadwise_ir::{
    Env, ExprKind, Gap, Instance, LocalId, Locals, LocationId, NoValue, Observations, Pattern, TemplateId,
};

/// Above this many remembered states the memory starts anew.
const MAX_REMEMBERED: usize = 1 << 20;

/// After this many questions it is seen whether remembering pays.
const TRIAL: u64 = 1 << 14;

const ABSENT: u32 = u32::MAX;

/// In the place of the number of what a thread shows: nothing.
const NOTHING: u32 = u32::MAX;

/// What properties see of a template's local states.
#[derive(Default)]
struct Lens {
    labels: Vec<Vec<LocationId>>,
    locals: Vec<LocalId>,
}

/// Remembers which combinations of views are good.
pub struct PropertyMemo<'a> {
    instance: &'a Instance,
    lenses: Vec<Lens>,
    sees_shared: bool,
    has_formulas: bool,
    /// Whether some property is violated by a pattern.
    has_patterns: bool,
    views: Interner,
    /// For each template and local state its view.
    view_of: Vec<Vec<u32>>,
    good: FxHashSet<Box<[u32]>>,
    /// No pattern is met where fewer threads than this show something.
    fewest: usize,
    /// Whether it matters who shows what: then those that show nothing have their places, too.
    of_all_threads: bool,
    /// What the threads of the state at hand show to patterns.
    shown: Vec<u32>,
    /// What threads may show together without meeting a pattern, by the numbers of the tables.
    strangers: FxHashSet<Box<[u32]>>,
    key: Vec<u32>,
    asked: u64,
    known: u64,
}

/// What a state is to the properties.
pub enum Judgement {
    Good,
    Broken,
    Gap(Gap),
}

impl<'a> PropertyMemo<'a> {
    pub fn new(instance: &'a Instance) -> PropertyMemo<'a> {
        let mut memo = PropertyMemo {
            instance,
            lenses: instance.program.templates.iter().map(|_| Lens::default()).collect(),
            sees_shared: false,
            has_formulas: false,
            has_patterns: instance.program.patterns().next().is_some(),
            views: Interner::default(),
            view_of: vec![Vec::new(); instance.program.templates.len()],
            good: FxHashSet::default(),
            fewest: instance.program.patterns().map(|(_, pattern)| fewest(instance, pattern)).min().unwrap_or(0),
            of_all_threads: instance.program.patterns().any(|(_, pattern)| pattern.is_of_all_threads()),
            shown: Vec::new(),
            strangers: FxHashSet::default(),
            key: Vec::new(),
            asked: 0,
            known: 0,
        };
        for (_, e, _) in instance.program.formulas() {
            memo.has_formulas = true;
            e.walk(&mut |e| memo.look(&e.kind));
        }
        memo
    }

    fn look(&mut self, e: &ExprKind) {
        match e {
            ExprKind::Read(_) | ExprKind::ReadAfter(_) => self.sees_shared = true,
            ExprKind::At(thread, locations) => self.lenses[thread.template.index()].labels.push(locations.to_vec()),
            ExprKind::LocalOf(thread, local) => self.lenses[thread.template.index()].locals.push(*local),
            // These see nothing of a state beside what their parts see.
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(..)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => {}
        }
    }

    /// Judges a state by the invariants and `never` properties.
    pub fn judge(&mut self, state: &[u32], tables: &StepTables<'_>) -> Judgement {
        if !self.has_formulas {
            return Judgement::Good;
        }
        if self.asked >= TRIAL && self.known < self.asked / 4 {
            // Hardly two states look alike to the properties: remembering costs more than it saves.
            return self.evaluate(None, state, tables);
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push(if self.sees_shared { state[0] } else { 0 });
        for (thread, &local) in state[1..].iter().enumerate() {
            key.push(self.view(self.instance.threads[thread].template, local, tables));
        }
        self.asked += 1;
        let judgement = if self.good.contains(&key[..]) {
            self.known += 1;
            Judgement::Good
        } else {
            self.evaluate(Some(&key), state, tables)
        };
        self.key = key;
        judgement
    }

    /// Whether the threads meet a pattern in a state.
    #[inline]
    pub fn meets_pattern(&mut self, state: &[u32], tables: &mut StepTables<'_>) -> bool {
        if !self.has_patterns {
            return false;
        }
        let entries: SmallVec<[Entry; 16]> =
            (0..self.instance.threads.len()).map(|thread| tables.entry(thread, state[0], state[thread + 1])).collect();
        self.entries_meet_pattern(&entries, tables)
    }

    /// The same for threads of which it is known what each can do.
    #[inline]
    pub fn entries_meet_pattern(&mut self, entries: &[Entry], tables: &StepTables<'_>) -> bool {
        if !self.has_patterns {
            return false;
        }
        let mut shown = std::mem::take(&mut self.shown);
        shown.clear();
        let mut showing = 0;
        for entry in entries {
            match entry.shown {
                Some(number) => {
                    shown.push(number);
                    showing += 1;
                }
                None if self.of_all_threads => shown.push(NOTHING),
                None => {}
            }
        }
        let meets = self.meet(&shown, showing, tables);
        self.shown = shown;
        meets
    }

    /// Whether threads that show these meet a pattern; so many of them show something.
    fn meet(&mut self, shown: &[u32], showing: usize, tables: &StepTables<'_>) -> bool {
        if showing < self.fewest || self.strangers.contains(shown) {
            return false;
        }
        let observations = |&number: &u32| match number {
            NOTHING => Observations::none(),
            number => tables.observations(number),
        };
        let observations: Vec<&Observations> = shown.iter().map(observations).collect();
        if !self.instance.program.patterns_met(&observations).is_empty() {
            return true;
        }
        if self.strangers.len() >= MAX_REMEMBERED {
            self.strangers.clear();
        }
        self.strangers.insert(shown.into());
        false
    }

    fn evaluate(&mut self, key: Option<&[u32]>, state: &[u32], tables: &StepTables<'_>) -> Judgement {
        let shared = tables.shared.get(state[0]);
        let locals = InternedLocals { instance: self.instance, state, tables };
        let mut gap = None;
        for (_, formula, wrong) in self.instance.program.formulas() {
            match Env::of_state(self.instance, shared, &locals).holds(formula) {
                Ok(truth) if truth != wrong => {}
                Ok(_) | Err(NoValue::Fault(..)) => return Judgement::Broken,
                Err(NoValue::Gap(found)) => gap = gap.or(Some(found)),
            }
        }
        if let Some(gap) = gap {
            return Judgement::Gap(gap);
        }
        if let Some(key) = key {
            if self.good.len() >= MAX_REMEMBERED {
                self.good.clear();
            }
            self.good.insert(key.into());
        }
        Judgement::Good
    }

    fn view(&mut self, template: TemplateId, local: u32, tables: &StepTables<'_>) -> u32 {
        let views = &mut self.view_of[template.index()];
        if let Some(&view) = views.get(local as usize)
            && view != ABSENT
        {
            return view;
        }
        let words = tables.locals[template.index()].get(local);
        let lens = &self.lenses[template.index()];
        let location = self.instance.location_of(words);
        let mut seen: Vec<i64> = lens.labels.iter().map(|at| at.binary_search(&location).is_ok() as i64).collect();
        let routine = self.instance.program.template(template).body;
        for &var in &lens.locals {
            seen.extend_from_slice(&words[self.instance.local_range(routine, var)]);
        }
        let view = self.views.intern(&seen);
        if views.len() <= local as usize {
            views.resize(local as usize + 1, ABSENT);
        }
        views[local as usize] = view;
        view
    }
}

/// How many threads show something at least where they meet a pattern.
fn fewest(instance: &Instance, pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Signs(signs) => signs.len(),
        Pattern::Deadlock => instance.threads.len().max(1),
        Pattern::LockCycle => 1,
    }
}

/// The local states of an interned state.
pub struct InternedLocals<'s, 't> {
    pub instance: &'s Instance,
    pub state: &'s [u32],
    pub tables: &'s StepTables<'t>,
}

impl Locals for InternedLocals<'_, '_> {
    fn local(&self, thread: usize) -> &[i64] {
        let template = self.instance.threads[thread].template.index();
        self.tables.locals[template].get(self.state[thread + 1])
    }
}
