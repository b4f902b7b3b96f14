//! Programs as the engines see them: threads as graphs of guarded commands.

use crate::{
    Domain, EdgeId, Expr, ExprKind, LocalId, LocationId, Property, PropertyId, RoutineId, SharedId, Sort, SortRef,
    Telling, TemplateId, UnaryOp, Unrolled, VarRef,
};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use threadwise_source::{SourceMap, Span};

/// A program: shared variables, threads, properties.
#[derive(Clone, Debug)]
pub struct Program {
    /// The texts it came from.
    pub source: Arc<SourceMap>,
    pub enums: Vec<EnumDef>,
    pub shared: Vec<SharedVar>,
    /// What initial states satisfy beside the variables' initial values.
    pub init: Vec<Expr>,
    /// The threads in order of declaration.
    pub templates: Vec<Template>,
    /// The code of the threads and procedures.
    pub routines: Vec<Routine>,
    /// All control locations, routine by routine.
    pub locations: Vec<Location>,
    /// All edges, routine by routine; a program that differs in the rest can share them.
    pub edges: Arc<Vec<Edge>>,
    /// The properties to verify, beside the assertions on edges.
    pub properties: Vec<Property>,
    /// What threads may expect of each other's steps.
    pub relies: Vec<Contract>,
    /// What threads promise of their own steps.
    pub guarantees: Vec<Contract>,
    /// Specifications of threads by abstract threads.
    pub abstract_threads: Vec<AbstractThread>,
    /// States that a Cartesian abstraction should keep as they are, one set united from all; annotations, not
    /// properties. `walk_expressions` leaves them out, so what is derived from it (`uses_ord`, the symmetry, the
    /// cutoff) speaks of the program without them: copies that can be permuted in the program may still be told
    /// apart here.
    pub exceptions: Vec<Expr>,
    /// A program that does at least what this one does, as far as races are concerned, and knows less about values: where
    /// nothing races and nothing goes wrong there, nothing races here, and all is well here too. It may do more, so that
    /// what goes wrong there says nothing.
    pub outline: Option<Arc<Program>>,
    /// How to tell people of it, where its text alone does not; nothing that is verified depends on it.
    pub telling: Option<Arc<Telling>>,
    /// The loops that were unrolled, inner ones first; for people, too.
    pub unrolled: Arc<[Unrolled]>,
    /// Of arrays over all integers, states keep the elements from 0 up to this number, which is none of them. A step that
    /// accesses another one is a [`Gap`](crate::Gap).
    pub kept_elements: u32,
}

impl Program {
    /// A program of which nothing has been said yet.
    pub fn empty(source: Arc<SourceMap>) -> Program {
        Program {
            source,
            enums: Vec::new(),
            shared: Vec::new(),
            init: Vec::new(),
            templates: Vec::new(),
            routines: Vec::new(),
            locations: Vec::new(),
            edges: Arc::default(),
            properties: Vec::new(),
            relies: Vec::new(),
            guarantees: Vec::new(),
            abstract_threads: Vec::new(),
            exceptions: Vec::new(),
            outline: None,
            telling: None,
            unrolled: Arc::default(),
            kept_elements: 4,
        }
    }
}

/// An enumeration type.
#[derive(Clone, Debug)]
pub struct EnumDef {
    pub name: Arc<str>,
    /// Its members in order.
    pub members: Vec<Arc<str>>,
}

/// A shared variable. An `rwlock` named `l` is the two variables `l.w` and `l.r`.
#[derive(Clone, Debug)]
pub struct SharedVar {
    pub name: Arc<str>,
    pub sort: Sort,
    pub init: Initial,
    /// Its name in the declaration.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Initial {
    /// The default of the sort.
    Default,
    /// A value; it may read shared variables declared before.
    Value(Expr),
    /// Any value of the sort.
    Any,
}

/// A thread as declared.
#[derive(Clone, Debug)]
pub struct Template {
    pub name: Arc<str>,
    /// How many copies there are.
    pub copies: Copies,
    pub body: RoutineId,
    /// Its name in the declaration.
    pub span: Span,
}

/// How many copies of a thread there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copies {
    /// One, whose name is its identity.
    Single,
    /// This many (perhaps none).
    Exactly(u32),
    /// Any number.
    Any,
}

/// The code of a thread or of a procedure: a control-flow graph and local variables.
#[derive(Clone, Debug)]
pub struct Routine {
    /// The name of the thread or procedure.
    pub name: Arc<str>,
    /// Its local variables; the parameters come first.
    pub locals: Vec<LocalVar>,
    /// How many of the locals are parameters.
    pub params: usize,
    /// The local that holds the result.
    pub result: Option<LocalId>,
    /// Where it starts.
    pub entry: LocationId,
    /// Where a thread ends. A procedure ends with [`Op::Return`] instead, and nothing leads here.
    pub exit: LocationId,
    /// Its locations, which are consecutive; see [`Program::locations_of`].
    pub locations: Range<u32>,
    /// Its edges, which are consecutive; see [`Program::edges_of`].
    pub edges: Range<u32>,
}

