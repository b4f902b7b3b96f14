//! Sets of valuations as few cubes.
//!
//! A valuation gives each variable a value, a cube gives each variable a set of values and means
//! all valuations with values from these sets. A set of valuations is first one cube for each; then
//! two cubes that differ in one variable only are merged, over and over (Quine and McCluskey's way,
//! with more than two values). What comes out depends on the order in which variables are taken, so
//! several orders are tried. At last, a variable is dropped from a cube wherever all values of its
//! type are in the set anyway, and cubes inside the union of others go.
//!
//! The cubes mean exactly the given valuations, whichever limits are hit on the way.

use std::collections::HashMap;

/// A value for each variable.
pub(crate) type Point = Vec<i64>;

/// A set of values for each variable, sorted.
pub(crate) type Cube = Vec<Vec<i64>>;

/// More valuations than this are not made cubes of.
pub(crate) const MAX_POINTS: usize = 20_000;

/// At most this many cubes are handled in all orders of the variables together.
const MAX_ORDER_WORK: usize = 60_000;

/// At most this many points are looked up to make the cubes of one order larger and fewer.
const MAX_LOOKUPS: usize = 60_000;

/// What there is to know about a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis {
    /// The least and the largest value, for types with few values: all between are values too.
    pub(crate) bounds: Option<(i64, i64)>,
    /// Sets of its values read well, so its values are put together first.
    pub(crate) is_number: bool,
}

impl Axis {
    /// Whether a set has all values of the type.
    pub(crate) fn is_whole(&self, values: &[i64]) -> bool {
        self.bounds.is_some_and(|(lo, hi)| (hi - lo).unsigned_abs() + 1 == values.len() as u64)
    }

    /// How hard it is to read that the variable's value is in the set.
    fn cost(&self, values: &[i64]) -> usize {
        match values {
            _ if self.is_whole(values) => 0,
            [_] => 1,
            [first, .., last] if self.is_number && is_run(*first, *last, values.len()) => 2,
            _ if self.bounds.is_some_and(|(lo, hi)| (hi - lo).unsigned_abs() == values.len() as u64) => 2,
            _ => 2 + values.len(),
        }
    }
}

/// Whether so many different numbers from the first to the last are all that are between them.
pub(crate) fn is_run(first: i64, last: i64, count: usize) -> bool {
    last.checked_sub(first).is_some_and(|width| width.unsigned_abs() + 1 == count as u64)
}

/// Few cubes that together mean exactly the points; `None` if there are too many points.
pub(crate) fn cover(axes: &[Axis], mut points: Vec<Point>) -> Option<Vec<Cube>> {
    points.sort_unstable();
    points.dedup();
    if points.len() > MAX_POINTS {
        return None;
    }
    let mut best: Option<(usize, usize, Vec<Cube>)> = None;
    for order in orders(axes, &points) {
        let cubes = Shrink::new(axes, &points).run(merged(&points, &order));
        let literals = cubes.iter().flat_map(|cube| cube.iter().zip(axes));
        let cost = literals.map(|(values, axis)| axis.cost(values)).sum();
        if best.as_ref().is_none_or(|(count, least, _)| (cubes.len(), cost) < (*count, *least)) {
            best = Some((cubes.len(), cost, cubes));
        }
    }
    let mut cubes = best.map_or_else(Vec::new, |(_, _, cubes)| cubes);
    cubes.sort_unstable();
    Some(cubes)
}

/// The orders to try: of the variables that have more than one value, numbers first.
fn orders(axes: &[Axis], points: &[Point]) -> Vec<Vec<usize>> {
    let varies = |&axis: &usize| points.windows(2).any(|pair| pair[0][axis] != pair[1][axis]);
    let mut base: Vec<usize> = (0..axes.len()).filter(varies).collect();
    base.sort_by_key(|&axis| !axes[axis].is_number);
    let most = (MAX_ORDER_WORK / points.len().max(1)).max(1);
    let mut orders = match base.len() {
        0..=4 => permutations(&base),
        n => (0..n).map(|by| [&base[by..], &base[..by]].concat()).collect(),
    };
    orders.truncate(most);
    orders
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in items.iter().enumerate() {
        let rest = [&items[..index], &items[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|rest| [&[first], &rest[..]].concat()));
    }
    all
}

