//! What the steps of a trace do that a machine does too, one after the other.

use std::sync::Arc;
use threadwise_evidence::TraceStep;
use threadwise_ir::{
    EdgeId, Env, Expr, ExprKind, Instance, LocalId, Op, SharedId, Sort, State, Store, ThreadId, Update, Value, VarRef,
};
use threadwise_memory::{Atlas, Operation};
use threadwise_source::Span;

/// A step is not looked for any longer than this, in edges.
const MOST_EDGES: usize = 200_000;

/// Something that a thread does.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(crate) kind: DeedKind,
    pub(crate) span: Span,
    /// The number of the step that it belongs to, among those of the trace.
    pub(crate) step: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DeedKind {
    /// An element of a part is accessed that other threads can reach; the address is that of the trace.
    Access {
        part: usize,
        address: i64,
        size: u64,
        writes: bool,
        of_library: bool,
    },
    Allocate(i64),
    Free(i64),
    /// A thread is created; nothing where it is not known which one.
    Create(Option<ThreadId>),
    Start,
    End,
    Join,
    /// An input has this value; nothing where it does not matter.
    Any(Option<i64>),
}

/// A program whose steps are single edges, for looking into the steps of another one.
pub(crate) struct Plan<'a> {
    atlas: &'a Atlas,
    fine: Instance,
    status: Option<SharedId>,
}

/// How a step goes.
pub(crate) struct Passage {
    pub(crate) deeds: Vec<Deed>,
    /// Something gets a value that cannot be given to it from outside.
    pub(crate) chooses: bool,
    /// The number of arguments that the program is started with, the name of the program included.
    pub(crate) arguments: Option<i64>,
}

/// What a way through a step has to lead to.
enum Goal<'a> {
    State(&'a Store, &'a Store),
    Failure(EdgeId),
}

type Moment = (EdgeId, Store, Store);

