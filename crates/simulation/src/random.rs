//! Executions that dice lead.

use crate::{Choice, Dice, Simulation};
use threadwise_ir::{EdgeId, Op, ThreadId};

/// When to stop before there is nothing more to choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// A property is violated or a step goes wrong.
    Error,
    /// The same, or an assertion has been checked.
    Property,
}

/// Goes on at random, for at most so many steps; returns how many were taken.
pub fn run(simulation: &mut Simulation, dice: &mut Dice, most: usize, until: Until) -> usize {
    for taken in 0..most {
        let choices = simulation.choices();
        let Some(choice) = pick(&choices, dice) else { return taken };
        simulation.take(choice);
        let is_checked = matches!(choice, Choice::Step(step) if asserts(simulation, &step.path));
        let is_over = simulation.wrong().is_some() || !simulation.broken().is_empty();
        if is_over || until == Until::Property && is_checked {
            return taken + 1;
        }
    }
    most
}

/// One of the choices. Each thread that can do something is as likely as the others, however much it can do.
pub fn pick<'c>(choices: &'c [Choice], dice: &mut Dice) -> Option<&'c Choice> {
    let mut threads: Vec<Option<ThreadId>> = choices.iter().map(Choice::thread).collect();
    threads.dedup();
    if threads.is_empty() {
        return None;
    }
    let thread = threads[dice.below(threads.len())];
    let of_thread: Vec<&Choice> = choices.iter().filter(|choice| choice.thread() == thread).collect();
    Some(of_thread[dice.below(of_thread.len())])
}

/// Whether a step checks an assertion.
fn asserts(simulation: &Simulation, path: &[EdgeId]) -> bool {
    let program = &simulation.instance().program;
    path.iter().any(|&edge| match &program.edge(edge).op {
        Op::Command(command) => !command.assertions.is_empty(),
        Op::Call { .. } | Op::Return(_) => false,
    })
}
