//! What holds after a step of the thread itself.

use crate::facts::{SetId, Sets};
use crate::model::Model;
use crate::read::{Reading, Said, Term, Write, Written};
use threadwise_evidence::{ENDED, Element, Fact, RUNS};
use threadwise_ir::{Copies, EdgeId, LocalId, Location, Program, SharedId, TemplateId, VarRef};

/// The facts after the command on an edge.
pub(crate) fn after(model: &Model<'_>, sets: &mut Sets, before: SetId, id: EdgeId) -> SetId {
    let to = model.program.location(model.program.edge(id).to);
    let step = Step { model, reading: &model.readings[id.index()], to };
    if step.reading.said.is_empty() && step.reading.writes.is_empty() {
        return sets.filter(before, |fact| step.survives(fact));
    }
    let facts = sets.get(before).to_vec();
    let mut after: Vec<Fact> = facts.iter().filter_map(|fact| step.kept(fact)).collect();
    after.extend(step.found());
    after.retain(|fact| step.survives(fact));
    // Where nobody runs, that says it all.
    let nobody: Vec<TemplateId> = after.iter().filter_map(nobody_of).collect();
    after.retain(|fact| !matches!(fact, Fact::Running(of, among) if !among.is_empty() && nobody.contains(of)));
    sets.number(after)
}

struct Step<'a> {
    model: &'a Model<'a>,
    reading: &'a Reading,
    to: &'a Location,
}

