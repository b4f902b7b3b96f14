//! What may hold at a point: the program's own predicates.

use crate::contract::{Contracts, concerns};
use crate::graph::Changes;
use std::collections::BTreeSet;
use threadwise_ir::{
    BinaryOp, Expr, ExprKind, LocalId, LocationId, Op, Point, RoutineId, SharedId, Sort, TemplateId, Update, Value,
    VarRef,
};
use threadwise_print::show_expr;

/// More candidates than this are not tried.
const MAX_CANDIDATES: usize = 240;

/// Boolean expressions over the shared variables, `self`, and the locals in scope at a location, made from
/// the conditions and assignments of the code and from the contracts.
pub(crate) fn candidates(
    contracts: &Contracts<'_>,
    template: TemplateId,
    point: &Point,
    inside_step: bool,
) -> Vec<Expr> {
    let program = &contracts.population.program;
    let location = point.location;
    let routine = program.location(location).routine;
    let mut pool = Pool { contracts, location, routine, seen: BTreeSet::new(), found: Vec::new() };
    if inside_step {
        pool.add_unchanged();
    } else {
        // Between steps the invariants hold anyway.
        pool.seen.extend(contracts.invariants.iter().map(|i| show_expr(program, &i.part, Some(routine))));
    }
    if let Some(Op::Call { args, .. }) = point.calls.last().map(|&call| &program.edge(call).op) {
        pool.add_arguments(args);
    }
    // The thread's own code first: what it tests and assigns is the likeliest to matter.
    program.edges_of(routine).for_each(|(_, edge)| pool.add_edge(&edge.op, true));
    let own = program.routine(routine).edges.clone();
    let others = program.edges.iter().zip(0..).filter(|(_, id)| !own.contains(id));
    others.for_each(|(edge, _)| pool.add_edge(&edge.op, false));
    for rely in program.relies.iter().chain(&program.guarantees).filter(|rely| concerns(rely, template)) {
        pool.add_parts(&for_self(&rely.formula), false);
    }
    for (_, e, _) in program.formulas() {
        pool.add_parts(e, false);
        if routine == program.template(template).body {
            pool.add_own_parts(e, template);
        }
    }
    program.init.iter().for_each(|e| pool.add_parts(e, false));
    pool.found.truncate(MAX_CANDIDATES);
    pool.found
}

struct Pool<'a> {
    contracts: &'a Contracts<'a>,
    location: LocationId,
    routine: RoutineId,
    seen: BTreeSet<String>,
    found: Vec<Expr>,
}

impl Pool<'_> {
    fn add_edge(&mut self, op: &Op, own: bool) {
        let mut binders = Binders::default();
        op.walk_expressions(&mut |e| {
            if !binders.are_counted_outside(e) && e.sort == Sort::Bool {
                self.add_atom(e, own);
            }
        });
        let Op::Command(command) = op else { return };
        let Update::Assign(assignments) = &command.update else { return };
        for (place, value) in assignments {
            let Value::Of(value) = value else { continue };
            let reads_itself = value.any(&|e| matches!(e.kind, ExprKind::Read(var) if var == place.var));
            if !place.indices.is_empty() || reads_itself {
                continue;
            }
            let sort = match place.var {
                VarRef::Shared(id) => self.contracts.program().shared[id.index()].sort.clone(),
                VarRef::Local(id) if own => {
                    self.contracts.program().routine(self.routine).locals[id.index()].sort.clone()
                }
                VarRef::Local(_) => continue,
            };
            let read = Expr::new(ExprKind::Read(place.var), &sort, place.span);
            if sort == Sort::Bool {
                match value.kind {
                    ExprKind::Const(0) => self.add(read.negated(), own),
                    ExprKind::Const(_) => self.add(read, own),
                    _ => self.add(Expr::binary(BinaryOp::Iff, read, value.clone(), Sort::Bool), own),
                }
                continue;
            }
            self.add(Expr::binary(BinaryOp::Eq, read.clone(), value.clone(), Sort::Bool), own);
            if sort.is_numeric() {
                self.add(Expr::binary(BinaryOp::Ge, read.clone(), value.clone(), Sort::Bool), own);
                self.add(Expr::binary(BinaryOp::Le, read, value.clone(), Sort::Bool), own);
            }
        }
    }

    /// Parameters may still have the values of the arguments.
    fn add_arguments(&mut self, args: &[Expr]) {
        for (index, arg) in args.iter().enumerate() {
            let local = &self.contracts.population.program.routine(self.routine).locals[index];
            let var = VarRef::Local(LocalId(index as u32));
            let param = Expr::new(ExprKind::Read(var), &local.sort, local.span);
            if !arg.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Local(_)))) {
                let op = if local.sort == Sort::Bool { BinaryOp::Iff } else { BinaryOp::Eq };
                self.add(Expr::binary(op, param, arg.clone(), Sort::Bool), true);
            }
        }
    }

    /// Shared variables may still have the values that they had at the start of the step.
    fn add_unchanged(&mut self) {
        for (index, var) in self.contracts.population.program.shared.iter().enumerate() {
            let var_ref = VarRef::Shared(SharedId(index as u32));
            let read = |kind| Expr::new(kind, &var.sort, var.span);
            let op = if var.sort == Sort::Bool { BinaryOp::Iff } else { BinaryOp::Eq };
            let (now, before) = (read(ExprKind::Read(var_ref)), read(ExprKind::ReadAfter(var_ref)));
            self.found.push(Expr::binary(op, now, before, Sort::Bool));
        }
    }

    /// The boolean parts of a formula.
    fn add_parts(&mut self, formula: &Expr, own: bool) {
        let mut binders = Binders::default();
        formula.walk(&mut |e| {
            if !binders.are_counted_outside(e) && e.sort == Sort::Bool {
                self.add_atom(e, own);
            }
        });
    }

    /// The parts of a property that speak of the locals of this thread alone.
    fn add_own_parts(&mut self, property: &Expr, template: TemplateId) {
        property.walk(&mut |e| {
            if e.sort == Sort::Bool
                && let Some(said) = said_by_itself(e, template)
            {
                self.add_atom(&said, true);
            }
        });
    }

    /// A condition, its negation, and with a strict comparison the other.
    fn add_atom(&mut self, e: &Expr, own: bool) {
        self.add(e.clone(), own);
        match &e.kind {
            ExprKind::Binary(op @ (BinaryOp::Lt | BinaryOp::Gt), a, b) => {
                let weak = if *op == BinaryOp::Lt { BinaryOp::Le } else { BinaryOp::Ge };
                self.add(Expr::binary(weak, (**a).clone(), (**b).clone(), Sort::Bool), own);
                self.add(e.clone().negated(), own);
            }
            ExprKind::Const(_) | ExprKind::Unary(threadwise_ir::UnaryOp::Not, _) => {}
            _ => self.add(e.clone().negated(), own),
        }
    }

    fn add(&mut self, e: Expr, own: bool) {
        if self.is_over_what_is_here(&e, own) && !matches!(e.kind, ExprKind::Const(_)) {
            let text = show_expr(self.contracts.program(), &e, Some(self.routine));
            if self.seen.insert(text) {
                self.found.push(e);
            }
        }
    }

    /// No values after a step, nothing bound outside, no other thread's locals, nothing out of scope.
    fn is_over_what_is_here(&self, e: &Expr, own: bool) -> bool {
        let dead = &self.contracts.program().location(self.location).dead;
        !e.any(&|e| match &e.kind {
            ExprKind::ReadAfter(_) | ExprKind::At(..) | ExprKind::LocalOf(..) => true,
            ExprKind::Read(VarRef::Local(id)) => !own || dead.contains(id),
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => false,
        }) && is_closed(e, 0)
    }
}

