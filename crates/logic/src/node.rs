//! Terms, each of which is there only once.

use crate::bits::{Bits, BitsOp};
use crate::{SmtSort, Var};
use rustc_hash::FxBuildHasher;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A term. Equal terms are the same one, so that comparing them is comparing addresses. Terms belong to the
/// thread that made them.
#[derive(Clone)]
pub struct Term(Rc<Node>);

struct Node {
    kind: Kind,
    sort: SmtSort,
    size: u32,
    has_quantifier: bool,
}

/// What a term is made of. Constructors of [`Term`] keep to what is said here.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A bit-vector.
    Bits(Bits),
    /// A variable and its sort.
    Var(Var, SmtSort),
    /// A function applied to arguments, and the sort of the result; a constant has no arguments.
    Apply(Rc<str>, Vec<Term>, SmtSort),
    /// A sum of at least two terms, none of them a sum.
    Sum(Vec<Term>),
    /// A term times a number other than 0 and 1; the term is no constant and no sum.
    Scale(i64, Term),
    /// A product of two terms.
    Product(Term, Term),
    /// The quotient that goes with [`Kind::Mod`].
    Div(Term, Term),
    /// The remainder of a division, which is never negative, as in SMT-LIB. Nothing is known of division by 0.
    Mod(Term, Term),
    /// The second term where the first holds, else the third; they are not boolean.
    Ite(Term, Term, Term),
    /// The first number is at most the second.
    Le(Term, Term),
    /// The terms are equal; they are not boolean.
    Eq(Term, Term),
    /// The negation.
    Not(Term),
    /// The conjunction of at least two formulas, none of them a conjunction.
    And(Vec<Term>),
    /// The disjunction of at least two formulas, none of them a disjunction.
    Or(Vec<Term>),
    /// The formulas are equivalent.
    Iff(Term, Term),
    /// The element of an array at a key.
    Select(Term, Term),
    /// The array with the element at a key changed.
    Store(Term, Term, Term),
    /// The array with keys of this sort that has this element everywhere.
    Filled(SmtSort, Term),
    /// Arrays of truth values, combined element by element.
    Map(Connective, Vec<Term>),
    /// Whether a formula holds of all or of some values of named constants; perhaps with patterns that tell a
    /// solver which values to try.
    Quantified(Quantifier, Vec<(Rc<str>, SmtSort)>, Term, Vec<Term>),
    /// An operation on bit-vectors.
    Operation(BitsOp, Vec<Term>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Quantifier {
    /// For all.
    Forall,
    /// For some.
    Exists,
}

/// What combines arrays of truth values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Connective {
    /// Of any number.
    And,
    /// Of any number.
    Or,
    /// Of one.
    Not,
}

impl Term {
    /// What it is made of.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub fn sort(&self) -> &SmtSort {
        &self.0.sort
    }

    /// The number of nodes, those that occur several times counted as often, up to `most`.
    pub fn size(&self, most: usize) -> usize {
        most.min(self.0.size as usize)
    }

    /// Whether there is a quantifier in it.
    pub fn has_quantifier(&self) -> bool {
        self.0.has_quantifier
    }

    /// The one term of this kind. Whoever calls it has simplified.
    pub(crate) fn make(kind: Kind) -> Term {
        TABLE.with_borrow_mut(|table| table.intern(kind))
    }

    /// The term of this kind, if there is one.
    pub(crate) fn find(kind: &Kind) -> Option<Term> {
        TABLE.with_borrow(|table| table.nodes.get(kind).map(|entry| entry.0.clone()))
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Rc::as_ptr(&self.0).hash(state);
    }
}

/// The order is that of what terms are made of, so that it does not depend on which was made first.
impl Ord for Term {
    fn cmp(&self, other: &Term) -> Ordering {
        if self == other { Ordering::Equal } else { self.kind().cmp(other.kind()) }
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::write_term(self, &crate::Numbered))
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Fewer terms than this are never looked through for those that nobody uses any more.
const FIRST_SWEEP: usize = 1 << 14;

thread_local! {
    static TABLE: RefCell<Table> = RefCell::new(Table { nodes: HashSet::default(), sweep_at: FIRST_SWEEP });
}

/// All terms of a thread.
struct Table {
    nodes: HashSet<Entry, FxBuildHasher>,
    /// With so many terms, those that nobody uses any more are thrown away.
    sweep_at: usize,
}

/// A term that is found by what it is made of.
struct Entry(Term);

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.0.kind() == other.0.kind()
    }
}

