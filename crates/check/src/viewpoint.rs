//! Shared stores as a thread sees them.
//!
//! The proof speaks of the first copy of each thread and means, with each store, those that differ
//! from it by a permutation of the other copies. What it says of another copy is what it says of the
//! first, with names permuted so that the other copy becomes the first.
//!
//! So to look a store up, the thread whose state it is becomes the first of its copies, and the
//! other copies of every thread are put in the order of their profiles, which tell how the store
//! refers to them. What results is some permutation of the store that makes the thread the first
//! copy, whatever else can be said of it. If two stores that differ by a permutation did not come
//! out the same, a proof could be refused wrongly, but never accepted wrongly.
//!
//! All copies of a thread may be permuted here. The caller has made sure of it.

use crate::desk::Desk;

impl Desk<'_> {
    /// The store as the thread sees it.
    pub(crate) fn view(&mut self, thread: usize, shared: u32) -> u32 {
        if self.all_single {
            return shared;
        }
        let key = (thread as u32, shared);
        if let Some(&view) = self.views.get(&key) {
            return view;
        }
        let words = self.stores.words(shared);
        let mut order: Vec<usize> = (0..self.instance.threads.len()).collect();
        for template in 0..self.instance.program.templates.len() {
            let copies = self.instance.copies_of(threadwise_ir::TemplateId(template as u32));
            if copies.len() > 1 {
                let rank = |&copy: &usize| {
                    (copy != thread, (copy != thread).then(|| self.instance.profile(words, copy as i64 + 1)))
                };
                order[copies].sort_by_cached_key(rank);
            }
        }
        let view = if order.is_sorted() { shared } else { self.stores.number(&self.reordered(shared, &order)) };
        self.views.insert(key, view);
        view
    }

    /// For each thread whether it is like the one before it: swapping the two leaves the store as it
    /// is. So what one can do, the other can do, with the same outcome up to that permutation.
    /// The thread `fixed` must not be swapped; it is like no other.
    pub(crate) fn like_the_one_before(&self, shared: u32, fixed: Option<usize>) -> Vec<bool> {
        let mut like = vec![false; self.instance.threads.len()];
        for thread in 1..like.len() {
            let same_template = self.instance.threads[thread].template == self.instance.threads[thread - 1].template;
            if same_template && fixed != Some(thread) && fixed != Some(thread - 1) {
                let mut order: Vec<usize> = (0..like.len()).collect();
                order.swap(thread - 1, thread);
                like[thread] = *self.reordered(shared, &order) == *self.stores.words(shared);
            }
        }
        like
    }

    /// The store with names permuted: `order[i]` is the thread that becomes thread `i`.
    fn reordered(&self, shared: u32, order: &[usize]) -> Vec<i64> {
        // Identities count from 1, and `none`, which is 0, stays.
        let mut image = vec![0; 1 + order.len()];
        for (new, &old) in order.iter().enumerate() {
            image[1 + old] = 1 + new as i64;
        }
        self.instance.rename(self.stores.words(shared), &|tid| image[tid as usize])
    }
}
