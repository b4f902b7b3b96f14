//! `threadwise lsp`: a language server on standard input and output, for editors.

use crate::args::LspArgs;
use crate::exit::{Exit, InputError, Job};
use crate::own_run::{by_itself, run_to_end, this_program};
use crate::scratch::Scratch;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use threadwise_language_server::{Settings, Verified, Verifier, serve};

/// Serves an editor until it says that it is done.
pub fn lsp(_: &LspArgs) -> Job {
    let scratch = Scratch::new()?;
    let runs = Arc::new(OwnRuns { directory: scratch.path().to_path_buf(), number: AtomicU64::new(0) });
    let (connection, threads) = lsp_server::Connection::stdio();
    let served = serve(&connection, runs);
    drop(connection);
    served.map_err(|error| InputError::new(format!("the editor does not speak the protocol: {error}")))?;
    threads.join().map_err(|error| InputError::new(format!("the editor has gone: {error}")))?;
    Ok(Exit::Safe)
}

/// Verifies files in processes of their own, which can be ended, and whose memory is not the server's.
struct OwnRuns {
    /// Where reports are, as long as the server runs.
    directory: PathBuf,
    number: AtomicU64,
}

impl Verifier for OwnRuns {
    fn verify(&self, file: &Path, settings: &Settings, stop: &AtomicBool) -> Verified {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (report, page) =
            (self.directory.join(format!("{number}.json")), self.directory.join(format!("{number}.html")));
        let Ok(mut command) = this_program() else { return Verified::default() };
        command.arg("check").arg("--timeout").arg(settings.timeout.to_string()).args(["--quiet", "--color", "never"]);
        command.arg("--report").arg(&report).arg("--html").arg(&page);
        command.args(&settings.arguments).arg("--").arg(file);
        let complaint = match run_to_end(by_itself(&mut command), stop) {
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => format!("cannot verify: {error}"),
        };
        let text = std::fs::read(&report).unwrap_or_default();
        let _ = std::fs::remove_file(&report);
        Verified {
            report: serde_json::from_slice(&text).unwrap_or_default(),
            page: page.exists().then_some(page),
            complaint: complaint.lines().next().unwrap_or_default().to_string(),
        }
    }
}
