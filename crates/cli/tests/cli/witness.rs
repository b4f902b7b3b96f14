//! Verification witnesses: what is written is validated from the file alone, and what was tampered with is not.

use crate::runner::{Said, arg, run, scratch};
use std::path::PathBuf;
use threadwise_witness::{Content, Waypoint, WaypointKind, Witness, from_yaml, lint, to_yaml};

/// Checks a program and keeps the witness.
fn witness_of(program: &str, property: &str, name: &str) -> (Said, PathBuf, Witness) {
    let path = scratch(name);
    let said = run(&["check", program, "--property", property, "--witness", arg(&path), "--format", "svcomp"]);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no witness: {}", said.stderr));
    let witness = from_yaml(&text).expect("what is written can be read");
    assert_eq!(to_yaml(&witness), text, "what is read says the same");
    (said, path, witness)
}

fn segments(witness: &mut Witness) -> &mut Vec<Vec<Waypoint>> {
    match &mut witness.entries[0].content {
        Content::Violation(segments) => segments,
        other => panic!("{other:?} is no violation"),
    }
}

#[test]
fn violations_are_validated_from_the_file_alone() {
    let cases = [
        ("lost-update.c", "assertions", "false(unreach-call)\n"),
        ("lost-update.c", "races", "false(no-data-race)\n"),
        ("list.c", "assertions", "false(unreach-call)\n"),
        ("bank.c", "races", "false(no-data-race)\n"),
        ("../../../../examples/c/refcount-buggy.c", "memory", "false(valid-deref)\n"),
        ("sum.c", "overflow", "false(no-overflow)\n"),
    ];
    for (number, (program, property, verdict)) in cases.into_iter().enumerate() {
        let (said, path, witness) = witness_of(program, property, &format!("violation{number}.yml"));
        assert_eq!((said.code, said.stdout.as_str()), (10, verdict), "{program}");
        assert_eq!(lint(&witness), [""; 0], "{program}");
        let audit = run(&["audit", program, arg(&path)]);
        assert_eq!((audit.code, audit.stderr.as_str()), (0, ""), "{program} {property}: {}", audit.stdout);
        assert!(audit.stdout.starts_with("CONFIRMED\n"), "{}", audit.stdout);
        // What a file is its text says, whatever it is called.
        let renamed = path.with_extension("witness");
        std::fs::rename(&path, &renamed).expect("it can be renamed");
        assert_eq!(run(&["audit", program, arg(&renamed)]).stdout.lines().next(), Some("CONFIRMED"));
    }
}

#[test]
fn a_race_has_two_targets_and_threads_are_counted_as_they_are_created() {
    let (_, _, mut witness) = witness_of("lost-update.c", "races", "two-targets.yml");
    let segments = segments(&mut witness);
    let last = segments.last().expect("there is a last segment");
    // Both stand before `hits = hits + 1;`, in whatever order.
    assert!(last.iter().all(|w| (w.kind, w.location.line, w.location.column) == (WaypointKind::Target, 8, Some(3))));
    let mut threads: Vec<_> = last.iter().map(|w| w.thread).collect();
    threads.sort_unstable();
    assert_eq!(threads, [Some(0), Some(1)]);
    // The creation is a call that is entered, at its closing parenthesis.
    let creation = &segments[0][0];
    assert_eq!((creation.kind, creation.thread), (WaypointKind::FunctionEnter, Some(0)));
    assert_eq!((creation.location.line, creation.location.column), (14, Some(35)));
}

#[test]
fn the_same_program_gives_the_same_witness() {
    let (_, first, _) = witness_of("lost-update.c", "assertions", "once.yml");
    let (_, second, _) = witness_of("lost-update.c", "assertions", "twice.yml");
    assert_eq!(std::fs::read(first).expect("it is there"), std::fs::read(second).expect("it is there"));
}

/// Changes a witness.
type Mutation = fn(&mut Witness);

#[test]
fn a_violation_that_was_tampered_with_is_not_confirmed() {
    let mutations: [(&str, i32, Mutation); 7] = [
        ("hash", 2, |w| w.entries[0].metadata.task.files[0].1 = "0".repeat(64)),
        ("specification", 10, |w| {
            w.entries[0].metadata.task.specification = threadwise_witness::specification("memory")
        }),
        // `other` does not run main's statements.
        ("thread", 10, |w| segments(w).last_mut().expect("a target")[0].thread = Some(1)),
        ("line", 10, |w| segments(w).last_mut().expect("a target")[0].location.line = 16),
        ("no such thread", 10, |w| segments(w)[0][0].thread = Some(3)),
        // A thread cannot be created twice by one call that is executed once.
        ("twice", 10, |w| {
            let creation = segments(w)[0].clone();
            segments(w).insert(1, creation);
        }),
        ("order", 10, |w| {
            let creation = segments(w).remove(0);
            let last = segments(w).len() - 1;
            segments(w).insert(last, creation);
        }),
    ];
    let (_, _, witness) = witness_of("lost-update.c", "assertions", "tampered.yml");
    for (name, code, mutate) in mutations {
        let mut wrong = witness.clone();
        mutate(&mut wrong);
        let path = scratch(&format!("tampered-{}.yml", name.replace(' ', "-")));
        std::fs::write(&path, to_yaml(&wrong)).expect("it can be written");
        let audit = run(&["audit", "lost-update.c", arg(&path), "--timeout", "20"]);
        assert_eq!(audit.code, code, "{name}: {}{}", audit.stdout, audit.stderr);
    }
}

