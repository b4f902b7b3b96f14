//! Calls: to methods of the program, by the class of the object where there are several, and to those of the library.

use crate::body::{Value, int};
use crate::classes::Name;
use crate::instructions::Lowering;
use crate::library::WORKER;
use crate::program::{Fallible, FunctionKey};
use crate::reach::{Target, key, lambda_name};
use crate::types::{JavaType, signature, spoken};
use cafebabe::constant_pool::{InvokeDynamic, MemberRef};
use std::collections::BTreeMap;
use threadwise_memory::code::{End, ExprKind, InstructionKind};

/// A call of a method of an object.
#[derive(Clone)]
pub(crate) struct Call<'c> {
    /// The class that the call names, which that of the object is or comes from.
    pub(crate) class: &'c str,
    pub(crate) name: &'c str,
    pub(crate) descriptor: &'c str,
    pub(crate) object: Value,
    pub(crate) args: Vec<Value>,
    pub(crate) result: Option<JavaType>,
}

impl<'c> Call<'c> {
    /// Of `run`, which takes and gives nothing.
    pub(crate) fn run(class: &'c str, object: Value) -> Call<'c> {
        Call { class, name: "run", descriptor: "()V", object, args: Vec::new(), result: None }
    }
}

impl Lowering<'_, '_, '_> {
    pub(crate) fn invoke_static(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name, descriptor) = key(member);
        let (args, result) = self.arguments(&descriptor)?;
        if &*class == crate::contracts::MARKS_CLASS {
            return self.mark(&args);
        }
        let value = match self.body.program.reached.resolve(&class, &name, &descriptor) {
            Target::Method(target) => self.call_method(&target, args)?,
            _ => self.library_static(&class, &name, args, result)?,
        };
        self.push_result(value);
        Ok(())
    }

    /// A statement of a comment stands here.
    fn mark(&mut self, args: &[Value]) -> Fallible<()> {
        let class = self.method.0.clone();
        let file = self.body.program.classes()[&class].source.clone().unwrap_or_default();
        let offset = args.first().map(|arg| &arg.expr.kind);
        let said = self.body.program.said;
        let Some(ExprKind::Const(offset)) = offset else { return self.unknown_method("Marks", "at") };
        let Some((start, clause)) = said.at(&file, *offset as usize) else { return self.unknown_method("Marks", "at") };
        let names = self.locals_here();
        let locals = |name: &str| names.get(name).cloned();
        let (ghost, value) = crate::contracts::at_mark(self.body.program, (start, clause), &class, &locals)?;
        let line = std::mem::replace(&mut self.body.span, clause.span(start));
        match ghost {
            Some(place) => self.body.assign(place, value),
            None => self.body.emit(InstructionKind::LoopInvariant(value)),
        }
        self.body.span = line;
        Ok(())
    }

    /// Calls of constructors, of private methods, and of those of parents: the method is the one that is named.
    pub(crate) fn invoke_special(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name, descriptor) = key(member);
        let (mut args, result) = self.arguments(&descriptor)?;
        let object = self.body.pop_value()?;
        if crate::models::is_opaque(&class) {
            return Ok(());
        }
        self.body.check_not_null(&object)?;
        let value = match self.body.program.reached.resolve(&class, &name, &descriptor) {
            Target::Method(target) => {
                args.insert(0, object);
                self.call_method(&target, args)?
            }
            Target::Model(model) => self.library_call(&model, &name, &descriptor, object, args, result)?,
            Target::Lambda(_) | Target::Missing => return self.unknown_method(&class, &name),
        };
        self.push_result(value);
        Ok(())
    }

    pub(crate) fn unknown_method<T>(&self, class: &str, name: &str) -> Fallible<T> {
        let class = if class == crate::library::POOL { crate::library::POOLS } else { class };
        self.body.refuse(
            format!("the method `{}.{name}` of the library is not supported", spoken(class)),
            "docs/JAVA.md lists what is known of the library; leave the call out, or write a class of your own for it",
        )
    }

    pub(crate) fn invoke_virtual(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name, descriptor) = key(member);
        let (args, result) = self.arguments(&descriptor)?;
        let object = self.body.pop_value()?;
        let is_for_ever = args.first().is_some_and(|time| matches!(time.expr.kind, ExprKind::Const(i64::MAX)));
        if &*name == "awaitTermination" && class.starts_with("java/util/concurrent/") && !is_for_ever {
            return self.body.refuse(
                "waiting with a time is not supported",
                "wait for ever: awaitTermination(Long.MAX_VALUE, TimeUnit.SECONDS)",
            );
        }
        if crate::models::is_opaque(&class) || object.is_opaque {
            return self.opaque_call(&class, &name, result);
        }
        if class.starts_with('[') && &*name == "clone" {
            return self.cloned(&class, &object);
        }
        let call = Call { class: &class, name: &name, descriptor: &descriptor, object, args, result };
        let value = self.call_object(call)?;
        self.push_result(value);
        Ok(())
    }

    /// Texts are made of texts; what they say is not followed.
    fn opaque_call(&mut self, class: &str, name: &str, result: Option<JavaType>) -> Fallible<()> {
        match &result {
            None => Ok(()),
            Some(JavaType::Reference(of)) if crate::models::is_opaque(of) => {
                self.body.push(Value { class: Some(of.clone()), ..Value::opaque(self.body.span) });
                Ok(())
            }
            Some(_) if class == "java/lang/String" && matches!(name, "hashCode" | "equals") => self.body.refuse(
                "what a text says is not followed: texts cannot be compared, and there is no `switch` over them",
                "use numbers or an enum",
            ),
            Some(_) => self.unknown_method(class, name),
        }
    }

    /// Calls a method of an object, whatever class it is of.
    pub(crate) fn call_object(&mut self, call: Call<'_>) -> Fallible<Option<Value>> {
        self.call_one_of(call, |_| true)
    }

    /// What a thread or a barrier was given to run.
    pub(crate) fn run_given(&mut self, of_threads: bool, object: Value) -> Fallible<()> {
        let reached = &self.body.program.reached;
        let given = if of_threads { &reached.targets } else { &reached.actions };
        let (lambdas, others) = (given.lambdas.clone(), given.others);
        let may = |class: &Name| others || lambdas.contains(class);
        self.call_one_of(Call::run("java/lang/Runnable", object), may)?;
        Ok(())
    }

    /// The same, where only objects of some classes can be there.
    fn call_one_of(&mut self, call: Call<'_>, may_be: impl Fn(&Name) -> bool) -> Fallible<Option<Value>> {
        let Call { class, name, descriptor, .. } = call;
        self.body.check_not_null(&call.object)?;
        let mut ways: BTreeMap<Target, Vec<Name>> = BTreeMap::new();
        let exact = call.object.class.clone().filter(|_| call.object.is_exact);
        match exact {
            Some(exact) => {
                let target = self.body.program.reached.target(class, &exact, name, descriptor);
                ways.insert(target, vec![exact]);
            }
            None => {
                let is_worker = |object: &Name| class == "java/lang/Runnable" && **object == *WORKER;
                let all = self.body.program.reached.targets(class, name, descriptor).into_iter();
                for (object, target) in all.filter(|(object, _)| may_be(object) && !is_worker(object)) {
                    ways.entry(target).or_default().push(object);
                }
            }
        }
        // Methods that only the library has: its own class stands for what it makes by itself.
        if ways.is_empty() && crate::models::find(class).is_some() {
            ways.insert(Target::Model(class.into()), vec![class.into()]);
        }
        if ways.is_empty() || ways.contains_key(&Target::Missing) {
            return self.unknown_method(class, name);
        }
        // A thread that is given another thread to run: what that one runs is not followed.
        let is_nested =
            class == "java/lang/Runnable" && ways.remove(&Target::Model("java/lang/Thread".into())).is_some();
        if ways.len() == 1 && !is_nested {
            let (target, _) = ways.pop_first().expect("there is one");
            return self.call_target(target, call);
        }
        self.dispatched(ways, call)
    }

    fn dispatched(&mut self, ways: BTreeMap<Target, Vec<Name>>, call: Call<'_>) -> Fallible<Option<Value>> {
        let span = self.body.span;
        let expr = self.body.plain(call.object.clone());
        let expr = self.body.kept(expr);
        let args: Vec<Value> = call
            .args
            .iter()
            .cloned()
            .map(|arg| {
                let plain = self.body.plain(arg.clone());
                Value { expr: self.body.kept(plain), is_opaque: false, compared: None, ..arg }
            })
            .collect();
        let number = self.body.struct_number(expr.clone());
        let joined = self.body.new_block();
        let kept = call.result.as_ref().map(|ty| self.body.temporary(&ty.computed()));
        let (from, stack) = (self.body.here, self.body.stack.clone());
        let mut cases = Vec::new();
        for (target, classes) in ways {
            let block = self.body.new_block();
            for class in classes {
                let id = self.body.program.struct_of(&class);
                cases.push((i64::from(id.0), block));
            }
            self.body.go_on_in(block);
            self.body.stack = stack.clone();
            let object = Value { expr: expr.clone(), is_opaque: false, ..call.object.clone() };
            let value = self.call_target(target, Call { object, args: args.clone(), ..call.clone() })?;
            if let (Some(id), Some(value)) = (kept, value) {
                let value = self.body.plain(value);
                self.body.assign(self.body.place(id), value);
            }
            self.body.finish(End::Goto(joined));
        }
        // An object of another class cannot be there.
        let never = self.body.new_block();
        self.body.go_on_in(threadwise_memory::code::BlockId(from as u32));
        self.body.finish(End::Switch(number, cases, never));
        self.body.go_on_in(never);
        let beyond = threadwise_memory::code::Failure::Beyond;
        self.body.emit(threadwise_memory::code::InstructionKind::Assert(int(0, span), beyond));
        self.body.finish(End::Unreachable);
        self.body.go_on_in(joined);
        self.body.stack = stack;
        let class = call.result.and_then(|ty| ty.class());
        Ok(kept.map(|id| Value::of_class(self.body.load(id), class)))
    }

    fn call_target(&mut self, target: Target, call: Call<'_>) -> Fallible<Option<Value>> {
        let Call { name, descriptor, object, args, result, .. } = call;
        match target {
            Target::Method(method) => {
                let all = [object].into_iter().chain(args).collect();
                self.call_method(&method, all)
            }
            Target::Model(model) => self.library_call(&model, name, descriptor, object, args, result),
            Target::Lambda(class) => {
                let id = self.body.program.function(FunctionKey::Lambda(class));
                let all = [object].into_iter().chain(args).collect();
                self.call_function(id, all, result.and_then(|ty| ty.class()))
            }
            Target::Missing => self.unknown_method("?", name),
        }
    }

    pub(crate) fn invoke_dynamic(&mut self, dynamic: &InvokeDynamic<'_>) -> Fallible<()> {
        let (args, _) = self.arguments(&dynamic.name_and_type.descriptor)?;
        let class = &self.body.program.classes()[&self.method.0];
        if class.concatenates.get(usize::from(dynamic.attr_index)) == Some(&true) {
            self.body.push(Value::text(self.body.span));
            return Ok(());
        }
        let name = lambda_name(&self.method, self.body.pc);
        if !self.body.program.reached.lambdas.contains_key(&name) {
            return self.body.refuse(
                "this use of `invokedynamic` is not supported",
                "lambda expressions, references to methods and texts that are put together are known",
            );
        }
        let values: Vec<_> = args.into_iter().map(|arg| self.body.plain(arg)).collect();
        let object = self.body.allocated(&name);
        for (number, value) in values.into_iter().enumerate() {
            let place = self.body.field(object.clone(), &name, &format!("captured{number}"), false);
            self.body.assign(place, value);
        }
        let value = Value::of_class(object, Some(name));
        self.body.push(Value { is_exact: true, is_not_null: true, ..value });
        Ok(())
    }
}

/// Whether a lambda takes and gives what its method does, without boxes around numbers.
pub(crate) fn fits(erased: &str, method: &str, captured: usize) -> bool {
    let (Some(outside), Some(inside)) = (signature(erased), signature(method)) else { return false };
    let same = |a: &JavaType, b: &JavaType| a.computed() == b.computed();
    let params = inside.params.get(captured.min(inside.params.len())..).unwrap_or(&[]);
    let results = match (&outside.result, &inside.result) {
        (None, _) => true,
        (Some(a), Some(b)) => same(a, b),
        (Some(_), None) => false,
    };
    results && outside.params.len() == params.len() && outside.params.iter().zip(params).all(|(a, b)| same(a, b))
}
