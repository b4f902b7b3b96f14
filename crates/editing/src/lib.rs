//! What editors want to know of a `.tw` text: how it is laid out ([`format_text`]), and where names are declared and used
//! ([`Index`]). It works on syntax alone, so it has answers for programs that are still wrong.

mod format;
mod index;
mod pieces;
mod spacing;

pub use format::format_text;
pub use index::{Index, Kind, Symbol, Use};
