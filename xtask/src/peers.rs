//! The tools that are measured: Threadwise itself, SPIN and rumur.

use crate::measure::{Measured, build, measure};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The memory and time that every tool gets.
pub const MEMORY_MIB: u64 = 2048;
/// See [`MEMORY_MIB`].
pub const SECONDS: u64 = 300;

/// What turns off the reductions of engine `explicit`, so that it visits the states that other tools count.
pub const UNREDUCED: [&str; 3] = ["--no-symmetry", "--no-fold", "--no-reduction"];

/// What turns off all of them but symmetry, for tools that have that only.
pub const SYMMETRY_ONLY: [&str; 2] = ["--no-fold", "--no-reduction"];

/// One measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The states that the tool counted; `None` if it met a limit.
    pub states: Option<u64>,
    /// User and system time.
    pub cpu_seconds: f64,
    /// The most memory that was resident.
    pub peak_bytes: u64,
    /// The limit that it met: `time` or `memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

impl Run {
    /// What was measured, with the count if there is one.
    fn new(measured: &Measured, states: Option<u64>) -> Run {
        let out_of_time = measured.cpu_seconds >= SECONDS as f64 - 1.0;
        let limit = if out_of_time { "time" } else { "memory" };
        Run {
            states,
            cpu_seconds: (measured.cpu_seconds * 1000.0).round() / 1000.0,
            peak_bytes: measured.peak_bytes,
            limit: states.is_none().then(|| limit.to_string()),
        }
    }
}

/// Where the models are and where verifiers are built.
pub struct Workshop {
    root: PathBuf,
    scratch: PathBuf,
    threadwise: PathBuf,
}

impl Workshop {
    /// Builds Threadwise, and makes room for the peers' verifiers of one part: several parts may be measured at once.
    pub fn new(root: &Path, part: &str) -> Result<Workshop> {
        build(Command::new(env!("CARGO")).args(["build", "--release", "--bin", "threadwise"]).current_dir(root))?;
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let scratch = target.join("bench").join(part);
        std::fs::create_dir_all(&scratch)?;
        Ok(Workshop { threadwise: target.join("release/threadwise"), scratch, root: root.to_path_buf() })
    }

    /// Where the project is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The program that is measured.
    pub fn threadwise_path(&self) -> &Path {
        &self.threadwise
    }

    /// A model of a benchmark.
    pub fn model(&self, name: &str, extension: &str) -> PathBuf {
        self.root.join("bench/models").join(format!("{name}.{extension}"))
    }

    /// Threadwise's explicit engine on a model.
    pub fn explicit(&self, model: &str, n: u32, flags: &[&str]) -> Result<Run> {
        self.engine("explicit", "states", &self.model(model, "tw"), &[format!("N={n}")], flags)
    }

    /// Threadwise's modular engine, proof and check included. The count is of thread states.
    pub fn modular(&self, program: &Path, defines: &[String]) -> Result<Run> {
        self.engine("modular", "thread_states", program, defines, &[])
    }

    /// Threadwise's engine `cartesian`, proof and check included. The count is of products.
    pub fn cartesian(&self, program: &Path, defines: &[String]) -> Result<Run> {
        self.engine("cartesian", "products", program, defines, &[])
    }

    /// One of Threadwise's engines on a program that is safe.
    pub fn engine(&self, engine: &str, count: &str, program: &Path, defines: &[String], flags: &[&str]) -> Result<Run> {
        let mut command = Command::new(&self.threadwise);
        command.arg("check").arg(program).args(["--engine", engine, "--format", "json", "-q"]).args(flags);
        command.arg("--memory").arg(MEMORY_MIB.to_string());
        defines.iter().for_each(|define| {
            command.arg("-D").arg(define);
        });
        let measured = measure(&mut command, SECONDS)?;
        let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
        anyhow::ensure!(json["verdict"] != "unsafe", "{} is safe, but {command:?} says: unsafe", program.display());
        let decided = json["verdict"] == "safe" && measured.finished;
        Ok(Run::new(&measured, json["stats"][count].as_u64().filter(|_| decided)))
    }

