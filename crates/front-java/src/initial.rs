//! The static parts of classes are set up when they are first used. That is done before `main` here, which makes no
//! difference if they use nothing but themselves and what was set up before; everything else is refused.

use crate::classes::{MethodKey, Name};
use crate::program::{Fallible, Program};
use crate::reach::{Target, key};
use crate::types::spoken;
use cafebabe::bytecode::Opcode;
use std::collections::BTreeSet;
use threadwise_source::{Diagnostic, Span};

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
    let is_set_up = of.method("<clinit>", "()V").is_some();
    if open.contains(class) {
        // A class without a static part, and its parent that makes one of its objects.
        if open.last().is_some_and(|last| last == class) {
            return Ok(());
        }
        let message = format!("the static parts of `{}` and of another class need each other", spoken(class));
        return Err(Box::new(Diagnostic::error(span, message).hint("set one of them up in `main`")));
    }
    if is_set_up {
        open.push(class.clone());
    }
    if let Some(parent) = &of.parent {
        visit(program, parent, done, open)?;
    }
    if is_set_up {
        let uses = uses(program, class)?;
        for used in uses {
            visit(program, &used, done, open)?;
        }
        done.push(class.clone());
        open.pop();
    }
    Ok(())
}

/// The other classes that the static part of a class uses, directly or by what it calls.
fn uses(program: &Program<'_, '_>, class: &Name) -> Fallible<BTreeSet<Name>> {
    let mut found = BTreeSet::new();
    // The classes of objects that belong to other classes, and where something is done to objects.
    let mut foreign: BTreeSet<Name> = BTreeSet::new();
    let mut touched: Vec<(Name, Span)> = Vec::new();
    let mut seen: BTreeSet<MethodKey> = BTreeSet::new();
    let mut work: Vec<MethodKey> = vec![(class.clone(), "<clinit>".into(), "()V".into())];
    while let Some(method) = work.pop() {
        if !seen.insert(method.clone()) {
            continue;
        }
        let Some(of) = program.classes().get(&method.0) else { continue };
        let Some(code) = of.method(&method.1, &method.2).and_then(|method| method.code.as_ref()) else { continue };
        for (pc, opcode) in &code.opcodes {
            let here = program.sources.line(of, code.line_at(*pc));
            let refuse = |what: &str| -> Fallible<()> {
                let message = format!("the static part of `{}` {what}", spoken(class));
                Err(Box::new(Diagnostic::error(here, message).hint("do that in `main`")))
            };
            match opcode {
                Opcode::Getstatic(member) | Opcode::Putstatic(member) => {
                    let name = &*member.name_and_type.name;
                    let owner = program.reached.static_owner(&member.class_name, name);
                    let Some(other) = program.classes().get(&owner).filter(|_| owner != *class) else { continue };
                    let field = other.fields.iter().find(|field| *field.name == *name && field.is_final);
                    let is_final = field.is_some();
                    foreign.extend(field.and_then(|field| field.ty.class()).filter(|_| !other.is_enum()));
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
                    if crate::models::find(&of).is_some_and(|model| !model.fields.is_empty()) {
                        touched.push((of.clone(), here));
                    }
                    for (_, target) in program.reached.targets(&of, &name, &descriptor) {
                        if let Target::Method(target) = target {
                            work.push(target);
                        }
                    }
                }
                Opcode::Getfield(member) | Opcode::Putfield(member) => {
                    let (of, name) = (Name::from(&*member.class_name), &*member.name_and_type.name);
                    if !program.reached.is_final_field(&of, name) {
                        touched.push((of, here));
                    }
                }
                Opcode::Iaload
                | Opcode::Laload
                | Opcode::Faload
                | Opcode::Daload
                | Opcode::Aaload
                | Opcode::Baload
                | Opcode::Caload
                | Opcode::Saload
                | Opcode::Iastore
                | Opcode::Lastore
                | Opcode::Fastore
                | Opcode::Dastore
                | Opcode::Aastore
                | Opcode::Bastore
                | Opcode::Castore
                | Opcode::Sastore => touched.push(("[".into(), here)),
                Opcode::Athrow => refuse("may throw an exception")?,
                Opcode::Monitorenter => refuse("takes a monitor")?,
                _ => {}
            }
        }
    }
    found.remove(class);
    // What is known as an `Object` has nothing that could be used, unless it is cast.
    foreign.retain(|of| **of != *"java/lang/Object");
    let foreign = behind(program, foreign);
    let is_one = |of: &Name| match of.starts_with('[') {
        true => foreign.iter().any(|known| known.starts_with('[')),
        false => foreign.iter().any(|known| program.reached.is_related(known, of)),
    };
    if let Some((_, span)) = touched.iter().find(|(of, _)| is_one(of)) {
        let message = format!(
            "the static part of `{}` uses what may change of an object that another class knows",
            spoken(class)
        );
        return Err(Box::new(Diagnostic::error(*span, message).hint("do that in `main`")));
    }
    Ok(found)
}

/// Classes with those of what their objects may refer to.
fn behind(program: &Program<'_, '_>, classes: BTreeSet<Name>) -> BTreeSet<Name> {
    let mut work: Vec<Name> = classes.into_iter().collect();
    let mut all = BTreeSet::new();
    while let Some(class) = work.pop() {
        if !all.insert(class.clone()) {
            continue;
        }
        if class.starts_with('[') {
            work.push(crate::reach::element_class(&class));
        }
        if &*class == "java/lang/Object" {
            continue;
        }
        let related = program.classes().values().filter(|of| program.reached.is_related(&of.name, &class));
        let fields = related.flat_map(|of| &of.fields).filter(|field| !field.is_static);
        work.extend(fields.filter_map(|field| field.ty.class()));
    }
    all
}
