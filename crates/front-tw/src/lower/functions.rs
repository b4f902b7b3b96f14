//! Pure functions: a call is the body with the arguments in the places of the parameters.

use super::budget::NODE;
use super::names::{Binding, GlobalKind, Scope};
use super::records::RecordType;
use super::statements::counted;
use super::{Lowerer, Mode};
use crate::ast::{self, ItemKind, Name};
use std::rc::Rc;
use threadwise_ir::{Expr, ExprKind, Sort};
use threadwise_source::{Diagnostic, Span};

/// The type of a parameter or a result.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Typed {
    Plain(Sort),
    Record(RecordType),
}

/// A declared function. A type is missing where it is wrong.
pub(super) struct FunctionHead<'a> {
    declaration: &'a ast::Function,
    params: Vec<Option<Typed>>,
    result: Option<Typed>,
    is_called: bool,
}

/// What a parameter stands for in a call: a value for each leaf of a record, and otherwise one.
#[derive(Debug)]
pub(super) struct Substitute {
    pub(super) leaves: Vec<Expr>,
    pub(super) record: Option<RecordType>,
    /// How many variables are bound around the argument.
    bound: u32,
    /// Whether the argument names a shared variable: the call does so where the parameter occurs, and not where it does not.
    pub(super) names_shared: bool,
}

impl Substitute {
    /// The argument where `bound` variables are bound. Those that it binds itself are counted from the outermost, so they
    /// move.
    pub(super) fn here(&self, e: &Expr, bound: u32) -> Expr {
        let (outer, by) = (self.bound, bound - self.bound);
        if by == 0 {
            return e.clone();
        }
        e.map(&mut |part| match part.kind {
            ExprKind::Bound(depth) if depth >= outer => Some(ExprKind::Bound(depth + by)),
            _ => None,
        })
    }
}

impl<'a> Lowerer<'a> {
    /// The heads of the functions.
    pub(super) fn declare_functions(&mut self) {
        for item in &self.module.items {
            if let ItemKind::Function(declaration) = &item.kind {
                let params = declaration.params.iter().map(|param| self.typed(&param.ty, "a parameter")).collect();
                let result = self.typed(&declaration.result, "a result");
                self.functions.push(FunctionHead { declaration, params, result, is_called: false });
            }
        }
    }

    /// A type that may be that of a record.
    pub(super) fn typed(&mut self, ty: &'a ast::Type, what: &str) -> Option<Typed> {
        let declared = self.declared(ty)?;
        match declared.record_type() {
            Some(record) if self.leaves(&record).iter().all(|leaf| leaf.lock.is_none()) => Some(Typed::Record(record)),
            Some(_) => {
                let error = Diagnostic::error(ty.span, format!("{what} cannot be a record with locks"));
                self.report(error.label("locks are shared variables"));
                None
            }
            None => self.sort(ty, what).map(Typed::Plain),
        }
    }

    /// The record that a function gives, if it gives one.
    pub(super) fn function_result(&self, name: &str) -> Option<RecordType> {
        let GlobalKind::Function(index) = self.globals.get(name)?.kind else { return None };
        match self.functions.get(index)?.result.as_ref()? {
            Typed::Record(ty) => Some(ty.clone()),
            Typed::Plain(_) => None,
        }
    }

    /// A call that gives no record.
    pub(super) fn call_value(&mut self, name: &'a Name, args: &'a [ast::Expr], span: Span) -> Option<Expr> {
        if let Some(ty) = self.function_result(&name.text) {
            let shown = self.show_record(&ty);
            let error = Diagnostic::error(span, format!("`{}` gives a record of type `{shown}`", name.text));
            self.report(error.label("expected a value that is no record"));
            return None;
        }
        self.expand(name, args, span)?.pop()
    }

