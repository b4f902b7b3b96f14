//! From laid-out code to locations and edges.
//!
//! Each access to memory that another thread may reach starts at a location of its own, which others see; everything else
//! belongs to the step before it: its locations are transient. Heads of loops are seen by others too, so that no step
//! runs for ever.

mod access;
mod annotate;
mod chart;
mod inputs;
mod leaks;
mod library;
mod lifetimes;
mod live;
mod locks;
mod merge;
mod monitors;
mod movers;
mod races;
mod telling;
mod unfold;
mod unread;
mod unsure;
mod vague;
mod values;
mod variables;

use crate::atlas::{Atlas, Operation};
use crate::code::{BlockId, Callee, Code, End, Failure, FunctionId, Instruction, InstructionKind, Language};
use crate::fresh::Fresh;
use crate::joins::{JoinedAll, joined_all};
use crate::layout::{Accesses, Pointers, accesses, escaping};
use crate::objects::{LeafId, ObjectId, Objects, SiteId, Storage, ThreadIndex};
use crate::points::Points;
use crate::terms::{is_false, is_true, not, or};
use crate::threads::{At, Number, Site, Threads, discover, loop_heads, sites};
use crate::{Checks, Lowered, Options};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_ir::{
    AssertionKind, Command, Copies, Edge, EdgeId, Expr, LocalId, LocalVar, Location, LocationId, Op, Place, Program,
    Property, Routine, RoutineId, SharedId, Sort, Template, TemplateId, Told, Update, Value, Wait,
};
use threadwise_source::{Diagnostic, Span};
use threadwise_spawn::{Lives, Parameter, Startable};
use variables::Kept;

type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A pointer that was never set.
pub(crate) const INDETERMINATE: i64 = 1;
/// A pointer of which nobody knows where it points to.
pub(crate) const UNKNOWN: i64 = 2;

