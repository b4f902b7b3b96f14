//! The body of a function while it is made: blocks, locals, temporaries, and where control goes.

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use threadwise_memory::code::{
    Block, BlockId, End, Expr, Instruction, InstructionKind, LocalId, Place, Step, Type, Variable,
};
use threadwise_source::Span;

#[derive(Default)]
pub struct Body {
    pub locals: Vec<Variable>,
    blocks: Vec<Building>,
    current: usize,
    labels: FxHashMap<String, BlockId>,
    /// Labels that were jumped to, with the first jump, and labels that are there.
    jumps: FxHashMap<String, Span>,
    met: FxHashSet<String>,
    pub breaks: Vec<BlockId>,
    pub continues: Vec<BlockId>,
    pub switches: Vec<Switch>,
    /// The texts of the blocks that are being read, the innermost last.
    pub scopes: Vec<Span>,
    /// The blocks that each label of the user is in.
    label_scopes: FxHashMap<String, Vec<Span>>,
    /// What lies between a jump and where it leads: there it is said which blocks are come into by that.
    jumped: Vec<Jump>,
    /// Names of locals that somebody takes the address of.
    pub taken: FxHashSet<String>,
    /// Locals that nobody else can change: loads of them can be done later.
    private: FxHashSet<LocalId>,
    temporaries: u32,
    /// How many instructions and ends there are: whether something was emitted.
    pub emitted: usize,
}

/// A `switch` whose body is being read.
pub struct Switch {
    pub ty: crate::types::Ty,
    pub cases: Vec<(i64, BlockId)>,
    pub default: Option<BlockId>,
    /// The blocks that it is in.
    pub scopes: Vec<Span>,
}

/// A jump, with the blocks that it is in and those that it leads to, by a label or at once.
struct Jump {
    by: BlockId,
    from: Vec<Span>,
    to: Result<Vec<Span>, String>,
}

#[derive(Default)]
struct Building {
    instructions: Vec<Instruction>,
    end: Option<(End, Span)>,
    label: Option<Arc<str>>,
}

impl Body {
    pub fn new(taken: FxHashSet<String>) -> Body {
        Body { blocks: vec![Building::default()], taken, ..Body::default() }
    }

    pub fn emit(&mut self, kind: InstructionKind, span: Span) {
        self.emitted += 1;
        self.blocks[self.current].instructions.push(Instruction { kind, span });
    }

