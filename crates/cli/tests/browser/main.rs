//! Pages of reports in a real browser: what they show is what the JSON of the same run says.

mod driver;

use driver::{Browser, browser};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Keys by their numbers in the protocol.
const RIGHT: char = '\u{e014}';
const LEFT: char = '\u{e012}';
const HOME: char = '\u{e011}';
const END: char = '\u{e010}';

/// A step of a large trace must be shown within this many milliseconds.
const MOST_MILLISECONDS: f64 = 50.0;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the project is somewhere")
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Verifies a program of the project; gives the page and what JSON says.
fn report(program: &str, name: &str, flags: &[&str]) -> (PathBuf, Value) {
    let page = scratch(&format!("{name}.html"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadwise"));
    command.current_dir(root()).args(["check", "--quiet", "--format", "json", program]).args(flags);
    let output = command.arg("--html").arg(&page).stdin(Stdio::null()).output().expect("it runs");
    let json = serde_json::from_slice(&output.stdout);
    (page, json.unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr))))
}

/// The lane of a step: `P`, `W[2]`, or the name that the program gives its threads.
fn lane(step: &Value) -> String {
    let thread = step["thread"].as_str().expect("a thread");
    match (step["name"].as_str(), step["copy"].as_u64()) {
        (Some(name), _) => name.to_string(),
        (None, Some(copy)) => format!("{thread}[{copy}]"),
        (None, None) => thread.to_string(),
    }
}

/// Compares all that is shown after a step with what JSON says of it.
fn compare_step(browser: &Browser, number: usize, step: &Value) {
    let row = "tr[aria-current]";
    assert_eq!(browser.eval(&format!("document.querySelector('{row}').dataset.step")), number.to_string());
    let heads = browser.texts(".lane-table thead th");
    let cells = browser.texts(&format!("{row} > *"));
    let at = cells[1..cells.len() - 1].iter().position(|cell| !cell.is_empty()).expect("a step in a lane");
    assert_eq!(heads[at + 1], lane(step), "step {number}");
    let place = format!("{}:{}", step["line"], step["column"]);
    assert_eq!(browser.text(&format!("{row} .step .at")), place, "step {number}");
    assert_eq!(browser.text("tr.current .number"), step["line"].to_string(), "step {number}");
    let names = browser.texts(".card.shared tr:not(.absent) th");
    let values = browser.texts(".card.shared tr:not(.absent) .value");
    for (name, value) in step["shared"].as_object().expect("shared variables") {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_string(),
            Value::Array(_) | Value::Object(_) => continue,
            scalar => scalar.to_string(),
        };
        let shown = names.iter().position(|shown| shown == name).map(|at| values[at].as_str());
        assert_eq!(shown, Some(value.as_str()), "{name} after step {number}");
    }
}

