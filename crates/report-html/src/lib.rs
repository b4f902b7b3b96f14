//! A report as one HTML file that needs nothing else: no server, no network, no other file.
//!
//! ```text
//! let page = Page::new(&report);                           // what the page shows, as data
//! document(title, &[Some(to_value(&page))], None, &text)   // the file
//! ```
//!
//! The file has parts that are the same for all programs, `page.html`, `page.css` and the files of `script`, and the data of the
//! report as JSON. The script makes the page of the data, and puts whatever comes from a program into it as text. It
//! knows no verdict that the report does not have.

mod document;
mod page;

pub use document::{Compared, ComparedRow, document};
pub use page::{Page, Rely};
