//! `threadwise simulate` with a person who says what happens next. It reads lines and prints text, so that it works at every
//! terminal and in scripts.

use crate::console::{palette, print};
use crate::defines::Defines;
use crate::exit::{Exit, InputError, Job};
use crate::pending::PendingFile;
use crate::simulate::{error_line, standing, steps};
use std::io::BufRead;
use std::path::Path;
use threadwise_evidence::TraceStep;
use threadwise_evidence_files::write_trace;
use threadwise_ir::{Instance, State, ThreadId};
use threadwise_report::{Layout, Looker, Seen, Tone, execution_text, render_steps, step_text};
use threadwise_simulation::{Choice, Dice, Simulation, Until, pick, run};

const HELP: &str = "  1, 2, …    take the step with this number
  NAME       take the step of the thread with this name, where it has but one
  Enter      take the next step of the trace, or the only one there is
  r [N]      go on at random, for one step or N
  p          go on at random to the next property: an assertion that is checked, or an error
  u [N]      take back the last step, or N
  v          show all variables
  t          show the steps so far
  save FILE  write the execution as a trace to a file, where something goes wrong
  q          end
";

/// Further than this chance does not go at once.
const MOST_STEPS: usize = 100_000;

/// More choices than this are not listed.
const MOST_LISTED: usize = 40;

/// A conversation about one execution.
pub struct Stepping {
    simulation: Simulation,
    /// The steps of a trace to walk along.
    trace: Vec<TraceStep>,
    dice: Dice,
    layout: Layout,
    /// The constants that are overridden.
    defines: Defines,
}

/// What came of a line.
enum Answer {
    /// Show where the execution is now.
    Go,
    /// Say this, and ask again.
    Say(String),
    End,
}

impl Stepping {
    pub fn new(simulation: Simulation, layout: Layout, seed: u64, defines: Defines) -> Stepping {
        Stepping { simulation, trace: Vec::new(), dice: Dice::new(seed), layout, defines }
    }

    /// The same along a trace.
    pub fn along(self, trace: Vec<TraceStep>) -> Stepping {
        Stepping { trace, ..self }
    }

    /// Asks until the user ends it.
    pub fn run(mut self) -> Job {
        print(&palette().paint(Tone::Quiet, "  h shows what can be said here\n\n"))?;
        let mut lines = std::io::stdin().lock().lines();
        let mut choices = self.simulation.choices();
        print(&self.scene(&choices))?;
        loop {
            print("> ")?;
            let line = match lines.next() {
                Some(Ok(line)) => line,
                Some(Err(error)) => return Err(InputError::new(format!("cannot read what to do: {error}"))),
                None => break,
            };
            match self.answer(line.trim(), &choices)? {
                Answer::Go => {
                    choices = self.simulation.choices();
                    print(&self.scene(&choices))?;
                }
                Answer::Say(text) => print(&format!("{}\n", text.trim_end()))?,
                Answer::End => break,
            }
        }
        Ok(Exit::Safe)
    }

