//! Properties that say where threads are, or what their locals are.

use super::code::Code;
use super::terms::{Terms, is_located};
use crate::{CheckError, refuted};
use threadwise_ir::PropertyKind;
use threadwise_solver::Session;

/// Such properties are not judged yet: a proof of a program that has some is refused.
pub(crate) fn check(terms: &Terms<'_>, _: &mut Session, _: &[Code]) -> Result<(), CheckError> {
    let located = terms.program().properties.iter().any(|property| match &property.kind {
        PropertyKind::Invariant(_, e) | PropertyKind::Never(e) => is_located(e),
        PropertyKind::NoRace(..) => true,
    });
    if located { Err(refuted("a property says where threads are, which contracts do not")) } else { Ok(()) }
}
