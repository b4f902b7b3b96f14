//! Which names a program mentions anywhere but where it declares them.

use std::collections::BTreeSet;
use threadwise_front_tw::ast::{
    Block, Cond, ContractSubject, Copies, Expr, ExprKind, ItemKind, Module, Rhs, Stmt, StmtKind, Type, TypeKind,
    VarDecl,
};

/// The names of variables, types, threads, procedures and labels that are mentioned.
pub(crate) fn used_names(module: &Module) -> BTreeSet<String> {
    let mut used = Uses(BTreeSet::new());
    for item in &module.items {
        used.item(&item.kind);
    }
    used.0
}

struct Uses(BTreeSet<String>);

impl Uses {
    fn item(&mut self, item: &ItemKind) {
        match item {
            ItemKind::Const(_, e)
            | ItemKind::Init(e)
            | ItemKind::Invariant(_, e)
            | ItemKind::Never(_, e)
            | ItemKind::Exceptions(e) => self.expr(e),
            ItemKind::Shared(decl) => self.declaration(decl),
            ItemKind::Thread(thread) => {
                if let Copies::Exactly(e) = &thread.copies {
                    self.expr(e);
                }
                thread.params.iter().flatten().for_each(|param| self.ty(&param.ty));
                self.block(&thread.body);
            }
            ItemKind::Proc(proc) => {
                proc.params.iter().chain(&proc.result).for_each(|param| self.ty(&param.ty));
                self.block(&proc.body);
            }
            ItemKind::NoRace(all) => self.0.extend(all.iter().map(|watched| watched.name.text.clone())),
            ItemKind::Rely(contract) | ItemKind::Guarantee(contract) => {
                match &contract.subject {
                    ContractSubject::Every(binder) => self.ty(&binder.ty),
                    ContractSubject::Thread(name) => _ = self.0.insert(name.text.clone()),
                }
                self.expr(&contract.formula);
            }
            ItemKind::Abstract(specification) => {
                self.0.insert(specification.name.text.clone());
                specification.nodes.iter().flat_map(|node| &node.assertion).for_each(|e| self.expr(e));
                for edge in &specification.edges {
                    edge.frame.iter().flatten().chain(&edge.formula).for_each(|e| self.expr(e));
                }
                // An edge without brackets writes every shared variable, without naming them.
            }
            ItemKind::Record(_, fields) => fields.iter().for_each(|field| self.ty(&field.ty)),
            ItemKind::Function(function) => {
                function.params.iter().for_each(|param| self.ty(&param.ty));
                self.ty(&function.result);
                self.expr(&function.body);
            }
            ItemKind::Enum(..) | ItemKind::NoDeadlock => {}
        }
    }

    fn declaration(&mut self, decl: &VarDecl) {
        self.ty(&decl.ty);
        decl.init.iter().for_each(|init| self.rhs(init));
    }

    fn rhs(&mut self, rhs: &Rhs) {
        if let Rhs::Expr(e) = rhs {
            self.expr(e);
        }
    }

    fn condition(&mut self, condition: &Cond) {
        if let Cond::Expr(e) = condition {
            self.expr(e);
        }
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Named(name) => _ = self.0.insert(name.clone()),
            TypeKind::Range(lo, hi) => [lo, hi].into_iter().for_each(|e| self.expr(e)),
            TypeKind::Set(element) => self.ty(element),
            TypeKind::Array(key, element) => [key, element].into_iter().for_each(|ty| self.ty(ty)),
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Skip | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Var(decl) => self.declaration(decl),
            StmtKind::Assign(places, values) => {
                places.iter().for_each(|e| self.expr(e));
                values.iter().for_each(|value| self.rhs(value));
            }
            StmtKind::Assert(e, _) | StmtKind::Assume(e) | StmtKind::Lock(_, e) => self.expr(e),
            StmtKind::Signal(e) | StmtKind::Broadcast(e) => self.expr(e),
            StmtKind::Wait(a, b) | StmtKind::Send(a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            StmtKind::Receive { result, channel } => {
                result.iter().chain([channel]).for_each(|e| self.expr(e));
            }
            StmtKind::Action { frame, formula, assertion } => {
                frame.iter().chain([formula]).chain(assertion).for_each(|e| self.expr(e));
            }
            StmtKind::Block(body) | StmtKind::Atomic(body) => self.block(body),
            StmtKind::If(condition, yes, no) => {
                self.condition(condition);
                [yes].into_iter().chain(no).for_each(|body| self.block(body));
            }
            StmtKind::While(condition, invariants, body) => {
                self.condition(condition);
                invariants.iter().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::Loop(invariants, body) => {
                invariants.iter().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::Choose(branches) | StmtKind::Select(branches) => {
                branches.iter().for_each(|body| self.block(body));
            }
            StmtKind::ForCopies(_, thread, body) => {
                self.0.insert(thread.text.clone());
                self.block(body);
            }
            StmtKind::For(_, lo, hi, body) => {
                [lo, hi].into_iter().for_each(|e| self.expr(e));
                self.block(body);
            }
            StmtKind::Goto(label) => _ = self.0.insert(label.text.clone()),
            StmtKind::Call { result, proc, args } => {
                self.0.insert(proc.text.clone());
                result.iter().chain(args).for_each(|e| self.expr(e));
            }
            StmtKind::Start { result, thread, args } => {
                self.0.insert(thread.text.clone());
                result.iter().chain(args).for_each(|e| self.expr(e));
            }
            StmtKind::Join(e) => self.expr(e),
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::LargeInt(_)
            | ExprKind::Bool(_)
            | ExprKind::SelfThread
            | ExprKind::None
            | ExprKind::Error => {}
            ExprKind::Name(name) => _ = self.0.insert(name.clone()),
            ExprKind::Prime(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Size(e)
            | ExprKind::Convert(_, e)
            | ExprKind::ArrayFill(e)
            | ExprKind::Ord(e) => self.expr(e),
            ExprKind::Field(e, name) | ExprKind::At(e, name) => {
                self.0.insert(name.text.clone());
                self.expr(e);
            }
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|e| self.expr(e));
            }
            ExprKind::Conditional(condition, yes, no) => [condition, yes, no].into_iter().for_each(|e| self.expr(e)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|e| self.expr(e));
            }
            ExprKind::RecordLiteral(name, fields) => {
                self.0.insert(name.text.clone());
                fields.iter().for_each(|(_, e)| self.expr(e));
            }
            ExprKind::Call(name, args) => {
                self.0.insert(name.text.clone());
                args.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Quantified(_, binders, body) => {
                binders.iter().for_each(|binder| self.ty(&binder.ty));
                self.expr(body);
            }
        }
    }
}
