//! How long the semantics may go on.
//!
//! One step, one property or one initial value can take longer than anybody wants to wait. This crate knows no
//! clock, so whoever waits says with [`under`] whom to ask; all evaluation inside, on this thread, counts its
//! work and asks now and then. Once the answer is no, everything ends at once with
//! [`Gap::Interrupted`](crate::Gap::Interrupted), and whoever waits is told so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// So many units of work, each an evaluation or a copy of a store, are done between two questions.
const UNITS_PER_QUESTION: u32 = 1 << 13;

type Question = Rc<dyn Fn() -> bool>;

thread_local! {
    static QUESTION: RefCell<Option<Question>> = const { RefCell::new(None) };
    static UNITS_LEFT: Cell<u32> = const { Cell::new(UNITS_PER_QUESTION) };
    static INTERRUPTED: Cell<bool> = const { Cell::new(false) };
}

/// What was in force before; it is again when this is dropped, also by a panic.
struct Before {
    question: Option<Question>,
    interrupted: bool,
}

impl Drop for Before {
    fn drop(&mut self) {
        QUESTION.set(self.question.take());
        INTERRUPTED.set(self.interrupted);
    }
}

/// Does some work, during which `may_go_on` is asked now and then. Also tells whether the work was interrupted:
/// what it came to then stands for nothing.
pub fn under<R>(may_go_on: impl Fn() -> bool + 'static, work: impl FnOnce() -> R) -> (R, bool) {
    let outer = QUESTION.with_borrow(Option::clone);
    // Who is asked further out, counts here too.
    let question: Question = Rc::new(move || may_go_on() && outer.as_ref().is_none_or(|outer| outer()));
    let before = Before { question: QUESTION.replace(Some(question)), interrupted: INTERRUPTED.replace(false) };
    let result = work();
    let interrupted = INTERRUPTED.get();
    drop(before);
    if interrupted {
        // It may have been for those further out, who have to know.
        ask();
    }
    (result, interrupted)
}

/// Counts a unit of work; tells whether it is still worth doing.
#[inline]
pub fn may_go_on() -> bool {
    may_do(1)
}

/// Counts so many units of work; tells whether it is still worth doing.
#[inline]
pub fn may_do(units: u32) -> bool {
    let left = UNITS_LEFT.get();
    if left >= units {
        UNITS_LEFT.set(left - units);
        !INTERRUPTED.get()
    } else {
        ask()
    }
}

#[cold]
fn ask() -> bool {
    UNITS_LEFT.set(UNITS_PER_QUESTION);
    let question = QUESTION.with_borrow(Option::clone);
    if question.is_some_and(|question| !question()) {
        INTERRUPTED.set(true);
    }
    !INTERRUPTED.get()
}

#[cfg(test)]
mod tests {
    use super::{may_go_on, under};
    use std::cell::Cell;
    use std::rc::Rc;

    fn work(units: u32) -> u32 {
        (0..units).take_while(|_| may_go_on()).count() as u32
    }

    #[test]
    fn work_ends_when_the_answer_is_no() {
        let asked = Rc::new(Cell::new(0));
        let counting = asked.clone();
        let may_go_on = move || {
            counting.set(counting.get() + 1);
            counting.get() < 5
        };
        let (done, interrupted) = under(may_go_on, || work(1_000_000));
        assert!(interrupted && done < 1_000_000 && asked.get() == 5, "{done}");
        assert_eq!(work(100_000), 100_000);
    }

    #[test]
    fn the_outer_answer_counts_inside_and_the_inner_one_not_outside() {
        let (inner, interrupted) = under(|| false, || under(|| true, || work(100_000)));
        assert!(interrupted && inner.1 && inner.0 < 100_000);
        let (outer, interrupted) = under(|| true, || (under(|| false, || work(100_000)).1, work(100_000)));
        assert_eq!((outer, interrupted), ((true, 100_000), false));
    }
}
