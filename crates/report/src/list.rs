//! The trace as a list: one line a step.

use crate::human::Layout;
use crate::numbers::show_count;
use crate::statement::Statement;
use crate::style::{Palette, Tone};
use crate::trace::{StepText, TraceText};

/// Statements that are longer push what follows to the right.
const STATEMENT_WIDTH: usize = 44;

/// Where there is less room than this beside the statements, what they change stands below them.
const CHANGES_WIDTH: usize = 20;

/// Of longer traces not all is shown, unless it is wanted.
const MAX_STEPS: usize = 200;
/// Then so many steps are shown at the beginning and at the end of what one thread does alone for long.
const ENDS_OF_RUNS: usize = 6;
/// And if there are still too many, so many from the beginning of the trace; what goes wrong is at its end.
const FIRST_STEPS: usize = 60;

/// A line of the list. Only the first line of a step has a number.
#[derive(Default)]
pub(crate) struct Line {
    /// What is said instead of steps that are left out.
    pub(crate) gap: Option<String>,
    pub(crate) number: String,
    pub(crate) position: String,
    pub(crate) thread: String,
    pub(crate) statement: String,
    pub(crate) changes: Vec<String>,
}

/// The lines of a trace: its steps, and the step that goes wrong. The statements of one step stand
/// on one line as long as they fit in `room` characters. The middle of a long trace is left out, unless it is wanted whole.
pub(crate) fn lines(trace: &TraceText, room: usize, whole: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let shown = if whole { vec![true; trace.steps.len()] } else { shown_steps(trace) };
    for (index, step) in trace.steps.iter().enumerate() {
        if !shown[index] {
            if index == 0 || shown[index - 1] {
                lines.push(gap(shown[index..].iter().take_while(|shown| !**shown).count()));
            }
            continue;
        }
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

/// Which steps are worth showing. Where one thread moves alone for long, the beginning and the end of that say enough; what
/// matters are the places where another one takes over.
fn shown_steps(trace: &TraceText) -> Vec<bool> {
    let count = trace.steps.len();
    if count <= MAX_STEPS {
        return vec![true; count];
    }
    let mut shown = Vec::with_capacity(count);
    for run in trace.steps.chunk_by(|a, b| a.thread == b.thread) {
        let is_end = |index: usize| index < ENDS_OF_RUNS || index + ENDS_OF_RUNS >= run.len();
        shown.extend((0..run.len()).map(is_end));
    }
    let left: Vec<usize> = (0..count).filter(|&index| shown[index]).collect();
    if left.len() > MAX_STEPS {
        let behind = left.len() - (MAX_STEPS - FIRST_STEPS);
        (left[FIRST_STEPS]..left[behind]).for_each(|index| shown[index] = false);
    }
    shown
}

/// What stands in the place of steps that are left out.
fn gap(steps: usize) -> Line {
    let steps = if steps == 1 { "1 step is".to_string() } else { format!("{} steps are", show_count(steps as u64)) };
    Line { gap: Some(format!("… {steps} left out here; `-v` shows all")), ..Line::default() }
}

fn push_step(lines: &mut Vec<Line>, room: usize, number: String, step: &StepText, changes: Vec<String>) {
    let mut number = Some(number);
    let mut thread = Some(step.thread.clone());
    let mut changes = Some(changes);
    for statement in one_line_if_short(&step.statements, room) {
        lines.push(Line {
            gap: None,
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
        return vec![Statement { text: joined, ..first.clone() }];
    }
    let mut lines = vec![first.clone()];
    lines.extend(
        rest.iter()
            .filter(|s| s.text != "}")
            .map(|s| Statement { text: if is_atomic { format!("  {}", s.text) } else { s.text.clone() }, ..s.clone() }),
    );
    lines
}

/// The list as text. `width` is that of the terminal, where there is one.
pub(crate) fn render_list(trace: &TraceText, layout: &Layout) -> String {
    let (width, palette) = (layout.width, layout.palette());
    let lines = lines(trace, STATEMENT_WIDTH, layout.whole);
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
        if let Some(gap) = &line.gap {
            return format!("  {:>number$}  {gap}", "", number = self.number);
        }
        let before = format!(
            "  {:>number$}  {}  {:<thread$}  ",
            line.number,
            palette.padded(Tone::Quiet, &line.position, self.position),
            line.thread,
            number = self.number,
            thread = self.thread,
        );
        let indent = 8 + self.number + self.position + self.thread;
        let statement = self.statement.max(line.statement.chars().count());
        let is_narrow = width.is_some_and(|width| indent + statement + 2 + CHANGES_WIDTH > width);
        if is_narrow {
            let room = width.map(|width| width.saturating_sub(indent + 2).max(CHANGES_WIDTH));
            let mut parts = wrap_words(&line.statement, room);
            parts.extend(wrap(&line.changes, room).iter().map(|changes| format!("  {changes}")));
            let text = parts.join(&format!("\n{}", " ".repeat(indent)));
            return format!("{before}{text}").trim_end().to_string();
        }
        let mut text = format!("{before}{:<statement$}", line.statement, statement = self.statement);
        if !line.changes.is_empty() {
            let used = indent + statement + 2;
            let changes = wrap(&line.changes, width.map(|width| width - used));
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
        let statement = |text: &&str| Statement {
            text: text.to_string(),
            position: "1:1".to_string(),
            span: threadwise_source::Span::default(),
        };
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

    fn steps(threads: &[(&str, usize)]) -> TraceText {
        let step =
            |thread: &str| StepText { thread: thread.into(), statements: statements(&["x = 1;"]), changes: Vec::new() };
        let steps = threads.iter().flat_map(|(thread, times)| (0..*times).map(|_| step(thread))).collect();
        TraceText { initial: Vec::new(), threads: Vec::new(), steps, explanation: crate::Explanation::default() }
    }

    fn numbers(trace: &TraceText, whole: bool) -> Vec<String> {
        lines(trace, 30, whole).into_iter().map(|line| line.gap.unwrap_or(line.number)).collect()
    }

    #[test]
    fn long_traces_show_where_another_thread_takes_over() {
        let long = steps(&[("P", 300), ("Q", 2), ("P", 300)]);
        assert_eq!(numbers(&long, true).len(), 602);
        let shown = numbers(&long, false);
        let gap = "… 288 steps are left out here; `-v` shows all";
        assert_eq!(shown.len(), 4 * ENDS_OF_RUNS + 2 + 2);
        assert_eq!((&*shown[5], &*shown[6], &*shown[7], &*shown[13]), ("6", gap, "295", "301"));
        // All of a trace that is not long is shown, and of one with many changes its two ends.
        assert_eq!(numbers(&steps(&[("P", MAX_STEPS)]), false).len(), MAX_STEPS);
        let changes = steps(&[("P", 1), ("Q", 1)].repeat(150));
        let shown = numbers(&changes, false);
        assert_eq!(
            (shown.len(), &*shown[FIRST_STEPS]),
            (MAX_STEPS + 1, "… 100 steps are left out here; `-v` shows all")
        );
        assert_eq!(numbers(&steps(&[("P", 300)]), false).len(), 2 * ENDS_OF_RUNS + 1);
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
