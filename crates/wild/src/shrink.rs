//! Smaller programs, for a harness that looks for the smallest one with a fault.

use crate::tree::{Block, Copies, Expr, Item, Kind, Stmt, Wild, name};

/// Programs that are a bit smaller than this one; not all of them make sense, and the caller is to ask
/// the front end which do. The ones that leave out most come first.
pub fn smaller(program: &Wild) -> Vec<Wild> {
    let mut candidates = Vec::new();
    for index in 0..program.items.len() {
        let mut without = program.clone();
        without.items.remove(index);
        candidates.push(without);
    }
    candidates.extend(with_smaller_blocks(program));
    candidates.extend(with_fewer_copies(program));
    candidates.extend(with_smaller_exprs(program, Wild::visit_exprs));
    candidates.extend(with_smaller_exprs(program, Wild::visit_bounds));
    // Whatever a candidate is like, going on with it comes to an end.
    let size = |wild: &Wild| (wild.to_text().len(), wild.to_text());
    let size_of_program = size(program);
    candidates.retain(|candidate| size(candidate) < size_of_program);
    candidates
}

fn with_fewer_copies(program: &Wild) -> Vec<Wild> {
    let mut candidates = Vec::new();
    for index in 0..program.items.len() {
        for copies in [Copies::Exactly(Expr::Int(1)), Copies::Exactly(Expr::Int(2))] {
            let mut fewer = program.clone();
            if let Item::Thread(_, of_thread, ..) = &mut fewer.items[index]
                && *of_thread != Copies::Single
                && *of_thread != Copies::Exactly(Expr::Int(1))
                && *of_thread != copies
            {
                *of_thread = copies;
                candidates.push(fewer);
            }
        }
    }
    candidates
}

fn with_smaller_blocks(program: &Wild) -> Vec<Wild> {
    let mut candidates = Vec::new();
    for (block_number, block) in all_blocks(program).iter().enumerate() {
        for replacement in smaller_blocks(block) {
            let mut candidate = program.clone();
            let mut number = 0;
            candidate.visit_blocks(&mut |at| {
                if number == block_number {
                    *at = replacement.clone();
                }
                number += 1;
            });
            candidates.push(candidate);
        }
    }
    candidates
}

fn all_blocks(program: &Wild) -> Vec<Block> {
    let mut blocks = Vec::new();
    program.clone().visit_blocks(&mut |block| blocks.push(block.clone()));
    blocks
}

/// The block without one of its statements, or with what is inside a statement in its place.
fn smaller_blocks(block: &Block) -> Vec<Block> {
    let mut smaller = Vec::new();
    for (index, stmt) in block.iter().enumerate() {
        smaller.push([&block[..index], &block[index + 1..]].concat());
        for inner in stmt.clone().blocks_mut() {
            smaller.push([&block[..index], &inner[..], &block[index + 1..]].concat());
        }
        for simpler in simpler_stmts(stmt) {
            smaller.push([&block[..index], &[simpler], &block[index + 1..]].concat());
        }
    }
    smaller
}

fn simpler_stmts(stmt: &Stmt) -> Vec<Stmt> {
    let mut simpler = Vec::new();
    if !stmt.labels.is_empty() {
        simpler.push(Stmt { labels: stmt.labels[1..].to_vec(), kind: stmt.kind.clone() });
        simpler.push(Stmt { labels: stmt.labels.clone(), kind: Kind::Skip });
    }
    let kind = match &stmt.kind {
        Kind::Action(frame, formula, Some(_)) => Some(Kind::Action(frame.clone(), formula.clone(), None)),
        Kind::Action(frame, formula, None) if frame.len() > 1 => {
            Some(Kind::Action(frame[1..].to_vec(), formula.clone(), None))
        }
        Kind::If(test, yes, Some(_)) => Some(Kind::If(test.clone(), yes.clone(), None)),
        Kind::While(test, invariants, body) if !invariants.is_empty() => {
            Some(Kind::While(test.clone(), Vec::new(), body.clone()))
        }
        Kind::Loop(invariants, body) if !invariants.is_empty() => Some(Kind::Loop(Vec::new(), body.clone())),
        Kind::Choose(branches) if branches.len() > 1 => Some(Kind::Choose(branches[1..].to_vec())),
        Kind::Assign(places, values) if places.len() > 1 => {
            Some(Kind::Assign(places[1..].to_vec(), values[1..].to_vec()))
        }
        Kind::Var(names, ty, Some(_)) => Some(Kind::Var(names.clone(), ty.clone(), None)),
        _ => None,
    };
    simpler.extend(kind.map(|kind| Stmt { labels: stmt.labels.clone(), kind }));
    simpler
}

type VisitAll = fn(&mut Wild, &mut dyn FnMut(&mut Expr));

/// With one of the expressions that `visit_all` comes by made smaller.
fn with_smaller_exprs(program: &Wild, visit_all: VisitAll) -> Vec<Wild> {
    let mut all = Vec::new();
    visit_all(&mut program.clone(), &mut |e| all.push(e.clone()));
    let mut candidates = Vec::new();
    for (expr_number, e) in all.iter().enumerate() {
        for replacement in smaller_exprs(e) {
            let mut candidate = program.clone();
            let mut number = 0;
            visit_all(&mut candidate, &mut |at| {
                if number == expr_number {
                    *at = replacement.clone();
                }
                number += 1;
            });
            candidates.push(candidate);
        }
    }
    candidates
}

/// The parts of an expression, and constants in its place.
fn smaller_exprs(e: &Expr) -> Vec<Expr> {
    let mut smaller: Vec<Expr> = e.clone().children_mut().into_iter().map(|child| child.clone()).collect();
    match e {
        Expr::Int(0 | 1) | Expr::Name(_) | Expr::Star => {}
        Expr::Int(i) => smaller.extend([Expr::Int(i / 2), Expr::Int(0)]),
        _ => smaller.extend([name("true"), name("false"), Expr::Int(0), Expr::Int(1)]),
    }
    smaller
}
