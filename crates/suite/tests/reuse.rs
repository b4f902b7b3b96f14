//! After an edit, what is remembered of the program before: the verdict is that from scratch, and a judge who remembers says what one says who
//! does not. `REUSE_SEEDS=0..5000` says which programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use threadwise_check::{Remembered, check, check_again, check_and_remember};
use threadwise_claims::Claim;
use threadwise_engine_explicit::explore;
use threadwise_engine_modular::{analyse, analyse_again, analyse_and_keep};
use threadwise_evidence::{Annotation, Context, ModularChange, ModularProof, Proof, ThreadAnnotation};
use threadwise_front_tw::{Options, load};
use threadwise_ir::{Instance, Program, Store, TemplateId};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, KEPT, Request, keep, verify, verify_again};
use threadwise_suite::dice::Dice;
use threadwise_suite::{program, simple_different};
use threadwise_verdict::Verdict;

fn seeds(few: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("REUSE_SEEDS") else { return few };
    let (first, last) = text.split_once("..").expect("REUSE_SEEDS is a range, as in 0..5000");
    first.parse().expect("a number")..last.parse().expect("a number")
}

fn loaded(text: &str) -> Option<Arc<Program>> {
    load(threadwise_source::SourceFile::new("test.tw", text), &Options::default()).program.map(Arc::new)
}

/// A program whose parts can be written anew.
struct Author {
    dice: Dice,
    procedure: String,
    threads: Vec<String>,
    properties: String,
}

impl Author {
    fn new(seed: u64) -> Author {
        let mut author =
            Author { dice: Dice::new(seed), procedure: String::new(), threads: Vec::new(), properties: String::new() };
        author.procedure = author.a_procedure();
        for _ in 0..2 + author.dice.roll(3) {
            let thread = author.statements(4);
            author.threads.push(thread);
        }
        author.properties = author.some_properties();
        author
    }

    fn text(&self) -> String {
        let mut text = "shared x, y: 0..2; shared b: bool; shared m, n: mutex; shared two: [0..1]0..2;\n".to_string();
        let _ = writeln!(text, "proc step() {{ var a: 0..2; {} }}", self.procedure);
        for (index, thread) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "thread T{index} {{ var a: 0..2;\n{thread} here: skip; }}");
        }
        text + &self.properties
    }

    /// Most edits are of one thread; some are of another kind.
    fn edit(&mut self) {
        let thread = self.dice.roll(self.threads.len());
        match self.dice.roll(12) {
            0 => self.procedure = self.a_procedure(),
            1 => self.properties = self.some_properties(),
            2 => self.threads[thread] = format!("// nothing else\n\n{}", self.threads[thread]),
            3 => self.threads[thread] += "  skip;\n",
            4 => {
                self.threads[thread] = self.statements(3);
                self.threads[0] = self.statements(2);
            }
            _ => self.threads[thread] = self.statements(4),
        }
    }

    /// One that calls nothing.
    fn a_procedure(&mut self) -> String {
        self.statements(1).replace("step();", "skip;")
    }

    fn statements(&mut self, most: usize) -> String {
        let count = 1 + self.dice.roll(most);
        (0..count).map(|_| self.statement(2)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        let (value, limit) = (self.dice.roll(3), self.dice.roll(3));
        let place = ["x", "y", "two[0]", "two[1]", "two[a % 2]", "x"][self.dice.roll(6)];
        let mutex = ["m", "n"][self.dice.roll(2)];
        match self.dice.roll(if depth > 0 { 13 } else { 7 }) {
            0 => format!("{place} = {value};\n"),
            1 => format!("{place} = ({place} + 1) % 3;\n"),
            2 => format!("a = {place};\n"),
            3 => "a = (a + 1) % 3;\n".to_string(),
            4 => format!("await {place} != {value};\n"),
            5 => format!("assert {place} != {value} || a != {limit} || b;\n"),
            6 => "b = true;\n".to_string(),
            7 | 8 => format!("acquire({mutex});\n{}release({mutex});\n", self.statement(depth - 1)),
            9 => format!("if ({place} == {value}) {{ {} }} else {{ b = !b; }}\n", self.statement(depth - 1)),
            10 => format!("while ({place} < {value}) {{ {} }}\n", self.statement(depth - 1)),
            11 => format!("atomic {{ {} {} }}\n", self.statement(0), self.statement(0)),
            _ => "step();\n".to_string(),
        }
    }

    fn some_properties(&mut self) -> String {
        let mut text = String::new();
        let (a, b) = (self.dice.roll(3), self.dice.roll(3));
        match self.dice.roll(6) {
            0 => text += &format!("invariant x != {a} || y != {b} || b;\n"),
            1 => text += "never T0@here && T1@here && b;\n",
            2 => text += &format!("norace {};\n", ["x", "y", "two"][a]),
            3 => text += "nodeadlock;\n",
            _ => {}
        }
        text
    }
}

