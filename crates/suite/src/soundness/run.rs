//! Many programs, and what to do about the first that shows a contradiction.

use super::programs::random_program;
use super::{Case, Contradiction, Table, Witness, question};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_oracle::reduce_while;

/// How long a program is made smaller at most.
const SHRINKING: Duration = Duration::from_secs(600);

/// A small program that shows a contradiction, in a file.
#[derive(Debug)]
pub struct Saved {
    /// The number of the program that it was made from.
    pub seed: u64,
    /// What is wrong with it.
    pub problem: String,
    /// Where it is.
    pub file: PathBuf,
    /// Its text, as in the file.
    pub program: String,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.seed, self.problem)?;
        write!(f, "A small program that shows it is in {}:\n{}", self.file.display(), self.program)
    }
}

/// Questions the witnesses about the random programs with these numbers. The first contradiction ends it, and a
/// small program that shows it goes into the folder.
pub fn run(
    seeds: impl Iterator<Item = u64>,
    witnesses: &[Witness],
    folder: &Path,
    mut progress: impl FnMut(&Table),
) -> Result<Table, Box<Saved>> {
    let mut table = Table::default();
    for seed in seeds {
        let (module, explored) = random_program(seed);
        let found = match Case::made(module.clone(), explored) {
            Ok(case) => {
                let hearing = question(&case, witnesses, |index| seed.is_multiple_of(witnesses[index].every));
                table.add(seed, &case, &hearing);
                hearing.contradiction
            }
            Err(text) => Some(Contradiction { witnesses: Vec::new(), text }),
        };
        if let Some(contradiction) = found {
            return Err(Box::new(save(seed, &module, &contradiction, witnesses, folder)));
        }
        progress(&table);
    }
    Ok(table)
}

fn save(seed: u64, module: &Module, found: &Contradiction, witnesses: &[Witness], folder: &Path) -> Saved {
    let start = Instant::now();
    let small = reduce_while(module, |candidate| start.elapsed() < SHRINKING && shows(candidate, found, witnesses));
    let comment: String = found.text.lines().map(|line| format!("// {line}\n")).collect();
    let program = format!("{comment}{}", print(&small));
    let file = folder.join(format!("disagreement-{seed}.tw"));
    let problem = match std::fs::write(&file, &program) {
        Ok(()) => found.text.clone(),
        Err(error) => format!("{}\n(the file cannot be written: {error})", found.text),
    };
    Saved { seed, problem, file, program }
}

/// Whether the same witnesses contradict each other on this program too.
fn shows(candidate: &Module, found: &Contradiction, witnesses: &[Witness]) -> bool {
    match Case::new(candidate.clone()) {
        Err(_) => found.witnesses.is_empty(),
        Ok(_) if found.witnesses.is_empty() => false,
        Ok(case) => question(&case, witnesses, |index| found.witnesses.contains(&index)).contradiction.is_some(),
    }
}
