//! The declarations of files, and names that are the same thing in several files.

use crate::elaborate::{Elaborator, Entity, EntityId, EntityKind, Fallible, FileId, Initial, Symbol};
use crate::library::library_object;
use crate::specifiers::{Attributes, Storage};
use crate::types::{Kind, Ty};
use lang_c::ast::{
    Declaration, Declarator, DeclaratorKind, ExternalDeclaration, FunctionDefinition, InitDeclarator, TranslationUnit,
};
use lang_c::span::Node;
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    /// Reads the declarations of a file; bodies of functions and initial values are left for those who need them.
    pub fn read_file(&mut self, file: FileId, unit: &'a TranslationUnit) {
        self.file = file;
        for declaration in &unit.0 {
            let result = match &declaration.node {
                ExternalDeclaration::Declaration(declaration) => self.file_declaration(declaration),
                ExternalDeclaration::FunctionDefinition(definition) => {
                    match self.function_definition(definition) {
                        // It is no loss unless somebody needs it.
                        Err(error) => {
                            self.refused.insert(defined_name(&definition.node.declarator.node), *error);
                            Ok(())
                        }
                        done => done,
                    }
                }
                ExternalDeclaration::StaticAssert(_) => Ok(()),
            };
            self.report(result);
        }
    }

    fn file_declaration(&mut self, node: &'a Node<Declaration>) -> Fallible<()> {
        let span = self.span(node.span);
        let mut specified = self.declaration_specifiers(&node.node.specifiers, span)?;
        // `register` is what stands for `__thread`.
        specified.storage.is_thread_local |= specified.storage.is_register;
        // Attributes are gone from the tree, and not from the text.
        let text = self.source.slice(span);
        let is_noreturn = text.contains("noreturn") || text.contains("_Noreturn");
        for declarator in &node.node.declarators {
            if is_noreturn {
                self.noreturn.insert(defined_name(&declarator.node.declarator.node));
            }
            self.declared(declarator, specified.ty.clone(), specified.storage)?;
        }
        Ok(())
    }

    /// A name with linkage, or a type.
    pub fn declared(&mut self, node: &'a Node<InitDeclarator>, base: Ty, storage: Storage) -> Fallible<()> {
        let mut attributes = Attributes::default();
        self.attributes(&node.node.declarator.node.extensions, &mut attributes)?;
        let base = self.with_mode(base, attributes);
        let (Some(name), ty) = self.declarator(&node.node.declarator, base)? else { return Ok(()) };
        let span = self.span(name.span);
        let name = &name.node.name;
        if storage.is_typedef {
            let ty = self.shared_typedef(name, self.library_type(name, ty));
            self.declare(name, Symbol::Typedef(ty));
            return Ok(());
        }
        let kind = if ty.is_function() {
            EntityKind::Function { definition: None, id: None }
        } else {
            let initializer = node.node.initializer.as_ref().map(|node| Initial { file: self.file, node });
            let is_defined = initializer.is_some() || !storage.is_extern;
            EntityKind::Variable { initializer, thread_local: storage.is_thread_local, is_defined, id: None }
        };
        let ty = match (&kind, &node.node.initializer) {
            (EntityKind::Variable { .. }, Some(initializer)) => self.completed(ty, self.initializing(initializer))?,
            _ => ty,
        };
        let entity = Entity { name: name.as_str().into(), ty, span, kind };
        self.link(entity, storage.is_static, storage.is_inline)?;
        Ok(())
    }

    /// Types that the thread library declares are known by their names.
    fn library_type(&self, name: &str, ty: Ty) -> Ty {
        match library_object(name) {
            Some(object) => {
                let size = self.structs.size_of(&ty, self.model).unwrap_or(8);
                let align = self.structs.align_of(&ty, self.model);
                Ty::of(Kind::Library(object, size, align))
            }
            None => ty,
        }
    }

    fn function_definition(&mut self, node: &'a Node<FunctionDefinition>) -> Fallible<()> {
        let span = self.span(node.span);
        let specified = self.declaration_specifiers(&node.node.specifiers, span)?;
        // What parameters declare is theirs alone.
        self.scopes.push(Default::default());
        let declared = self.declarator(&node.node.declarator, specified.ty);
        self.scopes.pop();
        let (Some(name), ty) = declared? else { return Ok(()) };
        if !node.node.declarations.is_empty() {
            return Err(self.unsupported(
                span,
                "a parameter list without types",
                "declare the parameters with their types",
            ));
        }
        let kind = EntityKind::Function { definition: Some((self.file, node)), id: None };
        let entity = Entity { name: name.node.name.as_str().into(), ty, span: self.span(name.span), kind };
        self.link(entity, specified.storage.is_static, specified.storage.is_inline)?;
        Ok(())
    }

    /// One more declaration of a name with linkage.
    pub fn link(&mut self, entity: Entity<'a>, is_static: bool, is_inline: bool) -> Fallible<EntityId> {
        let name = entity.name.to_string();
        let in_file = match self.files[self.file.0 as usize].names.get(&name) {
            Some(Symbol::Entity(known)) => Some(*known),
            _ => None,
        };
        let known = in_file.or_else(|| if is_static { None } else { self.linked.get(&name).copied() });
        let id = match known {
            Some(id) => self.merge(id, entity, is_inline).map(|()| id)?,
            None => self.add_entity(entity),
        };
        if !is_static && in_file.is_none() {
            self.linked.insert(name.clone(), id);
        }
        self.declare(&name, Symbol::Entity(id));
        Ok(id)
    }

    fn merge(&mut self, id: EntityId, new: Entity<'a>, is_inline: bool) -> Fallible<()> {
        let old = &mut self.entities[id.0 as usize];
        match (&mut old.kind, new.kind) {
            (EntityKind::Function { definition: known, .. }, EntityKind::Function { definition: Some(found), .. }) => {
                if known.is_some() && is_inline {
                    return Ok(());
                }
                if let Some((file, first)) = known {
                    let start = self.starts[file.0 as usize] as usize;
                    let first = Span::new(start + first.span.start, start + first.span.start);
                    let error = self.error(new.span, format!("`{}` is defined twice", new.name));
                    return Err(Box::new(error.related(first, "the first definition")));
                }
                *known = Some(found);
                (old.ty, old.span) = (new.ty, new.span);
            }
            (EntityKind::Function { definition: None, .. }, EntityKind::Function { .. }) => {
                // A declaration with a prototype says more than one without.
                if matches!(&new.ty.kind, Kind::Function(signature) if signature.has_prototype) {
                    old.ty = new.ty;
                }
            }
            (EntityKind::Function { .. }, EntityKind::Function { .. }) => {}
            (
                EntityKind::Variable { initializer: known, is_defined, thread_local, .. },
                EntityKind::Variable { initializer: found, is_defined: defined_too, thread_local: local_too, .. },
            ) => {
                let is_incomplete = |ty: &Ty| matches!(ty.kind, Kind::Array(_, None));
                if is_incomplete(&old.ty) {
                    old.ty = new.ty;
                } else if !is_incomplete(&new.ty)
                    && !self.structs.is_same_type(&old.ty.unqualified(), &new.ty.unqualified())
                {
                    let message = format!("`{}` has another type here than elsewhere", new.name);
                    let related = old.span;
                    return Err(Box::new(self.error(new.span, message).related(related, "the other declaration")));
                }
                if defined_too && !*is_defined {
                    old.span = new.span;
                }
                if found.is_some() {
                    *known = found;
                }
                *is_defined |= defined_too;
                *thread_local |= local_too;
            }
            _ => {
                let message = format!("`{}` is a function here and a variable there", new.name);
                return Err(Box::new(self.error(new.span, message).related(self.entity(id).span, "the other one")));
            }
        }
        Ok(())
    }
}

/// The name in a declarator.
fn defined_name(declarator: &Declarator) -> String {
    match &declarator.kind.node {
        DeclaratorKind::Identifier(name) => name.node.name.clone(),
        DeclaratorKind::Declarator(inner) => defined_name(&inner.node),
        DeclaratorKind::Abstract => String::new(),
    }
}
