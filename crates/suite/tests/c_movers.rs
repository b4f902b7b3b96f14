//! Merged steps of C programs. Random programs with mutexes of all uses, creations, joins, atomic regions and executions that end
//! early have the same verdict with merged steps as with every step by itself; and much is merged. A search of them that leaves out orders of steps
//! says the same as one that does not.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::Claim;
use threadwise_engine_explicit as explicit;
use threadwise_frontends::{EVERY_STEP, Options, PROPERTY, frontend_for};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_source::SourceFile;
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 250;
/// Of so many the reduced search is compared, for each property.
const REDUCED: u64 = 40;
const MAX_STATES: usize = 20_000;
const SEARCH: Duration = Duration::from_millis(1500);

fn loaded(text: &str, every_step: bool) -> Arc<Program> {
    loaded_for("assertions", text, every_step)
}

fn loaded_for(property: &str, text: &str, every_step: bool) -> Arc<Program> {
    let path = Path::new("random.i");
    let mut options = Options::default();
    options.add(&PROPERTY, property);
    if every_step {
        options.add(&EVERY_STEP, "");
    }
    let loaded = frontend_for(path).load(vec![SourceFile::new("random.i", text)], &options, &Budget::unlimited());
    loaded.program.unwrap_or_else(|| {
        panic!("{text}\n{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false))
    })
}

/// The verdict in a word; nothing where the time is over.
fn answer(program: &Arc<Program>) -> Option<&'static str> {
    let request = Request { engine: EngineName::Explicit.into(), ..Request::default() };
    match verify(program, &request, &Budget::new(Some(SEARCH), None)).verdict {
        Verdict::Safe(_) => Some("safe"),
        Verdict::Unsafe(_) => Some("unsafe"),
        Verdict::Unknown(unknown) => {
            assert!(!unknown.is_internal_error(), "{}", unknown.reason());
            (!unknown.reason().contains("limit")).then_some("unknown")
        }
    }
}

/// How many points others see.
fn points(program: &Program) -> usize {
    program.locations.iter().filter(|location| !location.transient).count()
}

/// A generator of numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.roll(all.len() as u64) as usize]
    }
}

