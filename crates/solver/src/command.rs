//! Which solver to run.

use crate::SolverError;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What to tell somebody who has no solver.
pub const HOW_TO_GET: &str = "no SMT solver was found; get one with `threadwise setup`, or with `apt-get install z3`, \
     or name one with `--solver`";

/// A solver and how it is started so that it reads SMT-LIB from standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverCommand {
    pub program: PathBuf,
    pub args: Vec<String>,
}

impl SolverCommand {
    /// A command as a user writes it. A program alone gets the arguments that the solvers known here
    /// need to read from standard input; a program with arguments is taken as it is.
    pub fn parse(command: &str) -> Option<SolverCommand> {
        // A path with blanks in it is one word if it is the name of a file.
        let mut words = if Path::new(command).is_file() { vec![command] } else { command.split_whitespace().collect() };
        if words.is_empty() {
            return None;
        }
        let program = PathBuf::from(words.remove(0));
        let args = if words.is_empty() { usual_args(&program) } else { words.into_iter().map(String::from).collect() };
        Some(SolverCommand { program, args })
    }

    /// Whether this is cvc5, which wants other options than Z3.
    pub fn is_cvc5(&self) -> bool {
        file_name(&self.program).contains("cvc5")
    }

    /// Whether this is Z3.
    pub fn is_z3(&self) -> bool {
        file_name(&self.program).contains("z3")
    }
}

fn file_name(program: &Path) -> String {
    program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn usual_args(program: &Path) -> Vec<String> {
    let name = file_name(program);
    let args: &[&str] = if name.contains("cvc5") {
        &["--lang=smt2", "--incremental", "--quiet"]
    } else if name.contains("z3") {
        &["-in", "-smt2"]
    } else {
        &[]
    };
    args.iter().map(|arg| arg.to_string()).collect()
}

/// The solver that the user of this process asked for.
static ASKED_FOR: OnceLock<String> = OnceLock::new();

/// Remembers for the whole process which solver its user asked for. Only the first word counts.
pub fn ask_for(command: &str) {
    let _ = ASKED_FOR.set(command.to_string());
}

/// Finds a solver: the one asked for here, else the one that [`ask_for`] remembers, else the environment's `THREADWISE_SOLVER`, else `z3` on the
/// path, else the copy that the project's set-up made, else `cvc5` on the path.
pub fn find(asked_for: Option<&str>) -> Result<SolverCommand, SolverError> {
    let variable = std::env::var("THREADWISE_SOLVER").ok();
    let remembered = ASKED_FOR.get().map(String::as_str);
    if let Some(command) = asked_for.or(remembered).or(variable.as_deref()).filter(|command| !command.trim().is_empty())
    {
        let found = SolverCommand::parse(command).filter(|command| is_runnable(&command.program));
        return found.ok_or_else(|| SolverError::Missing(format!("the solver `{command}` was not found")));
    }
    let found = on_path("z3").or_else(copy_of_the_set_up).or_else(|| on_path("cvc5"));
    match found.as_deref().and_then(Path::to_str).and_then(SolverCommand::parse) {
        Some(command) => Ok(command),
        None => Err(SolverError::Missing(HOW_TO_GET.to_string())),
    }
}

fn is_runnable(program: &Path) -> bool {
    if program.components().count() > 1 { program.is_file() } else { on_path(&program.to_string_lossy()).is_some() }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// The set-up puts its copy into `solver/` in Cargo's target directory: above this program where
/// it runs from there, else that of the clone it was built in; else among the user's data.
fn copy_of_the_set_up() -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1).take(4));
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let mut homes = above.map(Path::to_path_buf).chain([built_in]).chain(data_directory());
    homes.find_map(|home| Some(home.join("solver/z3")).filter(|file| file.is_file()))
}

/// Where what belongs to this program and its user is kept, by the rules for desktops.
pub fn data_directory() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("threadwise"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_alone_gets_its_arguments() {
        let z3 = SolverCommand::parse("/opt/z3").expect("a command");
        assert_eq!(z3.args, ["-in", "-smt2"]);
        assert!(SolverCommand::parse("cvc5").expect("a command").args.contains(&"--incremental".to_string()));
        assert_eq!(SolverCommand::parse("z3 -in -T:5").expect("a command").args, ["-in", "-T:5"]);
        assert_eq!(SolverCommand::parse("  "), None);
    }

    #[test]
    fn a_solver_that_is_not_there_is_an_error_and_not_replaced() {
        assert!(matches!(find(Some("/nowhere/z3")), Err(SolverError::Missing(text)) if text.contains("/nowhere/z3")));
    }
}
