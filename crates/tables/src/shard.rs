//! A set of numbers in little more room than what tells them apart.
//!
//! The numbers have a fixed count of bits. Where a number lies says part of what it is: its home is a bucket of sixteen places, all
//! numbers between two bounds have the same home, and only the distance from the lower bound is stored (a quotient and its
//! remainder; Cleary, IEEE Transactions on Computers 33, 1984). Where a home is full, the number goes to one of the seven buckets
//! after it, and three more bits say by how many. Numbers must be spread evenly over their bits, which [`crate::StateSet`] sees to.
//!
//! Beside each number lies a *level*, in as many bytes as the largest one needs.

use std::collections::TryReserveError;

/// Places of a bucket: sixteen times four bytes are a line of the cache.
const PLACES: usize = 16;
/// A number lies in its home or in one of the buckets after it, so many in all.
const REACH: u64 = 8;
/// How many bits tell which.
const REACH_BITS: u32 = REACH.trailing_zeros();
/// A place's first four bytes hold so many bits; one more says that it is taken.
const LOW_BITS: u32 = 31;
/// The table grows when more than this part of it, in percent, is taken.
const FULL: usize = 85;
/// So many numbers are looked up at once, so that the memory is asked for all of them before the first has come.
const AT_ONCE: usize = 16;

/// The set.
#[derive(Default)]
pub struct Shard {
    shape: Shape,
    /// For each place the first bits of what is stored, and that it is taken.
    low: Vec<u32>,
    /// For each place the other bits, in as many bytes as needed.
    high: Vec<u8>,
    levels: Levels,
    len: usize,
}

/// How numbers are divided among buckets.
#[derive(Clone, Copy, Default)]
struct Shape {
    /// How many bits numbers have.
    bits: u32,
    /// There are `parts << doublings` buckets: the first bits of a number choose among `1 << doublings` groups, and each group is
    /// divided into parts, two or three. So tables grow by half or by a third, and never hold much more room than they use.
    doublings: u32,
    parts: u64,
    /// How many bytes beyond the first four a place has.
    high_bytes: usize,
}

impl Shape {
    fn new(bits: u32, doublings: u32, parts: u64) -> Shape {
        let mut shape = Shape { bits, doublings, parts, high_bytes: 0 };
        let rest = shape.rest_bits();
        // The largest distance from a lower bound is less than half of a group.
        let stored = rest.saturating_sub(1).max(1) + REACH_BITS;
        shape.high_bytes = stored.saturating_sub(LOW_BITS).div_ceil(8) as usize;
        shape
    }

    fn larger(self) -> Shape {
        match self.parts {
            2 => Shape::new(self.bits, self.doublings, 3),
            _ => Shape::new(self.bits, self.doublings + 1, 2),
        }
    }

    /// The bits of a number that do not choose the group.
    fn rest_bits(&self) -> u32 {
        self.bits.saturating_sub(self.doublings)
    }

    fn buckets(&self) -> u64 {
        self.parts << self.doublings
    }

    fn places(&self) -> usize {
        self.buckets() as usize * PLACES
    }

    /// The least number of a part of a group.
    #[inline]
    fn bound(&self, part: u64) -> u64 {
        (part << self.rest_bits()).div_ceil(self.parts)
    }

    /// The home of a number, and its distance from the home's lower bound.
    #[inline]
    fn home(&self, number: u64) -> (u64, u64) {
        let rest_bits = self.rest_bits();
        let (group, rest) = (number >> rest_bits, number & ((1 << rest_bits) - 1));
        let part = (rest * self.parts) >> rest_bits;
        (group * self.parts + part, rest - self.bound(part))
    }

    fn number(&self, home: u64, distance: u64) -> u64 {
        let (group, part) = (home / self.parts, home % self.parts);
        (group << self.rest_bits()) + self.bound(part) + distance
    }

    /// A bucket after another one, of which the first comes after the last.
    #[inline]
    fn after(&self, home: u64, steps: u64) -> u64 {
        let bucket = home + steps;
        if bucket >= self.buckets() { bucket % self.buckets() } else { bucket }
    }

    fn before(&self, bucket: u64, steps: u64) -> u64 {
        let buckets = self.buckets();
        (bucket + REACH * buckets - steps) % buckets
    }
}

/// What there is of a number in a bucket.
enum Look {
    Here,
    /// It is not, and this place is free.
    Free(usize),
    Full,
}

