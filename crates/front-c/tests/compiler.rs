//! Layouts, types and constants against the real compiler: what the front end computes, it has to confirm.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use threadwise_front_c::{DataModel, Options, load};
use threadwise_memory::code::{Code, ExprKind, Struct, Type};
use threadwise_source::{Severity, SourceFile};

/// The integer types that C has, by number.
const TYPES: [&str; 12] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// Small numbers that look random; the same ones in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

fn loaded(text: &str, model: DataModel) -> Code {
    let loaded = load(vec![SourceFile::new("test.i", text)], &Options { model, ..Options::default() });
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    loaded.code.expect("there are no errors")
}

/// Has the compiler read a text without headers; whatever it asserts has to hold.
fn confirm(text: &str, model: DataModel) {
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let flags = ["-std=gnu11", "-fsyntax-only", "-fwrapv", "-w", "-x", "c", width, "-"];
    let mut child = Command::new("cc")
        .args(flags)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`cc` is there, as cargo needs it to link");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A constant expression without undefined behaviour: nothing is divided by zero or shifted too far.
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(8) == 0 {
        return leaf(random);
    }
    let inner = |random: &mut Random| expression(random, depth - 1);
    match random.below(10) {
        0 => format!("({})({})", random.pick(&TYPES), inner(random)),
        1 => format!("{}({})", random.pick(&["-", "~", "!", "+"]), inner(random)),
        2 => format!("({} ? {} : {})", inner(random), inner(random), inner(random)),
        3 => format!("({} {} ((({}) & 7) + 1))", inner(random), random.pick(&["/", "%"]), inner(random)),
        4 => {
            let (left, right) = (inner(random), inner(random));
            format!("(({left}) {} (({right}) & 15))", random.pick(&["<<", ">>"]))
        }
        5 => format!("({} {} {})", inner(random), random.pick(&["&&", "||"]), inner(random)),
        6 => format!("({} {} {})", inner(random), random.pick(&["<", "<=", ">", ">=", "==", "!="]), inner(random)),
        _ => format!("({} {} {})", inner(random), random.pick(&["+", "-", "*", "&", "|", "^"]), inner(random)),
    }
}

fn leaf(random: &mut Random) -> String {
    let numbers = ["0", "1", "2", "7", "127", "128", "255", "256", "32767", "65535", "2147483647", "0x7fffffff"];
    let large = ["2147483648", "0x80000000", "4294967295", "0xffffffff", "9223372036854775807", "0x8000000000000000"];
    let suffix = random.pick(&["", "", "u", "l", "ul", "ll", "ull"]);
    match random.below(6) {
        0 => format!("{}{suffix}", random.pick(&large)),
        1 => random
            .pick(&["'a'", "'\\0'", "'\\xff'", "'\\n'", "sizeof(int)", "sizeof(long)", "_Alignof(short)"])
            .to_string(),
        2 => format!("(({})-{})", random.pick(&TYPES), random.pick(&numbers)),
        3 => random.pick(&["A", "B", "C"]).to_string(),
        _ => format!("{}{suffix}", random.pick(&numbers)),
    }
}

#[test]
fn constants_have_the_types_and_values_that_the_compiler_gives_them() {
    let associations: Vec<String> = TYPES.iter().enumerate().map(|(index, ty)| format!("{ty}: {index}")).collect();
    let associations = associations.join(", ");
    for (model, seed) in [(DataModel::Lp64, 1), (DataModel::Ilp32, 2)] {
        let mut random = Random(seed);
        let expressions: Vec<String> = (0..500).map(|_| expression(&mut random, 3)).collect();
        let start = "enum small { A, B = 300, C = -5 };\n";
        let (mut program, mut main) = (start.to_string(), String::new());
        for (index, text) in expressions.iter().enumerate() {
            let _ = writeln!(program, "int type_{index} = _Generic(({text}), {associations});");
            let _ = writeln!(program, "unsigned long long value_{index} = (unsigned long long)({text});");
            let _ = write!(main, "type_{index}; value_{index}; ");
        }
        let _ = writeln!(program, "int main(void) {{ {main} }}");
        let values = global_values(&loaded(&program, model));
        let mut asserted = start.to_string();
        for (index, text) in expressions.iter().enumerate() {
            let (ty, value) = (values[&format!("type_{index}")], values[&format!("value_{index}")] as u64);
            let _ = writeln!(asserted, "_Static_assert(_Generic(({text}), {associations}) == {ty}, \"type\");");
            let _ = writeln!(asserted, "_Static_assert((unsigned long long)({text}) == {value}ull, \"value\");");
        }
        confirm(&asserted, model);
    }
}

