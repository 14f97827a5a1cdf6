//! Readers of samples.

use arrow_array::RecordBatch;
use numalens_columns::{ReadOptions, SinkError, Skipped, SliceSource};
use numalens_samples::{
    MarkerReader, SampleSink, SampleTableId, marker, read, read_perf, sniff_perf,
};

use crate::check::{ENOUGH, Extent, Progress};

/// Rows after which the sink takes no more.
const MOST_ROWS: u64 = 1 << 20;
/// Names that an input may have: of a saved file that says itself what it is, and one that says nothing.
const NAMES: [&str; 2] = ["", "slice/cpu.pressure"];

struct Counter {
    extent: Extent,
    tolerant: bool,
    rows: u64,
    skipped: u64,
}

impl SampleSink for Counter {
    fn write(&mut self, table: SampleTableId, batch: &RecordBatch) -> Result<(), SinkError> {
        assert_eq!(batch.schema(), table.schema());
        assert!(batch.num_rows() > 0, "a batch without rows");
        self.rows += batch.num_rows() as u64;
        if self.rows > MOST_ROWS {
            return Err(SinkError(ENOUGH.to_owned()));
        }
        Ok(())
    }

    fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
        self.extent
            .left_out(&skipped, self.tolerant, &mut self.skipped);
        Ok(())
    }
}

pub(crate) fn check(data: &[u8]) {
    let extent = Extent::of(data);
    let read = if sniff_perf(data) { read_perf } else { read };
    for name in NAMES {
        for tolerant in [false, true] {
            let mut sink = Counter {
                extent,
                tolerant,
                rows: 0,
                skipped: 0,
            };
            let mut progress = Progress::new();
            let options = ReadOptions { tolerant };
            let result = read(
                &SliceSource(data),
                name,
                &options,
                &mut sink,
                &mut |done, total| {
                    progress.at(done, total);
                },
            );
            match result {
                Ok(summary) => {
                    assert_eq!(summary.rows, sink.rows);
                    assert_eq!(summary.counts.values().sum::<u64>(), sink.rows);
                }
                Err(error) => extent.ended(&error),
            }
        }
    }
    markers(data, extent);
}

/// The same text as lines out of a trace.
fn markers(data: &[u8], extent: Extent) {
    let text = String::from_utf8_lossy(data);
    let mut reader = MarkerReader::new();
    let mut sink = Counter {
        extent,
        tolerant: true,
        rows: 0,
        skipped: 0,
    };
    for (ts, line) in (0..).zip(text.split('\n')) {
        let _ = marker(line);
        reader.line(ts, line);
    }
    match reader.finish(&mut sink) {
        Ok(summary) => assert_eq!(summary.rows, sink.rows),
        Err(error) => extent.ended(&error),
    }
}
