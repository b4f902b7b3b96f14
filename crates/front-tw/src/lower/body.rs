//! The routine at hand: its graph, locals, labels and loops; and the walk over its blocks.

use super::budget::{EDGE, POINT};
use super::functions::Typed;
use super::graph::{AtomicId, BlockId, BlockLocals, DraftEdge, DraftUnrolled, Graph, PointId};
use super::names::{Binding, Scope};
use super::records::RecordType;
use super::{Lowerer, Mode};
use crate::ast::{Block, ItemKind, Name, Param};
use rustc_hash::FxHashMap;
use threadwise_ir::{Command, LocalId, LocalVar, Op, RoutineId, Sort};
use threadwise_source::Span;

/// Where `break` and `continue` lead.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopTargets {
    pub(super) break_to: PointId,
    pub(super) continue_to: PointId,
}

/// What is known of the routine at hand.
pub(super) struct Body<'a> {
    pub(super) routine: RoutineId,
    pub(super) is_thread: bool,
    pub(super) graph: Graph,
    /// Where the next statement starts.
    pub(super) current: PointId,
    pub(super) exit: PointId,
    /// Where a thread goes at the end of its text: to its exit, or to the last step before it.
    pub(super) end: PointId,
    pub(super) blocks: Vec<BlockLocals>,
    pub(super) block: BlockId,
    pub(super) locals: Vec<LocalVar>,
    /// The copies of an unrolled declaration share a local, unless its type depends on the copy.
    slots: FxHashMap<(Span, String, Sort), LocalId>,
    /// The result's local and sort. The sort is missing where its type is wrong.
    pub(super) result: Option<(Option<LocalId>, Option<Sort>)>,
    pub(super) labels: FxHashMap<&'a str, Vec<(PointId, Span)>>,
    pub(super) gotos: Vec<(PointId, &'a Name)>,
    pub(super) loops: Vec<LoopTargets>,
    /// The atomic block around the statement at hand.
    pub(super) atomic: Option<AtomicId>,
    /// How many atomic blocks there have been.
    pub(super) atomics: u32,
    pub(super) callees: Vec<RoutineId>,
    pub(super) unrolled: Vec<DraftUnrolled>,
    /// Whether a shared variable has been named in an expression, even where its value does not matter.
    pub(super) names_shared: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(routine: RoutineId, is_thread: bool) -> Body<'a> {
        let mut graph = Graph::default();
        let entry = graph.add_point(BlockId::OUTERMOST, None);
        let exit = graph.add_point(BlockId::OUTERMOST, None);
        Body {
            routine,
            is_thread,
            graph,
            current: entry,
            exit,
            end: exit,
            blocks: vec![BlockLocals { parent: BlockId::OUTERMOST, locals: Vec::new() }],
            block: BlockId::OUTERMOST,
            locals: Vec::new(),
            slots: FxHashMap::default(),
            result: None,
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            loops: Vec::new(),
            atomic: None,
            atomics: 0,
            callees: Vec::new(),
            unrolled: Vec::new(),
            names_shared: false,
        }
    }

    /// Where every body starts.
    pub(super) const ENTRY: PointId = PointId(0);

    fn slot(&mut self, name: &Name, sort: &Sort) -> LocalId {
        let key = (name.span, name.text.clone(), sort.clone());
        if let Some(&id) = self.slots.get(&key) {
            return id;
        }
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(LocalVar { name: name.text.as_str().into(), sort: sort.clone(), span: name.span });
        self.slots.insert(key, id);
        id
    }
}

impl<'a> Lowerer<'a> {
    /// The code of all threads and procedures.
    pub(super) fn lower_bodies(&mut self) {
        self.mode = Mode::Code;
        let (mut thread, mut procedure) = (0, 0);
        for item in &self.module.items {
            match &item.kind {
                ItemKind::Thread(declaration) => {
                    let routine = self.program.templates[thread].body;
                    self.lower_body(Body::new(routine, true), &declaration.body, |l| {
                        l.begin_thread(thread, declaration)
                    });
                    thread += 1;
                }
                ItemKind::Proc(declaration) => {
                    let routine = self.procedures[procedure].routine;
                    let result = declaration.result.as_ref();
                    self.lower_body(Body::new(routine, false), &declaration.body, |l| {
                        l.declare_params(procedure, &declaration.params, result);
                    });
                    procedure += 1;
                }
                _ => {}
            }
        }
    }

    fn lower_body(&mut self, body: Body<'a>, block: &'a Block, begin: impl FnOnce(&mut Self)) {
        self.body = body;
        self.scopes.push(Scope::default());
        begin(self);
        let (exit, end) = (self.body.exit, closing_brace(block));
        self.touch(exit, end);
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        if self.body.is_thread {
            let last = self.body.end;
            self.flow_to(last);
        } else {
            let current = self.body.current;
            self.touch(current, end);
            self.emit(current, exit, Op::Return(None), end, None);
        }
        self.scopes.pop();
        self.finish_body();
    }

