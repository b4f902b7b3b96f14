//! In which order the threads of a product are within another one, as far as they may be permuted.

use crate::block::Roster;
use crate::sets::Sets;
use crate::transport::{Flow, send};

/// Threads beside each other with the same set: the first one, how many, and the set.
type Run = (u32, u32, u32);

/// The components, one for each thread, as runs: how many threads have which set. None goes beyond a crowd.
pub(crate) fn runs_of(roster: &Roster, components: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (thread, &set) in components.iter().enumerate() {
        match runs.last_mut() {
            Some(last) if last.1 == set && roster.is_beside(thread) => last.0 += 1,
            _ => runs.push((1, set)),
        }
    }
    runs
}

/// The runs of threads in the order in which they are within the other product; nothing, if that is how they are.
/// `None` if there is no such order.
pub(crate) fn order(
    roster: &Roster,
    sets: &Sets,
    narrow: &[(u32, u32)],
    wide: &[(u32, u32)],
) -> Option<Vec<(u32, u32)>> {
    if is_within(sets, narrow, wide) {
        return Some(Vec::new());
    }
    let mut order: Vec<(u32, u32)> = Vec::new();
    let total: u32 = narrow.iter().map(|&(count, _)| count).sum();
    let mut thread = 0;
    while thread < total {
        let crowd = roster.crowd_of(thread as usize).map_or(thread..thread + 1, |c| c.start as u32..c.end as u32);
        let (from, to) = (within(narrow, &crowd), within(wide, &crowd));
        thread = crowd.end;
        for run in in_order(sets, from, &to)? {
            match order.last_mut() {
                Some(last) if last.0 + last.1 == run.0 => last.1 += run.1,
                _ => order.push(run),
            }
        }
    }
    Some(order)
}

/// Whether each thread's set is within the other product's.
fn is_within(sets: &Sets, narrow: &[(u32, u32)], wide: &[(u32, u32)]) -> bool {
    let mut wider = wide.iter().copied();
    let (mut left, mut set) = (0, 0);
    narrow.iter().all(|&(mut count, own)| {
        while count > 0 {
            if left == 0 {
                (left, set) = wider.next().expect("products have as many threads");
            }
            if !sets.is_subset(own, set) {
                return false;
            }
            let both = count.min(left);
            (count, left) = (count - both, left - both);
        }
        true
    })
}

/// The part of the runs that is of these threads.
fn within(runs: &[(u32, u32)], threads: &std::ops::Range<u32>) -> Vec<Run> {
    let mut next = 0;
    let mut part = Vec::new();
    for &(count, set) in runs {
        let (first, end) = (threads.start.max(next), threads.end.min(next + count));
        if first < end {
            part.push((first, end - first, set));
        }
        next += count;
    }
    part
}

/// The threads of a crowd in an order in which each is within the other product's set.
fn in_order(sets: &Sets, mut from: Vec<Run>, to: &[Run]) -> Option<Vec<(u32, u32)>> {
    let counts = |runs: &[Run]| runs.iter().map(|run| run.1).collect::<Vec<u32>>();
    let (supplies, demands) = (counts(&from), counts(to));
    let mut flow = Flow::new();
    let sent = send(&supplies, &demands, &|x, y| sets.is_subset(from[x].2, to[y].2), &mut flow);
    if sent != supplies.iter().map(|&count| u64::from(count)).sum::<u64>() {
        return None;
    }
    let mut order = Vec::new();
    for demand in 0..to.len() {
        for (supply, row) in flow.iter().enumerate().filter(|(_, row)| row[demand] > 0) {
            order.push((from[supply].0, row[demand]));
            from[supply].0 += row[demand];
        }
    }
    Some(order)
}
