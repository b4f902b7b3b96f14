//! Who has to go first: a set of threads such that whatever the others do meanwhile could as well come after their next steps,
//! and that does not include going wrong.

use crate::Stop;
use crate::keys::{at_keys, keys};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use threadwise_ir::{Point, Sort};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, SolverCommand};
use threadwise_symbolic::{End, Footprint, Population, Way, World, by_constants, named_shared, ways};

/// Shared variables, by the numbers of their terms, that have certain values.
pub(crate) type Facts = BTreeMap<usize, i64>;

type Place = (usize, Point);

/// Facts, and hopes.
type Granted = (Facts, Vec<Term>);

/// What a thread can do from a point while facts hold.
#[derive(Clone, Debug, Default)]
struct Doing {
    goes_wrong: bool,
    to: Vec<Point>,
    /// The facts that it changes.
    changes: Vec<usize>,
    /// Whether it may make a hope wrong.
    disappoints: bool,
}

/// Who goes first, and why nobody else has to.
#[derive(Clone, Debug)]
pub(crate) struct First {
    pub(crate) threads: Vec<usize>,
    pub(crate) others: Vec<(usize, Vec<Point>)>,
    pub(crate) facts: Facts,
    /// What else the reason takes for granted, of the named shared terms: what holds along the schedule has to say so.
    pub(crate) hopes: Vec<Term>,
}

