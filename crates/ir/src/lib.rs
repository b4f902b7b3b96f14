//! Programs, and the one semantics that everything else stands on.
//!
//! A [`Program`] is what a front end produces: shared variables, threads as control-flow graphs of
//! guarded commands, properties. An [`Instance`] is a program with a fixed number of threads, and
//! so with a fixed layout of its stores.
//!
//! This crate knows no engine, no file format and no solver.

mod abstraction;
mod any_copies;
mod bits;
mod choices;
mod compared;
pub mod deadlock;
mod edits;
mod elements;
mod eval;
mod expr;
mod failing;
mod fault;
mod inner;
mod instance;
mod observe;
mod outcomes;
pub mod patience;
mod point;
mod program;
mod property;
mod residual;
mod routines;
mod scene;
mod sort;
mod state;
mod step;
mod symmetry;
mod telling;

pub use abstraction::{Abstraction, Inexpressible, LocalProperty};
pub use any_copies::AnyCopies;
pub use bits::Bits;
pub use edits::Edits;
pub use eval::{Env, Locals, NoLocals, Words};
pub use expr::{BinaryOp, Binder, Domain, Expr, ExprKind, Quantifier, ThreadRef, UnaryOp, VarRef};
pub use fault::{Fault, Gap, NoValue};
pub use instance::{Instance, Store, Thread};
pub use observe::{Met, Observation, Observations};
pub use point::Point;
pub use program::{
    AbstractEdge, AbstractNode, AbstractThread, Assertion, AssertionKind, Command, Contract, Copies, Edge, EnumDef,
    Initial, LocalVar, Location, Op, Place, Program, Routine, SharedVar, Template, Update, Value, Wait,
};
pub use property::{Pattern, Property, Region, Sign, Violated, Wording};
pub use sort::{
    EdgeId, EnumId, LocalId, LocationId, PropertyId, RoutineId, SharedId, Sort, SortRef, TemplateId, ThreadId,
};
pub use state::{Broken, InitialStores, State};
pub use step::{Control, Failure, Frame, Path, StepError, Steps, Successor};
pub use symmetry::{Cutoff, Symmetry};
pub use telling::{NamedObject, Pool, Shape, Shown, Telling, Told, ToldAccess, Unrolled};
