//! The answer in other forms than what is printed: files for browsers and for other programs.

use crate::args::CheckArgs;
use crate::complaint::error_json;
use crate::exit::InputError;
use crate::pending::PendingFile;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use threadwise_report::{Layout, Report, human, json, to_text};
use threadwise_report_ci::{Checked, junit, sarif};
use threadwise_report_html::{Page, document};

/// How wide text is for those who see a page without its script.
const TEXT_WIDTH: usize = 100;

/// The files that the user asked for.
pub struct Forms {
    html: Option<PendingFile>,
    page: Option<PendingFile>,
    report: Option<PendingFile>,
    findings: Findings,
    /// The name of the program.
    program: String,
}

impl Forms {
    /// Makes sure that the files can be written.
    pub fn prepare(args: &CheckArgs, program: &Path) -> Result<Forms, InputError> {
        let forms = &args.forms;
        Ok(Forms {
            html: prepare(&forms.html, program)?,
            page: prepare(&forms.page, program)?,
            report: prepare(&forms.report, program)?,
            findings: Findings::prepare(args, program)?,
            program: program.display().to_string(),
        })
    }

    pub fn write(&mut self, report: &Report) -> Result<(), InputError> {
        self.write_page(report)?;
        if self.report.is_some() || self.findings.is_wanted() {
            let value = serde_json::to_value(json(report)).unwrap_or_default();
            self.write_value(&value)?;
        }
        Ok(())
    }

    /// Bad input is a finding, too.
    pub fn write_error(&mut self, error: &InputError) -> Result<(), InputError> {
        if self.report.is_some() || self.findings.is_wanted() {
            self.write_value(&error_json(error))?;
        }
        Ok(())
    }

    fn write_value(&mut self, value: &Value) -> Result<(), InputError> {
        put(&mut self.report, || to_text(value))?;
        self.findings.write(&[Checked { file: &self.program, report: value }])
    }

    fn write_page(&mut self, report: &Report) -> Result<(), InputError> {
        if self.html.is_none() && self.page.is_none() {
            return Ok(());
        }
        let page = Page::new(report);
        let data = serde_json::to_value(&page).unwrap_or_default();
        put(&mut self.page, || data.to_string())?;
        put(&mut self.html, || {
            let text = human(report, &Layout { width: Some(TEXT_WIDTH), color: false, whole: false });
            document(&title(&page), &[Some(data)], None, &text)
        })
    }
}

/// What other programs read: the findings of one program or of several in one file.
pub struct Findings {
    sarif: Option<PendingFile>,
    junit: Option<PendingFile>,
}

impl Findings {
    pub fn prepare(args: &CheckArgs, program: &Path) -> Result<Findings, InputError> {
        Ok(Findings { sarif: prepare(&args.forms.sarif, program)?, junit: prepare(&args.forms.junit, program)? })
    }

    pub fn is_wanted(&self) -> bool {
        self.sarif.is_some() || self.junit.is_some()
    }

    pub fn write(&mut self, all: &[Checked]) -> Result<(), InputError> {
        put(&mut self.sarif, || to_text(&sarif(all)))?;
        put(&mut self.junit, || junit(all))
    }
}

fn prepare(path: &Option<PathBuf>, program: &Path) -> Result<Option<PendingFile>, InputError> {
    path.as_ref().map(|path| PendingFile::prepare(path, program)).transpose()
}

/// Writes a file, if it is wanted.
fn put(file: &mut Option<PendingFile>, text: impl FnOnce() -> String) -> Result<(), InputError> {
    match file.take() {
        Some(file) => file.write(|mut out| out.write_all(text().as_bytes())),
        None => Ok(()),
    }
}

/// `UNSAFE: bank.c`
fn title(page: &Page) -> String {
    format!("{}: {}", page.report.verdict.to_uppercase(), page.title)
}