impl Eq for Entry {}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.kind().hash(state);
    }
}

impl Borrow<Kind> for Entry {
    fn borrow(&self) -> &Kind {
        self.0.kind()
    }
}

impl Table {
    fn intern(&mut self, kind: Kind) -> Term {
        if let Some(known) = self.nodes.get(&kind) {
            return known.0.clone();
        }
        if self.nodes.len() >= self.sweep_at {
            self.sweep();
        }
        let (mut size, mut has_quantifier) = (1u32, matches!(kind, Kind::Quantified(..)));
        kind.for_each_child(&mut |child| {
            size = size.saturating_add(child.0.size);
            has_quantifier |= child.has_quantifier();
        });
        let sort = kind.sort();
        let term = Term(Rc::new(Node { kind, sort, size, has_quantifier }));
        self.nodes.insert(Entry(term.clone()));
        term
    }

    /// Throws away what only this table holds. What that leaves alone goes in the next round, as long as it
    /// is much.
    fn sweep(&mut self) {
        loop {
            let before = self.nodes.len();
            self.nodes.retain(|entry| Rc::strong_count(&entry.0.0) > 1);
            if self.nodes.len() >= before - before / 8 {
                break;
            }
        }
        self.sweep_at = FIRST_SWEEP.max(2 * self.nodes.len());
    }
}

impl Kind {
    /// Calls `visit` on the terms that it is made of.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        match self {
            Kind::Bool(_) | Kind::Int(_) | Kind::Bits(_) | Kind::Var(..) => {}
            Kind::Scale(_, a) | Kind::Not(a) | Kind::Filled(_, a) => visit(a),
            Kind::Product(a, b)
            | Kind::Div(a, b)
            | Kind::Mod(a, b)
            | Kind::Le(a, b)
            | Kind::Eq(a, b)
            | Kind::Iff(a, b)
            | Kind::Select(a, b) => {
                visit(a);
                visit(b);
            }
            Kind::Ite(a, b, c) | Kind::Store(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            Kind::Apply(_, parts, _)
            | Kind::Sum(parts)
            | Kind::And(parts)
            | Kind::Or(parts)
            | Kind::Map(_, parts)
            | Kind::Operation(_, parts) => parts.iter().for_each(visit),
            Kind::Quantified(_, _, body, patterns) => {
                visit(body);
                patterns.iter().for_each(visit);
            }
        }
    }

    fn sort(&self) -> SmtSort {
        match self {
            Kind::Bool(_)
            | Kind::Le(..)
            | Kind::Eq(..)
            | Kind::Not(_)
            | Kind::And(_)
            | Kind::Or(_)
            | Kind::Iff(..)
            | Kind::Quantified(..) => SmtSort::Bool,
            Kind::Int(_) | Kind::Sum(_) | Kind::Scale(..) | Kind::Product(..) | Kind::Div(..) | Kind::Mod(..) => {
                SmtSort::Int
            }
            Kind::Bits(bits) => SmtSort::Bits(bits.width()),
            Kind::Var(_, sort) | Kind::Apply(_, _, sort) => sort.clone(),
            Kind::Ite(_, a, _) | Kind::Store(a, _, _) => a.sort().clone(),
            Kind::Map(_, arrays) => arrays[0].sort().clone(),
            Kind::Select(array, _) => match array.sort() {
                SmtSort::Array(_, element) => (**element).clone(),
                SmtSort::Bool | SmtSort::Int | SmtSort::Bits(_) => unreachable!("only arrays have elements"),
            },
            Kind::Filled(key, element) => SmtSort::Array(Rc::new(key.clone()), Rc::new(element.sort().clone())),
            Kind::Operation(op, operands) => op.sort(operands),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_that_nobody_uses_are_thrown_away() {
        let kept = Term::int(-1).plus(Term::var(Var(0), SmtSort::Int));
        for number in 0..4 * FIRST_SWEEP as i64 {
            Term::var(Var(1), SmtSort::Int).plus(Term::int(number)).le(Term::int(number));
        }
        assert!(TABLE.with_borrow(|table| table.nodes.len()) <= 2 * FIRST_SWEEP);
        assert_eq!(kept, Term::var(Var(0), SmtSort::Int).plus(Term::int(-1)), "it is still the same term");
    }
}
