//! Executions that are led by hand and by dice are executions of the program, and errors that they meet replay.

use std::collections::BTreeSet;
use threadwise_ir::{Instance, State};
use threadwise_replay::replay;
use threadwise_simulation::{Choice, Dice, Simulation, Until, run};
use threadwise_testing::{KITCHEN_SINK, LOST_UPDATE, MUTEX, RECURSIVE, explore, program};

fn simulation(text: &str) -> Simulation {
    Simulation::new(Instance::new(program(text), 2)).expect("it starts without an error")
}

#[test]
fn dice_stay_within_what_is_reachable_and_errors_replay() {
    for text in [KITCHEN_SINK, LOST_UPDATE, MUTEX, RECURSIVE] {
        let start = simulation(text);
        let explored = explore(start.instance());
        let reachable: BTreeSet<&State> = explored.states.iter().collect();
        let mut errors = 0;
        for seed in 0..60 {
            let mut execution = start.clone();
            run(&mut execution, &mut Dice::new(seed), 80, Until::Error);
            assert!(execution.state().is_some_and(|state| reachable.contains(state)), "{text}");
            for violation in execution.wrong().into_iter().cloned().chain(execution.broken()) {
                errors += 1;
                let trace = execution.trace(violation);
                replay(execution.instance(), &trace).expect("what went wrong goes wrong again");
            }
        }
        assert_eq!(errors > 0, explored.trace.is_some(), "{text}");
    }
}

#[test]
fn everything_that_can_happen_is_offered() {
    let start = simulation(LOST_UPDATE);
    let reachable: BTreeSet<State> = explore(start.instance()).states.into_iter().collect();
    let mut seen: BTreeSet<State> = start.state().cloned().into_iter().collect();
    let mut open = vec![start];
    while let Some(execution) = open.pop() {
        for choice in execution.choices() {
            let mut next = execution.clone();
            next.take(&choice);
            if next.state().is_some_and(|state| seen.insert(state.clone())) {
                open.push(next);
            }
        }
    }
    assert_eq!(seen, reachable);
}

#[test]
fn the_same_seed_is_the_same_execution() {
    let led = |seed| {
        let mut execution = simulation(KITCHEN_SINK);
        run(&mut execution, &mut Dice::new(seed), 30, Until::Error);
        execution.steps().to_vec()
    };
    assert_eq!(led(7), led(7));
    assert!((0..20).any(|seed| led(seed) != led(7)));
}

#[test]
fn what_is_taken_back_did_not_happen() {
    let start = simulation(LOST_UPDATE);
    let mut execution = start.clone();
    let taken = run(&mut execution, &mut Dice::new(3), 50, Until::Error);
    assert!(taken > 2);
    let mut undone = 0;
    while execution.undo() {
        undone += 1;
    }
    assert_eq!(undone, taken);
    assert_eq!((execution.state(), execution.steps().len()), (start.state(), 0));
    assert_eq!(execution.choices(), start.choices());
}

#[test]
fn where_there_are_several_states_to_start_in_somebody_chooses() {
    let mut execution = simulation("shared x: 0..2 = *; thread P { assert x < 2; }");
    let choices = execution.choices();
    assert!(execution.state().is_none() && choices.len() == 3);
    execution.take(&choices[2]);
    let wrong: Vec<Choice> = execution.choices();
    assert!(matches!(wrong[..], [Choice::Wrong(_)]), "{wrong:?}");
    execution.take(&wrong[0]);
    assert!(execution.wrong().is_some() && execution.choices().is_empty());
    assert!(execution.undo() && execution.wrong().is_none() && execution.undo());
    assert_eq!(execution.choices().len(), 3);
    assert!(!execution.undo());
}

#[test]
fn chance_stops_where_an_assertion_is_checked() {
    let mut execution = simulation("shared x: 0..9; thread P { x = 1; x = 2; assert x == 2; x = 3; }");
    assert_eq!(run(&mut execution, &mut Dice::new(1), 50, Until::Property), 3);
    assert_eq!(run(&mut execution, &mut Dice::new(1), 50, Until::Property), 1);
    assert_eq!(run(&mut execution, &mut Dice::new(1), 50, Until::Property), 0);
}

#[test]
fn initial_values_that_are_wrong_are_told() {
    let instance = Instance::new(program("const N = 0; shared x: 0..9 = 7 / N; thread P { x = 1; }"), 0);
    let trace = Simulation::new(instance.clone()).expect_err("the division goes wrong");
    replay(&instance, &trace).expect("it goes wrong again");
}
