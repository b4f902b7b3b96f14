//! The value of an expression.

use crate::instance::Instance;
use crate::patience::may_go_on;
use crate::{
    BinaryOp, Binder, Domain, Expr, ExprKind, Fault, Gap, LocalId, LocationId, NoValue, Quantifier, RoutineId, Sort,
    ThreadRef, UnaryOp, VarRef,
};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use threadwise_source::Span;

/// A value as words; see [`Instance`] for the layout.
pub type Words = SmallVec<[i64; 2]>;

/// Where an expression finds the values of its names.
pub struct Env<'a> {
    pub instance: &'a Instance,
    /// The routine whose locals the expression reads.
    pub routine: RoutineId,
    /// The running thread's `tid`.
    pub self_tid: i64,
    pub shared: &'a [i64],
    /// The running routine's frame.
    pub frame: &'a [i64],
    /// The shared store after the step, where there is one.
    pub shared_after: &'a [i64],
    /// The frame after the step, where there is one.
    pub frame_after: &'a [i64],
    /// Each thread's local state, in properties.
    pub threads: &'a dyn Locals,
    bound: SmallVec<[i64; 4]>,
    open: Option<OpenWords<'a>>,
    needed: Option<usize>,
}

/// Which words of the shared store and, further on, of the frame have no value yet.
#[derive(Clone, Copy)]
pub(crate) struct OpenWords<'a> {
    pub(crate) is_open: &'a [bool],
    /// So many other words stand between those of the shared store and those of the frame.
    pub(crate) between: usize,
    /// Whether these are the words after the step, or those before it.
    pub(crate) after: bool,
}

/// Where a value stands: a store, the offset in it, and its place among words that may be open.
#[derive(Clone, Copy)]
struct Located<'a> {
    words: &'a [i64],
    offset: usize,
    word: Option<usize>,
}

impl Located<'_> {
    fn element(self, offset: usize) -> Self {
        Located { offset: self.offset + offset, word: self.word.map(|word| word + offset), ..self }
    }
}

/// Gives each thread's local state.
pub trait Locals {
    /// The local state of the thread with this index.
    fn local(&self, thread: usize) -> &[i64];
}

/// No local states: what expressions in threads see of other threads.
pub struct NoLocals;

impl Locals for NoLocals {
    fn local(&self, _: usize) -> &[i64] {
        unreachable!("front ends admit other threads' locals in properties only")
    }
}

impl Locals for [crate::Store] {
    fn local(&self, thread: usize) -> &[i64] {
        &self[thread]
    }
}

impl Locals for Vec<crate::Store> {
    fn local(&self, thread: usize) -> &[i64] {
        &self[thread]
    }
}

