//! Between concrete states and values of variables.

use crate::space::{Owner, PointId, Space};
use threadwise_ir::{Control, Point, State, Store, ThreadId};
use threadwise_logic::Var;

impl Space {
    /// The point where a thread stands in a local state; `None` if it is none of the space.
    pub fn point_of(&self, thread: ThreadId, local: &[i64]) -> Option<PointId> {
        let mut calls = Vec::new();
        let mut location = None;
        for frame in self.instance.frames(local) {
            match frame.control {
                Control::At(at) => location = Some(at),
                Control::Calling(edge) => calls.insert(0, edge),
            }
        }
        let point = Point { calls, location: location? };
        let points = &self.threads[thread.index()].points;
        points.iter().position(|known| *known == point).map(|index| PointId(index as u32))
    }

    /// The value of each variable in a state; locals of frames that there are not are 0. `None` where a
    /// thread stands at no known point.
    pub fn values_in(&self, state: &State) -> Option<Vec<i64>> {
        let mut points = Vec::new();
        for (index, local) in state.locals.iter().enumerate() {
            points.push(self.point_of(ThreadId(index as u32), local)?);
        }
        let value = |var: Var| {
            let info = &self.vars[var.index()];
            let read = |words: &[i64]| {
                let word = words[info.slot.0];
                info.slot.1.map_or(word, |bit| word >> bit & 1)
            };
            let Owner::Thread(thread) = info.owner else { return read(&state.shared) };
            if var == self.threads[thread.index()].pc {
                return i64::from(points[thread.index()].0);
            }
            let calls = &self.threads[thread.index()].points[points[thread.index()].index()].calls;
            if !calls.starts_with(&info.frame) {
                return 0;
            }
            let local = &state.locals[thread.index()];
            let start = self.frame_start(thread, &info.frame);
            read(&local[start..])
        };
        Some(self.variables().map(value).collect())
    }

    /// The state in which the variables have these values.
    pub fn state_with(&self, values: &[i64]) -> State {
        let mut shared = vec![0; self.instance.shared_words()];
        let mut locals: Vec<Vec<i64>> = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            let point = &thread.points[values[thread.pc.index()] as usize];
            let innermost = self.frame_start(ThreadId(index as u32), &point.calls);
            let routine = self.instance.program.location(point.location).routine;
            let mut local = vec![0; innermost + self.instance.frame_words(routine)];
            for (depth, call) in point.calls.iter().enumerate() {
                let end = self.frame_start(ThreadId(index as u32), &point.calls[..depth + 1]);
                local[end - 1] = Control::Calling(*call).word();
            }
            *local.last_mut().expect("a frame has a control word") = Control::At(point.location).word();
            locals.push(local);
        }
        for (info, value) in self.vars.iter().zip(values) {
            let words = match info.owner {
                Owner::Shared => &mut shared[..],
                Owner::Thread(thread) => {
                    let own = &self.threads[thread.index()];
                    let point = &own.points[values[own.pc.index()] as usize];
                    if matches!(info.shown, crate::Shown::Point(_)) || !point.calls.starts_with(&info.frame) {
                        continue;
                    }
                    let start = self.frame_start(thread, &info.frame);
                    &mut locals[thread.index()][start..]
                }
            };
            match info.slot {
                (word, None) => words[word] = *value,
                (word, Some(bit)) => words[word] |= value << bit,
            }
        }
        State { shared: shared.into(), locals: locals.into_iter().map(Store::from).collect() }
    }

    /// Where in a local state the frame above these calls starts.
    fn frame_start(&self, thread: ThreadId, calls: &[threadwise_ir::EdgeId]) -> usize {
        let program = &self.instance.program;
        let body = self.instance.body(thread);
        let routine_at = |depth: usize| match depth.checked_sub(1) {
            None => body,
            Some(below) => match program.edge(calls[below]).op {
                threadwise_ir::Op::Call { routine, .. } => routine,
                _ => body,
            },
        };
        (0..calls.len()).map(|depth| self.instance.frame_words(routine_at(depth))).sum()
    }
}
