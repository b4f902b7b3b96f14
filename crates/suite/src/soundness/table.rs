//! What a run has seen, in numbers.

use super::{Case, Hearing, Origin, Says};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// How many programs there were, and what each engine found out about them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Table {
    pub programs: u64,
    /// Those that the interpreter visited completely, or found an error in.
    pub known: u64,
    /// Those in which the interpreter or an engine found an error.
    pub unsafe_programs: u64,
    /// By engine: how many it proved safe, found errors in, and could not decide.
    pub engines: BTreeMap<&'static str, [u64; 3]>,
    /// The answer that took longest: how long, whose, and about which program.
    pub slowest: Option<(Duration, String, Origin)>,
    /// Programs of the second generator that make no sense.
    pub refused: u64,
    /// Programs that were left alone, since somebody did not come back: who, and which.
    pub left_alone: Vec<(String, Origin)>,
}

impl Table {
    /// Counts a program.
    pub fn add(&mut self, origin: Origin, case: &Case, hearing: &Hearing) {
        let is_unsafe = case.truth == Says::Unsafe || hearing.engines.values().any(|says| *says == Says::Unsafe);
        self.programs += 1;
        if let Some((time, witness)) = &hearing.slowest
            && self.slowest.as_ref().is_none_or(|(longest, ..)| time > longest)
        {
            self.slowest = Some((*time, witness.clone(), origin));
        }
        self.left_alone.extend(hearing.late.iter().map(|witness| (witness.clone(), origin)));
        self.known += u64::from(case.truth != Says::Unknown);
        self.unsafe_programs += u64::from(is_unsafe);
        for (engine, says) in &hearing.engines {
            let column = match says {
                Says::Safe => 0,
                Says::Unsafe => 1,
                Says::Unknown => 2,
            };
            self.engines.entry(engine).or_default()[column] += 1;
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { programs, known, unsafe_programs, .. } = self;
        writeln!(f, "{programs} programs, {unsafe_programs} of them unsafe; the interpreter could tell of {known}")?;
        writeln!(f, "{:<12} {:>8} {:>8} {:>8} {:>8}", "engine", "asked", "safe", "unsafe", "unknown")?;
        for (engine, [safe, dangerous, unknown]) in &self.engines {
            let asked = safe + dangerous + unknown;
            writeln!(f, "{engine:<12} {asked:>8} {safe:>8} {dangerous:>8} {unknown:>8}")?;
        }
        if let Some((time, witness, origin)) = &self.slowest {
            writeln!(f, "slowest answer: {:.1} s, {witness}, about program {origin}", time.as_secs_f64())?;
        }
        if self.refused > 0 {
            writeln!(f, "{} texts that are no programs", self.refused)?;
        }
        for (witness, origin) in &self.left_alone {
            writeln!(f, "program {origin} was left alone: {witness} did not come back")?;
        }
        Ok(())
    }
}