impl Step<'_> {
    /// Whether a fact can be said where the step leads.
    fn survives(&self, fact: &Fact) -> bool {
        let is_said_there = self.to.transient || !matches!(fact, Fact::Free(_));
        is_said_there && !fact.locals().any(|local| self.to.dead.contains(&local))
    }

    fn writes_local(&self, local: LocalId) -> bool {
        self.reading.writes.iter().any(|write| write.var == VarRef::Local(local))
    }

    fn moves_key(&self, element: &Element) -> bool {
        let keys = Element { var: VarRef::Shared(SharedId(0)), keys: element.keys.clone() };
        keys.locals().any(|local| self.writes_local(local))
    }

    fn may_change(&self, element: &Element) -> bool {
        self.moves_key(element) || self.reading.writes.iter().any(|write| write.may_be(element))
    }

    fn status_writes(&self) -> impl Iterator<Item = &Write> {
        self.reading.writes.iter().filter(|write| self.model.is_status_write(write))
    }

    /// What is left of a fact.
    fn kept(&self, fact: &Fact) -> Option<Fact> {
        let stays = match fact {
            Fact::Holds(lock) => {
                let gives_back = |write: &Write| write.may_be(lock) && write.is(0);
                !self.moves_key(lock) && !self.reading.writes.iter().any(gives_back)
            }
            Fact::Reads(readers) => {
                let leaves = |write: &Write| write.may_be(readers) && write.what != Written::Joins;
                !self.moves_key(readers) && !self.reading.writes.iter().any(leaves)
            }
            Fact::Free(element) | Fact::Names(element, _) => !self.may_change(element),
            Fact::Runs => self.status_writes().all(|write| write.is(RUNS)),
            Fact::Running(template, among) => return self.still_running(*template, among),
            Fact::Started(template, most) => return self.started_since(*template, *most),
            Fact::Untouched(var) => {
                let initial = crate::read::initial(self.model.program, *var);
                let mut written = self.reading.writes.iter().filter(|write| write.var == VarRef::Shared(*var));
                written.all(|write| initial.is_some_and(|initial| write.is(initial)))
            }
            Fact::Touched(_) => true,
        };
        stays.then(|| fact.clone())
    }

    /// Whether a copy of the template may be started.
    fn starts(&self, template: TemplateId) -> bool {
        started(self.model, self.reading).is_some_and(|started| started.is_none_or(|started| started == template))
    }

    fn ended(&self, thread: &Term) -> bool {
        let status = |status| self.reading.says(&Said::Status(status, thread.clone(), ENDED));
        self.model.status.is_some_and(status)
    }

    fn still_running(&self, template: TemplateId, among: &[Element]) -> Option<Fact> {
        let mut still: Vec<Element> =
            among.iter().filter(|element| !self.ended(&Term::Of((*element).clone()))).cloned().collect();
        if still.iter().any(|element| self.may_change(element)) {
            return None;
        }
        if self.starts(template) {
            still.push(self.name_of_started()?);
            still.sort_unstable();
        }
        Some(Fact::Running(template, still))
    }

    fn started_since(&self, template: TemplateId, most: u32) -> Option<Fact> {
        let starts = self.starts(template);
        if starts && copies(self.model.program, template) == u32::MAX {
            // Of any number there is always one left, and nobody counts for ever.
            return None;
        }
        let most = most + u32::from(starts);
        (most <= copies(self.model.program, template)).then_some(Fact::Started(template, most))
    }

    /// The variable that gets the identity of the thread that is started.
    fn name_of_started(&self) -> Option<Element> {
        let thread = self.status_writes().find(|write| write.is(RUNS))?.index.clone()?;
        let named = self.reading.writes.iter().filter(|write| write.what == Written::Value(thread.clone()));
        let mut elements = named.filter_map(|write| write.element.clone());
        elements.find(|element| self.reading.only_write(element).is_some() && !self.moves_key(element))
    }

    /// What the step finds out or brings about.
    fn found(&self) -> Vec<Fact> {
        let mut found = Vec::new();
        for said in &self.reading.said {
            match said {
                Said::Zero(element) if !self.may_change(element) && self.to.transient => {
                    found.push(Fact::Free(element.clone()));
                }
                Said::Mine(lock) if self.model.is_lock(lock) == Some(true) && !self.may_change(lock) => {
                    found.push(Fact::Holds(lock.clone()));
                }
                Said::HasMe(readers) if self.model.is_set_of_readers(readers) && !self.may_change(readers) => {
                    found.push(Fact::Reads(readers.clone()));
                }
                Said::Status(status, Term::Me, RUNS) if self.model.status == Some(*status) => {
                    found.extend(self.status_writes().all(|write| write.is(RUNS)).then_some(Fact::Runs));
                }
                Said::Status(status, Term::Thread(template), ENDED) if self.model.status == Some(*status) => {
                    let is_single = self.model.program.template(*template).copies == Copies::Single;
                    let none = Fact::Running(*template, Vec::new());
                    found.extend((is_single && !self.starts(*template)).then_some(none));
                }
                Said::NoCopy(status, template, RUNS) if self.model.status == Some(*status) => {
                    found.extend((!self.starts(*template)).then_some(Fact::Running(*template, Vec::new())));
                }
                Said::Copy(thread, template) => self.copies(thread, *template, &mut found),
                Said::Other(var) if self.model.flags.contains(var) => found.push(Fact::Touched(*var)),
                _ => {}
            }
        }
        let taken = self.reading.writes.iter().filter_map(|write| self.taken(write));
        found.extend(taken);
        found
    }

    /// The variables that name a copy of the template, known to be the value of something.
    fn copies(&self, thread: &Term, template: TemplateId, found: &mut Vec<Fact>) {
        if let Term::Of(element) = thread
            && !self.may_change(element)
        {
            found.push(Fact::Names(element.clone(), template));
        }
        for write in self.reading.writes.iter().filter(|write| write.what == Written::Value(thread.clone())) {
            if let Some(element) = &write.element
                && self.reading.only_write(element).is_some()
                && !self.moves_key(element)
            {
                found.push(Fact::Names(element.clone(), template));
            }
        }
    }

    fn taken(&self, write: &Write) -> Option<Fact> {
        let element = write.element.as_ref().filter(|e| self.reading.only_write(e).is_some() && !self.moves_key(e))?;
        match &write.what {
            Written::Value(Term::Me) => self.model.is_lock(element).map(|_| Fact::Holds(element.clone())),
            Written::Value(Term::Number(word)) if *word != 0 => {
                self.model.is_lock(element).map(|_| Fact::Holds(element.clone()))
            }
            Written::Joins if self.model.is_set_of_readers(element) => Some(Fact::Reads(element.clone())),
            _ => None,
        }
    }
}

/// The template of which no copy runs.
fn nobody_of(fact: &Fact) -> Option<TemplateId> {
    match fact {
        Fact::Running(of, among) if among.is_empty() => Some(*of),
        _ => None,
    }
}

/// Whether somebody is started: a copy of a template, or nobody knows of which.
pub(crate) fn started(model: &Model<'_>, reading: &Reading) -> Option<Option<TemplateId>> {
    let write = reading.writes.iter().find(|write| model.is_status_write(write) && write.is(RUNS))?;
    let copies = reading.said.iter().filter_map(|said| match said {
        Said::Copy(thread, template) if write.index.as_ref() == Some(thread) => Some(*template),
        _ => None,
    });
    Some(copies.min())
}

/// How many copies of a template there are at most.
pub(crate) fn copies(program: &Program, template: TemplateId) -> u32 {
    match program.template(template).copies {
        Copies::Single => 1,
        Copies::Exactly(copies) => copies,
        Copies::Any => u32::MAX,
    }
}