/// Whether an expression speaks of locals, and only of locals that a loop does not change.
pub(crate) fn is_untouched(e: &Expr, changed: &Changes) -> bool {
    let speaks_of = |test: &dyn Fn(VarRef) -> bool| {
        e.any(&|e| matches!(e.kind, ExprKind::Read(var) | ExprKind::ReadAfter(var) if test(var)))
    };
    let is_touched = |var| match var {
        VarRef::Shared(_) => true,
        VarRef::Local(id) => changed.contains(&id),
    };
    speaks_of(&|_| true) && !speaks_of(&is_touched)
}

/// Which parts of a formula are below a quantifier. Parts must be asked for from the outside in.
#[derive(Default)]
struct Binders {
    below: BTreeSet<*const Expr>,
}

impl Binders {
    /// Whether the part is below a quantifier and has one itself: its variables are counted from the outer one, so by
    /// itself it would mean something else.
    fn are_counted_outside(&mut self, part: &Expr) -> bool {
        if let ExprKind::Quantified(_, _, body) = &part.kind {
            body.walk(&mut |inner| _ = self.below.insert(std::ptr::from_ref(inner)));
        }
        let is_below = self.below.contains(&std::ptr::from_ref(part));
        is_below && part.any(&|e| matches!(e.kind, ExprKind::Quantified(..)))
    }
}

/// Whether all bound variables are bound inside.
fn is_closed(e: &Expr, depth: u32) -> bool {
    // Binders are counted from the outermost of the whole formula, so a part of one that is bound
    // inside would need renumbering; such parts are left out.
    match &e.kind {
        ExprKind::Bound(bound) => *bound < depth,
        ExprKind::Quantified(_, _, body) => is_closed(body, depth + 1),
        ExprKind::Unary(_, a) => is_closed(a, depth),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => is_closed(a, depth) && is_closed(b, depth),
        ExprKind::Conditional(parts) => parts.iter().all(|e| is_closed(e, depth)),
        ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
            elements.iter().all(|e| is_closed(e, depth))
        }
        ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => is_closed(&thread.thread, depth),
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_) => true,
    }
}

/// A contract's formula with `self` for its subject.
fn for_self(formula: &Expr) -> Expr {
    formula.map(&mut |e| match e.kind {
        ExprKind::Bound(0) => Some(ExprKind::SelfThread),
        ExprKind::Bound(depth) => Some(ExprKind::Bound(depth - 1)),
        _ => None,
    })
}

/// What a part of a property says of one thread, said by that thread itself. The part speaks of no other
/// thread's locals, of no places, and of no other bound variable.
fn said_by_itself(part: &Expr, template: TemplateId) -> Option<Expr> {
    let mut subject: Option<&Expr> = None;
    part.visit(&mut |e| {
        if let ExprKind::LocalOf(thread, _) = &e.kind {
            subject = subject.or(Some(&thread.thread));
        }
    });
    let subject = subject?.kind.clone();
    let said = part.map(&mut |e| match &e.kind {
        ExprKind::LocalOf(thread, local) if thread.template == template && thread.thread.kind == subject => {
            Some(ExprKind::Read(VarRef::Local(*local)))
        }
        kind if *kind == subject => Some(ExprKind::SelfThread),
        _ => None,
    });
    // What is bound outside, or by a quantifier inside, would need renumbering.
    let is_strange = |e: &Expr| matches!(e.kind, ExprKind::Bound(_) | ExprKind::Quantified(..));
    (!said.any(&is_strange)).then_some(said)
}
