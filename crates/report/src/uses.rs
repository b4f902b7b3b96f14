//! Which words of the shared store a trace looks at or changes: what is worth knowing of its start.

use std::collections::BTreeSet;
use threadwise_evidence::{Trace, Violation, follow};
use threadwise_ir::{
    EdgeId, Env, Expr, ExprKind, Instance, Op, Place, Sort, State, ThreadId, Told, Update, Value, VarRef,
};

/// The words that the steps of a trace, and what they violate, depend on.
pub(crate) fn used_words(instance: &Instance, trace: &Trace) -> BTreeSet<usize> {
    let mut uses = Uses { instance, words: BTreeSet::new() };
    let Some(mut state) = trace.initial.clone() else { return uses.words };
    for step in &trace.steps {
        uses.step(&state, step.thread, &step.path, Some(step));
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
    }
    match &trace.violation {
        Violation::Step { thread, path, .. } => uses.step(&state, *thread, path, None),
        Violation::Property(id) | Violation::PropertyFault(id, ..) => {
            if let Some((e, _)) = instance.program.property(*id).formula() {
                uses.expression(e, &mut Env::of_state(instance, &state.shared, &state.locals));
            }
        }
        Violation::Initial(..) | Violation::Start { .. } => {}
    }
    uses.words
}

/// To get initial values is no use.
fn is_initial(instance: &Instance, edge: EdgeId) -> bool {
    let telling = instance.program.telling.as_ref();
    telling.is_some_and(|telling| matches!(telling.edges.get(edge.index()), Some(Told::Start)))
}

struct Uses<'a> {
    instance: &'a Instance,
    words: BTreeSet<usize>,
}

impl Uses<'_> {
    fn step(
        &mut self,
        before: &State,
        thread: ThreadId,
        path: &[EdgeId],
        outcome: Option<&threadwise_evidence::TraceStep>,
    ) {
        let instance = self.instance;
        let mut followed = 0;
        follow(instance, before, thread, path, outcome, &mut |id, _, env| {
            if !is_initial(instance, id) {
                self.operation(&instance.program.edge(id).op, env);
            }
            followed += 1;
        });
        // Where it is not known which elements they are about, the rest of the edges are about all.
        for &id in &path[followed..] {
            instance.program.edge(id).op.walk_expressions(&mut |e| {
                if let ExprKind::Read(VarRef::Shared(var)) = e.kind {
                    self.words.extend(instance.shared_range(var));
                }
            });
        }
    }

    fn operation(&mut self, op: &Op, env: &mut Env<'_>) {
        match op {
            Op::Command(command) => {
                command.assertions.iter().for_each(|assertion| self.expression(&assertion.condition, env));
                command.guard.iter().for_each(|guard| self.expression(guard, env));
                self.update(&command.update, env);
            }
            Op::Call { args, result, .. } => {
                args.iter().for_each(|e| self.expression(e, env));
                result.iter().for_each(|place| self.place(place, env));
            }
            Op::Return(value) => value.iter().for_each(|e| self.expression(e, env)),
        }
    }

    fn update(&mut self, update: &Update, env: &mut Env<'_>) {
        match update {
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    self.place(place, env);
                    if let Value::Of(e) = value {
                        self.expression(e, env);
                    }
                }
            }
            Update::Action { frame, formula, assertion } => {
                for var in frame {
                    if let VarRef::Shared(var) = var {
                        self.words.extend(self.instance.shared_range(*var));
                    }
                }
                self.expression(formula, env);
                assertion.iter().for_each(|e| self.expression(e, env));
            }
        }
    }

    fn place(&mut self, place: &Place, env: &mut Env<'_>) {
        let indices: Vec<&Expr> = place.indices.iter().collect();
        self.element(place.var, &indices, env);
        indices.into_iter().for_each(|e| self.expression(e, env));
    }

    fn expression(&mut self, e: &Expr, env: &mut Env<'_>) {
        match &e.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::Bound(_)
            | ExprKind::SelfThread
            | ExprKind::ReadAfter(_) => {}
            ExprKind::Read(var) => self.element(*var, &[], env),
            ExprKind::Index(..) => {
                let (mut inner, mut keys) = (e, Vec::new());
                while let ExprKind::Index(array, key) = &inner.kind {
                    keys.insert(0, &**key);
                    inner = array;
                }
                match inner.kind {
                    ExprKind::Read(var) => self.element(var, &keys, env),
                    _ => self.expression(inner, env),
                }
                keys.into_iter().for_each(|key| self.expression(key, env));
            }
            ExprKind::At(thread, _) | ExprKind::LocalOf(thread, _) => self.expression(&thread.thread, env),
            ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => self.expression(a, env),
            ExprKind::Binary(_, a, b) => {
                self.expression(a, env);
                self.expression(b, env);
            }
            ExprKind::Conditional(parts) => parts.iter().for_each(|e| self.expression(e, env)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|e| self.expression(e, env));
            }
        }
    }

    /// An element of a shared variable, or as much of the variable as is known.
    fn element(&mut self, var: VarRef, keys: &[&Expr], env: &mut Env<'_>) {
        let VarRef::Shared(id) = var else { return };
        let range = self.instance.shared_range(id);
        let mut sort = &self.instance.program.shared[id.index()].sort;
        let mut start = range.start;
        for key in keys {
            let is_closed = !key.any(&|e| matches!(e.kind, ExprKind::Bound(_))) && !key.is_primed();
            let value = is_closed.then(|| env.scalar(key).ok()).flatten();
            let (Sort::Array(keys, element), Some(value)) = (sort, value) else { break };
            let rank = match **keys {
                Sort::Int => usize::try_from(value).ok().filter(|rank| *rank < self.instance.keys(keys)),
                _ => self.instance.rank(keys, value),
            };
            let Some(rank) = rank else { break };
            start += rank * self.instance.words(element);
            sort = element;
        }
        self.words.extend(start..start + self.instance.words(sort));
    }
}
