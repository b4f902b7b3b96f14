//! The linear equations that some points have in common.
//!
//! They are computed modulo a large prime, and read back as small fractions: nothing overflows, and what is found by chance
//! does no harm, since equations are questions to a solver and not answers.

/// A Mersenne prime.
const PRIME: i128 = (1 << 61) - 1;

/// Numerators and denominators beyond this are not looked for.
const SMALL: i128 = 1 << 12;

/// `sum(coefficient * x[index]) + constant = 0`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equation {
    /// By index, which come once each.
    pub coefficients: Vec<(usize, i64)>,
    /// What is added.
    pub constant: i128,
}

impl Equation {
    /// Whether it holds of a point.
    pub fn holds(&self, point: &[i128]) -> bool {
        let mut parts = self.coefficients.iter().map(|(at, c)| point[*at].checked_mul(i128::from(*c)));
        parts.try_fold(self.constant, |sum, part| sum.checked_add(part?)) == Some(0)
    }
}

/// Points, of which none is within the hull of those before it.
#[derive(Clone, Debug, Default)]
pub struct Hull {
    points: Vec<Vec<i128>>,
}

impl Hull {
    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Adds a point that no equation admits.
    pub fn add(&mut self, point: Vec<i128>) {
        self.points.push(point);
    }

    /// The equations that hold of all points. Each says what one of the numbers is, given others that are free.
    pub fn equations(&self) -> Vec<Equation> {
        let Some(base) = self.points.first() else { return Vec::new() };
        let rows = self.points[1..].iter().map(|point| difference(point, base)).collect();
        let (rows, pivots) = reduced(rows);
        let bound = (0..base.len()).filter(|index| !pivots.contains(index));
        let equations = bound.filter_map(|index| equation(index, &rows, &pivots, base));
        // Very large numbers may be equal modulo the prime only.
        equations.filter(|equation| self.points.iter().all(|point| equation.holds(point))).collect()
    }
}

fn difference(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| (a % PRIME - b % PRIME).rem_euclid(PRIME)).collect()
}

/// Reduced row echelon form, without rows of zeros, and the column of each row's pivot.
fn reduced(mut rows: Vec<Vec<i128>>) -> (Vec<Vec<i128>>, Vec<usize>) {
    let (mut pivots, width) = (Vec::new(), rows.first().map_or(0, Vec::len));
    for column in 0..width {
        let top = pivots.len();
        let Some(found) = (top..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(top, found);
        let inverse = inverse(rows[top][column]);
        rows[top].iter_mut().for_each(|entry| *entry = *entry * inverse % PRIME);
        let pivot = rows[top].clone();
        for (index, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != top) {
            let factor = row[column];
            debug_assert!(index != top);
            row.iter_mut().zip(&pivot).for_each(|(entry, p)| *entry = (*entry - factor * p % PRIME).rem_euclid(PRIME));
        }
        pivots.push(column);
    }
    rows.truncate(pivots.len());
    (rows, pivots)
}

fn inverse(value: i128) -> i128 {
    let (mut base, mut exponent, mut result) = (value, PRIME - 2, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// What the number at an index is, by the pivots: `x = sum(entry * pivot) + constant`.
fn equation(index: usize, rows: &[Vec<i128>], pivots: &[usize], base: &[i128]) -> Option<Equation> {
    let mut fractions = Vec::new();
    for (row, &pivot) in rows.iter().zip(pivots) {
        if row[index] != 0 {
            fractions.push((pivot, fraction(row[index])?));
        }
    }
    let common = fractions.iter().try_fold(1, |all, (_, (_, below))| {
        let multiple = all / gcd(all, *below) * below;
        (multiple <= SMALL).then_some(multiple)
    })?;
    let mut coefficients = vec![(index, -common)];
    coefficients.extend(fractions.iter().map(|(pivot, (above, below))| (*pivot, above * (common / below))));
    let sum = coefficients.iter().try_fold(0i128, |sum, (at, c)| sum.checked_add(c.checked_mul(base[*at])?))?;
    let coefficients = coefficients.into_iter().map(|(at, c)| Some((at, i64::try_from(c).ok()?)));
    Some(Equation { coefficients: coefficients.collect::<Option<_>>()?, constant: -sum })
}

/// The small fraction that a number stands for.
fn fraction(value: i128) -> Option<(i128, i128)> {
    let (mut old, mut new) = ((PRIME, 0), (value, 1));
    while new.0 > SMALL {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    let (above, below) = if new.1 < 0 { (-new.0, -new.1) } else { new };
    (below != 0 && below <= SMALL).then_some((above, below))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(points: &[&[i128]]) -> Vec<Equation> {
        let mut hull = Hull::default();
        points.iter().for_each(|point| hull.add(point.to_vec()));
        hull.equations()
    }

    #[test]
    fn a_point_is_all_constants_and_a_line_has_a_slope() {
        assert_eq!(hull(&[&[3, 4]]).len(), 2);
        let line = hull(&[&[0, 1], &[2, 4]]);
        assert_eq!(line.len(), 1);
        assert!(line[0].holds(&[4, 7]) && !line[0].holds(&[4, 8]));
        assert!(hull(&[&[0, 0], &[1, 0], &[0, 1]]).is_empty());
    }

    /// All small linear relations of three numbers, each found from points on it.
    #[test]
    fn every_small_plane_is_found() {
        for a in -3..=3 {
            for b in -3..=3 {
                let point = |x: i128, y: i128| vec![x, y, a * x + b * y + 5];
                let points = [point(0, 0), point(7, 1 << 40), point(-3, 11)];
                let found = hull(&points.each_ref().map(|point| &point[..]));
                assert_eq!(found.len(), 1, "{a} {b}");
                assert!(found[0].holds(&point(1000, -77)));
                assert!(!found[0].holds(&[1000, -77, 0]) || a * 1000 - b * 77 + 5 == 0);
            }
        }
    }

    #[test]
    fn numbers_that_are_equal_modulo_the_prime_are_different() {
        let found = hull(&[&[0, 5], &[PRIME, 5]]);
        assert_eq!(found, [Equation { coefficients: vec![(1, -1)], constant: 5 }]);
    }
}
