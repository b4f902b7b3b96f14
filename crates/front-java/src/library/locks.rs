//! `java.util.concurrent.locks`.

use super::{Given, Gives};
use crate::body::{Value, compare, int};
use crate::instructions::Lowering;
use crate::models::Implicit;
use threadwise_memory::code::{BinaryOp, Expr, INT, Library, Place};

const LOCK: &str = "java/util/concurrent/locks/ReentrantLock";
const CONDITION: &str = "java/util/concurrent/locks/Condition";
const READ_WRITE: &str = "java/util/concurrent/locks/ReentrantReadWriteLock";

impl Lowering<'_, '_, '_> {
    pub(crate) fn lock_call(&mut self, name: &str, object: Value, args: Given) -> Gives {
        let object = self.body.plain(object);
        let monitor = self.body.field(object.clone(), LOCK, "lock", true);
        match (name, args.len()) {
            ("<init>", _) => Ok(None),
            ("lock" | "lockInterruptibly", 0) => {
                self.body.library(Library::MonitorEnter { monitor, unless: None });
                Ok(None)
            }
            ("tryLock", 0) => Ok(Some(self.told(|result| Library::MonitorTry { monitor, unless: None, result }))),
            ("unlock", 0) => {
                self.must_hold(monitor.clone())?;
                self.body.library(Library::MonitorExit(monitor));
                Ok(None)
            }
            ("isHeldByCurrentThread", 0) => Ok(Some(self.told(|result| Library::MonitorHeld { monitor, result }))),
            ("newCondition", 0) => {
                let condition = self.body.allocated(CONDITION);
                let place = self.body.field(condition.clone(), CONDITION, "lock", true);
                self.body.assign(place, object);
                let value = Value::of_class(condition, Some(CONDITION.into()));
                Ok(Some(Value { is_not_null: true, ..value }))
            }
            _ => self.unknown_method(LOCK, name),
        }
    }

    /// An operation with a result.
    fn told(&mut self, operation: impl FnOnce(Place) -> Library) -> Value {
        let id = self.body.temporary(&INT);
        let result = self.body.place(id);
        self.body.library(operation(result));
        Value::new(self.body.load(id))
    }

    pub(crate) fn condition_call(&mut self, name: &str, object: Value, args: Given) -> Gives {
        let object = self.body.plain(object);
        let lock = self.body.field(object.clone(), CONDITION, "lock", true);
        let lock = self.body.read(lock);
        let monitor = self.body.field(lock, LOCK, "lock", true);
        let waiting = self.body.field(object, CONDITION, "waiting", true);
        let set = self.body.program.options.no_spurious.then_some(waiting);
        match (name, args.len()) {
            ("await" | "awaitUninterruptibly", 0) => {
                self.must_hold(monitor.clone())?;
                self.body.library(Library::MonitorWait { monitor, waiting: set });
                Ok(None)
            }
            ("signal" | "signalAll", 0) => {
                self.must_hold(monitor)?;
                let all = name == "signalAll";
                set.into_iter().for_each(|waiting| self.body.library(Library::Notify { waiting, all }));
                Ok(None)
            }
            _ => self.unknown_method(CONDITION, name),
        }
    }

    // Monitors of objects.

    pub(crate) fn wait(&mut self, object: Value) -> Gives {
        let object = self.body.plain(object);
        let monitor = self.body.monitor_of(object.clone());
        let waiting = self.body.field(object, "java/lang/Object", "waiting", true);
        self.must_hold(monitor.clone())?;
        let waiting = self.body.program.options.no_spurious.then_some(waiting);
        self.body.library(Library::MonitorWait { monitor, waiting });
        Ok(None)
    }

    pub(crate) fn notify(&mut self, object: Value, all: bool) -> Gives {
        let object = self.body.plain(object);
        let monitor = self.body.monitor_of(object.clone());
        let waiting = self.body.field(object, "java/lang/Object", "waiting", true);
        self.must_hold(monitor)?;
        // Who waits may go on at any time, so that it makes no difference.
        if self.body.program.options.no_spurious {
            self.body.library(Library::Notify { waiting, all });
        }
        Ok(None)
    }

    // Locks for readers and writers.

    pub(crate) fn read_write_call(&mut self, kind: &str, name: &str, object: Value, args: Given) -> Gives {
        let object = self.body.plain(object);
        if kind == "ReentrantReadWriteLock" {
            return self.read_write_lock(name, object, &args);
        }
        let class = format!("{READ_WRITE}${}", kind.rsplit('$').next().unwrap_or_default());
        let of = self.body.field(object, &class, "of", true);
        let of = self.body.read(of);
        let monitor = self.body.field(of.clone(), READ_WRITE, "lock", true);
        let readers = self.body.field(of, READ_WRITE, "readers", true);
        match (class.ends_with("WriteLock"), name, args.len()) {
            (true, "lock" | "lockInterruptibly", 0) => {
                self.body.library(Library::MonitorEnter { monitor, unless: Some(readers) });
                Ok(None)
            }
            (true, "tryLock", 0) => {
                Ok(Some(self.told(|result| Library::MonitorTry { monitor, unless: Some(readers), result })))
            }
            (true, "unlock", 0) => {
                self.must_hold(monitor.clone())?;
                self.body.library(Library::MonitorExit(monitor));
                Ok(None)
            }
            (false, "lock" | "lockInterruptibly", 0) => {
                self.body.library(Library::SetEnter { monitor, set: readers });
                Ok(None)
            }
            (false, "tryLock", 0) => Ok(Some(self.told(|result| Library::SetTry { monitor, set: readers, result }))),
            (false, "unlock", 0) => {
                let is_in = self.told(|result| Library::SetHeld { set: readers.clone(), result });
                let is_in = compare(BinaryOp::Ne, is_in.expr, int(0, self.body.span));
                self.body.check(is_in, Implicit::MonitorState)?;
                self.body.library(Library::SetExit(readers));
                Ok(None)
            }
            _ => self.unknown_method(&class, name),
        }
    }

    fn read_write_lock(&mut self, name: &str, object: Expr, args: &[Value]) -> Gives {
        match (name, args.len()) {
            ("<init>", _) => {
                for (field, class) in [("reading", "ReadLock"), ("writing", "WriteLock")] {
                    let class = format!("{READ_WRITE}${class}");
                    let view = self.body.allocated(&class);
                    let of = self.body.field(view.clone(), &class, "of", true);
                    self.body.assign(of, object.clone());
                    let place = self.body.field(object.clone(), READ_WRITE, field, true);
                    self.body.assign(place, view);
                }
                Ok(None)
            }
            ("readLock" | "writeLock", 0) => {
                let (field, class) =
                    if name == "readLock" { ("reading", "ReadLock") } else { ("writing", "WriteLock") };
                let place = self.body.field(object, READ_WRITE, field, true);
                let view = self.body.read(place);
                let value = Value::of_class(view, Some(format!("{READ_WRITE}${class}").into()));
                Ok(Some(Value { is_not_null: true, is_exact: true, ..value }))
            }
            _ => self.unknown_method(READ_WRITE, name),
        }
    }
}
