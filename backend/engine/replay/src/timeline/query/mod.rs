//! Answers to queries on the index.

mod blocked;
mod items;
mod lookup;
mod scan;
mod slices;
mod spans;
mod steps;
mod tasks;
mod threads;

use arrow_array::RecordBatch;
use numalens_core::EngineError;

pub use self::blocked::BlockedSleep;
use self::items::Items;
pub use self::lookup::Slice;
pub use self::scan::SliceRef;
use super::{Index, NODE_LANE, TaskSpans, ThreadCounts};

/// A bucket of a node: the share of its CPUs that are busy, and the tasks that wait there.
pub const KIND_NODE: u8 = 0;
/// A slice as it is.
pub const KIND_EXACT: u8 = 1;
/// Slices that are too short to be shown one by one.
pub const KIND_MERGED: u8 = 2;
/// Events were lost; who ran is not known.
pub const KIND_LOST: u8 = 3;
/// No event has shown yet who ran.
pub const KIND_UNKNOWN: u8 = 4;
/// A bucket of a CPU's waiting tasks.
pub const KIND_WAIT: u8 = 5;

/// A task is runnable since it was woken, or is new.
pub const KIND_WOKEN: u8 = 6;
/// A task is runnable since it lost its CPU.
pub const KIND_PREEMPTED: u8 = 7;
/// A task is runnable, and how that began is lost.
pub const KIND_RESUMED: u8 = 8;
/// A task sleeps, or is stopped.
pub const KIND_SLEEPING: u8 = 9;
/// A task sleeps uninterruptibly.
pub const KIND_BLOCKED: u8 = 10;
/// Number of threads of a process or a cgroup that run, wait and are blocked.
pub const KIND_THREADS: u8 = 11;

