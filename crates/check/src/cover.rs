//! Whether a product is within a union of products.
//!
//! It may be so although it is within none of them. Then it is split in two along a component, and
//! each part is looked at alone, until a part is within one product of the union, or meets none of
//! them. Since the parts get smaller, that comes to an end: a part with a single tuple is within a
//! product or does not meet it. To know is as hard as to refute a formula (CART, proposition
//! 2.2.5), so this may take long; but a union that has with all parts of a product also the whole
//! (it is *maximized*, CART, section 2.2.3) needs no splitting at all.

use crate::CheckError;
use crate::block::{Block, Place};
use crate::desk::Desk;
use crate::sets::Sets;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A part of the product that is outside of all products of the union, if there is one.
pub(crate) fn outside(
    desk: &mut Desk<'_>,
    sets: &mut Sets,
    product: Block,
    union: &[Block],
) -> Result<Option<Block>, CheckError> {
    let all: Rc<[u32]> = (0..union.len() as u32).collect();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(product, all)];
    while let Some((part, candidates)) = pending.pop() {
        if !seen.insert(part.clone()) {
            continue;
        }
        let mut meeting = Vec::new();
        let mut best: Option<(u64, Option<Place>)> = None;
        for &candidate in candidates.iter() {
            desk.ask_budget()?;
            if let Some((places, first)) = part.fit(&union[candidate as usize], sets) {
                meeting.push(candidate);
                if best.is_none_or(|(fewest, _)| places < fewest) {
                    best = Some((places, first));
                }
            }
        }
        match best {
            None => return Ok(Some(part)),
            Some((_, None)) => {}
            Some((_, Some(Place { group, set, other }))) => {
                // Products that do not meet the whole do not meet its parts.
                let meeting: Rc<[u32]> = meeting.into();
                let (inside, outside) = sets.split(set, other);
                pending.push((part.with(group, set, inside), meeting.clone()));
                pending.push((part.with(group, set, outside), meeting));
            }
        }
    }
    Ok(None)
}
