//! Makes executions small: fewest preemptions, then fewest steps. By delta debugging on the schedule: parts are left out
//! or moved to where they make fewer changes of threads, and what still leads to an error, whichever, and costs less is
//! kept.

use crate::execution::{Execution, Move, follow};
use crate::machine::Machine;
use threadwise_limits::{Budget, Limit};

/// So much work is done at most.
const MOST_WORK: u64 = 1 << 22;

/// Makes an execution small. When a limit is met, what has been achieved is good enough.
pub(crate) fn shrink(machine: &mut Machine<'_>, found: Execution, budget: &Budget) -> Execution {
    machine.most_outcomes = usize::MAX;
    let end = machine.work + MOST_WORK;
    let mut shrinking = Shrinking { machine, best: found, end, budget };
    // The schedule that was found may come to an error earlier, and is counted right only now.
    let _ = shrinking.all();
    shrinking.best
}

struct Shrinking<'m, 'a, 'b> {
    machine: &'m mut Machine<'a>,
    best: Execution,
    end: u64,
    budget: &'b Budget,
}

impl Shrinking<'_, '_, '_> {
    fn all(&mut self) -> Result<(), Limit> {
        self.keep_if_better(self.best.moves.clone())?;
        loop {
            let before = self.best.cost();
            self.leave_out_runs()?;
            self.join_runs()?;
            self.leave_out_steps()?;
            if self.best.cost() == before || self.machine.work >= self.end {
                break;
            }
        }
        self.choose_simply()
    }

    /// Tries a schedule; tells whether it is better than the best so far, and keeps it then.
    fn keep_if_better(&mut self, schedule: Vec<Move>) -> Result<bool, Limit> {
        let start = self.best.start.clone();
        let found = follow(self.machine, &start, schedule.into_iter(), self.budget)?;
        let better = found.filter(|found| found.cost() < self.best.cost());
        Ok(better.map(|better| self.best = better).is_some())
    }

    fn may_go_on(&self) -> bool {
        self.machine.work < self.end
    }

    /// Leaves out runs of one thread: many at once first, then fewer.
    fn leave_out_runs(&mut self) -> Result<(), Limit> {
        let mut size = runs(&self.best.moves).len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < runs(&self.best.moves).len() && self.may_go_on() {
                let all = runs(&self.best.moves);
                let kept = all.iter().enumerate().filter(|(index, _)| !(at..at + size).contains(index));
                let schedule = kept.flat_map(|(_, run)| run.iter().copied()).collect();
                if !self.keep_if_better(schedule)? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Moves a run of a thread to the thread's run before it, or that one to this.
    fn join_runs(&mut self) -> Result<(), Limit> {
        let mut at = 0;
        while at < runs(&self.best.moves).len() && self.may_go_on() {
            let all: Vec<Vec<Move>> = runs(&self.best.moves).into_iter().map(<[Move]>::to_vec).collect();
            let next = (at + 1..all.len()).find(|&other| all[other][0].thread == all[at][0].thread);
            let Some(next) = next else {
                at += 1;
                continue;
            };
            let (mut earlier, mut later) = (all.clone(), all);
            let moved = std::mem::take(&mut earlier[next]);
            earlier[at].extend(moved);
            let moved = std::mem::take(&mut later[at]);
            later[next].splice(0..0, moved);
            if !self.keep_if_better(earlier.concat())? && !self.keep_if_better(later.concat())? {
                at += 1;
            }
        }
        Ok(())
    }

    /// Leaves out steps: many at once first, then fewer.
    fn leave_out_steps(&mut self) -> Result<(), Limit> {
        let mut size = self.best.moves.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < self.best.moves.len() && self.may_go_on() {
                let mut schedule = self.best.moves.clone();
                schedule.drain(at..(at + size).min(schedule.len()));
                if !self.keep_if_better(schedule)? {
                    at += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Takes the first outcome of steps that have several, where that costs nothing.
    fn choose_simply(&mut self) -> Result<(), Limit> {
        for at in 0..self.best.moves.len() {
            if !self.may_go_on() || at >= self.best.moves.len() {
                break;
            }
            if self.best.moves[at].choice == 0 {
                continue;
            }
            let mut schedule = self.best.moves.clone();
            schedule[at].choice = 0;
            let start = self.best.start.clone();
            let found = follow(self.machine, &start, schedule.into_iter(), self.budget)?;
            if let Some(found) = found.filter(|found| found.cost() <= self.best.cost()) {
                self.best = found;
            }
        }
        Ok(())
    }
}

/// The schedule as runs, each of one thread.
fn runs(moves: &[Move]) -> Vec<&[Move]> {
    moves.chunk_by(|a, b| a.thread == b.thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_of_one_thread() {
        let step = |thread| Move { thread, choice: 0 };
        let moves = [step(0), step(0), step(1), step(0)];
        let lengths: Vec<usize> = runs(&moves).iter().map(|run| run.len()).collect();
        assert_eq!(lengths, [2, 1, 1]);
    }
}
