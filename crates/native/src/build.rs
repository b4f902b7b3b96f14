//! From C text to a program that tells what it does: the compiler is asked to call a race detector before each access, and
//! gets a runtime of ours in its place.

use crate::Trouble;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use threadwise_source::SourceFile;

const RUNTIME: &str = include_str!("runtime.c");

/// A compiler that takes longer is ended.
const COMPILER_SECONDS: u64 = 60;

/// What is compiled, and how.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub files: Vec<SourceFile>,
    pub include: Vec<String>,
    pub define: Vec<String>,
    /// Types have the sizes that they have on machines with 32 bits.
    pub is_32_bit: bool,
    /// Functions that run in place of `main`.
    pub entries: Vec<String>,
    /// Variables that are defined nowhere, with their sizes.
    pub undefined: BTreeMap<String, u64>,
    /// Overflow of signed integers is looked for.
    pub overflow: bool,
}

/// A compiled program in a directory of its own, which is removed in the end.
pub(crate) struct Binary {
    folder: PathBuf,
    pub(crate) path: PathBuf,
    /// The addresses and sizes of what has a name; a name may be there several times.
    pub(crate) symbols: Vec<Symbol>,
}

pub(crate) struct Symbol {
    /// Without the number that a compiler adds to variables of functions.
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// It is a variable.
    pub(crate) is_data: bool,
}

impl Drop for Binary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Removes a directory unless the program in it was finished.
struct Folder(Option<PathBuf>);

impl Folder {
    fn new() -> Result<Folder, Trouble> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("threadwise-native-{}-{number}", std::process::id()));
        let failed = |e| Trouble::Compiler(format!("cannot make the directory `{}`: {e}", path.display()));
        std::fs::create_dir_all(&path).map_err(failed)?;
        Ok(Folder(Some(path)))
    }

    fn path(&self) -> &Path {
        self.0.as_deref().expect("it is there until the program is finished")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

/// The command of the compiler: `$CC`, or `cc`.
fn compiler() -> Vec<String> {
    let given = std::env::var("CC").unwrap_or_default();
    let words: Vec<String> = given.split_whitespace().map(str::to_string).collect();
    if words.is_empty() { vec!["cc".to_string()] } else { words }
}

/// Whether there is a C compiler.
pub fn has_compiler() -> bool {
    let words = compiler();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

pub(crate) fn build(sources: &Sources) -> Result<Binary, Trouble> {
    let mut folder = Folder::new()?;
    let mut objects = Vec::new();
    for (number, file) in sources.files.iter().enumerate() {
        objects.push(compile(sources, file, folder.path(), number)?);
    }
    objects.push(compile_plain(sources, folder.path(), "runtime", RUNTIME)?);
    let path = folder.path().join("program");
    link(sources, folder.path(), objects, &path)?;
    let symbols = symbols(&path)?;
    let folder = folder.0.take().expect("it was just there");
    Ok(Binary { folder, path, symbols })
}

fn common(sources: &Sources) -> Vec<&'static str> {
    let mut flags = vec!["-w", "-g", "-fno-pie", "-fno-omit-frame-pointer"];
    flags.extend(sources.is_32_bit.then_some("-m32"));
    flags
}

fn compile(sources: &Sources, file: &SourceFile, folder: &Path, number: usize) -> Result<PathBuf, Trouble> {
    let is_preprocessed = file.name().ends_with(".i");
    let text = format!("# 1 \"{}\"\n{}", file.name().replace('\\', "\\\\").replace('"', "\\\""), file.text());
    let source = write(folder, &format!("file{number}.{}", if is_preprocessed { "i" } else { "c" }), &text)?;
    let object = folder.join(format!("file{number}.o"));
    let mut arguments: Vec<String> = common(sources).into_iter().map(str::to_string).collect();
    // Inline functions are called here, so they have to be somewhere.
    let flags = ["-O0", "-fsanitize=thread", "-finstrument-functions", "-fgnu89-inline", "-c"];
    arguments.extend(flags.map(str::to_string));
    arguments.push(
        if sources.overflow { "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero" } else { "-fwrapv" }
            .to_string(),
    );
    if !is_preprocessed {
        arguments.extend(sources.include.iter().map(|path| format!("-I{path}")));
        arguments.extend(sources.define.iter().map(|define| format!("-D{define}")));
        let directory = Path::new(file.name()).parent().filter(|path| !path.as_os_str().is_empty());
        arguments.extend(["-iquote".to_string(), directory.unwrap_or(Path::new(".")).display().to_string()]);
    }
    run_compiler(&arguments, &source, &object)?;
    Ok(object)
}

/// Compiles text of our own, which tells nothing.
fn compile_plain(sources: &Sources, folder: &Path, name: &str, text: &str) -> Result<PathBuf, Trouble> {
    let source = write(folder, &format!("{name}.c"), text)?;
    let object = folder.join(format!("{name}.o"));
    let mut arguments: Vec<String> = common(sources).into_iter().map(str::to_string).collect();
    arguments.extend(["-O1", "-c"].map(str::to_string));
    run_compiler(&arguments, &source, &object)?;
    Ok(object)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Trouble> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|e| Trouble::Compiler(format!("cannot write `{}`: {e}", path.display())))?;
    Ok(path)
}

