//! Sets of facts by number, and what can be said of two of them.

use crate::model::Model;
use rustc_hash::FxHashMap;
use threadwise_evidence::{Element, Fact, Key};
use threadwise_ir::{TemplateId, VarRef};

/// The number of a set of facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct SetId(pub u32);

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);
}

/// All sets of facts that occur, each kept once.
pub(crate) struct Sets {
    sets: Vec<Vec<Fact>>,
    numbers: FxHashMap<Vec<Fact>, SetId>,
    met: FxHashMap<(SetId, SetId), SetId>,
    excluded: FxHashMap<(SetId, TemplateId, SetId, TemplateId), bool>,
}

impl Sets {
    pub(crate) fn new() -> Sets {
        let mut sets = Sets {
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            met: FxHashMap::default(),
            excluded: FxHashMap::default(),
        };
        sets.number(Vec::new());
        sets
    }

    pub(crate) fn get(&self, id: SetId) -> &[Fact] {
        &self.sets[id.0 as usize]
    }

    pub(crate) fn has(&self, id: SetId, fact: &Fact) -> bool {
        self.get(id).binary_search(fact).is_ok()
    }

    pub(crate) fn number(&mut self, mut facts: Vec<Fact>) -> SetId {
        facts.sort_unstable();
        facts.dedup();
        if let Some(&known) = self.numbers.get(&facts) {
            return known;
        }
        let id = SetId(self.sets.len() as u32);
        self.sets.push(facts.clone());
        self.numbers.insert(facts, id);
        id
    }

    pub(crate) fn filter(&mut self, id: SetId, keep: impl Fn(&Fact) -> bool) -> SetId {
        if self.get(id).iter().all(&keep) {
            return id;
        }
        let kept = self.get(id).iter().filter(|fact| keep(fact)).cloned().collect();
        self.number(kept)
    }

    /// What holds in either case.
    pub(crate) fn meet(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b {
            return a;
        }
        if let Some(&known) = self.met.get(&(a, b)) {
            return known;
        }
        let both = self.get(a).iter().filter_map(|fact| weaker(fact, self.get(b))).collect();
        let met = self.number(both);
        self.met.insert((a, b), met);
        met
    }

    /// Whether different threads cannot be where these facts hold of the one and those of the other.
    pub(crate) fn exclude(&mut self, model: &Model<'_>, a: (SetId, TemplateId), b: (SetId, TemplateId)) -> bool {
        let asked = (a.0, a.1, b.0, b.1);
        if let Some(&known) = self.excluded.get(&asked) {
            return known;
        }
        let answer = self.one_excludes(model, a.0, b) || self.one_excludes(model, b.0, a);
        self.excluded.insert(asked, answer);
        answer
    }

    fn one_excludes(&self, model: &Model<'_>, id: SetId, (other, of_other): (SetId, TemplateId)) -> bool {
        self.get(id).iter().any(|fact| match fact {
            Fact::Holds(lock) if is_fixed(lock) => {
                let mut of_lock = model.locks.iter().filter(|known| VarRef::Shared(known.owner) == lock.var);
                let reads = |readers| Fact::Reads(Element { var: VarRef::Shared(readers), ..lock.clone() });
                self.has(other, fact) || of_lock.any(|lock| lock.readers.is_some_and(|r| self.has(other, &reads(r))))
            }
            Fact::Running(template, among) => among.is_empty() && *template == of_other && self.has(other, &Fact::Runs),
            Fact::Untouched(var) => self.has(other, &Fact::Touched(*var)),
            Fact::Free(lock) => is_fixed(lock) && self.has(other, &Fact::Holds(lock.clone())),
            _ => false,
        })
    }
}

/// Whether the element is the same one for all threads.
pub(crate) fn is_fixed(element: &Element) -> bool {
    element.keys.iter().all(|key| matches!(key, Key::Number(_) | Key::Thread(_)))
}

/// Names for more threads than these are not remembered.
const MOST_NAMES: usize = 64;

/// What is left of a fact where only the others are known to hold.
fn weaker(fact: &Fact, others: &[Fact]) -> Option<Fact> {
    match fact {
        Fact::Running(template, among) => {
            let also = others.iter().find_map(|other| match other {
                Fact::Running(of, also) if of == template => Some(also),
                _ => None,
            })?;
            let mut all: Vec<Element> = among.iter().chain(also).cloned().collect();
            all.sort_unstable();
            all.dedup();
            (all.len() <= MOST_NAMES).then_some(Fact::Running(*template, all))
        }
        Fact::Started(template, most) => others.iter().find_map(|other| match other {
            Fact::Started(of, also) if of == template => Some(Fact::Started(*template, *most.max(also))),
            _ => None,
        }),
        _ => others.binary_search(fact).ok().map(|_| fact.clone()),
    }
}
