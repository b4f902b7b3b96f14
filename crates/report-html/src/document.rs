//! The file.

use serde::Serialize;
use serde_json::Value;

const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// One function, so that its names are its own.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("script/base.js"),
    include_str!("script/source.js"),
    include_str!("script/common.js"),
    include_str!("script/trace.js"),
    include_str!("script/proof.js"),
    include_str!("script/page.js"),
    "})();\n"
);

/// A table of what engines made of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The name of the program.
    pub title: String,
    pub rows: Vec<ComparedRow>,
}

/// What one engine made of it.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedRow {
    pub engine: String,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    pub reason: Option<String>,
    /// Time, memory, work, size of the proof, whether it is modular.
    pub cells: Vec<String>,
}

#[derive(Serialize)]
struct Data<'a> {
    pages: &'a [Option<Value>],
    compared: Option<&'a Compared>,
}

/// A file with one page, or with one for each row of a table. `text` is for readers without scripts.
pub fn document(title: &str, pages: &[Option<Value>], compared: Option<&Compared>, text: &str) -> String {
    let data = serde_json::to_string(&Data { pages, compared }).unwrap_or_default();
    let parts = [
        ("@TITLE@", escaped(title)),
        ("@STYLE@", STYLE.to_string()),
        ("@TEXT@", escaped(text)),
        ("@DATA@", inside_script(&data)),
        ("@SCRIPT@", SCRIPT.to_string()),
    ];
    // One after the other from the left, so that what is put in is not looked at again.
    let mut out = String::new();
    let mut rest = HTML;
    for (mark, part) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(&part);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Text inside an element.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON inside a script element: nothing in it can end the element or start a comment. Strings are the only place where
/// these characters occur in JSON, and there they may be written as escapes.
fn inside_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The data that a browser would find in the file: the text up to the first end of a script.
    fn data_of(document: &str) -> Value {
        let (_, after) = document.split_once("<script type=\"application/json\" id=\"data\">").expect("there is data");
        let (data, _) = after.split_once("</script").expect("the element ends");
        serde_json::from_str(data).expect("it is JSON")
    }

    /// Pieces that break out of pages.
    const PIECES: &[&str] =
        &["</script>", "<!--", "-->", "<script>", "]]>", "&lt;", "\"", "'", "\\", "\u{2028}", "\0", "@DATA@", "</pre>"];

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![any::<String>(), proptest::sample::select(PIECES).prop_map(str::to_string)];
        proptest::collection::vec(piece, 0..8).prop_map(|parts| parts.concat())
    }

    #[test]
    fn a_page_is_one_file_without_links_to_others() {
        let document = document("a.tw", &[], None, "SAFE");
        for link in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML"] {
            assert!(!document.contains(link), "{link}");
        }
        for mark in ["@TITLE@", "@STYLE@", "@TEXT@", "@DATA@", "@SCRIPT@"] {
            assert!(!document.contains(mark), "{mark}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks_out(title in hostile(), text in hostile(), source in hostile()) {
            let page = serde_json::json!({ "files": [{ "name": title, "text": source }] });
            let file = document(&title, &[Some(page.clone())], None, &text);
            prop_assert_eq!(&data_of(&file)["pages"][0], &page);
            let plain = document("", &[Some(Value::Null)], None, "");
            // The markup is that of an empty page, whatever the program says.
            for tag in ["<script", "</script", "<!--", "<pre", "</pre", "<title", "</title", "<style", "</style"] {
                prop_assert_eq!(file.matches(tag).count(), plain.matches(tag).count(), "{}", tag);
            }
        }
    }
}
