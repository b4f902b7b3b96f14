//! The end of a routine: jumps are resolved, points become locations.

use super::Lowerer;
use super::body::Body;
use super::budget::DEAD_LOCALS_PER_UNIT;
use super::graph::{BlockId, BlockLocals, DraftEdge, DraftUnrolled, Point, PointId};
use super::reporter::suggest;
use crate::ast::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use threadwise_ir::{Command, Edge, EdgeId, LocalId, Location, LocationId, Op, Unrolled, Wait};
use threadwise_source::{Diagnostic, Span};

/// To wait at a label that starts like this is meant.
const END: &str = "end";

impl<'a> Lowerer<'a> {
    /// Adds the graph at hand to the program.
    pub(super) fn finish_body(&mut self) {
        self.resolve_gotos();
        let emptied = Body::new(self.body.routine, true);
        let body = std::mem::replace(&mut self.body, emptied);
        let mut draft = Draft::new(body);
        draft.merge_aliases();
        draft.settle_quiet_points();
        self.add_routine_code(draft);
    }

    fn resolve_gotos(&mut self) {
        for (from, label) in std::mem::take(&mut self.body.gotos) {
            let Some(to) = self.goto_target(label) else { continue };
            let (source, target) = (self.body.graph.point(from).atomic, self.body.graph.point(to).atomic);
            if target.is_none() || target == source {
                self.body.graph.point(from).alias = Some(to);
                continue;
            }
            // A jump into an atomic block is the step that enters it, so it starts outside.
            let outside = match source {
                None => from,
                Some(_) => {
                    let outside = self.outside_point(from, label.span);
                    self.body.graph.point(from).alias = Some(outside);
                    outside
                }
            };
            self.emit(outside, to, Op::Command(Command::default()), label.span, None);
        }
    }

    /// A new point outside of atomic blocks, in the block of another point.
    fn outside_point(&mut self, like: PointId, span: Span) -> PointId {
        let block = self.body.graph.point(like).block;
        let point = self.body.graph.add_point(block, None);
        self.touch(point, span);
        point
    }

    fn goto_target(&mut self, label: &Name) -> Option<PointId> {
        let points = self.body.labels.get(label.text.as_str()).map_or(&[][..], |points| points);
        if let [(point, _)] = points {
            return Some(*point);
        }
        let routine = &self.program.routines[self.body.routine.index()].name;
        if points.is_empty() {
            let error = Diagnostic::error(label.span, format!("`{routine}` has no label `{}`", label.text));
            let labels = self.body.labels.keys().copied();
            let error = suggest(error.label("unknown label"), &label.text, labels);
            return self.report_unless_incomplete(error);
        }
        let message = format!("the label `{}` names {} points of `{routine}`", label.text, points.len());
        let error = Diagnostic::error(label.span, message).label("a jump needs just one target");
        let mut spans: Vec<Span> = points.iter().map(|(_, span)| *span).collect();
        spans.dedup();
        let error = spans.into_iter().take(3).fold(error, |error, span| error.related(span, "it stands here"));
        self.report(error);
        None
    }

