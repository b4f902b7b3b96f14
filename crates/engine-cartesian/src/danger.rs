//! Which states of a product are errors.
//!
//! An error is a thread whose next step can go wrong, two threads that race, threads that wait for ever, or a property
//! that does not hold. What is needed are answers about whole products: is there an error in it, which products
//! of errors are in it, and which local states of which threads have a part in one.

use crate::condition::{Condition, Cube, Literal, condition};
use crate::space::{Space, Stop, forget_if_large};
use crate::waiting::{Held, Waiting};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use threadwise_ir::deadlock::{STILL, STUCK};
use threadwise_ir::{Env, ExprKind, Gap, Instance, Locals, NoValue, PropertyId, TemplateId, Violated};
use threadwise_products::{ProductId, SetId};

/// More combinations of what a condition can tell apart than this are not tried.
const MOST_COMBINATIONS: usize = 1 << 20;

/// What is asked of a thread.
struct Predicate {
    template: Option<TemplateId>,
    thread: Option<usize>,
    test: Test,
}

enum Test {
    /// Its next step can go wrong.
    Fails,
    /// It shows a sign of the pattern of a property, of an element.
    Shows(PropertyId, u32, u32),
    Literals(Vec<Literal>),
}

/// A cube with its predicates by number.
struct Pattern {
    shared: Vec<Literal>,
    roles: Vec<usize>,
}

/// A condition on states, ready to be asked about products.
pub(crate) struct Danger {
    predicates: Vec<Predicate>,
    patterns: Vec<Pattern>,
    /// Conditions that are no cubes, and whether an expression without a value counts.
    others: Vec<(threadwise_ir::Expr, bool, bool)>,
    /// By predicate, group and store: the local states that were tried, and those that satisfy it.
    satisfied: FxHashMap<(usize, usize, u32), (SetId, SetId)>,
    /// By predicate, node of a product's tree, first group below it, and store.
    slots: FxHashMap<(usize, ProductId, usize, u32), Rc<[Slot]>>,
    shared: FxHashMap<(usize, u32), bool>,
    others_in: FxHashMap<(usize, u32, ProductId), Rc<[ProductId]>>,
    /// Patterns of all threads.
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) waiting_in: FxHashMap<(usize, u32, ProductId), Rc<[ProductId]>>,
    /// By property, group, store and set.
    pub(crate) held: FxHashMap<(PropertyId, usize, u32, SetId), Rc<Held>>,
    /// The properties with patterns of elements, and how many signs each has.
    of_elements: FxHashMap<PropertyId, u32>,
    /// The elements for which there are patterns.
    elements: FxHashSet<(PropertyId, u32)>,
    /// By group and store: the local states in which it is known which elements are shown.
    noted: FxHashMap<(usize, u32), SetId>,
}

/// Some threads of a group that have the same set, part of which satisfies a predicate.
#[derive(Clone, Copy)]
struct Slot {
    group: usize,
    set: SetId,
    count: u32,
    satisfying: SetId,
}

impl Danger {
    /// All errors.
    pub(crate) fn of_program(instance: &Instance) -> Danger {
        let mut danger = Danger::nothing();
        danger.add_pattern(vec![Predicate { template: None, thread: None, test: Test::Fails }], Vec::new());
        for (property, id) in instance.program.properties.iter().zip((0..).map(PropertyId)) {
            match &property.violated {
                Violated::When(e, wrong) => danger.add(condition(instance, e, *wrong), true),
                Violated::By(threadwise_ir::Pattern::Signs(signs)) => {
                    if signs.iter().any(|sign| sign.region().depth > 0) {
                        danger.of_elements.insert(id, signs.len() as u32);
                    } else {
                        danger.add_meeting(id, signs.len() as u32, 0);
                    }
                }
                Violated::By(threadwise_ir::Pattern::Deadlock) => {
                    let still = danger.add_predicate(Test::Shows(id, STILL, 0));
                    let stuck = danger.add_predicate(Test::Shows(id, STUCK, 0));
                    danger.waiting.push(Waiting::Deadlock { still, stuck });
                }
                Violated::By(threadwise_ir::Pattern::LockCycle) => danger.waiting.push(Waiting::LockCycle(id)),
            }
        }
        danger
    }

    /// The states that the program's `exceptions` describe.
    pub(crate) fn of_exceptions(instance: &Instance) -> Danger {
        let mut danger = Danger::nothing();
        for e in &instance.program.exceptions {
            danger.add(condition(instance, e, true), false);
        }
        danger
    }

