//! What is in the memory of the process against what the trace says.

use crate::Trouble;
use crate::drive::Driver;
use crate::places::elements;
use std::collections::BTreeSet;
use threadwise_ir::{Initial, Instance, SharedId};
use threadwise_memory::code::Type;
use threadwise_memory::{Part, RegionKind};

impl Driver<'_> {
    /// Compares the objects with these numbers, as far as other threads can see them.
    pub(crate) fn compare(
        &mut self,
        instance: &Instance,
        shared: &[i64],
        objects: &BTreeSet<usize>,
    ) -> Result<(), Trouble> {
        for &object in objects {
            let slots = self.places.atlas.objects[object].slots;
            for slot in 0..slots {
                if let Some(begin) = self.places.begin_of((object, slot)) {
                    self.compare_object(instance, shared, (object, slot), begin)?;
                }
            }
        }
        Ok(())
    }

    fn compare_object(
        &mut self,
        instance: &Instance,
        shared: &[i64],
        (object, slot): (usize, u64),
        begin: u64,
    ) -> Result<(), Trouble> {
        let atlas = self.places.atlas;
        let region = &atlas.objects[object];
        let parts = atlas.parts.iter().filter(|part| part.object == object && part.visible && !part.is_bit_field);
        let mut bytes = None;
        for part in parts.filter(|part| matches!(part.ty, Type::Int(_) | Type::Pointer)) {
            let Some(variable) = part.variable else { continue };
            if bytes.is_none() {
                bytes = Some(self.process.peek(begin, region.size)?);
            }
            let pooled = usize::from(region.slots > 1);
            let dims = &part.dims[pooled.min(part.dims.len())..];
            let count: u64 = dims.iter().map(|(count, _)| *count).product();
            for (number, offset) in (0..).zip(elements(part, dims)) {
                let word = |id: SharedId| shared[instance.shared_range(id).start + (slot * count + number) as usize];
                if part.is_set.is_some_and(|flag| word(flag) == 0) {
                    continue;
                }
                let there = bytes.as_deref().unwrap_or(&[]);
                let Some(there) = there.get(offset as usize..(offset + part.size) as usize) else { continue };
                let (real, expected) = (little_endian(there), word(variable));
                if !self.agrees(part, real, expected) {
                    let name = &instance.program.shared[variable.index()].name;
                    let index = if dims.is_empty() { String::new() } else { format!(" (element {number})") };
                    return Err(Trouble::Differs(format!(
                        "`{name}`{index} is {} in the compiled program, and {expected} in the trace",
                        shown(part, real)
                    )));
                }
            }
        }
        Ok(())
    }

    /// Whether the bytes of a part are what the trace says. Where the trace points to an object of which nobody knows
    /// where it is, this tells.
    fn agrees(&mut self, part: &Part, real: u64, expected: i64) -> bool {
        match &part.ty {
            Type::Int(bits) => bits.wrap(real as i64) == expected || self.points_alike(real, expected),
            _ => self.points_alike(real, expected),
        }
    }

    fn points_alike(&mut self, real: u64, expected: i64) -> bool {
        if self.places.atlas.nowhere.contains(&expected) {
            return true;
        }
        match self.places.key_of(expected) {
            None => real as i64 == expected,
            Some((key, offset)) if !self.places.is_bound(key) => {
                let kind = self.places.atlas.objects[key.0].kind;
                if kind == RegionKind::Local && real > offset {
                    self.places.bind(key, real - offset);
                }
                true
            }
            Some(_) => self.places.real(expected) == Some(real),
        }
    }

    /// Variables that nobody defines get the values that they have in the trace.
    pub(crate) fn give_initial_values(&mut self, instance: &Instance, shared: &[i64]) {
        let atlas = self.places.atlas;
        for part in &atlas.parts {
            let Some(id) = part.variable else { continue };
            let is_open = matches!(instance.program.shared[id.index()].init, Initial::Any);
            if is_open
                && part.dims.is_empty()
                && part.size <= 8
                && let Some(begin) = self.places.begin_of((part.object, 0))
            {
                let word = shared[instance.shared_range(id).start];
                self.process.poke(begin + part.offset, part.size, word as u64);
            }
        }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn shown(part: &Part, real: u64) -> String {
    match &part.ty {
        Type::Int(bits) => bits.wrap(real as i64).to_string(),
        _ => format!("{real:#x}"),
    }
}
