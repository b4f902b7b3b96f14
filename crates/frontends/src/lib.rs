//! The languages that programs are written in, behind one door.
//!
//! ```text
//! let frontend = frontend_for(Path::new("peterson.tw"));          // by the extension
//! frontend.check_options(&options)?;                              // or what the language does not have
//! let loaded = frontend.load_within(vec![file], &options, &budget)?;    // loaded.program or loaded.diagnostics
//! all_options()                                                   // the flags of all languages, for the command line
//! ```
//!
//! A new language is an implementation of [`Frontend`] and a line in `registry.rs`: the command line, the tests and
//! the fuzzers then know its extensions and its flags. Front ends know no engine and print nothing; what they have to
//! say are diagnostics, which stay data until somebody renders them.

mod c;
mod frontend;
mod java;
mod options;
mod registry;
mod task;
mod transition_systems;
mod tw;

pub use c::{CSettings, DATA_MODEL, EVERY_STEP, PROPERTY, c_landmarks, load_c_with_atlas};
pub use frontend::{Frontend, Loaded, Question};
pub use java::load_java_with_atlas;
pub use options::{DEADLOCK, DEFINE, FrontendOption, Options, Refusal, defines, with_defines};
pub use registry::{all_options, frontend_for, frontends};
pub use task::{Expectation, Task, expectations, is_task, read_task};
pub use threadwise_front_c::landmarks::Landmarks;