    /// No states.
    pub(crate) fn nothing() -> Danger {
        Danger {
            predicates: Vec::new(),
            patterns: Vec::new(),
            others: Vec::new(),
            satisfied: FxHashMap::default(),
            slots: FxHashMap::default(),
            shared: FxHashMap::default(),
            others_in: FxHashMap::default(),
            waiting: Vec::new(),
            waiting_in: FxHashMap::default(),
            held: FxHashMap::default(),
            of_elements: FxHashMap::default(),
            elements: FxHashSet::default(),
            noted: FxHashMap::default(),
        }
    }

    fn add(&mut self, condition: Condition, without_value: bool) {
        match condition {
            Condition::Any(e, wanted) => self.others.push((e, wanted, without_value)),
            Condition::Cubes(cubes) => {
                for Cube { shared, roles } in cubes {
                    let predicates = roles.into_iter().map(|role| Predicate {
                        template: Some(role.template),
                        thread: role.thread,
                        test: Test::Literals(role.literals),
                    });
                    self.add_pattern(predicates.collect(), shared);
                }
            }
        }
    }

    /// Different threads show the signs of a pattern, all of this element.
    fn add_meeting(&mut self, property: PropertyId, signs: u32, element: u32) {
        let role = |sign| Predicate { template: None, thread: None, test: Test::Shows(property, sign, element) };
        self.add_pattern((0..signs).map(role).collect(), Vec::new());
    }

    /// Adds patterns for elements that were not met before. Threads meet in an element just if they do in the first
    /// one of those that one of them shows.
    fn note_elements(&mut self, space: &mut Space<'_>, store: u32, product: ProductId) -> Result<(), Stop> {
        if self.of_elements.is_empty() {
            return Ok(());
        }
        for group in 0..space.groups.len() {
            for (set, _) in space.algebra.entries(product, group).to_vec() {
                let noted = self.noted.get(&(group, store)).copied().unwrap_or(SetId::EMPTY);
                let new = space.algebra.sets.difference(set, noted);
                for local in space.algebra.sets.elements(new) {
                    let shown = space.shown(group, store, local)?.clone();
                    for observation in shown.iter() {
                        if let Some(&signs) = self.of_elements.get(&observation.property)
                            && self.elements.insert((observation.property, observation.first))
                        {
                            self.add_meeting(observation.property, signs, observation.first);
                        }
                    }
                }
                let noted = space.algebra.sets.union(noted, new);
                self.noted.insert((group, store), noted);
            }
        }
        Ok(())
    }

    fn add_predicate(&mut self, test: Test) -> usize {
        self.predicates.push(Predicate { template: None, thread: None, test });
        self.predicates.len() - 1
    }

    fn add_pattern(&mut self, predicates: Vec<Predicate>, shared: Vec<Literal>) {
        let first = self.predicates.len();
        let roles = (first..first + predicates.len()).collect();
        self.predicates.extend(predicates);
        self.patterns.push(Pattern { shared, roles });
    }

    /// Whether copies of a thread are all the same to it.
    pub(crate) fn is_symmetric(&self, instance: &Instance) -> bool {
        let pins = |p: &Predicate| p.thread.is_some_and(|t| instance.copies_of(instance.threads[t].template).len() > 1);
        !self.predicates.iter().any(pins) && !self.others.iter().any(|(e, ..)| e.looks_at_threads())
    }