/// A row of the picture.
#[derive(Debug, Clone, Copy)]
pub enum Lane<'a> {
    /// A NUMA node, by its number.
    Node(u32),
    /// A CPU, by its number.
    Cpu(u32),
    /// A task, by what it did in the whole recording.
    Task(&'a TaskSpans),
    /// Threads together, by how many of them did what in the whole recording.
    Threads(&'a ThreadCounts),
}

/// The widest picture that is answered, in pixels.
const MOST_PIXELS: u32 = 1 << 15;

/// The part of the recording that is requested, in ns after the origin, and how finely.
#[derive(Debug, Clone, Copy)]
struct Window {
    from: u64,
    to: u64,
    /// At most so many rows are shown one by one.
    few: u32,
    /// Buckets are `1 << shift` ns wide, at most a pixel.
    shift: u32,
    /// The level of that width; `None` when the width is below the finest level's.
    level: Option<usize>,
}

impl Window {
    fn bucket(&self, time: u64) -> u64 {
        time >> self.shift
    }

    /// Border at which a bucket starts; the end of time when it starts beyond.
    fn border(&self, bucket: u64) -> u64 {
        bucket
            .checked_shl(self.shift)
            .filter(|time| time >> self.shift == bucket)
            .unwrap_or(u64::MAX)
    }
}

impl Index {
    /// The items of the lanes from `from_ns` to `to_ns` (trace clock), for a picture `px` pixels wide.
    ///
    /// The result is one batch with these columns:
    ///
    /// - `lane` u16: position in `lanes`.
    /// - `kind` u8.
    /// - `t0` and `t1` f64: ns after the origin, which is `origin_ns` in the schema's metadata.
    /// - `busy` f32: for a node, the share of its busy CPUs; otherwise the share of the item on the CPU, lost or unknown.
    /// - `wait` f32: mean number of waiting tasks.
    /// - `wait_max` u32.
    /// - `task` u32: `u32::MAX` for none.
    /// - `count` u32: slices in the item.
    ///
    /// With a lane of a task there are also these columns:
    ///
    /// - `cpu` u32: CPU of a slice, or where a wait ended; `u32::MAX` for none.
    /// - `waker_pid` i32: -1 for none.
    /// - `cause` u8: main cause of a wait, as a position in the metadata's `causes`; 255 for none.
    ///
    /// In merged items of a task, `busy` and `wait` are its shares of run and wait time, and `count` is the number of slices.
    /// For threads together, `busy`, `wait`, `blocked` f32 and `unknown` f32 are mean numbers of threads. Their `wait_max` and
    /// `count` are the largest numbers that waited and that ran at a time.
    ///
    /// A node is lost where any of its CPUs is, and unknown where all of them are.
    ///
    /// Items are whole: the first and last of a lane may reach beyond the window. Idle time and times without waiting
    /// tasks have no items. A lane that the recording does not have gives none. Per lane and kind there are at most
    /// about two items a pixel.
    ///
    /// # Errors
    /// The rows could not be read, or the batch not be built.
    pub fn window(
        &self,
        lanes: &[Lane<'_>],
        from_ns: u64,
        to_ns: u64,
        px: u32,
    ) -> Result<RecordBatch, EngineError> {
        let of_tasks = lanes
            .iter()
            .any(|lane| matches!(lane, Lane::Task(_) | Lane::Threads(_)));
        let mut items = Items::new(self.meta.origin_ns, of_tasks);
        if let Some(window) = self.clip(from_ns, to_ns, px) {
            for (at, lane) in lanes.iter().enumerate() {
                items.lane(at as u16);
                match *lane {
                    Lane::Node(nid) => {
                        let cpus = self
                            .meta
                            .nodes
                            .iter()
                            .find(|node| node.nid == nid)
                            .map_or(0, |node| node.cpus.len());
                        let key = NODE_LANE | nid;
                        if let Some(series) = self.steps.get(&key).filter(|_| nid < NODE_LANE) {
                            steps::node(series, &window, self.end(), cpus as u32, &mut items)?;
                        }
                        self.spans(key, &window, &mut items);
                    }
                    Lane::Cpu(cpu) => {
                        if let Some(series) = self.slices.get(&cpu) {
                            slices::cpu(series, &window, &mut items)?;
                        }
                        if let Some(series) = self.steps.get(&cpu).filter(|_| cpu < NODE_LANE) {
                            steps::waiting(series, &window, self.end(), &mut items)?;
                        }
                        if cpu < NODE_LANE {
                            self.spans(cpu, &window, &mut items);
                        }
                    }
                    Lane::Task(spans) => tasks::show(spans, &window, &mut items),
                    Lane::Threads(counts) => {
                        threads::show(counts, &window, self.end(), &mut items);
                    }
                }
            }
        }
        items.finish()
    }

    fn spans(&self, lane: u32, window: &Window, items: &mut Items) {
        if let Some(spans) = self.spans.get(&lane) {
            spans::show(spans, window, items);
        }
    }

    /// The recording's length in ns.
    pub(super) fn end(&self) -> u64 {
        self.meta.end_ns - self.meta.origin_ns
    }

    /// The part of the recording that lies in the window; `None` when none does.
    fn clip(&self, from_ns: u64, to_ns: u64, px: u32) -> Option<Window> {
        let px = px.clamp(1, MOST_PIXELS);
        // A pixel is as wide as requested even where the recording covers only a part of the window.
        let pixel = to_ns.checked_sub(from_ns)? / u64::from(px);
        let from = from_ns.saturating_sub(self.meta.origin_ns);
        let to = to_ns.checked_sub(self.meta.origin_ns)?.min(self.end());
        if from >= to {
            return None;
        }
        // The widest level is as wide as the recording.
        let widest = (u64::BITS - self.end().leading_zeros())
            .min(u64::BITS - 1)
            .max(self.meta.shift);
        let shift = pixel.checked_ilog2().unwrap_or(0).min(widest);
        let level = shift
            .checked_sub(self.meta.shift)
            .map(|level| level as usize);
        Some(Window {
            from,
            to,
            few: 2 * px,
            shift,
            level,
        })
    }
}
