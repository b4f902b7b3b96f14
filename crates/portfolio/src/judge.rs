//! From a claim to a verdict.

use crate::verify::patiently;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_claims::{Advice, Claim, Unknown};
use threadwise_evidence::{Proof, Trace};
use threadwise_ir::{Instance, Program};
use threadwise_limits::{Budget, Limit};
use threadwise_replay::replay;
use threadwise_verdict::Verdict;

/// Has a claim judged. The proof is handed back if it passed.
pub(crate) fn judge(program: &Arc<Program>, claim: Claim, budget: &Budget) -> (Verdict, Option<Proof>) {
    match claim {
        Claim::Proved(proof) => judge_proof(program, proof, budget),
        Claim::Refuted(trace) => (judge_trace(program, &trace, budget), None),
        Claim::Exhausted(_) if program.has_any_copies() => {
            (Verdict::internal_error("the engine claims to have searched infinitely many instances"), None)
        }
        Claim::Exhausted(exhausted) => (Verdict::safe_by_exhaustion(exhausted), None),
        Claim::Unknown(unknown) => (Verdict::unknown(unknown), None),
        Claim::Rejected(error) => {
            let reason = [error.message, error.label].join("\n");
            (Verdict::unknown(Unknown { reason, advice: error.hint.map(Advice::Hint).into_iter().collect() }), None)
        }
    }
}

fn judge_proof(program: &Arc<Program>, proof: Proof, budget: &Budget) -> (Verdict, Option<Proof>) {
    budget.report(|| "checking the proof".to_string());
    let result = catch(|| check(program, &proof, budget));
    // A judge who asks a solver gives each question some time; there may be more.
    if let Ok(Err(CheckError::Undecided(_))) = &result
        && let Some(budget) = budget.taken_up_again()
    {
        return judge_proof(program, proof, &budget);
    }
    match result {
        Ok(Ok(checked)) => (Verdict::safe(checked), Some(proof)),
        Ok(Err(CheckError::Limit(limit))) => (out_of_budget(limit, "checking the proof"), None),
        Ok(Err(undecided @ CheckError::Undecided(_))) => {
            let advice = vec![Advice::SolverOrAnotherEngine];
            (Verdict::unknown(Unknown { reason: undecided.to_string(), advice }), None)
        }
        Ok(Err(CheckError::Refuted(why))) => {
            (Verdict::internal_error(format!("the engine's proof does not pass the check: {why}")), None)
        }
        Err(panic) => (Verdict::internal_error(format!("the check of the proof broke down: {panic}")), None),
    }
}

fn judge_trace(program: &Arc<Program>, trace: &Trace, budget: &Budget) -> Verdict {
    let instance = Instance::new(program.clone(), trace.any_copies.clone());
    match catch(|| patiently(budget, || replay(&instance, trace))) {
        Ok((_, Some(limit))) => out_of_budget(limit, "replaying the trace"),
        Ok((Ok(replayed), None)) => Verdict::refuted(replayed),
        Ok((Err(why), None)) => Verdict::internal_error(format!("the engine's trace does not replay: {why}")),
        Err(panic) => Verdict::internal_error(format!("the replay of the trace broke down: {panic}")),
    }
}

fn out_of_budget(limit: Limit, during: &str) -> Verdict {
    let advice = match limit {
        Limit::Time(_) | Limit::CpuTime(_) | Limit::Turn => {
            vec![Advice::RaiseTimeout, Advice::WithoutProof]
        }
        Limit::Memory(_) | Limit::OutOfMemory => {
            vec![Advice::RaiseMemory, Advice::WithoutProof]
        }
        Limit::Interrupted => vec![Advice::RunAgain],
    };
    Verdict::unknown(Unknown { reason: format!("{limit} while {during}"), advice })
}

/// The result of `work`, or the message of its panic.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic leaves half done is dropped with it: nothing inside is used again.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|s| s.to_string());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_claims::{Advice, Exhausted};
    use threadwise_evidence::{ReachableSet, Violation};
    use threadwise_front_tw::{Options, load};
    use threadwise_ir::PropertyId;

    fn program(text: &str) -> Arc<Program> {
        let file = threadwise_source::SourceFile::new("test.tw", text);
        Arc::new(load(file, &Options::default()).program.expect("a correct program"))
    }

    fn judged(text: &str, claim: Claim) -> Verdict {
        judge(&program(text), claim, &Budget::unlimited()).0
    }

    fn is_internal(verdict: &Verdict, part: &str) -> bool {
        let Verdict::Unknown(unknown) = verdict else {
            return false;
        };
        verdict.is_internal_error() && unknown.reason().contains(part) && unknown.advice() == [Advice::ReportBug]
    }

    const TEXT: &str = "shared x: 0..1; thread P { x = 1; } invariant x <= 1;";

    #[test]
    fn a_proof_that_fails_its_check_is_an_internal_error() {
        let verdict = judged(TEXT, Claim::Proved(Proof::Reachable(ReachableSet::default())));
        assert!(is_internal(&verdict, "does not pass the check"), "{verdict:?}");
    }

    #[test]
    fn a_trace_that_does_not_replay_is_an_internal_error() {
        let violation = Violation::Property(PropertyId(0));
        let trace = Trace { any_copies: 0.into(), initial: None, steps: Vec::new(), violation };
        let verdict = judged(TEXT, Claim::Refuted(trace));
        assert!(is_internal(&verdict, "does not replay"), "{verdict:?}");
    }

    #[test]
    fn no_search_exhausts_infinitely_many_instances() {
        let verdict = judged("thread W[*] { skip; }", Claim::Exhausted(Exhausted { states: 5, reduced: false }));
        assert!(is_internal(&verdict, "infinitely many"), "{verdict:?}");
    }

    #[test]
    fn running_out_of_budget_during_the_check_is_unknown() {
        for limit in [Limit::Interrupted, Limit::OutOfMemory] {
            let verdict = out_of_budget(limit, "checking the proof");
            assert!(!verdict.is_internal_error());
            let Verdict::Unknown(unknown) = verdict else { panic!("unknown") };
            assert!(unknown.reason().ends_with("while checking the proof"));
            assert!(!unknown.advice().is_empty());
        }
    }

    #[test]
    fn panics_become_messages() {
        assert_eq!(catch(|| 7), Ok(7));
        assert_eq!(catch(|| -> u32 { panic!("all is {}", "lost") }), Err("all is lost".to_string()));
    }
}
