//! An execution in the terms of witnesses: who is which thread, where calls and tests are, which inputs there were.

use std::collections::BTreeMap;
use threadwise_evidence::TraceStep;
use threadwise_evidence::follow;
use threadwise_front_c::landmarks::{Call, Landmarks};
use threadwise_ir::{EdgeId, Instance, SharedId, State, ThreadId, VarRef};
use threadwise_memory::{Atlas, Operation};
use threadwise_source::Span;

/// What other tools may know of a program: its text, its threads, and what its edges do.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub instance: &'a Instance,
    pub landmarks: &'a Landmarks,
    pub atlas: &'a Atlas,
}

/// Something that a thread does on its way through a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// It comes to a statement, by its index, with this edge.
    At(usize),
    /// It creates a thread with this call.
    Creates(usize),
    /// An input has a value: which call gave it.
    Input(usize, i64),
    /// The condition of a statement has this value.
    Branches(usize, bool),
}

/// Numbers of threads: 0 is `main`, others are counted as they are created.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Numbers {
    /// For each creation the thread that it created, where that is known.
    created: Vec<Option<ThreadId>>,
    /// What each creation's call says, to tell whose it was.
    calls: Vec<usize>,
}

impl Numbers {
    /// The number of a thread that takes a step; the first step of one of any number of copies tells which it was.
    pub fn of(&mut self, ground: Ground<'_>, thread: ThreadId) -> u32 {
        if let Some(number) = self.known(thread) {
            return number;
        }
        if is_first(ground.instance, thread) {
            return 0;
        }
        let template = ground.instance.threads[thread.index()].template;
        let function =
            ground.instance.program.telling.as_ref().and_then(|telling| telling.threads.get(template.index()));
        let is_its = |call: &usize| {
            function.is_none_or(|name| ground.landmarks.text(ground.landmarks.calls[*call].span).contains(&**name))
        };
        let open = |(number, created): (usize, &Option<ThreadId>)| {
            (created.is_none() && is_its(&self.calls[number])).then_some(number)
        };
        let found = self.created.iter().enumerate().find_map(open);
        if let Some(number) = found {
            self.created[number] = Some(thread);
            return number as u32 + 1;
        }
        0
    }

    pub fn known(&self, thread: ThreadId) -> Option<u32> {
        self.created.iter().position(|created| *created == Some(thread)).map(|number| number as u32 + 1)
    }

    fn create(&mut self, call: usize, thread: Option<ThreadId>) {
        self.created.push(thread);
        self.calls.push(call);
    }
}

/// Whether it is the thread that the program begins with.
fn is_first(instance: &Instance, thread: ThreadId) -> bool {
    let template = instance.threads[thread.index()].template;
    matches!(instance.program.template(template).copies, threadwise_ir::Copies::Single)
}

