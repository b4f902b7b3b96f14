//! Proofs that nothing races, from which locks are held and from who runs: data, and whether it fits a program.

use crate::FileError;
use threadwise_ir::{EdgeId, LocalId, Op, Program, Routine, RoutineId, SharedId, Sort, TemplateId, VarRef};

/// What holds where threads are, without values: which locks they hold, and which threads run meanwhile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProtectionProof {
    /// It is about the program's outline.
    pub is_of_outline: bool,
    /// The locks that are only ever taken where they are free, and given back by who has them.
    pub locks: Vec<Lock>,
    /// The array that tells of each thread whether it runs: [`RUNS`] where it does.
    pub status: Option<SharedId>,
    /// Sets of facts, each sorted, that others refer to by number.
    pub sets: Vec<Vec<Fact>>,
    /// For each template its code, its own routine first; nothing for one without copies.
    pub threads: Vec<Vec<CodeFacts>>,
}

/// The status of a thread that was started and has not ended.
pub const RUNS: i64 = 1;

/// The status of a thread that has ended.
pub const ENDED: i64 = 2;

/// A lock, or an array of locks. It is free where it is zero: `none`, `false` or 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Lock {
    /// Who has it, where that is a `tid`; else whether somebody has it.
    pub owner: SharedId,
    /// The set of those who read, if it is a lock for readers and writers.
    pub readers: Option<SharedId>,
}

/// What holds in a routine while a thread runs it for certain callers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeFacts {
    pub routine: RoutineId,
    /// For each location of the routine the number of a set; nothing where control does not come.
    pub at: Vec<Option<u32>>,
    /// For each location the set of what held where the step began that goes through there.
    pub since: Vec<Option<u32>>,
    /// For each call in it, sorted, which code of the thread runs meanwhile.
    pub calls: Vec<(EdgeId, u32)>,
    /// What holds when it returns; nothing where it does not.
    pub returns: Option<u32>,
}

/// Something that holds of a thread where it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fact {
    /// The thread has taken the lock and has not given it back.
    Holds(Element),
    /// It is among the readers of the lock; the set of readers is named.
    Reads(Element),
    /// The lock is free. Inside of a step only, where nobody else can take it.
    Free(Element),
    /// The thread itself runs, by its status.
    Runs,
    /// All copies of the template that run are the values of these variables.
    Running(TemplateId, Vec<Element>),
    /// At most so many copies of the template have ever been started.
    Started(TemplateId, u32),
    /// The value of the variable is a copy of the template.
    Names(Element, TemplateId),
    /// The variable has had its initial value up to now.
    Untouched(SharedId),
    /// The variable has once had another value than its initial one.
    Touched(SharedId),
}

/// A variable, or an element of an array.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Element {
    pub var: VarRef,
    /// Outermost first.
    pub keys: Vec<Key>,
}

/// A key that can be told from the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    /// The word of a constant.
    Number(i64),
    /// The value of a local variable.
    Local(LocalId),
    /// The running thread.
    Me,
    /// A thread that is not replicated.
    Thread(TemplateId),
}

impl Element {
    /// A shared variable as a whole.
    pub fn shared(var: SharedId) -> Element {
        Element { var: VarRef::Shared(var), keys: Vec::new() }
    }

    /// The locals that it depends on.
    pub fn locals(&self) -> impl Iterator<Item = LocalId> + '_ {
        let own = match self.var {
            VarRef::Local(local) => Some(local),
            VarRef::Shared(_) => None,
        };
        let keys = self.keys.iter().filter_map(|key| match key {
            Key::Local(local) => Some(*local),
            Key::Number(_) | Key::Me | Key::Thread(_) => None,
        });
        own.into_iter().chain(keys)
    }
}

impl Fact {
    /// The variables and elements that it speaks of.
    pub fn elements(&self) -> &[Element] {
        match self {
            Fact::Holds(element) | Fact::Reads(element) | Fact::Free(element) | Fact::Names(element, _) => {
                std::slice::from_ref(element)
            }
            Fact::Running(_, elements) => elements,
            Fact::Runs | Fact::Started(..) | Fact::Untouched(_) | Fact::Touched(_) => &[],
        }
    }

    /// The locals that it depends on.
    pub fn locals(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.elements().iter().flat_map(Element::locals)
    }
}

