//! From files to the bytes of class files: `.java` by the compiler of a JDK, `.class` and `.jar` as they are.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use threadwise_source::{Diagnostic, SourceFile, SourceMap, Span};

/// The bytes of the class files of a program, in the order of their names.
pub(crate) type ClassBytes = BTreeMap<String, Vec<u8>>;

const NO_JDK: &str = "install a JDK (on Debian: apt install default-jdk-headless), let JAVA_HOME name one, or give `.class` or `.jar` files";

/// A program of a JDK, by JAVA_HOME or else by PATH.
pub fn jdk_program(name: &str) -> PathBuf {
    let at_home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin").join(name));
    at_home.filter(|path| path.exists()).unwrap_or_else(|| PathBuf::from(name))
}

/// Whether there is a JDK that can compile.
pub fn has_jdk() -> bool {
    Command::new(jdk_program("javac")).arg("-version").output().is_ok_and(|output| output.status.success())
}

/// A folder that goes when it is not used any more.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub fn new() -> std::io::Result<TemporaryFolder> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("threadwise-java-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(TemporaryFolder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn failed(message: String) -> Diagnostic {
    Diagnostic::error(Span::default(), message)
}

/// The compiler, with what is the same for all texts.
pub fn javac_command() -> Command {
    let mut command = Command::new(jdk_program("javac"));
    command.args(["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8"]);
    command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
    command
}

/// Compiles texts of Java into a folder. What the compiler says is given as it stands, with the user's names of files.
pub fn javac(files: &[SourceFile], to: &Path) -> Result<(), Diagnostic> {
    let wrong = |error: std::io::Error| failed(format!("the texts cannot be written for the compiler: {error}"));
    let sources = to.join("sources");
    let mut command = javac_command();
    command.arg("-d").arg(to.join("classes"));
    for (file, number) in files.iter().zip(0..) {
        // A public class must be in a file of its name; files of one name are told apart by their folders.
        let folder = sources.join(number.to_string());
        std::fs::create_dir_all(&folder).map_err(wrong)?;
        let name = Path::new(file.name()).file_name().map_or_else(|| "Main.java".into(), PathBuf::from);
        std::fs::write(folder.join(&name), file.text()).map_err(wrong)?;
        command.arg(folder.join(&name));
    }
    std::fs::create_dir_all(to.join("classes")).map_err(wrong)?;
    let output = command
        .output()
        .map_err(|error| failed(format!("the compiler `javac` cannot be started: {error}")).hint(NO_JDK))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(complaint(files, &said))
}

/// The first error of the compiler, where it is.
fn complaint(files: &[SourceFile], said: &str) -> Diagnostic {
    let first = said.lines().find(|line| line.contains(": error:") || line.starts_with("error:"));
    let Some(line) = first else { return failed("javac failed, and does not say why".to_string()) };
    let Some((place, message)) = line.split_once(": error: ") else {
        return failed(format!("javac: {}", line.trim_start_matches("error: ")));
    };
    let (path, number) = place.rsplit_once(':').unwrap_or((place, "1"));
    let file = Path::new(path).parent().and_then(Path::file_name).and_then(|name| name.to_str()?.parse::<usize>().ok());
    let file = file.unwrap_or(0).min(files.len().saturating_sub(1));
    // The texts stand one behind the other, as they do where a program is shown.
    let mut map = SourceMap::default();
    let starts: Vec<u32> = files.iter().filter_map(|file| map.add(file.clone())).collect();
    let before = starts.get(file).copied().unwrap_or(0) as usize;
    let (start, end) = crate::sources::line_range(files[file].text(), number.parse().unwrap_or(1));
    let start = caret(said, line, files[file].text(), start).filter(|at| *at < end).unwrap_or(start);
    let span = Span::new(before + start, before + end);
    Diagnostic::error(span, format!("javac: {message}")).hint("the program must compile")
}

/// Where the compiler points to below its message: the line comes again, and a caret below the place.
fn caret(said: &str, message: &str, text: &str, start: usize) -> Option<usize> {
    let below = said.lines().skip_while(|line| *line != message).skip(1);
    let column = below.take(6).find(|line| line.trim() == "^")?.find('^')?;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let is_place = text.is_char_boundary(line + column) && !text[line..].get(..column)?.contains('\n');
    is_place.then_some(line + column)
}

/// What texts were compiled to, in this process: each property of a program asks for it again.
static COMPILED: Mutex<BTreeMap<Vec<(String, String)>, ClassBytes>> = Mutex::new(BTreeMap::new());

fn name_and_text(file: &SourceFile) -> (String, String) {
    (file.name().to_string(), file.text().to_string())
}

