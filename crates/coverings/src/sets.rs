//! Sets of local states as numbers.

use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::rc::Rc;

/// Gives equal sets equal numbers.
#[derive(Default)]
pub(crate) struct Sets {
    numbers: FxHashMap<Rc<[u32]>, u32>,
    elements: Vec<Rc<[u32]>>,
}

impl Sets {
    /// The number of the set with these elements, in whatever order.
    pub(crate) fn number(&mut self, mut elements: Vec<u32>) -> u32 {
        elements.sort_unstable();
        elements.dedup();
        if let Some(&number) = self.numbers.get(elements.as_slice()) {
            return number;
        }
        let (number, elements) = (self.elements.len() as u32, Rc::<[u32]>::from(elements));
        self.elements.push(elements.clone());
        self.numbers.insert(elements, number);
        number
    }

    /// The elements in ascending order.
    pub(crate) fn elements(&self, set: u32) -> &Rc<[u32]> {
        &self.elements[set as usize]
    }

    pub(crate) fn is_subset(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (self.elements(a), self.elements(b));
        let mut others = b.iter();
        a.len() <= b.len() && a.iter().all(|x| others.find(|y| *y >= x) == Some(x))
    }

    /// Whether they have an element in common.
    pub(crate) fn meet(&self, a: u32, b: u32) -> bool {
        let (mut a, mut b) = (self.elements(a).iter().peekable(), self.elements(b).iter().peekable());
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                Ordering::Less => a.next(),
                Ordering::Greater => b.next(),
                Ordering::Equal => return true,
            };
        }
        false
    }

    /// The elements of `a` that are in `b`, and those that are not.
    pub(crate) fn split(&mut self, a: u32, b: u32) -> (u32, u32) {
        let other = self.elements(b).clone();
        let (inside, outside) = self.elements(a).iter().partition(|element| other.binary_search(element).is_ok());
        (self.number(inside), self.number(outside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_small_sets() {
        let mut sets = Sets::default();
        let elements = |bits: u32| (0..4).filter(move |bit| bits >> bit & 1 == 1);
        let numbers: Vec<u32> = (0..16).map(|bits| sets.number(elements(bits).collect())).collect();
        for (a, b) in (0..16u32).flat_map(|a| (0..16u32).map(move |b| (a, b))) {
            let (x, y) = (numbers[a as usize], numbers[b as usize]);
            assert_eq!(x == y, a == b);
            assert_eq!(sets.is_subset(x, y), a & !b == 0);
            assert_eq!(sets.meet(x, y), a & b != 0);
            assert_eq!(sets.split(x, y), (numbers[(a & b) as usize], numbers[(a & !b) as usize]));
        }
    }
}
