//! Bags of component sets: what the interchangeable threads of a group can be doing.
//!
//! A bag stands for all ways to deal its sets out to the threads. A bag is within another if its
//! sets can be paired off with larger ones of the other, and the two meet if they can be paired off
//! with sets that they meet: a question about flows, from the sets of one to the sets of the other.

use crate::sets::{SetId, Sets};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A bag; two bags are equal if and only if their numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BagId(pub(crate) u32);

/// Two sets that are paired off, and how often.
pub(crate) type Pair = (SetId, SetId, u32);

/// Sets with how often they occur.
pub(crate) type Entries = [(SetId, u32)];

#[derive(Clone, Debug, Default)]
pub(crate) struct Bags {
    /// Sorted by set.
    entries: Vec<Box<Entries>>,
    table: HashTable<u32>,
    within: FxHashMap<(BagId, BagId), bool>,
    meeting: FxHashMap<(BagId, BagId), bool>,
}

impl Bags {
    pub(crate) fn of(&mut self, mut entries: Vec<(SetId, u32)>) -> BagId {
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        entries.retain(|entry| entry.1 > 0);
        let hash = FxBuildHasher.hash_one(&entries[..]);
        if let Some(&known) = self.table.find(hash, |&id| *self.entries[id as usize] == *entries) {
            return BagId(known);
        }
        let id = self.entries.len() as u32;
        self.entries.push(entries.into());
        let all = &self.entries;
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&all[id as usize][..]));
        BagId(id)
    }

    pub(crate) fn entries(&self, bag: BagId) -> &Entries {
        &self.entries[bag.0 as usize]
    }

    /// How many sets there are in it.
    pub(crate) fn size(&self, bag: BagId) -> u32 {
        self.entries(bag).iter().map(|entry| entry.1).sum()
    }

    /// The bag with one of its sets replaced.
    pub(crate) fn replace(&mut self, bag: BagId, from: SetId, to: SetId) -> BagId {
        let mut entries = self.entries(bag).to_vec();
        let entry = entries.iter_mut().find(|entry| entry.0 == from).expect("the set is in the bag");
        entry.1 -= 1;
        entries.push((to, 1));
        self.of(entries)
    }

    /// The union of all sets in the bag.
    pub(crate) fn hull(&self, sets: &mut Sets, bag: BagId) -> SetId {
        self.entries(bag).iter().fold(SetId::EMPTY, |hull, entry| sets.union(hull, entry.0))
    }

    pub(crate) fn is_within(&mut self, sets: &Sets, a: BagId, b: BagId) -> bool {
        if a == b {
            return true;
        }
        if let ([(x, _)], [(y, _)]) = (self.entries(a), self.entries(b)) {
            return sets.is_subset(*x, *y);
        }
        if let Some(&known) = self.within.get(&(a, b)) {
            return known;
        }
        let within = can_be_paired(self.entries(a), self.entries(b), &|x, y| sets.is_subset(x, y));
        self.within.insert((a, b), within);
        within
    }

    pub(crate) fn meet(&mut self, sets: &Sets, a: BagId, b: BagId) -> bool {
        if a == b {
            return true;
        }
        if let ([(x, _)], [(y, _)]) = (self.entries(a), self.entries(b)) {
            return sets.meet(*x, *y);
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(&known) = self.meeting.get(&(a, b)) {
            return known;
        }
        let meet = can_be_paired(self.entries(a), self.entries(b), &|x, y| sets.meet(x, y));
        self.meeting.insert((a, b), meet);
        meet
    }

    /// All bags that result when the sets of one are paired off with sets of the other, each pair
    /// giving its intersection and none of them empty.
    pub(crate) fn intersections(&mut self, sets: &mut Sets, a: BagId, b: BagId) -> Vec<BagId> {
        if a == b {
            return vec![a];
        }
        let (from, to) = (self.entries(a).to_vec(), self.entries(b).to_vec());
        let mut pairings = Vec::new();
        for_each_pairing(&from, &to, &|x, y| sets.meet(x, y), &mut |pairs| pairings.push(pairs.to_vec()));
        let bag_of = |pairs: Vec<(SetId, SetId, u32)>| {
            let entries = pairs.into_iter().map(|(x, y, count)| (sets.intersection(x, y), count)).collect();
            self.of(entries)
        };
        let mut bags: Vec<BagId> = pairings.into_iter().map(bag_of).collect();
        bags.sort_unstable();
        bags.dedup();
        bags
    }
}

