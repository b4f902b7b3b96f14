//! Proofs by locks, laid out for people: what protects each variable.

use crate::human::Layout;
use crate::list::wrap_words;
use crate::numbers::show_count;
use std::collections::BTreeSet;
use threadwise_evidence::{Element, Fact, Key, ProtectionProof};
use threadwise_ir::{Copies, Edge, Op, Pattern, Program, Sign, TemplateId, VarRef};

/// Without `-v` no more variables than this are shown.
const MAX_SHOWN: usize = 40;

/// In a few words.
pub(crate) fn how(proof: &ProtectionProof, points: &str) -> String {
    let locks = match proof.locks.len() {
        0 => "who runs".to_string(),
        1 => "a lock and who runs".to_string(),
        count => format!("{} locks and who runs", show_count(count as u64)),
    };
    format!("by {locks}, without values; what holds at the proof's {points} points has been checked")
}

/// What protects each variable, one line each.
pub(crate) fn text(program: &Program, proof: &ProtectionProof, layout: &Layout) -> String {
    let all = protected(program, proof);
    let most = if layout.whole { usize::MAX } else { MAX_SHOWN };
    let widest = all.iter().take(most).map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, by) in all.iter().take(most) {
        let room = layout.width.map(|width| width.saturating_sub(widest + 4).max(30));
        let lines = wrap_words(by, room).join(&format!("\n{}", " ".repeat(widest + 4)));
        out.push_str(&format!("  {name:<widest$}  {lines}\n"));
    }
    if all.len() > most {
        out.push_str(&format!("\n  {} more variables; -v shows all\n", show_count((all.len() - most) as u64)));
    }
    out
}

/// For each pattern what it is about, and why it is not met.
pub(crate) fn protected(program: &Program, proof: &ProtectionProof) -> Vec<(String, String)> {
    let Some(program) = proof.subject(program) else { return Vec::new() };
    let name = |id| program.property(id).wording.name().unwrap_or("a pattern").to_string();
    program.patterns().map(|(id, pattern)| (name(id), reason(program, proof, pattern))).collect()
}

/// Somebody who accesses what a pattern is about, and what holds there.
struct Access<'a> {
    thread: TemplateId,
    writes: bool,
    facts: &'a [Fact],
}

fn accesses<'a>(program: &Program, proof: &'a ProtectionProof, pattern: &Pattern) -> Vec<Access<'a>> {
    let mut all = Vec::new();
    for (codes, thread) in proof.threads.iter().zip((0..).map(TemplateId)) {
        for code in codes {
            let first = program.routine(code.routine).locations.start as usize;
            for (_, edge) in program.edges_of(code.routine) {
                let Some(at) = code.at[edge.from.index() - first] else { continue };
                if pattern.signs().iter().any(|sign| shows(sign, edge)) {
                    let writes =
                        pattern.signs().iter().any(|sign| matches!(sign, Sign::Writes(_)) && shows(sign, edge));
                    all.push(Access { thread, writes, facts: &proof.sets[at as usize] });
                }
            }
        }
    }
    all
}

fn shows(sign: &Sign, edge: &Edge) -> bool {
    sign.is_shown_by(edge) || matches!(edge.op, Op::Call { .. }) && sign.is_shown_by_result(edge)
}

/// The first explanation that fits, the simplest first.
fn reason(program: &Program, proof: &ProtectionProof, pattern: &Pattern) -> String {
    let all = accesses(program, proof, pattern);
    let name = |thread: TemplateId| program.template(thread).name.to_string();
    let threads: BTreeSet<TemplateId> = all.iter().map(|access| access.thread).collect();
    if !all.iter().any(|access| access.writes) {
        return if all.is_empty() { "not used".to_string() } else { "only read".to_string() };
    }
    let is_alone = |thread: &TemplateId| program.template(*thread).copies == Copies::Single;
    if let (1, Some(thread)) = (threads.len(), threads.first().filter(|thread| is_alone(thread))) {
        return format!("used by {} only", name(*thread));
    }
    if let Some(lock) = common_lock(proof, all.iter()) {
        return format!("protected by {}", shown(program, &lock));
    }
    // Somebody may use it without a lock while the others do not run.
    let is_by_itself = |access: &&Access<'_>| {
        let others = threads.iter().filter(|other| **other != access.thread);
        let away = |other: &TemplateId| access.facts.contains(&Fact::Running(*other, Vec::new()));
        is_alone(&access.thread) && others.clone().next().is_some() && others.clone().all(away)
    };
    let (alone, together): (Vec<&Access<'_>>, Vec<&Access<'_>>) = all.iter().partition(is_by_itself);
    if alone.is_empty() {
        return "the threads that use it are kept apart".to_string();
    }
    let users: BTreeSet<String> = alone.iter().map(|access| name(access.thread)).collect();
    let others: BTreeSet<String> = together.iter().map(|access| name(access.thread)).collect();
    let (users, others) = (join(&users), join(&others));
    match common_lock(proof, together.iter().copied()) {
        Some(lock) => {
            format!("protected by {}; used by {users} while nobody else runs who uses it", shown(program, &lock))
        }
        None => format!("used by {users} only while {others} does not run"),
    }
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<String>>().join(", ")
}

/// A lock that all hold; readers may only read it.
fn common_lock<'a>(proof: &ProtectionProof, all: impl Iterator<Item = &'a Access<'a>> + Clone) -> Option<Element> {
    let first = all.clone().find(|access| access.writes)?;
    let held = first.facts.iter().filter_map(|fact| match fact {
        Fact::Holds(lock) => Some(lock),
        _ => None,
    });
    let is_common = |lock: &&Element| {
        let readers = proof.locks.iter().find(|known| VarRef::Shared(known.owner) == lock.var).and_then(|l| l.readers);
        let reads = readers.map(|id| Fact::Reads(Element { var: VarRef::Shared(id), keys: lock.keys.clone() }));
        all.clone().all(|access| {
            let holds = access.facts.contains(&Fact::Holds((*lock).clone()));
            holds || !access.writes && reads.as_ref().is_some_and(|reads| access.facts.contains(reads))
        })
    };
    held.into_iter().find(is_common).cloned()
}

/// `m`, `locks[1]`; a lock for readers and writers by its own name.
fn shown(program: &Program, lock: &Element) -> String {
    let VarRef::Shared(var) = lock.var else { return String::new() };
    let name = program.shared[var.index()].name.to_string();
    let name = name.strip_suffix(".w").map_or(name.clone(), str::to_string);
    let keys = lock.keys.iter().map(|key| match key {
        Key::Number(word) => format!("[{word}]"),
        Key::Local(_) => "[…]".to_string(),
        Key::Me => "[self]".to_string(),
        Key::Thread(template) => format!("[{}]", program.template(*template).name),
    });
    name + &keys.collect::<String>()
}
