//! `java.lang.Thread`.

use super::{Given, Gives};
use crate::body::{Value, compare, int};
use crate::classes::Name;
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::program::{Fallible, FunctionKey};
use threadwise_memory::code::{BinaryOp, BlockId, End, Expr, ExprKind, INT, Library, Type};

const THREAD: &str = "java/lang/Thread";

/// What `started` says of the thread that runs `main`, when it has ended.
pub(crate) const ENDED: i64 = 2;

/// The object of the thread that runs `main`.
pub(crate) const MAIN: &str = "the main thread";

impl Lowering<'_, '_, '_> {
    pub(crate) fn thread_static(&mut self, name: &str, args: Given) -> Gives {
        let span = self.body.span;
        match name {
            // How long it takes is nobody's business: any other thread may come first, or not.
            "sleep" | "yield" | "onSpinWait" => Ok(None),
            "currentThread" => {
                let current = self.body.program.own_pointer("$current", span);
                let value = Value::of_class(Expr::load(current), Some(THREAD.into()));
                Ok(Some(Value { is_not_null: true, ..value }))
            }
            "holdsLock" => {
                self.body.check_not_null(&args[0])?;
                let object = self.body.plain(args[0].clone());
                let monitor = self.body.monitor_of(object);
                let id = self.body.temporary(&INT);
                let result = self.body.place(id);
                self.body.library(Library::MonitorHeld { monitor, result });
                Ok(Some(Value::new(self.body.load(id))))
            }
            _ => self.unknown_method(THREAD, name),
        }
    }

    pub(crate) fn thread_call(&mut self, name: &str, descriptor: &str, object: Value, args: Given) -> Gives {
        match (name, args.len()) {
            ("<init>", _) => {
                let is_group = descriptor.starts_with("(Ljava/lang/ThreadGroup");
                let is_target = descriptor.starts_with("(Ljava/lang/Runnable;");
                if is_group {
                    return self.unknown_method(THREAD, "<init> with a group");
                }
                if is_target {
                    let target = self.body.plain(args[0].clone());
                    let object = self.body.plain(object);
                    let place = self.body.field(object, THREAD, "target", true);
                    self.body.assign(place, target);
                }
                Ok(None)
            }
            ("start", 0) => self.start(object),
            ("join", 0) => self.join(object),
            ("run", 0) => self.run_target(object),
            ("setName" | "setDaemon" | "setPriority", 1) if name != "setDaemon" => Ok(None),
            ("getName", 0) => Ok(Some(Value::opaque(self.body.span))),
            _ => self.object_call(THREAD, name, object, args),
        }
    }

    /// What a thread does by itself: it runs what it was given, if it was given something.
    fn run_target(&mut self, object: Value) -> Gives {
        let object = self.body.plain(object);
        let given = &self.body.program.reached.targets;
        if given.lambdas.is_empty() && !given.others {
            return Ok(None);
        }
        let place = self.body.field(object, THREAD, "target", true);
        let target = self.body.read(place);
        let is_there = compare(BinaryOp::Ne, target.clone(), self.null());
        let otherwise = self.body.unless(is_there);
        let value = Value { is_not_null: true, ..Value::new(target) };
        self.run_given(true, value)?;
        self.body.finish(End::Goto(otherwise));
        self.body.go_on_in(otherwise);
        Ok(None)
    }

    fn start(&mut self, object: Value) -> Gives {
        let class: Name = object.class.clone().unwrap_or_else(|| THREAD.into());
        let is_exact = object.is_exact;
        let object = self.body.plain(object);
        let object = self.body.kept(object);
        let started = self.body.field(object.clone(), THREAD, "started", true);
        let mut before = int(0, self.body.span);
        self.at_once(|lowering| {
            before = lowering.body.read(started.clone());
            let one = int(1, lowering.body.span);
            lowering.body.assign(started, one);
        });
        let is_new = compare(BinaryOp::Eq, before, int(0, self.body.span));
        self.body.check(is_new, Implicit::ThreadState)?;
        let reached = &self.body.program.reached;
        let is_one = |made: &&Name| match is_exact {
            true => ***made == *class,
            false => reached.is_subtype(made, &class) && reached.is_subtype(made, THREAD),
        };
        let classes: Vec<Name> = reached.instantiated.iter().filter(is_one).cloned().collect();
        self.start_one_of(&classes, object)?;
        Ok(None)
    }

    fn start_one_of(&mut self, classes: &[Name], object: Expr) -> Fallible<()> {
        if let [class] = classes {
            self.create(class, object);
            return Ok(());
        }
        let number = self.body.struct_number(object.clone());
        let (from, joined) = (self.body.here, self.body.new_block());
        let mut cases = Vec::new();
        for class in classes {
            let block = self.body.new_block();
            cases.push((i64::from(self.body.program.struct_of(class).0), block));
            self.body.go_on_in(block);
            self.create(class, object.clone());
            self.body.finish(End::Goto(joined));
        }
        self.body.go_on_in(BlockId(from as u32));
        self.body.finish(End::Switch(number, cases, joined));
        self.body.go_on_in(joined);
        Ok(())
    }

    fn create(&mut self, class: &Name, object: Expr) {
        let id = self.body.program.function(FunctionKey::Thread(class.clone()));
        let handle = Some(self.body.field(object.clone(), THREAD, "handle", true));
        let function = Expr::new(ExprKind::Function(id), Type::Pointer, self.body.span);
        self.body.library(Library::Create { handle, function, argument: Some(object) });
    }

    /// A thread that was not started is not waited for.
    fn join(&mut self, object: Value) -> Gives {
        let object = self.body.plain(object);
        let object = self.body.kept(object);
        let started = self.body.field(object.clone(), THREAD, "started", true);
        let started = self.body.read(started);
        let is_started = compare(BinaryOp::Ne, started, int(0, self.body.span));
        let joined = self.body.new_block();
        // Nobody started the thread that runs `main`.
        if self.body.program.reached.asks_for_threads {
            let main = self.body.program.single(MAIN, THREAD);
            let is_other = compare(BinaryOp::Ne, object.clone(), main.clone());
            let is_main = self.body.unless(is_other);
            let (then, stack) = (self.body.here, self.body.stack.clone());
            self.body.go_on_in(is_main);
            let state = self.body.field(main, THREAD, "started", true);
            let has_ended = compare(BinaryOp::Eq, Expr::load(state), int(ENDED, self.body.span));
            self.at_once_when(has_ended, |_| {});
            self.body.finish(End::Goto(joined));
            self.body.stack = stack;
            self.body.go_on_in(BlockId(then as u32));
        }
        let otherwise = self.body.unless(is_started);
        let handle = self.body.field(object, THREAD, "handle", true);
        self.body.library(Library::Join { thread: Expr::load(handle), value: None });
        self.body.finish(End::Goto(otherwise));
        self.body.go_on_in(otherwise);
        self.body.finish(End::Goto(joined));
        self.body.go_on_in(joined);
        Ok(None)
    }
}
