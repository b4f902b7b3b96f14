//! A set of states in few bytes each, for searches level by level.
//!
//! A state is packed into a word ([`Packing`]), the bits of the word are mixed in a way that can be undone, and the mixed word is put
//! into one of sixty-four [`Shard`]s by its first bits. A shard is filled by one worker at a time, in a given order, so that what is in
//! it, and where, does not depend on how many workers there are. That what is looked up together lies in a small part of the
//! memory is why this is quick even with one.

use crate::batch::{Batch, ones};
use crate::packing::{Layout, Packing, Unpacked};
use crate::shard::Shard;
use std::sync::Mutex;
use threadwise_limits::{Budget, Limit};

/// The first bits of a mixed word choose the shard.
const SHARD_BITS: u32 = 6;
/// How many shards there are.
pub const SHARDS: usize = 1 << SHARD_BITS;

/// Fewer bytes are taken without asking.
pub const NOT_MUCH: u64 = 1 << 16;

/// Odd numbers to multiply with, and their inverses.
const FACTORS: [(u64, u64); 3] = [
    (0x9e37_79b9_7f4a_7c15, inverse(0x9e37_79b9_7f4a_7c15)),
    (0xbf58_476d_1ce4_e5b9, inverse(0xbf58_476d_1ce4_e5b9)),
    (0xd6e8_feb8_6659_fd93, inverse(0xd6e8_feb8_6659_fd93)),
];

