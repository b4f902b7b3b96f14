//! Races: two threads that can each take a step that accesses a variable, one of them writing it.

use super::code::Code;
use super::located::holds_at;
use super::terms::Terms;
use threadwise_ir::{Access, Copies, EdgeId, Instance, Op, Point, TemplateId};
use threadwise_logic::SmtSort;
use threadwise_solver::Session;
use threadwise_symbolic::{ThreadState, Unsupported, Value, by_constants, take_edge};

/// Where a thread is, and the edge with which its next step starts.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    template: usize,
    spot: usize,
    edge: EdgeId,
    access: Access,
}

/// All pairs of steps of two threads that race on the variable with this bit if both can be taken.
pub(crate) fn pairs(terms: &Terms<'_>, codes: &[Code], bit: u64) -> Vec<[Start; 2]> {
    let program = &terms.population.program;
    let instance = Instance::with_copies(program.clone(), &vec![0; program.templates.len()]);
    let mut starts = Vec::new();
    for (template, code) in codes.iter().enumerate() {
        for (spot, at) in code.spots.iter().enumerate().filter(|(_, at)| !at.inside_step) {
            for &(edge, to) in &at.next {
                let access = whole_step(&instance, code, spot, edge, to);
                let access = Access { accessed: access.accessed & bit, written: access.written & bit };
                starts.push(Start { template, spot, edge, access });
            }
        }
    }
    let mut pairs = Vec::new();
    for (index, &one) in starts.iter().enumerate() {
        for &other in &starts[index..] {
            let is_one_thread = program.templates[one.template].copies == Copies::Single;
            let by_two = one.template != other.template || !is_one_thread;
            if by_two && one.access.conflicts(other.access) != 0 {
                pairs.push([one, other]);
            }
        }
    }
    pairs
}

/// What a step may access that starts with this edge: all that can be come to before it ends.
fn whole_step(instance: &Instance, code: &Code, from: usize, edge: EdgeId, to: usize) -> Access {
    let mut seen = vec![false; code.spots.len()];
    let mut access = of_edge(instance, code, from, edge);
    let mut work = vec![to];
    while let Some(spot) = work.pop() {
        if code.spots[spot].inside_step && !std::mem::replace(&mut seen[spot], true) {
            for &(edge, next) in &code.spots[spot].next {
                access = access.union(of_edge(instance, code, spot, edge));
                work.push(next);
            }
        }
    }
    access
}

fn of_edge(instance: &Instance, code: &Code, from: usize, edge: EdgeId) -> Access {
    let access = instance.access_of_edge(edge);
    match (&instance.program.edge(edge).op, code.spots[from].point.calls.last()) {
        (Op::Return(_), Some(&call)) => access.union(instance.access_of_result(call)),
        _ => access,
    }
}

/// Tells the solver of a state in which two threads are where both steps start and can be taken.
pub(crate) fn say_both(
    terms: &Terms<'_>,
    session: &mut Session,
    codes: &[Code],
    pair: &[Start; 2],
) -> Result<(), Unsupported> {
    let population = terms.population;
    let shared = terms.store(session, "x");
    session.assert(&terms.sound(&shared)?);
    let threads = ["one", "other"].map(|name| session.declare(name, &SmtSort::Int));
    session.assert(&threads[0].equals(&threads[1]).not());
    for (start, thread) in pair.iter().zip(&threads) {
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
            let state = ThreadState { point: Point::at(edge.from), shared: shared.clone(), frames: vec![locals] };
            let mut choose = by_constants(population, format!("{thread}.any"));
            let taken = take_edge(population, thread, &state, start.edge, &mut choose)?;
            session.declare_all(taken.choices.iter().flat_map(|chosen| &chosen.0));
            session.assert(&taken.hazards.so_far);
        }
    }
    Ok(())
}
