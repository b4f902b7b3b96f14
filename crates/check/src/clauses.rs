//! What it takes to violate a property, as far as it can be said thread by thread.
//!
//! The violating condition is brought into the form of alternatives, each of which says: there are
//! threads (and other values) of which certain literals hold, each literal looking at one thread
//! only, and some of the threads are different or the same. For each alternative the ways in which
//! its threads can coincide are listed; then all threads of a *way* are different, and what is
//! asked of one is independent of what is asked of another.
//!
//! For example, `never exists i: W, j: W :: i != j && i@critical && j@critical` has one alternative
//! with one way: two different copies of `W`, of which `i@critical` and `j@critical` hold.

use crate::order::always_has_a_value;
use threadwise_ir::{BinaryOp, Domain, Expr, ExprKind, Instance, Quantifier, Sort, TemplateId, ThreadRef, UnaryOp};

/// More alternatives than this are not looked at one by one,
const MAX_ALTERNATIVES: usize = 1024;
/// nor more threads in an alternative,
const MAX_THREADS: usize = 5;
/// nor more combinations of its other values.
const MAX_VALUES: u64 = 4096;

/// A formula that must hold or must not hold.
pub(crate) struct Literal<'a> {
    pub(crate) formula: &'a Expr,
    pub(crate) must_be: bool,
    /// For each enclosing binder, the outermost first, its variable.
    pub(crate) scope: Vec<usize>,
    /// The variable of the thread that it looks at or speaks of; `None` if it is about none.
    subject: Option<usize>,
}

/// A thread of a way: a copy of the template, of which some literals hold.
pub(crate) struct Role {
    pub(crate) template: TemplateId,
    /// The variables that stand for the thread.
    pub(crate) variables: Vec<usize>,
    /// The literals, by their place in the alternative.
    pub(crate) literals: Vec<usize>,
}

/// An alternative of the violating condition.
pub(crate) struct Alternative<'a> {
    pub(crate) literals: Vec<Literal<'a>>,
    /// The literals that are about no thread.
    pub(crate) plain: Vec<usize>,
    /// The combinations of values of the variables; 0 for those that stand for threads.
    pub(crate) values: Vec<Vec<i64>>,
    /// The ways in which threads may coincide. All threads of a way are different.
    pub(crate) ways: Vec<Vec<Role>>,
}

/// The alternatives of the violating condition; `None` if it cannot be said like that.
pub(crate) fn alternatives<'a>(instance: &Instance, formula: &'a Expr, must_be: bool) -> Option<Vec<Alternative<'a>>> {
    if !always_has_a_value(formula) {
        return None;
    }
    let mut compiler = Compiler { variables: Vec::new() };
    let alternatives = compiler.alternatives(formula, !must_be, &[])?;
    alternatives.into_iter().map(|literals| compiler.alternative(instance, literals)).collect()
}

/// What a variable stands for.
#[derive(Clone, PartialEq)]
enum Variable<'a> {
    Copy(TemplateId),
    /// The only copy of the template, by its name.
    Named(TemplateId),
    Value(&'a Domain),
}

struct Compiler<'a> {
    variables: Vec<Variable<'a>>,
}

/// What a conjunct says.
enum Conjunct<'a> {
    Literal(Literal<'a>),
    /// Two threads are the same, or different.
    Same(usize, usize, bool),
    /// There is such a thread.
    Exists(usize),
}

type Conjuncts<'a> = Vec<std::rc::Rc<Conjunct<'a>>>;

