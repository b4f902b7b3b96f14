//! Random programs, written from the language reference alone.
//!
//! [`program`] makes the text of a program from a number; [`variants`] makes near variants of it
//! (conjuncts swapped, a statement left out, no copies of a thread, …), whose verdicts can be compared;
//! [`smaller`] proposes smaller programs, so that a harness can shrink one that shows a fault.
//!
//! This room is a second opinion: it knows nothing of the rest of the project, not even the syntax tree
//! of the front end, and nothing of the generator in `oracle`. What one of them never makes, the other
//! may. Its programs are small, since they are meant for an interpreter that lists all states, but odd:
//! properties about few points, quantifiers whose bodies fail for some values, extreme numbers, actions
//! whose conjuncts fail in one order only, jumps into blocks, threads without copies.

mod generate;
mod mutate;
mod print;
mod random;
mod short;
mod shrink;
mod tree;

pub use generate::generate;
pub use mutate::mutated;
pub use shrink::smaller;
pub use tree::Wild;

/// Which kinds of programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Threads with `[*]`.
    pub any_copies: bool,
    /// Variables of type `int`.
    pub integers: bool,
    /// Numbers near the limits of 64 bits.
    pub extremes: bool,
    /// Contracts, abstract threads and exceptions.
    pub annotations: bool,
    /// Procedures that call themselves.
    pub recursion: bool,
    /// Initial values from large ranges.
    pub large_ranges: bool,
    /// Threads that are started and joined.
    pub starts: bool,
    /// Variables that are machine integers.
    pub machine: bool,
}

impl Config {
    /// Programs whose states a naive interpreter can list.
    pub fn finite() -> Config {
        Config {
            any_copies: false,
            integers: false,
            extremes: true,
            annotations: true,
            recursion: false,
            large_ranges: true,
            starts: false,
            machine: false,
        }
    }

    /// The same with machine integers.
    pub fn computing() -> Config {
        Config { machine: true, ..Config::finite() }
    }

    /// The same with threads that are started and joined.
    pub fn starting() -> Config {
        Config { starts: true, ..Config::finite() }
    }

    /// Everything that the language has.
    pub fn all() -> Config {
        Config { any_copies: true, integers: true, recursion: true, machine: true, ..Config::finite() }
    }
}

/// The text of the program with this number; three in four are finite.
pub fn program(seed: u64) -> String {
    if seed % 8 == 3 { short_program(seed) } else { generate(seed, config_of(seed)).to_text() }
}

/// The text of a program made of what makes models short: records, functions, channels and their like.
pub fn short_program(seed: u64) -> String {
    short::program(seed)
}

/// The program with this number, and near variants of it; of some numbers, nine programs with what makes models short.
pub fn variants(seed: u64) -> Vec<String> {
    if seed % 8 == 3 {
        return (0..9).map(|variant| short_program(seed.wrapping_mul(9).wrapping_add(variant))).collect();
    }
    let original = generate(seed, config_of(seed));
    let changed = (0..8).map(|change| mutated(&original, seed.wrapping_mul(8).wrapping_add(change)).to_text());
    std::iter::once(original.to_text()).chain(changed).collect()
}

fn config_of(seed: u64) -> Config {
    match seed {
        _ if seed.is_multiple_of(4) => Config::all(),
        _ if seed % 6 == 5 => Config::starting(),
        _ if seed % 6 == 1 => Config::computing(),
        _ => Config::finite(),
    }
}
