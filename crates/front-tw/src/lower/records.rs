//! Records. The program has none: a variable of a record type is one variable for each field that is no record itself, a
//! *leaf*, and a value is the list of the values of its leaves. An array of records is a record of arrays.

use super::Lowerer;
use super::fields::thread_in_front;
use super::names::{Binding, GlobalKind, Meaning, Variable};
use super::types::{Declared, LockKind};
use super::variables::When;
use crate::ast::{self, ItemKind, Name};
use threadwise_ir::{Expr, ExprKind, LocalId, Place, Sort, ThreadRef, VarRef};
use threadwise_source::{Diagnostic, Span};

/// A record, or an array of records: the keys stand in front of the fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RecordType {
    /// Which of the declared records.
    pub(super) record: usize,
    pub(super) keys: Vec<Sort>,
}

/// A declared record.
pub(super) struct Record<'a> {
    pub(super) name: &'a Name,
    declared: &'a [ast::Param],
    pub(super) fields: Vec<(&'a Name, Option<FieldType>)>,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    UnderWay,
    Done,
}

/// What a field holds.
#[derive(Clone, Debug)]
pub(super) enum FieldType {
    Plain(Sort, Option<LockKind>),
    Record(RecordType),
}

/// A part of a record that is no record.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// What stands behind the name of the variable, `.a.b`.
    pub(super) suffix: String,
    /// With the keys of all arrays around it.
    pub(super) sort: Sort,
    pub(super) lock: Option<LockKind>,
}

/// What a path such as `r[i].a` starts from: something for each leaf.
#[derive(Clone, Debug)]
pub(super) enum Root {
    Variables(Vec<VarRef>),
    /// The argument of a function.
    Values(Vec<Expr>),
    /// A local of another thread.
    Of(ThreadRef, Vec<LocalId>),
}

/// A path into a record: which leaves it means.
#[derive(Clone, Debug)]
pub(super) struct Access<'a> {
    root: Root,
    /// The first of its leaves.
    first: usize,
    pub(super) ty: FieldType,
    indices: Vec<&'a ast::Expr>,
    primed: Option<Span>,
    name_span: Span,
}

/// What a path is.
pub(super) enum Found<'a> {
    /// Nothing that has to do with records.
    Nothing,
    /// A path into a record that leads nowhere, which has been said.
    Wrong,
    Access(Access<'a>),
}

impl<'a> Lowerer<'a> {
    /// The records; they may use each other.
    pub(super) fn declare_records(&mut self) {
        for item in &self.module.items {
            if let ItemKind::Record(name, fields) = &item.kind {
                let record = Record { name, declared: fields, fields: Vec::new(), state: State::Waiting };
                self.records.push(record);
            }
        }
        (0..self.records.len()).for_each(|record| _ = self.finish_record(record, None));
    }

    /// Works out the fields of a record; `user` is a field of that type.
    pub(super) fn finish_record(&mut self, record: usize, user: Option<Span>) -> Option<()> {
        match self.records[record].state {
            State::Done => return Some(()),
            State::UnderWay => {
                let name = self.records[record].name;
                let error = Diagnostic::error(user.unwrap_or(name.span), format!("`{}` contains itself", name.text));
                let error = error.label("a record inside of itself would have no end");
                self.report(error.related(name.span, "declared here").hint("keep an index or a `tid` instead"));
                return None;
            }
            State::Waiting => self.records[record].state = State::UnderWay,
        }
        let declared = self.records[record].declared;
        if declared.is_empty() {
            let name = self.records[record].name;
            let error = Diagnostic::error(name.span, format!("the record `{}` has no fields", name.text));
            self.report(error.label("a record needs a field"));
        }
        let mut fields: Vec<(&'a Name, Option<FieldType>)> = Vec::new();
        for field in declared {
            if let Some((first, _)) = fields.iter().find(|(other, _)| other.text == field.name.text) {
                let error = Diagnostic::error(field.name.span, format!("two fields are called `{}`", first.text));
                self.report(error.label("declared here again").related(first.span, "first declared here"));
            }
            let ty = self.declared(&field.ty).and_then(|declared| self.field_type(declared, field.ty.span));
            fields.push((&field.name, ty));
        }
        self.records[record].fields = fields;
        self.records[record].state = State::Done;
        Some(())
    }

    fn field_type(&mut self, declared: Declared, span: Span) -> Option<FieldType> {
        if let Some(ty) = declared.record_type() {
            return Some(FieldType::Record(ty));
        }
        if declared.channel.is_some() || matches!(declared.lock, Some(LockKind::RwLock | LockKind::Cond)) {
            let error = Diagnostic::error(span, "a field cannot be a channel, a condition variable or an `rwlock`");
            self.report(error.label("declare it as a shared variable of its own"));
            return None;
        }
        Some(FieldType::Plain(declared.sort, declared.lock))
    }

    /// The parts of a record that are no records, in the order of declaration.
    pub(super) fn leaves(&self, ty: &RecordType) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(ty, "", &mut leaves);
        leaves
    }

