//! `threadwise show`: the program as the engines see it.

use crate::args::{ChcArg, ShowArgs};
use crate::console::{print, set_color};
use crate::defines;
use crate::exit::{Exit, InputError, Job};
use crate::input::load_program;
use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::horn_clauses;
use threadwise_print::{abstract_dot, abstract_listing, dot, listing};

/// Prints the program as text or as a graph.
pub fn show(args: &ShowArgs) -> Job {
    set_color(args.color);
    let options = &args.program.language.options;
    defines::from_flags(options)?;
    let program = load_program(std::slice::from_ref(&args.program.file), options, &Budget::unlimited(), false)?;
    if args.abstracts && program.abstract_threads.is_empty() {
        let error = InputError::new(format!("{} has no abstract threads", program.source.name()));
        return Err(error.hint("`threadwise show` without `--abstract` prints the threads"));
    }
    if let Some(form) = args.chc {
        print(&clauses(&program, form)?)?;
        return Ok(Exit::Safe);
    }
    print(&match (args.abstracts, args.dot) {
        (false, false) => listing(&program),
        (false, true) => dot(&program),
        (true, false) => abstract_listing(&program),
        (true, true) => abstract_dot(&program),
    })?;
    Ok(Exit::Safe)
}

/// The premises of a proof as Horn clauses.
fn clauses(program: &Arc<Program>, form: ChcArg) -> Result<String, InputError> {
    horn_clauses(program, form == ChcArg::Modular)
        .map_err(|reason| InputError::new(format!("the program cannot be written as Horn clauses: {reason}")))
}
