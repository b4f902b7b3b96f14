//! Judges proofs by thread reachability and environment transitions: THREADER's proof rule REACHENV
//! (figure 5).
//!
//! A proof gives assertions R_i and E_i for each thread i. If these five premises hold, no error is
//! reachable:
//!
//! | premise | here |
//! |---|---|
//! | CS1: `init → R_i` | every initial state is in R_i |
//! | CS2: `R_i ∧ ρ_i → R_i'` | every step of thread i from R_i leads to R_i |
//! | CS3: `R_i ∧ E_i ∧ (V_i = V_i') → R_i'` | so does every environment transition that leaves the thread's locals alone |
//! | CS4: `R_i ∧ ρ_i → E_j` for i ≠ j | every step of another thread is an environment transition |
//! | CS5: `R_1 ∧ … ∧ R_N ∧ error → false` | no state of all R_i is in error |
//!
//! (By induction every reachable state is in every R_i: the thread that moves stays in its R_i by CS2,
//! and for the others its step is in E_j by CS4, so they stay in R_j by CS3.)
//!
//! Each premise is one question to the SMT solver for each control point, step or error, asked anew. The
//! states range over all well-typed values of the variables. The initial values themselves, and
//! declarations at the start of threads, must not go wrong either.

use crate::questions::{must_be_impossible, start};
use crate::{CheckError, refuted};
use std::sync::Arc;
use std::time::Duration;
use threadwise_evidence::EnvironmentProof;
use threadwise_ir::{Program, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_symbolic::{Owner, PointId, Space};

/// The most time that one question may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// R_i and E_i of one thread, parsed.
struct Part {
    /// For each control point what holds there; `false` where the thread is never.
    reach: Vec<Term>,
    /// E_i.
    environment: Term,
}

/// Checks the premises. Returns how many assertions the proof has.
pub(crate) fn check(program: &Arc<Program>, proof: &EnvironmentProof, budget: &Budget) -> Result<u64, CheckError> {
    let space = Space::new(program).map_err(|e| refuted(format!("the program is not one for such proofs: {e}")))?;
    if proof.threads.len() != space.threads.len() {
        return Err(refuted("the proof is not about the threads of the program"));
    }
    let parts = read(&space, proof)?;
    let mut judge = Judge::start(&space, budget)?;
    judge.there_are_values()?;
    judge.the_start_is_fine()?;
    for (index, part) in parts.iter().enumerate() {
        let thread = ThreadId(index as u32);
        judge.initial_states_are_reached(thread, part)?;
        judge.steps_stay(thread, part)?;
        judge.environment_stays(thread, part)?;
        judge.steps_are_environment(thread, part, &parts)?;
    }
    judge.no_error(&parts)?;
    Ok(proof.threads.iter().map(|thread| thread.reach.len() as u64).sum())
}

/// Parses the proof, and sees that it is modular if it says so.
fn read(space: &Space, proof: &EnvironmentProof) -> Result<Vec<Part>, CheckError> {
    let (states, steps) = (space.reader(false), space.reader(true));
    let mut parts = Vec::new();
    for (index, thread) in proof.threads.iter().enumerate() {
        let name = space.instance.tid_name(index as i64 + 1);
        let mut reach = vec![Term::bool(false); space.threads[index].points.len()];
        for at in &thread.reach {
            let formula = states.read(&at.formula).map_err(|e| refuted(format!("{name} at {}: {e}", at.name)))?;
            let owners = [Owner::Shared, Owner::Thread(ThreadId(index as u32))];
            if proof.modular && !speaks_only_of(space, &formula, &owners) {
                return Err(refuted(format!("the assertion of {name} at {} is not modular", at.name)));
            }
            let place = reach.get_mut(at.point as usize);
            let place = place.ok_or_else(|| refuted(format!("{name} has no control point {}", at.point)))?;
            *place = place.or(formula);
        }
        let mut environment = Vec::new();
        for transition in &thread.environment {
            let formula = steps.read(&transition.formula);
            let formula = formula.map_err(|e| refuted(format!("environment of {name}: {e}")))?;
            if proof.modular && !speaks_only_of(space, &formula, &[Owner::Shared]) {
                return Err(refuted(format!("an environment transition of {name} is not modular")));
            }
            environment.push(formula);
        }
        parts.push(Part { reach, environment: Term::any(environment) });
    }
    Ok(parts)
}

fn speaks_only_of(space: &Space, formula: &Term, owners: &[Owner]) -> bool {
    formula.variables().iter().all(|var| space.info(*var).is_some_and(|info| owners.contains(&info.owner)))
}

struct Judge<'a> {
    space: &'a Space,
    session: Session,
}

