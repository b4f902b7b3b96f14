//! Random programs are well-formed, of a useful size, and neither all right nor all wrong.

mod support;

use proptest::prelude::*;
use support::module;
use threadwise_front_tw::ast::{ItemKind, Module};
use threadwise_front_tw::printer::print;
use threadwise_front_tw::{Options, load};
use threadwise_oracle::{
    ErrorKind, GeneratorOptions, OracleVerdict, explore, program_strategy, random_case, random_module, reduce_while,
    reductions,
};
use threadwise_source::SourceFile;

#[test]
fn the_same_seed_gives_the_same_program() {
    let options = GeneratorOptions::small();
    for seed in 0..5 {
        assert_eq!(print(&random_module(seed, &options)), print(&random_module(seed, &options)));
    }
}

#[test]
fn programs_are_a_good_mix() {
    let options = GeneratorOptions::small();
    let (mut wrong, mut kinds) = (0, std::collections::BTreeMap::new());
    for seed in 0..200 {
        let (_, explored) = random_case(seed, &options);
        assert!(explored.complete && (options.min_states..=options.max_states).contains(&explored.states));
        if let OracleVerdict::Unsafe { kinds: found } = explored.verdict {
            wrong += 1;
            found.into_iter().for_each(|kind: ErrorKind| *kinds.entry(kind).or_insert(0) += 1);
        }
    }
    assert!((60..=140).contains(&wrong), "{wrong} of 200 are wrong");
    assert!(kinds.len() >= 7, "{kinds:?}");
}

/// The odd programs are there, load, and are not all wrong.
#[test]
fn odd_programs_are_a_good_mix() {
    let options = GeneratorOptions::odd();
    let seen = ["[0]", "9223372036854775807", "subset", " / ", "count", "exists k: ", "= *;"];
    let mut found = vec![0; seen.len()];
    let mut wrong = 0;
    for seed in 0..200 {
        let (module, explored) = random_case(seed, &options);
        let text = print(&module);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        assert!(lowered.program.is_some(), "{:?} in {text}", lowered.diagnostics);
        wrong += usize::from(matches!(explored.verdict, OracleVerdict::Unsafe { .. }));
        seen.iter().zip(&mut found).for_each(|(part, found)| *found += usize::from(text.contains(part)));
    }
    assert!((60..=140).contains(&wrong), "{wrong} of 200 are wrong");
    assert!(found.iter().all(|found| *found >= 5), "{seen:?} in {found:?} programs");
}

/// Programs with threads that are started load, start too many and join what they should not, and are not all wrong.
#[test]
fn dynamic_programs_are_a_good_mix() {
    let options = GeneratorOptions::dynamic();
    let seen = [" = start W", "  start W", "join ", "[3](", "T1()", "a0: tid", "a1: "];
    let mut found = vec![0; seen.len()];
    let (mut wrong, mut kinds) = (0, std::collections::BTreeMap::new());
    for seed in 0..200 {
        let (module, explored) = random_case(seed, &options);
        let text = print(&module);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        assert!(lowered.program.is_some(), "{:?} in {text}", lowered.diagnostics);
        if let OracleVerdict::Unsafe { kinds: found } = explored.verdict {
            wrong += 1;
            found.into_iter().for_each(|kind: ErrorKind| *kinds.entry(kind).or_insert(0) += 1);
        }
        seen.iter().zip(&mut found).for_each(|(part, found)| *found += usize::from(text.contains(part)));
    }
    assert!((60..=140).contains(&wrong), "{wrong} of 200 are wrong");
    assert!(kinds[&ErrorKind::Start] >= 5 && kinds[&ErrorKind::Join] >= 5 && kinds.len() >= 7, "{kinds:?}");
    assert!(found.iter().all(|found| *found >= 5), "{seen:?} in {found:?} programs");
}

/// Programs in which threads wait load, have deadlocks and cycles of locks or neither, and points where waiting is meant.
#[test]
fn waiting_programs_are_a_good_mix() {
    let options = GeneratorOptions::waiting();
    let (mut wrong, mut ends, mut kinds) = (0, 0, std::collections::BTreeMap::new());
    for seed in 0..200 {
        let (module, explored) = random_case(seed, &options);
        let text = print(&module);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        assert!(lowered.program.is_some(), "{:?} in {text}", lowered.diagnostics);
        if let OracleVerdict::Unsafe { kinds: found } = explored.verdict {
            wrong += 1;
            found.into_iter().for_each(|kind: ErrorKind| *kinds.entry(kind).or_insert(0) += 1);
        }
        let is_end = |line: &str| line.trim_start().strip_prefix("end").is_some_and(|rest| !rest.starts_with(':'));
        ends += usize::from(text.lines().any(is_end));
    }
    assert!((60..=140).contains(&wrong), "{wrong} of 200 are wrong");
    assert!(kinds[&ErrorKind::Deadlock] >= 20 && kinds[&ErrorKind::LockCycle] >= 10, "{kinds:?}");
    assert!(ends >= 5, "{ends} of 200 have such points");
}

