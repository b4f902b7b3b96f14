//! The `threadwise` program as its users meet it.

mod bad_input;
mod c;
mod compare;
mod conformance;
mod cover;
mod deadlock;
mod evidence;
mod forms;
mod generated;
mod java;
mod limits;
mod lsp;
mod modular;
mod native;
mod output;
mod predicates;
mod runner;
mod several;
mod show;
mod simulate;
mod table;
mod tasks;
mod transition_systems;
mod verdicts;
mod watch;
mod witness;
