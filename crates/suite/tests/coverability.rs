//! Engine `coverability` on the corpus written for it, its proofs in files, and random programs with any number of copies,
//! against the naive interpreter with up to four of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::check;
use threadwise_engine_coverability::applicable;
use threadwise_evidence::Proof;
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_front_tw::printer::print;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_oracle::{OracleVerdict, explore_copies};
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_suite::soundness::Origin;
use threadwise_suite::{Example, corpus, try_program};
use threadwise_verdict::Verdict;

/// How many random programs are tried, those that the engine refuses included.
const PROGRAMS: u64 = 200;

/// The interpreter visits so many states of each.
const MAX_STATES: usize = 300;

fn asked(program: &Arc<Program>) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(20)), Some(4 << 30));
    verify(
        program,
        &Request { engine: EngineName::Coverability.into(), want_proof: true, ..Request::default() },
        &budget,
    )
}

fn programs() -> Vec<Example> {
    let is_here =
        |example: &Example| example.path.parent().is_some_and(|folder| folder.ends_with("corpus/coverability"));
    corpus().into_iter().filter(is_here).collect()
}

#[test]
fn the_programs_written_for_it_are_decided() {
    let mut wrong = Vec::new();
    for example in programs().into_iter().filter(|example| !example.is_unknown_to("coverability")) {
        let verdict = asked(&example.program()).verdict;
        if verdict.word() != if example.safe { "safe" } else { "unsafe" } {
            wrong.push(format!("{}: {verdict:?}", example.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let dangerous = programs().iter().filter(|example| !example.safe).count();
    assert!(dangerous >= 10 && programs().len() - dangerous >= 10);
}

/// Proofs are read back as they were written. With a part that is missing they do not fit, or they are refused.
#[test]
fn proofs_are_written_and_read() {
    for example in programs().into_iter().filter(|e| e.safe && !e.is_unknown_to("coverability")).take(12) {
        let program = example.program();
        let Some(Proof::Coverability(proof)) = asked(&program).proof else { panic!("{}", example.path.display()) };
        let mut file = Vec::new();
        write_proof(&mut file, &program, &Proof::Coverability(proof.clone()), &BTreeMap::new()).expect("it is written");
        let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&program)).expect("it is read");
        assert!(matches!(&read, Proof::Coverability(back) if *back == proof), "{}", example.path.display());
        let text = String::from_utf8(file).expect("it is text");
        for (from, to) in [
            ("\"shared\":0", "\"shared\":99999"),
            ("\"threads\":[", "\"threads\":[7777,"),
            ("\"crowd\":[[", "\"crowd\":[[99,0],["),
        ] {
            let damaged = text.replacen(from, to, 1);
            let fitted = ProofFile::read(damaged.as_bytes()).and_then(|file| file.into_proof(&program));
            assert!(damaged == text || fitted.is_err(), "{from} {}", example.path.display());
        }
        let mut missing = proof.clone();
        missing.cores.pop();
        assert!(check(&program, &Proof::Coverability(missing), &Budget::unlimited()).is_err());
    }
}

/// What the engine says of any number of copies is what the interpreter says of few; and whatever that finds, it finds.
#[test]
fn the_interpreter_agrees_about_few_copies() {
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    let origins = (0..PROGRAMS).flat_map(|number| [Origin::Oracle(7 * number + 5), Origin::Wild(number)]);
    for origin in origins {
        let module = origin.module();
        let Ok(program) = try_program("random.tw", &print(&module)) else { continue };
        if applicable(&program).is_err() {
            continue;
        }
        let outcome = asked(&program);
        let interpreted: Vec<OracleVerdict> =
            (0..=4).map(|copies| explore_copies(&module, copies, MAX_STATES).verdict).collect();
        let is_wrong = interpreted.iter().any(|verdict| matches!(verdict, OracleVerdict::Unsafe { .. }));
        let text = || print(&module);
        match &outcome.verdict {
            Verdict::Safe(_) => {
                assert!(!is_wrong, "{origin} is wrong:\n{}\n{interpreted:?}", text());
                safe += 1;
            }
            Verdict::Unsafe(found) => {
                let copies = found.trace().trace().any_copies.same().expect("as many of each") as usize;
                let says_safe = matches!(interpreted.get(copies), Some(OracleVerdict::Safe));
                assert!(!says_safe, "{origin} is right with {copies}:\n{}", text());
                unsafe_ += 1;
            }
            Verdict::Unknown(why) => {
                assert!(!why.is_internal_error(), "{origin}: {}\n{}", why.reason(), text());
                unknown += 1;
            }
        }
    }
    assert!(safe >= 15 && unsafe_ >= 15, "{safe} safe, {unsafe_} unsafe, {unknown} unknown");
    assert!(unknown <= (safe + unsafe_) / 4, "{safe} safe, {unsafe_} unsafe, {unknown} unknown");
}
