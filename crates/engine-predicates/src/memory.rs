//! Questions to the solver that have been answered before are not asked again: restarts ask the same ones
//! over and over.
//!
//! What is remembered is small, so that it is met often. A conjunction falls into components that share no
//! variables. It can hold if each of them can, and then only those that speak of a formula's variables decide
//! whether it implies the formula.

use std::collections::{BTreeSet, HashMap};
use threadwise_logic::{Formula, Var};
use threadwise_solver::{Answer, Session, SolverError, Term};
use threadwise_symbolic::Space;

/// All answers so far.
#[derive(Default)]
pub(crate) struct Memory {
    /// Whether a component can hold.
    possible: HashMap<Formula, bool>,
    /// For components together which formulas they imply, or the negations of which.
    implied: HashMap<Formula, HashMap<Formula, Option<bool>>>,
}

/// Conjuncts that share variables, directly or through others, and these variables.
struct Component {
    conjuncts: BTreeSet<Formula>,
    vars: BTreeSet<Var>,
}

/// Something to ask the solver.
enum Question {
    /// Whether a component can hold.
    Possible(Formula),
    /// Whether the first implies the second, or its negation.
    Implies(Formula, Formula),
}

impl Memory {
    /// For each formula whether it follows from the premise, or its negation does, or neither; `None` if the
    /// premise cannot hold.
    pub(crate) fn implied(
        &mut self,
        space: &Space,
        session: &mut Session,
        premise: &Formula,
        formulas: &[Formula],
    ) -> Result<Option<Vec<Option<bool>>>, SolverError> {
        if *premise == Formula::FALSE {
            return Ok(None);
        }
        let components = components(premise);
        let wholes: Vec<Formula> = components.iter().map(|component| together([component])).collect();
        if wholes.iter().any(|whole| self.possible.get(whole) == Some(&false)) {
            return Ok(None);
        }
        let abouts: Vec<Formula> = formulas.iter().map(|formula| about(&components, formula)).collect();
        let mut questions: Vec<Question> = Vec::new();
        for whole in wholes.iter().filter(|whole| !self.possible.contains_key(whole)) {
            questions.push(Question::Possible(whole.clone()));
        }
        for (formula, about) in formulas.iter().zip(&abouts) {
            if plain(about, formula).is_none() && self.remembered(about, formula).is_none() {
                questions.push(Question::Implies(about.clone(), formula.clone()));
            }
        }
        self.ask(space, session, questions)?;
        if wholes.iter().any(|whole| self.possible.get(whole) == Some(&false)) {
            return Ok(None);
        }
        let known = |(formula, about): (&Formula, &Formula)| match plain(about, formula) {
            Some(truth) => Some(truth),
            None => self.remembered(about, formula).flatten(),
        };
        Ok(Some(formulas.iter().zip(&abouts).map(known).collect()))
    }

    fn remembered(&self, about: &Formula, formula: &Formula) -> Option<Option<bool>> {
        self.implied.get(about)?.get(formula).copied()
    }

    /// Asks all questions at once and remembers the answers. What the solver does not know may hold, and
    /// follows from nothing.
    fn ask(&mut self, space: &Space, session: &mut Session, questions: Vec<Question>) -> Result<(), SolverError> {
        let mut terms = Vec::new();
        let mut add = |formula: Formula| {
            let typed = formula.clone().and(space.typing(&formula));
            terms.push(Term::raw(space.smt(&typed)));
        };
        for question in &questions {
            match question {
                Question::Possible(whole) => add(whole.clone()),
                Question::Implies(about, formula) => {
                    add(about.clone().and(formula.clone().negated()));
                    add(about.clone().and(formula.clone()));
                }
            }
        }
        let answers = session.check_each(&terms)?;
        let mut excluded = answers.iter().map(|answer| *answer == Answer::Unsat);
        let mut next = || excluded.next().unwrap_or(false);
        for question in questions {
            match question {
                Question::Possible(whole) => drop(self.possible.insert(whole, !next())),
                Question::Implies(about, formula) => {
                    let (not_false, not_true) = (next(), next());
                    let truth = if not_false { Some(true) } else { not_true.then_some(false) };
                    self.implied.entry(about).or_default().insert(formula, truth);
                }
            }
        }
        Ok(())
    }
}

