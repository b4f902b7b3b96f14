//! The strongest of what can be said that is closed under all steps, whoever takes them.

use crate::Stop;
use crate::here::{Here, Values};
use crate::language::Text;
use crate::places::{Map, Step, store};
use std::collections::BTreeMap;
use threadwise_ir::{EdgeId, PropertyId, TemplateId};
use threadwise_limits::Budget;
use threadwise_logic::{Constant, Sexp, SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, SolverCommand};
use threadwise_symbolic::View;

/// What holds everywhere, and at each place.
pub(crate) struct Search<'a> {
    pub(crate) map: &'a Map<'a>,
    pub(crate) everywhere: Here,
    pub(crate) here: Vec<Here>,
    session: Session,
    budget: &'a Budget,
    /// Questions whose answer was that nothing new is reached, by what was known then.
    answered: BTreeMap<(usize, Option<usize>), Versions>,
    pub(crate) examples: u64,
}

/// The versions of all that a question is about.
type Versions = [u32; 4];

/// Why something may go wrong.
pub(crate) enum Error {
    Initial,
    Start,
    Step(EdgeId),
    Property(PropertyId),
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        map: &'a Map<'a>,
        text: &Text,
        command: &SolverCommand,
        budget: &'a Budget,
    ) -> Result<Search<'a>, Stop> {
        let mut session = Session::start(command, Settings::default(), budget)?;
        map.population.declare(&mut session);
        session.declare_all(&map.constants);
        let mut here = Vec::new();
        for place in &map.places {
            budget.check()?;
            here.push(Here::new(text.at(map, place)));
        }
        let everywhere = Here::new(text.of_store(map));
        Ok(Search { map, everywhere, here, session, budget, answered: BTreeMap::new(), examples: 0 })
    }

    /// Admits examples of what steps lead to until there are no new ones.
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        let map = self.map;
        let shared = store(&map.shared.values);
        while let Some(values) = self.example(&map.initial, &self.everywhere.formula(&shared).not(), &shared)? {
            self.learn(None, &values);
        }
        loop {
            let mut changed = false;
            for number in 0..map.steps.len() {
                changed |= self.arrivals(number)?;
            }
            if changed {
                continue;
            }
            for number in 0..map.steps.len() {
                for place in 0..map.places.len() {
                    changed |= self.disturbances(number, place)?;
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// What a step leads to.
    fn arrivals(&mut self, number: usize) -> Result<bool, Stop> {
        let (map, step) = (self.map, &self.map.steps[number]);
        let mut changed = false;
        loop {
            let Some(before) = self.before(step) else { return Ok(changed) };
            let versions = [self.version(step.from), self.here[step.to].version, self.everywhere.version, 0];
            if self.answered.get(&(number, None)) == Some(&versions) {
                return Ok(changed);
            }
            let (arrival, shared) = (map.arrival(step), store(&step.after.shared));
            let known = self.here[step.to].formula(&arrival).and(self.everywhere.formula(&shared));
            match self.example(&before, &known.not(), &arrival)? {
                Some(values) => {
                    self.learn(Some(step.to), &values);
                    changed = true;
                }
                None => _ = self.answered.insert((number, None), versions),
            }
        }
    }

    /// What somebody finds when somebody else takes a step.
    fn disturbances(&mut self, number: usize, place: usize) -> Result<bool, Stop> {
        let (map, step) = (self.map, &self.map.steps[number]);
        let mut changed = false;
        let Some(from) = step.from.filter(|from| step.writes && map.can_meet(*from, place)) else { return Ok(false) };
        loop {
            if !self.here[place].is_reached() {
                return Ok(changed);
            }
            let Some(before) = self.before(step) else { return Ok(changed) };
            let versions = [self.here[from].version, self.here[place].version, self.everywhere.version, 1];
            if self.answered.get(&(number, Some(place))) == Some(&versions) {
                return Ok(changed);
            }
            let (then, now) = (map.theirs(place, &map.shared.values), map.theirs(place, &step.after.shared));
            let (known, still) = (self.here[place].formula(&then), self.here[place].formula(&now));
            let found = if known == still || self.exclude_each_other(from, place) {
                None
            } else {
                self.example(&Term::all([&before, &map.other_is_at(place), &known]), &still.not(), &now)?
            };
            match found {
                Some(values) => {
                    self.learn(Some(place), &values);
                    changed = true;
                }
                None => _ = self.answered.insert((number, Some(place)), versions),
            }
        }
    }

    /// Whether what is known at two places is easily seen not to hold of two threads at once: both have the same mutex, say.
    fn exclude_each_other(&self, from: usize, place: usize) -> bool {
        let map = self.map;
        let mine = self.here[from].fixed(&map.own(from));
        let theirs: BTreeMap<Term, Term> =
            self.here[place].fixed(&map.theirs(place, &map.shared.values)).into_iter().collect();
        let differ = |a: &Term, b: &Term| {
            let is_somebody = |term: &Term| *term == map.me || *term == map.you;
            is_somebody(a) && is_somebody(b) && a != b
                || is_somebody(a) && b.as_int() == Some(0)
                || matches!((a.as_int(), b.as_int()), (Some(a), Some(b)) if a != b)
        };
        mine.iter()
            .any(|(leaf, value)| theirs.get(leaf).is_some_and(|other| differ(value, other) || differ(other, value)))
    }

    fn version(&self, place: Option<usize>) -> u32 {
        place.map_or(0, |place| self.here[place].version)
    }

    /// What is known before a step, and that it is taken; nothing if nobody comes there.
    fn before(&self, step: &Step) -> Option<Term> {
        let template = self.map.places[step.to].template;
        Some(self.known_at(template, step.from)?.and(&step.when))
    }

    /// What is known where somebody is, or is about to start.
    fn known_at(&self, template: TemplateId, place: Option<usize>) -> Option<Term> {
        let map = self.map;
        let shared = store(&map.shared.values);
        let known = match place {
            None => map.initial.clone(),
            Some(place) if self.here[place].is_reached() => {
                self.here[place].formula(&map.own(place)).and(self.everywhere.formula(&shared))
            }
            Some(_) => return None,
        };
        Some(map.is_at(template, place).and(known))
    }

    fn learn(&mut self, place: Option<usize>, values: &Values) {
        self.examples += 1;
        let Some(place) = place else {
            self.everywhere.admit(values);
            return;
        };
        self.here[place].admit(values);
        let shared = 1..1 + self.map.shared.constants.len();
        self.everywhere.admit(&values[shared].to_vec());
    }

    /// The values of some terms in a state in which two formulas hold, if there is one.
    fn example(&mut self, before: &Term, new: &Term, terms: &[Term]) -> Result<Option<Values>, Stop> {
        self.budget.check()?;
        if before.is_false() || new.is_false() {
            return Ok(None);
        }
        let examples = self.examples;
        self.budget.report(|| format!("{examples} examples of what happens"));
        self.session.push();
        self.session.assert(before);
        self.session.assert(new);
        let answer = match self.session.check()? {
            Answer::Unsat => None,
            Answer::Unknown(_) => return Err(Stop::Undecided),
            Answer::Sat => {
                let is_scalar = |term: &&Term| matches!(term.sort(), SmtSort::Int | SmtSort::Bool);
                let asked: Vec<Term> = terms.iter().filter(is_scalar).cloned().collect();
                let mut answers = self.session.values(&asked)?.into_iter();
                let value = |term: &Term| {
                    if is_scalar(&term) { answers.next().and_then(|answer| constant(&answer)) } else { None }
                };
                Some(terms.iter().map(value).collect())
            }
        };
        self.session.pop();
        Ok(answer)
    }

    /// Whether a formula can hold where somebody is.
    fn is_possible(&mut self, known: &Term, formula: &Term) -> Result<bool, Stop> {
        Ok(self.example(known, formula, &[])?.is_some())
    }

    /// Something that may go wrong, as far as is known.
    pub(crate) fn error(&mut self) -> Result<Option<Error>, Stop> {
        let map = self.map;
        if self.is_possible(&Term::bool(true), &map.initial_error)? {
            return Ok(Some(Error::Initial));
        }
        for wrong in &map.wrong {
            let Some(known) = self.known_at(wrong.template, wrong.from) else { continue };
            if self.is_possible(&known, &wrong.when)? {
                return Ok(Some(wrong.edge.map_or(Error::Start, Error::Step)));
            }
        }
        self.broken_property()
    }

    fn broken_property(&mut self) -> Result<Option<Error>, Stop> {
        let map = self.map;
        let program = &map.population.program;
        let view = View::of_store(map.population, &map.shared.values);
        for (id, e, wrong) in program.formulas() {
            let property = view.translate(e)?;
            let good = if wrong { property.value.term().not() } else { property.value.term().clone() };
            let bad = property.defined.and(good).not();
            let formed = map.shared.well_formed.clone();
            if !self.is_possible(&formed.and(self.everywhere.formula(&store(&map.shared.values))), &bad)? {
                continue;
            }
            if self.is_possible(&map.initial, &bad)? {
                return Ok(Some(Error::Property(id)));
            }
            for place in 0..map.places.len() {
                let Some(known) = self.known_at(map.places[place].template, Some(place)) else { continue };
                if self.is_possible(&known, &bad)? {
                    return Ok(Some(Error::Property(id)));
                }
            }
        }
        Ok(None)
    }
}

fn constant(answer: &Sexp) -> Option<Constant> {
    match answer {
        Sexp::Atom(atom) => match atom.as_str() {
            "true" => Some(Constant::Bool(true)),
            "false" => Some(Constant::Bool(false)),
            digits => digits.parse().ok().map(Constant::Int),
        },
        Sexp::List(list) => match &list[..] {
            [Sexp::Atom(minus), number] if minus == "-" => match constant(number) {
                Some(Constant::Int(value)) => Some(Constant::Int(-value)),
                _ => None,
            },
            _ => None,
        },
    }
}
