//! Copies of a thread that cannot be told apart.
//!
//! Permuting the copies of a thread maps executions to executions, unless the program looks at
//! their numbers with `ord`: nothing else in the language names a single copy. So a state stands
//! for all states that differ from it by such a permutation.
//!
//! What makes canonical states easy to find: as long as thread identities occur only directly in
//! shared variables (in a `tid`, a `set<tid>`, an array of these, or as the keys of an array of
//! something else), a state is determined by what does not speak of copies, and by each copy's
//! local state and *profile*: how the shared variables refer to it. Copies with the same local
//! state and profile can be swapped without changing the state. Identities in local variables, or
//! identities reached through identities, would need a search for graph isomorphisms instead;
//! programs that have them are not reduced.

use crate::{
    BinaryOp, Copies, Expr, ExprKind, Initial, Instance, Op, Program, Quantifier, SharedId, Sort, TemplateId, UnaryOp,
    Update, VarRef,
};
use std::cell::RefCell;

/// What copies of threads can be permuted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Copies of these threads, each thread's among themselves.
    Among(Vec<TemplateId>),
    /// None, for this reason.
    Broken(&'static str),
}

impl Program {
    /// Which threads have copies that can be permuted.
    pub fn symmetry(&self) -> Symmetry {
        if self.uses_ord() {
            return Symmetry::Broken("`ord` tells copies apart");
        }
        if self.stops_at_errors() {
            return Symmetry::Broken("a quantifier over threads can run into an error, and stops at the first thread");
        }
        if self.routines.iter().flat_map(|r| &r.locals).any(|v| v.sort.mentions_tid()) {
            return Symmetry::Broken("local variables hold thread identities");
        }
        if !self.shared.iter().all(|v| refers_directly(&v.sort)) {
            return Symmetry::Broken("shared variables hold thread identities inside thread-indexed data");
        }
        let replicated = |t: &Copies| match t {
            Copies::Single => false,
            Copies::Exactly(n) => *n >= 2,
            Copies::Any => true,
        };
        let all = self.templates.iter().enumerate();
        Symmetry::Among(all.filter(|(_, t)| replicated(&t.copies)).map(|(i, _)| TemplateId(i as u32)).collect())
    }
}

impl Program {
    /// Whether a quantifier over threads can run into an error. It looks at the threads in order and
    /// stops as soon as it knows, so that it may stop before the error for one copy and not for another.
    fn stops_at_errors(&self) -> bool {
        let mut found = false;
        self.walk_expressions(&mut |e| {
            found |= quantifies_threads(e).is_some_and(|(_, body)| body.can_fail());
        });
        found
    }
}

fn refers_directly(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => **element == Sort::Tid || !element.mentions_tid(),
        Sort::Array(key, element) if key.mentions_tid() => !element.mentions_tid(),
        Sort::Array(_, element) => refers_directly(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => true,
    }
}

/// From how many copies on a thread-by-thread analysis cannot tell the numbers of copies apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cutoff {
    /// This many copies of each thread stand for any larger number.
    At(u32),
    /// There is none, for this reason.
    None(&'static str),
}

impl Program {
    /// The number of copies of a thread that stands for all larger ones, where threads are analysed
    /// one at a time against the others' steps.
    ///
    /// A rule of such an analysis speaks of one thread and of a step of another. If no step chooses a
    /// thread freely, the identities in the stores before and after are those of the store before,
    /// and of the thread that moves: one for each place that holds an identity, and two. Which copies
    /// they are does not matter, because copies can be permuted; a quantifier in a guard can look at
    /// one more copy each, and tell sets of threads apart only below that size. So the analysis of
    /// more copies finds the same, up to names.
    ///
    /// A combination of thread states that violates a property with more copies must do so with this
    /// many: keep the copies that the store refers to and one for each quantifier that asks for a
    /// witness. What is asked of all copies still holds of those kept. This needs that no witness is
    /// asked for each copy, and that copies are not counted.
    pub fn cutoff(&self) -> Cutoff {
        if let Symmetry::Broken(reason) = self.symmetry() {
            return Cutoff::None(reason);
        }
        if self.shared.iter().any(|v| has_place_for_every_copy(&v.sort)) {
            return Cutoff::None("a shared set or array has a place for every thread");
        }
        if self.chooses_threads() {
            return Cutoff::None("a variable may get any thread as its value");
        }
        let mut counts = false;
        let mut binders = 0;
        self.walk_expressions(&mut |e| {
            if let Some((quantifier, _)) = quantifies_threads(e) {
                binders += 1;
                counts |= quantifier == Quantifier::Count;
            }
        });
        if counts {
            return Cutoff::None("`count` over threads depends on how many there are");
        }
        // Patterns of signs are met by few threads, for which there is room. A deadlock asks for one stuck thread, and
        // that all are still, which those are that are kept. Who waits in a cycle of locks is referred to, but for one.
        let keeps = self.formulas().all(|(_, e, wrong)| asks_for_few_witnesses(e, wrong, false));
        if !keeps {
            return Cutoff::None("a property asks for a witness for each thread");
        }
        let places = self.shared.iter().fold(0u32, |sum, v| sum.saturating_add(self.tid_places(&v.sort)));
        let together = self.patterns().map(|(_, pattern)| pattern.signs().len() as u32).max().unwrap_or(0);
        Cutoff::At(places.saturating_add(together.max(2) + binders))
    }

