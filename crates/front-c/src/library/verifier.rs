//! Errors, assumptions, ends of the process, values that nobody knows, and atomic regions.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Ty};
use crate::values::Value;
use threadwise_ir::Bits;
use threadwise_memory::code::{self, End, Expr, ExprKind, Failure, InstructionKind, Library, Type};

impl<'a> Elaborator<'a> {
    pub fn verifier_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        if let Some(name) = call.name.strip_prefix("__VERIFIER_nondet_") {
            let ty = if call.result.is_void() || *call.result == crate::types::INT {
                IntKind::by_name(name).map_or(call.result.clone(), Ty::int)
            } else {
                call.result.clone()
            };
            return Ok(Some(self.any(&ty, span)));
        }
        match call.name {
            "reach_error"
            | "__VERIFIER_error"
            | "__assert_fail"
            | "__assert_perror_fail"
            | "__assert"
            | "__assert_rtn" => {
                let never = Expr::constant(0, code::INT, span);
                self.body.emit(InstructionKind::Assert(never, Failure::Assertion), span);
                self.body.end(End::Exit, span);
            }
            "assert" | "__VERIFIER_assert" => {
                let [(condition, _)] = self.exactly(call)?;
                self.body.emit(InstructionKind::Assert(fold::truth(condition), Failure::Assertion), span);
            }
            "__VERIFIER_assume" | "assume_abort_if_not" | "__builtin_assume" => {
                let [(condition, _)] = self.exactly(call)?;
                self.body.emit(InstructionKind::Assume(fold::truth(condition)), span);
            }
            "exit" | "_Exit" | "_exit" | "quick_exit" => {
                self.evaluate(call)?;
                if call.name == "exit" {
                    self.run_handlers(span);
                }
                self.library(Library::ProcessEnds, span);
                self.body.end(End::Exit, span);
            }
            "abort" | "__builtin_trap" => {
                self.evaluate(call)?;
                self.body.end(End::Exit, span);
            }
            "__builtin_unreachable" => self.body.end(End::Unreachable, span),
            "__VERIFIER_atomic_begin" => self.body.emit(InstructionKind::AtomicBegin, span),
            "__VERIFIER_atomic_end" => self.body.emit(InstructionKind::AtomicEnd, span),
            "rand" | "random" | "lrand48" | "rand_r" | "nrand48" => {
                self.evaluate(call)?;
                return Ok(Some(self.random(call)));
            }
            "srand" | "srandom" | "srand48" => self.evaluate(call)?,
            "__builtin_expect" => {
                let value = self.values(call.args)?.into_iter().next();
                let Some((expr, ty)) = value else { return Ok(None) };
                let long = Ty::int(IntKind::Long);
                return Ok(Some(Value::Scalar(self.converted(expr, &ty, &long)?, long)));
            }
            "__builtin_constant_p" => {
                let known = call.args.first().is_some_and(|node| self.constant(node).is_ok());
                return Ok(Some(self.integer(i64::from(known), IntKind::Int, span)));
            }
            "__builtin_object_size" => return Ok(Some(self.integer(-1, self.model.size_kind(), span))),
            "__builtin_types_compatible_p" => {
                let [first, second] = call.args else { return Ok(None) };
                let is_same = self.are_compatible(first, second)?;
                return Ok(Some(self.integer(i64::from(is_same), IntKind::Int, span)));
            }
            "__builtin_choose_expr" => {
                let [condition, yes, no] = call.args else { return Ok(None) };
                let chosen = if self.constant(condition)? != 0 { yes } else { no };
                return self.expression(chosen).map(Some);
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::Void(span)))
    }

    /// Any number from zero to the greatest `int`.
    fn random(&self, call: &Call) -> Value {
        let any = Expr::new(ExprKind::Any, Type::Int(Bits { width: 31, signed: false }), call.span);
        Value::Scalar(fold::convert(any, self.lower(call.result)), call.result.unqualified())
    }

    /// Evaluates the arguments, for what they load and do.
    pub fn evaluate(&mut self, call: &Call<'a, '_>) -> Fallible<()> {
        for node in call.args {
            if !matches!(node.node, lang_c::ast::Expression::StringLiteral(_)) {
                let value = self.expression(node)?;
                self.discard(value)?;
            }
        }
        Ok(())
    }
}
