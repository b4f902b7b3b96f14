//! Gets an SMT solver where there is none: for `threadwise setup`, `cargo xtask setup-solver` and tests.
//!
//! The solver goes to `solver/` in Cargo's target directory, or among the user's data where the program does not run
//! from there; [`threadwise_solver::find`] looks for it in both. It comes from the Python package `z3-solver`, whose wheel has the program inside, or else
//! from Debian's package `z3`. Nothing is installed on the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use threadwise_limits::Budget;
use threadwise_solver::{SolverCommand, find, run_script};

/// The version that the tests are known to work with; any other will do if it cannot be had.
const WHEELS: [&str; 2] = ["z3-solver==5.4.0.0", "z3-solver"];

/// A way to fetch a solver into a directory.
type Way = fn(&Path) -> Result<PathBuf, String>;

/// Ways, with names.
type Ways<'a> = &'a [(&'static str, Way)];

const WAYS: Ways<'_> = &[("the Python package z3-solver", from_wheel), ("the Debian package z3", from_debian)];

/// A solver for tests: the one that is found, or else one that is fetched now. Panics, with what to
/// do, where there is none to be had.
pub fn solver_for_tests() -> SolverCommand {
    static FOUND: OnceLock<Result<SolverCommand, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| match find(None) {
        Ok(command) => Ok(command),
        Err(_) => set_up(&target_directory()?).and_then(|_| find(None).map_err(|e| e.to_string())),
    });
    match found {
        Ok(command) => command.clone(),
        Err(reason) => panic!("these tests need an SMT solver: {reason}"),
    }
}

/// Cargo's target directory, seen from the running program.
pub fn target_directory() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let tagged = program.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file());
    tagged.map(Path::to_path_buf).ok_or_else(|| "this program does not run from Cargo's target directory".to_string())
}

/// Where a solver for this very program belongs: Cargo's target directory if it runs from there, else the user's data.
pub fn home() -> Result<PathBuf, String> {
    let installed = || threadwise_solver::data_directory().ok_or("there is no home directory".to_string());
    target_directory().or_else(|_| installed())
}

/// Puts a solver into `solver/` in this directory, unless there is one, and returns its path.
pub fn set_up(target: &Path) -> Result<PathBuf, String> {
    set_up_in(&target.join("solver"), WAYS)
}

/// Puts Debian's Z3, which is older, into `solver-debian/` in this directory, where nobody finds it by chance.
pub fn set_up_debian(target: &Path) -> Result<PathBuf, String> {
    set_up_in(&target.join("solver-debian"), &WAYS[1..])
}

fn set_up_in(home: &Path, ways: Ways<'_>) -> Result<PathBuf, String> {
    let program = home.join("z3");
    fs::create_dir_all(home).map_err(|e| format!("cannot make {}: {e}", home.display()))?;
    // Several test programs may come here at once.
    let lock = fs::File::create(home.join("lock")).map_err(|e| e.to_string())?;
    lock.lock().map_err(|e| e.to_string())?;
    if works(&program) {
        return Ok(program);
    }
    let mut tried = Vec::new();
    for (name, way) in ways {
        let scratch = home.join("download");
        let _ = fs::remove_dir_all(&scratch);
        let result = fs::create_dir_all(&scratch).map_err(|e| e.to_string()).and_then(|()| way(&scratch));
        let result = result.and_then(|found| install(&found, &program));
        let _ = fs::remove_dir_all(&scratch);
        match result {
            Ok(()) => return Ok(program),
            Err(reason) => tried.push(format!("{name}: {reason}")),
        }
    }
    Err(format!(
        "no solver could be fetched ({}); install z3 (`apt-get install z3`) or set THREADWISE_SOLVER to its path",
        tried.join("; ")
    ))
}

/// Moves the program to its place at once, so that nobody finds half of it.
fn install(found: &Path, program: &Path) -> Result<(), String> {
    make_executable(found)?;
    if !works(found) {
        return Err("the program does not run here".to_string());
    }
    fs::rename(found, program).map_err(|e| e.to_string())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).map_err(|e| e.to_string())
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Whether this is a solver that answers.
fn works(program: &Path) -> bool {
    let Some(command) = program.is_file().then(|| program.to_str().and_then(SolverCommand::parse)).flatten() else {
        return false;
    };
    let answer = run_script(&command, "(check-sat)\n", Duration::from_secs(20), None, &Budget::unlimited());
    answer.is_ok_and(|text| text.trim() == "sat")
}

fn from_wheel(scratch: &Path) -> Result<PathBuf, String> {
    let mut result = Err(String::new());
    for wheel in WHEELS {
        result = download(wheel, scratch);
        if result.is_ok() {
            break;
        }
    }
    result?;
    let wheel = find_file(scratch, &|name| name.ends_with(".whl")).ok_or("no wheel came")?;
    let unpacked = scratch.join("unpacked");
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked))?;
    let inside = |path: &Path| path.parent().is_some_and(|dir| dir.ends_with("bin"));
    let program = find_file(&unpacked, &|name| name == "z3").filter(|path| inside(path));
    program.ok_or_else(|| "the wheel has no program in it".to_string())
}

/// With the machine's pip, or else with that of a virtual environment of our own.
fn download(wheel: &str, scratch: &Path) -> Result<(), String> {
    let args = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", wheel, "-d"];
    let direct = run(Command::new("python3").args(args).arg(scratch));
    let Err(reason) = direct else { return Ok(()) };
    if !reason.contains("No module named pip") {
        return Err(reason);
    }
    let environment = scratch.join("environment");
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    run(Command::new(environment.join("bin/python")).args(args).arg(scratch))
}

/// Fetches and unpacks the package; this needs no rights.
fn from_debian(scratch: &Path) -> Result<PathBuf, String> {
    if run(Command::new("apt-get").args(["download", "z3"]).current_dir(scratch)).is_err() {
        // The lists of packages may be missing; only root can fetch them.
        run(Command::new("apt-get").args(["-q", "update"]))?;
        run(Command::new("apt-get").args(["download", "z3"]).current_dir(scratch))?;
    }
    let package = find_file(scratch, &|name| name.ends_with(".deb")).ok_or("no package came")?;
    run(Command::new("dpkg").arg("-x").arg(&package).arg(scratch.join("unpacked")))?;
    find_file(&scratch.join("unpacked/usr/bin"), &|name| name == "z3").ok_or_else(|| "it has no program".to_string())
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("cannot run {name}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr).trim().lines().last().unwrap_or("").to_string();
    Err(format!("{name} failed: {complaint}"))
}

fn find_file(dir: &Path, wanted: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let here = |path: &&PathBuf| path.is_file() && path.file_name().is_some_and(|name| wanted(&name.to_string_lossy()));
    let found = entries.iter().find(here).cloned();
    found.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|sub| find_file(sub, wanted)))
}
