//! The values that make a condition true or false: what the user wants to see beside a violation.

use threadwise_evidence::{show_typed, show_value, shown_local, shown_shared};
use threadwise_ir::{
    Copies, Env, Expr, ExprKind, Instance, Locals, Quantifier, RoutineId, Shown, Sort, ThreadRef, VarRef,
};
use threadwise_print::show_expr;

/// More facts than this bury the important ones.
const MAX_FACTS: usize = 12;

/// Collects facts such as `x == 0` and `W[2]@critical` about the parts of expressions.
pub(crate) struct Facts<'a> {
    env: Env<'a>,
    routine: Option<RoutineId>,
    /// How many binders are around the expression at hand.
    depth: usize,
    found: Vec<String>,
}

impl<'a> Facts<'a> {
    /// Facts about a thread's own expressions.
    pub(crate) fn of_thread(env: Env<'a>, routine: RoutineId) -> Facts<'a> {
        Facts { env, routine: Some(routine), depth: 0, found: Vec::new() }
    }

    /// Facts about properties.
    pub(crate) fn of_state(instance: &'a Instance, shared: &'a [i64], locals: &'a dyn Locals) -> Facts<'a> {
        Facts { env: Env::of_state(instance, shared, locals), routine: None, depth: 0, found: Vec::new() }
    }

    /// What comes next stands below so many binders, whose variables have no values.
    pub(crate) fn below_binders(&mut self, binders: usize) {
        self.depth = binders;
    }

    /// The facts in the order in which the expressions mention them, each once.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if self.found.len() > MAX_FACTS {
            let more = self.found.len() - MAX_FACTS;
            self.found.truncate(MAX_FACTS);
            self.found.push(format!("and {more} more"));
        }
        self.found
    }

