//! What patterns of properties see of threads.
//!
//! A thread shows a sign in a shared store and a local state if one of the steps that it can take there does. What a
//! set of states of one thread shows is the union of what each shows: a pattern is met by some states, one from the
//! set of each thread, just if it is met by the unions, since each thread has one part in it at most. That goes for
//! patterns of all threads too, in which each thread has one part.

use crate::deadlock::{deadlock, lock_cycle};
use crate::{Command, Edge, Expr, ExprKind, Op, Pattern, Program, PropertyId, Region, Sign, Update, Value, VarRef};
use std::collections::BTreeSet;

/// Something that a thread shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Observation {
    /// Whose pattern asks for it.
    pub property: PropertyId,
    /// Which of the signs of the pattern it is.
    pub sign: u32,
    /// The first of the elements that it is shown of; 0 where elements are not told apart.
    pub first: u32,
    /// The last of them.
    pub last: u32,
}

/// What a thread shows, in order. Of the same sign no two are of elements that overlap or adjoin.
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

    /// Whether a sign of a property's pattern is shown of an element.
    pub fn show(&self, property: PropertyId, sign: u32, element: u32) -> bool {
        self.of(property).iter().any(|o| o.sign == sign && o.first <= element && element <= o.last)
    }

    /// Those of a property.
    pub fn of(&self, property: PropertyId) -> &[Observation] {
        let start = self.0.partition_point(|o| o.property < property);
        let end = self.0.partition_point(|o| o.property <= property);
        &self.0[start..end]
    }

    pub fn add(&mut self, mut new: Observation) {
        let meets = |old: &Observation, new: &Observation| {
            let same = (old.property, old.sign) == (new.property, new.sign);
            same && old.first <= new.last.saturating_add(1) && new.first <= old.last.saturating_add(1)
        };
        for old in &self.0 {
            if meets(old, &new) {
                (new.first, new.last) = (new.first.min(old.first), new.last.max(old.last));
            }
        }
        self.0.retain(|old| !meets(old, &new));
        let place = self.0.partition_point(|old| *old < new);
        self.0.insert(place, new);
    }

    pub fn add_all(&mut self, others: &Observations) {
        others.iter().for_each(|observation| self.add(observation));
    }
}

/// Threads that meet the pattern of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Met {
    pub property: PropertyId,
    /// Of which element.
    pub element: u32,
    /// For each sign of the pattern the thread that shows it; of a pattern of all threads those that have a part in it.
    pub threads: Vec<usize>,
    /// For each of them the number of the sign that it shows, and of which element.
    pub shown: Vec<(u32, u32)>,
}

impl Program {
    /// The patterns that the threads of an instance meet who show these, each with the first threads that do.
    pub fn patterns_met(&self, shown: &[&Observations]) -> Vec<Met> {
        let cast = |(property, pattern): (PropertyId, &Pattern)| {
            let signs = match pattern {
                Pattern::Signs(signs) => signs.len(),
                Pattern::Deadlock => return deadlock(property, shown),
                Pattern::LockCycle => return lock_cycle(property, shown),
            };
            // Ranges have an element in common just if the first one of some of them is in all.
            let elements: BTreeSet<u32> = shown.iter().flat_map(|shown| shown.of(property)).map(|o| o.first).collect();
            elements.into_iter().find_map(|element| {
                let mut met = Met { property, element, threads: Vec::new(), shown: Vec::new() };
                cast_from(signs, shown, &mut met).then_some(met)
            })
        };
        self.patterns().filter_map(cast).collect()
    }
}

/// Finds another thread for each sign that has none yet.
fn cast_from(signs: usize, shown: &[&Observations], met: &mut Met) -> bool {
    let sign = met.threads.len();
    if sign == signs {
        return true;
    }
    for thread in 0..shown.len() {
        if !met.threads.contains(&thread) && shown[thread].show(met.property, sign as u32, met.element) {
            met.threads.push(thread);
            met.shown.push((sign as u32, met.element));
            if cast_from(signs, shown, met) {
                return true;
            }
            met.threads.pop();
            met.shown.pop();
        }
    }
    false
}

impl Sign {
    /// Whether an edge shows it, but for the result of a call, which is written on return.
    pub fn is_shown_by(&self, edge: &Edge) -> bool {
        if edge.atomic && self.region().plain {
            return false;
        }
        match self {
            Sign::Accesses(region) => edge_reads(region, edge) || writes(region, edge),
            Sign::Writes(region) => writes(region, edge),
        }
    }

    /// Whether writing the result of the call on an edge shows it. The indices of the place are evaluated then.
    pub fn is_shown_by_result(&self, call: &Edge) -> bool {
        let Op::Call { result: Some(place), .. } = &call.op else { return false };
        let reads = || place.indices.iter().any(|index| index.any(&|e| reads(self.region(), e)));
        match self {
            Sign::Accesses(region) => region.has(place.var) || reads(),
            Sign::Writes(region) => region.has(place.var),
        }
    }
}

