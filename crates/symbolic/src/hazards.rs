//! What can go wrong on the way of a step, and when.

use threadwise_ir::StepError;
use threadwise_logic::Term;
use threadwise_source::Span;

/// Something that can go wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hazard {
    /// That the step has come so far without an error.
    reached: Term,
    /// What must hold then.
    must: Term,
    /// In which part of the step: an assertion, a guard, an update.
    part: usize,
    /// What goes wrong.
    pub error: StepError,
    pub span: Span,
}

impl Hazard {
    /// It goes wrong where this holds of the state before and the choices; nothing went wrong before it.
    pub fn when(&self) -> Term {
        self.reached.and(self.must.not())
    }
}

/// Collects what can go wrong on the way of a step.
#[derive(Clone, Debug)]
pub struct Hazards {
    /// What can go wrong, in order.
    pub all: Vec<Hazard>,
    /// That the step has come so far without an error.
    pub so_far: Term,
    part: usize,
}

impl Default for Hazards {
    fn default() -> Hazards {
        Hazards { all: Vec::new(), so_far: Term::bool(true), part: 0 }
    }
}

impl Hazards {
    /// From here on the condition holds; where it does not, that is this error.
    pub(crate) fn must(&mut self, condition: &Term, error: StepError, span: Span) {
        if condition.is_true() {
            return;
        }
        let (reached, must) = (self.so_far.clone(), condition.clone());
        self.all.push(Hazard { reached, must, part: self.part, error, span });
        self.so_far = self.so_far.and(condition);
    }

    /// From here on the condition holds; where it does not, the step is not taken.
    pub(crate) fn only_if(&mut self, condition: &Term) {
        self.so_far = self.so_far.and(condition);
        self.end_part();
    }

    pub(crate) fn end_part(&mut self) {
        self.part += 1;
    }

    /// When something goes wrong.
    pub fn goes_wrong(&self) -> Term {
        Term::any(self.of_parts())
    }

    /// When something goes wrong, for each part of the step in which something can.
    pub fn of_parts(&self) -> impl Iterator<Item = Term> {
        self.all.chunk_by(|a, b| a.part == b.part).map(|part| {
            let must = Term::all(part.iter().map(|hazard| &hazard.must));
            part[0].reached.and(must.not())
        })
    }
}
