//! The flags, each with its help.

use crate::engine_args::{EngineArgs, SearchArgs, engine_choice};
use crate::frontend_args::FrontendArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::time::Duration;
use threadwise_portfolio::EngineChoice;

const EXAMPLES: &str = "\
Examples:
  threadwise check peterson.tw                  verify a program
  threadwise peterson.tw                        the same
  threadwise check simple.tw -D N=8             with the constant N set to 8
  threadwise check locks/*.tw                   one verdict each, and a table at the end
  threadwise check big.tw --timeout 60          give up after a minute
  threadwise check a.tw --proof a.proof.json    keep the proof of a SAFE verdict…
  threadwise audit a.tw a.proof.json            …and check it again later
  threadwise check b.tw --trace b.trace.json    keep the counterexample of an UNSAFE verdict…
  threadwise replay b.tw b.trace.json           …and run it again step by step
  threadwise replay --native b.c b.trace.json   …and on the machine, with the program compiled
  threadwise check b.tw --html b.html           the report as a page for browsers
  threadwise watch a.tw                         verify again after every change
  threadwise simulate a.tw                      step through an execution by hand
  threadwise show a.tw --dot | dot -Tsvg        draw the control-flow graphs

Exit codes:
  0   SAFE (audit, replay: confirmed)
  10  UNSAFE (audit, replay: refuted)
  5   UNKNOWN, limits included
  2   bad usage or bad input
  6   internal error";

/// Verifies multithreaded programs: SAFE with a proof, UNSAFE with a counterexample, or UNKNOWN
/// with the reason.
#[derive(Parser, Debug)]
#[command(name = "threadwise", version, after_help = EXAMPLES, max_term_width = 100)]
#[command(propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The jobs.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Verify a program, or several: `threadwise FILE` means `threadwise check FILE`
    Check(Box<CheckArgs>),
    /// Verify programs again whenever they change; takes the flags of `check`
    Watch(Box<CheckArgs>),
    /// Run every applicable engine on a program and compare verdicts, time and memory
    Compare(CompareArgs),
    /// Check a proof again, independently of the engine that found it
    Audit(AuditArgs),
    /// Run a counterexample step by step on the program and confirm the error
    Replay(ReplayArgs),
    /// Step through an execution by hand, at random, or along a counterexample
    Simulate(SimulateArgs),
    /// Print the program as the engines see it: variables, control-flow graphs, steps
    Show(ShowArgs),
    /// Lay out .tw programs: indentation, blanks, empty lines
    Fmt(FmtArgs),
    /// Serve an editor over standard input and output (language server protocol)
    Lsp(LspArgs),
    /// Get what is missing on this machine (an SMT solver), say what is there, and verify a first program
    Setup {
        /// The program to verify afterwards
        file: Option<PathBuf>,
    },
    /// Print a completion script for a shell
    ///
    /// For bash: threadwise completions bash > ~/.local/share/bash-completion/completions/threadwise
    Completions {
        /// The shell to complete in
        shell: Shell,
    },
    /// Print a manual page
    ///
    /// To read it: threadwise man | man -l -
    Man {
        /// The command to describe; without one, Threadwise as a whole
        command: Option<String>,
    },
}

/// Flags of `fmt`.
#[derive(Args, Debug)]
pub struct FmtArgs {
    /// The .tw files to rewrite; `-` reads standard input and prints
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Rewrite nothing; end with 10 if a file is not laid out
    #[arg(long)]
    pub check: bool,
}

/// Flags of `lsp`: editors set the rest while it runs.
#[derive(Args, Debug)]
pub struct LspArgs {
    /// Speak over standard input and output, which is all there is; some editors say so
    #[arg(long)]
    pub stdio: bool,
}

/// Flags of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The programs: .tw files, transition systems in .ts files, or C in .c and .i files, which together are one
    /// program; `-` reads standard input; of a folder, all tasks (.yml) in it or else all programs, each by itself
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Verify only the file with this number
    #[arg(long, value_name = "INDEX", hide = true)]
    pub only: Option<usize>,
    /// Verify each file by itself, where several would be one program
    #[arg(long)]
    pub separately: bool,
    #[command(flatten)]
    pub language: FrontendArgs,
    /// The engine that does the work
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = engine_choice())]
    pub engine: EngineChoice,
    #[command(flatten)]
    pub engines: EngineArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Count how often each statement is reached, in a search with engine `explicit`, and print the program with the numbers
    #[arg(long)]
    pub cover: bool,
    /// Write the proof of a SAFE verdict to this file (JSON, what `audit` reads)
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    /// Write the counterexample of an UNSAFE verdict to this file (JSON, what `replay` reads)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write what the verdict on a C program rests on to this file, as a verification witness that other tools read too
    /// (YAML, what `audit` reads)
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub forms: FormArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub width: WidthArgs,
}

/// A table of what came of many programs.
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Verify all files, tasks and folders one by one, and write what came of them to this file: a page with quantile plots (.html)
    /// or CSV (.csv). Interrupted, the same command goes on where it was, with FILE.journal
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// With --table: verify this many at once
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..), requires = "table")]
    pub jobs: Option<u16>,
}

/// The answer in other forms, beside what is printed.
#[derive(Args, Debug)]
pub struct FormArgs {
    /// Write the report as a page for browsers to this file: the source, the trace to walk through or the proof
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the findings to this file for code scanning (SARIF 2.1.0)
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the verdicts to this file as test results (JUnit XML)
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the data of the page, for `compare`
    #[arg(long, value_name = "FILE", hide = true)]
    pub page: Option<PathBuf>,
    /// Write the report as JSON beside what is printed, for `check` with several files and for `watch`
    #[arg(long, value_name = "FILE", hide = true)]
    pub report: Option<PathBuf>,
}

/// Flags of `compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Write the table and each engine's report as a page for browsers to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `audit`.
#[derive(Args, Debug)]
pub struct AuditArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The proof that `check --proof` wrote, or a verification witness of anybody's
    #[arg(value_name = "PROOF.json|WITNESS.yml")]
    pub proof: PathBuf,
    #[command(flatten)]
    pub solver: SolverArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Flags of `replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// The counterexample that `check --trace` wrote
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Run the program, in C or Java, lead its threads through the counterexample, and confirm the error there
    #[arg(long)]
    pub native: bool,
    /// With --native: give up when the compiled program has run for this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", requires = "native")]
    pub timeout: Duration,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub width: WidthArgs,
}

/// Flags of `simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// A counterexample that `check --trace` wrote, to walk along
    #[arg(value_name = "TRACE.json", conflicts_with = "random")]
    pub trace: Option<PathBuf>,
    /// Print this many random executions instead of asking what to do; ends with 10 if one of them goes wrong
    #[arg(long, value_name = "N")]
    pub random: Option<u32>,
    /// What chance starts with: the same number means the same executions; the second of them is the first of the next number
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Leave a random execution after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 100)]
    pub steps: usize,
    /// How many copies threads have that are declared with `[*]`
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub copies: u32,
    /// When to use colours; NO_COLOR is obeyed too
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    #[command(flatten)]
    pub width: WidthArgs,
}

/// Flags of `show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Print a graph for Graphviz instead of text
    #[arg(long)]
    pub dot: bool,
    /// Print abstract threads beside the threads they specify, and nothing else
    #[arg(long = "abstract")]
    pub abstracts: bool,
    /// Print the premises of a proof as Horn clauses in SMT-LIB instead, for other solvers
    #[arg(long, value_name = "FORM", value_enum, conflicts_with = "dot", num_args = 0..=1, default_missing_value = "modular")]
    pub chc: Option<ChcArg>,
    /// When to use colours in diagnostics; NO_COLOR is obeyed too
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// What form of Horn clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ChcArg {
    /// One relation for each control point of each thread, over shared variables and its own locals
    Modular,
    /// One relation for each combination of control points, over all variables
    General,
}

/// Which program.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// The program: a .tw file, or a transition system in a .ts file; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub language: FrontendArgs,
}

/// How much to use.
#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Give up after this many seconds; fractions are allowed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Give up when cores have worked this many seconds for it, solver included; two engines then work at once at most
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub cpu_time: Option<Duration>,
    /// Give up when more than this much memory is used, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub memory: Option<u64>,
}

/// Which solver.
#[derive(Args, Debug)]
pub struct SolverArgs {
    /// The SMT solver for the engines that need one: a program, perhaps with arguments
    #[arg(long, value_name = "CMD")]
    pub solver: Option<String>,
}

/// What to print.
#[derive(Args, Debug)]
pub struct OutputArgs {
    /// What goes to standard output; progress and notes go to standard error
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Say nothing on standard error but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: notes and statistics on standard error, long proofs in full
    #[arg(short, long)]
    pub verbose: bool,
    /// When to use colours; NO_COLOR is obeyed too
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// How wide to print.
#[derive(Args, Debug)]
pub struct WidthArgs {
    /// Lay the output out for this many columns; by default the terminal's width, if there is one
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    pub width: Option<u16>,
}

/// The formats of standard output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Text for people
    Human,
    /// One JSON object for scripts
    Json,
    /// The verdict alone, as the competition on software verification and BenchExec spell it: `true`,
    /// `false(unreach-call)`, `unknown`; of `check`
    Svcomp,
    /// Annotations that GitHub shows beside the code; of `check`
    Github,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "give a number of seconds, like 60 or 0.5".to_string())?;
    let duration = Duration::try_from_secs_f64(number);
    duration.map_err(|_| "give a number of seconds that is not negative".to_string())
}
