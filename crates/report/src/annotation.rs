//! Modular proofs in the words of the program: what holds where, and what each thread does to the
//! shared variables.

use crate::formula::Formula;
use crate::guarantee::{Guarded, guarantee};
use crate::numbers::show_count;
use crate::view::{Names, Part, Table, is_replicated, local_parts, permutations, shared_parts};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::{Annotation, FrontierProof, ModularProof, Proof, ThreadAnnotation};
use threadwise_ir::{
    Assertion, AssertionKind, Control, Copies, Edge, Instance, LocationId, Op, Program, RoutineId, Store, TemplateId,
    ThreadId,
};
use threadwise_print::show_edge;
use threadwise_source::Span;

/// A statement beside an assertion is cut to this many characters.
const MAX_STATEMENT: usize = 36;

/// Of more states than this at one location no formula is made.
const MAX_STATES: usize = 200_000;

/// Of more calls under way than this the outer ones are only counted.
const MAX_CALLS: usize = 8;

/// A modular proof in words.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProofText {
    /// What each thread's states can be.
    pub(crate) threads: Vec<ThreadText>,
    /// How many of their locations were left out.
    pub(crate) left_out: usize,
    /// How many threads were not looked at, since there was no room for any of their locations.
    pub(crate) threads_left_out: usize,
    /// The proof is a sequence of this many sets, and the assertions speak of their union.
    pub(crate) iterates: Option<usize>,
}

/// What the states of a thread can be, and what it does.
#[derive(Clone, Debug)]
pub(crate) struct ThreadText {
    /// `Worker[4]`.
    pub(crate) name: String,
    /// `for any number of copies`.
    pub(crate) remark: Option<String>,
    /// What holds where.
    pub(crate) places: Vec<Place>,
    /// What its steps do to the shared variables; `None` if it was too much to compute.
    pub(crate) guarantee: Option<Vec<Guarded>>,
}

/// What holds at a control location.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The procedure, where it is not the thread's own code.
    pub(crate) procedure: Option<String>,
    /// Where the procedures that are under way were called, the innermost first, as far as that helps.
    pub(crate) calls: Vec<Span>,
    /// The same in words.
    pub(crate) called_at: String,
    /// The labels and the statement that is next.
    pub(crate) text: String,
    /// Where the statement stands.
    pub(crate) span: Span,
    /// The same in words.
    pub(crate) position: String,
    /// What holds there.
    pub(crate) assertion: Formula,
    /// It has a label, or an assertion is checked or a lock taken or given back there: what readers look for first.
    pub(crate) is_telling: bool,
}

/// Puts a modular proof into words; other proofs have none. At most so many locations are looked at, and threads of which there
/// would be none are only counted.
pub(crate) fn proof_text(program: &Arc<Program>, proof: &Proof, most: usize) -> Option<ProofText> {
    match proof {
        Proof::Modular(proof) => Some(modular_text(program, proof, most)),
        Proof::Frontier(proof) => Some(frontier_text(program, proof, most)),
        Proof::Reachable(_)
        | Proof::Cartesian(_)
        | Proof::Conformance(_)
        | Proof::Formulas(_)
        | Proof::Protection(_)
        | Proof::Hierarchy(_)
        | Proof::Coverability(_)
        | Proof::Schedules(_) => None,
    }
}

/// The case with the most copies says it all.
fn modular_text(program: &Arc<Program>, proof: &ModularProof, most: usize) -> ProofText {
    let mut text = ProofText::default();
    let size = |case: &&Annotation| case.copies.iter().map(|&n| u64::from(n)).sum::<u64>();
    let Some(case) = proof.cases.iter().max_by_key(size) else {
        return text;
    };
    let instance = Instance::with_copies(program.clone(), &case.copies);
    let symmetry = program.symmetry();
    for (index, annotation) in case.threads.iter().enumerate() {
        let id = TemplateId(index as u32);
        let copies = instance.copies_of(id);
        if copies.is_empty() {
            continue;
        }
        let thread = ThreadId(copies.start as u32);
        if text.room(most) == 0 {
            text.threads_left_out += 1;
            continue;
        }
        let names = Names::up_to_symmetry(&instance, &symmetry, thread);
        let told = View { instance: &instance, names: &names }.tell(thread, annotation, most, &mut text);
        let copies = program.template(id).copies;
        let remark = remark(copies, case.copies[index], !names.permuted.is_empty());
        text.threads.push(ThreadText { name: template_name(program, id), remark, ..told });
    }
    text
}

