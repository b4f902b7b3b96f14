//! States as a thread sees them: variables and their values.
//!
//! A thread identity is `none`, `self`, a single thread's name, or `another` copy of a thread.
//! Which of the other copies it is does not matter where copies can be permuted, unless shared
//! variables have a place for every thread: then copies go by their numbers.

use crate::cubes::Point;
use crate::formula::{Formula, Kind, Variable};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use threadwise_evidence::show_value;
use threadwise_ir::{
    Bits, Copies, Instance, LocalId, RoutineId, SharedId, Sort, Store, Symmetry, TemplateId, ThreadId,
};

/// Variables with more parts than this are looked at as a whole.
const MAX_PARTS: usize = 32;

/// Where thread identities make more pairs than this, it is not said whether they are the same copy.
const MAX_PAIRS: usize = 6;

/// Permuting copies stops at this many stores.
const MAX_STORES: usize = 20_000;

/// How to call thread identities.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// For each `tid` the number of its name.
    codes: Vec<i64>,
    /// The names; each is the name of some `tid`.
    names: Arc<[String]>,
    /// Whether two different threads can have the name of this number.
    is_several: Vec<bool>,
    /// Copies of these threads go by their numbers, but stand for each other.
    pub(crate) permuted: Vec<std::ops::Range<usize>>,
}

impl Names {
    /// Names as the given thread would call them, where copies stand for each other.
    pub(crate) fn up_to_symmetry(instance: &Instance, symmetry: &Symmetry, thread: ThreadId) -> Names {
        let program = &instance.program;
        let Symmetry::Among(templates) = symmetry else {
            return Names::exact(instance, thread);
        };
        if !program.shared.iter().any(|var| has_place_for_every_thread(&var.sort)) {
            return Names::new(instance, thread, templates);
        }
        let others = |template: &TemplateId| {
            let copies = instance.copies_of(*template);
            if copies.contains(&thread.index()) { copies.start + 1..copies.end } else { copies }
        };
        let permuted = templates.iter().map(others).filter(|others| others.len() > 1).collect();
        Names { permuted, ..Names::exact(instance, thread) }
    }

    /// The thread itself is `self`, each other one has its own name.
    pub(crate) fn exact(instance: &Instance, thread: ThreadId) -> Names {
        Names::new(instance, thread, &[])
    }

    /// Each thread has its own name.
    pub(crate) fn of_all(instance: &Instance) -> Names {
        let tids = 0..=instance.threads.len() as i64;
        let names: Vec<String> = tids.clone().map(|tid| instance.tid_name(tid)).collect();
        Names { codes: tids.collect(), is_several: vec![false; names.len()], names: names.into(), permuted: Vec::new() }
    }

    /// Copies of the given threads are not told apart.
    fn new(instance: &Instance, thread: ThreadId, alike: &[TemplateId]) -> Names {
        let own = instance.threads[thread.index()].template;
        let mut codes = vec![0];
        let mut names = vec!["none".to_string(), "self".to_string()];
        let mut is_several = vec![false, false];
        let mut is_used = vec![true, false];
        let mut known: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        for (index, other) in instance.threads.iter().enumerate() {
            let name = if index == thread.index() {
                "self".to_string()
            } else if alike.contains(&other.template) {
                let name = &instance.program.template(other.template).name;
                match (other.template == own, alike.len()) {
                    (true, 1) => "another".to_string(),
                    (true, _) => format!("another {name}"),
                    (false, _) => format!("some {name}"),
                }
            } else {
                instance.tid_name(index as i64 + 1)
            };
            let code = *known.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                is_several.push(false);
                is_used.push(false);
                names.len() - 1
            });
            is_several[code] |= is_used[code];
            is_used[code] = true;
            codes.push(code as i64);
        }
        Names { codes, names: names.into(), is_several, permuted: Vec::new() }
    }

    fn code(&self, tid: i64) -> i64 {
        usize::try_from(tid).ok().and_then(|tid| self.codes.get(tid)).copied().unwrap_or(0)
    }

    fn name(&self, tid: i64) -> String {
        self.names[self.code(tid) as usize].clone()
    }
}

