//! Variables: what globals start with, and what locals are set to where they are declared.

use crate::elaborate::{Elaborator, Entity, EntityId, EntityKind, Fallible, Symbol};
use crate::fold;
use crate::initial::{Initial, Initializing, InitializingKind, Leaf, Part};
use crate::specifiers::Storage;
use crate::types::Ty;
use crate::values::{Object, Value};
use lang_c::ast::{CompoundLiteral, Declaration, InitDeclarator, Initializer};
use lang_c::span::Node;
use threadwise_memory::code::{
    self, Base, Expr, ExprKind, GlobalId, InstructionKind, Library, MutexKind, Place, Step, Type,
};
use threadwise_source::{Diagnostic, Span};

impl<'a> Elaborator<'a> {
    /// A declaration inside of a function.
    pub fn local_declaration(&mut self, node: &'a Node<Declaration>) -> Fallible<()> {
        let span = self.span(node.span);
        let specified = self.declaration_specifiers(&node.node.specifiers, span)?;
        let mut storage = specified.storage;
        storage.is_thread_local |= storage.is_register && (storage.is_static || storage.is_extern);
        for declarator in &node.node.declarators {
            if specified.is_auto {
                self.auto_variable(declarator)?;
                continue;
            }
            self.variable_size = None;
            if storage.is_typedef {
                self.declared(declarator, specified.ty.clone(), storage)?;
                continue;
            }
            let (name, ty) = self.declarator(&declarator.node.declarator, specified.ty.clone())?;
            let Some(name) = name else { continue };
            if ty.is_function() || storage.is_extern {
                self.linked_local(declarator, &name.node.name, ty, storage, self.span(name.span))?;
            } else if storage.is_static {
                self.static_local(declarator, &name.node.name, ty, storage, self.span(name.span))?;
            } else {
                self.local_variable(declarator, &name.node.name, ty, self.span(name.span))?;
            }
        }
        Ok(())
    }

    /// `__auto_type x = e;`
    fn auto_variable(&mut self, node: &'a Node<InitDeclarator>) -> Fallible<()> {
        let (Some(name), _) = self.declarator(&node.node.declarator, crate::types::INT)? else { return Ok(()) };
        let span = self.span(name.span);
        let Some(Node { node: Initializer::Expression(expression), .. }) = &node.node.initializer else {
            return Err(self.error(span, "`__auto_type` needs an initialiser"));
        };
        let (expr, ty) = self.rvalue(expression)?;
        if name.node.name.starts_with("__atomic_") {
            // Headers name the object of an operation so; to see which object it is helps everybody.
            let expr = self.stable(expr);
            self.declare(&name.node.name, Symbol::Value(expr, ty));
            return Ok(());
        }
        let local = self.body.add_local(name.node.name.as_str().into(), self.lower(&ty), span);
        self.declare(&name.node.name, Symbol::Local(local, ty.clone()));
        let object = self.local_place(local, &ty, span);
        self.store(&object, expr, span);
        Ok(())
    }

    /// A function or variable of the program that is declared inside of a function.
    fn linked_local(
        &mut self,
        node: &'a Node<InitDeclarator>,
        name: &str,
        ty: Ty,
        storage: Storage,
        span: Span,
    ) -> Fallible<()> {
        if let Some(initializer) = &node.node.initializer {
            return Err(self.error(self.span(initializer.span), "an `extern` variable has no initialiser here"));
        }
        let kind = if ty.is_function() {
            EntityKind::Function { definition: None, id: None }
        } else {
            let thread_local = storage.is_thread_local;
            EntityKind::Variable { initializer: None, thread_local, is_defined: false, id: None }
        };
        self.link(Entity { name: name.into(), ty, span, kind }, storage.is_static, storage.is_inline)?;
        Ok(())
    }

    fn static_local(
        &mut self,
        node: &'a Node<InitDeclarator>,
        name: &str,
        ty: Ty,
        storage: Storage,
        span: Span,
    ) -> Fallible<()> {
        let ty = match &node.node.initializer {
            Some(initializer) => self.completed(ty, self.initializing(initializer))?,
            None => ty,
        };
        let thread_local = storage.is_thread_local;
        let kind = EntityKind::Variable { initializer: None, thread_local, is_defined: true, id: None };
        let entity = self.add_entity(Entity { name: name.into(), ty: ty.clone(), span, kind });
        self.declare(name, Symbol::Entity(entity));
        if let Some(initializer) = &node.node.initializer
            && self.unevaluated == 0
        {
            let id = self.global_id(entity);
            self.global_initial(id, &ty, self.initializing(initializer))?;
        }
        Ok(())
    }

