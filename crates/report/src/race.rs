//! Who races with whom.

use crate::facts::reads;
use crate::statement::{Statement, statement};
use threadwise_ir::{EdgeId, Instance, Op, Program, SharedId, State, ThreadId, Update, VarRef};

/// One side of a race: a thread that can take a step on the variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Racer {
    /// Its name.
    pub thread: String,
    /// The statement it can execute next.
    pub statement: Statement,
    /// It writes the variable.
    pub writes: bool,
}

/// Two threads that can each access the variables now, at least one of them writing.
pub(crate) fn race(instance: &Instance, state: &State, vars: &[SharedId]) -> Option<[Racer; 2]> {
    let threads = (0..instance.threads.len() as u32).map(ThreadId);
    let racers: Vec<Vec<Racer>> = threads.map(|thread| accesses(instance, state, thread, vars)).collect();
    for (index, firsts) in racers.iter().enumerate() {
        for seconds in &racers[index + 1..] {
            let pairs = firsts.iter().flat_map(|a| seconds.iter().map(move |b| (a, b)));
            if let Some((a, b)) = pairs.into_iter().find(|(a, b)| a.writes || b.writes) {
                return Some([a.clone(), b.clone()]);
            }
        }
    }
    None
}

/// The statements on the variables in the steps that the thread can take; writes come first.
fn accesses(instance: &Instance, state: &State, thread: ThreadId, vars: &[SharedId]) -> Vec<Racer> {
    let program = &instance.program;
    let steps = state.steps(instance, thread);
    let mut racers: Vec<Racer> = Vec::new();
    for &edge in steps.successors.iter().flat_map(|s| &s.path) {
        let writes = vars.iter().any(|&var| edge_writes(program, edge, var));
        if writes || vars.iter().any(|&var| edge_reads(program, edge, var)) {
            let racer = Racer {
                thread: instance.tid_name(i64::from(thread.0) + 1),
                statement: statement(program, edge),
                writes,
            };
            if !racers.contains(&racer) {
                racers.push(racer);
            }
        }
    }
    racers.sort_by_key(|racer| !racer.writes);
    racers
}

fn edge_writes(program: &Program, edge: EdgeId, var: SharedId) -> bool {
    let var = VarRef::Shared(var);
    match &program.edge(edge).op {
        Op::Command(command) => match &command.update {
            Update::Assign(assignments) => assignments.iter().any(|(place, _)| place.var == var),
            Update::Action { frame, .. } => frame.contains(&var),
        },
        Op::Call { result, .. } => result.as_ref().is_some_and(|place| place.var == var),
        Op::Return(_) => false,
    }
}

fn edge_reads(program: &Program, edge: EdgeId, var: SharedId) -> bool {
    let mut found = false;
    let op = &program.edge(edge).op;
    op.walk_expressions(&mut |e| found |= reads(e, VarRef::Shared(var)));
    found
}
