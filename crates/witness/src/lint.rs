//! The rules of the format that a file can break although it can be read.

use crate::format::{Content, Entry, Location, Waypoint, WaypointKind, Witness};

/// All rules that a witness breaks, in words; none for a good one.
pub fn lint(witness: &Witness) -> Vec<String> {
    let mut broken = Vec::new();
    let versions: std::collections::BTreeSet<&str> =
        witness.entries.iter().map(|entry| entry.metadata.format_version.as_str()).collect();
    if versions.len() > 1 {
        broken.push("the entries have different format versions".to_string());
    }
    let is_violation = |entry: &&Entry| matches!(entry.content, Content::Violation(_));
    let violations = witness.entries.iter().filter(is_violation).count();
    if violations > 0 && violations < witness.entries.len() {
        broken.push("entries of a violation and of a proof stand in one file".to_string());
    }
    for (entry, number) in witness.entries.iter().zip(1..) {
        let mut say = |what: &str| broken.push(format!("entry {number}: {what}"));
        metadata(entry, &mut say);
        content(entry, &mut say);
    }
    let uuids: std::collections::BTreeSet<&str> =
        witness.entries.iter().map(|entry| entry.metadata.uuid.as_str()).collect();
    if uuids.len() < witness.entries.len() {
        broken.push("two entries have the same uuid".to_string());
    }
    broken
}

fn metadata(entry: &Entry, say: &mut dyn FnMut(&str)) {
    let data = &entry.metadata;
    let least = match &entry.content {
        Content::Ghosts(_) => "2.1",
        Content::Violation(segments) if segments.iter().flatten().any(|waypoint| waypoint.thread.is_some()) => "2.2",
        Content::Invariants(_) | Content::Violation(_) => "2.0",
    };
    if !["2.0", "2.1", "2.2"].contains(&data.format_version.as_str()) {
        say("the format version is none of 2.0, 2.1 and 2.2");
    } else if data.format_version.as_str() < least {
        say(&format!("what it says needs format version {least}"));
    }
    if !is_uuid(&data.uuid) {
        say("the uuid is none");
    }
    if !is_time(&data.creation_time) {
        say("the creation time is not one of ISO 8601");
    }
    if data.task.files.is_empty() {
        say("there is no input file");
    }
    if !data.task.files.iter().all(|(_, hash)| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit())) {
        say("an input file has no SHA-256");
    }
    if !data.task.specification.contains("CHECK(") {
        say("the specification is none");
    }
    if !["ILP32", "LP64"].contains(&data.task.data_model.as_str()) {
        say("the data model is neither ILP32 nor LP64");
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12] && groups.concat().bytes().all(|b| b.is_ascii_hexdigit())
}

/// `2026-11-16T12:00:00Z`, or with an offset.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape.starts_with("0000-00-00T00:00:00")
}

fn content(entry: &Entry, say: &mut dyn FnMut(&str)) {
    let files: Vec<&str> = entry.metadata.task.files.iter().map(|(name, _)| name.as_str()).collect();
    let place = |location: &Location, say: &mut dyn FnMut(&str)| {
        if !files.contains(&location.file_name.as_str()) {
            say(&format!("`{}` is none of the input files", location.file_name));
        }
        if location.line == 0 || location.column == Some(0) {
            say("lines and columns count from 1");
        }
    };
    match &entry.content {
        Content::Invariants(all) => all.iter().for_each(|one| place(&one.location, say)),
        Content::Ghosts(ghosts) => {
            for update in &ghosts.updates {
                place(&update.location, say);
                for (name, _) in &update.updates {
                    if !ghosts.variables.iter().any(|variable| variable.name == *name) {
                        say(&format!("`{name}` changes, and is no ghost variable"));
                    }
                }
            }
        }
        Content::Violation(segments) => {
            segments.iter().flatten().for_each(|one| place(&one.location, say));
            sequence(segments, say);
        }
    }
}

fn sequence(segments: &[Vec<Waypoint>], say: &mut dyn FnMut(&str)) {
    let Some((last, before)) = segments.split_last() else { return say("there is no segment") };
    let is_target = |waypoint: &Waypoint| waypoint.kind == WaypointKind::Target;
    if before.iter().flatten().any(is_target) {
        say("a target stands before the last segment");
    }
    if !last.iter().any(is_target) {
        say("the last segment has no target");
    }
    for segment in segments {
        let follows = segment.iter().filter(|waypoint| waypoint.is_followed).count();
        if follows == 0 {
            say("a segment has nothing to follow");
        }
        if segment.iter().skip_while(|waypoint| !waypoint.is_followed).any(|waypoint| !waypoint.is_followed) {
            say("a segment has something to avoid behind what is to be followed");
        }
    }
    for waypoint in segments.iter().flatten() {
        if waypoint.kind == WaypointKind::Branching
            && !waypoint
                .constraint
                .as_deref()
                .is_some_and(|c| c == "default" || c.parse::<i64>().is_ok() || is_truth(c))
        {
            say("the constraint of a branching is a truth value, or a constant for a switch");
        }
    }
}

fn is_truth(text: &str) -> bool {
    ["true", "false"].contains(&text)
}
