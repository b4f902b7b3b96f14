//! The static parts of classes are set up when they are first used. That is done before `main` here, which makes no
//! difference if they use nothing but themselves and what was set up before; everything else is refused.

use crate::classes::{MethodKey, Name};
use crate::program::{Fallible, Program};
use crate::reach::{Target, key};
use crate::types::spoken;
use cafebabe::bytecode::Opcode;
use std::collections::BTreeSet;
use threadwise_source::Diagnostic;

/// The classes with static parts, each behind those that it uses.
pub(crate) fn order(program: &Program<'_, '_>) -> Fallible<Vec<Name>> {
    let (mut done, mut open) = (Vec::new(), Vec::new());
    for class in program.reached.used.clone() {
        visit(program, &class, &mut done, &mut open)?;
    }
    Ok(done)
}

fn visit(program: &Program<'_, '_>, class: &Name, done: &mut Vec<Name>, open: &mut Vec<Name>) -> Fallible<()> {
    let Some(of) = program.classes().get(class) else { return Ok(()) };
    if done.contains(class) {
        return Ok(());
    }
    let span = program.sources.line(of, crate::program::first_line(of));
    if open.contains(class) {
        let message = format!("the static parts of `{}` and of another class need each other", spoken(class));
        return Err(Box::new(Diagnostic::error(span, message).hint("set one of them up in `main`")));
    }
    open.push(class.clone());
    if let Some(parent) = &of.parent {
        visit(program, parent, done, open)?;
    }
    if of.method("<clinit>", "()V").is_some() {
        let uses = uses(program, class)?;
        for used in uses {
            visit(program, &used, done, open)?;
        }
        done.push(class.clone());
    }
    open.pop();
    Ok(())
}

/// The other classes that the static part of a class uses, directly or by what it calls.
fn uses(program: &Program<'_, '_>, class: &Name) -> Fallible<BTreeSet<Name>> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<MethodKey> = BTreeSet::new();
    let mut work: Vec<MethodKey> = vec![(class.clone(), "<clinit>".into(), "()V".into())];
    while let Some(method) = work.pop() {
        if !seen.insert(method.clone()) {
            continue;
        }
        let Some(of) = program.classes().get(&method.0) else { continue };
        let Some(code) = of.method(&method.1, &method.2).and_then(|method| method.code.as_ref()) else { continue };
        for (pc, opcode) in &code.opcodes {
            let refuse = |what: &str| -> Fallible<()> {
                let span = program.sources.line(of, code.line_at(*pc));
                let message = format!("the static part of `{}` {what}", spoken(class));
                Err(Box::new(Diagnostic::error(span, message).hint("do that in `main`")))
            };
            match opcode {
                Opcode::Getstatic(member) | Opcode::Putstatic(member) => {
                    let name = &*member.name_and_type.name;
                    let owner = program.reached.static_owner(&member.class_name, name);
                    let Some(other) = program.classes().get(&owner).filter(|_| owner != *class) else { continue };
                    let is_final = other.fields.iter().any(|field| *field.name == *name && field.is_final);
                    if matches!(opcode, Opcode::Putstatic(_)) || !is_final {
                        refuse("uses a field of another class that may change")?;
                    }
                    found.insert(owner);
                }
                Opcode::New(made) => {
                    found
                        .extend(program.classes().get(&**made).filter(|_| **made != **class).map(|of| of.name.clone()));
                }
                Opcode::Invokestatic(member) | Opcode::Invokespecial(member) => {
                    let (of, name, descriptor) = key(member);
                    if let Target::Method(target) = program.reached.resolve(&of, &name, &descriptor) {
                        if target.0 != *class && matches!(opcode, Opcode::Invokestatic(_)) {
                            found.insert(target.0.clone());
                        }
                        work.push(target);
                    }
                }
                Opcode::Invokevirtual(member) | Opcode::Invokeinterface(member, _) => {
                    let (of, name, descriptor) = key(member);
                    if matches!(&*name, "start" | "lock" | "wait" | "await" | "acquire" | "join") {
                        refuse("starts threads or waits")?;
                    }
                    for (_, target) in program.reached.targets(&of, &name, &descriptor) {
                        if let Target::Method(target) = target {
                            work.push(target);
                        }
                    }
                }
                Opcode::Athrow => refuse("may throw an exception")?,
                Opcode::Monitorenter => refuse("takes a monitor")?,
                _ => {}
            }
        }
    }
    found.remove(class);
    Ok(found)
}
