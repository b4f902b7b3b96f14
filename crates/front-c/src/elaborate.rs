//! What the elaboration of a program knows: names, types, and which functions and variables somebody needs.
//!
//! Functions and variables are elaborated when something that can be reached mentions them, beginning with the entries.
//! So nothing is refused in what is never called.

use crate::annotations::Clause;
use crate::body::Body;
use crate::layout::Structs;
use crate::order::Mentions;
use crate::types::{DataModel, Kind, Ty};
use lang_c::ast::{FunctionDefinition, Initializer};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use threadwise_memory::code::{self, Expr, Function, FunctionId, GlobalId, LocalId, StructId, Variable};
use threadwise_source::{Diagnostic, SourceMap, Span};

pub type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A number of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A function or variable with linkage, before it has a place in the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EntityId(pub u32);

/// What a name means.
#[derive(Clone, Debug)]
pub enum Symbol {
    Typedef(Ty),
    Enumerator(i64, Ty),
    Entity(EntityId),
    Local(LocalId, Ty),
    /// A name for a value that does not change.
    Value(Expr, Ty),
    /// A local whose size is known only when it is declared: the pointer to it, and the type of the elements.
    Sized(LocalId, Ty),
}

#[derive(Clone, Debug)]
pub enum Tag {
    Struct(StructId),
    Enum(Ty),
}

#[derive(Default)]
pub struct Scope {
    pub names: FxHashMap<String, Symbol>,
    pub tags: FxHashMap<String, Tag>,
}

/// A function or variable that lives as long as the program.
pub struct Entity<'a> {
    pub name: Arc<str>,
    pub ty: Ty,
    pub span: Span,
    pub kind: EntityKind<'a>,
}

