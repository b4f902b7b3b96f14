//! What each thread of a modular proof says, laid out for people: what holds everywhere in it, what its steps do, what holds where.
//!
//! A proof that would not fit a screen or two is told in less: its formulas are cut, and of the places those are shown that readers
//! look for, with a label, a lock or an assertion. `-v` shows all.

use crate::annotation::{Place, ProofText, ThreadText};
use crate::formula::{Formula, conjunction};
use crate::guarantee::Guarded;
use crate::human::Layout;
use crate::list::wrap_words;
use crate::numbers::show_count;
use crate::screen::{MAX_LINES, cut_formula, lines_on_screen, wrap_formula};
use crate::style::{Palette, Tone};

/// How much is shown.
#[derive(Clone, Copy)]
struct Measure {
    /// Of each thread so many places,
    places: usize,
    /// and so many updates.
    updates: usize,
    /// Formulas are cut to so many characters,
    length: usize,
    /// and told in brief where they have more disjuncts.
    disjuncts: usize,
}

const WHOLE: Measure = Measure { places: usize::MAX, updates: usize::MAX, length: usize::MAX, disjuncts: usize::MAX };

/// The first of these is taken with which the text fits a screen or two.
const MEASURES: [Measure; 5] = [
    Measure { places: 40, updates: 20, length: usize::MAX, disjuncts: 6 },
    Measure { places: 40, updates: 12, length: 240, disjuncts: 6 },
    Measure { places: 12, updates: 8, length: 160, disjuncts: 6 },
    Measure { places: 6, updates: 4, length: 120, disjuncts: 3 },
    Measure { places: 3, updates: 2, length: 100, disjuncts: 2 },
];

/// What was not shown.
#[derive(Default)]
struct LeftOut {
    places: usize,
    updates: usize,
    threads: usize,
    /// Some formulas were cut.
    parts: bool,
}

/// All threads.
pub(crate) fn threads_text(text: &ProofText, layout: &Layout) -> String {
    let measures = if layout.whole { &[WHOLE][..] } else { &MEASURES };
    let mut out = String::new();
    for measure in measures {
        let (shown, left_out) = with_measure(text, *measure, layout);
        out = shown;
        if let Some(line) = left_out.line() {
            let lines = wrap_words(&line, layout.width.map(|width| width.saturating_sub(2).max(20)));
            out.push('\n');
            lines.iter().for_each(|line| out.push_str(&format!("  {}\n", layout.palette().paint(Tone::Quiet, line))));
        }
        if lines_on_screen(&out, layout) <= MAX_LINES {
            break;
        }
    }
    out
}

fn with_measure(text: &ProofText, measure: Measure, layout: &Layout) -> (String, LeftOut) {
    let mut left_out = LeftOut { places: text.left_out, threads: text.threads_left_out, ..LeftOut::default() };
    let mut out = String::new();
    for thread in text.threads.iter().filter(|thread| !thread.places.is_empty()) {
        let mut of_thread = LeftOut::default();
        let shown = Writer { measure, layout, palette: layout.palette() }.thread(thread, &mut of_thread);
        // One thread is always shown.
        let is_full = !layout.whole && lines_on_screen(&out, layout) + lines_on_screen(&shown, layout) + 2 > MAX_LINES;
        if measure.places <= MEASURES[MEASURES.len() - 1].places && is_full && !out.is_empty() {
            left_out.threads += 1;
            continue;
        }
        left_out.add(&of_thread);
        out.push_str(&shown);
    }
    (out, left_out)
}

impl LeftOut {
    fn add(&mut self, other: &LeftOut) {
        self.places += other.places;
        self.updates += other.updates;
        self.parts |= other.parts;
    }

    /// `3 more locations and what stands for … are left out; …`
    fn line(&self) -> Option<String> {
        let mut parts = Vec::new();
        let counted = [(self.threads, "thread"), (self.places, "location"), (self.updates, "update")];
        for (count, noun) in counted.into_iter().filter(|(count, _)| *count > 0) {
            let plural = if count == 1 { "" } else { "s" };
            parts.push(format!("{} more {noun}{plural}", show_count(count as u64)));
        }
        if self.parts {
            parts.push(if parts.is_empty() { "more where … stands" } else { "what … stands for" }.to_string());
        }
        (!parts.is_empty()).then(|| format!("{}; -v shows all", parts.join(", ")))
    }
}

struct Writer<'a> {
    measure: Measure,
    layout: &'a Layout,
    palette: Palette,
}

