//! From the syntax tree to the unrolled tree.

use crate::access::reads_shared;
use crate::control::{label_points, seen_declarations};
use crate::eval::arithmetic;
use crate::functions::{expanded, unmarked};
use crate::tree::{Block, Kind, Program, Routine, Stmt, Thread};
use crate::value::{Fault, Name, Ty, unsupported};
use crate::waiting::assigned;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_front_tw::ast;
use threadwise_front_tw::ast::{Expr, ExprKind, ItemKind, Module, StmtKind, TypeKind, UnaryOp};

/// The program of a module, with some constants overridden, and perhaps so many copies for any number, of each thread in order.
pub(crate) fn load(module: &Module, defines: &[(String, i64)], any_copies: Option<&[usize]>) -> Result<Program, Fault> {
    let module = &expanded(module)?;
    let mut program = Program::default();
    for item in &module.items {
        load_constants(&item.kind, defines, &mut program)?;
    }
    for item in &module.items {
        load_threads(&item.kind, any_copies, &mut program)?;
    }
    load_records(module, &mut program)?;
    for item in &module.items {
        load_variables(&item.kind, &mut program)?;
    }
    let is_thread = |item: &&ast::Item| matches!(item.kind, ItemKind::Thread(_));
    for item in module.items.iter().filter(is_thread).chain(module.items.iter().filter(|item| !is_thread(item))) {
        load_routines(&item.kind, &mut program)?;
    }
    for item in &module.items {
        load_properties(&item.kind, &mut program);
    }
    for index in 0..program.routines.len() {
        seen_declarations(&mut program, index)?;
        program.routines[index].label_points = label_points(&program, index)?;
    }
    if program.nodeadlock {
        program.assigned = assigned(&program)?;
    }
    Ok(program)
}

fn load_constants(item: &ItemKind, defines: &[(String, i64)], program: &mut Program) -> Result<(), Fault> {
    match item {
        ItemKind::Const(name, value) => {
            let value = match defines.iter().rev().find(|(define, _)| *define == name.text) {
                Some((_, value)) => *value,
                None => constant(value, &program.consts)?,
            };
            program.consts.insert(name.text.as_str().into(), value);
        }
        ItemKind::Enum(name, members) => {
            let members = members.iter().map(|member| member.text.as_str().into()).collect();
            program.enums.insert(name.text.as_str().into(), members);
        }
        _ => {}
    }
    Ok(())
}

/// Records may use records that are declared later, so they are tried until no more is understood.
fn load_records(module: &Module, program: &mut Program) -> Result<(), Fault> {
    for _ in &module.items {
        for item in &module.items {
            let ItemKind::Record(name, fields) = &item.kind else { continue };
            let field = |field: &ast::Param| -> Result<(Name, Ty), Fault> {
                let ty = program.resolve(&field.ty, &mut |e| constant(e, &program.consts))?;
                Ok((field.name.text.as_str().into(), ty))
            };
            if let Ok(fields) = fields.iter().map(field).collect::<Result<Vec<_>, Fault>>() {
                program.records.insert(name.text.as_str().into(), Ty::Record(fields));
            }
        }
    }
    Ok(())
}

fn load_threads(item: &ItemKind, any_copies: Option<&[usize]>, program: &mut Program) -> Result<(), Fault> {
    let ItemKind::Thread(thread) = item else { return Ok(()) };
    let copies = match &thread.copies {
        ast::Copies::Single => 1,
        ast::Copies::Exactly(count) => constant(count, &program.consts)?,
        ast::Copies::Any => match any_copies {
            Some(copies) => copies[program.threads.iter().filter(|thread| thread.any_number).count()] as i64,
            None => return unsupported("any number of threads"),
        },
    };
    let Ok(copies) = usize::try_from(copies) else { return unsupported("a negative number of threads") };
    let first = program.number_of_threads() + 1;
    program.threads.push(Thread {
        name: thread.name.text.as_str().into(),
        numbers: first..first + copies,
        single: matches!(thread.copies, ast::Copies::Single),
        waits: thread.params.is_some(),
        any_number: matches!(thread.copies, ast::Copies::Any),
    });
    Ok(())
}

fn load_variables(item: &ItemKind, program: &mut Program) -> Result<(), Fault> {
    let ItemKind::Shared(decl) = item else { return Ok(()) };
    let ty = program.resolve(&decl.ty, &mut |e| constant(e, &program.consts))?;
    for name in &decl.names {
        let parts = match ty {
            Ty::RwLock => program.rwlock_parts(&name.text),
            _ => vec![(name.text.as_str().into(), ty.clone())],
        };
        for (name, ty) in parts {
            program.shared.insert(name.clone(), ty);
            program.initial.push((name, decl.init.clone()));
        }
    }
    Ok(())
}

