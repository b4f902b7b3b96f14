//! What names stand for: one space of global names, and nested scopes of local ones.

use super::functions::Substitute;
use super::types::LockKind;
use super::{Lowerer, Mode};
use crate::ast::{self, ItemKind, Name};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use threadwise_ir::{Copies, Domain, EnumId, LocalId, SharedId, Template, TemplateId};
use threadwise_source::{Diagnostic, Span};

/// What a global name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GlobalKind {
    /// A constant, as an index into the list of constants.
    Const(usize),
    /// An enumeration type.
    Enum(EnumId),
    /// A member of an enumeration.
    Member(EnumId, usize),
    /// A shared variable, as an index into the list of declared variables.
    Shared(usize),
    Thread(TemplateId),
    /// A procedure, as an index into the list of procedures.
    Proc(usize),
    /// A record, as an index into the list of records.
    Record(usize),
    /// A function, as an index into the list of functions.
    Function(usize),
}

impl GlobalKind {
    /// What to call it in a message.
    pub(super) fn noun(self) -> &'static str {
        match self {
            GlobalKind::Const(_) => "a constant",
            GlobalKind::Enum(_) => "a type",
            GlobalKind::Member(..) => "a constant of an enumeration",
            GlobalKind::Shared(_) => "a shared variable",
            GlobalKind::Thread(_) => "a thread",
            GlobalKind::Proc(_) => "a procedure",
            GlobalKind::Record(_) => "a record type",
            GlobalKind::Function(_) => "a function",
        }
    }
}

/// A global name and where it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub(super) kind: GlobalKind,
    pub(super) span: Span,
}

/// A declared shared variable. An `rwlock` is two variables of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Variable {
    /// Its declaration is wrong, and that has been said.
    Broken,
    /// A variable; it may be a `lock` or a `mutex`, or an array of them.
    Plain(SharedId, Option<LockKind>),
    /// An `rwlock`, or an array of them.
    RwLock {
        /// `l.w`
        writer: SharedId,
        /// `l.r`
        readers: SharedId,
    },
    /// A record or an array of them, as an index into the list of those.
    Record(usize),
    /// A channel or an array of them, as an index into the list of channels.
    Channel(usize),
}

/// What a name of an inner scope stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A local variable, a parameter or a result.
    Local(LocalId),
    /// A local that is a record, as an index into the list of those.
    Record(usize),
    /// A parameter of a function that is being expanded.
    Value(Rc<Substitute>),
    /// The variable of a `for`, in the copy at hand.
    Constant(i64),
    /// A bound variable with its depth.
    Bound(u32, Domain),
    /// Its declaration is wrong, and that has been said.
    Broken,
}

impl Binding {
    /// What to call it in a message.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Binding::Local(_) | Binding::Record(_) | Binding::Broken => "a local variable",
            Binding::Value(_) => "a parameter of a function",
            Binding::Constant(_) => "the constant of a `for` loop",
            Binding::Bound(..) => "a bound variable",
        }
    }
}

/// The names of one scope, and where they are declared.
pub(super) type Scope<'a> = FxHashMap<&'a str, (Binding, Span)>;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// Something of an inner scope.
    Inner(Binding),
    /// Something global.
    Global(GlobalKind),
}

impl Meaning {
    /// What to call it in a message.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Meaning::Inner(binding) => binding.noun(),
            Meaning::Global(kind) => kind.noun(),
        }
    }
}

impl<'a> Lowerer<'a> {
    /// Gives every global name its meaning. Types, values and code follow later, because
    /// declarations may use each other in any order.
    pub(super) fn collect_names(&mut self) {
        let (mut consts, mut enums, mut shared, mut threads, mut procs) = (0, 0, 0, 0, 0);
        let (mut records, mut functions) = (0, 0);
        let module = self.module;
        for item in &module.items {
            match &item.kind {
                ItemKind::Const(name, _) => {
                    self.declare_global(name, GlobalKind::Const(consts));
                    consts += 1;
                }
                ItemKind::Enum(name, members) => {
                    let id = EnumId(enums);
                    self.declare_global(name, GlobalKind::Enum(id));
                    for (index, member) in members.iter().enumerate() {
                        self.declare_global(member, GlobalKind::Member(id, index));
                    }
                    enums += 1;
                }
                ItemKind::Shared(decl) => {
                    for name in &decl.names {
                        self.declare_global(name, GlobalKind::Shared(shared));
                        shared += 1;
                    }
                }
                ItemKind::Thread(thread) => {
                    self.declare_global(&thread.name, GlobalKind::Thread(TemplateId(threads)));
                    threads += 1;
                }
                ItemKind::Record(name, _) => {
                    self.declare_global(name, GlobalKind::Record(records));
                    records += 1;
                }
                ItemKind::Function(function) => {
                    self.declare_global(&function.name, GlobalKind::Function(functions));
                    functions += 1;
                }
                ItemKind::Proc(proc) => {
                    self.declare_global(&proc.name, GlobalKind::Proc(procs));
                    procs += 1;
                }
                _ => {}
            }
        }
    }

