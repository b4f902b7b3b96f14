//! What patterns of properties see of threads.
//!
//! A thread shows a sign in a shared store and a local state if one of the steps that it can take there does. What a
//! set of states of one thread shows is the union of what each shows: a pattern is met by some states, one from the
//! set of each thread, just if it is met by the unions, since each thread has one part in it at most.

use crate::{Edge, ExprKind, Op, Pattern, Program, PropertyId, Region, Sign, Update, VarRef};

/// Something that a thread shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Observation {
    /// Whose pattern asks for it.
    pub property: PropertyId,
    /// Which of the signs of the pattern it is.
    pub sign: u32,
}

/// What a thread shows, in order.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Observations(Vec<Observation>);

impl Observations {
    /// Of a thread that shows nothing.
    pub fn none() -> &'static Observations {
        static NONE: Observations = Observations(Vec::new());
        &NONE
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Observation> + '_ {
        self.0.iter().copied()
    }

    /// Whether this is among them.
    pub fn show(&self, observation: Observation) -> bool {
        self.0.binary_search(&observation).is_ok()
    }

    /// Those of a property.
    pub fn of(&self, property: PropertyId) -> &[Observation] {
        let start = self.0.partition_point(|o| o.property < property);
        let end = self.0.partition_point(|o| o.property <= property);
        &self.0[start..end]
    }

    pub fn add(&mut self, observation: Observation) {
        if let Err(place) = self.0.binary_search(&observation) {
            self.0.insert(place, observation);
        }
    }

    pub fn add_all(&mut self, others: &Observations) {
        others.iter().for_each(|observation| self.add(observation));
    }
}

/// Threads that meet the pattern of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Met {
    pub property: PropertyId,
    /// For each sign of the pattern the thread that shows it.
    pub threads: Vec<usize>,
}

impl Program {
    /// The patterns that threads meet who show these, each with the first threads that do.
    pub fn patterns_met(&self, shown: &[&Observations]) -> Vec<Met> {
        let cast = |(property, pattern): (PropertyId, &Pattern)| {
            let mut threads = Vec::new();
            cast_from(property, pattern, shown, &mut threads).then_some(Met { property, threads })
        };
        self.patterns().filter_map(cast).collect()
    }
}

/// Finds another thread for each sign that has none yet.
fn cast_from(property: PropertyId, pattern: &Pattern, shown: &[&Observations], threads: &mut Vec<usize>) -> bool {
    let sign = threads.len();
    if sign == pattern.signs.len() {
        return true;
    }
    for thread in 0..shown.len() {
        if !threads.contains(&thread) && shown[thread].show(Observation { property, sign: sign as u32 }) {
            threads.push(thread);
            if cast_from(property, pattern, shown, threads) {
                return true;
            }
            threads.pop();
        }
    }
    false
}

impl Sign {
    /// Whether an edge shows it, but for the result of a call, which is written on return.
    pub fn is_shown_by(&self, edge: &Edge) -> bool {
        match self {
            Sign::Accesses(region) => reads(region, edge) || writes(region, edge),
            Sign::Writes(region) => writes(region, edge),
        }
    }

    /// Whether writing the result of the call on an edge shows it.
    pub fn is_shown_by_result(&self, call: &Edge) -> bool {
        match &call.op {
            Op::Call { result: Some(place), .. } => self.region().has(place.var),
            Op::Call { result: None, .. } | Op::Command(_) | Op::Return(_) => false,
        }
    }
}

fn reads(region: &Region, edge: &Edge) -> bool {
    let mut found = false;
    edge.op.walk_expressions(&mut |e| {
        found |= matches!(e.kind, ExprKind::Read(var) | ExprKind::ReadAfter(var) if region.has(var));
    });
    found
}

fn writes(region: &Region, edge: &Edge) -> bool {
    let Op::Command(command) = &edge.op else { return false };
    match &command.update {
        Update::Assign(assignments) => assignments.iter().any(|(place, _)| region.has(place.var)),
        Update::Action { frame, .. } => frame.iter().any(|&var| region.has(var)),
    }
}

impl Region {
    fn has(&self, var: VarRef) -> bool {
        match var {
            VarRef::Shared(id) => self.vars.contains(&id),
            VarRef::Local(_) => false,
        }
    }
}

/// For each edge what it shows, and what writing its result does; empty where there are no patterns.
pub(crate) fn of_edges(program: &Program) -> Vec<[Observations; 2]> {
    if program.patterns().next().is_none() {
        return Vec::new();
    }
    let mut shown = vec![<[Observations; 2]>::default(); program.edges.len()];
    for (property, pattern) in program.patterns() {
        for (sign, number) in pattern.signs.iter().zip(0..) {
            let observation = Observation { property, sign: number };
            for (edge, [by_edge, by_result]) in program.edges.iter().zip(&mut shown) {
                by_edge.0.extend(sign.is_shown_by(edge).then_some(observation));
                by_result.0.extend(sign.is_shown_by_result(edge).then_some(observation));
            }
        }
    }
    shown
}
