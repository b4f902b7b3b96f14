//! Questions to the solver that have been answered before are not asked again: restarts ask the same ones
//! over and over.
//!
//! What is remembered is small, so that it is met often. A conjunction falls into components that share no
//! variables. It can hold if each of them can, and then only those that speak of a formula's variables decide
//! whether it implies the formula.

use std::collections::HashMap;
use threadwise_logic::{Term, Var};
use threadwise_solver::{Answer, Session, SolverError};
use threadwise_space::Space;

/// The number of a formula.
type Id = u32;

/// The numbers of a conjunction's conjuncts, in order.
type Conjunction = Vec<Id>;

/// All answers so far.
#[derive(Default)]
pub(crate) struct Memory {
    ids: HashMap<Term, Id>,
    /// What is known of each formula, by number.
    formulas: Vec<Entry>,
    /// Whether a component can hold.
    possible: HashMap<Conjunction, bool>,
    /// For components together which formulas they imply, or the negations of which.
    implied: HashMap<Conjunction, HashMap<Id, Option<bool>>>,
}

/// A formula with a number.
struct Entry {
    formula: Term,
    variables: Vec<Var>,
    /// The number of its negation, if that has one.
    negation: Option<Id>,
}

/// The components of a conjunction.
struct Components {
    conjuncts: Vec<Conjunction>,
    /// Which component speaks of a variable.
    of_var: HashMap<Var, usize>,
}

/// Something to ask the solver.
enum Question {
    /// Whether a component can hold.
    Possible(Conjunction),
    /// Whether the first implies the second, or its negation.
    Implies(Conjunction, Id),
}

impl Memory {
    /// For each formula whether it follows from the conjunction of the premises, or its negation does, or neither;
    /// `None` if the premises cannot hold together.
    pub(crate) fn implied(
        &mut self,
        space: &Space,
        session: &mut Session,
        premises: &[&Term],
        formulas: &[Term],
    ) -> Result<Option<Vec<Option<bool>>>, SolverError> {
        if premises.iter().any(|premise| premise.is_false()) {
            return Ok(None);
        }
        let mut conjuncts: Conjunction =
            premises.iter().flat_map(|premise| premise.conjuncts()).map(|conjunct| self.id(conjunct)).collect();
        conjuncts.sort_unstable();
        conjuncts.dedup();
        let components = self.components(&conjuncts);
        if components.conjuncts.iter().any(|component| self.possible.get(component) == Some(&false)) {
            return Ok(None);
        }
        let new = components.conjuncts.iter().filter(|component| !self.possible.contains_key(*component));
        let mut questions: Vec<Question> = new.cloned().map(Question::Possible).collect();
        let mut asked: Vec<(Conjunction, Id)> = Vec::new();
        for formula in formulas {
            let id = self.id(formula);
            let about = components.about(&self.formulas[id as usize].variables);
            if self.truth(&about, id).is_none() {
                questions.push(Question::Implies(about.clone(), id));
            }
            asked.push((about, id));
        }
        self.ask(space, session, questions)?;
        if components.conjuncts.iter().any(|component| self.possible.get(component) == Some(&false)) {
            return Ok(None);
        }
        Ok(Some(asked.iter().map(|(about, id)| self.truth(about, *id).flatten()).collect()))
    }

    /// The number of a formula, which may be new.
    fn id(&mut self, formula: &Term) -> Id {
        if let Some(known) = self.ids.get(formula) {
            return *known;
        }
        let new = self.formulas.len() as Id;
        let negation = self.ids.get(&formula.not()).copied();
        if let Some(negation) = negation {
            self.formulas[negation as usize].negation = Some(new);
        }
        let variables = formula.variables().into_iter().collect();
        self.formulas.push(Entry { formula: formula.clone(), variables, negation });
        self.ids.insert(formula.clone(), new);
        new
    }

