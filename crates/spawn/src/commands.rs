//! The steps of starting, running and joining, as guarded commands.

use crate::declare::{ENDED, IDLE, Lives, STARTED, Startable, Status, Way};
use threadwise_ir::{
    Assertion, AssertionKind, BinaryOp, Binder, Command, Domain, Expr, ExprKind, Place, Quantifier, SharedId, Sort,
    TemplateId, Update, Value, VarRef,
};
use threadwise_source::Span;

impl Startable {
    /// The commands of a start, which make up one step: nothing may come between them. The result gets the identity of
    /// the thread; there is none where there is any number of copies. A start of such a template waits until the permit
    /// before it has been taken, so it must not stand inside of a step that holds another one.
    pub fn start(&self, args: Vec<Expr>, result: Option<Place>, span: Span) -> Vec<Command> {
        match self.way {
            Way::Permit(permit) => vec![self.give_permit(permit, args, span)],
            Way::Status(status) => vec![self.choose(status, span), self.set_off(status, args, result, span)],
        }
    }

    fn give_permit(&self, permit: SharedId, args: Vec<Expr>, span: Span) -> Command {
        let is_given = read(permit, Sort::Bool, span);
        let given = (place(permit, Sort::Bool, span), Expr::bool(true, span));
        let arguments = self.arguments.iter().zip(args);
        let passed =
            arguments.map(|((variable, parameter), arg)| (place(*variable, parameter.sort.clone(), span), arg));
        command(Some(is_given.negated()), [given].into_iter().chain(passed))
    }

    /// An idle copy is there, and the step goes on with any thread at all.
    fn choose(&self, status: Status, span: Span) -> Command {
        let idle = status.is(bound(span), IDLE, span);
        let condition = exists_copy(self.template, idle, span);
        let assertion = Assertion { condition, kind: AssertionKind::Start, message: None };
        let update = Update::Assign([(status.chosen_place(span), Value::Any)].into());
        Command { assertions: [assertion].into(), guard: None, update }
    }

    /// The thread that was chosen is an idle copy; it gets its arguments.
    fn set_off(&self, status: Status, args: Vec<Expr>, result: Option<Place>, span: Span) -> Command {
        let chosen = || read(status.chosen, Sort::Tid, span);
        let idle = status.is(bound(span), IDLE, span);
        let is_it = Expr::binary(BinaryOp::Eq, bound(span), chosen(), Sort::Bool);
        let guard = exists_copy(self.template, Expr::binary(BinaryOp::And, is_it, idle, Sort::Bool), span);
        let started = (status.place(chosen(), span), status.value(STARTED, span));
        let passed = self
            .arguments
            .iter()
            .zip(args)
            .map(|((variable, parameter), arg)| (element(*variable, chosen(), parameter.sort.clone(), span), arg));
        let known = result.map(|result| (result, chosen()));
        let over = (status.chosen_place(span), none(span));
        command(Some(guard), [started].into_iter().chain(passed).chain(known).chain([over]))
    }

    /// What a copy does first: it waits for its start and takes its arguments. What they were kept in gets its default
    /// back, so that states do not differ in what nobody reads again.
    pub fn first_step(&self, parameters: Vec<Place>, span: Span) -> Command {
        let (guard, taken) = match self.way {
            Way::Permit(permit) => {
                let taken = (place(permit, Sort::Bool, span), Expr::bool(false, span));
                (read(permit, Sort::Bool, span), Some(taken))
            }
            Way::Status(status) => (status.is(me(span), STARTED, span), None),
        };
        let mut assignments: Vec<(Place, Expr)> = taken.into_iter().collect();
        for ((variable, parameter), local) in self.arguments.iter().zip(parameters) {
            let (kept, value) = self.argument(*variable, &parameter.sort, span);
            assignments.push((local, value));
            assignments.extend(Expr::default_of(&parameter.sort, span).map(|default| (kept, default)));
        }
        command(Some(guard), assignments)
    }

    /// Where the running copy finds an argument, and what is there.
    fn argument(&self, variable: SharedId, sort: &Sort, span: Span) -> (Place, Expr) {
        let sort = sort.clone();
        match self.way {
            Way::Permit(_) => (place(variable, sort.clone(), span), read(variable, sort, span)),
            Way::Status(_) => {
                let kept = element(variable, me(span), sort.clone(), span);
                (kept, read_element(variable, me(span), sort, span))
            }
        }
    }

    /// What a copy does last, after which it can be joined; nothing where nobody could.
    pub fn last_step(&self, span: Span) -> Option<Command> {
        match self.way {
            Way::Permit(_) => None,
            Way::Status(status) => Some(command(None, [(status.place(me(span), span), status.value(ENDED, span))])),
        }
    }
}

