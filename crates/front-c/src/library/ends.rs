//! What is done before the process ends: `atexit`.

use crate::elaborate::{Elaborator, EntityId};
use threadwise_memory::code::{Callee, InstructionKind};
use threadwise_source::Span;

impl Elaborator<'_> {
    /// The function that calls what `atexit` was told, in programs that have it.
    fn handlers(&self) -> Option<EntityId> {
        self.linked.get("__run_handlers").copied().filter(|entity| self.has_body(*entity))
    }

    pub fn run_handlers(&mut self, span: Span) {
        if let Some(entity) = self.handlers() {
            let callee = Callee::Function(self.function_id(entity));
            self.body.emit(InstructionKind::Call { callee, args: Vec::new(), result: None }, span);
        }
    }

    /// Whether the end of the function that is read now is that of the process, and something happens then.
    pub fn runs_handlers_after_main(&self) -> bool {
        &*self.function_name == "main" && self.handlers().is_some()
    }

    pub fn run_handlers_after_main(&mut self, span: Span) {
        if self.runs_handlers_after_main() {
            self.run_handlers(span);
        }
    }
}
