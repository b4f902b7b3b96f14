//! Where names are declared and used.

mod expressions;
mod items;
mod statements;

use std::collections::HashMap;
use threadwise_front_tw::ast::{Module, Name, Type};
use threadwise_source::Span;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Constant,
    Enumeration,
    Member,
    Record,
    Field,
    Function,
    Shared,
    Thread,
    Procedure,
    Parameter,
    Local,
    Label,
    /// The variable of a `for` or of a quantifier.
    Bound,
    Property,
    /// A node of an abstract thread.
    Node,
}

impl Kind {
    /// What to call it.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Enumeration => "enumeration",
            Kind::Member => "member of an enumeration",
            Kind::Record => "record",
            Kind::Field => "field",
            Kind::Function => "function",
            Kind::Shared => "shared variable",
            Kind::Thread => "thread",
            Kind::Procedure => "procedure",
            Kind::Parameter => "parameter",
            Kind::Local => "local variable",
            Kind::Label => "label",
            Kind::Bound => "bound variable",
            Kind::Property => "property",
            Kind::Node => "node of an abstract thread",
        }
    }
}

/// A name that is declared.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub kind: Kind,
    /// Where its name is declared; for a label, the first place.
    pub span: Span,
    /// The whole of what is declared, with its body.
    pub extent: Span,
    /// Its declaration in short, as the user wrote it.
    pub detail: Option<Span>,
    /// The thread, procedure or type that it belongs to.
    pub parent: Option<usize>,
    /// The type that it is declared with.
    ty: Option<Type>,
}

/// A place where a name stands, its declaration included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    pub span: Span,
    /// Which of [`Index::symbols`] it means. A label may belong to several threads: then there is one use for each.
    pub symbol: usize,
}

/// All names of a program.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub symbols: Vec<Symbol>,
    /// In the order of the text.
    pub uses: Vec<Use>,
}

impl Index {
    pub fn new(module: &Module) -> Index {
        let mut walk = Walk { index: Index::default(), scopes: vec![HashMap::new()], home: None };
        walk.module(module);
        walk.index.uses.sort();
        walk.index.uses.dedup();
        walk.index
    }

    /// What the name at this place of the text means.
    pub fn at(&self, offset: u32) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |name| name.span.start <= offset && offset <= name.span.end)
    }

    /// Where else the names are that mean the same.
    pub fn places(&self, symbol: usize) -> impl Iterator<Item = Span> {
        self.uses.iter().filter(move |name| name.symbol == symbol).map(|name| name.span)
    }

    /// The names that can be used at this place: all that is global, and what belongs to what stands around it.
    pub fn visible(&self, offset: u32) -> impl Iterator<Item = &Symbol> {
        let is_around = move |parent: usize| {
            let extent = self.symbols[parent].extent;
            extent.start <= offset && offset <= extent.end
        };
        self.symbols.iter().filter(move |symbol| match symbol.kind {
            Kind::Field | Kind::Label | Kind::Member | Kind::Property => true,
            _ => symbol.parent.is_none_or(is_around),
        })
    }
}

/// A walk over the syntax tree.
struct Walk {
    index: Index,
    /// The names that can be seen, innermost last.
    scopes: Vec<HashMap<String, usize>>,
    /// The thread, procedure or function around.
    home: Option<usize>,
}

impl Walk {
    /// Declares a name in the innermost scope.
    fn declare(&mut self, name: &Name, kind: Kind, extent: Span, ty: Option<&Type>) -> usize {
        let symbol = self.add(name, kind, extent, ty);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), symbol);
        }
        symbol
    }

    /// Notes a declaration that is found by other ways than its name alone.
    fn add(&mut self, name: &Name, kind: Kind, extent: Span, ty: Option<&Type>) -> usize {
        let symbol = self.index.symbols.len();
        let detail = ty.map(|ty| ty.span);
        let (text, parent) = (name.text.clone(), self.home);
        self.index.symbols.push(Symbol { name: text, kind, span: name.span, extent, detail, parent, ty: ty.cloned() });
        self.note(name.span, symbol);
        symbol
    }

    fn note(&mut self, span: Span, symbol: usize) {
        self.index.uses.push(Use { span, symbol });
    }

    /// Notes a use of a name that can be seen from here.
    fn name(&mut self, text: &str, span: Span) {
        if let Some(symbol) = self.lookup(text) {
            self.note(span, symbol);
        }
    }

    fn lookup(&self, text: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(text)).copied()
    }

    /// Walks over something with names of its own.
    fn scoped(&mut self, work: impl FnOnce(&mut Walk)) {
        self.scopes.push(HashMap::new());
        work(self);
        self.scopes.pop();
    }

    /// Walks over the inside of a declaration.
    fn inside(&mut self, home: usize, work: impl FnOnce(&mut Walk)) {
        let outer = self.home.replace(home);
        self.scoped(work);
        self.home = outer;
    }

    /// What belongs to a declaration, has this name and is of this kind.
    fn member(&self, home: usize, text: &str, kind: Kind) -> Option<usize> {
        let is_meant = |symbol: &Symbol| symbol.parent == Some(home) && symbol.kind == kind && symbol.name == text;
        self.index.symbols.iter().position(is_meant)
    }
}
