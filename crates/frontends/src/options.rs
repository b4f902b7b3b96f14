//! What can be said on the command line about how to read a program.

/// A flag with a value, which may be given several times; or without one.
#[derive(Debug)]
pub struct FrontendOption {
    /// `D` of `-D`.
    pub short: Option<char>,
    /// `define` of `--define`.
    pub long: &'static str,
    /// What stands for the value in the help text; without a name there is no value.
    pub value_name: Option<&'static str>,
    pub help: &'static str,
    /// What a language without this option does not have.
    pub subject: &'static str,
    /// What is wrong with a value, if something is.
    pub check: fn(&str) -> Result<(), String>,
}

impl FrontendOption {
    /// The flag as users write it.
    fn flag(&self) -> String {
        self.short.map_or_else(|| format!("--{}", self.long), |short| format!("-{short}"))
    }

    pub(crate) fn refused(&self, value: &str, noun: &str) -> Refusal {
        let flag = self.flag();
        let given = if value.is_empty() { flag.clone() } else { format!("{flag} {value}") };
        Refusal { message: format!("{given}: {noun} has no {}", self.subject), hint: format!("leave the {flag} out") }
    }
}

/// Why an option cannot be used, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// One line that says what is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// The options that were given, in their order.
#[derive(Clone, Debug, Default)]
pub struct Options {
    given: Vec<(&'static FrontendOption, String)>,
    /// How often bounds that a front end chose by itself have been raised.
    level: u32,
}

impl Options {
    /// Adds an option whose value has been checked.
    pub fn add(&mut self, option: &'static FrontendOption, value: impl Into<String>) {
        self.given.push((option, value.into()));
    }

    /// All of them with their values.
    pub fn given(&self) -> impl Iterator<Item = (&'static FrontendOption, &str)> {
        self.given.iter().map(|(option, value)| (*option, value.as_str()))
    }

    /// The same with these constants; others that are no integers stay.
    pub fn with_defines<'a>(&self, defines: impl IntoIterator<Item = (&'a String, &'a i64)>) -> Options {
        let is_other = |(option, text): &(&FrontendOption, String)| option.long != DEFINE.long || define(text).is_err();
        let given = self.given.iter().filter(|given| is_other(given)).cloned();
        let given = given.chain(with_defines(defines).given).collect();
        Options { given, level: self.level }
    }

    /// The same, where bounds that the front end chose by itself are raised so often.
    pub fn at_level(&self, level: u32) -> Options {
        Options { given: self.given.clone(), level }
    }

    pub fn level(&self) -> u32 {
        self.level
    }

    /// The same with one value for an option, in place of all that it was given.
    pub fn with_only(&self, option: &'static FrontendOption, value: impl Into<String>) -> Options {
        let is_other = |(given, _): &&(&FrontendOption, String)| given.long != option.long;
        let mut all = Options { given: self.given.iter().filter(is_other).cloned().collect(), ..self.clone() };
        all.add(option, value);
        all
    }

    /// The values of one option.
    pub fn values(&self, option: &'static FrontendOption) -> impl Iterator<Item = &str> {
        self.given().filter(|(given, _)| given.long == option.long).map(|(_, value)| value)
    }
}

/// `-D NAME=VALUE`: another value for a constant of the program.
pub static DEFINE: FrontendOption = FrontendOption {
    short: Some('D'),
    long: "define",
    value_name: Some("NAME=VALUE"),
    help: "Override a `const` of the program, or define a macro of C; may be given several times",
    subject: "constants",
    check: |text| name_and_value(text).map(drop),
};

/// `--deadlock`: deadlocks are errors, whether the program says so or not.
pub static DEADLOCK: FrontendOption = FrontendOption {
    short: None,
    long: "deadlock",
    value_name: None,
    help: "Look for deadlocks, as if the program said `nodeadlock;`",
    subject: "points at which a thread ends, or may wait",
    check: |_| Ok(()),
};

/// The constants that were given.
pub fn defines(options: &Options) -> Vec<(String, i64)> {
    options.values(&DEFINE).filter_map(|text| define(text).ok()).collect()
}

/// The options that give these constants.
pub fn with_defines<'a>(defines: impl IntoIterator<Item = (&'a String, &'a i64)>) -> Options {
    let mut options = Options::default();
    defines.into_iter().for_each(|(name, value)| options.add(&DEFINE, format!("{name}={value}")));
    options
}

const WANTED: &str = "write NAME=VALUE, like N=4";

/// What a value must be for programs whose constants are integers.
pub(crate) fn integer_define(text: &str) -> Result<(), Refusal> {
    match define(text) {
        Ok(_) => Ok(()),
        Err(message) => Err(Refusal { message: format!("-D {text}: {message}"), hint: WANTED.to_string() }),
    }
}

fn name_and_value(text: &str) -> Result<(&str, Option<&str>), String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let name = name.trim();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not a name; {WANTED}"));
    }
    Ok((name, value.map(str::trim)))
}

fn define(text: &str) -> Result<(String, i64), String> {
    let wanted = WANTED;
    let (name, value) = name_and_value(text)?;
    let value = value.ok_or(wanted)?;
    match value.parse() {
        Ok(value) => Ok((name.to_string(), value)),
        Err(_) => Err(format!("`{value}` is not a whole number of at most 64 bits; {wanted}")),
    }
}
