//! Context-bounded search: all executions in which no thread is stopped that could go on, then those in which that
//! happens once, then twice, and so on; depth-first in between. Most errors need very few such preemptions, however many
//! steps they take.
//!
//! A node is a state together with the thread that moved last. It is visited once, with the fewest preemptions that lead
//! to it, since those with fewer come first. A thread that comes back to a state that it has just been in waits for others
//! in its own way, and is stopped for nothing.

use crate::dice::Dice;
use crate::execution::{Execution, Move};
use crate::machine::Machine;
use crate::starts::Starts;
use threadwise_limits::{Budget, Limit};
use threadwise_tables::{NO_PARENT, Visited};

/// How many nodes are expanded between two looks at the budget.
const NODES_PER_CHECK: u64 = 1 << 10;

/// A thread is looked after for so many steps to see whether it goes around in a circle.
const LONGEST_CIRCLE: usize = 64;

/// A number of preemptions gets this part of the work at most, so that the next one has its turn.
const LEVELS: u64 = 4;

/// How far to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) work: u64,
    pub(crate) depth: u32,
}

/// What came of a search.
pub(crate) enum Searched {
    Error(Execution),
    /// There are no more executions.
    All,
    /// There are more.
    Some,
}

pub(crate) struct Bounded<'m, 'a> {
    machine: &'m mut Machine<'a>,
    bounds: Bounds,
    visited: Visited,
    depth: Vec<u32>,
    stack: Vec<u32>,
    /// The nodes at which a thread may be stopped when one more preemption is allowed.
    later: Vec<u32>,
    /// Whether something was left out.
    cut_short: bool,
    first_row: Vec<u32>,
    expanded: u64,
    pub(crate) preemptions: u32,
}

impl<'m, 'a> Bounded<'m, 'a> {
    pub(crate) fn new(machine: &'m mut Machine<'a>, bounds: Bounds) -> Bounded<'m, 'a> {
        let locals = machine.instance.threads.iter().map(|thread| thread.template.index() + 1);
        let of_mover = machine.instance.program.templates.len() + 1;
        let widths = std::iter::once(0).chain(locals).chain([of_mover]).collect();
        Bounded {
            machine,
            bounds,
            visited: Visited::new(widths),
            depth: Vec::new(),
            stack: Vec::new(),
            later: Vec::new(),
            cut_short: false,
            first_row: Vec::new(),
            expanded: 0,
            preemptions: 0,
        }
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.visited.len() as u64
    }

    pub(crate) fn search(&mut self, starts: &Starts, dice: &mut Dice, budget: &Budget) -> Result<Searched, Limit> {
        self.first_row = starts.rows.first().cloned().unwrap_or_default();
        for row in starts.rows.iter().rev() {
            self.reach(row, self.machine.threads(), NO_PARENT, budget)?;
        }
        let mut stops = Vec::new();
        loop {
            let end_of_level = self.machine.work + self.bounds.work / LEVELS;
            if let Some(error) = self.run(end_of_level, budget)? {
                return Ok(Searched::Error(error));
            }
            for &node in &stops {
                self.preempt(node, budget)?;
                if let Some(error) = self.run(end_of_level, budget)? {
                    return Ok(Searched::Error(error));
                }
            }
            if self.later.is_empty() || self.machine.work >= self.bounds.work {
                break;
            }
            stops = std::mem::take(&mut self.later);
            dice.shuffle(&mut stops);
            self.preemptions += 1;
        }
        let all = !self.cut_short && self.later.is_empty() && starts.all;
        Ok(if all { Searched::All } else { Searched::Some })
    }

    /// Expands what is on the stack, until the work for this number of preemptions is done.
    fn run(&mut self, end_of_level: u64, budget: &Budget) -> Result<Option<Execution>, Limit> {
        while let Some(node) = self.stack.pop() {
            if self.machine.work >= end_of_level {
                self.cut_short = true;
                self.stack.clear();
                return Ok(None);
            }
            if self.expanded.is_multiple_of(NODES_PER_CHECK) {
                budget.check_for(self.machine.tables.growth())?;
                let (nodes, preemptions) = (self.nodes(), self.preemptions);
                budget.report(|| format!("{nodes} states, {preemptions} preemptions"));
            }
            self.expanded += 1;
            if self.expand(node, budget)? {
                return Ok(Some(self.execution_to(node)));
            }
        }
        Ok(None)
    }