    fn declare_global(&mut self, name: &'a Name, kind: GlobalKind) {
        match self.globals.get(name.text.as_str()) {
            Some(&first) => self.report_duplicate(name, first.span, first.kind.noun()),
            None => {
                self.globals.insert(&name.text, Global { kind, span: name.span });
            }
        }
    }

    fn report_duplicate(&mut self, name: &Name, first: Span, noun: &str) {
        let error = Diagnostic::error(name.span, format!("the name `{}` is declared twice", name.text));
        let error = error.label("declared here again");
        self.report(error.related(first, format!("first declared here, as {noun}")));
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &'a Name, binding: Binding) {
        let scope = self.scopes.last_mut().expect("declarations stand in a scope");
        match scope.get(name.text.as_str()) {
            Some((first, span)) => {
                let (noun, span) = (first.noun(), *span);
                self.report_duplicate(name, span, noun);
            }
            None => {
                scope.insert(&name.text, (binding, name.span));
            }
        }
    }

    /// What a name stands for here; nothing is reported.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        match inner {
            Some((binding, _)) => Some(Meaning::Inner(binding.clone())),
            None => self.globals.get(name).map(|global| Meaning::Global(global.kind)),
        }
    }

    /// What a name stands for here; an unknown name is reported.
    pub(super) fn resolve(&mut self, name: &str, span: Span) -> Option<Meaning> {
        let meaning = self.meaning(name);
        if meaning.is_none() && self.report_local(name, span) {
            return None;
        }
        if meaning.is_none() {
            let inner = self.scopes.iter().flat_map(|scope| scope.keys().copied());
            let types =
                |kind: GlobalKind| matches!(kind, GlobalKind::Enum(_) | GlobalKind::Proc(_) | GlobalKind::Record(_));
            let global = self.globals.iter().filter(|(_, g)| !types(g.kind)).map(|(name, _)| *name);
            let words = ["true", "false", "none", "self"];
            self.reporter.unknown(span, "name", name, inner.chain(global).chain(words));
        }
        meaning
    }

    /// Outside of the threads' code a local needs its thread in front, if it is in reach at all;
    /// says so if the name is one.
    fn report_local(&mut self, name: &str, span: Span) -> bool {
        if matches!(self.mode, Mode::Code | Mode::Action) {
            return false;
        }
        let owns = |t: &&Template| self.program.routine(t.body).locals.iter().any(|l| &*l.name == name);
        let Some(thread) = self.program.templates.iter().find(owns) else { return false };
        let error = Diagnostic::error(span, format!("`{name}` is a local of the thread `{}`", thread.name));
        let error = match (self.mode, thread.copies) {
            (Mode::Property, Copies::Single) => {
                error.label("its thread is missing").hint(format!("write `{}.{name}`", thread.name))
            }
            (Mode::Property, _) => error
                .label("which copy's?")
                .hint(format!("bind a copy, as in `forall i: {} :: … i.{name} …`", thread.name)),
            _ => error.label("only shared variables can be used here"),
        };
        self.reporter.report(error);
        true
    }

    /// The thread of this name; anything else is reported.
    pub(super) fn resolve_thread(&mut self, name: &Name) -> Option<TemplateId> {
        match self.globals.get(name.text.as_str()).map(|g| g.kind) {
            Some(GlobalKind::Thread(id)) => Some(id),
            Some(kind) => {
                let message = format!("expected a thread, but `{}` is {}", name.text, kind.noun());
                self.report(Diagnostic::error(name.span, message).label("not a thread"));
                None
            }
            None => {
                let threads = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Thread(_)));
                self.reporter.unknown(name.span, "thread", &name.text, threads.map(|(name, _)| *name));
                None
            }
        }
    }

    /// The procedure of this name, as an index; anything else is reported.
    pub(super) fn resolve_proc(&mut self, name: &Name) -> Option<usize> {
        match self.globals.get(name.text.as_str()).map(|g| g.kind) {
            Some(GlobalKind::Proc(index)) => Some(index),
            Some(kind) => {
                let message = format!("`{}` cannot be called: it is {}", name.text, kind.noun());
                self.report(Diagnostic::error(name.span, message).label("not a procedure"));
                None
            }
            None if name.text == "join" => {
                let error =
                    Diagnostic::error(name.span, "unknown procedure `join`").label("no such procedure is in scope");
                self.report(error.hint("to wait for the end of a thread write `join t;`, without parentheses"));
                None
            }
            None => {
                let procs = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Proc(_)));
                self.reporter.unknown(name.span, "procedure", &name.text, procs.map(|(name, _)| *name));
                None
            }
        }
    }

    /// Runs `inner` with a scope of its own.
    pub(super) fn in_scope<R>(&mut self, inner: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Scope::default());
        let result = inner(self);
        self.scopes.pop();
        result
    }

    /// The shared variable that a name stands for, if it does.
    pub(super) fn shared_variable(&self, name: &str) -> Option<Variable> {
        match self.meaning(name)? {
            Meaning::Global(GlobalKind::Shared(index)) => {
                Some(self.variables.get(index).copied().unwrap_or(Variable::Broken))
            }
            _ => None,
        }
    }
}

/// The expression is just a name.
pub(super) fn as_name(e: &ast::Expr) -> Option<&str> {
    match &e.kind {
        ast::ExprKind::Name(name) => Some(name),
        _ => None,
    }
}
