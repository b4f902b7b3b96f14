//! `java.util.concurrent.atomic`: each operation is one step.

use super::{Given, Gives};
use crate::body::{Value, compare, int};
use crate::calls::Call;
use crate::instructions::Lowering;
use crate::types::JavaType;
use threadwise_memory::code::{BinaryOp, End, Expr, INT, Type};

impl Lowering<'_, '_, '_> {
    pub(crate) fn atomic_call(&mut self, model: &str, name: &str, object: Value, args: Given) -> Gives {
        let object = self.body.plain(object);
        let args: Vec<Expr> = self.plain_all(args);
        let place = self.body.field(object, model, "value", true);
        let ty = place.ty.clone();
        let is_number = ty != Type::Pointer && !model.ends_with("AtomicBoolean");
        let has_boxes = self.body.program.reached.instantiated.iter().any(|made| crate::models::is_box(made));
        let one = Expr::constant(1, if is_number { ty.clone() } else { crate::types::LONG }, self.body.span);
        let sum = |op: BinaryOp, old: &Expr, by: &Expr| Expr::binary(op, old.clone(), by.clone(), ty.clone());
        match (name, &args[..]) {
            ("<init>", []) => Ok(None),
            ("<init>" | "set", [value]) => {
                self.body.assign(place, value.clone());
                Ok(None)
            }
            ("get", []) => Ok(Some(Value::new(self.body.read(place)))),
            ("intValue" | "longValue", []) if is_number => {
                let value = self.body.read(place);
                let wanted = if name == "intValue" { threadwise_memory::code::INT } else { crate::types::LONG };
                Ok(Some(Value::new(if value.ty == wanted { value } else { value.converted(wanted) })))
            }
            ("getAndSet", [value]) => Ok(Some(self.changed(place, |_| value.clone(), false))),
            ("incrementAndGet", []) if is_number => {
                Ok(Some(self.changed(place, |old| sum(BinaryOp::Add, old, &one), true)))
            }
            ("decrementAndGet", []) if is_number => {
                Ok(Some(self.changed(place, |old| sum(BinaryOp::Sub, old, &one), true)))
            }
            ("getAndIncrement", []) if is_number => {
                Ok(Some(self.changed(place, |old| sum(BinaryOp::Add, old, &one), false)))
            }
            ("getAndDecrement", []) if is_number => {
                Ok(Some(self.changed(place, |old| sum(BinaryOp::Sub, old, &one), false)))
            }
            ("addAndGet", [by]) if is_number => Ok(Some(self.changed(place, |old| sum(BinaryOp::Add, old, by), true))),
            ("getAndAdd", [by]) if is_number => Ok(Some(self.changed(place, |old| sum(BinaryOp::Add, old, by), false))),
            ("compareAndSet", [..]) if ty == Type::Pointer && has_boxes => {
                self.unknown_method(model, "compareAndSet where there are boxes around numbers")
            }
            ("compareAndSet", [expected, wanted]) => {
                let mut done = expected.clone();
                self.at_once(|lowering| {
                    let old = lowering.body.read(place.clone());
                    done = lowering.body.kept(compare(BinaryOp::Eq, old.clone(), expected.clone()));
                    let next = lowering.choice(done.clone(), wanted.clone(), old);
                    lowering.body.assign(place, next);
                });
                Ok(Some(Value::new(done)))
            }
            ("getAndUpdate" | "updateAndGet" | "getAndAccumulate" | "accumulateAndGet", _)
                if ty == Type::Pointer && has_boxes =>
            {
                self.unknown_method(model, &format!("{name} where there are boxes around numbers"))
            }
            ("getAndUpdate" | "updateAndGet", [function]) if !model.ends_with("AtomicBoolean") => {
                self.updated(model, name, place, function.clone(), None)
            }
            ("getAndAccumulate" | "accumulateAndGet", [by, function]) if !model.ends_with("AtomicBoolean") => {
                self.updated(model, name, place, function.clone(), Some(by.clone()))
            }
            ("toString", []) => Ok(Some(Value::opaque(self.body.span))),
            _ => self.unknown_method(model, name),
        }
    }

    /// Looks at what is there, computes what is to be there, and tries again where it has changed in the meantime.
    fn updated(
        &mut self,
        model: &str,
        name: &str,
        place: threadwise_memory::code::Place,
        function: Expr,
        by: Option<Expr>,
    ) -> Gives {
        let function = self.body.kept(function);
        let by = by.map(|by| self.body.kept(by));
        let (old, done) = (self.body.temporary(&place.ty), self.body.temporary(&INT));
        let (again, end) = (self.body.new_block(), self.body.new_block());
        self.body.finish(End::Goto(again));
        self.body.go_on_in(again);
        self.body.assign(self.body.place(old), Expr::load(place.clone()));
        let operator = operator(model, by.is_some());
        let values = [Some(self.body.load(old)), by].into_iter().flatten().map(Value::new).collect();
        let result = Some(operator.result);
        let function = Value::of_class(function, Some(operator.class.into()));
        let (class, descriptor) = (operator.class, operator.descriptor);
        let call = Call { class, name: operator.name, descriptor, object: function, args: values, result };
        let next = self.call_object(call)?;
        let Some(next) = next else { return self.unknown_method(model, name) };
        let next = self.body.plain(next);
        let next = self.body.kept(next);
        self.at_once(|lowering| {
            let now = lowering.body.read(place.clone());
            let is_same = compare(BinaryOp::Eq, now.clone(), lowering.body.load(old));
            lowering.body.assign(lowering.body.place(done), is_same);
            let is_same = compare(BinaryOp::Ne, lowering.body.load(done), int(0, lowering.body.span));
            let value = lowering.choice(is_same, next.clone(), now);
            lowering.body.assign(place.clone(), value);
        });
        let is_done = compare(BinaryOp::Ne, self.body.load(done), int(0, self.body.span));
        self.body.finish(End::Branch(is_done, end, again));
        self.body.go_on_in(end);
        Ok(Some(Value::new(if name.starts_with("getAnd") { self.body.load(old) } else { next })))
    }

    /// Changes what is there in one step; what was there, or is there then.
    fn changed(
        &mut self,
        place: threadwise_memory::code::Place,
        next: impl FnOnce(&Expr) -> Expr,
        gives_new: bool,
    ) -> Value {
        let mut result = None;
        self.at_once(|lowering| {
            let old = lowering.body.read(place.clone());
            let new = lowering.body.kept(next(&old));
            lowering.body.assign(place, new.clone());
            result = Some(if gives_new { new } else { old });
        });
        Value::new(result.expect("it was done"))
    }
}

