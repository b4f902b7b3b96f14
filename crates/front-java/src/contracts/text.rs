//! The clauses of a text, and the classes and fields that they are about.

use super::formula::{Formula, parse};
use threadwise_source::{Diagnostic, Span};

/// What a clause says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ClauseKind {
    Invariant,
    Rely,
    /// Of all threads, wherever it stands.
    RelyOfAll,
    Guarantee,
    LoopInvariant,
    /// A variable that only contracts know: its type and its name. The formula is what it starts with.
    Ghost(String, String),
    /// Stores to such a variable.
    Set(String),
    /// These fields do not change while the running thread holds what is named.
    GuardedBy(Vec<String>),
    /// These fields are not changed by others while the formula holds.
    Unwritable(Vec<String>),
}

/// One clause. Places count from the first byte of the file.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) kind: ClauseKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The class that it stands in, with the classes around it: `Outer$Inner`.
    pub(crate) class: Option<String>,
    pub(crate) formula: Option<Formula>,
    /// Where the comment begins.
    comment: usize,
}

impl Clause {
    pub(crate) fn span(&self, start: u32) -> Span {
        Span::new(start as usize + self.start, start as usize + self.end)
    }

    /// It belongs to a place in a method.
    fn is_statement(&self) -> bool {
        matches!(self.kind, ClauseKind::Set(_) | ClauseKind::LoopInvariant)
    }
}

/// The class of the method that stands where clauses of methods are.
pub(crate) const MARKS_CLASS: &str = "$threadwise/Marks";

/// The text of that class.
pub(crate) const MARKS: &str = "package $threadwise;\npublic class Marks { public static void at(int place) {} }\n";

const CLAUSES: &str = "there are `invariant`, `rely`, `guarantee`, `loop_invariant`, `ghost T x`, `set x = e`, `guarded_by lock`, \
                       `env_assumption`, `oti`, `global_invariant` and `unwritable_by_env_if`";

/// A text with marks before the clauses that are statements, on the same lines.
pub(crate) fn marked(text: &str) -> Option<String> {
    let (found, _) = clauses(text, 0);
    let mut marked = text.to_string();
    let statements: Vec<&Clause> = found.iter().filter(|clause| clause.is_statement()).collect();
    for clause in statements.iter().rev() {
        marked.insert_str(clause.comment, &format!("$threadwise.Marks.at({}); ", clause.start));
    }
    (!statements.is_empty()).then_some(marked)
}

/// The clauses of a file, and what is wrong with them.
pub(crate) fn clauses(text: &str, file: u32) -> (Vec<Clause>, Vec<Diagnostic>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    if !text.contains("//@") && !text.contains("/*@") {
        return (found, wrong);
    }
    // Such characters may end a line, a comment or a string before it seems to end.
    if let Some(at) = text.find("\\u") {
        let span = Span::new(file as usize + at, file as usize + at + 2);
        let error = Diagnostic::error(span, "a file with contracts has no characters that are written as numbers");
        wrong.push(error.hint("write the character itself"));
        return (found, wrong);
    }
    let (clean, comments) = cleaned(text);
    let classes = classes(&clean);
    for (comment, from, to) in comments {
        let inner = classes.iter().filter(|(_, start, end)| *start <= comment && comment < *end);
        let class = inner.max_by_key(|(_, start, _)| *start).map(|(name, ..)| name.clone());
        for (start, end) in parts(text, from, to) {
            let around = Around { text, clean: &clean, comment, after: to };
            match clause(&around, start, end) {
                Ok((kind, formula)) => found.push(Clause { kind, start, end, class: class.clone(), formula, comment }),
                Err((message, at)) => {
                    let (start, end) = at.unwrap_or((start, end));
                    let span = Span::new(file as usize + start, file as usize + end);
                    wrong.push(Diagnostic::error(span, message).hint(CLAUSES));
                }
            }
        }
    }
    (found, wrong)
}