/// What was compared.
#[derive(Default, Debug)]
struct Compared {
    edits: u32,
    safe: u32,
    /// Verdicts SAFE that could be had by a look at what was edited.
    again: u32,
    /// Of these, those for which something was kept.
    kept: u32,
    wrong: u32,
}

#[test]
fn the_verdict_is_that_from_scratch() {
    let mut compared = Compared::default();
    for seed in seeds(0..150) {
        let mut author = Author::new(seed);
        let Some(mut before) = loaded(&author.text()) else { continue };
        let mut earlier = keep(&before, &Budget::unlimited()).map(Arc::new);
        for _ in 0..6 {
            author.edit();
            let text = author.text();
            let Some(program) = loaded(&text) else { continue };
            compared.edits += 1;
            let request = Request { engine: EngineName::Modular.into(), ..Request::default() };
            let scratch = verify(&program, &request, &Budget::unlimited()).verdict;
            let (truth, _) = explore(&program, &Default::default(), &Budget::unlimited());
            let is_safe = matches!(truth, Claim::Proved(_) | Claim::Exhausted(_));
            let is_wrong = matches!(truth, Claim::Refuted(_));
            compared.wrong += u32::from(is_wrong);
            compared.safe += u32::from(matches!(scratch, Verdict::Safe(_)));
            let again = earlier.as_ref().and_then(|earlier| verify_again(earlier, &program, &Budget::unlimited()));
            let Some((outcome, next)) = again else {
                // The editor shows errors meanwhile; what was known before is of use when they are gone.
                if matches!(scratch, Verdict::Safe(_)) {
                    earlier = keep(&program, &Budget::unlimited()).map(Arc::new);
                    assert!(earlier.is_some(), "seed {seed}: proved, and nothing to remember:\n{text}");
                    before = program;
                }
                continue;
            };
            assert!(is_safe, "seed {seed}: SAFE after an edit, but {truth:?}:\n{text}\nbefore: {before:?}");
            assert!(matches!(outcome.verdict, Verdict::Safe(_)));
            assert!(matches!(scratch, Verdict::Safe(_)), "seed {seed}: more than from scratch:\n{text}");
            compared.again += 1;
            let kept = outcome.stats.numbers.iter().find(|(name, _)| *name == KEPT).map_or(0, |(_, kept)| *kept);
            compared.kept += u32::from(kept > 0);
            earlier = Some(Arc::new(next));
            before = program;
        }
    }
    println!("{compared:?}");
    assert!(compared.wrong > 50 && compared.safe > 200, "these programs test too little: {compared:?}");
    assert!(compared.again * 10 > compared.safe * 6 && compared.kept > 100, "little is reused: {compared:?}");
}

/// For each thread its states, by shared store.
type States = Vec<BTreeMap<Store, BTreeSet<Store>>>;

/// All that is said of threads after a change.
fn applied(before: Option<(&Arc<Program>, &States)>, program: &Arc<Program>, change: &ModularChange) -> States {
    let mut states: States = vec![BTreeMap::new(); program.templates.len()];
    if let Some((earlier, old)) = before {
        let edits = program.edits_since(earlier).expect("only code was edited");
        let instance = Instance::new(earlier.clone(), 0);
        for (index, thread) in old.iter().enumerate().filter(|(index, _)| !edits.is_edited(TemplateId(*index as u32))) {
            for (shared, locals) in thread {
                let moved = locals.iter().map(|local| edits.moved(&instance, local).into());
                states[index].insert(shared.clone(), moved.collect());
            }
        }
    }
    for (thread, more) in states.iter_mut().zip(&change.threads) {
        for (shared, locals) in more {
            thread.entry(shared.clone()).or_default().extend(locals.iter().cloned());
        }
    }
    states
}

fn whole_proof(states: &States) -> Proof {
    let thread = |states: &BTreeMap<Store, BTreeSet<Store>>| {
        let states = states.iter().map(|(shared, locals)| (shared.clone(), locals.iter().cloned().collect()));
        ThreadAnnotation { contexts: vec![Context { callers: Vec::new(), states: states.collect() }] }
    };
    let threads = states.iter().map(thread).collect();
    Proof::Modular(ModularProof { cases: vec![Annotation { copies: vec![1; states.len()], threads }] })
}

