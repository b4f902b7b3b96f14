//! Products as trees over the groups of threads. Equal trees are the same tree, so two products that
//! differ in few groups share almost all of their nodes.

use crate::bags::{BagId, Bags, Entries};
use crate::cache::Cache;
use crate::sets::{SetId, Sets};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// A product that is not empty; two products are equal if and only if their numbers are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProductId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Leaf(BagId),
    Fork(ProductId, ProductId),
}

/// The sets and products over some groups of threads.
#[derive(Clone, Debug)]
pub struct Algebra {
    /// The component sets.
    pub sets: Sets,
    pub(crate) bags: Bags,
    group_sizes: Vec<u32>,
    nodes: Vec<Node>,
    table: HashTable<u32>,
    subsets: Cache,
    meetings: Cache,
    joins: Cache,
}

impl Algebra {
    /// No products yet; the groups have so many threads each, at least one.
    pub fn new(group_sizes: Vec<u32>) -> Algebra {
        Algebra {
            sets: Sets::default(),
            bags: Bags::default(),
            group_sizes,
            nodes: Vec::new(),
            table: HashTable::new(),
            subsets: Cache::default(),
            meetings: Cache::default(),
            joins: Cache::default(),
        }
    }

    /// How many threads each group has.
    pub fn group_sizes(&self) -> &[u32] {
        &self.group_sizes
    }

    /// The number of leaves of a tree: without threads there is one product, of nothing.
    fn width(&self) -> usize {
        self.group_sizes.len().max(1)
    }

    fn intern(&mut self, node: Node) -> ProductId {
        let hash = FxBuildHasher.hash_one(node);
        if let Some(&known) = self.table.find(hash, |&id| self.nodes[id as usize] == node) {
            return ProductId(known);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(nodes[id as usize]));
        ProductId(id)
    }

    fn node(&self, product: ProductId) -> Node {
        self.nodes[product.0 as usize]
    }

    /// The bag of these sets.
    pub fn bag_of(&mut self, entries: Vec<(SetId, u32)>) -> BagId {
        self.bags.of(entries)
    }

    /// The product of a bag for each group.
    pub fn product(&mut self, bags: &[BagId]) -> ProductId {
        match bags {
            [] => {
                let nothing = self.bags.of(Vec::new());
                self.intern(Node::Leaf(nothing))
            }
            [bag] => self.intern(Node::Leaf(*bag)),
            _ => {
                let (left, right) = bags.split_at(bags.len() / 2);
                let (left, right) = (self.product(left), self.product(right));
                self.intern(Node::Fork(left, right))
            }
        }
    }

    /// The product in which all threads of a group have the same set; `None` if a set is empty.
    pub fn uniform(&mut self, sets: &[SetId]) -> Option<ProductId> {
        if sets.iter().any(|set| set.is_empty()) {
            return None;
        }
        let sizes = self.group_sizes.clone();
        let bags: Vec<BagId> = sets.iter().zip(sizes).map(|(&set, size)| self.bags.of(vec![(set, size)])).collect();
        Some(self.product(&bags))
    }

    /// The sets of a group, each with how many threads have it.
    pub fn entries(&self, product: ProductId, group: usize) -> &Entries {
        self.bags.entries(self.bag(product, group))
    }

    pub(crate) fn bag(&self, product: ProductId, group: usize) -> BagId {
        let (mut product, mut group, mut width) = (product, group, self.width());
        loop {
            match self.node(product) {
                Node::Leaf(bag) => return bag,
                Node::Fork(left, right) => {
                    let half = width / 2;
                    (product, group, width) =
                        if group < half { (left, group, half) } else { (right, group - half, width - half) };
                }
            }
        }
    }

    /// The union of the sets of a group.
    pub fn hull(&mut self, product: ProductId, group: usize) -> SetId {
        let bag = self.bag(product, group);
        self.bags.hull(&mut self.sets, bag)
    }

    /// The bags of all groups.
    pub fn bags(&self, product: ProductId) -> Vec<BagId> {
        let mut bags = Vec::with_capacity(self.width());
        self.collect(product, &mut bags);
        bags.truncate(self.group_sizes.len());
        bags
    }

    fn collect(&self, product: ProductId, bags: &mut Vec<BagId>) {
        match self.node(product) {
            Node::Leaf(bag) => bags.push(bag),
            Node::Fork(left, right) => {
                self.collect(left, bags);
                self.collect(right, bags);
            }
        }
    }

    pub(crate) fn with_bag(&mut self, product: ProductId, group: usize, bag: BagId) -> ProductId {
        self.put(product, group, self.width(), bag)
    }

