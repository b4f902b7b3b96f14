//! Variables that nobody reads: nothing is stored in them, and they take no room in states. Handles of threads of which nobody
//! can say which thread they are of are such variables, and arrays of them are large.

use std::collections::BTreeSet;
use threadwise_ir::{
    Command, Edge, Expr, ExprKind, Initial, LocalId, Op, Program, RoutineId, SharedId, Shown, Sort, Telling, Told,
    Update, Value, VarRef,
};

/// A variable, locals with the routine that they are of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Shared(SharedId),
    Local(RoutineId, LocalId),
}

/// Takes stores to variables that nobody reads out of the program. To store a value is not to read the variable, also where it
/// is a store to an element. There is nothing to tell of them either.
pub(super) fn forget(program: &mut Program, edges: &mut [Edge], telling: &mut Telling) {
    // Accesses count in races, whatever becomes of the values.
    let keeps_shared = program.patterns().any(|(_, pattern)| !pattern.is_of_all_threads());
    let mut read = reads(program, edges);
    if keeps_shared {
        read.extend(loaded(program, edges));
    }
    let is_unread = |variable: Variable| match variable {
        Variable::Shared(_) => !keeps_shared && !read.contains(&variable),
        Variable::Local(..) => !read.contains(&variable),
    };
    for edge in &mut *edges {
        let routine = program.locations[edge.from.index()].routine;
        if let Op::Command(Command { update: Update::Assign(assignments), .. }) = &mut edge.op
            && assignments.iter().any(|(place, _)| is_unread(variable(routine, place.var)))
        {
            let kept = assignments.iter().filter(|(place, _)| !is_unread(variable(routine, place.var)));
            *assignments = kept.cloned().collect();
        }
    }
    for (told, edge) in telling.edges.iter_mut().zip(&*edges) {
        let routine = program.locations[edge.from.index()].routine;
        let is_gone = |e: &Expr| matches!(e.kind, ExprKind::Read(var) if is_unread(variable(routine, var)));
        // A value that is not kept cannot be told.
        if let Told::Access(access) = told
            && access.value.as_ref().is_some_and(|value| value.any(&is_gone))
        {
            access.value = None;
        }
    }
    for (index, var) in program.shared.iter_mut().enumerate() {
        if is_unread(Variable::Shared(SharedId(index as u32))) {
            (var.sort, var.init) = (Sort::Bool, Initial::Default);
            telling.shared[index] = Shown { is_hidden: true, ..Shown::default() };
        }
    }
    for (index, routine) in program.routines.iter_mut().enumerate() {
        for (local, var) in routine.locals.iter_mut().enumerate() {
            if is_unread(Variable::Local(RoutineId(index as u32), LocalId(local as u32))) {
                var.sort = Sort::Bool;
                telling.locals[index][local] = Shown { is_hidden: true, ..Shown::default() };
            }
        }
    }
}

fn variable(routine: RoutineId, var: VarRef) -> Variable {
    match var {
        VarRef::Shared(id) => Variable::Shared(id),
        VarRef::Local(id) => Variable::Local(routine, id),
    }
}

/// The locals that get something of what is shared: to load it is to access it, whether anybody looks at it or not.
fn loaded(program: &Program, edges: &[Edge]) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    for edge in edges {
        let Op::Command(Command { update: Update::Assign(assignments), .. }) = &edge.op else { continue };
        let routine = program.locations[edge.from.index()].routine;
        for (place, value) in assignments {
            let indices = place.indices.iter();
            let value = match value {
                Value::Of(e) => Some(e),
                Value::Any => None,
            };
            if indices.chain(value).any(super::live::reads_shared) {
                found.insert(variable(routine, place.var));
            }
        }
    }
    found
}

fn reads(program: &Program, edges: &[Edge]) -> BTreeSet<Variable> {
    let mut read = BTreeSet::new();
    let mut note = |routine: Option<RoutineId>, kind: &ExprKind| {
        if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = kind {
            match (routine, *var) {
                (_, VarRef::Shared(id)) => drop(read.insert(Variable::Shared(id))),
                (Some(routine), VarRef::Local(id)) => drop(read.insert(Variable::Local(routine, id))),
                (None, VarRef::Local(_)) => {}
            }
        }
    };
    program.walk_expressions(&mut |e| note(None, &e.kind));
    for edge in edges {
        let routine = program.locations[edge.from.index()].routine;
        edge.op.walk_expressions(&mut |e| note(Some(routine), &e.kind));
    }
    // Annotations are read by who checks them.
    for location in &program.locations {
        location.invariants.iter().for_each(|e| e.walk(&mut |e| note(Some(location.routine), &e.kind)));
    }
    let contracts = program.relies.iter().chain(&program.guarantees);
    contracts.for_each(|contract| contract.formula.walk(&mut |e| note(None, &e.kind)));
    // What properties see of threads, and what is not an assignment, is as good as read.
    let mut more = BTreeSet::new();
    program.walk_expressions(&mut |e| {
        if let ExprKind::LocalOf(thread, local) = &e.kind {
            more.insert(Variable::Local(program.template(thread.template).body, *local));
        }
    });
    for edge in edges {
        let routine = program.locations[edge.from.index()].routine;
        match &edge.op {
            Op::Command(Command { update: Update::Assign(_), .. }) => {}
            Op::Command(Command { update: Update::Action { .. }, .. }) | Op::Call { .. } | Op::Return(_) => {
                let locals = 0..program.routine(routine).locals.len() as u32;
                more.extend(locals.map(|local| Variable::Local(routine, LocalId(local))));
                more.extend((0..program.shared.len() as u32).map(|id| Variable::Shared(SharedId(id))));
            }
        }
    }
    read.extend(more);
    read
}
