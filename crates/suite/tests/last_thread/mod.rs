//! Programs with a shared variable `last` that says who took the last step (CART, section 1.13.1).

use threadwise_front_tw::ast::{Block, Expr, ExprKind, Item, ItemKind, Module, Name, Rhs, Stmt, StmtKind};
use threadwise_front_tw::ast::{Type, TypeKind, VarDecl};
use threadwise_ir::{Control, Instance, Store};
use threadwise_source::Span;

/// The program with a label before every step, and the same with `last = self` in every step that
/// can be wrapped into an atomic block. Tests of conditions, calls and returns cannot: after those,
/// `last` is one step behind.
pub fn with_last_thread(module: &Module) -> (Module, Module) {
    let mut plain = module.clone();
    let mut labels = 0;
    for body in plain.items.iter_mut().filter_map(body) {
        label_steps(body, &mut labels);
    }
    let mut exposed = plain.clone();
    for body in exposed.items.iter_mut().filter_map(body) {
        expose(body);
    }
    let ty = Type { kind: TypeKind::Tid, span: Span::default() };
    let last = ItemKind::Shared(VarDecl { names: vec![name("last")], ty, init: None });
    exposed.items.push(Item { kind: last, span: Span::default() });
    (plain, exposed)
}

fn name(text: impl Into<String>) -> Name {
    Name { text: text.into(), span: Span::default() }
}

fn body(item: &mut Item) -> Option<&mut Block> {
    match &mut item.kind {
        ItemKind::Thread(thread) => Some(&mut thread.body),
        ItemKind::Proc(proc) => Some(&mut proc.body),
        _ => None,
    }
}

/// The blocks of a statement that is not atomic.
fn blocks(kind: &mut StmtKind) -> Vec<&mut Block> {
    match kind {
        StmtKind::Block(block)
        | StmtKind::While(_, _, block)
        | StmtKind::Loop(_, block)
        | StmtKind::For(_, _, _, block) => vec![block],
        StmtKind::If(_, then, otherwise) => std::iter::once(then).chain(otherwise).collect(),
        StmtKind::Choose(branches) => branches.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Statements that are one step from start to end.
fn is_simple(kind: &StmtKind) -> bool {
    use StmtKind::{Action, Assert, Assign, Assume, Lock, Skip};
    matches!(kind, Skip | Assign(..) | Assert(..) | Assume(_) | Lock(..) | Action { .. })
}

fn label_steps(block: &mut Block, labels: &mut usize) {
    for stmt in &mut block.stmts {
        let tests = matches!(stmt.kind, StmtKind::If(..) | StmtKind::While(..) | StmtKind::Call { .. });
        if is_simple(&stmt.kind) || tests || matches!(stmt.kind, StmtKind::Atomic(_)) {
            *labels += 1;
            stmt.labels.push(name(format!("step{labels}")));
        }
        blocks(&mut stmt.kind).into_iter().for_each(|block| label_steps(block, labels));
    }
}

fn expose(block: &mut Block) {
    for stmt in &mut block.stmts {
        if is_simple(&stmt.kind) {
            let simple = std::mem::replace(&mut stmt.kind, StmtKind::Empty);
            let inner = vec![last_is_self(), Stmt { labels: Vec::new(), kind: simple, span: stmt.span }];
            stmt.kind = StmtKind::Atomic(Block { stmts: inner, span: stmt.span });
        } else if let StmtKind::Atomic(block) = &mut stmt.kind {
            block.stmts.insert(0, last_is_self());
        } else {
            blocks(&mut stmt.kind).into_iter().for_each(expose);
        }
    }
}

fn last_is_self() -> Stmt {
    let expr = |kind| Expr { kind, span: Span::default() };
    let last = expr(ExprKind::Name("last".to_string()));
    let kind = StmtKind::Assign(vec![last], vec![Rhs::Expr(expr(ExprKind::SelfThread))]);
    Stmt { labels: Vec::new(), kind, span: Span::default() }
}

/// A frame with its locals, and labels for its control.
pub type LabelledFrame = (Vec<i64>, Vec<String>);

/// What a thread state of one program is in the other.
pub struct Projection<'a> {
    shared_words: usize,
    from: &'a Instance,
}

impl<'a> Projection<'a> {
    /// The projection to the variables of the first instance from those of the second, which has
    /// `last` behind all others, if at all.
    pub fn new(to: &Instance, from: &'a Instance) -> Projection<'a> {
        Projection { shared_words: to.shared_words(), from }
    }

    /// The shared store without `last`, and the frames with labels instead of locations.
    pub fn of(&self, shared: &Store, local: &Store) -> (Store, Vec<LabelledFrame>) {
        let program = &self.from.program;
        let frame = |frame: threadwise_ir::Frame<'_>| {
            let at = match frame.control {
                Control::At(location) => location,
                Control::Calling(edge) => program.edge(edge).from,
            };
            let locals = frame.words[..frame.words.len() - 1].to_vec();
            (locals, program.location(at).labels.iter().map(|label| label.to_string()).collect())
        };
        (shared[..self.shared_words].into(), self.from.frames(local).map(frame).collect())
    }
}
