//! Enumerations, shared variables, and the heads of threads and procedures.

use super::functions::Typed;
use super::names::Variable;
use super::records::Leaf;
use super::types::{Declared, LockKind, readers_sort};
use super::{Lowerer, Mode};
use crate::ast::{self, ItemKind, Name, Rhs, VarDecl};
use std::sync::Arc;
use threadwise_ir::{Copies, EnumDef, Initial, Routine, RoutineId, SharedId, SharedVar, Sort, Template};
use threadwise_source::{Diagnostic, Span};

/// The most copies of a thread.
const MAX_COPIES: i64 = 65_536;

/// The head of a procedure. A sort is missing where its type is wrong.
pub(super) struct Procedure {
    /// Its code.
    pub(super) routine: RoutineId,
    /// The types of its parameters.
    pub(super) params: Vec<Option<Typed>>,
    /// The sort of its result, if it has one.
    pub(super) result: Option<Option<Sort>>,
    /// Its name in the declaration.
    pub(super) span: Span,
}

impl<'a> Lowerer<'a> {
    /// The enumerations.
    pub(super) fn declare_types(&mut self) {
        for item in &self.module.items {
            if let ItemKind::Enum(name, members) = &item.kind {
                let members = members.iter().map(|m| Arc::from(m.text.as_str())).collect::<Vec<Arc<str>>>();
                if members.is_empty() && !self.reporter.incomplete {
                    let error = Diagnostic::error(name.span, format!("the type `{}` has no values", name.text));
                    self.reporter.report(error.label("an enumeration needs a member"));
                }
                self.program.enums.push(EnumDef { name: name.text.as_str().into(), members });
            }
        }
    }

    /// The shared variables and their sorts; their initial values follow later, because they may
    /// mention threads.
    pub(super) fn declare_variables(&mut self) {
        for item in &self.module.items {
            if let ItemKind::Shared(decl) = &item.kind {
                let declared = self.declared(&decl.ty);
                for name in &decl.names {
                    let variable = match &declared {
                        Some(declared) => self.declare_variable(name, declared),
                        None => Variable::Broken,
                    };
                    self.variables.push(variable);
                }
            }
        }
    }

    fn declare_variable(&mut self, name: &Name, declared: &Declared) -> Variable {
        let Declared { sort, lock, channel, .. } = declared;
        if let Some(channel) = channel {
            return self.declare_channel(name, channel, &declared.keys());
        }
        if let Some(ty) = declared.record_type() {
            let leaves = self.leaves(&ty);
            let add = |leaf: Leaf| self.add_shared(&format!("{}{}", name.text, leaf.suffix), leaf.sort, name.span);
            let variables = leaves.into_iter().map(add).collect();
            self.record_variables.push((ty, variables));
            return Variable::Record(self.record_variables.len() - 1);
        }
        if *lock != Some(LockKind::RwLock) {
            return Variable::Plain(self.add_shared(&name.text, sort.clone(), name.span), *lock);
        }
        let writer = self.add_shared(&format!("{}.w", name.text), sort.clone(), name.span);
        let readers = self.add_shared(&format!("{}.r", name.text), readers_sort(sort), name.span);
        Variable::RwLock { writer, readers }
    }

    pub(super) fn add_shared(&mut self, name: &str, sort: Sort, span: Span) -> SharedId {
        let id = SharedId(self.program.shared.len() as u32);
        self.program.shared.push(SharedVar { name: name.into(), sort, init: Initial::Default, span });
        id
    }

    /// The initial values of the shared variables.
    pub(super) fn lower_initial_values(&mut self) {
        let mut index = 0;
        for item in &self.module.items {
            if let ItemKind::Shared(decl) = &item.kind {
                for _ in &decl.names {
                    self.lower_initial_value(decl, self.variables[index]);
                    index += 1;
                }
            }
        }
    }

