//! Functions, by substitution: before anything else is done, every call is replaced by the body of the function with the
//! arguments in the places of the parameters.
//!
//! A name in a body means what it means outside of all threads, whatever it means at the call: it is marked with
//! [`GLOBAL`]. Variables that a body binds get names that no program has, so that they do not hide anything.

use crate::value::{Fault, unsupported};
use std::collections::BTreeMap;
use threadwise_front_tw::ast::*;

/// What stands before a name that means something global.
pub(crate) const GLOBAL: &str = "::";

/// The name without the mark, if it has one.
pub(crate) fn unmarked(name: &str) -> &str {
    name.strip_prefix(GLOBAL).unwrap_or(name)
}

/// The module without functions.
pub(crate) fn expanded(module: &Module) -> Result<Module, Fault> {
    let mut functions = BTreeMap::new();
    for item in &module.items {
        if let ItemKind::Function(function) = &item.kind {
            functions.insert(function.name.text.as_str(), function);
        }
    }
    let mut module = module.clone();
    if functions.is_empty() {
        return Ok(module);
    }
    let declared = module.clone();
    let functions = declared.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Function(function) => Some((function.name.text.clone(), function)),
        _ => None,
    });
    let mut expander = Expander { functions: functions.collect(), depth: 0, fresh: 0 };
    module.items.retain(|item| !matches!(item.kind, ItemKind::Function(_)));
    for item in &mut module.items {
        expander.item(&mut item.kind)?;
    }
    Ok(module)
}

struct Expander<'a> {
    functions: BTreeMap<String, &'a Function>,
    depth: usize,
    fresh: usize,
}

impl Expander<'_> {
    fn item(&mut self, item: &mut ItemKind) -> Result<(), Fault> {
        match item {
            ItemKind::Shared(decl) => self.declaration(decl),
            ItemKind::Init(e) | ItemKind::Invariant(_, e) | ItemKind::Never(_, e) | ItemKind::Exceptions(e) => {
                self.expr(e)
            }
            ItemKind::Thread(thread) => self.block(&mut thread.body),
            ItemKind::Proc(proc) => self.block(&mut proc.body),
            _ => Ok(()),
        }
    }

    fn declaration(&mut self, decl: &mut VarDecl) -> Result<(), Fault> {
        match &mut decl.init {
            Some(Rhs::Expr(e)) => self.expr(e),
            Some(Rhs::Any(_)) | None => Ok(()),
        }
    }

    fn block(&mut self, block: &mut Block) -> Result<(), Fault> {
        block.stmts.iter_mut().try_for_each(|stmt| self.stmt(&mut stmt.kind))
    }

    fn exprs(&mut self, list: &mut [Expr]) -> Result<(), Fault> {
        list.iter_mut().try_for_each(|e| self.expr(e))
    }

    fn stmt(&mut self, stmt: &mut StmtKind) -> Result<(), Fault> {
        match stmt {
            StmtKind::Empty | StmtKind::Skip | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => Ok(()),
            StmtKind::Var(decl) => self.declaration(decl),
            StmtKind::Assign(places, values) => {
                self.exprs(places)?;
                values.iter_mut().try_for_each(|value| match value {
                    Rhs::Expr(e) => self.expr(e),
                    Rhs::Any(_) => Ok(()),
                })
            }
            StmtKind::Assert(e, _) | StmtKind::Assume(e) | StmtKind::Lock(_, e) | StmtKind::Join(e) => self.expr(e),
            StmtKind::Signal(e) | StmtKind::Broadcast(e) => self.expr(e),
            StmtKind::Wait(a, b) | StmtKind::Send(a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            StmtKind::Receive { result, channel } => {
                result.iter_mut().try_for_each(|e| self.expr(e))?;
                self.expr(channel)
            }
            StmtKind::Action { frame, formula, assertion } => {
                self.exprs(frame)?;
                self.expr(formula)?;
                assertion.iter_mut().try_for_each(|e| self.expr(e))
            }
            StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::Loop(_, body) => self.block(body),
            StmtKind::For(_, _, _, body) | StmtKind::ForCopies(_, _, body) => self.block(body),
            StmtKind::If(condition, yes, no) => {
                self.condition(condition)?;
                self.block(yes)?;
                no.iter_mut().try_for_each(|no| self.block(no))
            }
            StmtKind::While(condition, _, body) => {
                self.condition(condition)?;
                self.block(body)
            }
            StmtKind::Choose(branches) | StmtKind::Select(branches) => {
                branches.iter_mut().try_for_each(|branch| self.block(branch))
            }
            StmtKind::Call { result, args, .. } | StmtKind::Start { result, args, .. } => {
                result.iter_mut().try_for_each(|e| self.expr(e))?;
                self.exprs(args)
            }
            StmtKind::Return(value) => value.iter_mut().try_for_each(|e| self.expr(e)),
        }
    }

    fn condition(&mut self, condition: &mut Cond) -> Result<(), Fault> {
        match condition {
            Cond::Expr(e) => self.expr(e),
            Cond::Any => Ok(()),
        }
    }

    fn expr(&mut self, e: &mut Expr) -> Result<(), Fault> {
        parts(&mut e.kind).into_iter().try_for_each(|part| self.expr(part))?;
        let ExprKind::Call(name, args) = &e.kind else { return Ok(()) };
        let Some(function) = self.functions.get(&name.text).copied() else {
            return unsupported(format!("unknown function `{}`", name.text));
        };
        if self.depth > 50 {
            return unsupported("a recursive function");
        }
        let mut values = BTreeMap::new();
        for (param, arg) in function.params.iter().zip(args) {
            values.insert(param.name.text.clone(), as_one_of(arg.clone(), &param.ty));
        }
        self.fresh += 1;
        let mut body = function.body.clone();
        // The calls in the body first: what is in the arguments has been expanded already.
        self.depth += 1;
        self.expr(&mut body)?;
        self.depth -= 1;
        substitute(&mut body, &values, &mut Vec::new(), self.fresh);
        *e = as_one_of(body, &function.result);
        Ok(())
    }
}

