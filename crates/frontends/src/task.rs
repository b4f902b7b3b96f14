//! Task definitions of the competition on software verification: a file that names programs, properties and a data model.
//!
//! ```yaml
//! format_version: '2.0'
//! input_files: 'counter.i'
//! properties:
//!   - property_file: ../properties/no-data-race.prp
//!     expected_verdict: true
//! options: {language: C, data_model: ILP32}
//! ```
//!
//! What is expected does not come with the task, since it must not matter: those who compare verdicts with it ask for it by itself. Flags on the command line go before what the task says.

use crate::c::{DATA_MODEL, PROPERTY};
use crate::options::Options;
use saphyr::{LoadableYamlNode, MarkedYaml, Marker};
use std::path::{Path, PathBuf};
use threadwise_source::{Diagnostic, SourceFile, Span};

/// What a task asks.
#[derive(Clone, Debug)]
pub struct Task {
    pub files: Vec<PathBuf>,
    pub options: Options,
    /// Properties that are asked for and not known here.
    pub left_out: Vec<Diagnostic>,
}

/// Whether a file is a task definition, by its name.
pub fn is_task(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|e| ["yml", "yaml"].contains(&e))
}

/// Reads a task definition. What it names is found from the folder that it is in.
pub fn read_task(file: &SourceFile, options: &Options) -> Result<Task, Diagnostic> {
    let syntax = |error: saphyr::ScanError| {
        Diagnostic::error(span(file, error.marker(), 1), format!("this is no YAML: {}", error.info()))
            .hint("a task definition has `input_files`, `properties` and `options`")
    };
    let documents = MarkedYaml::load_from_str(file.text()).map_err(syntax)?;
    let Some(task) = documents.first() else { return Err(missing("input_files")) };
    let folder = Path::new(file.name()).parent().unwrap_or(Path::new(""));
    let mut options = options.clone();
    if options.values(&DATA_MODEL).next().is_none()
        && let Some(model) = entry(task, "options").and_then(|given| entry(given, "data_model"))
    {
        let name = text(file, model)?;
        (DATA_MODEL.check)(name).map_err(|why| wrong(file, model, &format!("data model `{name}`: {why}")))?;
        options.add(&DATA_MODEL, name);
    }
    if let Some(language) = entry(task, "options").and_then(|given| entry(given, "language"))
        && text(file, language)? != "C"
    {
        return Err(wrong(file, language, "tasks are read for programs in C only"));
    }
    let is_asked = options.values(&PROPERTY).count() > 0;
    let left_out = if is_asked { Vec::new() } else { add_properties(file, task, folder, &mut options)? };
    let inputs = entry(task, "input_files").ok_or_else(|| missing("input_files"))?;
    let inputs = inputs.data.as_sequence().map_or(vec![inputs], |many| many.iter().collect());
    let files =
        inputs.into_iter().map(|input| Ok(folder.join(text(file, input)?))).collect::<Result<_, Diagnostic>>()?;
    Ok(Task { files, options, left_out })
}

/// What a task definition says that a verdict should be.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// As it is written, from the folder of the task.
    pub property_file: String,
    pub is_safe: bool,
    /// The part of the property that is violated, where it has parts.
    pub subproperty: Option<String>,
}

/// The verdicts that are expected, for those who compare; nothing of what cannot be read.
pub fn expectations(file: &SourceFile) -> Vec<Expectation> {
    let documents = MarkedYaml::load_from_str(file.text()).unwrap_or_default();
    let properties = documents.first().and_then(|task| entry(task, "properties")?.data.as_sequence());
    let expectation = |property: &MarkedYaml<'_>| {
        Some(Expectation {
            property_file: entry(property, "property_file")?.data.as_str()?.to_string(),
            is_safe: entry(property, "expected_verdict")?.data.as_bool()?,
            subproperty: entry(property, "subproperty").and_then(|part| part.data.as_str()).map(str::to_string),
        })
    };
    properties.into_iter().flatten().filter_map(expectation).collect()
}

/// Adds the properties that are known, and gives the others; there must be one that is known.
fn add_properties(
    file: &SourceFile,
    task: &MarkedYaml<'_>,
    folder: &Path,
    options: &mut Options,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let properties = entry(task, "properties").ok_or_else(|| missing("properties"))?;
    let listed =
        properties.data.as_sequence().ok_or_else(|| wrong(file, properties, "a list of properties is wanted"))?;
    let (mut known, mut left_out) = (0, Vec::new());
    for property in listed {
        let of = entry(property, "property_file").ok_or_else(|| wrong(file, property, "it has no `property_file`"))?;
        let path = folder.join(text(file, of)?).display().to_string();
        match (PROPERTY.check)(&path) {
            Ok(()) => {
                options.add(&PROPERTY, path);
                known += 1;
            }
            Err(why) => left_out.push(wrong(file, of, &format!("this property is left out: {why}"))),
        }
    }
    match (known, left_out.first()) {
        (0, Some(first)) => Err(first.clone().hint("say with `--property` what is to be verified")),
        (0, None) => {
            Err(wrong(file, properties, "there is no property").hint("say with `--property` what is to be verified"))
        }
        _ => Ok(left_out),
    }
}

