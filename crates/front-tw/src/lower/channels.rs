//! Channels and condition variables, spelled out as guarded commands.
//!
//! A channel is its number of values and an array of them, the oldest first; what is beyond is the default, so that equal
//! contents are equal states. A condition variable is the set of the threads that wait for it. A thread that will wake up
//! although nobody signals does not join the set: nobody can tell that from one that joins and wakes up later, and what
//! waits for a signal that never comes is seen to wait for ever.

use super::Lowerer;
use super::expressions::{fits, none};
use super::functions::Typed;
use super::locks::{me, operation, own};
use super::names::Variable;
use super::places::read_place;
use super::records::behind;
use super::types::{ChannelType, LockKind};
use crate::ast::{self, LockOp, Name};
use threadwise_ir::{BinaryOp, Command, Expr, Initial, Op, Place, SharedId, SharedVar, Sort, Update, Value, VarRef};
use threadwise_source::{Diagnostic, Span};

/// The variables of a channel, or of an array of channels.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) length: SharedId,
    /// One for each leaf of what it holds.
    pub(super) values: Vec<SharedId>,
    element: Typed,
    capacity: i64,
}

/// A channel at hand: its places without the last key.
struct ChannelPlaces {
    channel: Channel,
    length: Place,
    /// The arrays of values.
    values: Vec<Place>,
}

impl<'a> Lowerer<'a> {
    /// The variables of a channel; `sort` has the keys of the arrays around it.
    pub(super) fn declare_channel(&mut self, name: &Name, ty: &ChannelType, keys: &[Sort]) -> Variable {
        let slots = Sort::Range(0, ty.capacity - 1);
        let mut add = |suffix: String, sort: &Sort| {
            self.add_shared(&format!("{}{suffix}", name.text), behind(keys, sort), name.span)
        };
        let length = add(".length".to_string(), &Sort::Range(0, ty.capacity));
        let values = match &ty.element {
            Typed::Plain(sort) => vec![add(".values".to_string(), &Sort::array(slots, sort.clone()))],
            Typed::Record(record) => {
                let leaves = self.leaves(record);
                let add = |leaf: &super::records::Leaf| {
                    let sort = behind(keys, &Sort::array(slots.clone(), leaf.sort.clone()));
                    self.add_shared(&format!("{}.values{}", name.text, leaf.suffix), sort, name.span)
                };
                leaves.iter().map(add).collect()
            }
        };
        self.channels.push(Channel { length, values, element: ty.element.clone(), capacity: ty.capacity });
        Variable::Channel(self.channels.len() - 1)
    }

    /// The channel that an expression names.
    fn channel_places(&mut self, e: &'a ast::Expr) -> Option<ChannelPlaces> {
        let path = super::fields::indexed(e).filter(|path| path.primed.is_none());
        let variable = path.as_ref().and_then(|path| self.shared_variable(path.name));
        let (path, channel) = match (path, variable) {
            (Some(path), Some(Variable::Channel(index))) => (path, self.channels[index].clone()),
            (Some(_), Some(Variable::Broken)) => return None,
            (Some(path), None) => {
                self.resolve(path.name, path.name_span)?;
                return self.not_a_channel(e);
            }
            _ => return self.not_a_channel(e),
        };
        let mut place = |id| self.element_place(VarRef::Shared(id), &path.indices, path.name_span, e.span);
        let length = place(channel.length)?;
        let values = channel.values.iter().map(|id| place(*id)).collect::<Option<Vec<Place>>>()?;
        if let Sort::Array(..) = *length.sort {
            let error = Diagnostic::error(e.span, "this is an array of channels");
            self.report(error.label("expected one of its elements").hint(format!("write `{}[…]`", path.name)));
            return None;
        }
        Some(ChannelPlaces { channel, length, values })
    }

    fn not_a_channel<T>(&mut self, e: &ast::Expr) -> Option<T> {
        if let ast::ExprKind::Error = e.kind {
            self.reporter.note_error();
            return None;
        }
        let text = self.program.source.snippet(e.span, 40);
        let error = Diagnostic::error(e.span, format!("`{text}` is not a channel"));
        let error = error.label("expected a shared variable of type `chan<T, N>`");
        self.report(error.hint(format!("declare it with `shared {text}: chan<int, 2>;`")));
        None
    }

