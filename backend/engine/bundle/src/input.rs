//! What an input is.

use numalens_archive::ArchiveKind;
use numalens_columns::{ByteSource, InputError};
use numalens_ftrace_text::TextKind;
use numalens_samples::SampleKind;
use serde::{Deserialize, Serialize};

/// How much of an input is looked at to tell its kind, in bytes.
const HEAD: usize = 64 << 10;

/// The kinds of input that are read, by the names of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `trace-cmd record`'s file.
    #[serde(rename = "trace.dat")]
    TraceDat,
    /// `perf record`'s file.
    #[serde(rename = "perf.data")]
    PerfData,
    /// Text of a ring buffer: `trace`, `trace-cmd report`.
    FtraceText,
    /// `perf script`'s text.
    PerfScript,
    /// A Perfetto trace.
    Perfetto,
    /// Samples of pressure files.
    Psi,
    /// Samples of `/proc/vmstat`.
    Vmstat,
    /// Samples of numa groups.
    NumaGroup,
    /// Samples of the counters of page migration.
    Automig,
    /// Samples of `/proc/PID/numa_maps`.
    NumaMaps,
    /// Samples of `/proc/PID/sched`.
    ProcSched,
    /// Samples of the cgroups' tasks.
    CgroupMap,
    /// Which CPU belongs to which node.
    Topology,
}

/// What the first bytes of a file say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It is read.
    Input(Kind),
    /// It is unpacked.
    Archive(ArchiveKind),
}

impl Found {
    /// Tells what a file is by its first bytes; `None` when it is nothing that is read.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(HEAD)];
        if let Some(archive) = numalens_archive::sniff(head) {
            return Some(Self::Archive(archive));
        }
        Kind::sniff(head).map(Self::Input)
    }

    /// The same, with a sentence in place of nothing.
    pub(crate) fn expect(source: &dyn ByteSource) -> Result<Self, InputError> {
        let bytes = source.bytes();
        Self::of(bytes).ok_or_else(|| {
            let expected = "a recording (trace.dat, perf.data, ftrace or perf script text, Perfetto), samples \
                            (pressure, vmstat, numa_group, automigration, numa_maps, sched, cgroups), a topology \
                            (lscpu -p, numactl -H, sysfs, hwloc) or an archive of these";
            InputError::at_byte(0, expected, first_bytes(bytes))
        })
    }
}

impl Kind {
    /// The name in manifest and report: `trace.dat`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TraceDat => "trace.dat",
            Self::PerfData => "perf.data",
            Self::FtraceText => "ftrace-text",
            Self::PerfScript => "perf-script",
            Self::Perfetto => "perfetto",
            Self::Psi => "psi",
            Self::Vmstat => "vmstat",
            Self::NumaGroup => "numa-group",
            Self::Automig => "automig",
            Self::NumaMaps => "numa-maps",
            Self::ProcSched => "proc-sched",
            Self::CgroupMap => "cgroup-map",
            Self::Topology => "topology",
        }
    }

    /// Whether it is read as samples.
    pub(crate) fn is_samples(self) -> bool {
        matches!(
            self,
            Self::Psi
                | Self::Vmstat
                | Self::NumaGroup
                | Self::Automig
                | Self::NumaMaps
                | Self::ProcSched
                | Self::CgroupMap
        )
    }

    /// Formats with a magic come first; text is recognised by its grammar.
    fn sniff(head: &[u8]) -> Option<Self> {
        if numalens_trace_dat::sniff(head) {
            return Some(Self::TraceDat);
        }
        if numalens_perf_data::sniff(head) {
            return Some(Self::PerfData);
        }
        if numalens_topology::sniff(head).is_some() {
            return Some(Self::Topology);
        }
        if let Some(samples) = numalens_samples::sniff(head) {
            return Some(Self::of_samples(samples));
        }
        if let Some(text) = numalens_ftrace_text::sniff(head) {
            return Some(match text {
                TextKind::Ftrace => Self::FtraceText,
                TextKind::PerfScript => Self::PerfScript,
            });
        }
        numalens_perfetto_rows::sniff(head).then_some(Self::Perfetto)
    }

    fn of_samples(kind: SampleKind) -> Self {
        match kind {
            SampleKind::Psi => Self::Psi,
            SampleKind::Vmstat => Self::Vmstat,
            SampleKind::NumaGroup => Self::NumaGroup,
            SampleKind::Automig => Self::Automig,
            SampleKind::NumaMaps => Self::NumaMaps,
            SampleKind::ProcSched => Self::ProcSched,
            SampleKind::CgroupMap => Self::CgroupMap,
        }
    }
}

/// What the input begins with, for an error sentence.
fn first_bytes(bytes: &[u8]) -> String {
    const SHOWN: usize = 8;
    const KNOWN: [(&[u8], &str); 3] = [
        (b"\xfd7zXZ", "an xz-compressed file"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"\x7fELF", "an ELF program"),
    ];
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*what).to_owned();
    }
    let shown: Vec<String> = bytes
        .iter()
        .take(SHOWN)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("the bytes {}", shown.join(" "))
}
