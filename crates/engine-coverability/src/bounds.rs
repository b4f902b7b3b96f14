//! How many of certain members there can be at a time, core by core.
//!
//! Where a lock is held by one of the crowd, that is one of very many local states. That there are never two in any of these is
//! said by one set of members and a number for each core, while the pairs of them are very many. The set has the members
//! that errors are made of, and those that can become one of them again and again without anything to pay for it.

use crate::forward::{Forward, Stop, Transition};
use crate::members::MemberSet;
use crate::targets::Target;
use threadwise_limits::Budget;

/// Larger numbers are not looked for.
const MOST: u32 = 256;

/// There are no more members of a set in the crowd of a core than it says; where it says nothing, any number.
pub(crate) struct Bounds {
    pub(crate) members: MemberSet,
    pub(crate) most: Vec<Option<u32>>,
}

impl Bounds {
    /// Whether there are too many of them in a crowd of this core.
    pub(crate) fn exclude(&self, core: u32, crowd: &[u32]) -> bool {
        let within = |most: u32| crowd.iter().filter(|&&member| self.members.contains(member)).count() <= most as usize;
        self.most[core as usize].is_some_and(|most| !within(most))
    }

    /// How many more there are after a step.
    fn gain(&self, transition: &Transition) -> i64 {
        let given = transition.gives.iter().filter(|&&member| self.members.contains(member)).count();
        given as i64 - i64::from(self.takes(transition))
    }

    /// Adds those that come of members, and those that become some, by steps that cost nothing. Tells whether there are more, or
    /// nothing if copies can start as one of them.
    fn grow(&mut self, forward: &Forward<'_>, is_free: &dyn Fn(&Transition) -> bool) -> Option<bool> {
        let mut grown = false;
        for transition in forward.transitions.iter().filter(|transition| is_free(transition)) {
            if self.takes(transition) {
                for &member in &transition.gives {
                    grown |= !forward.initial_members.contains(member) && self.members.insert(member);
                }
            }
        }
        Some(self.grow_back(forward, is_free)? || grown)
    }

    /// The same for those that become members.
    fn grow_back(&mut self, forward: &Forward<'_>, is_free: &dyn Fn(&Transition) -> bool) -> Option<bool> {
        let mut grown = false;
        for transition in forward.transitions.iter().filter(|transition| is_free(transition)) {
            if self.gain(transition) > 0 {
                let member = transition.takes.filter(|&member| !forward.initial_members.contains(member))?;
                grown |= self.members.insert(member);
            }
        }
        Some(grown)
    }

    fn takes(&self, transition: &Transition) -> bool {
        transition.takes.is_some_and(|member| self.members.contains(member))
    }
}

/// The bounds for what errors are made of, if there are some.
pub(crate) fn bounds(forward: &Forward<'_>, targets: &[Target], budget: &Budget) -> Result<Option<Bounds>, Stop> {
    let mut bounds = Bounds { members: MemberSet::default(), most: Vec::new() };
    let mut count = 0;
    for &member in targets.iter().flat_map(|(_, crowd)| crowd) {
        // There may be any number of those that copies start with.
        count += usize::from(!forward.initial_members.contains(member) && bounds.members.insert(member));
    }
    if count == 0 {
        return Ok(None);
    }
    loop {
        budget.check()?;
        // What happens without a change of the core comes first: nothing else can be paid for there.
        let grown = bounds.grow(forward, &|transition| transition.from == transition.to);
        let grown = match grown {
            Some(false) => {
                let components = components(forward, &bounds);
                let is_free = |t: &Transition| components[t.from as usize] == components[t.to as usize];
                bounds.grow_back(forward, &is_free)
            }
            other => other,
        };
        match grown {
            Some(true) => {}
            Some(false) => break,
            None => return Ok(None),
        }
    }
    let is_bounded = find_most(forward, &mut bounds, budget)?;
    Ok(is_bounded.then_some(bounds))
}

/// For each core the most there can be; tells whether there is such a number.
fn find_most(forward: &Forward<'_>, bounds: &mut Bounds, budget: &Budget) -> Result<bool, Stop> {
    let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); forward.core_count()];
    for (number, transition) in forward.transitions.iter().enumerate() {
        leaving[transition.from as usize].push(number as u32);
    }
    let mut most = vec![0; forward.core_count()];
    let mut waiting: Vec<u32> = (0..forward.core_count() as u32).collect();
    while let Some(core) = waiting.pop() {
        budget.check()?;
        for &number in &leaving[core as usize] {
            let transition = &forward.transitions[number as usize];
            let here = most[core as usize];
            // Nobody is there to take it.
            if here == 0 && bounds.takes(transition) {
                continue;
            }
            let after = u32::try_from(i64::from(here) + bounds.gain(transition)).unwrap_or(0);
            if after > MOST {
                return Ok(false);
            }
            let known = &mut most[transition.to as usize];
            if *known < after {
                *known = after;
                waiting.push(transition.to);
            }
        }
    }
    bounds.most = most.into_iter().map(Some).collect();
    Ok(true)
}

/// For each core the number of its component: between two of the same one can go to and fro by steps without loss.
fn components(forward: &Forward<'_>, bounds: &Bounds) -> Vec<u32> {
    let cores = forward.core_count();
    let (mut ahead, mut back) = (vec![Vec::new(); cores], vec![Vec::new(); cores]);
    for transition in forward.transitions.iter().filter(|transition| bounds.gain(transition) >= 0) {
        if transition.from != transition.to {
            ahead[transition.from as usize].push(transition.to);
            back[transition.to as usize].push(transition.from);
        }
    }
    // Kosaraju: in the order in which a search leaves them, last first, what is found backwards is a component.
    let mut order = Vec::new();
    let mut seen = vec![false; cores];
    for root in 0..cores as u32 {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        while let Some((core, at)) = path.last_mut() {
            let next = ahead[*core as usize].get(*at).copied();
            *at += 1;
            match next {
                Some(next) if !std::mem::replace(&mut seen[next as usize], true) => path.push((next, 0)),
                Some(_) => {}
                None => {
                    order.push(*core);
                    path.pop();
                }
            }
        }
    }
    let mut component = vec![u32::MAX; cores];
    for &root in order.iter().rev() {
        let mut waiting = vec![root];
        while let Some(core) = waiting.pop() {
            if component[core as usize] == u32::MAX {
                component[core as usize] = root;
                waiting.extend(&back[core as usize]);
            }
        }
    }
    component
}
