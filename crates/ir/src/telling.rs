//! How to tell people of programs whose steps and values are not written down as such: what an edge does in the words of
//! the language that the program came from, and what a number means that stands for an address.
//!
//! Nothing here has a part in what is verified: no engine and no judge looks at it.

use crate::{EdgeId, Expr, LocalId, Program, RoutineId, SharedId};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_source::Span;

/// What to say of a program, beside what its text says.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// What each edge is.
    pub edges: Vec<Told>,
    /// The function that each edge stands in.
    pub functions: Vec<Arc<str>>,
    /// Of edges in texts that the user has not written: where what he has written leads there.
    pub callers: BTreeMap<EdgeId, Span>,
    /// What was asked about it, by the names that users have for it.
    pub asked: Vec<&'static str>,
    /// Where the program does not insist on sequential consistency, in languages in which it may not be had without.
    pub weaker_orders: Option<Vec<Span>>,
    /// What was taken for granted beyond what the language promises, because the user asked for that.
    pub assumed: Vec<Arc<str>>,
    /// How the language writes the address of nothing, if not `NULL`.
    pub null: Option<&'static str>,
    /// The function that each thread runs, by template.
    pub threads: Vec<Arc<str>>,
    /// How each shared variable is shown.
    pub shared: Vec<Shown>,
    /// How the locals of each routine are shown.
    pub locals: Vec<Vec<Shown>>,
    /// What addresses are those of, by ascending address.
    pub objects: Vec<NamedObject>,
    /// Addresses that are none: their number and what to call them.
    pub odd_addresses: Vec<(i64, &'static str)>,
    /// No address is smaller.
    pub least_address: i64,
}

/// What an edge is, as people would say it.
#[derive(Clone, Debug, Default)]
pub enum Told {
    /// Nothing to speak of, unless nothing else happens.
    #[default]
    Private,
    /// What stands in the text.
    Text,
    /// The outcome of a test: its text, for where the edge says which one it is.
    Test(Arc<str>),
    /// Memory is accessed.
    Access(Box<ToldAccess>),
    /// A thread begins.
    Start,
    /// A thread ends.
    End,
}

/// A load or a store.
#[derive(Clone, Debug)]
pub struct ToldAccess {
    /// `load` or `store`.
    pub word: &'static str,
    /// `p->next`
    pub place: Arc<str>,
    /// What is loaded or stored; nothing where it may be anything.
    pub value: Option<Expr>,
    /// It is an address.
    pub is_pointer: bool,
}

/// How a variable is shown.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Nobody wrote it.
    pub is_hidden: bool,
    /// What it is called, where that is not its name.
    pub name: Option<Arc<str>>,
    /// It holds addresses.
    pub is_pointer: bool,
    /// It tells how far threads are.
    pub is_status: bool,
    /// It is a part of the objects of an allocation.
    pub pool: Option<Pool>,
}

/// Objects that one allocation made.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The number of the first of them.
    pub first: u32,
    /// Which part of them this is: `.next`
    pub part: Arc<str>,
    /// There are several, and the variable is an array of them.
    pub is_array: bool,
}

/// An object that addresses may be those of.
#[derive(Clone, Debug)]
pub struct NamedObject {
    pub address: i64,
    /// Bytes from one to the next, where there are several.
    pub stride: i64,
    pub count: i64,
    pub name: Arc<str>,
    /// Of what was allocated: the number of the first one, and where that was.
    pub allocated: Option<(u32, Span)>,
    /// A function has an address, but no room.
    pub is_function: bool,
    pub shape: Shape,
}

/// What an object is made of.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A scalar of so many bytes.
    Scalar(i64),
    /// Fields by offset.
    Fields(Vec<(i64, Arc<str>, Shape)>),
    /// So many elements of so many bytes.
    Elements(i64, i64, Box<Shape>),
}

/// A loop of which there is one copy of its body for each value: `for k in 0..3 { … }`.
#[derive(Clone, Debug)]
pub struct Unrolled {
    /// `k`
    pub name: Arc<str>,
    /// Its value in the first copy; it grows by one from copy to copy.
    pub first: i64,
    /// The values are numbers of threads.
    pub is_thread: bool,
    /// The first edge of each copy, and the one behind the last copy.
    pub starts: Box<[EdgeId]>,
}

impl Unrolled {
    /// The value in the copy that an edge stands in.
    pub fn value_at(&self, edge: EdgeId) -> Option<i64> {
        let before = self.starts.partition_point(|start| *start <= edge);
        let is_inside = before > 0 && before < self.starts.len();
        is_inside.then(|| self.first + before as i64 - 1)
    }
}

impl Program {
    /// The copies of unrolled loops that an edge stands in, the innermost first.
    pub fn copies_around(&self, edge: EdgeId) -> impl Iterator<Item = (&Unrolled, i64)> {
        self.unrolled.iter().filter_map(move |copies| Some((copies, copies.value_at(edge)?)))
    }

