//! What CALVIN, section 4, asks of relies and guarantees themselves.

use crate::contract::{Contracts, concerns};
use crate::{Stop, explain};
use threadwise_ir::{Contract, Sort, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, Session};
use threadwise_symbolic::{Unsupported, Value};

/// So many steps of a rely in a row are tried to cover any number.
const MAX_CLOSURE: u32 = 3;

/// Constants for a shared store.
pub(crate) fn store(contracts: &Contracts<'_>, session: &mut Session, name: &str) -> Vec<Value> {
    let vars = &contracts.population.program.shared;
    let declare = |(index, var): (usize, &threadwise_ir::SharedVar)| {
        contracts.population.declare_value(session, &format!("{name}.{index}"), &var.sort)
    };
    vars.iter().enumerate().map(declare).collect()
}

/// Every rely and every guarantee admits the step that changes nothing.
pub(crate) fn reflexive(contracts: &Contracts<'_>, session: &mut Session) -> Result<(), Stop> {
    let program = contracts.population.program.clone();
    let all = program.relies.iter().map(|r| ("rely", r)).chain(program.guarantees.iter().map(|g| ("guarantee", g)));
    for (word, contract) in all {
        session.push();
        let thread = session.declare("i", &SmtSort::Int);
        let shared = store(contracts, session, "x");
        session.assert(&contracts.is_subject(contract, &thread));
        session.assert(&contracts.possible(&shared)?);
        session.assert(&contracts.formula(&contract.formula, &thread, &shared, &shared)?.not());
        let answer = session.check()?;
        if answer != Answer::Unsat {
            return Err(explain::not_reflexive(contracts, session, word, contract, &shared, &answer));
        }
        session.pop();
    }
    Ok(())
}

/// Every guarantee that is given implies the relies of all other threads.
pub(crate) fn guarantees_imply_relies(contracts: &Contracts<'_>, session: &mut Session) -> Result<(), Stop> {
    let program = contracts.population.program.clone();
    for index in 0..program.templates.len() {
        let template = TemplateId(index as u32);
        let given: Vec<&Contract> = contracts.guarantees(template).map(|(_, contract)| contract).collect();
        if given.is_empty() {
            continue;
        }
        session.push();
        let me = session.declare("me", &SmtSort::Int);
        let other = session.declare("other", &SmtSort::Int);
        let (before, after) = (store(contracts, session, "x"), store(contracts, session, "y"));
        session.assert(&contracts.population.is_copy(&me, template));
        session.assert(&other.equals(&me).not());
        session.assert(&contracts.possible(&before)?.and(&contracts.possible(&after)?));
        for guarantee in &given {
            session.assert(&contracts.formula(&guarantee.formula, &me, &before, &after)?);
        }
        for rely in &program.relies {
            session.push();
            session.assert(&contracts.is_subject(rely, &other));
            session.assert(&contracts.formula(&rely.formula, &other, &before, &after)?.not());
            let answer = session.check()?;
            if answer != Answer::Unsat {
                let stores = [before.as_slice(), after.as_slice()];
                let unknown = explain::guarantee_too_weak(contracts, session, given[0], rely, &stores, &answer);
                return Err(Stop::Unknown(unknown));
            }
            session.pop();
        }
        session.pop();
    }
    Ok(())
}

/// How many steps of a thread's rely in a row cover any number of them: 1 if the rely is transitive.
/// Otherwise the rely is closed where a few steps do; where they do not, the two steps that show
/// that it is not transitive are reported.
pub(crate) fn closure(contracts: &Contracts<'_>, template: TemplateId, session: &mut Session) -> Result<u32, Stop> {
    let me = session.declare("me", &SmtSort::Int);
    session.assert(&contracts.population.is_copy(&me, template));
    let stores: Vec<Vec<Value>> = (0..=MAX_CLOSURE + 1).map(|k| store(contracts, session, &format!("x{k}"))).collect();
    for store in &stores {
        session.assert(&contracts.possible(store)?);
    }
    let mut first = None;
    let depth = session.depth();
    for steps in 1..=MAX_CLOSURE {
        session.push();
        let reached = steps as usize + 1;
        for pair in stores[..=reached].windows(2) {
            session.assert(&contracts.rely(template, &me, &pair[0], &pair[1])?);
        }
        let covered = covered(contracts, template, &me, &stores[0], &stores[reached], steps)?;
        session.assert(&covered.not());
        // Whether a step in between exists is a hard question; no answer means no.
        let answer = if steps == 1 { session.check()? } else { session.check().unwrap_or(Answer::Sat) };
        if answer == Answer::Unsat {
            return Ok(steps);
        }
        if steps == 1 {
            let culprit = culprit(contracts, template, session, &me, &stores);
            let shown: Vec<&[Value]> = stores[..=2].iter().map(Vec::as_slice).collect();
            first = Some(explain::not_transitive(contracts, session, culprit, &shown, &answer));
        }
        session.pop_to(depth);
    }
    Err(Stop::Unknown(first.expect("the first attempt failed")))
}

/// That so many steps lead from one store to another: there are stores in between.
fn covered(
    contracts: &Contracts<'_>,
    template: TemplateId,
    me: &Term,
    from: &[Value],
    to: &[Value],
    steps: u32,
) -> Result<Term, Unsupported> {
    let population = contracts.population;
    let mut last = from.to_vec();
    let mut parts = Vec::new();
    let mut bound = Vec::new();
    for step in 1..steps {
        let sorts: Vec<Sort> = population.program.shared.iter().map(|var| var.sort.clone()).collect();
        let named = |(index, sort): (usize, &Sort)| population.named(&format!("z{step}.{index}"), sort);
        let next: Vec<Value> = sorts.iter().enumerate().map(named).collect();
        bound.extend(next.iter().flat_map(|value| value.0.iter().cloned()));
        parts.push(contracts.possible(&next)?);
        parts.push(contracts.rely(template, me, &last, &next)?);
        last = next;
    }
    parts.push(contracts.rely(template, me, &last, to)?);
    Ok(Term::exists(&bound, Term::all(&parts)))
}

/// A rely that is to blame: it does not hold of the two steps together.
fn culprit<'a>(
    contracts: &'a Contracts<'_>,
    template: TemplateId,
    session: &mut Session,
    me: &Term,
    stores: &[Vec<Value>],
) -> Option<&'a Contract> {
    let mine = contracts.program().relies.iter().filter(|contract| concerns(contract, template));
    mine.into_iter().find(|contract| {
        let formula = contracts.formula(&contract.formula, me, &stores[0], &stores[2]);
        let value = formula.ok().and_then(|formula| session.values(&[formula]).ok());
        value.is_some_and(|values| values[0].scalar() == Some(0))
    })
}