    fn put(&mut self, product: ProductId, group: usize, width: usize, bag: BagId) -> ProductId {
        let node = match self.node(product) {
            Node::Leaf(_) => Node::Leaf(bag),
            Node::Fork(left, right) => {
                let half = width / 2;
                if group < half {
                    Node::Fork(self.put(left, group, half, bag), right)
                } else {
                    Node::Fork(left, self.put(right, group - half, width - half, bag))
                }
            }
        };
        self.intern(node)
    }

    /// The product in which one of the threads of a group that have the set `from` has the set `to`,
    /// which is not empty.
    pub fn replace(&mut self, product: ProductId, group: usize, from: SetId, to: SetId) -> ProductId {
        if from == to {
            return product;
        }
        let bag = self.bag(product, group);
        let bag = self.bags.replace(bag, from, to);
        self.with_bag(product, group, bag)
    }

    /// Whether all tuples of `a` are in `b`, without dealing its sets out differently for different
    /// tuples. Where every group is one thread, that is whether `a` is a subset of `b`.
    pub fn is_subset(&mut self, a: ProductId, b: ProductId) -> bool {
        if a == b {
            return true;
        }
        match (self.node(a), self.node(b)) {
            (Node::Leaf(a), Node::Leaf(b)) => self.bags.is_within(&self.sets, a, b),
            (Node::Fork(left, right), Node::Fork(other_left, other_right)) => {
                if let Some(known) = self.subsets.get(a.0, b.0) {
                    return known == 1;
                }
                let answer = self.is_subset(left, other_left) && self.is_subset(right, other_right);
                self.subsets.put(a.0, b.0, answer as u32);
                answer
            }
            _ => unreachable!("all trees have the same shape"),
        }
    }

    /// Whether the products have a tuple in common.
    pub fn meet(&mut self, a: ProductId, b: ProductId) -> bool {
        if a == b {
            return true;
        }
        match (self.node(a), self.node(b)) {
            (Node::Leaf(a), Node::Leaf(b)) => self.bags.meet(&self.sets, a, b),
            (Node::Fork(left, right), Node::Fork(other_left, other_right)) => {
                let (x, y) = if a <= b { (a.0, b.0) } else { (b.0, a.0) };
                if let Some(known) = self.meetings.get(x, y) {
                    return known == 1;
                }
                let answer = self.meet(left, other_left) && self.meet(right, other_right);
                self.meetings.put(x, y, answer as u32);
                answer
            }
            _ => unreachable!("all trees have the same shape"),
        }
    }

