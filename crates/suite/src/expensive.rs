//! Random programs that keep some part of the tool busy for far longer than anybody waits: in one step, one property,
//! one initial value, before the search begins, or for ever.

use crate::dice::Dice;

/// A program that is expensive for some engine; the same number gives the same program.
pub fn expensive_program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let makers = [
        broadcast,
        many_starts,
        large_quantifier,
        huge_range,
        large_array,
        sets_of_threads,
        initial_values,
        chain_of_calls,
        tree_of_calls,
        counters,
        integers,
        loose_abstraction,
    ];
    let maker = makers[dice.roll(makers.len())];
    maker(&mut dice)
}

/// One value for everybody, chosen in one step.
fn broadcast(dice: &mut Dice) -> String {
    let (n, members) = (2 + dice.roll(10), dice.pick(&["idle, commit, abort", "a, b, c, d, e, f"]));
    let first = members.split(", ").last().unwrap_or("idle");
    let choice = dice.pick(&["atomic { m = *; assume F; }", "atomic { m = *; if (F) { skip; } }", "m = *;"]);
    let choice = choice.replace('F', &format!("(forall p: tid :: m[p] == {first})"));
    format!(
        "type M = enum {{ {members} }}; shared m: [tid]M; thread C {{ loop {{ {choice} }} }} \
         thread P[{n}] {{ loop {{ await m[self] == {first}; m[self] = {first}; }} }}"
    )
}

fn many_starts(dice: &mut Dice) -> String {
    let (copies, most) = (5 + dice.roll(40), 1 + dice.roll(80));
    let end = dice.pick(&["skip;", "x = t;", "await x == t; x = 0;"]);
    let bias = dice.pick(&["", "x = ord(self);"]);
    format!("shared x: 0..99; thread W[{copies}] {{ var t: 0..{most}; t = *; {end} {bias} }} invariant x <= 90;")
}

fn large_quantifier(dice: &mut Dice) -> String {
    let (i, j) = (100_000 + dice.roll(1_000_000), 1000 + dice.roll(1_000_000));
    let claim = dice.pick(&["i + j >= x", "i * j != 0 - 1 - x", "i - j < 2000000 + x"]);
    let place = dice.pick(&["invariant Q;", "never !Q;"]);
    let place = place.replace('Q', &format!("(forall i: 0..{i}, j: 0..{j} :: {claim})"));
    format!("shared x: 0..3; thread P {{ loop {{ choose {{ x = 0; }} or {{ x = 1; }} }} }} {place}")
}

fn huge_range(dice: &mut Dice) -> String {
    let most = dice.pick(&["100000", "1000000", "4000000000", "9223372036854775807"]);
    let what = dice.pick(&["assert x >= 0;", "await x < 5;", "x = *;"]);
    format!("shared x: 0..{most}; thread P {{ x = *; {what} }} thread Q {{ x = *; }}")
}

fn large_array(dice: &mut Dice) -> String {
    let most = 8 + dice.roll(12);
    let then = dice.pick(&["skip;", "assert a[0] || !a[0];", "a[1] = a[0];"]);
    format!("shared a: [0..{most}]bool; thread P {{ loop {{ a = *; {then} }} }}")
}

fn sets_of_threads(dice: &mut Dice) -> String {
    let n = 10 + dice.roll(290);
    format!(
        "shared yes, no: set<tid>; thread P[{n}] \
         {{ choose {{ yes = yes union {{self}}; }} or {{ no = no union {{self}}; }} }}"
    )
}

fn initial_values(dice: &mut Dice) -> String {
    let (words, most) = (1 + dice.roll(4), 100 + dice.roll(5000));
    let names: Vec<String> = (0..words).map(|word| format!("x{word}")).collect();
    let filter = dice.pick(&["x0 >= 0", "x0 == 77", "x0 * x0 == 4"]);
    let names = names.join(", ");
    format!("shared {names}: 0..{most} = *; init {filter}; thread P {{ x0 = 1; }} invariant x0 <= {most};")
}

fn chain_of_calls(dice: &mut Dice) -> String {
    let length = 100 + dice.roll(2000);
    let links = (1..length).map(|link| format!("proc f{link}() {{ f{}(); x = {}; }}\n", link - 1, link % 3));
    let links: String = links.collect();
    format!("shared x: 0..2; proc f0() {{ x = 1; }}\n{links}thread P {{ f{}(); }} thread Q {{ x = 2; }}", length - 1)
}

fn tree_of_calls(dice: &mut Dice) -> String {
    let depth = 8 + dice.roll(40);
    let levels = (1..depth).map(|level| format!("proc f{level}() {{ f{0}(); f{0}(); }}\n", level - 1));
    let levels: String = levels.collect();
    format!("shared x: 0..2; proc f0() {{ x = 1; }}\n{levels}thread P {{ f{}(); }} thread Q {{ x = 2; }}", depth - 1)
}

/// Too many states.
fn counters(dice: &mut Dice) -> String {
    let (copies, most) = (3 + dice.roll(12), 3 + dice.roll(60));
    let symmetric = dice.pick(&["c[self] = (c[self] + 1) % N;", "s = (s + k) % N; k = (k + 1) % N;"]);
    let step = symmetric.replace('N', &(most + 1).to_string());
    let norace = dice.pick(&["", "norace c;"]);
    format!(
        "shared s: 0..{most}; shared c: [tid]0..{most}; \
         thread W[{copies}] {{ var k: 0..{most}; loop {{ {step} }} }} invariant s <= {most}; {norace}"
    )
}

/// Without a bound.
fn integers(dice: &mut Dice) -> String {
    let copies = 1 + dice.roll(6);
    let step = dice.pick(&["x = x + 1; y = y + x;", "if (x > y) { x = y * y + 1; } else { y = x + 3; }"]);
    let claim = dice.pick(&["x >= 0", "x + y != 1000003", "x <= 2 * y + 7"]);
    format!("shared x, y: int; thread W[{copies}] {{ loop {{ {step} }} }} invariant {claim};")
}

/// An abstract thread that may do anything.
fn loose_abstraction(dice: &mut Dice) -> String {
    let most = 1 + dice.roll(9);
    let size = 1 + dice.roll(5);
    let frame = dice.pick(&["", "[a]", "[a] a'[0] == a[0]"]);
    format!(
        "shared a: [0..{size}]0..{most}; thread P {{ loop {{ a[0] = *; }} }} thread Q {{ a[1] = 1; }} \
         abstract P {{ init N0; N0:; N0 -> N0 {frame}; }}"
    )
}