impl Region {
    /// The keys of the parts of the region that an edge of one command accesses, as far as they can be told from the text:
    /// keys that depend on a bound variable, and those further in, are left out. With `writes_only`, of the parts that
    /// it writes.
    pub fn parts_of<'e>(&self, command: &'e Command, writes_only: bool) -> Vec<Vec<&'e Expr>> {
        let mut parts = Vec::new();
        match &command.update {
            Update::Assign(assignments) => {
                let written = assignments.iter().filter(|(place, _)| self.has(place.var));
                parts.extend(written.map(|(place, _)| self.told(place.indices.iter().collect())));
            }
            Update::Action { frame, formula, assertion } => {
                let mentioned =
                    || formula.any(&|e| reads(self, e)) || assertion.iter().any(|e| e.any(&|e| reads(self, e)));
                let writes = frame.iter().any(|&var| self.has(var));
                parts.extend((writes || !writes_only && mentioned()).then(Vec::new));
            }
        }
        if !writes_only {
            command.assertions.iter().for_each(|assertion| self.parts_read(&assertion.condition, &mut parts));
            command.guard.iter().for_each(|e| self.parts_read(e, &mut parts));
            if let Update::Assign(assignments) = &command.update {
                for (place, value) in assignments {
                    place.indices.iter().for_each(|index| self.parts_read(index, &mut parts));
                    if let Value::Of(e) = value {
                        self.parts_read(e, &mut parts);
                    }
                }
            }
        }
        parts
    }

    fn parts_read<'e>(&self, e: &'e Expr, parts: &mut Vec<Vec<&'e Expr>>) {
        match &e.kind {
            ExprKind::Read(_) | ExprKind::ReadAfter(_) | ExprKind::Index(..) => {
                let (mut root, mut keys) = (e, Vec::new());
                while let ExprKind::Index(array, key) = &root.kind {
                    keys.insert(0, &**key);
                    root = array;
                }
                keys.iter().for_each(|key| self.parts_read(key, parts));
                match &root.kind {
                    ExprKind::Read(var) | ExprKind::ReadAfter(var) => {
                        parts.extend(self.has(*var).then(|| self.told(keys)));
                    }
                    _ => self.parts_read(root, parts),
                }
            }
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.parts_read(e, parts)),
            ExprKind::Conditional(inner) => inner.iter().for_each(|e| self.parts_read(e, parts)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|e| self.parts_read(e, parts));
            }
            ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => self.parts_read(a, parts),
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => self.parts_read(&thread.thread, parts),
            ExprKind::Const(_) | ExprKind::Thread(_) | ExprKind::SelfThread | ExprKind::Bound(_) => {}
        }
    }

    fn told<'e>(&self, keys: Vec<&'e Expr>) -> Vec<&'e Expr> {
        let is_told = |key: &&Expr| !key.any(&|e| matches!(e.kind, ExprKind::Bound(_)));
        keys.into_iter().take(self.depth).take_while(is_told).collect()
    }
}

fn reads(region: &Region, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Read(var) | ExprKind::ReadAfter(var) if region.has(var))
}

fn edge_reads(region: &Region, edge: &Edge) -> bool {
    if let Op::Call { args, .. } = &edge.op {
        return args.iter().any(|arg| arg.any(&|e| reads(region, e)));
    }
    let mut found = false;
    edge.op.walk_expressions(&mut |e| found |= reads(region, e));
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
    pub fn has(&self, var: VarRef) -> bool {
        match var {
            VarRef::Shared(id) => self.vars.contains(&id),
            VarRef::Local(_) => false,
        }
    }
}

/// What an edge shows in all states alike, and whether that is all.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnEdge {
    pub(crate) by_edge: Observations,
    /// By writing the result of the call that it is.
    pub(crate) by_result: Observations,
    /// It may also show something of elements, which depends on the state.
    pub(crate) of_elements: bool,
}

/// What each edge shows; empty where there are no patterns.
pub(crate) fn on_edges(program: &Program) -> Vec<OnEdge> {
    if program.patterns().next().is_none() {
        return Vec::new();
    }
    let mut shown = vec![OnEdge::default(); program.edges.len()];
    for (property, pattern) in program.patterns() {
        for (sign, number) in pattern.signs().iter().zip(0..) {
            let observation = Observation { property, sign: number, first: 0, last: 0 };
            for (edge, on_edge) in program.edges.iter().zip(&mut shown) {
                let (by_edge, by_result) = (sign.is_shown_by(edge), sign.is_shown_by_result(edge));
                if sign.region().depth > 0 {
                    on_edge.of_elements |= by_edge || by_result;
                } else {
                    on_edge.by_edge.0.extend(by_edge.then_some(observation));
                    on_edge.by_result.0.extend(by_result.then_some(observation));
                }
            }
        }
    }
    shown
}
