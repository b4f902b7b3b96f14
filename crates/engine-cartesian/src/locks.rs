//! The exception set of programs with locks, from the program text (CART, section 2.2.5).
//!
//! In these programs the shared variables are boolean locks, all free at first; a thread takes a free
//! lock, frees a lock that it holds, or looks. At each of its locations a thread holds the same locks
//! however it came there: this is what the three criteria of the section ask for. A state in which each
//! held lock is held by just one thread, by its location, is an exception, unless no lock is held.

use crate::chain::Products;
use crate::space::{Space, Stop};
use std::collections::BTreeMap;
use threadwise_ir::{
    BinaryOp, Command, Edge, Expr, ExprKind, Initial, Instance, Op, Program, RoutineId, SharedId, Sort, UnaryOp,
    Update, Value, VarRef,
};
use threadwise_products::{BagId, ProductId, SetId};

/// Locks as bits.
type Locks = u64;

/// What an edge does to locks.
enum Effect {
    Take(SharedId),
    Free(SharedId),
    Look,
}

/// By location, the locks that a thread there holds; `None` where it never is.
pub(crate) struct Held(Vec<Option<Locks>>);

/// The locks held at each location, or why the program is not of the class.
pub(crate) fn held(program: &Program) -> Result<Held, String> {
    if program.shared.len() > Locks::BITS as usize {
        return Err(format!("there are more than {} locks", Locks::BITS));
    }
    for var in &program.shared {
        let is_false = |e: &Expr| matches!(e.kind, ExprKind::Const(0));
        let free = match &var.init {
            Initial::Default => true,
            Initial::Value(e) => is_false(e),
            Initial::Any => false,
        };
        if var.sort != Sort::Bool || !free {
            return Err(format!("the shared variable `{}` is not a lock that is free at first", var.name));
        }
    }
    if let Some(call) = program.edges.iter().find(|edge| !matches!(edge.op, Op::Command(_))) {
        return Err(format!("procedures are not looked into: {}", program.source.locate(call.span)));
    }
    let mut held = Held(vec![None; program.locations.len()]);
    let bodies: Vec<RoutineId> = program.templates.iter().map(|template| template.body).collect();
    for body in bodies {
        held.follow(program, body)?;
    }
    Ok(held)
}

