//! Between concrete states and values of variables.

use threadwise_ir::{Control, EdgeId, LocalId, Op, Point, State, Store, ThreadId};
use threadwise_logic::{Term, Var};
use threadwise_space::{Owner, PointId, Shown, Space};

/// The locals that are in scope at a point: the others hold nothing of interest there.
pub fn live(space: &Space, thread: ThreadId, point: PointId) -> Vec<Var> {
    let (own, program) = (&space.threads[thread.index()], &space.instance.program);
    let at = &own.points[point.index()];
    let dead = &program.location(at.location).dead;
    let mut live = Vec::new();
    for depth in 0..=at.calls.len() {
        for (index, value) in own.frames[&at.calls[..depth]].iter().enumerate() {
            if depth < at.calls.len() || !dead.contains(&LocalId(index as u32)) {
                live.extend(value.0.iter().filter_map(Term::as_var));
            }
        }
    }
    live
}

/// The point where a thread stands in a local state; `None` if it is none of the space.
pub fn point_of(space: &Space, thread: ThreadId, local: &[i64]) -> Option<PointId> {
    let mut calls = Vec::new();
    let mut location = None;
    for frame in space.instance.frames(local) {
        match frame.control {
            Control::At(at) => location = Some(at),
            Control::Calling(edge) => calls.insert(0, edge),
        }
    }
    let point = Point { calls, location: location? };
    let points = &space.threads[thread.index()].points;
    points.iter().position(|known| *known == point).map(|index| PointId(index as u32))
}

/// The value of each variable in a state; locals of frames that there are not are 0. `None` where a
/// thread stands at no known point.
pub fn values_in(space: &Space, state: &State) -> Option<Vec<i64>> {
    let mut points = Vec::new();
    for (index, local) in state.locals.iter().enumerate() {
        points.push(point_of(space, ThreadId(index as u32), local)?);
    }
    let value = |var: Var| {
        let info = space.info(var).expect("it is a variable of the space");
        let read = |words: &[i64]| {
            let word = words[info.slot.0];
            info.slot.1.map_or(word, |bit| word >> bit & 1)
        };
        let Owner::Thread(thread) = info.owner else { return read(&state.shared) };
        if var == space.threads[thread.index()].pc {
            return i64::from(points[thread.index()].0);
        }
        let calls = &space.threads[thread.index()].points[points[thread.index()].index()].calls;
        if !calls.starts_with(&info.frame) {
            return 0;
        }
        let start = frame_start(space, thread, &info.frame);
        read(&state.locals[thread.index()][start..])
    };
    Some(space.variables().map(value).collect())
}

/// The state in which the variables have these values.
pub fn state_with(space: &Space, values: &[i64]) -> State {
    let mut shared = vec![0; space.instance.shared_words()];
    let mut locals: Vec<Vec<i64>> = Vec::new();
    for (index, thread) in space.threads.iter().enumerate() {
        let point = &thread.points[values[thread.pc.index()] as usize];
        let innermost = frame_start(space, ThreadId(index as u32), &point.calls);
        let routine = space.instance.program.location(point.location).routine;
        let mut local = vec![0; innermost + space.instance.frame_words(routine)];
        for (depth, call) in point.calls.iter().enumerate() {
            let end = frame_start(space, ThreadId(index as u32), &point.calls[..depth + 1]);
            local[end - 1] = Control::Calling(*call).word();
        }
        *local.last_mut().expect("a frame has a control word") = Control::At(point.location).word();
        locals.push(local);
    }
    for (var, value) in space.variables().zip(values) {
        let info = space.info(var).expect("it is a variable of the space");
        let words = match info.owner {
            Owner::Shared => &mut shared[..],
            Owner::Thread(thread) => {
                let own = &space.threads[thread.index()];
                let point = &own.points[values[own.pc.index()] as usize];
                if matches!(info.shown, Shown::Point(_)) || !point.calls.starts_with(&info.frame) {
                    continue;
                }
                let start = frame_start(space, thread, &info.frame);
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
fn frame_start(space: &Space, thread: ThreadId, calls: &[EdgeId]) -> usize {
    let program = &space.instance.program;
    let body = space.instance.body(thread);
    let routine_at = |depth: usize| match depth.checked_sub(1) {
        None => body,
        Some(below) => match program.edge(calls[below]).op {
            Op::Call { routine, .. } => routine,
            Op::Command(_) | Op::Return(_) => unreachable!("it is a call"),
        },
    };
    (0..calls.len()).map(|depth| space.instance.frame_words(routine_at(depth))).sum()
}
