//! MKHORNCLAUSES (THREADER, figures 10 and 11): the recursion-free clauses of an error tuple.

use crate::aret::Work;
use crate::chc::{Application, Chc, Clause, Encoding, Meaning, Relation, identity};
use crate::proof::is_shared;
use crate::tree::{ErrorTuple, Forest, Parent, effect, updated};
use std::collections::BTreeMap;
use threadwise_ir::ThreadId;
use threadwise_logic::{Formula, Value, Var};
use threadwise_symbolic::{Owner, PointId, Space};

/// What the unknown relations may speak of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Scope {
    /// A state of shared variables and the thread's locals, a transition of shared variables (figure 11).
    Modular,
    /// Of all data (figure 10). Control is left to tracking.
    ///
    /// DIVERGENCE: there are no relations for environment transitions here, as they are the steps themselves.
    General,
}

/// Which node of the trees a relation stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum NodeId {
    State(usize),
    Environment(usize),
}

/// The clauses of an error tuple.
pub(crate) struct HornClauses {
    pub(crate) chc: Chc,
    /// The node of each relation.
    pub(crate) nodes: Vec<NodeId>,
}

/// The clauses of lines 1 to 4 of REFINE (figure 9).
pub(crate) fn mk_horn_clauses(work: &Work<'_>, forest: &Forest, error: &ErrorTuple, scope: Scope) -> HornClauses {
    let chc = Chc { encoding: Encoding::Modular, relations: Vec::new(), clauses: Vec::new() };
    let mut maker =
        Maker { work, forest, scope, clauses: HornClauses { chc, nodes: Vec::new() }, known: BTreeMap::new() };
    let body = error.states.iter().map(|state| maker.state(*state)).collect();
    maker.clauses.chc.clauses.push(Clause { body, constraint: error.formula.clone(), head: None });
    maker.clauses
}

struct Maker<'a, 'w> {
    work: &'a Work<'w>,
    forest: &'a Forest,
    scope: Scope,
    clauses: HornClauses,
    known: BTreeMap<NodeId, usize>,
}

impl Maker<'_, '_> {
    fn space(&self) -> &Space {
        self.work.space
    }

    /// What the relation of a state may speak of.
    fn state_args(&self, thread: usize, point: PointId) -> Vec<Var> {
        let space = self.space();
        let mut args: Vec<Var> = space.owned(Owner::Shared).collect();
        args.extend(space.live(ThreadId(thread as u32), point));
        if self.scope == Scope::General {
            for (other, own) in space.threads.iter().enumerate().filter(|(other, _)| *other != thread) {
                let owned = space.owned(Owner::Thread(ThreadId(other as u32)));
                args.extend(owned.filter(|var| *var != own.pc));
            }
        }
        args
    }

    fn declare(&mut self, node: NodeId, name: String, args: Vec<Var>) -> usize {
        let meaning = Meaning::Reach(0, PointId(0));
        self.clauses.chc.relations.push(Relation { name, args, meaning });
        self.clauses.nodes.push(node);
        self.known.insert(node, self.clauses.nodes.len() - 1);
        self.clauses.nodes.len() - 1
    }

    fn itself(&self, relation: usize) -> Application {
        Application { relation, args: identity(self.space(), &self.clauses.chc.relations[relation].args) }
    }

    /// The relation after a step that changes these variables.
    fn after(&self, relation: usize, changed: &dyn Fn(Var) -> bool) -> Application {
        let space = self.space();
        let args = &self.clauses.chc.relations[relation].args;
        let value = |var: &Var| space.value(if changed(*var) { space.primed(*var) } else { *var });
        Application { relation, args: args.iter().map(value).collect() }
    }

    /// The relation of a state; its clauses are made if they are not there yet.
    fn state(&mut self, number: usize) -> Application {
        if let Some(known) = self.known.get(&NodeId::State(number)) {
            return self.itself(*known);
        }
        let state = self.forest.states[number].clone();
        let args = self.state_args(state.thread, state.point);
        let own = self.declare(NodeId::State(number), format!("s{number}"), args);
        let clause = match state.parent {
            Parent::Initial(start) => {
                Clause { body: Vec::new(), constraint: self.initial(state.thread, start), head: Some(self.itself(own)) }
            }
            Parent::Own(before, step) => self.step_clause(before, own, state.thread, step),
            Parent::Environment(before, environment) if self.scope == Scope::General => {
                let transition = &self.forest.environments[environment];
                self.step_clause(before, own, transition.by, transition.step)
            }
            Parent::Environment(before, environment) => {
                let body = vec![self.state(before), self.environment(environment)];
                let transition = &self.forest.environments[environment];
                let changed = updated(self.space(), &self.work.steps[transition.by][transition.step]);
                let head = self.after(own, &|var| changed.contains(&var) && is_shared(self.space(), var));
                Clause { body, constraint: Formula::TRUE, head: Some(head) }
            }
        };
        self.clauses.chc.clauses.push(clause);
        self.itself(own)
    }

    /// `"S"(V) ∧ ρ → "D"(V')`
    fn step_clause(&mut self, before: usize, own: usize, thread: usize, step: usize) -> Clause {
        let step = &self.work.steps[thread][step];
        let changed = updated(self.work.space, step);
        let constraint = effect(self.work.space, step);
        let body = vec![self.state(before)];
        Clause { body, constraint, head: Some(self.after(own, &|var| changed.contains(&var))) }
    }

