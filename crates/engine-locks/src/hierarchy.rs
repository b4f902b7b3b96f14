//! Deadlocks that the order in which threads take locks excludes.
//!
//! Each thread is followed by itself, with the values of its locals as far as they do not depend on others, and with the
//! locks that it has. Where it waits for a lock while it has others, these come before that one. If nobody comes before
//! himself, and nobody waits for anything else, there is no deadlock: `check/src/hierarchy.rs` explains why.
//!
//! All that is written like a lock is taken for one, until some thread does something else with it. Locals that take too
//! many values are forgotten, first those that have no part in which lock is taken.

mod cycle;
mod follow;
mod order;

use follow::{Doubt, Follower, Found, Name, show};
use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_evidence::{HierarchyProof, Trace};
use threadwise_ir::{
    Copies, ExprKind, Initial, Instance, LocalId, Op, Program, RoutineId, SharedId, Sort, Update, Value, VarRef,
};
use threadwise_limits::{Budget, Limit};

/// What the order of locks says about a program.
pub enum Order {
    /// Nobody waits for ever. If something else has to be shown, that is said.
    Excludes { proof: HierarchyProof, open: Option<String> },
    /// Threads take locks around a cycle, and so come to wait for each other.
    Refutes(Box<Trace>),
    /// Why it is not enough.
    Unknown(String),
}

/// More places than these of one thread are not looked at before locals are forgotten.
const MOST_PLACES: usize = 4_000;

/// Whether it is worth asking: deadlocks are forbidden.
pub fn is_about_waiting(program: &Program) -> bool {
    program.patterns().any(|(_, pattern)| pattern.is_of_all_threads())
}

/// Looks for an order of locks that excludes that threads wait for ever.
pub fn order(program: &Arc<Program>, budget: &Budget) -> Result<Order, Limit> {
    let instance = Instance::new(program.clone(), 0);
    let mut locks = like_locks(&instance);
    let mut forgotten = BTreeSet::new();
    let mut level = 0;
    loop {
        budget.check()?;
        match followed(&instance, &locks, &forgotten, budget)? {
            Ok(found) => return concluded(&instance, locks, forgotten, found, budget),
            Err(Doubt::NoLock(var)) => {
                locks.remove(&var);
            }
            Err(Doubt::TooManyPlaces) => {
                level += 1;
                forgotten = match level {
                    1 => without_part(program),
                    2 => all_locals(program),
                    _ => return Ok(Order::Unknown("a thread can be at too many places".to_string())),
                };
            }
            Err(Doubt::Other(why)) => return Ok(Order::Unknown(why)),
        }
    }
}

/// What is found on the ways of all threads.
fn followed(
    instance: &Instance,
    locks: &BTreeSet<SharedId>,
    forgotten: &BTreeSet<(RoutineId, LocalId)>,
    budget: &Budget,
) -> Result<Result<Found, Doubt>, Limit> {
    let program = &instance.program;
    let written = written(program);
    let mut found = Found::default();
    let whose: Vec<(usize, Option<i64>)> = if program.has_any_copies() {
        let there = |template: &usize| program.templates[*template].copies != Copies::Exactly(0);
        (0..program.templates.len()).filter(there).map(|template| (template, None)).collect()
    } else {
        instance.threads.iter().zip(1..).map(|(thread, tid)| (thread.template.index(), Some(tid))).collect()
    };
    for (template, me) in whose {
        budget.check()?;
        let mut follower = Follower::new(
            instance,
            (locks, forgotten, &written),
            &program.templates[template],
            (me, cycle::whose(program, template, me)),
            &mut found,
        );
        if let Err(doubt) = follower.follow(MOST_PLACES, budget)? {
            return Ok(Err(doubt));
        }
    }
    Ok(Ok(found))
}

