//! A program as formulas over scalar variables.

use crate::errors::ErrorCase;
use crate::step::{Start, Step, StepFailure};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_ir::{EdgeId, EnumId, Instance, LocalId, LocationId, Point, Program, TemplateId, ThreadId};
use threadwise_logic::{SmtSort, Term, Var};
use threadwise_source::Span;
use threadwise_symbolic::{Hazards, Others, Population, Unsupported, Value, initial_store};

/// What a scalar variable is.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its name for people: `x`, `a[2]`, `P.x`; the members of a set are called `3 in s`.
    pub name: String,
    /// Its values.
    pub sort: VarSort,
    /// How its values are called.
    pub shown: Shown,
    /// Whose it is.
    pub owner: Owner,
    /// Which word of the store or frame it is in, and which bit of it if it is the member of a set.
    pub slot: (usize, Option<u32>),
    /// For a local of a thread, which of the thread's frames it is in.
    pub frame: Vec<EdgeId>,
}

/// The values of a scalar variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarSort {
    /// A boolean.
    Bool,
    /// An integer, perhaps with a least and a greatest value.
    Int(Option<(i64, i64)>),
}

impl VarSort {
    pub(crate) fn smt_sort(self) -> SmtSort {
        match self {
            VarSort::Bool => SmtSort::Bool,
            VarSort::Int(_) => SmtSort::Int,
        }
    }
}

/// How values are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// As numbers or truth values.
    Plain,
    /// As members of an enumeration.
    Enum(EnumId),
    /// As threads.
    Tid,
    /// As control points of the thread.
    Point(ThreadId),
}

/// Whose a variable is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    /// All threads'.
    Shared,
    /// A thread's, its control included.
    Thread(ThreadId),
}

/// A control point of a thread, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PointId(pub u32);

impl PointId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread's part of a space.
#[derive(Clone, Debug)]
pub struct ThreadSpace {
    /// The variable that holds the number of the control point.
    pub pc: Var,
    /// The control points; the order is that of a breadth-first walk.
    pub points: Vec<Point>,
    /// Where the thread can start.
    pub starts: Vec<Start>,
    /// When a declaration at the start of the thread goes wrong, over the free choices there.
    pub start_fault: Term,
    /// All steps, in the order of their points.
    pub steps: Vec<Step>,
    /// All ways in which a step can go wrong.
    pub failures: Vec<StepFailure>,
    /// The locals of each frame.
    pub frames: BTreeMap<Vec<EdgeId>, Vec<Value>>,
}

impl ThreadSpace {
    pub(crate) fn new(pc: Var, frames: BTreeMap<Vec<EdgeId>, Vec<Value>>) -> ThreadSpace {
        let (points, starts, steps, failures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        ThreadSpace { pc, points, starts, start_fault: Term::bool(false), steps, failures, frames }
    }
}

/// A program as formulas. The variables before a step are numbered from 0 to [`Space::count`], those
/// after a step from there on in the same order, and after these come the free choices of the steps.
#[derive(Clone, Debug)]
pub struct Space {
    /// The program with its threads.
    pub instance: Instance,
    pub(crate) population: Population,
    pub threads: Vec<ThreadSpace>,
    /// Which shared stores the program can start with, and when initial values go wrong.
    pub initially: Hazards,
    pub errors: Vec<ErrorCase>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) shared: Vec<Value>,
    pub(crate) choices: Vec<VarSort>,
}

impl Space {
    /// The program as formulas, or why that cannot be.
    pub fn new(program: &Arc<Program>) -> Result<Space, Unsupported> {
        let unsupported = |what| Unsupported::new(what, Span::default());
        if program.has_any_copies() {
            return Err(unsupported("any number of copies of a thread"));
        }
        if program.is_recursive() {
            return Err(unsupported("recursive procedures"));
        }
        let instance = Instance::new(program.clone(), 0);
        let population = Population::unrolled(&instance);
        let mut space = Space {
            instance,
            population,
            threads: Vec::new(),
            initially: Hazards::default(),
            errors: Vec::new(),
            vars: Vec::new(),
            shared: Vec::new(),
            choices: Vec::new(),
        };
        space.add_shared()?;
        for thread in 0..space.instance.threads.len() {
            space.add_thread(ThreadId(thread as u32))?;
        }
        // Only now is the number of variables known, and with it the numbers of choices.
        for thread in 0..space.instance.threads.len() {
            space.explore(ThreadId(thread as u32))?;
        }
        space.initially = initial_store(&space.population, &space.shared)?;
        space.errors = crate::errors::errors(&space)?;
        Ok(space)
    }

    /// How many variables there are before a step; as many are after it.
    pub fn count(&self) -> usize {
        self.vars.len()
    }

    /// The variables before a step.
    pub fn variables(&self) -> impl Iterator<Item = Var> + use<> {
        (0..self.vars.len() as u32).map(Var)
    }

