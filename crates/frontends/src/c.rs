use crate::frontend::{Frontend, Loaded, Question};
use crate::options::{DEFINE, FrontendOption, Options};
use std::sync::Arc;
use threadwise_front_c::{DataModel, Preprocessing};
use threadwise_limits::Budget;
use threadwise_memory::Checks;
use threadwise_source::{Diagnostic, SourceFile};

/// Programs in C.
pub(crate) struct C;

pub(crate) static DATA_MODEL: FrontendOption = FrontendOption {
    short: None,
    long: "data-model",
    value_name: Some("MODEL"),
    help: "How large the types of C are: ILP32 or LP64 (the default)",
    subject: "data model",
    check: |text| match text {
        "ILP32" | "LP64" => Ok(()),
        _ => Err("there are ILP32 and LP64".to_string()),
    },
};

static INCLUDE: FrontendOption = FrontendOption {
    short: Some('I'),
    long: "include",
    value_name: Some("DIR"),
    help: "Look for headers of C programs here; may be given several times",
    subject: "headers",
    check: |_| Ok(()),
};

static CPP: FrontendOption = FrontendOption {
    short: None,
    long: "cpp",
    value_name: Some("CMD"),
    help: "The command that preprocesses C programs; without it `$CC -E`, or `cc -E`",
    subject: "preprocessor",
    check: |_| Ok(()),
};

static ENTRY: FrontendOption = FrontendOption {
    short: None,
    long: "entry",
    value_name: Some("FUNCTION"),
    help: "A function that runs as a thread, in place of `main`; several run concurrently",
    subject: "functions to start with",
    check: |_| Ok(()),
};

static OBJECTS: FrontendOption = FrontendOption {
    short: None,
    long: "objects",
    value_name: Some("N"),
    help: "How many objects of one allocation are kept apart at most, where it is not known how many there are (16)",
    subject: "heap",
    check: |text| match text.parse::<u32>() {
        Ok(1..=4096) => Ok(()),
        _ => Err("write a number from 1 to 4096".to_string()),
    },
};

static RECURSION: FrontendOption = FrontendOption {
    short: None,
    long: "recursion",
    value_name: Some("N"),
    help: "How many calls of one function can be open at the same time at most, in one thread (64)",
    subject: "bound for recursion",
    check: |text| match text.parse::<u32>() {
        Ok(1..=1000) => Ok(()),
        _ => Err("write a number from 1 to 1000".to_string()),
    },
};

/// What a bound is at first, and at most unless the user says otherwise.
#[derive(Clone, Copy)]
struct Bound {
    first: u32,
    most: u32,
}

const OBJECTS_KEPT: Bound = Bound { first: 4, most: 16 };
const OPEN_CALLS: Bound = Bound { first: 8, most: 64 };

impl Bound {
    /// The bound after it has been doubled so often, up to what the user said.
    fn at(self, level: u32, said: Option<u32>) -> u32 {
        let doubled = u64::from(self.first) << level.min(20);
        doubled.min(u64::from(said.unwrap_or(self.most))) as u32
    }
}

/// What to verify.
pub static PROPERTY: FrontendOption = FrontendOption {
    short: None,
    long: "property",
    value_name: Some("NAME|FILE.prp"),
    help: "What to verify: assertions, races, memory, overflow, locks, deadlock, or a property file; may be given several times",
    subject: "choice of properties: what it declares is verified",
    check: |text| checks_of(Checks::none(), text).map(drop),
};

static OPTIONS: &[&FrontendOption] = &[&DEFINE, &DATA_MODEL, &INCLUDE, &CPP, &ENTRY, &OBJECTS, &RECURSION, &PROPERTY];