/// The text with blanks in place of comments and of what is in quotes; and the comments that begin with `@`: where they begin,
/// and where what they say begins and ends.
fn cleaned(text: &str) -> (String, Vec<(usize, usize, usize)>) {
    let bytes = text.as_bytes();
    let (mut clean, mut found, mut at) = (bytes.to_vec(), Vec::new(), 0);
    let blank = |clean: &mut Vec<u8>, from: usize, to: usize| {
        clean[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    };
    while at < bytes.len() {
        let rest = &text[at..];
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => at + rest.find(['\n', '\r']).unwrap_or(rest.len()),
            [b'/', b'*', ..] => at + 2 + rest[2..].find("*/").map_or(rest.len() - 2, |found| found + 2),
            [b'"', b'"', b'"', ..] => {
                let mut end = at + 3;
                while end < bytes.len() && !bytes[end..].starts_with(b"\"\"\"") {
                    end += 1 + usize::from(bytes[end] == b'\\');
                }
                (end + 3).min(bytes.len())
            }
            [quote @ (b'"' | b'\''), ..] => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != *quote && bytes[end] != b'\n' {
                    end += 1 + usize::from(bytes[end] == b'\\');
                }
                (end + 1).min(bytes.len())
            }
            _ => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
        };
        if rest.starts_with("//@") {
            found.push((at, at + 3, end));
        } else if rest.starts_with("/*@") {
            let inside = rest[..end - at].strip_suffix("*/").map_or(end, |inside| at + inside.len());
            found.push((at, at + 3, inside));
        }
        blank(&mut clean, at, end);
        at = end;
    }
    (String::from_utf8(clean).unwrap_or_default(), found)
}