fn run_compiler(arguments: &[String], source: &Path, object: &Path) -> Result<(), Trouble> {
    let words = compiler();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(arguments).arg(source).arg("-o").arg(object);
    let output = run(command, &words.join(" "))?;
    if output.status.success() { Ok(()) } else { Err(complaint("compile the program", &output)) }
}

fn complaint(what: &str, output: &Output) -> Trouble {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("error") || line.contains("undefined"));
    let line = line.or(said.lines().last()).unwrap_or("it does not say why");
    Trouble::Compiler(format!("the compiler could not {what}: {line}"))
}

/// Links the program; what nobody defines is defined here: variables as bytes, functions as ones that ask for a value.
fn link(sources: &Sources, folder: &Path, mut objects: Vec<PathBuf>, binary: &Path) -> Result<(), Trouble> {
    let output = try_link(sources, &objects, binary)?;
    if output.status.success() {
        return Ok(());
    }
    let missing = undefined(&String::from_utf8_lossy(&output.stderr));
    if missing.is_empty() {
        return Err(complaint("link the program", &output));
    }
    let stub = |name: &String| match sources.undefined.get(name) {
        Some(size) => format!("_Alignas(16) char {name}[{}];\n", size.max(&1)),
        None if is_error(name) => {
            format!("void __threadwise_error(void);\nvoid {name}() {{ __threadwise_error(); }}\n")
        }
        None => format!("unsigned long long {name}() {{ return __threadwise_any(__builtin_return_address(0)); }}\n"),
    };
    let text: String = missing.iter().map(stub).collect();
    let text = format!("unsigned long long __threadwise_any(void *);\n{text}");
    objects.push(compile_plain(sources, folder, "stubs", &text)?);
    let output = try_link(sources, &objects, binary)?;
    if output.status.success() { Ok(()) } else { Err(complaint("link the program", &output)) }
}

fn is_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

fn try_link(sources: &Sources, objects: &[PathBuf], binary: &Path) -> Result<Output, Trouble> {
    let words = compiler();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("-no-pie").args(sources.is_32_bit.then_some("-m32")).args(objects);
    command.args(wrapped().iter().map(|name| format!("-Wl,--wrap={name}"))).args(["-lpthread", "-lm", "-lrt", "-o"]);
    command.arg(binary);
    run(command, &words.join(" "))
}

/// The functions that the runtime stands before, by what it defines.
fn wrapped() -> BTreeSet<&'static str> {
    let names = RUNTIME.split("__wrap_").skip(1);
    names.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("")).collect()
}

/// The names in a linker's complaints about what is not defined.
fn undefined(said: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in said.lines() {
        let after = line.split_once("undefined reference to `").or_else(|| line.split_once("undefined symbol: "));
        if let Some((_, rest)) = after {
            let name = rest.trim_end_matches('\'').trim();
            names.extend(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then(|| name.to_string()));
        }
    }
    names
}

fn run(mut command: Command, name: &str) -> Result<Output, Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let missing = |e: std::io::Error| Trouble::NoCompiler(format!("`{name}` cannot be started: {e}"));
    let child = command.spawn().map_err(missing)?;
    let group = nix::unistd::Pid::from_raw(child.id() as i32);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let started = Instant::now();
    match receiver.recv_timeout(Duration::from_secs(COMPILER_SECONDS)) {
        Ok(output) => output.map_err(|e| Trouble::Compiler(format!("`{name}` failed: {e}"))),
        Err(_) => {
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
            Err(Trouble::Compiler(format!("`{name}` took more than {} s", started.elapsed().as_secs())))
        }
    }
}

/// What has a name in a program, as `nm` lists it.
fn symbols(binary: &Path) -> Result<Vec<Symbol>, Trouble> {
    let mut command = Command::new("nm");
    command.arg("-S").arg(binary);
    let output = run(command, "nm")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(symbol).collect())
}

fn symbol(line: &str) -> Option<Symbol> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (address, size, kind, name) = match words[..] {
        [address, size, kind, name] => (address, size, kind, name),
        [address, kind, name] if kind.len() == 1 => (address, "0", kind, name),
        _ => return None,
    };
    let is_data = matches!(kind, "b" | "B" | "d" | "D");
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let name = match name.split_once('.') {
        Some((name, rest)) if rest.chars().all(|c| c.is_ascii_digit()) => name,
        _ => name,
    };
    // The front end writes names without the sign.
    let name = name.replace('$', "_");
    Some(Symbol { name, address: number(address)?, size: number(size)?, is_data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrapped_is_read_off_the_runtime() {
        let names = wrapped();
        for name in ["pthread_create", "pthread_mutex_lock", "malloc", "free", "__assert_fail", "exit", "sem_wait"] {
            assert!(names.contains(name), "{name} is not among {names:?}");
        }
        assert!(!names.contains(""));
    }

    #[test]
    fn variables_of_functions_lose_their_numbers() {
        let line = "0000000000404040 0000000000000004 b counter.2";
        let found = symbol(line).expect("a symbol");
        assert_eq!((found.name.as_str(), found.address, found.size), ("counter", 0x404040, 4));
        assert!(symbol("                 U malloc").is_none());
    }

    #[test]
    fn linkers_say_what_is_missing() {
        let said = "x.c:(.text+0x1): undefined reference to `next_number'\nld.lld: error: undefined symbol: other";
        assert_eq!(undefined(said).into_iter().collect::<Vec<_>>(), ["next_number", "other"]);
    }
}
