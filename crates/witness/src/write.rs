//! Witnesses as YAML.

use crate::format::{
    Content, Entry, GhostUpdate, GhostVariable, Ghosts, Invariant, Location, Metadata, Waypoint, WaypointKind, Witness,
};
use saphyr::{Mapping, Scalar, Yaml, YamlEmitter};

type Node = Yaml<'static>;

/// The text of a witness file. The same witness gives the same text.
pub fn to_yaml(witness: &Witness) -> String {
    let document = Yaml::Sequence(witness.entries.iter().map(entry).collect());
    let mut text = String::new();
    let mut emitter = YamlEmitter::new(&mut text);
    // Whatever the document is, a string takes it.
    let _ = emitter.dump(&document);
    let text = text.strip_prefix("---\n").unwrap_or(&text);
    format!("{text}\n")
}

fn entry(entry: &Entry) -> Node {
    let content = match &entry.content {
        Content::Invariants(all) => {
            Yaml::Sequence(all.iter().map(|one| map([("invariant", invariant(one))])).collect())
        }
        Content::Ghosts(ghosts) => instrumentation(ghosts),
        Content::Violation(segments) => {
            let segment = |waypoints: &Vec<Waypoint>| {
                let waypoints = waypoints.iter().map(|one| map([("waypoint", waypoint(one))])).collect();
                map([("segment", Yaml::Sequence(waypoints))])
            };
            Yaml::Sequence(segments.iter().map(segment).collect())
        }
    };
    map([
        ("entry_type", text(entry.content.entry_type())),
        ("metadata", metadata(&entry.metadata)),
        ("content", content),
    ])
}

fn metadata(data: &Metadata) -> Node {
    let names = data.task.files.iter().map(|(name, _)| text(name)).collect();
    let hashes = data.task.files.iter().map(|(name, hash)| (text(name), text(hash)));
    let task = map([
        ("input_files", Yaml::Sequence(names)),
        ("input_file_hashes", Yaml::Mapping(hashes.collect())),
        ("specification", text(&data.task.specification)),
        ("data_model", text(&data.task.data_model)),
        ("language", text("C")),
    ]);
    map([
        ("format_version", text(&data.format_version)),
        ("uuid", text(&data.uuid)),
        ("creation_time", text(&data.creation_time)),
        ("producer", map([("name", text(&data.producer)), ("version", text(&data.producer_version))])),
        ("task", task),
    ])
}

fn location(place: &Location) -> Node {
    let mut all = vec![("file_name", text(&place.file_name)), ("line", number(place.line))];
    all.extend(place.column.map(|column| ("column", number(column))));
    all.extend(place.function.as_ref().map(|function| ("function", text(function))));
    map(all)
}

fn invariant(one: &Invariant) -> Node {
    map([
        ("type", text(if one.is_loop { "loop_invariant" } else { "location_invariant" })),
        ("location", location(&one.location)),
        ("value", text(&one.value)),
        ("format", text("c_expression")),
    ])
}

fn expression(value: &str) -> [(&'static str, Node); 2] {
    [("value", text(value)), ("format", text("c_expression"))]
}

fn instrumentation(ghosts: &Ghosts) -> Node {
    let variable = |ghost: &GhostVariable| {
        map([
            ("name", text(&ghost.name)),
            ("scope", text("global")),
            ("type", text(&ghost.ty)),
            ("initial", map(expression(&ghost.initial))),
        ])
    };
    let update = |update: &GhostUpdate| {
        let change = |(name, value): &(String, String)| {
            let [value, format] = expression(value);
            map([("variable", text(name)), value, format])
        };
        let changes = update.updates.iter().map(change).collect();
        map([("location", location(&update.location)), ("updates", Yaml::Sequence(changes))])
    };
    map([
        ("ghost_variables", Yaml::Sequence(ghosts.variables.iter().map(variable).collect())),
        ("ghost_updates", Yaml::Sequence(ghosts.updates.iter().map(update).collect())),
    ])
}

fn waypoint(one: &Waypoint) -> Node {
    let mut all =
        vec![("type", text(one.kind.name())), ("action", text(if one.is_followed { "follow" } else { "avoid" }))];
    all.extend(one.thread.map(|thread| ("thread_id", number(thread))));
    if let Some(value) = &one.constraint {
        let format = match one.kind {
            WaypointKind::Branching => None,
            WaypointKind::FunctionReturn => Some("acsl_expression"),
            WaypointKind::Assumption | WaypointKind::Target | WaypointKind::FunctionEnter => Some("c_expression"),
        };
        let mut constraint = vec![("value", text(value))];
        constraint.extend(format.map(|format| ("format", text(format))));
        all.push(("constraint", map(constraint)));
    }
    all.push(("location", location(&one.location)));
    map(all)
}

fn map(entries: impl IntoIterator<Item = (&'static str, Node)>) -> Node {
    Yaml::Mapping(entries.into_iter().map(|(key, value)| (text(key), value)).collect::<Mapping<'static>>())
}

fn text(text: &str) -> Node {
    Yaml::Value(Scalar::String(text.to_string().into()))
}

fn number(number: u32) -> Node {
    Yaml::Value(Scalar::Integer(i64::from(number)))
}
