//! Prints a random program: `cargo run --example random -- SEED`.
use threadwise_front_tw::printer::print;
use threadwise_oracle::{GeneratorOptions, random_case};

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let (module, explored) = random_case(seed, &GeneratorOptions::default());
    println!("{}\n// {explored:?}", print(&module));
}