impl<'a> Compiler<'a> {
    /// The disjunctive normal form of the formula, or of its negation.
    fn alternatives(&mut self, e: &'a Expr, wanted: bool, scope: &[usize]) -> Option<Vec<Conjuncts<'a>>> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.alternatives(a, !wanted, scope),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                let left = self.alternatives(a, wanted != (*op == BinaryOp::Implies), scope)?;
                let right = self.alternatives(b, wanted, scope)?;
                if wanted == (*op == BinaryOp::And) { both(&left, &right) } else { either(left, right) }
            }
            ExprKind::Quantified(quantifier @ (Quantifier::Exists | Quantifier::Forall), binder, body)
                if wanted == (*quantifier == Quantifier::Exists) =>
            {
                let variable = self.variables.len();
                self.variables.push(match &binder.domain {
                    Domain::Copies(template) => Variable::Copy(*template),
                    // Thread identities with `none` among them.
                    Domain::Sort(sort) if sort.mentions_tid() => return None,
                    domain => Variable::Value(domain),
                });
                let inside = self.alternatives(body, wanted, &[scope, &[variable]].concat())?;
                // Where the body does not speak of the variable there must still be a value.
                both(&[vec![Conjunct::Exists(variable).into()]], &inside)
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
            | ExprKind::Quantified(..) => match at_least(e, wanted) {
                Some((template, body, count)) => self.several(template, body, count, scope),
                None => Some(vec![vec![self.conjunct(e, wanted, scope)?.into()]]),
            },
        }
    }

    /// So many different copies of the template satisfy the body.
    fn several(
        &mut self,
        template: TemplateId,
        body: &'a Expr,
        count: i64,
        scope: &[usize],
    ) -> Option<Vec<Conjuncts<'a>>> {
        let count = usize::try_from(count).unwrap_or(0);
        let (first, mut all) = (self.variables.len(), Some(vec![Vec::new()]));
        if count > MAX_THREADS {
            return None;
        }
        let variables = first..first + count;
        self.variables.extend(variables.clone().map(|_| Variable::Copy(template)));
        for variable in variables {
            let different = (first..variable).map(|other| Conjunct::Same(other, variable, false).into());
            let mut conjuncts: Conjuncts<'a> = vec![Conjunct::Exists(variable).into()];
            conjuncts.extend(different);
            let inside = self.alternatives(body, true, &[scope, &[variable]].concat())?;
            all = both(&both(&all?, &[conjuncts])?, &inside);
        }
        all
    }

    fn conjunct(&mut self, e: &'a Expr, must_be: bool, scope: &[usize]) -> Option<Conjunct<'a>> {
        if let ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = &e.kind
            && let (Some(a), Some(b)) = (self.thread(a, scope), self.thread(b, scope))
        {
            return Some(Conjunct::Same(a, b, must_be == (*op == BinaryOp::Eq)));
        }
        let mut subjects = Vec::new();
        let mut is_clear = true;
        e.walk(&mut |part| {
            if let Some(ThreadRef { thread, .. }) = part.thread_looked_at() {
                match &thread.kind {
                    ExprKind::Thread(_) => subjects.push(thread.kind.clone()),
                    ExprKind::Bound(depth) if (*depth as usize) < scope.len() => subjects.push(thread.kind.clone()),
                    ExprKind::Const(_)
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
                    | ExprKind::Quantified(..) => is_clear = false,
                }
            }
            // A variable over threads is looked at, or spoken of.
            if let ExprKind::Bound(depth) = &part.kind {
                let variable = scope.get(*depth as usize).map(|&variable| &self.variables[variable]);
                if matches!(variable, Some(Variable::Copy(_))) {
                    subjects.push(part.kind.clone());
                }
            }
        });
        let subject = match subjects.first() {
            Some(first) if subjects.iter().all(|other| other == first) => Some(first.clone()),
            Some(_) => return None,
            None => None,
        };
        let subject = match subject.filter(|_| is_clear) {
            Some(ExprKind::Thread(template)) => Some(self.named(template)),
            Some(ExprKind::Bound(depth)) => Some(scope[depth as usize]),
            Some(
                ExprKind::Const(_)
                | ExprKind::SelfThread
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
                | ExprKind::Quantified(..),
            )
            | None => None,
        };
        is_clear.then(|| Conjunct::Literal(Literal { formula: e, must_be, scope: scope.to_vec(), subject }))
    }

    /// The variable of a thread that is named or bound.
    fn thread(&mut self, e: &Expr, scope: &[usize]) -> Option<usize> {
        match e.kind {
            ExprKind::Thread(template) => Some(self.named(template)),
            ExprKind::Bound(depth) if e.sort == Sort::Tid => scope.get(depth as usize).copied(),
            ExprKind::Const(_)
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
            | ExprKind::Quantified(..) => None,
        }
    }

    fn named(&mut self, template: TemplateId) -> usize {
        let variable = Variable::Named(template);
        let known = self.variables.iter().position(|known| *known == variable);
        known.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        })
    }

    fn alternative(&self, instance: &Instance, conjuncts: Conjuncts<'a>) -> Option<Alternative<'a>> {
        let mut relations = Vec::new();
        let mut literals = Vec::new();
        let mut used = Vec::new();
        for conjunct in &conjuncts {
            match &**conjunct {
                Conjunct::Same(a, b, same) => {
                    relations.push((*a, *b, *same));
                    used.extend([*a, *b]);
                }
                Conjunct::Exists(variable) => used.push(*variable),
                Conjunct::Literal(literal) => {
                    used.extend(literal.subject);
                    literals.push(Literal { scope: literal.scope.clone(), ..*literal });
                }
            }
        }
        used.sort_unstable();
        used.dedup();
        let is_value = |variable: &usize| matches!(self.variables[*variable], Variable::Value(_));
        let (values, threads): (Vec<usize>, Vec<usize>) = used.into_iter().partition(is_value);
        if threads.len() > MAX_THREADS {
            return None;
        }
        let about = |subject: Option<usize>| -> Vec<usize> {
            (0..literals.len()).filter(|&at| literals[at].subject == subject).collect()
        };
        let role = |variables: &Vec<usize>| {
            let template = self.common_template(variables)?;
            let literals = variables.iter().flat_map(|&variable| about(Some(variable))).collect();
            Some(Role { template, variables: variables.clone(), literals })
        };
        let fits = |way: &Vec<Vec<usize>>| {
            let together = |a: usize, b: usize| way.iter().any(|part| part.contains(&a) && part.contains(&b));
            relations.iter().all(|&(a, b, same)| together(a, b) == same)
        };
        let ways = partitions(&threads).into_iter().filter(fits);
        // Threads of different templates are different threads.
        let ways = ways.filter_map(|way| way.iter().map(role).collect()).collect();
        let (plain, values) = (about(None), self.combinations(instance, &values)?);
        Some(Alternative { plain, values, ways, literals })
    }

    fn common_template(&self, variables: &[usize]) -> Option<TemplateId> {
        let mut templates = variables.iter().map(|&variable| match self.variables[variable] {
            Variable::Copy(template) | Variable::Named(template) => Some(template),
            Variable::Value(_) => None,
        });
        let first = templates.next()??;
        templates.all(|template| template == Some(first)).then_some(first)
    }

    /// All combinations of values of the variables that stand for values.
    fn combinations(&self, instance: &Instance, used: &[usize]) -> Option<Vec<Vec<i64>>> {
        let mut combinations = vec![vec![0; self.variables.len()]];
        for &variable in used {
            let Variable::Value(domain) = &self.variables[variable] else { continue };
            let count = instance.cardinality(&domain.sort())?;
            if count.saturating_mul(combinations.len() as u64) > MAX_VALUES {
                return None;
            }
            let with = |combination: &Vec<i64>, value: i64| {
                let mut combination = combination.clone();
                combination[variable] = value;
                combination
            };
            let values = instance.domain(domain);
            combinations = combinations.iter().flat_map(|c| values.clone().map(move |v| with(c, v))).collect();
        }
        Some(combinations)
    }
}

