//! With how many copies of the threads that are declared with `[*]` executions are searched.

use threadwise_ir::{AnyCopies, Program};

/// How many copies of a thread are tried, in this order.
const COPIES: [u32; 16] = [2, 3, 1, 0, 4, 5, 6, 8, 10, 12, 16, 24, 32, 50, 64, 100];

/// With so many numbers that are the same for all threads in the first round, and with so many more in each round after it.
const SAME_PER_ROUND: usize = 4;

/// With so many combinations of separate numbers, likewise.
const SEPARATE_PER_ROUND: usize = 8;

/// The numbers of copies that a round tries.
pub(crate) fn of_round(program: &Program, round: u32) -> Vec<AnyCopies> {
    let (threads, rounds) = (program.declared_with_any_copies(), round as usize + 1);
    if threads == 0 {
        return vec![AnyCopies::from(0)];
    }
    let same = COPIES.iter().take(SAME_PER_ROUND * rounds).map(|&copies| AnyCopies::from(copies));
    same.chain(separate(threads, SEPARATE_PER_ROUND * rounds)).collect()
}

/// Combinations of separate numbers, those first whose numbers are tried early.
fn separate(threads: usize, wanted: usize) -> Vec<AnyCopies> {
    let mut found = Vec::new();
    // The last rank would be that of the last number for all threads; there are enough before it.
    let ranks = if threads < 2 { 0 } else { threads * (COPIES.len() - 1) };
    for rank in 0..ranks {
        if found.len() >= wanted {
            break;
        }
        let numbers = |places: Vec<usize>| places.into_iter().map(|place| COPIES[place]).collect::<Vec<u32>>();
        let all = places(threads, rank).into_iter().map(|places| AnyCopies::separate(&numbers(places)));
        found.extend(all.filter(|copies| copies.same().is_none()));
    }
    found.truncate(wanted);
    found
}

/// The ways to give each thread a place in [`COPIES`] so that the places add up to the rank.
fn places(threads: usize, rank: usize) -> Vec<Vec<usize>> {
    if threads == 0 {
        return if rank == 0 { vec![Vec::new()] } else { Vec::new() };
    }
    let least = rank.saturating_sub((threads - 1) * (COPIES.len() - 1));
    let most = rank.min(COPIES.len() - 1);
    let with =
        |place: usize| places(threads - 1, rank - place).into_iter().map(move |rest| [vec![place], rest].concat());
    (least..=most).flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(threads: usize, wanted: usize) -> Vec<String> {
        separate(threads, wanted).iter().map(AnyCopies::to_string).collect()
    }

    #[test]
    fn separate_numbers_begin_with_small_ones() {
        let expected = ["2 and 3", "3 and 2", "2 and 1", "1 and 2", "2 and 0", "3 and 1", "1 and 3", "0 and 2"];
        assert_eq!(shown(2, 8), expected);
        assert_eq!(shown(3, 3), ["2 and 2 and 3", "2 and 3 and 2", "3 and 2 and 2"]);
    }

    #[test]
    fn one_thread_has_no_separate_numbers() {
        assert_eq!(shown(1, 8), Vec::<String>::new());
        assert_eq!(shown(0, 8), Vec::<String>::new());
    }

    /// 256 combinations, of which 16 are the same number twice.
    #[test]
    fn all_combinations_come_once() {
        let mut all = shown(2, 1000);
        assert_eq!(all.len(), 240);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 240);
    }
}