impl Ground<'_> {
    /// What a step does, in order.
    pub fn deeds(
        self,
        before: &State,
        thread: ThreadId,
        path: &[EdgeId],
        outcome: Option<&TraceStep>,
        numbers: &mut Numbers,
    ) -> Vec<Deed> {
        let inputs = self.inputs(before, thread, path, outcome);
        let mut deeds: Vec<Deed> = Vec::new();
        for (&id, number) in path.iter().zip(0..) {
            let edge = self.instance.program.edge(id);
            if edge.span.start >= edge.span.end {
                continue;
            }
            let Some(statement) = self.landmarks.statement_at(edge.span.start) else { continue };
            if deeds.iter().rev().find_map(at).is_none_or(|last| last != statement) {
                deeds.push(Deed::At(statement));
            }
            for operation in self.atlas.operations.get(&id).into_iter().flatten() {
                match operation {
                    Operation::Create => {
                        if let Some(call) = self.call_of(edge.span, &is_creation) {
                            let who = outcome.and_then(|step| self.created(&before.shared, &step.shared));
                            numbers.create(call, who);
                            deeds.push(Deed::Creates(call));
                        }
                    }
                    Operation::Any(_) => {
                        let call = self.call_of(edge.span, &is_input);
                        let value = inputs.get(&number).copied();
                        deeds.extend(call.zip(value).map(|(call, value)| Deed::Input(call, value)));
                    }
                    _ => {}
                }
            }
            if let Some(outcome) = edge.branch
                && self.is_condition(statement, edge.span)
            {
                deeds.push(Deed::Branches(statement, outcome));
            }
        }
        deeds
    }

    /// Whether a span is the whole condition of a statement.
    fn is_condition(self, statement: usize, span: Span) -> bool {
        self.landmarks.statements[statement].condition() == Some(span)
    }

    /// The call at a span, or the only one of its kind in the statement there.
    fn call_of(self, span: Span, is_meant: &dyn Fn(&Call) -> bool) -> Option<usize> {
        let all = || self.landmarks.calls.iter().enumerate().filter(|(_, call)| is_meant(call));
        let exact = all().find(|(_, call)| call.span.start <= span.start && span.end <= call.span.end);
        let within = || {
            let around = self.landmarks.statements[self.landmarks.statement_at(span.start)?].span;
            let mut inside = all().filter(|(_, call)| around.start <= call.span.start && call.span.end <= around.end);
            let first = inside.next();
            first.filter(|_| inside.next().is_none())
        };
        exact.or_else(within).map(|(index, _)| index)
    }

    /// The thread whose status changed from that of one that is not there yet.
    fn created(self, before: &[i64], after: &[i64]) -> Option<ThreadId> {
        let telling = self.instance.program.telling.as_ref()?;
        let status = telling.shared.iter().position(|shown| shown.is_status)?;
        let range = self.instance.shared_range(SharedId(status as u32));
        let word = range.clone().find(|&word| before[word] == 0 && after[word] != 0)?;
        // The elements of an array over threads begin with nobody.
        Some(ThreadId((word - range.start).checked_sub(1)? as u32))
    }

    /// The values of inputs, by the edge of the path that they come with.
    fn inputs(
        self,
        before: &State,
        thread: ThreadId,
        path: &[EdgeId],
        outcome: Option<&TraceStep>,
    ) -> BTreeMap<usize, i64> {
        let mut values = BTreeMap::new();
        let (mut open, mut next): (Option<(usize, VarRef)>, usize) = (None, 0);
        let variable = |id: EdgeId| {
            let operations = self.atlas.operations.get(&id).into_iter().flatten();
            operations.into_iter().find_map(|operation| match operation {
                // An input that goes to an element is not told.
                Operation::Any(chosen) => match chosen.kind {
                    threadwise_ir::ExprKind::Read(var) => Some(var),
                    _ => None,
                },
                _ => None,
            })
        };
        if !path.iter().any(|id| variable(*id).is_some()) {
            return values;
        }
        let read = |routine, env: &mut threadwise_ir::Env<'_>, var: VarRef| -> Option<i64> {
            let sort = self.instance.sort_of(routine, var).clone();
            let kind = threadwise_ir::ExprKind::Read(var);
            let e = threadwise_ir::Expr { kind, sort: sort.into(), span: Span::default() };
            env.scalar(&e).ok()
        };
        follow(self.instance, before, thread, path, outcome, &mut |id, routine, env| {
            if let Some((number, var)) = open.take()
                && let Some(value) = read(routine, env, var)
            {
                values.insert(number, value);
            }
            open = variable(id).map(|var| (next, var));
            next += 1;
        });
        if let (Some((number, var)), Some(step)) = (open, outcome) {
            let local = &step.local[..];
            let (routine, start) = self.instance.top_frame(local);
            let word = match var {
                VarRef::Shared(id) => step.shared.get(self.instance.shared_range(id).start).copied(),
                VarRef::Local(id) => local.get(start + self.instance.local_range(routine, id).start).copied(),
            };
            values.extend(word.map(|word| (number, word)));
        }
        values
    }
}

fn at(deed: &Deed) -> Option<usize> {
    match deed {
        Deed::At(statement) => Some(*statement),
        Deed::Creates(_) | Deed::Input(..) | Deed::Branches(..) => None,
    }
}

/// Whether a call creates a thread, by the name of what is called.
pub(crate) fn is_creation(call: &Call) -> bool {
    ["pthread_create", "thrd_create"].contains(&call.callee.as_str())
}

/// Whether a call gives an input, by the name of what is called.
pub(crate) fn is_input(call: &Call) -> bool {
    call.callee.starts_with("__VERIFIER_nondet_")
}
