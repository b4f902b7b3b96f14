//! From a proof to invariants of the text, with ghosts for the locks.
//!
//! A point of the program is one of the text where a statement begins there, or a loop is about to test its condition. What is said
//! there speaks of the variables that can be seen there. What holds while a lock is free is said before the lock is taken, with a
//! ghost that tells whether it is. No more is told than somebody would read: loops, locks and tests come first.

use crate::format::{GhostUpdate, GhostVariable, Ghosts, Invariant};
use crate::formula::{Names, to_c};
use crate::instrument::is_one_step;
use crate::known::{Facts, Known, Range, live, uncertain};
use crate::violation::location;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::Proof;
use threadwise_front_c::landmarks::{Kind, Landmarks};
use threadwise_ir::{Edge, LocalId, LocationId, Op, Program, RoutineId, SharedId, Sort, Update, Value, VarRef};
use threadwise_memory::code::{Object, Type};
use threadwise_memory::{Atlas, RegionKind};

/// More invariants are not written, and none has more parts.
const MOST_INVARIANTS: usize = 40;
const MOST_PARTS: usize = 8;

/// What a proof says, in terms of the text. There is always something: that the program gets to its first statement.
pub fn invariants(
    program: &Arc<Program>,
    proof: &Proof,
    landmarks: &Landmarks,
    atlas: &Atlas,
) -> (Vec<Invariant>, Ghosts) {
    let locks = Lock::all(program, landmarks, atlas);
    let ids: Vec<SharedId> = locks.iter().map(|lock| lock.id).collect();
    let mut found = Vec::new();
    if let Some(known) = Known::of(program, proof, &ids) {
        let writer = Writer {
            landmarks,
            entries: entries(&known.program, landmarks),
            uncertain: uncertain(program, atlas),
            live: live(&known.program),
            globals: globals(program, atlas),
            known,
        };
        found = writer.all(&locks);
    }
    let used = |lock: &&Lock| found.iter().any(|invariant: &Invariant| invariant.value.contains(&lock.ghost));
    let used: Vec<&Lock> = locks.iter().filter(used).collect();
    let ghosts = Ghosts {
        variables: used.iter().map(|lock| lock.variable()).collect(),
        updates: used.iter().flat_map(|lock| lock.updates(landmarks)).collect(),
    };
    if found.is_empty() {
        found.extend(trivial(landmarks));
    }
    (found, ghosts)
}

/// Nothing is known but that the program is right.
fn trivial(landmarks: &Landmarks) -> Option<Invariant> {
    let is_first = |index: &usize| {
        let statement = &landmarks.statements[*index];
        &*statement.function == "main" && statement.is_item
    };
    let index = (0..landmarks.statements.len()).find(is_first)?;
    Some(Invariant { is_loop: false, location: place_of(landmarks, index), value: "1".to_string() })
}

fn place_of(landmarks: &Landmarks, statement: usize) -> crate::format::Location {
    let statement = &landmarks.statements[statement];
    location(landmarks.place(statement.span.start), statement.function.to_string())
}

/// A mutex that is taken and given back by statements that do nothing else.
struct Lock {
    id: SharedId,
    name: Arc<str>,
    ghost: String,
    /// Statements that take it, and those that give it back.
    taken: BTreeSet<usize>,
    given: BTreeSet<usize>,
}

impl Lock {
    fn all(program: &Program, landmarks: &Landmarks, atlas: &Atlas) -> Vec<Lock> {
        let is_mutex = |part: &&threadwise_memory::Part| {
            matches!(part.ty, Type::Library(Object::Mutex, _)) && part.dims.is_empty()
        };
        let is_global = |part: &&threadwise_memory::Part| atlas.objects[part.object].kind == RegionKind::Global;
        let parts = atlas.parts.iter().filter(is_mutex).filter(is_global);
        let ids: BTreeSet<SharedId> = parts.filter_map(|part| part.variable).collect();
        ids.into_iter().filter_map(|id| Lock::of(program, landmarks, id)).collect()
    }

