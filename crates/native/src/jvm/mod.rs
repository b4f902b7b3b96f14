//! Java programs, led on a real virtual machine as a trace says.
//!
//! `Rewriter.java` puts a call before each access of memory and each call of the library; `Director.java` lets one thread go on
//! at a time, while monitors, locks and exceptions are those of the machine. `machine` compiles and runs both, `wanted` says
//! what of a trace such a program does too, `lead` leads the threads through that, and `end` looks for the error.
//!
//! What is confirmed has happened: an exception has ended a thread, all threads are blocked, or two stand before accesses that
//! race. Nothing of that depends on the front end, nor on how the trace is matched with what threads are about to do.

mod end;
mod event;
mod lead;
mod machine;
mod wanted;

pub use end::replay;
pub use machine::Classes;
