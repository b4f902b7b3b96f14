//! What a proof says, read.

use super::code::Code;
use super::crowd::Figure;
use crate::predicate::Predicate;
use crate::{CheckError, refuted};
use threadwise_evidence::{FormulaProof, Scope, ThreadFormulas};
use threadwise_ir::{Copies, Point, Program, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{Frame, Parameters, Population, Unsupported, Value, View};

pub(crate) struct Book<'a> {
    pub(crate) population: &'a Population,
    scope: Scope,
    pub(crate) parts: Vec<Part>,
}

/// What is said of a thread, or of any copy of a template.
pub(crate) struct Part {
    pub(crate) template: TemplateId,
    /// Who it is, if it is about one thread.
    pub(crate) thread: Option<Term>,
    pub(crate) name: String,
    pub(crate) code: Code,
    /// All frames that the thread can have.
    pub(crate) frames: Vec<Frame>,
    pub(crate) closure: u32,
    pub(crate) environment: Option<Predicate>,
    pub(crate) guarantee: Option<Predicate>,
}

impl Part {
    /// How many formulas are said of points; or how many pieces the code falls into, where something is said of some only.
    pub(crate) fn size(&self) -> u64 {
        let cuts = self.code.cuts();
        let start = u64::from(self.closure > 0 && !cuts.contains(&0));
        cuts.len() as u64 + start
    }
}

/// A state of the part's thread, with what its formulas speak of.
pub(crate) struct Scene<'s> {
    pub(crate) me: &'s Term,
    pub(crate) shared: &'s [Value],
    /// The shared store at the start of the step that is under way.
    pub(crate) start: &'s [Value],
    pub(crate) point: &'s Point,
    pub(crate) frames: &'s [Vec<Value>],
    /// All threads, if formulas may speak of them.
    pub(crate) world: &'s [Figure],
}

impl<'a> Book<'a> {
    pub(crate) fn read(population: &'a Population, proof: &FormulaProof) -> Result<Book<'a>, CheckError> {
        let program = &population.program;
        let mut book = Book { population, scope: proof.scope, parts: Vec::new() };
        for (index, template) in proof.templates(program).into_iter().enumerate() {
            let formulas = &proof.parts[index];
            let number = Term::int(index as i64 + 1);
            let (thread, name) = match proof.scope {
                Scope::Templates => (None, program.template(template).name.to_string()),
                Scope::Threads | Scope::ThreadsAlone => (Some(number), population.thread_name(index as i64 + 1)),
            };
            let code = Code::new(program, template, formulas).map_err(refuted)?;
            let frames = Frame::all(program, program.template(template).body)?;
            let (environment, guarantee) = (None, None);
            let closure = formulas.closure;
            let part = Part { template, thread, name, code, frames, closure, environment, guarantee };
            book.parts.push(part);
        }
        for (index, formulas) in proof.parts.iter().enumerate() {
            book.read_points(index, formulas)?;
            book.read_bounds(index, formulas)?;
        }
        Ok(book)
    }

    /// Whether the parts are about single threads.
    pub(crate) fn is_of_threads(&self) -> bool {
        self.scope != Scope::Templates
    }

    /// Whether a step that changes no shared variable matters to others.
    pub(crate) fn sees_locals(&self) -> bool {
        self.scope == Scope::Threads
    }

    pub(crate) fn program(&self) -> &'a Program {
        &self.population.program
    }

    /// Whether there is surely no such thread.
    pub(crate) fn has_nobody(&self, part: usize) -> bool {
        self.program().template(self.parts[part].template).copies == Copies::Exactly(0)
    }

    /// Whether two different threads can be those of the parts.
    pub(crate) fn can_differ(&self, part: usize, other: usize) -> bool {
        part != other || self.parts[part].thread.is_none() && !self.is_one(part)
    }

    fn is_one(&self, part: usize) -> bool {
        self.program().template(self.parts[part].template).copies == Copies::Single
    }