impl Routine {
    /// A routine whose code is still to come.
    pub fn new(name: Arc<str>) -> Routine {
        Routine {
            name,
            locals: Vec::new(),
            params: 0,
            result: None,
            entry: LocationId(0),
            exit: LocationId(0),
            locations: 0..0,
            edges: 0..0,
        }
    }
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct LocalVar {
    pub name: Arc<str>,
    pub sort: Sort,
    /// Its name in the declaration.
    pub span: Span,
}

/// A point between two steps of a thread.
#[derive(Clone, Debug)]
pub struct Location {
    /// Whose.
    pub routine: RoutineId,
    /// The labels that name it.
    pub labels: Box<[Arc<str>]>,
    /// The edges that leave it.
    pub edges: SmallVec<[EdgeId; 4]>,
    /// No other thread sees this location: control runs on from here within the same step. These
    /// are the insides of atomic blocks and the points before unobservable declarations.
    pub transient: bool,
    /// What it means to wait here.
    pub wait: Wait,
    /// The locals out of scope here; they hold their defaults. Neighbours mostly have the same list.
    pub dead: Arc<[LocalId]>,
    /// The `invariant` clauses of the loop that starts here; annotations, not properties.
    pub invariants: Box<[Expr]>,
    /// The first statement from here, or the end of the block.
    pub span: Span,
}

impl Location {
    /// A location that other threads see, without a name, from which nothing leads on yet.
    pub fn new(routine: RoutineId, span: Span) -> Location {
        Location {
            routine,
            labels: Box::default(),
            edges: SmallVec::new(),
            transient: false,
            wait: Wait::Counts,
            dead: Arc::default(),
            invariants: Box::default(),
            span,
        }
    }
}

/// What it means if a thread can take no step where it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Wait {
    /// It waits; if it does so for ever, it is stuck.
    #[default]
    Counts,
    /// It may wait for ever, and counts as one that has ended.
    IsMeant,
    /// It waits until a copy of a thread with any number of copies takes notice of the start before; there is always one
    /// more copy that could.
    IsForCopies,
}

/// A guarded command between two locations.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// Where it leads; for a call, where the caller goes on after the return.
    pub to: LocationId,
    /// What it does.
    pub op: Op,
    /// The statement or test it comes from.
    pub span: Span,
    /// The edge stands for an outcome of a test: `true` and `false` tell which, for printing.
    pub branch: Option<bool>,
    /// What it accesses it accesses atomically, as far as races are concerned.
    pub atomic: bool,
}

impl Edge {
    /// Whether it is there to fail, and not to be passed.
    pub fn only_fails(&self) -> bool {
        let is_false = |e: &Expr| matches!(e.kind, ExprKind::Const(0));
        matches!(&self.op, Op::Command(command) if command.assertions.iter().any(|assertion| is_false(&assertion.condition)))
    }
}

/// What an edge does.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// Assert, wait, assign.
    Command(Command),
    /// Push a frame for a procedure whose parameters get the values of the arguments.
    Call {
        /// The procedure.
        routine: RoutineId,
        args: Box<[Expr]>,
        /// Where the result goes when the procedure returns.
        result: Option<Box<Place>>,
    },
    /// Pop the frame. The result is the value, or else the result variable's.
    Return(Option<Box<Expr>>),
}

/// A guarded command: where an assertion fails it is an error, where the guard is false it
/// blocks, otherwise it updates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Command {
    /// What must hold before the step.
    pub assertions: Box<[Assertion]>,
    /// What the step waits for.
    pub guard: Option<Box<Expr>>,
    /// What changes.
    pub update: Update,
}

/// An assertion and what it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Assertion {
    /// What must hold.
    pub condition: Expr,
    /// What it comes from.
    pub kind: AssertionKind,
    /// What the user has to say to whom it fails for; nothing else depends on it.
    pub message: Option<Arc<str>>,
}

/// What an assertion comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssertionKind {
    /// `assert e;`
    Assert,
    /// A lock is released by a thread that does not hold it.
    Release,
    /// A thread is started although none of its copies is left.
    Start,
    /// Something is joined that cannot be started.
    Join,
    /// Memory is accessed or freed that must not be.
    Memory,
    /// A signed number overflows, a divisor is zero, a shift is too wide.
    Arithmetic,
    /// A lock is used in a way that its library does not allow.
    Lock,
    /// An exception is thrown that nobody catches.
    Exception,
    /// The program leaves what the lowering of its language covers. To get there says nothing about the program.
    Beyond,
}

/// How the variables change.
#[derive(Clone, PartialEq, Debug)]
pub enum Update {
    /// Simultaneous assignments: all right-hand sides and indices are evaluated first.
    Assign(Box<[(Place, Value)]>),
    /// The variables in the frame get any values for which the formula holds.
    Action {
        /// The variables that may change.
        frame: Box<[VarRef]>,
        /// What holds of the step.
        formula: Box<Expr>,
        /// What is an error where it does not hold of the step.
        assertion: Option<Box<Expr>>,
    },
}

impl Default for Update {
    fn default() -> Update {
        Update::Assign(Box::default())
    }
}

/// The right-hand side of an assignment.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// The value of an expression.
    Of(Expr),
    /// Any value of the place's sort.
    Any,
}

