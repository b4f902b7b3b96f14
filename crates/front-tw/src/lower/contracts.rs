//! `rely` and `guarantee`.

use super::{Lowerer, Mode};
use crate::ast::{self, ContractSubject, ItemKind};
use std::sync::Arc;
use threadwise_ir::{Contract, Domain, Sort};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    pub(super) fn lower_contracts(&mut self) {
        for item in &self.module.items {
            match &item.kind {
                ItemKind::Rely(contract) => {
                    let contract = self.contract(contract, item.span);
                    self.program.relies.extend(contract);
                }
                ItemKind::Guarantee(contract) => {
                    let contract = self.contract(contract, item.span);
                    self.program.guarantees.extend(contract);
                }
                _ => {}
            }
        }
    }

    /// In the formula the subject is the bound variable 0, whether it has a name or not.
    fn contract(&mut self, contract: &'a ast::Contract, span: Span) -> Option<Contract> {
        self.bound = 0;
        let (subject, formula) = self.in_scope(|l| {
            let subject = l.subject(&contract.subject);
            (subject, l.in_mode(Mode::Contract, |l| l.condition(&contract.formula)))
        });
        self.bound = 0;
        let (subject, binder) = subject?;
        Some(Contract { subject, binder, formula: formula?, span })
    }

    fn subject(&mut self, subject: &'a ContractSubject) -> Option<(Domain, Arc<str>)> {
        match subject {
            ContractSubject::Thread(name) => {
                self.bound += 1;
                let template = self.resolve_thread(name)?;
                Some((Domain::Copies(template), name.text.as_str().into()))
            }
            ContractSubject::Every(binder) => {
                let bound = self.bind(binder)?;
                if bound.domain.sort() != Sort::Tid {
                    let error = Diagnostic::error(binder.ty.span, "a contract is about threads");
                    self.report(error.label("expected `tid` or a thread's name"));
                    return None;
                }
                Some((bound.domain, bound.name))
            }
        }
    }
}
