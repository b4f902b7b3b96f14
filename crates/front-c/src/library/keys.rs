//! Keys of values that each thread has for itself: a key is a number, the values are a thread-local array, and destructors
//! are called by a function that threads end with.

use super::Call;
use crate::body::Body;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Ty, VOID};
use crate::values::Value;
use std::sync::Arc;
use threadwise_ir::Bits;
use threadwise_memory::code::{
    BinaryOp, Callee, End, Expr, Failure, Function, FunctionId, GlobalId, INT, InstructionKind, Place, Step, Type,
    Variable,
};
use threadwise_source::Span;

const KEY: Type = Type::Int(Bits { width: 32, signed: false });

/// A program that makes more keys is beyond what is supported.
const MOST_KEYS: i64 = 8;

/// What `PTHREAD_DESTRUCTOR_ITERATIONS` is where it is as small as it may be.
const ROUNDS: i64 = 4;

/// The variables that keys need.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// How many keys have been made.
    used: GlobalId,
    values: GlobalId,
    destructors: GlobalId,
    /// What ends threads, where some key has a destructor.
    pub at_end: Option<FunctionId>,
}

fn element(array: GlobalId, key: Expr, span: Span) -> Place {
    Place { path: vec![Step::Index(key)], ..Place::global(array, Type::Pointer, span) }
}

fn number(value: i64, ty: Type, span: Span) -> Expr {
    Expr::constant(value, ty, span)
}

impl<'a> Elaborator<'a> {
    pub fn key_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        match call.name {
            "pthread_key_create" | "tss_create" => {
                let [key, destructor] = self.exactly(call)?;
                self.create_key(key, destructor.0, span)?;
            }
            "pthread_setspecific" | "tss_set" => {
                let [key, value] = self.exactly(call)?;
                let value = self.converted(value.0, &value.1, &VOID.pointer_to())?;
                let (keys, key) = (self.keys(span), self.known_key(key.0, span));
                self.body.assign(element(keys.values, key, span), value, span);
            }
            "pthread_getspecific" | "tss_get" => {
                let [key] = self.exactly(call)?;
                let (result, value) = self.result_place(&VOID.pointer_to(), span);
                let (keys, key) = (self.keys(span), self.known_key(key.0, span));
                self.body.assign(result, Expr::load(element(keys.values, key, span)), span);
                return Ok(Some(value));
            }
            "pthread_key_delete" | "tss_delete" => {
                let [key] = self.exactly(call)?;
                let (keys, key) = (self.keys(span), self.known_key(key.0, span));
                // Its destructor is not called any more.
                self.body.emit(InstructionKind::AtomicBegin, span);
                self.body.assign(element(keys.destructors, key, span), number(0, Type::Pointer, span), span);
                self.body.emit(InstructionKind::AtomicEnd, span);
            }
            _ => return Ok(None),
        }
        Ok(self.zero(span))
    }

    /// The variables of keys, which are there once one is needed.
    fn keys(&mut self, span: Span) -> Keys {
        if let Some(keys) = self.keys {
            return keys;
        }
        let mut add = |name: &str, ty: Type, thread_local: bool| {
            let name = name.into();
            self.globals.push(Variable { thread_local, ..Variable::new(name, ty, span) });
            GlobalId(self.globals.len() as u32 - 1)
        };
        let pointers = || Type::Array(Arc::new(Type::Pointer), MOST_KEYS as u64);
        let (used, values) = (add("keys.used", KEY, false), add("key.value", pointers(), true));
        let destructors = add("key.destructor", pointers(), false);
        let keys = Keys { used, values, destructors, at_end: None };
        self.keys = (self.unevaluated == 0).then_some(keys);
        keys
    }

    /// A number that must be that of a key.
    fn known_key(&mut self, key: Expr, span: Span) -> Expr {
        let key = self.stable(fold::convert(key, KEY));
        let is_one = fold::binary(BinaryOp::Lt, key.clone(), number(MOST_KEYS, KEY, span), INT);
        self.body.emit(InstructionKind::Assert(is_one, Failure::Beyond), span);
        key
    }

    /// The next number, and the destructor that belongs to it, in one step; then the number is stored as the program would.
    fn create_key(&mut self, key: (Expr, Ty), destructor: Expr, span: Span) -> Fallible<()> {
        let keys = self.keys(span);
        let has_destructor = fold::constant(&destructor) != Some(0);
        let unsigned = Ty::int(IntKind::UnsignedInt);
        let Some(place) = self.place_unless_null(key, &unsigned, span) else {
            return Err(self.error(span, "there is no place for the key"));
        };
        let destructor = self.stable(destructor);
        let fresh = Place::local(self.body.temporary(KEY, span), KEY, span);
        let used = || Place::global(keys.used, KEY, span);
        self.body.emit(InstructionKind::AtomicBegin, span);
        self.body.assign(fresh.clone(), Expr::load(used()), span);
        let fresh = self.known_key(Expr::load(fresh), span);
        let next = fold::binary(BinaryOp::Add, fresh.clone(), number(1, KEY, span), KEY);
        self.body.assign(used(), next, span);
        if has_destructor {
            self.body.assign(element(keys.destructors, fresh.clone(), span), destructor, span);
        }
        self.body.emit(InstructionKind::AtomicEnd, span);
        let value = fold::convert(fresh, place.ty.clone());
        self.body.assign(place, value, span);
        if has_destructor && keys.at_end.is_none() && self.unevaluated == 0 {
            let at_end = self.add_ending(keys, span);
            self.keys = Some(Keys { at_end: Some(at_end), ..keys });
        }
        Ok(())
    }

    /// The function that threads end with: as long as a key has a value and a destructor, the value becomes null and the
    /// destructor is called with what it was, some rounds long. In which order that is done for several keys is open, and
    /// not followed.
    fn add_ending(&mut self, keys: Keys, span: Span) -> FunctionId {
        let mut ending = Ending { body: Body::new(Default::default()), keys, span };
        ending.rounds();
        let (locals, blocks) = ending.body.finished(span);
        let (name, result) = ("destructors of keys".into(), Type::Void);
        let body = Some(blocks);
        self.functions.push(Function { name, locals, params: 0, result, body, span, end: span, is_atomic: false });
        FunctionId(self.functions.len() as u32 - 1)
    }
}

