//! Variables: what globals start with, and what locals are set to where they are declared.

use crate::elaborate::{Elaborator, Entity, EntityKind, Fallible, Symbol};
use crate::initial::{Initial, Initializing, InitializingKind, Leaf, Part};
use crate::specifiers::Storage;
use crate::types::Ty;
use crate::values::{Object, Value};
use lang_c::ast::{CompoundLiteral, Declaration, InitDeclarator, Initializer};
use lang_c::span::Node;
use threadwise_memory::code::{self, Expr, InstructionKind, Library, Place, Type};
use threadwise_source::Span;

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
        self.said.automatic.insert(span);
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
        // It may be pointed to, though it has no name.
        self.body.may_be_pointed_to(local);
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
    // Where one part is inside of another, counting says nothing.
    let overlaps = paths.windows(2).any(|pair| pair[1].starts_with(&pair[0]));
    if overlaps { u64::MAX } else { paths.len() as u64 }
}

fn part_key(part: &Part) -> (bool, u64) {
    match part {
        Part::Field(index) => (false, u64::from(*index)),
        Part::Index(index) => (true, *index),
    }
}
