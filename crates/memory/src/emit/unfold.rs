//! Outlines: control tells apart what local variables are known to be. Where a variable gets a constant on one way and
//! another constant on another way, and is asked for later, the code in between is laid out once for each of them. So
//! what is known of locks and threads on one way is not mixed up with what is known on the other: whether a lock could be
//! taken, whether threads have been created.

use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    BinaryOp, Command, Edge, EdgeId, Expr, ExprKind, LocalId, Location, LocationId, Op, Program, RoutineId, Sort,
    UnaryOp, Update, Value, VarRef,
};

/// What some local variables are known to be.
type Values = BTreeMap<LocalId, i64>;

/// Code that gets larger than that many times what it was is left as it is.
const MOST_GROWTH: usize = 6;
const ALWAYS_ALLOWED: usize = 400;

/// Works on the locations and edges from these numbers on, which are those of the routine.
pub(super) fn unfold(program: &mut Program, edges: &mut Vec<Edge>, routine: RoutineId, location: usize, edge: usize) {
    let asked = asked(&edges[edge..]);
    let most = (program.locations.len() - location) * MOST_GROWTH + ALWAYS_ALLOWED;
    let Some(unfolded) = Unfolded::of(program, edges, routine, &asked, most) else { return };
    let mut locations: Vec<Location> = Vec::new();
    for (from, _) in &unfolded.nodes {
        let mut copy = program.locations[from.index()].clone();
        copy.edges.clear();
        locations.push(copy);
    }
    let at = |number: usize| LocationId((location + number) as u32);
    let mut copies: Vec<Edge> = Vec::new();
    for (from, original, to) in &unfolded.edges {
        let copy = Edge { from: at(*from), to: at(*to), ..edges[original.index()].clone() };
        locations[*from].edges.push(EdgeId((edge + copies.len()) as u32));
        copies.push(copy);
    }
    program.locations.truncate(location);
    program.locations.extend(locations);
    edges.truncate(edge);
    edges.extend(copies);
    let of = &mut program.routines[routine.index()];
    (of.entry, of.exit) = (at(unfolded.entry), at(unfolded.exit));
}

struct Unfolded {
    nodes: Vec<(LocationId, Values)>,
    /// From which node by which edge to which node.
    edges: Vec<(usize, EdgeId, usize)>,
    entry: usize,
    exit: usize,
}

impl Unfolded {
    /// Nothing if it gets too large.
    fn of(
        program: &Program,
        edges: &[Edge],
        routine: RoutineId,
        asked: &BTreeSet<LocalId>,
        most: usize,
    ) -> Option<Unfolded> {
        let of = &program.routines[routine.index()];
        let mut numbers: BTreeMap<(LocationId, Values), usize> = BTreeMap::new();
        let mut unfolded = Unfolded { nodes: Vec::new(), edges: Vec::new(), entry: 0, exit: 1 };
        for ends in [of.entry, of.exit] {
            numbers.insert((ends, Values::new()), unfolded.nodes.len());
            unfolded.nodes.push((ends, Values::new()));
        }
        let mut next = 0;
        while next < unfolded.nodes.len() {
            let (from, values) = unfolded.nodes[next].clone();
            for &id in &program.locations[from.index()].edges {
                let edge = &edges[id.index()];
                let Op::Command(command) = &edge.op else { return None };
                if cannot_go(command, &values) {
                    continue;
                }
                let to = &program.locations[edge.to.index()];
                let mut after = after(command, values.clone(), asked);
                after.retain(|local, _| !to.dead.contains(local));
                if to.edges.is_empty() {
                    after.clear();
                }
                let node = (edge.to, after);
                let count = unfolded.nodes.len();
                let number = *numbers.entry(node.clone()).or_insert(count);
                if number == count {
                    unfolded.nodes.push(node);
                }
                unfolded.edges.push((next, id, number));
                if unfolded.nodes.len() > most {
                    return None;
                }
            }
            next += 1;
        }
        Some(unfolded)
    }
}

