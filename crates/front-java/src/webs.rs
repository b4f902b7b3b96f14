//! The local variables of a method: a slot is used for one variable after the other, so a variable is what its stores
//! and loads have to do with each other.

use crate::classes::MethodCode;
use crate::types::LONG;
use cafebabe::bytecode::Opcode;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_memory::code::{INT, Type};

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// It is stored to once, or is a parameter that is never stored to.
    pub(crate) is_set_once: bool,
    /// The class that it is declared with.
    pub(crate) class: Option<Arc<str>>,
}

/// The variables of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Webs {
    pub(crate) all: Vec<Web>,
    /// The variable that an instruction loads or stores.
    pub(crate) of_instruction: BTreeMap<usize, usize>,
    /// The variable that a parameter starts as.
    pub(crate) of_parameter: Vec<usize>,
}

/// What an instruction does to a slot.
fn slot_of(opcode: &Opcode<'_>) -> Option<(u16, Type, bool, bool)> {
    let (reads, writes) = ((true, false), (false, true));
    let (slot, ty, (is_read, is_written)) = match opcode {
        Opcode::Iload(slot) => (slot, INT, reads),
        Opcode::Istore(slot) => (slot, INT, writes),
        Opcode::Iinc(slot, _) => (slot, INT, (true, true)),
        Opcode::Lload(slot) => (slot, LONG, reads),
        Opcode::Lstore(slot) => (slot, LONG, writes),
        Opcode::Fload(slot) => (slot, Type::Float(4), reads),
        Opcode::Fstore(slot) => (slot, Type::Float(4), writes),
        Opcode::Dload(slot) => (slot, Type::Float(8), reads),
        Opcode::Dstore(slot) => (slot, Type::Float(8), writes),
        Opcode::Aload(slot) => (slot, Type::Pointer, reads),
        Opcode::Astore(slot) => (slot, Type::Pointer, writes),
        _ => return None,
    };
    Some((*slot, ty, is_read, is_written))
}

/// The instructions that may come next, without exceptions.
pub(crate) fn successors(code: &MethodCode<'_>, index: usize) -> Vec<usize> {
    let (pc, opcode) = &code.opcodes[index];
    let at = |offset: i32| index_at(code, (i64::from(*pc) + i64::from(offset)) as u32);
    let next = || (index + 1 < code.opcodes.len()).then_some(index + 1);
    match opcode {
        Opcode::Goto(offset) => at(*offset).into_iter().collect(),
        Opcode::Lookupswitch(table) => {
            let all = table.match_offsets.iter().map(|(_, offset)| *offset).chain([table.default]);
            all.filter_map(at).collect()
        }
        Opcode::Tableswitch(table) => table.jumps.iter().copied().chain([table.default]).filter_map(at).collect(),
        Opcode::Areturn
        | Opcode::Ireturn
        | Opcode::Lreturn
        | Opcode::Freturn
        | Opcode::Dreturn
        | Opcode::Return
        | Opcode::Athrow => Vec::new(),
        other => next().into_iter().chain(branch_offset(other).and_then(at)).collect(),
    }
}

/// How far a conditional branch goes.
pub(crate) fn branch_offset(opcode: &Opcode<'_>) -> Option<i32> {
    Some(match opcode {
        Opcode::IfAcmpeq(offset)
        | Opcode::IfAcmpne(offset)
        | Opcode::IfIcmpeq(offset)
        | Opcode::IfIcmpge(offset)
        | Opcode::IfIcmpgt(offset)
        | Opcode::IfIcmple(offset)
        | Opcode::IfIcmplt(offset)
        | Opcode::IfIcmpne(offset)
        | Opcode::Ifeq(offset)
        | Opcode::Ifge(offset)
        | Opcode::Ifgt(offset)
        | Opcode::Ifle(offset)
        | Opcode::Iflt(offset)
        | Opcode::Ifne(offset)
        | Opcode::Ifnonnull(offset)
        | Opcode::Ifnull(offset) => *offset,
        _ => return None,
    })
}

pub(crate) fn index_at(code: &MethodCode<'_>, pc: u32) -> Option<usize> {
    code.opcodes.binary_search_by_key(&pc, |(pc, _)| *pc).ok()
}

/// A store, or the start of a parameter.
struct Definition {
    slot: u16,
    ty: Type,
    /// Where the variable has its name.
    named_at: u32,
}