impl<'a> Plan<'a> {
    pub(crate) fn new(instance: &Instance, atlas: &'a Atlas) -> Plan<'a> {
        let mut program = (*instance.program).clone();
        program.locations.iter_mut().for_each(|location| location.transient = false);
        program.properties.clear();
        let status = program.shared.iter().position(threadwise_spawn::is_status);
        let fine = Instance::new(Arc::new(program), instance.any_copies());
        Plan { atlas, fine, status: status.map(|index| SharedId(index as u32)) }
    }

    /// What a step does, from the state before it.
    pub(crate) fn step(&self, before: &State, step: &TraceStep) -> Option<Passage> {
        let goal = Goal::State(&step.shared, &step.local);
        let wanted: Vec<i64> = step.shared.iter().chain(step.local.iter()).copied().collect();
        self.passage(before, step.thread, &step.path, &goal, &wanted)
    }

    /// What a step does before it goes wrong.
    pub(crate) fn failing(
        &self,
        instance: &Instance,
        before: &State,
        thread: ThreadId,
        path: &[EdgeId],
    ) -> Option<Passage> {
        let (&last, _) = path.split_last()?;
        // The values with which it goes wrong are among those that are to be tried.
        let steps = before.steps(instance, thread);
        let failures = steps.failures.iter().filter(|failure| failure.path[..] == *path);
        let wanted: Vec<i64> = failures.flat_map(|f| f.shared.iter().chain(f.local.iter()).copied()).collect();
        self.passage(before, thread, path, &Goal::Failure(last), &wanted)
    }

    fn passage(
        &self,
        before: &State,
        thread: ThreadId,
        path: &[EdgeId],
        goal: &Goal<'_>,
        wanted: &[i64],
    ) -> Option<Passage> {
        let mut moments: Vec<Moment> = Vec::new();
        let start = (before.shared.clone(), before.locals[thread.index()].clone());
        let mut left = MOST_EDGES;
        if !self.find(thread, start, path, goal, wanted, &mut moments, &mut left) {
            return None;
        }
        let mut passage = Passage { deeds: Vec::new(), chooses: false, arguments: None };
        let fails = matches!(goal, Goal::Failure(_));
        for (number, (edge, shared, local)) in moments.iter().enumerate() {
            if fails && number + 1 == moments.len() {
                break;
            }
            let after = moments.get(number + 1).map(|(_, shared, local)| (shared, local));
            let after = after.or(match goal {
                Goal::State(shared, local) => Some((*shared, *local)),
                Goal::Failure(_) => None,
            });
            self.add_deeds(thread, *edge, (shared, local), after, &mut passage);
        }
        Some(passage)
    }

    /// Finds the states inside of a step, which the trace does not have.
    #[allow(clippy::too_many_arguments)]
    fn find(
        &self,
        thread: ThreadId,
        at: (Store, Store),
        path: &[EdgeId],
        goal: &Goal<'_>,
        wanted: &[i64],
        moments: &mut Vec<Moment>,
        left: &mut usize,
    ) -> bool {
        let Some((&edge, rest)) = path.split_first() else {
            return match goal {
                Goal::State(shared, local) => at.0 == **shared && at.1 == **local,
                Goal::Failure(_) => true,
            };
        };
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let steps = self.fine.steps_toward(thread, &at.0, &at.1, wanted);
        if let (Goal::Failure(last), []) = (goal, rest) {
            let fails = *last == edge && steps.failures.iter().any(|failure| failure.path[..] == [edge]);
            moments.extend(fails.then_some((edge, at.0, at.1)));
            return fails;
        }
        for successor in steps.successors.iter().filter(|successor| successor.path[..] == [edge]) {
            moments.push((edge, at.0.clone(), at.1.clone()));
            let next = (successor.shared.clone(), successor.local.clone());
            if self.find(thread, next, rest, goal, wanted, moments, left) {
                return true;
            }
            moments.pop();
        }
        false
    }

    fn add_deeds(
        &self,
        thread: ThreadId,
        id: EdgeId,
        before: (&Store, &Store),
        after: Option<(&Store, &Store)>,
        passage: &mut Passage,
    ) {
        let edge = self.fine.program.edge(id);
        let operations = self.atlas.operations.get(&id).map_or(&[][..], |all| &all[..]);
        let is_input =
            operations.iter().any(|operation| matches!(operation, Operation::Any(_) | Operation::Arguments(_)));
        passage.chooses |= !is_input && chooses(&edge.op);
        for operation in operations {
            let kind = match operation {
                Operation::Access { part, indices, writes } => self.access(thread, before, *part, indices, *writes),
                Operation::Allocate(address) => self.value(thread, before, address).map(DeedKind::Allocate),
                Operation::Free(address) => self.value(thread, before, address).map(DeedKind::Free),
                Operation::Create => Some(DeedKind::Create(after.and_then(|after| self.started(before.0, after.0)))),
                Operation::Start => Some(DeedKind::Start),
                Operation::End => Some(DeedKind::End),
                Operation::Join => Some(DeedKind::Join),
                Operation::Any(chosen) => {
                    let there = self.settled(thread, before, chosen);
                    Some(DeedKind::Any(after.and_then(|after| self.value(thread, after, &there))))
                }
                Operation::Arguments(var) => {
                    passage.arguments = after.and_then(|after| self.word(after, *var));
                    None
                }
            };
            passage.deeds.extend(kind.map(|kind| Deed { kind, span: edge.span, step: 0 }));
        }
    }

    /// An element with its indices as they are in a state.
    fn settled(&self, thread: ThreadId, state: (&Store, &Store), e: &Expr) -> Expr {
        let ExprKind::Index(all, index) = &e.kind else { return e.clone() };
        let all = self.settled(thread, state, all);
        let index = match self.value(thread, state, index) {
            Some(value) => Expr::constant(value, index.sort, index.span),
            None => (**index).clone(),
        };
        Expr::new(ExprKind::Index(Box::new(all), Box::new(index)), e.sort, e.span)
    }

    fn value(&self, thread: ThreadId, state: (&Store, &Store), e: &Expr) -> Option<i64> {
        let (routine, start) = self.fine.top_frame(state.1);
        let mut env = Env::of_thread(&self.fine, routine, i64::from(thread.0) + 1, &state.0[..], &state.1[start..]);
        env.scalar(e).ok()
    }

    fn access(
        &self,
        thread: ThreadId,
        before: (&Store, &Store),
        number: usize,
        indices: &[Expr],
        writes: bool,
    ) -> Option<DeedKind> {
        let part = &self.atlas.parts[number];
        if !part.visible {
            return None;
        }
        let mut address = self.atlas.objects[part.object].address + part.offset as i64;
        for (index, (_, stride)) in indices.iter().zip(&part.dims) {
            address += self.value(thread, before, index)? * *stride as i64;
        }
        let of_library = !part.ty.is_scalar();
        Some(DeedKind::Access { part: number, address, size: part.size, writes, of_library })
    }

    /// The thread whose status a start has changed.
    fn started(&self, before: &Store, after: &Store) -> Option<ThreadId> {
        let range = self.fine.shared_range(self.status?);
        let position = range.clone().find(|&at| before[at] != after[at])? - range.start;
        let tid = self.fine.unrank(&Sort::Tid, position);
        u32::try_from(tid - 1).ok().map(ThreadId)
    }

    /// The value of a variable that is no array.
    fn word(&self, state: (&Store, &Store), var: VarRef) -> Option<i64> {
        let (routine, start) = self.fine.top_frame(state.1);
        let words = match var {
            VarRef::Shared(id) => &state.0[self.fine.shared_range(id)],
            VarRef::Local(id) => &state.1[start..][self.fine.local_range(routine, LocalId(id.0))],
        };
        if let [word] = words { Some(*word) } else { None }
    }
}

/// Whether an edge gives any value to something.
fn chooses(op: &Op) -> bool {
    let Op::Command(command) = op else { return false };
    let Update::Assign(assignments) = &command.update else { return false };
    let is_number = |sort: &Sort| matches!(sort, Sort::Bits(_));
    assignments.iter().any(|(place, value)| matches!(value, Value::Any) && is_number(&place.sort))
}
