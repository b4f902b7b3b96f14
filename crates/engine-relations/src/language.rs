//! What may be said at a place: conditions of the program's own text, bounds by its constants, who is meant by an identity.

use crate::here::Language;
use crate::places::{Map, Place};
use std::collections::BTreeSet;
use threadwise_ir::{
    BinaryOp, Command, Expr, ExprKind, LocalId, Op, Point, Program, RoutineId, SharedId, Sort, Update,
    Value as Assigned, VarRef,
};
use threadwise_logic::{SmtSort, Term};
use threadwise_symbolic::{Parameters, Value, View};

/// So many conditions of the program are looked at.
const MAX_CONDITIONS: usize = 400;

/// The most that may be said at a place, and the most conditions under which more may be said.
const MAX_ATOMS: usize = 160;
const MAX_GUARDS: usize = 14;

/// Among more numbers than this, pairs are not compared.
const MAX_COMPARED: usize = 7;

/// The most constants of the program that numbers are compared with, and the largest of them.
const MAX_BOUNDS: usize = 6;
const LARGE_BOUND: u64 = 1 << 12;

/// The conditions and constants of a program's text.
pub(crate) struct Text {
    /// Whether all numbers are compared with each other and with the program's constants.
    compares_all: bool,
    /// Conditions, with the routine whose locals they speak of, if they do.
    conditions: Vec<(Option<RoutineId>, Expr)>,
    bounds: Vec<i64>,
}

impl Text {
    pub(crate) fn new(program: &Program, compares_all: bool) -> Text {
        let mut text = Text { compares_all, conditions: Vec::new(), bounds: Vec::new() };
        for index in 0..program.routines.len() {
            let routine = RoutineId(index as u32);
            for (_, edge) in program.edges_of(routine) {
                edge.op.walk_expressions(&mut |e| text.add(Some(routine), e));
            }
        }
        text.add_copied(program);
        program.formulas().for_each(|(_, e, _)| e.walk(&mut |part| text.add(None, part)));
        program.init.iter().for_each(|e| e.walk(&mut |part| text.add(None, part)));
        text.conditions.truncate(MAX_CONDITIONS);
        // Small numbers are the likeliest bounds.
        let bounds: BTreeSet<i64> = text.bounds.drain(..).chain([0, 1]).collect();
        let mut bounds: Vec<i64> = bounds.into_iter().filter(|bound| bound.unsigned_abs() <= LARGE_BOUND).collect();
        bounds.sort_by_key(|bound| bound.unsigned_abs());
        bounds.truncate(MAX_BOUNDS);
        text.bounds = bounds;
        text
    }

    /// What is asked of a local variable that a shared one was copied to is asked of the shared one, too.
    fn add_copied(&mut self, program: &Program) {
        for index in 0..program.routines.len() {
            let routine = RoutineId(index as u32);
            let copied = copies(program, routine);
            let own = self.conditions.iter().filter(|(of, _)| *of == Some(routine));
            let asked_of = |local: LocalId| copied.iter().find(|(to, _)| *to == local).map(|(_, from)| *from);
            let of_shared = own.map(|(_, e)| {
                e.map(&mut |part| match part.kind {
                    ExprKind::Read(VarRef::Local(local)) => {
                        asked_of(local).map(|from| ExprKind::Read(VarRef::Shared(from)))
                    }
                    _ => None,
                })
            });
            let of_shared: Vec<Expr> = of_shared.filter(|e| !speaks_of_thread(e)).collect();
            self.conditions.extend(of_shared.into_iter().map(|e| (None, e)));
        }
    }

    fn add(&mut self, routine: Option<RoutineId>, e: &Expr) {
        match &e.kind {
            ExprKind::Const(value) if is_number(&e.sort) => self.bounds.push(*value),
            ExprKind::Const(_) => {}
            _ if *e.sort != Sort::Bool || !is_said_here(e) => {}
            _ => {
                self.conditions.push((routine.filter(|_| speaks_of_thread(e)), e.clone()));
            }
        }
    }

    /// What may be said at a place.
    pub(crate) fn at(&self, map: &Map<'_>, place: &Place) -> Language {
        let parameters = Parameters::default().with("self", &SmtSort::Int).with_shared(map.population);
        let names = parameters.with_locals(map.population, &place.point).constants().to_vec();
        let mut leaves = Leaves::new(map, &names, 1);
        let innermost = leaves.of_point(map, &place.point);
        self.language(map, &names, &leaves, Some((names[0].clone(), innermost)))
    }

