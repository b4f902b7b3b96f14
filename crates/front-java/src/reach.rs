//! Which classes have objects and which methods run, at most: the fixpoint that follows calls to the classes of which the
//! code that was reached so far makes objects.

use crate::classes::{Class, Classes, Lambda, MethodKey, Name};
use crate::models;
use crate::types::{JavaType, signature};
use cafebabe::bytecode::Opcode;
use cafebabe::constant_pool::{MemberRef, ReferenceKind};
use std::collections::{BTreeMap, BTreeSet};

/// The class of the objects of a lambda expression.
#[derive(Clone, Debug)]
pub(crate) struct LambdaClass {
    pub(crate) interface: Name,
    pub(crate) method: Name,
    pub(crate) captured: Vec<JavaType>,
    pub(crate) lambda: Lambda,
    /// The method that it stands in.
    pub(crate) inside: Name,
}

/// Where a call leads, for objects of a class.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Target {
    Method(MethodKey),
    /// A method of a class of the library.
    Model(Name),
    /// That of the lambda class of this name.
    Lambda(Name),
    /// There is none.
    Missing,
}

/// The lambda expressions that are given somewhere.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) lambdas: BTreeSet<Name>,
    /// Something else may be given, too.
    pub(crate) others: bool,
}

impl Given {
    fn add(&mut self, lambda: Option<Name>) {
        match lambda {
            Some(lambda) => drop(self.lambdas.insert(lambda)),
            None => self.others = true,
        }
    }
}

pub(crate) struct Reached<'p, 'a> {
    pub(crate) classes: &'p Classes<'a>,
    pub(crate) lambdas: BTreeMap<Name, LambdaClass>,
    pub(crate) instantiated: BTreeSet<Name>,
    pub(crate) methods: BTreeSet<MethodKey>,
    /// The classes whose static parts are used.
    pub(crate) used: BTreeSet<Name>,
    /// The arrays of references that are made, by their descriptors.
    pub(crate) arrays: BTreeSet<Name>,
    /// The names of fields that are given arrays which may have been made for something else than what their types say.
    other_arrays: BTreeSet<Name>,
    /// Threads are asked for by `currentThread`, so that the main one may be waited for.
    pub(crate) asks_for_threads: bool,
    /// What threads and barriers are given to run, and whether that is all.
    pub(crate) targets: Given,
    pub(crate) actions: Given,
    calls: BTreeSet<MethodKey>,
}

pub(crate) fn key(member: &MemberRef<'_>) -> MethodKey {
    let of = &member.name_and_type;
    if member.class_name == crate::library::POOLS {
        return (crate::library::POOL.into(), of.name.to_string().into(), of.descriptor.to_string().into());
    }
    (member.class_name.to_string().into(), of.name.to_string().into(), of.descriptor.to_string().into())
}

fn is_reference(descriptor: &str) -> bool {
    descriptor.starts_with('[') || descriptor.starts_with('L')
}

/// What the elements of an array are, which is given by its descriptor: a class, or an array again.
pub(crate) fn element_class(array: &str) -> Name {
    let element = array.strip_prefix('[').unwrap_or(array);
    match element.strip_prefix('L').and_then(|class| class.strip_suffix(';')) {
        Some(class) => class.into(),
        None => element.into(),
    }
}

/// The name of the class of a lambda expression: where it stands tells it from others.
pub(crate) fn lambda_name(method: &MethodKey, pc: u32) -> Name {
    format!("{}::{}{}@{pc}", method.0, method.1, method.2).into()
}

impl<'p, 'a> Reached<'p, 'a> {
    pub(crate) fn from(classes: &'p Classes<'a>, main: &MethodKey) -> Reached<'p, 'a> {
        let mut reached = Reached {
            classes,
            lambdas: BTreeMap::new(),
            instantiated: BTreeSet::new(),
            methods: BTreeSet::new(),
            used: BTreeSet::new(),
            arrays: BTreeSet::new(),
            other_arrays: BTreeSet::new(),
            asks_for_threads: false,
            targets: Given::default(),
            actions: Given::default(),
            calls: BTreeSet::new(),
        };
        reached.uses(&main.0);
        let mut work = vec![main.clone()];
        loop {
            while let Some(method) = work.pop() {
                if reached.methods.insert(method.clone()) {
                    work.extend(reached.scan(&method));
                }
            }
            work = reached.followed();
            work.extend(reached.initialisers());
            work.retain(|method| !reached.methods.contains(method));
            if work.is_empty() {
                return reached;
            }
        }
    }

    fn uses(&mut self, class: &str) {
        if self.classes.contains_key(class) {
            self.used.insert(class.into());
        }
    }

