//! Programs with something broken in them, to see that the front end keeps its countenance.

use crate::{Example, examples, random_c};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use threadwise_frontends::{Frontend, frontend_for, frontends};

/// A small generator of random numbers (xorshift*), so that a seed gives the same program always.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides.max(1)
    }
}

/// An example in a language, damaged in one to eight places.
pub fn damaged_program(frontend: &dyn Frontend, seed: u64) -> String {
    static PIECES: OnceLock<BTreeMap<&str, Vec<Vec<String>>>> = OnceLock::new();
    let pieces =
        PIECES.get_or_init(|| frontends().iter().map(|frontend| (frontend.noun(), in_pieces(*frontend))).collect());
    damaged(&pieces[frontend.noun()], seed)
}

fn in_pieces(frontend: &dyn Frontend) -> Vec<Vec<String>> {
    // The examples in C need a preprocessor, which is not what is tested.
    if frontend.links() {
        let program = |seed| format!("{}int main(void) {{ run(); return 0; }}\n", random_c(seed));
        return (0..30).map(|seed| pieces(&program(seed))).collect();
    }
    let is_meant = |example: &Example| frontend_for(&example.path).noun() == frontend.noun();
    examples().into_iter().filter(is_meant).map(|example| pieces(&example.text)).collect()
}

fn damaged(programs: &[Vec<String>], seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut program = programs[dice.roll(programs.len())].clone();
    for _ in 0..=dice.roll(8) {
        let other = &programs[dice.roll(programs.len())];
        damage(&mut program, other, &mut dice);
    }
    program.concat()
}

fn damage(program: &mut Vec<String>, other: &[String], dice: &mut Dice) {
    const STRANGE: [&str; 16] = [
        "'",
        "\u{0}",
        "é",
        "9223372036854775808",
        "-",
        "..",
        "[*]",
        "::",
        "/*",
        "*",
        "forall i: tid ::",
        "\u{feff}",
        "exceptions",
        "->",
        "^60000",
        "{",
    ];
    let at = dice.roll(program.len());
    let piece = other[dice.roll(other.len())].clone();
    match dice.roll(7) {
        0 => drop(program.drain(at..(at + 1 + dice.roll(4)).min(program.len()))),
        1 => program.insert(at, piece),
        2 => program[at] = piece,
        3 => program.insert(at, STRANGE[dice.roll(STRANGE.len())].to_string()),
        4 => {
            let with = dice.roll(program.len());
            program.swap(at, with);
        }
        5 => {
            let end = (at + dice.roll(30)).min(program.len());
            let copy = program[at..end].to_vec();
            program.splice(at..at, copy);
        }
        _ => program.truncate(at.max(1)),
    }
    if program.is_empty() {
        program.push(String::new());
    }
}

/// A text cut into words, numbers, spaces and single other characters.
fn pieces(text: &str) -> Vec<String> {
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            0
        }
    };
    let mut pieces: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        match pieces.last_mut() {
            Some(piece) if kind(c) != 0 && kind(c) == last => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = kind(c);
    }
    pieces
}
