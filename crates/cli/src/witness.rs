//! Verification witnesses: what a verdict rests on, for other tools.

use crate::console::Console;
use crate::exit::InputError;
use crate::input::read_source;
use crate::pending::PendingFile;
use crate::properties::Answered;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use threadwise_frontends::{DATA_MODEL, Landmarks, Options, Question, c_landmarks, frontend_for, load_c_with_atlas};
use threadwise_memory::Atlas;
use threadwise_source::{SourceFile, SourceMap};
use threadwise_verdict::Verdict;
use threadwise_witness::{Content, Ground, Subject, invariants, to_yaml, violation_sequence, witness};

/// What was asked of which files.
pub struct Asked<'a> {
    pub names: &'a [PathBuf],
    pub questions: &'a [Question],
    pub options: &'a Options,
}

/// The text of a C program once more, with what witnesses need to know of it.
pub struct Text {
    pub files: Vec<SourceFile>,
    pub landmarks: Landmarks,
}

impl Text {
    /// Reads it; only programs in C have witnesses.
    pub fn read(names: &[PathBuf], options: &Options) -> Result<Text, InputError> {
        let frontend = frontend_for(&names[0]);
        if frontend.noun() != "a C program" {
            let message =
                format!("`{}` is {}: there are witnesses of C programs only", names[0].display(), frontend.noun());
            return Err(InputError::new(message).hint("`--proof` and `--trace` keep the evidence of any program"));
        }
        let files =
            names.iter().map(|name| read_source(name, frontend)).collect::<Result<Vec<SourceFile>, InputError>>()?;
        let wrong = |error| InputError::of_program(&std::sync::Arc::new(SourceMap::default()), error);
        let landmarks = c_landmarks(files.clone(), options).map_err(wrong)?;
        Ok(Text { files, landmarks })
    }

    pub fn atlas(&self, options: &Options) -> Atlas {
        load_c_with_atlas(self.files.clone(), options).1
    }
}

/// Writes the witness of an answer, or says why there is none.
pub fn write(console: &Console, main: &Answered, asked: &Asked<'_>, file: PendingFile) -> Result<(), InputError> {
    let question = asked.questions.iter().find(|question| question.name == main.name);
    let options = question.map_or(asked.options, |question| &question.options).at_level(main.level);
    let text = Text::read(asked.names, &options)?;
    let subject = Subject {
        files: text.files.iter().map(|file| (file.name().to_string(), file.text().as_bytes().to_vec())).collect(),
        property: main.name.to_string(),
        is_32_bit: options.values(&DATA_MODEL).last() == Some("ILP32"),
        time: creation_time(asked.names),
        version: env!("CARGO_PKG_VERSION").to_string(),
    };
    let made = match &main.outcome.verdict {
        Verdict::Unsafe(found) => {
            let (instance, trace) = (found.trace().instance(), found.trace().trace());
            let ground = Ground { instance, landmarks: &text.landmarks, atlas: &text.atlas(&options) };
            violation_sequence(ground, trace)
                .map(|segments| witness(&subject, "2.2", vec![Content::Violation(segments)]))
        }
        Verdict::Safe(_) => main.outcome.proof.as_ref().map(|proof| {
            let (found, ghosts) = invariants(&main.program, proof, &text.landmarks, &text.atlas(&options));
            let mut contents = vec![Content::Invariants(found)];
            if !ghosts.variables.is_empty() {
                contents.push(Content::Ghosts(ghosts));
            }
            witness(&subject, "2.1", contents)
        }),
        Verdict::Unknown(_) => None,
    };
    match made {
        Some(made) => file.write(|mut out| out.write_all(to_yaml(&made).as_bytes())),
        None => {
            let verdict = main.outcome.verdict.word().to_uppercase();
            console.note(format!("no witness written: the verdict is {verdict}, and has none to show"));
            Ok(())
        }
    }
}

/// What is said to be the time of a witness: as others ask for it, or that of the newest file. So the same input gives the
/// same output.
fn creation_time(names: &[PathBuf]) -> u64 {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    let changed = |name: &PathBuf| {
        let time = std::fs::metadata(Path::new(name)).and_then(|data| data.modified()).ok()?;
        Some(time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs())
    };
    asked.unwrap_or_else(|| names.iter().filter_map(changed).max().unwrap_or(0))
}
