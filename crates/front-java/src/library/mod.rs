//! Classes of the library by their names: what their methods do, in steps of the program.

pub(crate) mod atomics;
mod boxes;
mod locks;
pub(crate) mod threads;
mod waiting;

use crate::body::{Value, compare, null};
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::program::Fallible;
use crate::types::JavaType;
use threadwise_memory::code::{BinaryOp, End, Expr, ExprKind, INT, InstructionKind, Library};
use threadwise_source::SourceFile;

/// The class that makes pools of threads, and the one of ours that stands for it: its text is read with that of the program.
pub(crate) const POOLS: &str = "java/util/concurrent/Executors";
pub(crate) const POOL: &str = "threadwise/FixedPool";
/// Its threads, which are nobody's `Runnable`.
pub(crate) const WORKER: &str = "threadwise/FixedPool$Worker";
const POOL_TEXT: &str = include_str!("FixedPool.java");

/// The texts of a program, with those of classes that stand for such of the library that it uses.
pub(crate) fn with_library(files: &[SourceFile]) -> Vec<SourceFile> {
    let mut all = files.to_vec();
    let is_used = |file: &SourceFile| file.name().ends_with(".java") && file.text().contains("Executors");
    if files.iter().any(is_used) && !files.iter().any(|file| file.name() == "FixedPool.java") {
        all.push(SourceFile::new("FixedPool.java", POOL_TEXT));
    }
    all
}

/// Classes of which only static methods are known.
pub(crate) fn is_known_static(class: &str) -> bool {
    matches!(class, "java/lang/Math" | "java/util/Objects" | "java/lang/System")
}

pub(crate) type Given = Vec<Value>;
pub(crate) type Gives = Fallible<Option<Value>>;

