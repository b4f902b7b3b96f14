//! The archive with which Threadwise takes part in the competition on software verification: one zip with one folder, which runs without a
//! network from wherever it is unpacked.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const TOP: &str = "threadwise";

/// What is taken from the project as it is, and its name in the archive.
const TAKEN: [(&str, &str); 4] = [
    ("LICENSE", "LICENSE"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("contrib/benchexec", ""),
];

const README: &str = "\
Threadwise verifies multithreaded programs: true with a proof that a second program has checked, false with a counterexample that was
run step by step, or unknown.

  ./smoketest.sh                                        two small programs
  ./threadwise check --property FILE.prp --data-model LP64 --format svcomp --witness witness.yml prog.i
  ./threadwise audit prog.i witness.yml                 validates a witness
  benchexec --tool-directory . smoke.xml                the tool-info module is threadwise.py

The SMT solver Z3 stands in solver/, with its own licence beside it; without it fewer programs are decided. Nothing else is needed: no
network, no other folder.
";

/// Whose the solver is. Its licence is one of ours, in the words of which the holder is another.
const HOLDER_OF_Z3: &str = "Copyright (c) Microsoft Corporation";

/// What to put where.
#[derive(clap::Args)]
pub struct Options {
    /// The archive to write.
    #[arg(long, default_value = "target/threadwise.zip")]
    out: PathBuf,
    /// A program that is built already; without one, a release build is made.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Writes the archive and tries it: it is unpacked elsewhere and its own test is run there.
pub fn run(options: &Options) -> Result<()> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = options.program.clone().map_or_else(|| release_build(&project), Ok)?;
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    let solver = threadwise_solver_setup::set_up(&target).map_err(anyhow::Error::msg)?;
    let mut archive = Archive::create(&options.out)?;
    archive.add(&program, "threadwise")?;
    archive.add(&solver, "solver/z3")?;
    archive.add_text(&licence_of_z3(&project)?, "solver/LICENSE.txt")?;
    archive.add_text(README, "README.txt")?;
    archive.add_text(&crate::third_party::licences(&project)?, "THIRD-PARTY.md")?;
    for (from, to) in TAKEN {
        archive.add_all(&project.join(from), to)?;
    }
    archive.zip.finish()?;
    try_it(&options.out)?;
    let bytes = std::fs::metadata(&options.out)?.len();
    println!("{}: {} MiB", options.out.display(), bytes >> 20);
    Ok(())
}

/// The solver comes from the Python package `z3-solver`, unchanged, under the MIT licence.
fn licence_of_z3(project: &Path) -> Result<String> {
    let own = std::fs::read_to_string(project.join("LICENSE-MIT"))?;
    ensure!(own.lines().any(|line| line.starts_with("Copyright")), "LICENSE-MIT names no holder");
    let line = |line: &str| if line.starts_with("Copyright") { HOLDER_OF_Z3.to_string() } else { line.to_string() };
    let text = own.lines().map(line).collect::<Vec<String>>().join("\n");
    Ok(format!("z3 is the program of the Python package z3-solver, unchanged.\n\n{text}\n"))
}

fn release_build(project: &Path) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--release", "--package", "threadwise-cli"];
    let status = Command::new(cargo).args(arguments).current_dir(project).status()?;
    ensure!(status.success(), "the release build failed");
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    Ok(target.join("release/threadwise"))
}

struct Archive {
    zip: ZipWriter<File>,
}

impl Archive {
    fn create(path: &Path) -> Result<Archive> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Archive { zip: ZipWriter::new(file) })
    }

    /// A folder with all that is in it, in the order of the names, or a file.
    fn add_all(&mut self, from: &Path, to: &str) -> Result<()> {
        if !from.is_dir() {
            return self.add(from, to);
        }
        let mut names: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(from)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        for name in names.iter().filter(|name| *name != "__pycache__") {
            let inside = if to.is_empty() { name.clone() } else { format!("{to}/{name}") };
            self.add_all(&from.join(name), &inside)?;
        }
        Ok(())
    }

    fn add(&mut self, from: &Path, to: &str) -> Result<()> {
        let bytes = std::fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        self.write(&bytes, to, is_executable(from)?)
    }

    fn add_text(&mut self, text: &str, to: &str) -> Result<()> {
        self.write(text.as_bytes(), to, false)
    }

    /// The same content gives the same archive: entries have no time of their own.
    fn write(&mut self, bytes: &[u8], to: &str, is_executable: bool) -> Result<()> {
        let options = SimpleFileOptions::default().unix_permissions(if is_executable { 0o755 } else { 0o644 });
        self.zip.start_file(format!("{TOP}/{to}"), options)?;
        self.zip.write_all(bytes)?;
        Ok(())
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(file)?.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> Result<bool> {
    Ok(false)
}

/// Unpacks the archive into a folder of its own, and runs its test from the root of the file system, with an environment that knows of no
/// other solver.
fn try_it(archive: &Path) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("threadwise archive {}", std::process::id()));
    let tried =
        zip::ZipArchive::new(File::open(archive)?)?.extract(&folder).map_err(anyhow::Error::from).and_then(|()| {
            let mut test = Command::new(folder.join(TOP).join("smoketest.sh"));
            let status = test.current_dir("/").env_remove("THREADWISE_SOLVER").status()?;
            ensure!(status.success(), "the archive does not pass its own test");
            Ok(())
        });
    let _ = std::fs::remove_dir_all(&folder);
    tried
}
