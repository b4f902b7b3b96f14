//! What the numbers say, in sentences.

use crate::data::{Family, Series};
use crate::fit::{growth, measurable};
use crate::peers::Run;

/// Where a finding stands in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Reasoning thread by thread beside the listing of states.
    Threads,
    /// Exhaustive search beside other model checkers.
    Search,
    /// The choice of engines.
    Engines,
}

/// Who wins in one family.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is compared.
    pub about: About,
    /// Whether the first of the two tools wins.
    pub won: bool,
    /// The sentence.
    pub text: String,
}

/// Times this close to each other are called even.
const EVEN: f64 = 1.25;
/// Nobody waits for less, and a good part of it is the start of the program.
const MATTERS: f64 = 0.5;

/// Compares two tools of a family, the first one being ours.
pub fn compare(about: About, family: &Family, ours: &str, peer: &str) -> Option<Finding> {
    let (ours, peer) = (family.of(ours)?, family.of(peer)?);
    let decided = |n| peer.at(Some(n)).filter(|run| run.states.is_some());
    let (n, our_run, peer_run) = ours.decided().rev().find_map(|(n, run)| Some((n, run, decided(n)?)))?;
    let ratio = seconds(peer_run) / seconds(our_run);
    let reach = |series: &Series| series.largest().map_or(0, |(n, _)| n);
    let winner = match (ours.limit(), peer.limit()) {
        (_, Some(_)) if reach(ours) > reach(peer) => Some(ours),
        (Some(_), _) if reach(peer) > reach(ours) => Some(peer),
        _ if our_run.cpu_seconds.max(peer_run.cpu_seconds) < MATTERS => None,
        _ if ratio >= EVEN => Some(ours),
        _ if ratio <= 1.0 / EVEN => Some(peer),
        _ => None,
    };
    let won = winner.is_some_and(|winner| winner.tool == ours.tool);
    let mut text = format!("**{}**: ", family.title);
    if winner.is_none() && our_run.cpu_seconds.max(peer_run.cpu_seconds) < MATTERS {
        text += &format!(
            "even; {} and {} take less than {MATTERS} s at n = {n}, the largest that both decide.",
            ours.tool, peer.tool
        );
        return Some(Finding { about, won, text });
    }
    text += &winner.map_or("even".to_string(), |winner| format!("{} wins", winner.tool));
    text += &format!(
        ". At n = {n}, the largest that both decide, {} takes {}, {} {}",
        ours.tool,
        shown(our_run),
        peer.tool,
        shown(peer_run)
    );
    text += &match ratio {
        ratio if ratio >= EVEN => format!(", {} times as long", factor(ratio)),
        ratio if ratio <= 1.0 / EVEN => format!(", {} times less", factor(1.0 / ratio)),
        _ => String::new(),
    };
    for (one, other) in [(ours, peer), (peer, ours)] {
        if let (Some((stop, _)), Some((far, run))) = (one.limit(), other.largest())
            && far >= stop
        {
            text += &format!(
                "; {} meets a limit at n = {stop}, {} decides n = {far} in {}",
                one.tool,
                other.tool,
                shown(run)
            );
        }
    }
    text += &format!(". {}, {}.", grows(ours), grows(peer));
    Some(Finding { about, won, text })
}

/// A tool's growth, in words.
pub fn grows(series: &Series) -> String {
    let tool = &series.tool;
    if let Some(growth) = growth(series) {
        return format!("{tool} grows like {growth}");
    }
    match measurable(series)[..] {
        [] => format!("{tool} has only runs too short for a fit"),
        [(from, short), (to, long)] => format!("{tool} grows {}-fold from n = {from} to {to}", factor(long / short)),
        _ => format!("{tool} has too few long runs for a fit"),
    }
}

/// Seconds, no less than a hundredth: below that it is the start of the program that takes the time.
fn seconds(run: &Run) -> f64 {
    run.cpu_seconds.max(0.01)
}

/// Seconds as text.
fn shown(run: &Run) -> String {
    match run.cpu_seconds {
        seconds if seconds < 0.01 => "0.01 s or less".to_string(),
        seconds if seconds < 10.0 => format!("{seconds:.2} s"),
        seconds => format!("{seconds:.0} s"),
    }
}

/// A factor as text: two digits are as many as the clock gives.
pub fn factor(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(states: Option<u64>, cpu_seconds: f64) -> Run {
        Run { states, cpu_seconds, peak_bytes: 1, limit: None }
    }

    fn family(ours: &[(u32, f64)], peer: &[(u32, f64)], peer_stops_at: Option<u32>) -> Family {
        let mut family = Family::new("Locks", &[("modular", "states"), ("SPIN", "states")]);
        ours.iter().for_each(|(n, s)| family.series[0].push(*n, run(Some(1), *s)));
        peer.iter().for_each(|(n, s)| family.series[1].push(*n, run(Some(1), *s)));
        peer_stops_at.into_iter().for_each(|n| family.series[1].push(n, run(None, 300.0)));
        family
    }

    #[test]
    fn who_goes_further_wins_and_the_factor_is_told() {
        let family = family(&[(4, 0.1), (8, 0.4), (16, 1.6)], &[(4, 0.5), (6, 2.0), (8, 8.0)], Some(16));
        let finding = compare(About::Threads, &family, "modular", "SPIN").expect("a common size");
        assert!(finding.won);
        assert_eq!(
            finding.text,
            "**Locks**: modular wins. At n = 8, the largest that both decide, modular takes 0.40 s, SPIN 8.00 s, 20 times \
             as long; SPIN meets a limit at n = 16, modular decides n = 16 in 1.60 s. modular grows like n^2.00, SPIN grows \
             like 2.00^n."
        );
    }

    #[test]
    fn the_peer_wins_where_it_is_faster() {
        let finding =
            compare(About::Search, &family(&[(4, 6.0)], &[(4, 2.0)], None), "modular", "SPIN").expect("a size");
        assert!(!finding.won);
        assert!(finding.text.contains("SPIN wins") && finding.text.contains("3.0 times less"), "{}", finding.text);
    }

    #[test]
    fn nobody_wins_where_nobody_waits() {
        let finding =
            compare(About::Search, &family(&[(4, 0.01)], &[(4, 0.14)], None), "modular", "SPIN").expect("a size");
        assert!(!finding.won);
        assert_eq!(
            finding.text,
            "**Locks**: even; modular and SPIN take less than 0.5 s at n = 4, the largest that both decide."
        );
    }

    #[test]
    fn nothing_is_said_without_a_common_size() {
        assert!(compare(About::Search, &family(&[(4, 6.0)], &[(5, 2.0)], None), "modular", "SPIN").is_none());
    }
}
