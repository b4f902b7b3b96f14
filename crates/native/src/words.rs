//! What happens in the process, in words for people. Addresses are not told, since they differ from run to run.

use crate::Trouble;
use crate::drive::{Driver, line_of};
use crate::event::Event;
use crate::plan::{Deed, DeedKind};

impl Driver<'_> {
    /// The name of a thread of the process: that of the trace, if it has one.
    fn name(&self, real: usize) -> String {
        let known = self.of_trace.iter().find(|(_, other)| **other == real);
        let name = known.and_then(|(thread, _)| self.names.get(thread.index()));
        name.map_or_else(|| format!("thread {}", real + 1), |name| format!("`{name}`"))
    }

    /// What a thread is about to do.
    pub(crate) fn said(&self, event: &Event) -> String {
        format!("{} {}", self.name(event.thread), self.doing(event))
    }

    /// The same without the thread.
    pub(crate) fn doing(&self, event: &Event) -> String {
        let object = self.places.object_at(event.address);
        let what = match object {
            Some((key, _)) => format!("`{}`", self.places.atlas.objects[key.0].name),
            None if event.address == 0 => "null".to_string(),
            None => "something that the trace does not know".to_string(),
        };
        event.words(&what)
    }

    /// The process is about to do something else than the trace says.
    pub(crate) fn differs(&self, event: &Event, deed: &Deed) -> Trouble {
        let what = match &deed.kind {
            DeedKind::Access { part, writes, of_library, .. } => {
                let part = &self.places.atlas.parts[*part];
                let name = &self.places.atlas.objects[part.object].name;
                let verb = match (of_library, writes) {
                    (true, _) => "it calls the library for",
                    (false, true) => "it stores in",
                    (false, false) => "it loads from",
                };
                format!("{verb} `{name}`")
            }
            DeedKind::Allocate(_) => "it asks for memory".to_string(),
            DeedKind::Free(_) => "it frees something".to_string(),
            DeedKind::Create(_) => "it creates a thread".to_string(),
            DeedKind::Start => "it starts".to_string(),
            DeedKind::End => "it ends".to_string(),
            DeedKind::Join => "it joins a thread".to_string(),
            DeedKind::Any(_) => "it gets an input".to_string(),
        };
        let line = line_of(self.binary, event.place).map_or(String::new(), |line| format!(" in line {line}"));
        let (said, place) = (self.said(event), self.source.locate(deed.span));
        Trouble::Differs(format!("in the compiled program {said}{line}, while in the trace {what} at {place}"))
    }
}
