//! Writes random programs to files, for other tools to look at:
//! `cargo run -p threadwise-wild --example write_programs -- DIRECTORY FIRST_SEED NUMBER`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [directory, first, number] = &args[..] else { panic!("wanted: DIRECTORY FIRST_SEED NUMBER") };
    let (first, number): (u64, u64) = (first.parse().expect("a seed"), number.parse().expect("a number"));
    for seed in first..first + number {
        std::fs::write(Path::new(directory).join(format!("{seed}.tw")), threadwise_wild::program(seed))?;
    }
    Ok(())
}
