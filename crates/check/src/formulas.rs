//! Judges proofs by formulas at points.
//!
//! A proof says for each thread, or for any copy of a template, what holds at points of its code (R), and bounds what the
//! others' steps may do (E). In between there may be points of which nothing is said. The judge believes it if all
//! of this holds, whichever thread is looked at:
//!
//! 1. Initial values are not in error, and initial stores satisfy the invariants: the properties that speak of shared
//!    variables only. No thread goes wrong at its start, and what is said of the point where it comes to rest holds.
//! 2. Each thread's code, cut at the points of which R is said, falls into pieces without cycles. From a start, or from a cut
//!    where R and the invariants hold, up to the next cuts: nothing goes wrong, every step keeps the invariants, and
//!    what is said of a point holds there.
//! 3. Where the thread rests at a point of which nothing is said, the others move, as E says. So many steps of E as the
//!    proof says cover any number; E admits the step that changes nothing. What is said of a point where it rests holds
//!    after such steps too. Or the proof says 0: then the thread rests nowhere else than where R is said, and every
//!    step of E leaves R true.
//! 4. Every step of a thread that others can see is in the E of every other thread; or it is in the thread's guarantee, and
//!    that is in the E of every other thread. Where a thread has no E, each step of each other one leaves true what
//!    is said of it.
//! 5. Properties that say where threads are, races and deadlocks are excluded by what holds at the points where the threads
//!    are, and by the invariants.
//!
//! By induction over the steps of a run, no run goes wrong and every property holds in every state: what is said of each
//! thread holds where it is, since its own steps lead to where it is said (2), and a step of another one is
//! among those that it was asked about (3, 4).
//!
//! Owicki and Gries' proofs say something everywhere and have no E. THREADER's (figure 5) say something everywhere and have E;
//! 1 to 5 are then its CS1 to CS5. CALVIN's say something of loops, and E is the program's rely.
//! Where the parts are about single threads, formulas may speak of the others' control and locals; these are then a part
//! of what others see, and 2 may use that everybody is at a point where what is said of it holds.

mod book;
mod code;
mod crowd;
mod environment;
mod piece;
mod properties;
mod waiting;

use crate::questions::{must_be_impossible, start};
use crate::{CheckError, refuted};
use book::Book;
use piece::{Piece, new_choices};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Duration;
use threadwise_evidence::{FormulaProof, Scope};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings, SolverError};
use threadwise_symbolic::{End, Population, Unsupported, by_constants, initial_store, starts};

/// The most time that a question about single threads may take.
const PATIENCE: Duration = Duration::from_secs(60);

impl From<Unsupported> for CheckError {
    fn from(what: Unsupported) -> CheckError {
        CheckError::Undecided(format!("{} has no translation for the solver", what.what))
    }
}

/// Checks the five points; returns how many formulas it took, or pieces of code where not all of it has some.
pub(crate) fn check(program: &Arc<Program>, proof: &FormulaProof, budget: &Budget) -> Result<u64, CheckError> {
    proof.validate(program).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let (population, settings) = match proof.scope {
        Scope::Templates => (Population::any(program), Settings::default()),
        Scope::Threads | Scope::ThreadsAlone => {
            let population = Population::unrolled(&Instance::new(program.clone(), 0));
            (population, Settings { timeout: PATIENCE, ..Settings::default() })
        }
    };
    let book = Book::read(&population, proof)?;
    let mut session = start(settings, budget)?;
    population.declare(&mut session);
    let mut judge = Judge { book: &book, session: &mut session };
    judge.environments_are_good()?;
    judge.initial_stores_are_good()?;
    for part in 0..book.parts.len() {
        budget.report(|| format!("checking the proof: {}", book.parts[part].name));
        judge.starts_are_good(part)?;
        for cut in book.parts[part].code.cuts() {
            budget.check()?;
            judge.survives(part, cut)?;
            judge.piece_from_cut(part, cut)?;
        }
    }
    judge.properties_hold()?;
    Ok(book.parts.iter().map(|part| part.size()).sum())
}

struct Judge<'a> {
    book: &'a Book<'a>,
    session: &'a mut Session,
}