/// Compiles programs of one file each, whose classes have different names, all at once: what they are compiled to is
/// remembered, so that each of them can be loaded without the compiler.
pub fn compile_together(files: &[SourceFile]) -> Result<(), Diagnostic> {
    let all = compiled(&crate::library::with_library(files))?;
    let mut remembered = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    for file in files {
        let texts = crate::library::with_library(std::slice::from_ref(file));
        let short =
            |file: &SourceFile| Path::new(file.name()).file_name().map(|name| name.to_string_lossy().into_owned());
        let is_its = |bytes: &[u8]| {
            crate::classes::read(bytes).is_ok_and(|class| texts.iter().any(|text| short(text) == class.source))
        };
        let own = all.iter().filter(|(_, bytes)| is_its(bytes)).map(|(name, bytes)| (name.clone(), bytes.clone()));
        remembered.insert(texts.iter().map(name_and_text).collect(), own.collect());
    }
    Ok(())
}

fn compiled(texts: &[SourceFile]) -> Result<ClassBytes, Diagnostic> {
    let key: Vec<(String, String)> = texts.iter().map(name_and_text).collect();
    let remembered = || COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remembered().get(&key) {
        return Ok(known.clone());
    }
    let wrong = |error: std::io::Error| failed(format!("there is no room for class files: {error}"));
    let folder = TemporaryFolder::new().map_err(wrong)?;
    // The compiler says where in the code statements of comments are, by calls that stand for them.
    let with_marks = |file: &SourceFile| match crate::contracts::marked(file.text()) {
        Some(text) => SourceFile::new(file.name(), text),
        None => file.clone(),
    };
    let mut given: Vec<SourceFile> = texts.iter().map(with_marks).collect();
    if given.iter().zip(texts).any(|(given, text)| given.text() != text.text()) {
        given.push(SourceFile::new("Marks.java", crate::contracts::MARKS));
    }
    javac(&given, folder.path())?;
    let mut found = ClassBytes::new();
    collect(&folder.path().join("classes"), &mut found).map_err(wrong)?;
    found.retain(|name, _| !name.replace('\\', "/").ends_with(&format!("/{}.class", crate::contracts::MARKS_CLASS)));
    remembered().insert(key, found.clone());
    Ok(found)
}

/// All class files of a program: what its texts are compiled to, and what was given as it is.
pub(crate) fn class_bytes(files: &[SourceFile]) -> Result<ClassBytes, Diagnostic> {
    let is_text = |file: &&SourceFile| has_extension(file.name(), "java");
    let texts: Vec<SourceFile> = files.iter().filter(is_text).cloned().collect();
    let mut found = if texts.is_empty() { ClassBytes::new() } else { compiled(&texts)? };
    for file in files.iter().filter(|file| !is_text(file)) {
        let unreadable = |error: String| failed(format!("`{}` cannot be read: {error}", file.name()));
        let bytes = std::fs::read(file.name()).map_err(|error| unreadable(error.to_string()))?;
        match has_extension(file.name(), "jar") {
            true => unpack(bytes, &mut found).map_err(unreadable)?,
            false => drop(found.insert(file.name().to_string(), bytes)),
        }
    }
    Ok(found)
}

/// Puts the class files of a program where a virtual machine finds them, in `classes` of a folder; the name of the class
/// whose `main` runs.
pub fn class_files(files: &[SourceFile], to: &Path, entry: Option<&str>) -> Result<String, Diagnostic> {
    let wrong = |error: std::io::Error| failed(format!("there is no room for class files: {error}"));
    let (texts, others): (Vec<SourceFile>, Vec<SourceFile>) =
        crate::library::with_library(files).into_iter().partition(|file| has_extension(file.name(), "java"));
    if !texts.is_empty() {
        javac(&texts, to)?;
    }
    let folder = to.join("classes");
    std::fs::create_dir_all(&folder).map_err(wrong)?;
    let mut found = class_bytes(&others)?;
    for bytes in found.values() {
        let class = crate::classes::read(bytes).map_err(|error| failed(error.to_string()))?;
        let path = folder.join(format!("{}.class", class.name));
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(wrong)?;
        std::fs::write(path, bytes).map_err(wrong)?;
    }
    collect(&folder, &mut found).map_err(wrong)?;
    let mut all = crate::classes::Classes::new();
    for bytes in found.values() {
        let class = crate::classes::read(bytes).map_err(|error| failed(error.to_string()))?;
        all.insert(class.name.clone(), class);
    }
    crate::roots::main_method(&all, entry).map(|(class, ..)| class.replace('/', "."))
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found == extension)
}

fn collect(folder: &Path, found: &mut ClassBytes) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "class") {
            found.insert(path.display().to_string(), std::fs::read(&path)?);
        }
    }
    Ok(())
}

/// A class file of a program is not that large; what is, is no program.
const MOST_BYTES: u64 = 16 << 20;

fn unpack(bytes: Vec<u8>, found: &mut ClassBytes) -> Result<(), String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).map_err(|error| error.to_string())?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let name = entry.name().map_err(|error| error.to_string())?.into_owned();
        if !name.ends_with(".class") || name.starts_with("META-INF/") || name.ends_with("module-info.class") {
            continue;
        }
        let mut content = Vec::new();
        entry.take(MOST_BYTES).read_to_end(&mut content).map_err(|error| error.to_string())?;
        found.insert(name, content);
    }
    Ok(())
}
