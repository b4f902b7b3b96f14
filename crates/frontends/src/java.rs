use crate::c::{self, Bound};
use crate::frontend::{Frontend, Loaded, Question};
use crate::options::{FrontendOption, Options};
use std::sync::Arc;
use threadwise_limits::Budget;
use threadwise_memory::code::Code;
use threadwise_memory::{Atlas, Checks, Lowered};
use threadwise_source::SourceFile;

/// Programs in Java.
pub(crate) struct Java;

static NO_SPURIOUS: FrontendOption = FrontendOption {
    short: None,
    long: "no-spurious",
    value_name: None,
    help: "Whoever waits in a Java program goes on only when notified; without it, also by itself",
    subject: "waiting that ends by itself",
    check: |_| Ok(()),
};

const OBJECTS_KEPT: Bound = Bound { first: 4, most: 16 };
const OPEN_CALLS: Bound = Bound { first: 8, most: 64 };

static OPTIONS: &[&FrontendOption] = &[&c::ENTRY, &c::OBJECTS, &c::RECURSION, &c::PROPERTY, &NO_SPURIOUS];

const NAMES: [&str; 4] = ["assertions", "exceptions", "races", "deadlock"];

fn named(checks: Checks, name: &str) -> Checks {
    match name {
        "assertions" => Checks { assertions: true, ..checks },
        // The monitors of class files that no compiler of Java wrote may be given back by others.
        "exceptions" => Checks { exceptions: true, locks: true, ..checks },
        "races" => Checks { races: true, ..checks },
        "deadlock" => Checks { deadlock: true, ..checks },
        _ => checks,
    }
}

/// What is asked for.
fn names_asked(options: &Options) -> Vec<&'static str> {
    let asked: Vec<&str> = options.values(&c::PROPERTY).collect();
    NAMES.into_iter().filter(|name| asked.is_empty() || asked.contains(name)).collect()
}

fn lowering(options: &Options, level: u32) -> threadwise_memory::Options {
    let said = |option| options.values(option).last().and_then(|text| text.parse().ok());
    let (objects, recursion) = (OBJECTS_KEPT.at(level, said(&c::OBJECTS)), OPEN_CALLS.at(level, said(&c::RECURSION)));
    let checks = names_asked(options).into_iter().fold(Checks::none(), named);
    threadwise_memory::Options { checks, objects, recursion, ..threadwise_memory::Options::default() }
}

impl Frontend for Java {
    fn noun(&self) -> &'static str {
        "a Java program"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["java", "class", "jar"]
    }

    fn binary_extensions(&self) -> &'static [&'static str] {
        &["class", "jar"]
    }

    fn is_compiled(&self) -> bool {
        true
    }

    fn options(&self) -> &'static [&'static FrontendOption] {
        OPTIONS
    }

    fn least(&self) -> &'static str {
        "a program has at least a class with a method: public static void main(String[] args) { … }"
    }

    fn links(&self) -> bool {
        true
    }

    fn check_value(&self, option: &FrontendOption, value: &str) -> Result<(), crate::options::Refusal> {
        match option.long == c::PROPERTY.long && !NAMES.contains(&value) {
            true => Err(option.refused(value, self.noun())),
            false => Ok(()),
        }
    }

    fn questions(&self, options: &Options) -> Vec<Question> {
        let question = |name| Question { name, options: options.with_only(&c::PROPERTY, name) };
        names_asked(options).into_iter().map(question).collect()
    }

    fn load(&self, files: Vec<SourceFile>, options: &Options, _: &Budget) -> Loaded {
        load(files, options, threadwise_memory::lower)
    }
}

/// How the text is read.
fn reading(options: &Options) -> threadwise_front_java::Options {
    threadwise_front_java::Options {
        entry: options.values(&c::ENTRY).last().map(str::to_string),
        no_spurious: options.values(&NO_SPURIOUS).next().is_some(),
    }
}

fn load(
    files: Vec<SourceFile>,
    options: &Options,
    lower: impl FnOnce(&Code, &threadwise_memory::Options) -> Lowered,
) -> Loaded {
    let read = threadwise_front_java::load(files, &reading(options));
    let (source, mut diagnostics) = (read.source, read.diagnostics);
    let Some(code) = read.code else { return Loaded { program: None, source, diagnostics, bounded: Vec::new() } };
    let (now, next) = (lowering(options, options.level()), lowering(options, options.level() + 1));
    let lowered = lower(&code, &now);
    diagnostics.extend(lowered.diagnostics);
    let mut bounded = Vec::new();
    bounded.extend(lowered.few_objects.iter().filter(|_| now.objects < next.objects));
    bounded.extend(lowered.open_calls.iter().filter(|_| now.recursion < next.recursion));
    Loaded { program: lowered.program.map(Arc::new), source, diagnostics, bounded }
}

/// A Java program for whoever runs it on a virtual machine beside what is said of it: the program, where its variables are,
/// and how it was read.
pub fn load_java_with_atlas(
    files: Vec<SourceFile>,
    options: &Options,
) -> (Loaded, Atlas, threadwise_front_java::Options) {
    let mut atlas = Atlas::default();
    let loaded = load(files, options, |code, lowering| {
        let (lowered, drawn) = threadwise_memory::lower_with_atlas(code, lowering);
        atlas = drawn;
        lowered
    });
    (loaded, atlas, reading(options))
}
