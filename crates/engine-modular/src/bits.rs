//! Sets of small numbers.

/// A set of small numbers as bits. The numbers below 64 are kept in place: most sets have no others.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Bits {
    first: u64,
    /// What comes after the first word. A box of a vector is smaller than a vector.
    #[allow(clippy::box_collection)]
    rest: Option<Box<Vec<u64>>>,
}

impl Bits {
    /// Adds a number; tells whether it is new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let bit = 1 << (number % 64);
        let word = match (number as usize / 64).checked_sub(1) {
            None => &mut self.first,
            Some(index) => {
                let rest = self.rest.get_or_insert_default();
                if rest.len() <= index {
                    rest.resize(index + 1, 0);
                }
                &mut rest[index]
            }
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether the number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words().nth(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_none()
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().flat_map(|rest| rest.iter().copied()))
    }

    /// The numbers in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words().enumerate().flat_map(|(word, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}
