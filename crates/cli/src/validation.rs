//! `threadwise audit prog.c WITNESS.yml`: a verification witness, whoever wrote it, is judged.

use crate::args::{AuditArgs, Format};
use crate::console::{Console, layout};
use crate::defines::Defines;
use crate::exit::{InputError, Job};
use crate::grow::verify_and_grow;
use crate::input::{Bounded, program_of, read_text};
use crate::judged::Judgement;
use crate::witness::Text;
use crate::work;
use std::sync::Arc;
use threadwise_evidence::violation_info;
use threadwise_frontends::{DATA_MODEL, EVERY_STEP, Options, PROPERTY, frontend_for, load_c_with_atlas};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{Outcome, Request};
use threadwise_replay::{ReplayedTrace, replay};
use threadwise_report::{render_trace, trace_text};
use threadwise_source::SourceFile;
use threadwise_verdict::Verdict;
use threadwise_witness::{
    Content, Followed, Ghosts, Guide, Invariant, Metadata, Waypoint, Witness, from_yaml, instrumented, lint,
    property_of, sha256,
};

/// So often bounds of the front end are raised where an execution comes to them.
const MOST_LEVELS: u32 = 4;

/// What is judged, and how.
struct Case<'a> {
    args: &'a AuditArgs,
    console: Console,
    budget: Budget,
    text: Text,
    options: Options,
}

/// What came of it, in words, and what else to show.
struct Finding {
    verdict: &'static str,
    reason: Option<String>,
    body: String,
    /// How many waypoints or invariants there are.
    size: usize,
}

/// Judges a witness from a file.
pub fn validate(args: &AuditArgs) -> Job {
    let console = Console::new(&args.output);
    let budget = work::budget(&args.limits);
    work::choose_solver(&args.solver)?;
    let name = args.proof.display();
    let file = read_text(&args.proof, "a witness is a list of entries")?;
    let unreadable = |error| InputError::new(format!("`{name}` is no witness: {error}"));
    let witness = from_yaml(file.text()).map_err(unreadable)?;
    for rule in lint(&witness) {
        console.note(format!("warning: `{name}`: {rule}"));
    }
    let first = &witness.entries[0].metadata;
    let options = options_for(first, args)?;
    let text = Text::read(std::slice::from_ref(&args.program.file), &options)?;
    fits(first, &text)?;
    let case = Case { args, console, budget, text, options };
    let finding = case.judge(&witness)?;
    let seconds = case.budget.elapsed().as_secs_f64();
    let judgement = Judgement::new(finding.verdict, "witness", &Defines::new(), seconds);
    Judgement { size: Some(finding.size as u64), reason: finding.reason, ..judgement }
        .print(&case.console, &finding.body)
}

/// How to read the program: as the witness says, unless the user says otherwise.
fn options_for(metadata: &Metadata, args: &AuditArgs) -> Result<Options, InputError> {
    let mut options = args.program.language.options.clone();
    if options.values(&PROPERTY).next().is_none() {
        let said = &metadata.task.specification;
        let property = property_of(said).ok_or_else(|| {
            let message = format!("the witness is about `{}`, which is not known here", said.trim());
            InputError::new(message).hint("say with `--property` what is to be verified")
        })?;
        options.add(&PROPERTY, property);
    }
    if options.values(&DATA_MODEL).next().is_none() && metadata.task.data_model == "ILP32" {
        options.add(&DATA_MODEL, "ILP32");
    }
    // Who wrote it may have come between steps that are merged otherwise.
    options.add(&EVERY_STEP, "");
    Ok(options)
}

/// Whether the witness is about these files.
fn fits(metadata: &Metadata, text: &Text) -> Result<(), InputError> {
    let files = &metadata.task.files;
    for (file, index) in text.files.iter().zip(0..) {
        let Some((name, hash)) = files.get(index) else { break };
        if !hash.eq_ignore_ascii_case(&sha256(file.text().as_bytes())) {
            let message = format!("the witness is about another text of `{name}` than that of `{}`", file.name());
            return Err(InputError::new(message).hint("give the file that the witness was made for"));
        }
    }
    Ok(())
}

