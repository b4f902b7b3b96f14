//! Chores of the project: `cargo xtask bench`, `soundness`, `fuzz`, `limits`, `dist`, `svcomp-archive`,
//! `setup-solver`.

mod abstraction;
mod archive;
mod auto;
mod bench;
mod cartesian;
mod data;
mod deadlock;
mod dist;
mod findings;
mod fit;
mod fuzz;
mod limits;
mod measure;
mod modular;
mod page;
mod peers;
mod picture;
mod predicates;
mod search;
mod setting;
mod soundness;
mod tables;
mod third_party;

use clap::Parser;

/// Chores of the Threadwise project.
#[derive(Parser)]
enum Chore {
    /// Measure against SPIN and rumur, and write docs/BENCHMARKS.md with its pictures.
    Bench(bench::Options),
    /// Compare all engines with each other and with the naive interpreter on random programs.
    Soundness(Duration),
    /// Throw damaged programs at the front end.
    Fuzz(Duration),
    /// Throw expensive programs at all engines under small limits, and print by how much these are missed.
    Limits(limits::Options),
    /// Make a release: a static program with licences, completions and manual pages, in an archive with a checksum.
    Dist(dist::Options),
    /// Make the archive for the competition on software verification, and try it.
    SvcompArchive(archive::Options),
    /// Put an SMT solver under Cargo's target directory, unless there is one.
    SetupSolver {
        /// Debian's Z3, beside the other; set THREADWISE_SOLVER to the path that is printed to use it.
        #[arg(long)]
        debian: bool,
    },
}

/// For how long, and where to start.
#[derive(clap::Args)]
struct Duration {
    /// How many seconds to go on.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The number of the first program; the same number gives the same program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Bench(options) => bench::run(&options),
        Chore::Soundness(duration) => soundness::run(duration.seconds, duration.seed),
        Chore::Fuzz(duration) => fuzz::run(duration.seconds, duration.seed),
        Chore::Limits(options) => limits::run(&options),
        Chore::Dist(options) => dist::run(&options),
        Chore::SvcompArchive(options) => archive::run(&options),
        Chore::SetupSolver { debian } => set_up_solver(debian),
    }
}

fn set_up_solver(debian: bool) -> anyhow::Result<()> {
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    let set_up = if debian { threadwise_solver_setup::set_up_debian } else { threadwise_solver_setup::set_up };
    let program = set_up(&target).map_err(anyhow::Error::msg)?;
    println!("{}", program.display());
    Ok(())
}
