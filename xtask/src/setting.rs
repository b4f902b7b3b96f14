//! The machine and the versions that a measurement is about.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Command;

/// Where and with what something was measured. What was not recorded is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The state of the project.
    pub commit: String,
    /// What else the machine did: the load average at the beginning.
    pub load: String,
    /// How long the measuring took.
    #[serde(default)]
    pub minutes: f64,
    /// The machine and its system.
    pub machine: Machine,
    /// The tools, with their own words about their versions.
    pub tools: Vec<String>,
}

/// See [`Setting`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub processor: String,
    /// How many cores there are.
    pub cores: usize,
    /// In GiB.
    pub memory: u64,
    /// The operating system and its kernel.
    pub system: String,
}

impl Setting {
    /// Here and now.
    pub fn here(root: &Path, threadwise: &Path) -> Setting {
        let solver = threadwise_solver_setup::target_directory().map(|target| target.join("solver/z3"));
        let solver = solver.ok().filter(|path| path.is_file()).unwrap_or_else(|| "z3".into());
        Setting {
            commit: commit(root),
            load: file("/proc/loadavg").split_whitespace().next().unwrap_or_default().to_string(),
            minutes: 0.0,
            machine: Machine::here(),
            tools: vec![
                version(threadwise, "--version"),
                version(Path::new("rustc"), "--version"),
                version(Path::new("spin"), "-V"),
                version(Path::new("gcc"), "--version"),
                version(Path::new("rumur"), "--version"),
                version(&solver, "--version"),
            ],
        }
    }

    /// Whether both are about the same machine and tools.
    pub fn is_like(&self, other: &Setting) -> bool {
        self.machine == other.machine && self.tools == other.tools
    }
}

impl Machine {
    fn here() -> Machine {
        let value = |text: &str, key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap_or_default().trim_start_matches([' ', '\t', ':', '=']).trim_matches('"').to_string()
        };
        let kibibytes = value(&file("/proc/meminfo"), "MemTotal").trim_end_matches(" kB").parse().unwrap_or(0u64);
        let kernel = file("/proc/sys/kernel/osrelease");
        Machine {
            processor: value(&file("/proc/cpuinfo"), "model name"),
            // Those of the machine, even where a measurement is kept to some of them.
            cores: file("/proc/cpuinfo").lines().filter(|line| line.starts_with("processor")).count(),
            memory: kibibytes >> 20,
            system: format!("{}, Linux {}", value(&file("/etc/os-release"), "PRETTY_NAME"), kernel.trim()),
        }
    }
}

fn file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The commit, and whether something that is measured has changed since.
fn commit(root: &Path) -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(root).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default()
    };
    let changed = git(&["status", "--porcelain", "--", "crates", "bench/models", "examples", "Cargo.lock"]);
    git(&["rev-parse", "--short=10", "HEAD"]) + if changed.is_empty() { "" } else { ", with changes" }
}

/// The first line that a tool prints about its version.
fn version(tool: &Path, flag: &str) -> String {
    let output = Command::new(tool).arg(flag).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr));
    let name = tool.file_name().unwrap_or_default().to_string_lossy();
    text.ok().and_then(|t| t.lines().next().map(str::to_string)).unwrap_or_else(|| format!("{name}: not installed"))
}
