//! With how many copies of the threads that are declared with `[*]` states are searched.

use threadwise_ir::{AnyCopies, Program};

/// Where there are more combinations of numbers of copies than this, all such threads have as many.
const MOST_COMBINATIONS: u64 = 64;

/// The numbers of copies up to the greatest, few copies first.
pub(crate) fn numbers_of_copies(program: &Program, greatest: u32) -> Vec<AnyCopies> {
    combinations(program.declared_with_any_copies(), greatest)
        .iter()
        .map(|numbers| AnyCopies::separate(numbers))
        .collect()
}

fn combinations(threads: usize, greatest: u32) -> Vec<Vec<u32>> {
    let count = (u64::from(greatest) + 1).checked_pow(u32::try_from(threads).unwrap_or(u32::MAX));
    if threads < 2 || count.is_none_or(|count| count > MOST_COMBINATIONS) {
        return (0..=greatest).map(|copies| vec![copies; threads]).collect();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..threads {
        let extend = |numbers: &Vec<u32>| (0..=greatest).map(|copies| [&numbers[..], &[copies]].concat()).collect();
        all = all.iter().flat_map(|numbers| -> Vec<Vec<u32>> { extend(numbers) }).collect();
    }
    all.sort_by_key(|numbers| (numbers.iter().copied().max(), numbers.iter().sum::<u32>()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_copies_come_first() {
        assert_eq!(combinations(1, 3), [[0], [1], [2], [3]]);
        let expected = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [2, 0], [1, 2], [2, 1], [2, 2]];
        assert_eq!(combinations(2, 2), expected);
    }

    /// Of four threads with 0 to 3 copies each there are 256 combinations.
    #[test]
    fn where_there_are_too_many_combinations_all_have_as_many() {
        assert_eq!(combinations(3, 3).len(), 64);
        assert_eq!(combinations(4, 3), [[0; 4], [1; 4], [2; 4], [3; 4]]);
        assert_eq!(combinations(70, 1), [[0; 70], [1; 70]]);
    }
}
