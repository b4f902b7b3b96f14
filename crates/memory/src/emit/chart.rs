//! What edges do, kept for the atlas.

use super::{Emitter, INDETERMINATE, UNKNOWN};
use crate::atlas::{Atlas, Operation, Part, Region, RegionKind};
use crate::code::Type;
use crate::emit::access::Cell;
use crate::objects::{ANY_LENGTH, Dim, ERAS, Leaf, LeafId, Object, ObjectId, Storage};
use threadwise_ir::{Command, EdgeId, SharedId, Update, VarRef};

impl Emitter<'_> {
    /// The last edge does this, after what it does already.
    pub(super) fn does(&mut self, operation: Operation) {
        if self.draws && !self.edges.is_empty() {
            let id = EdgeId(self.edges.len() as u32 - 1);
            self.operations.entry(id).or_default().push(operation);
        }
    }

    /// The edges from this number on do this before anything else.
    pub(super) fn does_first(&mut self, from: usize, operation: Operation) {
        if self.draws {
            for id in from..self.edges.len() {
                self.operations.entry(EdgeId(id as u32)).or_default().insert(0, operation.clone());
            }
        }
    }

    /// An edge does what another one does, whose copy it is.
    pub(super) fn does_the_same(&mut self, as_this: usize, copy: usize) {
        if let Some(all) = self.operations.get(&EdgeId(as_this as u32)).cloned() {
            self.operations.insert(EdgeId(copy as u32), all);
        }
    }

    pub(super) fn accessed(&mut self, cell: &Cell, writes: bool) {
        if self.draws {
            self.does(Operation::Access { part: cell.leaf.index(), indices: cell.indices.clone(), writes });
        }
    }

    /// What the edges from this number on stored is any value, and was chosen before.
    pub(super) fn chose_any(&mut self, from: usize) {
        for id in (from..self.edges.len()).map(|number| EdgeId(number as u32)) {
            let Some(operations) = self.operations.get(&id) else { continue };
            let stored = operations.iter().find_map(|operation| match operation {
                Operation::Access { part, indices, writes: true } => Some((LeafId(*part as u32), indices.clone())),
                _ => None,
            });
            if let Some((leaf, indices)) = stored
                && let Some(kept) = self.kept.get(&leaf)
            {
                let span = self.edges[id.index()].span;
                let chosen = self.read_at(kept.var, self.objects.leaf(leaf), &kept.element, &indices, span);
                self.operations.entry(id).or_default().insert(0, Operation::Any(chosen));
            }
        }
    }

    /// Whether a command changes a leaf, or what a library keeps beside it.
    pub(super) fn writes_to(&self, leaf: LeafId, command: &Command) -> bool {
        let Some(kept) = self.kept.get(&leaf) else { return false };
        let is_its = |var: VarRef| var == kept.var || kept.more.iter().any(|&more| var == VarRef::Shared(more));
        match &command.update {
            Update::Assign(assignments) => assignments.iter().any(|(place, _)| is_its(place.var)),
            Update::Action { .. } => false,
        }
    }

    pub(super) fn atlas(&self) -> Atlas {
        let objects = (0..self.objects.objects.len() as u32).map(ObjectId);
        let leaves = (0..self.objects.leaves.len() as u32).map(LeafId);
        Atlas {
            objects: objects.map(|id| self.region(id, self.objects.object(id))).chain(self.other_lives()).collect(),
            parts: leaves.map(|id| self.part_of_atlas(id, self.objects.leaf(id))).collect(),
            operations: self.operations.clone(),
            has_halves: !self.torn.is_empty(),
            nowhere: [INDETERMINATE, UNKNOWN].map(|number| number + self.bias()).to_vec(),
        }
    }

    fn region(&self, id: ObjectId, object: &Object) -> Region {
        let kind = match object.storage {
            Storage::Global(_) => RegionKind::Global,
            Storage::ThreadLocal(..) => RegionKind::ThreadLocal,
            Storage::Local(..) => RegionKind::Local,
            Storage::Heap(_) => RegionKind::Heap,
            Storage::Function(_) => RegionKind::Function,
        };
        let (slots, stride) = (object.slots, object.stride);
        let size = match &object.ty {
            Type::Array(element, ANY_LENGTH) => self.code.size_of(element) * u64::from(self.program.kept_elements),
            ty => self.code.size_of(ty).max(1),
        };
        Region { name: object.name.clone(), kind, address: self.address_of(id), size, slots, stride }
    }

    /// Locals in their later lives, which may be elsewhere.
    fn other_lives(&self) -> impl Iterator<Item = Region> {
        self.eras.keys().flat_map(move |&id| {
            let object = self.objects.object(id);
            let moved = |era: u64| (object.room * era) as i64;
            (1..ERAS).map(move |era| {
                let region = self.region(id, object);
                Region { address: region.address + moved(era), ..region }
            })
        })
    }

    /// Whether there are values in the variable of a leaf: not where nobody reads them.
    fn is_kept(&self, id: SharedId, leaf: &Leaf) -> bool {
        let kept = self.pointers.sort_of(leaf, self.pointers.element_sort(&leaf.ty));
        self.program.shared[id.index()].sort == kept
    }

    /// How many elements of an array there are in states.
    fn compared(&self, dim: Dim) -> u64 {
        if dim.has_any_length() { u64::from(self.program.kept_elements) } else { dim.kept() }
    }

    fn part_of_atlas(&self, id: LeafId, leaf: &Leaf) -> Part {
        let kept = self.kept.get(&id);
        Part {
            object: leaf.object.index(),
            offset: leaf.offset,
            dims: leaf.dims.iter().map(|dim| (self.compared(*dim), dim.stride)).collect(),
            ty: leaf.ty.clone(),
            size: self.code.size_of(&leaf.ty),
            variable: kept.and_then(|kept| shared(kept.var)).filter(|id| self.is_kept(*id, leaf)),
            is_set: kept.and_then(|kept| kept.is_set).and_then(shared),
            visible: self.visible.contains(&id),
            is_bit_field: leaf.bit.is_some(),
        }
    }
}

fn shared(var: VarRef) -> Option<SharedId> {
    match var {
        VarRef::Shared(id) => Some(id),
        VarRef::Local(_) => None,
    }
}
