//! Programs in which every point where a thread can rest has a label of its own.

use threadwise_front_tw::ast::{Block, ItemKind, Module, Name, Stmt, StmtKind};
use threadwise_source::Span;

/// The program with a label before each statement and at each end; nothing if copies of an unrolled loop would share
/// labels.
pub fn labelled(mut module: Module) -> Option<Module> {
    let mut labels = Labels { number: 0, unrolls: false };
    for item in &mut module.items {
        let body = match &mut item.kind {
            ItemKind::Thread(thread) => &mut thread.body,
            ItemKind::Proc(proc) => &mut proc.body,
            _ => continue,
        };
        labels.block(body);
        let mut end = Stmt { labels: Vec::new(), kind: StmtKind::Empty, span: Span::default() };
        labels.label(&mut end);
        body.stmts.push(end);
    }
    (!labels.unrolls).then_some(module)
}

struct Labels {
    number: usize,
    unrolls: bool,
}

impl Labels {
    fn label(&mut self, stmt: &mut Stmt) {
        self.number += 1;
        stmt.labels.push(Name { text: format!("Point{}", self.number), span: Span::default() });
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.label(stmt);
            match &mut stmt.kind {
                StmtKind::Block(body)
                | StmtKind::Atomic(body)
                | StmtKind::While(_, _, body)
                | StmtKind::Loop(_, body) => self.block(body),
                StmtKind::If(_, yes, no) => [yes].into_iter().chain(no).for_each(|body| self.block(body)),
                StmtKind::Choose(branches) => branches.iter_mut().for_each(|body| self.block(body)),
                // The first statement of a branch is at the point before the `select`.
                StmtKind::Select(branches) => {
                    for branch in branches {
                        let mut first: Vec<Stmt> = branch.stmts.drain(..1).collect();
                        self.block(branch);
                        branch.stmts.splice(..0, first.drain(..));
                    }
                }
                StmtKind::For(..) | StmtKind::ForCopies(..) => self.unrolls = true,
                StmtKind::Empty
                | StmtKind::Skip
                | StmtKind::Var(_)
                | StmtKind::Assign(..)
                | StmtKind::Assert(..)
                | StmtKind::Wait(..)
                | StmtKind::Signal(_)
                | StmtKind::Broadcast(_)
                | StmtKind::Send(..)
                | StmtKind::Receive { .. }
                | StmtKind::Assume(_)
                | StmtKind::Lock(..)
                | StmtKind::Action { .. }
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Goto(_)
                | StmtKind::Call { .. }
                | StmtKind::Start { .. }
                | StmtKind::Join(_)
                | StmtKind::Return(_) => {}
            }
        }
    }
}