/// Finds the variables; the parameters are given with their slots.
pub(crate) fn webs(code: &MethodCode<'_>, params: &[(u16, Type)]) -> Webs {
    let mut definitions: Vec<Definition> =
        params.iter().map(|(slot, ty)| Definition { slot: *slot, ty: ty.clone(), named_at: 0 }).collect();
    let mut stores: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, (pc, opcode)) in code.opcodes.iter().enumerate() {
        if let Some((slot, ty, _, true)) = slot_of(opcode) {
            stores.insert(index, definitions.len());
            let named_at = code.opcodes.get(index + 1).map_or(*pc, |(next, _)| *next);
            definitions.push(Definition { slot, ty, named_at });
        }
    }
    let reaching = reaching(code, params.len(), &definitions, &stores);
    let mut leader: Vec<usize> = (0..definitions.len()).collect();
    for (index, (_, opcode)) in code.opcodes.iter().enumerate() {
        let Some((slot, ty, true, is_written)) = slot_of(opcode) else { continue };
        let fits = |id: &&usize| definitions[**id].slot == slot && definitions[**id].ty == ty;
        let mut all: Vec<usize> = reaching[index].iter().filter(fits).copied().collect();
        all.extend(stores.get(&index).filter(|_| is_written));
        for pair in all.windows(2) {
            unite(&mut leader, pair[0], pair[1]);
        }
    }
    named(code, &definitions, &stores, &mut leader, &reaching, params.len())
}

fn find(leader: &mut [usize], of: usize) -> usize {
    if leader[of] != of {
        leader[of] = find(leader, leader[of]);
    }
    leader[of]
}

fn unite(leader: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b)] = a.min(b);
}

/// For each instruction the definitions that may be the last ones before it.
fn reaching(
    code: &MethodCode<'_>,
    params: usize,
    definitions: &[Definition],
    stores: &BTreeMap<usize, usize>,
) -> Vec<BTreeSet<usize>> {
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); code.opcodes.len()];
    if let Some(first) = before.first_mut() {
        first.extend(0..params);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for index in 0..code.opcodes.len() {
            let mut after = before[index].clone();
            if let Some(&stored) = stores.get(&index) {
                after.retain(|id| definitions[*id].slot != definitions[stored].slot);
                after.insert(stored);
            }
            let mut flow = |to: usize, from: &BTreeSet<usize>| {
                let known = before[to].len();
                before[to].extend(from);
                changed |= before[to].len() > known;
            };
            for next in successors(code, index) {
                flow(next, &after);
            }
            let pc = code.opcodes[index].0;
            let covering = code.handlers.iter().filter(|handler| handler.start <= pc && pc < handler.end);
            let handlers: Vec<usize> = covering.filter_map(|handler| index_at(code, handler.to)).collect();
            for handler in handlers {
                let all: BTreeSet<usize> = before[index].union(&after).copied().collect();
                let known = before[handler].len();
                before[handler].extend(all);
                changed |= before[handler].len() > known;
            }
        }
    }
    before
}

fn named(
    code: &MethodCode<'_>,
    definitions: &[Definition],
    stores: &BTreeMap<usize, usize>,
    leader: &mut [usize],
    reaching: &[BTreeSet<usize>],
    params: usize,
) -> Webs {
    let mut webs = Webs::default();
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for (id, of) in definitions.iter().enumerate() {
        let first = find(leader, id);
        let number = *numbers.entry(first).or_insert_with(|| {
            let is_here = |known: &&crate::classes::NamedVariable| {
                known.slot == of.slot && known.start <= of.named_at && of.named_at < known.end
            };
            let known = code.variables.iter().find(is_here);
            let class = known.and_then(|known| known.class.clone());
            let name = known.map(|known| known.name.clone());
            let name = name.unwrap_or_else(|| format!("$local{}", of.slot).into());
            let count = (0..definitions.len()).filter(|&other| find(leader, other) == first).count();
            webs.all.push(Web { name, ty: of.ty.clone(), is_set_once: count == 1, class });
            webs.all.len() - 1
        });
        if id < params {
            webs.of_parameter.push(number);
        }
    }
    for (index, (_, opcode)) in code.opcodes.iter().enumerate() {
        let Some((slot, ty, is_read, _)) = slot_of(opcode) else { continue };
        let fits = |id: &&usize| definitions[**id].slot == slot && definitions[**id].ty == ty;
        let id = match stores.get(&index) {
            Some(&id) => Some(id),
            None => reaching[index].iter().filter(|_| is_read).find(fits).copied(),
        };
        if let Some(id) = id {
            webs.of_instruction.insert(index, numbers[&find(leader, id)]);
        }
    }
    webs
}
