//! Objects on the heap that are one thread's own for all their lives: whoever allocates them keeps their addresses in
//! variables that nobody else reaches, and in such objects. That is so of each copy of a thread, however many there are.

use crate::code::{InstructionKind, Library, LocalId};
use crate::objects::{LeafId, ObjectId, Storage, ThreadIndex};
use crate::points::Points;
use std::collections::{BTreeMap, BTreeSet};

/// All objects that only the thread which allocates them can reach.
pub(crate) fn own_objects(points: &Points<'_>) -> BTreeSet<ObjectId> {
    let allocators: BTreeMap<ObjectId, ThreadIndex> =
        points.sites.iter().map(|(at, site)| (points.objects.at(Storage::Heap(*site)), at.thread)).collect();
    let passed_on = passed_on(points);
    let mut own: BTreeSet<ObjectId> = allocators.keys().copied().collect();
    loop {
        let before = own.len();
        for (leaf, number) in points.objects.leaves.iter().zip(0..) {
            let holder = match points.objects.object(leaf.object).storage {
                Storage::Local(thread, local) if !passed_on.contains(&(thread, local)) => Some(thread),
                Storage::ThreadLocal(thread, _) => Some(thread),
                Storage::Heap(_) if own.contains(&leaf.object) => allocators.get(&leaf.object).copied(),
                Storage::Local(..) | Storage::Heap(_) | Storage::Global(_) | Storage::Function(_) => None,
            };
            for target in points.of_leaf(LeafId(number)) {
                if allocators.get(&target.object).copied() != holder {
                    own.remove(&target.object);
                }
            }
        }
        if own.len() == before {
            return own;
        }
    }
}

/// The variables by which values go from one thread to another: arguments, and results if somebody asks for them. The other
/// one may be of the same kind.
fn passed_on(points: &Points<'_>) -> BTreeSet<(ThreadIndex, LocalId)> {
    let asks = |kind: &InstructionKind| matches!(kind, InstructionKind::Library(library) if matches!(**library, Library::Join { value: Some(_), .. }));
    let results_are_asked_for = points.threads.instructions().any(|(_, instruction)| asks(&instruction.kind));
    let mut found = BTreeSet::new();
    for thread in points.threads.indices() {
        let flat = &points.threads.get(thread).flat;
        found.insert((thread, flat.first_param));
        found.extend(flat.result.filter(|_| results_are_asked_for).map(|result| (thread, result)));
    }
    found
}
