//! Threads that are started while the program runs, lowered to ordinary shared variables: what front ends call.
//!
//! The copies of a template all exist from the start and wait. Where their number is fixed, an array over `tid` tells how
//! far each thread is, idle, started or ended, and arrays over `tid` hold the arguments until the thread takes them.
//! Nothing here looks at the number of a thread, so that copies stay exchangeable. Where there is any number of copies,
//! arrays over `tid` would leave no cutoff; there a permit goes from the creator to any copy that waits for one. What the
//! steps mean is said in `docs/LANGUAGE.md`.
//!
//! A front end declares each template with [`Lives`] and [`Startable`], emits [`Startable::first_step`] where the
//! template's code begins and [`Startable::last_step`] where it ends, and for each statement that starts or joins a
//! thread the commands of [`Startable::start`] and [`Lives::join`]. Where the first step starts waiting is meant, since nobody
//! need start the thread; where one of any number of copies is started, whoever waits does so for copies: a front end says
//! so with `ir::Wait`.

mod commands;
mod declare;

pub use declare::{Lives, Parameter, Startable, is_status, tells_of_starts};
