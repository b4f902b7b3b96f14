//! Programs as trees: just enough structure to print, to change and to make smaller.

/// Any expression; `Star` stands where the language allows `*`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expr {
    Int(i64),
    /// A literal as it is written, in hexadecimal or not; it may be greater than any `Int`.
    Literal {
        value: u64,
        hexadecimal: bool,
    },
    /// A name, a keyword such as `true`, `self` or `none`.
    Name(String),
    Star,
    Not(Box<Expr>),
    /// `-e`, `~e`.
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    Index(Box<Expr>, Box<Expr>),
    /// `l.w`, `t.x`.
    Field(Box<Expr>, String),
    /// `t@L`.
    At(Box<Expr>, String),
    Prime(Box<Expr>),
    SetLiteral(Vec<Expr>),
    /// `size(s)`, `ord(t)`, and conversions such as `u8(e)`.
    Function(&'static str, Box<Expr>),
    /// `forall`, `exists` or `count`.
    Quantified(&'static str, Vec<(String, Type)>, Box<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    /// A type that is a word: `bool`, `tid`, `mutex`, an enum's or a thread's name.
    Word(String),
    Range(Expr, Expr),
    Set(Box<Type>),
    Array(Box<Type>, Box<Type>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stmt {
    pub(crate) labels: Vec<String>,
    pub(crate) kind: Kind,
}

pub(crate) type Block = Vec<Stmt>;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// What a label at the end of a block stands before.
    Nothing,
    Skip,
    Var(Vec<String>, Type, Option<Expr>),
    Assign(Vec<Expr>, Vec<Expr>),
    /// `assert e;`, `assume e;`, `await e;`, `join e;`, `acquire(e);`: a word and an expression.
    Simple(&'static str, Expr),
    Action(Vec<String>, Expr, Option<Expr>),
    Plain(Block),
    Atomic(Block),
    If(Expr, Block, Option<Block>),
    While(Expr, Vec<Expr>, Block),
    Loop(Vec<Expr>, Block),
    Choose(Vec<Block>),
    For(String, Expr, Expr, Block),
    /// `break`, `continue`.
    Leave(&'static str),
    Goto(String),
    Call(Option<Expr>, String, Vec<Expr>),
    Start(Option<Expr>, String, Vec<Expr>),
    Return(Option<Expr>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Copies {
    Single,
    Exactly(Expr),
    Any,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Const(String, Expr),
    Enum(String, Vec<String>),
    Shared(Vec<String>, Type, Option<Expr>),
    /// `init e;`, `never e;`, `exceptions e;`, `invariant e;`, `invariant name: e;`: the words before the
    /// formula, and the formula.
    Formula(String, Expr),
    NoRace(Vec<String>),
    NoDeadlock,
    /// With parameters if it waits to be started.
    Thread(String, Copies, Option<Vec<(String, Type)>>, Block),
    Procedure {
        name: String,
        params: Vec<(String, Type)>,
        result: Option<(String, Type)>,
        body: Block,
    },
    /// `rely` or `guarantee`, whose it is, and the formula.
    Contract(&'static str, String, Expr),
    Abstract {
        thread: String,
        idle: bool,
        nodes: Vec<(String, Option<Expr>)>,
        edges: Vec<Edge>,
    },
}

/// An edge of an abstract thread: from, to, what may change, how.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Edge {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) frame: Option<Vec<String>>,
    pub(crate) formula: Option<Expr>,
}

/// A random program.
#[derive(Clone, PartialEq, Debug)]
pub struct Wild {
    pub(crate) items: Vec<Item>,
}

pub(crate) fn name(text: &str) -> Expr {
    Expr::Name(text.to_string())
}

pub(crate) fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

impl Stmt {
    pub(crate) fn plain(kind: Kind) -> Stmt {
        Stmt { labels: Vec::new(), kind }
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            Kind::Plain(body) | Kind::Atomic(body) | Kind::While(_, _, body) | Kind::Loop(_, body) => vec![body],
            Kind::For(_, _, _, body) => vec![body],
            Kind::If(_, yes, no) => std::iter::once(yes).chain(no).collect(),
            Kind::Choose(branches) => branches.iter_mut().collect(),
            Kind::Nothing | Kind::Skip | Kind::Var(..) | Kind::Assign(..) | Kind::Simple(..) => Vec::new(),
            Kind::Action(..) | Kind::Leave(_) | Kind::Goto(_) | Kind::Call(..) | Kind::Start(..) => Vec::new(),
            Kind::Return(_) => Vec::new(),
        }
    }

    fn put_skip_for_nothing(&mut self) {
        if self.kind == Kind::Nothing {
            self.kind = Kind::Skip;
        }
    }

    /// The bounds that say how large the program is.
    fn bounds_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Var(_, ty, _) => ty.exprs_mut(),
            Kind::For(_, lo, hi, _) => vec![lo, hi],
            _ => Vec::new(),
        }
    }

    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Var(_, _, init) => init.iter_mut().collect(),
            Kind::Assign(places, values) => places.iter_mut().chain(values).collect(),
            Kind::Simple(_, e) | Kind::If(e, _, _) => vec![e],
            Kind::Action(_, formula, assertion) => std::iter::once(formula).chain(assertion).collect(),
            Kind::While(e, invariants, _) => std::iter::once(e).chain(invariants).collect(),
            Kind::Loop(invariants, _) => invariants.iter_mut().collect(),
            Kind::Call(result, _, args) | Kind::Start(result, _, args) => result.iter_mut().chain(args).collect(),
            Kind::Return(value) => value.iter_mut().collect(),
            Kind::Nothing | Kind::Skip | Kind::Plain(_) | Kind::Atomic(_) | Kind::For(..) => Vec::new(),
            Kind::Choose(_) | Kind::Leave(_) | Kind::Goto(_) => Vec::new(),
        }
    }
}

impl Type {
    pub(crate) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Type::Word(_) => Vec::new(),
            Type::Range(lo, hi) => vec![lo, hi],
            Type::Set(element) => element.exprs_mut(),
            Type::Array(key, element) => key.exprs_mut().into_iter().chain(element.exprs_mut()).collect(),
        }
    }
}

