//! Proofs by unions of products in the words of the program: for each value of the shared variables
//! which local states go together.

use crate::annotation::{Spot, View};
use crate::formula::{Formula, conjunction};
use crate::view::{Names, Table, shared_parts};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use threadwise_evidence::{CartesianProof, Product};
use threadwise_ir::{Copies, Instance, LocationId, Program, RoutineId, Store, TemplateId, ThreadId};

/// A proof by unions of products in words.
#[derive(Clone, Debug)]
pub(crate) struct InvariantText {
    /// The shared stores, each with its products.
    pub(crate) stores: Vec<StoreText>,
    /// How many products were left out.
    pub(crate) left_out: u64,
    /// What is said of the shared variables in all stores, if there are several, those that are left out too.
    pub(crate) common: Vec<String>,
    /// What is said of a thread's own variables wherever it is, in all products.
    pub(crate) of_threads: Vec<(String, Vec<String>)>,
}

/// The products of a shared store.
#[derive(Clone, Debug)]
pub(crate) struct StoreText {
    /// `!x`, `turn == 1`; thread identities by their names.
    pub(crate) conjuncts: Vec<String>,
    pub(crate) products: Vec<ProductText>,
}

#[derive(Clone, Debug)]
pub(crate) struct ProductText {
    /// Whether it was kept apart from the abstraction.
    pub(crate) exception: bool,
    pub(crate) components: Vec<ComponentText>,
}

/// What the local states of some threads can be.
#[derive(Clone, Debug)]
pub(crate) struct ComponentText {
    /// `P`, `W[2]`, `W[2..5]`, `3 of W`.
    pub(crate) threads: String,
    /// How many threads that are.
    pub(crate) count: u32,
    /// `@{A, B}`, `@{A, B} with v == 1 or @C`.
    pub(crate) states: String,
    /// The same without what is said of the threads wherever they are.
    pub(crate) own: String,
}

impl StoreText {
    /// `!x && turn == 1`.
    pub(crate) fn shared(&self) -> String {
        conjunction(&self.conjuncts)
    }
}

/// Puts the proof into words. At most so many products are looked at, as long as they have at most so
/// many components together.
pub(crate) fn invariant_text(
    program: &Arc<Program>,
    proof: &CartesianProof,
    most: usize,
    most_components: usize,
) -> InvariantText {
    let instance = Instance::new(program.clone(), 0);
    let mut writer = Writer::new(&instance, proof);
    writer.find_common();
    let of_threads = writer.told_of_threads();
    let mut text = InvariantText { stores: Vec::new(), left_out: 0, common: Vec::new(), of_threads };
    let mut common: Option<Vec<String>> = None;
    let several = proof.unions.iter().filter(|(_, products)| !products.is_empty()).count() > 1;
    let (mut products_left, mut components_left) = (most, most_components);
    for (shared, products) in &proof.unions {
        let mut store = StoreText { conjuncts: writer.shared(shared), products: Vec::new() };
        if several && !products.is_empty() {
            common.get_or_insert_with(|| store.conjuncts.clone()).retain(|known| store.conjuncts.contains(known));
        }
        for product in products {
            if products_left == 0 || components_left < product.components.len() {
                text.left_out += 1;
                continue;
            }
            products_left -= 1;
            components_left -= product.components.len();
            store.products.push(writer.product(product));
        }
        if !store.products.is_empty() {
            text.stores.push(store);
        }
    }
    text.common = common.unwrap_or_default();
    text
}

struct Writer<'a> {
    instance: &'a Instance,
    proof: &'a CartesianProof,
    names: Names,
    /// The places of a routine with the same name.
    places: HashMap<(RoutineId, String), Vec<LocationId>>,
    /// What was found for a template and a set.
    known: HashMap<(TemplateId, u32), Groups>,
    /// What is said of each thread's own variables wherever it is; of all copies together where they can be exchanged.
    common: Vec<Vec<String>>,
}

/// Places, and what holds of a thread's own variables at all of them.
type Groups = Vec<(Vec<String>, Vec<String>)>;

/// With more threads than this nothing is said of each.
const MAX_THREADS: usize = 12;

