//! A naive interpreter of programs with one thread, on bytes, as a machine has them. It shares no arithmetic with the
//! front end.

use std::collections::BTreeMap;
use threadwise_ir::Bits;
use threadwise_memory::code::{
    Base, BinaryOp, Callee, Code, End, Expr, ExprKind, FunctionId, InstructionKind, Library, Place, Step, Type, UnaryOp,
};

/// Where functions are, far from all data.
const FUNCTIONS: i64 = 1 << 40;

pub struct Machine<'a> {
    code: &'a Code,
    memory: Vec<u8>,
    /// Bit-fields, by the address of the struct and the number of the field.
    bits: BTreeMap<(usize, u32), i64>,
    globals: Vec<usize>,
    steps: usize,
}

/// Where a scalar is.
enum Spot {
    Bytes(usize),
    Bits(usize, u32),
}

/// The function that runs, and where its locals are.
struct Frame(Option<FunctionId>, Vec<usize>);

impl Machine<'_> {
    /// Runs the first entry; the machine as it is at the end.
    pub fn run(code: &Code) -> Machine<'_> {
        let mut machine = Machine { code, memory: vec![0; 64], bits: BTreeMap::new(), globals: Vec::new(), steps: 0 };
        machine.globals = code.globals.iter().map(|global| machine.allocate(code.size_of(&global.ty))).collect();
        for (index, global) in code.globals.iter().enumerate() {
            for (path, value) in &global.init {
                let spot = machine.walk(machine.globals[index], &global.ty, path, &Frame(None, Vec::new()));
                let value = machine.eval(value, &Frame(None, Vec::new()));
                machine.store(spot.0, &spot.1, value);
            }
        }
        machine.call(code.entries[0], &[]);
        machine
    }

    /// The elements of a global array of 64-bit numbers.
    pub fn words(&mut self, name: &str) -> Vec<u64> {
        let index = self.code.globals.iter().position(|global| &*global.name == name).expect("there is such a global");
        let Type::Array(element, count) = self.code.globals[index].ty.clone() else { panic!("it is an array") };
        let start = self.globals[index];
        (0..count as usize).map(|index| self.load(Spot::Bytes(start + 8 * index), &element) as u64).collect()
    }

    fn allocate(&mut self, bytes: u64) -> usize {
        let start = self.memory.len().next_multiple_of(16);
        self.memory.resize(start + bytes as usize, 0);
        start
    }

    fn call(&mut self, id: FunctionId, args: &[i64]) -> Option<i64> {
        let function = self.code.function(id);
        let locals = function.locals.iter().map(|local| self.allocate(self.code.size_of(&local.ty)));
        let frame = Frame(Some(id), locals.collect());
        assert_eq!(args.len(), function.params, "{}", function.name);
        for (index, arg) in args.iter().enumerate() {
            self.store(Spot::Bytes(frame.1[index]), &function.locals[index].ty, *arg);
        }
        let blocks = function.body.as_ref().expect("it has a body");
        let mut block = &blocks[0];
        loop {
            self.steps += 1;
            assert!(self.steps < 1_000_000, "it does not end");
            block.instructions.iter().for_each(|instruction| self.execute(&instruction.kind, &frame));
            let next = match &block.end {
                End::Goto(to) => *to,
                End::Branch(condition, yes, no) => {
                    if self.eval(condition, &frame) != 0 {
                        *yes
                    } else {
                        *no
                    }
                }
                End::Switch(value, cases, default) => {
                    let value = self.eval(value, &frame);
                    cases.iter().find(|(case, _)| *case == value).map_or(*default, |(_, to)| *to)
                }
                End::Return(value) => return value.as_ref().map(|value| self.eval(value, &frame)),
                End::Exit | End::Unreachable => panic!("the program ends by itself"),
            };
            block = &blocks[next.index()];
        }
    }

    fn execute(&mut self, instruction: &InstructionKind, frame: &Frame) {
        match instruction {
            InstructionKind::Declare(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
            InstructionKind::Assign { to, value } => {
                assert_eq!(to.ty, value.ty, "{to:?} = {value:?}");
                let value = self.eval(value, frame);
                let (spot, ty) = self.place(to, frame);
                self.store(spot, &ty, value);
            }
            InstructionKind::Copy { to, from } => {
                assert_eq!(to.ty, from.ty);
                let (Spot::Bytes(to_address), ty) = self.place(to, frame) else { panic!("a bit-field is no struct") };
                let (Spot::Bytes(from_address), _) = self.place(from, frame) else {
                    panic!("a bit-field is no struct")
                };
                let size = self.code.size_of(&ty) as usize;
                self.memory.copy_within(from_address..from_address + size, to_address);
                let inside = self.bits.range((from_address, 0)..(from_address + size, 0));
                let moved: Vec<_> =
                    inside.map(|((at, field), value)| ((at - from_address + to_address, *field), *value)).collect();
                self.bits.retain(|(at, _), _| !(to_address..to_address + size).contains(at));
                self.bits.extend(moved);
            }
            InstructionKind::Clear(place) => {
                let (Spot::Bytes(address), ty) = self.place(place, frame) else { panic!("a bit-field is no struct") };
                let size = self.code.size_of(&ty) as usize;
                self.memory[address..address + size].fill(0);
                self.bits.retain(|(at, _), _| !(address..address + size).contains(at));
            }
            InstructionKind::Call { callee, args, result } => {
                let callee = match callee {
                    Callee::Function(id) => *id,
                    Callee::Pointer(pointer) => FunctionId((self.eval(pointer, frame) - FUNCTIONS) as u32),
                };
                let args: Vec<i64> = args.iter().map(|arg| self.eval(arg, frame)).collect();
                let value = self.call(callee, &args);
                if let Some(place) = result {
                    let (spot, ty) = self.place(place, frame);
                    self.store(spot, &ty, value.expect("it gives a value"));
                }
            }
            InstructionKind::Assert(condition, _) | InstructionKind::Assume(condition) => {
                assert_ne!(self.eval(condition, frame), 0);
            }
            InstructionKind::Library(operation) => match &**operation {
                Library::Allocate { result, ty, count, .. } => {
                    let count = self.eval(count, frame) as u64;
                    let address = self.allocate(self.code.size_of(ty) * count);
                    let (spot, ty) = self.place(result, frame);
                    self.store(spot, &ty, address as i64);
                }
                Library::Free(_) => {}
                other => panic!("{other:?} needs threads"),
            },
        }
    }

    fn place(&mut self, place: &Place, frame: &Frame) -> (Spot, Type) {
        let (start, ty) = match &place.base {
            Base::Local(_) | Base::Global(_) => self.variable(&place.base, frame),
            Base::Deref(pointer, ty) => (self.eval(pointer, frame) as usize, ty.clone()),
        };
        let (spot, ty) = self.walk(start, &ty, &place.path, frame);
        assert_eq!(ty, place.ty, "{place:?}");
        (spot, ty)
    }

    fn variable(&self, base: &Base, frame: &Frame) -> (usize, Type) {
        match base {
            Base::Global(id) => (self.globals[id.index()], self.code.globals[id.index()].ty.clone()),
            Base::Local(id) => {
                let function = self.code.function(frame.0.expect("only functions have locals"));
                (frame.1[id.index()], function.locals[id.index()].ty.clone())
            }
            Base::Deref(..) => unreachable!("it is a variable"),
        }
    }

    fn walk(&mut self, start: usize, ty: &Type, path: &[Step], frame: &Frame) -> (Spot, Type) {
        let (mut address, mut ty) = (start, ty.clone());
        for step in path {
            match (step, &ty) {
                (Step::Field(index), Type::Struct(id)) => {
                    let field = &self.code.structs[id.index()].fields[*index as usize];
                    if field.bit_unit.is_some() {
                        return (Spot::Bits(address, *index), field.ty.clone());
                    }
                    (address, ty) = (address + field.offset as usize, field.ty.clone());
                }
                (Step::Index(index), Type::Array(element, count)) => {
                    let element = (**element).clone();
                    let index = self.eval(index, frame);
                    assert!((0..*count as i64).contains(&index), "{index} is out of bounds");
                    (address, ty) = (address + index as usize * self.code.size_of(&element) as usize, element);
                }
                (step, ty) => panic!("{step:?} leads nowhere in {ty:?}"),
            }
        }
        (Spot::Bytes(address), ty)
    }

    fn load(&mut self, spot: Spot, ty: &Type) -> i64 {
        match spot {
            Spot::Bits(address, field) => self.bits.get(&(address, field)).copied().unwrap_or(0),
            Spot::Bytes(address) => {
                let size = self.code.size_of(ty) as usize;
                let bytes = self.memory[address..address + size].iter().rev();
                let word = bytes.fold(0i64, |word, byte| word << 8 | i64::from(*byte));
                ty.bits().map_or(word, |bits| bits.wrap(word))
            }
        }
    }

    fn store(&mut self, spot: Spot, ty: &Type, value: i64) {
        if let Some(bits) = ty.bits() {
            assert!(bits.contains(value), "{value} is none of {ty:?}");
        }
        match spot {
            Spot::Bits(address, field) => {
                self.bits.insert((address, field), value);
            }
            Spot::Bytes(address) => {
                let size = self.code.size_of(ty) as usize;
                assert!(ty.is_scalar() && address >= 64, "{ty:?} at {address}");
                self.memory[address..address + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }

    fn eval(&mut self, expr: &Expr, frame: &Frame) -> i64 {
        match &expr.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Load(place) => {
                let (spot, ty) = self.place(place, frame);
                assert_eq!(ty, expr.ty);
                self.load(spot, &ty)
            }
            ExprKind::Address(place) => match self.place(place, frame).0 {
                Spot::Bytes(address) => address as i64,
                Spot::Bits(..) => panic!("a bit-field has no address"),
            },
            ExprKind::Function(id) => FUNCTIONS + i64::from(id.0),
            ExprKind::Unary(op, operand) => {
                let value = i128::from(self.eval(operand, frame));
                match op {
                    UnaryOp::Neg => wrapped(-value, &expr.ty),
                    UnaryOp::BitNot => wrapped(!value, &expr.ty),
                    UnaryOp::Not => i64::from(value == 0),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                assert!(is_shift || left.ty == right.ty, "{expr:?}");
                let (x, y) = (self.number(left, frame), self.number(right, frame));
                wrapped(binary(*op, x, y), &expr.ty)
            }
            ExprKind::Offset(pointer, count, unit) => {
                let pointer = self.eval(pointer, frame);
                pointer + (self.number(count, frame) as i64) * unit
            }
            ExprKind::Difference(left, right, unit) => {
                (self.eval(left, frame) - self.eval(right, frame)) / *unit as i64
            }
            ExprKind::And(left, right) => i64::from(self.eval(left, frame) != 0 && self.eval(right, frame) != 0),
            ExprKind::Or(left, right) => i64::from(self.eval(left, frame) != 0 || self.eval(right, frame) != 0),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                if self.eval(condition, frame) != 0 { self.eval(yes, frame) } else { self.eval(no, frame) }
            }
            ExprKind::Convert(operand) => {
                let value = self.number(operand, frame);
                wrapped(value, &expr.ty)
            }
            ExprKind::Any | ExprKind::Said(_) => panic!("nothing is left open in these programs"),
        }
    }

    fn number(&mut self, expr: &Expr, frame: &Frame) -> i128 {
        let word = self.eval(expr, frame);
        match expr.ty {
            Type::Int(Bits { signed: false, .. }) | Type::Pointer => i128::from(word as u64),
            _ => i128::from(word),
        }
    }
}

fn binary(op: BinaryOp, x: i128, y: i128) -> i128 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Shl => x << y,
        BinaryOp::Shr => x >> y,
        BinaryOp::Eq => (x == y).into(),
        BinaryOp::Ne => (x != y).into(),
        BinaryOp::Lt => (x < y).into(),
        BinaryOp::Le => (x <= y).into(),
        BinaryOp::Gt => (x > y).into(),
        BinaryOp::Ge => (x >= y).into(),
    }
}

/// The word of the type that has the lowest bits of a number.
fn wrapped(number: i128, ty: &Type) -> i64 {
    let Type::Int(Bits { width, signed }) = ty else { return number as i64 };
    let low = number & ((1 << width) - 1);
    let is_negative = *signed && low >> (width - 1) == 1;
    if is_negative { (low - (1 << width)) as i64 } else { low as u64 as i64 }
}
