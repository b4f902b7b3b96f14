//! The engine `modular` on random programs: its thread states are those of the naive fixpoint of
//! CART, theorem 1.7.2; it proves what that fixpoint proves; and it is right.

mod last_thread;

use last_thread::{Projection, with_last_thread};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::Claim;
use threadwise_engine_modular::{Options, Search, analyse, applicable, fixpoint};
use threadwise_front_tw::ast::{Copies, Expr, ExprKind, ItemKind, Module};
use threadwise_front_tw::printer::print;
use threadwise_ir::{Instance, Op, Program, RoutineId, Store, Symmetry, TemplateId};
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, explore, program_strategy};
use threadwise_portfolio::{EngineOptions, ModularOptions, Request, verify};
use threadwise_source::Span;
use threadwise_suite::{cartesian_fixpoint, cartesian_proves, program};
use threadwise_verdict::Verdict;

/// Larger programs are left out.
const MAX_STATES: usize = 1_500;

/// Programs of which more states would have to be combined are left out.
const MAX_TUPLES: usize = 8_000;

fn options() -> GeneratorOptions {
    GeneratorOptions { max_states: 800, ord_percent: 10, ..GeneratorOptions::small() }
}

/// Always the same programs: those that take the oracle out of memory, with endless recursion in an
/// atomic block, are rare but exist.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2003),
        ..ProptestConfig::default()
    }
}

fn load(module: &Module) -> (Arc<Program>, Instance) {
    let program = program("random.tw", &print(module));
    (program.clone(), Instance::new(program, 0))
}

/// Whether some procedure can call itself, directly or through others.
fn is_recursive(program: &Program) -> bool {
    let calls = program.edges.iter().filter_map(|edge| match &edge.op {
        Op::Call { routine, .. } => Some((program.location(edge.from).routine, *routine)),
        _ => None,
    });
    let mut reaches: BTreeSet<(RoutineId, RoutineId)> = calls.collect();
    loop {
        let through = |&(a, b): &(RoutineId, RoutineId)| {
            let next = reaches.iter().filter(move |(c, _)| *c == b);
            next.map(move |&(_, d)| (a, d)).collect::<Vec<_>>()
        };
        let more: BTreeSet<_> = reaches.iter().flat_map(through).filter(|pair| !reaches.contains(pair)).collect();
        if more.is_empty() {
            return reaches.iter().any(|(a, b)| a == b);
        }
        reaches.extend(more);
    }
}

/// All orders of the numbers.
fn orders(numbers: &[usize]) -> Vec<Vec<usize>> {
    if numbers.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let rest = [&numbers[..i], &numbers[i + 1..]].concat();
        orders(&rest).into_iter().map(move |order| [&[numbers[i]], &order[..]].concat())
    };
    (0..numbers.len()).flat_map(first).collect()
}

/// All ways to permute copies of threads that leave the first copy of a template in place: for each
/// thread, counted from 0, where it goes.
fn permutations(instance: &Instance, template: TemplateId) -> Vec<Vec<usize>> {
    let Symmetry::Among(templates) = instance.program.symmetry() else { return Vec::new() };
    let mut permutations = vec![(0..instance.threads.len()).collect::<Vec<usize>>()];
    for group in templates {
        let copies = instance.copies_of(group).skip(usize::from(group == template)).collect::<Vec<_>>();
        let with_order = |permutation: &Vec<usize>, order: &Vec<usize>| {
            let mut permutation = permutation.clone();
            copies.iter().zip(order).for_each(|(&from, &to)| permutation[from] = to);
            permutation
        };
        let orders = orders(&copies);
        permutations = permutations.iter().flat_map(|p| orders.iter().map(|order| with_order(p, order))).collect();
    }
    permutations
}

/// The least of all shared stores that differ from this one by a permutation of copies that leaves
/// the template's first copy in place.
fn canonical(instance: &Instance, template: TemplateId, shared: &Store) -> Store {
    let image = |permutation: &Vec<usize>| {
        let tid = |tid: i64| if tid == 0 { 0 } else { permutation[tid as usize - 1] as i64 + 1 };
        instance.rename(shared, &tid).into_boxed_slice()
    };
    permutations(instance, template).iter().map(image).min().unwrap_or_else(|| shared.clone())
}

fn templates(instance: &Instance) -> impl Iterator<Item = TemplateId> {
    let all = (0..instance.program.templates.len() as u32).map(TemplateId);
    all.filter(|&template| !instance.copies_of(template).is_empty())
}

/// How the engine's states of each template's first copy differ from the naive fixpoint's.
fn difference(instance: &Instance, naive: &[BTreeSet<(Store, Store)>]) -> Option<String> {
    let found = fixpoint(instance, &Budget::unlimited()).expect("no limits and no gaps");
    templates(instance).find_map(|template| {
        let seen = |(shared, local): &(Store, Store)| (canonical(instance, template, shared), local.clone());
        let states = found.states(template);
        let engine: BTreeSet<_> = states.iter().map(seen).collect();
        let expected: BTreeSet<_> = naive[instance.copies_of(template).start].iter().map(seen).collect();
        if engine != expected {
            let (more, less) = (engine.difference(&expected), expected.difference(&engine));
            let (more, less) = (more.collect::<Vec<_>>(), less.collect::<Vec<_>>());
            return Some(format!("{template:?}: the engine has also {more:?}, and has not {less:?}"));
        }
        (states.len() != engine.len()).then(|| format!("{template:?}: two representatives of one store"))
    })
}

