//! Keys of arrays that matter in some terms. What holds for all keys is asked of the solver for these only: it finds examples
//! more easily then, and what is found by way of them is judged for all keys in the end.

use rustc_hash::FxHashSet;
use threadwise_logic::{Kind, Quantifier, SmtSort, Term};

/// The keys at which terms read or change arrays.
pub(crate) fn keys<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Vec<Term> {
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    terms.into_iter().for_each(|term| collect(term, &mut seen, &mut found));
    found
}

fn collect(term: &Term, seen: &mut FxHashSet<Term>, found: &mut Vec<Term>) {
    if !seen.insert(term.clone()) {
        return;
    }
    match term.kind() {
        // Keys in there may be bound.
        Kind::Quantified(..) => return,
        Kind::Select(_, key) | Kind::Store(_, key, _) if *key.sort() == SmtSort::Int && !found.contains(key) => {
            found.push(key.clone());
        }
        _ => {}
    }
    term.kind().for_each_child(&mut |child| collect(child, seen, found));
}

/// A formula with what it says of all keys said of these only.
pub(crate) fn at_keys(formula: &Term, keys: &[Term]) -> Term {
    let each = formula.conjuncts().iter().map(|part| match part.kind() {
        Kind::Quantified(Quantifier::Forall, bound, body, _) if bound.len() == 1 && bound[0].1 == SmtSort::Int => {
            let name = &*bound[0].0;
            let with = |key: &Term| body.replace(&|leaf| (leaf.name() == Some(name)).then(|| key.clone()));
            Term::all(keys.iter().map(with).collect::<Vec<Term>>())
        }
        _ => part.clone(),
    });
    Term::all(each.collect::<Vec<Term>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_all_keys_is_said_of_those_that_matter() {
        let array = Term::constant("a", SmtSort::array_of(SmtSort::Int));
        let [i, j, key] = ["i", "j", "#key"].map(|name| Term::constant(name, SmtSort::Int));
        let seen = array.store(&i, Term::int(3)).select(&j).equals(Term::int(4));
        let keys = keys([&seen]);
        assert_eq!(keys.len(), 2);
        assert!(keys.contains(&i) && keys.contains(&j));
        let all = Term::forall([&key], Term::int(0).le(array.select(&key)));
        let at = at_keys(&all.and(i.equals(&j)), &keys);
        assert!(!at.has_quantifier());
        let parts = [&i, &j].map(|key| Term::int(0).le(array.select(key)));
        assert!(parts.iter().all(|part| at.conjuncts().contains(part)) && at.conjuncts().contains(&i.equals(&j)));
    }
}
