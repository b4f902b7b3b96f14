//! Whole steps of a thread: an edge and the run through locations that nobody else sees, path by path, as the judge walks them.

use crate::assign::is_scalar;
use crate::assume::Reader;
use crate::cells::{Cells, Role};
use crate::expression::Eyes;
use crate::known::Known;
use crate::number::Numbers;
use crate::state::{At, State};
use threadwise_ir::{Command, EdgeId, Expr, LocationId, Op, Point, Update};
use threadwise_limits::{Budget, Limit};
use threadwise_source::Span;

/// More edges than this are not walked in one step.
const MAX_EDGES: usize = 4096;

/// A thread at a point, perhaps inside of a step.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub(crate) point: Point,
    pub(crate) state: State,
    /// The shared cells that the step has written so far.
    pub(crate) written: Vec<Written>,
}

/// A shared cell that was written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) at: At,
    /// What it was.
    pub(crate) before: Numbers,
    /// It is no less than it was, and no more.
    pub(crate) up: bool,
    pub(crate) down: bool,
}

/// What a step can come to.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) rests: Vec<Inner>,
    /// Where something may go wrong.
    pub(crate) faults: Vec<Span>,
    /// Where it is too long to be walked.
    pub(crate) too_long: Option<Span>,
}

pub(crate) struct Walker<'a> {
    pub(crate) cells: &'a Cells<'a>,
    pub(crate) known: &'a Known,
    pub(crate) me: Role,
    pub(crate) budget: &'a Budget,
}

impl<'a> Walker<'a> {
    /// All that the next step from a state can come to.
    pub(crate) fn step(&self, point: &Point, state: State) -> Result<Ends, Limit> {
        let mut ends = Ends::default();
        let mut open = vec![Inner { point: point.clone(), state, written: Vec::new() }];
        let mut walked = 0;
        while let Some(inner) = open.pop() {
            self.budget.check()?;
            let location = self.cells.program.location(inner.point.location);
            for &edge in &location.edges {
                walked += 1;
                if walked > MAX_EDGES {
                    ends.too_long = Some(location.span);
                    return Ok(ends);
                }
                let mut faults = Vec::new();
                for next in self.take(&inner, edge, &mut faults) {
                    self.arrive(next, &mut open, &mut ends);
                }
                ends.faults.extend(faults);
            }
        }
        Ok(ends)
    }

    /// Where a thread can be when it starts.
    pub(crate) fn start(&self, mut store: State) -> Result<Ends, Limit> {
        let body = self.cells.program.template(self.cells.template(self.me)).body;
        let defaults = self.cells.frame(body).iter().map(|cell| self.cells.default_of(cell));
        store.frames.clear();
        store.push_frame(defaults.collect::<Vec<Numbers>>());
        let entry = Point::at(self.cells.program.routine(body).entry);
        if entry.is_inside_step(self.cells.program) {
            return self.step(&entry, store);
        }
        Ok(Ends { rests: vec![Inner { point: entry, state: store, written: Vec::new() }], ..Ends::default() })
    }

    fn arrive(&self, mut inner: Inner, open: &mut Vec<Inner>, ends: &mut Ends) {
        let location = self.cells.program.location(inner.point.location);
        let frame = inner.state.frame();
        for &dead in location.dead.iter() {
            let cells = self.cells.frame(location.routine);
            for at in self.cells.of_local(location.routine, dead) {
                inner.state.set(frame + at, self.cells.default_of(&cells[at]));
            }
        }
        match inner.point.is_inside_step(self.cells.program) {
            true => open.push(inner),
            false => ends.rests.push(inner),
        }
    }