    /// Whether some variable can get any thread as its value.
    fn chooses_threads(&self) -> bool {
        let routine_sort = |edge: &crate::Edge, var: &VarRef| match var {
            VarRef::Shared(id) => self.shared[id.index()].sort.mentions_tid(),
            VarRef::Local(id) => self.routine(self.location(edge.from).routine).locals[id.index()].sort.mentions_tid(),
        };
        let chooses = |edge: &crate::Edge| match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments
                    .iter()
                    .any(|(place, value)| matches!(value, crate::Value::Any) && place.sort.mentions_tid()),
                Update::Action { frame, .. } => frame.iter().any(|var| routine_sort(edge, var)),
            },
            Op::Call { .. } | Op::Return(_) => false,
        };
        self.edges.iter().any(chooses)
            || self.shared.iter().any(|v| matches!(v.init, Initial::Any) && v.sort.mentions_tid())
    }
}

fn quantifies_threads(e: &Expr) -> Option<(Quantifier, &Expr)> {
    match &e.kind {
        ExprKind::Quantified(quantifier, binder, body) if binder.domain.sort().mentions_tid() => {
            Some((*quantifier, body))
        }
        _ => None,
    }
}

/// Whether the truth (or, if not `wanted`, the falsehood) of a formula asks for a fixed number of
/// threads as witnesses: none of them below a quantifier over all threads.
fn asks_for_few_witnesses(e: &Expr, wanted: bool, for_each: bool) -> bool {
    if let Some((quantifier, body)) = quantifies_threads(e) {
        let asks_for_one = (quantifier == Quantifier::Exists) == wanted;
        return !(asks_for_one && for_each) && asks_for_few_witnesses(body, wanted, for_each || !asks_for_one);
    }
    match &e.kind {
        ExprKind::Unary(UnaryOp::Not, a) => asks_for_few_witnesses(a, !wanted, for_each),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
            asks_for_few_witnesses(a, wanted, for_each) && asks_for_few_witnesses(b, wanted, for_each)
        }
        ExprKind::Binary(BinaryOp::Implies, a, b) => {
            asks_for_few_witnesses(a, !wanted, for_each) && asks_for_few_witnesses(b, wanted, for_each)
        }
        // Quantifiers over other domains stand for conjunctions and disjunctions; a conjunction asks for
        // a witness for each value.
        ExprKind::Quantified(quantifier @ (Quantifier::Forall | Quantifier::Exists), _, body) => {
            let asks_for_each = (*quantifier == Quantifier::Forall) == wanted;
            asks_for_few_witnesses(body, wanted, for_each || asks_for_each)
        }
        // Below anything else both truth values may matter: no quantifier over threads is looked
        // through there.
        _ => !e.any(&|part| quantifies_threads(part).is_some()),
    }
}

fn has_place_for_every_copy(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => element.mentions_tid(),
        Sort::Array(key, element) => key.mentions_tid() || has_place_for_every_copy(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => false,
    }
}

impl Program {
    /// How many thread identities a value of the sort holds.
    fn tid_places(&self, sort: &Sort) -> u32 {
        match sort {
            Sort::Tid => 1,
            Sort::Array(key, element) if element.mentions_tid() => {
                self.keys(key).saturating_mul(self.tid_places(element))
            }
            Sort::Bool
            | Sort::Int
            | Sort::Range(..)
            | Sort::Bits(_)
            | Sort::Enum(_)
            | Sort::Set(_)
            | Sort::Array(..) => 0,
        }
    }