    /// Nothing, where something else than single statements changes it.
    fn of(program: &Program, landmarks: &Landmarks, id: SharedId) -> Option<Lock> {
        let name = &program.shared[id.index()].name;
        let ghost: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let ghost = format!("{ghost}_locked");
        let mut lock = Lock { id, name: name.clone(), ghost, taken: BTreeSet::new(), given: BTreeSet::new() };
        if !matches!(program.shared[id.index()].sort, Sort::Tid)
            || landmarks.texts().any(|(_, t)| t.contains(&lock.ghost))
        {
            return None;
        }
        for edge in program.edges.iter() {
            for is_taken in changes(edge, id) {
                let index = landmarks.statement_at(edge.span.start)?;
                let statement = &landmarks.statements[index];
                if !is_one_step(landmarks, statement) || landmarks.text(statement.span).contains("_init") {
                    return None;
                }
                if is_taken {
                    lock.taken.insert(index)
                } else {
                    lock.given.insert(index)
                };
            }
        }
        (lock.taken.is_disjoint(&lock.given) && !lock.taken.is_empty()).then_some(lock)
    }

    fn variable(&self) -> GhostVariable {
        GhostVariable { name: self.ghost.clone(), ty: "int".to_string(), initial: "0".to_string() }
    }

    fn updates(&self, landmarks: &Landmarks) -> Vec<GhostUpdate> {
        let of = |statements: &BTreeSet<usize>, value: &str| -> Vec<GhostUpdate> {
            let update = |index: &usize| GhostUpdate {
                location: place_of(landmarks, *index),
                updates: vec![(self.ghost.clone(), value.to_string())],
            };
            statements.iter().map(update).collect()
        };
        [of(&self.taken, "1"), of(&self.given, "0")].concat()
    }
}

/// Whether an edge takes the mutex, or gives it back.
fn changes(edge: &Edge, id: SharedId) -> Vec<bool> {
    let Op::Command(command) = &edge.op else { return Vec::new() };
    let Update::Assign(assignments) = &command.update else { return Vec::new() };
    let is_its = |(place, _): &&(threadwise_ir::Place, Value)| place.var == VarRef::Shared(id);
    let takes = |value: &Value| !matches!(value, Value::Of(e) if matches!(e.kind, threadwise_ir::ExprKind::Const(0)));
    assignments.iter().filter(is_its).map(|(_, value)| takes(value)).collect()
}

/// Where control comes to a statement, or a loop to its test: points, and nothing where one of them lies within a step.
type Entries = BTreeMap<usize, Option<Vec<LocationId>>>;

fn entries(program: &Program, landmarks: &Landmarks) -> Entries {
    let statement_of = |edge: &Edge| match edge.span.start < edge.span.end {
        true => landmarks.statement_at(edge.span.start),
        false => None,
    };
    // Of a loop its condition alone counts.
    let is_part = |edge: &Edge, statement: usize| {
        statement_of(edge) == Some(statement)
            && match landmarks.statements[statement].kind {
                Kind::Loop { condition } => condition.start <= edge.span.start && edge.span.end <= condition.end,
                _ => true,
            }
    };
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); program.locations.len()];
    for (edge, index) in program.edges.iter().zip(0..) {
        incoming[edge.to.index()].push(index);
    }
    // The code of what it calls stands elsewhere, and control comes back into the middle of the statement.
    let calls = |statement: usize| {
        let is_defined = |callee: &str| landmarks.functions.iter().any(|function| &*function.name == callee);
        let is_unknown = |callee: &str| callee.is_empty() || is_defined(callee);
        let is_its = |position: u32| landmarks.statement_at(position) == Some(statement);
        landmarks.calls.iter().any(|call| is_unknown(&call.callee) && is_its(call.span.start))
    };
    let mut all: Entries = (0..landmarks.statements.len()).filter(|index| calls(*index)).map(|s| (s, None)).collect();
    for edge in program.edges.iter() {
        let Some(statement) = statement_of(edge).filter(|statement| is_part(edge, *statement)) else { continue };
        let before = &incoming[edge.from.index()];
        if !before.is_empty() && before.iter().all(|&other| is_part(&program.edges[other], statement)) {
            continue;
        }
        let found = all.entry(statement).or_insert_with(|| Some(Vec::new()));
        match (found, program.location(edge.from).transient) {
            (found, true) => *found = None,
            (Some(points), false) => points.push(edge.from),
            (None, false) => {}
        }
    }
    all
}