/// Whether a value has a part for every thread.
fn has_place_for_every_thread(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => element.mentions_tid(),
        Sort::Array(key, element) => key.mentions_tid() || has_place_for_every_thread(element),
        _ => false,
    }
}

/// Whether copies of a thread can be more than one.
pub(crate) fn is_replicated(copies: Copies) -> bool {
    !matches!(copies, Copies::Single | Copies::Exactly(0 | 1))
}

/// A variable, or an element of an array or a set, and where its value is.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) variable: Variable,
    /// The same after a step.
    pub(crate) primed: Variable,
    offset: usize,
    reading: Reading,
}

#[derive(Clone, Debug)]
enum Reading {
    /// The word itself.
    Word,
    /// The word is a thread identity.
    Tid,
    /// A bit of the word.
    Bit(usize),
    /// This many words, and how to show them.
    Whole(usize, Sort),
}

/// The parts of the shared variables, thread identities first: they tell the cases apart.
pub(crate) fn shared_parts(instance: &Instance, names: &Names) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, var) in instance.program.shared.iter().enumerate() {
        let offset = instance.shared_range(SharedId(index as u32)).start;
        add_parts(instance, names, &var.name, &var.sort, offset, &mut parts);
    }
    parts.sort_by_key(|part| !matches!(part.reading, Reading::Tid));
    parts
}

/// The parts of a routine's locals but for those out of scope.
pub(crate) fn local_parts(
    instance: &Instance,
    names: &Names,
    routine: RoutineId,
    dead: &[LocalId],
    prefix: &str,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, var) in instance.program.routine(routine).locals.iter().enumerate() {
        let id = LocalId(index as u32);
        if !dead.contains(&id) {
            let offset = instance.local_range(routine, id).start;
            add_parts(instance, names, &format!("{prefix}{}", var.name), &var.sort, offset, &mut parts);
        }
    }
    parts
}

fn add_parts(instance: &Instance, names: &Names, name: &str, sort: &Sort, offset: usize, out: &mut Vec<Part>) {
    let splitter = Splitter { instance, names, name };
    let mut parts = Vec::new();
    match splitter.split("", sort, offset, &mut parts) {
        Some(()) => out.append(&mut parts),
        None => out.push(splitter.whole(sort, offset)),
    }
}

/// Splits a variable into its parts.
struct Splitter<'a> {
    instance: &'a Instance,
    names: &'a Names,
    name: &'a str,
}

