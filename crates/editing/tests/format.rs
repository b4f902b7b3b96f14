//! Laying out changes nothing but blanks, and doing it twice is doing it once.

use std::path::{Path, PathBuf};
use threadwise_editing::format_text;
use threadwise_front_tw::lexer::{TokenKind, tokenize};
use threadwise_front_tw::printer::print;
use threadwise_oracle::{GeneratorOptions, random_module};
use threadwise_source::SourceFile;

fn formatted(text: &str) -> String {
    format_text(&SourceFile::new("p.tw", text)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn tokens(text: &str) -> Vec<(TokenKind, String)> {
    let file = SourceFile::new("p.tw", text);
    let (tokens, _) = tokenize(&file);
    tokens.iter().map(|token| (token.kind, file.slice(token.span).to_string())).collect()
}

/// All comments, one a line, without blanks.
fn comments(text: &str) -> Vec<String> {
    let all = text.split('\n').filter_map(|line| line.find("//").map(|at| line[at..].trim_end().to_string()));
    all.collect()
}

fn keeps_all_but_blanks(text: &str) {
    let once = formatted(text);
    assert_eq!(tokens(text), tokens(&once), "{once}");
    assert_eq!(comments(text), comments(&once), "{once}");
    assert_eq!(once, formatted(&once));
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => programs(&path, found),
            false if path.extension().is_some_and(|extension| extension == "tw") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn examples_stay_what_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    ["examples", "tests/corpus"].iter().for_each(|folder| programs(&root.join(folder), &mut found));
    assert!(found.len() > 300, "{}", found.len());
    for path in found {
        keeps_all_but_blanks(&std::fs::read_to_string(&path).expect("a text"));
    }
}

/// Whoever reads the examples sees the layout; `threadwise fmt examples/NAME.tw` mends it.
#[test]
fn examples_are_laid_out() {
    let mut found = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut found);
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a text");
        assert_eq!(formatted(&text), text, "{}", path.display());
    }
}

#[test]
fn random_programs_stay_what_they_are() {
    for seed in 0..60 {
        keeps_all_but_blanks(&print(&random_module(seed, &GeneratorOptions::default())));
    }
}

#[test]
fn what_it_looks_like() {
    let text = "shared  x:int=-1 ;   // one\nshared long_name: set<0..2>;// two\n\n\n\nthread W [ 2 ] {\nvar t:int;\n\
                \t if(x<3&&!(t==- 1)){ x=t -1*2; }\nelse{\n L:\nassert x>=0\n==> t ==2;\n}\n}";
    let wanted = "\
shared x: int = -1;           // one
shared long_name: set<0..2>;  // two

thread W [2] {
  var t: int;
  if (x<3 && !(t == -1)) { x = t - 1*2; }
  else {
    L:
    assert x >= 0
      ==> t == 2;
  }
}
";
    assert_eq!(formatted(text), wanted);
}

/// Statements and members of an enumeration are set apart from their braces, members of a set stand as their author put them; a brace is
/// closed as it was opened.
#[test]
fn braces_are_closed_as_they_were_opened() {
    let text = "type E = enum{a, b };\nshared s: set<0..2> = {1 };\nthread P{skip;}\nthread Q{atomic{skip;}\n}\nthread R { s = { 1, 2}; }";
    let wanted = "\
type E = enum { a, b };
shared s: set<0..2> = {1};
thread P { skip; }
thread Q { atomic { skip; }
}
thread R { s = { 1, 2 }; }
";
    assert_eq!(formatted(text), wanted);
}

#[test]
fn a_program_that_is_wrong_is_left_alone() {
    let errors = format_text(&SourceFile::new("p.tw", "thread T { x = ; }")).expect_err("a missing expression");
    assert_eq!(errors.len(), 1);
}