fn judged(program: &Arc<Program>, search: Search) -> Verdict {
    let engine = "modular".parse().expect("there is an engine `modular`");
    let options = EngineOptions { modular: ModularOptions { search }, ..EngineOptions::default() };
    judged_with(program, Request { engine, options, want_proof: true, ..Request::default() })
}

fn judged_with(program: &Arc<Program>, request: Request) -> Verdict {
    // Sequences of iterates may be exponentially long, and integers may grow for ever.
    let budget = Budget::new(Some(Duration::from_millis(300)), Some(4 << 30));
    verify(program, &request, &budget).verdict
}

/// The program with another number of copies of each replicated thread; any number for `None`.
/// Tells whether there are replicated threads.
fn with_copies(module: &Module, copies: Option<i64>) -> (Module, bool) {
    let mut module = module.clone();
    let mut replicated = false;
    for item in &mut module.items {
        if let ItemKind::Thread(thread) = &mut item.kind
            && !matches!(thread.copies, Copies::Single)
        {
            let number = |n| Expr { kind: ExprKind::Int(n), span: Span::default() };
            thread.copies = copies.map_or(Copies::Any, |n| Copies::Exactly(number(n)));
            replicated = true;
        }
    }
    (module, replicated)
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn thread_states_are_those_of_the_naive_fixpoint(module in program_strategy(options())) {
        let (program, instance) = load(&module);
        prop_assume!(applicable(&program).is_ok() && !is_recursive(&program));
        let Some(naive) = cartesian_fixpoint(&instance, MAX_TUPLES) else { return Ok(()) };
        let difference = difference(&instance, &naive);
        prop_assert!(difference.is_none(), "{}\nin\n{}", difference.unwrap_or_default(), print(&module));
        let Some(proves) = cartesian_proves(&instance, &naive, MAX_TUPLES) else { return Ok(()) };
        let (claim, _) = analyse(&program, &Options::default(), &Budget::unlimited());
        let proved = matches!(claim, Claim::Proved(_));
        prop_assert_eq!(proved, proves, "naive fixpoint on the right; {:?}\nin\n{}", claim, print(&module));
    }

    #[test]
    fn every_search_is_right(module in program_strategy(options())) {
        let explored = explore(&module, &[], MAX_STATES);
        prop_assume!(explored.complete && !matches!(explored.verdict, OracleVerdict::Unknown(_)));
        let (program, _) = load(&module);
        for search in [Search::Fixpoint, Search::Relaxed, Search::Frontier] {
            let verdict = judged(&program, search);
            let right = match &verdict {
                Verdict::Safe(_) => explored.verdict == OracleVerdict::Safe,
                Verdict::Unsafe(_) => matches!(explored.verdict, OracleVerdict::Unsafe { .. }),
                Verdict::Unknown(unknown) => !unknown.is_internal_error(),
            };
            prop_assert!(right, "{search:?}: {verdict:?}, but {:?}\nin\n{}", explored.verdict, print(&module));
        }
    }

    /// CART, section 1.13.1: a shared variable that says who took the last step loses nothing.
    #[test]
    fn exposing_the_last_thread_never_loses_precision(module in program_strategy(options())) {
        let (plain, exposed) = with_last_thread(&module);
        let ((program, instance), (richer, richer_instance)) = (load(&plain), load(&exposed));
        prop_assume!(applicable(&program).is_ok() && !is_recursive(&program));
        let Some(naive) = cartesian_fixpoint(&instance, MAX_TUPLES) else { return Ok(()) };
        let found = fixpoint(&richer_instance, &Budget::unlimited()).expect("no limits and no gaps");
        for template in templates(&instance) {
            let seen = |(shared, local): &(Store, Store), projection: &Projection| {
                let (shared, local) = projection.of(shared, local);
                (canonical(&instance, template, &shared), local)
            };
            let projection = Projection::new(&instance, &instance);
            let all: BTreeSet<_> =
                naive[instance.copies_of(template).start].iter().map(|state| seen(state, &projection)).collect();
            let projection = Projection::new(&instance, &richer_instance);
            let lost = found.states(template).iter().map(|state| seen(state, &projection)).find(|s| !all.contains(s));
            prop_assert!(lost.is_none(), "{template:?}: {lost:?} is new\nin\n{}", print(&exposed));
        }
        if matches!(judged(&program, Search::Fixpoint), Verdict::Safe(_)) {
            let verdict = judged(&richer, Search::Fixpoint);
            prop_assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}\nin\n{}", print(&exposed));
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    /// A proof for `[*]` is one for every number of copies.
    #[test]
    fn proofs_for_any_number_hold_for_every_number(module in program_strategy(options())) {
        let (any, replicated) = with_copies(&module, None);
        prop_assume!(replicated);
        let (program, _) = load(&any);
        prop_assume!(applicable(&program).is_ok());
        if matches!(judged(&program, Search::Fixpoint), Verdict::Safe(_)) {
            let engine = "explicit".parse().expect("there is an explicit engine");
            for copies in 0..=4 {
                let (program, _) = load(&with_copies(&module, Some(copies)).0);
                let verdict = judged_with(&program, Request { engine, ..Request::default() });
                let wrong = matches!(verdict, Verdict::Unsafe(_)) || verdict.is_internal_error();
                prop_assert!(!wrong, "{verdict:?} with {copies} copies\nin\n{}", print(&any));
            }
        }
    }
}