impl Held {
    fn follow(&mut self, program: &Program, body: RoutineId) -> Result<(), String> {
        let entry = program.routine(body).entry;
        self.0[entry.index()] = Some(0);
        let mut waiting = vec![entry];
        while let Some(location) = waiting.pop() {
            let here = self.0[location.index()].expect("a location that waits has been reached");
            for &edge in &program.location(location).edges {
                let edge = program.edge(edge);
                let Some(after) = after(program, edge, here)? else { continue };
                match self.0[edge.to.index()] {
                    None => {
                        self.0[edge.to.index()] = Some(after);
                        waiting.push(edge.to);
                    }
                    Some(known) if known == after => {}
                    Some(_) => {
                        let place = program.source.locate(program.location(edge.to).span);
                        return Err(format!("different locks are held at {place}, depending on how it is reached"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The locks held after an edge; `None` if it cannot be taken.
fn after(program: &Program, edge: &Edge, held: Locks) -> Result<Option<Locks>, String> {
    let place = || program.source.locate(edge.span);
    let Op::Command(command) = &edge.op else { return Err(format!("a call at {}", place())) };
    match effect(command) {
        None => Err(format!("the step at {} does more than take, free or look at locks", place())),
        Some(Effect::Look) => Ok(Some(held)),
        Some(Effect::Take(lock)) if held >> lock.0 & 1 == 1 => Ok(None),
        Some(Effect::Take(lock)) => Ok(Some(held | 1 << lock.0)),
        Some(Effect::Free(lock)) if held >> lock.0 & 1 == 0 => {
            Err(format!("the lock `{}` is freed at {} without being held", program.shared[lock.index()].name, place()))
        }
        Some(Effect::Free(lock)) => Ok(Some(held & !(1 << lock.0))),
    }
}

fn effect(command: &Command) -> Option<Effect> {
    let Update::Assign(assignments) = &command.update else { return None };
    let shared = assignments.iter().filter_map(|(place, value)| match place.var {
        VarRef::Shared(id) => Some((id, place, value)),
        VarRef::Local(_) => None,
    });
    let shared: Vec<_> = shared.collect();
    let (id, value) = match shared[..] {
        [] => return Some(Effect::Look),
        [(id, place, Value::Of(value))] if place.indices.is_empty() => (id, value),
        _ => return None,
    };
    match value.kind {
        ExprKind::Const(0) => Some(Effect::Free(id)),
        ExprKind::Const(1) if command.guard.as_ref().is_some_and(|guard| asks_for_free(guard, id)) => {
            Some(Effect::Take(id))
        }
        _ => None,
    }
}

/// Whether a guard lets a thread pass only if the lock is free.
fn asks_for_free(guard: &Expr, lock: SharedId) -> bool {
    let reads = |e: &Expr| matches!(e.kind, ExprKind::Read(VarRef::Shared(id)) if id == lock);
    match &guard.kind {
        ExprKind::Unary(UnaryOp::Not, a) => reads(a),
        ExprKind::Binary(BinaryOp::And, a, b) => asks_for_free(a, lock) || asks_for_free(b, lock),
        ExprKind::Binary(BinaryOp::Eq, a, b) => {
            let is_false = |e: &Expr| matches!(e.kind, ExprKind::Const(0));
            reads(a) && is_false(b) || is_false(a) && reads(b)
        }
        _ => false,
    }
}

/// The exceptions: for each shared state in which a lock is held, and each way to deal its locks out to
/// threads, the product of what the threads can then be doing. Of local states, those are looked at that
/// the thread-modular fixpoint has.
pub(crate) fn exceptions(space: &mut Space<'_>, held: &Held, fixpoint: &[(u32, ProductId)]) -> Result<Products, Stop> {
    let mut exceptions = Products::new();
    for &(store, product) in fixpoint {
        let locks = locks_in(space.instance, space.tables.shared.get(store));
        if locks == 0 {
            continue;
        }
        let by_locks: Vec<BTreeMap<Locks, SetId>> =
            (0..space.groups.len()).map(|group| by_locks(space, held, product, group)).collect();
        let mut hands = vec![Vec::new(); space.groups.len()];
        let mut products = Vec::new();
        deal(space, &by_locks, 0, locks, &mut hands, &mut products)?;
        if !products.is_empty() {
            exceptions.insert(store, products);
        }
    }
    Ok(exceptions)
}

fn locks_in(instance: &Instance, shared: &[i64]) -> Locks {
    let held = |index: &usize| shared[instance.shared_range(SharedId(*index as u32)).start] == 1;
    (0..instance.program.shared.len()).filter(held).fold(0, |locks, index| locks | 1 << index)
}

/// The local states of a group by the locks that are held in them.
fn by_locks(space: &mut Space<'_>, held: &Held, product: ProductId, group: usize) -> BTreeMap<Locks, SetId> {
    let set = space.algebra.hull(product, group);
    let thread = space.groups[group].threads.start;
    let mut locals: BTreeMap<Locks, Vec<u32>> = BTreeMap::new();
    for local in space.algebra.sets.elements(set) {
        let location = space.instance.location_of(space.local(thread, local));
        if let Some(locks) = held.0[location.index()] {
            locals.entry(locks).or_default().push(local);
        }
    }
    locals.into_iter().map(|(locks, locals)| (locks, space.algebra.sets.of(locals))).collect()
}

/// Deals the locks out to the threads of the groups from `group` on. `hands` has what threads hold that
/// hold something, for each group in ascending order: which of its threads it is does not matter.
fn deal(
    space: &mut Space<'_>,
    by_locks: &[BTreeMap<Locks, SetId>],
    group: usize,
    left: Locks,
    hands: &mut Vec<Vec<Locks>>,
    products: &mut Vec<ProductId>,
) -> Result<(), Stop> {
    space.pace.step()?;
    if group == by_locks.len() {
        if left == 0 {
            products.extend(product_of(space, by_locks, hands));
        }
        return Ok(());
    }
    let next_group = deal(space, by_locks, group + 1, left, hands, products);
    next_group?;
    if hands[group].len() < space.groups[group].threads.len() {
        let last = hands[group].last().copied().unwrap_or(0);
        let choices = by_locks[group].keys().copied().filter(|&locks| locks > last && locks & !left == 0);
        for locks in choices.collect::<Vec<_>>() {
            hands[group].push(locks);
            deal(space, by_locks, group, left & !locks, hands, products)?;
            hands[group].pop();
        }
    }
    Ok(())
}

fn product_of(space: &mut Space<'_>, by_locks: &[BTreeMap<Locks, SetId>], hands: &[Vec<Locks>]) -> Option<ProductId> {
    let mut bags: Vec<BagId> = Vec::new();
    for (group, hand) in hands.iter().enumerate() {
        let mut entries: Vec<(SetId, u32)> = hand.iter().map(|locks| (by_locks[group][locks], 1)).collect();
        let idle = space.groups[group].threads.len() - hand.len();
        if idle > 0 {
            entries.push((*by_locks[group].get(&0)?, idle as u32));
        }
        bags.push(space.algebra.bag_of(entries));
    }
    Some(space.algebra.product(&bags))
}
