//! What a SAFE verdict says nothing about: statements that no execution gets to, or none gets past.

use crate::notes::Note;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_claims::Unreached;
use threadwise_evidence::{PointFormula, Proof};
use threadwise_ir::{
    Copies, Domain, Env, Expr, ExprKind, Instance, LocationId, NoLocals, Op, Program, Routine, SharedId, Sort, VarRef,
};
use threadwise_source::Span;

struct Statement {
    span: Span,
    is_taken: bool,
    /// Control gets to where it begins.
    is_met: bool,
}

/// The statements of which no edge is taken, in the order of the text; those inside of another one are not named.
pub(crate) fn unreached(program: &Program, taken: &[u64]) -> Vec<Unreached> {
    let reached = reached_locations(program, taken);
    // By where they begin; the longer one of two first.
    let mut statements: BTreeMap<(u32, Reverse<u32>), Statement> = BTreeMap::new();
    for (edge, &times) in program.edges.iter().zip(taken).filter(|(edge, _)| !edge.only_fails()) {
        let key = (edge.span.start, Reverse(edge.span.end));
        let statement = statements.entry(key).or_insert(Statement { span: edge.span, is_taken: false, is_met: false });
        statement.is_taken |= times > 0;
        statement.is_met |= reached.contains(&edge.from);
    }
    let mut found: Vec<Unreached> = Vec::new();
    for Statement { span, is_taken, is_met: is_stuck } in statements.into_values() {
        let is_inside = found.last().is_some_and(|last| span.end <= last.span.end && !last.is_stuck);
        // The brace at the end of a procedure is no statement.
        let is_brace = span.end - span.start <= 1;
        if !is_taken && !is_brace && !is_inside {
            found.push(Unreached { span, is_stuck });
        }
    }
    found
}

/// Where control gets: to the beginning of threads that there are, and wherever an edge that is taken leads.
fn reached_locations(program: &Program, taken: &[u64]) -> BTreeSet<LocationId> {
    let mut reached = BTreeSet::new();
    for template in program.templates.iter().filter(|template| template.copies != Copies::Exactly(0)) {
        reached.insert(program.routine(template.body).entry);
    }
    let is_taken = |edge: u32| taken[edge as usize] > 0;
    let returns = |edge: u32| matches!(program.edges[edge as usize].op, Op::Return(_));
    let comes_back = |routine: &Routine| routine.edges.clone().any(|edge| is_taken(edge) && returns(edge));
    for (edge, _) in program.edges.iter().zip(taken).filter(|(_, times)| **times > 0) {
        match &edge.op {
            Op::Call { routine, .. } => {
                let routine = program.routine(*routine);
                reached.insert(routine.entry);
                reached.extend(comes_back(routine).then_some(edge.to));
            }
            Op::Command(_) => {
                reached.insert(edge.to);
            }
            Op::Return(_) => {}
        }
    }
    reached
}

/// For each edge whether a proof by formulas leaves it open that it is taken: no execution comes to a point of a thread's own
/// code where `false` holds. Other proofs are not looked into.
pub(crate) fn left_open(program: &Arc<Program>, proof: &Proof) -> Option<Vec<u64>> {
    let Proof::Formulas(proof) = proof else { return None };
    let mut taken = vec![0; program.edges.len()];
    for (part, template) in proof.parts.iter().zip(proof.templates(program)) {
        let template = program.template(template);
        if template.copies == Copies::Exactly(0) {
            continue;
        }
        let is_excluded = |point: &&PointFormula| point.formula == "false" && point.point.calls.is_empty();
        let never: BTreeSet<LocationId> = part.points.iter().filter(is_excluded).map(|of| of.point.location).collect();
        let mut seen = BTreeSet::new();
        let mut open = vec![program.routine(template.body).entry];
        while let Some(location) = open.pop() {
            if !seen.insert(location) {
                continue;
            }
            for &id in &program.location(location).edges {
                let edge = program.edge(id);
                let goes_on = !never.contains(&edge.to);
                let called = match &edge.op {
                    Op::Call { routine, .. } => Some(program.routine(*routine).entry),
                    Op::Command(_) | Op::Return(_) => None,
                };
                // A call that does not come back is taken nevertheless.
                if goes_on || called.is_some() {
                    taken[id.index()] = 1;
                }
                open.extend(called);
                open.extend(goes_on.then_some(edge.to));
            }
        }
    }
    Some(taken)
}

/// So many combinations of values are tried to see whether a property depends on them.
const FEW_VALUES: u64 = 1 << 12;

/// Properties whose truth depends on no state: they say nothing about the program.
pub(crate) fn constant_properties(program: &Arc<Program>) -> Vec<Note> {
    let instance = Instance::new(program.clone(), 0);
    let mut notes = Vec::new();
    for (id, formula, wrong) in program.formulas() {
        let vars = looked_at(formula);
        let by_values = vars.as_ref().is_some_and(|vars| holds_for_all_values(&instance, formula, wrong, vars));
        if by_values || crate::tautology::holds_by_its_form(program, formula, wrong) {
            let span = program.property(id).span;
            let text = program.source.snippet(span, 80);
            let place = program.source.locate(span).to_string();
            notes.push(Note::ConstantProperty { text, place, looks: vars.is_none_or(|vars| !vars.is_empty()) });
        }
    }
    notes
}

/// The shared variables that a formula looks at, if it looks at nothing else.
fn looked_at(formula: &Expr) -> Option<BTreeSet<SharedId>> {
    let mut vars = BTreeSet::new();
    let (mut looks_elsewhere, mut names_threads) = (false, false);
    formula.walk(&mut |e| match &e.kind {
        ExprKind::Read(VarRef::Shared(var)) => _ = vars.insert(*var),
        ExprKind::Read(VarRef::Local(_)) | ExprKind::ReadAfter(_) | ExprKind::At(..) | ExprKind::LocalOf(..) => {
            looks_elsewhere = true;
        }
        // How many threads there are may differ.
        ExprKind::Quantified(_, binder, _) => {
            names_threads |= matches!(binder.domain, Domain::Copies(_) | Domain::Sort(Sort::Tid));
        }
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Bound(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Conditional(..)
        | ExprKind::Index(..)
        | ExprKind::SetLiteral(_)
        | ExprKind::ArrayLiteral(_) => {}
    });
    (!looks_elsewhere && (vars.is_empty() || !names_threads)).then_some(vars)
}

/// Whether a property holds whatever values its variables have, where there are few enough to try all. One that looks at
/// nothing has been proved, so there is nothing to try.
fn holds_for_all_values(instance: &Instance, formula: &Expr, wrong: bool, vars: &BTreeSet<SharedId>) -> bool {
    let mut combinations = 1;
    let mut values = Vec::new();
    for &var in vars {
        let sort = &instance.program.shared[var.index()].sort;
        // How many threads there are is not known where there may be any number.
        let is_small = matches!(sort, Sort::Bool | Sort::Range(..) | Sort::Enum(_));
        let Some(many) = instance.cardinality(sort).filter(|_| is_small) else { return false };
        combinations *= many;
        if combinations > FEW_VALUES {
            return false;
        }
        values.push((instance.shared_range(var).start, sort, many));
    }
    let mut words = vec![0; instance.shared_words()];
    vars.is_empty()
        || (0..combinations).all(|mut number| {
            for (word, sort, many) in &values {
                words[*word] = instance.unrank(sort, (number % many) as usize);
                number /= many;
            }
            Env::of_state(instance, &words, &NoLocals).holds(formula) == Ok(!wrong)
        })
}
