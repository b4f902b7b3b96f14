//! Which object of the trace is where in the process.

use crate::build::Symbol;
use std::collections::BTreeMap;
use threadwise_memory::{Atlas, Part, RegionKind};

/// An object of the trace: which region, and which object of a pool.
type Key = (usize, u64);

pub(crate) struct Places<'a> {
    pub(crate) atlas: &'a Atlas,
    /// Where each object that is known begins.
    bound: BTreeMap<Key, u64>,
    /// Which object begins where.
    begins: BTreeMap<u64, Key>,
    /// The regions by their addresses.
    by_address: BTreeMap<i64, usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(atlas: &'a Atlas, symbols: &[Symbol]) -> Places<'a> {
        let by_address = atlas.objects.iter().enumerate().map(|(number, region)| (region.address, number)).collect();
        let mut places = Places { atlas, bound: BTreeMap::new(), begins: BTreeMap::new(), by_address };
        for (number, region) in atlas.objects.iter().enumerate() {
            if !matches!(region.kind, RegionKind::Global | RegionKind::Function) {
                continue;
            }
            let has_name = |symbol: &&Symbol| symbol.name == *region.name;
            let same = atlas.objects.iter().filter(|other| other.kind == region.kind && other.name == region.name);
            // Of variables with the same name nobody knows which is which until they are used.
            if let ([only], 1) = (&symbols.iter().filter(has_name).collect::<Vec<_>>()[..], same.count()) {
                places.bind((number, 0), only.address);
            }
        }
        places
    }

    pub(crate) fn bind(&mut self, key: Key, address: u64) {
        if let Some(old) = self.bound.insert(key, address) {
            self.begins.remove(&old);
        }
        if let Some(other) = self.begins.insert(address, key).filter(|other| *other != key) {
            self.bound.remove(&other);
        }
    }

    /// The object that an address of the trace is in, and how far in it.
    pub(crate) fn key_of(&self, address: i64) -> Option<(Key, u64)> {
        let (start, &number) = self.by_address.range(..=address).next_back()?;
        let region = &self.atlas.objects[number];
        let offset = u64::try_from(address - start).ok()?;
        if offset > region.stride * region.slots {
            return None;
        }
        // One past the end belongs to the last object.
        let slot = (offset / region.stride).min(region.slots - 1);
        Some(((number, slot), offset - slot * region.stride))
    }

    pub(crate) fn is_bound(&self, key: Key) -> bool {
        self.bound.contains_key(&key)
    }

    pub(crate) fn begin_of(&self, key: Key) -> Option<u64> {
        self.bound.get(&key).copied()
    }

    /// Where an address of the trace is in the process.
    pub(crate) fn real(&self, address: i64) -> Option<u64> {
        let (key, offset) = self.key_of(address)?;
        Some(self.bound.get(&key)? + offset)
    }

    /// The object that an address of the process is in, and how far in it.
    pub(crate) fn object_at(&self, address: u64) -> Option<(Key, u64)> {
        let (begin, &key) = self.begins.range(..=address).next_back()?;
        let offset = address - begin;
        (offset < self.atlas.objects[key.0].size).then_some((key, offset))
    }

    /// Whether other threads can see accesses of these bytes, as far as is known.
    pub(crate) fn is_visible(&self, address: u64, size: u64) -> bool {
        let Some((key, offset)) = self.object_at(address) else { return false };
        let pooled = self.atlas.objects[key.0].slots > 1;
        let parts = self.atlas.parts.iter().filter(|part| part.object == key.0 && part.visible);
        parts.into_iter().any(|part| meets(part, pooled, offset, size.max(1)))
    }
}

/// Whether bytes of an object are among those of a part.
fn meets(part: &Part, pooled: bool, offset: u64, size: u64) -> bool {
    let dims = &part.dims[usize::from(pooled).min(part.dims.len())..];
    elements(part, dims).any(|at| at < offset + size && offset < at + part.size.max(1))
}

/// The offsets of all elements of a part in its object.
pub(crate) fn elements(part: &Part, dims: &[(u64, u64)]) -> impl Iterator<Item = u64> + use<> {
    let dims = dims.to_vec();
    let total: u64 = dims.iter().map(|(count, _)| *count).product();
    let first = part.offset;
    (0..total).map(move |number| {
        let mut rest = number;
        let mut at = first;
        for (count, stride) in dims.iter().rev() {
            at += rest % count * stride;
            rest /= count;
        }
        at
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_memory::Region;

    fn pool() -> Atlas {
        let heap = Region { name: "heap".into(), kind: RegionKind::Heap, address: 1000, size: 8, slots: 3, stride: 32 };
        let global = Region { name: "x".into(), kind: RegionKind::Global, address: 5000, size: 4, slots: 1, stride: 4 };
        let part = Part {
            object: 0,
            offset: 4,
            dims: vec![(3, 32)],
            ty: threadwise_memory::code::INT,
            size: 4,
            variable: None,
            is_set: None,
            visible: true,
            is_bit_field: false,
        };
        Atlas { objects: vec![heap, global], parts: vec![part], ..Atlas::default() }
    }

    #[test]
    fn objects_of_a_pool_are_bound_one_by_one() {
        let atlas = pool();
        let symbols = [Symbol { name: "x".into(), address: 0x4000, size: 4, is_data: true }];
        let mut places = Places::new(&atlas, &symbols);
        assert_eq!(places.real(5000), Some(0x4000));
        assert_eq!(places.key_of(1036), Some(((0, 1), 4)));
        assert_eq!(places.real(1036), None);
        places.bind((0, 1), 0x9000);
        assert_eq!(places.real(1036), Some(0x9004));
        assert_eq!(places.object_at(0x9004), Some(((0, 1), 4)));
        assert_eq!(places.object_at(0x9008), None);
    }

    #[test]
    fn only_parts_that_others_reach_are_seen() {
        let atlas = pool();
        let mut places = Places::new(&atlas, &[]);
        places.bind((0, 2), 0x9000);
        assert!(places.is_visible(0x9004, 4));
        assert!(!places.is_visible(0x9000, 4));
        assert!(places.is_visible(0x9000, 8));
        assert!(!places.is_visible(0x8000, 4));
    }
}