impl<'a> Env<'a> {
    /// What a thread's own expressions see.
    pub fn of_thread(
        instance: &'a Instance,
        routine: RoutineId,
        self_tid: i64,
        shared: &'a [i64],
        frame: &'a [i64],
    ) -> Env<'a> {
        Env {
            instance,
            routine,
            self_tid,
            shared,
            frame,
            shared_after: shared,
            frame_after: frame,
            threads: &NoLocals,
            bound: SmallVec::new(),
            open: None,
            needed: None,
        }
    }

    /// What properties see.
    pub fn of_state(instance: &'a Instance, shared: &'a [i64], threads: &'a dyn Locals) -> Env<'a> {
        Env { threads, ..Env::of_thread(instance, RoutineId(0), 0, shared, &[]) }
    }

    /// The same with values after the step.
    pub fn with_after(mut self, shared_after: &'a [i64], frame_after: &'a [i64]) -> Env<'a> {
        self.shared_after = shared_after;
        self.frame_after = frame_after;
        self
    }

    /// The same inside binders that have these values, the outermost first.
    pub fn with_bound(mut self, values: &[i64]) -> Env<'a> {
        self.bound = SmallVec::from_slice(values);
        self
    }

    /// The same with words that have no value yet. An expression that needs one has no value either, and
    /// [`needed`](Env::needed) tells which word it is.
    pub(crate) fn with_open(mut self, open: OpenWords<'a>) -> Env<'a> {
        self.open = Some(open);
        self
    }

    /// The open word for want of which the last evaluation gave no value.
    pub(crate) fn needed(&self) -> Option<usize> {
        self.needed
    }

    /// Gives the next bound variable its value.
    pub(crate) fn bind(&mut self, value: i64) {
        self.bound.push(value);
    }

    /// Forgets the innermost bound variable.
    pub(crate) fn unbind(&mut self) {
        self.bound.pop();
    }

    /// The truth of a boolean expression.
    pub fn holds(&mut self, e: &Expr) -> Result<bool, NoValue> {
        Ok(self.scalar(e)? != 0)
    }

    /// The value of an expression whose sort takes one word.
    pub fn scalar(&mut self, e: &Expr) -> Result<i64, NoValue> {
        Ok(match &e.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Thread(template) => self.instance.copies_of(*template).start as i64 + 1,
            ExprKind::SelfThread => self.self_tid,
            ExprKind::Bound(depth) => self.bound[*depth as usize],
            ExprKind::Read(_) | ExprKind::ReadAfter(_) | ExprKind::Index(..) => match self.locate(e)? {
                Some(located) => self.read(located, 1, e.span)?[0],
                None => self.words(e)?[0],
            },
            ExprKind::LocalOf(thread, local) => self.local_of(thread, *local)?[0],
            ExprKind::At(thread, locations) => self.is_at(thread, locations)? as i64,
            ExprKind::Unary(op, a) => self.unary(*op, a, e)?,
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => self.words(e)?[0],
                _ => self.binary(*op, a, b, e.span)?,
            },
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                if self.holds(c)? { self.scalar(a)? } else { self.scalar(b)? }
            }
            ExprKind::SetLiteral(_) | ExprKind::ArrayLiteral(_) => self.words(e)?[0],
            ExprKind::Quantified(quantifier, binder, body) => self.quantified(*quantifier, binder, body, e.span)?,
        })
    }

    /// The value of any expression.
    pub fn words(&mut self, e: &Expr) -> Result<Words, NoValue> {
        let size = self.instance.words(&e.sort);
        match &e.kind {
            ExprKind::Read(_) | ExprKind::ReadAfter(_) | ExprKind::Index(..) => {
                if let Some(located) = self.locate(e)? {
                    return Ok(Words::from_slice(self.read(located, size, e.span)?));
                }
                let ExprKind::Index(array, key) = &e.kind else { unreachable!("variables have a place") };
                let whole = self.words(array)?;
                let at = self.element(array, key)?;
                Ok(Words::from_slice(&whole[at..at + size]))
            }
            ExprKind::LocalOf(thread, local) => Ok(Words::from_slice(self.local_of(thread, *local)?)),
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                if self.holds(c)? { self.words(a) } else { self.words(b) }
            }
            ExprKind::SetLiteral(elements) => self.set_literal(&e.sort, elements, size),
            ExprKind::ArrayLiteral(elements) => self.array_literal(&e.sort, elements, size),
            ExprKind::Binary(BinaryOp::Union, a, b) => self.combine(a, b, |x, y| x | y),
            ExprKind::Binary(BinaryOp::Inter, a, b) => self.combine(a, b, |x, y| x & y),
            ExprKind::Binary(BinaryOp::Minus, a, b) => self.combine(a, b, |x, y| x & !y),
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Quantified(..) => Ok(smallvec![self.scalar(e)?]),
        }
    }

    /// The words of a value that has a place.
    fn read(&mut self, located: Located<'a>, size: usize, span: Span) -> Result<&'a [i64], NoValue> {
        if let (Some(open), Some(word)) = (self.open, located.word)
            && let Some(at) = open.is_open[word..word + size].iter().position(|&is_open| is_open)
        {
            self.needed = Some(word + at);
            return Err(NoValue::Gap(Gap::TooMany(span)));
        }
        Ok(&located.words[located.offset..located.offset + size])
    }

    /// Where a variable or an array element is, if the expression is one.
    fn locate(&mut self, e: &Expr) -> Result<Option<Located<'a>>, NoValue> {
        Ok(match &e.kind {
            ExprKind::Read(var) => Some(self.locate_variable(*var, false)),
            ExprKind::ReadAfter(var) => Some(self.locate_variable(*var, true)),
            ExprKind::Index(array, key) => match self.locate(array)? {
                Some(located) => Some(located.element(self.element(array, key)?)),
                None => None,
            },
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => None,
        })
    }

    fn locate_variable(&self, var: VarRef, after: bool) -> Located<'a> {
        let words = match (var, after) {
            (VarRef::Shared(_), false) => self.shared,
            (VarRef::Local(_), false) => self.frame,
            (VarRef::Shared(_), true) => self.shared_after,
            (VarRef::Local(_), true) => self.frame_after,
        };
        let offset = self.instance.offset(self.routine, var);
        let word = self.open.filter(|open| open.after == after).map(|open| match var {
            VarRef::Shared(_) => offset,
            VarRef::Local(_) => self.shared.len() + open.between + offset,
        });
        Located { words, offset, word }
    }

    /// Where among the words that may be open a value stands, if some of its words are.
    pub(crate) fn locate_open(&mut self, e: &Expr) -> Result<Option<std::ops::Range<usize>>, NoValue> {
        let (Some(open), Some(located)) = (self.open, self.locate(e)?) else { return Ok(None) };
        let range = located.word.map(|word| word..word + self.instance.words(&e.sort));
        Ok(range.filter(|range| open.is_open[range.clone()].contains(&true)))
    }

    /// The offset of an element within its array.
    fn element(&mut self, array: &Expr, key: &Expr) -> Result<usize, NoValue> {
        let Sort::Array(key_sort, element) = &*array.sort else { unreachable!("only arrays are indexed") };
        let value = self.scalar(key)?;
        Ok(self.instance.key_rank(key_sort, value, key.span)? * self.instance.words(element))
    }

    fn thread_index(&mut self, thread: &ThreadRef) -> Result<usize, NoValue> {
        Ok(self.scalar(&thread.thread)? as usize - 1)
    }

    fn local_of(&mut self, thread: &ThreadRef, local: LocalId) -> Result<&'a [i64], NoValue> {
        let index = self.thread_index(thread)?;
        let routine = self.instance.program.template(thread.template).body;
        Ok(&self.threads.local(index)[self.instance.local_range(routine, local)])
    }

    fn is_at(&mut self, thread: &ThreadRef, locations: &[LocationId]) -> Result<bool, NoValue> {
        let index = self.thread_index(thread)?;
        let location = self.instance.location_of(self.threads.local(index));
        Ok(locations.binary_search(&location).is_ok())
    }

    fn set_literal(&mut self, sort: &Sort, elements: &[Expr], size: usize) -> Result<Words, NoValue> {
        let Sort::Set(element_sort) = sort else { unreachable!("a set literal is a set") };
        let mut words: Words = smallvec![0; size];
        for element in elements {
            let value = self.scalar(element)?;
            let rank = self.instance.rank(element_sort, value).ok_or(NoValue::Fault(Fault::Range, element.span))?;
            words[rank / 64] |= 1 << (rank % 64);
        }
        Ok(words)
    }

    /// An element that is none of the element sort is an error already here, as that of a set literal is.
    fn array_literal(&mut self, sort: &Sort, elements: &[Expr], size: usize) -> Result<Words, NoValue> {
        let Sort::Array(_, element_sort) = sort else { unreachable!("an array literal is an array") };
        let mut words = Words::new();
        for element in elements {
            let value = self.words(element)?;
            if !self.instance.well_formed(element_sort, &value) {
                return Err(NoValue::Fault(Fault::Range, element.span));
            }
            words.extend_from_slice(&value);
        }
        while words.len() < size && !words.is_empty() {
            let first = Words::from_slice(&words[..self.instance.words(element_sort)]);
            words.extend_from_slice(&first);
        }
        words.truncate(size);
        Ok(words)
    }

    fn combine(&mut self, a: &Expr, b: &Expr, op: impl Fn(i64, i64) -> i64) -> Result<Words, NoValue> {
        let (a, b) = (self.words(a)?, self.words(b)?);
        Ok(a.iter().zip(&b).map(|(&x, &y)| op(x, y)).collect())
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, whole: &Expr) -> Result<i64, NoValue> {
        let outgrown = NoValue::Gap(Gap::Overflow(whole.span));
        Ok(match op {
            UnaryOp::Not => (self.scalar(a)? == 0) as i64,
            UnaryOp::Neg => match a.sort.bits() {
                Some(bits) => bits.negated(self.scalar(a)?),
                None => self.scalar(a)?.checked_neg().ok_or(outgrown)?,
            },
            UnaryOp::Size => self.words(a)?.iter().map(|w| i64::from(w.count_ones())).sum(),
            UnaryOp::Ord => self.scalar(a)?,
            UnaryOp::BitNot => match a.sort.bits() {
                Some(bits) => bits.complement(self.scalar(a)?),
                None => !self.scalar(a)?,
            },
            UnaryOp::Convert => {
                let value = self.scalar(a)?;
                match whole.sort.bits() {
                    Some(bits) => bits.wrap(value),
                    None => i64::try_from(integer(a, value)).map_err(|_| outgrown)?,
                }
            }
        })
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Result<i64, NoValue> {
        let truth = match op {
            BinaryOp::Implies => !self.holds(a)? || self.holds(b)?,
            BinaryOp::Or => self.holds(a)? || self.holds(b)?,
            BinaryOp::And => self.holds(a)? && self.holds(b)?,
            BinaryOp::Iff => self.holds(a)? == self.holds(b)?,
            BinaryOp::Eq => self.equal(a, b)?,
            BinaryOp::Ne => !self.equal(a, b)?,
            BinaryOp::Lt => self.compare(a, b)?.is_lt(),
            BinaryOp::Le => self.compare(a, b)?.is_le(),
            BinaryOp::Gt => self.compare(a, b)?.is_gt(),
            BinaryOp::Ge => self.compare(a, b)?.is_ge(),
            BinaryOp::In => self.contains(a, b)?,
            BinaryOp::Subset => self.combine(a, b, |x, y| x & !y)?.iter().all(|&w| w == 0),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                let (x, y) = (self.scalar(a)?, self.scalar(b)?);
                return match a.sort.bits() {
                    Some(bits) => bits.operate(op, x, y).ok_or(NoValue::Fault(Fault::Division, span)),
                    None => arithmetic(op, x, y, span),
                };
            }
            BinaryOp::BitAnd => return Ok(self.scalar(a)? & self.scalar(b)?),
            BinaryOp::BitOr => return Ok(self.scalar(a)? | self.scalar(b)?),
            BinaryOp::BitXor => return Ok(self.scalar(a)? ^ self.scalar(b)?),
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, a, b, span),
            BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus => unreachable!("these are not scalars"),
        };
        Ok(truth as i64)
    }

    /// Which of two integers of the same kind is greater.
    fn compare(&mut self, a: &Expr, b: &Expr) -> Result<Ordering, NoValue> {
        let (x, y) = (self.scalar(a)?, self.scalar(b)?);
        Ok(a.sort.compare(x, y))
    }

    fn shift(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> Result<i64, NoValue> {
        let (x, y) = (self.scalar(a)?, self.scalar(b)?);
        let count = integer(b, y);
        let Some(bits) = a.sort.bits() else { return shifted_integer(op, x, count, span) };
        let shifted = if op == BinaryOp::Shl { bits.shifted_left(x, count) } else { bits.shifted_right(x, count) };
        shifted.ok_or(NoValue::Fault(Fault::Shift, span))
    }

    fn equal(&mut self, a: &Expr, b: &Expr) -> Result<bool, NoValue> {
        match *a.sort {
            Sort::Set(_) | Sort::Array(..) => Ok(self.words(a)? == self.words(b)?),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
                Ok(self.scalar(a)? == self.scalar(b)?)
            }
        }
    }

    /// Whether `a in b`; a value outside the element sort is in no set.
    fn contains(&mut self, a: &Expr, b: &Expr) -> Result<bool, NoValue> {
        let Sort::Set(element_sort) = &*b.sort else { unreachable!("membership is in a set") };
        let value = self.scalar(a)?;
        let set = self.words(b)?;
        let rank = self.instance.rank(element_sort, value);
        Ok(rank.is_some_and(|rank| set[rank / 64] >> (rank % 64) & 1 == 1))
    }

    fn quantified(&mut self, q: Quantifier, binder: &Binder, body: &Expr, span: Span) -> Result<i64, NoValue> {
        let mut total: i64 = 0;
        for value in self.instance.domain(&binder.domain) {
            if !may_go_on() {
                return Err(NoValue::Gap(Gap::Interrupted(span)));
            }
            self.bound.push(value);
            let result = self.scalar(body);
            self.bound.pop();
            let result = result?;
            match q {
                Quantifier::Forall if result == 0 => return Ok(0),
                Quantifier::Exists if result != 0 => return Ok(1),
                Quantifier::Forall | Quantifier::Exists => {}
                Quantifier::Count => {
                    total = total.checked_add(result).ok_or(NoValue::Gap(Gap::Overflow(span)))?;
                }
            }
        }
        Ok(match q {
            Quantifier::Forall => 1,
            Quantifier::Exists => 0,
            Quantifier::Count => total,
        })
    }
}

