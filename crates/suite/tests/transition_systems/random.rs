//! Random transition systems, as text.

/// A small generator of random numbers (xorshift*), so that a seed gives the same system always.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A name, a set or `*`.
    fn states(&mut self, names: &[&str], star_percent: usize) -> String {
        if self.chance(star_percent) {
            return "*".to_string();
        }
        let one = names[self.below(names.len())];
        if self.chance(80) { one.to_string() } else { format!("{{{one}, {}}}", names[self.below(names.len())]) }
    }
}

/// The threads of a system: names and how many there are.
const SHAPES: [&[(&str, usize)]; 7] = [
    &[("P", 1), ("Q", 1)],
    &[("P", 1), ("Q", 1)],
    &[("P", 1), ("Q", 1), ("R", 1)],
    &[("W[2]", 2)],
    &[("W[3]", 3)],
    &[("W[2]", 2), ("Q", 1)],
    &[("P", 1), ("W[0]", 0), ("W1[1]", 1)],
];

const SHARED: [&str; 3] = ["0", "1", "init"];
const LOCALS: [&str; 4] = ["A", "B", "start", "D"];

/// A random system with two or three threads.
pub fn system(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let shape = SHAPES[dice.below(SHAPES.len())];
    let shared = &SHARED[..2 + dice.below(2)];
    let locals = &LOCALS[..2 + dice.below(3)];
    let mut text = String::new();
    if dice.chance(50) {
        text += &format!("shared {}\n", shared.join(" "));
    }
    for (name, _) in shape {
        text += &format!("thread {name}\n");
        for _ in 0..1 + dice.below(5) {
            let from = format!("{} {}", dice.states(shared, 30), dice.states(locals, 5));
            let to = format!("{} {}", dice.states(shared, 40), dice.states(locals, 10));
            text += &format!("  {from} -> {to}\n");
        }
    }
    let number: usize = shape.iter().map(|(_, number)| number).sum();
    let lines = [("init", 1 + dice.below(3), 5), ("error", 1 + dice.below(2), 30), ("exceptions", dice.below(3), 30)];
    for (keyword, lines, star_percent) in lines {
        for _ in 0..lines {
            let columns: Vec<String> = if dice.chance(20) {
                vec![format!("{}^{number}", dice.states(locals, star_percent))]
            } else {
                (0..number).map(|_| dice.states(locals, star_percent)).collect()
            };
            // A concrete shared state keeps errors rare enough.
            let star_percent = if keyword == "init" { 5 } else { 20 };
            text += &format!("{keyword} {} {}\n", dice.states(shared, star_percent), columns.join(" "));
        }
    }
    text
}
