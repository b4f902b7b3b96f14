//! Constants that the user overrides with `-D`.

use crate::exit::InputError;
use std::collections::BTreeMap;
use threadwise_evidence_files::Header;
use threadwise_frontends::{DEADLOCK, Options, PROPERTY};

/// Overridden constants by name.
pub type Defines = BTreeMap<String, i64>;

/// The constants given with `-D`; giving one twice is fine unless the values differ.
pub fn from_flags(flags: &Options) -> Result<Defines, InputError> {
    let mut defines = Defines::new();
    for (name, value) in threadwise_frontends::defines(flags) {
        if let Some(before) = defines.insert(name.clone(), value)
            && before != value
        {
            let message = format!("-D {name}={before} and -D {name}={value} contradict each other");
            return Err(InputError::new(message).hint("give the constant once"));
        }
    }
    Ok(defines)
}

/// The constants that evidence was made with. What the user says too must agree.
pub fn from_evidence(recorded: &Defines, flags: &Options) -> Result<Defines, InputError> {
    for (name, value) in from_flags(flags)? {
        match recorded.get(&name) {
            Some(said) if *said == value => {}
            Some(said) => {
                let message = format!("-D {name}={value} contradicts the file, which was made with {name}={said}");
                return Err(InputError::new(message).hint("leave the -D out, or make the file again"));
            }
            None => {
                let message = format!("-D {name}={value} contradicts the file, which was made without it");
                return Err(InputError::new(message).hint("leave the -D out, or make the file again"));
            }
        }
    }
    Ok(recorded.clone())
}

/// How often bounds of the front end were raised before the evidence was found stands among the constants, under a name
/// that no constant has.
const RAISED: &str = "bounds raised";

/// The constants of a program whose bounds were raised so often.
pub fn at_level(defines: &Defines, level: u32) -> Defines {
    let raised = (level > 0).then(|| (RAISED.to_string(), i64::from(level)));
    defines.clone().into_iter().chain(raised).collect()
}

/// How to read the program that evidence was made of.
pub fn options_of_evidence(header: &Header, defines: &Defines, flags: &Options) -> Options {
    let level = defines.get(RAISED).and_then(|level| u32::try_from(*level).ok()).unwrap_or(0);
    let constants = defines.iter().filter(|(name, _)| *name != RAISED);
    let mut options = flags.with_defines(constants).at_level(level);
    // What the program itself cannot say has been written down.
    if flags.values(&PROPERTY).next().is_none() {
        header.properties.iter().for_each(|property| options.add(&PROPERTY, property.as_str()));
    }
    if header.deadlock && header.properties.is_empty() && flags.values(&DEADLOCK).next().is_none() {
        options.add(&DEADLOCK, "");
    }
    options
}

/// ` with N = 1, M = 2`; nothing where no constant is overridden.
pub fn shown(defines: &Defines) -> String {
    let shown: Vec<String> = defines.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if shown.is_empty() { String::new() } else { format!(" with {}", shown.join(", ")) }
}
