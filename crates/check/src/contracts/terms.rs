//! The program's contracts and invariants as terms.

use std::collections::BTreeSet;
use threadwise_ir::{BinaryOp, Contract, Domain, Expr, ExprKind, Program, SharedId, TemplateId, VarRef};
use threadwise_logic::Term;
use threadwise_solver::Session;
use threadwise_symbolic::{Population, Unsupported, Value, View};

pub(crate) struct Terms<'a> {
    pub(crate) population: &'a Population,
}

impl<'a> Terms<'a> {
    pub(crate) fn new(population: &'a Population) -> Terms<'a> {
        Terms { population }
    }

    pub(crate) fn program(&self) -> &'a Program {
        &self.population.program
    }

    /// Constants for a shared store.
    pub(crate) fn store(&self, session: &mut Session, name: &str) -> Vec<Value> {
        let vars = self.program().shared.iter().enumerate();
        vars.map(|(index, var)| self.population.declare_value(session, &format!("{name}.{index}"), &var.sort)).collect()
    }

    /// The invariants that speak of shared variables only.
    pub(crate) fn invariant(&self, store: &[Value]) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, store);
        let mut parts = Vec::new();
        for (_, e, wrong) in self.program().formulas().filter(|(_, e, _)| !e.looks_at_threads()) {
            let translated = view.translate(e)?;
            let truth = translated.value.term();
            parts.push(translated.defined.and(if wrong { truth.not() } else { truth.clone() }));
        }
        Ok(Term::all(&parts))
    }

    /// That constants make up a store between steps: values in their ranges, and the invariants.
    pub(crate) fn sound(&self, store: &[Value]) -> Result<Term, Unsupported> {
        let vars = self.program().shared.iter().zip(store);
        let formed: Vec<Term> = vars.map(|(var, value)| self.population.well_formed(&var.sort, value)).collect();
        Ok(Term::all(&formed).and(&self.invariant(store)?))
    }

    pub(crate) fn is_subject(&self, contract: &Contract, thread: &Term) -> Term {
        match &contract.subject {
            Domain::Copies(template) => self.population.is_copy(thread, *template),
            Domain::Sort(_) => self.population.is_thread(thread),
        }
    }

    /// A contract's formula for a thread and a step.
    pub(crate) fn contract(
        &self,
        contract: &Contract,
        thread: &Term,
        x: &[Value],
        y: &[Value],
    ) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, x).with_after(y, &[]).with_bound(vec![thread.clone()]);
        view.holds(&contract.formula)
    }

    /// What a thread may expect of one step of another thread.
    pub(crate) fn rely(&self, of: TemplateId, me: &Term, x: &[Value], y: &[Value]) -> Result<Term, Unsupported> {
        let mine = self.program().relies.iter().filter(|rely| is_about(rely, of));
        let parts = mine.map(|rely| self.contract(rely, me, x, y)).collect::<Result<Vec<Term>, _>>()?;
        Ok(Term::all(&parts))
    }

    /// The shared variables of which a conjunct of the rely says that others do not change them.
    pub(crate) fn untouched(&self, of: TemplateId) -> BTreeSet<SharedId> {
        let mut untouched = BTreeSet::new();
        let mut parts: Vec<&Expr> =
            self.program().relies.iter().filter(|r| is_about(r, of)).map(|r| &r.formula).collect();
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Binary(BinaryOp::And, a, b) => parts.extend([&**a, &**b]),
                ExprKind::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => match (&a.kind, &b.kind) {
                    (ExprKind::Read(VarRef::Shared(x)), ExprKind::ReadAfter(VarRef::Shared(y)))
                    | (ExprKind::ReadAfter(VarRef::Shared(x)), ExprKind::Read(VarRef::Shared(y)))
                        if x == y =>
                    {
                        untouched.insert(*x);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        untouched
    }

    /// The guarantees that the program gives for a thread.
    pub(crate) fn given_guarantees(&self, of: TemplateId) -> Vec<&'a Contract> {
        self.program().guarantees.iter().filter(|guarantee| is_about(guarantee, of)).collect()
    }

    /// That there are stores in between, so that so many steps lead from one store to another.
    pub(crate) fn steps_between(
        &self,
        of: TemplateId,
        me: &Term,
        x: &[Value],
        y: &[Value],
        steps: u32,
    ) -> Result<Term, Unsupported> {
        if steps == 1 {
            return self.rely(of, me, x, y);
        }
        let mut constants: Vec<Term> = Vec::new();
        let mut middle = Vec::new();
        for (index, var) in self.program().shared.iter().enumerate() {
            let value = self.population.named(&format!("between{steps}.{index}"), &var.sort);
            constants.extend(value.0.iter().cloned());
            middle.push(value);
        }
        let first = self.rely(of, me, x, &middle)?.and(&self.sound(&middle)?);
        let both = first.and(&self.steps_between(of, me, &middle, y, steps - 1)?);
        Ok(Term::exists(&constants, both))
    }
}

fn is_about(contract: &Contract, template: TemplateId) -> bool {
    match &contract.subject {
        Domain::Copies(subject) => *subject == template,
        Domain::Sort(_) => true,
    }
}
