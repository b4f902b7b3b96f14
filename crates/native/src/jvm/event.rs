//! What a thread on the virtual machine is about to do, as the director says it, and how it stands with the thread.

/// What is about to happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Read,
    Write,
    /// A method of the library.
    Call,
    /// The rest of such a method, which had to wait: for a notification.
    Wake,
    /// The same, for others at a barrier.
    Pass,
    Enter,
    Exit,
    Start,
    Join,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// The number of the object, zero for none.
    pub(crate) object: u32,
    /// A field, an element in brackets, or a method.
    pub(crate) name: String,
    /// It is no volatile field.
    pub(crate) is_plain: bool,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// How it stands with a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Real {
    Pending(Event),
    /// Nobody has notified it.
    Waiting(Event),
    Blocked,
    Ended,
    /// An exception that nobody caught has ended it.
    Failed {
        class: String,
        is_assertion: bool,
    },
}

impl Real {
    /// From a line of the director: words with tabs between them, the first of which is the number of the thread.
    pub(crate) fn of_line(line: &str) -> Option<Real> {
        let words: Vec<&str> = line.split('\t').collect();
        let word = |number: usize| words.get(number).copied().unwrap_or("");
        Some(match word(1) {
            "pending" => Real::Pending(Event::of_words(&words[2..])?),
            "waiting" => Real::Waiting(Event::of_words(&words[2..])?),
            "blocked" => Real::Blocked,
            "ended" => Real::Ended,
            "failed" => Real::Failed { class: word(2).to_string(), is_assertion: word(3) == "assertion" },
            _ => return None,
        })
    }

    pub(crate) fn pending(&self) -> Option<&Event> {
        if let Real::Pending(event) = self { Some(event) } else { None }
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self, Real::Ended | Real::Failed { .. })
    }
}

impl Event {
    fn of_words(words: &[&str]) -> Option<Event> {
        let [kind, object, name, plain, file, line] = words else { return None };
        let kind = match *kind {
            "READ" => Kind::Read,
            "WRITE" => Kind::Write,
            "CALL" => Kind::Call,
            "WAKE" => Kind::Wake,
            "PASS" => Kind::Pass,
            "ENTER" => Kind::Enter,
            "EXIT" => Kind::Exit,
            "START" => Kind::Start,
            "JOIN" => Kind::Join,
            _ => return None,
        };
        let (object, line) = (object.parse().ok()?, line.parse().ok()?);
        Some(Event { kind, object, name: name.to_string(), is_plain: *plain == "plain", file: file.to_string(), line })
    }

    pub(crate) fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write)
    }

    pub(crate) fn races_with(&self, other: &Event) -> bool {
        let writes = self.kind == Kind::Write || other.kind == Kind::Write;
        let is_same = (self.object, &self.name) == (other.object, &other.name);
        self.is_access() && other.is_access() && self.is_plain && other.is_plain && is_same && writes
    }

    /// The name of the field alone; nothing for elements.
    pub(crate) fn field(&self) -> &str {
        field_of(&self.name)
    }

    pub(crate) fn said(&self) -> String {
        let name = self.name.trim_start_matches('.');
        let what = match self.kind {
            Kind::Read => format!("read {name}"),
            Kind::Write => format!("write {name}"),
            Kind::Call => format!("call {name}"),
            Kind::Wake | Kind::Pass => format!("go on after {name}"),
            Kind::Enter => "take a monitor".to_string(),
            Kind::Exit => "give a monitor back".to_string(),
            Kind::Start => "start a thread".to_string(),
            Kind::Join => "wait for the end of a thread".to_string(),
        };
        format!("about to {what} in {}:{}", self.file, self.line)
    }
}

/// The name of a field behind that of its object or class.
pub(crate) fn field_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_director_are_read() {
        let line = "1\tpending\tREAD\t0\tLostUpdate.counter\tplain\tLostUpdate.java\t11";
        let real = Real::of_line(line).expect("a line");
        let read = real.pending().expect("a thread that can go on").clone();
        assert_eq!((read.field(), read.line), ("counter", 11));
        let write = Event { kind: Kind::Write, ..read.clone() };
        assert!(read.races_with(&write) && !read.races_with(&read));
        assert!(!write.races_with(&Event { object: 3, ..read.clone() }));
        assert!(!write.races_with(&Event { is_plain: false, ..read }));
        let failed = Real::of_line("0\tfailed\tjava.lang.AssertionError\tassertion");
        assert!(matches!(failed, Some(Real::Failed { is_assertion: true, .. })));
        assert_eq!(Real::of_line("what"), None);
    }
}