/// `count(i: W :: body) >= n` and what means the same: the template, the body and the number.
fn at_least(e: &Expr, wanted: bool) -> Option<(TemplateId, &Expr, i64)> {
    let ExprKind::Binary(op, counted, number) = &e.kind else { return None };
    let ExprKind::Quantified(Quantifier::Count, binder, body) = &counted.kind else { return None };
    let (Domain::Copies(template), Sort::Bool, ExprKind::Const(number)) = (&binder.domain, &*body.sort, &number.kind)
    else {
        return None;
    };
    let least = match (op, wanted) {
        (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => *number,
        (BinaryOp::Gt, true) | (BinaryOp::Le, false) => number.checked_add(1)?,
        (BinaryOp::Ne, true) | (BinaryOp::Eq, false) if *number == 0 => 1,
        _ => return None,
    };
    Some((*template, body, least))
}

fn either<'a>(mut left: Vec<Conjuncts<'a>>, mut right: Vec<Conjuncts<'a>>) -> Option<Vec<Conjuncts<'a>>> {
    left.append(&mut right);
    (left.len() <= MAX_ALTERNATIVES).then_some(left)
}

fn both<'a>(left: &[Conjuncts<'a>], right: &[Conjuncts<'a>]) -> Option<Vec<Conjuncts<'a>>> {
    if left.len() * right.len() > MAX_ALTERNATIVES {
        return None;
    }
    let with = |a: &Conjuncts<'a>, b: &Conjuncts<'a>| a.iter().chain(b).cloned().collect();
    Some(left.iter().flat_map(|a| right.iter().map(move |b| with(a, b))).collect())
}

/// All ways to put the items into parts.
fn partitions(items: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for &item in items {
        let mut next = Vec::new();
        for partition in &all {
            for part in 0..=partition.len() {
                let mut more = partition.clone();
                match more.get_mut(part) {
                    Some(part) => part.push(item),
                    None => more.push(vec![item]),
                }
                next.push(more);
            }
        }
        all = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bell_numbers() {
        let counts: Vec<usize> = (0..6).map(|n| partitions(&(0..n).collect::<Vec<_>>()).len()).collect();
        assert_eq!(counts, [1, 1, 2, 5, 15, 52]);
    }
}
