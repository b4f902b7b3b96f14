//! What holds at the cuts of a graph: the strongest of what can be said by linear equations and by comparisons of two
//! numbers, and is closed under all steps. It starts with nothing being reached, and is weakened by examples of what a
//! solver reaches.

use crate::Stop;
use crate::follow::{Arrival, Piece, from_cut, from_start};
use crate::graph::{Graph, Node};
use crate::keys::{at_keys, keys};
use crate::proof::said;
use crate::ranges::{Range, ranges};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_affine::{Equation, Hull};
use threadwise_ir::{Instance, Sort};
use threadwise_limits::Budget;
use threadwise_logic::{Sexp, SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, SolverCommand};
use threadwise_symbolic::Population;

/// Among more numbers than this, comparisons are not looked for.
const MAX_COMPARED: usize = 14;

/// What came of it.
pub(crate) enum Found {
    /// Nothing goes wrong where this holds.
    Holds(What),
    Nothing(String),
}

/// What holds at cuts, by their nodes.
pub(crate) struct What(BTreeMap<usize, Here>);

impl What {
    /// What is said of a cut, over terms for everything.
    pub(crate) fn formula(&self, node: usize, leaves: &[Term]) -> Term {
        self.0[&node].whole(leaves)
    }
}

/// `x - y <= bound`, where no `x` or no `y` means 0.
type Comparison = (Option<usize>, Option<usize>, i64);

/// What holds at a cut.
struct Here {
    facts: Term,
    names: Vec<Term>,
    /// The terms that are numbers or truth values.
    scalars: Vec<usize>,
    hull: Hull,
    equations: Vec<Equation>,
    /// Which numbers may be compared.
    compared: Vec<usize>,
    /// Nothing as long as nothing is reached.
    comparisons: Option<BTreeSet<Comparison>>,
    /// What is said of elements of arrays; all that has not been refuted yet.
    ranges: Vec<Range>,
}

impl Here {
    fn formula(&self, leaves: &[Term]) -> Term {
        if self.hull.is_empty() {
            return Term::bool(false);
        }
        let own = |leaf: &Term| self.names.iter().position(|name| name == leaf).map(|at| leaves[at].clone());
        let equations = self.equations.iter().map(|equation| self.equation(equation, leaves));
        let comparisons = self.comparisons.iter().flatten().map(|comparison| compared(comparison, leaves));
        Term::all([self.facts.replace(&own)].into_iter().chain(equations).chain(comparisons).collect::<Vec<Term>>())
    }

    /// What is said of the elements at a key of which nothing is known.
    fn at_any_key(&self, leaves: &[Term]) -> Vec<Term> {
        self.ranges.iter().map(|range| range.at(&any_key(), leaves)).collect()
    }

    /// Of some numbers, those that no other of them, and no constant, is equal to.
    fn independent(&self, numbers: &[usize]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let is_new = |number: &&usize| {
            let at = self.scalars.iter().position(|scalar| scalar == *number).expect("numbers are scalars");
            let known = self.equations.iter().find(|equation| equation.coefficients[0].0 == at);
            match known {
                Some(equation) if equation.coefficients.len() == 1 => false,
                Some(Equation { coefficients, constant }) => match coefficients[..] {
                    [(_, -1), (other, 1)] if *constant == 0 => seen.insert(other),
                    _ => seen.insert(at),
                },
                None => seen.insert(at),
            }
        };
        numbers.iter().filter(is_new).copied().collect()
    }

    /// The same with what is said of elements of arrays.
    fn whole(&self, leaves: &[Term]) -> Term {
        let ranges = self.ranges.iter().map(|range| range.formula(leaves));
        Term::all([self.formula(leaves)].into_iter().chain(ranges).collect::<Vec<Term>>())
    }

    fn equation(&self, equation: &Equation, leaves: &[Term]) -> Term {
        // A truth value that is always the same is said so.
        if let [(at, -1 | 1)] = equation.coefficients[..] {
            let leaf = &leaves[self.scalars[at]];
            if *leaf.sort() == SmtSort::Bool {
                return if equation.constant == 0 { leaf.not() } else { leaf.clone() };
            }
        }
        let parts = equation.coefficients.iter().map(|(at, c)| number(&leaves[self.scalars[*at]]).times(*c));
        Term::sum(parts.collect::<Vec<Term>>()).plus(Term::number(equation.constant)).equals(Term::int(0))
    }