    fn add_routine_code(&mut self, draft: Draft<'a>) {
        let order = draft.points_that_stay();
        let Draft { mut body, representatives, .. } = draft;
        let id = body.routine;
        let first = self.program.locations.len();
        let mut locations = vec![None; representatives.len()];
        for (number, point) in order.iter().enumerate() {
            locations[point.index()] = Some(LocationId((first + number) as u32));
        }
        self.add_locations(&mut body, &order);
        let location_of = |point: PointId| locations[representatives[point.index()].index()];
        if self.budget.is_exhausted() {
            return;
        }
        let edges = Arc::make_mut(&mut self.program.edges);
        // Where each edge went, or the next one that stayed.
        let mut places = Vec::with_capacity(body.graph.edges.len() + 1);
        for DraftEdge { from, to, op, span, branch } in body.graph.edges {
            places.push(EdgeId(edges.len() as u32));
            if let (Some(from), Some(to)) = (location_of(from), location_of(to)) {
                self.program.locations[from.index()].edges.push(EdgeId(edges.len() as u32));
                edges.push(Edge { from, to, op, span, branch, atomic: false });
            }
        }
        places.push(EdgeId(edges.len() as u32));
        self.unrolled.extend(body.unrolled.into_iter().map(|DraftUnrolled { name, first, is_thread, starts }| {
            let starts = starts.into_iter().map(|draft| places[draft]).collect();
            Unrolled { name, first, is_thread, starts }
        }));
        let routine = &mut self.program.routines[id.index()];
        routine.locals = body.locals;
        routine.result = body.result.and_then(|(local, _)| local);
        routine.entry = location_of(Body::ENTRY).unwrap_or(routine.entry);
        routine.exit = location_of(body.exit).unwrap_or(routine.exit);
        body.callees.sort();
        body.callees.dedup();
        self.callees.resize_with(self.program.routines.len(), Vec::new);
        self.callees[id.index()] = body.callees;
    }

    fn add_locations(&mut self, body: &mut Body<'a>, order: &[PointId]) {
        let mut dead = DeadLocals::default();
        let exit_span = body.graph.point(body.exit).span.unwrap_or_default();
        for &point in order {
            let point = body.graph.point(point);
            let span = point.span.unwrap_or(exit_span);
            let is_new_list = !dead.knows(point);
            if is_new_list && !self.spend(body.locals.len() as u64 / DEAD_LOCALS_PER_UNIT, span) {
                return;
            }
            let is_end = point.labels.iter().any(|label| label.starts_with(END));
            let wait = if is_end { point.wait.max(Wait::IsMeant) } else { point.wait };
            self.program.locations.push(Location {
                labels: std::mem::take(&mut point.labels).into(),
                transient: point.atomic.is_some() || point.quiet,
                wait,
                dead: dead.at(point, &body.blocks, body.locals.len()),
                invariants: std::mem::take(&mut point.invariants).into(),
                ..Location::new(body.routine, span)
            });
        }
    }

    /// The locations that each routine's labels name; for properties.
    pub(super) fn index_labels(&mut self) {
        self.callees.resize_with(self.program.routines.len(), Vec::new);
        self.labels.resize_with(self.program.routines.len(), FxHashMap::default);
        for (index, location) in self.program.locations.iter().enumerate() {
            for label in &location.labels {
                let of_routine = &mut self.labels[location.routine.index()];
                of_routine.entry(label.clone()).or_default().push(LocationId(index as u32));
            }
        }
    }
}

/// A routine whose points are being turned into locations.
struct Draft<'a> {
    body: Body<'a>,
    /// The point that each point stands for.
    representatives: Vec<PointId>,
    /// The edges that leave each point.
    leaving: Vec<Vec<usize>>,
}

