//! Prints what the front end makes of C files: `cargo run -p threadwise-front-c --example print_code -- prog.c`.
//! With `--time` each file is a program of its own, and only what became of it is printed, with the time that it took.

use std::time::Instant;
use threadwise_front_c::{DataModel, Options, load};
use threadwise_source::{Severity, SourceFile};

fn main() {
    let mut options = Options::default();
    let (mut files, mut is_timed) = (Vec::new(), false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--32" => options.model = DataModel::Ilp32,
            "--time" => is_timed = true,
            name => match std::fs::read_to_string(name) {
                Ok(text) => files.push(SourceFile::new(name, text)),
                Err(error) => eprintln!("{name}: {error}"),
            },
        }
    }
    if is_timed {
        return files.into_iter().for_each(|file| time(file, &options));
    }
    let loaded = load(files, &options);
    eprintln!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    if let Some(code) = loaded.code {
        print!("{}", threadwise_memory::print::program(&code));
    }
}

fn time(file: SourceFile, options: &Options) {
    let (name, started) = (file.name().to_string(), Instant::now());
    let loaded = load(vec![file], options);
    let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
    let error = loaded.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let outcome = match error {
        Some(error) => format!("{}: {}", loaded.source.locate(error.span), error.message),
        None => "code".to_string(),
    };
    println!("{milliseconds:.1} ms\t{name}\t{outcome}");
}
