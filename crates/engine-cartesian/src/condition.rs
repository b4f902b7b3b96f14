//! Conditions on states as cubes: some different threads, each in certain local states.
//!
//! `exists i: W, j: W :: i != j && i@critical && j@critical` asks for two different threads, each at
//! `critical`. Such a condition cuts few products out of a product, however many threads there are. A
//! condition that compares the states of several threads is not of this form; it is tried on all
//! combinations of what it can tell apart.

use threadwise_ir::{BinaryOp, Domain, Expr, ExprKind, Instance, Quantifier, TemplateId, ThreadRef, UnaryOp};

/// More cubes than this are not made.
const MOST_CUBES: usize = 1024;

/// Quantifiers are not expanded over more values than this.
const MOST_VALUES: u64 = 64;

/// A condition on states.
pub(crate) enum Condition {
    /// One of these holds.
    Cubes(Vec<Cube>),
    /// The expression has this value.
    Any(Expr, bool),
}

/// Different threads, each with its own condition, and a condition on the shared state.
#[derive(Clone, Default)]
pub(crate) struct Cube {
    pub(crate) shared: Vec<Literal>,
    pub(crate) roles: Vec<Role>,
}

/// A thread that a cube asks for.
#[derive(Clone)]
pub(crate) struct Role {
    /// What it is a copy of.
    pub(crate) template: TemplateId,
    /// Which thread, if only one will do.
    pub(crate) thread: Option<usize>,
    /// What holds of it.
    pub(crate) literals: Vec<Literal>,
}

/// An expression that is true or, if not `wanted`, false.
#[derive(Clone)]
pub(crate) struct Literal {
    pub(crate) e: Expr,
    pub(crate) wanted: bool,
    /// The values of the binders around it; the thread of the role for `None`.
    pub(crate) bound: Vec<Option<i64>>,
}

/// The condition that an expression has a value.
pub(crate) fn condition(instance: &Instance, e: &Expr, wanted: bool) -> Condition {
    let mut compiler = Compiler { instance, roles: Vec::new() };
    match compiler.compile(e, wanted, &[]).and_then(|drafts| compiler.finish(drafts)) {
        Some(cubes) => Condition::Cubes(cubes),
        None => Condition::Any(e.clone(), wanted),
    }
}

/// What a binder stands for: a role or a value.
#[derive(Clone, Copy)]
enum Binding {
    Role(usize),
    Value(i64),
}

#[derive(Clone)]
struct DraftLiteral {
    e: Expr,
    wanted: bool,
    bound: Vec<Binding>,
    /// The roles it looks at, sorted.
    looks_at: Vec<usize>,
}

#[derive(Clone, Default)]
struct Draft {
    literals: Vec<DraftLiteral>,
    /// Whether two roles are the same thread.
    links: Vec<(usize, usize, bool)>,
    /// The roles that occur.
    roles: Vec<usize>,
}

struct Compiler<'a> {
    instance: &'a Instance,
    roles: Vec<(TemplateId, Option<usize>)>,
}

