//! Conformance as ABSTHR, section 3, defines it, and small random programs with abstract threads.
//!
//! The slow obvious version beside the engine `conformance`: all pairs of a local state and a set of
//! nodes, for all shared stores. What an abstract thread can do is asked of the composition's own
//! steps, so nothing of the engine is used, and neither is the way in which it asks for single steps.

use crate::dice::Dice;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;
use std::sync::Arc;
use threadwise_ir::{Instance, Program, SharedId, Store, ThreadId};

/// Whether C(T, T#) is correct for every specified thread of a program whose properties are only
/// assertions; `None` if the semantics cannot list all steps or stores.
pub fn conforms(program: &Arc<Program>) -> Option<bool> {
    let composition = program.abstraction().ok()?.composition;
    let (concrete, abstracted) = (Instance::new(program.clone(), 0), Instance::new(composition, 0));
    let stores = all_stores(&concrete)?;
    for thread in (0..concrete.threads.len() as u32).map(ThreadId) {
        let template = concrete.threads[thread.index()].template;
        let Some(specification) = program.abstract_thread(template) else { continue };
        if !thread_conforms(&concrete, &abstracted, thread, specification.idle, &stores)? {
            return Some(false);
        }
    }
    Some(true)
}

fn thread_conforms(
    concrete: &Instance,
    abstracted: &Instance,
    thread: ThreadId,
    idle: bool,
    stores: &[Store],
) -> Option<bool> {
    let starts = |instance: &Instance| -> BTreeSet<Store> {
        instance.starts(thread, &stores[0]).successors.into_iter().map(|start| start.local).collect()
    };
    let init = starts(abstracted);
    let mut seen: BTreeSet<(Store, BTreeSet<Store>)> = BTreeSet::new();
    let mut queue: VecDeque<(Store, BTreeSet<Store>)> =
        starts(concrete).into_iter().map(|local| (local, init.clone())).collect();
    while let Some((local, nodes)) = queue.pop_front() {
        if nodes.is_empty() {
            return Some(false);
        }
        if !seen.insert((local.clone(), nodes.clone())) {
            continue;
        }
        for store in stores {
            let steps = concrete.steps(thread, store, &local);
            let of_nodes: Vec<_> = nodes.iter().map(|node| (node, abstracted.steps(thread, store, node))).collect();
            if steps.gap.is_some() || of_nodes.iter().any(|(_, steps)| steps.gap.is_some()) {
                return None;
            }
            if of_nodes.iter().any(|(_, steps)| !steps.failures.is_empty()) {
                continue;
            }
            if !steps.failures.is_empty() {
                return Some(false);
            }
            for step in steps.successors {
                let mut after: BTreeSet<Store> = BTreeSet::new();
                for (node, steps) in &of_nodes {
                    let same = steps.successors.iter().filter(|next| next.shared == step.shared);
                    after.extend(same.map(|next| next.local.clone()));
                    after.extend((idle && step.shared == *store).then(|| (*node).clone()));
                }
                queue.push_back((step.local, after));
            }
        }
    }
    Some(true)
}

/// All shared stores of a program whose variables take one word each, with few values.
fn all_stores(instance: &Instance) -> Option<Vec<Store>> {
    let mut stores = vec![vec![0; instance.shared_words()]];
    for (index, var) in instance.program.shared.iter().enumerate() {
        let values = instance.cardinality(&var.sort).filter(|&n| n <= 16)?;
        let at = instance.shared_range(SharedId(index as u32)).start;
        let with = |store: &Vec<i64>, rank: usize| {
            let mut store = store.clone();
            store[at] = instance.unrank(&var.sort, rank);
            store
        };
        stores = stores.iter().flat_map(|store| (0..values as usize).map(move |rank| with(store, rank))).collect();
    }
    Some(stores.into_iter().map(Vec::into_boxed_slice).collect())
}

const STATEMENTS: [&str; 14] = [
    "a = 1;",
    "a = 0;",
    "b = !b;",
    "t = a;",
    "a = t;",
    "if (b) { a = 2; }",
    "if (t == 1) { b = true; }",
    "a = a + 1;",
    "atomic { await !b; b = true; t = 2; }",
    "await a != 2;",
    "assert a != 2 || b;",
    "assert !b;",
    "t = *;",
    "m = self;",
];

const ASSERTIONS: [&str; 7] =
    ["", "", "assert a < 2", "assert !b", "assert a != 2 || b", "assert !b && a < 2", "assert m == self"];

const STEPS: [&str; 12] = [
    "",
    "[a, b]",
    "[a] a' <= 2",
    "[a] a' == a + 1",
    "[a] a' != 2",
    "[b] b' == !b",
    "[b] !b && b'",
    "[] true",
    "[] a == 1",
    "[a] a' == 1 || a' == 0",
    "[m] m' == self",
    "[a, b, m] true",
];

/// A small program with two kinds of threads, of which one or both have an abstract thread. About
/// half of the abstract threads are made of generous edges, so that some of them are right.
pub fn random_abstraction(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::from("shared a: 0..2;\nshared b: bool;\nshared m: tid;\n");
    for (name, copies) in [("P", ""), ("W", "[2]")] {
        let body: Vec<&str> = (0..1 + dice.roll(3)).map(|_| dice.pick(&STATEMENTS)).collect();
        let body = body.join(" ");
        let body = if dice.roll(3) == 0 { format!("loop {{ {body} }}") } else { body };
        let _ = writeln!(text, "thread {name}{copies} {{ var t: 0..2; {body} }}");
    }
    let both = dice.roll(2) == 0;
    for name in ["P", "W"].into_iter().take(1 + both as usize) {
        abstract_thread(&mut text, name, &mut dice);
    }
    let _ = writeln!(text, "invariant a <= 2;");
    text
}

fn abstract_thread(text: &mut String, name: &str, dice: &mut Dice) {
    let nodes = 1 + dice.roll(3);
    let _ = writeln!(text, "abstract {name} {{\n  init N{};", dice.roll(nodes));
    if dice.roll(4) > 0 {
        text.push_str("  idle;\n");
    }
    for node in 0..nodes {
        let _ = writeln!(text, "  N{node}: {};", dice.pick(&ASSERTIONS));
    }
    let generous = dice.roll(2) == 0;
    for from in 0..nodes {
        if generous {
            let _ = writeln!(text, "  N{from} -> N{};", dice.roll(nodes));
        }
        for _ in 0..dice.roll(3) {
            let _ = writeln!(text, "  N{from} -> N{} {};", dice.roll(nodes), dice.pick(&STEPS));
        }
    }
    text.push_str("}\n");
}