/// The locals that guards ask for, and those that they are copies of.
fn asked(edges: &[Edge]) -> BTreeSet<LocalId> {
    let mut asked = BTreeSet::new();
    let locals_of = |e: &Expr, into: &mut BTreeSet<LocalId>| {
        e.walk(&mut |part| {
            if let ExprKind::Read(VarRef::Local(local)) = part.kind {
                into.insert(local);
            }
        });
    };
    let commands = || {
        edges.iter().filter_map(|edge| match &edge.op {
            Op::Command(command) => Some(command),
            Op::Call { .. } | Op::Return(_) => None,
        })
    };
    commands().flat_map(|command| command.guard.as_deref()).for_each(|guard| locals_of(guard, &mut asked));
    loop {
        let before = asked.len();
        for command in commands() {
            let Update::Assign(assignments) = &command.update else { continue };
            for (place, value) in assignments {
                if let (VarRef::Local(local), Value::Of(e)) = (place.var, value)
                    && asked.contains(&local)
                {
                    locals_of(e, &mut asked);
                }
            }
        }
        if asked.len() == before {
            return asked;
        }
    }
}

/// Whether a guard surely does not hold. Where something may fail first, it is left to others.
fn cannot_go(command: &Command, values: &Values) -> bool {
    let is_false = |guard: &Expr| word(guard, values) == Some(0);
    command.assertions.is_empty() && command.guard.as_deref().is_some_and(is_false)
}

fn after(command: &Command, mut values: Values, asked: &BTreeSet<LocalId>) -> Values {
    let before = values.clone();
    match &command.update {
        Update::Assign(assignments) => {
            for (place, value) in assignments {
                let VarRef::Local(local) = place.var else { continue };
                // What is computed is not kept: a loop that counts is not laid out.
                let word = match value {
                    Value::Of(e) if place.indices.is_empty() && is_kept(e) => word(e, &before),
                    Value::Of(_) | Value::Any => None,
                };
                values.remove(&local);
                values.extend(word.filter(|_| asked.contains(&local)).map(|word| (local, word)));
            }
        }
        Update::Action { frame, .. } => {
            values.retain(|local, _| !frame.contains(&VarRef::Local(*local)));
        }
    }
    values
}

/// A constant, a copy, or a choice between such, also as an integer of another kind.
fn is_kept(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Read(VarRef::Local(_)) => true,
        ExprKind::Unary(UnaryOp::Convert, inner) => is_kept(inner),
        ExprKind::Conditional(parts) => is_kept(&parts[1]) && is_kept(&parts[2]),
        _ => matches!(*e.sort, Sort::Bool),
    }
}

/// The value of an expression, where it follows from what is known.
fn word(e: &Expr, values: &Values) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(word) => Some(*word),
        ExprKind::Read(VarRef::Local(local)) => values.get(local).copied(),
        ExprKind::Unary(UnaryOp::Not, inner) => word(inner, values).map(|word| i64::from(word == 0)),
        ExprKind::Unary(UnaryOp::Convert, inner) => converted(word(inner, values)?, inner, e),
        ExprKind::Binary(BinaryOp::And, a, b) => match (word(a, values), word(b, values)) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(_), Some(_)) => Some(1),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Or, a, b) => match (word(a, values), word(b, values)) {
            (Some(0), Some(0)) => Some(0),
            (Some(1..), _) | (_, Some(1..)) => Some(1),
            _ => None,
        },
        ExprKind::Binary(op, a, b) => compared(*op, a, b, values),
        ExprKind::Conditional(parts) => match word(&parts[0], values)? {
            0 => word(&parts[2], values),
            _ => word(&parts[1], values),
        },
        _ => None,
    }
}

/// An integer as one of another kind, where nothing of it is lost and its sign stays.
fn converted(word: i64, from: &Expr, to: &Expr) -> Option<i64> {
    let is_plain = |e: &Expr| matches!(*e.sort, Sort::Bits(_) | Sort::Int);
    (is_plain(from) && is_plain(to) && (0..128).contains(&word)).then_some(word)
}

fn compared(op: BinaryOp, a: &Expr, b: &Expr, values: &Values) -> Option<i64> {
    let comparable = a.sort == b.sort || a.sort.is_numeric() && b.sort.is_numeric();
    if !comparable || a.sort.mentions_tid() {
        return None;
    }
    let order = a.sort.compare(word(a, values)?, word(b, values)?);
    let holds = match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        BinaryOp::Ge => order.is_ge(),
        _ => return None,
    };
    Some(i64::from(holds))
}
