//! States inside a step, in which some words may still have any of several values.

use crate::EdgeId;
use crate::choices::FreeWord;
use crate::instance::Instance;
use crate::observe::Observations;
use crate::step::Path;
use threadwise_source::Span;

/// A state inside a step.
#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) shared: Vec<i64>,
    pub(crate) local: Vec<i64>,
    pub(crate) path: Path,
    /// What has been shown so far.
    pub(crate) shown: Observations,
    /// Words that may have any of several values: none has been chosen yet, since nothing has looked.
    pub(crate) open: Vec<FreeWord>,
    /// Where the last of them was opened.
    pub(crate) opened_at: Span,
}

/// The state that an edge is taken from. Most edges are blocked, so it is only copied for the others.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'s> {
    pub(crate) shared: &'s [i64],
    pub(crate) local: &'s [i64],
    pub(crate) path: &'s [EdgeId],
    pub(crate) shown: &'s Observations,
    pub(crate) open: &'s [FreeWord],
    pub(crate) opened_at: Span,
}

impl Inner {
    pub(crate) fn origin(&self) -> Origin<'_> {
        let Inner { shared, local, path, shown, open, opened_at } = self;
        Origin { shared, local, path, shown, open, opened_at: *opened_at }
    }

    /// All words, those of the shared store first.
    pub(crate) fn words(&self) -> Vec<i64> {
        [&self.shared[..], &self.local[..]].concat()
    }

    pub(crate) fn set(&mut self, words: &[i64]) {
        let (shared, local) = words.split_at(self.shared.len());
        self.shared.copy_from_slice(shared);
        self.local.copy_from_slice(local);
    }

    /// The words in this range have values now.
    pub(crate) fn close(&mut self, range: std::ops::Range<usize>) {
        self.open.retain(|word| !range.contains(&word.index));
    }

    /// The words from this one on are not there any more.
    pub(crate) fn truncate(&mut self, local: usize) {
        self.local.truncate(local);
        self.close(self.shared.len() + local..usize::MAX);
    }
}

impl Origin<'_> {
    /// The same state with the edge on its path.
    pub(crate) fn along(self, instance: &Instance, edge: EdgeId) -> Inner {
        let mut next = self.to_inner();
        next.path.push(edge);
        next.shown.add_all(instance.shown_by_edge(edge));
        next
    }

    pub(crate) fn to_inner(self) -> Inner {
        let (shared, local, path) = (self.shared.to_vec(), self.local.to_vec(), Path::from_slice(self.path));
        let (shown, open, opened_at) = (self.shown.clone(), self.open.to_vec(), self.opened_at);
        Inner { shared, local, path, shown, open, opened_at }
    }

    /// One of the open words, and the state without it.
    pub(crate) fn without(self, index: usize) -> (FreeWord, Inner) {
        let mut inner = self.to_inner();
        let position = inner.open.iter().position(|word| word.index == index).expect("only open words are needed");
        (inner.open.remove(position), inner)
    }

    /// Which of all words are open; empty if none is.
    pub(crate) fn is_open(&self) -> Vec<bool> {
        if self.open.is_empty() {
            return Vec::new();
        }
        let mut is_open = vec![false; self.shared.len() + self.local.len()];
        self.open.iter().for_each(|word| is_open[word.index] = true);
        is_open
    }
}
