//! `threadwise simulate`: executions that the user, chance or a trace leads.

use crate::args::SimulateArgs;
use crate::console::{layout, palette, print, set_color};
use crate::defines::{self, Defines};
use crate::exit::{Exit, InputError, Job};
use crate::input::{is_stdin, load_program, open};
use crate::stepping::Stepping;
use std::sync::Arc;
use threadwise_evidence::{FileError, Trace, TraceStep};
use threadwise_evidence_files::TraceFile;
use threadwise_frontends::Options;
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_replay::replay;
use threadwise_report::{Layout, Tone, execution_text, explain, render_steps, render_trace, trace_text};
use threadwise_simulation::{Dice, Simulation, Until, run};

/// Lets the user, chance or a trace lead an execution.
pub fn simulate(args: &SimulateArgs) -> Job {
    set_color(args.color);
    let options = &args.program.language.options;
    let given = defines::from_flags(options)?;
    if is_stdin(&args.program.file) && args.random.is_none() {
        let error = InputError::new("standard input cannot be the program and say what to do");
        return Err(error.hint("give the name of a file, or `--random`"));
    }
    let layout = Layout { whole: true, ..layout(args.width.width) };
    if let Some(path) = &args.trace {
        let (instance, trace, defines) = read_trace(args, path)?;
        let initial = trace.initial.clone();
        let Some(initial) = initial.filter(|_| !trace.steps.is_empty()) else { return tell(&instance, &trace, layout) };
        let simulation = Simulation::started(instance, initial);
        return Stepping::new(simulation, layout, args.seed, defines).along(trace.steps).run();
    }
    let program = program(args, options)?;
    let instance = Instance::new(program, args.copies);
    match (Simulation::new(instance.clone()), args.random) {
        (Err(wrong), _) => tell(&instance, &wrong, layout),
        (Ok(simulation), Some(number)) => random_executions(&simulation, number, args, layout),
        (Ok(simulation), None) => Stepping::new(simulation, layout, args.seed, given).run(),
    }
}

fn program(args: &SimulateArgs, options: &Options) -> Result<Arc<Program>, InputError> {
    load_program(std::slice::from_ref(&args.program.file), options, &Budget::unlimited(), false)
}

/// The trace, which must be one of this program.
fn read_trace(args: &SimulateArgs, path: &std::path::Path) -> Result<(Instance, Trace, Defines), InputError> {
    let unreadable = |error: FileError| {
        let message = format!("`{}` is not a trace of this program: {error}", path.display());
        InputError::new(message).hint("make it again with `threadwise check --trace`")
    };
    let file = TraceFile::read(open(path)?).map_err(unreadable)?;
    let flags = &args.program.language.options;
    let defines = defines::from_evidence(&file.header().defines, flags)?;
    let program = program(args, &defines::options_of_evidence(file.header(), &defines, flags))?;
    let (instance, trace) = file.trace(&program).map_err(unreadable)?;
    match replay(&instance, &trace) {
        Ok(_) => Ok((instance, trace, defines)),
        Err(error) => {
            let message = format!("`{}` is not an execution of this program: {error}", path.display());
            Err(InputError::new(message).hint("make it again with `threadwise check --trace`"))
        }
    }
}

/// An error before the first step: there is nothing to lead.
fn tell(instance: &Instance, trace: &Trace, layout: Layout) -> Job {
    print(&render_trace(&instance.program, &trace_text(instance, trace), &layout))?;
    Ok(Exit::Unsafe)
}

fn random_executions(simulation: &Simulation, number: u32, args: &SimulateArgs, layout: Layout) -> Job {
    let mut exit = Exit::Safe;
    for index in 0..u64::from(number) {
        let seed = args.seed.wrapping_add(index);
        let mut execution = simulation.clone();
        let mut dice = Dice::new(seed);
        if execution.state().is_none()
            && let Some(start) = threadwise_simulation::pick(&execution.choices(), &mut dice)
        {
            execution.take(start);
        }
        if execution.broken().is_empty() {
            run(&mut execution, &mut dice, args.steps, Until::Error);
        }
        let title = palette().paint(Tone::Quiet, format!("── execution {} of {number}, --seed {seed}", index + 1));
        print(&format!("{title}\n{}\n", told(&execution, args.steps, layout, &mut exit)))?;
    }
    Ok(exit)
}

/// An execution with what it ended in. An error counts only where the trace replays.
fn told(execution: &Simulation, most: usize, layout: Layout, exit: &mut Exit) -> String {
    let program = &execution.instance().program;
    let violation = execution.wrong().cloned().or_else(|| execution.broken().into_iter().next());
    if let Some(violation) = violation {
        let trace = execution.trace(violation);
        if replay(execution.instance(), &trace).is_ok() {
            *exit = Exit::Unsafe;
            return render_trace(program, &trace_text(execution.instance(), &trace), &layout);
        }
        return format!(
            "{}  what goes wrong here could not be replayed\n",
            steps(execution, execution.steps(), layout)
        );
    }
    let end = match execution.choices().is_empty() {
        true => standing(execution),
        false => format!("left after {most} steps; `--steps` allows more"),
    };
    format!("{}  {end}\n", steps(execution, execution.steps(), layout))
}

/// Why nobody can go on.
pub fn standing(execution: &Simulation) -> String {
    let instance = execution.instance();
    let rests = |state: &threadwise_ir::State| state.locals.iter().all(|local| instance.has_ended(local));
    match execution.state() {
        Some(state) if rests(state) => "all threads have ended".to_string(),
        Some(_) => "no thread can take a step, and some have not ended".to_string(),
        None => "the program has no initial state".to_string(),
    }
}

/// The start and these steps in words.
pub fn steps(execution: &Simulation, steps: &[TraceStep], layout: Layout) -> String {
    let Some(initial) = execution.initial() else { return String::new() };
    render_steps(&execution_text(&execution.named(), initial, steps), &layout)
}

/// What goes wrong, in a line.
pub fn error_line(execution: &Simulation, violation: &threadwise_evidence::Violation) -> String {
    let explanation = explain(execution.instance(), &execution.trace(violation.clone()));
    let place = execution.instance().program.source.locate(explanation.span);
    format!("{} at {place}", explanation.what)
}
