//! Near variants of a program.

use crate::random::Random;
use crate::tree::{Copies, Expr, Item, Kind, Stmt, Wild};

/// The program with one or two changes, chosen by the number `seed`. Most variants still make sense.
pub fn mutated(program: &Wild, seed: u64) -> Wild {
    let mut random = Random::new(seed);
    let mut variant = program.clone();
    for _ in 0..1 + random.below(2) {
        match random.below(9) {
            0 => swap_operands(&mut variant, &mut random),
            1 => negate(&mut variant, &mut random),
            2 => replace_constant(&mut variant, &mut random),
            3 => delete_statement(&mut variant, &mut random),
            4 => duplicate_thread(&mut variant, &mut random),
            5 => change_copies(&mut variant, &mut random),
            6 => enclose_statement(&mut variant, &mut random),
            7 => swap_statements(&mut variant, &mut random),
            _ => replace_operator(&mut variant, &mut random),
        }
    }
    variant.settle_labels()
}

/// Changes one of the expressions that `eligible` selects.
fn change_expr(
    program: &mut Wild,
    random: &mut Random,
    eligible: fn(&Expr) -> bool,
    change: &mut dyn FnMut(&mut Expr, &mut Random),
) {
    let mut total = 0;
    program.visit_exprs(&mut |e| total += usize::from(eligible(e)));
    if total == 0 {
        return;
    }
    let (chosen, mut number) = (random.below(total), 0);
    program.visit_exprs(&mut |e| {
        if eligible(e) {
            if number == chosen {
                change(e, random);
            }
            number += 1;
        }
    });
}

fn is_logical(e: &Expr) -> bool {
    matches!(e, Expr::Binary("&&" | "||" | "==>" | "<==>", ..))
}

fn is_condition(e: &Expr) -> bool {
    let compares = matches!(e, Expr::Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "subset", ..));
    is_logical(e) || compares || matches!(e, Expr::At(..) | Expr::Not(_) | Expr::Quantified("forall" | "exists", ..))
}

fn swap_operands(program: &mut Wild, random: &mut Random) {
    let eligible =
        |e: &Expr| matches!(e, Expr::Binary("&&" | "||" | "<==>" | "==" | "+" | "&" | "|" | "^" | "inter", ..));
    change_expr(program, random, eligible, &mut |e, _| {
        if let Expr::Binary(_, left, right) = e {
            std::mem::swap(left, right);
        }
    });
}

fn negate(program: &mut Wild, random: &mut Random) {
    change_expr(program, random, is_condition, &mut |e, _| {
        *e = match std::mem::replace(e, Expr::Star) {
            Expr::Not(inner) => *inner,
            other => Expr::Not(Box::new(other)),
        };
    });
}

fn replace_constant(program: &mut Wild, random: &mut Random) {
    let eligible = |e: &Expr| matches!(e, Expr::Int(_) | Expr::Literal { .. });
    change_expr(program, random, eligible, &mut |e, random| {
        *e = Expr::Int(random.pick(&[0, 1, -1, 2, i64::MAX, i64::MIN, i64::MIN + 1, 1 << 62]));
    });
}

fn replace_operator(program: &mut Wild, random: &mut Random) {
    let eligible = |e: &Expr| {
        let others = matches!(e, Expr::Binary("==" | "<" | "/" | "<<" | "&" | "^", ..));
        is_logical(e) || others
    };
    change_expr(program, random, eligible, &mut |e, random| {
        if let Expr::Binary(op, ..) = e {
            *op = match *op {
                "==" => "!=",
                "<" => ">=",
                "/" => "%",
                "<<" => ">>",
                "&" | "^" => "|",
                _ => random.pick(&["&&", "||", "==>", "<==>"]),
            };
        }
    });
}

/// Changes one of the blocks that are not empty, at one of its statements.
fn change_block(program: &mut Wild, random: &mut Random, change: &mut dyn FnMut(&mut Vec<Stmt>, usize)) {
    let mut total = 0;
    program.visit_blocks(&mut |block| total += block.len());
    if total == 0 {
        return;
    }
    let (chosen, mut passed) = (random.below(total), 0);
    program.visit_blocks(&mut |block| {
        let statements = block.len();
        if (passed..passed + statements).contains(&chosen) {
            change(block, chosen - passed);
        }
        passed += statements;
    });
}

fn delete_statement(program: &mut Wild, random: &mut Random) {
    // Its labels stay, so that properties and jumps still find them.
    change_block(program, random, &mut |block, index| block[index].kind = Kind::Nothing);
}

fn enclose_statement(program: &mut Wild, random: &mut Random) {
    let atomic = random.percent(70);
    change_block(program, random, &mut |block, index| {
        let stmt = block[index].clone();
        // The scope of a declaration would end with the block.
        if !matches!(stmt.kind, Kind::Var(..)) {
            let kind = if atomic { Kind::Atomic(vec![stmt]) } else { Kind::Plain(vec![stmt]) };
            block[index] = Stmt::plain(kind);
        }
    });
}

fn swap_statements(program: &mut Wild, random: &mut Random) {
    change_block(program, random, &mut |block, index| {
        let next = (index + 1) % block.len();
        block.swap(index, next);
    });
}

fn duplicate_thread(program: &mut Wild, random: &mut Random) {
    let is_thread = |item: &&Item| matches!(item, Item::Thread(..));
    let threads: Vec<Item> = program.items.iter().filter(is_thread).cloned().collect();
    if threads.is_empty() {
        return;
    }
    if let Item::Thread(name, copies, params, body) = random.pick(&threads) {
        let number = threads.len();
        program.items.push(Item::Thread(format!("{name}_again{number}"), copies, params, body));
    }
}

fn change_copies(program: &mut Wild, random: &mut Random) {
    let copies = random.between(0, 2);
    let mut replicated: Vec<&mut Copies> = Vec::new();
    for item in &mut program.items {
        match item {
            Item::Thread(_, of_thread, ..) if *of_thread != Copies::Single => replicated.push(of_thread),
            _ => {}
        }
    }
    if !replicated.is_empty() {
        let chosen = random.below(replicated.len());
        *replicated[chosen] = Copies::Exactly(Expr::Int(copies));
    }
}
