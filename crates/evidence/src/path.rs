//! What a step looks at on its way: the stores before each of its edges, worked out for what people read. What a step
//! does is said by `ir` alone; where this here cannot follow it, it stops, and less is told.

use crate::TraceStep;
use threadwise_ir::{EdgeId, Env, Expr, Instance, Op, Place, RoutineId, Sort, State, ThreadId, Update, Value, VarRef};

/// Follows a step, and calls `visit` with each of its edges and with what expressions see before it. Where the step has
/// been taken, its outcome tells what was chosen.
pub fn follow(
    instance: &Instance,
    before: &State,
    thread: ThreadId,
    path: &[EdgeId],
    outcome: Option<&TraceStep>,
    visit: &mut dyn FnMut(EdgeId, RoutineId, &mut Env<'_>),
) {
    let Some(local) = before.locals.get(thread.index()) else { return };
    let (routine, start) = instance.top_frame(local);
    let mut walker = Walker {
        instance,
        routine,
        tid: i64::from(thread.0) + 1,
        shared: before.shared.to_vec(),
        frame: local[start..].to_vec(),
    };
    let chosen = outcome.map(|step| (&step.shared[..], step.local.get(start..).unwrap_or_default()));
    for &id in path {
        visit(id, routine, &mut walker.env());
        if walker.take(id, chosen).is_none() {
            return;
        }
    }
}

struct Walker<'a> {
    instance: &'a Instance,
    routine: RoutineId,
    tid: i64,
    shared: Vec<i64>,
    frame: Vec<i64>,
}

impl Walker<'_> {
    fn env(&self) -> Env<'_> {
        Env::of_thread(self.instance, self.routine, self.tid, &self.shared, &self.frame)
    }

    /// Does what an edge does to the stores; nothing where that cannot be told.
    fn take(&mut self, id: EdgeId, chosen: Option<(&[i64], &[i64])>) -> Option<()> {
        let Op::Command(command) = &self.instance.program.edge(id).op else { return None };
        let Update::Assign(assignments) = &command.update else { return None };
        let mut writes = Vec::new();
        for (place, value) in assignments {
            let (offset, count) = self.words_at(place)?;
            let words = match value {
                Value::Of(e) => self.value(e)?,
                Value::Any => {
                    let (shared, frame) = chosen?;
                    let store = if matches!(place.var, VarRef::Shared(_)) { shared } else { frame };
                    store.get(offset..offset + count)?.to_vec()
                }
            };
            writes.push((place.var, offset, words));
        }
        for (var, offset, words) in writes {
            let store = if matches!(var, VarRef::Shared(_)) { &mut self.shared } else { &mut self.frame };
            store.get_mut(offset..offset + words.len())?.copy_from_slice(&words);
        }
        Some(())
    }

    fn value(&self, e: &Expr) -> Option<Vec<i64>> {
        self.env().words(e).ok().map(|words| words.to_vec())
    }

    /// Where the words of a place are in their store, and how many.
    fn words_at(&self, place: &Place) -> Option<(usize, usize)> {
        let range = match place.var {
            VarRef::Shared(var) => self.instance.shared_range(var),
            VarRef::Local(var) => self.instance.local_range(self.routine, var),
        };
        let mut sort = self.instance.sort_of(self.routine, place.var);
        let mut offset = range.start;
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { return None };
            let value = self.env().scalar(index).ok()?;
            let rank = match **key {
                Sort::Int => usize::try_from(value).ok().filter(|rank| *rank < self.instance.keys(key))?,
                _ => self.instance.rank(key, value)?,
            };
            offset += rank * self.instance.words(element);
            sort = element;
        }
        Some((offset, self.instance.words(sort)))
    }
}
