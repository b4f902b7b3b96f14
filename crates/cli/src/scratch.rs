//! A directory for the evidence of `compare`.

use crate::exit::InputError;
use crate::input::is_stdin;
use crate::pending::{forget, register};
use std::path::{Path, PathBuf};

/// A temporary directory, removed in the end unless it is kept.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    is_kept: bool,
}

/// The program under comparison.
#[derive(Debug)]
pub struct ProgramFile {
    /// A file that can be read as often as there are engines.
    pub path: PathBuf,
}

impl Scratch {
    /// A fresh directory.
    pub fn new() -> Result<Scratch, InputError> {
        let path = std::env::temp_dir().join(format!("threadwise-compare-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| {
            let message = format!("cannot make the directory `{}`: {error}", path.display());
            InputError::new(message).hint("set TMPDIR to a directory that you may write to")
        })?;
        register(&path);
        Ok(Scratch { path, is_kept: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The program as a file: standard input can be read only once, so it is copied.
    pub fn program(&self, given: &Path) -> Result<ProgramFile, InputError> {
        if !is_stdin(given) {
            return Ok(ProgramFile { path: given.to_path_buf() });
        }
        let path = self.path.join("stdin.tw");
        let copied =
            std::fs::File::create(&path).and_then(|mut file| std::io::copy(&mut std::io::stdin().lock(), &mut file));
        copied.map_err(|error| InputError::new(format!("cannot read standard input: {error}")))?;
        Ok(ProgramFile { path })
    }

    /// Leaves the directory for the user.
    pub fn keep(mut self) -> PathBuf {
        self.is_kept = true;
        self.path.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.path);
        }
        forget(&self.path);
    }
}