    fn answer(&mut self, line: &str, choices: &[Choice]) -> Result<Answer, InputError> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let count = || rest.trim().parse::<usize>().unwrap_or(1).clamp(1, MOST_STEPS);
        Ok(match word {
            "" => self.next(choices),
            "q" | "quit" | "exit" => Answer::End,
            "h" | "help" | "?" => Answer::Say(HELP.to_string()),
            "u" | "undo" => self.undo(count()),
            "r" | "random" => self.random(count(), Until::Error),
            "p" => self.random(MOST_STEPS, Until::Property),
            "v" => Answer::Say(self.variables()),
            "t" => Answer::Say(steps(&self.simulation, self.simulation.steps(), self.layout)),
            "save" => self.save(rest.trim())?,
            _ => self.choose(line, choices),
        })
    }

    /// The choice with this number, or of the thread with this name.
    fn choose(&mut self, text: &str, choices: &[Choice]) -> Answer {
        if let Ok(number) = text.parse::<usize>() {
            return match number.checked_sub(1).and_then(|index| choices.get(index)) {
                Some(choice) => self.take(&choice.clone()),
                None => Answer::Say(format!("  there is no step {number} here")),
            };
        }
        let named = self.simulation.named();
        let is_meant = |choice: &&Choice| choice.thread().is_some_and(|thread| name(&named, thread) == text);
        match choices.iter().filter(is_meant).collect::<Vec<&Choice>>()[..] {
            [choice] => self.take(&choice.clone()),
            [] if self.simulation.threads().any(|thread| name(&named, thread) == text) => {
                Answer::Say(format!("  {text} cannot take a step here"))
            }
            [] => Answer::Say(format!("  nobody knows what `{text}` means; h shows what can be said")),
            _ => Answer::Say(format!("  {text} can do several things; say the number of one")),
        }
    }

    fn take(&mut self, choice: &Choice) -> Answer {
        self.simulation.take(choice);
        Answer::Go
    }

    /// The next step of the trace while the execution is on it; else the only choice.
    fn next(&mut self, choices: &[Choice]) -> Answer {
        let choice = match (self.next_of_trace(), choices) {
            (Some(step), _) => Choice::Step(step.clone()),
            (None, [only]) => only.clone(),
            (None, []) => return Answer::Say(format!("  {}", standing(&self.simulation))),
            (None, _) => return Answer::Say("  say the number of a step".to_string()),
        };
        self.take(&choice)
    }

    fn next_of_trace(&self) -> Option<&TraceStep> {
        let done = self.simulation.steps();
        self.trace.get(done.len()).filter(|_| self.trace.starts_with(done) && self.simulation.wrong().is_none())
    }

    fn undo(&mut self, count: usize) -> Answer {
        let undone = (0..count).take_while(|_| self.simulation.undo()).count();
        if undone == 0 { Answer::Say("  there is nothing to take back".to_string()) } else { Answer::Go }
    }

    fn random(&mut self, most: usize, until: Until) -> Answer {
        if self.simulation.state().is_none()
            && let Some(start) = pick(&self.simulation.choices(), &mut self.dice)
        {
            self.simulation.take(start);
        }
        match run(&mut self.simulation, &mut self.dice, most, until) {
            0 => Answer::Say(format!("  {}", standing(&self.simulation))),
            _ => Answer::Go,
        }
    }

    fn save(&self, path: &str) -> Result<Answer, InputError> {
        let violation = self.simulation.wrong().cloned().or_else(|| self.simulation.broken().into_iter().next());
        let Some(violation) = violation.filter(|_| !path.is_empty()) else {
            let text = if path.is_empty() { "  save where? give a file" } else { "  nothing has gone wrong yet" };
            return Ok(Answer::Say(text.to_string()));
        };
        let instance = self.simulation.instance();
        let trace = self.simulation.trace(violation);
        let written = PendingFile::prepare(Path::new(path), Path::new(""))
            .and_then(|file| file.write(|out| write_trace(out, instance, &trace, &self.defines)));
        Ok(Answer::Say(match written {
            Ok(()) => format!("  written; `threadwise replay` runs {path} again"),
            Err(InputError::Message { message, .. }) => format!("  {message}"),
            Err(other) => return Err(other),
        }))
    }

    /// Where the execution is: its last step, what is wrong, and what can happen next.
    fn scene(&self, choices: &[Choice]) -> String {
        let mut out = self.last_step();
        let bad = |text: String| format!("  {}\n", palette().paint(Tone::Bad, format!("✗ {text}")));
        let wrong = self.simulation.wrong().cloned();
        for violation in wrong.iter().chain(&self.simulation.broken()) {
            out.push_str(&bad(error_line(&self.simulation, violation)));
        }
        out.push_str(&self.listed(choices));
        if choices.is_empty() && wrong.is_none() {
            out.push_str(&format!("  {}\n", standing(&self.simulation)));
        }
        if !self.simulation.is_listed_whole() {
            out.push_str("  more is possible than is listed: a step chooses among all integers\n");
        }
        out
    }

    /// The values at the start, or the step that led here with what it changed.
    fn last_step(&self) -> String {
        let Some(initial) = self.simulation.initial() else { return "  where should it start?\n".to_string() };
        let named = self.simulation.named();
        let mut text = execution_text(&named, initial, self.simulation.steps());
        let count = text.steps.len();
        let Some(last) = text.steps.pop() else { return format!("{}\n", render_steps(&text, &self.layout).trim_end()) };
        let words: Vec<&str> = last.statements.iter().map(|statement| statement.text.as_str()).collect();
        let changes: Vec<String> = last.changes.iter().map(|change| change.show()).collect();
        let number = palette().paint(Tone::Quiet, format!("step {count}"));
        format!("  {number}  {}: {}  {}\n", last.thread, words.join(" "), changes.join(", ")).replace("  \n", "\n")
    }

    /// What can happen next, with numbers; then the threads that cannot do anything.
    fn listed(&self, choices: &[Choice]) -> String {
        let named = self.simulation.named();
        let mut rows: Vec<[String; 4]> = Vec::new();
        for (choice, number) in choices.iter().zip(1..).take(MOST_LISTED) {
            let [thread, place, text] = self.words(&named, choice);
            rows.push([number.to_string(), thread, place, text]);
        }
        if let Some(state) = self.simulation.state().filter(|_| self.simulation.wrong().is_none()) {
            let seen = Looker::new(&named).look(state);
            let moves = |thread: &ThreadId| choices.iter().any(|choice| choice.thread() == Some(*thread));
            for thread in self.simulation.threads().filter(|thread| !moves(thread)) {
                rows.push([String::new(), name(&named, thread), place(&named, &seen, thread), why(&seen, thread)]);
            }
        }
        let mut out = table(&rows);
        if choices.len() > MOST_LISTED {
            out.push_str(&format!(
                "  … and {} more; they can be taken by their numbers\n",
                choices.len() - MOST_LISTED
            ));
        }
        out
    }

    fn words(&self, named: &Instance, choice: &Choice) -> [String; 3] {
        let mark = match (choice, self.next_of_trace()) {
            (Choice::Step(step), Some(next)) if step == next => "  ← the trace",
            _ => "",
        };
        match (choice, self.simulation.state()) {
            (Choice::Step(step), Some(state)) => {
                let told = step_text(named, state, step);
                let words: Vec<&str> = told.statements.iter().map(|statement| statement.text.as_str()).collect();
                let changes: Vec<String> = told.changes.iter().map(|change| change.show()).collect();
                let changes = if changes.is_empty() { String::new() } else { format!("  ({})", changes.join(", ")) };
                let place = told.statements.first().map_or_else(String::new, |first| first.position.clone());
                [told.thread, place, format!("{}{changes}{mark}", words.join(" "))]
            }
            (Choice::Wrong(violation), _) => {
                let thread = choice.thread().map_or_else(String::new, |thread| name(named, thread));
                [thread, String::new(), format!("✗ {}", error_line(&self.simulation, violation))]
            }
            (Choice::Start(state), _) => [String::new(), String::new(), values(named, state, None)],
            (Choice::Step(_), None) => Default::default(),
        }
    }

    fn variables(&self) -> String {
        let named = self.simulation.named();
        let Some(state) = self.simulation.state() else { return "  the program has not started".to_string() };
        let own = self.simulation.threads().map(|thread| (name(&named, thread), Some(thread)));
        let all = [("shared".to_string(), None)].into_iter().chain(own);
        let rows: Vec<[String; 4]> = all
            .map(|(who, thread)| [String::new(), who, values(&named, state, thread), String::new()])
            .filter(|row| !row[2].is_empty())
            .collect();
        table(&rows)
    }
}

