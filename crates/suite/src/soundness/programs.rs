//! Random programs of every kind that some engine is made for.

use crate::annotated::random_annotated;
use crate::conformance::random_abstraction;
use crate::dice::Dice;
use std::fmt::Write;
use threadwise_front_tw::ast::{Copies, ItemKind, Module, TypeKind};
use threadwise_front_tw::parse;
use threadwise_front_tw::printer::print;
use threadwise_oracle::{Explored, GeneratorOptions, random_case, random_module};
use threadwise_source::SourceFile;

/// The random program with this number, and what the interpreter found where the program was made for that.
pub fn random_program(seed: u64) -> (Module, Option<Explored>) {
    let small = GeneratorOptions::small();
    let searched = |options: &GeneratorOptions| {
        let (module, explored) = random_case(seed, options);
        (module, Some(explored))
    };
    match seed % 7 {
        0 if (seed / 7) % 8 == 4 => searched(&GeneratorOptions::rich()),
        0 if (seed / 7).is_multiple_of(2) => searched(&GeneratorOptions::default()),
        0 if (seed / 7) % 4 == 1 => searched(&GeneratorOptions::waiting()),
        0 => searched(&GeneratorOptions::odd()),
        1 if seed.is_multiple_of(5) => (with_declaration_at_the_start(random_module(seed, &small), seed), None),
        1 if (seed / 7) % 2 == 1 => searched(&GeneratorOptions::machine()),
        1 if (seed / 7) % 8 == 4 => searched(&GeneratorOptions::rich()),
        1 if (seed / 7) % 4 == 2 => searched(&GeneratorOptions::dynamic()),
        1 => searched(&small),
        2 if (seed / 7) % 2 == 1 => searched(&GeneratorOptions::odd()),
        2 if (seed / 7) % 4 == 2 => (with_contracts(&random_module(seed, &GeneratorOptions::machine()), seed), None),
        2 if (seed / 7) % 8 == 4 => (with_contracts(&random_module(seed, &GeneratorOptions::dynamic()), seed), None),
        2 if (seed / 7) % 16 == 8 => (with_contracts(&random_module(seed, &GeneratorOptions::rich()), seed), None),
        2 => (with_contracts(&random_module(seed, &small), seed), None),
        3 => (parsed(&random_annotated(seed)), None),
        4 => (parsed(&random_abstraction(seed)), None),
        5 if (seed / 7) % 3 == 1 => (with_any_copies(random_module(seed, &GeneratorOptions::odd())), None),
        5 if (seed / 7) % 3 == 2 => (with_any_copies(random_module(seed, &GeneratorOptions::machine())), None),
        5 if (seed / 7) % 6 == 3 => (with_any_copies(random_module(seed, &anonymous())), None),
        5 if (seed / 7) % 12 == 6 => (with_any_copies(random_module(seed, &GeneratorOptions::waiting())), None),
        5 => (with_any_copies(random_module(seed, &small)), None),
        // Not by the last bit of the number, which also says who is asked.
        _ if (seed / 14).is_multiple_of(2) => searched(&GeneratorOptions::recursive()),
        _ => (parsed(&over_integers(seed)), None),
    }
}

/// Threads of which there can be any number are started without anybody knowing which.
fn anonymous() -> GeneratorOptions {
    GeneratorOptions { anonymous: true, ..GeneratorOptions::dynamic() }
}

pub(super) fn parsed(text: &str) -> Module {
    parse(&SourceFile::new("random.tw", text)).module
}

/// Some thread begins with a declaration that may go wrong before the thread has taken a step.
fn with_declaration_at_the_start(mut module: Module, seed: u64) -> Module {
    let mut dice = Dice::new(seed);
    let values = ["2", "*", "ord(self)", "ord(self) - 1", "1 / (ord(self) - 1)", "ord(self) == 2 ? 7 : 1"];
    let text = format!("thread T {{ var first: 0..1 = {}; }}", dice.pick(&values));
    let declaration = parsed(&text).items.into_iter().find_map(|item| match item.kind {
        ItemKind::Thread(thread) => thread.body.stmts.into_iter().next(),
        _ => None,
    });
    let mut threads: Vec<_> = module
        .items
        .iter_mut()
        .filter_map(|item| match &mut item.kind {
            ItemKind::Thread(thread) => Some(thread),
            _ => None,
        })
        .collect();
    if !threads.is_empty() {
        let chosen = dice.roll(threads.len());
        threads[chosen].body.stmts.splice(0..0, declaration);
    }
    module
}