/// Global variables with the names that they have in C.
fn globals(program: &Program, atlas: &Atlas) -> BTreeSet<SharedId> {
    let is_meant = |part: &&threadwise_memory::Part| {
        let object = &atlas.objects[part.object];
        object.kind == RegionKind::Global
            && object.slots == 1
            && part.dims.is_empty()
            && matches!(part.ty, Type::Int(_))
    };
    let ids = atlas.parts.iter().filter(is_meant).filter_map(|part| part.variable);
    let is_name =
        |id: &SharedId| program.shared[id.index()].name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    ids.filter(is_name).collect()
}

struct Writer<'a> {
    landmarks: &'a Landmarks,
    entries: Entries,
    uncertain: BTreeSet<(Option<RoutineId>, VarRef)>,
    live: Vec<Vec<bool>>,
    globals: BTreeSet<SharedId>,
    known: Known,
}

impl Writer<'_> {
    fn all(&self, locks: &[Lock]) -> Vec<Invariant> {
        let mut found: Vec<(u8, usize, Invariant)> = Vec::new();
        let mut places: BTreeMap<crate::format::Location, u32> = BTreeMap::new();
        for statement in 0..self.landmarks.statements.len() {
            *places.entry(place_of(self.landmarks, statement)).or_default() += 1;
        }
        for (&statement, points) in &self.entries {
            let Some(points) = points else { continue };
            // What a macro makes has one place for many statements.
            if places.get(&place_of(self.landmarks, statement)) != Some(&1) {
                continue;
            }
            let mut parts = self.facts(statement, points, locks);
            parts.extend(self.while_free(statement, locks));
            parts.truncate(MOST_PARTS);
            if !parts.is_empty() {
                let is_loop = matches!(self.landmarks.statements[statement].kind, Kind::Loop { .. });
                let value = if parts.len() == 1 { parts.remove(0) } else { conjunction(&parts) };
                let invariant = Invariant { is_loop, location: place_of(self.landmarks, statement), value };
                found.push((self.importance(statement, locks), statement, invariant));
            }
        }
        found.sort_by_key(|(importance, statement, _)| (*importance, *statement));
        found.truncate(MOST_INVARIANTS);
        found.sort_by_key(|(_, statement, _)| *statement);
        found.into_iter().map(|(_, _, invariant)| invariant).collect()
    }

    fn importance(&self, statement: usize, locks: &[Lock]) -> u8 {
        match self.landmarks.statements[statement].kind {
            Kind::Loop { .. } => 0,
            _ if locks.iter().any(|lock| lock.taken.contains(&statement)) => 1,
            Kind::If { .. } => 2,
            _ => 3,
        }
    }

    /// What holds at all points of a statement, for each variable that can be seen there.
    fn facts(&self, statement: usize, points: &[LocationId], locks: &[Lock]) -> Vec<String> {
        let reached: Vec<(LocationId, &Facts)> =
            points.iter().filter_map(|point| Some((*point, self.known.at.get(point)?))).collect();
        if reached.is_empty() || !self.known.lists_states && reached.len() < points.len() {
            return Vec::new();
        }
        if !self.known.lists_states {
            return self.formulas(statement, &reached, locks);
        }
        let mut ranges: BTreeMap<String, Option<Range>> = BTreeMap::new();
        for (number, (point, facts)) in reached.iter().enumerate() {
            let visible = self.visible(statement, *point);
            for (name, var) in &visible {
                let here =
                    var.filter(|var| self.is_certain(*point, *var)).and_then(|var| facts.ranges.get(&var).copied());
                let joined = match (number, ranges.get(name).copied().flatten(), here) {
                    (0, _, here) => here,
                    (_, Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                    _ => None,
                };
                ranges.insert(name.clone(), joined);
            }
            ranges.retain(|name, _| visible.contains_key(name));
        }
        let sort = |name: &str| self.visible(statement, reached[0].0).get(name).copied().flatten();
        ranges
            .iter()
            .filter_map(|(name, range)| in_c(name, (*range)?, self.bounds(reached[0].0, sort(name)?)))
            .collect()
    }

    fn is_certain(&self, point: LocationId, var: VarRef) -> bool {
        let routine = self.known.program.location(point).routine;
        match var {
            VarRef::Shared(_) => !self.uncertain.contains(&(None, var)),
            VarRef::Local(id) => {
                let is_dead = self.known.program.location(point).dead.contains(&id);
                !self.uncertain.contains(&(Some(routine), var)) && self.live[point.index()][id.index()] && !is_dead
            }
        }
    }

    fn formulas(&self, statement: usize, reached: &[(LocationId, &Facts)], locks: &[Lock]) -> Vec<String> {
        let said = |(point, facts): &(LocationId, &Facts)| -> BTreeSet<String> {
            let visible = self.visible(statement, *point);
            let is_name = |name: &str| {
                let var = visible.get(name).copied().flatten();
                var.is_some_and(|var| match var {
                    VarRef::Shared(_) => true,
                    VarRef::Local(id) => self.live[point.index()][id.index()],
                })
            };
            let ghost = |name: &str| locks.iter().find(|lock| *lock.name == *name).map(|lock| lock.ghost.clone());
            let names = Names { is_name: &is_name, ghost: &ghost };
            facts.formulas.iter().flat_map(|formula| to_c(formula, &names)).collect()
        };
        let mut all = reached.iter().map(said);
        let first = all.next().unwrap_or_default();
        all.fold(first, |common, next| common.intersection(&next).cloned().collect()).into_iter().collect()
    }

    /// What holds while the mutex is free that a statement is about to take, where that is more than holds always.
    fn while_free(&self, statement: usize, locks: &[Lock]) -> Vec<String> {
        let mut parts = Vec::new();
        for lock in locks.iter().filter(|lock| lock.taken.contains(&statement)) {
            let Some(ranges) = self.known.while_free.get(&lock.id) else { continue };
            for (&id, &range) in ranges {
                let var = &self.known.program.shared[id.index()];
                let is_told = self.globals.contains(&id)
                    && self.is_written(var)
                    && !self.uncertain.contains(&(None, VarRef::Shared(id)));
                let always = self.known.at.values().filter_map(|facts| facts.ranges.get(&VarRef::Shared(id)));
                let is_more = always.into_iter().any(|other| other.0 < range.0 || other.1 > range.1);
                if is_told
                    && is_more
                    && self.is_in_scope(var.span, statement)
                    && let Some(text) = in_c(&var.name, range, bounds_of(&var.sort))
                {
                    parts.push(format!(
                        "{} || {}",
                        lock.ghost,
                        if text.contains("&&") { format!("({text})") } else { text }
                    ));
                }
            }
        }
        parts
    }

    /// The variables that can be seen where a statement begins, by their names; those of which there are several are not told apart.
    fn visible(&self, statement: usize, point: LocationId) -> BTreeMap<String, Option<VarRef>> {
        let program = &self.known.program;
        let routine = program.location(point).routine;
        let function = &self.landmarks.statements[statement].function;
        let mut names: BTreeMap<String, Option<VarRef>> = BTreeMap::new();
        let mut add = |name: &str, var: VarRef| {
            names.entry(name.to_string()).and_modify(|before| *before = None).or_insert(Some(var));
        };
        for (var, id) in program.shared.iter().zip((0..).map(SharedId)) {
            if self.is_in_scope(var.span, statement) && var.span.start < var.span.end {
                if self.globals.contains(&id) && self.is_written(var) {
                    add(&var.name, VarRef::Shared(id));
                } else {
                    // Something else has this name here.
                    add(self.landmarks.text(var.span), VarRef::Shared(id));
                    add(self.landmarks.text(var.span), VarRef::Shared(id));
                }
            }
        }
        let Some(telling) = &program.telling else { return names };
        for (var, id) in program.routine(routine).locals.iter().zip((0..).map(LocalId)) {
            let shown = telling.local(routine, id).filter(|shown| !shown.is_hidden && !shown.is_pointer);
            let called = shown.and_then(|shown| shown.name.as_deref()).unwrap_or(&var.name);
            let called = called.strip_prefix(&format!("{function}.")).unwrap_or(called);
            let is_live = self.live[point.index()][id.index()];
            if shown.is_some()
                && is_live
                && self.is_in_scope(var.span, statement)
                && self.landmarks.text(var.span) == called
            {
                add(called, VarRef::Local(id));
            }
        }
        names
    }

    /// Whether a variable has its name in the text.
    fn is_written(&self, var: &threadwise_ir::SharedVar) -> bool {
        Some(self.landmarks.text(var.span)) == var.name.split('.').next()
    }

    /// Whether what is declared at a span can be seen where a statement begins.
    fn is_in_scope(&self, declared: threadwise_source::Span, statement: usize) -> bool {
        let at = self.landmarks.statements[statement].span.start;
        let scope = self.landmarks.scope_of(declared.start);
        // A loop sees what it declares itself, from its condition on.
        let is_own = scope.is_some_and(|span| span.start == at);
        scope.is_none_or(|span| span.start <= at && at < span.end) && (declared.start < at || is_own)
    }

    fn bounds(&self, point: LocationId, var: VarRef) -> Option<Range> {
        let program = &self.known.program;
        match var {
            VarRef::Shared(id) => bounds_of(&program.shared[id.index()].sort),
            VarRef::Local(id) => bounds_of(&program.routine(program.location(point).routine).locals[id.index()].sort),
        }
    }
}