#[test]
fn what_is_no_witness_is_told_with_its_line() {
    let (_, path, _) = witness_of("lost-update.c", "races", "damaged.yml");
    let text = std::fs::read_to_string(&path).expect("it is there");
    let cases = [
        ("function_enter", "function_left", "waypoints of the type `function_left` are not known here"),
        ("action: follow", "action: ignore", "there is no action `ignore`"),
        ("    uuid:", "    name:", "`uuid` is missing"),
        ("violation_sequence", "violation", "entries of the type `violation` are not known here"),
    ];
    for (from, to, message) in cases {
        std::fs::write(&path, text.replace(from, to)).expect("it can be written");
        let audit = run(&["audit", "lost-update.c", arg(&path)]);
        assert_eq!(audit.code, 2, "{}", audit.stdout);
        assert!(audit.stderr.contains(message) && audit.stderr.contains("line "), "{}", audit.stderr);
    }
}

#[test]
fn rules_that_are_broken_are_found() {
    let (_, _, witness) = witness_of("lost-update.c", "races", "rules.yml");
    let broken = |mutate: Mutation| {
        let mut wrong = witness.clone();
        mutate(&mut wrong);
        lint(&wrong)
    };
    let cases: [(Mutation, &str); 8] = [
        (|w| w.entries[0].metadata.format_version = "2.0".to_string(), "what it says needs format version 2.2"),
        (|w| w.entries[0].metadata.uuid = "1".to_string(), "the uuid is none"),
        (|w| w.entries[0].metadata.creation_time = "yesterday".to_string(), "the creation time is not one"),
        (|w| w.entries[0].metadata.task.files.clear(), "there is no input file"),
        (|w| w.entries[0].metadata.task.data_model = "LP16".to_string(), "the data model is neither"),
        (|w| segments(w)[0][0].location.file_name = "other.c".to_string(), "`other.c` is none of the input files"),
        (|w| segments(w).iter_mut().flatten().for_each(|w| w.is_followed = false), "a segment has nothing to follow"),
        (
            |w| {
                let mut again = w.entries[0].clone();
                again.metadata.format_version = "2.1".to_string();
                w.entries.push(again);
            },
            "the entries have different format versions",
        ),
    ];
    for (mutate, message) in cases {
        assert!(broken(mutate).iter().any(|rule| rule.contains(message)), "{message}: {:?}", broken(mutate));
    }
}

#[test]
fn a_model_has_no_witness() {
    let path = scratch("model.yml");
    let said = run(&["check", "unsafe.tw", "--witness", arg(&path)]);
    assert!(said.stderr.contains("there are witnesses of C programs only"), "{}", said.stderr);
    assert_eq!(said.code, 2);
}

fn invariants(witness: &mut Witness) -> &mut Vec<threadwise_witness::Invariant> {
    match &mut witness.entries[0].content {
        Content::Invariants(all) => all,
        other => panic!("{other:?} are no invariants"),
    }
}

fn audit_of(witness: &Witness, program: &str, name: &str) -> Said {
    let path = scratch(name);
    std::fs::write(&path, to_yaml(witness)).expect("it can be written");
    run(&["audit", program, arg(&path), "--timeout", "30"])
}

#[test]
fn a_proof_says_what_holds_while_nobody_has_the_lock() {
    let (said, _, mut witness) = witness_of("used.c", "assertions", "used.yml");
    assert_eq!((said.code, said.stdout.as_str()), (0, "true\n"));
    assert_eq!(lint(&witness), [""; 0]);
    let before_lock =
        invariants(&mut witness).iter().find(|one| one.location.line == 10).expect("one of line 10").clone();
    assert!(before_lock.value.ends_with("(m_locked || used == 0)"), "{}", before_lock.value);
    let of_loop = invariants(&mut witness).iter().find(|one| one.is_loop).expect("one of the loop").clone();
    assert_eq!((of_loop.location.line, of_loop.location.column), (21, Some(3)));
    assert!(of_loop.value.contains("0 <= rounds && rounds <= 3"), "{}", of_loop.value);
    let ghosts = witness.entries[1].ghosts().expect("there are ghosts");
    let lines: Vec<(u32, &str)> =
        ghosts.updates.iter().map(|update| (update.location.line, update.updates[0].1.as_str())).collect();
    // Locked in lines 10 and 23, unlocked in 13 and 25.
    assert_eq!(lines, [(10, "1"), (23, "1"), (13, "0"), (25, "0")]);
}