    fn read_points(&mut self, part: usize, formulas: &ThreadFormulas) -> Result<(), CheckError> {
        let quantifiers = self.scope == Scope::Templates;
        for (said, is_cut) in
            formulas.points.iter().map(|f| (f, true)).chain(formulas.remarks.iter().map(|f| (f, false)))
        {
            // What is said of points that control cannot come to does not matter.
            let Some(spot) = self.parts[part].code.spot_at(&said.point) else { continue };
            let parameters = self.parameters_at(spot, part);
            let at = self.parts[part].code.place(self.program(), spot);
            let name = &self.parts[part].name;
            let predicate = Predicate::parse(&parameters, &said.formula, quantifiers);
            let predicate = predicate.map_err(|e| refuted(format!("{name} at {at}: {e}")))?;
            let alone = self.scope == Scope::ThreadsAlone;
            if alone && !predicate.speaks_only_of(&|place| self.is_own_or_shared(part, place)) {
                return Err(refuted(format!("what is said of {name} at {at} is not modular")));
            }
            let spot = &mut self.parts[part].code.spots[spot];
            if is_cut { spot.cut.get_or_insert_default().push(predicate) } else { spot.remarks.push(predicate) }
        }
        Ok(())
    }

    fn read_bounds(&mut self, part: usize, formulas: &ThreadFormulas) -> Result<(), CheckError> {
        let quantifiers = self.scope == Scope::Templates;
        let parameters = self.parameters_of_steps();
        let name = self.parts[part].name.clone();
        let read = |text: &str| -> Result<Predicate, CheckError> {
            let predicate = Predicate::parse(&parameters, text, quantifiers);
            let predicate = predicate.map_err(|e| refuted(format!("environment of {name}: {e}")))?;
            let shared = self.shared_leaves();
            let all = parameters.constants().len() / 2;
            if self.scope == Scope::ThreadsAlone && !predicate.speaks_only_of(&|place| place % all < shared) {
                return Err(refuted(format!("an environment transition of {name} is not modular")));
            }
            Ok(predicate)
        };
        let transitions = formulas.environment.as_ref().map(|all| {
            let texts: Vec<&str> = all.iter().map(|transition| transition.formula.as_str()).collect();
            texts
                .iter()
                .try_for_each(|text| read(text).map(|_| ()))
                .and_then(|()| read(&format!("(or {})", texts.join(" "))))
        });
        let environment = transitions.transpose()?;
        let guarantee = formulas.guarantee.as_deref().map(read).transpose()?;
        if guarantee.is_some() && self.is_of_threads() {
            return Err(refuted("guarantees are for proofs about templates"));
        }
        (self.parts[part].environment, self.parts[part].guarantee) = (environment, guarantee);
        Ok(())
    }

    fn shared_leaves(&self) -> usize {
        self.program().shared.iter().map(|var| self.population.leaf_sorts(&var.sort).len()).sum()
    }

    /// Which parameters of formulas about threads are shared variables or the thread's own.
    fn is_own_or_shared(&self, part: usize, place: usize) -> bool {
        let mut end = self.shared_leaves();
        if place < end {
            return true;
        }
        for (index, other) in self.parts.iter().enumerate() {
            let locals = other.frames.iter().flat_map(|frame| &self.program().routine(frame.routine).locals);
            end += 1 + locals.map(|local| self.population.leaf_sorts(&local.sort).len()).sum::<usize>();
            if place < end {
                return index == part;
            }
        }
        false
    }

    /// What formulas at a point speak of.
    fn parameters_at(&self, spot: usize, part: usize) -> Parameters {
        if self.is_of_threads() {
            return self.parameters_of_world();
        }
        let spot = &self.parts[part].code.spots[spot];
        let shared = Parameters::default().with_shared(self.population);
        let shared = if spot.inside_step { shared.with_primes() } else { shared };
        self.with_numbers(shared.with_locals(self.population, &spot.point))
    }

    /// The same with the thread's own number, and with those of copies that nobody knows.
    fn with_numbers(&self, parameters: Parameters) -> Parameters {
        let unknowns = self.population.unknowns().filter_map(|(count, _)| count.name());
        unknowns.fold(parameters.with("self", &SmtSort::Int), |all, name| all.with(name, &SmtSort::Int))
    }

    fn numbers(&self, me: &Term) -> Vec<Term> {
        [me].into_iter().chain(self.population.unknowns().map(|(count, _)| count)).cloned().collect()
    }

    fn parameters_of_world(&self) -> Parameters {
        let shared = Parameters::default().with_shared(self.population);
        self.parts.iter().fold(shared, |all, part| all.with_thread(self.population, &part.name, &part.frames))
    }

    /// What formulas about steps speak of.
    fn parameters_of_steps(&self) -> Parameters {
        match self.scope {
            Scope::Templates => self.with_numbers(Parameters::default().with_shared(self.population).with_primes()),
            Scope::Threads | Scope::ThreadsAlone => self.parameters_of_world().with_primes(),
        }
    }