fn with_any_copies(mut module: Module) -> Module {
    for item in &mut module.items {
        if let ItemKind::Thread(thread) = &mut item.kind
            && let Copies::Exactly(_) = thread.copies
        {
            thread.copies = Copies::Any;
        }
    }
    module
}

/// The program with relies, guarantees and invariants about some of its variables, few of them true.
fn with_contracts(module: &Module, seed: u64) -> Module {
    let of_type = |wanted: &dyn Fn(&TypeKind) -> bool| -> Vec<&str> {
        let decls = module.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Shared(decl) if wanted(&decl.ty.kind) => Some(decl),
            _ => None,
        });
        decls.flat_map(|decl| decl.names.iter().map(|name| name.text.as_str())).collect()
    };
    let mutexes = of_type(&|kind| matches!(kind, TypeKind::Mutex));
    let numbers = of_type(&|kind| matches!(kind, TypeKind::Int | TypeKind::Range(..) | TypeKind::Machine(_)));
    let others = of_type(&|kind| matches!(kind, TypeKind::Bool | TypeKind::Named(_) | TypeKind::Tid));
    let mut dice = Dice::new(seed);
    let mut text = print(module);
    for _ in 0..1 + dice.roll(3) {
        let _ = match (&mutexes[..], &numbers[..], &others[..]) {
            ([_, ..], [_, ..], _) if dice.roll(3) > 0 => {
                let (m, x) = (dice.pick(&mutexes), dice.pick(&numbers));
                let what = dice.pick(&["guarded", "guarded", "rely", "invariant", "guarantee"]);
                match what {
                    "guarded" => writeln!(text, "rely forall i: tid :: {m} == i ==> {m}' == i && {x}' == {x};"),
                    "rely" => writeln!(text, "rely forall i: tid :: {m} == i ==> {m}' == i;"),
                    "invariant" => writeln!(text, "invariant {m} == none ==> {x} <= {};", dice.roll(3)),
                    _ => writeln!(text, "guarantee forall i: tid :: {m} == i || {x}' == {x};"),
                }
            }
            (_, [_, ..], _) if dice.roll(2) > 0 => {
                let x = dice.pick(&numbers);
                match dice.roll(3) {
                    0 => writeln!(text, "rely forall i: tid :: {x}' >= {x};"),
                    1 => writeln!(text, "invariant {x} <= {};", dice.roll(4)),
                    _ => writeln!(text, "rely forall i: tid :: {x}' == {x};"),
                }
            }
            (_, _, [_, ..]) => {
                let x = dice.pick(&others);
                writeln!(text, "rely forall i: tid :: {x}' == {x};")
            }
            _ => writeln!(text, "invariant true;"),
        };
    }
    parsed(&text)
}

/// Two threads over unbounded integers.
fn over_integers(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::from("shared x, y: int;\nshared m: mutex;\n");
    for thread in ["A", "B"] {
        let body: Vec<String> = (0..1 + dice.roll(3)).map(|_| statement_over_integers(&mut dice)).collect();
        let body = body.join(" ");
        let body = match dice.roll(4) {
            0 => format!("while (*) {{ {body} }}"),
            1 => format!("loop {{ {body} }}"),
            2 => format!("acquire(m); {body} release(m);"),
            _ => body,
        };
        let _ = writeln!(text, "thread {thread} {{ var t: int; {body} }}");
    }
    let bound = dice.roll(5) as i64 - 2;
    let property =
        dice.pick(&["x <= y + N || y < 3", "x >= N", "x + y != 2 + N", "x <= N + 3", "m == none ==> x == y + N"]);
    let _ = writeln!(text, "invariant {};", property.replace('N', &format!("{bound}")));
    text
}

fn statement_over_integers(dice: &mut Dice) -> String {
    let variables = ["x", "y", "t"];
    let (a, b, n) = (dice.pick(&variables), dice.pick(&variables), dice.roll(5) as i64 - 2);
    match dice.roll(8) {
        0 | 1 => format!("{a} = {b} + {n};"),
        2 => format!("await {a} <= {b} + {n};"),
        3 => format!("if ({a} > {b} + {n}) {{ {a} = {b}; }}"),
        4 => "t = *;".to_string(),
        5 => format!("assert {a} != {b} + {};", n + 9),
        6 => format!("atomic {{ await {a} < {n}; {a} = {b} + 1; }}"),
        _ => "x, y = x + 1, y + 1;".to_string(),
    }
}
