//! Threads that wait to be started: their heads, and the statements that start and join them. What these mean as
//! guarded commands is said by `threadwise_spawn`.

use super::Lowerer;
use super::functions::Typed;
use super::graph::AtomicId;
use super::names::{GlobalKind, Meaning, as_name};
use crate::ast::{self, Name, Param, Thread};
use threadwise_ir::{Command, Copies, Expr, ExprKind, Op, Place, RoutineId, Sort, TemplateId, VarRef, Wait};
use threadwise_source::{Diagnostic, Span};
use threadwise_spawn::{Lives, Parameter, Startable};

/// The threads that can be started, and where that happens.
#[derive(Default)]
pub(super) struct Starts {
    /// Those with a fixed number of copies, if there are any.
    lives: Option<Lives>,
    /// What is known of each thread of the program; nothing of those that run from the start.
    threads: Vec<Option<Head>>,
    /// Where one of any number of copies is started.
    permits: Vec<(RoutineId, Span)>,
    /// The calls inside of atomic blocks.
    atomic_calls: Vec<(RoutineId, Span)>,
}

/// The head of a thread that can be started. A sort is missing where its type is wrong.
#[derive(Clone)]
struct Head {
    startable: Startable,
    params: Vec<Option<Typed>>,
}

impl<'a> Lowerer<'a> {
    /// The head of the thread that was declared last.
    pub(super) fn declare_startable(&mut self, thread: &'a Thread, copies: Copies) {
        let template = TemplateId(self.program.templates.len() as u32 - 1);
        let head = thread.params.as_ref().map(|params| {
            let sorts: Vec<Option<Sort>> = params.iter().map(|param| self.thread_parameter(param)).collect();
            let right = params.iter().zip(&sorts).filter_map(|(param, sort)| {
                let name = param.name.text.as_str().into();
                Some(Parameter { name, sort: sort.clone()?, span: param.name.span })
            });
            let startable = self.startable(template, copies, right.collect(), thread.head);
            let params = sorts.into_iter().map(|sort| sort.map(Typed::Plain)).collect();
            Head { startable, params }
        });
        self.starts.threads.push(head);
    }

    fn thread_parameter(&mut self, param: &'a Param) -> Option<Sort> {
        let sort = self.sort(&param.ty, "a parameter")?;
        if let Sort::Array(..) = sort {
            let error = Diagnostic::error(param.ty.span, "a parameter of a thread cannot be an array");
            self.report(error.label("arrays cannot be handed over").hint("pass it in a shared variable"));
            return None;
        }
        Some(sort)
    }

    fn startable(&mut self, template: TemplateId, copies: Copies, params: Vec<Parameter>, head: Span) -> Startable {
        if copies == Copies::Any {
            return Startable::any_number(&mut self.program, template, params);
        }
        let mut lives = self.starts.lives.take().unwrap_or_else(|| Lives::declare(&mut self.program, head));
        let startable = lives.add(&mut self.program, template, params);
        self.starts.lives = Some(lives);
        startable
    }

    /// What stands before the first statement of a thread, and behind its last one: nothing unless it waits to be started.
    pub(super) fn begin_thread(&mut self, index: usize, thread: &'a Thread) {
        let Some(Head { startable, params }) = self.starts.threads[index].clone() else { return };
        let names = thread.params.iter().flatten().map(|param| &param.name);
        let locals: Vec<Place> =
            names.zip(&params).filter_map(|(name, sort)| self.parameter_place(name, sort)).collect();
        let current = self.body.current;
        self.touch(current, thread.head);
        self.body.graph.point(current).wait = Wait::IsMeant;
        self.command(startable.first_step(locals, thread.head), thread.head);
        let brace = super::body::closing_brace(&thread.body);
        if let Some(last_step) = startable.last_step(brace) {
            let (end, exit) = (self.fresh(), self.body.exit);
            self.touch(end, brace);
            self.emit(end, exit, Op::Command(last_step), brace, None);
            self.body.end = end;
        }
    }

