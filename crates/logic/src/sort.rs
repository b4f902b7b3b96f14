use std::fmt;
use std::rc::Rc;

/// A sort of SMT-LIB.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SmtSort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Bit-vectors of so many bits.
    Bits(u32),
    /// Arrays from the first sort to the second.
    Array(Rc<SmtSort>, Rc<SmtSort>),
}

impl SmtSort {
    /// Arrays from integers to a sort.
    pub fn array_of(element: SmtSort) -> SmtSort {
        SmtSort::Array(Rc::new(SmtSort::Int), Rc::new(element))
    }
}

impl fmt::Display for SmtSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmtSort::Bool => f.write_str("Bool"),
            SmtSort::Int => f.write_str("Int"),
            SmtSort::Bits(width) => write!(f, "(_ BitVec {width})"),
            SmtSort::Array(key, element) => write!(f, "(Array {key} {element})"),
        }
    }
}
