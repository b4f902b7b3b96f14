//! Whether the states that a proof by cores and crowds takes are errors.

use super::{Collection, Judge, Member, Said};
use crate::glance::Glance;
use crate::patterns::meeting;
use crate::{CheckError, refuted};
use std::collections::BTreeMap;
use std::rc::Rc;
use threadwise_ir::{
    Env, Expr, Instance, NoValue, Observations, Pattern, Program, PropertyId, State, Store, TemplateId, ThreadId,
};

/// Whether a core with just these in its crowd is an error.
type IsBad<'f, 'a> = &'f dyn Fn(&mut Judge<'a>, &[Member]) -> Result<bool, CheckError>;

/// A formula that must not have a value.
pub(super) struct Formula<'a> {
    id: PropertyId,
    formula: &'a Expr,
    wrong: bool,
    most: usize,
    sees: Vec<Glance<'a>>,
}

impl<'a> Formula<'a> {
    pub(super) fn new(
        program: &'a Program,
        (id, formula, wrong): (PropertyId, &'a Expr, bool),
        most: usize,
    ) -> Formula<'a> {
        Formula { id, formula, wrong, most, sees: Glance::of_formulas(program, [formula]) }
    }
}

impl<'a> Judge<'a> {
    /// Point 5, for formulas.
    pub(super) fn formulas_hold(&mut self, core: usize, formulas: &[Formula<'_>]) -> Result<(), CheckError> {
        let said = self.cores[core].clone();
        for formula in formulas {
            let mut kinds: BTreeMap<(TemplateId, Vec<i64>), Vec<Member>> = BTreeMap::new();
            for &(template, local) in &said.crowd {
                let look = formula.sees[template.index()].look(self.instance, template, self.locals.words(local));
                kinds.entry((template, look)).or_default().push((template, local));
            }
            let is_bad = |judge: &mut Judge<'a>, crowd: &[Member]| {
                let (instance, state) = judge.state(&said, crowd);
                match Env::of_state(&instance, &state.shared, &state.locals).holds(formula.formula) {
                    Ok(truth) => Ok(truth == formula.wrong),
                    Err(NoValue::Fault(..)) => Ok(true),
                    Err(NoValue::Gap(_)) => Err(refuted("not all values of a property are known")),
                }
            };
            if let Some(crowd) = self.first_bad(&said, kinds.into_values().collect(), formula.most, &is_bad)? {
                return Err(self.violated(&said, &crowd, formula.id));
            }
        }
        Ok(())
    }

    /// Point 5, for patterns.
    pub(super) fn no_pattern_is_met(&mut self, core: usize) -> Result<(), CheckError> {
        let program = self.instance.program.clone();
        let parts = program.patterns().map(|(_, pattern)| match pattern {
            Pattern::Signs(signs) => signs.len(),
            Pattern::Deadlock | Pattern::LockCycle => 1,
        });
        let Some(most) = parts.max() else { return Ok(()) };
        let said = self.cores[core].clone();
        let mut kinds: BTreeMap<Observations, Vec<Member>> = BTreeMap::new();
        for &(template, local) in &said.crowd {
            let thread = self.nameless(&said, template)?;
            let shown = self.moves(thread, said.shared, local)?.shown.clone();
            kinds.entry(shown).or_default().push((template, local));
        }
        let met = |judge: &mut Judge<'a>, crowd: &[Member]| {
            let (instance, state) = judge.state(&said, crowd);
            let threads = (0..instance.threads.len() as u32).map(ThreadId);
            let shown: Vec<Observations> = threads.map(|thread| state.steps(&instance, thread).shown).collect();
            meeting(&instance.program, &shown)
        };
        let is_bad = |judge: &mut Judge<'a>, crowd: &[Member]| Ok(met(judge, crowd).is_some());
        if let Some(crowd) = self.first_bad(&said, kinds.into_values().collect(), most, &is_bad)? {
            let (property, _) = met(self, &crowd).expect("it is met");
            return Err(self.violated(&said, &crowd, property));
        }
        Ok(())
    }

    /// The first crowd of this size at most that is bad and not excluded. Members of the same kind cannot be told apart. A
    /// crowd with more members than a bad one is bad too, and excluded where that is.
    fn first_bad(
        &mut self,
        said: &Said,
        mut kinds: Vec<Vec<Member>>,
        most: usize,
        is_bad: IsBad<'_, 'a>,
    ) -> Result<Option<Collection>, CheckError> {
        kinds.iter_mut().for_each(|kind| kind.sort_unstable());
        let mut good: Vec<Vec<usize>> = vec![Vec::new()];
        while let Some(chosen) = good.pop() {
            self.budget.check()?;
            let crowd: Collection = chosen.iter().map(|&kind| kinds[kind][0]).collect();
            if is_bad(self, &crowd)? {
                let mut all = vec![Collection::new()];
                for &kind in &chosen {
                    all = all.iter().flat_map(|one| kinds[kind].iter().map(|&m| [&one[..], &[m]].concat())).collect();
                }
                all.iter_mut().for_each(|crowd| crowd.sort_unstable());
                if let Some(crowd) = all.into_iter().find(|crowd| !said.excludes(crowd)) {
                    return Ok(Some(crowd));
                }
            } else if chosen.len() < most {
                let first = chosen.last().copied().unwrap_or(0);
                good.extend((first..kinds.len()).map(|kind| [&chosen[..], &[kind]].concat()));
            }
        }
        Ok(None)
    }

    /// The state with the core and this crowd, and nobody else.
    fn state(&mut self, said: &Said, crowd: &[Member]) -> (Rc<Instance>, State) {
        let names = self.instance;
        let mut copies = vec![0; names.program.templates.len()];
        let mut place = |template: TemplateId| {
            copies[template.index()] += 1;
            (template, copies[template.index()] as usize - 1)
        };
        let of_core = said.threads.iter().map(|&(thread, local)| (names.threads[thread].template, local));
        let places: Vec<((TemplateId, usize), u32)> =
            of_core.chain(crowd.iter().copied()).map(|(template, local)| (place(template), local)).collect();
        let instance = self
            .instances
            .entry(copies)
            .or_insert_with_key(|copies| Rc::new(Instance::with_copies(names.program.clone(), copies)));
        let image = |tid: i64| match usize::try_from(tid - 1) {
            Ok(thread) => {
                let thread = names.threads[thread];
                instance.copies_of(thread.template).start as i64 + i64::from(thread.copy)
            }
            Err(_) => 0,
        };
        let shared = names.rename(self.stores.words(said.shared), &image).into();
        let mut locals = vec![Store::default(); instance.threads.len()];
        for ((template, copy), local) in places {
            locals[instance.copies_of(template).start + copy] = self.locals.words(local).into();
        }
        (instance.clone(), State { shared, locals })
    }

    fn violated(&mut self, said: &Said, crowd: &[Member], property: PropertyId) -> CheckError {
        let (instance, state) = self.state(said, crowd);
        let program = &self.instance.program;
        let text = program.source.snippet(program.property(property).span, 80);
        let state = threadwise_evidence::show_state(&instance, &state);
        refuted(format!("the properties do not follow: the state\n  {state}\nmay violate `{text}`"))
    }
}