fn bounds_of(sort: &Sort) -> Option<Range> {
    match sort {
        Sort::Bits(bits) => Some(bits.bounds()),
        Sort::Bool => Some((0, 1)),
        _ => None,
    }
}

/// A range as C says it; nothing where it says nothing.
fn in_c(name: &str, (low, high): Range, bounds: Option<Range>) -> Option<String> {
    let constant = |number: i128| -> Option<String> {
        let number = i64::try_from(number).ok().filter(|number| *number > i64::MIN)?;
        let suffix = if i32::try_from(number).is_ok_and(|number| number > i32::MIN) { "" } else { "LL" };
        Some(format!("{number}{suffix}"))
    };
    if low == high {
        return Some(format!("{name} == {}", constant(low)?));
    }
    let (least, most) = bounds.unwrap_or((i128::MIN, i128::MAX));
    let mut parts = Vec::new();
    if low > least {
        parts.push(format!("{} <= {name}", constant(low)?));
    }
    if high < most {
        parts.push(format!("{name} <= {}", constant(high)?));
    }
    (!parts.is_empty()).then(|| parts.join(" && "))
}

fn conjunction(parts: &[String]) -> String {
    let part = |text: &String| if text.contains("||") && !is_closed(text) { format!("({text})") } else { text.clone() };
    parts.iter().map(part).collect::<Vec<String>>().join(" && ")
}

/// Whether parentheses are around the whole.
fn is_closed(text: &str) -> bool {
    let mut depth = 0;
    let ends_before_end = text.char_indices().any(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && at + 1 < text.len()
    });
    text.starts_with('(') && !ends_before_end
}
