//! How often each statement was reached: the text of the program, with a number beside each line.

use crate::human::Layout;
use crate::lanes::cut;
use crate::numbers::show_count;
use crate::style::Tone;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use threadwise_ir::{Edge, LocationId, Program, RoutineId};
use threadwise_source::{SourceMap, Span, View};

/// So many lines without a statement are shown; where there are more, they are left out.
const MAX_BARE_LINES: usize = 20;

/// A statement, and how many steps of the search took it.
struct Covered {
    span: Span,
    times: u64,
    /// An outcome of a test that never was.
    never: Option<bool>,
}

/// The steps that take an edge, by the copy of a statement that it belongs to and where it leaves.
type Parts = BTreeMap<(RoutineId, Vec<i64>), BTreeMap<LocationId, u64>>;

/// The statements in the order of the text.
fn statements(program: &Program, covered: &[u64]) -> Vec<Covered> {
    let mut parts: BTreeMap<(u32, u32), Parts> = BTreeMap::new();
    let mut outcomes: BTreeMap<(u32, u32), [u64; 2]> = BTreeMap::new();
    for ((edge, &times), number) in
        program.edges.iter().zip(covered).zip(0..).filter(|((edge, times), _)| counts(edge, **times))
    {
        let copies = program.copies_around(threadwise_ir::EdgeId(number)).map(|(_, value)| value).collect();
        let span = (edge.span.start, edge.span.end);
        let copy = parts.entry(span).or_default().entry((program.location(edge.from).routine, copies)).or_default();
        *copy.entry(edge.from).or_default() += times;
        if let Some(outcome) = edge.branch {
            outcomes.entry(span).or_default()[usize::from(outcome)] += times;
        }
    }
    let statement = |((start, end), copies): ((u32, u32), Parts)| {
        // A statement with several parts is reached as often as the part that is reached most often.
        let times = copies.values().map(|parts| parts.values().max().copied().unwrap_or(0)).sum();
        let never = match outcomes.get(&(start, end)) {
            Some(&[0, holds]) if holds > 0 => Some(false),
            Some(&[fails, 0]) if fails > 0 => Some(true),
            _ => None,
        };
        Covered { span: Span { start, end }, times, never }
    };
    parts.into_iter().map(statement).collect()
}

/// Whether an edge stands for something in the text: the brace at the end of a procedure is no statement.
fn counts(edge: &Edge, times: u64) -> bool {
    edge.span.end > edge.span.start + 1 && (times > 0 || !edge.only_fails())
}

/// The annotated listing.
pub(crate) fn render_cover(program: &Program, covered: &[u64], layout: &Layout) -> String {
    let statements = statements(program, covered);
    let mut files: Vec<Listing<'_>> = Vec::new();
    for statement in &statements {
        let Some(view) = program.source.view(statement.span) else { continue };
        let known = files.iter().position(|listing| listing.view.name == view.name);
        let index = known.unwrap_or_else(|| {
            files.push(Listing { view, lines: BTreeMap::new() });
            files.len() - 1
        });
        let line = program.source.position(statement.span.start).line;
        files[index].lines.entry(i64::from(line)).or_default().push(statement);
    }
    let many = files.len() > 1;
    let render = |listing: Listing<'_>| {
        let name = if many { format!("  {}\n", listing.view.name) } else { String::new() };
        name + &listing.render(&program.source, layout)
    };
    files.into_iter().map(render).collect::<Vec<String>>().join("\n")
}

/// A file and the statements that begin on its lines.
struct Listing<'a> {
    view: View<'a>,
    lines: BTreeMap<i64, Vec<&'a Covered>>,
}

impl Listing<'_> {
    fn render(&self, source: &SourceMap, layout: &Layout) -> String {
        let most = self.lines.values().flatten().map(|statement| statement.times).max().unwrap_or(0);
        let width = show_count(most).chars().count().max(1);
        let mut out = String::new();
        let mut bare: Vec<String> = Vec::new();
        for (number, text) in (self.view.first_line..).zip(self.view.file.text().lines()) {
            let Some(statements) = self.lines.get(&number) else {
                bare.push(fitted(&row(&number.to_string(), "", width, text), layout));
                continue;
            };
            out.push_str(&shortened(&mut bare));
            let times = statements.iter().map(|statement| statement.times).max().unwrap_or(0);
            let line = row(&number.to_string(), &show_count(times), width, text);
            out.push_str(&if times == 0 { bad(&line, layout) } else { fitted(&line, layout) });
            for statement in statements.iter().filter(|_| times > 0) {
                out.push_str(&remark(statement, source, width, text, layout));
            }
        }
        out.push_str(&shortened(&mut bare));
        out
    }
}

/// Below a line: a part of it that was never reached, or a test with only one outcome.
fn remark(statement: &Covered, source: &SourceMap, width: usize, line: &str, layout: &Layout) -> String {
    let what = match (statement.times, statement.never) {
        (0, _) => String::new(),
        (_, Some(outcome)) => format!(" never {outcome}"),
        (_, None) => return String::new(),
    };
    let column = source.position(statement.span.start).column as usize - 1;
    let length = source.slice(statement.span).lines().next().unwrap_or_default().chars().count();
    let length = length.min(line.chars().count().saturating_sub(column)).max(1);
    let marks = format!("{}{}{what}", " ".repeat(column), "^".repeat(length));
    bad(&row("", "0", width, &marks), layout)
}

fn row(number: &str, times: &str, width: usize, text: &str) -> String {
    let row = format!("  {number:>4}  {times:>width$}  {text}");
    row.trim_end().to_string()
}

fn bad(row: &str, layout: &Layout) -> String {
    format!("{}\n", layout.palette().paint(Tone::Bad, fitted(row, layout).trim_end()))
}

/// A row as a line that is not too long.
fn fitted(row: &str, layout: &Layout) -> String {
    let row = layout.width.map_or_else(|| row.to_string(), |width| cut(row, width));
    format!("{row}\n")
}

/// The lines without a statement that came together; of many only the first and the last.
fn shortened(lines: &mut Vec<String>) -> String {
    let lines = std::mem::take(lines);
    if lines.len() <= MAX_BARE_LINES {
        return lines.concat();
    }
    let (first, last) = (&lines[..2], &lines[lines.len() - 2..]);
    format!("{}     …\n{}", first.concat(), last.concat())
}

/// The statements as objects: `file`, `line`, `column`, `text`, `times`.
pub(crate) fn cover_json(program: &Program, covered: &[u64]) -> Vec<Value> {
    let object = |statement: &Covered| {
        let position = program.source.position(statement.span.start);
        json!({
            "file": program.source.file_name(statement.span.start),
            "line": position.line,
            "column": position.column,
            "text": program.source.snippet(statement.span, 80),
            "times": statement.times,
        })
    };
    statements(program, covered).iter().map(object).collect()
}
