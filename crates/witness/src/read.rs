//! Witnesses from YAML: what is there, whoever wrote it. Rules that a file may break and still be understood are not looked
//! at here; see `lint`.

use crate::format::{
    Content, Entry, GhostUpdate, GhostVariable, Ghosts, Invariant, Location, Metadata, Task, Waypoint, WaypointKind,
    Witness,
};
use saphyr::{LoadableYamlNode, MarkedYaml};
use std::fmt;

/// What is wrong with a file, and in which line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

type Fallible<T> = Result<T, Unreadable>;
type Node<'a> = MarkedYaml<'a>;

/// Reads a witness file.
pub fn from_yaml(text: &str) -> Fallible<Witness> {
    let syntax = |error: saphyr::ScanError| Unreadable {
        line: error.marker().line(),
        message: format!("this is no YAML: {}", error.info()),
    };
    let documents = Node::load_from_str(text).map_err(syntax)?;
    let Some(document) = documents.first() else {
        return Err(Unreadable { line: 1, message: "the file is empty".to_string() });
    };
    let entries = each(document, "a list of entries", entry)?;
    if entries.is_empty() {
        return Err(wrong(document, "there is no entry"));
    }
    Ok(Witness { entries })
}

fn wrong(node: &Node<'_>, message: impl Into<String>) -> Unreadable {
    Unreadable { line: node.span.start.line(), message: message.into() }
}

fn get<'a, 'y>(node: &'a Node<'y>, key: &str) -> Option<&'a Node<'y>> {
    node.data.as_mapping_get(key)
}

fn need<'a, 'y>(node: &'a Node<'y>, key: &str) -> Fallible<&'a Node<'y>> {
    get(node, key).ok_or_else(|| wrong(node, format!("`{key}` is missing")))
}

fn each<T>(node: &Node<'_>, what: &str, read: impl Fn(&Node<'_>) -> Fallible<T>) -> Fallible<Vec<T>> {
    let all = node.data.as_sequence().ok_or_else(|| wrong(node, format!("{what} is wanted here")))?;
    all.iter().map(read).collect()
}

/// A text; numbers and truth values that were not quoted are texts as well.
fn text(node: &Node<'_>) -> Fallible<String> {
    let data = &node.data;
    data.as_str()
        .map(str::to_string)
        .or_else(|| data.as_integer().map(|number| number.to_string()))
        .or_else(|| data.as_bool().map(|truth| truth.to_string()))
        .or_else(|| data.as_floating_point().map(|number| number.to_string()))
        .ok_or_else(|| wrong(node, "a text is wanted here"))
}

fn text_of(node: &Node<'_>, key: &str) -> Fallible<String> {
    text(need(node, key)?)
}

fn number(node: &Node<'_>) -> Fallible<u32> {
    let number = node.data.as_integer().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| wrong(node, "a number is wanted here"))
}

fn entry(node: &Node<'_>) -> Fallible<Entry> {
    let metadata = metadata(need(node, "metadata")?)?;
    let (kind, content) = (need(node, "entry_type")?, need(node, "content")?);
    let content = match text(kind)?.as_str() {
        "invariant_set" => Content::Invariants(each(content, "a list of invariants", invariant)?),
        "ghost_instrumentation" => Content::Ghosts(ghosts(content)?),
        "violation_sequence" => {
            let segment = |node: &Node<'_>| each(need(node, "segment")?, "a list of waypoints", waypoint);
            Content::Violation(each(content, "a list of segments", segment)?)
        }
        other => return Err(wrong(kind, format!("entries of the type `{other}` are not known here"))),
    };
    Ok(Entry { metadata, content })
}

fn metadata(node: &Node<'_>) -> Fallible<Metadata> {
    let (producer, task) = (need(node, "producer")?, need(node, "task")?);
    let names = each(need(task, "input_files")?, "a list of files", text)?;
    let hashes = need(task, "input_file_hashes")?;
    let files = names.into_iter().map(|name| {
        let hash = get(hashes, &name).map(text).transpose()?.unwrap_or_default();
        Ok((name, hash))
    });
    Ok(Metadata {
        format_version: text_of(node, "format_version")?,
        uuid: text_of(node, "uuid")?,
        creation_time: text_of(node, "creation_time")?,
        producer: text_of(producer, "name")?,
        producer_version: text_of(producer, "version")?,
        task: Task {
            files: files.collect::<Fallible<_>>()?,
            specification: text_of(task, "specification")?,
            data_model: text_of(task, "data_model")?,
        },
    })
}

fn location(node: &Node<'_>) -> Fallible<Location> {
    Ok(Location {
        file_name: text_of(node, "file_name")?,
        line: number(need(node, "line")?)?,
        column: get(node, "column").map(number).transpose()?,
        function: get(node, "function").map(text).transpose()?,
    })
}

fn invariant(node: &Node<'_>) -> Fallible<Invariant> {
    let node = need(node, "invariant")?;
    let kind = need(node, "type")?;
    let is_loop = match text(kind)?.as_str() {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return Err(wrong(kind, format!("invariants of the type `{other}` are not known here"))),
    };
    Ok(Invariant { is_loop, location: location(need(node, "location")?)?, value: c_expression(node)? })
}

/// The value of an expression, which has to be one of C.
fn c_expression(node: &Node<'_>) -> Fallible<String> {
    match get(node, "format").map(text).transpose()?.as_deref() {
        None | Some("c_expression" | "ext_c_expression" | "acsl_expression") => text_of(node, "value"),
        Some(other) => Err(wrong(node, format!("expressions in the format `{other}` are not known here"))),
    }
}

fn ghosts(node: &Node<'_>) -> Fallible<Ghosts> {
    let variable = |node: &Node<'_>| {
        Ok(GhostVariable {
            name: text_of(node, "name")?,
            ty: text_of(node, "type")?,
            initial: c_expression(need(node, "initial")?)?,
        })
    };
    let change = |node: &Node<'_>| Ok((text_of(node, "variable")?, c_expression(node)?));
    let update = |node: &Node<'_>| {
        let updates = each(need(node, "updates")?, "a list of updates", change)?;
        Ok(GhostUpdate { location: location(need(node, "location")?)?, updates })
    };
    Ok(Ghosts {
        variables: each(need(node, "ghost_variables")?, "a list of variables", variable)?,
        updates: each(need(node, "ghost_updates")?, "a list of updates", update)?,
    })
}

fn waypoint(node: &Node<'_>) -> Fallible<Waypoint> {
    let node = need(node, "waypoint")?;
    let (kind, action) = (need(node, "type")?, need(node, "action")?);
    let name = text(kind)?;
    let known = WaypointKind::ALL.into_iter().find(|kind| kind.name() == name);
    let known = known.ok_or_else(|| wrong(kind, format!("waypoints of the type `{name}` are not known here")))?;
    let is_followed = match text(action)?.as_str() {
        "follow" => true,
        "avoid" => false,
        other => return Err(wrong(action, format!("there is no action `{other}`"))),
    };
    let constraint = get(node, "constraint").map(c_expression).transpose()?;
    if constraint.is_none() && known.needs_constraint() {
        return Err(wrong(node, format!("a waypoint of the type `{name}` has a `constraint`")));
    }
    Ok(Waypoint {
        kind: known,
        is_followed,
        thread: get(node, "thread_id").map(number).transpose()?,
        location: location(need(node, "location")?)?,
        constraint,
    })
}
