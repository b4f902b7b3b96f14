//! Which elements of arrays an edge reads and writes.
//!
//! An expression reads what is looked at when it is evaluated: `&&`, `||`, `==>` and `?:` look only as far as needed. A
//! quantifier looks at all values of its variable, so that it does not matter in which order they come. An index that
//! has no value, or is out of range, reads nothing: it is an error by itself, if the evaluation comes to it. An action
//! accesses all elements of the arrays that it mentions, since it tries all values.

use crate::eval::Env;
use crate::instance::Instance;
use crate::observe::{Observation, Observations};
use crate::patience::may_go_on;
use crate::{Expr, ExprKind, Gap, NoValue, Op, Pattern, Place, Region, SharedId, Sign, Sort, Update, Value, VarRef};
use smallvec::SmallVec;

/// An array, or the part of it with these first keys, by their ranks.
pub(crate) struct Touch {
    var: SharedId,
    keys: SmallVec<[usize; 2]>,
    writes: bool,
}

type Touches = Result<(), NoValue>;

impl Env<'_> {
    /// What an edge touches, but for the result of a call.
    pub(crate) fn touched_by(&mut self, op: &Op) -> Result<Vec<Touch>, NoValue> {
        let mut out = Vec::new();
        match op {
            Op::Command(command) => {
                let conditions = command.assertions.iter().map(|assertion| &assertion.condition);
                for e in conditions.chain(command.guard.as_deref()) {
                    self.touch(e, &mut out)?;
                }
                self.touch_update(&command.update, &mut out)?;
            }
            Op::Call { args, .. } => {
                for arg in args {
                    self.touch(arg, &mut out)?;
                }
            }
            Op::Return(value) => {
                if let Some(e) = value {
                    self.touch(e, &mut out)?;
                }
            }
        }
        Ok(out)
    }

    /// What is touched when something is stored in a place.
    pub(crate) fn touched_by_store(&mut self, place: &Place) -> Result<Vec<Touch>, NoValue> {
        let mut out = Vec::new();
        self.touch_place(place, &mut out)?;
        Ok(out)
    }

    fn touch_place(&mut self, place: &Place, out: &mut Vec<Touch>) -> Touches {
        for index in &place.indices {
            self.touch(index, out)?;
        }
        if let VarRef::Shared(var) = place.var {
            let keys: Vec<&Expr> = place.indices.iter().collect();
            out.extend(self.ranks(var, &keys)?.map(|keys| Touch { var, keys, writes: true }));
        }
        Ok(())
    }

    fn touch_update(&mut self, update: &Update, out: &mut Vec<Touch>) -> Touches {
        match update {
            Update::Assign(assignments) => {
                for (place, value) in assignments {
                    self.touch_place(place, out)?;
                    if let Value::Of(e) = value {
                        self.touch(e, out)?;
                    }
                }
            }
            Update::Action { frame, formula, assertion } => {
                let whole = |var: &VarRef, writes| match var {
                    VarRef::Shared(var) => Some(Touch { var: *var, keys: SmallVec::new(), writes }),
                    VarRef::Local(_) => None,
                };
                out.extend(frame.iter().filter_map(|var| whole(var, true)));
                for e in [Some(formula), assertion.as_ref()].into_iter().flatten() {
                    e.walk(&mut |e| {
                        if let ExprKind::Read(var) | ExprKind::ReadAfter(var) = &e.kind {
                            out.extend(whole(var, false));
                        }
                    });
                }
            }
        }
        Ok(())
    }

    fn touch(&mut self, e: &Expr, out: &mut Vec<Touch>) -> Touches {
        match &e.kind {
            ExprKind::Read(_) | ExprKind::Index(..) => self.touch_part(e, out)?,
            ExprKind::Binary(op, a, b) => {
                self.touch(a, out)?;
                let goes_on = match op.needs_second_where() {
                    Some(first) => self.truth(a)? == Some(first),
                    None => true,
                };
                if goes_on {
                    self.touch(b, out)?;
                }
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.touch(condition, out)?;
                match self.truth(condition)? {
                    Some(true) => self.touch(yes, out)?,
                    Some(false) => self.touch(no, out)?,
                    None => {}
                }
            }
            ExprKind::Quantified(_, binder, body) => {
                for value in self.instance.domain(&binder.domain) {
                    if !may_go_on() {
                        return Err(NoValue::Gap(Gap::Interrupted(e.span)));
                    }
                    self.bind(value);
                    let touched = self.touch(body, out);
                    self.unbind();
                    touched?;
                }
            }
            ExprKind::Unary(_, a) => self.touch(a, out)?,
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
                for element in elements.iter() {
                    self.touch(element, out)?;
                }
            }
            // The last three are in actions and properties only.
            ExprKind::Const(_) | ExprKind::Thread(_) | ExprKind::SelfThread | ExprKind::Bound(_) => {}
            ExprKind::ReadAfter(_) | ExprKind::LocalOf(..) | ExprKind::At(..) => {}
        }
        Ok(())
    }

    /// A variable, an element of it, or an element of what some other expression gives.
    fn touch_part(&mut self, e: &Expr, out: &mut Vec<Touch>) -> Touches {
        let (mut root, mut keys) = (e, Vec::new());
        while let ExprKind::Index(array, key) = &root.kind {
            keys.insert(0, &**key);
            root = array;
        }
        for key in &keys {
            self.touch(key, out)?;
        }
        match &root.kind {
            ExprKind::Read(VarRef::Shared(var)) => {
                out.extend(self.ranks(*var, &keys)?.map(|keys| Touch { var: *var, keys, writes: false }));
                Ok(())
            }
            ExprKind::Read(VarRef::Local(_)) => Ok(()),
            _ => self.touch(root, out),
        }
    }

    /// The positions of keys; nothing where one of them is not there.
    fn ranks(&mut self, var: SharedId, keys: &[&Expr]) -> Result<Option<SmallVec<[usize; 2]>>, NoValue> {
        let instance = self.instance;
        let mut sort = &instance.program.shared[var.index()].sort;
        let mut ranks = SmallVec::new();
        for key in keys {
            let Sort::Array(of, element) = sort else { unreachable!("only arrays are indexed") };
            match self.scalar(key) {
                Ok(value) => match instance.key_rank(of, value, key.span) {
                    Ok(rank) => ranks.push(rank),
                    Err(NoValue::Fault(..)) => return Ok(None),
                    Err(gap) => return Err(gap),
                },
                Err(NoValue::Fault(..)) => return Ok(None),
                Err(gap) => return Err(gap),
            }
            sort = element;
        }
        Ok(Some(ranks))
    }

    fn truth(&mut self, e: &Expr) -> Result<Option<bool>, NoValue> {
        match self.holds(e) {
            Ok(truth) => Ok(Some(truth)),
            Err(NoValue::Fault(..)) => Ok(None),
            Err(gap) => Err(gap),
        }
    }
}

