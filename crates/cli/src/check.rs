//! `threadwise check`: verify a program, or several.

use crate::args::{CheckArgs, Format};
use crate::complaint::complain;
use crate::console::{Console, layout, print};
use crate::defines::{self, Defines};
use crate::exit::{Exit, InputError, Job};
use crate::grow::{Grown, verify_and_grow};
use crate::input::load_bounded;
use crate::pending::PendingFile;
use crate::several::check_each;
use crate::work;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_evidence_files::{write_proof, write_trace};
use threadwise_frontends::frontend_for;
use threadwise_ir::{Program, Symmetry};
use threadwise_limits::peak_memory;
use threadwise_portfolio::{Outcome, Request};
use threadwise_report::{Layout, Report, human, json, show_count, to_text};
use threadwise_verdict::Verdict;

/// Verifies the program, or each of several.
pub fn check(args: &CheckArgs) -> Job {
    match (args.only, &args.files[..]) {
        (None, files) if files.len() == 1 || !args.separately && make_one_program(files) => check_one(args, files),
        (None, _) => check_each(args),
        (Some(index), files) => {
            let file = files.get(index).ok_or_else(|| InputError::new(format!("there is no file number {index}")))?;
            check_one(args, std::slice::from_ref(file))
        }
    }
}

/// Whether files are linked, as those of C are.
fn make_one_program(files: &[PathBuf]) -> bool {
    files.iter().all(|file| frontend_for(file).links() && frontend_for(file).noun() == frontend_for(&files[0]).noun())
}

/// Verifies a program, reports the verdict, and writes the evidence that was asked for.
fn check_one(args: &CheckArgs, names: &[PathBuf]) -> Job {
    let console = Console::new(&args.output);
    let budget = work::budget(&args.limits);
    work::choose_solver(&args.solver)?;
    let options = &args.language.options;
    let defines = defines::from_flags(options)?;
    let read = load_bounded(names, options, &budget, args.output.quiet)?;
    let files = EvidenceFiles::prepare(args, &names[0])?;
    let request = Request {
        engine: args.engine,
        want_proof: args.proof.is_some(),
        options: args.engines.options(&args.search),
        ..Request::default()
    };
    let clock = budget.clone();
    let Grown { program, outcome, level } = work::run(&console, budget, |budget| {
        let again = |level| load_bounded(names, &options.at_level(level), budget, true);
        verify_and_grow(read, &request, budget, again)
    });
    say_notes(&console, &outcome);
    if let Some(error) = &outcome.rejected {
        return Err(InputError::of_program(&program.source, error.clone()));
    }
    let chosen = outcome.chosen.as_ref().map(ToString::to_string);
    let report = Report {
        program: &program,
        verdict: &outcome.verdict,
        engine: outcome.engine.as_str(),
        chosen: chosen.as_deref(),
        modular: outcome.modular,
        proof: outcome.proof.as_ref(),
        symmetric: !args.search.no_symmetry && is_symmetric(&program),
        stats: &outcome.stats,
        attempts: &outcome.attempts,
        unreached: &outcome.unreached,
        seconds: clock.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory(),
    };
    print(&match console.format {
        Format::Human => human(&report, &Layout { whole_proof: args.output.verbose, ..layout(args.width.width) }),
        Format::Json => to_text(&json(&report)),
    })?;
    // Standard output has its one report by now.
    Ok(match files.write(&console, &program, &outcome, &defines::at_level(&defines, level)) {
        Ok(()) => exit_code(&outcome.verdict),
        Err(error) => complain(&error, Format::Human),
    })
}

/// Warnings are for everybody, other notes and the statistics for those who ask.
fn say_notes(console: &Console, outcome: &Outcome) {
    for note in &outcome.notes {
        match note.is_warning() {
            true => console.note(note.to_string()),
            false => console.detail(note.to_string()),
        }
    }
    for (name, n) in &outcome.stats.numbers {
        console.detail(format!("{}: {}", name.replace('_', " "), show_count(*n)));
    }
}

/// Whether there are copies that can be permuted.
fn is_symmetric(program: &Program) -> bool {
    matches!(program.symmetry(), Symmetry::Among(templates) if !templates.is_empty())
}

fn exit_code(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Safe(_) => Exit::Safe,
        Verdict::Unsafe(_) => Exit::Unsafe,
        Verdict::Unknown(unknown) if unknown.is_internal_error() => Exit::Internal,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The files that the user asked for.
struct EvidenceFiles {
    proof: Option<PendingFile>,
    trace: Option<PendingFile>,
}

impl EvidenceFiles {
    fn prepare(args: &CheckArgs, program: &Path) -> Result<EvidenceFiles, InputError> {
        let prepare = |path: &PathBuf| PendingFile::prepare(path, program);
        Ok(EvidenceFiles {
            proof: args.proof.as_ref().map(prepare).transpose()?,
            trace: args.trace.as_ref().map(prepare).transpose()?,
        })
    }

    /// Writes what the verdict comes with, and says what is not written.
    fn write(
        self,
        console: &Console,
        program: &Arc<Program>,
        outcome: &Outcome,
        defines: &Defines,
    ) -> Result<(), InputError> {
        let verdict = outcome.verdict.word().to_uppercase();
        match (self.proof, &outcome.proof) {
            (Some(file), Some(proof)) => file.write(|out| write_proof(out, program, proof, defines))?,
            (Some(_), None) => console.note(format!("no proof written: the verdict is {verdict}")),
            (None, _) => {}
        }
        match (self.trace, &outcome.verdict) {
            (Some(file), Verdict::Unsafe(found)) => {
                let (instance, trace) = (found.trace().instance(), found.trace().trace());
                file.write(|out| write_trace(BufWriter::new(out), instance, trace, defines))?;
            }
            (Some(_), _) => console.note(format!("no trace written: the verdict is {verdict}")),
            (None, _) => {}
        }
        Ok(())
    }
}
