//! The reduced search and the whole one say the same of random programs: of both generators, and of programs that are made of what
//! the reduction is about. `REDUCTION_SEEDS=0..5000` says which programs.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::{Claim, Stats};
use threadwise_engine_explicit::{Options, explore};
use threadwise_front_tw::printer::print;
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, random_module};
use threadwise_suite::dice::Dice;
use threadwise_suite::{corpus, examples};

/// More states than this are not searched.
const MAX_STATES: usize = 20_000;

fn seeds(few: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("REDUCTION_SEEDS") else { return few };
    let (first, last) = text.split_once("..").expect("REDUCTION_SEEDS is a range, as in 0..5000");
    first.parse().expect("a number")..last.parse().expect("a number")
}

fn load(text: &str) -> Option<Arc<Program>> {
    let file = threadwise_source::SourceFile::new("test.tw", text);
    threadwise_front_tw::load(file, &threadwise_front_tw::Options::default()).program.map(Arc::new)
}

#[derive(PartialEq, Debug)]
enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

fn answer(program: &Arc<Program>, options: &Options) -> (Answer, Stats) {
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let (claim, stats) = explore(program, options, &budget);
    let answer = match claim {
        Claim::Proved(_) | Claim::Exhausted(_) => Answer::Safe,
        Claim::Refuted(trace) => {
            let instance = Instance::new(program.clone(), trace.any_copies.clone());
            threadwise_replay::replay(&instance, &trace).expect("what a search finds can be replayed");
            Answer::Unsafe
        }
        Claim::Unknown(_) | Claim::Rejected(_) => Answer::Unknown,
    };
    (answer, stats)
}

/// What was compared.
#[derive(Default, Debug)]
struct Compared {
    safe: u32,
    wrong: u32,
    /// Programs of which fewer states were visited.
    smaller: u32,
    /// Programs of which all states were visited, since a trial showed that little is saved.
    given_up: u32,
}

fn number(stats: &Stats, wanted: &str) -> u64 {
    stats.numbers.iter().find(|(name, _)| *name == wanted).map_or(0, |(_, number)| *number)
}

/// With and without symmetry and folding, from the start, and after trials that some programs do not pass.
fn compare(what: &str, text: &str, compared: &mut Compared) {
    let ways = [(true, true), (false, true), (true, false), (false, false)];
    compare_in(what, text, &ways, &[0, 12, 100], compared);
}

fn compare_in(what: &str, text: &str, ways: &[(bool, bool)], trials: &[usize], compared: &mut Compared) {
    let Some(program) = load(text) else { return };
    for &(symmetry, fold) in ways {
        let whole = Options {
            symmetry,
            fold,
            reduction: false,
            max_any_copies: 2,
            max_states: MAX_STATES,
            ..Options::default()
        };
        let (expected, all) = answer(&program, &whole);
        if expected == Answer::Unknown {
            continue;
        }
        for &reduce_above in trials {
            let how = format!("symmetry {symmetry}, folding {fold}, above {reduce_above}");
            let (found, some) = answer(&program, &Options { reduction: true, reduce_above, ..whole });
            assert_eq!(found, expected, "{what}, {how}:\n{text}");
            if expected == Answer::Safe {
                assert_eq!(some.taken, all.taken, "{what}: other edges are taken, {how}:\n{text}");
                let (states, of) = (number(&some, "states"), number(&all, "states"));
                compared.smaller += u32::from(states < of);
                let is_tried = reduce_above > 0 && of > reduce_above as u64;
                compared.given_up += u32::from(is_tried && number(&some, "reduced_states") == 0);
                assert!(number(&some, "reduced_states") > 0 || states == of, "{what}: {states} of {of} states, {how}");
            }
        }
        match expected {
            Answer::Safe => compared.safe += 1,
            _ => compared.wrong += 1,
        }
    }
}

#[test]
fn programs_of_the_first_generator() {
    let mut compared = Compared::default();
    for seed in seeds(0..60) {
        let options = match seed % 3 {
            0 => GeneratorOptions::tiny(),
            1 => GeneratorOptions { max_states: 300, ..GeneratorOptions::dynamic() },
            _ => GeneratorOptions { max_states: 300, ..GeneratorOptions::waiting() },
        };
        compare(&format!("seed {seed}"), &print(&random_module(seed, &options)), &mut compared);
    }
    println!("{compared:?}");
    assert!(
        compared.safe > 50 && compared.wrong > 50 && compared.smaller > 10,
        "these programs test too little: {compared:?}"
    );
}

