//! MKHORNCLAUSES (THREADER, figures 10 and 11): the recursion-free clauses of an error tuple.

use crate::aret::Work;
use crate::chc::{Application, Chc, Clause, Encoding, Meaning, Relation, identity};
use crate::proof::is_shared;
use crate::tree::{ErrorTuple, Forest, Parent, effect, updated};
use crate::words::live;
use std::collections::BTreeMap;
use threadwise_ir::ThreadId;
use threadwise_logic::{Term, Var};
use threadwise_space::{Owner, PointId, Space};

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
        args.extend(live(space, ThreadId(thread as u32), point));
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
                Clause { body, constraint: Term::bool(true), head: Some(head) }
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
    fn initial(&self, thread: usize, start: usize) -> Term {
        let space = self.space();
        let mut parts = vec![space.initially.so_far.clone()];
        for (other, own) in space.threads.iter().enumerate() {
            if other != thread && self.scope == Scope::Modular {
                continue;
            }
            let of = |number: usize| {
                let start = &own.starts[number];
                let locals = start.values.iter().filter(|(var, _)| !is_shared(space, *var));
                Term::all(locals.map(|(var, value)| space.equation(*var, value))).and(&start.guard)
            };
            parts.push(match other == thread {
                true => of(start),
                false => Term::any((0..own.starts.len()).map(of)),
            });
        }
        Term::all(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aret::work_on;
    use crate::refine::{Refined, refine};
    use crate::tree::Outcome;
    use crate::{Bias, Counters, Options};
    use std::sync::Arc;
    use threadwise_front_tw::{Options as FrontOptions, load};
    use threadwise_limits::Budget;
    use threadwise_solver_setup::solver_for_tests;
    use threadwise_source::SourceFile;

    /// The clauses of the error tuple that is found after some refinements, as SMT-LIB, one form after the other.
    fn clauses_after(refinements: usize, text: &str, scopes: [Scope; 2]) -> [Vec<String>; 2] {
        let lowered = load(SourceFile::new("test.tw", text), &FrontOptions::default());
        let space = Space::new(&Arc::new(lowered.program.expect("a correct program"))).expect("supported");
        let (command, budget) = (solver_for_tests(), Budget::unlimited());
        let options = Options { bias: Bias::Modular, ..Options::default() };
        let mut work = work_on(&space, &options, &command, &budget).expect("a solver");
        let next = |work: &mut Work<'_>, is_last: bool| {
            let mut forest = Forest::new(work);
            let Ok(Outcome::Error(error)) = forest.abst_reach_env(work) else { panic!("no error tuple") };
            if is_last {
                return scopes.map(|scope| mk_horn_clauses(work, &forest, &error, scope).chc.smt(&space));
            }
            let refined = refine(work, &forest, &error, &mut Counters::default());
            assert!(matches!(refined, Ok(Refined::Again)), "the tuple is spurious");
            Default::default()
        };
        for _ in 0..refinements {
            next(&mut work, false);
        }
        let lines =
            |text: String| text.lines().filter(|line| line.starts_with("(assert")).map(str::to_string).collect();
        next(&mut work, true).map(lines)
    }

    const BOTH: [Scope; 2] = [Scope::Modular, Scope::General];

    const LOCK_BIT: &str = "shared lock: int;
        thread T1 { a: atomic { await lock == 0; lock = 1; } b: }
        thread T2 { p: atomic { await lock == 0; lock = 1; } q: }
        never T1@b && T2@q;";

    /// HC1 of section 2.1, control aside: s0 and s2 are the paper's m1 and m2, s1 and s3 its n1 and n2. There are no
    /// locals, so that both forms are the same.
    #[test]
    fn the_first_clauses_of_lock_bit_are_the_papers() {
        let expected = [
            "(assert (forall ((|lock| Int)) (=> (= |lock| 0) (|s0| |lock|))))",
            "(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|s0| |lock|) (and (= |lock| 0) (= |lock'| 1))) (|s2| |lock'|))))",
            "(assert (forall ((|lock| Int)) (=> (= |lock| 0) (|s1| |lock|))))",
            "(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|s1| |lock|) (and (= |lock| 0) (= |lock'| 1))) (|s3| |lock'|))))",
            "(assert (forall ((|lock| Int)) (=> (and (|s2| |lock|) (|s3| |lock|)) false)))",
        ];
        let [modular, general] = clauses_after(0, LOCK_BIT, BOTH);
        assert_eq!(modular, expected);
        assert_eq!(general, expected);
    }

    /// HC2 of section 2.1, control aside, after the first refinement has made each thread's abstract states know where
    /// the other is: s0, s2 and s5 are the paper's m1, m2 and m3, s1, s3 and s6 its n1, n2 and n3, e0 and e1 its e1 and
    /// e2. In the general form the steps themselves stand where the paper has e1 and e2.
    #[test]
    fn the_second_clauses_of_lock_bit_are_the_papers() {
        let step = |from: &str, to: &str| {
            let take = "(and (= |lock| 0) (= |lock'| 1))";
            format!("(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|{from}| |lock|) {take}) {to})))")
        };
        let apply = |from: &str, environment: &str, to: &str| {
            let body = format!("(and (|{from}| |lock|) (|{environment}| |lock| |lock'|))");
            format!("(assert (forall ((|lock| Int) (|lock'| Int)) (=> {body} (|{to}| |lock'|))))")
        };
        let init = |to: &str| format!("(assert (forall ((|lock| Int)) (=> (= |lock| 0) (|{to}| |lock|))))");
        let error = "(assert (forall ((|lock| Int)) (=> (and (|s5| |lock|) (|s6| |lock|)) false)))";
        let [modular, general] = clauses_after(1, LOCK_BIT, BOTH);
        let expected = [
            init("s0"),
            step("s0", "(|s2| |lock'|)"),
            init("s1"),
            step("s1", "(|e1| |lock| |lock'|)"),
            apply("s2", "e1", "s5"),
            step("s1", "(|s3| |lock'|)"),
            step("s0", "(|e0| |lock| |lock'|)"),
            apply("s3", "e0", "s6"),
            error.to_string(),
        ];
        assert_eq!(modular, expected);
        let expected = [
            init("s0"),
            step("s0", "(|s2| |lock'|)"),
            step("s2", "(|s5| |lock'|)"),
            init("s1"),
            step("s1", "(|s3| |lock'|)"),
            step("s3", "(|s6| |lock'|)"),
            error.to_string(),
        ];
        assert_eq!(general, expected);
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
        let [modular, general] = clauses_after(0, text, BOTH);
        assert_eq!(modular, expected);
        assert_eq!(general, expected);
    }

    /// Figure 13 (b) and (c), control aside, from the trees of figure 13 (a): s0 to s3 are the paper's m1 to m4, s4 to s6
    /// its n1 to n3, e0 and e1 its e1 and e2. In the general form the steps themselves stand where the paper has e1 and
    /// e2.
    #[test]
    fn lock_bit_cnt_gives_the_clauses_of_figure_13() {
        let text = "shared lock: int;
            thread T1 { var cnt: int; x: atomic { cnt = cnt + 1; assume cnt >= 1; } a: atomic { await lock == 0; lock = 1; } b: }
            thread T2 { p: atomic { await lock == 0; lock = 1; } q: }
            never T1@b && T2@q;";
        let lowered = load(SourceFile::new("test.tw", text), &FrontOptions::default());
        let space = Space::new(&Arc::new(lowered.program.expect("a correct program"))).expect("supported");
        let (command, budget) = (solver_for_tests(), Budget::unlimited());
        let work = work_on(&space, &Options::default(), &command, &budget).expect("a solver");
        let [(x, a, b), (p, q, _)] = [0, 1].map(|thread| {
            let [first, last] =
                [work.steps[thread].first(), work.steps[thread].last()].map(|step| step.expect("a step"));
            (first.from, first.to, last.to)
        });
        let forest = Forest::grown(
            &work,
            &[
                (0, x, Parent::Initial(0)),
                (0, a, Parent::Own(0, 0)),
                (0, b, Parent::Own(1, 1)),
                (0, b, Parent::Environment(2, 1)),
                (1, p, Parent::Initial(0)),
                (1, q, Parent::Own(4, 0)),
                (1, q, Parent::Environment(5, 0)),
            ],
            &[(0, 1, 1), (1, 4, 0)],
        );
        let error = ErrorTuple { states: vec![3, 6], formula: Term::bool(true) };
        let clauses = |scope| {
            let text = mk_horn_clauses(&work, &forest, &error, scope).chc.smt(&space).replace("T1.", "");
            text.lines().filter(|line| line.starts_with("(assert")).map(str::to_string).collect::<Vec<_>>()
        };
        let modular = [
            "(assert (forall ((|lock| Int) (|cnt| Int)) (=> (and (= |lock| 0) (= |cnt| 0)) (|s0| |lock| |cnt|))))",
            "(assert (forall ((|lock| Int) (|cnt| Int) (|cnt'| Int)) (=> (and (|s0| |lock| |cnt|) (and (<= 1 (+ |cnt| 1)) (= |cnt'| (+ |cnt| 1)))) (|s1| |lock| |cnt'|))))",
            "(assert (forall ((|lock| Int) (|cnt| Int) (|lock'| Int)) (=> (and (|s1| |lock| |cnt|) (and (= |lock| 0) (= |lock'| 1))) (|s2| |lock'| |cnt|))))",
            "(assert (forall ((|lock| Int)) (=> (= |lock| 0) (|s4| |lock|))))",
            "(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|s4| |lock|) (and (= |lock| 0) (= |lock'| 1))) (|e1| |lock| |lock'|))))",
            "(assert (forall ((|lock| Int) (|cnt| Int) (|lock'| Int)) (=> (and (|s2| |lock| |cnt|) (|e1| |lock| |lock'|)) (|s3| |lock'| |cnt|))))",
            "(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|s4| |lock|) (and (= |lock| 0) (= |lock'| 1))) (|s5| |lock'|))))",
            "(assert (forall ((|lock| Int) (|cnt| Int) (|lock'| Int)) (=> (and (|s1| |lock| |cnt|) (and (= |lock| 0) (= |lock'| 1))) (|e0| |lock| |lock'|))))",
            "(assert (forall ((|lock| Int) (|lock'| Int)) (=> (and (|s5| |lock|) (|e0| |lock| |lock'|)) (|s6| |lock'|))))",
            "(assert (forall ((|lock| Int) (|cnt| Int)) (=> (and (|s3| |lock| |cnt|) (|s6| |lock|)) false)))",
        ];
        assert_eq!(clauses(Scope::Modular), modular);
        let take = |from: &str, to: &str| {
            let body = format!("(and (|{from}| |lock| |cnt|) (and (= |lock| 0) (= |lock'| 1)))");
            format!("(assert (forall ((|lock| Int) (|cnt| Int) (|lock'| Int)) (=> {body} (|{to}| |lock'| |cnt|))))")
        };
        let general = [
            modular[0].to_string(),
            modular[1].to_string(),
            take("s1", "s2"),
            take("s2", "s3"),
            modular[0].replace("s0", "s4"),
            take("s4", "s5"),
            take("s5", "s6"),
            modular[9].replace("(|s6| |lock|)", "(|s6| |lock| |cnt|)"),
        ];
        assert_eq!(clauses(Scope::General), general);
    }
}
