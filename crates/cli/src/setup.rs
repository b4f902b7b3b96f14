//! `threadwise setup`: gets what is missing on this machine, tells what is there, and verifies a first program.

use crate::console::{print, say};
use crate::exit::{Exit, InputError, Job};
use crate::own_run::this_program;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Gets a solver where there is none, says what else is there, and verifies the file if there is one.
pub fn set_up(first: Option<&Path>) -> Job {
    let solver = solver();
    match &solver {
        Ok(path) => print(&format!("solver      {}\n", path.display()))?,
        Err(reason) => say(&format!("note: {reason}; engines that need a solver are left out until there is one")),
    }
    print(&c_compiler())?;
    match first {
        Some(file) => verified(file),
        None if solver.is_ok() => Ok(Exit::Safe),
        None => Ok(Exit::Unknown),
    }
}

/// The solver that is found, or else one that is fetched now.
fn solver() -> Result<PathBuf, String> {
    if let Ok(found) = threadwise_solver::find(None) {
        return Ok(found.program);
    }
    let home = threadwise_solver_setup::home()?;
    say("fetching an SMT solver, which takes a few seconds…");
    threadwise_solver_setup::set_up(&home)
}

/// What reads C programs, which is not fetched: it is part of the system.
fn c_compiler() -> String {
    let name = std::env::var("CC").ok().filter(|name| !name.is_empty()).unwrap_or("cc".to_string());
    let asked = Command::new(&name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match asked {
        Ok(status) if status.success() => format!("C compiler  {name}\n"),
        _ => "C compiler  none; `.c` files need one to be preprocessed: apt-get install gcc\n".to_string(),
    }
}

/// Verifies the file as `threadwise check` does.
fn verified(file: &Path) -> Job {
    print(&format!("\n$ threadwise check {}\n", file.display()))?;
    let ended = this_program()?.arg("check").arg(file).status();
    let ended = ended.map_err(|e| InputError::new(format!("cannot run the threadwise program itself: {e}")))?;
    Ok(ended.code().and_then(Exit::from_code).unwrap_or(Exit::Internal))
}
