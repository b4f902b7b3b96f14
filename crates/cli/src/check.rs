//! `threadwise check`: verify a program, or several.

use crate::args::{CheckArgs, Format};
use crate::complaint::complain;
use crate::console::{Console, layout, print};
use crate::defines::{self, Defines};
use crate::exit::{Exit, InputError, Job};
use crate::forms::Forms;
use crate::grow::{Grown, verify_and_grow};
use crate::input::load_bounded;
use crate::pending::PendingFile;
use crate::properties::{Answered, answer_each, questions, worst};
use crate::several::check_each;
use crate::svcomp;
use crate::witness::{self, Asked};
use crate::work;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use threadwise_evidence_files::{write_proof, write_trace};
use threadwise_frontends::{EVERY_STEP, Question, frontend_for};
use threadwise_ir::{Program, Symmetry};
use threadwise_limits::peak_memory;
use threadwise_portfolio::{EngineChoice, EngineName, Outcome, Request};
use threadwise_report::{Layout, PropertyAnswer, Report, human, json, reason, show_count, to_text};
use threadwise_report_ci::{Checked, github};
use threadwise_verdict::Verdict;

/// Witnesses tell of each step by itself, so that nothing is merged where one is to be written.
pub fn keep_steps_for_witness(args: &mut CheckArgs) {
    let knows_steps = |file: &PathBuf| frontend_for(file).options().iter().any(|it| it.long == EVERY_STEP.long);
    if args.witness.is_some() && args.files.first().is_some_and(knows_steps) {
        args.language.options.add(&EVERY_STEP, "");
    }
}

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
pub fn make_one_program(files: &[PathBuf]) -> bool {
    files.iter().all(|file| frontend_for(file).links() && frontend_for(file).noun() == frontend_for(&files[0]).noun())
}

/// Verifies a program. What is wrong with a program that is none is written to files, too.
fn check_one(args: &CheckArgs, names: &[PathBuf]) -> Job {
    let mut forms = Forms::prepare(args, &names[0])?;
    let job = verify_one(args, names, &mut forms);
    if let Err(error) = &job {
        forms.write_error(error)?;
    }
    job
}

/// Verifies a program, reports the verdict, and writes the evidence that was asked for.
fn verify_one(args: &CheckArgs, names: &[PathBuf], forms: &mut Forms) -> Job {
    let console = Console::new(&args.output);
    let budget = work::budget(&args.limits);
    work::choose_solver(&args.solver)?;
    let options = &args.language.options;
    let defines = defines::from_flags(options)?;
    let request = request(args)?;
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
        answers = answered_at_once(&questions, grown, seconds);
    }
    if questions.len() > 1 && !matches!(answers.first().map(|answer| &answer.outcome.verdict), Some(Verdict::Safe(_))) {
        answers = answer_each(names, &questions, &console, &budget, &request)?;
    }
    let main = &answers[worst(&answers)];
    say_notes(&console, &main.outcome);
    if let Some(error) = &main.outcome.rejected {
        return Err(InputError::of_program(&main.program.source, error.clone()));
    }
    let layout = Layout { whole: args.output.verbose, ..layout(args.width.width) };
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
        Format::Svcomp => svcomp::verdicts(&answers),
        Format::Github => {
            let report = serde_json::to_value(json(&report)).unwrap_or_default();
            github(&Checked { file: &names[0].display().to_string(), report: &report })
        }
        Format::Json => to_text(&json(&report)),
    })?;
    // Standard output has its one report by now.
    let asked = Asked { names, questions: &questions, options };
    let written = files.write(&console, main, &defines::at_level(&defines, main.level), &asked);
    Ok(match written.and_then(|()| forms.write(&report)) {
        Ok(()) => exit_code(&main.outcome.verdict),
        Err(error) => complain(&error, Format::Human),
    })
}

/// What the engines are asked. Only a search can count how often statements are reached.
fn request(args: &CheckArgs) -> Result<Request, InputError> {
    let mut options = args.engines.options(&args.search);
    options.explicit.cover = args.cover;
    let explicit = EngineChoice::Only(EngineName::Explicit);
    if args.cover && ![EngineChoice::Auto, explicit].contains(&args.engine) {
        let error =
            InputError::new(format!("engine `{}` does not count how often statements are reached", args.engine));
        return Err(error.hint("`--cover` goes with `--engine explicit`, which is used where no engine is named"));
    }
    let engine = if args.cover { explicit } else { args.engine };
    Ok(Request { engine, want_proof: args.proof.is_some() || args.witness.is_some(), options, ..Request::default() })
}

/// One run has answered everything that was asked.
fn answered_at_once(questions: &[Question], grown: Grown, seconds: f64) -> Vec<Answered> {
    let names = questions.iter().map(|question| question.name).chain(questions.is_empty().then_some(""));
    let outcome = Arc::new(grown.outcome);
    let answer =
        |name| Answered { name, program: grown.program.clone(), outcome: outcome.clone(), level: grown.level, seconds };
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
    witness: Option<PendingFile>,
}

impl EvidenceFiles {
    fn prepare(args: &CheckArgs, program: &Path) -> Result<EvidenceFiles, InputError> {
        let prepare = |path: &PathBuf| PendingFile::prepare(path, program);
        Ok(EvidenceFiles {
            proof: args.proof.as_ref().map(prepare).transpose()?,
            trace: args.trace.as_ref().map(prepare).transpose()?,
            witness: args.witness.as_ref().map(prepare).transpose()?,
        })
    }

    /// Writes what the verdict comes with, and says what is not written.
    fn write(self, console: &Console, main: &Answered, defines: &Defines, asked: &Asked<'_>) -> Result<(), InputError> {
        let (program, outcome) = (&main.program, &main.outcome);
        if let Some(file) = self.witness {
            witness::write(console, main, asked, file)?;
        }
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
