//! The server as a client sees it.

mod client;
mod names;
mod typing;
mod verdicts;