/// Sets of values as small numbers.
#[derive(Default)]
struct Sets {
    all: Vec<Vec<i64>>,
    ids: HashMap<Vec<i64>, u32>,
}

impl Sets {
    fn id(&mut self, set: Vec<i64>) -> u32 {
        *self.ids.entry(set).or_insert_with_key(|set| {
            self.all.push(set.clone());
            self.all.len() as u32 - 1
        })
    }

    fn union(&mut self, ids: &[u32]) -> u32 {
        let mut union: Vec<i64> = ids.iter().flat_map(|&id| self.all[id as usize].iter().copied()).collect();
        union.sort_unstable();
        union.dedup();
        self.id(union)
    }
}

/// Disjoint cubes: one for each point, then merged along the variables in this order.
fn merged(points: &[Point], order: &[usize]) -> Vec<Cube> {
    let mut sets = Sets::default();
    let mut cubes: Vec<Vec<u32>> =
        points.iter().map(|point| point.iter().map(|&value| sets.id(vec![value])).collect()).collect();
    loop {
        let before = cubes.len();
        for &axis in order {
            cubes = merged_along(axis, cubes, &mut sets);
        }
        if cubes.len() == before {
            break;
        }
    }
    let cube = |ids: &Vec<u32>| ids.iter().map(|&id| sets.all[id as usize].clone()).collect();
    cubes.iter().map(cube).collect()
}

/// Merges the cubes that differ in one variable only.
fn merged_along(axis: usize, mut cubes: Vec<Vec<u32>>, sets: &mut Sets) -> Vec<Vec<u32>> {
    let others = |cube: &[u32]| (cube[..axis].to_vec(), cube[axis + 1..].to_vec());
    cubes.sort_by_cached_key(|cube| others(cube));
    let same = |a: &Vec<u32>, b: &Vec<u32>| a[..axis] == b[..axis] && a[axis + 1..] == b[axis + 1..];
    let mut result = Vec::new();
    for group in cubes.chunk_by(same) {
        let mut cube = group[0].clone();
        if group.len() > 1 {
            let values: Vec<u32> = group.iter().map(|cube| cube[axis]).collect();
            cube[axis] = sets.union(&values);
        }
        result.push(cube);
    }
    result
}

/// Makes cubes larger, where they stay within the points, and fewer.
struct Shrink<'a> {
    axes: &'a [Axis],
    points: &'a [Point],
    lookups: usize,
}

impl<'a> Shrink<'a> {
    fn new(axes: &'a [Axis], points: &'a [Point]) -> Shrink<'a> {
        Shrink { axes, points, lookups: MAX_LOOKUPS }
    }

    fn run(mut self, mut cubes: Vec<Cube>) -> Vec<Cube> {
        for cube in &mut cubes {
            for axis in 0..self.axes.len() {
                self.drop_variable(cube, axis);
            }
        }
        cubes.sort_unstable();
        cubes.dedup();
        self.without_redundant(cubes)
    }

    /// Lets the variable have any value of its type, if all of those are in the set.
    fn drop_variable(&mut self, cube: &mut Cube, axis: usize) {
        let Some((lo, hi)) = self.axes[axis].bounds.filter(|(lo, hi)| hi - lo < 64) else {
            return;
        };
        let missing: Vec<i64> = (lo..=hi).filter(|value| !cube[axis].contains(value)).collect();
        let before = std::mem::replace(&mut cube[axis], missing);
        let points = self.points;
        let fits = self.all(cube, |point| points.binary_search_by(|p| p.as_slice().cmp(point)).is_ok());
        cube[axis] = if fits { (lo..=hi).collect() } else { before };
    }

    fn without_redundant(&mut self, mut cubes: Vec<Cube>) -> Vec<Cube> {
        // Small cubes are the ones to get rid of.
        cubes.sort_by_cached_key(size);
        let mut index = 0;
        while index < cubes.len() {
            let cube = cubes.remove(index);
            let elsewhere = |point: &[i64]| cubes.iter().any(|cube| contains(cube, point));
            if !self.all(&cube, elsewhere) {
                cubes.insert(index, cube);
                index += 1;
            }
        }
        cubes
    }

    /// Whether all points of a cube pass the test; `false` also if there is no time to try them.
    fn all(&mut self, cube: &Cube, test: impl Fn(&[i64]) -> bool) -> bool {
        let size = size(cube);
        if size > self.lookups {
            return false;
        }
        let mut digits = vec![0; cube.len()];
        let mut point: Point = cube.iter().map(|values| values.first().copied().unwrap_or(0)).collect();
        for _ in 0..size {
            self.lookups -= 1;
            if !test(&point) {
                return false;
            }
            for axis in 0..cube.len() {
                digits[axis] = (digits[axis] + 1) % cube[axis].len();
                point[axis] = cube[axis][digits[axis]];
                if digits[axis] > 0 {
                    break;
                }
            }
        }
        true
    }
}

