//! Rows of several tables in ascending time.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, BooleanArray, RecordBatch, StringArray, make_array};
use arrow_buffer::ScalarBuffer;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Field, FieldRef, Schema};
use arrow_select::filter::filter_record_batch;
use numalens_bundle::Error;
use numalens_core::EngineError;
use numalens_core::ipc::{BatchExtent, Bytes, IpcFile};
use numalens_events::filter::TableFilter;
use numalens_events::{Search, Span};

use super::EVENT_TYPE;
use super::schema::Shape;

/// Rows of a batch that is put together from several tables.
const MERGED_ROWS: usize = 1 << 13;

/// One table, batch by batch.
pub(super) struct Source {
    input: u32,
    file: IpcFile<Bytes>,
    shape: Arc<Shape>,
    /// Batches that may have rows of the window and were not read yet.
    batches: std::vec::IntoIter<usize>,
    window: Span,
    picked: Option<Picked>,
}

/// Which rows of a table are taken, and what their event is called.
pub(super) struct Picked {
    pub(super) filter: TableFilter,
    pub(super) event: String,
}

/// A batch's times, ranks and columns in the export's shape.
struct Part {
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    batch: RecordBatch,
}

impl Source {
    /// `extents` are those of the batches; without, the table's rows ascend.
    pub(super) fn open(
        input: u32,
        file: IpcFile<Bytes>,
        extents: Option<&[BatchExtent]>,
        shape: Arc<Shape>,
        window: Span,
    ) -> Result<Self, Error> {
        let batches = Search::new(&file, extents).over(window)?;
        Ok(Self {
            input,
            file,
            shape,
            batches: batches.into_iter(),
            window,
            picked: None,
        })
    }

    /// Takes only some rows, and tells with each what event it is.
    pub(super) fn picking(mut self, picked: Picked) -> Self {
        self.picked = Some(picked);
        self
    }

    /// The next batch's rows inside the window; `None` after the last.
    fn part(&mut self) -> Result<Option<Part>, Error> {
        while let Some(place) = self.batches.next() {
            let mut batch = self.window_of(&self.file.batch(place)?)?;
            if let Some(picked) = &self.picked {
                batch = picked.of(&batch)?;
            }
            let (Some(ts), Some(seq)) = (times(&batch, "ts_ns"), times(&batch, "seq")) else {
                return Err(EngineError::Damaged("an event table has no times".to_owned()).into());
            };
            if !ts.is_empty() {
                let batch = self.shape.fit(&batch)?;
                return Ok(Some(Part { ts, seq, batch }));
            }
        }
        Ok(None)
    }

    /// The batch's rows inside the window.
    fn window_of(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let Some(ts) = times(batch, "ts_ns") else {
            return Ok(batch.clone());
        };
        if ts.is_sorted() {
            let rows = self.window.of_ascending(&ts);
            return Ok(batch.slice(rows.start, rows.len()));
        }
        let inside = ts.iter().map(|&ts| Some(self.window.has(ts)));
        Ok(filter_record_batch(batch, &inside.collect())?)
    }
}

impl Picked {
    /// The rows that are taken, with a column for the event's name.
    fn of(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let mask = BooleanArray::new(self.filter.mask(batch), None);
        let taken = filter_record_batch(batch, &mask)?;
        let mut fields: Vec<FieldRef> =
            taken.schema_ref().fields().iter().map(Arc::clone).collect();
        let mut columns = taken.columns().to_vec();
        fields.push(Arc::new(Field::new(EVENT_TYPE, DataType::Utf8, false)));
        columns.push(Arc::new(StringArray::from(vec![
            self.event.as_str();
            taken.num_rows()
        ])));
        Ok(RecordBatch::try_new(
            Arc::new(Schema::new(fields)),
            columns,
        )?)
    }
}

fn times(batch: &RecordBatch, name: &str) -> Option<ScalarBuffer<u64>> {
    batch
        .column_by_name(name)?
        .as_primitive_opt::<UInt64Type>()
        .map(|array| array.values().clone())
}

/// All tables together.
pub(super) struct Merge {
    sources: VecDeque<Source>,
    heads: Vec<Head>,
}

struct Head {
    source: Source,
    part: Part,
    at: usize,
}

impl Head {
    fn key(&self) -> (u64, u32, u64) {
        (
            self.part.ts[self.at],
            self.source.input,
            self.part.seq[self.at],
        )
    }
}

impl Merge {
    pub(super) fn new(sources: Vec<Source>) -> Self {
        Self {
            sources: sources.into(),
            heads: Vec::new(),
        }
    }

    /// The next rows; `None` after the last.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        while let Some(mut source) = self.sources.pop_front() {
            if let Some(part) = source.part()? {
                self.heads.push(Head {
                    source,
                    part,
                    at: 0,
                });
            }
        }
        if let [only] = self.heads.as_mut_slice() {
            let rows = only.part.batch.num_rows() - only.at;
            let batch = only.part.batch.slice(only.at, rows);
            match only.source.part()? {
                Some(part) => (only.part, only.at) = (part, 0),
                None => self.heads.clear(),
            }
            return Ok(Some(batch));
        }
        // Rows are picked until there are enough or a table's batch is used up.
        let mut picked: Vec<Run> = Vec::new();
        let (mut rows, mut empty) = (0, None);
        while rows < MERGED_ROWS && empty.is_none() {
            let Some((at, _)) = self
                .heads
                .iter()
                .enumerate()
                .min_by_key(|(_, head)| head.key())
            else {
                return Ok(None);
            };
            let head = &mut self.heads[at];
            match picked.last_mut() {
                Some(run) if run.head == at => run.to += 1,
                _ => picked.push(Run {
                    head: at,
                    from: head.at,
                    to: head.at + 1,
                }),
            }
            head.at += 1;
            rows += 1;
            empty = (head.at >= head.part.batch.num_rows()).then_some(at);
        }
        let batches: Vec<&RecordBatch> = self.heads.iter().map(|head| &head.part.batch).collect();
        let merged = put_together(&batches, &picked, rows)?;
        if let Some(at) = empty {
            match self.heads[at].source.part()? {
                Some(part) => (self.heads[at].part, self.heads[at].at) = (part, 0),
                None => drop(self.heads.swap_remove(at)),
            }
        }
        Ok(Some(merged))
    }
}

/// Consecutive rows of a head's batch.
struct Run {
    head: usize,
    from: usize,
    to: usize,
}

/// The runs of the batches, which have one schema, as one of `rows` rows. Unlike `interleave`, which is compiled for each type, this
/// adds nothing to a module that a page loads.
fn put_together(
    batches: &[&RecordBatch],
    picked: &[Run],
    rows: usize,
) -> Result<RecordBatch, Error> {
    let schema = batches[0].schema();
    let columns = (0..schema.fields().len()).map(|column| {
        let parts: Vec<_> = batches
            .iter()
            .map(|batch| batch.column(column).to_data())
            .collect();
        let mut merged = MutableArrayData::try_new(parts.iter().collect(), false, rows)?;
        for run in picked {
            merged.try_extend(run.head, run.from, run.to)?;
        }
        Ok(make_array(merged.freeze()))
    });
    let columns = columns.collect::<Result<_, Error>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}
