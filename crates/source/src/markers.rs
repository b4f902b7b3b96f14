use std::sync::Arc;

/// A line marker in preprocessed text: `# 12 "file.c" 1 3` or `#line 12 "file.c"`. The line below it is line 12 of that file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Marker {
    /// The first byte of the line below the marker.
    pub(crate) offset: u32,
    /// The number of that line in the preprocessed text.
    pub(crate) at_line: u32,
    /// The number that the marker gives to it.
    pub(crate) line: u32,
    /// The file that the marker names.
    pub(crate) name: Arc<str>,
}

/// The markers in a text, in order.
pub(crate) fn markers(text: &str) -> Vec<Marker> {
    let mut found: Vec<Marker> = Vec::new();
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        offset += line.len() as u32;
        let Some((number, name)) = parse(line) else { continue };
        let name = match (name, found.last()) {
            (Some(name), Some(last)) if *last.name == *name => last.name.clone(),
            (Some(name), _) => name.into(),
            // `#line 12` goes on in the same file.
            (None, Some(last)) => last.name.clone(),
            (None, None) => continue,
        };
        found.push(Marker { offset, at_line: index as u32 + 2, line: number, name });
    }
    found
}

fn parse(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    match rest[digits..].trim_start().strip_prefix('"') {
        Some(quoted) => Some((number, Some(unquoted(quoted)?))),
        None if rest[digits..].trim().is_empty() => Some((number, None)),
        None => None,
    }
}

/// A name up to its closing quote; a backslash takes the next character as it is.
fn unquoted(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some(name),
            '\\' => name.push(chars.next()?),
            other => name.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_preprocessors_are_found() {
        let text = "# 1 \"a.c\"\nint x;\n# 7 \"dir/b\\\"\\\\.h\" 1 3\nint y;\n#line 40\nint z;\n  #  line 3 \"c.h\"\n";
        let found: Vec<(u32, u32, u32, String)> =
            markers(text).into_iter().map(|m| (m.offset, m.at_line, m.line, m.name.to_string())).collect();
        let second = "dir/b\"\\.h".to_string();
        let line_after = |start: &str| text.find(start).expect("there") as u32;
        assert_eq!(
            found,
            [
                (line_after("int x"), 2, 1, "a.c".to_string()),
                (line_after("int y"), 4, 7, second.clone()),
                (line_after("int z"), 6, 40, second),
                (text.len() as u32, 8, 3, "c.h".to_string()),
            ]
        );
    }

    #[test]
    fn other_directives_are_no_markers() {
        for text in
            ["#pragma once\n", "# define X 1\n", "#\n", "# 12x \"a\"\n", "# 1 \"open\n", "#12 \n", "x # 1 \"a\"\n"]
        {
            assert_eq!(markers(text), [], "{text}");
        }
    }
}