    /// `send(c, e);`
    pub(super) fn send(&mut self, channel: &'a ast::Expr, value: &'a ast::Expr, span: Span) {
        let places = self.channel_places(channel);
        let values = match places.as_ref().map(|places| places.channel.element.clone()) {
            Some(Typed::Plain(sort)) => self.value_of(value, &sort).map(|value| vec![value]),
            Some(Typed::Record(ty)) => self.record_value(value, &ty),
            None => None,
        };
        let (Some(places), Some(values)) = (places, values) else { return self.command(Command::default(), span) };
        let length = self.read(&places.length);
        let capacity = Expr::constant(places.channel.capacity, Sort::Int, span);
        let guard = operation(BinaryOp::Lt, length.clone(), capacity, Sort::Bool, span);
        let at_end = places.values.iter().map(|values| element(values, length.clone()));
        let mut stores: Vec<(Place, Value)> = at_end.zip(values.into_iter().map(Value::Of)).collect();
        let one = Expr::constant(1, Sort::Int, span);
        stores.push((places.length, Value::Of(operation(BinaryOp::Add, length, one, Sort::Int, span))));
        self.guarded_stores(guard, stores, span);
    }

    /// `receive(c);` and `x = receive(c);`
    pub(super) fn receive(&mut self, result: Option<&'a ast::Expr>, channel: &'a ast::Expr, span: Span) {
        let places = self.channel_places(channel);
        let element_type = places.as_ref().map(|places| places.channel.element.clone());
        let result = result.map(|place| self.result_places(place, element_type.as_ref()));
        let Some(places) = places else { return self.command(Command::default(), span) };
        let number = |n| Expr::constant(n, Sort::Int, span);
        let length = self.read(&places.length);
        let guard = operation(BinaryOp::Lt, number(0), length.clone(), Sort::Bool, span);
        let mut stores = Vec::new();
        for (target, values) in result.flatten().into_iter().flatten().zip(&places.values) {
            stores.push((target, Value::Of(self.read(&element(values, number(0))))));
        }
        for values in &places.values {
            for slot in 0..places.channel.capacity {
                let target = element(values, number(slot));
                let is_last = slot + 1 == places.channel.capacity;
                let value = if is_last {
                    Expr::default_of(&target.sort, span)
                } else {
                    Some(self.read(&element(values, number(slot + 1))))
                };
                stores.extend(value.map(|value| (target, Value::Of(value))));
            }
        }
        let fewer = operation(BinaryOp::Sub, length, number(1), Sort::Int, span);
        stores.push((places.length, Value::Of(fewer)));
        self.guarded_stores(guard, stores, span);
    }

    /// Where a value that is received goes.
    fn result_places(&mut self, place: &'a ast::Expr, element: Option<&Typed>) -> Option<Vec<Place>> {
        let targets = self.places(place)?;
        let got = match (&targets.record, element?) {
            (Some(ty), Typed::Record(other)) if ty == other => return Some(targets.places),
            (None, Typed::Plain(sort)) if fits(sort, &targets.places[0].sort) => return Some(targets.places),
            (_, Typed::Plain(sort)) => self.show(sort),
            (_, Typed::Record(ty)) => self.show_record(ty),
        };
        let error = Diagnostic::error(place.span, format!("the channel holds values of type `{got}`"));
        self.report(error.label("this is of another type"));
        None
    }

    fn guarded_stores(&mut self, guard: Expr, stores: Vec<(Place, Value)>, span: Span) {
        let guard = Some(Box::new(guard));
        self.command(Command { guard, update: Update::Assign(stores.into()), ..Command::default() }, span);
    }

    /// `size(c)` of a channel, if it is one.
    pub(super) fn channel_size(&mut self, e: &'a ast::Expr) -> Option<Option<Expr>> {
        let path = super::fields::indexed(e).filter(|path| path.primed.is_none())?;
        let Some(Variable::Channel(_)) = self.shared_variable(path.name) else { return None };
        let length = self.channel_places(e).and_then(|places| {
            // The place is read as any variable is, so that initial values see only what is before them.
            self.read_shared(places.channel.length, super::variables::When::Before, e.span)?;
            Some(self.read(&places.length))
        });
        Some(length)
    }

    /// `wait(c, m);`: gives the lock up and waits; wakes up and takes it again.
    pub(super) fn wait_for(&mut self, condition: &'a ast::Expr, mutex: &'a ast::Expr, span: Span) {
        if self.body.atomic.is_some() {
            let error = Diagnostic::error(span, "`wait` cannot stand inside of an atomic block");
            self.report(error.label("nobody else could signal meanwhile"));
        }
        let waiters = self.condition_place(condition);
        let lock = self.lock_places(LockOp::Acquire, mutex);
        let (Some(waiters), Some(lock)) = (waiters, lock) else { return self.command(Command::default(), span) };
        let release = self.lock_command(LockOp::Release, &lock, span);
        let acquire = self.lock_command(LockOp::Acquire, &lock, span);
        let (from, between) = (self.body.current, self.fresh());
        let joined = operation(BinaryOp::Union, self.read(&waiters), own(span), waiters.sort, span);
        self.emit(from, between, Op::Command(with_store(&release, &waiters, joined)), span, None);
        // It will wake up by itself.
        self.emit(from, between, Op::Command(release), span, None);
        self.touch(between, span);
        let waits = operation(BinaryOp::In, me(span), self.read(&waiters), Sort::Bool, span);
        let woken = Expr { span, ..waits.negated() };
        let guard = match acquire.guard {
            Some(free) => operation(BinaryOp::And, woken, *free, Sort::Bool, span),
            None => woken,
        };
        self.body.current = between;
        self.command(Command { guard: Some(Box::new(guard)), ..acquire }, span);
    }

