//! Formulas that hold because of their form, whatever stands in them: `x == x`, `y >= 0 || y < 0`.

use threadwise_ir::{BinaryOp, Expr, ExprKind, Program, UnaryOp};
use threadwise_print::show_expr;

/// More different parts than this are not tried, each as true and as false.
const MAX_ATOMS: usize = 10;

/// Whether a formula is true, or false if that is what it must not be, whichever of its parts that are no connectives are true.
pub(crate) fn holds_by_its_form(program: &Program, formula: &Expr, wrong: bool) -> bool {
    let mut atoms = Atoms { program, known: Vec::new() };
    let Some(shape) = atoms.shape(formula) else { return false };
    (0..1u32 << atoms.known.len()).all(|truth| shape.holds(truth) != wrong)
}

/// A formula in which parts are known by their numbers only.
enum Shape {
    Constant(bool),
    Atom(usize),
    Not(Box<Shape>),
    And(Box<Shape>, Box<Shape>),
    Iff(Box<Shape>, Box<Shape>),
}

impl Shape {
    fn holds(&self, truth: u32) -> bool {
        match self {
            Shape::Constant(value) => *value,
            Shape::Atom(number) => truth >> number & 1 == 1,
            Shape::Not(a) => !a.holds(truth),
            Shape::And(a, b) => a.holds(truth) && b.holds(truth),
            Shape::Iff(a, b) => a.holds(truth) == b.holds(truth),
        }
    }

    fn not(self) -> Shape {
        Shape::Not(Box::new(self))
    }

    fn or(self, other: Shape) -> Shape {
        Shape::And(Box::new(self.not()), Box::new(other.not())).not()
    }
}

/// The parts that are no connectives: which comparison of what, or a whole part. They are known by their texts, which do not depend
/// on where they stand.
struct Atoms<'p> {
    program: &'p Program,
    known: Vec<(Option<BinaryOp>, String, String)>,
}

impl Atoms<'_> {
    fn shape(&mut self, e: &Expr) -> Option<Shape> {
        Some(match &e.kind {
            ExprKind::Const(value) => Shape::Constant(*value != 0),
            ExprKind::Unary(UnaryOp::Not, a) => self.shape(a)?.not(),
            ExprKind::Binary(BinaryOp::And, a, b) => Shape::And(Box::new(self.shape(a)?), Box::new(self.shape(b)?)),
            ExprKind::Binary(BinaryOp::Or, a, b) => self.shape(a)?.or(self.shape(b)?),
            ExprKind::Binary(BinaryOp::Implies, a, b) => self.shape(a)?.not().or(self.shape(b)?),
            ExprKind::Binary(BinaryOp::Iff, a, b) => Shape::Iff(Box::new(self.shape(a)?), Box::new(self.shape(b)?)),
            ExprKind::Binary(BinaryOp::Eq, a, b) => self.compared(BinaryOp::Eq, a, b)?,
            ExprKind::Binary(BinaryOp::Ne, a, b) => self.compared(BinaryOp::Eq, a, b)?.not(),
            ExprKind::Binary(BinaryOp::Lt, a, b) => self.compared(BinaryOp::Lt, a, b)?,
            ExprKind::Binary(BinaryOp::Gt, a, b) => self.compared(BinaryOp::Lt, b, a)?,
            ExprKind::Binary(BinaryOp::Le, a, b) => self.compared(BinaryOp::Lt, b, a)?.not(),
            ExprKind::Binary(BinaryOp::Ge, a, b) => self.compared(BinaryOp::Lt, a, b)?.not(),
            _ => {
                let text = show_expr(self.program, e, None);
                self.atom((None, text, String::new()))?
            }
        })
    }

    fn compared(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Option<Shape> {
        let [a, b] = [a, b].map(|e| show_expr(self.program, e, None));
        if a == b { Some(Shape::Constant(op == BinaryOp::Eq)) } else { self.atom((Some(op), a, b)) }
    }

    fn atom(&mut self, atom: (Option<BinaryOp>, String, String)) -> Option<Shape> {
        if let Some(known) = self.known.iter().position(|other| *other == atom) {
            return Some(Shape::Atom(known));
        }
        self.known.push(atom);
        (self.known.len() <= MAX_ATOMS).then_some(Shape::Atom(self.known.len() - 1))
    }
}
