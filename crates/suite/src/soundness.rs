//! The whole tool against itself: random programs on which every engine, and the naive interpreter, must agree.
//!
//! An [`Origin`] makes a program; a [`Witness`] says something about it, as a rule by asking an engine;
//! [`question`] hears all witnesses and finds contradictions; [`run`] does so for many programs, makes the first one that
//! shows a contradiction small, and saves it.

mod case;
mod evidence;
mod origin;
mod patience;
mod programs;
mod run;
mod table;
mod witness;

pub use case::{Case, Says};
pub use origin::Origin;
pub use run::{Saved, run};
pub use table::Table;
pub use witness::{Answer, Witness, engines_as_witnesses};

use patience::{Lost, within};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_front_tw::ast::Module;
use threadwise_oracle::Explored;

/// Witnesses who contradict each other, or the interpreter; nobody where the program does not even load.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// Their indices.
    pub witnesses: Vec<usize>,
    /// What they say.
    pub text: String,
}

/// What was heard about a program.
#[derive(Default)]
pub struct Hearing {
    /// The best answer of each engine that can treat the program.
    pub engines: BTreeMap<&'static str, Says>,
    /// The first contradiction.
    pub contradiction: Option<Contradiction>,
    /// Who took longest to answer, and how long.
    pub slowest: Option<(Duration, String)>,
    /// Who did not answer in time, by far; nobody else was asked after that.
    pub late: Option<String>,
}

/// Asks those witnesses whose indices are wanted, up to the first contradiction.
pub fn question(case: &Arc<Case>, witnesses: &[Witness], wanted: impl Fn(usize) -> bool) -> Hearing {
    let mut hearing = Hearing::default();
    let mut definite: Option<(usize, Answer)> = None;
    for (index, witness) in witnesses.iter().enumerate().filter(|(index, _)| wanted(*index)) {
        let start = Instant::now();
        let (ask, asked_about) = (witness.ask.clone(), case.clone());
        let answer = match within(witness.patience, move || ask(&asked_about)) {
            Ok(Some(answer)) => answer,
            Ok(None) => continue,
            Err(Lost::Panicked(message)) => Answer::panicked(&message),
            Err(Lost::Late) => {
                hearing.late = Some(witness.name.clone());
                return hearing;
            }
        };
        if hearing.slowest.as_ref().is_none_or(|(longest, _)| start.elapsed() > *longest) {
            hearing.slowest = Some((start.elapsed(), witness.name.clone()));
        }
        let best = hearing.engines.entry(witness.engine).or_insert(Says::Unknown);
        *best = (*best).max(answer.says);
        let told = |text: String| format!("{}: {text}", witness.name);
        let problem = answer.objection.clone().or_else(|| case.objection(&answer)).map(told);
        if let Some(text) = problem {
            hearing.contradiction = Some(Contradiction { witnesses: vec![index], text });
            return hearing;
        }
        if answer.says == Says::Unknown {
            continue;
        }
        match &definite {
            Some((other, said)) if said.says != answer.says => {
                let text = format!("{}: {}\n{}", witnesses[*other].name, said.text, told(answer.text.clone()));
                hearing.contradiction = Some(Contradiction { witnesses: vec![*other, index], text });
                return hearing;
            }
            Some(_) => {}
            None => definite = Some((index, answer)),
        }
    }
    hearing
}

/// Compares engines, each asked in every way, with what the interpreter found and with each other; tells how
/// they differ. Every proof has been read back and judged on the way, every trace replayed. A program that does not
/// load says so.
pub fn disagreement(module: &Module, explored: &Explored, engines: &[&str]) -> Option<String> {
    let case = match Case::explored(module.clone(), explored.clone()) {
        Ok(case) => Arc::new(case),
        Err(problem) => return Some(problem),
    };
    let witnesses = engines_as_witnesses();
    let hearing = question(&case, &witnesses, |index| engines.contains(&witnesses[index].engine));
    hearing.contradiction.map(|contradiction| contradiction.text)
}