    fn initialisers(&self) -> Vec<MethodKey> {
        let with = |name: &Name| {
            let of = self.classes.get(name)?;
            of.method("<clinit>", "()V").map(|_| (name.clone(), "<clinit>".into(), "()V".into()))
        };
        self.used.iter().filter_map(with).collect()
    }

    /// The methods that calls through objects lead to.
    fn followed(&self) -> Vec<MethodKey> {
        let mut found = Vec::new();
        for (class, name, descriptor) in &self.calls {
            for target in self.targets(class, name, descriptor) {
                if let (_, Target::Method(key)) = target {
                    found.push(key);
                }
            }
        }
        found
    }

    fn scan(&mut self, method: &MethodKey) -> Vec<MethodKey> {
        let Some(of) = self.classes.get(&method.0).and_then(|class| class.method(&method.1, &method.2)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut before: Option<&(u32, Opcode<'a>)> = None;
        for at in of.code.iter().flat_map(|code| &code.opcodes) {
            let (pc, opcode) = at;
            let last = before.replace(at);
            self.arrays_in_fields(last, opcode);
            self.given(method, last, opcode);
            match opcode {
                Opcode::New(class) => self.makes(class),
                Opcode::Anewarray(element) => drop(self.arrays.insert(crate::objects::array_of(element))),
                Opcode::Multianewarray(of, dimensions) => {
                    let all = crate::objects::array_name(of);
                    let each = (0..usize::from(*dimensions)).filter_map(|depth| all.get(depth..)).map(Name::from);
                    self.arrays.extend(each.filter(|of| of.starts_with("[[") || of.starts_with("[L")));
                }
                // The table of a switch over an enum is known without running what makes it.
                Opcode::Getstatic(member) if crate::enums::is_table(&member.name_and_type.name) => {}
                Opcode::Getstatic(member) | Opcode::Putstatic(member) => {
                    let owner = self.static_owner(&member.class_name, &member.name_and_type.name);
                    self.uses(&owner);
                }
                Opcode::Invokestatic(member) => {
                    let (class, name, descriptor) = key(member);
                    self.asks_for_threads |= &*class == "java/lang/Thread" && &*name == "currentThread";
                    if models::is_box(&class) && &*name == "valueOf" {
                        self.makes(&class);
                    }
                    if let Target::Method(target) = self.resolve(&class, &name, &descriptor) {
                        self.uses(&target.0);
                        found.push(target);
                    }
                }
                Opcode::Invokespecial(member) => {
                    let (class, name, descriptor) = key(member);
                    if &*name == "wait" {
                        self.call(key(member));
                    }
                    if let Target::Method(target) = self.resolve(&class, &name, &descriptor) {
                        found.push(target);
                    }
                }
                Opcode::Invokevirtual(member) | Opcode::Invokeinterface(member, _) => self.call(key(member)),
                Opcode::Invokedynamic(dynamic) => found.extend(self.lambda(method, *pc, dynamic)),
                _ => {}
            }
        }
        found
    }

    /// A field is given an array: that it is of the field's own type shows where it was just made.
    fn arrays_in_fields(&mut self, last: Option<&(u32, Opcode<'a>)>, opcode: &Opcode<'a>) {
        let (Opcode::Putfield(member) | Opcode::Putstatic(member)) = opcode else { return };
        let of = &member.name_and_type;
        let made = match last {
            Some((_, Opcode::Anewarray(element))) => Some(crate::objects::array_of(element)),
            Some((_, Opcode::Multianewarray(of, _))) => Some(crate::objects::array_name(of)),
            Some((_, Opcode::AconstNull)) => return,
            _ => None,
        };
        if made.is_none_or(|made| *made != *of.descriptor.to_string()) {
            self.other_arrays.insert(of.name.to_string().into());
        }
    }

    pub(crate) fn has_other_arrays(&self, _class: &str, field: &str) -> bool {
        self.other_arrays.contains(field)
    }

    /// A thread or a barrier is given something to run.
    fn given(&mut self, method: &MethodKey, last: Option<&(u32, Opcode<'a>)>, opcode: &Opcode<'a>) {
        let Opcode::Invokespecial(member) = opcode else { return };
        let (class, name, descriptor) = key(member);
        let of = &*descriptor;
        let given = match last {
            Some((pc, Opcode::Invokedynamic(_))) => Some(lambda_name(method, *pc)),
            _ => None,
        };
        match (&*class, &*name, of) {
            ("java/lang/Thread", "<init>", "(Ljava/lang/Runnable;)V") => self.targets.add(given),
            ("java/lang/Thread", "<init>", of) if of.contains("Runnable") => self.targets.add(None),
            ("java/util/concurrent/CyclicBarrier", "<init>", of) if of.contains("Runnable") => {
                self.actions.add(given);
                // Where the action throws, others find the barrier broken.
                self.instantiated.insert("java/util/concurrent/BrokenBarrierException".into());
            }
            _ => {}
        }
    }

    fn makes(&mut self, class: &str) {
        self.uses(class);
        self.instantiated.insert(class.into());
        if class == "java/util/concurrent/locks/ReentrantReadWriteLock" {
            self.instantiated.insert(format!("{class}$ReadLock").into());
            self.instantiated.insert(format!("{class}$WriteLock").into());
        }
    }

    fn call(&mut self, call: MethodKey) {
        let runs = |name: &str| -> Option<MethodKey> {
            Some(match name {
                "start" => ("java/lang/Thread".into(), "run".into(), "()V".into()),
                "await" => ("java/lang/Runnable".into(), "run".into(), "()V".into()),
                _ => return None,
            })
        };
        if &*call.1 == "newCondition" {
            self.instantiated.insert("java/util/concurrent/locks/Condition".into());
        }
        if &*call.1 == "start" {
            self.calls.insert(("java/lang/Runnable".into(), "run".into(), "()V".into()));
        }
        let is_binary = call.1.contains("ccumulate");
        if is_binary || matches!(&*call.1, "getAndUpdate" | "updateAndGet") {
            let of = crate::library::atomics::operator(&call.0, is_binary);
            self.calls.insert((of.class.into(), of.name.into(), of.descriptor.into()));
        }
        self.calls.extend(runs(&call.1));
        self.calls.insert(call);
    }

    fn lambda(
        &mut self,
        method: &MethodKey,
        pc: u32,
        dynamic: &cafebabe::constant_pool::InvokeDynamic<'_>,
    ) -> Option<MethodKey> {
        let class = self.classes.get(&method.0)?;
        let lambda = class.lambdas.get(usize::from(dynamic.attr_index))?.clone()?;
        let made = signature(&dynamic.name_and_type.descriptor)?;
        let (target, kind) = (lambda.target.clone(), lambda.kind);
        let name = lambda_name(method, pc);
        self.instantiated.insert(name.clone());
        let of = LambdaClass {
            interface: made.result?.class()?,
            method: dynamic.name_and_type.name.to_string().into(),
            captured: made.params,
            lambda,
            inside: method.1.clone(),
        };
        self.lambdas.insert(name, of);
        match kind {
            ReferenceKind::InvokeVirtual | ReferenceKind::InvokeInterface => {
                self.call(target);
                None
            }
            ReferenceKind::NewInvokeSpecial => {
                self.makes(&target.0);
                Some(target)
            }
            _ => match self.resolve(&target.0, &target.1, &target.2) {
                Target::Method(target) => {
                    self.uses(&target.0);
                    Some(target)
                }
                _ => None,
            },
        }
    }

    /// Whether something is called that may end by itself: waiting for a monitor's notification, or a condition's.
    pub(crate) fn waits(&self) -> bool {
        let of_condition = "java/util/concurrent/locks/Condition";
        let is_wait = |(class, name, descriptor): &MethodKey| match &**name {
            "wait" => &**descriptor == "()V",
            "await" => **class == *of_condition,
            _ => false,
        };
        self.calls.iter().any(is_wait)
    }

    // The hierarchy.

    pub(crate) fn parent(&self, class: &str) -> Option<Name> {
        if let Some(class) = self.classes.get(class) {
            return class.parent.clone();
        }
        models::find(class).map(|model| model.parent).filter(|parent| !parent.is_empty()).map(Name::from)
    }

    fn interfaces(&self, class: &str) -> Vec<Name> {
        if let Some(class) = self.classes.get(class) {
            return class.interfaces.clone();
        }
        if let Some(lambda) = self.lambdas.get(class) {
            return vec![lambda.interface.clone()];
        }
        models::find(class).map_or(Vec::new(), |model| model.interfaces.iter().map(|name| Name::from(*name)).collect())
    }

    pub(crate) fn is_subtype(&self, class: &str, of: &str) -> bool {
        class == of
            || of == "java/lang/Object"
            || self.parent(class).is_some_and(|parent| self.is_subtype(&parent, of))
            || self.interfaces(class).iter().any(|interface| self.is_subtype(interface, of))
    }

    /// Whether an object may be of both.
    pub(crate) fn is_related(&self, one: &str, other: &str) -> bool {
        self.is_array_subtype(one, other) || self.is_array_subtype(other, one)
    }

    /// Whether a field of objects is set by their constructors only.
    pub(crate) fn is_final_field(&self, class: &str, name: &str) -> bool {
        let mut next: Option<Name> = Some(class.into());
        while let Some(of) = next.and_then(|class| self.classes.get(&class)) {
            if let Some(field) = of.fields.iter().find(|field| *field.name == *name && !field.is_static) {
                return field.is_final;
            }
            next = of.parent.clone();
        }
        false
    }

    /// The same where both may be arrays, by their descriptors.
    pub(crate) fn is_array_subtype(&self, class: &str, of: &str) -> bool {
        match (class.strip_prefix('['), of.strip_prefix('[')) {
            (Some(a), Some(b)) if is_reference(a) && is_reference(b) => {
                self.is_array_subtype(&element_class(class), &element_class(of))
            }
            (Some(_), None) => of == "java/lang/Object",
            (None, Some(_)) => false,
            _ => class == of || !class.starts_with('[') && self.is_subtype(class, of),
        }
    }

    /// Whether whatever has a type is of a class: all objects that there may be of it are.
    pub(crate) fn is_value_of(&self, ty: &str, class: &str) -> bool {
        let is_plain = !ty.starts_with('[') && ty != "java/lang/Object" && ty != "java/lang/String";
        let mut of_it = self.instantiated.iter().filter(|made| self.is_subtype(made, ty));
        self.is_array_subtype(ty, class) || is_plain && of_it.all(|made| self.is_array_subtype(made, class))
    }

    /// The class that has a static field, which may be a parent of the one that is named.
    pub(crate) fn static_owner(&self, class: &str, field: &str) -> Name {
        let has = |of: &Class<'_>| of.fields.iter().any(|known| *known.name == *field && known.is_static);
        let mut work = vec![Name::from(class)];
        while let Some(name) = work.pop() {
            let Some(of) = self.classes.get(&name) else { continue };
            if has(of) {
                return name;
            }
            work.extend(of.parent.clone());
            work.extend(of.interfaces.clone());
        }
        class.into()
    }

    /// The method that an object of a class has under a name.
    pub(crate) fn resolve(&self, class: &str, name: &str, descriptor: &str) -> Target {
        // Nobody can write these again.
        if matches!((name, descriptor), ("wait" | "notify" | "notifyAll", "()V")) {
            return Target::Model("java/lang/Object".into());
        }
        if let Some(lambda) = self.lambdas.get(class) {
            return match &*lambda.method == name {
                true => Target::Lambda(class.into()),
                false => self.default_method(std::slice::from_ref(&lambda.interface), name, descriptor),
            };
        }
        let mut next: Option<Name> = Some(class.into());
        let mut interfaces = Vec::new();
        while let Some(current) = next {
            let Some(of) = self.classes.get(&current) else {
                return match self.default_method(&interfaces, name, descriptor) {
                    Target::Missing if models::find(&current).is_some() => Target::Model(current),
                    Target::Missing if crate::library::is_known_static(&current) => Target::Model(current),
                    found => found,
                };
            };
            // A private method of a parent is not what an object of a child has under this name.
            if let Some(method) = of.method(name, descriptor)
                && !method.is_abstract
                && (!method.is_private || *current == *class)
            {
                return Target::Method((current, name.into(), descriptor.into()));
            }
            interfaces.extend(of.interfaces.clone());
            next = of.parent.clone();
        }
        self.default_method(&interfaces, name, descriptor)
    }

    fn default_method(&self, interfaces: &[Name], name: &str, descriptor: &str) -> Target {
        let (mut work, mut found) = (interfaces.to_vec(), Vec::new());
        while let Some(interface) = work.pop() {
            let Some(of) = self.classes.get(&interface) else { continue };
            if of.method(name, descriptor).is_some_and(|method| !method.is_abstract) {
                found.push(interface.clone());
            }
            work.extend(of.interfaces.clone());
        }
        // What an interface says goes before what those say that it extends.
        let is_best = |one: &&Name| found.iter().all(|other| other == *one || !self.is_subtype(other, one));
        match found.iter().find(is_best) {
            Some(interface) => Target::Method((interface.clone(), name.into(), descriptor.into())),
            None => Target::Missing,
        }
    }

    /// Where a call leads that names a class, for an object of another one: nobody can write a private method again.
    pub(crate) fn target(&self, class: &str, object: &str, name: &str, descriptor: &str) -> Target {
        let named = self.classes.get(class).and_then(|of| of.method(name, descriptor));
        match named.is_some_and(|method| method.is_private) {
            true => Target::Method((class.into(), name.into(), descriptor.into())),
            false => self.resolve(object, name, descriptor),
        }
    }

    /// Where a call through an object of a class or interface may lead, for each class of which there are objects.
    pub(crate) fn targets(&self, class: &str, name: &str, descriptor: &str) -> Vec<(Name, Target)> {
        let objects = self.instantiated.iter().filter(|object| self.is_subtype(object, class));
        objects.map(|object| (object.clone(), self.target(class, object, name, descriptor))).collect()
    }
}
