//! Proofs by unions of products, laid out for people.

use crate::formula::conjunction;
use crate::human::Layout;
use crate::invariant::{InvariantText, ProductText, invariant_text};
use crate::list::{wrap, wrap_words};
use crate::numbers::show_count;
use crate::screen::{MAX_LINES, cut_formula, lines_on_screen, wrap_formula};
use crate::style::Tone;
use std::sync::Arc;
use threadwise_evidence::CartesianProof;
use threadwise_ir::Program;

/// Without `-v` no more products than this are shown,
const MAX_PRODUCTS: usize = 24;
/// of each no more components,
const MAX_COMPONENTS: usize = 12;
/// and no longer formulas.
const MAX_LENGTH: usize = 320;

/// Which local states go together.
pub(crate) fn render_products(program: &Arc<Program>, proof: &CartesianProof, layout: &Layout) -> String {
    let most = |usually: usize| if layout.whole { usize::MAX } else { usually };
    let text = invariant_text(program, proof, most(MAX_PRODUCTS), usize::MAX);
    let room = |indent: usize| layout.width.map(|width| width.saturating_sub(indent).max(30));
    let mut out = String::new();
    for line in preamble(proof) {
        wrap_words(line, room(2)).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    out.push_str(&always(&text, layout));
    let mut writer = Writer { layout, is_cut: false };
    let (mut left_out, mut is_first) = (text.left_out, true);
    for store in &text.stores {
        let own = store.conjuncts.iter().filter(|conjunct| !text.common.contains(conjunct)).cloned();
        let shared = writer.cut(&conjunction(&own.collect::<Vec<_>>()));
        let mut heading = format!("\n  {}\n", wrap_formula(&shared, room(2)).join("\n  "));
        for product in &store.products {
            let more = format!("{heading}{}", writer.product(product));
            // What does not fit a screen or two is left out, but for the first.
            let is_full = lines_on_screen(&out, layout) + lines_on_screen(&more, layout) + 2 > MAX_LINES;
            if !layout.whole && !is_first && (is_full || left_out > text.left_out) {
                left_out += 1;
                continue;
            }
            is_first = false;
            heading.clear();
            out.push_str(&more);
        }
    }
    if let Some(line) = left_out_line(left_out, writer.is_cut) {
        out.push_str(&format!("\n  {}\n", layout.palette().paint(Tone::Quiet, line)));
    }
    out
}

/// What is said once and not of each product.
fn always(text: &InvariantText, layout: &Layout) -> String {
    let shared = (!text.common.is_empty()).then(|| conjunction(&text.common));
    let of_thread = |(thread, common): &(String, Vec<String>)| format!("{thread} with {}", conjunction(common));
    let facts: Vec<String> = shared.into_iter().chain(text.of_threads.iter().map(of_thread)).collect();
    let room = layout.width.map(|width| width.saturating_sub(10).max(30));
    let mut out = String::new();
    for (index, fact) in facts.iter().enumerate() {
        let name = if index == 0 { "always" } else { "" };
        let lines = wrap_formula(fact, room).join("\n          ");
        let start = if index == 0 { "\n" } else { "" };
        out.push_str(&format!("{start}  {}  {lines}\n", layout.palette().padded(Tone::Quiet, name, 6)));
    }
    out
}

/// `3 more products, what … stands for; -v shows all`
fn left_out_line(products: u64, is_cut: bool) -> Option<String> {
    let products = match products {
        0 => None,
        1 => Some("1 more product".to_string()),
        n => Some(format!("{} more products", show_count(n))),
    };
    let cut = is_cut.then(|| "what … stands for".to_string());
    let parts: Vec<String> = products.into_iter().chain(cut).collect();
    (!parts.is_empty()).then(|| format!("{}; -v shows all", parts.join(", ")))
}

struct Writer<'a> {
    layout: &'a Layout,
    is_cut: bool,
}

impl Writer<'_> {
    fn product(&mut self, product: &ProductText) -> String {
        let most = if self.layout.whole { usize::MAX } else { MAX_COMPONENTS };
        let room = self.layout.width.map(|width| width.saturating_sub(6).max(30));
        let components: Vec<String> = components(product, most).iter().map(|text| self.cut(text)).collect();
        let lines = wrap(&components, room);
        let lines: Vec<String> = lines.iter().flat_map(|line| wrap_formula(line, room)).collect();
        let exception = self.layout.palette().paint(Tone::Quiet, "exception: ");
        let mark = if product.exception { exception } else { String::new() };
        format!("    {mark}{}\n", lines.join("\n      "))
    }

    fn cut(&mut self, formula: &str) -> String {
        let (text, is_cut) = cut_formula(formula, if self.layout.whole { usize::MAX } else { MAX_LENGTH });
        self.is_cut |= is_cut;
        text
    }
}

/// What the products mean.
fn preamble(proof: &CartesianProof) -> Vec<&'static str> {
    let mut lines = vec![
        "In every reachable state the shared variables have one of these values, and the threads are as one of the \
         lines below it says, in any combination:",
    ];
    if !proof.symmetric.is_empty() {
        lines.push("(`2 of W` are any two copies of W, whichever.)");
    }
    if proof.exceptions() > 0 {
        lines.push("(Exceptions were kept apart; the other lines are what came of combining threads' states freely.)");
    }
    lines
}

fn components(product: &ProductText, most: usize) -> Vec<String> {
    let shown = product.components.iter().take(most);
    let mut items: Vec<String> = shown.map(|part| format!("{}{}", part.threads, part.own)).collect();
    let left_out: u64 = product.components.iter().skip(most).map(|part| u64::from(part.count)).sum();
    if left_out > 0 {
        items.push(format!("… ({} more threads)", show_count(left_out)));
    }
    items
}

/// How the proof was found, in a few words.
pub(crate) fn how_products(proof: &CartesianProof) -> String {
    let (products, exceptions) = (proof.products(), proof.exceptions());
    let stores = proof.unions.iter().filter(|(_, products)| !products.is_empty()).count() as u64;
    let counted = |n: u64, noun: &str| format!("{} {noun}{}", show_count(n), if n == 1 { "" } else { "s" });
    let apart = match exceptions {
        0 => String::new(),
        1 => ", 1 of them an exception".to_string(),
        n => format!(", {} of them exceptions", show_count(n)),
    };
    let (products, stores) = (counted(products, "product"), counted(stores, "shared state"));
    format!("unions of products: {products} for {stores}{apart}; the proof has been checked")
}
