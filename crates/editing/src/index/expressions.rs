//! Expressions and types.

use super::{Kind, Walk};
use threadwise_front_tw::ast::*;

impl Walk {
    pub(super) fn exprs(&mut self, all: &[Expr]) {
        all.iter().for_each(|e| self.expr(e));
    }

    pub(super) fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::LargeInt(_) | ExprKind::Bool(_) | ExprKind::SelfThread => {}
            ExprKind::None | ExprKind::Error => {}
            ExprKind::Name(text) => self.name(text, e.span),
            ExprKind::Prime(e) | ExprKind::Unary(_, e) | ExprKind::ArrayFill(e) | ExprKind::Size(e) => self.expr(e),
            ExprKind::Ord(e) | ExprKind::Convert(_, e) => self.expr(e),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Field(base, field) => {
                self.expr(base);
                self.field(base, field);
            }
            ExprKind::At(base, label) => {
                self.expr(base);
                self.label(base, label);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::SetLiteral(all) | ExprKind::ArrayLiteral(all) => self.exprs(all),
            ExprKind::RecordLiteral(record, fields) => {
                self.use_of(record);
                let home = self.lookup(&record.text);
                for (name, value) in fields {
                    if let Some(field) = home.and_then(|home| self.member(home, &name.text, Kind::Field)) {
                        self.note(name.span, field);
                    }
                    self.expr(value);
                }
            }
            ExprKind::Call(function, args) => {
                self.use_of(function);
                self.exprs(args);
            }
            ExprKind::Quantified(_, binders, body) => self.scoped(|walk| {
                binders.iter().for_each(|binder| walk.binder(binder));
                walk.expr(body);
            }),
        }
    }

    pub(super) fn binder(&mut self, binder: &Binder) {
        self.ty(&binder.ty);
        self.declare(&binder.name, Kind::Bound, binder.name.span.to(binder.ty.span), Some(&binder.ty));
    }

    pub(super) fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Bool | TypeKind::Int | TypeKind::Machine(_) | TypeKind::Tid | TypeKind::Lock => {}
            TypeKind::Mutex | TypeKind::RwLock | TypeKind::Cond => {}
            TypeKind::Range(low, high) => [low, high].into_iter().for_each(|e| self.expr(e)),
            TypeKind::Named(text) => self.name(text, ty.span),
            TypeKind::Set(of) => self.ty(of),
            TypeKind::Array(keys, values) => [keys, values].into_iter().for_each(|ty| self.ty(ty)),
            TypeKind::Chan(of, size) => {
                self.ty(of);
                self.expr(size);
            }
        }
    }

    /// `r.f` of a record, or `t.x` of a thread.
    fn field(&mut self, base: &Expr, field: &Name) {
        let Some(home) = self.home_of(base) else { return };
        let kinds = [Kind::Field, Kind::Local, Kind::Parameter];
        if let Some(symbol) = kinds.into_iter().find_map(|kind| self.member(home, &field.text, kind)) {
            self.note(field.span, symbol);
        }
    }

    /// `t@L`; where it is not known which thread `t` is, the label of each that has one.
    fn label(&mut self, base: &Expr, label: &Name) {
        let homes: Vec<usize> = match self.home_of(base) {
            Some(home) => vec![home],
            None => (0..self.index.symbols.len()).filter(|s| self.index.symbols[*s].kind == Kind::Thread).collect(),
        };
        for home in homes {
            if let Some(symbol) = self.member(home, &label.text, Kind::Label) {
                self.note(label.span, symbol);
            }
        }
    }

    /// The record or the thread that an expression's value is of.
    fn home_of(&self, e: &Expr) -> Option<usize> {
        if let ExprKind::Name(text) = &e.kind {
            let symbol = self.lookup(text)?;
            if self.index.symbols[symbol].kind == Kind::Thread {
                return Some(symbol);
            }
        }
        match self.type_of(e)?.kind {
            TypeKind::Named(ref name) => self.lookup(name),
            _ => None,
        }
    }

    /// The declared type of a variable, an element or a field.
    fn type_of(&self, e: &Expr) -> Option<&Type> {
        match &e.kind {
            ExprKind::Name(text) => self.index.symbols[self.lookup(text)?].ty.as_ref(),
            ExprKind::Prime(e) => self.type_of(e),
            ExprKind::Index(array, _) => match &self.type_of(array)?.kind {
                TypeKind::Array(_, values) => Some(values),
                _ => None,
            },
            ExprKind::Field(base, field) => {
                let home = self.home_of(base)?;
                self.index.symbols[self.member(home, &field.text, Kind::Field)?].ty.as_ref()
            }
            _ => None,
        }
    }
}
