//! Folders in place of programs: all tasks that are in them, or all programs where there are no tasks.

use crate::args::CheckArgs;
use crate::exit::InputError;
use std::path::{Path, PathBuf};
use threadwise_frontends::{frontends, is_task};

/// Puts what is in folders in their places, in the order of the names. What is found there is verified file by file.
pub fn expand(args: &mut CheckArgs) -> Result<(), InputError> {
    if !args.files.iter().any(|path| path.is_dir()) {
        return Ok(());
    }
    args.separately = true;
    let mut files = Vec::new();
    for path in &args.files {
        match path.is_dir() {
            true => files.extend(tasks_in(path)?),
            false => files.push(path.clone()),
        }
    }
    args.files = files;
    Ok(())
}

fn tasks_in(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let mut all = Vec::new();
    collect(folder, &mut all)?;
    let tasks: Vec<PathBuf> = all.iter().filter(|path| is_task(path)).cloned().collect();
    let found = if tasks.is_empty() { all.into_iter().filter(|path| is_program(path)).collect() } else { tasks };
    if found.is_empty() {
        let message = format!("there are no tasks and no programs in `{}`", folder.display());
        return Err(InputError::new(message).hint("tasks end with .yml, programs with .tw, .ts, .c and .i"));
    }
    Ok(found)
}

/// All files below a folder. Links to folders are not followed: they may lead in a circle.
fn collect(folder: &Path, all: &mut Vec<PathBuf>) -> Result<(), InputError> {
    let unreadable = |error| InputError::new(format!("cannot read the folder `{}`: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, _>>().map_err(unreadable)?;
    paths.sort();
    for path in paths {
        if path.is_file() {
            all.push(path);
        } else if path.is_dir() && !path.is_symlink() {
            collect(&path, all)?;
        }
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    frontends().iter().any(|frontend| frontend.extensions().contains(&extension))
}
