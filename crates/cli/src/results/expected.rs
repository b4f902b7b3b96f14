//! What a task says that the verdicts should be. Only the table knows of it: a run that is told nothing of it finds the verdict.

use std::path::Path;
use threadwise_frontends::expectations;
use threadwise_source::SourceFile;
use threadwise_witness::property_of;

/// Properties by our names, and whether the program is said to have them.
pub fn expected(file: &SourceFile) -> Vec<(&'static str, bool)> {
    let folder = Path::new(file.name()).parent().unwrap_or(Path::new(""));
    let known = expectations(file).into_iter().filter_map(|said| {
        let text = std::fs::read_to_string(folder.join(&said.property_file)).ok()?;
        let is_about_it = said.subproperty.as_deref().is_none_or(|part| text.contains(part) && is_verified(part));
        Some((property_of(&text)?, said.is_safe)).filter(|_| is_about_it)
    });
    known.collect()
}

/// A program may lack a part of a property that is not looked at here, and have the rest.
fn is_verified(part: &str) -> bool {
    property_of(&format!("G {part}")).is_some()
}
