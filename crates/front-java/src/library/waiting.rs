//! What threads wait for each other with: semaphores, latches, barriers.

use super::{Given, Gives};
use crate::body::{Value, compare, int};
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::types::LONG;
use threadwise_memory::code::{BinaryOp, BlockId, End, Expr, ExprKind, INT};

const SEMAPHORE: &str = "java/util/concurrent/Semaphore";
const LATCH: &str = "java/util/concurrent/CountDownLatch";
const BARRIER: &str = "java/util/concurrent/CyclicBarrier";

impl Lowering<'_, '_, '_> {
    fn plus(&self, a: Expr, b: Expr) -> Expr {
        Expr::binary(BinaryOp::Add, a, b, INT)
    }

    fn minus(&self, a: Expr, b: Expr) -> Expr {
        Expr::binary(BinaryOp::Sub, a, b, INT)
    }

    pub(crate) fn semaphore_call(&mut self, name: &str, object: Value, args: Given) -> Gives {
        let span = self.body.span;
        let object = self.body.plain(object);
        let is_timed = args.len() > 1 || args.iter().any(|arg| arg.expr.ty != INT);
        if is_timed && name != "<init>" {
            return self.unknown_method(SEMAPHORE, &format!("{name} with a time"));
        }
        let args = self.plain_all(args);
        let permits = self.body.field(object, SEMAPHORE, "permits", true);
        let count = args.first().cloned().unwrap_or_else(|| int(1, span));
        if name != "<init>" && !args.is_empty() {
            let fits = compare(BinaryOp::Ge, count.clone(), int(0, span));
            self.body.check(fits, Implicit::Argument)?;
        }
        let is_enough = compare(BinaryOp::Ge, Expr::load(permits.clone()), count.clone());
        match name {
            "<init>" => {
                self.body.assign(permits, count);
                Ok(None)
            }
            "acquire" | "acquireUninterruptibly" => {
                self.at_once_when(is_enough, |lowering| {
                    let now = lowering.body.read(permits.clone());
                    let fewer = lowering.minus(now, count);
                    lowering.body.assign(permits, fewer);
                });
                Ok(None)
            }
            "tryAcquire" => {
                let mut taken = count.clone();
                self.at_once(|lowering| {
                    let now = lowering.body.read(permits.clone());
                    taken = lowering.body.kept(compare(BinaryOp::Ge, now.clone(), count.clone()));
                    let fewer = lowering.minus(now.clone(), count);
                    let next = lowering.choice(taken.clone(), fewer, now);
                    lowering.body.assign(permits, next);
                });
                Ok(Some(Value::new(taken)))
            }
            "release" => {
                self.at_once(|lowering| {
                    let now = lowering.body.read(permits.clone());
                    let more = lowering.plus(now, count);
                    lowering.body.assign(permits, more);
                });
                Ok(None)
            }
            "availablePermits" => Ok(Some(Value::new(self.body.read(permits)))),
            _ => self.unknown_method(SEMAPHORE, name),
        }
    }

    pub(crate) fn latch_call(&mut self, name: &str, object: Value, args: Given) -> Gives {
        let span = self.body.span;
        let object = self.body.plain(object);
        let args = self.plain_all(args);
        let count = self.body.field(object, LATCH, "count", true);
        match (name, &args[..]) {
            ("<init>", [start]) => {
                let fits = compare(BinaryOp::Ge, start.clone(), int(0, span));
                self.body.check(fits, Implicit::Argument)?;
                self.body.assign(count, start.clone());
                Ok(None)
            }
            ("countDown", []) => {
                self.at_once(|lowering| {
                    let now = lowering.body.read(count.clone());
                    let is_open = compare(BinaryOp::Gt, now.clone(), int(0, span));
                    let fewer = lowering.minus(now.clone(), int(1, span));
                    let next = lowering.choice(is_open, fewer, now);
                    lowering.body.assign(count, next);
                });
                Ok(None)
            }
            ("await", []) => {
                let is_over = compare(BinaryOp::Eq, Expr::load(count), int(0, span));
                self.at_once_when(is_over, |_| {});
                Ok(None)
            }
            ("getCount", []) => {
                let now = self.body.read(count);
                Ok(Some(Value::new(now.converted(LONG))))
            }
            _ => self.unknown_method(LATCH, name),
        }
    }

    pub(crate) fn barrier_call(&mut self, name: &str, object: Value, args: Given) -> Gives {
        let span = self.body.span;
        let object = self.body.plain(object);
        let args = self.plain_all(args);
        let field = |lowering: &mut Self, name: &str| lowering.body.field(object.clone(), BARRIER, name, true);
        let (parties, missing) = (field(self, "parties"), field(self, "missing"));
        let (round, action, broken) = (field(self, "round"), field(self, "action"), field(self, "broken"));
        match (name, &args[..]) {
            ("<init>", [count, rest @ ..]) => {
                let fits = compare(BinaryOp::Gt, count.clone(), int(0, span));
                self.body.check(fits, Implicit::Argument)?;
                self.body.assign(parties, count.clone());
                self.body.assign(missing, count.clone());
                rest.iter().for_each(|given| self.body.assign(action.clone(), given.clone()));
                Ok(None)
            }
            ("getParties", []) => Ok(Some(Value::new(self.body.read(parties)))),
            ("await", []) => {
                let (mut number, mut mine) = (int(0, span), int(0, span));
                // Who comes while the last one of a round has not let the others go on belongs to the next round.
                let is_between = compare(BinaryOp::Gt, Expr::load(missing.clone()), int(0, span));
                let breaks = self.may_break();
                let is_between = self.or_broken(is_between, &broken);
                self.at_once_when(is_between, |lowering| {
                    mine = lowering.body.read(round.clone());
                    let now = lowering.body.read(missing.clone());
                    let left = lowering.minus(now, int(1, span));
                    number = lowering.body.kept(left);
                    lowering.body.assign(missing.clone(), number.clone());
                });
                if breaks {
                    self.throw_if_broken(&broken)?;
                }
                let is_last = compare(BinaryOp::Eq, number.clone(), int(0, span));
                let waits = self.body.unless(is_last);
                let joined = self.body.new_block();
                self.open(parties, missing, round.clone(), action, broken.clone())?;
                self.body.finish(End::Goto(joined));
                self.body.go_on_in(waits);
                let is_over = compare(BinaryOp::Ne, Expr::load(round.clone()), mine.clone());
                let is_over = self.or_broken(is_over, &broken);
                if breaks {
                    // A round that was over before the barrier broke is over.
                    let mut was_over = int(1, span);
                    self.at_once_when(is_over, |lowering| {
                        let now = lowering.body.read(round);
                        was_over = lowering.body.kept(compare(BinaryOp::Ne, now, mine));
                    });
                    let is_broken = self.body.unless(compare(BinaryOp::Ne, was_over, int(0, span)));
                    self.body.finish(End::Goto(joined));
                    self.body.go_on_in(is_broken);
                    self.throw_broken()?;
                } else {
                    self.at_once_when(is_over, |_| {});
                }
                if !breaks {
                    self.body.finish(End::Goto(joined));
                }
                self.body.go_on_in(joined);
                Ok(Some(Value::new(number)))
            }
            _ => self.unknown_method(BARRIER, name),
        }
    }

    /// Whether the action of a barrier may throw what somebody catches, so that others find the barrier broken.
    fn may_break(&self) -> bool {
        let given = &self.body.program.reached.actions;
        (given.others || !given.lambdas.is_empty()) && self.body.program.has_catchable()
    }

    fn or_broken(&self, condition: Expr, broken: &threadwise_memory::code::Place) -> Expr {
        if !self.may_break() {
            return condition;
        }
        let is_broken = compare(BinaryOp::Ne, Expr::load(broken.clone()), int(0, self.body.span));
        Expr::new(ExprKind::Or(Box::new(condition), Box::new(is_broken)), INT, self.body.span)
    }

    fn throw_if_broken(&mut self, broken: &threadwise_memory::code::Place) -> crate::program::Fallible<()> {
        let now = self.body.read(broken.clone());
        let is_whole = compare(BinaryOp::Eq, now, int(0, self.body.span));
        let otherwise = self.body.unless(is_whole);
        let (then, stack) = (self.body.here, self.body.stack.clone());
        self.body.go_on_in(otherwise);
        self.throw_broken()?;
        self.body.stack = stack;
        self.body.go_on_in(BlockId(then as u32));
        Ok(())
    }

    fn throw_broken(&mut self) -> crate::program::Fallible<()> {
        const BROKEN: &str = "java/util/concurrent/BrokenBarrierException";
        let object = self.body.program.single("a BrokenBarrierException", BROKEN);
        self.body.throw(Value { is_exact: true, ..Value::of_class(object, Some(BROKEN.into())) })
    }

    /// The last one does what is to be done, and lets all go on.
    fn open(
        &mut self,
        parties: threadwise_memory::code::Place,
        missing: threadwise_memory::code::Place,
        round: threadwise_memory::code::Place,
        action: threadwise_memory::code::Place,
        broken: threadwise_memory::code::Place,
    ) -> crate::program::Fallible<()> {
        let span = self.body.span;
        let given = &self.body.program.reached.actions;
        if given.others || !given.lambdas.is_empty() {
            let given = self.body.read(action);
            let is_there = compare(BinaryOp::Ne, given.clone(), self.null());
            let otherwise = self.body.unless(is_there);
            let value = Value { is_not_null: true, ..Value::new(given) };
            self.body.breaks = Some(broken);
            self.run_given(false, value)?;
            self.body.breaks = None;
            self.body.finish(End::Goto(otherwise));
            self.body.go_on_in(otherwise);
        }
        self.at_once(|lowering| {
            let all = lowering.body.read(parties);
            lowering.body.assign(missing, all);
            let now = lowering.body.read(round.clone());
            let next = lowering.plus(now, int(1, span));
            lowering.body.assign(round, next);
        });
        Ok(())
    }
}
