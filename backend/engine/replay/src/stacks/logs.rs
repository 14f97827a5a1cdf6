//! Samples with their stacks: rows, writer, reader.

use std::collections::BTreeMap;

use arrow_buffer::Buffer;
use numalens_core::ipc::Bytes;
use numalens_core::logs::{Batches, scan, table};
use numalens_core::{EngineError, FileSink};
use serde::{Deserialize, Serialize};

use crate::log::Log;

use super::{CALLSITES_FILE, Callsites, FRAMES_FILE, Frames, NO_CALLSITE, SAMPLES_FILE};

table! {
    /// A row of the file.
    Stored, SampleColumns, ts_ns, {
        ts_ns: u64,
        cpu: u32,
        pid: i32,
        event: u32,
        callsite: u32,
        truncated: u8,
        weight: u64,
    }
}

/// A sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// ns of the reference clock; ascends from row to row.
    pub ts_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// The thread; 0 is the idle task.
    pub pid: i32,
    /// Sampled event: a position in [`StacksSummary::events`].
    pub event: u32,
    /// The callsite of the innermost frame; `None` without a stack.
    pub callsite: Option<u32>,
    /// Frames of its stack were left out.
    pub truncated: bool,
    /// Period of the sample, in the event's unit; 1 when not recorded.
    pub weight: u64,
}

/// An event that was sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledEvent {
    /// System of the event: `perf`, `sched`.
    pub system: String,
    /// Name of the event: `cpu-clock`, `sched_switch`.
    pub event: String,
    /// True if its samples have a period.
    pub weighted: bool,
    /// Samples.
    pub samples: u64,
}

/// Summary of a bundle's stacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StacksSummary {
    /// The events that were sampled.
    pub events: Vec<SampledEvent>,
    /// Samples whose stack is not whole: it is deeper than what is kept, or the tables of frames and callsites were full.
    pub truncated: u64,
    /// Frames and callsites.
    pub frames: u64,
    /// See [`Self::frames`].
    pub callsites: u64,
    /// Frames of the kernel that have no name.
    pub kernel_unnamed: bool,
    /// Files that sampled code was in and that did not come along, those with most places first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<UnnamedFile>,
    /// Number of further files.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unnamed_more: u64,
}

/// A file with sampled code whose functions are unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnnamedFile {
    /// Path of the file.
    pub file: String,
    /// Build ID in hexadecimal digits, if recorded.
    pub build_id: Option<String>,
    /// Places in it that samples have.
    pub places: u64,
}

/// Files without names that are kept.
const MOST_UNNAMED: usize = 50;

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl StacksSummary {
    /// Takes the files of all memories that did not come along.
    pub fn take_unnamed(&mut self, memories: &[super::Memory]) {
        let mut files: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
        for memory in memories {
            memory.unnamed(|file, build_id| *files.entry((file, build_id)).or_default() += 1);
        }
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.1));
        self.unnamed_more = files.len().saturating_sub(MOST_UNNAMED) as u64;
        let kept = files.into_iter().take(MOST_UNNAMED);
        let kept = kept.map(|((file, build_id), places)| UnnamedFile {
            file: file.to_owned(),
            build_id: build_id.map(str::to_owned),
            places,
        });
        self.unnamed = kept.collect();
    }
}

/// Writes the three tables.
pub struct StacksWriter {
    /// The frames so far.
    pub frames: Frames,
    callsites: Callsites,
    samples: Log<SampleColumns>,
    truncated: u64,
}

impl StacksWriter {
    /// Begins the files.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn new(files: &mut dyn FileSink) -> Result<Self, EngineError> {
        Ok(Self {
            frames: Frames::default(),
            callsites: Callsites::default(),
            samples: Log::new(files.create(SAMPLES_FILE)?)?,
            truncated: 0,
        })
    }

    /// Takes the next sample with its frames, the innermost first; times never go back. Its callsite is given here. If
    /// there is no space for a frame, the stack ends at its caller.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, sample: Sample, frames: &[Option<u32>]) -> Result<(), EngineError> {
        let mut callsite = NO_CALLSITE;
        let mut truncated = sample.truncated;
        for &frame in frames.iter().rev() {
            let number = frame.and_then(|frame| self.callsites.number(callsite, frame));
            let Some(number) = number else {
                truncated = true;
                break;
            };
            callsite = number;
        }
        self.truncated += u64::from(truncated);
        self.samples.push(Stored {
            ts_ns: sample.ts_ns,
            cpu: sample.cpu,
            pid: sample.pid,
            event: sample.event,
            callsite,
            truncated: u8::from(truncated),
            weight: sample.weight,
        });
        self.samples.flush()
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(
        self,
        events: Vec<SampledEvent>,
        files: &mut dyn FileSink,
    ) -> Result<StacksSummary, EngineError> {
        self.samples.finish()?;
        self.frames.write(files.create(FRAMES_FILE)?)?;
        self.callsites.write(files.create(CALLSITES_FILE)?)?;
        let unnamed = (0..self.frames.len() as u32).any(|number| {
            let frame = self.frames.get(number);
            frame.name.starts_with(numalens_columns::KALLSYMS)
        });
        Ok(StacksSummary {
            events,
            truncated: self.truncated,
            frames: self.frames.len() as u64,
            callsites: self.callsites.len() as u64,
            kernel_unnamed: unnamed,
            unnamed: Vec::new(),
            unnamed_more: 0,
        })
    }
}

/// The three tables, ready to be read.
#[derive(Debug)]
pub struct Stacks {
    /// The frames.
    pub frames: Frames,
    /// The callsites.
    pub callsites: Callsites,
    samples: Batches<SampleColumns>,
}

impl Stacks {
    /// Opens the files' bytes.
    ///
    /// # Errors
    /// They are not those of stacks.
    pub fn open(
        frames: Buffer,
        callsites: impl Into<Bytes>,
        samples: impl Into<Bytes>,
    ) -> Result<Self, EngineError> {
        let frames = Frames::open(frames)?;
        let callsites = Callsites::open(callsites, frames.len())?;
        Ok(Self {
            frames,
            callsites,
            samples: Batches::open(samples, "samples of stacks")?,
        })
    }

    /// Calls `visit` with the samples from `from` to `to` (both ends count), ascending in time.
    ///
    /// # Errors
    /// They could not be read, or name a callsite that is not there.
    pub fn scan(
        &self,
        from: u64,
        to: u64,
        mut visit: impl FnMut(Sample),
    ) -> Result<(), EngineError> {
        let mut damaged = false;
        scan(&self.samples, from, to, |row| {
            let stands = (row.callsite as usize) < self.callsites.len();
            damaged |= !stands && row.callsite != NO_CALLSITE;
            visit(Sample {
                ts_ns: row.ts_ns,
                cpu: row.cpu,
                pid: row.pid,
                event: row.event,
                callsite: stands.then_some(row.callsite),
                truncated: row.truncated != 0,
                weight: row.weight,
            });
        })?;
        if damaged {
            let why = "samples have callsites that are not there";
            return Err(EngineError::Damaged(why.to_owned()));
        }
        Ok(())
    }
}