impl Case<'_> {
    fn judge(&self, witness: &Witness) -> Result<Finding, InputError> {
        let violations = witness.entries.iter().filter_map(|entry| match &entry.content {
            Content::Violation(segments) => Some(segments),
            Content::Invariants(_) | Content::Ghosts(_) => None,
        });
        let mut last = None;
        if violations.clone().next().is_none() {
            return self.prove(witness);
        }
        for segments in violations {
            let finding = self.follow(segments)?;
            if finding.verdict == "confirmed" {
                return Ok(finding);
            }
            last = Some(finding);
        }
        Ok(last.expect("there is a violation"))
    }

    /// Proves that the invariants hold, and that the program has the property; each question is one for the engines.
    fn prove(&self, witness: &Witness) -> Result<Finding, InputError> {
        let invariants: Vec<Invariant> = witness.entries.iter().flat_map(|entry| entry.invariants()).cloned().collect();
        let ghosts: Vec<&Ghosts> = witness.entries.iter().filter_map(|entry| entry.ghosts()).collect();
        let size = invariants.len();
        let plain = |verdict, reason: String| Finding { verdict, reason: Some(reason), body: String::new(), size };
        let property = self.options.values(&PROPERTY).last().unwrap_or("assertions");
        let checked = match instrumented(&self.text.landmarks, &invariants, &ghosts) {
            Ok(checked) => checked,
            Err(reason) => return Ok(plain("unknown", reason)),
        };
        // What says nothing need not be proved; there is the program alone to be looked at.
        if invariants.iter().all(Invariant::is_trivial) {
            let outcome = self.verified(&self.text.files, &self.options, &|program| program)?;
            return Ok(self.of_property(outcome, size, "there are no invariants that say something"));
        }
        // Where assertions are not asked about, those of the program end silently.
        let only_checks = |program: Arc<Program>| match property {
            "assertions" => program,
            _ => Arc::new(checked.only_checks(&program)),
        };
        let options = self.options.with_only(&PROPERTY, "assertions");
        let outcome = self.verified(&checked.files, &options, &only_checks);
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(InputError::Program { diagnostics, .. }) => {
                let first = diagnostics.first().map_or_else(String::new, |error| error.message.clone());
                return Ok(plain(
                    "unknown",
                    format!("the program with the invariants in it is not understood: {first}"),
                ));
            }
            Err(error) => return Err(error),
        };
        match &outcome.verdict {
            Verdict::Unknown(unknown) => Ok(plain("unknown", unknown.summary().to_string())),
            Verdict::Unsafe(found) => {
                let span = violation_info(found.trace().instance(), &found.trace().trace().violation).span;
                let reason = match checked.invariant_at(span.start) {
                    Some(index) => {
                        let Invariant { location, value, .. } = &invariants[index];
                        format!("`{value}` does not always hold at {}:{}", location.file_name, location.line)
                    }
                    None => "the program itself goes wrong".to_string(),
                };
                let body = self.shown(found.trace());
                Ok(Finding { verdict: "refuted", reason: Some(reason), body, size })
            }
            Verdict::Safe(_) if property == "assertions" => Ok(self.confirmed(size, outcome.engine.as_str())),
            Verdict::Safe(_) => {
                let outcome = self.verified(&self.text.files, &self.options, &|program| program)?;
                Ok(self.of_property(outcome, size, "the invariants hold"))
            }
        }
    }

    /// What is left to say once the invariants are known to hold.
    fn of_property(&self, outcome: Outcome, size: usize, so_far: &str) -> Finding {
        match &outcome.verdict {
            Verdict::Safe(_) => self.confirmed(size, outcome.engine.as_str()),
            Verdict::Unknown(unknown) => {
                let reason = Some(format!("{so_far}; of the property: {}", unknown.summary()));
                Finding { verdict: "unknown", reason, body: String::new(), size }
            }
            Verdict::Unsafe(found) => {
                let reason = Some(format!("{so_far}, and the program goes wrong"));
                Finding { verdict: "refuted", reason, body: self.shown(found.trace()), size }
            }
        }
    }

    fn confirmed(&self, size: usize, engine: &str) -> Finding {
        let noun = if size == 1 { "invariant holds" } else { "invariants hold" };
        let name = self.args.program.file.display();
        let asked = self.options.values(&PROPERTY).last().unwrap_or("assertions");
        let body = format!("\n  {size} {noun}, by {engine}, and {name}, as to {asked}, is SAFE\n");
        Finding { verdict: "confirmed", reason: None, body, size }
    }

    /// Asks all engines about files that were read already.
    fn verified(
        &self,
        files: &[SourceFile],
        options: &Options,
        changed: &dyn Fn(Arc<Program>) -> Arc<Program>,
    ) -> Result<Outcome, InputError> {
        let frontend = frontend_for(&self.args.program.file);
        let load = |level: u32, budget: &Budget| {
            let loaded = frontend.load_within(files.to_vec(), &options.at_level(level), budget);
            let read = program_of(loaded.map_err(InputError::Limit)?, true)?;
            Ok(Bounded { program: changed(read.program), bounded: read.bounded })
        };
        let first = load(0, &self.budget)?;
        Ok(work::run(&self.console, self.budget.clone(), |budget| {
            verify_and_grow(first, &Request::default(), budget, |level| load(level, budget)).outcome
        }))
    }

    fn shown(&self, trace: &ReplayedTrace) -> String {
        if self.console.format == Format::Json {
            return String::new();
        }
        let text = trace_text(trace.instance(), trace.trace());
        format!("\n{}", render_trace(&trace.instance().program, &text, &layout(None)))
    }

    /// Follows a violation to an execution, with larger bounds where that is not enough.
    fn follow(&self, segments: &[Vec<Waypoint>]) -> Result<Finding, InputError> {
        let mut finding = None;
        for level in 0..MOST_LEVELS {
            let options = self.options.at_level(level);
            let (loaded, atlas, _) = load_c_with_atlas(self.text.files.clone(), &options);
            let read = program_of(loaded, self.args.output.quiet || level > 0)?;
            let landmarks = &self.text.landmarks;
            let guide = Guide { program: &read.program, landmarks, atlas: &atlas, segments };
            let followed = work::run(&self.console, self.budget.clone(), |budget| guide.follow(budget));
            let is_final = matches!(&followed, Ok(Followed::Found(_) | Followed::Nowhere { .. }) | Err(_));
            finding = Some(self.told(followed, segments));
            if is_final || read.bounded.is_empty() {
                break;
            }
        }
        Ok(finding.expect("there is a first level"))
    }

    fn told(&self, followed: Result<Followed, threadwise_limits::Limit>, segments: &[Vec<Waypoint>]) -> Finding {
        let size = segments.iter().map(Vec::len).sum();
        let of = segments.len();
        let plain = |verdict, reason: String| Finding { verdict, reason: Some(reason), body: String::new(), size };
        match followed {
            Err(limit) => plain("unknown", limit.to_string()),
            Ok(Followed::Nowhere { passed }) => {
                plain("refuted", format!("no execution gets past segment {} of {of} and goes wrong there", passed + 1))
            }
            Ok(Followed::Unknown { passed }) => {
                let far = format!("no execution was found that gets past segment {} of {of}", passed + 1);
                plain("unknown", format!("{far}, but not all were looked at"))
            }
            Ok(Followed::Found(found)) => match replay(&found.0, &found.1) {
                Ok(replayed) => Finding { verdict: "confirmed", reason: None, body: self.shown(&replayed), size },
                Err(error) => {
                    plain("unknown", format!("internal error: the trace that was found does not replay: {error}"))
                }
            },
        }
    }
}
