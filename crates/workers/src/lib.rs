//! How work is done: side by side in turns, on threads with large stacks, and left behind when its limit is met and it
//! does not end. What the limits are is said in `limits`; nothing that judges depends on this.

mod stack;
mod turns;
mod watch;

pub use stack::on_large_stack;
pub use turns::{Turns, Worker};
pub use watch::watched;
