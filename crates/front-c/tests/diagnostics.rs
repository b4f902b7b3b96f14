//! What is said about programs that are wrong or not supported, and where.

use threadwise_front_c::{Options, load};
use threadwise_source::{Severity, SourceFile};

/// The place and the message of the first error, and the text that is marked.
fn first_error(name: &str, text: &str) -> (String, String, String) {
    let loaded = load(vec![SourceFile::new(name, text)], &Options::default());
    assert!(loaded.code.is_none(), "{text}");
    let error = loaded.diagnostics.iter().find(|d| d.severity == Severity::Error).expect("there is an error");
    let marked = loaded.source.slice(error.span).trim().to_string();
    (loaded.source.locate(error.span), error.message.clone(), marked)
}

#[track_caller]
fn says(text: &str, place: &str, message: &str, marked: &str) {
    let found = first_error("f.i", text);
    assert_eq!((&*found.0, &*found.1, &*found.2), (place, message, marked), "{text}");
}

#[test]
fn mistakes_are_told_with_their_places() {
    says("int main(void) {\n  return x;\n}", "f.i:2:10", "`x` is not declared", "x");
    says("int main(void) { int x = 1 return x; }", "f.i:1:28", "syntax error at `return`", "return");
    says("struct s { int a; } v; int main(void) { return v.b; }", "f.i:1:50", "`struct s` has no member `b`", "b");
    says(
        "int f(int a); int main(void) { return f(1, 2); }",
        "f.i:1:39",
        "1 arguments are expected, and there are 2",
        "f(1, 2)",
    );
    says("int x; int main(void) { return *x; }", "f.i:1:32", "a pointer is expected, and this is `int`", "*x");
    says(
        "struct s { int a; } v; int main(void) { return v + 1; }",
        "f.i:1:48",
        "a scalar is expected here, and this is a struct",
        "v",
    );
    says("int main(void) { 3 = 4; return 0; }", "f.i:1:18", "this cannot be assigned to", "3");
    says("int main(void) { goto out; }", "f.i:1:23", "there is no label `out` in this function", "out");
    says("int main(void) { break; }", "f.i:1:18", "there is nothing to `break` here", "break;");
    says(
        "int x = 1, y = x; int main(void) { return y; }",
        "f.i:1:16",
        "what a global starts with has to be constant",
        "x",
    );
    says(
        "int f(void) { return 1; } int f(void) { return 2; } int main(void) { return f(); }",
        "f.i:1:31",
        "`f` is defined twice",
        "f",
    );
    says("int f(void) { return 1; }", "f.i:1:1", "there is no function `main` to start with", "");
}

#[test]
fn line_markers_are_obeyed() {
    let text =
        "# 1 \"user.c\"\n# 1 \"/usr/include/x.h\" 1 3\nint a;\n# 7 \"user.c\" 2\nint main(void) {\n  return b;\n}\n";
    assert_eq!(first_error("f.i", text).0, "user.c:8:10");
}

#[test]
fn a_file_that_is_preprocessed_is_shown_as_the_user_wrote_it() {
    let text = "#define TWO (1 + one)\nint main(void) {\n  int x = TWO;\n  return x;\n}\n";
    let loaded = load(vec![SourceFile::new("user.c", text)], &Options::default());
    let shown = threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
    assert!(shown.contains("`one` is not declared") && shown.contains("user.c:3:"), "{shown}");
    assert!(shown.contains("3 |   int x = TWO;"), "{shown}");
}

#[test]
fn headers_of_the_user_are_shown_as_they_were_written() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers");
    std::fs::create_dir_all(&directory).expect("there is a place for files");
    std::fs::write(directory.join("own.h"), "#define ONE missing\nint f(void) { return ONE; }\n")
        .expect("it can be written");
    let name = directory.join("main.c").display().to_string();
    let loaded =
        load(vec![SourceFile::new(name, "#include \"own.h\"\nint main(void) { return f(); }\n")], &Options::default());
    let shown = threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
    assert!(shown.contains("own.h:2:") && shown.contains("2 | int f(void) { return ONE; }"), "{shown}");
}

