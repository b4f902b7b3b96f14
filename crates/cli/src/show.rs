//! `threadwise show`: the program as the engines see it.

use crate::args::ShowArgs;
use crate::console::{print, set_color};
use crate::defines;
use crate::exit::{Exit, Job};
use crate::input::load_program;

/// Prints the program as text or as a graph.
pub fn show(args: &ShowArgs) -> Job {
    set_color(args.color);
    defines::from_flags(&args.program.defines)?;
    let program = load_program(&args.program.file, &args.program.defines, false)?;
    print(&if args.dot { program.dot() } else { program.listing() })?;
    Ok(Exit::Safe)
}
