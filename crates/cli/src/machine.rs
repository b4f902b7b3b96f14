//! The compiled program beside a trace, for `replay --native`.

use crate::exit::InputError;
use crate::input::{program_of, read_source};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use threadwise_evidence::Trace;
use threadwise_frontends::{Options, frontend_for, load_c_with_atlas};
use threadwise_ir::{Instance, Program};
use threadwise_memory::Atlas;
use threadwise_native::{Outcome, Sources, Trouble};

/// What it takes to run a program on the machine.
pub struct Machine {
    atlas: Atlas,
    sources: Sources,
}

impl Machine {
    /// Loads a C program so that it can be compiled too.
    pub fn load(path: &Path, options: &Options, quiet: bool) -> Result<(Arc<Program>, Option<Machine>), InputError> {
        let frontend = frontend_for(path);
        if frontend.noun() != "a C program" {
            let message = format!("`{}` is {}: only C programs can be compiled", path.display(), frontend.noun());
            return Err(InputError::new(message).hint("leave out --native"));
        }
        let file = read_source(path, frontend)?;
        frontend.check_options(options)?;
        let (loaded, atlas, settings) = load_c_with_atlas(vec![file.clone()], options);
        let program = program_of(loaded, quiet)?.program;
        let sources = Sources {
            files: vec![file],
            include: settings.include,
            define: settings.define,
            is_32_bit: settings.is_32_bit,
            entries: settings.entries,
            undefined: settings.undefined,
            overflow: false,
        };
        Ok((program, Some(Machine { atlas, sources })))
    }

    /// Leads the compiled program through a trace.
    pub fn replay(&self, instance: &Instance, trace: &Trace, limit: Duration) -> Result<Outcome, InputError> {
        let outcome = threadwise_native::replay(instance, trace, &self.atlas, &self.sources, limit);
        outcome.map_err(|trouble| match trouble {
            Trouble::NoCompiler(text) => {
                InputError::new(text).hint("install a C compiler (on Debian: apt install gcc), or set CC to one")
            }
            Trouble::Compiler(text) => InputError::new(text).hint("gcc is known to work; CC=gcc chooses it"),
            Trouble::Time | Trouble::Differs(_) | Trouble::Beyond(_) => InputError::new(trouble.to_string()),
        })
    }
}
