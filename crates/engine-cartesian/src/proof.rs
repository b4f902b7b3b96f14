//! The last iterate as a proof.

use crate::refine::Run;
use rustc_hash::FxHashMap;
use threadwise_evidence::{CartesianProof, Product};
use threadwise_ir::{Store, TemplateId};
use threadwise_products::{ProductId, SetId, Union};

/// The last iterate as data.
pub(crate) fn proof(run: &Run<'_, '_, '_>) -> CartesianProof {
    let mut writer = Writer { run, sets: FxHashMap::default(), numbers: Vec::new(), proof: CartesianProof::default() };
    let groups = run.space.groups.iter().filter(|group| group.threads.len() > 1);
    writer.proof.symmetric = groups.map(|group| group.template).collect();
    writer.numbers = run.space.tables.locals.iter().map(|_| FxHashMap::default()).collect();
    writer.proof.locals = run.space.tables.locals.iter().map(|_| Vec::new()).collect();
    let last = run.chain.len();
    let mut stores: Vec<u32> = run.chain.products(last).into_iter().map(|(store, _)| store).collect();
    stores.sort_by_key(|&store| run.space.tables.shared.get(store));
    stores.dedup();
    for store in stores {
        let main = run.chain.main(last, store).map(|product| writer.product(product, false));
        let exceptions = run.chain.exceptions(last, store).map_or(&[][..], Union::products);
        let exceptions: Vec<Product> = exceptions.iter().map(|&product| writer.product(product, true)).collect();
        let words: Store = run.space.tables.shared.get(store).into();
        writer.proof.unions.push((words, main.into_iter().chain(exceptions).collect()));
    }
    writer.proof
}

struct Writer<'r, 's, 'a, 'w> {
    run: &'r Run<'s, 'a, 'w>,
    /// By template and set, the number in the proof.
    sets: FxHashMap<(TemplateId, SetId), u32>,
    /// By template and local state, the number in the proof.
    numbers: Vec<FxHashMap<u32, u32>>,
    proof: CartesianProof,
}

impl Writer<'_, '_, '_, '_> {
    fn product(&mut self, product: ProductId, exception: bool) -> Product {
        let mut components: Vec<(u32, u32)> = Vec::new();
        let mut last_template = None;
        for (group, bag) in self.run.space.algebra.bags(product).into_iter().enumerate() {
            let template = self.run.space.groups[group].template;
            for &(set, count) in self.run.space.algebra.sets_in(bag) {
                let set = self.set(template, set);
                match components.last_mut() {
                    Some(last) if last.1 == set && last_template == Some(template) => last.0 += count,
                    _ => components.push((count, set)),
                }
                last_template = Some(template);
            }
        }
        Product { exception, components }
    }

    fn set(&mut self, template: TemplateId, set: SetId) -> u32 {
        if let Some(&known) = self.sets.get(&(template, set)) {
            return known;
        }
        let locals = self.run.space.algebra.sets.elements(set);
        let mut numbers: Vec<u32> = locals.into_iter().map(|local| self.local(template, local)).collect();
        numbers.sort_unstable();
        let number = self.proof.sets.len() as u32;
        self.proof.sets.push(numbers);
        self.sets.insert((template, set), number);
        number
    }

    fn local(&mut self, template: TemplateId, local: u32) -> u32 {
        let locals = &mut self.proof.locals[template.index()];
        let next = locals.len() as u32;
        let number = *self.numbers[template.index()].entry(local).or_insert(next);
        if number == next {
            locals.push(self.run.space.tables.locals[template.index()].get(local).into());
        }
        number
    }
}
