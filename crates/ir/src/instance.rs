//! A program with a fixed number of threads, and the layout of its stores.
//!
//! A store is a flat array of words (`i64`). A scalar takes one word: an integer itself (an unsigned machine integer of
//! 64 bits: its bits), a boolean
//! 0 or 1, an enum member its index, a `tid` its number with 0 for `none`. A set takes one bit for
//! each value of its element sort, 64 to a word. An array takes the words of its elements one after
//! the other in the order of its keys.

use crate::deadlock::Waiting;
use crate::observe::{Observations, OnEdge, on_edges};
use crate::{
    AnyCopies, Copies, EdgeId, Fault, Gap, LocalId, LocationId, NoValue, Program, RoutineId, SharedId, Sort,
    TemplateId, ThreadId, VarRef,
};
use std::sync::Arc;
use threadwise_source::Span;

/// Words that hold the values of some variables.
pub type Store = Box<[i64]>;

/// The most values that a sort may have where all of them must be counted through.
const MAX_CARDINALITY: u64 = 1 << 32;

/// A thread of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// What it is a copy of.
    pub template: TemplateId,
    /// Which copy, counted from 1.
    pub copy: u32,
}

/// A program with a fixed number of threads.
#[derive(Clone, Debug)]
pub struct Instance {
    pub program: Arc<Program>,
    /// The threads in order; `tid` number `i + 1` is the thread with index `i`.
    pub threads: Vec<Thread>,
    any_copies: AnyCopies,
    first_thread: Vec<u32>,
    shared_offset: Vec<usize>,
    shared_words: usize,
    frames: Vec<FrameLayout>,
    /// What each edge shows; empty where no property asks.
    shown_on_edges: Vec<OnEdge>,
    /// What is to be seen of threads that wait, where a property asks.
    pub(crate) waiting: Option<Waiting>,
    /// What to call the threads, where they are not called after their templates; for messages only.
    names: Option<Arc<[String]>>,
}

/// Where a routine's locals are in its frame. The last word of a frame is the control location.
#[derive(Clone, Debug)]
struct FrameLayout {
    offset: Vec<usize>,
    words: usize,
}

impl Instance {
    /// The program with so many copies of the threads that are declared with `[*]`.
    pub fn new(program: Arc<Program>, any_copies: impl Into<AnyCopies>) -> Instance {
        let any_copies = any_copies.into();
        let mut numbers = (0..).map(|which| any_copies.of(which));
        let copies = program.templates.iter().map(|template| match template.copies {
            Copies::Single => 1,
            Copies::Exactly(n) => n,
            Copies::Any => numbers.next().unwrap_or(0),
        });
        let copies = copies.collect::<Vec<u32>>();
        Instance { any_copies, ..Instance::with_copies(program, &copies) }
    }

    /// The program with the given number of copies of each thread, whatever is declared.
    pub fn with_copies(program: Arc<Program>, copies: &[u32]) -> Instance {
        let mut threads = Vec::new();
        let mut first_thread = Vec::new();
        for (index, &copies) in copies.iter().enumerate() {
            first_thread.push(threads.len() as u32);
            threads.extend((1..=copies).map(|copy| Thread { template: TemplateId(index as u32), copy }));
        }
        first_thread.push(threads.len() as u32);
        let mut instance = Instance {
            program: program.clone(),
            threads,
            any_copies: AnyCopies::from(0),
            first_thread,
            shared_offset: Vec::new(),
            shared_words: 0,
            frames: Vec::new(),
            shown_on_edges: on_edges(&program),
            waiting: Waiting::asked_for(&program),
            names: None,
        };
        let shared = instance.lay_out(program.shared.iter().map(|v| &v.sort));
        (instance.shared_offset, instance.shared_words) = (shared.offset, shared.words);
        let frame = |r: &crate::Routine| {
            let layout = instance.lay_out(r.locals.iter().map(|v| &v.sort));
            FrameLayout { words: layout.words + 1, ..layout }
        };
        instance.frames = program.routines.iter().map(frame).collect();
        instance
    }

