//! `threadwise check`: verify a program, or several.

use crate::args::{CheckArgs, Format};
use crate::complaint::complain;
use crate::console::{Console, layout, print};
use crate::defines::{self, Defines};
use crate::exit::{Exit, InputError, Job};
use crate::grow::{Grown, verify_and_grow};
use crate::input::load_bounded;
use crate::pending::PendingFile;
use crate::properties::{Answered, answer_each, questions, worst};
use crate::several::check_each;
use crate::work;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_evidence_files::{write_proof, write_trace};
use threadwise_frontends::{Question, frontend_for};
use threadwise_ir::{Program, Symmetry};
use threadwise_limits::peak_memory;
use threadwise_portfolio::{Outcome, Request};
use threadwise_report::{Layout, PropertyAnswer, Report, human, json, reason, show_count, to_text};
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
    let request = Request {
        engine: args.engine,
        want_proof: args.proof.is_some(),
        options: args.engines.options(&args.search),
        ..Request::default()
    };
    let questions = questions(args, names);
    let read = load_bounded(names, options, &budget, args.output.quiet)?;
    let files = EvidenceFiles::prepare(args, &names[0])?;
    let clock = budget.clone();
    let mut answers = Vec::new();
    // A file has one proof, which is one of all that was asked.
    if questions.len() < 2 || args.proof.is_some() {
        let started = clock.elapsed();
        let grown = work::run(&console, budget.clone(), |budget| {
            let again = |level| load_bounded(names, &options.at_level(level), budget, true);
            verify_and_grow(read, &request, budget, again)
        });
        let seconds = (clock.elapsed() - started).as_secs_f64();
        answers = answered_at_once(&questions, &grown, seconds);
    }
    if questions.len() > 1 && !matches!(answers.first().map(|answer| &answer.outcome.verdict), Some(Verdict::Safe(_))) {
        answers = answer_each(names, &questions, &console, &budget, &request)?;
    }
    let main = &answers[worst(&answers)];
    say_notes(&console, &main.outcome);
    if let Some(error) = &main.outcome.rejected {
        return Err(InputError::of_program(&main.program.source, error.clone()));
    }
    let layout = Layout { whole_proof: args.output.verbose, ..layout(args.width.width) };
    let properties: Vec<PropertyAnswer> =
        answers.iter().filter(|_| !questions.is_empty()).map(property_answer).collect();
    let chosen = main.outcome.chosen.as_ref().map(ToString::to_string);
    let report = Report {
        program: &main.program,
        verdict: &main.outcome.verdict,
        properties: &properties,
        engine: main.outcome.engine.as_str(),
        chosen: chosen.as_deref(),
        modular: main.outcome.modular,
        proof: main.outcome.proof.as_ref(),
        symmetric: !args.search.no_symmetry && is_symmetric(&main.program),
        stats: &main.outcome.stats,
        attempts: &main.outcome.attempts,
        unreached: &main.outcome.unreached,
        seconds: clock.elapsed().as_secs_f64(),
        peak_memory_bytes: peak_memory(),
    };
    print(&match console.format {
        Format::Human => human(&report, &layout),
        Format::Json => to_text(&json(&report)),
    })?;
    // Standard output has its one report by now.
    Ok(match files.write(&console, &main.program, &main.outcome, &defines::at_level(&defines, main.level)) {
        Ok(()) => exit_code(&main.outcome.verdict),
        Err(error) => complain(&error, Format::Human),
    })
}

/// One run has answered everything that was asked.
fn answered_at_once(questions: &[Question], grown: &Grown, seconds: f64) -> Vec<Answered> {
    let names = questions.iter().map(|question| question.name).chain(questions.is_empty().then_some(""));
    let answer = |name| Answered {
        name,
        program: grown.program.clone(),
        outcome: grown.outcome.clone(),
        level: grown.level,
        seconds,
    };
    names.map(answer).collect()
}

fn property_answer(answer: &Answered) -> PropertyAnswer {
    PropertyAnswer {
        property: answer.name,
        verdict: answer.outcome.verdict.word(),
        reason: reason(&answer.program, &answer.outcome.verdict),
        engine: answer.outcome.engine.as_str(),
        seconds: answer.seconds,
    }
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