    /// What may be said of the shared variables alone.
    pub(crate) fn of_store(&self, map: &Map<'_>) -> Language {
        let names = Parameters::default().with_shared(map.population).constants().to_vec();
        let leaves = Leaves::new(map, &names, 0);
        self.language(map, &names, &leaves, None)
    }

    fn language(
        &self,
        map: &Map<'_>,
        names: &[Term],
        leaves: &Leaves,
        thread: Option<(Term, (RoutineId, Vec<Value>))>,
    ) -> Language {
        let mut said = Said { guards: vec![Term::bool(true)], atoms: Vec::new(), seen: BTreeSet::new() };
        let me = thread.as_ref().map(|(me, _)| me.clone());
        for &identity in &leaves.identities {
            for other in [Some(Term::int(0)), me.clone()].into_iter().flatten() {
                let same = names[identity].equals(other);
                said.guard(&same);
                said.atom(&same);
                said.atom(&same.not());
            }
        }
        for &flag in &leaves.flags {
            said.guard(&names[flag]);
            said.guard(&names[flag].not());
        }
        for &(member, count) in &leaves.members {
            for value in 0..count.min(4) {
                let same = names[member].equals(Term::int(value));
                said.guard(&same);
                said.atom(&same);
                said.atom(&same.not());
            }
        }
        self.conditions(map, leaves, thread, &mut said);
        let compared = if self.compares_all { &leaves.numbers[..] } else { &[] };
        for &number in compared {
            for &bound in &self.bounds {
                said.atom(&Term::int(bound).le(&names[number]));
                said.atom(&names[number].le(Term::int(bound)));
            }
        }
        let compared = &compared[..compared.len().min(MAX_COMPARED)];
        for a in compared {
            for b in compared.iter().filter(|b| *b != a) {
                said.atom(&names[*a].le(&names[*b]));
            }
        }
        said.guards.truncate(MAX_GUARDS);
        said.atoms.truncate(MAX_ATOMS);
        let numbers = leaves.numbers.iter().chain(&leaves.flags).copied().collect();
        Language { names: names.to_vec(), numbers, guards: said.guards, atoms: said.atoms }
    }

    /// The conditions of the program that can be said here.
    fn conditions(
        &self,
        map: &Map<'_>,
        leaves: &Leaves,
        thread: Option<(Term, (RoutineId, Vec<Value>))>,
        said: &mut Said,
    ) {
        let (me, here, locals) = match &thread {
            Some((me, (routine, locals))) => (me.clone(), Some(*routine), &locals[..]),
            None => (Term::int(0), None, &[][..]),
        };
        let view = View::of_thread(map.population, &me, &leaves.shared, locals);
        // What is true of one's own locals is the likeliest to matter.
        let own = self.conditions.iter().filter(|(routine, _)| routine.is_some() && *routine == here);
        let shared = self.conditions.iter().filter(|(routine, _)| routine.is_none());
        for (_, e) in own.chain(shared) {
            if e.any(&|part| matches!(part.kind, ExprKind::Read(VarRef::Local(id)) if leaves.dead.contains(&id))) {
                continue;
            }
            if let Some(atoms) = atoms(&view, e) {
                if matches!(e.kind, ExprKind::Binary(BinaryOp::Eq, ..)) {
                    said.guard(&atoms[0]);
                }
                atoms.iter().for_each(|atom| said.atom(atom));
            }
        }
    }
}

/// What is collected, each once.
struct Said {
    guards: Vec<Term>,
    atoms: Vec<Term>,
    seen: BTreeSet<Term>,
}

impl Said {
    fn guard(&mut self, guard: &Term) {
        if guard.as_bool().is_none() && !self.guards.contains(guard) {
            self.guards.push(guard.clone());
        }
    }

    fn atom(&mut self, atom: &Term) {
        if atom.as_bool().is_none() && self.seen.insert(atom.clone()) {
            self.atoms.push(atom.clone());
        }
    }
}

/// A condition, its opposite, and of a comparison also those that are a little weaker.
fn atoms(view: &View<'_>, e: &Expr) -> Option<Vec<Term>> {
    let whole = view.translate(e).ok().filter(|whole| whole.defined.is_true())?;
    let mut atoms = vec![whole.value.term().clone(), whole.value.term().not()];
    if let ExprKind::Binary(
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne,
        a,
        b,
    ) = &e.kind
        && is_number(&a.sort)
    {
        let (a, b) = (view.translate(a).ok()?, view.translate(b).ok()?);
        let (a, b) = (a.value.term(), b.value.term());
        atoms.extend([a.le(b), b.le(a), a.lt(b), b.lt(a)]);
    }
    Some(atoms)
}

