//! Calls of procedures.

use super::Lowerer;
use super::expressions::fits;
use super::functions::Typed;
use super::statements::counted;
use crate::ast::{Expr, Name};
use threadwise_ir::{Op, Place};
use threadwise_source::{Diagnostic, Span};

impl<'a> Lowerer<'a> {
    /// `p(e);` and `x = p(e);`
    pub(super) fn call(&mut self, result: Option<&'a Expr>, name: &'a Name, args: &'a [Expr], span: Span) {
        let place = result.map(|e| self.place(e));
        let Some(index) = self.resolve_proc(name) else {
            args.iter().for_each(|e| {
                self.expr(e, None);
            });
            return self.command(Default::default(), span);
        };
        let procedure = &self.procedures[index];
        let (params, declared) = (procedure.params.clone(), procedure.span);
        let args = self.arguments(&params, declared, name, args);
        let result = match place {
            Some(place) => self.check_result(index, name, place),
            None => None,
        };
        let routine = self.procedures[index].routine;
        self.body.callees.push(routine);
        self.note_call(routine, span);
        self.step(Op::Call { routine, args: args.into(), result: result.map(Box::new) }, span);
    }

    /// The arguments of a call or of a start.
    pub(super) fn arguments(
        &mut self,
        params: &[Option<Typed>],
        declared: Span,
        name: &Name,
        args: &'a [Expr],
    ) -> Vec<threadwise_ir::Expr> {
        if params.len() != args.len() {
            let wants = counted(params.len(), "argument");
            let message = format!("`{}` takes {wants}, but {} given", name.text, are(args.len()));
            let error = Diagnostic::error(name.span, message).label(format!("expected {wants}"));
            self.report(error.related(declared, "declared here"));
        }
        let lower = |(arg, param): (&'a Expr, &Option<Typed>)| match param {
            Some(Typed::Plain(sort)) => self.value_of(arg, sort).map(|value| vec![value]),
            Some(Typed::Record(ty)) => self.record_value(arg, ty),
            None => self.expr(arg, None).map(|value| vec![value]),
        };
        args.iter().zip(params).filter_map(lower).flatten().collect()
    }

    fn check_result(&mut self, index: usize, name: &Name, place: Option<Place>) -> Option<Place> {
        let procedure = &self.procedures[index];
        let Some(sort) = procedure.result.clone() else {
            let error = Diagnostic::error(name.span, format!("the procedure `{}` has no result", name.text));
            let error = error.label("there is nothing to assign").related(procedure.span, "declared here");
            self.report(error.hint(format!("declare one, as in `proc {}(…) returns (r: int)`", name.text)));
            return None;
        };
        let (place, sort) = (place?, sort?);
        if fits(&sort, &place.sort) {
            return Some(place);
        }
        let (wanted, got) = (self.show(&place.sort), self.show(&sort));
        let error = Diagnostic::error(place.span, format!("`{}` returns `{got}`, not `{wanted}`", name.text));
        self.report(error.label(format!("this is of type `{wanted}`")));
        None
    }
}

fn are(count: usize) -> String {
    if count == 1 { "1 is".to_string() } else { format!("{count} are") }
}
