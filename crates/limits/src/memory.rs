//! How much memory is in use, and how much there is.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Processes that work for this one.
static OTHERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// While this lives, the memory of another process counts as this one's.
#[derive(Debug)]
pub struct CountedIn(u32);

impl CountedIn {
    /// Counts the memory of a process in.
    pub fn new(pid: u32) -> CountedIn {
        OTHERS.lock().unwrap_or_else(PoisonError::into_inner).push(pid);
        CountedIn(pid)
    }
}

impl Drop for CountedIn {
    fn drop(&mut self) {
        let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = others.iter().position(|&pid| pid == self.0) {
            others.swap_remove(index);
        }
    }
}

/// The bytes of memory that this process, and those that work for it, hold now; 0 where the system does not tell.
pub fn memory_in_use() -> u64 {
    of_this_process().1 + of_others()
}

/// The bytes that a hash table with entries `T` takes anew when it next grows, if that is near: its entries are then moved
/// to one that is twice as large. For [`Budget::check_for`](crate::Budget::check_for), where tables are large.
pub fn growth_of_table<T>(len: usize, capacity: usize) -> u64 {
    // Of eight places seven are used, and each has a byte besides.
    let places = 2 * (capacity as u64 / 7 * 8);
    if len >= capacity / 8 * 7 { places * (size_of::<T>() as u64 + 1) } else { 0 }
}

/// The same for a list, which may be copied when it grows.
pub fn growth_of_list<T>(list: &Vec<T>) -> u64 {
    if list.len() >= list.capacity() / 8 * 7 { (list.len() * size_of::<T>()) as u64 } else { 0 }
}

/// The most bytes of memory this process has held; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    field("/proc/self/status", "VmHWM:").unwrap_or(0)
}

/// The bytes of address space that this process has taken, and of memory that it holds.
pub(crate) fn of_this_process() -> (u64, u64) {
    pages("/proc/self/statm").unwrap_or_default()
}

/// The processes that work for this one.
pub(crate) fn others() -> Vec<u32> {
    OTHERS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The bytes that the processes hold that work for this one.
pub(crate) fn of_others() -> u64 {
    others().iter().filter_map(|pid| pages(&format!("/proc/{pid}/statm"))).map(|(_, held)| held).sum()
}

fn pages(file: &str) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut numbers = text.split(' ').map(|word| word.parse::<u64>().ok());
    let (size, held) = (numbers.next()??, numbers.next()??);
    Some((size * page_size(), held * page_size()))
}

/// The bytes of a page: the same size, said in two ways.
fn page_size() -> u64 {
    static PAGE: OnceLock<u64> = OnceLock::new();
    *PAGE.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = text.split(' ').next().and_then(|word| word.parse::<u64>().ok()).filter(|&pages| pages > 0);
        let bytes = field("/proc/self/status", "VmSize:");
        // The process may have grown between the two, so this is rounded to a power of two.
        pages.zip(bytes).map_or(4096, |(pages, bytes)| (bytes / pages * 3 / 4).next_power_of_two())
    })
}

/// The bytes this process could hold: what it holds and what the machine, or its part of it, has left.
pub(crate) fn available() -> Option<u64> {
    let machine = memory_in_use() + field("/proc/meminfo", "MemAvailable:")?;
    let part = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    Some(part.map_or(machine, |part: u64| machine.min(part)))
}

/// The bytes of address space that this process may take, if they are limited.
pub(crate) fn most_address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The bytes of address space that are left, if they are limited.
pub fn address_space_left() -> Option<u64> {
    Some(most_address_space()?.saturating_sub(of_this_process().0))
}

/// An allocator takes so much address space at once.
const ONE_PIECE: u64 = 64 << 20;

/// Whether a process of this size, which holds so much, might soon be refused memory. Address space is taken long
/// before it is used, so that alone says little.
pub(crate) fn is_nearly_full(most: u64, size: u64, held: u64) -> bool {
    size.saturating_add(ONE_PIECE.max(most / 10)) > most && held > most / 5
}

fn field(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_hold_is_counted_in() {
        let before = of_others();
        let own = std::process::id();
        let counted = CountedIn::new(own);
        assert!(of_others() >= before + (1 << 20), "this process holds more than a mebibyte");
        drop(counted);
        assert!(of_others() <= before + (1 << 20));
    }

    #[test]
    fn address_space_is_full_when_it_is_taken_and_used() {
        let mib = |mebibytes: u64| mebibytes << 20;
        assert!(is_nearly_full(mib(200), mib(170), mib(60)));
        assert!(!is_nearly_full(mib(200), mib(190), mib(8)), "most of it is only reserved");
        assert!(!is_nearly_full(mib(1000), mib(700), mib(600)), "there is more");
    }

    #[test]
    fn a_table_that_is_nearly_full_grows_to_twice_its_size() {
        let mut table: std::collections::HashSet<u64> = (0..(7 << 10) - 1).collect();
        table.insert(7 << 10);
        assert_eq!(table.capacity(), 7 << 10);
        assert_eq!(growth_of_table::<u64>(table.len(), table.capacity()), 9 << 14);
        assert_eq!(growth_of_table::<u64>(table.len() / 2, table.capacity()), 0);
    }

    #[test]
    fn both_sizes_are_told() {
        let (size, held) = of_this_process();
        assert!(held > 1 << 20 && size >= held, "{size} {held}");
        assert!(peak_memory() >= held / 2);
    }
}
