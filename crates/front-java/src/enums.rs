//! A `switch` over an enum looks its cases up in a table that the compiler has a class of its own make. What the table says is
//! read from that class; it is not run.

use crate::classes::{Classes, Name};
use crate::types::JavaType;
use cafebabe::bytecode::Opcode;

/// Whether a static field is such a table.
pub(crate) fn is_table(field: &str) -> bool {
    field.starts_with("$SwitchMap$")
}

/// The numbers of cases by the numbers of constants, if the class makes one table only.
pub(crate) fn table(classes: &Classes<'_>, class: &str) -> Option<Vec<(i64, i64)>> {
    let of = classes.get(class)?;
    if of.fields.iter().filter(|field| is_table(&field.name)).count() != 1 {
        return None;
    }
    let code = of.method("<clinit>", "()V")?.code.as_ref()?;
    let mut cases = Vec::new();
    for window in code.opcodes.windows(4) {
        let [(_, Opcode::Getstatic(constant)), (_, Opcode::Invokevirtual(asked)), (_, number), (_, Opcode::Iastore)] =
            window
        else {
            continue;
        };
        if &*asked.name_and_type.name != "ordinal" {
            return None;
        }
        cases.push((ordinal(classes, &constant.class_name, &constant.name_and_type.name)?, small(number)?));
    }
    let stores = code.opcodes.iter().filter(|(_, opcode)| matches!(opcode, Opcode::Iastore)).count();
    (stores == cases.len()).then_some(cases)
}

/// The number of a constant: constants are declared first, and in their order.
fn ordinal(classes: &Classes<'_>, class: &str, name: &str) -> Option<i64> {
    let of = classes.get(class)?;
    let itself = JavaType::Reference(Name::from(class));
    let mut constants = of.fields.iter().filter(|field| field.is_static && field.ty == itself);
    constants.position(|field| *field.name == *name).map(|number| number as i64)
}

fn small(opcode: &Opcode<'_>) -> Option<i64> {
    Some(match opcode {
        Opcode::Iconst1 => 1,
        Opcode::Iconst2 => 2,
        Opcode::Iconst3 => 3,
        Opcode::Iconst4 => 4,
        Opcode::Iconst5 => 5,
        Opcode::Bipush(value) => i64::from(*value),
        Opcode::Sipush(value) => i64::from(*value),
        _ => return None,
    })
}
