//! Runs of the verifier: one at a time, the others wait. Whoever saves a file while it is verified gets the verdict on what
//! was saved last.

use crate::lsp::Uri;
use crate::messages::{Abilities, Client};
use crate::text::Text;
use crate::{Settings, Verified, Verifier};
use crossbeam_channel::Sender;
use serde_json::json;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A file to be verified, with the text that is in it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<Text>,
}

/// What came of a job.
pub(crate) struct Ended {
    pub(crate) job: Job,
    pub(crate) verified: Verified,
    pub(crate) is_cancelled: bool,
}

struct Running {
    uri: Uri,
    stop: Arc<AtomicBool>,
    started: Instant,
    /// The name of its progress; nothing where the client shows none.
    token: Option<String>,
    /// The seconds that were told last.
    told: u64,
}

pub(crate) struct Runs {
    verifier: Arc<dyn Verifier>,
    ended: Sender<Ended>,
    abilities: Abilities,
    running: Option<Running>,
    waiting: VecDeque<Job>,
    number: u64,
}

impl Runs {
    pub(crate) fn new(verifier: Arc<dyn Verifier>, ended: Sender<Ended>, abilities: Abilities) -> Runs {
        Runs { verifier, ended, abilities, running: None, waiting: VecDeque::new(), number: 0 }
    }

    pub(crate) fn is_at(&self, uri: &Uri) -> bool {
        self.running.as_ref().is_some_and(|running| running.uri == *uri)
            || self.waiting.iter().any(|job| job.uri == *uri)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// Verifies a file as soon as it is its turn. A run on an older text of it is ended.
    pub(crate) fn add(&mut self, job: Job, settings: &Settings, client: &mut Client) {
        self.cancel(&job.uri);
        self.waiting.push_back(job);
        self.start_next(settings, client);
    }

    /// Ends the run on a file, and takes it from those that wait.
    pub(crate) fn cancel(&mut self, uri: &Uri) {
        self.waiting.retain(|job| job.uri != *uri);
        if let Some(running) = self.running.as_ref().filter(|running| running.uri == *uri) {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the run with this progress.
    pub(crate) fn cancel_token(&mut self, token: &str) {
        if let Some(running) = self.running.as_ref().filter(|running| running.token.as_deref() == Some(token)) {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn cancel_all(&mut self) {
        self.waiting.clear();
        self.running.iter().for_each(|running| running.stop.store(true, Ordering::Relaxed));
    }

    pub(crate) fn start_next(&mut self, settings: &Settings, client: &mut Client) {
        if self.running.is_some() {
            return;
        }
        let Some(job) = self.waiting.pop_front() else { return };
        self.number += 1;
        let stop = Arc::new(AtomicBool::new(false));
        let token = self.abilities.shows_progress.then(|| format!("threadwise-run-{}", self.number));
        if let Some(token) = &token {
            let name = job.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            client.request("window/workDoneProgress/create", json!({ "token": token }));
            let begin = json!({ "kind": "begin", "title": format!("Verifying {name}"), "cancellable": true });
            client.notify("$/progress", json!({ "token": token, "value": begin }));
        }
        self.running =
            Some(Running { uri: job.uri.clone(), stop: stop.clone(), started: Instant::now(), token, told: 0 });
        let (verifier, ended, settings) = (self.verifier.clone(), self.ended.clone(), settings.clone());
        std::thread::spawn(move || {
            let work = std::panic::AssertUnwindSafe(|| verifier.verify(&job.path, &settings, &stop));
            let verified = std::panic::catch_unwind(work)
                .unwrap_or_else(|_| Verified { complaint: "internal error".to_string(), ..Verified::default() });
            // Nobody listens any more when the server ends.
            let _ = ended.send(Ended { job, verified, is_cancelled: stop.load(Ordering::Relaxed) });
        });
    }

    /// The run is over.
    pub(crate) fn finish(&mut self, client: &Client, words: &str) {
        let Some(running) = self.running.take() else { return };
        if let Some(token) = running.token {
            client.notify("$/progress", json!({ "token": token, "value": { "kind": "end", "message": words } }));
        }
    }

    /// Tells how long the run has been going on, once a second.
    pub(crate) fn tell_progress(&mut self, settings: &Settings, client: &Client) {
        let Some(running) = &mut self.running else { return };
        let seconds = running.started.elapsed().as_secs();
        if let Some(token) = running.token.as_ref().filter(|_| seconds > running.told) {
            let limit = Duration::try_from_secs_f64(settings.timeout).unwrap_or_default().as_secs();
            let report = json!({ "kind": "report", "message": format!("{seconds} s of {limit} s") });
            client.notify("$/progress", json!({ "token": token, "value": report }));
            running.told = seconds;
        }
    }
}
