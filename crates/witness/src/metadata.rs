//! Who says it, of what: the same for the same files, so that the same input gives the same output.

use crate::format::{Content, Entry, Metadata, Task, Witness};
use crate::write::to_yaml;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The question that a witness is about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The names of the program's files, as the user gave them, with what is in them.
    pub files: Vec<(String, Vec<u8>)>,
    /// A property by the name that users have for it.
    pub property: String,
    pub is_32_bit: bool,
    /// Seconds since 1970.
    pub time: u64,
    pub version: String,
}

/// Properties as the competition writes them; those that it does not have are written likewise.
const SPECIFICATIONS: [(&str, &str); 8] = [
    ("assertions", "G ! call(reach_error())"),
    ("races", "G ! data-race"),
    ("memory", "G valid-free"),
    ("memory", "G valid-deref"),
    ("memtrack", "G valid-memtrack"),
    ("overflow", "G ! overflow"),
    ("locks", "G ! lock-misuse"),
    ("deadlock", "G ! deadlock"),
];

/// The text that says what is asked.
pub fn specification(property: &str) -> String {
    let lines = SPECIFICATIONS.iter().filter(|(name, _)| *name == property);
    let lines: Vec<String> = lines.map(|(_, formula)| format!("CHECK( init(main()), LTL({formula}) )")).collect();
    lines.join("\n")
}

/// The property that a specification is about.
pub fn property_of(specification: &str) -> Option<&'static str> {
    let folded: String = specification.split_whitespace().collect();
    let is_in = |formula: &str| folded.contains(&formula.split_whitespace().collect::<String>());
    SPECIFICATIONS.iter().find(|(_, formula)| is_in(formula)).map(|(name, _)| *name)
}

/// A witness with these entries.
pub fn witness(subject: &Subject, format_version: &str, contents: Vec<Content>) -> Witness {
    let files = subject.files.iter().map(|(name, bytes)| (name.clone(), sha256(bytes))).collect();
    let data_model = if subject.is_32_bit { "ILP32" } else { "LP64" }.to_string();
    let metadata = Metadata {
        format_version: format_version.to_string(),
        uuid: String::new(),
        creation_time: time_text(subject.time),
        producer: "Threadwise".to_string(),
        producer_version: subject.version.clone(),
        task: Task { files, specification: specification(&subject.property), data_model },
    };
    let entry = |content: Content| {
        let mut entry = Entry { metadata: metadata.clone(), content };
        entry.metadata.uuid = uuid(&to_yaml(&Witness { entries: vec![entry.clone()] }));
        entry
    };
    Witness { entries: contents.into_iter().map(entry).collect() }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// An identifier that is made of what it identifies: version 8 of RFC 9562.
fn uuid(text: &str) -> String {
    let digits = sha256(text.as_bytes());
    format!("{}-{}-8{}-a{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..32])
}

/// Seconds since 1970 as a date and a time of day.
fn time_text(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The date so many days after the first of January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (length, month) in lengths.into_iter().zip(1..) {
        if left < length {
            return (year, month, left + 1);
        }
        left -= length;
    }
    (year, 12, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time_text(0), "1970-01-01T00:00:00Z");
        // `date -u -d 2026-11-18T06:03:26 +%s`, and the last day of a leap year.
        assert_eq!(time_text(1_794_981_806), "2026-11-18T06:03:26Z");
        assert_eq!(time_text(1_735_603_199), "2024-12-30T23:59:59Z");
        assert_eq!(time_text(1_709_164_800), "2024-02-29T00:00:00Z");
    }

    #[test]
    fn specifications_are_understood() {
        for property in ["assertions", "races", "memory", "overflow", "locks", "deadlock"] {
            assert_eq!(property_of(&specification(property)), Some(property));
        }
        assert_eq!(property_of("CHECK( init(main()), LTL(G ! call(reach_error()))  )"), Some("assertions"));
        assert_eq!(property_of("CHECK( init(main()), LTL(F end) )"), None);
    }

    #[test]
    fn hashes_are_those_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
