//! Outlines of C programs. On random programs full of locks, heap, creation and joins, nothing is proved to be free of races
//! in the outline where a search of the program itself finds one; and proofs about outlines are judged as such.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::check;
use threadwise_evidence::{Proof, ProtectionProof};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_frontends::{Options, PROPERTY, frontend_for};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_source::SourceFile;
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 120;
const SEARCH: Duration = Duration::from_millis(250);

fn loaded(text: &str) -> Arc<Program> {
    let path = Path::new("random.c");
    let mut options = Options::default();
    options.add(&PROPERTY, "races");
    let loaded = frontend_for(path).load(vec![SourceFile::new("random.c", text)], &options, &Budget::unlimited());
    loaded.program.unwrap_or_else(|| {
        panic!("{text}\n{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false))
    })
}

fn asked(program: &Arc<Program>, engine: EngineName, time: Duration) -> Outcome {
    let request = Request { engine: engine.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, &Budget::new(Some(time), None))
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

    fn lucky(&mut self) -> bool {
        self.roll(4) > 0
    }
}

const PROLOGUE: &str = "
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int v; struct node *next; };
struct node *head;
int x, y, *array;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, late;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_t h[3], one, two;
static int try(void) { if (pthread_mutex_trylock(&m)) return -1; return 0; }
static void touch(void) { x++; }
void (*callee)(void) = touch;
";

/// Something that a thread does.
fn statement(dice: &mut Dice, depth: u32) -> String {
    let inner = |dice: &mut Dice| if depth == 0 { "x++;".to_string() } else { statement(dice, depth - 1) };
    let lock =
        |inner: String, lock: &str| format!("pthread_mutex_lock(&{lock}); {inner} pthread_mutex_unlock(&{lock});");
    match dice.roll(12) {
        0 => "x++;".into(),
        1 => "y = x;".into(),
        2 => "if (head) head->v++;".into(),
        3 => "array[0]++;".into(),
        4 => format!("pthread_rwlock_rdlock(&rw); y = y + 0; {} pthread_rwlock_unlock(&rw);", "(void)x;"),
        5 => "pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw);".into(),
        6 => format!("if ({} == 0) {{ {} pthread_mutex_unlock(&m); }}", "try()", inner(dice)),
        7 => {
            let hang = "p->next = head; head = p;";
            let hang = if dice.lucky() { lock(hang.into(), "m") } else { hang.into() };
            let late = if dice.lucky() { "" } else { "p->v = 3;" };
            format!("{{ struct node *p = malloc(sizeof(struct node)); p->v = 1; p->next = 0; {hang} {late} }}")
        }
        8 => "{ int n = __VERIFIER_nondet_int(); if (n > 0) { int *q = malloc(n * sizeof(int)); q[0] = 1; free(q); } }"
            .into(),
        9 => "callee();".into(),
        _ => {
            let which = dice.pick(&["m", "m", "late"]);
            lock(inner(dice), which)
        }
    }
}

fn main_body(dice: &mut Dice) -> String {
    let begin = "pthread_mutex_init(&late, 0); int k = __VERIFIER_nondet_int(); if (k < 1 || k > 2) return 0; \
                 array = malloc(k * sizeof(int)); array[0] = 0;";
    let end = statement(dice, 1);
    let middle = match dice.roll(3) {
        0 => {
            let meanwhile = if dice.lucky() { String::new() } else { statement(dice, 1) };
            let second = if dice.lucky() { "pthread_join(two, 0);" } else { "" };
            format!(
                "pthread_create(&one, 0, first, 0); pthread_create(&two, 0, second, 0); {meanwhile} pthread_join(one, 0); {second}"
            )
        }
        1 => {
            let bound = dice.pick(&["2", "k"]);
            let joined = dice.pick(&[bound, bound, "1", "k"]);
            let from = dice.pick(&["0", "0", "0", "1"]);
            format!(
                "for (int i = 0; i < {bound}; i++) pthread_create(&h[i], 0, first, 0); \
                 for (int i = {from}; i < {joined}; i++) pthread_join(h[i], 0);"
            )
        }
        _ => {
            let test = dice.pick(&["r == 0", "r == 0", "r != 0"]);
            format!("int r = start(); if ({test}) {{ pthread_join(one, 0); pthread_join(two, 0); }}")
        }
    };
    format!("{begin}\n  {middle}\n  {end}\n  return 0;")
}