impl<'a> Writer<'a> {
    fn new(instance: &'a Instance, proof: &'a CartesianProof) -> Writer<'a> {
        let mut places: HashMap<(RoutineId, String), Vec<LocationId>> = HashMap::new();
        for id in in_order(&instance.program) {
            let location = instance.program.location(id);
            if !location.transient {
                places.entry((location.routine, place_name(&instance.program, id))).or_default().push(id);
            }
        }
        Writer {
            instance,
            proof,
            names: Names::of_all(instance),
            places,
            known: HashMap::new(),
            common: vec![Vec::new(); instance.threads.len()],
        }
    }

    /// `!x`, `turn == 1`; thread identities by their names.
    fn shared(&self, shared: &Store) -> Vec<String> {
        if self.instance.program.shared.is_empty() {
            return vec!["(there are no shared variables)".to_string()];
        }
        let parts = shared_parts(self.instance, &self.names).into_iter().map(|part| (0, part)).collect();
        let mut table = Table::new(self.instance, &self.names, parts);
        table.add(&[shared]);
        table.formula().told(usize::MAX)
    }

    fn product(&mut self, product: &Product) -> ProductText {
        let mut components: Vec<ComponentText> = Vec::new();
        let mut first = 0;
        let of_template = |first: usize| self.instance.threads.get(first).map(|thread| thread.template);
        let mut templates = Vec::new();
        for &(count, set) in &product.components {
            templates.push((of_template(first), count, set));
            first += count as usize;
        }
        first = 0;
        for runs in templates.chunk_by(|a, b| a.0 == b.0) {
            let Some(template) = runs[0].0 else { break };
            let is_symmetric = self.proof.symmetric.contains(&template);
            let mut runs: Vec<(u32, u32)> = runs.iter().map(|&(_, count, set)| (count, set)).collect();
            if is_symmetric {
                runs.sort_by_key(|&(_, set)| set);
            }
            for equal in runs.chunk_by(|a, b| a.1 == b.1) {
                let count = equal.iter().map(|&(count, _)| count).sum();
                let threads = if is_symmetric { self.some_of(template, count) } else { self.named(first, count) };
                let groups = self.groups(template, equal[0].1);
                let copies =
                    if is_symmetric { self.instance.copies_of(template) } else { first..first + count as usize };
                let told = &self.common[copies];
                let is_common = |conjunct: &String| told.iter().all(|common| common.contains(conjunct));
                let own: Groups = groups
                    .iter()
                    .map(|(values, places)| {
                        (values.iter().filter(|conjunct| !is_common(conjunct)).cloned().collect(), places.clone())
                    })
                    .collect();
                first += count as usize;
                components.push(ComponentText { threads, count, states: show_groups(&groups), own: show_groups(&own) });
            }
        }
        ProductText { exception: product.exception, components }
    }

    /// `3 of W`.
    fn some_of(&self, template: TemplateId, count: u32) -> String {
        let name = &self.instance.program.template(template).name;
        let all = self.instance.copies_of(template).len() as u32 == count;
        if all { format!("all {count} of {name}") } else { format!("{count} of {name}") }
    }

    /// `P`, `W[2]`, `W[2..5]`.
    fn named(&self, first: usize, count: u32) -> String {
        let thread = &self.instance.threads[first];
        let template = self.instance.program.template(thread.template);
        match template.copies {
            Copies::Single => template.name.to_string(),
            _ if count == 1 => format!("{}[{}]", template.name, thread.copy),
            _ => format!("{}[{}..{}]", template.name, thread.copy, thread.copy + count - 1),
        }
    }

    /// Which sets each thread has in some product, and what they have in common.
    fn find_common(&mut self) {
        if self.instance.threads.len() > MAX_THREADS {
            return;
        }
        let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.instance.threads.len()];
        for product in self.proof.unions.iter().flat_map(|(_, products)| products) {
            let mut first = 0;
            for &(count, set) in &product.components {
                for of in &mut sets[first..first + count as usize] {
                    of.insert(set);
                }
                first += count as usize;
            }
        }
        for thread in 0..sets.len() {
            let template = self.instance.threads[thread].template;
            let exchanged = self.proof.symmetric.contains(&template);
            let alike = if exchanged { self.instance.copies_of(template) } else { thread..thread + 1 };
            let sets: BTreeSet<u32> = sets[alike].iter().flatten().copied().collect();
            let groups: Vec<(Vec<String>, Vec<String>)> =
                sets.into_iter().flat_map(|set| self.groups(template, set)).collect();
            let places = groups.iter().flat_map(|(_, places)| places).collect::<BTreeSet<_>>().len();
            if let Some((first, _)) = groups.first().filter(|_| places > 1) {
                let everywhere = |conjunct: &&String| groups.iter().all(|(values, _)| values.contains(conjunct));
                self.common[thread] = first.iter().filter(everywhere).cloned().collect();
            }
        }
    }

    /// What is said of each thread, or of all copies, wherever it is.
    fn told_of_threads(&self) -> Vec<(String, Vec<String>)> {
        let mut told = Vec::new();
        for (thread, common) in self.common.iter().enumerate().filter(|(_, common)| !common.is_empty()) {
            let template = self.instance.threads[thread].template;
            let copies = self.instance.copies_of(template);
            match self.proof.symmetric.contains(&template) {
                true if copies.start < thread => {}
                true => told.push((format!("each {}", self.instance.program.template(template).name), common.clone())),
                false => told.push((self.named(thread, 1), common.clone())),
            }
        }
        told
    }

    /// Where threads of the template are, and the values of their variables there.
    fn groups(&mut self, template: TemplateId, set: u32) -> Groups {
        if let Some(known) = self.known.get(&(template, set)) {
            return known.clone();
        }
        let locals = &self.proof.locals[template.index()];
        let elements = self.proof.sets[set as usize].iter().map(|&element| &locals[element as usize]);
        let groups = self.places(template, elements);
        self.known.insert((template, set), groups.clone());
        groups
    }

    fn places<'s>(&self, template: TemplateId, locals: impl Iterator<Item = &'s Store>) -> Groups {
        let thread = ThreadId(self.instance.copies_of(template).start as u32);
        let body = self.instance.body(thread);
        let view = View { instance: self.instance, names: &self.names };
        let mut spots: BTreeMap<Spot, Vec<&Store>> = BTreeMap::new();
        for local in locals {
            spots.entry(Spot::of(self.instance, body, local)).or_default().push(local);
        }
        // Places with the same values stand together.
        let mut groups: Vec<(Vec<String>, Vec<&Spot>)> = Vec::new();
        for (spot, locals) in &spots {
            let values = self.values(&view, spot, locals);
            match groups.iter_mut().find(|(known, _)| *known == values) {
                Some((_, places)) => places.push(spot),
                None => groups.push((values, vec![spot])),
            }
        }
        groups.into_iter().map(|(values, spots)| (values, self.place_names(&spots))).collect()
    }

    /// What holds of the local variables at a place.
    fn values(&self, view: &View<'_>, spot: &Spot, locals: &[&Store]) -> Vec<String> {
        // The shared variables, which are the first run, are spoken of elsewhere.
        let parts = view.parts(spot).into_iter().filter(|(run, _)| *run > 0).collect();
        let mut table = Table::new(self.instance, view.names, parts);
        for local in locals {
            let frames: Vec<&[i64]> = self.instance.frames(local).map(|frame| frame.words).collect();
            table.add(&[&[&[][..]], &frames[..]].concat());
        }
        match table.formula() {
            Formula::TooMany(count) => Formula::TooMany(count).told(0),
            formula => formula.told(usize::MAX),
        }
    }

    /// A name that several places have stands for all of them, or is numbered: `critical#2`.
    fn place_names(&self, spots: &[&Spot]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for spot in spots {
            let program = &self.instance.program;
            let mut name = place_name(program, spot.location);
            let key = (program.location(spot.location).routine, name.clone());
            let alike = self.places.get(&key).map_or(&[][..], Vec::as_slice);
            let are_all_here =
                alike.iter().all(|&other| spots.iter().any(|here| here.location == other && here.calls == spot.calls));
            if !are_all_here {
                let number = alike.iter().position(|&other| other == spot.location).map_or(0, |at| at + 1);
                name.push_str(&format!("#{number}"));
            }
            let name = format!("{name}{}", self.calls(spot));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// ` in next called at 20:5`.
    fn calls(&self, spot: &Spot) -> String {
        let program = &self.instance.program;
        let Some(procedure) = spot.procedure else { return String::new() };
        format!(" in {} called at {}", program.routine(procedure).name, spot.called_at(program))
    }
}

/// `@{A, B} with v == 1 or @C`; places with the same values stand together.
fn show_groups(groups: &Groups) -> String {
    let mut joined: Groups = Vec::new();
    for (values, places) in groups {
        match joined.iter_mut().find(|(known, _)| known == values) {
            Some((_, known)) => known.extend(places.iter().cloned()),
            None => joined.push((values.clone(), places.clone())),
        }
    }
    let group = |(values, places): &(Vec<String>, Vec<String>)| {
        let places = if places.len() == 1 { places[0].clone() } else { format!("{{{}}}", places.join(", ")) };
        if values.is_empty() { format!("@{places}") } else { format!("@{places} with {}", conjunction(values)) }
    };
    match groups.is_empty() {
        true => "@{}".to_string(),
        false => joined.iter().map(group).collect::<Vec<_>>().join(" or "),
    }
}

/// The label, or else the position.
fn place_name(program: &Program, location: LocationId) -> String {
    let place = program.location(location);
    match place.labels.first() {
        Some(label) => label.to_string(),
        None if location == program.routine(place.routine).exit => "end".to_string(),
        None => program.source.locate_briefly(place.span),
    }
}

/// The locations in the order in which control comes by them.
fn in_order(program: &Program) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut is_known = vec![false; program.locations.len()];
    let mut pending: Vec<LocationId> = program.routines.iter().map(|routine| routine.entry).collect();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut is_known[location.index()], true) {
            order.push(location);
            pending.extend(program.location(location).edges.iter().rev().map(|&edge| program.edge(edge).to));
        }
    }
    order
}
