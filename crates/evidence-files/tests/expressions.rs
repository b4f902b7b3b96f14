//! Expressions written to a file come back as they were, and nonsense does not come back at all.

use serde_json::json;
use threadwise_evidence_files::{decode_expr, expr_json};
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_print::show_expr;
use threadwise_source::SourceFile;

const DECLARATIONS: &str = "type C = enum { red, blue }; shared b: bool; shared x: int; shared r: 0..3; shared c: C;
    shared t: tid; shared s: set<0..3>; shared a: [tid][0..2]int; thread P { skip; } thread W[2] { skip; }";

fn program(expression: &str) -> Program {
    let file = SourceFile::new("e.tw", format!("{DECLARATIONS} invariant {expression};"));
    load(file, &Options::default()).program.unwrap_or_else(|| panic!("{expression}"))
}

#[test]
fn expressions_come_back() {
    for text in [
        "b && x + r * 2 - 1 > -x / 3 % 2 || !b",
        "c == red <==> (b ? x : r) <= 7",
        "t != none && t == P ==> a[t][r] >= 0",
        "s subset ({1, 2} union s minus {r}) && r in s && size(s) < 3 && s inter {} == {}",
        "forall i: tid, k: 0..2 :: exists w: W :: a[i][k] == ord(w)",
        "count(i: tid, k: 0..2 :: a[i][k] > 0) < 4",
    ] {
        let program = program(text);
        let (e, _) = program.properties[0].formula().expect("an invariant");
        let written = expr_json(&program, e);
        let read = decode_expr(&program, None, &written).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expr_json(&program, &read), written, "{text}");
        assert_eq!(show_expr(&program, &read, None), show_expr(&program, e, None));
    }
}

#[test]
fn nonsense_does_not() {
    let program = program("b");
    for wrong in [
        json!(["shared", "y"]),
        json!(["local", 0]),
        json!(["bound", 0]),
        json!(["&&", ["shared", "b"], 3]),
        json!(["+", true, 1]),
        json!(["[]", ["shared", "a"], true]),
        json!(["member", "C", "green"]),
        json!(["forall", "i", "int", true]),
        json!(["set", ["set", "int"], 1]),
        json!(["union", ["shared", "s"], ["set", ["set", "tid"]]]),
        json!(["range", 1]),
        json!({}),
        json!(1.5),
        json!(null),
    ] {
        assert!(decode_expr(&program, None, &wrong).is_err(), "{wrong}");
    }
}