    /// `signal(c);`: one of those who wait, whoever it is, need not wait any more.
    pub(super) fn signal(&mut self, condition: &'a ast::Expr, span: Span) {
        let Some(waiters) = self.condition_place(condition) else { return self.command(Command::default(), span) };
        let chosen = self.signalled(span);
        let value = || read_place(&chosen, Sort::Tid);
        let choose = Update::Assign([(chosen.clone(), Value::Any)].into());
        let empty = super::locks::set_of(Vec::new(), span);
        let nobody = operation(BinaryOp::Eq, self.read(&waiters), empty, Sort::Bool, span);
        let is_none = operation(BinaryOp::Eq, value(), none(span), Sort::Bool, span);
        let waits = operation(BinaryOp::In, value(), self.read(&waiters), Sort::Bool, span);
        let for_nobody = operation(BinaryOp::And, nobody, is_none, Sort::Bool, span);
        let guard = operation(BinaryOp::Or, for_nobody, waits, Sort::Bool, span);
        let only = super::locks::set_of(vec![value()], span);
        let left = operation(BinaryOp::Minus, self.read(&waiters), only, waiters.sort, span);
        let stores = [(waiters, Value::Of(left)), (chosen, Value::Of(none(span)))];
        let wake =
            Command { guard: Some(Box::new(guard)), update: Update::Assign(stores.into()), ..Command::default() };
        self.in_one_step(vec![Command { update: choose, ..Command::default() }, wake], span);
    }

    /// `broadcast(c);`: nobody waits any more.
    pub(super) fn broadcast(&mut self, condition: &'a ast::Expr, span: Span) {
        let stores = self.condition_place(condition).map(|waiters| {
            let empty = super::locks::set_of(Vec::new(), span);
            (waiters, Value::Of(empty))
        });
        let update = Update::Assign(stores.into_iter().collect());
        self.command(Command { update, ..Command::default() }, span);
    }

    /// The variable that holds who is woken while a signal looks for somebody; all signals share it.
    fn signalled(&mut self, span: Span) -> Place {
        let id = *self.signalled.get_or_insert_with(|| {
            let id = SharedId(self.program.shared.len() as u32);
            let (name, sort) = ("thread.signalled".into(), Sort::Tid);
            self.program.shared.push(SharedVar { name, sort, init: Initial::Default, span });
            id
        });
        Place { var: VarRef::Shared(id), indices: Box::default(), sort: Sort::Tid.into(), span }
    }

    fn condition_place(&mut self, e: &'a ast::Expr) -> Option<Place> {
        let path = super::fields::indexed(e).filter(|path| path.primed.is_none());
        if let Some(path) = path {
            self.resolve(path.name, path.name_span)?;
            match self.shared_variable(path.name) {
                Some(Variable::Plain(id, Some(LockKind::Cond))) => {
                    let place = self.element_place(VarRef::Shared(id), &path.indices, path.name_span, e.span)?;
                    if *place.sort == Sort::set(Sort::Tid) {
                        return Some(place);
                    }
                    let error = Diagnostic::error(e.span, "this is an array of condition variables");
                    self.report(error.label("expected one of its elements"));
                    return None;
                }
                Some(Variable::Broken) => return None,
                _ => {}
            }
        }
        if let ast::ExprKind::Error = e.kind {
            self.reporter.note_error();
            return None;
        }
        let text = self.program.source.snippet(e.span, 40);
        let error = Diagnostic::error(e.span, format!("`{text}` is not a condition variable"));
        let error = error.label("expected a shared variable of type `cond`");
        self.report(error.hint(format!("declare it with `shared {text}: cond;`")));
        None
    }
}

/// An element of an array that has a place.
fn element(array: &Place, key: Expr) -> Place {
    let sort = match &*array.sort {
        Sort::Array(_, element) => *element,
        _ => array.sort,
    };
    let indices = array.indices.iter().cloned().chain([key]).collect();
    Place { indices, sort, ..array.clone() }
}

/// The command with one more store.
fn with_store(command: &Command, place: &Place, value: Expr) -> Command {
    let update = match &command.update {
        Update::Assign(stores) => {
            Update::Assign(stores.iter().cloned().chain([(place.clone(), Value::Of(value))]).collect())
        }
        Update::Action { .. } => command.update.clone(),
    };
    Command { update, ..command.clone() }
}
