//! Types as written and the sorts they stand for.

use super::Lowerer;
use super::functions::Typed;
use super::machine::machine_sort;
use super::names::GlobalKind;
use super::records::RecordType;
use super::reporter::suggest;
use crate::ast::{Type, TypeKind};
use crate::parser::TYPE_WORDS;
use threadwise_ir::Sort;
use threadwise_source::{Diagnostic, Span};

/// The most values that the elements of a set may be taken from.
const MAX_SET_ELEMENTS: u128 = 4096;

/// The most keys that an array may have.
const MAX_ARRAY_KEYS: u128 = 65_536;

/// The most elements that nested arrays may have together.
const MAX_ARRAY_ELEMENTS: u128 = 1 << 20;

/// The most values that a channel may hold.
const MAX_CAPACITY: i64 = 1024;

/// The kinds of locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LockKind {
    /// `lock`, a boolean.
    Lock,
    /// `mutex`, a `tid`.
    Mutex,
    /// `rwlock`, a `tid` and a `set<tid>`.
    RwLock,
    /// `cond`, a `set<tid>`: no lock, but treated like one.
    Cond,
}

impl LockKind {
    /// The type's name, for messages.
    pub(super) fn with_article(self) -> &'static str {
        match self {
            LockKind::Lock => "a `lock`",
            LockKind::Mutex => "a `mutex`",
            LockKind::RwLock => "an `rwlock`",
            LockKind::Cond => "a `cond`",
        }
    }
}

/// What a type stands for: a sort, and whether its values (or an array's elements) are locks.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// The sort; for an `rwlock` that of the writer.
    pub(super) sort: Sort,
    /// The kind of lock, if it is one.
    pub(super) lock: Option<LockKind>,
    /// The record, if it is one; the sort then has only the keys.
    pub(super) record: Option<usize>,
    /// The channel, if it is one; the sort then has only the keys.
    pub(super) channel: Option<ChannelType>,
}

/// What a channel holds, and how many of it.
#[derive(Clone, Debug)]
pub(super) struct ChannelType {
    pub(super) element: Typed,
    pub(super) capacity: i64,
}

impl Declared {
    /// The keys of the arrays around it.
    pub(super) fn keys(&self) -> Vec<Sort> {
        let (mut keys, mut sort) = (Vec::new(), &self.sort);
        while let Sort::Array(key, element) = sort {
            keys.push(Sort::clone(key));
            sort = element;
        }
        keys
    }

    /// The type, if it is one of records.
    pub(super) fn record_type(&self) -> Option<RecordType> {
        self.record.map(|record| RecordType { record, keys: self.keys() })
    }
}

impl<'a> Lowerer<'a> {
    /// What a type stands for.
    pub(super) fn declared(&mut self, ty: &'a Type) -> Option<Declared> {
        let plain = |sort| Some(Declared { sort, lock: None, record: None, channel: None });
        let locked = |sort, lock| Some(Declared { sort, lock: Some(lock), record: None, channel: None });
        match &ty.kind {
            TypeKind::Bool => plain(Sort::Bool),
            TypeKind::Int => plain(Sort::Int),
            TypeKind::Tid => plain(Sort::Tid),
            TypeKind::Range(lo, hi) => {
                let (lo, hi) = (self.constant(lo), self.constant(hi));
                plain(self.range(lo?, hi?, ty.span)?)
            }
            TypeKind::Machine(machine) => plain(machine_sort(*machine)),
            TypeKind::Named(name) => match self.globals.get(name.as_str()).map(|g| g.kind) {
                Some(GlobalKind::Record(record)) => {
                    self.finish_record(record, Some(ty.span))?;
                    Some(Declared { sort: Sort::Bool, lock: None, record: Some(record), channel: None })
                }
                _ => plain(self.enumeration(name, ty.span)?),
            },
            TypeKind::Set(element) => plain(self.set_type(element)?),
            TypeKind::Array(key, element) => self.array_type(key, element, ty.span),
            TypeKind::Lock => locked(Sort::Bool, LockKind::Lock),
            TypeKind::Mutex => locked(Sort::Tid, LockKind::Mutex),
            TypeKind::RwLock => locked(Sort::Tid, LockKind::RwLock),
            TypeKind::Cond => locked(Sort::set(Sort::Tid), LockKind::Cond),
            TypeKind::Chan(element, capacity) => {
                let channel = Some(self.channel_type(element, capacity)?);
                Some(Declared { sort: Sort::Bool, lock: None, record: None, channel })
            }
        }
    }

