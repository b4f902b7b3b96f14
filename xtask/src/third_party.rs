//! The licences of the libraries that are part of the program.

use anyhow::{Context, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A text with the libraries in the program, their licences, and the texts of these, each once.
pub fn licences(root: &Path) -> anyhow::Result<String> {
    let metadata = metadata(root)?;
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let mut out = String::from(
        "# Licences of the libraries in this program\n\nThreadwise itself is under MIT OR Apache-2.0.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in in_program(&metadata)? {
        let Some(package) = packages.get(id.as_str()).filter(|package| !package["source"].is_null()) else { continue };
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let library = format!("{} {}", field("name"), field("version"));
        out.push_str(&format!("- {library}: {}\n", package["license"].as_str().unwrap_or("see below")));
        let folder = Path::new(field("manifest_path")).parent().context("a manifest is in a folder")?;
        for text in licence_texts(folder)? {
            texts.entry(text).or_default().push(library.clone());
        }
    }
    for (text, libraries) in texts {
        out.push_str(&format!(
            "\n## {}\n\n```text\n{}\n```\n",
            libraries.join(", "),
            text.trim_end().replace("```", "'''")
        ));
    }
    Ok(out)
}

fn metadata(root: &Path) -> anyhow::Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output =
        Command::new(cargo).args(["metadata", "--format-version", "1", "--locked"]).current_dir(root).output()?;
    ensure!(output.status.success(), "cargo metadata fails: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// All that the program is linked from: what its crates depend on, but not for tests and not to be built.
fn in_program(metadata: &Value) -> anyhow::Result<BTreeSet<String>> {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let is_program = |id: &&&str| id.contains("crates/cli") || id.contains("threadwise-cli");
    let root = nodes.keys().find(is_program).context("the program is no part of the workspace")?;
    let mut found = BTreeSet::new();
    let mut open = vec![(*root).to_string()];
    while let Some(id) = open.pop() {
        let is_linked = |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let dependencies = nodes.get(id.as_str()).map_or(&[][..], |node| list(&node["deps"]));
        open.extend(
            dependencies
                .iter()
                .filter(is_linked)
                .filter_map(|d| d["pkg"].as_str())
                .filter(|id| !found.contains(*id))
                .map(str::to_string),
        );
        found.insert(id);
    }
    Ok(found)
}

/// The files of a library that are called like licences.
fn licence_texts(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<_> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let is_licence = |path: &&std::path::PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
        path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word))
    };
    Ok(names.iter().filter(is_licence).filter_map(|path| fs::read_to_string(path).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_in_the_program_are_listed_and_those_of_tests_are_not() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let text = licences(&root).expect("cargo tells");
        for library in ["- clap ", "- serde_json ", "- lsp-server ", "- lang-c "] {
            assert!(text.contains(library), "{library}");
        }
        for library in ["- proptest ", "- snapbox ", "- plotters ", "- threadwise-"] {
            assert!(!text.contains(library), "{library}");
        }
        assert!(text.contains("Permission is hereby granted"), "the texts are there");
    }
}
