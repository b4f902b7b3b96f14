//! What is known of a program before it runs.

use rustc_hash::FxHashSet;
use std::ops::Range;
use threadwise_ir::{
    Command, Copies, Expr, ExprKind, Instance, LocationId, Op, Program, RoutineId, SharedId, Symmetry, Template,
    TemplateId, Update, VarRef,
};

/// What the search asks about a program, found out once.
pub(crate) struct Facts {
    /// For each location who has to do with what leaves it. Where it is nobody else's concern, to stop there and let others run
    /// brings nothing that stopping a step later does not bring.
    concerns: Vec<Concern>,
    /// For each thread the shared variables that nobody else changes.
    own: Vec<Vec<SharedId>>,
    /// The threads whose copies can be exchanged.
    interchangeable: Vec<TemplateId>,
    /// Whether shared stores say which copy is which.
    names_copies: bool,
    /// Integers that are tried where any may be chosen.
    pub(crate) wanted: Vec<i64>,
}

impl Facts {
    pub(crate) fn of(program: &Program) -> Facts {
        let ids = (0..program.locations.len() as u32).map(LocationId);
        let seen = points_or_locals_are_seen(program);
        let changers = Changers::of(program);
        let shared = || (0..program.shared.len() as u32).map(SharedId);
        let own = |template: &Template| match is_of_one_thread(program, template.body) {
            true => shared().filter(|&var| changers.is_own(var, template.body)).collect(),
            false => Vec::new(),
        };
        let interchangeable = match program.symmetry() {
            Symmetry::Among(templates) => templates,
            Symmetry::Broken(_) => Vec::new(),
        };
        Facts {
            concerns: ids.map(|id| if seen { Concern::All } else { concern(program, &changers, id) }).collect(),
            own: program.templates.iter().map(own).collect(),
            interchangeable,
            names_copies: program.shared.iter().any(|var| var.sort.mentions_tid()),
            wanted: program.compared_integers(),
        }
    }

    /// Whether a thread that is here can be stopped later just as well.
    pub(crate) fn is_private(&self, location: LocationId) -> bool {
        self.concerns[location.index()] == Concern::Nobody
    }

    /// Whether what a thread does from here depends on nothing that others change, and only shared variables that it
    /// changes itself can be seen by others.
    pub(crate) fn depends_on_nobody(&self, location: LocationId) -> bool {
        self.concerns[location.index()] <= Concern::Readers
    }

    /// The shared variables that only this thread changes.
    pub(crate) fn own(&self, template: usize) -> &[SharedId] {
        &self.own[template]
    }

    /// Whether copies that are in the same local state are in the same situation.
    pub(crate) fn names_copies(&self) -> bool {
        self.names_copies
    }

    /// The threads that can be exchanged, template by template.
    pub(crate) fn groups(&self, instance: &Instance) -> Vec<Range<usize>> {
        self.interchangeable.iter().map(|&template| instance.copies_of(template)).collect()
    }
}

/// Whether a property looks at where threads are, or at their variables.
fn points_or_locals_are_seen(program: &Program) -> bool {
    let mut seen = false;
    for (_, formula, _) in program.formulas() {
        formula.walk(&mut |e| seen |= matches!(e.kind, ExprKind::At(..) | ExprKind::LocalOf(..)));
    }
    seen
}

/// Who has to do with what leaves a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Concern {
    /// Only the thread's own variables are looked at and changed.
    Nobody,
    /// So are shared variables that nobody else changes.
    Readers,
    All,
}

/// For each shared variable the code that changes it.
struct Changers(Vec<Changer>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Changer {
    Nobody,
    Only(RoutineId),
    Several,
}

impl Changers {
    fn of(program: &Program) -> Changers {
        let mut changers = Changers(vec![Changer::Nobody; program.shared.len()]);
        for edge in program.edges.iter() {
            let routine = program.location(edge.from).routine;
            let mut note = |var: VarRef| {
                if let VarRef::Shared(id) = var {
                    let of = &mut changers.0[id.index()];
                    *of = match of {
                        Changer::Nobody => Changer::Only(routine),
                        Changer::Only(before) if *before == routine => *of,
                        Changer::Only(_) | Changer::Several => Changer::Several,
                    };
                }
            };
            match &edge.op {
                Op::Command(Command { update: Update::Assign(all), .. }) => {
                    all.iter().for_each(|(place, _)| note(place.var));
                }
                Op::Command(Command { update: Update::Action { frame, .. }, .. }) => {
                    frame.iter().for_each(|var| note(*var));
                }
                Op::Call { result, .. } => result.iter().for_each(|place| note(place.var)),
                // What a value is returned to is said where the call is.
                Op::Return(_) => {}
            }
        }
        changers
    }

    /// Whether a shared variable never changes but by this code.
    fn is_own(&self, var: SharedId, routine: RoutineId) -> bool {
        match self.0[var.index()] {
            Changer::Nobody => true,
            Changer::Only(changer) => changer == routine,
            Changer::Several => false,
        }
    }
}

/// Who has to do with a whole step from here, whichever way it goes.
fn concern(program: &Program, changers: &Changers, id: LocationId) -> Concern {
    if program.location(id).transient {
        return Concern::All;
    }
    let routine = program.location(id).routine;
    let is_of_one_thread = is_of_one_thread(program, routine);
    let is_own = |var: VarRef| match var {
        VarRef::Local(_) => Concern::Nobody,
        VarRef::Shared(var) if is_of_one_thread && changers.is_own(var, routine) => Concern::Readers,
        VarRef::Shared(_) => Concern::All,
    };
    let (mut found, mut seen, mut open) = (Concern::Nobody, FxHashSet::default(), vec![id]);
    while let Some(at) = open.pop() {
        for &edge in &program.location(at).edges {
            let edge = program.edge(edge);
            edge.op.walk_expressions(&mut |e| found = found.max(looks_at(e, &is_own)));
            match &edge.op {
                Op::Command(Command { update: Update::Assign(all), .. }) => {
                    found = all.iter().map(|(place, _)| is_own(place.var)).fold(found, Concern::max);
                }
                Op::Command(Command { update: Update::Action { .. }, .. }) | Op::Call { .. } | Op::Return(_) => {
                    found = Concern::All;
                }
            }
            if program.location(edge.to).transient && seen.insert(edge.to) {
                open.push(edge.to);
            }
        }
        if found == Concern::All {
            break;
        }
    }
    found
}

/// Whether the code is that of one thread which is there once.
fn is_of_one_thread(program: &Program, routine: RoutineId) -> bool {
    let mut runners = program.templates.iter().filter(|template| template.body == routine);
    matches!(
        (runners.next(), runners.next()),
        (Some(Template { copies: Copies::Single | Copies::Exactly(1), .. }), None)
    )
}

/// Whose variables the value depends on, what its parts depend on aside.
fn looks_at(e: &Expr, is_own: &impl Fn(VarRef) -> Concern) -> Concern {
    match &e.kind {
        ExprKind::Read(var) => is_own(*var),
        ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => Concern::All,
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => Concern::Nobody,
    }
}
