//! Long work under limits, which can be interrupted, with a progress line.

use crate::args::{LimitArgs, SolverArgs};
use crate::console::Console;
use crate::exit::InputError;
use crate::interrupt::on_interrupt;
use crate::progress::ProgressLine;
use std::sync::Arc;
use threadwise_limits::{Budget, Progress};

/// The budget that the flags allow; Ctrl-C and its like cut it short.
pub fn budget(limits: &LimitArgs) -> Budget {
    let budget = Budget::new(limits.timeout, limits.memory.map(|mib| mib << 20)).with_cpu_time(limits.cpu_time);
    on_interrupt(budget.interrupter());
    budget
}

/// Takes the solver that the flags name, which must exist.
pub fn choose_solver(args: &SolverArgs) -> Result<(), InputError> {
    if let Some(command) = &args.solver {
        let hint = "without `--solver` Threadwise looks for z3 by itself";
        threadwise_solver::find(Some(command)).map_err(|error| InputError::new(error.to_string()).hint(hint))?;
        threadwise_solver::ask_for(command);
    }
    Ok(())
}

/// Runs the work, with a progress line where somebody can see it.
pub fn run<T>(console: &Console, budget: Budget, work: impl FnOnce(&Budget) -> T) -> T {
    if !console.wants_progress() {
        return work(&budget);
    }
    let progress = Arc::new(Progress::default());
    let _line = ProgressLine::show(progress.clone());
    work(&budget.with_progress(progress))
}

/// Runs work that says nothing about itself, under a progress line with a fixed text.
pub fn run_quietly<T>(console: &Console, text: &str, work: impl FnOnce() -> T) -> T {
    run(console, Budget::unlimited(), |budget| {
        budget.report(|| text.to_string());
        work()
    })
}
