//! `cargo xtask dist`: what a release is made of, as one archive with its checksum.
//!
//! The program is as static as this machine can make it: with musl where Rust's target for it is installed, else with the
//! static parts of the system's own C library.

use crate::third_party;
use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that is larger is not released.
const MOST_BYTES: u64 = 15_000_000;

/// The shells, and what their completion scripts are called.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "threadwise.bash"),
    ("zsh", "_threadwise"),
    ("fish", "threadwise.fish"),
    ("powershell", "_threadwise.ps1"),
    ("elvish", "threadwise.elv"),
];

#[derive(clap::Args)]
pub struct Options {
    /// The program to pack, where it has been built before.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Where to put the archive; `dist` under Cargo's target directory by default.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let target_directory = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    let triple = triple()?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build(&target_directory, &triple)?,
    };
    let out = options.out.clone().unwrap_or_else(|| target_directory.join("dist"));
    let name = format!("threadwise-{}-{triple}", env!("CARGO_PKG_VERSION"));
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let packed = folder.join("threadwise");
    fs::copy(&program, &packed).with_context(|| format!("no program at {}", program.display()))?;
    check_program(&packed)?;
    write_documents(&folder, &packed)?;
    let archive = pack(&out, &name)?;
    println!("{}\n{}", archive.display(), checksum(&archive)?.display());
    Ok(())
}

/// The root of the project, which chores are run from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What to build for: musl where it is installed.
fn triple() -> anyhow::Result<String> {
    let rustc = |args: &[&str]| -> anyhow::Result<String> {
        let output = Command::new("rustc").args(args).output().context("rustc does not run")?;
        Ok(String::from_utf8(output.stdout)?)
    };
    let about = rustc(&["-vV"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not say where it is")?;
    let musl = host.replace("-gnu", "-musl");
    let libraries = Path::new(rustc(&["--print", "sysroot"])?.trim()).join("lib/rustlib").join(&musl);
    Ok(if libraries.exists() { musl } else { host.to_string() })
}

/// Builds the program with nothing to be loaded when it starts. The target is named, so that what runs while it is built is not
/// linked like that, too.
fn build(target_directory: &Path, triple: &str) -> anyhow::Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--profile", "dist", "--bin", "threadwise", "--target", triple]);
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static").current_dir(root());
    ensure!(cargo.status()?.success(), "the program cannot be built");
    Ok(target_directory.join(triple).join("dist").join("threadwise"))
}

/// It is small enough, needs nothing else, and runs.
fn check_program(program: &Path) -> anyhow::Result<()> {
    let bytes = fs::metadata(program)?.len();
    let size = format!("{:.1} MB", bytes as f64 / 1e6);
    ensure!(bytes <= MOST_BYTES, "the program has {size}, and more than 15 MB are too many");
    let is_static = !needs_an_interpreter(&fs::read(program)?);
    println!("the program has {size} and is {}", if is_static { "static" } else { "linked dynamically" });
    let said = output_of(program, &["--version"])?;
    ensure!(said.contains(env!("CARGO_PKG_VERSION")), "the program says that it is {said}");
    Ok(())
}

/// Whether an ELF file names a program that loads it, which all but static ones do (segment type 3, `PT_INTERP`).
fn needs_an_interpreter(file: &[u8]) -> bool {
    let number = |at: usize, length: usize| {
        let bytes = file.get(at..at + length).unwrap_or_default();
        bytes.iter().rev().fold(0usize, |number, &byte| number << 8 | usize::from(byte))
    };
    // 64-bit, little-endian; of others nothing is claimed.
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return true;
    }
    let (first, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    (0..count).any(|index| number(first + index * size, 4) == 3)
}

fn write_documents(folder: &Path, program: &Path) -> anyhow::Result<()> {
    for name in ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"] {
        fs::copy(root().join(name), folder.join(name)).with_context(|| name.to_string())?;
    }
    fs::write(folder.join("THIRD-PARTY.md"), third_party::licences(&root())?)?;
    let (completions, man) = (folder.join("completions"), folder.join("man/man1"));
    fs::create_dir_all(&completions)?;
    fs::create_dir_all(&man)?;
    for (shell, name) in SHELLS {
        fs::write(completions.join(name), output_of(program, &["completions", shell])?)?;
    }
    fs::write(man.join("threadwise.1"), output_of(program, &["man"])?)?;
    for command in commands(program)? {
        fs::write(man.join(format!("threadwise-{command}.1")), output_of(program, &["man", &command])?)?;
    }
    Ok(())
}

