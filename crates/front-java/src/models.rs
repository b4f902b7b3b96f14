//! Classes of the library that are known: how they are related, and what is kept of their objects.

use crate::types::LONG;
use threadwise_memory::code::{INT, Object, Type};

/// A class of the library.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) parent: &'static str,
    pub(crate) interfaces: &'static [&'static str],
    pub(crate) fields: &'static [(&'static str, Type)],
}

const OBJECT: &str = "java/lang/Object";

const fn model(name: &'static str, parent: &'static str) -> Model {
    Model { name, parent, interfaces: &[], fields: &[] }
}

const fn with(name: &'static str, fields: &'static [(&'static str, Type)]) -> Model {
    Model { name, parent: OBJECT, interfaces: &[], fields }
}

const HANDLE: Type = Type::Library(Object::Thread, 8);
const READERS: Type = Type::Library(Object::ThreadSet, 16);

/// Of what every object has in front of its fields.
pub(crate) const MONITOR: Type = Type::Library(Object::Monitor, 16);
pub(crate) const WAITING: Type = Type::Library(Object::ThreadSet, 16);

pub(crate) static MODELS: &[Model] = &[
    Model { name: OBJECT, parent: "", interfaces: &[], fields: &[] },
    Model {
        name: "java/lang/Thread",
        parent: OBJECT,
        interfaces: &["java/lang/Runnable"],
        fields: &[("target", Type::Pointer), ("started", INT), ("handle", HANDLE)],
    },
    Model { name: "java/lang/Enum", parent: OBJECT, interfaces: &[], fields: &[("ordinal", INT)] },
    model("java/lang/String", OBJECT),
    model("java/lang/Class", OBJECT),
    model("java/lang/Record", OBJECT),
    // What can be thrown.
    model("java/lang/Throwable", OBJECT),
    model("java/lang/Exception", "java/lang/Throwable"),
    model("java/lang/Error", "java/lang/Throwable"),
    model("java/lang/AssertionError", "java/lang/Error"),
    // What a switch over an enum throws if there is another constant.
    model("java/lang/IncompatibleClassChangeError", "java/lang/Error"),
    model("java/lang/MatchException", "java/lang/RuntimeException"),
    model("java/lang/RuntimeException", "java/lang/Exception"),
    model("java/lang/InterruptedException", "java/lang/Exception"),
    model("java/lang/CloneNotSupportedException", "java/lang/Exception"),
    model("java/lang/NullPointerException", "java/lang/RuntimeException"),
    model("java/lang/ArithmeticException", "java/lang/RuntimeException"),
    model("java/lang/ClassCastException", "java/lang/RuntimeException"),
    model("java/lang/ArrayStoreException", "java/lang/RuntimeException"),
    model("java/lang/NegativeArraySizeException", "java/lang/RuntimeException"),
    model("java/lang/IndexOutOfBoundsException", "java/lang/RuntimeException"),
    model("java/lang/ArrayIndexOutOfBoundsException", "java/lang/IndexOutOfBoundsException"),
    model("java/lang/IllegalStateException", "java/lang/RuntimeException"),
    model("java/lang/UnsupportedOperationException", "java/lang/RuntimeException"),
    model("java/lang/IllegalArgumentException", "java/lang/RuntimeException"),
    model("java/util/concurrent/RejectedExecutionException", "java/lang/RuntimeException"),
    model("java/lang/IllegalThreadStateException", "java/lang/IllegalArgumentException"),
    model("java/lang/IllegalMonitorStateException", "java/lang/RuntimeException"),
    model("java/util/concurrent/BrokenBarrierException", "java/lang/Exception"),
    model("java/util/concurrent/TimeoutException", "java/lang/Exception"),
    model("java/util/concurrent/ExecutionException", "java/lang/Exception"),
    // Boxes around numbers.
    with("java/lang/Integer", &[("value", INT)]),
    with("java/lang/Long", &[("value", LONG)]),
    with("java/lang/Boolean", &[("value", INT)]),
    // Atomic variables.
    with("java/util/concurrent/atomic/AtomicInteger", &[("value", INT)]),
    with("java/util/concurrent/atomic/AtomicLong", &[("value", LONG)]),
    with("java/util/concurrent/atomic/AtomicBoolean", &[("value", INT)]),
    with("java/util/concurrent/atomic/AtomicReference", &[("value", Type::Pointer)]),
    // Locks.
    Model {
        name: "java/util/concurrent/locks/ReentrantLock",
        parent: OBJECT,
        interfaces: &["java/util/concurrent/locks/Lock"],
        fields: &[("lock", MONITOR)],
    },
    with("java/util/concurrent/locks/Condition", &[("lock", Type::Pointer), ("waiting", WAITING)]),
    Model {
        name: "java/util/concurrent/locks/ReentrantReadWriteLock",
        parent: OBJECT,
        interfaces: &["java/util/concurrent/locks/ReadWriteLock"],
        fields: &[("lock", MONITOR), ("readers", READERS), ("reading", Type::Pointer), ("writing", Type::Pointer)],
    },
    Model {
        name: "java/util/concurrent/locks/ReentrantReadWriteLock$ReadLock",
        parent: OBJECT,
        interfaces: &["java/util/concurrent/locks/Lock"],
        fields: &[("of", Type::Pointer)],
    },
    Model {
        name: "java/util/concurrent/locks/ReentrantReadWriteLock$WriteLock",
        parent: OBJECT,
        interfaces: &["java/util/concurrent/locks/Lock"],
        fields: &[("of", Type::Pointer)],
    },
    // What threads wait for each other with.
    with("java/util/concurrent/Semaphore", &[("permits", INT)]),
    with("java/util/concurrent/CountDownLatch", &[("count", INT)]),
    with(
        "java/util/concurrent/CyclicBarrier",
        &[("parties", INT), ("missing", INT), ("round", INT), ("action", Type::Pointer), ("broken", INT)],
    ),
];

pub(crate) fn find(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

/// Classes of boxes: whether two of them are one object is not known where they are made again for the same number.
pub(crate) fn is_box(name: &str) -> bool {
    matches!(name, "java/lang/Integer" | "java/lang/Long" | "java/lang/Boolean")
}

/// Classes whose objects are texts or take texts: nothing of them matters, and nothing is kept.
pub(crate) fn is_opaque(name: &str) -> bool {
    matches!(
        name,
        "java/lang/String"
            | "java/lang/StringBuilder"
            | "java/lang/StringBuffer"
            | "java/io/PrintStream"
            | "java/lang/CharSequence"
    )
}

/// An exception that operations throw by themselves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Implicit {
    Null,
    Bounds,
    Division,
    Cast,
    ArrayStore,
    NegativeSize,
    MonitorState,
    ThreadState,
    Argument,
}

impl Implicit {
    pub(crate) const ALL: [Implicit; 9] = [
        Implicit::Null,
        Implicit::Bounds,
        Implicit::Division,
        Implicit::Cast,
        Implicit::ArrayStore,
        Implicit::NegativeSize,
        Implicit::MonitorState,
        Implicit::ThreadState,
        Implicit::Argument,
    ];

    pub(crate) fn class(self) -> &'static str {
        match self {
            Implicit::Null => "java/lang/NullPointerException",
            Implicit::Bounds => "java/lang/ArrayIndexOutOfBoundsException",
            Implicit::Division => "java/lang/ArithmeticException",
            Implicit::Cast => "java/lang/ClassCastException",
            Implicit::ArrayStore => "java/lang/ArrayStoreException",
            Implicit::NegativeSize => "java/lang/NegativeArraySizeException",
            Implicit::MonitorState => "java/lang/IllegalMonitorStateException",
            Implicit::ThreadState => "java/lang/IllegalThreadStateException",
            Implicit::Argument => "java/lang/IllegalArgumentException",
        }
    }
}
