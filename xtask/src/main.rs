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
    },
    /// Compare all engines with each other and with the naive interpreter on random programs.
    Soundness(Duration),
    /// Throw damaged programs at the front end.
    Fuzz(Duration),
    /// Put an SMT solver under Cargo's target directory, unless there is one.
    SetupSolver,
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
        Chore::Bench { quick, only } => bench::run(quick, only),
        Chore::Soundness(duration) => soundness::run(duration.seconds, duration.seed),
        Chore::Fuzz(duration) => fuzz::run(duration.seconds, duration.seed),
        Chore::SetupSolver => set_up_solver(),
    }
}

fn set_up_solver() -> anyhow::Result<()> {
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    let program = threadwise_solver_setup::set_up(&target).map_err(anyhow::Error::msg)?;
    println!("{}", program.display());
    Ok(())
}
