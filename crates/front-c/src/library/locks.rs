//! Mutexes, spin locks, read-write locks, conditions, semaphores, barriers.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::INT;
use crate::values::Value;
use threadwise_memory::code::{self, Base, End, Expr, ExprKind, Library, MutexKind, Object, Place};

/// What functions give that find a lock taken, or whose time is up.
const EBUSY: i64 = 16;
/// What mutexes give that check for errors.
const EDEADLK: i64 = 35;
const EPERM: i64 = 1;
const ETIMEDOUT: i64 = 110;
const THRD_BUSY: i64 = 1;
const THRD_TIMEDOUT: i64 = 4;

impl<'a> Elaborator<'a> {
    pub fn lock_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        if let Some(value) = self.mutex_call(call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.rwlock_call(call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.condition_call(call)? {
            return Ok(Some(value));
        }
        self.counter_call(call)
    }

    /// The first argument, as an object of a library; the others are evaluated.
    fn only_place(&mut self, call: &Call<'a, '_>, object: Object) -> Fallible<Place> {
        let mut values = self.values(call.args)?.into_iter();
        let Some(first) = values.next() else {
            return Err(self.error(call.span, format!("`{}` has an argument", call.name)));
        };
        for (expr, ty) in values {
            self.discard(Value::Scalar(expr, ty))?;
        }
        Ok(self.library_place(first, object, call.span))
    }

    fn mutex_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        let try_lock = |mutex, timed, busy, result| Library::MutexTryLock { mutex, timed, busy, result };
        let operation = match call.name {
            "pthread_mutex_lock" | "pthread_mutex_unlock" if self.checks_mutexes => return self.checked_mutex(call),
            "pthread_mutex_lock" | "pthread_spin_lock" | "mtx_lock" => {
                Library::MutexLock(self.only_place(call, Object::Mutex)?)
            }
            "pthread_mutex_unlock" | "pthread_spin_unlock" | "mtx_unlock" => {
                Library::MutexUnlock(self.only_place(call, Object::Mutex)?)
            }
            "pthread_mutex_destroy" | "pthread_spin_destroy" | "mtx_destroy" => {
                Library::MutexDestroy(self.only_place(call, Object::Mutex)?)
            }
            "pthread_mutex_trylock"
            | "pthread_spin_trylock"
            | "mtx_trylock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_clocklock"
            | "mtx_timedlock" => {
                let timed = call.name.ends_with("timedlock") || call.name.ends_with("clocklock");
                let busy = match (timed, call.name.starts_with("mtx")) {
                    (false, false) => EBUSY,
                    (true, false) => ETIMEDOUT,
                    (false, true) => THRD_BUSY,
                    (true, true) => THRD_TIMEDOUT,
                };
                if !timed {
                    self.note_weak_order(span);
                }
                let mutex = self.only_place(call, Object::Mutex)?;
                let (result, value) = self.result_place(&INT, span);
                self.library(try_lock(mutex, timed, busy, result), span);
                return Ok(Some(value));
            }
            "pthread_mutex_init" => {
                let [mutex, attributes] = self.exactly(call)?;
                let mutex = self.library_place(mutex, Object::Mutex, span);
                let is_null = fold::constant(&attributes.0) == Some(0);
                let attributes = (!is_null).then(|| self.library_place(attributes, Object::MutexAttributes, span));
                Library::MutexInit { mutex, kind: MutexKind::Normal, attributes }
            }
            "mtx_init" => {
                let [mutex, kind] = self.exactly(call)?;
                let Some(kind) = fold::constant(&kind.0) else {
                    return Err(self.unsupported(
                        kind.0.span,
                        "a kind of mutex that is no constant",
                        "write the constant",
                    ));
                };
                let kind = if kind & 1 == 1 { MutexKind::Recursive } else { MutexKind::Normal };
                let mutex = self.library_place(mutex, Object::Mutex, span);
                Library::MutexInit { mutex, kind, attributes: None }
            }
            "pthread_spin_init" => {
                let mutex = self.only_place(call, Object::Mutex)?;
                Library::MutexInit { mutex, kind: MutexKind::Normal, attributes: None }
            }
            "pthread_mutexattr_init" => {
                let attributes = self.only_place(call, Object::MutexAttributes)?;
                Library::MutexKind { attributes, kind: MutexKind::Normal }
            }
            "pthread_mutexattr_settype" => {
                let [attributes, kind] = self.exactly(call)?;
                let kind = match fold::constant(&kind.0) {
                    Some(0 | 3) => MutexKind::Normal,
                    Some(1) => MutexKind::Recursive,
                    Some(2) => MutexKind::ErrorCheck,
                    _ => return Err(self.error(kind.0.span, "a constant that is a kind of mutex is expected here")),
                };
                let attributes = self.library_place(attributes, Object::MutexAttributes, span);
                Library::MutexKind { attributes, kind }
            }
            name if name.starts_with("pthread_mutexattr_") && !name.contains("_get") => {
                self.evaluate(call)?;
                return Ok(self.zero(span));
            }
            _ => return Ok(None),
        };
        self.library(operation, span);
        Ok(self.zero(span))
    }