fn load_routines(item: &ItemKind, program: &mut Program) -> Result<(), Fault> {
    let (name, params, result, body, is_thread) = match item {
        ItemKind::Thread(thread) => {
            (&thread.name, thread.params.as_deref().unwrap_or_default(), None, &thread.body, true)
        }
        ItemKind::Proc(proc) => (&proc.name, &proc.params[..], proc.result.as_ref(), &proc.body, false),
        _ => return Ok(()),
    };
    let param = |param: &ast::Param| -> Result<(Name, Ty), Fault> {
        let ty = program.resolve(&param.ty, &mut |e| constant(e, &program.consts))?;
        Ok((param.name.text.as_str().into(), ty))
    };
    let params = params.iter().map(param).collect::<Result<Vec<_>, _>>()?;
    let result = result.map(param).transpose()?;
    let locals = params.iter().chain(&result).cloned().collect();
    let mut unroller = Unroller { program, consts: program.consts.clone(), locals: Vec::new() };
    let body = unroller.block(body, locals, None)?;
    let mut routine = Routine {
        name: name.text.as_str().into(),
        is_thread,
        params,
        result,
        body,
        labels: BTreeMap::new(),
        label_points: BTreeMap::new(),
        seen_declarations: BTreeSet::new(),
    };
    let mut labels: BTreeMap<Name, Vec<_>> = BTreeMap::new();
    routine.walk(&mut |path, stmt| {
        for label in &stmt.labels {
            labels.entry(label.clone()).or_default().push(path.clone());
        }
    });
    routine.labels = labels;
    program.routines.push(routine);
    Ok(())
}

fn load_properties(item: &ItemKind, program: &mut Program) {
    match item {
        ItemKind::Init(e) => program.init.push(e.clone()),
        ItemKind::Invariant(_, e) => program.invariants.push(e.clone()),
        ItemKind::Never(_, e) => program.nevers.push(e.clone()),
        ItemKind::NoDeadlock => program.nodeadlock = true,
        ItemKind::NoRace(all) => {
            for watched in all {
                let name = Name::from(watched.name.text.as_str());
                match watched.depth {
                    0 => _ = program.noraces.insert(name),
                    depth => _ = program.element_noraces.insert((name, depth)),
                }
            }
        }
        // Contracts, abstract threads and exceptions say nothing about what the program does.
        _ => {}
    }
}

/// The value of an expression over constants.
fn constant(e: &Expr, consts: &BTreeMap<Name, i64>) -> Result<i64, Fault> {
    match &e.kind {
        ExprKind::Int(i) => Ok(*i),
        ExprKind::Name(name) => match consts.get(unmarked(name)) {
            Some(value) => Ok(*value),
            None => unsupported(format!("`{name}` is not a constant")),
        },
        ExprKind::Unary(UnaryOp::Neg, e) => arithmetic(ast::BinaryOp::Sub, 0, constant(e, consts)?),
        ExprKind::Unary(UnaryOp::BitNot, e) => arithmetic(ast::BinaryOp::Sub, -1, constant(e, consts)?),
        ExprKind::Binary(op, left, right) => arithmetic(*op, constant(left, consts)?, constant(right, consts)?),
        other => unsupported(format!("{other:?} is not a constant")),
    }
}

impl Program {
    pub(crate) fn number_of_threads(&self) -> usize {
        self.threads.last().map_or(0, |thread| thread.numbers.end - 1)
    }

    /// The two variables of a reader-writer lock.
    fn rwlock_parts(&self, lock: &str) -> Vec<(Name, Ty)> {
        let tid = Ty::Tid(self.number_of_threads());
        vec![(format!("{lock}.w").into(), tid.clone()), (format!("{lock}.r").into(), Ty::Set(Box::new(tid)))]
    }

    /// The type with its bounds and names worked out.
    pub(crate) fn resolve(
        &self,
        ty: &ast::Type,
        int: &mut dyn FnMut(&Expr) -> Result<i64, Fault>,
    ) -> Result<Ty, Fault> {
        Ok(match &ty.kind {
            TypeKind::Bool | TypeKind::Lock => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Range(lo, hi) => Ty::Range(int(lo)?, int(hi)?),
            TypeKind::Machine(ty) => Ty::Machine(*ty),
            TypeKind::Named(name) => self.resolve_name(name)?,
            TypeKind::Tid | TypeKind::Mutex => Ty::Tid(self.number_of_threads()),
            TypeKind::Set(element) => Ty::Set(Box::new(self.resolve(element, int)?)),
            TypeKind::Array(key, element) => {
                Ty::Array(Box::new(self.resolve(key, int)?), Box::new(self.resolve(element, int)?))
            }
            TypeKind::RwLock => Ty::RwLock,
            TypeKind::Cond => Ty::Set(Box::new(Ty::Tid(self.number_of_threads()))),
            TypeKind::Chan(element, capacity) => {
                let capacity = usize::try_from(int(capacity)?).unwrap_or(0);
                Ty::Chan(Box::new(self.resolve(element, int)?), capacity)
            }
        })
    }