/// Clicks through a whole trace.
fn walk(browser: &Browser, page: &Path, json: &Value) {
    browser.open(page, "");
    let steps = json["trace"].as_array().expect("a trace");
    assert_eq!(browser.eval("document.querySelector('tr[aria-current]').dataset.step"), "0");
    for (step, number) in steps.iter().zip(1..) {
        browser.click(&format!("tr[data-step='{number}'] .step"));
        compare_step(browser, number, step);
        assert_eq!(browser.eval("location.hash"), format!("#step={number}"));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_trace_is_walked_through_with_the_mouse() {
    let Some(browser) = browser("mouse") else { return };
    let programs = [
        ("examples/peterson-buggy.tw", vec![]),
        ("crates/cli/tests/programs/unsafe.tw", vec![]),
        ("crates/cli/tests/programs/lost-update.c", vec!["--property", "assertions"]),
        ("crates/cli/tests/programs/deadlock.tw", vec!["--deadlock"]),
    ];
    for (program, flags) in programs {
        let (page, json) = report(program, "walked", &flags);
        assert_eq!(json["verdict"], "unsafe", "{program}");
        walk(&browser, &page, &json);
        assert!(std::fs::metadata(&page).expect("the page").len() < 1 << 20);
    }
}

#[test]
fn a_trace_is_walked_through_with_the_keyboard_and_by_links() {
    let Some(browser) = browser("keyboard") else { return };
    let (page, json) = report("examples/peterson-buggy.tw", "keys", &[]);
    let steps = json["trace"].as_array().expect("a trace");
    browser.open(&page, "#step=2");
    compare_step(&browser, 2, &steps[1]);
    browser.press(RIGHT);
    compare_step(&browser, 3, &steps[2]);
    assert_eq!(browser.eval("location.hash"), "#step=3");
    browser.press(LEFT);
    browser.press(LEFT);
    compare_step(&browser, 1, &steps[0]);
    let said = browser.text("[aria-live]");
    assert!(said.starts_with("Step 1: P1 at 16:8: turn = 1;"), "{said}");
    browser.press(END);
    assert!(browser.text("[aria-live]").contains("forbidden state is reached"));
    assert_eq!(browser.text("tr.failing .number"), json["violation"]["line"].to_string());
    browser.press(HOME);
    assert_eq!(browser.eval("document.querySelector('tr[aria-current]').dataset.step"), "0");
    // Whoever types a filter does not walk.
    browser.type_into("input", "turn");
    browser.press(LEFT);
    assert_eq!(browser.texts(".card.shared tr:not(.filtered) th"), ["turn"]);
    assert_eq!(browser.eval("document.querySelector('tr[aria-current]').dataset.step"), "0");
    browser.click(".toggle");
    assert_eq!(browser.texts(".lane-table thead th:not(.filtered)"), ["step", "P2", "changes"]);
    let unnamed = "[...document.querySelectorAll('button, input')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).length";
    assert_eq!(browser.eval(unnamed), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn races_and_deadlocks_show_both_sides() {
    let Some(browser) = browser("sides") else { return };
    let (page, _) = report("crates/cli/tests/programs/race.tw", "race", &[]);
    browser.open(&page, "#step=99");
    assert_eq!(browser.texts(".race .side strong"), ["Writer", "Reader"]);
    assert_eq!(browser.texts(".race .side code"), ["x = 1;", "t = x;"]);
    assert_eq!(browser.texts("tr.failing .number"), ["6", "12"]);
    assert_eq!(browser.text(".card .locks"), "holds m");
    let (page, json) = report("crates/cli/tests/programs/lock-cycle.tw", "deadlock", &["--deadlock"]);
    browser.open(&page, "#step=99");
    let waiting = json["violation"]["waiting"].as_array().expect("who waits");
    let threads: Vec<&str> = waiting.iter().filter_map(|waiter| waiter["thread"].as_str()).collect();
    assert_eq!(browser.texts(".waiting tbody th"), threads);
    for (waiter, row) in waiting.iter().zip(browser.texts(".waiting tbody tr")) {
        let lock = waiter["lock"].as_str().expect("a lock");
        assert!(row.contains(&format!("waits for {lock}, held by {}", waiter["holder"].as_str().expect("a holder"))));
    }
}

#[test]
fn proofs_stand_beside_the_source() {
    let Some(browser) = browser("proofs") else { return };
    let (page, json) = report("crates/cli/tests/programs/safe.tw", "proof", &["--engine", "modular"]);
    browser.open(&page, "");
    let annotation = json["annotation"].as_array().expect("an annotation");
    assert!(!annotation.is_empty());
    for place in annotation {
        let notes = browser.text(&format!("#line-0-{} .note", place["line"]));
        assert!(notes.contains(place["assertion"].as_str().expect("text")), "{notes}: {place}");
    }
    let rows = json["guarantees"].as_array().expect("guarantees").len();
    assert_eq!(browser.texts(".guarantee tr").len(), rows);
    let (page, json) = report("crates/cli/tests/programs/unreached.tw", "unreached", &[]);
    browser.open(&page, "");
    let lines: Vec<String> =
        json["unreached"].as_array().expect("a list").iter().map(|u| u["line"].to_string()).collect();
    assert_eq!(browser.texts("tr.unreached .number"), lines);
    let (page, json) = report("examples/peterson.tw", "products", &["--engine", "cartesian"]);
    browser.open(&page, "");
    let stores = json["invariant"].as_array().expect("an invariant");
    let products: usize = stores.iter().map(|store| store["products"].as_array().expect("products").len()).sum();
    assert_eq!(browser.texts(".products tr").len(), products);
    assert!(browser.texts(".products .mark").contains(&"exception".to_string()));
    let (page, json) = report("examples/contracts/barrier.tw", "contracts", &["--engine", "contracts"]);
    // Without a solver there is no such proof.
    if json["verdict"] == "safe" {
        browser.open(&page, "");
        browser.click(".conditions summary");
        let conditions = browser.texts(".conditions li");
        // The start, and for each of the two threads its code, its rely and its steps.
        assert_eq!(conditions.len(), 1 + 2 * 3, "{conditions:?}");
        assert!(conditions.iter().any(|line| line.contains("every step of Worker")), "{conditions:?}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_plan_has_links_into_the_source() {
    let Some(browser) = browser("plan") else { return };
    let (page, json) = report("examples/peterson.tw", "plan", &["--engine", "modular"]);
    assert_eq!(json["verdict"], "unknown");
    browser.open(&page, "");
    assert_eq!(browser.texts("ol li").len(), json["advice"].as_array().expect("advice").len());
    browser.click(".reason a");
    assert_eq!(browser.text("tr.asked .number"), "20");
}

#[test]
fn compared_engines_open_their_proofs() {
    let Some(browser) = browser("compare") else { return };
    let page = scratch("compared.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadwise"));
    command.current_dir(root()).args(["compare", "--quiet", "--format", "json", "crates/cli/tests/programs/holder.ts"]);
    let output = command.arg("--html").arg(&page).stdin(Stdio::null()).output().expect("it runs");
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let engines: Vec<&str> =
        json["engines"].as_array().expect("rows").iter().filter_map(|e| e["engine"].as_str()).collect();
    browser.open(&page, "");
    assert_eq!(browser.texts(".comparison tbody th"), engines);
    for (number, engine) in (1..).zip(&engines) {
        browser.click(&format!(".comparison tbody tr:nth-child({number}) button"));
        assert!(browser.text("header .by").starts_with(engine), "{engine}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_program_full_of_markup_stays_text() {
    let Some(browser) = browser("markup") else { return };
    let hostile =
        "// </script><script>document.title = 'broken'</script><img src=x onerror=\"document.title = 'broken'\"> <!--";
    let program = scratch("markup.tw");
    let text = format!("{hostile}\nshared x: 0..3;\nthread P {{ x = 1; assert x != 1, \"</script><b>&amp;\"; }}\n");
    std::fs::write(&program, text).expect("it can be written");
    let (page, json) = report(program.to_str().expect("text"), "markup", &[]);
    assert_eq!(json["verdict"], "unsafe");
    browser.open(&page, "");
    assert_eq!(browser.text("#line-0-1 .code"), hostile);
    assert!(browser.eval("document.title").as_str().expect("a title").starts_with("UNSAFE: "));
    assert_eq!(browser.eval("document.querySelectorAll('main img, main script, main b').length"), 0);
    assert!(browser.text(".ending").contains("message: </script><b>&amp;"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn large_traces_stay_quick() {
    let Some(browser) = browser("large") else { return };
    let program = scratch("large.tw");
    std::fs::write(&program, ring(12, 200)).expect("it can be written");
    let (page, json) = report(program.to_str().expect("text"), "large", &[]);
    let steps = json["trace"].as_array().expect("a trace").len();
    assert_eq!((steps, json["verdict"].as_str()), (200, Some("unsafe")));
    browser.open(&page, "");
    let script = "(() => { const times = []; for (let step = 0; step <= threadwise.last(); step += 1) { \
                  const start = performance.now(); threadwise.go(step); document.body.getBoundingClientRect(); \
                  times.push(performance.now() - start); } return times; })()";
    // A machine with other work loses time anywhere, but not at the same step in every walk: what counts is the best of several.
    let mut times: Vec<f64> = serde_json::from_value(browser.eval(script)).expect("times");
    for _ in 1..5 {
        let again: Vec<f64> = serde_json::from_value(browser.eval(script)).expect("times");
        times.iter_mut().zip(again).for_each(|(best, time)| *best = best.min(time));
    }
    times.sort_by(f64::total_cmp);
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    let bytes = std::fs::metadata(&page).expect("the page").len();
    println!("{} steps: median {median:.1} ms, slowest {slowest:.1} ms; the page has {bytes} bytes", times.len());
    assert!(slowest < MOST_MILLISECONDS, "median {median} ms, slowest {slowest} ms");
    assert!(bytes < 1 << 20);
}

/// All of them wait at one line until the last one has come.
const CROWD: &str = "shared here: 0..14;\nthread Boss { await here == 14; assert false; }\n\
                     thread Worker[14] { atomic { await here < 14; here = here + 1; }\n  await false;\n}\n";

#[test]
fn many_threads_at_one_line_are_one_mark() {
    let Some(browser) = browser("crowd") else { return };
    let program = scratch("crowd.tw");
    std::fs::write(&program, CROWD).expect("it can be written");
    let (page, json) = report(program.to_str().expect("text"), "crowd", &["--engine", "hunt"]);
    let steps = json["trace"].as_array().expect("a trace").len();
    browser.open(&page, &format!("#step={steps}"));
    assert_eq!(browser.texts("#line-0-4 .chip.thread"), ["W1–W14"]);
    assert_eq!(browser.eval("document.querySelector('#line-0-4 .chip').title"), "Worker[1] to Worker[14] are here");
    // Whoever is hidden is not in the mark.
    browser.click(".toggle:nth-child(8)");
    assert_eq!(browser.texts("#line-0-4 .chip.thread"), ["W1–W6", "W8–W14"]);
    let covers = "[...document.querySelectorAll('.chip')].some((chip) => chip.getBoundingClientRect().right > \
                  chip.closest('tr').querySelector('.number').getBoundingClientRect().left + 1)";
    assert_eq!(browser.eval(covers), false);
}

/// What stands outside of its box, outside of the paper, or over what comes next.
const OUTSIDE: &str = "(() => { \
    const boxes = [...document.querySelectorAll('.source-files, .lanes, .state, .panel')].filter((box) => box.offsetParent); \
    const out = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1); \
    const wide = [...document.querySelectorAll('.step, .changes code, .code code')].filter((e) => e.getBoundingClientRect().right > innerWidth); \
    return [...out, ...wide].map((e) => e.className + ': ' + e.textContent.slice(0, 40)); })()";

#[test]
fn paper_shows_all_of_a_trace() {
    let Some(browser) = browser("paper") else { return };
    let program = scratch("crowd-on-paper.tw");
    std::fs::write(&program, CROWD).expect("it can be written");
    let (many, json) = report(program.to_str().expect("text"), "crowd-on-paper", &["--engine", "hunt"]);
    let (few, _) = report("examples/c/bank-buggy.c", "bank-on-paper", &["--property", "assertions"]);
    let (proof, _) = report("tests/corpus/data/spsc-ring.tw", "ring-on-paper", &["--engine", "modular"]);
    for page in [&many, &few, &proof] {
        browser.open(page, "#step=3");
        browser.paper(700);
        assert_eq!(browser.eval(OUTSIDE), serde_json::json!([]), "{}", page.display());
    }
    // A long assertion is told in brief; who wants all of it opens it.
    browser.open(&proof, "");
    let assertion = "#line-0-13 .assertion > code";
    assert!(
        browser.text(assertion).ends_with("… }") && browser.text(assertion).len() < 400,
        "{}",
        browser.text(assertion)
    );
    assert!(browser.eval("document.querySelector('#line-0-13 .exactly code').textContent.length").as_u64() > Some(600));
    // Fifteen lanes do not fit beside each other: each step has its thread's name before it.
    browser.open(&many, "#step=3");
    browser.paper(700);
    let names = "[...document.querySelectorAll('.many td.lane')].filter((cell) => cell.offsetParent).map((cell) => cell.dataset.thread)";
    let steps = json["trace"].as_array().expect("a trace");
    let mut expected: Vec<String> = steps.iter().map(lane).collect();
    expected.push("Boss".to_string());
    assert_eq!(browser.eval(names), serde_json::json!(expected));
}

/// Threads that take turns, until so many turns have been taken.
fn ring(threads: usize, turns: usize) -> String {
    let mut text = format!("shared turn: 0..{};\nshared taken: 0..{turns};\n", threads - 1);
    for thread in 0..threads {
        let next = (thread + 1) % threads;
        text.push_str(&format!(
            "thread T{thread} {{\n  var mine: 0..{turns};\n  loop {{\n    atomic {{ await turn == {thread} && taken < {turns}; \
             turn = {next}; taken = taken + 1; mine = taken; }}\n  }}\n}}\n"
        ));
    }
    text + &format!("never taken == {turns};\n")
}

/// Both colour schemes, as pictures: `PICTURES=overwrite` puts them into the documentation.
#[test]
fn pages_are_drawn_in_both_colour_schemes() {
    let Some(browser) = browser("pictures") else { return };
    let (trace, _) = report("examples/c/bank-buggy.c", "picture-trace", &["--property", "assertions"]);
    let (proof, _) = report("crates/cli/tests/programs/safe.tw", "picture-proof", &["--engine", "modular"]);
    for (page, hash, name) in [(&trace, "#step=9", "trace-page"), (&proof, "", "proof-page")] {
        let mut backgrounds = Vec::new();
        for scheme in ["light", "dark"] {
            browser.colours(scheme);
            browser.open(page, hash);
            backgrounds.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
            let picture = browser.picture();
            assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000, "{name} {scheme}");
            let directory = match std::env::var("PICTURES").as_deref() {
                Ok("overwrite") => root().join("docs/pictures"),
                _ => scratch(""),
            };
            std::fs::write(directory.join(format!("{name}-{scheme}.png")), picture).expect("it can be written");
        }
        assert_ne!(backgrounds[0], backgrounds[1]);
    }
}
