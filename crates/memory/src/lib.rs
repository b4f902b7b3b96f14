//! Objects, pointers, machine integers, dynamic threads and lock kinds: what front ends for languages with memory share.
//! A program in [`code`] becomes one that the engines understand. This crate knows no syntax and no engine.

pub mod code;