impl Shard {
    /// An empty set of numbers of so many bits, 61 at most.
    pub fn new(bits: u32) -> Shard {
        Shard { shape: Shape::new(bits, 0, 2), ..Shard::default() }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes that it takes anew before it holds so many more numbers.
    pub fn growth(&self, more: usize) -> u64 {
        let mut shape = self.shape;
        while (self.len + more) * 100 > shape.places() * FULL {
            shape = shape.larger();
        }
        let is_enough = shape.buckets() == self.shape.buckets() && !self.low.is_empty();
        if is_enough { 0 } else { (shape.places() * (4 + shape.high_bytes + self.levels.width())) as u64 }
    }

    /// Adds numbers with their level; puts those that are new into `fresh`, in order.
    pub fn insert_all(&mut self, numbers: &[u64], level: u32, fresh: &mut Vec<u64>) -> Result<(), TryReserveError> {
        for batch in numbers.chunks(AT_ONCE) {
            self.make_room(batch.len())?;
            let touched = batch.iter().map(|&number| self.low[self.shape.home(number).0 as usize * PLACES]);
            std::hint::black_box(touched.fold(0, |all, place| all | place));
            for &number in batch {
                if self.insert(number, level)? {
                    fresh.push(number);
                }
            }
        }
        Ok(())
    }

    /// Adds a number; tells whether it is new.
    fn insert(&mut self, number: u64, level: u32) -> Result<bool, TryReserveError> {
        loop {
            let (home, distance) = self.shape.home(number);
            for steps in 0..REACH {
                let stored = distance << REACH_BITS | steps;
                match self.look(self.shape.after(home, steps), stored) {
                    Look::Here => return Ok(false),
                    Look::Free(place) => {
                        self.put(place, stored, level)?;
                        return Ok(true);
                    }
                    Look::Full => {}
                }
            }
            self.grow()?;
        }
    }

    /// The level of a number, if it is in the set.
    pub fn level_of(&self, number: u64) -> Option<u32> {
        if self.low.is_empty() {
            return None;
        }
        let (home, distance) = self.shape.home(number);
        for steps in 0..REACH {
            let bucket = self.shape.after(home, steps);
            let stored = distance << REACH_BITS | steps;
            let places = bucket as usize * PLACES..(bucket as usize + 1) * PLACES;
            for place in places {
                match self.stored(place) {
                    None => return None,
                    Some(found) if found == stored => return Some(self.levels.get(place)),
                    Some(_) => {}
                }
            }
        }
        None
    }

    /// Calls `each` with all numbers and their levels.
    pub fn for_each(&self, each: &mut dyn FnMut(u64, u32)) {
        for place in 0..self.low.len() {
            if let Some(stored) = self.stored(place) {
                let steps = stored & (REACH - 1);
                let home = self.shape.before((place / PLACES) as u64, steps);
                each(self.shape.number(home, stored >> REACH_BITS), self.levels.get(place));
            }
        }
    }

    #[inline]
    fn look(&self, bucket: u64, stored: u64) -> Look {
        let start = bucket as usize * PLACES;
        let places: &[u32; PLACES] = self.low[start..start + PLACES].try_into().expect("a bucket has so many places");
        let wanted = low_word(stored);
        let (mut equal, mut taken) = (0_u32, 0);
        for (index, &place) in places.iter().enumerate() {
            equal |= u32::from(place == wanted) << index;
            taken += usize::from(place != 0);
        }
        while equal != 0 {
            let place = start + equal.trailing_zeros() as usize;
            if self.shape.high_bytes == 0 || self.high_part(place) == stored >> LOW_BITS {
                return Look::Here;
            }
            equal &= equal - 1;
        }
        if taken < PLACES { Look::Free(start + taken) } else { Look::Full }
    }

    fn put(&mut self, place: usize, stored: u64, level: u32) -> Result<(), TryReserveError> {
        self.low[place] = low_word(stored);
        let bytes = self.shape.high_bytes;
        self.high[place * bytes..(place + 1) * bytes].copy_from_slice(&(stored >> LOW_BITS).to_le_bytes()[..bytes]);
        self.levels.set(place, level)?;
        self.len += 1;
        Ok(())
    }

    fn stored(&self, place: usize) -> Option<u64> {
        let low = self.low[place];
        (low != 0).then(|| u64::from(low >> 1) | self.high_part(place) << LOW_BITS)
    }

    #[inline]
    fn high_part(&self, place: usize) -> u64 {
        let bytes = self.shape.high_bytes;
        let mut part = [0; 8];
        part[..bytes].copy_from_slice(&self.high[place * bytes..(place + 1) * bytes]);
        u64::from_le_bytes(part)
    }

    fn make_room(&mut self, more: usize) -> Result<(), TryReserveError> {
        if self.low.is_empty() {
            return self.allocate(self.shape);
        }
        while (self.len + more) * 100 > self.shape.places() * FULL {
            self.grow()?;
        }
        Ok(())
    }

    fn allocate(&mut self, shape: Shape) -> Result<(), TryReserveError> {
        let width = self.levels.width();
        *self = Shard { shape, ..Shard::default() };
        fill(&mut self.low, shape.places())?;
        fill(&mut self.high, shape.places() * shape.high_bytes)?;
        self.levels = Levels::of_width(width, shape.places())?;
        Ok(())
    }

    fn grow(&mut self) -> Result<(), TryReserveError> {
        let mut larger = Shard { levels: self.levels.none(), ..Shard::default() };
        larger.allocate(self.shape.larger())?;
        let mut failed = None;
        self.for_each(&mut |number, level| {
            if failed.is_none() {
                failed = larger.insert(number, level).err();
            }
        });
        *self = larger;
        failed.map_or(Ok(()), Err)
    }
}

/// The first bits of what is stored, and that something is.
#[inline]
fn low_word(stored: u64) -> u32 {
    ((stored as u32) << 1) | 1
}

fn fill<T: Clone + Default>(list: &mut Vec<T>, len: usize) -> Result<(), TryReserveError> {
    list.try_reserve_exact(len - list.len())?;
    list.resize(len, T::default());
    Ok(())
}

/// A number for each place.
enum Levels {
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for Levels {
    fn default() -> Levels {
        Levels::Bytes(Vec::new())
    }
}

impl Levels {
    fn width(&self) -> usize {
        match self {
            Levels::Bytes(_) => 1,
            Levels::Shorts(_) => 2,
            Levels::Words(_) => 4,
        }
    }