/// Answers questions about single steps, each once.
pub(crate) struct Oracle<'a> {
    pub(crate) population: &'a Population,
    session: Session,
    /// The shared terms whose values are followed: who holds what, who runs, what flags say.
    pub(crate) followed: Vec<usize>,
    possible: FxHashMap<Term, bool>,
    doings: FxHashMap<(usize, Point, Facts, Vec<Term>), Doing>,
    exchanged: FxHashMap<(Place, Place, Option<Granted>), bool>,
    footprints: FxHashMap<Place, Rc<Footprint>>,
    /// Whether reasons may take something for granted.
    is_hopeful: bool,
    /// The shared terms as they are named.
    names: Vec<Term>,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        population: &'a Population,
        command: &SolverCommand,
        is_hopeful: bool,
        budget: &Budget,
    ) -> Result<Oracle<'a>, Stop> {
        let session = Session::start(command, Settings::default(), budget)?;
        let (possible, doings, exchanged, footprints) = Default::default();
        let followed = followed(population);
        let names = named_shared(population, "x").constants;
        Ok(Oracle { population, session, followed, possible, doings, exchanged, footprints, is_hopeful, names })
    }

    /// Constants for everything but the facts, and that they are of their sorts.
    pub(crate) fn world(&self, points: &[Point], facts: &Facts) -> (World, Term) {
        let (world, well_formed, _) = World::named(self.population, points);
        let mut leaves = world.leaves();
        facts.iter().for_each(|(&leaf, &value)| leaves[leaf] = constant(&leaves[leaf], value));
        (world.with_leaves(leaves), well_formed)
    }

    pub(crate) fn ways(&self, thread: usize, at: usize, world: &World) -> Result<Vec<Way>, Stop> {
        let me = Term::int(thread as i64 + 1);
        let mut choose = by_constants(self.population, format!("c{at}"));
        Ok(ways(self.population, &me, world.thread(at), &mut choose)?)
    }

    /// Whether a term can be true, as far as the solver knows.
    pub(crate) fn is_possible(&mut self, term: &Term) -> Result<bool, Stop> {
        if let Some(known) = term.as_bool().or_else(|| self.possible.get(term).copied()) {
            return Ok(known);
        }
        let (whole, term) = (term, &at_keys(term, &keys([term])));
        self.session.push();
        self.session.declare_all(&constants(term));
        self.session.assert(term);
        let answer = self.session.check()?;
        self.session.pop();
        self.possible.insert(whole.clone(), answer != Answer::Unsat);
        Ok(answer != Answer::Unsat)
    }

    /// The only value that a term can have where another one is true.
    pub(crate) fn only_value(&mut self, when: &Term, term: &Term) -> Result<Option<i64>, Stop> {
        if let Some(value) = term.as_int().or_else(|| term.as_bool().map(i64::from)) {
            return Ok(Some(value));
        }
        if term.name().is_some() && when.as_bool().is_some() {
            return Ok(None);
        }
        let when = &at_keys(when, &keys([when, term]));
        self.session.push();
        let all = Term::all([when, &term.equals(term)]);
        let mut declared = constants(&all);
        declared.extend(constants(term).into_iter().filter(|c| !constants(&all).contains(c)));
        self.session.declare_all(&declared);
        self.session.assert(when);
        let mut value = None;
        if self.session.check()? == Answer::Sat {
            value = self.session.values(std::slice::from_ref(term))?.first().and_then(|value| value.scalar());
        }
        if let Some(only) = value {
            self.session.assert(&term.equals(constant(term, only)).not());
            value = (self.session.check()? == Answer::Unsat).then_some(only);
        }
        self.session.pop();
        Ok(value)
    }

    /// The fewest threads that have to go first, of those that the preferred ones in turn lead to. Nobody has to, where nothing
    /// can go wrong any more.
    pub(crate) fn first(&mut self, points: &[Point], facts: &Facts, preferred: &[usize]) -> Result<First, Stop> {
        let everybody: Vec<usize> = (0..points.len()).collect();
        if let Ok((facts, hopes, others)) = self.kept(points, facts, &[], &everybody)? {
            return Ok(First { threads: Vec::new(), others, facts, hopes });
        }
        let mut best = First { threads: everybody, others: Vec::new(), facts: Facts::new(), hopes: Vec::new() };
        for &thread in preferred {
            if self.population.program.location(points[thread].location).edges.is_empty() {
                continue;
            }
            let found = self.closed(points, facts, thread)?;
            if found.threads.len() < best.threads.len() {
                best = found;
            }
            if best.threads.len() == 1 {
                break;
            }
        }
        Ok(best)
    }

    /// The threads that have to go first if this one does.
    fn closed(&mut self, points: &[Point], facts: &Facts, thread: usize) -> Result<First, Stop> {
        let mut threads = vec![thread];
        let (mut hopes, mut hoped): (Vec<Term>, Vec<Term>) = Default::default();
        loop {
            let others: Vec<usize> = (0..points.len()).filter(|other| !threads.contains(other)).collect();
            let (left, kept, others) = match self.kept(points, facts, &hopes, &others)? {
                Ok(kept) => kept,
                Err(wrong) => {
                    threads.push(wrong);
                    continue;
                }
            };
            let Some((one, two)) = self.disturber(points, &threads, &left, &kept, &others)? else {
                threads.sort_unstable();
                return Ok(First { threads, others, facts: left, hopes: kept });
            };
            match self.hope(&one, &two, facts)?.filter(|hope| !hoped.contains(hope)) {
                Some(hope) => {
                    hoped.push(hope.clone());
                    hopes.push(hope);
                }
                None => threads.push(two.0),
            }
        }
    }

    /// What might hold, and keep a step of the other thread from disturbing one of the first: that the first one is not waiting
    /// for what the other may do. What is known must not exclude it.
    fn hope(&mut self, first: &Place, other: &Place, facts: &Facts) -> Result<Option<Term>, Stop> {
        if !self.is_hopeful {
            return Ok(None);
        }
        let written = self.footprint(other)?;
        let (world, _) = self.world(std::slice::from_ref(&first.1), &Facts::new());
        let names = &self.names;
        let is_shared = |part: &&Term| constants(part).iter().all(|constant| names.contains(constant));
        let is_written = |part: &&Term| {
            constants(part).iter().any(|c| names.iter().position(|name| name == c).is_some_and(|at| written.writes(at)))
        };
        let mut parts: Vec<Term> = Vec::new();
        for way in self.ways(first.0, 0, &world)? {
            for part in way.when.conjuncts().iter().filter(is_shared).filter(is_written) {
                if !parts.contains(part) {
                    parts.push(part.clone());
                }
            }
        }
        // Ways that exclude each other cannot all be hoped for.
        let hope = Term::all(&parts);
        let (world, _) = self.world(std::slice::from_ref(&first.1), facts);
        let known = self.hoped(std::slice::from_ref(&hope), &world);
        Ok((!parts.is_empty() && self.is_possible(&known)?).then_some(hope))
    }

    /// The hopes in a world.
    fn hoped(&self, hopes: &[Term], world: &World) -> Term {
        let leaves = world.leaves();
        let own = |leaf: &Term| self.names.iter().position(|name| name == leaf).map(|at| leaves[at].clone());
        Term::all(hopes.iter().map(|hope| hope.replace(&own)))
    }

    /// The facts that hold as long as only these threads move, the hopes that they do not disappoint, and where they are then; or
    /// one that may go wrong.
    #[allow(clippy::type_complexity)]
    fn kept(
        &mut self,
        points: &[Point],
        facts: &Facts,
        hopes: &[Term],
        threads: &[usize],
    ) -> Result<Result<(Facts, Vec<Term>, Vec<(usize, Vec<Point>)>), usize>, Stop> {
        let (mut facts, mut hopes) = (facts.clone(), hopes.to_vec());
        'weaken: loop {
            let mut all: Vec<(usize, Vec<Point>)> = Vec::new();
            for &thread in threads {
                let mut reached = vec![points[thread].clone()];
                let mut next = 0;
                while next < reached.len() {
                    let doing = self.doing(thread, &reached[next], &facts, &hopes)?;
                    next += 1;
                    if doing.disappoints && !hopes.is_empty() {
                        hopes.clear();
                        continue 'weaken;
                    }
                    if doing.goes_wrong {
                        return Ok(Err(thread));
                    }
                    if !doing.changes.is_empty() {
                        facts.retain(|leaf, _| !doing.changes.contains(leaf));
                        continue 'weaken;
                    }
                    for to in doing.to {
                        if !reached.contains(&to) {
                            reached.push(to);
                        }
                    }
                }
                all.push((thread, reached));
            }
            return Ok(Ok((facts, hopes, all)));
        }
    }

    fn footprint(&mut self, place: &Place) -> Result<Rc<Footprint>, Stop> {
        if let Some(known) = self.footprints.get(place) {
            return Ok(known.clone());
        }
        let (world, _) = self.world(std::slice::from_ref(&place.1), &Facts::new());
        let footprint = Rc::new(Footprint::of(&world, &self.ways(place.0, 0, &world)?));
        self.footprints.insert(place.clone(), footprint.clone());
        Ok(footprint)
    }

    fn doing(&mut self, thread: usize, point: &Point, facts: &Facts, hopes: &[Term]) -> Result<Doing, Stop> {
        let footprint = self.footprint(&(thread, point.clone()))?;
        // Others make no difference, and stay as they are.
        let facts = &touched(facts, &[&footprint]);
        let key = (thread, point.clone(), facts.clone(), hopes.to_vec());
        if let Some(known) = self.doings.get(&key) {
            return Ok(known.clone());
        }
        let (world, well_formed) = self.world(std::slice::from_ref(point), facts);
        let well_formed = well_formed.and(self.hoped(hopes, &world));
        let mut disappointing = Vec::new();
        let (mut wrong, mut leading): (Vec<Term>, Vec<(Point, Vec<Term>)>) = Default::default();
        let mut changing: Vec<(usize, Vec<Term>)> = facts.keys().map(|&leaf| (leaf, Vec::new())).collect();
        for way in self.ways(thread, 0, &world)? {
            let End::Rest(state) = &way.end else {
                wrong.push(way.when);
                continue;
            };
            let after = world.after(0, state);
            disappointing.push(way.when.and(self.hoped(hopes, &after).not()));
            let after = after.leaves();
            for ((leaf, changed), value) in changing.iter_mut().zip(facts.values()) {
                changed.push(way.when.and(after[*leaf].equals(constant(&after[*leaf], *value)).not()));
            }
            match leading.iter_mut().find(|(to, _)| *to == state.point) {
                Some((_, ways)) => ways.push(way.when),
                None => leading.push((state.point.clone(), vec![way.when])),
            }
        }
        // All ways that matter for the same are one question.
        let mut is_possible = |any: &Vec<Term>| self.is_possible(&well_formed.and(Term::any(any)));
        let (goes_wrong, disappoints) = (is_possible(&wrong)?, is_possible(&disappointing)?);
        let mut doing = Doing { goes_wrong, disappoints, ..Doing::default() };
        for (leaf, changed) in &changing {
            doing.changes.extend(is_possible(changed)?.then_some(*leaf));
        }
        for (to, ways) in leading {
            doing.to.extend(is_possible(&ways)?.then_some(to));
        }
        self.doings.insert(key, doing.clone());
        Ok(doing)
    }

    /// One of the first, and a thread whose steps cannot always come after its next one.
    fn disturber(
        &mut self,
        points: &[Point],
        first: &[usize],
        facts: &Facts,
        hopes: &[Term],
        others: &[(usize, Vec<Point>)],
    ) -> Result<Option<(Place, Place)>, Stop> {
        for (other, reached) in others {
            for point in reached {
                for &thread in first {
                    let (one, two) = ((thread, points[thread].clone()), (*other, point.clone()));
                    if !self.can_exchange(&one, &two, None)? && !self.can_exchange(&one, &two, Some((facts, hopes)))? {
                        return Ok(Some((one, two)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn can_exchange(&mut self, first: &Place, other: &Place, given: Option<(&Facts, &[Term])>) -> Result<bool, Stop> {
        let (one, two) = (self.footprint(first)?, self.footprint(other)?);
        if one.is_apart_from(&two) {
            return Ok(true);
        }
        let given = given.map(|(facts, hopes)| (touched(facts, &[&one, &two]), hopes.to_vec()));
        let key = (first.clone(), other.clone(), given.clone());
        if let Some(known) = self.exchanged.get(&key) {
            return Ok(*known);
        }
        let (facts, hopes) = given.unwrap_or_default();
        let known = self.exchanges(first, other, &facts, &hopes)?;
        self.exchanged.insert(key, known);
        Ok(known)
    }

    /// Whether a step of the other thread and then one of the first could be taken the other way round.
    fn exchanges(&mut self, first: &Place, other: &Place, facts: &Facts, hopes: &[Term]) -> Result<bool, Stop> {
        let (world, well_formed) = self.world(&[first.1.clone(), other.1.clone()], facts);
        let well_formed = well_formed.and(self.hoped(hopes, &world));
        let at_once = self.ways(first.0, 0, &world)?;
        let wrong_at_once = Term::any(at_once.iter().filter(|way| matches!(way.end, End::Error)).map(|way| &way.when));
        for before in self.ways(other.0, 1, &world)? {
            let End::Rest(state) = &before.end else { continue };
            let between = world.after(1, state);
            let mut bad = Vec::new();
            for late in self.ways(first.0, 0, &between)? {
                let happens = before.when.and(&late.when);
                let good = match &late.end {
                    End::Error => wrong_at_once.clone(),
                    End::Rest(state) => {
                        let end = between.after(0, state);
                        self.turned_round(&world, (&at_once, &late), (other.0, &before), &end)?
                    }
                };
                let left = good.conjuncts().iter().filter(|part| !happens.conjuncts().contains(part));
                bad.push(happens.and(Term::all(left).not()));
            }
            if self.is_possible(&well_formed.and(Term::any(&bad)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn turned_round(
        &self,
        world: &World,
        (at_once, late): (&[Way], &Way),
        (other, before): (usize, &Way),
        end: &World,
    ) -> Result<Term, Stop> {
        let Some((soon, between)) = along(at_once, late, world, 0) else { return Ok(Term::bool(false)) };
        let after = self.ways(other, 1, &between)?;
        let Some((then, last)) = along(&after, before, &between, 1) else { return Ok(Term::bool(false)) };
        Ok(Term::all([&soon.when, &then.when, &last.same(end)]))
    }
}

/// The way along the same edges, and where it leads.
fn along<'w>(ways: &'w [Way], wanted: &Way, world: &World, who: usize) -> Option<(&'w Way, World)> {
    ways.iter().find_map(|way| match &way.end {
        End::Rest(state) if way.path == wanted.path => Some((way, world.after(who, state))),
        End::Rest(_) | End::Error => None,
    })
}

/// The facts about terms that these steps read or write.
fn touched(facts: &Facts, footprints: &[&Footprint]) -> Facts {
    let is_touched = |leaf: &usize| footprints.iter().any(|footprint| footprint.touches(*leaf));
    facts.iter().filter(|(leaf, _)| is_touched(leaf)).map(|(&leaf, &value)| (leaf, value)).collect()
}

/// A value of the term's sort.
pub(crate) fn constant(term: &Term, value: i64) -> Term {
    if *term.sort() == SmtSort::Bool { Term::bool(value != 0) } else { Term::int(value) }
}

/// The constants in a term.
pub(crate) fn constants(term: &Term) -> Vec<Term> {
    let mut all: Vec<Term> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    term.for_each_leaf(&mut |leaf| {
        if leaf.name().is_some() && seen.insert(leaf.clone()) {
            all.push(leaf.clone());
        }
    });
    all
}

fn followed(population: &Population) -> Vec<usize> {
    let mut followed = Vec::new();
    let mut next = 0;
    for var in &population.program.shared {
        let leaves = population.leaf_sorts(&var.sort);
        let mut element = &var.sort;
        while let Sort::Array(_, inner) = element {
            element = inner;
        }
        for leaf in leaves {
            let is_scalar = matches!(leaf, SmtSort::Int | SmtSort::Bool);
            if is_scalar && matches!(element, Sort::Tid | Sort::Enum(_) | Sort::Bool) {
                followed.push(next);
            }
            next += 1;
        }
    }
    followed
}