#[test]
fn programs_of_the_second_generator() {
    let mut compared = Compared::default();
    for seed in seeds(0..8) {
        for text in threadwise_wild::variants(seed) {
            compare(&format!("seed {seed}"), &text, &mut compared);
        }
    }
    println!("{compared:?}");
    assert!(
        compared.safe > 50 && compared.wrong > 50 && compared.smaller > 10,
        "these programs test too little: {compared:?}"
    );
}

/// All examples and the corpus, as far as few states are visited.
#[test]
fn programs_of_the_examples() {
    let mut compared = Compared::default();
    for example in examples().into_iter().chain(corpus()).filter(|example| !example.is_transition_system()) {
        let what = example.path.display().to_string();
        compare_in(&what, &example.text, &[(true, true)], &[0], &mut compared);
    }
    println!("{compared:?}");
    assert!(
        compared.safe > 100 && compared.wrong > 100 && compared.smaller > 50,
        "these programs test too little: {compared:?}"
    );
}

/// Threads that take mutexes, share a few variables and elements, wait, loop, and have steps of their own.
struct Author {
    dice: Dice,
    text: String,
    labels: Vec<String>,
    /// For each thread so far whether there are copies of it.
    has_copies: Vec<bool>,
}

impl Author {
    fn pick<'s>(&mut self, from: &[&'s str]) -> &'s str {
        from[self.dice.roll(from.len())]
    }

    fn program(seed: u64) -> String {
        let mut author =
            Author { dice: Dice::new(seed), text: String::new(), labels: Vec::new(), has_copies: Vec::new() };
        author.text += "shared x, y, z: 0..2; shared own: [tid]0..2; shared two: [0..1]0..2; shared m, n: mutex;\n";
        let threads = 2 + author.dice.roll(2);
        for thread in 0..threads {
            let copies = if author.dice.roll(4) == 0 { "[2]" } else { "" };
            author.has_copies.push(!copies.is_empty());
            let _ = writeln!(author.text, "thread T{thread}{copies} {{ var a: 0..2; var i: 0..2;");
            for _ in 0..2 + author.dice.roll(4) {
                author.statement(thread, 2);
            }
            author.text += "}\n";
        }
        author.properties();
        author.text
    }

    fn statement(&mut self, thread: usize, depth: usize) {
        if self.dice.roll(5) == 0 && depth == 2 {
            let label = format!("L{}", self.labels.len());
            let _ = write!(self.text, "{label}: ");
            let copies = self.has_copies[thread];
            let named = format!("T{thread}@{label}");
            self.labels.push(if copies { format!("(exists t: T{thread} :: t@{label})") } else { named });
        }
        match self.dice.roll(if depth > 0 { 14 } else { 9 }) {
            0..=2 => {
                let (to, value) = (self.place(), self.value());
                let _ = writeln!(self.text, "{to} = {value};");
            }
            3 | 4 => {
                let place = self.place();
                let _ = writeln!(self.text, "a = {place};");
            }
            5 => self.text += "a = (a + 1) % 3;\n",
            6 => {
                let (place, value) = (self.place(), self.dice.roll(3));
                let _ = writeln!(self.text, "await {place} != {value};");
            }
            7 => {
                let (place, value) = (self.place(), self.dice.roll(3));
                let _ = writeln!(self.text, "assert {place} != {value} || a != 1;");
            }
            8 => self.text += "i = *;\n",
            9 | 10 => {
                let mutex = self.pick(&["m", "n"]);
                let _ = writeln!(self.text, "acquire({mutex});");
                self.statement(thread, depth - 1);
                self.statement(thread, depth - 1);
                let _ = writeln!(self.text, "release({mutex});");
            }
            11 => {
                let place = self.place();
                let _ = writeln!(self.text, "if ({place} == 1) {{");
                self.statement(thread, depth - 1);
                self.text += "}\n";
            }
            12 => {
                self.text += "i = 0; while (i < 2) { i = i + 1;\n";
                self.statement(thread, depth - 1);
                self.text += "}\n";
            }
            _ => {
                self.text += "atomic {\n";
                self.statement(thread, 0);
                self.statement(thread, 0);
                self.text += "}\n";
            }
        }
    }

    fn place(&mut self) -> String {
        self.pick(&["x", "y", "z", "own[self]", "two[0]", "two[1]", "two[i % 2]", "x", "y"]).to_string()
    }

    fn value(&mut self) -> String {
        let place = self.place();
        self.pick(&["a", "0", "1", "2", "(a + 1) % 3", &format!("({place} + 1) % 3")]).to_string()
    }

    fn properties(&mut self) {
        if self.dice.roll(3) == 0 {
            let (a, b) = (self.dice.roll(3), self.dice.roll(3));
            let _ = writeln!(self.text, "invariant x != {a} || y != {b};");
        }
        if self.labels.len() >= 2 && self.dice.roll(2) == 0 {
            let (a, b) = (self.dice.roll(self.labels.len()), self.dice.roll(self.labels.len()));
            let (a, b) = (&self.labels[a], &self.labels[b]);
            let _ = writeln!(self.text, "never {a} && {b};");
        }
        if self.dice.roll(4) == 0 {
            let variable = self.pick(&["x", "y", "z", "two", "own", "m"]);
            let _ = writeln!(self.text, "norace {variable};");
        }
        if self.dice.roll(3) == 0 {
            self.text += "nodeadlock;\n";
        }
    }
}