    fn parameter_place(&mut self, name: &'a Name, ty: &Option<Typed>) -> Option<Place> {
        let sort = match ty {
            Some(Typed::Plain(sort)) => Some(sort),
            Some(Typed::Record(_)) | None => None,
        };
        let local = self.declare_local(name, sort)?;
        Some(Place { var: VarRef::Local(local), indices: Box::default(), sort: sort?.into(), span: name.span })
    }

    /// `start W(e);` and `t = start W(e);`
    pub(super) fn start_thread(
        &mut self,
        result: Option<&'a ast::Expr>,
        name: &'a Name,
        args: &'a [ast::Expr],
        span: Span,
    ) {
        let place = result.and_then(|e| self.identity_place(e));
        let commands = match self.resolve_startable(name) {
            Some((template, Head { startable, params })) => {
                let declared = self.program.templates[template.index()].span;
                let args = self.arguments(&params, declared, name, args);
                self.check_any_number(&startable, result, name, span);
                startable.start(args, place, span)
            }
            None => {
                args.iter().for_each(|e| {
                    self.expr(e, None);
                });
                vec![Command::default()]
            }
        };
        self.in_one_step(commands, span);
    }

    fn identity_place(&mut self, e: &'a ast::Expr) -> Option<Place> {
        let place = self.place(e)?;
        if *place.sort == Sort::Tid {
            return Some(place);
        }
        let sort = self.show(&place.sort);
        let error = Diagnostic::error(e.span, format!("a start gives a `tid`, not `{sort}`"));
        self.report(error.label(format!("this is of type `{sort}`")).hint("declare it as a `tid`"));
        None
    }

    fn resolve_startable(&mut self, name: &Name) -> Option<(TemplateId, Head)> {
        let template = self.resolve_thread(name)?;
        if let Some(head) = &self.starts.threads[template.index()] {
            return Some((template, head.clone()));
        }
        let thread = &self.program.templates[template.index()];
        let brackets = match thread.copies {
            Copies::Single => "",
            Copies::Exactly(_) => "[N]",
            Copies::Any => "[*]",
        };
        let error = Diagnostic::error(name.span, format!("`{}` runs from the start and cannot be started", name.text));
        let error = error.label("this thread does not wait to be started").related(thread.span, "declared here");
        let hint = format!("give it a parameter list, as in `thread {}{brackets}() {{ … }}`", name.text);
        self.report(error.hint(hint));
        None
    }

    /// Of any number of copies nobody knows which one it is, and a permit must not be waited for inside of a step.
    fn check_any_number(&mut self, startable: &Startable, result: Option<&ast::Expr>, name: &Name, span: Span) {
        if !startable.is_any_number() {
            return;
        }
        let name = &name.text;
        if let Some(place) = result {
            let message = format!("there is any number of copies of `{name}`, so it is not known which one is started");
            let error = Diagnostic::error(place.span, message).label("no identity can be stored");
            self.report(
                error.hint(format!("write `start {name}(…);`, or give the number of copies: `thread {name}[N](…)`")),
            );
        }
        if self.body.atomic.is_some() {
            let error =
                Diagnostic::error(span, format!("one of any number of copies of `{name}` is started inside of a step"));
            let error =
                error.label("it has to wait until the one before has begun, and nobody else can take steps here");
            self.report(error.hint("move the start out of the atomic block"));
        }
        self.starts.permits.push((self.body.routine, span));
        let current = self.body.current;
        self.body.graph.point(current).wait = Wait::IsForCopies;
    }

    /// Commands between which nobody else gets in.
    pub(super) fn in_one_step(&mut self, commands: Vec<Command>, span: Span) {
        let around = self.body.atomic;
        let inside = around.unwrap_or(AtomicId(self.body.atomics));
        self.body.atomics += 1;
        let last = commands.len().saturating_sub(1);
        for (index, command) in commands.into_iter().enumerate() {
            self.body.atomic = if index < last { Some(inside) } else { around };
            let current = self.body.current;
            self.touch(current, span);
            self.command(command, span);
        }
    }