    /// Whether two edges, of which one follows the other, are parts of one statement. The same statement done again, as
    /// in a loop, is another one.
    pub fn are_one_statement(&self, id: EdgeId, next: EdgeId) -> bool {
        let (edge, after) = (self.edge(id), self.edge(next));
        let copy = |id: EdgeId| self.copies_around(id).map(|(_, value)| value);
        id != next
            && edge.span == after.span
            && edge.branch.is_none()
            && edge.to == after.from
            && copy(id).eq(copy(next))
    }
}

impl Telling {
    pub fn edge(&self, id: EdgeId) -> &Told {
        self.edges.get(id.index()).unwrap_or(&Told::Private)
    }

    pub fn function(&self, id: EdgeId) -> Option<&Arc<str>> {
        self.functions.get(id.index())
    }

    pub fn shared(&self, id: SharedId) -> Option<&Shown> {
        self.shared.get(id.index())
    }

    pub fn local(&self, routine: RoutineId, id: LocalId) -> Option<&Shown> {
        self.locals.get(routine.index())?.get(id.index())
    }

    /// An address as text: `NULL`, `&x`, `&a[2]`, `heap#3`.
    pub fn pointer(&self, word: i64) -> String {
        if word == 0 {
            return self.null.unwrap_or("NULL").to_string();
        }
        if let Some((_, name)) = self.odd_addresses.iter().find(|(odd, _)| *odd == word) {
            return name.to_string();
        }
        match self.object_at(word) {
            Some((object, within)) => object.show(within),
            None => format!("(void *){word}"),
        }
    }

    /// The place where the object that an address is one of was allocated.
    pub fn allocation(&self, word: i64) -> Option<Span> {
        self.object_at(word)?.0.allocated.map(|(_, span)| span)
    }

    /// Whether a number can only be meant as an address.
    pub fn is_address(&self, word: i64) -> bool {
        word >= self.least_address && self.least_address > 0
    }

    fn object_at(&self, word: i64) -> Option<(&NamedObject, i64)> {
        let after = self.objects.partition_point(|object| object.address <= word);
        let object = self.objects[..after].last()?;
        let within = word - object.address;
        // The first byte behind an object is one that addresses may be of.
        let end = object.stride.saturating_mul(object.count).max(1);
        (within <= end).then_some((object, within))
    }
}

impl NamedObject {
    fn show(&self, within: i64) -> String {
        if self.is_function {
            return self.name.to_string();
        }
        let behind = self.count.max(1) - 1;
        let (number, rest) = match self.stride {
            stride @ 1.. if self.count > 1 => {
                ((within / stride).min(behind), within - (within / stride).min(behind) * stride)
            }
            _ => (0, within),
        };
        match self.allocated {
            Some((first, _)) if rest == 0 => format!("heap#{}", i64::from(first) + number),
            Some((first, _)) => format!("&heap#{}{}", i64::from(first) + number, self.shape.part(rest)),
            None => format!("&{}{}", self.name, self.shape.part(rest)),
        }
    }
}

impl Shape {
    /// What is at an offset: `.next`, `[2].count`; nothing for the whole.
    fn part(&self, offset: i64) -> String {
        match self {
            Shape::Scalar(_) if offset == 0 => String::new(),
            Shape::Scalar(size) if offset == *size => " + 1".to_string(),
            Shape::Scalar(_) => format!(" and {offset} bytes"),
            Shape::Fields(fields) => {
                let after = fields.partition_point(|(start, ..)| *start <= offset);
                match fields[..after].last() {
                    Some((start, name, shape)) if offset > 0 => {
                        let dot = if name.is_empty() { "" } else { "." };
                        format!("{dot}{name}{}", shape.part(offset - start))
                    }
                    _ => String::new(),
                }
            }
            Shape::Elements(size, _, shape) => {
                let size = (*size).max(1);
                format!("[{}]{}", offset / size, shape.part(offset % size))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn telling() -> Telling {
        let node = || {
            let fields = vec![(0, "value".into(), Shape::Scalar(4)), (8, "next".into(), Shape::Scalar(8))];
            Shape::Fields(fields)
        };
        let object = |address, stride, count, name: &str, allocated, shape| NamedObject {
            address,
            stride,
            count,
            name: name.into(),
            allocated,
            is_function: false,
            shape,
        };
        Telling {
            objects: vec![
                object(1000, 4, 1, "x", None, Shape::Scalar(4)),
                object(1100, 12, 1, "a", None, Shape::Elements(4, 3, Box::new(Shape::Scalar(4)))),
                object(1200, 32, 4, "heap", Some((2, Span::default())), node()),
            ],
            odd_addresses: vec![(1, "uninitialised")],
            least_address: 1000,
            ..Telling::default()
        }
    }

    #[test]
    fn addresses_are_told_by_what_is_there() {
        let shown = |word| telling().pointer(word);
        assert_eq!(shown(0), "NULL");
        assert_eq!(shown(1), "uninitialised");
        assert_eq!(shown(1000), "&x");
        assert_eq!(shown(1108), "&a[2]");
        // One behind the end.
        assert_eq!(shown(1112), "&a[3]");
        assert_eq!(shown(1200), "heap#2");
        assert_eq!(shown(1232), "heap#3");
        assert_eq!(shown(1240), "&heap#3.next");
        assert_eq!(shown(7), "(void *)7");
    }
}