fn speaks_of_thread(e: &Expr) -> bool {
    e.any(&|part| matches!(part.kind, ExprKind::Read(VarRef::Local(_)) | ExprKind::SelfThread))
}

/// The local variables of a routine that shared ones of the same sort are copied to.
fn copies(program: &Program, routine: RoutineId) -> Vec<(LocalId, SharedId)> {
    let mut found = Vec::new();
    for (_, edge) in program.edges_of(routine) {
        let Op::Command(Command { update: Update::Assign(assignments), .. }) = &edge.op else { continue };
        for (place, value) in assignments {
            if let (VarRef::Local(to), Assigned::Of(e), true) = (place.var, value, place.indices.is_empty())
                && let ExprKind::Read(VarRef::Shared(from)) = e.kind
                && e.sort == place.sort
            {
                found.push((to, from));
            }
        }
    }
    found
}

fn is_number(sort: &Sort) -> bool {
    matches!(sort, Sort::Int | Sort::Range(..) | Sort::Bits(_))
}

/// Whether a condition means something by itself: it is no connective of others, and speaks of the present state of this
/// thread and the shared variables only.
fn is_said_here(e: &Expr) -> bool {
    let is_connective = matches!(e.kind, ExprKind::Unary(..) | ExprKind::Binary(BinaryOp::And, ..));
    !is_connective
        && !e.any(&|part| {
            matches!(
                part.kind,
                ExprKind::Bound(_)
                    | ExprKind::Quantified(..)
                    | ExprKind::ReadAfter(_)
                    | ExprKind::LocalOf(..)
                    | ExprKind::At(..)
            )
        })
}

/// What the names at a place are names of.
struct Leaves {
    shared: Vec<Value>,
    next: usize,
    names: Vec<Term>,
    numbers: Vec<usize>,
    flags: Vec<usize>,
    identities: Vec<usize>,
    /// With how many members their enumerations have.
    members: Vec<(usize, i64)>,
    /// Locals of the running routine that are out of scope.
    dead: Vec<LocalId>,
}

impl Leaves {
    /// Those of the shared variables, which are named from some place on.
    fn new(map: &Map<'_>, names: &[Term], first: usize) -> Leaves {
        let mut leaves = Leaves {
            shared: Vec::new(),
            next: first,
            names: names.to_vec(),
            numbers: Vec::new(),
            flags: Vec::new(),
            identities: Vec::new(),
            members: Vec::new(),
            dead: Vec::new(),
        };
        for var in &map.population.program.shared {
            let value = leaves.variable(map, &var.sort, false);
            leaves.shared.push(value);
        }
        leaves
    }

    /// Those of the locals of all frames at a point; the running routine and its locals.
    fn of_point(&mut self, map: &Map<'_>, point: &Point) -> (RoutineId, Vec<Value>) {
        let program: &Program = &map.population.program;
        let routines = point.routines(program);
        let (&innermost, outer) = routines.split_last().expect("a thread has a routine");
        for routine in outer {
            program.routine(*routine).locals.iter().for_each(|local| _ = self.variable(map, &local.sort, false));
        }
        self.dead = program.location(point.location).dead.to_vec();
        let mut values = Vec::new();
        for (index, local) in program.routine(innermost).locals.iter().enumerate() {
            let is_dead = self.dead.iter().any(|dead| dead.index() == index);
            values.push(self.variable(map, &local.sort, is_dead));
        }
        (innermost, values)
    }

    fn variable(&mut self, map: &Map<'_>, sort: &Sort, is_dead: bool) -> Value {
        let many = map.population.leaf_sorts(sort).len();
        let here = self.next..self.next + many;
        self.next = here.end;
        let scalar = innermost(sort);
        for at in here.clone().filter(|_| !is_dead) {
            match (self.names[at].sort(), scalar) {
                (SmtSort::Int, Sort::Tid) => self.identities.push(at),
                (SmtSort::Int, Sort::Enum(id)) => {
                    self.members.push((at, map.population.program.enums[id.index()].members.len() as i64));
                }
                (SmtSort::Int, _) => self.numbers.push(at),
                (SmtSort::Bool, _) => self.flags.push(at),
                _ => {}
            }
        }
        Value(self.names[here].to_vec())
    }
}

/// The sort of what an array has in the end.
fn innermost(sort: &Sort) -> &Sort {
    match sort {
        Sort::Array(_, element) => innermost(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => sort,
    }
}
