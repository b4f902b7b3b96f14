//! An open document and what is known of it.

use crate::analysis::Analysed;
use crate::findings::Finding;
use crate::lsp::{Position, Uri};
use crate::places::path_of;
use crate::text::Text;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use threadwise_editing::Index;
use threadwise_front_tw::parse;
use threadwise_source::SourceFile;

/// What a document is written in, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    /// All that an editor can ask has an answer.
    Threadwise,
    /// Errors are told while somebody types, and there are verdicts.
    TransitionSystem,
    /// There are verdicts, once somebody has asked for one.
    Other,
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    /// The file that it is in, if it is in one.
    pub(crate) path: Option<PathBuf>,
    pub(crate) language: Language,
    pub(crate) version: i32,
    pub(crate) text: Arc<Text>,
    /// When it was changed first since it was looked at.
    pub(crate) changed: Option<(Instant, Instant)>,
    pub(crate) is_being_analysed: bool,
    pub(crate) analysed: Option<Analysed>,
    /// The text as it was saved last.
    pub(crate) saved: Option<Arc<Text>>,
    /// Whether somebody has asked for a verdict.
    pub(crate) is_asked: bool,
    pub(crate) finding: Option<Finding>,
    names: OnceCell<Names>,
}

/// The names in a text.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) file: SourceFile,
    pub(crate) index: Index,
}

impl Names {
    pub(crate) fn of(text: &str) -> Names {
        let file = SourceFile::new("", text);
        let index = Index::new(&parse(&file).module);
        Names { file, index }
    }
}

impl Document {
    pub(crate) fn new(uri: Uri, language_id: &str, version: i32, content: String) -> Document {
        let path = path_of(&uri);
        let text = Arc::new(Text::new(content));
        Document {
            language: language(language_id, &uri),
            // What is opened from a file is what is in the file, until it is changed.
            saved: path.is_some().then(|| text.clone()),
            path,
            uri,
            version,
            text,
            changed: None,
            is_being_analysed: false,
            analysed: None,
            is_asked: false,
            finding: None,
            names: OnceCell::new(),
        }
    }

    pub(crate) fn set_text(&mut self, text: Text, version: i32) {
        self.text = Arc::new(text);
        self.version = version;
        self.names = OnceCell::new();
    }

    /// The names in the text, found once for each version.
    pub(crate) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.text.content()))
    }

    pub(crate) fn offset(&self, position: Position) -> u32 {
        self.text.offset(position) as u32
    }

    /// The name under which messages speak of it.
    pub(crate) fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None if self.language == Language::TransitionSystem => "new.ts".to_string(),
            None => "new.tw".to_string(),
        }
    }

    pub(crate) fn is_saved(&self) -> bool {
        self.path.is_some() && self.saved.as_ref() == Some(&self.text)
    }
}

/// By its name, and where that does not tell, by what the client calls it.
fn language(id: &str, uri: &Uri) -> Language {
    let extension = Path::new(&uri.0).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("tw") => Language::Threadwise,
        // Editors take this extension for another language as well.
        Some("ts") if id != "typescript" => Language::TransitionSystem,
        _ if id == "threadwise" => Language::Threadwise,
        _ => Language::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_languages_and_so_do_clients() {
        let of = |uri: &str, id: &str| language(id, &Uri(uri.to_string()));
        assert_eq!(of("file:///a.tw", "plaintext"), Language::Threadwise);
        assert_eq!(of("untitled:Untitled-1", "threadwise"), Language::Threadwise);
        assert_eq!(of("file:///a.ts", "transition-system"), Language::TransitionSystem);
        assert_eq!(of("file:///a.ts", "typescript"), Language::Other);
        assert_eq!(of("file:///a.c", "c"), Language::Other);
    }
}
