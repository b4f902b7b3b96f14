//! Functions that change nothing a verifier looks at: output, waiting for some time, `errno`.

use super::Call;
use crate::elaborate::{Elaborator, Entity, EntityKind, Fallible};
use crate::types::INT;
use crate::values::{Object, Value};
use threadwise_memory::code::{End, GlobalId, Place};

impl<'a> Elaborator<'a> {
    pub fn other_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        match call.name {
            "printf" | "fprintf" | "puts" | "fputs" | "putchar" | "putc" | "fputc" | "fflush" | "vprintf"
            | "vfprintf" | "vdprintf" | "vsyslog" | "perror" | "dprintf" | "write" | "fwrite" | "syslog" => {
                self.evaluate(call)?;
                Ok(Some(self.any(call.result, span)))
            }
            "sleep" | "usleep" | "nanosleep" | "sched_yield" | "thrd_yield" | "thrd_sleep" | "__builtin_prefetch"
            | "setvbuf" | "setbuf" | "clock_nanosleep" => {
                self.evaluate(call)?;
                Ok(if call.result.is_void() { Some(Value::Void(span)) } else { self.zero(span) })
            }
            "__builtin_va_start" | "__builtin_va_copy" | "__builtin_va_end" => self.arguments_left(call).map(Some),
            "qsort" => self.sort(call).map(Some),
            "__sigsetjmp_cancel" => {
                self.evaluate(call)?;
                Ok(self.zero(span))
            }
            "__pthread_register_cancel" | "__pthread_unregister_cancel" => {
                self.evaluate(call)?;
                Ok(Some(Value::Void(span)))
            }
            // Only behind the second return of `__sigsetjmp_cancel`, and there is none.
            "__pthread_unwind_next" => {
                self.body.end(End::Unreachable, span);
                Ok(Some(Value::Void(span)))
            }
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "longjmp" | "siglongjmp" | "fork" | "vfork"
            | "clone" | "signal" | "sigaction" | "on_exit" | "pthread_atfork" | "bsearch" | "kill" | "raise" => {
                let advice = "do without it, or give it a body that does what matters";
                Err(self.unsupported(span, &format!("`{}`", call.name), advice))
            }
            "__errno_location" | "__errno" => {
                let id = self.errno(call);
                let object = Object { place: Place::global(id, self.lower(&INT), span), ty: INT, bits: None };
                self.address_of(Value::Object(object), span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Each thread has its own.
    fn errno(&mut self, call: &Call) -> GlobalId {
        let entity = match self.linked.get("errno") {
            Some(entity) => *entity,
            None => {
                let kind = EntityKind::Variable { initializer: None, thread_local: true, is_defined: true, id: None };
                let entity = self.add_entity(Entity { name: "errno".into(), ty: INT, span: call.span, kind });
                self.linked.insert("errno".to_string(), entity);
                entity
            }
        };
        self.global_id(entity)
    }
}
