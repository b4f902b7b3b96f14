//! Task definitions in place of programs.

use crate::args::CheckArgs;
use crate::complaint::tell;
use crate::exit::InputError;
use crate::input::read_text;
use std::sync::Arc;
use threadwise_frontends::{is_task, read_task};
use threadwise_source::{Diagnostic, Severity};

/// What a task definition asks, in place of the task; programs stay as they are. Where there are several files, each of them has
/// a run of its own later.
pub fn expand(args: &mut CheckArgs) -> Result<(), InputError> {
    if args.only.is_some() {
        // Of several programs the findings are written when all are done, by the run that started this one.
        (args.forms.sarif, args.forms.junit) = (None, None);
    }
    let path = match (args.only, &args.files[..]) {
        (None, [path]) => path,
        (Some(index), files) if files.get(index).is_some() => &files[index],
        _ => return Ok(()),
    };
    if !is_task(path) {
        return Ok(());
    }
    let file = read_text(path, "a task definition names programs and properties")?;
    let source = Arc::new(file.clone().into());
    let task = read_task(&file, &args.language.options).map_err(|error| InputError::of_program(&source, error))?;
    let warning = |error: Diagnostic| Diagnostic { severity: Severity::Warning, ..error };
    let warnings: Vec<Diagnostic> = task.left_out.into_iter().map(warning).collect();
    if !args.output.quiet {
        tell(&source, &warnings);
    }
    (args.files, args.only, args.language.options) = (task.files, None, task.options);
    Ok(())
}
