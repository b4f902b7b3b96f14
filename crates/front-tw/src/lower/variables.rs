//! Names in expressions, and their values after the step.

use super::names::{Binding, GlobalKind, Meaning, Variable};
use super::types::LockKind;
use super::{Lowerer, Mode};
use crate::ast;
use threadwise_ir::{Copies, Expr, ExprKind, LocalId, SharedId, Sort, TemplateId, VarRef};
use threadwise_source::{Diagnostic, Span};

/// Whether an expression reads a variable before or after the step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    Before,
    After,
}

impl<'a> Lowerer<'a> {
    /// A name that stands for a value.
    pub(super) fn name(&mut self, name: &str, span: Span) -> Option<Expr> {
        match self.resolve(name, span)? {
            Meaning::Inner(Binding::Local(id)) => Some(self.read_local(id, When::Before, span)),
            Meaning::Inner(Binding::Constant(value)) => Some(Expr::constant(value, Sort::Int, span)),
            Meaning::Inner(Binding::Bound(depth, domain)) => {
                Some(Expr::new(ExprKind::Bound(depth), domain.sort(), span))
            }
            Meaning::Inner(Binding::Value(value)) => self.substituted(&value, span),
            // Records are paths, which are looked at before names are.
            Meaning::Inner(Binding::Record(_) | Binding::Broken) => None,
            Meaning::Global(kind) => self.global(name, kind, span),
        }
    }

    fn global(&mut self, name: &str, kind: GlobalKind, span: Span) -> Option<Expr> {
        match kind {
            GlobalKind::Const(index) => self.constants[index].value.map(|value| Expr::constant(value, Sort::Int, span)),
            GlobalKind::Member(of, index) => Some(Expr::member(of, index, span)),
            GlobalKind::Shared(index) => self.read_variable(name, self.variables[index], When::Before, span),
            GlobalKind::Thread(template) => self.thread_identity(template, span),
            GlobalKind::Proc(_) => {
                let error = Diagnostic::error(span, format!("`{name}` is a procedure, not a value"));
                self.report(error.label("a call is a statement").hint(format!("write `x = {name}(…);`")));
                None
            }
            GlobalKind::Function(_) => {
                let error = Diagnostic::error(span, format!("`{name}` is a function, not a value"));
                self.report(error.label("expected a call").hint(format!("write `{name}(…)`")));
                None
            }
            GlobalKind::Record(_) => {
                let error = Diagnostic::error(span, format!("`{name}` is a type, not a value"));
                self.report(error.label("expected a value").hint(format!("write `{name}(a: …)` with its fields")));
                None
            }
            GlobalKind::Enum(_) => {
                let error = Diagnostic::error(span, format!("`{name}` is a type, not a value"));
                self.report(error.label("expected one of its members"));
                None
            }
        }
    }

    /// The identity of a thread that is not replicated.
    pub(super) fn thread_identity(&mut self, template: TemplateId, span: Span) -> Option<Expr> {
        let thread = &self.program.templates[template.index()];
        if thread.copies == Copies::Single {
            return Some(Expr::new(ExprKind::Thread(template), Sort::Tid, span));
        }
        let name = thread.name.clone();
        let error = Diagnostic::error(span, format!("`{name}` is replicated, so it does not name one thread"));
        let error = error.label("which copy is meant?").related(thread.span, "declared with copies here");
        self.report(error.hint(format!("bind one of them, as in `forall i: {name} :: …`")));
        None
    }