    fn add_leaves(&self, ty: &RecordType, prefix: &str, out: &mut Vec<Leaf>) {
        for (name, field) in &self.records[ty.record].fields {
            let suffix = format!("{prefix}.{}", name.text);
            match field {
                Some(FieldType::Plain(sort, lock)) => {
                    out.push(Leaf { suffix, sort: behind(&ty.keys, sort), lock: *lock });
                }
                Some(FieldType::Record(inner)) => self.add_leaves(&below(ty, inner), &suffix, out),
                None => {}
            }
        }
    }

    /// A field: its place among the fields' leaves, and its type with all keys before it.
    fn field_of(&self, ty: &RecordType, name: &str) -> Option<(usize, FieldType)> {
        let mut first = 0;
        for (field, found) in &self.records[ty.record].fields {
            let found = found.clone()?;
            let (size, with_keys) = match &found {
                FieldType::Plain(sort, lock) => (1, FieldType::Plain(behind(&ty.keys, sort), *lock)),
                FieldType::Record(inner) => {
                    let inner = below(ty, inner);
                    (self.leaves(&inner).len(), FieldType::Record(inner))
                }
            };
            if field.text == name {
                return Some((first, with_keys));
            }
            first += size;
        }
        None
    }

    /// A path that starts at a record.
    pub(super) fn path(&mut self, e: &'a ast::Expr) -> Found<'a> {
        match &e.kind {
            ast::ExprKind::Name(name) => match self.record_root(name) {
                Some((root, ty)) => {
                    if let Some(Meaning::Inner(Binding::Value(value))) = self.meaning(name) {
                        self.body.names_shared |= value.names_shared;
                    }
                    Found::Access(Access {
                        root,
                        first: 0,
                        ty: FieldType::Record(ty),
                        indices: Vec::new(),
                        primed: None,
                        name_span: e.span,
                    })
                }
                None => Found::Nothing,
            },
            ast::ExprKind::Index(base, index) => match self.path(base) {
                Found::Access(mut access) => {
                    access.indices.push(index);
                    Found::Access(access)
                }
                other => other,
            },
            ast::ExprKind::Prime(base) => match self.path(base) {
                Found::Access(mut access) => {
                    access.primed = Some(e.span);
                    Found::Access(access)
                }
                other => other,
            },
            ast::ExprKind::Field(base, field) => match self.path(base) {
                Found::Access(access) => self.step_into(access, base, field),
                Found::Wrong => Found::Wrong,
                Found::Nothing => self.local_record(base, field),
            },
            _ => Found::Nothing,
        }
    }

    fn record_root(&self, name: &str) -> Option<(Root, RecordType)> {
        match self.meaning(name)? {
            Meaning::Inner(Binding::Record(index)) => {
                let (ty, locals) = &self.record_locals[index];
                Some((Root::Variables(locals.iter().copied().map(VarRef::Local).collect()), ty.clone()))
            }
            Meaning::Inner(Binding::Value(value)) => {
                let leaves = value.leaves.iter().map(|e| value.here(e, self.bound)).collect();
                Some((Root::Values(leaves), value.record.clone()?))
            }
            Meaning::Global(GlobalKind::Shared(index)) => match self.variables.get(index)? {
                Variable::Record(index) => {
                    let (ty, variables) = &self.record_variables[*index];
                    Some((Root::Variables(variables.iter().copied().map(VarRef::Shared).collect()), ty.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// All variables of the record with this name.
    pub(super) fn record_leaves_named(&self, name: &str) -> Option<Vec<VarRef>> {
        match self.record_root(name)? {
            (Root::Variables(variables), _) => Some(variables),
            (Root::Values(_) | Root::Of(..), _) => None,
        }
    }

    fn step_into(&mut self, mut access: Access<'a>, base: &ast::Expr, field: &Name) -> Found<'a> {
        let FieldType::Record(ty) = &access.ty else { return Found::Nothing };
        if access.indices.len() != ty.keys.len() {
            let error = Diagnostic::error(base.span, "this is an array of records");
            self.report(error.label("expected one of its elements").hint(format!("write `…[…].{}`", field.text)));
            return Found::Wrong;
        }
        let Some((offset, ty)) = self.field_of(ty, &field.text) else {
            let record = &self.records[ty.record];
            if record.fields.iter().any(|(_, ty)| ty.is_none()) {
                self.reporter.note_error();
                return Found::Wrong;
            }
            let names: Vec<String> = record.fields.iter().map(|(name, _)| format!("`{}`", name.text)).collect();
            let message = format!("the record `{}` has no field `{}`", record.name.text, field.text);
            let error = Diagnostic::error(field.span, message).label(format!("its fields are {}", names.join(", ")));
            self.report(error.related(record.name.span, "declared here"));
            return Found::Wrong;
        };
        access.first += offset;
        access.ty = ty;
        Found::Access(access)
    }

    /// `t.x` where `x` is a record.
    fn local_record(&mut self, base: &'a ast::Expr, field: &'a Name) -> Found<'a> {
        let Some(template) = thread_in_front(self, base) else { return Found::Nothing };
        let routine = self.program.templates[template.index()].body;
        let Some((ty, locals)) = self.records_of_routines.get(&(routine, field.text.as_str())).cloned() else {
            return Found::Nothing;
        };
        let text = self.program.source.snippet(base.span.to(field.span), 40);
        match self.thread_ref(base, &text) {
            Some(thread) => Found::Access(Access {
                root: Root::Of(thread, locals),
                first: 0,
                ty: FieldType::Record(ty),
                indices: Vec::new(),
                primed: None,
                name_span: base.span.to(field.span),
            }),
            None => Found::Wrong,
        }
    }

    /// The value of one of the leaves that a path means.
    pub(super) fn leaf_value(&mut self, access: &Access<'a>, leaf: usize, span: Span) -> Option<Expr> {
        let when = match access.primed {
            Some(prime) if !self.check_primes_allowed(prime) => return None,
            Some(_) => When::After,
            None => When::Before,
        };
        let leaf = access.first + leaf;
        let mut value = match &access.root {
            Root::Variables(variables) => match variables[leaf] {
                VarRef::Shared(id) => self.read_shared(id, when, access.name_span)?,
                VarRef::Local(id) => self.read_local(id, when, access.name_span),
            },
            Root::Values(values) => values[leaf].clone(),
            Root::Of(thread, locals) => {
                let routine = self.program.templates[thread.template.index()].body;
                let sort = self.program.routines[routine.index()].locals[locals[leaf].index()].sort.clone();
                Expr::new(ExprKind::LocalOf(Box::new(thread.clone()), locals[leaf]), sort, access.name_span)
            }
        };
        for index in &access.indices {
            value = self.index(Some(value), index, span)?;
        }
        Some(Expr { span, ..value })
    }

    /// A path as a value: it must lead to something that is no record.
    pub(super) fn path_value(&mut self, access: &Access<'a>, e: &'a ast::Expr) -> Option<Expr> {
        match access.record_type() {
            None => self.leaf_value(access, 0, e.span),
            Some(ty) => {
                let text = self.program.source.snippet(e.span, 40);
                let error =
                    Diagnostic::error(e.span, format!("`{text}` is a record of type `{}`", self.show_record(&ty)));
                self.report(error.label("expected a value that is no record").hint("name one of its fields"));
                None
            }
        }
    }

    /// The variables that a path means, all of them if it is a record.
    pub(super) fn leaf_places(&mut self, access: &Access<'a>, span: Span) -> Option<Vec<Place>> {
        let Root::Variables(variables) = &access.root else {
            let error = Diagnostic::error(span, "this cannot be assigned");
            self.report(error.label("expected a variable of this thread, or a shared one"));
            return None;
        };
        if let Some(prime) = access.primed {
            let error = Diagnostic::error(prime, "the target of an assignment has no prime");
            self.report(error.label("an assignment sets the value after the step anyway").hint("drop the prime"));
            return None;
        }
        let count = access.record_type().map_or(1, |ty| self.leaves(&ty).len());
        let variables = variables[access.first..access.first + count].to_vec();
        let place = |var| self.element_place(var, &access.indices, access.name_span, span);
        variables.into_iter().map(place).collect()
    }
}

impl Access<'_> {
    /// The type of what the path means, if that is a record or an array of records.
    pub(super) fn record_type(&self) -> Option<RecordType> {
        match &self.ty {
            FieldType::Record(ty) => {
                let rest = ty.keys.get(self.indices.len()..).unwrap_or_default();
                Some(RecordType { record: ty.record, keys: rest.to_vec() })
            }
            FieldType::Plain(..) => None,
        }
    }

    pub(super) fn lock(&self) -> Option<LockKind> {
        match &self.ty {
            FieldType::Plain(_, lock) => *lock,
            FieldType::Record(_) => None,
        }
    }
}

/// An array of arrays of … of the sort.
pub(super) fn behind(keys: &[Sort], sort: &Sort) -> Sort {
    keys.iter().rev().fold(sort.clone(), |element, key| Sort::array(key.clone(), element))
}

fn below(outer: &RecordType, inner: &RecordType) -> RecordType {
    RecordType { record: inner.record, keys: [&outer.keys[..], &inner.keys[..]].concat() }
}