    /// Saves a generated text where verifiers are built.
    pub fn save(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.scratch.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// SPIN's verifier: exhaustive, safety only, without partial-order reduction.
    pub fn spin(&self, model: &str, n: u32) -> Result<Run> {
        self.spin_on(&self.model(model, "pml"), &format!("{model}-{n}"), n)
    }

    /// SPIN's verifier for a model in a file.
    pub fn spin_on(&self, model: &Path, name: &str, n: u32) -> Result<Run> {
        let dir = self.build_spin(model, name, n)?;
        // The depth-first stack is allocated in advance, so it should not be larger than needed.
        let depth = if name.starts_with("binary-counter") { "-m3000000" } else { "-m100000" };
        let measured = measure(Command::new("./pan").args(["-E", "-n", depth]).current_dir(&dir), SECONDS)?;
        let complete = measured.finished && !measured.output.contains("Search not completed");
        anyhow::ensure!(!measured.output.contains("assertion violated"), "{name} is safe, but SPIN finds an error");
        anyhow::ensure!(!measured.output.contains("VECTORSZ"), "{name} needs larger state vectors");
        Ok(Run::new(&measured, stored_states(&measured).filter(|_| complete)))
    }

    /// SPIN's search for invalid end states, which is its word for deadlocks: up to the first one if there are some.
    pub fn spin_deadlock(&self, model: &str, n: u32, has_some: bool) -> Result<Run> {
        let name = format!("{model}-{n}");
        let dir = self.build_spin(&self.model(model, "pml"), &name, n)?;
        let measured = measure(Command::new("./pan").args(["-n", "-m3000000"]).current_dir(&dir), SECONDS)?;
        let finds = measured.output.contains("invalid end state (");
        anyhow::ensure!(has_some || !finds, "{name} has no deadlock, but SPIN finds one");
        // A search that was not deep enough met no limit of time or memory, and must not be told as one.
        let was_deep = finds || !measured.output.contains("max search depth too small");
        anyhow::ensure!(was_deep, "{name} needs a deeper search by SPIN");
        let complete = measured.finished && !measured.output.contains("Search not completed");
        Ok(Run::new(&measured, stored_states(&measured).filter(|_| if has_some { finds } else { complete })))
    }

    /// An engine that should find an error: how many states it has looked at by then, where it counts them.
    pub fn finds(&self, engine: &str, model: &str, n: u32) -> Result<Run> {
        let mut command = Command::new(&self.threadwise);
        command.arg("check").arg(self.model(model, "tw")).args(["--engine", engine, "--format", "json", "-q", "-D"]);
        command.arg(format!("N={n}")).arg("--memory").arg(MEMORY_MIB.to_string());
        let measured = measure(&mut command, SECONDS)?;
        let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
        anyhow::ensure!(json["verdict"] != "safe", "{model} is wrong, but {command:?} says: safe");
        let found = json["verdict"] == "unsafe" && measured.finished;
        Ok(Run::new(&measured, json["stats"]["states"].as_u64().filter(|_| found)))
    }

    /// Compiles SPIN's verifier for a model, in a folder of its own.
    fn build_spin(&self, model: &Path, name: &str, n: u32) -> Result<PathBuf> {
        let dir = self.scratch.join(format!("spin-{name}"));
        std::fs::create_dir_all(&dir)?;
        // As in a `.tw` program, variables keep their values after their last use (`-o2`).
        build(
            Command::new("spin")
                .args(["-a", "-o2", "-o3", "-DSTAY"])
                .arg(format!("-DN={n}"))
                .arg(model)
                .current_dir(&dir),
        )?;
        build(
            Command::new("gcc")
                // The largest state vector, which is 1 KiB unless told: too small for 200 processes.
                .args(["-O2", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=8192"])
                .arg(format!("-DMEMLIM={MEMORY_MIB}"))
                .args(["-o", "pan", "pan.c"])
                .current_dir(&dir),
        )?;
        Ok(dir)
    }

    /// rumur's verifier: symmetry reduction by scalarsets, one thread.
    pub fn rumur(&self, model: &str, n: u32) -> Result<Run> {
        let dir = self.scratch.join(format!("rumur-{model}-{n}"));
        std::fs::create_dir_all(&dir)?;
        let text = std::fs::read_to_string(self.model(model, "m"))?;
        std::fs::write(dir.join("model.m"), with_constant(&text, n).context("the model has no constant N")?)?;
        build(
            Command::new("rumur")
                .args([
                    "--deadlock-detection",
                    "off",
                    "--scalarset-schedules",
                    "off",
                    "--threads",
                    "1",
                    "--output",
                    "model.c",
                    "model.m",
                ])
                .current_dir(&dir),
        )?;
        build(
            Command::new("gcc")
                .args(["-O2", "-march=native", "-w", "-o", "model", "model.c", "-lpthread", "-latomic"])
                .current_dir(&dir),
        )?;
        let measured = measure(Command::new("./model").current_dir(&dir), SECONDS)?;
        let states = measured.output.lines().find_map(states_in_summary).filter(|_| measured.finished);
        Ok(Run::new(&measured, states))
    }
}

/// The states that SPIN's verifier says it has stored.
fn stored_states(measured: &Measured) -> Option<u64> {
    let states = measured.output.lines().find_map(|line| line.trim().strip_suffix(" states, stored"))?;
    states.trim().parse::<f64>().ok().map(|n| n as u64)
}

/// The Murphi model with its constant `N` set.
fn with_constant(model: &str, n: u32) -> Option<String> {
    let start = model.find("N: ")? + "N: ".len();
    let end = start + model[start..].find(';')?;
    Some(format!("{}{n}{}", &model[..start], &model[end..]))
}

/// The number before `states` in a line like `1267 states, 5037 rules fired in 0s.`
fn states_in_summary(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "states,")?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}
