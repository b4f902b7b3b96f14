//! `threadwise fmt`: programs in the one layout.

use crate::args::FmtArgs;
use crate::console::{print, say};
use crate::exit::{Exit, InputError, Job};
use crate::input::{is_stdin, read_source};
use crate::pending::PendingFile;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use threadwise_editing::format_text;
use threadwise_frontends::frontend_for;
use threadwise_source::SourceFile;

/// Lays out each file, or says which ones are not laid out.
pub fn fmt(args: &FmtArgs) -> Job {
    let mut exit = Exit::Safe;
    for path in &args.files {
        let (before, after) = laid_out(path)?;
        if is_stdin(path) && !args.check {
            print(&after)?;
        } else if before.text() != after && args.check {
            say(&format!("{} is not laid out", before.name()));
            exit = Exit::Unsafe;
        } else if before.text() != after {
            PendingFile::prepare(path, Path::new(""))?.write(|mut file| file.write_all(after.as_bytes()))?;
        }
    }
    Ok(exit)
}

fn laid_out(path: &Path) -> Result<(SourceFile, String), InputError> {
    let frontend = frontend_for(path);
    if frontend.noun() != frontend_for(Path::new("-")).noun() {
        let error = InputError::new(format!("`{}` is {}, not a .tw program", path.display(), frontend.noun()));
        return Err(error.hint("give .tw files; for C there is clang-format"));
    }
    let file = read_source(path, frontend)?;
    match format_text(&file) {
        Ok(text) => Ok((file, text)),
        Err(diagnostics) => Err(InputError::Program { source: Arc::new(file.into()), diagnostics }),
    }
}