impl Instance {
    /// Adds what touching these shows to the signs that tell elements apart.
    pub(crate) fn observe(&self, touched: &[Touch], atomic: bool, shown: &mut Observations) {
        for (property, pattern) in self.program.patterns() {
            for (sign, number) in pattern.signs().iter().zip(0..).filter(|(sign, _)| sign.region().depth > 0) {
                let region = sign.region();
                if atomic && region.plain {
                    continue;
                }
                let counts = |touch: &&Touch| region.vars.contains(&touch.var) && sign.is_shown_by_access(touch.writes);
                for touch in touched.iter().filter(counts) {
                    if let Some((first, last)) = self.elements(region, touch) {
                        shown.add(Observation { property, sign: number, first, last });
                    }
                }
            }
        }
    }

    /// The first and the last of the region's elements that are touched, if there are any.
    fn elements(&self, region: &Region, touch: &Touch) -> Option<(u32, u32)> {
        let (mut first, mut count) = (0, 1);
        for (level, keys) in self.keys_of(region).into_iter().enumerate() {
            first *= keys.1;
            match touch.keys.get(level) {
                Some(rank) => first += rank,
                None => count *= keys.1,
            }
        }
        (count > 0).then(|| (first as u32, (first + count - 1) as u32))
    }

    /// The sorts of the keys that tell the elements of a region apart, and how many keys there are of each.
    fn keys_of<'a>(&'a self, region: &Region) -> Vec<(&'a Sort, usize)> {
        let mut sort = &self.program.shared[region.vars[0].index()].sort;
        let mut keys = Vec::new();
        for _ in 0..region.depth {
            let Sort::Array(key, element) = sort else { unreachable!("regions are as deep as their arrays") };
            keys.push((&**key, self.keys(key)));
            sort = element;
        }
        keys
    }

    /// The keys of an element of a region: for each its sort and its value.
    pub fn keys_of_element<'a>(&'a self, region: &Region, element: u32) -> Vec<(&'a Sort, i64)> {
        let mut rest = element as usize;
        let mut keys: Vec<(&Sort, i64)> = Vec::new();
        for (sort, count) in self.keys_of(region).into_iter().rev() {
            keys.push((sort, self.unrank(sort, rest % count)));
            rest /= count;
        }
        keys.reverse();
        keys
    }

    /// What is shown when the threads have other names.
    pub fn rename_shown(&self, shown: &Observations, image: &dyn Fn(i64) -> i64) -> Observations {
        let mut renamed = Observations::default();
        for observation in shown.iter() {
            let region = match self.program.observed(observation) {
                Pattern::Signs(signs) => signs[observation.sign as usize].region(),
                Pattern::Deadlock | Pattern::LockCycle => {
                    self.rename_waiting(observation, image).for_each(|observation| renamed.add(observation));
                    continue;
                }
            };
            if !self.keys_of(region).iter().any(|(sort, _)| **sort == Sort::Tid) {
                renamed.add(observation);
                continue;
            }
            for element in observation.first..=observation.last {
                let mut number = 0;
                for ((sort, value), (_, count)) in
                    self.keys_of_element(region, element).into_iter().zip(self.keys_of(region))
                {
                    let value = if *sort == Sort::Tid { image(value) } else { value };
                    number = number * count + self.rank(sort, value).expect("names of threads are names of threads");
                }
                renamed.add(Observation { first: number as u32, last: number as u32, ..observation });
            }
        }
        renamed
    }
}

impl Sign {
    /// Whether an access of its region shows it.
    fn is_shown_by_access(&self, writes: bool) -> bool {
        match self {
            Sign::Accesses(_) => true,
            Sign::Writes(_) => writes,
        }
    }
}
