//! Inputs that only tests look at: a few values stand for all.
//!
//! # The idea
//!
//! `x = *` for a machine integer has more outcomes than a search can try. Often the value is only compared with constants, or
//! its remainder is, and forgotten: `while (nondet() > 3)`, `if (rand() % 2)`. Two values of which each such test says the same
//! then lead to executions that are the same but for that value, so it is enough to try one of each kind. The executions that
//! remain are executions of the program.
//!
//! # What is looked at
//!
//! A local is *only tested* if it is read nowhere but in comparisons of it, or of its remainder, with a constant, and in copies
//! to locals that are only tested. A comparison cuts the numbers into intervals, within each of which it says the same of all
//! numbers, or of all with the same remainder. Conversions to wider or equally wide kinds add a constant on each side of a cut.

use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    BinaryOp, Bits, Command, Edge, EdgeId, Expr, ExprKind, LocalId, Op, Program, RoutineId, Sort, UnaryOp, Update,
    Value, VarRef,
};

/// More values than these are not tried instead of all.
const MOST_VALUES: usize = 64;

/// What tests tell apart.
#[derive(Clone, Debug, Default)]
struct Tests {
    /// The first numbers of intervals.
    cuts: BTreeSet<i128>,
    /// Tests say the same of numbers in one interval with the same remainder of this.
    modulus: i128,
}

impl Tests {
    fn add(&mut self, other: &Tests) {
        self.cuts.extend(&other.cuts);
        self.modulus = least_common_multiple(self.modulus.max(1), other.modulus.max(1));
    }
}

/// How the locals of a routine are used.
#[derive(Default)]
struct Uses {
    tests: BTreeMap<LocalId, Tests>,
    copies: BTreeSet<(LocalId, LocalId)>,
    otherwise: BTreeSet<LocalId>,
}

/// Replaces choices among all numbers by choices among a few, in the edges from this number on, which are those of the routine. Gives
/// for each edge that was added the number of the one that it is like.
pub(super) fn narrow(program: &mut Program, edges: &mut Vec<Edge>, routine: RoutineId, first: usize) -> Vec<usize> {
    let bits: Vec<Option<Bits>> = program.routine(routine).locals.iter().map(|local| local.sort.bits()).collect();
    let Some(mut uses) = Uses::of(&edges[first..], &bits) else { return Vec::new() };
    // Annotations speak of all values.
    let own = program.locations.iter().filter(|location| location.routine == routine);
    own.flat_map(|location| &location.invariants).for_each(|e| uses.look(e, &bits));
    let mut added = Vec::new();
    let mut index = first;
    while let Some(edge) = edges.get(index) {
        let Some((position, bits, values)) = uses.choice(edge, &bits) else {
            index += 1;
            continue;
        };
        let mut ways = values.iter().map(|value| replaced(edge, position, *value, bits));
        let (Some(way), others) = (ways.next(), ways.collect::<Vec<Edge>>()) else { return added };
        let from = way.from;
        // It is looked at again, and so are the others, for there may be another choice in the same step.
        edges[index] = way;
        for other in others {
            program.locations[from.index()].edges.push(EdgeId(edges.len() as u32));
            edges.push(other);
            added.push(index);
        }
    }
    added
}

fn replaced(edge: &Edge, position: usize, value: i64, bits: Bits) -> Edge {
    let mut edge = edge.clone();
    if let Op::Command(Command { update: Update::Assign(assignments), .. }) = &mut edge.op {
        assignments[position].1 = Value::Of(Expr::constant(value, Sort::Bits(bits), edge.span));
    }
    edge
}

impl Uses {
    /// `None` where there is more than assignments and tests.
    fn of(edges: &[Edge], bits: &[Option<Bits>]) -> Option<Uses> {
        let mut uses = Uses::default();
        for edge in edges {
            let Op::Command(command) = &edge.op else { return None };
            let Update::Assign(assignments) = &command.update else { return None };
            command.assertions.iter().for_each(|assertion| uses.look(&assertion.condition, bits));
            command.guard.iter().for_each(|guard| uses.look(guard, bits));
            for (place, value) in assignments {
                place.indices.iter().for_each(|index| uses.look(index, bits));
                match (place.var, value) {
                    (VarRef::Local(to), Value::Of(e)) if place.indices.is_empty() => match copied(e, bits) {
                        Some(from) => drop(uses.copies.insert((from, to))),
                        None => uses.look(e, bits),
                    },
                    (_, Value::Of(e)) => uses.look(e, bits),
                    (_, Value::Any) => {}
                }
            }
        }
        Some(uses)
    }

