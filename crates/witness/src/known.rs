//! What a proof says of the points of a program: of states that are listed, the range of each variable; of formulas, those that
//! can be said in C.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::{Element, Fact, Proof, ProtectionProof, StatesByStore, instance_of_case};
use threadwise_ir::{
    EdgeId, Initial, Instance, LocalId, LocationId, Op, Program, RoutineId, SharedId, Sort, TemplateId, Update, Value,
    VarRef,
};
use threadwise_memory::{Atlas, Operation};

/// The least and the greatest value.
pub(crate) type Range = (i128, i128);

/// What holds at a point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) ranges: BTreeMap<VarRef, Range>,
    /// In SMT-LIB.
    pub(crate) formulas: Vec<String>,
}

/// What is known of a program.
#[derive(Debug)]
pub(crate) struct Known {
    /// The program with the points that the proof speaks of: others are passed within steps.
    pub(crate) program: Arc<Program>,
    pub(crate) at: BTreeMap<LocationId, Facts>,
    /// Of each lock, the range of each shared variable while nobody has it.
    pub(crate) while_free: BTreeMap<SharedId, BTreeMap<SharedId, Range>>,
    /// The proof lists states: a point of which nothing is said is one to which nobody comes.
    pub(crate) lists_states: bool,
}

impl Known {
    /// What a proof says; nothing, where it does not speak of values.
    pub(crate) fn of(program: &Arc<Program>, proof: &Proof, locks: &[SharedId]) -> Option<Known> {
        let mut known =
            Known { program: program.clone(), at: BTreeMap::new(), while_free: BTreeMap::new(), lists_states: true };
        match proof {
            Proof::Reachable(set) => {
                known.program = Arc::new(set.folding.apply(program));
                let instance = Instance::new(program.clone(), 0);
                for row in set.rows(&instance) {
                    let shared = &set.shared[row[0] as usize];
                    for (thread, &local) in instance.threads.iter().zip(&row[1..]) {
                        known.see(&instance, locks, shared, &set.locals[thread.template.index()][local as usize]);
                    }
                }
            }
            Proof::Modular(proof) => {
                for case in &proof.cases {
                    let instance = instance_of_case(program, &case.copies).ok()?;
                    for context in case.threads.iter().flat_map(|thread| &thread.contexts) {
                        known.see_all(&instance, locks, &context.states);
                    }
                }
            }
            Proof::Frontier(proof) => {
                let instance = Instance::new(program.clone(), 0);
                proof.iterates.iter().flatten().for_each(|states| known.see_all(&instance, locks, states));
            }
            Proof::Cartesian(proof) => {
                let instance = Instance::new(program.clone(), 0);
                for (shared, products) in &proof.unions {
                    for product in products {
                        let mut thread = 0;
                        for &(count, set) in &product.components {
                            let template: TemplateId = instance.threads.get(thread)?.template;
                            thread += count as usize;
                            for &local in &proof.sets[set as usize] {
                                known.see(&instance, locks, shared, &proof.locals[template.index()][local as usize]);
                            }
                        }
                    }
                }
            }
            Proof::Formulas(proof) => {
                known.lists_states = false;
                for said in proof.parts.iter().flat_map(|part| part.points.iter().chain(&part.remarks)) {
                    let facts = known.at.entry(said.point.location).or_default();
                    facts.formulas.push(said.formula.clone());
                }
            }
            Proof::Protection(proof) => {
                known.lists_states = false;
                known.program = if proof.is_of_outline { program.outline.clone()? } else { program.clone() };
                known.see_held(proof);
            }
            Proof::Conformance(_) | Proof::Hierarchy(_) | Proof::Coverability(_) | Proof::Schedules(_) => return None,
        }
        Some(known)
    }

    /// Which mutexes a thread has wherever it comes to a point, whoever called the code.
    fn see_held(&mut self, proof: &ProtectionProof) {
        let mut held: BTreeMap<LocationId, BTreeSet<SharedId>> = BTreeMap::new();
        for code in proof.threads.iter().flatten() {
            let locations = self.program.routine(code.routine).locations.clone();
            for (location, set) in locations.map(LocationId).zip(&code.at) {
                let Some(set) = set else { continue };
                let here = proof.sets[*set as usize].iter().filter_map(|fact| match fact {
                    Fact::Holds(Element { var: VarRef::Shared(id), keys }) if keys.is_empty() => Some(*id),
                    _ => None,
                });
                let here: BTreeSet<SharedId> = here.collect();
                held.entry(location).and_modify(|held| held.retain(|id| here.contains(id))).or_insert(here);
            }
        }
        for (location, ids) in held {
            let name = |id: &SharedId| self.program.shared[id.index()].name.clone();
            let formulas = ids.iter().map(|id| format!("(= |{}| self)", name(id))).collect();
            self.at.insert(location, Facts { formulas, ..Facts::default() });
        }
    }

    fn see_all(&mut self, instance: &Instance, locks: &[SharedId], states: &StatesByStore) {
        for (shared, locals) in states {
            locals.iter().for_each(|local| self.see(instance, locks, shared, local));
        }
    }

