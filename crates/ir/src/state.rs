//! Whole states: where an instance starts, and which properties a state violates.

use crate::choices::{for_each_choice, free_words, restricted};
use crate::eval::{Env, Locals};
use crate::instance::{Instance, Store};
use crate::observe::Observations;
use crate::patience::may_go_on;
use crate::step::Steps;
use crate::{Expr, Fault, Gap, Initial, NoValue, PropertyId, SharedId, Sort, ThreadId, Violated};
use threadwise_source::Span;

/// More initial stores than this are not tried.
const MAX_TRIED: u64 = 1 << 22;

/// A state of an instance.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State {
    pub shared: Store,
    /// Each thread's local state.
    pub locals: Vec<Store>,
}

/// All initial shared stores.
#[derive(Clone, Debug, Default)]
pub struct InitialStores {
    /// The stores, sorted.
    pub stores: Vec<Store>,
    /// Why there may be more.
    pub gap: Option<Gap>,
    /// Errors in the initial values themselves.
    pub faults: Vec<(Fault, Span)>,
    tried: u64,
    wanted: Vec<i64>,
}

/// A property that a state violates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Broken {
    /// An invariant is false, a `never` true, or two threads race.
    Property(PropertyId),
    /// Evaluating the property runs into an error.
    Fault(PropertyId, Fault, Span),
}

impl Instance {
    /// All initial shared stores.
    pub fn initial_stores(&self) -> InitialStores {
        self.initial_stores_toward(&[])
    }

    /// The same, where `wanted` is among the integers that are tried where any may be chosen.
    pub fn initial_stores_toward(&self, wanted: &[i64]) -> InitialStores {
        let mut result = InitialStores { wanted: wanted.to_vec(), ..InitialStores::default() };
        let mut words = vec![0; self.shared_words()];
        self.initialise(0, &mut words, &mut result);
        result.stores.sort_unstable();
        result.stores.dedup();
        result
    }

    /// Whether the program can start with these shared values. They are looked at by themselves, so that it can be
    /// told where there are too many initial stores to list them all.
    pub fn is_initial(&self, shared: &[i64]) -> bool {
        let env = || Env::of_state(self, shared, &crate::eval::NoLocals);
        let starts_so = |(index, var): (usize, &crate::SharedVar)| {
            let words = &shared[self.shared_range(SharedId(index as u32))];
            let is_value = match &var.init {
                Initial::Any => true,
                Initial::Value(e) => env().words(e).is_ok_and(|value| value[..] == *words),
                Initial::Default => {
                    let mut default = vec![0; words.len()];
                    self.write_default(&var.sort, &mut default);
                    default == words
                }
            };
            is_value && self.well_formed(&var.sort, words)
        };
        shared.len() == self.shared_words()
            && self.program.shared.iter().enumerate().all(starts_so)
            && self.program.init.iter().all(|e| env().holds(e) == Ok(true))
    }

    /// Gives the variables from `index` on their initial values, in all ways.
    fn initialise(&self, index: usize, words: &mut Vec<i64>, result: &mut InitialStores) {
        let Some(var) = self.program.shared.get(index) else {
            return self.add_initial(words, result);
        };
        if result.tried >= MAX_TRIED {
            result.gap = result.gap.or(Some(Gap::TooMany(var.span)));
            return;
        }
        if !may_go_on() {
            result.gap = Some(Gap::Interrupted(var.span));
            return;
        }
        let range = self.shared_range(SharedId(index as u32));
        match &var.init {
            Initial::Default => self.write_default(&var.sort, &mut words[range]),
            Initial::Value(e) => {
                let env = &mut Env::of_state(self, words, &crate::eval::NoLocals);
                let value = env.words(e).and_then(|value| self.in_range(&var.sort, value, e.span));
                match value {
                    Ok(value) => words[range].copy_from_slice(&value),
                    Err(stop) => return result.stop(stop),
                }
            }
            Initial::Any => {
                let mut free = Vec::new();
                free_words(self, &var.sort, range.start, &result.wanted, &mut free);
                let free = restricted(free, &result.wanted);
                let mut base = words.clone();
                let gap = for_each_choice(&free, &mut base, var.span, &mut |choice| {
                    self.initialise(index + 1, &mut choice.to_vec(), result);
                    Ok(())
                });
                result.gap = result.gap.or(gap.unwrap_or_default());
                return;
            }
        }
        self.initialise(index + 1, words, result);
    }

