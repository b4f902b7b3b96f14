//! States on their way into a set, or out of it.

use crate::state_set::SHARDS;

/// States that wait to be added, for each shard those that belong there. Which shards have any is kept beside, so that a few states are
/// not looked for in all shards: a search through long and narrow programs does that at each step. The default is what is left where one
/// was taken away, and has no shards.
#[derive(Default)]
pub struct Batch {
    shards: Vec<Vec<u64>>,
    /// A bit for each shard; where it is not set there is nothing.
    used: u64,
}

/// Room for so many states is kept in each shard: long and narrow programs need it again at the next step.
const LITTLE_ROOM: usize = 64;

const _: () = assert!(SHARDS == u64::BITS as usize);

impl Batch {
    /// No states.
    pub fn empty() -> Batch {
        Batch { shards: vec![Vec::new(); SHARDS], used: 0 }
    }

    #[inline]
    pub fn push(&mut self, shard: usize, number: u64) {
        self.used |= 1 << shard;
        self.shards[shard].push(number);
    }

    /// The numbers in a shard.
    pub fn of(&self, shard: usize) -> &[u64] {
        &self.shards[shard]
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Takes all states out, and keeps their room.
    pub fn clear(&mut self) {
        ones(self.used).for_each(|shard| self.shards[shard].clear());
        self.used = 0;
    }

    /// Takes so many states out at most: the shard and the number of each. Much room is given back.
    pub fn take(&mut self, most: usize, taken: &mut Vec<(u32, u64)>) {
        taken.clear();
        for shard in ones(self.used) {
            let numbers = &mut self.shards[shard];
            let kept = numbers.len().saturating_sub(most - taken.len());
            taken.extend(numbers.drain(kept..).map(|number| (shard as u32, number)));
            if kept > 0 {
                break;
            }
            if numbers.capacity() > LITTLE_ROOM {
                *numbers = Vec::new();
            }
            self.used &= !(1 << shard);
        }
    }

    /// A bit for each shard in which there are states.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// The numbers in each shard, to add to; what got some has to be [noted](Batch::note).
    pub(crate) fn shards_mut(&mut self) -> &mut [Vec<u64>] {
        &mut self.shards
    }

    /// Looks whether there are states now in these shards, of which bits are set.
    pub(crate) fn note(&mut self, shards: u64) {
        for shard in ones(shards) {
            self.used |= u64::from(!self.shards[shard].is_empty()) << shard;
        }
    }
}

/// The places of the bits that are set, lowest first.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::{Batch, ones};

    #[test]
    fn states_are_taken_out_shard_by_shard() {
        let mut batch = Batch::empty();
        fn take(batch: &mut Batch, most: usize) -> Vec<(u32, u64)> {
            let mut taken = vec![(7, 7)];
            batch.take(most, &mut taken);
            taken
        }
        assert!(batch.is_empty() && take(&mut batch, 10).is_empty());
        for (shard, number) in [(63, 1), (0, 2), (5, 3), (0, 4), (63, 5)] {
            batch.push(shard, number);
        }
        assert_eq!((batch.of(0), batch.of(1), batch.of(63)), (&[2, 4][..], &[][..], &[1, 5][..]));
        assert_eq!(ones(batch.used()).collect::<Vec<_>>(), [0, 5, 63]);
        // The second shard has more than there is room for, and gives its last.
        assert_eq!(take(&mut batch, 1), [(0, 4)]);
        assert_eq!(take(&mut batch, 3), [(0, 2), (5, 3), (63, 5)]);
        assert!(!batch.is_empty());
        assert_eq!(take(&mut batch, 3), [(63, 1)]);
        assert!(batch.is_empty());
    }

    #[test]
    fn only_shards_that_have_states_are_noted() {
        let mut batch = Batch::empty();
        batch.shards_mut()[7].push(1);
        batch.note(1 << 7 | 1 << 9);
        assert_eq!(ones(batch.used()).collect::<Vec<_>>(), [7]);
        batch.clear();
        assert!(batch.is_empty() && batch.of(7).is_empty());
    }
}