/// The clauses between two places, by semicolons that are in no parentheses.
fn parts(text: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let (mut found, mut start, mut depth) = (Vec::new(), from, 0i32);
    for (at, byte) in text.bytes().enumerate().take(to).skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b';' if depth <= 0 => {
                found.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push((start, to));
    let trimmed = |(start, end): (usize, usize)| {
        let part = &text[start..end];
        let start = start + part.len() - part.trim_start().len();
        (start, start + part.trim().len())
    };
    found.into_iter().map(trimmed).filter(|(start, end)| start < end).collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The classes of a text: their names, and where their bodies begin and end.
fn classes(clean: &str) -> Vec<(String, usize, usize)> {
    let mut found: Vec<(String, usize, usize)> = Vec::new();
    // The braces that are open, those of classes with the number of the class.
    let mut open: Vec<Option<usize>> = Vec::new();
    let (mut pending, mut words): (Option<String>, Vec<&str>) = (None, Vec::new());
    let mut at = 0;
    while at < clean.len() {
        let rest = &clean[at..];
        let word = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if !word.is_empty() {
            let is_literal = clean[..at].trim_end().ends_with('.');
            if words.last().is_some_and(|last| matches!(*last, "class" | "interface" | "enum" | "record")) {
                pending = Some(word.to_string());
            }
            words.push(if is_literal { "" } else { word });
            at += word.len();
            continue;
        }
        match rest.as_bytes()[0] {
            b'{' => {
                let around = open.iter().rev().find_map(|class| *class).map(|class| found[class].0.clone());
                open.push(pending.take().map(|name| {
                    found.push((around.map_or(name.clone(), |around| format!("{around}${name}")), at, clean.len()));
                    found.len() - 1
                }));
            }
            b'}' => {
                if let Some(Some(class)) = open.pop() {
                    found[class].2 = at;
                }
            }
            b';' | b'=' => pending = None,
            _ => {}
        }
        if !rest.starts_with(char::is_whitespace) {
            words.push("");
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// Where a clause stands.
struct Around<'a> {
    text: &'a str,
    clean: &'a str,
    comment: usize,
    after: usize,
}

type Wrong = (String, Option<(usize, usize)>);

fn clause(around: &Around<'_>, start: usize, end: usize) -> Result<(ClauseKind, Option<Formula>), Wrong> {
    let text = &around.text[start..end];
    let word = &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())];
    let rest = start + word.len();
    let formula =
        |from: usize| parse(around.text, from, end).map_err(|(message, at)| (message, Some((at, end.max(at + 1)))));
    Ok(match word {
        "invariant" | "global_invariant" => (ClauseKind::Invariant, Some(formula(rest)?)),
        "rely" | "env_assumption" => (ClauseKind::Rely, Some(formula(rest)?)),
        "oti" => (ClauseKind::RelyOfAll, Some(formula(rest)?)),
        "guarantee" => (ClauseKind::Guarantee, Some(formula(rest)?)),
        "loop_invariant" => {
            is_behind_statement(around)?;
            (ClauseKind::LoopInvariant, Some(formula(rest)?))
        }
        "guarded_by" => (ClauseKind::GuardedBy(fields(around)?), Some(formula(rest)?)),
        "unwritable_by_env_if" => (ClauseKind::Unwritable(fields(around)?), Some(formula(rest)?)),
        "ghost" | "set" => {
            let declared = &around.text[rest..end];
            let (left, value) = match declared.find('=') {
                Some(at) => (&declared[..at], Some(formula(rest + at + 1)?)),
                None => (declared, None),
            };
            let words: Vec<&str> = left.split_whitespace().filter(|word| *word != "static").collect();
            match (word, &words[..], &value) {
                ("ghost", [ty, name], _) => (ClauseKind::Ghost(ty.to_string(), name.to_string()), value),
                ("set", [name], Some(_)) => {
                    is_behind_statement(around)?;
                    (ClauseKind::Set(name.to_string()), value)
                }
                ("ghost", ..) => return Err(("`ghost` has a type and a name".into(), None)),
                _ => return Err(("`set` has a variable, `=` and what it becomes".into(), None)),
            }
        }
        _ => return Err((format!("`{word}` begins no contract that is known"), None)),
    })
}

/// What is put before the comment for the compiler must not become a part of another statement.
fn is_behind_statement(around: &Around<'_>) -> Result<(), Wrong> {
    match around.clean[..around.comment].trim_end().chars().last() {
        Some(';' | '{' | '}' | ':') => Ok(()),
        _ => Err((
            "this stands where no statement can be: a whole statement or a brace must come before it".into(),
            None,
        )),
    }
}

/// The fields that are declared before the comment on its line, or behind it.
fn fields(around: &Around<'_>) -> Result<Vec<String>, Wrong> {
    let before = around.clean[..around.comment].trim_end_matches([' ', '\t']);
    let declaration = match before.strip_suffix(';') {
        Some(before) => &before[before.rfind([';', '{', '}']).map_or(0, |at| at + 1)..],
        None => {
            let behind = &around.clean[around.after..];
            &behind[..behind.find(';').unwrap_or(0)]
        }
    };
    let mut names = Vec::new();
    let mut depth = 0i32;
    for part in declaration.split(|c| {
        depth += i32::from(matches!(c, '(' | '{' | '<')) - i32::from(matches!(c, ')' | '}' | '>'));
        c == ',' && depth == 0
    }) {
        let left = part.split('=').next().unwrap_or_default().trim_end_matches(|c| !is_name(c));
        names.push(left[left.rfind(|c| !is_name(c)).map_or(0, |at| at + 1)..].to_string());
    }
    match names.iter().all(|name| !name.is_empty()) {
        true => Ok(names),
        false => Err(("a field is expected before this on its line, or behind it".into(), None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_found_with_their_classes_and_fields() {
        let text = "class A { //@ invariant x > 0\n  int x, y = f(1, 2); //@ guarded_by this\n  String s = \"//@ no\"; /* //@ no */\n  \
                    static class B<T> { Object c = A.class; /*@ rely x == 1; guarantee (\\forall int i; 0 <= i && i < 2; x == i) */ }\n  \
                    void f() { x = 1; //@ set g = \\tid\n } }\n";
        let (found, wrong) = clauses(text, 0);
        assert!(wrong.is_empty(), "{wrong:?}");
        let seen: Vec<(&ClauseKind, Option<&str>)> =
            found.iter().map(|clause| (&clause.kind, clause.class.as_deref())).collect();
        let guarded = ClauseKind::GuardedBy(vec!["x".into(), "y".into()]);
        let expected = [
            (&ClauseKind::Invariant, Some("A")),
            (&guarded, Some("A")),
            (&ClauseKind::Rely, Some("A$B")),
            (&ClauseKind::Guarantee, Some("A$B")),
            (&ClauseKind::Set("g".into()), Some("A")),
        ];
        assert_eq!(seen, expected);
        let marked = marked(text).expect("there is a statement");
        assert_eq!(marked.lines().count(), text.lines().count());
        assert!(marked.contains("x = 1; $threadwise.Marks.at("));
    }

    #[test]
    fn a_statement_is_not_put_below_another() {
        let (found, wrong) = clauses("class A { void f() { if (c) //@ set g = 1\n x = 2; } }", 0);
        assert!(found.is_empty());
        assert!(wrong[0].message.contains("no statement can be"), "{}", wrong[0].message);
    }
}