/// What can be assigned: a variable, or an element of an array variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The variable.
    pub var: VarRef,
    /// The indices, outermost first.
    pub indices: Box<[Expr]>,
    /// The sort of the place.
    pub sort: SortRef,
    /// Where it stands.
    pub span: Span,
}

/// A rely or a guarantee.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Whose; in the formula the thread is the bound variable 0.
    pub subject: Domain,
    /// The name of the bound variable, for printing.
    pub binder: Arc<str>,
    /// Over shared variables before and after the step.
    pub formula: Expr,
    /// The whole declaration.
    pub span: Span,
}

/// A specification of each copy of a thread.
#[derive(Clone, Debug)]
pub struct AbstractThread {
    /// The thread it specifies.
    pub template: TemplateId,
    /// Indices of the initial nodes.
    pub init: Vec<usize>,
    /// Every node may also stutter.
    pub idle: bool,
    pub nodes: Vec<AbstractNode>,
    pub edges: Vec<AbstractEdge>,
    /// Its name in the declaration.
    pub span: Span,
}

/// A node of an abstract thread.
#[derive(Clone, Debug)]
pub struct AbstractNode {
    pub name: Arc<str>,
    pub assertion: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

/// An edge of an abstract thread.
#[derive(Clone, Debug)]
pub struct AbstractEdge {
    /// Index of the source node.
    pub from: usize,
    /// Index of the target node.
    pub to: usize,
    /// The variables that may change.
    pub frame: Vec<SharedId>,
    /// What holds of the step; `true` where there is none.
    pub formula: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

impl Program {
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    pub fn routine(&self, id: RoutineId) -> &Routine {
        &self.routines[id.index()]
    }

    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.index()]
    }

    pub fn property(&self, id: PropertyId) -> &Property {
        &self.properties[id.index()]
    }

    /// Whether there are threads with any number of copies.
    pub fn has_any_copies(&self) -> bool {
        self.declared_with_any_copies() > 0
    }

    /// How many threads are declared with any number of copies.
    pub fn declared_with_any_copies(&self) -> usize {
        self.templates.iter().filter(|t| t.copies == Copies::Any).count()
    }

    /// Calls `visit` on every expression that the behaviour or the properties depend on;
    /// contracts, abstract threads and exceptions are not among them.
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        for var in &self.shared {
            if let Initial::Value(e) = &var.init {
                e.walk(visit);
            }
        }
        self.init.iter().for_each(|e| e.walk(visit));
        self.edges.iter().for_each(|edge| edge.op.walk_expressions(visit));
        self.formulas().for_each(|(_, e, _)| e.walk(visit));
    }

    /// The variables, shared and local, that have infinitely many values.
    pub fn unbounded_variables(&self) -> impl Iterator<Item = (&Arc<str>, Span)> {
        let shared = self.shared.iter().map(|var| (&var.name, &var.sort, var.span));
        let locals = self.routines.iter().flat_map(|routine| &routine.locals);
        let all = shared.chain(locals.map(|var| (&var.name, &var.sort, var.span)));
        all.filter(|(_, sort, _)| sort.is_infinite()).map(|(name, _, span)| (name, span))
    }

    /// Whether some variable has infinitely many values.
    pub fn has_unbounded_data(&self) -> bool {
        self.unbounded_variables().next().is_some()
    }

    /// Whether `ord` occurs: then copies of a thread can tell each other apart.
    pub fn uses_ord(&self) -> bool {
        let mut found = false;
        self.walk_expressions(&mut |e| found |= matches!(e.kind, ExprKind::Unary(UnaryOp::Ord, _)));
        found
    }
}

impl Op {
    /// Whether it only goes on, whatever the state is.
    pub fn does_nothing(&self) -> bool {
        let Op::Command(Command { assertions, guard: None, update: Update::Assign(assignments) }) = self else {
            return false;
        };
        assertions.is_empty() && assignments.is_empty()
    }

    /// Calls `visit` on every expression in the operation.
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Op::Command(command) => {
                command.assertions.iter().for_each(|a| a.condition.walk(visit));
                command.guard.iter().for_each(|e| e.walk(visit));
                command.update.walk_expressions(visit);
            }
            Op::Call { args, result, .. } => {
                args.iter().for_each(|e| e.walk(visit));
                result.iter().flat_map(|place| &place.indices).for_each(|e| e.walk(visit));
            }
            Op::Return(value) => value.iter().for_each(|e| e.walk(visit)),
        }
    }
}

impl Update {
    fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    place.indices.iter().for_each(|e| e.walk(visit));
                    if let Value::Of(e) = value {
                        e.walk(visit);
                    }
                }
            }
            Update::Action { formula, assertion, .. } => {
                formula.walk(visit);
                assertion.iter().for_each(|e| e.walk(visit));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::size_of;

    #[test]
    fn what_there_are_millions_of_is_small() {
        assert_eq!(size_of::<Expr>(), 40);
        assert_eq!(size_of::<(Place, Value)>(), 80);
        assert_eq!(size_of::<Edge>(), 88);
        assert_eq!(size_of::<Location>(), 88);
    }
}