impl Instance {
    /// The values of a binder's domain in order.
    pub fn domain(&self, domain: &Domain) -> std::ops::RangeInclusive<i64> {
        match domain {
            Domain::Sort(sort) => {
                let count = self.count(sort) as i64;
                let first = self.unrank(sort, 0);
                // In this order, since the last value may be the largest that there is.
                first..=first + (count - 1)
            }
            Domain::Copies(template) => {
                let copies = self.copies_of(*template);
                copies.start as i64 + 1..=copies.end as i64
            }
        }
    }
}

/// A shift of an integer that has as many bits as it needs.
fn shifted_integer(op: BinaryOp, x: i64, count: i128, span: Span) -> Result<i64, NoValue> {
    if count < 0 {
        return Err(NoValue::Fault(Fault::Shift, span));
    }
    if op == BinaryOp::Shr {
        return Ok(x >> count.min(63));
    }
    let shifted = if x == 0 { Some(0) } else { (count < 64).then(|| i128::from(x) << count) };
    shifted.and_then(|wide| i64::try_from(wide).ok()).ok_or(NoValue::Gap(Gap::Overflow(span)))
}

/// The number that the word of an integer of any kind stands for.
fn integer(e: &Expr, word: i64) -> i128 {
    e.sort.bits().map_or(i128::from(word), |bits| bits.number(word))
}

fn arithmetic(op: BinaryOp, x: i64, y: i64, span: Span) -> Result<i64, NoValue> {
    let result = match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        BinaryOp::Mul => x.checked_mul(y),
        BinaryOp::Div | BinaryOp::Mod if y == 0 => return Err(NoValue::Fault(Fault::Division, span)),
        // The language rounds toward negative infinity, `checked_div` toward zero.
        BinaryOp::Div => x.checked_div(y).map(|q| if x % y != 0 && (x < 0) != (y < 0) { q - 1 } else { q }),
        BinaryOp::Mod => x.checked_rem(y).map(|r| if r != 0 && (r < 0) != (y < 0) { r + y } else { r }),
        op => unreachable!("{op:?} is no arithmetic"),
    };
    result.ok_or(NoValue::Gap(Gap::Overflow(span)))
}