fn concluded(
    instance: &Instance,
    locks: BTreeSet<SharedId>,
    forgotten: BTreeSet<(RoutineId, LocalId)>,
    found: Found,
    budget: &Budget,
) -> Result<Order, Limit> {
    let program = &instance.program;
    Ok(match order::sorted(&found) {
        Err(cycle) => match cycle::execution(program, &waiters(&cycle, &found), budget)? {
            Some(trace) => Order::Refutes(Box::new(trace)),
            None => Order::Unknown(told(instance, &cycle, &found)),
        },
        Ok(_) if found.doubt.is_some() => Order::Unknown(found.doubt.unwrap_or_default()),
        Ok(order) => {
            let others = || {
                let property = program.properties.iter().find(|p| !p.pattern().is_some_and(|p| p.is_of_all_threads()));
                property.map(|property| format!("the property at {}", program.source.locate(property.span)))
            };
            let initial = || (!program.init.is_empty()).then(|| "whether there is an initial state".to_string());
            let value = || {
                let may_fail = |var: &&threadwise_ir::SharedVar| match &var.init {
                    Initial::Value(e) => e.can_fail() || !e.surely_fits(&var.sort),
                    Initial::Default | Initial::Any => false,
                };
                program.shared.iter().find(may_fail).map(|var| format!("the initial value of `{}`", var.name))
            };
            let open = others().or_else(initial).or_else(value).or(found.open);
            let locks = locks.into_iter().collect();
            let proof = HierarchyProof { locks, forgotten: forgotten.into_iter().collect(), order, rest: None };
            Order::Excludes { proof, open }
        }
    })
}

/// Who waits with each lock of a cycle for the next one.
fn waiters(cycle: &[Name], found: &Found) -> Vec<cycle::Waiter> {
    let next = cycle.iter().cycle().skip(1);
    let waiter = |(held, next): (&Name, &Name)| {
        let there = found.before.get(held)?.get(next)?;
        let (at, _) = *there.first()?;
        let among = there.iter().filter(|(other, _)| *other == at).map(|(_, whose)| *whose).collect();
        Some(cycle::Waiter { held: held.clone(), next: next.clone(), at, among })
    };
    cycle.iter().zip(next).filter_map(waiter).collect()
}

/// Locks around a cycle, each with where it is waited for by somebody who has the one before.
fn told(instance: &Instance, cycle: &[Name], found: &Found) -> String {
    let next = cycle.iter().cycle().skip(1);
    let waits = cycle.iter().zip(next).filter_map(|(held, lock)| {
        let (location, _) = found.before.get(held)?.get(lock)?.first()?;
        let place = instance.program.source.locate_briefly(instance.program.location(*location).span);
        let (held, lock) = (show(instance, held), show(instance, lock));
        Some(format!("{lock} at {place} with {held}"))
    });
    let waits: Vec<String> = waits.collect();
    match waits.len() {
        0 | 1 => format!("locks are taken in no fixed order: {}", waits.join("")),
        many if many > 4 => format!("locks are taken around a cycle: {}, and so on", waits[..3].join(", ")),
        _ => format!("locks are taken around a cycle: {}", waits.join(", ")),
    }
}

/// The variables that are free at first, and written by constants, by `self`, or as sets of readers.
fn like_locks(instance: &Instance) -> BTreeSet<SharedId> {
    let program = &instance.program;
    let mut locks = BTreeSet::new();
    for (var, id) in program.shared.iter().zip((0..).map(SharedId)) {
        let mut leaf = &var.sort;
        while let Sort::Array(_, element) = leaf {
            leaf = element;
        }
        let may_be = match leaf {
            Sort::Tid | Sort::Bool | Sort::Int | Sort::Bits(_) => true,
            Sort::Range(low, _) => matches!(var.init, Initial::Value(_)) || *low == 0,
            Sort::Set(of) => **of == Sort::Tid,
            Sort::Enum(_) | Sort::Array(..) => false,
        };
        let is_free = match &var.init {
            Initial::Default => true,
            Initial::Value(e) => is_free(e),
            Initial::Any => false,
        };
        if may_be && is_free {
            locks.insert(id);
        }
    }
    let mut is_written = BTreeSet::new();
    for edge in program.edges.iter() {
        let Op::Command(command) = &edge.op else { continue };
        let Update::Assign(assignments) = &command.update else { continue };
        for (place, value) in assignments {
            let VarRef::Shared(id) = place.var else { continue };
            is_written.insert(id);
            let like = match value {
                Value::Of(e) => matches!(e.kind, ExprKind::Const(_) | ExprKind::SelfThread | ExprKind::Binary(..)),
                Value::Any => false,
            };
            if !like || matches!(&*place.sort, Sort::Array(..)) {
                locks.remove(&id);
            }
        }
    }
    locks.retain(|id| is_written.contains(id));
    locks
}

