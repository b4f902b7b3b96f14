//! What was found, as formulas for the judge.

use crate::search::Search;
use std::collections::BTreeSet;
use threadwise_claims::points_behind;
use threadwise_evidence::{FormulaProof, PointFormula, Proof, Scope, ThreadFormulas};
use threadwise_ir::{Point, TemplateId};
use threadwise_logic::{Numbered, SmtSort, write_term};
use threadwise_symbolic::Parameters;

/// What holds at each place, with what holds everywhere; that nobody comes to the others.
pub(crate) fn proof(search: &Search<'_>) -> Proof {
    let map = search.map;
    let population = map.population;
    let program = &population.program;
    let mut threads: Vec<Vec<PointFormula>> = program.templates.iter().map(|_| Vec::new()).collect();
    let mut places = BTreeSet::new();
    for (place, here) in map.places.iter().zip(&search.here) {
        let parameters = Parameters::default().with("self", &SmtSort::Int).with_shared(population);
        let parameters = parameters.with_locals(population, &place.point);
        let names = parameters.constants();
        let formula = search.everywhere.formula(&names[1..=map.shared.constants.len()]).and(here.formula(names));
        threads[place.template.index()].push(PointFormula::new(place.point.clone(), write_term(&formula, &Numbered)));
        places.insert((place.template, place.point.clone()));
    }
    let all: Vec<(TemplateId, Point)> = places.iter().cloned().collect();
    for (template, point) in points_behind(program, &all) {
        threads[template.index()].push(PointFormula::new(point, "false".to_string()));
    }
    let parts = threads.into_iter().map(|points| ThreadFormulas { points, ..ThreadFormulas::default() });
    Proof::Formulas(FormulaProof { scope: Scope::Templates, parts: parts.collect() })
}