    fn declare_params(&mut self, procedure: usize, params: &'a [Param], result: Option<&'a Param>) {
        let sorts = self.procedures[procedure].params.clone();
        for (param, sort) in params.iter().zip(sorts) {
            match sort {
                Some(Typed::Record(ty)) => _ = self.declare_record(&param.name, &ty),
                Some(Typed::Plain(sort)) => _ = self.declare_local(&param.name, Some(&sort)),
                None => _ = self.declare_local(&param.name, None),
            }
        }
        if let (Some(result), Some(sort)) = (result, self.procedures[procedure].result.clone()) {
            let local = self.declare_local(&result.name, sort.as_ref());
            self.body.result = Some((local, sort));
        }
    }

    /// Declares a local in the innermost scope. Without a sort its uses stay silent.
    pub(super) fn declare_local(&mut self, name: &'a Name, sort: Option<&Sort>) -> Option<LocalId> {
        let local = sort.map(|sort| self.body.slot(name, sort));
        self.declare(name, local.map_or(Binding::Broken, Binding::Local));
        if let Some(id) = local {
            let block = self.body.block;
            self.body.blocks[block.index()].locals.push(id);
        }
        local
    }

    /// Declares a local that is a record: a local for each leaf.
    pub(super) fn declare_record(&mut self, name: &'a Name, ty: &RecordType) -> Vec<LocalId> {
        let leaves = self.leaves(ty);
        let block = self.body.block;
        let mut locals = Vec::new();
        for leaf in leaves {
            let leaf_name = Name { text: format!("{}{}", name.text, leaf.suffix), span: name.span };
            let id = self.body.slot(&leaf_name, &leaf.sort);
            self.body.blocks[block.index()].locals.push(id);
            locals.push(id);
        }
        self.record_locals.push((ty.clone(), locals.clone()));
        self.declare(name, Binding::Record(self.record_locals.len() - 1));
        self.records_of_routines.insert((self.body.routine, &name.text), (ty.clone(), locals.clone()));
        locals
    }

    /// Runs `inner` in a block of its own: a scope for names, and for locals a lifetime. The point
    /// behind the block is outside.
    pub(super) fn in_block(&mut self, inner: impl FnOnce(&mut Self)) {
        let outer = self.body.block;
        self.body.block = BlockId(self.body.blocks.len() as u32);
        self.body.blocks.push(BlockLocals { parent: outer, locals: Vec::new() });
        self.in_scope(inner);
        self.body.block = outer;
        let current = self.body.current;
        self.body.graph.point(current).block = outer;
    }

    /// The statements of a block.
    pub(super) fn block(&mut self, block: &'a Block) {
        self.in_block(|l| block.stmts.iter().for_each(|stmt| l.stmt(stmt)));
    }

    /// A new point in the block at hand.
    pub(super) fn fresh(&mut self) -> PointId {
        let here = self.body.graph.point(self.body.current).span.unwrap_or_default();
        self.spend(POINT, here);
        self.body.graph.add_point(self.body.block, self.body.atomic)
    }

    /// The point's first statement is this one, unless it has one already.
    pub(super) fn touch(&mut self, point: PointId, span: Span) {
        self.body.graph.point(point).span.get_or_insert(span);
    }

    /// Adds an edge.
    pub(super) fn emit(&mut self, from: PointId, to: PointId, op: Op, span: Span, branch: Option<bool>) {
        if self.spend(EDGE, span) {
            self.body.graph.edges.push(DraftEdge { from, to, op, span, branch });
        }
    }

    /// One step from here to a new point.
    pub(super) fn step(&mut self, op: Op, span: Span) {
        let (from, to) = (self.body.current, self.fresh());
        self.emit(from, to, op, span, None);
        self.body.current = to;
    }

    /// The same for a command.
    pub(super) fn command(&mut self, command: Command, span: Span) {
        self.step(Op::Command(command), span);
    }

    /// From here control goes on elsewhere, without a step. What follows in the text is not
    /// reached from here.
    pub(super) fn jump(&mut self, to: PointId) {
        self.flow_to(to);
        self.body.current = self.fresh();
    }

    /// From here control goes on at another point, without a step, and so does the text.
    pub(super) fn flow_to(&mut self, to: PointId) {
        let from = self.body.current;
        self.body.graph.point(from).alias = Some(to);
        self.body.current = to;
    }
}

/// The brace at the end of a block.
pub(super) fn closing_brace(block: &Block) -> Span {
    Span { start: block.span.end.saturating_sub(1).max(block.span.start), end: block.span.end }
}
