//! Which of the variables under a `norace` property a step reads and writes.

use crate::{Edge, ExprKind, Op, Place, Program, Property, PropertyKind, SharedId, Update, Value, VarRef};

/// Two sets of variables under `norace`, as bits in the order of those properties.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Access {
    /// The variables that are read or written.
    pub accessed: u64,
    /// The variables that are written.
    pub written: u64,
}

impl Access {
    /// What either accesses.
    pub fn union(self, other: Access) -> Access {
        Access { accessed: self.accessed | other.accessed, written: self.written | other.written }
    }

    /// The variables on which two steps race.
    pub fn conflicts(self, other: Access) -> u64 {
        self.written & other.accessed | self.accessed & other.written
    }
}

/// For each shared variable the bit of the `norace` property it is under, or 0.
pub(crate) struct RaceBits(Vec<u64>);

impl RaceBits {
    pub(crate) fn new(program: &Program) -> RaceBits {
        RaceBits::of_properties(program, &program.properties)
    }

    /// The bits for these properties instead of the program's own.
    pub(crate) fn of_properties(program: &Program, properties: &[Property]) -> RaceBits {
        let mut bits = vec![0; program.shared.len()];
        let vars = properties.iter().filter_map(|p| match &p.kind {
            PropertyKind::NoRace(_, vars) => Some(vars),
            PropertyKind::Invariant(..) | PropertyKind::Never(_) => None,
        });
        for (bit, vars) in vars.enumerate() {
            vars.iter().for_each(|var| bits[var.index()] |= 1 << bit);
        }
        RaceBits(bits)
    }

    fn bit(&self, var: VarRef) -> u64 {
        match var {
            VarRef::Shared(SharedId(index)) => self.0[index as usize],
            VarRef::Local(_) => 0,
        }
    }

    fn write(&self, var: VarRef) -> Access {
        Access { accessed: self.bit(var), written: self.bit(var) }
    }

    /// What an edge accesses, but for the result of a call, which is written on return.
    pub(crate) fn of_edge(&self, edge: &Edge) -> Access {
        let mut access = Access::default();
        edge.op.walk_expressions(&mut |e| {
            if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = e.kind {
                access.accessed |= self.bit(var);
            }
        });
        if let Op::Command(command) = &edge.op {
            let written: Vec<VarRef> = match &command.update {
                Update::Assign(assignments) => {
                    assignments.iter().map(|(place, _): &(Place, Value)| place.var).collect()
                }
                Update::Action { frame, .. } => frame.to_vec(),
            };
            written.into_iter().for_each(|var| access = access.union(self.write(var)));
        }
        access
    }

    /// What writing the result of a call accesses.
    pub(crate) fn of_result(&self, edge: &Edge) -> Access {
        match &edge.op {
            Op::Call { result: Some(place), .. } => self.write(place.var),
            Op::Call { result: None, .. } | Op::Command(_) | Op::Return(_) => Access::default(),
        }
    }
}
