//! Sets of members of a crowd, and collections in which a member can be several times.

/// A set of members.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberSet(Vec<u64>);

impl MemberSet {
    pub(crate) fn contains(&self, member: u32) -> bool {
        self.0.get(member as usize / 64).is_some_and(|word| word >> (member % 64) & 1 == 1)
    }

    /// Adds a member; tells whether it is new.
    pub(crate) fn insert(&mut self, member: u32) -> bool {
        let word = member as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = !self.contains(member);
        self.0[word] |= 1 << (member % 64);
        is_new
    }

    /// The members in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let of_word = |(index, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index as u32 * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(of_word)
    }
}

/// Whether the first of two sorted collections is in the second, each member as often.
pub(crate) fn is_within(smaller: &[u32], larger: &[u32]) -> bool {
    let mut rest = larger.iter();
    smaller.len() <= larger.len() && smaller.iter().all(|member| rest.by_ref().any(|other| other == member))
}

/// A sorted collection without these members, as far as they are in it, and with another one.
pub(crate) fn exchanged(collection: &[u32], without: &[u32], with: Option<u32>) -> Vec<u32> {
    let mut result = collection.to_vec();
    for member in without {
        if let Ok(at) = result.binary_search(member) {
            result.remove(at);
        }
    }
    if let Some(member) = with {
        result.insert(result.partition_point(|&other| other < member), member);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_counted() {
        assert!(is_within(&[], &[]) && is_within(&[2, 2], &[1, 2, 2, 3]));
        assert!(!is_within(&[2, 2], &[1, 2, 3]) && !is_within(&[4], &[1, 2, 3]) && !is_within(&[1], &[]));
        assert_eq!(exchanged(&[1, 2, 2], &[2, 3], Some(0)), [0, 1, 2]);
        assert_eq!(exchanged(&[], &[2], None), []);
    }

    #[test]
    fn sets_say_what_is_new() {
        let mut set = MemberSet::default();
        assert!(set.insert(70) && set.insert(3) && !set.insert(70));
        assert!(set.contains(3) && !set.contains(4) && !set.contains(1000));
        assert_eq!(set.iter().collect::<Vec<u32>>(), [3, 70]);
    }
}
