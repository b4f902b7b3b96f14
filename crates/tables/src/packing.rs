//! States as single words.
//!
//! A state is a row of fields: the number of its shared store, then the number of each thread's local state. A field is as wide as
//! its largest number so far needs. Where all fields fit into a word, they stand there side by side. Where they do not, fields are
//! numbered in pairs, these numbers in pairs again, and so on, until two numbers are left (tree compression; Blom, Lisser, van de Pol
//! and Weber, 2009). There are far fewer different parts than states, so a state takes little more than these two numbers.
//!
//! To pack a state changes nothing, so several workers may do it at once; states with new numbers or new pairs are told to
//! [`Packing::note`] first.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use threadwise_limits::{growth_of_list, growth_of_table};

/// Words have so many bits at least, so that there is something to divide them by.
const FEWEST_BITS: u32 = 16;

/// How states are packed.
pub struct Packing {
    /// For each field, which width it uses: copies of a thread share one.
    width_of: Vec<usize>,
    /// The widths that all that was noted needs.
    needed: Vec<u32>,
    tree: Option<Tree>,
    layout: Layout,
}

/// Where in a word what stands.
#[derive(Clone, Default)]
pub struct Layout {
    widths: Vec<u32>,
    /// Where each field starts; where there is a tree, where its two halves do.
    shifts: Vec<u32>,
    bits: u32,
    has_tree: bool,
}

/// A state that has been read from a word, ready to be changed.
#[derive(Clone, Default)]
pub struct Unpacked {
    /// The numbers of the nodes, of which the last are the fields.
    nodes: Vec<u32>,
    fields: usize,
    word: u64,
}

impl Unpacked {
    /// The fields.
    pub fn state(&self) -> &[u32] {
        &self.nodes[self.nodes.len() - self.fields..]
    }
}

impl Packing {
    /// For states whose fields share widths as `width_of` says.
    pub fn new(width_of: Vec<usize>) -> Packing {
        let count = width_of.iter().max().map_or(0, |&max| max + 1);
        let mut packing = Packing { width_of, needed: vec![1; count], tree: None, layout: Layout::default() };
        packing.needs_tree();
        packing.lay_out();
        packing
    }

    pub fn fields(&self) -> usize {
        self.width_of.len()
    }

    /// How many bits words have.
    pub fn bits(&self) -> u32 {
        self.layout.bits
    }

    /// The bytes that it takes anew when it next grows, if that is near.
    pub fn growth(&self) -> u64 {
        self.tree.iter().flat_map(|tree| &tree.pairs).map(Pairs::growth).sum()
    }