    /// The smallest product with one set for each group that contains both.
    pub fn join(&mut self, a: ProductId, b: ProductId) -> ProductId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(known) = self.joins.get(a.0, b.0) {
            return ProductId(known);
        }
        let node = match (self.node(a), self.node(b)) {
            (Node::Leaf(a), Node::Leaf(b)) => {
                let (x, y) = (self.bags.hull(&mut self.sets, a), self.bags.hull(&mut self.sets, b));
                let hull = self.sets.union(x, y);
                Node::Leaf(self.bags.of(vec![(hull, self.bags.size(a))]))
            }
            (Node::Fork(left, right), Node::Fork(other_left, other_right)) => {
                Node::Fork(self.join(left, other_left), self.join(right, other_right))
            }
            _ => unreachable!("all trees have the same shape"),
        };
        let join = self.intern(node);
        self.joins.put(a.0, b.0, join.0);
        join
    }

    /// The intersection of two products, as products.
    pub fn intersections(&mut self, a: ProductId, b: ProductId) -> Vec<ProductId> {
        if !self.meet(a, b) {
            return Vec::new();
        }
        if self.is_subset(a, b) {
            return vec![a];
        }
        let (left, right) = (self.bags(a), self.bags(b));
        let mut results: Vec<Vec<BagId>> = vec![Vec::new()];
        for (x, y) in left.into_iter().zip(right) {
            let choices = self.bags.intersections(&mut self.sets, x, y);
            results = results.iter().flat_map(|r| choices.iter().map(|&c| [&r[..], &[c]].concat())).collect();
        }
        results.iter().map(|bags| self.product(bags)).collect()
    }

    /// Up to `most` groups in which `a` is not within `b`.
    pub(crate) fn failing_groups(&mut self, a: ProductId, b: ProductId, most: usize) -> Vec<usize> {
        let mut found = Vec::new();
        self.find_groups(a, b, 0, self.width(), most, &mut |algebra, a, b| !algebra.is_subset(a, b), &mut found);
        found
    }

    /// Up to `most` groups in which the products do not meet.
    pub(crate) fn disjoint_groups(&mut self, a: ProductId, b: ProductId, most: usize) -> Vec<usize> {
        let mut found = Vec::new();
        self.find_groups(a, b, 0, self.width(), most, &mut |algebra, a, b| !algebra.meet(a, b), &mut found);
        found
    }

    /// Up to `most` groups in which the products differ.
    pub(crate) fn differing_groups(&mut self, a: ProductId, b: ProductId, most: usize) -> Vec<usize> {
        let mut found = Vec::new();
        self.find_groups(a, b, 0, self.width(), most, &mut |_, a, b| a != b, &mut found);
        found
    }

    #[allow(clippy::too_many_arguments, reason = "a walk down two trees at once")]
    fn find_groups(
        &mut self,
        a: ProductId,
        b: ProductId,
        first: usize,
        width: usize,
        most: usize,
        wanted: &mut dyn FnMut(&mut Algebra, ProductId, ProductId) -> bool,
        found: &mut Vec<usize>,
    ) {
        if found.len() >= most || !wanted(self, a, b) {
            return;
        }
        match (self.node(a), self.node(b)) {
            (Node::Fork(left, right), Node::Fork(other_left, other_right)) => {
                let half = width / 2;
                self.find_groups(left, other_left, first, half, most, wanted, found);
                self.find_groups(right, other_right, first + half, width - half, most, wanted, found);
            }
            _ => found.push(first),
        }
    }

    /// Visits the groups of a product from left to right. `enter` is asked at every node of the tree
    /// whether to look below it; at a leaf, `Some` group.
    pub fn visit(&self, product: ProductId, enter: &mut dyn FnMut(ProductId, Option<usize>) -> bool) {
        self.visit_below(product, 0, self.width(), enter);
    }

    fn visit_below(
        &self,
        product: ProductId,
        first: usize,
        width: usize,
        enter: &mut dyn FnMut(ProductId, Option<usize>) -> bool,
    ) {
        let node = self.node(product);
        let group = matches!(node, Node::Leaf(_)).then_some(first);
        if enter(product, group)
            && let Node::Fork(left, right) = node
        {
            self.visit_below(left, first, width / 2, enter);
            self.visit_below(right, first + width / 2, width - width / 2, enter);
        }
    }

    /// The two halves of a node of a tree over `width` groups, or its bag.
    pub fn halves(&self, product: ProductId) -> Result<(ProductId, ProductId), BagId> {
        match self.node(product) {
            Node::Leaf(bag) => Err(bag),
            Node::Fork(left, right) => Ok((left, right)),
        }
    }

    /// The node with these halves.
    pub fn fork(&mut self, left: ProductId, right: ProductId) -> ProductId {
        self.intern(Node::Fork(left, right))
    }

    /// The node with this bag.
    pub fn leaf(&mut self, bag: BagId) -> ProductId {
        self.intern(Node::Leaf(bag))
    }

    /// The sets in a bag, each with how often it occurs.
    pub fn sets_in(&self, bag: BagId) -> &Entries {
        self.bags.entries(bag)
    }

    /// The product without one of its sets, for each of its sets. It is a product of fewer threads.
    pub(crate) fn without_one_set(&mut self, product: ProductId) -> Vec<ProductId> {
        let mut rests = Vec::new();
        for group in 0..self.group_sizes.len() {
            let entries = self.entries(product, group).to_vec();
            for index in 0..entries.len() {
                let mut fewer = entries.clone();
                fewer[index].1 -= 1;
                let bag = self.bags.of(fewer);
                rests.push(self.with_bag(product, group, bag));
            }
        }
        rests
    }

    /// One product for two that differ in just one set, so that nothing is lost.
    pub fn merge(&mut self, a: ProductId, b: ProductId) -> Option<ProductId> {
        let [group] = self.differing_groups(a, b, 2)[..] else { return None };
        let (from, to) = (self.entries(a, group).to_vec(), self.entries(b, group).to_vec());
        let missing = |from: &Entries, to: &Entries| -> Vec<(SetId, u32)> {
            let there = |set: SetId| to.iter().find(|entry| entry.0 == set).map_or(0, |entry| entry.1);
            from.iter().map(|entry| (entry.0, entry.1.saturating_sub(there(entry.0)))).filter(|e| e.1 > 0).collect()
        };
        let ([(x, 1)], [(y, 1)]) = (&missing(&from, &to)[..], &missing(&to, &from)[..]) else { return None };
        let both = self.sets.union(*x, *y);
        Some(self.replace(a, group, *x, both))
    }
}
