//! What the kernel printed, as the caller hands it in.

use serde::{Deserialize, Serialize};

use crate::psi::rules::state;

/// A resource that has a pressure file. The order is that in which the sampler reads the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resource {
    /// `cpu`.
    Cpu,
    /// `memory`.
    Memory,
    /// `io`.
    Io,
    /// `irq`.
    Irq,
}

impl Resource {
    /// All of them, in the order of reading.
    pub const ALL: [Self; 4] = [Self::Cpu, Self::Memory, Self::Io, Self::Irq];

    /// The file's name, as reports call the resource.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Io => "io",
            Self::Irq => "irq",
        }
    }

    /// Numbers of its states in [`state`]: `some` (irq has none) and `full`.
    #[must_use]
    pub fn states(self) -> (Option<usize>, usize) {
        match self {
            Self::Cpu => (Some(state::CPU_SOME), state::CPU_FULL),
            Self::Memory => (Some(state::MEM_SOME), state::MEM_FULL),
            Self::Io => (Some(state::IO_SOME), state::IO_FULL),
            Self::Irq => (None, state::IRQ_FULL),
        }
    }
}

/// One line of a pressure file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// avg10, avg60 and avg300 in hundredths: 12.34 is 1234.
    pub avg: [u32; 3],
    /// `total`, µs.
    pub total_us: u64,
}

/// One reading of one pressure file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Before the reading, ns of the reference clock. The files of a group that are read together have one `t_ns`.
    pub t_ns: u64,
    /// After the reading of all of them, where the sampler wrote that down.
    pub end_ns: Option<u64>,
    /// `t_ns` is an estimate: the sampler read other files between its stamp and this one.
    pub estimated: bool,
    /// The line `some`.
    pub some: Option<Line>,
    /// The line `full`.
    pub full: Option<Line>,
}

impl Sample {
    /// The end of the reading, the beginning where nothing tells.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end_ns.unwrap_or(self.t_ns).max(self.t_ns)
    }

    /// When the `index`th file was read (from 0). The sampler stamps, marks the trace and then reads one file after the
    /// other, each sooner than the one before: halves of what is left (0.5, 0.75, 0.875) are where probes of `psi_show` saw
    /// the reads of a recorded 6.1 (medians 0.50, 0.78, 0.86). It matters because reads within a jiffy lose time.
    #[must_use]
    pub fn read_at(&self, index: usize) -> u64 {
        let end = self.end();
        end - ((end - self.t_ns) >> (index + 1).min(63))
    }
}

/// The readings of one file, by time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleSeries {
    /// Path of the cgroup; none for the machine.
    pub cgroup: Option<String>,
    /// Which file.
    pub resource: Resource,
    /// Its readings, ascending.
    pub samples: Vec<Sample>,
}