    /// How many keys an array has whose keys are of this sort; many, where that depends on the number of threads.
    fn keys(&self, sort: &Sort) -> u32 {
        match sort {
            Sort::Bool => 2,
            Sort::Range(lo, hi) => u32::try_from(hi.saturating_sub(*lo).saturating_add(1)).unwrap_or(u32::MAX),
            Sort::Bits(bits) => 1u32.checked_shl(u32::from(bits.width)).unwrap_or(u32::MAX),
            Sort::Enum(id) => u32::try_from(self.enums[id.index()].members.len()).unwrap_or(u32::MAX),
            Sort::Int | Sort::Tid | Sort::Set(_) | Sort::Array(..) => u32::MAX,
        }
    }
}

impl Instance {
    /// How a shared store refers to a thread. Copies with equal profiles are referred to alike.
    pub fn profile(&self, shared: &[i64], tid: i64) -> Vec<i64> {
        let mut profile = Vec::new();
        for (index, var) in self.program.shared.iter().enumerate() {
            if var.sort.mentions_tid() {
                self.profile_of(&var.sort, &shared[self.shared_range(SharedId(index as u32))], tid, &mut profile);
            }
        }
        profile
    }

    fn profile_of(&self, sort: &Sort, words: &[i64], tid: i64, out: &mut Vec<i64>) {
        match sort {
            Sort::Tid => out.push((words[0] == tid) as i64),
            Sort::Set(element) if **element == Sort::Tid => {
                let bit = tid as usize;
                out.push(words[bit / 64] >> (bit % 64) & 1);
            }
            Sort::Array(key, element) if **key == Sort::Tid => {
                let size = self.words(element);
                out.extend_from_slice(&words[tid as usize * size..(tid as usize + 1) * size]);
            }
            Sort::Array(_, element) if element.mentions_tid() => {
                let size = self.words(element).max(1);
                words.chunks(size).for_each(|chunk| self.profile_of(element, chunk, tid, out));
            }
            Sort::Bool
            | Sort::Int
            | Sort::Range(..)
            | Sort::Bits(_)
            | Sort::Enum(_)
            | Sort::Set(_)
            | Sort::Array(..) => {}
        }
    }

    /// The shared store with every thread identity replaced by its image. The image of a thread
    /// must be a copy of the same thread, and no two threads may have the same image.
    pub fn rename(&self, shared: &[i64], image: &dyn Fn(i64) -> i64) -> Vec<i64> {
        let mut renamed = shared.to_vec();
        for (index, var) in self.program.shared.iter().enumerate() {
            if var.sort.mentions_tid() {
                let range = self.shared_range(SharedId(index as u32));
                self.rename_words(&var.sort, &shared[range.clone()], &mut renamed[range], image);
            }
        }
        renamed
    }

    /// The threads that a shared store refers to, in order of its words, as often as it does. There must be no sets of threads
    /// and no arrays with a place for each of them.
    pub fn identities(&self, shared: &[i64]) -> Vec<i64> {
        let found = RefCell::new(Vec::new());
        self.rename(shared, &|tid| {
            found.borrow_mut().extend((tid != 0).then_some(tid));
            tid
        });
        found.into_inner()
    }

    fn rename_words(&self, sort: &Sort, from: &[i64], to: &mut [i64], image: &dyn Fn(i64) -> i64) {
        match sort {
            Sort::Tid => to[0] = image(from[0]),
            Sort::Set(element) if **element == Sort::Tid => {
                to.fill(0);
                for tid in 0..=self.threads.len() {
                    let target = image(tid as i64) as usize;
                    to[target / 64] |= (from[tid / 64] >> (tid % 64) & 1) << (target % 64);
                }
            }
            Sort::Array(key, element) => {
                let size = self.words(element);
                for rank in 0..from.len() / size.max(1) {
                    let target = if **key == Sort::Tid { image(rank as i64) as usize } else { rank };
                    let (a, b) = (rank * size..(rank + 1) * size, target * size..(target + 1) * size);
                    if element.mentions_tid() {
                        self.rename_words(element, &from[a], &mut to[b], image);
                    } else {
                        to[b].copy_from_slice(&from[a]);
                    }
                }
            }
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Set(_) => {}
        }
    }
}
