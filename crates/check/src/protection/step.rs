//! Which facts hold after a step of the thread itself.

use super::text::{Known, Term, Write, writes};
use super::{Judge, find_running, find_started};
use threadwise_evidence::{ENDED, Element, Fact, RUNS};
use threadwise_ir::{BinaryOp, Command, Copies, Expr, ExprKind, LocalId, Location, SharedId, Sort, TemplateId, VarRef};

/// A command that goes on, and what holds before it.
pub(super) struct Step<'a> {
    judge: &'a Judge<'a>,
    before: &'a [Fact],
    pub(super) known: Known<'a>,
    pub(super) writes: Vec<Write<'a>>,
    to: &'a Location,
}

/// Who is started by a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Started {
    /// A copy of this one.
    Copy(TemplateId),
    /// Nobody knows.
    Somebody,
}

impl<'a> Step<'a> {
    pub(super) fn new(judge: &'a Judge<'a>, before: &'a [Fact], command: &'a Command, to: &'a Location) -> Step<'a> {
        Step { judge, before, known: Known::by(command), writes: writes(command), to }
    }

    fn had(&self, fact: &Fact) -> bool {
        self.before.binary_search(fact).is_ok()
    }

    fn writes_local(&self, local: LocalId) -> bool {
        self.writes.iter().any(|write| write.var == VarRef::Local(local))
    }

    /// Whether the step may change which element is meant.
    fn moves_key(&self, element: &Element) -> bool {
        let of_keys = Element { var: VarRef::Shared(SharedId(0)), keys: element.keys.clone() };
        of_keys.locals().any(|local| self.writes_local(local))
    }

    /// Whether the step may change the value of an element, or which element is meant.
    fn may_change(&self, element: &Element) -> bool {
        self.moves_key(element) || self.writes.iter().any(|write| write.may_be(element))
    }

    /// The one write to a variable, if it is of just this element.
    fn only_write(&self, element: &Element) -> Option<&Write<'a>> {
        let mut all = self.writes.iter().filter(|write| write.var == element.var);
        let first = all.next().filter(|write| write.element.as_ref() == Some(element))?;
        all.next().is_none().then_some(first)
    }

    pub(super) fn holds_after(&self, fact: &Fact) -> bool {
        if fact.locals().any(|local| self.to.dead.contains(&local)) {
            return false;
        }
        match fact {
            Fact::Holds(lock) => self.holds_lock(fact, lock),
            Fact::Reads(readers) => self.is_reader(fact, readers),
            Fact::Free(element) => {
                self.to.transient && (self.had(fact) || self.known.is_zero(element)) && !self.may_change(element)
            }
            Fact::Runs => self.runs(),
            Fact::Running(template, among) => self.running(*template, among),
            Fact::Started(template, most) => {
                let before = find_started(self.before, *template);
                before.is_some_and(|before| before.saturating_add(u32::from(self.starts(*template))) <= *most)
            }
            Fact::Names(element, template) => {
                let stays = self.had(fact) || self.known.is_copy(&Term::Of(element.clone()), *template);
                stays && !self.may_change(element) || self.gets_copy(element, *template)
            }
            Fact::Untouched(var) => {
                let initial = self.judge.initial(*var);
                let mut written = self.writes.iter().filter(|write| write.var == VarRef::Shared(*var));
                self.had(fact) && initial.is_some() && written.all(|write| write.constant() == initial)
            }
            Fact::Touched(var) => {
                let other = |initial| self.known.is_other(*var, initial);
                self.had(fact) || self.judge.initial(*var).is_some_and(other)
            }
        }
    }

    /// The step takes the lock, or finds out that the thread has it; or the thread had it and does not give it back.
    /// That it is taken only where it is free is seen to elsewhere.
    fn holds_lock(&self, fact: &Fact, lock: &Element) -> bool {
        let Some(of_threads) = self.judge.is_lock(lock) else { return false };
        let takes =
            self.only_write(lock).is_some_and(|write| write.is_me() || write.constant().is_some_and(|c| c != 0));
        let finds_out = of_threads && self.known.is_me(lock) && !self.may_change(lock);
        let gives_back = |write: &Write<'_>| write.may_be(lock) && write.constant() == Some(0);
        let keeps = self.had(fact) && !self.writes.iter().any(gives_back);
        finds_out || (takes || keeps) && !self.moves_key(lock)
    }

