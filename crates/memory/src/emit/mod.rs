//! From laid-out code to locations and edges.
//!
//! Each access to memory that another thread may reach starts at a location of its own, which others see; everything else
//! belongs to the step before it: its locations are transient. Heads of loops are seen by others too, so that no step
//! runs for ever.

mod access;
mod annotate;
mod any_length;
mod chart;
mod graph;
mod inputs;
mod late;
mod leaks;
mod library;
mod lifetimes;
mod live;
mod locks;
mod merge;
mod monitors;
mod movers;
mod races;
mod said;
mod telling;
mod thread;
mod torn;
mod unfold;
mod unread;
mod unsure;
mod vague;
mod values;
mod variables;

use crate::apart::Apart;
use crate::atlas::{Atlas, Operation};
use crate::code::{Code, FunctionId, InstructionKind};
use crate::fresh::Fresh;
use crate::joins::{JoinedAll, joined_all};
use crate::layout::{Accesses, Pointers, accesses, escaping};
use crate::objects::{LeafId, ObjectId, Objects, SiteId, Storage, ThreadIndex};
use crate::points::Points;
use crate::threads::{At, Number, Site, Threads, discover, sites};
use crate::{Checks, Lowered, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_ir::{
    Command, Copies, Edge, EdgeId, Expr, LocalId, LocalVar, LocationId, Place, Program, Property, Routine, RoutineId,
    SharedId, Sort, Template, TemplateId, Told, Update, Value, VarRef,
};
use threadwise_source::{Diagnostic, Span};
use threadwise_spawn::{Lives, Parameter, Startable};
use variables::Kept;

type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A pointer that was never set.
pub(crate) const INDETERMINATE: i64 = 1;
/// A pointer of which nobody knows where it points to.
pub(crate) const UNKNOWN: i64 = 2;

/// Lowers a program. Where several threads may be at a plain `long` of Java at the same time, it is lowered once more with halves.
pub(crate) fn lower_whole_or_torn(code: &Code, options: &Options, draws: bool) -> Fallible<(Lowered, Atlas)> {
    let (lowered, atlas, tearable) = lower(code, options, &BTreeSet::new(), &BTreeSet::new(), draws)?;
    if tearable.is_empty() {
        return Ok((lowered, atlas));
    }
    let (lowered, atlas, _) = lower(code, options, &BTreeSet::new(), &tearable, draws)?;
    Ok((lowered, atlas))
}

pub(crate) fn lower(
    code: &Code,
    options: &Options,
    apart: &BTreeSet<FunctionId>,
    torn: &BTreeSet<LeafId>,
    draws: bool,
) -> Fallible<(Lowered, Atlas, BTreeSet<LeafId>)> {
    lower_once(code, options, apart, torn, (draws, BTreeSet::new()))
}

/// Once with locals that have any value from their declarations on; if that is much to choose, again with some that have one when it
/// is looked at (`late`).
fn lower_once(
    code: &Code,
    options: &Options,
    apart: &BTreeSet<FunctionId>,
    torn: &BTreeSet<LeafId>,
    (draws, late): (bool, BTreeSet<LeafId>),
) -> Fallible<(Lowered, Atlas, BTreeSet<LeafId>)> {
    let already_knows = !late.is_empty();
    let threads = discover(code, apart, options).map_err(Box::new)?;
    let sites = sites(&threads, u64::from(options.objects));
    let (objects, site_ids) = objects_of(code, &threads, &sites);
    let depths: Vec<Vec<u32>> =
        threads.all.iter().map(|thread| atomic_depths(&thread.flat.blocks)).collect::<Result<_, _>>()?;
    let mut points = Points::solve(code, &threads, &objects, &site_ids);
    let inside = |at: At| is_atomic_at(&threads, &depths, at);
    let mut accesses = accesses(code, &mut points, &inside);
    annotate::mention(code, &mut points, &mut accesses);
    let escaping = escaping(&points, &accesses);
    if let Some(&thread) = escaping.first() {
        let function = threads.get(thread).flat.root;
        if !apart.contains(&function) {
            let mut apart = apart.clone();
            apart.extend(escaping.iter().map(|&thread| threads.get(thread).flat.root));
            return lower_once(code, options, &apart, torn, (draws, late));
        }
        let function = code.function(function);
        let message =
            format!("other threads may see local variables of `{}`, of which there is any number", function.name);
        return Err(Box::new(
            Diagnostic::error(function.span, message)
                .hint("create a fixed number of these threads, or give what is shared a place of its own on the heap"),
        ));
    }
    let joined_all = if options.outline { joined_all(&mut points) } else { JoinedAll::new() };
    let separate = apart;
    let apart = if options.outline { Apart::of(&mut points) } else { Apart::default() };
    let mut emitter = Emitter::new(code, options, &threads, &objects, points, &accesses, &sites, &depths);
    emitter.joined_all = joined_all;
    emitter.divide(apart);
    emitter.moved = any_length::moved(&mut emitter.points);
    emitter.program.kept_elements = options.objects.max(1);
    emitter.draws = draws;
    emitter.late = late;
    emitter.torn = torn.clone();
    emitter.declare();
    for thread in threads.indices() {
        emitter.thread(thread)?;
    }
    let found = emitter.chosen_early();
    if !already_knows && !found.is_empty() {
        return lower_once(code, options, separate, torn, (draws, found));
    }
    emitter.race_properties();
    // Less is known of an outline, which is fine: it has only to contain what happens.
    if !options.outline {
        emitter.annotate()?;
    }
    if options.checks.deadlock {
        let span = code.entries.first().map_or(Span::default(), |id| code.function(*id).span);
        emitter.program.properties.push(Property::nodeadlock(span));
    }
    let (program, diagnostics, atlas, tearable) = emitter.finish();
    let (few_objects, open_calls) = (few_objects(&threads, &sites), open_calls(&threads));
    Ok((Lowered { program: Some(program), diagnostics, few_objects, open_calls }, atlas, tearable))
}

/// Where more objects, more elements of one, or more threads may be needed than there are.
fn few_objects(threads: &Threads, sites: &[Site]) -> Vec<Span> {
    let bounded = sites.iter().filter(|site| !site.exact || !site.counted).map(|site| site.at);
    let span =
        |at: At| threads.get(at.thread).flat.blocks[at.block as usize].instructions[at.instruction as usize].span;
    bounded.chain(threads.too_few.iter().copied()).map(span).collect()
}

fn open_calls(threads: &Threads) -> Vec<Span> {
    threads.all.iter().flat_map(|thread| thread.flat.cut.iter().copied()).collect()
}

fn objects_of(code: &Code, threads: &Threads, sites: &[Site]) -> (Objects, BTreeMap<At, SiteId>) {
    let mut objects = Objects::default();
    for (global, number) in code.globals.iter().zip(0..) {
        let id = crate::code::GlobalId(number);
        if !global.thread_local {
            objects.add(code, Storage::Global(id), &global.ty, 1, global.name.clone(), global.span);
        }
    }
    for thread in threads.indices() {
        let of = threads.get(thread);
        for (global, number) in code.globals.iter().zip(0..).filter(|(global, _)| global.thread_local) {
            let storage = Storage::ThreadLocal(thread, crate::code::GlobalId(number));
            objects.add(code, storage, &global.ty, 1, global.name.clone(), global.span);
        }
        for (local, number) in of.flat.locals.iter().zip(0..) {
            let variable = &local.variable;
            let storage = Storage::Local(thread, crate::code::LocalId(number));
            objects.add(code, storage, &variable.ty, 1, variable.name.clone(), variable.span);
        }
    }
    let mut ids = BTreeMap::new();
    for (site, number) in sites.iter().zip(0..) {
        let id = SiteId(number);
        ids.insert(site.at, id);
        let ty = match site.elements {
            1 if site.counted => site.ty.clone(),
            count => crate::code::Type::Array(Arc::new(site.ty.clone()), count),
        };
        let span = threads.get(site.at.thread).flat.blocks[site.at.block as usize].instructions
            [site.at.instruction as usize]
            .span;
        let name = if sites.len() == 1 { "heap".to_string() } else { format!("heap{}", number + 1) };
        objects.add(code, Storage::Heap(id), &ty, site.slots, name.into(), span);
    }
    for &function in &threads.taken {
        let of = code.function(function);
        objects.add(code, Storage::Function(function), &crate::code::Type::Void, 1, of.name.clone(), of.span);
    }
    (objects, ids)
}

/// For each block how many atomic regions are open where it begins.
fn atomic_depths(blocks: &[crate::code::Block]) -> Fallible<Vec<u32>> {
    let mut depths: Vec<Option<u32>> = vec![None; blocks.len()];
    let mut work = vec![(0usize, 0u32)];
    while let Some((block, depth)) = work.pop() {
        match depths[block] {
            Some(known) if known == depth => continue,
            Some(_) => {
                let error = Diagnostic::error(
                    blocks[block].span,
                    "an atomic region ends on one way to here and not on another",
                );
                return Err(Box::new(error.hint("end the region on all ways, or on none")));
            }
            None => depths[block] = Some(depth),
        }
        let mut depth = depth;
        for instruction in &blocks[block].instructions {
            match instruction.kind {
                InstructionKind::AtomicBegin | InstructionKind::AtomicWhen(_) => depth += 1,
                InstructionKind::AtomicEnd => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        work.extend(crate::walk::targets(&blocks[block].end).into_iter().map(|to| (to.index(), depth)));
    }
    Ok(depths.into_iter().map(Option::unwrap_or_default).collect())
}

fn is_atomic_at(threads: &Threads, depths: &[Vec<u32>], at: At) -> bool {
    let mut depth = depths[at.thread.index()][at.block as usize];
    let block = &threads.get(at.thread).flat.blocks[at.block as usize];
    for instruction in &block.instructions[..at.instruction as usize] {
        match instruction.kind {
            InstructionKind::AtomicBegin | InstructionKind::AtomicWhen(_) => depth += 1,
            InstructionKind::AtomicEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth > 0
}

pub(crate) struct Emitter<'a> {
    pub(crate) code: &'a Code,
    pub(crate) checks: Checks,
    pub(crate) threads: &'a Threads,
    pub(crate) objects: &'a Objects,
    pub(crate) points: Points<'a>,
    pub(crate) accesses: &'a Accesses,
    pub(crate) sites: &'a [Site],
    depths: &'a [Vec<u32>],
    pub(crate) program: Program,
    pub(crate) edges: Vec<Edge>,
    /// What people are told of each edge.
    told: Vec<Told>,
    /// The function that each edge stands in.
    told_functions: Vec<Arc<str>>,
    pub(crate) pointers: Pointers,
    /// Some pointer may be one of which nobody knows where it points to.
    pub(crate) has_unknown_pointers: bool,
    /// Something depends on values that nobody knows.
    has_guesses: bool,
    /// Locals that get any value when somebody looks at them, and not where they are declared.
    pub(crate) late: BTreeSet<LeafId>,
    /// Edges that give any value to a local where it is declared.
    early: Vec<(EdgeId, LeafId)>,
    /// The variables that stand for leaves.
    pub(crate) kept: BTreeMap<LeafId, Kept>,
    pub(crate) visible: BTreeSet<LeafId>,
    /// Of objects whose lives end: whether they are alive.
    pub(crate) alive: BTreeMap<ObjectId, SharedId>,
    /// Locals that live more than once, and to which pointers may be left over.
    reborn: Vec<ObjectId>,
    /// Of these: by how much the address of the one that lives is moved.
    pub(crate) eras: BTreeMap<ObjectId, VarRef>,
    /// Whether one of their lives has been chosen to have an address of its own: for those of one thread alone, and for the others.
    chosen: BTreeMap<Option<ThreadIndex>, VarRef>,
    /// Of pools: how many of their objects have ever been used.
    pub(crate) used: BTreeMap<ObjectId, SharedId>,
    /// Of pools whose objects differ in how many elements they have: how many each has.
    pub(crate) counts: BTreeMap<ObjectId, SharedId>,
    /// Of pools that may have to use freed objects again: the one that is never used again, plus one.
    pub(crate) aside: BTreeMap<ObjectId, SharedId>,
    /// Of outlines: the objects that are not kept apart.
    vague: BTreeSet<ObjectId>,
    /// Objects of which there may be pointers to elements, and not only to the start.
    moved: BTreeSet<ObjectId>,
    pub(crate) is_outline: bool,
    /// Of outlines: which pointers of the thread point to new objects, and where in its code this is.
    fresh: Fresh,
    at: Option<At>,
    joined_all: JoinedAll,
    /// Of outlines: objects that are divided among threads of a kind.
    apart: Apart,
    pub(crate) startables: Vec<Option<Startable>>,
    pub(crate) lives: Option<Lives>,
    /// What a thread returned, by its identity, where somebody asks for it.
    pub(crate) results: Option<SharedId>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What edges do is kept.
    draws: bool,
    operations: BTreeMap<EdgeId, Vec<Operation>>,
    /// Steps that commute are merged.
    merges: bool,
    /// Plain integers of 64 bits, which are accessed in two halves: others may come in between.
    torn: BTreeSet<LeafId>,
    /// Edges that access what nobody else knows of yet.
    own_edges: BTreeSet<usize>,
    /// What is emitted is the rest of an access.
    is_second_half: bool,
    /// Where each edge comes from.
    places: Vec<Option<At>>,
    /// Edges that create, start, end or join a thread, and what they commute with.
    life_edges: BTreeMap<usize, merge::Kind>,
    /// Points that others see in any case.
    fixed: BTreeSet<LocationId>,
    /// For each thread where it is when its execution has ended.
    all_stopped: Vec<LocationId>,
    // Of the thread that is being emitted:
    pub(crate) thread: ThreadIndex,
    pub(crate) routine: RoutineId,
    pub(crate) here: LocationId,
    pub(crate) stopped: LocationId,
    exit: LocationId,
    blocks: Vec<LocationId>,
    pub(crate) block: usize,
    pub(crate) atomic: u32,
    locals: Vec<LocalVar>,
    free_temporaries: Vec<LocalId>,
    used_temporaries: Vec<LocalId>,
    /// What people are told of the edges that come next.
    saying: Told,
    function: Arc<str>,
    wording: Option<telling::Wording>,
    /// Of the loop that comes next.
    loop_invariants: Vec<Expr>,
    /// What is evaluated now is a formula: it takes no steps.
    pub(crate) is_formula: bool,
    /// It is a contract: about a thread that is not the running one.
    is_contract: bool,
    /// The address of the object that it is about.
    meant: Option<i64>,
}

impl<'a> Emitter<'a> {
    #[allow(clippy::too_many_arguments)]
    fn new(
        code: &'a Code,
        options: &Options,
        threads: &'a Threads,
        objects: &'a Objects,
        points: Points<'a>,
        accesses: &'a Accesses,
        sites: &'a [Site],
        depths: &'a [Vec<u32>],
    ) -> Emitter<'a> {
        Emitter {
            code,
            checks: options.checks,
            threads,
            objects,
            points,
            accesses,
            sites,
            depths,
            program: Program::empty(code.source.clone()),
            edges: Vec::new(),
            told: Vec::new(),
            told_functions: Vec::new(),
            has_unknown_pointers: variables::has_unknown_pointers(code, threads),
            has_guesses: unsure::has_guesses(threads),
            pointers: Pointers { sort: Sort::Bits(crate::layout::ADDRESS) },
            late: BTreeSet::new(),
            early: Vec::new(),
            kept: BTreeMap::new(),
            visible: BTreeSet::new(),
            alive: BTreeMap::new(),
            reborn: Vec::new(),
            eras: BTreeMap::new(),
            chosen: BTreeMap::new(),
            used: BTreeMap::new(),
            counts: BTreeMap::new(),
            aside: BTreeMap::new(),
            moved: BTreeSet::new(),
            vague: if options.outline { vague::vague_objects(objects, sites) } else { BTreeSet::new() },
            is_outline: options.outline,
            fresh: Fresh::default(),
            at: None,
            joined_all: JoinedAll::new(),
            apart: Apart::default(),
            startables: Vec::new(),
            lives: None,
            results: None,
            diagnostics: Vec::new(),
            draws: false,
            operations: BTreeMap::new(),
            merges: options.movers && merge::is_unseen(code, options),
            torn: BTreeSet::new(),
            own_edges: BTreeSet::new(),
            is_second_half: false,
            places: Vec::new(),
            life_edges: BTreeMap::new(),
            fixed: BTreeSet::new(),
            all_stopped: Vec::new(),
            thread: ThreadIndex(0),
            routine: RoutineId(0),
            here: LocationId(0),
            stopped: LocationId(0),
            exit: LocationId(0),
            blocks: Vec::new(),
            block: 0,
            atomic: 0,
            locals: Vec::new(),
            free_temporaries: Vec::new(),
            used_temporaries: Vec::new(),
            saying: Told::Private,
            function: Arc::default(),
            wording: None,
            loop_invariants: Vec::new(),
            is_formula: false,
            is_contract: false,
            meant: None,
        }
    }

    fn finish(mut self) -> (Program, Vec<Diagnostic>, Atlas, BTreeSet<LeafId>) {
        let mut telling = self.telling();
        unread::forget(&mut self.program, &mut self.edges, &mut telling);
        if self.merges {
            self.merge_steps();
        }
        let tearable = self.tearable();
        let atlas = if self.draws { self.atlas() } else { Atlas::default() };
        let mut program = self.program;
        program.telling = (!self.is_outline).then(|| Arc::new(telling));
        program.edges = Arc::new(self.edges);
        (threadwise_validate::finished(program), self.diagnostics, atlas, tearable)
    }

    /// Declares the templates and the variables that are there for all threads.
    fn declare(&mut self) {
        for thread in self.threads.indices() {
            let of = self.threads.get(thread);
            let copies = match of.copies {
                _ if of.is_entry => Copies::Single,
                Number::Exactly(count) => Copies::Exactly(count as u32),
                Number::Any => Copies::Any,
            };
            let span = self.code.function(of.flat.root).span;
            let body = RoutineId(thread.0);
            self.program.templates.push(Template { name: of.name.clone(), copies, body, span });
            self.program.routines.push(Routine::new(of.name.clone()));
        }
        for thread in self.threads.indices() {
            let of = self.threads.get(thread);
            let startable = (!of.is_entry).then(|| {
                let function = self.code.function(of.flat.root);
                let sort = self.pointers.sort.clone();
                let parameter = |variable: &crate::code::Variable| Parameter {
                    name: variable.name.clone(),
                    sort: sort.clone(),
                    span: variable.span,
                };
                let parameters = function.locals.iter().take(function.params.min(1)).map(parameter).collect();
                let template = TemplateId(thread.0);
                match of.copies {
                    // Engines that need a number of copies that stands for all do not look at outlines.
                    Number::Any if !self.is_outline => Startable::any_number(&mut self.program, template, parameters),
                    Number::Exactly(_) | Number::Any => {
                        let lives = self.lives.get_or_insert_with(|| Lives::declare(&mut self.program, function.span));
                        lives.add(&mut self.program, template, parameters)
                    }
                }
            });
            self.startables.push(startable);
        }
        self.declare_variables();
    }
}

pub(crate) fn guarded(guard: Expr) -> Command {
    Command { guard: Some(Box::new(guard)), ..Command::default() }
}

pub(crate) fn assigned(assignments: Vec<(Place, Value)>) -> Command {
    Command { update: Update::Assign(assignments.into()), ..Command::default() }
}