impl ProtectionProof {
    /// The program that it speaks of, which is another one where it is about an outline.
    pub fn subject<'a>(&self, program: &'a Program) -> Option<&'a Program> {
        if self.is_of_outline { program.outline.as_deref() } else { Some(program) }
    }

    /// How many points it speaks of.
    pub fn points(&self) -> u64 {
        self.threads.iter().flatten().map(|code| code.at.iter().flatten().count() as u64).sum()
    }

    /// Whether the proof fits the program: everything that it names is there. It says nothing about whether that is true.
    pub fn validate(&self, program: &Program) -> Result<(), FileError> {
        let Some(program) = self.subject(program) else { return Err(FileError::new("the program has no outline")) };
        let is_shared = |id: &SharedId| id.index() < program.shared.len();
        let mut variables = self.locks.iter().flat_map(|lock| [Some(lock.owner), lock.readers]).flatten();
        require(variables.all(|id| is_shared(&id)), "there is no such lock", "locks")?;
        require(self.status.iter().all(is_shared), "there is no such variable", "status")?;
        require(self.threads.len() == program.templates.len(), "it has not one entry for each thread", "threads")?;
        for (template, codes) in self.threads.iter().enumerate() {
            let body = program.templates[template].body;
            require(codes.first().is_none_or(|code| code.routine == body), "it begins with other code", "threads")?;
            for code in codes {
                self.validate_code(program, codes, code)?;
            }
        }
        Ok(())
    }

    fn validate_code(&self, program: &Program, codes: &[CodeFacts], code: &CodeFacts) -> Result<(), FileError> {
        let routine = program.routines.get(code.routine.index());
        let routine = routine.ok_or_else(|| FileError::new("there is no such routine").within("threads"))?;
        let locations = routine.locations.len();
        require(code.at.len() == locations, "it has not one entry for each location", "at")?;
        require(code.since.len() == locations, "it has not one entry for each location", "since")?;
        for set in code.at.iter().chain(&code.since).chain([&code.returns]).flatten() {
            let facts = self.sets.get(*set as usize);
            let facts = facts.ok_or_else(|| FileError::new("there is no such set of facts").within("threads"))?;
            require(facts.is_sorted_by(|a, b| a < b), "the facts are not sorted", "sets")?;
            facts.iter().try_for_each(|fact| validate_fact(program, routine, fact).map_err(|e| e.within("sets")))?;
        }
        require(code.calls.is_sorted_by(|a, b| a.0 < b.0), "the calls are not sorted", "calls")?;
        for &(edge, callee) in &code.calls {
            let edge =
                program.edges.get(edge.index()).filter(|edge| program.location(edge.from).routine == code.routine);
            let called = codes.get(callee as usize).map(|code| code.routine);
            let fits = edge.is_some_and(|e| matches!(e.op, Op::Call { routine, .. } if Some(routine) == called));
            require(fits, "there is no such call", "calls")?;
        }
        Ok(())
    }
}

fn validate_fact(program: &Program, routine: &Routine, fact: &Fact) -> Result<(), FileError> {
    let is_template = |id: &TemplateId| id.index() < program.templates.len();
    let is_variable = |id: &SharedId| id.index() < program.shared.len();
    let fits = match fact {
        Fact::Running(template, _) | Fact::Started(template, _) | Fact::Names(_, template) => is_template(template),
        Fact::Untouched(var) | Fact::Touched(var) => is_variable(var),
        Fact::Holds(_) | Fact::Reads(_) | Fact::Free(_) | Fact::Runs => true,
    };
    let fits = fits && fact.elements().iter().all(|element| element_fits(program, routine, element));
    require(fits, "a fact names what is not there", "facts")
}

/// Whether the variable and its keys are there, and there are not more keys than the variable takes.
fn element_fits(program: &Program, routine: &Routine, element: &Element) -> bool {
    let sort = match element.var {
        VarRef::Shared(id) => program.shared.get(id.index()).map(|var| &var.sort),
        VarRef::Local(id) => routine.locals.get(id.index()).map(|var| &var.sort),
    };
    let Some(mut sort) = sort else { return false };
    for key in &element.keys {
        let Sort::Array(_, inner) = sort else { return false };
        let is_there = match key {
            Key::Number(_) | Key::Me => true,
            Key::Local(id) => id.index() < routine.locals.len(),
            Key::Thread(id) => id.index() < program.templates.len(),
        };
        if !is_there {
            return false;
        }
        sort = inner;
    }
    true
}

fn require(condition: bool, wrong: &str, field: &str) -> Result<(), FileError> {
    if condition { Ok(()) } else { Err(FileError::new(wrong).within(field)) }
}
