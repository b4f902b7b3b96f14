//! From text to programs: what is said about wrong ones, and what right ones become.

mod contracts;
mod errors_actions;
mod errors_constants;
mod errors_names;
mod errors_properties;
mod errors_statements;
mod errors_types;
mod formulas;
mod graph_control;
mod graph_data;
mod limits;
mod machine_integers;
mod robustness;
mod short_models;
mod show;
mod starts;
mod validate;
