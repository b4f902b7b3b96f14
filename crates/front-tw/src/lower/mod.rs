//! From the syntax tree to a program: names, types and constants are resolved, expressions get
//! their sorts, and statements become guarded commands between control locations.
//!
//! [`lower`] is the table of contents. Everything works on one [`Lowerer`]; each file adds the part
//! that its name says. An expression that is wrong lowers to `None` after it has been reported, and
//! whatever contains it stays silent.

mod abstracts;
mod arrays;
mod binary;
mod body;
mod budget;
mod calls;
mod channels;
mod constants;
mod contracts;
mod control;
mod declarations;
mod expressions;
mod fields;
mod finish;
mod fold;
mod functions;
mod graph;
mod locks;
mod machine;
mod names;
mod places;
mod properties;
mod quantifiers;
mod record_values;
mod records;
mod reporter;
mod sets;
mod starts;
mod statements;
mod types;
mod variables;

use crate::ast::Module;
use body::Body;
use budget::Budget;
use channels::Channel;
use constants::Constant;
use declarations::Procedure;
use functions::FunctionHead;
use names::{Global, Scope, Variable};
use records::{Record, RecordType};
use reporter::Reporter;
use rustc_hash::FxHashMap;
use starts::Starts;
use std::sync::Arc;
use threadwise_ir::{LocalId, LocationId, Program, RoutineId, SharedId, TemplateId, Unrolled};
use threadwise_source::{Diagnostic, Severity, SourceFile, SourceMap};
use threadwise_validate::finished;

/// What can be set from outside the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Values of constants that replace the declared ones (`-D NAME=VALUE`).
    pub defines: Vec<(String, i64)>,
    /// Deadlocks are errors, as if the program said so (`--deadlock`).
    pub nodeadlock: bool,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program, if there are no errors.
    pub program: Option<Program>,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// [`load`] returns at most this many diagnostics.
const MAX_DIAGNOSTICS: usize = 30;

/// Resolves and checks a syntax tree.
pub fn lower(source: Arc<SourceMap>, module: &Module, options: &Options) -> Lowered {
    lower_module(source, module, options, false)
}

/// Parses, resolves and checks a file. What the parser could make sense of is checked even if
/// other parts of the text are wrong.
pub fn load(file: SourceFile, options: &Options) -> Lowered {
    let parsed = crate::parse(&file);
    let incomplete = parsed.diagnostics.iter().any(|d| d.severity == Severity::Error);
    let mut lowered = lower_module(Arc::new(file.into()), &parsed.module, options, incomplete);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.append(&mut lowered.diagnostics);
    // Where there are too many, errors are worth more than warnings.
    diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
    diagnostics.truncate(MAX_DIAGNOSTICS);
    diagnostics.sort_by_key(|d| d.span);
    Lowered { program: lowered.program, diagnostics }
}

fn lower_module(source: Arc<SourceMap>, module: &Module, options: &Options, incomplete: bool) -> Lowered {
    let mut lowerer = Lowerer::new(source, module, incomplete);
    lowerer.collect_names();
    lowerer.evaluate_constants(&options.defines);
    lowerer.declare_types();
    lowerer.declare_records();
    lowerer.declare_functions();
    lowerer.declare_variables();
    lowerer.declare_threads_and_procedures();
    lowerer.lower_initial_values();
    lowerer.lower_bodies();
    lowerer.check_starts_in_atomic_calls();
    lowerer.lower_properties();
    if options.nodeadlock {
        lowerer.forbid_deadlocks();
    }
    lowerer.lower_contracts();
    lowerer.lower_abstract_threads();
    lowerer.check_unused_functions();
    lowerer.into_lowered()
}

/// What kind of text an expression stands in: it decides what the expression may mention.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// The code of a thread or procedure.
    Code,
    /// An action in the code.
    Action,
    /// The initial value of the shared variable with this index among the program's.
    InitialValue(usize),
    /// An `init` declaration.
    Init,
    /// An `invariant`, `never` or `exceptions` declaration.
    Property,
    /// A `rely` or `guarantee`.
    Contract,
    /// The assertion of a node of an abstract thread.
    AbstractNode,
    /// An edge of an abstract thread.
    AbstractEdge,
    /// The body of a function that nobody calls: it may mention whatever some text may.
    Function,
}

/// The state of the translation.
struct Lowerer<'a> {
    module: &'a Module,
    reporter: Reporter,
    budget: Budget,
    program: Program,
    globals: FxHashMap<&'a str, Global>,
    constants: Vec<Constant<'a>>,
    /// The shared variables as declared; indexed like [`names::GlobalKind::Shared`].
    variables: Vec<Variable>,
    procedures: Vec<Procedure>,
    records: Vec<Record<'a>>,
    /// The shared variables that are records, with a variable for each leaf.
    record_variables: Vec<(RecordType, Vec<SharedId>)>,
    /// The same for the locals of all routines.
    record_locals: Vec<(RecordType, Vec<LocalId>)>,
    /// Those of a thread by their names, for properties.
    records_of_routines: FxHashMap<(RoutineId, &'a str), (RecordType, Vec<LocalId>)>,
    channels: Vec<Channel>,
    /// The variable that signals share.
    signalled: Option<SharedId>,
    functions: Vec<FunctionHead<'a>>,
    /// The functions whose bodies are being expanded.
    expanding: Vec<usize>,
    starts: Starts,
    scopes: Vec<Scope<'a>>,
    mode: Mode,
    /// How many variables are bound around the expression at hand.
    bound: u32,
    /// The routine at hand.
    body: Body<'a>,
    /// The routines that each routine calls.
    callees: Vec<Vec<RoutineId>>,
    unrolled: Vec<Unrolled>,
    /// The locations that each routine's labels name.
    labels: Vec<FxHashMap<Arc<str>, Vec<LocationId>>>,
    /// The routines that control of a thread can reach, for the threads that were asked for.
    reachable: FxHashMap<TemplateId, Arc<[RoutineId]>>,
}

impl<'a> Lowerer<'a> {
    fn new(source: Arc<SourceMap>, module: &'a Module, incomplete: bool) -> Lowerer<'a> {
        Lowerer {
            module,
            reporter: Reporter::new(incomplete),
            budget: Budget::default(),
            program: Program::empty(source),
            globals: FxHashMap::default(),
            constants: Vec::new(),
            variables: Vec::new(),
            procedures: Vec::new(),
            records: Vec::new(),
            record_variables: Vec::new(),
            record_locals: Vec::new(),
            records_of_routines: FxHashMap::default(),
            channels: Vec::new(),
            signalled: None,
            functions: Vec::new(),
            expanding: Vec::new(),
            starts: Starts::default(),
            scopes: Vec::new(),
            mode: Mode::Init,
            bound: 0,
            body: Body::new(RoutineId(0), true),
            callees: Vec::new(),
            unrolled: Vec::new(),
            labels: Vec::new(),
            reachable: FxHashMap::default(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.reporter.report(diagnostic);
    }

    /// Runs `inner` on expressions of another kind of text.
    fn in_mode<R>(&mut self, mode: Mode, inner: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.mode, mode);
        let result = inner(self);
        self.mode = outer;
        result
    }

    fn into_lowered(mut self) -> Lowered {
        // What the parser left out may be what the rest relies on.
        let is_program = !self.reporter.has_errors() && !self.reporter.incomplete;
        self.program.unrolled = self.unrolled.into();
        let program = is_program.then(|| finished(self.program));
        Lowered { program, diagnostics: self.reporter.into_diagnostics() }
    }
}
