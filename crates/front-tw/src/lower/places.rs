//! What can be assigned, and the frames of actions.

use super::Lowerer;
use super::fields::indexed;
use super::names::{Binding, GlobalKind, Meaning, Variable};
use super::records::{Found, RecordType};
use super::types::LockKind;
use crate::ast::{self, ExprKind, Name};
use threadwise_ir::{Expr, Place, SharedId, Sort, VarRef};
use threadwise_source::{Diagnostic, Span};

/// What is assigned together: the leaves of a record, or just one place.
pub(super) struct Targets {
    pub(super) record: Option<RecordType>,
    pub(super) places: Vec<Place>,
}

impl<'a> Lowerer<'a> {
    /// The target of an assignment, which may be a record.
    pub(super) fn places(&mut self, e: &'a ast::Expr) -> Option<Targets> {
        match self.path(e) {
            Found::Access(access) => {
                let places = self.leaf_places(&access, e.span)?;
                Some(Targets { record: access.record_type(), places })
            }
            Found::Wrong => None,
            Found::Nothing => Some(Targets { record: None, places: vec![self.place(e)?] }),
        }
    }

    /// The target of an assignment that is no record.
    pub(super) fn place(&mut self, e: &'a ast::Expr) -> Option<Place> {
        match self.path(e) {
            Found::Access(access) if access.record_type().is_none() => return self.leaf_places(&access, e.span)?.pop(),
            Found::Access(access) => {
                self.path_value(&access, e);
                return None;
            }
            Found::Wrong => return None,
            Found::Nothing => {}
        }
        let (base, field) = match &e.kind {
            ExprKind::Field(base, field) => (&**base, Some(field)),
            _ => (e, None),
        };
        let Some(path) = indexed(base) else { return self.not_a_place(e) };
        if let Some(prime) = path.primed {
            let error = Diagnostic::error(prime, "the target of an assignment has no prime");
            self.report(error.label("an assignment sets the value after the step anyway").hint("drop the prime"));
            return None;
        }
        let var = match field {
            Some(field) => VarRef::Shared(self.rwlock_variable(&path, base, field)?),
            None => self.variable(path.name, path.name_span, "be assigned")?,
        };
        self.element_place(var, &path.indices, path.name_span, e.span)
    }

    /// The variable of this name; `fate` is what cannot happen to anything else.
    fn variable(&mut self, name: &'a str, span: Span, fate: &str) -> Option<VarRef> {
        let meaning = self.resolve(name, span)?;
        let variable = match &meaning {
            Meaning::Inner(Binding::Local(id)) => return Some(VarRef::Local(*id)),
            Meaning::Inner(Binding::Broken) => return None,
            Meaning::Global(GlobalKind::Shared(index)) => self.variables[*index],
            _ => {
                let message = format!("`{name}` cannot {fate}: it is {}", meaning.noun());
                self.report(Diagnostic::error(span, message).label("expected a variable"));
                return None;
            }
        };
        match variable {
            Variable::Broken => None,
            Variable::Plain(_, Some(LockKind::Cond)) | Variable::Channel(_) => {
                let error = Diagnostic::error(span, format!("`{name}` cannot {fate}"));
                self.report(error.label("condition variables and channels have statements of their own"));
                None
            }
            // Records are paths, which are looked at before.
            Variable::Record(_) => None,
            Variable::Plain(id, _) => Some(VarRef::Shared(id)),
            Variable::RwLock { .. } => {
                let error = Diagnostic::error(span, format!("the rwlock `{name}` cannot be assigned as a whole"));
                self.report(error.label("expected one of its parts").hint(format!("assign `{name}.w` and `{name}.r`")));
                None
            }
        }
    }

    fn not_a_place(&mut self, e: &ast::Expr) -> Option<Place> {
        if let ExprKind::Error = e.kind {
            self.reporter.note_error();
            return None;
        }
        let error = Diagnostic::error(e.span, "this cannot be assigned");
        self.report(error.label("expected a variable or an element of an array"));
        None
    }

