use crate::frontend::{Frontend, Loaded, Question};
use crate::options::{DEFINE, FrontendOption, Options};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_front_c::landmarks::Landmarks;
use threadwise_front_c::{DataModel, Preprocessing};
use threadwise_limits::Budget;
use threadwise_memory::code::{self, Code};
use threadwise_memory::{Atlas, Checks};
use threadwise_source::{Diagnostic, SourceFile};

/// Programs in C.
pub(crate) struct C;

/// How large types are.
pub static DATA_MODEL: FrontendOption = FrontendOption {
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

pub(crate) static ENTRY: FrontendOption = FrontendOption {
    short: None,
    long: "entry",
    value_name: Some("FUNCTION"),
    help: "A function that runs as a thread, in place of `main`; several run concurrently. Of Java: the class whose `main` runs",
    subject: "functions to start with",
    check: |_| Ok(()),
};

pub(crate) static OBJECTS: FrontendOption = FrontendOption {
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

pub(crate) static RECURSION: FrontendOption = FrontendOption {
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

/// Steps that commute are not merged.
pub static EVERY_STEP: FrontendOption = FrontendOption {
    short: None,
    long: "every-step",
    value_name: None,
    help: "Keep all steps of C programs apart, also those that commute with what other threads do",
    subject: "steps that are merged",
    check: |_| Ok(()),
};

/// What a bound is at first, and at most unless the user says otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) first: u32,
    pub(crate) most: u32,
}

const OBJECTS_KEPT: Bound = Bound { first: 4, most: 16 };
const OPEN_CALLS: Bound = Bound { first: 8, most: 64 };

impl Bound {
    /// The bound after it has been doubled so often, up to what the user said.
    pub(crate) fn at(self, level: u32, said: Option<u32>) -> u32 {
        let doubled = u64::from(self.first) << level.min(20);
        doubled.min(u64::from(said.unwrap_or(self.most))) as u32
    }
}

/// What to verify.
pub static PROPERTY: FrontendOption = FrontendOption {
    short: None,
    long: "property",
    value_name: Some("NAME|FILE.prp"),
    help: "What to verify: assertions, races, deadlock; of C also memory, memtrack, overflow, locks, or a property file; of Java also exceptions; may be given several times",
    subject: "choice of properties: what it declares is verified",
    check: |text| match text {
        "exceptions" => Ok(()),
        text => checks_of(Checks::none(), text).map(drop),
    },
};

static OPTIONS: &[&FrontendOption] =
    &[&DEFINE, &DATA_MODEL, &INCLUDE, &CPP, &ENTRY, &OBJECTS, &RECURSION, &EVERY_STEP, &PROPERTY];

/// The checks with one property more.
fn checks_of(checks: Checks, text: &str) -> Result<Checks, String> {
    if let Some(checks) = named(checks, text) {
        return Ok(checks);
    }
    if !text.ends_with(".prp") {
        let names = "assertions, races, memory, overflow, locks, deadlock, memtrack and, of Java, exceptions";
        return Err(format!("there are {names}, and files whose names end with .prp"));
    }
    let content = std::fs::read_to_string(text).map_err(|error| format!("cannot be read: {error}"))?;
    let known = [
        ("call(reach_error())", "assertions"),
        ("data-race", "races"),
        ("valid-deref", "memory"),
        ("valid-free", "memory"),
        ("! overflow", "overflow"),
        ("valid-memtrack", "memtrack"),
    ];
    let mut all = checks;
    let mut is_known = false;
    for (_, name) in known.iter().filter(|(words, _)| content.contains(words)) {
        all = named(all, name).unwrap_or(all);
        is_known = true;
    }
    for words in ["valid-memcleanup", "F end"] {
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
        "memtrack" => Checks { memtrack: true, ..checks },
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

    fn check_value(&self, option: &FrontendOption, value: &str) -> Result<(), crate::options::Refusal> {
        match option.long == PROPERTY.long && value == "exceptions" {
            true => Err(option.refused(value, self.noun())),
            false => Ok(()),
        }
    }

    fn questions(&self, options: &Options) -> Vec<Question> {
        let question = |name| Question { name, options: options.with_only(&PROPERTY, name) };
        checks_asked(options).names().into_iter().map(question).collect()
    }

    fn load(&self, files: Vec<SourceFile>, options: &Options, _: &Budget) -> Loaded {
        load(files, options, threadwise_memory::lower)
    }
}

/// What it takes to compile a program as it was read.
#[derive(Clone, Debug, Default)]
pub struct CSettings {
    pub include: Vec<String>,
    pub define: Vec<String>,
    pub is_32_bit: bool,
    /// Functions that run in place of `main`.
    pub entries: Vec<String>,
    /// Variables that are defined nowhere, with their sizes in bytes.
    pub undefined: BTreeMap<String, u64>,
}

/// Loads a C program with a map of its memory, and with what it takes to compile it.
pub fn load_c_with_atlas(files: Vec<SourceFile>, options: &Options) -> (Loaded, Atlas, CSettings) {
    let how = reading(options);
    let mut settings = CSettings {
        include: how.preprocessing.include,
        define: how.preprocessing.define,
        is_32_bit: how.model == DataModel::Ilp32,
        entries: how.entries,
        undefined: BTreeMap::new(),
    };
    let mut atlas = Atlas::default();
    let loaded = load(files, options, |code, lowering| {
        let is_any = |e: &code::Expr| matches!(e.kind, code::ExprKind::Any);
        let undefined = code.globals.iter().filter(|global| global.init.iter().any(|(_, e)| is_any(e)));
        settings.undefined = undefined.map(|global| (global.name.to_string(), code.size_of(&global.ty))).collect();
        let (lowered, drawn) = threadwise_memory::lower_with_atlas(code, lowering);
        atlas = drawn;
        lowered
    });
    (loaded, atlas, settings)
}

/// Where statements and calls stand in the text of a C program.
pub fn c_landmarks(files: Vec<SourceFile>, options: &Options) -> Result<Landmarks, Diagnostic> {
    Landmarks::of(files, &reading(options))
}

fn all(options: &Options, option: &'static FrontendOption) -> Vec<String> {
    options.values(option).map(str::to_string).collect()
}

/// How the text is read.
fn reading(options: &Options) -> threadwise_front_c::Options {
    let last = |option| options.values(option).last().map(str::to_string);
    let model = if last(&DATA_MODEL).as_deref() == Some("ILP32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    let preprocessing =
        Preprocessing { command: last(&CPP), include: all(options, &INCLUDE), define: all(options, &DEFINE) };
    threadwise_front_c::Options { model, preprocessing, entries: all(options, &ENTRY) }
}

/// How what was read becomes a program for the engines, with bounds of this level.
fn lowering(options: &Options, level: u32) -> threadwise_memory::Options {
    let said = |option| options.values(option).last().and_then(|text| text.parse().ok());
    let (objects, recursion) = (OBJECTS_KEPT.at(level, said(&OBJECTS)), OPEN_CALLS.at(level, said(&RECURSION)));
    let defaults = threadwise_memory::Options::default();
    let movers = options.values(&EVERY_STEP).next().is_none();
    threadwise_memory::Options { checks: checks_asked(options), objects, recursion, movers, ..defaults }
}

fn load(
    files: Vec<SourceFile>,
    options: &Options,
    lower: impl FnOnce(&Code, &threadwise_memory::Options) -> threadwise_memory::Lowered,
) -> Loaded {
    let read = threadwise_front_c::load(files, &reading(options));
    let (source, mut diagnostics) = (read.source, read.diagnostics);
    let Some(code) = read.code else { return Loaded { program: None, source, diagnostics, bounded: Vec::new() } };
    let (now, next) = (lowering(options, options.level()), lowering(options, options.level() + 1));
    let lowered = lower(&code, &now);
    diagnostics.extend::<Vec<Diagnostic>>(lowered.diagnostics);
    let mut bounded = Vec::new();
    bounded.extend(lowered.few_objects.iter().filter(|_| now.objects < next.objects));
    bounded.extend(lowered.open_calls.iter().filter(|_| now.recursion < next.recursion));
    Loaded { program: lowered.program.map(Arc::new), source, diagnostics, bounded }
}
