//! Races: no two threads are about to access the same part of memory, one of them writing, unless both are atomic.

use super::Emitter;
use crate::objects::LeafId;
use std::collections::BTreeMap;
use threadwise_ir::{Property, Region, SharedId, VarRef};

impl Emitter<'_> {
    pub(super) fn race_properties(&mut self) {
        if !self.checks.races {
            return;
        }
        // Neighbouring bit-fields are one location.
        let mut locations: BTreeMap<LeafId, Vec<LeafId>> = BTreeMap::new();
        for &id in &self.visible {
            let leaf = self.objects.leaf(id);
            if !leaf.ty.is_scalar() || !self.accesses.plain.contains(&id) {
                continue;
            }
            let location = |leaf| self.objects.bit_location(self.code, leaf);
            let first = self.objects.object(leaf.object).leaves.iter().find(|&&other| {
                leaf.bit_unit.is_some() && self.objects.leaf(other).bit.is_some() && location(other) == location(id)
            });
            locations.entry(*first.unwrap_or(&id)).or_default().push(id);
        }
        for (first, leaves) in locations {
            let var = |leaf: &LeafId| match self.kept.get(leaf)?.var {
                VarRef::Shared(id) => Some(id),
                VarRef::Local(_) => None,
            };
            let vars: Vec<SharedId> = leaves.iter().filter_map(var).collect();
            let leaf = self.objects.leaf(first);
            let depth = if self.is_vague(leaf.object) { usize::from(self.is_divided(first)) } else { leaf.dims.len() };
            let name = leaf.name.clone();
            if vars.is_empty() {
                continue;
            }
            let span = self.objects.object(leaf.object).span;
            let region = Region { vars, depth, plain: false };
            let has_atomic = leaves.iter().any(|leaf| self.accesses.atomic.contains(leaf));
            if has_atomic {
                let [a, b] = Property::norace_unless_atomic(name, region, span);
                self.program.properties.extend([a, b]);
            } else {
                self.program.properties.push(Property::norace(name, region, span));
            }
        }
    }
}