    /// How words are written now.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn width(&self, field: usize) -> u32 {
        self.layout.widths[self.width_of[field]]
    }

    /// The word of a state, if its numbers fit and its parts are known.
    pub fn pack(&self, state: &[u32]) -> Option<u64> {
        if !state.iter().enumerate().all(|(field, &value)| bits_of(value) <= self.width(field)) {
            return None;
        }
        let Some(tree) = &self.tree else {
            let shifted = self.layout.shifts.iter().zip(state).map(|(shift, &value)| u64::from(value) << shift);
            return Some(shifted.fold(0, |word, part| word | part));
        };
        let mut nodes = vec![0; 2 * state.len()];
        nodes[state.len()..].copy_from_slice(state);
        for node in (2..state.len()).rev() {
            nodes[node] = tree.pairs[node].find(nodes[2 * node], nodes[2 * node + 1])?;
        }
        self.word_of_halves(nodes[2], nodes[3])
    }

    /// Reads a word.
    #[inline]
    pub fn unpack(&self, word: u64, out: &mut Unpacked) {
        self.unpack_from(&self.layout, word, out);
    }

    /// Reads a word of an earlier layout.
    pub fn unpack_from(&self, layout: &Layout, word: u64, out: &mut Unpacked) {
        let fields = self.fields();
        (out.fields, out.word) = (fields, word);
        let Some(tree) = self.tree.as_ref().filter(|_| layout.has_tree) else {
            out.nodes.resize(fields, 0);
            for ((value, shift), &width_of) in out.nodes.iter_mut().zip(&layout.shifts).zip(&self.width_of) {
                *value = (word >> shift & mask(layout.widths[width_of])) as u32;
            }
            return;
        };
        out.nodes.resize(2 * fields, 0);
        out.nodes[2] = (word & mask(layout.shifts[1])) as u32;
        out.nodes[3] = (word >> layout.shifts[1]) as u32;
        for node in 2..fields {
            (out.nodes[2 * node], out.nodes[2 * node + 1]) = tree.pairs[node].pairs[out.nodes[node] as usize];
        }
    }

    /// The word of the state that differs from another one in the shared store and one thread's local state, if its numbers fit
    /// and its parts are known.
    #[inline]
    pub fn pack_changed(&self, from: &Unpacked, shared: u32, thread: usize, local: u32) -> Option<u64> {
        let (of_shared, of_local) = (self.width(0), self.width(thread + 1));
        if bits_of(shared) > of_shared || bits_of(local) > of_local {
            return None;
        }
        if let Some(tree) = &self.tree {
            return self.climb(tree, from, [(self.fields(), shared), (self.fields() + thread + 1, local)]);
        }
        let shift = self.layout.shifts[thread + 1];
        let others = from.word & !(mask(of_shared) | mask(of_local) << shift);
        Some(others | u64::from(shared) | u64::from(local) << shift)
    }

    /// The word of a state in which two fields changed: what is above them in the tree is looked up anew, deepest first.
    fn climb(&self, tree: &Tree, from: &Unpacked, mut changed: [(usize, u32); 2]) -> Option<u64> {
        let number_at = |changed: &[(usize, u32); 2], node: usize| {
            changed.iter().find(|(at, _)| *at == node).map_or(from.nodes[node], |(_, number)| *number)
        };
        while let Some(&(deepest, _)) = changed.iter().filter(|(at, _)| *at > 3).max_by_key(|(at, _)| *at) {
            let node = deepest / 2;
            let number = tree.pairs[node].find(number_at(&changed, 2 * node), number_at(&changed, 2 * node + 1))?;
            for way in changed.iter_mut().filter(|(at, _)| at / 2 == node) {
                *way = (node, number);
            }
        }
        self.word_of_halves(number_at(&changed, 2), number_at(&changed, 3))
    }

    fn word_of_halves(&self, left: u32, right: u32) -> Option<u64> {
        let middle = self.layout.shifts[1];
        let fits = bits_of(left) <= middle && bits_of(right) <= self.layout.bits - middle;
        fits.then(|| u64::from(left) | u64::from(right) << middle)
    }

    /// Takes note of a state that is to be packed. It may then need another layout.
    pub fn note(&mut self, state: &[u32]) {
        for (&width_of, &value) in self.width_of.iter().zip(state) {
            self.needed[width_of] = self.needed[width_of].max(bits_of(value));
        }
        if let Some(tree) = &mut self.tree {
            tree.note(state);
        }
    }

    /// Whether some number that was noted does not fit.
    pub fn is_outgrown(&self) -> bool {
        let is_wider = self.needed.iter().zip(&self.layout.widths).any(|(needed, width)| needed > width);
        is_wider
            || self.tree.as_ref().is_some_and(|tree| self.halves(tree) != (self.layout.shifts[1], self.right_bits()))
    }

    fn right_bits(&self) -> u32 {
        self.layout.bits - self.layout.shifts[1]
    }

    /// Whether the fields that were noted fit into a word only as a tree, and there is none yet. If so, there is an empty one
    /// from now on, and all states must be noted again before anything is packed.
    pub fn needs_tree(&mut self) -> bool {
        let all: u32 = self.width_of.iter().map(|&width_of| self.needed[width_of]).sum();
        let needs_tree = all > u64::BITS && self.tree.is_none();
        if needs_tree {
            self.tree = Some(Tree::new(self.width_of.len()));
        }
        needs_tree
    }

    /// Makes room for what was noted; hands back the layout of before.
    pub fn lay_out(&mut self) -> Layout {
        let mut layout = Layout { widths: self.needed.clone(), has_tree: self.tree.is_some(), ..Layout::default() };
        match &self.tree {
            None => {
                for &width_of in &self.width_of {
                    layout.shifts.push(layout.bits);
                    layout.bits += layout.widths[width_of];
                }
                layout.bits = layout.bits.max(FEWEST_BITS);
            }
            Some(tree) => {
                let (left, right) = self.halves(tree);
                layout.shifts = vec![0, left];
                layout.bits = left + right;
            }
        }
        std::mem::replace(&mut self.layout, layout)
    }

    /// How many bits the two halves of a tree need.
    fn halves(&self, tree: &Tree) -> (u32, u32) {
        let fields = self.fields();
        let bits = |node: usize| match node.checked_sub(fields) {
            Some(field) => self.needed[self.width_of[field]],
            None => bits_of(tree.pairs[node].pairs.len() as u32),
        };
        // The least that they have keeps words long enough.
        (bits(2).max(FEWEST_BITS / 2), bits(3).max(FEWEST_BITS / 2))
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[inline]
fn bits_of(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

/// Numbers of pairs of numbers of pairs and so on. The children of a node have twice its number, and one more; the last nodes are
/// the fields. The first node is the pair that becomes a word, and has no number.
#[derive(Clone)]
struct Tree {
    pairs: Vec<Pairs>,
}

impl Tree {
    fn new(fields: usize) -> Tree {
        Tree { pairs: vec![Pairs::default(); fields] }
    }

    fn note(&mut self, state: &[u32]) {
        let mut nodes = vec![0; 2 * state.len()];
        nodes[state.len()..].copy_from_slice(state);
        for node in (2..state.len()).rev() {
            nodes[node] = self.pairs[node].number(nodes[2 * node], nodes[2 * node + 1]);
        }
    }
}

/// Numbers pairs in the order they first appear.
#[derive(Clone, Default)]
struct Pairs {
    pairs: Vec<(u32, u32)>,
    table: HashTable<u32>,
}

impl Pairs {
    fn find(&self, left: u32, right: u32) -> Option<u32> {
        let hash = FxBuildHasher.hash_one((left, right));
        self.table.find(hash, |&id| self.pairs[id as usize] == (left, right)).copied()
    }

    fn number(&mut self, left: u32, right: u32) -> u32 {
        if let Some(id) = self.find(left, right) {
            return id;
        }
        let id = self.pairs.len() as u32;
        self.pairs.push((left, right));
        let (hash, pairs) = (FxBuildHasher.hash_one((left, right)), &self.pairs);
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(pairs[id as usize]));
        id
    }

    fn growth(&self) -> u64 {
        growth_of_table::<u32>(self.table.len(), self.table.capacity()) + growth_of_list(&self.pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::{Packing, Unpacked};

    /// A number for each step of a walk, none too large.
    fn pseudo_random(seed: u64, below: u32) -> u32 {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed >> 32) % u64::from(below)) as u32
    }

    fn states(fields: usize, below: u32) -> Vec<Vec<u32>> {
        let state = |index: u64| (0..fields as u64).map(|field| pseudo_random(index * 64 + field, below)).collect();
        (0..200).map(state).collect()
    }

    fn noted(states: &[Vec<u32>], width_of: Vec<usize>) -> Packing {
        let mut packing = Packing::new(width_of);
        states.iter().for_each(|state| packing.note(state));
        if packing.needs_tree() {
            states.iter().for_each(|state| packing.note(state));
        }
        packing.lay_out();
        assert!(!packing.is_outgrown());
        packing
    }

    #[test]
    fn what_is_packed_is_read_again() {
        for (fields, below) in [(1, 9), (3, 5), (4, 1 << 20), (9, 1 << 8), (17, 30), (40, 1000), (200, 3)] {
            let states = states(fields, below);
            let packing = noted(&states, (0..fields).collect());
            let mut words: Vec<u64> = Vec::new();
            for state in &states {
                let word = packing.pack(state).expect("it was noted");
                let mut unpacked = Unpacked::default();
                packing.unpack(word, &mut unpacked);
                assert_eq!(unpacked.state(), state);
                assert!(packing.bits() == 64 || word >> packing.bits() == 0);
                words.push(word);
            }
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), states.len().min(if fields == 1 { 9 } else { 200 }).min(words.len()));
        }
    }

    #[test]
    fn a_changed_state_is_packed_like_a_new_one() {
        for (fields, below) in [(3, 5), (9, 1 << 8), (17, 30), (40, 1000)] {
            let states = states(fields, below);
            let changed: Vec<Vec<u32>> = states
                .iter()
                .enumerate()
                .map(|(index, state)| {
                    let mut changed = state.clone();
                    changed[0] = pseudo_random(index as u64 + 77, below);
                    changed[1 + index % (fields - 1)] = pseudo_random(index as u64 + 99, below);
                    changed
                })
                .collect();
            let all: Vec<Vec<u32>> = states.iter().chain(&changed).cloned().collect();
            let packing = noted(&all, vec![0; fields]);
            for (index, (state, changed)) in states.iter().zip(&changed).enumerate() {
                let thread = index % (fields - 1);
                let mut unpacked = Unpacked::default();
                packing.unpack(packing.pack(state).expect("it was noted"), &mut unpacked);
                let word = packing.pack_changed(&unpacked, changed[0], thread, changed[thread + 1]);
                assert_eq!(word, packing.pack(changed));
            }
        }
    }

    #[test]
    fn what_was_not_noted_has_no_word() {
        let states = states(30, 1000);
        let packing = noted(&states[..100], (0..30).collect());
        assert!(states[100..].iter().all(|state| packing.pack(state).is_none()));
        let small = noted(&[vec![1, 1]], vec![0, 1]);
        assert_eq!(small.pack(&[2, 0]), None);
    }
}