impl<'a> Judge<'a> {
    fn start(space: &'a Space, budget: &Budget) -> Result<Judge<'a>, CheckError> {
        let mut session = start(Settings { timeout: PATIENCE, ..Settings::default() }, budget)?;
        session.tell(&space.declarations());
        session.assert_with(&space.all_typed(), space);
        Ok(Judge { space, session })
    }

    /// Whether the formulas cannot hold together.
    fn refute(&mut self, formulas: &[&Term], otherwise: impl FnOnce() -> String) -> Result<(), CheckError> {
        let all = Term::all(formulas.iter().copied());
        if all.is_false() {
            return Ok(());
        }
        self.session.push();
        self.session.assert_with(&all, self.space);
        let answer = must_be_impossible(&mut self.session, otherwise);
        self.session.pop();
        answer
    }

    fn name(&self, thread: ThreadId) -> String {
        self.space.instance.tid_name(i64::from(thread.0) + 1)
    }

    /// Everything below is asked under the assumption that values are of their sorts: it must be possible.
    fn there_are_values(&mut self) -> Result<(), CheckError> {
        match self.session.check()? {
            Answer::Sat => Ok(()),
            Answer::Unsat => Err(CheckError::Undecided("no values have the sorts of the variables".to_string())),
            Answer::Unknown(why) => Err(CheckError::Undecided(format!("the solver does not know ({why})"))),
        }
    }

    fn the_start_is_fine(&mut self) -> Result<(), CheckError> {
        self.refute(&[&self.space.initially.goes_wrong()], || "an initial value can be in error".to_string())?;
        for thread in &self.space.threads {
            let what = || "a declaration at the start of a thread can go wrong".to_string();
            self.refute(&[&thread.start_fault], what)?;
        }
        Ok(())
    }

    /// CS1.
    fn initial_states_are_reached(&mut self, thread: ThreadId, part: &Part) -> Result<(), CheckError> {
        let outside = reach(self.space, thread, part).not();
        let name = self.name(thread);
        self.refute(&[&self.space.init(), &outside], || format!("CS1: an initial state of {name} is not covered"))
    }

    /// CS2.
    fn steps_stay(&mut self, thread: ThreadId, part: &Part) -> Result<(), CheckError> {
        for step in &self.space.threads[thread.index()].steps {
            let before = &part.reach[step.from.index()];
            let outside = self.space.prime(&part.reach[step.to.index()]).not();
            let (name, at) = (self.name(thread), self.space.point_name(thread, step.from));
            let what = || format!("CS2: a step of {name} from {at} leads out of what it reaches");
            self.refute(&[before, &step.relation(self.space), &outside], what)?;
        }
        Ok(())
    }

    /// CS3.
    fn environment_stays(&mut self, thread: ThreadId, part: &Part) -> Result<(), CheckError> {
        let same = |var| self.space.equation(self.space.primed(var), &self.space.value(var));
        let alone = Term::all(self.space.owned(Owner::Thread(thread)).map(same));
        for (index, before) in part.reach.iter().enumerate() {
            let point = PointId(index as u32);
            let outside = self.space.prime(before).not();
            let (name, at) = (self.name(thread), self.space.point_name(thread, point));
            let what = || format!("CS3: what holds of {name} at {at} does not survive its environment");
            self.refute(&[&self.space.at(thread, point), before, &part.environment, &alone, &outside], what)?;
        }
        Ok(())
    }

    /// CS4.
    fn steps_are_environment(&mut self, of: ThreadId, part: &Part, parts: &[Part]) -> Result<(), CheckError> {
        let outside = part.environment.not();
        for (index, other) in self.space.threads.iter().enumerate().filter(|(index, _)| *index != of.index()) {
            for step in &other.steps {
                let before = &parts[index].reach[step.from.index()];
                let (name, by) = (self.name(of), self.name(step.thread));
                let at = self.space.point_name(step.thread, step.from);
                let what = || format!("CS4: a step of {by} from {at} is not in the environment of {name}");
                self.refute(&[before, &step.relation(self.space), &outside], what)?;
            }
        }
        Ok(())
    }

    /// CS5.
    fn no_error(&mut self, parts: &[Part]) -> Result<(), CheckError> {
        let everywhere = parts.iter().enumerate().map(|(i, part)| reach(self.space, ThreadId(i as u32), part));
        let everywhere = Term::all(everywhere);
        for error in &self.space.errors {
            self.refute(&[&everywhere, &error.formula], || "CS5: an error is not excluded".to_string())?;
        }
        Ok(())
    }
}

/// R_i as one formula.
fn reach(space: &Space, thread: ThreadId, part: &Part) -> Term {
    let at = |(index, formula): (usize, &Term)| space.at(thread, PointId(index as u32)).and(formula);
    Term::any(part.reach.iter().enumerate().map(at))
}