    /// The same variable after the step.
    pub fn primed(&self, var: Var) -> Var {
        Var(var.0 + self.vars.len() as u32)
    }

    /// Whether the variable is one after the step.
    pub fn is_primed(&self, var: Var) -> bool {
        (self.vars.len()..2 * self.vars.len()).contains(&var.index())
    }

    /// What a variable before or after a step is; `None` for choices.
    pub fn info(&self, var: Var) -> Option<&VarInfo> {
        let count = self.vars.len();
        if var.index() < 2 * count { self.vars.get(var.index() % count) } else { None }
    }

    /// The values of a variable.
    pub fn sort(&self, var: Var) -> VarSort {
        match self.info(var) {
            Some(info) => info.sort,
            None => self.choices[var.index() - 2 * self.vars.len()],
        }
    }

    /// How many variables there are in all, choices included; larger numbers are free for other uses.
    pub fn end(&self) -> u32 {
        (2 * self.vars.len() + self.choices.len()) as u32
    }

    /// The variables of an owner, before the step.
    pub fn owned(&self, owner: Owner) -> impl Iterator<Item = Var> + '_ {
        self.variables().filter(move |var| self.vars[var.index()].owner == owner)
    }

    /// That a variable's value is one of its sort.
    pub fn typed(&self, var: Var) -> Term {
        let bounds = match (self.sort(var), self.info(var).map(|info| info.shown)) {
            (VarSort::Bool, _) => return Term::bool(true),
            // A thread that cannot even start has no points. That must not make typing unsatisfiable: whatever is asked
            // under the assumption of it would be answered with no, also whether the start goes wrong.
            (_, Some(Shown::Point(thread))) => Some((0, self.threads[thread.index()].points.len().max(1) as i64 - 1)),
            (VarSort::Int(bounds), _) => bounds,
        };
        let Some((lo, hi)) = bounds else { return Term::bool(true) };
        self.value(var).between(Term::int(lo), Term::int(hi))
    }

    /// That the values of all variables in the formula are of their sorts.
    pub fn typing(&self, formula: &Term) -> Term {
        Term::all(formula.variables().into_iter().filter(|var| var.0 < self.end()).map(|var| self.typed(var)))
    }

    /// The sort of a variable in SMT-LIB.
    pub fn smt_sort(&self, var: Var) -> SmtSort {
        self.sort(var).smt_sort()
    }

    /// The variable as a term.
    pub fn value(&self, var: Var) -> Term {
        Term::var(var, self.smt_sort(var))
    }

    /// `var == value`
    pub fn equation(&self, var: Var, value: &Term) -> Term {
        self.value(var).equals(value)
    }

    /// That a thread stands at a point.
    pub fn at(&self, thread: ThreadId, point: PointId) -> Term {
        Term::var(self.threads[thread.index()].pc, SmtSort::Int).equals(Term::int(i64::from(point.0)))
    }

    /// The initial states of one thread: its control and its locals.
    pub fn start_of(&self, thread: ThreadId) -> Term {
        Term::any(self.threads[thread.index()].starts.iter().map(|start| {
            let values = start.values.iter().filter(|(var, _)| self.is_local(*var));
            let equations = values.map(|(var, value)| self.equation(*var, value));
            let whole = self.at(thread, start.to).and(&start.guard).and(Term::all(equations));
            let typed = self.typing(&whole);
            whole.and(typed)
        }))
    }

    /// The thread that is known by a number.
    fn thread(&self, number: &Term) -> Option<ThreadId> {
        let index = number.as_int()?.checked_sub(1).and_then(|index| u32::try_from(index).ok())?;
        self.threads.get(index as usize).map(|_| ThreadId(index))
    }

    fn is_local(&self, var: Var) -> bool {
        self.info(var).is_some_and(|info| info.owner != Owner::Shared)
    }

    /// The initial states of the program.
    pub fn init(&self) -> Term {
        let starts = (0..self.threads.len()).map(|thread| self.start_of(ThreadId(thread as u32)));
        self.initially.so_far.and(Term::all(starts))
    }
}

/// In properties a thread is known by its number.
impl Others for Space {
    fn local(&self, _: TemplateId, thread: &Term, local: LocalId) -> Option<Value> {
        let own = &self.threads[self.thread(thread)?.index()];
        own.frames.get(&Vec::new())?.get(local.index()).cloned()
    }

    fn at(&self, _: TemplateId, thread: &Term, locations: &[LocationId]) -> Option<Term> {
        let thread = self.thread(thread)?;
        let there = |(_, point): &(usize, &Point)| locations.contains(&point.location);
        let points = self.threads[thread.index()].points.iter().enumerate().filter(there);
        Some(Term::any(points.map(|(number, _)| self.at(thread, PointId(number as u32)))))
    }
}
