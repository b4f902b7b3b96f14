//! Which numbers a state is made of: a cell for each term that formulas have names for, in the same order. A cell whose
//! array is too large to be taken apart is not looked at.
//!
//! Thread identities are numbers too. To a thread, [`NONE`] is nobody and [`ME`] the thread itself; threads that are told
//! apart have numbers from 1 on, and [`OTHER`] is any other thread that has none. Different numbers never mean the same thread.

use crate::number::Numbers;
use std::ops::Range;
use std::sync::Arc;
use threadwise_ir::{
    Copies, Domain, Expr, ExprKind, Initial, Instance, LocalId, Op, Point, Program, RoutineId, SharedId, Sort,
    TemplateId, Update, Value, VarRef,
};
use threadwise_symbolic::Population;

pub(crate) const NONE: i64 = 0;
pub(crate) const ME: i64 = -1;
pub(crate) const OTHER: i64 = -2;

/// Up to so many keys formulas have a name for each.
const FEW_KEYS: i128 = 16;

/// What is known is not kept apart by more flags than this.
const MANY_FLAGS: usize = 8;

/// Who a thread is, as far as the analysis tells: one thread, or any of those of a template that are not told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Role(pub(crate) u32);

/// A flag has at most so many values.
const FEW_VALUES: usize = 4;

/// A cell of the shared store, or of a frame by its offset there.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) sort: Sort,
    /// Whether it is looked at.
    pub(crate) known: bool,
}

