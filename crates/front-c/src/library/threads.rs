//! POSIX threads and those of C11: creation, ends, once.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{INT, Kind, Ty, VOID};
use crate::values::Value;
use threadwise_memory::code::{self, BinaryOp, End, Library, Object, Place};

impl<'a> Elaborator<'a> {
    pub fn thread_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        match call.name {
            "pthread_create" => {
                let [handle, _, function, argument] = self.exactly(call)?;
                let handle = self.handle_place(handle, call);
                let create = Library::Create { handle, function: function.0, argument: Some(argument.0) };
                self.library(create, span);
            }
            "thrd_create" => {
                let [handle, function, argument] = self.exactly(call)?;
                let handle = self.handle_place(handle, call);
                let create = Library::Create { handle, function: function.0, argument: Some(argument.0) };
                self.library(create, span);
            }
            "pthread_join" | "thrd_join" => {
                let [thread, value] = self.exactly(call)?;
                let seen_as = if call.name == "thrd_join" { INT } else { VOID.pointer_to() };
                let value = self.place_unless_null(value, &seen_as, span);
                self.library(Library::Join { thread: thread.0, value }, span);
            }
            "pthread_exit" | "thrd_exit" => {
                let [value] = self.exactly(call)?;
                if self.has_handlers {
                    // What was pushed would run now, or what `atexit` was told once the last thread has ended.
                    self.beyond(span);
                }
                self.library(Library::ThreadExit(Some(value.0)), span);
                self.body.end(End::Unreachable, span);
                return Ok(Some(Value::Void(span)));
            }
            "pthread_self" | "thrd_current" => {
                let (place, value) = self.handle_result(call);
                self.library(Library::ThreadSelf(place), span);
                return Ok(Some(value));
            }
            "pthread_equal" | "thrd_equal" => {
                let [a, b] = self.exactly(call)?;
                return Ok(Some(Value::Scalar(fold::binary(BinaryOp::Eq, a.0, b.0, code::INT), INT)));
            }
            "pthread_once" | "call_once" => {
                let [once, function] = self.exactly(call)?;
                let once = self.library_place(once, Object::Once, span);
                self.library(Library::Once { once, function: function.0 }, span);
            }
            "pthread_cancel" | "pthread_kill" | "pthread_testcancel" | "pthread_sigmask" => {
                let advice = "use a flag that the thread looks at";
                return Err(self.unsupported(span, &format!("`{}`", call.name), advice));
            }
            "pthread_detach"
            | "thrd_detach"
            | "pthread_setconcurrency"
            | "pthread_setname_np"
            | "pthread_setschedparam"
            | "pthread_yield"
            | "pthread_setaffinity_np" => self.evaluate(call)?,
            name if is_attribute(name) => self.evaluate(call)?,
            _ => return Ok(None),
        }
        Ok(self.zero(span))
    }

    fn handle_place(&self, handle: (code::Expr, Ty), call: &Call) -> Option<Place> {
        if fold::constant(&handle.0) == Some(0) {
            return None;
        }
        Some(self.library_place(handle, Object::Thread, call.span))
    }

    /// A handle, as what the function is declared to give.
    fn handle_result(&mut self, call: &Call) -> (Place, Value) {
        let bytes = self.model.pointer_bytes();
        let ty = match call.result.object() {
            Some(Object::Thread) => call.result.clone(),
            _ => Ty::of(Kind::Library(Object::Thread, bytes, bytes)),
        };
        self.result_place(&ty, call.span)
    }
}

/// Attributes change nothing that matters here, but for those of mutexes.
fn is_attribute(name: &str) -> bool {
    let prefixes = ["pthread_attr_", "pthread_condattr_", "pthread_rwlockattr_", "pthread_barrierattr_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) && !name.contains("_get")
}