impl<'a> Draft<'a> {
    fn new(body: Body<'a>) -> Draft<'a> {
        let representatives = body.graph.representatives();
        let mut leaving = vec![Vec::new(); body.graph.points.len()];
        for (index, edge) in body.graph.edges.iter().enumerate() {
            leaving[representatives[edge.from.index()].index()].push(index);
        }
        Draft { body, representatives, leaving }
    }

    /// Where an edge leads.
    fn target(&self, edge: usize) -> usize {
        self.representatives[self.body.graph.edges[edge].to.index()].index()
    }

    /// Moves what is known of aliases to the points they stand for.
    fn merge_aliases(&mut self) {
        let points = &mut self.body.graph.points;
        for (index, &representative) in self.representatives.iter().enumerate() {
            let to = representative.index();
            if to != index {
                let labels = std::mem::take(&mut points[index].labels);
                let invariants = std::mem::take(&mut points[index].invariants);
                points[to].labels.extend(labels);
                points[to].wait = points[to].wait.max(points[index].wait);
                points[to].invariants.extend(invariants);
            }
        }
        for point in points {
            let mut seen: FxHashSet<Arc<str>> = FxHashSet::default();
            point.labels.retain(|label| seen.insert(label.clone()));
        }
    }

    /// The points that stay, in the order of the text and the exit last: those that control can
    /// reach from the entry or from a label, and the exit.
    fn points_that_stay(&self) -> Vec<PointId> {
        let points = &self.body.graph.points;
        let mut stays = vec![false; points.len()];
        let exit = self.representatives[self.body.exit.index()].index();
        let mut work = vec![self.representatives[Body::ENTRY.index()].index(), exit];
        work.extend((0..points.len()).filter(|&index| !points[index].labels.is_empty()));
        while let Some(point) = work.pop() {
            if !std::mem::replace(&mut stays[point], true) {
                work.extend(self.leaving[point].iter().map(|&edge| self.target(edge)));
            }
        }
        let mut order: Vec<usize> = (0..points.len()).filter(|&index| stays[index]).collect();
        let start = |index: usize| points[index].span.map_or(u32::MAX, |span| span.start);
        order.sort_by_key(|&index| (index == exit, start(index), index));
        order.into_iter().map(|index| PointId(index as u32)).collect()
    }

    /// Decides which points before declarations other threads do not see after all. A label or a
    /// loop invariant makes a point worth seeing. A procedure's return point would make the whole
    /// call part of the step. And control must not be able to stay out of sight for ever.
    fn settle_quiet_points(&mut self) {
        for point in &mut self.body.graph.points {
            point.quiet &= point.labels.is_empty() && point.invariants.is_empty();
        }
        self.break_quiet_cycles();
    }

    /// A point before a declaration has one successor, so a cycle shows when a walk comes back.
    fn break_quiet_cycles(&mut self) {
        const NEVER: usize = usize::MAX;
        let mut walked = vec![NEVER; self.leaving.len()];
        for start in 0..self.leaving.len() {
            let mut point = start;
            while self.body.graph.points[point].quiet && self.body.graph.points[point].atomic.is_none() {
                if walked[point] == start {
                    self.body.graph.points[point].quiet = false;
                    break;
                }
                if walked[point] != NEVER {
                    break;
                }
                walked[point] = start;
                match self.leaving[point].first() {
                    Some(&edge) => point = self.target(edge),
                    None => break,
                }
            }
        }
    }
}

/// The locals that are out of scope. Neighbouring points are mostly of the same block, so the last
/// block's are kept.
#[derive(Default)]
struct DeadLocals {
    last: Option<(BlockId, Arc<[LocalId]>)>,
}

impl DeadLocals {
    /// Whether no list has to be made for a point.
    fn knows(&self, point: &Point) -> bool {
        point.undeclared.is_empty() && self.last.as_ref().is_some_and(|(block, _)| *block == point.block)
    }

    /// Those at a point.
    fn at(&mut self, point: &Point, blocks: &[BlockLocals], locals: usize) -> Arc<[LocalId]> {
        let block = point.block;
        let dead = match self.last.take() {
            Some((of, dead)) if of == block => dead,
            _ => outside_block(block, blocks, locals),
        };
        self.last = Some((block, dead.clone()));
        if point.undeclared.is_empty() {
            return dead;
        }
        let mut all = [&dead[..], &point.undeclared].concat();
        all.sort();
        all.dedup();
        all.into()
    }
}

/// The locals that neither the block nor one around it declares.
fn outside_block(mut block: BlockId, blocks: &[BlockLocals], locals: usize) -> Arc<[LocalId]> {
    let mut alive = vec![false; locals];
    loop {
        let BlockLocals { parent, locals } = &blocks[block.index()];
        locals.iter().for_each(|local| alive[local.index()] = true);
        if block == BlockId::OUTERMOST {
            break;
        }
        block = *parent;
    }
    let ids = (0..).map(LocalId).zip(alive);
    ids.filter(|(_, alive)| !alive).map(|(id, _)| id).collect()
}
