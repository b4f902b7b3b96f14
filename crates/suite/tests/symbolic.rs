//! The symbolic semantics says what the concrete one says, on random programs: in every reachable state
//! each thread has the same steps, leading to the same values, and the same states are in error.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeSet, VecDeque};
use threadwise_engine_predicates::words::{live, point_of, state_with, values_in};
use threadwise_front_tw::printer::print;
use threadwise_ir::{Instance, State, ThreadId};
use threadwise_logic::{SmtSort, Term, Var};
use threadwise_oracle::{GeneratorOptions, program_strategy};
use threadwise_space::{ErrorKind, PointId, Space, Step, VarSort};
use threadwise_suite::program;

/// No more states than this are looked at in one program.
const MAX_STATES: usize = 150;

/// Steps with more combinations of free choices than this are left out.
const MAX_CHOICES: i64 = 200;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2011),
        ..ProptestConfig::default()
    }
}

fn initial_states(instance: &Instance) -> Option<Vec<State>> {
    let initial = instance.initial_stores();
    if initial.gap.is_some() || !initial.faults.is_empty() {
        return None;
    }
    let mut states = Vec::new();
    for shared in initial.stores {
        let mut tuples = vec![Vec::new()];
        for thread in 0..instance.threads.len() {
            let starts = instance.starts(ThreadId(thread as u32), &shared);
            if starts.gap.is_some() || !starts.failures.is_empty() {
                return None;
            }
            tuples = tuples
                .into_iter()
                .flat_map(|tuple: Vec<_>| {
                    starts.successors.iter().map(move |s| [&tuple[..], std::slice::from_ref(&s.local)].concat())
                })
                .collect();
        }
        states.extend(tuples.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    Some(states)
}

/// The value of each variable.
type Values<'a> = dyn Fn(Var) -> i64 + 'a;

/// Calls `each` with all values of the choices in the formulas; `None` if there are too many.
fn for_choices(space: &Space, vars: &BTreeSet<Var>, values: &[i64], each: &mut dyn FnMut(&Values<'_>)) -> Option<()> {
    let choices: Vec<Var> = vars.iter().copied().filter(|var| var.index() >= 2 * space.count()).collect();
    let mut ranges = Vec::new();
    let mut total: i64 = 1;
    for choice in &choices {
        let (lo, hi) = match space.sort(*choice) {
            VarSort::Bool => (0, 1),
            VarSort::Int(bounds) => bounds?,
        };
        total = total.checked_mul(hi - lo + 1).filter(|total| *total <= MAX_CHOICES)?;
        ranges.push((lo, hi));
    }
    for mut combination in 0..total {
        let mut chosen = Vec::new();
        for (lo, hi) in &ranges {
            chosen.push(lo + combination % (hi - lo + 1));
            combination /= hi - lo + 1;
        }
        each(&|var: Var| match choices.iter().position(|choice| *choice == var) {
            Some(at) => chosen[at],
            None => values[var.index()],
        });
    }
    Some(())
}

fn eval(value: &Term, valuation: &dyn Fn(Var) -> i64) -> i64 {
    match value.sort() {
        SmtSort::Bool => value.holds(&valuation).expect("small") as i64,
        _ => value.value(&valuation).expect("small") as i64,
    }
}

type Outcomes = BTreeSet<(PointId, Vec<(Var, i64)>)>;

/// Where the step leads from these values: the values of shared variables and of locals in scope.
fn outcomes(space: &Space, step: &Step, values: &[i64], out: &mut Outcomes) -> Option<()> {
    let mut vars = step.guard.variables();
    vars.extend(step.updates.iter().flat_map(|(_, value)| value.variables()));
    let seen: Vec<Var> = seen(space, step.thread, step.to);
    for_choices(space, &vars, values, &mut |valuation| {
        if step.guard.holds(&valuation).expect("small") {
            let after = |var: &Var| eval(&step.after(space, *var).expect("in scope"), valuation);
            out.insert((step.to, seen.iter().map(|var| (*var, after(var))).collect()));
        }
    })
}

fn seen(space: &Space, thread: ThreadId, point: PointId) -> Vec<Var> {
    let shared = space.owned(threadwise_space::Owner::Shared);
    shared.chain(live(space, thread, point)).collect()
}

fn can_hold(space: &Space, formula: &Term, values: &[i64]) -> Option<bool> {
    let mut found = false;
    for_choices(space, &formula.variables(), values, &mut |valuation| {
        found |= formula.holds(&valuation).expect("small");
    })?;
    Some(found)
}

/// Compares the two semantics in one state; `None` where one of them does not tell everything.
fn compare(space: &Space, state: &State) -> Option<Vec<State>> {
    let instance = &space.instance;
    let values = values_in(space, state).expect("a reachable state has known points");
    assert_eq!(&state_with(space, &values), state, "states and values do not agree");
    let mut next = Vec::new();
    for (index, thread) in space.threads.iter().enumerate() {
        let id = ThreadId(index as u32);
        let steps = state.steps(instance, id);
        if steps.gap.is_some() {
            return None;
        }
        let here = point_of(space, id, &state.locals[index]).expect("known");
        let mut fails = false;
        for failure in thread.failures.iter().filter(|failure| failure.from == here) {
            fails |= can_hold(space, &failure.condition, &values)?;
        }
        // An action may go wrong for values that an equation elsewhere in it rules out.
        assert!(fails || steps.failures.is_empty(), "a failure is missed: {:?}", steps.failures);
        if fails && steps.failures.is_empty() {
            continue;
        }
        let mut symbolic = Outcomes::new();
        for step in thread.steps.iter().filter(|step| step.from == here) {
            outcomes(space, step, &values, &mut symbolic)?;
        }
        let mut concrete = Outcomes::new();
        for successor in &steps.successors {
            let mut after = state.clone();
            after.shared = successor.shared.clone();
            after.locals[index] = successor.local.clone();
            let to = point_of(space, id, &successor.local).expect("known");
            let values = values_in(space, &after).expect("known");
            concrete.insert((to, seen(space, id, to).into_iter().map(|var| (var, values[var.index()])).collect()));
            next.push(after);
        }
        if steps.failures.is_empty() {
            assert_eq!(symbolic, concrete, "thread {index} from {values:?}");
        } else {
            assert!(concrete.is_subset(&symbolic), "thread {index} from {values:?}");
        }
    }
    let mut shown = |thread| state.steps(instance, thread).shown;
    let broken = instance.broken_properties(&state.shared, &state.locals, &mut shown);
    let mut in_error = false;
    for case in space.errors.iter().filter(|case| matches!(case.kind, ErrorKind::Property(_))) {
        in_error |= can_hold(space, &case.formula, &values)?;
    }
    assert_eq!(in_error, !broken.is_empty(), "{broken:?} in {values:?}");
    Some(next)
}

fn check(text: &str) {
    let program = program("random.tw", text);
    let Ok(space) = Space::new(&program) else { return };
    let Some(initial) = initial_states(&space.instance) else { return };
    for state in &initial {
        let values = values_in(&space, state).expect("known");
        if let Some(holds) = can_hold(&space, &space.init(), &values) {
            assert!(holds, "an initial state is missed: {values:?}");
        }
    }
    let mut seen: BTreeSet<State> = initial.iter().cloned().collect();
    let mut queue: VecDeque<State> = initial.into();
    while let Some(state) = queue.pop_front() {
        let Some(next) = compare(&space, &state) else { return };
        for state in next {
            if seen.len() < MAX_STATES && seen.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn symbolic_and_concrete_steps_agree(tree in program_strategy(GeneratorOptions { max_states: 800, ord_percent: 10, ..GeneratorOptions::small() })) {
        check(&print(&tree));
    }
}

#[test]
fn symbolic_and_concrete_steps_agree_on_the_examples() {
    for example in threadwise_suite::examples().iter().filter(|example| !example.is_transition_system()) {
        check(&example.text);
    }
}
