//! Where a program can start.

use crate::expr::Env;
use crate::space::{Owner, Space, Unsupported};
use crate::sym::Sym;
use threadwise_ir::{Initial, ThreadId};
use threadwise_logic::{Term, Var};

/// The initial values of the shared variables.
#[derive(Clone, Debug)]
pub struct Initially {
    /// What holds of the shared variables.
    pub shared: Term,
    /// When the initial values themselves are in error.
    pub fault: Term,
}

impl Default for Initially {
    fn default() -> Initially {
        Initially { shared: Term::bool(true), fault: Term::bool(false) }
    }
}

/// What the declarations and the `init` conditions say.
pub(crate) fn initially(space: &Space) -> Result<Initially, Unsupported> {
    let program = &space.instance.program;
    let mut holds = Term::bool(true);
    let mut fault = Term::bool(false);
    for (var, sym) in program.shared.iter().zip(&space.shared) {
        let value = match &var.init {
            Initial::Any => continue,
            Initial::Default => Sym::default(&space.instance, &var.sort),
            Initial::Value(e) => {
                let valued = Env::of_state(space).eval(e)?;
                let fine = valued.defined.and(valued.value.fits(&space.instance, &var.sort));
                fault = fault.or(holds.and(fine.not()));
                valued.value
            }
        };
        holds = holds.and(sym.clone().equal(value));
    }
    for e in &program.init {
        let (truth, defined) = Env::of_state(space).formula(e)?;
        fault = fault.or(holds.and(defined.not()));
        holds = holds.and(defined).and(truth);
    }
    Ok(Initially { shared: holds, fault })
}

impl Space {
    /// The initial states of one thread: its control and its locals.
    pub fn start_of(&self, thread: ThreadId) -> Term {
        Term::any(self.threads[thread.index()].starts.iter().map(|start| {
            let values = start.values.iter().filter(|(var, _)| self.is_local(*var));
            let equations = values.map(|(var, value)| self.equation(*var, value));
            let whole = self.at(thread, start.to).and(&start.guard).and(Term::all(equations));
            let typed = self.typing(&whole);
            whole.and(typed)
        }))
    }

    fn is_local(&self, var: Var) -> bool {
        self.info(var).is_some_and(|info| info.owner != Owner::Shared)
    }

    /// The initial states of the program.
    pub fn init(&self) -> Term {
        let starts = (0..self.threads.len()).map(|thread| self.start_of(ThreadId(thread as u32)));
        self.initially.shared.and(Term::all(starts))
    }
}