    /// Takes a mutex or gives it back, unless it is one that checks for errors and finds one.
    fn checked_mutex(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        let takes = call.name == "pthread_mutex_lock";
        let mut mutex = self.only_place(call, Object::Mutex)?;
        if let Base::Deref(pointer, _) = &mut mutex.base {
            **pointer = self.stable((**pointer).clone());
        }
        let (result, value) = self.result_place(&INT, span);
        let error = if takes { EDEADLK } else { EPERM };
        self.library(Library::MutexRefuses { mutex: mutex.clone(), takes, error, result: result.clone() }, span);
        let [does, join] = [(); 2].map(|()| self.body.new_block());
        self.body.end(End::Branch(Expr::load(result), join, does), span);
        self.body.begin(does);
        self.library(if takes { Library::MutexLock(mutex) } else { Library::MutexUnlock(mutex) }, span);
        self.body.flow_into(join, span);
        Ok(Some(value))
    }

    fn rwlock_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let Some(name) = call.name.strip_prefix("pthread_rwlock_") else { return Ok(None) };
        let span = call.span;
        let known =
            ["init", "destroy", "rdlock", "wrlock", "tryrdlock", "trywrlock", "timedrdlock", "timedwrlock", "unlock"];
        if !known.contains(&name) {
            return Ok(None);
        }
        let lock = self.only_place(call, Object::RwLock)?;
        let write = name.ends_with("wrlock");
        let operation = match name {
            "init" => Library::RwInit(lock),
            "destroy" => Library::RwDestroy(lock),
            "rdlock" => Library::RwRead(lock),
            "wrlock" => Library::RwWrite(lock),
            "tryrdlock" | "trywrlock" => {
                self.note_weak_order(span);
                let (result, value) = self.result_place(&INT, span);
                self.library(Library::RwTry { lock, write, busy: EBUSY, result }, span);
                return Ok(Some(value));
            }
            "timedrdlock" | "timedwrlock" => return Ok(Some(self.timed_rwlock(lock, write, call))),
            _ => Library::RwUnlock(lock),
        };
        self.library(operation, span);
        Ok(self.zero(span))
    }

    /// Waits for the lock, or gives up at any time.
    fn timed_rwlock(&mut self, lock: Place, write: bool, call: &Call) -> Value {
        let span = call.span;
        let (result, value) = self.result_place(&INT, span);
        let [takes, gives_up, join] = [(); 3].map(|()| self.body.new_block());
        self.body.end(End::Branch(Expr::new(ExprKind::Any, code::INT, span), takes, gives_up), span);
        self.body.begin(takes);
        self.library(if write { Library::RwWrite(lock) } else { Library::RwRead(lock) }, span);
        self.body.assign(result.clone(), Expr::constant(0, code::INT, span), span);
        self.body.end(End::Goto(join), span);
        self.body.begin(gives_up);
        self.body.assign(result, Expr::constant(ETIMEDOUT, code::INT, span), span);
        self.body.flow_into(join, span);
        value
    }

    fn condition_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        let is_c11 = call.name.starts_with("cnd_");
        let Some(name) = call.name.strip_prefix("pthread_cond_").or_else(|| call.name.strip_prefix("cnd_")) else {
            return Ok(None);
        };
        let operation = match name {
            "init" => Library::ConditionInit(self.only_place(call, Object::Condition)?),
            "signal" => Library::ConditionSignal(self.only_place(call, Object::Condition)?),
            "broadcast" => Library::ConditionBroadcast(self.only_place(call, Object::Condition)?),
            "destroy" => Library::ConditionDestroy(self.only_place(call, Object::Condition)?),
            "wait" | "timedwait" | "clockwait" => {
                let mut values = self.values(call.args)?.into_iter();
                let (Some(condition), Some(mutex)) = (values.next(), values.next()) else {
                    return Err(self.error(span, "a condition and a mutex are expected"));
                };
                let condition = self.library_place(condition, Object::Condition, span);
                let mutex = self.library_place(mutex, Object::Mutex, span);
                if name == "wait" {
                    Library::ConditionWait { condition, mutex, timed: None }
                } else {
                    let (result, value) = self.result_place(&INT, span);
                    let timed = Some((if is_c11 { THRD_TIMEDOUT } else { ETIMEDOUT }, result));
                    self.library(Library::ConditionWait { condition, mutex, timed }, span);
                    return Ok(Some(value));
                }
            }
            _ => return Ok(None),
        };
        self.library(operation, span);
        Ok(self.zero(span))
    }

    fn counter_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        let operation = match call.name {
            "sem_init" => {
                let [semaphore, _, value] = self.exactly(call)?;
                Library::SemaphoreInit(self.library_place(semaphore, Object::Semaphore, span), value.0)
            }
            "sem_wait" => Library::SemaphoreWait(self.only_place(call, Object::Semaphore)?),
            "sem_post" => Library::SemaphorePost(self.only_place(call, Object::Semaphore)?),
            "sem_trywait" | "sem_timedwait" | "sem_clockwait" => {
                let semaphore = self.only_place(call, Object::Semaphore)?;
                let (result, value) = self.result_place(&INT, span);
                let timed = call.name != "sem_trywait";
                if !timed {
                    self.note_weak_order(span);
                }
                self.library(Library::SemaphoreTryWait { semaphore, timed, result }, span);
                return Ok(Some(value));
            }
            "sem_getvalue" => {
                self.note_weak_order(span);
                let [semaphore, value] = self.exactly(call)?;
                let semaphore = self.library_place(semaphore, Object::Semaphore, span);
                let Some(result) = self.place_unless_null(value, &INT, span) else { return Ok(self.zero(span)) };
                Library::SemaphoreValue { semaphore, result }
            }
            "sem_destroy" => {
                self.evaluate(call)?;
                return Ok(self.zero(span));
            }
            "pthread_barrier_init" => {
                let [barrier, _, count] = self.exactly(call)?;
                Library::BarrierInit(self.library_place(barrier, Object::Barrier, span), count.0)
            }
            "pthread_barrier_wait" => {
                let barrier = self.only_place(call, Object::Barrier)?;
                let (result, value) = self.result_place(&INT, span);
                self.library(Library::BarrierWait { barrier, serial: -1, result: Some(result) }, span);
                return Ok(Some(value));
            }
            "pthread_barrier_destroy" => {
                self.evaluate(call)?;
                return Ok(self.zero(span));
            }
            _ => return Ok(None),
        };
        self.library(operation, span);
        Ok(self.zero(span))
    }
}
