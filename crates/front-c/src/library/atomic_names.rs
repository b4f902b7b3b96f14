//! The names of atomic operations: those of C11, of compilers today, and of compilers before.

/// What an atomic operation does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Gives the value.
    Load,
    /// Puts the value where the second argument points to.
    LoadInto,
    Store,
    /// Stores what the second argument points to.
    StoreFrom,
    Exchange,
    ExchangeFrom,
    /// Compares with what the second argument points to, which gets the value where it is another one.
    CompareExchange {
        weak: bool,
    },
    /// The same, and the new value is pointed to, too.
    CompareExchangeFrom,
    /// Compares with a value.
    CompareAndSwap {
        gives_old: bool,
    },
    Update {
        operator: Update,
        gives_old: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    /// Whether operations are free of locks: they are.
    IsFree,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Update {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
}

/// The operation of a function, and how many arguments come before flags and orders.
pub fn operation(name: &str) -> Option<(Operation, usize)> {
    if let Some(name) = name.strip_prefix("__sync_") {
        return sync_operation(name);
    }
    let (name, is_builtin) = match (name.strip_prefix("__atomic_"), name.strip_prefix("__c11_atomic_")) {
        (Some(name), _) => (name, true),
        (_, Some(name)) => (name, false),
        _ => (name.strip_prefix("atomic_")?, false),
    };
    let name = name.strip_suffix("_explicit").unwrap_or(name);
    if is_builtin {
        return builtin_operation(name);
    }
    Some(match name {
        "load" => (Operation::Load, 1),
        "store" | "init" => (Operation::Store, 2),
        "exchange" => (Operation::Exchange, 2),
        "compare_exchange_strong" => (Operation::CompareExchange { weak: false }, 3),
        "compare_exchange_weak" => (Operation::CompareExchange { weak: true }, 3),
        "flag_test_and_set" => (Operation::TestAndSet, 1),
        "flag_clear" => (Operation::Clear, 1),
        "thread_fence" | "signal_fence" => (Operation::Fence, 0),
        "is_lock_free" => (Operation::IsFree, 0),
        _ => (updated(name.strip_prefix("fetch_")?, true)?, 2),
    })
}

fn builtin_operation(name: &str) -> Option<(Operation, usize)> {
    Some(match name {
        "load_n" => (Operation::Load, 1),
        "load" => (Operation::LoadInto, 2),
        "store_n" => (Operation::Store, 2),
        "store" => (Operation::StoreFrom, 2),
        "exchange_n" => (Operation::Exchange, 2),
        "exchange" => (Operation::ExchangeFrom, 3),
        "compare_exchange_n" => (Operation::CompareExchange { weak: false }, 3),
        "compare_exchange" => (Operation::CompareExchangeFrom, 3),
        "test_and_set" => (Operation::TestAndSet, 1),
        "clear" => (Operation::Clear, 1),
        "thread_fence" | "signal_fence" => (Operation::Fence, 0),
        "always_lock_free" | "is_lock_free" => (Operation::IsFree, 0),
        _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(update), _) => (updated(update, true)?, 2),
            (_, Some(update)) => (updated(update, false)?, 2),
            _ => return None,
        },
    })
}

fn sync_operation(name: &str) -> Option<(Operation, usize)> {
    Some(match name {
        "bool_compare_and_swap" => (Operation::CompareAndSwap { gives_old: false }, 3),
        "val_compare_and_swap" => (Operation::CompareAndSwap { gives_old: true }, 3),
        "lock_test_and_set" => (Operation::Exchange, 2),
        "lock_release" => (Operation::Clear, 1),
        "synchronize" => (Operation::Fence, 0),
        _ => match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
            (Some(update), _) => (updated(update, true)?, 2),
            (_, Some(update)) => (updated(update, false)?, 2),
            _ => return None,
        },
    })
}

fn updated(name: &str, gives_old: bool) -> Option<Operation> {
    let operator = match name {
        "add" => Update::Add,
        "sub" => Update::Sub,
        "and" => Update::And,
        "or" => Update::Or,
        "xor" => Update::Xor,
        "nand" => Update::Nand,
        _ => return None,
    };
    Some(Operation::Update { operator, gives_old })
}
