//! What a thread of the real program says it is about to do. The numbers are those of `runtime.c`.

/// What is about to happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// An atomic operation; its value tells whether it may store.
    Atomic,
    Create,
    /// The thread's function has returned.
    End,
    Join,
    /// A lock is taken that can be waited for.
    Take,
    /// A lock is taken if it is free. Whoever is told anything but zero fails.
    Try,
    /// A lock is given back.
    Give,
    /// A lock is made, or looked at.
    Touch,
    /// The first part of what takes two steps: a barrier, a call of `once`.
    Arrive,
    /// The second part.
    Pass,
    /// Memory is asked for. Whoever is told anything but zero takes that; where it was taken follows with the value 1.
    Allocate,
    Free,
    /// A value is asked for that nobody knows.
    Any,
    /// An assertion has failed.
    Fail,
    /// What the program assumes does not hold.
    Assume,
    /// The machine has stopped the thread; the value is the number of the signal.
    Crash,
    /// The process is about to end.
    Exit,
    /// The thread was told to go on where it cannot.
    Blocked,
    /// A lock is used as it must not be.
    Misuse,
    /// Signed overflow and the like.
    Overflow,
    /// No event: the bytes that were asked for.
    Data,
}

const KINDS: [Kind; 23] = [
    Kind::Read,
    Kind::Write,
    Kind::Atomic,
    Kind::Create,
    Kind::End,
    Kind::Join,
    Kind::Take,
    Kind::Try,
    Kind::Give,
    Kind::Touch,
    Kind::Arrive,
    Kind::Pass,
    Kind::Allocate,
    Kind::Free,
    Kind::Any,
    Kind::Fail,
    Kind::Assume,
    Kind::Crash,
    Kind::Exit,
    Kind::Blocked,
    Kind::Misuse,
    Kind::Overflow,
    Kind::Data,
];

/// An event of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub thread: usize,
    pub kind: Kind,
    pub address: u64,
    pub size: u64,
    /// Where in the code.
    pub place: u64,
    pub value: u64,
}

impl Event {
    pub const WORDS: usize = 6;

    pub fn of_words(words: [u64; Event::WORDS]) -> Option<Event> {
        let [thread, kind, address, size, place, value] = words;
        let kind = *KINDS.get(usize::try_from(kind).ok()?.checked_sub(1)?)?;
        Some(Event { thread: usize::try_from(thread).ok()?, kind, address, size, place, value })
    }

    /// Whether it loads or stores memory of the program.
    pub fn is_access(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Write | Kind::Atomic)
    }

    /// Whether it may store.
    pub fn writes(&self) -> bool {
        self.kind == Kind::Write || (self.kind == Kind::Atomic && self.value != 0)
    }

    /// Whether the library does something to an object of its own.
    pub fn is_of_library(&self) -> bool {
        matches!(self.kind, Kind::Take | Kind::Try | Kind::Give | Kind::Touch | Kind::Arrive | Kind::Pass)
    }

    /// Whether two threads that are about to do this race.
    pub fn races_with(&self, other: &Event) -> bool {
        let both_atomic = self.kind == Kind::Atomic && other.kind == Kind::Atomic;
        let overlap = self.address < other.address + other.size && other.address < self.address + self.size;
        // To free is to write: what is in the object is gone.
        let access = |event: &Event| event.is_access() || event.kind == Kind::Free;
        let writes = |event: &Event| event.writes() || event.kind == Kind::Free;
        let both = access(self) && access(other) && (writes(self) || writes(other));
        self.thread != other.thread && both && overlap && !both_atomic
    }
}

impl Event {
    /// What happens, in words; `what` is what it happens to.
    pub fn words(&self, what: &str) -> String {
        let size = self.size;
        match self.kind {
            Kind::Read => format!("loads {size} bytes of {what}"),
            Kind::Write => format!("stores {size} bytes of {what}"),
            Kind::Atomic => format!("does something atomic to {size} bytes of {what}"),
            Kind::Create => "creates a thread".to_string(),
            Kind::End => "ends".to_string(),
            Kind::Join => "joins a thread".to_string(),
            Kind::Take => format!("takes {what}"),
            Kind::Try => format!("tries to take {what}"),
            Kind::Give => format!("gives back {what}"),
            Kind::Touch | Kind::Arrive | Kind::Pass => format!("calls the library for {what}"),
            Kind::Allocate => "asks for memory".to_string(),
            Kind::Free => format!("frees {what}"),
            Kind::Any => "asks for an input".to_string(),
            Kind::Fail => "fails an assertion".to_string(),
            Kind::Assume => "breaks an assumption".to_string(),
            Kind::Crash => format!("is stopped by signal {}", self.value),
            Kind::Exit => "ends the process".to_string(),
            Kind::Blocked => format!("cannot go on, since {what} is not free"),
            Kind::Misuse => format!("misuses {what}"),
            Kind::Overflow => "computes what has no defined value".to_string(),
            Kind::Data => "gives bytes".to_string(),
        }
    }
}