    /// What the predicates of a point are applied to.
    fn args(&self, part: usize, spot: usize, scene: &Scene<'_>) -> Vec<Term> {
        if self.is_of_threads() {
            return self.args_of_world(scene.shared, &self.world_with(part, scene));
        }
        let inside = self.parts[part].code.spots[spot].inside_step;
        let start = if inside { scene.start } else { &[] };
        let all = scene.shared.iter().chain(start).chain(scene.frames.iter().flatten());
        all.flat_map(|value| &value.0).cloned().chain(self.numbers(scene.me)).collect()
    }

    /// All threads, with the part's own where the scene says.
    pub(crate) fn world_with(&self, part: usize, scene: &Scene<'_>) -> Vec<Figure> {
        let mut world = scene.world.to_vec();
        if let Some(own) = world.get_mut(part) {
            own.at = self.parts[part].code.number_of(scene.point);
            for (depth, frame) in scene.frames.iter().enumerate() {
                own.frames.insert(scene.point.calls[..depth].to_vec(), frame.clone());
            }
        }
        world
    }

    fn args_of_world(&self, shared: &[Value], world: &[Figure]) -> Vec<Term> {
        let mut args: Vec<Term> = shared.iter().flat_map(|value| value.0.iter().cloned()).collect();
        for (figure, part) in world.iter().zip(&self.parts) {
            args.push(figure.at.clone());
            for frame in &part.frames {
                args.extend(figure.frames[&frame.calls].iter().flat_map(|value| value.0.iter().cloned()));
            }
        }
        args
    }

    /// What is said of a spot; of a cut and beside it.
    pub(crate) fn said(&self, part: usize, spot: usize, scene: &Scene<'_>) -> Term {
        let args = self.args(part, spot, scene);
        let at = &self.parts[part].code.spots[spot];
        Term::all(at.cut.iter().flatten().chain(&at.remarks).map(|predicate| predicate.of(&args)))
    }

    /// What is said of a spot where the code is cut: nothing else is known there.
    pub(crate) fn said_of_cut(&self, part: usize, spot: usize, scene: &Scene<'_>) -> Term {
        let args = self.args(part, spot, scene);
        let at = &self.parts[part].code.spots[spot];
        Term::all(at.cut.iter().flatten().map(|predicate| predicate.of(&args)))
    }

    /// That a step is one that a bound admits: of a thread, given by its number, or of the world as it sees it.
    pub(crate) fn admits(&self, bound: &Predicate, me: &Term, before: Seen<'_>, after: Seen<'_>) -> Term {
        let side = |seen: Seen<'_>| self.args_of_world(seen.0, seen.1);
        let mut args = [side(before), side(after)].concat();
        if !self.is_of_threads() {
            args.extend(self.numbers(me));
        }
        bound.of(&args)
    }

    /// Constants for a shared store.
    pub(crate) fn store(&self, session: &mut Session, name: &str) -> Vec<Value> {
        let vars = self.program().shared.iter().enumerate();
        vars.map(|(index, var)| self.population.declare_value(session, &format!("{name}.{index}"), &var.sort)).collect()
    }

    /// The properties that speak of shared variables only.
    pub(crate) fn invariant(&self, store: &[Value]) -> Result<Term, Unsupported> {
        let view = View::of_store(self.population, store);
        let mut parts = Vec::new();
        for (_, e, wrong) in self.program().formulas().filter(|(_, e, _)| !e.looks_at_threads()) {
            let translated = view.translate(e)?;
            let truth = translated.value.term();
            parts.push(translated.defined.and(if wrong { truth.not() } else { truth.clone() }));
        }
        Ok(Term::all(&parts))
    }

    /// That constants make up a store between steps: values in their ranges, and the invariants.
    pub(crate) fn sound(&self, store: &[Value]) -> Result<Term, Unsupported> {
        Ok(self.well_formed(store).and(&self.invariant(store)?))
    }

    /// That the values of a store are of their sorts.
    pub(crate) fn well_formed(&self, store: &[Value]) -> Term {
        let vars = self.program().shared.iter().zip(store);
        Term::all(vars.map(|(var, value)| self.population.well_formed(&var.sort, value)))
    }
}

/// A shared store, and all threads if formulas may speak of them.
pub(crate) type Seen<'s> = (&'s [Value], &'s [Figure]);