    /// Makes room for a state.
    fn admit(&mut self, values: &[Option<i128>]) -> bool {
        let Some(point) = self.scalars.iter().map(|&at| values[at]).collect::<Option<Vec<i128>>>() else {
            return false;
        };
        if self.hull.is_empty() || !self.equations.iter().all(|equation| equation.holds(&point)) {
            self.hull.add(point);
            self.equations = self.hull.equations();
        }
        let value = |at: Option<usize>| at.map_or(0, |at| values[at].unwrap_or_default());
        let holds = |(x, y, bound): &Comparison| value(*x) - value(*y) <= i128::from(*bound);
        match &mut self.comparisons {
            Some(comparisons) => comparisons.retain(holds),
            None => self.comparisons = Some(candidates(&self.compared).into_iter().filter(holds).collect()),
        }
        true
    }
}

fn candidates(compared: &[usize]) -> Vec<Comparison> {
    let mut all = Vec::new();
    for &x in compared {
        all.extend([-1, 0, 1].map(|bound| (Some(x), None, bound)));
        all.extend([-1, 0, 1].map(|bound| (None, Some(x), bound)));
        for &y in compared.iter().filter(|&&y| y != x) {
            all.extend([-1, 0].map(|bound| (Some(x), Some(y), bound)));
        }
    }
    all
}

fn compared((x, y, bound): &Comparison, leaves: &[Term]) -> Term {
    let term = |at: &Option<usize>| at.map_or(Term::int(0), |at| leaves[at].clone());
    term(x).le(term(y).plus(Term::int(*bound)))
}

/// A term as a number.
fn number(leaf: &Term) -> Term {
    if *leaf.sort() == SmtSort::Bool { leaf.ite(Term::int(1), Term::int(0)) } else { leaf.clone() }
}

/// Looks for what holds, first without comparisons.
pub(crate) fn infer(
    instance: &Instance,
    population: &Population,
    graph: &Graph,
    command: &SolverCommand,
    budget: &Budget,
) -> Result<Found, Stop> {
    let mut pieces = vec![(None, from_start(instance, population, graph)?)];
    for cut in graph.cuts() {
        pieces.push((Some(cut), from_cut(population, graph, cut)?));
    }
    let mut found = Found::Nothing("it cannot exclude an error".to_string());
    let mut before = BTreeMap::new();
    for with_comparisons in [false, true] {
        let mut search = Search { pieces: Vec::new(), here: BTreeMap::new(), budget };
        for (cut, piece) in &pieces {
            search.pieces.push((*cut, At::new(piece.clone(), command, budget)?));
        }
        for cut in graph.cuts() {
            let mut here = here(instance, population, &graph.nodes[cut]);
            if with_comparisons {
                let independent = before.get(&cut).map_or(Vec::new(), |known: &Here| known.independent(&here.compared));
                here.compared = independent.into_iter().take(MAX_COMPARED).collect();
            } else {
                here.compared = Vec::new();
            }
            search.here.insert(cut, here);
        }
        match search.run()? {
            None => return Ok(Found::Holds(What(search.here))),
            Some(why) => found = Found::Nothing(why),
        }
        if graph.cuts().next().is_none() {
            break;
        }
        before = search.here;
    }
    Ok(found)
}

fn here(instance: &Instance, population: &Population, node: &Node) -> Here {
    let (world, _, names) = threadwise_symbolic::World::named(population, &node.place.points);
    debug_assert_eq!(world.leaves().len(), names.len());
    let is_scalar = |at: &usize| matches!(names[*at].sort(), SmtSort::Int | SmtSort::Bool);
    let scalars: Vec<usize> = (0..names.len()).filter(is_scalar).collect();
    let compared = numbers(instance, population, node);
    let facts = said(&node.place.facts, &names);
    let ranges = ranges(&names, &compared);
    Here { facts, names, scalars, hull: Hull::default(), equations: Vec::new(), compared, comparisons: None, ranges }
}