/// The method of a function that says what is to be there.
pub(crate) struct Operator {
    pub(crate) class: &'static str,
    pub(crate) name: &'static str,
    pub(crate) descriptor: &'static str,
    result: JavaType,
}

pub(crate) fn operator(model: &str, is_binary: bool) -> Operator {
    let of = |class, name, descriptor, result| Operator { class, name, descriptor, result };
    let object = JavaType::Reference("java/lang/Object".into());
    match (model.rsplit('/').next().unwrap_or_default(), is_binary) {
        ("AtomicInteger", false) => of("java/util/function/IntUnaryOperator", "applyAsInt", "(I)I", JavaType::Int),
        ("AtomicInteger", true) => of("java/util/function/IntBinaryOperator", "applyAsInt", "(II)I", JavaType::Int),
        ("AtomicLong", false) => of("java/util/function/LongUnaryOperator", "applyAsLong", "(J)J", JavaType::Long),
        ("AtomicLong", true) => of("java/util/function/LongBinaryOperator", "applyAsLong", "(JJ)J", JavaType::Long),
        (_, false) => of("java/util/function/UnaryOperator", "apply", "(Ljava/lang/Object;)Ljava/lang/Object;", object),
        (_, true) => of(
            "java/util/function/BinaryOperator",
            "apply",
            "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
            object,
        ),
    }
}