fn random(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.roll(2);
    }
    let first = statement(&mut dice, 1);
    let second = statement(&mut dice, 1);
    let start = "static int start(void) { if (__VERIFIER_nondet_int()) return 1; \
                 pthread_create(&one, 0, first, 0); pthread_create(&two, 0, second, 0); return 0; }";
    let main = main_body(&mut dice);
    format!(
        "{PROLOGUE}void *first(void *a) {{ {first} return 0; }}\nvoid *second(void *a) {{ {second} return 0; }}\n{start}\n\
         int main(void) {{\n  {main}\n}}\n"
    )
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("OUTLINE_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once("..")).map(|(a, b)| (a.parse(), b.parse()));
    match given {
        Some((Ok(first), Ok(end))) => first..end,
        _ => 0..PROGRAMS,
    }
}

#[test]
fn nothing_is_safe_in_its_outline_that_races() {
    let (mut proved, mut by_outline, mut races) = (0, 0, 0);
    for seed in seeds() {
        let text = random(seed);
        let program = loaded(&text);
        assert!(program.outline.is_some(), "seed {seed}\n{text}");
        let outcome = asked(&program, EngineName::Locks, Duration::from_secs(20));
        assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        let searched = asked(&program, EngineName::Explicit, SEARCH).verdict;
        let is_racy = matches!(searched, Verdict::Unsafe(_));
        assert!(!(is_proved && is_racy), "seed {seed} races\n{text}");
        proved += u64::from(is_proved);
        by_outline += u64::from(matches!(outcome.proof, Some(Proof::Protection(proof)) if proof.is_of_outline));
        races += u64::from(is_racy);
    }
    println!("{proved} proved, {by_outline} of them in the outline; {races} with races");
    let all = seeds().end - seeds().start;
    assert!(by_outline * 10 > all && races * 5 > all, "{by_outline} proved in the outline and {races} races of {all}");
}

/// Any number of threads that are all joined, and memory of any size.
const RIGHT: &str = "
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int total, *sizes;
pthread_mutex_t m;
void *work(void *a) { pthread_mutex_lock(&m); total += sizes[0]; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  int k = __VERIFIER_nondet_int();
  if (k < 1) return 0;
  pthread_mutex_init(&m, 0);
  sizes = malloc(k * sizeof(int));
  sizes[0] = 1;
  pthread_t *h = malloc(k * sizeof(pthread_t));
  for (int i = 0; i < k; i++) pthread_create(&h[i], 0, work, 0);
  for (int i = 0; i < k; i++) pthread_join(h[i], 0);
  sizes[0] = total;
  return 0;
}
";

fn proved(program: &Arc<Program>) -> ProtectionProof {
    let outcome = asked(program, EngineName::Locks, Duration::from_secs(20));
    let Some(Proof::Protection(proof)) = outcome.proof else { panic!("{:?}", outcome.verdict) };
    proof
}

#[test]
fn proofs_about_outlines_are_written_read_and_judged() {
    let program = loaded(RIGHT);
    let proof = proved(&program);
    assert!(proof.is_of_outline);
    let mut file = Vec::new();
    write_proof(&mut file, &program, &Proof::Protection(proof.clone()), &BTreeMap::new()).expect("it is written");
    let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&program)).expect("it is read");
    assert!(matches!(&read, Proof::Protection(back) if *back == proof));
    check(&program, &read, &Budget::unlimited()).expect("it is still right");
}

