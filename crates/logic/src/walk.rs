//! What occurs in a term.

use crate::{Kind, Term, Var};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Parts of terms larger than this are looked at once, however often they occur.
const SMALL: usize = 64;

impl Term {
    /// Calls `visit` on variables and constants, perhaps several times; but not on what a quantifier binds.
    pub fn for_each_leaf(&self, visit: &mut dyn FnMut(&Term)) {
        let mut seen = (self.size(SMALL + 1) > SMALL).then(FxHashSet::default);
        self.leaves(&mut seen, visit);
    }

    fn leaves(&self, seen: &mut Option<FxHashSet<Term>>, visit: &mut dyn FnMut(&Term)) {
        match self.kind() {
            Kind::Var(..) => visit(self),
            Kind::Apply(_, args, _) if args.is_empty() => visit(self),
            Kind::Quantified(_, bound, ..) => {
                let is_bound = |leaf: &Term| {
                    let (name, sort) = (leaf.name(), leaf.sort());
                    bound.iter().any(|(known, of)| Some(&**known) == name && of == sort)
                };
                // In here other leaves are free, so what has been seen outside does not count.
                self.kind().for_each_child(&mut |part| {
                    part.for_each_leaf(&mut |leaf| {
                        if !is_bound(leaf) {
                            visit(leaf);
                        }
                    });
                });
            }
            kind => {
                if seen.as_mut().is_none_or(|seen| seen.insert(self.clone())) {
                    kind.for_each_child(&mut |part| part.leaves(seen, visit));
                }
            }
        }
    }

    /// The variables that occur.
    pub fn variables(&self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        self.for_each_leaf(&mut |leaf| vars.extend(leaf.as_var()));
        vars
    }

    /// Whether a variable or constant occurs.
    pub fn mentions(&self, wanted: &Term) -> bool {
        let mut found = false;
        self.for_each_leaf(&mut |leaf| found |= leaf == wanted);
        found
    }
}