    fn look(&mut self, e: &Expr, bits: &[Option<Bits>]) {
        match &e.kind {
            ExprKind::Read(VarRef::Local(local)) | ExprKind::ReadAfter(VarRef::Local(local)) => {
                self.otherwise.insert(*local);
            }
            ExprKind::Read(VarRef::Shared(_))
            | ExprKind::ReadAfter(VarRef::Shared(_))
            | ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_) => {}
            ExprKind::Binary(_, a, b) => match test(e, bits) {
                Some((local, tests)) => self.tests.entry(local).or_default().add(&tests),
                None => [a, b].into_iter().for_each(|part| self.look(part, bits)),
            },
            ExprKind::Index(a, b) => [a, b].into_iter().for_each(|part| self.look(part, bits)),
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => self.look(&thread.thread, bits),
            ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => self.look(a, bits),
            ExprKind::Conditional(parts) => parts.iter().for_each(|part| self.look(part, bits)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|part| self.look(part, bits));
            }
        }
    }

    /// A choice among all numbers of a local that is only tested: its position among the assignments, and what to try instead.
    fn choice(&self, edge: &Edge, bits: &[Option<Bits>]) -> Option<(usize, Bits, Vec<i64>)> {
        let Op::Command(Command { update: Update::Assign(assignments), .. }) = &edge.op else { return None };
        assignments.iter().enumerate().find_map(|(position, (place, value))| match (place.var, value) {
            (VarRef::Local(local), Value::Any) if place.indices.is_empty() => {
                let bits = bits[local.index()]?;
                Some((position, bits, representatives(&self.only_tested(local)?, bits)?))
            }
            _ => None,
        })
    }

    /// What tests tell apart of a local, and of those that it is copied to, if it is only tested.
    fn only_tested(&self, local: LocalId) -> Option<Tests> {
        let (mut found, mut seen, mut work) = (Tests::default(), BTreeSet::from([local]), vec![local]);
        while let Some(local) = work.pop() {
            if self.otherwise.contains(&local) {
                return None;
            }
            found.add(self.tests.get(&local).unwrap_or(&Tests::default()));
            let copies = self.copies.range((local, LocalId(0))..).take_while(|(from, _)| *from == local);
            work.extend(copies.map(|(_, to)| *to).filter(|to| seen.insert(*to)));
        }
        Some(found)
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
        BinaryOp::Implies
        | BinaryOp::Iff
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::In
        | BinaryOp::Subset
        | BinaryOp::Union
        | BinaryOp::Inter
        | BinaryOp::Minus
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => false,
    }
}

/// The local of which an expression is a copy, with the same number.
fn copied(e: &Expr, bits: &[Option<Bits>]) -> Option<LocalId> {
    let whole = whole(e, bits)?;
    whole.wraps.is_empty().then_some(whole.local)
}

/// A local, converted perhaps: its number, plus or minus powers of two.
struct Whole {
    local: LocalId,
    /// The kind that the number is of.
    now: Bits,
    /// The kinds to which it was converted where that may change the number.
    wraps: Vec<Bits>,
}