/// What an odd number has to be multiplied with to give one, by Newton's iteration: each round doubles the bits that are right.
const fn inverse(factor: u64) -> u64 {
    let (mut inverse, mut round) = (factor, 0);
    while round < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

/// The set.
pub struct StateSet {
    packing: Packing,
    shards: Vec<Shard>,
    len: usize,
}

impl StateSet {
    /// An empty set of states whose fields share widths as `width_of` says.
    pub fn new(width_of: Vec<usize>) -> StateSet {
        let packing = Packing::new(width_of);
        let shards = empty_shards(packing.bits());
        StateSet { packing, shards, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts a state into a batch. If it cannot be packed yet, nothing is done: there must be [room](StateSet::make_room) for it
    /// first.
    pub fn put(&self, state: &[u32], batch: &mut Batch) -> bool {
        let word = self.packing.pack(state);
        word.map(|word| self.put_word(word, batch)).is_some()
    }

    /// The same for the state that differs from another one in the shared store and one thread's local state.
    #[inline]
    pub fn put_changed(&self, from: &Unpacked, shared: u32, thread: usize, local: u32, batch: &mut Batch) -> bool {
        let word = self.packing.pack_changed(from, shared, thread, local);
        word.map(|word| self.put_word(word, batch)).is_some()
    }

    #[inline]
    fn put_word(&self, word: u64, batch: &mut Batch) {
        let (shard, number) = self.place(word);
        batch.push(shard, number);
    }

    /// The shard of a word, and its number there.
    #[inline]
    fn place(&self, word: u64) -> (usize, u64) {
        let mixed = mix(word, self.packing.bits());
        let of_shard = self.packing.bits() - SHARD_BITS;
        ((mixed >> of_shard) as usize, mixed & ((1 << of_shard) - 1))
    }

    fn word(&self, shard: usize, number: u64) -> u64 {
        word_of(shard, number, self.packing.bits())
    }

    /// Reads a state of a batch.
    #[inline]
    pub fn read(&self, shard: usize, number: u64, out: &mut Unpacked) {
        self.packing.unpack(self.word(shard, number), out);
    }

    /// The level of a state, if it is in the set.
    pub fn level_of(&self, state: &[u32]) -> Option<u32> {
        let (shard, number) = self.place(self.packing.pack(state)?);
        self.shards[shard].level_of(number)
    }

    /// The word that stands for a state in the set, as long as nothing is added.
    pub fn key(&self, state: &[u32]) -> Option<u64> {
        self.packing.pack(state)
    }

    /// The state that a key stands for.
    pub fn read_key(&self, key: u64, out: &mut Unpacked) {
        self.packing.unpack(key, out);
    }

    /// Calls `each` with the keys and levels of all states.
    pub fn for_each(&self, each: &mut dyn FnMut(u64, u32)) {
        for (index, shard) in self.shards.iter().enumerate() {
            shard.for_each(&mut |number, level| each(self.word(index, number), level));
        }
    }

    /// Adds all states of the batches, in order; `fresh` gets those that are new. The work is shared by so many workers.
    pub fn insert(
        &mut self,
        batches: &[&Batch],
        level: u32,
        fresh: &mut Batch,
        workers: usize,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let used = batches.iter().fold(0, |used, batch| used | batch.used());
        let growth = self.growth(batches, used);
        if growth >= NOT_MUCH {
            budget.check_for(growth)?;
        }
        let in_use = |set: &StateSet| ones(used).map(|index| set.shards[index].len()).sum::<usize>();
        let before = in_use(self);
        let end = self.fill(batches, used, level, fresh.shards_mut(), workers);
        fresh.note(used);
        self.len += in_use(self) - before;
        end
    }

    /// Adds the states of the batches in these shards, of which bits are set.
    fn fill(
        &mut self,
        batches: &[&Batch],
        used: u64,
        level: u32,
        fresh: &mut [Vec<u64>],
        workers: usize,
    ) -> Result<(), Limit> {
        let fill = |index: usize, shard: &mut Shard, fresh: &mut Vec<u64>| {
            let all = batches.iter().try_for_each(|batch| shard.insert_all(batch.of(index), level, fresh));
            all.map_err(|_| Limit::OutOfMemory)
        };
        if workers <= 1 {
            return ones(used).try_for_each(|index| fill(index, &mut self.shards[index], &mut fresh[index]));
        }
        let parts = self.shards.iter_mut().zip(fresh.iter_mut()).enumerate();
        let (parts, end) = (Mutex::new(parts), Mutex::new(Ok(())));
        let work = || {
            loop {
                let part = parts.lock().expect("nobody panics while holding it").next();
                let Some((index, (shard, fresh))) = part else { break };
                if let Err(limit) = fill(index, shard, fresh) {
                    *end.lock().expect("nobody panics while holding it") = Err(limit);
                }
            }
        };
        std::thread::scope(|scope| {
            // Where the system has no more threads to give, there are fewer.
            let help = |_| std::thread::Builder::new().spawn_scoped(scope, work).is_ok();
            let _ = (1..workers).all(help);
            work();
        });
        end.into_inner().expect("nobody panics while holding it")
    }

    /// The bytes that the set takes anew, at most, when it gets these states, which belong into the shards of which bits are set.
    fn growth(&self, batches: &[&Batch], used: u64) -> u64 {
        let more = |index: usize| batches.iter().map(|batch| batch.of(index).len()).sum();
        ones(used).map(|index| self.shards[index].growth(more(index))).sum::<u64>() + self.packing.growth()
    }

    /// Makes room for new states, whose fields stand one after the other, so that they can be [put](StateSet::put) into batches. The
    /// states in `waiting` stay the same, but are written in another way if need be.
    pub fn make_room(&mut self, new: &[u32], waiting: &mut [&mut Batch], budget: &Budget) -> Result<(), Limit> {
        let fields = self.packing.fields();
        new.chunks_exact(fields).for_each(|state| self.packing.note(state));
        if !self.packing.is_outgrown() {
            return Ok(());
        }
        let old_bits = self.packing.bits();
        if self.packing.needs_tree() {
            self.note_all(budget)?;
            new.chunks_exact(fields).for_each(|state| self.packing.note(state));
        }
        let old_layout = self.packing.lay_out();
        let old_shards = std::mem::replace(&mut self.shards, empty_shards(self.packing.bits()));
        for (index, shard) in old_shards.into_iter().enumerate() {
            budget.check_for(shard.growth(shard.len()))?;
            self.move_here(index, &shard, &old_layout, old_bits)?;
        }
        let mut state = Unpacked::default();
        for waiting in waiting {
            let old = std::mem::replace(*waiting, Batch::empty());
            for index in ones(old.used()) {
                for &number in old.of(index) {
                    self.packing.unpack_from(&old_layout, word_of(index, number, old_bits), &mut state);
                    self.put(state.state(), waiting);
                }
            }
        }
        Ok(())
    }

    /// Tells the tree of all states.
    fn note_all(&mut self, budget: &Budget) -> Result<(), Limit> {
        let StateSet { packing, shards, .. } = self;
        let (layout, bits) = (packing.layout().clone(), packing.bits());
        let mut state = Unpacked::default();
        for (index, shard) in shards.iter().enumerate() {
            budget.check_for(packing.growth())?;
            shard.for_each(&mut |number, _| {
                packing.unpack_from(&layout, word_of(index, number, bits), &mut state);
                packing.note(state.state());
            });
        }
        Ok(())
    }

    /// Adds what was in a shard before the layout changed.
    fn move_here(&mut self, index: usize, shard: &Shard, old_layout: &Layout, old_bits: u32) -> Result<(), Limit> {
        let mut state = Unpacked::default();
        let (mut fresh, mut end) = (Vec::new(), Ok(()));
        shard.for_each(&mut |number, level| {
            self.packing.unpack_from(old_layout, word_of(index, number, old_bits), &mut state);
            let word = self.packing.pack(state.state()).expect("there is room for what there was room for");
            let (to, number) = self.place(word);
            if end.is_ok() {
                end = self.shards[to].insert_all(&[number], level, &mut fresh).map_err(|_| Limit::OutOfMemory);
                fresh.clear();
            }
        });
        end
    }
}

fn empty_shards(bits: u32) -> Vec<Shard> {
    (0..SHARDS).map(|_| Shard::new(bits - SHARD_BITS)).collect()
}

/// Spreads words of so many bits evenly among themselves. Each step can be undone: to multiply with an odd number, and to add a part of the
/// upper half to the lower one.
#[inline]
fn mix(word: u64, bits: u32) -> u64 {
    let (mask, half) = (u64::MAX >> (u64::BITS - bits), bits.div_ceil(2));
    let mut mixed = word.wrapping_mul(FACTORS[0].0) & mask;
    mixed ^= mixed >> half;
    mixed = mixed.wrapping_mul(FACTORS[1].0) & mask;
    mixed ^= mixed >> half;
    mixed.wrapping_mul(FACTORS[2].0) & mask
}

#[inline]
fn unmix(mixed: u64, bits: u32) -> u64 {
    let (mask, half) = (u64::MAX >> (u64::BITS - bits), bits.div_ceil(2));
    let mut word = mixed.wrapping_mul(FACTORS[2].1) & mask;
    word ^= word >> half;
    word = word.wrapping_mul(FACTORS[1].1) & mask;
    word ^= word >> half;
    word.wrapping_mul(FACTORS[0].1) & mask
}

fn word_of(shard: usize, number: u64, bits: u32) -> u64 {
    unmix((shard as u64) << (bits - SHARD_BITS) | number, bits)
}

#[cfg(test)]
mod tests {
    use super::{StateSet, mix, unmix};
    use crate::batch::{Batch, ones};
    use crate::packing::Unpacked;
    use std::collections::BTreeMap;
    use threadwise_limits::Budget;

    #[test]
    fn mixing_can_be_undone() {
        for bits in 16..=64 {
            for word in (0..500_u64).chain((0..500).map(|n| n << (bits - 10))) {
                let word = word & u64::MAX >> (64 - bits);
                assert_eq!(unmix(mix(word, bits), bits), word);
            }
        }
    }

    /// Adds states whose numbers grow, and compares with a map from the standard library.
    fn compare(fields: usize, workers: usize) -> Vec<(u64, u32)> {
        let budget = Budget::unlimited();
        let mut set = StateSet::new((0..fields).collect());
        let mut obvious: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut frontier = Batch::empty();
        for level in 0..40_u32 {
            let most = 1 << (level / 3);
            let state = |n: u32| {
                (0..fields as u32).map(|field| n.wrapping_mul(2654435761) >> (field % 24) & (most - 1)).collect()
            };
            let states: Vec<Vec<u32>> = (0..300).map(|n| state(level * 100 + n)).collect();
            set.make_room(&states.concat(), &mut [&mut frontier], &budget).expect("no limit");
            let mut seen: Vec<Vec<u32>> = Vec::new();
            let mut unpacked = Unpacked::default();
            for shard in ones(frontier.used()) {
                for &number in frontier.of(shard) {
                    set.read(shard, number, &mut unpacked);
                    seen.push(unpacked.state().to_vec());
                }
            }
            seen.sort();
            let expected: Vec<Vec<u32>> =
                obvious.iter().filter(|(_, l)| **l + 1 == level).map(|(state, _)| state.clone()).collect();
            assert_eq!(seen, expected, "the frontier survives another layout");
            let mut batch = Batch::empty();
            assert!(states.iter().all(|state| set.put(state, &mut batch)));
            frontier = Batch::empty();
            set.insert(&[&batch], level, &mut frontier, workers, &budget).expect("no limit");
            states.into_iter().for_each(|state| {
                obvious.entry(state).or_insert(level);
            });
            assert_eq!(set.len(), obvious.len());
        }
        obvious.iter().for_each(|(state, level)| assert_eq!(set.level_of(state), Some(*level)));
        let mut all = Vec::new();
        set.for_each(&mut |key, level| all.push((key, level)));
        assert_eq!(all.len(), obvious.len());
        all
    }

    #[test]
    fn agrees_with_an_obvious_set_for_any_number_of_workers() {
        for fields in [1, 2, 5, 9, 30] {
            let alone = compare(fields, 1);
            assert_eq!(alone, compare(fields, 2));
            assert_eq!(alone, compare(fields, 4));
        }
    }
}