impl Expr {
    pub(crate) fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Int(_) | Expr::Literal { .. } | Expr::Name(_) | Expr::Star => Vec::new(),
            Expr::Not(e) | Expr::Unary(_, e) | Expr::Field(e, _) | Expr::At(e, _) => vec![e],
            Expr::Prime(e) | Expr::Function(_, e) | Expr::Quantified(_, _, e) => vec![e],
            Expr::Binary(_, left, right) | Expr::Index(left, right) => vec![left, right],
            Expr::Conditional(parts) => parts.iter_mut().collect(),
            Expr::SetLiteral(elements) => elements.iter_mut().collect(),
        }
    }
}

impl Item {
    fn body_mut(&mut self) -> Option<&mut Block> {
        match self {
            Item::Thread(_, _, _, body) | Item::Procedure { body, .. } => Some(body),
            Item::Const(..) | Item::Enum(..) | Item::Shared(..) | Item::Formula(..) => None,
            Item::NoRace(_) | Item::NoDeadlock | Item::Contract(..) | Item::Abstract { .. } => None,
        }
    }

    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Item::Formula(_, e) | Item::Contract(_, _, e) => vec![e],
            Item::Shared(_, _, init) => init.iter_mut().collect(),
            Item::Abstract { nodes, edges, .. } => {
                let of_nodes = nodes.iter_mut().filter_map(|(_, assertion)| assertion.as_mut());
                of_nodes.chain(edges.iter_mut().filter_map(|edge| edge.formula.as_mut())).collect()
            }
            Item::Const(..) | Item::Enum(..) | Item::NoRace(_) | Item::NoDeadlock => Vec::new(),
            Item::Thread(..) | Item::Procedure { .. } => Vec::new(),
        }
    }

    /// The bounds that say how large the program is.
    fn bounds_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Item::Const(_, e) => vec![e],
            Item::Thread(_, copies, params, _) => {
                let of_params = params.iter_mut().flatten().flat_map(|(_, ty)| ty.exprs_mut());
                match copies {
                    Copies::Exactly(e) => std::iter::once(e).chain(of_params).collect(),
                    Copies::Single | Copies::Any => of_params.collect(),
                }
            }
            Item::Shared(_, ty, _) => ty.exprs_mut(),
            Item::Procedure { params, result, .. } => {
                params.iter_mut().chain(result).flat_map(|(_, ty)| ty.exprs_mut()).collect()
            }
            Item::Enum(..) | Item::NoRace(_) | Item::NoDeadlock => Vec::new(),
            Item::Formula(..) | Item::Contract(..) | Item::Abstract { .. } => Vec::new(),
        }
    }
}

impl Wild {
    /// The reference leaves open whether a label that ends an atomic block names a point inside the step
    /// or the one after it, so there a statement follows the label.
    pub(crate) fn settle_labels(mut self) -> Wild {
        self.visit_blocks(&mut |block| {
            for stmt in block.iter_mut() {
                if let Kind::Atomic(body) = &mut stmt.kind {
                    visit_block(body, &mut |inner| inner.iter_mut().for_each(Stmt::put_skip_for_nothing));
                }
            }
        });
        self
    }

    /// Calls `visit` for every block, outer ones first.
    pub(crate) fn visit_blocks(&mut self, visit: &mut dyn FnMut(&mut Block)) {
        for body in self.items.iter_mut().filter_map(Item::body_mut) {
            visit_block(body, visit);
        }
    }

    /// Calls `visit` for every constant expression that is a bound of a type, a number of copies and the
    /// like: changing one may make the program much larger.
    pub(crate) fn visit_bounds(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for e in self.items.iter_mut().flat_map(Item::bounds_mut) {
            visit_expr(e, visit);
        }
        self.visit_blocks(&mut |block| {
            for e in block.iter_mut().flat_map(Stmt::bounds_mut) {
                visit_expr(e, visit);
            }
        });
    }

    /// Calls `visit` for every other expression, those inside others included.
    pub(crate) fn visit_exprs(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for e in self.items.iter_mut().flat_map(Item::exprs_mut) {
            visit_expr(e, visit);
        }
        self.visit_blocks(&mut |block| {
            for e in block.iter_mut().flat_map(Stmt::exprs_mut) {
                visit_expr(e, visit);
            }
        });
    }
}

pub(crate) fn visit_block(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(block);
    for inner in block.iter_mut().flat_map(Stmt::blocks_mut) {
        visit_block(inner, visit);
    }
}

fn visit_expr(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(e);
    for child in e.children_mut() {
        visit_expr(child, visit);
    }
}
