//! Exports of a bundle. Events of one type, filtered events, samples and rows of queries become CSV, NDJSON or Arrow. The
//! whole recording with the replay results becomes a Perfetto trace.
//!
//! `tests/recordings/` goes from the repository's own recordings to bundles, sections and exports.

mod find;
mod format;
mod merge;
mod perfetto;
pub mod query;
mod samples;
mod schema;
mod tables;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use numalens_bundle::{Error, Open};
use numalens_core::ipc::{Bytes, IpcFile};
use numalens_events::Span;

pub use self::find::{Key, check as check_filter, export_found, page as events_page};
pub use self::format::Format;
use self::format::Writer;
use self::merge::{Merge, Source};
pub use self::perfetto::export_trace;
pub use self::samples::export_samples;
use self::schema::Shape;
pub use self::tables::{TABLES, Table, events, table};

/// The column with the event's name in a table of several event types.
const EVENT_TYPE: &str = "event_type";

/// Takes the bytes of an export.
pub type Out<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), Error>;

/// Writes the events called `event` (`name` or `system:name`) with `from_ns <= ts < to_ns` and returns their number.
///
/// # Errors
///
/// Fails when there is no such event, a table cannot be read, and when `out` does.
pub fn export(
    bundle: &Open,
    event: &str,
    format: Format,
    window: (Option<u64>, Option<u64>),
    out: Out<'_>,
) -> Result<u64, Error> {
    let (sources, shape) = sources(bundle, event, window, |at| bundle.events(at, None))?;
    written(sources, format, &shape, out)
}

/// The tables that have events called `event`, and the shape that they have in common.
fn sources(
    bundle: &Open,
    event: &str,
    window: (Option<u64>, Option<u64>),
    open: impl Fn(usize) -> Result<IpcFile<Bytes>, Error>,
) -> Result<(Vec<Source>, Arc<Shape>), Error> {
    // Names of perf's own events have colons in them: `mem:0x406000:rw`.
    let wanted = |system: &str, name: &str| {
        let behind = event.strip_prefix(system);
        name == event || behind.and_then(|rest| rest.strip_prefix(':')) == Some(name)
    };
    let mut files = Vec::new();
    let tables = bundle.tables.iter().enumerate();
    for (at, table) in tables.filter(|(_, table)| wanted(&table.system, &table.event)) {
        files.push((at, table.input, open(at)?));
    }
    if files.is_empty() {
        return Err(Error::Missing(event.to_owned()));
    }
    let shape = Arc::new(Shape::of(
        files.iter().map(|(.., file)| file.schema().as_ref()),
    ));
    let window = Span::new(window.0, window.1);
    let mut sources = Vec::new();
    for (at, input, file) in files {
        let extents = bundle.extents(at)?;
        let shape = Arc::clone(&shape);
        sources.push(Source::open(input, file, extents, shape, window));
    }
    Ok((sources, shape))
}

/// Writes the batches of one schema that `run` hands on.
pub(crate) fn write_batches(
    format: Format,
    schema: &SchemaRef,
    out: Out<'_>,
    run: impl FnOnce(&mut dyn FnMut(&RecordBatch) -> Result<(), Error>) -> Result<(), Error>,
) -> Result<(), Error> {
    let shape = Shape {
        schema: Arc::clone(schema),
    };
    let mut writer = Writer::new(format, &shape, out)?;
    run(&mut |batch| writer.write(batch))?;
    writer.finish()
}

/// Writes the events of all sources in their order and returns their number.
fn written(
    sources: Vec<Source>,
    format: Format,
    shape: &Shape,
    out: Out<'_>,
) -> Result<u64, Error> {
    let mut merge = Merge::new(sources);
    let mut writer = Writer::new(format, shape, out)?;
    let mut rows = 0;
    while let Some(batch) = merge.next_batch()? {
        rows += batch.num_rows() as u64;
        writer.write(&batch)?;
    }
    writer.finish()?;
    Ok(rows)
}
