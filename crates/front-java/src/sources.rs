//! The texts of a program, and where the lines of its classes are in them.

use crate::classes::Class;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use threadwise_source::{SourceFile, SourceMap, Span};

/// The bytes of a line of a text, counted from 1, without the white space around it.
pub(crate) fn line_range(text: &str, number: usize) -> (usize, usize) {
    let mut start = 0;
    for (line, count) in text.split_inclusive('\n').zip(1..) {
        if count == number {
            let inside = line.trim_end();
            let indent = inside.len() - inside.trim_start().len();
            return (start + indent, start + inside.len());
        }
        start += line.len();
    }
    (start, start)
}

/// The texts of a program.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) map: Arc<SourceMap>,
    /// By the name of the file without folders: where the text starts, and the text.
    texts: BTreeMap<String, (u32, String)>,
    /// A file of which there are two, one of them with contracts, and where its text starts.
    pub(crate) twice: Option<(String, u32)>,
}

impl Sources {
    /// Where there is no text, which only class files know, lines are made up, so that they can be named.
    pub(crate) fn of(files: &[SourceFile], classes: &[&Class<'_>]) -> Option<Sources> {
        let (mut map, mut texts, mut twice) = (SourceMap::default(), BTreeMap::new(), None);
        let has_contracts = |text: &str| text.contains("//@") || text.contains("/*@");
        for file in files.iter().filter(|file| file.name().ends_with(".java")) {
            let start = map.add(file.clone())?;
            let name = short(file.name());
            let before: Option<(u32, String)> = texts.insert(name.clone(), (start, file.text().to_string()));
            if before.is_some_and(|(_, text)| has_contracts(&text) || has_contracts(file.text())) {
                twice = Some((name, start));
            }
        }
        let mut last_lines: BTreeMap<String, u32> = BTreeMap::new();
        for class in classes {
            let name = class.source.clone().unwrap_or_else(|| format!("{}.class", class.name));
            if texts.contains_key(&name) {
                continue;
            }
            let lines = class.methods.iter().filter_map(|method| method.code.as_ref()).flat_map(|code| &code.lines);
            let last = lines.map(|(_, line)| *line).max().unwrap_or(1);
            let known = last_lines.entry(name).or_default();
            *known = last.max(*known);
        }
        for (name, last) in last_lines {
            let beside =
                files.iter().filter_map(|file| Path::new(file.name()).parent()).map(|folder| folder.join(&name));
            let text = beside.filter_map(|path| std::fs::read_to_string(path).ok()).next();
            let text = text.unwrap_or_else(|| (1..=last).map(|line| format!("line {line} of {name}\n")).collect());
            let start = map.add(SourceFile::new(name.clone(), text.clone()))?;
            texts.insert(name, (start, text));
        }
        Some(Sources { map: Arc::new(map), texts, twice })
    }

    /// The text of a line.
    pub(crate) fn line(&self, class: &Class<'_>, number: Option<u32>) -> Span {
        let name = class.source.clone().unwrap_or_else(|| format!("{}.class", class.name));
        let Some((start, text)) = self.texts.get(&name) else { return Span::default() };
        let (from, to) = line_range(text, number.unwrap_or(1) as usize);
        Span::new(*start as usize + from, *start as usize + to)
    }

    /// The first line of the text of a class that has a name in it.
    pub(crate) fn mentioned(&self, class: &Class<'_>, name: &str) -> Option<u32> {
        let (_, text) = self.texts.get(class.source.as_deref()?)?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let has = |line: &str| line.split(|c| !is_part(c)).any(|word| word == name);
        text.lines().zip(1..).find(|(line, _)| has(line)).map(|(_, number)| number)
    }

    /// The texts with where they start, in a fixed order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, u32, &str)> {
        self.texts.iter().map(|(name, (start, text))| (name.as_str(), *start, text.as_str()))
    }
}

fn short(name: &str) -> String {
    Path::new(name).file_name().map_or_else(|| name.to_string(), |name| name.to_string_lossy().into_owned())
}
