//! The variables and control points of a program.

use crate::errors::ErrorCase;
use crate::initial::{self, Initially};
use crate::run;
use crate::step::{Start, Step, StepFailure};
use crate::sym::Sym;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use threadwise_ir::patience::may_do;
use threadwise_ir::{EdgeId, EnumId, Instance, LocalId, LocationId, Point, Program, Sort, ThreadId};
use threadwise_logic::{Naming, SmtSort, Term, Var};
use threadwise_source::Span;

/// Programs with more scalar variables than this are not treated.
const MAX_VARIABLES: usize = 2000;

/// Why a program cannot be expressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// What it has that cannot.
    pub reason: String,
    pub span: Option<Span>,
}

/// Building terms and comparing them takes far longer than evaluating an expression.
const UNITS: u32 = 256;

/// Whether it is still worth going on; if not, nothing that has been found counts.
pub(crate) fn go_on() -> Result<(), Unsupported> {
    if may_do(UNITS) { Ok(()) } else { Err(Unsupported::new("it was interrupted", None)) }
}

impl Unsupported {
    pub(crate) fn new(reason: impl Into<String>, span: impl Into<Option<Span>>) -> Unsupported {
        Unsupported { reason: reason.into(), span: span.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

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
    pub(crate) slot: (usize, Option<u32>),
    /// For a local of a thread, which of the thread's frames it is in.
    pub(crate) frame: Vec<EdgeId>,
}

/// The values of a scalar variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarSort {
    /// A boolean.
    Bool,
    /// An integer, perhaps with a least and a greatest value.
    Int(Option<(i64, i64)>),
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
    pub(crate) frames: BTreeMap<Vec<EdgeId>, Vec<Sym>>,
}

/// A program as formulas. The variables before a step are numbered from 0 to [`Space::count`], those
/// after a step from there on in the same order, and after these come the free choices of the steps.
#[derive(Clone, Debug)]
pub struct Space {
    /// The program with its threads.
    pub instance: Instance,
    pub threads: Vec<ThreadSpace>,
    /// Where the program can start.
    pub initially: Initially,
    pub errors: Vec<ErrorCase>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) shared: Vec<Sym>,
    pub(crate) choices: Vec<VarSort>,
}

impl Space {
    /// The program as formulas, or why that cannot be.
    pub fn new(program: &Arc<Program>) -> Result<Space, Unsupported> {
        if program.has_any_copies() {
            return Err(Unsupported::new("there is any number of copies of a thread", None));
        }
        if program.is_recursive() {
            return Err(Unsupported::new("procedures are recursive", None));
        }
        let instance = Instance::new(program.clone(), 0);
        let mut space = Space {
            instance,
            threads: Vec::new(),
            initially: Initially::default(),
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
            run::explore(&mut space, ThreadId(thread as u32))?;
        }
        space.initially = initial::initially(&space)?;
        space.errors = crate::errors::errors(&space)?;
        Ok(space)
    }

    fn add_shared(&mut self) -> Result<(), Unsupported> {
        let program = self.instance.program.clone();
        for (index, var) in program.shared.iter().enumerate() {
            let offset = self.instance.shared_range(threadwise_ir::SharedId(index as u32)).start;
            let sym = self.add_var(&var.name, &var.sort, Owner::Shared, offset, &[], var.span)?;
            self.shared.push(sym);
        }
        Ok(())
    }

    /// The control variable, and the locals of every frame that can be on the stack.
    fn add_thread(&mut self, thread: ThreadId) -> Result<(), Unsupported> {
        let program = self.instance.program.clone();
        let name = self.instance.tid_name(i64::from(thread.0) + 1);
        let owner = Owner::Thread(thread);
        let pc = self.push(VarInfo {
            name: format!("{name}@"),
            sort: VarSort::Int(None),
            shown: Shown::Point(thread),
            owner,
            slot: (0, None),
            frame: Vec::new(),
        })?;
        let mut frames = BTreeMap::new();
        let mut todo = vec![(Vec::new(), self.instance.body(thread), name)];
        while let Some((calls, routine, prefix)) = todo.pop() {
            go_on()?;
            let mut locals = Vec::new();
            for (index, var) in program.routine(routine).locals.iter().enumerate() {
                let offset = self.instance.local_range(routine, LocalId(index as u32)).start;
                let name = format!("{prefix}.{}", var.name);
                locals.push(self.add_var(&name, &var.sort, owner, offset, &calls, var.span)?);
            }
            frames.insert(calls.clone(), locals);
            for (id, edge) in program.edges_of(routine) {
                if let threadwise_ir::Op::Call { routine: callee, .. } = edge.op {
                    let callee_name = &program.routine(callee).name;
                    let line = program.source.position(edge.span.start).line;
                    let inner = [&calls[..], &[id]].concat();
                    todo.push((inner, callee, format!("{prefix}.{callee_name}@{line}")));
                }
            }
        }
        let thread = ThreadSpace {
            pc,
            points: Vec::new(),
            starts: Vec::new(),
            start_fault: Term::bool(false),
            steps: Vec::new(),
            failures: Vec::new(),
            frames,
        };
        self.threads.push(thread);
        Ok(())
    }

    fn push(&mut self, mut info: VarInfo) -> Result<Var, Unsupported> {
        if self.vars.len() >= MAX_VARIABLES {
            return Err(Unsupported::new(format!("there are more than {MAX_VARIABLES} scalar variables"), None));
        }
        let same = self.vars.iter().filter(|known| known.name == info.name).count();
        if same > 0 {
            // Locals of different blocks may have the same name.
            info.name = format!("{}#{}", info.name, same + 1);
        }
        self.vars.push(info);
        Ok(Var(self.vars.len() as u32 - 1))
    }

