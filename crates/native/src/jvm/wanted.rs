//! What the steps of a trace do that a program on the virtual machine does too.

use crate::jvm::event::{Event, Kind, field_of};
use crate::plan::{Deed, DeedKind};
use std::path::Path;
use threadwise_ir::{Instance, ThreadId};
use threadwise_memory::Atlas;

/// Something that a thread does in the trace.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: WantedKind,
    pub(crate) file: String,
    pub(crate) line: usize,
    /// The step that it belongs to.
    pub(crate) step: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WantedKind {
    /// A field, an element, or what stands for objects of the library in the trace.
    Access {
        /// The name of the field, which is empty for elements; nothing where no other thread gets there.
        field: Option<String>,
        writes: bool,
        /// It is a monitor, or a set of threads.
        is_monitor: bool,
    },
    Create(Option<ThreadId>),
    Join,
    End,
}

/// Fields of the library's objects in the trace that its methods look at, or change.
const OF_CALLS: [&str; 8] = ["value", "permits", "count", "missing", "round", "parties", "waiting", "readers"];

/// Those that are nothing of the kind on the machine.
const OF_NOTHING: [&str; 7] = ["target", "started", "handle", "of", "reading", "writing", "action"];

impl Wanted {
    pub(crate) fn of_deed(deed: &Deed, step: usize, instance: &Instance, atlas: &Atlas) -> Option<Wanted> {
        let kind = match &deed.kind {
            DeedKind::Access { part, writes, .. } => {
                let known = &atlas.parts[*part];
                let name = known.variable.map(|id| instance.program.shared[id.index()].name.clone());
                let field = name.map(|name| field_of(&name).to_string());
                WantedKind::Access { field, writes: *writes, is_monitor: !known.ty.is_scalar() }
            }
            DeedKind::Create(thread) => WantedKind::Create(*thread),
            DeedKind::Join => WantedKind::Join,
            DeedKind::End => WantedKind::End,
            DeedKind::Start | DeedKind::Allocate(_) | DeedKind::Free(_) | DeedKind::Any(_) => return None,
        };
        let source = &instance.program.source;
        let path = Path::new(source.file_name(deed.span.start));
        let file = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        Some(Wanted { kind, file, line: source.position(deed.span.start).line as usize, step })
    }

    fn is_at(&self, event: &Event) -> bool {
        (self.line, &self.file) == (event.line, &event.file)
    }

    /// Whether it is what a thread is about to do.
    pub(crate) fn is(&self, event: &Event) -> bool {
        match (&self.kind, event.kind) {
            (WantedKind::Access { field, writes, is_monitor: false, .. }, Kind::Read | Kind::Write) => {
                let is_field = field.as_ref().is_none_or(|field| *field == event.field());
                is_field && *writes == (event.kind == Kind::Write) && self.is_at(event)
            }
            // A synchronized method that an exception leaves does so anywhere.
            (WantedKind::Access { is_monitor: true, .. }, Kind::Exit) => true,
            (WantedKind::Access { is_monitor: true, .. }, Kind::Enter) => self.is_at(event),
            (WantedKind::Access { .. }, Kind::Call | Kind::Wake | Kind::Pass) => self.is_of_call() && self.is_at(event),
            (WantedKind::Create(_), Kind::Start) | (WantedKind::Join, Kind::Join) => self.is_at(event),
            _ => false,
        }
    }

    pub(crate) fn is_of_call(&self) -> bool {
        matches!(&self.kind, WantedKind::Access { field, is_monitor, .. }
            if *is_monitor || field.as_ref().is_some_and(|field| OF_CALLS.contains(&field.as_str())))
    }

    /// Whether there is nothing of it on the machine, if it is not what a thread is about to do.
    pub(crate) fn is_own(&self) -> bool {
        let WantedKind::Access { field, is_monitor, .. } = &self.kind else { return false };
        field.as_ref().is_none_or(|field| {
            // A condition knows its lock, and a lock has one in it.
            field == "lock" && !is_monitor
                || OF_NOTHING.contains(&field.as_str())
                || field.starts_with("captured")
                || field.contains('$')
        })
    }

    /// Whether both belong to one call of the library.
    pub(crate) fn goes_with(&self, before: &Wanted) -> bool {
        self.step == before.step && (self.line, &self.file) == (before.line, &before.file) && self.is_of_call()
    }

    pub(crate) fn said(&self) -> String {
        let what = match &self.kind {
            WantedKind::Access { field, writes, .. } => {
                let field = field.as_deref().filter(|field| !field.is_empty()).unwrap_or("an element");
                format!("{} {field}", if *writes { "writes" } else { "reads" })
            }
            WantedKind::Create(_) => "starts a thread".to_string(),
            WantedKind::Join => "waits for the end of a thread".to_string(),
            WantedKind::End => "ends".to_string(),
        };
        format!("it {what} in {}:{}", self.file, self.line)
    }
}