    pub(crate) fn about(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Thread(_) | ExprKind::Bound(_) => {}
            // What an action would have written is not part of any state.
            ExprKind::ReadAfter(_) => {}
            ExprKind::SelfThread | ExprKind::Read(_) => self.value(e),
            ExprKind::Index(array, key) => {
                if self.is_closed(e) && !e.is_primed() {
                    self.value(e);
                } else {
                    self.about(array);
                }
                self.about(key);
            }
            ExprKind::At(thread, _) | ExprKind::LocalOf(thread, _) => self.about_thread(e, thread),
            ExprKind::Unary(_, a) => self.about(a),
            ExprKind::Quantified(Quantifier::Count, ..) if self.is_closed(e) => {
                self.value(e);
                self.inside(e);
            }
            ExprKind::Quantified(..) => self.inside(e),
            ExprKind::Binary(_, a, b) => {
                self.about(a);
                self.about(b);
            }
            ExprKind::Conditional(parts) => parts.iter().for_each(|e| self.about(e)),
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                elements.iter().for_each(|e| self.about(e));
            }
        }
    }

    /// The value of a compound expression as a whole: `x + 1 == 4`.
    pub(crate) fn result_of(&mut self, e: &Expr) {
        if matches!(e.kind, ExprKind::Unary(..) | ExprKind::Binary(..)) && !e.is_primed() && self.is_closed(e) {
            self.value(e);
        }
    }

    fn inside(&mut self, e: &Expr) {
        if let ExprKind::Quantified(_, _, body) = &e.kind {
            self.depth += 1;
            self.about(body);
            self.depth -= 1;
        }
    }

    /// Whether an expression has a value without knowing the bound variables around it.
    fn is_closed(&self, e: &Expr) -> bool {
        self.depth == 0 || !e.any(&|e| matches!(e.kind, ExprKind::Bound(_)))
    }

    /// How the variable is shown that an expression reads.
    fn shown(&self, e: &Expr) -> Option<&'a Shown> {
        let instance: &'a Instance = self.env.instance;
        match &e.kind {
            ExprKind::Read(VarRef::Shared(var)) => shown_shared(instance, *var),
            ExprKind::Read(VarRef::Local(var)) => shown_local(instance, self.routine?, *var),
            ExprKind::Index(array, _) => self.shown(array),
            _ => None,
        }
    }

    /// `x == 0`
    fn value(&mut self, e: &Expr) {
        let program = self.env.instance.program.clone();
        let name = show_expr(&program, e, self.routine);
        let shown = self.shown(e).cloned();
        if shown.as_ref().is_some_and(|shown| shown.is_hidden) {
            return;
        }
        if let Ok(words) = self.env.words(e) {
            let value = match &*e.sort {
                Sort::Array(..) if shown.is_none() => show_keyed(self.env.instance, &e.sort, &words),
                sort => show_typed(self.env.instance, shown.as_ref(), sort, &words),
            };
            self.add(format!("{name} == {value}"));
        }
    }

    /// Whether `t@L` holds, or the value of `t.x`. A bound thread stands for all copies: those that
    /// are at the label are named, or each one's value is given.
    fn about_thread(&mut self, e: &Expr, thread: &ThreadRef) {
        let instance = self.env.instance;
        let is_single = instance.program.template(thread.template).copies == Copies::Single;
        if self.is_closed(&thread.thread) && is_single {
            return self.closed_thread(e);
        }
        for index in instance.copies_of(thread.template) {
            let tid = index as i64 + 1;
            self.of_copy(e, tid);
        }
    }

    fn closed_thread(&mut self, e: &Expr) {
        if !matches!(e.kind, ExprKind::At(..)) {
            return self.value(e);
        }
        let name = show_expr(&self.env.instance.program, e, None);
        match self.env.holds(e) {
            Ok(true) => self.add(name),
            Ok(false) => self.add(format!("!{name}")),
            Err(_) => {}
        }
    }

    fn of_copy(&mut self, e: &Expr, tid: i64) {
        let instance = self.env.instance;
        let copy = instance.tid_name(tid);
        match &e.kind {
            ExprKind::At(_, locations) => {
                let here = instance.location_of(self.env.threads.local(tid as usize - 1));
                let shown = show_expr(&instance.program, e, None);
                let label = shown.rsplit('@').next().unwrap_or_default().to_string();
                if locations.contains(&here) {
                    self.add(format!("{copy}@{label}"));
                }
            }
            ExprKind::LocalOf(thread, local) => {
                let body = instance.program.template(thread.template).body;
                let name = &instance.program.routine(body).locals[local.index()].name;
                // A thread's own frame is the lowest of its local state.
                let words = self.env.threads.local(tid as usize - 1);
                let range = instance.local_range(body, *local);
                let value = show_value(instance, &e.sort, &words[range]);
                self.add(format!("{copy}.{name} == {value}"));
            }
            _ => {}
        }
    }

    fn add(&mut self, fact: String) {
        if !self.found.contains(&fact) {
            self.found.push(fact);
        }
    }
}

/// An array as text, with its keys: `[0..6: idle, 7: busy]`, `[P: true, Q: false]`.
fn show_keyed(instance: &Instance, sort: &Sort, words: &[i64]) -> String {
    let Sort::Array(key, element) = sort else { return show_value(instance, sort, words) };
    let key_name = |rank: usize| show_value(instance, key, &[instance.unrank(key, rank)]);
    let size = instance.words(element).max(1);
    let chunks: Vec<&[i64]> = words.chunks(size).collect();
    let can_join = matches!(**key, Sort::Range(..) | Sort::Bits(_));
    let mut shown = Vec::new();
    let mut rank = 0;
    while let Some(chunk) = chunks.get(rank) {
        let alike = chunks[rank..].iter().take_while(|other| can_join && *other == chunk).count().max(1);
        let last = rank + alike - 1;
        let keys = if alike == 1 { key_name(rank) } else { format!("{}..{}", key_name(rank), key_name(last)) };
        shown.push(format!("{keys}: {}", show_keyed(instance, element, chunk)));
        rank = last + 1;
    }
    format!("[{}]", shown.join(", "))
}
