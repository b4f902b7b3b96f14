//! Who can take whose place: a small transport problem.

use std::collections::VecDeque;

/// How many go from each supply to each demand.
pub(crate) type Flow = Vec<Vec<u32>>;

/// Sends as much as it can from the supplies to the demands along the admitted pairs, beginning with
/// what `flow` sends already. Gives how much is sent in all.
///
/// Sends along one path after the other, back along what was sent before where that helps (Ford and
/// Fulkerson, with the shortest path first), so nothing better exists when there is no path left.
pub(crate) fn send(supplies: &[u32], demands: &[u32], admitted: &dyn Fn(usize, usize) -> bool, flow: &mut Flow) -> u64 {
    flow.resize_with(supplies.len(), || vec![0; demands.len()]);
    while let Some(path) = shortest_path(supplies, demands, admitted, flow) {
        let (start, end) = (path[0].0, path[path.len() - 1].1);
        let mut amount = (supplies[start] - sent(flow, start)).min(demands[end] - received(flow, end));
        for pair in path.windows(2) {
            amount = amount.min(flow[pair[1].0][pair[0].1]);
        }
        for &(supply, demand) in &path {
            flow[supply][demand] += amount;
        }
        for pair in path.windows(2) {
            flow[pair[1].0][pair[0].1] -= amount;
        }
    }
    flow.iter().flatten().map(|&amount| u64::from(amount)).sum()
}

fn sent(flow: &Flow, supply: usize) -> u32 {
    flow[supply].iter().sum()
}

fn received(flow: &Flow, demand: usize) -> u32 {
    flow.iter().map(|row| row[demand]).sum()
}

/// A path from a supply with something left to a demand that wants more: pairs to send along. Between
/// two of them it goes back from the first one's demand to the second one's supply.
fn shortest_path(
    supplies: &[u32],
    demands: &[u32],
    admitted: &dyn Fn(usize, usize) -> bool,
    flow: &Flow,
) -> Option<Vec<(usize, usize)>> {
    let mut came_to_supply: Vec<Option<usize>> = vec![None; supplies.len()];
    let mut came_to_demand: Vec<Option<usize>> = vec![None; demands.len()];
    let mut queue: VecDeque<usize> = (0..supplies.len()).filter(|&s| sent(flow, s) < supplies[s]).collect();
    let mut is_known: Vec<bool> = (0..supplies.len()).map(|s| queue.contains(&s)).collect();
    while let Some(supply) = queue.pop_front() {
        for demand in 0..demands.len() {
            if came_to_demand[demand].is_some() || !admitted(supply, demand) {
                continue;
            }
            came_to_demand[demand] = Some(supply);
            if received(flow, demand) < demands[demand] {
                return Some(path_to(demand, &came_to_supply, &came_to_demand));
            }
            for back in (0..supplies.len()).filter(|&s| flow[s][demand] > 0) {
                if !std::mem::replace(&mut is_known[back], true) {
                    came_to_supply[back] = Some(demand);
                    queue.push_back(back);
                }
            }
        }
    }
    None
}

fn path_to(demand: usize, to_supply: &[Option<usize>], to_demand: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut next = Some(demand);
    while let Some(demand) = next {
        let Some(supply) = to_demand[demand] else { break };
        path.push((supply, demand));
        next = to_supply[supply];
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most that can be sent, one unit at a time in all ways.
    fn most(supplies: &mut [u32], demands: &mut [u32], admitted: &dyn Fn(usize, usize) -> bool) -> u64 {
        let Some(supply) = supplies.iter().position(|&left| left > 0) else { return 0 };
        supplies[supply] -= 1;
        let mut best = most(supplies, demands, admitted);
        for demand in 0..demands.len() {
            if demands[demand] > 0 && admitted(supply, demand) {
                demands[demand] -= 1;
                best = best.max(1 + most(supplies, demands, admitted));
                demands[demand] += 1;
            }
        }
        supplies[supply] += 1;
        best
    }

    #[test]
    fn as_much_as_by_trying_all() {
        for graph in 0..1u32 << 9 {
            let admitted = |s: usize, d: usize| graph >> (3 * s + d) & 1 == 1;
            for (supplies, demands) in [([1, 1, 1], [1, 1, 1]), ([2, 1, 1], [1, 2, 1]), ([3, 0, 1], [1, 1, 2])] {
                let mut flow = Flow::new();
                let total = send(&supplies, &demands, &admitted, &mut flow);
                assert_eq!(total, most(&mut supplies.clone(), &mut demands.clone(), &admitted), "{graph:b}");
                for (s, row) in flow.iter().enumerate() {
                    assert!(sent(&flow, s) <= supplies[s]);
                    assert!(row.iter().enumerate().all(|(d, &amount)| amount == 0 || admitted(s, d)));
                }
                assert!((0..3).all(|d| received(&flow, d) <= demands[d]));
            }
        }
    }

    #[test]
    fn large_numbers_go_at_once() {
        let mut flow = Flow::new();
        let admitted = |s: usize, d: usize| s == 0 || d == 0;
        assert_eq!(send(&[999, 1], &[1, 999], &admitted, &mut flow), 1000);
        assert_eq!(flow, [[0, 999], [1, 0]]);
    }
}