/// Where the cells of a variable are.
pub(crate) struct Cells<'a> {
    pub(crate) program: &'a Arc<Program>,
    pub(crate) population: Population,
    pub(crate) shared: Vec<Cell>,
    /// For each shared cell that is a flag the values that it can have.
    pub(crate) flags: Vec<Vec<i64>>,
    shared_at: Vec<usize>,
    /// For each routine the cells of its frame, and where those of each local start.
    frames: Vec<(Vec<Cell>, Vec<usize>)>,
    /// The threads that are told apart: the template, and the number that it has in formulas, where that is known.
    pub(crate) threads: Vec<(TemplateId, Option<i64>)>,
    /// For each role its template, and the thread if it is one.
    pub(crate) roles: Vec<(TemplateId, Option<i64>)>,
    total: Option<i64>,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(program: &'a Arc<Program>) -> Cells<'a> {
        let (population, total) = match program.has_any_copies() {
            true => (Population::any(program), None),
            false => {
                let instance = Instance::new(program.clone(), 0);
                (Population::fixed(&instance), Some(instance.threads.len() as i64))
            }
        };
        let mut cells = Cells {
            program,
            population,
            shared: Vec::new(),
            flags: Vec::new(),
            shared_at: Vec::new(),
            frames: Vec::new(),
            threads: Vec::new(),
            roles: Vec::new(),
            total,
        };
        cells.name_threads();
        let (shared, shared_at) = cells.lay_out(program.shared.iter().map(|var| &var.sort));
        (cells.shared, cells.shared_at) = (shared, shared_at);
        cells.flags = (0..cells.shared.len()).map(|at| cells.values_of_flag(at)).collect();
        cells.frames =
            program.routines.iter().map(|routine| cells.lay_out(routine.locals.iter().map(|var| &var.sort))).collect();
        cells
    }

    /// The flags by whose values what is known at a point is kept apart. Of arrays over threads, those elements count whose
    /// thread is one of several: which of them has been started matters then.
    pub(crate) fn dividing_flags(&self) -> Vec<usize> {
        let of_one = |at: usize| {
            let variable = self.shared_at.partition_point(|&start| start <= at) - 1;
            let Sort::Array(key, _) = &self.program.shared[variable].sort else { return false };
            let rank = at - self.shared_at[variable];
            let owner = self.threads.iter().find(|(_, number)| *number == Some(rank as i64));
            **key == Sort::Tid && owner.is_none_or(|(template, _)| self.numbers_of(*template).count() == 1)
        };
        let flags: Vec<usize> = (0..self.shared.len()).filter(|at| self.is_flag(*at) && !of_one(*at)).collect();
        if flags.len() > MANY_FLAGS { Vec::new() } else { flags }
    }

    pub(crate) fn is_flag(&self, at: usize) -> bool {
        !self.flags[at].is_empty()
    }

    /// The few values of a cell that tells how far threads are: all of its sort, or those of the constants that are
    /// assigned to it.
    fn values_of_flag(&self, at: usize) -> Vec<i64> {
        let cell = &self.shared[at];
        match cell.sort {
            _ if !cell.known => Vec::new(),
            Sort::Bool | Sort::Enum(_) => self.all(&cell.sort).few().map(<[i64]>::to_vec).unwrap_or_default(),
            Sort::Int | Sort::Range(..) | Sort::Bits(_) => {
                let variable = self.shared_at.partition_point(|&start| start <= at) - 1;
                constants_of(self.program, SharedId(variable as u32)).unwrap_or_default()
            }
            Sort::Tid | Sort::Set(_) | Sort::Array(..) => Vec::new(),
        }
    }

    /// Threads are told apart if there is one of them, or if all threads are few.
    fn name_threads(&mut self) {
        let mut first = Some(1);
        let all = self.total.is_some_and(|total| i128::from(total) < FEW_KEYS);
        for (template, id) in self.program.templates.iter().zip((0..).map(TemplateId)) {
            let count = match template.copies {
                Copies::Single => Some(1),
                Copies::Exactly(count) => Some(i64::from(count)),
                Copies::Any => None,
            };
            match count {
                Some(count) if count == 1 || all => {
                    for copy in 0..count {
                        self.threads.push((id, first.map(|first| first + copy)));
                        self.roles.push((id, Some(self.threads.len() as i64)));
                    }
                }
                Some(_) | None => self.roles.push((id, None)),
            }
            first = first.zip(count).map(|(first, count)| first + count);
        }
    }

    fn lay_out<'s>(&self, sorts: impl Iterator<Item = &'s Sort>) -> (Vec<Cell>, Vec<usize>) {
        let (mut cells, mut starts) = (Vec::new(), Vec::new());
        for sort in sorts {
            starts.push(cells.len());
            self.add_cells(sort, true, &mut cells);
            debug_assert_eq!(cells.len() - starts[starts.len() - 1], self.population.leaf_sorts(sort).len());
        }
        (cells, starts)
    }

    fn add_cells(&self, sort: &Sort, known: bool, cells: &mut Vec<Cell>) {
        match sort {
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
                cells.push(Cell { sort: sort.clone(), known });
            }
            Sort::Set(element) => {
                let count = self.keys(element).map_or(1, |(_, count)| count);
                cells.extend((0..count).map(|_| Cell { sort: Sort::Bool, known: false }));
            }
            Sort::Array(key, element) => match self.keys(key) {
                Some((_, count)) => (0..count).for_each(|_| self.add_cells(element, known, cells)),
                None => self.add_cells(element, false, cells),
            },
        }
    }

    /// The first key and how many there are, where formulas have a name for each.
    pub(crate) fn keys(&self, sort: &Sort) -> Option<(i64, i64)> {
        let (low, high) = match sort {
            Sort::Bool => (0, 1),
            Sort::Range(low, high) => (i128::from(*low), i128::from(*high)),
            Sort::Enum(id) => (0, self.program.enums[id.index()].members.len() as i128 - 1),
            Sort::Tid => (0, i128::from(self.total?)),
            Sort::Bits(bits) => bits.bounds(),
            Sort::Int | Sort::Set(_) | Sort::Array(..) => return None,
        };
        (high - low < FEW_KEYS).then_some((low as i64, (high - low + 1) as i64))
    }

    /// How many cells a value of the sort has.
    pub(crate) fn width(&self, sort: &Sort) -> usize {
        match sort {
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => 1,
            Sort::Set(element) => self.keys(element).map_or(1, |(_, count)| count as usize),
            Sort::Array(key, element) => self.keys(key).map_or(1, |(_, count)| count as usize) * self.width(element),
        }
    }

    pub(crate) fn of_shared(&self, id: SharedId) -> Range<usize> {
        let start = self.shared_at[id.index()];
        start..self.shared_at.get(id.index() + 1).copied().unwrap_or(self.shared.len())
    }

    /// The cells of a local, counted from the start of its frame.
    pub(crate) fn of_local(&self, routine: RoutineId, id: LocalId) -> Range<usize> {
        let (cells, starts) = &self.frames[routine.index()];
        starts[id.index()]..starts.get(id.index() + 1).copied().unwrap_or(cells.len())
    }

    pub(crate) fn frame(&self, routine: RoutineId) -> &[Cell] {
        &self.frames[routine.index()].0
    }

    /// Which cells of a state at a point are integers that are looked at.
    pub(crate) fn numbers_at(&self, point: &Point) -> Vec<bool> {
        let routines = point.routines(self.program);
        let frames = routines.iter().flat_map(|routine| self.frame(*routine));
        self.shared.iter().chain(frames).map(|cell| cell.known && cell.sort.is_integer()).collect()
    }

    /// All values of a sort.
    pub(crate) fn all(&self, sort: &Sort) -> Numbers {
        match sort {
            Sort::Bool => Numbers::between(0, 1),
            Sort::Range(low, high) => Numbers::between(*low, *high),
            Sort::Enum(id) => Numbers::between(0, self.program.enums[id.index()].members.len() as i64 - 1),
            Sort::Bits(bits) => {
                let (least, most) = bits.bounds();
                Numbers::between_wide(least, most)
            }
            Sort::Tid => Numbers::between(OTHER, self.threads.len() as i64),
            Sort::Int | Sort::Set(_) | Sort::Array(..) => Numbers::anything(),
        }
    }

    /// The default of a scalar.
    pub(crate) fn default_of(&self, cell: &Cell) -> Numbers {
        match cell.sort {
            _ if !cell.known => Numbers::anything(),
            Sort::Range(low, _) => Numbers::exactly(low),
            Sort::Bool | Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => {
                Numbers::exactly(0)
            }
        }
    }

    pub(crate) fn anything_in(&self, cell: &Cell) -> Numbers {
        if cell.known { self.all(&cell.sort) } else { Numbers::anything() }
    }

    pub(crate) fn all_roles(&self) -> impl Iterator<Item = Role> + use<> {
        (0..self.roles.len() as u32).map(Role)
    }

    pub(crate) fn template(&self, role: Role) -> TemplateId {
        self.roles[role.0 as usize].0
    }

    /// The number of the thread, if the role is that of one thread.
    pub(crate) fn thread(&self, role: Role) -> Option<i64> {
        self.roles.get(role.0 as usize)?.1
    }

    /// The numbers of a template's threads; none where they are not told apart.
    pub(crate) fn numbers_of(&self, template: TemplateId) -> impl Iterator<Item = i64> + '_ {
        let numbered = self.threads.iter().zip(1..);
        numbered.filter(move |((of, _), _)| *of == template).map(|(_, number)| number)
    }

    /// A thread by its number, as somebody sees it.
    pub(crate) fn seen_by(&self, viewer: Role, thread: i64) -> i64 {
        if self.thread(viewer) == Some(thread) { ME } else { thread }
    }

    /// The values that a bound variable takes one by one, as somebody sees them.
    pub(crate) fn domain(&self, viewer: Role, domain: &Domain) -> Option<Vec<i64>> {
        match domain {
            Domain::Copies(template) => {
                let numbers: Vec<i64> = self.numbers_of(*template).map(|thread| self.seen_by(viewer, thread)).collect();
                (!numbers.is_empty()).then_some(numbers)
            }
            Domain::Sort(Sort::Tid) => None,
            Domain::Sort(sort) => self.keys(sort).map(|(low, count)| (0..count).map(|k| low + k).collect()),
        }
    }
}

