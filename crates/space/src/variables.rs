//! The scalar variables of a program: an array is the variables of its elements, and a set one boolean for each
//! possible member.

use crate::space::{Owner, Shown, Space, ThreadSpace, VarInfo, VarSort};
use std::collections::BTreeMap;
use threadwise_ir::{Bits, EdgeId, Instance, LocalId, SharedId, Sort, ThreadId};
use threadwise_logic::{Term, Var};
use threadwise_source::Span;
use threadwise_symbolic::{Frame, Unsupported, Value};

/// Programs with more scalar variables than this are not treated.
const MAX_VARIABLES: usize = 2000;

/// A scalar that is a part of a value.
pub(crate) struct Scalar<'a> {
    /// What it is called, if the value has this name.
    name: String,
    sort: &'a Sort,
    /// Which word of the store or frame it is in, and which bit of it if it is the member of a set.
    slot: (usize, Option<u32>),
}

impl Scalar<'_> {
    pub(crate) fn var_sort(&self, instance: &Instance) -> VarSort {
        match self.sort {
            Sort::Bool => VarSort::Bool,
            Sort::Range(lo, hi) => VarSort::Int(Some((*lo, *hi))),
            Sort::Enum(_) | Sort::Tid => VarSort::Int(Some((0, instance.count(self.sort) as i64 - 1))),
            Sort::Int => VarSort::Int(None),
            Sort::Bits(bits) => VarSort::Int(Some((bits.bounds().0 as i64, bits.bounds().1 as i64))),
            Sort::Set(_) | Sort::Array(..) => unreachable!("it is a scalar"),
        }
    }

    fn shown(&self) -> Shown {
        match self.sort {
            Sort::Enum(id) => Shown::Enum(*id),
            Sort::Tid => Shown::Tid,
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Set(_) | Sort::Array(..) => Shown::Plain,
        }
    }
}

/// The scalars of a value of the sort, in the order of the terms that stand for them.
pub(crate) fn scalars<'a>(
    instance: &Instance,
    name: &str,
    sort: &'a Sort,
    offset: usize,
    out: &mut Vec<Scalar<'a>>,
) -> Result<(), &'static str> {
    let few = |keys: &Sort| instance.cardinality(keys).filter(|count| *count <= MAX_VARIABLES as u64);
    match sort {
        // Their words are not the numbers that they stand for.
        Sort::Bits(Bits { width: 64, signed: false }) => return Err("a variable of type `u64`"),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
            out.push(Scalar { name: name.to_string(), sort, slot: (offset, None) });
        }
        Sort::Set(element) => {
            for rank in 0..few(element).ok_or("so large a set")? as usize {
                let name = format!("{} in {name}", show_scalar(instance, element, instance.unrank(element, rank)));
                out.push(Scalar { name, sort: &Sort::Bool, slot: (offset + rank / 64, Some((rank % 64) as u32)) });
            }
        }
        Sort::Array(key, element) => {
            let size = instance.words(element);
            for rank in 0..few(key).ok_or("so large an array")? as usize {
                let name = format!("{name}[{}]", show_scalar(instance, key, instance.unrank(key, rank)));
                scalars(instance, &name, element, offset + rank * size, out)?;
            }
        }
    }
    Ok(())
}

/// The value of a scalar sort as text.
fn show_scalar(instance: &Instance, sort: &Sort, value: i64) -> String {
    match sort {
        Sort::Bool => (value != 0).to_string(),
        Sort::Enum(id) => instance.program.enums[id.index()].members[value as usize].to_string(),
        Sort::Tid => instance.tid_name(value),
        Sort::Int | Sort::Range(..) | Sort::Bits(_) => value.to_string(),
        Sort::Set(_) | Sort::Array(..) => unreachable!("it is a scalar"),
    }
}

/// Where the value of a variable is.
struct Home<'a> {
    owner: Owner,
    offset: usize,
    /// For a local of a thread, which of the thread's frames it is in.
    frame: &'a [EdgeId],
}

impl Space {
    pub(crate) fn add_shared(&mut self) -> Result<(), Unsupported> {
        let program = self.instance.program.clone();
        for (index, var) in program.shared.iter().enumerate() {
            let offset = self.instance.shared_range(SharedId(index as u32)).start;
            let home = Home { owner: Owner::Shared, offset, frame: &[] };
            let value = self.add_var(&var.name, &var.sort, &home, var.span)?;
            self.shared.push(value);
        }
        Ok(())
    }

    /// The control variable, and the locals of every frame that can be on the stack.
    pub(crate) fn add_thread(&mut self, thread: ThreadId) -> Result<(), Unsupported> {
        let program = self.instance.program.clone();
        let (name, owner) = (self.instance.tid_name(i64::from(thread.0) + 1), Owner::Thread(thread));
        let body = self.instance.body(thread);
        let (sort, shown, slot) = (VarSort::Int(None), Shown::Point(thread), (0, None));
        let pc = VarInfo { name: format!("{name}@"), sort, shown, owner, slot, frame: Vec::new() };
        let pc = self.push(pc, program.location(program.routine(body).entry).span)?;
        let mut frames = BTreeMap::new();
        for frame in Frame::all(&program, body)? {
            let mut locals = Vec::new();
            for (index, var) in program.routine(frame.routine).locals.iter().enumerate() {
                let offset = self.instance.local_range(frame.routine, LocalId(index as u32)).start;
                let home = Home { owner, offset, frame: &frame.calls };
                locals.push(self.add_var(&format!("{name}{}.{}", frame.name, var.name), &var.sort, &home, var.span)?);
            }
            frames.insert(frame.calls, locals);
        }
        self.threads.push(ThreadSpace::new(pc, frames));
        Ok(())
    }

    fn add_var(&mut self, name: &str, sort: &Sort, home: &Home<'_>, span: Span) -> Result<Value, Unsupported> {
        let mut parts = Vec::new();
        scalars(&self.instance, name, sort, home.offset, &mut parts).map_err(|what| Unsupported::new(what, span))?;
        let mut leaves = Vec::new();
        for scalar in parts {
            let (sort, shown, slot) = (scalar.var_sort(&self.instance), scalar.shown(), scalar.slot);
            let (owner, frame) = (home.owner, home.frame.to_vec());
            let var = self.push(VarInfo { name: scalar.name, sort, shown, owner, slot, frame }, span)?;
            leaves.push(Term::var(var, sort.smt_sort()));
        }
        Ok(Value(leaves))
    }

    fn push(&mut self, mut info: VarInfo, span: Span) -> Result<Var, Unsupported> {
        if self.vars.len() >= MAX_VARIABLES {
            return Err(Unsupported::new("so many scalar variables", span));
        }
        let same = self.vars.iter().filter(|known| known.name == info.name).count();
        if same > 0 {
            // Locals of different blocks may have the same name.
            info.name = format!("{}#{}", info.name, same + 1);
        }
        self.vars.push(info);
        Ok(Var(self.vars.len() as u32 - 1))
    }
}
