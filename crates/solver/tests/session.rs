//! Conversations with a real solver, and with things that only look like one.

use std::time::{Duration, Instant};
use threadwise_limits::{Budget, Limit};
use threadwise_logic::{Numbered, SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, SolverCommand, SolverError, run_script};
use threadwise_solver_setup::solver_for_tests;

fn session(settings: Settings) -> Session {
    Session::start(&solver_for_tests(), settings, &Budget::unlimited()).expect("the solver starts")
}

fn undeclared() -> Term {
    Term::constant("undeclared", SmtSort::Bool)
}

/// Something that is not a solver: a shell with this script.
fn impostor(script: &str) -> SolverCommand {
    SolverCommand { program: "/bin/sh".into(), args: vec!["-c".to_string(), script.to_string()] }
}

#[test]
fn assertions_models_and_levels() {
    let mut session = session(Settings::default());
    let x = session.declare("x", &SmtSort::Int);
    session.assert(&Term::int(3).lt(&x));
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert!(session.values(std::slice::from_ref(&x)).expect("a model")[0].scalar().expect("a number") > 3);
    session.push();
    session.assert(&x.le(Term::int(-3)));
    assert_eq!(session.check(), Ok(Answer::Unsat));
    session.pop();
    session.assert(&x.le(Term::int(4)));
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(session.values(&[x.clone(), x.negate()]).expect("a model")[1].scalar(), Some(-4));
    assert_eq!(session.refute(&x.equals(Term::int(4))), Ok(Answer::Unsat));
    assert_eq!(session.effort().queries, 4);
    assert_eq!(session.effort().starts, 1);
}

#[test]
fn several_questions_at_once_do_not_see_each_other() {
    let mut session = session(Settings::default());
    let x = session.declare("x", &SmtSort::Int);
    session.assert(&Term::int(3).lt(&x));
    let questions = [x.le(Term::int(3)), x.le(Term::int(4)), Term::int(4).lt(&x)];
    assert_eq!(session.check_each(&questions, &Numbered), Ok(vec![Answer::Unsat, Answer::Sat, Answer::Sat]));
    assert_eq!(session.check_each(&[], &Numbered), Ok(Vec::new()));
    assert_eq!(session.effort().queries, 3);
    assert!(matches!(session.check_each(&[undeclared()], &Numbered), Err(SolverError::Protocol(_))));
}

#[test]
fn assumptions_and_cores() {
    let mut session = session(Settings { cores: true, ..Settings::default() });
    let (p, q) = (session.declare("p", &SmtSort::Bool), session.declare("q", &SmtSort::Bool));
    session.assert_named(&p.implies(&q), "first");
    session.assert_named(&p, "second");
    assert_eq!(session.check_assuming(std::slice::from_ref(&q)), Ok(Answer::Sat));
    session.assert_named(&q.not(), "third");
    assert_eq!(session.check(), Ok(Answer::Unsat));
    let mut core = session.core().expect("a core");
    core.sort();
    assert_eq!(core, ["first", "second", "third"]);
}

#[test]
fn a_mistake_is_an_error_value() {
    let mut session = session(Settings::default());
    session.assert(&undeclared());
    assert!(matches!(session.check(), Err(SolverError::Protocol(text)) if text.contains("undeclared")));
}

/// Integers x, y, z > 0 with x³ + y³ = z³: there are none, and no solver finds that out quickly.
const HARD: &str = "(declare-const x Int)(declare-const y Int)(declare-const z Int)
    (assert (and (> x 0) (> y 0) (> z 0) (= (+ (* x x x) (* y y y)) (* z z z))))";

#[test]
fn a_solver_that_takes_too_long_is_killed_and_replaced() {
    let timeout = Duration::from_millis(300);
    let mut session = session(Settings { timeout, ..Settings::default() });
    let p = session.declare("p", &SmtSort::Bool);
    session.assert(&p);
    session.push();
    session.tell(HARD);
    let started = Instant::now();
    assert_eq!(session.check(), Err(SolverError::Timeout(timeout)));
    assert!(started.elapsed() < Duration::from_secs(5));
    session.pop();
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(session.refute(&p), Ok(Answer::Unsat), "the new solver knows what the old one was told");
    assert_eq!(session.effort().starts, 2);
    let limited = run_script(&solver_for_tests(), &format!("{HARD}(check-sat)"), timeout, None, &Budget::unlimited());
    assert_eq!(limited, Err(SolverError::Timeout(timeout)));
}