impl Splitter<'_> {
    /// Adds the parts; `None` if there are too many. The suffix is the indices so far.
    fn split(&self, suffix: &str, sort: &Sort, offset: usize, out: &mut Vec<Part>) -> Option<()> {
        let instance = self.instance;
        match sort {
            Sort::Set(element) => {
                let count = self.at_most(instance.cardinality(element)?, out)?;
                for rank in 0..count {
                    let element = self.value(element, rank);
                    out.push(self.member(suffix, &element, offset, rank));
                }
            }
            Sort::Array(key, element) => {
                let count = self.at_most(instance.cardinality(key)?, out)?;
                let size = instance.words(element);
                for rank in 0..count {
                    let suffix = format!("{suffix}[{}]", self.value(key, rank));
                    self.split(&suffix, element, offset + rank * size, out)?;
                }
            }
            // Their words are not in the order of the numbers, so they are shown as a whole.
            Sort::Bits(Bits { width: 64, signed: false }) => return None,
            scalar => {
                self.at_most(1, out)?;
                out.push(self.scalar(suffix, scalar, offset));
            }
        }
        Some(())
    }

    fn at_most(&self, count: u64, out: &[Part]) -> Option<usize> {
        let count = usize::try_from(count).ok()?;
        (count <= MAX_PARTS && out.len() + count <= MAX_PARTS).then_some(count)
    }

    /// The name of the value at a position of a finite sort.
    fn value(&self, sort: &Sort, rank: usize) -> String {
        let value = self.instance.unrank(sort, rank);
        match sort {
            Sort::Tid => self.names.name(value),
            _ => show_value(self.instance, sort, &[value]),
        }
    }

    fn member(&self, suffix: &str, element: &str, offset: usize, rank: usize) -> Part {
        let variable = |prime: &str| {
            let set = format!("{}{prime}{suffix}", self.name);
            let name = format!("{element} in {set}");
            Variable { kind: Kind::Bool(format!("!({name})")), name, member: Some((set, element.to_string())) }
        };
        let (variable, primed) = (variable(""), variable("'"));
        Part { variable, primed, offset: offset + rank / 64, reading: Reading::Bit(rank % 64) }
    }

    fn scalar(&self, suffix: &str, sort: &Sort, offset: usize) -> Part {
        let variable = |prime: &str| {
            let name = format!("{}{prime}{suffix}", self.name);
            let kind = match sort {
                Sort::Bool => return Variable::boolean(name),
                Sort::Range(lo, hi) => Kind::Number(Some((*lo, *hi))),
                Sort::Tid => Kind::Name(self.names.names.clone()),
                Sort::Enum(id) => {
                    let members = &self.instance.program.enums[id.index()].members;
                    Kind::Name(members.iter().map(|member| member.to_string()).collect())
                }
                Sort::Bits(bits) => Kind::Number(Some((bits.bounds().0 as i64, bits.bounds().1 as i64))),
                _ => Kind::Number(None),
            };
            Variable { name, kind, member: None }
        };
        let reading = if *sort == Sort::Tid { Reading::Tid } else { Reading::Word };
        Part { variable: variable(""), primed: variable("'"), offset, reading }
    }

    fn whole(&self, sort: &Sort, offset: usize) -> Part {
        let variable = |prime: &str| Variable {
            name: format!("{}{prime}", self.name),
            kind: Kind::Text(Vec::new()),
            member: None,
        };
        let reading = Reading::Whole(self.instance.words(sort), sort.clone());
        Part { variable: variable(""), primed: variable("'"), offset, reading }
    }
}

impl Part {
    fn words<'w>(&self, words: &'w [i64]) -> &'w [i64] {
        let count = if let Reading::Whole(count, _) = self.reading { count } else { 1 };
        &words[self.offset..self.offset + count]
    }

    /// Whether the part differs in two stores.
    pub(crate) fn differs(&self, a: &[i64], b: &[i64]) -> bool {
        match self.reading {
            Reading::Bit(bit) => (a[self.offset] ^ b[self.offset]) >> bit & 1 == 1,
            _ => self.words(a) != self.words(b),
        }
    }
}

/// Collects valuations of variables, and makes a formula of them.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    instance: &'a Instance,
    names: &'a Names,
    /// The parts, and for each which of several runs of words it is in.
    pub(crate) parts: Vec<(usize, Part)>,
    texts: BTreeMap<(usize, Store), i64>,
    /// For each valuation, the values; then the thread identities that have a name in common.
    rows: BTreeSet<(Point, Vec<i64>)>,
}