    fn local_variable(&mut self, node: &'a Node<InitDeclarator>, name: &str, ty: Ty, span: Span) -> Fallible<()> {
        if let Some(count) = self.variable_size.take() {
            return self.sized_variable(name, ty, count, span);
        }
        let ty = match &node.node.initializer {
            Some(initializer) => self.completed(ty, self.initializing(initializer))?,
            None => ty,
        };
        if ty.is_void() || self.structs.size_of(&ty, self.model).is_none() {
            return Err(self.error(span, format!("`{name}` has the incomplete type `{}`", self.name_of(&ty))));
        }
        let local = self.body.add_local(name.into(), self.lower(&ty), span);
        self.declare(name, Symbol::Local(local, ty.clone()));
        match &node.node.initializer {
            None => self.body.emit(InstructionKind::Declare(local), span),
            Some(initializer) => {
                let object = self.local_place(local, &ty, span);
                // Nobody sees the variable yet.
                self.local_initial(&object, self.initializing(initializer))?;
            }
        }
        Ok(())
    }

    /// An array whose size is known only now lives like what `alloca` gives.
    fn sized_variable(&mut self, name: &str, ty: Ty, count: Expr, span: Span) -> Fallible<()> {
        let crate::types::Kind::Array(element, _) = &ty.kind else { return Ok(()) };
        let local = self.body.add_local(name.into(), Type::Pointer, span);
        self.declare(name, Symbol::Sized(local, (**element).clone()));
        let result = Place::local(local, Type::Pointer, span);
        let ty = self.lower(element);
        let library = Library::Allocate { result, ty, count, zeroed: false };
        self.body.emit(InstructionKind::Library(Box::new(library)), span);
        Ok(())
    }

    /// Sets a local object as its initialiser says.
    pub fn local_initial(&mut self, object: &Object, initializer: Initializing<'a>) -> Fallible<()> {
        let span = initializer.span;
        let leaves = self.leaves(&object.ty, initializer)?;
        let is_whole = matches!(&leaves[..], [leaf] if leaf.path.is_empty());
        let is_complete = is_whole || self.scalars(&object.ty) == Some(different(&leaves));
        if !is_complete {
            self.body.emit(InstructionKind::Clear(object.place.clone()), span);
        }
        for leaf in leaves {
            let part = self.part_of(object, &leaf.path, span);
            match leaf.value {
                Initial::Expression(expression) => {
                    let wanted = part.ty.pointee().cloned();
                    let value = self.expression_for(expression, wanted.as_deref())?;
                    self.initialize(&part, value, self.span(expression.span))?;
                }
                Initial::Byte(byte, span) => {
                    let value = Expr::constant(i64::from(byte as i8), part.place.ty.clone(), span);
                    self.store(&part, value, span);
                }
                Initial::Library(node) => self.local_library(&part, node)?,
            }
        }
        Ok(())
    }

    fn local_library(&mut self, part: &Object, node: Initializing<'a>) -> Fallible<()> {
        use code::Object::*;
        let span = node.span;
        let place = part.place.clone();
        let library = match part.ty.object() {
            Some(Mutex) => Library::MutexInit { mutex: place, kind: self.mutex_kind(node), attributes: None },
            Some(RwLock) => Library::RwInit(place),
            Some(Condition) => Library::ConditionInit(place),
            _ => {
                self.body.emit(InstructionKind::Clear(place), span);
                return Ok(());
            }
        };
        self.body.emit(InstructionKind::Library(Box::new(library)), span);
        Ok(())
    }

    /// The kind that a static initialiser gives: the only number in it that is not zero.
    fn mutex_kind(&mut self, initializing: Initializing<'a>) -> MutexKind {
        match self.first_nonzero(initializing) {
            Some(1) => MutexKind::Recursive,
            Some(2) => MutexKind::ErrorCheck,
            _ => MutexKind::Normal,
        }
    }

    fn first_nonzero(&mut self, initializing: Initializing<'a>) -> Option<i128> {
        match initializing.kind {
            InitializingKind::Expression(expression) => self.constant(expression).ok().filter(|value| *value != 0),
            InitializingKind::List(all) => {
                all.iter().find_map(|item| self.first_nonzero(self.initializing(&item.node.initializer)))
            }
        }
    }

    /// What a global starts with.
    pub fn global_initial(&mut self, id: GlobalId, ty: &Ty, initializer: Initializing<'a>) -> Fallible<()> {
        let span = initializer.span;
        let object = Object { place: Place::global(id, self.lower(ty), span), ty: ty.clone(), bits: None };
        for leaf in self.leaves(ty, initializer)? {
            let part = self.part_of(&object, &leaf.path, span);
            let value = match leaf.value {
                Initial::Byte(byte, span) => Expr::constant(i64::from(byte as i8), part.place.ty.clone(), span),
                Initial::Library(node) => {
                    if part.ty.object() == Some(code::Object::Mutex) {
                        let kind = self.mutex_kind(node);
                        self.globals[id.index()].kind_of_mutex = Some(kind);
                    }
                    continue;
                }
                Initial::Expression(expression) => {
                    let outer = std::mem::replace(&mut self.body, crate::body::Body::new(Default::default()));
                    let value = self.static_value(expression, &part);
                    self.body = outer;
                    value?
                }
            };
            self.set_initial(id, part.place.path, value);
        }
        Ok(())
    }

