use crate::Bits;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// Declares a newtype index, so that ids of different things cannot be mixed up.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An enumeration type.
    EnumId,
    /// A shared variable.
    SharedId,
    /// A local variable of a routine.
    LocalId,
    /// A thread template: a thread as declared, replicated or not.
    TemplateId,
    /// A routine: the code of a thread or of a procedure.
    RoutineId,
    /// A control location.
    LocationId,
    /// An edge between two control locations.
    EdgeId,
    /// A property.
    PropertyId,
    /// A thread of an instance, counted from 0 in order of declaration; its `tid` is one more.
    ThreadId,
}

/// What values an expression or a variable has. Locks are gone: a `lock` is a `bool`, a `mutex` is
/// a `tid`, an `rwlock` is a pair of variables.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// `false` and `true`.
    Bool,
    /// All integers.
    Int,
    /// The integers from the first to the second, both included; empty ranges do not occur.
    Range(i64, i64),
    /// Machine integers, which wrap around.
    Bits(Bits),
    /// The members of an enumeration.
    Enum(EnumId),
    /// `none` and every thread.
    Tid,
    /// Sets over a finite sort.
    Set(SortRef),
    /// Arrays from a finite sort to a sort, or from all integers: such an array is as long as anybody likes, and a state
    /// keeps its first elements only, see [`Instance::keys`](crate::Instance::keys).
    Array(SortRef, SortRef),
}

/// A sort in one word: every sort that expressions have is kept once, for as long as the process
/// lives. A program has few sorts and may have millions of expressions.
#[derive(Clone, Copy)]
pub struct SortRef(&'static Sort);

impl Sort {
    /// Sets over a sort.
    pub fn set(element: impl Into<SortRef>) -> Sort {
        Sort::Set(element.into())
    }

    /// Arrays from one sort to another.
    pub fn array(key: impl Into<SortRef>, element: impl Into<SortRef>) -> Sort {
        Sort::Array(key.into(), element.into())
    }

    /// Whether it is an array with a key for each integer, or has such arrays inside.
    pub fn has_any_length(&self) -> bool {
        match self {
            Sort::Array(key, element) => **key == Sort::Int || element.has_any_length(),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                false
            }
        }
    }

    /// Integers of the mathematical kind, bounded or not. They do not mix with machine integers.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Sort::Int | Sort::Range(..))
    }

    /// How many keys it takes to come to what is no array.
    pub fn array_depth(&self) -> usize {
        match self {
            Sort::Array(_, element) => 1 + element.array_depth(),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => 0,
        }
    }

    /// The kind of machine integer, if it is one.
    pub fn bits(&self) -> Option<Bits> {
        match self {
            Sort::Bits(bits) => Some(*bits),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => {
                None
            }
        }
    }

    /// Integers of any kind.
    pub fn is_integer(&self) -> bool {
        self.is_numeric() || self.bits().is_some()
    }

    /// Which of two integers of this sort is greater, given the words that stand for them.
    pub fn compare(&self, x: i64, y: i64) -> Ordering {
        self.bits().map_or_else(|| x.cmp(&y), |bits| bits.compare(x, y))
    }

    /// Whether values of this sort hold thread identities anywhere inside.
    pub fn mentions_tid(&self) -> bool {
        match self {
            Sort::Tid => true,
            Sort::Set(element) => element.mentions_tid(),
            Sort::Array(key, element) => key.mentions_tid() || element.mentions_tid(),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) => false,
        }
    }

    /// Whether unbounded integers occur anywhere inside.
    pub fn is_infinite(&self) -> bool {
        match self {
            Sort::Int => true,
            Sort::Array(key, element) => key.is_infinite() || element.is_infinite(),
            Sort::Bool | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => false,
        }
    }

    /// The sort as the user writes it, given the names of the enumerations.
    pub fn display<'a>(&'a self, enum_name: &'a dyn Fn(EnumId) -> &'a str) -> impl fmt::Display + 'a {
        DisplaySort { sort: self, enum_name }
    }
}

struct DisplaySort<'a> {
    sort: &'a Sort,
    enum_name: &'a dyn Fn(EnumId) -> &'a str,
}

impl fmt::Display for DisplaySort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Bool => f.write_str("bool"),
            Sort::Int => f.write_str("int"),
            Sort::Range(lo, hi) => write!(f, "{lo}..{hi}"),
            Sort::Bits(bits) => bits.fmt(f),
            Sort::Enum(id) => f.write_str((self.enum_name)(*id)),
            Sort::Tid => f.write_str("tid"),
            Sort::Set(element) => write!(f, "set<{}>", element.display(self.enum_name)),
            Sort::Array(key, element) => {
                write!(f, "[{}]{}", key.display(self.enum_name), element.display(self.enum_name))
            }
        }
    }
}

/// The sorts that somebody refers to, but for the three that are known beforehand.
static KEPT: Mutex<Option<FxHashSet<&'static Sort>>> = Mutex::new(None);

impl From<&Sort> for SortRef {
    fn from(sort: &Sort) -> SortRef {
        match sort {
            Sort::Bool => SortRef(&Sort::Bool),
            Sort::Int => SortRef(&Sort::Int),
            Sort::Tid => SortRef(&Sort::Tid),
            Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Set(_) | Sort::Array(..) => keep(sort),
        }
    }
}

fn keep(sort: &Sort) -> SortRef {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_default();
    if let Some(known) = kept.get(sort) {
        return SortRef(known);
    }
    let new: &'static Sort = Box::leak(Box::new(sort.clone()));
    kept.insert(new);
    SortRef(new)
}

impl From<Sort> for SortRef {
    fn from(sort: Sort) -> SortRef {
        SortRef::from(&sort)
    }
}

impl Deref for SortRef {
    type Target = Sort;

    fn deref(&self) -> &Sort {
        self.0
    }
}

/// Equal sorts are kept once, so they are at the same place. Statics may have several addresses, so
/// the sorts that are not in the table are compared as they are.
impl PartialEq for SortRef {
    fn eq(&self, other: &SortRef) -> bool {
        std::ptr::eq(self.0, other.0) || self.0 == other.0
    }
}

impl Eq for SortRef {}

impl PartialEq<Sort> for SortRef {
    fn eq(&self, other: &Sort) -> bool {
        self.0 == other
    }
}

/// What sorts are decides, not where they are kept: the order is the same in every run.
impl Ord for SortRef {
    fn cmp(&self, other: &SortRef) -> Ordering {
        self.0.cmp(other.0)
    }
}

impl PartialOrd for SortRef {
    fn partial_cmp(&self, other: &SortRef) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for SortRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for SortRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
