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
use numalens_events::{Span, batches_over};

use super::EVENT_TYPE;
use super::schema::Shape;

/// Rows times columns of a batch that is handed on: an export of all events has as many columns as all their types, and there may be
/// many exports at a time.
const MOST_CELLS: usize = 1 << 18;

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

/// Selected rows of a table, and the name of their event.
pub(super) struct Picked {
    pub(super) filter: TableFilter,
    pub(super) event: String,
}

/// A batch as its table has it, with its times and ranks.
struct Part {
    ts: ScalarBuffer<u64>,
    seq: ScalarBuffer<u64>,
    batch: RecordBatch,
}

impl Source {
    /// `extents` are those of the batches.
    pub(super) fn open(
        input: u32,
        file: IpcFile<Bytes>,
        extents: &[BatchExtent],
        shape: Arc<Shape>,
        window: Span,
    ) -> Self {
        Self {
            input,
            file,
            shape,
            batches: batches_over(extents, window).into_iter(),
            window,
            picked: None,
        }
    }

    /// Takes only some rows, each with the name of its event.
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
                return Ok(Some(Part { ts, seq, batch }));
            }
        }
        Ok(None)
    }

    /// Rows of a batch of this table in the export's shape.
    fn fit(&self, rows: &RecordBatch) -> Result<RecordBatch, Error> {
        match &self.picked {
            Some(picked) => self.shape.fit(&picked.named(rows)?),
            None => self.shape.fit(rows),
        }
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
    /// The rows that are taken.
    fn of(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let mask = BooleanArray::new(self.filter.mask(batch), None);
        Ok(filter_record_batch(batch, &mask)?)
    }

    /// The rows with a column for the event's name.
    fn named(&self, rows: &RecordBatch) -> Result<RecordBatch, Error> {
        let mut fields: Vec<FieldRef> = rows.schema_ref().fields().iter().map(Arc::clone).collect();
        let mut columns = rows.columns().to_vec();
        fields.push(Arc::new(Field::new(EVENT_TYPE, DataType::Utf8, false)));
        columns.push(Arc::new(StringArray::from(vec![
            self.event.as_str();
            rows.num_rows()
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
        let Some(first) = self.heads.first() else {
            return Ok(None);
        };
        let most = (MOST_CELLS / first.source.shape.schema.fields().len().max(1)).max(1);
        let begins: Vec<usize> = self.heads.iter().map(|head| head.at).collect();
        let (mut runs, empty) = self.pick(most);
        let mut taken = Vec::new();
        let mut places = Vec::with_capacity(begins.len());
        for (head, from) in self.heads.iter().zip(begins) {
            places.push(taken.len());
            if head.at > from {
                let rows = head.part.batch.slice(from, head.at - from);
                taken.push(head.source.fit(&rows)?);
            }
        }
        for run in &mut runs {
            run.head = places[run.head];
        }
        let merged = match taken.as_slice() {
            [only] => only.clone(),
            all => put_together(all, &runs)?,
        };
        if let Some(at) = empty {
            match self.heads[at].source.part()? {
                Some(part) => (self.heads[at].part, self.heads[at].at) = (part, 0),
                None => drop(self.heads.swap_remove(at)),
            }
        }
        Ok(Some(merged))
    }

    /// Advances by `most` rows, or until a table's batch is used up; returns runs, and the used-up batch.
    fn pick(&mut self, most: usize) -> (Vec<Run>, Option<usize>) {
        if let [only] = self.heads.as_mut_slice() {
            let rows = only.part.batch.num_rows();
            only.at = rows.min(only.at + most);
            return (Vec::new(), (only.at == rows).then_some(0));
        }
        let mut runs: Vec<Run> = Vec::new();
        for _ in 0..most {
            let heads = self.heads.iter_mut().enumerate();
            let Some((at, head)) = heads.min_by_key(|(_, head)| head.key()) else {
                break;
            };
            match runs.last_mut() {
                Some(run) if run.head == at => run.rows += 1,
                _ => runs.push(Run { head: at, rows: 1 }),
            }
            head.at += 1;
            if head.at >= head.part.batch.num_rows() {
                return (runs, Some(at));
            }
        }
        (runs, None)
    }
}

/// Consecutive rows of a head.
struct Run {
    head: usize,
    rows: usize,
}

/// The batches, which have one schema, as one; each is used up, run by run. Unlike `interleave`, which is compiled for each type, this
/// adds nothing to a module that a page loads.
fn put_together(batches: &[RecordBatch], runs: &[Run]) -> Result<RecordBatch, Error> {
    let schema = batches[0].schema();
    let rows = runs.iter().map(|run| run.rows).sum();
    let columns = (0..schema.fields().len()).map(|column| {
        let parts: Vec<_> = batches
            .iter()
            .map(|batch| batch.column(column).to_data())
            .collect();
        let mut merged = MutableArrayData::try_new(parts.iter().collect(), false, rows)?;
        let mut begins = vec![0; parts.len()];
        for &Run { head, rows } in runs {
            merged.try_extend(head, begins[head], begins[head] + rows)?;
            begins[head] += rows;
        }
        Ok(make_array(merged.freeze()))
    });
    let columns = columns.collect::<Result<_, Error>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}
