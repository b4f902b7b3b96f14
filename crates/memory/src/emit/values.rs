//! Values of expressions. Loads that other threads can see are steps of their own, from left to right; what they give is
//! kept in temporaries. Everything else is one expression.

use super::{Emitter, Fallible, assigned, guarded};
use crate::atlas::Operation;
use crate::code::{BinaryOp as Op, Expr, ExprKind, Type, UnaryOp};
use crate::layout::{ADDRESS, loads_of_expr};
use crate::objects::{ERAS, ObjectId};
use crate::points::{Targets, route};
use crate::terms::{
    and, arithmetic, as_bits, as_int, compare, constant, equal, int, is_false, is_true, not, or, read, within,
};
use std::collections::BTreeSet;
use threadwise_ir::{
    AssertionKind, BinaryOp, Bits, Expr as Term, ExprKind as TermKind, LocationId, Place, Sort, UnaryOp as TermOp,
    Value, VarRef,
};
use threadwise_source::Span;

impl Emitter<'_> {
    pub(crate) fn sort_of_type(&self, ty: &Type) -> Sort {
        self.pointers.element_sort(ty)
    }

    /// The value of an expression, as one of the sort of its type.
    pub(crate) fn value(&mut self, e: &Expr) -> Fallible<Term> {
        let span = e.span;
        let sort = self.sort_of_type(&e.ty);
        Ok(match &e.kind {
            ExprKind::Const(_) if matches!(e.ty, Type::Float(_)) => Term::constant(0, sort, span),
            ExprKind::Const(value) => Term::constant(*value, sort, span),
            ExprKind::Load(place) => self.load(place)?,
            ExprKind::Address(place) => self.address(place)?,
            ExprKind::Function(_) => {
                let address = self.constant_value(e).unwrap_or(self.unknown());
                Term::constant(address, sort, span)
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::And(..) | ExprKind::Or(..) => {
                let condition = self.condition(e)?;
                number(condition, sort, span)
            }
            ExprKind::Unary(op, a) => self.unary(*op, a, e)?,
            ExprKind::Binary(op, a, b) if comparison(*op).is_some() => {
                let condition = self.comparison(*op, a, b, span)?;
                number(condition, sort, span)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e)?,
            ExprKind::Offset(pointer, by, unit) => {
                let pointer = self.value(pointer)?;
                let number = self.value(by)?;
                let number = self.no_address(by, number);
                self.moved(pointer, number, *unit, span)
            }
            ExprKind::Difference(first, second, unit) => {
                let (a, b) = (self.value(first)?, self.value(second)?);
                if self.is_order_open(first, second) {
                    return Ok(self.anything(&e.ty, span));
                }
                let (a, b) = self.in_one_object((first, a), (second, b), span);
                let bytes = arithmetic(BinaryOp::Sub, as_int(a), as_int(b));
                let units = arithmetic(BinaryOp::Div, bytes, int(*unit as i64, span));
                e.ty.bits().map_or(units.clone(), |bits| as_bits(units, bits))
            }
            ExprKind::Conditional(parts) => self.conditional(parts, sort, span)?,
            ExprKind::Convert(inner) => self.convert(inner, e)?,
            ExprKind::Any => self.anything(&e.ty, span),
            ExprKind::Said(said) => self.said(said, &sort, span)?,
        })
    }

    /// Any value of a type.
    pub(crate) fn anything(&mut self, ty: &Type, span: Span) -> Term {
        let sort = self.sort_of_type(ty);
        match ty {
            Type::Pointer => Term::constant(self.unknown(), sort, span),
            Type::Int(_) => {
                let temporary = VarRef::Local(self.temporary_of_its_own(&sort, span));
                let place = Place { var: temporary, indices: Box::default(), sort: (&sort).into(), span };
                self.step(assigned(vec![(place, Value::Any)]), span);
                let chosen = read(temporary, sort, span);
                self.does(Operation::Any(chosen.clone()));
                chosen
            }
            _ => Term::constant(0, sort, span),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr, e: &Expr) -> Fallible<Term> {
        let value = self.value(a)?;
        let value = self.no_address(a, value);
        let (sort, span) = (value.sort, e.span);
        if sort.bits().is_none() {
            return Ok(value);
        }
        let op = match op {
            UnaryOp::Neg if sort.bits() == Some(ADDRESS) => {
                let least = Term::constant(i64::MIN, sort, span);
                if self.checks.overflow {
                    self.check(not(equal(value.clone(), least)), AssertionKind::Arithmetic, span);
                }
                TermOp::Neg
            }
            UnaryOp::Neg => {
                let value = as_int(value.clone());
                let negated = Term::new(TermKind::Unary(TermOp::Neg, Box::new(value)), Sort::Int, span);
                self.no_overflow(negated, sort.bits(), span);
                TermOp::Neg
            }
            UnaryOp::BitNot => TermOp::BitNot,
            UnaryOp::Not => unreachable!("it is a condition"),
        };
        Ok(match (constant(&value), sort.bits(), op) {
            (Some(word), Some(bits), TermOp::Neg) => Term::constant(bits.negated(word), sort, span),
            (Some(word), Some(bits), _) => Term::constant(bits.complement(word), sort, span),
            _ => Term::new(TermKind::Unary(op, Box::new(value)), sort, span),
        })
    }

    fn binary(&mut self, op: Op, a: &Expr, b: &Expr, e: &Expr) -> Fallible<Term> {
        let (left, right, span) = (self.value(a)?, self.value(b)?, e.span);
        let (left, right) = (self.no_address(a, left), self.no_address(b, right));
        let Some(bits) = left.sort.bits() else { return Ok(left) };
        Ok(match op {
            Op::Add | Op::Sub if self.checks.overflow && bits == ADDRESS => {
                let (left, right) = (self.simple(left, span), self.simple(right, span));
                self.stays_within_64_bits(op, &left, &right, span);
                arithmetic(operator(op), left, right)
            }
            Op::Mul if self.checks.overflow && bits == ADDRESS => {
                let (left, right) = (self.simple(left, span), self.simple(right, span));
                let product = arithmetic(BinaryOp::Mul, left.clone(), right.clone());
                self.is_undone(product.clone(), &left, &right, span);
                product
            }
            Op::Add | Op::Sub | Op::Mul => {
                let op = operator(op);
                if self.checks.overflow && bits.signed {
                    let exact = arithmetic(op, as_int(left.clone()), as_int(right.clone()));
                    self.no_overflow(exact, Some(bits), span);
                }
                arithmetic(op, left, right)
            }
            Op::Div | Op::Rem => {
                let zero = Term::constant(0, right.sort, span);
                self.check(compare(BinaryOp::Ne, right.clone(), zero), AssertionKind::Arithmetic, span);
                if bits.signed && self.checks.overflow {
                    let least = Term::constant(bits.bounds().0 as i64, left.sort, span);
                    let minus = Term::constant(-1, right.sort, span);
                    let wraps = and(equal(left.clone(), least), equal(right.clone(), minus));
                    self.check(not(wraps), AssertionKind::Arithmetic, span);
                }
                if self.is_outline && constant(&right).is_none() {
                    // That it cannot fail is not seen without values.
                    return Ok(self.anything(&e.ty, span));
                }
                arithmetic(operator(op), left, right)
            }
            Op::BitAnd | Op::BitOr | Op::BitXor => arithmetic(operator(op), left, right),
            Op::Shl | Op::Shr => {
                let count = as_int(right);
                self.check(within(&count, u64::from(bits.width)), AssertionKind::Arithmetic, span);
                let is_lossless = op == Op::Shl && bits.signed && self.checks.overflow;
                let (left, count) = match is_lossless {
                    true => (self.simple(left, span), self.simple(count, span)),
                    false => (left, count),
                };
                let shifted = shifted(op, left.clone(), &count, bits);
                if is_lossless {
                    // No bit is lost: what is shifted back is what it was (C11 6.5.7).
                    let back = self::shifted(Op::Shr, shifted.clone(), &count, bits);
                    self.check(equal(back, left), AssertionKind::Arithmetic, span);
                }
                shifted
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => unreachable!("it is a comparison"),
        })
    }

    /// A product of words of 64 bits is one: dividing by one of them gives the other back.
    fn is_undone(&mut self, product: Term, left: &Term, right: &Term, span: Span) {
        let word = |value: i64| Term::constant(value, left.sort, span);
        let is_zero = equal(right.clone(), word(0));
        let divisor = Term::conditional(is_zero.clone(), word(1), right.clone(), left.sort, span);
        let is_back = equal(arithmetic(BinaryOp::Div, product, divisor), left.clone());
        // The least number times -1 wraps to itself, and so does its quotient.
        let wraps = and(equal(left.clone(), word(i64::MIN)), equal(right.clone(), word(-1)));
        self.check(or(is_zero, and(is_back, not(wraps))), AssertionKind::Arithmetic, span);
    }

    /// A sum or difference of words of 64 bits is one. That is said without it: the exact one may be no number that
    /// engines can compute with.
    fn stays_within_64_bits(&mut self, op: Op, left: &Term, right: &Term, span: Span) {
        let (left, right) = (as_int(left.clone()), as_int(right.clone()));
        let is_negative = compare(BinaryOp::Lt, right.clone(), int(0, span));
        // What is added to the left has this sign; the left must keep so far away from the bound.
        let (up, away) = match op {
            Op::Add => (not(is_negative.clone()), BinaryOp::Sub),
            _ => (is_negative.clone(), BinaryOp::Add),
        };
        let below = compare(BinaryOp::Le, left.clone(), arithmetic(away, int(i64::MAX, span), right.clone()));
        let above = compare(BinaryOp::Ge, left, arithmetic(away, int(i64::MIN, span), right));
        let fits = Term::conditional(up, below, above, Sort::Bool, span);
        self.check(fits, AssertionKind::Arithmetic, span);
    }

    /// The exact result is a number of the kind.
    fn no_overflow(&mut self, exact: Term, bits: Option<Bits>, span: Span) {
        let Some(bits) = bits.filter(|bits| self.checks.overflow && bits.signed) else { return };
        let (least, most) = bits.bounds();
        let low = compare(BinaryOp::Ge, exact.clone(), int(least as i64, span));
        let high = compare(BinaryOp::Le, exact, int(most as i64, span));
        self.check(and(low, high), AssertionKind::Arithmetic, span);
    }

    fn convert(&mut self, inner: &Expr, e: &Expr) -> Fallible<Term> {
        let span = e.span;
        match (&inner.ty, &e.ty) {
            (Type::Float(_), Type::Int(_) | Type::Pointer) => {
                self.value(inner)?;
                self.becomes_unsure(span);
                Ok(self.anything(&e.ty, span))
            }
            (_, Type::Float(_)) => {
                self.value(inner)?;
                Ok(self.anything(&e.ty, span))
            }
            (_, Type::Int(bits)) => {
                let value = self.value(inner)?;
                if !value.sort.is_integer() {
                    // Which number a thread has is up to the machine.
                    self.check(Term::bool(false, span), AssertionKind::Beyond, span);
                    return Ok(Term::constant(0, self.sort_of_type(&e.ty), span));
                }
                let fits = self.points.holds_addresses(&e.ty) && !self.is_too_narrow(inner, *bits);
                let value = if fits { value } else { self.no_address(inner, value) };
                Ok(as_bits(value, *bits))
            }
            (Type::Int(_), Type::Pointer) => {
                let value = self.value(inner)?;
                Ok(as_bits(value, ADDRESS))
            }
            _ => self.value(inner),
        }
    }

    /// A pointer that is moved by so many units.
    fn moved(&mut self, pointer: Term, by: Term, unit: i64, span: Span) -> Term {
        let bytes = arithmetic(BinaryOp::Mul, as_bits(by, ADDRESS), Term::constant(unit, Sort::Bits(ADDRESS), span));
        match constant(&bytes) {
            Some(0) => pointer,
            _ => arithmetic(BinaryOp::Add, pointer, bytes),
        }
    }

    /// The address of a place.
    pub(crate) fn address(&mut self, place: &crate::code::Place) -> Fallible<Term> {
        use crate::code::Base;
        let span = place.span;
        let code = self.code;
        let (start, ty) = match &place.base {
            Base::Local(id) => {
                let variable = &self.threads.get(self.thread).flat.locals[id.index()].variable;
                let object = self.objects.at(crate::objects::Storage::Local(self.thread, *id));
                (self.address_now(object, span), variable.ty.clone())
            }
            Base::Global(id) => {
                let variable = &code.globals[id.index()];
                let storage = match variable.thread_local {
                    true => crate::objects::Storage::ThreadLocal(self.thread, *id),
                    false => crate::objects::Storage::Global(*id),
                };
                let object = self.objects.at(storage);
                (Term::constant(self.address_of(object), self.pointers.sort.clone(), span), variable.ty.clone())
            }
            Base::Deref(pointer, ty) => (self.value(pointer)?, ty.clone()),
        };
        let route = route(code, &ty, &place.path);
        let mut address = self.moved(start, int(route.offset as i64, span), 1, span);
        for (index, size, _) in route.indices {
            let by = self.value(index)?;
            address = self.moved(address, by, size as i64, span);
        }
        Ok(address)
    }

    /// Whether an expression is not zero.
    pub(crate) fn condition(&mut self, e: &Expr) -> Fallible<Term> {
        let span = e.span;
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => Ok(not(self.condition(a)?)),
            ExprKind::Binary(op, a, b) if comparison(*op).is_some() => self.comparison(*op, a, b, span),
            ExprKind::And(a, b) if self.is_quiet(b) => {
                let a = self.condition(a)?;
                Ok(and(a, self.condition(b)?))
            }
            ExprKind::Or(a, b) if self.is_quiet(b) => {
                let a = self.condition(a)?;
                Ok(or(a, self.condition(b)?))
            }
            ExprKind::And(..) | ExprKind::Or(..) => {
                let value = self.by_branches(e, span)?;
                Ok(value)
            }
            ExprKind::Convert(inner) if widens(&inner.ty, &e.ty) => self.condition(inner),
            ExprKind::Said(said) if e.ty.bits().is_some() => self.said_condition(said, span),
            _ => {
                let value = self.value(e)?;
                Ok(self.is_not_zero(value, span))
            }
        }
    }

    fn is_not_zero(&self, value: Term, span: Span) -> Term {
        match (&value.kind, &*value.sort) {
            (_, Sort::Bool) => value,
            (_, Sort::Tid) => Term::bool(true, span),
            // A number that says whether something holds.
            (TermKind::Conditional(parts), _) if constant(&parts[1]) == Some(1) && constant(&parts[2]) == Some(0) => {
                parts[0].clone()
            }
            _ => {
                let zero = Term::constant(0, value.sort, span);
                compare(BinaryOp::Ne, value, zero)
            }
        }
    }

    fn comparison(&mut self, op: Op, a: &Expr, b: &Expr, span: Span) -> Fallible<Term> {
        if matches!(a.ty, Type::Float(_)) {
            self.value(a)?;
            self.value(b)?;
            self.becomes_unsure(span);
            let any = self.anything(&Type::Int(Bits { width: 1, signed: false }), span);
            return Ok(self.is_not_zero(any, span));
        }
        // `e == 0` and `e != 0` of what is a condition itself.
        if let (Op::Eq | Op::Ne, ExprKind::Const(0), true) = (op, &b.kind, is_condition(a)) {
            let inner = self.condition(a)?;
            return Ok(if op == Op::Eq { not(inner) } else { inner });
        }
        let left = self.value(a)?;
        let right = self.value(b)?;
        if !matches!(op, Op::Eq | Op::Ne) && self.is_order_open(a, b) {
            let any = self.anything(&Type::Int(Bits { width: 1, signed: false }), span);
            return Ok(self.is_not_zero(any, span));
        }
        let (left, right) = match op {
            Op::Eq | Op::Ne => (left, right),
            _ => self.in_one_object((a, left), (b, right), span),
        };
        Ok(compare(operator(op), left, right))
    }

    /// A value that is no address, or else nobody here knows what is computed with it: where objects are is up to the
    /// machine.
    pub(super) fn no_address(&mut self, e: &Expr, value: Term) -> Term {
        let thread = self.thread;
        if !self.points.holds_addresses(&e.ty) || self.points.eval(thread, e).is_empty() {
            return value;
        }
        // Where it is only outlined what happens, it may be any number.
        if self.is_outline {
            return match value.sort.bits() {
                Some(bits) => self.anything(&Type::Int(bits), e.span),
                None => value,
            };
        }
        let value = self.simple(value, e.span);
        let (first, last) = self.addresses();
        let below = compare(BinaryOp::Lt, as_int(value.clone()), int(first, e.span));
        let above = compare(BinaryOp::Gt, as_int(value.clone()), int(last, e.span));
        self.check(or(below, above), AssertionKind::Beyond, e.span);
        value
    }

    /// Where it is only outlined what happens: whether one of two values may be an address.
    fn is_order_open(&mut self, a: &Expr, b: &Expr) -> bool {
        let thread = self.thread;
        let may_be = |points: &mut crate::points::Points<'_>, e: &Expr| {
            points.holds_addresses(&e.ty) && !points.eval(thread, e).is_empty()
        };
        self.is_outline && (may_be(&mut self.points, a) || may_be(&mut self.points, b))
    }

    /// Two values whose order or difference is asked for: if they are addresses, then of one object, because where different
    /// ones are is up to the machine.
    fn in_one_object(&mut self, a: (&Expr, Term), b: (&Expr, Term), span: Span) -> (Term, Term) {
        let thread = self.thread;
        let targets = [&a, &b].map(|(e, _)| match self.points.holds_addresses(&e.ty) {
            true => self.points.eval(thread, e),
            false => Targets::new(),
        });
        let objects: BTreeSet<ObjectId> = targets.iter().flatten().map(|target| target.object).collect();
        if targets.iter().any(Targets::is_empty) {
            // One of them is no address: to compare the other one with it says something of where that is.
            let is_zero = |value: &Term| constant(value) == Some(0);
            if is_zero(&a.1) || is_zero(&b.1) {
                return (a.1, b.1);
            }
            return (self.no_address(a.0, a.1), self.no_address(b.0, b.1));
        }
        let (left, right) = (self.simple(a.1, span), self.simple(b.1, span));
        let mut same = Term::bool(false, span);
        for &object in &objects {
            same = or(same, self.both_in(object, &left, &right, span));
        }
        // Null and integers that stand for no address are before all objects.
        let first = self.addresses().0;
        let is_none = |value: &Term| compare(BinaryOp::Lt, as_int(value.clone()), int(first, span));
        same = or(same, and(is_none(&left), is_none(&right)));
        self.check(same, AssertionKind::Beyond, span);
        (left, right)
    }

    /// Whether two addresses are in the same object of a pool, or just behind its end.
    fn both_in(&self, id: ObjectId, a: &Term, b: &Term, span: Span) -> Term {
        let object = self.objects.object(id);
        let inside = |value: &Term| arithmetic(BinaryOp::Sub, as_int(value.clone()), int(self.address_of(id), span));
        let end = object.stride * object.slots + u64::from(object.slots == 1);
        if object.slots == 1 {
            let eras = if self.eras.contains_key(&id) { ERAS } else { 1 };
            let both_from = |from: u64| {
                let inside = |value| arithmetic(BinaryOp::Sub, inside(value), int(from as i64, span));
                and(within(&inside(a), end), within(&inside(b), end))
            };
            return (0..eras).map(|era| both_from(era * object.room)).fold(Term::bool(false, span), or);
        }
        let both = and(within(&inside(a), end), within(&inside(b), end));
        let slot = |value: &Term| arithmetic(BinaryOp::Div, inside(value), int(object.stride as i64, span));
        and(both, equal(slot(a), slot(b)))
    }

    /// Whether evaluating an expression is no step and cannot go wrong, so that it may be done in any case.
    fn is_quiet(&mut self, e: &Expr) -> bool {
        if self.is_formula {
            return true;
        }
        let mut is_quiet = true;
        let mut parts = vec![e];
        while let Some(e) = parts.pop() {
            match &e.kind {
                ExprKind::Const(_) | ExprKind::Function(_) => {}
                ExprKind::Any | ExprKind::Said(_) => is_quiet = false,
                ExprKind::Load(place) => is_quiet &= self.is_quiet_place(place),
                ExprKind::Address(place) => is_quiet &= self.is_plain_path(place),
                ExprKind::Unary(op, a) => {
                    is_quiet &= *op != UnaryOp::Neg || !self.checks.overflow;
                    parts.push(a);
                }
                ExprKind::Convert(a) => {
                    is_quiet &= !matches!(a.ty, Type::Float(_));
                    parts.push(a);
                }
                ExprKind::Binary(op, a, b) => {
                    is_quiet &= !matches!(op, Op::Div | Op::Rem | Op::Shl | Op::Shr) && !matches!(a.ty, Type::Float(_));
                    is_quiet &= !self.checks.overflow || comparison(*op).is_some();
                    parts.extend([&**a, &**b]);
                }
                ExprKind::Offset(..) => is_quiet = false,
                ExprKind::Difference(a, b, _) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                    parts.extend([&**a, &**b]);
                }
                ExprKind::Conditional(inner) => parts.extend(inner.iter()),
            }
        }
        is_quiet
    }

    fn is_plain_path(&self, place: &crate::code::Place) -> bool {
        let is_field = |step: &crate::code::Step| matches!(step, crate::code::Step::Field(_));
        !matches!(place.base, crate::code::Base::Deref(..)) && place.path.iter().all(is_field)
    }

    fn is_quiet_place(&mut self, place: &crate::code::Place) -> bool {
        if !self.is_plain_path(place) {
            return false;
        }
        let thread = self.thread;
        let leaves = self.points.leaves_of(thread, place);
        leaves.iter().all(|leaf| {
            !self.visible.contains(leaf)
                && !self.is_vague(self.objects.leaf(*leaf).object)
                && self.kept.get(leaf).is_some_and(|kept| kept.is_set.is_none())
        })
    }

    /// A condition whose parts are steps: control goes different ways, and a temporary says which.
    fn by_branches(&mut self, e: &Expr, span: Span) -> Fallible<Term> {
        let temporary = VarRef::Local(self.temporary(&Sort::Bool, span));
        let place = || Place { var: temporary, indices: Box::default(), sort: Sort::Bool.into(), span };
        let (yes, no, end) = (self.fresh(span), self.fresh(span), self.fresh(span));
        self.branch(e, yes, no, span)?;
        for (at, value) in [(yes, true), (no, false)] {
            self.edge(at, end, assigned(vec![(place(), Value::Of(Term::bool(value, span)))]), span, None);
        }
        self.here = end;
        Ok(read(temporary, Sort::Bool, span))
    }

    /// Goes one way or the other, by whether an expression is not zero.
    pub(super) fn branch(&mut self, e: &Expr, yes: LocationId, no: LocationId, span: Span) -> Fallible<()> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => return self.branch(a, no, yes, span),
            ExprKind::And(a, b) if !self.is_quiet(b) => {
                let middle = self.fresh(b.span);
                self.branch(a, middle, no, span)?;
                self.here = middle;
                return self.branch(b, yes, no, span);
            }
            ExprKind::Or(a, b) if !self.is_quiet(b) => {
                let middle = self.fresh(b.span);
                self.branch(a, yes, middle, span)?;
                self.here = middle;
                return self.branch(b, yes, no, span);
            }
            _ => {}
        }
        let condition = self.condition(e)?;
        if is_true(&condition) || is_false(&condition) {
            self.skip_to(if is_true(&condition) { yes } else { no });
            return Ok(());
        }
        self.say_once(self.words_of_condition(e), |emitter| {
            emitter.edge(emitter.here, yes, guarded(condition.clone()), span, Some(true));
            emitter.edge(emitter.here, no, guarded(not(condition)), span, Some(false));
        });
        Ok(())
    }

    fn conditional(&mut self, parts: &[Expr; 3], sort: Sort, span: Span) -> Fallible<Term> {
        let [condition, a, b] = parts;
        if self.is_quiet(a) && self.is_quiet(b) {
            let condition = self.condition(condition)?;
            let (a, b) = (self.value(a)?, self.value(b)?);
            let (a, b) = (self.fitted(a, &sort), self.fitted(b, &sort));
            if a.sort == b.sort {
                let sort = a.sort;
                return Ok(Term::conditional(condition, a, b, sort, span));
            }
        }
        let temporary = VarRef::Local(self.temporary(&sort, span));
        let (yes, no, end) = (self.fresh(span), self.fresh(span), self.fresh(span));
        self.branch(condition, yes, no, span)?;
        for (at, part) in [(yes, a), (no, b)] {
            self.here = at;
            let value = self.value(part)?;
            let value = self.fitted(value, &sort);
            let place = Place { var: temporary, indices: Box::default(), sort: (&sort).into(), span };
            self.edge(self.here, end, assigned(vec![(place, Value::Of(value))]), span, None);
        }
        self.here = end;
        Ok(read(temporary, sort, span))
    }

    /// An integer as one of a sort; everything else as it is.
    pub(super) fn fitted(&self, value: Term, sort: &Sort) -> Term {
        match sort {
            Sort::Bits(bits) if value.sort.is_integer() => as_bits(value, *bits),
            _ => value,
        }
    }

    /// A value that can be used several times: a variable of the thread's own, or a constant.
    pub(crate) fn simple(&mut self, value: Term, span: Span) -> Term {
        match value.kind {
            TermKind::Const(_) | TermKind::Read(VarRef::Local(_)) => value,
            _ if self.is_formula => value,
            _ => {
                let sort = (*value.sort).clone();
                let temporary = VarRef::Local(self.temporary(&sort, span));
                let place = Place { var: temporary, indices: Box::default(), sort: (&sort).into(), span };
                self.step(assigned(vec![(place, Value::Of(value))]), span);
                read(temporary, sort, span)
            }
        }
    }

    /// Evaluates an expression for what it loads.
    pub(super) fn evaluate(&mut self, e: &Expr) -> Fallible<()> {
        if !loads_of_expr(e).is_empty() {
            self.value(e)?;
        }
        Ok(())
    }
}

