//! The layout of `threadwise fmt`, as edits.

use crate::document::Document;
use crate::lsp;
use crate::text::Text;
use threadwise_editing::format_text;

/// The edit that lays a text out; nothing for one that is laid out, or that cannot be because it is wrong.
pub(crate) fn layout(document: &Document) -> Vec<lsp::TextEdit> {
    let Ok(laid_out) = format_text(&document.names().file) else { return Vec::new() };
    edit(&document.text, &Text::new(laid_out)).into_iter().collect()
}

/// One edit from the first character that differs to the last: the cursor stays where it is elsewhere.
fn edit(old: &Text, new: &Text) -> Option<lsp::TextEdit> {
    let (before, after) = (old.content(), new.content());
    if before == after {
        return None;
    }
    let pairs = before.chars().zip(after.chars());
    let start: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let pairs = before[start..].chars().rev().zip(after[start..].chars().rev());
    let end: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    // No place lies between the two characters that end a line elsewhere.
    let splits_end = |at: usize| before[..at].ends_with('\r');
    let start = if splits_end(start) { start - 1 } else { start };
    let end = if splits_end(before.len() - end) { end + 1 } else { end };
    let end = end.min(before.len() - start).min(after.len() - start);
    let range = lsp::Range { start: old.position(start), end: old.position(before.len() - end) };
    Some(lsp::TextEdit { range, new_text: after[start..after.len() - end].to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applied(old: &Text, edit: &lsp::TextEdit) -> Text {
        old.changed(&lsp::TextDocumentContentChangeEvent { range: Some(edit.range), text: edit.new_text.clone() })
    }

    proptest! {
        #[test]
        fn the_edit_makes_the_new_text(old in "[ab\\n]{0,20}", new in "[ab\\n]{0,20}") {
            let (old, new) = (Text::new(old), Text::new(new));
            let made = edit(&old, &new).map_or_else(|| old.clone(), |edit| applied(&old, &edit));
            prop_assert_eq!(made, new);
        }
    }
}
