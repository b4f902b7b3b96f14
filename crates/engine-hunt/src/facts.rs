//! What is known of a program before it runs.

use std::ops::Range;
use threadwise_ir::{
    Command, Edge, Expr, ExprKind, Instance, LocationId, Op, Program, Symmetry, TemplateId, Update, VarRef,
};

/// What the search asks about a program, found out once.
pub(crate) struct Facts {
    /// For each location whether what leaves it is nobody else's concern: to stop there and let others run brings
    /// nothing that stopping a step later does not bring.
    is_private: Vec<bool>,
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
        let interchangeable = match program.symmetry() {
            Symmetry::Among(templates) => templates,
            Symmetry::Broken(_) => Vec::new(),
        };
        Facts {
            is_private: ids.map(|id| !seen && is_private(program, id)).collect(),
            interchangeable,
            names_copies: program.shared.iter().any(|var| var.sort.mentions_tid()),
            wanted: program.compared_integers(),
        }
    }

    /// Whether a thread that is here can be stopped later just as well.
    pub(crate) fn is_private(&self, location: LocationId) -> bool {
        self.is_private[location.index()]
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

fn is_private(program: &Program, id: LocationId) -> bool {
    let location = program.location(id);
    !location.transient && location.edges.iter().all(|&edge| stays_private(program, program.edge(edge)))
}

fn stays_private(program: &Program, edge: &Edge) -> bool {
    let mut private = !program.location(edge.to).transient;
    edge.op.walk_expressions(&mut |e| private &= !looks_beyond_the_thread(e));
    private
        && match &edge.op {
            Op::Command(Command { update: Update::Assign(assignments), .. }) => {
                assignments.iter().all(|(place, _)| matches!(place.var, VarRef::Local(_)))
            }
            Op::Command(Command { update: Update::Action { .. }, .. }) | Op::Call { .. } | Op::Return(_) => false,
        }
}

/// Whether the value depends on more than the thread's own variables, what its parts depend on aside.
fn looks_beyond_the_thread(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Read(VarRef::Shared(_)) | ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => true,
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(VarRef::Local(_))
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => false,
    }
}
