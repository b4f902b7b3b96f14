//! What `watch` remembers of a program that was proved thread by thread: after an edit, only what was edited is verified.
//!
//! It stays in this process, and goes with it. Where an edit takes more than what is remembered, the program is verified in a process of its
//! own, as it always is at first.

use crate::args::{CheckArgs, Format};
use crate::console::layout;
use crate::input::{Bounded, load_bounded};
use crate::properties::questions;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use threadwise_ir::Program;
use threadwise_limits::{Budget, peak_memory};
use threadwise_portfolio::{Earlier, EngineChoice, EngineName, SearchKind, keep, verify_again};
use threadwise_report::{Layout, Report, human, json};

/// An edit is looked at for as long as the program took from scratch, within these bounds.
const PATIENCE: (f64, f64) = (1.0, 20.0);

/// To find out what is to be remembered may take so many times as long as the verdict took, and a few seconds in any case.
const TIMES: f64 = 4.0;
const SOME_SECONDS: f64 = 5.0;

/// The memory that it may take, where the user has set no limit.
const MEMORY: u64 = 4 << 30;

/// What is remembered of a program, or being found out.
#[derive(Default)]
pub struct Memory {
    earlier: Option<Arc<Earlier>>,
    coming: Option<Coming>,
    /// How long the program took from scratch.
    seconds: f64,
}

/// Work beside the waiting for changes.
struct Coming {
    result: Receiver<Option<Earlier>>,
    stop: Arc<AtomicBool>,
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Whether the user asks for nothing but the verdict, by an engine that remembers.
pub fn is_wanted(args: &CheckArgs, files: &[PathBuf]) -> bool {
    let engines = [EngineChoice::Auto, EngineChoice::Only(EngineName::Modular)];
    let forms = &args.forms;
    let files_asked = [&args.proof, &args.trace, &args.witness, &forms.html, &forms.sarif, &forms.junit];
    engines.contains(&args.engine)
        && args.engines.modular.search == SearchKind::Fixpoint
        && args.output.format == Format::Human
        && !args.cover
        && files_asked.iter().all(|file| file.is_none())
        && questions(args, files).len() < 2
}

/// Reads a program that has no bounds of the front end's.
fn read(args: &CheckArgs, files: &[PathBuf], budget: &Budget) -> Option<Arc<Program>> {
    let Bounded { program, bounded } = load_bounded(files, &args.language.options, budget, true).ok()?;
    bounded.is_empty().then_some(program)
}

impl Memory {
    /// Verifies a program with what is remembered of it, if that is enough: the report, and what people read of it.
    pub fn verify(&mut self, args: &CheckArgs, files: &[PathBuf]) -> Option<(Value, String)> {
        if let Some(coming) = self.coming.take() {
            self.earlier = coming.result.try_recv().ok().flatten().map(Arc::new);
        }
        let earlier = self.earlier.clone()?;
        let budget = budget(args, self.seconds.clamp(PATIENCE.0, PATIENCE.1));
        let program = read(args, files, &budget)?;
        let (outcome, now) = verify_again(&earlier, &program, &budget)?;
        self.earlier = Some(Arc::new(now));
        let report = Report {
            program: &program,
            verdict: &outcome.verdict,
            properties: &[],
            engine: outcome.engine.as_str(),
            chosen: None,
            modular: outcome.modular,
            proof: None,
            symmetric: false,
            stats: &outcome.stats,
            attempts: &outcome.attempts,
            unreached: &outcome.unreached,
            seconds: budget.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory(),
        };
        let layout = Layout { whole: args.output.verbose, ..layout(args.width.width) };
        Some((serde_json::to_value(json(&report)).unwrap_or_default(), human(&report, &layout)))
    }

    /// After a verdict from scratch: what there is to be remembered is found out while the user edits.
    pub fn learn(&mut self, args: &CheckArgs, files: &[PathBuf], report: &Value) {
        let is_proof = report["verdict"] == "safe" && report["engine"] == EngineName::Modular.as_str();
        if !is_proof {
            // What is known of the text before may be of use for the next one.
            return;
        }
        (self.earlier, self.coming) = (None, None);
        self.seconds = report["stats"]["seconds"].as_f64().unwrap_or_default();
        let budget = budget(args, self.seconds * TIMES + SOME_SECONDS);
        let Some(program) = read(args, files, &budget) else { return };
        let (tell, result) = channel();
        let stop = budget.interrupter();
        let work = move || {
            // Where nobody waits any more, the text has changed.
            let _ = tell.send(keep(&program, &budget));
        };
        if std::thread::Builder::new().name("memory".to_string()).spawn(work).is_ok() {
            self.coming = Some(Coming { result, stop });
        }
    }
}

/// What the user allows, and no more time than this.
fn budget(args: &CheckArgs, seconds: f64) -> Budget {
    let time = Duration::from_secs_f64(seconds);
    let time = args.limits.timeout.map_or(time, |limit| limit.min(time));
    Budget::new(Some(time), Some(args.limits.memory.map_or(MEMORY, |mib| mib << 20)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use serde_json::json;

    #[test]
    fn what_was_proved_is_remembered() {
        let directory = std::env::temp_dir().join(format!("threadwise-reuse-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("it can be made");
        let file = directory.join("a.tw");
        let text = "shared x: 0..9; shared m: mutex; thread P { acquire(m); x = 1; release(m); } thread Q { acquire(m); x = 2; \
                    assert x == 2; release(m); }";
        let write = |text: &str| std::fs::write(&file, text).expect("it can be written");
        let flags = |more: &[&str]| {
            let name = file.display().to_string();
            match Cli::parse_from([&["threadwise", "watch", &name], more].concat()).command {
                Command::Watch(args) => args,
                other => panic!("{other:?}"),
            }
        };
        let (args, files) = (flags(&[]), vec![file.clone()]);
        write(text);
        let mut memory = Memory::default();
        assert!(memory.verify(&args, &files).is_none(), "nothing is remembered yet");
        memory.learn(&args, &files, &json!({ "verdict": "safe", "engine": "explicit", "stats": { "seconds": 0.1 } }));
        assert!(memory.coming.is_none(), "another engine's proof");
        memory.learn(&args, &files, &json!({ "verdict": "safe", "engine": "modular", "stats": { "seconds": 0.1 } }));
        let learnt = memory.coming.take().expect("it is found out").result.recv_timeout(Duration::from_secs(60));
        memory.earlier = learnt.expect("in time").map(Arc::new);
        write(&text.replace("x = 1;", "x = 3;"));
        let (report, details) = memory.verify(&args, &files).expect("it is verified again");
        assert_eq!((report["verdict"].as_str(), report["engine"].as_str()), (Some("safe"), Some("modular")));
        assert!(details.starts_with("SAFE\n") && details.contains("the others before the edit"), "{details}");
        write(&text.replace("x = 2; ", ""));
        assert!(memory.verify(&args, &files).is_none(), "an error is for the search");
        write("thread");
        assert!(memory.verify(&args, &files).is_none(), "no program");
        write(&text.replace("x = 1;", "x = 4;"));
        assert!(memory.verify(&args, &files).is_some(), "what was known before the errors is still known");
        assert!(is_wanted(&args, &files) && is_wanted(&flags(&["--engine", "modular"]), &files));
        for other in
            [&["--engine", "explicit"], &["--proof", "a.json"], &["--search", "relaxed"], &["--format", "json"]]
        {
            assert!(!is_wanted(&flags(other), &files), "{other:?}");
        }
        let _ = std::fs::remove_dir_all(&directory);
    }
}