fn frontier_text(program: &Arc<Program>, proof: &FrontierProof, most: usize) -> ProofText {
    let instance = Instance::new(program.clone(), 0);
    let mut text = ProofText { iterates: Some(proof.iterates.len()), ..ProofText::default() };
    for index in 0..instance.threads.len() {
        let thread = ThreadId(index as u32);
        let names = Names::exact(&instance, thread);
        let view = View { instance: &instance, names: &names };
        let states = proof.iterates.iter().filter_map(|tuple| tuple.get(index)).flatten();
        let places = view.places(states, instance.body(thread), most, &mut text);
        let name = instance.tid_name(index as i64 + 1);
        text.threads.push(ThreadText { name, remark: None, places, guarantee: Some(Vec::new()) });
    }
    text
}

/// `P`, `W[4]`, `W[*]`.
pub(crate) fn template_name(program: &Program, id: TemplateId) -> String {
    let template = program.template(id);
    match template.copies {
        Copies::Single => template.name.to_string(),
        Copies::Exactly(n) => format!("{}[{n}]", template.name),
        Copies::Any => format!("{}[*]", template.name),
    }
}

fn remark(declared: Copies, shown: u32, by_number: bool) -> Option<String> {
    let mut remarks = Vec::new();
    match declared {
        Copies::Any => remarks.push("for any number of copies".to_string()),
        Copies::Exactly(n) if n > shown => remarks.push(format!("{n} copies ({shown} stand for them all)")),
        _ => {}
    }
    if by_number {
        remarks.push("numbered copies may change places".to_string());
    }
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

/// How the states of a thread are looked at.
pub(crate) struct View<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) names: &'a Names,
}

/// Where a thread is: procedures by number, so that the thread's own code comes first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Spot {
    pub(crate) procedure: Option<RoutineId>,
    /// The calls under way, the innermost first.
    pub(crate) calls: Vec<i64>,
    is_end: bool,
    pub(crate) location: LocationId,
}

type States<'s> = Vec<(&'s Store, &'s Store)>;

/// All of a thread's states.
fn states(annotation: &ThreadAnnotation) -> impl Iterator<Item = &(Store, Vec<Store>)> {
    annotation.contexts.iter().flat_map(|context| &context.states)
}

/// The states of a thread by where it is: the locations of its own code that others can see it at, and wherever else it gets.
fn spots<'s>(
    instance: &Instance,
    body: RoutineId,
    states: impl Iterator<Item = &'s (Store, Vec<Store>)>,
) -> BTreeMap<Spot, States<'s>> {
    let program = &instance.program;
    let own = program.locations_of(body).filter(|(_, location)| !location.transient);
    let exit = program.routine(body).exit;
    let spot = |location| Spot { procedure: None, calls: Vec::new(), is_end: location == exit, location };
    let mut spots: BTreeMap<Spot, States<'s>> = own.map(|(location, _)| (spot(location), Vec::new())).collect();
    for (shared, locals) in states {
        for local in locals {
            spots.entry(Spot::of(instance, body, local)).or_default().push((shared, local));
        }
    }
    // That a thread without an end does not get there is no news.
    spots.retain(|spot, states| !(spot.is_end && states.is_empty()));
    spots
}

impl Spot {
    /// Where a thread with this code and this local state is.
    pub(crate) fn of(instance: &Instance, body: RoutineId, local: &[i64]) -> Spot {
        let location = instance.location_of(local);
        let routine = instance.program.location(location).routine;
        let calls = instance.frames(local).skip(1).map(|frame| frame.control.word());
        Spot {
            procedure: (routine != body).then_some(routine),
            calls: calls.collect(),
            is_end: location == instance.program.routine(routine).exit,
            location,
        }
    }

