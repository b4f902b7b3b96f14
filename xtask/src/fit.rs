//! Growth: which curve the measured times follow.

use crate::data::Series;
use std::fmt;

/// How the time grows with n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// Like a power of n.
    Power(f64),
    /// Like the n-th power of a number.
    Exponential(f64),
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::Power(exponent) => write!(f, "n^{exponent:.2}"),
            Growth::Exponential(base) => write!(f, "{base:.2}^n"),
        }
    }
}

/// Shorter runs are left out of fits: the start of a tool takes some of them, with SPIN 0.1 s.
fn least_seconds(tool: &str) -> f64 {
    if tool.starts_with("SPIN") { 0.5 } else { 0.05 }
}

/// The points of a series that take long enough for a fit.
pub fn measurable(series: &Series) -> Vec<(f64, f64)> {
    let least = least_seconds(&series.tool);
    series.seconds().into_iter().filter(|(_, seconds)| *seconds >= least).collect()
}

/// The growth of a series' CPU time: of the two laws the one that fits better. It takes three points to tell.
pub fn growth(series: &Series) -> Option<Growth> {
    law(&measurable(series))
}

/// A higher power is no law but the look of an exponential curve between two sizes.
const MOST_EXPONENT: f64 = 10.0;

/// See [`growth`].
fn law(points: &[(f64, f64)]) -> Option<Growth> {
    if points.len() < 3 {
        return None;
    }
    let power: Vec<_> = points.iter().map(|(n, t)| (n.ln(), t.ln())).collect();
    let exponential: Vec<_> = points.iter().map(|(n, t)| (*n, t.ln())).collect();
    Some(if residual(&power) <= residual(&exponential) && slope(&power) <= MOST_EXPONENT {
        Growth::Power(slope(&power))
    } else {
        Growth::Exponential(slope(&exponential).exp())
    })
}

/// The exponent e for which value ≈ a · n^e fits best.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> = points.iter().map(|(n, value)| (n.ln(), value.ln())).collect();
    (logs.len() >= 2).then(|| slope(&logs))
}

/// The base b for which value ≈ a · b^n fits best.
pub fn base(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> = points.iter().map(|(n, value)| (*n, value.ln())).collect();
    (logs.len() >= 2).then(|| slope(&logs).exp())
}

/// The slope of the line that fits the points best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let (mean_x, mean_y) = mean(points);
    let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}

/// The sum of squares that the best line leaves.
fn residual(points: &[(f64, f64)]) -> f64 {
    let (mean_x, mean_y) = mean(points);
    let slope = slope(points);
    points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum()
}

fn mean(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        [2.0, 4.0, 8.0, 12.0].map(|n| (n, f(n))).to_vec()
    }

    #[test]
    fn the_law_is_recognised_with_its_number() {
        let Some(Growth::Power(exponent)) = law(&curve(|n| 3.0 * n.powf(1.5))) else { panic!("no power of n") };
        assert!((exponent - 1.5).abs() < 1e-9);
        let Some(Growth::Exponential(base)) = law(&curve(|n| 0.1 * 2.5f64.powf(n))) else { panic!("no n-th power") };
        assert!((base - 2.5).abs() < 1e-9);
    }

    #[test]
    fn two_points_lie_on_every_law() {
        assert_eq!(law(&curve(|n| n)[..2]), None);
        assert_eq!(exponent(&[(1.0, 1.0)]), None);
        assert!((exponent(&[(2.0, 4.0), (4.0, 16.0)]).expect("two points") - 2.0).abs() < 1e-9);
        assert!((base(&[(2.0, 9.0), (4.0, 81.0)]).expect("two points") - 3.0).abs() < 1e-9);
    }
}
