//! What properties see of the threads.

use rustc_hash::FxHashSet;
use threadwise_ir::{BinaryOp, Edge, Expr, ExprKind, LocalId, LocationId, Program, Quantifier, RoutineId, UnaryOp};

/// The points and locals of threads that properties look at.
pub(crate) struct Seen {
    points: Vec<SeenPoints>,
    locals: FxHashSet<(RoutineId, LocalId)>,
}

/// One occurrence of `t@L` in a property.
struct SeenPoints {
    /// The points that `L` names, sorted.
    locations: Vec<LocationId>,
    /// Which truth of `t@L` can help to violate the property.
    harmful: Truth,
}

/// Which truth of a part of a formula can help to make the whole formula what it should not be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    True,
    False,
    Either,
}

impl Truth {
    fn opposite(self) -> Truth {
        match self {
            Truth::True => Truth::False,
            Truth::False => Truth::True,
            Truth::Either => Truth::Either,
        }
    }
}

impl Seen {
    /// What the properties of a program look at.
    pub(crate) fn by_properties(program: &Program) -> Seen {
        let mut seen = Seen { points: Vec::new(), locals: FxHashSet::default() };
        // Patterns are about accesses of steps; folded steps have none.
        for (_, e, wrong) in program.formulas() {
            seen.formula(program, e, if wrong { Truth::True } else { Truth::False });
        }
        seen
    }

    /// Whether properties see a local of a routine.
    pub(crate) fn local(&self, routine: RoutineId, local: LocalId) -> bool {
        self.locals.contains(&(routine, local))
    }

    /// Whether properties name a point.
    pub(crate) fn names(&self, location: LocationId) -> bool {
        self.points.iter().any(|points| points.locations.binary_search(&location).is_ok())
    }

    /// Whether a property may be violated where a thread is at `from`, and not where it is at `to`. Points that
    /// properties name are always kept: traces that show them are easier to read.
    pub(crate) fn by_points(&self, from: LocationId, to: LocationId) -> bool {
        self.points.iter().any(|points| {
            let names = |location| points.locations.binary_search(&location).is_ok();
            names(from) || names(to) && points.harmful != Truth::True
        })
    }

    /// Whether a local that properties see is in scope before the edge and not after it, where it has its
    /// default value again.
    pub(crate) fn at_the_end_of_a_scope(&self, program: &Program, edge: &Edge) -> bool {
        if self.locals.is_empty() {
            return false;
        }
        let (before, after) = (program.location(edge.from), program.location(edge.to));
        after.dead.iter().any(|local| self.local(after.routine, *local) && !before.dead.contains(local))
    }

    /// Notes what a property looks at that is violated where the formula is what it must not be.
    fn formula(&mut self, program: &Program, e: &Expr, harmful: Truth) {
        let harmful = if e.can_fail() { Truth::Either } else { harmful };
        self.part(program, e, harmful);
    }

    fn part(&mut self, program: &Program, e: &Expr, harmful: Truth) {
        match &e.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => {}
            ExprKind::At(thread, locations) => {
                self.points.push(SeenPoints { locations: locations.to_vec(), harmful });
                self.part(program, &thread.thread, Truth::Either);
            }
            ExprKind::LocalOf(thread, local) => {
                self.locals.insert((program.template(thread.template).body, *local));
                self.part(program, &thread.thread, Truth::Either);
            }
            ExprKind::Unary(op, a) => self.part(program, a, below_unary(*op, harmful)),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = below_binary(*op, harmful);
                self.part(program, a, left);
                self.part(program, b, right);
            }
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                self.part(program, c, Truth::Either);
                self.part(program, a, harmful);
                self.part(program, b, harmful);
            }
            ExprKind::Index(a, b) => {
                self.part(program, a, Truth::Either);
                self.part(program, b, Truth::Either);
            }
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|element| self.part(program, element, Truth::Either));
            }
            ExprKind::Quantified(quantifier, _, body) => {
                let below = match quantifier {
                    Quantifier::Forall | Quantifier::Exists => harmful,
                    Quantifier::Count => Truth::Either,
                };
                self.part(program, body, below);
            }
        }
    }
}

fn below_unary(op: UnaryOp, harmful: Truth) -> Truth {
    match op {
        UnaryOp::Not => harmful.opposite(),
        UnaryOp::Neg | UnaryOp::Size | UnaryOp::Ord | UnaryOp::BitNot | UnaryOp::Convert => Truth::Either,
    }
}

fn below_binary(op: BinaryOp, harmful: Truth) -> (Truth, Truth) {
    match op {
        BinaryOp::And | BinaryOp::Or => (harmful, harmful),
        BinaryOp::Implies => (harmful.opposite(), harmful),
        BinaryOp::Iff
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::In
        | BinaryOp::Subset
        | BinaryOp::Union
        | BinaryOp::Inter
        | BinaryOp::Minus
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => (Truth::Either, Truth::Either),
    }
}
