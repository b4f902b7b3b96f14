//! What stands after a dot or an `@`: parts of rwlocks, and the locals and points of threads.

use super::names::{Binding, GlobalKind, Meaning, Variable, as_name};
use super::reporter::suggest;
use super::variables::When;
use super::{Lowerer, Mode};
use crate::ast::{self, Name};
use std::sync::Arc;
use threadwise_ir::{BinaryOp, Binder, Copies, Quantifier};
use threadwise_ir::{Domain, Expr, ExprKind, LocalId, LocationId, RoutineId, SharedId, Sort, TemplateId, ThreadRef};
use threadwise_source::{Diagnostic, Span};

/// A name with indices behind it, as in `a[i][j]`; a prime behind the name is remembered.
pub(super) struct Indexed<'a> {
    pub(super) name: &'a str,
    pub(super) name_span: Span,
    pub(super) indices: Vec<&'a ast::Expr>,
    pub(super) primed: Option<Span>,
}

/// Takes `a[i][j]` and `a'[i][j]` apart; none for anything else.
pub(super) fn indexed(e: &ast::Expr) -> Option<Indexed<'_>> {
    let mut indices = Vec::new();
    let mut primed = None;
    let mut rest = e;
    loop {
        match &rest.kind {
            ast::ExprKind::Index(array, index) => {
                indices.push(&**index);
                rest = array;
            }
            ast::ExprKind::Prime(inner) if as_name(inner).is_some() => {
                primed = Some(rest.span);
                rest = inner;
            }
            ast::ExprKind::Name(name) => {
                indices.reverse();
                return Some(Indexed { name, name_span: rest.span, indices, primed });
            }
            _ => return None,
        }
    }
}

/// The thread whose code an expression in front of `@` or of a dot names: by its name, or by a variable bound to its
/// copies.
pub(super) fn thread_in_front(lowerer: &Lowerer<'_>, e: &ast::Expr) -> Option<TemplateId> {
    match lowerer.meaning(as_name(e)?)? {
        Meaning::Inner(Binding::Bound(_, Domain::Copies(template))) => Some(template),
        Meaning::Global(GlobalKind::Thread(template)) => Some(template),
        _ => None,
    }
}

impl<'a> Lowerer<'a> {
    /// `l.w`, `l.r` and `t.x`.
    pub(super) fn field(&mut self, base: &'a ast::Expr, field: &'a Name, span: Span) -> Option<Expr> {
        if let Some(name) = as_name(base) {
            let is_thread = match self.resolve(name, base.span)? {
                Meaning::Global(GlobalKind::Thread(_)) => true,
                Meaning::Inner(Binding::Bound(_, domain)) => domain.sort() == Sort::Tid,
                _ => false,
            };
            if is_thread {
                return self.local_of(base, field, span);
            }
        }
        self.rwlock_part(base, field, When::Before, span)
    }

    /// `l.w`, `l.r`, `a[i].w` and, with the prime behind the field or the name, their values after
    /// the step.
    pub(super) fn rwlock_part(&mut self, base: &'a ast::Expr, field: &'a Name, when: When, span: Span) -> Option<Expr> {
        let Some(path) = indexed(base) else {
            self.expr(base, None)?;
            return self.no_such_field(base, field);
        };
        let id = self.rwlock_variable(&path, base, field)?;
        let when = match path.primed {
            Some(prime) if !self.check_primes_allowed(prime) => return None,
            Some(_) => When::After,
            None => when,
        };
        let mut part = self.read_shared(id, when, path.name_span.to(field.span));
        for index in &path.indices {
            part = self.index(part, index, span);
        }
        let part = Expr { span, ..part? };
        if let Sort::Array(..) = *part.sort {
            let error = Diagnostic::error(base.span, format!("`{}` is an array of rwlocks", path.name));
            self.report(
                error.label("expected one of its elements").hint(format!("write `{}[…].{}`", path.name, field.text)),
            );
            return None;
        }
        Some(part)
    }

    /// The variable that `.w` or `.r` behind a name stands for.
    pub(super) fn rwlock_variable(
        &mut self,
        path: &Indexed<'a>,
        base: &'a ast::Expr,
        field: &'a Name,
    ) -> Option<SharedId> {
        self.resolve(path.name, path.name_span)?;
        match (self.shared_variable(path.name), field.text.as_str()) {
            (Some(Variable::RwLock { writer, .. }), "w") => Some(writer),
            (Some(Variable::RwLock { readers, .. }), "r") => Some(readers),
            (Some(Variable::Broken), _) => None,
            _ => self.no_such_field(base, field),
        }
    }