/// The terms of numbers that programs compute with: not of pointers, nor of locals that are out of scope.
fn numbers(instance: &Instance, population: &Population, node: &Node) -> Vec<usize> {
    let program = &instance.program;
    let is_number = |sort: &Sort| match sort {
        Sort::Int | Sort::Range(..) => true,
        Sort::Bits(bits) => bits.width <= 32,
        Sort::Bool | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => false,
    };
    let (mut all, mut next) = (Vec::new(), 0);
    let mut see = |sort: &Sort, is_dead: bool| {
        if is_number(sort) && !is_dead {
            all.push(next);
        }
        next += population.leaf_sorts(sort).len();
    };
    program.shared.iter().for_each(|var| see(&var.sort, false));
    for point in &node.place.points {
        for routine in point.routines(program) {
            for (index, local) in program.routine(routine).locals.iter().enumerate() {
                let dead = &program.location(point.location).dead;
                see(&local.sort, dead.iter().any(|dead| dead.index() == index));
            }
        }
    }
    all
}

/// A piece, and a solver that knows of it.
struct At {
    piece: Piece,
    /// The keys of arrays that it is about, and one that stands for any other.
    keys: Vec<Term>,
    session: Session,
}

impl At {
    fn new(piece: Piece, command: &SolverCommand, budget: &Budget) -> Result<At, Stop> {
        let mut session = Session::start(command, Settings::default(), budget)?;
        session.declare_all(&piece.declared);
        let any = any_key();
        session.declare_all(std::slice::from_ref(&any));
        let arrivals = piece.arrivals.iter().flat_map(|at| at.leaves.iter().chain([&at.when]));
        let mut keys = keys(piece.asserted.iter().chain(&piece.wrong).chain(arrivals));
        keys.push(any);
        piece.asserted.iter().for_each(|term| session.assert(&at_keys(term, &keys)));
        Ok(At { piece, keys, session })
    }

    /// An arrival at a cut of which something is said that does not hold, with the values of all terms there.
    #[allow(clippy::type_complexity)]
    fn surprise(
        &mut self,
        given: &Term,
        said: &dyn Fn(&Arrival) -> Term,
    ) -> Result<Option<(usize, Vec<Option<i128>>)>, Stop> {
        let broken: Vec<Term> = self.piece.arrivals.iter().map(|at| at.when.and(said(at).not())).collect();
        let any = Term::any(&broken);
        if any.is_false() {
            return Ok(None);
        }
        self.session.push();
        self.session.assert(given);
        self.session.assert(&any);
        let surprise = match self.session.check()? {
            Answer::Unsat => None,
            Answer::Unknown(_) => return Err(Stop::TooLarge),
            Answer::Sat => {
                let values = self.session.values(&broken)?;
                let which = values.iter().position(|value| value.scalar() == Some(1)).unwrap_or(0);
                let arrival = &self.piece.arrivals[which];
                let asked: Vec<Term> = arrival.leaves.iter().filter(|leaf| is_scalar(leaf)).cloned().collect();
                let mut answers = self.session.values(&asked)?.into_iter();
                let value = |leaf: &Term| if is_scalar(leaf) { answers.next().and_then(|v| big(&v)) } else { None };
                Some((arrival.node, arrival.leaves.iter().map(value).collect()))
            }
        };
        self.session.pop();
        Ok(surprise)
    }

    /// An arrival at a cut of which something is said of elements that does not hold: the cut, and which of it does not.
    #[allow(clippy::type_complexity)]
    fn refuted(
        &mut self,
        given: &Term,
        said: &dyn Fn(&Arrival) -> Vec<Term>,
    ) -> Result<Option<(usize, Vec<bool>)>, Stop> {
        let all: Vec<Vec<Term>> = self.piece.arrivals.iter().map(said).collect();
        let arrivals = self.piece.arrivals.iter().zip(&all);
        let broken: Vec<Term> = arrivals.map(|(at, said)| at.when.and(Term::all(said).not())).collect();
        let any = Term::any(&broken);
        if any.is_false() {
            return Ok(None);
        }
        self.session.push();
        self.session.assert(given);
        self.session.assert(&any);
        let refuted = match self.session.check()? {
            Answer::Unsat => None,
            Answer::Unknown(_) => return Err(Stop::TooLarge),
            Answer::Sat => {
                let values = self.session.values(&broken)?;
                let which = values.iter().position(|value| value.scalar() == Some(1)).unwrap_or(0);
                let values = self.session.values(&all[which])?;
                let mut refuted: Vec<bool> = values.iter().map(|value| value.scalar() != Some(1)).collect();
                if !refuted.contains(&true) {
                    refuted.fill(true);
                }
                Some((self.piece.arrivals[which].node, refuted))
            }
        };
        self.session.pop();
        Ok(refuted)
    }