/// The checks with one property more.
fn checks_of(checks: Checks, text: &str) -> Result<Checks, String> {
    if let Some(checks) = named(checks, text) {
        return Ok(checks);
    }
    if !text.ends_with(".prp") {
        let names = "assertions, races, memory, overflow, locks and deadlock";
        return Err(format!("there are {names}, and files whose names end with .prp"));
    }
    let content = std::fs::read_to_string(text).map_err(|error| format!("cannot be read: {error}"))?;
    let known = [
        ("call(reach_error())", "assertions"),
        ("data-race", "races"),
        ("valid-deref", "memory"),
        ("valid-free", "memory"),
        ("! overflow", "overflow"),
    ];
    let mut all = checks;
    let mut is_known = false;
    for (_, name) in known.iter().filter(|(words, _)| content.contains(words)) {
        all = named(all, name).unwrap_or(all);
        is_known = true;
    }
    for words in ["valid-memtrack", "valid-memcleanup", "F end"] {
        if content.contains(words) {
            return Err(format!("the property `{words}` is not supported"));
        }
    }
    if is_known { Ok(all) } else { Err("the file has no property that is known here".to_string()) }
}

fn named(checks: Checks, name: &str) -> Option<Checks> {
    Some(match name {
        "assertions" => Checks { assertions: true, ..checks },
        "races" => Checks { races: true, ..checks },
        "memory" => Checks { memory: true, ..checks },
        "overflow" => Checks { overflow: true, ..checks },
        "locks" => Checks { locks: true, ..checks },
        "deadlock" => Checks { deadlock: true, ..checks },
        _ => return None,
    })
}

/// What is asked for.
fn checks_asked(options: &Options) -> Checks {
    let asked = || options.values(&PROPERTY);
    let start = if asked().next().is_none() { Checks::default() } else { Checks::none() };
    asked().fold(start, |checks, property| checks_of(checks, property).unwrap_or(checks))
}

impl Frontend for C {
    fn noun(&self) -> &'static str {
        "a C program"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["i", "c"]
    }

    fn options(&self) -> &'static [&'static FrontendOption] {
        OPTIONS
    }

    fn least(&self) -> &'static str {
        "a program has at least a function: int main(void) { … }"
    }

    fn links(&self) -> bool {
        true
    }

    fn questions(&self, options: &Options) -> Vec<Question> {
        let question = |name| Question { name, options: options.with_only(&PROPERTY, name) };
        checks_asked(options).names().into_iter().map(question).collect()
    }

    fn load(&self, files: Vec<SourceFile>, options: &Options, _: &Budget) -> Loaded {
        let last = |option| options.values(option).last().map(str::to_string);
        let all = |option| options.values(option).map(str::to_string).collect::<Vec<String>>();
        let model = if last(&DATA_MODEL).as_deref() == Some("ILP32") { DataModel::Ilp32 } else { DataModel::Lp64 };
        let preprocessing = Preprocessing { command: last(&CPP), include: all(&INCLUDE), define: all(&DEFINE) };
        let how = threadwise_front_c::Options { model, preprocessing, entries: all(&ENTRY) };
        let read = threadwise_front_c::load(files, &how);
        let (source, mut diagnostics) = (read.source, read.diagnostics);
        let Some(code) = read.code else { return Loaded { program: None, source, diagnostics, bounded: Vec::new() } };
        let checks = checks_asked(options);
        let said = |option| last(option).and_then(|text| text.parse().ok());
        let objects = |level| OBJECTS_KEPT.at(level, said(&OBJECTS));
        let recursion = |level| OPEN_CALLS.at(level, said(&RECURSION));
        let level = options.level();
        let defaults = threadwise_memory::Options::default();
        let lowering =
            threadwise_memory::Options { checks, objects: objects(level), recursion: recursion(level), ..defaults };
        let lowered = threadwise_memory::lower(&code, &lowering);
        diagnostics.extend::<Vec<Diagnostic>>(lowered.diagnostics);
        let mut bounded = Vec::new();
        bounded.extend(lowered.few_objects.iter().filter(|_| objects(level) < objects(level + 1)));
        bounded.extend(lowered.open_calls.iter().filter(|_| recursion(level) < recursion(level + 1)));
        Loaded { program: lowered.program.map(Arc::new), source, diagnostics, bounded }
    }
}