    fn lower_initial_value(&mut self, decl: &'a VarDecl, variable: Variable) {
        let Some(rhs) = &decl.init else { return };
        match variable {
            Variable::Broken => {}
            Variable::Plain(_, Some(LockKind::Cond)) => {
                self.no_initial_value(rhs, "a `cond`", "nobody waits at the start")
            }
            Variable::Plain(id, _) => {
                let initial = match rhs {
                    Rhs::Any(_) => Some(Initial::Any),
                    Rhs::Expr(e) => {
                        let sort = self.program.shared[id.index()].sort.clone();
                        let mode = Mode::InitialValue(id.index());
                        self.in_mode(mode, |l| l.value_of(e, &sort)).map(Initial::Value)
                    }
                };
                self.program.shared[id.index()].init = initial.unwrap_or(Initial::Default);
            }
            Variable::Record(index) => self.lower_initial_record(index, rhs),
            Variable::Channel(_) => self.no_initial_value(rhs, "a channel", "it always starts empty"),
            Variable::RwLock { .. } => {
                self.no_initial_value(rhs, "an `rwlock`", "it always starts free, with no writer and no readers");
            }
        }
    }

    fn lower_initial_record(&mut self, index: usize, rhs: &'a Rhs) {
        let (ty, variables) = self.record_variables[index].clone();
        let Some(first) = variables.first() else { return };
        let initial = match rhs {
            Rhs::Any(_) => vec![Initial::Any; variables.len()],
            Rhs::Expr(e) => {
                let mode = Mode::InitialValue(first.index());
                let values = self.in_mode(mode, |l| l.record_value(e, &ty));
                values.into_iter().flatten().map(Initial::Value).collect()
            }
        };
        for (id, initial) in variables.into_iter().zip(initial) {
            self.program.shared[id.index()].init = initial;
        }
    }

    fn no_initial_value(&mut self, rhs: &Rhs, what: &str, why: &str) {
        let span = match rhs {
            Rhs::Any(span) => *span,
            Rhs::Expr(e) => e.span,
        };
        self.report(Diagnostic::error(span, format!("{what} has no initial value")).label(why));
    }

    /// The heads of threads and procedures; their code follows later, because they may mention
    /// each other.
    pub(super) fn declare_threads_and_procedures(&mut self) {
        for item in &self.module.items {
            match &item.kind {
                ItemKind::Thread(thread) => {
                    let copies = self.copies(&thread.copies);
                    let body = self.add_routine(&thread.name.text, 0);
                    let (name, span) = (thread.name.text.as_str().into(), thread.name.span);
                    self.program.templates.push(Template { name, copies, body, span });
                    self.declare_startable(thread, copies);
                }
                ItemKind::Proc(proc) => self.declare_procedure(proc),
                _ => {}
            }
        }
        if self.program.templates.is_empty() && !self.reporter.incomplete {
            let error = Diagnostic::error(Span::default(), "no thread is declared");
            self.report(error.hint("a program needs at least one `thread P { … }`"));
        }
    }

    fn declare_procedure(&mut self, proc: &'a ast::Proc) {
        let params: Vec<Option<Typed>> = proc.params.iter().map(|p| self.typed(&p.ty, "a parameter")).collect();
        let result = proc.result.as_ref().map(|r| self.sort(&r.ty, "a result"));
        let leaves = |param: &Option<Typed>| match param {
            Some(Typed::Record(ty)) => self.leaves(ty).len(),
            Some(Typed::Plain(_)) | None => 1,
        };
        let count = params.iter().map(leaves).sum();
        let routine = self.add_routine(&proc.name.text, count);
        self.procedures.push(Procedure { routine, params, result, span: proc.name.span });
    }

    /// A routine whose code is not there yet.
    fn add_routine(&mut self, name: &str, params: usize) -> RoutineId {
        let id = RoutineId(self.program.routines.len() as u32);
        self.program.routines.push(Routine { params, ..Routine::new(name.into()) });
        id
    }

    fn copies(&mut self, copies: &ast::Copies) -> Copies {
        let e = match copies {
            ast::Copies::Single => return Copies::Single,
            ast::Copies::Any => return Copies::Any,
            ast::Copies::Exactly(e) => e,
        };
        match self.constant(e) {
            Some(count @ 0..=MAX_COPIES) => Copies::Exactly(count as u32),
            Some(count) => {
                let error = Diagnostic::error(e.span, format!("a thread cannot have {count} copies"));
                self.report(error.label(format!("expected a number from 0 to {MAX_COPIES}")));
                Copies::Exactly(0)
            }
            None => Copies::Exactly(0),
        }
    }
}