    /// The element of a variable at some indices.
    pub(super) fn element_place(
        &mut self,
        var: VarRef,
        indices: &[&'a ast::Expr],
        name_span: Span,
        span: Span,
    ) -> Option<Place> {
        let mut sort = self.sort_of(var);
        let mut lowered = Vec::new();
        let mut so_far = name_span;
        for &index in indices {
            let (key, element) = self.key_of(&sort, so_far, index)?;
            so_far = so_far.to(index.span);
            lowered.push(key);
            sort = element;
        }
        Some(Place { var, indices: lowered.into(), sort: sort.into(), span })
    }

    /// The sort of a variable.
    pub(super) fn sort_of(&self, var: VarRef) -> Sort {
        match var {
            VarRef::Shared(id) => self.program.shared[id.index()].sort.clone(),
            VarRef::Local(id) => self.body.locals[id.index()].sort.clone(),
        }
    }

    /// The variables between an action's brackets.
    pub(super) fn frame(&mut self, entries: &'a [ast::Expr]) -> Option<Vec<VarRef>> {
        let entries: Vec<Option<Vec<VarRef>>> = entries.iter().map(|e| self.frame_entry(e)).collect();
        let mut frame = entries.into_iter().collect::<Option<Vec<_>>>()?.concat();
        frame.sort();
        frame.dedup();
        Some(frame)
    }

    /// The same where only shared variables are in reach.
    pub(super) fn shared_frame(&mut self, entries: &'a [ast::Expr]) -> Option<Vec<SharedId>> {
        let shared = |var| match var {
            VarRef::Shared(id) => Some(id),
            VarRef::Local(_) => None,
        };
        Some(self.frame(entries)?.into_iter().filter_map(shared).collect())
    }

    fn frame_entry(&mut self, e: &'a ast::Expr) -> Option<Vec<VarRef>> {
        match &e.kind {
            ExprKind::Name(name) => self.frame_variable(name, e.span),
            ExprKind::Field(base, field) => self.frame_part(base, field, e),
            ExprKind::Error => {
                self.reporter.note_error();
                None
            }
            _ => {
                let error = Diagnostic::error(e.span, "the brackets list whole variables");
                let error = error.label("expected a variable's name");
                self.report(match indexed(e) {
                    Some(path) if path.indices.is_empty() => error.hint("drop the prime"),
                    Some(path) => error.hint(format!(
                        "list `{0}`, and say in the formula what becomes of its other elements, \
                         as in `forall k: … :: k != i ==> {0}'[k] == {0}[k]`",
                        path.name
                    )),
                    None => error,
                });
                None
            }
        }
    }

    fn frame_variable(&mut self, name: &'a str, span: Span) -> Option<Vec<VarRef>> {
        if let Some(Variable::RwLock { writer, readers }) = self.shared_variable(name) {
            return Some(vec![VarRef::Shared(writer), VarRef::Shared(readers)]);
        }
        if let Some(variables) = self.record_leaves_named(name) {
            return Some(variables);
        }
        self.variable(name, span, "change").map(|var| vec![var])
    }

    fn frame_part(&mut self, base: &'a ast::Expr, field: &'a Name, e: &'a ast::Expr) -> Option<Vec<VarRef>> {
        match self.path(e) {
            Found::Access(access) => {
                let places = self.leaf_places(&access, e.span)?;
                if places.iter().all(|place| place.indices.is_empty()) {
                    return Some(places.into_iter().map(|place| place.var).collect());
                }
            }
            Found::Wrong => return None,
            Found::Nothing => {}
        }
        let path = indexed(base);
        match path {
            Some(path) if path.indices.is_empty() && path.primed.is_none() => {
                let id = self.rwlock_variable(&path, base, field)?;
                Some(vec![VarRef::Shared(id)])
            }
            _ => {
                let error = Diagnostic::error(base.span.to(field.span), "the brackets list whole variables");
                self.report(error.label("expected a variable's name, or `.w` or `.r` of one"));
                None
            }
        }
    }
}

/// The value that a place holds.
pub(super) fn read_place(place: &Place, variable: Sort) -> Expr {
    use threadwise_ir::ExprKind as Ir;
    let span = place.span;
    let mut value = Expr::new(Ir::Read(place.var), variable, span);
    for index in &place.indices {
        let sort = match &*value.sort {
            Sort::Array(_, element) => *element,
            _ => value.sort,
        };
        value = Expr { kind: Ir::Index(Box::new(value), Box::new(index.clone())), sort, span };
    }
    value
}
