//! Judges proofs by contracts (CALVIN).
//!
//! The program says what every thread may expect of the others' steps: its rely. The proof adds
//! assertions at points of the threads' code. The judge believes it if all of this holds, for every
//! number of threads and whichever thread is looked at:
//!
//! 1. Every rely and every guarantee admits the step that changes nothing.
//! 2. As many steps in a row as the proof says, each admitted by a thread's rely, cover any number of them.
//! 3. A guarantee that the program gives implies the relies of all other threads.
//! 4. Initial values are not in error, and initial stores satisfy the invariants.
//! 5. Each thread's code, cut at the points where the proof says something of loops, falls into pieces
//!    without cycles. From the thread's start, or from a cut under its assertions, up to the next cuts,
//!    with the environment moving between steps: nothing goes wrong, every step satisfies the guarantee
//!    and keeps the invariants, and what the proof says of a point holds there.
//! 6. Properties that say where threads are, and the absence of races, follow from what holds at the points where
//!    they are: from the assertions of all threads there, and the invariants.
//!
//! By induction over the steps of a run, no run goes wrong and every property holds in every state.
//! [`crate::contracts::piece`] turns a piece of code into a formula. It shares nothing with the engine but the
//! translation of expressions and edges in `symbolic`: here a run is a sequence of choices, and what
//! holds at a point is a term over them; the engine's formula has a constant for every point.

mod code;
mod located;
mod patterns;
mod piece;
mod terms;

use crate::questions::{must_be_impossible, start};
use crate::{CheckError, refuted};
use code::Code;
use piece::Piece;
use std::sync::Arc;
use terms::Terms;
use threadwise_evidence::ContractsProof;
use threadwise_ir::{Pattern, Program, TemplateId, Violated};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, SolverError};
use threadwise_symbolic::{Population, Unsupported, View, initial_store};

impl From<Unsupported> for CheckError {
    fn from(what: Unsupported) -> CheckError {
        CheckError::Undecided(format!("{} has no translation for the solver", what.what))
    }
}

/// Checks the proof; returns how many pieces of code it took.
pub(crate) fn check(program: &Arc<Program>, proof: &ContractsProof, budget: &Budget) -> Result<u64, CheckError> {
    if proof.threads.len() != program.templates.len() {
        return Err(refuted("the proof has not one contract for each thread"));
    }
    let population = Population::any(program);
    let mut session = start(Settings::default(), budget)?;
    population.declare(&mut session);
    let terms = Terms::new(&population);
    let mut judge = Judge { terms: &terms, session: &mut session };
    judge.contracts_are_reflexive()?;
    judge.guarantees_suffice()?;
    judge.initial_stores_are_good()?;
    let mut pieces = 0;
    let mut codes = Vec::new();
    for (index, contract) in proof.threads.iter().enumerate() {
        budget.report(|| format!("checking the proof: {}", program.templates[index].name));
        let template = TemplateId(index as u32);
        judge.steps_are_covered(template, contract.closure)?;
        let code = Code::new(program, template, contract).map_err(refuted)?;
        for start in code.starts() {
            judge.piece_is_good(template, contract.closure, &code, start)?;
            pieces += 1;
        }
        codes.push(code);
    }
    judge.located_properties_hold(&codes)?;
    Ok(pieces)
}

struct Judge<'a> {
    terms: &'a Terms<'a>,
    session: &'a mut Session,
}

