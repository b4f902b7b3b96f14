//! What formulas see of a thread: whether it is at certain locations, and the values of certain variables.
//!
//! Local states that look the same are the same to these formulas, so one of them is enough.

use crate::interner::Interner;
use rustc_hash::{FxHashMap, FxHashSet};
use threadwise_ir::{Expr, ExprKind, Instance, LocalId, LocationId, Program, TemplateId};

/// What formulas see of the copies of a template.
#[derive(Clone, Default)]
pub(crate) struct Glance<'a> {
    locations: Vec<&'a [LocationId]>,
    locals: Vec<LocalId>,
}

impl<'a> Glance<'a> {
    /// For each template what the formulas see of its copies.
    pub(crate) fn of_formulas(program: &Program, formulas: impl IntoIterator<Item = &'a Expr>) -> Vec<Glance<'a>> {
        let mut glances = vec![Glance::default(); program.templates.len()];
        for formula in formulas {
            collect(formula, &mut glances);
        }
        glances
    }

    /// Whether all local states look the same.
    pub(crate) fn is_blind(&self) -> bool {
        self.locations.is_empty() && self.locals.is_empty()
    }

    pub(crate) fn sees_variables(&self) -> bool {
        !self.locals.is_empty()
    }

    /// What is seen of a local state.
    pub(crate) fn look(&self, instance: &Instance, template: TemplateId, words: &[i64]) -> Vec<i64> {
        let body = instance.program.template(template).body;
        let location = instance.location_of(words);
        let is_at = self.locations.iter().map(|locations| i64::from(locations.binary_search(&location).is_ok()));
        let mut look: Vec<i64> = is_at.collect();
        for var in &self.locals {
            look.extend_from_slice(&words[instance.local_range(body, *var)]);
        }
        look
    }

    /// Of local states that look the same the first one.
    pub(crate) fn different(
        &self,
        instance: &Instance,
        interner: &Interner,
        template: TemplateId,
        locals: &[u32],
    ) -> Vec<u32> {
        let mut seen = Vec::new();
        let mut different = Vec::new();
        for &local in locals {
            let look = self.look(instance, template, interner.words(local));
            if !seen.contains(&look) {
                seen.push(look);
                different.push(local);
            }
        }
        different
    }
}

/// Which states have been seen, told apart by nothing but what the formulas see of them.
pub(crate) struct Sights<'a> {
    glances: Vec<Glance<'a>>,
    looks: Interner,
    /// For each template and local state the number of its look, once asked for.
    look_of: FxHashMap<(TemplateId, u32), u32>,
    seen: FxHashSet<Box<[u32]>>,
    /// The state that is being looked at.
    sight: Vec<u32>,
}

impl<'a> Sights<'a> {
    pub(crate) fn new(program: &'a Program) -> Sights<'a> {
        let glances = Glance::of_formulas(program, program.formulas().map(|(_, formula, _)| formula));
        Sights {
            glances,
            looks: Interner::default(),
            look_of: FxHashMap::default(),
            seen: FxHashSet::default(),
            sight: Vec::new(),
        }
    }

    /// Whether the state, a shared store and the threads' local states by number, looks like none before it.
    pub(crate) fn is_new(&mut self, instance: &Instance, locals: &Interner, tuple: &[u32]) -> bool {
        let look = |(&local, thread): (&u32, &threadwise_ir::Thread)| {
            let template = thread.template;
            *self.look_of.entry((template, local)).or_insert_with(|| {
                let glance = &self.glances[template.index()];
                self.looks.number(&glance.look(instance, template, locals.words(local)))
            })
        };
        self.sight.clear();
        self.sight.push(tuple[0]);
        self.sight.extend(tuple[1..].iter().zip(&instance.threads).map(look));
        !self.seen.contains(&self.sight[..]) && self.seen.insert(self.sight[..].into())
    }
}

fn collect<'a>(e: &'a Expr, glances: &mut [Glance<'a>]) {
    match &e.kind {
        ExprKind::At(thread, locations) => {
            glances[thread.template.index()].locations.push(locations);
            collect(&thread.thread, glances);
        }
        ExprKind::LocalOf(thread, local) => {
            glances[thread.template.index()].locals.push(*local);
            collect(&thread.thread, glances);
        }
        ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => collect(a, glances),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => [a, b].into_iter().for_each(|e| collect(e, glances)),
        ExprKind::Conditional(parts) => parts.iter().for_each(|e| collect(e, glances)),
        ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
            elements.iter().for_each(|e| collect(e, glances));
        }
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(_)
        | ExprKind::ReadAfter(_)
        | ExprKind::Bound(_) => {}
    }
}