/// A constant takes the type of the parameter that it is given for.
fn as_one_of(e: Expr, ty: &Type) -> Expr {
    match ty.kind {
        TypeKind::Machine(machine) => {
            let span = e.span;
            Expr { kind: ExprKind::Convert(Conversion::Machine(machine), Box::new(e)), span }
        }
        _ => e,
    }
}

/// Puts arguments in the places of parameters. `bound` are the variables that the body binds, with their new names.
fn substitute(e: &mut Expr, values: &BTreeMap<String, Expr>, bound: &mut Vec<(String, String)>, fresh: usize) {
    match &mut e.kind {
        ExprKind::Name(name) => {
            if let Some((_, renamed)) = bound.iter().rev().find(|(old, _)| old == name) {
                *name = renamed.clone();
            } else if let Some(value) = values.get(name) {
                *e = value.clone();
            } else if !name.starts_with(GLOBAL) && !name.contains('#') {
                *name = format!("{GLOBAL}{name}");
            }
        }
        ExprKind::Quantified(_, binders, body) => {
            let outer = bound.len();
            for binder in binders {
                let renamed = format!("{}#{fresh}", binder.name.text);
                bound.push((binder.name.text.clone(), renamed.clone()));
                binder.name.text = renamed;
            }
            substitute(body, values, bound, fresh);
            bound.truncate(outer);
        }
        other => parts(other).into_iter().for_each(|part| substitute(part, values, bound, fresh)),
    }
}

/// The expressions that an expression is made of.
fn parts(e: &mut ExprKind) -> Vec<&mut Expr> {
    match e {
        ExprKind::Int(_) | ExprKind::LargeInt(_) | ExprKind::Bool(_) | ExprKind::Name(_) => Vec::new(),
        ExprKind::SelfThread | ExprKind::None | ExprKind::Error => Vec::new(),
        ExprKind::Prime(a) | ExprKind::Field(a, _) | ExprKind::At(a, _) | ExprKind::Unary(_, a) => vec![a],
        ExprKind::Size(a) | ExprKind::Ord(a) | ExprKind::Convert(_, a) | ExprKind::ArrayFill(a) => vec![a],
        ExprKind::Quantified(_, _, a) => vec![a],
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
        ExprKind::Conditional(a, b, c) => vec![a, b, c],
        ExprKind::SetLiteral(all) | ExprKind::ArrayLiteral(all) | ExprKind::Call(_, all) => all.iter_mut().collect(),
        ExprKind::RecordLiteral(_, fields) => fields.iter_mut().map(|(_, e)| e).collect(),
    }
}