    /// The values of a call: one for each leaf.
    pub(super) fn expand(&mut self, name: &'a Name, args: &'a [ast::Expr], span: Span) -> Option<Vec<Expr>> {
        let Some(GlobalKind::Function(index)) = self.globals.get(name.text.as_str()).map(|g| g.kind) else {
            // The parser reads calls only of what looks like a function's declaration; it may be a second one of the name.
            self.reporter.note_error();
            return None;
        };
        self.functions[index].is_called = true;
        let (params, result) = (self.functions[index].params.clone(), self.functions[index].result.clone());
        let declaration = self.functions[index].declaration;
        if params.len() != args.len() {
            let wants = counted(params.len(), "argument");
            let error = Diagnostic::error(name.span, format!("`{}` takes {wants}, not {}", name.text, args.len()));
            self.report(error.label(format!("expected {wants}")).related(declaration.name.span, "declared here"));
            return None;
        }
        if self.expanding.contains(&index) {
            let error = Diagnostic::error(span, format!("the function `{}` calls itself", name.text));
            let error = error.label("functions are expanded, so they cannot be recursive");
            self.report(error.related(declaration.name.span, "declared here").hint("a `proc` may be recursive"));
            return None;
        }
        let mut values = Vec::new();
        for (arg, param) in args.iter().zip(&params) {
            values.push(self.argument(arg, param.as_ref()));
        }
        let values = values.into_iter().collect::<Option<Vec<Substitute>>>()?;
        self.in_function(index, values, result?, span)
    }

    fn argument(&mut self, arg: &'a ast::Expr, param: Option<&Typed>) -> Option<Substitute> {
        let bound = self.bound;
        let named_before = std::mem::take(&mut self.body.names_shared);
        let (leaves, record) = match param? {
            Typed::Plain(sort) => (self.value_of(arg, sort).map(|value| vec![value]), None),
            Typed::Record(ty) => (self.record_value(arg, ty), Some(ty.clone())),
        };
        let names_shared = std::mem::replace(&mut self.body.names_shared, named_before);
        Some(Substitute { leaves: leaves?, record, bound, names_shared })
    }

    /// The body of a function, which sees its parameters and what is global.
    fn in_function(&mut self, index: usize, values: Vec<Substitute>, result: Typed, call: Span) -> Option<Vec<Expr>> {
        let declaration = self.functions[index].declaration;
        let outer = std::mem::replace(&mut self.scopes, vec![Scope::default()]);
        self.expanding.push(index);
        let said = self.reporter.position();
        for (param, value) in declaration.params.iter().zip(values) {
            self.declare(&param.name, Binding::Value(Rc::new(value)));
        }
        let body = &declaration.body;
        let expanded = match &result {
            Typed::Plain(sort) => self.value_of(body, sort).map(|value| vec![value]),
            Typed::Record(ty) => self.record_value(body, ty),
        };
        self.reporter.relate_since(said, call, "in this call");
        self.expanding.pop();
        self.scopes = outer;
        expanded
    }

    /// A parameter in the body of a function.
    pub(super) fn substituted(&mut self, value: &Substitute, span: Span) -> Option<Expr> {
        let [one] = &value.leaves[..] else { return None };
        self.body.names_shared |= value.names_shared;
        let mut size = 0;
        one.walk(&mut |_| size += 1);
        self.spend(NODE * size, span).then(|| value.here(one, self.bound))
    }

    /// Functions that nobody calls are looked at too. Of their parameters nothing is known but the type.
    pub(super) fn check_unused_functions(&mut self) {
        for index in 0..self.functions.len() {
            let function = &self.functions[index];
            let (Some(result), false) = (function.result.clone(), function.is_called) else { continue };
            let params = function.params.clone().into_iter().collect::<Option<Vec<Typed>>>();
            let Some(params) = params else { continue };
            let span = function.declaration.name.span;
            let values = params.into_iter().map(|param| self.any_value(param, span)).collect();
            self.in_mode(Mode::Function, |l| l.in_function(index, values, result, span));
        }
    }

    fn any_value(&self, param: Typed, span: Span) -> Substitute {
        let any = |sort: Sort| Expr::new(ExprKind::Bound(0), sort, span);
        match param {
            Typed::Plain(sort) => {
                Substitute { leaves: vec![any(sort)], record: None, bound: self.bound, names_shared: false }
            }
            Typed::Record(ty) => {
                let leaves = self.leaves(&ty).into_iter().map(|leaf| any(leaf.sort)).collect();
                Substitute { leaves, record: Some(ty), bound: self.bound, names_shared: false }
            }
        }
    }
}
