use std::fmt;

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
    /// The members of an enumeration.
    Enum(EnumId),
    /// `none` and every thread.
    Tid,
    /// Sets over a finite sort.
    Set(Box<Sort>),
    /// Arrays from a finite sort to a sort.
    Array(Box<Sort>, Box<Sort>),
}

impl Sort {
    /// Integers of any kind.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Sort::Int | Sort::Range(..))
    }

    /// Whether values of this sort hold thread identities anywhere inside.
    pub fn mentions_tid(&self) -> bool {
        match self {
            Sort::Tid => true,
            Sort::Set(element) => element.mentions_tid(),
            Sort::Array(key, element) => key.mentions_tid() || element.mentions_tid(),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Enum(_) => false,
        }
    }

    /// Whether unbounded integers occur anywhere inside.
    pub fn is_infinite(&self) -> bool {
        match self {
            Sort::Int => true,
            Sort::Array(_, element) => element.is_infinite(),
            _ => false,
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
            Sort::Enum(id) => f.write_str((self.enum_name)(*id)),
            Sort::Tid => f.write_str("tid"),
            Sort::Set(element) => write!(f, "set<{}>", element.display(self.enum_name)),
            Sort::Array(key, element) => {
                write!(f, "[{}]{}", key.display(self.enum_name), element.display(self.enum_name))
            }
        }
    }
}
