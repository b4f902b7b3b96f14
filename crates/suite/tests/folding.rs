//! Foldings, right and wrong: what the judge admits keeps every error of the program.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_claims::Claim;
use threadwise_engine_explicit::{Options, explore};
use threadwise_evidence::{Folding, Proof};
use threadwise_front_tw::printer::print;
use threadwise_ir::{LocalId, LocationId, Program};
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, random_case};
use threadwise_suite::dice::Dice;
use threadwise_suite::soundness::Case;

const PROGRAMS: u64 = 1_500;

/// A few points and locals, chosen without a thought: most foldings with many of them are refused.
fn arbitrary(program: &Program, dice: &mut Dice) -> Folding {
    let mut folding = Folding::default();
    for _ in 0..1 + dice.roll(3) {
        let id = LocationId(dice.roll(program.locations.len()) as u32);
        let location = program.location(id);
        let locals = program.routine(location.routine).locals.len();
        if locals > 0 && dice.roll(2) == 0 {
            folding.forgotten.push((id, vec![LocalId(dice.roll(locals) as u32)]));
        } else if !location.transient {
            folding.points.push(id);
        }
    }
    folding
}

/// What the judge says of the folded program's reachable states as a proof of the program; `None` if the folded
/// program has an error, or cannot be searched.
fn judged(program: &Arc<Program>, folding: &Folding) -> Option<Result<(), String>> {
    let folded = Arc::new(folding.apply(program));
    let options = Options { fold: false, proof: true, ..Options::default() };
    let (Claim::Proved(Proof::Reachable(mut set)), _) = explore(&folded, &options, &Budget::unlimited()) else {
        return None;
    };
    set.folding = folding.clone();
    match check(program, &Proof::Reachable(set), &Budget::unlimited()) {
        Ok(_) => Some(Ok(())),
        Err(CheckError::Refuted(why)) => Some(Err(why)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_folding_that_the_judge_admits_hides_no_error() {
    let (mut admitted, mut refused, mut hidden) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let (module, explored) = random_case(seed, &GeneratorOptions::tiny());
        if !explored.complete || matches!(explored.verdict, OracleVerdict::Unknown(_)) {
            continue;
        }
        let is_safe = matches!(explored.verdict, OracleVerdict::Safe);
        let text = print(&module);
        let program = Case::explored(module, explored).expect("it loads").program;
        let mut dice = Dice::new(seed);
        for _ in 0..4 {
            let folding = arbitrary(&program, &mut dice);
            match judged(&program, &folding) {
                Some(Ok(())) => {
                    assert!(is_safe, "seed {seed}: {folding:?} hides an error in\n{text}");
                    admitted += u32::from(folding != Folding::default());
                }
                Some(Err(_)) => {
                    refused += 1;
                    hidden += u32::from(!is_safe);
                }
                None => {}
            }
        }
    }
    assert!(admitted >= 50, "only {admitted} foldings were admitted: these programs test too little");
    assert!(refused >= 50 && hidden >= 20, "{refused} foldings were refused, {hidden} of them hid an error");
}

fn program(text: &str) -> Arc<Program> {
    let file = threadwise_source::SourceFile::new("test.tw", text);
    let loaded = threadwise_front_tw::load(file, &threadwise_front_tw::Options::default());
    Arc::new(loaded.program.expect("a correct program"))
}

/// All points that can be folded one at a time, by the judge's word.
fn admitted_points(text: &str) -> Vec<u32> {
    let program = program(text);
    let points = (0..program.locations.len() as u32).filter(|&point| {
        let folding = Folding { points: vec![LocationId(point)], ..Folding::default() };
        judged(&program, &folding) == Some(Ok(()))
    });
    points.collect()
}

#[test]
fn points_that_properties_can_tell_apart_stay() {
    // Control is at the labelled point, then at the unlabelled end.
    assert_eq!(admitted_points("thread T { skip; skip; L: skip; } never !T@L && T@L;").len(), 1);
    assert_eq!(admitted_points("thread T { skip; skip; skip; }").len(), 3);
    // The local goes out of scope behind the point.
    let scoped = "shared g: bool; thread T { { var x: 0..5; x = 5; skip; } g = true; } invariant ";
    assert_eq!(admitted_points(&format!("{scoped} true;")).len(), 2);
    assert_eq!(admitted_points(&format!("{scoped} T.x != 4;")).len(), 0);
}

#[test]
fn points_that_wait_fail_or_share_stay() {
    for statement in
        ["await x == 1;", "g = 1;", "x = g;", "assert x == 0;", "x = 3 / (x + 1);", "x = x + 1;", "while (x == 0) {}"]
    {
        let text = format!("shared g: 0..5; thread T {{ var x: 0..5; {statement} }}");
        assert_eq!(admitted_points(&text), Vec::<u32>::new(), "{statement}");
    }
    for statement in ["x = 3;", "x = *;", "if (x == 1) { g = 1; }", "skip;"] {
        let text = format!("shared g: 0..5; thread T {{ var x: 0..5; {statement} }}");
        assert_ne!(admitted_points(&text), Vec::<u32>::new(), "{statement}");
    }
}