impl Compiler<'_> {
    fn compile(&mut self, e: &Expr, wanted: bool, bound: &[Binding]) -> Option<Vec<Draft>> {
        if !e.looks_at_threads() {
            return self.literal(e, wanted, bound);
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.compile(a, !wanted, bound),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                let left = if *op == BinaryOp::Implies { !wanted } else { wanted };
                let all = (*op == BinaryOp::And) == wanted;
                let (a, b) = (self.compile(a, left, bound)?, self.compile(b, wanted, bound)?);
                if all { both(a, b) } else { either(a, b) }
            }
            ExprKind::Quantified(quantifier @ (Quantifier::Exists | Quantifier::Forall), binder, body) => {
                let some = (*quantifier == Quantifier::Exists) == wanted;
                self.quantified(&binder.domain, body, wanted, some, bound)
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => self.literal(e, wanted, bound),
        }
    }

    fn quantified(
        &mut self,
        domain: &Domain,
        body: &Expr,
        wanted: bool,
        some: bool,
        bound: &[Binding],
    ) -> Option<Vec<Draft>> {
        let bindings: Vec<Binding> = match domain {
            Domain::Copies(template) if some => vec![self.role(*template, None)],
            Domain::Copies(template) => {
                let copies = self.instance.copies_of(*template);
                if copies.len() as u64 > MOST_VALUES {
                    return None;
                }
                copies.map(|thread| self.role(*template, Some(thread))).collect()
            }
            Domain::Sort(sort) => {
                let count = self.instance.cardinality(sort).filter(|&count| count <= MOST_VALUES)?;
                if self.instance.words(sort) != 1 {
                    return None;
                }
                (0..count as usize).map(|rank| Binding::Value(self.instance.unrank(sort, rank))).collect()
            }
        };
        let mut drafts = if some { Vec::new() } else { vec![Draft::default()] };
        for binding in bindings {
            let mut inner = self.compile(body, wanted, &[bound, &[binding]].concat())?;
            if let Binding::Role(role) = binding {
                inner.iter_mut().for_each(|draft| draft.roles.push(role));
            }
            drafts = if some { either(drafts, inner)? } else { both(drafts, inner)? };
        }
        Some(drafts)
    }

    fn role(&mut self, template: TemplateId, thread: Option<usize>) -> Binding {
        let known = self.roles.iter().position(|role| thread.is_some() && *role == (template, thread));
        Binding::Role(known.unwrap_or_else(|| {
            self.roles.push((template, thread));
            self.roles.len() - 1
        }))
    }

    fn literal(&mut self, e: &Expr, wanted: bool, bound: &[Binding]) -> Option<Vec<Draft>> {
        // What can go wrong must be evaluated in its place, behind what comes before it.
        if e.can_fail() || e.any(&|e| matches!(e.kind, ExprKind::Index(..))) {
            return None;
        }
        if let ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = &e.kind
            && let (Some(a), Some(b)) = (self.named(a, bound), self.named(b, bound))
        {
            let same = (*op == BinaryOp::Eq) == wanted;
            return Some(vec![Draft {
                links: vec![(a.min(b), a.max(b), same)],
                roles: vec![a, b],
                ..Draft::default()
            }]);
        }
        let mut looks_at = Vec::new();
        let mut is_simple = true;
        e.walk(&mut |part| {
            if let Some(thread) = part.thread_looked_at() {
                match self.thread(thread, bound) {
                    Some(role) => looks_at.push(role),
                    None => is_simple = false,
                }
            }
            if let ExprKind::Bound(depth) = part.kind
                && let Some(Binding::Role(role)) = bound.get(depth as usize)
            {
                looks_at.push(*role);
            }
        });
        looks_at.sort_unstable();
        looks_at.dedup();
        if !is_simple || looks_at.len() > 1 {
            return None;
        }
        let roles = looks_at.clone();
        let literal = DraftLiteral { e: e.clone(), wanted, bound: bound.to_vec(), looks_at };
        Some(vec![Draft { literals: vec![literal], roles, ..Draft::default() }])
    }

    /// The role that an expression names.
    fn named(&mut self, e: &Expr, bound: &[Binding]) -> Option<usize> {
        let binding = match e.kind {
            ExprKind::Bound(depth) => *bound.get(depth as usize)?,
            ExprKind::Thread(template) => self.role(template, Some(self.instance.copies_of(template).start)),
            _ => return None,
        };
        match binding {
            Binding::Role(role) => Some(role),
            Binding::Value(_) => None,
        }
    }

    fn thread(&mut self, thread: &ThreadRef, bound: &[Binding]) -> Option<usize> {
        self.named(&thread.thread, bound)
    }

    /// Decides for every two roles whether they are the same thread.
    fn finish(&self, drafts: Vec<Draft>) -> Option<Vec<Cube>> {
        let mut cubes = Vec::new();
        for mut draft in drafts {
            draft.roles.sort_unstable();
            draft.roles.dedup();
            let mut classes = Vec::new();
            self.partition(&draft, 0, &mut classes, &mut cubes)?;
        }
        Some(cubes)
    }

    /// Puts the roles from `at` on into classes of the same thread, in all ways that the links allow.
    fn partition(&self, draft: &Draft, at: usize, classes: &mut Vec<Vec<usize>>, cubes: &mut Vec<Cube>) -> Option<()> {
        if cubes.len() > MOST_CUBES {
            return None;
        }
        let Some(&role) = draft.roles.get(at) else {
            cubes.extend(self.cube(draft, classes));
            return Some(());
        };
        let linked = |a: usize, b: usize, same: bool| draft.links.contains(&(a.min(b), a.max(b), same));
        for class in 0..classes.len() {
            let fits = classes[class].iter().all(|&other| {
                let ((template, thread), (other_template, other_thread)) = (self.roles[role], self.roles[other]);
                let differ = thread.is_some() && other_thread.is_some() && thread != other_thread;
                template == other_template && !differ && !linked(role, other, false)
            });
            let all_links = classes.iter().enumerate().filter(|(c, _)| *c != class);
            let torn = all_links.flat_map(|(_, roles)| roles).any(|&other| linked(role, other, true));
            if fits && !torn && !linked(role, role, false) {
                classes[class].push(role);
                self.partition(draft, at + 1, classes, cubes)?;
                classes[class].pop();
            }
        }
        let torn = classes.iter().flatten().any(|&other| linked(role, other, true));
        if !torn && !linked(role, role, false) {
            classes.push(vec![role]);
            self.partition(draft, at + 1, classes, cubes)?;
            classes.pop();
        }
        Some(())
    }

    /// The cube with one role for each class. `None` if a thread that it asks for does not exist.
    fn cube(&self, draft: &Draft, classes: &[Vec<usize>]) -> Option<Cube> {
        let mut cube = Cube::default();
        for class in classes {
            let template = self.roles[class[0]].0;
            let thread = class.iter().find_map(|&role| self.roles[role].1);
            if self.instance.copies_of(template).is_empty() {
                return None;
            }
            cube.roles.push(Role { template, thread, literals: Vec::new() });
        }
        // Two classes may be pinned to the same thread only by one role each, and roles of the same
        // thread are one role; a free class next to a pinned one is another thread.
        for draft in &draft.literals {
            let bound = draft.bound.iter().map(|binding| match binding {
                Binding::Role(_) => None,
                Binding::Value(value) => Some(*value),
            });
            let literal = Literal { e: draft.e.clone(), wanted: draft.wanted, bound: bound.collect() };
            match draft.looks_at.first() {
                None => cube.shared.push(literal),
                Some(role) => {
                    let class = classes.iter().position(|class| class.contains(role))?;
                    cube.roles[class].literals.push(literal);
                }
            }
        }
        Some(cube)
    }
}

fn either(mut a: Vec<Draft>, b: Vec<Draft>) -> Option<Vec<Draft>> {
    a.extend(b);
    (a.len() <= MOST_CUBES).then_some(a)
}

fn both(a: Vec<Draft>, b: Vec<Draft>) -> Option<Vec<Draft>> {
    if a.len().saturating_mul(b.len()) > MOST_CUBES {
        return None;
    }
    let join = |a: &Draft, b: &Draft| Draft {
        literals: [&a.literals[..], &b.literals].concat(),
        links: [&a.links[..], &b.links].concat(),
        roles: [&a.roles[..], &b.roles].concat(),
    };
    Some(a.iter().flat_map(|a| b.iter().map(move |b| join(a, b))).collect())
}