pub enum EntityKind<'a> {
    Function { definition: Option<(FileId, &'a Node<FunctionDefinition>)>, id: Option<FunctionId> },
    Variable { initializer: Option<Initial<'a>>, thread_local: bool, is_defined: bool, id: Option<GlobalId> },
}

/// What a variable starts with. A `static` of a function sees the names that the function knew there.
pub struct Initial<'a> {
    pub file: FileId,
    pub node: &'a Node<Initializer>,
}

pub struct Elaborator<'a> {
    pub source: &'a SourceMap,
    pub model: DataModel,
    pub structs: Structs,
    /// The scopes of files.
    pub files: Vec<Scope>,
    /// Where the files start.
    pub starts: Vec<u32>,
    /// The file that is read now.
    pub file: FileId,
    /// The scopes of blocks, the innermost last.
    pub scopes: Vec<Scope>,
    pub entities: Vec<Entity<'a>>,
    /// Names with external linkage.
    pub linked: FxHashMap<String, EntityId>,
    /// Functions that never come back, by what their declarations say.
    pub noreturn: FxHashSet<String>,
    /// Functions whose definitions are not understood, and why.
    pub refused: FxHashMap<String, Diagnostic>,
    pub body: Body,
    /// What the function that is read now returns, and its name.
    pub result: Ty,
    pub function_name: Arc<str>,
    /// Where the result goes if it is a struct.
    pub result_pointer: Option<LocalId>,
    /// Where the arguments are that no parameter is declared for.
    pub more: Option<LocalId>,
    /// Something is done when threads or the process end: calls of `pthread_cleanup_push`, of `atexit`.
    pub has_handlers: bool,
    /// How many `sizeof` and the like there are around: nothing is evaluated there.
    pub unevaluated: usize,
    /// Nobody wants the value of the expression that comes next.
    pub next_is_dropped: bool,
    /// Sizes of arrays that are parameters do not matter.
    pub in_parameters: bool,
    /// The size of the array that was declared last, if it is no constant.
    pub variable_size: Option<Expr>,
    pub functions: Vec<Function>,
    pub globals: Vec<Variable>,
    pub waiting: VecDeque<EntityId>,
    /// Which operands of `?:` are structs, by their places in the tree.
    pub structs_chosen: FxHashMap<usize, bool>,
    /// What bodies of functions mention, for the order of evaluation.
    pub summaries: FxHashMap<EntityId, Mentions>,
    pub weak_orders: Vec<Span>,
    /// Some mutex may be one that gives numbers of errors.
    pub checks_mutexes: bool,
    /// String literals, by file-independent contents.
    pub strings: FxHashMap<Vec<u8>, GlobalId>,
    /// Functions without a body that were called, with the first call.
    pub unknown: BTreeMap<String, Span>,
    /// What annotations say: clauses as they were read, those of code that have been used, and what came of the rest.
    pub clauses: &'a [(FileId, Vec<Clause>)],
    pub used_clauses: FxHashSet<(FileId, usize)>,
    pub said: code::Annotations,
    /// Places of names that mean what is there after a step.
    pub primed: Vec<usize>,
    /// What keys need, if there are some.
    pub keys: Option<crate::library::keys::Keys>,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Elaborator<'a> {
    pub fn new(source: &'a SourceMap, model: DataModel, starts: Vec<u32>) -> Elaborator<'a> {
        Elaborator {
            source,
            model,
            structs: Structs::default(),
            files: starts.iter().map(|_| Scope::default()).collect(),
            starts,
            file: FileId(0),
            scopes: Vec::new(),
            entities: Vec::new(),
            linked: FxHashMap::default(),
            noreturn: FxHashSet::default(),
            refused: FxHashMap::default(),
            body: Body::new(Default::default()),
            result: crate::types::VOID,
            function_name: "".into(),
            result_pointer: None,
            more: None,
            has_handlers: false,
            unevaluated: 0,
            next_is_dropped: false,
            in_parameters: false,
            variable_size: None,
            functions: Vec::new(),
            globals: Vec::new(),
            waiting: VecDeque::new(),
            structs_chosen: FxHashMap::default(),
            summaries: FxHashMap::default(),
            weak_orders: Vec::new(),
            checks_mutexes: false,
            strings: FxHashMap::default(),
            unknown: BTreeMap::new(),
            clauses: &[],
            used_clauses: FxHashSet::default(),
            said: code::Annotations::default(),
            primed: Vec::new(),
            keys: None,
            diagnostics: Vec::new(),
        }
    }

    pub fn span(&self, span: lang_c::span::Span) -> Span {
        let start = self.starts[self.file.0 as usize] as usize;
        if span.is_none() { Span::new(start, start) } else { Span::new(start + span.start, start + span.end) }
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(span, message))
    }

    /// Something that C has and this does not.
    pub fn unsupported(&self, span: Span, what: &str, advice: &str) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::error(span, format!("{what} is not supported"));
        Box::new(diagnostic.label("this can be reached from the program's entry").hint(advice))
    }

    /// An execution that comes here goes beyond what is followed.
    pub fn beyond(&mut self, span: Span) {
        let never = Expr::constant(0, code::INT, span);
        self.body.emit(code::InstructionKind::Assert(never, code::Failure::Beyond), span);
    }

    /// Keeps what went wrong, and goes on.
    pub fn report<T>(&mut self, result: Fallible<T>) -> Option<T> {
        result.map_err(|error| self.diagnostics.push(*error)).ok()
    }

    pub fn lookup(&self, name: &str) -> Option<&Symbol> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        inner.or_else(|| self.files[self.file.0 as usize].names.get(name))
    }

    pub fn lookup_tag(&self, name: &str) -> Option<&Tag> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.tags.get(name));
        inner.or_else(|| self.files[self.file.0 as usize].tags.get(name))
    }

    /// The scope that declarations go to now.
    pub fn scope(&mut self) -> &mut Scope {
        let file = self.file.0 as usize;
        self.scopes.last_mut().unwrap_or(&mut self.files[file])
    }

    pub fn declare(&mut self, name: &str, symbol: Symbol) {
        self.scope().names.insert(name.to_string(), symbol);
    }

    pub fn entity(&self, id: EntityId) -> &Entity<'a> {
        &self.entities[id.0 as usize]
    }

    pub fn add_entity(&mut self, entity: Entity<'a>) -> EntityId {
        self.entities.push(entity);
        EntityId(self.entities.len() as u32 - 1)
    }

    /// The place of a function in the result; it is needed from now on.
    pub fn function_id(&mut self, entity: EntityId) -> FunctionId {
        if self.unevaluated > 0 {
            return FunctionId(0);
        }
        let next = FunctionId(self.functions.len() as u32);
        let known = &mut self.entities[entity.0 as usize];
        let EntityKind::Function { id, .. } = &mut known.kind else { unreachable!("it is a function") };
        if let Some(id) = id {
            return *id;
        }
        *id = Some(next);
        let Kind::Function(signature) = &known.ty.kind else { unreachable!("it is a function") };
        let (name, result, span) = (known.name.clone(), signature.result.lowered(self.model), known.span);
        let is_atomic = is_atomic_name(&name);
        let function = Function { name, locals: Vec::new(), params: 0, result, body: None, span, end: span, is_atomic };
        self.functions.push(function);
        self.waiting.push_back(entity);
        next
    }

    /// The place of a variable in the result; it is needed from now on.
    pub fn global_id(&mut self, entity: EntityId) -> GlobalId {
        if self.unevaluated > 0 {
            return GlobalId(0);
        }
        let next = GlobalId(self.globals.len() as u32);
        let known = &mut self.entities[entity.0 as usize];
        let EntityKind::Variable { id, thread_local, .. } = &mut known.kind else { unreachable!("it is a variable") };
        if let Some(id) = id {
            return *id;
        }
        *id = Some(next);
        let variable = Variable::new(known.name.clone(), known.ty.lowered(self.model), known.span);
        self.globals.push(Variable { thread_local: *thread_local, ..variable });
        self.waiting.push_back(entity);
        next
    }

    /// Does something of which only types matter: nothing is emitted, and nothing is needed by it.
    pub fn unevaluated<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let taken = self.body.taken.clone();
        let body = std::mem::replace(&mut self.body, Body::new(taken));
        self.unevaluated += 1;
        let result = work(self);
        self.unevaluated -= 1;
        self.body = body;
        result
    }

    /// Whether a function of this name has a body somewhere in the program.
    pub fn has_body(&self, entity: EntityId) -> bool {
        matches!(self.entity(entity).kind, EntityKind::Function { definition: Some(_), .. })
    }
}

/// What such a function does is one step, by convention.
pub fn is_atomic_name(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && !matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}
