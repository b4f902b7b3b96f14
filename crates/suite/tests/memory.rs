//! How much memory a large program takes, as the operating system counts it. Alone in its process: other tests would
//! be counted too.

use threadwise_front_tw::{Options, load};
use threadwise_limits::memory_in_use;
use threadwise_source::SourceFile;

/// Assignments, tests and assertions, unrolled: five edges for each round.
const TEXT: &str = "
shared x: int;
shared y: 0..10;
thread P {
    var t: int;
    for i in 1..50000 {
        x = x + 1;
        if (x > i) { y = 2; }
        assert x >= 0;
    }
}";

#[test]
fn a_million_edges_take_well_under_500_megabytes() {
    let before = memory_in_use();
    let program = load(SourceFile::new("many.tw", TEXT), &Options::default()).program.expect("it is a program");
    let edges = program.edges.len() as u64;
    let per_edge = (memory_in_use() - before) / edges;
    println!("{per_edge} bytes for each of {edges} edges, with its location");
    assert!(edges >= 200_000, "{edges}");
    assert!(per_edge < 450, "{per_edge}");
}