impl Writer<'_> {
    fn thread(&self, thread: &ThreadText, left_out: &mut LeftOut) -> String {
        let remark = thread.remark.as_ref().map_or_else(String::new, |remark| format!(": {remark}"));
        let mut out = format!("\n  thread {}{}\n", thread.name, self.palette.paint(Tone::Quiet, remark));
        let common = self.common(&thread.places);
        if !common.is_empty() {
            let text = self.cut(&conjunction(&common), left_out);
            let room = self.layout.width.map(|width| width.saturating_sub(16).max(30));
            let lines = wrap_formula(&text, room).join(&format!("\n{}", " ".repeat(16)));
            out.push_str(&format!("    {}  {lines}\n", self.palette.paint(Tone::Quiet, "everywhere")));
        }
        out.push_str(&self.guarantee(thread.guarantee.as_deref(), &common, left_out));
        let shown = chosen(&thread.places, self.measure.places);
        left_out.places += thread.places.len() - shown.len();
        let widest = |of: fn(&Place) -> String| shown.iter().map(|p| of(p).chars().count()).max().unwrap_or(0);
        let columns = (widest(|place| place.position.clone()), widest(|place| place.text.clone()));
        let mut routine = String::new();
        for place in shown {
            let here = heading(place);
            if here != routine {
                out.push_str(&format!("    {here}\n"));
                routine = here;
            }
            out.push_str(&self.place(place, &common, columns, left_out));
        }
        out
    }

    fn place(&self, place: &Place, common: &[String], columns: (usize, usize), left_out: &mut LeftOut) -> String {
        let position = self.palette.padded(Tone::Quiet, &place.position, columns.0);
        let indent = 8 + columns.0 + columns.1;
        let told = place.assertion.told(self.measure.disjuncts);
        let own: Vec<String> = told.iter().filter(|conjunct| !common.contains(conjunct)).cloned().collect();
        let assertion = match (&told[..], &own[..]) {
            ([only], _) if only == "false" => "never reached".to_string(),
            ([_, ..], []) => "nothing more".to_string(),
            _ => self.cut(&conjunction(&own), left_out),
        };
        let room = self.layout.width.map(|width| width.saturating_sub(indent).max(30));
        let lines = wrap_formula(&assertion, room).join(&format!("\n{}", " ".repeat(indent)));
        format!("    {position}  {:<width$}  {lines}\n", place.text, width = columns.1)
    }

    /// What is said at every place that is reached, if there are several.
    fn common(&self, places: &[Place]) -> Vec<String> {
        if places.iter().any(|place| matches!(place.assertion, Formula::TooMany(_))) {
            return Vec::new();
        }
        let told = places.iter().map(|place| place.assertion.told(self.measure.disjuncts));
        let told: Vec<Vec<String>> = told.filter(|told| told[..] != ["false"]).collect();
        match &told[..] {
            [first, others @ ..] if !others.is_empty() => {
                let everywhere =
                    |conjunct: &&String| *conjunct != "…" && others.iter().all(|told| told.contains(conjunct));
                first.iter().filter(everywhere).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    fn guarantee(&self, guarantee: Option<&[Guarded]>, common: &[String], left_out: &mut LeftOut) -> String {
        let Some(guarantee) = guarantee else {
            return format!("    {}\n", self.palette.paint(Tone::Quiet, "guarantee: too long to show"));
        };
        if guarantee.is_empty() {
            return String::new();
        }
        let title = "guarantee: its steps change the shared variables only like this";
        let mut out = format!("    {}\n", self.palette.paint(Tone::Quiet, title));
        for guarded in guarantee.iter().take(self.measure.updates) {
            let told = guarded.guard.told(self.measure.disjuncts);
            let own: Vec<String> = told.into_iter().filter(|conjunct| !common.contains(conjunct)).collect();
            let guard = self.cut(&conjunction(&own), left_out);
            let text = format!("{guard}  →  {}", guarded.update);
            let room = self.layout.width.map(|width| width.saturating_sub(10).max(30));
            let lines = wrap_formula(&text, room).join("\n          ");
            out.push_str(&format!("      {lines}\n"));
        }
        left_out.updates += guarantee.len().saturating_sub(self.measure.updates);
        out
    }

    fn cut(&self, formula: &str, left_out: &mut LeftOut) -> String {
        let (text, is_cut) = cut_formula(formula, self.measure.length);
        left_out.parts |= is_cut || text.contains('…');
        text
    }
}

/// So many places, those first that readers look for; in the order in which they were.
fn chosen(places: &[Place], most: usize) -> Vec<&Place> {
    if places.len() <= most {
        return places.iter().collect();
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&index| !places[index].is_telling);
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|index| &places[index]).collect()
}

/// `in next, called at 20:5`; nothing for a thread's own code.
fn heading(place: &Place) -> String {
    let Some(procedure) = &place.procedure else {
        return String::new();
    };
    match place.called_at.is_empty() {
        true => format!("in {procedure}"),
        false => format!("in {procedure}, called at {}", place.called_at),
    }
}