/// What needs no solver: constants, and what the premise says itself.
fn plain(about: &Formula, formula: &Formula) -> Option<bool> {
    if let Formula::Const(truth) = formula {
        return Some(*truth);
    }
    if about.conjuncts().contains(formula) {
        return Some(true);
    }
    about.conjuncts().contains(&formula.clone().negated()).then_some(false)
}

/// The components of a conjunction.
fn components(premise: &Formula) -> Vec<Component> {
    let mut components: Vec<Component> = Vec::new();
    for conjunct in premise.conjuncts() {
        let mut own = Component { conjuncts: BTreeSet::from([conjunct.clone()]), vars: conjunct.variables() };
        for known in std::mem::take(&mut components) {
            if known.vars.is_disjoint(&own.vars) {
                components.push(known);
            } else {
                own.conjuncts.extend(known.conjuncts);
                own.vars.extend(known.vars);
            }
        }
        components.push(own);
    }
    components
}

/// The components that share variables with the formula.
fn about(components: &[Component], formula: &Formula) -> Formula {
    let vars = formula.variables();
    together(components.iter().filter(|component| !component.vars.is_disjoint(&vars)))
}

/// Components as one formula, which does not depend on the order of their conjuncts.
fn together<'a>(components: impl IntoIterator<Item = &'a Component>) -> Formula {
    let conjuncts: BTreeSet<&Formula> = components.into_iter().flat_map(|component| &component.conjuncts).collect();
    Formula::all(conjuncts.into_iter().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use threadwise_front_tw::{Options, load};
    use threadwise_limits::Budget;
    use threadwise_logic::{Naming, Term as Number};
    use threadwise_solver::Settings;
    use threadwise_solver_setup::solver_for_tests;
    use threadwise_source::SourceFile;

    /// Components may be impossible, decide formulas alone or only together; what has been asked is not asked again.
    #[test]
    fn components_decide_what_the_whole_premise_decides() {
        let text = "shared x, y, z: int; shared small: 0..2; thread T { x = 1; }";
        let lowered = load(SourceFile::new("test.tw", text), &Options::default());
        let space = Space::new(&Arc::new(lowered.program.expect("a correct program"))).expect("supported");
        let mut session =
            Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("a solver");
        session.tell(&space.declarations());
        let [x, y, z, small] = ["x", "y", "z", "small"].map(|name| {
            let var = space.variables().find(|var| space.name(*var) == name).expect("declared");
            Number::Var(var)
        });
        let at_least = |term: &Number, least: i64| Formula::le(Number::Const(least), term.clone());
        let mut memory = Memory::default();
        let premise = Formula::all([at_least(&x, 3), at_least(&y, 4), Formula::le(y.clone(), z.clone())]);
        let asked = [
            at_least(&x, 2),                         // from the first component
            at_least(&x, 4).negated(),               // not decided
            at_least(&z, 1).negated(),               // refuted by the second component
            at_least(&x.clone().plus(z.clone()), 7), // from both together
            at_least(&small, 0),                     // from its type alone
            at_least(&y, 4),                         // said by the premise itself
        ];
        let expected = vec![Some(true), None, Some(false), Some(true), Some(true), Some(true)];
        assert_eq!(memory.implied(&space, &mut session, &premise, &asked), Ok(Some(expected.clone())));
        let queries = session.effort().queries;
        assert_eq!(memory.implied(&space, &mut session, &premise, &asked), Ok(Some(expected)));
        assert_eq!(session.effort().queries, queries, "nothing is asked twice");
        let impossible = premise.and(Formula::le(small, Number::Const(-1)));
        assert_eq!(memory.implied(&space, &mut session, &impossible, &asked), Ok(None));
    }
}