impl<'a> Table<'a> {
    pub(crate) fn new(instance: &'a Instance, names: &'a Names, parts: Vec<(usize, Part)>) -> Table<'a> {
        Table { instance, names, parts, texts: BTreeMap::new(), rows: BTreeSet::new() }
    }

    /// The value of a part.
    pub(crate) fn value(&mut self, index: usize, words: &[i64]) -> i64 {
        let part = &self.parts[index].1;
        let word = words.get(part.offset).copied().unwrap_or(0);
        match &part.reading {
            Reading::Word => word,
            Reading::Tid => self.names.code(word),
            Reading::Bit(bit) => word >> bit & 1,
            Reading::Whole(_, sort) => {
                let words: Store = part.words(words).into();
                let text = show_value(self.instance, sort, &words);
                self.number_of_text(index, words, text)
            }
        }
    }

    fn number_of_text(&mut self, index: usize, words: Store, text: String) -> i64 {
        let next = self.texts.len() as i64;
        let number = *self.texts.entry((index, words)).or_insert(next);
        if number == next {
            let part = &mut self.parts[index].1;
            for variable in [&mut part.variable, &mut part.primed] {
                if let Kind::Text(texts) = &mut variable.kind {
                    texts.resize(next as usize, String::new());
                    texts.push(text.clone());
                }
            }
        }
        number
    }

    /// Adds the valuation of the given runs of words.
    pub(crate) fn add(&mut self, runs: &[&[i64]]) {
        let mut point = Point::new();
        let mut identities = Vec::new();
        for index in 0..self.parts.len() {
            let (run, part) = &self.parts[index];
            let words = runs[*run];
            if let Reading::Tid = part.reading {
                identities.push(words[part.offset]);
            }
            point.push(self.value(index, words));
        }
        // Other copies are numbered as they come: only which are the same is of interest.
        let mut seen = Vec::new();
        for identity in &mut identities {
            let code = self.names.code(*identity);
            if self.names.is_several[code as usize] {
                let at = seen.iter().position(|s| s == identity).unwrap_or_else(|| {
                    seen.push(*identity);
                    seen.len() - 1
                });
                *identity = at as i64 + 1;
            } else {
                *identity = 0;
            }
        }
        self.rows.insert((point, identities));
    }

    /// What the valuations have in common.
    pub(crate) fn formula(&self) -> Formula {
        let mut variables: Vec<Variable> = self.parts.iter().map(|(_, part)| part.variable.clone()).collect();
        let tids: Vec<usize> =
            (0..variables.len()).filter(|&i| matches!(self.parts[i].1.reading, Reading::Tid)).collect();
        let pairs = self.pairs(&tids);
        for &(a, b) in &pairs {
            let (a, b) = (&variables[tids[a]].name, &variables[tids[b]].name);
            let (same, different) = (format!("{a} == {b}"), format!("{a} != {b}"));
            variables.push(Variable { name: same, kind: Kind::Bool(different), member: None });
        }
        let mut points = Vec::new();
        for (point, identities) in &self.rows {
            let mut extended = vec![point.clone()];
            for &(a, b) in &pairs {
                let values: &[i64] = match is_pair(point, identities, &tids, a, b) {
                    true => &[(identities[a] == identities[b]) as i64],
                    // The names say already that they are different: no need to say it again.
                    false => &[0, 1],
                };
                let with = |value: &i64, point: &Point| [&point[..], &[*value]].concat();
                extended = extended.iter().flat_map(|point| values.iter().map(move |v| with(v, point))).collect();
            }
            points.append(&mut extended);
        }
        Formula::of(&variables, points)
    }

    /// The pairs of thread identities that are sometimes both other copies of the same thread.
    fn pairs(&self, tids: &[usize]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for b in 0..tids.len() {
            for a in 0..b {
                if self.rows.iter().any(|(point, identities)| is_pair(point, identities, tids, a, b)) {
                    pairs.push((a, b));
                }
            }
        }
        if pairs.len() > MAX_PAIRS { Vec::new() } else { pairs }
    }
}

fn is_pair(point: &Point, identities: &[i64], tids: &[usize], a: usize, b: usize) -> bool {
    identities[a] != 0 && identities[b] != 0 && point[tids[a]] == point[tids[b]]
}

/// The store and those that differ from it by a permutation of copies that stand for each other;
/// `None` if there are too many.
pub(crate) fn permutations(instance: &Instance, names: &Names, shared: &Store) -> Option<Vec<Store>> {
    if names.permuted.is_empty() {
        return Some(vec![shared.clone()]);
    }
    let mut all = BTreeSet::from([shared.clone()]);
    let mut pending = vec![shared.clone()];
    while let Some(store) = pending.pop() {
        for others in &names.permuted {
            for first in others.start..others.end - 1 {
                let (a, b) = (first as i64 + 1, first as i64 + 2);
                let swap = |tid: i64| {
                    if tid == a {
                        b
                    } else if tid == b {
                        a
                    } else {
                        tid
                    }
                };
                let swapped: Store = instance.rename(&store, &swap).into();
                if all.len() >= MAX_STORES {
                    return None;
                }
                if all.insert(swapped.clone()) {
                    pending.push(swapped);
                }
            }
        }
    }
    Some(all.into_iter().collect())
}
