//! Unions of products against sets of tuples, on small universes.

use proptest::prelude::*;
use std::collections::BTreeSet;
use threadwise_limits::Budget;
use threadwise_products::{Algebra, Pace, ProductId, SetId, Union};

type Tuple = Vec<u32>;
type Tuples = BTreeSet<Tuple>;

const ELEMENTS: u32 = 3;

/// One set for each thread, as bits; never 0.
type Components = Vec<u8>;

fn groups() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![Just(vec![1, 1]), Just(vec![1, 1, 1]), Just(vec![3]), Just(vec![2, 1]), Just(vec![2, 2]), Just(vec![4])]
}

fn components(threads: usize) -> impl Strategy<Value = Components> {
    proptest::collection::vec(1u8..1 << ELEMENTS, threads)
}

fn case() -> impl Strategy<Value = (Vec<u32>, Components, Vec<Components>)> {
    groups().prop_flat_map(|groups| {
        let threads = groups.iter().sum::<u32>() as usize;
        (Just(groups), components(threads), proptest::collection::vec(components(threads), 0..5))
    })
}

fn set(algebra: &mut Algebra, bits: u8) -> SetId {
    algebra.sets.of((0..ELEMENTS).filter(|e| bits >> e & 1 == 1))
}

fn product(algebra: &mut Algebra, components: &Components) -> ProductId {
    let mut rest = &components[..];
    let mut bags = Vec::new();
    for size in algebra.group_sizes().to_vec() {
        let (mine, others) = rest.split_at(size as usize);
        rest = others;
        let entries = mine.iter().map(|&bits| (set(algebra, bits), 1)).collect();
        bags.push(algebra.bag_of(entries));
    }
    algebra.product(&bags)
}

/// All tuples in which some dealing out of the sets within each group has each element in its set.
fn tuples(algebra: &Algebra, product: ProductId) -> Tuples {
    let mut tuples = Tuples::from([Vec::new()]);
    for group in 0..algebra.group_sizes().len() {
        let entries = algebra.entries(product, group);
        let sets: Vec<SetId> =
            entries.iter().flat_map(|&(set, count)| std::iter::repeat_n(set, count as usize)).collect();
        let mut dealt = Tuples::new();
        deal(algebra, &sets, &mut vec![false; sets.len()], &mut Vec::new(), &mut dealt);
        tuples = tuples.iter().flat_map(|t| dealt.iter().map(|d| [&t[..], &d[..]].concat())).collect();
    }
    tuples
}

fn deal(algebra: &Algebra, sets: &[SetId], used: &mut Vec<bool>, tuple: &mut Tuple, out: &mut Tuples) {
    if tuple.len() == sets.len() {
        out.insert(tuple.clone());
        return;
    }
    for index in 0..sets.len() {
        if used[index] {
            continue;
        }
        used[index] = true;
        for element in algebra.sets.elements(sets[index]) {
            tuple.push(element);
            deal(algebra, sets, used, tuple, out);
            tuple.pop();
        }
        used[index] = false;
    }
}

fn all_tuples(algebra: &Algebra, products: &[ProductId]) -> Tuples {
    products.iter().flat_map(|&p| tuples(algebra, p)).collect()
}

