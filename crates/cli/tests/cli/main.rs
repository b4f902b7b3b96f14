//! The `threadwise` program as its users meet it.

mod bad_input;
mod compare;
mod conformance;
mod evidence;
mod generated;
mod limits;
mod modular;
mod output;
mod runner;
mod show;
mod transition_systems;
mod verdicts;
