//! Arrays over all integers: formulas know every element, states the first ones; where states know one, both agree.

mod support;

use std::sync::Arc;
use support::{Dice, is};
use threadwise_ir::{
    Env, Expr, ExprKind, Gap, Initial, Instance, NoLocals, NoValue, Program, SharedId, SharedVar, Sort, VarRef,
};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::{SourceMap, Span};
use threadwise_symbolic::{Population, View, named_shared};

fn variable(name: &str, sort: Sort) -> SharedVar {
    SharedVar { name: name.into(), sort, init: Initial::Any, span: Span::default() }
}

#[test]
fn elements_that_states_keep_are_those_of_formulas_and_others_are_gaps() {
    let command = solver_for_tests();
    let numbers = Sort::array(Sort::Int, Sort::Int);
    let mut program = Program::empty(Arc::new(SourceMap::default()));
    program.shared = vec![variable("a", numbers.clone()), variable("i", Sort::Int)];
    let kept = i64::from(program.kept_elements);
    let read = |id, sort: &Sort| Expr::new(ExprKind::Read(VarRef::Shared(SharedId(id))), sort, Span::default());
    let whole = (Box::new(read(0, &numbers)), Box::new(read(1, &Sort::Int)));
    let element = Expr::new(ExprKind::Index(whole.0, whole.1), Sort::Int, Span::default());
    let instance = Instance::new(Arc::new(program), 0);
    assert_eq!(instance.shared_words(), kept as usize + 1);
    let population = Population::fixed(&instance);
    let named = named_shared(&population, "x");
    let translated = View::of_store(&population, &named.values).translate(&element).expect("it has a formula");
    assert!(translated.defined.is_true(), "every integer is a key");
    let mut session = Session::start(&command, Settings::default(), &Budget::unlimited()).expect("a solver");
    session.declare_all(&named.constants);
    let mut dice = Dice(7);
    for index in -2..kept + 3 {
        let mut store = vec![0; instance.shared_words()];
        dice.fill(&instance, &numbers, &mut store[..kept as usize]);
        store[kept as usize] = index;
        let value = Env::of_state(&instance, &store, &NoLocals).scalar(&element);
        session.push();
        session.assert(&is(&population, &instance, &numbers, &named.values[0], &store[..kept as usize]));
        session.assert(&named.values[1].term().equals(Term::int(index)));
        match value {
            Ok(value) => {
                assert!((0..kept).contains(&index), "{index}");
                session.assert(&translated.value.term().equals(Term::int(value)).not());
                assert_eq!(session.check().expect("an answer"), Answer::Unsat, "{index}");
            }
            Err(no_value) => {
                assert!(!(0..kept).contains(&index), "{index}");
                assert!(matches!(no_value, NoValue::Gap(Gap::Beyond(_))), "nobody knows that it is an error");
                session.assert(&translated.value.term().equals(Term::int(12345)));
                assert_eq!(session.check().expect("an answer"), Answer::Sat, "it may have any value");
            }
        }
        session.pop();
    }
}