    /// Where the innermost calls are.
    fn innermost<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = Span> + 'a {
        let calls = self.calls.iter().filter_map(|&word| match Control::of_word(word) {
            Control::Calling(edge) => Some(program.edge(edge).span),
            Control::At(_) => None,
        });
        calls.take(MAX_CALLS)
    }

    /// `20:5`, `20:5 from 31:9`, `20:5 from … and 12 more`.
    pub(crate) fn called_at(&self, program: &Program) -> String {
        let calls: Vec<String> = self.innermost(program).map(|span| program.source.locate_briefly(span)).collect();
        match self.calls.len() - calls.len() {
            0 => calls.join(" from "),
            more => format!("{} and {} more", calls.join(" from "), show_count(more as u64)),
        }
    }
}

impl ProofText {
    /// How many more locations are looked at, if at most so many are.
    fn room(&self, most: usize) -> usize {
        most.saturating_sub(self.threads.iter().map(|thread| thread.places.len()).sum())
    }
}

impl View<'_> {
    /// What holds where, and what the thread's steps do. Its name is not said.
    pub(crate) fn tell(
        &self,
        thread: ThreadId,
        annotation: &ThreadAnnotation,
        most: usize,
        text: &mut ProofText,
    ) -> ThreadText {
        ThreadText {
            name: String::new(),
            remark: None,
            places: self.places(states(annotation), self.instance.body(thread), most, text),
            guarantee: guarantee(self.instance, self.names, thread, annotation),
        }
    }

    /// What holds where, as long as there is room for more in the text.
    fn places<'s>(
        &self,
        states: impl Iterator<Item = &'s (Store, Vec<Store>)>,
        body: RoutineId,
        most: usize,
        text: &mut ProofText,
    ) -> Vec<Place> {
        let spots = spots(self.instance, body, states);
        let room = text.room(most);
        text.left_out += spots.len().saturating_sub(room);
        spots.iter().take(room).map(|(spot, states)| self.place(spot, states)).collect()
    }

    fn place(&self, spot: &Spot, states: &States<'_>) -> Place {
        let program = &self.instance.program;
        let span = program.location(spot.location).span;
        Place {
            procedure: spot.procedure.map(|id| program.routine(id).name.to_string()),
            called_at: spot.called_at(program),
            calls: spot.innermost(program).collect(),
            text: self.statement(spot),
            span,
            position: program.source.locate_briefly(span),
            assertion: self.assertion(spot, states),
            is_telling: is_telling(program, spot.location),
        }
    }

    /// `critical: x = 1;`, `end`.
    fn statement(&self, spot: &Spot) -> String {
        let program = &self.instance.program;
        let location = program.location(spot.location);
        let mut text: String = location.labels.iter().map(|label| format!("{label}: ")).collect();
        if spot.is_end {
            text.push_str("end");
            return text;
        }
        let span = location.edges.first().map_or(location.span, |&edge| program.edge(edge).span);
        let statement = program.source.snippet(span, MAX_STATEMENT);
        match statement.as_str() {
            "atomic" => text.push_str(&self.atomic(spot.location)),
            // The end of a procedure.
            "}" => text.push_str("return"),
            "" => text.push_str(location.edges.first().map(|&e| show_edge(program, e)).as_deref().unwrap_or("end")),
            statement => text.push_str(statement),
        }
        text
    }

    /// `atomic { x = 1; …`
    fn atomic(&self, location: LocationId) -> String {
        let program = &self.instance.program;
        let first = |location: LocationId| program.location(location).edges.first().map(|&id| program.edge(id));
        let inside = first(location).and_then(|edge| first(edge.to));
        let inside = inside.map_or_else(String::new, |edge| program.source.snippet(edge.span, MAX_STATEMENT - 11));
        format!("atomic {{ {inside} …")
    }

    fn assertion(&self, spot: &Spot, states: &States<'_>) -> Formula {
        if states.len() > MAX_STATES {
            return Formula::TooMany(states.len());
        }
        let mut table = Table::new(self.instance, self.names, self.parts(spot));
        let mut known: BTreeSet<(&Store, &[i64])> = BTreeSet::new();
        let mut count = 0;
        for (shared, local) in states {
            if !known.insert((shared, local)) {
                continue;
            }
            let frames: Vec<&[i64]> = self.instance.frames(local).map(|frame| frame.words).collect();
            let Some(alike) = permutations(self.instance, self.names, shared) else {
                return Formula::TooMany(states.len());
            };
            // What a proof says up to permutations may be many times as much in words.
            count += alike.len();
            for shared in alike.iter().take_while(|_| count <= MAX_STATES) {
                table.add(&[&[&shared[..]], &frames[..]].concat());
            }
        }
        if count > MAX_STATES { Formula::TooMany(count) } else { table.formula() }
    }

    /// The variables in scope: shared ones, those of the running routine, those of its callers.
    pub(crate) fn parts(&self, spot: &Spot) -> Vec<(usize, Part)> {
        let program = &self.instance.program;
        let mut runs = vec![shared_parts(self.instance, self.names)];
        let here = program.location(spot.location);
        runs.push(local_parts(self.instance, self.names, here.routine, &here.dead, ""));
        for &word in &spot.calls {
            let at = match Control::of_word(word) {
                Control::Calling(edge) => program.edge(edge).from,
                Control::At(location) => location,
            };
            let caller = program.location(at);
            let prefix = format!("{}.", program.routine(caller.routine).name);
            runs.push(local_parts(self.instance, self.names, caller.routine, &caller.dead, &prefix));
        }
        let numbered = runs.into_iter().enumerate();
        numbered.flat_map(|(run, parts)| parts.into_iter().map(move |part| (run, part))).collect()
    }
}

