//! Sets of program states as formulas.

use crate::formula::{EnumVar, all_of, any_of, at, bound, joined, one_if, quantified, thread, truth};
use crate::initial::Initial;
use crate::lower::Unit;
use crate::resolve::{Product, Resolved};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{BinaryOp, Expr, Quantifier, Sort};
use threadwise_source::{Diagnostic, Span};

/// The most combinations that overlapping sets for the copies of a thread may stand for.
const MAX_COMBINATIONS: usize = 4_096;

/// What formulas about program states need to know.
pub(crate) struct Patterns<'a> {
    pub(crate) system: &'a Resolved,
    pub(crate) units: &'a [Unit],
    pub(crate) initial: &'a Initial,
    pub(crate) state: EnumVar,
    pub(crate) start: Option<EnumVar>,
}

impl Patterns<'_> {
    /// That the program is in one of these states. The columns of copies may be permuted.
    pub(crate) fn formula(&self, product: &Product, diagnostics: &mut Vec<Diagnostic>) -> Option<Expr> {
        let mut parts = Vec::new();
        parts.extend(product.shared.as_ref().and_then(|shared| self.state.is_one_of(shared, product.span)));
        let mut columns = product.locals.iter();
        let declarations = self.units.chunk_by(|a, b| a.def == b.def);
        for (thread, units) in self.system.threads.iter().zip(declarations) {
            let own = columns.by_ref().take(thread.number());
            let sets: Vec<&Vec<u32>> = own.flatten().filter(|set| set.len() as u32 != thread.locals.len()).collect();
            let Some(choices) = choices(&sets) else {
                let error = Diagnostic::error(product.span, "these sets stand for too many combinations");
                let label = format!("the sets for the copies of `{}` overlap", thread.name);
                diagnostics.push(error.label(label).hint("write several lines with disjoint sets"));
                return None;
            };
            let each = |counts: &BTreeMap<Vec<u32>, usize>| {
                let parts = counts.iter().map(|(set, count)| self.at_least(*count, units, set, product.span));
                all_of(parts.collect(), product.span)
            };
            if !sets.is_empty() {
                parts.push(any_of(choices.iter().map(each).collect(), product.span));
            }
        }
        Some(all_of(parts, product.span))
    }

    /// That a thread is in one of the local states.
    fn is_in(&self, unit: &Unit, subject: &Expr, set: &[u32], span: Span) -> Expr {
        let here = |location| at(unit.template, subject, location, span);
        let mut parts: Vec<Expr> = set.iter().map(|&local| here(unit.location(local))).collect();
        if let (Some(location), Some(start)) = (unit.start, self.start) {
            let tuples = self.initial.locals(unit.def, unit.column);
            let chosen = tuples.into_iter().filter(|(local, _)| set.contains(local));
            let mut numbers: Vec<u32> = chosen.flat_map(|(_, tuples)| tuples).collect();
            numbers.sort_unstable();
            if !numbers.is_empty() {
                let condition = start.is_one_of(&numbers, span);
                parts.push(all_of([here(location)].into_iter().chain(condition).collect(), span));
            }
        }
        any_of(parts, span)
    }

    /// That at least so many of a declaration's threads are in one of the local states.
    fn at_least(&self, count: usize, units: &[Unit], set: &[u32], span: Span) -> Expr {
        let number = self.system.threads[units[0].def].number();
        let Some(unit) = units.iter().find(|unit| unit.replicated) else {
            let each = units.iter().map(|unit| self.is_in(unit, &thread(unit.template, span), set, span));
            return match count {
                1 => any_of(each.collect(), span),
                _ if count == number => all_of(each.collect(), span),
                _ => {
                    let sum = joined(BinaryOp::Add, Sort::Int, each.map(one_if).collect());
                    enough(sum.unwrap_or_else(|| Expr::constant(0, Sort::Int, span)), count, span)
                }
            };
        };
        let body = |depth| self.is_in(unit, &bound(depth, span), set, span);
        let over = |quantifier, name: &str, body| quantified(quantifier, name, unit.template, body);
        match count {
            1 => over(Quantifier::Exists, "i", body(0)),
            _ if count == number => over(Quantifier::Forall, "i", body(0)),
            2 => {
                let differ = truth(BinaryOp::Ne, bound(0, span), bound(1, span));
                let both = truth(BinaryOp::And, truth(BinaryOp::And, differ, body(0)), body(1));
                over(Quantifier::Exists, "i", over(Quantifier::Exists, "j", both))
            }
            _ => enough(over(Quantifier::Count, "i", body(0)), count, span),
        }
    }
}

fn enough(number: Expr, count: usize, span: Span) -> Expr {
    truth(BinaryOp::Ge, number, Expr::constant(count as i64, Sort::Int, span))
}

/// Ways for different threads to be in these sets, one in each: how many must be in which. Sets that are
/// equal or disjoint leave one way. Otherwise every choice of elements is one; `None` if they are too many.
fn choices(sets: &[&Vec<u32>]) -> Option<Vec<BTreeMap<Vec<u32>, usize>>> {
    let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    sets.iter().for_each(|set| *counts.entry((*set).clone()).or_default() += 1);
    let mut seen = BTreeSet::new();
    if counts.keys().flatten().all(|local| seen.insert(*local)) {
        return Some(vec![counts]);
    }
    let mut chosen: BTreeSet<Vec<u32>> = BTreeSet::from([Vec::new()]);
    for set in sets {
        let mut extended = BTreeSet::new();
        for (elements, local) in chosen.iter().flat_map(|elements| set.iter().map(move |local| (elements, *local))) {
            let mut elements = elements.clone();
            elements.push(local);
            elements.sort_unstable();
            extended.insert(elements);
            if extended.len() > MAX_COMBINATIONS {
                return None;
            }
        }
        chosen = extended;
    }
    let count = |elements: Vec<u32>| {
        let mut counts = BTreeMap::new();
        elements.into_iter().for_each(|local| *counts.entry(vec![local]).or_default() += 1);
        counts
    };
    Some(chosen.into_iter().map(count).collect())
}