fn name(instance: &Instance, thread: ThreadId) -> String {
    instance.tid_name(i64::from(thread.0) + 1)
}

/// The shared variables, or those of a thread: `x == 1, y == 2`.
fn values(instance: &Instance, state: &State, thread: Option<ThreadId>) -> String {
    let seen = Looker::new(instance).look(state);
    let own = seen.variables.iter().filter(|variable| variable.thread == thread);
    own.map(|variable| format!("{} == {}", variable.name, variable.value)).collect::<Vec<String>>().join(", ")
}

fn place(instance: &Instance, seen: &Seen, thread: ThreadId) -> String {
    let span = seen.places.get(thread.index()).copied().flatten();
    span.map_or_else(String::new, |span| instance.program.source.locate_briefly(span))
}

/// Why a thread can take no step.
fn why(seen: &Seen, thread: ThreadId) -> String {
    let wait = seen.waits.iter().find(|wait| wait.thread == thread);
    match (wait, seen.places.get(thread.index()).copied().flatten()) {
        (Some(wait), _) => format!("waits for {}, which {} holds", wait.lock, wait.holder),
        (None, None) => "has ended".to_string(),
        (None, Some(_)) => "waits".to_string(),
    }
}

/// Rows with their columns one under the other.
fn table(rows: &[[String; 4]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..3).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = format!("  {:>width$}", row[0], width = widths[0]);
        for column in 1..3 {
            line.push_str(&format!("  {:<width$}", row[column], width = widths[column]));
        }
        line.push_str(&format!("  {}", row[3]));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