/// Programs with machine integers load, wrap around, use every operator, and are not all wrong.
#[test]
fn machine_programs_are_a_good_mix() {
    let options = GeneratorOptions::machine();
    let seen = ["u8", "i64", "int(", " & ", " ^ ", " << ", " >> ", "~", " % ", "18446744073709551615", "255"];
    let mut found = vec![0; seen.len()];
    let (mut wrong, mut kinds) = (0, std::collections::BTreeSet::new());
    for seed in 0..100 {
        let (module, explored) = random_case(seed, &options);
        let text = print(&module);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        assert!(lowered.program.is_some(), "{:?} in {text}", lowered.diagnostics);
        if let OracleVerdict::Unsafe { kinds: found } = explored.verdict {
            wrong += 1;
            kinds.extend(found);
        }
        seen.iter().zip(&mut found).for_each(|(part, found)| *found += usize::from(text.contains(part)));
    }
    assert!((30..=70).contains(&wrong), "{wrong} of 100 are wrong");
    assert!(kinds.contains(&ErrorKind::Shift) && kinds.contains(&ErrorKind::Division), "{kinds:?}");
    assert!(found.iter().all(|found| *found > 0), "{seen:?} in {found:?} programs");
}

/// Programs with what makes models short load, use all of it, and are not all wrong.
#[test]
fn rich_programs_are_a_good_mix() {
    let options = GeneratorOptions::rich();
    let seen = [
        "record {",
        "Triple(",
        "fun f0",
        "f1(",
        "; all]",
        ": cond",
        "wait(",
        "signal(",
        "broadcast(",
        "chan<",
        "send(",
        "receive(",
        "size(",
        "select {",
        " in W",
        " & ",
        " << ",
        "~",
        "], ",
        "\";",
    ];
    let mut found = vec![0; seen.len()];
    let (mut wrong, mut kinds) = (0, std::collections::BTreeSet::new());
    for seed in 0..200 {
        let (module, explored) = random_case(seed, &options);
        let text = print(&module);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        assert!(lowered.program.is_some(), "{:?} in {text}", lowered.diagnostics);
        if let OracleVerdict::Unsafe { kinds: found } = explored.verdict {
            wrong += 1;
            kinds.extend(found);
        }
        seen.iter().zip(&mut found).for_each(|(part, found)| *found += usize::from(text.contains(part)));
    }
    assert!((40..=160).contains(&wrong), "{wrong} of 200 are wrong");
    assert!(kinds.contains(&ErrorKind::Deadlock) && kinds.contains(&ErrorKind::Assertion), "{kinds:?}");
    assert!(found.iter().all(|found| *found > 0), "{seen:?} in {found:?} programs");
}

#[test]
fn reduction_finds_the_core_of_an_error() {
    let fails = |module: &Module| {
        let verdict = explore(module, &[], 2_000).verdict;
        matches!(verdict, OracleVerdict::Unsafe { kinds } if kinds.contains(&ErrorKind::Assertion))
    };
    let options = GeneratorOptions::small();
    let (seed, failing) = (0..)
        .map(|seed| (seed, random_module(seed, &options)))
        .find(|(_, module)| fails(module))
        .expect("there are endless seeds");
    let smallest = reduce_while(&failing, fails);
    let is_thread = |item: &&threadwise_front_tw::ast::Item| matches!(item.kind, ItemKind::Thread(_));
    assert_eq!(smallest.items.len(), 1, "seed {seed}: {}", print(&smallest));
    assert_eq!(smallest.items.iter().filter(is_thread).count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is printed can be read again and means the same.
    #[test]
    fn printing_and_parsing_changes_nothing(original in program_strategy(GeneratorOptions::small())) {
        let text = print(&original);
        let again = module(&text);
        prop_assert_eq!(explore(&original, &[], 2_000), explore(&again, &[], 2_000), "{}", text);
    }

    /// The front end has nothing to say against them.
    #[test]
    fn types_are_correct(original in program_strategy(GeneratorOptions::small())) {
        let text = print(&original);
        let lowered = load(SourceFile::new("random.tw", text.clone()), &Options::default());
        prop_assert!(lowered.program.is_some(), "{:?} in {}", lowered.diagnostics, text);
    }

    /// Reductions are programs, too.
    #[test]
    fn reductions_are_well_formed(original in program_strategy(GeneratorOptions::small())) {
        for smaller in reductions(&original).step_by(7).take(10) {
            let text = print(&smaller);
            module(&text);
            if let OracleVerdict::Unknown(reason) = explore(&smaller, &[], 2_000).verdict {
                prop_assert!(reason.starts_with("more than") || reason.contains("integer"), "{} in {}", reason, text);
            }
        }
    }
}