/// What the globals start with.
fn global_values(code: &Code) -> BTreeMap<String, i64> {
    let value = |init: &[(Vec<_>, threadwise_memory::code::Expr)]| match init {
        [] => 0,
        [(_, value)] => match value.kind {
            ExprKind::Const(value) => value,
            _ => panic!("{value:?} is no constant"),
        },
        _ => panic!("a scalar has one value"),
    };
    code.globals.iter().map(|global| (global.name.to_string(), value(&global.init))).collect()
}

/// Declarations of structs, each of which may contain those before it.
fn structs(random: &mut Random, count: usize) -> Vec<String> {
    let field = |random: &mut Random, index: usize, number: usize, is_union: bool| {
        let aligned = match random.below(12) {
            0 => " __attribute__((aligned(8)))",
            1 => " __attribute__((packed))",
            _ => "",
        };
        match random.below(9) {
            0 => format!("{} b{number} : {};", random.pick(&["int", "unsigned int"]), 1 + random.below(32)),
            1 => format!("{} b{number} : {};", random.pick(&["long long", "unsigned long long"]), 1 + random.below(64)),
            2 => format!("{} b{number} : {};", random.pick(&["unsigned char", "short", "_Bool"]), 1),
            3 if !is_union => format!("{} : {};", random.pick(&["int", "long", "char"]), random.below(8)),
            4 => format!("{} f{number}[{}]{aligned};", random.pick(&TYPES), 1 + random.below(4)),
            5 => format!("{} f{number}{aligned};", random.pick(&["void *", "double", "float", "long double"])),
            6 if index > 0 => format!("struct s{} f{number}{aligned};", random.below(index)),
            7 => format!("union {{ int f{number}; char g{number}[5]; }};"),
            _ => format!("{} f{number}{aligned};", random.pick(&TYPES)),
        }
    };
    let one = |index: usize| {
        let fields: Vec<String> = (0..1 + random.below(7)).map(|number| field(random, index, number, false)).collect();
        let attribute = match random.below(8) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(16)))",
            _ => "",
        };
        format!("struct s{index} {{ int first; {} }}{attribute};", fields.join(" "))
    };
    (0..count).map(one).collect()
}

#[test]
fn structs_are_laid_out_as_the_compiler_does_it() {
    for (model, seed) in [(DataModel::Lp64, 3), (DataModel::Ilp32, 4)] {
        let mut random = Random(seed);
        let declarations = structs(&mut random, 300).join("\n");
        let mut program = format!("{declarations}\n");
        for index in 0..300 {
            let _ =
                writeln!(program, "unsigned long align_{index} = _Alignof(struct s{index}); struct s{index} v{index};");
        }
        let uses: Vec<String> = (0..300).map(|index| format!("align_{index}; v{index}.first;")).collect();
        let _ = writeln!(program, "int main(void) {{ {} }}", uses.join(" "));
        let code = loaded(&program, model);
        let mut asserted = format!("{declarations}\n");
        for definition in code.structs.iter().filter(|definition| !definition.name.is_empty()) {
            assert_layout(&code, definition, &mut asserted);
        }
        let globals = code.globals.iter().filter_map(|global| Some((global.name.strip_prefix("align_")?, global)));
        for (index, global) in globals {
            let ExprKind::Const(align) = global.init[0].1.kind else { panic!("an alignment is a constant") };
            let _ =
                writeln!(asserted, "_Static_assert(_Alignof(struct s{index}) == {align}, \"alignment of s{index}\");");
        }
        confirm(&asserted, model);
    }
}

fn assert_layout(code: &Code, definition: &Struct, asserted: &mut String) {
    let name = &definition.name;
    let _ = writeln!(asserted, "_Static_assert(sizeof(struct {name}) == {}, \"size of {name}\");", definition.size);
    for field in definition.fields.iter().filter(|field| field.bit_unit.is_none()) {
        let (offset, inner) = match &field.ty {
            Type::Struct(id) if field.name.is_empty() => {
                (field.offset, code.structs[id.index()].fields[0].name.clone())
            }
            _ => (field.offset, field.name.clone()),
        };
        let place = format!("__builtin_offsetof(struct {name}, {inner})");
        let _ = writeln!(asserted, "_Static_assert({place} == {offset}, \"{inner} of {name}\");");
    }
}
