//! Which threads may run while the main thread is at a place of its code. A thread that has not been created does not run, nor
//! does one that has been joined: what only such threads access besides, the main thread has for itself there.

use crate::code::{Base, End, InstructionKind, Library, Place};
use crate::joins::JoinedAll;
use crate::objects::ThreadIndex;
use crate::threads::{At, Number, Threads, is_address_taken, plain_local, writes};
use crate::walk::targets;
use std::collections::{BTreeMap, BTreeSet};

/// Threads, each with the creation by the main thread because of which they run.
type Set = BTreeSet<(At, ThreadIndex)>;

/// For each block of the main thread those that may run where it begins; nothing for blocks that are not come to.
pub(crate) struct Running<'a> {
    threads: &'a Threads,
    joined_all: &'a JoinedAll,
    before: Vec<Option<Set>>,
    created: BTreeMap<At, Set>,
    joined: BTreeMap<At, (At, ThreadIndex)>,
}

const MAIN: ThreadIndex = ThreadIndex(0);

impl Running<'_> {
    /// The argument says which loops join all threads of some kinds.
    pub(crate) fn of<'a>(threads: &'a Threads, joined_all: &'a JoinedAll) -> Running<'a> {
        let flat = &threads.get(MAIN).flat;
        let before = vec![None; flat.blocks.len()];
        let (created, joined) = (created(threads), joined(threads));
        let mut running = Running { threads, joined_all, before, created, joined };
        running.before[0] = Some(Set::new());
        let mut work = vec![0usize];
        while let Some(block) = work.pop() {
            for to in targets(&flat.blocks[block].end) {
                let after = running.after(block, to.index());
                let known = &mut running.before[to.index()];
                let all: Set = known.iter().flatten().chain(&after).copied().collect();
                if known.as_ref() != Some(&all) {
                    *known = Some(all);
                    work.push(to.index());
                }
            }
        }
        running
    }

    /// Those that may run before an instruction of the main thread.
    pub(crate) fn at(&self, place: At) -> BTreeSet<ThreadIndex> {
        self.with_creations(place).into_iter().map(|(_, thread)| thread).collect()
    }

    fn with_creations(&self, place: At) -> Set {
        let mut now = self.before[place.block as usize].clone().unwrap_or_default();
        for instruction in 0..place.instruction {
            let at = At { instruction, ..place };
            now.extend(self.created.get(&at).into_iter().flatten());
            if let Some(ended) = self.joined.get(&at) {
                now.remove(ended);
            }
        }
        now
    }

    /// Those that may run where control goes from one block to another.
    fn after(&self, block: usize, to: usize) -> Set {
        let of = &self.threads.get(MAIN).flat.blocks[block];
        let end = At { thread: MAIN, block: block as u32, instruction: of.instructions.len() as u32 };
        let mut now = self.with_creations(end);
        if let (Some(kinds), End::Branch(_, yes, no)) = (self.joined_all.get(&(MAIN, block)), &of.end)
            && no.index() == to
            && yes != no
        {
            now.retain(|(_, thread)| !kinds.contains(thread) || self.threads.get(*thread).copies == Number::Any);
        }
        now
    }

    /// Whether the main thread is there alone from the start, so that it runs before everybody else.
    pub(crate) fn is_known(&self) -> bool {
        self.threads.all.iter().filter(|thread| thread.is_entry).count() == 1
    }
}

/// For each creation of the main thread all that may run because of it: what it creates, and what that creates.
fn created(threads: &Threads) -> BTreeMap<At, Set> {
    let directly = |at: &At| threads.created[at].iter().flat_map(|(_, all)| all.iter().copied());
    let mut found = BTreeMap::new();
    for at in threads.created.keys().filter(|at| at.thread == MAIN) {
        let mut all: BTreeSet<ThreadIndex> = directly(at).collect();
        let mut work: Vec<ThreadIndex> = all.iter().copied().collect();
        while let Some(thread) = work.pop() {
            let own = threads.created.keys().filter(|at| at.thread == thread);
            work.extend(own.flat_map(directly).filter(|more| all.insert(*more)));
        }
        found.insert(*at, all.into_iter().map(|thread| (*at, thread)).collect());
    }
    found
}

/// The joins of the main thread that wait for what one creation has created: the handle is a variable that this creation stores,
/// once at most, and nothing else.
fn joined(threads: &Threads) -> BTreeMap<At, (At, ThreadIndex)> {
    let flat = &threads.get(MAIN).flat;
    let cycles = flat.on_cycles();
    let own = || threads.instructions().filter(|(at, _)| at.thread == MAIN);
    let mut found = BTreeMap::new();
    for (at, instruction) in own() {
        let InstructionKind::Library(library) = &instruction.kind else { continue };
        let Library::Join { thread: handle, .. } = &**library else { continue };
        let Some(local) = plain_local(handle).filter(|local| !is_address_taken(flat, *local)) else { continue };
        let is_it = |place: &Place| matches!(place.base, Base::Local(id) if id == local) && place.path.is_empty();
        let mut stores = own().filter(|(_, other)| writes(&other.kind, local));
        let (Some((store, creation)), None) = (stores.next(), stores.next()) else { continue };
        let InstructionKind::Library(creation) = &creation.kind else { continue };
        let is_stored = matches!(&**creation, Library::Create { handle: Some(place), .. } if is_it(place));
        let is_once = cycles[store.block as usize].is_none();
        if let (true, true, Some([(_, kinds)])) = (is_stored, is_once, threads.created.get(&store).map(Vec::as_slice))
            && let [kind] = kinds[..]
            && threads.get(kind).copies != Number::Any
        {
            found.insert(at, (store, kind));
        }
    }
    found
}
