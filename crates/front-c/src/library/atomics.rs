//! Atomic operations.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::values::Value;

impl<'a> Elaborator<'a> {
    pub fn atomic_call(&mut self, _call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        Ok(None)
    }
}