/// The shared variables that some step may write.
fn written(program: &Program) -> BTreeSet<SharedId> {
    let mut written = BTreeSet::new();
    for edge in program.edges.iter() {
        let vars: Vec<VarRef> = match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments.iter().map(|(place, _)| place.var).collect(),
                Update::Action { frame, .. } => frame.to_vec(),
            },
            Op::Call { result, .. } => result.iter().map(|place| place.var).collect(),
            Op::Return(_) => Vec::new(),
        };
        written.extend(vars.into_iter().filter_map(|var| match var {
            VarRef::Shared(id) => Some(id),
            VarRef::Local(_) => None,
        }));
    }
    written
}

fn is_free(e: &threadwise_ir::Expr) -> bool {
    match &e.kind {
        ExprKind::Const(word) => *word == 0,
        ExprKind::SetLiteral(elements) => elements.is_empty(),
        ExprKind::ArrayLiteral(elements) => elements.iter().all(is_free),
        _ => false,
    }
}

fn all_locals(program: &Program) -> BTreeSet<(RoutineId, LocalId)> {
    let routines = program.routines.iter().zip((0..).map(RoutineId));
    routines.flat_map(|(routine, id)| (0..routine.locals.len() as u32).map(move |local| (id, LocalId(local)))).collect()
}

/// The locals that occur in no index, nor in what is assigned to one that does.
fn without_part(program: &Program) -> BTreeSet<(RoutineId, LocalId)> {
    let mut rest = all_locals(program);
    loop {
        let before = rest.len();
        for edge in program.edges.iter() {
            let routine = program.location(edge.from).routine;
            let mut with_part = Vec::new();
            edge.op.walk_expressions(&mut |e| {
                if let ExprKind::Index(_, key) = &e.kind {
                    key.walk(&mut |part| with_part.extend(local_read(part)));
                }
            });
            match &edge.op {
                Op::Command(command) => {
                    let Update::Assign(assignments) = &command.update else { continue };
                    for (place, value) in assignments {
                        place.indices.iter().for_each(|key| key.walk(&mut |part| with_part.extend(local_read(part))));
                        let VarRef::Local(local) = place.var else { continue };
                        if let (false, Value::Of(e)) = (rest.contains(&(routine, local)), value) {
                            e.walk(&mut |part| with_part.extend(local_read(part)));
                        }
                    }
                }
                Op::Call { routine: callee, args, .. } => {
                    for (arg, param) in args.iter().zip((0..).map(LocalId)) {
                        if !rest.contains(&(*callee, param)) {
                            arg.walk(&mut |part| with_part.extend(local_read(part)));
                        }
                    }
                }
                Op::Return(_) => {}
            }
            with_part.into_iter().for_each(|local| {
                rest.remove(&(routine, local));
            });
        }
        if rest.len() == before {
            return rest;
        }
    }
}

fn local_read(e: &threadwise_ir::Expr) -> Option<LocalId> {
    match e.kind {
        ExprKind::Read(VarRef::Local(local)) => Some(local),
        _ => None,
    }
}