#[test]
fn a_proof_is_about_what_it_says() {
    let program = loaded(RIGHT);
    let proof = proved(&program);
    let refused = |program: &Arc<Program>, proof: ProtectionProof| {
        check(program, &Proof::Protection(proof), &Budget::unlimited()).is_err()
    };
    // Not about the program, and not about what has no outline.
    assert!(refused(&program, ProtectionProof { is_of_outline: false, ..proof.clone() }));
    let without = Arc::new(Program { outline: None, ..(*program).clone() });
    assert!(refused(&without, proof.clone()));
    // Nor about the outline of a program that leaves a thread alone, although all else is the same.
    let other =
        loaded(&RIGHT.replace("for (int i = 0; i < k; i++) pthread_join", "for (int i = 1; i < k; i++) pthread_join"));
    assert!(refused(&other, proof.clone()));
    let other = loaded(&RIGHT.replace("pthread_mutex_lock(&m); total", "total"));
    assert!(refused(&other, proof));
}

#[test]
fn a_loop_that_leaves_out_a_thread_joins_not_all() {
    let changes = [
        ("for (int i = 0; i < k; i++) pthread_join", "for (int i = 1; i < k; i++) pthread_join"),
        ("for (int i = 0; i < k; i++) pthread_join", "for (int i = 0; i < k; i += 2) pthread_join"),
        ("for (int i = 0; i < k; i++) pthread_join", "k--; for (int i = 0; i < k; i++) pthread_join"),
        ("pthread_join(h[i], 0);", "{ if (total) break; pthread_join(h[i], 0); }"),
        ("pthread_join(h[i], 0);", "{ if (i) pthread_join(h[i], 0); }"),
        ("pthread_join(h[i], 0);", "pthread_join(h[0], 0);"),
        ("pthread_create(&h[i], 0, work, 0);", "pthread_create(&h[0], 0, work, 0);"),
        (
            "pthread_create(&h[i], 0, work, 0);",
            "{ pthread_create(&h[i], 0, work, 0); pthread_create(&h[i], 0, work, 0); }",
        ),
        ("  sizes[0] = total;", "  pthread_create(&h[0], 0, work, 0); sizes[0] = total;"),
        ("i++) pthread_create(&h[i]", ") pthread_create(&h[++i]"),
    ];
    for (from, to) in changes {
        assert!(RIGHT.contains(from), "{from}");
        let program = loaded(&RIGHT.replace(from, to));
        let outcome = asked(&program, EngineName::Locks, Duration::from_secs(20));
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{to}: {:?}", outcome.verdict);
    }
}

/// Each thread stores to an element of its own.
const APART: &str = "
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
struct { int words[100]; char bytes[400]; } both;
void *store(void *given) { long i = (long)given; both.words[i] = 1; both.bytes[i] = 2; return 0; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 90) n = 90;
  for (int i = 0; i < n; i++) { pthread_t h; pthread_create(&h, 0, store, (void *)(long)i); }
  return 0;
}
";

#[test]
fn what_is_apart_in_a_struct_is_not_in_a_union() {
    let is_safe = |text: &str| {
        let outcome = asked(&loaded(text), EngineName::Locks, Duration::from_secs(20));
        matches!(outcome.verdict, Verdict::Safe(_))
    };
    assert!(is_safe(APART));
    // The second word lies in the fifth byte, which is another thread's.
    assert!(!is_safe(&APART.replace("struct", "union")));
    assert!(!is_safe(&APART.replace("struct { int words[100];", "union { struct { int first, words[99]; };")));
}

/// Threads of a kind that get an index, the address of an element, or a new object, and pointers they make of it.
fn handing_out(given: &str, body: &str) -> String {
    format!(
        "#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair {{ int x, y; }};
int *data;
struct pair pairs[40];
void *work(void *arg) {{
  long i = (long)arg;
  int *p = 0, *q = 0;
  struct pair *r = arg;
  {body}
  return 0;
}}
int main(void) {{
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 2) return 0;
  data = malloc(20 * sizeof(int));
  for (int i = 0; i < n; i++) {{
    pthread_t h;
    pthread_create(&h, 0, work, {given});
  }}
  return 0;
}}
"
    )
}

