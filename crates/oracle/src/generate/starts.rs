//! Random starts and joins.

use super::build::{Sort, expr, name, stmt, ty};
use super::dice::Dice;
use super::expressions::Var;
use super::statements::Coder;
use threadwise_front_tw::ast::{ExprKind, Param, Stmt, StmtKind};

/// The sorts of the parameters of a thread that waits to be started.
pub(crate) fn thread_parameters(dice: &mut Dice) -> Vec<Sort> {
    let sorts = [Sort::Bool, Sort::Range(0, 1), Sort::Range(0, 2), Sort::Phase, Sort::Tid];
    (0..dice.below(3)).map(|_| dice.pick(&sorts).clone()).collect()
}

impl Coder<'_> {
    /// The parameters of the thread that is being written, if it waits to be started.
    pub(crate) fn declare_parameters(&mut self, thread: &str) -> Option<Vec<Param>> {
        let (_, sorts) = self.scope.starts.iter().find(|(name, _)| name == thread)?.clone();
        let mut declare = |(number, sort): (usize, Sort)| {
            let param = format!("{thread}a{number}");
            self.scope.vars.push(Var { name: param.clone(), sort: sort.clone(), shared: false });
            Param { name: name(param), ty: ty(&sort) }
        };
        Some(sorts.into_iter().enumerate().map(&mut declare).collect())
    }

    /// Whether a start may stand here.
    pub(super) fn can_start(&self) -> bool {
        let is_surely_no_step = !self.in_atomic && self.returns.is_none();
        !self.scope.starts.is_empty() && (is_surely_no_step || !self.scope.anonymous)
    }

    /// A start; most of the time somebody will know whom it started.
    pub(crate) fn start(&mut self) -> Stmt {
        let (thread, sorts) = self.dice.pick(&self.scope.starts).clone();
        let args = sorts.iter().map(|sort| self.expressions().value(sort, 1)).collect();
        let result = if !self.scope.anonymous && self.dice.chance(75) {
            self.expressions().place(&|sort| *sort == Sort::Tid, false)
        } else {
            None
        };
        let result = result.map(|(place, _)| place);
        stmt(StmtKind::Start { result, thread: name(thread), args })
    }

    /// Joins what a variable holds, or now and then the running thread, which waits for ever or is an error.
    pub(super) fn join(&mut self) -> Stmt {
        let variable = self.expressions().place(&|sort| *sort == Sort::Tid, false).map(|(place, _)| place);
        let variable = variable.filter(|_| self.dice.chance(95));
        stmt(StmtKind::Join(variable.unwrap_or_else(|| expr(ExprKind::SelfThread))))
    }
}
