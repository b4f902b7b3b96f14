//! Text that the parser understands, made of text that compilers understand. Every byte keeps its place, so that positions
//! stay true: what has to go becomes white space, and what has another name gets one that is not longer.

/// How deep brackets may nest and `else` may follow `else`. The parser and all that walks trees recurse.
const MAX_DEPTH: usize = 12_000;

/// How many operators and statements without braces may follow each other. What becomes of them is nested as deep, and
/// those who get it may have small stacks.
const MAX_CHAIN: usize = 10_000;

/// What stands for `__auto_type`; whoever wants to know looks at the original text.
pub const AUTO_TYPE: &str = "__auto_type";

/// Names that the parser does not know, and what stands for them. `register` makes no sense where `__thread` does, and
/// `_Complex` makes none without a floating-point type.
const RENAMED: &[(&str, &str)] = &[
    ("__thread", "register"),
    ("__int128", "_Complex"),
    (AUTO_TYPE, "__typeof(0)"),
    ("__float128", "_Float128"),
    ("__extension__", ""),
    ("__extension", ""),
    ("__volatile", "volatile"),
    ("__volatile__", "volatile"),
];

/// Attributes that matter: they change sizes.
const KEPT_ATTRIBUTES: &[&str] = &["packed", "aligned", "mode"];

/// Where something is nested too deep.
#[derive(Debug)]
pub struct TooDeep(pub usize);

/// The text for the parser.
pub fn cleaned(text: &str) -> Result<String, TooDeep> {
    let mut cleaner = Cleaner { text: text.as_bytes(), out: text.as_bytes().to_vec(), at: 0, after_struct: false };
    cleaner.run()?;
    // Only whole tokens of ASCII are replaced, and comments as a whole.
    Ok(String::from_utf8(cleaner.out).unwrap_or_else(|_| text.to_string()))
}

struct Cleaner<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    at: usize,
    /// The word before is `struct` or `union`: the parser knows no attributes there.
    after_struct: bool,
}