/// The values that a variable gets, if it is no array and all of them are constants, and few.
fn constants_of(program: &Program, variable: SharedId) -> Option<Vec<i64>> {
    let var = &program.shared[variable.index()];
    let is_it = |other: VarRef| other == VarRef::Shared(variable);
    let number = |e: &Expr| match e.kind {
        ExprKind::Const(word) if e.sort.bits().is_none_or(|bits| bits.number(word) == i128::from(word)) => Some(word),
        _ => None,
    };
    let mut values = match &var.init {
        Initial::Default => vec![number(&Expr::default_of(&var.sort, var.span)?)?],
        Initial::Value(e) => vec![number(e)?],
        Initial::Any => return None,
    };
    for edge in program.edges.iter() {
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assigned) => {
                    for (_, value) in assigned.iter().filter(|(place, _)| is_it(place.var)) {
                        match value {
                            Value::Of(e) => values.push(number(e)?),
                            Value::Any => return None,
                        }
                    }
                }
                Update::Action { frame, .. } if frame.iter().any(|var| is_it(*var)) => return None,
                Update::Action { .. } => {}
            },
            Op::Call { result: Some(place), .. } if is_it(place.var) => return None,
            Op::Call { .. } | Op::Return(_) => {}
        }
    }
    values.sort_unstable();
    values.dedup();
    (values.len() <= FEW_VALUES && !matches!(var.sort, Sort::Array(..))).then_some(values)
}
