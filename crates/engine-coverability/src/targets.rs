//! The smallest states that are errors: cores with few members of their crowds.
//!
//! Members that a property cannot tell apart are taken together: of each kind one is tried.

use crate::exact::Instances;
use crate::forward::{Forward, Spot, Stop};
use crate::theory::{is_counted, witnesses};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use threadwise_ir::{
    Domain, Env, Expr, ExprKind, LocalId, LocationId, NoValue, Observations, Pattern, Program, TemplateId, ThreadId,
};
use threadwise_limits::Budget;
use threadwise_tables::Interner;

/// A core, and members of its crowd with which it is an error; more of them make no difference.
pub(crate) type Target = (u32, Vec<u32>);

/// What is to be excluded.
#[derive(Default)]
pub(crate) struct Targets {
    /// States that are errors with any more copies.
    pub(crate) errors: Vec<Target>,
    /// States in which all threads are still. More copies may not be: whether these are there is another question.
    pub(crate) deadlocks: Vec<Target>,
}

/// What a formula looks at.
struct Glance<'a> {
    formula: &'a Expr,
    wrong: bool,
    /// How many of the crowd it takes to violate it.
    witnesses: usize,
    /// For each template whether its copies may be witnesses.
    of_crowd: Vec<bool>,
    /// For each template what is seen of it.
    locations: Vec<Vec<&'a [LocationId]>>,
    locals: Vec<Vec<LocalId>>,
    /// For each template and local state the number of its look.
    looks: FxHashMap<(TemplateId, u32), u32>,
    /// Which combinations violate it: the shared store, what is seen of the core's threads, and of the crowd's.
    known: FxHashMap<Vec<u32>, bool>,
}

impl<'a> Glance<'a> {
    fn new(program: &'a Program, formula: &'a Expr, wrong: bool) -> Glance<'a> {
        let templates = program.templates.len();
        let mut glance = Glance {
            formula,
            wrong,
            witnesses: witnesses(program, formula, wrong).expect("the theory applies"),
            of_crowd: vec![false; templates],
            locations: vec![Vec::new(); templates],
            locals: vec![Vec::new(); templates],
            looks: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        formula.visit(&mut |e| glance.note(program, e));
        glance
    }

    fn note(&mut self, program: &Program, e: &'a Expr) {
        match &e.kind {
            ExprKind::At(thread, locations) => self.locations[thread.template.index()].push(locations),
            ExprKind::LocalOf(thread, local) => self.locals[thread.template.index()].push(*local),
            ExprKind::Quantified(_, binder, _) => {
                for template in (0..program.templates.len() as u32).map(TemplateId) {
                    let ranges = match &binder.domain {
                        Domain::Copies(over) => *over == template,
                        Domain::Sort(sort) => sort.mentions_tid(),
                    };
                    self.of_crowd[template.index()] |= ranges && is_counted(program, template);
                }
            }
            _ => {}
        }
    }

    fn look(&mut self, forward: &Forward<'_>, views: &mut Interner, template: TemplateId, local: u32) -> u32 {
        if let Some(&look) = self.looks.get(&(template, local)) {
            return look;
        }
        let instance = &forward.frame.instance;
        let words = forward.tables.locals[template.index()].get(local);
        let location = instance.location_of(words);
        let mut seen = vec![i64::from(template.0)];
        seen.extend(self.locations[template.index()].iter().map(|at| i64::from(at.binary_search(&location).is_ok())));
        let body = instance.program.template(template).body;
        for var in &self.locals[template.index()] {
            seen.extend_from_slice(&words[instance.local_range(body, *var)]);
        }
        let look = views.intern(&seen);
        self.looks.insert((template, local), look);
        look
    }
}

/// Members by what can be told apart.
type Kinds = Vec<Vec<u32>>;

/// Looks for errors in all cores.
pub(crate) fn targets(forward: &mut Forward<'_>, budget: &Budget) -> Result<Targets, Stop> {
    let mut found = Targets::default();
    for (core, member) in &forward.failures {
        found.errors.push((*core, member.iter().copied().collect()));
    }
    let program = forward.frame.instance.program.clone();
    let mut search = TargetSearch {
        glances: program.formulas().map(|(_, formula, wrong)| Glance::new(&program, formula, wrong)).collect(),
        views: Interner::default(),
        instances: Instances::default(),
        most_signs: program.patterns().map(|(_, pattern)| pattern.signs().len()).max().unwrap_or(0),
        of_all_threads: program.patterns().any(|(_, pattern)| pattern.is_of_all_threads()),
    };
    for core in 0..forward.core_count() as u32 {
        budget.check()?;
        let spot = forward.spot(core);
        search.formulas(forward, core, &spot, &mut found)?;
        if search.most_signs > 0 || search.of_all_threads {
            search.patterns(forward, core, &spot, &mut found, budget)?;
        }
    }
    Ok(found)
}

struct TargetSearch<'a> {
    glances: Vec<Glance<'a>>,
    views: Interner,
    instances: Instances,
    most_signs: usize,
    of_all_threads: bool,
}

