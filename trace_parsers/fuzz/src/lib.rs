//! Fuzz targets: every reader, the telling of formats and the engine on any bundle, as functions that take any bytes and must
//! come back.
//!
//! A reader's target reads its bytes strictly and tolerantly into a sink that keeps nothing and checks what every reader
//! promises: rows that ascend, ranks without gaps, sums that agree, places within the input. A broken promise is a
//! panic, as is any panic of a reader; hangs and memory are the driver's to notice.

mod archives;
mod bundles;
mod check;
mod events;
mod layout;
mod mutate;
mod samples;
mod seeds;
mod spread;
mod text;

pub use self::bundles::{opens, packed};
pub use self::mutate::{Numbers, change, change_parts};
pub use self::seeds::{Seeds, files, keep, seeds};

/// One target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also the name of its archive of seeds.
    pub name: &'static str,
    /// Takes any bytes.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "trace_dat",
        run: |data| events::check(numalens_trace_dat::decode, data),
    },
    Target {
        name: "event_format",
        run: events::format,
    },
    Target {
        name: "perf_data",
        run: |data| events::check(numalens_perf_data::decode, data),
    },
    Target {
        name: "ftrace_text",
        run: |data| events::check(numalens_ftrace_text::decode, data),
    },
    Target {
        name: "perfetto_rows",
        run: |data| events::check(numalens_perfetto_rows::decode, data),
    },
    Target {
        name: "samples",
        run: samples::check,
    },
    Target {
        name: "topology",
        run: text::topology,
    },
    Target {
        name: "elf",
        run: text::elf,
    },
    Target {
        name: "archive",
        run: archives::check,
    },
    Target {
        name: "spread",
        run: spread::check,
    },
    Target {
        name: "sniff",
        run: text::sniff,
    },
    Target {
        name: "bundle",
        run: bundles::check,
    },
];

/// The target of this name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