    /// `join t;`
    pub(super) fn join_thread(&mut self, e: &'a ast::Expr, span: Span) {
        let thread = match self.replicated_thread(e) {
            Some(template) => self.cannot_join_all(template, e.span),
            None => self.value_of(e, &Sort::Tid).and_then(|thread| self.joinable(thread)),
        };
        let Some(thread) = thread else { return self.command(Command::default(), span) };
        match &self.starts.lives {
            Some(lives) => {
                let commands = lives.join(thread, span);
                self.in_one_step(commands, span);
            }
            None => {
                let error = Diagnostic::error(span, "there is no thread that could be joined");
                let error = error.label("it waits for the end of a thread that was started");
                self.report(error.hint(
                    "declare a thread with a parameter list and a number of copies, as in `thread W[2]() { … }`",
                ));
                self.command(Command::default(), span);
            }
        }
    }

    /// The thread whose name this is, if it is replicated.
    fn replicated_thread(&self, e: &ast::Expr) -> Option<TemplateId> {
        match self.meaning(as_name(e)?)? {
            Meaning::Global(GlobalKind::Thread(template)) => {
                Some(template).filter(|id| self.program.templates[id.index()].copies != Copies::Single)
            }
            _ => None,
        }
    }

    fn cannot_join_all(&mut self, template: TemplateId, span: Span) -> Option<Expr> {
        let thread = &self.program.templates[template.index()];
        let name = &thread.name;
        let error = Diagnostic::error(span, format!("`{name}` is replicated, so it does not name one thread"));
        let error = error.label("which copy is meant?").related(thread.span, "declared with copies here");
        self.report(match thread.copies {
            Copies::Any => error.hint("of any number of copies none can be joined; give their number"),
            _ => error.hint(format!("keep the identity that its start gives, as in `t = start {name}(…);`")),
        });
        None
    }

    /// What can be told before the program runs: `none` never ends, and neither is a thread started that runs anyway.
    fn joinable(&mut self, thread: Expr) -> Option<Expr> {
        let template = match thread.kind {
            ExprKind::Const(_) => None,
            ExprKind::Thread(template) => Some(template),
            _ => return Some(thread),
        };
        let error = match template {
            Some(template) if self.starts.threads[template.index()].is_some() => return Some(thread),
            Some(template) => {
                let declared = &self.program.templates[template.index()];
                let message = format!("`{}` runs from the start and cannot be joined", declared.name);
                let error = Diagnostic::error(thread.span, message).related(declared.span, "declared here");
                error
                    .hint(format!("give it a parameter list, as in `thread {}() {{ … }}`, and start it", declared.name))
            }
            None => Diagnostic::error(thread.span, "`none` is no thread that could be joined"),
        };
        self.report(error.label("only threads that are started can be joined"));
        None
    }

    /// Remembers a call inside of an atomic block.
    pub(super) fn note_call(&mut self, callee: RoutineId, span: Span) {
        if self.body.atomic.is_some() {
            self.starts.atomic_calls.push((callee, span));
        }
    }

    /// A procedure that is called inside of an atomic block must not start one of any number of copies either.
    pub(super) fn check_starts_in_atomic_calls(&mut self) {
        let permits = std::mem::take(&mut self.starts.permits);
        for (callee, span) in std::mem::take(&mut self.starts.atomic_calls) {
            let reached = self.routines_reached_from(callee);
            if let Some((_, start)) = permits.iter().find(|(routine, _)| reached.contains(routine)) {
                let error = Diagnostic::error(span, "this call starts one of any number of copies inside of a step");
                let error = error.label("the start has to wait until the one before has begun");
                self.report(error.related(*start, "it is started here").hint("move the call out of the atomic block"));
            }
        }
    }

    fn routines_reached_from(&self, first: RoutineId) -> Vec<RoutineId> {
        let mut found = vec![first];
        let mut next = 0;
        while let Some(routine) = found.get(next) {
            for callee in self.callees.get(routine.index()).into_iter().flatten() {
                if !found.contains(callee) {
                    found.push(*callee);
                }
            }
            next += 1;
        }
        found
    }
}
