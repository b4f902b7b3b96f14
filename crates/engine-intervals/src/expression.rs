//! Values of expressions in a state, and what may go wrong there. All that `ir` computes is among them.

use crate::arithmetic::{difference, shifted};
use crate::cells::{Cells, ME, NONE, OTHER, Role};
use crate::number::{LEAST, MOST, Numbers};
use crate::state::{At, State};
use smallvec::SmallVec;
use std::cell::Cell as Flag;
use threadwise_ir::{BinaryOp, Expr, ExprKind, LocalId, Quantifier, RoutineId, Sort, TemplateId, UnaryOp, VarRef};

/// Who looks: a thread of a template in a routine.
pub(crate) struct Eyes<'a> {
    pub(crate) cells: &'a Cells<'a>,
    pub(crate) me: Role,
    pub(crate) routine: RoutineId,
    /// Something that was looked at may run into an error.
    pub(crate) fault: Flag<bool>,
}

/// Where a value may be: the places at which it may start.
pub(crate) struct Located {
    pub(crate) starts: SmallVec<[At; 2]>,
    /// All its cells are looked at.
    pub(crate) known: bool,
}

impl Located {
    /// The only place, if there is one.
    pub(crate) fn single(&self) -> Option<At> {
        (self.known && self.starts.len() == 1).then(|| self.starts[0])
    }
}