#[test]
fn what_is_not_supported_is_refused_only_where_it_can_be_reached() {
    let signal = "int raise(int); void f(void) { raise(9); }";
    let message = "`raise` is not supported";
    says(&format!("{signal} int main(void) {{ f(); return 0; }}"), "f.i:1:32", message, "raise(9)");
    let unused = format!("{signal} int main(void) {{ return 0; }}");
    assert!(load(vec![SourceFile::new("f.i", unused)], &Options::default()).code.is_some());
    let never = format!("{signal} int main(void) {{ if (sizeof(int) == 2) f(); return 0; }}");
    assert!(load(vec![SourceFile::new("f.i", never)], &Options::default()).code.is_some());
    // A label is a way into what is never entered otherwise.
    let jump = format!("{signal} int main(void) {{ goto in; if (0) {{ in: f(); }} return 0; }}");
    assert_eq!(first_error("f.i", &jump).1, message);
    // A function whose address is taken can be reached.
    let taken = format!("{signal} void (*p)(void) = f; int main(void) {{ p(); return 0; }}");
    assert_eq!(first_error("f.i", &taken).1, message);
    // What assembly does is not known, which matters to executions that come there.
    let assembly = "int main(void) { __asm__ (\"hlt\" : : \"r\" (1)); return 0; }";
    let loaded = load(vec![SourceFile::new("f.i", assembly)], &Options::default());
    assert!(loaded.code.is_some());
    assert!(loaded.diagnostics[0].message.starts_with("inline assembly is not supported"), "{:?}", loaded.diagnostics);
}

#[test]
fn a_preprocessor_that_is_missing_is_named() {
    let mut options = Options::default();
    options.preprocessing.command = Some("no-such-compiler -E".to_string());
    let loaded = load(vec![SourceFile::new("f.c", "int main(void) { return 0; }")], &options);
    let error = &loaded.diagnostics[0];
    assert!(error.message.starts_with("the preprocessor `no-such-compiler -E` cannot be started"), "{error:?}");
    assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("install a C compiler")), "{error:?}");
}

#[test]
fn deep_programs_do_no_harm() {
    let chain = |count: usize| format!("int x; int main(void) {{ {}x = 0; }}", "if (x) x = 1; else ".repeat(count));
    assert!(load(vec![SourceFile::new("f.i", chain(10_000))], &Options::default()).code.is_some());
    assert_eq!(first_error("f.i", &chain(20_000)).1, "brackets, operators or statements are nested too deep here");
    let brackets = format!("int main(void) {{ return {}1{}; }}", "(".repeat(5000), ")".repeat(5000));
    assert!(load(vec![SourceFile::new("f.i", brackets)], &Options::default()).code.is_some());
    let operators = format!("int x; int main(void) {{ x = {}x; }}", "!".repeat(9_000));
    assert!(load(vec![SourceFile::new("f.i", operators)], &Options::default()).code.is_some());
}

#[test]
fn several_files_are_linked_by_name() {
    let first = "struct s { int a; }; extern struct s shared; static int own = 1; int f(void);
        int main(void) { own = f(); return shared.a; }";
    let second = "struct s { int a; }; struct s shared = { 7 }; static int own = 2; int f(void) { return own; }";
    let files = vec![SourceFile::new("a.i", first), SourceFile::new("b.i", second)];
    let loaded = load(files, &Options::default());
    let code = loaded.code.expect("they fit");
    let text = threadwise_memory::print::program(&code);
    let expected = "global own: i32; own = 1
global shared: s; shared.a = 7
global own: i32; own = 2
fn main() -> i32
  b0:
    $1 = f()
    own = $1
    return shared.a
fn f() -> i32
  b0:
    return own
";
    assert_eq!(text, expected);
}

#[test]
fn where_the_order_of_evaluation_is_open_and_matters_there_is_a_warning() {
    let warnings = |statement: &str| {
        let globals = "int x, y, a[3]; int get(void) { return x; } int set(void) { return x = 1; } int both(int p, int q) { return p; }";
        let text = format!("{globals} int main(void) {{ {statement} return 0; }}");
        let loaded = load(vec![SourceFile::new("f.i", text)], &Options::default());
        assert!(loaded.code.is_some());
        loaded.diagnostics.iter().filter(|d| d.message.starts_with("C does not say which comes first")).count()
    };
    for open in [
        "y = get() + set();",
        "y = x + set();",
        "both(x++, x);",
        "x += set();",
        "a[x] = y + x++;",
        "both(set(), get());",
    ] {
        assert_eq!(warnings(open), 1, "{open}");
    }
    for fixed in
        ["x = set();", "y = set() && get();", "y = get() + y;", "y = (set(), get());", "both(get(), x);", "y++; x = y;"]
    {
        assert_eq!(warnings(fixed), 0, "{fixed}");
    }
}