#[test]
fn the_budget_of_the_run_counts_too() {
    let limit = Duration::from_millis(400);
    let budget = Budget::new(Some(limit), None);
    let mut session = Session::start(&solver_for_tests(), Settings::default(), &budget).expect("the solver starts");
    session.tell(HARD);
    assert_eq!(session.check(), Err(SolverError::Limit(Limit::Time(limit))));
}

#[test]
fn memory_is_limited() {
    // A shell that answers the greeting, then doubles a string for ever.
    let greedy =
        "while read l; do case $l in *answer-1*) break;; esac; done; echo answer-1; x=1; while :; do x=$x$x; done";
    let settings = Settings { memory: Some(64 << 20), ..Settings::default() };
    let mut session = Session::start(&impostor(greedy), settings, &Budget::unlimited()).expect("it greets");
    assert_eq!(session.check(), Err(SolverError::Memory(64 << 20)));
}

#[test]
fn solvers_that_die_or_talk_nonsense_are_errors() {
    let budget = Budget::unlimited();
    let start = |script| Session::start(&impostor(script), Settings::default(), &budget).map(|_| ());
    assert_eq!(start("echo no licence >&2; exit 3"), Err(SolverError::Died("no licence".to_string())));
    let nowhere = SolverCommand { program: "/nowhere/z3".into(), args: Vec::new() };
    assert!(matches!(Session::start(&nowhere, Settings::default(), &budget), Err(SolverError::Missing(_))));
    let nonsense = "n=1; while read line; do case $line in *echo*) echo maybe; echo answer-$n; n=$((n+1));; esac; done";
    let mut session = Session::start(&impostor(nonsense), Settings::default(), &budget).expect("it answers");
    assert!(matches!(session.check(), Err(SolverError::Protocol(text)) if text.contains("maybe")));
}

/// Whatever it says, little of it is kept.
#[test]
fn a_solver_that_says_too_much_is_an_error() {
    // It takes a slow machine a while to say so much.
    let settings = || Settings { timeout: Duration::from_secs(300), ..Settings::default() };
    for flood in ["yes sat", "tr '\\0' x < /dev/zero"] {
        let error = Session::start(&impostor(flood), settings(), &Budget::unlimited()).map(|_| ());
        assert!(matches!(&error, Err(SolverError::Protocol(text)) if text.contains("more than 64 MiB")), "{error:?}");
    }
    // Complaints do not stop it, and only the last is kept.
    let complains = "head -c 10000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo no licence >&2; exit 3";
    let error = Session::start(&impostor(complains), settings(), &Budget::unlimited()).map(|_| ());
    assert_eq!(error, Err(SolverError::Died("no licence".to_string())));
}

/// The user is told the beginning of it.
#[test]
fn long_nonsense_is_cut() {
    let nonsense = "n=1; while read line; do case $line in *echo*) head -c 4000000 /dev/zero | tr '\\0' x; echo;
        echo answer-$n; n=$((n+1));; esac; done";
    let mut session =
        Session::start(&impostor(nonsense), Settings::default(), &Budget::unlimited()).expect("it answers");
    let error = session.check().expect_err("it is nonsense");
    let text = error.to_string();
    assert!(text.contains("`xxxx") && text.len() < 1000, "{} bytes", text.len());
}

/// Solvers may start processes of their own, which must not be left behind.
#[cfg(target_os = "linux")]
#[test]
fn a_solver_ends_with_all_that_it_started() {
    let note = std::env::temp_dir().join(format!("threadwise-solver-child-{}", std::process::id()));
    let busy = format!("sleep 1000 & echo $! > {}; wait", note.display());
    let settings = Settings { timeout: Duration::from_secs(5), ..Settings::default() };
    let error = Session::start(&impostor(&busy), settings, &Budget::unlimited()).map(|_| ());
    assert!(matches!(error, Err(SolverError::Timeout(_))), "{error:?}");
    let child = std::fs::read_to_string(&note).expect("the child was started");
    std::fs::remove_file(&note).expect("it is ours");
    // It takes a moment to end, and nobody may have asked how it ended.
    let is_running = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let started = Instant::now();
    while is_running() {
        assert!(started.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn whole_scripts() {
    let horn = "(set-logic HORN)(declare-fun inv (Int) Bool)
        (assert (forall ((x Int)) (=> (= x 0) (inv x))))
        (assert (forall ((x Int)) (=> (and (inv x) (< x 10)) (inv (+ x 1)))))
        (assert (forall ((x Int)) (=> (inv x) (<= x 10))))
        (check-sat)";
    let output = run_script(&solver_for_tests(), horn, Duration::from_secs(20), None, &Budget::unlimited());
    assert_eq!(output.expect("an answer").trim(), "sat");
}