pub(crate) fn lower(
    code: &Code,
    options: &Options,
    apart: &BTreeSet<FunctionId>,
    draws: bool,
) -> Fallible<(Lowered, Atlas)> {
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
            return lower(code, options, &apart, draws);
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
    let mut emitter = Emitter::new(code, options, &threads, &objects, points, &accesses, &sites, &depths);
    emitter.joined_all = joined_all;
    emitter.draws = draws;
    emitter.declare();
    for thread in threads.indices() {
        emitter.thread(thread)?;
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
    let (program, diagnostics, atlas) = emitter.finish();
    let (few_objects, open_calls) = (few_objects(&threads, &sites), open_calls(&threads));
    Ok((Lowered { program: Some(program), diagnostics, few_objects, open_calls }, atlas))
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
    /// The variables that stand for leaves.
    pub(crate) kept: BTreeMap<LeafId, Kept>,
    pub(crate) visible: BTreeSet<LeafId>,
    /// Of objects whose lives end: whether they are alive.
    pub(crate) alive: BTreeMap<ObjectId, SharedId>,
    /// Of pools: how many of their objects have ever been used.
    pub(crate) used: BTreeMap<ObjectId, SharedId>,
    /// Of pools whose objects differ in how many elements they have: how many each has.
    pub(crate) counts: BTreeMap<ObjectId, SharedId>,
    /// Of pools that may have to use freed objects again: the one that is never used again, plus one.
    pub(crate) aside: BTreeMap<ObjectId, SharedId>,
    /// Of outlines: the objects that are not kept apart.
    vague: BTreeSet<ObjectId>,
    pub(crate) is_outline: bool,
    /// Of outlines: which pointers of the thread point to new objects, and where in its code this is.
    fresh: Fresh,
    at: Option<At>,
    joined_all: JoinedAll,
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
            kept: BTreeMap::new(),
            visible: BTreeSet::new(),
            alive: BTreeMap::new(),
            used: BTreeMap::new(),
            counts: BTreeMap::new(),
            aside: BTreeMap::new(),
            vague: if options.outline { vague::vague_objects(objects, sites) } else { BTreeSet::new() },
            is_outline: options.outline,
            fresh: Fresh::default(),
            at: None,
            joined_all: JoinedAll::new(),
            startables: Vec::new(),
            lives: None,
            results: None,
            diagnostics: Vec::new(),
            draws: false,
            operations: BTreeMap::new(),
            merges: options.movers && merge::is_unseen(code, options),
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
        }
    }

    fn finish(mut self) -> (Program, Vec<Diagnostic>, Atlas) {
        let mut telling = self.telling();
        unread::forget(&mut self.program, &mut self.edges, &mut telling);
        if self.merges {
            self.merge_steps();
        }
        let atlas = if self.draws { self.atlas() } else { Atlas::default() };
        let mut program = self.program;
        program.telling = (!self.is_outline).then(|| Arc::new(telling));
        program.edges = Arc::new(self.edges);
        (threadwise_validate::finished(program), self.diagnostics, atlas)
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

    fn thread(&mut self, thread: ThreadIndex) -> Fallible<()> {
        let of = self.threads.get(thread);
        let function = self.code.function(of.flat.root);
        self.thread = thread;
        self.routine = RoutineId(thread.0);
        self.locals = self.declare_locals(thread);
        self.free_temporaries.clear();
        self.atomic = 0;
        self.fresh = if self.is_outline { Fresh::of(self.threads, thread) } else { Fresh::default() };
        self.at = None;
        let first_location = self.program.locations.len();
        let first_edge = self.edges.len();
        let entry = self.fresh(function.span);
        self.location(entry).transient = false;
        // A thread that nobody starts is not stuck.
        if !of.is_entry {
            self.location(entry).wait = Wait::IsMeant;
        }
        let exit = self.fresh(function.end);
        self.location(exit).transient = false;
        self.exit = exit;
        self.stopped = self.fresh(function.end);
        self.location(self.stopped).transient = false;
        // Where the process has ended, nobody waits.
        self.goes_on_for_ever(self.stopped);
        self.all_stopped.push(self.stopped);
        self.fixed.extend([entry, exit, self.stopped]);
        let heads = loop_heads(&of.flat);
        self.blocks = Vec::new();
        for (index, block) in of.flat.blocks.iter().enumerate() {
            let span = block.instructions.first().map_or(block.span, |first| first.span);
            let at = self.fresh(span);
            self.blocks.push(at);
            if heads[index] && self.depths[thread.index()][index] == 0 {
                self.location(at).transient = false;
                self.fixed.insert(at);
            }
            if let Some(label) = &block.label {
                self.location(at).labels = Box::new([label.clone()]);
            }
        }
        self.here = entry;
        self.saying = Told::Start;
        self.function = function.name.clone();
        self.first_steps(thread, function.span)?;
        self.live(Some(0), true, function.span);
        let first = self.blocks[0];
        self.skip_to(first);
        for (index, block) in of.flat.blocks.iter().enumerate() {
            self.block = index;
            self.function = self.code.function(of.flat.calls[of.flat.call_of[index]].function).name.clone();
            self.here = self.blocks[index];
            self.atomic = self.depths[thread.index()][index];
            for (instruction, number) in block.instructions.iter().zip(0..) {
                let at = At { thread, block: index as u32, instruction: number };
                self.at = Some(at);
                self.saying = match &instruction.kind {
                    InstructionKind::Library(_) | InstructionKind::Call { .. } => Told::Text,
                    InstructionKind::Assert(e, _) | InstructionKind::Assume(e) | InstructionKind::AtomicWhen(e) => {
                        self.words_of_condition(e)
                    }
                    InstructionKind::Declare(_)
                    | InstructionKind::Assign { .. }
                    | InstructionKind::Copy { .. }
                    | InstructionKind::Clear(_)
                    | InstructionKind::LoopInvariant(_)
                    | InstructionKind::AtomicBegin
                    | InstructionKind::AtomicEnd => Told::Private,
                };
                self.instruction(at, instruction)?;
                self.statement_ends();
            }
            self.at = Some(At { thread, block: index as u32, instruction: block.instructions.len() as u32 });
            self.saying = match &block.end {
                End::Branch(e, ..) | End::Switch(e, ..) => self.words_of_condition(e),
                End::Return(_) => Told::End,
                End::Goto(_) | End::Exit | End::Unreachable => Told::Private,
            };
            let invariants = std::mem::take(&mut self.loop_invariants);
            if let (End::Goto(to), false) = (&block.end, invariants.is_empty()) {
                self.location(self.blocks[to.index()]).invariants = invariants.into();
            }
            self.end(&block.end, block.span, exit)?;
            self.statement_ends();
        }
        let routine = &mut self.program.routines[thread.index()];
        (routine.entry, routine.exit) = (entry, exit);
        routine.locals = std::mem::take(&mut self.locals);
        for copied in inputs::narrow(&mut self.program, &mut self.edges, self.routine, first_edge) {
            self.told.push(self.told[copied].clone());
            self.told_functions.push(self.told_functions[copied].clone());
            self.places.push(self.places[copied]);
            self.does_the_same(copied, self.told.len() - 1);
        }
        live::tidy(&mut self.program, &mut self.edges, self.routine, first_location, first_edge);
        if self.is_outline {
            unfold::unfold(&mut self.program, &mut self.edges, self.routine, first_location, first_edge);
            // Nobody is told of outlines; there is something for each edge all the same.
            self.told.resize(self.edges.len(), Told::Private);
            self.told_functions.resize(self.edges.len(), self.function.clone());
            self.places.resize(self.edges.len(), None);
        }
        Ok(())
    }

    fn instruction(&mut self, at: At, instruction: &Instruction) -> Fallible<()> {
        let span = instruction.span;
        match &instruction.kind {
            InstructionKind::Declare(local) => self.declare_local(*local, span),
            InstructionKind::Assign { to, value } => self.assign(to, value, span)?,
            InstructionKind::Copy { to, from } => self.copy(to, from, span)?,
            InstructionKind::Clear(place) => self.clear(place, span)?,
            InstructionKind::Call { callee, args, result } => {
                debug_assert!(matches!(callee, Callee::Function(_)), "pointers were replaced by functions");
                self.unknown_function(args, result.as_ref(), span)?;
            }
            InstructionKind::Assert(e, failure) => {
                let condition = self.condition(e)?;
                match self.is_outline && *failure == Failure::Beyond && self.calls_one_of(e) {
                    true => self.assume(condition, span),
                    false => self.check(condition, kind_of(*failure), span),
                }
            }
            InstructionKind::Assume(e) => {
                let condition = self.condition(e)?;
                self.assume(condition, span);
            }
            InstructionKind::AtomicBegin => {
                self.seen();
                // The region runs to its end, or the execution ends in it: nobody waits here.
                if self.atomic == 0 {
                    self.goes_on_for_ever(self.here);
                }
                self.atomic += 1;
            }
            InstructionKind::AtomicWhen(e) => {
                self.may_wait(span);
                self.seen();
                self.atomic += 1;
                let condition = self.condition(e)?;
                self.step(guarded(condition), span);
            }
            InstructionKind::AtomicEnd => self.atomic = self.atomic.saturating_sub(1),
            InstructionKind::LoopInvariant(_) if self.is_outline => {}
            InstructionKind::LoopInvariant(e) => self.expect_loop(e)?,
            InstructionKind::Library(library) => self.library(at, library, span)?,
        }
        Ok(())
    }

    fn end(&mut self, end: &End, span: Span, exit: LocationId) -> Fallible<()> {
        match end {
            End::Goto(to) => {
                self.goes_to(to.index(), span);
                let to = self.blocks[to.index()];
                self.skip_to(to);
            }
            End::Branch(e, yes, no) => {
                let (yes, no) = (self.blocks[yes.index()], self.blocks[no.index()]);
                let ended = self.joined_all.get(&(self.thread, self.block)).cloned();
                let (Some(lives), Some(ended)) = (self.lives.clone(), ended) else {
                    return self.branch(e, yes, no, span);
                };
                let joined = self.fresh(span);
                self.branch(e, yes, joined, span)?;
                self.here = joined;
                for kind in ended {
                    self.step(guarded(lives.nobody_runs(TemplateId(kind.0), span)), span);
                }
                self.skip_to(no);
            }
            End::Switch(e, cases, rest) => self.switch(e, cases, *rest, span)?,
            // Where main returns, the process ends.
            End::Return(_) if self.checks.memtrack && self.is_main() => {
                self.look_for_leaks(false, span);
                self.end_thread(exit, span);
            }
            End::Return(_) if self.checks.deadlock && self.is_main() && self.code.language == Language::C => {
                self.skip_to(self.stopped)
            }
            End::Return(_) => {
                // Where main returns, everybody ends: nobody sees that its variables do.
                if !self.is_main() {
                    self.live(None, false, span);
                }
                self.end_thread(exit, span);
            }
            End::Exit | End::Unreachable => self.stop_when(self.here, Expr::bool(true, span), Span::default()),
        }
        Ok(())
    }

    fn switch(&mut self, e: &crate::code::Expr, cases: &[(i64, BlockId)], rest: BlockId, span: Span) -> Fallible<()> {
        let value = self.value(e)?;
        let value = self.simple(value, span);
        let mut none = Expr::bool(false, span);
        for (case, to) in cases {
            let is_it = crate::terms::equal(value.clone(), Expr::constant(*case, value.sort, span));
            none = or(none, is_it.clone());
            self.edge(self.here, self.blocks[to.index()], guarded(is_it), span, None);
        }
        self.edge(self.here, self.blocks[rest.index()], guarded(not(none)), span, None);
        Ok(())
    }

    // The graph.

    pub(crate) fn fresh(&mut self, span: Span) -> LocationId {
        let id = LocationId(self.program.locations.len() as u32);
        let mut location = Location::new(self.routine, span);
        location.transient = true;
        // Who waits for whom is looked at where deadlocks are errors, and only then is the end of the process known for one.
        location.wait = if self.checks.deadlock { Wait::Counts } else { Wait::IsMeant };
        self.program.locations.push(location);
        id
    }

    fn location(&mut self, id: LocationId) -> &mut Location {
        &mut self.program.locations[id.index()]
    }

    /// Other threads can see that this one is here.
    pub(crate) fn seen(&mut self) {
        if self.atomic == 0 {
            let here = self.here;
            self.location(here).transient = false;
        }
    }

    pub(crate) fn edge(
        &mut self,
        from: LocationId,
        to: LocationId,
        command: Command,
        span: Span,
        branch: Option<bool>,
    ) {
        if command.assertions.is_empty() && command.guard.as_deref().is_some_and(is_false) {
            return;
        }
        let guard = command.guard.filter(|guard| !is_true(guard));
        let id = EdgeId(self.edges.len() as u32);
        let op = Op::Command(Command { guard, ..command });
        self.edges.push(Edge { from, to, op, span, branch, atomic: false });
        self.told.push(self.saying.clone());
        self.told_functions.push(self.function.clone());
        self.places.push(self.at);
        self.location(from).edges.push(id);
    }

    /// One step, after which the code goes on.
    pub(crate) fn step(&mut self, command: Command, span: Span) {
        let to = self.fresh(span);
        self.edge(self.here, to, command, span, None);
        self.here = to;
    }

    /// Goes on elsewhere, which is nothing that the user wrote.
    pub(crate) fn skip_to(&mut self, to: LocationId) {
        self.edge(self.here, to, Command::default(), Span::default(), None);
    }

    /// Fails where a condition does not hold, if that is looked for; else the execution ends there.
    pub(crate) fn check(&mut self, condition: Expr, kind: AssertionKind, span: Span) {
        // In Java there are exceptions in place of these errors: the front end has asked before.
        let is_asked =
            self.code.language == Language::Java && matches!(kind, AssertionKind::Memory | AssertionKind::Arithmetic);
        if is_true(&condition) || is_asked {
            return;
        }
        if !self.looks_for(kind) {
            return self.assume(condition, span);
        }
        let command = Command { assertions: self.assertions(condition.clone(), kind, span), ..guarded(condition) };
        self.step(command, span);
    }

    pub(crate) fn looks_for(&self, kind: AssertionKind) -> bool {
        match kind {
            AssertionKind::Assert => self.checks.assertions,
            AssertionKind::Memory => self.checks.memory,
            AssertionKind::Arithmetic => self.checks.overflow,
            AssertionKind::Release | AssertionKind::Lock => self.checks.locks,
            AssertionKind::Exception => self.checks.exceptions,
            AssertionKind::Start | AssertionKind::Join | AssertionKind::Beyond => true,
        }
    }

    /// A thread that is here does not wait, as far as deadlocks are looked for.
    fn goes_on_for_ever(&mut self, at: LocationId) {
        if self.checks.deadlock {
            self.edge(at, at, Command::default(), Span::default(), None);
        }
    }

    /// Something that may wait. Inside of an atomic region it is not known who waits then.
    pub(crate) fn may_wait(&mut self, span: Span) {
        if self.checks.deadlock && self.atomic > 0 {
            self.check(Expr::bool(false, span), AssertionKind::Beyond, span);
        }
    }

    /// A start of one of any number of copies waits here until one has taken notice of the start before.
    pub(crate) fn waits_for_copies(&mut self) {
        let here = self.here;
        self.location(here).wait = Wait::IsForCopies;
    }

    /// Whether the thread is the one whose return ends the process.
    fn is_main(&self) -> bool {
        self.thread.index() == 0 && self.code.entries.len() == 1
    }

    /// The execution ends where a condition does not hold.
    pub(crate) fn assume(&mut self, condition: Expr, span: Span) {
        if is_true(&condition) {
            return;
        }
        // Where it ends in any case, nothing that the user wrote is done.
        let of = if is_false(&condition) { Span::default() } else { span };
        self.stop_when(self.here, not(condition.clone()), of);
        self.step(guarded(condition), span);
    }

    /// The execution ends, without an error, where a condition holds. In the middle of an atomic region there is no state
    /// that others could see: what the region did so far happened in no execution that goes on.
    pub(crate) fn stop_when(&mut self, from: LocationId, condition: Expr, span: Span) {
        if self.atomic == 0 {
            self.edge(from, self.stopped, guarded(condition), span, None);
        }
    }

    // Temporaries.

    pub(crate) fn temporary(&mut self, sort: &Sort, span: Span) -> LocalId {
        let position = self.free_temporaries.iter().position(|id| self.locals[id.index()].sort == *sort);
        let id = match position {
            Some(position) => self.free_temporaries.swap_remove(position),
            None => self.temporary_of_its_own(sort, span),
        };
        self.used_temporaries.push(id);
        id
    }

    /// A temporary that is used for nothing else: it can be seen what becomes of its value.
    pub(crate) fn temporary_of_its_own(&mut self, sort: &Sort, span: Span) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        let name = format!("tmp{}", self.locals.len()).into();
        self.locals.push(LocalVar { name, sort: sort.clone(), span });
        id
    }

    fn statement_ends(&mut self) {
        self.free_temporaries.append(&mut self.used_temporaries);
        self.free_temporaries.sort_unstable();
    }
}

pub(crate) fn guarded(guard: Expr) -> Command {
    Command { guard: Some(Box::new(guard)), ..Command::default() }
}

pub(crate) fn assigned(assignments: Vec<(Place, Value)>) -> Command {
    Command { update: Update::Assign(assignments.into()), ..Command::default() }
}

fn kind_of(failure: Failure) -> AssertionKind {
    match failure {
        Failure::Assertion => AssertionKind::Assert,
        Failure::Overflow => AssertionKind::Arithmetic,
        Failure::Memory => AssertionKind::Memory,
        Failure::Lock => AssertionKind::Lock,
        Failure::Exception => AssertionKind::Exception,
        Failure::Beyond => AssertionKind::Beyond,
    }
}