    /// The sort of a type that must not be a lock; `what` says what has the type.
    pub(super) fn sort(&mut self, ty: &'a Type, what: &str) -> Option<Sort> {
        let Declared { sort, lock, record, channel } = self.declared(ty)?;
        if record.is_some() || channel.is_some() {
            let kind = if record.is_some() { "a record" } else { "a channel" };
            let error = Diagnostic::error(ty.span, format!("{what} cannot be {kind}"));
            self.report(match record {
                Some(_) => error.label("expected a type that is no record"),
                None => error.label("channels are shared variables"),
            });
            return None;
        }
        let Some(lock) = lock else { return Some(sort) };
        let error = Diagnostic::error(ty.span, format!("{what} cannot be {}", lock.with_article()));
        let error = error.label("locks are shared variables");
        self.report(error.hint("declare the lock with `shared`, and keep an index or a `tid` here"));
        None
    }

    fn channel_type(&mut self, element: &'a Type, capacity: &'a crate::ast::Expr) -> Option<ChannelType> {
        let (typed, count) = (self.typed(element, "what a channel holds"), self.constant(capacity));
        let (typed, count) = (typed?, count?);
        if !(1..=MAX_CAPACITY).contains(&count) {
            let error = Diagnostic::error(capacity.span, format!("a channel cannot hold {count} values"));
            self.report(error.label(format!("expected a number from 1 to {MAX_CAPACITY}")));
            return None;
        }
        let has_arrays = match &typed {
            Typed::Plain(sort) => matches!(sort, Sort::Array(..)),
            Typed::Record(ty) => self.leaves(ty).iter().any(|leaf| matches!(leaf.sort, Sort::Array(..))),
        };
        if has_arrays {
            let error = Diagnostic::error(element.span, "a channel cannot hold arrays");
            self.report(error.label("expected a type without arrays").hint("send their elements one by one"));
            return None;
        }
        Some(ChannelType { element: typed, capacity: count })
    }

    fn range(&mut self, lo: i64, hi: i64, span: Span) -> Option<Sort> {
        if lo <= hi {
            return Some(Sort::Range(lo, hi));
        }
        let error = Diagnostic::error(span, format!("the range {lo}..{hi} is empty"));
        self.report(error.label("the lower bound is above the upper bound"));
        None
    }

    fn enumeration(&mut self, name: &str, span: Span) -> Option<Sort> {
        let kind = self.globals.get(name).map(|g| g.kind);
        match kind {
            Some(GlobalKind::Enum(id)) => return Some(Sort::Enum(id)),
            Some(kind) => {
                let error = Diagnostic::error(span, format!("expected a type, but `{name}` is {}", kind.noun()));
                let error = error.label("not a type");
                self.report(match kind {
                    GlobalKind::Thread(_) => error.hint("a variable that holds a thread's identity is a `tid`"),
                    GlobalKind::Const(_) => error.hint(format!("for a range up to it write `0..{name}`")),
                    _ => error,
                });
            }
            None if self.reporter.incomplete => self.reporter.unknown(span, "type", name, [].into_iter()),
            None => {
                let enums = self.globals.iter().filter(|(_, g)| matches!(g.kind, GlobalKind::Enum(_)));
                let candidates = enums.map(|(name, _)| *name).chain(TYPE_WORDS);
                let error = Diagnostic::error(span, format!("unknown type `{name}`"));
                let error = suggest(error.label("no type of this name is declared"), name, candidates);
                self.report(match name {
                    "boolean" => error.hint("did you mean `bool`?"),
                    "integer" | "nat" => error.hint("did you mean `int`?"),
                    _ => error,
                });
            }
        }
        None
    }

