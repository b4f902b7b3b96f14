use crate::options::{FrontendOption, Options, Refusal};
use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_source::{Diagnostic, SourceFile, SourceMap, Span};
use threadwise_workers::watched;

/// A language that programs are written in.
pub trait Frontend: Sync {
    /// One program of this language, as messages speak of it: "a transition system".
    fn noun(&self) -> &'static str;

    /// The endings of its files' names, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Those of them whose files are no texts: such files are given by their names alone.
    fn binary_extensions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its texts go through a compiler of others first: what that makes of broken texts is not tested here.
    fn is_compiled(&self) -> bool {
        false
    }

    /// What can be said on the command line about how to read a program.
    fn options(&self) -> &'static [&'static FrontendOption];

    /// What an empty file lacks, as a hint.
    fn least(&self) -> &'static str;

    /// Whether several files make up one program.
    fn links(&self) -> bool {
        false
    }

    /// What is wrong with the value of an option, beyond what the option itself tells.
    fn check_value(&self, _: &FrontendOption, _: &str) -> Result<(), Refusal> {
        Ok(())
    }

    /// What is asked about a program, where that is several things that have answers of their own: each with its name,
    /// and with the options to ask for it alone.
    fn questions(&self, _: &Options) -> Vec<Question> {
        Vec::new()
    }

    /// Reads, checks and lowers the files of one program, by their names as the user gave them and their texts. One
    /// that can take long asks the budget.
    fn load(&self, files: Vec<SourceFile>, options: &Options, budget: &Budget) -> Loaded;
}

/// One of several things that are asked about a program.
#[derive(Clone, Debug)]
pub struct Question {
    /// As users name it.
    pub name: &'static str,
    /// How to load the program so that this alone is asked.
    pub options: Options,
}

impl dyn Frontend {
    /// Whether the language has all options that were given, or the first that it has not.
    pub fn check_options(&self, options: &Options) -> Result<(), Refusal> {
        let is_known = |option: &FrontendOption| self.options().iter().any(|known| known.long == option.long);
        match options.given().find(|(option, _)| !is_known(option)) {
            Some((option, value)) => Err(option.refused(value, self.noun())),
            None => options.given().try_for_each(|(option, value)| self.check_value(option, value)),
        }
    }

    /// Loads a program, but not for longer than the budget allows, whether the front end asks it or not.
    pub fn load_within(
        &'static self,
        files: Vec<SourceFile>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Loaded, Limit> {
        let options = options.clone();
        watched("front end", budget, move |budget| self.load(files, &options, budget))
    }
}

/// What became of the files of a program.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program, if there are no errors.
    pub program: Option<Arc<Program>>,
    /// The text that the diagnostics speak of.
    pub source: Arc<SourceMap>,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the program is beyond bounds that the front end chose by itself, and can raise: see [`Options::at_level`].
    pub bounded: Vec<Span>,
}

/// For languages in which a program is one file.
pub(crate) fn one_file(
    files: Vec<SourceFile>,
    load: impl FnOnce(SourceFile) -> (Option<Program>, Vec<Diagnostic>),
) -> Loaded {
    let count = files.len();
    let mut files = files.into_iter();
    let file = files.next().unwrap_or_else(|| SourceFile::new("", ""));
    let source = Arc::new(file.clone().into());
    let (program, diagnostics) = match count {
        1 => load(file),
        _ => {
            let message = format!("{count} files were given, and a program in this language is one file");
            (None, vec![Diagnostic::error(Span::default(), message).hint("give the files one by one")])
        }
    };
    Loaded { program: program.map(Arc::new), source, diagnostics, bounded: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    struct Slow;

    impl Frontend for Slow {
        fn noun(&self) -> &'static str {
            "a program that takes long"
        }

        fn extensions(&self) -> &'static [&'static str] {
            &["slow"]
        }

        fn options(&self) -> &'static [&'static FrontendOption] {
            &[]
        }

        fn least(&self) -> &'static str {
            ""
        }

        fn load(&self, files: Vec<SourceFile>, _: &Options, _: &Budget) -> Loaded {
            std::thread::sleep(Duration::from_secs(60));
            one_file(files, |_| (None, Vec::new()))
        }
    }

    #[test]
    fn a_front_end_that_does_not_listen_is_left_alone() {
        let (slow, limit): (&'static dyn Frontend, _) = (&Slow, Duration::from_millis(50));
        let started = Instant::now();
        let loaded = slow.load_within(Vec::new(), &Options::default(), &Budget::new(Some(limit), None));
        assert_eq!(loaded.err(), Some(Limit::Time(limit)));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_program_in_two_files_is_refused_where_there_is_no_such_thing() {
        let files = vec![SourceFile::new("a.tw", "thread P {}"), SourceFile::new("b.tw", "thread Q {}")];
        let loaded = one_file(files, |_| unreachable!("no single file was given"));
        assert!(loaded.program.is_none());
        assert!(loaded.diagnostics[0].message.starts_with("2 files"), "{:?}", loaded.diagnostics);
    }
}
