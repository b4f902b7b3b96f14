//! Proofs by thread reachability and environment transitions, laid out for people: what holds at each
//! control point of a thread, and what the other threads may do, as guarded updates.

use crate::human::Layout;
use crate::screen::{cut_formula, wrap_formula};
use crate::style::Tone;
use crate::term::show_term;
use std::sync::Arc;
use threadwise_evidence::{EnvironmentTransition, FormulaProof, ThreadFormulas};
use threadwise_ir::{Program, ThreadId};
use threadwise_logic::Term;
use threadwise_space::{FormulaReader, PointId, Space};

/// Without `-v` no more assertions or transitions of a thread than this are shown.
const MAX_LINES: usize = 20;

/// Without `-v` no longer formulas than this are shown.
const MAX_TEXT: usize = 240;

/// What holds where, and what the environment of each thread does; nothing if the proof does not fit
/// the program.
pub(crate) fn render(program: &Arc<Program>, proof: &FormulaProof, layout: &Layout) -> Option<String> {
    let space = Space::new(program).ok()?;
    let writer = Writer { space: &space, states: space.reader(false), steps: space.reader(true), layout };
    let mut out = String::from("  Whenever a thread is at a point, this holds, whatever its environment does:\n");
    for (index, thread) in proof.parts.iter().enumerate() {
        writer.thread(ThreadId(index as u32), thread, &mut out)?;
    }
    Some(out)
}

/// What holds where: the thread, the number of the point among the proof's, and the formula in words.
pub(crate) fn assertions(program: &Arc<Program>, proof: &FormulaProof) -> Option<Vec<(ThreadId, usize, String)>> {
    let space = Space::new(program).ok()?;
    let reader = space.reader(false);
    let mut all = Vec::new();
    for (part, thread) in proof.parts.iter().zip((0..).map(ThreadId)) {
        for (index, point) in part.points.iter().enumerate() {
            all.push((thread, index, show_term(&reader.read(&point.formula).ok()?, &space)));
        }
    }
    Some(all)
}

struct Writer<'a> {
    space: &'a Space,
    states: FormulaReader,
    steps: FormulaReader,
    layout: &'a Layout,
}

impl Writer<'_> {
    fn thread(&self, id: ThreadId, thread: &ThreadFormulas, out: &mut String) -> Option<()> {
        out.push_str(&format!("\n  thread {}\n", self.space.instance.tid_name(i64::from(id.0) + 1)));
        let points = &self.space.threads[id.index()].points;
        let mut lines = Vec::new();
        for at in &thread.points {
            let Some(point) = points.iter().position(|point| *point == at.point) else { continue };
            let formula = self.states.read(&at.formula).ok()?;
            if formula.is_false() {
                continue;
            }
            lines.push((self.space.point_name(id, PointId(point as u32)), show_term(&formula, self.space)));
        }
        self.lines(&lines, out);
        let environment = thread.environment.as_deref().unwrap_or_default();
        if !environment.is_empty() {
            out.push_str("    environment\n");
            let transitions: Option<Vec<_>> = environment.iter().map(|t| self.transition(t)).collect();
            self.lines(&transitions?, out);
        }
        Some(())
    }

    /// Who does it, and what: the condition before the step, and what changes.
    fn transition(&self, transition: &EnvironmentTransition) -> Option<(String, String)> {
        let formula = self.steps.read(&transition.formula).ok()?;
        let is_update = |part: &&Term| part.variables().iter().any(|var| self.space.is_primed(*var));
        let stays = |part: &Term| {
            self.space.variables().any(|var| {
                let (before, after) = (self.space.value(var), self.space.value(self.space.primed(var)));
                *part == self.space.equation(self.space.primed(var), &before)
                    || *part == self.space.equation(var, &after)
            })
        };
        let (updates, guard): (Vec<&Term>, Vec<&Term>) = formula.conjuncts().iter().partition(is_update);
        let shown = |parts: &[&Term]| show_term(&Term::all(parts.iter().copied()), self.space);
        let changes: Vec<&Term> = updates.into_iter().filter(|part| !stays(part)).collect();
        let what = match (guard.is_empty(), changes.is_empty()) {
            (true, true) => "nothing changes".to_string(),
            (false, true) => format!("{}  →  nothing changes", shown(&guard)),
            (true, false) => shown(&changes),
            (false, false) => format!("{}  →  {}", shown(&guard), shown(&changes)),
        };
        let by = transition.by.map_or_else(String::new, |by| self.space.instance.tid_name(i64::from(by.0) + 1));
        Some((by, what))
    }

    fn lines(&self, lines: &[(String, String)], out: &mut String) {
        let whole = self.layout.whole;
        let shown = if whole { lines.len() } else { lines.len().min(MAX_LINES) };
        let widest = lines[..shown].iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let indent = 8 + widest;
        let room = self.layout.width.map(|width| width.saturating_sub(indent).max(30));
        for (name, text) in &lines[..shown] {
            let (text, _) = cut_formula(text, if whole { usize::MAX } else { MAX_TEXT });
            let text = wrap_formula(&text, room).join(&format!("\n{}", " ".repeat(indent)));
            out.push_str(&format!("      {name:<widest$}  {text}\n"));
        }
        if shown < lines.len() {
            let more = format!("{} more; -v shows all", lines.len() - shown);
            out.push_str(&format!("      {}\n", self.layout.palette().paint(Tone::Quiet, more)));
        }
    }
}
