//! Engine `cartesian`: Cartesian abstraction with exception sets, found by counterexample-guided
//! refinement.
//!
//! CART, chapters 2 and 3. Threads are looked at one at a time: for each shared state, any combination
//! of the threads' local states is taken to be possible. Where that is too coarse, some states are
//! *exceptions*: they are set aside before the abstraction and added again after it. Which states, the
//! engine learns from errors of the abstraction that are none of the program's. For finite programs this
//! always ends with a proof or an execution.
//!
//! The engine knows nothing of other engines, of solvers or of files.

mod chain;
mod condition;
mod danger;
mod locks;
mod proof;
mod refine;
mod space;
mod trace;
mod waiting;

pub use refine::{Extract, Iterate, Refine};

use chain::{Chain, Products};
use danger::Danger;
use refine::{End, Run, Watcher};
use space::{InitialError, Space, Stop};
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_coverings::covered;
use threadwise_evidence::{Proof, Trace, Violation};
use threadwise_ir::{Instance, Program, Symmetry, TemplateId};
use threadwise_limits::Budget;
use threadwise_products::ProductId;

/// Where exceptions come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Exceptions {
    /// From the program's `exceptions` declarations, if it has some; then from refinement.
    #[default]
    Declared,
    /// From refinement alone.
    Search,
    /// From the program text, for programs with locks; then from refinement.
    Locks,
}

impl Exceptions {
    /// The sources by the names that users give, each with what it means.
    pub const CHOICES: [(Exceptions, &'static str, &'static str); 3] = [
        (
            Exceptions::Declared,
            "declared",
            "From `exceptions` declarations, if there are some, and then from spurious errors",
        ),
        (Exceptions::Search, "search", "From spurious errors alone"),
        (Exceptions::Locks, "locks", "From the text of a program with locks, and then from spurious errors"),
    ];
}

/// How to analyse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// From which iterate on extracted exceptions are used.
    pub refine: Refine,
    /// How exceptions are extracted.
    pub extract: Extract,
    /// Where exceptions come from.
    pub exceptions: Exceptions,
    /// Treat interchangeable copies of a thread as one.
    pub symmetry: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            refine: Refine::default(),
            extract: Extract::default(),
            exceptions: Exceptions::default(),
            symmetry: true,
        }
    }
}

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    match program.has_any_copies() {
        true => Err("it needs a fixed number of threads, and `[*]` means any number".to_string()),
        false => Ok(()),
    }
}

/// Whether the program is of the class for which exceptions are known from its text.
pub fn has_locks_only(program: &Program) -> Result<(), String> {
    locks::held(program).map(|_| ())
}

/// Analyses a program.
pub fn analyse(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    analyse_instance(program, options, budget, None)
}

/// Analyses a program and tells of each iterate.
pub fn watch(
    program: &Arc<Program>,
    options: &Options,
    budget: &Budget,
    watcher: &mut dyn FnMut(&Iterate),
) -> (Claim, Stats) {
    analyse_instance(program, options, budget, Some(watcher))
}

fn analyse_instance(
    program: &Arc<Program>,
    options: &Options,
    budget: &Budget,
    watcher: Option<Watcher<'_>>,
) -> (Claim, Stats) {
    let instance = Instance::new(program.clone(), 0);
    let mut stats = Stats::default();
    let claim = run(&instance, options, budget, watcher, &mut stats).unwrap_or_else(|stop| stopped(&instance, stop));
    (claim, stats)
}