    /// What is known of a formula; constants, and what the premise says itself, need no solver.
    fn truth(&self, about: &Conjunction, formula: Id) -> Option<Option<bool>> {
        let entry = &self.formulas[formula as usize];
        if let Some(truth) = entry.formula.as_bool() {
            return Some(Some(truth));
        }
        if about.binary_search(&formula).is_ok() {
            return Some(Some(true));
        }
        if entry.negation.is_some_and(|negation| about.binary_search(&negation).is_ok()) {
            return Some(Some(false));
        }
        self.implied.get(about)?.get(&formula).copied()
    }

    /// The components of a conjunction.
    fn components(&self, conjuncts: &Conjunction) -> Components {
        let mut components: Vec<Conjunction> = Vec::new();
        let mut of_var: HashMap<Var, usize> = HashMap::new();
        for id in conjuncts {
            let vars = &self.formulas[*id as usize].variables;
            let own = components.len();
            components.push(vec![*id]);
            for var in vars {
                let met = *of_var.entry(*var).or_insert(own);
                if met != own {
                    let known = std::mem::take(&mut components[met]);
                    components[own].extend(known);
                    of_var.values_mut().filter(|of| **of == met).for_each(|of| *of = own);
                }
            }
        }
        components.iter_mut().for_each(|component| component.sort_unstable());
        Components { conjuncts: components, of_var }
    }

    /// Asks all questions at once and remembers the answers. What the solver does not know may hold, and
    /// follows from nothing.
    fn ask(&mut self, space: &Space, session: &mut Session, questions: Vec<Question>) -> Result<(), SolverError> {
        let formula = |id: &Id| self.formulas[*id as usize].formula.clone();
        let whole = |conjunction: &Conjunction| Term::all(conjunction.iter().map(formula));
        let mut terms = Vec::new();
        let mut add = |formula: Term| {
            terms.push(formula.and(space.typing(&formula)));
        };
        for question in &questions {
            match question {
                Question::Possible(component) => add(whole(component)),
                Question::Implies(about, id) => {
                    add(whole(about).and(formula(id).not()));
                    add(whole(about).and(formula(id)));
                }
            }
        }
        let answers = session.check_each(&terms, space)?;
        let mut excluded = answers.iter().map(|answer| *answer == Answer::Unsat);
        let mut next = || excluded.next().unwrap_or(false);
        for question in questions {
            match question {
                Question::Possible(component) => drop(self.possible.insert(component, !next())),
                Question::Implies(about, id) => {
                    let (not_false, not_true) = (next(), next());
                    let truth = if not_false { Some(true) } else { not_true.then_some(false) };
                    self.implied.entry(about).or_default().insert(id, truth);
                }
            }
        }
        Ok(())
    }
}

impl Components {
    /// All conjuncts of the components that speak of these variables.
    fn about(&self, vars: &[Var]) -> Conjunction {
        let mut touched: Vec<usize> = vars.iter().filter_map(|var| self.of_var.get(var).copied()).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut about: Conjunction = touched.iter().flat_map(|of| self.conjuncts[*of].iter().copied()).collect();
        about.sort_unstable();
        about
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use threadwise_front_tw::{Options, load};
    use threadwise_limits::Budget;
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
            space.value(var)
        });
        let at_least = |term: &Term, least: i64| Term::int(least).le(term);
        let mut memory = Memory::default();
        let premise = Term::all([at_least(&x, 3), at_least(&y, 4), y.le(&z)]);
        let asked = [
            at_least(&x, 2),          // from the first component
            at_least(&x, 4).not(),    // not decided
            at_least(&z, 1).not(),    // refuted by the second component
            at_least(&x.plus(&z), 7), // from both together
            at_least(&small, 0),      // from its type alone
            at_least(&y, 4),          // said by the premise itself
        ];
        let expected = vec![Some(true), None, Some(false), Some(true), Some(true), Some(true)];
        assert_eq!(memory.implied(&space, &mut session, &[&premise], &asked), Ok(Some(expected.clone())));
        let queries = session.effort().queries;
        assert_eq!(memory.implied(&space, &mut session, &[&premise], &asked), Ok(Some(expected)));
        assert_eq!(session.effort().queries, queries, "nothing is asked twice");
        let impossible = premise.and(small.le(Term::int(-1)));
        assert_eq!(memory.implied(&space, &mut session, &[&impossible], &asked), Ok(None));
    }
}