/// The change with one state less, or with one at another store.
fn damaged(change: &ModularChange, dice: &mut Dice) -> ModularChange {
    let mut damaged = change.clone();
    let places: Vec<(usize, usize)> = damaged
        .threads
        .iter()
        .enumerate()
        .flat_map(|(thread, states)| (0..states.len()).map(move |row| (thread, row)))
        .collect();
    if places.is_empty() {
        return damaged;
    }
    let (thread, row) = places[dice.roll(places.len())];
    let (to, at) = places[dice.roll(places.len())];
    let other = change.threads[to][at].0.clone();
    let states = &mut damaged.threads[thread];
    match dice.roll(4) {
        0 => {
            let moved = states[row].1.clone();
            states.push((other, moved));
        }
        1 => states[row].0 = other,
        _ => {
            let local = dice.roll(states[row].1.len());
            states[row].1.remove(local);
        }
    }
    damaged
}

#[test]
fn a_judge_who_remembers_says_what_one_says_who_does_not() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds(0..150) {
        let mut author = Author::new(seed);
        let mut dice = Dice::new(seed + 7);
        let budget = Budget::unlimited();
        let mut judge =
            |before: Option<(&Remembered, &Arc<Program>, &States)>, program: &Arc<Program>, change: &ModularChange| {
                let all = applied(before.map(|(_, earlier, states)| (earlier, states)), program, change);
                let judged = match before {
                    None => check_and_remember(program, change, &budget),
                    Some((before, ..)) => check_again(before, program, change, &budget),
                };
                let whole = check(program, &whole_proof(&all), &budget);
                let text = || program.source.name().to_string();
                assert_eq!(
                    judged.is_ok(),
                    whole.is_ok(),
                    "seed {seed}: {:?} and {whole:?}\n{}",
                    judged.as_ref().err(),
                    text()
                );
                match &judged {
                    Ok((checked, _)) => {
                        assert_eq!(checked.states(), whole.expect("it is one").states(), "seed {seed}");
                        accepted += 1;
                    }
                    Err(_) => refused += 1,
                }
                judged.ok().map(|(_, remembered)| (remembered, all))
            };
        let Some(mut before) = loaded(&author.text()) else { continue };
        let Ok(Some(first)) = analyse_and_keep(&before, &budget) else { continue };
        for _ in 0..4 {
            judge(None, &before, &damaged(&first.change, &mut dice));
        }
        let Some((mut remembered, mut states)) = judge(None, &before, &first.change) else { continue };
        let mut kept = first.kept;
        for _ in 0..6 {
            author.edit();
            let Some(program) = loaded(&author.text()) else { continue };
            if program.edits_since(&before).is_none() {
                continue;
            }
            let Ok(Some(update)) = analyse_again(&kept, &program, &budget) else { continue };
            for _ in 0..6 {
                judge(Some((&remembered, &before, &states)), &program, &damaged(&update.change, &mut dice));
            }
            let nothing = ModularChange { threads: vec![Vec::new(); program.templates.len()] };
            judge(Some((&remembered, &before, &states)), &program, &nothing);
            let Some(next) = judge(Some((&remembered, &before, &states)), &program, &update.change) else { continue };
            (remembered, states) = next;
            (kept, before) = (update.kept, program);
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 200 && refused > 500, "{accepted} accepted, {refused} refused");
}

const BASE: &str = "shared x: 0..3; shared m: mutex;\nproc p() { x = 1; }\nthread A { x = 0; }\nthread B { p(); }\n\
                    thread C { acquire(m); x = 2; release(m); }\n";

fn edited(text: &str) -> Option<Vec<bool>> {
    let (old, new) = (program("a.tw", BASE), program("a.tw", text));
    let edits = new.edits_since(&old)?;
    Some((0..3).map(|thread| edits.is_edited(TemplateId(thread))).collect())
}

#[test]
fn what_was_edited() {
    assert_eq!(edited(BASE), Some(vec![false, false, false]));
    assert_eq!(edited(&format!("// a comment\n\n{BASE}")), Some(vec![false, false, false]));
    assert_eq!(edited(&BASE.replace("x = 0;", "x = 0; skip;")), Some(vec![true, false, false]));
    assert_eq!(edited(&BASE.replace("x = 0;", "x = 3;")), Some(vec![true, false, false]));
    assert_eq!(edited(&BASE.replace("x = 1;", "x = 2;")), Some(vec![false, true, false]), "what B calls");
    assert_eq!(edited(&BASE.replace("x = 2; release", "release")), Some(vec![false, false, true]));
    assert_eq!(edited(&format!("{BASE}invariant x < 3;")), None, "the number of a property may matter");
    assert_eq!(edited(&BASE.replace("0..3", "0..4")), None);
    assert_eq!(edited(&BASE.replace("0..3;", "0..3 = 1;")), None);
    assert_eq!(edited(&BASE.replace("thread C", "thread D")), None);
    assert_eq!(edited(&BASE.replace("thread C", "thread C[2]")), None);
    assert_eq!(edited(&format!("{BASE}norace x;")), None);
}