#[test]
fn programs_made_for_it() {
    let mut compared = Compared::default();
    let mut loaded = 0;
    for seed in seeds(0..60) {
        let text = Author::program(seed);
        loaded += u32::from(load(&text).is_some());
        compare(&format!("seed {seed}"), &text, &mut compared);
    }
    println!("{compared:?}, {loaded} loaded");
    assert!(
        compared.safe > 50 && compared.wrong > 50 && compared.smaller > 100,
        "these programs test too little: {compared:?}"
    );
}

/// Worked out by hand: every step of these threads touches what the other one does, so nothing can be left out, and the search of all
/// states goes on where it was.
#[test]
fn where_nothing_is_saved() {
    let text = "shared x: 0..40; thread A { while (x < 41) { x = (x + 1) % 41; } } thread B { while (x < 41) { x = (x + 2) % 41; } }";
    let program = load(text).expect("a program");
    for fold in [true, false] {
        let reduced = Options { reduction: true, reduce_above: 100, fold, ..Options::default() };
        let (found, stats) = answer(&program, &reduced);
        // Each thread is at its test or at its assignment.
        assert_eq!((found, number(&stats, "states")), (Answer::Safe, 4 * 41));
        let (_, all) = answer(&program, &Options { reduction: false, ..reduced });
        assert_eq!(stats.numbers, all.numbers, "nothing tells that it was tried");
    }
}

/// Worked out by hand: of the five places of each thread three are quiet (the test, and two of the `skip`; the last one closes the loop). Where
/// one thread is at such a place, it goes on alone, so but for the start there is no state in which both are.
#[test]
fn where_a_third_is_saved() {
    let text = "shared x, y: 0..40; thread A { while (true) { x = (x + 1) % 41; skip; skip; skip; } }
                thread B { while (true) { y = (y + 1) % 41; skip; skip; skip; } } invariant x + y >= 0;";
    let program = load(text).expect("a program");
    let reduced = Options { reduction: true, reduce_above: 2000, fold: false, ..Options::default() };
    let (found, stats) = answer(&program, &reduced);
    assert_eq!((found, number(&stats, "states")), (Answer::Safe, (25 - 9) * 41 * 41 + 1));
}

/// Worked out by hand: an error far behind the trial, in a search that goes on after it.
#[test]
fn an_error_behind_the_trial() {
    let text = "shared x, y: 0..40; thread A { while (true) { x = (x + 1) % 41; } } thread B { while (true) { y = (y + 1) % 41; } }
                invariant x + y < 80;";
    let program = load(text).expect("a program");
    for reduce_above in [0, 10, 100, 1000, 6000] {
        let reduced = Options { reduction: true, reduce_above, ..Options::default() };
        let (Claim::Refuted(trace), _) = explore(&program, &reduced, &Budget::unlimited()) else {
            panic!("{reduce_above}")
        };
        // Forty rounds of each, of a test and an assignment.
        assert_eq!(trace.steps.len(), 160, "{reduce_above}");
    }
}
