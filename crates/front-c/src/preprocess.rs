//! The preprocessor: the user's, or that of the compiler that is there.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use threadwise_source::{Diagnostic, SourceFile, Span};

/// How to preprocess.
#[derive(Clone, Debug, Default)]
pub struct Preprocessing {
    /// The command, with its arguments; `$CC -E` or `cc -E` if there is none.
    pub command: Option<String>,
    /// Directories for `#include`.
    pub include: Vec<String>,
    /// `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
}

/// Whether a file has to be preprocessed, by its name.
pub fn is_wanted(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "c" || extension == "h")
}

/// The preprocessed text, or what went wrong.
pub fn preprocess(file: &SourceFile, how: &Preprocessing, is_32_bit: bool) -> Result<String, Box<Diagnostic>> {
    let command = command_line(how);
    let mut words = command.split_whitespace();
    let failed = |message: String| Box::new(Diagnostic::error(Span::default(), message));
    let Some(program) = words.next() else {
        return Err(Box::new(failed("the preprocessor's command is empty".to_string()).hint("say --cpp 'cc -E'")));
    };
    let mut process = Command::new(program);
    process.args(words).args(["-x", "c"]).args(is_32_bit.then_some("-m32"));
    // Annotations are comments.
    process.args(crate::annotations::may_have(file.text()).then_some("-C"));
    process.args(how.include.iter().map(|path| format!("-I{path}")));
    process.args(how.define.iter().map(|define| format!("-D{define}")));
    // The text may have come from elsewhere than the file; includes are looked for beside the file all the same.
    let directory = Path::new(file.name()).parent().filter(|path| !path.as_os_str().is_empty());
    process.arg("-iquote").arg(directory.unwrap_or(Path::new("."))).arg("-");
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().map_err(|error| {
        let hint = "install a C compiler (on Debian: apt install gcc), say --cpp CMD, or give a preprocessed `.i` file";
        Box::new(failed(format!("the preprocessor `{command}` cannot be started: {error}")).hint(hint))
    })?;
    let input = format!("# 1 \"{}\"\n{}", file.name().replace('\\', "\\\\").replace('"', "\\\""), file.text());
    // It may stop to read early; its exit code tells what there is to tell.
    let mut stdin = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output();
    let _ = writer.join();
    let output = output.map_err(|error| failed(format!("the preprocessor `{command}` failed: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error")).unwrap_or("it does not say why").to_string();
        let hint = if is_32_bit {
            "-I DIR says where headers are; those for 32 bits are a package of their own (on Debian: apt install gcc-multilib)"
        } else {
            "-I DIR says where headers are"
        };
        return Err(Box::new(failed(format!("the preprocessor failed: {first}")).hint(hint)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command_line(how: &Preprocessing) -> String {
    match (&how.command, std::env::var("CC")) {
        (Some(command), _) => command.clone(),
        (None, Ok(compiler)) if !compiler.trim().is_empty() => format!("{compiler} -E"),
        (None, _) => "cc -E".to_string(),
    }
}

/// The user's own headers among the files that a preprocessed text names, so that they are shown as they were written.
pub fn headers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<SourceFile> {
    let own = names.filter(|name| name.ends_with(".h") && !name.starts_with("/usr/") && !name.starts_with('<'));
    own.filter_map(|name| Some(SourceFile::new(name, std::fs::read_to_string(name).ok()?))).collect()
}