const PROLOGUE: &str = "
typedef unsigned long pthread_t;
typedef struct { int a; } pthread_mutex_t;
typedef struct { int a; } pthread_cond_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void pthread_exit(void *);
extern int pthread_mutex_init(pthread_mutex_t *, const void *);
extern int pthread_mutex_destroy(pthread_mutex_t *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
extern void abort(void);
void reach_error(void) { __assert_fail(\"0\", \"f\", 1, \"f\"); }
void check(int holds) { if (!holds) reach_error(); }
void assume(int holds) { if (!holds) abort(); }
pthread_mutex_t m, n, each[2];
pthread_cond_t c;
unsigned char x, y, z;
void *first(void *); void *second(void *); void *third(void *);
";

/// A value of an expression over the shared variables.
fn value(dice: &mut Dice) -> &'static str {
    dice.pick(&["x", "y", "z", "0", "1", "2", "(x + 1) % 3", "(y + x) % 3", "(z + 1) % 2"])
}

fn assignment(dice: &mut Dice) -> String {
    format!("{} = {};", dice.pick(&["x", "y", "z"]), value(dice))
}

fn assertion(dice: &mut Dice) -> String {
    let condition = match dice.roll(5) {
        0 => format!("!(x == {} && y == {})", dice.roll(3), dice.roll(3)),
        1 => format!("x != {}", dice.roll(3)),
        2 => format!("z != {}", 1 + dice.roll(2)),
        3 => format!("!(y == {} && z == {})", dice.roll(3), dice.roll(2)),
        _ => format!("x <= y + {}", dice.roll(3)),
    };
    format!("check({condition});")
}

fn statement(dice: &mut Dice, depth: u64) -> String {
    let kind = if depth == 0 { dice.roll(5) } else { dice.roll(22) };
    match kind {
        0..=2 => assignment(dice),
        3 => assertion(dice),
        4 => format!("assume({} != {});", dice.pick(&["x", "y", "z"]), dice.roll(3)),
        5..=9 => {
            let lock = dice.pick(&["m", "m", "m", "n", "each[0]", "each[x % 2]"]);
            let body = statements(dice, depth - 1);
            // A variable as an index may change in between: it is taken once.
            match lock {
                "each[x % 2]" => {
                    format!("{{ int i = x % 2; pthread_mutex_lock(&each[i]); {body} pthread_mutex_unlock(&each[i]); }}")
                }
                _ => format!("pthread_mutex_lock(&{lock}); {body} pthread_mutex_unlock(&{lock});"),
            }
        }
        10 => {
            let (lock, body) = (dice.pick(&["n", "n", "m"]), statements(dice, depth - 1));
            let rest = statement(dice, 0);
            format!(
                "if (pthread_mutex_trylock(&{lock}) == 0) {{ {body} pthread_mutex_unlock(&{lock}); }} else {{ {rest} }}"
            )
        }
        11 | 12 => {
            // So many ways are taken apart, where others have no part in it.
            let body: String = match dice.roll(3) {
                0 => {
                    (0..6).map(|_| format!("if ({} == 1) {}", dice.pick(&["x", "y", "z"]), assignment(dice))).collect()
                }
                _ => (0..1 + dice.roll(3)).map(|_| statement(dice, 0)).collect(),
            };
            format!("__VERIFIER_atomic_begin(); {body} __VERIFIER_atomic_end();")
        }
        13 | 14 => {
            let (yes, no) = (statements(dice, depth - 1), statement(dice, depth - 1));
            let condition =
                dice.pick(&["x > y", "z", "x == 1", "__VERIFIER_nondet_int()", "__VERIFIER_nondet_int() > 3"]);
            format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
        }
        15 => format!("for (int i = 0; i < 2; i++) {{ {} }}", statement(dice, depth - 1)),
        16 => format!("while (x == {}) {{ {} }}", dice.roll(3), statement(dice, depth - 1)),
        17 => dice
            .pick(&[
                "pthread_mutex_unlock(&m);",
                "pthread_mutex_destroy(&n);",
                "pthread_mutex_init(&n, 0);",
                "abort();",
            ])
            .to_string(),
        18 => {
            "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); x = (x + 1) % 3; pthread_mutex_unlock(&m);".to_string()
        }
        19 => {
            let rest = statement(dice, depth - 1);
            format!(
                "{{ int *p = 0; pthread_mutex_t *q = z ? &m : &n; pthread_mutex_lock(q); {rest} pthread_mutex_unlock(q); }}"
            )
        }
        _ => statements(dice, depth - 1),
    }
}

fn statements(dice: &mut Dice, depth: u64) -> String {
    let count = 1 + dice.roll(3);
    (0..count).map(|_| statement(dice, depth)).collect::<Vec<_>>().join(" ")
}

/// Everything that threads do with x, y and z is mostly done with a mutex.
fn body(dice: &mut Dice) -> String {
    let tidy = dice.roll(3) > 0;
    let count = 1 + dice.roll(2);
    let parts = (0..count).map(|_| match tidy {
        true => format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", statements(dice, 1)),
        false => statements(dice, 2),
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn main_body(dice: &mut Dice) -> String {
    let before = if dice.roll(2) == 0 { assignment(dice) } else { String::new() };
    let between = if dice.roll(4) == 0 { statement(dice, 1) } else { String::new() };
    let creates_second = dice.pick(&[
        "pthread_create(&t2, 0, second, 0);",
        "pthread_create(&t2, 0, second, 0);",
        "pthread_create(&t2, 0, first, 0);",
        "if (x) pthread_create(&t2, 0, second, 0); else pthread_create(&t2, 0, first, 0);",
    ]);
    let meanwhile = if dice.roll(4) == 0 { statement(dice, 1) } else { String::new() };
    let joins = dice.pick(&[
        "pthread_join(t1, 0); pthread_join(t2, 0);",
        "pthread_join(t1, 0); pthread_join(t2, 0);",
        "pthread_join(t2, 0); x = 1; pthread_join(t1, 0);",
        "pthread_join(t1, 0);",
        "if (y) pthread_join(t1, 0); pthread_join(t2, 0);",
        "",
    ]);
    let after = statements(dice, 1);
    format!(
        "pthread_t t1, t2; {before} pthread_create(&t1, 0, first, 0); {between} {creates_second} {meanwhile} {joins} {after} return 0;"
    )
}

fn in_loops(dice: &mut Dice) -> String {
    let after = statements(dice, 1);
    format!(
        "pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, first, 0); \
         for (int i = 0; i < 2; i++) pthread_join(t[i], 0); {after} return 0;"
    )
}

fn random(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.roll(2);
    }
    let (first, second, third) = (body(&mut dice), body(&mut dice), body(&mut dice));
    let nested = if dice.roll(6) == 0 { "pthread_t t3; pthread_create(&t3, 0, third, 0);" } else { "" };
    let main = if dice.roll(5) == 0 { in_loops(&mut dice) } else { main_body(&mut dice) };
    format!(
        "{PROLOGUE}void *first(void *a) {{ {first} return 0; }}\nvoid *second(void *a) {{ {nested} {second} return 0; }}\n\
         void *third(void *a) {{ {third} return 0; }}\nint main(void) {{\n  {main}\n}}\n"
    )
}

fn seeds(few: u64) -> std::ops::Range<u64> {
    let given = std::env::var("MOVER_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once("..")).map(|(a, b)| (a.parse(), b.parse()));
    match given {
        Some((Ok(first), Ok(end))) => first..end,
        _ => 0..few,
    }
}

#[test]
fn merged_steps_have_the_same_errors() {
    let (mut right, mut wrong, mut points_before, mut points_after) = (0, 0, 0, 0);
    for seed in seeds(PROGRAMS) {
        let text = random(seed);
        let (merged, apart) = (loaded(&text, false), loaded(&text, true));
        points_before += points(&apart);
        points_after += points(&merged);
        let (Some(by_merged), Some(by_each)) = (answer(&merged), answer(&apart)) else { continue };
        assert_eq!(by_merged, by_each, "seed {seed}\n{text}");
        right += u64::from(by_each == "safe");
        wrong += u64::from(by_each == "unsafe");
    }
    println!("{right} right and {wrong} wrong programs; {points_before} points became {points_after}");
    let all = seeds(PROGRAMS).end - seeds(PROGRAMS).start;
    assert!(right * 6 > all && wrong * 6 > all, "{right} right and {wrong} wrong ones of {all}");
    assert!(points_after * 4 < points_before * 3, "{points_before} points became {points_after}");
}

/// The claim in a word, and how many states were visited.
fn searched(program: &Arc<Program>, reduction: bool) -> (&'static str, u64) {
    let options = explicit::Options { reduction, reduce_above: 0, max_states: MAX_STATES, ..Default::default() };
    let (claim, stats) = explicit::explore(program, &options, &Budget::new(Some(10 * SEARCH), None));
    let states = stats.numbers.iter().find(|(name, _)| *name == "states").map_or(0, |(_, states)| *states);
    let word = match claim {
        Claim::Proved(_) | Claim::Exhausted(_) => "safe",
        Claim::Refuted(_) => "unsafe",
        Claim::Unknown(_) | Claim::Rejected(_) => "unknown",
    };
    (word, states)
}

#[test]
fn a_reduced_search_finds_the_same_errors() {
    let (mut right, mut wrong, mut smaller) = (0, 0, 0);
    for seed in seeds(REDUCED) {
        let text = random(seed);
        for (property, every_step) in
            [("assertions", false), ("assertions", true), ("races", false), ("deadlock", false)]
        {
            let program = loaded_for(property, &text, every_step);
            let (expected, all) = searched(&program, false);
            if expected == "unknown" {
                continue;
            }
            let (found, some) = searched(&program, true);
            assert_eq!(found, expected, "seed {seed}, {property}, every step: {every_step}\n{text}");
            right += u64::from(found == "safe");
            wrong += u64::from(found == "unsafe");
            smaller += u64::from(found == "safe" && some < all);
        }
    }
    println!("{right} right ones, of {smaller} of which fewer states were visited, and {wrong} wrong ones");
    assert!(right > 10 && wrong > 10 && smaller > 5, "{right} right, {wrong} wrong, {smaller} smaller");
}