impl Judge<'_> {
    fn initial_stores_are_good(&mut self) -> Result<(), CheckError> {
        self.session.push();
        let store = self.book.store(self.session, "x");
        let initial = initial_store(self.book.population, &store)?;
        let broken = initial.so_far.and(self.book.invariant(&store)?.not());
        self.session.assert(&initial.goes_wrong().or(broken));
        must_be_impossible(self.session, || "an initial store is in error or violates an invariant".to_string())?;
        self.session.pop();
        Ok(())
    }

    /// The start of a thread, up to the first cuts.
    fn starts_are_good(&mut self, part: usize) -> Result<(), CheckError> {
        if self.book.has_nobody(part) {
            return Ok(());
        }
        self.session.push();
        let mut piece = Piece::new(self.book, self.session, part);
        let (shared, initial) = piece.initial_store()?;
        let mut choose = by_constants(self.book.population, "start");
        let (me, template) = (piece.me.clone(), self.book.parts[part].template);
        let ways = starts(self.book.population, &me, template, &shared, &mut choose)?;
        let mut declared = FxHashSet::default();
        for way in ways {
            piece.session.declare_all(&new_choices(&way, &mut declared));
            match way.end {
                End::Error => {
                    let when = initial.and(&way.when);
                    piece.bad.push((when, "a declaration at the start of a thread goes wrong".to_string()));
                }
                End::Rest(state) => {
                    // That the others can start is known only once nothing goes wrong at their starts, so it is no
                    // assumption of the case before.
                    let others = piece.others_are_at_their_starts(&shared)?;
                    piece.follow_start(Term::all([&initial, &way.when, &others]), state)?;
                }
            }
        }
        let bad = std::mem::take(&mut piece.bad);
        self.all_are_impossible(&bad, None)?;
        self.session.pop();
        Ok(())
    }

    fn piece_from_cut(&mut self, part: usize, cut: usize) -> Result<(), CheckError> {
        self.session.push();
        let mut piece = Piece::new(self.book, self.session, part);
        let run = piece.leave_cut(cut)?;
        let everyone = self.book.everyone_else(part, &run.shared, &piece.before(&run))?;
        match self.book.parts[part].code.is_cut_everywhere() {
            true => piece.follow_steps(cut, &run)?,
            false => piece.follow(cut, run)?,
        }
        let bad = std::mem::take(&mut piece.bad);
        self.all_are_impossible(&bad, everyone)?;
        self.session.pop();
        Ok(())
    }

    /// None of it can happen: as it is, or else where this is known besides.
    fn all_are_impossible(&mut self, bad: &[(Term, String)], known: Option<Term>) -> Result<(), CheckError> {
        let terms: Vec<Term> = bad.iter().map(|(term, _)| term.clone()).collect();
        let any = Term::any(&terms);
        if any.is_false() {
            return Ok(());
        }
        self.session.push();
        self.session.assert(&any);
        let mut answer = self.patiently()?;
        if let (true, Some(known)) = (answer != Answer::Unsat, &known) {
            self.session.assert(known);
            answer = self.patiently()?;
        }
        match answer {
            Answer::Unsat => {}
            Answer::Sat => {
                // Not every solver can evaluate a term with quantifiers.
                let values = self.session.values(&terms).unwrap_or_default();
                let first = values.iter().zip(bad).find(|(value, _)| value.scalar() == Some(1));
                let what = first.map_or_else(|| "something".to_string(), |(_, (_, what))| what.clone());
                return Err(refuted(format!("it does not exclude that {what}")));
            }
            Answer::Unknown(_) => {
                // One by one, each with what has been shown before, is easier.
                self.session.pop();
                self.session.push();
                known.iter().for_each(|known| self.session.assert(known));
                for (term, what) in bad {
                    self.session.push();
                    self.session.assert(term);
                    must_be_impossible(self.session, || format!("it does not exclude that {what}"))?;
                    self.session.pop();
                    self.session.assert(&term.not());
                }
            }
        }
        self.session.pop();
        Ok(())
    }

    /// What takes too long is not known.
    fn patiently(&mut self) -> Result<Answer, CheckError> {
        match self.session.check() {
            Err(SolverError::Timeout(_)) => Ok(Answer::Unknown("it took too long".to_string())),
            answer => Ok(answer?),
        }
    }
}
