//! Steps as guards and updates.

use crate::space::{PointId, Space};
use threadwise_ir::{Observations, Path, ThreadId};
use threadwise_logic::{Term, Var};
use threadwise_symbolic::Touch;

/// Where a thread can start.
#[derive(Clone, Debug)]
pub struct Start {
    /// The point.
    pub to: PointId,
    /// What holds of the free choices on the way.
    pub guard: Term,
    /// The values of the locals in scope there.
    pub values: Vec<(Var, Term)>,
}

/// A step of a thread, from one point to another, by one path.
#[derive(Clone, Debug)]
pub struct Step {
    /// Whose.
    pub thread: ThreadId,
    pub from: PointId,
    pub to: PointId,
    /// When it can be taken, over the variables before the step and the step's free choices.
    pub guard: Term,
    /// The variables that change, and their values after the step.
    pub updates: Vec<(Var, Term)>,
    /// The free choices that it makes.
    pub choices: Vec<Var>,
    /// The locals of frames that are gone, or new: their old values say nothing of their new ones.
    pub forgotten: Vec<Var>,
    /// The edges it takes.
    pub path: Path,
    /// What it shows to the patterns of properties in all states alike.
    pub shown: Observations,
    /// The elements of arrays that it reads and writes, where a pattern asks for elements.
    pub touched: Vec<Touch>,
}

/// A way in which the step of a thread goes wrong.
#[derive(Clone, Debug)]
pub struct StepFailure {
    /// Whose.
    pub thread: ThreadId,
    pub from: PointId,
    /// When, over the variables before the step and the free choices made before it goes wrong.
    pub condition: Term,
    /// The edges; the last one goes wrong.
    pub path: Path,
}

impl Step {
    /// The value of a variable after the step; `None` if nothing is known of it.
    pub fn after(&self, space: &Space, var: Var) -> Option<Term> {
        if var == space.threads[self.thread.index()].pc {
            return Some(Term::int(i64::from(self.to.0)));
        }
        match self.updates.iter().find(|(updated, _)| *updated == var) {
            Some((_, value)) => Some(value.clone()),
            None if self.forgotten.contains(&var) => None,
            None => Some(space.value(var)),
        }
    }

    /// The step as a relation between the variables before and after it, the thread's control included.
    /// The locals of other threads do not change.
    pub fn relation(&self, space: &Space) -> Term {
        let mut parts = vec![space.at(self.thread, self.from), self.guard.clone(), self.choices_typed(space)];
        for var in space.variables() {
            if let Some(value) = self.after(space, var) {
                parts.push(space.equation(space.primed(var), &value));
            }
        }
        Term::all(parts)
    }

    /// That the free choices are values of their sorts.
    pub fn choices_typed(&self, space: &Space) -> Term {
        Term::all(self.choices.iter().map(|choice| space.typed(*choice)))
    }
}