    pub fn assign(&mut self, to: Place, value: Expr, span: Span) {
        self.emit(InstructionKind::Assign { to, value }, span);
    }

    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Building::default());
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Ends the current block. What comes next, before another block is begun, is never reached.
    pub fn end(&mut self, end: End, span: Span) {
        self.emitted += 1;
        self.blocks[self.current].end = Some((end, span));
        self.current = self.new_block().index();
    }

    /// Goes on with a block that others go to.
    pub fn begin(&mut self, block: BlockId) {
        self.current = block.index();
    }

    /// Goes to a block and on with it.
    pub fn flow_into(&mut self, block: BlockId, span: Span) {
        self.end(End::Goto(block), span);
        self.begin(block);
    }

    pub fn current(&self) -> BlockId {
        BlockId(self.current as u32)
    }

    /// Another end for a block that was ended before all was known.
    pub fn replace_end(&mut self, block: BlockId, end: End) {
        if let Some((old, _)) = &mut self.blocks[block.index()].end {
            *old = end;
        }
    }

    /// The block behind a label of the user.
    pub fn label(&mut self, name: &str) -> BlockId {
        if let Some(&block) = self.labels.get(name) {
            return block;
        }
        let block = self.new_block();
        self.blocks[block.index()].label = Some(name.into());
        self.labels.insert(name.to_string(), block);
        block
    }

    /// Jumps to a label, out of blocks and into others.
    pub fn jump(&mut self, name: &str, name_span: Span, span: Span) {
        self.jumps.entry(name.to_string()).or_insert(name_span);
        let label = self.label(name);
        let (from, to) = (self.scopes.clone(), Err(name.to_string()));
        let by = self.jump_by(label, Jump { by: label, from, to }, span);
        self.end(End::Goto(by), span);
    }

    /// A `case` in the innermost `switch`: what is jumped to from there.
    pub fn case(&mut self, case: BlockId, span: Span) -> BlockId {
        let from = self.switches.last().map(|switch| switch.scopes.clone()).unwrap_or_default();
        let to = Ok(self.scopes.clone());
        self.jump_by(case, Jump { by: case, from, to }, span)
    }

    fn jump_by(&mut self, to: BlockId, jump: Jump, span: Span) -> BlockId {
        let by = self.new_block();
        self.blocks[by.index()].end = Some((End::Goto(to), span));
        self.jumped.push(Jump { by, ..jump });
        by
    }

    /// Says where control comes into a block in which locals live that somebody may point to.
    pub fn enter(&mut self, text: Span) {
        self.blocks[self.current].instructions.push(Instruction { kind: InstructionKind::Enter(text), span: text });
    }

    /// Jumps into blocks begin the lives of their locals, whose declarations they may pass over. Of blocks without locals that somebody
    /// could point to nothing need be said.
    fn settle_entries(&mut self) {
        let is_named = |local: &Variable| !local.name.starts_with('$');
        for jump in std::mem::take(&mut self.jumped) {
            let to = jump.to.unwrap_or_else(|label| self.label_scopes.get(&label).cloned().unwrap_or_default());
            for text in to.into_iter().filter(|text| !jump.from.contains(text)) {
                let declared =
                    self.locals.iter().zip(0..).filter(|(local, _)| local.block == Some(text) && is_named(local));
                let declared = declared.map(|(_, number)| InstructionKind::Declare(LocalId(number)));
                let kinds = [InstructionKind::Enter(text)].into_iter().chain(declared);
                self.blocks[jump.by.index()].instructions.extend(kinds.map(|kind| Instruction { kind, span: text }));
            }
        }
        let ids = (0..).map(LocalId);
        let pointed_to: FxHashSet<Span> = (self.locals.iter().zip(ids))
            .filter(|(_, id)| !self.private.contains(id))
            .filter_map(|(local, _)| local.block)
            .collect();
        for block in &mut self.blocks {
            block.instructions.retain(|instruction| match instruction.kind {
                InstructionKind::Enter(text) => pointed_to.contains(&text),
                _ => true,
            });
        }
    }

    /// Whether the label is the first of its name.
    pub fn note_label(&mut self, name: &str) -> bool {
        self.label_scopes.insert(name.to_string(), self.scopes.clone());
        self.met.insert(name.to_string())
    }

    /// Labels that are jumped to and are nowhere, in the order of the text.
    pub fn missing_labels(&self) -> Vec<(String, Span)> {
        let missing = self.jumps.iter().filter(|(name, _)| !self.met.contains(*name));
        let mut missing: Vec<(String, Span)> = missing.map(|(name, span)| (name.clone(), *span)).collect();
        missing.sort_by_key(|(_, span)| *span);
        missing
    }

    pub fn add_local(&mut self, name: Arc<str>, ty: Type, span: Span) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        if ty.is_scalar() && !self.taken.contains(&*name) {
            self.private.insert(id);
        }
        // The outermost block is the function's own.
        let block = self.scopes.last().copied().filter(|_| self.scopes.len() > 1);
        self.locals.push(Variable { block, ..Variable::new(name, ty, span) });
        id
    }

    /// A local that no program can name.
    pub fn temporary(&mut self, ty: Type, span: Span) -> LocalId {
        self.temporaries += 1;
        let name = format!("${}", self.temporaries);
        self.add_local(name.into(), ty, span)
    }

    /// What the first block assigns, by the paths of the places.
    pub fn assigned(self) -> Vec<(Vec<Step>, Expr)> {
        let first = self.blocks.into_iter().next();
        let instructions = first.into_iter().flat_map(|block| block.instructions);
        let assigned = instructions.filter_map(|instruction| match instruction.kind {
            InstructionKind::Assign { to, value } => Some((to.path, value)),
            _ => None,
        });
        assigned.collect()
    }

    /// A local without a name may be pointed to, too.
    pub fn may_be_pointed_to(&mut self, local: LocalId) {
        self.private.remove(&local);
    }

    pub fn is_private(&self, local: LocalId) -> bool {
        self.private.contains(&local)
    }

    /// Blocks in which nothing happens are passed over, unless the user named them.
    fn skip_empty_blocks(&mut self) {
        let next = |block: &Building| match block {
            Building { instructions, end: Some((End::Goto(to), _)), label: None } if instructions.is_empty() => {
                Some(*to)
            }
            _ => None,
        };
        let mut lasts: Vec<Option<BlockId>> = vec![None; self.blocks.len()];
        let mut is_passed = vec![false; self.blocks.len()];
        for index in 0..self.blocks.len() {
            let (mut at, mut passed) = (index, Vec::new());
            // A loop without a body leads back to where it began, and ends there.
            while lasts[at].is_none() && !std::mem::replace(&mut is_passed[at], true) {
                passed.push(at);
                match next(&self.blocks[at]) {
                    Some(to) => at = to.index(),
                    None => break,
                }
            }
            let last = lasts[at].unwrap_or(BlockId(at as u32));
            passed.into_iter().for_each(|block| lasts[block] = Some(last));
        }
        for block in &mut self.blocks {
            if let Some((end, span)) = block.end.take() {
                let end = renumbered(end, |to| lasts[to.index()].unwrap_or(to));
                block.end = Some((end, span));
            }
        }
    }

    /// The blocks that control can come to, numbered anew.
    pub fn finished(mut self, end: Span) -> (Vec<Variable>, Vec<Block>) {
        self.settle_entries();
        self.skip_empty_blocks();
        let mut numbers: Vec<Option<u32>> = vec![None; self.blocks.len()];
        let mut order = Vec::new();
        let mut waiting = vec![0];
        while let Some(index) = waiting.pop() {
            if numbers[index].is_some() {
                continue;
            }
            numbers[index] = Some(0);
            order.push(index);
            if let Some((end, _)) = &self.blocks[index].end {
                waiting.extend(targets(end).map(BlockId::index));
            }
        }
        order.sort_unstable();
        order.iter().enumerate().for_each(|(number, &index)| numbers[index] = Some(number as u32));
        let mut blocks: Vec<Option<Building>> = self.blocks.into_iter().map(Some).collect();
        let finish = |index: &usize| {
            let building = blocks[*index].take().expect("each is reached once");
            let (ending, span) = building.end.unwrap_or((End::Return(None), end));
            let renumber = |block: BlockId| BlockId(numbers[block.index()].expect("it is reached"));
            Block {
                instructions: building.instructions,
                end: renumbered(ending, renumber),
                span,
                label: building.label,
            }
        };
        (self.locals, order.iter().map(finish).collect())
    }
}

fn targets(end: &End) -> Box<dyn Iterator<Item = BlockId> + '_> {
    match end {
        End::Goto(to) => Box::new([*to].into_iter()),
        End::Branch(_, yes, no) => Box::new([*yes, *no].into_iter()),
        End::Switch(_, cases, default) => Box::new(cases.iter().map(|(_, to)| *to).chain([*default])),
        End::Return(_) | End::Exit | End::Unreachable => Box::new(std::iter::empty()),
    }
}

fn renumbered(end: End, renumber: impl Fn(BlockId) -> BlockId) -> End {
    match end {
        End::Goto(to) => End::Goto(renumber(to)),
        End::Branch(condition, yes, no) => End::Branch(condition, renumber(yes), renumber(no)),
        End::Switch(value, cases, default) => {
            let cases = cases.into_iter().map(|(case, to)| (case, renumber(to))).collect();
            End::Switch(value, cases, renumber(default))
        }
        other => other,
    }
}