    /// The relation of an environment transition; its clauses are made if they are not there yet. It speaks
    /// of the shared variables before the step, and of those that change after it.
    fn environment(&mut self, number: usize) -> Application {
        if let Some(known) = self.known.get(&NodeId::Environment(number)) {
            return self.itself(*known);
        }
        let space = self.work.space;
        let transition = self.forest.environments[number].clone();
        let step = &self.work.steps[transition.by][transition.step];
        let changed = updated(space, step);
        let mut args: Vec<Var> = space.owned(Owner::Shared).collect();
        args.extend(changed.iter().filter(|var| is_shared(space, **var)).map(|var| space.primed(*var)));
        let own = self.declare(NodeId::Environment(number), format!("e{number}"), args);
        let body = vec![self.state(transition.state)];
        let head = Some(self.itself(own));
        self.clauses.chc.clauses.push(Clause { body, constraint: effect(space, step), head });
        self.itself(own)
    }

    /// φ_init, as far as the relation speaks of it.
    fn initial(&self, thread: usize, start: usize) -> Formula {
        let space = self.space();
        let mut parts = vec![space.initially.shared.clone()];
        for (other, own) in space.threads.iter().enumerate() {
            if other != thread && self.scope == Scope::Modular {
                continue;
            }
            let of = |number: usize| {
                let start = &own.starts[number];
                let locals = start.values.iter().filter(|(var, _)| !is_shared(space, *var));
                let equations = locals.map(|(var, value): &(Var, Value)| space.equation(*var, value));
                let equations = Formula::all(equations.collect::<Vec<_>>());
                equations.and(start.guard.clone())
            };
            parts.push(match other == thread {
                true => of(start),
                false => Formula::any((0..own.starts.len()).map(of)),
            });
        }
        Formula::all(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aret::work_on;
    use crate::tree::Outcome;
    use crate::{Bias, Options};
    use std::sync::Arc;
    use threadwise_front_tw::{Options as FrontOptions, load};
    use threadwise_limits::Budget;
    use threadwise_solver_setup::solver_for_tests;
    use threadwise_source::SourceFile;

    /// The clauses of the first error tuple, as SMT-LIB.
    fn first_clauses(text: &str, scope: Scope) -> Vec<String> {
        let lowered = load(SourceFile::new("test.tw", text), &FrontOptions::default());
        let space = Space::new(&Arc::new(lowered.program.expect("a correct program"))).expect("supported");
        let (command, budget) = (solver_for_tests(), Budget::unlimited());
        let options = Options { bias: Bias::Modular, ..Options::default() };
        let mut work = work_on(&space, &options, &command, &budget).expect("a solver");
        let mut forest = Forest::new(&work);
        let Ok(Outcome::Error(error)) = forest.abst_reach_env(&mut work) else { panic!("no error tuple") };
        let text = mk_horn_clauses(&work, &forest, &error, scope).chc.smt(&space);
        text.lines().filter(|line| line.starts_with("(assert")).map(str::to_string).collect()
    }

    /// HC4 of section 2.2, control aside: s0 and s2 are the paper's m1 and m2, s1 and s3 its n1 and n2. There are no
    /// locals, so that HC3 is the same.
    #[test]
    fn lock_id_gives_the_clauses_of_the_paper() {
        let text = "shared id: int;
            thread T1 { a: atomic { await id == 0; id = 1; } b: }
            thread T2 { p: atomic { await id == 0; id = 2; } q: }
            never T1@b && T2@q;";
        let expected = [
            "(assert (forall ((|id| Int)) (=> (= |id| 0) (|s0| |id|))))",
            "(assert (forall ((|id| Int) (|id'| Int)) (=> (and (|s0| |id|) (and (= |id| 0) (= |id'| 1))) (|s2| |id'|))))",
            "(assert (forall ((|id| Int)) (=> (= |id| 0) (|s1| |id|))))",
            "(assert (forall ((|id| Int) (|id'| Int)) (=> (and (|s1| |id|) (and (= |id| 0) (= |id'| 2))) (|s3| |id'|))))",
            "(assert (forall ((|id| Int)) (=> (and (|s2| |id|) (|s3| |id|)) false)))",
        ];
        assert_eq!(first_clauses(text, Scope::Modular), expected);
        assert_eq!(first_clauses(text, Scope::General), expected);
    }

    /// In the modular form the relations of a thread do not have the other's locals as arguments, in the general form
    /// they do (figure 13 (b) and (c)).
    #[test]
    fn lock_bit_cnt_shows_the_two_forms() {
        let text = "shared lock: int;
            thread T1 { var cnt: int; x: atomic { cnt = cnt + 1; assume cnt >= 1; } a: atomic { await lock == 0; lock = 1; } b: }
            thread T2 { p: atomic { await lock == 0; lock = 1; } q: }
            never T1@b && T2@q;";
        let speaks_of_cnt = |scope| {
            let clauses = first_clauses(text, scope);
            let of_second = |line: &&String| line.contains("(= |lock'| 1)") && !line.contains("|T1.cnt'|");
            clauses
                .iter()
                .filter(of_second)
                .any(|line| line.contains("|T1.cnt| Int") && line.contains("(|s1| |lock| |T1.cnt|)"))
        };
        assert!(!speaks_of_cnt(Scope::Modular));
        assert!(speaks_of_cnt(Scope::General));
    }
}