impl Cleaner<'_> {
    fn run(&mut self) -> Result<(), TooDeep> {
        let (mut depth, mut elses, mut chain, mut line_is_empty) = (0usize, 0usize, 0usize, true);
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            match byte {
                b'#' if line_is_empty => self.blank(self.end_of_line()),
                b'/' if self.text[start..].starts_with(b"//") => self.blank(self.end_of_line()),
                b'/' if self.text[start..].starts_with(b"/*") => self.blank(self.end_of_comment()),
                b'"' | b'\'' => self.at = self.end_of_quoted(byte),
                b'0'..=b'9' => self.at = self.end_of_word(),
                _ if is_word(byte) => {
                    let end = self.end_of_word();
                    elses += usize::from(&self.text[start..end] == b"else");
                    chain +=
                        usize::from(matches!(&self.text[start..end], b"if" | b"while" | b"for" | b"do" | b"switch"));
                    self.word(end);
                }
                b'\\' if self.text[start..].starts_with(b"\\\n") => self.blank(start + 1),
                b'?' => self.question(),
                _ => {
                    match byte {
                        b'(' | b'[' | b'{' => depth += 1,
                        b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                        b';' | b',' => chain = 0,
                        _ => chain += usize::from(byte.is_ascii_punctuation()),
                    }
                    if byte == b'}' && depth == 0 {
                        (elses, chain) = (0, 0);
                    }
                    self.at += 1;
                }
            }
            if depth + elses > MAX_DEPTH || chain > MAX_CHAIN {
                return Err(TooDeep(start));
            }
            line_is_empty = match byte {
                b'\n' => true,
                b' ' | b'\t' | b'\r' => line_is_empty,
                _ => false,
            };
        }
        Ok(())
    }

    /// White space up to here; lines stay lines.
    fn blank(&mut self, end: usize) {
        for byte in &mut self.out[self.at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        self.at = end;
    }

    fn end_of_line(&self) -> usize {
        let mut at = self.at;
        while at < self.text.len() && self.text[at] != b'\n' {
            at += if self.text[at..].starts_with(b"\\\n") { 2 } else { 1 };
        }
        at.min(self.text.len())
    }

    fn end_of_comment(&self) -> usize {
        let rest = &self.text[self.at + 2..];
        rest.windows(2).position(|two| two == b"*/").map_or(self.text.len(), |found| self.at + 2 + found + 2)
    }

    fn end_of_quoted(&self, quote: u8) -> usize {
        let mut at = self.at + 1;
        while at < self.text.len() && self.text[at] != quote && self.text[at] != b'\n' {
            at += if self.text[at] == b'\\' { 2 } else { 1 };
        }
        (at + 1).min(self.text.len())
    }

    fn end_of_word(&self) -> usize {
        let rest = &self.text[self.at..];
        self.at + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())
    }

    fn word(&mut self, end: usize) {
        let word = std::str::from_utf8(&self.text[self.at..end]).unwrap_or("");
        let after_struct = std::mem::replace(&mut self.after_struct, matches!(word, "struct" | "union"));
        if matches!(word, "__attribute__" | "__attribute") {
            self.after_struct = after_struct;
            return self.attribute(end);
        }
        if let Some((_, other)) = RENAMED.iter().find(|(name, _)| *name == word) {
            let start = self.at;
            self.blank(end);
            self.out[start..start + other.len()].copy_from_slice(other.as_bytes());
            return;
        }
        self.out[self.at..end].iter_mut().filter(|byte| **byte == b'$').for_each(|byte| *byte = b'_');
        self.at = end;
    }

    /// `a ?: b` becomes `a ?_: b`, if there is a place for the name.
    fn question(&mut self) {
        let start = self.at;
        self.at += 1;
        let rest = &self.text[start + 1..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if rest.get(blanks) != Some(&b':') {
            return;
        }
        if blanks > 0 {
            self.out[start + 1] = b'_';
        } else if rest.get(1) == Some(&b' ') {
            self.out[start + 1..start + 3].copy_from_slice(b"_:");
        } else if start > 0 && self.text[start - 1] == b' ' {
            self.out[start - 1..start + 1].copy_from_slice(b"?_");
        }
        self.at = start + 2 + blanks;
    }

    /// Attributes that the parser need not see go.
    fn attribute(&mut self, end: usize) {
        let close = self.end_of_brackets(end);
        let text = String::from_utf8_lossy(&self.text[end..close]);
        let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(|name| name.trim_matches('_'));
        if !self.after_struct && names.into_iter().any(|name| KEPT_ATTRIBUTES.contains(&name)) {
            self.at = end;
        } else {
            self.blank(close);
        }
    }

    /// The end of the brackets that begin behind a place, as far as there are any.
    fn end_of_brackets(&self, from: usize) -> usize {
        let Some(open) = self.text[from..].iter().position(|byte| !byte.is_ascii_whitespace()) else { return from };
        if self.text[from + open] != b'(' {
            return from;
        }
        let (mut at, mut depth) = (from + open, 0usize);
        while at < self.text.len() {
            match self.text[at] {
                b'(' => depth += 1,
                b')' if depth == 1 => return at + 1,
                b')' => depth -= 1,
                b'"' => {
                    at = Cleaner { text: self.text, out: Vec::new(), at, after_struct: false }.end_of_quoted(b'"');
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }
}

/// The end of a comment, a quoted text or a line marker that begins at a place: nothing in it means anything here.
pub fn end_of_mute(text: &[u8], at: usize) -> Option<usize> {
    let cleaner = Cleaner { text, out: Vec::new(), at, after_struct: false };
    let rest = &text[at..];
    match rest.first()? {
        b'#' if at == 0 || text[at - 1] == b'\n' => Some(cleaner.end_of_line()),
        b'/' if rest.starts_with(b"//") => Some(cleaner.end_of_line()),
        b'/' if rest.starts_with(b"/*") => Some(cleaner.end_of_comment()),
        quote @ (b'"' | b'\'') => Some(cleaner.end_of_quoted(*quote)),
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_keeps_its_place() {
        let text = "# 1 \"a.c\"\nint a$b; /* é\n*/ __thread int c; // x\nchar *s = \"/*\"; __auto_type d = '\"';\n";
        let clean = cleaned(text).expect("it is not deep");
        assert_eq!(clean.len(), text.len());
        for word in ["int a", "int c;", "char *s", "d = '\"'"] {
            assert_eq!(clean.find(word), text.find(word), "{clean}");
        }
        assert!(!clean.contains('é') && clean.contains("int a_b;") && clean.contains("register int c"), "{clean}");
        assert!(clean.contains("__typeof(0) d"), "{clean}");
    }

    #[test]
    fn attributes_stay_only_where_they_change_sizes() {
        let clean = cleaned("int f(void) __attribute__ ((__nothrow__ (\")\"))); struct s {} __attribute__((packed));");
        assert_eq!(
            clean.expect("it is not deep").split_whitespace().collect::<Vec<_>>(),
            ["int", "f(void)", ";", "struct", "s", "{}", "__attribute__((packed));"]
        );
    }

    #[test]
    fn what_is_too_deep_is_refused() {
        assert!(cleaned(&"(".repeat(MAX_DEPTH + 1)).is_err());
        assert!(cleaned(&"else ".repeat(MAX_DEPTH + 1)).is_err());
        assert!(cleaned(&"!".repeat(MAX_CHAIN + 1)).is_err());
        assert!(cleaned(&"!x;".repeat(MAX_CHAIN + 1)).is_ok());
        assert!(cleaned(&"{else}".repeat(MAX_DEPTH + 1)).is_ok());
    }
}