/// The commands that the program's help lists.
fn commands(program: &Path) -> anyhow::Result<Vec<String>> {
    let help = output_of(program, &["--help"])?;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).context("no commands")?;
    let starts = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let words = starts.filter_map(|line| line.split_whitespace().next()).filter(|word| *word != "help");
    Ok(words.map(str::to_string).collect())
}

fn output_of(program: &Path, args: &[&str]) -> anyhow::Result<String> {
    let output =
        Command::new(program).args(args).output().with_context(|| format!("{} does not run", program.display()))?;
    if !output.status.success() {
        bail!("`threadwise {}` fails: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The same files give the same archive, byte for byte.
fn pack(out: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let archive = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args([
        "--create",
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u=rwX,go=rX",
    ]);
    tar.args(["--use-compress-program", "gzip --no-name --best", "--file"]).arg(&archive);
    tar.arg("--directory").arg(out).arg(name);
    ensure!(tar.status().context("tar does not run")?.success(), "the archive cannot be written");
    Ok(archive)
}

/// The checksum, in the form that `sha256sum --check` reads.
fn checksum(archive: &Path) -> anyhow::Result<PathBuf> {
    let digest: String = Sha256::digest(fs::read(archive)?).iter().map(|byte| format!("{byte:02x}")).collect();
    let name = archive.file_name().context("the archive has a name")?.to_string_lossy().into_owned();
    let file = archive.with_file_name(format!("{name}.sha256"));
    fs::write(&file, format!("{digest}  {name}\n"))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_load_others_are_told_from_static_ones() {
        let mut elf = vec![0; 64 + 2 * 56];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (elf[32], elf[54], elf[56]) = (64, 56, 2);
        elf[64] = 1;
        assert!(!needs_an_interpreter(&elf));
        elf[64 + 56] = 3;
        assert!(needs_an_interpreter(&elf));
        assert!(needs_an_interpreter(b"MZ"), "of what is not known nothing is claimed");
    }

    /// Everything but the build: a script stands in for the program.
    #[cfg(unix)]
    #[test]
    fn an_archive_has_all_that_belongs_to_a_release() {
        use std::os::unix::fs::PermissionsExt;
        let out = std::env::temp_dir().join(format!("threadwise-dist-{}", std::process::id()));
        fs::create_dir_all(&out).expect("it can be made");
        let program = out.join("program");
        let version = env!("CARGO_PKG_VERSION");
        let script = format!(
            "#!/bin/sh\nprintf 'threadwise {version}\\nCommands:\\n  check  Verify\\n         more\\n  lsp    Serve\\n  help   Help\\n\\nOptions:\\n'\n"
        );
        fs::write(&program, script).expect("it can be written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        run(&Options { program: Some(program), out: Some(out.clone()) }).expect("it is packed");
        let archive = fs::read_dir(&out).expect("it is there").flatten().map(|entry| entry.path());
        let sums: Vec<PathBuf> = archive.filter(|path| path.extension().is_some_and(|e| e == "sha256")).collect();
        let checked = Command::new("sha256sum").arg("--check").arg(&sums[0]).current_dir(&out).status();
        assert!(checked.is_ok_and(|status| status.success()));
        let tar = sums[0].with_extension("");
        let listed = Command::new("tar").arg("--list").arg("--file").arg(&tar).output().expect("tar runs");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        for name in
            ["threadwise", "LICENSE-MIT", "THIRD-PARTY.md", "completions/_threadwise", "man/man1/threadwise-lsp.1"]
        {
            assert!(listed.lines().any(|line| line.ends_with(&format!("/{name}"))), "{name}: {listed}");
        }
        assert!(!listed.contains("threadwise-more"), "{listed}");
        fs::remove_dir_all(&out).expect("it is ours");
    }
}
