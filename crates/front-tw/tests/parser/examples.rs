//! Every program in `examples/` parses, and printing it keeps its meaning.

use crate::common::{assert_round_trip, programs_under};
use std::path::Path;
use threadwise_diagnostics::render;
use threadwise_front_tw::parse;
use threadwise_source::SourceFile;

#[test]
fn examples_parse_and_print() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut complaints = Vec::new();
    for path in programs_under(&folder) {
        let text = std::fs::read_to_string(&path).expect("examples are readable text");
        let file = SourceFile::new(path.display().to_string(), text);
        let parsed = parse(&file);
        if parsed.diagnostics.is_empty() {
            assert_round_trip(&file);
        } else {
            complaints.push(render(&file.clone().into(), &parsed.diagnostics, false));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}
