//! Families of programs that are too long to be written by hand.
//!
//! The benchmark `simple-different` in `bench/models` is Simple(n) of FQ, section 1.1, with n
//! threads of which each has code of its own, so that no two of them can be exchanged. In thread
//! `i` there are `i mod 7 + 1` steps that do nothing between `x = 0` and `x = x + 1`, hence
//! `i mod 7 + 5` points at which it holds the mutex; so the program has
//! 2^n + 2^(n-1) · (the sum of `i mod 7 + 5` over the threads) reachable states.

//!
//! [`lock_class_different`] is the lock class of CART, section 3.6, with copies made different.

use std::fmt::Write;

/// The number of steps in thread `i` that do nothing.
fn idle_steps(i: usize) -> usize {
    i % 7 + 1
}

/// The number of reachable states of [`simple_different`]; `None` if it takes more than 64 bits.
pub fn simple_different_states(n: usize) -> Option<u64> {
    let all_resting = 1u64.checked_shl(u32::try_from(n).ok()?).filter(|_| n < 64)?;
    let holding: u64 = (1..=n).map(|i| idle_steps(i) as u64 + 4).sum();
    all_resting.checked_add((all_resting / 2).checked_mul(holding)?)
}

/// Simple(n) with n different threads, as a `.tw` program.
pub fn simple_different(n: usize) -> String {
    let mut text = format!(
        "// Simple(n) of FQ, section 1.1, with n = {n} different threads.\n\
         // Thread i has i mod 7 + 1 steps that do nothing.\n\
         //\n\
         // expect: SAFE\n"
    );
    if let Some(states) = simple_different_states(n) {
        let _ = writeln!(text, "// states: {states}");
    }
    text += "\nshared x: 0..1 = 1;\nshared m: mutex;\n";
    for i in 1..=n {
        let idle = "  skip;\n".repeat(idle_steps(i));
        let _ = write!(
            text,
            "\nthread T{i} {{\n  acquire(m);\n  x = 0;\n{idle}  x = x + 1;\n  assert x > 0;\n  release(m);\n}}\n"
        );
    }
    text += "\nnorace x;\ninvariant clean: m == none ==> x == 1;\n";
    text
}

/// The same as Promela text for SPIN, with the same control points. SPIN has room for 255
/// processes.
pub fn simple_different_promela(n: usize) -> String {
    let mut text = format!(
        "/* Simple(n) of FQ, section 1.1, with n = {n} different threads.\n \
         * Thread i has i mod 7 + 1 steps that do nothing. As in simple.pml, SPIN also\n \
         * stores the death of processes; with -DSTAY they stay at their end and the\n \
         * numbers of states are equal. The assertion in the acquire step stands for the\n \
         * invariant that `x` is 1 while the mutex is free. Races are not checked here.\n \
         */\n\
         #ifdef STAY\n#define END ; false\n#else\n#define END\n#endif\n\n\
         byte x = 1;\n\
         byte m; /* the holder's number, or 0 */\n"
    );
    for i in 1..=n {
        let idle = "\tskip;\n".repeat(idle_steps(i));
        let _ = write!(
            text,
            "\nactive proctype T{i}()\n{{\n\
             \td_step {{ m == 0 -> assert(x == 1); m = {i} }};\n\tx = 0;\n{idle}\tx = x + 1;\n\
             \tassert(x > 0);\n\tm = 0\n\tEND\n}}\n"
        );
    }
    text
}

/// The lock class of CART, section 3.6, with `m` critical sections of one location each, and copies
/// made different: the copy with number i is at the first plain point with k = 0 to k = i. How many
/// copies there are is the constant `N`.
pub fn lock_class_different(m: usize) -> String {
    let mut text = String::from(
        "// The lock class of CART, section 3.6, with copies made different.\n\
         //\n\
         // expect: SAFE\n\n\
         const N = 3;\n\nshared lck: lock;\n\nthread W[N] {\n  var k: 0..N;\n  loop {\n",
    );
    for section in 1..=m {
        let _ = write!(
            text,
            "    plain{section}: atomic {{ if (k < ord(self)) {{ k = k + 1; }} else {{ goto ready{section}; }} }}\n    \
             goto plain{section};\n    ready{section}: acquire(lck);\n    critical: release(lck);\n"
        );
    }
    text += "  }\n}\n\nnever exists i: W, j: W :: i != j && i@critical && j@critical;\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use threadwise_limits::Budget;
    use threadwise_portfolio::{EngineName, EngineOptions, Request, verify};
    use threadwise_verdict::Verdict;

    #[test]
    fn it_is_safe_and_has_the_number_of_states_worked_out() {
        for n in 1..=4 {
            let program = crate::program("simple-different.tw", &simple_different(n));
            let options = EngineOptions::default().with_symmetry(false).with_folding(false).with_reduction(false);
            let request = Request { engine: EngineName::Explicit.into(), options, ..Request::default() };
            let outcome = verify(&program, &request, &Budget::unlimited());
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
            let states = outcome.stats.numbers.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n);
            assert_eq!(states, simple_different_states(n), "{n} threads");
        }
        assert_eq!(simple_different_states(3), Some(8 + 4 * (6 + 7 + 8)));
    }

    /// With `BLESS=1` in the environment the files are rewritten instead.
    #[test]
    fn the_models_for_four_threads_are_in_the_repository() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/models");
        for (name, text) in
            [("simple-different.tw", simple_different(4)), ("simple-different.pml", simple_different_promela(4))]
        {
            let path = models.join(name);
            if std::env::var_os("BLESS").is_some() {
                std::fs::write(&path, &text).expect("writable model");
            }
            assert_eq!(std::fs::read_to_string(&path).expect("readable model"), text, "{name}");
        }
    }
}
