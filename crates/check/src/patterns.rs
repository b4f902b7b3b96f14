//! Whether threads meet the pattern of a property.
//!
//! Each sign of a pattern has to be shown by a thread of its own. All ways to give the signs to threads are tried, sign
//! by sign; where nothing is wrong there are few.

use threadwise_ir::{Observation, Observations, Program, PropertyId};

/// The first pattern that threads who may show these may meet, and which threads.
pub(crate) fn meeting(program: &Program, shown: &[Observations]) -> Option<(PropertyId, Vec<usize>)> {
    program.patterns().find_map(|(property, pattern)| {
        let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
        for sign in 0..pattern.signs.len() as u32 {
            let observation = Observation { property, sign };
            let able: Vec<usize> = (0..shown.len()).filter(|&thread| shown[thread].show(observation)).collect();
            let further = |way: &Vec<usize>| {
                let others = able.iter().filter(|thread| !way.contains(thread));
                others.map(|&thread| [way.as_slice(), &[thread]].concat()).collect::<Vec<Vec<usize>>>()
            };
            ways = ways.iter().flat_map(further).collect();
        }
        let mut threads = ways.into_iter().next()?;
        threads.sort_unstable();
        Some((property, threads))
    })
}

/// No more threads that show the same than this make a difference: the most that a pattern asks for.
pub(crate) fn most_signs(program: &Program) -> usize {
    program.patterns().map(|(_, pattern)| pattern.signs.len()).max().unwrap_or(0)
}
