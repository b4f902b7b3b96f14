//! Terms with parts replaced.

use crate::{Kind, SmtSort, Term, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What has become of parts of terms larger than this is remembered, since they may occur again.
const SMALL: usize = 32;

impl Term {
    /// The term with what it is made of replaced, and simplified again.
    pub fn rebuild(&self, on: &mut dyn FnMut(&Term) -> Term) -> Term {
        match self.kind() {
            Kind::Bool(_) | Kind::Int(_) | Kind::Bits(_) | Kind::Var(..) => self.clone(),
            Kind::Apply(name, args, sort) => Term::apply(name, args.iter().map(on), sort.clone()),
            Kind::Sum(parts) => Term::sum(parts.iter().map(on)),
            Kind::Scale(factor, a) => on(a).times(*factor),
            Kind::Product(a, b) => on(a).product(on(b)),
            Kind::Div(a, b) => on(a).div(on(b)),
            Kind::Mod(a, b) => on(a).modulo(on(b)),
            Kind::Ite(c, a, b) => on(c).ite(on(a), on(b)),
            Kind::Le(a, b) => on(a).le(on(b)),
            Kind::Eq(a, b) | Kind::Iff(a, b) => on(a).equals(on(b)),
            Kind::Not(a) => on(a).not(),
            Kind::And(parts) => Term::all(parts.iter().map(on)),
            Kind::Or(parts) => Term::any(parts.iter().map(on)),
            Kind::Select(a, key) => on(a).select(on(key)),
            Kind::Store(a, key, value) => on(a).store(on(key), on(value)),
            Kind::Filled(keys, element) => Term::filled_over(keys.clone(), on(element)),
            Kind::Map(connective, arrays) => Term::map(*connective, arrays.iter().map(on)),
            Kind::Quantified(quantifier, bound, body, patterns) => {
                let (body, patterns) = (on(body), patterns.iter().map(on).collect());
                Term::quantified(*quantifier, constants(bound), body, patterns)
            }
            Kind::Operation(op, operands) => Term::operation(*op, operands.iter().map(on)),
        }
    }

    /// The term with variables replaced by terms of their sorts.
    pub fn substitute(&self, value: &dyn Fn(Var) -> Option<Term>) -> Term {
        self.replace(&|leaf| leaf.as_var().and_then(value))
    }

    /// The term with variables renamed; names keep their sorts.
    pub fn rename(&self, image: &dyn Fn(Var) -> Var) -> Term {
        self.replace(&|leaf| leaf.as_var().map(|var| Term::var(image(var), leaf.sort().clone())))
    }

    /// The term with variables and constants replaced by terms of their sorts. What a quantifier binds stays.
    pub fn replace(&self, leaf: &dyn Fn(&Term) -> Option<Term>) -> Term {
        Replacer { leaf, known: FxHashMap::default() }.on(self)
    }
}

fn constants(bound: &[(Rc<str>, SmtSort)]) -> Vec<Term> {
    bound.iter().map(|(name, sort)| Term::constant(name, sort.clone())).collect()
}

struct Replacer<'a> {
    leaf: &'a dyn Fn(&Term) -> Option<Term>,
    known: FxHashMap<Term, Term>,
}

impl Replacer<'_> {
    fn on(&mut self, term: &Term) -> Term {
        let is_large = term.size(SMALL + 1) > SMALL;
        if let Some(known) = self.known.get(term) {
            return known.clone();
        }
        let replaced = match term.kind() {
            Kind::Var(..) => self.leaf(term),
            Kind::Apply(_, args, _) if args.is_empty() => self.leaf(term),
            Kind::Quantified(_, bound, ..) => self.quantified(term, &constants(bound)),
            _ => term.rebuild(&mut |part| self.on(part)),
        };
        if is_large {
            self.known.insert(term.clone(), replaced.clone());
        }
        replaced
    }

    fn leaf(&self, term: &Term) -> Term {
        let replaced = (self.leaf)(term).unwrap_or_else(|| term.clone());
        debug_assert_eq!(replaced.sort(), term.sort(), "a term is replaced by one of its sort");
        replaced
    }

    /// What is put under a quantifier must not be bound by it, so bound constants may need other names.
    fn quantified(&mut self, term: &Term, bound: &[Term]) -> Term {
        let mut inserted = Vec::new();
        term.for_each_leaf(&mut |leaf| inserted.extend((self.leaf)(leaf)));
        let is_taken = |name: &Term| inserted.iter().any(|value| value.mentions(name)) || term.mentions(name);
        let mut names = Vec::new();
        for old in bound {
            let mut new = old.clone();
            while inserted.iter().any(|value| value.mentions(&new)) || new != *old && is_taken(&new) {
                let name = new.name().expect("only constants are bound");
                new = Term::constant(&format!("{name}!"), old.sort().clone());
            }
            names.push(new);
        }
        let leaf = |leaf: &Term| match bound.iter().position(|old| old == leaf) {
            Some(index) => Some(names[index].clone()),
            None => (self.leaf)(leaf),
        };
        let Kind::Quantified(quantifier, _, body, patterns) = term.kind() else { unreachable!("it has a quantifier") };
        let mut inner = Replacer { leaf: &leaf, known: FxHashMap::default() };
        let (body, patterns) = (inner.on(body), patterns.iter().map(|pattern| inner.on(pattern)).collect());
        Term::quantified(*quantifier, names.clone(), body, patterns)
    }
}
