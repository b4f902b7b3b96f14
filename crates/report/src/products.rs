//! Proofs by unions of products, laid out for people.

use crate::human::Layout;
use crate::invariant::{ProductText, invariant_text};
use crate::list::{wrap, wrap_words};
use crate::numbers::show_count;
use crate::style::Tone;
use std::sync::Arc;
use threadwise_evidence::CartesianProof;
use threadwise_ir::Program;

/// Without `-v` no more products than this are shown,
const MAX_PRODUCTS: usize = 16;
/// and of each no more components.
const MAX_COMPONENTS: usize = 12;

/// Which local states go together.
pub(crate) fn render_products(program: &Arc<Program>, proof: &CartesianProof, layout: &Layout) -> String {
    let most = |usually: usize| if layout.whole { usize::MAX } else { usually };
    let text = invariant_text(program, proof, most(MAX_PRODUCTS), usize::MAX);
    let palette = layout.palette();
    let mut out = String::new();
    for line in preamble(proof) {
        let lines = wrap_words(line, layout.width.map(|width| width.saturating_sub(2).max(20)));
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    for store in &text.stores {
        out.push_str(&format!("\n  {}\n", store.shared));
        for product in &store.products {
            let room = layout.width.map(|width| width.saturating_sub(6).max(30));
            let lines = wrap(&components(product, most(MAX_COMPONENTS)), room).join("\n      ");
            let mark = if product.exception { palette.paint(Tone::Quiet, "exception: ") } else { String::new() };
            out.push_str(&format!("    {mark}{lines}\n"));
        }
    }
    if text.left_out > 0 {
        let more = format!("{} more products; -v shows all", show_count(text.left_out));
        out.push_str(&format!("\n  {}\n", palette.paint(Tone::Quiet, more)));
    }
    out
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
    let mut items: Vec<String> = shown.map(|part| format!("{}{}", part.threads, part.states)).collect();
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
