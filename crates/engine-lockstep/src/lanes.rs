//! Schedules: who goes on where it does not matter. Threads are in lanes, one behind the other; the lanes go on in turns, and
//! a turn ends at the head of a loop, or with the thread.

use rustc_hash::FxHashSet;
use threadwise_ir::{Instance, LocationId, Op, Program};

/// More ways to put threads into two lanes than this are not tried.
const MAX_SPLITS: usize = 6;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lanes {
    /// Threads without loops, which go on whenever they can.
    straight: Vec<usize>,
    lanes: Vec<Vec<usize>>,
    heads: FxHashSet<LocationId>,
}

/// The schedules to try, the most promising first: all threads in step; one in step with the others, which come one after the
/// other; and all one after the other.
pub(crate) fn schedules(instance: &Instance) -> Vec<Lanes> {
    let program = &instance.program;
    let heads = heads(program);
    let has_loops = |thread: &usize| {
        let body = program.template(instance.threads[*thread].template).body;
        heads.iter().any(|&head| program.location(head).routine == body)
    };
    let (looping, straight): (Vec<usize>, Vec<usize>) = (0..instance.threads.len()).partition(has_loops);
    let in_step = looping.iter().map(|&thread| vec![thread]).collect();
    let without = |alone: usize| looping.iter().copied().filter(move |&thread| thread != alone);
    let alone = || looping.iter().copied().take(MAX_SPLITS);
    let mut all: Vec<Vec<Vec<usize>>> = vec![in_step];
    all.extend(alone().map(|alone| vec![vec![alone], without(alone).collect()]));
    all.push(vec![looping.clone()]);
    all.extend(alone().map(|alone| vec![vec![alone], without(alone).rev().collect()]));
    let mut schedules: Vec<Lanes> = Vec::new();
    for mut lanes in all {
        lanes.retain(|lane| !lane.is_empty());
        let lanes = Lanes { straight: straight.clone(), lanes, heads: heads.clone() };
        if !schedules.contains(&lanes) {
            schedules.push(lanes);
        }
    }
    schedules
}

impl Lanes {
    pub(crate) fn describe(&self) -> String {
        let lane = |lane: &Vec<usize>| lane.iter().map(|n| (n + 1).to_string()).collect::<Vec<String>>().join(" ");
        self.lanes.iter().map(lane).collect::<Vec<String>>().join(" | ")
    }

    /// The threads in the order in which they should go on.
    pub(crate) fn preferred(&self, turn: usize) -> Vec<usize> {
        let count = self.lanes.len();
        let mut order = self.straight.clone();
        (0..count).for_each(|at| order.extend(&self.lanes[(turn + at) % count]));
        order
    }

    /// Whose turn it is once a thread has come to a location.
    pub(crate) fn turn_after(&self, turn: usize, thread: usize, program: &Program, at: LocationId) -> usize {
        match self.lanes.iter().position(|lane| lane.contains(&thread)) {
            None => turn,
            Some(lane) if self.heads.contains(&at) || program.location(at).edges.is_empty() => {
                (lane + 1) % self.lanes.len()
            }
            Some(lane) => lane,
        }
    }
}

/// The locations to which an edge leads back.
fn heads(program: &Program) -> FxHashSet<LocationId> {
    let mut heads = FxHashSet::default();
    for routine in &program.routines {
        let (mut done, mut open) = (FxHashSet::default(), FxHashSet::default());
        // Each location is opened, and closed when all behind it is done.
        let mut stack = vec![(routine.entry, false)];
        while let Some((location, closes)) = stack.pop() {
            if closes {
                open.remove(&location);
                continue;
            }
            if !done.insert(location) {
                continue;
            }
            open.insert(location);
            stack.push((location, true));
            for &edge in &program.location(location).edges {
                let edge = program.edge(edge);
                if matches!(edge.op, Op::Return(_)) {
                    continue;
                }
                if open.contains(&edge.to) {
                    heads.insert(edge.to);
                } else {
                    stack.push((edge.to, false));
                }
            }
        }
    }
    heads
}