/// How many points a cube has.
fn size(cube: &Cube) -> usize {
    cube.iter().fold(1, |product: usize, values| product.saturating_mul(values.len()))
}

fn contains(cube: &Cube, point: &[i64]) -> bool {
    cube.iter().zip(point).all(|(values, value)| values.binary_search(value).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOOL: Axis = Axis { bounds: Some((0, 1)), is_number: false };
    const INT: Axis = Axis { bounds: None, is_number: true };

    #[test]
    fn no_points_and_no_variables() {
        assert_eq!(cover(&[BOOL], vec![]), Some(vec![]));
        assert_eq!(cover(&[], vec![vec![]]), Some(vec![vec![]]));
    }

    #[test]
    fn values_are_put_together() {
        let points = vec![vec![0, 1], vec![2, 0], vec![2, 1]];
        let holder = Axis { bounds: Some((0, 2)), is_number: false };
        let cubes = cover(&[holder, INT], points);
        assert_eq!(cubes, Some(vec![vec![vec![0], vec![1]], vec![vec![2], vec![0, 1]]]));
    }

    #[test]
    fn cubes_may_overlap_where_that_is_shorter() {
        // a || b
        let points = vec![vec![0, 1], vec![1, 0], vec![1, 1]];
        let cubes = cover(&[BOOL, BOOL], points);
        assert_eq!(cubes, Some(vec![vec![vec![0, 1], vec![1]], vec![vec![1], vec![0, 1]]]));
    }

    #[test]
    fn cubes_inside_the_union_of_others_go() {
        // a && b || !a && c, which has b && c as a third prime implicant.
        let holds = |p: &[i64]| if p[0] == 1 { p[1] == 1 } else { p[2] == 1 };
        let all = (0..8).map(|n| vec![n >> 2 & 1, n >> 1 & 1, n & 1]);
        let points: Vec<Point> = all.filter(|p| holds(p)).collect();
        assert_eq!(cover(&[BOOL; 3], points).map(|cubes| cubes.len()), Some(2));
    }

    #[test]
    fn too_many_points_are_left_alone() {
        let points = (0..=MAX_POINTS as i64).map(|n| vec![n]).collect();
        assert_eq!(cover(&[INT], points), None);
    }

    proptest! {
        #[test]
        fn the_cubes_mean_exactly_the_points(
            bounded in prop::collection::vec(any::<(bool, bool)>(), 5),
            points in prop::collection::vec(prop::collection::vec(0i64..3, 5), 0..80),
        ) {
            let axis = |&(bounded, is_number): &(bool, bool)| Axis { bounds: bounded.then_some((0, 2)), is_number };
            let axes: Vec<Axis> = bounded.iter().map(axis).collect();
            let cubes = cover(&axes, points.clone()).expect("there are few points");
            for n in 0..3i64.pow(5) {
                let point: Point = (0..5).map(|i| n / 3i64.pow(i) % 3).collect();
                let covered = cubes.iter().any(|cube| contains(cube, &point));
                prop_assert_eq!(covered, points.contains(&point));
            }
        }
    }
}
