//! The real program beside a trace, for `replay --native`: compiled from C, or on a virtual machine of Java.

use crate::exit::InputError;
use crate::input::{program_of, read_source};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use threadwise_evidence::Trace;
use threadwise_frontends::{Options, frontend_for, load_c_with_atlas, load_java_with_atlas};
use threadwise_ir::{Instance, Program};
use threadwise_memory::Atlas;
use threadwise_native::jvm::{self, Classes};
use threadwise_native::{Outcome, Sources, Trouble};

/// What it takes to run a program on the machine.
pub struct Machine {
    atlas: Atlas,
    kind: Kind,
}

enum Kind {
    C(Sources),
    Java(Classes),
}

const NO_COMPILER: &str = "install a C compiler (on Debian: apt install gcc), or set CC to one";
const NO_JDK: &str = "install a JDK (on Debian: apt install default-jdk-headless), or let JAVA_HOME name one";

impl Machine {
    /// Loads a program so that it can be run, too.
    pub fn load(path: &Path, options: &Options, quiet: bool) -> Result<(Arc<Program>, Option<Machine>), InputError> {
        let frontend = frontend_for(path);
        let file = || read_source(path, frontend);
        match frontend.noun() {
            "a C program" => {
                let file = file()?;
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
                Ok((program, Some(Machine { atlas, kind: Kind::C(sources) })))
            }
            "a Java program" => {
                let file = file()?;
                frontend.check_options(options)?;
                let (loaded, atlas, how) = load_java_with_atlas(vec![file.clone()], options);
                let program = program_of(loaded, quiet)?.program;
                let classes = Classes::new(&[file], &how).map_err(|trouble| in_java(&trouble))?;
                Ok((program, Some(Machine { atlas, kind: Kind::Java(classes) })))
            }
            noun => {
                let message = format!("`{}` is {noun}: only programs in C and Java can be run", path.display());
                Err(InputError::new(message).hint("leave out --native"))
            }
        }
    }

    /// Leads the real program through a trace.
    pub fn replay(&self, instance: &Instance, trace: &Trace, limit: Duration) -> Result<Outcome, InputError> {
        match &self.kind {
            Kind::C(sources) => threadwise_native::replay(instance, trace, &self.atlas, sources, limit)
                .map_err(|trouble| in_c(&trouble)),
            Kind::Java(classes) => {
                jvm::replay(instance, trace, &self.atlas, classes, limit).map_err(|trouble| in_java(&trouble))
            }
        }
    }
}

fn in_c(trouble: &Trouble) -> InputError {
    let error = InputError::new(trouble.to_string());
    match trouble {
        Trouble::NoCompiler(_) => error.hint(NO_COMPILER),
        Trouble::Compiler(_) => error.hint("gcc is known to work; CC=gcc chooses it"),
        Trouble::Time | Trouble::Differs(_) | Trouble::Beyond(_) => error,
    }
}

fn in_java(trouble: &Trouble) -> InputError {
    let error = InputError::new(trouble.to_string());
    if matches!(trouble, Trouble::NoCompiler(_)) { error.hint(NO_JDK) } else { error }
}
