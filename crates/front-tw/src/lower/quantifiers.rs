//! `forall`, `exists` and `count`.

use super::Lowerer;
use super::names::{Binding, GlobalKind};
use super::types::is_scalar;
use crate::ast::{self, TypeKind};
use threadwise_ir::{Binder, Domain, Expr, Quantifier, Sort};
use threadwise_source::{Diagnostic, Span};

/// The most values that a quantifier may range over.
const MAX_DOMAIN: u128 = 1 << 20;

impl<'a> Lowerer<'a> {
    /// Several binders are several quantifiers, the first one outermost. A count over several
    /// binders is a sum of counts.
    pub(super) fn quantified(
        &mut self,
        quantifier: ast::Quantifier,
        binders: &'a [ast::Binder],
        body: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let quantifier = match quantifier {
            ast::Quantifier::Forall => Quantifier::Forall,
            ast::Quantifier::Exists => Quantifier::Exists,
            ast::Quantifier::Count => Quantifier::Count,
        };
        let sort = if quantifier == Quantifier::Count { Sort::Int } else { Sort::Bool };
        let outer = self.bound;
        let (domains, body) = self.in_scope(|l| {
            let domains: Vec<Option<Binder>> = binders.iter().map(|binder| l.bind(binder)).collect();
            (domains, l.condition(body))
        });
        self.bound = outer;
        let domains = domains.into_iter().collect::<Option<Vec<Binder>>>()?;
        let nest = |body, binder| Expr::quantified(quantifier, binder, body, &sort, span);
        Some(domains.into_iter().rev().fold(body?, nest))
    }

    /// Declares a bound variable in the innermost scope.
    pub(super) fn bind(&mut self, binder: &'a ast::Binder) -> Option<Binder> {
        let domain = self.domain(&binder.ty);
        let binding = match &domain {
            Some(domain) => Binding::Bound(self.bound, domain.clone()),
            None => Binding::Broken,
        };
        self.declare(&binder.name, binding);
        self.bound += 1;
        Some(Binder { name: binder.name.text.as_str().into(), domain: domain? })
    }

    /// What a binder's type ranges over: a thread's copies, or the values of a finite type.
    fn domain(&mut self, ty: &'a ast::Type) -> Option<Domain> {
        if let TypeKind::Named(name) = &ty.kind
            && let Some(GlobalKind::Thread(template)) = self.globals.get(name.as_str()).map(|g| g.kind)
        {
            return Some(Domain::Copies(template));
        }
        let sort = self.sort(ty, "a bound variable")?;
        if !is_scalar(&sort) || sort == Sort::Int {
            let error =
                Diagnostic::error(ty.span, format!("a bound variable cannot be of type `{}`", self.show(&sort)));
            let error =
                error.label("expected `bool`, a range, a machine integer, an enumeration, `tid` or a thread's name");
            self.report(if sort == Sort::Int { error.hint("use a range, as in `0..7`") } else { error });
            return None;
        }
        if self.values(&sort).is_some_and(|n| n > MAX_DOMAIN) {
            let error = Diagnostic::error(ty.span, "this type has too many values for a bound variable");
            self.report(error.label(format!("at most {MAX_DOMAIN} values are supported")));
            return None;
        }
        Some(Domain::Sort(sort))
    }
}
