//! Sections of a report over a window, answered from what the bundle holds of the replay. No event is read.

mod blocked;
mod cling;
mod distances;
mod domain_balancing;
mod findings;
mod hardware;
mod idle_balancing;
mod latency;
mod llc_processes;
mod memory_samples;
mod numa_balancing;
mod numa_logs;
pub(crate) mod options;
mod page_migration;
mod placement;
mod psi;
mod report;
mod sampled;
mod sched_ext;
mod schedstat;
mod section;
mod stacks;
mod task;
mod threads;
mod utilisation;
mod weights;

use std::collections::BTreeMap;

use numalens_bundle::Error;
use numalens_core::json::for_browser;
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::context::Context;
use crate::sections::options::{Heat, PressureSeries, Step};
use crate::sections::report::{
    HEAT_COLUMNS, Part, Report, ReportCling, ReportFindings, ReportPressure, as_is, usual,
    without_mask,
};
use crate::sections::section::{
    Section, components, described_answer, described_options, generator, json, written,
};

pub use self::cling::answer::{ClingTracks, GroupTrack, NodeTrack, cling_tracks};
pub use self::findings::found;
pub use self::idle_balancing::{Kicks, kicks};
pub use self::latency::Ledger;
pub use self::numa_balancing::attempts;
pub use self::options::Pressure;
pub use self::psi::replayed as pressure;
pub use self::report::report;
pub use self::sampled::pressure_samples;
pub(crate) use self::section::replay;
pub use self::section::{Stop, optional};
pub(crate) use self::threads::thread_counts;
pub use self::utilisation::{states, used};

macro_rules! sections {
    ($($name:literal, $answer:path, $samples:literal, $about:expr $(, report($options:expr, $shape:path))?;)+) => {
        /// The sections by name.
        const SECTIONS: &[Section] = &[$(Section {
            name: $name,
            about: $about,
            answer: |open, window, options| written(($name, $answer), open, window, options, $samples),
            options: || described_options($answer),
        }),+];

        /// What describes their answers, in the same order. Apart from the table, so that who never asks need not have their code.
        const DESCRIPTIONS: &[fn(&mut SchemaGenerator) -> Schema] =
            &[$(|generator| described_answer($answer, generator)),+];

        /// Sections of the report, in its order: with which options, and in which shape.
        const PARTS: &[Part] = &[$($(Part {
            name: $name,
            about: $about,
            write: |request, most| {
                report::part(($name, $answer), request, $options, $samples, $shape, most)
            },
            describe: |generator| report::described_part($answer, $shape, generator),
        },)?)+];
    };
}