/// Each group's elements in some tuple; the groups' elements in tuples follow each other.
fn hull(algebra: &Algebra, tuples: &Tuples) -> Vec<BTreeSet<u32>> {
    let mut first = 0;
    let mut hulls = Vec::new();
    for &size in algebra.group_sizes() {
        let range = first..first + size as usize;
        first = range.end;
        hulls.push(tuples.iter().flat_map(|t| t[range.clone()].iter().copied()).collect());
    }
    hulls
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn questions_about_two_products((groups, a, others) in case()) {
        let mut algebra = Algebra::new(groups);
        let a = product(&mut algebra, &a);
        let a_tuples = tuples(&algebra, a);
        for b in &others {
            let b = product(&mut algebra, b);
            let b_tuples = tuples(&algebra, b);
            let alone = algebra.group_sizes().iter().all(|&size| size == 1);
            if alone {
                prop_assert_eq!(a == b, a_tuples == b_tuples);
                prop_assert_eq!(algebra.is_subset(a, b), a_tuples.is_subset(&b_tuples));
            } else {
                prop_assert!(!algebra.is_subset(a, b) || a_tuples.is_subset(&b_tuples));
            }
            prop_assert_eq!(algebra.meet(a, b), !a_tuples.is_disjoint(&b_tuples));
            let both = algebra.intersections(a, b);
            prop_assert_eq!(all_tuples(&algebra, &both), a_tuples.intersection(&b_tuples).cloned().collect::<Tuples>());
            let join = algebra.join(a, b);
            let union: Tuples = a_tuples.union(&b_tuples).cloned().collect();
            prop_assert_eq!(hull(&algebra, &tuples(&algebra, join)), hull(&algebra, &union));
            if let Some(merged) = algebra.merge(a, b) {
                prop_assert_eq!(tuples(&algebra, merged), union);
            }
        }
    }

    #[test]
    fn unions((groups, a, others) in case()) {
        let mut algebra = Algebra::new(groups);
        let budget = Budget::unlimited();
        let mut pace = Pace::new(&budget);
        let a = product(&mut algebra, &a);
        let a_tuples = tuples(&algebra, a);
        let products: Vec<ProductId> = others.iter().map(|c| product(&mut algebra, c)).collect();
        let expected = all_tuples(&algebra, &products);
        let (some, more) = products.split_at(products.len() / 2);
        let union = Union::of(&mut algebra, some).with(&mut algebra, more);
        prop_assert_eq!(&all_tuples(&algebra, union.products()), &expected);
        for (i, &p) in union.products().iter().enumerate() {
            for (j, &q) in union.products().iter().enumerate() {
                prop_assert!(i == j || !algebra.is_subset(p, q));
            }
        }
        prop_assert_eq!(
            union.meeting(&mut algebra, a),
            union.products().iter().copied().filter(|&p| algebra.meet(p, a)).collect::<Vec<_>>()
        );
        let included = algebra.is_included(a, &union, &mut pace).unwrap();
        prop_assert_eq!(included, a_tuples.is_subset(&expected));
        let left = algebra.difference(a, &union, &mut pace).unwrap();
        let left_tuples: Tuples = a_tuples.difference(&expected).cloned().collect();
        prop_assert_eq!(&all_tuples(&algebra, &left), &left_tuples);
        match algebra.project_difference(a, &union, &mut pace).unwrap() {
            None => prop_assert!(left_tuples.is_empty()),
            Some(found) => {
                prop_assert!(!left_tuples.is_empty());
                prop_assert_eq!(hull(&algebra, &tuples(&algebra, found)), hull(&algebra, &left_tuples));
            }
        }
    }

    #[test]
    fn maximized_unions_contain_every_product_within((groups, a, others) in case()) {
        let mut algebra = Algebra::new(groups);
        let a = product(&mut algebra, &a);
        let products: Vec<ProductId> = others.iter().map(|c| product(&mut algebra, c)).collect();
        let expected = all_tuples(&algebra, &products);
        let union = Union::of(&mut algebra, &products);
        let maximal = algebra.maximized(&union).expect("a small union").to_vec();
        prop_assert_eq!(&all_tuples(&algebra, &maximal), &expected);
        let within_one = maximal.iter().any(|&p| algebra.is_subset(a, p));
        prop_assert_eq!(within_one, tuples(&algebra, a).is_subset(&expected));
    }
}

#[test]
fn figure_2_1() {
    // Two rectangles that cross have two more maximal products: the first and the second resolvent.
    let mut algebra = Algebra::new(vec![1, 1]);
    let wide = product(&mut algebra, &vec![0b011, 0b001]);
    let high = product(&mut algebra, &vec![0b110, 0b011]);
    let union = Union::of(&mut algebra, &[wide, high]);
    let maximal = algebra.maximized(&union).expect("a small union").to_vec();
    let first = product(&mut algebra, &vec![0b111, 0b001]);
    let second = product(&mut algebra, &vec![0b010, 0b011]);
    // The first resolvent contains `wide`; the second is within `high`.
    assert!(algebra.is_subset(wide, first) && algebra.is_subset(second, high));
    assert_eq!(maximal, {
        let mut all = vec![first, high];
        all.sort();
        all
    });
}

#[test]
fn a_thousand_threads_of_which_one_differs_share_their_nodes() {
    let mut algebra = Algebra::new(vec![1; 1000]);
    let (low, high) = (algebra.sets.of([0]), algebra.sets.of([1]));
    let base = algebra.uniform(&vec![low; 1000]).expect("not empty");
    let products: Vec<ProductId> = (0..1000).map(|thread| algebra.replace(base, thread, low, high)).collect();
    let union = Union::of(&mut algebra, &products);
    assert_eq!(union.products().len(), 1000);
    assert!(products.iter().all(|&p| union.meeting(&mut algebra, p) == [p]));
    assert!(!union.contains(&mut algebra, base));
}
