//! The front end understands what is made.

use threadwise_diagnostics::render;
use threadwise_front_tw::{Options, load, parse, printer};
use threadwise_source::{Severity, SourceFile};
use threadwise_wild::{Config, generate, program, short_program, variants};

/// What is wrong with a text, if anything.
fn complaint(text: &str) -> Option<String> {
    let loaded = load(SourceFile::new("wild.tw", text), &Options::default());
    if loaded.program.is_some() {
        return None;
    }
    let errors: Vec<_> = loaded.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    Some(render(&SourceFile::new("wild.tw", text).into(), &errors[..1], false))
}

/// How many percent of the texts load; prints the first complaint of some that do not.
fn share_that_loads(texts: impl Iterator<Item = String>) -> usize {
    let (mut total, mut good) = (0, 0);
    for (number, text) in texts.enumerate() {
        total += 1;
        match complaint(&text) {
            None => good += 1,
            Some(complaint) if total - good < 30 => println!("program {number}: {complaint}"),
            Some(_) => {}
        }
    }
    println!("{good} of {total} programs load");
    100 * good / total
}

#[test]
fn nearly_all_programs_load() {
    assert!(share_that_loads((0..2000).map(program)) >= 95);
}

#[test]
fn all_programs_with_what_makes_models_short_load() {
    assert_eq!(share_that_loads((0..300).map(short_program)), 100);
}

/// Those that start threads are there, and load like the others.
#[test]
fn nearly_all_programs_that_start_threads_load() {
    let texts: Vec<String> = (0..400).map(|seed| generate(seed, Config::starting()).to_text()).collect();
    let with = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
    assert!(with("start ") >= 200 && with("= start ") >= 50 && with("join ") >= 100 && with("[2](") >= 20);
    assert!(share_that_loads(texts.into_iter()) >= 95);
}

/// Those that compute with machine integers have every operator of theirs, and load like the others.
#[test]
fn nearly_all_programs_with_machine_integers_load() {
    let texts: Vec<String> = (0..400).map(|seed| generate(seed, Config::computing()).to_text()).collect();
    let with = |part: &str| texts.iter().filter(|text| text.contains(part)).count();
    for part in
        [": u8", ": i8", ": i64", ": u64", " & ", " | ", " ^ ", " << ", " >> ", "~", "0x", "int(", "i16(", "u64("]
    {
        assert!(with(part) >= 20, "{part} is in {} programs", with(part));
    }
    assert!(with("18446744073709551615") + with("0xffffffffffffffff") >= 5);
    assert!(share_that_loads(texts.into_iter()) >= 95);
}

#[test]
fn most_variants_load() {
    assert!(share_that_loads((0..200).flat_map(variants)) >= 80);
}

#[test]
fn the_same_seed_gives_the_same_text() {
    for seed in 0..100 {
        assert_eq!(program(seed), program(seed));
        assert_eq!(variants(seed), variants(seed));
    }
}

/// The table of operators in the reference says which parentheses can be left out.
#[test]
fn parentheses_that_the_reference_calls_needless_are_needless() {
    let tree_of = |text: &str| printer::print(&parse(&SourceFile::new("wild.tw", text)).module);
    for seed in 0..1000 {
        let wild = generate(seed, Config::all());
        assert_eq!(tree_of(&wild.to_text()), tree_of(&wild.to_text_with_parentheses()), "seed {seed}");
    }
}
