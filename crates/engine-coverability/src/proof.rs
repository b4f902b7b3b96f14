//! What has been found, as a proof.

use crate::backward::Backward;
use crate::forward::Forward;
use threadwise_evidence::{Bounded, Core, CoverabilityProof};
use threadwise_ir::{Store, TemplateId};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::Interner;

/// The cores with what may be in their crowds, without what leads to an error.
pub(crate) fn proof(
    forward: &mut Forward<'_>,
    backward: &Backward,
    budget: &Budget,
) -> Result<CoverabilityProof, Limit> {
    // Only canonical stores are those of a core: they get new numbers.
    let mut stores: Vec<u32> = (0..forward.core_count() as u32).map(|core| forward.spot(core).shared).collect();
    stores.sort_unstable();
    stores.dedup();
    let number = |shared: u32| stores.binary_search(&shared).expect("each core has a store") as u32;
    let mut cores = Vec::new();
    for core in 0..forward.core_count() as u32 {
        budget.check()?;
        let spot = forward.spot(core);
        let mut crowd: Vec<((TemplateId, u32), u32)> =
            forward.crowds[core as usize].iter().map(|member| (forward.members[member as usize], member)).collect();
        crowd.sort_unstable();
        let index_of = |member: &u32| {
            let what = forward.members[*member as usize];
            crowd.binary_search_by_key(&what, |(what, _)| *what).expect("it may be in the crowd") as u32
        };
        let excluded = backward.excluded(core).into_iter().map(|members| {
            let mut indices: Vec<u32> = members.iter().map(index_of).collect();
            indices.sort_unstable();
            indices
        });
        cores.push(Core {
            shared: number(spot.shared),
            threads: spot.locals.to_vec(),
            excluded: excluded.collect(),
            crowd: crowd.iter().map(|(what, _)| *what).collect(),
        });
    }
    let bounded = backward.bounds.iter().map(|bounds| {
        let mut members: Vec<(TemplateId, u32)> =
            bounds.members.iter().map(|member| forward.members[member as usize]).collect();
        members.sort_unstable();
        Bounded { members, most: bounds.most.clone() }
    });
    let bounded = bounded.collect();
    let all = |interner: &Interner| (0..interner.len() as u32).map(|id| Store::from(interner.get(id))).collect();
    Ok(CoverabilityProof {
        copies: forward.frame.copies.clone(),
        shared: stores.iter().map(|&shared| forward.tables.shared.get(shared).into()).collect(),
        locals: forward.tables.locals.iter().map(all).collect(),
        cores,
        bounded,
    })
}
