//! The log of migrations of tasks: rows, writer, reader.

use std::io::Write;

use arrow_buffer::Buffer;
use arrow_ipc::writer::FileWriter;

use super::{How, Migration};
use crate::EngineError;
use crate::rows::{Columns, between, open_all, table};

/// The migrations of tasks inside the bundle.
pub const MIGRATIONS_FILE: &str = "numa/migrations.arrow";

/// Migrations that go into one batch.
const BATCH_ROWS: usize = 1 << 14;

table! {
    /// A row of the file.
    Stored, MigrationColumns, ts_ns, {
        ts_ns: u64,
        cpu: u32,
        pid: i32,
        task: u32,
        orig_cpu: u32,
        dest_cpu: u32,
        how: u8,
    }
}

impl Stored {
    fn pack(row: &Migration) -> Self {
        Self {
            ts_ns: row.ts_ns,
            cpu: row.cpu,
            pid: row.pid,
            task: row.task,
            orig_cpu: row.orig_cpu,
            dest_cpu: row.dest_cpu,
            how: row.how as u8,
        }
    }

    fn unpack(self) -> Migration {
        Migration {
            ts_ns: self.ts_ns,
            cpu: self.cpu,
            pid: self.pid,
            task: self.task,
            orig_cpu: self.orig_cpu,
            dest_cpu: self.dest_cpu,
            how: match self.how {
                1 => How::Waking,
                2 => How::Runnable,
                3 => How::Asleep,
                _ => How::Unknown,
            },
        }
    }
}

/// Writes the file.
pub struct MigrationsWriter {
    writer: FileWriter<Box<dyn Write>>,
    held: Vec<Stored>,
}

impl MigrationsWriter {
    /// Begins the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: Box<dyn Write>) -> Result<Self, EngineError> {
        Ok(Self {
            writer: FileWriter::try_new(out, &MigrationColumns::schema())?,
            held: Vec::new(),
        })
    }

    /// Takes the next migration; times never go back. It is kept until [`Self::flush`].
    pub fn push(&mut self, row: &Migration) {
        self.held.push(Stored::pack(row));
    }

    /// Writes the kept migrations when they are enough for a batch.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn flush(&mut self) -> Result<(), EngineError> {
        if self.held.len() >= BATCH_ROWS {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), EngineError> {
        if !self.held.is_empty() {
            self.writer
                .write(&MigrationColumns::batch(&[&self.held])?)?;
            self.held.clear();
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(), EngineError> {
        self.write()?;
        self.writer.finish()?;
        self.writer.get_mut().flush()?;
        Ok(())
    }
}

/// The migrations, ready to be read.
#[derive(Debug)]
pub struct Migrations(Vec<MigrationColumns>);

impl Migrations {
    /// Opens the file's bytes.
    ///
    /// # Errors
    /// The bytes are not those of migrations.
    pub fn open(bytes: Buffer) -> Result<Self, EngineError> {
        open_all(bytes, "migrations").map(Self)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(Columns::rows).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The migrations from `from` to `to` (both ends count), ascending in time.
    pub fn rows(&self, from: u64, to: u64) -> impl Iterator<Item = Migration> {
        between(&self.0, from, to).map(Stored::unpack)
    }
}
