//! Declarations.

use super::{Kind, Walk};
use threadwise_front_tw::ast::*;
use threadwise_source::Span;

impl Walk {
    pub(super) fn module(&mut self, module: &Module) {
        // Declarations may use each other in any order.
        for item in &module.items {
            self.declare_item(item);
        }
        for item in &module.items {
            self.item(item);
        }
        // Properties speak of labels and locals of threads, which may stand behind them.
        for item in &module.items {
            self.property(item);
        }
    }

    fn declare_item(&mut self, item: &Item) {
        let whole = item.span;
        match &item.kind {
            ItemKind::Const(name, _) => {
                self.declare(name, Kind::Constant, whole, None);
            }
            ItemKind::Enum(name, members) => {
                let home = self.declare(name, Kind::Enumeration, whole, None);
                let outer = self.home.replace(home);
                for member in members {
                    self.declare(member, Kind::Member, member.span, None);
                }
                self.home = outer;
            }
            ItemKind::Record(name, fields) => {
                let home = self.declare(name, Kind::Record, whole, None);
                let outer = self.home.replace(home);
                for field in fields {
                    self.add(&field.name, Kind::Field, field.name.span.to(field.ty.span), Some(&field.ty));
                }
                self.home = outer;
            }
            ItemKind::Function(function) => {
                self.declare(&function.name, Kind::Function, whole, None);
            }
            ItemKind::Shared(variables) => {
                for name in &variables.names {
                    self.declare(name, Kind::Shared, whole, Some(&variables.ty));
                }
            }
            ItemKind::Thread(thread) => {
                self.declare(&thread.name, Kind::Thread, whole, None);
            }
            ItemKind::Proc(proc) => {
                self.declare(&proc.name, Kind::Procedure, whole, None);
            }
            ItemKind::Invariant(name, _) | ItemKind::Never(name, _) => {
                if let Some(name) = name {
                    self.add(name, Kind::Property, whole, None);
                }
            }
            ItemKind::Init(_) | ItemKind::Exceptions(_) | ItemKind::NoRace(_) | ItemKind::NoDeadlock => {}
            ItemKind::Rely(_) | ItemKind::Guarantee(_) | ItemKind::Abstract(_) => {}
        }
    }

    /// Types, values and code.
    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Const(_, value) | ItemKind::Init(value) => self.expr(value),
            ItemKind::Record(_, fields) => fields.iter().for_each(|field| self.ty(&field.ty)),
            ItemKind::Function(function) => self.function(function),
            ItemKind::Shared(variables) => self.types_and_values(variables),
            ItemKind::Thread(thread) => self.thread(thread),
            ItemKind::Proc(proc) => self.procedure(proc),
            ItemKind::Enum(..) | ItemKind::Invariant(..) | ItemKind::Never(..) | ItemKind::Exceptions(_) => {}
            ItemKind::NoRace(_) | ItemKind::NoDeadlock | ItemKind::Rely(_) | ItemKind::Guarantee(_) => {}
            ItemKind::Abstract(_) => {}
        }
    }

    fn property(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Invariant(_, formula) | ItemKind::Never(_, formula) | ItemKind::Exceptions(formula) => {
                self.expr(formula);
            }
            ItemKind::NoRace(watched) => watched.iter().for_each(|variable| self.use_of(&variable.name)),
            ItemKind::Rely(contract) | ItemKind::Guarantee(contract) => self.contract(contract),
            ItemKind::Abstract(thread) => self.abstract_thread(thread, item.span),
            ItemKind::Const(..) | ItemKind::Enum(..) | ItemKind::Record(..) | ItemKind::Function(_) => {}
            ItemKind::Shared(_) | ItemKind::Init(_) | ItemKind::Thread(_) | ItemKind::Proc(_) => {}
            ItemKind::NoDeadlock => {}
        }
    }

    pub(super) fn use_of(&mut self, name: &Name) {
        self.name(&name.text, name.span);
    }

    fn function(&mut self, function: &Function) {
        let Some(home) = self.lookup(&function.name.text) else { return };
        self.inside(home, |walk| {
            walk.params(&function.params);
            walk.ty(&function.result);
            walk.expr(&function.body);
        });
    }

    fn thread(&mut self, thread: &Thread) {
        if let Copies::Exactly(number) = &thread.copies {
            self.expr(number);
        }
        let Some(home) = self.lookup(&thread.name.text) else { return };
        self.inside(home, |walk| {
            walk.params(thread.params.as_deref().unwrap_or_default());
            walk.body(&thread.body);
        });
    }

    fn procedure(&mut self, proc: &Proc) {
        let Some(home) = self.lookup(&proc.name.text) else { return };
        self.inside(home, |walk| {
            walk.params(&proc.params);
            walk.params(proc.result.as_slice());
            walk.body(&proc.body);
        });
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.ty(&param.ty);
            self.declare(&param.name, Kind::Parameter, param.name.span.to(param.ty.span), Some(&param.ty));
        }
    }

    pub(super) fn types_and_values(&mut self, variables: &VarDecl) {
        self.ty(&variables.ty);
        if let Some(Rhs::Expr(value)) = &variables.init {
            self.expr(value);
        }
    }

    fn contract(&mut self, contract: &Contract) {
        self.scoped(|walk| {
            match &contract.subject {
                ContractSubject::Every(binder) => walk.binder(binder),
                ContractSubject::Thread(name) => walk.use_of(name),
            }
            walk.expr(&contract.formula);
        });
    }

    fn abstract_thread(&mut self, thread: &AbstractThread, whole: Span) {
        self.use_of(&thread.name);
        let Some(home) = self.lookup(&thread.name.text) else { return };
        self.inside(home, |walk| {
            for node in &thread.nodes {
                walk.declare(&node.name, Kind::Node, whole, None);
            }
            thread.init.iter().for_each(|name| walk.use_of(name));
            thread.nodes.iter().filter_map(|node| node.assertion.as_ref()).for_each(|formula| walk.expr(formula));
            for edge in &thread.edges {
                walk.use_of(&edge.from);
                walk.use_of(&edge.to);
                walk.exprs(edge.frame.as_deref().unwrap_or_default());
                walk.exprs(edge.formula.as_slice());
            }
        });
    }
}