    fn lay_out<'a>(&self, sorts: impl Iterator<Item = &'a Sort>) -> FrameLayout {
        let mut words = 0;
        let mut offset = Vec::new();
        for sort in sorts {
            offset.push(words);
            words += self.words(sort);
        }
        FrameLayout { offset, words }
    }

    /// How many copies each thread declared with `[*]` has here.
    pub fn any_copies(&self) -> AnyCopies {
        self.any_copies.clone()
    }

    /// The threads that are copies of a template.
    pub fn copies_of(&self, template: TemplateId) -> std::ops::Range<usize> {
        let i = template.index();
        self.first_thread[i] as usize..self.first_thread[i + 1] as usize
    }

    /// The routine a thread runs.
    pub fn body(&self, thread: ThreadId) -> RoutineId {
        self.program.template(self.threads[thread.index()].template).body
    }

    /// The same, with other names for its threads in what people read.
    pub fn with_names(&self, names: Vec<String>) -> Instance {
        Instance { names: Some(names.into()), ..self.clone() }
    }

    /// `P`, or `W[2]` for the second copy of `W`; `none` for 0.
    pub fn tid_name(&self, tid: i64) -> String {
        let Some(thread) = usize::try_from(tid - 1).ok().and_then(|i| self.threads.get(i)) else {
            return "none".to_string();
        };
        if let Some(name) = self.names.as_ref().and_then(|names| names.get(tid as usize - 1)) {
            return name.clone();
        }
        let template = self.program.template(thread.template);
        match template.copies {
            Copies::Single => template.name.to_string(),
            Copies::Exactly(_) | Copies::Any => format!("{}[{}]", template.name, thread.copy),
        }
    }

    /// The number of values of a sort; `None` for infinite or astronomically large ones.
    pub fn cardinality(&self, sort: &Sort) -> Option<u64> {
        let count = match sort {
            Sort::Bool => 2,
            Sort::Int => return None,
            Sort::Range(lo, hi) => u64::try_from(hi.checked_sub(*lo)?).ok()?.checked_add(1)?,
            Sort::Bits(bits) => 1u64.checked_shl(u32::from(bits.width))?,
            Sort::Enum(id) => self.program.enums[id.index()].members.len() as u64,
            Sort::Tid => self.threads.len() as u64 + 1,
            Sort::Set(element) => 1u64.checked_shl(u32::try_from(self.cardinality(element)?).ok()?)?,
            Sort::Array(key, element) => {
                let keys = u32::try_from(self.cardinality(key)?).ok()?;
                self.cardinality(element)?.checked_pow(keys)?
            }
        };
        (count <= MAX_CARDINALITY).then_some(count)
    }

    /// How many values a sort has that can be counted through: that of the elements of a set, of the keys of an
    /// array, of a bound variable. Front ends admit only finite ones there, none of them astronomically large.
    pub fn count(&self, sort: &Sort) -> usize {
        self.cardinality(sort).expect("front ends admit only finite sorts for elements, keys and bound variables")
            as usize
    }

    /// How many keys of an array a state has elements for: all, but of those over all integers the first ones only. What a
    /// step does with another element of such an array is not known.
    pub fn keys(&self, sort: &Sort) -> usize {
        match sort {
            Sort::Int => self.program.kept_elements as usize,
            _ => self.count(sort),
        }
    }

    /// The position of a key of an array; an error of the program if there is no such key, and a gap if states do not keep
    /// the element.
    pub(crate) fn key_rank(&self, sort: &Sort, key: i64, span: Span) -> Result<usize, NoValue> {
        match sort {
            Sort::Int => {
                let kept = usize::try_from(key).ok().filter(|key| *key < self.keys(sort));
                kept.ok_or(NoValue::Gap(Gap::Beyond(span)))
            }
            _ => self.rank(sort, key).ok_or(NoValue::Fault(Fault::Index, span)),
        }
    }

    /// How many words a value of the sort takes.
    pub fn words(&self, sort: &Sort) -> usize {
        match sort {
            Sort::Set(element) => self.count(element).div_ceil(64).max(1),
            Sort::Array(key, element) => self.keys(key) * self.words(element),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => 1,
        }
    }

    /// The position of a value among the values of its finite scalar sort; `None` if it is outside.
    pub fn rank(&self, sort: &Sort, value: i64) -> Option<usize> {
        let rank = u64::try_from(value.checked_sub(first(sort))?).ok()?;
        (rank < self.cardinality(sort)?).then_some(rank as usize)
    }

    /// The value at a position among the values of a finite scalar sort.
    pub fn unrank(&self, sort: &Sort, rank: usize) -> i64 {
        first(sort) + rank as i64
    }

    /// Whether a word is a value of a sort that takes one word.
    pub fn contains(&self, sort: &Sort, value: i64) -> bool {
        match sort {
            Sort::Int | Sort::Set(_) | Sort::Array(..) => true,
            // These may be too large to be counted through.
            Sort::Range(lo, hi) => (*lo..=*hi).contains(&value),
            Sort::Bits(bits) => bits.contains(value),
            Sort::Bool | Sort::Enum(_) | Sort::Tid => self.rank(sort, value).is_some(),
        }
    }

    /// Writes the default value of a sort.
    pub fn write_default(&self, sort: &Sort, words: &mut [i64]) {
        match sort {
            Sort::Range(lo, _) => words[0] = *lo,
            Sort::Array(_, element) => {
                let size = self.words(element);
                words.chunks_exact_mut(size.max(1)).for_each(|chunk| self.write_default(element, chunk));
            }
            Sort::Bool | Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => words.fill(0),
        }
    }

    /// The number of words of the shared store.
    pub fn shared_words(&self) -> usize {
        self.shared_words
    }

    /// Where a shared variable is in the shared store.
    pub fn shared_range(&self, var: SharedId) -> std::ops::Range<usize> {
        let start = self.shared_offset[var.index()];
        start..start + self.words(&self.program.shared[var.index()].sort)
    }

    /// Where a local variable is in a frame of its routine.
    pub fn local_range(&self, routine: RoutineId, var: LocalId) -> std::ops::Range<usize> {
        let start = self.frames[routine.index()].offset[var.index()];
        start..start + self.words(&self.program.routine(routine).locals[var.index()].sort)
    }

    /// The offset of a variable in the shared store or in a frame of the routine.
    pub(crate) fn offset(&self, routine: RoutineId, var: VarRef) -> usize {
        match var {
            VarRef::Shared(id) => self.shared_offset[id.index()],
            VarRef::Local(id) => self.frames[routine.index()].offset[id.index()],
        }
    }

    /// The number of words of a routine's frame, its control location included.
    pub fn frame_words(&self, routine: RoutineId) -> usize {
        self.frames[routine.index()].words
    }

    /// The sort of a variable.
    pub fn sort_of(&self, routine: RoutineId, var: VarRef) -> &Sort {
        match var {
            VarRef::Shared(id) => &self.program.shared[id.index()].sort,
            VarRef::Local(id) => &self.program.routine(routine).locals[id.index()].sort,
        }
    }

    /// What an edge shows in all states alike, but for the result of a call.
    pub fn shown_by_edge(&self, edge: EdgeId) -> &Observations {
        self.shown_on_edges.get(edge.index()).map_or(Observations::none(), |shown| &shown.by_edge)
    }

    /// What returning from the call on this edge shows in all states alike.
    pub fn shown_by_result(&self, edge: EdgeId) -> &Observations {
        self.shown_on_edges.get(edge.index()).map_or(Observations::none(), |shown| &shown.by_result)
    }

    /// Whether the edge, or its result, may show something of elements of arrays, which depends on the state.
    pub fn shows_elements(&self, edge: EdgeId) -> bool {
        self.shown_on_edges.get(edge.index()).is_some_and(|shown| shown.of_elements)
    }

    /// Appends a frame with all locals at their defaults.
    pub(crate) fn push_frame(&self, routine: RoutineId, local: &mut Vec<i64>) {
        let start = local.len();
        local.resize(start + self.frame_words(routine), 0);
        for (index, var) in self.program.routine(routine).locals.iter().enumerate() {
            let range = self.local_range(routine, LocalId(index as u32));
            self.write_default(&var.sort, &mut local[start + range.start..start + range.end]);
        }
        *local.last_mut().expect("a frame has a control location") = i64::from(self.program.routine(routine).entry.0);
    }

    /// Where a thread with this local state is: the location of its topmost frame.
    pub fn location_of(&self, local: &[i64]) -> LocationId {
        LocationId(*local.last().expect("a local state has a frame") as u32)
    }
}

/// The least value of a finite scalar sort that can be counted through.
fn first(sort: &Sort) -> i64 {
    match sort {
        Sort::Range(lo, _) => *lo,
        Sort::Bits(bits) => bits.bounds().0 as i64,
        Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => 0,
    }
}