    fn add_var(
        &mut self,
        name: &str,
        sort: &Sort,
        owner: Owner,
        offset: usize,
        frame: &[EdgeId],
        span: Span,
    ) -> Result<Sym, Unsupported> {
        let scalar = |name: &str, sort, shown, slot| VarInfo {
            name: name.to_string(),
            sort,
            shown,
            owner,
            slot,
            frame: frame.to_vec(),
        };
        Ok(match sort {
            Sort::Bool => {
                let var = self.push(scalar(name, VarSort::Bool, Shown::Plain, (offset, None)))?;
                Sym::Scalar(self.value(var))
            }
            Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => {
                let shown = match sort {
                    Sort::Enum(id) => Shown::Enum(*id),
                    Sort::Tid => Shown::Tid,
                    _ => Shown::Plain,
                };
                let var = self.push(scalar(name, self.var_sort(sort), shown, (offset, None)))?;
                Sym::Scalar(self.value(var))
            }
            Sort::Set(element) => {
                let count = self.instance.cardinality(element).unwrap_or(u64::MAX);
                if count > MAX_VARIABLES as u64 {
                    return Err(Unsupported::new("a set is too large", span));
                }
                let mut members = Vec::new();
                for rank in 0..count as usize {
                    let value = self.show_scalar(element, self.instance.unrank(element, rank));
                    let slot = (offset + rank / 64, Some((rank % 64) as u32));
                    let var = self.push(scalar(&format!("{value} in {name}"), VarSort::Bool, Shown::Plain, slot))?;
                    members.push(self.value(var));
                }
                Sym::Set(members)
            }
            Sort::Array(key, element) => {
                let count = self.instance.cardinality(key).unwrap_or(u64::MAX);
                if count > MAX_VARIABLES as u64 {
                    return Err(Unsupported::new("an array is too large", span));
                }
                let size = self.instance.words(element);
                let mut elements = Vec::new();
                for rank in 0..count as usize {
                    let key = self.show_scalar(key, self.instance.unrank(key, rank));
                    let name = format!("{name}[{key}]");
                    elements.push(self.add_var(&name, element, owner, offset + rank * size, frame, span)?);
                }
                Sym::Array(elements)
            }
        })
    }

    pub(crate) fn var_sort(&self, sort: &Sort) -> VarSort {
        match sort {
            Sort::Bool => VarSort::Bool,
            Sort::Range(lo, hi) => VarSort::Int(Some((*lo, *hi))),
            Sort::Enum(_) | Sort::Tid => VarSort::Int(Some((0, self.instance.count(sort) as i64 - 1))),
            _ => VarSort::Int(None),
        }
    }

    /// The value of a scalar sort as text.
    fn show_scalar(&self, sort: &Sort, value: i64) -> String {
        match sort {
            Sort::Bool => (value != 0).to_string(),
            Sort::Enum(id) => self.instance.program.enums[id.index()].members[value as usize].to_string(),
            Sort::Tid => self.instance.tid_name(value),
            _ => value.to_string(),
        }
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

    /// The locals that are in scope at a point: the others hold nothing of interest there.
    pub fn live(&self, thread: ThreadId, point: PointId) -> Vec<Var> {
        let space = &self.threads[thread.index()];
        let at = &space.points[point.index()];
        let program = &self.instance.program;
        let mut live = Vec::new();
        for depth in 0..=at.calls.len() {
            let location = match at.calls.get(depth) {
                Some(call) => program.edge(*call).from,
                None => at.location,
            };
            let dead = &program.location(location).dead;
            for (index, sym) in space.frames[&at.calls[..depth]].iter().enumerate() {
                if depth < at.calls.len() || !dead.contains(&LocalId(index as u32)) {
                    let mut scalars = Vec::new();
                    sym.scalars(&mut scalars);
                    live.extend(scalars.iter().filter_map(|scalar| scalar.as_var()));
                }
            }
        }
        live
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
        match self.sort(var) {
            VarSort::Bool => SmtSort::Bool,
            VarSort::Int(_) => SmtSort::Int,
        }
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

    /// The name of a control point: a label of its location if it has one, else the line.
    pub fn point_name(&self, thread: ThreadId, point: PointId) -> String {
        let program = &self.instance.program;
        let at = &self.threads[thread.index()].points[point.index()];
        let name = |location: LocationId| {
            let location = program.location(location);
            match location.labels.first() {
                Some(label) => label.to_string(),
                None => program.source.locate_briefly(location.span),
            }
        };
        let mut names: Vec<String> = at.calls.iter().map(|call| name(program.edge(*call).from)).collect();
        names.push(name(at.location));
        names.join("/")
    }
}

impl Naming for Space {
    fn name(&self, var: Var) -> String {
        match self.info(var) {
            Some(info) if self.is_primed(var) => match info.name.split_once(" in ") {
                Some((value, set)) => format!("{value} in {set}'"),
                None => format!("{}'", info.name),
            },
            Some(info) => info.name.clone(),
            None => format!("any{}", var.index() - 2 * self.vars.len() + 1),
        }
    }

    fn value(&self, var: Var, value: i64) -> String {
        match self.info(var).map(|info| info.shown) {
            Some(Shown::Enum(id))
                if usize::try_from(value).is_ok_and(|v| v < self.instance.program.enums[id.index()].members.len()) =>
            {
                self.instance.program.enums[id.index()].members[value as usize].to_string()
            }
            Some(Shown::Tid) => self.instance.tid_name(value),
            Some(Shown::Point(thread))
                if usize::try_from(value).is_ok_and(|v| v < self.threads[thread.index()].points.len()) =>
            {
                self.point_name(thread, PointId(value as u32))
            }
            _ => value.to_string(),
        }
    }
}
