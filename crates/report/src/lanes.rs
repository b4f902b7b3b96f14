//! The trace with a lane for each thread, so that the eye can follow who does what.

use crate::list::{Line, lines, wrap};
use crate::style::{Palette, Tone};
use crate::trace::TraceText;

/// A lane is not wider than this; longer statements are cut.
const MAX_LANE: usize = 36;
/// Below this the changes would be a ragged column of fragments.
const MIN_CHANGES: usize = 24;

/// The trace in lanes, if it fits the width.
pub(crate) fn render_lanes(trace: &TraceText, width: usize, how: &crate::human::Layout) -> Option<String> {
    let lines = lines(trace, MAX_LANE, how.whole);
    let layout = Layout::new(trace, &lines, how.palette())?;
    let room = width.checked_sub(layout.used())?;
    (room >= MIN_CHANGES).then(|| layout.render(&lines, room))
}

struct Layout {
    threads: Vec<String>,
    lanes: Vec<usize>,
    number: usize,
    position: usize,
    palette: Palette,
}

impl Layout {
    /// One lane for each thread that moves; with a single one a list says it better.
    fn new(trace: &TraceText, lines: &[Line], palette: Palette) -> Option<Layout> {
        let moves = |thread: &&String| lines.iter().any(|line| line.thread == **thread);
        let threads: Vec<String> = trace.threads.iter().filter(moves).cloned().collect();
        if threads.len() < 2 {
            return None;
        }
        let mut lanes: Vec<usize> = threads.iter().map(|t| t.chars().count()).collect();
        let mut current = 0;
        for line in lines {
            current = threads.iter().position(|t| *t == line.thread).unwrap_or(current);
            lanes[current] = lanes[current].max(line.statement.chars().count().min(MAX_LANE));
        }
        let widest = |of: fn(&Line) -> &str| lines.iter().map(|l| of(l).chars().count()).max().unwrap_or(0);
        Some(Layout {
            threads,
            lanes,
            number: widest(|l| &l.number).max(2),
            position: widest(|l| &l.position),
            palette,
        })
    }

    /// The characters that everything but the changes takes.
    fn used(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|lane| lane + 3).sum();
        2 + self.number + 2 + self.position + 2 + lanes + 2
    }

    fn render(&self, lines: &[Line], room: usize) -> String {
        let mut out = self.row("", "", |lane| self.threads[lane].clone(), "");
        let mut current = 0;
        for line in lines {
            if let Some(gap) = &line.gap {
                out.push_str(&format!("  {:>width$}  {gap}\n", "", width = self.number));
                continue;
            }
            let known = self.threads.iter().position(|t| *t == line.thread);
            current = known.unwrap_or(current);
            let cell = |lane: usize| match lane == current {
                true => cut(&line.statement, self.lanes[lane]),
                false => String::new(),
            };
            let mut changes = wrap(&line.changes, Some(room)).into_iter();
            let first = changes.next().unwrap_or_default();
            out.push_str(&self.row(&line.number, &line.position, cell, &first));
            for more in changes {
                out.push_str(&self.row("", "", |_| String::new(), &more));
            }
        }
        out
    }

    fn row(&self, number: &str, position: &str, cell: impl Fn(usize) -> String, changes: &str) -> String {
        let position = self.palette.padded(Tone::Quiet, position, self.position);
        let bar = self.palette.paint(Tone::Quiet, "│");
        let mut text = format!("  {number:>width$}  {position}  ", width = self.number);
        for (lane, width) in self.lanes.iter().enumerate() {
            text.push_str(&format!("{bar} {:<width$} ", cell(lane)));
        }
        text.push_str(&format!("{bar} {changes}"));
        format!("{}\n", text.trim_end())
    }
}

/// A text of at most so many characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_string();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}
