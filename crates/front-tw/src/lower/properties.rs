//! `init`, `invariant`, `never`, `norace` and `exceptions`.

use super::fold::known_value;
use super::names::{GlobalKind, Variable};
use super::{Lowerer, Mode};
use crate::ast::{Expr, ItemKind, Name};
use threadwise_ir::{Property, PropertyKind};
use threadwise_source::{Diagnostic, Span};

/// The most variables under `norace`: engines keep one bit for each.
const MAX_NORACE: usize = 64;

impl<'a> Lowerer<'a> {
    /// All properties, conditions on the initial state, and exceptions.
    pub(super) fn lower_properties(&mut self) {
        self.index_labels();
        let mut watched = 0;
        for item in &self.module.items {
            match &item.kind {
                ItemKind::Init(e) => self.init(e),
                ItemKind::Invariant(name, e) => {
                    let name = name.as_ref().map(|name| name.text.as_str().into());
                    if let Some(e) = self.in_mode(Mode::Property, |l| l.condition(e)) {
                        self.add_property(PropertyKind::Invariant(name, e), item.span);
                    }
                }
                ItemKind::Never(e) => {
                    if let Some(e) = self.in_mode(Mode::Property, |l| l.condition(e)) {
                        self.add_property(PropertyKind::Never(e), item.span);
                    }
                }
                ItemKind::Exceptions(e) => {
                    let states = self.in_mode(Mode::Property, |l| l.condition(e));
                    self.program.exceptions.extend(states);
                }
                ItemKind::NoRace(names) => {
                    names.iter().for_each(|name| self.no_race(name, item.span, &mut watched));
                }
                _ => {}
            }
        }
    }

    fn add_property(&mut self, kind: PropertyKind, span: Span) {
        self.program.properties.push(Property { kind, span });
    }

    fn init(&mut self, e: &'a Expr) {
        let Some(condition) = self.in_mode(Mode::Init, |l| l.condition(e)) else { return };
        if known_value(&condition) == Some(0) {
            let warning = Diagnostic::warning(e.span, "there is no initial state");
            self.report(warning.label("this is always false, so every property holds"));
        }
        self.program.init.push(condition);
    }

    fn no_race(&mut self, name: &Name, span: Span, watched: &mut usize) {
        let Some(variable) = self.race_variable(name) else { return };
        let ids = match variable {
            Variable::Broken => return,
            Variable::Plain(id, _) => vec![id],
            Variable::RwLock { writer, readers } => vec![writer, readers],
        };
        *watched += ids.len();
        if *watched > MAX_NORACE {
            let error = Diagnostic::error(name.span, "too many variables under `norace`");
            self.report(error.label(format!("at most {MAX_NORACE} are supported, an rwlock counting as two")));
            return;
        }
        self.add_property(PropertyKind::NoRace(name.text.as_str().into(), ids), span);
    }

    fn race_variable(&mut self, name: &Name) -> Option<Variable> {
        match self.globals.get(name.text.as_str()).map(|g| g.kind) {
            Some(GlobalKind::Shared(index)) => Some(self.variables[index]),
            Some(kind) => {
                let message = format!("`{}` cannot have a race: it is {}", name.text, kind.noun());
                self.report(Diagnostic::error(name.span, message).label("expected a shared variable"));
                None
            }
            None => {
                let shared = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Shared(_)));
                self.reporter.unknown(name.span, "shared variable", &name.text, shared.map(|(name, _)| *name));
                None
            }
        }
    }
}