    /// Whether some state of the product is among those meant.
    pub(crate) fn exists(&mut self, space: &mut Space<'_>, store: u32, product: ProductId) -> Result<bool, Stop> {
        self.note_elements(space, store, product)?;
        for pattern in 0..self.patterns.len() {
            if self.shared_holds(space, pattern, store)? && self.can_be_cast(space, pattern, store, product, None)? {
                return Ok(true);
            }
        }
        for other in 0..self.others.len() {
            if !self.other_products(space, other, store, product)?.is_empty() {
                return Ok(true);
            }
        }
        for waiting in 0..self.waiting.len() {
            if !self.waiting_products(space, waiting, store, product)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The states of the product that are among those meant, as products.
    pub(crate) fn products(
        &mut self,
        space: &mut Space<'_>,
        store: u32,
        product: ProductId,
    ) -> Result<Vec<ProductId>, Stop> {
        self.note_elements(space, store, product)?;
        let mut found = BTreeSet::new();
        for pattern in 0..self.patterns.len() {
            if !self.shared_holds(space, pattern, store)? {
                continue;
            }
            let slots = self.all_slots(space, pattern, store, product)?;
            let mut casts = Vec::new();
            for_each_cast(&slots, &mut Vec::new(), &mut |cast| casts.push(cast.to_vec()));
            for cast in casts {
                space.pace.step()?;
                let algebra = &mut space.algebra;
                let part =
                    cast.iter().fold(product, |p, slot| algebra.replace(p, slot.group, slot.set, slot.satisfying));
                found.insert(part);
            }
        }
        for other in 0..self.others.len() {
            found.extend(self.other_products(space, other, store, product)?.iter());
        }
        for waiting in 0..self.waiting.len() {
            found.extend(self.waiting_products(space, waiting, store, product)?.iter());
        }
        Ok(found.into_iter().collect())
    }

    /// For each group the local states that are to be kept out so that no state of the product that is
    /// meant is left, by CART's eager `Extract`: for each product of such states, the components that
    /// have nothing in common with `old`. `None` stands for all local states of all threads.
    pub(crate) fn axes(
        &mut self,
        space: &mut Space<'_>,
        store: u32,
        product: ProductId,
        old: Option<ProductId>,
    ) -> Result<Option<Vec<SetId>>, Stop> {
        self.note_elements(space, store, product)?;
        let threads = space.instance.threads.len();
        let mut axes = vec![SetId::EMPTY; space.groups.len()];
        for pattern in 0..self.patterns.len() {
            if !self.shared_holds(space, pattern, store)? || !self.can_be_cast(space, pattern, store, product, None)? {
                continue;
            }
            if old.is_none() && threads > self.patterns[pattern].roles.len() {
                return Ok(None);
            }
            let slots = self.all_slots(space, pattern, store, product)?;
            for (role, of_role) in slots.iter().enumerate() {
                for slot in of_role {
                    let apart = match old {
                        None => true,
                        Some(old) => {
                            let there = space.algebra.hull(old, slot.group);
                            !space.algebra.sets.meet(there, slot.satisfying)
                        }
                    };
                    if apart && self.can_be_cast(space, pattern, store, product, Some((role, *slot)))? {
                        axes[slot.group] = space.algebra.sets.union(axes[slot.group], slot.satisfying);
                    }
                }
            }
        }
        for other in 0..self.others.len() {
            for &bad in self.other_products(space, other, store, product)?.iter() {
                axes_of(space, bad, old, &mut axes);
            }
        }
        for waiting in 0..self.waiting.len() {
            for &bad in self.waiting_products(space, waiting, store, product)?.iter() {
                axes_of(space, bad, old, &mut axes);
            }
        }
        Ok(Some(axes))
    }

    fn shared_holds(&mut self, space: &Space<'_>, pattern: usize, store: u32) -> Result<bool, Stop> {
        if let Some(&known) = self.shared.get(&(pattern, store)) {
            return Ok(known);
        }
        let mut holds = true;
        for literal in &self.patterns[pattern].shared {
            holds &= literal_holds(space, literal, 0, store, &threadwise_ir::NoLocals)?;
        }
        self.shared.insert((pattern, store), holds);
        Ok(holds)
    }

    /// Whether different threads can be found for all roles; one of them may be given.
    fn can_be_cast(
        &mut self,
        space: &mut Space<'_>,
        pattern: usize,
        store: u32,
        product: ProductId,
        given: Option<(usize, Slot)>,
    ) -> Result<bool, Stop> {
        let mut slots = Vec::new();
        for (index, &role) in self.patterns[pattern].roles.clone().iter().enumerate() {
            slots.push(match given {
                Some((role, slot)) if role == index => vec![slot],
                _ => self.slots_below(space, role, product, (0, space.groups.len()), store)?.to_vec(),
            });
        }
        let mut found = false;
        for_each_cast(&slots, &mut Vec::new(), &mut |_| found = true);
        Ok(found)
    }

    /// For each role all slots.
    fn all_slots(
        &mut self,
        space: &mut Space<'_>,
        pattern: usize,
        store: u32,
        product: ProductId,
    ) -> Result<Vec<Vec<Slot>>, Stop> {
        let mut all = Vec::new();
        for role in self.patterns[pattern].roles.clone() {
            let mut slots = Vec::new();
            for group in 0..space.groups.len() {
                slots.extend(self.slots_in(space, role, product, group, store)?);
            }
            all.push(slots);
        }
        Ok(all)
    }

    fn slots_in(
        &mut self,
        space: &mut Space<'_>,
        role: usize,
        product: ProductId,
        group: usize,
        store: u32,
    ) -> Result<Vec<Slot>, Stop> {
        let mut slots = Vec::new();
        for (set, count) in space.algebra.entries(product, group).to_vec() {
            let satisfying = self.satisfying(space, role, group, store, set)?;
            if !satisfying.is_empty() {
                slots.push(Slot { group, set, count, satisfying });
            }
        }
        Ok(slots)
    }

    /// As many slots as matter to whether the roles can be cast: with as many threads as there are
    /// roles to choose from, there is always one that has no other role.
    fn slots_below(
        &mut self,
        space: &mut Space<'_>,
        role: usize,
        node: ProductId,
        (first, width): (usize, usize),
        store: u32,
    ) -> Result<Rc<[Slot]>, Stop> {
        if width == 0 {
            return Ok(Rc::new([]));
        }
        if let Some(known) = self.slots.get(&(role, node, first, store)) {
            return Ok(known.clone());
        }
        forget_if_large(&mut self.slots);
        let enough = self.patterns.iter().find(|p| p.roles.contains(&role)).map_or(1, |p| p.roles.len()) as u32;
        let slots: Rc<[Slot]> = match space.algebra.halves(node) {
            Ok((left, right)) => {
                let half = width / 2;
                let left = self.slots_below(space, role, left, (first, half), store)?;
                if left.iter().map(|slot| slot.count).sum::<u32>() >= enough {
                    left
                } else {
                    let right = self.slots_below(space, role, right, (first + half, width - half), store)?;
                    if left.is_empty() { right } else { [&left[..], &right[..]].concat().into() }
                }
            }
            Err(bag) => {
                let mut slots = Vec::new();
                for (set, count) in space.algebra.sets_in(bag).to_vec() {
                    let satisfying = self.satisfying(space, role, first, store, set)?;
                    if !satisfying.is_empty() {
                        slots.push(Slot { group: first, set, count, satisfying });
                    }
                }
                slots.into()
            }
        };
        self.slots.insert((role, node, first, store), slots.clone());
        Ok(slots)
    }

    /// The local states of a set that satisfy a predicate.
    pub(crate) fn satisfying(
        &mut self,
        space: &mut Space<'_>,
        predicate: usize,
        group: usize,
        store: u32,
        set: SetId,
    ) -> Result<SetId, Stop> {
        let here = &space.groups[group];
        let Predicate { template, thread, test } = &self.predicates[predicate];
        if template.is_some_and(|t| t != here.template) || thread.is_some_and(|t| !here.threads.contains(&t)) {
            return Ok(SetId::EMPTY);
        }
        let known = self.satisfied.get(&(predicate, group, store)).copied();
        let (tried, mut satisfied) = known.unwrap_or((SetId::EMPTY, SetId::EMPTY));
        let new = space.algebra.sets.difference(set, tried);
        if !new.is_empty() {
            space.pace.step()?;
            let thread = here.threads.start;
            let mut more = Vec::new();
            for local in space.algebra.sets.elements(new) {
                let holds = match test {
                    Test::Fails => space.entry(group, store, local)?.fails,
                    Test::Shows(property, sign, element) => {
                        space.shown(group, store, local)?.show(*property, *sign, *element)
                    }
                    Test::Literals(literals) => {
                        let mut holds = true;
                        for literal in literals {
                            let view = OneThread { thread, local: space.local(thread, local) };
                            holds = holds && literal_holds(space, literal, thread as i64 + 1, store, &view)?;
                        }
                        holds
                    }
                };
                if holds {
                    more.push(local);
                }
            }
            let more = space.algebra.sets.of(more);
            satisfied = space.algebra.sets.union(satisfied, more);
            let tried = space.algebra.sets.union(tried, new);
            self.satisfied.insert((predicate, group, store), (tried, satisfied));
        }
        Ok(space.algebra.sets.intersection(set, satisfied))
    }

    /// The products of states for which a condition holds that is not a cube.
    fn other_products(
        &mut self,
        space: &mut Space<'_>,
        other: usize,
        store: u32,
        product: ProductId,
    ) -> Result<Rc<[ProductId]>, Stop> {
        if let Some(known) = self.others_in.get(&(other, store, product)) {
            return Ok(known.clone());
        }
        forget_if_large(&mut self.others_in);
        let (e, wanted, without_value) = &self.others[other];
        let mut wheels: Vec<Vec<SetId>> = Vec::new();
        for group in 0..space.groups.len() {
            wheels.push(told_apart(space, e, group, product));
        }
        let combinations = wheels.iter().fold(1usize, |n, wheel| n.saturating_mul(wheel.len()));
        if combinations > MOST_COMBINATIONS {
            return Err(Stop::Gap(Gap::TooMany(e.span)));
        }
        let mut found = Vec::new();
        for number in 0..combinations {
            space.pace.step()?;
            let mut rest = number;
            let mut part = product;
            let mut locals = vec![0; space.instance.threads.len()];
            for (group, wheel) in wheels.iter().enumerate() {
                let set = wheel[rest % wheel.len()];
                rest /= wheel.len();
                let all = space.algebra.hull(product, group);
                if set != all {
                    part = space.algebra.replace(part, group, all, set);
                }
                let local = space.algebra.sets.first(set).unwrap_or(0);
                locals[space.groups[group].threads.clone()].fill(local);
            }
            let view = AllThreads { space, locals: &locals };
            let holds = match Env::of_state(space.instance, space.tables.shared.get(store), &view).holds(e) {
                Ok(truth) => truth == *wanted,
                Err(NoValue::Fault(..)) => *without_value,
                Err(NoValue::Gap(gap)) => return Err(Stop::Gap(gap)),
            };
            if holds {
                found.push(part);
            }
        }
        let found: Rc<[ProductId]> = found.into();
        self.others_in.insert((other, store, product), found.clone());
        Ok(found)
    }
}

/// The components of a product of errors that have nothing in common with `old`.
pub(crate) fn axes_of(space: &mut Space<'_>, bad: ProductId, old: Option<ProductId>, axes: &mut [SetId]) {
    for (group, axis) in axes.iter_mut().enumerate() {
        let there = old.map_or(SetId::EMPTY, |old| space.algebra.hull(old, group));
        for (set, _) in space.algebra.entries(bad, group).to_vec() {
            if !space.algebra.sets.meet(set, there) {
                *axis = space.algebra.sets.union(*axis, set);
            }
        }
    }
}

/// Deals the roles out to different threads, in all ways.
fn for_each_cast(slots: &[Vec<Slot>], cast: &mut Vec<Slot>, visit: &mut dyn FnMut(&[Slot])) {
    let Some(choices) = slots.get(cast.len()) else { return visit(cast) };
    for slot in choices {
        let used = cast.iter().filter(|other| (other.group, other.set) == (slot.group, slot.set)).count();
        if (used as u32) < slot.count {
            cast.push(*slot);
            for_each_cast(slots, cast, visit);
            cast.pop();
        }
    }
}

fn literal_holds(
    space: &Space<'_>,
    literal: &Literal,
    tid: i64,
    store: u32,
    threads: &dyn Locals,
) -> Result<bool, Stop> {
    let bound: Vec<i64> = literal.bound.iter().map(|value| value.unwrap_or(tid)).collect();
    let env = Env::of_state(space.instance, space.tables.shared.get(store), threads);
    match env.with_bound(&bound).holds(&literal.e) {
        Ok(truth) => Ok(truth == literal.wanted),
        Err(NoValue::Fault(..)) => unreachable!("cubes are made only of what cannot fail"),
        Err(NoValue::Gap(gap)) => Err(Stop::Gap(gap)),
    }
}

/// The local states of a thread, by what an expression can tell apart.
fn told_apart(space: &mut Space<'_>, e: &threadwise_ir::Expr, group: usize, product: ProductId) -> Vec<SetId> {
    let template = space.groups[group].template;
    let body = space.instance.program.template(template).body;
    let thread = space.groups[group].threads.start;
    let set = space.algebra.hull(product, group);
    let mut classes: Vec<(Vec<i64>, Vec<u32>)> = Vec::new();
    for local in space.algebra.sets.elements(set) {
        let words = space.local(thread, local);
        let location = space.instance.location_of(words);
        let mut view = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::At(thread, locations) if thread.template == template => {
                view.push(locations.binary_search(&location).is_ok() as i64);
            }
            ExprKind::LocalOf(thread, var) if thread.template == template => {
                view.extend_from_slice(&words[space.instance.local_range(body, *var)]);
            }
            _ => {}
        });
        match classes.iter_mut().find(|class| class.0 == view) {
            Some(class) => class.1.push(local),
            None => classes.push((view, vec![local])),
        }
    }
    classes.into_iter().map(|(_, locals)| space.algebra.sets.of(locals)).collect()
}

/// The local state of one thread, for literals that look at that thread only.
struct OneThread<'s> {
    thread: usize,
    local: &'s [i64],
}

impl Locals for OneThread<'_> {
    fn local(&self, thread: usize) -> &[i64] {
        assert_eq!(thread, self.thread, "a literal looks at one thread");
        self.local
    }
}

struct AllThreads<'s, 'a> {
    space: &'s Space<'a>,
    locals: &'s [u32],
}

impl Locals for AllThreads<'_, '_> {
    fn local(&self, thread: usize) -> &[i64] {
        self.space.local(thread, self.locals[thread])
    }
}
