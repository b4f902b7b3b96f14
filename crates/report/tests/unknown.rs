//! How an UNKNOWN reads when the engine has much to say.

use std::sync::Arc;
use threadwise_claims::{Advice, Stats, Unknown};
use threadwise_front_tw::Options;
use threadwise_report::{Layout, Report, human, json};
use threadwise_source::SourceFile;
use threadwise_verdict::Verdict;

fn with_report<T>(use_it: impl Fn(&Report) -> T) -> T {
    let source = SourceFile::new("test.tw", "thread P { skip; }\n");
    let program = threadwise_front_tw::load(source, &Options::default()).program.expect("the program is correct");
    let verdict = Verdict::unknown(Unknown {
        reason: "two threads may both be at `critical`:\nP1 at 4:5 with x = 1\nP2 at 9:5 with x = 1".to_string(),
        advice: vec![
            Advice::Hint("share where P1 is, for example:\nshared at: 0..1;\natomic { x = 1; at = 1; }".to_string()),
            Advice::Hint("try another engine".to_string()),
        ],
    });
    use_it(&Report {
        program: &Arc::new(program),
        verdict: &verdict,
        properties: &[],
        engine: "modular",
        chosen: None,
        modular: None,
        proof: None,
        symmetric: false,
        stats: &Stats::of(vec![("thread_states", 7)]),
        attempts: &[],
        unreached: &[],
        seconds: 0.5,
        peak_memory_bytes: 0,
    })
}

#[test]
fn lines_of_a_reason_and_of_advice_stay_apart() {
    let layout = Layout { width: None, color: false, whole: false };
    let text = with_report(|report| human(report, &layout));
    let expected = "\
UNKNOWN: two threads may both be at `critical`

  because   P1 at 4:5 with x = 1
            P2 at 9:5 with x = 1
  reached   7 thread states
  try       share where P1 is, for example:
              shared at: 0..1;
              atomic { x = 1; at = 1; }
            try another engine
  engine    modular
  effort    0.50 s
";
    assert_eq!(text, expected);
}

#[test]
fn long_advice_is_wrapped() {
    let layout = Layout { width: Some(32), color: false, whole: false };
    let text = with_report(|report| human(report, &layout));
    assert!(text.contains("  try       share where P1 is,\n              for example:\n"), "{text}");
}

#[test]
fn json_keeps_the_text_as_it_is() {
    let json = with_report(json);
    assert!(json.annotation.is_empty() && json.guarantees.is_empty());
    assert_eq!(json.advice.len(), 2);
    assert!(json.advice[0].contains("\natomic {"));
}