sections! {
    "psi", psi::psi, false, Some(
        "Pressure: replayed totals and averages, the kernel's own samples next to them, and the residual.\n\nThe window is the one \
         that all CPUs' buffers have in common unless the query says otherwise. A series has at most 2,001 points. 409 until the \
         analysis is ready."
    ), report(|it| PressureSeries {
        psi_rules: it.psi_rules,
        hz: it.hz,
        points: None,
    }, ReportPressure::new);
    "utilisation", utilisation::utilisation, false, Some(
        "How busy nodes and CPUs were, how even that was, and how long the runqueues were; the step is 5 s unless given."
    ), report(|it| Step { step_ns: it.step_ns }, as_is);
    "residency", utilisation::residency, false, Some("Which tasks ran on which nodes."), report(usual, as_is);
    "placement", placement::placement, false, Some(
        "CPU time by numa group and node over time, and the nodes on which their memory lies."
    ), report(usual, as_is);
    "numa_balancing", numa_balancing::balancing, false, Some(
        "Attempts of the NUMA balancer to place tasks: the Ops table, how they ended, and what each met."
    ), report(usual, as_is);
    "vmstat", numa_logs::vmstat, true, Some("What the counters of /proc/vmstat counted in the window, in mmtests' rows."), report(usual, as_is);
    "cling", cling::cling, false, Some(
        "NUMA cling: failures of migrations by group and node, busy nodes, decisions, and how exact their replay is.\n\nWith a \
         degree everything is a what-if up to the first moment that would have gone otherwise."
    ), report(|it| options::Cling {
        degree: it.degree,
        ..options::Cling::default()
    }, ReportCling::new);
    "idle_balancing", idle_balancing::ilb, false, Some(
        "The nohz idle load balancer: kicks, passes, idle time, and three of its versions side by side.\n\nIts states are \
         replayed from the recording's begin on; the answer is of the window."
    ), report(usual, without_mask);
    "page_migration", page_migration::migration, true, Some(
        "Whether memory followed the CPUs or the CPUs the memory, and the statistics of auto-migration where sampled."
    ), report(usual, as_is);
    "latency", latency::latency, false, Some(
        "From wake-up to running, for the waits that ended inside the window, and what they are made of."
    ), report(usual, as_is);
    "wait_heat", latency::wait_heat, false, Some(
        "How many of the window's waits were how long when: those that `latency` has percentiles of, by when they ended."
    ), report(|_| Heat {
        columns: HEAT_COLUMNS,
    }, as_is);
    "waste", utilisation::waste, false, Some("CPU time that was idle while tasks waited, and why."), report(usual, as_is);
    "findings", findings::findings, false, Some("What the detectors found in the window, worst first."), report(|it| Pressure {
        psi_rules: it.psi_rules,
        hz: it.hz,
    }, ReportFindings::new);
    "wait_windows", latency::wait_windows, false, None;
    "waits", latency::waits, false, Some(
        "The longest of the window's waits whose length is within `least_ns` and `below_ns` and whose end within the other two.\n\n\
         That is what a cell of `wait_heat` counts."
    );
    "wait", latency::wait, false, Some(
        "One wait opened: its causes part by part, who ran meanwhile, which CPUs were idle, and the wakeup chain before.\n\nThe \
         window is the wait: `from_ns` its `waking_ns`, `to_ns` its `switch_in_ns`."
    );
    "task", task::task, false, Some(
        "One task: how long it was in which state and where it ran, what it waited for, who woke it and whom it woke."
    );
    "critical_path", task::critical_path, false, Some(
        "Who held a task up: from the end of its wait or sleep back over who woke it, what that one did since its own wake-up, and so \
         on.\n\nThe window begins at a moment of that wait or sleep."
    );
    "threads", threads::threads, false, Some(
        "All threads with their process, cgroup, numa group and node, and how long each ran and waited."
    );
    "schedstat", schedstat::schedstat, true, Some(
        "What the load balancer counted by scheduling domain (/proc/schedstat), beside the migrations of the log."
    );
    "domain_balancing", domain_balancing::domain_balancing, false, Some(
        "What it cost to look for tasks to balance, by who looked, domain and CPU, where `sched_balance_newidle` and \
         `sched_balance_rq` were probed."
    );
    "distances", distances::distances, false, Some(
        "Migrations, wake-ups and waits by what the two CPUs have in common: the core, the last-level cache, the node, or nothing; \
         and below which last-level cache processes ran, with the one that cache-aware scheduling (Linux 7.2) would prefer."
    );
    "sched_ext", sched_ext::sched_ext, false, Some(
        "BPF schedulers (sched_ext): when one was loaded, what it counted, why it was disabled, and what its tasks waited for."
    );
    "memory_samples", memory_samples::memory_samples, false, Some(
        "Loads by where they found their data (local and remote memory, caches, HITM) and their latency, per node, task and step, and \
         whether memory followed the tasks that moved, and whether that paid."
    );
    "stacks", stacks::stacks, false, Some(
        "What was sampled with which stacks: callsites with their own and all samples, functions, and the stack of each step of time."
    );
    "stack_marks", stacks::stack_marks, false, Some("When which CPU was sampled, in steps of the window.");
    "hardware", hardware::hardware, false, Some(
        "Frequencies, idle states, interrupts and softirqs of the CPUs, in steps of the window."
    );
    "sampled", sampled::sampled, false, None;
}

/// The names of all sections.
pub fn section_names() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|section| section.name)
}

/// The answer of a section over a window, as JSON. With `browser` moments are decimal strings.
///
/// # Errors
///
/// Fails when there is no such section, an option is wrong or a log cannot be read.
pub fn analyse(
    open: &Context,
    section: &str,
    window: (u64, u64),
    options: &str,
    browser: bool,
) -> Result<Vec<u8>, Error> {
    let Some(section) = SECTIONS.iter().find(|found| found.name == section) else {
        let names: Vec<&str> = section_names().collect();
        return Err(Error::Wrong(format!(
            "expected a section ({}), found \"{section}\"",
            names.join(", ")
        )));
    };
    let answer = || (section.answer)(open, window, options);
    if browser {
        for_browser(answer)
    } else {
        answer()
    }
}

/// What the service says of a section, with the schemas of its options and of its answer.
#[derive(Serialize)]
struct Described {
    about: &'static str,
    options: Schema,
    answer: Schema,
}

/// The sections of the service and the report, and what their answers refer to.
#[derive(Serialize)]
struct Description {
    sections: BTreeMap<&'static str, Described>,
    components: serde_json::Map<String, serde_json::Value>,
    report: Schema,
    report_components: serde_json::Map<String, serde_json::Value>,
}

/// The JSON schemas of the options of each section.
///
/// # Errors
///
/// Fails when a schema is no JSON.
pub fn options() -> Result<Vec<u8>, Error> {
    let options: BTreeMap<_, _> = SECTIONS
        .iter()
        .map(|section| (section.name, for_browser(section.options)))
        .collect();
    json(&options)
}

/// The JSON schemas of the sections that the service has, as they are written for a browser, and of the report, whose moments
/// are numbers.
///
/// # Errors
///
/// Fails when a schema is no JSON.
pub fn schemas() -> Result<Vec<u8>, Error> {
    let mut generator = generator();
    let described = SECTIONS
        .iter()
        .zip(DESCRIPTIONS)
        .filter_map(|(section, describe)| {
            let described = Described {
                options: for_browser(section.options),
                answer: for_browser(|| describe(&mut generator)),
                about: section.about?,
            };
            Some((section.name, described))
        });
    let sections = described.collect();
    // Not a section.
    generator.subschema_for::<Catalogue>();
    let mut of_report = section::generator();
    let report = of_report.subschema_for::<Report>();
    json(&Description {
        sections,
        components: for_browser(|| components(generator)),
        report,
        report_components: components(of_report),
    })
}
