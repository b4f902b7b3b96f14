//! `java.util.concurrent.atomic`: each operation is one step.

use super::{Given, Gives};
use crate::body::{Value, compare};
use crate::instructions::Lowering;
use threadwise_memory::code::{BinaryOp, Expr, Type};

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
            ("toString", []) => Ok(Some(Value::opaque(self.body.span))),
            _ => self.unknown_method(model, name),
        }
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