const INDEX: &str = "(void *)(long)i";
const ELEMENT: &str = "&pairs[i]";
const OBJECT: &str = "malloc(sizeof(struct pair))";

/// What is right may stay undecided, but these are what the analysis is for; what is wrong must not be proved.
#[test]
fn pointers_into_what_belongs_to_a_thread() {
    let cases = [
        (INDEX, "data[i] = __VERIFIER_nondet_int();", true),
        (INDEX, "p = &data[i]; i = 1; *p = 7;", true),
        (INDEX, "p = &data[i]; if (i) p = &data[i]; q = p; *q = 7;", true),
        (INDEX, "p = &pairs[i].y; *p = 7;", true),
        (INDEX, "p = &data[i]; if (i) p = &data[0]; *p = 7;", false),
        (INDEX, "i = 1; p = &data[i]; *p = 7;", false),
        (INDEX, "p = &data[i]; p = p + 1 - i; *p = 7;", false),
        (INDEX, "p = &data[i]; *(long *)p = 7;", false),
        (ELEMENT, "p = &r->y; *p = 7; p = &r->x; *p = 8;", true),
        (ELEMENT, "r->y = __VERIFIER_nondet_int();", true),
        (ELEMENT, "p = (int *)r; p = p + 2 - 2 * (r - pairs); *p = 7;", false),
        (ELEMENT, "p = &((struct pair *)&r->y)->y; *p = 7; r->x = 1;", false),
        (OBJECT, "p = &r->y; *p = __VERIFIER_nondet_int(); free(r);", true),
        (OBJECT, "r->x = 1; r = pairs; p = &r->x; *p = 2;", false),
    ];
    for (given, body, is_right) in cases {
        let outcome = asked(&loaded(&handing_out(given, body)), EngineName::Locks, Duration::from_secs(20));
        assert_eq!(matches!(outcome.verdict, Verdict::Safe(_)), is_right, "{given}, {body}: {:?}", outcome.verdict);
    }
}

/// Random ways with such pointers: nothing is proved where a search finds a race.
#[test]
fn random_pointers_into_what_belongs_to_a_thread() {
    let statements = [
        "p = &data[i];",
        "p = &data[i];",
        "p = &pairs[i & 7].y;",
        "p = &data[0];",
        "q = p;",
        "p = q;",
        "i = 1;",
        "if (i) p = &data[i];",
        "if (__VERIFIER_nondet_int()) q = &data[1];",
        "if (p) *p = 7;",
        "if (p) *p = 7;",
        "if (q) *q = __VERIFIER_nondet_int();",
        "data[i] = 3;",
        "data[i] = __VERIFIER_nondet_int();",
    ];
    let objects = ["p = &r->y;", "p = &r->x;", "q = p;", "r = pairs;", "if (p) *p = 1;", "if (q) *q = 2;", "r->x = 3;"];
    let (mut safe, mut races) = (0, 0);
    for seed in seeds().step_by(3) {
        let mut dice = Dice((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let given = dice.pick(&[INDEX, INDEX, ELEMENT, OBJECT]);
        let some = if given == INDEX { &statements[..] } else { &objects[..] };
        let body: Vec<&str> = (0..3 + dice.roll(4)).map(|_| dice.pick(some)).collect();
        let text = handing_out(given, &body.join(" "));
        let program = loaded(&text);
        let proved = matches!(asked(&program, EngineName::Locks, Duration::from_secs(20)).verdict, Verdict::Safe(_));
        let found = matches!(asked(&program, EngineName::Explicit, SEARCH).verdict, Verdict::Unsafe(_));
        assert!(!(proved && found), "{text}");
        safe += u64::from(proved);
        races += u64::from(found);
    }
    assert!(safe >= 5 && races >= 5, "{safe} proved, {races} races");
}
