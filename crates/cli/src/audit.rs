//! `threadwise audit`: check a proof again.

use crate::args::AuditArgs;
use crate::console::Console;
use crate::defines;
use crate::exit::{InputError, Job};
use crate::input::{load_program, open};
use crate::judged::Judgement;
use crate::validation;
use crate::work;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{FileError, Proof};
use threadwise_evidence_files::ProofFile;
use threadwise_frontends::is_task;
use threadwise_ir::Program;
use threadwise_report::{show_count, show_seconds};
use threadwise_workers::watched;

/// Whether a file is a verification witness, which is a list in YAML, and no proof, which is an object in JSON. Its text tells, and
/// only where that says nothing, or cannot be read twice, its name.
fn is_witness(path: &Path) -> bool {
    let mut start = [0; 256];
    let is_file = path.metadata().is_ok_and(|file| file.is_file());
    let read = File::open(path).ok().filter(|_| is_file).and_then(|mut file| file.read(&mut start).ok());
    let text = start[..read.unwrap_or(0)].trim_ascii_start();
    match text.first() {
        Some(b'{') => false,
        Some(b'-' | b'#' | b'%' | b'[') => true,
        _ => is_task(path),
    }
}

/// Checks a proof from a file against the program.
pub fn audit(args: &AuditArgs) -> Job {
    if is_witness(&args.proof) {
        return validation::validate(args);
    }
    let console = Console::new(&args.output);
    let budget = work::budget(&args.limits);
    work::choose_solver(&args.solver)?;
    let unreadable = |error: FileError| {
        let message = format!("`{}` is not a proof of this program: {error}", args.proof.display());
        InputError::new(message).hint("make it again with `threadwise check --proof`")
    };
    let file = ProofFile::read(open(&args.proof)?).map_err(unreadable)?;
    let defines = defines::from_evidence(&file.header().defines, &args.program.language.options)?;
    let options = defines::options_of_evidence(file.header(), &defines, &args.program.language.options);
    let program = load_program(std::slice::from_ref(&args.program.file), &options, &budget, args.output.quiet)?;
    let proof = Arc::new(file.into_proof(&program).map_err(unreadable)?);
    let clock = budget.clone();
    let (judged, claimed) = (program.clone(), proof.clone());
    let checked = work::run(&console, budget, |budget| {
        let judgement = watched("audit", budget, move |budget| check(&judged, &claimed, budget));
        judgement.unwrap_or_else(|limit| Err(CheckError::Limit(limit)))
    });
    let seconds = clock.elapsed().as_secs_f64();
    let unknown = |reason: String| {
        let judgement = Judgement::new("unknown", "proof", &defines, seconds);
        Judgement { reason: Some(reason), ..judgement }.print(&console, "")
    };
    match checked {
        Ok(checked) => {
            let states = checked.states();
            let (count, time) = (show_count(states), show_seconds(seconds));
            let parts = parts(&proof, states);
            let what = format!("{}{}{}", program.source.name(), defines::shown(&defines), asked(&program));
            let body = format!("\n  the proof's {count} {parts}: {what} is SAFE  ({time})\n");
            let judgement = Judgement::new("confirmed", "proof", &defines, seconds);
            Judgement { size: Some(states), ..judgement }.print(&console, &body)
        }
        Err(CheckError::Refuted(reason)) => {
            let judgement = Judgement::new("refuted", "proof", &defines, seconds);
            let program = format!("the program{}", defines::shown(&defines));
            let body =
                format!("\n  The file does not prove {program} safe. That does not mean the program is unsafe.\n");
            Judgement { reason: Some(reason), ..judgement }.print(&console, &body)
        }
        Err(CheckError::Limit(limit)) => unknown(limit.to_string()),
        Err(CheckError::Undecided(reason)) => unknown(reason),
    }
}

/// What the proof is about, where that can be chosen.
fn asked(program: &Program) -> String {
    let asked = program.telling.as_ref().map_or(&[][..], |telling| &telling.asked);
    if asked.is_empty() { String::new() } else { format!(", as to {},", asked.join(", ")) }
}

/// What a proof consists of, and that it is as it should be.
fn parts(proof: &Proof, count: u64) -> String {
    let noun = match proof {
        Proof::Cartesian(_) => "product",
        Proof::Formulas(proof) if proof.parts.iter().any(|part| part.closure > 0) => "condition",
        Proof::Formulas(_) => "assertion",
        Proof::Conformance(_) => "part",
        Proof::Protection(_) => "point",
        Proof::Hierarchy(_) => "place",
        Proof::Coverability(_) => "part",
        Proof::Schedules(_) => "node",
        Proof::Reachable(_) | Proof::Modular(_) | Proof::Frontier(_) => "state",
    };
    if count == 1 { format!("{noun} holds") } else { format!("{noun}s hold") }
}