    fn see(&mut self, instance: &Instance, locks: &[SharedId], shared: &[i64], local: &[i64]) {
        let (routine, start) = instance.top_frame(local);
        let scalars: Vec<(SharedId, i128)> = shared_numbers(instance, shared);
        for lock in locks {
            if shared[instance.shared_range(*lock).start] == 0 {
                let ranges = self.while_free.entry(*lock).or_default();
                scalars.iter().for_each(|&(var, number)| widen(ranges, var, number));
            }
        }
        let facts = self.at.entry(instance.location_of(local)).or_default();
        scalars.iter().for_each(|&(var, number)| widen(&mut facts.ranges, VarRef::Shared(var), number));
        for (var, index) in instance.program.routine(routine).locals.iter().zip(0..) {
            let word = local[start + instance.local_range(routine, LocalId(index)).start];
            if let Some(number) = number(&var.sort, word) {
                widen(&mut facts.ranges, VarRef::Local(LocalId(index)), number);
            }
        }
    }
}

fn shared_numbers(instance: &Instance, shared: &[i64]) -> Vec<(SharedId, i128)> {
    let vars = instance.program.shared.iter().zip((0..).map(SharedId));
    vars.filter_map(|(var, id)| Some((id, number(&var.sort, shared[instance.shared_range(id).start])?))).collect()
}

fn number(sort: &Sort, word: i64) -> Option<i128> {
    match sort {
        Sort::Bits(bits) => Some(bits.number(word)),
        Sort::Bool | Sort::Int | Sort::Range(..) => Some(i128::from(word)),
        Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => None,
    }
}

fn widen<K: Ord>(ranges: &mut BTreeMap<K, Range>, key: K, number: i128) {
    let range = ranges.entry(key).or_insert((number, number));
    *range = (range.0.min(number), range.1.max(number));
}

/// Variables that may hold an input, or something that was computed from one: where states are listed, some values stand for all
/// of these.
pub(crate) fn uncertain(program: &Program, atlas: &Atlas) -> BTreeSet<(Option<RoutineId>, VarRef)> {
    let mut found: BTreeSet<(Option<RoutineId>, VarRef)> = BTreeSet::new();
    let owner = |routine: RoutineId, var: VarRef| match var {
        VarRef::Shared(_) => (None, var),
        VarRef::Local(_) => (Some(routine), var),
    };
    for (var, id) in program.shared.iter().zip((0..).map(SharedId)) {
        if matches!(var.init, Initial::Any) {
            found.insert((None, VarRef::Shared(id)));
        }
    }
    loop {
        let before = found.len();
        for (edge, id) in program.edges.iter().zip((0..).map(EdgeId)) {
            let routine = program.location(edge.from).routine;
            let Op::Command(command) = &edge.op else { continue };
            let Update::Assign(assignments) = &command.update else { continue };
            for operation in atlas.operations.get(&id).into_iter().flatten() {
                match operation {
                    // Of an element: the array that it is in, and what its index is computed from, which does no harm.
                    Operation::Any(chosen) => chosen.walk(&mut |part| {
                        if let threadwise_ir::ExprKind::Read(var) = part.kind {
                            found.insert(owner(routine, var));
                        }
                    }),
                    Operation::Arguments(var) => drop(found.insert(owner(routine, *var))),
                    _ => {}
                }
            }
            for (place, value) in assignments {
                let is_uncertain = match value {
                    Value::Any => true,
                    Value::Of(e) => {
                        let mut is_read = false;
                        e.walk(&mut |part| {
                            if let threadwise_ir::ExprKind::Read(var) = part.kind {
                                is_read |= found.contains(&owner(routine, var));
                            }
                        });
                        is_read
                    }
                };
                if is_uncertain {
                    found.insert(owner(routine, place.var));
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// For each location the locals that are read from there on before they are set: what others hold is of no value, and may have
/// been forgotten.
pub(crate) fn live(program: &Program) -> Vec<Vec<bool>> {
    let locals = |location: &threadwise_ir::Location| program.routine(location.routine).locals.len();
    let mut live: Vec<Vec<bool>> = program.locations.iter().map(|location| vec![false; locals(location)]).collect();
    loop {
        let mut has_changed = false;
        for edge in program.edges.iter().rev() {
            let mut row = live[edge.to.index()].clone();
            if let Op::Command(command) = &edge.op
                && let Update::Assign(assignments) = &command.update
            {
                for (place, _) in assignments {
                    if let (VarRef::Local(id), true) = (place.var, place.indices.is_empty()) {
                        row[id.index()] = false;
                    }
                }
            }
            edge.op.walk_expressions(&mut |e| {
                if let threadwise_ir::ExprKind::Read(VarRef::Local(id)) = e.kind {
                    row[id.index()] = true;
                }
            });
            let from = &mut live[edge.from.index()];
            for (old, new) in from.iter_mut().zip(row) {
                has_changed |= new && !*old;
                *old |= new;
            }
        }
        if !has_changed {
            return live;
        }
    }
}
