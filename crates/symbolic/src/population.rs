//! Which threads there are, in numbers that may be unknown.

use crate::Layout;
use std::sync::Arc;
use threadwise_ir::{Copies, Instance, Program, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;

/// The threads of a program, and what values are made of. A thread is a number: 0 is `none`, the others are counted from 1 in order
/// of declaration, as everywhere. How many copies of a `[*]` thread there are is an unknown of
/// the solver, so a proof holds for every number.
#[derive(Clone, Debug)]
pub struct Population {
    pub program: Arc<Program>,
    pub(crate) layout: Layout,
    copies: Vec<Term>,
    first: Vec<Term>,
    total: Term,
}

impl Population {
    /// The threads of an instance; large arrays are the solver's.
    pub fn fixed(instance: &Instance) -> Population {
        Population::of_instance(instance, Layout::Arrays)
    }

    /// The threads of an instance; all arrays are taken apart.
    pub fn unrolled(instance: &Instance) -> Population {
        Population::of_instance(instance, Layout::Unrolled)
    }

    fn of_instance(instance: &Instance, layout: Layout) -> Population {
        let count = |index: usize| instance.copies_of(TemplateId(index as u32)).len() as i64;
        let copies = (0..instance.program.templates.len()).map(|index| Term::int(count(index))).collect();
        Population::new(instance.program.clone(), layout, copies)
    }

    /// The threads of a program, with an unknown number of copies where the program has `[*]`.
    pub fn any(program: &Arc<Program>) -> Population {
        let copies = program.templates.iter().map(|template| match template.copies {
            Copies::Single => Term::int(1),
            Copies::Exactly(n) => Term::int(i64::from(n)),
            Copies::Any => Term::constant(&format!("copies.{}", template.name), SmtSort::Int),
        });
        Population::new(program.clone(), Layout::Arrays, copies.collect())
    }

    fn new(program: Arc<Program>, layout: Layout, copies: Vec<Term>) -> Population {
        let mut first = Vec::new();
        let mut total = Term::int(0);
        for copies in &copies {
            first.push(total.plus(Term::int(1)));
            total = total.plus(copies);
        }
        Population { program, layout, copies, first, total }
    }

    /// Declares the unknown numbers.
    pub fn declare(&self, session: &mut Session) {
        session.declare_all(self.unknowns().map(|(name, _)| name));
        session.assert(&self.constraint());
    }

    /// The unknown numbers of copies, and whose they are.
    pub fn unknowns(&self) -> impl Iterator<Item = (&Term, TemplateId)> {
        let numbered = self.copies.iter().enumerate();
        numbered.filter(|(_, n)| n.as_int().is_none()).map(|(index, n)| (n, TemplateId(index as u32)))
    }

    /// What holds of the unknown numbers.
    pub fn constraint(&self) -> Term {
        let zero = Term::int(0);
        Term::all(self.unknowns().map(|(n, _)| zero.le(n)).collect::<Vec<Term>>())
    }

    /// How many threads there are.
    pub fn total(&self) -> &Term {
        &self.total
    }

    /// The first copy of a thread; its identity if it is not replicated.
    pub fn first(&self, template: TemplateId) -> &Term {
        &self.first[template.index()]
    }

    /// The last copy of a thread; less than the first if there is none.
    pub fn last(&self, template: TemplateId) -> Term {
        self.first(template).plus(self.copies[template.index()].plus(Term::int(-1)))
    }

    /// What people call the thread with a number, if it is known who that is; else the number.
    pub fn thread_name(&self, number: i64) -> String {
        if number == 0 {
            return "none".to_string();
        }
        for (index, template) in self.program.templates.iter().enumerate() {
            let (Some(first), Some(count)) = (self.first[index].as_int(), self.copies[index].as_int()) else { break };
            if (first..first + count).contains(&number) {
                return match template.copies {
                    Copies::Single => template.name.to_string(),
                    Copies::Exactly(_) | Copies::Any => format!("{}[{}]", template.name, number - first + 1),
                };
            }
        }
        number.to_string()
    }

    /// Whether a number is a thread.
    pub fn is_thread(&self, tid: &Term) -> Term {
        tid.between(Term::int(1), &self.total)
    }

    /// Whether a number is a copy of this thread.
    pub fn is_copy(&self, tid: &Term, template: TemplateId) -> Term {
        tid.between(self.first(template), self.last(template))
    }
}
