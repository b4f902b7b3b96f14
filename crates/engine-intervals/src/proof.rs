//! What was found, as formulas for the judge.

use crate::cells::{Cells, ME, NONE, OTHER, Role};
use crate::fixpoint::{Analysis, Here};
use crate::number::{LEAST, MOST, Numbers};
use crate::state::{At, State};
use std::collections::BTreeMap;
use threadwise_claims::points_behind;
use threadwise_evidence::{FormulaProof, PointFormula, Proof, Scope, ThreadFormulas};
use threadwise_ir::{Point, Program, Sort, TemplateId};
use threadwise_logic::{Names, SmtSort, Term, Var, write_term};
use threadwise_symbolic::Parameters;

/// The proof that the judge of formulas reads: this is the only place that knows its form. What was found at points that are
/// inside of steps of the program that it is about is left out.
pub(crate) fn proof(analysis: &Analysis<'_>, whole: &Program) -> Proof {
    let mut threads: Vec<Vec<PointFormula>> = analysis.cells.program.templates.iter().map(|_| Vec::new()).collect();
    let cells = analysis.cells;
    let mut places: BTreeMap<(TemplateId, &Point), Vec<&Here>> = BTreeMap::new();
    for here in analysis.here.iter().filter(|here| !here.is_gone && !here.point.is_inside_step(whole)) {
        places.entry((cells.template(here.role), &here.point)).or_default().push(here);
    }
    for ((template, point), states) in places {
        let formula = write_term(&formula(analysis, template, &states), &NoNames);
        threads[template.index()].push(PointFormula::new(point.clone(), formula));
    }
    let reached: Vec<(TemplateId, Point)> =
        analysis.here.iter().map(|here| (cells.template(here.role), here.point.clone())).collect();
    let unreached = points_behind(cells.program, &reached);
    for (template, point) in unreached.into_iter().filter(|(_, point)| !point.is_inside_step(whole)) {
        threads[template.index()].push(PointFormula::new(point, "false".to_string()));
    }
    let parts = threads.into_iter().map(|points| ThreadFormulas { points, ..ThreadFormulas::default() });
    Proof::Formulas(FormulaProof { scope: Scope::Templates, parts: parts.collect() })
}

/// Formulas have constants and no variables.
struct NoNames;

impl Names for NoNames {
    fn name(&self, var: Var) -> String {
        format!("v{}", var.index())
    }
}

/// The cells of a state as terms.
struct Terms<'a> {
    cells: &'a Cells<'a>,
    own: Term,
    constants: Vec<Term>,
    sorts: Vec<(Sort, bool)>,
}

/// What holds at a point: what always does, and one of the states that are known there.
fn formula(analysis: &Analysis<'_>, template: TemplateId, states: &[&Here]) -> Term {
    let (cells, here) = (analysis.cells, states[0]);
    let parameters = Parameters::default().with("self", &SmtSort::Int).with_shared(&cells.population);
    let parameters = parameters.with_locals(&cells.population, &here.point);
    let routines = here.point.routines(cells.program);
    let frames = routines.iter().flat_map(|routine| cells.frame(*routine));
    let sorts: Vec<(Sort, bool)> =
        cells.shared.iter().chain(frames).map(|cell| (cell.sort.clone(), cell.known)).collect();
    let (own, constants) = parameters.constants().split_first().expect("a thread has an identity");
    let terms = Terms { cells, own: own.clone(), constants: constants.to_vec(), sorts };
    let Some(always) = &analysis.known.always else { return Term::bool(false) };
    let nobody: Vec<Numbers> = cells.shared.iter().map(|cell| cells.anything_in(cell)).collect();
    let mut parts = terms.state(always, &State::new(nobody), None);
    for ((at, value), holds) in &analysis.known.wherever {
        let condition = terms.member(*at, *value);
        let Some(condition) = condition else { continue };
        let holds = match holds {
            Some(holds) => Term::all(terms.state(holds, always, None)),
            None => Term::bool(false),
        };
        parts.push(condition.implies(holds));
    }
    let mut base = always.clone();
    base.cells.extend(terms.sorts[cells.shared.len()..].iter().map(|(sort, _)| cells.all(sort)));
    let roles: Vec<Role> = cells.all_roles().filter(|role| cells.template(*role) == template).collect();
    for role in &roles {
        let own = states.iter().filter(|here| here.role == *role);
        let alternatives = own.map(|here| Term::all(terms.state(&here.state, &base, Some(*role))));
        let known = Term::any(alternatives.collect::<Vec<Term>>());
        let number = cells.thread(*role).and_then(|thread| cells.threads[thread as usize - 1].1);
        parts.push(match number {
            Some(number) if roles.len() > 1 => terms.own.equals(Term::int(number)).implies(known),
            Some(_) | None => known,
        });
    }
    Term::all(parts)
}

impl Terms<'_> {
    /// That the cells are as a state says, as far as that is not said by another one. Threads are as a thread sees them,
    /// or as nobody in particular does.
    fn state(&self, state: &State, said: &State, seen_by: Option<Role>) -> Vec<Term> {
        let mut parts = Vec::new();
        for (at, value) in state.cells.iter().enumerate() {
            let (sort, known) = &self.sorts[at];
            let is_news = said.cells.get(at) != Some(value) || *sort == Sort::Tid;
            if *known && is_news {
                parts.extend(self.cell(at, value, seen_by));
            }
        }
        for (a, b, bound) in state.differences() {
            if said.bound(a, b) > bound {
                parts.push(self.constants[a].minus(&self.constants[b]).le(Term::int(bound)));
            }
        }
        parts
    }

    /// That a cell has a value, where that can be said.
    fn member(&self, at: At, value: i64) -> Option<Term> {
        let cell = &self.constants[at];
        let (sort, _) = &self.sorts[at];
        Some(match sort {
            Sort::Bool if value == 1 => cell.clone(),
            Sort::Bool => cell.not(),
            Sort::Tid => match value {
                NONE => cell.equals(Term::int(0)),
                ME => cell.equals(&self.own),
                OTHER => return None,
                thread => cell.equals(Term::int(self.cells.threads[thread as usize - 1].1?)),
            },
            Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Set(_) | Sort::Array(..) => {
                cell.equals(Term::int(value))
            }
        })
    }

    fn cell(&self, at: At, value: &Numbers, seen_by: Option<Role>) -> Option<Term> {
        let cell = &self.constants[at];
        if let Some(few) = value.few() {
            let members: Option<Vec<Term>> = few.iter().map(|&member| self.member(at, member)).collect();
            if let Some(members) = members {
                return Some(Term::any(members));
            }
        }
        if self.sorts[at].0 == Sort::Tid {
            // What it is cannot be said, but perhaps what it is not.
            let not = |thread: i64, term: Term| (!value.contains(thread)).then(|| cell.equals(term).not());
            let not_me = seen_by.and_then(|_| not(ME, self.own.clone()));
            return Some(Term::all([not(NONE, Term::int(0)), not_me].into_iter().flatten().collect::<Vec<Term>>()));
        }
        let low = (value.low() != LEAST).then(|| Term::int(value.low()).le(cell));
        let high = (value.high() != MOST).then(|| cell.le(Term::int(value.high())));
        let hole = (value.low() < 0 && value.high() > 0 && !value.contains(0)).then(|| cell.equals(Term::int(0)).not());
        Some(Term::all([low, high, hole].into_iter().flatten().collect::<Vec<Term>>()))
    }
}
