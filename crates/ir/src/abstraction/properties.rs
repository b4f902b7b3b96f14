//! Which part of a property is asked of whom, once threads have been replaced by abstract threads.
//!
//! The states of the composition have the shared stores of the program and the local states of the
//! threads that stand for themselves. Of a specified thread they have only the node. So a property
//!
//! 1. that does not speak of specified threads is asked of the composition;
//! 2. whose labels in specified threads are all names of nodes is asked of the composition, about
//!    the nodes. Then every point of the thread must be matched by a candidate node that agrees with
//!    it on these labels; [`Abstraction::agrees`] says which do;
//! 3. that speaks of one specified thread at a time becomes an error of that thread, like an
//!    assertion: ABSTHR, section 2, reduces safety properties to such errors;
//! 4. and any other cannot be asked.
//!
//! `norace` cannot be asked where a specified thread accesses the variable: its abstract thread
//! says how shared variables change, and not who looks at them.
//!
//! In point 3 a property is read as a list of ways to violate it, each a list of conditions. Where
//! one of them runs into an error, that counts as a violation. Every violation of the property, and
//! every error in it, is one of these; some of them may be errors that the property itself avoids,
//! because it is evaluated from left to right.

use super::{Abstraction, Builder};
use crate::{
    BinaryOp, Copies, Domain, Edge, Expr, ExprKind, LocationId, Pattern, Program, Property, PropertyId, Quantifier,
    Sort, TemplateId, ThreadRef, UnaryOp, Violated,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// More ways to violate a property than this are not looked at.
const MAX_WAYS: usize = 64;

/// A way to violate a property that concerns one thread.
#[derive(Clone, Debug)]
pub struct LocalProperty {
    pub property: PropertyId,
    /// Of which thread, or of which thread's copies, it speaks.
    pub template: TemplateId,
    /// What holds, one after the other, where it is violated.
    pub(crate) parts: Vec<Part>,
}

impl LocalProperty {
    /// What holds, one after the other, where the property is violated; and whether the condition
    /// speaks of the thread as the bound variable 0.
    pub fn conditions(&self) -> impl DoubleEndedIterator<Item = (&Expr, bool)> {
        self.parts.iter().map(|part| (&part.condition, part.of_each))
    }
}

/// A condition of a violation.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) condition: Expr,
    /// The condition speaks of the thread as the bound variable 0.
    pub(crate) of_each: bool,
}

/// A property that cannot be asked of abstract threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexpressible {
    pub property: PropertyId,
    /// Why not.
    pub why: String,
}

type Nodes = BTreeMap<TemplateId, Vec<LocationId>>;

/// Shares the properties out, and finishes the composition.
pub(super) fn share_out(
    program: &Program,
    nodes: &Nodes,
    mut builder: Builder<'_>,
) -> Result<Abstraction, Inexpressible> {
    let mut sharing = Sharing { program, nodes, labelled: BTreeMap::new(), kept: Vec::new(), local: Vec::new() };
    for (index, property) in program.properties.iter().enumerate() {
        sharing.share(PropertyId(index as u32), property)?;
    }
    for property in &mut sharing.kept {
        let Violated::When(e, _) = &mut property.violated else { continue };
        *e = with_new_locations(e, &builder, nodes, &sharing.labelled);
    }
    // Exceptions are annotations: those that speak of specified threads say nothing about the abstract ones.
    let others = program.exceptions.iter().filter(|e| !sharing.concerns_specified(e));
    builder.new.exceptions = others.map(|e| with_new_locations(e, &builder, nodes, &sharing.labelled)).collect();
    builder.new.properties = sharing.kept;
    Ok(Abstraction { composition: Arc::new(builder.new.indexed()), local: sharing.local, labelled: sharing.labelled })
}

/// Locations of a label, and the node of the same name.
pub(super) type Label = (Vec<LocationId>, usize);

/// For each specified template the labels that properties ask about as nodes.
pub(super) type Labelled = BTreeMap<TemplateId, Vec<Label>>;

