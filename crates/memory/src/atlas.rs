//! Where the variables of a lowered program are in the memory that it talks about, and which of its edges do what there:
//! for whoever runs the real program beside it.

use crate::code::Type;
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_ir::{EdgeId, Expr, SharedId, VarRef};

/// The objects, their parts, and what edges do to them.
#[derive(Clone, Debug, Default)]
pub struct Atlas {
    pub objects: Vec<Region>,
    pub parts: Vec<Part>,
    /// What an edge does, in this order. An edge that is not here does nothing that a machine would notice.
    pub operations: BTreeMap<EdgeId, Vec<Operation>>,
    /// Some plain integers are accessed in two halves.
    pub has_halves: bool,
    /// Pointers that point nowhere, or of which nobody knows where they point to.
    pub nowhere: Vec<i64>,
}

/// An object, or a pool of objects that are all alike.
#[derive(Clone, Debug)]
pub struct Region {
    pub name: Arc<str>,
    pub kind: RegionKind,
    /// What pointers to the first byte are.
    pub address: i64,
    /// The bytes of one object.
    pub size: u64,
    pub slots: u64,
    /// The bytes from one object of a pool to the next.
    pub stride: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    Global,
    ThreadLocal,
    Local,
    Heap,
    Function,
}

/// A scalar or a library's object, or an array of such, in an object.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its object, by its place in the list of these.
    pub object: usize,
    pub offset: u64,
    /// Of each dimension: how many elements are kept apart, and the bytes from one to the next.
    pub dims: Vec<(u64, u64)>,
    pub ty: Type,
    pub size: u64,
    /// The variable that stands for it, if that is shared.
    pub variable: Option<SharedId>,
    /// The variable that tells whether it has been set, if it matters.
    pub is_set: Option<SharedId>,
    /// Accesses are steps that other threads can see.
    pub visible: bool,
    /// It shares its bytes with other parts.
    pub is_bit_field: bool,
}

/// What an edge does that a machine does too.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A load, a store or both, of an element of a part; or what a library does to an object of its own.
    Access {
        part: usize,
        indices: Vec<Expr>,
        writes: bool,
    },
    /// A new object, at the address that this is.
    Allocate(Expr),
    /// An object is gone, or nothing is where this is null.
    Free(Expr),
    /// A thread is created.
    Create,
    /// The thread takes its first step.
    Start,
    /// The thread takes its last step.
    End,
    Join,
    /// A value that nobody knows, which this is then; indices in it are those from before.
    Any(Expr),
    /// The number of arguments that the program was started with, which is in this variable then.
    Arguments(VarRef),
}