#[test]
fn proofs_of_all_engines_are_validated_from_the_file_alone() {
    for engine in ["explicit", "modular", "cartesian", "intervals"] {
        let path = scratch(&format!("used-{engine}.yml"));
        let flags = ["--property", "assertions", "--engine", engine, "--witness", arg(&path)];
        let said = run(&[&["check", "used.c"][..], &flags].concat());
        assert_eq!(said.code, 0, "{engine}: {}{}", said.stdout, said.stderr);
        let witness = from_yaml(&std::fs::read_to_string(&path).expect("there is a witness")).expect("it can be read");
        assert_eq!(lint(&witness), [""; 0], "{engine}");
        assert!(witness.entries[0].invariants().len() > 3, "{engine}");
        let audit = run(&["audit", "used.c", arg(&path)]);
        assert!(audit.code == 0 && audit.stdout.starts_with("CONFIRMED\n"), "{engine}: {}", audit.stdout);
    }
    // A proof without values has something to say all the same, and other properties have witnesses too.
    for property in ["races", "memory", "locks"] {
        let (_, path, witness) = witness_of("used.c", property, &format!("used-{property}.yml"));
        assert_eq!(lint(&witness), [""; 0], "{property}");
        let audit = run(&["audit", "used.c", arg(&path)]);
        assert_eq!(audit.code, 0, "{property}: {}{}", audit.stdout, audit.stderr);
    }
}

#[test]
fn a_proof_by_locks_says_where_they_are_held() {
    let (_, _, mut witness) = witness_of("used.c", "races", "held.yml");
    let said: Vec<(u32, &str)> =
        witness.entries[0].invariants().iter().map(|one| (one.location.line, one.value.as_str())).collect();
    // What stands between taking the lock and giving it back, in `guest` and in `main`; what a macro makes, as the assertion in
    // line 24, has no place of its own.
    assert_eq!(said, [(11, "m_locked"), (12, "m_locked"), (13, "m_locked"), (25, "m_locked")]);
    let first = &mut invariants(&mut witness)[0];
    first.value = format!("!{}", first.value);
    let audit = audit_of(&witness, "used.c", "not-held.yml");
    assert_eq!(audit.code, 10, "{}", audit.stdout);
}

#[test]
fn a_proof_that_was_tampered_with_is_refuted() {
    let (_, _, witness) = witness_of("used.c", "assertions", "tampered-proof.yml");
    let mutations: [(&str, Mutation); 5] = [
        ("stronger", |w| invariants(w).iter_mut().for_each(|one| one.value = "used == 0".to_string())),
        ("without ghost", |w| {
            invariants(w).iter_mut().for_each(|one| one.value = one.value.replace("m_locked ||", "0 ||"))
        }),
        ("loop", |w| {
            invariants(w).iter_mut().for_each(|one| one.value = one.value.replace("rounds <= 3", "rounds <= 2"))
        }),
        ("ghost never set", |w| match &mut w.entries[1].content {
            Content::Ghosts(ghosts) => ghosts.updates.retain(|update| update.updates[0].1 == "0"),
            _ => panic!("the second entry has the ghosts"),
        }),
        ("wrong place", |w| {
            invariants(w).iter_mut().filter(|one| one.location.line == 11).for_each(|one| one.location.line = 12)
        }),
    ];
    for (name, mutate) in mutations {
        let mut wrong = witness.clone();
        mutate(&mut wrong);
        assert_ne!(wrong, witness, "{name}");
        let audit = audit_of(&wrong, "used.c", &format!("proof-{}.yml", name.replace(' ', "-")));
        assert_eq!(audit.code, 10, "{name}: {}", audit.stdout);
        assert!(
            audit.stdout.starts_with("REFUTED: `") && audit.stdout.contains("does not always hold"),
            "{}",
            audit.stdout
        );
    }
}

#[test]
fn a_proof_of_a_wrong_program_is_refuted_with_a_trace() {
    let (_, _, mut witness) = witness_of("used.c", "assertions", "wrong-program.yml");
    let hash = threadwise_witness::sha256(
        &std::fs::read(crate::runner::programs().join("lost-update.c")).expect("it is there"),
    );
    let place = threadwise_witness::Location {
        file_name: "lost-update.c".to_string(),
        line: 14,
        column: Some(3),
        function: Some("main".to_string()),
    };
    witness.entries.truncate(1);
    witness.entries[0].metadata.task.files = vec![("lost-update.c".to_string(), hash)];
    *invariants(&mut witness) =
        vec![threadwise_witness::Invariant { is_loop: false, location: place, value: "hits == 0".to_string() }];
    let audit = audit_of(&witness, "lost-update.c", "wrong-program-2.yml");
    assert_eq!(audit.code, 10, "{}", audit.stdout);
    assert!(audit.stdout.starts_with("REFUTED: the program itself goes wrong\n"), "{}", audit.stdout);
    assert!(audit.stdout.contains("assertion fails"), "{}", audit.stdout);
}

#[test]
fn what_a_call_does_is_not_said_of_the_statement_that_it_stands_in() {
    let (said, path, _) = witness_of("calls.c", "assertions", "calls.yml");
    assert_eq!((said.code, said.stdout.as_str()), (0, "true\n"));
    let audit = run(&["audit", "calls.c", arg(&path)]);
    assert_eq!(audit.code, 0, "{}", audit.stdout);
}
