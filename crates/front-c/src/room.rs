//! What GNU C11 has and the parser knows only in longer words is written in these before anybody counts positions:
//! `a ?: b` gets a blank, alignments of members become attributes, and types that are arguments become arguments of `sizeof`.

use crate::clean::end_of_mute;

const ALIGNAS: &str = "_Alignas";
const COMPATIBLE: &str = "__builtin_types_compatible_p";

/// The text in words that the parser knows; lines stay lines.
pub fn in_known_words(text: String) -> String {
    if !["?:", ALIGNAS, COMPATIBLE].iter().any(|word| text.contains(word)) {
        return text;
    }
    let mut writer = Writer { text: &text, out: String::with_capacity(text.len() + 64), copied: 0 };
    writer.run();
    writer.out
}

struct Writer<'a> {
    text: &'a str,
    out: String,
    /// All before this place is written.
    copied: usize,
}

impl Writer<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        // Whether the braces around are those of structs, and whether the next ones would be.
        let (mut structs, mut is_struct_next, mut at) = (Vec::new(), false, 0);
        while at < bytes.len() {
            if let Some(end) = end_of_mute(bytes, at) {
                at = end;
                continue;
            }
            let word = word_at(self.text, at);
            match word {
                "struct" | "union" => is_struct_next = true,
                ALIGNAS if structs.last() == Some(&true) => self.alignment(at),
                COMPATIBLE => self.types(at + word.len()),
                "" => {
                    match bytes[at] {
                        b'{' => structs.push(std::mem::take(&mut is_struct_next)),
                        b'}' => drop(structs.pop()),
                        b'?' if bytes.get(at + 1) == Some(&b':') => self.put(at + 1, " "),
                        _ => {}
                    }
                    is_struct_next &= bytes[at].is_ascii_whitespace();
                    at += 1;
                }
                _ => {}
            }
            at += word.len();
        }
        self.put(bytes.len(), "");
    }

    /// Writes the text up to a place, and something that is not in it.
    fn put(&mut self, at: usize, more: &str) {
        self.out.push_str(&self.text[self.copied..at]);
        self.out.push_str(more);
        self.copied = at;
    }

    /// `_Alignas(long)` asks for the alignment of the type, `_Alignas(8)` for this one.
    fn alignment(&mut self, at: usize) {
        let Some((open, parts)) = arguments(self.text, at + ALIGNAS.len()) else { return };
        let first = self.text[open + 1..].trim_start();
        let is_type = first.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !["sizeof", "_Alignof", "__alignof"].iter().any(|word| first.starts_with(word));
        let (before, after) = if is_type { ("(_Alignof(", "))))") } else { ("(", ")))") };
        self.put(at, "__attribute__((aligned");
        self.copied = open + 1;
        self.out.push_str(before);
        let close = parts.last().copied().unwrap_or(open);
        self.put(close, after);
        self.copied = close + 1;
    }

    fn types(&mut self, at: usize) {
        let Some((open, parts)) = arguments(self.text, at) else { return };
        self.put(open + 1, "sizeof(");
        for (number, end) in parts.iter().enumerate() {
            self.put(*end, ")");
            if number + 1 < parts.len() {
                self.put(end + 1, "sizeof(");
            }
        }
    }
}

fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or("");
    &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len())]
}

/// The bracket that opens behind a place, and where each argument in it ends.
fn arguments(text: &str, from: usize) -> Option<(usize, Vec<usize>)> {
    let bytes = text.as_bytes();
    let open = from + bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    if bytes[open] != b'(' {
        return None;
    }
    let (mut at, mut depth, mut ends) = (open, 0usize, Vec::new());
    while at < bytes.len() {
        if let Some(end) = end_of_mute(bytes, at) {
            at = end;
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 1 => {
                ends.push(at);
                return Some((open, ends));
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 1 => ends.push(at),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_without_a_middle_gets_room() {
        assert_eq!(in_known_words("x = a?:b; s = \"?:\"; // ?:\n".into()), "x = a? :b; s = \"?:\"; // ?:\n");
    }

    #[test]
    fn alignments_of_members_become_attributes() {
        let known = |text: &str| in_known_words(text.into());
        assert_eq!(known("struct s { _Alignas(64) int a; };"), "struct s { __attribute__((aligned(64))) int a; };");
        assert_eq!(
            known("union { _Alignas(long) char a; };"),
            "union { __attribute__((aligned(_Alignof(long)))) char a; };"
        );
        let known = known("struct { _Alignas(sizeof(long)) char a; };");
        assert_eq!(known, "struct { __attribute__((aligned(sizeof(long)))) char a; };");
        // Elsewhere the parser knows it.
        let block = "void f(void) { _Alignas(8) int a; }";
        assert_eq!(in_known_words(block.into()), block);
    }

    #[test]
    fn types_as_arguments_become_sizes() {
        let text = in_known_words("__builtin_types_compatible_p(int (*)(int, int), T[])".into());
        assert_eq!(text, "__builtin_types_compatible_p(sizeof(int (*)(int, int)),sizeof( T[]))");
        for broken in ["__builtin_types_compatible_p(int", "_Alignas", "struct { _Alignas(", "?:", "'?:"] {
            in_known_words(broken.into());
        }
    }
}
