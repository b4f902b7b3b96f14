//! Which edges of a program are taken.

use threadwise_ir::{Program, Steps};

/// For each edge whether some step takes it.
#[derive(Clone, Debug)]
pub struct Taken(Vec<bool>);

impl Taken {
    /// None is.
    pub fn none(program: &Program) -> Taken {
        Taken(vec![false; program.edges.len()])
    }

    /// Adds the edges that steps take.
    pub fn note(&mut self, steps: &Steps) {
        for edge in steps.successors.iter().flat_map(|successor| &successor.path).chain(&steps.joining) {
            self.0[edge.index()] = true;
        }
    }

    pub fn add_all(&mut self, more: &Taken) {
        self.0.iter_mut().zip(&more.0).for_each(|(taken, more)| *taken |= more);
    }

    /// Adds the edges in a range that were taken in another program, where the same ones begin with another number.
    pub fn add_moved(&mut self, earlier: &Taken, edges: std::ops::Range<u32>, start: u32) {
        for (to, from) in (start..).zip(edges) {
            self.0[to as usize] |= earlier.0[from as usize];
        }
    }

    /// One for an edge that is taken.
    pub fn counts(&self) -> Vec<u64> {
        self.0.iter().map(|&taken| u64::from(taken)).collect()
    }
}