fn entry<'a, 'y>(node: &'a MarkedYaml<'y>, key: &str) -> Option<&'a MarkedYaml<'y>> {
    node.data.as_mapping_get(key)
}

fn text<'a>(file: &SourceFile, node: &'a MarkedYaml<'_>) -> Result<&'a str, Diagnostic> {
    node.data.as_str().ok_or_else(|| wrong(file, node, "a text is wanted here"))
}

fn missing(key: &str) -> Diagnostic {
    Diagnostic::error(Span::default(), format!("the task definition has no `{key}`"))
        .hint("a task definition has `input_files`, `properties` and `options`")
}

fn wrong(file: &SourceFile, node: &MarkedYaml<'_>, message: &str) -> Diagnostic {
    let (start, end) = (node.span.start, node.span.end);
    Diagnostic::error(span(file, &start, end.index().saturating_sub(start.index()).max(1)), message)
}

/// The bytes of so many characters from a place that is counted in characters.
fn span(file: &SourceFile, from: &Marker, characters: usize) -> Span {
    let ends = file.text().char_indices().map(|(at, _)| at).chain([file.text().len()]);
    let mut places = ends.skip(from.index());
    let start = places.next().unwrap_or(file.text().len());
    let end = places.nth(characters.saturating_sub(1)).unwrap_or(file.text().len());
    Span::new(start, end.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Task, Diagnostic> {
        read_task(&SourceFile::new("tasks/a.yml", text), &Options::default())
    }

    #[test]
    fn what_is_expected_is_told_to_those_who_ask() {
        let text = "properties:\n- {property_file: a.prp, expected_verdict: true}\n- property_file: b.prp\n\
             - {property_file: c.prp, expected_verdict: false, subproperty: valid-free}\n";
        let expected = |name: &str, is_safe, part: Option<&str>| Expectation {
            property_file: name.to_string(),
            is_safe,
            subproperty: part.map(str::to_string),
        };
        let wanted = [expected("a.prp", true, None), expected("c.prp", false, Some("valid-free"))];
        assert_eq!(expectations(&SourceFile::new("a.yml", text)), wanted);
        assert_eq!(expectations(&SourceFile::new("a.yml", "properties: [1, {}]")), []);
        assert_eq!(expectations(&SourceFile::new("a.yml", "[")), []);
    }

    #[test]
    fn files_are_found_from_the_folder_of_the_task() {
        let mut options = Options::default();
        options.add(&PROPERTY, "races");
        let text = "format_version: '2.0'\ninput_files: ['a.i', 'b.i']\noptions:\n  language: C\n  data_model: ILP32\n";
        let task = read_task(&SourceFile::new("tasks/a.yml", text), &options).expect("it is one");
        assert_eq!(task.files, [Path::new("tasks/a.i"), Path::new("tasks/b.i")]);
        assert_eq!(task.options.values(&DATA_MODEL).collect::<Vec<_>>(), ["ILP32"]);
        assert_eq!(task.options.values(&PROPERTY).collect::<Vec<_>>(), ["races"]);
    }

    #[test]
    fn flags_go_before_what_the_task_says() {
        let mut options = Options::default();
        options.add(&PROPERTY, "races");
        options.add(&DATA_MODEL, "LP64");
        let text = "input_files: a.i\noptions: {data_model: ILP32}\n";
        let task = read_task(&SourceFile::new("a.yml", text), &options).expect("it is one");
        assert_eq!(task.options.values(&DATA_MODEL).collect::<Vec<_>>(), ["LP64"]);
        assert_eq!(task.files, [Path::new("a.i")]);
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_is() {
        let cases = [
            ("input_files: [", "this is no YAML"),
            ("", "the task definition has no"),
            ("input_files: a.i\n", "the task definition has no `properties`"),
            ("input_files: a.i\nproperties: []\n", "there is no property"),
            ("input_files: a.i\nproperties: 3\n", "a list of properties is wanted"),
            ("input_files: a.i\nproperties: [{expected_verdict: true}]\n", "it has no `property_file`"),
            (
                "input_files: a.i\nproperties: [{property_file: gone.prp}]\n",
                "this property is left out: cannot be read",
            ),
            ("input_files: a.i\noptions: {data_model: 16}\n", "a text is wanted here"),
            ("input_files: a.i\noptions: {data_model: LP16}\n", "data model `LP16`: there are ILP32 and LP64"),
            ("input_files: a.i\noptions: {language: Java}\n", "tasks are read for programs in C only"),
        ];
        for (text, message) in cases {
            let error = read(text).expect_err(text);
            assert!(error.message.starts_with(message), "{text}: {}", error.message);
        }
        let error = read("input_files: a.i\nproperties: é\n").expect_err("no list");
        assert_eq!((error.span.start, error.span.end), (29, 31));
    }
}