/// The property with the composition's locations.
fn with_new_locations(e: &Expr, builder: &Builder<'_>, nodes: &Nodes, labelled: &Labelled) -> Expr {
    e.map(&mut |e| {
        let ExprKind::At(thread, locations) = &e.kind else { return None };
        let moved = match labelled.get(&thread.template) {
            Some(known) if nodes.contains_key(&thread.template) => {
                let named = known.iter().find(|(labelled, _)| *labelled == **locations);
                named.map(|(_, node)| nodes[&thread.template][*node]).into_iter().collect()
            }
            _ => locations.iter().filter_map(|location| builder.locations[location.index()]).collect(),
        };
        Some(ExprKind::At(thread.clone(), Box::new(moved)))
    })
}

struct Sharing<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    labelled: Labelled,
    kept: Vec<Property>,
    local: Vec<LocalProperty>,
}

impl Sharing<'_> {
    fn share(&mut self, id: PropertyId, property: &Property) -> Result<(), Inexpressible> {
        let (e, wanted) = match &property.violated {
            Violated::When(e, wanted) => (e, *wanted),
            Violated::By(Pattern::Deadlock | Pattern::LockCycle) => {
                let why = "an abstract thread does not say where its thread waits, and for what".to_string();
                return Err(Inexpressible { property: id, why });
            }
            Violated::By(pattern) => {
                if let Some(thread) = self.showing(pattern) {
                    let name = property.wording.name().unwrap_or_default();
                    let why = format!("`{thread}` accesses `{name}`, and its abstract thread does not say when");
                    return Err(Inexpressible { property: id, why });
                }
                self.kept.push(property.clone());
                return Ok(());
            }
        };
        if !self.concerns_specified(e) {
            self.kept.push(property.clone());
        } else if let Some(named) = self.as_nodes(e) {
            for (template, labels) in named {
                let known = self.labelled.entry(template).or_default();
                known.extend((!known.contains(&labels)).then_some(labels));
            }
            self.kept.push(property.clone());
        } else {
            let ways = self.ways(e, wanted);
            let placed = ways.is_some_and(|ways| ways.into_iter().all(|way| self.place(id, property, way).is_some()));
            if !placed {
                let why = "it speaks of several threads at once, or of labels that are not names of nodes".to_string();
                return Err(Inexpressible { property: id, why });
            }
        }
        Ok(())
    }

    /// A specified thread that may show a sign of the pattern.
    fn showing(&self, pattern: &Pattern) -> Option<Arc<str>> {
        let is_shown = |edge: &Edge| pattern.signs().iter().any(|s| s.is_shown_by(edge) || s.is_shown_by_result(edge));
        let shows = |template: &&TemplateId| self.program.edges_of_thread(**template).any(|(_, edge)| is_shown(edge));
        self.nodes.keys().find(shows).map(|&template| self.program.template(template).name.clone())
    }

    fn concerns_specified(&self, e: &Expr) -> bool {
        threads_in(e).iter().any(|thread| self.nodes.contains_key(&thread.template))
    }

    /// For each label asked of a specified thread, the node of that name; `None` if there is a label
    /// that is no node's name, or a local variable of a specified thread.
    fn as_nodes(&self, e: &Expr) -> Option<Vec<(TemplateId, Label)>> {
        let mut found = Some(Vec::new());
        e.walk(&mut |e| match &e.kind {
            ExprKind::LocalOf(thread, _) if self.nodes.contains_key(&thread.template) => found = None,
            ExprKind::At(thread, locations) if self.nodes.contains_key(&thread.template) => {
                match (self.node_named_like(thread.template, locations), &mut found) {
                    (Some(node), Some(found)) => found.push((thread.template, (locations.to_vec(), node))),
                    _ => found = None,
                }
            }
            _ => {}
        });
        found
    }

    fn node_named_like(&self, template: TemplateId, locations: &[LocationId]) -> Option<usize> {
        let nodes = &self.program.abstract_thread(template)?.nodes;
        let has = |location: &LocationId, name| self.program.location(*location).labels.contains(name);
        nodes.iter().position(|node| locations.iter().all(|location| has(location, &node.name)))
    }

    /// The ways in which a formula can be true (or, if not `wanted`, false); `None` if one of them
    /// concerns several threads inseparably.
    fn ways(&self, e: &Expr, wanted: bool) -> Option<Vec<Vec<Part>>> {
        let whole = |e: &Expr, of_each| {
            let condition = if wanted { e.clone() } else { e.clone().negated() };
            Some(vec![vec![Part { condition, of_each }]])
        };
        if !self.concerns_specified(e) {
            return whole(e, false);
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.ways(a, !wanted),
            ExprKind::Binary(BinaryOp::And, a, b) if wanted => both(self.ways(a, true)?, &self.ways(b, true)?),
            ExprKind::Binary(BinaryOp::And, a, b) => either(self.ways(a, false)?, self.ways(b, false)?),
            ExprKind::Binary(BinaryOp::Or, a, b) if wanted => either(self.ways(a, true)?, self.ways(b, true)?),
            ExprKind::Binary(BinaryOp::Or, a, b) => both(self.ways(a, false)?, &self.ways(b, false)?),
            ExprKind::Binary(BinaryOp::Implies, a, b) if wanted => either(self.ways(a, false)?, self.ways(b, true)?),
            ExprKind::Binary(BinaryOp::Implies, a, b) => both(self.ways(a, true)?, &self.ways(b, false)?),
            ExprKind::Quantified(quantifier, binder, body) => {
                let asks_for_one = match quantifier {
                    Quantifier::Exists => wanted,
                    Quantifier::Forall => !wanted,
                    Quantifier::Count => false,
                };
                let bound = |thread: &ThreadRef| thread.thread.kind == ExprKind::Bound(0);
                let of_it = threads_in(body).into_iter().all(bound);
                let copies = matches!(binder.domain, Domain::Copies(_));
                if asks_for_one && of_it && copies { whole(body, true) } else { None }
            }
            _ => {
                let first = &threads_in(e).first()?.thread.kind;
                let single = matches!(first, ExprKind::Thread(_));
                let of_one = threads_in(e).iter().all(|thread| thread.thread.kind == *first);
                if single && of_one { whole(e, false) } else { None }
            }
        }
    }

    /// Makes a way to violate a property an error of the one specified thread it concerns, or, if it
    /// concerns none, a property of the composition.
    fn place(&mut self, id: PropertyId, property: &Property, way: Vec<Part>) -> Option<()> {
        let mut subjects: Vec<&ThreadRef> = way.iter().flat_map(|part| threads_in(&part.condition)).collect();
        subjects.dedup_by_key(|thread| thread.template);
        if !subjects.iter().any(|thread| self.nodes.contains_key(&thread.template)) {
            let conjunction = way.into_iter().map(|part| part.condition);
            let conjunction = conjunction.reduce(|a, b| Expr::binary(BinaryOp::And, a, b, Sort::Bool))?;
            self.kept.push(Property::never(None, conjunction, property.span));
            return Some(());
        }
        let [subject] = subjects[..] else { return None };
        let template = subject.template;
        // Two conditions on some copy each need not be about the same copy.
        let of_each = way.iter().filter(|part| part.of_each).count();
        let own = |part: &&Part| !part.of_each && !threads_in(&part.condition).is_empty();
        if of_each > 1 || of_each == 1 && way.iter().any(|part| own(&part)) {
            return None;
        }
        // Where there may be no copy at all, nobody would run into an error of a condition on the store.
        let has_copies = match self.program.template(template).copies {
            Copies::Single => true,
            Copies::Exactly(n) => n > 0,
            Copies::Any => false,
        };
        if of_each == 1 && !has_copies && way.iter().any(|part| !part.of_each && part.condition.can_fail()) {
            return None;
        }
        self.local.push(LocalProperty { property: id, template, parts: way });
        Some(())
    }
}

fn both(left: Vec<Vec<Part>>, right: &[Vec<Part>]) -> Option<Vec<Vec<Part>>> {
    let joined = left.iter().flat_map(|a| right.iter().map(move |b| [&a[..], &b[..]].concat()));
    let joined: Vec<Vec<Part>> = joined.take(MAX_WAYS + 1).collect();
    (joined.len() <= MAX_WAYS).then_some(joined)
}

fn either(mut left: Vec<Vec<Part>>, right: Vec<Vec<Part>>) -> Option<Vec<Vec<Part>>> {
    left.extend(right);
    (left.len() <= MAX_WAYS).then_some(left)
}

/// The threads whose control or locals a formula asks for.
fn threads_in(e: &Expr) -> Vec<&ThreadRef> {
    let mut threads = Vec::new();
    e.visit(&mut |e| threads.extend(e.thread_looked_at()));
    threads
}
