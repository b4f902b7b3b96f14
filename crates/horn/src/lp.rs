//! Linear programming over exact rationals: the weights of a proof of contradiction.

use crate::{Linear, Rational};
use num_traits::{One, Signed, Zero};
use std::collections::BTreeSet;
use threadwise_logic::Var;

/// Weights, not negative, under which the inequalities add up to `1 <= 0`; `None` if there are none,
/// which means that the inequalities have a rational solution (Farkas' lemma).
///
/// The weights solve a system of equations, one for each variable (its coefficients cancel) and one for
/// the constants (they add up to 1). It is solved by the first phase of the simplex method with Bland's
/// rule, which never runs in circles but may take long; `go_on` is asked at each of its steps, and can end it.
pub fn find_proof<E>(atoms: &[Linear], go_on: &dyn Fn() -> Result<(), E>) -> Result<Option<Vec<Rational>>, E> {
    let vars: BTreeSet<Var> = atoms.iter().flat_map(|atom| atom.coefficients.keys().copied()).collect();
    let mut rows: Vec<Vec<Rational>> = Vec::new();
    for var in &vars {
        let entry = |atom: &Linear| atom.coefficients.get(var).cloned().unwrap_or_else(Rational::zero);
        let mut row: Vec<Rational> = atoms.iter().map(entry).collect();
        row.push(Rational::zero());
        rows.push(row);
    }
    let mut constants: Vec<Rational> = atoms.iter().map(|atom| atom.constant.clone()).collect();
    constants.push(Rational::one());
    rows.push(constants);
    Tableau::new(rows, atoms.len()).solve(go_on)
}

/// Equations with one artificial variable each, which the first phase drives to 0.
struct Tableau {
    /// Each row: the coefficients of the columns, then the right-hand side, which is not negative.
    rows: Vec<Vec<Rational>>,
    columns: usize,
    /// The column that each row determines; from `columns` on these are artificial.
    basis: Vec<usize>,
    /// What the sum of the artificial variables loses for each unit of a column, and the sum itself.
    gain: Vec<Rational>,
}

impl Tableau {
    fn new(rows: Vec<Vec<Rational>>, columns: usize) -> Tableau {
        let basis = (columns..columns + rows.len()).collect();
        let mut gain = vec![Rational::zero(); columns + 1];
        for row in &rows {
            for (sum, entry) in gain.iter_mut().zip(row) {
                *sum += entry;
            }
        }
        Tableau { rows, columns, basis, gain }
    }

    fn solve<E>(mut self, go_on: &dyn Fn() -> Result<(), E>) -> Result<Option<Vec<Rational>>, E> {
        while !self.gain[self.columns].is_zero() {
            go_on()?;
            let gainful = (0..self.columns).find(|column| self.gain[*column].is_positive());
            let Some(column) = gainful else { return Ok(None) };
            let Some(row) = self.leaving(column) else { return Ok(None) };
            self.pivot(row, column);
        }
        let mut weights = vec![Rational::zero(); self.columns];
        for (row, column) in self.rows.iter().zip(&self.basis) {
            if *column < self.columns {
                weights[*column] = row[self.columns].clone();
            }
        }
        Ok(Some(weights))
    }

    /// The row that limits the column most; of several the one with the least basic column.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, Rational)> = None;
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row[column].is_positive()) {
            let ratio = &row[self.columns] / &row[column];
            let better = match &best {
                None => true,
                Some((known, least)) => ratio < *least || ratio == *least && self.basis[index] < self.basis[*known],
            };
            if better {
                best = Some((index, ratio));
            }
        }
        best.map(|(index, _)| index)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let inverse = self.rows[row][column].recip();
        for entry in &mut self.rows[row] {
            *entry *= &inverse;
        }
        let pivot = self.rows[row].clone();
        let subtract = |target: &mut Vec<Rational>| {
            let factor = target[column].clone();
            if !factor.is_zero() {
                for (entry, by) in target.iter_mut().zip(&pivot) {
                    if !by.is_zero() {
                        *entry -= &factor * by;
                    }
                }
            }
        };
        self.rows.iter_mut().enumerate().filter(|(index, _)| *index != row).for_each(|(_, target)| subtract(target));
        subtract(&mut self.gain);
        self.basis[row] = column;
    }
}
