//! Programs made of what makes models short: records inside of records and arrays, functions that call functions, array
//! literals, bits of integers, channels of records, condition variables in arrays, `select` in loops and atomic blocks,
//! loops over copies that are left early, any thread at a label. They are text from the start.

use crate::random::Random;

/// What may be mentioned where a piece of text stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In a function: its parameters, and what is shared.
    Function,
    /// In the code of a thread: its locals too.
    Code,
    /// In a property.
    Property,
}

/// The text of the program with this number.
pub(crate) fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed ^ 0x51a7), functions: 0, labels: 0 };
    writer.program()
}

struct Writer {
    random: Random,
    /// So many functions of each kind have been written.
    functions: usize,
    labels: usize,
}

const DECLARATIONS: &str = "const MASK = (1 << 2) - 1;
type Color = enum { red, green };
type Pair = record { on: bool, number: 0..3 };
type Node = record { pair: Pair, next: [Color]0..1, guard: mutex };
shared node: Node;
shared pairs: [Color]Pair = [Pair(on: true, number: 1), Pair(number: 2, on: false)];
shared flags: [tid]bool;
shared word: 0..MASK = 0x1;
shared wide: int;
shared box: chan<Pair, 1>;
shared lines: [Color]chan<0..3, 2>;
shared calm: [Color]cond;
shared m: mutex;
";

impl Writer {
    fn program(&mut self) -> String {
        let mut text = DECLARATIONS.to_string();
        for number in 0..self.random.below(3) {
            let (truth, amount) = (self.truth(2, Place::Function), self.amount(2, Place::Function));
            let pair = self.pair(1, Place::Function);
            text += &format!("fun t{number}(a: 0..3, p: Pair): bool = {truth};\n");
            text += &format!("fun n{number}(a: 0..3, p: Pair): int = {amount};\n");
            text += &format!("fun p{number}(a: 0..3, p: Pair): Pair = {pair};\n");
            self.functions = number + 1;
        }
        text += &format!("proc keep(a: 0..3, p: Pair) {{ {} }}\n", self.simple(Place::Function));
        let copies = self.random.between(1, 2);
        for (head, length) in [(format!("W[{copies}]"), 2), ("P".to_string(), 3)] {
            let mut body = String::from("var a: 0..3; var p: Pair; ");
            for _ in 0..length {
                body += &self.statement(2);
            }
            let is_loop = self.random.percent(20);
            let body = if is_loop { format!("loop {{ {body} }}") } else { body };
            text += &format!("thread {head} {{ {body} }}\n");
        }
        for _ in 0..1 + self.random.below(2) {
            text += &self.property();
        }
        if self.random.percent(30) {
            text += "nodeadlock;\n";
        }
        text
    }

    fn property(&mut self) -> String {
        let truth = self.truth(2, Place::Property);
        let label = match self.labels {
            0 => None,
            labels => Some(self.random.below(labels)),
        };
        match (self.random.below(6), label) {
            (0, Some(label)) => format!("never m@L{label} && {truth};\n"),
            (1, Some(label)) => format!("invariant count(t: tid :: t@L{label} && flags[t]) < 2;\n"),
            (2, Some(label)) => format!("never forall t: W :: m@L{label} || t.p == pairs[red];\n"),
            (3, _) => "norace node;\n".to_string(),
            (4, _) => "norace box, lines[*];\n".to_string(),
            _ => format!("invariant {truth} || word <= MASK;\n"),
        }
    }