    fn goes_wrong(&mut self, given: &Term) -> Result<bool, Stop> {
        let any = Term::any(&self.piece.wrong);
        if any.is_false() {
            return Ok(false);
        }
        self.session.push();
        self.session.assert(given);
        self.session.assert(&any);
        let answer = self.session.check()?;
        self.session.pop();
        Ok(answer != Answer::Unsat)
    }
}

/// A key of which nothing is known.
fn any_key() -> Term {
    Term::constant("#any", SmtSort::Int)
}

fn is_scalar(leaf: &Term) -> bool {
    matches!(leaf.sort(), SmtSort::Int | SmtSort::Bool)
}

/// The value of a number or truth value.
fn big(value: &Sexp) -> Option<i128> {
    match value {
        Sexp::Atom(atom) => match atom.as_str() {
            "true" => Some(1),
            "false" => Some(0),
            digits => digits.parse().ok(),
        },
        Sexp::List(list) => match &list[..] {
            [Sexp::Atom(minus), number] if minus == "-" => big(number).map(|number| -number),
            _ => None,
        },
    }
}

struct Search<'a> {
    pieces: Vec<(Option<usize>, At)>,
    here: BTreeMap<usize, Here>,
    budget: &'a Budget,
}

impl Search<'_> {
    /// Looks for what holds; returns why that is not enough, if so.
    fn run(&mut self) -> Result<Option<String>, Stop> {
        let mut waiting: BTreeSet<usize> = BTreeSet::from([0]);
        loop {
            while let Some(number) = waiting.pop_first() {
                self.budget.check()?;
                let given = self.given(number);
                let (here, at) = (&self.here, &mut self.pieces[number].1);
                let said = |arrival: &Arrival| here[&arrival.node].formula(&arrival.leaves);
                let Some((node, values)) = at.surprise(&given, &said)? else { continue };
                if !self.here.get_mut(&node).is_some_and(|here| here.admit(&values)) {
                    return Ok(Some("an example has no values".to_string()));
                }
                waiting.extend(self.piece_of(node));
                waiting.insert(number);
            }
            // What is said of elements was taken for granted so far. Where it does not hold, more may be reached.
            waiting = self.forget_what_is_refuted()?;
            if waiting.is_empty() {
                break;
            }
        }
        for number in 0..self.pieces.len() {
            let given = self.given(number);
            if self.pieces[number].1.goes_wrong(&given)? {
                return Ok(Some("it cannot exclude an error".to_string()));
            }
        }
        Ok(None)
    }

    fn piece_of(&self, node: usize) -> Option<usize> {
        self.pieces.iter().position(|(cut, _)| *cut == Some(node))
    }

    /// Forgets what is said of elements of arrays and does not hold where a cut is reached; returns the pieces that begin
    /// there.
    fn forget_what_is_refuted(&mut self) -> Result<BTreeSet<usize>, Stop> {
        let mut changed = BTreeSet::new();
        for number in 0..self.pieces.len() {
            loop {
                self.budget.check()?;
                let given = self.given(number);
                let (here, at) = (&self.here, &mut self.pieces[number].1);
                let said = |arrival: &Arrival| here[&arrival.node].at_any_key(&arrival.leaves);
                let Some((node, refuted)) = at.refuted(&given, &said)? else { break };
                let mut refuted = refuted.into_iter();
                let here = self.here.get_mut(&node).expect("it is a cut");
                here.ranges.retain(|_| !refuted.next().unwrap_or(true));
                changed.extend(self.piece_of(node));
            }
        }
        Ok(changed)
    }

    /// What holds where a piece begins.
    fn given(&self, number: usize) -> Term {
        let (cut, at) = &self.pieces[number];
        cut.map_or(Term::bool(true), |cut| at_keys(&self.here[&cut].whole(&at.piece.before), &at.keys))
    }
}
