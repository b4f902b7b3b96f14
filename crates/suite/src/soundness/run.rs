//! Many programs, and what to do about the first that shows a contradiction.

use super::patience::{Lost, within};
use super::{Case, Contradiction, Origin, Table, Witness, question};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_oracle::reduce_while;

/// How long a program is made smaller at most.
const SHRINKING: Duration = Duration::from_secs(600);

/// A program that takes longer to make, load and interpret is left alone.
const MAKING: Duration = Duration::from_secs(60);

/// A small program that shows a contradiction, in a file.
#[derive(Debug)]
pub struct Saved {
    /// The program that it was made from.
    pub origin: Origin,
    /// What is wrong with it.
    pub problem: String,
    pub file: PathBuf,
    /// Its text, as in the file.
    pub program: String,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}: {}", self.origin, self.problem)?;
        write!(f, "A small program that shows it is in {}:\n{}", self.file.display(), self.program)
    }
}

/// Questions the witnesses about random programs. The first contradiction ends it, and a small program that shows it
/// goes into the folder.
pub fn run(
    origins: impl Iterator<Item = Origin>,
    witnesses: &[Witness],
    folder: &Path,
    mut progress: impl FnMut(&Table),
) -> Result<Table, Box<Saved>> {
    let mut table = Table::default();
    for origin in origins {
        let found = match within(MAKING, move || Case::random(origin)) {
            Ok(Ok(case)) => {
                let case = Arc::new(case);
                let asked = |index: usize| origin.number().is_multiple_of(witnesses[index].every);
                let hearing = question(&case, witnesses, asked);
                table.add(origin, &case, &hearing);
                hearing.contradiction
            }
            Ok(Err(_)) if !origin.must_load() => {
                table.refused += 1;
                None
            }
            Ok(Err(text)) | Err(Lost::Panicked(text)) => Some(Contradiction { witnesses: Vec::new(), text }),
            Err(Lost::Late) => {
                table.left_alone.push(("the interpreter".to_string(), origin));
                None
            }
        };
        if let Some(contradiction) = found {
            return Err(Box::new(save(origin, &contradiction, witnesses, folder)));
        }
        progress(&table);
    }
    Ok(table)
}

fn save(origin: Origin, found: &Contradiction, witnesses: &[Witness], folder: &Path) -> Saved {
    let start = Instant::now();
    let module = origin.program().0;
    let small =
        reduce_while(&module, |candidate| start.elapsed() < SHRINKING && shows(candidate, origin, found, witnesses));
    let comment: String = found.text.lines().map(|line| format!("// {line}\n")).collect();
    let program = format!("{comment}{}", print(&small));
    let file = folder.join(format!("disagreement-{origin}.tw"));
    let problem = match std::fs::write(&file, &program) {
        Ok(()) => found.text.clone(),
        Err(error) => format!("{}\n(the file cannot be written: {error})", found.text),
    };
    Saved { origin, problem, file, program }
}

/// Whether the same witnesses contradict each other on this program too.
fn shows(candidate: &Module, origin: Origin, found: &Contradiction, witnesses: &[Witness]) -> bool {
    let module = candidate.clone();
    match within(MAKING, move || Case::new(module)) {
        Err(Lost::Late) => false,
        Err(Lost::Panicked(_)) => found.witnesses.is_empty(),
        Ok(Err(_)) => found.witnesses.is_empty() && origin.must_load(),
        Ok(Ok(_)) if found.witnesses.is_empty() => false,
        Ok(Ok(case)) => {
            let again = question(&Arc::new(case), witnesses, |index| found.witnesses.contains(&index));
            again.contradiction.is_some()
        }
    }
}
