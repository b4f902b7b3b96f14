//! The trace as a list: one line a step.

use crate::statement::Statement;
use crate::style::{Palette, Tone};
use crate::trace::{StepText, TraceText};

/// Statements that are longer push what follows to the right.
const STATEMENT_WIDTH: usize = 44;

/// A line of the list. Only the first line of a step has a number.
pub(crate) struct Line {
    pub(crate) number: String,
    pub(crate) position: String,
    pub(crate) thread: String,
    pub(crate) statement: String,
    pub(crate) changes: Vec<String>,
}

/// The lines of a trace: its steps, and the step that goes wrong. The statements of one step stand
/// on one line as long as they fit in `room` characters.
pub(crate) fn lines(trace: &TraceText, room: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let changes = step.changes.iter().map(|c| c.show()).collect();
        push_step(&mut lines, room, (index + 1).to_string(), step, changes);
    }
    let explanation = &trace.explanation;
    if let (Some(thread), false) = (&explanation.thread, explanation.statements.is_empty()) {
        let step = StepText { thread: thread.clone(), statements: explanation.statements.clone(), changes: Vec::new() };
        let number = (trace.steps.len() + 1).to_string();
        push_step(&mut lines, room, number, &step, vec![format!("✗ {}", explanation.what)]);
    }
    lines
}

fn push_step(lines: &mut Vec<Line>, room: usize, number: String, step: &StepText, changes: Vec<String>) {
    let mut number = Some(number);
    let mut thread = Some(step.thread.clone());
    let mut changes = Some(changes);
    for statement in one_line_if_short(&step.statements, room) {
        lines.push(Line {
            number: number.take().unwrap_or_default(),
            position: statement.position.clone(),
            thread: thread.take().unwrap_or_default(),
            statement: statement.text,
            changes: changes.take().unwrap_or_default(),
        });
    }
}

/// The statements of a step, on one line if they fit.
fn one_line_if_short(statements: &[Statement], room: usize) -> Vec<Statement> {
    let Some((first, rest)) = statements.split_first() else {
        return Vec::new();
    };
    let is_atomic = first.text == "atomic";
    let inner: Vec<&str> = rest.iter().map(|s| s.text.as_str()).filter(|t| *t != "}").collect();
    let joined = if is_atomic {
        let end = if inner.len() < rest.len() { "}" } else { "…" };
        format!("atomic {{ {} {end}", inner.join(" "))
    } else {
        [&[first.text.as_str()], &inner[..]].concat().join(" ")
    };
    if joined.chars().count() <= room {
        return vec![Statement { text: joined, position: first.position.clone() }];
    }
    let mut lines = vec![first.clone()];
    lines.extend(rest.iter().filter(|s| s.text != "}").map(|s| Statement {
        text: if is_atomic { format!("  {}", s.text) } else { s.text.clone() },
        position: s.position.clone(),
    }));
    lines
}

/// The list as text. `width` is that of the terminal, where there is one.
pub(crate) fn render_list(trace: &TraceText, width: Option<usize>, palette: Palette) -> String {
    let lines = lines(trace, STATEMENT_WIDTH);
    let widths = Widths::new(&lines);
    let mut out = String::new();
    for line in &lines {
        out.push_str(&widths.render(line, width, palette));
        out.push('\n');
    }
    out
}

/// The widths of the columns.
struct Widths {
    number: usize,
    position: usize,
    thread: usize,
    statement: usize,
}

impl Widths {
    fn new(lines: &[Line]) -> Widths {
        let widest = |of: fn(&Line) -> &str| {
            let widths = lines.iter().map(|l| of(l).chars().count());
            widths.max().unwrap_or(0)
        };
        Widths {
            number: widest(|l| &l.number).max(2),
            position: widest(|l| &l.position),
            thread: widest(|l| &l.thread),
            statement: widest(|l| &l.statement).min(STATEMENT_WIDTH),
        }
    }