    /// A later initialiser of the same part wins, and zero is what parts start with anyway.
    fn set_initial(&mut self, id: GlobalId, path: Vec<Step>, value: Expr) {
        let init = &mut self.globals[id.index()].init;
        init.retain(|(known, _)| !same_path(known, &path));
        if fold::constant(&value) != Some(0) {
            init.push((path, value));
        }
    }

    fn static_value(&mut self, expression: &'a Node<lang_c::ast::Expression>, part: &Object) -> Fallible<Expr> {
        let span = self.span(expression.span);
        let value = self.expression(expression)?;
        if !part.ty.is_scalar() {
            return Err(self.error(span, format!("a list in braces is expected for `{}`", self.name_of(&part.ty))));
        }
        let (expr, from) = self.scalar(value)?;
        let expr = self.converted(expr, &from, &part.ty)?;
        let expr = if part.bits.is_some() { fold::convert(expr, part.place.ty.clone()) } else { expr };
        if self.body.emitted > 0 || !is_static(&expr) {
            return Err(self.error(span, "what a global starts with has to be constant"));
        }
        Ok(expr)
    }

    /// A global that somebody needs gets its initial value.
    pub fn elaborate_global(&mut self, entity: EntityId) -> Fallible<()> {
        let known = &self.entities[entity.0 as usize];
        let (ty, span, name) = (known.ty.clone(), known.span, known.name.clone());
        let EntityKind::Variable { initializer, is_defined, id: Some(id), .. } = &known.kind else { return Ok(()) };
        let id = *id;
        let Some(initial) = initializer else {
            if !is_defined {
                let message = format!("`{name}` is declared and defined nowhere; it starts with any value");
                let hint = "give the file that defines it";
                if !matches!(&*name, "stdin" | "stdout" | "stderr") {
                    self.diagnostics.push(Diagnostic::warning(span, message).hint(hint));
                }
                return self.any_initial(id, &ty, span);
            }
            return Ok(());
        };
        (self.file, self.scopes) = (initial.file, Vec::new());
        let node = initial.node;
        self.globals[id.index()].ty = self.lower(&ty);
        self.global_initial(id, &ty, self.initializing(node))
    }

    /// Any value for all scalars of a variable that another program defines.
    fn any_initial(&mut self, id: GlobalId, ty: &Ty, span: Span) -> Fallible<()> {
        let object = Object { place: Place::global(id, self.lower(ty), span), ty: ty.clone(), bits: None };
        let outer = std::mem::replace(&mut self.body, crate::body::Body::new(Default::default()));
        self.forget(&object, span, 8);
        let body = std::mem::replace(&mut self.body, outer);
        for assigned in body.assigned() {
            self.globals[id.index()].init.push(assigned);
        }
        Ok(())
    }

    /// `(T){ … }`: an object without a name.
    pub fn compound_literal(&mut self, literal: &'a CompoundLiteral, span: Span) -> Fallible<Value> {
        let ty = self.type_name(&literal.type_name)?;
        let list = Initializing { kind: InitializingKind::List(&literal.initializer_list), span };
        let ty = self.completed(ty, list)?;
        if self.scopes.is_empty() && self.unevaluated == 0 {
            let kind = EntityKind::Variable { initializer: None, thread_local: false, is_defined: true, id: None };
            let entity = self.add_entity(Entity { name: "(literal)".into(), ty: ty.clone(), span, kind });
            let id = self.global_id(entity);
            self.global_initial(id, &ty, list)?;
            let place = Place::global(id, self.lower(&ty), span);
            return Ok(Value::Object(Object { place, ty, bits: None }));
        }
        let local = self.body.temporary(self.lower(&ty), span);
        let object = self.local_place(local, &ty, span);
        self.local_initial(&object, list)?;
        Ok(Value::Object(object))
    }
}

/// How many different parts are set.
fn different(leaves: &[Leaf]) -> u64 {
    let mut paths: Vec<Vec<(bool, u64)>> = leaves.iter().map(|leaf| leaf.path.iter().map(part_key).collect()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths.len() as u64
}

fn part_key(part: &Part) -> (bool, u64) {
    match part {
        Part::Field(index) => (false, u64::from(*index)),
        Part::Index(index) => (true, *index),
    }
}

fn same_path(a: &[Step], b: &[Step]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Step::Field(a), Step::Field(b)) => a == b,
            (Step::Index(a), Step::Index(b)) => fold::constant(a) == fold::constant(b),
            _ => false,
        })
}

/// Whether a value is known before the program runs.
fn is_static(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Function(_) => true,
        ExprKind::Any => matches!(expr.ty, Type::Float(_)),
        ExprKind::Address(place) => {
            matches!(place.base, Base::Global(_))
                && place.path.iter().all(|step| match step {
                    Step::Field(_) => true,
                    Step::Index(index) => fold::constant(index).is_some(),
                })
        }
        ExprKind::Offset(pointer, count, _) => is_static(pointer) && fold::constant(count).is_some(),
        ExprKind::Convert(value) => is_static(value),
        _ => false,
    }
}