    fn set_type(&mut self, element: &'a Type) -> Option<Sort> {
        let sort = self.sort(element, "an element of a set")?;
        if let Sort::Int = sort {
            let error = Diagnostic::error(element.span, "sets of unbounded integers are not supported");
            let error = error.label("this type has infinitely many values");
            self.report(error.hint("use a range, as in `set<0..7>`"));
            return None;
        }
        if !is_scalar(&sort) {
            let error = Diagnostic::error(element.span, "the elements of a set cannot be sets or arrays");
            self.report(error.label("expected `bool`, a range, a machine integer, an enumeration or `tid`"));
            return None;
        }
        self.admitted_in_sets(&sort, element.span)?;
        Some(Sort::set(sort))
    }

    /// Whether a scalar sort has few enough values for the elements of a set.
    pub(super) fn admitted_in_sets(&mut self, sort: &Sort, span: Span) -> Option<()> {
        self.at_most(sort, MAX_SET_ELEMENTS, span, "a set")
    }

    fn array_type(&mut self, key: &'a Type, element: &'a Type, span: Span) -> Option<Declared> {
        let (key_sort, declared) = (self.key_sort(key), self.declared(element));
        let (key_sort, declared) = (key_sort?, declared?);
        let sort = Sort::array(key_sort, declared.sort.clone());
        if self.elements(&sort) > MAX_ARRAY_ELEMENTS {
            let error = Diagnostic::error(span, "this array is too large");
            self.report(error.label(format!("it has more than {MAX_ARRAY_ELEMENTS} elements")));
            return None;
        }
        Some(Declared { sort, ..declared })
    }

    fn key_sort(&mut self, key: &'a Type) -> Option<Sort> {
        let sort = self.sort(key, "the key of an array")?;
        if !is_scalar(&sort) || sort == Sort::Int {
            let error = Diagnostic::error(key.span, format!("`{}` cannot be the key of an array", self.show(&sort)));
            let error = error.label("expected `bool`, a range, a machine integer, an enumeration or `tid`");
            self.report(if sort == Sort::Int { error.hint("use a range, as in `[0..7]`") } else { error });
            return None;
        }
        self.at_most(&sort, MAX_ARRAY_KEYS, key.span, "an array")?;
        Some(sort)
    }

    fn at_most(&mut self, sort: &Sort, most: u128, span: Span, what: &str) -> Option<()> {
        if self.values(sort).is_none_or(|n| n <= most) {
            return Some(());
        }
        let message = format!("`{}` has too many values for {what}", self.show(sort));
        self.report(Diagnostic::error(span, message).label(format!("at most {most} values are supported")));
        None
    }

    /// The number of values of a scalar sort; none where it depends on the number of threads.
    pub(super) fn values(&self, sort: &Sort) -> Option<u128> {
        match sort {
            Sort::Bool => Some(2),
            Sort::Int => Some(u128::MAX),
            Sort::Range(lo, hi) => Some(u128::from(hi.abs_diff(*lo)) + 1),
            Sort::Bits(bits) => Some(1 << bits.width),
            Sort::Enum(id) => Some(self.program.enums[id.index()].members.len() as u128),
            Sort::Tid | Sort::Set(_) | Sort::Array(..) => None,
        }
    }

    /// The number of elements of nested arrays, a thread counting as one key.
    fn elements(&self, sort: &Sort) -> u128 {
        match sort {
            Sort::Array(key, element) => self.values(key).unwrap_or(1).saturating_mul(self.elements(element)),
            _ => 1,
        }
    }

    /// A sort as the user writes it.
    pub(super) fn show(&self, sort: &Sort) -> String {
        sort.display(&|id| &self.program.enums[id.index()].name).to_string()
    }
}

/// The sort of the readers of an `rwlock`, or of an array of them, given that of the writers.
pub(super) fn readers_sort(writers: &Sort) -> Sort {
    match writers {
        Sort::Array(key, element) => Sort::array(*key, readers_sort(element)),
        _ => Sort::set(Sort::Tid),
    }
}

/// Neither a set nor an array.
pub(super) fn is_scalar(sort: &Sort) -> bool {
    !matches!(sort, Sort::Set(_) | Sort::Array(..))
}