impl<'a> Eyes<'a> {
    pub(crate) fn new(cells: &'a Cells<'a>, me: Role, routine: RoutineId) -> Eyes<'a> {
        Eyes { cells, me, routine, fault: Flag::new(false) }
    }

    pub(crate) fn sort_of(&self, var: VarRef) -> &'a Sort {
        match var {
            VarRef::Shared(id) => &self.cells.program.shared[id.index()].sort,
            VarRef::Local(id) => &self.cells.program.routine(self.routine).locals[id.index()].sort,
        }
    }

    /// Where the cells of a variable are in a state.
    pub(crate) fn range(&self, state: &State, var: VarRef) -> std::ops::Range<At> {
        match var {
            VarRef::Shared(id) => self.cells.of_shared(id),
            VarRef::Local(id) => self.local(state.frame(), id),
        }
    }

    fn local(&self, frame: At, id: LocalId) -> std::ops::Range<At> {
        let range = self.cells.of_local(self.routine, id);
        frame + range.start..frame + range.end
    }

    /// Where an element of a variable may be; keys outside are an error.
    pub(crate) fn element<'e>(
        &self,
        state: &State,
        var: VarRef,
        keys: impl Iterator<Item = &'e Expr>,
        bound: &[i64],
    ) -> Located {
        let mut located = Located { starts: SmallVec::from_slice(&[self.range(state, var).start]), known: true };
        let mut sort = self.sort_of(var);
        for key in keys {
            let Sort::Array(key_sort, element) = sort else { unreachable!("only arrays are indexed") };
            let wanted = self.value(state, key, bound);
            self.step_into(&mut located, key_sort, element, &wanted);
            sort = element;
        }
        located
    }

    fn step_into(&self, located: &mut Located, key_sort: &Sort, element: &Sort, wanted: &Numbers) {
        let numbers = if *key_sort == Sort::Tid { self.thread_numbers(wanted) } else { Some(wanted.clone()) };
        let Some((low, count)) = self.cells.keys(key_sort) else {
            located.known = false;
            let all = self.cells.all(key_sort);
            if *key_sort != Sort::Tid && !wanted.is_within(&all) {
                self.fault.set(true);
            }
            return;
        };
        let all = Numbers::between(low, low + count - 1);
        let numbers = numbers.unwrap_or_else(|| all.clone());
        if !numbers.is_within(&all) {
            self.fault.set(true);
        }
        let width = self.cells.width(element);
        let keys = (0..count).filter(|rank| numbers.contains(low + rank));
        let offsets: Vec<usize> = keys.map(|rank| rank as usize * width).collect();
        located.starts = located.starts.iter().flat_map(|start| offsets.iter().map(move |at| start + at)).collect();
    }

    /// The numbers that threads have in the program.
    fn thread_numbers(&self, threads: &Numbers) -> Option<Numbers> {
        let mut numbers = SmallVec::new();
        for &thread in threads.few()? {
            let number = match thread {
                NONE => Some(0),
                OTHER => None,
                ME => self.cells.thread(self.me).and_then(|me| self.cells.threads[me as usize - 1].1),
                thread => self.cells.threads[thread as usize - 1].1,
            };
            numbers.push(number?);
        }
        Some(Numbers::listed(numbers))
    }

    /// Where a variable or an element is, if the expression is one.
    pub(crate) fn locate(&self, state: &State, e: &Expr, bound: &[i64]) -> Option<Located> {
        match &e.kind {
            ExprKind::Read(var) => Some(self.element(state, *var, [].into_iter(), bound)),
            ExprKind::Index(array, key) => {
                let mut located = self.locate(state, array, bound)?;
                let Sort::Array(key_sort, element) = &*array.sort else { unreachable!("only arrays are indexed") };
                let wanted = self.value(state, key, bound);
                self.step_into(&mut located, key_sort, element, &wanted);
                Some(located)
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Bound(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => None,
        }
    }

    fn of_word(&self, sort: &Sort, word: i64) -> Numbers {
        sort.bits().map_or(Numbers::exactly(word), |bits| Numbers::exactly_wide(bits.number(word)))
    }

    /// A thread that is not replicated.
    fn thread(&self, template: TemplateId) -> Numbers {
        let thread = self.cells.numbers_of(template).next();
        thread
            .map_or_else(|| self.cells.all(&Sort::Tid), |thread| Numbers::exactly(self.cells.seen_by(self.me, thread)))
    }

    /// The values that an expression may have.
    pub(crate) fn value(&self, state: &State, e: &Expr, bound: &[i64]) -> Numbers {
        match &e.kind {
            ExprKind::Const(word) => self.of_word(&e.sort, *word),
            ExprKind::Thread(template) => self.thread(*template),
            ExprKind::SelfThread => Numbers::exactly(ME),
            ExprKind::Bound(depth) => {
                bound.get(*depth as usize).map_or_else(|| self.cells.all(&e.sort), |n| Numbers::exactly(*n))
            }
            ExprKind::Read(_) | ExprKind::Index(..) => match self.locate(state, e, bound) {
                Some(located) if located.known && e.sort.array_depth() == 0 && !matches!(*e.sort, Sort::Set(_)) => {
                    located.starts.iter().fold(Numbers::nothing(), |all, at| all.join(&state.cells[*at]))
                }
                _ => self.cells.all(&e.sort),
            },
            ExprKind::Unary(op, a) => self.unary(state, *op, a, e, bound),
            ExprKind::Binary(op, a, b) => self.binary(state, *op, a, b, e, bound),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let truth = self.value(state, condition, bound);
                let mut result = Numbers::nothing();
                if truth.contains(1) {
                    result = result.join(&self.value(state, yes, bound));
                }
                if truth.contains(0) {
                    result = result.join(&self.value(state, no, bound));
                }
                result
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                if body.can_fail() {
                    self.fault.set(true);
                }
                match (quantifier, self.cells.domain(self.me, &binder.domain)) {
                    (Quantifier::Forall | Quantifier::Exists, Some(domain)) => {
                        self.quantified(state, *quantifier == Quantifier::Exists, &domain, body, bound)
                    }
                    (Quantifier::Forall | Quantifier::Exists, None) => Numbers::between(0, 1),
                    (Quantifier::Count, _) => Numbers::anything(),
                }
            }
            ExprKind::SetLiteral(elements) => {
                self.fault.set(self.fault.get() || elements.iter().any(|element| !self.is_plain(element)));
                Numbers::anything()
            }
            ExprKind::ArrayLiteral(elements) => {
                let Sort::Array(_, sort) = &*e.sort else { unreachable!("an array literal is an array") };
                for element in elements {
                    let fits = self.value(state, element, bound).is_within(&self.cells.all(sort));
                    self.fault.set(self.fault.get() || (matches!(**sort, Sort::Range(..)) && !fits));
                }
                Numbers::anything()
            }
            ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => self.cells.all(&e.sort),
        }
    }

    /// Elements of sets are plain where they cannot be outside of their sort.
    fn is_plain(&self, e: &Expr) -> bool {
        !e.can_fail() && matches!(*e.sort, Sort::Bool | Sort::Enum(_) | Sort::Tid)
    }

    fn quantified(&self, state: &State, wanted: bool, domain: &[i64], body: &Expr, bound: &[i64]) -> Numbers {
        let mut all_decided = true;
        for value in domain {
            match self.value(state, body, &[bound, &[*value]].concat()).single() {
                Some(truth) if (truth == 1) == wanted => return Numbers::exactly(i64::from(wanted)),
                Some(_) => {}
                None => all_decided = false,
            }
        }
        if all_decided { Numbers::exactly(i64::from(!wanted)) } else { Numbers::between(0, 1) }
    }

    fn unary(&self, state: &State, op: UnaryOp, a: &Expr, whole: &Expr, bound: &[i64]) -> Numbers {
        let value = self.value(state, a, bound);
        match op {
            UnaryOp::Not => Numbers::listed(value.few().unwrap_or(&[0, 1]).iter().map(|truth| 1 - truth).collect()),
            UnaryOp::Neg => self.arithmetic(BinaryOp::Sub, &Numbers::exactly(0), &value, &whole.sort),
            UnaryOp::Convert => self.converted(&value, &whole.sort),
            UnaryOp::Size => Numbers::between(0, MOST),
            UnaryOp::Ord => Numbers::between(0, MOST),
            UnaryOp::BitNot => self.cells.all(&whole.sort),
        }
    }

    fn binary(&self, state: &State, op: BinaryOp, a: &Expr, b: &Expr, whole: &Expr, bound: &[i64]) -> Numbers {
        let unknown = || Numbers::between(0, 1);
        let left = self.value(state, a, bound);
        if let Some(truth) = op.needs_second_where() {
            let short = i64::from(op != BinaryOp::And);
            if !left.contains(i64::from(truth)) {
                return Numbers::exactly(short);
            }
            let right = self.value(state, b, bound);
            let skipped = if left.contains(i64::from(!truth)) { Numbers::exactly(short) } else { Numbers::nothing() };
            return skipped.join(&right);
        }
        let right = self.value(state, b, bound);
        match op {
            BinaryOp::Eq | BinaryOp::Iff => self.same(state, a, b, &left, &right, bound),
            BinaryOp::Ne => match self.same(state, a, b, &left, &right, bound).single() {
                Some(truth) => Numbers::exactly(1 - truth),
                None => unknown(),
            },
            BinaryOp::Lt => self.less(state, (a, &left), (b, &right), -1, bound),
            BinaryOp::Le => self.less(state, (a, &left), (b, &right), 0, bound),
            BinaryOp::Gt => self.less(state, (b, &right), (a, &left), -1, bound),
            BinaryOp::Ge => self.less(state, (b, &right), (a, &left), 0, bound),
            BinaryOp::In | BinaryOp::Subset => unknown(),
            BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => Numbers::anything(),
            BinaryOp::Sub => match (self.linear(state, a, bound), self.linear(state, b, bound)) {
                (Some(x), Some(y)) => self.apart(state, x, y, self.arithmetic(op, &left, &right, &a.sort), &a.sort),
                _ => self.arithmetic(op, &left, &right, &a.sort),
            },
            BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => self.arithmetic(op, &left, &right, &a.sort),
            BinaryOp::Shl | BinaryOp::Shr => {
                if right.low() < 0 {
                    self.fault.set(true);
                }
                match (a.sort.bits(), left.single(), right.single()) {
                    (Some(bits), Some(x), Some(y)) if y >= 0 => shifted(bits, op, x, y),
                    _ => self.cells.all(&whole.sort),
                }
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("these need the second only sometimes"),
        }
    }

    /// Whether two values are equal.
    fn same(&self, state: &State, a: &Expr, b: &Expr, left: &Numbers, right: &Numbers, bound: &[i64]) -> Numbers {
        if a.sort.array_depth() > 0 || matches!(*a.sort, Sort::Set(_)) {
            return Numbers::between(0, 1);
        }
        if !left.meets(right) {
            return Numbers::exactly(0);
        }
        match (left.single(), right.single()) {
            (Some(x), Some(y)) if x == y && (*a.sort != Sort::Tid || x != OTHER) => return Numbers::exactly(1),
            _ => {}
        }
        if let (Some((x, c)), Some((y, d))) = (self.linear(state, a, bound), self.linear(state, b, bound)) {
            let (above, below) = (difference(state, (x, c), (y, d)), difference(state, (y, d), (x, c)));
            if above < 0 || below < 0 {
                return Numbers::exactly(0);
            }
            if above == 0 && below == 0 {
                return Numbers::exactly(1);
            }
        }
        Numbers::between(0, 1)
    }

    /// Whether one is at most the other plus an offset.
    fn less(&self, state: &State, a: (&Expr, &Numbers), b: (&Expr, &Numbers), offset: i64, bound: &[i64]) -> Numbers {
        let ((a, left), (b, right)) = (a, b);
        let (offset_wide, low, high) = (i128::from(offset), i128::from(left.low()), i128::from(left.high()));
        let is_true = left.high() != MOST && right.low() != LEAST && high <= i128::from(right.low()) + offset_wide;
        let is_false = left.low() != LEAST && right.high() != MOST && low > i128::from(right.high()) + offset_wide;
        let related = match (self.linear(state, a, bound), self.linear(state, b, bound)) {
            (Some(x), Some(y)) => (difference(state, x, y), difference(state, y, x)),
            _ => (MOST, MOST),
        };
        match () {
            _ if is_true || related.0 <= offset => Numbers::exactly(1),
            _ if is_false || i128::from(related.1) < -offset_wide => Numbers::exactly(0),
            _ => Numbers::between(0, 1),
        }
    }

    /// The cell and the offset of which an expression is the sum, where it is one and does not wrap around.
    pub(crate) fn linear(&self, state: &State, e: &Expr, bound: &[i64]) -> Option<(At, i64)> {
        if !e.sort.is_integer() {
            return None;
        }
        match &e.kind {
            ExprKind::Read(_) | ExprKind::Index(..) => self.locate(state, e, bound)?.single().map(|at| (at, 0)),
            ExprKind::Unary(UnaryOp::Convert, a) => {
                let (at, offset) = self.linear(state, a, bound)?;
                let fits = e.sort.bits().is_none() || self.stays(&self.value(state, a, bound), &e.sort);
                fits.then_some((at, offset))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (left, right) = (self.value(state, a, bound), self.value(state, b, bound));
                let ((at, offset), more) = match (op, right.single(), left.single()) {
                    (BinaryOp::Add, Some(more), _) => (self.linear(state, a, bound)?, more),
                    (BinaryOp::Sub, Some(less), _) => (self.linear(state, a, bound)?, less.checked_neg()?),
                    (BinaryOp::Add, None, Some(more)) => (self.linear(state, b, bound)?, more),
                    _ => return None,
                };
                let sum = state.cells[at].plus(offset).plus(more);
                let fits = e.sort.bits().is_none() || self.stays(&sum, &e.sort);
                Some((at, offset.checked_add(more)?)).filter(|_| fits)
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Bound(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => None,
        }
    }
}
