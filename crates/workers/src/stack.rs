//! Threads for work that recurses deeply.

use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

/// Programs may nest deeply, and what walks them recurses. Address space is cheap: pages that are
/// never touched cost nothing. Where even that is limited, less has to do.
const SIZES: [usize; 3] = [512 << 20, 64 << 20, 8 << 20];

/// A thread with as large a stack as there is room for; `None` if no thread can be started at all.
pub fn on_large_stack<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<JoinHandle<T>> {
    // A thread that cannot be spawned gives its closure up, so the work waits outside.
    let work = Arc::new(Mutex::new(Some(work)));
    // Where address space is limited, the work needs the larger part of it for other things.
    let most = threadwise_limits::address_space_left().map_or(usize::MAX, |left| (left / 8) as usize);
    let smallest = SIZES[SIZES.len() - 1];
    SIZES.into_iter().filter(|&size| size <= most.max(smallest)).find_map(|size| {
        let work = work.clone();
        let take = move || {
            let work = work.lock().expect("nobody panics while holding it").take();
            work.expect("only one thread is started")()
        };
        Builder::new().name(name.to_string()).stack_size(size).spawn(take).ok()
    })
}