    fn render(&self, line: &Line, width: Option<usize>, palette: Palette) -> String {
        let mut text = format!(
            "  {:>number$}  {}  {:<thread$}  {:<statement$}",
            line.number,
            palette.padded(Tone::Quiet, &line.position, self.position),
            line.thread,
            line.statement,
            number = self.number,
            thread = self.thread,
            statement = self.statement,
        );
        if !line.changes.is_empty() {
            let statement = self.statement.max(line.statement.chars().count());
            let used = 10 + self.number + self.position + self.thread + statement;
            let room = width.map(|w| w.saturating_sub(used).max(20));
            let changes = wrap(&line.changes, room);
            text.push_str("  ");
            text.push_str(&changes.join(&format!("\n{}", " ".repeat(used))));
        }
        text.trim_end().to_string()
    }
}

/// The values a trace starts with.
pub(crate) fn render_start(trace: &TraceText, width: Option<usize>, palette: Palette) -> String {
    let title = palette.paint(Tone::Quiet, "start");
    let room = width.map(|w| w.saturating_sub(9).max(20));
    let values = wrap(&trace.initial, room).join("\n         ");
    match values.is_empty() {
        true => String::new(),
        false => format!("  {title}  {values}\n\n"),
    }
}

/// Joins items with commas into lines of at most `room` characters, items kept whole.
pub(crate) fn wrap(items: &[String], room: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let comma = if index + 1 < items.len() { "," } else { "" };
        let item = format!("{item}{comma}");
        match lines.last_mut() {
            Some(line) if room.is_none_or(|r| line.chars().count() + 1 + item.chars().count() <= r) => {
                line.push(' ');
                line.push_str(&item);
            }
            _ => lines.push(item),
        }
    }
    lines
}

/// Breaks a line of text between words into lines of at most `room` characters. The spaces it
/// starts with are kept.
pub(crate) fn wrap_words(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| text.chars().count() > *room) else {
        return vec![text.to_string()];
    };
    let indent: String = text.chars().take_while(|c| *c == ' ').collect();
    let mut lines = vec![indent.clone()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.len() == indent.len() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(format!("{indent}{word}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(texts: &[&str]) -> Vec<Statement> {
        let statement = |text: &&str| Statement { text: text.to_string(), position: "1:1".to_string() };
        texts.iter().map(statement).collect()
    }

    fn texts(of: &[&str], room: usize) -> Vec<String> {
        let lines = one_line_if_short(&statements(of), room);
        lines.into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn short_atomic_steps_stand_on_one_line() {
        let step = ["atomic", "x = 1;", "y = 2;", "}"];
        assert_eq!(texts(&step, 30), ["atomic { x = 1; y = 2; }"]);
        assert_eq!(texts(&step, 10), ["atomic", "  x = 1;", "  y = 2;"]);
        // A step that goes wrong does not reach its end.
        assert_eq!(texts(&step[..3], 30), ["atomic { x = 1; y = 2; …"]);
    }

    #[test]
    fn long_lines_break_between_words() {
        assert_eq!(wrap_words("a bc def", None), ["a bc def"]);
        assert_eq!(wrap_words("a bc def", Some(4)), ["a bc", "def"]);
        assert_eq!(wrap_words("  a bc def", Some(6)), ["  a bc", "  def"]);
        assert_eq!(wrap_words("abcdef g", Some(3)), ["abcdef", "g"]);
    }

    #[test]
    fn items_are_kept_whole() {
        let items = ["a: 1", "b: 2", "c: 3"].map(str::to_string);
        assert_eq!(wrap(&items, None), ["a: 1, b: 2, c: 3"]);
        assert_eq!(wrap(&items, Some(10)), ["a: 1,", "b: 2, c: 3"]);
        assert_eq!(wrap(&items, Some(1)), ["a: 1,", "b: 2,", "c: 3"]);
    }
}