    fn read_variable(&mut self, name: &str, variable: Variable, when: When, span: Span) -> Option<Expr> {
        match variable {
            Variable::Broken | Variable::Record(_) => None,
            Variable::Plain(_, Some(LockKind::Cond)) => {
                let error = Diagnostic::error(span, format!("the condition variable `{name}` is not a value"));
                self.report(error.label("only `wait`, `signal` and `broadcast` use it"));
                None
            }
            Variable::Channel(_) => {
                let error = Diagnostic::error(span, format!("the channel `{name}` is not a value"));
                self.report(error.label("only `send`, `receive` and `size` use it"));
                None
            }
            Variable::Plain(id, _) => self.read_shared(id, when, span),
            Variable::RwLock { .. } => {
                let error = Diagnostic::error(span, format!("the rwlock `{name}` is not a value"));
                let error = error.label("expected one of its parts");
                self.report(error.hint(format!("its writer is `{name}.w`, its set of readers `{name}.r`")));
                None
            }
        }
    }

    /// The value of a shared variable.
    pub(super) fn read_shared(&mut self, id: SharedId, when: When, span: Span) -> Option<Expr> {
        self.body.names_shared = true;
        let variable = &self.program.shared[id.index()];
        if let Mode::InitialValue(index) = self.mode
            && id.index() >= index
        {
            let message = format!("`{}` has no value yet", variable.name);
            let error = Diagnostic::error(span, message).label("initial values may use variables declared before");
            let error = error.related(variable.span, "declared here");
            self.report(error.hint("for equations between initial values write `= *` and an `init`"));
            return None;
        }
        let sort = variable.sort.clone();
        Some(read(VarRef::Shared(id), sort, when, span))
    }

    pub(super) fn read_local(&mut self, id: LocalId, when: When, span: Span) -> Expr {
        let sort = self.body.locals[id.index()].sort.clone();
        read(VarRef::Local(id), sort, when, span)
    }

    /// `x'` and `l.w'`.
    pub(super) fn primed(&mut self, inner: &'a ast::Expr, span: Span) -> Option<Expr> {
        if !self.check_primes_allowed(span) {
            return None;
        }
        match &inner.kind {
            ast::ExprKind::Name(name) => match self.resolve(name, inner.span)? {
                Meaning::Inner(Binding::Local(id)) => Some(self.read_local(id, When::After, span)),
                Meaning::Global(GlobalKind::Shared(index)) => {
                    self.read_variable(name, self.variables[index], When::After, span)
                }
                Meaning::Inner(Binding::Broken) => None,
                other => {
                    let message = format!("`{name}` has no value after the step: it is {}", other.noun());
                    self.report(Diagnostic::error(span, message).label("only variables change in a step"));
                    None
                }
            },
            ast::ExprKind::Field(base, field) => self.rwlock_part(base, field, When::After, span),
            ast::ExprKind::Error => self.expr(inner, None),
            _ => self.misplaced_prime(inner, span),
        }
    }

    fn misplaced_prime(&mut self, inner: &ast::Expr, span: Span) -> Option<Expr> {
        let error = Diagnostic::error(span, "a prime belongs to a variable");
        let error = error.label("this is not a variable");
        let mut base = inner;
        while let ast::ExprKind::Index(array, _) = &base.kind {
            base = array;
        }
        let name = self.program.source.snippet(base.span, 40);
        self.report(match &inner.kind {
            ast::ExprKind::Index(..) => error.hint(format!("write `{name}'[…]` for the element after the step")),
            _ => error.hint("prime the variables inside instead"),
        });
        None
    }

    /// Whether values after the step may be mentioned here; if not, that is reported.
    pub(super) fn check_primes_allowed(&mut self, span: Span) -> bool {
        if matches!(self.mode, Mode::Action | Mode::Contract | Mode::AbstractEdge | Mode::Function) {
            return true;
        }
        let error = Diagnostic::error(span, "a prime makes sense only where a step is described");
        let error = error.label("there is no value after the step here");
        self.report(error.hint("primes belong into `action`, `rely`, `guarantee` and the edges of abstract threads"));
        false
    }
}

fn read(var: VarRef, sort: Sort, when: When, span: Span) -> Expr {
    let kind = match when {
        When::Before => ExprKind::Read(var),
        When::After => ExprKind::ReadAfter(var),
    };
    Expr::new(kind, sort, span)
}
