//! The files of a bundle that is being made.

use std::io::{self, BufWriter, Write};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use numalens_core::ipc::{BatchWriter, Bytes, IpcFile};
use numalens_core::{FileSink, Helper, Output};
use numalens_events::Batches;

use super::limits::Budget;
use crate::error::Error;
use crate::storage::Files;

/// The files of the bundle that is being made. What is written counts against the limits.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    files: &'a dyn Files,
    budget: &'a Budget,
}

impl<'a> Folder<'a> {
    pub(super) fn new(files: &'a dyn Files, budget: &'a Budget) -> Self {
        Self { files, budget }
    }

    /// As what they are read.
    pub(super) fn files(&self) -> &'a dyn Files {
        self.files
    }

    pub(super) fn helper(&self) -> Helper {
        self.files.helper()
    }

    pub(super) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Begins a file, which must not exist.
    pub(super) fn create(&self, name: &str) -> io::Result<Limited> {
        self.budget.file(name);
        Ok(Limited {
            file: self.files.create(name)?,
            budget: self.budget.clone(),
        })
    }

    /// The manifest, whose bytes do not count.
    pub(super) fn manifest(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        self.files.create(name)
    }

    /// A table; with `columns`, only these.
    pub(super) fn open(
        &self,
        name: &str,
        columns: Option<&[&str]>,
    ) -> Result<IpcFile<Bytes>, Error> {
        Ok(IpcFile::open(self.files.pieces(name)?, columns)?)
    }

    /// The batches of a table that was opened.
    pub(super) fn ahead(&self, table: IpcFile<Bytes>) -> Batches<'static> {
        self.helper().ahead(table.into_batches())
    }

    /// The batches of a table; with `columns`, only these.
    pub(super) fn batches(
        &self,
        name: &str,
        columns: Option<&[&str]>,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, Error>> + use<>, Error> {
        let batches = self.ahead(self.open(name, columns)?);
        Ok(batches.map(|batch| batch.map_err(Error::from)))
    }

    /// Replaces a table by another of the same schema, which `write` makes of its batches.
    pub(super) fn rewrite(
        &self,
        name: &str,
        write: impl FnMut(&RecordBatch, &mut BatchWriter<BufWriter<Limited>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let table = self.open(name, None)?;
        let schema = SchemaRef::clone(table.schema());
        self.rewrite_as(name, table, &schema, write)
    }

    /// Replaces the table that was opened by one of another schema, likewise.
    pub(super) fn rewrite_as(
        &self,
        name: &str,
        table: IpcFile<Bytes>,
        schema: &SchemaRef,
        mut write: impl FnMut(&RecordBatch, &mut BatchWriter<BufWriter<Limited>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rewritten = format!("{name}.new");
        let out = BufWriter::new(self.create(&rewritten)?);
        let mut writer = BatchWriter::helped(out, schema, &self.helper())?;
        for batch in self.ahead(table) {
            write(&batch?, &mut writer)?;
        }
        close(writer.finish()?)?;
        Ok(self.files.rename(&rewritten, name)?)
    }

    /// Gives a file another name.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.files.rename(from, to)
    }

    /// Names of the files that were begun and are still there.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = self.budget.files();
        names.retain(|name| self.files.has(name));
        names
    }

    /// Removes a file, or a folder with all that is in it.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        self.files.remove(name)
    }
}

impl FileSink for Folder<'_> {
    fn create(&mut self, name: &str) -> io::Result<Output> {
        let file = BufWriter::new(Folder::create(self, name)?);
        Ok(Output::new(file).helped(self.helper()))
    }
}

/// Ends a file.
pub(super) fn close(file: BufWriter<Limited>) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error);
    file?.flush()
}

/// A file whose bytes are counted.
pub(super) struct Limited {
    file: Box<dyn Write + Send>,
    budget: Budget,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.budget.bytes(bytes.len() as u64) {
            return Err(io::Error::other("more bytes than allowed"));
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
