//! What else there is to tell, as data; the words for it are here and nowhere else.

use crate::name::EngineName;
use std::fmt;

/// Something to tell the user beside the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// Nothing can go wrong where nothing starts.
    NoInitialState,
    /// A property that looks at nothing, or holds for all values of what it looks at, holds whatever the program does.
    ConstantProperty { text: String, place: String, looks: bool },
    /// A search came across a deadlock, which is no error unless the program, or the user, says so.
    Deadlock { place: String, program: String },
    /// Threads can come to wait for each other's locks while others run on, which is no error either.
    LockCycle { place: String, program: String },
    /// An engine is at fault, but another one has the answer.
    Breakdown { reason: String },
}

impl Note {
    /// Whether it is for everybody, or for those who ask for details.
    pub fn is_warning(&self) -> bool {
        match self {
            Note::NoInitialState
            | Note::ConstantProperty { .. }
            | Note::Deadlock { .. }
            | Note::LockCycle { .. }
            | Note::Breakdown { .. } => true,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::NoInitialState => f.write_str(
                "warning: the program has no initial state, so nothing in it can go wrong; are the `init` conditions \
                 as meant?",
            ),
            Note::ConstantProperty { text, place, looks } => {
                let why = if *looks { "holds for all values of its variables" } else { "looks at no state" };
                write!(f, "warning: `{text}` at {place} {why}, so it holds whatever the program does")
            }
            Note::Deadlock { place, program } => write!(
                f,
                "note: all threads can come to wait for ever, one of them at {place}; \
                 `threadwise check --deadlock {program}` shows how"
            ),
            Note::LockCycle { place, program } => write!(
                f,
                "note: some threads can come to wait for each other's locks for ever, one of them at {place}; \
                 `threadwise check --deadlock {program}` shows how"
            ),
            Note::Breakdown { reason } => write!(f, "warning: {reason}; please report it"),
        }
    }
}

/// What `auto` did, and so why the answer came from where it came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Story {
    /// The engines that had no answer.
    pub gave_up: Vec<EngineName>,
    /// Those that were still at work when the answer came.
    pub at_work: Vec<EngineName>,
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (gave_up, at_work) = (list(&self.gave_up), list(&self.at_work));
        match (gave_up.is_empty(), at_work.is_empty()) {
            (true, true) => f.write_str("picked by auto: no other engine was needed"),
            (true, false) => write!(f, "the first to answer; {at_work} had begun too"),
            (false, true) => write!(f, "the one to answer; {gave_up} could not say"),
            (false, false) => write!(f, "the first to answer; {gave_up} could not say, {at_work} had begun too"),
        }
    }
}

/// `a, b and c`
fn list(names: &[EngineName]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_names_the_engines() {
        let (gave_up, at_work) = (vec![EngineName::Explicit, EngineName::Modular], vec![EngineName::Cartesian]);
        let whole = Story { gave_up: gave_up.clone(), at_work };
        let said = "the first to answer; explicit and modular could not say, cartesian had begun too";
        assert_eq!(whole.to_string(), said);
        assert_eq!(
            Story { gave_up, ..Story::default() }.to_string(),
            "the one to answer; explicit and modular could not say"
        );
        assert_eq!(Story::default().to_string(), "picked by auto: no other engine was needed");
    }
}