fn run(
    instance: &Instance,
    options: &Options,
    budget: &Budget,
    watcher: Option<Watcher<'_>>,
    stats: &mut Stats,
) -> Result<Claim, Stop> {
    let held = match options.exceptions {
        Exceptions::Locks => match locks::held(&instance.program) {
            Ok(held) => Some(held),
            Err(why) => return Ok(not_of_the_class(why)),
        },
        _ => None,
    };
    let symmetric = symmetric_templates(instance, options);
    let mut space = Space::new(instance, &symmetric, budget);
    let initial = match space.initial()? {
        Ok(initial) => initial,
        Err(error) => return Ok(Claim::Refuted(initial_error(instance, error))),
    };
    let given = match (options.exceptions, held) {
        (_, Some(held)) => {
            let fixpoint = thread_modular_fixpoint(&mut space, &initial, options)?;
            locks::exceptions(&mut space, &held, &fixpoint)?
        }
        (Exceptions::Declared, _) if !instance.program.exceptions.is_empty() => {
            let fixpoint = thread_modular_fixpoint(&mut space, &initial, options)?;
            declared(&mut space, &fixpoint)?
        }
        _ => Products::new(),
    };
    let mut run = Run::new(&mut space, Danger::of_program(instance), &initial, options.extract);
    run.watcher = watcher;
    let end = match options.refine {
        Refine::Lazy if given.is_empty() => run.refine_lazily(),
        _ => run.refine_eagerly(given),
    };
    let last = run.chain.len();
    let products = run.chain.products(last).len();
    let exceptions =
        products - run.chain.products(last).iter().filter(|&&(s, p)| run.chain.main(last, s) == Some(p)).count();
    let numbers = vec![
        ("refinements", run.refinements),
        ("iterates", run.iterates),
        ("products", products as u64),
        ("exceptions", exceptions as u64),
    ];
    *stats = Stats { taken: Some(run.space.tables.taken.counts()), ..Stats::of(numbers) };
    match end? {
        End::Safe => {
            let proof = covered(instance, proof::proof(&run), run.space.pace.budget())?;
            Ok(Claim::Proved(Proof::Cartesian(proof)))
        }
        End::Unsafe(chains) => Ok(Claim::Refuted(trace::trace(run.space, &chains)?)),
    }
}

/// The templates whose copies can be taken together: the shared variables do not name threads, and the
/// properties do not tell copies apart.
fn symmetric_templates(instance: &Instance, options: &Options) -> Vec<TemplateId> {
    let program = &instance.program;
    let names_threads = program.shared.iter().any(|var| var.sort.mentions_tid());
    let is_symmetric = || {
        Danger::of_program(instance).is_symmetric(instance) && Danger::of_exceptions(instance).is_symmetric(instance)
    };
    match program.symmetry() {
        Symmetry::Among(templates)
            if options.symmetry && options.extract == Extract::Eager && !names_threads && is_symmetric() =>
        {
            templates
        }
        _ => Vec::new(),
    }
}

/// The least fixpoint without exceptions.
fn thread_modular_fixpoint(
    space: &mut Space<'_>,
    initial: &[(u32, ProductId)],
    options: &Options,
) -> Result<Vec<(u32, ProductId)>, Stop> {
    let mut run = Run::new(space, Danger::nothing(), initial, options.extract);
    run.fixpoint()?;
    let chain: &Chain = &run.chain;
    Ok(chain.products(chain.len()))
}

/// The states that the program declares to be exceptions, among those of the thread-modular fixpoint.
fn declared(space: &mut Space<'_>, fixpoint: &[(u32, ProductId)]) -> Result<Products, Stop> {
    let mut wanted = Danger::of_exceptions(space.instance);
    let mut exceptions = Products::new();
    for &(store, product) in fixpoint {
        let products = wanted.products(space, store, product)?;
        if !products.is_empty() {
            exceptions.insert(store, products);
        }
    }
    Ok(exceptions)
}

fn initial_error(instance: &Instance, error: InitialError) -> Trace {
    let violation = match error {
        InitialError::Store(fault, span) => Violation::Initial(fault, span),
        InitialError::Thread(thread, error, span) => Violation::Start { thread, error, span },
    };
    Trace { any_copies: instance.any_copies(), initial: None, steps: Vec::new(), violation }
}

fn not_of_the_class(why: String) -> Claim {
    Claim::Unknown(Unknown {
        reason: format!("no exceptions are known from the program text\n{why}"),
        advice: vec![Advice::LeaveLocksOut],
    })
}

fn stopped(instance: &Instance, stop: Stop) -> Claim {
    Claim::Unknown(match stop {
        Stop::Limit(limit) => Unknown::at_limit(limit),
        Stop::Gap(gap) => Unknown::from_gap(&instance.program, gap),
    })
}
