//! What was found out so far, in a file beside the table, so that a run that was interrupted goes on where it was.

use crate::exit::InputError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use threadwise_report_table::Row;

/// One line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    rows: Vec<Row>,
}

/// The file, and what was in it at the start.
pub struct Journal {
    path: PathBuf,
    file: File,
    known: BTreeMap<String, Vec<Row>>,
}

impl Journal {
    /// The journal of a table. Lines that are not whole are passed over.
    pub fn open(table: &Path) -> Result<Journal, InputError> {
        let mut name = table.as_os_str().to_os_string();
        name.push(".journal");
        let path = PathBuf::from(name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known = lines.map(|line| (line.key, line.rows)).collect();
        let file =
            OpenOptions::new().create(true).append(true).open(&path).map_err(|error| unwritable(&path, &error))?;
        let mut journal = Journal { path, file, known };
        // A line that an earlier run could not end must not swallow the first of this one.
        if !text.is_empty() && !text.ends_with('\n') {
            journal.write("\n")?;
        }
        Ok(journal)
    }

    pub fn known(&self, key: &str) -> Option<Vec<Row>> {
        self.known.get(key).cloned()
    }

    pub fn add(&mut self, key: &str, rows: &[Row]) -> Result<(), InputError> {
        let line = serde_json::to_string(&Line { key: key.to_string(), rows: rows.to_vec() });
        self.write(&(line.unwrap_or_default() + "\n"))
    }

    fn write(&mut self, text: &str) -> Result<(), InputError> {
        self.file.write_all(text.as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> InputError {
    InputError::new(format!("cannot write `{}`: {error}", path.display()))
}
