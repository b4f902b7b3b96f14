//! Functions of libraries that are known by their names: what they do, in the language above.
//!
//! A function that the program defines itself is that function, whatever its name; only calls of `reach_error` and its
//! like are errors in any case.

mod atomic_names;
mod atomics;
mod bytes;
mod ends;
mod flexible;
pub mod keys;
mod locks;
mod memory;
mod others;
mod sorting;
mod threads;
mod variadic;
mod verifier;

use crate::effects::has_effects;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Kind, Ty};
use crate::values::Value;
use lang_c::ast::Expression;
use lang_c::span::Node;
use threadwise_memory::code::{Expr, Object, Place};
use threadwise_source::Span;

/// Functions that walk over strings, as C says them. They are part of each program that has their names and no bodies for them.
pub const STRINGS: &str = include_str!("strings.c");
pub const STRINGS_NAME: &str = "<string.h>";

/// What `atexit` is told, and calls it when the process ends; part of each program that has the name.
pub const HANDLERS: &str = include_str!("handlers.c");
pub const HANDLERS_NAME: &str = "<stdlib.h>";

/// Whether somebody calls what headers declare once.
pub fn uses_handlers(text: &str) -> bool {
    text.matches("atexit").nth(1).is_some()
}

pub fn pushes_handlers(text: &str) -> bool {
    let word = "__pthread_register_cancel";
    // Others begin with the same name.
    let is_it = |(at, _): &(usize, &str)| !text[at + word.len()..].starts_with('_');
    text.match_indices(word).filter(is_it).nth(1).is_some()
}

/// Whether a text names a function that walks over strings.
pub fn uses_strings(text: &str) -> bool {
    ["strlen", "strn", "strc", "strdup", "strrchr", "strstr", "stpcpy", "memcmp", "memchr", "atoi"]
        .iter()
        .any(|name| text.contains(name))
}

/// A call that is being looked at.
pub struct Call<'a, 'c> {
    pub name: &'c str,
    pub args: &'a [Node<Expression>],
    /// What the function is declared to give.
    pub result: &'c Ty,
    /// What a pointer that it gives should point to.
    pub wanted: Option<&'c Ty>,
    pub span: Span,
}

/// Objects of the thread libraries, by the names of their types.
pub fn library_object(name: &str) -> Option<Object> {
    Some(match name {
        "pthread_t" | "thrd_t" => Object::Thread,
        "pthread_mutex_t" | "pthread_spinlock_t" | "mtx_t" => Object::Mutex,
        "pthread_mutexattr_t" => Object::MutexAttributes,
        "pthread_rwlock_t" => Object::RwLock,
        "pthread_cond_t" | "cnd_t" => Object::Condition,
        "sem_t" => Object::Semaphore,
        "pthread_barrier_t" => Object::Barrier,
        "pthread_once_t" | "once_flag" => Object::Once,
        "pthread_attr_t" | "pthread_condattr_t" | "pthread_rwlockattr_t" | "pthread_barrierattr_t" => {
            Object::Attributes
        }
        _ => return None,
    })
}

/// Functions whose call is the error, even if they have a body.
pub fn is_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Functions that only compute: their calls have no effects but those of their arguments.
pub fn is_pure(name: &str) -> bool {
    matches!(
        name,
        "__builtin_expect"
            | "__builtin_constant_p"
            | "__builtin_object_size"
            | "__builtin_choose_expr"
            | "__builtin_types_compatible_p"
    )
}

impl<'a> Elaborator<'a> {
    /// A call of a function without a body, if it is one that is known.
    pub fn library_call(
        &mut self,
        name: &str,
        args: &'a [Node<Expression>],
        result: &Ty,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Fallible<Option<Value>> {
        let call = Call { name: plain_name(name), args, result, wanted, span };
        if let Some(value) = self.verifier_call(&call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.thread_call(&call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.key_call(&call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.lock_call(&call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.memory_call(&call)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.atomic_call(&call)? {
            return Ok(Some(value));
        }
        self.other_call(&call)
    }

    /// The values of all arguments, in their order.
    pub fn values(&mut self, args: &'a [Node<Expression>]) -> Fallible<Vec<(Expr, Ty)>> {
        let mut values = Vec::new();
        for (index, node) in args.iter().enumerate() {
            let (expr, ty) = self.rvalue(node)?;
            let later_effects = args[index + 1..].iter().any(|later| has_effects(&later.node));
            values.push((if later_effects { self.stable(expr) } else { expr }, ty));
        }
        Ok(values)
    }

    /// The values of exactly so many arguments.
    pub fn exactly<const N: usize>(&mut self, call: &Call<'a, '_>) -> Fallible<[(Expr, Ty); N]> {
        let count = call.args.len();
        let values = self.values(call.args)?;
        values
            .try_into()
            .map_err(|_| self.error(call.span, format!("`{}` has {N} arguments, and there are {count}", call.name)))
    }

    /// The object of a library that a pointer points to.
    pub fn library_place(&self, (pointer, ty): (Expr, Ty), object: Object, span: Span) -> Place {
        let is_it = |to: &Ty| to.object() == Some(object);
        match ty.pointee() {
            Some(to) if is_it(to) => self.dereferenced(pointer, to, span).place,
            _ => {
                let bytes = self.model.pointer_bytes();
                self.dereferenced(pointer, &Ty::of(Kind::Library(object, bytes, bytes)), span).place
            }
        }
    }

    /// The place that a pointer points to, unless it is null.
    pub fn place_unless_null(&self, (pointer, ty): (Expr, Ty), seen_as: &Ty, span: Span) -> Option<Place> {
        if fold::constant(&pointer) == Some(0) {
            return None;
        }
        let to = ty.pointee().filter(|to| !to.is_void()).map_or(seen_as, |to| &**to);
        Some(self.dereferenced(pointer, to, span).place)
    }

    /// What functions that succeed give.
    pub fn zero(&self, span: Span) -> Option<Value> {
        Some(self.integer(0, IntKind::Int, span))
    }
}

/// Compilers know some functions under a second name.
fn plain_name(name: &str) -> &str {
    const TWICE: &[&str] = &[
        "malloc", "calloc", "realloc", "alloca", "free", "memset", "memcpy", "memmove", "abort", "exit", "printf",
        "puts", "putchar", "fprintf", "strlen", "strcmp", "strcpy",
    ];
    name.strip_prefix("__builtin_").filter(|plain| TWICE.contains(plain)).unwrap_or(name)
}
