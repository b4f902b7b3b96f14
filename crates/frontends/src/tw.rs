use crate::frontend::{Frontend, Loaded, one_file};
use crate::options::{DEADLOCK, DEFINE, FrontendOption, Options, Refusal, defines, integer_define};
use threadwise_front_tw::load;
use threadwise_limits::Budget;
use threadwise_source::SourceFile;

static OPTIONS: &[&FrontendOption] = &[&DEFINE, &DEADLOCK];

/// The language of Threadwise.
pub(crate) struct Tw;

impl Frontend for Tw {
    fn noun(&self) -> &'static str {
        "a program"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["tw"]
    }

    fn options(&self) -> &'static [&'static FrontendOption] {
        OPTIONS
    }

    fn least(&self) -> &'static str {
        "a program has at least one thread: thread P { … }"
    }

    fn check_value(&self, option: &FrontendOption, value: &str) -> Result<(), Refusal> {
        if option.long == DEFINE.long { integer_define(value) } else { Ok(()) }
    }

    fn load(&self, files: Vec<SourceFile>, options: &Options, _: &Budget) -> Loaded {
        one_file(files, |file| {
            let nodeadlock = options.values(&DEADLOCK).next().is_some();
            let lowered = load(file, &threadwise_front_tw::Options { defines: defines(options), nodeadlock });
            (lowered.program, lowered.diagnostics)
        })
    }
}