/// Whether the sets can be paired off so that each pair is related: whether all of `from` flows to
/// `to` along related pairs.
fn can_be_paired(from: &Entries, to: &Entries, related: &dyn Fn(SetId, SetId) -> bool) -> bool {
    let (rows, columns) = (from.len(), to.len());
    let edges: Vec<bool> = from.iter().flat_map(|x| to.iter().map(|y| related(x.0, y.0))).collect();
    let mut flow = vec![0u32; rows * columns];
    let mut room: Vec<u32> = to.iter().map(|entry| entry.1).collect();
    for (row, entry) in from.iter().enumerate() {
        let mut left = entry.1;
        while left > 0 {
            let mut seen = vec![false; columns];
            let amount = augment(row, left, columns, &edges, &mut flow, &mut room, &mut seen);
            if amount == 0 {
                return false;
            }
            left -= amount;
        }
    }
    true
}

/// Sends up to `amount` from a row to a column with room, moving earlier flows aside.
fn augment(
    row: usize,
    amount: u32,
    columns: usize,
    edges: &[bool],
    flow: &mut [u32],
    room: &mut [u32],
    seen: &mut [bool],
) -> u32 {
    for column in 0..columns {
        if !edges[row * columns + column] || seen[column] {
            continue;
        }
        seen[column] = true;
        let direct = amount.min(room[column]);
        if direct > 0 {
            room[column] -= direct;
            flow[row * columns + column] += direct;
            return direct;
        }
        for other in 0..flow.len() / columns {
            let movable = flow[other * columns + column].min(amount);
            if other == row || movable == 0 {
                continue;
            }
            let moved = augment(other, movable, columns, edges, flow, room, seen);
            if moved > 0 {
                flow[other * columns + column] -= moved;
                flow[row * columns + column] += moved;
                return moved;
            }
        }
    }
    0
}

/// All ways to pair the sets off so that each pair is related: pairs with how often they occur.
pub(crate) fn for_each_pairing(
    from: &Entries,
    to: &Entries,
    related: &dyn Fn(SetId, SetId) -> bool,
    visit: &mut dyn FnMut(&[Pair]),
) {
    let mut room: Vec<u32> = to.iter().map(|entry| entry.1).collect();
    let left = from.first().map_or(0, |entry| entry.1);
    pair_off(from, to, related, (0, 0, left), &mut room, &mut Vec::new(), visit);
}

fn pair_off(
    from: &Entries,
    to: &Entries,
    related: &dyn Fn(SetId, SetId) -> bool,
    (row, column, left): (usize, usize, u32),
    room: &mut [u32],
    pairs: &mut Vec<Pair>,
    visit: &mut dyn FnMut(&[Pair]),
) {
    let Some(&(x, _)) = from.get(row) else { return visit(pairs) };
    if left == 0 {
        let next = from.get(row + 1).map_or(0, |entry| entry.1);
        return pair_off(from, to, related, (row + 1, 0, next), room, pairs, visit);
    }
    let Some(&(y, _)) = to.get(column) else { return };
    let most = if related(x, y) { left.min(room[column]) } else { 0 };
    // What the columns after this one cannot take must go here.
    let later: u32 = room[column + 1..].iter().sum();
    for amount in left.saturating_sub(later)..=most {
        room[column] -= amount;
        if amount > 0 {
            pairs.push((x, y, amount));
        }
        pair_off(from, to, related, (row, column + 1, left - amount), room, pairs, visit);
        if amount > 0 {
            pairs.pop();
        }
        room[column] += amount;
    }
}