/// Whether a place has a label, or what comes next there takes or gives back a lock or checks an assertion.
fn is_telling(program: &Program, at: LocationId) -> bool {
    let tells = |edge: &Edge| {
        let checks = |assertion: &Assertion| {
            matches!(assertion.kind, AssertionKind::Assert | AssertionKind::Release | AssertionKind::Lock)
        };
        edge.taken().is_some() || matches!(&edge.op, Op::Command(command) if command.assertions.iter().any(checks))
    };
    let mut known = BTreeSet::from([at]);
    let mut pending = vec![at];
    while let Some(location) = pending.pop() {
        for edge in program.location(location).edges.iter().map(|&edge| program.edge(edge)) {
            if tells(edge) {
                return true;
            }
            // What is inside an atomic block comes next, too.
            if program.location(edge.to).transient && known.insert(edge.to) {
                pending.push(edge.to);
            }
        }
    }
    !program.location(at).labels.is_empty()
}

/// Whether the names in the assertions speak of several copies.
pub(crate) fn speaks_of_copies(program: &Program) -> bool {
    program.shared.iter().any(|var| var.sort.mentions_tid())
        && program.templates.iter().any(|template| is_replicated(template.copies))
}

/// All states of a thread: shared store, and local state with a caller's frame below it if there is
/// one. States that only look at their own frame get any one caller, the others get all.
pub(crate) fn for_each_state(
    instance: &Instance,
    annotation: &ThreadAnnotation,
    visit: &mut dyn FnMut(&Store, &[i64]) -> Option<()>,
) -> Option<()> {
    for (index, context) in annotation.contexts.iter().enumerate() {
        for (shared, locals) in &context.states {
            for local in locals {
                if index == 0 {
                    visit(shared, local)?;
                    continue;
                }
                let is_call = |frame: &Store| frame.last().is_some_and(|&word| word < 0);
                let callers = context.callers.iter().map(|(_, frame)| frame).filter(|frame| is_call(frame));
                let most = if returns(instance, local) { usize::MAX } else { 1 };
                for caller in callers.take(most) {
                    visit(shared, &[&caller[..], &local[..]].concat())?;
                }
            }
        }
    }
    Some(())
}

/// Whether the next step can return from a procedure.
fn returns(instance: &Instance, local: &[i64]) -> bool {
    let program = &instance.program;
    let location = program.location(instance.location_of(local));
    // A step into an atomic block may return before its end.
    let leads_on = |edge: &threadwise_ir::EdgeId| {
        let edge = program.edge(*edge);
        matches!(edge.op, threadwise_ir::Op::Return(_)) || program.location(edge.to).transient
    };
    location.edges.iter().any(leads_on)
}
