//! The page: a summary, the machine and the versions, then a section for each part.

use crate::bench::{Part, Results, Section};
use crate::findings::About;
use crate::peers::{MEMORY_MIB, SECONDS};
use crate::setting::Setting;
use anyhow::Result;
use std::fmt::Write;

/// The page and its pictures, by their places in the project.
pub struct Page {
    /// `docs/BENCHMARKS.md`.
    pub text: String,
    /// Files and their texts.
    pub pictures: Vec<(String, String)>,
}

impl Page {
    pub fn files(&self) -> impl Iterator<Item = (&str, &String)> {
        let pictures = self.pictures.iter().map(|(file, text)| (file.as_str(), text));
        std::iter::once(("docs/BENCHMARKS.md", &self.text)).chain(pictures)
    }
}

/// Makes the page of what was measured.
pub fn compose(results: Vec<(Part, Results)>) -> Result<Page> {
    let mut sections = Vec::new();
    for (part, results) in results {
        sections.push((part, results.setting, part.section(results.measured)?));
    }
    let mut page = Page { text: String::from("# Benchmarks\n"), pictures: Vec::new() };
    write_summary(&mut page.text, &sections);
    let first = sections.first().map(|(_, setting, _)| setting.clone()).unwrap_or_default();
    write_introduction(&mut page.text, &first);
    for (part, setting, section) in &sections {
        let _ = write!(page.text, "\n## {}\n", part.heading());
        write_setting(&mut page.text, setting, &first);
        for picture in &section.pictures {
            let _ = write!(page.text, "\n![{}](pictures/{}.svg)\n", picture.title, picture.file);
            page.pictures.push((format!("docs/pictures/{}.svg", picture.file), picture.svg()?));
        }
        page.text += &section.text;
    }
    Ok(page)
}

fn write_summary(page: &mut String, sections: &[(Part, Setting, Section)]) {
    *page += "\nWhat the tables and pictures below come to; every number is computed from them.\n";
    let findings = || sections.iter().flat_map(|(_, _, section)| &section.findings);
    let groups = [
        ("Where reasoning thread by thread wins", About::Threads, Some(true)),
        ("Where it does not", About::Threads, Some(false)),
        ("Exhaustive search beside other model checkers", About::Search, None),
        ("The choice of the engine", About::Engines, None),
    ];
    for (heading, about, won) in groups {
        let picked = findings().filter(|f| f.about == about && won.is_none_or(|won| f.won == won)).collect::<Vec<_>>();
        if !picked.is_empty() {
            let _ = write!(page, "\n**{heading}**\n\n");
        }
        for finding in picked {
            let _ = writeln!(page, "- {}", finding.text);
        }
    }
}

fn write_introduction(page: &mut String, setting: &Setting) {
    let _ = write!(
        page,
        "\n## How it was measured\n\n\
         By `cargo xtask bench`, which measures the tools of each table in one run, keeps the numbers in `bench/results`, and draws \
         this page and its pictures from them (`--draw-only` draws without measuring). Every tool gets {MEMORY_MIB} MiB of memory \
         and {SECONDS} s of CPU time unless a section says otherwise. *time* and *memory* in a table name the limit that was met, a \
         dash is a limit that was not noted, and an empty cell was not tried: what is beyond a limit stays beyond it. Times are CPU \
         seconds, user and system, without the compilation of SPIN's and rumur's verifiers; memory is the largest resident set, and not less than that of the measuring program itself. The models are in `bench/models`, with the same control \
         points for all tools.\n\n\
         Growth is fitted by least squares of logarithms, over runs of 0.05 s and more, with SPIN, whose start alone takes 0.1 s, of \
         0.5 s and more: n^e or b^n, whichever fits better.\n\n\
         The papers are named in the [README](../README.md#the-papers). Their numbers stand beside ours where they print some.\n"
    );
    write_machine(page, setting);
}

fn write_machine(page: &mut String, setting: &Setting) {
    let machine = &setting.machine;
    let or = |text: &str| if text.is_empty() { "not recorded".to_string() } else { text.to_string() };
    let _ = write!(
        page,
        "\n- Processor: {}, {} cores; {} GiB of memory\n- System: {}\n",
        or(&machine.processor),
        machine.cores,
        machine.memory,
        or(&machine.system)
    );
    setting.tools.iter().for_each(|tool| {
        let _ = writeln!(page, "- {tool}");
    });
}

/// What is special about the measurement of a part.
fn write_setting(page: &mut String, setting: &Setting, first: &Setting) {
    let Setting { commit, load, minutes, .. } = setting;
    let _ = write!(page, "\nMeasured at commit {commit}; the load average at the beginning was {load}.");
    if *minutes > 0.0 {
        let _ = write!(page, " It took {minutes} minutes.");
    }
    *page += "\n";
    if !setting.is_like(first) {
        *page += "Machine and versions were:\n";
        write_machine(page, setting);
    }
}