fn whole(e: &Expr, bits: &[Option<Bits>]) -> Option<Whole> {
    match &e.kind {
        ExprKind::Read(VarRef::Local(local)) => {
            Some(Whole { local: *local, now: bits[local.index()]?, wraps: Vec::new() })
        }
        ExprKind::Unary(UnaryOp::Convert, inner) => {
            let mut whole = whole(inner, bits)?;
            match &*e.sort {
                Sort::Int => Some(whole),
                Sort::Bits(to) if to.width >= whole.now.width => {
                    let ((least, most), (low, high)) = (to.bounds(), whole.now.bounds());
                    if low < least || high > most {
                        whole.wraps.push(*to);
                    }
                    whole.now = *to;
                    Some(whole)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The number of a constant.
fn constant(e: &Expr) -> Option<i128> {
    let ExprKind::Const(word) = e.kind else { return None };
    match &*e.sort {
        Sort::Int | Sort::Range(..) => Some(i128::from(word)),
        Sort::Bits(bits) => Some(bits.number(word)),
        _ => None,
    }
}

/// What a comparison of a local with a constant tells apart.
fn test(e: &Expr, bits: &[Option<Bits>]) -> Option<(LocalId, Tests)> {
    let ExprKind::Binary(op, a, b) = &e.kind else { return None };
    if !is_comparison(*op) {
        return None;
    }
    let (side, limit) = constant(b).map(|limit| (a, limit)).or_else(|| Some((b, constant(a)?)))?;
    if let Some(whole) = whole(side, bits) {
        return Some((whole.local, Tests { cuts: cuts(&whole, [limit, limit + 1]), modulus: 1 }));
    }
    let (whole, modulus) = remainder(side, bits)?;
    Some((whole.local, Tests { cuts: cuts(&whole, []), modulus }))
}

/// Where the conversions add something else, and where the result gets to these numbers.
fn cuts(whole: &Whole, limits: impl IntoIterator<Item = i128>) -> BTreeSet<i128> {
    let mut cuts: BTreeSet<i128> = limits.into_iter().chain([0]).collect();
    for to in whole.wraps.iter().rev() {
        let (least, most) = to.bounds();
        let around = |cut: i128| [cut - (1 << to.width), cut, cut + (1 << to.width)];
        cuts = cuts.into_iter().chain([least, most + 1]).flat_map(around).collect();
    }
    cuts
}

/// The remainder of a local by a small constant.
fn remainder(e: &Expr, bits: &[Option<Bits>]) -> Option<(Whole, i128)> {
    match &e.kind {
        // Whatever becomes of a remainder is the same where the remainder is.
        ExprKind::Unary(UnaryOp::Convert, inner) => remainder(inner, bits),
        ExprKind::Binary(op @ (BinaryOp::Mod | BinaryOp::BitAnd), a, b) => {
            let (whole, by) = (whole(a, bits)?, constant(b)?);
            let modulus = match op {
                BinaryOp::Mod if by > 0 => by,
                BinaryOp::BitAnd if (0..MOST_VALUES as i128).contains(&by) => next_power_of_two(by),
                _ => return None,
            };
            (modulus <= MOST_VALUES as i128).then_some((whole, modulus))
        }
        _ => None,
    }
}

/// One number of each kind that the tests tell apart, those near zero first.
fn representatives(tests: &Tests, bits: Bits) -> Option<Vec<i64>> {
    let (least, most) = bits.bounds();
    let modulus = tests.modulus.max(1);
    let inside = tests.cuts.iter().copied().filter(|cut| (least + 1..=most).contains(cut));
    let starts: Vec<i128> = [least].into_iter().chain(inside).collect();
    if modulus * starts.len() as i128 > 4 * MOST_VALUES as i128 {
        return None;
    }
    let ends = starts[1..].iter().map(|start| start - 1).chain([most]);
    let mut numbers: Vec<i128> = Vec::new();
    for (&start, end) in starts.iter().zip(ends) {
        // The end that is nearer to zero.
        let near = if end < 0 { (end - modulus + 1).max(start)..=end } else { start..=end.min(start + modulus - 1) };
        numbers.extend(near);
    }
    numbers.sort_by_key(|number| (number.unsigned_abs(), *number < 0));
    (numbers.len() <= MOST_VALUES && (numbers.len() as i128) < most - least + 1).then_some(())?;
    numbers.into_iter().map(|number| bits.word(number)).collect()
}

/// The least power of two that is greater than a small number.
fn next_power_of_two(number: i128) -> i128 {
    1 << (i128::BITS - number.leading_zeros())
}

fn least_common_multiple(a: i128, b: i128) -> i128 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_source::Span;

    const I8: Bits = Bits { width: 8, signed: true };
    const U8: Bits = Bits { width: 8, signed: false };
    const I16: Bits = Bits { width: 16, signed: true };
    const U16: Bits = Bits { width: 16, signed: false };

    fn local(of: Bits) -> Expr {
        Expr::new(ExprKind::Read(VarRef::Local(LocalId(0))), Sort::Bits(of), Span::default())
    }

    /// What C makes of the number of a local in an expression that `test` understands.
    fn value(e: &Expr, number: i128) -> i128 {
        match &e.kind {
            ExprKind::Const(_) => constant(e).expect("a number"),
            ExprKind::Read(_) => number,
            ExprKind::Unary(_, inner) => {
                let number = value(inner, number);
                e.sort.bits().map_or(number, |bits| bits.number(bits.wrap(number as i64)))
            }
            ExprKind::Binary(BinaryOp::Mod, a, b) => value(a, number) % value(b, number),
            ExprKind::Binary(BinaryOp::BitAnd, a, b) => value(a, number) & value(b, number),
            ExprKind::Binary(BinaryOp::Lt, a, b) => i128::from(value(a, number) < value(b, number)),
            ExprKind::Binary(BinaryOp::Eq, a, b) => i128::from(value(a, number) == value(b, number)),
            _ => unreachable!("no such expression is made here"),
        }
    }

    /// All tests of a local of eight bits, converted or not, whole or its remainder, with constants on and beside all edges.
    fn all_tests(of: Bits) -> Vec<Expr> {
        let span = Span::default();
        let mut sides = vec![local(of)];
        for to in [I8, U8, I16, U16] {
            sides.push(local(of).converted(Sort::Bits(to), span));
            sides.push(local(of).converted(Sort::Bits(to), span).converted(Sort::Bits(I16), span));
        }
        let by = |side: &Expr, op, by| Expr::binary(op, side.clone(), Expr::constant(by, side.sort, span), side.sort);
        let rests: Vec<Expr> = sides
            .iter()
            .flat_map(|side| [by(side, BinaryOp::Mod, 3), by(side, BinaryOp::Mod, 4), by(side, BinaryOp::BitAnd, 5)])
            .collect();
        sides.extend(rests);
        let limits = [-129, -128, -1, 0, 1, 2, 127, 128, 255, 256, 32767];
        let with = |side: &Expr, limit: i64, op| {
            Expr::binary(op, side.clone(), Expr::constant(limit, Sort::Int, span), Sort::Bool)
        };
        let both = |side: &Expr, limit| [with(side, limit, BinaryOp::Lt), with(side, limit, BinaryOp::Eq)];
        sides
            .iter()
            .flat_map(|side| limits.into_iter().flat_map(|limit| both(side, limit)).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn every_number_has_one_that_stands_for_it() {
        for of in [I8, U8] {
            let (least, most) = of.bounds();
            for pair in all_tests(of).windows(2) {
                let mut tests = Tests::default();
                for e in pair {
                    let (_, found) = test(e, &[Some(of)]).expect("it is a test");
                    tests.add(&found);
                }
                let Some(tried) = representatives(&tests, of) else { continue };
                let says = |number: i128| pair.iter().map(|e| value(e, number)).collect::<Vec<i128>>();
                let tried: BTreeSet<Vec<i128>> = tried.iter().map(|word| says(of.number(*word))).collect();
                for number in least..=most {
                    assert!(tried.contains(&says(number)), "nothing stands for {number} in {pair:?}");
                }
            }
        }
    }

    #[test]
    fn few_numbers_are_tried() {
        let span = Span::default();
        let i32 = Bits { width: 32, signed: true };
        let rest = Expr::binary(BinaryOp::Mod, local(i32), Expr::constant(2, Sort::Bits(i32), span), Sort::Bits(i32));
        let e = Expr::binary(BinaryOp::Ne, rest, Expr::constant(0, Sort::Bits(i32), span), Sort::Bool);
        let (_, tests) = test(&e, &[Some(i32)]).expect("it is a test");
        assert_eq!(representatives(&tests, i32), Some(vec![0, 1, -1, -2]));
    }
}