    fn in_range(&self, sort: &Sort, value: crate::Words, span: Span) -> Result<crate::Words, NoValue> {
        if self.well_formed(sort, &value) { Ok(value) } else { Err(NoValue::Fault(Fault::Range, span)) }
    }

    fn add_initial(&self, words: &[i64], result: &mut InitialStores) {
        result.tried += 1;
        for e in &self.program.init {
            match Env::of_state(self, words, &crate::eval::NoLocals).holds(e) {
                Ok(true) => {}
                Ok(false) => return,
                Err(stop) => return result.stop(stop),
            }
        }
        result.stores.push(words.into());
    }

    /// Whether the words are a value of the sort.
    pub fn well_formed(&self, sort: &Sort, words: &[i64]) -> bool {
        match sort {
            Sort::Set(element) => {
                let bits = self.count(element);
                words.len() == self.words(sort)
                    && words.iter().enumerate().all(|(i, &word)| {
                        let here = bits.saturating_sub(64 * i).min(64);
                        here == 64 || (word as u64) >> here == 0
                    })
            }
            Sort::Array(_, element) => {
                let size = self.words(element).max(1);
                words.len() == self.words(sort) && words.chunks(size).all(|chunk| self.well_formed(element, chunk))
            }
            scalar => words.len() == 1 && self.contains(scalar, words[0]),
        }
    }

    /// The properties that a state violates. `shown` gives what a thread shows in the state; it is
    /// asked for only where there are patterns.
    pub fn broken_properties(
        &self,
        shared: &[i64],
        locals: &dyn Locals,
        shown: &mut dyn FnMut(ThreadId) -> Observations,
    ) -> Vec<Broken> {
        let mut met = None;
        let mut broken = Vec::new();
        for (property, id) in self.program.properties.iter().zip((0..).map(PropertyId)) {
            broken.extend(match &property.violated {
                Violated::When(e, wrong) => self.broken_formula(id, e, *wrong, shared, locals),
                Violated::By(_) => {
                    let met = met.get_or_insert_with(|| self.patterns_met(shown));
                    met.contains(&id).then_some(Broken::Property(id))
                }
            });
        }
        broken
    }

    fn broken_formula(
        &self,
        id: PropertyId,
        e: &Expr,
        wrong: bool,
        shared: &[i64],
        locals: &dyn Locals,
    ) -> Option<Broken> {
        match Env::of_state(self, shared, locals).holds(e) {
            Ok(truth) => (truth == wrong).then_some(Broken::Property(id)),
            Err(NoValue::Fault(fault, span)) => Some(Broken::Fault(id, fault, span)),
            // Numbers that outgrow 64 bits in a property are reported by `property_gap`.
            Err(NoValue::Gap(_)) => None,
        }
    }

    /// Why the truth of some property in a state is not known.
    pub fn property_gap(&self, shared: &[i64], locals: &dyn Locals) -> Option<Gap> {
        self.program.formulas().find_map(|(_, e, _)| match Env::of_state(self, shared, locals).holds(e) {
            Err(NoValue::Gap(gap)) => Some(gap),
            Ok(_) | Err(NoValue::Fault(..)) => None,
        })
    }

    fn patterns_met(&self, shown: &mut dyn FnMut(ThreadId) -> Observations) -> Vec<PropertyId> {
        let shown: Vec<Observations> = (0..self.threads.len() as u32).map(|thread| shown(ThreadId(thread))).collect();
        let met = self.program.patterns_met(&shown.iter().collect::<Vec<&Observations>>());
        met.into_iter().map(|met| met.property).collect()
    }
}

impl InitialStores {
    fn stop(&mut self, stop: NoValue) {
        match stop {
            NoValue::Gap(gap) => self.gap = self.gap.or(Some(gap)),
            NoValue::Fault(fault, span) => self.faults.push((fault, span)),
        }
    }
}

impl State {
    /// What a thread can do next.
    pub fn steps(&self, instance: &Instance, thread: ThreadId) -> Steps {
        instance.steps(thread, &self.shared, &self.locals[thread.index()])
    }
}
