//! Tries the engine.
use std::sync::Arc;
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = threadwise_source::SourceFile::new(&*path, &*text);
        let program = Arc::new(threadwise_front_tw::load(file, &Default::default()).program.unwrap());
        if threadwise_engine_cartesian::applicable(&program).is_err() {
            continue;
        }
        for (name, refine, extract, symmetry) in
            [("default", 0, 0, true), ("nosym", 0, 0, false), ("lazyx", 0, 1, true), ("eager", 1, 0, true)]
        {
            let mut options = threadwise_engine_cartesian::Options::default();
            options.symmetry = symmetry;
            if refine == 1 {
                options.refine = threadwise_engine_cartesian::Refine::Eager
            }
            if extract == 1 {
                options.extract = threadwise_engine_cartesian::Extract::Lazy
            }
            let t = std::time::Instant::now();
            let (claim, stats) = threadwise_engine_cartesian::analyse(
                &program,
                &options,
                &threadwise_limits::Budget::new(Some(std::time::Duration::from_secs(5)), None),
            );
            let what = match claim {
                threadwise_evidence::Claim::Proved(_) => "SAFE".to_string(),
                threadwise_evidence::Claim::Refuted(_) => "UNSAFE".to_string(),
                threadwise_evidence::Claim::Unknown(u) => format!("UNKNOWN {}", u.reason),
                _ => "?".into(),
            };
            println!("{path:40} {name:8} {what:10} {:?} {:?}", stats.0, t.elapsed());
        }
        println!("   {}", text.lines().find(|l| l.contains("expect:")).unwrap_or(""));
    }
}
