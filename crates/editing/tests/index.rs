//! Names are found where they are declared and used, and nowhere else.

use threadwise_editing::{Index, Kind};
use threadwise_front_tw::parse;
use threadwise_source::SourceFile;

const PROGRAM: &str = "\
const N = 2;
type Color = enum { red, green };
type Pair = record { left: int, right: Color };
shared x: int = N;
shared pairs: [0..N]Pair;
fun twice(a: int): int = a + a;
proc add(a: int) returns (r: int) { r = x + a; }
thread W[N] {
  var x: int;
  x = twice(N);
  L: pairs[0].left = x;
  { var x: bool; x = true; }
  for k in 0..N { x = k; }
  x = add(x);
  goto L;
}
thread V { L: x = 1; }
invariant sane: forall i: W :: i@L ==> i.x == N && x == 0;
never exists t: tid :: t@L;
";

/// Lines and columns of all places with the same meaning as the name at the first occurrence of a piece of text.
fn places(piece: &str, name: &str) -> Vec<(usize, usize)> {
    let file = SourceFile::new("p.tw", PROGRAM);
    let index = Index::new(&parse(&file).module);
    let at = PROGRAM.find(piece).expect("a piece") + piece.find(name).expect("a name in it");
    let symbol = index.at(at as u32).next().expect("a meaning").symbol;
    let position = |span: threadwise_source::Span| {
        assert_eq!(file.slice(span), name);
        let position = file.position(span.start);
        (position.line as usize, position.column as usize)
    };
    index.places(symbol).map(position).collect()
}

#[test]
fn scopes_tell_variables_apart() {
    assert_eq!(places("x: int = N", "x"), [(4, 8), (7, 41), (17, 15), (18, 52)]);
    assert_eq!(places("var x: int", "x"), [(9, 7), (10, 3), (11, 22), (13, 19), (14, 3), (14, 11), (18, 42)]);
    assert_eq!(places("var x: bool", "x"), [(12, 9), (12, 18)]);
    assert_eq!(places("for k", "k"), [(13, 7), (13, 23)]);
}

#[test]
fn what_is_global_is_found_everywhere() {
    assert_eq!(places("const N", "N"), [(1, 7), (4, 17), (5, 19), (8, 10), (10, 13), (13, 15), (18, 47)]);
    assert_eq!(places("red, green", "green"), [(2, 26)]);
    assert_eq!(places("left: int", "left"), [(3, 22), (11, 15)]);
    assert_eq!(places("fun twice", "twice"), [(6, 5), (10, 7)]);
    assert_eq!(places("proc add", "add"), [(7, 6), (14, 7)]);
    assert_eq!(places("enum { red", "red"), [(2, 21)]);
    assert_eq!(places("record { left: int, right: Color", "Color"), [(2, 6), (3, 40)]);
}

#[test]
fn labels_belong_to_threads() {
    assert_eq!(places("L: pairs", "L"), [(11, 3), (15, 8), (18, 34), (19, 26)]);
    assert_eq!(places("L: x = 1", "L"), [(17, 12), (19, 26)]);
}

#[test]
fn what_can_be_seen_depends_on_the_place() {
    let file = SourceFile::new("p.tw", PROGRAM);
    let index = Index::new(&parse(&file).module);
    let locals = |piece: &str| {
        let at = PROGRAM.find(piece).expect("a piece") as u32;
        index.visible(at).filter(|symbol| matches!(symbol.kind, Kind::Local | Kind::Parameter)).count()
    };
    assert_eq!((locals("goto L"), locals("r = x + a"), locals("const")), (2, 2, 0));
}
