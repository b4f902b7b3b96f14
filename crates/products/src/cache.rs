//! Remembers answers, but not all of them: a later question may take the place of an earlier one.

const SMALLEST: usize = 1 << 8;
const LARGEST: usize = 1 << 21;

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    slots: Vec<(u32, u32, u32)>,
    stored: usize,
}

const NOTHING: (u32, u32, u32) = (u32::MAX, u32::MAX, 0);

impl Default for Cache {
    fn default() -> Cache {
        Cache { slots: vec![NOTHING; SMALLEST], stored: 0 }
    }
}

impl Cache {
    fn slot(&self, a: u32, b: u32) -> usize {
        let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }

    pub(crate) fn get(&self, a: u32, b: u32) -> Option<u32> {
        let (x, y, answer) = self.slots[self.slot(a, b)];
        (x == a && y == b).then_some(answer)
    }

    pub(crate) fn put(&mut self, a: u32, b: u32, answer: u32) {
        self.stored += 1;
        if self.stored > self.slots.len() && self.slots.len() < LARGEST {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![NOTHING; old.len() * 4];
            self.stored = old.len();
            for (a, b, answer) in old.into_iter().filter(|slot| *slot != NOTHING) {
                let slot = self.slot(a, b);
                self.slots[slot] = (a, b, answer);
            }
        }
        let slot = self.slot(a, b);
        self.slots[slot] = (a, b, answer);
    }
}
