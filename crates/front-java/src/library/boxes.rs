//! Numbers in objects. They never change, so that reading them is no step.

use super::{Given, Gives};
use crate::body::Value;
use crate::instructions::Lowering;
use crate::models::is_box;
use crate::program::Fallible;
use crate::types::LONG;
use threadwise_memory::code::INT;

impl Lowering<'_, '_, '_> {
    pub(crate) fn boxed(&mut self, class: &str, args: Given) -> Gives {
        let args = self.plain_all(args);
        let object = self.body.allocated(class);
        let place = self.body.field(object.clone(), class, "value", true);
        if args[0].ty != place.ty {
            return self.unknown_method(class, "valueOf of a text");
        }
        self.body.assign(place, args[0].clone());
        let value = Value::of_class(object, Some(class.into()));
        Ok(Some(Value { is_exact: true, is_not_null: true, ..value }))
    }

    pub(crate) fn box_call(&mut self, class: &str, name: &str, object: Value, args: Given) -> Gives {
        let is_plain = args.is_empty();
        let wanted = match name {
            "intValue" | "booleanValue" if is_plain => INT,
            "longValue" if is_plain => LONG,
            "toString" if is_plain => return Ok(Some(Value::opaque(self.body.span))),
            _ => return self.unknown_method(class, name),
        };
        let object = self.body.plain(object);
        let place = self.body.field(object, class, "value", true);
        let value = self.body.read(place);
        Ok(Some(Value::new(if value.ty == wanted { value } else { value.converted(wanted) })))
    }

    /// Two references are compared: whether boxes of the same number are one object depends on the number and the machine.
    pub(crate) fn refuse_unknown_identity(&mut self) -> Fallible<()> {
        let top = self.body.stack.iter().rev().take(2);
        let operands: Vec<Value> = top.cloned().collect();
        if operands.iter().any(|value| self.may_be_box(value)) {
            return self.body.refuse(
                "two references are compared, and may be boxes around numbers",
                "compare the numbers: intValue(), longValue(), booleanValue()",
            );
        }
        let is_text = |value: &Value| value.class.as_deref() == Some("java/lang/String");
        if operands.len() == 2 && operands.iter().all(is_text) {
            return self.body.refuse(
                "two texts are compared by `==`, and whether they are one object is not known",
                "use numbers or an enum",
            );
        }
        Ok(())
    }

    /// What is of no class that is known may be a box where there are any.
    fn may_be_box(&self, value: &Value) -> bool {
        let reached = &self.body.program.reached;
        let class = value.class.as_deref().unwrap_or("java/lang/Object");
        is_box(class)
            || !value.is_opaque
                && reached.instantiated.iter().any(|made| is_box(made) && reached.is_subtype(made, class))
    }
}
