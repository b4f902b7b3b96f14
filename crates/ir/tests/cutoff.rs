//! How many copies stand for more.

use std::sync::Arc;
use threadwise_ir::{Cutoff, EnumDef, EnumId, Initial, Program, SharedVar, Sort};
use threadwise_source::{SourceMap, Span};

fn cutoff_with(sort: Sort, members: usize) -> u32 {
    let mut program = Program::empty(Arc::new(SourceMap::default()));
    program.enums.push(EnumDef { name: "E".into(), members: (0..members).map(|i| format!("m{i}").into()).collect() });
    program.shared.push(SharedVar { name: "a".into(), sort, init: Initial::Default, span: Span::default() });
    match program.cutoff() {
        Cutoff::At(copies) => copies,
        Cutoff::None(reason) => panic!("there is a cutoff: {reason}"),
    }
}

/// Each thread that the store can name at the same time has to be among the copies, and two more.
#[test]
fn there_is_room_for_all_threads_that_the_store_names() {
    assert_eq!(cutoff_with(Sort::Int, 0), 2);
    assert_eq!(cutoff_with(Sort::Tid, 0), 3);
    assert_eq!(cutoff_with(Sort::array(Sort::Bool, Sort::Tid), 0), 4);
    assert_eq!(cutoff_with(Sort::array(Sort::Range(-1, 3), Sort::Tid), 0), 7);
    let over_enum = || Sort::array(Sort::Enum(EnumId(0)), Sort::Tid);
    assert_eq!(cutoff_with(over_enum(), 3), 5);
    assert_eq!(cutoff_with(over_enum(), 300), 302);
    assert_eq!(cutoff_with(Sort::array(Sort::Bool, over_enum()), 300), 602);
}