    /// Of the same width, for no place.
    fn none(&self) -> Levels {
        match self {
            Levels::Bytes(_) => Levels::Bytes(Vec::new()),
            Levels::Shorts(_) => Levels::Shorts(Vec::new()),
            Levels::Words(_) => Levels::Words(Vec::new()),
        }
    }

    fn of_width(width: usize, places: usize) -> Result<Levels, TryReserveError> {
        let mut levels = match width {
            1 => Levels::Bytes(Vec::new()),
            2 => Levels::Shorts(Vec::new()),
            _ => Levels::Words(Vec::new()),
        };
        match &mut levels {
            Levels::Bytes(list) => fill(list, places)?,
            Levels::Shorts(list) => fill(list, places)?,
            Levels::Words(list) => fill(list, places)?,
        }
        Ok(levels)
    }

    fn len(&self) -> usize {
        match self {
            Levels::Bytes(list) => list.len(),
            Levels::Shorts(list) => list.len(),
            Levels::Words(list) => list.len(),
        }
    }

    fn get(&self, place: usize) -> u32 {
        match self {
            Levels::Bytes(list) => u32::from(list[place]),
            Levels::Shorts(list) => u32::from(list[place]),
            Levels::Words(list) => list[place],
        }
    }

    fn set(&mut self, place: usize, level: u32) -> Result<(), TryReserveError> {
        match self {
            Levels::Bytes(list) if level <= u32::from(u8::MAX) => list[place] = level as u8,
            Levels::Shorts(list) if level <= u32::from(u16::MAX) => list[place] = level as u16,
            Levels::Words(list) => list[place] = level,
            Levels::Bytes(_) | Levels::Shorts(_) => {
                let mut wider = Levels::of_width(self.width() * 2, self.len())?;
                for place in 0..self.len() {
                    wider.set(place, self.get(place))?;
                }
                *self = wider;
                self.set(place, level)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;
    use std::collections::BTreeMap;

    fn spread(number: u64, bits: u32) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)
    }

    /// A map from the standard library says what must be there.
    fn compare(bits: u32, count: u64, level: impl Fn(u64) -> u32) {
        let (mut shard, mut obvious) = (Shard::new(bits), BTreeMap::new());
        for start in (0..count).step_by(100) {
            let numbers: Vec<u64> = (start..start + 100).map(|n| spread(n * n % count, bits)).collect();
            let mut fresh = Vec::new();
            shard.insert_all(&numbers, level(start), &mut fresh).expect("there is memory");
            let mut expected = Vec::new();
            for number in numbers {
                if let std::collections::btree_map::Entry::Vacant(entry) = obvious.entry(number) {
                    entry.insert(level(start));
                    expected.push(number);
                }
            }
            assert_eq!(fresh, expected);
        }
        let mut all = BTreeMap::new();
        shard.for_each(&mut |number, level| assert!(all.insert(number, level).is_none()));
        assert_eq!(all, obvious);
        assert_eq!(shard.len(), obvious.len());
        for number in 0..1000 {
            let number = spread(number, bits);
            assert_eq!(shard.level_of(number), obvious.get(&number).copied());
        }
    }

    #[test]
    fn agrees_with_an_obvious_set() {
        for bits in [10, 11, 17, 30, 41, 52, 58, 61] {
            compare(bits, 20_000, |start| (start / 200) as u32);
        }
    }

    #[test]
    fn all_numbers_of_few_bits_have_room() {
        let mut shard = Shard::new(10);
        let (numbers, mut fresh) = ((0..1024).collect::<Vec<u64>>(), Vec::new());
        shard.insert_all(&numbers, 0, &mut fresh).expect("there is memory");
        shard.insert_all(&numbers, 1, &mut fresh).expect("there is memory");
        assert_eq!(fresh, numbers);
    }

    #[test]
    fn levels_of_any_size_are_kept() {
        compare(40, 5_000, |start| (start * start * 37) as u32);
    }

    #[test]
    fn numbers_that_are_all_at_home_in_one_place_have_room_too() {
        let mut shard = Shard::new(58);
        let (numbers, mut fresh) = ((0..100).collect::<Vec<u64>>(), Vec::new());
        shard.insert_all(&numbers, 3, &mut fresh).expect("there is memory");
        assert_eq!(fresh.len(), 100);
        assert_eq!(shard.level_of(99), Some(3));
        assert_eq!(shard.level_of(100), None);
    }
}
