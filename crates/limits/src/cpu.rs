//! How much time the cores have worked for this process.

use crate::memory::others;
use std::time::Duration;

/// The system counts in hundredths of a second, whatever its own clock is.
const TICKS_PER_SECOND: u64 = 100;

/// Of the fields after the name of the program: time in the program and in the system, of the process and of those that it started and
/// that have ended.
const OWN: [usize; 2] = [11, 12];
const OF_ENDED: [usize; 2] = [13, 14];

/// The time that cores have worked for this process and for those that work for it; zero where the system does not tell.
pub fn cpu_time() -> Duration {
    let own = ticks("/proc/self/stat", &[OWN, OF_ENDED].concat());
    let others: u64 = others().into_iter().map(|pid| ticks(&format!("/proc/{pid}/stat"), &OWN)).sum();
    in_ticks(own + others)
}

/// The time that cores have worked for another process and for those that it started and that have ended.
pub fn cpu_time_of(pid: u32) -> Duration {
    in_ticks(ticks(&format!("/proc/{pid}/stat"), &[OWN, OF_ENDED].concat()))
}

fn in_ticks(ticks: u64) -> Duration {
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

fn ticks(file: &str, fields: &[usize]) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    // The name is in parentheses, and may have any characters in it.
    let rest = text.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let words: Vec<&str> = rest.split(' ').collect();
    fields.iter().filter_map(|&index| words.get(index)?.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Limit};
    use std::time::Instant;

    fn work_until(is_enough: impl Fn() -> bool) {
        let started = Instant::now();
        let mut number = 1_u64;
        while !is_enough() && started.elapsed() < Duration::from_secs(30) {
            for _ in 0..100_000 {
                number = std::hint::black_box(number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            }
        }
    }

    #[test]
    fn work_is_counted_and_sleep_is_not() {
        let before = cpu_time();
        work_until(|| cpu_time() >= before + Duration::from_millis(50));
        assert!(cpu_time() >= before + Duration::from_millis(50), "work was not counted");
    }

    #[test]
    fn a_process_that_has_ended_still_counts() {
        let before = ticks("/proc/self/stat", &OF_ENDED);
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let ended = std::process::Command::new("sh").args(["-c", script]).status();
        assert!(ended.is_ok_and(|status| status.success()));
        assert!(ticks("/proc/self/stat", &OF_ENDED) > before);
    }

    #[test]
    fn a_budget_ends_with_its_time_on_the_cores() {
        let limit = cpu_time() + Duration::from_millis(50);
        let budget = Budget::new(None, None).with_cpu_time(Some(limit));
        assert_eq!(budget.check(), Ok(()));
        work_until(|| budget.check().is_err());
        assert_eq!(budget.check(), Err(Limit::CpuTime(limit)));
        assert_eq!(budget.limit_met(), Some(Limit::CpuTime(limit)));
    }
}