impl TargetSearch<'_> {
    fn formulas(&mut self, forward: &Forward<'_>, core: u32, spot: &Spot, found: &mut Targets) -> Result<(), Stop> {
        let (views, instances) = (&mut self.views, &mut self.instances);
        for glance in &mut self.glances {
            let mut kinds: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for member in forward.crowds[core as usize].iter() {
                let (template, local) = forward.members[member as usize];
                if glance.of_crowd[template.index()] {
                    kinds.entry(glance.look(forward, views, template, local)).or_default().push(member);
                }
            }
            let looks: Vec<u32> = kinds.keys().copied().collect();
            let kinds: Kinds = kinds.into_values().collect();
            let mut key = vec![spot.shared];
            for (&thread, &local) in spot.threads.iter().zip(&spot.locals) {
                let template = forward.frame.instance.threads[thread].template;
                key.push(glance.look(forward, views, template, local));
            }
            let most = glance.witnesses;
            let violates = &mut |chosen: &[usize]| {
                key.truncate(1 + spot.threads.len());
                key.extend(chosen.iter().map(|&kind| looks[kind]));
                if let Some(&known) = glance.known.get(&key) {
                    return Ok(known);
                }
                let crowd: Vec<u32> = chosen.iter().map(|&kind| kinds[kind][0]).collect();
                let (instance, state) = instances.state(forward, spot, &crowd);
                let violates = match Env::of_state(&instance, &state.shared, &state.locals).holds(glance.formula) {
                    Ok(truth) => truth == glance.wrong,
                    Err(NoValue::Fault(..)) => true,
                    Err(NoValue::Gap(gap)) => return Err(Stop::Gap(gap)),
                };
                glance.known.insert(key.clone(), violates);
                Ok(violates)
            };
            for chosen in smallest(kinds.len(), most, violates)? {
                found.errors.extend(members_of(&kinds, &chosen).into_iter().map(|members| (core, members)));
            }
        }
        Ok(())
    }

    fn patterns(
        &mut self,
        forward: &mut Forward<'_>,
        core: u32,
        spot: &Spot,
        found: &mut Targets,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let of_core: Vec<Option<u32>> = (0..spot.threads.len())
            .map(|at| forward.tables.entry(spot.threads[at], spot.shared, spot.locals[at]).shown)
            .collect();
        let mut kinds: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
        for member in forward.crowds[core as usize].clone().iter() {
            let (template, local) = forward.members[member as usize];
            let thread = forward.nameless(spot, template);
            kinds.entry(forward.tables.entry(thread, spot.shared, local).shown).or_default().push(member);
        }
        let shown: Vec<Option<u32>> = kinds.keys().copied().collect();
        let kinds: Kinds = kinds.into_values().collect();
        let (program, places) = (forward.frame.instance.program.clone(), forward.frame.instance.threads.len());
        let observations = |number: &Option<u32>| match number {
            Some(number) => forward.tables.observations(*number),
            None => Observations::none(),
        };
        let meets = &mut |chosen: &[usize]| {
            budget.check()?;
            // Who waits for whom is told by places among the threads.
            let mut all = vec![Observations::none(); places];
            for (&thread, number) in spot.threads.iter().zip(&of_core) {
                all[thread] = observations(number);
            }
            all.extend(chosen.iter().map(|&kind| observations(&shown[kind])));
            let met = program.patterns_met(&all).into_iter();
            Ok(met
                .map(|met| met.property)
                .any(|id| program.property(id).pattern().is_some_and(|pattern| !pattern.is_of_all_threads())))
        };
        for chosen in smallest(kinds.len(), self.most_signs, meets)? {
            found.errors.extend(members_of(&kinds, &chosen).into_iter().map(|members| (core, members)));
        }
        if self.of_all_threads {
            self.of_all_threads(forward, core, spot, &kinds, found);
        }
        Ok(())
    }

    /// Whoever is stuck is alone of the crowd: the others of it may be left out. Those who wait around a cycle are referred
    /// to, but for one who waits for a thread that has ended.
    fn of_all_threads(&mut self, forward: &Forward<'_>, core: u32, spot: &Spot, kinds: &Kinds, found: &mut Targets) {
        let alone = std::iter::once(Vec::new()).chain((0..kinds.len()).map(|kind| vec![kind]));
        for chosen in alone {
            let crowd: Vec<u32> = chosen.iter().map(|&kind| kinds[kind][0]).collect();
            let (instance, state) = self.instances.state(forward, spot, &crowd);
            let shown: Vec<Observations> = (0..instance.threads.len() as u32)
                .map(|thread| state.steps(&instance, ThreadId(thread)).shown)
                .collect();
            let met = instance.program.patterns_met(&shown.iter().collect::<Vec<&Observations>>());
            for met in met {
                let targets = members_of(kinds, &chosen).into_iter().map(|members| (core, members));
                match instance.program.property(met.property).pattern() {
                    Some(Pattern::LockCycle) => found.errors.extend(targets),
                    Some(Pattern::Deadlock) => found.deadlocks.extend(targets),
                    Some(Pattern::Signs(_)) | None => {}
                }
            }
        }
    }
}

/// The collections of kinds, of this size at most, that are bad; not those of which it is known from smaller ones.
fn smallest(
    kinds: usize,
    most: usize,
    is_bad: &mut dyn FnMut(&[usize]) -> Result<bool, Stop>,
) -> Result<Vec<Vec<usize>>, Stop> {
    let mut bad = Vec::new();
    let mut good = vec![Vec::new()];
    while let Some(chosen) = good.pop() {
        if is_bad(&chosen)? {
            bad.push(chosen);
        } else if chosen.len() < most {
            let first = chosen.last().copied().unwrap_or(0);
            good.extend((first..kinds).map(|kind| [&chosen[..], &[kind]].concat()));
        }
    }
    Ok(bad)
}

/// All members of these kinds, each collection sorted.
fn members_of(kinds: &Kinds, chosen: &[usize]) -> Vec<Vec<u32>> {
    let choices: Vec<Vec<u32>> = chosen.iter().map(|&kind| kinds[kind].clone()).collect();
    let mut all = crate::forward::product(&choices);
    all.iter_mut().for_each(|members| members.sort_unstable());
    all.sort_unstable();
    all.dedup();
    all
}