impl Judge<'_> {
    fn place(&self, span: threadwise_source::Span) -> String {
        self.terms.program().source.locate(span)
    }

    fn contracts_are_reflexive(&mut self) -> Result<(), CheckError> {
        let program = self.terms.population.program.clone();
        for contract in program.relies.iter().chain(&program.guarantees) {
            self.session.push();
            let thread = self.session.declare("i", &SmtSort::Int);
            let store = self.terms.store(self.session, "x");
            self.session.assert(&self.terms.is_subject(contract, &thread));
            self.session.assert(&self.terms.sound(&store)?);
            self.session.assert(&self.terms.contract(contract, &thread, &store, &store)?.not());
            let place = self.place(contract.span);
            must_be_impossible(self.session, || {
                format!("the contract at {place} excludes a step that changes nothing")
            })?;
            self.session.pop();
        }
        Ok(())
    }

    fn guarantees_suffice(&mut self) -> Result<(), CheckError> {
        let program = self.terms.population.program.clone();
        for index in 0..program.templates.len() {
            let template = TemplateId(index as u32);
            let given = self.terms.given_guarantees(template);
            if given.is_empty() {
                continue;
            }
            for rely in &program.relies {
                self.session.push();
                let (me, you) = (self.session.declare("me", &SmtSort::Int), self.session.declare("you", &SmtSort::Int));
                let (x, y) = (self.terms.store(self.session, "x"), self.terms.store(self.session, "y"));
                self.session.assert(&self.terms.population.is_copy(&me, template));
                self.session.assert(&self.terms.is_subject(rely, &you).and(me.equals(&you).not()));
                self.session.assert(&self.terms.sound(&x)?.and(&self.terms.sound(&y)?));
                for guarantee in &given {
                    self.session.assert(&self.terms.contract(guarantee, &me, &x, &y)?);
                }
                self.session.assert(&self.terms.contract(rely, &you, &x, &y)?.not());
                let place = self.place(rely.span);
                must_be_impossible(self.session, || format!("the guarantees do not imply the rely at {place}"))?;
                self.session.pop();
            }
        }
        Ok(())
    }

    fn initial_stores_are_good(&mut self) -> Result<(), CheckError> {
        self.session.push();
        let store = self.terms.store(self.session, "x");
        let initial = initial_store(self.terms.population, &store)?;
        let broken = initial.so_far.and(self.terms.invariant(&store)?.not());
        self.session.assert(&initial.goes_wrong().or(broken));
        must_be_impossible(self.session, || "an initial store is in error or violates an invariant".to_string())?;
        self.session.pop();
        Ok(())
    }

    /// One step more than the proof says is never needed.
    fn steps_are_covered(&mut self, template: TemplateId, steps: u32) -> Result<(), CheckError> {
        if !(1..=8).contains(&steps) {
            return Err(refuted("a rely cannot be covered by that many steps"));
        }
        self.session.push();
        let me = self.session.declare("me", &SmtSort::Int);
        self.session.assert(&self.terms.population.is_copy(&me, template));
        let stores: Vec<_> = (0..=steps + 1).map(|k| self.terms.store(self.session, &format!("x{k}"))).collect();
        for pair in stores.windows(2) {
            self.session.assert(&self.terms.rely(template, &me, &pair[0], &pair[1])?);
        }
        for store in &stores {
            self.session.assert(&self.terms.sound(store)?);
        }
        let short = self.terms.steps_between(template, &me, &stores[0], &stores[steps as usize + 1], steps)?;
        self.session.assert(&short.not());
        let name = self.terms.program().template(template).name.clone();
        must_be_impossible(self.session, || format!("the rely of {name} is not covered by {steps} steps in a row"))?;
        self.session.pop();
        Ok(())
    }

    fn piece_is_good(
        &mut self,
        template: TemplateId,
        closure: u32,
        code: &Code,
        start: usize,
    ) -> Result<(), CheckError> {
        self.session.push();
        let mut piece = Piece::new(self.terms, self.session, code, template, closure);
        piece.follow(start)?;
        let bad = std::mem::take(&mut piece.bad);
        let terms: Vec<Term> = bad.iter().map(|(term, _)| term.clone()).collect();
        self.session.push();
        self.session.assert(&Term::any(&terms));
        let answer = match self.session.check() {
            Err(SolverError::Timeout(_)) => Answer::Unknown("it took too long".to_string()),
            answer => answer?,
        };
        if let Answer::Unknown(_) = answer {
            // One by one, each with what has been shown before, is easier.
            self.session.pop();
            for (term, what) in &bad {
                self.session.push();
                self.session.assert(term);
                must_be_impossible(self.session, || format!("it does not exclude that {what}"))?;
                self.session.pop();
                self.session.assert(&term.not());
            }
            self.session.pop();
            return Ok(());
        }
        if answer == Answer::Sat {
            // Not every solver can evaluate a term with quantifiers.
            let values = self.session.values(&terms).unwrap_or_default();
            let first = values.iter().zip(&bad).find(|(value, _)| value.scalar() == Some(1));
            let what = first.map_or_else(|| "something".to_string(), |(_, (_, what))| what.clone());
            return Err(refuted(format!("it does not exclude that {what}")));
        }
        self.session.pop();
        self.session.pop();
        Ok(())
    }

    /// What is left when all threads have been looked at one by one.
    fn located_properties_hold(&mut self, codes: &[Code]) -> Result<(), CheckError> {
        let program = self.terms.population.program.clone();
        for property in &program.properties {
            let place = self.place(property.span);
            self.session.push();
            match &property.violated {
                Violated::When(e, _) if !e.looks_at_threads() => {}
                Violated::When(e, wrong) => {
                    located::say_violated(self.terms, self.session, codes, e, !wrong)?;
                    must_be_impossible(self.session, || {
                        format!("it does not exclude that the property at {place} is violated")
                    })?;
                }
                Violated::By(Pattern::Deadlock | Pattern::LockCycle) => {
                    return Err(refuted(format!(
                        "contracts say nothing of threads that wait, which {place} asks about"
                    )));
                }
                Violated::By(Pattern::Signs(signs)) => {
                    for group in patterns::groups(self.terms, codes, signs) {
                        self.session.push();
                        patterns::say_all(self.terms, self.session, codes, signs, &group)?;
                        must_be_impossible(self.session, || format!("it does not exclude the race at {place}"))?;
                        self.session.pop();
                    }
                }
            }
            self.session.pop();
        }
        Ok(())
    }
}

/// The view of a thread's own code at a point; inside a step primed variables are those at its start.
fn assertion_view<'a>(terms: &Terms<'a>, me: &Term, run: &'a piece::Run) -> View<'a> {
    let locals = run.frames.last().expect("there is the thread's own frame");
    View::of_thread(terms.population, me, &run.shared, locals).with_after(&run.start, locals)
}
