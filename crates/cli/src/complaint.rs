//! What is wrong with the input, for people on standard error and for programs on standard output.

use crate::args::Format;
use crate::console::{print, printed, say, stderr_color};
use crate::exit::{Exit, InputError};
use serde_json::Value;
use std::io::Write;
use threadwise_diagnostics::render;
use threadwise_limits::Limit;
use threadwise_report::{DiagnosticJson, ErrorJson, diagnostic_json, to_text, unknown_json};
use threadwise_report_ci::{Checked, github};
use threadwise_source::{Diagnostic, SourceMap};

/// Tells the user what is wrong. Programs get an object, whatever it is that is wrong.
pub fn complain(error: &InputError, format: Format) -> Exit {
    match error {
        InputError::Message { message, hint } => {
            say(&format!("error: {message}"));
            hint.iter().for_each(|hint| say(&format!("  help: {hint}")));
        }
        InputError::Program { source, diagnostics } => tell(source, diagnostics),
        InputError::Limit(limit) => return give_up(*limit, format),
    }
    // If even that cannot be written, standard error has to do.
    let _ = match format {
        Format::Json => print(&to_text(&error_json(error))),
        Format::Github => print(&annotations(&error_json(error))),
        Format::Human | Format::Svcomp => Ok(()),
    };
    Exit::BadInput
}

/// The error as the object that is printed instead of a report.
pub fn error_json(error: &InputError) -> Value {
    let diagnostics = match error {
        InputError::Message { message, hint } => vec![DiagnosticJson::without_place(message, hint.as_deref())],
        InputError::Program { source, diagnostics } => {
            diagnostics.iter().map(|diagnostic| diagnostic_json(source, diagnostic)).collect()
        }
        InputError::Limit(limit) => {
            return serde_json::to_value(unknown_json(&read_until(*limit), &[])).unwrap_or_default();
        }
    };
    serde_json::to_value(ErrorJson::new(diagnostics)).unwrap_or_default()
}

/// What GitHub shows; the diagnostics name their files themselves.
fn annotations(report: &Value) -> String {
    github(&Checked { file: "", report })
}

fn read_until(limit: Limit) -> String {
    format!("{limit} while the program was read")
}

/// A limit was met before there was a program to say anything about.
fn give_up(limit: Limit, format: Format) -> Exit {
    let reason = read_until(limit);
    let printed = print(&match format {
        Format::Human => format!("UNKNOWN: {reason}\n"),
        Format::Svcomp => "unknown\n".to_string(),
        Format::Github => annotations(&error_json(&InputError::Limit(limit))),
        Format::Json => to_text(&unknown_json(&reason, &[])),
    });
    printed.map_or_else(|error| complain(&error, Format::Human), |()| Exit::Unknown)
}

/// Shows diagnostics on standard error.
pub fn tell(source: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        say(&format!("{}\n", render(source, diagnostics, stderr_color())));
    }
}

/// Prints a help text or the version, or what is wrong with the command line.
pub fn complain_about_flags(usage: &clap::Error) -> Exit {
    if !usage.use_stderr() {
        return match printed(usage.print().and_then(|()| std::io::stdout().flush())) {
            Ok(()) => Exit::Safe,
            Err(error) => complain(&error, Format::Human),
        };
    }
    if wants_json(std::env::args_os().map(|flag| flag.to_string_lossy().into_owned())) {
        let text = usage.to_string();
        let (message, hint) = parts(&text);
        let _ = print(&to_text(&ErrorJson::new(vec![DiagnosticJson::without_place(&message, hint.as_deref())])));
    }
    let _ = usage.print();
    Exit::BadInput
}

/// The message, on one line, and what the rest has to say.
fn parts(text: &str) -> (String, Option<String>) {
    let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = one_line(first.strip_prefix("error:").unwrap_or(first));
    (message, Some(one_line(rest)).filter(|rest| !rest.is_empty()))
}

/// Whether flags that could not be understood ask for JSON.
fn wants_json(flags: impl Iterator<Item = String>) -> bool {
    let flags: Vec<String> = flags.take_while(|flag| flag != "--").collect();
    let in_two = flags.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    in_two || flags.iter().any(|flag| flag == "--format=json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_asked_for_before_two_dashes() {
        let asks = |flags: &str| wants_json(flags.split(' ').map(str::to_string));
        assert!(asks("check --format json a.tw") && asks("check --format=json"));
        assert!(!asks("check --format human json") && !asks("check -- --format json"));
    }

    #[test]
    fn a_complaint_about_flags_is_a_message_and_a_hint() {
        let text = "error: invalid value 'N' for '-D':\n  write NAME=VALUE\n\nFor more information, try '--help'.\n";
        let (message, hint) = parts(text);
        assert_eq!(message, "invalid value 'N' for '-D': write NAME=VALUE");
        assert_eq!(hint.as_deref(), Some("For more information, try '--help'."));
    }
}
