//! `init`, `invariant`, `never`, `norace`, `nodeadlock` and `exceptions`.

use super::fold::known_value;
use super::names::{GlobalKind, Variable};
use super::{Lowerer, Mode};
use crate::ast::{Expr, ItemKind, Name, Watched};
use threadwise_ir::{Property, Region};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// All properties, conditions on the initial state, and exceptions.
    pub(super) fn lower_properties(&mut self) {
        self.index_labels();
        for item in &self.module.items {
            match &item.kind {
                ItemKind::Init(e) => self.init(e),
                ItemKind::Invariant(name, e) => {
                    let name = name.as_ref().map(|name| name.text.as_str().into());
                    if let Some(e) = self.in_mode(Mode::Property, |l| l.condition(e)) {
                        self.program.properties.push(Property::invariant(name, e, item.span));
                    }
                }
                ItemKind::Never(name, e) => {
                    let name = name.as_ref().map(|name| name.text.as_str().into());
                    if let Some(e) = self.in_mode(Mode::Property, |l| l.condition(e)) {
                        self.program.properties.push(Property::never(name, e, item.span));
                    }
                }
                ItemKind::Exceptions(e) => {
                    let states = self.in_mode(Mode::Property, |l| l.condition(e));
                    self.program.exceptions.extend(states);
                }
                ItemKind::NoDeadlock => self.program.forbid_deadlocks(item.span),
                ItemKind::NoRace(all) => all.iter().for_each(|watched| self.no_race(watched, item.span)),
                _ => {}
            }
        }
    }

    /// `nodeadlock;` that is said elsewhere. It stands where the first thread does, since it must stand somewhere.
    pub(super) fn forbid_deadlocks(&mut self) {
        let span = self.program.templates.first().map_or(Span::default(), |template| template.span);
        self.program.forbid_deadlocks(span);
    }

    fn init(&mut self, e: &'a Expr) {
        let Some(condition) = self.in_mode(Mode::Init, |l| l.condition(e)) else { return };
        if known_value(&condition) == Some(0) {
            let warning = Diagnostic::warning(e.span, "there is no initial state");
            self.report(warning.label("this is always false, so every property holds"));
        }
        self.program.init.push(condition);
    }

    fn no_race(&mut self, watched: &Watched, span: Span) {
        let (name, depth) = (&watched.name, watched.depth);
        let Some(variable) = self.race_variable(name) else { return };
        let vars = match variable {
            Variable::Broken => return,
            Variable::Plain(id, _) => vec![id],
            Variable::RwLock { writer, readers } => vec![writer, readers],
            Variable::Record(index) => self.record_variables[index].1.clone(),
            Variable::Channel(index) => {
                let channel = &self.channels[index];
                channel.values.iter().copied().chain([channel.length]).collect()
            }
        };
        if vars.iter().any(|var| depth > self.program.shared[var.index()].sort.array_depth()) {
            let error = Diagnostic::error(name.span, format!("`{}` has no such elements", name.text));
            return self.report(error.label("each `[*]` stands for the keys of an array"));
        }
        let shown = format!("{}{}", name.text, "[*]".repeat(depth));
        self.program.properties.push(Property::norace(shown.into(), Region { vars, depth, plain: false }, span));
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
