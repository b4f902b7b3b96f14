//! Files that appear only when they are complete.
//!
//! The text goes to a temporary file beside the target, which then takes the target's name. So an
//! interrupted run leaves no half file, and a target that cannot be written is known at the start.

use crate::exit::InputError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Temporary files and directories to remove if the process has to end at once.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that will be written later.
#[derive(Debug)]
pub struct PendingFile {
    /// The name the user gave.
    name: PathBuf,
    target: PathBuf,
    file: Option<File>,
    temporary: Option<PathBuf>,
}

impl PendingFile {
    /// Makes sure that the file can be written, without touching it. `program` must not be
    /// overwritten.
    pub fn prepare(path: &Path, program: &Path) -> Result<PendingFile, InputError> {
        // A link should stay a link: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if fs::canonicalize(program).is_ok_and(|program| program == target) {
            let message = format!("`{}` is the program itself", path.display());
            return Err(InputError::new(message).hint("give another file"));
        }
        if target.is_dir() {
            let message = format!("`{}` is a directory", path.display());
            return Err(InputError::new(message).hint("give a file inside it"));
        }
        let is_device = fs::metadata(&target).is_ok_and(|m| !m.is_file());
        let (file, temporary) = if is_device {
            (OpenOptions::new().write(true).open(&target).map_err(|e| unwritable(path, &e))?, None)
        } else {
            let temporary = temporary_name(&target);
            let file = create(&target, &temporary).map_err(|e| unwritable(path, &e))?;
            register(&temporary);
            (file, Some(temporary))
        };
        Ok(PendingFile { name: path.to_path_buf(), target, file: Some(file), temporary })
    }

    pub fn write(mut self, write: impl FnOnce(&File) -> io::Result<()>) -> Result<(), InputError> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let written = write(&file).and_then(|()| match &self.temporary {
            Some(temporary) => fs::rename(temporary, &self.target),
            None => Ok(()),
        });
        match written {
            Ok(()) => {
                self.forget_temporary();
                Ok(())
            }
            Err(error) => Err(unwritable(&self.name, &error)),
        }
    }

    fn forget_temporary(&mut self) {
        if let Some(path) = self.temporary.take() {
            forget(&path);
        }
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Some(path) = &self.temporary {
            let _ = fs::remove_file(path);
        }
        self.forget_temporary();
    }
}

/// Removes what has not been finished; for the moment before the process ends at once.
pub fn remove_unfinished() {
    if let Ok(unfinished) = UNFINISHED.try_lock() {
        unfinished.iter().for_each(|path| {
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        });
    }
}

/// A temporary file or directory that has to be removed if the process ends at once.
pub fn register(path: &Path) {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        unfinished.push(path.to_path_buf());
    }
}

/// It is gone, or has become something to keep.
pub fn forget(path: &Path) {
    if let Ok(mut unfinished) = UNFINISHED.lock() {
        unfinished.retain(|other| other != path);
    }
}

/// A name beside the target, so that the rename stays within one file system.
fn temporary_name(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

/// A target that exists but is read-only could be renamed over, and a privileged user could even open it; its owner
/// would not be pleased.
fn create(target: &Path, temporary: &Path) -> io::Result<File> {
    if let Ok(existing) = fs::metadata(target) {
        if existing.permissions().readonly() {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is there and is read-only"));
        }
        OpenOptions::new().append(true).open(target)?;
    }
    if target.file_name().is_none() {
        return Err(io::Error::from(ErrorKind::InvalidFilename));
    }
    OpenOptions::new().write(true).create(true).truncate(true).open(temporary)
}

fn unwritable(path: &Path, error: &io::Error) -> InputError {
    let message = format!("cannot write `{}`: {error}", path.display());
    InputError::new(message).hint("check that the directory exists and that you may write there")
}
