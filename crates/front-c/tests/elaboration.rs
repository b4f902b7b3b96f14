//! What becomes of the constructs of C, instruction by instruction. The expectations were written from the language, not
//! from the output.

use threadwise_front_c::{DataModel, Options, load};
use threadwise_memory::code::Code;
use threadwise_memory::print;
use threadwise_source::{Severity, SourceFile};

fn code(name: &str, text: &str) -> Code {
    let loaded = load(vec![SourceFile::new(name, text)], &Options::default());
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert_eq!(errors, 0, "{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    loaded.code.expect("there are no errors")
}

/// The body of `main`, without the header and without indentation.
fn main_of(name: &str, text: &str) -> Vec<String> {
    let code = code(name, text);
    let function = code.functions.iter().find(|function| &*function.name == "main").expect("there is a main");
    print::function(&code, function).lines().skip(1).map(|line| line.trim().to_string()).collect()
}

/// What `main` does with these globals, up to its end.
#[track_caller]
fn becomes(globals: &str, statements: &str, expected: &[&str]) {
    let lines = main_of("test.i", &format!("{globals}\nint main(void) {{ {statements} }}"));
    let expected: Vec<&str> = std::iter::once("b0:").chain(expected.iter().copied()).chain(["return 0"]).collect();
    assert_eq!(lines, expected, "{statements}");
}

#[test]
fn increments_load_and_store_once() {
    becomes("int x;", "x++;", &["x = (x + 1)"]);
    becomes("int x, y;", "y = x++;", &["$1 = x", "x = ($1 + 1)", "y = $1"]);
    becomes("int x, y;", "y = --x;", &["$1 = (x - 1)", "x = $1", "y = $1"]);
    becomes("char c;", "c++;", &["c = i8((i32(c) + 1))"]);
    becomes("int *p;", "p++;", &["p = (p + 1 * 4)"]);
    becomes("int *p, x;", "x = *p++;", &["$1 = p", "p = ($1 + 1 * 4)", "x = (*$1: i32)"]);
    // The place is found once, although it is loaded and stored.
    becomes("int a[4], i;", "a[i] += 2;", &["$1 = i", "a[$1] = (a[$1] + 2)"]);
    becomes("struct s { int n; } *p;", "p->n++;", &["$1 = p", "(*$1: s).n = ((*$1: s).n + 1)"]);
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let globals = "int x, y; int f(int a) { return a; }";
    becomes(globals, "y = x + f(x);", &["$1 = x", "$2 = f(x)", "y = ($1 + $2)"]);
    becomes(globals, "y = f(1) + f(2);", &["$1 = f(1)", "$2 = f(2)", "y = ($1 + $2)"]);
    becomes(globals, "f(f(x) + x);", &["$2 = f(x)", "$1 = f(($2 + x))"]);
    becomes(globals, "x = y = 3;", &["y = 3", "x = 3"]);
    becomes(globals, "(x = 1, y) ? 0 : 0;", &["x = 1", "$1 = (y ? 0 : 0)"]);
    becomes(globals, "x;", &["$1 = x"]);
}

#[test]
fn logic_is_a_value_unless_it_has_effects() {
    becomes("int x, y;", "x = y && !x;", &["x = (y && !x)"]);
    becomes("int x, y;", "x = y ? x : 2;", &["x = (y ? x : 2)"]);
    becomes("int x; char c; unsigned u;", "u = x ? c : u;", &["u = (x ? u32(c) : u)"]);
    let short =
        ["b0:", "$1 = y", "if $1 goto b1 else b2", "b1:", "$2 = $1", "goto b3", "b2:", "$2 = 3", "goto b3", "b3:"];
    let short: Vec<&str> = short.into_iter().chain(["x = $2", "return 0"]).collect();
    for text in ["x = y ?: 3;", "x = y ? : 3;", "x = y ?:3;"] {
        assert_eq!(main_of("test.i", &format!("int x, y; int main(void) {{ {text} }}")), short, "{text}");
    }
    let expected = [
        "b0:",
        "if y goto b4 else b2",
        "b1:",
        "$1 = 1",
        "goto b3",
        "b2:",
        "$1 = 0",
        "goto b3",
        "b3:",
        "x = $1",
        "return 0",
        "b4:",
        "$2 = x",
        "x = ($2 + 1)",
        "if $2 goto b1 else b2",
    ];
    assert_eq!(main_of("test.i", "int x, y; int main(void) { x = y && x++; }"), expected);
}

#[test]
fn nothing_of_the_second_operand_happens_if_the_first_decides() {
    let text = "struct s { int a; } *p, *q; int x; int main(void) { x = p && (x ? *p : *q).a; }";
    let lines = main_of("test.i", text);
    let expected = [
        "b0:",
        "if (p != null) goto b4 else b2",
        "b1:",
        "$1 = 1",
        "goto b3",
        "b2:",
        "$1 = 0",
        "goto b3",
        "b3:",
        "x = $1",
        "return 0",
        "b4:",
        "if x goto b5 else b6",
        "b5:",
        "copy $2 = (*p: s)",
        "goto b7",
        "b6:",
        "copy $2 = (*q: s)",
        "goto b7",
        "b7:",
        "if $2.a goto b1 else b2",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn integers_are_promoted_and_converted() {
    becomes("unsigned u; int i; _Bool b; short s; long l;", "b = u > -1;", &["b = u1((u > 4294967295))"]);
    becomes("unsigned u; int i; long l;", "l = u + i;", &["l = i64((u + u32(i)))"]);
    becomes("unsigned u; long l;", "l = u + l;", &["l = (i64(u) + l)"]);
    becomes("short s; _Bool b;", "b = s;", &["b = u1((s != 0))"]);
    becomes("int *p; _Bool b;", "b = p;", &["b = u1((p != null))"]);
    becomes("unsigned char c;", "c = c << 3;", &["c = u8((i32(c) << 3))"]);
    becomes("unsigned char c; int i;", "i = ~c;", &["i = ~i32(c)"]);
}

#[test]
fn fields_elements_and_pointers_are_places() {
    let globals = "struct in { int x, y[3]; }; struct out { char c; struct in in[2]; } s, *p; int a[2][3], *q, i;";
    becomes(globals, "s.in[1].y[i] = 1;", &["s.in[1].y[i] = 1"]);
    becomes(globals, "p->in[1].x = 1;", &["(*p: out).in[1].x = 1"]);
    becomes(globals, "(&s)->c = 1;", &["s.c = 1"]);
    becomes(globals, "a[1][i] = *q;", &["a[1][i] = (*q: i32)"]);
    becomes(globals, "q[2] = *(q - i);", &["(*(q + 2 * 4): i32) = (*(q + i * -4): i32)"]);
    becomes(globals, "q = &a[1][2];", &["q = &a[1][2]"]);
    becomes(globals, "q = a[1];", &["q = &a[1]"]);
    becomes(globals, "*a[1] = 5;", &["a[1][0] = 5"]);
    becomes(globals, "i = &p[3] - p;", &["i = i32((((p + 3 * 36) - p) / 36))"]);
    becomes(globals, "i = (long)q;", &["i = i32(i64(q))"]);
    becomes(globals, "q = (int *)((char *)p + 4);", &["q = (p + 4 * 1)"]);
}

#[test]
fn locals_are_declared_or_set() {
    becomes("", "int x; { int y = 2; x = y; }", &["declare x", "y = 2", "x = y"]);
    becomes("", "int a[3] = { 1, 2, 3 };", &["a[0] = 1", "a[1] = 2", "a[2] = 3"]);
    becomes("", "int a[3] = { [1] = 2 };", &["clear a", "a[1] = 2"]);
    becomes("struct s { int a, b; } g;", "struct s t = g, u = { .b = 1 };", &["copy t = g", "clear u", "u.b = 1"]);
    becomes("", "char s[4] = \"hi\";", &["clear s", "s[0] = 104", "s[1] = 105"]);
}

#[test]
fn globals_start_as_c_says() {
    let text = "struct s { int a; char *n; struct s *next; } x = { 3, \"no\", &x }, y[2] = { { 1 }, { .a = 2 } };
        int f(void) { return 1; } int (*g)(void) = f; int z = 2 + 3 * sizeof(int), *p = &y[1].a, w[] = { [3] = 1, 2 };
        static int twice = 1; int zero = 0; extern int later; int later = 4;
        int main(void) { x.a = y[0].a = z + *p + w[0] + g() + twice + zero + later; return 0; }";
    let code = code("test.i", text);
    let lines: Vec<String> =
        print::program(&code).lines().filter(|line| line.starts_with("global")).map(str::to_string).collect();
    let expected = [
        "global x: s; x.a = 3; x.n = &\"no\"; x.next = &x",
        "global y: [2]s; y[0].a = 1; y[1].a = 2",
        "global z: i32; z = 14",
        "global p: ptr; p = &y[1].a",
        "global w: [5]i32; w[3] = 1; w[4] = 2",
        "global g: ptr; g = f",
        "global twice: i32; twice = 1",
        "global zero: i32",
        "global later: i32; later = 4",
        "global \"no\": [3]i8; \"no\"[0] = 110; \"no\"[1] = 111",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn structs_are_passed_by_copies() {
    let text = "struct s { int a; }; struct s f(struct s p) { p.a++; return p; }
        int main(void) { struct s v = { 1 }; v = f(v); return v.a; }";
    let code = code("test.i", text);
    let expected = "fn main() -> i32
  b0:
    v.a = 1
    declare $1
    copy $2 = v
    f(&$1, &$2)
    copy v = $1
    return v.a
fn f($result: ptr, $p: ptr) -> void
  b0:
    copy p = (*$p: s)
    p.a = (p.a + 1)
    copy (*$result: s) = p
    return
";
    assert_eq!(print::program(&code), expected);
}

#[test]
fn atomic_objects_change_in_one_step() {
    let region = ["atomic {", "$1 = atomic x", "atomic x = ($1 + 1)", "} atomic"];
    becomes("_Atomic int x;", "x++;", &region);
    becomes("_Atomic(int) x;", "x = x + 1;", &["atomic x = (atomic x + 1)"]);
    becomes("int x;", "__atomic_fetch_add(&x, 1, 5);", &region);
    becomes("int x;", "__sync_fetch_and_add(&x, 1);", &region);
    becomes("int x, y;", "y = __atomic_load_n(&x, 5);", &["y = atomic x"]);
    becomes("int x, y;", "__atomic_store_n(&x, y, 5);", &["atomic x = y"]);
    let code =
        code("test.i", "int x; int main(void) { __atomic_store_n(&x, 1, 3); __atomic_load_n(&x, 5); return 0; }");
    assert_eq!(code.weak_orders.len(), 1);
    assert_eq!(code.source.slice(code.weak_orders[0]), "3");
}

#[test]
fn a_comparison_may_fail_for_no_reason_only_if_it_is_weak() {
    let text =
        |weak| format!("int x, e; int main(void) {{ return __atomic_compare_exchange_n(&x, &e, 7, {weak}, 5, 5); }}");
    let expected = |condition: &str| {
        let lines = [
            "b0:",
            "$1 = e",
            "atomic {",
            "$2 = atomic x",
            condition,
            "if $3 goto b1 else b2",
            "b1:",
            "atomic x = 7",
            "goto b2",
            "b2:",
            "} atomic",
            "if $3 goto b4 else b3",
            "b3:",
            "e = $2",
            "goto b4",
            "b4:",
            "return i32(u1(($3 != 0)))",
        ];
        lines.map(str::to_string)
    };
    assert_eq!(main_of("test.i", &text(0)), expected("$3 = ($2 == $1)"));
    assert_eq!(main_of("test.i", &text(1)), expected("$3 = (($2 == $1) && any u1)"));
}

#[test]
fn memory_gets_its_type_from_its_size_or_from_its_use() {
    let globals = "typedef unsigned long size_t; void *malloc(size_t); void *calloc(size_t, size_t); void free(void *);
        struct s { int a; struct s *next; } *p; int n, *q; void *v;";
    becomes(globals, "p = malloc(sizeof *p);", &["$1 = allocate 1 of s", "p = $1"]);
    becomes(globals, "p = (struct s *)malloc(32);", &["$1 = allocate 2 of s", "p = $1"]);
    becomes(globals, "q = malloc(n * sizeof(int));", &["$1 = allocate u64(n) of i32", "q = $1"]);
    becomes(globals, "v = malloc(sizeof(struct s));", &["$1 = allocate 1 of s", "v = $1"]);
    becomes(globals, "q = calloc(n, sizeof *q);", &["$1 = u64(n)", "$2 = allocate zeroed $1 of i32", "q = $2"]);
    becomes(globals, "p = calloc(4, 8);", &["$1 = allocate zeroed 2 of s", "p = $1"]);
    becomes(globals, "q = malloc(n);", &["$1 = allocate (u64(n) / 4) of i32", "q = $1"]);
    becomes(globals, "free(p); free((void *)0);", &["free p"]);
}

#[test]
fn memory_is_set_and_copied_as_objects_or_element_by_element() {
    let globals =
        "typedef unsigned long size_t; void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
        struct s { int a; char b; } x, y, *p; int a[4], b[4], *q; char c[3]; size_t n;";
    becomes(globals, "memset(&x, 0, sizeof x);", &["clear x"]);
    becomes(globals, "memset(a, 0, sizeof(a));", &["clear a"]);
    becomes(globals, "memcpy(&x, &y, sizeof(struct s)); memcpy(a, b, 16);", &["copy x = y", "copy a = b"]);
    becomes(globals, "*p = x; x = p[1];", &["copy (*p: s) = x", "copy x = (*(p + 1 * 8): s)"]);
    let lines = main_of("test.i", &format!("{globals} int main(void) {{ memset(a, -1, 8); }}"));
    let looped =
        ["b0:", "$1 = 0", "goto b1", "b1:", "if ($1 < 2) goto b2 else b3", "b2:", "a[$1] = -1", "$1 = ($1 + 1)"];
    assert_eq!(lines, looped.iter().chain(&["goto b1", "b3:", "return 0"]).copied().collect::<Vec<_>>());
    let lines = main_of("test.i", &format!("{globals} int main(void) {{ memcpy(q, b, n); }}"));
    // The size is looked at once, and must be that of whole elements.
    let whole = ["b0:", "$1 = q", "$2 = n", "assert (($2 % 4) == 0) Beyond", "$3 = 0", "goto b1", "b1:"];
    let looped = ["if ($3 < ($2 / 4)) goto b2 else b3", "b2:", "(*($1 + $3 * 4): i32) = b[$3]", "$3 = ($3 + 1)"];
    let rest = ["goto b1", "b3:", "return 0"];
    assert_eq!(lines, whole.iter().chain(&looped).chain(&rest).copied().collect::<Vec<_>>());
}

#[test]
fn floats_are_opaque_unless_they_are_whole_constants() {
    becomes("int x; double d;", "x = 1e3; d = 2;", &["x = 1000", "d = f64(2)"]);
    becomes("int x; double d;", "x = d > x; d = d * 2.5;", &["x = (d != f64(x))", "d = d"]);
}

#[test]
fn the_data_model_decides_how_wide_longs_and_pointers_are() {
    let text = "long x; int main(void) { x = sizeof(void *) + sizeof(long double); return 0; }";
    let options = Options { model: DataModel::Ilp32, ..Options::default() };
    let code = load(vec![SourceFile::new("test.i", text)], &options).code.expect("it is right");
    assert_eq!(code.pointer_bytes, 4);
    assert!(print::program(&code).contains("global x: i32\n") && print::program(&code).contains("x = 16\n"));
}