impl Lowering<'_, '_, '_> {
    /// What is done at once.
    pub(crate) fn at_once(&mut self, act: impl FnOnce(&mut Self)) {
        self.body.emit(InstructionKind::AtomicBegin);
        act(self);
        self.body.emit(InstructionKind::AtomicEnd);
    }

    /// What is done at once, when a condition holds.
    pub(crate) fn at_once_when(&mut self, condition: Expr, act: impl FnOnce(&mut Self)) {
        self.body.emit(InstructionKind::AtomicWhen(condition));
        act(self);
        self.body.emit(InstructionKind::AtomicEnd);
    }

    pub(crate) fn choice(&self, condition: Expr, yes: Expr, no: Expr) -> Expr {
        let ty = yes.ty.clone();
        Expr::new(ExprKind::Conditional(Box::new([condition, yes, no])), ty, self.body.span)
    }

    /// The arguments as expressions that stay what they are.
    pub(crate) fn plain_all(&mut self, args: Given) -> Vec<Expr> {
        args.into_iter().map(|arg| self.body.plain(arg)).collect()
    }

    pub(crate) fn library_static(&mut self, class: &str, name: &str, args: Given, result: Option<JavaType>) -> Gives {
        match (class, name, args.len()) {
            ("java/lang/Math", "min" | "max", 2) => self.least_or_most(name, args),
            ("java/lang/Math", "abs", 1) if args[0].expr.ty.bits().is_some() => {
                let [e] = &self.plain_all(args)[..] else { return self.unknown_method(class, name) };
                let zero = Expr::constant(0, e.ty.clone(), self.body.span);
                let is_less = compare(BinaryOp::Lt, e.clone(), zero.clone());
                let minus = Expr::binary(BinaryOp::Sub, zero, e.clone(), e.ty.clone());
                Ok(Some(Value::new(self.choice(is_less, minus, e.clone()))))
            }
            ("java/lang/System", "exit", 1) => {
                self.body.library(Library::ProcessEnds);
                self.body.finish(End::Exit);
                // What is behind it is never reached, but there.
                let behind = self.body.new_block();
                self.body.go_on_in(behind);
                Ok(None)
            }
            ("java/util/Objects", "requireNonNull", _) => {
                let Some(value) = args.into_iter().next() else { return self.unknown_method(class, name) };
                self.body.check_not_null(&value)?;
                Ok(Some(value))
            }
            (of, "valueOf", 1) if crate::models::is_box(of) => self.boxed(of, args),
            ("java/lang/Thread", ..) => self.thread_static(name, args),
            ("java/lang/String", "valueOf" | "format", _) => Ok(Some(Value::text(self.body.span))),
            ("java/lang/Class", "desiredAssertionStatus", _) => {
                Ok(Some(Value::new(crate::body::int(1, self.body.span))))
            }
            _ => {
                let _ = result;
                self.unknown_method(class, name)
            }
        }
    }

    fn least_or_most(&mut self, name: &str, args: Given) -> Gives {
        let args = self.plain_all(args);
        let (a, b) = (args[0].clone(), args[1].clone());
        if a.ty.bits().is_none() {
            return self.unknown_method("java/lang/Math", name);
        }
        let op = if name == "min" { BinaryOp::Le } else { BinaryOp::Ge };
        let is_first = compare(op, a.clone(), b.clone());
        Ok(Some(Value::new(self.choice(is_first, a, b))))
    }

    /// A method of an object of a class of the library.
    pub(crate) fn library_call(
        &mut self,
        model: &str,
        name: &str,
        descriptor: &str,
        object: Value,
        args: Given,
        result: Option<JavaType>,
    ) -> Gives {
        let _ = result;
        let short = model.rsplit('/').next().unwrap_or(model);
        match short {
            "AtomicInteger" | "AtomicLong" | "AtomicBoolean" | "AtomicReference" => {
                self.atomic_call(model, name, object, args)
            }
            "ReentrantLock" => self.lock_call(name, object, args),
            "Condition" => self.condition_call(name, object, args),
            "ReentrantReadWriteLock" | "ReentrantReadWriteLock$ReadLock" | "ReentrantReadWriteLock$WriteLock" => {
                self.read_write_call(short, name, object, args)
            }
            "Semaphore" => self.semaphore_call(name, object, args),
            "CountDownLatch" => self.latch_call(name, object, args),
            "CyclicBarrier" => self.barrier_call(name, object, args),
            "Integer" | "Long" | "Boolean" => self.box_call(model, name, object, args),
            "Thread" => self.thread_call(name, descriptor, object, args),
            "Enum" if name == "<init>" => {
                let number = self.body.plain(args[1].clone());
                let object = self.body.plain(object);
                let place = self.body.field(object, model, "ordinal", true);
                self.body.assign(place, number);
                Ok(None)
            }
            "Enum" if name == "ordinal" => {
                let object = self.body.plain(object);
                let place = self.body.field(object, model, "ordinal", true);
                Ok(Some(Value::new(self.body.read(place))))
            }
            "Class" if name == "desiredAssertionStatus" => Ok(Some(Value::new(crate::body::int(1, self.body.span)))),
            _ if name == "<init>" && self.is_plain_class(model) => Ok(None),
            _ if self.body.program.reached.is_subtype(model, "java/lang/Throwable") => match name {
                "getMessage" | "toString" | "getLocalizedMessage" => Ok(Some(Value::opaque(self.body.span))),
                "printStackTrace" | "addSuppressed" => Ok(None),
                _ => self.object_call(model, name, object, args),
            },
            _ => self.object_call(model, name, object, args),
        }
    }

    /// Nothing is kept of what their constructors are given.
    fn is_plain_class(&self, model: &str) -> bool {
        matches!(model, "java/lang/Object" | "java/lang/Record")
            || self.body.program.reached.is_subtype(model, "java/lang/Throwable")
    }

    /// What all objects can do.
    fn object_call(&mut self, model: &str, name: &str, object: Value, args: Given) -> Gives {
        match (name, args.len()) {
            ("wait", 0) => self.wait(object),
            ("notify", 0) => self.notify(object, false),
            ("notifyAll", 0) => self.notify(object, true),
            ("equals", 1) => {
                let args = self.plain_all(args);
                let object = self.body.plain(object);
                Ok(Some(Value::new(compare(BinaryOp::Eq, object, args[0].clone()))))
            }
            ("toString", 0) => Ok(Some(Value::opaque(self.body.span))),
            _ => self.unknown_method(model, name),
        }
    }

    /// The running thread must hold a monitor.
    pub(crate) fn must_hold(&mut self, monitor: threadwise_memory::code::Place) -> Fallible<()> {
        let id = self.body.temporary(&INT);
        let result = self.body.place(id);
        self.body.library(Library::MonitorHeld { monitor, result });
        let is_held = compare(BinaryOp::Ne, self.body.load(id), crate::body::int(0, self.body.span));
        self.body.check(is_held, Implicit::MonitorState)
    }

    pub(crate) fn null(&self) -> Expr {
        null(self.body.span)
    }
}
