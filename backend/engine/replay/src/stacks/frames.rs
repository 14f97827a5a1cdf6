//! Frames and callsites, each once.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use numalens_core::ipc::{Bytes, IpcFile};
use numalens_core::logs::{Batches, BatchesWriter, table};
use numalens_core::{EngineError, Output};

use super::NO_CALLSITE;

/// Frames that a bundle may have, bytes of their texts, and callsites: more than a kernel and its programs have functions. What is
/// beyond has the stack of its caller.
const MOST_FRAMES: usize = 1 << 20;
const MOST_BYTES: usize = 128 << 20;
const MOST_CALLSITES: usize = 1 << 22;
/// Callsites that go into one batch.
const BATCH_ROWS: usize = 1 << 16;

/// A function, or a place that has no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameName<'a> {
    /// Name of the function; `file+0x1f` or `0x1f` when unknown.
    pub name: &'a str,
    /// Path of the file it is in, `[kernel.kallsyms]` or `[module]`; empty when not known.
    pub module: &'a str,
}

/// Frames by number.
#[derive(Debug, Default)]
pub struct Frames {
    names: Vec<(Box<str>, Box<str>)>,
    numbers: HashMap<Box<str>, HashMap<Box<str>, u32>>,
    bytes: usize,
}

impl Frames {
    /// The number of a frame, a new one when it is new; `None` when there is no room for another.
    pub fn number(&mut self, frame: FrameName<'_>) -> Option<u32> {
        let FrameName { name, module } = frame;
        if let Some(&number) = self.numbers.get(module).and_then(|names| names.get(name)) {
            return Some(number);
        }
        let bytes = self.bytes + name.len() + module.len();
        if self.names.len() >= MOST_FRAMES || bytes > MOST_BYTES {
            return None;
        }
        self.bytes = bytes;
        let number = self.names.len() as u32;
        self.names.push((name.into(), module.into()));
        let names = self.numbers.entry(module.into()).or_default();
        names.insert(name.into(), number);
        Some(number)
    }

    /// Number of frames.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are no frames.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The frame of a number; one without name when there is none.
    #[must_use]
    pub fn get(&self, number: u32) -> FrameName<'_> {
        let found = self.names.get(number as usize);
        found.map_or(
            FrameName {
                name: "",
                module: "",
            },
            |(name, module)| FrameName { name, module },
        )
    }

    /// Writes them: `name` utf8, `module` utf8.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write(&self, out: Output) -> Result<(), EngineError> {
        let field = |name| Field::new(name, DataType::Utf8, false);
        let schema = Arc::new(Schema::new(vec![field("name"), field("module")]));
        let mut writer = FileWriter::try_new(out, &schema)?;
        let names = StringArray::from_iter_values(self.names.iter().map(|frame| &frame.0));
        let modules = StringArray::from_iter_values(self.names.iter().map(|frame| &frame.1));
        let columns = vec![Arc::new(names) as _, Arc::new(modules) as _];
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
        writer.finish()?;
        Ok(())
    }

    /// Opens the file's bytes, for lookups by number.
    ///
    /// # Errors
    /// They are not those of frames.
    pub fn open(bytes: Buffer) -> Result<Self, EngineError> {
        let mut frames = Self::default();
        for batch in IpcFile::open(bytes, None)?.into_batches() {
            let batch = batch?;
            let texts = |name| {
                let column = batch.column_by_name(name);
                column.and_then(|column| column.as_string_opt::<i32>())
            };
            let (Some(names), Some(modules)) = (texts("name"), texts("module")) else {
                return Err(damaged("frames have no name or module"));
            };
            let rows = (0..batch.num_rows()).map(|row| (names.value(row), modules.value(row)));
            frames
                .names
                .extend(rows.map(|(name, module)| (name.into(), module.into())));
        }
        Ok(frames)
    }
}

table! {
    /// A row of the file: the caller's number, or [`NO_CALLSITE`], and the frame's.
    Stored, CallsiteColumns, parent, {
        parent: u32,
        frame: u32,
    }
}

/// Callsites by number; a caller's number is the smaller one.
#[derive(Debug, Default)]
pub struct Callsites {
    rows: Vec<Stored>,
    numbers: HashMap<(u32, u32), u32>,
}

impl Callsites {
    /// The number of a frame below its caller, a new one when it is new; `None` when there is no room for another.
    pub fn number(&mut self, parent: u32, frame: u32) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&(parent, frame)) {
            return Some(number);
        }
        if self.rows.len() >= MOST_CALLSITES {
            return None;
        }
        let number = self.rows.len() as u32;
        self.rows.push(Stored { parent, frame });
        self.numbers.insert((parent, frame), number);
        Some(number)
    }

    /// Number of callsites.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no callsites.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The caller and the frame of a callsite; the caller of an outermost one is [`NO_CALLSITE`]. `None` when there is no such
    /// number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<(u32, u32)> {
        let row = self.rows.get(number as usize)?;
        Some((row.parent, row.frame))
    }

    /// Writes them: `parent` u32, `frame` u32.
    ///
    /// # Errors
    /// The writer failed.
    pub fn write(&self, out: Output) -> Result<(), EngineError> {
        let mut writer = BatchesWriter::<CallsiteColumns>::new(out)?;
        for rows in self.rows.chunks(BATCH_ROWS) {
            writer.write(&[rows])?;
        }
        writer.finish()
    }

    /// Opens the file's bytes, for lookups by number.
    ///
    /// # Errors
    /// They are not those of callsites of so many frames.
    pub fn open(bytes: impl Into<Bytes>, frames: usize) -> Result<Self, EngineError> {
        use numalens_core::logs::Columns;
        let mut callsites = Self::default();
        for batch in Batches::<CallsiteColumns>::unordered(bytes, "callsites")?.into_all()? {
            for row in 0..batch.rows() {
                let stored = batch.get(row);
                let number = callsites.rows.len();
                let calls = stored.parent == NO_CALLSITE || (stored.parent as usize) < number;
                if !calls || stored.frame as usize >= frames {
                    return Err(damaged("callsites are not numbered from the outermost in"));
                }
                callsites.rows.push(stored);
            }
        }
        Ok(callsites)
    }
}

fn damaged(why: &str) -> EngineError {
    EngineError::Damaged(format!("its {why}"))
}
