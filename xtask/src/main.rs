//! Chores of the project: `cargo xtask bench`, `soundness`, `fuzz`, `setup-solver`.

mod abstraction;
mod bench;
mod cartesian;
mod fuzz;
mod measure;
mod modular;
mod peers;
mod predicates;
mod soundness;

use clap::Parser;

/// Chores of the Threadwise project.
#[derive(Parser)]
enum Chore {
    /// Measure against SPIN and rumur, and write docs/BENCHMARKS.md.
    Bench {
        /// Small sizes only, and print the page instead of writing it.
        #[arg(long)]
        quick: bool,
        /// Measure one part of the page only, and keep the others.
        #[arg(long)]
        only: Option<bench::Part>,
        /// How many seconds of CPU time every tool gets for one size.
        #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
    },
    /// Compare the engines with the naive interpreter on random programs.
    Soundness(Duration),
    /// Throw damaged programs at the front end.
    Fuzz(Duration),
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
        Chore::Bench { quick, only, seconds } => bench::run(quick, only, seconds),
        Chore::Soundness(duration) => soundness::run(duration.seconds, duration.seed),
        Chore::Fuzz(duration) => fuzz::run(duration.seconds, duration.seed),
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