    fn resolve_name(&self, name: &str) -> Result<Ty, Fault> {
        if let Some(members) = self.enums.get(name) {
            return Ok(Ty::Enum(members.clone()));
        }
        if let Some(record) = self.records.get(name) {
            return Ok(record.clone());
        }
        match self.threads.iter().find(|thread| &*thread.name == name) {
            Some(thread) => Ok(Ty::Copies(thread.numbers.clone())),
            None => unsupported(format!("unknown type `{name}`")),
        }
    }
}

/// What stands before the number of a thread in a name that stands for it.
pub(crate) const THREAD: &str = "thread:";

/// Copies of a body, one after the other.
fn unrolled(copies: Vec<Block>) -> Kind {
    let copy_statement = |copy| Stmt { labels: Vec::new(), kind: Kind::Copy(vec![copy]) };
    let stmts = copies.into_iter().map(copy_statement).collect();
    Kind::Unrolled(vec![Block { stmts, ..Block::default() }])
}

/// Unrolls the code of one routine.
struct Unroller<'a> {
    program: &'a Program,
    /// The constants, those of the enclosing `for` loops included.
    consts: BTreeMap<Name, i64>,
    /// The names declared so far in the enclosing blocks.
    locals: Vec<BTreeSet<Name>>,
}

impl Unroller<'_> {
    fn block(
        &mut self,
        block: &ast::Block,
        mut locals: BTreeMap<Name, Ty>,
        constant_of_copy: Option<(Name, i64)>,
    ) -> Result<Block, Fault> {
        let constant_name = constant_of_copy.iter().map(|(name, _)| name.clone());
        self.locals.push(locals.keys().cloned().chain(constant_name).collect());
        let (mut declared_by, mut stmts) = (BTreeMap::new(), Vec::new());
        for stmt in &block.stmts {
            let index = stmts.len();
            stmts.push(self.stmt(stmt)?);
            if let StmtKind::Wait(condition, lock) = &stmt.kind {
                stmts.push(Stmt { labels: Vec::new(), kind: Kind::EndWait(condition.clone(), lock.clone()) });
            }
            if let StmtKind::Var(decl) = &stmt.kind {
                let ty = self.program.resolve(&decl.ty, &mut |e| constant(e, &self.consts))?;
                for name in decl.names.iter().map(|name| Name::from(name.text.as_str())) {
                    self.locals.last_mut().expect("the block is open").insert(name.clone());
                    locals.insert(name.clone(), ty.clone());
                    declared_by.insert(name, index);
                }
            }
        }
        self.locals.pop();
        Ok(Block { locals, declared_by, constant: constant_of_copy, stmts })
    }

    fn plain(&mut self, block: &ast::Block) -> Result<Block, Fault> {
        self.block(block, BTreeMap::new(), None)
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Result<Stmt, Fault> {
        let labels: Vec<Name> = stmt.labels.iter().map(|label| label.text.as_str().into()).collect();
        let kind = match &stmt.kind {
            StmtKind::Empty => Kind::Empty,
            StmtKind::Skip => Kind::Skip,
            StmtKind::Var(decl) => self.var(decl, !labels.is_empty()),
            StmtKind::Assign(places, values) => Kind::Assign(places.clone(), values.clone()),
            StmtKind::Assert(e, _) => Kind::Assert(e.clone()),
            StmtKind::Assume(e) => Kind::Assume(e.clone()),
            StmtKind::Lock(op, place) => Kind::Lock(*op, place.clone()),
            StmtKind::Wait(condition, lock) => Kind::BeginWait(condition.clone(), lock.clone()),
            StmtKind::Signal(condition) => Kind::Signal(condition.clone()),
            StmtKind::Broadcast(condition) => Kind::Broadcast(condition.clone()),
            StmtKind::Send(channel, e) => Kind::Send(channel.clone(), e.clone()),
            StmtKind::Receive { result, channel } => Kind::Receive { result: result.clone(), channel: channel.clone() },
            StmtKind::Action { frame, formula, assertion } => {
                Kind::Action { frame: frame.clone(), formula: formula.clone(), assertion: assertion.clone() }
            }
            StmtKind::Block(body) => Kind::Block(vec![self.plain(body)?]),
            StmtKind::Atomic(body) => Kind::Atomic(self.plain(body)?),
            StmtKind::If(cond, yes, no) => {
                let no = no.as_ref().map(|no| self.plain(no)).transpose()?;
                Kind::If(cond.clone(), self.plain(yes)?, no.unwrap_or_default())
            }
            StmtKind::While(cond, _, body) => Kind::While(cond.clone(), self.plain(body)?),
            StmtKind::Loop(invariants, body) => {
                Kind::Loop { body: self.plain(body)?, annotated: !invariants.is_empty() }
            }
            StmtKind::Break => Kind::Break,
            StmtKind::Continue => Kind::Continue,
            StmtKind::Choose(branches) => {
                Kind::Choose(branches.iter().map(|branch| self.plain(branch)).collect::<Result<_, _>>()?)
            }
            StmtKind::Select(branches) => {
                Kind::Select(branches.iter().map(|branch| self.plain(branch)).collect::<Result<_, _>>()?)
            }
            StmtKind::For(name, lo, hi, body) => self.unroll(name, lo, hi, body)?,
            StmtKind::ForCopies(name, thread, body) => self.unroll_copies(name, thread, body)?,
            StmtKind::Goto(label) => Kind::Goto(label.text.as_str().into()),
            StmtKind::Call { result, proc, args } => {
                Kind::Call { result: result.clone(), routine: proc.text.as_str().into(), args: args.clone() }
            }
            StmtKind::Start { result, thread, args } => {
                Kind::Start { result: result.clone(), thread: thread.text.as_str().into(), args: args.clone() }
            }
            StmtKind::Join(thread) => Kind::Join(thread.clone()),
            StmtKind::Return(value) => Kind::Return(value.clone()),
        };
        Ok(Stmt { labels, kind })
    }

    /// A declaration that nobody can observe and nobody can name is no step.
    fn var(&self, decl: &ast::VarDecl, labelled: bool) -> Kind {
        let is_shared = |name: &str| {
            let local = self.locals.iter().any(|names| names.contains(name));
            !local && self.program.is_shared(name)
        };
        let observes = matches!(&decl.init, Some(ast::Rhs::Expr(e)) if reads_shared(e, &is_shared));
        Kind::Var {
            names: decl.names.iter().map(|name| name.text.as_str().into()).collect(),
            init: decl.init.clone(),
            silent: !labelled && !observes,
        }
    }

    /// The copies of the body one after the other.
    fn unroll(&mut self, name: &ast::Name, lo: &Expr, hi: &Expr, body: &ast::Block) -> Result<Kind, Fault> {
        let name = Name::from(name.text.as_str());
        let (lo, hi) = (constant(lo, &self.consts)?, constant(hi, &self.consts)?);
        let outer = self.consts.get(&name).copied();
        let mut copies = Vec::new();
        for value in lo..=hi {
            self.consts.insert(name.clone(), value);
            copies.push(self.block(body, BTreeMap::new(), Some((name.clone(), value)))?);
        }
        match outer {
            Some(value) => self.consts.insert(name, value),
            None => self.consts.remove(&name),
        };
        Ok(unrolled(copies))
    }

    /// The copies of the body for the copies of a thread: in each, a local is declared that holds the thread.
    fn unroll_copies(&mut self, name: &ast::Name, thread: &ast::Name, body: &ast::Block) -> Result<Kind, Fault> {
        let name = Name::from(name.text.as_str());
        let Some(thread) = self.program.threads.iter().find(|known| *known.name == thread.text) else {
            return unsupported(format!("unknown thread `{}`", thread.text));
        };
        let (numbers, tid) = (thread.numbers.clone(), Ty::Tid(self.program.number_of_threads()));
        let mut copies = Vec::new();
        for number in numbers {
            let value = Expr { kind: ExprKind::Name(format!("{THREAD}{number}")), span: body.span };
            let init = Some(ast::Rhs::Expr(value));
            let declaration = Kind::Var { names: vec![name.clone()], init, silent: true };
            self.locals.push([name.clone()].into());
            let inside = Kind::Block(vec![self.plain(body)?]);
            self.locals.pop();
            let stmts = [declaration, inside].map(|kind| Stmt { labels: Vec::new(), kind }).into();
            let (locals, declared_by) = ([(name.clone(), tid.clone())].into(), [(name.clone(), 0)].into());
            copies.push(Block { locals, declared_by, constant: None, stmts });
        }
        Ok(unrolled(copies))
    }
}