/// Whether a thread waits for a mutex depends on what all threads do with it.
#[test]
fn a_mutex_that_is_none_any_more() {
    let text = format!("{BASE}nodeadlock;");
    let (old, new) = (program("a.tw", &text), program("a.tw", &text.replace("x = 0;", "m = none;")));
    assert!(new.edits_since(&old).is_none());
    let new = program("a.tw", &text.replace("x = 0;", "x = 3;"));
    assert!(new.edits_since(&old).is_some());
}

/// Worked out by hand: a formula may be another one, and is then judged at every store.
#[test]
fn another_formula_is_judged() {
    let text = "shared x: 0..3; thread A { x = 1; } thread B { x = 2; } invariant x < 3;";
    let old = program("a.tw", text);
    let earlier = Arc::new(keep(&old, &Budget::unlimited()).expect("it is proved"));
    let wrong = program("a.tw", &text.replace("x < 3", "x < 2"));
    assert!(verify_again(&earlier, &wrong, &Budget::unlimited()).is_none());
    let right = program("a.tw", &text.replace("x < 3", "x != 3"));
    let (outcome, _) = verify_again(&earlier, &right, &Budget::unlimited()).expect("it is proved again");
    let kept = outcome.stats.numbers.iter().find(|(name, _)| *name == KEPT).map(|(_, kept)| *kept);
    // A is at its start with x = 0 and 2, and at its end with 1 and 2; B likewise.
    assert_eq!(kept, Some(2 * (2 + 2)));
}

/// One of many threads: little is looked at again, and the analysis from nothing has the same states.
#[test]
fn one_of_forty_threads() {
    let text = simple_different(40);
    let old = program("a.tw", &text);
    let earlier = Arc::new(keep(&old, &Budget::unlimited()).expect("it is proved"));
    let new = program("a.tw", &text.replacen("thread T7 {\n  acquire(m);", "thread T7 {\n  acquire(m);\n  skip;", 1));
    let (outcome, _) = verify_again(&earlier, &new, &Budget::unlimited()).expect("it is proved again");
    let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    let (Claim::Proved(Proof::Modular(whole)), _) = analyse(&new, &Default::default(), &Budget::unlimited()) else {
        panic!("the analysis proves it")
    };
    assert_eq!(safe.states(), whole.states());
    let number = |wanted: &str| outcome.stats.numbers.iter().find(|(name, _)| *name == wanted).map_or(0, |(_, n)| *n);
    assert!(number("thread_states") * 20 < whole.states(), "{:?} of {}", outcome.stats.numbers, whole.states());
}

/// For `docs/BENCHMARKS.md`: `cargo test --release --test reuse -- --ignored --nocapture one_of_a_thousand`.
#[test]
#[ignore = "takes a minute, and is there to measure"]
fn one_of_a_thousand_threads() {
    let text = simple_different(1000);
    let clock = || std::time::Instant::now();
    let started = clock();
    let old = program("a.tw", &text);
    println!("to read it: {:?}", started.elapsed());
    let started = clock();
    let request = Request { engine: EngineName::Modular.into(), ..Request::default() };
    assert!(matches!(verify(&old, &request, &Budget::unlimited()).verdict, Verdict::Safe(_)));
    println!("from scratch: {:?}", started.elapsed());
    let started = clock();
    let mut earlier = Arc::new(keep(&old, &Budget::unlimited()).expect("it is proved"));
    println!("to remember it: {:?}", started.elapsed());
    for thread in [1, 500, 1000] {
        let old = format!("thread T{thread} {{\n  acquire(m);");
        let text = text.replacen(&old, &format!("{old}\n  skip;"), 1);
        let started = clock();
        let new = program("a.tw", &text);
        let read = started.elapsed();
        let (outcome, next) = verify_again(&earlier, &new, &Budget::unlimited()).expect("it is proved again");
        println!(
            "thread {thread}: read in {read:?}, verdict after {:?}: {:?}",
            started.elapsed(),
            outcome.stats.numbers
        );
        earlier = Arc::new(next);
    }
}
