//! Functions that are needed, one after the other, beginning with the entries.

use crate::body::Body;
use crate::effects::addresses_taken;
use crate::elaborate::{Elaborator, EntityId, EntityKind, Fallible, FileId, Symbol};
use crate::types::{Kind, Ty};
use lang_c::ast::{FunctionDefinition, Statement};
use lang_c::span::Node;
use threadwise_memory::code::{End, Expr, ExprKind, FunctionId, Place, Type};
use threadwise_source::{Diagnostic, Span};

impl<'a> Elaborator<'a> {
    /// Elaborates what the entries need; gives the entries.
    pub fn run(&mut self, entries: &[String]) -> Vec<FunctionId> {
        let mut ids = Vec::new();
        for name in entries {
            match self.linked.get(name).copied().or_else(|| self.find_static(name)) {
                Some(entity) if self.has_body(entity) => ids.push(self.function_id(entity)),
                _ => {
                    let error =
                        Diagnostic::error(Span::default(), format!("there is no function `{name}` to start with"));
                    self.diagnostics.push(error.hint("say --entry NAME for another function to start with"));
                }
            }
        }
        self.elaborate_waiting();
        ids
    }

    /// Elaborates what somebody needs.
    pub fn elaborate_waiting(&mut self) {
        while let Some(entity) = self.waiting.pop_front() {
            let result = match self.entity(entity).kind {
                EntityKind::Function { .. } => self.elaborate_function(entity),
                EntityKind::Variable { .. } => self.elaborate_global(entity),
            };
            self.report(result);
        }
    }

    fn find_static(&self, name: &str) -> Option<EntityId> {
        self.files.iter().find_map(|scope| match scope.names.get(name) {
            Some(Symbol::Entity(entity)) => Some(*entity),
            _ => None,
        })
    }

    fn elaborate_function(&mut self, entity: EntityId) -> Fallible<()> {
        let known = self.entity(entity);
        let EntityKind::Function { definition, id: Some(id) } = known.kind else { return Ok(()) };
        let Kind::Function(signature) = known.ty.kind.clone() else { return Ok(()) };
        self.function_name = known.name.clone();
        self.result = signature.result.clone();
        let is_struct = self.result.struct_id().is_some();
        self.functions[id.index()].result = if is_struct { Type::Void } else { self.lower(&self.result) };
        self.functions[id.index()].span = self.entity(entity).span;
        match definition {
            Some((file, node)) => self.elaborate_body(entity, id, file, node),
            None => {
                self.unknown_function(id, &signature.params, is_struct);
                Ok(())
            }
        }
    }

    fn unknown_function(&mut self, id: FunctionId, params: &[Ty], is_struct: bool) {
        self.body = Body::new(Default::default());
        let span = self.functions[id.index()].span;
        if is_struct {
            self.body.add_local("$result".into(), Type::Pointer, span);
        }
        for (index, ty) in params.iter().enumerate() {
            let ty = if ty.struct_id().is_some() { Type::Pointer } else { self.lower(ty) };
            self.body.add_local(format!("${}", index + 1).into(), ty, span);
        }
        let function = &mut self.functions[id.index()];
        function.params = self.body.locals.len();
        function.locals = std::mem::take(&mut self.body.locals);
    }

    fn elaborate_body(
        &mut self,
        entity: EntityId,
        id: FunctionId,
        file: FileId,
        node: &'a Node<FunctionDefinition>,
    ) -> Fallible<()> {
        (self.file, self.scopes) = (file, vec![Default::default()]);
        self.body = Body::new(addresses_taken(&node.node));
        let span = self.span(node.span);
        let end = Span { start: span.end.saturating_sub(1), end: span.end };
        self.result_pointer = None;
        if self.result.struct_id().is_some() {
            self.result_pointer = Some(self.body.add_local("$result".into(), Type::Pointer, span));
        }
        let structs = self.add_parameters(node)?;
        let is_variadic = matches!(&self.entity(entity).ty.kind, Kind::Function(it) if it.variadic && it.has_prototype);
        self.more = is_variadic.then(|| self.body.add_local("$more".into(), Type::Pointer, span));
        self.functions[id.index()].params = self.body.locals.len();
        self.copy_structs(structs)?;
        let Statement::Compound(_) = &node.node.statement.node else {
            return Err(self.error(span, "the body of a function is a block"));
        };
        self.statement(&node.node.statement);
        self.fall_off_the_end(end);
        for (name, span) in self.body.missing_labels() {
            let error = self.error(span, format!("there is no label `{name}` in this function"));
            self.diagnostics.push(*error);
        }
        let body = std::mem::take(&mut self.body);
        let (locals, blocks) = body.finished(end);
        let function = &mut self.functions[id.index()];
        (function.locals, function.body, function.end) = (locals, Some(blocks), end);
        Ok(())
    }

    /// Structs come as addresses of copies; what the body names are copies of these.
    fn add_parameters(&mut self, node: &'a Node<FunctionDefinition>) -> Fallible<Vec<(usize, String, Ty, Span)>> {
        let mut structs = Vec::new();
        for parameter in self.defined_parameters(&node.node.declarator)? {
            let (name, span) = match parameter.name {
                Some(name) => (name.node.name.clone(), self.span(name.span)),
                None => (format!("${}", self.body.locals.len() + 1), self.span(node.span)),
            };
            if parameter.ty.struct_id().is_some() {
                let local = self.body.add_local(format!("${name}").into(), Type::Pointer, span);
                structs.push((local.index(), name, parameter.ty, span));
                continue;
            }
            let local = self.body.add_local(name.as_str().into(), self.lower(&parameter.ty), span);
            self.declare(&name, Symbol::Local(local, parameter.ty));
        }
        Ok(structs)
    }

    fn copy_structs(&mut self, structs: Vec<(usize, String, Ty, Span)>) -> Fallible<()> {
        for (pointer, name, ty, span) in structs {
            let local = self.body.add_local(name.as_str().into(), self.lower(&ty), span);
            self.declare(&name, Symbol::Local(local, ty.clone()));
            let pointer = threadwise_memory::code::LocalId(pointer as u32);
            let pointer = Expr::load(Place::local(pointer, Type::Pointer, span));
            let from = self.dereferenced(pointer, &ty.unqualified(), span);
            let to = self.local_place(local, &ty, span);
            self.initialize(&to, crate::values::Value::Object(from), span)?;
        }
        Ok(())
    }

    /// The end of a function without `return`: `main` gives zero, others nothing that anybody may look at.
    fn fall_off_the_end(&mut self, end: Span) {
        let value = if self.result.is_void() || self.result_pointer.is_some() {
            None
        } else if &*self.function_name == "main" {
            Some(Expr::constant(0, self.lower(&self.result), end))
        } else {
            Some(Expr::new(ExprKind::Any, self.lower(&self.result), end))
        };
        self.run_handlers_after_main(end);
        self.body.end(End::Return(value), end);
    }
}