    /// Adds what comes after a node without a preemption; tells whether the node is an error.
    fn expand(&mut self, node: u32, budget: &Budget) -> Result<bool, Limit> {
        let (row, mover) = self.read(node);
        if self.machine.is_wrong(&row) {
            return Ok(true);
        }
        if self.depth[node as usize] >= self.bounds.depth {
            self.cut_short = true;
            return Ok(false);
        }
        if mover >= self.machine.threads() || !self.machine.is_enabled(&row, mover) {
            self.let_others_run(node, &row, mover, budget)?;
            return Ok(false);
        }
        let before = self.stack.len();
        let is_waiting = self.step(node, &row, mover, budget)?;
        if is_waiting {
            // What the thread itself does comes first all the same.
            let own = self.stack.split_off(before);
            self.let_others_run(node, &row, mover, budget)?;
            self.stack.extend(own);
        } else if self.machine.is_worth_stopping(&row, mover) {
            self.later.push(node);
        }
        Ok(false)
    }

    /// The other threads run, at the price of one preemption more.
    fn preempt(&mut self, node: u32, budget: &Budget) -> Result<(), Limit> {
        let (row, mover) = self.read(node);
        self.let_others_run(node, &row, mover, budget)
    }

    /// Adds the steps of all threads but the one that moved last, the next one in order to be looked at first.
    fn let_others_run(&mut self, node: u32, row: &[u32], mover: usize, budget: &Budget) -> Result<(), Limit> {
        let threads = self.machine.threads();
        let first = if mover < threads { mover + 1 } else { 0 };
        for thread in (first..first + threads).rev().map(|thread| thread % threads) {
            if thread != mover && !self.machine.repeats_previous(row, &self.first_row, thread) {
                self.step(node, row, thread, budget)?;
            }
        }
        Ok(())
    }

    /// Adds the steps of a thread; tells whether one of them leads back to where the thread has just been.
    fn step(&mut self, node: u32, row: &[u32], thread: usize, budget: &Budget) -> Result<bool, Limit> {
        let mut successors = Vec::new();
        self.machine.successors(row, thread, &mut successors);
        let mut next = row.to_vec();
        let mut is_waiting = false;
        for &(shared, local) in successors.iter().rev() {
            (next[0], next[thread + 1]) = (shared, local);
            if let Some(known) = self.reach(&next, thread, node, budget)? {
                is_waiting |= self.has_just_been(node, thread, known);
            }
        }
        Ok(is_waiting)
    }

    /// Puts a node on the stack if it is new; otherwise tells which one it is.
    fn reach(&mut self, row: &[u32], mover: usize, parent: u32, budget: &Budget) -> Result<Option<u32>, Limit> {
        let node: Vec<u32> = row.iter().copied().chain([mover as u32]).collect();
        let (id, is_new) = self.visited.number(&node, parent, budget)?;
        if !is_new {
            return Ok(Some(id));
        }
        self.depth.push(if parent == NO_PARENT { 0 } else { self.depth[parent as usize] + 1 });
        self.stack.push(id);
        Ok(None)
    }

    /// Whether a node is among the last ones before this one, all of them the thread's own.
    fn has_just_been(&mut self, mut node: u32, thread: usize, known: u32) -> bool {
        for _ in 0..LONGEST_CIRCLE {
            if node == known {
                return true;
            }
            let is_own = self.read(node).1 == thread;
            match self.visited.parent(node) {
                Some(parent) if is_own => node = parent,
                _ => return false,
            }
        }
        false
    }

    fn read(&self, node: u32) -> (Vec<u32>, usize) {
        let mut row = vec![0; self.machine.threads() + 2];
        self.visited.read(node, &mut row);
        let mover = row.pop().expect("a node says who moved last");
        (row, mover as usize)
    }

    fn execution_to(&mut self, node: u32) -> Execution {
        let mut chain = vec![self.read(node)];
        let mut at = node;
        while let Some(parent) = self.visited.parent(at) {
            chain.push(self.read(parent));
            at = parent;
        }
        chain.reverse();
        let mut successors = Vec::new();
        let mut moves = Vec::with_capacity(chain.len());
        for pair in chain.windows(2) {
            let [(before, _), (after, thread)] = pair else { unreachable!("a window of two has two") };
            self.machine.successors(before, *thread, &mut successors);
            let led_there = |&(shared, local): &(u32, u32)| shared == after[0] && local == after[thread + 1];
            let choice = successors.iter().position(led_there).expect("a visited state is a successor of its parent");
            moves.push(Move { thread: *thread as u32, choice: choice as u32 });
        }
        Execution { start: chain.swap_remove(0).0, moves, preemptions: self.preemptions }
    }
}
