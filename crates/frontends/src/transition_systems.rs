use crate::frontend::{Frontend, Loaded, one_file};
use crate::options::{FrontendOption, Options};
use threadwise_front_ts::load;
use threadwise_limits::Budget;
use threadwise_source::SourceFile;

/// Raw transition systems.
pub(crate) struct TransitionSystems;

impl Frontend for TransitionSystems {
    fn noun(&self) -> &'static str {
        "a transition system"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ts"]
    }

    fn options(&self) -> &'static [&'static FrontendOption] {
        &[]
    }

    fn least(&self) -> &'static str {
        "a system has at least one thread: thread P"
    }

    fn load(&self, files: Vec<SourceFile>, _: &Options, _: &Budget) -> Loaded {
        one_file(files, |file| {
            let loaded = load(file);
            (loaded.program, loaded.diagnostics)
        })
    }
}