/// The ending while it is made.
struct Ending {
    body: Body,
    keys: Keys,
    span: Span,
}

impl Ending {
    fn local(&mut self, name: &str, ty: Type) -> Place {
        Place::local(self.body.add_local(name.into(), ty.clone(), self.span), ty, self.span)
    }

    fn set(&mut self, place: &Place, value: Expr) {
        self.body.assign(place.clone(), value, self.span);
    }

    fn increase(&mut self, place: &Place) {
        let one = number(1, KEY, self.span);
        self.set(place, fold::binary(BinaryOp::Add, Expr::load(place.clone()), one, KEY));
    }

    fn below(&self, place: &Place, most: i64) -> Expr {
        fold::binary(BinaryOp::Lt, Expr::load(place.clone()), number(most, KEY, self.span), INT)
    }

    fn is_set(&self, pointer: &Place) -> Expr {
        let null = number(0, Type::Pointer, self.span);
        fold::binary(BinaryOp::Ne, Expr::load(pointer.clone()), null, INT)
    }

    /// Loads the destructor of a key, which others may be about to change.
    fn load_destructor(&mut self, to: &Place, key: &Place) {
        self.body.emit(InstructionKind::AtomicBegin, self.span);
        self.set(to, Expr::load(element(self.keys.destructors, Expr::load(key.clone()), self.span)));
        self.body.emit(InstructionKind::AtomicEnd, self.span);
    }

    fn rounds(&mut self) {
        let span = self.span;
        let (round, key, found) = (self.local("round", KEY), self.local("key", KEY), self.local("found", KEY));
        let pending = self.local("pending", KEY);
        let (destructor, value) = (self.local("destructor", Type::Pointer), self.local("value", Type::Pointer));
        let [head, first, look, look_further, has, next, run, end] = std::array::from_fn(|_| self.body.new_block());
        self.set(&round, number(0, KEY, span));
        self.body.flow_into(head, span);
        self.body.end(End::Branch(self.below(&round, ROUNDS), first, end), span);
        self.body.begin(first);
        self.set(&key, number(0, KEY, span));
        self.set(&pending, number(0, KEY, span));
        self.body.flow_into(look, span);
        let all = self.body.new_block();
        self.body.end(End::Branch(self.below(&key, MOST_KEYS), look_further, all), span);
        self.body.begin(look_further);
        self.load_destructor(&destructor, &key);
        let there = element(self.keys.values, Expr::load(key.clone()), span);
        self.set(&value, Expr::load(there.clone()));
        let second = self.body.new_block();
        self.body.end(End::Branch(self.is_set(&destructor), second, next), span);
        self.body.begin(second);
        self.body.end(End::Branch(self.is_set(&value), has, next), span);
        self.body.begin(has);
        self.increase(&pending);
        self.set(&found, Expr::load(key.clone()));
        self.body.flow_into(next, span);
        self.increase(&key);
        self.body.end(End::Goto(look), span);
        self.body.begin(all);
        self.body.emit(InstructionKind::Assert(self.below(&pending, 2), Failure::Beyond), span);
        self.body.end(End::Branch(Expr::load(pending), run, end), span);
        self.body.begin(run);
        self.load_destructor(&destructor, &found);
        let there = element(self.keys.values, Expr::load(found), span);
        self.set(&value, Expr::load(there.clone()));
        self.set(&there, number(0, Type::Pointer, span));
        let callee = Callee::Pointer(Expr::load(destructor));
        self.body.emit(InstructionKind::Call { callee, args: vec![Expr::load(value)], result: None }, span);
        self.increase(&round);
        self.body.end(End::Goto(head), span);
        self.body.begin(end);
        self.body.end(End::Return(None), span);
    }
}