    fn no_such_field<T>(&mut self, base: &ast::Expr, field: &Name) -> Option<T> {
        let text = self.program.source.snippet(base.span, 40);
        let error = Diagnostic::error(field.span, format!("`{text}` has no part `{}`", field.text));
        self.report(error.label("expected `.w` or `.r` of an rwlock, or in a property a local of a thread"));
        None
    }

    /// The thread in front of `@` or of a dot.
    pub(super) fn thread_ref(&mut self, e: &'a ast::Expr, text: &str) -> Option<ThreadRef> {
        if !matches!(self.mode, Mode::Property | Mode::Function) {
            let error =
                Diagnostic::error(e.span, format!("`{text}` is allowed in `invariant`, `never` and `exceptions` only"));
            let error = error.label("threads do not see where other threads are, nor their locals");
            self.report(error.hint("keep what other threads must know in a shared variable"));
            return None;
        }
        let meaning = match as_name(e) {
            Some(name) => Some(self.resolve(name, e.span)?),
            None => None,
        };
        match meaning {
            Some(Meaning::Inner(Binding::Bound(depth, Domain::Copies(template)))) => {
                let thread = Expr::new(ExprKind::Bound(depth), Sort::Tid, e.span);
                Some(ThreadRef { template, thread })
            }
            Some(Meaning::Global(GlobalKind::Thread(template))) => {
                let thread = self.thread_identity(template, e.span)?;
                Some(ThreadRef { template, thread })
            }
            Some(Meaning::Inner(Binding::Broken)) => None,
            _ => {
                let error = Diagnostic::error(e.span, format!("`{text}` needs a thread whose code is known"));
                let error = error.label("expected a thread's name, or a variable bound to one's copies");
                self.report(error.hint("bind it to a thread, as in `exists i: Worker :: i@critical`"));
                None
            }
        }
    }

    fn local_of(&mut self, base: &'a ast::Expr, field: &'a Name, span: Span) -> Option<Expr> {
        let text = self.program.source.snippet(span, 40);
        let thread = self.thread_ref(base, &text)?;
        let routine = self.program.templates[thread.template.index()].body;
        let local = self.local_named(routine, field)?;
        let sort = self.program.routines[routine.index()].locals[local.index()].sort.clone();
        Some(Expr::new(ExprKind::LocalOf(Box::new(thread), local), sort, span))
    }

    fn local_named(&mut self, routine: RoutineId, field: &Name) -> Option<LocalId> {
        let routine = &self.program.routines[routine.index()];
        let mut found = (0..).zip(&routine.locals).filter(|(_, l)| *l.name == *field.text);
        let Some((first, local)) = found.next() else {
            let message = format!("the thread `{}` has no local `{}`", routine.name, field.text);
            let error = Diagnostic::error(field.span, message).label("unknown local");
            let error = suggest(error, &field.text, routine.locals.iter().map(|l| &*l.name));
            return self.report_unless_incomplete(error);
        };
        let Some((_, other)) = found.next() else { return Some(LocalId(first)) };
        let message = format!("`{}` has several locals `{}`", routine.name, field.text);
        let error = Diagnostic::error(field.span, message).label("which of them is meant?");
        let error = error.related(local.span, "one is declared here").related(other.span, "another here");
        self.report(error.hint("give them different names"));
        None
    }

    /// `t@L`.
    pub(super) fn at(&mut self, thread: &'a ast::Expr, label: &'a Name, span: Span) -> Option<Expr> {
        let text = self.program.source.snippet(span, 40);
        if self.may_look_at_threads() && thread_in_front(self, thread).is_none() {
            return self.some_thread_at(thread, label, span);
        }
        let thread = self.thread_ref(thread, &text)?;
        let locations = self.labelled(thread.template, label)?;
        Some(Expr::new(ExprKind::At(Box::new(thread), Box::new(locations)), Sort::Bool, span))
    }

    fn may_look_at_threads(&self) -> bool {
        matches!(self.mode, Mode::Property | Mode::Function)
    }

