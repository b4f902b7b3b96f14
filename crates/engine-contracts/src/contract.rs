//! The user's relies, guarantees and invariants as terms.

use threadwise_ir::{BinaryOp, Contract, Domain, Expr, ExprKind, Program, PropertyId, TemplateId, VarRef};
use threadwise_logic::Term;
use threadwise_symbolic::{Population, Unsupported, Value, View};

/// A conjunct of an invariant, and the property that it is from.
pub(crate) struct Invariant {
    pub(crate) property: PropertyId,
    pub(crate) part: Expr,
}

pub(crate) struct Contracts<'a> {
    pub(crate) population: &'a Population,
    /// I: the properties that speak of shared variables only, by conjuncts.
    pub(crate) invariants: Vec<Invariant>,
}

impl<'a> Contracts<'a> {
    pub(crate) fn new(population: &'a Population) -> Contracts<'a> {
        let mut invariants = Vec::new();
        for (property, e, wrong) in population.program.formulas().filter(|(_, e, _)| is_shared_only(e)) {
            let parts = if wrong { vec![e.clone().negated()] } else { conjuncts(e) };
            invariants.extend(parts.into_iter().map(|part| Invariant { property, part }));
        }
        Contracts { population, invariants }
    }

    pub(crate) fn program(&self) -> &Program {
        &self.population.program
    }

    /// I of a store.
    pub(crate) fn invariant(&self, shared: &[Value]) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, shared);
        let parts = self.invariants.iter().map(|invariant| view.holds(&invariant.part));
        Ok(Term::all(&parts.collect::<Result<Vec<Term>, _>>()?))
    }

    /// That the values of a store are of their sorts, and that I holds.
    pub(crate) fn possible(&self, shared: &[Value]) -> Result<Term, Unsupported> {
        let vars = self.program().shared.iter().zip(shared);
        let formed = vars.map(|(var, value)| self.population.well_formed(&var.sort, value)).collect::<Vec<Term>>();
        Ok(Term::all(&formed).and(&self.invariant(shared)?))
    }

    /// A contract's formula for a thread and a step.
    pub(crate) fn formula(
        &self,
        formula: &Expr,
        thread: &Term,
        before: &[Value],
        after: &[Value],
    ) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, before).with_after(after, &[]).with_bound(vec![thread.clone()]);
        view.holds(formula)
    }

    /// A_i: what a copy of the template may expect of a step of another thread.
    pub(crate) fn rely(
        &self,
        template: TemplateId,
        me: &Term,
        before: &[Value],
        after: &[Value],
    ) -> Result<Term, Unsupported> {
        let mut parts = Vec::new();
        for contract in self.program().relies.iter().filter(|contract| concerns(contract, template)) {
            parts.push(self.formula(&contract.formula, me, before, after)?);
        }
        Ok(Term::all(&parts))
    }

    /// The shared variables that the rely of a template says are left alone, whatever else holds: `x' == x`.
    pub(crate) fn left_alone(&self, template: TemplateId) -> Vec<bool> {
        let mut alone = vec![false; self.program().shared.len()];
        let relies = self.program().relies.iter().filter(|contract| concerns(contract, template));
        for part in relies.flat_map(|contract| conjuncts(&contract.formula)) {
            if let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) = &part.kind
                && let (ExprKind::ReadAfter(after), ExprKind::Read(before))
                | (ExprKind::Read(before), ExprKind::ReadAfter(after)) = (&a.kind, &b.kind)
                && let (VarRef::Shared(var), true) = (before, before == after)
            {
                alone[var.index()] = true;
            }
        }
        alone
    }

    /// Whether a contract is about a thread.
    pub(crate) fn is_subject(&self, contract: &Contract, thread: &Term) -> Term {
        match &contract.subject {
            Domain::Copies(template) => self.population.is_copy(thread, *template),
            Domain::Sort(_) => self.population.is_thread(thread),
        }
    }

    /// Whether guarantees are given for a template; otherwise they are derived.
    pub(crate) fn guarantees(&self, template: TemplateId) -> impl Iterator<Item = (usize, &Contract)> {
        self.program().guarantees.iter().enumerate().filter(move |(_, contract)| concerns(contract, template))
    }
}

/// Whether a contract is about the copies of a template.
pub(crate) fn concerns(contract: &Contract, template: TemplateId) -> bool {
    match &contract.subject {
        Domain::Copies(subject) => *subject == template,
        Domain::Sort(_) => true,
    }
}

/// Whether a property says nothing of where threads are and of their locals.
pub(crate) fn is_shared_only(e: &Expr) -> bool {
    !e.any(&|e| matches!(e.kind, ExprKind::At(..) | ExprKind::LocalOf(..)))
}

/// The conjuncts of a formula, also of the conclusion of an implication.
pub(crate) fn conjuncts(e: &Expr) -> Vec<Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        ExprKind::Binary(BinaryOp::Implies, premise, conclusion) => conjuncts(conclusion)
            .into_iter()
            .map(|part| Expr {
                kind: ExprKind::Binary(BinaryOp::Implies, premise.clone(), Box::new(part)),
                ..e.clone()
            })
            .collect(),
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Bound(_)
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::LocalOf(..)
        | ExprKind::At(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(_)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_)
        | ExprKind::Quantified(..) => vec![e.clone()],
    }
}
