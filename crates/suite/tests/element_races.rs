//! Engines and the naive interpreter agree on races on elements, in random programs whose every array is under `norace`
//! by its elements, and which have no other property.

use threadwise_front_tw::ast::{Item, ItemKind, Module, TypeKind, Watched};
use threadwise_front_tw::printer::print;
use threadwise_oracle::{ErrorKind, GeneratorOptions, OracleVerdict, explore, random_module};
use threadwise_source::Span;
use threadwise_suite::disagreement;

const MAX_STATES: usize = 3_000;

/// The program with another property, if it has arrays: all of them by their elements, or by those of their rows.
fn watched(mut module: Module, whole_rows: bool) -> Option<Module> {
    let mut all = Vec::new();
    for item in &module.items {
        let ItemKind::Shared(variables) = &item.kind else { continue };
        let (mut depth, mut ty) = (0, &variables.ty);
        while let TypeKind::Array(_, element) = &ty.kind {
            (depth, ty) = (depth + 1, element);
        }
        let depth = if whole_rows { depth.min(1) } else { depth };
        all.extend(variables.names.iter().filter(|_| depth > 0).map(|name| Watched { name: name.clone(), depth }));
    }
    let is_property = |item: &Item| {
        matches!(
            item.kind,
            ItemKind::Invariant(..) | ItemKind::Never(..) | ItemKind::NoRace(_) | ItemKind::Exceptions(_)
        )
    };
    module.items.retain(|item| !is_property(item));
    let any = !all.is_empty();
    module.items.push(Item { kind: ItemKind::NoRace(all), span: Span::default() });
    any.then_some(module)
}

#[test]
fn engines_and_oracle_agree_on_races_on_elements() {
    let (mut races, mut safe) = (0, 0);
    for seed in 0..700 {
        let options = if seed % 2 == 0 { GeneratorOptions::tiny() } else { GeneratorOptions::small() };
        let Some(module) = watched(random_module(seed, &options), seed % 3 == 0) else { continue };
        let explored = explore(&module, &[], MAX_STATES);
        match &explored.verdict {
            OracleVerdict::Safe if explored.complete => safe += 1,
            OracleVerdict::Unsafe { kinds, .. } if kinds.contains(&ErrorKind::Race) => races += 1,
            OracleVerdict::Safe | OracleVerdict::Unsafe { .. } | OracleVerdict::Unknown(_) => continue,
        }
        let found = disagreement(&module, &explored, &["explicit", "modular", "cartesian"]);
        assert!(found.is_none(), "{}\nin\n{}", found.unwrap_or_default(), print(&module));
    }
    assert!(races >= 20 && safe >= 20, "{races} races, {safe} programs without errors");
}