impl Lives {
    /// The commands of a join, which make up one step. It waits until a thread has ended; what can never be started is an
    /// error. Where evaluation can fail, it is done first and once: a quantifier over threads that can run into an error
    /// would make copies distinguishable.
    pub fn join(&self, thread: Expr, span: Span) -> Vec<Command> {
        if !thread.can_fail() {
            return vec![self.wait_for(thread, span)];
        }
        let chosen = || self.status.chosen_place(span);
        let mut wait = self.wait_for(read(self.status.chosen, Sort::Tid, span), span);
        wait.update = Update::Assign([(chosen(), Value::Of(none(span)))].into());
        vec![command(None, [(chosen(), thread)]), wait]
    }

    /// No copy of a template has been started and has not ended.
    pub fn nobody_runs(&self, template: TemplateId, span: Span) -> Expr {
        let sort = Sort::Enum(self.status.values);
        let now = read_element(self.status.of_threads, bound(span), sort, span);
        let body = Expr::binary(BinaryOp::Ne, now, self.status.value(STARTED, span), Sort::Bool);
        let binder = Binder { name: "copy".into(), domain: Domain::Copies(template) };
        Expr::quantified(Quantifier::Forall, binder, body, Sort::Bool, span)
    }

    fn wait_for(&self, thread: Expr, span: Span) -> Command {
        let inner = below_a_binder(&thread);
        let is_copy = |&template: &TemplateId| {
            let is_it = Expr::binary(BinaryOp::Eq, bound(span), inner.clone(), Sort::Bool);
            exists_copy(template, is_it, span)
        };
        let either = |a, b| Expr::binary(BinaryOp::Or, a, b, Sort::Bool);
        let condition = self.templates.iter().map(is_copy).reduce(either).unwrap_or_else(|| Expr::bool(false, span));
        let assertion = Assertion { condition, kind: AssertionKind::Join, message: None };
        let guard = Some(Box::new(self.status.is(thread, ENDED, span)));
        Command { assertions: [assertion].into(), guard, update: Update::default() }
    }
}

impl Status {
    /// That a thread has this status.
    fn is(self, thread: Expr, value: usize, span: Span) -> Expr {
        let now = read_element(self.of_threads, thread, Sort::Enum(self.values), span);
        Expr { span, ..Expr::binary(BinaryOp::Eq, now, self.value(value, span), Sort::Bool) }
    }

    fn value(self, value: usize, span: Span) -> Expr {
        Expr::member(self.values, value, span)
    }

    fn place(self, thread: Expr, span: Span) -> Place {
        element(self.of_threads, thread, Sort::Enum(self.values), span)
    }

    fn chosen_place(self, span: Span) -> Place {
        place(self.chosen, Sort::Tid, span)
    }
}

fn command(guard: Option<Expr>, assignments: impl IntoIterator<Item = (Place, Expr)>) -> Command {
    let assignments = assignments.into_iter().map(|(place, value)| (place, Value::Of(value)));
    Command { assertions: Box::default(), guard: guard.map(Box::new), update: Update::Assign(assignments.collect()) }
}

/// For some copy of the template, which is the bound variable, something holds.
fn exists_copy(template: TemplateId, body: Expr, span: Span) -> Expr {
    let binder = Binder { name: "copy".into(), domain: Domain::Copies(template) };
    Expr::quantified(Quantifier::Exists, binder, body, Sort::Bool, span)
}

fn bound(span: Span) -> Expr {
    Expr::new(ExprKind::Bound(0), Sort::Tid, span)
}

/// An expression that stood below no binder, as it reads below one.
fn below_a_binder(e: &Expr) -> Expr {
    e.map(&mut |part| match part.kind {
        ExprKind::Bound(depth) => Some(ExprKind::Bound(depth + 1)),
        _ => None,
    })
}

fn me(span: Span) -> Expr {
    Expr::new(ExprKind::SelfThread, Sort::Tid, span)
}

fn none(span: Span) -> Expr {
    Expr::constant(0, Sort::Tid, span)
}

fn read(variable: SharedId, sort: Sort, span: Span) -> Expr {
    Expr::new(ExprKind::Read(VarRef::Shared(variable)), sort, span)
}

fn read_element(array: SharedId, key: Expr, sort: Sort, span: Span) -> Expr {
    let array = read(array, Sort::array(Sort::Tid, sort.clone()), span);
    Expr::new(ExprKind::Index(Box::new(array), Box::new(key)), sort, span)
}

fn place(variable: SharedId, sort: Sort, span: Span) -> Place {
    Place { var: VarRef::Shared(variable), indices: Box::default(), sort: sort.into(), span }
}

fn element(array: SharedId, key: Expr, sort: Sort, span: Span) -> Place {
    Place { indices: [key].into(), ..place(array, sort, span) }
}