    fn color(&mut self) -> &'static str {
        self.random.pick(&["red", "green"])
    }

    /// An integer from 0 to 3, but for rare mistakes.
    fn small(&mut self, depth: usize, place: Place) -> String {
        match self.random.below(if depth == 0 { 4 } else { 7 }) {
            0 => self.random.between(0, 3).to_string(),
            1 => "word".to_string(),
            2 => format!("pairs[{}].number", self.color()),
            3 if place != Place::Property => "a".to_string(),
            4 => format!("({} & MASK)", self.amount(depth - 1, place)),
            5 => format!("(word ^ {})", self.random.between(0, 3)),
            _ => "node.pair.number".to_string(),
        }
    }

    fn amount(&mut self, depth: usize, place: Place) -> String {
        if depth == 0 {
            return self.small(0, place);
        }
        let (one, other) = (self.small(depth - 1, place), self.small(depth - 1, place));
        match self.random.below(9) {
            0 => format!("({one} | {other})"),
            1 => format!("({one} << {})", self.random.between(0, 2)),
            2 => format!("(~{one} >> 1)"),
            3 => format!("({one} - {other} & 0x3)"),
            4 => format!("size(lines[{}])", self.color()),
            5 if self.functions > 0 => {
                format!("n{}({one}, {})", self.random.below(self.functions), self.pair(depth - 1, place))
            }
            6 => format!("(wide & {other})"),
            7 => format!("count(k: 0..1 :: k < {one})"),
            _ => one,
        }
    }

    fn pair(&mut self, depth: usize, place: Place) -> String {
        match self.random.below(if depth == 0 { 3 } else { 6 }) {
            0 => format!("pairs[{}]", self.color()),
            1 if place != Place::Property => "p".to_string(),
            3 => format!("({} ? {} : {})", self.truth(0, place), self.pair(0, place), self.pair(0, place)),
            4 if self.functions > 0 => {
                let (amount, pair) = (self.small(0, place), self.pair(depth - 1, place));
                format!("p{}({amount}, {pair})", self.random.below(self.functions))
            }
            5 => format!("Pair(number: {}, on: {})", self.small(depth - 1, place), self.truth(0, place)),
            _ => "node.pair".to_string(),
        }
    }

    fn truth(&mut self, depth: usize, place: Place) -> String {
        if depth == 0 {
            let simple = ["node.pair.on", "pairs[green].on", "word == 0x2", "size(box) == 1", "flags == [false; all]"];
            return self.random.pick(&simple).to_string();
        }
        let (one, other) = (self.amount(depth - 1, place), self.amount(depth - 1, place));
        match self.random.below(9) {
            0 => format!("{one} == {other}"),
            1 => format!("({} && {})", self.truth(depth - 1, place), self.truth(depth - 1, place)),
            2 => format!("!({})", self.truth(depth - 1, place)),
            3 => format!("{} == {}", self.pair(depth - 1, place), self.pair(depth - 1, place)),
            4 => format!("node.next == [{}, 1]", self.random.between(0, 1)),
            5 => format!("(forall c: Color :: pairs[c] != {})", self.pair(0, place)),
            6 if self.functions > 0 => {
                let pair = self.pair(depth - 1, place);
                format!("t{}({}, {pair})", self.random.below(self.functions), self.small(0, place))
            }
            7 => format!("{one} < {other}"),
            _ => self.truth(0, place),
        }
    }

    /// A statement that is one step, and that a branch of `select` can start with.
    fn simple(&mut self, place: Place) -> String {
        let color = self.color();
        match self.random.below(14) {
            0 => format!("node.pair = {};", self.pair(2, place)),
            1 => format!("pairs[{color}].number = {};", self.small(2, place)),
            2 => format!("pairs = [{}, {}];", self.pair(1, place), self.pair(1, place)),
            3 => format!("node.next = [{}; all];", self.random.between(0, 1)),
            4 => format!("send(box, {});", self.pair(1, place)),
            5 => "p = receive(box);".to_string(),
            6 => format!("send(lines[{color}], {});", self.small(1, place)),
            7 => format!("a = receive(lines[{color}]);"),
            8 => format!("await {};", self.truth(1, place)),
            9 => format!("word = {} & MASK;", self.amount(2, place)),
            10 => format!("assert {} || true, \"never fails\";", self.truth(2, place)),
            11 => format!("signal(calm[{color}]);"),
            12 => format!("a, p = {}, {};", self.small(1, place), self.pair(1, place)),
            _ => format!("action [pairs] pairs' == [{}; all];", self.pair(0, place)),
        }
    }

    /// Any statement of a thread.
    fn statement(&mut self, depth: usize) -> String {
        let color = self.color();
        let simple = self.simple(Place::Code);
        let text = match self.random.below(if depth == 0 { 2 } else { 10 }) {
            0 | 1 => simple,
            2 | 3 => {
                let (guard, then) = (self.simple(Place::Code), self.statement(depth - 1));
                format!("select {{ {guard} {then} }} or {{ {simple} }}")
            }
            4 => format!(
                "for t in W {{ if (flags[t]) {{ continue; }} flags[t] = {}; {simple} }}",
                self.truth(0, Place::Code)
            ),
            5 => {
                let test = self.truth(1, Place::Code);
                let word = self.random.pick(&["while", "if"]);
                format!("acquire(m); {word} ({test}) {{ wait(calm[{color}], m); }} {simple} release(m);")
            }
            6 => format!("broadcast(calm[{color}]);"),
            7 => format!("acquire(node.guard); {simple} release(node.guard);"),
            8 => format!("keep({}, {});", self.small(1, Place::Code), self.pair(1, Place::Code)),
            _ => {
                let guard = self.truth(1, Place::Code);
                format!("atomic {{ await {guard}; select {{ {simple} }} or {{ {} }} }}", self.simple(Place::Code))
            }
        };
        if text.starts_with("for ") || !self.random.percent(30) {
            return format!("{text} ");
        }
        self.labels += 1;
        format!("L{}: {text} ", self.labels - 1)
    }
}