    fn reader(&self, at: LocationId, inner: &Inner) -> Reader<'a> {
        let routine = self.cells.program.location(at).routine;
        let written = inner.written.iter().map(|written| written.at).collect();
        Reader { eyes: Eyes::new(self.cells, self.me, routine), known: Some(self.known), written }
    }

    fn take(&self, inner: &Inner, id: EdgeId, faults: &mut Vec<Span>) -> Vec<Inner> {
        let edge = self.cells.program.edge(id);
        let reader = self.reader(edge.from, inner);
        let result = match &edge.op {
            Op::Command(command) => {
                let mut after = self.command(&reader, inner, command, edge.span, faults);
                after.iter_mut().for_each(|inner| inner.point.location = edge.to);
                after
            }
            Op::Call { routine, args, .. } => {
                let callee = self.cells.program.routine(*routine);
                let mut next = inner.clone();
                let frame = next.state.cells.len();
                let mut params = Vec::new();
                for ((arg, param), index) in args.iter().zip(&callee.locals).zip(0..) {
                    let range = self.cells.of_local(*routine, threadwise_ir::LocalId(index));
                    if let Some((value, source)) = self.right_side(&reader, &inner.state, arg, &param.sort) {
                        params.push((frame + range.start, value, source));
                    } else {
                        let cells = &self.cells.frame(*routine)[range.clone()];
                        let any = range.zip(cells).map(|(at, cell)| (frame + at, self.cells.anything_in(cell), None));
                        params.extend(any);
                    }
                }
                let defaults = self.cells.frame(*routine).iter().map(|cell| self.cells.default_of(cell));
                next.state.push_frame(defaults.collect::<Vec<Numbers>>());
                next.state.assign(&params);
                next.point.calls.push(id);
                next.point.location = callee.entry;
                vec![next]
            }
            Op::Return(value) => self.return_from(&reader, inner, value.as_deref(), faults),
        };
        if reader.eyes.fault.get() {
            faults.push(edge.span);
        }
        result
    }

    fn return_from(
        &self,
        reader: &Reader<'_>,
        inner: &Inner,
        value: Option<&Expr>,
        faults: &mut Vec<Span>,
    ) -> Vec<Inner> {
        let program = self.cells.program;
        let callee = program.routine(reader.eyes.routine);
        let mut next = inner.clone();
        let Some(call) = next.point.calls.pop() else { unreachable!("front ends end threads without a return") };
        let call = program.edge(call);
        let Op::Call { result: place, .. } = &call.op else { unreachable!("a call is under way") };
        let returned = callee.result.map(|result| {
            let sort = &callee.locals[result.index()].sort;
            match value {
                Some(e) => self.right_side(reader, &inner.state, e, sort),
                None => {
                    let at = inner.state.frame() + self.cells.of_local(reader.eyes.routine, result).start;
                    is_scalar(sort).then(|| (inner.state.cells[at].clone(), sort.is_integer().then_some((at, 0))))
                }
            }
        });
        let start = next.state.frames.pop().expect("a thread has a frame");
        if let (Some(place), Some(returned)) = (place, returned) {
            let caller = self.reader(call.from, inner);
            let (value, source) = returned.unwrap_or((Numbers::anything(), None));
            self.store(&caller, &mut next, vec![(place, value, source)]);
            if caller.eyes.fault.get() {
                faults.push(call.span);
            }
        }
        next.state.keep_first(start);
        next.point.location = call.to;
        vec![next]
    }

    fn command(
        &self,
        reader: &Reader<'_>,
        inner: &Inner,
        command: &Command,
        span: Span,
        faults: &mut Vec<Span>,
    ) -> Vec<Inner> {
        let mut states = vec![inner.state.clone()];
        for assertion in &command.assertions {
            if !reader.assume_all(states.clone(), &assertion.condition, false, &[]).is_empty() {
                faults.push(span);
            }
            states = reader.assume_all(states, &assertion.condition, true, &[]);
        }
        if let Some(guard) = &command.guard {
            states = reader.assume_all(states, guard, true, &[]);
        }
        match &command.update {
            Update::Assign(assignments) => self.assign(reader, inner, states, assignments),
            Update::Action { frame, formula, assertion } => {
                if formula.can_fail() || assertion.is_some() {
                    faults.push(span);
                }
                let action = |state| {
                    let mut next = Inner { state, ..inner.clone() };
                    frame.iter().for_each(|var| self.forget(reader, &mut next, *var));
                    next
                };
                states.into_iter().map(action).collect()
            }
        }
    }
}
