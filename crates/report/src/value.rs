//! Values part by part.

use threadwise_evidence::show_value;
use threadwise_ir::{Instance, Sort};

/// Arrays element by element, everything else whole: calls `visit` with the name, sort and words.
pub(crate) fn for_each_part<'w>(
    instance: &Instance,
    name: &str,
    sort: &Sort,
    words: &'w [i64],
    visit: &mut dyn FnMut(&str, &Sort, &'w [i64]),
) {
    let Sort::Array(key, element) = sort else {
        return visit(name, sort, words);
    };
    let size = instance.words(element).max(1);
    for (rank, chunk) in words.chunks(size).enumerate() {
        let index = show_value(instance, key, &[instance.unrank(key, rank)]);
        for_each_part(instance, &format!("{name}[{index}]"), element, chunk, visit);
    }
}