    fn is_reader(&self, fact: &Fact, readers: &Element) -> bool {
        if !self.judge.is_set_of_readers(readers) {
            return false;
        }
        let joins = self.only_write(readers).is_some_and(|write| adds_me(write, readers));
        let finds_out = self.known.has_me(readers) && !self.may_change(readers);
        let leaves = |write: &Write<'_>| write.may_be(readers) && !write.element.iter().any(|own| adds_me(write, own));
        let keeps = self.had(fact) && !self.writes.iter().any(leaves);
        finds_out || (joins || keeps) && !self.moves_key(readers)
    }

    fn status_writes(&self) -> impl Iterator<Item = &Write<'a>> {
        let status = self.judge.proof.status.map(VarRef::Shared);
        self.writes.iter().filter(move |write| Some(write.var) == status)
    }

    /// The thread is among those that run, and does not end itself.
    fn runs(&self) -> bool {
        let Some(status) = self.judge.proof.status else { return false };
        let was_started = self.known.with_status(status, RUNS).contains(&Term::Me);
        (was_started || self.had(&Fact::Runs)) && self.status_writes().all(|write| write.constant() == Some(RUNS))
    }

    /// Whom the step starts, if anybody.
    pub(super) fn started(&self) -> Option<Started> {
        let mut starts = self.status_writes().filter(|write| write.constant() == Some(RUNS));
        let thread = Term::of(starts.next()?.index?);
        let copies = (0..self.judge.program.templates.len() as u32).map(TemplateId);
        let known = thread.and_then(|thread| copies.clone().find(|&t| self.known.is_copy(&thread, t)));
        Some(known.map_or(Started::Somebody, Started::Copy))
    }

    fn starts(&self, template: TemplateId) -> bool {
        self.started().is_some_and(|started| started == Started::Somebody || started == Started::Copy(template))
    }

    /// A variable gets the identity of the thread that is known to be a copy of the template.
    fn gets_copy(&self, element: &Element, template: TemplateId) -> bool {
        let value = self.only_write(element).and_then(|write| Term::of(write.value?));
        value.is_some_and(|value| self.known.is_copy(&value, template)) && !self.moves_key(element)
    }

    /// Of those who ran before, whoever is known to have ended does not run any more. Whoever is started is named by a
    /// variable that named nobody of them.
    fn running(&self, template: TemplateId, among: &[Element]) -> bool {
        let Some(status) = self.judge.proof.status else { return false };
        let ended = self.known.with_status(status, ENDED);
        let is_single = self.judge.program.template(template).copies == Copies::Single;
        let starts = self.starts(template);
        if is_single && ended.contains(&Term::Thread(template)) && !starts {
            return true;
        }
        if self.known.says_that_no_copy_has(template, status, RUNS) && !starts {
            return true;
        }
        let Some(before) = find_running(self.before, template) else { return false };
        let mut still = before.iter().filter(|element| !ended.contains(&Term::Of((*element).clone())));
        if !still.all(|element| !self.may_change(element) && among.contains(element)) {
            return false;
        }
        !starts || among.iter().any(|element| self.gets_started(element))
    }

    /// A variable gets the identity of the thread that is started.
    fn gets_started(&self, element: &Element) -> bool {
        let mut starts = self.status_writes().filter(|write| write.constant() == Some(RUNS));
        let thread = starts.next().and_then(|write| Term::of(write.index?));
        let value = self.only_write(element).and_then(|write| Term::of(write.value?));
        thread.is_some() && thread == value && !self.moves_key(element)
    }
}

/// `readers = readers union {self}`
pub(super) fn adds_me(write: &Write<'_>, readers: &Element) -> bool {
    is_with_me(write.value, BinaryOp::Union, readers)
}

/// `readers = readers minus {self}`
pub(super) fn takes_me_out(write: &Write<'_>, readers: &Element) -> bool {
    is_with_me(write.value, BinaryOp::Minus, readers)
}

fn is_with_me(value: Option<&Expr>, op: BinaryOp, readers: &Element) -> bool {
    let is_own = |e: &Expr| match &e.kind {
        ExprKind::SetLiteral(elements) => matches!(&**elements, [one] if matches!(one.kind, ExprKind::SelfThread)),
        _ => false,
    };
    match value.map(|e| &e.kind) {
        Some(ExprKind::Binary(said, a, b)) => {
            *said == op && super::text::element(a).as_ref() == Some(readers) && is_own(b)
        }
        _ => false,
    }
}

/// The sort of an element.
pub(super) fn sort_of(mut sort: &Sort, keys: usize) -> Option<&Sort> {
    for _ in 0..keys {
        let Sort::Array(_, inner) = sort else { return None };
        sort = inner;
    }
    Some(sort)
}