/// 1 where a condition holds and 0 elsewhere.
pub(super) fn number(condition: Term, sort: Sort, span: Span) -> Term {
    match constant(&condition) {
        Some(value) => Term::constant(value, sort, span),
        None => {
            let (one, zero) = (Term::constant(1, &sort, span), Term::constant(0, &sort, span));
            Term::conditional(condition, one, zero, sort, span)
        }
    }
}

fn comparison(op: Op) -> Option<Op> {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge).then_some(op)
}

/// Whether an expression says by itself whether something holds.
fn is_condition(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(op, ..) => comparison(*op).is_some(),
        ExprKind::Convert(inner) => widens(&inner.ty, &e.ty) && is_condition(inner),
        _ => false,
    }
}

/// Whether a conversion keeps zero apart from everything else.
fn widens(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Int(from), Type::Int(to)) => from.width <= to.width,
        _ => false,
    }
}

fn shifted(op: Op, left: Term, count: &Term, bits: Bits) -> Term {
    let (sort, span) = (left.sort, left.span);
    match (constant(&left), constant(count)) {
        (Some(x), Some(n)) if n >= 0 => {
            let n = i128::from(n);
            let word = if op == Op::Shl { bits.shifted_left(x, n) } else { bits.shifted_right(x, n) };
            Term::constant(word.unwrap_or(0), sort, span)
        }
        // That is the count: it was checked, and what can be seen not to fail is easier to reason about.
        _ => {
            let count = arithmetic(BinaryOp::Mod, count.clone(), int(i64::from(bits.width), span));
            Term::binary(operator(op), left, count, sort)
        }
    }
}

fn operator(op: Op) -> BinaryOp {
    match op {
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Rem => BinaryOp::Mod,
        Op::BitAnd => BinaryOp::BitAnd,
        Op::BitOr => BinaryOp::BitOr,
        Op::BitXor => BinaryOp::BitXor,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        Op::Eq => BinaryOp::Eq,
        Op::Ne => BinaryOp::Ne,
        Op::Lt => BinaryOp::Lt,
        Op::Le => BinaryOp::Le,
        Op::Gt => BinaryOp::Gt,
        Op::Ge => BinaryOp::Ge,
    }
}
