//! Whether the cases of a proof cover all numbers of copies that the program allows.
//!
//! A declared number of copies needs a case with that number. Where [`Program::cutoff`] says that
//! some number of copies stands for all larger ones, that number will do in its place; and for
//! `[*]` the numbers up to it are enough, but all of them are needed.

use crate::cutoff::stands_for_more;
use crate::{CheckError, refuted};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use threadwise_evidence::{Annotation, MAX_ANY_COPIES};
use threadwise_ir::{Copies, Cutoff, Program, Symmetry, TemplateId};

/// What the cases must say about a template: one case for each entry, with one of its numbers.
struct Demand {
    numbers: Vec<Vec<u32>>,
}

/// Whether there is a case for everything, and none for anything else.
pub(crate) fn cases_cover(program: &Arc<Program>, cases: &[Annotation]) -> Result<(), CheckError> {
    let cutoff = program.cutoff();
    let demands = program.templates.iter().map(|template| demand(&cutoff, &template.name, template.copies));
    let demands: Vec<Demand> = demands.collect::<Result<_, _>>()?;
    let mut covered: FxHashSet<Vec<usize>> = FxHashSet::default();
    for case in cases {
        covered.insert(met(program, &demands, case)?);
        copies_are_interchangeable(program, case)?;
    }
    if cases.iter().any(|case| goes_beyond(program, case)) || program.has_any_copies() {
        stands_for_more(program)?;
    }
    match first_missing(&demands, &covered) {
        Some(missing) => {
            let copies: Vec<u32> = missing.iter().zip(&demands).map(|(&at, demand)| demand.numbers[at][0]).collect();
            Err(refuted(format!("there is no case {}", show_copies(program, &copies))))
        }
        None => Ok(()),
    }
}

fn demand(cutoff: &Cutoff, name: &str, copies: Copies) -> Result<Demand, CheckError> {
    let numbers = match (copies, cutoff) {
        (Copies::Single, _) => vec![vec![1]],
        (Copies::Exactly(n), &Cutoff::At(enough)) if n > enough => vec![vec![n, enough]],
        (Copies::Exactly(n), _) => vec![vec![n]],
        (Copies::Any, &Cutoff::At(enough)) if enough > MAX_ANY_COPIES => {
            return Err(refuted(format!("the cases of `{name}` up to {enough} copies are too many")));
        }
        (Copies::Any, &Cutoff::At(enough)) => (0..=enough).map(|n| vec![n]).collect(),
        (Copies::Any, Cutoff::None(why)) => {
            let what = format!("no number of copies of `{name}` stands for all larger ones");
            return Err(refuted(format!("{what}: {why}")));
        }
    };
    Ok(Demand { numbers })
}

/// Which demands the case meets, one for each template.
fn met(program: &Program, demands: &[Demand], case: &Annotation) -> Result<Vec<usize>, CheckError> {
    let met = demands
        .iter()
        .zip(&case.copies)
        .map(|(demand, copies)| demand.numbers.iter().position(|numbers| numbers.contains(copies)));
    let met: Option<Vec<usize>> = met.collect();
    met.filter(|met| met.len() == demands.len() && case.copies.len() == demands.len())
        .ok_or_else(|| refuted(format!("the case {} is not one of the program", show_copies(program, &case.copies))))
}

/// The first copy of a thread can speak for the others only if they are interchangeable.
fn copies_are_interchangeable(program: &Program, case: &Annotation) -> Result<(), CheckError> {
    let symmetry = program.symmetry();
    for (index, (template, &copies)) in program.templates.iter().zip(&case.copies).enumerate() {
        let why = match &symmetry {
            _ if copies < 2 => continue,
            Symmetry::Among(templates) if templates.contains(&TemplateId(index as u32)) => continue,
            Symmetry::Among(_) => "they are not declared as copies",
            Symmetry::Broken(why) => why,
        };
        let name = &template.name;
        return Err(refuted(format!("one copy of `{name}` cannot speak for all of them: {why}")));
    }
    Ok(())
}

/// Whether the case stands for more copies than it has.
fn goes_beyond(program: &Program, case: &Annotation) -> bool {
    let mut templates = program.templates.iter().zip(&case.copies);
    templates.any(|(template, &copies)| matches!(template.copies, Copies::Exactly(n) if n > copies))
}

/// The first combination of demands that no case meets. Among as many combinations as there are
/// cases and one more there is one, unless there are no more combinations.
fn first_missing(demands: &[Demand], covered: &FxHashSet<Vec<usize>>) -> Option<Vec<usize>> {
    let mut combination = vec![0; demands.len()];
    loop {
        if !covered.contains(&combination) {
            return Some(combination);
        }
        let turned = (0..demands.len()).rev().find(|&i| combination[i] + 1 < demands[i].numbers.len())?;
        combination[turned] += 1;
        combination[turned + 1..].fill(0);
    }
}

/// `with 2 copies of `W` and 1 copy of `P``.
pub(crate) fn show_copies(program: &Program, copies: &[u32]) -> String {
    let replicated = program.templates.iter().zip(copies).filter(|(template, _)| template.copies != Copies::Single);
    let shown = replicated.map(|(template, copies)| {
        let noun = if *copies == 1 { "copy" } else { "copies" };
        format!("{copies} {noun} of `{}`", template.name)
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() { "with one copy of each thread".to_string() } else { format!("with {}", shown.join(" and ")) }
}
