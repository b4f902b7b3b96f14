//! The rules that programs with memory keep: what a front end that breaks one is told.

use threadwise_front_c::{Options, load};
use threadwise_memory::code::{Code, Type};
use threadwise_memory::well_formed::fault;
use threadwise_source::SourceFile;

fn faulty(change: impl FnOnce(&mut Code)) -> Option<String> {
    let text = "struct s { int a[2]; } v; int f(int x) { return x; } int main(void) { v.a[1] = f(3); return 0; }";
    let mut code = load(vec![SourceFile::new("f.i", text)], &Options::default()).code.expect("it is right");
    change(&mut code);
    fault(&code)
}

#[test]
fn broken_rules_are_found() {
    assert_eq!(faulty(|_| {}), None);
    let pointer = faulty(|code| code.functions[1].locals[0].ty = Type::Pointer).expect("the type is wrong");
    assert!(pointer.contains("in main: Int(") && pointer.ends_with("for x of f"), "{pointer}");
    assert!(faulty(|code| code.functions[0].result = Type::Void).is_some());
    assert!(faulty(|code| code.structs[0].fields.clear()).is_some());
    assert!(faulty(|code| code.globals.clear()).is_some());
}
