//! Declarators: the part of a declaration that makes a pointer, an array or a function of a type, and names it.

use crate::elaborate::{Elaborator, Fallible};
use crate::specifiers::qualify;
use crate::types::{Kind, Quals, Signature, Ty};
use lang_c::ast::{
    ArraySize, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, FunctionDeclarator, Identifier,
    ParameterDeclaration, PointerQualifier, TypeName,
};
use lang_c::span::Node;
use std::sync::Arc;
use threadwise_memory::code::Expr;

/// A parameter of a function that is defined.
pub struct Parameter<'a> {
    pub name: Option<&'a Node<Identifier>>,
    pub ty: Ty,
}

impl<'a> Elaborator<'a> {
    pub fn type_name(&mut self, name: &'a Node<TypeName>) -> Fallible<Ty> {
        let span = self.span(name.span);
        let (base, attributes) = self.specifier_qualifiers(&name.node.specifiers, span)?;
        let base = self.with_mode(base, attributes);
        match &name.node.declarator {
            Some(declarator) => Ok(self.declarator(declarator, base)?.1),
            None => Ok(base),
        }
    }

    /// The name that is declared, and its type.
    pub fn declarator(&mut self, node: &'a Node<Declarator>, base: Ty) -> Fallible<(Option<&'a Node<Identifier>>, Ty)> {
        let mut ty = base;
        let is_pointer = |derived: &DerivedDeclarator| {
            matches!(derived, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_))
        };
        let (pointers, others): (Vec<_>, Vec<_>) = node.node.derived.iter().partition(|part| is_pointer(&part.node));
        for pointer in pointers {
            if let DerivedDeclarator::Pointer(qualifiers) = &pointer.node {
                ty = ty.pointer_to().with(pointer_qualifiers(qualifiers));
            }
        }
        // What stands to the right belongs to what the rest of the right makes of the type.
        for (index, part) in others.iter().enumerate().rev() {
            ty = match &part.node {
                DerivedDeclarator::Array(array) => {
                    let is_outermost = index == 0;
                    self.array_type(ty, &array.node.size, is_outermost)?
                }
                DerivedDeclarator::Function(function) => self.function_type(ty, &function.node)?,
                DerivedDeclarator::KRFunction(names) if names.is_empty() => {
                    self.signature(ty, Vec::new(), false, false)
                }
                DerivedDeclarator::KRFunction(_) => {
                    let advice = "declare the parameters with their types between the parentheses";
                    return Err(self.unsupported(self.span(part.span), "a parameter list without types", advice));
                }
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => ty,
            };
        }
        match &node.node.kind.node {
            DeclaratorKind::Abstract => Ok((None, ty)),
            DeclaratorKind::Identifier(name) => Ok((Some(name), ty)),
            DeclaratorKind::Declarator(inner) => self.declarator(inner, ty),
        }
    }

    fn array_type(&mut self, element: Ty, size: &'a ArraySize, is_outermost: bool) -> Fallible<Ty> {
        let expression = match size {
            ArraySize::Unknown | ArraySize::VariableUnknown => return Ok(element.array_of(None)),
            ArraySize::VariableExpression(expression) | ArraySize::StaticExpression(expression) => expression,
        };
        match self.constant(expression) {
            Ok(count) if count < 0 => Err(self.error(self.span(expression.span), "the size of an array is negative")),
            Ok(count) => Ok(element.array_of(Some(count as u64))),
            Err(error) if self.scopes.is_empty() => Err(error),
            // The outermost size of a local array may be known only when it is declared.
            Err(_) if is_outermost && self.unevaluated == 0 && !self.in_parameters => {
                let value = self.expression(expression)?;
                let (count, _) = self.scalar(value)?;
                let count: Expr = self.kept(count);
                self.variable_size = Some(count);
                Ok(element.array_of(None))
            }
            Err(_) if is_outermost => Ok(element.array_of(None)),
            Err(_) => {
                let span = self.span(expression.span);
                Err(self.unsupported(span, "an inner array of variable size", "give it a constant size"))
            }
        }
    }

    fn function_type(&mut self, result: Ty, function: &'a FunctionDeclarator) -> Fallible<Ty> {
        let params = self.parameters(function)?.into_iter().map(|parameter| parameter.ty).collect();
        let has_prototype = !function.parameters.is_empty();
        Ok(self.signature(result, params, function.ellipsis == Ellipsis::Some, has_prototype))
    }

    fn signature(&self, result: Ty, params: Vec<Ty>, variadic: bool, has_prototype: bool) -> Ty {
        Ty::of(Kind::Function(Arc::new(Signature { result, params, variadic, has_prototype })))
    }

    /// The parameters of a function, arrays and functions as pointers.
    pub fn parameters(&mut self, function: &'a FunctionDeclarator) -> Fallible<Vec<Parameter<'a>>> {
        let outer = std::mem::replace(&mut self.in_parameters, true);
        let parameters: Fallible<Vec<Parameter>> =
            function.parameters.iter().map(|node| self.parameter(node)).collect();
        self.in_parameters = outer;
        let mut parameters = parameters?;
        if let [Parameter { name: None, ty }] = &parameters[..]
            && ty.is_void()
        {
            parameters.clear();
        }
        Ok(parameters)
    }

    fn parameter(&mut self, node: &'a Node<ParameterDeclaration>) -> Fallible<Parameter<'a>> {
        let span = self.span(node.span);
        let base = self.declaration_specifiers(&node.node.specifiers, span)?.ty;
        let (name, ty) = match &node.node.declarator {
            Some(declarator) => self.declarator(declarator, base)?,
            None => (None, base),
        };
        let ty = match &ty.kind {
            Kind::Array(element, _) => (**element).clone().pointer_to(),
            Kind::Function(_) => ty.pointer_to(),
            _ => ty,
        };
        Ok(Parameter { name, ty })
    }

    /// The declarator of a function that is defined: the parameters next to its name.
    pub fn defined_parameters(&mut self, node: &'a Node<Declarator>) -> Fallible<Vec<Parameter<'a>>> {
        for part in &node.node.derived {
            if let DerivedDeclarator::Function(function) = &part.node
                && !matches!(node.node.kind.node, DeclaratorKind::Declarator(_))
            {
                return self.parameters(&function.node);
            }
        }
        match &node.node.kind.node {
            DeclaratorKind::Declarator(inner) => self.defined_parameters(inner),
            _ => Ok(Vec::new()),
        }
    }
}

fn pointer_qualifiers(all: &[Node<PointerQualifier>]) -> Quals {
    let mut quals = Quals::default();
    for qualifier in all {
        if let PointerQualifier::TypeQualifier(qualifier) = &qualifier.node {
            qualify(&mut quals, &qualifier.node);
        }
    }
    quals
}
