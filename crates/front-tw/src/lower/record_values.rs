//! Values that are records: literals, paths, calls, and arrays of them.

use super::Lowerer;
use super::names::GlobalKind;
use super::records::{FieldType, Found, Leaf, RecordType};
use crate::ast::{self, Name};
use threadwise_ir::{BinaryOp, Expr, ExprKind, Sort};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// The type of an expression that is a record or an array of records; nothing is reported.
    pub(super) fn record_type_of(&mut self, e: &'a ast::Expr) -> Option<RecordType> {
        match &e.kind {
            ast::ExprKind::RecordLiteral(name, _) => match self.globals.get(name.text.as_str())?.kind {
                GlobalKind::Record(record) => Some(RecordType { record, keys: Vec::new() }),
                _ => None,
            },
            ast::ExprKind::Conditional(_, a, b) => self.record_type_of(a).or_else(|| self.record_type_of(b)),
            ast::ExprKind::Call(name, _) => self.function_result(&name.text),
            ast::ExprKind::Name(_) | ast::ExprKind::Index(..) | ast::ExprKind::Field(..) | ast::ExprKind::Prime(_) => {
                match self.path(e) {
                    Found::Access(access) => access.record_type(),
                    Found::Nothing | Found::Wrong => None,
                }
            }
            _ => None,
        }
    }

    /// The values of all leaves of an expression that must be a record of this type.
    pub(super) fn record_value(&mut self, e: &'a ast::Expr, ty: &RecordType) -> Option<Vec<Expr>> {
        match &e.kind {
            ast::ExprKind::RecordLiteral(name, fields) if ty.keys.is_empty() => {
                self.record_literal(name, fields, ty, e.span)
            }
            ast::ExprKind::ArrayLiteral(elements) if !ty.keys.is_empty() => {
                self.check_count(elements.len(), &ty.keys[0], e.span)?;
                self.record_elements(elements.iter().collect(), ty, e.span)
            }
            ast::ExprKind::ArrayFill(element) if !ty.keys.is_empty() => self.record_elements(vec![element], ty, e.span),
            ast::ExprKind::Conditional(c, a, b) => {
                let condition = self.condition(c);
                let (a, b) = (self.record_value(a, ty), self.record_value(b, ty));
                let (condition, a, b) = (condition?, a?, b?);
                let choose = |(a, b): (Expr, Expr)| {
                    let sort = if a.sort == b.sort { a.sort } else { Sort::Int.into() };
                    Expr::conditional(condition.clone(), a, b, sort, e.span)
                };
                Some(a.into_iter().zip(b).map(choose).collect())
            }
            _ => {
                let Some(found) = self.record_type_of(e) else { return self.not_a_record(e, ty) };
                if found != *ty {
                    let (wanted, got) = (self.show_record(ty), self.show_record(&found));
                    let error =
                        Diagnostic::error(e.span, format!("expected a value of type `{wanted}`, found `{got}`"));
                    self.report(error.label(format!("this is of type `{got}`")));
                    return None;
                }
                if let ast::ExprKind::Call(name, args) = &e.kind {
                    return self.expand(name, args, e.span);
                }
                let Found::Access(access) = self.path(e) else { return None };
                (0..self.leaves(ty).len()).map(|leaf| self.leaf_value(&access, leaf, e.span)).collect()
            }
        }
    }

    fn not_a_record<T>(&mut self, e: &'a ast::Expr, ty: &RecordType) -> Option<T> {
        let wanted = self.show_record(ty);
        let value = self.expr(e, None)?;
        let got = self.show(&value.sort);
        let error = Diagnostic::error(e.span, format!("expected a value of type `{wanted}`, found `{got}`"));
        let name = &self.records[ty.record].name.text;
        self.report(
            error.label(format!("this is of type `{got}`")).hint(format!("write `{name}(a: …)` with its fields")),
        );
        None
    }

    fn record_elements(&mut self, elements: Vec<&'a ast::Expr>, ty: &RecordType, span: Span) -> Option<Vec<Expr>> {
        let element = RecordType { record: ty.record, keys: ty.keys[1..].to_vec() };
        let values: Vec<Option<Vec<Expr>>> = elements.into_iter().map(|e| self.record_value(e, &element)).collect();
        let values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let leaves = self.leaves(ty).into_iter().enumerate();
        let column = |(index, leaf): (usize, Leaf)| {
            let of_leaf: Vec<Expr> = values.iter().map(|value| value[index].clone()).collect();
            Expr::new(ExprKind::ArrayLiteral(of_leaf.into()), leaf.sort, span)
        };
        Some(leaves.map(column).collect())
    }

    fn record_literal(
        &mut self,
        name: &'a Name,
        fields: &'a [(Name, ast::Expr)],
        ty: &RecordType,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let record = self.resolve_record(name)?;
        if record != ty.record {
            let (wanted, got) = (self.show_record(ty), &name.text);
            let error = Diagnostic::error(span, format!("expected a value of type `{wanted}`, found `{got}`"));
            self.report(error.label(format!("this is of type `{got}`")));
            return None;
        }
        for (index, (field, _)) in fields.iter().enumerate() {
            let declared = self.records[record].fields.iter().any(|(known, _)| known.text == field.text);
            let again = fields[..index].iter().any(|(other, _)| other.text == field.text);
            if !declared || again {
                let what = if declared { "is given twice" } else { "is no field of this record" };
                let error = Diagnostic::error(field.span, format!("`{}` {what}", field.text));
                let declaration = self.records[record].name.span;
                self.report(error.label("unexpected").related(declaration, "declared here"));
            }
        }
        let declared = self.records[record].fields.clone();
        let mut leaves = Some(Vec::new());
        for (known, field_type) in declared {
            let Some((_, value)) = fields.iter().find(|(field, _)| field.text == known.text) else {
                let error = Diagnostic::error(span, format!("the field `{}` is missing", known.text));
                self.report(error.label("every field needs a value").related(known.span, "declared here"));
                leaves = None;
                continue;
            };
            let parts = match field_type {
                Some(FieldType::Plain(sort, _)) => self.value_of(value, &sort).map(|e| vec![e]),
                Some(FieldType::Record(inner)) => self.record_value(value, &inner),
                None => None,
            };
            leaves = leaves.zip(parts).map(|(leaves, parts): (Vec<Expr>, Vec<Expr>)| [leaves, parts].concat());
        }
        leaves
    }

    pub(super) fn resolve_record(&mut self, name: &Name) -> Option<usize> {
        match self.globals.get(name.text.as_str()).map(|g| g.kind) {
            Some(GlobalKind::Record(record)) => Some(record),
            Some(kind) => {
                let error = Diagnostic::error(name.span, format!("`{}` is {}, not a record", name.text, kind.noun()));
                self.report(error.label("expected the name of a record"));
                None
            }
            None => {
                let records = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Record(_)));
                self.reporter.unknown(name.span, "record", &name.text, records.map(|(name, _)| *name));
                None
            }
        }
    }

    /// A record type as the user writes it.
    pub(super) fn show_record(&self, ty: &RecordType) -> String {
        let keys: String = ty.keys.iter().map(|key| format!("[{}]", self.show(key))).collect();
        format!("{keys}{}", self.records[ty.record].name.text)
    }

    /// Whether two records are the same: whether all their leaves are.
    pub(super) fn records_equal(&mut self, a: &'a ast::Expr, b: &'a ast::Expr, span: Span) -> Option<Option<Expr>> {
        let ty = self.record_type_of(a).or_else(|| self.record_type_of(b))?;
        let (a, b) = (self.record_value(a, &ty), self.record_value(b, &ty));
        let (Some(a), Some(b)) = (a, b) else { return Some(None) };
        let equal = |(a, b): (Expr, Expr)| {
            Expr::new(ExprKind::Binary(BinaryOp::Eq, Box::new(a), Box::new(b)), Sort::Bool, span)
        };
        let all = a.into_iter().zip(b).map(equal);
        let both = |a, b| Expr { span, ..Expr::binary(BinaryOp::And, a, b, Sort::Bool) };
        Some(Some(all.reduce(both).unwrap_or(Expr::bool(true, span))))
    }
}