    /// `i@L` where `i` may be any thread: it is one that has a point with this label, and is there.
    fn some_thread_at(&mut self, thread: &'a ast::Expr, label: &'a Name, span: Span) -> Option<Expr> {
        let thread = self.value_of(thread, &Sort::Tid)?;
        let mut cases = Vec::new();
        for template in (0..self.program.templates.len() as u32).map(TemplateId) {
            let locations = self.labelled_silently(template, &label.text);
            if !locations.is_empty() && self.spend(locations.len() as u64, label.span) {
                cases.push(self.copy_at(template, thread.clone(), locations, span));
            }
        }
        let either = |a, b| Expr { span, ..Expr::binary(BinaryOp::Or, a, b, Sort::Bool) };
        let found = cases.into_iter().reduce(either);
        if found.is_none() {
            let error = Diagnostic::error(label.span, format!("no thread has a label `{}`", label.text));
            let labels = self.labels.iter().flat_map(|labels| labels.keys());
            let error = suggest(error.label("unknown label"), &label.text, labels.map(|l: &Arc<str>| &**l));
            return self.report_unless_incomplete(error);
        }
        found
    }

    /// The thread is a copy of this one, and at one of these locations.
    fn copy_at(&self, template: TemplateId, thread: Expr, locations: Vec<LocationId>, span: Span) -> Expr {
        let is_single = self.program.templates[template.index()].copies == Copies::Single;
        let copy = if is_single { ExprKind::Thread(template) } else { ExprKind::Bound(self.bound) };
        let copy = Expr::new(copy, Sort::Tid, span);
        let is_there = ExprKind::At(Box::new(ThreadRef { template, thread: copy.clone() }), Box::new(locations));
        let is_it = Expr { span, ..Expr::binary(BinaryOp::Eq, copy, thread, Sort::Bool) };
        let both = Expr::binary(BinaryOp::And, is_it, Expr::new(is_there, Sort::Bool, span), Sort::Bool);
        let both = Expr { span, ..both };
        if is_single {
            return both;
        }
        let binder = Binder { name: "who".into(), domain: Domain::Copies(template) };
        Expr::quantified(Quantifier::Exists, binder, both, Sort::Bool, span)
    }

    fn labelled_silently(&mut self, template: TemplateId, label: &str) -> Vec<LocationId> {
        let routines = self.reachable_routines(template);
        let of = |routine: &RoutineId| self.labels[routine.index()].get(label).into_iter().flatten().copied();
        let mut locations: Vec<LocationId> = routines.iter().flat_map(of).collect();
        locations.sort();
        locations
    }

    /// The locations that a label names in a thread's code and in the procedures it can reach.
    fn labelled(&mut self, template: TemplateId, label: &Name) -> Option<Vec<LocationId>> {
        let locations = self.labelled_silently(template, &label.text);
        let routines = self.reachable_routines(template);
        if !locations.is_empty() {
            return self.spend(locations.len() as u64, label.span).then_some(locations);
        }
        let thread = self.program.templates[template.index()].name.clone();
        let error = Diagnostic::error(label.span, format!("the thread `{thread}` has no label `{}`", label.text));
        let labels = routines.iter().flat_map(|r| self.labels[r.index()].keys());
        let error = suggest(error.label("unknown label"), &label.text, labels.map(|l: &Arc<str>| &**l));
        self.report_unless_incomplete(error)
    }

    /// Reports something missing, unless it may have been lost to a syntax error.
    pub(super) fn report_unless_incomplete<T>(&mut self, error: Diagnostic) -> Option<T> {
        if self.reporter.incomplete {
            self.reporter.note_error();
        } else {
            self.report(error);
        }
        None
    }

    /// A thread's code and the procedures it can reach.
    fn reachable_routines(&mut self, template: TemplateId) -> Arc<[RoutineId]> {
        if let Some(routines) = self.reachable.get(&template) {
            return routines.clone();
        }
        let mut seen = vec![false; self.program.routines.len()];
        let mut found = vec![self.program.templates[template.index()].body];
        seen[found[0].index()] = true;
        let mut next = 0;
        while let Some(&routine) = found.get(next) {
            for &callee in &self.callees[routine.index()] {
                if !std::mem::replace(&mut seen[callee.index()], true) {
                    found.push(callee);
                }
            }
            next += 1;
        }
        let found: Arc<[RoutineId]> = found.into();
        self.reachable.insert(template, found.clone());
        found
    }
}
