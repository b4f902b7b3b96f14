//! Patterns: threads that can each take a step that shows a sign.

use super::code::Code;
use super::located::holds_at;
use super::terms::Terms;
use std::collections::BTreeSet;
use threadwise_ir::{Copies, Edge, EdgeId, Op, Point, Program, Sign, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{ThreadState, Unsupported, Value, View, by_constants, take_edge};

/// Where a thread is, and the edge with which its next step starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Start {
    template: usize,
    spot: usize,
    edge: EdgeId,
}

/// All groups of steps of different threads that meet the pattern if all of them can be taken.
pub(crate) fn groups(terms: &Terms<'_>, codes: &[Code], signs: &[Sign]) -> BTreeSet<Vec<Start>> {
    let program = &terms.population.program;
    let mut groups = BTreeSet::from([Vec::new()]);
    for sign in signs {
        let showing = starts(program, codes, sign);
        let further = |group: &Vec<Start>| {
            let by_another = |start: &&Start| {
                let is_one_thread = program.templates[start.template].copies == Copies::Single;
                !is_one_thread || group.iter().all(|other| other.template != start.template)
            };
            let others = showing.iter().filter(by_another);
            others.map(|&start| [group.as_slice(), &[start]].concat()).collect::<Vec<Vec<Start>>>()
        };
        groups = groups.iter().flat_map(further).collect();
    }
    if signs.iter().any(|sign| sign.region().depth > 0) {
        return groups;
    }
    // Who shows which sign does not matter to whether all can be taken.
    groups.into_iter().map(in_order).collect()
}

fn in_order(mut group: Vec<Start>) -> Vec<Start> {
    group.sort_unstable();
    group
}

/// The starts of steps that may show a sign.
fn starts(program: &Program, codes: &[Code], sign: &Sign) -> Vec<Start> {
    let mut starts = Vec::new();
    for (template, code) in codes.iter().enumerate() {
        for (spot, at) in code.spots.iter().enumerate().filter(|(_, at)| !at.inside_step) {
            let showing = at.next.iter().filter(|&&(edge, to)| may_show(program, code, sign, spot, edge, to));
            starts.extend(showing.map(|&(edge, _)| Start { template, spot, edge }));
        }
    }
    starts
}

/// Whether a step that starts with this edge may show a sign with anything that can be come to before it ends.
fn may_show(program: &Program, code: &Code, sign: &Sign, from: usize, edge: EdgeId, to: usize) -> bool {
    let mut seen = vec![false; code.spots.len()];
    let mut shows = is_shown(program, code, sign, from, edge);
    let mut work = vec![to];
    while let Some(spot) = work.pop() {
        if code.spots[spot].inside_step && !std::mem::replace(&mut seen[spot], true) {
            for &(edge, next) in &code.spots[spot].next {
                shows |= is_shown(program, code, sign, spot, edge);
                work.push(next);
            }
        }
    }
    shows
}

fn is_shown(program: &Program, code: &Code, sign: &Sign, from: usize, edge: EdgeId) -> bool {
    let edge = program.edge(edge);
    let by_result = match (&edge.op, code.spots[from].point.calls.last()) {
        (Op::Return(_), Some(&call)) => sign.is_shown_by_result(program.edge(call)),
        (Op::Command(_) | Op::Call { .. } | Op::Return(_), _) => false,
    };
    by_result || sign.is_shown_by(edge)
}

/// Tells the solver of a state in which different threads are where the steps start and can take them, and in which
/// what they show the signs of may be the same element.
pub(crate) fn say_all(
    terms: &Terms<'_>,
    session: &mut Session,
    codes: &[Code],
    signs: &[Sign],
    group: &[Start],
) -> Result<(), Unsupported> {
    let population = terms.population;
    let shared = terms.store(session, "x");
    session.assert(&terms.sound(&shared)?);
    let mut threads: Vec<Term> = Vec::new();
    // The ways in which those so far can have an element in common: the keys of each, and that they are equal.
    let mut common: Vec<(Vec<Vec<Term>>, Term)> = vec![(Vec::new(), Term::bool(true))];
    for ((start, sign), number) in group.iter().zip(signs).zip(1..) {
        let thread = &session.declare(&format!("t{number}"), &SmtSort::Int);
        threads.iter().for_each(|other| session.assert(&thread.equals(other).not()));
        threads.push(thread.clone());
        session.assert(&population.is_copy(thread, TemplateId(start.template as u32)));
        let at = &codes[start.template].spots[start.spot];
        let mut locals: Vec<Value> = Vec::new();
        for (index, local) in terms.program().routine(at.innermost()).locals.iter().enumerate() {
            let value = population.declare_value(session, &format!("{thread}.{index}"), &local.sort);
            session.assert(&population.well_formed(&local.sort, &value));
            locals.push(value);
        }
        session.assert(&holds_at(terms, at, thread, &shared, &locals)?);
        let edge = terms.program().edge(start.edge);
        if let Op::Command(_) = &edge.op {
            let state =
                ThreadState { point: Point::at(edge.from), shared: shared.clone(), frames: vec![locals.clone()] };
            let mut choose = by_constants(population, format!("{thread}.any"));
            let taken = take_edge(population, thread, &state, start.edge, &mut choose)?;
            session.declare_all(taken.choices.iter().flat_map(|chosen| &chosen.0));
            session.assert(&taken.hazards.so_far);
        }
        let view = View::of_thread(population, thread, &shared, &locals);
        let parts = parts_shown(terms.program(), &view, edge, sign)?;
        common = common.iter().flat_map(|way| parts.iter().map(|keys| with_keys(way, keys))).collect();
    }
    session.assert(&Term::any(common.iter().map(|(_, equal)| equal)));
    Ok(())
}

/// The keys of what a step that starts with an edge may show a sign of. Nothing is said of steps of several edges, and
/// of calls and returns: they may show it of any element.
fn parts_shown(program: &Program, view: &View<'_>, edge: &Edge, sign: &Sign) -> Result<Vec<Vec<Term>>, Unsupported> {
    let Op::Command(command) = &edge.op else { return Ok(vec![Vec::new()]) };
    if sign.region().depth == 0 || program.location(edge.to).transient {
        return Ok(vec![Vec::new()]);
    }
    let parts = sign.region().parts_of(command, matches!(sign, Sign::Writes(_)));
    let mut shown = Vec::new();
    for keys in parts {
        let terms = keys.into_iter().map(|key| Ok(view.translate(key)?.value.term().clone()));
        shown.push(terms.collect::<Result<Vec<Term>, Unsupported>>()?);
    }
    Ok(shown)
}

fn with_keys((others, equal): &(Vec<Vec<Term>>, Term), keys: &[Term]) -> (Vec<Vec<Term>>, Term) {
    let pairs = others.iter().flat_map(|other| other.iter().zip(keys));
    let same = Term::all(pairs.map(|(other, key)| other.equals(key)));
    ([others.as_slice(), &[keys.to_vec()]].concat(), equal.and(same))
}
