//! `cargo xtask soundness`: random programs until the time is up.

use anyhow::{Result, bail};
use std::time::{Duration, Instant};
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_oracle::{Explored, GeneratorOptions, OracleVerdict, explore, random_case, reduce_while};
use threadwise_suite::disagreement;

/// Compares until the time is up or a program shows a disagreement; that is made small and saved.
pub fn run(seconds: u64, first_seed: u64) -> Result<()> {
    let options = GeneratorOptions::default();
    let start = Instant::now();
    let (mut programs, mut errors) = (0, 0);
    for seed in first_seed.. {
        if start.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        let (module, explored) = random_case(seed, &options);
        if !is_conclusive(&explored) {
            continue;
        }
        programs += 1;
        errors += matches!(explored.verdict, OracleVerdict::Unsafe { .. }) as u32;
        if let Some(problem) = disagreement(&module, &explored) {
            return report(seed, &module, &problem, options.max_states);
        }
    }
    println!("{programs} programs, {errors} of them unsafe: no disagreement");
    Ok(())
}

fn is_conclusive(explored: &Explored) -> bool {
    explored.complete && !matches!(explored.verdict, OracleVerdict::Unknown(_))
}

fn report(seed: u64, module: &Module, problem: &str, max_states: usize) -> Result<()> {
    eprintln!("seed {seed}: {problem}\nmaking the program smaller …");
    let does_not_load = |problem: &str| problem.starts_with("the program does not load");
    let small = reduce_while(module, |candidate| {
        let explored = explore(candidate, &[], max_states);
        is_conclusive(&explored)
            && disagreement(candidate, &explored).is_some_and(|p| does_not_load(&p) == does_not_load(problem))
    });
    let file = format!("disagreement-{seed}.tw");
    std::fs::write(&file, print(&small))?;
    bail!("seed {seed}: {problem}\nA small program that shows it is in {file}:\n{}", print(&small))
}
